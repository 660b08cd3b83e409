# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 3 · Varias cabezas
#
# [English](../en/03_multi_head.ipynb) · unos 28 minutos, sin contar los ejercicios
#
# Al terminar podrás:
#
# - decir qué no cabe en una sola softmax por fila y cómo lo dicen dos cabezas;
# - seguir las formas, de $(n, d_{\mathrm{model}})$ a las cabezas y de vuelta, y reconocer el reshape que mezcla tokens;
# - contar los pesos y las operaciones de la atención con varias cabezas, y leer las cabezas de un modelo real sin engañarte.

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
from bloque.lessons import multi_head as lesson
from bloque.quiz import quiz, score

# %% [markdown]
# ## La pregunta
#
# Lee *Me senté en el banco de mi jardín* y detente en **banco**. Para saber qué papel tiene en la frase te sirven dos palabras pequeñas a la vez: *en*, que dice que algo pasa ahí, y *de*, que anuncia de quién o de qué es. Son dos reglas distintas y señalan dos sitios distintos.
#
# Una atención le da a cada token una fila de pesos; en este ejemplo, cada palabra es un token. Esa fila es una softmax, así que suma 1. ¿Puede una sola fila obedecer a dos reglas?
#
# Probémoslo con lo más simple. Una regla es una fila de puntuaciones: cierta fuerza en el token que señala y 0 en los otros siete. La regla 1 señala *en*, que es el token 2 contando desde 0; la regla 2 señala *de*, el token 5. Para poner las dos reglas en una fila, sumamos sus puntuaciones.

# %%
both = lesson.rule(token=2, strength=6) + lesson.rule(token=5, strength=6)
weights = lesson.one_head(strong=6, weak=6)

print("puntuaciones", *[number(float(z), 0) for z in both])
print("pesos       ", *[number(float(p), 3) for p in weights])

# %% [markdown]
# Con dos reglas de fuerza 6, cada token señalado se lleva 0.496. No se obedece del todo a ninguna: el vector nuevo es mitad de un valor y mitad del otro. Los pesos de una fila compiten, porque entre todos solo pueden sumar 1.
#
# Ahora, dos reglas desiguales. **Antes de arrastrar, apuesta**: la regla 1 tiene fuerza 6 y la regla 2, fuerza 2. ¿Qué peso le queda al token de la regla 2?
#
# Fíjate en esto:
#
# - con ventaja 0, en la gráfica de la izquierda las dos reglas se reparten el peso; en las otras dos, cada una tiene el suyo;
# - sube la ventaja hasta 4: a la izquierda, la regla 2 se hunde por debajo de la línea de puntos del peso uniforme, mientras que su cabeza todavía la muestra;
# - vuelve a la ventaja 0 y baja la fuerza hasta 0: sin regla no hay diferencias, y las tres gráficas se aplanan.

# %%
lesson.duel()

# %% [markdown]
# Y en números:

# %%
weak_in_one = lesson.one_head(strong=6, weak=2)[lesson.SECOND]
weak_in_its_own = lesson.two_heads(strong=6, weak=2)[1, lesson.SECOND]

print("regla 2, ventaja de 4, una softmax:", number(float(weak_in_one), 3))
print("la regla 2 en una cabeza suya:", number(float(weak_in_its_own), 3))
print("uniforme:", number(1 / 8, 3))

# %% [markdown]
# Con una ventaja de 4, a la regla débil le queda 0.018, muy por debajo del 0.125 uniforme. La regla es la misma: en una cabeza suya se lleva 0.514. La tapaba la otra.
#
# Para eso hay varias cabezas. **Una softmax por fila puede decir una cosa; con $h$ softmax por fila, una capa puede decir $h$ cosas.**

# %% [markdown]
# ## Repartir el ancho en cabezas
#
# El artículo que presentó el Transformer lo escribe así (Vaswani y otros, 2017, sección 3.2.2):
#
# $$\mathrm{MultiHead}(X) = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h)\, W^O$$
#
# $$\mathrm{head}_i = \mathrm{Attention}(X W_i^Q,\; X W_i^K,\; X W_i^V)$$
#
# Cada cabeza tiene sus propias matrices, cada una de forma $(d_{\mathrm{model}}, d_k)$; multiplicar por ellas es **proyectar**. Y las cabezas se hacen **estrechas**: $d_k = d_v = d_{\mathrm{model}}/h$. El ancho se reparte, no se multiplica.

