# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 2 · Why √d_k
#
# [Español](../es/02_raiz_dk.ipynb) · about 28 minutes, exercises not included
#
# By the end you will be able to:
#
# - derive, step by step, why scores are divided by $\sqrt{d_k}$ rather than by anything else;
# - say which queries learn and which do not when the division is missing;
# - tell when the argument stops holding.

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

from bloque import attention, attention_backward, layer_norm, number, positional_encoding, softmax
from bloque.checks import check
from bloque.lessons import sqrt_dk as lesson
from bloque.quiz import quiz, score

# %% [markdown]
# ## The question
#
# Here is attention in one line:
#
# $$\operatorname{Attention}(Q, K, V) = \operatorname{softmax}\!\left(\frac{Q\,K^{\mathsf T}}{\sqrt{d_k}}\right) V$$
#
# $Q$, $K$ and $V$ hold the queries, the keys and the values, one row a token. Read the formula from the inside out. Every query is multiplied by every key, which gives a score. Softmax turns scores into weights. The weights mix the values.
#
# The purpose of each of those steps is plain; that of the square root is not. $d_k$ is how many components each query and each key has. **Why divide at all? And why by the root of $d_k$?**
#
# First, see what happens without it. One query and eight keys, all drawn at random, with $d_k = 64$:

# %%
rng = np.random.default_rng(0)
query, keys = rng.standard_normal(64), rng.standard_normal((8, 64))
scores = keys @ query  # (8,)
print("scores:        ", *(f"{number(each, 1):>6}" for each in scores))
print("weights:       ", *(f"{number(each, 3):>6}" for each in softmax(scores)))
print("weights, ÷ 8:  ", *(f"{number(each, 3):>6}" for each in softmax(scores / 8)))

# %% [markdown]
# Nothing has been trained, and one key already takes nearly everything, by luck alone. Lesson 1 told you what that costs: a softmax as saturated as this one has hardly any slope left. Divide by 8, the root of 64, and the weight spreads out.
#
# One draw proves nothing, though. We need to know how large $q \cdot k$ is in general.

# %% [markdown]
# ## Predict, then drag: how large is q·k?
#
# Take the simplest case: the components of $q$ and $k$ are independent, with mean 0 and variance 1. Then $q \cdot k$ is 0 on average, so its usual size is its **standard deviation**.
#
# At $d_k = 4$ that is 2. **What will it be at $d_k = 256$?** Guess first, drag second.
#
# - Watch the left panel. The axis stays put; the histogram does not.
# - Watch the middle one: the same histogram, divided by $\sqrt{d_k}$.
# - Go down to $d_k = 2$ and $d_k = 1$. The black curve is the **normal** curve of the same width: the bell that comes of adding up many independent things. Down there it fits badly: the peak of the histogram is taller and its tails are longer. That is what the *kurtosis* in the caption measures; it is explained further down, so leave it for now.

# %%
lesson.width()

# %% [markdown]
# It grows, but slowly: four times the components, twice the width. And divided by $\sqrt{d_k}$ it does not move. Time to see why.

# %% [markdown]
# ## The variance, step by step
#
# A dot product is a sum of $d_k$ products:
#
# $$q \cdot k = q_1 k_1 + q_2 k_2 + \dots + q_{d_k} k_{d_k}$$
#
# **Step 1. The mean of one term.** Write $\mathbb{E}[x]$ for the mean of $x$. $q_i$ and $k_i$ are independent, so the mean of the product is the product of the means:
#
# $$\mathbb{E}[q_i k_i] = \mathbb{E}[q_i]\;\mathbb{E}[k_i] = 0 \cdot 0 = 0$$
#
# **Step 2. The variance of one term.** Variance is the mean of the square minus the square of the mean, and that mean has just turned out to be 0. The squares $q_i^2$ and $k_i^2$ are independent as well:
#
# $$\operatorname{Var}(q_i k_i) = \mathbb{E}[q_i^2 k_i^2] - 0^2 = \mathbb{E}[q_i^2]\;\mathbb{E}[k_i^2] = 1 \cdot 1 = 1$$
#
# where $\mathbb{E}[q_i^2] = \operatorname{Var}(q_i) + \mathbb{E}[q_i]^2 = 1 + 0$. The cell measures it on a million terms.

# %%
rng = np.random.default_rng(1)
q, k = rng.standard_normal((2, 1_000_000))  # two rows: the first is q, the second is k
products = q * k
print("mean of the terms:       ", number(products.mean(), 2))
print("variance of the terms:   ", number(products.var(), 2))
print("mean of q² × mean of k²: ", number((q**2).mean() * (k**2).mean(), 2))

