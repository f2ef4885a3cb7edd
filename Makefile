# `make run` starts Headlight, `make desktop` in a window of its own, `make test` checks it, `make bench` measures it.
# Each makes .venv first, or brings it up to date, or leaves it alone.

VENV := .venv
PY := $(VENV)/bin/python
NODE := $(VENV)/bin/node
TSC := $(NODE) node_modules/typescript/bin/tsc
ESLINT := $(NODE) node_modules/eslint/bin/eslint.js
PRETTIER := $(NODE) node_modules/prettier/bin/prettier.cjs

# All JavaScript and style sheets of ours, as Prettier selects files.
FORMATTED := "*.{json,mjs}" "bench/**/*.js" "tests/**/*.mjs" "viz/**/*.{css,js,mjs,ts}" "!viz/html/*.js" "!viz/components/views.js"

# Processes that share the tests: one to a core, up to four. Each starts its own Chromium and its own server of the app,
# which together take 3 GB.
CORES := $(shell env -u OMP_NUM_THREADS nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)
WORKERS ?= $(shell test $(CORES) -lt 4 && echo $(CORES) || echo 4)
# The tests of a file stay together, as they share what they set up. Files are taken in their order, because the slowest
# ones, of the page and of the browser, come first.
PYTEST_SHARED := -n $(WORKERS) --dist loadfile --no-loadscope-reorder

# Mutants: how many, of which sample, and of which files or folders (all of tests/mutants/targets.py where none is named).
SAMPLE ?= 200
SEED ?= 0
MUTATED ?=

# The first that runs (a version manager's stub may not) and is new enough. Another one: make PYTHON=/path/to/python run
NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for python in python3 python3.11 python3.12 python3.13; do \
	$$python -c "$(NEW_ENOUGH)" 2>/dev/null && echo $$python && break; done)

# $(call install,NAME,FILES): FILES are installed in .venv, which is made anew if its Python or pip does not work.
# .venv/NAME.installed is a copy of FILES and pyproject.toml as last installed to the end: the same text again means
# nothing to do.
define install
	@if ! $(PY) -c "import pip; $(NEW_ENOUGH)" 2>/dev/null; then \
		"$(PYTHON)" -c "$(NEW_ENOUGH)" 2>/dev/null || \
			{ echo "Headlight needs Python 3.11 or newer on PATH, or: make PYTHON=/path/to/python $(MAKECMDGOALS)" >&2; exit 1; }; \
		echo "Making $(VENV) with $$("$(PYTHON)" --version)"; \
		"$(PYTHON)" -m venv --clear $(VENV); \
	fi
	@if ! cat $(2) pyproject.toml | cmp -s - $(VENV)/$(1).installed; then \
		$(PY) -m pip install --disable-pip-version-check $(addprefix -r ,$(2)) && \
			cat $(2) pyproject.toml > $(VENV)/$(1).installed; \
	fi
endef

# Modules that draw on the page are tested in a browser, by tests/browser.
NODE_TESTS := --test --experimental-test-coverage --test-coverage-include='viz/components/**' \
	--test-coverage-include='viz/html/browser/{quantised,text_bytes,thumbnails}.mjs' \
	--test-coverage-include='viz/html/browser/site/{links,payloads,tokens,units,words}.mjs' \
	--test-coverage-include='viz/html/browser/slides/{file_names,paper,visits,zip}.mjs' \
	--test-coverage-exclude='viz/components/**/view.mjs' --test-coverage-exclude='viz/components/cell_map/card.mjs' \
	--test-coverage-exclude='viz/components/shared/{canvas_painter,elements,save,table,tip}.mjs' \
	--test-coverage-lines=95 --test-coverage-branches=90 --test-coverage-functions=90 'tests/**/*.test.mjs'

.PHONY: help run desktop test lint format bundle mutants bench bounds tolerances pictures app-env test-env js-env

help:
	@echo "make run      start the app in the browser"
	@echo "make desktop  the same in a window of its own"
	@echo "make test     lint, check types, run all tests in a process to a core, up to four (WORKERS=2 for two)"
	@echo "make lint     style, types, and the walls between the rooms"
	@echo "make mutants  make 200 small mistakes in the core, one at a time, and list those that no test notices (SEED=1 for others)"
	@echo "make tolerances  run numeric tests with other instruction sets, and list those near their tolerance (TESTS=... for some)"
	@echo "make bundle   make the files of JavaScript that browsers get of those in viz/components and viz/html/browser"
	@echo "make format   let ruff and Prettier rewrite what they can"
	@echo "make pictures take the pictures of the README and docs from the running app"
	@echo "make bounds   run the fast tests with the lowest and with the newest versions of all packages"
	@echo "make bench    measure ratios of speed and memory, into bench/results/ (half an hour; PARTS='hover memory' for some)"

run: app-env
	$(PY) -m streamlit run app.py

desktop:
	$(call install,desktop,requirements.txt viz/desktop/requirements.txt)
	$(PY) -m viz.desktop

test: lint
	$(NODE) $(NODE_TESTS)
	HEADLIGHT_CHROMIUM="$$(tests/chromium.sh --install --shell)" && export HEADLIGHT_CHROMIUM && \
		$(PY) -m pytest $(PYTEST_SHARED) --durations=100

lint: js-env
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy --num-workers $(WORKERS)
	$(VENV)/bin/lint-imports --no-logo --cache-dir .import_linter_cache
	$(TSC) --project .
	$(ESLINT) .
	$(PRETTIER) --check --log-level warn $(FORMATTED)
	$(NODE) viz/html/bundle.mjs --check

format: js-env
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .
	$(ESLINT) --fix .
	$(PRETTIER) --write --log-level warn $(FORMATTED)

bundle: js-env
	$(NODE) viz/html/bundle.mjs

bench: test-env
	HEADLIGHT_CHROMIUM="$$(tests/chromium.sh --install)" && export HEADLIGHT_CHROMIUM && $(PY) -m bench $(PARTS)

# BOUNDS=--quick for the few tests that CI runs.
bounds: test-env
	$(PY) -m tests.bounds lowest $(BOUNDS)
	$(PY) -m tests.bounds newest $(BOUNDS)

pictures: test-env
	HEADLIGHT_CHROMIUM="$$(tests/chromium.sh --install)" && export HEADLIGHT_CHROMIUM && $(PY) -m docs.pictures $(PICTURES)

tolerances: test-env
	$(PY) -m tests.tolerances --workers $(WORKERS) $(TESTS)

mutants: test-env
	$(PY) -m tests.mutants --sample $(SAMPLE) --seed $(SEED) --workers $(WORKERS) $(MUTATED)

app-env:
	$(call install,app,requirements.txt)

test-env:
	$(call install,test,requirements.txt tests/requirements.txt)

# Tools for JavaScript, with the npm that comes with PyPI's Node. The app needs none of them.
js-env: test-env
	@if ! cmp -s package-lock.json node_modules/installed.json; then \
		$(VENV)/bin/npm ci && cp package-lock.json node_modules/installed.json; \
	fi
