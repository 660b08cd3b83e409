# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 2 · Por qué √d_k
#
# [English](../en/02_sqrt_dk.ipynb) · unos 28 minutos, sin contar los ejercicios
#
# Al terminar podrás:
#
# - deducir, sin saltarte ningún paso, por qué las puntuaciones se dividen entre $\sqrt{d_k}$ y no entre otra cosa;
# - decir qué consultas aprenden y cuáles no cuando se quita la división;
# - reconocer cuándo el argumento deja de valer.

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

from bloque import attention, attention_backward, layer_norm, number, positional_encoding, softmax
from bloque.checks import check
from bloque.lessons import sqrt_dk as lesson
from bloque.quiz import quiz, score

# %% [markdown]
# ## La pregunta
#
# Esta es la atención, en una línea:
#
# $$\operatorname{Attention}(Q, K, V) = \operatorname{softmax}\!\left(\frac{Q\,K^{\mathsf T}}{\sqrt{d_k}}\right) V$$
#
# Léela de dentro afuera. Cada consulta se multiplica por cada clave y sale una puntuación. La softmax convierte las puntuaciones en pesos. Los pesos mezclan los valores.
#
# Falta explicar esa raíz. $d_k$ es el número de componentes de cada consulta y de cada clave. **¿Por qué hay que dividir? ¿Y por qué justo entre la raíz de $d_k$?**
#
# Mira primero lo que pasa sin dividir. Una consulta y ocho claves, todas al azar, con $d_k = 64$:

# %%
rng = np.random.default_rng(0)
query, keys = rng.standard_normal(64), rng.standard_normal((8, 64))
scores = keys @ query  # (8,)
print("puntuaciones:  ", *(f"{number(each, 1):>6}" for each in scores))
print("pesos:         ", *(f"{number(each, 3):>6}" for each in softmax(scores)))
print("pesos con ÷ 8: ", *(f"{number(each, 3):>6}" for each in softmax(scores / 8)))

# %% [markdown]
# Nadie ha entrenado nada y una sola clave ya se lleva casi todo, por azar. La lección 1 dice lo que eso significa: a una softmax tan decidida apenas le queda pendiente. Al dividir entre 8, que es la raíz de 64, el peso se reparte.
#
# Pero un solo sorteo, una *tirada*, no demuestra nada. Hay que saber cuánto mide $q \cdot k$ en general.

# %% [markdown]
# ## Predice y arrastra: ¿cuánto mide q·k?
#
# Pongamos lo más sencillo: los componentes de $q$ y de $k$ son independientes, tienen media 0 y varianza 1. Entonces $q \cdot k$ vale 0 de media, y su tamaño habitual es su **desviación típica**, la raíz de la varianza.
#
# Con $d_k = 4$ vale 2. **¿Cuánto valdrá con $d_k = 256$?** Apuesta primero y arrastra después.
#
# - Fíjate en la izquierda: el eje no cambia; el histograma, sí.
# - Fíjate en el centro: es el mismo histograma, dividido entre $\sqrt{d_k}$.
# - Baja a $d_k = 1$ y a $d_k = 2$. La curva negra es la **normal** de esa misma anchura: la campana que sale al sumar muchas cosas independientes. Ahí no encaja: el pico del histograma es más alto y sus colas, más largas. De eso habla la *curtosis* del pie, que se explica más abajo: déjala por ahora.

# %%
lesson.width()

# %% [markdown]
# La anchura crece, aunque despacio: con el cuádruple de componentes, solo el doble de anchura. Y dividida entre $\sqrt{d_k}$ se queda quieta. Veamos por qué.

# %% [markdown]
# ## La varianza, paso a paso
#
# Un producto escalar es una suma de $d_k$ productos:
#
# $$q \cdot k = q_1 k_1 + q_2 k_2 + \dots + q_{d_k} k_{d_k}$$
#
# **Paso 1. La media de un sumando.** Se escribe $\mathbb{E}[x]$ para la media de $x$. Como $q_i$ y $k_i$ son independientes, la media del producto es el producto de las medias:
#
# $$\mathbb{E}[q_i k_i] = \mathbb{E}[q_i]\;\mathbb{E}[k_i] = 0 \cdot 0 = 0$$
#
# **Paso 2. La varianza de un sumando.** La varianza es la media del cuadrado menos el cuadrado de la media, y la media acaba de salir 0. Los cuadrados $q_i^2$ y $k_i^2$ también son independientes:
#
# $$\operatorname{Var}(q_i k_i) = \mathbb{E}[q_i^2 k_i^2] - 0^2 = \mathbb{E}[q_i^2]\;\mathbb{E}[k_i^2] = 1 \cdot 1 = 1$$
#
# donde $\mathbb{E}[q_i^2] = \operatorname{Var}(q_i) + \mathbb{E}[q_i]^2 = 1 + 0$. La celda lo mide con un millón de sumandos.

# %%
rng = np.random.default_rng(1)
q, k = rng.standard_normal((2, 1_000_000))  # dos filas: la primera es q; la segunda, k
products = q * k
print("media de los sumandos:   ", number(products.mean(), 2))
print("varianza de los sumandos:", number(products.var(), 2))
print("media de q² × media de k²:", number((q**2).mean() * (k**2).mean(), 2))