# %% [markdown]
# **Step 3. The variance of the sum.** Call each term $t_i = q_i k_i$. Square the sum and you get squares and cross products:
#
# $$\Bigl(\sum_i t_i\Bigr)^2 = \sum_i t_i^2 + \sum_{i \ne j} t_i\, t_j$$
#
# The sum has mean 0, because each term has, so its variance is the mean of this square. The terms are independent of one another, so each cross product has mean $\mathbb{E}[t_i]\,\mathbb{E}[t_j] = 0$. Only the squares are left: $d_k$ of them, each with mean 1.
#
# $$\operatorname{Var}(q \cdot k) = \underbrace{1 + 1 + \dots + 1}_{d_k} = d_k \qquad\Longrightarrow\qquad \text{standard deviation} = \sqrt{d_k}$$
#
# The cell takes the two parts separately, at $d_k = 64$.

# %%
rng = np.random.default_rng(2)
q, k = rng.standard_normal((2, 20_000, 64))
terms = q * k  # one row a draw
squares = (terms**2).sum(axis=1)
crossed = terms.sum(axis=1) ** 2 - squares
print("mean of the squares:       ", number(squares.mean(), 1))
print("mean of the cross products:", number(crossed.mean(), 1), "± ", end="")
print(number(2 * crossed.std() / np.sqrt(20_000), 1))

# %% [markdown]
# The squares add up to what we said, 64. The cross products do not come to exactly 0, but 0 lies within the ±. That is two standard errors; a standard error says how much such a mean varies from one experiment to the next.
#
# Now for several $d_k$, with the spread in plain sight: ten batches of two thousand draws each.

# %%
rng = np.random.default_rng(6)
print("  d_k   √d_k   measured   over ten batches   measured ÷ √d_k")
# "nd,nd->n": multiply place by place and add up over d, the letter that goes away
for d_k in (1, 2, 64, 512):
    batches = [np.einsum("nd,nd->n", *rng.standard_normal((2, 2_000, d_k), dtype=np.float32)) for _ in range(10)]
    deviations = [batch.std() for batch in batches]
    whole = np.concatenate(batches).std()
    print(f"{d_k:>5} {number(np.sqrt(d_k), 1):>6} {number(whole, 1):>10}", end="")
    print(f"{number(min(deviations), 1):>10} – {number(max(deviations), 1):<8}{number(whole / np.sqrt(d_k), 1):>10}")

# %% [markdown]
# The standard deviation is 1.0, 1.4, 8.0 and 22.6. Divided by the root it is 1.0 every time.
#
# **Step 4. Divide.** Dividing a random number by $c$ divides its variance by $c^2$. We want 1 to be left:
#
# $$\operatorname{Var}\!\left(\frac{q \cdot k}{c}\right) = \frac{d_k}{c^2} = 1 \qquad\Longrightarrow\qquad c = \sqrt{d_k}$$
#
# That is the whole argument. In the paper it is a footnote: Vaswani et al. (2017), note 4.
#
# **What it needs, and what it does not.** We used mean 0, variance 1 and independence. At no step did we say “normal”. The cell tries three different distributions.

# %%
rng = np.random.default_rng(4)
draws = {
    "normal components": rng.standard_normal((2, 20_000, 64)),
    "uniform components": rng.uniform(-np.sqrt(3), np.sqrt(3), (2, 20_000, 64)),
    "heads or tails components": rng.choice([-1.0, 1.0], (2, 20_000, 64)),
}
for name, (q, k) in draws.items():
    print(f"{name:<25} standard deviation of q·k: {number((q * k).sum(axis=1).std(), 1)}")

# %% [markdown]
# All three come out at about 8, the root of 64. The **shape** of the histogram is another story: it does depend on the distribution and on $d_k$. Kurtosis measures it: the mean fourth power divided by the squared variance. A normal distribution has 3; more kurtosis means heavier tails, and here a taller peak as well.
#
# If $x$ is standard normal, $\mathbb{E}[x^4] = 3$. A product of two such numbers therefore has $3 \cdot 3 = 9$, which is 6 too many. Add up $d_k$ independent terms of the same kind and the excess is divided by $d_k$:
#
# $$\text{kurtosis of } q \cdot k = 3 + \frac{6}{d_k}$$

# %%
for d_k, scores in lesson.scores_by_dimension(200_000, (1, 2, 64), seed=5).items():
    kurtosis = ((scores / scores.std()) ** 4).mean()
    print(f"d_k = {d_k:>2}: measured kurtosis {number(kurtosis, 1):>4}, the formula says {number(3 + 6 / d_k, 1)}")

# %% [markdown]
# At $d_k = 1$ the normal curve is a poor fit, at $d_k = 2$ only a slightly better one, and at $d_k = 64$ you cannot tell curve and histogram apart. So trust the black curve of the figure only from a handful of dimensions on. The standard deviation you can trust everywhere.

# %% [markdown]
# ## Why the root, and not d_k
#
# If dividing is good, would more of it be better? Step 4 has the answer. Divide by $d_k$ and what is left has standard deviation $\sqrt{d_k} / d_k = 1 / \sqrt{d_k}$: too small, and smaller still as $d_k$ grows.

