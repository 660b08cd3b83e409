# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 1 · La saturación de la softmax
#
# [English](../en/01_softmax_saturation.ipynb) · unos 24 minutos, sin contar los ejercicios
#
# Al terminar podrás:
#
# - deducir las pendientes de la softmax sin saltarte ningún paso;
# - mirar unas puntuaciones y decir si todavía se puede aprender de ellas;
# - distinguir la saturación del desbordamiento, dos averías que suelen confundirse.

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

from bloque import number, softmax, softmax_jacobian
from bloque.checks import check
from bloque.lessons import softmax_saturation as lesson
from bloque.quiz import quiz, score

# %% [markdown]
# ## La pregunta
#
# En la atención, cada token puntúa a todos, incluido él mismo. La softmax convierte esas puntuaciones en pesos: números positivos que suman 1.
#
# Imagina que, nada más empezar el entrenamiento, una puntuación se escapa y se lleva casi todo el peso. La red se ha decidido antes de aprender nada. Si se ha equivocado, **¿puede cambiar de opinión?**
#
# Para cambiar de opinión hace falta pendiente: si mueves un poco una puntuación, algún peso tiene que moverse. En esta lección medimos esa pendiente, la deducimos y miramos cómo desaparece.
#
# Esta es la función, para unas puntuaciones $z = (z_1, \dots, z_n)$:
#
# $$\operatorname{softmax}(z)_i = \frac{e^{z_i}}{\sum_j e^{z_j}}$$
#
# Desde ahora, $p = \operatorname{softmax}(z)$. Mira el denominador: ahí están todas las puntuaciones. Cada $p_i$ depende del vector entero, así que «la softmax de $z_i$» no existe. La celda siguiente cambia solo la última puntuación.

# %%
for scores in ([0, 1, 2], [0, 1, 4]):
    weights = softmax(scores)
    print("puntuaciones", scores, "→ pesos", *(number(weight, 3) for weight in weights))

# %% [markdown]
# Solo subió la última puntuación, de 2 a 4, y cambiaron los tres pesos. Lo que gana uno lo pierden los demás.

# %% [markdown]
# ## Predice y arrastra: ¿es malo que sean grandes?
#
# Una pendiente se puede medir a empujones: mueves una sola puntuación un poquito y miras cuánto se mueve cada peso. Con tres puntuaciones y tres pesos salen nueve pendientes. La tabla que las reúne se llama **jacobiano**, $J$: en la fila $i$ y la columna $j$ está $\partial p_i / \partial z_j$, lo que se mueve el peso $i$ por cada unidad que sube la puntuación $j$. Llamamos max|J| a la mayor de las nueve, sin mirar el signo.

# %%
def measured_jacobian(scores, step=1e-6):
    """Columna j: cuánto se mueve cada peso, por unidad, al empujar solo la puntuación j."""
    scores = np.array(scores, dtype=float)
    pushes = step * np.eye(len(scores))  # fila j: un empujón solo en la puntuación j
    return np.stack([(softmax(scores + push) - softmax(scores - push)) / (2 * step) for push in pushes], axis=1)


slopes = measured_jacobian([0, 1, 2])
for row in slopes:
    print(*(f"{number(slope, 4):>8}" for slope in row))
print("la pendiente más fuerte, max|J|:", number(np.abs(slopes).max(), 4))

# %% [markdown]
# Con $(0, 1, 2)$ la pendiente más fuerte es 0.2227. Ahora suma 500 a cada puntuación: $(500, 501, 502)$. **¿Cuánto valdrá max|J|?** Haz tu apuesta y solo después arrastra.
#
# - Fíjate en las barras mientras la suma crece.
# - Fíjate en si el punto sube, baja o se queda donde está.

# %%
lesson.shift()

