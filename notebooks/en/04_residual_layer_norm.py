# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 4 · Residual connection and layer norm
#
# [Español](../es/04_residual_layer_norm.ipynb) · about 28 minutes, exercises not included
#
# By the end you will be able to:
#
# - explain, with one derivative, why each layer *adds* something to its input instead of replacing it;
# - write `layer_norm`, and say what a normalised row depends on and what it does not;
# - put both pieces into a block, in its two usual arrangements, and recognise a third that is neither.

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
from math import comb, log10

import numpy as np

from bloque import feed_forward, layer_norm, number, positional_encoding
from bloque.checks import check
from bloque.lessons import residual_norm as lesson
from bloque.quiz import quiz, score

# %% [markdown]
# ## The question
#
# Attention (lesson 3) returns a matrix with one row per token. The block does not keep that matrix as it is. It **adds** the input to it (the *residual connection*) and then **normalises** each row (the *layer norm*):
#
# $$\text{LayerNorm}\big(X + \text{Sublayer}(X)\big)$$
#
# *Sublayer* is attention here, and the position-wise network in the second half of the block. Why add what we already had? And why throw away the mean and the size of numbers we have just computed?
#
# We begin with the sum, and with a small experiment. We stack twelve layers. Each is a position-wise network (or *feed-forward* network), $\text{ReLU}(x W_1) W_2$, where ReLU keeps what is positive and sets the rest to 0. No biases, no attention and no norms, so that there is nothing else to look at. The weights are random numbers times 0.15.

# %%
rng = np.random.default_rng(0)
size, d_model, d_ff = 0.15, 16, 32
layers = []
for _ in range(12):
    W1 = size * rng.normal(size=(d_model, d_ff))
    W2 = size * rng.normal(size=(d_ff, d_model))
    layers.append((W1, W2))
X = rng.normal(size=(8, d_model))  # (n, d_model)
print(f"{len(layers)} layers, weights × {size}")
print(f"W1 {W1.shape}, W2 {W2.shape}, X {X.shape}")

# %% [markdown]
# Now we give one single number a very small push: the one in row 0, column 0 of $X$. We measure how far the output of each layer moves, divided by how far we pushed. That ratio is the norm of a derivative. At 1, the output moves as much as the input did. At 0, the layer never notices.
#
# **Predict, then drag.** Without the sum, how much of the push is left after all twelve layers? A half, a hundredth, less? Set your guess first: it is a power of 10, so minus one is a tenth and minus two a hundredth.

# %%
lesson.derivative_by_depth()

# %% [markdown]
# Look for three things:
#
# - with the sum, the derivative stays near 1 up to the last layer. Untick “with the sum”: without it, it falls in nearly a straight line on a logarithmic axis: each layer multiplies by something below 1;
# - take “layers” all the way, with the sum and without. What is left of the push in either case?
# - make the weights larger until the curve without the sum stops falling. What does the other one do by then? The sum keeps the signal from dying; it does not keep it from growing. The second half of the lesson deals with that.

# %% [markdown]
# ## The derivative of a sum
#
# A layer with the sum computes $y = x + F(x)$, where $F$ is the sublayer. We differentiate each term on its own. The derivative of $x$ with respect to $x$ is the identity $I$. That of $F(x)$ is its Jacobian $J$. So
#
# $$\frac{\partial y}{\partial x} = I + J$$
#
# The $I$ depends on no weight: it is there before training, and it stays there when $J$ is tiny. We check it on the first layer, moving the coordinates of one row one at a time.

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
print("I + J agrees with the slopes made by pushing:", equal)

# %% [markdown]
# With twelve layers, the chain rule multiplies the twelve Jacobians. The two networks differ in what gets multiplied:
#
# $$\begin{aligned} \text{without the sum:} &\quad J_{12} \cdots J_2\, J_1 \\ \text{with the sum:} &\quad (I + J_{12}) \cdots (I + J_2)(I + J_1) \end{aligned}$$
#
# The next cell carries out that product, layer by layer, with exact Jacobians. Every row goes its own way here, so a push on row 0 moves row 0 alone: following that row is enough.

# %%
def derivative_by_layer(residual):
    x, derivative, norms = X[0], np.eye(16)[0], []
    for W1, W2 in layers:
        J = lesson.mlp_jacobian(x, W1, W2)
        derivative = J @ derivative + residual * derivative  # (I + J) v, or J v
        x = feed_forward(x, W1, None, W2, None) + residual * x
        norms.append(np.linalg.norm(derivative))
    return np.array(norms)