# %%
print("  d_k   undivided   ÷ √d_k   ÷ d_k")
for d_k, scores in lesson.scores_by_dimension(20_000, (16, 64, 256, 1024), seed=6).items():
    raw = scores.std()
    print(f"{d_k:>5} {number(raw, 1):>11} {number(raw / np.sqrt(d_k), 2):>8} {number(raw / d_k, 2):>7}")

# %% [markdown]
# Only the middle column stays where it is. Undivided, scores lie further and further apart, and softmax saturates. Divided by $d_k$ they draw together: at $d_k = 1024$ their standard deviation is 0.03, every key gets almost the same weight, and it hardly matters what the keys said.
#
# Divided too little, the weights are decided by chance. Divided too much, they no longer depend on the keys.

# %% [markdown]
# ## Predict, then drag: what does the winner take?
#
# Eight random keys. Shared out evenly, each would get $1/8$.
#
# **At $d_k = 64$ and with no division, how much does the heaviest key get on average?** Guess first.
#
# - Top left are the weights of one draw. The dotted line is the even share.
# - Top right is the average over many draws, for the three divisors. The band holds 95 % of experiments of a hundred draws.
# - The two lower panels belong to the next section. Leave them for now.

# %%
lesson.divisor()

# %% [markdown]
# How sure can we be of such a number? Run an experiment of a hundred draws a few times.

# %%
rng = np.random.default_rng(7)
print("mean largest weight   undivided   ÷ √d_k")
for repeat in range(1, 6):
    queries, keys = rng.standard_normal((100, 64)), rng.standard_normal((100, 8, 64))
    scores = np.einsum("nd,njd->nj", queries, keys)  # eight new keys in every draw
    raw, root = softmax(scores).max(axis=1).mean(), softmax(scores / 8).max(axis=1).mean()
    print(f"experiment {repeat} {number(raw, 2):>18} {number(root, 2):>8}")

# %% [markdown]
# Five experiments, and not one answer but several. We need more draws, and we need to say how much the result varies.
#
# A shortcut makes draws cheap. Once $q$ is known, $q \cdot k = \sum_i q_i k_i$ is a sum of independent normals, hence normal itself, with variance $\sum_i q_i^2 = \lVert q \rVert^2$. So the eight scores are $\lVert q \rVert$ times eight standard normals. Draw $\lVert q \rVert$ and those eight: 9 random numbers a draw instead of $9 \cdot 64$. At that price we can afford a million.

# %%
raw, root = lesson.largest_weights(64, [1, 8], 1_000_000)
for name, weights in (("undivided", raw), ("÷ √d_k", root)):
    experiments = weights.reshape(-1, 100).mean(axis=1)  # ten thousand experiments of a hundred draws
    low, high = np.percentile(experiments, (2.5, 97.5))
    print(f"{name:<10} mean {number(weights.mean(dtype=float), 3)}, standard error {number(weights.std() / 1000, 4)}")
    print(f"   with 100 draws: standard deviation {number(experiments.std(), 3)}, 95 % from {number(low, 2)} to {number(high, 2)}")

# %% [markdown]
# The heaviest of eight gets 0.875 undivided and 0.360 with $\sqrt{d_k}$. Make a hundred draws on your own computer and expect anything from 0.84 to 0.91, or from 0.34 to 0.38.
#
# At $d_k = 1024$ the gap is wider, and the third divisor joins in.

# %%
raw, root, whole = lesson.largest_weights(1024, [1, 32, 1024], 400_000, seed=8)
for name, weights in (("undivided", raw), ("÷ √d_k", root), ("÷ d_k", whole)):
    print(f"{name:<10} largest weight {number(weights.mean(dtype=float), 3)}   all finite: {np.isfinite(weights).all()}")
print("even share largest weight", number(1 / 8, 3))

# %% [markdown]
# Undivided, 0.969: nearly everything for one key, by chance. With $\sqrt{d_k}$, 0.361, much as it was with 64 components. With $d_k$, 0.131, barely above the even share of 0.125.
#
# Look at the last column too. Nothing overflowed, because softmax subtracts the maximum. Saturation and overflow are different faults, and this division mends only the first.

# %% [markdown]
# ## Where the gradient goes
#
# Who pays for saturation? Follow the loss backwards. Write $\partial q$ for the gradient of the loss with respect to $q$, and likewise for the other letters. For one query with divided scores $z$, weights $p$ and output $o = \sum_j p_j v_j$, moving $v_j$ moves the output $p_j$ times as far, and moving $p_j$ moves it $v_j$ times as far. It is the same with the scores, $z_j = q \cdot k_j / \sqrt{d_k}$. That gives all five:
#
# $$\partial v_j = p_j\, \partial o \qquad\quad \partial p_j = v_j \cdot \partial o \qquad\quad \partial z = J\,\partial p$$
#
# $$\partial q = \frac{1}{\sqrt{d_k}} \sum_j \partial z_j\, k_j \qquad\quad \partial k_j = \frac{1}{\sqrt{d_k}}\, \partial z_j\, q$$
#
# The Jacobian of softmax stands between the loss and the queries, and between the loss and the keys. It does not stand in front of the values. If $J$ fades, so do $\partial q$ and $\partial k$, but not $\partial v$.
#
# The cell computes the exact gradients of a freshly initialised attention: `target` is a wanted output, drawn at random; the loss is the mean squared error, and `by_output` its derivative, $\partial o$. Then it checks one by pushing: it moves all the queries a little in a random direction and watches the loss.

