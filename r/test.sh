#!/bin/sh
# R CMD check of the R package, and the script of docs/synthpop.md on SD2011 where that is beside the checkout; says "skipped" and succeeds where there is no
# R or no jsonlite.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
skip() { echo "test-r: skipped, $1"; exit 0; }
command -v R >/dev/null || skip "there is no R"
Rscript -e 'quit(status = !requireNamespace("jsonlite", quietly = TRUE))' >/dev/null 2>&1 || skip "jsonlite is not installed"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
vignettes=
Rscript -e 'quit(status = !(requireNamespace("knitr", quietly = TRUE) && requireNamespace("markdown", quietly = TRUE)))' >/dev/null 2>&1 || vignettes="--no-build-vignettes"
R CMD build $vignettes "$here" >build.log 2>&1 || { cat build.log; exit 1; }
export _R_CHECK_FORCE_SUGGESTS_=false LC_ALL=C.UTF-8
R CMD check --no-manual ${vignettes:+--ignore-vignettes} lookalike_*.tar.gz >check.log 2>&1 || { cat check.log lookalike.Rcheck/tests/*.fail 2>/dev/null; exit 1; }
if grep -E 'WARNING|ERROR' check.log; then cat check.log; exit 1; fi
grep '^Status' check.log

# The script of the page, with the package that was just checked.
data=$here/../../shared/data/sd2011.csv
[ -e "$data" ] || { echo "test-r: the script of docs/synthpop.md skipped, ../shared is not beside the checkout"; exit 0; }
mkdir script && cd script
cp "$data" sd2011.csv
sed -n '/^```r$/,/^```$/p' "$here/../docs/synthpop.md" | grep -v '^```' > script.R
[ -s script.R ] || { echo "test-r: docs/synthpop.md holds no script" >&2; exit 1; }
R_LIBS="$work/lookalike.Rcheck" Rscript script.R > script.log 2>&1 || { cat script.log; exit 1; }
[ "$(wc -l < sd2011_synthetic_1.csv)" = 5001 ] || { echo "test-r: the script wrote no 5,000 records" >&2; exit 1; }
echo "test-r: the script of docs/synthpop.md ran on SD2011"