with_sum, without = derivative_by_layer(residual=1), derivative_by_layer(residual=0)
print("layer  with the sum  without")
for layer in (1, 2, 4, 6, 8, 12):
    print(f"{layer:4}   {number(with_sum[layer - 1], 3):>11}   {number(without[layer - 1], significant=3):>11}")
ratio = with_sum[-1] / without[-1]
print(f"ratio at layer 12: {number(ratio / 1e6, 1)} million")
print(f"that is {number(log10(ratio), 1)} orders of magnitude")

# %% [markdown]
# At layer 12 the two columns are 3.5 million times apart. With what is left in the right-hand column the first layer could hardly learn: the gradient that reaches it goes through that same product, from the other end.
#
# What if the formula were wrong? The next cell uses no Jacobian. It pushes by $\pm 10^{-5}$, sends the whole matrix through the twelve layers, and compares with the table.

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
    ("with the sum", 1, with_sum),
    ("without", 0, without),
):
    moved = (outputs(X + push, residual) - outputs(X - push, residual)) / 2e-5
    measured = np.linalg.norm(moved, axis=(1, 2))
    equal = np.allclose(measured, exact, rtol=1e-6)
    print(f"{name}: all 12 layers agree to six digits:", equal)

# %% [markdown]
# ## Two layers by hand: four paths
#
# Why does the product with the sum hold up? With two layers you can see it by expanding the brackets, without changing the order of the matrices:
#
# $$(I + J_2)(I + J_1) = I\,I + I\,J_1 + J_2\,I + J_2 J_1 = I + J_1 + J_2 + J_2 J_1$$
#
# There are four terms, and each one is a path: through no sublayer ($I$), through the first alone ($J_1$), through the second alone ($J_2$), or through both ($J_2 J_1$). Without the sum only the last one exists.

# %%
J1 = lesson.mlp_jacobian(X[0], *layers[0])
x1 = X[0] + feed_forward(X[0], layers[0][0], None, layers[0][1], None)
J2 = lesson.mlp_jacobian(x1, *layers[1])  # at the point layer 1 arrived at
I = np.eye(16)
terms = {"I": I, "J1": J1, "J2": J2, "J2 J1": J2 @ J1}
equal = np.allclose((I + J2) @ (I + J1), sum(terms.values()), atol=1e-12)
print("the product is the sum of the four:", equal)
for name, term in terms.items():
    print(f"{name:>5}  moves {number(np.linalg.norm(term[:, 0]), 3)}")

# %% [markdown]
# The path through no sublayer moves the output by exactly 1, whatever the weights. The others add their corrections.
#
# With $N$ layers of one sublayer each there are $N$ brackets, and each offers $I$ or $J$: $2^N$ paths in all. Of length $k$, that is, through $k$ sublayers, there are $\binom{N}{k}$. Of length 0 there is exactly one.

# %%
by_length = [comb(12, k) for k in range(13)]
print("paths by length:", *by_length)
print("in all:", sum(by_length), "= 2^12:", sum(by_length) == 2**12)
print("twelve blocks, two sublayers each: 2^24 =", number(2**24))

# %% [markdown]
# In a Transformer each block has two sublayers, attention and the position-wise network, and each has a sum of its own. Twelve blocks are 24 sublayers: 16 777 216 paths.
#
# In the figure, on the left, how many paths there are of each length. On the right, how much each length carries in our stack: the norm of the sum of all its terms, computed exactly.

# %%
lesson.paths_by_length()

# %% [markdown]
# Look for this:
#
# - the paths pile up at length $N/2$, yet what arrives comes along the short ones: every further sublayer multiplies by a small Jacobian;
# - the path of length $N$ is all that the network without the sum has. The one of length 0 carries 1 for every $N$;
# - with larger weights, the load shifts to longer paths.
#
# One caution: the paths are terms of a product, not separate networks. Each $J$ is taken at the point that the whole network has reached.

# %% [markdown]
# ## What the sum costs
#
# To add $x$ and $\text{Sublayer}(x)$, both must have the same shape. The position-wise network widens inside, from $d_{\text{model}}$ to $d_{\mathrm{ff}}$; its second matrix has to bring each row back to $d_{\text{model}}$. $W^O$ does the same for the heads. Forget that second matrix and NumPy complains, but not always.

# %%
W1, W2 = layers[0]
hidden = np.maximum(X @ W1, 0)  # (n, d_ff)
try:
    X + hidden
