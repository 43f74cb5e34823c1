#!/bin/sh
# Measures Lookalike beside DuckDB and polars on the same data and threads, and prints the ratios.
# Everything it makes is kept under the cache folder: the peers, the data and results.json.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/lookalike
bench=$cache/bench
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$cache/target}"
mkdir -p "$bench"

cargo build --manifest-path "$root/Cargo.toml" --release --locked --package table --example measure
measure=$CARGO_TARGET_DIR/release/examples/measure

python=$bench/venv/bin/python
[ -x "$python" ] || python3 -m venv "$bench/venv" || python=python3
for peer in duckdb polars; do
    "$python" -c "import $peer, numpy, pyarrow" 2>/dev/null ||
        "$python" -m pip install --quiet --disable-pip-version-check "$peer" numpy pyarrow ||
        echo "$peer: pip could not install it" >&2
done

# Written under another name first, so that a run that was stopped leaves no half file behind.
[ -d "$bench/columns" ] || { mkdir -p "$bench/columns.part" && "$measure" columns "$bench/columns.part" && mv "$bench/columns.part" "$bench/columns"; }
[ -f "$bench/people.csv" ] || { "$measure" csv "$bench/people.part" && mv "$bench/people.part" "$bench/people.csv"; }

exec "$python" "$root/benches/peers.py" "$measure" "$bench"
