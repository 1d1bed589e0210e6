#!/bin/sh
# weftrun_test.sh <prefix> <programs> <scratch>: options, exit codes, output and input of weftrun.
set -u
run="timeout 60 $1/bin/weftrun"
programs=$2
scratch=$3
. "$(dirname "$0")/check.sh"

# Beside the rest, so that the limit leaves time for the start on a machine that has much to do.
mkfifo never && exec 3<> never
$run --timeout 9500ms -n 2 "$programs/echo" <&3 > limit.option 2>&1 &
limit_option=$!
MPIEXEC_TIMEOUT=10 $run -n 2 "$programs/echo" <&3 > limit.variable 2>&1 &
limit_variable=$!
exec 3>&-

check 0 'Usage: weftrun' $run --help
check 0 'weftrun (Weft) ' $run --version
check 0 '^greedy ' $run --lb help
check 1 "unknown option '--workes'; did you mean '--workers'?" $run --workes 2 ./x
check 1 "unknown environment variable 'WEFT_WORKER'; did you mean 'WEFT_WORKERS'?" env WEFT_WORKER=2 $run ./x
check 1 "there is no strategy 'gredy'; did you mean 'greedy'?" $run --lb gredy ./x
check 1 'no program is given' $run -n 2
check 1 'no program behind a colon' $run -n 2 "$programs/hello" : -n 2
check 1 'holds for all programs' $run -n 2 "$programs/hello" : --lb greedy -n 2 "$programs/hello"
check 1 'no-such-program' $run -n 2 ./no-such-program
for option in lb-report trace otf2 record checkpoint restart collectives; do
  check 1 "--$option: expected the name of a file or folder, not ''" $run "--$option" '' -n 2 "$programs/hello"
done
check 1 "cannot change to the folder '/nowhere'" $run --dir /nowhere -n 2 ./x
check 1 'expected a value from 1' $run -n 0 ./x
[ "$(wc -l < out)" = 1 ] || fail "an error is one line"

check 0 'arguments 0, no end of line' $run -n 1 "$programs/exit_code"
check 3 'arguments 3, no end of line' $run -n 2 "$programs/exit_code" a b c
check 0 '^\[1\] arguments 0' $run -n 2 --tag-output "$programs/exit_code"
check 0 'rank 4 of 5' $run -n 2 "$programs/hello" : -n 3 "$programs/hello"
check 3 'arguments 3' $run -n 2 "$programs/exit_code" : -n 1 "$programs/exit_code" a b c
check 0 'rank 0 of 6' $run --ratio 3 --workers 2 "$programs/hello"
check 0 'no effect here: --oversubscribe --mca' $run --oversubscribe --mca btl self -n 2 "$programs/hello"
check 0 'no effect here: --mca -x NOT_THERE (not set)' $run --mca btl self -x NOT_THERE -x HOME -n 2 --processes 2 "$programs/hello"
[ "$(grep -c NOT_THERE out)" = 1 ] || fail "a variable that is not set is named once"
$run -x SET=1 -x SET --genv ALSO 2 -x ALSO -n 2 "$programs/hello" > out 2>&1 || fail "variables that other options set"
! grep -q 'no effect' out || fail "variables that other options set are not named"
for option in -l -prepend-rank; do
  check 0 '^\[1\] arguments 0' $run -n 2 $option "$programs/exit_code"
done

# Files of what ranks print, with as many digits as the last rank's number has.
check 0 'rank 10 of 11' $run -n 11 --output-filename files "$programs/hello"
[ "$(find files -type f | wc -l)" = 22 ] || fail "two files a rank"
grep -q 'rank 3 of 11$' files/1/rank.03/stdout || fail "what rank 3 prints is in its file"
[ "$(cat files/1/rank.*/stdout | grep -c 'rank [0-9]* of 11$')" = 11 ] || fail "what ranks print is in their files, and once"
$run -n 2 -l --processes 2 --output-filename files:nocopy "$programs/exit_code" > out 2>&1 || fail "files alone"
[ ! -s out ] || fail "nothing is copied"
grep -q '^arguments 0' files/1/rank.1/stdout || fail "tags are not in files"
check 1 '--output-filename: cannot write the file /proc/x/1/rank.0/stdout' $run -n 1 --output-filename /proc/x "$programs/hello"

