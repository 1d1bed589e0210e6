#!/bin/sh
# try_debian.sh SUITE FOLDER [COMPILER]   (as root, by hand; the tests do not call it)
# Runs ./demo.sh and the release tests of the last commit on a fresh Debian: makes SUITE (bookworm, trixie) with only git in
# FOLDER/SUITE, where it is not there yet, clones this project into it and runs both commands there. COMPILER is gcc (usual) or
# clang-N, which is installed with its libraries for OpenMP and sanitizers. FOLDER/SUITE-COMPILER.log has all output; the exit code is that of the tests.
set -eu
case $# in
  2 | 3) ;;
  *)
    sed -n '2,5s/^# //p' "$0" >&2
    exit 1
    ;;
esac
suite=$1 compiler=${3:-gcc}
case $compiler in
  gcc) choose= ;;
  clang-[0-9]*) choose="CC=$compiler CXX=clang++-${compiler#clang-}" ;;
  *)
    echo "try_debian.sh: the compiler is gcc or clang-N, not $compiler" >&2
    exit 1
    ;;
esac
source=$(cd -- "$(dirname -- "$0")/../.." && pwd)
mkdir -p "$2"
folder=$(cd -- "$2" && pwd)
root=$folder/$suite log=$folder/$suite-$compiler.log

[ -d "$root" ] || mmdebstrap --variant=buildd --include=git,ca-certificates "$suite" "$root" 2> "$log" || {
  tail -3 "$log" >&2
  exit 1
}
rm -rf "$root/weft"
git clone -q "$source" "$root/weft"
cp /etc/resolv.conf "$root/etc/resolv.conf"

# The mounts are this command's alone and go with it.
echo "$suite, $compiler: $log"
unshare --mount --propagation private sh -eu -s "$root" "$choose" "$compiler" > "$log" 2>&1 << 'INSIDE' && status=0 || status=$?
mount --bind "$1" "$1" # a root directory that is no mount has no network namespaces
mount -t proc proc "$1/proc"
mount --rbind /sys "$1/sys"
mount --rbind /dev "$1/dev"
mount -t tmpfs tmpfs "$1/run"
mount -t tmpfs tmpfs "$1/tmp"
chroot "$1" env $2 HOME=/root sh -euc '
  cd /weft
  [ "$0" = gcc ] || { apt-get update -qq && apt-get install -qq -y --no-install-recommends "$0" "libomp-${0#clang-}-dev" "libclang-rt-${0#clang-}-dev" > /dev/null; }
  ./demo.sh
  CI=1 ./test.sh release' "$3"
INSIDE
tail -1 "$log"
exit "$status"
