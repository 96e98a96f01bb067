# From nothing but python3 (3.11 or newer), pip and make. Everything else is installed below this folder.
#
#   make run     the whole service, with its own database: PORT=8000, ONPAY_HOME=.local
#   make dev     the same with reload of code and templates and error pages that show the code
#   make test    the test suite: T='tests/ledger -k balance' chooses, WORKERS=0 runs it in one process, CELLS=4 in cells
#   make lint    format, rules, types, import contracts; `make format` mends what it can
#   make check   that, known holes, migrations, deployment checks
#   make browser                              the pages before a real Chromium (SHORT=1: each test in one width)
#   make bench | faults | model | nightly     measurements (SHORT=1: only whether they run), long forms of the tests
#                        T=--budget | --peers | --charge | --memory | --growth | --open | --wallet | --dashboard …: one of them
#                        (ROWS=1000,100000 with --growth); without SHORT=1 they write their lines of the README's table
#   make ha              three hosts under Patroni, lost one after the other under load (KILLS=50, SHORT=1); Debian's packages
#   make cells           companies on the nodes of Citus: one is lost, one is added, a cell moves (SHORT=1); PostgreSQL 15 with Citus
#   make drill           a backup, a lost primary, a restore to a random second (SEED=, SHORT=1); Debian's pgbackrest
#   make upgrade         from 0.2.0 to now under load, how long writers wait, and back (ROWS=, SHORT=1)
#   make simulate        the hosts needed for RATE=10000 charges a second, computed (NODES=, CORES=, COORDINATOR=, MERCHANTS=, SKEW=, SPEED=)
#   make older           what moves money, on Debian's PostgreSQL 15: T= chooses
#   make clients         the published contract in the hands of other people's linters and generators (Node.js 20)
#   make sdk             the client libraries, packed for /docs/libraries (Node.js 20 for those in TypeScript)
#   make collected       the tests compiled, for several processes to run them at once
#   make screenshots     the pictures of the README
#   make migrations | messages | styles   after a change of the models; of the texts; of the classes of a page (Node.js 20)
#   make lock | clean

.DEFAULT_GOAL := run
.PHONY: run dev test collected lint check browser bench faults ha cells drill upgrade simulate model clients sdk older nightly screenshots lock migrations messages styles format clean installed-local installed-dev installed-clients

export UV_PYTHON_DOWNLOADS := never
# Bytecode is kept: without it every process compiles all of Django again, which takes most of its start.
unexport PYTHONDONTWRITEBYTECODE
# The interpreter of .venv. A distribution's own is optimized with a profile; one that pyenv compiled usually is not, and
# the tests take half as long again with it. PYTHON3=python3.13 chooses another.
PYTHON3 ?= $(firstword $(shell for python in /usr/bin/python3 python3; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python; done) python3)
PYTHON := .venv/bin/python
UV := .tools/bin/uv
WITH := $(PYTHON) -m gateway.local run-with
# Starting a second process takes longer than most single files. A third one keeps two cores busy while tests wait.
WORKERS ?= $(if $(filter %.py,$(subst ::, ,$(T))),0,$(MOST_WORKERS))
MOST_WORKERS := 2
test: MOST_WORKERS := 3
# A test that waits for ever is named after five minutes, with where it stands, and fails.
STALLS := -o faulthandler_timeout=300 -o faulthandler_exit_on_timeout=true
# By handfuls, or one worker has slow tests for a minute and a half after the others. All workers come to the tests that
# commit at the end, and have to: a transaction of another one, even in a database of its own, is older than their events.
PYTEST = $(PYTHON) -m pytest $(if $(filter-out 0,$(WORKERS)),-n $(WORKERS) --dist load --maxschedchunk 32)
LOCKED := $(UV) pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header
LOCK := $(LOCKED) pyproject.toml
PRODUCTION := ONPAY_LOCAL=0 ONPAY_ENVIRONMENTS=production ONPAY_BASE_URL=https://api.onpay.internal ONPAY_SDK_URL=https://sdk.onpay.internal \
	ONPAY_TRUSTED_PROXIES=10.0.0.0/8 ONPAY_EMAIL_URL=smtp+tls://mail.onpay.internal:587 \
	ONPAY_EMAIL_FROM=no-reply@onpay.internal

run: installed-local
	@exec $(PYTHON) -m gateway.local up --stop-with-parent

# Templates are read anew for each page; the processes are started again when Python code changes.
dev: installed-dev
	@exec $(PYTHON) -m gateway.local up --stop-with-parent --reload

# In a network of its own, where the system allows one: no test and no sandbox reaches another machine.
test: installed-dev
	@ONPAY_LOCAL=1 $(WITH) --offline -- $(PYTEST) $(STALLS) $(T)

# What pytest compiles is kept: several processes that begin at once would each compile every test. `make test` names
# what cannot be collected.
collected: installed-dev
	@ONPAY_LOCAL=1 $(WITH) -- $(PYTHON) -m pytest --collect-only -qqq >/dev/null || true

