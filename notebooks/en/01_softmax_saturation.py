# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 1 · Softmax saturation
#
# [Español](../es/01_saturacion_softmax.ipynb) · about 24 minutes, exercises not included
#
# By the end you will be able to:
#
# - derive the slopes of softmax without skipping a step;
# - look at a few scores and say whether anything can still be learnt from them;
# - tell saturation from overflow: two faults, each with its own remedy.

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

from bloque import number, softmax, softmax_jacobian
from bloque.checks import check
from bloque.lessons import softmax_saturation as lesson
from bloque.quiz import quiz, score

# %% [markdown]
# ## The question
#
# In attention, every token (a word, or a piece of one) gives every token a score, itself included. Softmax turns the scores into weights: positive numbers that add up to 1.
#
# Now suppose that training has barely begun, and one score has already run away and taken nearly all the weight. The network has made up its mind before learning anything. If it is wrong, **can it still change its mind?**
#
# That takes a slope: move a score a little, and some weight has to move. In this lesson we measure the slope, derive it, and watch it vanish.
#
# Here is the function, for scores $z = (z_1, \dots, z_n)$:
#
# $$\operatorname{softmax}(z)_i = \frac{e^{z_i}}{\sum_j e^{z_j}}$$
#
# From here on, $p = \operatorname{softmax}(z)$. Look at the denominator: every score is in it. So each $p_i$ depends on the whole vector, and there is no such thing as “the softmax of $z_i$”. The next cell changes the last score and nothing else.

# %%
for scores in ([0, 1, 2], [0, 1, 4]):
    weights = softmax(scores)
    print("scores", scores, "→ weights", *(number(weight, 3) for weight in weights))

# %% [markdown]
# Only the last score went up, from 2 to 4, and all three weights changed. What one gains, the others lose.

# %% [markdown]
# ## Predict, then drag: does size hurt?
#
# A slope can be measured by pushing: move one score by a hair and see how far each weight goes. Three scores and three weights make nine slopes. The table that holds them is the **Jacobian**, $J$; in row $i$, column $j$ stands $\partial p_i / \partial z_j$.

# %%
def measured_jacobian(scores, step=1e-6):
    """Column j: how far each weight moves, per unit, when only score j is pushed."""
    scores = np.array(scores, dtype=float)
    pushes = step * np.eye(len(scores))  # row j: a push on score j alone
    return np.stack([(softmax(scores + push) - softmax(scores - push)) / (2 * step) for push in pushes], axis=1)


slopes = measured_jacobian([0, 1, 2])
for row in slopes:
    print(*(f"{number(slope, 4):>8}" for slope in row))
print("the steepest slope, max|J|:", number(np.abs(slopes).max(), 4))

# %% [markdown]
# For $(0, 1, 2)$ the steepest slope is 0.2227. Now add 500 to every score: $(500, 501, 502)$. **What will max|J| be?** Set your guess first, and only then drag.
#
# - Watch the bars as the added amount grows.
# - Watch whether the dot goes up, goes down, or stays.

# %%
lesson.shift()

# %% [markdown]
# Nothing moves. Adding $c$ to every score multiplies every exponential by $e^c$, above and below, and the fraction is what it was:
#
# $$\frac{e^{z_i + c}}{\sum_j e^{z_j + c}} = \frac{e^c\, e^{z_i}}{e^c \sum_j e^{z_j}} = \frac{e^{z_i}}{\sum_j e^{z_j}}$$
#
# So size does no harm. What flattens the slopes is the **differences** between the scores. A softmax is **saturated** when one weight is nearly 1 and all its slopes are nearly 0. Compare these four:

# %%
for scores in ([500, 500, 500], [0, 1, 2], [500, 501, 502], [0, 10, 20]):
    print(f"max|J| = {number(lesson.largest_slope(scores), significant=4):>7}  for {scores}")

# %% [markdown]
# Three scores of 500 leave a slope of 0.2222. Yet $(0, 10, 20)$, much smaller numbers, leaves 4.540e−5: that softmax is saturated, and hardly answers any more.

# %% [markdown]
# ## The derivation, step by step
#
# Let us find the formula behind those nine slopes. We take $z = (2, 1, 0)$, with the first score in the lead, and after each step a cell checks it with numbers.
#
# **Step 1. A name for the denominator.** Call it $S = \sum_j e^{z_j}$, and write the quotient as a product:
#
# $$p_1 = \frac{e^{z_1}}{S} = e^{z_1}\, S^{-1}$$
#
# Only one term of $S$ has $z_1$ in it. The others are constants while $z_1$ moves, and their derivative is 0:
#
# $$\frac{\partial S}{\partial z_1} = e^{z_1}$$