except ValueError:
    print(f"cannot be added: {X.shape} + {hidden.shape}")
print(f"brought back: {(X + hidden @ W2).shape}")
column = hidden[:, :1]
print(f"added without a word, and wrong: {X.shape} + {column.shape} = {(X + column).shape}")
print(f"weights of this network: {W1.size} + {W2.size} = {W1.size + W2.size}")

# %% [markdown]
# A lone column is added to all the others and no error is raised: check the shapes, do not wait for a complaint.
#
# The price of the sum is this: $d_{\text{model}}$ is fixed for the whole stack, from the embeddings to the last layer. And the two matrices of the position-wise network, without biases, always hold $2 \cdot d_{\text{model}} \cdot d_{\mathrm{ff}}$ weights: 1024 here.

# %% [markdown]
# ## A memory, and what it carries
#
# The idea is older than the Transformer. The LSTM of 1997 keeps a memory $c$ to which every step adds something:
#
# $$c_t = c_{t-1} + i_t \odot g_t$$
#
# Here $g_t$ is what the step proposes, $i_t$ says how much of it is let in, and $\odot$ multiplies place by place. This is the same $x + F(x)$, with time where we have depth. Three years later the LSTM was given a forget gate, $f_t \odot c_{t-1}$, so that it could erase as well. The direct path is then multiplied by $f$ at every step. After a hundred steps it makes a great difference whether $f$ is 1 or only close to 1.

# %%
for f in (1.0, 0.99, 0.9, 0.5):
    left = number(f**100, significant=2 if f < 1 else 1)
    print(f"f = {number(f, 2)}: after 100 steps the direct path carries {left}")

# %% [markdown]
# What does the sum carry in a Transformer? Among other things, **the position**. The positional encoding (lesson 5) is added once, at the input, and no block adds it again. If block 12 can tell which token comes first, it is because the sum has carried that there.
#
# To see it, we send $X$ through the stack with and without the position. The difference between the two outputs is what the position left behind; we measure, by the cosine, how much it resembles the position that went in.

# %%
P = positional_encoding(8, 16)
for name, residual in (("with the sum", 1), ("without", 0)):
    trace = outputs(X + P, residual) - outputs(X, residual)
    cosines = [np.sum(D * P) / (np.linalg.norm(D) * np.linalg.norm(P)) for D in trace]
    some = (f"layer {k}: {number(cosines[k - 1], 2)}" for k in (1, 4, 8, 12))
    print(f"{name:>12}: " + ", ".join(some))

# %% [markdown]
# After twelve layers, the trace that came along the sum still resembles what went in (0.58). Without the sum no likeness is left: the cosine is −0.06.

# %% [markdown]
# ## With each sum the rows grow
#
# The sum has one more price. Each layer adds something, and what is added seldom cancels out: the standard deviation of the rows (*deviation*, for short) grows with depth. We measure it in the same stack. Attention reads those rows, so we also measure what it would do with them: the largest weight in each row of the softmax, on average, over two hundred random pairs of matrices $W^Q$, $W^K$.

# %%
stream = np.concatenate([X[None], outputs(X, residual=1)])  # (layers + 1, n, d_model)
print("layer  deviation  largest weight  largest weight, normed")
for layer in (0, 4, 8, 12):
    rows = stream[layer]
    raw, normed = lesson.largest_weight(rows), lesson.largest_weight(layer_norm(rows))
    print(f"{layer:4}  {number(rows.std(axis=-1).mean(), 2):>9}  {number(raw, 2):>9}  {number(normed, 2):>9}")

# %% [markdown]
# Scores are products of two rows: double the deviation, and the differences between scores grow fourfold. At layer 12 the largest weight is 0.67 already, and rising. Lesson 1 showed what comes next: the softmax saturates and its Jacobian all but vanishes. In the right-hand column each row is normalised before attention reads it, and the largest weight no longer grows. That is what the second piece does. For short we call it *the norm*; do not take it for the norm of a vector, which is its length.

# %%
lesson.growth_with_depth()

# %% [markdown]
# Look for this:
#
# - with the sum alone, the size of the weights decides: a little larger, and the deviation grows much faster;
# - with a norm after each sum (post), the rows always leave with deviation 1;
# - with the norm inside (pre), the rows still grow, but slowly, and attention only ever reads normalised rows.

