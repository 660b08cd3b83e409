# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 3 · Multi-head
#
# [Español](../es/03_varias_cabezas.ipynb) · about 28 minutes, exercises not included
#
# By the end you will be able to:
#
# - say what one softmax per row cannot say, and how two heads say it;
# - follow every shape from $(n, d_{\mathrm{model}})$ to the heads and back, and spot the reshape that mixes tokens;
# - count the weights and the operations of multi-head attention, and test what a head of a real model does before you believe its map.

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
from bloque.lessons import multi_head as lesson
from bloque.quiz import quiz, score

# %% [markdown]
# ## The question
#
# Read *I sat on the bank of the river* and stop at **bank**. Two small words tell at once what part the bank plays here: *on*, because something happens there, and *of*, because what comes next says whose bank it is. “Look at *on*” and “look at *of*” are two different rules, and they point at two different places.
#
# One attention gives each token one row of weights. That row is a softmax, so it adds up to 1. Can a single row obey two rules?
#
# We try it with a toy. A rule is a row of scores: some strength on the token it points at, 0 on the other seven. Rule 1 points at *on*, which is token 2 counting from 0; rule 2 points at *of*, token 5. To put both rules in one row, we add their scores.

# %%
both = lesson.rule(token=2, strength=6) + lesson.rule(token=5, strength=6)
weights = lesson.one_head(strong=6, weak=6)

print("scores ", *[number(float(z), 0) for z in both])
print("weights", *[number(float(p), 3) for p in weights])

# %% [markdown]
# Two rules of strength 6 get 0.496 each. Neither is obeyed whole: the new vector is half one thing and half the other. The weights of one row compete, because together they make 1.
#
# Now make the rules unequal. **Set your guess before you drag**: rule 1 has strength 6 and rule 2 has strength 2. What weight is left for the token of rule 2?
#
# Look for this:
#
# - at a gap of 0, the left chart shares the weight and the other two do not;
# - raise the gap to 4: on the left, rule 2 sinks below the dotted line of the even share, while its own head still shows it;
# - bring the gap back to 0 and lower the strength to 0: no rule, no difference, every chart is flat.

# %%
lesson.duel()

# %% [markdown]
# And in numbers:

# %%
weak_in_one = lesson.one_head(strong=6, weak=2)[lesson.SECOND]
weak_in_its_own = lesson.two_heads(strong=6, weak=2)[1, lesson.SECOND]

print("rule 2, gap 4, one softmax:", number(float(weak_in_one), 3))
print("rule 2 in a head of its own:", number(float(weak_in_its_own), 3))
print("even share:", number(1 / 8, 3))

# %% [markdown]
# With a gap of 4 the weaker rule keeps 0.018, well below the even share of 0.125. It has not been weakened: in a head of its own the same rule gets 0.514. It was hidden by the other rule.
#
# That is what several heads are for. **One softmax per row can say one thing; with $h$ softmaxes per row, a layer can say $h$ things.**

# %% [markdown]
# ## Cutting the width into heads
#
# The paper writes it so (Vaswani et al. 2017, section 3.2.2):
#
# $$\mathrm{MultiHead}(X) = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h)\, W^O$$
#
# $$\mathrm{head}_i = \mathrm{Attention}(X W_i^Q,\; X W_i^K,\; X W_i^V)$$
#
# Each head has matrices of its own, each of shape $(d_{\mathrm{model}}, d_k)$; multiplying by them is called **projecting**. And the heads are made **narrow**: $d_k = d_v = d_{\mathrm{model}}/h$. The width is shared out, not multiplied.

# %%
for name, d_model, heads, layers in (("paper, base", 512, 8, 6), ("BERT base", 768, 12, 12)):
    print(f"{name}: {d_model} / {heads} = {d_model // heads} columns a head; {layers} × {heads} = {layers * heads} heads in the encoder")

# %% [markdown]
# BERT, by Devlin et al. (2018), is an encoder: a stack of blocks in which every token sees the whole sentence. Much of what is known about heads was found by studying it. In both models a head is 64 columns wide, and BERT base has 144 heads.
#
# **Second guess.** You keep $d_{\mathrm{model}} = 512$ and go from 1 head to 8. By how much is the number of weights in $W^Q$, $W^K$, $W^V$ and $W^O$ multiplied?
#
# Look for this:
#
# - the strip of columns is always the same strip; only the cuts move;
# - from its own columns each head draws an **attention map**: its weights, a row for each query and a column for each key;
# - the orange mark on the right does not move, and the dashed line shows what heads of full width would cost.

