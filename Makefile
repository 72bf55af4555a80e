# Everything a person types. `make quickstart` and `make test` set up what they need.

PYTHON ?= python3.11
LOCK := requirements/cpu-linux-x86_64.txt
TORCH := $(shell sed -n 's/^torch==/torch==/p' $(LOCK))
BIN := .venv/bin
RUNS ?= $(CURDIR)/runs
PIP := $(BIN)/pip --quiet --quiet --disable-pip-version-check --no-input

.PHONY: setup quickstart test test-fast lint bench clean

setup: .venv/.ready

# torch first and alone: where the machine's own index has no CPU build, PyTorch's index does.
.venv/.ready: $(LOCK) pyproject.toml
	@echo "Setting up .venv (about 5 minutes, 4 GB) ..."
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' || \
	  { echo "error: Python 3.11 is needed: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)"; exit 2; }
	@$(PYTHON) -m venv .venv
	@$(PIP) install --no-deps "$(TORCH)" 2>/dev/null || \
	  $(PIP) install --no-deps "$(TORCH)" --index-url https://download.pytorch.org/whl/cpu
	@$(PIP) install --no-deps --no-compile -r $(LOCK)
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@$(BIN)/python -c 'import ray, torch, vllm' 2>/dev/null || \
	  { echo "error: the environment is incomplete; delete .venv and run the same command again"; exit 2; }
	@touch $@

QUICKSTART = jobs/audit.py --config configs/runs/quickstart.yaml --set store.url="$(RUNS)"

# A finished run needs no Ray: its report's path is printed at once.
quickstart: setup
	@$(BIN)/python $(QUICKSTART) --finished 2>/dev/null || $(BIN)/python -m cluster.local.submit $(QUICKSTART)

test: setup
	@$(BIN)/python -m pytest

test-fast: setup
	@$(BIN)/python -m pytest -m "not vllm and not ceph and not browser and not ray"

lint: setup
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

bench: setup
	@$(BIN)/python benchmarks/generation_speed.py
	@$(BIN)/python benchmarks/bootstrap_speed.py
	@$(BIN)/python benchmarks/reduce_speed.py

clean:
	rm -rf .venv
