#!/bin/sh
# Puts the built library beside the package: place.sh FOLDER-OF-THE-BUILD
set -eu
here=$(cd "$(dirname "$0")" && pwd)
for built in "$1/lib_native.so" "$1/lib_native.dylib" "$1/_native.dll"; do
  [ -e "$built" ] || continue
  case $built in *.dll) name=_native.pyd ;; *) name=_native.abi3.so ;; esac
  # A loaded library must not change under its process.
  rm -f "$here/lookalike/$name"
  cp "$built" "$here/lookalike/$name"
  exit 0
done
echo "place.sh: no library in $1; run cargo build -p lookalike-python" >&2
exit 1
