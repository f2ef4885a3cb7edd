#!/usr/bin/env bash
# Prints the path of a Chromium that runs. With --shell, prefers the one without a window, which opens a page for two
# thirds of the computing. With --install, gets one where there is none: Debian's package as root, else Playwright's
# build. Only the path goes to standard output; without a browser the exit status is 1.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

packages=(chromium)
for option; do
  [[ $option == --shell ]] && packages=(chromium-headless-shell chromium)
done

runs() {
  "$1" --version >/dev/null 2>&1 # Ubuntu's chromium-browser may be a stub that only names a snap.
}

find_chromium() {
  local name path
  for name in "${packages[@]}" chromium-browser google-chrome; do
    if path=$(command -v "$name") && runs "$path"; then
      echo "$path"
      return
    fi
  done
  path=$(.venv/bin/python -c '
from playwright.sync_api import sync_playwright
with sync_playwright() as playwright:
    print(playwright.chromium.executable_path)' 2>/dev/null) && runs "$path" && echo "$path"
}

install_package() {
  [[ -e /etc/debian_version && $(id -u) == 0 ]] || return 1
  apt-get update || return 1
  local package
  for package in "${packages[@]}"; do
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$package" && return
  done
  return 1
}

find_chromium && exit
if [[ " $* " == *" --install "* ]]; then
  echo "No Chromium found: installing one for the browser tests." >&2
  install_package >&2 && find_chromium && exit
  .venv/bin/python -m playwright install chromium >&2 && find_chromium && exit
fi
echo "The browser tests need Chromium: put chromium, chromium-browser or google-chrome on PATH." >&2
exit 1
