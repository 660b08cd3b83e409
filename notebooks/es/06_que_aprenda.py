# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 6 · Que aprenda
#
# [English](../en/06_make_it_learn.ipynb) · unos 28 minutos, sin contar los ejercicios
#
# Al terminar podrás:
#
# - entrenar un Transformer en NumPy con los gradientes exactos de sus piezas;
# - ver cómo se forma una cabeza que busca, y decir en qué paso ocurre;
# - poner a prueba tres afirmaciones conocidas, sobre $\sqrt{d_k}$, las conexiones residuales y el calentamiento, y decir hasta qué punto se cumplen.

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

from bloque import number, softmax
from bloque.checks import check
from bloque.lessons import training as lesson
from bloque.quiz import quiz, score
from bloque.training import (
    ModelSettings,
    Training,
    adam_start,
    adam_step,
    cross_entropy,
    flattened,
    induction_answer,
    model_backward,
    model_forward,
    unflattened,
)

# %% [markdown]
# ## La pregunta
#
# En cinco lecciones hemos construido un bloque con las matrices llenas de números al azar: todavía no sabe nada. Hemos dicho que dividir entre $\sqrt{d_k}$, sumar la entrada y normalizar sirven para que pueda aprender.
#
# **¿Y aprende?** Vamos a entrenarlo con NumPy y con los gradientes de sus piezas, a mirar dentro mientras aprende y a quitarle las piezas una a una.

# %% [markdown]
# ## La tarea: qué venía después
#
# Hace falta una tarea que no se pueda resolver sin atención. Esta se dice en una frase: **¿qué venía después de este token la última vez que salió?** Se llama *tarea de inducción*.
#
# Cada secuencia empieza con tokens todos distintos. Después repite un trozo del principio, copiado desde un sitio que cambia en cada secuencia. En la parte repetida se puede saber qué viene ahora: basta con buscar el token actual más atrás y leer el que le seguía. Contar posiciones no sirve, porque la distancia cambia.
#
# Las secuencias van en **lotes**: un lote son las que se procesan en un mismo paso. Cada lote trae tres tablas con una fila por secuencia: `batch.tokens`, los tokens; `batch.targets`, el token que viene después de cada uno; y `batch.asked`, `True` en las posiciones por las que se pregunta, las de la parte repetida.
#
# La celda escribe dos secuencias. Los puntos marcan dónde empieza la copia.

# %%
training = Training(ModelSettings(), seed=0)
batch = training.new_batch()
for tokens, asked in zip(batch.tokens[:2], batch.asked[:2], strict=True):
    print(*tokens[~asked], "···", *tokens[asked])

# %% [markdown]
# Esa regla se puede programar (`induction_answer`), y acierta siempre sin aprender nada. Así sabemos que la tarea tiene respuesta. Compara la fracción de aciertos de la regla con la de quien eligiera un token al azar.

# %%
rule = induction_answer(batch.tokens)  # (batch, n)
print("la regla acierta:", number(float((rule == batch.targets)[batch.asked].mean()), 2))
print("al azar:         ", number(1 / training.settings.vocabulary, 4))

# %% [markdown]
# ## El modelo
#
# No hay ninguna pieza nueva: el embedding de cada token, más la codificación posicional; dos bloques con máscara causal y pre-norm; una normalización final y una matriz que da un *logit*, una puntuación, a cada token del vocabulario. Una softmax convierte los logits en probabilidades.
#
# Un solo bloque no basta. Para encontrar «el que venía después», antes hay que haber anotado en cada posición qué token la precede. Eso pide dos atenciones, una detrás de otra.
#
# La celda cuenta los parámetros y enseña qué forma tiene la salida.

# %%
logits, kept = model_forward(batch.tokens, training.parameters, training.settings)
print("parámetros:", number(training.flat.size))
print("tokens", batch.tokens.shape, "→ logits", logits.shape)

