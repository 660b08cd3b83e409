#!/bin/sh
# What the tests need and pip does not bring: Chromium, and Hunspell with a dictionary for each language.
# On Debian and its children, as root, it installs what is missing; elsewhere it says what to install.
set -eu

packages=""
want() { packages="$packages $1"; }

browser="${BLOQUE_CHROMIUM:-}" # as tools/lab.py looks for it
for name in chromium chromium-browser google-chrome google-chrome-stable; do
    [ -z "$browser" ] && command -v "$name" >/dev/null 2>&1 && browser="$name"
done
[ -n "$browser" ] || want chromium
command -v hunspell >/dev/null 2>&1 || want hunspell
for dictionary in es_ES:hunspell-es en_GB:hunspell-en-gb; do
    [ -e "/usr/share/hunspell/${dictionary%%:*}.dic" ] || want "${dictionary##*:}"
done
# the page's text is drawn with the system's fonts: without any, screenshots are empty boxes
[ -d /usr/share/fonts/truetype/dejavu ] || want fonts-dejavu-core

[ -z "$packages" ] && exit 0

if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" -eq 0 ]; then
    echo "installing:$packages"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    # shellcheck disable=SC2086 # a list of words
    apt-get install -y -qq --no-install-recommends $packages >/dev/null
    exit 0
fi

echo "The tests also need:$packages" >&2
echo "  Debian, Ubuntu:  sudo apt install$packages" >&2
echo "  macOS:           brew install --cask chromium && brew install hunspell (and the es_ES and en_GB dictionaries in ~/Library/Spelling)" >&2
echo "  Without them:    make test-quick" >&2
exit 1