# %%
rng = np.random.default_rng(9)
n, d_model, d_k = 8, 256, 1024
x, target = rng.standard_normal((2, n, d_model))
W_Q, W_K = rng.standard_normal((2, d_model, d_k)) / np.sqrt(d_model)
W_V = rng.standard_normal((d_model, d_model)) / np.sqrt(d_model)
queries, keys, values = x @ W_Q, x @ W_K, x @ W_V


def loss(queries):
    """The mean squared error, with the division by √d_k."""
    return np.mean((attention(queries, keys, values)[0] - target) ** 2)


output, weights = attention(queries, keys, values)
by_output = 2 * (output - target) / target.size
by_queries, by_keys, by_values = attention_backward(by_output, queries, keys, values, weights)
direction = rng.standard_normal(queries.shape)
measured = (loss(queries + 1e-4 * direction) - loss(queries - 1e-4 * direction)) / 2e-4
print("by pushing:", number(measured, 6), "  exact:", number((by_queries * direction).sum(), 6))

# %% [markdown]
# They agree. Now forty such sentences, each with matrices of its own, with the division and without. Look at two things: the typical query, which is the median, and the norm of a whole matrix, $\lVert\cdot\rVert$, the root of the sum of the squares of its numbers.

# %%
gradients = lesson.attention_gradients([1024], sentences=40)
raw, root = gradients["none", 1024], gradients["root", 1024]
rows = {"undivided": raw, "÷ √d_k": root}
print("             max|J|             ‖∂q‖      ‖∂W^Q‖  ‖∂W^K‖  ‖∂W^V‖")
print("             median    mean     median    median over the sentences")
for name, g in rows.items():
    typical = [number(np.median(each), significant=2) for each in (g.slopes, g.queries, g.W_Q, g.W_K, g.W_V)]
    print(f"{name:<12} {typical[0]:<9} {number(g.slopes.mean(), 3):<8} {typical[1]:<9} {typical[2]:<7} {typical[3]:<7} {typical[4]}")

# %% [markdown]
# This table holds a surprise.
#
# - **The typical query gets next to nothing.** Undivided, the median of ‖∂q‖ is about a thousand times smaller, and that of max|J| sinks far lower still.
# - **Even so, the norm of $\partial W^Q$ is larger without the division.** So is that of $\partial W^K$.
# - $\partial W^V$ does not fade: there is no $J$ in front of the values.
#
# How can a sum be larger when nearly all its terms are tiny? Because some of them are huge. Compare the median of max|J|, 1.1e−6, with its mean, 0.021: a minority makes that mean. The picture shows every query.

# %%
lesson.gradient_spread(raw, root)

# %%
for name, g in rows.items():
    low, high = np.percentile(g.queries, (25, 75))
    print(f"middle half of ‖∂q‖, {name}:", "from", number(low, significant=1), "to", number(high, significant=1))
typical = np.median(root.queries)
energy = np.sort(raw.queries.ravel() ** 2)[::-1]
tenth = energy.size // 10
print("below a thousandth of what is typical with √d_k:", number(100 * (raw.queries < typical / 1000).mean(), 0), "% of the queries")
print("above the largest with √d_k:                    ", number(100 * (raw.queries > root.queries.max()).mean(), 0), "% of the queries")
print("the 10 % with the most gradient hold:           ", number(100 * energy[:tenth].sum() / energy.sum(), 0), "% of the total (in squares)")

# %% [markdown]
# In the picture, the square and the circle mark the medians, and the first bar gathers everything below its number. A tenth of the queries hold 93 % of the sum of squares, and that is what a norm is made of.
#
# With a spread like that, the undivided median itself is uncertain: forty other sentences can give one several times larger or smaller. What does not change is the shape.
#
# Half of the queries get less than a thousandth of what is typical with the division. At the other end, 19 % get more than any query does with the division: those are the ones that chance has left torn between two keys. There $J$ is not small, and the factor $1/\sqrt{d_k}$ of $\partial q$ is missing as well, which by itself makes their gradient $32$ times larger.
#
# So it is not true that without the division there is no gradient. What happens is this: **most queries get next to none, and a minority gets far too much**. The norm of the whole matrix does not show it: it looks large and healthy.
#
# Go back to the figure with the three divisors, and look at its lower panels now. The line is the median; the band leaves out a tenth above and a tenth below: of the sentences on the left, of the queries on the right.
#
# - Undivided, raise $d_k$: on the left the norms grow; on the right the median sinks and the band widens.
# - With $\sqrt{d_k}$ everything is flat: the scale of the gradient no longer depends on $d_k$.
# - With $d_k$, the gradients of queries and keys fade little by little, all of them together. Softmax is not saturated, but the division makes everything that passes through it small.