# %% [markdown]
# No se mueve nada. Sumar $c$ a todas las puntuaciones multiplica cada exponencial por $e^c$, arriba y abajo, y la fracción queda igual:
#
# $$\frac{e^{z_i + c}}{\sum_j e^{z_j + c}} = \frac{e^c\, e^{z_i}}{e^c \sum_j e^{z_j}} = \frac{e^{z_i}}{\sum_j e^{z_j}}$$
#
# Así que el tamaño no importa. Lo que satura una softmax son las **diferencias** entre puntuaciones. Compara las cuatro filas:

# %%
for scores in ([500, 500, 500], [0, 1, 2], [500, 501, 502], [0, 10, 20]):
    print(f"max|J| = {number(lesson.largest_slope(scores), significant=4):>7}  con {scores}")

# %% [markdown]
# Con tres puntuaciones iguales a 500 queda 0.2222. En cambio con $(0, 10, 20)$, que son números mucho más pequeños, queda 4.540e−5: la softmax ya se ha decidido y casi no responde. A eso se le llama **saturarse**.

# %% [markdown]
# ## La derivada, paso a paso
#
# Vamos a encontrar la fórmula de esas nueve pendientes. Usamos $z = (2, 1, 0)$, con la primera puntuación por delante, y detrás de cada paso una celda lo comprueba con números.
#
# **Paso 1. Un nombre para el denominador.** Llama $S = \sum_j e^{z_j}$ y escribe el cociente como un producto:
#
# $$p_1 = \frac{e^{z_1}}{S} = e^{z_1}\, S^{-1}$$
#
# En $S$ solo hay un sumando con $z_1$. Los demás no cambian cuando se mueve $z_1$, y su derivada es 0:
#
# $$\frac{\partial S}{\partial z_1} = e^{z_1}$$

# %%
z = np.array([2.0, 1.0, 0.0])
push = np.array([1e-6, 0, 0])  # solo se mueve z₁
S = np.exp(z).sum()
measured = (np.exp(z + push).sum() - np.exp(z - push).sum()) / 2e-6
print("S       =", number(S, 4))
print("∂S/∂z₁ =", number(measured, 4), "medida con un empujón")
print("e^z₁    =", number(np.exp(z[0]), 4))

# %% [markdown]
# **Paso 2. La regla del producto.** Los dos factores de $e^{z_1} S^{-1}$ dependen de $z_1$: se deriva el primero y se deja el segundo, y después al revés.
#
# $$\frac{\partial p_1}{\partial z_1} = \underbrace{e^{z_1}\, S^{-1}}_{\text{derivando } e^{z_1}} + \underbrace{e^{z_1} \cdot \left(-S^{-2}\right) \frac{\partial S}{\partial z_1}}_{\text{derivando } S^{-1}}$$
#
# La derivada de $S^{-1}$ es $-S^{-2}$ por la derivada de $S$: es la regla de la cadena. Ahora entra el paso 1, $\partial S / \partial z_1 = e^{z_1}$:
#
# $$\frac{\partial p_1}{\partial z_1} = \frac{e^{z_1}}{S} - \frac{e^{z_1}\, e^{z_1}}{S^2} = p_1 - p_1^2 = p_1\,(1 - p_1)$$

# %%
first = np.exp(z[0]) / S  # derivando e^z₁
second = -np.exp(z[0]) * np.exp(z[0]) / S**2  # derivando S⁻¹
p = softmax(z)
print("los dos términos:", number(first, 5), "y", number(second, 5))
print("su suma:         ", number(first + second, 5))
print("p₁ (1 − p₁):     ", number(p[0] * (1 - p[0]), 5))
print("empujando:       ", number(measured_jacobian(z)[0, 0], 5))

# %% [markdown]
# **Paso 3. Lee el resultado.** La pendiente solo depende del peso. Es una parábola en $p_1$: vale 0 en los dos extremos y es máxima en el medio, porque su derivada, $1 - 2 p_1$, se anula en $p_1 = 0.5$.

