# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 6 · Make it learn
#
# [Español](../es/06_que_aprenda.ipynb) · about 28 minutes, exercises not included
#
# By the end you will be able to:
#
# - train a Transformer in NumPy with its exact gradient, and check that gradient;
# - watch attention learn to search, and say at which step it happens;
# - test three claims, about $\sqrt{d_k}$, residual connections and warm-up, and say how far they hold.

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
# ## The question
#
# For five lessons the matrices of our blocks have held random numbers, but for the trained model of lessons 3 and 5. And for each part we gave a reason that had to do with learning: the division by $\sqrt{d_k}$ keeps softmax from saturating, the residual connection lets the gradient through, the norm in front leaves that path clear.
#
# **Does the block learn, and does it still learn when one of those parts is missing?** We train it, look inside while it trains, and take the parts away one by one. All of it is NumPy.

# %% [markdown]
# ## The task: what came next
#
# The task must be one that cannot be solved without attention. This one fits in a sentence: **what came after this token the last time it appeared?**
#
# Each sequence begins with tokens that are all different. Then it repeats a piece of the beginning, copied from a place that changes from one sequence to the next. In the repeated part you can know what comes now: find the present token further back, and read the one after it. Counting positions is no use, because the distance between the piece and its copy changes from sequence to sequence.
#
# The sequences of one training step are a **batch**. The cell draws a batch and prints two of its sequences, each token as a number; the dots mark where the copy starts. `tokens`, `targets` and `asked` have shape (batch, n): the token at each position, the token that comes next, and whether that can be known.

# %%
training = Training(ModelSettings(), seed=0)
batch = training.new_batch()
for tokens, asked in zip(batch.tokens[:2], batch.asked[:2], strict=True):
    print(*tokens[~asked], "···", *tokens[asked])

# %% [markdown]
# The library has that rule as a function, `induction_answer`, with nothing to learn in it. The cell prints how often the rule is right at the positions that are asked, and how often somebody who picks at random would be.

# %%
rule = induction_answer(batch.tokens)  # (batch, n)
print("the rule is right:", number(float((rule == batch.targets)[batch.asked].mean()), 2))
print("at random:        ", number(1 / training.settings.vocabulary, 4))

# %% [markdown]
# ## The model
#
# There is no new piece. An embedding, plus the positional encoding; two blocks with a causal mask and pre-norm; a final norm; and a matrix that turns each row into one score for each token of the vocabulary. The scores that go into this last softmax are called **logits**.
#
# One block is not enough. To find the token that came next, each position must first have written down which token stands before it, and only then can another attention search for that. It takes two attentions, one after the other.
#
# The cell counts the parameters and shows the shape of what comes out. `kept` holds what the way back will need.

# %%
logits, kept = model_forward(batch.tokens, training.parameters, training.settings)
print("parameters:", number(training.flat.size))
print("tokens", batch.tokens.shape, "→ logits", logits.shape)

# %% [markdown]
# ## The loss and its gradient
#
# The loss is the cross-entropy of lesson 1: the mean of $-\ln p$ of the right token over the $M$ positions that are asked. Here $z$ are the logits, $p$ their softmax, and $y$ has a 1 at the right token and 0 elsewhere. A model that gives every token of the vocabulary the same weight has the logarithm of the size of the vocabulary as its loss.
#
# $$L = -\frac{1}{M} \sum_{\text{asked}} \ln p_{\text{right}}, \qquad \frac{\partial L}{\partial z} = \frac{p - y}{M}$$
#
# Compare the loss at the start with that logarithm. It starts above: with random matrices $p$ is uneven, and an uneven guess that knows nothing costs more than an even one.

# %%
loss, by_logits = cross_entropy(logits, batch)
print("loss at the start:      ", number(loss, 1))
print("logarithm of the size:  ", number(np.log(training.settings.vocabulary), 2))

# %% [markdown]
# And the gradient is $p - y$, as in lesson 1, divided by the number of positions asked. The cell computes it by hand and compares it with the library's; the difference must be 0, but for rounding. Two phrases of NumPy help:
#
# - `np.eye(vocabulary)[targets]` takes, for each target, that row of the identity: a 1 at the right token;
# - `batch.asked[..., None]` gives `asked` one more axis, of size 1, at the end. From (batch, n) it becomes (batch, n, 1), so it multiplies the whole row of $p - y$ at each position: by 1 where it is asked and by 0 where it is not.

