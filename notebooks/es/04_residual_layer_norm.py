# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 4 · Conexión residual y normalización por capas
#
# [English](../en/04_residual_layer_norm.ipynb) · unos 28 minutos, sin contar los ejercicios
#
# Al terminar podrás:
#
# - explicar, con una derivada, por qué cada capa *suma* algo a su entrada en lugar de sustituirla;
# - escribir `layer_norm` y decir de qué depende una fila normalizada y de qué no;
# - colocar las dos piezas en un bloque, de las dos maneras en que se hace, y distinguir una tercera que no es ninguna de las dos.

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
from math import comb, log10

import numpy as np

from bloque import feed_forward, layer_norm, number, positional_encoding
from bloque.checks import check
from bloque.lessons import residual_norm as lesson
from bloque.quiz import quiz, score

# %% [markdown]
# ## La pregunta
#
# En la lección 3 la atención devolvía una matriz con una fila por token. El bloque no se queda con esa matriz tal cual. Le **suma** la entrada (es la *conexión residual*) y después **normaliza** cada fila (es la *normalización por capas*, o *layer norm*):
#
# $$\text{LayerNorm}\big(X + \text{Sublayer}(X)\big)$$
#
# $\text{Sublayer}$ es la **subcapa**: la atención o la otra mitad del bloque, la red por posición.
#
# ¿Para qué volver a sumar lo que ya teníamos? ¿Y para qué borrar la media y el tamaño de unos números que acabamos de calcular?
#
# Empezamos por la suma, con un experimento pequeño. Apilamos doce capas. Cada una es una **red por posición**: la misma red pequeña, $\text{ReLU}(x W_1) W_2$, para cada fila $x$. La ReLU deja pasar lo positivo y pone a 0 lo negativo. Van sin sesgos, sin atención y sin normalizar, para que no haya nada más que mirar. Los pesos son números al azar multiplicados por 0.15.

# %%
rng = np.random.default_rng(0)
size, d_model, d_ff = 0.15, 16, 32
layers = []
for _ in range(12):
    W1 = size * rng.normal(size=(d_model, d_ff))
    W2 = size * rng.normal(size=(d_ff, d_model))
    layers.append((W1, W2))
X = rng.normal(size=(8, d_model))  # (n, d_model)
print(f"{len(layers)} capas, pesos × {size}")
print(f"W1 {W1.shape}, W2 {W2.shape}, X {X.shape}")

# %% [markdown]
# Ahora damos un empujón muy pequeño a un solo número: el de la fila 0 y la columna 0 de $X$. Y medimos cuánto se mueve la salida de cada capa, dividido entre lo que empujamos. Ese cociente es la norma (la longitud) de una derivada. Si vale 1, la salida se mueve tanto como la entrada. Si vale 0, el empujón no ha llegado.
#
# **Predice y arrastra.** Sin la suma, ¿cuánto queda del empujón tras las doce capas? ¿La mitad, una centésima, menos? Apuesta en la figura antes de ver la curva. Se apuesta por la potencia de 10: menos uno es una décima; menos dos, una centésima.

# %%
lesson.derivative_by_depth()

# %% [markdown]
# Fíjate en tres cosas:
#
# - con la suma, la derivada sigue cerca de 1 hasta la última capa. Quita la marca de «con la suma»: sin ella baja casi en línea recta, con el eje logarítmico: cada capa multiplica por algo menor que 1;
# - lleva «capas» al máximo, con la suma y sin ella. ¿Qué queda del empujón en cada caso?
# - sube el tamaño de los pesos hasta que la curva sin suma deje de caer. ¿Qué hace entonces la otra? La suma evita que la señal muera; no evita que crezca. De eso se ocupa la segunda mitad de la lección.

# %% [markdown]
# ## La derivada de una suma
#
# Una capa con suma calcula $y = x + F(x)$, donde $F$ es la subcapa. Derivamos cada término por separado. La derivada de $x$ respecto de $x$ es la identidad $I$. La de $F(x)$ es su jacobiano $J$. Así que
#
# $$\frac{\partial y}{\partial x} = I + J$$
#
# La $I$ no depende de ningún peso: está ahí antes de entrenar, y sigue ahí si $J$ es diminuto. Lo comprobamos con la primera capa, moviendo una por una las coordenadas de una fila, un poco hacia cada lado: eso es una *diferencia finita*.

# %%
W1, W2 = layers[0]
x = X[0]  # (d_model,)
J = lesson.mlp_jacobian(x, W1, W2)  # (d_model, d_model)
step = 1e-5
columns = []
for e in step * np.eye(16):
    up = (x + e) + feed_forward(x + e, W1, None, W2, None)
    down = (x - e) + feed_forward(x - e, W1, None, W2, None)
    columns.append((up - down) / (2 * step))
equal = np.allclose(np.eye(16) + J, np.transpose(columns), atol=1e-8)
print("I + J coincide con la diferencia finita:", equal)

# %% [markdown]
# Con doce capas, la regla de la cadena multiplica los doce jacobianos. La diferencia entre las dos redes está en qué se multiplica:
#
# $$\begin{aligned} \text{sin la suma:} &\quad J_{12} \cdots J_2\, J_1 \\ \text{con la suma:} &\quad (I + J_{12}) \cdots (I + J_2)(I + J_1) \end{aligned}$$
#
# La celda siguiente hace ese producto, capa a capa, con jacobianos exactos. Como cada fila va por su cuenta, el empujón en la fila 0 solo mueve la fila 0: basta con seguirla a ella.

