# The one task file. `make` alone lists the tasks.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PYTHON ?= python3
BIN := .venv/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_QUIET := 1
# tests call the tool many hundred times: without compiled modules each call takes a tenth of a second longer
export PYTHONDONTWRITEBYTECODE :=

sources := $(shell find crates networks -type f \( -name '*.rs' -o -name '*.toml' \)) Cargo.toml Cargo.lock pyproject.toml
# where it was made once, tests compare it with what the sources say now
engine := $(wildcard python/sojourn/web/sojourn.wasm.gz)
playground := $(wildcard target/playground/index.html)
editor := $(wildcard python/sojourn/web/editor.js.gz)
# what is installed will do for whatever needs no speed of its own; where nothing is, the build of the tests, which compiles sooner
built := $(or $(wildcard .venv/built),.venv/built-for-tests)
head := $(wildcard $(shell git rev-parse --git-path logs/HEAD 2>/dev/null))

.PHONY: help demo bound-crates build test test-build test-programs rust-tests python-tests wasm vega editor playground check-web gallery quick check check-rust check-python format docs bench fuzz golden hostile mutants nightly nightly-packages check-docs notebooks notebook-servers truth lock audit release wheel wheels platforms try-wheel ci-packages distribution-packages cargo-deny new-network clean

help: ## list the tasks
	@sed -nE 's/^([a-z-]+):.*## (.*)/\1|\2/p' Makefile | while IFS='|' read -r name text; do printf 'make %-13s %s\n' "$$name" "$$text"; done

demo: ## build, answer how many boxes a building's channel carries, write the report and what to try next
	@# at first pip waits for the network while crates compile
	@[ -e .venv/run-tools ] || $(MAKE) --no-print-directory -j2 .venv/run-tools bound-crates
	@$(MAKE) --no-print-directory $(built)
	@tools/demo.sh

# asked for any other way, crates would have other features and be built twice; those of the bindings themselves are, in some ten seconds
bound-crates:
	cargo build --locked --quiet --package sojourn-py --lib

build: .venv/built ## the tool in .venv, optimised

test: ## everything that must pass before a change lands
	@$(MAKE) --no-print-directory -j2 test-build
	@# tests wait for packets and timers: the lints run beside them, and leave them the processor
	@$(MAKE) --no-print-directory -j2 rust-tests check-rust
	@$(MAKE) --no-print-directory -j2 python-tests check-python

# the tests of Rust and of Python share one build: that of the whole workspace, since without the bindings, which have no test in Rust, libraries
# would have fewer features, and all of them be built twice
test-build: test-programs .venv/built-for-tests .venv/test-tools $(engine) $(editor)

test-programs:
	cargo test --workspace --locked --no-run --quiet

# tests of live measurements wait most of their time: more threads than cores
rust-tests: test-programs
	RUST_TEST_THREADS=$$(( $$(nproc) * 6 )) cargo test --workspace --locked

# tests of live measurements and of peers wait most of their time: eight processes keep two cores busy
python-tests: .venv/test-tools .venv/built-for-tests $(engine) $(playground) $(editor)
	$(BIN)/python -m pytest -n $$(( $$(nproc) * 4 )) -m 'not nightly'

wasm: python/sojourn/web/sojourn.wasm.gz ## the simulation for pages: reports that simulate again what their reader changes

python/sojourn/web/sojourn.wasm.gz python/sojourn/web/captures.wasm.gz &: $(sources) $(head) tools/wasm.sh .venv/run-tools
	@tools/wasm.sh

vega: web/node_modules/.package-lock.json .venv/run-tools ## what draws the figures of pages, of the versions in web/package.json (needs node)
	@mkdir -p target && cd web && npm run --silent vega
	$(BIN)/python tools/vega.py

editor: python/sojourn/web/editor.js.gz ## the editor of the workbench, with completion; without it pages have a plain text field (needs node)

