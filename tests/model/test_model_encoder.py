"""The real model run by the course's block: equal to BertModel, quick, light, and open to other blocks."""

import os
import subprocess
import sys

import numpy as np
import pytest

import bloque
from bloque.model import load
from bloque.model.encoder import bare_block
from bloque.texts import text

STORED = 1e-5  # the stored values are rounded to five decimals, and float32 adds a little
ROOM = 1e-5


@pytest.mark.parametrize("code", ["es", "en"])
def test_every_layer_and_every_head_equal_those_of_bert(model, tokens, reference, code):
    trace = model.trace(tokens["sentences"][code])
    assert trace.states.shape == (13, len(trace.pieces), 384)
    assert trace.maps.shape == (12, 12, len(trace.pieces), len(trace.pieces))
    np.testing.assert_allclose(trace.states, reference[f"{code}_states"] * STORED, rtol=0, atol=ROOM)
    np.testing.assert_allclose(trace.maps, reference[f"{code}_maps"] * STORED, rtol=0, atol=ROOM)


def test_encode_is_the_last_of_the_trace(model, tokens, reference):
    sentence = tokens["sentences"]["es"]
    last = model.encode(sentence)
    assert last.dtype == np.float32
    np.testing.assert_allclose(last, reference["es_states"][-1] * STORED, rtol=0, atol=ROOM)
    np.testing.assert_allclose(model.embed(sentence), reference["es_states"][0] * STORED, rtol=0, atol=ROOM)
    np.testing.assert_array_equal(model.attention_maps(sentence), model.trace(sentence).maps)


def test_the_small_file_gives_the_same_first_maps(model, tokens):
    first = load("layer 1")
    for sentence in tokens["sentences"].values():
        np.testing.assert_allclose(first.attention_maps(sentence), model.attention_maps(sentence)[:1], atol=1e-6)
        sharp = model.attention_maps(sentence, without="division")[:1]
        np.testing.assert_allclose(first.attention_maps(sentence, without="division"), sharp, atol=1e-6)


def test_the_small_file_says_what_it_cannot_do(each_language):
    with pytest.raises(ValueError, match=r".") as error:
        load("layer 1").encode("banco")
    assert str(error.value) == text("model.only_layer_one")


def test_a_sentence_vector_has_length_one_and_is_the_mean(model):
    vector = model.sentence_vector("El gato duerme.")
    rows = model.encode("El gato duerme.")
    np.testing.assert_allclose(np.linalg.norm(vector), 1, atol=1e-6)
    np.testing.assert_allclose(vector * np.linalg.norm(rows.mean(axis=0)), rows.mean(axis=0), atol=1e-6)


# --- a block of one's own --------------------------------------------------------------------------


def own_block(x, parameters, heads, norm="post", activation="relu", eps=1e-5):
    """A block as a learner may write it: loops over the heads, nothing of the library's."""
    attention, first, network, second = parameters
    d_k = x.shape[1] // heads

    def normalise(x, gamma, beta):
        deviation = np.sqrt(x.var(axis=1, keepdims=True) + eps)
        return (x - x.mean(axis=1, keepdims=True)) / deviation * gamma + beta

    found = []
    for i in range(heads):
        columns = slice(i * d_k, (i + 1) * d_k)
        q, k, v = (
            x @ W[:, columns] + b[columns] for W, b in zip(attention[:3], (attention.b_Q, attention.b_K, attention.b_V), strict=True)
        )
        scores = np.exp(q @ k.T / np.sqrt(d_k))
        found.append(scores / scores.sum(axis=1, keepdims=True) @ v)
    x = normalise(x + np.hstack(found) @ attention.W_O + attention.b_O, *first)
    hidden = x @ network.W1 + network.b1
    assert activation == "gelu"
    return normalise(x + bloque.gelu(hidden) @ network.W2 + network.b2, *second)


def test_a_block_of_ones_own_runs_every_layer(model, tokens, reference):
    rows = model.encode(tokens["sentences"]["es"], block=own_block)
    np.testing.assert_allclose(rows, reference["es_states"][-1] * STORED, rtol=0, atol=ROOM)
    vector = model.sentence_vector(tokens["sentences"]["es"], block=own_block)
    np.testing.assert_allclose(vector, model.sentence_vector(tokens["sentences"]["es"]), atol=1e-5)