# %%
y = np.eye(training.settings.vocabulary)[batch.targets]  # (batch, n, vocabulary)
by_hand = (softmax(logits) - y) * batch.asked[..., None] / batch.asked.sum()
print("the same gradient:", bool(np.abs(by_hand - by_logits).max() < 1e-7))

# %% [markdown]
# ## The whole gradient, and how to check it
#
# The gradient goes back the way the numbers came: through the output matrix, the final norm and, in each block, the position-wise network and the attention. Each piece has a backward pass of its own in the library, written by hand from derivations like those of lessons 1, 2 and 4. Nothing is differentiated automatically.
#
# How do we know it is right? Push **all** the parameters at once, in a random direction $v$: by $h v$, with a tiny $h$. The loss must change by $h\, \nabla L \cdot v$. For that, `flattened` lays all the parameters out in one long vector, and `unflattened` undoes it. The cell measures the change over $h$ in float64 and compares. Look at how many digits agree.

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
print("backwards:", number(float(gradient @ direction), significant=6))
print("measured: ", number(measured, significant=6))

# %% [markdown]
# ## Adam
#
# Gradient descent moves each parameter in proportion to its gradient, and here gradients come in very different sizes. Adam keeps two running means for each parameter, one of the gradient and one of its square, and divides the first by the root of the second:
#
# $$m \leftarrow \beta_1 m + (1 - \beta_1)\, g, \qquad v \leftarrow \beta_2 v + (1 - \beta_2)\, g^2, \qquad \theta \leftarrow \theta - \text{rate} \cdot \frac{\hat m}{\sqrt{\hat v} + \varepsilon}$$
#
# Here $g$ is the gradient of one parameter, $\theta$. The hats, $\hat m = m/(1 - \beta_1^t)$ and $\hat v = v/(1 - \beta_2^t)$, correct the start: the means begin at 0, so at first they are too small. $t$ is the step, counted from 1. (This $v$ belongs to Adam; it is not the direction of the section before.)
#
# The cell takes a first step with three gradients of very different sizes. Look at how far each parameter moves.

# %%
parameters = np.zeros(3)
moved, state = adam_step(parameters, np.array([1e-4, -1.0, 1e4]), adam_start(parameters), rate=0.01)
print("they move:", *(number(float(each), 3) for each in moved))

# %% [markdown]
# All by the same amount: on the first step only the sign counts. That has a good side: parameters with a small gradient move too. And it has a risk: the first gradient comes from one batch and a random model, and Adam moves every parameter by the whole rate, however unsure that gradient is.

# %% [markdown]
# ## Warm-up
#
# Hence **warm-up**: begin with a tiny learning rate and raise it little by little. The paper's rises in a straight line and then falls like one over the root of the step:
#
# $$\text{rate} = d_{\mathrm{model}}^{-1/2} \cdot \min\!\left(t^{-1/2},\; t \cdot w^{-3/2}\right)$$
#
# where $t$ is the step and $w$ the number of warm-up steps. Our trainings are short and use a simpler one: it rises in a straight line and stays at the top.
#
# - Shorten the warm-up: the peak comes sooner, and it is higher.
# - Change $d_{\mathrm{model}}$: a wider model gets smaller rates.

# %%
lesson.schedule()

# %% [markdown]
# ## A short training, for real
#
# A training step is: a new batch, forward, loss, backward, Adam. The cell trains a smaller version, with 8 tokens in the vocabulary and sequences of 12, for a few seconds. See whether it answers most questions right on sequences that it has never seen.

# %%
small = Training(ModelSettings(vocabulary=8, n=12, d_model=48, d_ff=96), peak=5e-3, warm_up_steps=30, seed=0)
before = small.evaluate()[1]
small.run(220)
print("mostly right, before:", bool(before > 0.75))
print("mostly right, after: ", bool(small.evaluate()[1] > 0.75))

# %% [markdown]
# And the larger task, that of the first section? Is it learnt every time, or does that depend on the seed? These are the final accuracies of five stored trainings, each from a seed of its own.

