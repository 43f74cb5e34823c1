#!/bin/sh
# Installs the peers of `lookalike bench` by name: R from Debian, Python packages from PyPI, all of them under the user's cache folder.
# What cannot be installed is told and left out; the benchmark then says so too.
set -u

bench=${XDG_CACHE_HOME:-$HOME/.cache}/lookalike/bench
mkdir -p "$bench"

command -v Rscript >/dev/null || apt-get install -y --no-install-recommends r-base-core r-recommended ||
    echo "R: apt-get could not install it" >&2

[ -x "$bench/venv/bin/python" ] || python3 -m venv "$bench/venv"
"$bench/venv/bin/python" -c "import duckdb, polars, numpy, pyarrow" 2>/dev/null ||
    "$bench/venv/bin/pip" install --quiet --disable-pip-version-check duckdb polars numpy pyarrow ||
    echo "duckdb, polars: pip could not install them" >&2
"$bench/venv/bin/python" -c "import sdmetrics, anonymeter" 2>/dev/null ||
    "$bench/venv/bin/pip" install --quiet --disable-pip-version-check "sdmetrics==0.32.0" "anonymeter==1.1.0" ||
    echo "sdmetrics, anonymeter: pip could not install them" >&2

# py-synthpop needs calls that pandas 2 removed, and so an old Python.
if [ ! -d "$bench/py-synthpop" ]; then
    python=$(ls -d "$HOME"/.pyenv/versions/3.8*/bin/python /usr/bin/python3.8 2>/dev/null | head -n 1)
    if [ -n "$python" ]; then
        "$python" -m venv "$bench/py-synthpop" &&
            "$bench/py-synthpop/bin/pip" install --quiet --disable-pip-version-check "py-synthpop==0.1.2" "pandas<2" scikit-learn scipy ||
            rm -rf "$bench/py-synthpop"
    else
        echo "py-synthpop: there is no Python 3.8" >&2
    fi
fi
