# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 5 · El bloque completo
#
# [English](../en/05_full_block.ipynb) · unos 28 minutos, sin contar los ejercicios
#
# Al terminar podrás:
#
# - montar el bloque entero y decir qué hace cada parte y cuáles mezclan posiciones;
# - contar sus parámetros y explicar por qué tres cuentas correctas del mismo bloque no coinciden;
# - cerrar el futuro con una máscara y reconocer tres maneras de hacerlo mal.

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

import bloque
from bloque import number
from bloque.checks import check
from bloque.lessons import full_block as lesson
from bloque.quiz import quiz, score

# %% [markdown]
# ## La pregunta
#
# La atención saca promedios. Cada fila de su salida es una media ponderada de las filas de $V$, y después viene otra matriz. Los pesos los decide la softmax, pero los valores solo pasan por aplicaciones lineales. Si una capa solo lleva información de un sitio a otro, **¿qué la convierte en algo nuevo?**
#
# El bloque tiene una segunda mitad para eso, y es la que más pesos tiene.

# %% [markdown]
# ## La red por posición
#
# $$\mathrm{FFN}(x) = \max(0,\; x W_1 + b_1)\, W_2 + b_2$$
#
# Entra una fila de ancho $d_{\mathrm{model}}$. $W_1$ la ensancha hasta $d_{\mathrm{ff}}$, que suele ser cuatro veces más; el $\max$, que se llama **ReLU**, pone a 0 lo que salió negativo; $W_2$ la devuelve a su ancho. Es la misma red para todas las posiciones, y ninguna posición ve a otra.
#
# Esa última frase se puede comprobar. Tocamos la fila 2 de la entrada y miramos qué filas de la salida cambian, primero en la red y luego en la atención.

# %%
rng = np.random.default_rng(5)
n, d_model, heads, d_ff = 6, 8, 2, 20
X = rng.standard_normal((n, d_model))
block = bloque.block_parameters(d_model, heads, d_ff, seed=6)
touched = X.copy()
touched[2] += rng.standard_normal(d_model)

network_change = bloque.feed_forward(touched, *block.feed_forward) - bloque.feed_forward(X, *block.feed_forward)
attention_change = (
    bloque.multi_head_attention(touched, block.attention, heads)[0] - bloque.multi_head_attention(X, block.attention, heads)[0]
)
print("red:     ", *[number(float(c), 2) for c in abs(network_change).max(axis=1)])
print("atención:", *[number(float(c), 2) for c in abs(attention_change).max(axis=1)])

# %% [markdown]
# En la red solo cambia la fila 2. En la atención cambian todas. Así se reparten el trabajo: **la atención lleva información de unas posiciones a otras; la red cambia cada posición por su cuenta, con una no linealidad.**
#
# Ahora, los pesos. Sin sesgos, la atención tiene cuatro matrices de $d_{\mathrm{model}}^2$ y la red tiene dos de $d_{\mathrm{model}} \cdot d_{\mathrm{ff}}$.

