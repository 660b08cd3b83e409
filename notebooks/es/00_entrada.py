# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 0 · La entrada
#
# [English](../en/00_entrance.ipynb) · unos 20 minutos
#
# Al terminar podrás:
#
# - ver el curso entero en un dibujo y saber qué enseña cada lección;
# - comprobar qué traes ya y repasar lo que falte;
# - mover un deslizador, comprobar un ejercicio y contestar una pregunta.

# %% tags=["setup"]
# Encuentra el curso, elige el idioma y dice la versión. Ejecuta esta celda antes que las demás.
import sys

try:
    import bloque
except ImportError as reason:
    import site
    from pathlib import Path
    from subprocess import list2cmdline, run

    root = Path("../..").resolve()
    course = root if (root / "lib" / "bloque").is_dir() else "git+https://github.com/bloque-curso/bloque.git#egg=bloque"
    command = [sys.executable, "-m", "pip", "install", "-e", str(course)]
    if "google.colab" not in sys.modules or run(command).returncode:
        stop = type("CourseMissing", (Exception,), {"_render_traceback_": lambda error: list(error.args)})
        raise stop(f"""Este Python no encuentra el curso ({reason}). El cuaderno usa este Python: {sys.executable}
Instala el curso en él con esta orden, en una terminal:

    {list2cmdline(command)}

Después reinicia el núcleo (menú Kernel) y ejecuta otra vez esta celda.""") from None
    site.main()
    import bloque

bloque.language("es")
print("El Transformer, bloque a bloque · versión", bloque.__version__)


# %%
import numpy as np

from bloque import attention, multi_head_attention, multi_head_parameters, number, softmax
from bloque.checks import check
from bloque.lessons import entrance as lesson
from bloque.quiz import quiz, score

# %% [markdown]
# ## ¿Está todo en su sitio?
#
# Esto es un cuaderno: celdas de texto y celdas de código. Para ejecutar una celda, ponte en ella y pulsa Mayús + Intro. Ejecuta ahora las de arriba, en orden: la primera elige el idioma y dice la versión del curso; la segunda trae lo que usan las demás. En todas las lecciones se empieza por esas dos.
#
# La celda siguiente mira tu instalación. Si algo falla, te dice qué es y qué orden lo arregla.

# %%
lesson.self_test()

# %% [markdown]
# Hay cosas que Python no puede ver desde dentro. Míralas tú:
#
# | lo que ves | qué pasa | qué hacer |
# |---|---|---|
# | `No module named …` | el cuaderno usa otro Python | menú Kernel → *Change Kernel…* (cambiar de núcleo), y elige el del curso |
# | una imagen quieta donde esperabas un deslizador | la celda no se ha ejecutado | ejecútala; lo guardado es una foto |
# | un hueco, o un texto como `IntSlider(value=0)` | esta página no sabe dibujar controles | ábrelo en JupyterLab |
# | en VS Code, nada, con ipywidgets 8.1.9 | un fallo conocido de esa versión | escribe `%pip install ipywidgets==8.1.8` en una celda, ejecútala y reinicia el núcleo (menú Kernel → *Restart Kernel…*) |
# | resultados raros | celdas ejecutadas sin orden | menú Kernel → *Restart Kernel and Run All Cells…* (reiniciar y ejecutar todo) |
#
# **¿Quieres empezar de cero?** Reiniciar el núcleo olvida lo calculado, pero no lo que has escrito. Para recuperar los cuadernos originales, en una terminal y dentro de la carpeta del curso: `git checkout notebooks`. Los devuelve todos, y lo que hayas escrito en ellos se pierde: copia antes lo que quieras guardar. (Si descargaste un ZIP, vuelve a descomprimirlo.) Si lees el curso en el navegador, borra tu copia en el panel de archivos y recarga la página: el navegador guarda tu copia, también después de una versión nueva.