# %%
lesson.columns()

# %% [markdown]
# The count does not depend on $h$, because $h$ pieces of $d_{\mathrm{model}}/h$ columns are $d_{\mathrm{model}}$ columns:
#
# $$3 \cdot h \cdot d_{\mathrm{model}} \cdot \frac{d_{\mathrm{model}}}{h} + d_{\mathrm{model}}^2 = 4\, d_{\mathrm{model}}^2$$
#
# The course's counter builds the sum from the shapes. The cell calls it for several $h$.

# %%
for heads in (1, 2, 4, 8):
    count = bloque.count_parameters(512, heads, 2048).attention
    print(f"h = {heads}: {number(count)} weights;  of full width: {number(lesson.wide_heads_count(512, heads))}")

# %% [markdown]
# Always 1 048 576. Eight heads of full width would take 8 388 608, eight times as many. “More heads” is free only when the heads get narrower.

# %% [markdown]
# ## The shapes, one by one
#
# In code there is no loop over the heads. One product makes all the columns, and then the columns are handed out:
#
# $$(n, d_{\mathrm{model}}) \;\rightarrow\; (n, h, d_k) \;\rightarrow\; (h, n, d_k)$$
#
# First a reshape cuts each **row** into $h$ pieces. Then a transpose brings the head to the front. We follow the numbers 0 to 23: four tokens, six columns, three heads.

# %%
x = np.arange(24).reshape(4, 6)
print("from", x.min(), "to", x.max())
cut = x.reshape(4, 3, 2)  # (n, h, d_k): each token's row in three pieces
heads = cut.transpose(1, 0, 2)  # (h, n, d_k): the head comes first

print("token 1 in pieces:", cut[1].tolist())
print("head 0:", heads[0].tolist())
print("same as split_heads:", np.array_equal(heads, bloque.split_heads(x, 3)))

# %% [markdown]
# Head 0 holds the first two columns of the four tokens: `[0, 1], [6, 7], [12, 13], [18, 19]`. Each row is still one token.
#
# There is a shorter way that is wrong. It gives the right shape and raises no error, so nothing tells you.

# %%
straight = x.reshape(3, 4, 2)  # (h, n, d_k) in one go: the mistake

print("shape:", straight.shape)
print("head 0:", straight[0].tolist())

# %% [markdown]
# Now head 0 is `[0, 1], [2, 3], [4, 5], [6, 7]`. Its first three rows are all pieces of token 0. A reshape reads the numbers in order and knows nothing of tokens.
#
# Look for this in the picture, where a colour is a token:
#
# - with the transpose, every row of every head has one colour, and the colours keep their order;
# - with the straight reshape, the colours slide out of place;
# - with 1 head both ways agree, which is why a test with one head sees nothing.

# %%
lesson.shapes()

# %% [markdown]
# The way back is the same two steps in reverse: transpose, then reshape. `merge_heads` undoes `split_heads` exactly.

# %%
back = bloque.merge_heads(bloque.split_heads(x, 3))
print("back to the start:", np.array_equal(back, x))

# %% [markdown]
# ## Every head sees every column
#
# “The width is shared out” invites a misreading: that head 0 only sees the first columns **of $X$**. It is the columns of $XW^Q$ that are shared out, and each of them mixes all the columns of $X$. So if we touch only the last column of the input, the first head must notice.

# %%
rng = np.random.default_rng(3)
n, d_model, h = 5, 12, 3
X = rng.standard_normal((n, d_model))
parameters = bloque.multi_head_parameters(d_model, h, bias=False, seed=4)

touched = X.copy()
touched[:, -1] += 1
before = bloque.multi_head_attention(X, parameters, h)[1][0]  # the map of head 0
after = bloque.multi_head_attention(touched, parameters, h)[1][0]
print("largest change in the map of head 0:", number(float(abs(after - before).max()), 3))

# %% [markdown]
# It does. If someone slices $X$ first and gives head 0 only the columns 0 to 3, the same touch changes nothing:

# %%
slice_before, slice_after = X[:, :4], touched[:, :4]  # the mistake: the input is cut, not its projection
change = abs(slice_after - slice_before).max()
print("largest change in what head 0 receives:", number(float(change), 1))

