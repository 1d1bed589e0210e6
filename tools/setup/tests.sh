# For test.sh: runs the tests of build folders, runs those that failed a second time, and counts.
passed=0
failed=0
unstable=0

# Reads "97% tests passed, 3 tests failed out of 120" of one run of ctest into $all, $bad and $skipped; false if there is no such line.
read_summary() {
  summary=$(grep -E '[0-9]+ tests? failed out of [0-9]+' "$1" | tail -n 1)
  [ -n "$summary" ] || return 1
  bad=$(echo "$summary" | sed 's/.*, \([0-9]*\) tests* failed.*/\1/')
  all=$(echo "$summary" | sed 's/.*out of \([0-9]*\).*/\1/')
  skipped=$(grep -cE '^[[:space:]]+[0-9]+ - .*\(Skipped\)$' "$1") || true
}

# Names of the tests of one run that did not pass and were not skipped.
failed_names() {
  sed -nE '/\*\*\*Skipped/d; s/^ *[0-9]+\/[0-9]+ +Test +#[0-9]+: +([^ ]+) .*\*\*\*.*/\1/p' "$1"
}

# What tests that failed wrote in a run: the last 80 lines of each. With a second argument only of the test of that name.
failure_output() {
  awk -v only="${2-}" '
    function show(  i) { for (i = n > 80 ? n - 80 : 0; i < n; i++) print line[i]; n = 0 }
    /^ *[0-9]+\/[0-9]+ +Test +#/ {
      show()
      name = $0
      sub(/^.*Test +#[0-9]+: +/, "", name)
      sub(/ .*/, "", name)
      writing = /\*\*\*/ && !/\*\*\*Skipped/ && (only == "" || name == only)
    }
    /^[0-9]+% tests passed/ { show(); writing = 0 }
    writing { line[n++] = $0 }' "$1"
}

# run_tests <build folder> [ctest options]: all tests, one more at a time than there are cores, since some wait.
run_tests() {
  folder=$1
  shift
  log=$folder/test.log
  ctest --test-dir "$folder" --output-on-failure -j $(($(nproc) + 1)) "$@" > "$log" 2>&1 || true
  failure_output "$log"
  grep -E 'tests passed|^[[:space:]]+[0-9]+ - .*\((Failed|Timeout|Not Run|SEGFAULT|Subprocess aborted|.*Exception.*)\)|Total Test time' "$log"
  if ! read_summary "$log"; then
    echo "== $folder: ctest did not end well:"
    tail -n 20 "$log"
    failed=$((failed + 1))
    return
  fi
  [ "$skipped" = 0 ] || echo "== $skipped skipped themselves: no memory or no permission here"
  passed=$((passed + all - bad - skipped))
  failed=$((failed + bad))
}

# rerun_failed <build folder>: what failed in run_tests() once more, alone on the machine. A test that passes now is unstable: it is listed with
# what it wrote when it failed, and counts as passed. A test that fails again stays failed.
rerun_failed() {
  log=$1/test.log
  read_summary "$log" && [ "$bad" != 0 ] || return 0
  again=$1/test-again.log
  ctest --test-dir "$1" --output-on-failure --rerun-failed > "$again" 2>&1 || true
  read_summary "$again" || return 0
  failed_names "$again" > "$1/failed-again.txt"
  for name in $(failed_names "$log" | grep -vxF -f "$1/failed-again.txt"); do
    echo "== unstable: $name of $1 failed beside other tests and passed alone. When it failed it wrote:"
    failure_output "$log" "$name"
    unstable=$((unstable + 1))
    failed=$((failed - 1))
    passed=$((passed + 1))
  done
  [ ! -s "$1/failed-again.txt" ] || sed "s|^|== failed twice: |; s|\$| of $1|" "$1/failed-again.txt"
}
