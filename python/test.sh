#!/bin/sh
# The tests of the Python package, with whatever of pytest, polars, pandas, pyarrow, DuckDB, scikit-learn and mypy can be had. Says "skipped" and succeeds
# where there is no Python 3.10 or no pytest. Packages live in the cache, not in the tree.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cache=${CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/lookalike}/python
skip() { echo "test-python: skipped, $1"; exit 0; }
python=${PYTHON:-$(command -v python3 || true)}
[ -n "$python" ] || skip "there is no python3"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' || skip "python3 is older than 3.10"
if [ -z "${PYTHON:-}" ]; then
  [ -x "$cache/bin/python" ] || "$python" -m venv "$cache" || skip "no virtual environment could be made"
  python=$cache/bin/python
  packages="pytest polars pandas pyarrow duckdb scikit-learn mypy nbformat nbclient ipykernel tqdm pyreadstat"
  if [ ! -e "$cache/complete" ]; then
    if "$python" -m pip install --quiet $packages; then touch "$cache/complete"; else echo "test-python: some of $packages could not be installed"; fi
  fi
fi
"$python" -c 'import pytest' 2>/dev/null || skip "pytest is not installed"
cd "$here"
PYTHONPATH=$here exec "$python" -m pytest -q "$@"
