#!/bin/sh
# What ondes3d writes: the same bytes for every decomposition and precision's digits, pieces for ParaView that fit
# together, a full disk that does not cost the run.
# usage: output_test.sh <folder of weftrun and ondes3d> <folder of the case> <scratch folder> <output_check>
set -eu
bin=$1 case=$2 scratch=$3 check=$4
rm -rf "$scratch"
mkdir -p "$scratch"
fail() {
  echo "output_test: $*" >&2
  exit 1
}

# A small copy of the case: fewer, coarser cells.
sed -e 's/<ds> 400\./<ds> 2000./' -e 's/<dt> 0.028/<dt> 0.14/' -e 's/-110/-22/g' -e 's/ 110 / 22 /g' -e 's/-79/-15/' \
  -e 's/<tmax> 1000/<tmax> 40/' -e 's/^<dir>/<i0> -3 <\/i0> <k0> -4 <\/k0> <dir>/' "$case/chuetsu.prm" > "$scratch/small.prm"
cp "$case/chuetsu.map" "$case/chuetsu.hist" "$case/station.map" "$scratch"

# run NAME RANKS OPTIONS...
run() {
  name=$1 ranks=$2
  shift 2
  timeout 300 "$bin/weftrun" -n "$ranks" --workers 2 --lb rotate "$bin/ondes3d" "$scratch/small.prm" \
    --out "$scratch/$name" --migrate-every 7 --no-pictures --planes 20 --paraview 20 "$@" > "$scratch/$name.log" 2>&1 ||
    { cat "$scratch/$name.log"; fail "$name ends with $?"; }
}

for precision in single double; do
  options="--format text,sac"
  [ $precision = single ] || options="$options --double"
  for ranks in 1 6 9; do
    run "$precision-$ranks" $ranks $options
  done
  run "$precision-coarse" 6 $options --stride 7
  one=$scratch/$precision-1
  for other in 6 9; do
    diff -r -x velocity "$one" "$scratch/$precision-$other" || fail "$precision: $other ranks write other files than one"
    for step in 000020 000040; do
      "$check" same "$one/paraview/velocity/$step.pvti" "$scratch/$precision-$other/paraview/velocity/$step.pvti" ||
        fail "$precision: the volume of $other ranks differs"
    done
  done
  for plane in ground west-east south-north level; do
    "$check" on "$scratch/$precision-9/paraview/velocity/000040.pvti" "$one/paraview/$plane/000040.vti" ||
      fail "$precision: the plane $plane is not in the volume"
  done
  "$check" on "$one/paraview/velocity/000040.pvti" "$scratch/$precision-coarse/paraview/velocity/000040.pvti" ||
    fail "$precision: --stride takes other values"
  [ "$(grep -c '<DataSet' "$one/paraview/velocity.pvd")" = 2 ] || fail "two moments expected in velocity.pvd"
  [ "$(ls "$one/seismograms" | wc -l)" = 48 ] || fail "12 seismograms as text and 36 for SAC expected"
done
cmp -s "$scratch/single-1/seismograms/Dam.txt" "$scratch/double-1/seismograms/Dam.txt" && fail "double is single"
awk '!/^#/ && length($2) > 18 { long = 1 } END { exit !long }' "$scratch/double-1/seismograms/Dam.txt" ||
  fail "double precision is cut"

# A file that cannot be written in mid-run: the run goes on, says so once, and ends with 1.
mkdir -p "$scratch/full/paraview/velocity/000020-0003.vti"
code=0
timeout 300 "$bin/weftrun" -n 6 --workers 2 "$bin/ondes3d" "$scratch/small.prm" --out "$scratch/full" --paraview 20 \
  > "$scratch/full.log" 2>&1 || code=$?
[ $code = 1 ] || fail "a file that cannot be written ends with $code, not 1"
[ "$(grep -c '000020-0003.vti: cannot be written' "$scratch/full.log")" = 1 ] || { cat "$scratch/full.log"; fail "no word"; }
diff -r "$scratch/single-1/seismograms/Dam.txt" "$scratch/full/seismograms/Dam.txt" || fail "the run was lost"