# %%
z = np.array([2.0, 1.0, 0.0])
push = np.array([1e-6, 0, 0])  # only z₁ moves
S = np.exp(z).sum()
measured = (np.exp(z + push).sum() - np.exp(z - push).sum()) / 2e-6
print("S       =", number(S, 4))
print("∂S/∂z₁ =", number(measured, 4), "measured with a push")
print("e^z₁    =", number(np.exp(z[0]), 4))

# %% [markdown]
# **Step 2. The product rule.** Both factors of $e^{z_1} S^{-1}$ depend on $z_1$. Differentiate one and leave the other alone, then the other way round.
#
# $$\frac{\partial p_1}{\partial z_1} = \underbrace{e^{z_1}\, S^{-1}}_{\text{from } e^{z_1}} + \underbrace{e^{z_1} \cdot \left(-S^{-2}\right) \frac{\partial S}{\partial z_1}}_{\text{from } S^{-1}}$$
#
# The derivative of $S^{-1}$ is $-S^{-2}$ times the derivative of what is inside: the chain rule. Now put in step 1, $\partial S / \partial z_1 = e^{z_1}$:
#
# $$\frac{\partial p_1}{\partial z_1} = \frac{e^{z_1}}{S} - \frac{e^{z_1}\, e^{z_1}}{S^2} = p_1 - p_1^2 = p_1\,(1 - p_1)$$

# %%
first = np.exp(z[0]) / S  # from e^z₁
second = -np.exp(z[0]) * np.exp(z[0]) / S**2  # from S⁻¹
p = softmax(z)
print("the two terms:", number(first, 5), "and", number(second, 5))
print("their sum:    ", number(first + second, 5))
print("p₁ (1 − p₁):  ", number(p[0] * (1 - p[0]), 5))
print("by pushing:   ", number(measured_jacobian(z)[0, 0], 5))

# %% [markdown]
# **Step 3. Read it.** The slope depends on the weight alone. It is a parabola in $p_1$: 0 at both ends and highest in the middle, because its derivative, $1 - 2 p_1$, is 0 at $p_1 = 0.5$.

# %%
for weight in (0.001, 0.5, 0.9, 0.99, 1):
    print(f"p₁ = {weight:<5}   slope p₁ (1 − p₁) = {weight * (1 - weight):.4g}")

# %% [markdown]
# The slope is never more than 0.25. At $p_1 = 0.99$ it is 0.0099. At $p_1 = 1$ it is 0: the weight no longer listens to its score. The other end is no better: a weight that is almost 0 does not answer either.
#
# **Step 4. Off the diagonal.** What if another score moves, say $z_2$? Then $e^{z_1}$ is a constant and only the second term remains, with $\partial S / \partial z_2 = e^{z_2}$:
#
# $$\frac{\partial p_1}{\partial z_2} = e^{z_1} \cdot \left(-S^{-2}\right) e^{z_2} = -\frac{e^{z_1}}{S}\,\frac{e^{z_2}}{S} = -p_1\, p_2$$
#
# It is negative: when $z_2$ goes up, $p_1$ goes down.

# %%
print("−p₁ p₂:    ", number(-p[0] * p[1], 5))
print("by pushing:", number(measured_jacobian(z)[0, 1], 5))

# %% [markdown]
# **Step 5. The whole table.** Nothing so far depended on the indices being 1 and 2. For any $i$ and $j$, where $\delta_{ij}$ is 1 if $i = j$ and 0 if not:
#
# $$\frac{\partial p_i}{\partial z_j} = p_i\,(\delta_{ij} - p_j) \qquad\text{or, all at once,}\qquad J = \operatorname{diag}(p) - p\, p^{\mathsf T}$$
#
# Three properties can be read off this form:
#
# - **it is symmetric**, since $p_i p_j = p_j p_i$;
# - **every row adds up to 0**: $p_i - p_i \sum_j p_j = p_i - p_i = 0$. That is the earlier rule again: pushing all scores together changes nothing;
# - **its rank is $n - 1$** when all weights are positive. If $J v = 0$, then $p_i\,(v_i - p \cdot v) = 0$ for every $i$, so all the $v_i$ are the same number. That one direction is all that is lost.