# %% [markdown]
# ## Layer norm, one row at a time
#
# Take **one** row $x_t$: one token, with its $d_{\text{model}}$ coordinates, $d$ for short. Three steps.
#
# $$\mu_t = \frac1d \sum_i x_{t,i} \qquad s_t^2 = \frac1d \sum_i (x_{t,i} - \mu_t)^2 \qquad \hat x_t = \frac{x_t - \mu_t}{\sqrt{s_t^2 + \varepsilon}}$$
#
# And a fourth, which is learnt: $\gamma \odot \hat x_t + \beta$. The mean and the deviation are those of this row, over its coordinates. No other row takes part.
#
# By hand, for the row (1, 0, 0, 0): the mean is 0.25 and the variance, with $1/d$, is 0.1875.

# %%
row = np.array([1.0, 0.0, 0.0, 0.0])
mean = row.sum() / 4
variance = ((row - mean) ** 2).sum() / 4
by_hand = (row - mean) / np.sqrt(variance + 1e-5)
print(f"mean {number(mean, 2)}, variance {number(variance, 4)}")
print("with 1/d:    ", *[number(v, 3) for v in by_hand])
print("with 1/(d−1):", *[number(v, 3) for v in (row - mean) / row.std(ddof=1)])
print("agrees with layer_norm:", np.allclose(by_hand, layer_norm(row), atol=1e-12))

# %% [markdown]
# We divide by $d$, not by $d - 1$: we are not estimating the variance of a population from a sample, we are measuring this row. With $d - 1$ you get 1.500 where 1.732 should stand.
#
# And $\varepsilon$? It stands **inside** the root and is $10^{-5}$. It answers two cases. The first is a constant row: its variance is 0, and without $\varepsilon$ the fraction is 0/0. The second is a row that hardly varies. Inside the root, $\varepsilon$ puts a floor of about 0.0032 under the divisor: the noise in a nearly constant row is not blown up to deviation 1. Outside the root that floor is far lower.

# %%
constant = np.full(8, 3.0)
print("constant row:", *[number(v) for v in layer_norm(constant)])
print("floor of the divisor, √ε:", number(np.sqrt(1e-5), 4))
faint = 3.0 + 0.001 * np.array([1, -1, 1, -1, 1, -1, 1, -1])  # deviation 0.001
centred = faint - faint.mean()
inside = centred / np.sqrt(faint.var() + 1e-5)
outside = centred / (faint.std() + 1e-5)
print("a row of deviation 0.001 leaves with deviation")
print(f"   {number(inside.std(), 2)} with ε inside, {number(outside.std(), 2)} with ε outside")

# %% [markdown]
# Now a whole matrix: five rows of eight numbers, drawn with mean 3 and deviation 2.

# %%
R = np.random.default_rng(7).normal(3, 2, size=(5, 8))  # (n, d)


def print_rows(name, M):
    print(f"{name}:")
    print("   means     ", *[number(v, 3) for v in M.mean(axis=-1)])
    print("   deviations", *[number(v, 3) for v in M.std(axis=-1)])


print_rows("goes in", R)
print_rows("comes out", layer_norm(R))
print_rows("with γ = 4, β = −1", layer_norm(R, gamma=np.full(8, 4.0), beta=np.full(8, -1.0)))

# %% [markdown]
# The means, which ran from 0.984 to 2.894, leave at 0; the deviations leave at 1. Then $\gamma$ and $\beta$ take them wherever training wants: here, to mean −1 and deviation 4. A row that leaves `layer_norm` **need not** have mean 0 and deviation 1.
#
# Could the layer learn to do nothing, with $\gamma$ and $\beta$ well chosen? No. $\gamma$ and $\beta$ are the same for every row; $\mu_t$ and $s_t$ differ from row to row. The proof is short: there are different rows that leave as equals, and no $\gamma$ or $\beta$ can tell them apart afterwards.

# %%
base = layer_norm(R[0])
moved, stretched = layer_norm(R[0] + 10), layer_norm(R[0] * 3)
print("row 0 and row 0 + 10 leave as equals:", np.allclose(base, moved))
print("row 0 and row 0 × 3 too, but for ε:", np.allclose(base, stretched, atol=1e-4))

# %%
lesson.gamma_and_beta()

# %% [markdown]
# Look for this:
#
# - at the top each row has its own mean; in the middle all have mean 0 and deviation 1; at the bottom, what $\gamma$ and $\beta$ do;
# - at $\gamma = 0$ all rows leave identical: only $\beta$ is left;
# - choose “first coordinate only”. The means and the deviations differ from row to row again.

