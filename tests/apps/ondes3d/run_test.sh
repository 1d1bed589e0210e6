#!/bin/sh
# ondes3d under weftrun: a run and its summary, one line and exit code 1 for a bad case, a published case.
# usage: run_test.sh <folder of weftrun and ondes3d> <folder of the case> <scratch folder> [published cases]
set -eu
bin=$1 scratch=$3 published=${4:-}
. "$(dirname "$0")/same_bits.sh"
small_case "$2"

timeout 300 "$bin/weftrun" -n 6 --workers 2 --lb rotate "$bin/ondes3d" "$scratch/small.prm" --out "$scratch/out" \
  --migrate-every 7 > "$scratch/out.log" 2>&1 || { cat "$scratch/out.log"; fail "6 ranks do not run"; }
moved out
grep -q "worker 1" "$scratch/out.log" || fail "no load per worker in the summary"
[ -s "$scratch/out/peak-velocity.png" ] || grep -q "no pictures" "$scratch/out.log" || fail "no picture"

code=0
sed 's/<ds> 2000\./<ds> wide/' "$scratch/small.prm" > "$scratch/bad.prm"
timeout 300 "$bin/weftrun" -n 4 --workers 2 "$bin/ondes3d" "$scratch/bad.prm" > "$scratch/bad.log" 2>&1 || code=$?
[ $code = 1 ] || fail "a bad case ends with $code, not 1"
[ "$(grep -c 'bad.prm:4: found "wide"; expected <ds> with the size of a cell' "$scratch/bad.log")" = 1 ] ||
  { cat "$scratch/bad.log"; fail "a bad case is not named once"; }

if [ -n "$published" ] && [ -d "$published" ]; then
  timeout 300 "$bin/weftrun" -n 4 --workers 2 "$bin/ondes3d" "$published/chuetsu-oki/chuetsu-oki.prm" --out "$scratch/tiny" \
    > "$scratch/tiny.log" 2>&1 || { cat "$scratch/tiny.log"; fail "the published tiny case ends with $?"; }
else
  echo "run_test: skipped the published tiny case, it is not there"
fi