# %%
J = softmax_jacobian(p)
print("distance from the table made by pushing:", number(np.abs(J - measured_jacobian(z)).max(), 6))
print("symmetric:", np.array_equal(J, J.T))
print("sums of the rows:", *(number(total, 6) for total in J.sum(axis=1)))
print("rank:", np.linalg.matrix_rank(J), "with n =", len(p))

# %% [markdown]
# ## Drag the scale
#
# Here you multiply every score by the same number, so the differences between them grow. You can type scores of your own.
#
# - Watch the middle panel: the curve of $p_1$ always has the same shape. What changes is where on it you stand, and how flat the tangent lies.
# - Watch the right one: from some scale on, the steepest slope falls without end. The axis is logarithmic, so each mark is many times smaller than the one above.
# - Type three equal scores and move the scale. What do you expect?

# %%
lesson.saturation()

# %% [markdown]
# ## A map of all the slopes
#
# Take a saturated softmax, $p = (0.001, 0.998, 0.001)$. These are its nine slopes:

# %%
for row in softmax_jacobian([0.001, 0.998, 0.001]):
    print(*(f"{number(slope, 6):>10}" for slope in row))

# %% [markdown]
# The largest is 0.001996, more than a hundred times below the most a slope can be. **All** the entries fade at once. Each is $p_i$ times $1 - p_i$, or $p_i$ times $p_j$, and one of the two factors is always small.
#
# Below, colour shows the size, and the number carries the sign.
#
# - Look at the diagonal: positive. Everything off it is negative.
# - Add up a row in your head. It comes to 0, but for rounding.
# - Raise the scale and see which entries are the last to fade.

# %%
lesson.jacobian()

# %% [markdown]
# ## Predict, then drag: how fast does it fade?
#
# Now one score is ahead of seven others, which are tied at 0. Call its lead the gap, $c$. At $c = 0$ all eight weights are equal.
#
# **How far ahead must it be for its slope to fall below one thousandth?** Set your guess, then drag.
#
# - Watch the beginning: the slope first goes up. How far?
# - Watch the right panel, with its logarithmic axis: after the bend comes a straight line.
# - Change $k$, the number of scores. The line shifts; its incline stays.

# %%
lesson.gap()

# %% [markdown]
# The calculation is short. With one score $c$ and the other $k - 1$ equal to 0:
#
# $$p = \frac{e^c}{e^c + (k-1)} \qquad 1 - p = \frac{k-1}{e^c + (k-1)} \approx (k-1)\, e^{-c}$$
#
# The approximation holds once $e^c$ is much larger than $k - 1$, that is, with $c$ well past $\ln(k-1)$. There $p \approx 1$, so the slope $p\,(1-p)$ is close to $(k-1)\,e^{-c}$ as well. In natural logarithms that is a straight line:
#
# $$\ln\bigl(p\,(1-p)\bigr) \approx \ln(k-1) - c$$
#
# Each extra unit of lead divides the slope by $e$. See the last column:

# %%
print("    gap       slope   divided by")
previous = None
for gap in range(0, 13, 1):
    slope = lesson.gap_slope(gap, 8)
    print(f"{gap:>7}   {number(slope, significant=3):>9}   {number(previous / slope, 3) if previous else ''}".rstrip())
    previous = slope

steepest = np.log(8 - 1)
incline = np.log(lesson.gap_slope(12, 8) / lesson.gap_slope(11, 8))
print("highest:", number(lesson.gap_slope(steepest, 8), 2), "at a gap of", number(steepest, 2))
print("below 0.001 from a gap of", number(lesson.gap_where(1e-3, 8), 2))
print("incline:", number(incline, 3), "in natural logarithms,", number(incline / np.log(10), 3), "in base ten")

# %% [markdown]
# The slope starts by rising: it reaches 0.25 at a gap of 1.95, which is $\ln 7$, just where $p = \tfrac12$. Then it falls. At 8.85 it passes below the thousandth, and by the end each unit divides it by 2.718.
#
# That is a straight line of slope −1.000 in natural logarithms. Plot it in base ten and the same line has −0.434: the law is the same, and only the scale it is drawn on differs.

# %% [markdown]
# ## Overflow is another matter
#
# A different problem is often mixed up with this one. The exponential of a large number does not fit in the computer's numbers. Write the formula as it stands, and $(1000, 1001, 1002)$ breaks it:

# %%
def naive_softmax(scores):
    exponentials = np.exp(scores)
    return exponentials / exponentials.sum()


