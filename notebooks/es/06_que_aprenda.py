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
# - entrenar un Transformer en NumPy con los gradientes exactos de las lecciones anteriores;
# - ver cómo se forma una cabeza que busca, y decir en qué paso ocurre;
# - poner a prueba tres afirmaciones famosas sobre $\sqrt{d_k}$, las sumas residuales y el calentamiento, y decir cuánto se cumplen.

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
# Cinco lecciones construyendo un bloque que no sabe nada: sus matrices están llenas de números al azar. Te hemos contado que se divide entre $\sqrt{d_k}$ «para que aprenda», que la suma residual está «para que aprenda» y que la normalización va delante «para que aprenda».
#
# **¿Y aprende?** Aquí no hay más que NumPy y los gradientes que ya has visto. Vamos a entrenarlo, a mirar dentro mientras lo hace, y a quitarle las piezas una a una.

# %% [markdown]
# ## La tarea: qué venía después
#
# Hace falta una tarea que no se pueda resolver sin atención. Esta cabe en una frase: **¿qué venía después de este token la última vez que salió?**
#
# Cada secuencia empieza con tokens todos distintos. Después repite un trozo del principio, copiado desde un sitio que cambia en cada secuencia. En la parte repetida se puede saber qué viene ahora: basta con buscar el token actual más atrás y leer el siguiente. Contar posiciones no sirve, porque la distancia cambia.
#
# La celda dibuja dos secuencias. Los puntos marcan dónde empieza la copia.

# %%
training = Training(ModelSettings(), seed=0)
batch = training.new_batch()
for tokens, asked in zip(batch.tokens[:2], batch.asked[:2], strict=True):
    print(*tokens[~asked], "···", *tokens[asked])

# %% [markdown]
# La regla se escribe en dos líneas, y sin aprender nada acierta siempre. Así sabemos que la tarea tiene respuesta. Mira la fracción de aciertos de la regla, y cuánto acertaría alguien que eligiera al azar.

# %%
rule = induction_answer(batch.tokens)  # (batch, n)
print("la regla acierta:", number(float((rule == batch.targets)[batch.asked].mean()), 2))
print("al azar:         ", number(1 / training.settings.vocabulary, 4))

# %% [markdown]
# ## El modelo
#
# No hay ninguna pieza nueva. Embedding, más la codificación posicional; dos bloques con máscara causal y pre-norm; una normalización final y una matriz que da un logit por token. Un bloque solo no basta: para encontrar «el que venía después», alguien tiene que haber anotado antes, en cada posición, quién la precede. Eso pide dos atenciones, una detrás de otra.
#
# La celda cuenta los parámetros y enseña qué forma tiene la salida.

# %%
logits, kept = model_forward(batch.tokens, training.parameters, training.settings)
print("parámetros:", number(training.flat.size))
print("tokens", batch.tokens.shape, "→ logits", logits.shape)

# %% [markdown]
# ## La pérdida y su gradiente
#
# La pérdida es la entropía cruzada de la lección 1: la media de $-\ln p$ del token correcto, solo en las posiciones que se preguntan. Un modelo que no sabe nada reparte el peso, y su pérdida ronda el logaritmo del tamaño del vocabulario.
#
# $$L = -\frac{1}{N} \sum_{\text{preguntadas}} \ln p_{\text{correcto}}, \qquad \frac{\partial L}{\partial z} = \frac{p - y}{N}$$
#
# Compara la pérdida de partida con ese logaritmo. Empieza por encima: las matrices al azar no dudan, se equivocan con aplomo.

# %%
loss, by_logits = cross_entropy(logits, batch)
print("pérdida de partida:   ", number(loss, 1))
print("logaritmo del tamaño: ", number(np.log(training.settings.vocabulary), 2))

# %% [markdown]
# Y el gradiente es $p - y$ entre el número de preguntas, el mismo que en la lección 1. La celda lo rehace a mano y mira la mayor diferencia; debe ser un cero de coma flotante.

