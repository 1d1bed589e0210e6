#!/bin/sh
# install.sh [build]: installs the Debian packages of packages.txt that are missing; with `build` only those that the build wants. Says
# nothing and asks for nothing when all are there. Who is not root and may not become it by sudo gets the line for an administrator.
set -euf
here=$(cd -- "$(dirname -- "$0")" && pwd)

installed() {
  [ "$(dpkg-query -W -f='${Status}' "$1" 2> /dev/null)" = "install ok installed" ]
}
wanted() { # one a line, with ? and |
  if [ "${1-}" = build ]; then
    sed '/^\[/,$d' "$here/packages.txt"
  else
    grep -v '^\[' "$here/packages.txt"
  fi | sed 's/#.*//; s/ //g; /^$/d'
}
# Of a|b the first that apt knows; a, for apt's own words about it, where it knows none.
chosen() {
  for name in $(echo "$1" | tr '|' ' '); do
    if apt-cache show "$name" 2> /dev/null | grep -q .; then
      echo "$name"
      return
    fi
  done
  echo "${1%%|*}"
}

missing=
spared=
for package in $(wanted "$@"); do
  for name in $(echo "${package#\?}" | tr '|' ' '); do
    installed "$name" && continue 2
  done
  case $package in
    \?*) spared="$spared ${package#\?}" ;;
    *) missing="$missing $package" ;;
  esac
done
[ -n "$missing$spared" ] || exit 0

names() {
  for package in "$@"; do
    printf ' %s' "$(chosen "$package")"
  done
}
root=
apt_get() {
  $root env DEBIAN_FRONTEND=noninteractive apt-get "$@"
}
# By sudo without a password, or with one where there is a terminal to ask for it.
may_install() {
  [ "$(id -u)" != 0 ] || return 0
  command -v sudo > /dev/null || return 1
  root="sudo -n"
  apt_get --version > /dev/null 2>&1 && return 0
  root=sudo
  [ -n "$missing" ] && [ -t 0 ] && [ -t 2 ] && sudo -v && apt_get --version > /dev/null
}
if ! may_install; then
  if [ -n "$missing" ]; then
    echo "setup: packages are missing, and this user may not install them. An administrator runs: apt-get install$(names $missing $spared)" >&2
    exit 1
  fi
  echo "setup: going on without$(names $spared): tools/setup/packages.txt says what for"
  exit 0
fi
echo "setup: installing$missing$spared"
apt_get update -qq
apt_get install -qq -y --no-install-recommends -o Dpkg::Use-Pty=0 $(names $missing $spared) > /dev/null
