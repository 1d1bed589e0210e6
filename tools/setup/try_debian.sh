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
here=$(cd -- "$(dirname -- "$0")" && pwd)
. "$here/debian_root.sh"
mkdir -p "$2"
folder=$(cd -- "$2" && pwd)
root=$folder/$suite log=$folder/$suite-$compiler.log

make_root "$suite" "$root" --variant=buildd --include=git,ca-certificates
rm -rf "$root/weft"
git clone -q "$here/../.." "$root/weft"

echo "$suite, $compiler: $log"
in_root "$root" env $choose sh -euc '
  cd /weft
  [ "$0" = gcc ] || { apt-get update -qq && apt-get install -qq -y --no-install-recommends "$0" "libomp-${0#clang-}-dev" "libclang-rt-${0#clang-}-dev" > /dev/null; }
  ./demo.sh
  CI=1 ./test.sh release' "$compiler" > "$log" 2>&1 && status=0 || status=$?
tail -1 "$log"
exit "$status"