# %%
y = np.eye(training.settings.vocabulary)[batch.targets]  # (batch, n, vocabulary)
by_hand = (softmax(logits) - y) * batch.asked[..., None] / batch.asked.sum()
print("el mismo gradiente:", bool(np.abs(by_hand - by_logits).max() < 1e-7))

# %% [markdown]
# ## Todo el gradiente, y la prueba de que es exacto
#
# Hacia atrás se recorre el camino al revés: la salida, la norma final, y en cada bloque la red y la atención, cada una con el retroceso que viste en su lección. Nada de diferenciación automática.
#
# ¿Cómo se sabe que está bien? Se empujan **todos** los parámetros a la vez, un poquito, en una dirección al azar $v$. La pérdida debe cambiar $\nabla L \cdot v$. La celda lo mide en float64 y compara. Mira cuántas cifras coinciden.

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
# El descenso por gradiente mueve cada parámetro en proporción a su gradiente, y aquí los gradientes tienen tamaños muy distintos. Adam lleva dos medias móviles de cada parámetro, la del gradiente y la de su cuadrado, y divide una entre la raíz de la otra:
#
# $$m \leftarrow \beta_1 m + (1 - \beta_1)\, g, \qquad v \leftarrow \beta_2 v + (1 - \beta_2)\, g^2, \qquad \theta \leftarrow \theta - \text{tasa} \cdot \frac{\hat m}{\sqrt{\hat v} + \varepsilon}$$
#
# Los gorros, $\hat m = m/(1 - \beta_1^t)$ y $\hat v = v/(1 - \beta_2^t)$, corrigen el arranque: las medias empiezan en cero y al principio se quedan cortas.
#
# ¿Qué se consigue? La celda da un primer paso con tres gradientes de tamaños disparatados. Mira cuánto se mueve cada parámetro.

# %%
parameters = np.zeros(3)
moved, state = adam_step(parameters, np.array([1e-4, -1.0, 1e4]), adam_start(parameters), rate=0.01)
print("se mueven:", *(number(float(each), 3) for each in moved))

# %% [markdown]
# Todos lo mismo: en el primer paso cuenta el signo, no el tamaño. Eso es bueno, porque nadie se queda atrás. Y es peligroso: el primer gradiente de un modelo al azar es casi ruido, y Adam lo obedece a toda velocidad en todos los parámetros a la vez.

# %% [markdown]
# ## Calentamiento
#
# De ahí el **calentamiento**: empezar con una tasa de aprendizaje diminuta y subirla poco a poco. La del artículo sube en línea recta y después baja como la raíz:
#
# $$\text{tasa} = d_{\mathrm{model}}^{-1/2} \cdot \min\!\left(t^{-1/2},\; t \cdot w^{-3/2}\right)$$
#
# con $t$ el paso y $w$ los pasos de calentamiento. Nuestros entrenamientos son cortos y usan lo más simple: subir en línea recta y quedarse arriba.
#
# - Acorta el calentamiento: la cima sube, no solo se adelanta.
# - Cambia $d_{\mathrm{model}}$: un modelo más ancho va más despacio.

# %%
lesson.schedule()

# %% [markdown]
# ## Un entrenamiento corto, de verdad
#
# Ya está todo. Un paso es: un lote nuevo, adelante, pérdida, atrás, Adam. La celda entrena una versión pequeña de la tarea, de unos segundos. Mira si acierta la mayoría de las preguntas de secuencias que nunca ha visto.

# %%
small = Training(ModelSettings(vocabulary=8, n=12, d_model=48, d_ff=96), peak=5e-3, warm_up_steps=30, seed=0)
before = small.evaluate()[1]
small.run(220)
print("acierta la mayoría, antes:  ", bool(before > 0.75))
print("acierta la mayoría, después:", bool(small.evaluate()[1] > 0.75))

# %% [markdown]
# ¿Y la grande, la de dos bloques y secuencias largas? ¿Se aprende siempre, o tuvimos suerte con la semilla? Estos son los aciertos finales de cinco semillas guardadas. Cada una tarda menos de medio minuto de un procesador.