# %%
def derivative_by_layer(residual):
    x, derivative, norms = X[0], np.eye(16)[0], []
    for W1, W2 in layers:
        J = lesson.mlp_jacobian(x, W1, W2)
        derivative = J @ derivative + residual * derivative  # (I + J) v, o J v
        x = feed_forward(x, W1, None, W2, None) + residual * x
        norms.append(np.linalg.norm(derivative))
    return np.array(norms)


with_sum, without = derivative_by_layer(residual=1), derivative_by_layer(residual=0)
print("capa   con la suma   sin la suma")
for layer in (1, 2, 4, 6, 8, 12):
    print(f"{layer:4}   {number(with_sum[layer - 1], 3):>11}   {number(without[layer - 1], significant=3):>11}")
ratio = with_sum[-1] / without[-1]
print(f"razón en la capa 12: {number(ratio / 1e6, 1)} millones")
print(f"son {number(log10(ratio), 1)} órdenes de magnitud")

# %% [markdown]
# La razón entre las dos columnas, en la capa 12, es de 3.5 millones. Con lo que queda en la columna de la derecha, la primera capa apenas podría aprender: el gradiente que le llega pasa por ese mismo producto, recorrido en sentido contrario.
#
# ¿Y si la fórmula estuviera mal? La celda siguiente no usa ningún jacobiano. Empuja de verdad, $\pm 10^{-5}$, pasa la matriz entera por las doce capas y compara con la tabla.

# %%
def outputs(X, residual):
    kept = []
    for W1, W2 in layers:
        X = feed_forward(X, W1, None, W2, None) + residual * X
        kept.append(X)
    return np.array(kept)  # (layers, n, d_model)


push = np.zeros_like(X)
push[0, 0] = 1e-5
for name, residual, exact in (
    ("con la suma", 1, with_sum),
    ("sin la suma", 0, without),
):
    moved = (outputs(X + push, residual) - outputs(X - push, residual)) / 2e-5
    measured = np.linalg.norm(moved, axis=(1, 2))
    equal = np.allclose(measured, exact, rtol=1e-6)
    print(f"{name}: las 12 capas coinciden con seis cifras:", equal)

# %% [markdown]
# ## Dos capas a mano: cuatro caminos
#
# ¿Por qué aguanta el producto con la suma? Con dos capas se ve al desarrollar los paréntesis, sin cambiar el orden de las matrices:
#
# $$(I + J_2)(I + J_1) = I\,I + I\,J_1 + J_2\,I + J_2 J_1 = I + J_1 + J_2 + J_2 J_1$$
#
# Son cuatro términos, y cada uno es un camino: no pasar por ninguna subcapa ($I$), solo por la primera ($J_1$), solo por la segunda ($J_2$), o por las dos ($J_2 J_1$). Sin la suma solo existe el último.

# %%
J1 = lesson.mlp_jacobian(X[0], *layers[0])
x1 = X[0] + feed_forward(X[0], layers[0][0], None, layers[0][1], None)
J2 = lesson.mlp_jacobian(x1, *layers[1])  # en el punto al que llegó la capa 1
I = np.eye(16)
terms = {"I": I, "J1": J1, "J2": J2, "J2 J1": J2 @ J1}
equal = np.allclose((I + J2) @ (I + J1), sum(terms.values()), atol=1e-12)
print("el producto es la suma de los cuatro:", equal)
for name, term in terms.items():
    print(f"{name:>5}  mueve {number(np.linalg.norm(term[:, 0]), 3)}")

# %% [markdown]
# El camino que no pasa por ninguna subcapa mueve la salida exactamente 1, sean como sean los pesos. Los demás añaden sus correcciones.
#
# Con $N$ capas hay $N$ paréntesis y en cada uno se elige $I$ o $J$: salen $2^N$ caminos. De longitud $k$, es decir, que pasan por $k$ subcapas, hay $\binom{N}{k}$. De longitud 0 hay exactamente uno. (En esta lección $N$ cuenta subcapas.)

# %%
by_length = [comb(12, k) for k in range(13)]
print("caminos por longitud:", *by_length)
print("en total:", sum(by_length), "= 2^12:", sum(by_length) == 2**12)
print("doce bloques, dos subcapas cada uno: 2^24 =", number(2**24))

# %% [markdown]
# En un Transformer cada bloque tiene dos subcapas, la atención y la red por posición, y cada una lleva su propia suma. Doce bloques son 24 subcapas: 16 777 216 caminos.
#
# La figura enseña, a la izquierda, cuántos caminos hay de cada longitud. A la derecha, cuánta derivada lleva cada longitud en nuestra pila: la norma de la suma de todos sus términos, calculada de forma exacta.

# %%
lesson.paths_by_length()