# %% [markdown]
# **Paso 3. La varianza de la suma.** Llama $t_i = q_i k_i$ a cada sumando. La suma tiene media 0, porque la tienen todos, así que su varianza es la media de su cuadrado. Al elevarla al cuadrado salen los cuadrados y los productos cruzados:
#
# $$\Bigl(\sum_i t_i\Bigr)^2 = \sum_i t_i^2 + \sum_{i \ne j} t_i\, t_j$$
#
# Los sumandos son independientes entre sí, así que cada cruce tiene media $\mathbb{E}[t_i]\,\mathbb{E}[t_j] = 0$. Solo quedan los cuadrados: $d_k$ de ellos, y la media de cada uno es 1.
#
# $$\operatorname{Var}(q \cdot k) = \underbrace{1 + 1 + \dots + 1}_{d_k} = d_k \qquad\Longrightarrow\qquad \text{desviación} = \sqrt{d_k}$$
#
# La celda separa los dos trozos, con $d_k = 64$. Detrás de ± va un margen de dos **errores típicos**: el error típico es lo que suele apartarse la media de unas tiradas de la media verdadera.

# %%
rng = np.random.default_rng(2)
q, k = rng.standard_normal((2, 20_000, 64))
terms = q * k  # una fila por tirada
squares = (terms**2).sum(axis=1)
crossed = terms.sum(axis=1) ** 2 - squares
print("media de los cuadrados:", number(squares.mean(), 1))
print("media de los cruces:   ", number(crossed.mean(), 1), "± ", end="")
print(number(2 * crossed.std() / np.sqrt(20_000), 1))

# %% [markdown]
# Los cuadrados suman lo que dice la cuenta, 64. Los cruces no salen 0 exacto, pero sí dentro de su margen.
#
# Ahora con varios $d_k$, y con la dispersión a la vista: diez tandas de dos mil tiradas cada una.

# %%
rng = np.random.default_rng(6)
print("  d_k   √d_k   medida   de diez tandas   medida ÷ √d_k")
# "nd,nd->n": multiplica casilla a casilla y suma sobre d, la letra que desaparece
for d_k in (1, 2, 64, 512):
    batches = [np.einsum("nd,nd->n", *rng.standard_normal((2, 2_000, d_k), dtype=np.float32)) for _ in range(10)]
    deviations = [batch.std() for batch in batches]
    whole = np.concatenate(batches).std()
    print(f"{d_k:>5} {number(np.sqrt(d_k), 1):>6} {number(whole, 1):>8}", end="")
    print(f"{number(min(deviations), 1):>9} – {number(max(deviations), 1):<8}{number(whole / np.sqrt(d_k), 1):>9}")

# %% [markdown]
# La desviación es 1.0, 1.4, 8.0 y 22.6. Dividida entre la raíz, 1.0 siempre.
#
# **Paso 4. Dividir.** Al dividir un número al azar entre $c$, su varianza se divide entre $c^2$. Queremos que quede 1:
#
# $$\operatorname{Var}\!\left(\frac{q \cdot k}{c}\right) = \frac{d_k}{c^2} = 1 \qquad\Longrightarrow\qquad c = \sqrt{d_k}$$
#
# Eso es todo el argumento. Cabe en una nota al pie, y allí lo pusieron los autores: Vaswani y otros (2017), nota 4.
#
# **Qué hace falta y qué no.** Hemos usado media 0, varianza 1 e independencia. En ningún paso hemos dicho «normal». La celda prueba tres distribuciones.

# %%
rng = np.random.default_rng(4)
draws = {
    "componentes normales": rng.standard_normal((2, 20_000, 64)),
    "componentes uniformes": rng.uniform(-np.sqrt(3), np.sqrt(3), (2, 20_000, 64)),
    "componentes a cara o cruz": rng.choice([-1.0, 1.0], (2, 20_000, 64)),
}
for name, (q, k) in draws.items():
    print(f"{name:<25} desviación de q·k: {number((q * k).sum(axis=1).std(), 1)}")

# %% [markdown]
# Las tres desviaciones rondan 8, que es la raíz de 64. En cambio, la **forma** del histograma sí depende de la distribución y de $d_k$. Se mide con la curtosis: la media de la cuarta potencia dividida entre la varianza al cuadrado. Una normal tiene 3; más curtosis quiere decir colas más pesadas y, aquí, también un pico más alto.
#
# Si $x$ es normal, con media 0 y varianza 1, $\mathbb{E}[x^4] = 3$. El producto de dos independientes tiene entonces $3 \cdot 3 = 9$: le sobran 6. Al sumar $d_k$ sumandos independientes y con la misma distribución, lo que sobra se divide entre $d_k$:
#
# $$\text{curtosis de } q \cdot k = 3 + \frac{6}{d_k}$$

# %%
for d_k, scores in lesson.scores_by_dimension(200_000, (1, 2, 64), seed=5).items():
    kurtosis = ((scores / scores.std()) ** 4).mean()
    print(f"d_k = {d_k:>2}: curtosis medida {number(kurtosis, 1):>4}, la fórmula dice {number(3 + 6 / d_k, 1)}")

# %% [markdown]
# Con $d_k = 1$ la normal encaja mal; con $d_k = 2$, solo algo mejor; con $d_k = 64$ ya no se distinguen a simple vista. La curva negra de la figura solo describe bien el histograma a partir de unas cuantas dimensiones. La cuenta de la desviación, $\sqrt{d_k}$, vale con cualquier $d_k$ y con cualquier distribución.

# %% [markdown]
# ## Por qué la raíz y no d_k
#
# Si dividir ayuda, ¿no será mejor dividir más? El paso 4 ya lo contesta. Al dividir entre $d_k$, la desviación queda en $\sqrt{d_k} / d_k = 1 / \sqrt{d_k}$: demasiado pequeña, y más pequeña cuanto mayor es $d_k$.

# %%
print("  d_k   sin dividir   ÷ √d_k   ÷ d_k")
for d_k, scores in lesson.scores_by_dimension(20_000, (16, 64, 256, 1024), seed=6).items():
    raw = scores.std()
    print(f"{d_k:>5} {number(raw, 1):>13} {number(raw / np.sqrt(d_k), 2):>8} {number(raw / d_k, 2):>7}")