# %% [markdown]
# ## By rows, not by columns
#
# We could have normalised by columns: each coordinate, with the mean and the deviation it has down the matrix. That is the idea of *batch norm*. What changes? We disturb one single row and see who notices.
#
# **Predict, then drag.** We add 10 to all eight coordinates of row 4. By rows, how much will row 4 change, once normalised?

# %%
lesson.disturb_a_row()

# %% [markdown]
# Look for this:
#
# - take “push” to 10 and look at both maps: the darker, the larger the change. By rows, the other rows do not move, however hard you push. By columns all of them move;
# - by rows, a uniform push does not even change the row you pushed: its mean rises along with it. The ramp does change it;
# - by rows, the only row that can change is the one you touched.

# %%
def by_columns(M):
    return (M - M.mean(axis=0)) / np.sqrt(M.var(axis=0) + 1e-5)


uniform, ramp = R.copy(), R.copy()
uniform[4] += 10
ramp[4] += 10 * np.linspace(0, 1, 8)
for name, pushed in (("uniform, + 10", uniform), ("ramp, from 0 to 10", ramp)):
    rows = np.abs(layer_norm(pushed) - layer_norm(R)).max(axis=-1)
    columns = np.abs(by_columns(pushed) - by_columns(R)).max(axis=-1)
    print(f"push {name}")
    for row_changed in (0, 4):
        by_rows, by_cols = number(rows[row_changed], 3), number(columns[row_changed], 3)
        print(f"   row {row_changed}: {by_rows} by rows, {by_cols} by columns")

# %% [markdown]
# With the uniform push, the largest change in row 0 is 0.000 by rows and 1.889 by columns.
#
# In a Transformer this matters. By columns, what comes out for a sentence depends on which other sentences are in the batch, on how many tokens they have, and on the padding that makes them equally long. And when the model is used on a single sentence there is no batch: statistics stored in training are needed. We measure it with a sentence of three tokens.

# %%
sentence, other, padding = R[:3], R[3:], np.zeros((4, 8))
for name, company in (("beside another sentence", other), ("with padding", padding)):
    batch = np.concatenate([sentence, company])
    rows = np.abs(layer_norm(batch)[:3] - layer_norm(sentence)).max()
    columns = np.abs(by_columns(batch)[:3] - by_columns(sentence)).max()
    print(f"{name}, the sentence changes by")
    print(f"   {number(rows, 2)} by rows, {number(columns, 2)} by columns")
print("a single token, by columns:", *[number(v) for v in by_columns(R[:1])[0]])

# %% [markdown]
# A single token comes out as zeros by columns: each number is its own mean. By rows, a token is normalised the same way wherever it stands.

# %% [markdown]
# ## Where the norm goes: post, pre and a third thing
#
# We have both pieces. What is left is their order. The paper of 2017 normalises *after* adding. Today's code mostly normalises *before* the sublayer, and leaves the sum free:
#
# $$\begin{aligned} \text{post:} &\quad \text{LN}\big(x + F(x)\big) \\ \text{pre:} &\quad x + F\big(\text{LN}(x)\big) \\ \text{the third:} &\quad x + \text{LN}\big(F(x)\big) \end{aligned}$$
#
# The third exists too (*Swin V2* uses it), but it is neither of the others, and it is easily written by somebody who means post-norm. Two questions tell them apart. What comes out if the sublayer gives zero? And if it gives ten times as much?

# %%
def post(x, F):
    return layer_norm(x + F(x))


def pre(x, F):
    return x + F(layer_norm(x))


def third(x, F):
    return x + layer_norm(F(x))


def zero(x):
    return np.zeros_like(x)


for name, arrangement in (("post", post), ("pre", pre), ("the third", third)):
    out = arrangement(R, zero)
    mean, deviation = number(out[0].mean(), 2), number(out[0].std(), 2)
    print(f"{name:>10}: a zero sublayer returns x: {np.array_equal(out, R)}")
    print(f"       row 0: mean {mean}, deviation {deviation}")

# %%
M1, M2 = np.random.default_rng(1).normal(size=(2, 8, 8)) / np.sqrt(8)


def sublayer(x):
    return np.maximum(x @ M1, 0) @ M2


def ten_times(x):
    return 10 * sublayer(x)


print("how far x moves, with the sublayer × 1 and × 10")
for name, arrangement in (("post", post), ("pre", pre), ("the third", third)):
    one, ten = (np.linalg.norm(arrangement(R, F) - R) for F in (sublayer, ten_times))
    print(f"{name:>10}: {number(one, 2)}, {number(ten, 2)}")

