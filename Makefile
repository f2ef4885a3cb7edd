# `make run` starts Headlight, `make desktop` in a window of its own, `make test` checks it, `make bench` measures it.
# Each target first creates or updates .venv if necessary.

VENV := .venv
PY := $(VENV)/bin/python
NODE := $(VENV)/bin/node
TSC := $(NODE) node_modules/typescript/bin/tsc
ESLINT := $(NODE) node_modules/eslint/bin/eslint.js
PRETTIER := $(NODE) node_modules/prettier/bin/prettier.cjs

# Our own JavaScript and style sheets, as glob patterns for Prettier.
FORMATTED := "*.{json,mjs}" "bench/**/*.js" "tests/**/*.mjs" "viz/**/*.{css,js,mjs,ts}" "!viz/html/*.js" "!viz/components/views.js"

# Number of test processes: one per core, up to four. Each starts its own Chromium and app server, together 3 GB.
CORES := $(shell env -u OMP_NUM_THREADS nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)
WORKERS ?= $(shell test $(CORES) -lt 4 && echo $(CORES) || echo 4)
# The tests of a file run in one process, because they share fixtures. Files run in alphabetical order, in which the
# slowest ones (tests/app and tests/browser) come first.
PYTEST_SHARED := -n $(WORKERS) --dist loadfile --no-loadscope-reorder

# Each module is compiled once, and not in each process of the tests and each server that they start.
unexport PYTHONDONTWRITEBYTECODE

# Mutants: how many, the seed of the sample, and the files or folders (by default those of tests/mutants/targets.py).
SAMPLE ?= 200
SEED ?= 0
MUTATED ?=

# The first Python that runs (a version manager's stub may not) and is new enough. To choose: make PYTHON=/path/to/python run
NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for python in python3 python3.11 python3.12 python3.13; do \
	$$python -c "$(NEW_ENOUGH)" 2>/dev/null && echo $$python && break; done)

# $(call install,NAME,FILES): install the requirements in FILES into .venv, which is recreated if its Python or pip does
# not work. .venv/NAME.installed is a copy of FILES and pyproject.toml after the last complete installation; if they are
# unchanged, there is nothing to do.
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

# Modules that draw on the page are excluded from coverage: tests/browser tests them in a browser.
NODE_TESTS := --test --experimental-test-coverage --test-coverage-include='viz/components/**' \
	--test-coverage-include='viz/html/browser/{quantised,text_bytes,thumbnails}.mjs' \
	--test-coverage-include='viz/html/browser/site/{links,payloads,tokens,units,words}.mjs' \
	--test-coverage-include='viz/html/browser/slides/{file_names,paper,visits,zip}.mjs' \
	--test-coverage-exclude='viz/components/**/view.mjs' --test-coverage-exclude='viz/components/cell_map/card.mjs' \
	--test-coverage-exclude='viz/components/shared/{canvas_painter,elements,save,table,tip}.mjs' \
	--test-coverage-lines=95 --test-coverage-branches=90 --test-coverage-functions=90 'tests/**/*.test.mjs'

.PHONY: help run desktop site wheel test tests quick lint format bundle figures golden mutants bench bounds tolerances pictures constraints app-env test-env js-env

help:
	@echo "make run      start the app in the browser"
	@echo "make desktop  the same in a window of its own"
	@echo "make site     write the docs and the page without a server into site/"
	@echo "make wheel    build the wheel and the source distribution into dist/, and check them"
	@echo "make test     run all checks and tests, in one process per core, up to four (WORKERS=2 for two)"
	@echo "make quick    lint what has changed since main, and run the tests next to it"
	@echo "make lint     check style, types and import contracts"
	@echo "make mutants  make 200 small mistakes in the core, one at a time, and list those that no test detects (SEED=1 for others)"
	@echo "make tolerances  run numeric tests with other instruction sets, and list those near their tolerance (TESTS=... for some)"
	@echo "make figures  measure the numbers in model cards and docs again, with the data of ../shared/data"
	@echo "make golden   compare what the app says, shows and offers with main, or with COMMIT=..."
	@echo "make bundle   bundle the JavaScript of viz/components and viz/html/browser for browsers"
	@echo "make format   let ruff and Prettier rewrite what they can"
	@echo "make pictures take the screenshots of the README and docs from the running app"
	@echo "make bounds   run the fast tests with the lowest and with the newest versions of all packages"
	@echo "make constraints  pin the versions of the container's packages in deploy/constraints.txt"
	@echo "make bench    measure ratios of speed and memory, into bench/results/ (half an hour; PARTS='hover memory' for some)"

run: app-env
	$(PY) -m streamlit run app.py

desktop:
	$(call install,desktop,requirements.txt viz/desktop/requirements.txt)
	$(PY) -m viz.desktop

# The docs, and in try/ the page without a server, as a folder that any web server serves.
site: app-env
	$(PY) -m pip install --quiet --disable-pip-version-check -r docs/requirements.txt -r viz/site/requirements.txt
	$(PY) -m sphinx -q -W -E -c docs -d $(VENV)/doctrees . site
	rm -rf jupyter_execute # the notebooks with their outputs, which the docs have
	$(PY) -m viz.site build --out site/try

wheel: test-env
	rm -rf dist
	$(PY) -m build --no-isolation
	$(PY) -m twine check --strict dist/*

# Lint runs next to the tests. Its output is shown after theirs, and its failure is a failure of both.
test: js-env
	@$(MAKE) --no-print-directory lint >$(VENV)/lint.txt 2>&1 && echo 0 >$(VENV)/lint.status || echo 1 >$(VENV)/lint.status & \
	$(MAKE) --no-print-directory tests; tests=$$?; wait; \
	cat $(VENV)/lint.txt; exit $$((tests + $$(cat $(VENV)/lint.status)))

quick: js-env
	$(PY) -m tests.quick

tests: js-env
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

constraints: app-env
	$(PY) -m pip install --quiet uv
	$(PY) -m uv pip compile --quiet --upgrade --python-version 3.12 --python-platform linux --no-annotate \
		--no-emit-package headlight --custom-compile-command "make constraints" -o deploy/constraints.txt requirements.txt

tolerances: test-env
	$(PY) -m tests.tolerances --workers $(WORKERS) $(TESTS)

figures: test-env
	$(PY) -m pytest -m figures -n $(WORKERS)

golden: test-env
	$(PY) -m tests.golden $(COMMIT)

mutants: test-env
	$(PY) -m tests.mutants --sample $(SAMPLE) --seed $(SEED) --workers $(WORKERS) $(MUTATED)

app-env:
	$(call install,app,requirements.txt)

test-env:
	$(call install,test,requirements.txt tests/requirements.txt docs/requirements.txt)

# Tools for JavaScript, with the npm that comes with PyPI's Node. The app needs none of them.
js-env: test-env
	@if ! cmp -s package-lock.json node_modules/installed.json; then \
		$(VENV)/bin/npm ci && cp package-lock.json node_modules/installed.json; \
	fi