# %% [markdown]
# Solo la columna del centro se queda quieta. Sin dividir, las puntuaciones se separan cada vez más y la softmax se satura. Al dividir entre $d_k$ se juntan: con $d_k = 1024$ la desviación es 0.03, y todas las claves reciben casi el mismo peso, digan lo que digan.
#
# Dividir de menos es decidir sin motivo. Dividir de más es olvidar lo que se ha visto.

# %% [markdown]
# ## Predice y arrastra: ¿cuánto vale el mayor peso?
#
# Ocho claves al azar. Si el reparto fuera uniforme, cada una tendría un peso de $1/8$.
#
# **Con $d_k = 64$ y sin dividir, ¿cuánto vale, en media, el mayor de los ocho pesos?** Apuesta primero.
#
# - Fíjate arriba a la izquierda: los pesos de una tirada. La línea de puntos es el reparto uniforme.
# - Fíjate arriba a la derecha: la media de muchas tiradas con los tres divisores. La banda recoge el 95 % de los experimentos de cien tiradas.
# - Los dos paneles de abajo son de la sección siguiente. Déjalos para entonces.

# %%
lesson.divisor()

# %% [markdown]
# ¿Y con cuánta seguridad lo sabemos? La celda repite cinco veces un experimento de cien tiradas.

# %%
rng = np.random.default_rng(7)
print("mayor peso medio   sin dividir   ÷ √d_k")
for repeat in range(1, 6):
    queries, keys = rng.standard_normal((100, 64)), rng.standard_normal((100, 8, 64))
    scores = np.einsum("nd,njd->nj", queries, keys)  # ocho claves nuevas en cada tirada
    raw, root = softmax(scores).max(axis=1).mean(), softmax(scores / 8).max(axis=1).mean()
    print(f"experimento {repeat} {number(raw, 2):>16} {number(root, 2):>8}")

# %% [markdown]
# Los cinco están bien hechos y no dan lo mismo. Un número suelto engaña: hacen falta más tiradas y hay que decir cuánto varían.
#
# Hay un atajo. Con $q$ ya fija, $q \cdot k = \sum_i q_i k_i$ es una suma de normales independientes, o sea otra normal, de varianza $\sum_i q_i^2 = \lVert q \rVert^2$. Así que las ocho puntuaciones son $\lVert q \rVert$ por ocho normales de varianza 1. Basta con sortear $\lVert q \rVert$ y esas ocho: 9 números por tirada en lugar de $9 \cdot 64$. Con eso se puede hacer un millón de tiradas.

# %%
raw, root = lesson.largest_weights(64, [1, 8], 1_000_000)
for name, weights in (("sin dividir", raw), ("÷ √d_k", root)):
    experiments = weights.reshape(-1, 100).mean(axis=1)  # diez mil experimentos de cien tiradas
    low, high = np.percentile(experiments, (2.5, 97.5))
    print(f"{name:<12} media {number(weights.mean(dtype=float), 3)}, error típico {number(weights.std() / 1000, 4)}")
    print(f"   con 100 tiradas: desviación {number(experiments.std(), 3)}, el 95 % de {number(low, 2)} a {number(high, 2)}")

# %% [markdown]
# El mayor de los ocho pesos vale, en media, 0.875 sin dividir y 0.360 con $\sqrt{d_k}$. Si haces cien tiradas en tu ordenador, lo normal es que salga algo entre 0.84 y 0.91 sin dividir, y entre 0.34 y 0.38 con la raíz.
#
# Con $d_k = 1024$ la diferencia se agranda. Probamos también el tercer divisor, $d_k$.

# %%
raw, root, whole = lesson.largest_weights(1024, [1, 32, 1024], 400_000, seed=8)
for name, weights in (("sin dividir", raw), ("÷ √d_k", root), ("÷ d_k", whole)):
    print(f"{name:<12} mayor peso {number(weights.mean(dtype=float), 3)}   todo finito: {np.isfinite(weights).all()}")
print("uniforme     mayor peso", number(1 / 8, 3))

# %% [markdown]
# Sin dividir, 0.969: casi todo para una clave, por puro azar. Con $\sqrt{d_k}$, 0.361: casi lo mismo que con 64 componentes. Con $d_k$, 0.131: casi el 0.125 del reparto uniforme.
#
# Y fíjate en la última columna: tampoco sin dividir se ha desbordado nada. Saturarse y desbordarse son averías distintas, y esta división solo sirve para la primera.

# %% [markdown]
# ## Adónde va el gradiente
#
# ¿Quién paga la saturación? Sigue la pérdida hacia atrás. Escribimos $\partial q$ para el gradiente de la pérdida respecto de $q$, y lo mismo con las demás letras. Para una consulta con pesos $p$, puntuaciones ya divididas $z$ y salida $o = \sum_j p_j v_j$, al mover $v_j$ la salida se mueve $p_j$ veces eso, y al mover $p_j$ se mueve $v_j$ veces eso. Con las puntuaciones pasa lo mismo: $z_j = q \cdot k_j / \sqrt{d_k}$. Así salen las cinco:
#
# $$\partial v_j = p_j\, \partial o \qquad\quad \partial p_j = v_j \cdot \partial o \qquad\quad \partial z = J\,\partial p$$
#
# $$\partial q = \frac{1}{\sqrt{d_k}} \sum_j \partial z_j\, k_j \qquad\quad \partial k_j = \frac{1}{\sqrt{d_k}}\, \partial z_j\, q$$
#
# En el camino de la pérdida a las consultas y a las claves está el jacobiano de la softmax. En el camino a los valores, no. Si $J$ se apaga, se apagan $\partial q$ y $\partial k$, pero no $\partial v$.
#
# La celda calcula los gradientes exactos de una atención recién inicializada: `target` es una salida deseada, al azar; la pérdida, el error cuadrático medio, y `by_output`, su derivada, $\partial o$. Después comprueba uno a empujones: mueve todas las consultas un poco en una dirección al azar y mira cuánto cambia la pérdida.

