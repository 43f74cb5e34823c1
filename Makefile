# `make test` does all of its own set-up on a machine with Rust, gcc and make, and is what CI runs.
# The build is kept under the user's cache folder, so that a fresh checkout builds quickly the second time.

CACHE ?= $(if $(XDG_CACHE_HOME),$(XDG_CACHE_HOME),$(HOME)/.cache)/lookalike
export CARGO_TARGET_DIR ?= $(CACHE)/target
export CARGO_TERM_COLOR ?= never
# Property tests draw the same cases in every run of `make`; plain `cargo test` draws fresh ones.
export PROPTEST_RNG_SEED ?= 1901
CARGO ?= cargo

.PHONY: test format lint unit docs dependencies advisories tools sbom package test-browser test-postgres test-cluster lint-cluster python python-methods packages test-python test-r dist demo bench bench-peers fuzz audit kill-and-fill trust memcheck miri

test: format lint unit docs dependencies advisories test-browser test-python test-r

format:
	$(CARGO) fmt --all --check

lint:
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings

unit:
	$(CARGO) test --workspace --locked

docs:
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --locked

# One version of arrow in the tree, no heavy engine in the default build, licences and sources as deny.toml allows.
dependencies: tools
	@$(CARGO) fetch --locked --quiet
	@! $(CARGO) tree --workspace --locked --duplicates --depth 0 | grep -E '^(arrow|parquet)' || (echo "two versions of arrow in the tree" && false)
	@! $(CARGO) tree --locked --prefix none | grep -E '^(datafusion|tokio|postgres|axum|openssl)' || (echo "a heavy engine is in the default build" && false)
	@! $(CARGO) tree --locked -p lookalike --prefix none --edges normal | grep -E '^(clap|indicatif|lookalike-(town|papers|benchmarks|tournament)) ' || (echo "the library depends on a front door or on research" && false)
	@if test -x $(TOOLS)/bin/cargo-deny; then $(TOOLS)/bin/cargo-deny --offline check bans licenses sources; else echo "cargo-deny could not be installed: licences not checked"; fi

# Known faults of dependencies, by the RustSec database, which is fetched; without a way to it they are not checked, and that is said.
advisories: tools
	@if ! test -x $(TOOLS)/bin/cargo-deny; then echo "cargo-deny could not be installed: advisories not checked"; \
	elif $(TOOLS)/bin/cargo-deny fetch db >/dev/null 2>&1 || test -d $(CARGO_DB); then $(TOOLS)/bin/cargo-deny --offline check advisories; \
	else echo "the advisory database could not be fetched: advisories not checked"; fi
CARGO_DB ?= $(HOME)/.cargo/advisory-db

# Tools that are installed by name and kept in the cache.
TOOLS := $(CACHE)/tools
tools: $(TOOLS)/bin/cargo-deny

$(TOOLS)/bin/cargo-deny:
	-$(CARGO) install cargo-deny --locked --root $(TOOLS) --target-dir $(CACHE)/target-tools

# The dependencies of the binary on all systems as one CycloneDX document, out/lookalike.cdx.json. The tool writes beside the sources and names the folder of the
# checkout; neither is left.
sbom:
	test -x $(TOOLS)/bin/cargo-cyclonedx || $(CARGO) install cargo-cyclonedx --locked --root $(TOOLS) --target-dir $(CACHE)/target-tools
	$(TOOLS)/bin/cargo-cyclonedx cyclonedx --manifest-path crates/cli/Cargo.toml --describe binaries --target all --spec-version 1.5 --format json
	mkdir -p out
	sed 's#$(CURDIR)#.#g' crates/cli/lookalike_bin.cdx.json > out/lookalike.cdx.json
	rm crates/cli/lookalike_bin.cdx.json

# Every crate that is published packs and builds from its package.
package:
	$(CARGO) package --workspace --locked --allow-dirty --no-verify --exclude lookalike-shared-data

# What is too long for every test: the figures of docs/trust.md come from here.
trust: fuzz audit kill-and-fill

# Every door with altered files, for a minute; FUZZ_SECONDS for longer.
FUZZ_SECONDS ?= 60
fuzz:
	LOOKALIKE_FUZZ_SECONDS=$(FUZZ_SECONDS) $(CARGO) test -p lookalike-table -p lookalike --test doors --locked -- --nocapture