# %% [markdown]
# Fíjate en esto:
#
# - los caminos se amontonan en la longitud $N/2$, pero lo que llega va por los cortos: cada subcapa de más multiplica por un jacobiano pequeño;
# - el camino de longitud $N$ es todo lo que tiene la red sin suma. El de longitud 0 vale 1 para cualquier $N$;
# - con pesos mayores, lo que llega se desplaza hacia los caminos largos.
#
# Cuidado: los caminos son términos de un producto, no redes independientes. Cada $J$ se calcula en el punto al que ha llegado la red entera.

# %% [markdown]
# ## Lo que cuesta la suma
#
# Para sumar $x$ y $\text{Sublayer}(x)$, las dos tienen que tener la misma forma. La red por posición ensancha por dentro, de $d_{\mathrm{model}}$ a $d_{\mathrm{ff}}$; su segunda matriz tiene que devolver cada fila a $d_{\mathrm{model}}$. Lo mismo hace $W^O$ con las cabezas. Si olvidas esa segunda matriz, NumPy protesta, pero no siempre.

# %%
W1, W2 = layers[0]
hidden = np.maximum(X @ W1, 0)  # (n, d_ff)
try:
    X + hidden
except ValueError:
    print(f"no se pueden sumar: {X.shape} + {hidden.shape}")
print(f"de vuelta: {(X + hidden @ W2).shape}")
column = hidden[:, :1]
print(f"se suma sin quejarse, y está mal: {X.shape} + {column.shape} = {(X + column).shape}")
print(f"pesos de esta red: {W1.size} + {W2.size} = {W1.size + W2.size}")

# %% [markdown]
# Una columna suelta se suma a todas las de $X$ (es el *broadcasting*) y nadie avisa: comprueba las formas, no esperes al error.
#
# El precio de la suma es este: $d_{\mathrm{model}}$ queda fijado para toda la pila, desde los embeddings hasta la última capa. Y las dos matrices de la red por posición, sin sesgos, tienen siempre $2 \cdot d_{\mathrm{model}} \cdot d_{\mathrm{ff}}$ pesos: aquí 1024.

# %% [markdown]
# ## Una memoria, y lo que transporta
#
# La idea es anterior al Transformer. La LSTM, una red de 1997 que lee los tokens de uno en uno, guarda una memoria $c$ a la que cada paso suma algo ($\odot$ multiplica casilla a casilla):
#
# $$c_t = c_{t-1} + i_t \odot g_t$$
#
# Es la misma $x + F(x)$, con el tiempo en el lugar de la profundidad. Tres años más tarde se le puso una compuerta de olvido, $f_t \odot c_{t-1}$, para que también pudiera borrar. El camino directo multiplica entonces por $f$ en cada paso. Tras cien pasos, no es lo mismo que $f$ sea 1 o que solo se le acerque.

# %%
for f in (1.0, 0.99, 0.9, 0.5):
    left = number(f**100, significant=2 if f < 1 else 1)
    print(f"f = {number(f, 2)}: el camino directo tras 100 pasos lleva {left}")

# %% [markdown]
# ¿Qué transporta la suma en un Transformer? Entre otras cosas, **la posición**. La codificación posicional (lección 5) se suma una sola vez, a la entrada, y ningún bloque la vuelve a añadir. La suma la lleva hasta el último.
#
# Para verlo pasamos $X$ por la pila con y sin la posición. La diferencia entre las dos salidas es el rastro de la posición. Medimos cuánto se parece a la posición que entró con el **coseno** del ángulo entre las dos: 1 si apuntan igual, 0 si no tienen nada que ver.

# %%
P = positional_encoding(8, 16)
for name, residual in (("con la suma", 1), ("sin la suma", 0)):
    trace = outputs(X + P, residual) - outputs(X, residual)
    cosines = [np.sum(D * P) / (np.linalg.norm(D) * np.linalg.norm(P)) for D in trace]
    some = (f"capa {k}: {number(cosines[k - 1], 2)}" for k in (1, 4, 8, 12))
    print(f"{name:>12}: " + ", ".join(some))

# %% [markdown]
# Tras doce capas, el rastro que llega con la suma aún se parece a lo que entró (0.58). Sin la suma no queda parecido: el coseno es −0.06.

# %% [markdown]
# ## Con la suma, las filas crecen
#
# La suma tiene un precio más. Cada capa añade algo, y lo que se suma rara vez se cancela: la desviación de las filas crece con la profundidad. La medimos en la misma pila. Como esas filas las leería una atención, medimos también el mayor peso que daría cada fila de su softmax: la media sobre doscientas parejas de matrices $W^Q$, $W^K$ al azar.

# %%
stream = np.concatenate([X[None], outputs(X, residual=1)])  # (layers + 1, n, d_model)
print("capa  desviación  mayor peso  mayor peso con norma")
for layer in (0, 4, 8, 12):
    rows = stream[layer]
    raw, normed = lesson.largest_weight(rows), lesson.largest_weight(layer_norm(rows))
    print(f"{layer:4}  {number(rows.std(axis=-1).mean(), 2):>9}  {number(raw, 2):>9}  {number(normed, 2):>9}")

# %% [markdown]
# Las puntuaciones son productos de dos filas: si la desviación se duplica, las diferencias entre puntuaciones se multiplican por cuatro. En la capa 12 el mayor peso ya es 0.67, y sigue subiendo. La lección 1 contó qué pasa después: la softmax se satura y su jacobiano se apaga. En la columna de la derecha hemos normalizado cada fila antes de que la atención la lea, y el mayor peso no crece. Eso hace la segunda pieza, la normalización. Para abreviar la llamaremos *la norma*; no la confundas con la norma de un vector, que es su longitud. En la figura, *post-norm* pone la normalización después de cada suma y *pre-norm*, delante de cada subcapa.