# %%
rng = np.random.default_rng(9)
n, d_model, d_k = 8, 256, 1024
x, target = rng.standard_normal((2, n, d_model))
W_Q, W_K = rng.standard_normal((2, d_model, d_k)) / np.sqrt(d_model)
W_V = rng.standard_normal((d_model, d_model)) / np.sqrt(d_model)
queries, keys, values = x @ W_Q, x @ W_K, x @ W_V


def loss(queries):
    """El error cuadrático medio, con la división entre √d_k."""
    return np.mean((attention(queries, keys, values)[0] - target) ** 2)


output, weights = attention(queries, keys, values)
by_output = 2 * (output - target) / target.size
by_queries, by_keys, by_values = attention_backward(by_output, queries, keys, values, weights)
direction = rng.standard_normal(queries.shape)
measured = (loss(queries + 1e-4 * direction) - loss(queries - 1e-4 * direction)) / 2e-4
print("a empujones:", number(measured, 6), "  exacto:", number((by_queries * direction).sum(), 6))

# %% [markdown]
# Coinciden. Ahora, cuarenta frases al azar como esa, de ocho tokens, cada una con sus matrices, con la división y sin ella. Miramos las dos cosas: la consulta típica, que es la mediana, y la norma de la matriz entera, $\lVert\cdot\rVert$, la raíz de la suma de los cuadrados de sus números.

# %%
gradients = lesson.attention_gradients([1024], sentences=40)
raw, root = gradients["none", 1024], gradients["root", 1024]
rows = {"sin dividir": raw, "÷ √d_k": root}
print("             max|J|             ‖∂q‖      ‖∂W^Q‖  ‖∂W^K‖  ‖∂W^V‖")
print("             mediana   media    mediana   mediana de las frases")
for name, g in rows.items():
    typical = [number(np.median(each), significant=2) for each in (g.slopes, g.queries, g.W_Q, g.W_K, g.W_V)]
    print(f"{name:<12} {typical[0]:<9} {number(g.slopes.mean(), 3):<8} {typical[1]:<9} {typical[2]:<7} {typical[3]:<7} {typical[4]}")

# %% [markdown]
# Aquí hay una sorpresa.
#
# - **La consulta típica no recibe casi nada.** Sin dividir, la mediana de ‖∂q‖ es unas mil veces menor, y la de max|J| cae mucho más.
# - **Y aun así la norma de $\partial W^Q$ es mayor sin dividir.** La de $\partial W^K$, también.
# - $\partial W^V$ no se apaga: de la pérdida a los valores no hay ningún $J$.
#
# $\partial W^Q$ suma lo que aporta cada consulta. ¿Cómo puede la suma ser mayor si casi todos los sumandos son diminutos? Porque unos cuantos son enormes. Compara la mediana de max|J|, 1.1e−6, con su media, 0.021: la media la hacen esos pocos. La figura enseña todas las consultas.

# %%
lesson.gradient_spread(raw, root)

# %%
for name, g in rows.items():
    low, high = np.percentile(g.queries, (25, 75))
    print(f"mitad central de ‖∂q‖, {name}:", "de", number(low, significant=1), "a", number(high, significant=1))
typical = np.median(root.queries)
energy = np.sort(raw.queries.ravel() ** 2)[::-1]
tenth = energy.size // 10
print("menos de una milésima de lo típico con √d_k:", number(100 * (raw.queries < typical / 1000).mean(), 0), "% de las consultas")
print("más que la mayor con √d_k:                  ", number(100 * (raw.queries > root.queries.max()).mean(), 0), "% de las consultas")
print("el 10 % con más gradiente reúne:            ", number(100 * energy[:tenth].sum() / energy.sum(), 0), "% del total (en cuadrados)")

# %% [markdown]
# En la figura, el cuadrado y el círculo marcan las medianas, y la primera barra junta todo lo que no llega a su número. La décima parte de las consultas reúne el 93 % de la suma de los cuadrados, que es de lo que está hecha la norma.
#
# Con valores tan dispersos, la propia mediana sin dividir varía mucho: otras cuarenta frases pueden dar una varias veces mayor o menor. Lo que no cambia es la forma.
#
# La mitad de las consultas recibe menos de una milésima de lo típico con $\sqrt{d_k}$. En la otra punta, un 19 % recibe más que cualquier consulta con la división: son las que el azar ha dejado a medias entre dos claves. Ahí $J$ no es pequeño, y además falta el factor $1/\sqrt{d_k}$ de $\partial q$, que por sí solo hace su gradiente $32$ veces mayor.
#
# Así que no es cierto que sin la división no haya gradiente. Lo que pasa es que **la mayoría de las consultas no aprende casi nada y una minoría da bandazos**. Si solo miras la norma de la matriz, ves un gradiente sano y hasta grande.
#
# Vuelve a la figura de los tres divisores y mira ahora los paneles de abajo. La línea es la mediana, y la banda deja fuera una décima parte por arriba y otra por abajo: a la izquierda, de las frases; a la derecha, de las consultas.
#
# - Sin dividir, sube $d_k$: a la izquierda las normas crecen; a la derecha la mediana se hunde y la banda se abre.
# - Con $\sqrt{d_k}$ todo queda plano: la escala del gradiente ya no depende de $d_k$.
# - Con $d_k$ el gradiente de las consultas y de las claves se apaga poco a poco, en todas a la vez. La softmax no está saturada, pero el divisor encoge todo lo que pasa por él.