# %%
plain = lesson.stored_runs()["plain"]
print("aciertos finales:", *(number(float(each), 2) for each in plain.final))
print("por encima de 0.9:", int((plain.final > 0.9).sum()), "/", len(plain.final))

# %% [markdown]
# ## Entrena tú
#
# Pulsa el botón. El entrenamiento corre aparte, así que puedes seguir leyendo y moviendo lo demás; páralo cuando quieras y síguelo después desde donde estaba.
#
# - Los aciertos se quedan planos un buen rato. Ten paciencia.
# - Cuando suben, suben de golpe. Mira los mapas justo entonces.
# - Los círculos marcan dónde está la respuesta de cada pregunta.

# %%
lesson.live()

# %% [markdown]
# ## Predice y arrastra: ¿cuándo lo entiende?
#
# El mismo entrenamiento, guardado, para recorrerlo sin prisa. **¿En qué paso crees que pasarán los aciertos de la mitad?** Primero apuesta; después arrastra.
#
# - Antes de la subida, las dos cabezas del primer bloque miran un poco a todas partes.
# - Durante la subida, una cabeza del primer bloque dibuja una raya pegada a la diagonal: mira al token anterior.
# - A la vez, en el segundo bloque las manchas caen dentro de los círculos.

# %%
lesson.forming()

# %% [markdown]
# Es un pequeño programa que nadie ha escrito. El primer bloque copia en cada posición el token **anterior**. El segundo busca, con el token actual como consulta, una posición cuyo token anterior sea ese, y trae lo que hay en ella: exactamente «lo que venía después». En la literatura esta pareja se llama *cabeza de inducción*, y aparece también en los modelos grandes.
#
# La celda lo dice con números, al principio y al final: cuánto peso pone cada bloque, con su mejor cabeza, donde debe.

# %%
stored = lesson.stored_forming()
for point in (0, -1):
    previous, answer = stored.previous[point, 0].max(), stored.answer[point, 1].max()
    print("paso", f"{stored.steps[point]:>3}:", "bloque 1 en el token anterior", number(float(previous), 2), "· bloque 2 en la respuesta", number(float(answer), 2))

# %% [markdown]
# ## Primera afirmación: sin ÷ √d_k no aprende
#
# La lección 2 lo dejó en que la mayoría de las consultas no recibe gradiente y unas pocas reciben demasiado. Aquí se entrena. Una sola cabeza ancha, para que $d_k$ sea grande; cinco semillas con la división y cinco sin ella; todo lo demás, igual. La raya gruesa es la mediana y las finas son las semillas.
#
# - Lleva el paso a la mitad: ¿dónde está ya la que divide?
# - Mira si alguna semilla sin división despega.

# %%
lesson.scale()

# %% [markdown]
# Se cumple, y sin ambages en este caso: en el mismo número de pasos, la que divide la resuelve y la que no divide apenas se separa del azar. Cuidado con leer de más. No hemos probado que no aprendería **nunca**: Adam puede encoger $W^Q$ y $W^K$ hasta arreglarlo él solo. Hemos visto que no le da tiempo. La celda da las medianas finales.

# %%
for arm in ("scaled", "unscaled"):
    runs = lesson.stored_runs()[arm]
    d_k = runs.arm.settings.d_model // runs.arm.settings.heads
    print(f"d_k = {d_k},", "÷ √d_k:" if runs.arm.settings.scaled else "sin ÷: ", lesson.spread(runs.final))

# %% [markdown]
# ## Segunda afirmación: sin residuales, lo profundo no aprende
#
# Ahora doce bloques. La lección 4 midió que sin la suma el gradiente se encoge capa a capa, y eso con números al azar. ¿Importa al entrenar, con normalización y Adam, que agranda lo pequeño? **Apuesta: ¿qué fracción acierta al final sin las sumas residuales?**

# %%
lesson.residual()

# %% [markdown]
# Plano, en las cinco semillas: al nivel del azar. La celda da las medianas finales.

# %%
for arm in ("pre_warm", "no_residual"):
    runs = lesson.stored_runs()[arm]
    print("con residual:" if runs.arm.settings.residual else "sin residual:", lesson.spread(runs.final))

