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
  [ ! -s out ] || { cat out; fail "$* prints what is not asked for"; }
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
refused 'there is no network \x1b[2J' run stencil.actions "$platform" --network "$(printf '\033[2J')"
refused 'refine' run stencil.actions "$platform" --lb refyne
refused 'migbsb' run stencil.actions "$platform" --lb refine --lb-when migbsb

recording=$(dirname "$platform")/../../tools/weftsim/examples/chuetsu.rec
cat > cold.json <<'JSON'
{"weft_platform": 1, "sites": [{"link": {"overhead_us": 1, "latency_us": 20, "bandwidth_mb_per_s": 1000},
  "hosts": [{"name": "node", "cores": 2}]}],
 "cold_caches": [{"computing_us": 100, "message_us": 1, "switch_us": 2, "copy_mb_per_s": 20000}]}
JSON
"$weftsim" fit -q "$recording" cold.json -o fitted.json > out || fail "fit"
grep -q '^fitted.json: cold_caches × ' out || { cat out; fail "fit names no factor"; }
took=$(sed -n 's/^the run took \([0-9.]*\) s.*/\1/p' out)
"$weftsim" run "$recording" fitted.json --json fitted.run > out
python3 -c "
import json
seconds = json.load(open('fitted.run'))['makespan_s']
assert abs(seconds - $took) < 2e-3 * $took, seconds" || fail "the fitted platform takes another time"
sed 's/"message_us": 1,/"message_us": 1e-6,/; s/"switch_us": 2,/"switch_us": 1e-6,/; s/20000/2e7/' cold.json > cheap.json
refused 'does not tell what cold caches cost' fit -q "$recording" cheap.json -o undetermined.json
[ ! -e undetermined.json ] || fail "a file without a factor"
refused 'the platform has no cold_caches to fit' fit -q "$recording" "${recording%/*}/two-cores.json" -o x.json
refused 'there is no recording nowhere' fit nowhere cold.json -o x.json
mkfifo pipe
refused 'pipe: expected a regular file, not a pipe' fit "$recording" pipe -o x.json
refused 'pipe: expected a regular file, not a pipe' run pipe "$platform"
refused 'pipe: expected a regular file, not a pipe' run stencil.actions pipe
refused 'pipe: expected a regular file, not a pipe' run stencil.actions "$platform" --placement file:pipe
refused 'pipe: expected a regular file, not a pipe' aggregate stencil.actions x.actions --map pipe
refused '/dev/zero: expected a regular file, not a device' report page.html /dev/zero
refused '/dev/zero: expected a regular file, not a device' compare none.json /dev/zero
mkdir recording && mkfifo recording/manifest.json
refused 'recording is no whole recording' compile recording x.actions
refused 'expected ranks in up to three dimensions' generate stencil x.actions --grid 8y8
refused 'there is no workload' generate stencyl x.actions
for option in --bytes --rank-bytes --iterations; do
  for value in -5 1e3 2000000000000000 18446744073709551617; do
    refused "expected a whole number up to 1000000000000000, not $value" generate stencil x.actions $option $value
  done
done
refused "no rule of when to balance 'evry'" run stencil.actions "$platform" --lb-when evry:2
refused 'every' run stencil.actions "$platform" --lb-when every:0
refused 'arma' run stencil.actions "$platform" --lb-model arma
for value in 0 -1 nan inf x; do
  refused "expected a number above 0, not $value" run stencil.actions "$platform" --workers $value
  refused "expected a number above 0, not $value" run stencil.actions "$platform" --speed $value
done
for place in 'sites[9999999999].name' 'sites[7].name' 'sites[0].hosts[7].speed' 'sites[-1].name' 'sites[x].name'; do
  refused "no place for $place=a" run stencil.actions "$platform" --set "$place=a"
done
refused 'cannot be written' generate stencil /nowhere/x.actions
# Before anything is simulated, and nothing is made.
refused '/nowhere/y.json: cannot be written' run stencil.actions "$platform" --json x.json --timeline /nowhere/y.json
refused '/nowhere/y.json: cannot be written' sweep stencil.actions "$platform" --json /nowhere/y.json
refused '.: cannot be written: Is a directory' run stencil.actions "$platform" --json .
refused 'stencil.actions/x: cannot be written: Not a directory' run stencil.actions "$platform" --json stencil.actions/x
[ ! -e x.json ] || fail "a file is left over"

