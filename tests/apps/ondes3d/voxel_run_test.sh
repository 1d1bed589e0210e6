#!/bin/sh
# ondes3d on a voxel geology with a hill and a sea: the same seismograms however the grid is cut, plain or compressed
# files; one line and exit code 1 for a file that ends too soon.
# usage: voxel_run_test.sh <folder of weftrun and ondes3d> <scratch folder>
set -eu
bin=$1 scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"
fail() {
  echo "voxel_run_test: $*" >&2
  exit 1
}

cat > case.prm <<'PRM'
<dt> 0.02 </dt> <ds> 300. </ds> <tmax> 60 </tmax> <fd0> 1. </fd0>
<xMin> 1 </xMin> <xMax> 24 </xMax> <yMin> 1 </yMin> <yMax> 20 </yMax> <zMin> 1 </zMin> <zMax> 14 </zMax>
<fstatMap> station.map </fstatMap> <fsrcMap> source.map </fsrcMap> <fsrcHist> source.hist </fsrcHist>
<fgeo> voxels.prm </fgeo> <x0> 50000. </x0> <y0> -8000. </y0> <z0> -3300. </z0>
<nlayer> 3 </nlayer>
<layer1> <name> out </name> <rho> 1730. </rho> <vp> 0. </vp> <vs> 0. </vs> </layer1>
<layer2> <name> sea </name> <rho> 1030. </rho> <vp> 1530. </vp> <vs> 0. </vs> </layer2>
<layer3> <name> Rock </name> <rho> 2700. </rho> <vp> 5600. </vp> <vs> 3200. </vs> </layer3>
PRM
# Sea in the west, 3 cells deep; a hill in the middle, one cell high; above it nothing.
awk 'BEGIN {
  print " nx 24 ny 20 nz 14\n x0 50000 y0 -8000 z0 -3300\n dx 300 dy 300 dz 300\n nodata_value out"
  for (k = 0; k < 14; k++) for (j = 0; j < 20; j++) {
    for (i = 0; i < 24; i++) {
      hill = (i - 13) ^ 2 + (j - 10) ^ 2 < 20
      medium = (k > 12 || k == 12 && !hill) ? "out" : (k > 8 && i < 5) ? "sea" : "Rock"
      printf "%s ", medium
    }
    print ""
  }
}' > voxels.prm
printf '3\n1 53900 -5000\n2 55500 -3200\n3 51200 -6100 -1500\n' > station.map
printf '2\n53500 -5500 -2000\n1 53500 -5500 -2000\n2 54100 -4900 -1700\n' > source.map
awk 'BEGIN {
  print "M0 = 2e15\nMw = 4.1\n 1.0 0.05\n 20"
  for (n = 1; n <= 2; n++) {
    print n, 187, 54, 70
    for (t = 0; t < 20; t++) printf "%g ", (t > 4 * n && t < 4 * n + 10) ? 1e16 * sin((t - 4 * n) * 0.314) ^ 2 : 0
    print ""
  }
}' > source.hist

run() {  # run <name> <ranks> <options>
  name=$1 ranks=$2
  shift 2
  timeout 300 "$bin/weftrun" -n "$ranks" --workers 2 --lb rotate "$bin/ondes3d" case.prm --out "$name" --no-pictures \
    --cpml 6 --migrate-every 7 "$@" > "$name.log" 2>&1 || { cat "$name.log"; fail "$name fails"; }
}
run whole 1
grep -q "3 media in 24 x 20 x 14 voxels, vp up to 5600 m/s, slowest wave 1530 m/s" whole.log || fail "which rock?"
grep -q "36 x 32 x 19 cells" whole.log || fail "the level above the hill is not cut away"
for n in 1 2 3; do
  awk '!/^#/ && $2 * $2 + $3 * $3 + $4 * $4 > 1e-10 { moved = 1 } END { exit !moved }' \
    "whole/seismograms/station$n.txt" || fail "station $n did not move"
done
run columns 4
run blocks 8 --pz 2
run slices 12 --pz 4
gzip voxels.prm source.hist
if timeout 300 "$bin/weftrun" -n 1 "$bin/ondes3d" case.prm --steps 1 --out probe 2>&1 | grep -q "built without zlib"; then
  gunzip voxels.prm.gz source.hist.gz
fi
run packed 27 --pz 3
for name in columns blocks slices packed; do
  diff -r whole/seismograms $name/seismograms || fail "$name differs from the whole"
done

# Rock that attenuates, each cell by its own speed of S waves.
run lossy 1 --qs-per-vs 15
! diff -r whole/seismograms lossy/seismograms > /dev/null || fail "--qs-per-vs changes nothing"
grep -q "slowest wave 1530 m/s, anelastic" lossy.log || fail "--qs-per-vs leaves the rock elastic"
run lossy-columns 4 --qs-per-vs 15
run lossy-rows 2 --qs-per-vs 15 --px 2
run lossy-blocks 8 --qs-per-vs 15 --pz 2
run lossy-slices 27 --qs-per-vs 15 --pz 3
for name in columns rows blocks slices; do
  diff -r lossy/seismograms lossy-$name/seismograms || fail "lossy-$name differs from the whole"
done

[ -f voxels.prm ] || gunzip voxels.prm.gz
head -n 60 voxels.prm > short.prm && mv short.prm voxels.prm
code=0
timeout 300 "$bin/weftrun" -n 4 --workers 2 "$bin/ondes3d" case.prm --out bad > bad.log 2>&1 || code=$?
[ $code = 1 ] || fail "a short geology ends with $code, not 1"
[ "$(grep -c 'voxels.prm:61: found end of file; expected the name of a medium' bad.log)" = 1 ] ||
  { cat bad.log; fail "a short geology is not named once"; }
