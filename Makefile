# The commands that people, hooks and CI share. PYTHON is an interpreter with `pip install -e ".[test,lint]"`.
PYTHON ?= .venv/bin/python
WORKERS ?= 2

.PHONY: test fast system portable lint docs site browser installed coverage mutants snapshots

test:  ## everything: half an hour of CPU time, real programs included
	$(PYTHON) -m pytest -n $(WORKERS) --dist worksteal

fast:  ## every module, in a minute of CPU time
	$(PYTHON) -m pytest -n $(WORKERS) --dist worksteal -m "not slow"

PORTABLE = tests/test_operating_system.py tests/test_commands.py tests/test_api.py tests/test_settings.py tests/test_quoting.py \
	tests/test_wrong_use.py tests/tree/test_git_tree.py tests/tree/test_committer.py tests/tree/test_git_config.py \
	tests/tree/test_read_regular.py tests/batch tests/delivery/test_robust_migrate.py tests/delivery/test_plain_folder.py

system:  ## the tests of what differs between systems, on this one
	$(PYTHON) -X warn_default_encoding -m pytest -m "not slow" $(PORTABLE)

# What Windows lacks is taken away, and its branches are taken: see tests/harness/other_system.py.
portable:  ## the same tests, as on Windows
	PYTHONPATH=tests $(PYTHON) -X warn_default_encoding -m pytest -p harness.other_system -m "not slow" \
		-W ignore::EncodingWarning -W error::EncodingWarning:codemods $(filter-out %_system.py,$(PORTABLE))

coverage:  ## the tests that run in process, with branch coverage; the floor stands in pyproject.toml
	$(PYTHON) -m pytest -n $(WORKERS) --dist worksteal -m "not slow or in_process" --cov --cov-context=test --cov-report=term:skip-covered

# Of what differs from origin/main; of all where nothing does. The same commit gets the same sample.
mutants:  ## after `make coverage`: would the tests notice? A sample of small changes, most of which must fail
	$(PYTHON) benchmarks/mutation.py run --changed origin/main --seed $$((0x$$(git rev-parse --short=7 HEAD))) \
		--count 12 --cpu 90 --floor 0.2

lint:
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m mypy --strict
	$(PYTHON) -c "from importlinter.cli import lint_imports_command as run; run()"

docs:  ## write what the documentation says about the rules
	$(PYTHON) docs/generate.py

site:  ## the documentation as a site, in build/site; needs `pip install -e ".[site]"`
	$(PYTHON) docs/site.py

browser:  ## the review page in Chromium; needs it, and `pip install -e ".[test,browser]"`
	$(PYTHON) -m pytest -m browser tests/review

installed:  ## what dist/ holds, each in a clean environment
	release/check_wheel.sh $(PYTHON)

snapshots:  ## write what check says about each case (findings.txt), each row of a table, the tests of answers/ and kept programs; show what changed
	$(PYTHON) tests/harness/snapshots.py --update
	$(PYTHON) tests/harness/rows.py --update
	$(PYTHON) tests/harness/whole_answers.py --update
	$(PYTHON) tests/harness/kept_programs.py --update
