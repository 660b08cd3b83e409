#!/bin/sh
# Does the course work with the lowest versions that pyproject.toml allows? Needs uv.
# Runs the quick tests of the library, and the English notebooks: with other versions than those of constraints.txt
# their words are compared letter by letter and their numbers to three significant digits (see conftest.py).
set -eu
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
uv venv --quiet --python "${PYTHON:-3.11}" "$folder/venv"
uv pip install --quiet --python "$folder/venv/bin/python" --resolution lowest-direct -e .
# the tools of the tests may be new; what the course runs on stays as it is
uv pip freeze --python "$folder/venv/bin/python" | grep -E '^(numpy|matplotlib|ipywidgets|anywidget)==' > "$folder/lowest.txt"
cat "$folder/lowest.txt"
uv pip install --quiet --python "$folder/venv/bin/python" -c "$folder/lowest.txt" -e '.[test]'
"$folder/venv/bin/python" -m pytest -q -m "not browser and not slow" \
    tests notebooks/en --ignore tests/notebooks --ignore tests/browser "$@"