# %% [markdown]
# ## One product, or one for each head
#
# The formula has $h$ small matrices $W_i^Q$; the code has one big $W^Q$. They are the same thing: put the $h$ small matrices side by side and you have the big one. Let us write the loop of the formula and compare.

# %%
def head_by_head(X, parameters, heads):
    d_k = X.shape[-1] // heads
    found = []
    for i in range(heads):
        own = slice(i * d_k, (i + 1) * d_k)  # the columns of head i
        Q, K, V = X @ parameters.W_Q[:, own], X @ parameters.W_K[:, own], X @ parameters.W_V[:, own]
        found.append(bloque.attention(Q, K, V)[0])  # (n, d_k)
    return found


found = head_by_head(X, parameters, h)
looped = np.concatenate(found, axis=-1) @ parameters.W_O
fused, maps = bloque.multi_head_attention(X, parameters, h)
print("shapes:", fused.shape, maps.shape)
print("loop and single product agree to 1e−12:", bool(abs(looped - fused).max() < 1e-12))

# %% [markdown]
# The last matrix, $W^O$, looks like a detail. It is where the heads meet: without it, column 0 of the output would only ever hear from head 0. Cut $W^O$ by rows, and the product turns into a sum in which each head writes, through its own rows, into **all** the columns:
#
# $$\mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h)\, W^O = \sum_{i=1}^{h} \mathrm{head}_i\, W^O_{[\text{rows of } i]}$$

# %%
d_k = d_model // h
summed = sum(head @ parameters.W_O[i * d_k : (i + 1) * d_k] for i, head in enumerate(found))
# _replace: a copy of the parameters with another W_O
silent = bloque.multi_head_attention(X, parameters._replace(W_O=np.zeros((d_model, d_model))), h)[0]

print("sum over heads equals Concat · W^O to 1e−12:", bool(abs(summed - fused).max() < 1e-12))
print("largest output with W^O = 0:", number(float(abs(silent).max()), 1))

# %% [markdown]
# ## Where Q, K and V come from
#
# The matrices $W$ are learnt, and then they stay. The attention weights $\alpha$ are not learnt: they are computed anew for each sentence, from its own rows. Same matrices, another sentence, another map:

# %%
another = rng.standard_normal((n, d_model))
another_maps = bloque.multi_head_attention(another, parameters, h)[1]
print("row 0 of head 0, one sentence:    ", *[number(float(p), 3) for p in maps[0, 0]])
print("row 0 of head 0, another sentence:", *[number(float(p), 3) for p in another_maps[0, 0]])

# %% [markdown]
# The idea is older than the Transformer. In 2014, Bahdanau, Cho and Bengio translated with two recurrent networks, which go through a text one token after another: an *encoder* read the sentence and a *decoder* wrote the translation. At each step $i$ the decoder asked the encoder's states $h_j$ (no relation to the number of heads) where to look. The query was the decoder's previous state $s_{i-1}$; the score was a small network, $e_{ij} = a(s_{i-1}, h_j)$; then came the same softmax and the same weighted sum. What the Transformer changed is the score, which went from a network to a dot product, and where the queries come from.
#
# When the queries come from one sequence and the keys and values from another, this is called **cross-attention**. In the code it is one argument, `context`. Here 5 tokens ask 7 others:

# %%
encoder_states = rng.standard_normal((7, d_model))
crossed, cross_maps = bloque.multi_head_attention(X, parameters, h, context=encoder_states)
print("output", crossed.shape, " maps", cross_maps.shape)

# %% [markdown]
# ## How others write it
#
# Two sources often mean two notations. Neither is wrong; only the convention changes. Before you compare formulas, find the row of this table that each one follows. (*Post-norm* and *pre-norm* say where the normalisation goes, which is lesson 4.)
#
# | Source | A token is | Scores | Block |
# |---|---|---|---|
# | This course; Vaswani et al. (2017) | a row, $XW$ | $QK^{\mathsf T}$, softmax by rows | post-norm |
# | Bishop and Bishop (2024) | a row, $XW$ | $QK^{\mathsf T}$, softmax by rows | post-norm, with pre-norm as a variant |
# | Prince (2023), *Understanding Deep Learning* | a column, $\Omega X$ | $K^{\mathsf T} Q$, softmax by columns | post-norm |
# | PyTorch, `nn.MultiheadAttention` | a row, but it stores $W^{\mathsf T}$ | $QK^{\mathsf T}$, softmax by rows | `norm_first`, in its encoder layer, chooses |
# | GPT-2 | a row, one matrix for Q, K and V | $QK^{\mathsf T}$, softmax by rows | pre-norm |
#
# Transposing one convention gives the other: $(QK^{\mathsf T})^{\mathsf T} = KQ^{\mathsf T}$, which is written $K^{\mathsf T} Q$ once tokens are columns. The question to ask is always the same: **along which axis do the weights add up to 1?** It must be the axis of the keys.

