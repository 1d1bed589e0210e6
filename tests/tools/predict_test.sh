#!/bin/sh
# predict_test.sh <build> <programs> <catalogue> <scratch>: three sizes are recorded, and times and costs predicted from them.
set -eu
weftrun=$1/bin/weftrun
weftsim=$1/bin/weftsim
program=$2/strong
catalogue=$3
rm -rf "$4"
mkdir -p "$4"
cd "$4"

fail() {
  echo "predict_test: $*"
  exit 1
}
# refused TEXT ARGUMENT...: exit 1, one line on standard error, with TEXT in it.
refused() {
  text=$1
  shift
  if "$weftsim" predict -q "$@" > out 2> err; then fail "$* was not refused"; fi
  grep -qF -- "$text" err || { cat err; fail "$* does not say: $text"; }
  [ "$(wc -l < err)" = 1 ] || { cat err; fail "$* says more than a line"; }
}

for ranks in 1 2 4; do
  "$weftrun" -n $ranks --workers 1 --record $ranks.rec "$program" 10 1000000 > out
done
"$weftsim" predict 1.rec 2.rec 4.rec --catalogue "$catalogue" --profiled-on here --json all.json --page page.html > table 2> err
grep -q '3 of 3 recordings' err || { cat err; fail "no progress"; }
grep -q '^Knee: .*ranks a core' table || { cat table; fail "no knee"; }
grep -q '</svg>' page.html || fail "the page has no chart"
python3 - <<'PYTHON' || fail "all.json"
import json
prediction = json.load(open("all.json"))
assert [profile["ranks"] for profile in prediction["profiles"]] == [1, 2, 4]
for profile, sends in zip(prediction["profiles"], (10, 20, 30)):  # a ring, and log2 of an allreduce
    assert profile["cores"] == 1 and profile["sends_per_rank"] == sends, profile
    assert 0 < profile["computing_s"] <= 1.01 * profile["time_s"], profile
front = [choice for choice in prediction["choices"] if choice["front"]]
assert sum(choice["knee"] for choice in front) == 1
assert all(a["time_s"] < b["time_s"] and a["cost"] > b["cost"] for a, b in zip(front, front[1:]))
assert all(choice["low_s"] <= choice["time_s"] <= choice["high_s"] for choice in prediction["choices"])
PYTHON
"$weftsim" predict 1.rec 2.rec 4.rec --catalogue "$catalogue" -q --model usl > table 2> err
[ ! -s err ] || { cat err; fail "-q says more"; }

cat > wrong.json <<'JSON'
{"weft_catalogue": 1, "networks": [{"name": "n", "latency_us": 1, "bandwidth_mb_per_s": 1}],
 "machines": [{"name": "m", "network": "n", "price_per_hour": 1}]}
JSON
# With 1 to 4 ranks recorded there is a replay on the catalogue's machine of two cores alone.
"$weftsim" predict 1.rec 2.rec 4.rec --catalogue "$catalogue" -q --replay --json replay.json > table 2> err
python3 - <<'PYTHON' || fail "replay.json"
import json
prediction = json.load(open("replay.json"))
assert prediction["models"][-1]["name"] == "replay"
for run in prediction["models"][-1]["sizes_left_out"]["runs"]:
    assert run["predicted_s"] > 0, run
for choice in prediction["choices"]:
    assert (choice["times_s"]["replay"] is not None) == (choice["cores"] <= 4), choice
PYTHON

# Recordings of two machines: errors when either is left out, too.
"$weftsim" predict 1.rec@here 2.rec@general-8 4.rec@here --catalogue "$catalogue" -q --json machines.json > table 2> err
grep -q 'of machines, that were left out' table || { cat table; fail "no errors of machines"; }
python3 - <<'PYTHON' || fail "machines.json"
import json
prediction = json.load(open("machines.json"))
assert [profile["machine"] for profile in prediction["profiles"]] == ["here", "general-8", "here"]
for model in prediction["models"]:
    assert [run["profile"] for run in model["machines_left_out"]["runs"]] == [0, 1, 2]
    assert model["machines_left_out"]["mean_error"] >= 0, model
PYTHON

refused 'there are 2 (1, 4); record 1 more' 1.rec 4.rec --catalogue "$catalogue"
refused 'no machine there; it has here, general-8' 1.rec 2.rec 4.rec --catalogue "$catalogue" --profiled-on there
refused 'no machine there; it has here, general-8' 1.rec@there 2.rec 4.rec --catalogue "$catalogue"
refused 'there is no model oracle' 1.rec 2.rec 4.rec --catalogue "$catalogue" --model oracle
refused 'nowhere' 1.rec 2.rec nowhere --catalogue "$catalogue"
refused 'has no time for any machine' 1.rec 2.rec 4.rec --catalogue "$catalogue" --ranks 1
refused 'machines[0].cores: is missing' 1.rec 2.rec 4.rec --catalogue wrong.json
