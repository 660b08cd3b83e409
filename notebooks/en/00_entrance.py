# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 0 · The entrance
#
# [Español](../es/00_entrada.ipynb) · about 20 minutes
#
# By the end you will be able to:
#
# - say what each lesson teaches, with the whole course in one picture;
# - tell what you know already from what you need to review;
# - move a slider, check an exercise and answer a question.

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


# %%
import numpy as np

from bloque import attention, multi_head_attention, multi_head_parameters, number, softmax
from bloque.checks import check
from bloque.lessons import entrance as lesson
from bloque.quiz import quiz, score

# %% [markdown]
# ## Is everything in its place?
#
# This is a notebook: cells of text and cells of code. To run a cell, go to it and press Shift + Enter. Run those above now, in order: the first chooses the language and says the version of the course, the second brings what the others use. Every lesson begins with these two.
#
# The next cell looks at your installation. If something is off, it says what, and which command mends it.

# %%
lesson.self_test()

# %% [markdown]
# Some things Python cannot see from inside. Look at them yourself:
#
# | what you see | what it is | what to do |
# |---|---|---|
# | `No module named …` | the notebook runs on another Python | Kernel menu → *Change Kernel…*, and choose the course's |
# | a still picture where you expected a slider | the cell has not been run | run it; what is stored is a photograph |
# | a gap, or text such as `IntSlider(value=0)` | this page cannot draw controls | open it in JupyterLab |
# | in VS Code, nothing, with ipywidgets 8.1.9 | a known fault of that version | write `%pip install ipywidgets==8.1.8` in a cell, run it, and restart the kernel (Kernel menu → *Restart Kernel…*) |
# | odd results | cells run out of order | Kernel menu → *Restart Kernel and Run All Cells…* |
#
# **Want to start afresh?** Restarting the kernel forgets what was computed, not what you have written. To get the original notebooks back, in a terminal and inside the folder of the course: `git checkout notebooks`. That puts all of them back, and what you wrote in them is lost: copy first what you want to keep. (If you downloaded a ZIP, unpack it again.) If you read the course in the browser, delete your copy in the file panel and reload the page: the browser keeps your copy, even after a new version.

# %% [markdown]
# ## The map of the course
#
# A Transformer reads a text cut into **tokens**: words, or pieces of words. In the small examples of this course each word is one token. Each token enters as a vector of learnt numbers, its **embedding**, and leaves as another vector, which depends on the tokens around it.
#
# It gets there by repeating one **block**. In a block, **attention** lets every token look at the others, and the **position-wise network** (in papers, also *feed-forward network*) changes each token by itself. Here is the block; the numbers are the lessons.

# %%
lesson.course_map()

# %% [markdown]
# | | question |
# |---|---|
# | [1 · Softmax saturation](01_softmax_saturation.ipynb) | What becomes of the gradient when one score runs ahead? |
# | [2 · Why √d_k](02_sqrt_dk.ipynb) | Where does that root come from? |
# | [3 · Multi-head](03_multi_head.ipynb) | Why is one way of looking not enough? |
# | [4 · Residual connection and layer norm](04_residual_layer_norm.ipynb) | How do you stack many blocks without losing the signal? |
# | [5 · The full block](05_full_block.ipynb) | How does it all fit, and what does it cost? |
# | [6 · Make it learn](06_make_it_learn.ipynb) | Does all this hold in a network that is trained? |
#
# They follow in order, and each one recalls what it needs from those before. There is a [glossary](90_glossary.ipynb) with the terms in both languages.

# %% [markdown]
# ## How to use it
#
# **The sliders.** Nearly every figure moves: with the mouse, or with the keyboard, where Tab goes from the cell into the figure, the arrow keys move the slider, and Escape goes back to the cell. Below each figure, a sentence says what you see, in numbers. Some figures ask for a guess first, and the controls stay locked until you make it. A wrong guess costs nothing: the figure then shows how far off it was.
#
# In this one, the query $q$ stays where it is and a key $k$ turns round it. A **query** is what one token asks and a **key** what another offers, to be found by; here they are two arrows, that is, two pairs of numbers. Their **dot product** multiplies each number of one by its partner in the other, and adds up.
#
# - Watch when the dot product, $q \cdot k$, is largest: when both point the same way.
# - Watch when it becomes negative.

