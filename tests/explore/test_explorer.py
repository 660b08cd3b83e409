"""The explorer without a browser: positions, captions, frames, errors, memory, threads."""

import doctest
import gc
import io
import json
import random
import threading
import tracemalloc
import zlib

import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image

import bloque
from bloque.explore import Explorer, ExplorerError, Guess, Picture, Slider, explorer, style
from bloque.explore.render import Drawing, png
from bloque.explore.tour import LONGEST_TOUR, default_tour, telling_positions


def read(data):
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGBA"))


def applied(base, packed):
    """What view.js does with a packed frame: the base's words, and over them the runs that change."""
    words = read(base).reshape(-1, 4).view("<u4").reshape(-1).copy()
    told = np.frombuffer(zlib.decompress(packed), dtype="<u4")
    edges, values = told[1 : 1 + told[0]].astype(int), told[1 + told[0] :]
    for begin, end in zip(edges[::2], edges[1::2], strict=True):
        words[begin:end], values = values[: end - begin], values[end - begin :]
    assert not values.size
    return words.view(np.uint8).reshape(read(base).shape)


def test_the_example_in_the_docstring_runs():
    assert doctest.testmod(explorer).failed == 0


def test_its_text_is_its_caption(waves):
    made = waves().explorer
    assert repr(made) == "speed 2, sine, highest 3"
    assert made.at(speed=5) == repr(made) == "speed 5, sine, highest 3"
    assert made.at(rule="square") == "speed 5, square, highest 3"
    assert made.at(heights=[4, 5, 6]) == "speed 5, square, highest 6"


def test_a_move_that_cannot_be_made_moves_nothing(waves):
    broken = []
    made = waves(lambda made, speed: 1 / 0 if broken and speed == 9 else None).explorer
    made.at(speed=5, grid=True)
    broken.append(True)
    before = made.position, made.free, repr(made)
    for wrong in (
        {"heights": [4, 5, 6], "speed": 99},
        {"speed": 3, "heights": [4, 5]},
        {"heights": [4, 5, 6], "velocity": 1},
        {"heights": [4, 5, 6], "speed": 9},
    ):
        with pytest.raises(ValueError, match=r"\w"):
            made.at(**wrong)
        assert (made.position, made.free, repr(made)) == before


def test_building_tries_both_ends_and_every_option(waves):
    calls = set(waves().calls)
    assert {(1, "sine", False), (10, "sine", False), (2, "square", False), (2, "sine", True), (10, "square", True)} <= calls
    assert waves().calls[-1] == (2, "sine", False)


@pytest.mark.parametrize("speed", [1, 10])
def test_a_frame_that_raises_at_one_end_fails_the_build(waves, speed):
    def change(made, now):
        if now == speed:
            raise KeyError("heads")

    with pytest.raises(ExplorerError, match=f"speed: {speed} Hz.*heads"):
        waves(change)


@pytest.mark.parametrize("language", ["es", "en"])
def test_errors_speak_the_readers_language(waves, language):
    bloque.language(language)
    with pytest.raises(ExplorerError, match={"es": "tiene que devolver", "en": "must return"}[language]):
        waves(lambda made, now: 7)


def test_nan_is_found(waves):
    with pytest.raises(ExplorerError, match="NaN"):
        waves(lambda made, now: made.bars[0].set_height(np.nan))
    with pytest.raises(ExplorerError, match="NaN"):
        waves(lambda made, now: made.line.set_ydata(np.full(50, np.nan)))


def test_a_gap_in_a_line_is_no_error(waves):
    waves(lambda made, now: made.line.set_ydata(np.where(np.arange(50) == 3, np.nan, 0)))


def test_a_frame_that_takes_ten_seconds_is_refused(waves, monkeypatch):
    clock = iter(range(0, 10_000, 10))
    monkeypatch.setattr(explorer, "own_seconds", lambda: next(clock))
    with pytest.raises(ExplorerError, match="10 s"):
        waves()


def test_wrong_artists_are_refused():
    made = Explorer("waves", controls=[Slider("speed", 1, 2)])
    with pytest.raises(ExplorerError, match="str"):
        made.moving("line")
    other = Figure().subplots().plot([1])
    with pytest.raises(ExplorerError, match="Line2D"):
        made.moving(other)
    with pytest.raises(ExplorerError, match="frame"):
        made.at(speed=2)


