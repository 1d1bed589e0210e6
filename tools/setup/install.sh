#!/bin/sh
# Installs the Debian packages of packages.txt that are missing; says nothing and asks for nothing when all are there.
set -eu
here=$(cd -- "$(dirname -- "$0")" && pwd)

installed() {
  [ "$(dpkg-query -W -f='${Status}' "$1" 2> /dev/null)" = "install ok installed" ]
}
missing=
for package in $(sed 's/#.*//' "$here/packages.txt"); do
  for name in $(echo "$package" | tr '|' ' '); do
    installed "$name" && continue 2
  done
  missing="$missing $package"
done
[ -n "$missing" ] || exit 0

root=
if [ "$(id -u)" != 0 ]; then
  command -v sudo > /dev/null || {
    echo "setup: as root, run: apt-get install$missing" >&2
    exit 1
  }
  root=sudo
fi
echo "setup: installing$missing"
export DEBIAN_FRONTEND=noninteractive
$root apt-get update -qq
chosen=
for package in $missing; do
  for name in $(echo "$package" | tr '|' ' '); do
    if apt-cache show "$name" > /dev/null 2>&1; then
      chosen="$chosen $name"
      continue 2
    fi
  done
  chosen="$chosen $package" # for apt's own words about it
done
$root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends -o Dpkg::Use-Pty=0 $chosen > /dev/null