scores = np.array([1000.0, 1001.0, 1002.0])
with np.errstate(over="ignore", invalid="ignore"):  # we know what NumPy would warn of
    broken = naive_softmax(scores)
print("as it stands:         ", *(number(weight, 5) for weight in broken))
print("maximum subtracted:   ", *(number(weight, 5) for weight in naive_softmax(scores - scores.max())))
print("that of (0, 1, 2):    ", *(number(weight, 5) for weight in softmax([0, 1, 2])))
print("e^z fits up to z =    ", number(np.log(np.finfo(float).max), 1))
print("max|J| of (0, 10, 20):", number(lesson.largest_slope([0, 10, 20]), significant=3))

# %% [markdown]
# Subtracting the maximum mends it, and you know why no weight changes: only differences count. Out come the same 0.09003, 0.24473 and 0.66524 as for $(0, 1, 2)$.
#
# But that subtraction **does nothing about saturation**. $(0, 10, 20)$ overflows nothing, and its steepest slope is 4.54e−5. Two faults, two remedies:
#
# | | overflow | saturation |
# |---|---|---|
# | what fails | the exponential does not fit | the slope all but vanishes |
# | when | large scores | large differences |
# | how you notice | out comes NaN | the weights look fine, but nothing is learnt |
# | remedy | subtract the maximum | make the differences smaller (lesson 2) |

# %% [markdown]
# ## Temperature and entropy
#
# If multiplying by a scale widens the differences, dividing narrows them. The divisor is called the **temperature**, $\tau$:
#
# $$p = \operatorname{softmax}(z / \tau)$$
#
# How far the weight is spread is measured by the **entropy**, $H = -\sum_i p_i \ln p_i$. It is 0 when a single score takes everything and $\ln n$ when all $n$ have equal shares.
#
# - Watch the ends: with a tiny $\tau$ only the maximum is left (*argmax*); with a huge $\tau$ all shares are equal.
# - Watch the order of the bars. It never changes; the contrast does.
# - Type a tie in the lead, say `0 2 2`, and lower the temperature. Where does the entropy go now?

# %%
lesson.temperature()

# %% [markdown]
# ## Then why does a classifier learn?
#
# A classifier ends in a softmax, too, and that one is often saturated. Why does it not get stuck when it is wrong?
#
# Because of its loss. Cross-entropy is $L = -\ln p_y$, where $y$ is the right class. Since $p_y = e^{z_y} / S$,
#
# $$L = -z_y + \ln S \qquad \frac{\partial \ln S}{\partial z_i} = \frac{e^{z_i}}{S} = p_i \qquad\Longrightarrow\qquad \frac{\partial L}{\partial z} = p - y$$
#
# (in the last one, $y$ is the vector with a 1 at the right class and 0 elsewhere). The logarithm has undone the exponential, and no factor is left that could fade.
#
# With squared error, $L = \tfrac12 \lVert p - y \rVert^2$, nothing undoes it. The chain rule leaves the Jacobian in the way:
#
# $$\frac{\partial L}{\partial z} = J\,(p - y)$$
#
# The cell compares both gradients for a classifier that is very sure **and wrong**. The margin is how far the score of the right class is ahead of the other two; below 0 it is behind.

# %%
target = np.array([1.0, 0.0, 0.0])
for margin in (0, -5, -10):
    weights = softmax([margin, 0, 0])
    cross_entropy = weights - target
    squared_error = softmax_jacobian(weights) @ (weights - target)
    print(f"margin {number(margin):>3}: p₁ = {number(weights[0], significant=3)}", end=" · ")
    print("∂L/∂z₁:", number(cross_entropy[0], 4), "with cross-entropy,", number(squared_error[0], significant=3), "with squared error")

# %% [markdown]
# At a margin of −10 the right class is left with next to no weight. Cross-entropy pulls on its score as hard as it can, −1.0000. Squared error hardly pulls, −3.40e−5: it is wrong and does not learn.
#
# - Look at the left of the third panel (very sure, and wrong): one line stays up, the other sinks.
# - Look at the right (very sure, and right): both go down, as they should.

# %%
lesson.losses()

# %% [markdown]
# **Inside attention nothing undoes the exponential.** The weights do not go into a logarithm: they multiply the values, and the products are added. The gradient on its way back to the scores always goes through $J$. If $J$ is almost 0, queries and keys get almost no gradient, however wrong the network may be. That is why the differences between scores need watching, and it is what lesson 2 is about.

