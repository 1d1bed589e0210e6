#!/bin/sh
# try_packages.sh SUITE FOLDER   (as root, by hand; the tests do not call it)
# Makes the packages of the last commit on a Debian SUITE (bookworm, trixie) in FOLDER/SUITE, as try_debian.sh makes it, and has lintian look
# at them; installs them on a fresh one, FOLDER/SUITE-clean, uses them there as a user who is not root, and takes them away again.
# FOLDER/SUITE-packages.log has all output; the exit code is not 0 if anything fails or is left behind.
set -eu
[ $# = 2 ] || {
  sed -n '2,5s/^# //p' "$0" >&2
  exit 1
}
here=$(cd -- "$(dirname -- "$0")" && pwd)
. "$here/debian_root.sh"
mkdir -p "$2"
folder=$(cd -- "$2" && pwd)
build=$folder/$1 clean=$folder/$1-clean log=$folder/$1-packages.log
source=$(cd -- "$here/../.." && pwd)

make_and_try() {
  make_root "$1" "$build" --variant=buildd --include=git,ca-certificates
  rm -rf "$build/weft-packages" "$clean"
  git clone -q "$source" "$build/weft-packages"
  in_root "$build" sh -euc '
    apt-get update -qq
    apt-get install -qq -y --no-install-recommends lintian > /dev/null
    cd /weft-packages
    sh tools/packages.sh'

  make_root "$1" "$clean" --variant=apt --include=ca-certificates,passwd
  mkdir "$clean/packages"
  cp "$build"/weft-packages/build/package/packages/* "$source"/tests/tools/programs/hello.cpp "$here/use_packages.sh" "$clean/packages"
  in_root "$clean" sh -euc '
    apt-get update -qq
    apt-get install -qq -y --no-install-recommends /packages/*.deb pkg-config man-db > /packages/apt.log 2>&1 || {
      tail -5 /packages/apt.log
      exit 1
    }
    for alternative in mpi mpirun; do
      update-alternatives --query "$alternative" | grep -E "^(Value|Priority)"
    done
    useradd -m user
    su - user -c "sh -eu /packages/use_packages.sh"
    apt-get remove -qq -y "weft*" > /dev/null 2>&1
    dpkg -P weft weft-dev weft-doc weft-ondes3d > /dev/null 2>&1
    left=$(find / -xdev \( -path /proc -o -path /packages -o -path /home/user -o -path "/var/*" \) -prune -o \( -iname "*weft*" -o -xtype l -path "*mpi*" \) -print)
    [ -z "$left" ] || {
      echo "left behind: $left"
      exit 1
    }'
}

echo "$1: $log"
make_and_try "$1" > "$log" 2>&1 && status=0 || status=$?
[ "$status" = 0 ] && echo 'the packages are in order' || tail -5 "$log"
exit "$status"