# %% [markdown]
# With zero sublayers, pre-norm returns $x$ exactly; post-norm returns rows of mean 0 and deviation 1. And if the sublayer gives ten times as much, pre-norm adds ten times as much. The third thing moves $x$ exactly as far as before: it normalises the output of the sublayer, so the size of that output is lost.
#
# What does the $I$ of the first part meet on its way? In pre-norm, from input to output, nothing. In post-norm it passes through **one norm per sublayer**, and each norm divides by the deviation of the sum. If $x$ and $F(x)$ have deviation 1 and no correlation, the sum has $\sqrt 2$: every layer divides by $\sqrt 2$. The cell measures the divisor over twelve layers, with sublayers whose output is as large as their input.

# %%
divisors = lesson.post_norm_divisors(depth=12)  # (12,): what each norm divides by
print("divisors:", *[number(s, 2) for s in divisors])
print("what the direct path carries after 12 layers")
print(f"   pre-norm {number(1)}, post-norm {number(1 / np.prod(divisors), significant=2)}")
print(f"   post-norm, with √2 = {number(2**0.5, 2)} in all of them: {number(2**-6, significant=2)}")

# %% [markdown]
# In post-norm the identity path is still there, but every norm narrows it. In practice, deep post-norm stacks need a learning rate that starts very small and grows (*warm-up*), while pre-norm mostly does without. Lesson 5 looks for the reason in the gradient, layer by layer, and lesson 6 puts it to the test by training.

# %% [markdown]
# ## When all the rows become alike
#
# There is one more reason to add, and it is not about gradients. Attention **averages**: each new row is a mixture of all the rows. Average again and again, and all rows end up the same. This is called *rank collapse*. We measure it by mutual similarity, the mean cosine between every two different rows: near 0 at the start, 1 when all of them point the same way. The blocks here hold attention only. Eight tokens, $d_{\text{model}} = 64$, 4 heads, the mean of three draws.

# %%
print("attention alone             block 0      4      8     12")
for name, norm, residual in (
    ("no sum, no norm", "none", False),
    ("no sum, post-norm", "post", False),
    ("with sum, post-norm", "post", True),
    ("with sum, pre-norm", "pre", True),
):
    curve = lesson.similarity_by_layer(norm=norm, residual=residual, mlp=False)
    print(f"{name:>26}  " + "  ".join(number(curve[k], 3) for k in (0, 4, 8, 12)))

# %% [markdown]
# Without the sum, four blocks are enough: the rows are equal already, norm or no norm. The sum slows this down but does not always prevent it: with attention alone, post-norm reaches 0.996 after block 12; pre-norm stays at 0.830. The reason is the direct path: in pre-norm the input arrives at every block undivided; in post-norm each norm shrinks its share.
#
# And the position-wise network: does it keep the rows apart? See what it does in the two arrangements.

# %%
print("after block 12, attention alone and with the position-wise network")
for norm in ("post", "pre"):
    alone = lesson.similarity_by_layer(norm=norm, residual=True, mlp=False)[12]
    both = lesson.similarity_by_layer(norm=norm, residual=True, mlp=True)[12]
    print(f"{norm:>4}: {number(alone, 3)}, {number(both, 3)}")
print("one position-wise network takes unlike rows to", number(lesson.relu_similarity(), 2))
print("1/π =", number(1 / np.pi, 2))

# %%
lesson.similarity_with_depth()

# %% [markdown]
# Look for this:
#
# - switch the sum off: in every combination the rows become alike within a few blocks;
# - with pre-norm the position-wise network moves rows apart (0.733); with post-norm it does not (0.999). At random weights ReLU brings rows closer too, since it never gives a negative number: unlike rows leave it with a cosine of about 0.32, which is $1/\pi$;
# - drag “blocks” and watch the map: all the pairs of rows become alike together.
#
# These networks are untrained. Training can move rows apart; what the picture shows is where it has to start from.

# %% [markdown]
# ## Frequent mistakes
#
# | What people write | What it does | How to see it |
# |---|---|---|
# | `x.std(ddof=1)` | divides by $d - 1$ | (1, 0, 0, 0) gives 1.500 in place of 1.732 |
# | `axis=0` | normalises columns | touch one row and look at the others |
# | `/ (s + eps)` | leaves $\varepsilon$ outside the root | a nearly constant row blows up |
# | variance as mean of squares minus square of the mean | subtracts two huge numbers | float32, near 40 000: a negative variance |
# | `x + layer_norm(sublayer(x))` | the third thing | multiply the sublayer by ten: no change |
# | `x += sublayer(x)` | writes over the input | compare the input with its copy |
# | `x = x + x` | doubles; the sublayer is not in it | a zero sublayer gives $2x$ |
# | text says post-norm, code is pre-norm | all else fits, and the weights are useless | with a zero sublayer, pre-norm returns $x$ |