# %%
lesson.growth_with_depth()

# %% [markdown]
# Fíjate en esto:
#
# - con la suma sola, todo depende del tamaño de los pesos: sube un poco el deslizador y la desviación crece sin freno;
# - con post-norm, las filas salen siempre con desviación 1;
# - con pre-norm, lo que pasa de capa a capa sigue creciendo, pero despacio, y la atención solo ve filas normalizadas.

# %% [markdown]
# ## La normalización por capas, una fila cada vez
#
# Tomamos **una** fila $x_t$: un token, con sus $d = d_{\mathrm{model}}$ coordenadas. Son tres pasos.
#
# $$\mu_t = \frac1d \sum_i x_{t,i} \qquad s_t^2 = \frac1d \sum_i (x_{t,i} - \mu_t)^2 \qquad \hat x_t = \frac{x_t - \mu_t}{\sqrt{s_t^2 + \varepsilon}}$$
#
# Y un cuarto, con dos vectores que se aprenden: $\gamma \odot \hat x_t + \beta$. La media y la desviación son de esa fila, sobre sus coordenadas. Ninguna otra fila entra en la cuenta.
#
# A mano, con la fila (1, 0, 0, 0): la media es 0.25 y la varianza, con $1/d$, es 0.1875.

# %%
row = np.array([1.0, 0.0, 0.0, 0.0])
mean = row.sum() / 4
variance = ((row - mean) ** 2).sum() / 4
by_hand = (row - mean) / np.sqrt(variance + 1e-5)
print(f"media {number(mean, 2)}, varianza {number(variance, 4)}")
print("con 1/d:    ", *[number(v, 3) for v in by_hand])
print("con 1/(d−1):", *[number(v, 3) for v in (row - mean) / row.std(ddof=1)])
print("coincide con layer_norm:", np.allclose(by_hand, layer_norm(row), atol=1e-12))

# %% [markdown]
# Se divide entre $d$, no entre $d - 1$: no estimamos la varianza de una población a partir de una muestra, medimos la de esta fila. Quien usa $d - 1$ obtiene 1.500 donde debía haber 1.732.
#
# ¿Y $\varepsilon$? Va **dentro** de la raíz, vale $10^{-5}$ y hace falta en dos casos. El primero es una fila constante: varianza 0, y sin $\varepsilon$ la cuenta es 0/0. El segundo es una fila que casi no varía. Dentro de la raíz, $\varepsilon$ pone un suelo de unos 0.0032 al divisor: el ruido de una fila casi constante no se amplía hasta desviación 1. Fuera de la raíz el suelo sería $\varepsilon$, mucho más bajo.

# %%
constant = np.full(8, 3.0)
print("fila constante:", *[number(v) for v in layer_norm(constant)])
print("suelo del divisor, √ε:", number(np.sqrt(1e-5), 4))
faint = 3.0 + 0.001 * np.array([1, -1, 1, -1, 1, -1, 1, -1])  # desviación 0.001
centred = faint - faint.mean()
inside = centred / np.sqrt(faint.var() + 1e-5)
outside = centred / (faint.std() + 1e-5)
print("una fila de desviación 0.001 sale con desviación")
print(f"   {number(inside.std(), 2)} con ε dentro, {number(outside.std(), 2)} con ε fuera")

# %% [markdown]
# Ahora una matriz entera: cinco filas de ocho números, de media 3 y desviación 2.

# %%
R = np.random.default_rng(7).normal(3, 2, size=(5, 8))  # (n, d)


def print_rows(name, M):
    print(f"{name}:")
    print("   medias      ", *[number(v, 3) for v in M.mean(axis=-1)])
    print("   desviaciones", *[number(v, 3) for v in M.std(axis=-1)])


print_rows("entra", R)
print_rows("sale", layer_norm(R))
print_rows("con γ = 4, β = −1", layer_norm(R, gamma=np.full(8, 4.0), beta=np.full(8, -1.0)))

# %% [markdown]
# Las medias, que iban de 0.984 a 2.894, salen en 0; las desviaciones, en 1. Después $\gamma$ y $\beta$ llevan las filas adonde diga el entrenamiento: aquí, a media −1 y desviación 4. Una fila que sale de `layer_norm` **no** tiene por qué tener media 0 y desviación 1.
#
# ¿Podría la capa aprender a no hacer nada, con unas $\gamma$ y $\beta$ bien elegidas? No. $\gamma$ y $\beta$ son las mismas para todas las filas; $\mu_t$ y $s_t$ son distintas en cada una. Basta con esto: dos filas diferentes pueden salir iguales, y ya nada las puede separar.

# %%
base = layer_norm(R[0])
moved, stretched = layer_norm(R[0] + 10), layer_norm(R[0] * 3)
print("la fila 0 y la fila 0 + 10 salen iguales:", np.allclose(base, moved))
print("la fila 0 y la fila 0 × 3, salvo por ε:", np.allclose(base, stretched, atol=1e-4))

# %%
lesson.gamma_and_beta()