def test_the_librarys_block_as_ones_own(model):
    np.testing.assert_array_equal(model.encode("El banco.", block=bloque.encoder_block), model.encode("El banco."))


def test_a_block_is_given_only_the_keywords_it_takes(model):
    seen = []

    def plain(x, parameters, heads):
        seen.append(heads)
        return x

    def open_handed(x, parameters, heads, **keywords):
        seen.append(keywords)
        return x

    np.testing.assert_array_equal(model.encode("El banco.", block=plain), model.embed("El banco."))
    model.encode("El banco.", block=open_handed)
    assert seen == [12] * 12 + [{"norm": "post", "activation": "gelu", "eps": 1e-12}] * 12


@pytest.mark.parametrize(
    ("wrong", "key", "values"),
    [
        (lambda x, p, h: None, "block_type", {"type": "NoneType"}),
        (lambda x, p, h: (x, x), "block_shape", {"shape": (2, 5, 384), "expected": (5, 384)}),
        (lambda x, p, h: x[:, :-1], "block_shape", {"shape": (5, 383), "expected": (5, 384)}),
        (lambda x, p, h: x * np.inf, "block_not_finite", {}),
        (lambda x, p, h: "hola", "block_type", {"type": "str"}),
    ],
)
def test_a_block_that_gives_something_else(model, wrong, key, values, each_language):
    assert len(model.pieces("El banco.")) == 5
    with np.errstate(invalid="ignore"), pytest.raises(ValueError, match="1") as error:
        model.encode("El banco.", block=wrong)
    assert str(error.value) == text(f"model.{key}", layer=1, **values)


# --- taking things out -----------------------------------------------------------------------------


def test_a_bare_block_with_everything_is_the_block(model):
    x = model.embed("El banco de mi jardín.")
    with_all, _ = bare_block(x, model.blocks[3], 12, residual=True, norm=True, eps=1e-12)
    expected = bloque.encoder_block(x, model.blocks[3], 12, activation="gelu", eps=1e-12)
    np.testing.assert_array_equal(with_all, expected)


def test_without_the_division_the_scores_are_root_d_k_times_as_large(model):
    with_it, without = (model.attention_maps("El banco de mi jardín.", without=w)[0] for w in ((), "division"))
    # log-weights of a row are its scores less a constant: compare differences
    raw, divided = (np.diff(np.log(maps.astype(np.float64)), axis=-1) for maps in (without, with_it))
    np.testing.assert_allclose(raw, divided * np.sqrt(32), rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("part", ["division", "residual", "norm"])
def test_taking_anything_out_changes_the_model(model, part):
    whole, less = model.encode("El banco de mi jardín."), model.encode("El banco de mi jardín.", without=part)
    assert np.isfinite(less).all()
    assert np.abs(whole - less).max() > 0.1
    np.testing.assert_array_equal(less, model.trace("El banco de mi jardín.", without=part).states[-1])


def test_what_cannot_be_taken_out(model, each_language):
    with pytest.raises(ValueError, match="'división'"):
        model.encode("banco", without="división")
    with pytest.raises(ValueError, match="block="):
        model.encode("banco", block=own_block, without=["norm"])


# --- cost ------------------------------------------------------------------------------------------

TWENTY = "Me senté en el banco de mi jardín y leí el periódico hasta que llegó mi hermana."


def test_quick_and_light(model):
    """Measured on two quiet cores: load 0.3 s, a sentence of 22 pieces 0.055 s, 150 MB at most.

    The promises are 1 s, 0.1 s and 250 MB. Here one thread's processor time is measured, which a
    busy machine hardly changes, and still given room.
    """
    assert len(model.pieces(TWENTY)) >= 20
    program = f"""
import time
from bloque.model import load
start = time.process_time()
model = load()
loading = time.process_time() - start
encoding = []
for _ in range(5):
    start = time.process_time()
    model.encode({TWENTY!r})
    encoding.append(time.process_time() - start)
model.attention_maps({TWENTY!r})
# on Linux getrusage would count the parent's memory too, from before this program replaced its copy
try:
    with open("/proc/self/status", encoding="utf-8") as status:
        memory = next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1e3
except OSError:  # not Linux
    memory = 0
print(loading, min(encoding), memory)
"""
    one_thread = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, "-c", program], env=one_thread, capture_output=True, text=True, check=True)
    loading, encoding, memory = map(float, done.stdout.split())
    assert loading < 2
    assert encoding < 0.3
    assert memory < 250
