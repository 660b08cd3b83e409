# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 5 · The full block
#
# [Español](../es/05_bloque_completo.ipynb) · about 28 minutes, exercises not included
#
# By the end you will be able to:
#
# - put the block together, and say what each part does and which parts mix positions;
# - count its parameters, and explain how three different counts of one block can all be right;
# - close the future with a mask, and recognise three ways to do it wrong.

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

import bloque
from bloque import number
from bloque.checks import check
from bloque.lessons import full_block as lesson
from bloque.quiz import quiz, score

# %% [markdown]
# ## The question
#
# Attention takes averages. Each row of its output is a weighted average of the rows of $V$, and then comes one more matrix. Softmax decides the weights, but what they weigh passes through linear maps only. If that moves information from one place to another, **what turns it into something new?**
#
# The block has a second half for that: the **position-wise network**, which papers and code also call *feed-forward network*, FFN. It is the larger half.

# %% [markdown]
# ## The position-wise network
#
# $$\mathrm{FFN}(x) = \max(0,\; x W_1 + b_1)\, W_2 + b_2$$
#
# One row goes in, $d_{\mathrm{model}}$ wide. $W_1$ widens it to $d_{\mathrm{ff}}$, usually four times as much; the $\max$ (ReLU) sets to 0 what came out negative; $W_2$ brings the row back to $d_{\mathrm{model}}$. It is the same network for every position, and no position sees another.
#
# The last sentence can be checked. We touch row 2 of the input and look at which rows of the output notice, first in the network (short for position-wise network) and then in attention.

# %%
rng = np.random.default_rng(5)
n, d_model, heads, d_ff = 6, 8, 2, 20
X = rng.standard_normal((n, d_model))
block = bloque.block_parameters(d_model, heads, d_ff, seed=6)
touched = X.copy()
touched[2] += rng.standard_normal(d_model)

network_change = bloque.feed_forward(touched, *block.feed_forward) - bloque.feed_forward(X, *block.feed_forward)
attention_change = (
    bloque.multi_head_attention(touched, block.attention, heads)[0] - bloque.multi_head_attention(X, block.attention, heads)[0]
)
print("network:  ", *[number(float(c), 2) for c in abs(network_change).max(axis=1)])
print("attention:", *[number(float(c), 2) for c in abs(attention_change).max(axis=1)])

# %% [markdown]
# In the network only row 2 moves. In attention all of them do. That is the division of labour: **attention moves information between positions; the network changes each position by itself, with a nonlinearity.**
#
# Now the weights. Without biases, attention has four matrices of $d_{\mathrm{model}}^2$ and the network has two of $d_{\mathrm{model}} \cdot d_{\mathrm{ff}}$.