# %% [markdown]
# ## La pérdida y su gradiente
#
# La pérdida es la entropía cruzada de la lección 1: la media de $-\ln p$ del token correcto, solo en las posiciones por las que se pregunta. Llama $M$ al número de preguntas, $z$ a los logits, $p$ a su softmax e $y$ al vector con un 1 en el token correcto y ceros en los demás:
#
# $$L = -\frac{1}{M} \sum_{\text{preguntas}} \ln p_{\text{correcto}}, \qquad \frac{\partial L}{\partial z} = \frac{p - y}{M}$$
#
# Un modelo que repartiera el peso por igual tendría de pérdida el logaritmo del tamaño del vocabulario. Compara con él la pérdida de partida. Es mayor: con las matrices al azar el modelo no reparte por igual, sino que favorece a algunos tokens sin motivo.

# %%
loss, by_logits = cross_entropy(logits, batch)
print("pérdida de partida:   ", number(loss, 1))
print("logaritmo del tamaño: ", number(np.log(training.settings.vocabulary), 2))

# %% [markdown]
# El gradiente es el $p - y$ de la lección 1, dividido entre el número de preguntas. La celda lo rehace a mano y comprueba que coincide, salvo el redondeo. Donde no se pregunta, el gradiente es 0: por eso se multiplica por `asked`. Esa tabla tiene forma (lote, n) y `p - y`, (lote, n, vocabulario); `asked[..., None]` le añade al final un eje de tamaño 1, y cada `True` o `False` vale para todo el vocabulario (lección 0, *broadcasting*).

# %%
y = np.eye(training.settings.vocabulary)[batch.targets]  # (batch, n, vocabulary)
by_hand = (softmax(logits) - y) * batch.asked[..., None] / batch.asked.sum()
print("el mismo gradiente:", bool(np.abs(by_hand - by_logits).max() < 1e-7))

# %% [markdown]
# ## Todo el gradiente, y la prueba de que es exacto
#
# Hacia atrás se recorre el camino al revés: la salida, la norma final y, en cada bloque, la red y la atención. Cada pieza tiene escrita su derivada en `bloque.gradients`; la de la atención la viste en la lección 2. No se usa ninguna biblioteca que derive por nosotros.
#
# ¿Cómo se sabe que está bien? Se empujan **todos** los parámetros a la vez, un poco, en una dirección al azar $u$. Por cada unidad de empujón, la pérdida debe cambiar $\nabla L \cdot u$, donde $\nabla L$ es el gradiente entero. La celda lo mide en float64 y compara. Mira cuántas cifras coinciden.

# %%
exact = Training(ModelSettings(dtype="float64"), seed=0)
direction = np.random.default_rng(1).standard_normal(exact.flat.size)


def loss_at(flat):
    logits, kept = model_forward(batch.tokens, unflattened(flat, exact.shape), exact.settings)
    return (*cross_entropy(logits, batch), kept)


_, by_logits, kept = loss_at(exact.flat)
gradient = flattened(model_backward(by_logits, kept, exact.settings)[0])
step = 1e-6 * direction
measured = (loss_at(exact.flat + step)[0] - loss_at(exact.flat - step)[0]) / 2e-6
print("hacia atrás:", number(float(gradient @ direction), significant=6))
print("medido:     ", number(measured, significant=6))

# %% [markdown]
# ## Adam
#
# El descenso por gradiente mueve cada parámetro $\theta$ en contra de su gradiente $g$ y en proporción a él, y aquí los gradientes tienen tamaños muy distintos. El método **Adam** lleva, para cada parámetro, dos *medias móviles*, medias que olvidan poco a poco: $m$, la del gradiente, y $v$, la de su cuadrado. Y divide la primera entre la raíz de la segunda:
#
# $$m \leftarrow \beta_1 m + (1 - \beta_1)\, g, \qquad v \leftarrow \beta_2 v + (1 - \beta_2)\, g^2, \qquad \theta \leftarrow \theta - \text{tasa} \cdot \frac{\hat m}{\sqrt{\hat v} + \varepsilon}$$
#
# La **tasa** de aprendizaje es el tamaño del paso. Los gorros, $\hat m = m/(1 - \beta_1^t)$ y $\hat v = v/(1 - \beta_2^t)$, con $t$ el número del paso, corrigen el arranque: las medias empiezan en cero y al principio se quedan cortas. Son letras del artículo de Adam: estas $\beta$ no son la de la norma, ni esta $v$ un valor.
#
# ¿Qué se consigue? La celda da un primer paso con tres gradientes de tamaños muy distintos. Mira cuánto se mueve cada parámetro.