# %% [markdown]
# ## El mapa del curso
#
# Un Transformer recibe un texto cortado en **tokens**: palabras o trozos de palabra. Empieza con un vector por cada token, su **embedding**, y devuelve otro que ya tiene en cuenta a los tokens de alrededor. Lo consigue repitiendo un mismo **bloque**. Dentro del bloque, la **atención** deja que cada token mire a los demás, y la **red por posición**, una red pequeña, transforma cada token por su cuenta. Este es el bloque; los números son las lecciones.

# %%
lesson.course_map()

# %% [markdown]
# | | pregunta |
# |---|---|
# | [1 · La saturación de la softmax](01_saturacion_softmax.ipynb) | ¿Qué pasa con el gradiente si una puntuación se escapa? |
# | [2 · Por qué √d_k](02_raiz_dk.ipynb) | ¿De dónde sale esa raíz? |
# | [3 · Varias cabezas](03_varias_cabezas.ipynb) | ¿Por qué no basta con mirar de una sola manera? |
# | [4 · Conexión residual y normalización por capas](04_residual_layer_norm.ipynb) | ¿Cómo se apilan muchos bloques sin que se pierda la señal? |
# | [5 · El bloque completo](05_bloque_completo.ipynb) | ¿Cómo encaja todo y cuánto cuesta? |
# | [6 · Que aprenda](06_que_aprenda.ipynb) | ¿Se cumple lo que hemos dicho cuando se entrena? |
#
# Van en orden, pero cada una se puede leer por separado. Hay un [glosario](90_glosario.ipynb) con los términos en los dos idiomas.

# %% [markdown]
# ## Cómo se usa
#
# **Los deslizadores.** Casi todas las figuras se mueven: con el ratón, o con el teclado. Tab pasa de la celda a la figura, las flechas mueven el deslizador y Escape te devuelve a la celda. Debajo de la figura, una frase dice lo que ves, con números. Algunas figuras te piden antes una apuesta: los controles no se sueltan hasta que la haces. Si fallas, para un momento: ahí es donde engaña la intuición.
#
# En esta, una clave $k$ gira alrededor de una consulta $q$. Una **consulta** es lo que un token pregunta y una **clave**, lo que otro ofrece para que lo encuentren; aquí son dos flechas, es decir, dos parejas de números. Su **producto escalar** multiplica cada número de una por el suyo de la otra y los suma.
#
# - Fíjate en cuándo es mayor su producto escalar, $q \cdot k$: cuando las dos apuntan al mismo lado.
# - Fíjate en cuándo se hace negativo.

# %%
lesson.dot()

# %% [markdown]
# **Las comprobaciones.** En los ejercicios escribes una función y `check` la prueba. Si falla, intenta decirte qué error has cometido, sin darte la solución. La función de abajo quiere ser una softmax, la función que convierte puntuaciones en pesos, y está mal a propósito: reparte en proporción, sin exponencial. Ejecuta la celda y lee el mensaje. Después cambia `scores` por `np.exp(scores)` las dos veces que aparece a la derecha de `return` y vuelve a ejecutarla: dirá otra cosa. (La respuesta buena llega en la lección 1.)

# %%
def share_out(scores):
    return scores / scores.sum(axis=-1, keepdims=True)


check("softmax", share_out)

# %% [markdown]
# **Las preguntas.** Cada lección acaba con unas cuantas. Las de esta vienen ahora, porque sirven para saber qué traes.

# %% [markdown]
# ## Lo que conviene traer
#
# Contesta a las preguntas. Si dudas en alguna, su repaso está aquí debajo. La última es sobre la atención: déjala hasta haber leído «Una atención, a mano».

# %%
quiz("lesson0")

# %%
score("lesson0")