# %%
plain = lesson.stored_runs()["plain"]
print("final accuracies:", *(number(float(each), 2) for each in plain.final))
print("above 0.9:", int((plain.final > 0.9).sum()), "/", len(plain.final))

# %% [markdown]
# ## Train it yourself
#
# Press the button. While it trains you can read on and move the other figures; stop it when you like, and resume it later from where it was.
#
# - Accuracy stays flat for a good part of the training.
# - Then it climbs steeply. Look at the maps just then.
# - The circles mark where the answer to each question stands.

# %%
lesson.live()

# %% [markdown]
# ## Predict, then drag: when does accuracy rise?
#
# The same training, stored, to walk through at leisure. **At which step do you think accuracy will pass one half?** Guess first, drag second.
#
# - Before the climb, both heads of the first block look a little everywhere.
# - During the climb, a head of the first block draws a line beside the diagonal: it looks at the token before.
# - At the same time, in the second block the weight moves into the circles.

# %%
lesson.forming()

# %% [markdown]
# Nobody wrote this rule into the matrices. The first block copies to each position the token **before** it. The second searches, with the present token as its query, for a position whose token before is that one, and fetches what stands there: the token that came next. In the literature the second of these heads is an *induction head* (Olsson et al. 2022), and language models have such heads too.
#
# The cell says it in numbers, at the start and at the end: how much weight each block, with its best head, puts where it should.

# %%
stored = lesson.stored_forming()
for point in (0, -1):
    previous, answer = stored.previous[point, 0].max(), stored.answer[point, 1].max()
    print("step", f"{stored.steps[point]:>3}:", "block 1 on the token before", number(float(previous), 2), "· block 2 on the answer", number(float(answer), 2))

# %% [markdown]
# ## Claim 1: without ÷ √d_k it learns later, or not at all
#
# Lesson 2 ended with this: without the division most queries get almost no gradient, and a minority gets too much. Now we train both ways. A single wide head, so that $d_k$ is large; five seeds with the division and five without; all else equal. The thick line is the median, the thin ones are the seeds.
#
# - Take the step to the middle: by then, how accurate is the model with the division?
# - See whether any seed without the division rises.

# %%
lesson.scale()

# %% [markdown]
# Here the claim holds for all five seeds: in the same number of steps, with the division the task is solved, and without it accuracy gets no further than 0.12, where chance is 0.0625. That does not show that it would **never** learn: training could shrink $W^Q$ and $W^K$ until the scores are small enough. It shows that 500 steps are not enough. The cell gives the final medians.

# %%
for arm in ("scaled", "unscaled"):
    runs = lesson.stored_runs()[arm]
    d_k = runs.arm.settings.d_model // runs.arm.settings.heads
    print(f"d_k = {d_k},", "÷ √d_k:" if runs.arm.settings.scaled else "no ÷:  ", lesson.spread(runs.final))

# %% [markdown]
# ## Claim 2: twelve blocks without residual connections do not learn
#
# Twelve blocks now. Lesson 4 measured, with random matrices and no norm, that without the sum the derivative shrinks layer by layer. Does it matter in training, with a norm, and with Adam, which enlarges small gradients? **Guess: how accurate is the stack at the end without residual connections?**

# %%
lesson.residual()

# %% [markdown]
# All five seeds stay at the level of chance. The cell gives the final medians.

# %%
for arm in ("pre_warm", "no_residual"):
    runs = lesson.stored_runs()[arm]
    print("with residual:   " if runs.arm.settings.residual else "without residual:", lesson.spread(runs.final))

# %% [markdown]
# Why? Lesson 4 gives a hint: without the sum, each attention averages the rows, and averages of averages end up the same. The cell looks at the model before any training: how alike the rows are when they leave the twelve blocks, by the mean cosine over all pairs of rows, each row with itself included. At 1 all of them point the same way. (`{**vars(deep), "residual": residual}` copies the settings and changes one.)

# %%
deep = lesson.stored_runs()["no_residual"].arm.settings
for residual in (True, False):
    fresh = Training(ModelSettings(**{**vars(deep), "residual": residual}), seed=0)
    rows = model_forward(fresh.new_batch().tokens, fresh.parameters, fresh.settings)[1].stream  # (batch, n, d_model)
    rows = rows / np.linalg.norm(rows, axis=-1, keepdims=True)
    cosines = rows @ rows.swapaxes(-1, -2)  # (batch, n, n)
    print("with residual:   " if residual else "without residual:", number(float(cosines.mean()), 1))