# %%
for weight in (0.001, 0.5, 0.9, 0.99, 1):
    print(f"p₁ = {weight:<5}   pendiente p₁ (1 − p₁) = {weight * (1 - weight):.4g}")

# %% [markdown]
# La pendiente máxima es 0.25. Con $p_1 = 0.99$ queda 0.0099. Con $p_1 = 1$ queda 0: ahí el peso ya no escucha a su puntuación. Y en el otro extremo pasa lo mismo: tampoco responde un peso que está casi en 0.
#
# **Paso 4. Fuera de la diagonal.** ¿Y si se mueve otra puntuación, $z_2$? Ahora $e^{z_1}$ es una constante y solo queda el segundo término, con $\partial S / \partial z_2 = e^{z_2}$:
#
# $$\frac{\partial p_1}{\partial z_2} = e^{z_1} \cdot \left(-S^{-2}\right) e^{z_2} = -\frac{e^{z_1}}{S}\,\frac{e^{z_2}}{S} = -p_1\, p_2$$
#
# Sale negativo: si $z_2$ sube, $p_1$ baja.

# %%
print("−p₁ p₂:   ", number(-p[0] * p[1], 5))
print("empujando:", number(measured_jacobian(z)[0, 1], 5))

# %% [markdown]
# **Paso 5. La tabla entera.** Nada de lo anterior dependía de que los índices fueran 1 y 2. Para cualesquiera $i$ y $j$, con $\delta_{ij} = 1$ si $i = j$ y 0 si no:
#
# $$\frac{\partial p_i}{\partial z_j} = p_i\,(\delta_{ij} - p_j) \qquad\text{o, de una vez,}\qquad J = \operatorname{diag}(p) - p\, p^{\mathsf T}$$
#
# En esta fórmula se leen tres propiedades:
#
# - **es simétrica**, porque $p_i p_j = p_j p_i$;
# - **cada fila suma 0**: $p_i - p_i \sum_j p_j = p_i - p_i = 0$. Es otra vez la regla de antes: empujar todas las puntuaciones a la vez no cambia nada;
# - **su rango es $n - 1$** si todos los pesos son positivos. Si $J v = 0$, entonces $p_i\,(v_i - p \cdot v) = 0$ para cada $i$, así que todos los $v_i$ valen lo mismo. Esa es la única dirección que se pierde.

# %%
J = softmax_jacobian(p)
print("diferencia con la medida a empujones:", number(np.abs(J - measured_jacobian(z)).max(), 6))
print("simétrica:", np.array_equal(J, J.T))
print("sumas de las filas:", *(number(total, 6) for total in J.sum(axis=1)))
print("rango:", np.linalg.matrix_rank(J), "con n =", len(p))

# %% [markdown]
# ## Arrastra la escala
#
# Aquí multiplicas todas las puntuaciones por un mismo número. Así crecen las diferencias entre ellas. Puedes escribir tus propias puntuaciones.
#
# - Fíjate en el panel central: la curva de $p_1$ tiene siempre la misma forma. Lo que cambia es en qué parte de la curva estás, y la recta tangente se tumba.
# - Fíjate en la derecha: pasado un punto, la pendiente más fuerte se desploma. El eje es logarítmico: al bajar, cada marca vale muchas veces menos que la de encima.
# - Escribe tres puntuaciones iguales y mueve la escala. ¿Qué esperas que pase?

# %%
lesson.saturation()

# %% [markdown]
# ## El mapa de todas las pendientes
#
# Una softmax muy decidida, con $p = (0.001, 0.998, 0.001)$. Estas son sus nueve pendientes:

# %%
for row in softmax_jacobian([0.001, 0.998, 0.001]):
    print(*(f"{number(slope, 6):>10}" for slope in row))

