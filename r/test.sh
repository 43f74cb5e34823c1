#!/bin/sh
# R CMD check of the R package; says "skipped" and succeeds where there is no R or no jsonlite.
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
