#!/bin/sh
# calibrate_test.sh <prefix> <platform> <scratch>: weftsim calibrate measures this machine through weftrun, and what it
# writes is a platform that a run takes. Asserts what is there, never how long something takes.
set -eu
weftsim=$1/bin/weftsim
platform=$2
rm -rf "$3"
mkdir -p "$3"
cd "$3"

fail() {
  echo "calibrate_test: $*"
  exit 1
}

# Settings of the user do not reach the probes: tags would make their output unreadable.
WEFT_LB_CONTINUOUS=yes WEFT_LB_WHEN=auto WEFT_TAG_OUTPUT=yes WEFT_RECORD=$PWD/recording timeout 500 \
  "$weftsim" calibrate --quick -o here.json > table 2> progress || { cat table progress; fail "exit code $?"; }
[ ! -e recording ] || fail "the probes were recorded"
for figure in 'multiply and add' switch 'time slice of the system' same_worker same_numa same_process same_host collective_in_memory \
  'cold_caches, after 10 us' 'cold_caches, after 1e+04 us' balancing; do
  grep -qF "$figure" table || { cat table; fail "the table has no $figure"; }
done
grep -q '±' table || fail "no spread"
grep -q 'weftsim: 17 of 17 probes in' progress || { cat progress; fail "no progress"; }
python3 - <<'PYTHON' || fail "here.json"
import json
platform = json.load(open("here.json"))
for name in ("same_numa", "same_process", "same_host"):
    link = platform["memory"][name]
    assert link["overhead_us"] > 0 and link["copy_mb_per_s"] >= 0 and link["bandwidth_mb_per_s"] >= 0, link
assert platform["memory"]["same_host"]["gap_us"] > 0
assert platform["switch_us"] > 0 and platform["balancing"]["step_us"] >= 0
assert platform["time_slice_us"] > 0
cold = platform["cold_caches"]
assert [cost["computing_us"] for cost in cold] == [10, 100, 1000, 10000], cold
assert all(cost[key] >= 0 for cost in cold for key in ("message_us", "switch_us", "copy_mb_per_s")), cold
host = platform["sites"][0]["hosts"][0]
assert host["cores"] >= 1 and host["speed"] == 1
assert platform["calibration"]["multiply_adds_per_us"] > 0
PYTHON
"$weftsim" generate stencil grid.actions --grid 4x4 --iterations 5 > out
"$weftsim" run grid.actions here.json > out
grep -q '^makespan' out || fail "run: $(cat out)"

# Speeds are those beside another machine's. Of two hosts there is a link; the agent starts the other one's process here.
sed 's/"multiply_adds_per_us": .*,/"multiply_adds_per_us": 1,/' here.json > slow.json
printf 'shift\nexec sh -c "$*"\n' > agent
WEFT_LAUNCHER_AGENT="sh $PWD/agent" timeout 500 "$weftsim" calibrate --quick -q -o fast.json --relative-to slow.json \
  --hosts localhost,elsewhere > table 2> progress || { cat table progress; fail "two hosts: exit code $?"; }
grep -qF 'between hosts' table || { cat table; fail "the table has no link between hosts"; }
[ ! -s progress ] || fail "-q says: $(cat progress)"
python3 - <<'PYTHON' || fail "fast.json"
import json
site = json.load(open("fast.json"))["sites"][0]
assert site["hosts"][0]["speed"] > 1000 and site["hosts"][0]["count"] == 2, site
assert site["link"]["overhead_us"] > 0 and site["link"]["bandwidth_mb_per_s"] >= 0 and site["link"]["gap_us"] > 0, site
PYTHON
"$weftsim" run grid.actions fast.json --workers 2 > out
grep -q '^makespan' out || fail "run on two hosts: $(cat out)"

refused() {
  text=$1
  shift
  if "$weftsim" "$@" > out 2> err; then fail "$* was not refused"; fi
  grep -qF -- "$text" err || { cat err; fail "$* does not say: $text"; }
}
refused 'multiply_adds_per_us is missing' calibrate --quick -q -o x.json --relative-to "$platform"
for hosts in localhost a,b,c ,b a,; do
  refused "expected two hosts, HERE,OTHER, not '$hosts'" calibrate --quick -q -o x.json --hosts "$hosts"
done
refused 'cannot be written' calibrate --quick -q -o /nowhere/x.json
mkdir bin
cp "$weftsim" bin
weftsim=bin/weftsim
refused 'calibrate needs an installed Weft around it' calibrate --quick -o x.json