python/sojourn/web/editor.js.gz: $(wildcard web/editor/* web/workbench/*) python/sojourn/web/shown.js python/sojourn/web/numbers.js \
  python/sojourn/web/uncertainty.js tools/editor.py tools/bundled.py web/node_modules/.package-lock.json .venv/run-tools
	@mkdir -p target && cd web && npm run --silent bundle-editor
	$(BIN)/python tools/editor.py

playground: target/playground/index.html ## the simulation with an editor as one page, for any web server or a browser alone (needs node)

target/playground/index.html: $(wildcard web/playground/* web/editor/*) $(wildcard python/sojourn/web/*.js python/sojourn/web/*.css examples/*.toml studies/*/*.toml profiles/*/*.toml installations/*.toml) \
  python/sojourn/cards.py python/sojourn/workbench/templates/cards.html.j2 tools/playground.py tools/bundled.py python/sojourn/web/captures.wasm.gz web/node_modules/.package-lock.json .venv/run-tools
	@mkdir -p target && cd web && npm run --silent bundle
	$(BIN)/python tools/playground.py

web/node_modules/.package-lock.json: web/package-lock.json
	cd web && npm ci --silent --no-audit --no-fund

check-web: web/node_modules/.package-lock.json .venv/run-tools ## types and lints of the JavaScript in pages, and whether what draws figures is of these versions (needs node)
	@mkdir -p target && cd web && npm run --silent check && npm run --silent vega
	$(BIN)/python tools/vega.py --check

quick: .venv/test-tools $(built) ## what a changed Python file needs: unit tests, lints, types
	$(BIN)/python -m pytest -q -n auto -m 'not nightly' tests/python tests/tools tests/bindings python
	$(BIN)/ruff check --quiet
	$(BIN)/mypy

check: check-rust check-python ## format, lints, documentation, types, seams, language, licences, generated files

check-rust:
	cargo fmt --all --check
	nice cargo clippy --workspace --all-targets --locked --quiet -- -D warnings

check-docs: ## the crates' pages without warnings
	RUSTDOCFLAGS='-D warnings -A rustdoc::private-intra-doc-links' cargo doc --workspace --no-deps --document-private-items --locked --quiet

check-python: .venv/test-tools $(built)
	$(BIN)/ruff format --check --quiet
	$(BIN)/ruff check --quiet
	nice $(BIN)/mypy
	$(BIN)/lint-imports --no-logo --no-cache
	$(BIN)/python tools/check_seams.py
	$(BIN)/python tools/check_circles.py
	$(BIN)/python tools/check_language.py
	$(BIN)/python tools/generate_kinds.py --check
	$(BIN)/python tools/generate_reference.py --check
	$(BIN)/python tools/generate_manual.py --check
	$(BIN)/pip-licenses >/dev/null

format: .venv/test-tools ## format Rust and Python
	cargo fmt --all
	$(BIN)/ruff format --quiet
	$(BIN)/ruff check --fix --quiet || true

docs: $(built) ## write docs/reference and the types of keys from the registries, the man page, and the crates' pages
	$(BIN)/python tools/generate_kinds.py
	$(BIN)/python tools/generate_reference.py
	$(BIN)/python tools/generate_manual.py
	cargo doc --workspace --no-deps --document-private-items --locked --quiet

# with the same options maturin finds everything built and only packs it;
# `make wheel` compiles again for each platform, with zig as linker, which takes half an hour on two cores
try-wheel: .venv/test-tools build ## the wheel of this build in fresh environments of every Python found
	rm -rf target/dist/built && $(BIN)/maturin build --release --strip --locked --quiet --interpreter $(BIN)/python --out target/dist/built
	PYTHONPATH=packaging/trial $(BIN)/python -m pytest -q -s packaging/trial/test_wheel.py

wheel: .venv/test-tools build ## wheels for x86-64 and aarch64, sdist and sojourn-agent in target/dist, all of it tried
	@packaging/build.sh
	PYTHONPATH=packaging/trial $(BIN)/python -m pytest -q -s packaging/trial

wheels: .venv/test-tools build ## the same and wheels for Windows and macOS; Windows and aarch64 are tried under emulation (mingw-w64, wine64, qemu)
	@PLATFORMS='linux windows macos' packaging/build.sh
	PYTHONPATH=packaging/trial $(BIN)/python -m pytest -q -s packaging/trial
	@$(MAKE) --no-print-directory platforms

platforms: .venv/test-tools .venv/built-for-tests ## what Windows and 64-bit ARM compute, under emulation: digests of all examples, tests of the engine and what is above it
	@packaging/platforms.sh
	$(BIN)/python -m pytest -q -s tests/platforms

gallery: .venv/test-tools build ## a page of every kind of figure with real data, in target/gallery; LIVE=1 as root: measurements as well
	$(BIN)/python tools/gallery.py $(if $(LIVE),--live)

bench: build ## events per second and cost per packet, beside other simulators where installed; a sweep on a cluster; a capture of 1 GB; the installation
	$(PYTHON) benches/run
	$(PYTHON) benches/cluster
	$(PYTHON) benches/capture
	$(PYTHON) benches/capture_ethernet
	$(PYTHON) benches/capture_rtp
	$(BIN)/python benches/store overhead
	$(BIN)/python benches/risk
	$(PYTHON) benches/install

fuzz: ## SECONDS=60: every fuzz target under libFuzzer for so long
	@tools/fuzz.sh $(or $(SECONDS),60)

mutants: .venv/test-tools build ## BASE=main: small changes of what differs from BASE, and which of them no test notices
	@tools/mutants.sh $(or $(BASE),main)

golden: .venv/test-tools $(built) ## renew the digests of tests/golden after a change that is meant to move results
	SOJOURN_GOLDEN=write $(BIN)/python -m pytest -q tests/golden -m "nightly or not nightly"

truth: ## figures of measurements through the network emulator, beside its record of every packet and irtt
	cargo test --locked -p sojourn-live --test all truth::table -- --ignored --nocapture

hostile: .venv/test-tools $(built) ## attacks and faults: flipped bits, kills, texts that freeze, workers that lie, floods; with a summary
	cargo test --workspace --locked --quiet -- agent_floods hostile replayed corpus
	$(BIN)/python -m pytest -q -n $$(( $$(nproc) * 3 )) -m hostile

nightly: .venv/test-tools build check-docs nightly-packages try-wheel hostile platforms ## the slow tests and checks: coverage of intervals, long kills, deep property tests, a second browser, licences
	seed=$$(date +%s); echo "property tests draw from PROPTEST_RNG_SEED=$$seed"; \
	  PROPTEST_RNG_SEED=$$seed PROPTEST_CASES=1024 cargo test --workspace --locked -- --include-ignored
	cargo run --release --locked -p sojourn-lab --example coverage
	$(BIN)/python -m pytest -m nightly
	@SOJOURN_REQUIRE_PEERS=1 tools/check_crates.sh

notebooks: .venv/test-tools $(built) ## execute the notebooks of examples/ and keep what they show, after a change of it
	$(BIN)/python tools/execute_notebooks.py

notebook-servers: .venv/test-tools ## JupyterLab and marimo in .venv/notebooks, where the widget is tried (needs the network)
	$(PYTHON) -m venv .venv/notebooks && .venv/notebooks/bin/pip install --quiet anywidget jupyterlab marimo
	@echo "import site; site.addsitedir('$$(echo $(CURDIR)/.venv/lib/python*/site-packages)')" > $$(echo .venv/notebooks/lib/python*/site-packages)/tested.pth

