#!/bin/sh
# refusals_test.sh <prefix> <programs> <scratch>: what cannot be done, and what contradicts itself, is said in one line
# before any rank runs.
set -u
run="timeout 60 $1/bin/weftrun"
programs=$2
scratch=$3
. "$(dirname "$0")/check.sh"

# refuse <text> <weftrun's options ...>
refuse() {
  text=$1
  shift
  check 1 "$text" $run "$@" "$programs/hello"
  [ "$(wc -l < out)" = 1 ] || fail "an error is one line: $*"
}

# Where a job writes to. Root may write everywhere but where there is no place.
touch file
for option in trace lb-report; do
  refuse "--$option: cannot write the file nowhere/x: No such file or directory" --$option nowhere/x -n 2
  refuse "--$option: cannot write the file file/x: Not a directory" --$option file/x -n 2
  refuse "--$option: cannot write the file .: Is a directory" --$option . -n 2
  refuse "--$option: cannot write the file /proc/x: " --$option /proc/x -n 4 --processes 2
done
for option in otf2 checkpoint record; do
  refuse "--$option: cannot write to the folder /proc: " --$option /proc -n 2
  refuse "--$option: cannot make the folder file/x: Not a directory" --$option file/x -n 2
  refuse "--$option: cannot make the folder file/x: Not a directory" --$option file/x -n 4 --processes 2
done
[ ! -e nowhere ] || fail "a refused file's folder is made"

# The try leaves things as they are: a file for a job that then fails, a link to a file that is not there yet.
echo kept > old
ln -s new link
check 1 'no-such-program' $run --trace old --lb-report link --lb greedy --checkpoint empty -n 2 ./no-such-program
[ "$(cat old)" = kept ] || fail "the try has destroyed a file"
[ -L link ] && [ ! -e new ] || fail "the try has removed a link, or made what it leads to"
check 0 'rank 0 of 2' $run --trace link -n 2 "$programs/hello"
[ -L link ] && [ -s new ] || fail "no trace through a link"
check 0 'rank 0 of 2' $run --trace /dev/null --lb-report /dev/null --lb greedy -n 2 "$programs/hello"

[ $failures = 0 ] && echo "refusals: ok"
exit $failures