# %% [markdown]
# Fíjate en esto:
#
# - arriba, cada fila con su media; en medio, todas con media 0 y desviación 1; abajo, lo que hacen $\gamma$ y $\beta$;
# - con $\gamma = 0$ todas las filas salen idénticas: solo queda $\beta$;
# - elige «solo la primera»: γ y β tocan una sola coordenada. Las medias y las desviaciones vuelven a diferir de una fila a otra.

# %% [markdown]
# ## Por filas, no por columnas
#
# Podríamos haber normalizado por columnas: cada coordenada, con la media y la desviación que tiene a lo largo de la matriz. Es la idea de *batch norm*. ¿Qué cambia? Empujamos una sola fila y miramos qué filas lo notan.
#
# **Predice y arrastra.** Sumamos 10 a las ocho coordenadas de la fila 4. Por filas, ¿cuánto cambiará la fila 4, una vez normalizada?

# %%
lesson.disturb_a_row()

# %% [markdown]
# Fíjate en esto:
#
# - lleva «empujón» a 10 y mira los dos mapas: cuanto más oscuro, más ha cambiado. Por filas, las demás filas no se mueven, empujes lo que empujes. Por columnas se mueven todas;
# - por filas, un empujón uniforme no cambia ni siquiera la fila empujada: su media sube lo mismo que ella. Con el empujón en rampa sí cambia;
# - por filas, solo puede cambiar la fila que tocaste.

# %%
def by_columns(M):
    return (M - M.mean(axis=0)) / np.sqrt(M.var(axis=0) + 1e-5)


uniform, ramp = R.copy(), R.copy()
uniform[4] += 10
ramp[4] += 10 * np.linspace(0, 1, 8)
for name, pushed in (("uniforme, + 10", uniform), ("en rampa, de 0 a 10", ramp)):
    rows = np.abs(layer_norm(pushed) - layer_norm(R)).max(axis=-1)
    columns = np.abs(by_columns(pushed) - by_columns(R)).max(axis=-1)
    print(f"empujón {name}")
    for row_changed in (0, 4):
        by_rows, by_cols = number(rows[row_changed], 3), number(columns[row_changed], 3)
        print(f"   fila {row_changed}: {by_rows} por filas, {by_cols} por columnas")

# %% [markdown]
# Con el empujón uniforme, el mayor cambio en la fila 0 es 0.000 por filas y 1.889 por columnas.
#
# En un Transformer esto importa. Las frases se procesan juntas, en **lotes**. Por columnas, lo que sale para una frase depende de qué otras frases van en su lote, de cuántos tokens tienen y del relleno que se añade para igualarlas. Y al usar el modelo con una sola frase no hay lote: hacen falta estadísticas guardadas del entrenamiento. Lo medimos con una frase de tres tokens.

# %%
sentence, other, padding = R[:3], R[3:], np.zeros((4, 8))
for name, company in (("con otra frase", other), ("con relleno", padding)):
    batch = np.concatenate([sentence, company])
    rows = np.abs(layer_norm(batch)[:3] - layer_norm(sentence)).max()
    columns = np.abs(by_columns(batch)[:3] - by_columns(sentence)).max()
    print(f"{name}, la frase cambia")
    print(f"   {number(rows, 2)} por filas, {number(columns, 2)} por columnas")
print("un solo token, por columnas:", *[number(v) for v in by_columns(R[:1])[0]])

# %% [markdown]
# Con un único token la versión por columnas lo borra: cada número es su propia media. Por filas, cada token se normaliza igual esté donde esté.

# %% [markdown]
# ## Dónde va la norma: post, pre y una tercera cosa
#
# Ya tenemos las dos piezas. Falta el orden. El artículo que presentó el Transformer (2017) normaliza *después* de sumar. El código de hoy suele normalizar *antes* de la subcapa y dejar la suma libre:
#
# $$\begin{aligned} \text{post:} &\quad \text{LN}\big(x + F(x)\big) \\ \text{pre:} &\quad x + F\big(\text{LN}(x)\big) \\ \text{la tercera:} &\quad x + \text{LN}\big(F(x)\big) \end{aligned}$$
#
# La tercera también existe (*Swin V2* la usa), pero no es ninguna de las otras dos, y escribirla creyendo escribir post-norm es un error frecuente. Dos preguntas las distinguen. ¿Qué sale si la subcapa da cero? ¿Y si da diez veces más?

# %%
def post(x, F):
    return layer_norm(x + F(x))


def pre(x, F):
    return x + F(layer_norm(x))


def third(x, F):
    return x + layer_norm(F(x))


def zero(x):
    return np.zeros_like(x)


for name, arrangement in (("post", post), ("pre", pre), ("la tercera", third)):
    out = arrangement(R, zero)
    mean, deviation = number(out[0].mean(), 2), number(out[0].std(), 2)
    print(f"{name:>10}: con subcapa cero devuelve x: {np.array_equal(out, R)}")
    print(f"       fila 0: media {mean}, desviación {deviation}")

# %%
M1, M2 = np.random.default_rng(1).normal(size=(2, 8, 8)) / np.sqrt(8)


def sublayer(x):
    return np.maximum(x @ M1, 0) @ M2


def ten_times(x):
    return 10 * sublayer(x)