# %% [markdown]
# La mayor es 0.001996, más de cien veces menor que el máximo posible. Y **todas** las entradas se apagan a la vez: cada una es el producto de $p_i$ por $p_j$ o por $1 - p_i$, y siempre uno de los dos factores es pequeño.
#
# Abajo, el color dice el tamaño y el número lleva el signo.
#
# - Fíjate en la diagonal: es positiva. Fuera de ella todo es negativo.
# - Suma una fila de cabeza: da 0, salvo el redondeo.
# - Sube la escala y mira qué entradas se borran las últimas.

# %%
lesson.jacobian()

# %% [markdown]
# ## Predice y arrastra: ¿cómo de deprisa se apaga?
#
# Ahora una puntuación va por delante de otras siete, que están empatadas a 0. Llama $c$ a su ventaja. Con $c = 0$ los ocho pesos son iguales.
#
# **¿Qué ventaja hace falta para que la pendiente de esa puntuación baje de una milésima?** Apuesta y después arrastra.
#
# - Fíjate en el principio: la pendiente primero sube. ¿Hasta dónde?
# - Fíjate en la derecha, con el eje logarítmico: después de la curva viene una recta.
# - Cambia $k$, el número de puntuaciones. La recta se desplaza; no cambia de inclinación.

# %%
lesson.gap()

# %% [markdown]
# La cuenta es corta. Con una puntuación $c$ y otras $k - 1$ iguales a 0:
#
# $$p = \frac{e^c}{e^c + (k-1)} \qquad 1 - p = \frac{k-1}{e^c + (k-1)} \approx (k-1)\, e^{-c}$$
#
# La aproximación vale cuando $e^c$ es mucho mayor que $k - 1$, es decir, con $c$ bien por encima de $\ln(k-1)$. Ahí $p \approx 1$ y la pendiente $p\,(1-p)$ es también $(k-1)\,e^{-c}$. En logaritmos naturales es una recta:
#
# $$\ln\bigl(p\,(1-p)\bigr) \approx \ln(k-1) - c$$
#
# Cada unidad más de ventaja divide la pendiente entre $e$. Compruébalo en la última columna:

# %%
print("ventaja   pendiente   dividida entre")
previous = None
for gap in range(0, 13, 1):
    slope = lesson.gap_slope(gap, 8)
    print(f"{gap:>7}   {number(slope, significant=3):>9}   {number(previous / slope, 3) if previous else ''}".rstrip())
    previous = slope

steepest = np.log(8 - 1)
incline = np.log(lesson.gap_slope(12, 8) / lesson.gap_slope(11, 8))
print("máxima:", number(lesson.gap_slope(steepest, 8), 2), "con ventaja", number(steepest, 2))
print("baja de 0.001 con ventaja", number(lesson.gap_where(1e-3, 8), 2))
print("inclinación:", number(incline, 3), "en logaritmo natural,", number(incline / np.log(10), 3), "en base diez")

# %% [markdown]
# La pendiente empieza subiendo: llega a 0.25 con una ventaja de 1.95, que es $\ln 7$, justo cuando $p = \tfrac12$. Luego cae. Con 8.85 ya está por debajo de la milésima, y al final cada unidad la divide entre 2.718.
#
# Es una recta de inclinación −1.000 en logaritmos naturales. En logaritmos de base diez, la misma recta tiene inclinación −0.434: solo cambia la unidad.

# %% [markdown]
# ## El desbordamiento es otra cosa
#
# Hay otro problema que suele confundirse con este. La exponencial de un número grande no cabe en los números del ordenador: en los de NumPy por defecto (float64), solo hasta $z = 709.8$. Si escribes la fórmula tal cual, $(1000, 1001, 1002)$ la rompe:

# %%
def naive_softmax(scores):
    exponentials = np.exp(scores)
    return exponentials / exponentials.sum()


scores = np.array([1000.0, 1001.0, 1002.0])
with np.errstate(over="ignore", invalid="ignore"):  # el aviso de NumPy ya sabemos cuál es
    broken = naive_softmax(scores)
