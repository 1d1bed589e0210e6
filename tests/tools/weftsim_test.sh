#!/bin/sh
# weftsim_test.sh <weftsim> <example platform> <scratch>: workloads are generated and run; mistakes are one line and exit 1.
set -eu
weftsim=$1
platform=$2
rm -rf "$3"
mkdir -p "$3"
cd "$3"

fail() {
  echo "weftsim_test: $*"
  exit 1
}
# refused TEXT ARGUMENT...: exit 1, one line on standard error, with TEXT in it.
refused() {
  text=$1
  shift
  if "$weftsim" "$@" > out 2> err; then fail "$* was not refused"; fi
  grep -qF -- "$text" err || { cat err; fail "$* does not say: $text"; }
  [ "$(wc -l < err)" = 1 ] || { cat err; fail "$* says more than a line"; }
}

"$weftsim" --help | grep -q generate || fail "help names no generate"
"$weftsim" run --help | grep -q lb-when || fail "help of run names no --lb-when"

"$weftsim" generate stencil stencil.actions --grid 8x6 --iterations 40 --imbalance linear --amount 0.8 > out
grep -q '48 ranks, ' out || fail "generate says: $(cat out)"
"$weftsim" run stencil.actions "$platform" --json none.json > none
"$weftsim" run stencil.actions "$platform" --lb refine --lb-when every:5 --json refine.json > refine
"$weftsim" run stencil.actions "$platform" --lb refine --lb-when every:5 > again
cmp refine again || fail "two runs differ"
grep -q '^makespan' refine || fail "no makespan"
for network in loggp ports flows; do
  "$weftsim" run stencil.actions "$platform" --network $network > out || fail "$network"
done
python3 - <<'PYTHON' || fail "the JSON files"
import json
none, refine = json.load(open("none.json")), json.load(open("refine.json"))
assert refine["makespan_s"] < none["makespan_s"], (refine["makespan_s"], none["makespan_s"])
assert len(refine["workers"]) == 18 and len(refine["iterations"]) == 40 and len(refine["steps"]) == 8
work = sum(worker["busy_s"] * worker["speed"] for worker in refine["workers"])
assert abs(sum(map(sum, refine["iterations"])) - work) < 1e-3 * work
PYTHON

head -c 100 stencil.actions > cut.actions
refused 'the file ends too early' run cut.actions "$platform"
refused 'not a file of actions' run "$platform" "$platform"
refused 'parse error' run stencil.actions stencil.actions
refused 'there is no network token-ring' run stencil.actions "$platform" --network token-ring
refused 'refine' run stencil.actions "$platform" --lb refyne
refused 'migbsb' run stencil.actions "$platform" --lb refine --lb-when migbsb
refused 'expected ranks in up to three dimensions' generate stencil x.actions --grid 8y8
refused 'there is no workload' generate stencyl x.actions
refused 'cannot be written' generate stencil /nowhere/x.actions
