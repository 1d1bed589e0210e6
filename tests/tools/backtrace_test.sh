#!/bin/sh
# backtrace_test.sh <prefix> <programs> <scratch> <source of throws>: the backtrace of a crashed rank has the program's frames with
# their source lines, and none of the runtime's.
set -u
weftrun="$1/bin/weftrun --workers 1"
run="timeout 60 $weftrun"
programs=$2
scratch=$3
source=$4
. "$(dirname "$0")/check.sh"

# What the report has: <frame in the output> ...; frames of ours are never there, nor are the C library's of an abort.
has_frames() {
  for frame in "$@"; do
    grep -q "^  #.*$frame" out || fail "no frame '$frame'"
  done
  for frame in weft:: libweft libboost_context 'gsignal\|raise\|abort+'; do
    ! grep "^  #.*$frame" out || fail "a frame '$frame'"
  done
}
# The line of throws.cpp that does it.
line_of() { grep -n "$1" "$source" | tail -n 1 | cut -d : -f 1; }
called=$(line_of 'fail(argv')

for processes in 1 2; do
  check 134 'Aborted: abort() was called' $run --processes $processes -n 2 "$programs/throws" exception
  has_frames "fail.* at .*throws.cpp:$(line_of 'std::runtime_error')$" "main+.* at .*throws.cpp:$called$" 'std::terminate'
  check 134 "Aborted: .*assertion 'how != \"assertion\"' failed" $run --processes $processes -n 2 "$programs/throws" assertion
  has_frames "fail.* at .*throws.cpp:$(line_of 'assert(')$" "main+.* at .*throws.cpp:$called$"
  grep '^  #0 ' out | grep -q 'throws.cpp' || fail "the first frame is not the assertion's"
done
if [ -z "${SANITIZED_BUILD-}" ]; then
  check 139 'rank 1.*Segmentation fault' $run -n 2 "$programs/throws" null
  has_frames "fail.* at .*throws.cpp:$(line_of '// null')$"
  check 139 'rank 1.*last in MPI_Ssend: Segmentation fault' $run --eager 1 -n 2 "$programs/throws" buffer
  has_frames 'MPI_Ssend+' "fail.* at .*throws.cpp:$(line_of '// buffer')$" "main+.* at .*throws.cpp:$called$"
fi

# Without the tool or the information there are names, and where there are none, places in the file.
check 134 '^  #.*main+.*(throws)$' timeout 60 env PATH=/nowhere $weftrun -n 2 "$programs/throws" exception
strip --strip-debug -o named "$programs/throws"
check 134 '^  #.*main+.*(named)$' $run -n 2 ./named exception
strip -o nameless "$programs/throws"
check 134 '^  #.*nameless+0x[0-9a-f]*$' $run -n 2 ./nameless exception
# A file of the user's by the tool's name that never ends keeps nobody waiting for long.
mkdir folder
printf '#!/bin/sh\nexec sleep 1000\n' > folder/addr2line
chmod +x folder/addr2line
check 134 '^  #.*main+.*(throws)$' env PATH="$PWD/folder:$PATH" $run -n 2 "$programs/throws" exception
[ $failures = 0 ] && echo "backtrace: ok"
exit $failures