# %%
lesson.dot()

# %% [markdown]
# **The checks.** In the exercises you write a function, and `check` tries it. If it fails, the message names the mistake it looks like, without giving the solution away. The function below wants to be softmax, the function that turns scores into weights, and is wrong on purpose: it shares out in proportion, with no exponential. Run the cell and read the message. Then replace `scores` by `np.exp(scores)` both times it stands to the right of `return`, and run it again: it will say something else. (The right answer comes in lesson 1.)

# %%
def share_out(scores):
    return scores / scores.sum(axis=-1, keepdims=True)


check("softmax", share_out)

# %% [markdown]
# **The quizzes.** Every lesson ends with one. This lesson's comes now, because it tells you what you bring.

# %% [markdown]
# ## What to bring
#
# Answer these. If an answer is wrong, the primers are just below. The last question is about attention: leave it until you have read “One attention, by hand”.

# %%
quiz("lesson0")

# %%
score("lesson0")

# %% [markdown]
# ### Arrays and broadcasting
#
# An array has a **shape**: `(3, 4)` is 3 rows of 4 numbers. Where two shapes differ, NumPy lines them up on the right and repeats the axes that measure 1 or are missing: that is *broadcasting*. With `keepdims=True` a sum or a maximum keeps its axis with size 1, and then it fits row by row.
#
# Here are other NumPy phrases that the course uses often. There is no need to learn them: come back when you meet one.
#
# | you write | what it does |
# |---|---|
# | `x.sum(axis=0)`, `x.sum(axis=-1)` | adds up along the first axis, or along the last |
# | `x[:, None]`, `x[None]`, `x[..., None]` | adds an axis of size 1: after the first, before all of them, or after all of them |
# | `x.T`, `x.swapaxes(-1, -2)` | transposes; with more than two axes, swaps the last two |
# | `x[:, 0::2]` | every second column, from column 0 |
# | `q, k = x` | unpacks the first axis: `q` is `x[0]` and `k` is `x[1]` |
# | `*front, n = x.shape` | the last size goes to `n` and the others to the list `front` |
# | `x.reshape(4, 3, 2)` | the same numbers, in the same order, in another shape |
# | `np.where(m, a, b)` | takes from `a` where `m` is true and from `b` where it is not |
# | `np.eye(3)`, `np.diag(p)` | the identity; a matrix with `p` on its diagonal |
# | `np.outer(a, b)` | every product of a number of `a` by one of `b` |
# | `np.einsum("nd,nd->n", a, b)` | multiplies place by place and adds up over `d`, the letter missing on the right |
# | `number(x, 3)` | writes `x` with three decimals; it is the course's, not NumPy's |
# | `x.mean()`, `x.std()`, `x.var()` | mean, deviation and variance of all the numbers, or along an `axis` |
# | `np.linalg.norm(x)` | the norm: the root of the sum of the squares |
# | `np.maximum(a, b)` | the larger of the two, place by place |
# | `np.allclose(a, b)` | are they equal, but for rounding? |
# | `np.concatenate([a, b])` | puts one array after another |
# | `np.random.default_rng(0)` | a generator of random numbers; the same seed always gives the same ones |

# %%
column = np.array([[10], [20], [30]])  # (3, 1)
row = np.array([1, 2, 3, 4])  # (4,)
table = column + row  # (3, 4)
print(table)
print(table.sum(axis=-1).shape, "·", table.sum(axis=-1, keepdims=True).shape)

# %% [markdown]
# ### The matrix product
#
# In $C = A B$ the entry $C_{ij}$ is the dot product of row $i$ of $A$ and column $j$ of $B$: $C_{ij} = \sum_m A_{im} B_{mj}$. The axis where they touch is added up and is gone: $(2, 3)$ times $(3, 5)$ makes $(2, 5)$. NumPy writes it `A @ B`.
#
# In attention, $Q K^{\mathsf T}$ works out at once the product of every query with every key.

# %%
A = np.arange(6).reshape(2, 3)
B = np.arange(15).reshape(3, 5)
print((A @ B).shape)
print((A @ B)[1, 2], "=", sum(A[1, m] * B[m, 2] for m in range(3)))