# Too little noise is found, and sound methods pass, by twenty seeds each.
audit:
	LOOKALIKE_AUDIT_SEEDS=20 $(CARGO) test -p lookalike-frontier --lib --locked too_little_noise -- --nocapture

# Processes killed at 200 random moments, disks full at 50 random sizes (as root; else the disks are skipped).
kill-and-fill:
	LOOKALIKE_KILLS=200 LOOKALIKE_FILLS=50 $(CARGO) test -p lookalike-cli --test command_line --locked kill_and_fill -- --nocapture

# The same tests on a stable toolchain, with overflow checks and debug assertions, under Valgrind's memory checker; says that it is skipped where there is none.
memcheck:
	@command -v valgrind >/dev/null || { echo "valgrind is not installed: skipped"; exit 0; }; \
	binary=$$($(CARGO) test -p lookalike-privacy --lib --locked --no-run --message-format=json 2>/dev/null | sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' | tail -1); \
	test -n "$$binary" && PROPTEST_CASES=8 valgrind --quiet --error-exitcode=1 "$$binary" cost:: ledger::tests guarantee:: noise::uniform

# The exact arithmetic of privacy and its ledger under Miri; needs a nightly toolchain with the component miri.
miri:
	MIRIFLAGS=-Zmiri-disable-isolation $(CARGO) +nightly miri test -p lookalike-privacy --lib -- cost:: ledger::tests guarantee:: noise::uniform

# Opens reports in headless Chromium, wide and on a phone; says that it is skipped where there is none. REPORTS names other files.
test-browser:
	CARGO="$(CARGO)" CACHE="$(CACHE)" tests/browser/run.sh $(REPORTS)

# Tables in PostgreSQL, by the feature `postgres`, against a server that is started for it; says that it is skipped where there is none and none can be installed.
test-postgres:
	CARGO="$(CARGO)" tests/postgres/run.sh

# DataFusion and Ballista, a workspace of its own that nothing else compiles: a scheduler and two executors on the loopback address, one of which is killed. At most ten minutes once it is built.
CLUSTER_TARGET ?= $(CACHE)/target-cluster
test-cluster:
	cd cluster && CARGO_TARGET_DIR="$(CLUSTER_TARGET)" $(CARGO) test --locked --no-run
	cd cluster && CARGO_TARGET_DIR="$(CLUSTER_TARGET)" timeout --kill-after=10 600 $(CARGO) test --locked -- --test-threads 1

lint-cluster:
	cd cluster && $(CARGO) fmt --check
	cd cluster && CARGO_TARGET_DIR="$(CLUSTER_TARGET)" $(CARGO) clippy --locked --all-targets -- -D warnings

# The native part of the Python package, into the checkout: `PYTHONPATH=python python3 -c "import lookalike"`. It needs no Python to be built.
python:
	$(CARGO) build --locked -p lookalike-python
	python/place.sh $(CARGO_TARGET_DIR)/debug

# One class a method, from the methods' cards.
python-methods:
	$(CARGO) run --locked --quiet -- methods --json $(CACHE)/cards.json --force --quiet
	python3 python/generate_methods.py $(CACHE)/cards.json

# What the tests of the packages need, the command line and the native part, built with the options of `unit`, so that nothing is built twice.
packages:
	$(CARGO) test --workspace --locked --no-run --test module --test documentation

# Both say that they are skipped where Python 3.10 or R is not installed; install_python_and_r.sh installs them by name.
test-python: packages
	python/place.sh $(CARGO_TARGET_DIR)/debug/deps
	CACHE="$(CACHE)" LOOKALIKE_BINARY="$(CARGO_TARGET_DIR)/debug/lookalike" python/test.sh

test-r: packages
	CACHE="$(CACHE)" LOOKALIKE_BINARY="$(CARGO_TARGET_DIR)/debug/lookalike" r/test.sh

# What a release ships, in out/dist: static binary, wheel, R source package, Debian package, container file, completions, man pages. Each is
# installed into a clean root and tried. STAGES names some of them.
dist:
	CACHE="$(CACHE)" CARGO="$(CARGO)" dist/build.sh $(STAGES)
	dist/try.sh $(STAGES)

demo:
	$(CARGO) run --release --locked -- demo

bench:
	$(CARGO) bench --workspace --locked

# Us beside R, DuckDB, polars and Python generators; BENCHMARKS.md holds what came out.
bench-peers:
	benches/install_peers.sh
	$(CARGO) run --release --locked -- bench