# %%
attention_weights = 4 * 512**2
network_weights = 2 * 512 * 2048
print("atención:", number(attention_weights), " red:", number(network_weights), " razón:", number(network_weights // attention_weights))

# %% [markdown]
# 1 048 576 contra 2 097 152: con $d_{\mathrm{ff}} = 4\,d_{\mathrm{model}}$, la red tiene el doble.

# %% [markdown]
# ## Tres totales correctos
#
# Busca cuántos **parámetros**, números que se aprenden, tiene un bloque con las medidas base del artículo y encontrarás tres números. Los tres están bien: cuentan cosas distintas.

# %%
without_extras = bloque.count_parameters(512, 8, 2048, feed_forward_bias=False, norms=False)
with_norms = bloque.count_parameters(512, 8, 2048)
with_all = bloque.count_parameters(512, 8, 2048, attention_bias=True)
for name, count in (("solo matrices", without_extras), ("+ sesgos de la red, normas", with_norms), ("+ sesgos de la atención", with_all)):
    print(f"{number(count.total)}  {name}")

# %% [markdown]
# - **3 145 728** cuenta las seis matrices y nada más.
# - **3 150 336** añade los dos sesgos de la red y las $\gamma$ y $\beta$ de las dos normas. Es lo que construye la biblioteca si no le dices otra cosa.
# - **3 152 384** añade además cuatro sesgos en la atención. Es lo que cuenta la capa de codificador de PyTorch.
#
# Antes de comparar dos cuentas, pregunta de cuál se trata. Y fíjate en lo que no aparece en ninguna: la longitud de la frase. El bloque sirve para diez tokens o para diez mil con los mismos pesos. Lo que sí depende de la longitud máxima es la tabla de posiciones que aprenden BERT y GPT-2, que está fuera de los bloques.
#
# Las pilas salen con una multiplicación:

# %%
print("6 bloques, con sesgos de la red y normas:", number(6 * with_norms.total))
print("12 bloques, solo matrices:", number(12 * without_extras.total))

# %% [markdown]
# Seis bloques de los de la segunda cuenta suman 18 902 016, y doce de los de la primera, 37 748 736.

# %% [markdown]
# ## Cuéntalo tú
#
# **Una apuesta antes de tocar nada.** De los parámetros de uno de esos bloques, ¿qué porcentaje está en la red?
#
# Fíjate en esto:
#
# - sube $n$: no se mueve ningún parámetro; las puntuaciones y los mapas crecen con su cuadrado;
# - mueve las cabezas: solo cambian los mapas;
# - elige BERT o GPT-2: su total es la cuenta exacta de los pesos publicados, al lado de la cifra de su artículo.
#
# Aquí se cuentan todos los sesgos, también los de la atención; por eso seis bloques suman algo más que arriba. La letra G quiere decir miles de millones.

# %%
lesson.counting()

# %% [markdown]
# Los mismos modelos en una tabla, para leer de una vez los totales exactos:

# %%
for name in lesson.PRESETS:
    print(f"{lesson.preset_name(name):18} {number(lesson.preset_parameters(name).total):>13}   {lesson.PRESETS[name].published}")

# %% [markdown]
# BERT base suma 109 482 240, con las tablas de tokens, de posiciones y de segmentos y con el *pooler*, una matriz al final; el grande, 335 141 888. Los cuatro GPT-2 suman 124 439 808, 354 823 168, 774 030 080 y 1 557 611 200, donde la última matriz, la que da una puntuación a cada token, es la misma tabla de tokens, de modo que no añade nada. Los dos modelos del artículo suman 63 082 496 y 214 245 376 con un vocabulario compartido de 37 000 piezas, y no se sabe por qué no coinciden con sus cifras redondas, 65M y 213M, porque el artículo no detalla las partes.

# %% [markdown]
# ## El orden
#
# Toma la atención sola y desordena las filas que entran. Salen las mismas filas, desordenadas igual. Se dice que la atención es **equivariante**.

# %%
shuffle = rng.permutation(n)
straight = bloque.multi_head_attention(X, block.attention, heads)[0]
shuffled = bloque.multi_head_attention(X[shuffle], block.attention, heads)[0]
print("mayor diferencia al deshacer el desorden < 1e−12:", bool(abs(shuffled - straight[shuffle]).max() < 1e-12))

# %% [markdown]
# Así que *el perro muerde al hombre* y *el hombre muerde al perro* dan los mismos vectores, solo que en otro orden: el de *perro* es el mismo en las dos. El orden hay que ponerlo desde fuera, y el artículo suma a cada token una fila que depende de su posición $t$: senos y cosenos alternados, de ondas cada vez más lentas. Es la **codificación posicional**.
#
# $$\mathrm{PE}(t, 2i) = \sin\!\left(t / 10000^{2i/d_{\mathrm{model}}}\right), \qquad \mathrm{PE}(t, 2i+1) = \cos\!\left(t / 10000^{2i/d_{\mathrm{model}}}\right)$$

# %%
for position, row in enumerate(bloque.positional_encoding(2, 4)):
    print("posición", position, *[number(float(value), 5) for value in row])

# %% [markdown]
# Seno, coseno, seno, coseno: en la posición 1, la pareja rápida ya ha girado hasta 0.84147 y 0.54030, mientras que la lenta apenas se ha movido: 0.01000 y 0.99995.
#
# ¿Por qué ondas? Porque el producto de dos filas depende solo de lo lejos que están: $\sin a \sin b + \cos a \cos b = \cos(a - b)$, pareja por pareja.
#
# Fíjate en esto:
#
# - arrastra la posición: la línea horizontal recorre el mapa y la curva de la derecha no se mueve;
# - ensancha $d_{\mathrm{model}}$: hay más parejas que sumar, así que los productos crecen y la curva baja con menos altibajos.

# %%
lesson.positions()

# %% [markdown]
# La codificación posicional se suma **una vez, antes del primer bloque**. Después la conexión residual la lleva por toda la pila (lección 4). Sumarla después de la primera atención es un error frecuente: esa atención ya ha promediado sin conocer el orden. La misma prueba lo delata.

# %%
positions = bloque.positional_encoding(n, d_model)


def attend(rows):
    return bloque.multi_head_attention(rows, block.attention, heads)[0]


before = abs(attend(X[shuffle] + positions) - attend(X + positions)[shuffle]).max()
after = abs(attend(X[shuffle]) - attend(X)[shuffle]).max()
print("sumada antes: ¿cambia el orden lo que encuentra la atención?", bool(before > 1e-6))
print("sumada después: ¿cambia el orden lo que encuentra la atención?", bool(after > 1e-6))

# %% [markdown]
# ## Cerrar el futuro
#
# Un decodificador escribe token a token. Al entrenar, en cambio, recibe la frase entera de golpe, para aprender de todas las posiciones en una pasada. Si la posición 2 pudiera mirar a la 3, copiaría la respuesta. Así que hay que cerrar el futuro: la posición $i$ puede mirarse a sí misma y a lo que vino antes.

# %%
print(np.where(bloque.causal_mask(4), "·", "x"))

# %% [markdown]
# `True` (aquí, un punto) quiere decir *puede mirar*; la x es un sitio cerrado. Cerrarlo es hacer que su peso valga 0, y la softmax solo da un 0 exacto a una puntuación: $-\infty$. Por eso se suma $-\infty$ **antes** de la softmax.
#
# Verás también otras maneras. **Apuesta primero**: las puntuaciones son 2, 1 y 0.5, y hay que cerrar la tercera. Alguien la multiplica por 0. ¿Qué peso le queda?
#
# Fíjate en esto, con la consulta 2 (la figura cuenta desde 1):
#
# - puntuaciones por 0: el sitio cerrado conserva un peso, con trama cruzada, porque 0 es una puntuación como cualquier otra;
# - 0 después de la softmax: el sitio cerrado queda a 0, pero la fila ya no suma 1;
# - dividir después entre la suma lo arregla, y da los mismos números que el $-\infty$ de antes.

# %%
lesson.masks()

# %% [markdown]
# La misma fila, en números:

# %%
mask = bloque.causal_mask(3)
print("puntuaciones ", *[number(float(s), 1) for s in lesson.SCORES[1]])
for name, way in zip(("antes", "multiplicada", "después", "renormalizada"), lesson.WAYS.values(), strict=True):
    weights = way(lesson.SCORES, mask)[1]
    print(f"{name:13}", *[number(float(w), 4) for w in weights], " suma", number(float(weights.sum()), 4))

# %% [markdown]
# Al multiplicar, el sitio cerrado conserva un peso de 0.0900. Si la máscara va después de la softmax, queda una fila que suma 0.8598. Con $-\infty$ antes, o dividiendo después entre la suma, la fila es 0.7311, 0.2689, 0.
#
# ¿Y una fila con todo cerrado? No hay entre qué repartir, y la fórmula da $0/0$. La biblioteca le pone pesos 0 y salida 0, y no toca las demás filas:

# %%
closed = np.ones((n, n), dtype=bool)
closed[1] = False
output, weights = bloque.attention(X, X, X, mask=closed)
print("pesos de la fila 1:", *[number(float(w), 1) for w in weights[1]], " algún NaN:", bool(np.isnan(output).any()))

# %% [markdown]
# ## El dibujo del artículo
#
# Ya puedes leer entera la figura 1 del artículo. Tiene 15 cajas: seis en el codificador, ocho en el decodificador, y la salida, con lineal y softmax juntas (por separado son 16). Cinco son *suma y norma*. Tres mezclan posiciones. Doce no.
#
# Elige una caja en el control o pulsa sobre ella.
#
# - Elige una *suma y norma*: se enciende su línea residual. Síguela hacia atrás para ver qué trae.
# - Enciende las que mezclan: todo lo demás del Transformer trabaja fila a fila.
# - La atención cruzada es la única caja que recibe algo de la otra columna.

# %%
lesson.drawing()

# %% [markdown]
# Las tres cuentas, hechas con la misma tabla que dibuja la figura:

# %%
boxes = lesson.BOXES
norms = [name for name in boxes if "norm" in name]
mixing = [name for name, box in boxes.items() if box.mixes]
print("cajas:", len(boxes), " suma y norma:", len(norms), " mezclan posiciones:", len(mixing), " no mezclan:", len(boxes) - len(mixing))
print("con lineal y softmax por separado:", len(boxes) + 1)

# %% [markdown]
# ## Dónde va la norma, en una pila profunda
#
# El dibujo dice post-norm: $\mathrm{LayerNorm}(x + \mathrm{Sublayer}(x))$. Casi todo el código de hoy dice pre-norm: $x + \mathrm{Sublayer}(\mathrm{LayerNorm}(x))$. Las dos aprenden, pero post-norm pide un **calentamiento**, más aún en una pila profunda: una tasa de aprendizaje (el tamaño de los pasos) que empieza diminuta y crece. ¿Por qué?
#
# Medimos la norma del gradiente que recibe la $W_2$ de cada bloque, $\lVert \partial W_2 \rVert$, antes de entrenar nada, con gradientes exactos, en pilas de 4 a 48 bloques y con cinco semillas (cinco sorteos de los pesos).
#
# Fíjate en esto:
#
# - con 4 bloques, las dos curvas están cerca;
# - arrastra hasta 48: el último cuadrado se hunde y el último círculo se queda donde estaba;
# - las líneas finas son semillas sueltas: las de post-norm se separan mucho más que las de pre-norm.

# %%
lesson.depth()

# %%
gradients = lesson.stored_gradients()
for depth in (12, 48):
    post, pre = (float(np.median(gradients[norm][depth][:, -1])) for norm in ("post", "pre"))
    print(f"{depth} bloques, última W₂: post {number(post, 1)}, pre {number(pre, 1)}")
print("si cayera como 1/√profundidad:", number(float(np.median(gradients["pre"][12][:, -1])) * (12 / 48) ** 0.5, 1))

# %% [markdown]
# Con pre-norm, el último bloque recibe 23.9 en la pila de 12 y 10.7 en la de 48: más o menos lo que predice $1/\sqrt{\text{profundidad}}$, 11.9. La suma crece con la profundidad, las normas dividen entre su desviación y cada bloque cuenta menos. Con post-norm recibe 75.1 y 71.8: casi lo mismo con 12 bloques que con 48. En los primeros pasos empujan todos a la vez, y el cambio de todos juntos puede ser demasiado grande si la tasa de aprendizaje no empieza pequeña. Para eso está el calentamiento. Xiong y otros (2020) lo demuestran para la última capa al empezar el entrenamiento; en los bloques de más abajo, post-norm depende del sorteo, como has visto.
#
# Estos gradientes salen de la pasada hacia atrás de las propias piezas. Comprobemos uno a empujones, a lo largo de una dirección al azar.

# %%
d, small_heads = 8, 2
stack = [bloque.block_parameters(d, small_heads, 16, seed=s) for s in (1, 2, 3)]
rows, target = rng.standard_normal((5, d)), rng.standard_normal((5, d))
direction = rng.standard_normal(stack[0].feed_forward.W2.shape)


def loss(step):
    # _replace: una copia del bloque con otra W2
    first = stack[0]._replace(feed_forward=stack[0].feed_forward._replace(W2=stack[0].feed_forward.W2 + step * direction))
    return float((bloque.encoder(rows, [first, *stack[1:]], small_heads) * target).sum())


kept, x = [], rows
for parameters in stack:
    x, of_block = bloque.encoder_block_forward(x, parameters, small_heads)
    kept.append(of_block)
_, by_block = bloque.encoder_backward(target, kept)
exact = float((by_block[0].feed_forward.W2 * direction).sum())
measured = (loss(1e-5) - loss(-1e-5)) / 2e-5
print("exacto", number(exact, 4), " medido", number(measured, 4))

# %% [markdown]
# ## Un modelo real
#
# El bloque de esta lección es el de los modelos que se usan. Vamos a comprobarlo con uno: `multilingual-e5-small` (Wang y otros, 2024), el de la lección 3. Tiene post-norm, GELU (una ReLU de codo redondeado) y pesos ya entrenados. No trae código: le prestamos el nuestro. La celda escribe un bloque con las piezas del curso, y con él funcionan todas las capas del modelo. Cámbialo y mira qué pasa. El **coseno** del ángulo entre los vectores de dos frases dice cuánto se parecen: 1 si apuntan igual.

# %%
from bloque.lessons import real_heads
from bloque.model import load


def own_block(x, parameters, heads, activation, eps):
    attention, attention_norm, network, network_norm = parameters
    x = bloque.layer_norm(x + bloque.multi_head_attention(x, attention, heads)[0], *attention_norm, eps)
    return bloque.layer_norm(x + bloque.feed_forward(x, *network, activation), *network_norm, eps)


real_heads.own_block_runs_model(own_block)

# %% [markdown]
# *Mañana voy al médico* y *I am going to the doctor tomorrow* quedan a un coseno de 0.952; *Mañana voy al médico* y *The cat is sleeping on the sofa*, a 0.692. Con los mismos pesos y las piezas en otro orden, como en pre-norm, ya no es ese modelo:

# %%
def other_order(x, parameters, heads, activation, eps):
    attention, attention_norm, network, network_norm = parameters
    x = x + bloque.multi_head_attention(bloque.layer_norm(x, *attention_norm, eps), attention, heads)[0]
    return x + bloque.feed_forward(bloque.layer_norm(x, *network_norm, eps), *network, activation)


real_heads.own_block_runs_model(other_order)

# %% [markdown]
# Los dos cosenos salen 0.997: el modelo ya no distingue una frase de otra.
#
# De vuelta al bloque bueno, ahora con todas las frases: 8 en español y sus gemelas en inglés. El vector de una frase es la media de sus filas, llevada a longitud 1.

# %%
real_heads.sentence_pairs(own_block)

# %% [markdown]
# Las 8 encuentran a su gemela. Fíjate en la escala: dos frases que no tienen nada que ver también se quedan en 0.773 de media. En este modelo un coseno alto no dice nada por sí solo; lo que cuenta es la diferencia.
#
# Ahora, a quitarle piezas. Es el mismo modelo, ya entrenado con todas ellas; no sabemos qué habría aprendido sin alguna. Lo que se ve es qué trabajo hace cada una en él. La entropía (lección 1) va aquí en bits, con logaritmos de base 2.
#
# Fíjate en esto:
#
# - sin dividir entre $\sqrt{d_k}$, la entropía baja en todas las capas: los pesos se concentran;
# - sin la conexión residual, en pocas capas todas las filas son la misma y los pesos se reparten por igual: ya no hay a quién mirar;
# - sin la norma, los números crecen hasta que cada fila mira un solo token.

# %%
real_heads.ablations()

# %% [markdown]
# Las cifras, en la capa 4, para la misma frase. La entropía es la de la lección 1, con el logaritmo en base 2: sale en bits. La *semejanza* es la semejanza mutua de la lección 4.

# %%
missing = (("division", "sin la división"), ("residual", "sin la conexión residual"), ("norm", "sin la norma"))

print("capa 4                    entropía, bits semejanza  desviación")
for part, name in (((), "el modelo entero"), *missing):
    trace = load().trace("Me senté en el banco de mi jardín.", without=part)
    bits = number(real_heads.entropies(trace.maps)[3], 2)
    alike = number(real_heads.similarities(trace.states)[4], 3)
    spread = number(real_heads.deviations(trace.states)[4], significant=2)
    print(f"{name:24}  {bits:>14}  {alike:>8}  {spread:>10}")

# %% [markdown]
# Y ahora, las gemelas que se encuentran cuando falta cada pieza:

# %%
for part, name in missing:
    found = real_heads.twins_found(real_heads.cosines(without=part))
    print(f"{name}: {found} gemelas de 8")

# %% [markdown]
# - Sin la división, la entropía pasa de 1.61 a 0.18 bits. Y aun así las 8 gemelas se encuentran. Quitarle la división a este modelo, que ya ha aprendido, le cambia los mapas, pero no este resultado. Otra cosa es aprender sin ella: lo prueba la lección 6.
# - Sin la conexión residual, la semejanza de los tokens es 1.000: es el colapso de rango de la lección 4, en un modelo de verdad. La entropía, 3.69 bits, está junto al máximo. No se encuentra ninguna gemela.
# - Sin la norma, la desviación ya va por 373, y la entropía es 0.00: la softmax está saturada en todas las filas. No se encuentra ninguna gemela.

# %% [markdown]
# ## Errores frecuentes
#
# - **La posición sumada tras la primera atención.** Esa atención es ciega al orden. Para verlo: desordena las filas.
# - **Puntuaciones multiplicadas por 0.** El futuro se escapa. Para verlo: mira el peso de un sitio cerrado.
# - **La máscara después de la softmax.** Filas que no suman 1. Para verlo: súmalas.
# - **La máscara al revés.** En una biblioteca `True` conserva y en otra quita. Para verlo: la primera fila de la máscara causal tiene que dejar un solo peso, y debe valer 1.
# - **Más cabezas con el mismo ancho.** Los pesos se multiplican por $h$ (lección 3). Para verlo: cuéntalos.
# - **Post-norm en una pila profunda sin calentamiento.** Para verlo: la lección 6 la entrena.
# - **Mitades en vez de parejas.** Poner todos los senos y después todos los cosenos es otra disposición. Funciona si es la misma en todas partes; con los pesos de otro, no.

# %% [markdown]
# ## Ejercicios
#
# Cambia cada `...` por tu expresión y ejecuta la celda. Si algo falla, la comprobación te dirá a qué error conocido se parece.
#
# ### Ejercicio 1 · `feed_forward`
#
# ●○○ · 5 minutos
#
# Escribe `feed_forward(x, W1, b1, W2, b2)`: $\max(0, xW_1 + b_1)W_2 + b_2$.
#
# <details><summary>Pista 1</summary>
#
# Ponle nombre a la fila ancha; lo demás es una línea.
#
# </details>
# <details><summary>Pista 2</summary>
#
# El `max` de un array da un solo número. Necesitas el mayor de dos, elemento a elemento.
#
# </details>
# <details><summary>Pista 3</summary>
#
# `np.maximum`.
#
# </details>

# %% tags=["exercise"]
def feed_forward(x, W1, b1, W2, b2):
    hidden = ...
    return ...


check("feed_forward", feed_forward)

# %% [markdown]
# <details><summary>Solución</summary>
#
# ```python
# def feed_forward(x, W1, b1, W2, b2):
#     hidden = np.maximum(0, x @ W1 + b1)
#     return hidden @ W2 + b2
# ```
#
# </details>

# %% [markdown]
# ### Ejercicio 2 · `causal_mask`
#
# ●○○ · 4 minutos
#
# Escribe `causal_mask(n)`: un array `(n, n)` de booleanos, con `True` donde la posición de la fila $i$ puede mirar a la de la columna $j$.
#
# <details><summary>Pista 1</summary>
#
# Haz a mano la tabla de tres tokens.
#
# </details>
# <details><summary>Pista 2</summary>
#
# Basta con los números de fila y de columna: ¿qué comparación se cumple en los sitios abiertos?
#
# </details>
# <details><summary>Pista 3</summary>
#
# `np.arange(n)` como columna contra `np.arange(n)` como fila.
#
# </details>

# %% tags=["exercise"]
def causal_mask(n):
    row = np.arange(n)[:, None]
    column = np.arange(n)[None, :]
    return ...


check("causal_mask", causal_mask)

# %% [markdown]
# <details><summary>Solución</summary>
#
# ```python
# def causal_mask(n):
#     row = np.arange(n)[:, None]
#     column = np.arange(n)[None, :]
#     return column <= row
# ```
#
# </details>

# %% [markdown]
# ### Ejercicio 3 · `masked_attention`
#
# ●●○ · 8 minutos
#
# Escribe `masked_attention(queries, keys, values, mask)`. `mask` es booleana: `True` quiere decir que puede mirar, y cada fila permite al menos un sitio. Devuelve la salida y los pesos. Puedes usar `bloque.softmax`.
#
# <details><summary>Pista 1</summary>
#
# Solo una línea se distingue de la atención sin máscara.
#
# </details>
# <details><summary>Pista 2</summary>
#
# ¿Qué puntuación da un peso exactamente igual a 0?
#
# </details>
# <details><summary>Pista 3</summary>
#
# `np.where(mask, …, …)`: la puntuación donde está abierto y otra cosa donde está cerrado.
#
# </details>

# %% tags=["exercise"]
def masked_attention(queries, keys, values, mask):
    scores = queries @ keys.T / np.sqrt(queries.shape[-1])
    scores = ...
    weights = bloque.softmax(scores)
    return weights @ values, weights


check("masked_attention", masked_attention)

# %% [markdown]
# <details><summary>Solución</summary>
#
# ```python
# def masked_attention(queries, keys, values, mask):
#     scores = queries @ keys.T / np.sqrt(queries.shape[-1])
#     scores = np.where(mask, scores, -np.inf)
#     weights = bloque.softmax(scores)
#     return weights @ values, weights
# ```
#
# </details>

# %% [markdown]
# ### Ejercicio 4 · `positional_encoding`
#
# ●●○ · 8 minutos
#
# Escribe `positional_encoding(n, d_model)`, con `d_model` par: senos en las columnas pares, cosenos en las impares.
#
# <details><summary>Pista 1</summary>
#
# Un seno y el coseno de al lado comparten el ángulo, así que hay `d_model / 2` ángulos por posición.
#
# </details>
# <details><summary>Pista 2</summary>
#
# El exponente de la pareja $i$ es $2i/d_{\mathrm{model}}$, es decir, `np.arange(0, d_model, 2) / d_model`.
#
# </details>
# <details><summary>Pista 3</summary>
#
# `encoding[:, 0::2]` son las columnas pares, y puedes darles valores con un `=`.
#
# </details>

# %% tags=["exercise"]
def positional_encoding(n, d_model):
    angles = np.arange(n)[:, None] / ...
    encoding = np.empty((n, d_model))
    encoding[:, 0::2] = ...
    encoding[:, 1::2] = ...
    return encoding


check("positional_encoding", positional_encoding)

# %% [markdown]
# <details><summary>Solución</summary>
#
# ```python
# def positional_encoding(n, d_model):
#     angles = np.arange(n)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
#     encoding = np.empty((n, d_model))
#     encoding[:, 0::2] = np.sin(angles)
#     encoding[:, 1::2] = np.cos(angles)
#     return encoding
# ```
#
# </details>

# %% [markdown]
# ### Ejercicio 5 · `pre_norm_block`
#
# ●●○ · 8 minutos
#
# Es el último ejercicio de la lección 4. Escríbelo otra vez sin volver a mirarlo, ahora que has visto qué cambia en una pila profunda: `pre_norm_block(x, attention, W1, b1, W2, b2)`, con la norma delante de cada subcapa. `attention` es una función que ya está hecha, de `(n, d)` a `(n, d)`. Usa `bloque.layer_norm(x)` y `bloque.feed_forward`.
#
# <details><summary>Pista 1</summary>
#
# El camino de $x$ debe ir de punta a punta sin nada más que sumas.
#
# </details>
# <details><summary>Pista 2</summary>
#
# Lo que se normaliza es lo que **entra** en cada subcapa.
#
# </details>
# <details><summary>Pista 3</summary>
#
# La segunda subcapa parte de la suma que dejó la primera.
#
# </details>

# %% tags=["exercise"]
def pre_norm_block(x, attention, W1, b1, W2, b2):
    x = x + ...
    return x + ...


check("pre_norm_block", pre_norm_block)

# %% [markdown]
# <details><summary>Solución</summary>
#
# ```python
# def pre_norm_block(x, attention, W1, b1, W2, b2):
#     x = x + attention(bloque.layer_norm(x))
#     return x + bloque.feed_forward(bloque.layer_norm(x), W1, b1, W2, b2)
# ```
#
# </details>

# %% [markdown]
# ### Ejercicio 6 · `count_parameters`
#
# ●○○ · 6 minutos
#
# Escribe `count_parameters(d_model, heads, d_ff, layers)`: atención sin sesgos, red con sus dos sesgos y dos normas por bloque.
#
# <details><summary>Pista 1</summary>
#
# Uno de los cuatro argumentos no entra en la cuenta.
#
# </details>
# <details><summary>Pista 2</summary>
#
# Los sesgos de la red no miden lo mismo.
#
# </details>
# <details><summary>Pista 3</summary>
#
# Cada norma tiene una $\gamma$ y una $\beta$, las dos tan largas como una fila.
#
# </details>

# %% tags=["exercise"]
def count_parameters(d_model, heads, d_ff, layers):
    attention = 4 * d_model**2
    network = ...
    norms = ...
    return layers * (attention + network + norms)


check("count_parameters", count_parameters)

# %% [markdown]
# <details><summary>Solución</summary>
#
# ```python
# def count_parameters(d_model, heads, d_ff, layers):
#     attention = 4 * d_model**2
#     network = 2 * d_model * d_ff + d_ff + d_model
#     norms = 2 * 2 * d_model
#     return layers * (attention + network + norms)
# ```
#
# </details>

# %% [markdown]
# ## Preguntas
#
# Sin prisa y sin nota. Cada opción explica por qué vale o por qué no, y puedes volver a intentarlo.

# %%
quiz("lesson5")

# %%
score("lesson5")

# %% [markdown]
# ## Resumen
#
# 1. La atención lleva información de unas posiciones a otras; la red cambia cada posición por su cuenta. Con $d_{\mathrm{ff}} = 4\,d_{\mathrm{model}}$, la red tiene el doble de pesos.
# 2. Hay tres totales correctos de un mismo bloque, porque cuentan cosas distintas. Ninguno depende de la longitud.
# 3. La atención sola no conoce el orden: la posición se suma una vez, antes del primer bloque.
# 4. Para cerrar un sitio, se pone su puntuación a $-\infty$ antes de la softmax. Multiplicarla por 0 deja escapar peso, y poner la máscara después de la softmax rompe la suma.
# 5. En una pila profunda, pre-norm hace que cada bloque cuente menos; post-norm no, y por eso pide calentamiento.
#
# ## Términos
#
# | español | inglés | en una línea |
# |---|---|---|
# | red por posición | *position-wise network* | dos matrices y una no linealidad, las mismas para cada fila; también *feed-forward network* |
# | máscara | *mask* | dice qué claves puede mirar cada consulta |
# | equivarianza | *equivariance* | si se desordena lo que entra, lo que sale se desordena igual |
# | codificación posicional | *positional encoding* | una fila por posición, sumada a los embeddings |
# | calentamiento | *warm-up* | una tasa de aprendizaje que empieza diminuta y crece durante los primeros pasos |
#
# Todos los términos están en el [glosario](90_glosario.ipynb).
#
# ## Fuentes
#
# - Vaswani y otros (2017), *Attention Is All You Need*: secciones 3.1, 3.3 y 3.5, figura 1, tabla 3.
# - Xiong y otros (2020), *On Layer Normalization in the Transformer Architecture*: sección 3.
# - Wang y otros (2024), *Multilingual E5 Text Embeddings: A Technical Report*: el modelo real.
# - Devlin y otros (2018), *BERT*: sección 3. Radford y otros (2019), *Language Models are Unsupervised Multitask Learners*: tabla 2, y la nota de su código sobre las cuentas corregidas.
#
# **Siguiente lección:** [6 · Que aprenda](06_que_aprenda.ipynb).

# %% tags=["colophon"]
from bloque.colophon import colophon

colophon(5)