# %% [markdown]
# ## Cuando el supuesto falla
#
# El argumento pedía media 0, varianza 1 e independencia. ¿Y si no se cumplen?
#
# **Otra desviación.** Si los componentes tienen desviación $\sigma$, el paso 2 da $\mathbb{E}[q_i^2]\,\mathbb{E}[k_i^2] = \sigma^2 \sigma^2 = \sigma^4$, y por tanto $\operatorname{Var}(q \cdot k) = d_k\, \sigma^4$. La $\sigma$ entra dos veces, por $q$ y por $k$: componentes el doble de grandes dan puntuaciones cuatro veces mayores.

# %%
rng = np.random.default_rng(10)
for sigma in (0.5, 1, 2):
    q, k = sigma * rng.standard_normal((2, 20_000, 64))
    print(f"σ = {number(sigma, 1)}  medida: {number((q * k).sum(axis=1).std(), 1):>4}   σ² √d_k = {number(sigma**2 * 8, 1):>4}")

# %% [markdown]
# **Componentes que van juntos.** Llama $\Sigma_q$ a la matriz de **covarianzas** de $q$: en su casilla $(i, j)$ está la media de $q_i q_j$. $\Sigma_k$ es la de $k$. La **traza**, $\operatorname{tr}$, es la suma de la diagonal. Con medias 0 y con $q$ independiente de $k$:
#
# $$\operatorname{Var}(q \cdot k) = \mathbb{E}\bigl[(q^{\mathsf T} k)^2\bigr] = \mathbb{E}\bigl[q^{\mathsf T} k\, k^{\mathsf T} q\bigr] = \mathbb{E}\bigl[q^{\mathsf T} \Sigma_k\, q\bigr]$$
#
# $$\mathbb{E}\bigl[q^{\mathsf T} \Sigma_k\, q\bigr] = \mathbb{E}\bigl[\operatorname{tr}(\Sigma_k\, q\, q^{\mathsf T})\bigr] = \operatorname{tr}(\Sigma_k \Sigma_q)$$
#
# Primero se promedia sobre $k$. Luego, como $q^{\mathsf T} \Sigma_k\, q$ es un número, es igual a su traza, y dentro de la traza se pueden rotar los factores. Al final se promedia sobre $q$.
#
# Si una de las dos matrices es la identidad, queda la traza de la otra, que es $d_k$ cuando las varianzas son 1. La correlación solo cuenta en las parejas de componentes donde la tienen **las dos**, la consulta y la clave: si va en el mismo sentido, la varianza sube; si va en sentidos contrarios, baja.

# %%
def correlated(rng, pattern, share=0.5):
    """Componentes de varianza 1 con una parte común, que sigue el patrón."""
    own, common = rng.standard_normal((20_000, 64)), rng.standard_normal((20_000, 1))
    return np.sqrt(1 - share) * own + np.sqrt(share) * common * pattern


def covariance(pattern, share=0.5):
    return (1 - share) * np.eye(64) + share * np.outer(pattern, pattern)


rng = np.random.default_rng(11)
none, same, other = np.zeros(64), np.ones(64), np.tile([1.0, -1.0], 32)
cases = {
    "ninguna": (none, none, 0, 0),
    "solo en q": (same, none, 0.5, 0),
    "las dos, igual": (same, same, 0.5, 0.5),
    "las dos, distinta": (same, other, 0.5, 0.5),
}
for name, (first, second, a, b) in cases.items():
    scores = (correlated(rng, first, a) * correlated(rng, second, b)).sum(axis=1)
    theory = np.sqrt(np.trace(covariance(first, a) @ covariance(second, b)))
    print(f"correlación: {name:<18} medida {number(scores.std(), 1):>5}   √tr(Σ_q Σ_k) = {number(theory, 1)}")

# %% [markdown]
# Con correlación solo en $q$, todo sigue en 8.0. Con la misma en las dos, la desviación se multiplica por cuatro. Si cada una la tiene en una dirección distinta, baja un poco.
#
# **¿Y en una red de verdad?** Depende de dos cosas. Después de una normalización por capas (*layer norm*, lección 4), cada fila tiene media 0 y desviación 1, así que su norma al cuadrado es $d_{\mathrm{model}}$. Si la matriz $W$ se sortea con varianza $1/d_{\mathrm{model}}$, cada componente de $q$ tiene varianza $d_{\mathrm{model}} \cdot 1/d_{\mathrm{model}} = 1$. Justo el supuesto. Pero hay otras maneras de empezar:

# %%
rng = np.random.default_rng(12)
d_model, d_k = 768, 64
rows = layer_norm(rng.normal(3, 2, (400, d_model)))  # entre lo que entre, sale normalizado
starts = {
    "varianza 1/d_model": lambda: rng.standard_normal((d_model, d_k)) / np.sqrt(d_model),
    "capa lineal de PyTorch": lambda: rng.uniform(-1, 1, (d_model, d_k)) / np.sqrt(d_model),
    "BERT y GPT-2, desviación 0.02": lambda: 0.02 * rng.standard_normal((d_model, d_k)),
}
for name, start in starts.items():
    queries, keys = rows @ start(), rows @ start()
    scores = queries @ keys.T / np.sqrt(d_k)
    print(f"{name:<30} componentes de q: {number(queries.std(), 2)}   puntuaciones ÷ √d_k: {number(scores.std(), 2)}")