# %%
print("sums over keys:   ", *[number(float(s), 3) for s in maps[0].sum(axis=-1)])
print("sums over queries:", *[number(float(s), 3) for s in maps[0].sum(axis=-2)])

# %% [markdown]
# ## A real model
#
# So far the matrices were random. Now for those of a trained model: `multilingual-e5-small` (Wang et al. 2024), an encoder shaped like BERT that learnt from texts in many languages. It comes with the course, its matrices stored in 4 bits and its vocabulary cut to Spanish and English. It brings no code: each of its layers is computed by `bloque.encoder_block`.

# %%
from bloque.lessons import real_heads
from bloque.model import load

real_model = load()
sentence = "I sat down on the bank of the river."
print(f"{real_model.layers} layers × {real_model.heads} heads = {real_model.layers * real_model.heads}")
print(f"d_model {real_model.d_model}, columns per head {real_model.d_model // real_model.heads}")
print(real_model.pieces(sentence))
print("maps:", real_model.attention_maps(sentence).shape)

# %% [markdown]
# That is 144 heads of 32 columns. From here on layers and heads are counted from 1. The sentence goes in as pieces: `▁` marks where a word begins, and `<s>` and `</s>` are two marks that the model puts before and after any text. Here every word is one piece; longer or rarer ones take several.
#
# Look for this:
#
# - “which head” brings up, with one click, the four that we meet below; in three of them the map shows the rule by itself;
# - walk through layers and heads: again and again the dark columns are those of the marks and the full stop;
# - write a sentence of your own, in English or in Spanish. If a word does not fit the cut vocabulary, the caption says so.

# %%
real_heads.heads()

# %% [markdown]
# The four come from a rule. For three of them: the largest mean weight on the word before, on the word after and on the two marks. For the fourth we need Spanish, where «banco» is a bench or a bank: of the heads whose largest weight, from «banco», falls on the deciding noun in *Me senté en el banco de mi jardín* (I sat on the bench in my garden) and also in *Guardé el dinero en el banco* (I put the money in the bank), the one that gives it most. We compute them here:

# %%
chosen = real_heads.best_heads()
names = {"previous": "previous word", "next": "next word", "delimiters": "marks"}
for kind, name in names.items():
    head = chosen[kind]
    in_spanish, in_english = (number(head.of(real_heads.mean_kinds(code)[kind]), 2) for code in ("es", "en"))
    print(f"{name}: {head}; mean weight {in_spanish} in Spanish and {in_english} in English")
seat, money = (number(chosen["noun"].of(real_heads.noun_weight("es")[k]), 3) for k in real_heads.chosen_on("es"))
print(f"deciding noun: {chosen['noun']}; {seat} on the first and {money} on the second")

# %% [markdown]
# Head 7 of layer 1 puts 0.332 on «jardín», the garden, and 0.383 on «dinero», the money. It is tempting to write: “this head understands which bank is meant”. First, some arithmetic. There are 144 heads and two sentences. If each head looked at a token taken at random, how many would get both right?

# %%
print("heads that get both sentences right:", len(real_heads.qualifying("es")))
print("expected by chance:", number(real_heads.expected_by_chance("es"), 1))

# %% [markdown]
# We expect 2.2, and there is 1. Two sentences prove nothing. So we wrote 16, before measuring, and changed none afterwards: 8 about sitting and 8 about money. For each head we count in how many of them the largest weight of «banco» falls on the deciding noun. The picture counts the same for 16 English sentences with “bank”, 8 about rivers and 8 about money.

# %%
print("right:", list(real_heads.right_by_reading(chosen["noun"], "es").values()))
print("heads with 10 or more, by chance:", number(real_heads.expected_right(10, "es"), significant=1))
real_heads.counts()