check: lint
	@.venv/bin/bandit -q -c pyproject.toml -r gateway accounts ledger webhooks
	@$(PYTHON) .ci/audit
	@$(PRODUCTION) $(WITH) -- sh -ec '$(PYTHON) manage.py makemigrations --check --dry-run; \
		$(PYTHON) manage.py check --deploy --fail-level WARNING'

# The fast half of `check`, which needs no server: `pre-commit install` runs it before every commit.
lint: installed-dev
	@.venv/bin/ruff check .
	@.venv/bin/ruff format --check .
	@$(PYTHON) -m mypy gateway accounts ledger webhooks
	@.venv/bin/lint-imports

# SHORT=1 runs every test, each in one width.
browser: installed-dev
	@for name in chromium chromium-browser google-chrome; do command -v $$name && exit; done >/dev/null; \
		echo 'without Chromium these tests are skipped: apt-get install chromium'
	@ONPAY_LOCAL=1 $(WITH) -- $(PYTEST) $(STALLS) $(if $(filter tests/%,$(T)),,tests/browser) $(T)

# SHORT=1 takes a little of every measurement, on the servers of the tests.
bench: installed-dev
	@$(call apart,peers,tests/bench/peers/requirements.txt)
	@SHORT=$(SHORT) ROWS=$(ROWS) $(WITH) $(if $(SHORT),,--durable) -- $(PYTHON) -m tests.bench $(T)

# SEED=, KILLS= and OPS= reach the tests through the environment.
faults: installed-dev
	@$(WITH) -- $(PYTHON) -m pytest tests/faults $(T)

# As root each host has a small disk of its own, which nobody else sees.
HA_DISKS = $(shell [ "$$(id -u)" = 0 ] && unshare --mount mount -t tmpfs x /mnt 2>/dev/null && echo OWN_MOUNTS=1 unshare --mount)
ha: installed-dev
	@KILLS=$(if $(SHORT),2,$(KILLS)) $(HA_DISKS) $(PYTHON) -m pytest tests/ha $(T)

# Citus has to be built for Debian's PostgreSQL 15 (docs/scaling.md); without it everything is skipped.
cells: installed-dev
	@SHORT=$(SHORT) $(PYTHON) -m pytest -rs tests/cells $(T)

screenshots: installed-dev
	@ONPAY_LOCAL=1 $(WITH) -- $(PYTHON) -m pytest tests/browser/screenshots.py

model: installed-dev
	@ONPAY_LOCAL=1 $(WITH) -- $(PYTHON) -m pytest tests/model $(T)

# REQUESTS= of Schemathesis.
clients: installed-clients
	@$(call apart,stpmex,tests/clients/stpmex.txt)
	@$(call apart,schemathesis,tests/clients/schemathesis.txt)
	@ONPAY_LOCAL=1 $(WITH) -- $(PYTEST) --dist loadfile --no-loadscope-reorder tests/clients $(T)

# The client libraries: generated from the OpenAPI document and packed into gateway/clients/packages, which /docs/libraries
# serves. Nothing that is generated is kept in git, so that nothing of it can be out of date.
sdk: installed-clients
	@ONPAY_LOCAL=1 $(PYTHON) -m gateway.clients

installed-clients: installed-dev
	@command -v npm >/dev/null || echo 'without npm the JavaScript tools are left out'
	@! command -v npm >/dev/null || cmp -s tests/clients/package-lock.json .tools/clients/installed || { \
		mkdir -p .tools/clients && cp tests/clients/package*.json .tools/clients/ && \
		$(call timed,installing JavaScript tools,npm ci --prefix .tools/clients --prefer-offline --ignore-scripts --no-audit --no-fund --loglevel=error) && \
		cp tests/clients/package-lock.json .tools/clients/installed; }

# The long form of everything, one after another whatever fails, and a table of what was broken, lost and doubled.
# PARTS='faults model' chooses; SHORT=1 takes the short forms.
nightly: installed-dev
	@MAKE='$(MAKE)' $(PYTHON) -m tests.nightly

# What moves money, on the oldest PostgreSQL that is supported, where Debian's is installed.
older: installed-dev
	@if [ -x $(OLDEST)/postgres ]; then ONPAY_LOCAL=1 ONPAY_POSTGRES_BIN=$(OLDEST) $(WITH) --offline -- $(PYTEST) $(STALLS) \
		$(or $(T),tests/races tests/ledger tests/stories); else echo 'no PostgreSQL 15 found: apt-get install postgresql-15'; fi
OLDEST := /usr/lib/postgresql/15/bin

# On PostgreSQL 15: Debian's pgBackRest knows no newer one. SEED= repeats a run, SHORT=1 takes a few seconds of load.
drill: installed-dev
	@$(if $(wildcard $(OLDEST)/postgres),ONPAY_POSTGRES_BIN=$(OLDEST)) $(PYTHON) -m tests.drill

