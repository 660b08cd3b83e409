# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Glossary
#
# [Español](../es/90_glosario.ipynb)
#
# Every term of the course in both languages, what it means in one line, and the lessons that explain it.

# %% tags=["setup"]
# Finds the course, chooses the language and says the version. Run this cell before the others.
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
        raise stop(f"""This Python does not find the course ({reason}). The notebook runs on this Python: {sys.executable}
Install the course into it with this command, in a terminal:

    {list2cmdline(command)}

Then restart the kernel (Kernel menu) and run this cell again.""") from None
    site.main()
    import bloque

bloque.language("en")
print("The Transformer, block by block · version", bloque.__version__)

# %% [markdown]
# ## The terms
#
# | term | in Spanish | in one line | where |
# | --- | --- | --- | --- |
# | **Adam** | Adam | Gradient descent in which each parameter moves by the running mean of its gradient over the root of that of its square. | [lesson 6](06_make_it_learn.ipynb) |
# | **attention** | atención | A weighted average of the values; the weights come from comparing a query with each key. | [lesson 0](00_entrance.ipynb), [lesson 2](02_sqrt_dk.ipynb) |
# | **attention map** | mapa de atención | The weights of one head as a table: a row for each query, a column for each key. | [lesson 3](03_multi_head.ipynb) |
# | **batch** | lote | The sequences that are processed together, and from which one training step learns. | [lesson 4](04_residual_layer_norm.ipynb), [lesson 6](06_make_it_learn.ipynb) |
# | **block** | bloque | Attention and a position-wise network, each with its residual connection and its norm. | [lesson 5](05_full_block.ipynb) |
# | **causal mask** | máscara causal | The mask that closes the future: each position attends to itself and to those before. | [lesson 5](05_full_block.ipynb) |
# | **cosine** | coseno | How alike the directions of two vectors are: their dot product over the product of their lengths; 1 the same, 0 at right angles. | [lesson 4](04_residual_layer_norm.ipynb), [lesson 5](05_full_block.ipynb) |
# | **covariance** | covarianza | The mean of the product of two variables of mean 0: whether they rise and fall together. | [lesson 2](02_sqrt_dk.ipynb) |
# | **cross-attention** | atención cruzada | Queries from one sequence, keys and values from another: in the paper, from the decoder and from the encoder. | [lesson 3](03_multi_head.ipynb), [lesson 5](05_full_block.ipynb) |
# | **cross-entropy** | entropía cruzada | A classifier's loss: minus the logarithm of the weight of the right answer. | [lesson 1](01_softmax_saturation.ipynb) |
# | **d_k** | d_k | The size of a query or a key: d_model over the number of heads. | [lesson 2](02_sqrt_dk.ipynb), [lesson 3](03_multi_head.ipynb) |
# | **d_model** | d_model | The model's width: how many numbers describe a token. | [lesson 0](00_entrance.ipynb), [lesson 3](03_multi_head.ipynb) |
# | **decoder** | decodificador | A stack of blocks that writes token by token: each token sees itself and those before it. | [lesson 5](05_full_block.ipynb) |
# | **division by √d_k** | división entre √d_k | Leaves the scores with standard deviation 1 for any d_k, if the components start independent, with mean 0 and variance 1. | [lesson 2](02_sqrt_dk.ipynb) |
# | **dot product** | producto escalar | The sum of the products of two vectors' components: q · k. | [lesson 2](02_sqrt_dk.ipynb) |
# | **embedding** | embedding | The learnt vector of each token of the vocabulary, with which a token enters the model. | [lesson 0](00_entrance.ipynb), [lesson 5](05_full_block.ipynb) |
# | **encoder** | codificador | A stack of blocks in which each token sees the whole sentence. | [lesson 5](05_full_block.ipynb) |
# | **entropy** | entropía | How far the weight is spread: 0 if one takes all, ln n if all n share alike. | [lesson 1](01_softmax_saturation.ipynb) |
# | **equivariance** | equivarianza | Shuffle the rows that go in, and the same rows come out, shuffled alike. | [lesson 5](05_full_block.ipynb) |
# | **gradient** | gradiente | The derivatives of the loss with respect to each parameter: which way, and how steeply, the loss rises. | [lesson 0](00_entrance.ipynb), [lesson 1](01_softmax_saturation.ipynb) |
# | **head** | cabeza | One attention with projections of its own, d_k columns wide; several work side by side. | [lesson 3](03_multi_head.ipynb) |
# | **induction task** | tarea de inducción | To say which token came after this one the last time it appeared. | [lesson 6](06_make_it_learn.ipynb) |
# | **Jacobian** | jacobiano | The table of all derivatives: how much each output changes when each input moves. | [lesson 1](01_softmax_saturation.ipynb) |
# | **key** | clave | The vector by which a token is found: every query is compared with it. | [lesson 0](00_entrance.ipynb), [lesson 2](02_sqrt_dk.ipynb) |
# | **kurtosis** | curtosis | How heavy the tails are: the mean fourth power of the distance from the mean over the squared variance; 3 for a normal distribution. | [lesson 2](02_sqrt_dk.ipynb) |
# | **layer norm** | normalización por capas | Leaves each row with mean 0 and standard deviation 1 over its own coordinates; then scales by γ and shifts by β. | [lesson 4](04_residual_layer_norm.ipynb) |
# | **learning rate** | tasa de aprendizaje | The factor that sets how far the parameters move in a step. | [lesson 4](04_residual_layer_norm.ipynb), [lesson 6](06_make_it_learn.ipynb) |
# | **logit** | logit | The score of a token of the vocabulary, before the softmax that makes a probability of it. | [lesson 6](06_make_it_learn.ipynb) |
# | **loss** | pérdida | The number that training brings down. | [lesson 1](01_softmax_saturation.ipynb), [lesson 6](06_make_it_learn.ipynb) |
# | **mask** | máscara | Says which keys each query may look at; the scores of the others become −∞ before softmax. | [lesson 5](05_full_block.ipynb) |
# | **multi-head attention** | atención de varias cabezas | Several heads side by side, whose outputs are merged and mixed by W^O. | [lesson 3](03_multi_head.ipynb) |
# | **multiplication by √d_model** | multiplicación por √d_model | In the paper, it enlarges the embeddings before the position is added; it has nothing to do with the division by √d_k. | [lesson 2](02_sqrt_dk.ipynb) |
# | **normal distribution** | normal | The bell that comes of adding up many independent things: nearly all of it lies within two deviations of the mean. | [lesson 2](02_sqrt_dk.ipynb) |
# | **output matrix** | matriz de salida | W^O, the learnt matrix that mixes what the heads found. | [lesson 3](03_multi_head.ipynb) |
# | **overflow** | desbordamiento | A number too large for its type; in softmax, subtracting the maximum avoids it. | [lesson 1](01_softmax_saturation.ipynb) |
# | **parameter** | parámetro | A number that training adjusts. | [lesson 5](05_full_block.ipynb) |
# | **path** | camino | One term of the product of the I + J: some sublayers crossed, the others passed by. | [lesson 4](04_residual_layer_norm.ipynb) |
# | **position-wise network** | red por posición | Two matrices with a nonlinearity between, the same at every position; also called feed-forward network. | [lesson 0](00_entrance.ipynb), [lesson 5](05_full_block.ipynb) |
# | **positional encoding** | codificación posicional | Sines and cosines added once, at the start, so that order counts. | [lesson 5](05_full_block.ipynb) |
# | **post-norm** | post-norm | The norm comes after the sum, as in the paper. | [lesson 4](04_residual_layer_norm.ipynb), [lesson 5](05_full_block.ipynb) |
# | **pre-norm** | pre-norm | The norm comes before the sublayer, and leaves the residual path clear. | [lesson 4](04_residual_layer_norm.ipynb), [lesson 5](05_full_block.ipynb) |
# | **projection** | proyección | The product by a learnt matrix that makes queries, keys or values. | [lesson 3](03_multi_head.ipynb) |
# | **query** | consulta | The vector with which a token asks; it is compared with every key. | [lesson 0](00_entrance.ipynb), [lesson 2](02_sqrt_dk.ipynb) |
# | **rank collapse** | colapso de rango | Without residual connections, the rows of a deep stack of attentions end up alike. | [lesson 4](04_residual_layer_norm.ipynb) |
# | **ReLU** | ReLU | Lets what is positive through, and sets what is negative to 0. | [lesson 5](05_full_block.ipynb) |
# | **residual connection** | conexión residual | Adds the input to the sublayer's output, and leaves the gradient a direct path. | [lesson 4](04_residual_layer_norm.ipynb) |
# | **running mean** | media móvil | A mean that each new value corrects a little, and that forgets the old ones bit by bit. | [lesson 6](06_make_it_learn.ipynb) |
# | **saturation** | saturación | The differences between scores are so large that one weight is nearly 1 and every slope nearly 0. | [lesson 1](01_softmax_saturation.ipynb) |
# | **scaled dot-product attention** | atención escalada | Attention that divides its scores by √d_k: softmax(QKᵀ/√d_k)·V. | [lesson 2](02_sqrt_dk.ipynb) |
# | **score** | puntuación | The number that goes into softmax: how well a query and a key fit. | [lesson 0](00_entrance.ipynb), [lesson 1](01_softmax_saturation.ipynb), [lesson 2](02_sqrt_dk.ipynb) |
# | **seed** | semilla | The number that fixes what a generator of random numbers gives: the same seed, the same numbers. | [lesson 0](00_entrance.ipynb), [lesson 6](06_make_it_learn.ipynb) |
# | **softmax** | softmax | Turns scores into weights: the exponential of each over the sum of all. | [lesson 1](01_softmax_saturation.ipynb) |
# | **standard deviation** | desviación típica | The root of the variance: how far values lie from their mean, in their own units. | [lesson 2](02_sqrt_dk.ipynb) |
# | **standard error** | error típico | The standard deviation of an estimate from one experiment to the next. | [lesson 2](02_sqrt_dk.ipynb) |
# | **sublayer** | subcapa | The attention or the position-wise network of a block. | [lesson 4](04_residual_layer_norm.ipynb) |
# | **temperature** | temperatura | The number that divides the scores: the lower it is, the more weight the largest score takes. | [lesson 1](01_softmax_saturation.ipynb) |
# | **token** | token | The unit that a text is cut into: a word or a piece of one. | [lesson 0](00_entrance.ipynb) |
# | **trace** | traza | The sum of a matrix's diagonal. | [lesson 2](02_sqrt_dk.ipynb) |
# | **value** | valor | What a token contributes to the queries that give it weight. | [lesson 0](00_entrance.ipynb), [lesson 2](02_sqrt_dk.ipynb) |
# | **variance** | varianza | The mean squared distance from the mean; for a sum of independent terms, the variances add up. | [lesson 0](00_entrance.ipynb), [lesson 2](02_sqrt_dk.ipynb) |
# | **warm-up** | calentamiento | A learning rate that starts tiny and grows during the first steps. | [lesson 5](05_full_block.ipynb), [lesson 6](06_make_it_learn.ipynb) |
# | **weight** | peso | What comes out of softmax: between 0 and 1, and each row adds up to 1. | [lesson 0](00_entrance.ipynb), [lesson 1](01_softmax_saturation.ipynb) |

# %% tags=["colophon"]
from bloque.colophon import colophon

colophon(90)