def test_unknown_and_double_names_are_refused(waves):
    with pytest.raises(ExplorerError, match=r"velocity.*speed"):
        waves().explorer.at(velocity=3)
    with pytest.raises(ValueError, match="99"):
        waves().explorer.at(speed=99)
    with pytest.raises(ExplorerError, match="speed"):
        Explorer("waves", controls=[Slider("speed", 1, 2), Slider("speed", 1, 2)])


def test_a_missing_text_is_an_error_and_not_a_blank():
    with pytest.raises(KeyError):
        Explorer("waves", controls=[Slider("nameless", 1, 2)])


@pytest.mark.parametrize("ratio", [1, 1.25, 2])
def test_a_frame_is_the_picture_a_full_draw_gives(waves, ratio):
    made = waves()
    made.explorer.pixels((0, 0, 0), ratio)
    for position in [(9, 1, 1), (3, 0, 1), (0, 1, 0)]:
        blitted, _ = made.explorer.pixels(position, ratio)
        made.explorer.figure.set_layout_engine("none")
        whole = made.explorer.drawing
        whole.canvas.draw()
        assert np.array_equal(blitted, np.asarray(whole.canvas.buffer_rgba()))
        assert (blitted[..., 3] == 255).all()
        assert blitted.shape == (round(200 * ratio), round(500 * ratio), 4)


def test_a_frame_does_not_depend_on_what_was_drawn_before(waves):
    one, other = waves().explorer, waves().explorer
    for position in [(5, 0, 0), (9, 1, 1), (0, 0, 1)]:
        one.picture(position)
    assert one.picture((7, 1, 1)) == other.picture((7, 1, 1))


def test_moved_limits_are_drawn_whole(waves):
    made = waves(lambda made, now: made.right.set_ylim(0, 9 * now) and None)
    first, _ = made.explorer.pixels((0, 0, 0))
    made.explorer.pixels((9, 0, 0))
    again, _ = made.explorer.pixels((0, 0, 0))
    assert np.array_equal(first, again)
    other, _ = made.explorer.pixels((9, 0, 0))
    labels = slice(250, 290)  # the columns of the right axes' numbers, which only a whole drawing changes
    assert (first[:, labels] != other[:, labels]).any()
    made.explorer.figure.set_layout_engine("none")
    made.explorer.drawing.canvas.draw()
    assert np.array_equal(other, np.asarray(made.explorer.drawing.canvas.buffer_rgba()))