# Computes from what `make bench T=--charge` measured last; runs nothing.
simulate: installed-dev
	@$(PYTHON) -m tests.simulate $(if $(RATE),--rate $(RATE)) $(if $(NODES),--nodes $(NODES)) $(if $(CORES),--cores $(CORES)) \
		$(if $(COORDINATOR),--coordinator $(COORDINATOR)) $(if $(MERCHANTS),--merchants $(MERCHANTS)) $(if $(SKEW),--skew $(SKEW)) $(if $(SPEED),--speed $(SPEED))

# From the commit that CHANGELOG.md names for 0.2.0 to this one, and the code back, under load. ROWS= says how large the
# tables are; SHORT=1 fills none, and makes the load short.
upgrade: installed-dev
	@$(WITH) --durable -- $(PYTHON) -m tests.upgrade

lock: $(UV)
	@for one in stpmex==3.15.1 schemathesis==4.32.5; do echo $$one | $(LOCKED) - -o tests/clients/$${one%%==*}.txt || exit 1; done
	@printf '%s\n' 'django-hordak==2.0.0' 'django-ledger==0.8.5' 'django>=5.2,<5.3' 'psycopg[binary]>=3.2,<4' | $(LOCKED) - -o tests/bench/peers/requirements.txt
	@$(LOCK) -o requirements.txt
	@$(LOCK) --extra local -c requirements.txt -o requirements-local.txt
	@$(LOCK) --extra local --extra dev -c requirements-local.txt -o requirements-dev.txt

# What can be mended is mended before anything is said.
format: installed-dev
	@.venv/bin/ruff check -q --fix-only .
	@.venv/bin/ruff format .
	@.venv/bin/ruff check .

migrations: installed-dev
	@ONPAY_LOCAL=1 $(WITH) -- $(PYTHON) manage.py makemigrations $(T)

# The texts of the pages, for their translators: gateway/locale. Needs gettext.
messages: installed-dev
	@ONPAY_LOCAL=1 $(PYTHON) manage.py makemessages -v 0 -l es -l pt_BR --no-location --no-wrap --no-obsolete \
		$(addprefix --ignore ,tests .venv .tools .local)
	@ONPAY_LOCAL=1 $(PYTHON) manage.py compilemessages -v 0 --ignore .venv

# What our pages use of Tabler's style sheet.
styles: installed-clients
	@PATH=$(CURDIR)/.tools/clients/node_modules/.bin:$$PATH purgecss --config .ci/purgecss.config.cjs \
		--css .tools/clients/node_modules/@tabler/core/dist/css/tabler.min.css --output .tools/styles
	@sed '/sourceMappingURL/d' .tools/styles/tabler.min.css >static/vendor/tabler.css

# What can be made again goes. The data of `make run` stay.
clean:
	@for link in .local/test*/postgres .local/bench*/postgres; do [ ! -L "$$link" ] || rm -rf "$$(readlink "$$link")"; done
	@rm -rf gateway/clients/packages gateway/clients/node/src/generated gateway/clients/python/src/onpay/_generated gateway/clients/card-js/src/onpay-card.d.ts
	@rm -rf .venv .tools staticfiles .local/test* .local/bench* .local/templates .*_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

# A development environment serves `make run` as well: it is never cut down to the smaller one.
installed-local: $(PYTHON)
	@$(call install,$(if $(wildcard .venv/requirements-dev.txt),dev,local))

installed-dev: $(PYTHON)
	@$(call install,dev)

# Installs a set of requirements, unless exactly that set is installed already.
install = cmp -s requirements-$(1).txt .venv/requirements-$(1).txt || { \
	$(call timed,installing requirements-$(1).txt,$(UV) pip sync -q --compile-bytecode --require-hashes --python $(PYTHON) requirements-$(1).txt) && \
	rm -f .venv/requirements-*.txt && cp requirements-$(1).txt .venv/; }
# Other people's packages that must not meet ours: an environment of their own.
apart = cmp -s $(2) .tools/$(1)/installed || { \
	$(UV) venv -q --clear --python .venv/bin/python .tools/$(1) && \
	$(call timed,installing $(1),$(UV) pip install -q --require-hashes --python .tools/$(1)/bin/python -r $(2)) && \
	cp $(2) .tools/$(1)/installed; }
timed = began=$$(date +%s); printf '  $(1) … '; $(2) && echo "$$(($$(date +%s) - began)) s"

$(PYTHON): | $(UV)
	@$(PYTHON3) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "python3 must be 3.11 or newer")'
	@$(UV) venv -q --clear --python $$(command -v $(PYTHON3)) .venv

$(UV):
	@$(call timed,installing uv,python3 -m pip install -qq --disable-pip-version-check --root-user-action=ignore \
		--upgrade --target .tools 'uv>=0.13$(comma)<0.14')

comma := ,