# %%
far = np.array([40_000, 40_001, 40_002, 40_003], dtype=np.float32)
print("near", number(40_000), "in float32")
one_pass = float(np.square(far).mean() - np.square(far.mean()))  # both terms in float32
two_passes = float(((far - far.mean()) ** 2).mean())
print("variance in one pass:", number(one_pass))
print("in two passes:", number(two_passes, 2))
print("layer_norm:", *[number(v, 3) for v in layer_norm(far)])
print("the row (1, 0, 0, 0):", number(layer_norm(row)[0], 3))
print("with ddof = 1:", number(0.75 / row.std(ddof=1), 3))

# %%
def in_place(x):
    x += sublayer(x)  # writes into the caller's matrix
    return x


def out_of_place(x):
    return x + sublayer(x)


for name, function in (("in place", in_place), ("out of place", out_of_place)):
    given = R.copy()
    function(given)
    print(f"{name}: the input is as it was: {np.array_equal(given, R)}")

# %% [markdown]
# ## Exercises
#
# Replace each `...` by your expression and run the cell. The check says which known mistake yours looks like.
#
# ### Exercise 1 · `layer_norm`
#
# ●●○ · 10 minutes · Normalise each row of `x`, shape (n, d), on its own; then apply `gamma` and `beta`, shape (d,). It has to cope with constant rows and with rows very far from 0.
#
# <details><summary>Hint 1</summary>Along which axis do the coordinates of a token lie?</details>
# <details><summary>Hint 2</summary>The mean of each row has to be subtracted from its own row: <code>keepdims=True</code> keeps the axis.</details>
# <details><summary>Hint 3</summary>The variance is the mean of the squares of what is left once the mean is subtracted, and ε is added to it before the root.</details>

# %% tags=["exercise"]
def my_layer_norm(x, gamma, beta, eps):
    mean = ...
    variance = ...
    normalised = ...
    return gamma * normalised + beta


check("layer_norm", my_layer_norm)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def my_layer_norm(x, gamma, beta, eps):
#     mean = x.mean(axis=-1, keepdims=True)
#     variance = ((x - mean) ** 2).mean(axis=-1, keepdims=True)
#     normalised = (x - mean) / np.sqrt(variance + eps)
#     return gamma * normalised + beta
# ```
#
# Once it passes, put it to the test in a new cell: `lesson.disturb_a_row(my_layer_norm)`.
# </details>
#
# ### Exercise 2 · `residual_gradient`
#
# ●●● · 12 minutes · A stack of layers $x_{\ell+1} = x_\ell + F_\ell(x_\ell)$. You are given the Jacobians of the sublayers, shape (N, d, d), the first one first; in each, rows are outputs and columns are inputs. You are also given the gradient of a loss with respect to the output, shape (d,). Return the gradient with respect to the input.
#
# <details><summary>Hint 1</summary>The gradient travels from output to input. Which sublayer does it meet first?</details>
# <details><summary>Hint 2</summary>Along the sum the gradient arrives as it is; through the sublayer it arrives multiplied by its Jacobian.</details>
# <details><summary>Hint 3</summary>On the way back you multiply by the transposed Jacobian: <code>J.T @ g</code>.</details>

# %% tags=["exercise"]
def my_residual_gradient(jacobians, gradient):
    for J in ...:
        gradient = ...
    return gradient


check("residual_gradient", my_residual_gradient)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def my_residual_gradient(jacobians, gradient):
#     for J in reversed(jacobians):
#         gradient = gradient + J.T @ gradient
#     return gradient
# ```
# </details>
#
# ### Exercise 3 · `post_norm_block`
#
# ●●○ · 10 minutes · The paper's block: two sublayers, attention and the position-wise network, each with its sum and, **after** it, its norm. `attention` is a function that comes ready: it takes (n, d) and returns (n, d). The norm goes without γ and β: `layer_norm(x)`.
#
# <details><summary>Hint 1</summary>What gets normalised: the output of the sublayer, or the sum?</details>
# <details><summary>Hint 2</summary>The second sublayer reads what came out of the first norm, and that is also what it adds to.</details>
# <details><summary>Hint 3</summary><code>feed_forward(x, W1, b1, W2, b2)</code> is imported already.</details>

