#!/bin/sh
# forbidden_calls_test.sh <prefix> <programs> <scratch> <forbid>: a system call that a container's filter forbids does
# not matter, or weftrun says which one it is and ends.
set -u
weftrun=$1/bin/weftrun
programs=$2
scratch=$3
forbid=$4
. "$(dirname "$0")/check.sh"

[ -n "$("$forbid")" ] || exit 1
timeout 60 "$forbid" getcwd /bin/true
[ $? = 77 ] && exit 77
for call in $("$forbid"); do
  for processes in 1 2; do
    timeout -s KILL 60 "$forbid" $call "$weftrun" -n 4 --processes $processes "$programs/hello" > out 2>&1 < /dev/null
    got=$?
    if [ $got = 0 ]; then
      [ "$(grep -c '^hello from C' out)" = 4 ] || fail "no output with $processes processes without $call"
    elif [ $got != 1 ] || [ "$(grep -c "^weftrun: the system call $call .*is forbidden\|^weftrun: cannot start another process" out)" != 1 ]; then
      fail "exit code $got with $processes processes without $call"
    fi
  done
done
[ $failures = 0 ] && echo "forbidden calls: ok"
exit $failures
