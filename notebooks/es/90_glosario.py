# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Glosario
#
# [English](../en/90_glossary.ipynb)
#
# Cada término del curso en los dos idiomas, con una línea y con la lección que lo explica.

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

# %% [markdown]
# ## Los términos
#
# | término | en inglés | en una línea | dónde |
# | --- | --- | --- | --- |
# | **Adam** | Adam | Método de entrenamiento que ajusta el paso de cada parámetro con las medias móviles de su gradiente y del cuadrado de este. | [lección 6](06_que_aprenda.ipynb) |
# | **atención** | attention | Media de los valores, con pesos que salen de comparar una consulta con cada clave. | [lección 0](00_entrada.ipynb), [lección 2](02_raiz_dk.ipynb) |
# | **atención cruzada** | cross-attention | Las consultas vienen de una secuencia y las claves y los valores, de otra: en el Transformer, del decodificador y del codificador. | [lección 3](03_varias_cabezas.ipynb), [lección 5](05_bloque_completo.ipynb) |
# | **atención de varias cabezas** | multi-head attention | Varias atenciones en paralelo, cuyas salidas se ponen una al lado de otra y se mezclan. | [lección 3](03_varias_cabezas.ipynb) |
# | **atención escalada** | scaled dot-product attention | La atención que divide sus puntuaciones entre √d_k: softmax(QKᵀ/√d_k)·V. | [lección 2](02_raiz_dk.ipynb) |
# | **bloque** | block | Atención y red por posición, cada una con su conexión residual y su norma. | [lección 5](05_bloque_completo.ipynb) |
# | **cabeza** | head | Una atención con proyecciones propias; varias trabajan a la vez, cada una más estrecha. | [lección 3](03_varias_cabezas.ipynb) |
# | **calentamiento** | warm-up | Empezar a entrenar con una tasa de aprendizaje diminuta y subirla poco a poco. | [lección 5](05_bloque_completo.ipynb), [lección 6](06_que_aprenda.ipynb) |
# | **camino** | path | Un término del producto de los I + J: unas subcapas atravesadas y las demás rodeadas. | [lección 4](04_residual_layer_norm.ipynb) |
# | **clave** | key | El vector con el que un token responde a las consultas de los demás. | [lección 0](00_entrada.ipynb), [lección 2](02_raiz_dk.ipynb) |
# | **codificación posicional** | positional encoding | Senos y cosenos que se suman una vez, al principio, para que el orden cuente. | [lección 5](05_bloque_completo.ipynb) |
# | **codificador** | encoder | Una pila de bloques en la que cada token ve toda la frase. | [lección 5](05_bloque_completo.ipynb) |
# | **colapso de rango** | rank collapse | Sin conexiones residuales, las filas de una pila profunda de atenciones acaban siendo iguales. | [lección 4](04_residual_layer_norm.ipynb) |
# | **conexión residual** | residual connection | Suma la entrada a la salida de la subcapa, y deja un camino directo al gradiente. | [lección 4](04_residual_layer_norm.ipynb) |
# | **consulta** | query | El vector con el que un token pregunta; se compara con todas las claves. | [lección 0](00_entrada.ipynb), [lección 2](02_raiz_dk.ipynb) |
# | **coseno** | cosine | Cuánto se parecen las direcciones de dos vectores: su producto escalar entre el producto de sus longitudes; 1 si apuntan igual, 0 si forman ángulo recto. | [lección 4](04_residual_layer_norm.ipynb), [lección 5](05_bloque_completo.ipynb) |
# | **covarianza** | covariance | La media del producto de dos variables de media 0: dice si suben y bajan a la vez. | [lección 2](02_raiz_dk.ipynb) |
# | **curtosis** | kurtosis | Cuánto pesan las colas: la media de la cuarta potencia de la distancia a la media, entre el cuadrado de la varianza; 3 en la normal. | [lección 2](02_raiz_dk.ipynb) |
# | **d_k** | d_k | El número de componentes de una consulta o una clave; con h cabezas, d_model entre h. | [lección 2](02_raiz_dk.ipynb), [lección 3](03_varias_cabezas.ipynb) |
# | **d_model** | d_model | El ancho del modelo: cuántos números describen un token. | [lección 0](00_entrada.ipynb), [lección 3](03_varias_cabezas.ipynb) |
# | **decodificador** | decoder | Escribe token a token: cada uno se ve a sí mismo y a los anteriores. | [lección 5](05_bloque_completo.ipynb) |
# | **desbordamiento** | overflow | Un número demasiado grande para su tipo; en la softmax se evita restando el máximo. | [lección 1](01_saturacion_softmax.ipynb) |
# | **desviación típica** | standard deviation | La raíz de la varianza: cuánto se apartan los valores de su media, en sus mismas unidades. | [lección 2](02_raiz_dk.ipynb) |
# | **división entre √d_k** | division by √d_k | Deja las puntuaciones con desviación 1 para cualquier d_k, si los componentes empiezan independientes, con media 0 y varianza 1. | [lección 2](02_raiz_dk.ipynb) |
# | **embedding** | embedding | El vector aprendido de cada token del vocabulario. | [lección 0](00_entrada.ipynb), [lección 5](05_bloque_completo.ipynb) |
# | **entropía** | entropy | Mide lo repartidos que están los pesos: 0 si uno se lo lleva todo. | [lección 1](01_saturacion_softmax.ipynb) |
# | **entropía cruzada** | cross-entropy | La pérdida de un clasificador: menos el logaritmo del peso de la respuesta buena. | [lección 1](01_saturacion_softmax.ipynb) |
# | **equivarianza** | equivariance | Si se barajan las filas de entrada, salen las mismas filas, barajadas igual. | [lección 5](05_bloque_completo.ipynb) |
# | **error típico** | standard error | La desviación típica de una estimación de un experimento a otro. | [lección 2](02_raiz_dk.ipynb) |
# | **gradiente** | gradient | Las derivadas de la pérdida respecto de cada parámetro: dicen hacia dónde corregirlo. | [lección 0](00_entrada.ipynb), [lección 1](01_saturacion_softmax.ipynb) |
# | **jacobiano** | Jacobian | La tabla de todas las derivadas de una función: cuánto se mueve cada salida al mover cada entrada. | [lección 1](01_saturacion_softmax.ipynb) |
# | **logit** | logit | La puntuación de un token del vocabulario, antes de la softmax que la vuelve probabilidad. | [lección 6](06_que_aprenda.ipynb) |
# | **lote** | batch | Las secuencias que se procesan juntas y de las que aprende un paso del entrenamiento. | [lección 4](04_residual_layer_norm.ipynb), [lección 6](06_que_aprenda.ipynb) |
# | **mapa de atención** | attention map | Los pesos de una cabeza en una tabla: una fila por consulta y una columna por clave. | [lección 3](03_varias_cabezas.ipynb) |
# | **máscara** | mask | Cierra posiciones: suma −∞ a sus puntuaciones antes de la softmax. | [lección 5](05_bloque_completo.ipynb) |
# | **máscara causal** | causal mask | Cierra el futuro: cada posición puede mirarse a sí misma y a las anteriores. | [lección 5](05_bloque_completo.ipynb) |
# | **matriz de salida** | output matrix | W^O, la matriz aprendida que mezcla lo que encontraron las cabezas. | [lección 3](03_varias_cabezas.ipynb) |
# | **media móvil** | running mean | Una media que se corrige un poco con cada valor nuevo y olvida poco a poco los viejos. | [lección 6](06_que_aprenda.ipynb) |
# | **multiplicación por √d_model** | multiplication by √d_model | En el artículo, lo que agranda los embeddings antes de sumar la posición; no tiene que ver con la división entre √d_k. | [lección 2](02_raiz_dk.ipynb) |
# | **normal** | normal distribution | La campana que sale al sumar muchas cosas independientes: en ella casi todo queda a menos de dos desviaciones de la media. | [lección 2](02_raiz_dk.ipynb) |
# | **normalización por capas** | layer norm | Deja cada fila con media 0 y desviación 1 a lo largo de sus coordenadas; después escala con γ y desplaza con β. También se la llama layer norm. | [lección 4](04_residual_layer_norm.ipynb) |
# | **parámetro** | parameter | Un número que el entrenamiento ajusta. | [lección 5](05_bloque_completo.ipynb) |
# | **pérdida** | loss | El número que el entrenamiento hace bajar. | [lección 1](01_saturacion_softmax.ipynb), [lección 6](06_que_aprenda.ipynb) |
# | **peso** | weight | Lo que sale de la softmax: entre 0 y 1, y cada fila suma 1. | [lección 0](00_entrada.ipynb), [lección 1](01_saturacion_softmax.ipynb) |
# | **post-norm** | post-norm | La norma va después de la suma, como en el artículo. | [lección 4](04_residual_layer_norm.ipynb), [lección 5](05_bloque_completo.ipynb) |
# | **pre-norm** | pre-norm | La norma va antes de la subcapa y deja libre el camino residual. | [lección 4](04_residual_layer_norm.ipynb), [lección 5](05_bloque_completo.ipynb) |
# | **producto escalar** | dot product | La suma de los productos de los componentes de dos vectores: q · k. | [lección 2](02_raiz_dk.ipynb) |
# | **proyección** | projection | El producto por una matriz aprendida que da consultas, claves o valores. | [lección 3](03_varias_cabezas.ipynb) |
# | **puntuación** | score | El número que entra en la softmax: cuánto encajan una consulta y una clave. | [lección 0](00_entrada.ipynb), [lección 1](01_saturacion_softmax.ipynb), [lección 2](02_raiz_dk.ipynb) |
# | **red por posición** | position-wise network | Dos capas con una no linealidad en medio, las mismas en cada posición. | [lección 0](00_entrada.ipynb), [lección 5](05_bloque_completo.ipynb) |
# | **ReLU** | ReLU | Deja pasar lo positivo y pone a 0 lo negativo. | [lección 5](05_bloque_completo.ipynb) |
# | **saturación** | saturation | Las diferencias entre puntuaciones son tan grandes que un peso casi llega a 1 y las pendientes, casi a 0. | [lección 1](01_saturacion_softmax.ipynb) |
# | **semilla** | seed | El número que fija lo que sale de un generador de números al azar: misma semilla, mismos números. | [lección 0](00_entrada.ipynb), [lección 6](06_que_aprenda.ipynb) |
# | **softmax** | softmax | Convierte puntuaciones en pesos: la exponencial de cada una entre la suma de todas las exponenciales. | [lección 1](01_saturacion_softmax.ipynb) |
# | **subcapa** | sublayer | La atención o la red por posición, dentro de un bloque. | [lección 4](04_residual_layer_norm.ipynb) |
# | **tarea de inducción** | induction task | Decir qué token venía después de este la última vez que salió. | [lección 6](06_que_aprenda.ipynb) |
# | **tasa de aprendizaje** | learning rate | Cuánto se mueve cada parámetro en un paso. | [lección 4](04_residual_layer_norm.ipynb), [lección 6](06_que_aprenda.ipynb) |
# | **temperatura** | temperature | Divide las puntuaciones: si baja, la softmax elige; si sube, reparte. | [lección 1](01_saturacion_softmax.ipynb) |
# | **token** | token | La unidad en que se parte el texto: una palabra o un trozo. | [lección 0](00_entrada.ipynb) |
# | **traza** | trace | La suma de la diagonal de una matriz. | [lección 2](02_raiz_dk.ipynb) |
# | **valor** | value | Lo que un token aporta a quien le da peso. | [lección 0](00_entrada.ipynb), [lección 2](02_raiz_dk.ipynb) |
# | **varianza** | variance | La media de los cuadrados de las distancias a la media; la de una suma de variables independientes es la suma de las suyas. | [lección 0](00_entrada.ipynb), [lección 2](02_raiz_dk.ipynb) |

# %% tags=["colophon"]
from bloque.colophon import colophon

colophon(90)