# %% [markdown]
# In Spanish, head 7 of layer 1 gets 10 of 16: 4 of the 8 about sitting and 6 of the 8 about money. By chance there would be 5e−5 such heads, that is, none: the head does something. But it also gets 6 wrong.
#
# In English, as the picture shows, the best of all heads reaches 6, and the average head does worse than chance would: 0.22 against 1.68. Why? Move the slider of the sentences:
#
# - the grey dots are the heads whose largest weight falls on a mark or on punctuation: 129 of 144 in the first sentence;
# - the rings, the heads that find the noun, change from one sentence to the next; hardly any of them stays.

# %%
real_heads.overview()

# %% [markdown]
# Where does our head look when it is wrong? In Spanish, where it does best:

# %%
looks = real_heads.looked_at(chosen["noun"], "es")
for example, word in zip(real_heads.examples("es"), looks, strict=True):
    print("✓" if word == example.noun else "·", word, "|", example.text)

# %% [markdown]
# When it misses: *Quedó* (stayed), *mochila* (rucksack), *Esperamos* (we wait), *gato* (cat), *año* (year), *mañana* (morning). Each time a word with content, never an article. These misses suggest that the head does not look for the deciding noun: it looks for a word with content near «banco», and often that word is the deciding noun.
#
# It could not do more. It stands in layer 1, where nothing has been mixed yet: the query of a word comes from its piece and its position, and the key of another from its own. That can be checked. We change a different word of the sentence, and look at the ratio of the weight of “river” to that of “of”:

# %%
for layer in (1, 2):
    head = real_heads.Head(layer, 7)
    for sentence in ("I sat down on the bank of the river.", "We sat down on the bank of the river."):
        ratio = real_heads.weight_ratio(sentence, head, "bank", "river", "of")
        print(f"{head}: {number(ratio, 3)} in “{sentence}”")

# %% [markdown]
# In layer 1 the ratio is 0.552 in both: who sat makes no difference. In layer 2 it does, 1.876 and 1.931, because the rows that enter it carry something of the others.
#
# Now all the English sentences, by the same rule:

# %%
best, most = real_heads.best_counted("en")
print("heads that get the first two right:", len(real_heads.qualifying("en")))
print(f"the best: {best}, {most} of 16;", list(real_heads.right_by_reading(best, "en").values()))
for code in ("es", "en"):
    marks = real_heads.on_a_mark(code).sum(axis=(1, 2))
    print(f"heads that look at a mark or punctuation, on average: {number(marks.mean(), 1)} of 144")

# %% [markdown]
# No head gets the first two right, and the best of all stops at 6 of 16. By this measure, the model has no head for the sense of “bank”.
#
# What it does have, in both languages, are heads for position and heads that rest on the marks: on average 123.7 of 144 in Spanish and 127.3 in English put the word's largest weight on a mark or punctuation. That is what Clark et al. (2019) describe in BERT: heads for the neighbouring word, for the marks and for some relations of syntax. They describe none that picks a sense. If the model tells the two banks apart, no single map shows it.

# %% [markdown]
# ## What it costs
#
# Each head compares every token with every token: $n \times n$ scores. The table grows with the square of the text.

# %%
for n_tokens in (1000, 2000, 4000):
    print(f"n = {number(n_tokens)}: {number(n_tokens**2)} scores a head")

# %% [markdown]
# A thousand tokens, 1 000 000 scores; twice the text, four times as many: 4 000 000.
#
# Vaswani et al. (table 1) compare a layer of attention with a layer of recurrence:
#
# | | multiplications a layer | steps that must wait for each other | path between two tokens |
# |---|---|---|---|
# | attention | $O(n^2 \cdot d)$ | $O(1)$ | $O(1)$ |
# | recurrence | $O(n \cdot d^2)$ | $O(n)$ | $O(n)$ |
#
# $n^2 d$ is below $n d^2$ while $n < d$. But that counts only the mixing. With the four projections, attention takes $4nd^2 + 2n^2d$, and there is no $n$ at which that is less than $nd^2$. (And $nd^2$ is the barest recurrence: one product of the state by a matrix at each step. An LSTM, a recurrent network that lesson 4 comes back to, makes eight products of that size, and against it attention takes fewer while $n < 2d$.) We print both counts.

# %%
for n_tokens in (128, 512, 2048):
    here = lesson.operations(n_tokens, 512)
    print(
        f"n = {n_tokens}: n²·d {number(here['mixing'])}, n·d² {number(here['recurrence'])},"
        f" with projections {number(here['whole'])}"
    )