# %% [markdown]
# ¿Por qué? La lección 4 da una pista: sin la suma, cada atención promedia las filas, y una media de medias acaba siendo la misma para todas. La celda mira el modelo recién hecho, antes de aprender nada: cuánto se parecen dos filas cualesquiera al salir de los doce bloques (1 es idénticas, en media del coseno).

# %%
deep = lesson.stored_runs()["no_residual"].arm.settings
for residual in (True, False):
    fresh = Training(ModelSettings(**{**vars(deep), "residual": residual}), seed=0)
    rows = model_forward(fresh.new_batch().tokens, fresh.parameters, fresh.settings)[1].stream  # (batch, n, d_model)
    rows = rows / np.linalg.norm(rows, axis=-1, keepdims=True)
    cosines = rows @ rows.swapaxes(-1, -2)  # (batch, n, n)
    print("con residual:" if residual else "sin residual:", number(float(cosines.mean()), 1))

# %% [markdown]
# Si todas las filas llegan arriba casi iguales, la salida no puede decir cosas distintas en posiciones distintas, y ninguna tasa de aprendizaje lo remedia.

# %% [markdown]
# ## Tercera afirmación: la post-norm quiere calentamiento
#
# Doce bloques otra vez, con sus residuales. Cuatro maneras: la norma delante o detrás, y con calentamiento o a toda velocidad desde el primer paso.
#
# - Compara las dos de pre-norm entre sí. ¿Notan el calentamiento?
# - Compara las dos de post-norm. ¿Y ellas?
# - Ahora la mejor de post-norm contra la peor de pre-norm.

# %%
lesson.warm_up()

# %%
for arm in ("pre_warm", "pre_cold", "post_warm", "post_cold"):
    runs = lesson.stored_runs()[arm]
    print(f"{runs.arm.settings.norm:>4}-norm,", f"pasos de calentamiento {runs.arm.warm_up_steps:>3}:", lesson.spread(runs.final))

# %% [markdown]
# Lo que se ve es más matizado que la frase. La pre-norm no necesita el calentamiento. La post-norm aprende mejor con él, en mediana; sin él también aprende algo. Y la diferencia grande no es esa: **con el mismo presupuesto, la pre-norm llega mucho más lejos de las dos maneras**. En modelos mayores y con tasas más altas la post-norm sin calentamiento llega a divergir; este modelo pequeño, con esta tasa, no lo hace, y preferimos enseñarte lo que sale.

# %% [markdown]
# ## El gradiente que llega
#
# ¿Y el gradiente? Elige un remedio y recorre los pasos. Lo que sale no es exactamente lo que dice el lema.
#
# - *Suma residual*, al principio: ¿se distinguen las dos rayas? Cada bloque normaliza lo que recibe, y eso también agranda lo que vuelve.
# - La misma, al final: ¿qué ha pasado con la que no tiene sumas?
# - *Pre-norm en vez de post-norm*: al principio, mira hacia qué lado se inclina cada raya.

# %%
lesson.arriving()

# %% [markdown]
# Aquí, sin las sumas, el gradiente **no** empieza desvanecido: se apaga **mientras** entrena, cuando el modelo se rinde y aprende a dar a todo la misma respuesta. En la pila desnuda de la lección 4, sin normalización, sí se desvanecía desde el primer momento. La celda lo resume: la mediana del gradiente que llega al primer bloque, al empezar y al terminar.

# %%
for arm in ("pre_warm", "no_residual"):
    runs = lesson.stored_runs()[arm]
    start, end = (float(np.median(runs.arriving[:, point, 0])) for point in (0, -1))
    print("con residual:" if runs.arm.settings.residual else "sin residual:", number(start, significant=2), "→", number(end, significant=2))

