#!/bin/sh
# Builds Weft, installs it into build/demo and runs a small earthquake on 2 workers with 8 ranks each.
set -eu
cd -- "$(dirname -- "$0")"
sh tools/setup/install.sh build
. tools/setup/build.sh

echo "== build"
build release -DWEFT_BUILD_TESTS=OFF -DWEFT_BUILD_BENCH=OFF
prefix=$PWD/build/demo
cmake --install build/release --prefix "$prefix" > build/release/install.log

out=$PWD/demo-out
case=$prefix/share/weft/ondes3d/cases/chuetsu/chuetsu.prm
PATH=$prefix/bin:$PATH
echo "== an earthquake like that of Chuetsu-Oki, 2007: 16 ranks on 2 workers"
weftrun --workers 2 --ratio 8 ondes3d "$case" --out "$out"

echo
echo "== pictures"
find "$out" -name '*.png' | sort
cat << END

== what to try next
  PATH=$prefix/bin:\$PATH
  weftrun -n 64 ondes3d $case --out demo-64       64 ranks on the same cores, the same seismograms
  weftrun --ratio 8 --lb greedy ondes3d $case --migrate-every 50       ranks move to where there is time
  weftrun --ratio 8 ondes3d $case --out demo-view --format text,sac --planes 25       files for SAC, ObsPy and ParaView
  weftrun --ratio 8 ondes3d $case --out demo-film --movie       movies of the waves, where ffmpeg is installed
  sh ${case%/*/*}/survive.sh $case demo-survive       a process is killed, and the seismograms are the same
  ondes3d-pictures demo-out --format pdf,svg       the same pictures for print
  weftrun --help; weftinfo                        options; what this machine lets Weft do
  weftcc hello.c -o hello && weftrun -n 64 ./hello       your own program
END
