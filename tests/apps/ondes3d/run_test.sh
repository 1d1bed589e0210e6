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
sed 's/<ds> 2000\./<ds> w\x1bide/' "$scratch/small.prm" > "$scratch/bad.prm"
timeout 300 "$bin/weftrun" -n 4 --workers 2 "$bin/ondes3d" "$scratch/bad.prm" > "$scratch/bad.log" 2>&1 || code=$?
[ $code = 1 ] || fail "a bad case ends with $code, not 1"
[ "$(grep -c 'bad.prm:4: found "w\\x1bide"; expected <ds> with the size of a cell' "$scratch/bad.log")" = 1 ] ||
  { cat "$scratch/bad.log"; fail "a bad case is not named once"; }

# Options that mean nothing: one line with the program's name.
wrong_option() {
  text=$1
  shift
  code=0
  timeout 300 "$bin/weftrun" -n 2 "$bin/ondes3d" "$scratch/small.prm" "$@" > "$scratch/option.log" 2>&1 || code=$?
  [ $code = 1 ] && [ "$(wc -l < "$scratch/option.log")" = 1 ] && grep -q "^ondes3d: $text" "$scratch/option.log" ||
    { cat "$scratch/option.log"; fail "no single line, or exit code $code: $*"; }
}
wrong_option '--migrate-every: found -1; expected 0 or more' --migrate-every -1
wrong_option '--origin: the latitude, 95, is not from -90 to 90' --origin 95 10
wrong_option '--origin: the longitude, 400, is not from -360 to 360' --origin 45 400
wrong_option '.*--no-such' --no-such 1

# ends_with_one_line NAME TEXT OPTIONS...: a case that must be refused, on several ranks, by exit code 1 and TEXT once.
ends_with_one_line() {
  name=$1 text=$2
  shift 2
  code=0
  timeout 300 "$bin/weftrun" -n 8 --workers 2 --lb rotate "$@" "$bin/ondes3d" "$scratch/$name.prm" --out "$scratch/$name" \
    --migrate-every 7 --no-pictures > "$scratch/$name.log" 2>&1 || code=$?
  [ $code = 1 ] || { cat "$scratch/$name.log"; fail "$name ends with $code, not 1"; }
  [ "$(grep -c "$text" "$scratch/$name.log")" = 1 ] || { cat "$scratch/$name.log"; fail "$name is not named once"; }
  [ "$(grep '^ondes3d: ' "$scratch/$name.log" | grep -vc '^ondes3d: warning')" = 1 ] ||
    { cat "$scratch/$name.log"; fail "$name has more to say"; }
  [ ! -d "$scratch/$name/seismograms" ] || fail "$name writes seismograms"
}

# A history with a sample too many: what stands behind it is not taken.
mkdir -p "$scratch/shifted"
cp "$scratch/chuetsu.map" "$scratch/station.map" "$scratch/shifted"
sed '6s/^/0 /' "$scratch/chuetsu.hist" > "$scratch/shifted/chuetsu.hist"
cp "$scratch/small.prm" "$scratch/shifted/shifted.prm"
scratch_of_all=$scratch
scratch=$scratch/shifted
ends_with_one_line shifted 'chuetsu.hist:11: found 0; expected the index of sub-source 2 of 40, 2 as in the source map'
scratch=$scratch_of_all

# A grid that no machine has room for is refused before its size is printed.
sed -e 's/-22 /-7000 /g' -e 's/ 22 / 7000 /g' -e '/zMin/s/-15 /-7000 /' "$scratch/small.prm" > "$scratch/large.prm"
ends_with_one_line large 'a grid of 14021 x 14021 x 7011 cells, CPML included, takes .* GB on .* would fit; take larger cells'
! grep -q '^grid' "$scratch/large.log" || fail "the size of a grid that does not fit is printed"

# Numbers that overflow: all ranks end with one message, in one process and in two, while they move.
cat > "$scratch/overflow.prm" <<'PRM'
<dt> 7e-14 </dt> <ds> 1e-9 </ds> <tmax> 100 </tmax>
<xMin> -5 </xMin> <xMax> 5 </xMax> <yMin> -6 </yMin> <yMax> 5 </yMax> <zMin> -8 </zMin> <zMax> 1 </zMax>
<fstatMap> overflow-station.map </fstatMap> <fsrcMap> overflow.map </fsrcMap> <fsrcHist> overflow.hist </fsrcHist>
<nlayer> 1 </nlayer>
<layer1> <rho> 2700. </rho> <vp> 6000. </vp> <vs> 3460. </vs> <depth> 0. </depth> </layer1>
PRM
printf '1\n1 0 0\n' > "$scratch/overflow-station.map"
printf '1\n0 0 -3e-9\n1 0 0 -3e-9\n' > "$scratch/overflow.map"
printf 'M0\nMw\n1 1e-9\n3\n1 187 54 70\n1e25 1e25 0\n' > "$scratch/overflow.hist"
for processes in 1 2; do
  rm -rf "$scratch/overflow"
  sed -i 's/<tmax> .* <.tmax>/<tmax> '"$((100 + processes))"' <\/tmax>/' "$scratch/overflow.prm"
  overflow='the waves have ceased to be finite: a speed that is no number after step .*likely cause: the amplitude of the'
  ends_with_one_line overflow "$overflow" --processes $processes
done

if [ -n "$published" ] && [ -d "$published" ]; then
  timeout 300 "$bin/weftrun" -n 4 --workers 2 "$bin/ondes3d" "$published/chuetsu-oki/chuetsu-oki.prm" --out "$scratch/tiny" \
    > "$scratch/tiny.log" 2>&1 || { cat "$scratch/tiny.log"; fail "the published tiny case ends with $?"; }
else
  echo "run_test: skipped the published tiny case, it is not there"
fi