print("tal cual:            ", *(number(weight, 5) for weight in broken))
print("restando el máximo:  ", *(number(weight, 5) for weight in naive_softmax(scores - scores.max())))
print("el de (0, 1, 2):     ", *(number(weight, 5) for weight in softmax([0, 1, 2])))
print("e^z cabe hasta z =   ", number(np.log(np.finfo(float).max), 1))
print("max|J| de (0, 10, 20):", number(lesson.largest_slope([0, 10, 20]), significant=3))

# %% [markdown]
# Restar el máximo lo arregla, y ya sabes por qué no cambia ningún peso: solo cuentan las diferencias. Salen los mismos 0.09003, 0.24473 y 0.66524 que con $(0, 1, 2)$.
#
# Pero esa resta **no toca la saturación**. $(0, 10, 20)$ no desborda nada y su pendiente más fuerte es 4.54e−5. Son dos averías, cada una con su remedio:
#
# | | desbordamiento | saturación |
# |---|---|---|
# | qué falla | la exponencial no cabe | la pendiente casi desaparece |
# | cuándo | puntuaciones grandes | diferencias grandes |
# | cómo se nota | sale NaN | los pesos parecen sanos, pero no se aprende |
# | remedio | restar el máximo | reducir las diferencias (lección 2) |

# %% [markdown]
# ## Temperatura y entropía
#
# Si multiplicar por una escala agranda las diferencias, dividir las encoge. Ese divisor se llama **temperatura**, $\tau$:
#
# $$p = \operatorname{softmax}(z / \tau)$$
#
# Para medir cuánto se reparte el peso usamos la **entropía**, $H = -\sum_i p_i \ln p_i$. Vale 0 si una sola puntuación se lleva todo el peso y $\ln n$ si las $n$ se lo reparten por igual.
#
# - Fíjate en los extremos: con $\tau$ muy pequeña queda el máximo y nada más (*argmax*); con $\tau$ muy grande, el reparto uniforme.
# - Fíjate en que el orden de las barras no cambia nunca. Cambia el contraste.
# - Escribe un empate en cabeza, por ejemplo `0 2 2`, y baja la temperatura. ¿Adónde va ahora la entropía?

# %%
lesson.temperature()

# %% [markdown]
# ## Entonces, ¿por qué aprende un clasificador?
#
# Un clasificador también acaba en una softmax, y muchas veces da casi todo el peso a una clase. ¿Por qué no se queda atascado cuando se equivoca?
#
# Por su **pérdida**, el número que el entrenamiento hace bajar. El **gradiente** son las derivadas de la pérdida: dice hacia dónde mover cada cosa. La entropía cruzada es $L = -\ln p_y$, donde $y$ es la clase correcta. Como $p_y = e^{z_y} / S$,
#
# $$L = -z_y + \ln S \qquad \frac{\partial \ln S}{\partial z_i} = \frac{e^{z_i}}{S} = p_i \qquad\Longrightarrow\qquad \frac{\partial L}{\partial z} = p - y$$
#
# (en la última, $y$ es el vector con un 1 en la clase correcta y ceros en las demás). El logaritmo ha deshecho la exponencial y no queda ningún factor que se apague.
#
# Con el error cuadrático, $L = \tfrac12 \lVert p - y \rVert^2$, nada la deshace. La regla de la cadena deja el jacobiano en medio:
#
# $$\frac{\partial L}{\partial z} = J\,(p - y)$$
#
# La celda compara los dos gradientes cuando el clasificador está muy seguro **y se equivoca**. El **margen** es lo que la puntuación correcta aventaja a las demás; si es negativo, va por detrás.