# %%
parameters = np.zeros(3)
moved, state = adam_step(parameters, np.array([1e-4, -1.0, 1e4]), adam_start(parameters), rate=0.01)
print("se mueven:", *(number(float(each), 3) for each in moved))

# %% [markdown]
# Todos se mueven lo mismo: en el primer paso cuenta el signo del gradiente, no su tamaño. Tiene una ventaja: ningún parámetro se queda atrás. Y un riesgo: el primer gradiente sale de un solo lote y de un modelo al azar, y Adam lo sigue con el paso entero en todos los parámetros a la vez.

# %% [markdown]
# ## Calentamiento
#
# De ahí el **calentamiento**: empezar con una tasa de aprendizaje diminuta y subirla poco a poco. La del artículo que presentó el Transformer sube en línea recta y después baja como uno partido por la raíz del paso:
#
# $$\text{tasa} = d_{\mathrm{model}}^{-1/2} \cdot \min\!\left(t^{-1/2},\; t \cdot w^{-3/2}\right)$$
#
# con $t$ el número del paso y $w$ los pasos de calentamiento. Nuestros entrenamientos son cortos y hacen algo más simple: la tasa sube en línea recta y se queda arriba.
#
# - Acorta el calentamiento: la cima sube, no solo se adelanta.
# - Cambia $d_{\mathrm{model}}$: a un modelo más ancho le toca una tasa menor.

# %%
lesson.schedule()

# %% [markdown]
# ## Un entrenamiento corto, de verdad
#
# Ya está todo. Un paso del entrenamiento es: un lote nuevo, los logits, la pérdida, los gradientes y Adam. La celda entrena durante unos segundos un modelo pequeño en una versión corta de la tarea. Mira si acierta más de tres de cada cuatro preguntas, en secuencias que nunca ha visto.

# %%
small = Training(ModelSettings(vocabulary=8, n=12, d_model=48, d_ff=96), peak=5e-3, warm_up_steps=30, seed=0)
before = small.evaluate()[1]
small.run(220)
print("más de tres de cada cuatro, antes:  ", bool(before > 0.75))
print("más de tres de cada cuatro, después:", bool(small.evaluate()[1] > 0.75))

# %% [markdown]
# ¿Y el modelo del principio, con sus secuencias más largas? ¿Aprende siempre, o depende de la **semilla**, el número que fija todo lo que sale al azar? Estos son los aciertos finales de cinco entrenamientos guardados, cada uno con su semilla.

# %%
plain = lesson.stored_runs()["plain"]
print("aciertos finales:", *(number(float(each), 2) for each in plain.final))
print("por encima de 0.9:", int((plain.final > 0.9).sum()), "/", len(plain.final))

# %% [markdown]
# ## Entrena tú
#
# Pulsa el botón y se entrenará el modelo del principio. Mientras tanto puedes seguir leyendo y moviendo otras figuras; páralo cuando quieras y síguelo después desde donde estaba.
#
# - Los aciertos se quedan planos un buen rato.
# - Cuando suben, suben de golpe. Mira los mapas justo entonces.
# - Los círculos marcan dónde está la respuesta de cada pregunta.

# %%
lesson.live()

# %% [markdown]
# ## Predice y arrastra: ¿cuándo lo aprende?
#
# Es el mismo entrenamiento, guardado, para recorrerlo sin prisa. **¿En qué paso crees que los aciertos pasarán de la mitad?** Primero apuesta; después arrastra.
#
# - Antes de la subida, las dos cabezas del primer bloque reparten el peso por todas partes.
# - Durante la subida, en una cabeza del primer bloque aparece una raya pegada a la diagonal: cada posición mira al token anterior.
# - A la vez, en el segundo bloque las manchas caen dentro de los círculos, donde está la respuesta.