# %% [markdown]
# When all the rows leave alike, the output says the same at every position. That is where training starts without residual connections, and in 800 steps its accuracy never left chance.

# %% [markdown]
# ## Claim 3: deep post-norm wants warm-up, pre-norm does not
#
# Twelve blocks again, with their residual connections. Four ways: pre-norm or post-norm, and with warm-up or at the full rate from the first step.
#
# - Compare the two pre-norms with each other. Does the warm-up make a difference?
# - Compare the two post-norms. Does it here?
# - Now the best post-norm against the worst pre-norm.

# %%
lesson.warm_up()

# %%
for arm in ("pre_warm", "pre_cold", "post_warm", "post_cold"):
    runs = lesson.stored_runs()[arm]
    print(f"{runs.arm.settings.norm:>4}-norm,", f"warm-up steps {runs.arm.warm_up_steps:>3}:", lesson.spread(runs.final))

# %% [markdown]
# The claim holds in part. Pre-norm does not need the warm-up. Post-norm learns more with it, but without it, it learns something too. And the larger difference is another one: **in the same number of steps, pre-norm gets much further either way**. In larger models and at higher rates, post-norm without warm-up can fail outright (Xiong et al. 2020); this small model, at this rate, does not.

# %% [markdown]
# ## The gradient that arrives
#
# What does the gradient do meanwhile? Choose which part is compared, and walk through the steps.
#
# - *Residual connection*, at the start: how far apart are the two lines? Each block normalises what it gets; on the way back, that divides the gradient by the deviation of the rows, and so enlarges it where they are small.
# - The same, at the end: where is the line without residual connections?
# - *Pre-norm instead of post-norm*: at the start, see which way each line leans.

# %%
lesson.arriving()

# %% [markdown]
# Here, without residual connections, the gradient is **not** tiny at the start: it shrinks **during** the training. In the stack of lesson 4, without a norm, it was tiny from the start. The cell sums it up: the median of the gradient that arrives at the first block, at the start and at the end.

# %%
for arm in ("pre_warm", "no_residual"):
    runs = lesson.stored_runs()[arm]
    start, end = (float(np.median(runs.arriving[:, point, 0])) for point in (0, -1))
    print("with residual:   " if runs.arm.settings.residual else "without residual:", number(start, significant=2), "→", number(end, significant=2))

# %% [markdown]
# ## Frequent mistakes
#
# - **Training on every position.** The first part of a sequence is random and cannot be predicted, so the loss keeps a floor. To see it: the loss stops far above 0 while accuracy on what can be known is good.
# - **Forgetting Adam's hats.** The first steps come out too large or too small, depending on the two β. To see it: take one step and compare it with the rate.
# - **Counting steps from 0.** With warm-up, the first step moves nothing; with the hats, it divides by 0. To see it: NaN on the first step.
# - **Measuring on the batch just learned from.** To see it: accuracy drops on new sequences.
# - **A single seed.** If the order of two ways depends on the seed, they have not been told apart. To see it: repeat with five and look at the spread.
# - **Watching the loss alone.** It may go on falling long after accuracy has reached 1. To see it: draw both.

# %% [markdown]
# ## Exercises
#
# Replace each `...` by your expression and run the cell. The check says which known mistake yours looks like.
#
# ### Exercise 1 · `adam_step`
#
# ●●○ · 8 minutes · One step of Adam with $\beta_1 = 0.9$, $\beta_2 = 0.98$ and $\varepsilon = 10^{-9}$. You are given the two means from before the step, `mean` and `square`; `step` counts from 1. Return the new parameters and the two new means.
#
# <details><summary>Hint 1</summary>First bring the two means up to date; then correct them for their start at 0; then move.</details>
# <details><summary>Hint 2</summary>Each mean keeps a β of what it was and adds 1 − β of the new: one of the gradient, the other of its square.</details>
# <details><summary>Hint 3</summary>The hats divide by `1 - beta**step`, each with its own β. What you return are the means without hats.</details>

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
# <details><summary>Solution</summary>
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
# ### Exercise 2 · `paper_schedule`
#
# ●○○ · 5 minutes · The paper's learning rate, equation 3: the formula is under “Warm-up”. `step` counts from 1.
#
# <details><summary>Hint 1</summary>Two curves, one that rises and one that falls. Which holds at step 1?</details>
# <details><summary>Hint 2</summary>At each step the lower one holds, and they meet where the warm-up ends.</details>
# <details><summary>Hint 3</summary>In Python, `x**-0.5` is one over the root of x.</details>

