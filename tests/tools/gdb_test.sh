#!/bin/sh
# gdb_test.sh <prefix> <weft-gdb.py> <programs>: gdb shows a waiting and a crashed rank's frames with names, and stops in ranks. 77: no gdb here.
set -u
command -v gdb > /dev/null || exit 77
gdb -batch -ex run /bin/true 2>&1 | grep -q 'exited normally' || exit 77 # tracing is forbidden

out=$(timeout 100 gdb -batch -x "$2" -ex 'set pagination off' -ex run -ex 'info ranks' -ex 'rank 0 bt' -ex 'rank 1 bt' \
  --args "$1/bin/weftrun" -n 3 --workers 1 "$3/crash" memory 2>&1)
failures=0
out=$out$(timeout 100 gdb -batch -x "$2" -ex 'set pagination off' -ex 'set breakpoint pending on' -ex 'break PMPI_Init' -ex run \
  -ex 'rank break crash.c:19' -ex 'delete 1' -ex continue -ex continue -ex 'bt 1' --args "$1/bin/weftrun" -n 3 --workers 1 "$3/crash" \
  memory 2>&1)
for pattern in '3 of 3 ranks stop at crash.c:19' 'rank 1 at .*crash.c:19'  'rank .*state .*last call' ' 1 *running .*MPI_Barrier' 'rank 0: parked, worker 0, last in MPI_Recv' \
  '#[0-9]* .*MPI_Recv ('  'in main (.*crash.c:40' 'store_at (place=0x10) at .*crash.c'; do
  echo "$out" | grep -q -- "$pattern" || { echo "FAILED: no '$pattern'"; failures=1; }
done
[ $failures = 0 ] && echo "gdb: ok" || echo "$out"
exit $failures
