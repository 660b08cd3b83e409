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
# - train a Transformer in NumPy with the exact gradients of the lessons before;
# - watch a head that searches take shape, and say at which step it happens;
# - put three famous claims about $\sqrt{d_k}$, residual sums and warm-up to the test, and say how far they hold.

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
# Five lessons spent on a block that knows nothing: its matrices are full of random numbers. You were told that scores are divided by $\sqrt{d_k}$ "so that it learns", that the residual sum is there "so that it learns", and that the norm goes in front "so that it learns".
#
# **So does it?** There is nothing here but NumPy and the gradients you have already met. We shall train it, look inside while it trains, and take its parts away one by one.

# %% [markdown]
# ## The task: what came next
#
# We need a task that cannot be solved without attention. This one fits in a sentence: **what came after this token the last time it appeared?**
#
# Each sequence begins with tokens that are all different. Then it repeats a piece of the beginning, copied from a place that changes from one sequence to the next. In the repeated part you can know what comes now: find the present token further back, and read the one after it. Counting positions is no use, because the distance changes.
#
# The cell writes two sequences. The dots mark where the copy starts.

# %%
training = Training(ModelSettings(), seed=0)
batch = training.new_batch()
for tokens, asked in zip(batch.tokens[:2], batch.asked[:2], strict=True):
    print(*tokens[~asked], "···", *tokens[asked])

# %% [markdown]
# The rule itself takes two lines and, without learning anything, is always right. So we know that the task has an answer. Look at how often the rule is right, and at how often somebody who picks at random would be.

# %%
rule = induction_answer(batch.tokens)  # (batch, n)
print("the rule is right:", number(float((rule == batch.targets)[batch.asked].mean()), 2))
print("at random:        ", number(1 / training.settings.vocabulary, 4))

# %% [markdown]
# ## The model
#
# There is no new piece. An embedding, plus the positional encoding; two blocks with a causal mask and pre-norm; a final norm, and a matrix that gives one logit a token. One block is not enough: to find "the one that came next", somebody must first have written down, at each position, what stands before it. That takes two attentions, one after the other.
#
# The cell counts the parameters and shows the shape of what comes out.

# %%
logits, kept = model_forward(batch.tokens, training.parameters, training.settings)
print("parameters:", number(training.flat.size))
print("tokens", batch.tokens.shape, "→ logits", logits.shape)

# %% [markdown]
# ## The loss and its gradient
#
# The loss is the cross-entropy of lesson 1: the mean of $-\ln p$ of the right token, at the positions that are asked and nowhere else. A model that knows nothing shares out its weight, and its loss is near the logarithm of the size of the vocabulary.
#
# $$L = -\frac{1}{N} \sum_{\text{asked}} \ln p_{\text{right}}, \qquad \frac{\partial L}{\partial z} = \frac{p - y}{N}$$
#
# Compare the loss at the start with that logarithm. It starts above: random matrices do not hesitate, they are wrong with confidence.

# %%
loss, by_logits = cross_entropy(logits, batch)
print("loss at the start:      ", number(loss, 1))
print("logarithm of the size:  ", number(np.log(training.settings.vocabulary), 2))

# %% [markdown]
# And the gradient is $p - y$ over the number of questions, the same as in lesson 1. The cell does it again by hand and looks at the largest difference; it must be a floating-point nought.

# %%
y = np.eye(training.settings.vocabulary)[batch.targets]  # (batch, n, vocabulary)
by_hand = (softmax(logits) - y) * batch.asked[..., None] / batch.asked.sum()
print("the same gradient:", bool(np.abs(by_hand - by_logits).max() < 1e-7))

# %% [markdown]
# ## The whole gradient, and the proof that it is exact
#
# Backwards, the path is walked in reverse: the output, the final norm, and in each block the network and the attention, each with the backward pass you saw in its lesson. No automatic differentiation anywhere.
#
# How do we know it is right? Push **all** the parameters at once, a tiny bit, in a random direction $v$. The loss must change by $\nabla L \cdot v$. The cell measures it in float64 and compares. Look at how many digits agree.

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
# The hats, $\hat m = m/(1 - \beta_1^t)$ and $\hat v = v/(1 - \beta_2^t)$, mend the start: the means begin at nought, and at first they fall short.
#
# What does that buy? The cell takes a first step with three gradients of wildly different sizes. Look at how far each parameter moves.