# %% tags=["exercise"]
def my_paper_schedule(step, d_model, warm_up):
    falling = ...
    rising = ...
    return d_model**-0.5 * ...


check("paper_schedule", my_paper_schedule)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def my_paper_schedule(step, d_model, warm_up):
#     falling = step**-0.5
#     rising = step * warm_up**-1.5
#     return d_model**-0.5 * min(falling, rising)
# ```
# </details>
#
# ### Exercise 3 · `induction_accuracy`
#
# ●○○ · 4 minutes · Of the positions that are asked, the fraction where the largest logit is the target. The logits are (batch, n, vocabulary); the targets and `asked` are (batch, n).
#
# <details><summary>Hint 1</summary>The answer is the token with the largest logit. Along which axis do the tokens lie?</details>
# <details><summary>Hint 2</summary>Comparing with the targets gives booleans. Keep those that are asked.</details>
# <details><summary>Hint 3</summary>The mean of booleans is a fraction.</details>

# %% tags=["exercise"]
def my_induction_accuracy(logits, targets, asked):
    answers = ...  # (batch, n)
    right = ...  # (batch, n)
    return ...


check("induction_accuracy", my_induction_accuracy)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def my_induction_accuracy(logits, targets, asked):
#     answers = logits.argmax(axis=-1)  # (batch, n)
#     right = answers == targets  # (batch, n)
#     return right[asked].mean()
# ```
# </details>

# %% [markdown]
# ## Questions
#
# No hurry and no marks. Every wrong answer says why it is wrong, and you may try again.

# %%
quiz("lesson6")

# %%
score("lesson6")

# %% [markdown]
# ## Summary
#
# 1. A whole Transformer is trained in NumPy with the exact gradients of its pieces; a push in a random direction checks them all at once.
# 2. The induction task takes two blocks: one writes down what stands before, the other searches and fetches what came next. They form together, and then accuracy climbs steeply.
# 3. In the same number of steps, one wide head without ÷ √d_k does not learn, and neither do twelve blocks without residual connections.
# 4. Pre-norm does not need warm-up; post-norm learns more with it. In the same number of steps, pre-norm gets further.
# 5. On the first step Adam moves every parameter by the same amount, whatever the size of its gradient: hence small rates at the start.

# %% [markdown]
# ## Terms
#
# | English | Spanish | in one line |
# |---|---|---|
# | loss | *pérdida* | the number that training brings down; here, cross-entropy |
# | batch | *lote* | the sequences of one step |
# | learning rate | *tasa de aprendizaje* | the factor that sets how far the parameters move in one step |
# | warm-up | *calentamiento* | a learning rate that starts tiny and grows during the first steps |
# | running mean | *media móvil* | a mean that forgets little by little |
# | logit | *logit* | the score of a token of the vocabulary, before softmax |
# | seed | *semilla* | the number that fixes which random numbers come out |
# | induction task | *tarea de inducción* | say what came after this token the last time |
#
# All the terms are in the [glossary](90_glossary.ipynb).
#
# ## Sources
#
# - Vaswani et al. (2017), *Attention Is All You Need*, section 5.3 (Adam and the learning rate, equation 3).
# - Kingma and Ba (2015), *Adam: A Method for Stochastic Optimization*, algorithm 1.
# - Xiong et al. (2020), *On Layer Normalization in the Transformer Architecture*, section 3 (post-norm, pre-norm and warm-up).
# - Olsson et al. (2022), *In-context Learning and Induction Heads* (the two heads, and how suddenly they form).
#
# That was the last lesson. Go back to [the entrance](00_entrance.ipynb) to see the whole map, or to the [glossary](90_glossary.ipynb).

# %% tags=["colophon"]
from bloque.colophon import colophon

colophon(6)
