#!/bin/sh
# However a job is to end, it ends although ranks of every worker compute without a call.
#   preemption_test.sh <weftrun> <program> <options of weftrun...>
run=$1
program=$2
shift 2
failed=0
output=$(mktemp) || exit 1
trap 'rm -f "$output"' EXIT

# check NAME CODE TEXT: the run that is over
check() {
  if [ "$code" -ne "$2" ] || ! grep -q -e "$3" "$output"; then
    echo "$1: exit code $code instead of $2, or no '$3' in:"
    head -5 "$output"
    failed=1
  fi
}

# ends HOW CODE TEXT OPTIONS...
ends() {
  how=$1
  expected=$2
  text=$3
  shift 3
  timeout 100 "$run" -n 4 "$@" "$program" "$how" >"$output" 2>&1
  code=$?
  check "$how $*" "$expected" "$text"
}

ends abort 7 "MPI_Abort" --preempt 1 "$@"
ends error 2 "count -1 is negative" --preempt 1 "$@"
ends exit 3 "without MPI_Finalize" --preempt 1 "$@"
ends crash 134 "abort() was called" --preempt 1 "$@"
ends never 1 "its limit (--timeout" --timeout 2 --preempt 0 "$@"

for signal in TERM HUP; do
  "$run" -n 4 --preempt 0 "$@" "$program" never >"$output" 2>&1 &
  child=$!
  until grep -q "computes" "$output"; do
    kill -0 $child || exit 1
    sleep 0.1
  done
  kill -s $signal $child
  wait $child
  code=$?
  [ $code -gt 128 ] || {
    echo "$signal: exit code $code"
    failed=1
  }
done
exit $failed
