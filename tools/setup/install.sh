#!/bin/sh
# Installs the Debian packages of packages.txt that are missing; says nothing and asks for nothing when all are there.
set -eu
here=$(cd -- "$(dirname -- "$0")" && pwd)

missing=
for package in $(sed 's/#.*//' "$here/packages.txt"); do
  state=$(dpkg-query -W -f='${Status}' "$package" 2> /dev/null || true)
  [ "$state" = "install ok installed" ] || missing="$missing $package"
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
$root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends -o Dpkg::Use-Pty=0 $missing > /dev/null
