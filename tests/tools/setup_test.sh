#!/bin/sh
# tools/setup/tests.sh on three tests of its own: one that passes, one that fails only the first time, one that fails always.
# setup_test.sh <source folder> <scratch folder>
set -u
setup=$1/tools/setup
rm -rf "$2"
mkdir -p "$2/build"
cd "$2" || exit 1
cat > build/CTestTestfile.cmake << END
add_test(good sh -c "true")
add_test(once sh -c "echo seed 4711; test -e '$2/ran' || { touch '$2/ran'; exit 1; }")
add_test(always sh -c "echo as ever; exit 1")
add_test(skips sh -c "exit 77")
set_tests_properties(skips PROPERTIES SKIP_RETURN_CODE 77)
END
. "$setup/tests.sh"

failures=0
expect() { # expect <what> <found> <expected>
  [ "$2" = "$3" ] || {
    echo "FAILED: $1: $2, expected $3"
    failures=$((failures + 1))
  }
}
run_tests build > first
expect 'passed at first' "$passed" 1
expect 'failed at first' "$failed" 2
expect 'no test was said to be unstable at first' "$(grep -c unstable first)" 0
rerun_failed build > second
expect passed "$passed" 2
expect failed "$failed" 1
expect unstable "$unstable" 1
expect 'lines that name the unstable test' "$(grep -c '^== unstable: once of build' second)" 1
expect 'its seed' "$(grep -c 'seed 4711' second)" 1
expect 'lines that name the one that failed twice' "$(grep -c '^== failed twice: always of build' second)" 1
expect 'output of the other under unstable' "$(grep -c 'as ever' second)" 0

# A run without a summary, as of a ctest that was killed, is a failure and no reason to run anything again.
mkdir broken
echo 'message(FATAL_ERROR "not to be read")' > broken/CTestTestfile.cmake
run_tests broken > third
expect 'failed with a run that broke off' "$failed" 2
[ "$failures" = 0 ] || cat first second third
exit "$failures"
