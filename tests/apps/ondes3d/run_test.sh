#!/bin/sh
# ondes3d under weftrun: the same seismograms for every decomposition, one line and exit code 1 for a bad case.
# usage: run_test.sh <folder of weftrun and ondes3d> <folder of the case> <scratch folder> [published cases]
set -eu
bin=$1 case=$2 scratch=$3 published=${4:-}
rm -rf "$scratch"
mkdir -p "$scratch"
fail() {
  echo "run_test: $*" >&2
  exit 1
}

# A small copy of the case: fewer, coarser cells.
sed -e 's/<ds> 400\./<ds> 2000./' -e 's/<dt> 0.028/<dt> 0.14/' -e 's/-110/-22/g' -e 's/ 110 / 22 /g' -e 's/-79/-15/' \
  -e 's/<tmax> 1000/<tmax> 60/' "$case/chuetsu.prm" > "$scratch/small.prm"
cp "$case/chuetsu.map" "$case/chuetsu.hist" "$case/station.map" "$scratch"

for ranks in 1 4 6 8 16; do
  for workers in 1 2; do
    out=$scratch/out-$ranks-$workers
    timeout 60 "$bin/weftrun" -n $ranks --workers $workers --lb rotate "$bin/ondes3d" "$scratch/small.prm" --out "$out" \
      --migrate-every 7 > "$out.log" 2>&1 || { cat "$out.log"; fail "$ranks ranks on $workers workers end with $?"; }
    diff -r "$scratch/out-1-1/seismograms" "$out/seismograms" || fail "$ranks ranks on $workers workers differ from one"
    grep -q "worker 0" "$out.log" || fail "no load per worker in the summary"
  done
done
[ "$(ls "$scratch/out-1-1/seismograms" | wc -l)" = 12 ] || fail "12 seismograms expected"
awk '!/^#/ && $2 * $2 + $3 * $3 + $4 * $4 > 1e-6 { moved = 1 } END { exit !moved }' \
  "$scratch/out-1-1/seismograms/Harbour.txt" || fail "the ground did not move"
[ -s "$scratch/out-1-1/peak-velocity.png" ] || grep -q "no pictures" "$scratch/out-1-1.log" || fail "no picture"

code=0
sed 's/<ds> 2000\./<ds> wide/' "$scratch/small.prm" > "$scratch/bad.prm"
timeout 60 "$bin/weftrun" -n 4 --workers 2 "$bin/ondes3d" "$scratch/bad.prm" > "$scratch/bad.log" 2>&1 || code=$?
[ $code = 1 ] || fail "a bad case ends with $code, not 1"
[ "$(grep -c 'bad.prm:4: found "wide"; expected <ds> with the size of a cell' "$scratch/bad.log")" = 1 ] ||
  { cat "$scratch/bad.log"; fail "a bad case is not named once"; }

if [ -n "$published" ] && [ -d "$published" ]; then
  timeout 60 "$bin/weftrun" -n 4 --workers 2 "$bin/ondes3d" "$published/chuetsu-oki/chuetsu-oki.prm" --out "$scratch/tiny" \
    > "$scratch/tiny.log" 2>&1 || { cat "$scratch/tiny.log"; fail "the published tiny case ends with $?"; }
else
  echo "run_test: skipped the published tiny case, it is not there"
fi