# %% [markdown]
# Con varianza $1/d_{\mathrm{model}}$ las puntuaciones tienen desviación 1. Con las otras dos salen más pequeñas, alrededor de un tercio: los pesos empiezan aún más repartidos, lejos de la saturación. Después, en cuanto se entrena, las matrices cambian y el supuesto deja de estar garantizado.
#
# Así que $\sqrt{d_k}$ no asegura que la softmax no se sature nunca. Asegura que **el punto de partida no dependa de $d_k$**.

# %% [markdown]
# ## La raíz de qué, y cuándo
#
# **De $d_k$, no de $d_{\mathrm{model}}$.** Con $d_{\mathrm{model}} = 512$ y 8 cabezas, cada cabeza trabaja con $d_k = 64$ componentes (lección 3). La varianza es la de los 64 que se suman. En código, el divisor es la raíz del último eje de las consultas, **después** de repartirlas en cabezas.

# %%
scores = lesson.scores_by_dimension(20_000, [512 // 8], seed=13)[64]
print("entre √64:  medida", number((scores / np.sqrt(64)).std(), 2))
print("entre √512: medida", number((scores / np.sqrt(512)).std(), 2), "  la cuenta, √(64 / 512):", number(np.sqrt(64 / 512), 3))

# %% [markdown]
# Entre $\sqrt{512}$ queda 0.354, poco más de un tercio de lo que toca.
#
# **Antes o después.** Hay código que divide la consulta antes de multiplicar. Es lo mismo, porque el producto escalar es lineal: $\frac{q}{\sqrt{d_k}} \cdot k = \frac{q \cdot k}{\sqrt{d_k}}$. Cambia algo el trabajo: se dividen $n \cdot d_k$ números en vez de $n \cdot n$.

# %%
rng = np.random.default_rng(14)
Q, K = rng.standard_normal((2, 5, 64))
difference = np.abs((Q / 8) @ K.T - (Q @ K.T) / 8).max()
print("diferencia menor que 1e-12:", difference < 1e-12)

# %% [markdown]
# **Multiplicar por $\sqrt{d_{\mathrm{model}}}$ es otra cosa.** El artículo, en la sección 3.4, multiplica los embeddings de entrada (el vector aprendido de cada token) por $\sqrt{d_{\mathrm{model}}}$. Se parece en la escritura y en nada más: no está dentro de la atención ni deshace la división. El artículo no dice por qué lo hace. La razón que suele darse es de tamaño: si los embeddings empiezan con desviación $1/\sqrt{d_{\mathrm{model}}}$, son demasiado pequeños al lado de la codificación posicional que se les suma (lección 5).

# %%
rng = np.random.default_rng(15)
embeddings = rng.standard_normal((100, 512)) / np.sqrt(512)
positions = positional_encoding(100, 512)
print("embeddings:             ", number(embeddings.std(), 3))
print("embeddings × √d_model:  ", number((embeddings * np.sqrt(512)).std(), 3))
print("codificación posicional:", number(np.sqrt((positions**2).mean()), 3))

# %% [markdown]
# ## La escena del banco
#
# Ahora, sin azar: una atención que puedes calcular de cabeza.
#
# > Me senté en el banco de mi jardín
#
# ¿El banco de sentarse o el del dinero? Tú lo sabes por las palabras vecinas: «senté», «jardín». La atención hace algo parecido: compara la consulta de «banco» con la clave de cada palabra y recoge un poco del valor de cada una. Aquí, cada palabra es un token.
#
# Los vectores tienen dos componentes y **están elegidos a mano**, para que las cuentas salgan. No vienen de ningún modelo. La consulta de «banco» es $q = (1, 1)$, así que cada puntuación es la suma de los dos números de la clave. Los valores dicen cuánto aporta cada palabra a cada lectura, (asiento, dinero).

# %%
scene = lesson.bank_scene("bench")
scores = scene.keys @ scene.query
print("palabra    clave          puntuación   e^puntuación   valor")
for word, key, s, value in zip(scene.words, scene.keys, scores, scene.values, strict=True):
    print(f"{word:<9} ({number(key[0], 1):>4}, {number(key[1], 1):>4}) {number(s, 1):>12} {number(np.exp(s), 2):>14}", end="")
    print(f"   ({number(value[0], 1)}, {number(value[1], 1)})")
print("suma:", number(np.exp(scores).sum(), 2))
rounded = np.round(np.exp(scores), 1)
print("redondeando:", " + ".join(number(each, 1) for each in rounded), "=", number(rounded.sum(), 1))

# %% [markdown]
# De cabeza: «jardín» aporta unos 6, «senté» 2, «banco» 1 y las otras cinco palabras, 0.2 cada una. En total, 10. Así que «jardín» se lleva unas seis décimas, «senté» dos y «banco» una. Los números exactos:

# %%
weights = np.exp(scores) / np.exp(scores).sum()
output = weights @ scene.values
print(*(f"{word} {number(weight, 3)}" for word, weight in zip(scene.words, weights, strict=True)), sep=" · ")
print("vector nuevo:", ", ".join(number(each, 3) for each in output))

# %% [markdown]
# El vector nuevo de «banco» es (0.750, 0.050): asiento, casi sin dudas. Se ha hecho con seis décimas de «jardín», dos de «senté» y una de sí mismo.
#
# Esto era sin dividir. La atención completa divide entre $\sqrt{2}$, porque aquí $d_k = 2$:

# %%
for name, scale in (("sin dividir", 1), ("÷ √2", None)):  # sin escala propia, `attention` divide entre √d_k
    output, weights = attention(scene.query[None], scene.keys, scene.values, scale=scale)  # [None]: de (2,) a (1, 2)
    print(f"{name:<12}", *(f"{word} {number(weight, 3)}" for word, weight in zip(scene.words, weights[0], strict=True)), sep=" · ")
    print("             vector nuevo:", ", ".join(number(each, 3) for each in output[0]))

# %% [markdown]
# «jardín» baja de 0.601 a 0.456 y el vector nuevo pasa a (0.625, 0.064). El orden de los pesos es el mismo. **La división no cambia la lectura, solo su contraste.**
#
# Ahora la frase gemela, *Guardé el dinero en el banco*, con la misma consulta, $(1, 1)$, y otros vecinos.

# %%
scene = lesson.bank_scene("money")
output, weights = attention(scene.query[None], scene.keys, scene.values, scale=1)
print(*(f"{word} {number(weight, 3)}" for word, weight in zip(scene.words, weights[0], strict=True)), sep=" · ")
print("vector nuevo:", ", ".join(number(each, 3) for each in output[0]))

# %% [markdown]
# «dinero» se lleva 0.626 y el vector nuevo es (0.052, 0.782): ahora es el banco del dinero. «banco» hizo la misma consulta en las dos frases. Cambiaron las claves que la contestaban.
#
# Muévelo tú.
#
# - Estira $q$ al máximo y gírala. La línea discontinua es la frontera: las claves del lado de la flecha tienen puntuación positiva y las del otro, negativa. ¿Hacia dónde apunta cuando «en», «el», «de» y «mi» se llevan casi todo?
# - Acórtala hasta 0: reparto uniforme. Estírala hacia una palabra: se queda casi todo el peso. Estirar $q$ es multiplicar las puntuaciones, justo lo que hace un $d_k$ grande si no divides.
# - Enciende la división y busca qué longitud, sin dividir, da casi lo mismo.

# %%
lesson.bank()

# %% [markdown]
# ## Errores frecuentes
#
# - **Dividir entre $\sqrt{d_{\mathrm{model}}}$.** No falla nada y los pesos parecen razonables: solo están más repartidos de la cuenta. Para verlo: mide la desviación de las puntuaciones.
# - **Dividir entre $d_k$.** Igual de silencioso. Con $d_k$ grande, todas las filas de pesos se parecen al reparto uniforme.
# - **Multiplicar en vez de dividir.** La softmax se satura aún más: cada fila es casi un 1 y ceros.
# - **Dividir después de la softmax.** Los pesos dejan de sumar 1 y el contraste no cambia.
# - **Comprobar las columnas.** Los pesos de cada **fila** suman 1: una fila por consulta. Las columnas pueden sumar cualquier cosa.
# - **«La raíz evita que se desborde la exponencial».** No: de eso se encarga restar el máximo.
# - **«Sin la raíz no hay gradiente».** Lo hay, y hasta mayor en norma, pero va a parar a una minoría de las consultas.
#
# La celda enseña dos de ellos. La matriz no es cuadrada, para que filas y columnas no se confundan.

# %%
rng = np.random.default_rng(16)
Q, K, V = rng.standard_normal((3, 5)), rng.standard_normal((4, 5)), rng.standard_normal((4, 2))
weights = attention(Q, K, V)[1]  # (3, 4)
print("sumas de las filas:              ", *(number(total, 3) for total in weights.sum(axis=1)))
print("sumas de las columnas:           ", *(number(total, 3) for total in weights.sum(axis=0)))
late = softmax(Q @ K.T) / np.sqrt(5)
print("filas si divides tras la softmax:", *(number(total, 3) for total in late.sum(axis=1)))

# %% [markdown]
# ## Ejercicios
#
# Cambia cada `...` por tu expresión y ejecuta la celda. Si algo falla, la comprobación te dirá a qué error conocido se parece.
#
# ### Ejercicio 1 · `scores`
#
# ●○○ · 5 minutos · La matriz de puntuaciones, ya dividida: una fila por consulta, una columna por clave. Entran las consultas, $(n_q, d_k)$, y las claves, $(n_k, d_k)$; sale $(n_q, n_k)$.
#
# <details><summary>Pista 1</summary>En la posición (i, j) va la consulta i por la clave j. ¿Cuál de las dos matrices hay que transponer?</details>
# <details><summary>Pista 2</summary>El divisor no es el número de consultas ni el de claves: es el número de componentes.</details>
# <details><summary>Pista 3</summary>El número de componentes es el último de `queries.shape`, y hace falta su raíz.</details>

# %% tags=["exercise"]
def my_scores(queries, keys):
    products = ...  # (n_q, n_k)
    divisor = ...
    return products / divisor


check("scores", my_scores)

# %% [markdown]
# <details><summary>Solución</summary>
#
# ```python
# def my_scores(queries, keys):
#     products = queries @ keys.T  # (n_q, n_k)
#     divisor = np.sqrt(queries.shape[-1])
#     return products / divisor
# ```
# </details>
#
# ### Ejercicio 2 · `attention`
#
# ●●○ · 8 minutos · La atención entera. Devuelve dos cosas, en este orden: la salida, $(n_q, d_v)$, y los pesos, $(n_q, n_k)$.
#
# <details><summary>Pista 1</summary>Son tres pasos: puntuaciones divididas, pesos, mezcla de valores.</details>
# <details><summary>Pista 2</summary>Cada fila de pesos tiene que sumar 1. La `softmax` del curso reparte a lo largo del último eje.</details>
# <details><summary>Pista 3</summary>La salida es una media de valores: cada fila de pesos multiplica a la matriz de valores.</details>

# %% tags=["exercise"]
def my_attention(queries, keys, values):
    scores = ...  # (n_q, n_k)
    weights = ...  # (n_q, n_k)
    output = ...  # (n_q, d_v)
    return output, weights


check("attention", my_attention)

# %% [markdown]
# <details><summary>Solución</summary>
#
# ```python
# def my_attention(queries, keys, values):
#     scores = queries @ keys.T / np.sqrt(queries.shape[-1])  # (n_q, n_k)
#     weights = softmax(scores)  # (n_q, n_k)
#     output = weights @ values  # (n_q, d_v)
#     return output, weights
# ```
# </details>
#
# Cuando la tengas, pruébala en la escena: `lesson.bank(my_attention)` mueve el banco con tu función.
#
# ### Ejercicio 3 · `score_deviation`
#
# ●●○ · 8 minutos · Mide una desviación y di cuánto te puedes fiar de ella. La fila $i$ de las consultas va con la fila $i$ de las claves: $n$ parejas, $n$ puntuaciones, **sin dividir**. Devuelve su desviación típica y el error típico de esa desviación, que es la desviación dividida entre $\sqrt{2n}$ (vale cuando las puntuaciones son casi normales).
#
# <details><summary>Pista 1</summary>No hace falta la matriz entera de consultas por claves: solo su diagonal.</details>
# <details><summary>Pista 2</summary>Multiplica componente a componente y suma cada fila.</details>
# <details><summary>Pista 3</summary>En el error típico, n es el número de parejas, no el de componentes.</details>

# %% tags=["exercise"]
def my_score_deviation(queries, keys):
    scores = ...  # (n,)
    deviation = ...
    error = ...
    return deviation, error


check("score_deviation", my_score_deviation)

# %% [markdown]
# <details><summary>Solución</summary>
#
# ```python
# def my_score_deviation(queries, keys):
#     scores = (queries * keys).sum(axis=1)  # (n,)
#     deviation = scores.std()
#     error = deviation / np.sqrt(2 * len(scores))
#     return deviation, error
# ```
# </details>
#
# ### Ejercicio 4 · `sigma_divisor`
#
# ●○○ · 5 minutos · Los componentes de $q$ y de $k$ tienen media 0 y desviación $\sigma$, por ejemplo $\sigma = 2$. ¿Entre qué número hay que dividir las puntuaciones para que su desviación sea 1?
#
# <details><summary>Pista 1</summary>Busca la varianza de q·k en «Cuando el supuesto falla».</details>
# <details><summary>Pista 2</summary>Se divide entre la desviación, que es la raíz de la varianza.</details>
# <details><summary>Pista 3</summary>La σ entra una vez por q y otra por k.</details>

# %% tags=["exercise"]
def my_sigma_divisor(d_k, sigma):
    return ...


check("sigma_divisor", my_sigma_divisor)

# %% [markdown]
# <details><summary>Solución</summary>
#
# ```python
# def my_sigma_divisor(d_k, sigma):
#     return sigma**2 * np.sqrt(d_k)
# ```
#
# La varianza es $d_k\, \sigma^4$; su raíz, $\sigma^2 \sqrt{d_k}$. Con $\sigma = 1$ vuelve a salir $\sqrt{d_k}$.
# </details>

# %% [markdown]
# ## Preguntas
#
# Sin prisa y sin nota. Cada opción explica por qué vale o por qué no, y puedes volver a intentarlo.

# %%
quiz("lesson2")

# %%
score("lesson2")

# %% [markdown]
# ## Resumen
#
# 1. Con componentes independientes, de media 0 y varianza 1, $q \cdot k$ tiene varianza $d_k$: se suman $d_k$ varianzas de 1.
# 2. Dividir entre $\sqrt{d_k}$ deja la desviación en 1 para cualquier $d_k$. Así ninguna softmax empieza saturada; dividir entre $d_k$ aplana demasiado.
# 3. Sin la división, la consulta típica no recibe casi gradiente y una minoría recibe muchísimo. Los valores no lo notan: en su camino no está el jacobiano.
# 4. Es la raíz del número de sumandos, el $d_k$ de cada cabeza. Con otra escala o con correlación en $q$ y en $k$, la varianza es $\operatorname{tr}(\Sigma_q \Sigma_k)$.
# 5. La división no cambia qué clave recibe más peso. Cambia el contraste.

# %% [markdown]
# ## Términos
#
# | español | inglés | en una línea |
# |---|---|---|
# | consulta | *query* | lo que un token pregunta, $q$ |
# | clave | *key* | con lo que un token responde, $k$ |
# | valor | *value* | lo que un token aporta, $v$ |
# | producto escalar | *dot product* | $q \cdot k = \sum_i q_i k_i$ |
# | atención escalada | *scaled dot-product attention* | la atención con su división entre $\sqrt{d_k}$ |
# | varianza | *variance* | la media de los cuadrados de las distancias a la media |
# | desviación típica | *standard deviation* | la raíz de la varianza |
# | normal | *normal distribution* | la campana que sale al sumar muchas cosas independientes |
# | covarianza | *covariance* | la media del producto de dos variables de media 0 |
# | error típico | *standard error* | cuánto varía una estimación de un experimento a otro, como desviación típica |
# | curtosis | *kurtosis* | cuánto pesan las colas; 3 en la normal |
# | traza | *trace* | la suma de la diagonal de una matriz |
#
# Todos los términos están en el [glosario](90_glosario.ipynb).

# %% [markdown]
# ## Fuentes
#
# - Vaswani y otros (2017), *Attention Is All You Need*, sección 3.2.1 y nota 4 (la división), sección 3.4 (los embeddings por $\sqrt{d_{\mathrm{model}}}$).
# - Bishop y Bishop (2024), *Deep Learning: Foundations and Concepts*, sección 12.1.5.
#
# **Siguiente lección:** [3 · Varias cabezas](03_varias_cabezas.ipynb). Una softmax por consulta solo puede decir una cosa. ¿Y si hay que decir dos?

# %% tags=["colophon"]
from bloque.colophon import colophon

colophon(2)