audit: .venv/test-tools ## known vulnerabilities in crates and Python packages (needs the network)
	cargo deny check
	$(PYTHON) -m venv .venv/audit && .venv/audit/bin/pip install --quiet pip-audit
	.venv/audit/bin/pip-audit --disable-pip -r requirements/build.txt -r requirements/run.txt -r requirements/test.txt

release: .venv/test-tools ## VERSION=x: collect the news of changelog.d into CHANGELOG.md
	$(BIN)/towncrier build --yes --version $(VERSION)

# the extra `all` names the package itself, which is not to be locked
extras = $(shell $(BIN)/python -c 'import tomllib; print(*(f"--extra={name}" for name in tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"] if name != "all"))')

lock: .venv/run-tools ## regenerate the lock files from pyproject.toml and requirements/*.in (needs the network)
	$(BIN)/pip install --quiet 'pip-tools>=7.5'
	@compile() { CUSTOM_COMPILE_COMMAND='make lock' ../$(BIN)/pip-compile --quiet --upgrade --generate-hashes \
	  --no-emit-index-url --no-emit-find-links --strip-extras "$$1" -o "$$2" "$${@:3}"; }; \
	cd requirements; compile build.in build.txt; compile ../pyproject.toml run.txt $(extras); compile test.in test.txt; compile wheel.in wheel.txt

ci-packages: distribution-packages ## the peers the tests talk to, from the distribution (root, or sudo)

nightly-packages: cargo-deny
	@$(MAKE) --no-print-directory distribution-packages MORE='firefox-esr:firefox-esr x86_64-w64-mingw32-gcc:gcc-mingw-w64-x86-64 wine:wine \
	  wine:wine64 qemu-aarch64-static:qemu-user-static /usr/aarch64-linux-gnu/lib/ld-linux-aarch64.so.1:libc6-arm64-cross'

distribution-packages:
	@as_root() { if [ "$$(id -u)" = 0 ]; then "$$@"; else sudo "$$@"; fi; }; \
	missing=$$(for pair in tshark:tshark ip:iproute2 chromium:chromium atest:direwolf ax25ipd:ax25-apps \
	  nginx:nginx-light systemd-analyze:systemd dnsmasq:dnsmasq-base openssl:openssl prometheus:prometheus npm:npm mbpoll:mbpoll $(MORE); do \
	  command -v "$${pair%:*}" >/dev/null || echo "$${pair#*:}"; done; \
	  ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || echo postgresql); \
	[ -z "$$missing" ] || { as_root apt-get update -q; \
	  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends $$missing; }

cargo-deny:
	@cargo deny --version >/dev/null 2>&1 || CARGO_PROFILE_DEV_DEBUG=false cargo install --quiet --locked --debug --no-default-features cargo-deny

new-network: ## NAME=x: a network to begin with, networks/x, its row in the catalogue and a documentation page
	@$(PYTHON) tools/new_network.py $(NAME)
	@$(MAKE) --no-print-directory docs

clean: ## remove what was built
	rm -rf .venv out target python/sojourn/*.so

.venv/run-tools: requirements/build.txt requirements/run.txt
	@[ -x $(BIN)/python ] || $(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --no-compile --require-hashes -r requirements/build.txt -r requirements/run.txt
	@touch $@

.venv/test-tools: requirements/test.txt .venv/run-tools
	$(BIN)/pip install --quiet --no-compile --require-hashes -r requirements/test.txt
	@touch $@

# one of the two is installed at a time
.venv/built: $(sources) $(head) .venv/run-tools
	@rm -f .venv/built-for-tests
	$(BIN)/maturin develop --release --strip --locked --quiet
	@touch $@

.venv/built-for-tests: $(sources) $(head) .venv/run-tools
	@rm -f .venv/built
	$(BIN)/maturin develop --locked --quiet
	@touch $@
