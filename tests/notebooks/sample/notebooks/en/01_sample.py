# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 1 · A sample
#
# [Español](../es/01_muestra.ipynb) · 5 minutes
#
# The shortest notebook that keeps every rule: with it each rule is shown to be able to say no.

# %% tags=["setup"]

# %%
import numpy as np

import bloque
from bloque.checks import check

# %% [markdown]
# ## The largest
#
# We share the weight among three scores, $z = (0, 1, 2)$, and look at which one takes most. See [the exercise](#Exercise-1-·-Write-softmax).

# %%
# the weights of three scores
weights = bloque.softmax(np.array([0.0, 1.0, 2.0]))
print(f"The largest weighs {bloque.number(weights.max(), 3)}, and there are {bloque.number(1048576)} weights elsewhere.")

# %% [markdown]
# The largest weighs 0.665. Elsewhere there are 1 048 576 weights, and
#
# $$\text{sum} = 1$$

# %% [markdown]
# ### Exercise 1 · Write softmax
#
# Difficulty ●○○ · 6 minutes. The weights of each row have to add up to 1.

# %% tags=["exercise"]
def softmax(scores):
    # take the maximum away, so that nothing overflows
    scores = np.asarray(scores, dtype=float)
    exponentials = ...
    return ...


check("softmax", softmax)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def softmax(scores):
#     # take the maximum away, so that nothing overflows
#     scores = np.asarray(scores, dtype=float)
#     exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
#     return exponentials / exponentials.sum(axis=-1, keepdims=True)
# ```
#
# </details>

# %% [markdown]
# ## Terms
#
# | English | Spanish | in one line |
# |---|---|---|
# | score | *puntuación* | what goes in |
# | weight | *peso* | what comes out |

# %% [markdown]
# ## Sources
#
# Vaswani and others (2017), section 3.2.1.

# %% tags=["colophon"]
