#!/bin/sh
# gdb_test.sh <prefix> <weft-gdb.py> <programs>: gdb shows a waiting and a crashed rank's frames with names, stops in ranks, and lists those
# of the process that it is attached to. 77: no gdb here.
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

go=gdb-$$
"$1/bin/weftrun" -n 4 --workers 1 --processes 2 "$3/until_file" $go > $go.out 2>&1 &
job=$!
until grep -qs passing $go.out; do
  kill -0 $job 2> /dev/null || break
  sleep 0.1
done
process=$(pgrep -P $job | sort -n | tail -n 1)
listed=$(timeout 100 gdb -batch -x "$2" -p "$process" -ex 'info ranks' 2>&1)
touch $go
wait $job || { echo "FAILED: the job that gdb looked at: $(cat $go.out)"; failures=1; }
rm -f $go $go.out
ranks=$(echo "$listed" | sed -nE 's/^ +([0-9]+)  (ready|running|parked) .*/\1/p' | tr '\n' ' ')
case $ranks in
  '0 1 ' | '2 3 ') ;;
  *) echo "FAILED: one of two processes lists the ranks $ranks: $listed"; failures=1 ;;
esac
[ $failures = 0 ] && echo "gdb: ok" || echo "$out"
exit $failures