# %%
for name, d_model, heads, layers in (("artículo, base", 512, 8, 6), ("BERT base", 768, 12, 12)):
    print(f"{name}: {d_model} / {heads} = {d_model // heads} columnas por cabeza; {layers} × {heads} = {layers * heads} cabezas en el codificador")

# %% [markdown]
# BERT es un **codificador**, una pila de bloques en la que cada token ve toda la frase. Lo entrenaron Devlin y otros (2018), y mucho de lo que se sabe de las cabezas se ha visto en él. En los dos modelos cada cabeza tiene 64 columnas, y BERT base reúne 144 cabezas.
#
# **Segunda apuesta.** Dejas $d_{\mathrm{model}} = 512$ y pasas de 1 cabeza a 8. ¿Por cuánto se multiplica el número de pesos de $W^Q$, $W^K$, $W^V$ y $W^O$?
#
# Fíjate en esto:
#
# - la tira de columnas es siempre la misma; solo se mueven los cortes;
# - con sus columnas, cada cabeza dibuja su **mapa de atención**: sus pesos, una fila por consulta y una columna por clave;
# - la marca naranja de la derecha no sube ni baja, y la línea discontinua enseña lo que costarían cabezas con el ancho entero.

# %%
lesson.columns()

# %% [markdown]
# La cuenta no depende de $h$, porque $h$ trozos de $d_{\mathrm{model}}/h$ columnas son $d_{\mathrm{model}}$ columnas:
#
# $$3 \cdot h \cdot d_{\mathrm{model}} \cdot \frac{d_{\mathrm{model}}}{h} + d_{\mathrm{model}}^2 = 4\, d_{\mathrm{model}}^2$$
#
# La función `count_parameters` del curso hace la suma a partir de las formas. La probamos con varios valores de $h$.

# %%
for heads in (1, 2, 4, 8):
    count = bloque.count_parameters(512, heads, 2048).attention
    print(f"h = {heads}: {number(count)} pesos;  con el ancho entero: {number(lesson.wide_heads_count(512, heads))}")

# %% [markdown]
# Siempre 1 048 576. Ocho cabezas con el ancho entero costarían 8 388 608, ocho veces más. Solo si se estrechan, tener más cabezas no cuesta más pesos.

# %% [markdown]
# ## Las formas, una a una
#
# En el código nadie recorre las cabezas con un bucle. Un solo producto calcula todas las columnas, y después se reparten:
#
# $$(n, d_{\mathrm{model}}) \;\rightarrow\; (n, h, d_k) \;\rightarrow\; (h, n, d_k)$$
#
# Primero, un *reshape* (los mismos números con otra forma) corta cada **fila** en $h$ trozos. Después, una transposición pone delante el eje de las cabezas. Vamos a seguir los números del 0 al 23: cuatro tokens, seis columnas, tres cabezas.

# %%
x = np.arange(24).reshape(4, 6)
print("del", x.min(), "al", x.max())
cut = x.reshape(4, 3, 2)  # (n, h, d_k): la fila de cada token, en tres trozos
heads = cut.transpose(1, 0, 2)  # (h, n, d_k): la cabeza pasa delante

print("token 1 en trozos:", cut[1].tolist())
print("cabeza 0:", heads[0].tolist())
print("igual que split_heads:", np.array_equal(heads, bloque.split_heads(x, 3)))

# %% [markdown]
# La cabeza 0 reúne las dos primeras columnas de los cuatro tokens: `[0, 1], [6, 7], [12, 13], [18, 19]`. Cada fila sigue siendo un token.
#
# Hay un camino más corto, y está mal. Da la forma correcta y no lanza ningún error, así que puede pasar mucho tiempo sin que nadie lo vea.

# %%
straight = x.reshape(3, 4, 2)  # (h, n, d_k) de un golpe: el error

print("forma:", straight.shape)
print("cabeza 0:", straight[0].tolist())

# %% [markdown]
# Ahora la cabeza 0 es `[0, 1], [2, 3], [4, 5], [6, 7]`. Sus tres primeras filas son trozos del token 0. Un reshape lee los números en orden y no sabe nada de tokens.
#
# Fíjate en esto; en la figura, un color es un token:
#
# - con la transposición, cada fila de cada cabeza tiene un solo color, y los colores conservan su orden;
# - con el reshape directo, los colores se salen de su sitio;
# - con 1 cabeza los dos caminos coinciden, y por eso una prueba con una sola cabeza no ve nada.

# %%
lesson.shapes()

# %% [markdown]
# La vuelta son los mismos dos pasos al revés: transponer y luego hacer el reshape. `merge_heads` deshace exactamente lo que hace `split_heads`.

