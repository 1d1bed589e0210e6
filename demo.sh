#!/bin/sh
# Builds Weft, installs it into build/demo and runs a small earthquake on 2 workers with 8 ranks each.
set -eu
cd -- "$(dirname -- "$0")"
sh tools/setup/install.sh
. tools/setup/build.sh

echo "== build"
build release -DWEFT_BUILD_TESTS=OFF -DWEFT_BUILD_BENCH=OFF
prefix=$PWD/build/demo
cmake --install build/release --prefix "$prefix" > build/release/install.log

out=$PWD/demo-out
echo "== an earthquake like that of Chuetsu-Oki, 2007: 16 ranks on 2 workers, results in $out"
"$prefix/bin/weftrun" --workers 2 --ratio 8 "$prefix/bin/ondes3d" "$prefix/share/weft/ondes3d/cases/chuetsu/chuetsu.prm" --out "$out"

echo
echo "== pictures"
find "$out" -name '*.png' | sort
cat << END

== what to try next (PATH=$prefix/bin:\$PATH)
  weftrun -n 64 ondes3d ... --out o64      64 ranks on the same cores: the same seismograms
  weftrun --ratio 8 --lb greedy ondes3d ... --migrate-every 50
  weftrun --help, weftinfo                 options; what this machine lets Weft do
  weftcc hello.c -o hello && weftrun -n 64 ./hello     your own program
END
