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
# Every term of the course in both languages, with a line, and with the lesson that explains it.

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
# | term | in Spanish | in a line | where |
# | --- | --- | --- | --- |
# | **Adam** | Adam | Descent that fits each parameter's step to the running means of its gradient and of the gradient squared. | [lesson 6](06_make_it_learn.ipynb) |
# | **attention** | atención | An average of the values, with weights that come from comparing a query with each key. | [lesson 0](00_entrance.ipynb), [lesson 2](02_sqrt_dk.ipynb) |
# | **attention weight** | peso de atención | What comes out of softmax: between 0 and 1, and each row adds up to 1. | [lesson 1](01_softmax_saturation.ipynb) |
# | **block** | bloque | Attention and feed-forward network, each with its residual and its norm. | [lesson 5](05_full_block.ipynb) |
# | **causal mask** | máscara causal | Closes the future: each position attends to itself and to those before. | [lesson 5](05_full_block.ipynb) |
# | **cross-attention** | atención cruzada | The queries come from the decoder; the keys and values, from the encoder. | [lesson 3](03_multi_head.ipynb), [lesson 5](05_full_block.ipynb) |
# | **cross-entropy** | entropía cruzada | A classifier's loss: minus the logarithm of the weight of the right answer. | [lesson 1](01_softmax_saturation.ipynb) |
# | **d_k** | d_k | The size of a query or a key: d_model over the number of heads. | [lesson 2](02_sqrt_dk.ipynb), [lesson 3](03_multi_head.ipynb) |
# | **d_model** | d_model | The model's width: how many numbers describe a token. | [lesson 0](00_entrance.ipynb), [lesson 3](03_multi_head.ipynb) |
# | **decoder** | decodificador | Writes token by token: each sees itself and those before it. | [lesson 5](05_full_block.ipynb) |
# | **division by √d_k** | división entre √d_k | Leaves the scores with deviation 1 for any d_k, if components start independent, with mean 0 and variance 1. | [lesson 2](02_sqrt_dk.ipynb) |
# | **embedding** | embedding | The learnt vector of each token of the vocabulary. | [lesson 0](00_entrance.ipynb), [lesson 5](05_full_block.ipynb) |
# | **encoder** | codificador | A stack of blocks in which each token sees the whole sentence. | [lesson 5](05_full_block.ipynb) |
# | **entropy** | entropía | It measures how shared the weights are: 0 if one takes all. | [lesson 1](01_softmax_saturation.ipynb) |
# | **equivariance** | equivarianza | Shuffle the rows that go in, and the same rows come out, shuffled alike. | [lesson 5](05_full_block.ipynb) |
# | **feed-forward network** | red por posición | Two layers with a nonlinearity between, the same at every position. | [lesson 5](05_full_block.ipynb) |
# | **gradient** | gradiente | The derivatives of the loss by each parameter: which way, and how much, to correct. | [lesson 0](00_entrance.ipynb), [lesson 1](01_softmax_saturation.ipynb) |
# | **head** | cabeza | An attention with projections of its own; several work at once, each narrower. | [lesson 3](03_multi_head.ipynb) |
# | **induction** | inducción | To recall which token followed this one the last time it appeared. | [lesson 6](06_make_it_learn.ipynb) |
# | **Jacobian** | jacobiano | The table of all derivatives: how much each output changes when each input moves. | [lesson 1](01_softmax_saturation.ipynb) |
# | **key** | clave | The vector with which a token answers the queries of the others. | [lesson 0](00_entrance.ipynb), [lesson 2](02_sqrt_dk.ipynb) |
# | **layer norm** | normalización por capas (layer norm) | Leaves each token with mean 0 and deviation 1 over its own columns; then scales by γ and shifts by β. | [lesson 4](04_residual_layer_norm.ipynb) |
# | **learning rate** | tasa de aprendizaje | How far each parameter moves in a step. | [lesson 6](06_make_it_learn.ipynb) |
# | **loss** | pérdida | The number that training brings down. | [lesson 1](01_softmax_saturation.ipynb), [lesson 6](06_make_it_learn.ipynb) |
# | **mask** | máscara | Closes positions: it adds −∞ to their scores before softmax. | [lesson 5](05_full_block.ipynb) |
# | **multi-head attention** | atención de varias cabezas | Several attentions side by side, whose outputs are put together and mixed. | [lesson 3](03_multi_head.ipynb) |
# | **multiplication by √d_model** | multiplicación por √d_model | In the paper, what enlarges the embeddings before the position is added; it has nothing to do with the division by √d_k. | [lesson 2](02_sqrt_dk.ipynb) |
# | **output projection** | proyección de salida | The matrix W^O, which mixes what the heads say. | [lesson 3](03_multi_head.ipynb) |
# | **overflow** | desbordamiento | A number too large for its type; in softmax, subtracting the maximum avoids it. | [lesson 1](01_softmax_saturation.ipynb) |
# | **parameter** | parámetro | A number that training adjusts. | [lesson 5](05_full_block.ipynb) |
# | **positional encoding** | codificación posicional | Sines and cosines added once, at the start, so that order counts. | [lesson 5](05_full_block.ipynb) |
# | **post-norm** | post-norm | The norm comes after the sum, as in the paper. | [lesson 4](04_residual_layer_norm.ipynb), [lesson 5](05_full_block.ipynb) |
# | **pre-norm** | pre-norm | The norm comes before the sublayer, and leaves the residual path clear. | [lesson 4](04_residual_layer_norm.ipynb), [lesson 5](05_full_block.ipynb) |
# | **query** | consulta | The vector with which a token asks; it is compared with every key. | [lesson 0](00_entrance.ipynb), [lesson 2](02_sqrt_dk.ipynb) |
# | **rank collapse** | colapso de rango | Without residuals, the rows of a deep stack of attentions end up alike. | [lesson 4](04_residual_layer_norm.ipynb) |
# | **ReLU** | ReLU | Lets what is positive through, and sets what is negative to 0. | [lesson 5](05_full_block.ipynb) |
# | **residual connection** | conexión residual | Adds the input to the sublayer's output, and leaves the gradient a direct path. | [lesson 4](04_residual_layer_norm.ipynb) |
# | **saturation** | saturación | The differences are so large that one weight nearly reaches 1 and the slope nearly 0. | [lesson 1](01_softmax_saturation.ipynb) |
# | **score** | puntuación | The number that goes into softmax: how well a query and a key fit. | [lesson 1](01_softmax_saturation.ipynb), [lesson 2](02_sqrt_dk.ipynb) |
# | **softmax** | softmax | Turns scores into weights: the exponential of each over the sum of all. | [lesson 1](01_softmax_saturation.ipynb) |
# | **sublayer** | subcapa | The attention or the feed-forward network, inside a block. | [lesson 4](04_residual_layer_norm.ipynb) |
# | **temperature** | temperatura | It divides the scores: when it falls softmax chooses, when it rises it shares. | [lesson 1](01_softmax_saturation.ipynb) |
# | **token** | token | The unit that a text is cut into: a word or a piece of one. | [lesson 0](00_entrance.ipynb) |
# | **value** | valor | What a token gives to whoever gives it weight. | [lesson 0](00_entrance.ipynb), [lesson 2](02_sqrt_dk.ipynb) |
# | **variance** | varianza | The mean of the squared deviations; that of a sum of independent ones is the sum. | [lesson 0](00_entrance.ipynb), [lesson 2](02_sqrt_dk.ipynb) |
# | **warm-up** | calentamiento | To start with small steps that grow to their size. | [lesson 6](06_make_it_learn.ipynb) |

# %% tags=["colophon"]
from bloque.colophon import colophon

colophon(90)