# %%
back = bloque.merge_heads(bloque.split_heads(x, 3))
print("de vuelta al principio:", np.array_equal(back, x))

# %% [markdown]
# ## Cada cabeza ve todas las columnas
#
# «El ancho se reparte» se presta a un malentendido: que la cabeza 0 solo ve las primeras columnas **de $X$**. Lo que se reparte son las columnas de $XW^Q$, y cada una de ellas mezcla todas las columnas de $X$. Así que, si tocamos solo la última columna de la entrada, la primera cabeza tiene que notarlo.

# %%
rng = np.random.default_rng(3)
n, d_model, h = 5, 12, 3
X = rng.standard_normal((n, d_model))
parameters = bloque.multi_head_parameters(d_model, h, bias=False, seed=4)

touched = X.copy()
touched[:, -1] += 1
before = bloque.multi_head_attention(X, parameters, h)[1][0]  # el mapa de la cabeza 0
after = bloque.multi_head_attention(touched, parameters, h)[1][0]
print("mayor cambio en el mapa de la cabeza 0:", number(float(abs(after - before).max()), 3))

# %% [markdown]
# Lo nota. Si alguien corta antes $X$ y le da a la cabeza 0 solo las columnas de la 0 a la 3, ese mismo toque no cambia nada:

# %%
slice_before, slice_after = X[:, :4], touched[:, :4]  # el error: se corta la entrada y no su proyección
change = abs(slice_after - slice_before).max()
print("mayor cambio en lo que recibe la cabeza 0:", number(float(change), 1))

# %% [markdown]
# ## Un solo producto o uno por cabeza
#
# La fórmula tiene $h$ matrices pequeñas $W_i^Q$; el código tiene una grande, $W^Q$. Son lo mismo: pon las $h$ pequeñas una al lado de otra y tienes la grande. Escribamos el bucle de la fórmula y comparemos.

# %%
def head_by_head(X, parameters, heads):
    d_k = X.shape[-1] // heads
    found = []
    for i in range(heads):
        own = slice(i * d_k, (i + 1) * d_k)  # las columnas de la cabeza i
        Q, K, V = X @ parameters.W_Q[:, own], X @ parameters.W_K[:, own], X @ parameters.W_V[:, own]
        found.append(bloque.attention(Q, K, V)[0])  # (n, d_k)
    return found


found = head_by_head(X, parameters, h)
looped = np.concatenate(found, axis=-1) @ parameters.W_O
fused, maps = bloque.multi_head_attention(X, parameters, h)
print("formas:", fused.shape, maps.shape)
print("el bucle y el producto único coinciden hasta 1e−12:", bool(abs(looped - fused).max() < 1e-12))

# %% [markdown]
# En la última matriz, $W^O$, se encuentran las cabezas: sin ella, la columna 0 de la salida solo recibiría lo de la cabeza 0. Corta $W^O$ por filas y el producto se vuelve una suma en la que cada cabeza escribe, con sus filas, en **todas** las columnas:
#
# $$\mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h)\, W^O = \sum_{i=1}^{h} \mathrm{head}_i\, W^O_{[\text{filas de } i]}$$

# %%
d_k = d_model // h
summed = sum(head @ parameters.W_O[i * d_k : (i + 1) * d_k] for i, head in enumerate(found))
# _replace: una copia de los parámetros con otra W_O
silent = bloque.multi_head_attention(X, parameters._replace(W_O=np.zeros((d_model, d_model))), h)[0]

print("la suma de cabezas es Concat · W^O hasta 1e−12:", bool(abs(summed - fused).max() < 1e-12))
print("mayor salida con W^O = 0:", number(float(abs(silent).max()), 1))

# %% [markdown]
# ## De dónde salen Q, K y V
#
# Las matrices $W$ se aprenden y ahí se quedan. Los pesos de atención, $\alpha$, no se aprenden: se calculan de nuevo para cada frase, con sus filas. Con las mismas matrices, otra frase da otro mapa:

# %%
another = rng.standard_normal((n, d_model))
another_maps = bloque.multi_head_attention(another, parameters, h)[1]
print("fila 0 de la cabeza 0, una frase: ", *[number(float(p), 3) for p in maps[0, 0]])
print("fila 0 de la cabeza 0, otra frase:", *[number(float(p), 3) for p in another_maps[0, 0]])