# %% [markdown]
# ## When the assumption fails
#
# The argument asked for mean 0, variance 1 and independence. What if they do not hold?
#
# **Another deviation.** If components have standard deviation $\sigma$, step 2 gives $\mathbb{E}[q_i^2]\,\mathbb{E}[k_i^2] = \sigma^2 \sigma^2 = \sigma^4$, so $\operatorname{Var}(q \cdot k) = d_k\, \sigma^4$. $\sigma$ enters twice, once through $q$ and once through $k$: components twice as large make scores four times as large.

# %%
rng = np.random.default_rng(10)
for sigma in (0.5, 1, 2):
    q, k = sigma * rng.standard_normal((2, 20_000, 64))
    print(f"σ = {number(sigma, 1)}  measured: {number((q * k).sum(axis=1).std(), 1):>4}   σ² √d_k = {number(sigma**2 * 8, 1):>4}")

# %% [markdown]
# **Components that move together.** Let $\Sigma_q$ be the matrix of **covariances** of $q$: its entry $(i, j)$ is the mean of $q_i q_j$. $\Sigma_k$ is that of $k$. The **trace**, $\operatorname{tr}$, is the sum of the diagonal. With means 0, and $q$ independent of $k$:
#
# $$\operatorname{Var}(q \cdot k) = \mathbb{E}\bigl[(q^{\mathsf T} k)^2\bigr] = \mathbb{E}\bigl[q^{\mathsf T} k\, k^{\mathsf T} q\bigr] = \mathbb{E}\bigl[q^{\mathsf T} \Sigma_k\, q\bigr]$$
#
# $$\mathbb{E}\bigl[q^{\mathsf T} \Sigma_k\, q\bigr] = \mathbb{E}\bigl[\operatorname{tr}(\Sigma_k\, q\, q^{\mathsf T})\bigr] = \operatorname{tr}(\Sigma_k \Sigma_q)$$
#
# Average over $k$ first. Then $q^{\mathsf T} \Sigma_k\, q$, being a number, equals its own trace, and inside a trace the factors may be rotated. Last, average over $q$.
#
# If one of the two is the identity, what is left is the trace of the other, which is $d_k$ when the variances are 1. Correlation counts only in the pairs of components where **both** have it: with the same sign the variance goes up, with opposite signs it goes down.

# %%
def correlated(rng, pattern, share=0.5):
    """Components of variance 1 with a part in common, which follows the pattern."""
    own, common = rng.standard_normal((20_000, 64)), rng.standard_normal((20_000, 1))
    return np.sqrt(1 - share) * own + np.sqrt(share) * common * pattern


def covariance(pattern, share=0.5):
    return (1 - share) * np.eye(64) + share * np.outer(pattern, pattern)


rng = np.random.default_rng(11)
none, same, other = np.zeros(64), np.ones(64), np.tile([1.0, -1.0], 32)
cases = {
    "none": (none, none, 0, 0),
    "in q only": (same, none, 0.5, 0),
    "in both, alike": (same, same, 0.5, 0.5),
    "in both, unlike": (same, other, 0.5, 0.5),
}
for name, (first, second, a, b) in cases.items():
    scores = (correlated(rng, first, a) * correlated(rng, second, b)).sum(axis=1)
    theory = np.sqrt(np.trace(covariance(first, a) @ covariance(second, b)))
    print(f"correlation: {name:<16} measured {number(scores.std(), 1):>5}   √tr(Σ_q Σ_k) = {number(theory, 1)}")

# %% [markdown]
# With correlation in one of them only, nothing moves: 8.0. With the same correlation in both, the deviation is four times as large. With a different direction in each, it even drops a little.
#
# **And in a real network?** That depends on two things. After a layer norm (lesson 4), every row has mean 0 and standard deviation 1, so its squared norm is $d_\text{model}$. If $W$ is drawn with variance $1/d_\text{model}$, each component of $q$ has variance $d_\text{model} \cdot 1/d_\text{model} = 1$: the assumption, exactly. But networks are started in other ways too:

# %%
rng = np.random.default_rng(12)
d_model, d_k = 768, 64
rows = layer_norm(rng.normal(3, 2, (400, d_model)))  # whatever goes in comes out standardised
starts = {
    "variance 1/d_model": lambda: rng.standard_normal((d_model, d_k)) / np.sqrt(d_model),
    "PyTorch's linear layer": lambda: rng.uniform(-1, 1, (d_model, d_k)) / np.sqrt(d_model),
    "BERT and GPT-2, deviation 0.02": lambda: 0.02 * rng.standard_normal((d_model, d_k)),
}
for name, start in starts.items():
    queries, keys = rows @ start(), rows @ start()
    scores = queries @ keys.T / np.sqrt(d_k)
    print(f"{name:<31} components of q: {number(queries.std(), 2)}   scores ÷ √d_k: {number(scores.std(), 2)}")

