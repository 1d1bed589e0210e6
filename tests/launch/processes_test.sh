#!/bin/sh
# The same program in 1 to 4 processes: it must end well with the same bits.
#   [LB="none rotate"] processes_test.sh <weftrun> <program> [ranks...]
run=$1
program=$2
shift 2
for ranks in "$@"; do
  expected=$($run -n "$ranks" --workers 1 "$program") || exit 1
  for processes in 1 2 3 4; do
    for lb in ${LB:-none}; do
      found=$(timeout 100 "$run" -n "$ranks" --workers 4 --processes $processes --lb $lb "$program") || {
        echo "$ranks ranks in $processes processes, --lb $lb: exit code $?"
        exit 1
      }
      [ "$found" = "$expected" ] || {
        echo "$ranks ranks in $processes processes, --lb $lb: '$found' instead of '$expected'"
        exit 1
      }
    done
  done
done
echo "all the same: $expected"