# Programs from a file.
printf '# all\n-n 2 %s\n\n-n 1 %s a b\n' "$programs/exit_code" "$programs/exit_code" > programs
for option in -configfile --app; do
  check 2 'arguments 2' $run -l $option programs
  [ "$(grep -c 'arguments 0' out)" = 2 ] || fail "two ranks of the first line"
done
check 1 '--configfile: none cannot be read' $run --app none
check 1 "'x' cannot follow the options" $run --app=programs x
printf '%s\n' '--app itself' > itself
check 1 '--configfile: itself names itself: a file of arguments cannot name another one' $run --app itself
[ "$(wc -l < out)" = 1 ] || fail "a file that names itself is one line"
check 1 '--env holds for one program' $run --env A 1 -n 1 "$programs/hello" : -n 1 "$programs/hello"

# Slots are workers; where ranks start, and what their workers are bound to, is shown.
check 0 'rank 2 of 3' $run --host localhost:2 -n 3 --map-by worker --display map "$programs/hello"
grep -q '^[^ ]* *0 *0 .*0,2$' out && grep -q '^[^ ]* *0 *1 .*1$' out || fail "the map of two workers"
check 0 'rank 3 of 4' $run --host localhost:2 --processes 2 --map-by ppr:4:node --bind-to none --report-bindings "$programs/hello"
grep -q '^[^ ]* *0 *0 *any *0-1$' out && grep -q '^[^ ]* *1 *1 *any *2-3$' out || fail "the map of two processes"
for what in hwthread core numa socket; do
  check 0 '^[^ ]* *0 *0 *[0-9][-0-9,]* *0$' $run -n 1 --workers 1 --bind-to $what --display map "$programs/hello"
done
many=$(($(nproc) + 1))
check 1 "--bind-to core: $many workers of a process do not fit" $run -n $many --workers $many --bind-to core "$programs/hello"
check 1 '--bind and --bind-to contradict each other' $run --bind yes --bind-to none -n 1 "$programs/hello"
check 0 'rank 5 of 6' env SLURM_JOB_NODELIST=localhost SLURM_TASKS_PER_NODE=3 $run --ratio 2 "$programs/hello"
check 0 '2 ranks of' $run -v -n 2 "$programs/hello"
check 0 '^weftrun: the ranks ran for [0-9]*\.[0-9]*[1-9][0-9]* s$' $run -v -n 2 "$programs/hello"

echo 'int main(void) { return __builtin_printf("hello"); }' > plain.c
gcc -o plain plain.c
check 1 '/plain was not built with weftcc, weftcxx .* flags: it has no main function that weftrun can call$' $run -n 2 ./plain
gcc -shared -fPIC -Wl,-soname,libmpich.so.12 -o libmpich.so.12 -xc /dev/null
gcc -o other plain.c -Wl,--no-as-needed ./libmpich.so.12
other='/other was not built with weftcc, .*: it is linked with another MPI, libmpich.so.12$'
check 1 "$other" env LD_LIBRARY_PATH="$PWD" $run -n 2 ./other
rm libmpich.so.12
check 1 "$other" $run -n 2 ./other
gcc -shared -fPIC -o no_main.so -xc /dev/null
check 1 'no_main.so was not built with weftcc.*has no main function' $run -n 2 ./no_main.so