# %%
parameters = np.zeros(3)
moved, state = adam_step(parameters, np.array([1e-4, -1.0, 1e4]), adam_start(parameters), rate=0.01)
print("they move:", *(number(float(each), 3) for each in moved))

# %% [markdown]
# All by the same amount: on the first step the sign counts, not the size. That is good, since nobody is left behind. It is also dangerous: the first gradient of a random model is mostly noise, and Adam obeys it at full speed in every parameter at once.

# %% [markdown]
# ## Warm-up
#
# Hence **warm-up**: begin with a tiny learning rate and raise it little by little. The paper's rises in a straight line and then falls like the root:
#
# $$\text{rate} = d_{\mathrm{model}}^{-1/2} \cdot \min\!\left(t^{-1/2},\; t \cdot w^{-3/2}\right)$$
#
# where $t$ is the step and $w$ the number of warm-up steps. Our trainings are short and use the simplest one: up in a straight line, and stay there.
#
# - Shorten the warm-up: the peak gets higher, it does not only come sooner.
# - Change $d_{\mathrm{model}}$: a wider model goes more slowly.

# %%
lesson.schedule()

# %% [markdown]
# ## A short training, for real
#
# Everything is there. A step is: a new batch, forward, loss, backward, Adam. The cell trains a small version of the task, for a few seconds. See whether it gets most questions right on sequences that it has never seen.

# %%
small = Training(ModelSettings(vocabulary=8, n=12, d_model=48, d_ff=96), peak=5e-3, warm_up_steps=30, seed=0)
before = small.evaluate()[1]
small.run(220)
print("mostly right, before:", bool(before > 0.75))
print("mostly right, after: ", bool(small.evaluate()[1] > 0.75))

# %% [markdown]
# And the large one, with two blocks and long sequences? Is it always learned, or were we lucky with the seed? These are the final accuracies of five stored seeds. Each takes less than half a minute of one processor.

# %%
plain = lesson.stored_runs()["plain"]
print("final accuracies:", *(number(float(each), 2) for each in plain.final))
print("above 0.9:", int((plain.final > 0.9).sum()), "/", len(plain.final))

# %% [markdown]
# ## Train it yourself
#
# Press the button. The training runs on its own, so you can read on and move everything else; stop it when you like, and resume it later from where it was.
#
# - Accuracy stays flat for quite a while. Be patient.
# - When it rises, it rises all at once. Look at the maps just then.
# - The circles mark where the answer to each question stands.

# %%
lesson.live()

# %% [markdown]
# ## Predict, then drag: when does it get it?
#
# The same training, stored, to walk through at leisure. **At which step do you think accuracy will pass one half?** Guess first, drag second.
#
# - Before the climb, both heads of the first block look a little everywhere.
# - During the climb, a head of the first block draws a line along the diagonal: it looks at the token before.
# - At the same time, in the second block the spots fall into the circles.

# %%
lesson.forming()

# %% [markdown]
# It is a little program that nobody wrote. The first block copies to each position the token **before** it. The second searches, with the present token as its query, for a position whose token before is that one, and fetches what stands there: exactly "what came next". The literature calls this pair an *induction head*, and it shows up in large models too.
#
# The cell says it in numbers, at the start and at the end: how much weight each block, with its best head, puts where it should.

# %%
stored = lesson.stored_forming()
for point in (0, -1):
    previous, answer = stored.previous[point, 0].max(), stored.answer[point, 1].max()
    print("step", f"{stored.steps[point]:>3}:", "block 1 on the token before", number(float(previous), 2), "· block 2 on the answer", number(float(answer), 2))

# %% [markdown]
# ## Claim one: without ÷ √d_k it does not learn
#
# Lesson 2 left it at this: most queries get no gradient, and a few get too much. Here it is trained. A single wide head, so that $d_k$ is large; five seeds with the division and five without; all else equal. The thick line is the median, the thin ones are the seeds.
#
# - Take the step to the middle: where has the one that divides got to?
# - See whether any seed without the division takes off.