# %% [markdown]
# ## Frequent mistakes
#
# - **Blaming size.** Scores saturate softmax when they differ by a lot, not when they are large. Add the same to all of them and look.
# - **Using only $p_i\,(1 - p_i)$.** That is the diagonal. Leave out the $-p_i p_j$ and the rows of $J$ no longer add up to 0; the gradient is wrong, and no error is raised.
# - **“I subtract the maximum, so there is no saturation.”** Subtracting the maximum avoids overflow. The weights, and hence the slopes, are the same.
# - **Subtracting a maximum that is not the row's own.** With $\max(0, \max z)$, very negative scores give 0/0. With the maximum of the whole matrix, a row far below it becomes 0/0 as well.
# - **The wrong axis.** The result has the same shape and no error is raised. To see it, add up the rows:

# %%
scores = np.array([[0.0, 1.0, 2.0], [3.0, 1.0, 1.0]])
print("sums of the rows, last axis:", *(number(total, 3) for total in softmax(scores).sum(axis=-1)))
print("sums of the rows, axis 0:   ", *(number(total, 3) for total in softmax(scores, axis=0).sum(axis=-1)))

# %% [markdown]
# With the wrong axis the rows no longer add up to 1: the columns do so instead.

# %% [markdown]
# ## Exercises
#
# Replace each `...` by your expression and run the cell. The check says which known mistake yours looks like.

# %% [markdown]
# ### Exercise 1 · softmax
#
# ●○○ · 6 minutes · Write a softmax that survives any scores: huge ones, very negative ones, $-\infty$ among them. Work along the last axis, so that it serves for a vector and for a matrix.
#
# <details><summary>Hint 1</summary>
#
# What may you subtract from all the scores of a row without changing a weight?
#
# </details>
# <details><summary>Hint 2</summary>
#
# The maximum of each row, not that of the whole matrix.
#
# </details>
# <details><summary>Hint 3</summary>
#
# `keepdims=True` keeps the axis, so that the subtraction and the division fit row by row.
#
# </details>

# %% tags=["exercise"]
def my_softmax(scores):
    scores = np.asarray(scores, dtype=float)
    largest = ...
    exponentials = np.exp(scores - largest)
    return ...


check("softmax", my_softmax)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def my_softmax(scores):
#     scores = np.asarray(scores, dtype=float)
#     largest = scores.max(axis=-1, keepdims=True)
#     exponentials = np.exp(scores - largest)
#     return exponentials / exponentials.sum(axis=-1, keepdims=True)
# ```
#
# Once it passes, drag it: `lesson.saturation(softmax=my_softmax)` in a new cell.
# </details>

# %% [markdown]
# ### Exercise 2 · The Jacobian
#
# ●●○ · 8 minutes · It takes the weights $p$ (a vector) and returns the matrix $J$ of all the slopes.
#
# <details><summary>Hint 1</summary>
#
# On the diagonal stands $p_i - p_i^2$, off it $-p_i p_j$. What do they share?
#
# </details>
# <details><summary>Hint 2</summary>
#
# The term $-p_i p_j$ is in every entry; the diagonal has a $p_i$ on top.
#
# </details>
# <details><summary>Hint 3</summary>
#
# Look at `np.diag` and `np.outer`.
#
# </details>

# %% tags=["exercise"]
def my_jacobian(weights):
    weights = np.asarray(weights, dtype=float)
    diagonal = ...
    products = ...
    return diagonal - products


check("softmax_jacobian", my_jacobian)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def my_jacobian(weights):
#     weights = np.asarray(weights, dtype=float)
#     diagonal = np.diag(weights)
#     products = np.outer(weights, weights)
#     return diagonal - products
# ```
# </details>

# %% [markdown]
# ### Exercise 3 · The temperature
#
# ●●● · 12 minutes · Given some scores and the weight you want for the largest, find the temperature that does it. In general there is no formula, so search by halves: try the midpoint each time round, and keep the half that holds the answer.
#
# <details><summary>Hint 1</summary>
#
# As the temperature goes up, the largest weight always goes down. If the weight is too large, what does that say about the temperature?
#
# </details>
# <details><summary>Hint 2</summary>
#
# If the largest weight is above the wanted one, it has to be hotter: the answer lies above the midpoint.
#
# </details>
# <details><summary>Hint 3</summary>
#
# The midpoint is the root of the product because temperatures go by factors: between a millionth and a million the middle is 1.
#
# </details>

