# Everything sets itself up in a local virtual environment; needed: Python 3.11 or newer, and make.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

# Hundreds of processes import the same modules: what Python has compiled is kept.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test fuzz chaos proofs test-spark test-browser reports lint format docs screenshot \
        notebooks bench reproduce audit-dependencies clean
help:
	@echo "make demo    try unveil on a real survey; writes demo-report.html"
	@echo "make test    run the tests; make test-spark those that count with Spark, which needs Java"
	@echo "make reports reports of three tables, into reports-out/; make test-browser tests them in Chromium"
	@echo "make chaos   kill, cut and damage long work at very many places, of which make test takes a few"
	@echo "make proofs  the same tests with four times as many random cases, other ones every time"
	@echo "make fuzz    100,000 inputs that are nearly right; what is a fault goes into fuzz-out/"
	@echo "make lint    ruff and mypy; make format mends what ruff can"
	@echo "make audit-dependencies   known vulnerabilities and licences of what unveil installs"
	@echo "make docs    build the documentation into site/; make screenshot draws its picture of a report"
	@echo "make notebooks   execute the example notebooks anew"
	@echo "make bench   measure speed; UNVEIL_DATA says where the public microdata is"
	@echo "make reproduce   published tables and figures beside what comes out, into reproductions-out/"
	@echo "make clean   remove the virtual environment and everything made"

demo: $(VENV)/.installed-report
	@$(BIN)/unveil demo --report demo-report.html

test: $(VENV)/.installed-test
	$(BIN)/python -m pytest -m "not browser and not chaos" --numprocesses=auto --dist=worksteal

chaos: $(VENV)/.installed-test
	$(BIN)/python -m pytest tests/chaos tests/environments --numprocesses=auto --dist=worksteal

fuzz: $(VENV)/.installed-test
	$(BIN)/python tools/fuzz.py --inputs 100000 --into fuzz-out

proofs: $(VENV)/.installed-test
	$(BIN)/python -m pytest -m "not browser and not chaos" --numprocesses=auto --dist=worksteal --hypothesis-profile=proofs

test-spark: $(VENV)/.installed-test $(VENV)/.installed-spark
	$(BIN)/python -m pytest -m spark tests/engine/counting/test_spark.py

reports: $(VENV)/.installed-test
	$(BIN)/python tools/make_reports.py --into reports-out

test-browser: reports $(VENV)/.installed-browser
	$(BIN)/python -m pytest -m browser tests/browser

lint: $(VENV)/.installed-test $(VENV)/.installed-lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.installed-lint
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

audit-dependencies: $(VENV)/.installed-test $(VENV)/.installed-report
	$(BIN)/python tools/audit_dependencies.py $(VENV) $(VENV)-audit

docs: $(VENV)/.installed-docs
	$(BIN)/python tools/reference
	$(BIN)/zensical build --strict
	@echo "documentation: site/index.html; to search it: python3 -m http.server --directory site"

screenshot: $(VENV)/.installed-report
	$(BIN)/python tools/screenshot.py

notebooks: $(VENV)/.installed-notebooks
	$(BIN)/python examples/notebooks/execute.py

bench: $(VENV)/.installed-test
	$(BIN)/python benchmarks/differential_inference.py
	$(BIN)/python benchmarks/general_path.py
	$(BIN)/python benchmarks/exact_updates.py
	$(BIN)/python benchmarks/noisy_counts.py
	$(BIN)/python benchmarks/hardening.py
	$(BIN)/python benchmarks/aggregates.py
	$(BIN)/python benchmarks/measures.py --rows 100000 10000000
	$(BIN)/python benchmarks/relative_risk.py
	$(BIN)/python benchmarks/recoding.py
	$(BIN)/python benchmarks/groups.py
	$(BIN)/python benchmarks/linkage.py
	$(BIN)/python benchmarks/definetti.py
	$(BIN)/python benchmarks/mondrian.py
	$(BIN)/python benchmarks/audit.py --cold

reproduce: $(VENV)/.installed-test
	$(BIN)/python examples/reproductions/internet_usage.py --json reproductions-out/internet_usage.json
	$(BIN)/python examples/reproductions/adult.py --json reproductions-out/adult.json
	$(BIN)/python examples/reproductions/noisy_counts.py --json reproductions-out/noisy_counts.json
	$(BIN)/python examples/reproductions/k_l_epsilon.py --json reproductions-out/k_l_epsilon.json
	$(BIN)/python examples/reproductions/outliers.py --json reproductions-out/outliers.json
	$(BIN)/python examples/reproductions/computing_times.py --json reproductions-out/computing_times.json
	$(BIN)/python examples/reproductions/relative_risk.py --json reproductions-out/relative_risk.json

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("unveil needs Python 3.11 or newer; say which one with: make PYTHON=python3.12 …")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	@echo "installing unveil into $(VENV) …"
	@$(PIP) install --editable .
	@touch $@

$(VENV)/.installed-%: pyproject.toml $(VENV)/.installed | $(VENV)/bin/python
	@echo "installing what '$*' needs into $(VENV) …"
	@$(PIP) install --editable '.[$*]'
	@touch $@

clean:
	rm -rf $(VENV) $(VENV)-audit site fuzz-out reports-out reproductions-out .mypy_cache .pytest_cache .ruff_cache .hypothesis
