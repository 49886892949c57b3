# Build, test and run laconic. Each target first creates the virtual environment that it needs.
# You only need Python 3.11 or newer and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEMO := pydocs.model
JOBS ?= auto
# Compiled Python files make the many processes of the tests start faster.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo serve test test-docs test-browser test-benchmarks test-all test-floors browser kernels messages lint fix \
  bench docs dist pictures gallery fuzz clean

demo: $(VENV)/.web
	@$(BIN)/laconic demo -o $(DEMO)

# Run the explorer on the built-in corpus until Ctrl-C. If `make demo` has not fitted the model yet,
# fit it first.
serve: $(VENV)/.web
	@test -f $(DEMO)/model.json || $(BIN)/laconic demo -o $(DEMO)
	@$(BIN)/laconic explore $(DEMO)

# `make test` tests the library and the command line. The tests of the documentation, the browser tests
# and the tests of the benchmarks have separate targets.
# Tests marked `thorough` repeat faster tests on more models, fonts or processes; only `make test-all` runs them.
TESTS := not thorough
PYTEST = $(BIN)/python -m pytest --numprocesses $(JOBS) --dist worksteal -r fEs -m '$(TESTS)'
NOT_HERE := --ignore tests/browser --ignore tests/benchmarks --ignore tests/docs
# Each process of a test run uses one core. If every process started threads for matrix products, the
# threads would wait for each other, and waiting takes processor time. Tests of threads set their number.
test test-docs test-browser test-benchmarks: export OMP_NUM_THREADS ?= 1

test: $(VENV)/.dev kernels
	$(PYTEST) $(NOT_HERE)

# Build the site, check its links, and run the code of all pages.
test-docs: $(VENV)/.dev kernels
	$(PYTEST) tests/docs

test-browser: $(VENV)/.dev browser kernels
	$(PYTEST) --dist loadfile tests/browser

test-benchmarks: $(VENV)/.dev kernels
	$(PYTEST) tests/benchmarks

# Run all four, including the tests that CI leaves out because they take too long.
test-all:
	$(MAKE) test test-docs test-browser test-benchmarks TESTS=

# Fuzz every reader and loader with inputs that reach new code (Python 3.11 to 3.13 on Linux). Inputs
# that fail are kept in fuzz/found, and the tests run them.
FUZZ_SECONDS ?= 60
FUZZ_TARGETS ?=
fuzz: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,fuzz]'
	$(BIN)/python -m fuzz --seconds $(FUZZ_SECONDS) $(FUZZ_TARGETS)

# Compile the kernels once for all processes of a test run. This takes a few seconds if they are
# already compiled.
kernels: $(VENV)/.dev
	@$(BIN)/python -m laconic.precompile

# Run the tests with the oldest versions of the dependencies that pyproject.toml allows, in a separate
# environment.
FLOORS := .venv-floors
test-floors:
	test -x $(FLOORS)/bin/python || $(PYTHON) -m venv $(FLOORS)
	$(FLOORS)/bin/python tests/floors.py > $(FLOORS)/constraints.txt
	$(FLOORS)/bin/python -m pip install --quiet --disable-pip-version-check \
	  --constraint $(FLOORS)/constraints.txt --editable '.[dev]'
	NUMBA_CACHE_DIR=$(CURDIR)/$(FLOORS)/kernels $(FLOORS)/bin/python -m pytest --numprocesses $(JOBS) \
	  --dist worksteal -r fEs $(NOT_HERE)

# Regenerate the golden files in tests/golden, which contain the full text of the messages of the
# library and the command line.
messages: $(VENV)/.dev
	rm -rf tests/golden
	LACONIC_MESSAGES=write $(PYTEST) $(NOT_HERE)

# Install Debian's Chromium and the library that Playwright needs, if they are missing and can be
# installed; otherwise print a message.
browser: $(VENV)/.dev
	@$(BIN)/python tests/browser/finding.py

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

fix: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks run all

# Build the documentation site. Open docs/_build/html/index.html; it needs no server and no network.
docs: $(VENV)/.dev
	$(BIN)/python -m laconic.cli.reference > docs/reference/commands.md
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet --jobs auto docs docs/_build/html
	@echo "Wrote docs/_build/html/index.html"

# Build the wheel and the source archive, and use the wheel in a new environment without the extras.
dist: $(VENV)/.dev
	rm -rf dist
	$(BIN)/python -m build --outdir dist
	$(BIN)/python -m twine check --strict dist/*
	$(BIN)/python tests/dist_smoke.py dist/*.whl

# Regenerate the screenshots of the explorer in the README, which show the built-in corpus.
pictures: $(VENV)/.dev browser
	$(BIN)/python -m docs.make_pictures

# Write finished reports and an index page to docs/_build/gallery: of the built-in corpus and, if
# LACONIC_DATA is set, of the corpora in that folder.
gallery: $(VENV)/.dev kernels
	$(BIN)/python -m docs.make_gallery

clean:
	rm -rf $(VENV) $(FLOORS) dist docs/_build .pytest_cache .mypy_cache .ruff_cache .hypothesis tests/browser/screenshots
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "laconic needs Python 3.11 or newer; to choose another Python, run: make PYTHON=python3.12 ..." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.web: pyproject.toml | $(VENV)/bin/python
	@echo "Installing laconic into $(VENV) (the first time takes a minute)"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[web]'
	@touch $@

# pip would compile all Python files in one process, and many of them are tests of other packages. The
# exit status is ignored, because some packages contain templates, which are not valid Python.
$(VENV)/.dev: pyproject.toml | $(VENV)/bin/python
	@echo "Installing laconic and its development tools into $(VENV) (the first time takes a minute)"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --editable '.[dev]'
	@$(BIN)/python -m compileall -q -j 0 -x '/tests/' $(VENV)/lib > /dev/null 2>&1 || true
	@touch $@ $(VENV)/.web

$(VENV)/.bench: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,bench]'
	@touch $@ $(VENV)/.dev $(VENV)/.web