# %%
target = np.array([1.0, 0.0, 0.0])
for margin in (0, -5, -10):
    weights = softmax([margin, 0, 0])
    cross_entropy = weights - target
    squared_error = softmax_jacobian(weights) @ (weights - target)
    print(f"margen {number(margin):>3}: p₁ = {number(weights[0], significant=3)}", end=" · ")
    print("derivada en z₁:", number(cross_entropy[0], 4), "con entropía cruzada,", number(squared_error[0], significant=3), "con error cuadrático")

# %% [markdown]
# Con un margen de −10, a la clase correcta no le queda casi nada de peso. La entropía cruzada tira de $z_1$ con toda su fuerza, −1.0000. El error cuadrático apenas tira, −3.40e−5: el clasificador se equivoca y no aprende.
#
# - Fíjate en la izquierda del tercer panel (muy seguro, equivocado): una línea se queda arriba y la otra se hunde.
# - Fíjate en la derecha (muy seguro, acertando): las dos bajan, y está bien que bajen.

# %%
lesson.losses()

# %% [markdown]
# **Y dentro de la atención, ¿quién deshace la exponencial? Nadie.** Los pesos no van a un logaritmo: multiplican a los valores, y los productos se suman. El gradiente que vuelve hacia las puntuaciones pasa siempre por $J$. Si $J$ es casi 0, las consultas y las claves se quedan sin señal, por mucho que se equivoque la red. Por eso hay que vigilar las diferencias entre puntuaciones, y de eso trata la lección 2.

# %% [markdown]
# ## Errores frecuentes
#
# - **Culpar al tamaño.** No satura que las puntuaciones sean grandes, sino que se diferencien mucho. Suma lo mismo a todas y mira.
# - **Usar solo $p_i\,(1 - p_i)$.** Es la diagonal. Si olvidas los términos $-p_i p_j$, las filas de $J$ dejan de sumar 0, y el gradiente sale mal sin que salte ningún error.
# - **«Resto el máximo, luego no hay saturación».** Restar el máximo evita el desbordamiento. Los pesos, y por tanto las pendientes, son los mismos.
# - **Restar un máximo que no es el suyo.** Con $\max(0, \max z)$, unas puntuaciones muy negativas dan 0/0. Con el máximo de toda la matriz, una fila que quede muy por debajo da también 0/0.
# - **Equivocarse de eje.** Sale una matriz de la misma forma y no salta ningún error. Para verlo, suma las filas:

# %%
scores = np.array([[0.0, 1.0, 2.0], [3.0, 1.0, 1.0]])
print("sumas de las filas, último eje:", *(number(total, 3) for total in softmax(scores).sum(axis=-1)))
print("sumas de las filas, eje 0:     ", *(number(total, 3) for total in softmax(scores, axis=0).sum(axis=-1)))

# %% [markdown]
# Con el eje equivocado las filas ya no suman 1: ahora son las columnas las que lo suman.

# %% [markdown]
# ## Ejercicios
#
# Cambia cada `...` por tu expresión y ejecuta la celda. Si algo falla, la comprobación te dirá a qué error conocido se parece.

# %% [markdown]
# ### Ejercicio 1 · softmax
#
# ●○○ · 6 minutos · Escribe una softmax que aguante puntuaciones enormes, muy negativas y hasta alguna $-\infty$. Trabaja sobre el último eje, para que sirva con un vector y con una matriz.
#
# <details><summary>Pista 1</summary>
#
# ¿Qué puedes restar a todas las puntuaciones de una fila sin cambiar ningún peso?
#
# </details>
# <details><summary>Pista 2</summary>
#
# El máximo de cada fila, no el de toda la matriz.
#
# </details>
# <details><summary>Pista 3</summary>
#
# `keepdims=True` conserva el eje, y así la resta y la división encajan fila a fila.
#
# </details>

# %% tags=["exercise"]
def my_softmax(scores):
    scores = np.asarray(scores, dtype=float)
    largest = ...
    exponentials = np.exp(scores - largest)
    return ...


check("softmax", my_softmax)