print("cuánto cambia x, con la subcapa × 1 y × 10")
for name, arrangement in (("post", post), ("pre", pre), ("la tercera", third)):
    one, ten = (np.linalg.norm(arrangement(R, F) - R) for F in (sublayer, ten_times))
    print(f"{name:>10}: {number(one, 2)}, {number(ten, 2)}")

# %% [markdown]
# Con subcapas a cero, pre-norm y la tercera devuelven $x$ exactamente; post-norm devuelve filas de media 0 y desviación 1. Si la subcapa da diez veces más, con pre-norm el cambio es diez veces mayor. Con la tercera no cambia nada: normaliza lo que da la subcapa, y su tamaño se pierde.
#
# ¿Qué camino sigue la $I$ de la primera parte? En pre-norm, de la entrada a la salida, no atraviesa nada. En post-norm atraviesa **una norma por subcapa**, y cada norma divide entre la desviación de la suma. Si $x$ y $F(x)$ tienen desviación 1 y no se parecen, la suma tiene $\sqrt 2$: cada capa divide entre $\sqrt 2$. La celda mide el divisor en doce capas, con subcapas cuya salida es tan grande como su entrada.

# %%
divisors = lesson.post_norm_divisors(depth=12)  # (12,): entre qué divide cada norma
print("divisores:", *[number(s, 2) for s in divisors])
print("lo que lleva el camino directo tras 12 capas")
print(f"   pre-norm {number(1)}, post-norm {number(1 / np.prod(divisors), significant=2)}")
print(f"   post-norm, con √2 = {number(2**0.5, 2)} en todas: {number(2**-6, significant=2)}")

# %% [markdown]
# En post-norm el camino de la identidad sigue ahí, pero cada norma lo estrecha. En la práctica, las pilas profundas con post-norm piden empezar con una tasa de aprendizaje (el tamaño de cada paso al entrenar) muy pequeña: es el *calentamiento*. Con pre-norm no suele hacer falta. La lección 5 busca el porqué en el gradiente, capa a capa, y la 6 lo pone a prueba entrenando.

# %% [markdown]
# ## Cuando todas las filas se parecen
#
# Queda una razón para sumar que no tiene que ver con el gradiente. La atención **promedia**: cada fila nueva es una mezcla de todas. Si se promedia una y otra vez, todas las filas acaban siendo la misma. Se llama *colapso de rango*. Lo medimos con la semejanza mutua, el coseno medio entre cada dos filas distintas: cerca de 0 al empezar, 1 cuando todas apuntan igual. Aquí los bloques llevan solo la atención. Son ocho tokens, $d_{\mathrm{model}} = 64$ y 4 cabezas, y la media de tres sorteos.

# %%
print("atención sola              bloque 0      4      8     12")
for name, norm, residual in (
    ("sin suma, sin norma", "none", False),
    ("sin suma, post-norm", "post", False),
    ("con suma, post-norm", "post", True),
    ("con suma, pre-norm", "pre", True),
):
    curve = lesson.similarity_by_layer(norm=norm, residual=residual, mlp=False)
    print(f"{name:>26}  " + "  ".join(number(curve[k], 3) for k in (0, 4, 8, 12)))

# %% [markdown]
# Sin la suma, cuatro bloques bastan: las filas ya son iguales, con norma o sin ella. La suma lo frena, pero no siempre lo impide: con atención sola, post-norm llega a 0.996 tras el bloque 12; pre-norm se queda en 0.830. Concuerda con lo anterior: en pre-norm la entrada llega intacta; en post-norm cada norma reduce su parte.
#
# ¿Y la red por posición? Suele decirse que salva del colapso. Míralo con cada colocación de la norma.

# %%
print("tras el bloque 12, atención sola y con red por posición")
for norm in ("post", "pre"):
    alone = lesson.similarity_by_layer(norm=norm, residual=True, mlp=False)[12]
    both = lesson.similarity_by_layer(norm=norm, residual=True, mlp=True)[12]
    print(f"{norm:>4}: {number(alone, 3)}, {number(both, 3)}")
print("una red por posición lleva filas sin parecido a", number(lesson.relu_similarity(), 2))
print("1/π =", number(1 / np.pi, 2))

# %%
lesson.similarity_with_depth()

# %% [markdown]
# Fíjate en esto:
#
# - apaga la suma: en cualquiera de las combinaciones las filas se vuelven iguales en pocos bloques;
# - con pre-norm la red por posición aleja las filas (0.733); con post-norm no (0.999). Con pesos al azar, la ReLU también acerca filas, porque nunca da números negativos: filas sin parecido salen con un coseno de unos 0.32, es decir, $1/\pi$;
# - arrastra «bloques» y mira el mapa: las filas pierden su identidad todas a la vez.
#
# Son redes sin entrenar. El entrenamiento puede alejar las filas; lo que muestra la figura es desde dónde empieza.

