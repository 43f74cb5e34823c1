#!/bin/sh
# Opens reports in headless Chromium with the network blocked: `run.sh [REPORT.html …]`; without reports, the samples are made first.
# Says "skipped" and succeeds where Chromium, node or playwright-core cannot be had. Packages live in the cache, not in the tree.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cache=${CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/lookalike}/browser
chromium=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}

skip() { echo "test-browser: skipped, $1"; exit 0; }
[ -n "$chromium" ] || skip "there is no Chromium (install it, or name it in CHROMIUM)"
command -v node >/dev/null || skip "there is no node"
mkdir -p "$cache"
cp "$here/package.json" "$here/reports.mjs" "$cache/"
version=$(sed -n 's/.*"playwright-core": "\(.*\)".*/\1/p' "$here/package.json")
if ! grep -qs "\"version\": \"$version\"" "$cache/node_modules/playwright-core/package.json"; then
  command -v npm >/dev/null || skip "there is no npm to fetch playwright-core"
  (cd "$cache" && npm install --silent --no-audit --no-fund --ignore-scripts >/dev/null 2>&1) || skip "playwright-core could not be fetched"
fi
if [ $# -eq 0 ]; then
  ${CARGO:-cargo} run --quiet --locked -p lookalike-report --example sample_reports -- "$cache/samples" >/dev/null
  set -- "$cache"/samples/*.html
fi
CHROMIUM="$chromium" SCREENSHOTS="${SCREENSHOTS:-$cache/screenshots}" exec node "$cache/reports.mjs" "$@"