# %% [markdown]
# <details><summary>Solución</summary>
#
# ```python
# def my_softmax(scores):
#     scores = np.asarray(scores, dtype=float)
#     largest = scores.max(axis=-1, keepdims=True)
#     exponentials = np.exp(scores - largest)
#     return exponentials / exponentials.sum(axis=-1, keepdims=True)
# ```
#
# Cuando la comprobación la dé por buena, mueve la figura con ella: `lesson.saturation(softmax=my_softmax)` en una celda nueva.
# </details>

# %% [markdown]
# ### Ejercicio 2 · El jacobiano
#
# ●●○ · 8 minutos · Recibe los pesos $p$ (un vector) y devuelve la matriz $J$ con todas las pendientes.
#
# <details><summary>Pista 1</summary>
#
# En la diagonal está $p_i - p_i^2$ y fuera de ella $-p_i p_j$. ¿Qué tienen en común?
#
# </details>
# <details><summary>Pista 2</summary>
#
# El término $-p_i p_j$ está en todas las casillas; la diagonal tiene además un $p_i$.
#
# </details>
# <details><summary>Pista 3</summary>
#
# Mira `np.diag` y `np.outer`.
#
# </details>

# %% tags=["exercise"]
def my_jacobian(weights):
    weights = np.asarray(weights, dtype=float)
    diagonal = ...
    products = ...
    return diagonal - products


check("softmax_jacobian", my_jacobian)

# %% [markdown]
# <details><summary>Solución</summary>
#
# ```python
# def my_jacobian(weights):
#     weights = np.asarray(weights, dtype=float)
#     diagonal = np.diag(weights)
#     products = np.outer(weights, weights)
#     return diagonal - products
# ```
# </details>

# %% [markdown]
# ### Ejercicio 3 · La temperatura
#
# ●●● · 12 minutos · Dadas unas puntuaciones y lo que quieres que valga el mayor peso, encuentra la temperatura que lo consigue. En general no se puede despejar: búscala por mitades. En cada vuelta prueba el punto medio y quédate con la mitad donde está la respuesta.
#
# <details><summary>Pista 1</summary>
#
# Al subir la temperatura, el mayor peso siempre baja. ¿Qué dice de la temperatura que el peso salga demasiado grande?
#
# </details>
# <details><summary>Pista 2</summary>
#
# Si el mayor peso supera el que quieres, hace falta más calor: la respuesta está por encima del punto medio.
#
# </details>
# <details><summary>Pista 3</summary>
#
# El punto medio es la raíz del producto porque la temperatura se mueve por factores: entre una milésima y mil, el medio es 1.
#
# </details>

# %% tags=["exercise"]
def my_temperature(scores, wanted):
    scores = np.asarray(scores, dtype=float)
    low, high = 1e-6, 1e6
    for _ in range(100):
        middle = np.sqrt(low * high)
        weight = ...
        if weight > wanted:
            low = ...
        else:
            high = ...
    return middle


check("temperature", my_temperature)

# %% [markdown]
# <details><summary>Solución</summary>
#
# ```python
# def my_temperature(scores, wanted):
#     scores = np.asarray(scores, dtype=float)
#     low, high = 1e-6, 1e6
#     for _ in range(100):
#         middle = np.sqrt(low * high)
#         weight = softmax(scores / middle).max()
#         if weight > wanted:
#             low = middle
#         else:
#             high = middle
#     return middle
# ```
# </details>

# %% [markdown]
# ### Ejercicio 4 · La escala que satura
#
# ●●○ · 10 minutos · ¿Por qué número hay que multiplicar unas puntuaciones para que su pendiente más fuerte baje justo hasta `slope`? La puntuación más alta es única: con dos empatadas en cabeza, la pendiente se acerca a su máximo y no baja. Es la misma búsqueda, ahora sobre la escala y mirando max|J|.
#
# <details><summary>Pista 1</summary>
#
# Necesitas dos piezas que ya tienes: los pesos de las puntuaciones multiplicadas y su jacobiano.
#
# </details>
# <details><summary>Pista 2</summary>
#
# La pendiente más fuerte es el mayor valor absoluto de la matriz: hay entradas negativas.
#
# </details>
# <details><summary>Pista 3</summary>
#
# Si la pendiente todavía supera la que buscas, la escala se ha quedado corta.
#
# </details>

