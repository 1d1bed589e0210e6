# For test.sh: runs the tests of build folders, runs failed ones a second time, and counts. GoogleTest's cases run in batches (batches.py)
# and are counted one by one. To be sourced at the top of the tree, or with $setup naming this folder.
passed=0
failed=0
unstable=0
batches="python3 -B ${setup:-tools/setup}/batches.py"

# Prints the output of tests that failed in a run: the last 80 lines of each. With a second argument only of the test of that name.
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

# run_tests <build folder> [ctest options]: runs all tests, one more at a time than there are cores, since some tests wait.
run_tests() {
  folder=$1
  shift
  log=$folder/test.log
  rm -f "$log" "$folder/Testing/Temporary/LastTestsFailed.log"
  if $batches plan "$folder" "$@"; then
    ctest --test-dir "$folder/batched" --output-on-failure -j $(($(nproc) + 1)) > "$log" 2>&1 || true
    failure_output "$log"
    grep -E '^[[:space:]]+[0-9]+ - .*\((Failed|Timeout|Not Run|SEGFAULT|Subprocess aborted|.*Exception.*)\)|Total Test time' "$log"
  fi
  if ! grep -qs 'tests failed out of' "$log"; then
    echo "== $folder: ctest did not end well:"
    [ ! -e "$log" ] || tail -n 20 "$log"
    failed=$((failed + 1))
    return
  fi
  read -r good bad skipped << END
$($batches count "$folder" "$log")
END
  echo "== $folder: $good passed, $bad failed"
  [ "$skipped" = 0 ] || echo "== $skipped skipped themselves: no memory or no permission here"
  passed=$((passed + good))
  failed=$((failed + bad))
}

# rerun_failed <build folder>: runs the tests that failed in run_tests() once more, each in a process of its own and alone on the machine.
# A test that now passes is unstable: it is listed with what it wrote when it failed, and counts as passed.
rerun_failed() {
  names=$1/Testing/Temporary/LastTestsFailed.log
  [ -s "$names" ] || return 0
  sed 's/^[0-9]*://; s/ .*//' "$names" > "$1/failed.txt"
  again=$1/test-again.log
  ctest --test-dir "$1" --output-on-failure --rerun-failed > "$again" 2>&1 || true
  grep -q 'tests failed out of' "$again" || return 0
  sed -nE '/\*\*\*Skipped/d; s/^ *[0-9]+\/[0-9]+ +Test +#[0-9]+: +([^ ]+) .*\*\*\*.*/\1/p' "$again" > "$1/failed-again.txt"
  for name in $(grep -vxF -f "$1/failed-again.txt" "$1/failed.txt"); do
    echo "== unstable: $name of $1 failed beside other tests and passed alone. When it failed it wrote:"
    $batches output "$1" "$name"
    failure_output "$1/test.log" "$name"
    unstable=$((unstable + 1))
    failed=$((failed - 1))
    passed=$((passed + 1))
  done
  [ ! -s "$1/failed-again.txt" ] || sed "s|^|== failed twice: |; s|\$| of $1|" "$1/failed-again.txt"
}