# %%
attention_weights = 4 * 512**2
network_weights = 2 * 512 * 2048
print("attention:", number(attention_weights), " network:", number(network_weights), " ratio:", number(network_weights // attention_weights))

# %% [markdown]
# 1 048 576 against 2 097 152: with $d_{\mathrm{ff}} = 4\,d_{\mathrm{model}}$ the network has twice as many.

# %% [markdown]
# ## Three right totals
#
# Ask how many parameters a block has, with the paper's base sizes, and you will find three numbers. All three are right: they count different things.

# %%
without_extras = bloque.count_parameters(512, 8, 2048, feed_forward_bias=False, norms=False)
with_norms = bloque.count_parameters(512, 8, 2048)
with_all = bloque.count_parameters(512, 8, 2048, attention_bias=True)
for name, count in (("matrices only", without_extras), ("+ network biases, norms", with_norms), ("+ attention biases", with_all)):
    print(f"{number(count.total)}  {name}")

# %% [markdown]
# - **3 145 728** counts the six matrices and nothing else.
# - **3 150 336** adds the network's two biases and the $\gamma$ and $\beta$ of both norms. It is what the library builds by default.
# - **3 152 384** adds four biases in attention too. It is what PyTorch's encoder layer counts.
#
# Before you compare two counts, ask which one each is. And notice what is in none of them: the length of the sentence. The block works for ten tokens or for ten thousand with the same weights. What does depend on the maximum length is the position table that BERT and GPT-2 learn, which stands outside the blocks.
#
# A stack of blocks is one multiplication more:

# %%
print("6 blocks, with network biases and norms:", number(6 * with_norms.total))
print("12 blocks, matrices only:", number(12 * without_extras.total))

# %% [markdown]
# Six blocks of the second kind make 18 902 016, and twelve of the first 37 748 736.

# %% [markdown]
# ## Count it yourself
#
# The figure counts a block in the third way, with attention biases. **Guess first**: what percentage of the parameters of one such block is in the network?
#
# Look for this:
#
# - raise $n$: no parameter moves; scores and maps grow with its square;
# - move the heads: nothing changes but the maps;
# - choose a model: its exact total stands beside the rounded figure of its paper. For BERT and GPT-2 it is the count of the published weights.

# %%
lesson.counting()

# %% [markdown]
# The same presets as a table, so that the exact totals can be read at once:

# %%
for name in lesson.PRESETS:
    print(f"{lesson.preset_name(name):18} {number(lesson.preset_parameters(name).total):>13}   {lesson.PRESETS[name].published}")

# %% [markdown]
# BERT base comes to 109 482 240. That includes the tables of tokens, positions and segments (which sentence of a pair a token belongs to) and the pooler, a last matrix for the first token. BERT large comes to 335 141 888. The four GPT-2 come to 124 439 808, 354 823 168, 774 030 080 and 1 557 611 200, with the output tied to the token table, so that it adds nothing. The paper's two models come to 63 082 496 and 214 245 376 with a shared vocabulary of 37 000 pieces, and cannot be matched to its rounded 65M and 213M, because it lists no parts.

# %% [markdown]
# ## Order
#
# Take attention alone and shuffle the rows that go in. The same rows come out, shuffled in the same way. The word for it is **equivariant**.

# %%
shuffle = rng.permutation(n)
straight = bloque.multi_head_attention(X, block.attention, heads)[0]
shuffled = bloque.multi_head_attention(X[shuffle], block.attention, heads)[0]
print("largest difference after undoing the shuffle < 1e−12:", bool(abs(shuffled - straight[shuffle]).max() < 1e-12))

# %% [markdown]
# So *dog bites man* and *man bites dog* give the same three vectors, in another order. Order has to be put in from outside. The paper adds a row for each position: sines and cosines of ever slower waves, alternating.
#
# $$\mathrm{PE}(t, 2i) = \sin\!\left(t / 10000^{2i/d_{\mathrm{model}}}\right), \qquad \mathrm{PE}(t, 2i+1) = \cos\!\left(t / 10000^{2i/d_{\mathrm{model}}}\right)$$

# %%
for position, row in enumerate(bloque.positional_encoding(2, 4)):
    print("position", position, *[number(float(value), 5) for value in row])

# %% [markdown]
# Sine, cosine, sine, cosine: at position 1 the fast pair has already turned to 0.84147 and 0.54030, while the slow one has hardly moved: 0.01000 and 0.99995.
#
# Why waves? Because the product of two rows depends only on how far apart they are: $\sin a \sin b + \cos a \cos b = \cos(a - b)$, pair by pair.
#
# Look for this:
#
# - drag the position: the red line travels over the map and the curve on the right does not move;
# - widen $d_{\mathrm{model}}$: there are more pairs to add up, so the products grow and the curve falls more smoothly.

# %%
lesson.positions()

# %% [markdown]
# The encoding is added **once, before the first block**. After that the residual carries it through the whole stack (lesson 4). Adding it after the first attention is a frequent mistake, and the same test shows it: that attention has already averaged without knowing the order.

# %%
positions = bloque.positional_encoding(n, d_model)


def attend(rows):
    return bloque.multi_head_attention(rows, block.attention, heads)[0]


before = abs(attend(X[shuffle] + positions) - attend(X + positions)[shuffle]).max()
after = abs(attend(X[shuffle]) - attend(X)[shuffle]).max()
print("added before: does order change what attention finds?", bool(before > 1e-6))
print("added after:  does order change what attention finds?", bool(after > 1e-6))

# %% [markdown]
# ## Closing the future
#
# A decoder writes token by token. In training, though, it is given the whole sentence at once, to learn from every position in one pass. If position 2 could look at position 3, it would copy the answer. So the future must be closed: position $i$ may look at itself and at what came before.

# %%
print(np.where(bloque.causal_mask(4), "·", "x"))

# %% [markdown]
# `True` (here a dot) means *may attend*; an x is closed. Closing means that the weight is 0, and there is only one score to which softmax gives exactly 0: $-\infty$. So $-\infty$ is added **before** the softmax.
#
# Other ways look as good. **Guess first**: the scores are 2, 1 and 0.5, and the third must be closed. Somebody multiplies it by 0. What weight does it keep?
#
# Look for this, with query 2 (the figure counts from 1):
#
# - scores times 0: the closed place keeps a weight, cross-hatched, because 0 is a score like any other;
# - 0 after the softmax: the closed place is left with 0, but the row no longer adds up to 1;
# - dividing by the sum afterwards repairs it, and gives the same numbers as $-\infty$ before.

# %%
lesson.masks()

# %% [markdown]
# The same row in numbers:

# %%
mask = bloque.causal_mask(3)
print("scores       ", *[number(float(s), 1) for s in lesson.SCORES[1]])
for name, way in zip(("before", "multiplied", "after", "renormalised"), lesson.WAYS.values(), strict=True):
    weights = way(lesson.SCORES, mask)[1]
    print(f"{name:13}", *[number(float(w), 4) for w in weights], " sum", number(float(weights.sum()), 4))

# %% [markdown]
# Multiplying leaks 0.0900 to the future. Masking afterwards leaves a row that adds up to 0.8598. With $-\infty$ before, or dividing again after, the row is 0.7311, 0.2689, 0.
#
# And a row with everything closed? There is nothing to share out, and the formula gives $0/0$. The library gives it weights 0 and output 0, and leaves the other rows alone:

# %%
closed = np.ones((n, n), dtype=bool)
closed[1] = False
output, weights = bloque.attention(X, X, X, mask=closed)
print("weights of row 1:", *[number(float(w), 1) for w in weights[1]], " any NaN:", bool(np.isnan(output).any()))

# %% [markdown]
# ## The paper's drawing
#
# Figure 1 of the paper can now be read whole. It has 15 boxes: six in the encoder, eight in the decoder, and the output, linear and softmax together (drawn separately they make 16). Five are *add & norm*. Three mix positions. Twelve do not.
#
# Choose a box, or click on it.
#
# - An *add & norm* lights its residual line: follow it back to see what it brings.
# - Switch on those that mix positions: all the others work row by row.
# - Cross-attention is the only box that reads both columns.

# %%
lesson.drawing()

# %% [markdown]
# The three counts, from the very table that the picture is drawn from:

# %%
boxes = lesson.BOXES
norms = [name for name in boxes if "norm" in name]
mixing = [name for name, box in boxes.items() if box.mixes]
print("boxes:", len(boxes), " add & norm:", len(norms), " mix positions:", len(mixing), " do not:", len(boxes) - len(mixing))
print("with linear and softmax apart:", len(boxes) + 1)

# %% [markdown]
# ## Where the norm goes, at depth
#
# The drawing says post-norm: $\mathrm{LayerNorm}(x + \mathrm{Sublayer}(x))$. Most code of today says pre-norm: $x + \mathrm{Sublayer}(\mathrm{LayerNorm}(x))$. With six blocks both train. With many, post-norm asks for a **warm-up**: a learning rate that starts tiny and grows. Why?
#
# We measure the norm of the gradient that each block's $W_2$ receives before any training, with exact gradients, in stacks from 4 to 48 blocks and for five seeds.
#
# Look for this:
#
# - at 4 blocks the two curves are close;
# - drag to 48: the last square sinks, and the last circle stays where it was;
# - the thin lines are single seeds: post-norm scatters, pre-norm hardly does.

# %%
lesson.depth()

# %%
gradients = lesson.stored_gradients()
for depth in (12, 48):
    post, pre = (float(np.median(gradients[norm][depth][:, -1])) for norm in ("post", "pre"))
    print(f"{depth} blocks, last W₂: post {number(post, 1)}, pre {number(pre, 1)}")
print("expected of a fall like 1/√depth:", number(float(np.median(gradients["pre"][12][:, -1])) * (12 / 48) ** 0.5, 1))

# %% [markdown]
# With pre-norm the last block gets 23.9 at 12 blocks and 10.7 at 48: about what $1/\sqrt{\text{depth}}$ predicts, 11.9. The sum grows with depth, the norms divide by it, and each block weighs less. With post-norm it gets 75.1 and 71.8: the gradient of the last block is as large among 48 as among 12. A step moves all of them at once, so with more blocks the output moves further, and the first steps are too long unless the learning rate starts small. That is what warm-up does. Xiong et al. (2020) prove it for the last layer at the start of training; in the blocks further down, post-norm depends on the draw, as you saw.
#
# These gradients come from the library's own backward pass, piece by piece. The cell checks one by pushing in a random direction.

# %%
d, small_heads = 8, 2
stack = [bloque.block_parameters(d, small_heads, 16, seed=s) for s in (1, 2, 3)]
rows, target = rng.standard_normal((5, d)), rng.standard_normal((5, d))
direction = rng.standard_normal(stack[0].feed_forward.W2.shape)


def loss(step):
    # _replace: a copy of the block with another W2
    first = stack[0]._replace(feed_forward=stack[0].feed_forward._replace(W2=stack[0].feed_forward.W2 + step * direction))
    return float((bloque.encoder(rows, [first, *stack[1:]], small_heads) * target).sum())


kept, x = [], rows
for parameters in stack:
    x, of_block = bloque.encoder_block_forward(x, parameters, small_heads)
    kept.append(of_block)
_, by_block = bloque.encoder_backward(target, kept)
exact = float((by_block[0].feed_forward.W2 * direction).sum())
measured = (loss(1e-5) - loss(-1e-5)) / 2e-5
print("exact", number(exact, 4), " measured", number(measured, 4))

# %% [markdown]
# ## A real model
#
# The block of this lesson is the block of models in use. The next cell tries it in one: `multilingual-e5-small` (Wang et al. 2024), the model of lesson 3. It is post-norm, its nonlinearity is GELU (a ReLU with a rounded bend), and its weights are trained. It brings no code of its own. The cell writes a block from the course's pieces, and all the layers of the model run on it. Change it and see what happens.

# %%
from bloque.lessons import real_heads
from bloque.model import load


def own_block(x, parameters, heads, activation, eps):
    attention, attention_norm, network, network_norm = parameters
    x = bloque.layer_norm(x + bloque.multi_head_attention(x, attention, heads)[0], *attention_norm, eps)
    return bloque.layer_norm(x + bloque.feed_forward(x, *network, activation), *network_norm, eps)


real_heads.own_block_runs_model(own_block)

# %% [markdown]
# The sentence *I am going to the doctor tomorrow* and its Spanish twin, *Mañana voy al médico*, end up at a cosine of 0.952; that Spanish sentence and *The cat is sleeping on the sofa*, at 0.692. The same weights with the pieces in another order, as in pre-norm, are no longer that model:

# %%
def other_order(x, parameters, heads, activation, eps):
    attention, attention_norm, network, network_norm = parameters
    x = x + bloque.multi_head_attention(bloque.layer_norm(x, *attention_norm, eps), attention, heads)[0]
    return x + bloque.feed_forward(bloque.layer_norm(x, *network_norm, eps), *network, activation)


real_heads.own_block_runs_model(other_order)

# %% [markdown]
# With all the sentences: 8 in Spanish and their twins in English. A sentence's vector is the mean of its rows, brought to length 1.

# %%
real_heads.sentence_pairs(own_block)

# %% [markdown]
# All 8 find their twin. Mind the scale: two sentences that have nothing to do with each other still stand at 0.773 on average. In this model a high cosine says little by itself; the difference is what counts.
#
# Now we take pieces out. It is the same model, trained with all of them; we do not know what it would have learnt without one. What we see is what each piece does in this trained model.
#
# Look for this:
#
# - without the division by $\sqrt{d_k}$ the entropy drops in every layer: the weights concentrate;
# - without the residual, within a few layers all the tokens are alike and the weights spread evenly: no key stands out;
# - without the norm the numbers grow until each row looks at a single token.

# %%
real_heads.ablations()

# %% [markdown]
# The numbers in layer 4, for the same sentence. The entropy is that of lesson 1 with its logarithm in base 2, so it comes in bits. *Likeness* is the mutual similarity of lesson 4.

# %%
missing = (("division", "without the division"), ("residual", "without the residual"), ("norm", "without the norm"))

print("layer 4                   entropy, bits  likeness  deviation")
for part, name in (((), "the whole model"), *missing):
    trace = load().trace("I sat down on the bank of the river.", without=part)
    bits = number(real_heads.entropies(trace.maps)[3], 2)
    alike = number(real_heads.similarities(trace.states)[4], 3)
    spread = number(real_heads.deviations(trace.states)[4], significant=2)
    print(f"{name:24}  {bits:>13}  {alike:>8}  {spread:>9}")

# %% [markdown]
# And how many twins are found when each piece is missing:

# %%
for part, name in missing:
    found = real_heads.twins_found(real_heads.cosines(without=part))
    print(f"{name}: {found} of 8 twins")

# %% [markdown]
# - Without the division the entropy goes from 1.37 to 0.11 bits. Even so all 8 twins are found. In this model, trained already, leaving the division out changes the maps and not the result of this test. What it does for learning, lesson 6 shows.
# - Without the residual the likeness of tokens is 1.000: the rank collapse of lesson 4, in a real model. The entropy, 3.57 bits, is next to its maximum. Not one twin.
# - Without the norm the deviation has reached 453, and the entropy is 0.00: every softmax is saturated. Not one twin.

# %% [markdown]
# ## Frequent mistakes
#
# - **The position added after the first attention.** That attention is blind to order. To see it: shuffle.
# - **Scores multiplied by 0.** The future leaks. To see it: look at the weight of a closed place.
# - **The mask after the softmax.** Rows that do not add up to 1. To see it: add them up.
# - **The mask the wrong way round.** In one library `True` keeps and in another it drops. To see it: the causal mask's first row must leave one weight, and it must be 1.
# - **More heads of the same width.** The cost is multiplied (lesson 3).
# - **Post-norm in a deep stack without warm-up.** To see it: train it, as lesson 6 does.
# - **Halves instead of pairs.** All sines first and then all cosines is another layout. It works if it is the same everywhere; it does not load somebody else's weights.

# %% [markdown]
# ## Exercises
#
# Replace each `...` by your expression and run the cell. The check says which known mistake yours looks like.
#
# ### Exercise 1 · `feed_forward`
#
# ●○○ · 5 minutes
#
# Write `feed_forward(x, W1, b1, W2, b2)`: $\max(0, xW_1 + b_1)W_2 + b_2$.
#
# <details><summary>Hint 1</summary>
#
# Name the wide row first; the rest is one line.
#
# </details>
# <details><summary>Hint 2</summary>
#
# `max` of an array gives one number. You need the larger of two, element by element.
#
# </details>
# <details><summary>Hint 3</summary>
#
# `np.maximum`.
#
# </details>

# %% tags=["exercise"]
def feed_forward(x, W1, b1, W2, b2):
    hidden = ...
    return ...


check("feed_forward", feed_forward)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def feed_forward(x, W1, b1, W2, b2):
#     hidden = np.maximum(0, x @ W1 + b1)
#     return hidden @ W2 + b2
# ```
#
# </details>

# %% [markdown]
# ### Exercise 2 · `causal_mask`
#
# ●○○ · 4 minutes
#
# Write `causal_mask(n)`: an `(n, n)` array of booleans, `True` where row $i$ may attend to column $j$.
#
# <details><summary>Hint 1</summary>
#
# Write down the table for three tokens, by hand.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Row and column numbers are enough: which comparison holds in the open places?
#
# </details>
# <details><summary>Hint 3</summary>
#
# `np.arange(n)` as a column against `np.arange(n)` as a row.
#
# </details>

# %% tags=["exercise"]
def causal_mask(n):
    row = np.arange(n)[:, None]
    column = np.arange(n)[None, :]
    return ...


check("causal_mask", causal_mask)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def causal_mask(n):
#     row = np.arange(n)[:, None]
#     column = np.arange(n)[None, :]
#     return column <= row
# ```
#
# </details>

# %% [markdown]
# ### Exercise 3 · `masked_attention`
#
# ●●○ · 8 minutes
#
# Write `masked_attention(queries, keys, values, mask)`. `mask` is boolean, `True` = may attend, and every row allows at least one place. Return the output and the weights. `bloque.softmax` may be used.
#
# <details><summary>Hint 1</summary>
#
# Only one line differs from attention without a mask.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Which score gives a weight of exactly 0?
#
# </details>
# <details><summary>Hint 3</summary>
#
# `np.where(mask, …, …)`: the score where it is open, something else where it is closed.
#
# </details>

# %% tags=["exercise"]
def masked_attention(queries, keys, values, mask):
    scores = queries @ keys.T / np.sqrt(queries.shape[-1])
    scores = ...
    weights = bloque.softmax(scores)
    return weights @ values, weights


check("masked_attention", masked_attention)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def masked_attention(queries, keys, values, mask):
#     scores = queries @ keys.T / np.sqrt(queries.shape[-1])
#     scores = np.where(mask, scores, -np.inf)
#     weights = bloque.softmax(scores)
#     return weights @ values, weights
# ```
#
# </details>

# %% [markdown]
# ### Exercise 4 · `positional_encoding`
#
# ●●○ · 8 minutes
#
# Write `positional_encoding(n, d_model)`, with an even `d_model`: sines in the even columns, cosines in the odd ones.
#
# <details><summary>Hint 1</summary>
#
# A sine and the cosine beside it share one angle, so there are `d_model / 2` angles a position.
#
# </details>
# <details><summary>Hint 2</summary>
#
# The exponent of the pair $i$ is $2i/d_{\mathrm{model}}$: that is `np.arange(0, d_model, 2) / d_model`.
#
# </details>
# <details><summary>Hint 3</summary>
#
# `encoding[:, 0::2]` are the even columns, and you can set a slice with `=`.
#
# </details>

# %% tags=["exercise"]
def positional_encoding(n, d_model):
    angles = np.arange(n)[:, None] / ...
    encoding = np.empty((n, d_model))
    encoding[:, 0::2] = ...
    encoding[:, 1::2] = ...
    return encoding


check("positional_encoding", positional_encoding)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def positional_encoding(n, d_model):
#     angles = np.arange(n)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
#     encoding = np.empty((n, d_model))
#     encoding[:, 0::2] = np.sin(angles)
#     encoding[:, 1::2] = np.cos(angles)
#     return encoding
# ```
#
# </details>

# %% [markdown]
# ### Exercise 5 · `pre_norm_block`
#
# ●●○ · 8 minutes
#
# The block of today's code again, now from memory (exercise 4 of lesson 4): `pre_norm_block(x, attention, W1, b1, W2, b2)`. `attention` is a function that is given to you, from `(n, d)` to `(n, d)`. Use `bloque.layer_norm(x)` and `bloque.feed_forward`.
#
# <details><summary>Hint 1</summary>
#
# The path of $x$ must run from end to end with nothing on it but sums.
#
# </details>
# <details><summary>Hint 2</summary>
#
# What is normalised is what goes **into** each sublayer.
#
# </details>
# <details><summary>Hint 3</summary>
#
# The second sublayer starts from the sum that the first one left.
#
# </details>

# %% tags=["exercise"]
def pre_norm_block(x, attention, W1, b1, W2, b2):
    x = x + ...
    return x + ...


check("pre_norm_block", pre_norm_block)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def pre_norm_block(x, attention, W1, b1, W2, b2):
#     x = x + attention(bloque.layer_norm(x))
#     return x + bloque.feed_forward(bloque.layer_norm(x), W1, b1, W2, b2)
# ```
#
# </details>

# %% [markdown]
# ### Exercise 6 · `count_parameters`
#
# ●○○ · 6 minutes
#
# Write `count_parameters(d_model, heads, d_ff, layers)`: attention without biases, the network with both of its biases, and two norms a block.
#
# <details><summary>Hint 1</summary>
#
# One of the four arguments does not enter.
#
# </details>
# <details><summary>Hint 2</summary>
#
# The network's biases have different lengths.
#
# </details>
# <details><summary>Hint 3</summary>
#
# Each norm has a $\gamma$ and a $\beta$, both as long as a row.
#
# </details>

# %% tags=["exercise"]
def count_parameters(d_model, heads, d_ff, layers):
    attention = 4 * d_model**2
    network = ...
    norms = ...
    return layers * (attention + network + norms)


check("count_parameters", count_parameters)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def count_parameters(d_model, heads, d_ff, layers):
#     attention = 4 * d_model**2
#     network = 2 * d_model * d_ff + d_ff + d_model
#     norms = 2 * 2 * d_model
#     return layers * (attention + network + norms)
# ```
#
# </details>

# %% [markdown]
# ## Questions
#
# No hurry and no marks. Every wrong answer says why it is wrong, and you may try again.

# %%
quiz("lesson5")

# %%
score("lesson5")

# %% [markdown]
# ## Summary
#
# 1. Attention moves information between positions; the network changes each position by itself. With $d_{\mathrm{ff}} = 4\,d_{\mathrm{model}}$, the network has twice as many weights.
# 2. Three totals of one block are right, because they count different things. None depends on the length.
# 3. Attention alone does not know order: the position is added once, before the first block.
# 4. To close a place, its score is $-\infty$ before the softmax. Multiplying leaks, and masking afterwards breaks the sum.
# 5. In a deep stack, pre-norm makes each block weigh less. Post-norm does not, which is why it needs warm-up.
#
# ## Terms
#
# | English | Spanish | in one line |
# |---|---|---|
# | position-wise network | *red por posición* | two matrices and a nonlinearity, the same for every row; also *feed-forward network* |
# | mask | *máscara* | says which keys each query may look at |
# | equivariance | *equivarianza* | shuffle what goes in, and what comes out is shuffled in the same way |
# | positional encoding | *codificación posicional* | a row for each position, added to the embeddings |
# | warm-up | *calentamiento* | a learning rate that starts tiny and grows during the first steps |
#
# All the terms are in the [glossary](90_glossary.ipynb).
#
# ## Sources
#
# - Vaswani et al. (2017), *Attention Is All You Need*: sections 3.1, 3.3 and 3.5, figure 1, table 3.
# - Xiong et al. (2020), *On Layer Normalization in the Transformer Architecture*: section 3.
# - Wang et al. (2024), *Multilingual E5 Text Embeddings: A Technical Report*: the real model.
# - Devlin et al. (2018), *BERT*: section 3. Radford et al. (2019), *Language Models are Unsupervised Multitask Learners*: table 2, and the note in its code about the corrected counts.
#
# **Next lesson:** [6 · Make it learn](06_make_it_learn.ipynb).

# %% tags=["colophon"]
from bloque.colophon import colophon

colophon(5)