# %% tags=["exercise"]
def my_post_norm_block(x, attention, W1, b1, W2, b2):
    x = ...
    return ...


check("post_norm_block", my_post_norm_block)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def my_post_norm_block(x, attention, W1, b1, W2, b2):
#     x = layer_norm(x + attention(x))
#     return layer_norm(x + feed_forward(x, W1, b1, W2, b2))
# ```
# </details>
#
# ### Exercise 4 · `pre_norm_block`
#
# ●●○ · 8 minutes · Now the block of today's code: the norm **in front** of each sublayer, nothing on the sum, and no norm at the end.
#
# <details><summary>Hint 1</summary>What does the sublayer read, <code>x</code> or the normalised <code>x</code>? And to which of the two is it added?</details>
# <details><summary>Hint 2</summary>With sublayers that give zero, <code>x</code> must come out as it was.</details>
# <details><summary>Hint 3</summary>Do not write <code>x += …</code>: you would change the matrix of whoever called you.</details>

# %% tags=["exercise"]
def my_pre_norm_block(x, attention, W1, b1, W2, b2):
    x = ...
    return ...


check("pre_norm_block", my_pre_norm_block)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def my_pre_norm_block(x, attention, W1, b1, W2, b2):
#     x = x + attention(layer_norm(x))
#     return x + feed_forward(layer_norm(x), W1, b1, W2, b2)
# ```
#
# Compare it with exercise 3: the same pieces in another order. That is why the weights of a post-norm model are useless in pre-norm code, though every shape fits.
# </details>

# %% [markdown]
# ## Questions
#
# No hurry and no marks. Every option says why it is right or wrong, and you may try again.

# %%
quiz("lesson4")

# %%
score("lesson4")

# %% [markdown]
# ## Summary
#
# 1. With the sum, the Jacobian of each layer is $I + J$: the product does not die out, because one of its $2^N$ paths passes through no sublayer.
# 2. Every sublayer has to give back the shape it gets, $(n, d_{\text{model}})$: otherwise the sum cannot be made.
# 3. With each sum the rows grow. Layer norm brings each row, by itself, to mean 0 and deviation 1, and then $\gamma$ and $\beta$ scale and shift it.
# 4. A normalised row does not depend on the other rows, nor on the batch, nor on the length.
# 5. Post-norm puts a norm on the identity path; pre-norm leaves it clear. Without the sum, the rows become equal.

# %% [markdown]
# ## Terms
#
# | English | Spanish | in one line |
# |---|---|---|
# | residual connection | *conexión residual* | adding the input of a sublayer to its output |
# | sublayer | *subcapa* | attention, or the position-wise network |
# | path | *camino* | one term of the product of the $I + J$ |
# | layer norm | *normalización por capas* | each row to mean 0 and deviation 1; then $\gamma$ and $\beta$ |
# | post-norm | *post-norm* | the norm after the sum |
# | pre-norm | *pre-norm* | the norm in front of the sublayer |
# | rank collapse | *colapso de rango* | all rows end up the same |
# | learning rate | *tasa de aprendizaje* | the factor that sets how far the parameters move in one step |
#
# All the terms are in the [glossary](90_glossary.ipynb).

# %% [markdown]
# ## Sources
#
# - Hochreiter and Schmidhuber (1997), *Long Short-Term Memory*: the memory that adds; the forget gate is from Gers, Schmidhuber and Cummins (2000), *Learning to Forget*.
# - He, Zhang, Ren and Sun (2016), *Deep Residual Learning for Image Recognition*, section 3; and *Identity Mappings in Deep Residual Networks*, section 2: the clear path.
# - Veit, Wilber and Belongie (2016), *Residual Networks Behave Like Ensembles of Relatively Shallow Networks*: the paths and their lengths.
# - Ba, Kiros and Hinton (2016), *Layer Normalization*, section 3.
# - Vaswani et al. (2017), *Attention Is All You Need*, section 3.1: post-norm.
# - Xiong et al. (2020), *On Layer Normalization in the Transformer Architecture*: post-norm, pre-norm and the warm-up.
# - Dong, Cordonnier and Loukas (2021), *Attention Is Not All You Need: Pure Attention Loses Rank Doubly Exponentially with Depth*.
# - Liu et al. (2022), *Swin Transformer V2*, section 3: the norm on the output of the sublayer.
#
# **Next lesson:** [5 · The full block](05_full_block.ipynb).

# %% tags=["colophon"]
from bloque.colophon import colophon

colophon(4)