# %% [markdown]
# ### The chain rule
#
# If $y = f(u)$ and $u = g(x)$, the slopes multiply: $\frac{dy}{dx} = \frac{dy}{du} \cdot \frac{du}{dx}$. With vectors it is Jacobians that multiply. A Jacobian is the table of the slopes of every output with respect to every input. The gradient, the slopes of one number (the loss) with respect to all the inputs, goes through them from back to front. One factor near zero on the way makes the whole product small: that is the subject of lesson 1.
#
# The cell works out a slope by the rule, and again by pushing: it moves $x$ a tiny step both ways, and divides the change of $f$ by the distance.

# %%
def f(x):
    return (3 * x + 1) ** 2


by_rule = 2 * (3 * 1 + 1) * 3
by_pushing = (f(1 + 1e-6) - f(1 - 1e-6)) / 2e-6
print(by_rule, "·", number(by_pushing, 4))

# %% [markdown]
# ### Variance of a sum
#
# The variance is the mean of the squared distances from the mean. The standard deviation, *deviation* for short, is its root. If the variables are independent, **the variances add up**: $\operatorname{Var}(X_1 + \dots + X_d) = d$ if each has variance 1. So the deviation of the sum is $\sqrt d$, not $d$.

# %%
draws = np.random.default_rng(0).normal(size=(100_000, 4))
total = draws.sum(axis=1)
print("Var:", number(total.var(), 1), "· √Var:", number(total.std(), 1))

# %% [markdown]
# ## Notation
#
# A row is a token, always. Products are written with the matrix on the right, $X W$. The shapes of $Q$, $K$, $V$, $z$, $p$ and $J$ are those of one head; with several, an axis is added in front. $W^Q$, $W^K$ and $W^V$ hold the columns of all the heads, side by side; $W^O$ holds a set of rows for each head.
#
# | letter | shape | in the code | what it is | in Spanish |
# |---|---|---|---|---|
# | $n$ | a number | `n` | tokens in the sentence | *tokens de la frase* |
# | $d_{\mathrm{model}}$ | a number | `d_model` | width of each vector | *anchura de cada vector* |
# | $h$ | a number | `heads` | heads | *cabezas* |
# | $d_k$, $d_v$ | a number | `d_k`, `d_v` | width of queries and keys; of values | *anchura de consultas y claves; de valores* |
# | $d_{\mathrm{ff}}$ | a number | `d_ff` | inner width of the position-wise network | *anchura interior de la red por posición* |
# | $N$ | a number | `layers` | stacked blocks | *bloques apilados* |
# | $X$ | $(n, d_{\mathrm{model}})$ | `x` | input, one row a token | *entrada, una fila por token* |
# | $Q$, $K$ | $(n, d_k)$ | `queries`, `keys` | queries and keys | *consultas y claves* |
# | $V$ | $(n, d_v)$ | `values` | values | *valores* |
# | $W^Q, W^K, W^V, W^O$ | $(d_{\mathrm{model}}, d_{\mathrm{model}})$ | `W_Q, W_K, W_V, W_O` | the matrices that are learnt | *las matrices que se aprenden* |
# | $z$ | $(n, n)$ | `scores` | scores; one row a query, one column a key | *puntuaciones; una fila por consulta* |
# | $p$, $\alpha$ | $(n, n)$ | `weights` | weights; each row adds up to 1 | *pesos; cada fila suma 1* |
# | $J$ | $(n, n)$ | `jacobian` | slopes of the weights of one row | *pendientes de los pesos de una fila* |
# | $\mu_t$, $s_t$ | $(n, 1)$ | `mean`, `std` | mean and deviation of a row | *media y desviación de una fila* |
# | $\gamma$, $\beta$ | $(d_{\mathrm{model}})$ | `gamma`, `beta` | scale and shift of the layer norm | *escala y desplazamiento de la normalización por capas* |
# | $\varepsilon$ | a number | `eps` | what avoids a division by 0 | *lo que evita dividir entre 0* |
# | $W_1$, $W_2$ | $(d_{\mathrm{model}}, d_{\mathrm{ff}})$, $(d_{\mathrm{ff}}, d_{\mathrm{model}})$ | `W1`, `W2` | the two layers of the position-wise network | *las dos capas de la red por posición* |
# | $L$ | a number | `loss` | loss | *pérdida* |
# | $\mathbb{E}[x]$ | a number | `x.mean()` | the mean of $x$ | *la media de x* |
# | $\lVert x \rVert$ | a number | `np.linalg.norm(x)` | the norm: the root of the sum of the squares | *la norma: la raíz de la suma de los cuadrados* |

