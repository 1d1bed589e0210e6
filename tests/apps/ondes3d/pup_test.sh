#!/bin/sh
# A rank of ondes3d that leaves its process sends what its pup() names: the same seismograms, fewer bytes than its heap.
# The bytes are those of the loopback interface between two processes that speak TCP.
# usage: pup_test.sh <folder of weftrun and ondes3d> <folder of the case> <scratch folder>; 77 where they cannot be counted
set -eu
# In a network of its own where that can be made: other programs' bytes on the loopback interface would count as well.
if [ -z "${PUP_TEST_NETWORK-}" ] && unshare -n sh -c 'ip link set lo up' 2> /dev/null; then
  PUP_TEST_NETWORK=own exec unshare -n sh -c 'ip link set lo up && exec sh "$@"' sh "$0" "$@"
fi
bin=$1 scratch=$3
. "$(dirname "$0")/same_bits.sh"
[ -r /proc/net/dev ] && grep -q "lo:" /proc/net/dev || { echo "pup_test: no loopback interface to count at"; exit 77; }
small_case "$2"
quality_case
sent_so_far() { awk -F'[: ]+' '/lo:/ { print $(NF - 15) }' /proc/net/dev; }

steps=50 every=5

# counted NAME CASE OPTIONS...: 8 ranks that go to the other process every few steps; sets $sent, bytes a move.
counted() {
  name=$1 prm=$2
  shift 2
  sent=$(sent_so_far)
  run "$name" "$bin/weftrun" -n 8 --workers 2 --processes 2 --net "tcp;ofi_rxm" --lb rotate --lb-period 1 \
    "$bin/ondes3d" "$scratch/$prm.prm" --px 2 --py 2 --pz 2 --steps $steps --migrate-every $every "$@"
  sent=$((($(sent_so_far) - sent) / (8 * (steps / every))))
}

# fewer CASE OPTIONS...
fewer() {
  kind=$(echo "$*" | tr -d ' -')
  prm=$1
  shift
  run "still-$kind" "$bin/weftrun" -n 1 --workers 1 "$bin/ondes3d" "$scratch/$prm.prm" --steps $steps --migrate-every 0 "$@"
  moved "still-$kind"
  counted "heap-$kind" "$prm" --no-pup "$@"
  same "heap-$kind" "still-$kind"
  heap=$sent
  counted "pup-$kind" "$prm" "$@"
  same "pup-$kind" "still-$kind"
  echo "$kind: $sent bytes a move with pup(), $heap as the heap lies"
  [ "$sent" -lt "$heap" ] || fail "$kind: pup() sends no less than the heap"
}
fewer small
fewer quality --double