# %% [markdown]
# ## Errores frecuentes
#
# | Lo que se escribe | Lo que hace | Cómo verlo |
# |---|---|---|
# | `x.std(ddof=1)` | divide entre $d - 1$ | (1, 0, 0, 0) da 1.500 en lugar de 1.732 |
# | `axis=0` | normaliza columnas | toca una fila y mira las demás |
# | `/ (s + eps)` | deja $\varepsilon$ fuera de la raíz | una fila casi constante sale con desviación casi 1 |
# | varianza como media de cuadrados menos cuadrado de la media | resta dos números enormes | float32, alrededor de 40 000: varianza negativa |
# | `x + layer_norm(sublayer(x))` | la tercera cosa | multiplica la subcapa por diez: no cambia |
# | `x += sublayer(x)` | escribe sobre la entrada | compara la entrada con una copia de antes |
# | `x = x + x` | duplica, no suma la subcapa | con subcapa cero sale $2x$ |
# | texto post-norm, código pre-norm | todo lo demás encaja, y los pesos no sirven | con subcapa cero, pre-norm devuelve $x$ |

# %%
far = np.array([40_000, 40_001, 40_002, 40_003], dtype=np.float32)
print("alrededor de", number(40_000), "en float32")
one_pass = float(np.square(far).mean() - np.square(far.mean()))  # los dos términos, en float32
two_passes = float(((far - far.mean()) ** 2).mean())
print("varianza en una pasada:", number(one_pass))
print("en dos pasadas:", number(two_passes, 2))
print("layer_norm:", *[number(v, 3) for v in layer_norm(far)])
print("la fila (1, 0, 0, 0):", number(layer_norm(row)[0], 3))
print("con ddof = 1:", number(0.75 / row.std(ddof=1), 3))

# %%
def in_place(x):
    x += sublayer(x)  # escribe en la matriz de quien llama
    return x


def out_of_place(x):
    return x + sublayer(x)


for name, function in (("sobre la entrada", in_place), ("aparte", out_of_place)):
    given = R.copy()
    function(given)
    print(f"{name}: la entrada sigue igual: {np.array_equal(given, R)}")

# %% [markdown]
# ## Ejercicios
#
# Cambia cada `...` por tu expresión y ejecuta la celda. Si algo falla, la comprobación te dirá a qué error conocido se parece.
#
# ### Ejercicio 1 · `layer_norm`
#
# ●●○ · 10 minutos · Normaliza cada fila de `x`, de forma (n, d), por su cuenta; después, `gamma` y `beta`, de forma (d,). Tiene que aguantar filas constantes y filas muy lejos de 0.
#
# <details><summary>Pista 1</summary>¿Sobre qué eje están las coordenadas de un token?</details>
# <details><summary>Pista 2</summary>La media de cada fila tiene que poder restarse de su fila: <code>keepdims=True</code> conserva el eje.</details>
# <details><summary>Pista 3</summary>La varianza es la media de los cuadrados de lo que queda al restar la media, y ε se le suma antes de la raíz.</details>

# %% tags=["exercise"]
def my_layer_norm(x, gamma, beta, eps):
    mean = ...
    variance = ...
    normalised = ...
    return gamma * normalised + beta


check("layer_norm", my_layer_norm)

# %% [markdown]
# <details><summary>Solución</summary>
#
# ```python
# def my_layer_norm(x, gamma, beta, eps):
#     mean = x.mean(axis=-1, keepdims=True)
#     variance = ((x - mean) ** 2).mean(axis=-1, keepdims=True)
#     normalised = (x - mean) / np.sqrt(variance + eps)
#     return gamma * normalised + beta
# ```
#
# Cuando la comprobación la dé por buena, pruébala en la figura, en una celda nueva: `lesson.disturb_a_row(my_layer_norm)`.
# </details>
#
# ### Ejercicio 2 · `residual_gradient`
#
# ●●● · 12 minutos · Una pila de capas calcula $x_{\ell+1} = x_\ell + F_\ell(x_\ell)$. Recibes los jacobianos de las subcapas, de forma (N, d, d), en orden desde la entrada; en cada uno, la fila es la salida y la columna, la entrada. Recibes también el gradiente de una pérdida respecto de la salida, de forma (d,). Devuelve el gradiente respecto de la entrada.
#
# <details><summary>Pista 1</summary>El gradiente viaja de la salida a la entrada. ¿Qué subcapa encuentra primero?</details>
# <details><summary>Pista 2</summary>Por la suma llega el gradiente tal cual; por la subcapa llega multiplicado por su jacobiano.</details>
# <details><summary>Pista 3</summary>Hacia atrás se multiplica por el jacobiano transpuesto: <code>J.T @ g</code>.</details>

# %% tags=["exercise"]
def my_residual_gradient(jacobians, gradient):
    for J in ...:
        gradient = ...
    return gradient


check("residual_gradient", my_residual_gradient)

# %% [markdown]
# <details><summary>Solución</summary>
#
# ```python
# def my_residual_gradient(jacobians, gradient):
#     for J in reversed(jacobians):
#         gradient = gradient + J.T @ gradient
#     return gradient
# ```
# </details>
#
# ### Ejercicio 3 · `post_norm_block`
#
# ●●○ · 10 minutos · El bloque del artículo: dos subcapas, la atención y la red por posición, cada una con su suma y, **después**, su norma. `attention` es una función que ya está hecha: recibe (n, d) y devuelve (n, d). La norma va sin γ ni β: `layer_norm(x)`.
#
# <details><summary>Pista 1</summary>¿Qué se normaliza, la salida de la subcapa o la suma?</details>
# <details><summary>Pista 2</summary>La segunda subcapa lee lo que salió de la primera norma, y eso mismo es lo que suma.</details>
# <details><summary>Pista 3</summary><code>feed_forward(x, W1, b1, W2, b2)</code> ya la tienes importada.</details>

