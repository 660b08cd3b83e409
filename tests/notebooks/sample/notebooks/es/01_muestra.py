# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 1 · Una muestra
#
# [English](../en/01_sample.ipynb) · 5 minutos
#
# El cuaderno más corto que cumple todas las reglas: con él se prueba que cada regla sabe decir que no.

# %% tags=["setup"]

# %%
import numpy as np

import bloque
from bloque.checks import check

# %% [markdown]
# ## La mayor
#
# Repartimos el peso entre tres puntuaciones, $z = (0, 1, 2)$, y miramos cuál se lleva más. Véase [el ejercicio](#Ejercicio-1-·-Escribe-softmax).

# %%
# los pesos de tres puntuaciones
weights = bloque.softmax(np.array([0.0, 1.0, 2.0]))
print(f"La mayor pesa {bloque.number(weights.max(), 3)} y hay {bloque.number(1048576)} pesos en otra parte.")

# %% [markdown]
# La mayor pesa 0.665. En otra parte hay 1 048 576 pesos, y
#
# $$\text{suma} = 1$$

# %% [markdown]
# ### Ejercicio 1 · Escribe softmax
#
# Dificultad ●○○ · 6 minutos. Los pesos de cada fila tienen que sumar 1.

# %% tags=["exercise"]
def softmax(scores):
    # resta el máximo para que nada desborde
    scores = np.asarray(scores, dtype=float)
    exponentials = ...
    return ...


check("softmax", softmax)

# %% [markdown]
# <details><summary>Solución</summary>
#
# ```python
# def softmax(scores):
#     # resta el máximo para que nada desborde
#     scores = np.asarray(scores, dtype=float)
#     exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
#     return exponentials / exponentials.sum(axis=-1, keepdims=True)
# ```
#
# </details>

# %% [markdown]
# ## Términos
#
# | español | inglés | en una línea |
# |---|---|---|
# | puntuación | *score* | lo que entra |
# | peso | *weight* | lo que sale |

# %% [markdown]
# ## Fuentes
#
# Vaswani y otros (2017), sección 3.2.1.

# %% tags=["colophon"]
