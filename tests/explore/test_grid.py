"""Controls over an integer grid: their positions, their read-outs, and what is refused."""

import math

import numpy as np
import pytest

import bloque
from bloque.explore import Choice, Guess, Numbers, Powers, Sentence, Slider, Switch

THIN = "\u202f"


@pytest.fixture(autouse=True, params=["es", "en"])
def language(request):
    before = bloque.language()
    yield bloque.language(request.param)
    bloque.language(before)


def readouts(control):
    return [control.readout(i, "explore.example") for i in range(control.count)]


def test_a_step_of_a_tenth_reads_as_a_tenth():
    slider = Slider("x", 0, 1, step=0.1, value=0.3)
    assert slider.values[3] == 0.3
    assert readouts(slider)[3] == "0.3"
    assert slider.default == 3


def test_whole_sliders_give_integers():
    slider = Slider("n", 1, 48, value=12)
    assert slider.count == 48
    assert all(isinstance(v, int) for v in slider.values)
    assert readouts(slider)[11] == "12"


def test_a_log_slider_goes_by_even_ratios_and_uses_what_it_shows():
    slider = Slider("scale", 0.1, 100, log=True, steps=61, value=1)
    ratios = [b / a for a, b in zip(slider.values, slider.values[1:], strict=False)]
    assert max(ratios) / min(ratios) < 1.02
    assert [float(r) for r in readouts(slider)] == slider.values
    assert slider.values[slider.default] == 1
    assert slider.values[slider.index_of(3)] == 3.16


def test_a_log_slider_goes_through_the_numbers_it_is_told():
    assert 3 in Slider("scale", 0.1, 100, log=True, steps=61, value=3, through=(3, 30)).values


def test_powers_of_two():
    powers = Powers("d_k", 1, 2**20, value=64)
    assert powers.count == 21
    assert powers.value_of(powers.default) == 64
    assert readouts(powers)[-1] == f"1{THIN}048{THIN}576"


def test_minus_is_a_minus():
    assert readouts(Slider("x", -1, 1, step=0.5, value=0)) == ["−1.0", "−0.5", "0.0", "0.5", "1.0"]


@pytest.mark.parametrize("kind", [int, float, np.int64, np.uint8, np.float32, np.float64])
def test_numpys_numbers_are_numbers(kind):
    assert Slider("n", 1, 10).index_of(kind(5)) == 4
    assert Slider("n", 1, 1000, log=True, steps=4).index_of(kind(100)) == 2


def test_an_end_in_single_precision_is_the_end():
    slider = Slider("x", 0.7, 2.2, step=0.1)
    low, high = np.float32([0.7, 2.2])
    assert float(low) < 0.7 < 2.2 < float(high)
    for kind in (np.float32, float):
        assert (slider.index_of(kind(low)), slider.index_of(kind(high))) == (0, slider.count - 1)
    for beyond in (0.69, 2.21, math.inf, 10**400):
        with pytest.raises(ValueError, match=r"0\.7 .* 2\.2"):
            slider.index_of(beyond)


@pytest.mark.parametrize("given", [math.nan, np.float32("nan"), True, np.True_, "5", None, [5]])
def test_what_is_no_number_is_called_so(given, language):
    with pytest.raises(ValueError, match={"es": "recibe un número de 1 a 10", "en": "takes a number from 1 to 10"}[language]):
        Slider("n", 1, 10).index_of(given)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Slider("x", 2, 1),
        lambda: Slider("x", 0, math.inf),
        lambda: Slider("x", 0, 1, step=0.1, value=0.25),
        lambda: Slider("x", 0, 1, step=0.3),
        lambda: Slider("x", 0, 1, step=0),
        lambda: Slider("x", 0, 10, log=True),
        lambda: Slider("x", 0, 1, steps=10**6),
        lambda: Slider("not a name", 0, 1),
        lambda: Powers("x", 3, 8),
        lambda: Powers("x", 8, 4),
        lambda: Powers("x", 1, 8, value=5),
        lambda: Choice("x", []),
        lambda: Choice("x", ["a", "a"]),
        lambda: Choice("x", ["a"], value="b"),
        lambda: Numbers("x", []),
        lambda: Numbers("x", [1], minimum=2, maximum=1),
        lambda: Numbers("x", [math.nan]),
        lambda: Numbers("x", [5], minimum=0, maximum=1),
        lambda: Sentence("x", "  "),
        lambda: Sentence("x", "a" * 300),
        lambda: Guess("x", 0, 1, truth=math.nan),
        lambda: Guess("x", 0, 1, truth=0.5, axis="z"),
        lambda: bloque.language("xx"),
    ],
)
def test_what_cannot_be_is_refused_in_the_readers_language(make, language):
    with pytest.raises(ValueError, match=r"\S+ \S+") as refused:
        make()
    spanish = any(word in f" {refused.value} " for word in (" de ", " que ", " una ", " en ", " tiene ", " como "))
    assert spanish == (language == "es"), str(refused.value)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("0 1 2", (0, 1, 2)),
        ("0, 1, 2", (0, 1, 2)),
        ("0; 1,5; 2", (0, 1.5, 2)),
        ("0,5 1,5 2", (0.5, 1.5, 2)),
        ("[0.5, −1, 2]", (0.5, -1, 2)),
        ("0,1,2", (0, 1, 2)),
        ("  3   4   5 ", (3, 4, 5)),
    ],
)
def test_numbers_as_people_write_them(written, read):
    assert Numbers("x", [0, 0, 0], minimum=-9, maximum=9).read(written) == read


@pytest.mark.parametrize("written", ["", "a b c", "1 2", "1 2 3 4", "1.234,5 1 2", "nan 1 2", "1 2 1e9"])
def test_what_cannot_be_read_is_explained(written):
    with pytest.raises(ValueError, match=r"\S+ \S+ \S+"):
        Numbers("x", [0, 0, 0], minimum=-9, maximum=9).read(written)


def test_two_readings_that_differ_are_asked_about():
    with pytest.raises(ValueError, match="1,5 2"):
        Numbers("x", [0, 0], lengths=(2, 8)).read("1,5 2")


def test_what_is_written_is_read_again():
    numbers = Numbers("x", [0.5, -3, 2])
    assert numbers.read(numbers.write(numbers.value)) == numbers.value


def test_a_switch_is_on_or_off(language):
    assert readouts(Switch("x")) == (["no", "sí"] if language == "es" else ["off", "on"])
