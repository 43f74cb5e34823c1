#!/bin/sh
# Installs each part of out/dist into a clean root and tries it: try.sh [binary] [shell] [wheel] [r] [deb] [container]
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
out=$root/out/dist
stages=${*:-binary shell wheel r deb container}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wants() { case " $stages " in *" $1 "*) return 0 ;; *) return 1 ;; esac; }
say() { echo "dist: $*"; }

# The demo, in a root that holds nothing but what is tried: nothing of the system, and no network where that can be taken away, can help.
demo_in() {
  mkdir -p "$1/tmp" "$1/data"
  if [ "$(id -u)" = 0 ]; then
    alone=; unshare --net true 2>/dev/null && alone="unshare --net"
    $alone chroot "$1" /usr/bin/lookalike demo --people 500 --out /data/demo --quiet 2>/dev/null
  else
    "$1/usr/bin/lookalike" demo --people 500 --out "$1/data/demo" --quiet 2>/dev/null
  fi
  [ -d "$1/data/demo/release" ]
}

if wants binary || wants container; then
  mkdir -p "$work/root/usr/bin"
  cp "$out/lookalike" "$work/root/usr/bin/"
  demo_in "$work/root"
  say "the demo of the binary ran in a root of its own: $(ls "$work/root/data/demo" | tr '\n' ' ')"
fi

if wants shell; then
  bash -n "$out/shell/lookalike.bash"
  command -v man >/dev/null && MANPAGER=cat man -l "$out/shell/lookalike.1" >/dev/null
  say "completions for bash, zsh and fish; $(ls "$out"/shell/*.1 | wc -l) man pages"
fi

if wants wheel; then
  python3 -m venv --without-pip "$work/venv"
  wheel=$(ls "$out"/lookalike-*.whl)
  bytes=$(stat -c %s "$wheel")
  site=$("$work/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  python3 -m zipfile -e "$wheel" "$site"
  "$work/venv/bin/python" -I - <<'PYTHON'
import sys, time
best = None
import subprocess
text = "import time; s = time.process_time(); import lookalike; print(time.process_time() - s)"
best = min(float(subprocess.run([sys.executable, "-I", "-c", text], capture_output=True, text=True, check=True).stdout) for _ in range(9))
import lookalike as ll
import csv, random, tempfile, os
folder = tempfile.mkdtemp()
path = os.path.join(folder, "people.csv")
chance = random.Random(1)
with open(path, "w", newline="") as file:
    writer = csv.writer(file)
    writer.writerow(["sex", "age"])
    writer.writerows([chance.choice("FM"), chance.randint(16, 90)] for _ in range(500))
made = ll.Usual(seed=1).fit(path).sample()
assert len(made) == 500 and len(ll.measure(path, made, only=["tables"])) > 0
print(f"dist: the wheel made and measured 500 records without another package; import {1000 * best:.0f} ms of CPU")
sys.exit(0 if best <= 0.05 else f"an import takes {best:.3f} s of CPU, above 0.05")
PYTHON
  say "the wheel has $bytes bytes"
  [ "$bytes" -le 15000000 ] || { echo "dist: the wheel is larger than 15 MB" >&2; exit 1; }
fi

if wants r && command -v R >/dev/null; then
  mkdir -p "$work/library"
  R CMD INSTALL -l "$work/library" "$out"/lookalike_*.tar.gz >/dev/null 2>&1
  LOOKALIKE_BINARY=$out/lookalike R_LIBS="$work/library" Rscript -e 'library(lookalike); d <- data.frame(sex = factor(rep(c("F", "M"), 50)), age = rep(20:69, 2)); stopifnot(nrow(suppressMessages(syn(d, seed = 1))$syn) == 100); cat("dist: the R package made 100 records\n")'
fi

if wants deb && command -v dpkg-deb >/dev/null; then
  dpkg-deb -x "$out"/lookalike_*_amd64.deb "$work/deb"
  files=$(find "$work/deb" -type f | wc -l)
  demo_in "$work/deb"
  say "the Debian package holds $files files, and its demo ran in a root of its own"
fi