# %%
lesson.forming()

# %% [markdown]
# El primer bloque copia en cada posición algo del token **anterior**. El segundo busca, con el token actual como consulta, una posición cuyo token anterior sea ese, y trae lo que hay en ella: lo que venía después. La cabeza del segundo bloque se llama *cabeza de inducción*, y se ha encontrado también en modelos grandes (Olsson y otros, 2022).
#
# La celda lo dice con números, al principio y al final: cuánto peso pone la mejor cabeza del primer bloque en el token anterior, y la mejor del segundo en la respuesta.

# %%
stored = lesson.stored_forming()
for point in (0, -1):
    previous, answer = stored.previous[point, 0].max(), stored.answer[point, 1].max()
    print("paso", f"{stored.steps[point]:>3}:", "bloque 1 en el token anterior", number(float(previous), 2), "· bloque 2 en la respuesta", number(float(answer), 2))

# %% [markdown]
# ## Primera afirmación: sin ÷ √d_k aprende más tarde, o no aprende
#
# La lección 2 vio que, sin la división, la mayoría de las consultas no recibe casi gradiente y unas pocas reciben demasiado. Aquí entrenamos: una sola cabeza ancha por bloque, para que $d_k$ sea grande; cinco semillas con la división y cinco sin ella; todo lo demás, igual. La línea gruesa es la mediana y las finas son las semillas.
#
# - Lleva el paso a la mitad: ¿por dónde van ya los aciertos del modelo que divide?
# - Mira si sube alguna de las semillas sin división.

# %%
lesson.scale()

# %% [markdown]
# Aquí se cumple: en el mismo número de pasos, el modelo que divide resuelve la tarea y el que no divide se queda cerca del azar. Pero no hemos probado que no aprendería **nunca**: con más pasos, Adam podría encoger $W^Q$ y $W^K$ hasta compensar la división que falta. Hemos visto que en estos pasos no lo hace. La celda da las medianas finales, con la menor y la mayor de las cinco semillas. No son las de la figura: la figura enseña la media de los aciertos de cada veinte pasos, y la celda, los de secuencias nuevas al terminar.

# %%
for arm in ("scaled", "unscaled"):
    runs = lesson.stored_runs()[arm]
    d_k = runs.arm.settings.d_model // runs.arm.settings.heads
    print(f"d_k = {d_k},", "÷ √d_k:" if runs.arm.settings.scaled else "sin ÷: ", lesson.spread(runs.final))

# %% [markdown]
# ## Segunda afirmación: sin conexiones residuales, doce bloques no aprenden
#
# Ahora, doce bloques, y una versión más corta de la tarea, con un vocabulario menor: acertar al azar es más fácil. La lección 4 midió que sin la suma el gradiente se encoge capa a capa, con números al azar y sin normalizar. ¿Importa al entrenar, con normalización y con Adam, que da pasos enteros aunque el gradiente sea pequeño? **Apuesta: ¿qué fracción acierta al final sin las conexiones residuales?**

# %%
lesson.residual()

# %% [markdown]
# Sin las conexiones residuales, las cinco semillas se quedan planas, al nivel del azar. La celda da las medianas finales.

# %%
for arm in ("pre_warm", "no_residual"):
    runs = lesson.stored_runs()[arm]
    print("con conexión residual:" if runs.arm.settings.residual else "sin conexión residual:", lesson.spread(runs.final))

# %% [markdown]
# ¿Por qué? La lección 4 da una pista: sin la suma, cada atención promedia las filas, y de promedio en promedio todas acaban siendo la misma. La celda mira el modelo recién hecho, antes de aprender nada, y mide cuánto se parecen las filas al salir de los doce bloques: la media del coseno entre cada dos, contando también cada fila consigo misma, que vale 1 si todas apuntan igual.