def test_a_drawing_that_fails_leaves_the_next_as_it_would_have_been(waves, monkeypatch):
    one, other = waves().explorer, waves().explorer
    one.drawing.forget()
    with monkeypatch.context() as broken:
        broken.setattr(type(one.drawing.canvas), "draw", lambda self: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            one.draw((9, 0, 1))
    assert not any(artist.get_animated() for axes in one.figure.axes for artist in axes.get_children())
    assert one.figure.get_layout_engine() is not None
    assert np.array_equal(one.pixels((9, 0, 1))[0], other.pixels((9, 0, 1))[0])


def test_the_png_is_the_picture():
    pixels = np.random.default_rng(0).integers(0, 256, (7, 5, 4), dtype=np.uint8)
    assert np.array_equal(read(png(pixels)), pixels)


def test_still_and_stored_pictures(waves):
    made = waves(strip=[{"speed": 1}, {"speed": 5}, {"speed": 10}]).explorer
    assert read(made.still(speed=3)).shape == (200, 500, 4)
    stored = read(made.stored_png())
    assert stored.shape[1] == 750
    assert stored.shape[0] > 400
    assert (stored[..., 3] == 255).all()
    assert (stored[0, 0] == 255).all()
    assert made.stored_png() == made.stored_png()


def test_stored_pictures_keep_small_marks_their_colour():
    figure = style.figure(figsize=(4, 2))
    figure.subplots().plot([0], [0], "o", color=style.ACCENT)
    pixels = read(Picture(figure, "caption", "alt").png(1))[..., :3]
    accent = tuple(int(style.ACCENT[i : i + 2], 16) for i in (1, 3, 5))
    assert (pixels == accent).all(-1).sum() > 10


def test_five_hundred_random_moves_leave_nothing_behind(waves):
    from matplotlib import _pylab_helpers

    made = waves().explorer
    choose = random.Random(0)
    positions = [tuple(choose.randrange(c.count) for c in made.grid) for _ in range(500)]
    for position in positions[:350]:
        made.draw(position)
    gc.collect()
    tracemalloc.start()  # now that all is as full as it gets: drawing takes three times as long while it counts
    for position in positions[350:]:
        made.draw(position)
    gc.collect()
    now, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert now < 150 * 3000  # a picture left behind would be 150 times a megabyte
    assert not _pylab_helpers.Gcf.figs


def test_two_threads_draw_without_harming_each_other(waves):
    one, other = waves().explorer, waves().explorer
    expected = {position: one.picture((position, 0, 0)) for position in range(10)}
    wrong = []

    def work(made, order):
        try:
            wrong.extend(index for index in order if made.picture((index, 0, 0)) != expected[index])
        except Exception as error:  # it would end the thread and nothing else
            wrong.append(error)

    jobs = [threading.Thread(target=work, args=(made, order)) for made in (one, other) for order in (range(10), range(9, -1, -1))]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join()
    assert not wrong


def test_a_tour_longer_than_promised_is_refused():
    def toured(positions):
        return Explorer("waves", controls=[Slider("speed", 1, 400)], tour=[{"speed": s} for s in range(1, positions + 1)] * 2)

    assert len(toured(LONGEST_TOUR).tour) == LONGEST_TOUR
    with pytest.raises(ExplorerError, match=r"waves .*\b301\b.*\b300\b"):
        toured(LONGEST_TOUR + 1)


def test_the_tour_is_bounded_and_starts_at_home():
    grid = [Slider("a", 1, 400, value=200), Slider("b", 1, 400, value=200)]
    tour = default_tour(grid)
    assert len(tour) == LONGEST_TOUR
    assert tour[0] == (199, 199)
    assert telling_positions(grid)[-1] == (199, 199)


def test_a_static_page_gets_the_tour(waves, tmp_path):
    made = waves(tour=[{"speed": s} for s in (1, 2, 3)])
    made.explorer.guess = Guess("top", 0, 1, step=0.1, truth=0.8, axes=made.left, axis="y")
    manifest = json.loads(made.explorer.export(tmp_path, pixel_ratio=2).read_text(encoding="utf-8"))
    assert set(manifest["frames"]) == {"0,0,0", "1,0,0", "2,0,0"}
    base = (tmp_path / manifest["base"]).read_bytes()
    for key, frame in manifest["frames"].items():
        position = tuple(map(int, key.split(",")))
        pixels = applied(base, (tmp_path / frame["file"]).read_bytes()[frame["from"] :][: frame["size"]])
        assert np.array_equal(pixels, made.explorer.pixels(position, 2)[0])
    assert manifest["frames"]["2,0,0"]["caption"] == "speed 3, sine, highest 3"
    assert manifest["controls"][0]["readouts"][1] == "2 Hz"
    assert manifest["guess"]["question"] == "How high?"
    place = manifest["guess"]["place"]
    assert place["guesses"] == sorted(place["guesses"], reverse=True)
    assert place["box"][1] < place["truth"] < place["box"][3]


def test_the_guess_stands_where_the_data_say(waves):
    made = waves()
    made.explorer.guess = Guess("top", -1, 1, step=0.5, truth=0.2, axes=made.left, axis="y")
    place = made.explorer.spec()["guess"]["place"]
    pixels, _ = made.explorer.pixels((0, 0, 0), 2)
    row = pixels[round(place["truth"] * pixels.shape[0]), round((place["box"][0] + 0.02) * pixels.shape[1])]
    assert row[:3].max() < 80  # the black line drawn at 0.2


def test_no_pyplot_is_ever_loaded():
    import subprocess
    import sys

    code = "import sys, bloque.explore; sys.exit('matplotlib.pyplot' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("size", [(9, 3), (4.4, 2.26)])
def test_a_picture_is_as_wide_on_the_page_as_an_explorer(size):
    made = Explorer("waves", figsize=size)
    wide, high = (round(side * 100) for side in size)
    assert (made.width, made.spec()["height"]) == style.page_size(style.figure(figsize=size)) == (wide, high)


def test_drawing_outside_notebooks_takes_any_figure():
    assert Drawing(style.figure(figsize=(2, 1))).pixels(1).shape == (100, 200, 4)
