#!/bin/sh
# output_test.sh <prefix> <programs> <scratch> <python script>: what ranks have printed is in the file, in every language
# and however the job ends.
set -u
weftrun=$1/bin/weftrun
run="timeout 60 $weftrun"
programs=$2
scratch=$3
script=$4
. "$(dirname "$0")/check.sh"

# All lines of so many ranks.
all_lines() { # all_lines <ranks>
  [ "$(grep -c '^\(first\|second\|third\) of [0-9]$' lines)" = $((3 * $1)) ] &&
    [ "$(grep -c '^ fourth of  *[0-9]$' lines)" = "$1" ]
}
# Standard output and error go to one file.
check_end() { # check_end <exit code> <ranks> <command ...>
  expected=$1
  ranks=$2
  shift 2
  "$@" > lines 2>&1 < /dev/null
  got=$?
  cp lines out
  [ $got = "$expected" ] || fail "exit code $got, expected $expected: $*"
  all_lines "$ranks" || fail "lines of $ranks ranks: $*"
}
check_ends() { # check_ends <ranks> <ends with their exit codes> <command ...>
  of=$1
  ends=$2
  shift 2
  for end in $ends; do
    check_end "${end#*:}" "$of" $run "$@" "${end%:*}"
  done
}
# The lines are there while the job runs, and after a signal or a limit has ended it.
check_stopped() { # check_stopped <ranks> <options and program ...>
  of=$1
  shift
  for signal in TERM KILL; do  # INT is ignored by what a shell starts in the background
    : > lines  # or the lines of the job before would be taken for this one's
    "$weftrun" "$@" forever > lines 2>&1 < /dev/null &
    job=$!
    tries=0
    until all_lines "$of" || [ $tries -gt 300 ]; do
      tries=$((tries + 1))
      sleep 0.1
    done
    cp lines out
    all_lines "$of" || fail "lines of $of ranks before the end: $*"
    kill -$signal $job
    wait $job
  done
}

# Meanwhile, so that the limit leaves time for the start on a machine that has much to do.
for processes in 1 2; do
  $run --timeout 10 -n 4 --processes $processes "$programs/output_fortran" forever > limit.$processes 2>&1 < /dev/null &
done
mkfifo never && exec 4<> never
$run --timeout 10 -n 2 "$programs/output_cxx" flood >&4 2> stuck &
stuck=$!
mkfifo never_both && exec 5<> never_both
timeout 60 sh -c "$weftrun --timeout 10 -n 4 --processes 2 $programs/output_cxx flood >&5 2>&5" &
stuck_both=$!

ends='normal:0 stop:3 _exit:3 abort:134 MPI_Abort:3 error:6 deadlock:1'
[ -n "${SANITIZED_BUILD:-}" ] || ends="$ends crash:139"
for language in output_fortran output_cxx; do
  check_ends 4 "$ends" -n 4 --workers 2 "$programs/$language"
  check_ends 4 "$ends" -n 4 --processes 2 "$programs/$language"
  check_stopped 4 -n 4 --workers 2 "$programs/$language"
  check_stopped 4 -n 4 --processes 2 "$programs/$language"
done
for end in normal stop abort MPI_Abort error; do
  $run -n 1 "$programs/output_cxx" $end > out 2>&1
  grep -q unfinished out || fail "the last words of who ends the job by $end"
done
if [ -x "$programs/output_python" ]; then
  check_ends 1 'normal:0 stop:3 _exit:3 abort:134' -n 1 "$programs/output_python" "$script"
  check_stopped 1 -n 1 "$programs/output_python" "$script"
fi
# A pipe that nobody reads holds up neither the limit nor its line, where that has another way.
wait $stuck
[ $? = 1 ] || fail "the limit ends a job whose output nobody reads"
cp stuck out
grep -q 'standard output: nobody reads it' out || fail "that nobody reads is said"
grep -q 'the job has run for 10 seconds' out || fail "the limit is said"
wait $stuck_both
[ $? = 1 ] || fail "the limit ends a job of two processes of which nobody reads a word"
"$weftrun" -n 2 "$programs/output_cxx" flood >&4 2>&1 &
kill -TERM $!
wait $!
[ $? = 143 ] || fail "a signal ends a job whose output nobody reads"
check 134 'standard output: No space left on device' sh -c "$run -n 1 $programs/output_cxx abort > /dev/full"

$run -n 1 "$programs/output_cxx" others 2> /dev/null > out
[ "$(sed -n '3,$p' out | cut -c1 | tr -d '\n')" = 012234556788 ] ||
  fail "the order of what others print, too"
$run -n 1 --tag-output "$programs/output_cxx" ampi 2> /dev/null > out
[ "$(sed -n '3,5p' out)" = "[0] unfinished0 by puts
[0] [0] 1 by AMPI_Print
[0] 2 by puts" ] || fail "AMPI_Print is the rank's own output"

wait
for processes in 1 2; do
  cp limit.$processes lines
  cp lines out
  all_lines 4 && grep -q 'the job has run for 10 seconds' out || fail "lines before a limit in $processes processes"
done

[ $failures = 0 ] && echo "output: ok"
exit $failures