# %% [markdown]
# La idea es anterior al Transformer. En 2014, Bahdanau, Cho y Bengio traducían con un *codificador*, que lee la frase, y un *decodificador*, que escribe la traducción y en cada paso $i$ decide a qué estados $h_j$ del codificador mirar. La consulta era el estado anterior del decodificador, $s_{i-1}$; la puntuación la daba una red pequeña, $e_{ij} = a(s_{i-1}, h_j)$; después venían la misma softmax y la misma suma ponderada. El Transformer cambió la puntuación, que pasó de una red a un producto escalar, y el origen de las consultas: también pueden venir de la misma frase que las claves.
#
# Cuando las consultas vienen de una secuencia y las claves y los valores de otra, se habla de **atención cruzada**. En el código es un argumento, `context`. Aquí, 5 tokens miran a otros 7:

# %%
encoder_states = rng.standard_normal((7, d_model))
crossed, cross_maps = bloque.multi_head_attention(X, parameters, h, context=encoder_states)
print("salida", crossed.shape, " mapas", cross_maps.shape)

# %% [markdown]
# ## Cómo lo escriben los demás
#
# Si lees dos fuentes, te encontrarás dos notaciones. Ninguna está mal; cambia el convenio. Antes de comparar fórmulas, busca en qué fila de esta tabla estás. (*Post-norm* y *pre-norm* dicen dónde va la normalización: es la lección 4.)
#
# | Fuente | Un token es | Puntuaciones | Bloque |
# |---|---|---|---|
# | Este curso; Vaswani y otros (2017) | una fila, $XW$ | $QK^{\mathsf T}$, softmax por filas | post-norm |
# | Bishop y Bishop (2024) | una fila, $XW$ | $QK^{\mathsf T}$, softmax por filas | post-norm, con pre-norm como variante |
# | Prince (2023), *Understanding Deep Learning* | una columna, $\Omega X$ | $K^{\mathsf T} Q$, softmax por columnas | post-norm |
# | PyTorch, `nn.MultiheadAttention` | una fila, pero guarda $W^{\mathsf T}$ | $QK^{\mathsf T}$, softmax por filas | lo elige `norm_first`, en su capa de codificador |
# | GPT-2 | una fila, una matriz para Q, K y V | $QK^{\mathsf T}$, softmax por filas | pre-norm |
#
# Al transponer un convenio sale el otro: $(QK^{\mathsf T})^{\mathsf T} = KQ^{\mathsf T}$, que se escribe $K^{\mathsf T} Q$ cuando los tokens son columnas. La pregunta que hay que hacerse es siempre la misma: **¿a lo largo de qué eje suman 1 los pesos?** Tiene que ser el de las claves.

# %%
print("sumas sobre las claves:   ", *[number(float(s), 3) for s in maps[0].sum(axis=-1)])
print("sumas sobre las consultas:", *[number(float(s), 3) for s in maps[0].sum(axis=-2)])

# %% [markdown]
# ## Un modelo real
#
# Hasta aquí, matrices al azar. Ahora, las de un modelo que existe: `multilingual-e5-small` (Wang y otros, 2024), un codificador con la forma de BERT que aprendió de textos en muchos idiomas. Viene con el curso, con las matrices guardadas en 4 bits y el vocabulario recortado al español y al inglés. No trae código propio: cada una de sus capas la calcula `bloque.encoder_block`.

# %%
from bloque.lessons import real_heads
from bloque.model import load

real_model = load()
sentence = "Me senté en el banco de mi jardín."
print(f"{real_model.layers} capas × {real_model.heads} cabezas = {real_model.layers * real_model.heads}")
print(f"d_model {real_model.d_model}, columnas por cabeza {real_model.d_model // real_model.heads}")
print(real_model.pieces(sentence))
print("mapas:", real_model.attention_maps(sentence).shape)

# %% [markdown]
# Son 144 cabezas de 32 columnas; en este modelo cada *capa* es un bloque, y capas y cabezas se cuentan desde 1. La frase entra cortada en trozos, que son sus tokens: `▁` marca dónde empieza una palabra, y `<s>` y `</s>` son dos marcas que el modelo pone delante y detrás de cualquier texto. «Senté» y «jardín» van en dos trozos cada una.
#
# Fíjate en esto:
#
# - en «qué cabeza» están las cuatro que veremos abajo; en tres de ellas la regla se ve a simple vista;
# - recorre las capas y las cabezas: una y otra vez, las columnas oscuras son las de las marcas y el punto;
# - escribe tu propia frase, en español o en inglés. Si una palabra no cabe en el vocabulario recortado, el pie lo dice.

