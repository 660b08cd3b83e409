"""Lesson 0: the test of the installation, tried on installations that are broken in known ways."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bloque
from bloque.lessons import entrance as lesson

NEEDS = ["numpy>=1.26", "matplotlib>=3.8", "ipywidgets>=8.1", "anywidget>=0.9.13", 'torch>=2.2; extra == "torch"']
GOOD = {
    "numpy": "2.4.6",
    "matplotlib": "3.11.2",
    "ipywidgets": "8.1.9",
    "anywidget": "0.9.18",
    "jupyterlab_widgets": "3.0.15",
    "bloque": bloque.__version__,
}


def examine(versions=None, python=(3, 11), environment=None, browser=False):
    return lesson.examine(
        python=python,
        executable="/somewhere/bin/python",
        version_of=(GOOD | (versions or {})).get,
        needs=NEEDS,
        environment=environment or {},
        browser=browser,
    )


def remedies(report):
    return [finding.remedy for finding in report if not finding.good]


def test_a_good_installation_is_fine(each_language):
    report = examine()
    assert remedies(report) == []
    assert len(report) == 7
    assert repr(report).endswith(bloque.texts.text("entrance.test.fine"))
    assert "✗" not in repr(report)


def test_this_very_installation_is_fine():
    assert remedies(lesson.self_test()) == []


@pytest.mark.parametrize(
    ("versions", "told"),
    [
        ({"anywidget": None}, ["anywidget", "/somewhere/bin/python", "pip install", "anywidget>=0.9.13"]),
        ({"numpy": "1.24.0"}, ["numpy 1.24.0", "-U", "numpy>=1.26"]),
        ({"jupyterlab_widgets": "1.1.11"}, ["jupyterlab_widgets 1.1.11", "ipywidgets 8.1.9", "jupyterlab_widgets>=3"]),
        ({"bloque": "0.9.0"}, ["0.9.0", bloque.__version__]),
    ],
)
def test_what_is_off_is_named_with_its_remedy(versions, told, each_language):
    found = remedies(examine(versions))
    assert len(found) == 1
    assert [words for words in told if words not in found[0]] == []


def test_an_old_python_is_named(each_language):
    (found,) = remedies(examine(python=(3, 9)))
    assert "3.9" in found
    assert "/somewhere/bin/python" in found


def test_the_release_that_vs_code_cannot_draw_is_named_there_only(each_language):
    assert remedies(examine()) == []
    (found,) = remedies(examine(environment={"VSCODE_PID": "1"}))
    assert "ipywidgets==8.1.8" in found
    assert remedies(examine({"ipywidgets": "8.1.8"}, environment={"VSCODE_PID": "1"})) == []


def test_a_page_of_its_own_python_is_no_fault():
    assert remedies(examine({"jupyterlab_widgets": None})) == []


def test_no_pip_in_the_browser(each_language):
    (found,) = remedies(examine({"anywidget": None}, browser=True))
    assert "pip" not in found


def test_a_report_counts_what_is_wrong(each_language):
    report = examine({"anywidget": None, "numpy": "1.0"})
    assert repr(report).count("✗") == 2
    assert repr(report).splitlines()[-1] == bloque.texts.text("entrance.test.wrong", wrong="2")


@pytest.mark.parametrize(("degrees", "product"), [(0, 3), (60, 1.5), (90, 0), (180, -3), (270, 0), (360, 3)])
def test_dot_product(degrees, product):
    assert lesson.dot_product(degrees) == pytest.approx(product, abs=1e-9)
    assert math.copysign(1, lesson.dot_product(90)) == 1  # no minus zero on the page


def test_the_first_slider(each_language):
    explorer = lesson.dot()
    assert "0.00" in explorer.at(angle=90)
    assert "−3.00" in explorer.at(angle=180)
    assert lesson.dot_product(explorer.guess.truth) == 0
    x, y = explorer.figure.axes[1].lines[0].get_data()
    assert list(x) == list(range(0, 185, 5))
    np.testing.assert_allclose(y, 3 * np.cos(np.radians(x)), atol=1e-9)


def test_the_map_names_every_lesson(each_language):
    picture = lesson.course_map()
    words = [text.get_text() for text in picture.figure.axes[0].texts]
    assert {"1", "2", "3", "4", "5", "6"} <= set(words)
    assert [lesson_number for lesson_number in "123456" if lesson_number not in picture.caption] == []
    assert picture.png().startswith(b"\x89PNG")