# %%
deep = lesson.stored_runs()["no_residual"].arm.settings
for residual in (True, False):
    fresh = Training(ModelSettings(**{**vars(deep), "residual": residual}), seed=0)  # los mismos ajustes, con conexión residual o sin ella
    rows = model_forward(fresh.new_batch().tokens, fresh.parameters, fresh.settings)[1].stream  # (batch, n, d_model)
    rows = rows / np.linalg.norm(rows, axis=-1, keepdims=True)
    cosines = rows @ rows.swapaxes(-1, -2)  # (batch, n, n)
    print("con conexión residual:" if residual else "sin conexión residual:", number(float(cosines.mean()), 1))

# %% [markdown]
# Si todas las filas llegan casi iguales al final, la salida apenas puede decir cosas distintas en posiciones distintas. Así empieza el modelo sin conexiones residuales, y en estos pasos no aprende.

# %% [markdown]
# ## Tercera afirmación: post-norm profunda necesita calentamiento; pre-norm, no
#
# Doce bloques otra vez, con sus conexiones residuales. Cuatro maneras: pre-norm o post-norm, y con calentamiento o con la tasa entera desde el primer paso.
#
# - Compara las dos de pre-norm. ¿Notan el calentamiento?
# - Compara las dos de post-norm. ¿Lo notan?
# - Compara la mejor de post-norm con la peor de pre-norm.

# %%
lesson.warm_up()

# %%
for arm in ("pre_warm", "pre_cold", "post_warm", "post_cold"):
    runs = lesson.stored_runs()[arm]
    print(f"{runs.arm.settings.norm:>4}-norm,", f"pasos de calentamiento {runs.arm.warm_up_steps:>3}:", lesson.spread(runs.final))

# %% [markdown]
# Se cumple a medias. Pre-norm no necesita aquí el calentamiento. Post-norm aprende mejor con él, 0.44 de mediana frente a 0.31, pero sin él también aprende algo. Y la diferencia grande es otra: **con los mismos pasos, pre-norm llega mucho más lejos, con calentamiento y sin él**. En modelos mayores, con tasas más altas, post-norm sin calentamiento puede llegar a divergir (Xiong y otros, 2020). Este modelo pequeño, con esta tasa, no diverge.

# %% [markdown]
# ## El gradiente que llega
#
# Suele decirse que sin conexiones residuales el gradiente no llega a los primeros bloques. Míralo en estos entrenamientos: elige un remedio y recorre los pasos.
#
# - *Conexión residual*, al principio: ¿están muy lejos las dos líneas? Cada bloque normaliza lo que recibe, y eso también agranda el gradiente que vuelve.
# - La misma, al final: ¿qué ha pasado con la línea sin conexión residual?
# - *Pre-norm en vez de post-norm*: al principio, mira hacia qué lado se inclina cada línea.

# %%
lesson.arriving()

# %% [markdown]
# Aquí, sin las conexiones residuales, el gradiente **no** empieza apagado: se apaga **mientras** entrena. El modelo acaba dando casi la misma respuesta a todo, y entonces nada de lo que se mueva en los primeros bloques cambia la pérdida. En la pila de la lección 4, sin normalización, sí estaba apagado desde el primer momento. La celda lo resume: la mediana de la norma del gradiente que llega al primer bloque, al empezar y al terminar.

# %%
for arm in ("pre_warm", "no_residual"):
    runs = lesson.stored_runs()[arm]
    start, end = (float(np.median(runs.arriving[:, point, 0])) for point in (0, -1))
    print("con conexión residual:" if runs.arm.settings.residual else "sin conexión residual:", number(start, significant=2), "→", number(end, significant=2))