# %% [markdown]
# At $n = d = 512$ the first two are equal, 134 217 728, and the whole is six times that: 805 306 368. Attention does not gain over that recurrence by taking fewer operations. It gains because nothing has to wait: recurrence must take its $n$ steps one after another, and attention computes all positions at once and joins any two tokens in one step.
#
# Look for this:
#
# - the lines cross where the dotted line is, at $n = d$; change $d_{\mathrm{model}}$ and the crossing follows;
# - the black line, the whole attention, never goes below recurrence;
# - on logarithmic axes, the slope is the exponent: 1 for recurrence, 2 for attention.

# %%
lesson.cost()

# %% [markdown]
# ## Frequent mistakes
#
# - **A bare reshape to $(h, n, d_k)$.** Right shape, mixed tokens. To see it: pass `arange` through it and look at head 0.
# - **Slicing $X$ before projecting.** Each head goes blind to most of the input. To see it: touch the last column and look at head 0.
# - **Dividing by $\sqrt{d_{\mathrm{model}}}$.** After the split, a product has $d_k$ terms, so the root is that of $d_k$. With $d_{\mathrm{model}} = 512$ and 8 heads the difference is a factor of $\sqrt{8}$.
# - **More heads, same width.** The cost is multiplied by $h$. To see it: count.
# - **Forgetting $W^O$.** Each head stays locked in its columns. To see it: set one head to zero and look at which output columns notice.
# - **Concatenating in another order.** `reshape` straight from $(h, n, d_k)$ to $(n, d_{\mathrm{model}})$ mixes tokens on the way out, as the other reshape did on the way in.
# - **One head that “understands”.** A map looks convincing because you chose the head after seeing it. To see it: measure it on sentences fixed beforehand.

# %% [markdown]
# ## Exercises
#
# Replace each `...` by your expression and run the cell. The check says which known mistake yours looks like.
#
# ### Exercise 1 · `split_heads`
#
# ●○○ · 5 minutes
#
# Write `split_heads(x, heads)`: from `(..., n, d_model)` to `(..., heads, n, d_model / heads)`. It must work with any number of axes in front: in the first line `*front` gathers them in a list.
#
# <details><summary>Hint 1</summary>
#
# It is two steps. The first cuts only the last axis.
#
# </details>
# <details><summary>Hint 2</summary>
#
# After the first step you have `(..., n, heads, d_head)`. Which two axes must change places?
#
# </details>
# <details><summary>Hint 3</summary>
#
# `swapaxes` counts from the end too, with negative numbers.
#
# </details>

# %% tags=["exercise"]
def split_heads(x, heads):
    *front, n, d_model = x.shape
    cut = ...
    return ...


check("split_heads", split_heads)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def split_heads(x, heads):
#     *front, n, d_model = x.shape
#     cut = x.reshape(*front, n, heads, d_model // heads)
#     return cut.swapaxes(-2, -3)
# ```
#
# </details>

# %% [markdown]
# ### Exercise 2 · `merge_heads`
#
# ●○○ · 5 minutes
#
# Write the inverse, `merge_heads(x)`: from `(..., heads, n, d_head)` to `(..., n, heads · d_head)`.
#
# <details><summary>Hint 1</summary>
#
# Undo the steps in reverse order.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Before joining, each token must have its heads side by side: `(..., n, heads, d_head)`.
#
# </details>
# <details><summary>Hint 3</summary>
#
# In the final `reshape`, the last size can be `-1`, unless some axis has size 0.
#
# </details>

# %% tags=["exercise"]
def merge_heads(x):
    *front, heads, n, d_head = x.shape
    rows = ...
    return ...


check("merge_heads", merge_heads)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def merge_heads(x):
#     *front, heads, n, d_head = x.shape
#     rows = x.swapaxes(-2, -3)
#     return rows.reshape(*front, n, heads * d_head)
# ```
#
# </details>

# %% [markdown]
# ### Exercise 3 · `multi_head_attention`
#
# ●●○ · 12 minutes
#
# Write the whole layer: `multi_head_attention(X, W_Q, W_K, W_V, W_O, heads)`, from `(n, d_model)` to `(n, d_model)`. No biases (vectors added after each matrix) and no mask (lesson 5). You may use `bloque.softmax`, `bloque.split_heads` and `bloque.merge_heads`.
#
# <details><summary>Hint 1</summary>
#
# Project first, split afterwards. Three products, three splits.
#
# </details>
# <details><summary>Hint 2</summary>
#
# With shapes `(heads, n, d_k)`, the product `@` runs once for each head by itself. You only need to transpose the last two axes of the keys.
#
# </details>
# <details><summary>Hint 3</summary>
#
# The divisor is the root of the width that the queries have after the split.
#
# </details>