# %% [markdown]
# ### Arrays y broadcasting
#
# Un array tiene una **forma**: `(3, 4)` son 3 filas de 4 números. Cuando dos formas no coinciden, NumPy las alinea por la derecha y repite los ejes que miden 1 o que faltan: eso es el *broadcasting*. Con `keepdims=True`, una suma o un máximo conservan su eje con tamaño 1, y entonces encajan fila a fila.
#
# Estas son otras expresiones de NumPy que el curso usa a menudo. No hace falta aprenderlas: vuelve aquí cuando encuentres una.
#
# | se escribe | qué hace |
# |---|---|
# | `x.sum(axis=0)`, `x.sum(axis=-1)` | suma a lo largo del primer eje, o del último |
# | `x[:, None]`, `x[None]` | añade un eje de tamaño 1: detrás del primero, o delante de todos |
# | `x[..., None]` | añade un eje de tamaño 1 al final; los puntos son «todos los ejes que haya» |
# | `x.T`, `x.swapaxes(-1, -2)` | transpone; con más de dos ejes, cambia entre sí los dos últimos |
# | `x[:, 0::2]` | las columnas de dos en dos, desde la 0 |
# | `q, k = x` | reparte el primer eje: `q` es `x[0]` y `k` es `x[1]` |
# | `*front, n = x.shape` | el último tamaño va a `n` y los demás, a la lista `front` |
# | `x.reshape(4, 3, 2)` | los mismos números, en el mismo orden, con otra forma |
# | `np.where(m, a, b)` | toma de `a` donde `m` es cierto y de `b` donde no |
# | `np.eye(3)`, `np.diag(p)` | la identidad; una matriz con `p` en la diagonal |
# | `np.outer(a, b)` | todos los productos de un número de `a` por uno de `b` |
# | `np.einsum("nd,nd->n", a, b)` | multiplica casilla a casilla y suma sobre la letra que desaparece |
# | `number(x, 3)` | escribe `x` con tres decimales; es del curso, no de NumPy |
# | `x.mean()`, `x.std()`, `x.var()` | la media, la desviación y la varianza de todos los números, o a lo largo de un `axis` |
# | `np.linalg.norm(x)` | la norma: la raíz de la suma de los cuadrados |
# | `np.maximum(a, b)` | el mayor de los dos, casilla a casilla |
# | `np.allclose(a, b)` | ¿son iguales, salvo redondeos? |
# | `np.concatenate([a, b])` | pone una matriz a continuación de otra |
# | `np.random.default_rng(0)` | un generador de números al azar; la misma semilla da siempre los mismos |

# %%
column = np.array([[10], [20], [30]])  # (3, 1)
row = np.array([1, 2, 3, 4])  # (4,)
table = column + row  # (3, 4)
print(table)
print(table.sum(axis=-1).shape, "·", table.sum(axis=-1, keepdims=True).shape)

# %% [markdown]
# ### El producto de matrices
#
# En $C = A B$, la casilla $C_{ij}$ es el producto escalar de la fila $i$ de $A$ por la columna $j$ de $B$: $C_{ij} = \sum_m A_{im} B_{mj}$. Sobre el eje que comparten se suma, y desaparece: $(2, 3)$ por $(3, 5)$ da $(2, 5)$. En NumPy se escribe `A @ B`.
#
# En la atención, $Q K^{\mathsf T}$ calcula de una vez el producto escalar de cada consulta con cada clave.

# %%
A = np.arange(6).reshape(2, 3)
B = np.arange(15).reshape(3, 5)
print((A @ B).shape)
print((A @ B)[1, 2], "=", sum(A[1, m] * B[m, 2] for m in range(3)))

# %% [markdown]
# ### La regla de la cadena
#
# Si $y = f(u)$ y $u = g(x)$, las pendientes se multiplican: $\frac{dy}{dx} = \frac{dy}{du} \cdot \frac{du}{dx}$. Con vectores se multiplican **jacobianos**, las tablas con todas las derivadas de cada función, y el **gradiente**, las derivadas de la pérdida (el número que el entrenamiento hace bajar), los recorre desde el final hasta el principio. Un factor casi nulo en el camino lo apaga todo: es el tema de la lección 1. La celda calcula una derivada con la regla y la mide después a empujones: mueve un poco $x$ y mira cuánto se mueve $f$.

# %%
def f(x):
    return (3 * x + 1) ** 2


by_rule = 2 * (3 * 1 + 1) * 3
by_pushing = (f(1 + 1e-6) - f(1 - 1e-6)) / 2e-6
print(by_rule, "·", number(by_pushing, 4))

