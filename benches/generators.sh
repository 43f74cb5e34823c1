#!/bin/sh
# The generators' kernels beside R, in CPU seconds on the same tables; without Rscript only our side is measured.
# Arguments: the seven grouped variables of SD2011 as CSV [../shared/data/sd2011_s7.csv].
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/lookalike
bench=$cache/bench
s7=${1:-$root/../shared/data/sd2011_s7.csv}
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$cache/target}"
mkdir -p "$bench"

cargo build --manifest-path "$root/Cargo.toml" --release --locked --package study --example measure_generators
measure=$CARGO_TARGET_DIR/release/examples/measure_generators

"$measure" saturated
"$measure" plan
[ -f "$s7" ] && "$measure" ipf "$s7" || echo "no $s7: ipf not measured"
command -v Rscript >/dev/null || { echo "R is not installed: peer not measured"; exit 0; }
"$measure" counts "$bench/census.bin"
Rscript - "$bench/census.bin" "$s7" <<'R'
files <- commandArgs(trailingOnly = TRUE)
cpu <- function(runs, work) { t <- system.time(for (run in 1:runs) work()); (t[["user.self"]] + t[["sys.self"]]) / runs }
y <- readBin(files[1], "integer", n = 4e6, size = 4)
cat(sprintf('{"case": "R rnbinom over all %d cells", "cpu_s": %.5f}\n', length(y), cpu(10, function() rnbinom(length(y), size = 2, mu = y))))
if (file.exists(files[2])) {
  d <- read.csv(files[2], stringsAsFactors = TRUE)
  margins <- combn(7, 2, simplify = FALSE)
  counts <- table(d)
  cat(sprintf('{"case": "R loglin, 35 sweeps", "cpu_s": %.5f}\n', cpu(3, function() suppressWarnings(loglin(counts, margins, fit = TRUE, print = FALSE, iter = 35, eps = 0)))))
}
R