# What if.
"$weftsim" generate stencil grid.actions --grid 8x4 --iterations 40 --imbalance linear --amount 0.8 > out
cat > cluster.json <<'JSON'
{"weft_platform": 1, "sites": [{"link": {"overhead_us": 1, "latency_us": 20, "bandwidth_mb_per_s": 1000},
  "hosts": [{"name": "node", "count": 2, "cores": 4}]}]}
JSON
"$weftsim" run grid.actions cluster.json --workers 4 --speed 0.5 --latency 10 --bandwidth 0.1 --placement in-turn \
  --set 'sites[0].hosts[0].name=other' --set 'hogs[+]={"host": "other1", "core": 0}' --json if.json > out
python3 - <<'PYTHON' || fail "what if"
import json
result = json.load(open("if.json"))
assert [worker["host"] for worker in result["workers"]] == ["other0"] * 2 + ["other1"] * 2, result["workers"]
assert {worker["speed"] for worker in result["workers"]} == {0.5}
PYTHON
refused 'cannot be spread evenly over 2 hosts' run grid.actions cluster.json --workers 5
refused 'hosts are alike' run grid.actions "$platform" --workers 4
refused 'sped: no such key here' run grid.actions cluster.json --set 'sites[0].hosts[0].sped=1'
refused 'weftsim sweep takes several' run grid.actions cluster.json --lb greedy,refine
refused 'there is no placement sideways' run grid.actions cluster.json --placement sideways

# Many settings: the same table for any number of jobs, each line what run says.
"$weftsim" sweep grid.actions cluster.json --lb none,greedy,refine --lb-when every:5,auto --ratio 4,8 -q -j 1 > one
"$weftsim" sweep grid.actions cluster.json --lb none,greedy,refine --lb-when every:5,auto --ratio 4,8 -j 3 --json sweep.json > three 2> err
cmp one three || fail "the table depends on the jobs"
grep -q 'weftsim: 10 of 10 replays in' err || { cat err; fail "sweep shows no progress"; }
[ "$(wc -l < one)" = 11 ] || fail "there are not ten settings"
python3 - <<'PYTHON' || fail "sweep.json"
import json
settings = json.load(open("sweep.json"))["settings"]
assert len(settings) == 10 and settings[0]["lb"] == "none" and settings[0]["workers"] == 8 and settings[5]["workers"] == 4
assert settings[0]["gain"] == 0 and settings[3]["gain"] > 0.1, settings
open("makespan", "w").write("makespan %.9f s" % settings[3]["makespan_s"])
PYTHON
"$weftsim" run grid.actions cluster.json --lb refine --lb-when every:5 > out
grep -qF "$(cat makespan)" out || fail "sweep and run differ"
"$weftsim" sweep grid.actions cluster.json --lb all -q > out
grep -q '^hierarchical ' out || fail "all strategies: $(cat out)"
if grep -q '^rotate' out; then fail "rotate is for tests"; fi
refused 'refyne' sweep grid.actions cluster.json --lb refine,refyne
refused '32 ranks make no ratio of 5' sweep grid.actions cluster.json --ratio 5

# Arguments of a strategy have commas between them, too.
"$weftsim" run grid.actions cluster.json --lb migbsp:one,thesis --lb-when every:5 > out || fail "two arguments of a strategy"
"$weftsim" sweep grid.actions cluster.json --lb none,migbsp:one,thesis,refine --lb-when every:5 -q > out
grep -q '^migbsp:one,thesis ' out && [ "$(wc -l < out)" = 4 ] || { cat out; fail "two arguments of a strategy of three"; }

# The best one, as a line of weftrun's.
"$weftsim" best grid.actions cluster.json --budget 60 --program './app 7' > best 2> err
grep -q '^weftrun -n 32 --workers 8 --hosts node0:1,node1:1 --lb .* ./app 7$' best || { cat best; fail "no line"; }
"$weftsim" best grid.actions cluster.json --budget 60 --program './app 7' -q -j 1 > again 2> err
cmp best again || fail "the search depends on the jobs"
[ ! -s err ] || fail "-q says: $(cat err)"
refused 'a budget of 5 replays is below' best grid.actions cluster.json --budget 5

# Side by side.
"$weftsim" compare none.json refine.json none.json > out
[ "$(grep -c '%' out)" = 2 ] || { cat out; fail "compare of runs"; }
"$weftsim" compare sweep.json sweep.json > out
grep -q "Kendall's tau 1.000" out || { cat out; fail "compare of sweeps"; }
refused 'different kinds' compare none.json sweep.json
refused 'not a result of' compare none.json "$platform"
