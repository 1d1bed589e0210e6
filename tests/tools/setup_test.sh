#!/bin/sh
# tools/setup/tests.sh on tests of its own: ones that pass, that fail only the first time, that fail always, that skip themselves; and the
# same as cases of a GoogleTest program, which run in one process until one of them ends it.
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
add_test(silent sh -c "echo nothing")
set_tests_properties(silent PROPERTIES PASS_REGULAR_EXPRESSION "what it is to say")
add_test(skips sh -c "exit 77")
set_tests_properties(skips PROPERTIES SKIP_RETURN_CODE 77)
END
cat > program << 'END'
#!/bin/sh
echo "$$" >> processes
for case in $(echo "${1#--gtest_filter=}" | tr : ' '); do
  echo "[ RUN      ] $case"
  case $case in
    Case.Passes*) echo "of a rank, without an end of line[       OK ] $case (0 ms)" ;;
    Case.Skips) echo "[  SKIPPED ] $case (0 ms)" ;;
    Case.Once) test -e once && echo "[       OK ] $case (0 ms)" || { touch once; echo "seed 4712"; echo "[  FAILED  ] $case (0 ms)"; failed=1; } ;;
    Case.Fails/4) echo "[  FAILED  ] $case, where GetParam() = 4 (0 ms)"; failed=1 ;;
    Case.Ends) kill -9 $$ ;;
    Case.Hangs) exec sleep 60 ;;
    Case.Leaks) leaks=1; echo "[       OK ] $case (0 ms)" ;;
  esac
done
[ -z "$leaks" ] || { echo "a leak of 4713 bytes"; exit 23; }
exit ${failed:-0}
END
chmod +x program
for case in Passes1 Skips Once Fails/4 Ends Passes2 Hangs Passes3; do
  echo "add_test('Case.$case  # GetParam() = 4' '$2/program' --gtest_filter=Case.$case --gtest_also_run_disabled_tests)"
  echo "set_tests_properties('Case.$case  # GetParam() = 4' PROPERTIES TIMEOUT 10 WORKING_DIRECTORY '$2' SKIP_REGULAR_EXPRESSION SKIPPED)"
done | tr "'" '"' >> build/CTestTestfile.cmake
for case in Passes4 Leaks Passes5; do
  echo "add_test(Case.$case '$2/program' --gtest_filter=Case.$case --gtest_also_run_disabled_tests)"
  echo "set_tests_properties(Case.$case PROPERTIES TIMEOUT 30 WORKING_DIRECTORY '$2')"
done | tr "'" '"' >> build/CTestTestfile.cmake
. "$setup/tests.sh"

failures=0
expect() { # expect <what> <found> <expected>
  [ "$2" = "$3" ] || {
    echo "FAILED: $1: $2, expected $3"
    failures=$((failures + 1))
  }
}
run_tests build > first
expect 'passed at first' "$passed" 6
expect 'failed at first' "$failed" 8
expect 'skipped at first' "$skipped" 2
expect 'lines that say how a process ended' "$(grep -c 'the process ended with -9' first)" 2
expect 'lines that name the leak' "$(grep -c 'a leak of 4713 bytes' first)" 1
# Eight cases: a process, another after the end of the first, another after the one that hung; then three cases and each of them alone.
expect 'processes of the program' "$(wc -l < processes)" 7
expect 'no test was said to be unstable at first' "$(grep -c unstable first)" 0
rerun_failed build > second
expect passed "$passed" 8
expect failed "$failed" 6
expect unstable "$unstable" 2
expect 'lines that name the unstable case' "$(grep -c '^== unstable: Case.Once of build' second)" 1
expect 'its seed' "$(grep -c 'seed 4712' second)" 1
expect 'lines that name the unstable test' "$(grep -c '^== unstable: once of build' second)" 1
expect 'its seed' "$(grep -c 'seed 4711' second)" 1
expect 'lines that name the one that failed twice' "$(grep -c '^== failed twice: always of build' second)" 1
expect 'lines that name the one that says nothing' "$(grep -c '^== failed twice: silent of build' second)" 1
expect 'output of the other under unstable' "$(grep -c 'as ever' second)" 0

# Cases that take long stand together: half of them is in each of two batches.
mkdir many
for number in $(seq 40); do
  what=Slow
  [ "$number" -le 10 ] || what=Quick
  echo "add_test(Case.$what$number $2/program --gtest_filter=Case.$what$number)"
done > many/CTestTestfile.cmake
$batches plan many
expect 'batches of 40 cases' "$(ls many/batched/*.plan | wc -l)" 2
expect 'slow cases of the first batch' "$(grep -o '\["Case.Slow' many/batched/program.1.plan | wc -l)" 5

# A run without a summary, as of a ctest that was killed, is a failure and no reason to run anything again.
mkdir broken
echo 'message(FATAL_ERROR "not to be read")' > broken/CTestTestfile.cmake
run_tests broken > third
expect 'failed with a run that broke off' "$failed" 7
[ "$failures" = 0 ] || cat first second third
exit "$failures"