# %% [markdown]
# ## Errores frecuentes
#
# - **Calcular la pérdida en todas las posiciones.** En la primera parte nadie puede saber qué token viene, y esa parte de la pérdida no baja. Para verlo: se para muy por encima de cero aunque se acierten las preguntas.
# - **Olvidar los gorros de Adam.** Los primeros pasos no miden lo que dice la tasa: según las $\beta$, salen más largos o más cortos. Para verlo: da un solo paso y compara lo que se mueve un parámetro con la tasa.
# - **Contar los pasos desde cero.** Con calentamiento, el primer paso no mueve nada; con los gorros, se divide entre cero. Para verlo: sale NaN en el primer paso.
# - **Medir con el lote del que se acaba de aprender.** Para verlo: los aciertos bajan con secuencias nuevas.
# - **Una sola semilla.** Si dos maneras se cruzan según la semilla, no puedes decir que una sea mejor. Para verlo: repite con cinco y mira cuánto se separan.
# - **Mirar la pérdida y no los aciertos.** La pérdida puede seguir bajando cuando la tarea ya está resuelta. Para verlo: dibuja las dos.

# %% [markdown]
# ## Ejercicios
#
# Cambia cada `...` por tu expresión y ejecuta la celda. Si algo falla, la comprobación te dirá a qué error conocido se parece.
#
# ### Ejercicio 1 · `adam_step`
#
# ●●○ · 8 minutos · Un paso de Adam con $\beta_1 = 0.9$, $\beta_2 = 0.98$ y $\varepsilon = 10^{-9}$. `mean` y `square` son las medias móviles $m$ y $v$ de antes del paso; `step`, el número del paso, empieza en 1, y `rate` es la tasa. Devuelve los parámetros nuevos y las dos medias.
#
# <details><summary>Pista 1</summary>Primero pon al día las dos medias; después quítales el sesgo del arranque; al final, muévete.</details>
# <details><summary>Pista 2</summary>Cada media conserva una parte β de lo que era y añade una parte 1 − β de lo nuevo: el gradiente en una; su cuadrado en la otra.</details>
# <details><summary>Pista 3</summary>Los gorros dividen entre `1 - beta**step`, cada uno con su β. Lo que se devuelve son las medias sin gorro.</details>

# %% tags=["exercise"]
def my_adam_step(parameters, gradient, mean, square, step, rate):
    beta1, beta2, eps = 0.9, 0.98, 1e-9
    mean = ...
    square = ...
    mean_hat = ...
    square_hat = ...
    parameters = ...
    return parameters, mean, square


check("adam_step", my_adam_step)

# %% [markdown]
# <details><summary>Solución</summary>
#
# ```python
# def my_adam_step(parameters, gradient, mean, square, step, rate):
#     beta1, beta2, eps = 0.9, 0.98, 1e-9
#     mean = beta1 * mean + (1 - beta1) * gradient
#     square = beta2 * square + (1 - beta2) * gradient**2
#     mean_hat = mean / (1 - beta1**step)
#     square_hat = square / (1 - beta2**step)
#     parameters = parameters - rate * mean_hat / (np.sqrt(square_hat) + eps)
#     return parameters, mean, square
# ```
# </details>
#
# ### Ejercicio 2 · `paper_schedule`
#
# ●○○ · 5 minutos · La tasa de aprendizaje del artículo, ecuación 3: la fórmula está en «Calentamiento». `step` empieza en 1.
#
# <details><summary>Pista 1</summary>Son dos curvas, una que sube y otra que baja. ¿Cuál vale en el paso 1?</details>
# <details><summary>Pista 2</summary>En cada paso vale la más baja, y se cruzan al acabar el calentamiento.</details>
# <details><summary>Pista 3</summary>En Python, `x**-0.5` es uno partido por la raíz de x.</details>

# %% tags=["exercise"]
def my_paper_schedule(step, d_model, warm_up):
    falling = ...
    rising = ...
    return d_model**-0.5 * ...


check("paper_schedule", my_paper_schedule)