# %%
lesson.scale()

# %% [markdown]
# It holds, and plainly so in this case: in the same number of steps, the one that divides solves it and the one that does not hardly leaves chance. Mind what this does not say. We have not shown that it would **never** learn: Adam can shrink $W^Q$ and $W^K$ until it has mended things by itself. We have seen that it does not get there in time. The cell gives the final medians.

# %%
for arm in ("scaled", "unscaled"):
    runs = lesson.stored_runs()[arm]
    d_k = runs.arm.settings.d_model // runs.arm.settings.heads
    print(f"d_k = {d_k},", "÷ √d_k:" if runs.arm.settings.scaled else "no ÷:  ", lesson.spread(runs.final))

# %% [markdown]
# ## Claim two: without residuals, a deep one does not learn
#
# Twelve blocks now. Lesson 4 measured that without the sum the gradient shrinks layer by layer, and that with random numbers. Does it matter in training, with a norm, and with Adam to enlarge what is small? **Guess: how accurate is it at the end without the residual sums?**

# %%
lesson.residual()

# %% [markdown]
# Flat, in all five seeds: at the level of chance. The cell gives the final medians.

# %%
for arm in ("pre_warm", "no_residual"):
    runs = lesson.stored_runs()[arm]
    print("with residual:   " if runs.arm.settings.residual else "without residual:", lesson.spread(runs.final))

# %% [markdown]
# Why? Lesson 4 gives a hint: without the sum, each attention averages the rows, and an average of averages ends up the same for all of them. The cell looks at the model as it was made, before it has learned anything: how alike any two rows are when they leave the twelve blocks (1 is identical, by the mean cosine).

# %%
deep = lesson.stored_runs()["no_residual"].arm.settings
for residual in (True, False):
    fresh = Training(ModelSettings(**{**vars(deep), "residual": residual}), seed=0)
    rows = model_forward(fresh.new_batch().tokens, fresh.parameters, fresh.settings)[1].stream  # (batch, n, d_model)
    rows = rows / np.linalg.norm(rows, axis=-1, keepdims=True)
    cosines = rows @ rows.swapaxes(-1, -2)  # (batch, n, n)
    print("with residual:   " if residual else "without residual:", number(float(cosines.mean()), 1))

# %% [markdown]
# If all rows reach the top almost alike, the output cannot say different things at different positions, and no learning rate mends that.

# %% [markdown]
# ## Claim three: post-norm wants warm-up
#
# Twelve blocks again, with their residuals. Four ways: the norm in front or behind, and with warm-up or at full speed from the first step.
#
# - Compare the two pre-norms with each other. Do they notice the warm-up?
# - Compare the two post-norms. Do they?
# - Now the best post-norm against the worst pre-norm.

# %%
lesson.warm_up()

# %%
for arm in ("pre_warm", "pre_cold", "post_warm", "post_cold"):
    runs = lesson.stored_runs()[arm]
    print(f"{runs.arm.settings.norm:>4}-norm,", f"warm-up steps {runs.arm.warm_up_steps:>3}:", lesson.spread(runs.final))

# %% [markdown]
# What we see is subtler than the slogan. Pre-norm does not need the warm-up. Post-norm learns better with it, by the median; without it, it learns something too. And that is not the large difference: **on the same budget, pre-norm gets much further either way**. In larger models and at higher rates post-norm without warm-up goes as far as diverging; this small model, at this rate, does not, and we would rather show you what comes out.

# %% [markdown]
# ## The gradient that arrives
#
# And the gradient? Choose a repair and walk through the steps. What comes out is not quite what the slogan says.
#
# - *Residual sum*, at the start: can you tell the two lines apart? Each block normalises what it gets, and that also enlarges what goes back.
# - The same, at the end: what has become of the one without sums?
# - *Pre-norm instead of post-norm*: at the start, see which way each line leans.

# %%
lesson.arriving()

