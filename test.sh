#!/bin/sh
# Builds and tests everything: the release preset, then both sanitizers. The last line counts the tests.
# ./test.sh [preset ...] runs only those presets.
set -u
cd -- "$(dirname -- "$0")" || exit 1
sh tools/setup/install.sh || exit 1
. tools/setup/build.sh

passed=0
failed=0

# Reads "97% tests passed, 3 tests failed out of 120" of one run of ctest.
count() {
  summary=$(grep -E '[0-9]+ tests? failed out of [0-9]+' "$1" | tail -n 1)
  if [ -z "$summary" ]; then
    failed=$((failed + 1))
    return
  fi
  bad=$(echo "$summary" | sed 's/.*, \([0-9]*\) tests* failed.*/\1/')
  all=$(echo "$summary" | sed 's/.*out of \([0-9]*\).*/\1/')
  skipped=$(grep -cE '^[[:space:]]+[0-9]+ - .*\(Skipped\)$' "$1")
  [ "$skipped" = 0 ] || echo "== $skipped skipped themselves: no memory or no permission here"
  passed=$((passed + all - bad - skipped))
  failed=$((failed + bad))
}

# What failed tests of one run of ctest wrote, the last lines of each.
failures() {
  awk 'function show(  i) { for (i = n > 80 ? n - 80 : 0; i < n; i++) print line[i]; n = 0 }
       /^ *[0-9]+\/[0-9]+ +Test +#/ { show(); writing = /\*\*\*/ && !/\*\*\*Skipped/ }
       /^[0-9]+% tests passed/ { show(); writing = 0 }
       writing { line[n++] = $0 }' "$1"
}

# What a sanitizer's build leaves out. TSan's shadow memory lies where ranks live: nothing with slots; physics has no threads.
excluded() {
  case $1 in
    tsan) echo 'slots|mpi|physics' ;;
    asan) echo 'install' ;;
    *) echo '^$' ;;
  esac
}

for preset in ${*:-release asan tsan}; do
  echo "== $preset: build"
  if ! build "$preset" -DWEFT_BUILD_TESTS=ON; then
    echo "== $preset: the build failed"
    failed=$((failed + 1))
    continue
  fi
  echo "== $preset: tests"
  log=build/$preset/test.log
  # One test more than cores: some wait.
  ctest --preset "$preset" -j $(($(nproc) + 1)) -LE "$(excluded "$preset")" > "$log" 2>&1 || true
  failures "$log"
  grep -E 'tests passed|^[[:space:]]+[0-9]+ - .*\((Failed|Timeout|Not Run|SEGFAULT|Subprocess aborted|.*Exception.*)\)|Total Test time' "$log"
  count "$log"
done

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