# %%
real_heads.heads()

# %% [markdown]
# A cada una la hemos elegido con una regla. Tres son las que más peso medio ponen en la palabra anterior, en la siguiente y en las dos marcas. La cuarta busca el nombre que decide de qué banco se habla: de las cabezas cuyo mayor peso, desde «banco», cae en ese nombre en *Me senté en el banco de mi jardín* y también en *Guardé el dinero en el banco*, es la que más peso le da. La celda las calcula:

# %%
chosen = real_heads.best_heads()
names = {"previous": "palabra anterior", "next": "palabra siguiente", "delimiters": "marcas"}
for kind, name in names.items():
    head = chosen[kind]
    in_spanish, in_english = (number(head.of(real_heads.mean_kinds(code)[kind]), 2) for code in ("es", "en"))
    print(f"{name}: {head}; peso medio {in_spanish} en español y {in_english} en inglés")
seat, money = (number(chosen["noun"].of(real_heads.noun_weight("es")[k]), 3) for k in real_heads.chosen_on("es"))
print(f"nombre que decide: {chosen['noun']}; {seat} sobre el primero y {money} sobre el segundo")

# %% [markdown]
# La cabeza 7 de la capa 1 pone 0.332 en «jardín» y 0.383 en «dinero». Es tentador decir que esta cabeza entiende de qué banco se habla. Antes, una cuenta. Hay 144 cabezas y dos frases. Si cada cabeza mirara un token al azar, ¿cuántas acertarían en las dos?

# %%
print("cabezas que aciertan las dos frases:", len(real_heads.qualifying("es")))
print("las que se esperan al azar:", number(real_heads.expected_by_chance("es"), 1))

# %% [markdown]
# Se esperan 2.2 y hay 1. Dos frases no demuestran nada. Por eso escribimos 16, antes de medir y sin cambiar ninguna después: 8 de sentarse y 8 de dinero. Para cada cabeza contamos en cuántas el mayor peso de «banco» cae en el nombre que decide.

# %%
print("aciertos:", list(real_heads.right_by_reading(chosen["noun"], "es").values()))
print("cabezas con 10 o más, al azar:", number(real_heads.expected_right(10, "es"), significant=1))
real_heads.counts()

# %% [markdown]
# La cabeza 7 de la capa 1 acierta 10 de 16: 4 de las 8 de sentarse y 6 de las 8 de dinero. Al azar se esperarían 5e−5 cabezas así, es decir, ninguna: esta cabeza hace algo que no es azar. Pero también falla 6, y dos de sus aciertos son las frases con las que la elegimos.
#
# En conjunto, las 144 aciertan menos de lo que daría el azar: 0.49 de media frente a 1.60. ¿Por qué? Cambia de frase con el deslizador:
#
# - los puntos grises son las cabezas cuyo mayor peso cae en una marca o en un signo: 122 de 144 en la primera frase;
# - los anillos, las que encuentran el nombre, cambian de sitio con la frase. Casi ninguno se queda.

# %%
real_heads.overview()

# %% [markdown]
# ¿Y adónde mira la cabeza 7 de la capa 1 cuando falla?

# %%
looks = real_heads.looked_at(chosen["noun"], "es")
for example, word in zip(real_heads.examples("es"), looks, strict=True):
    print("✓" if word == example.noun else "·", word, "|", example.text)

# %% [markdown]
# «Quedó», «mochila», «Esperamos», «gato», «año», «mañana». Siempre una palabra con contenido, nunca un artículo. Parece que la cabeza no busca el nombre que decide, sino alguna palabra con contenido que no sea «banco», y muchas veces esa palabra es el nombre que decide.
#
# Y no puede tener en cuenta el resto de la frase. Está en la capa 1, donde todavía no se ha mezclado nada: la consulta de «banco» sale de su token y su posición, y la clave de «jardín», de los suyos. Se puede comprobar. Cambiamos otra palabra de la frase y miramos la razón entre el peso de «jardín» y el de «mi»:

# %%
for layer in (1, 2):
    head = real_heads.Head(layer, 7)
    for sentence in ("Me senté en el banco de mi jardín.", "Me perdí en el banco de mi jardín."):
        ratio = real_heads.weight_ratio(sentence, head, "banco", "jardín", "mi")
        print(f"{head}: {number(ratio, 3)} en «{sentence}»")

# %% [markdown]
# En la capa 1 la razón es 3.242 en las dos: el verbo no cuenta. En la capa 2 ya sí, 0.886 y 0.971, porque las filas que entran en ella llevan algo de las demás.
#
# ¿Y en inglés? El mismo modelo, 16 frases con *bank*, 8 de ríos y 8 de dinero:

# %%
best, most = real_heads.best_counted("en")
print("cabezas que aciertan las dos primeras:", len(real_heads.qualifying("en")))
print(f"la mejor: {best}, {most} de 16;", list(real_heads.right_by_reading(best, "en").values()))
for code in ("es", "en"):
    marks = real_heads.on_a_mark(code).sum(axis=(1, 2))
    print(f"cabezas que miran una marca o un signo, de media: {number(marks.mean(), 1)} de 144")

# %% [markdown]
# Ninguna cabeza acierta las dos primeras frases, y la mejor de todas se queda en 6 de 16. En este modelo no hemos encontrado ninguna cabeza que elija el sentido de una palabra.
#
# Lo que sí hay, en los dos idiomas, son cabezas de posición y cabezas que miran sobre todo las marcas: de media, 123.7 de 144 en español y 127.3 en inglés ponen el mayor peso de la palabra en una marca o un signo. Es lo que Clark y otros (2019) describen en BERT: cabezas de la palabra vecina, de las marcas y de algunas relaciones sintácticas. No describen ninguna que elija el sentido.

# %% [markdown]
# ## Lo que cuesta
#
# Cada cabeza compara cada token con todos: $n \times n$ puntuaciones. La tabla crece con el cuadrado de la longitud del texto.

# %%
for n_tokens in (1000, 2000, 4000):
    print(f"n = {number(n_tokens)}: {number(n_tokens**2)} puntuaciones por cabeza")

# %% [markdown]
# Mil tokens, 1 000 000 de puntuaciones; el doble de texto, cuatro veces más: 4 000 000.
#
# Vaswani y otros (2017, tabla 1) comparan una capa de atención con una recurrente, que lee los tokens de uno en uno y guarda lo leído en un estado:
#
# | | multiplicaciones por capa | pasos que se esperan unos a otros | camino entre dos tokens |
# |---|---|---|---|
# | atención | $O(n^2 \cdot d)$ | $O(1)$ | $O(1)$ |
# | recurrencia | $O(n \cdot d^2)$ | $O(n)$ | $O(n)$ |
#
# $n^2 d$ queda por debajo de $n d^2$ mientras $n < d$. Esa comparación se repite mucho, pero solo cuenta la mezcla: las puntuaciones y la suma ponderada. Con las cuatro proyecciones, la atención hace $4nd^2 + 2n^2d$, y no hay ningún $n$ con el que eso sea menos que $nd^2$. (Y $nd^2$ es la recurrencia más escueta: en cada paso, un solo producto del estado por una matriz. Una LSTM, otra red recurrente, hace ocho productos de ese tamaño, y frente a ella la atención sí hace menos mientras $n < 2d$.) La celda imprime las dos cuentas.

# %%
for n_tokens in (128, 512, 2048):
    here = lesson.operations(n_tokens, 512)
    print(
        f"n = {n_tokens}: n²·d {number(here['mixing'])}, n·d² {number(here['recurrence'])},"
        f" con proyecciones {number(here['whole'])}"
    )

# %% [markdown]
# Con $n = d = 512$ las dos primeras son iguales, 134 217 728, y la cuenta entera es seis veces mayor: 805 306 368. Frente a esa recurrencia, la atención no ahorra operaciones. Ahorra espera: la recurrencia da sus $n$ pasos uno tras otro; la atención lo calcula todo a la vez y une dos tokens cualesquiera en un paso.
#
# Fíjate en esto:
#
# - las rectas se cruzan en la línea de puntos, en $n = d$; cambia $d_{\mathrm{model}}$ y el cruce va detrás;
# - la línea negra, la atención entera, no baja nunca de la recurrencia;
# - con ejes logarítmicos la pendiente es el exponente: 1 en la recurrencia, 2 en la atención.

# %%
lesson.cost()