cat > mistakes.c << 'END'
#include <mpi.h>
static int query(void* state, MPI_Status* status) { return (void)state, (void)status, MPI_ERR_OTHER; }
static int nothing(void* state) { return (void)state, MPI_SUCCESS; }
static int cancel(void* state, int done) { return (void)state, (void)done, MPI_SUCCESS; }
int main(int count, char** words) {
  MPI_Init(&count, &words);
  int dims[] = {-1, 0}, periods[] = {0, 0};
  MPI_Comm grid;
  MPI_Request request;
  switch (words[1][0]) {
    case 'd': return MPI_Dims_create(4, 2, dims);
    case 'c': return MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  }
  MPI_Grequest_start(query, nothing, cancel, 0, &request);
  MPI_Grequest_complete(request);
  return MPI_Wait(&request, MPI_STATUS_IGNORE);
}
END
"$1/bin/weftcc" -o mistakes mistakes.c || fail "a program with mistakes"
for mistake in 'dims: MPI_Dims_create: dims\[0\] is -1: expected at least 0' 'cart: MPI_Cart_create: dims\[0\] is -1: expected at least 1' \
  'wait: MPI_Wait: the operation of a request failed: other known error'; do
  $run -n 1 ./mistakes ${mistake%%:*} > out 2>&1
  grep -q "rank 0: ${mistake#*: }" out || fail "no '${mistake#*: }'"
done

# A report of a deadlock names places in the program, and ranks that wait alike once.
cat > meet.c << 'END'
#include <mpi.h>
int main(int count, char** words) {
  int rank = 0;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 3) {
    MPI_Recv(&rank, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  return MPI_Barrier(MPI_COMM_WORLD);
}
END
"$1/bin/weftcc" -g -o meet meet.c || fail "a program that deadlocks"
check 1 'ranks 0-2 in MPI_Barrier at meet.c:9: wait for all 4 ranks of its communicator$' $run -n 4 ./meet
check 1 'ranks 0-2 in MPI_Barrier at meet.c:9: wait for other ranks of MPI_COMM_WORLD$' $run -n 4 --processes 2 ./meet
grep -q 'rank 3 in MPI_Recv at meet.c:7: waits from rank 0, tag 7, MPI_COMM_WORLD$' out || fail "what rank 3 waits for"

check 1 'ranks 0-2 in MPI_Barrier at meet.c:9: wait for ranks that have not come to the balancing step$' \
  $run -n 4 --workers 2 --lb rotate --migrate-at barrier ./meet

# Valgrind shows itself by what it preloads.
check 1 'valgrind.*--region-base 0x10000000000 --region-size 16G' env LD_PRELOAD=/nowhere/vgpreload_core.so $run -n 2 "$programs/hello"
# A sanitizer's own library must come before valgrind's.
if command -v valgrind > /dev/null && valgrind -q /bin/true 2> /dev/null && ! ldd "$1/bin/weftrun" | grep -q 'lib[at]san'; then
  check 1 'valgrind.*--region-size 16G' timeout 60 valgrind -q "$1/bin/weftrun" -n 2 "$programs/hello"
fi

printf 'a\nb\n' | $run -n 3 "$programs/echo" > out 2>&1 || fail "echo"
grep -q 'rank 0 read 2 lines' out || fail "rank 0 reads standard input"
[ "$(grep -c 'read 0 lines' out)" = 2 ] || fail "the others read nothing"

check 0 'rank 0 of' env MPIEXEC_TIMEOUT=60 $run -n 2 "$programs/hello"

$run -n 8 --workers 2 "$programs/lines" > out 2>&1 || fail "lines"
[ "$(grep -cE '^(00|01|02|03|04|05|06|07){8}$' out)" = 400 ] || fail "400 whole lines"
[ "$(awk '{ p = substr($0, 1, 2); s = $0; gsub(p, "", s); if (s != "") print }' out | wc -l)" = 0 ] || fail "torn lines"

"$1/bin/weftinfo" > out 2>&1 || fail weftinfo
grep -q 'libmpi_abi' out || fail "weftinfo names the library"

check_limit() { # check_limit <process> <its output>
  wait "$1"
  got=$?
  cp "$2" out
  [ $got = 1 ] || fail "exit code $got, expected 1: $2"
  grep -q 'the job has run for 10 seconds, its limit' out || fail "the job has no limit: $2"
}
check_limit $limit_option limit.option
check_limit $limit_variable limit.variable

[ $failures = 0 ] && echo "weftrun: ok"
exit $failures