# %% [markdown]
# ### La varianza de una suma
#
# La varianza es la media de los cuadrados de las distancias a la media; la desviación típica, o desviación a secas, es su raíz. Si las variables son independientes, **las varianzas se suman**: $\operatorname{Var}(X_1 + \dots + X_d) = d$ si cada una tiene varianza 1. La desviación de la suma es entonces $\sqrt d$, y no $d$.

# %%
draws = np.random.default_rng(0).normal(size=(100_000, 4))
total = draws.sum(axis=1)
print("Var:", number(total.var(), 1), "· √Var:", number(total.std(), 1))

# %% [markdown]
# ## La notación
#
# Una fila es un token, siempre. El producto se escribe con la matriz a la derecha, $X W$. En $Q$, $K$, $V$, $z$, $p$ y $J$, las formas son las de una cabeza (y $J$, la de una fila de pesos); con varias cabezas se añade un eje delante.
#
# | letra | forma | en el código | qué es | en inglés |
# |---|---|---|---|---|
# | $n$ | un número | `n` | número de tokens de la frase | *tokens in the sentence* |
# | $d_{\mathrm{model}}$ | un número | `d_model` | ancho de cada vector | *width of each vector* |
# | $h$ | un número | `heads` | número de cabezas | *heads* |
# | $d_k$, $d_v$ | un número | `d_k`, `d_v` | ancho de consultas y claves; de valores | *width of queries and keys; of values* |
# | $d_{\mathrm{ff}}$ | un número | `d_ff` | ancho interior de la red por posición | *inner width of the position-wise network* |
# | $N$ | un número | `layers` | número de bloques apilados | *stacked blocks* |
# | $X$ | $(n, d_{\mathrm{model}})$ | `x` | entrada, una fila por token | *input, one row a token* |
# | $Q$, $K$ | $(n, d_k)$ | `queries`, `keys` | consultas y claves | *queries and keys* |
# | $V$ | $(n, d_v)$ | `values` | valores | *values* |
# | $W^Q, W^K, W^V, W^O$ | $(d_{\mathrm{model}}, d_{\mathrm{model}})$ | `W_Q, W_K, W_V, W_O` | las matrices que se aprenden | *the matrices that are learnt* |
# | $z$ | $(n, n)$ | `scores` | puntuaciones | *scores* |
# | $p$, $\alpha$ | $(n, n)$ | `weights` | pesos; cada fila suma 1 | *weights; each row adds up to 1* |
# | $J$ | $(n, n)$ | `jacobian` | pendientes de los pesos | *slopes of the weights* |
# | $\mu_t$, $s_t$ | $(n, 1)$ | `mean`, `std` | media y desviación de una fila | *mean and deviation of a row* |
# | $\gamma$, $\beta$ | $(d_{\mathrm{model}})$ | `gamma`, `beta` | escala y desplazamiento de la normalización por capas | *scale and shift of the norm* |
# | $\varepsilon$ | un número | `eps` | lo que evita dividir entre 0 | *what avoids a division by 0* |
# | $W_1$, $W_2$ | $(d_{\mathrm{model}}, d_{\mathrm{ff}})$, $(d_{\mathrm{ff}}, d_{\mathrm{model}})$ | `W1`, `W2` | las dos capas de la red por posición | *the two layers of the position-wise network* |
# | $L$ | un número | `loss` | pérdida | *loss* |
# | $\mathbb{E}[x]$ | un número | `x.mean()` | la media de $x$ | *the mean of x* |
# | $\lVert x \rVert$ | un número | `np.linalg.norm(x)` | la norma: la raíz de la suma de los cuadrados | *the norm: the root of the sum of squares* |