# %% tags=["exercise"]
def my_temperature(scores, wanted):
    scores = np.asarray(scores, dtype=float)
    low, high = 1e-6, 1e6
    for _ in range(100):
        middle = np.sqrt(low * high)
        weight = ...
        if weight > wanted:
            low = ...
        else:
            high = ...
    return middle


check("temperature", my_temperature)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def my_temperature(scores, wanted):
#     scores = np.asarray(scores, dtype=float)
#     low, high = 1e-6, 1e6
#     for _ in range(100):
#         middle = np.sqrt(low * high)
#         weight = softmax(scores / middle).max()
#         if weight > wanted:
#             low = middle
#         else:
#             high = middle
#     return middle
# ```
# </details>

# %% [markdown]
# ### Exercise 4 · The scale that saturates
#
# ●●○ · 10 minutes · By which number must some scores be multiplied for their steepest slope to come down exactly to `slope`? The largest score is unique, so the slope does come down to 0 in the end. It is the same search, now over the scale and looking at max|J|.
#
# <details><summary>Hint 1</summary>
#
# You need two pieces that you have: the weights of the multiplied scores, and their Jacobian.
#
# </details>
# <details><summary>Hint 2</summary>
#
# The steepest slope is the largest absolute value of the matrix: some entries are negative.
#
# </details>
# <details><summary>Hint 3</summary>
#
# If the slope is still above the one you want, the scale is not large enough.
#
# </details>

# %% tags=["exercise"]
def my_saturation_scale(scores, slope):
    scores = np.asarray(scores, dtype=float)
    low, high = 1e-6, 1e6
    for _ in range(100):
        middle = np.sqrt(low * high)
        steepest = ...
        if steepest > slope:
            low = ...
        else:
            high = ...
    return middle


check("saturation_scale", my_saturation_scale)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def my_saturation_scale(scores, slope):
#     scores = np.asarray(scores, dtype=float)
#     low, high = 1e-6, 1e6
#     for _ in range(100):
#         middle = np.sqrt(low * high)
#         steepest = np.abs(softmax_jacobian(softmax(middle * scores))).max()
#         if steepest > slope:
#             low = middle
#         else:
#             high = middle
#     return middle
# ```
#
# The slope may rise first and fall later. That does no harm: a value below where it starts is crossed only once, on the way down.
# </details>

# %% [markdown]
# ## Questions
#
# No hurry and no marks. Every wrong answer says why it is wrong, and you may try again.

# %%
quiz("lesson1")

# %%
score("lesson1")

# %% [markdown]
# ## Summary
#
# 1. A weight answers its own score with slope $p_i(1 - p_i)$ and the others with $-p_i p_j$: $J = \operatorname{diag}(p) - p\,p^{\mathsf T}$.
# 2. Only differences count. Scores that are huge but alike saturate nothing.
# 3. Once one score is well ahead, each extra unit of lead divides the slope by $e$.
# 4. Subtracting the maximum avoids overflow. It does not avoid saturation.
# 5. Cross-entropy cancels the Jacobian. Inside attention nothing does.

# %% [markdown]
# ## Terms
#
# | English | Spanish | in one line |
# |---|---|---|
# | score | *puntuación* | what goes into softmax, $z_i$ |
# | weight | *peso* | what comes out, $p_i$: positive, and all add up to 1 |
# | saturation | *saturación* | one weight is nearly 1 and every slope nearly 0: one score is far ahead of the rest |
# | Jacobian | *jacobiano* | the table of all the slopes |
# | gradient | *gradiente* | the derivatives of the loss; they point where it rises most |
# | overflow | *desbordamiento* | a number that does not fit in the computer |
# | temperature | *temperatura* | what the scores are divided by |
# | entropy | *entropía* | how far the weight is spread |
# | cross-entropy | *entropía cruzada* | the loss $-\ln p_y$ |
#
# All the terms are in the [glossary](90_glossary.ipynb).

# %% [markdown]
# ## Sources
#
# - Bishop and Bishop (2024), *Deep Learning: Foundations and Concepts*, section 12.1.5: why the scores of attention are scaled.
# - Vaswani et al. (2017), *Attention Is All You Need*, section 3.2.1: the suspicion that softmax ends up where its gradient is very small.
#
# **Next lesson:** [2 · Why √d_k](02_sqrt_dk.ipynb). You know that large differences saturate. Now: where they come from, and why they grow with the dimension.

# %% tags=["colophon"]
from bloque.colophon import colophon

colophon(1)