# %% [markdown]
# Here, without the sums, the gradient does **not** start out vanished: it dies **while** it trains, as the model gives up and learns to give the same answer to everything. In the bare stack of lesson 4, without a norm, it did vanish from the very start. The cell sums it up: the median of the gradient that arrives at the first block, at the start and at the end.

# %%
for arm in ("pre_warm", "no_residual"):
    runs = lesson.stored_runs()[arm]
    start, end = (float(np.median(runs.arriving[:, point, 0])) for point in (0, -1))
    print("with residual:   " if runs.arm.settings.residual else "without residual:", number(start, significant=2), "→", number(end, significant=2))

# %% [markdown]
# ## Frequent mistakes
#
# - **Training on every position.** The loss never gets below a floor that nobody could predict. To see it: the loss stops far above nought while accuracy on what can be known is good.
# - **Forgetting Adam's hats.** The first steps come out huge or minute. To see it: the loss jumps in the first steps.
# - **Counting steps from nought.** With warm-up, the first step moves nothing; with the hats, it divides by nought. To see it: NaN on the first step.
# - **Measuring on the batch just learned from.** To see it: accuracy drops on new sequences.
# - **A single seed.** If two ways cross depending on the seed, neither is better. To see it: repeat with five and look at the spread.
# - **Watching the loss and not the accuracy.** The loss may go on falling long after the task is solved. To see it: draw both.

# %% [markdown]
# ## Exercises
#
# Each checks itself and, when something is off, tells you which mistake it looks like.
#
# ### Exercise 1 · `adam_step`
#
# ●●○ · 8 minutes · One step of Adam with $\beta_1 = 0.9$, $\beta_2 = 0.98$ and $\varepsilon = 10^{-9}$. In go the means from before the step; `step` counts from 1. Return the new parameters and the two means.
#
# <details><summary>Hint 1</summary>First bring the two means up to date; then take the bias of the start away; then move.</details>
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
# ●○○ · 5 minutes · The paper's learning rate, equation 3: the formula is under "Warm-up". `step` counts from 1.
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
# ## Quiz
#
# No clock and no marks. Every wrong answer says why it is wrong, and you may try again.

# %%
quiz("lesson6")

# %%
score("lesson6")

# %% [markdown]
# ## Summary
#
# 1. A whole Transformer is trained in NumPy with the exact gradients of its pieces; a push in a random direction proves that they are exact.
# 2. The induction task takes two blocks: one writes down what stands before, the other searches and fetches what came next. They form together, and accuracy rises all at once.
# 3. Without ÷ √d_k, with one wide head, it does not learn in the same number of steps. Without residuals, twelve blocks do not learn.
# 4. Pre-norm does not need warm-up; post-norm learns better with it. On the same budget, pre-norm gets further.
# 5. Adam moves every parameter by the same amount at first, whatever its gradient; that is why the beginning wants small steps.

# %% [markdown]
# ## Terms
#
# | English | Spanish | in one line |
# |---|---|---|
# | loss | *pérdida* | what is to become small; here, cross-entropy |
# | batch | *lote* | the sequences of one step |
# | learning rate | *tasa de aprendizaje* | how far a parameter moves in one step |
# | warm-up | *calentamiento* | begin with a tiny rate and raise it |
# | running mean | *media móvil* | a mean that forgets little by little |
# | seed | *semilla* | the number that fixes what comes out at random |
# | induction task | *tarea de inducción* | say what came after this token the last time |
#
# All the terms are in the [glossary](90_glossary.ipynb).
#
# ## Sources
#
# - A. Vaswani et al. (2017), *Attention Is All You Need*, section 5.3 (Adam and the learning rate, equation 3).
# - D. P. Kingma and J. Ba (2015), *Adam: A Method for Stochastic Optimization*, algorithm 1.
# - R. Xiong et al. (2020), *On Layer Normalization in the Transformer Architecture*, section 3 (post-norm, pre-norm and warm-up).
# - C. Olsson et al. (2022), *In-context Learning and Induction Heads* (the pair of heads that forms all at once).
#
# That was the last lesson. Go back to [the entrance](00_entrance.ipynb) to see the whole map, or to the [glossary](90_glossary.ipynb).

# %% tags=["colophon"]
from bloque.colophon import colophon

colophon(6)