# %% tags=["exercise"]
def my_saturation_scale(scores, slope):
    scores = np.asarray(scores, dtype=float)
    low, high = 1e-6, 1e6
    for _ in range(100):
        middle = np.sqrt(low * high)
        steepest = ...
        if steepest > slope:
            low = ...
        else:
            high = ...
    return middle


check("saturation_scale", my_saturation_scale)

# %% [markdown]
# <details><summary>Solución</summary>
#
# ```python
# def my_saturation_scale(scores, slope):
#     scores = np.asarray(scores, dtype=float)
#     low, high = 1e-6, 1e6
#     for _ in range(100):
#         middle = np.sqrt(low * high)
#         steepest = np.abs(softmax_jacobian(softmax(middle * scores))).max()
#         if steepest > slope:
#             low = middle
#         else:
#             high = middle
#     return middle
# ```
#
# La pendiente puede subir antes de caer, pero no importa: si `slope` es menor que la pendiente de partida, la cruza una sola vez, bajando.
# </details>

# %% [markdown]
# ## Preguntas
#
# Sin prisa y sin nota. Cada opción explica por qué vale o por qué no, y puedes volver a intentarlo.

# %%
quiz("lesson1")

# %%
score("lesson1")

# %% [markdown]
# ## Resumen
#
# 1. Un peso responde a su puntuación con pendiente $p_i(1 - p_i)$, y a las demás con $-p_i p_j$: $J = \operatorname{diag}(p) - p\,p^{\mathsf T}$.
# 2. Solo cuentan las diferencias. Puntuaciones enormes y parecidas no saturan nada.
# 3. Cuando una puntuación se escapa, cada unidad más de ventaja divide la pendiente entre $e$.
# 4. Restar el máximo evita el desbordamiento. No evita la saturación.
# 5. La entropía cruzada cancela el jacobiano. Dentro de la atención no lo cancela nadie.

# %% [markdown]
# ## Términos
#
# | español | inglés | en una línea |
# |---|---|---|
# | puntuación | *score* | lo que entra en la softmax, $z_i$ |
# | peso | *weight* | lo que sale, $p_i$: positivo, y todos suman 1 |
# | saturación | *saturation* | un peso vale casi 1 y las pendientes, casi 0: una puntuación va muy por delante |
# | jacobiano | *Jacobian* | la tabla de todas las pendientes |
# | gradiente | *gradient* | las derivadas de la pérdida; apunta hacia donde más sube |
# | desbordamiento | *overflow* | un número tan grande que no cabe en su tipo |
# | temperatura | *temperature* | lo que divide a las puntuaciones |
# | entropía | *entropy* | cuánto se reparte el peso |
# | entropía cruzada | *cross-entropy* | la pérdida $-\ln p_y$ |
#
# Todos los términos están en el [glosario](90_glosario.ipynb).

# %% [markdown]
# ## Fuentes
#
# - Bishop y Bishop (2024), *Deep Learning: Foundations and Concepts*, sección 12.1.5: por qué se escalan las puntuaciones de la atención.
# - Vaswani y otros (2017), *Attention Is All You Need*, sección 3.2.1: la sospecha de que la softmax acaba en zonas de gradiente muy pequeño.
#
# **Siguiente lección:** [2 · Por qué √d_k](02_raiz_dk.ipynb). Ya sabes que las diferencias grandes saturan la softmax. Ahora, de dónde salen y por qué crecen con la dimensión.

# %% tags=["colophon"]
from bloque.colophon import colophon

colophon(1)