# %%
n, d_model, h = 5, 12, 3
x = np.random.default_rng(0).normal(size=(n, d_model))
parameters = multi_head_parameters(d_model, h)
output, weights = multi_head_attention(x, parameters, h)
print("x", x.shape, "· weights", weights.shape, "· output", output.shape, "· d_k =", d_model // h)

# %% [markdown]
# ## One attention, by hand
#
# The sentence is “the cat sleeps”. We look from *sleeps*: its query asks, so to speak, who does it. The numbers are chosen by hand to keep the sums short; in a model they are learnt.
#
# $$q = (2, 0, 0, 2)$$
#
# | | key $k$ | value $v$ |
# |---|---|---|
# | the | $(0, 1, 0, 0)$ | $(0, 0)$ |
# | cat | $(1, 0, 0, 1)$ | $(1, 0)$ |
# | sleeps | $(1, 0, 1, 0)$ | $(0, 1)$ |
#
# The first coordinate of the value says “animal”, the second “action”.
#
# 1. **Score**: $q \cdot k$ with each key. With *cat*, $2 \cdot 1 + 2 \cdot 1 = 4$.
# 2. **Divide** by $\sqrt{d_k}$. Here $d_k = 4$, so by 2.
# 3. **Exponentiate** and divide by the sum: the weights.
# 4. **Mix** the values with those weights.

# %%
query = np.array([[2.0, 0, 0, 2]])  # (1, d_k)
keys = np.array([[0.0, 1, 0, 0], [1, 0, 0, 1], [1, 0, 1, 0]])  # (n, d_k)
values = np.array([[0.0, 0], [1, 0], [0, 1]])  # (n, d_v)

scores = query @ keys.T  # (1, n)
divided = scores / np.sqrt(4)
exponentials = np.exp(divided)
weights = exponentials / exponentials.sum()
output = weights @ values  # (1, d_v)

print("scores:      ", *(number(each) for each in scores[0]))
print("divided:     ", *(number(each) for each in divided[0]))
print("exponentials:", *(number(value, 2) for value in exponentials[0]), "· sum", number(exponentials.sum(), 2))
print("weights:     ", *(number(weight, 3) for weight in weights[0]))
print("output:      ", *(number(value, 3) for value in output[0]))

# %% [markdown]
# *Cat* takes a weight of 0.665, *sleeps* keeps 0.245, and *the* gets 0.090. The new vector of *sleeps* is $(0.665, 0.245)$: most of it says “animal”, so it now carries the answer to its question. That is one whole attention. The library of the course does the same in one line:

# %%
library_output, library_weights = attention(query, keys, values)
print(np.allclose(library_output, output), np.allclose(library_weights, softmax(divided)))

# %% [markdown]
# ## Summary
#
# 1. A Transformer repeats one block: attention, a position-wise network, with sums and normalisations around them.
# 2. To attend is to score, to divide, to share out and to mix.
# 3. Variances of independent things add up; deviations do not.
# 4. Slopes multiply along the way, and one near zero makes the whole product small.
# 5. Guess before you drag, and read what the check tells you.

# %% [markdown]
# ## Terms
#
# | English | Spanish | in one line |
# |---|---|---|
# | query | *consulta* | what a token asks |
# | key | *clave* | what a token offers, to be found by |
# | value | *valor* | what a token contributes if it is found |
# | score | *puntuación* | the product of a query and a key |
# | weight | *peso* | the share that each value gets |
# | token | *token* | a word or a piece of a word: the unit that a text is cut into |
# | position-wise network | *red por posición* | the network that changes each token by itself |
#
# All the terms are in the [glossary](90_glossary.ipynb).

# %% [markdown]
# ## Sources
#
# - Vaswani et al. (2017), *Attention Is All You Need*: the block and its notation.
# - Bishop and Bishop (2024), *Deep Learning: Foundations and Concepts*, chapter 12.
#
# **Next lesson:** [1 · Softmax saturation](01_softmax_saturation.ipynb).

# %% tags=["colophon"]
from bloque.colophon import colophon

colophon(0)