# %% [markdown]
# ## Errores frecuentes
#
# - **Un reshape directo a $(h, n, d_k)$.** Forma correcta, tokens mezclados. Para verlo: pásale un `arange` y mira la cabeza 0.
# - **Cortar $X$ antes de proyectar.** Cada cabeza se queda ciega ante casi toda la entrada. Para verlo: toca la última columna y mira la cabeza 0.
# - **Dividir entre $\sqrt{d_{\mathrm{model}}}$.** Después del reparto, un producto tiene $d_k$ sumandos, así que la raíz es la de $d_k$. Con $d_{\mathrm{model}} = 512$ y 8 cabezas la diferencia es un factor $\sqrt{8}$.
# - **Más cabezas con el mismo ancho.** El número de pesos se multiplica por $h$. Para verlo: cuéntalos.
# - **Olvidar $W^O$.** Cada cabeza se queda encerrada en sus columnas. Para verlo: pon una cabeza a cero y mira qué columnas de la salida cambian.
# - **Juntar las cabezas en otro orden.** Un `reshape` directo de $(h, n, d_k)$ a $(n, d_{\mathrm{model}})$ mezcla los tokens a la salida, como el otro los mezclaba a la entrada.
# - **Una cabeza que «entiende».** Un mapa elegido después de verlo convence de cualquier cosa. Para verlo: mide con frases escritas antes de mirar.

# %% [markdown]
# ## Ejercicios
#
# Cambia cada `...` por tu expresión y ejecuta la celda. Si algo falla, la comprobación te dirá a qué error conocido se parece.
#
# ### Ejercicio 1 · `split_heads`
#
# ●○○ · 5 minutos
#
# Escribe `split_heads(x, heads)`: de `(..., n, d_model)` a `(..., heads, n, d_head)`, con `d_head` igual a `d_model / heads`, lo que la lección llama $d_k$. Los puntos son los ejes que haya por delante, los que sean: en la primera línea, `*front` los recoge en una lista.
#
# <details><summary>Pista 1</summary>
#
# Son dos pasos. El primero corta solo el último eje.
#
# </details>
# <details><summary>Pista 2</summary>
#
# Tras el primer paso tienes `(..., n, heads, d_head)`. ¿Qué dos ejes deben cambiar de sitio?
#
# </details>
# <details><summary>Pista 3</summary>
#
# `swapaxes` también cuenta desde el final, con números negativos.
#
# </details>

# %% tags=["exercise"]
def split_heads(x, heads):
    *front, n, d_model = x.shape
    cut = ...
    return ...


check("split_heads", split_heads)

# %% [markdown]
# <details><summary>Solución</summary>
#
# ```python
# def split_heads(x, heads):
#     *front, n, d_model = x.shape
#     cut = x.reshape(*front, n, heads, d_model // heads)
#     return cut.swapaxes(-2, -3)
# ```
#
# </details>

# %% [markdown]
# ### Ejercicio 2 · `merge_heads`
#
# ●○○ · 5 minutos
#
# Escribe la inversa, `merge_heads(x)`: de `(..., heads, n, d_head)` a `(..., n, heads · d_head)`.
#
# <details><summary>Pista 1</summary>
#
# Deshaz los pasos en orden inverso.
#
# </details>
# <details><summary>Pista 2</summary>
#
# Antes de juntar, cada token debe tener sus cabezas una al lado de otra: `(..., n, heads, d_head)`.
#
# </details>
# <details><summary>Pista 3</summary>
#
# En el `reshape` final el último tamaño puede ser `-1`, salvo que algún eje mida 0.
#
# </details>

# %% tags=["exercise"]
def merge_heads(x):
    *front, heads, n, d_head = x.shape
    rows = ...
    return ...


check("merge_heads", merge_heads)

# %% [markdown]
# <details><summary>Solución</summary>
#
# ```python
# def merge_heads(x):
#     *front, heads, n, d_head = x.shape
#     rows = x.swapaxes(-2, -3)
#     return rows.reshape(*front, n, heads * d_head)
# ```
#
# </details>

# %% [markdown]
# ### Ejercicio 3 · `multi_head_attention`
#
# ●●○ · 12 minutos
#
# Escribe la capa entera: `multi_head_attention(X, W_Q, W_K, W_V, W_O, heads)`, de `(n, d_model)` a `(n, d_model)`. Sin sesgos (los vectores que se suman después de cada matriz) y sin máscara (lección 5). Puedes usar `bloque.softmax`, `bloque.split_heads` y `bloque.merge_heads`.
#
# <details><summary>Pista 1</summary>
#
# Primero se proyecta y después se reparte. Tres productos, tres repartos.
#
# </details>
# <details><summary>Pista 2</summary>
#
# Con formas `(heads, n, d_k)`, el producto `@` se hace en cada cabeza por su cuenta. Solo tienes que transponer los dos últimos ejes de las claves.
#
# </details>
# <details><summary>Pista 3</summary>
#
# El divisor es la raíz del ancho que tienen las consultas después del reparto.
#
# </details>

