#!/bin/sh
# The demonstration of --survive: a job whose process is killed ends with the seismograms of one that is not.
# usage: survive_test.sh <folder of weftrun and ondes3d> <folder of the case> <scratch folder>
set -eu
scratch=$3
. "$(dirname "$0")/same_bits.sh"
small_case "$2"
PATH=$1:$PATH
INTERVAL=10ms timeout 500 sh "$2/../survive.sh" "$scratch/small.prm" "$scratch" --steps 1000 --migrate-every 5 > "$scratch/log" 2>&1 || { cat "$scratch/log"; fail "it fails"; }
moved killed
grep -q 'was killed by signal 9 (Killed): the job goes on from the image of step' "$scratch/log" ||
  { cat "$scratch/log"; fail "no process was replaced"; }
tail -n 1 "$scratch/log" | grep -q '^== 12 seismograms, the same bytes as undisturbed$' ||
  { cat "$scratch/log"; fail "no last line"; }