# %% [markdown]
# <details><summary>Solución</summary>
#
# ```python
# def my_paper_schedule(step, d_model, warm_up):
#     falling = step**-0.5
#     rising = step * warm_up**-1.5
#     return d_model**-0.5 * min(falling, rising)
# ```
# </details>
#
# ### Ejercicio 3 · `induction_accuracy`
#
# ●○○ · 4 minutos · De las posiciones por las que se pregunta, la fracción en que el logit más grande es el del token correcto. `logits` tiene forma (lote, n, vocabulario); `targets` y `asked`, (lote, n).
#
# <details><summary>Pista 1</summary>La respuesta es el token con el logit más grande. ¿En qué eje están los tokens?</details>
# <details><summary>Pista 2</summary>Al comparar con `targets` salen booleanos. Quédate con aquellos por los que se pregunta.</details>
# <details><summary>Pista 3</summary>La media de unos booleanos es una fracción.</details>

# %% tags=["exercise"]
def my_induction_accuracy(logits, targets, asked):
    answers = ...  # (batch, n)
    right = ...  # (batch, n)
    return ...


check("induction_accuracy", my_induction_accuracy)

# %% [markdown]
# <details><summary>Solución</summary>
#
# ```python
# def my_induction_accuracy(logits, targets, asked):
#     answers = logits.argmax(axis=-1)  # (batch, n)
#     right = answers == targets  # (batch, n)
#     return right[asked].mean()
# ```
# </details>

# %% [markdown]
# ## Preguntas
#
# Sin prisa y sin nota. Cada opción explica por qué vale o por qué no, y puedes volver a intentarlo.

# %%
quiz("lesson6")

# %%
score("lesson6")

# %% [markdown]
# ## Resumen
#
# 1. Un Transformer entero se entrena en NumPy con los gradientes exactos de sus piezas; un empujón en una dirección al azar los comprueba todos a la vez.
# 2. La tarea de inducción necesita dos bloques: uno anota qué token va antes; el otro busca y trae lo que venía después. Las dos cabezas se forman a la vez, y los aciertos suben de golpe.
# 3. Sin ÷ √d_k, con una cabeza ancha, no aprende en el mismo número de pasos. Sin conexiones residuales, doce bloques tampoco.
# 4. En nuestros entrenamientos, pre-norm no necesita calentamiento y post-norm aprende mejor con él. Con los mismos pasos, pre-norm llega más lejos.
# 5. En el primer paso, Adam mueve cada parámetro lo mismo, sea cual sea el tamaño de su gradiente; por eso conviene empezar con pasos pequeños.

# %% [markdown]
# ## Términos
#
# | español | inglés | en una línea |
# |---|---|---|
# | pérdida | *loss* | lo que se quiere hacer pequeño; aquí, la entropía cruzada |
# | lote | *batch* | las secuencias de un paso |
# | tasa de aprendizaje | *learning rate* | cuánto se mueve un parámetro en un paso |
# | calentamiento | *warm-up* | empezar con una tasa diminuta y subirla |
# | media móvil | *running mean* | una media que olvida poco a poco |
# | logit | *logit* | la puntuación de un token del vocabulario, antes de la softmax |
# | semilla | *seed* | el número que fija lo que sale al azar |
# | tarea de inducción | *induction task* | decir qué venía después de este token la última vez |
#
# Todos los términos están en el [glosario](90_glosario.ipynb).
#
# ## Fuentes
#
# - Vaswani y otros (2017), *Attention Is All You Need*, sección 5.3 (Adam y la tasa de aprendizaje, ecuación 3).
# - Kingma y Ba (2015), *Adam: A Method for Stochastic Optimization*, algoritmo 1.
# - Xiong y otros (2020), *On Layer Normalization in the Transformer Architecture*, sección 3 (post-norm, pre-norm y calentamiento).
# - Olsson y otros (2022), *In-context Learning and Induction Heads* (las cabezas de inducción, que se forman de golpe).
#
# Es la última lección. Puedes volver al mapa del curso, en [0 · La entrada](00_entrada.ipynb), o mirar el [glosario](90_glosario.ipynb).

# %% tags=["colophon"]
from bloque.colophon import colophon

colophon(6)