# %% tags=["exercise"]
def multi_head_attention(X, W_Q, W_K, W_V, W_O, heads):
    Q = bloque.split_heads(X @ W_Q, heads)
    K = ...
    V = ...
    scores = ...
    weights = bloque.softmax(scores)
    return ...


check("multi_head_attention", multi_head_attention)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def multi_head_attention(X, W_Q, W_K, W_V, W_O, heads):
#     Q = bloque.split_heads(X @ W_Q, heads)
#     K = bloque.split_heads(X @ W_K, heads)
#     V = bloque.split_heads(X @ W_V, heads)
#     scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
#     weights = bloque.softmax(scores)
#     return bloque.merge_heads(weights @ V) @ W_O
# ```
#
# </details>

# %% [markdown]
# ### Exercise 4 · `head_cost`
#
# ●○○ · 4 minutes
#
# Write `head_cost(n, d_model, heads)`. It returns three whole numbers: the width of a head, the scores in one head, and the weights in the four matrices. Try it with $d_{\mathrm{model}} = 256$, 4 heads and $n = 100$ positions before you check.
#
# <details><summary>Hint 1</summary>
#
# None of the three depends on all the arguments.
#
# </details>
# <details><summary>Hint 2</summary>
#
# The scores of a head do not depend on its width.
#
# </details>
# <details><summary>Hint 3</summary>
#
# Whole numbers: use `//`.
#
# </details>

# %% tags=["exercise"]
def head_cost(n, d_model, heads):
    return ..., ..., ...


check("head_cost", head_cost)

# %% [markdown]
# <details><summary>Solution</summary>
#
# ```python
# def head_cost(n, d_model, heads):
#     return d_model // heads, n**2, 4 * d_model**2
# ```
#
# </details>

# %% [markdown]
# ## Questions
#
# No hurry and no marks. Every wrong answer says why it is wrong, and you may try again.

# %%
quiz("lesson3")

# %%
score("lesson3")

# %% [markdown]
# ## Summary
#
# 1. A row of weights adds up to 1, so two rules in one row compete, and a gap of a few units hides one of them. Two heads keep both.
# 2. Heads are narrow, $d_k = d_{\mathrm{model}}/h$: the four matrices have $4 d_{\mathrm{model}}^2$ weights for every $h$.
# 3. Reshape to $(n, h, d_k)$, then transpose. A bare reshape to $(h, n, d_k)$ mixes tokens and raises no error.
# 4. Every head sees all of $X$ through its own projections, and $W^O$ adds up what each one writes.
# 5. There are $n^2$ scores a head. Against a simple recurrence, attention takes more operations, not fewer; what it gains is that none of its positions has to wait.
#
# ## Terms
#
# | English | Spanish | in one line |
# |---|---|---|
# | head | *cabeza* | an attention with projections of its own, $d_k$ columns wide |
# | projection | *proyección* | the product by a learnt matrix that makes queries, keys or values |
# | cross-attention | *atención cruzada* | queries from one sequence, keys and values from another |
# | output matrix | *matriz de salida* | $W^O$, which mixes what the heads found |
# | attention map | *mapa de atención* | the weights of one head: rows are queries, columns are keys |
#
# All the terms are in the [glossary](90_glossary.ipynb).
#
# ## Sources
#
# - Vaswani et al. (2017), *Attention Is All You Need*: section 3.2.2 (heads), table 1 (costs).
# - Bahdanau, Cho and Bengio (2014), *Neural Machine Translation by Jointly Learning to Align and Translate*: section 3.1.
# - Clark et al. (2019), *What Does BERT Look At?*: section 3 (neighbours and marks) and section 4 (syntax).
# - Devlin et al. (2018), *BERT*: section 3, sizes of the model.
# - Wang et al. (2024), *Multilingual E5 Text Embeddings: A Technical Report*: the real model.
#
# **Next lesson:** [4 · Residual connection and layer norm](04_residual_layer_norm.ipynb).

# %% tags=["colophon"]
from bloque.colophon import colophon

colophon(3)
