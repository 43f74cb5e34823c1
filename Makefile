# `make test` does all of its own set-up on a machine with Rust, gcc and make, and is what CI runs.
# The build is kept under the user's cache folder, so that a fresh checkout builds quickly the second time.

CACHE ?= $(if $(XDG_CACHE_HOME),$(XDG_CACHE_HOME),$(HOME)/.cache)/lookalike
export CARGO_TARGET_DIR ?= $(CACHE)/target
export CARGO_TERM_COLOR ?= never
# Property tests draw the same cases in every run of `make`; plain `cargo test` draws fresh ones.
export PROPTEST_RNG_SEED ?= 1901
CARGO ?= cargo

.PHONY: test format lint unit docs dependencies test-browser demo bench bench-peers

test: format lint unit docs dependencies test-browser

format:
	$(CARGO) fmt --all --check

lint:
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings

unit:
	$(CARGO) test --workspace --locked

docs:
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --locked

# One version of arrow in the tree, no heavy engine in the default build; licences and advisories where cargo-deny is there.
dependencies:
	@! $(CARGO) tree --workspace --locked --duplicates --depth 0 | grep -E '^(arrow|parquet)' || (echo "two versions of arrow in the tree" && false)
	@! $(CARGO) tree --locked --prefix none | grep -E '^datafusion' || (echo "datafusion is in the default build" && false)
	@if command -v cargo-deny >/dev/null; then $(CARGO) deny --offline check bans licenses sources; else echo "cargo-deny is not installed: licences not checked"; fi

# Opens reports in headless Chromium, wide and on a phone; says that it is skipped where there is none. REPORTS names other files.
test-browser:
	CARGO="$(CARGO)" CACHE="$(CACHE)" tests/browser/run.sh $(REPORTS)

demo:
	$(CARGO) run --release --locked -- demo

bench:
	$(CARGO) bench --workspace --locked

# Us beside R, DuckDB, polars and Python generators; BENCHMARKS.md holds what came out.
bench-peers:
	benches/install_peers.sh
	$(CARGO) run --release --locked -- bench