# %% [markdown]
# With variance $1/d_\text{model}$ the scores have standard deviation 1. The other two give smaller ones, about a third of that: the weights start out even more alike, which saturates nothing. And as soon as training begins the matrices change, and nothing guarantees the assumption any longer.
#
# So $\sqrt{d_k}$ does not promise that softmax will never saturate. It promises that **the starting point does not depend on $d_k$**.

# %% [markdown]
# ## The root of what, and when
#
# **Of $d_k$, not of $d_\text{model}$.** With $d_\text{model} = 512$ and 8 heads, each head works with $d_k = 64$ components (lesson 3). The variance is that of the 64 terms which are added. In code, the divisor is the root of the last axis of the queries, **after** they have been split into heads.

# %%
scores = lesson.scores_by_dimension(20_000, [512 // 8], seed=13)[64]
print("by √64:  measured", number((scores / np.sqrt(64)).std(), 2))
print("by √512: measured", number((scores / np.sqrt(512)).std(), 2), "  the theory, √(64 / 512):", number(np.sqrt(64 / 512), 3))

# %% [markdown]
# Dividing by $\sqrt{512}$ leaves 0.354, little more than a third of what it should be.
#
# **Before or after.** Some code divides the query before multiplying. It is the same thing, because the dot product is linear: $\frac{q}{\sqrt{d_k}} \cdot k = \frac{q \cdot k}{\sqrt{d_k}}$. Only the amount of work differs: $n \cdot d_k$ divisions instead of $n \cdot n$.

# %%
rng = np.random.default_rng(14)
Q, K = rng.standard_normal((2, 5, 64))
difference = np.abs((Q / 8) @ K.T - (Q @ K.T) / 8).max()
print("difference below 1e-12:", difference < 1e-12)

# %% [markdown]
# **Multiplying by $\sqrt{d_\text{model}}$ is something else.** In its section 3.4 the paper multiplies the input embeddings by $\sqrt{d_\text{model}}$. The two share a root and nothing else. This one is not inside the attention, it does not undo the division, and it answers another question: if embeddings start with standard deviation $1/\sqrt{d_\text{model}}$, they are too small beside the positional encoding that is added to them (lesson 5).

# %%
rng = np.random.default_rng(15)
embeddings = rng.standard_normal((100, 512)) / np.sqrt(512)
positions = positional_encoding(100, 512)
print("embeddings:          ", number(embeddings.std(), 3))
print("embeddings × √d_model:", number((embeddings * np.sqrt(512)).std(), 3))
print("positional encoding: ", number(np.sqrt((positions**2).mean()), 3))

# %% [markdown]
# ## The bank scene
#
# Here is an attention without chance, which you can work out in your head.
#
# > We walked along the bank of the river
#
# The edge of the water, or a house full of money? You can tell by the words around it: “along”, “river”. Attention can do the same. The query of “bank” scores every word, and takes something from each.
#
# The vectors have two components and **are chosen by hand**, so that the sums come out round. They come from no model. The query of “bank” is $q = (1, 1)$, so each score is just the sum of the key's two numbers. The values say how much each word brings to each reading, (shore, money).

# %%
scene = lesson.bank_scene("bench")
scores = scene.keys @ scene.query
print("word      key               score       e^score   value")
for word, key, s, value in zip(scene.words, scene.keys, scores, scene.values, strict=True):
    print(f"{word:<9} ({number(key[0], 1):>4}, {number(key[1], 1):>4}) {number(s, 1):>9} {number(np.exp(s), 2):>13}", end="")
    print(f"   ({number(value[0], 1)}, {number(value[1], 1)})")
print("sum:", number(np.exp(scores).sum(), 2))
rounded = np.round(np.exp(scores), 1)
print("rounding:", " + ".join(number(each, 1) for each in rounded), "=", number(rounded.sum(), 1))

# %% [markdown]
# In your head: “river” brings 5, “along” 3, “bank” 1, and each of the other five words 0.2. That makes 10. So “river” takes about five tenths of the weight, “along” three and “bank” one. Exactly:

# %%
weights = np.exp(scores) / np.exp(scores).sum()
output = weights @ scene.values
print(*(f"{word} {number(weight, 3)}" for word, weight in zip(scene.words, weights, strict=True)), sep=" · ")
print("new vector:", ", ".join(number(each, 3) for each in output))

# %% [markdown]
# The new vector of “bank” is (0.698, 0.050): almost all of it says shore. It is made of five tenths of “river”, three of “along” and one of itself.
#
# That was undivided. Attention proper divides by $\sqrt{2}$, since here $d_k = 2$:

# %%
for name, scale in (("undivided", 1), ("÷ √2", None)):  # left to itself, `attention` divides by √d_k
    output, weights = attention(scene.query[None], scene.keys, scene.values, scale=scale)  # [None]: from (2,) to (1, 2)
    print(f"{name:<10}", *(f"{word} {number(weight, 3)}" for word, weight in zip(scene.words, weights[0], strict=True)), sep=" · ")
    print("           new vector:", ", ".join(number(each, 3) for each in output[0]))

# %% [markdown]
# “river” drops from 0.497 to 0.393 and the new vector becomes (0.594, 0.063). The order of the words is the same. **Dividing does not change the reading, only its contrast.**
#
# Now its twin sentence, about money, with the same query, $(1, 1)$, and other neighbours.

# %%
scene = lesson.bank_scene("money")
output, weights = attention(scene.query[None], scene.keys, scene.values, scale=1)
print(*(f"{word} {number(weight, 3)}" for word, weight in zip(scene.words, weights[0], strict=True)), sep=" · ")
print("new vector:", ", ".join(number(each, 3) for each in output[0]))

# %% [markdown]
# “money” takes 0.518, and the new vector is (0.052, 0.727): this time almost all of it says money. The word “bank” asked the same question in both sentences, and got other answers.
#
# Your turn.
#
# - Stretch $q$ all the way and turn it. The dashed line is the border: keys on the arrow's side have positive scores, keys on the other side negative ones. Where does the arrow point when “the” and “of” take the most?
# - Shrink it to 0: even shares. Stretch it towards a word, and that word takes over. Stretching $q$ multiplies the scores, which is exactly what a large $d_k$ does when you do not divide.
# - Switch the division on, and find the length that gives nearly the same weights without it.

# %%
lesson.bank()

# %% [markdown]
# ## Frequent mistakes
#
# - **Dividing by $\sqrt{d_\text{model}}$.** Nothing fails and the weights look reasonable, only flatter than they should be. Measure the standard deviation of the scores and you see it.
# - **Dividing by $d_k$.** Nothing fails here either. With a large $d_k$, every row of weights looks like the even share.
# - **Multiplying instead of dividing.** Softmax saturates: in each row one weight is nearly 1 and the rest nearly 0.
# - **Dividing after softmax.** The weights no longer add up to 1, and the contrast stays as it was.
# - **Checking the columns.** It is the weights in each **row** that add up to 1: one row a query. Columns may add up to anything.
# - **“The root keeps the exponential from overflowing.”** It does not: subtracting the maximum does.
# - **“Without the root there is no gradient.”** There is, and its norm is even larger. But it lands on a minority of the queries.
#
# The cell shows two of them. The matrix is not square, so that rows and columns cannot be mistaken for each other.

# %%
rng = np.random.default_rng(16)
Q, K, V = rng.standard_normal((3, 5)), rng.standard_normal((4, 5)), rng.standard_normal((4, 2))
weights = attention(Q, K, V)[1]  # (3, 4)
print("sums of the rows:                ", *(number(total, 3) for total in weights.sum(axis=1)))
print("sums of the columns:             ", *(number(total, 3) for total in weights.sum(axis=0)))
late = softmax(Q @ K.T) / np.sqrt(5)
print("rows, dividing after softmax:    ", *(number(total, 3) for total in late.sum(axis=1)))

# %% [markdown]
# ## Exercises
#
# Replace each `...` by your expression and run the cell. The check says which known mistake yours looks like.
#
# ### Exercise 1 · `scores`
#
# ●○○ · 5 minutes · The matrix of scores, already divided: one row a query, one column a key. In go the queries, $(n_q, d_k)$, and the keys, $(n_k, d_k)$; out comes $(n_q, n_k)$.
#
# <details><summary>Hint 1</summary>At (i, j) stands query i times key j. Which of the two matrices has to be transposed?</details>
# <details><summary>Hint 2</summary>The divisor has nothing to do with how many queries or keys there are. It depends on how many components they have.</details>
# <details><summary>Hint 3</summary>The number of components is the last one in `queries.shape`, and you want its root.</details>

# %% tags=["exercise"]
def my_scores(queries, keys):
    products = ...  # (n_q, n_k)
    divisor = ...
    return products / divisor


check("scores", my_scores)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def my_scores(queries, keys):
#     products = queries @ keys.T  # (n_q, n_k)
#     divisor = np.sqrt(queries.shape[-1])
#     return products / divisor
# ```
# </details>
#
# ### Exercise 2 · `attention`
#
# ●●○ · 8 minutes · The whole of attention. Return two things, in this order: the output, $(n_q, d_v)$, and the weights, $(n_q, n_k)$.
#
# <details><summary>Hint 1</summary>Three steps: divided scores, weights, a mix of values.</details>
# <details><summary>Hint 2</summary>Each row of weights has to add up to 1. The course's `softmax` works along the last axis.</details>
# <details><summary>Hint 3</summary>The output is an average of values: each row of weights multiplies the matrix of values.</details>

# %% tags=["exercise"]
def my_attention(queries, keys, values):
    scores = ...  # (n_q, n_k)
    weights = ...  # (n_q, n_k)
    output = ...  # (n_q, d_v)
    return output, weights


check("attention", my_attention)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def my_attention(queries, keys, values):
#     scores = queries @ keys.T / np.sqrt(queries.shape[-1])  # (n_q, n_k)
#     weights = softmax(scores)  # (n_q, n_k)
#     output = weights @ values  # (n_q, d_v)
#     return output, weights
# ```
# </details>
#
# Once it passes, try it on the scene: `lesson.bank(my_attention)` draws the bank scene with your own function.
#
# ### Exercise 3 · `score_deviation`
#
# ●●○ · 8 minutes · Measure, and say how far the measurement can be trusted. Row $i$ of the queries goes with row $i$ of the keys: $n$ pairs, $n$ scores, **undivided**. Return their standard deviation and the standard error of that deviation, which is the deviation divided by $\sqrt{2n}$ (right when scores are close to normal).
#
# <details><summary>Hint 1</summary>You do not need the whole matrix of queries times keys, only its diagonal.</details>
# <details><summary>Hint 2</summary>Multiply component by component, then add up each row.</details>
# <details><summary>Hint 3</summary>In the standard error, n is the number of pairs, not of components.</details>

# %% tags=["exercise"]
def my_score_deviation(queries, keys):
    scores = ...  # (n,)
    deviation = ...
    error = ...
    return deviation, error


check("score_deviation", my_score_deviation)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def my_score_deviation(queries, keys):
#     scores = (queries * keys).sum(axis=1)  # (n,)
#     deviation = scores.std()
#     error = deviation / np.sqrt(2 * len(scores))
#     return deviation, error
# ```
# </details>
#
# ### Exercise 4 · `sigma_divisor`
#
# ●○○ · 5 minutes · The components of $q$ and $k$ have mean 0 and standard deviation $\sigma$, for example $\sigma = 2$. What must the scores be divided by, so that their standard deviation is 1?
#
# <details><summary>Hint 1</summary>Look up the variance of q·k in “When the assumption fails”.</details>
# <details><summary>Hint 2</summary>Divide by the standard deviation, the root of the variance.</details>
# <details><summary>Hint 3</summary>σ comes in once through q and once more through k.</details>

# %% tags=["exercise"]
def my_sigma_divisor(d_k, sigma):
    return ...


check("sigma_divisor", my_sigma_divisor)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def my_sigma_divisor(d_k, sigma):
#     return sigma**2 * np.sqrt(d_k)
# ```
#
# The variance is $d_k\, \sigma^4$; its root is $\sigma^2 \sqrt{d_k}$. At $\sigma = 1$ the usual root is back.
# </details>

# %% [markdown]
# ## Questions
#
# No hurry and no marks. Every wrong answer says why it is wrong, and you may try again.

# %%
quiz("lesson2")

# %%
score("lesson2")

# %% [markdown]
# ## Summary
#
# 1. With independent components of mean 0 and variance 1, $q \cdot k$ has variance $d_k$: it is $d_k$ variances of 1, added up.
# 2. Dividing by $\sqrt{d_k}$ leaves a standard deviation of 1 whatever $d_k$ is, so nothing starts out saturated. Dividing by $d_k$ flattens too much.
# 3. Without the division the typical query gets almost no gradient and a minority gets far too much. The values do not notice: no Jacobian stands in front of them.
# 4. It is the root of the number of terms added, the $d_k$ of each head. With another scale, or with correlation in common, the variance is $\operatorname{tr}(\Sigma_q \Sigma_k)$.
# 5. Dividing does not change which word wins. It changes the contrast.

# %% [markdown]
# ## Terms
#
# | English | Spanish | in one line |
# |---|---|---|
# | query | *consulta* | what a token asks, $q$ |
# | key | *clave* | what a token offers, to be found by, $k$ |
# | value | *valor* | what a token contributes if it is found, $v$ |
# | dot product | *producto escalar* | $q \cdot k = \sum_i q_i k_i$ |
# | scaled dot-product attention | *atención escalada* | attention with its division by $\sqrt{d_k}$ |
# | variance | *varianza* | the mean squared distance from the mean |
# | standard deviation | *desviación típica* | the root of the variance |
# | normal distribution | *normal* | the bell that comes of adding up many independent things |
# | covariance | *covarianza* | the mean of the product of two variables of mean 0 |
# | standard error | *error típico* | how much an estimate varies from one experiment to the next, as a standard deviation |
# | kurtosis | *curtosis* | how heavy the tails are; 3 for a normal distribution |
# | trace | *traza* | the sum of a matrix's diagonal |
#
# All the terms are in the [glossary](90_glossary.ipynb).

# %% [markdown]
# ## Sources
#
# - Vaswani et al. (2017), *Attention Is All You Need*, section 3.2.1 and note 4 (the division), section 3.4 (embeddings times $\sqrt{d_\text{model}}$).
# - Bishop and Bishop (2024), *Deep Learning: Foundations and Concepts*, section 12.1.5.
#
# **Next lesson:** [3 · Multi-head](03_multi_head.ipynb). Each query has one softmax, and that can say one thing. What if there are two things to say?

# %% tags=["colophon"]
from bloque.colophon import colophon

colophon(2)