# %%
n, d_model, h = 5, 12, 3
x = np.random.default_rng(0).normal(size=(n, d_model))
parameters = multi_head_parameters(d_model, h)
output, weights = multi_head_attention(x, parameters, h)
print("x", x.shape, "· weights", weights.shape, "· output", output.shape, "· d_k =", d_model // h)

# %% [markdown]
# ## Una atención, a mano
#
# La frase es «el gato duerme». Miramos desde *duerme*: su consulta viene a preguntar quién lo hace. Los números están elegidos a mano, para que salgan las cuentas; en un modelo se aprenden.
#
# $$q = (2, 0, 0, 2)$$
#
# | | clave $k$ | valor $v$ |
# |---|---|---|
# | el | $(0, 1, 0, 0)$ | $(0, 0)$ |
# | gato | $(1, 0, 0, 1)$ | $(1, 0)$ |
# | duerme | $(1, 0, 1, 0)$ | $(0, 1)$ |
#
# La primera coordenada del valor dice «animal»; la segunda, «acción».
#
# 1. **Puntúa**: $q \cdot k$ con cada clave. Con *gato*, $2 \cdot 1 + 2 \cdot 1 = 4$.
# 2. **Divide** entre $\sqrt{d_k}$. Aquí $d_k = 4$, así que entre 2.
# 3. **Reparte**: toma la exponencial de cada una y divídela entre la suma de todas las exponenciales. Es la softmax, y salen los pesos.
# 4. **Mezcla** los valores con esos pesos.

# %%
query = np.array([[2.0, 0, 0, 2]])  # (1, d_k)
keys = np.array([[0.0, 1, 0, 0], [1, 0, 0, 1], [1, 0, 1, 0]])  # (n, d_k)
values = np.array([[0.0, 0], [1, 0], [0, 1]])  # (n, d_v)

scores = query @ keys.T  # (1, n)
divided = scores / np.sqrt(4)
exponentials = np.exp(divided)
weights = exponentials / exponentials.sum()
output = weights @ values  # (1, d_v)

print("puntuaciones: ", *(number(each) for each in scores[0]))
print("divididas:    ", *(number(each) for each in divided[0]))
print("exponenciales:", *(number(value, 2) for value in exponentials[0]), "· suma", number(exponentials.sum(), 2))
print("pesos:        ", *(number(weight, 3) for weight in weights[0]))
print("salida:       ", *(number(value, 3) for value in output[0]))

# %% [markdown]
# *Gato* se lleva un peso de 0.665, *duerme* se queda con 0.245 y *el* con 0.090. El vector nuevo de *duerme* es $(0.665, 0.245)$: sigue diciendo «acción», pero ahora dice también que la hace un animal. Eso es la atención. La biblioteca del curso hace lo mismo en una línea:

# %%
library_output, library_weights = attention(query, keys, values)
print(np.allclose(library_output, output), np.allclose(library_weights, softmax(divided)))

# %% [markdown]
# ## Resumen
#
# 1. El Transformer repite un bloque: atención, red por posición, y alrededor sumas y normalizaciones.
# 2. Atender es puntuar, dividir, repartir y mezclar.
# 3. Las varianzas de cosas independientes se suman; las desviaciones, no.
# 4. Las pendientes se multiplican por el camino, y una casi nula lo apaga todo.
# 5. Apuesta antes de arrastrar, y lee lo que te dice la comprobación.

# %% [markdown]
# ## Términos
#
# | español | inglés | en una línea |
# |---|---|---|
# | consulta | *query* | lo que un token pregunta |
# | clave | *key* | lo que un token ofrece para que lo encuentren |
# | valor | *value* | lo que un token aporta si lo encuentran |
# | puntuación | *score* | el producto de una consulta por una clave |
# | peso | *weight* | la parte que le toca a cada valor |
# | token | *token* | una palabra o un trozo de palabra: la unidad en que se corta el texto |
# | red por posición | *position-wise network* | la red que transforma cada token por separado |
#
# Todos los términos están en el [glosario](90_glosario.ipynb).

# %% [markdown]
# ## Fuentes
#
# - Vaswani y otros (2017), *Attention Is All You Need*: el bloque y su notación.
# - Bishop y Bishop (2024), *Deep Learning: Foundations and Concepts*, capítulo 12.
#
# **Siguiente lección:** [1 · La saturación de la softmax](01_saturacion_softmax.ipynb).

# %% tags=["colophon"]
from bloque.colophon import colophon

colophon(0)