# %% [markdown]
# ## Errores frecuentes
#
# - **Entrenar con todas las posiciones.** La pérdida no baja de un fondo que nadie puede predecir. Se ve: la pérdida se para muy por encima de cero y los aciertos de lo que sí se puede saber son buenos.
# - **Olvidar los gorros de Adam.** Los primeros pasos salen enormes o diminutos. Se ve: la pérdida da un salto en los primeros pasos.
# - **Contar los pasos desde cero.** Con calentamiento, el primer paso no mueve nada; con los gorros, se divide entre cero. Se ve: NaN en el primer paso.
# - **Medir con el lote del que se acaba de aprender.** Se ve: los aciertos bajan con secuencias nuevas.
# - **Una sola semilla.** Dos maneras que se cruzan según la semilla no son una mejor que otra. Se ve: repite con cinco y mira el abanico.
# - **Mirar la pérdida y no los aciertos.** La pérdida puede seguir bajando mientras la tarea lleva rato resuelta. Se ve: dibuja las dos.

# %% [markdown]
# ## Ejercicios
#
# Cada uno se comprueba solo y, si algo falla, te dice a qué error se parece.
#
# ### Ejercicio 1 · `adam_step`
#
# ●●○ · 8 minutos · Un paso de Adam con $\beta_1 = 0.9$, $\beta_2 = 0.98$ y $\varepsilon = 10^{-9}$. Entran las medias de antes del paso; `step` empieza en 1. Devuelve los parámetros nuevos y las dos medias.
#
# <details><summary>Pista 1</summary>Primero pon al día las dos medias; después quítales el sesgo del arranque; al final, muévete.</details>
# <details><summary>Pista 2</summary>Cada media conserva un β de lo que era y añade 1 − β de lo nuevo: una, del gradiente; la otra, de su cuadrado.</details>
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
# ●○○ · 4 minutos · De las posiciones que se preguntan, la fracción en que el logit más grande es el objetivo. Los logits son (lote, n, vocabulario); los objetivos y `asked`, (lote, n).
#
# <details><summary>Pista 1</summary>La respuesta es el token con el logit más grande. ¿En qué eje están los tokens?</details>
# <details><summary>Pista 2</summary>Al comparar con los objetivos salen booleanos. Quédate con los que se preguntan.</details>
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
# Sin prisa y sin nota. Cada respuesta equivocada explica por qué lo es, y puedes volver a intentarlo.

# %%
quiz("lesson6")

# %%
score("lesson6")

# %% [markdown]
# ## Resumen
#
# 1. Un Transformer entero se entrena en NumPy con los gradientes exactos de sus piezas; un empujón en una dirección al azar demuestra que son exactos.
# 2. La tarea de inducción necesita dos bloques: uno anota quién va antes, el otro busca y trae lo que venía después. Se forman a la vez, y los aciertos suben de golpe.
# 3. Sin ÷ √d_k, con una cabeza ancha, no aprende en el mismo número de pasos. Sin residuales, doce bloques no aprenden.
# 4. La pre-norm no necesita calentamiento; la post-norm aprende mejor con él. Con el mismo presupuesto, la pre-norm llega más lejos.
# 5. Adam mueve cada parámetro lo mismo al principio, sea cual sea su gradiente; por eso el comienzo pide pasos pequeños.

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
# | semilla | *seed* | el número que fija lo que sale al azar |
# | tarea de inducción | *induction task* | decir qué venía después de este token la última vez |
#
# Todos los términos están en el [glosario](90_glosario.ipynb).
#
# ## Fuentes
#
# - A. Vaswani y otros (2017), *Attention Is All You Need*, sección 5.3 (Adam y la tasa de aprendizaje, ecuación 3).
# - D. P. Kingma y J. Ba (2015), *Adam: A Method for Stochastic Optimization*, algoritmo 1.
# - R. Xiong y otros (2020), *On Layer Normalization in the Transformer Architecture*, sección 3 (post-norm, pre-norm y calentamiento).
# - C. Olsson y otros (2022), *In-context Learning and Induction Heads* (la pareja de cabezas que se forma de golpe).
#
# Era la última lección. Vuelve a [la entrada](00_entrada.ipynb) para ver el mapa entero, o al [glosario](90_glosario.ipynb).

# %% tags=["colophon"]
from bloque.colophon import colophon

colophon(6)
