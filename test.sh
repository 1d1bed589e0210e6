#!/bin/sh
# Checks the sources, then builds and tests everything: the release preset, then both sanitizers. What failed runs a second time, alone,
# when all else is done. The last line counts the tests; a check that fails counts as one.
# ./test.sh [preset ...] runs the checks and only those presets.
set -u
cd -- "$(dirname -- "$0")" || exit 1
sh tools/setup/install.sh || exit 1
. tools/setup/build.sh
. tools/setup/tests.sh

# What a sanitizer's build leaves out. TSan's shadow memory lies where ranks live: nothing with slots; physics has no threads.
excluded() {
  case $1 in
    tsan) echo 'slots|mpi|physics' ;;
    asan) echo 'install' ;;
    *) echo '^$' ;;
  esac
}

echo "== checks"
tools/check.sh || failed=$((failed + 1))

built=
for preset in ${*:-release asan tsan}; do
  echo "== $preset: build"
  if ! build "$preset" -DWEFT_BUILD_TESTS=ON ${CI:+-DWEFT_WERROR=ON}; then
    echo "== $preset: the build failed"
    failed=$((failed + 1))
    continue
  fi
  echo "== $preset: tests"
  run_tests "build/$preset" -LE "$(excluded "$preset")"
  built="$built $preset"
done
for preset in $built; do
  rerun_failed "build/$preset"
done

[ "$unstable" = 0 ] || echo "== $unstable unstable, listed above: each is a fault of the test or of what it tests"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
