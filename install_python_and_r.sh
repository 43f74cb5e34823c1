#!/bin/sh
# Installs by name what `make test` tries the Python and R packages with, on Debian and Ubuntu; elsewhere it says what is needed.
set -eu
if command -v apt-get >/dev/null; then
  sudo=; [ "$(id -u)" = 0 ] || sudo=sudo
  $sudo apt-get install -y python3 python3-venv r-base-core r-cran-jsonlite r-cran-knitr r-cran-markdown
else
  echo "install Python 3.10 or later with venv, and R 4.1 or later with jsonlite (and knitr and markdown for the vignette)"
fi
