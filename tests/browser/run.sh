#!/bin/sh
# Opens reports in headless Chromium with the network blocked: `run.sh [REPORT.html …]`; without reports, the samples are made first, and the
# workbench is walked through by the keyboard (LOOKALIKE names its program; it is built where none is named).
# Says "skipped" and succeeds where Chromium, node, playwright-core or axe-core cannot be had. Packages live in the cache, not in the tree.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cache=${CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/lookalike}/browser
chromium=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}

skip() { echo "test-browser: skipped, $1"; exit 0; }
[ -n "$chromium" ] || skip "there is no Chromium (install it, or name it in CHROMIUM)"
command -v node >/dev/null || skip "there is no node"
mkdir -p "$cache"
cp "$here/package.json" "$here/reports.mjs" "$here/workbench.mjs" "$cache/"
has() { grep -qs "\"version\": \"$(sed -n "s/.*\"$1\": \"\([^\"]*\)\".*/\1/p" "$here/package.json")\"" "$cache/node_modules/$1/package.json"; }
if ! has playwright-core || ! has axe-core; then
  command -v npm >/dev/null || skip "there is no npm to fetch playwright-core and axe-core"
  (cd "$cache" && npm install --silent --no-audit --no-fund --ignore-scripts >/dev/null 2>&1) || skip "playwright-core and axe-core could not be fetched"
fi
export CHROMIUM="$chromium" SCREENSHOTS="${SCREENSHOTS:-$cache/screenshots}"
if [ $# -eq 0 ]; then
  if [ -z "${LOOKALIKE:-}" ]; then
    ${CARGO:-cargo} build --quiet --locked -p lookalike-cli
    LOOKALIKE=${CARGO_TARGET_DIR:-target}/debug/lookalike
  fi
  node "$cache/workbench.mjs" "$LOOKALIKE"
  ${CARGO:-cargo} run --quiet --locked -p lookalike-report --example sample_reports -- "$cache/samples" >/dev/null
  set -- "$cache"/samples/*.html
fi
exec node "$cache/reports.mjs" "$@"
