#!/bin/sh
# install.sh [build]: installs the Debian packages of packages.txt that are missing; with `build` only those that the build needs. Prints
# nothing and asks for nothing if all are installed. A user who is not root and may not use sudo gets the command line for an administrator.
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
# Of a|b the first package that apt knows. If it knows none: a, so that apt reports that one.
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
optional=
for package in $(wanted "$@"); do
  for name in $(echo "${package#\?}" | tr '|' ' '); do
    installed "$name" && continue 2
  done
  case $package in
    \?*) optional="$optional ${package#\?}" ;;
    *) missing="$missing $package" ;;
  esac
done
[ -n "$missing$optional" ] || exit 0

names() {
  for package in "$@"; do
    printf ' %s' "$(chosen "$package")"
  done
}
root=
apt_get() {
  $root env DEBIAN_FRONTEND=noninteractive apt-get "$@"
}
# Whether packages can be installed: as root, by sudo without a password, or with a password if there is a terminal to ask at.
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
    echo "setup: packages are missing, and this user may not install them. An administrator runs: apt-get install$(names $missing $optional)" >&2
    exit 1
  fi
  echo "setup: going on without$(names $optional): tools/setup/packages.txt says what for"
  exit 0
fi
echo "setup: installing$missing$optional"
apt_get update -qq
apt_get install -qq -y --no-install-recommends -o Dpkg::Use-Pty=0 $(names $missing $optional) > /dev/null
