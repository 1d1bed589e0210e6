#!/bin/sh
# leaks_test.sh <prefix> <programs> <scratch> <folder of sources>: --check says in one line what one place has made in all ranks of all
# processes.
set -u
run="timeout 60 $1/bin/weftrun --check -n 16"
programs=$2
scratch=$3
sources=$4
. "$(dirname "$0")/check.sh"

# place <source> <text>: "leaks.c:9", the line that has the text.
place() { echo "$1:$(grep -n -- "$2" "$sources/$1" | head -n 1 | cut -d : -f 1)"; }
says() { grep -q -- "$1" out || fail "no '$1'"; }
# lines <number>: of --check in the output.
lines() { [ "$(grep -c '^weft: ranks ' out)" = "$1" ] || fail "not $1 lines"; }

for setting in '--workers 2' '--processes 2 --workers 1' '--processes 2 --workers 1 --lb rotate --migrate-at barrier'; do
  check 0 "^weft: ranks 0-15: request never completed: MPI_Irecv at .*$(place leaks.c overwrites), 4 bytes from ranks 0-15, tags 0-8 \
(9 on each rank, 144 in all)\$" $run $setting "$programs/leaks"
  says "^weft: ranks 0-15: communicator never freed: MPI_Comm_split at .*$(place leaks.c 'not freed')\$"
  says '^weft: ranks 0-15: message on MPI_COMM_WORLD never received, 4 bytes from ranks 0-15, tag 99$'
  lines 3
  check 0 "^weft: ranks 0-15: request never completed: MPI_Irecv at .*$(place leaks.f90 'not completed'), 4 bytes from any rank, tag 7\$" \
    $run $setting "$programs/leaks_fortran"
  says "^weft: ranks 0-15: communicator never freed: MPI_Comm_dup at .*$(place leaks.f90 'not freed')\$"
  lines 2
done
# Without debug information there are functions.
strip --strip-debug -o named "$programs/leaks"
check 0 'MPI_Irecv at receive_all+0x[0-9a-f]* (named), ' $run ./named
says 'MPI_Comm_split at main+0x[0-9a-f]* (named)$'
lines 3
[ $failures = 0 ] && echo "leaks: ok"
exit $failures