# %% tags=["exercise"]
def my_post_norm_block(x, attention, W1, b1, W2, b2):
    x = ...
    return ...


check("post_norm_block", my_post_norm_block)

# %% [markdown]
# <details><summary>Solución</summary>
#
# ```python
# def my_post_norm_block(x, attention, W1, b1, W2, b2):
#     x = layer_norm(x + attention(x))
#     return layer_norm(x + feed_forward(x, W1, b1, W2, b2))
# ```
# </details>
#
# ### Ejercicio 4 · `pre_norm_block`
#
# ●●○ · 8 minutos · El bloque del código de hoy: la norma **delante** de cada subcapa, la suma libre y ninguna norma al final.
#
# <details><summary>Pista 1</summary>¿Qué lee la subcapa, <code>x</code> o <code>x</code> normalizada? ¿Y a cuál de las dos se suma?</details>
# <details><summary>Pista 2</summary>Con subcapas que den cero tiene que salir <code>x</code>, tal cual.</details>
# <details><summary>Pista 3</summary>No escribas <code>x += …</code>: cambiarías la matriz de quien te llamó.</details>

# %% tags=["exercise"]
def my_pre_norm_block(x, attention, W1, b1, W2, b2):
    x = ...
    return ...


check("pre_norm_block", my_pre_norm_block)

# %% [markdown]
# <details><summary>Solución</summary>
#
# ```python
# def my_pre_norm_block(x, attention, W1, b1, W2, b2):
#     x = x + attention(layer_norm(x))
#     return x + feed_forward(layer_norm(x), W1, b1, W2, b2)
# ```
#
# Compáralo con el ejercicio 3: las mismas piezas, en otro orden. Por eso los pesos de un modelo post-norm no sirven en un código pre-norm, aunque todas las formas encajen.
# </details>

# %% [markdown]
# ## Preguntas
#
# Sin prisa y sin nota. Cada opción explica por qué vale o por qué no, y puedes volver a intentarlo.

# %%
quiz("lesson4")

# %%
score("lesson4")

# %% [markdown]
# ## Resumen
#
# 1. Con la suma, el jacobiano de cada capa es $I + J$: el producto no se apaga, porque uno de sus $2^N$ caminos no atraviesa ninguna subcapa.
# 2. La suma obliga a que todo entre y salga con la misma forma, $(n, d_{\mathrm{model}})$.
# 3. Con la suma, las filas crecen con la profundidad; layer norm lleva cada fila, por su cuenta, a media 0 y desviación 1, y después $\gamma$ y $\beta$ la llevan adonde convenga.
# 4. Una fila normalizada no depende de las demás filas, ni del lote, ni de la longitud.
# 5. Post-norm pone una norma en el camino de la identidad; pre-norm lo deja libre. Sin la suma, las filas se vuelven iguales.

# %% [markdown]
# ## Términos
#
# | español | inglés | en una línea |
# |---|---|---|
# | conexión residual | *residual connection* | sumar la entrada de la subcapa a su salida |
# | subcapa | *sublayer* | la atención o la red por posición |
# | camino | *path* | un término del producto de los $I + J$ |
# | normalización por capas | *layer norm* | cada fila a media 0 y desviación 1; después, $\gamma$ y $\beta$ |
# | post-norm | *post-norm* | la norma después de la suma |
# | pre-norm | *pre-norm* | la norma delante de la subcapa |
# | colapso de rango | *rank collapse* | todas las filas acaban siendo la misma |
# | tasa de aprendizaje | *learning rate* | el tamaño de cada paso al entrenar |
#
# Todos los términos están en el [glosario](90_glosario.ipynb).

# %% [markdown]
# ## Fuentes
#
# - Hochreiter y Schmidhuber (1997), *Long Short-Term Memory*: la memoria que se suma; la compuerta de olvido es de Gers, Schmidhuber y Cummins (2000), *Learning to Forget*.
# - He, Zhang, Ren y Sun (2016), *Deep Residual Learning for Image Recognition*, sección 3; y *Identity Mappings in Deep Residual Networks*, sección 2: el camino sin obstáculos.
# - Veit, Wilber y Belongie (2016), *Residual Networks Behave Like Ensembles of Relatively Shallow Networks*: los caminos y sus longitudes.
# - Ba, Kiros y Hinton (2016), *Layer Normalization*, sección 3.
# - Vaswani y otros (2017), *Attention Is All You Need*, sección 3.1: post-norm.
# - Xiong y otros (2020), *On Layer Normalization in the Transformer Architecture*: post-norm, pre-norm y el calentamiento.
# - Dong, Cordonnier y Loukas (2021), *Attention Is Not All You Need: Pure Attention Loses Rank Doubly Exponentially with Depth*.
# - Liu y otros (2022), *Swin Transformer V2*, sección 3: la norma sobre la salida de la subcapa.
#
# **Siguiente lección:** [5 · El bloque completo](05_bloque_completo.ipynb).

# %% tags=["colophon"]
from bloque.colophon import colophon

colophon(4)
