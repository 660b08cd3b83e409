# make lab   opens the course            make test       runs every test but the site's
# make notebooks   builds the notebooks  make site       builds the static site
# The same as plain commands, for Windows too, stands in README.md.

PYTHON ?= python3
VENV ?= .venv
ARGS ?=

# On Windows a venv keeps its programs elsewhere.
BIN := $(if $(filter Windows_NT,$(OS)),$(VENV)/Scripts,$(VENV)/bin)
RUN := $(BIN)/python

# The reader's language: LANGUAGE=es make lab, or what the system says; where there is no such course, English.
LOCALE := $(firstword $(LANGUAGE) $(LC_ALL) $(LC_MESSAGES) $(LANG) en)
CODE := $(shell printf '%.2s' '$(LOCALE)')
ENTRANCE := $(firstword $(wildcard notebooks/$(CODE)/00_*.ipynb) $(wildcard notebooks/en/00_*.ipynb))

.PHONY: help lab test test-quick test-site notebooks site class bench oracle lock lint system clean
.DEFAULT_GOAL := help

help:
	@sed -n '1,3s/^# *//p' Makefile

lab: $(VENV)/.reader
	$(RUN) -m jupyter lab --ServerApp.root_dir=. $(if $(filter 0,$(shell id -u)),--allow-root) $(ARGS) $(ENTRANCE)

test: system $(VENV)/.test
	$(RUN) -m pytest $(ARGS)

test-quick: $(VENV)/.test
	$(RUN) -m pytest -m "not slow and not browser" $(ARGS)

notebooks: $(VENV)/.test
	$(RUN) tools/build_notebooks.py $(ARGS)

# The site is built in an environment of its own: JupyterLite brings a JupyterLab of its own version.
site: $(VENV)-site/.made
	$(VENV)-site/$(notdir $(BIN))/python -m tools.site $(ARGS)

test-site: system $(VENV)/.test
	$(RUN) -m pytest tests/site -p no:cacheprovider $(ARGS)

class: $(VENV)/.reader
	$(RUN) -m bloque class $(ARGS)

bench: $(VENV)/.torch
	$(RUN) tools/bench_block.py
	$(RUN) tools/bench_explorers.py

# The course against PyTorch: hundreds of megabytes to download, and so not part of "make test".
oracle: $(VENV)/.torch
	$(RUN) -m pytest -m torch $(ARGS)

lint: $(VENV)/.test
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy

lock:
	$(PYTHON) tools/lock.py

# What pip cannot install: a browser, and dictionaries for the spelling test.
system:
	@sh tools/system_packages.sh

clean:
	rm -rf $(VENV) $(VENV)-site _site _class .pytest_cache .hypothesis .ruff_cache .mypy_cache

# Each environment is a file that says when it was last made, so that a second run takes seconds.
# First with the versions the tests passed with; where those do not install (a newer Python), with the newest.
INSTALL = $(RUN) -m pip install -qq --disable-pip-version-check

$(RUN):
	$(PYTHON) -m venv $(VENV)

$(VENV)/.reader: requirements.txt pyproject.toml | $(RUN)
	$(INSTALL) -c constraints.txt -r requirements.txt || $(INSTALL) -r requirements.txt
	@touch $@

$(VENV)/.test: requirements-test.txt requirements.txt pyproject.toml constraints.txt | $(RUN)
	$(INSTALL) -c constraints.txt -r requirements-test.txt || $(INSTALL) -r requirements-test.txt
	@touch $@ $(VENV)/.reader

$(VENV)-site/.made: tools/site/requirements.txt pyproject.toml
	$(PYTHON) -m venv $(VENV)-site
	$(VENV)-site/$(notdir $(BIN))/python -m pip install -qq --disable-pip-version-check -r tools/site/requirements.txt
	@touch $@

$(VENV)/.torch: $(VENV)/.test
	$(INSTALL) -c constraints.txt -e .[test,torch] || $(INSTALL) -e .[test,torch]
	@touch $@