# %% tags=["exercise"]
def multi_head_attention(X, W_Q, W_K, W_V, W_O, heads):
    Q = bloque.split_heads(X @ W_Q, heads)
    K = ...
    V = ...
    scores = ...
    weights = bloque.softmax(scores)
    return ...


check("multi_head_attention", multi_head_attention)

# %% [markdown]
# <details><summary>Solución</summary>
#
# ```python
# def multi_head_attention(X, W_Q, W_K, W_V, W_O, heads):
#     Q = bloque.split_heads(X @ W_Q, heads)
#     K = bloque.split_heads(X @ W_K, heads)
#     V = bloque.split_heads(X @ W_V, heads)
#     scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
#     weights = bloque.softmax(scores)
#     return bloque.merge_heads(weights @ V) @ W_O
# ```
#
# </details>

# %% [markdown]
# ### Ejercicio 4 · `head_cost`
#
# ●○○ · 4 minutos
#
# Escribe `head_cost(n, d_model, heads)`. Devuelve tres números enteros: las columnas de una cabeza, las puntuaciones que calcula una cabeza y los pesos de las cuatro matrices juntas, sin sesgos. Pruébala con $d_{\mathrm{model}} = 256$, 4 cabezas y $n = 100$ posiciones antes de comprobar.
#
# <details><summary>Pista 1</summary>
#
# Ninguno de los tres números depende de los tres argumentos.
#
# </details>
# <details><summary>Pista 2</summary>
#
# Las puntuaciones de una cabeza no dependen de su ancho.
#
# </details>
# <details><summary>Pista 3</summary>
#
# Números enteros: usa `//`.
#
# </details>

# %% tags=["exercise"]
def head_cost(n, d_model, heads):
    return ..., ..., ...


check("head_cost", head_cost)

# %% [markdown]
# <details><summary>Solución</summary>
#
# ```python
# def head_cost(n, d_model, heads):
#     return d_model // heads, n**2, 4 * d_model**2
# ```
#
# </details>

# %% [markdown]
# ## Preguntas
#
# Sin prisa y sin nota. Cada opción explica por qué vale o por qué no, y puedes volver a intentarlo.

# %%
quiz("lesson3")

# %%
score("lesson3")

# %% [markdown]
# ## Resumen
#
# 1. Una fila de pesos suma 1, así que dos reglas en una fila compiten, y una ventaja de unas pocas unidades basta para que una tape a la otra. Dos cabezas conservan las dos.
# 2. Las cabezas son estrechas, $d_k = d_{\mathrm{model}}/h$: las cuatro matrices tienen $4 d_{\mathrm{model}}^2$ pesos con cualquier $h$.
# 3. Reshape a $(n, h, d_k)$ y luego transposición. El reshape directo a $(h, n, d_k)$ mezcla tokens y no lanza ningún error.
# 4. Cada cabeza ve todo $X$ a través de sus proyecciones, y $W^O$ suma lo que escribe cada una.
# 5. Hay $n^2$ puntuaciones por cabeza. La ventaja de la atención no es hacer menos operaciones: es que ninguna posición espera a otra.
#
# ## Términos
#
# | español | inglés | en una línea |
# |---|---|---|
# | cabeza | *head* | una atención con proyecciones propias sobre una parte del ancho |
# | proyección | *projection* | el producto por una matriz aprendida que da consultas, claves o valores |
# | atención cruzada | *cross-attention* | consultas de una secuencia, claves y valores de otra |
# | matriz de salida | *output matrix* | $W^O$, que mezcla lo que encontraron las cabezas |
# | mapa de atención | *attention map* | los pesos de una cabeza: filas, las consultas; columnas, las claves |
#
# Todos los términos están en el [glosario](90_glosario.ipynb).
#
# ## Fuentes
#
# - Vaswani y otros (2017), *Attention Is All You Need*: sección 3.2.2 (cabezas), tabla 1 (costes).
# - Bahdanau, Cho y Bengio (2014), *Neural Machine Translation by Jointly Learning to Align and Translate*: sección 3.1.
# - Clark y otros (2019), *What Does BERT Look At?*: sección 3.
# - Wang y otros (2024), *Multilingual E5 Text Embeddings: A Technical Report*: el modelo real.
# - Devlin y otros (2018), *BERT*: sección 3, tamaños del modelo.
#
# **Siguiente lección:** [4 · Conexión residual y normalización por capas](04_residual_layer_norm.ipynb).

# %% tags=["colophon"]
from bloque.colophon import colophon

colophon(3)
