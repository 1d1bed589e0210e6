#!/bin/sh
# core_test.sh <prefix> <weft-gdb.py> <programs> <scratch>: a crash leaves a small core file, soon, that shows every rank. 77: no
# core files here.
set -u
case $(cat /proc/sys/kernel/core_pattern) in */* | '|'*) exit 77 ;; esac
command -v gdb > /dev/null || exit 77
rm -rf "$4"
mkdir -p "$4"
cd "$4" || exit 1
ulimit -c unlimited || exit 77
failures=0
fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

timeout 60 "$1/bin/weftrun" -n 3 --workers 1 "$3/crash" memory > out 2>&1
[ $? = 139 ] || fail "ends by SIGSEGV, at once: $(cat out)"
core=$(echo core*)
if [ -f "$core" ]; then
  size=$(wc -c < "$core")
  [ "$size" -lt 300000000 ] || fail "the core file has $size bytes"
  timeout 60 gdb -batch -x "$2" -ex 'set pagination off' -ex 'info ranks' -ex 'rank 0 bt' -ex 'rank 1 bt' "$1/bin/weftrun" "$core" \
    > gdb.out 2>&1
  for pattern in ' 1 *running .*MPI_Barrier' 'rank 0: parked, worker 0, last in MPI_Recv' 'in main (.*crash.c:40' \
    'store_at (place=0x10) at .*crash.c'; do
    grep -q -- "$pattern" gdb.out || fail "no '$pattern' in $(cat gdb.out)"
  done
  rm -f "$core"
else
  fail "there is no core file"
fi

# So does SIGQUIT, from a job that hangs.
: > out  # or words of the job before would be taken for this one's
timeout 60 "$1/bin/weftrun" -n 3 --workers 1 "$3/crash" spin > out 2>&1 &
job=$!
until grep -q spins out || ! kill -0 $job 2> /dev/null; do sleep 0.05; done
pkill -QUIT -P $job weftrun
wait $job
grep -q ': Quit' out || fail "a report after SIGQUIT: $(cat out)"
[ -f "$(echo core*)" ] || fail "there is no core file after SIGQUIT"
rm -f core*
[ $failures = 0 ] && echo "core: ok"
exit $failures
