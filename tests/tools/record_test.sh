#!/bin/sh
# record_test.sh <prefix> <programs> <scratch> [sanitized]: what weftrun --record writes, weftsim compiles and runs, whatever the
# job's workers and processes and wherever its ranks moved. Asserts CPU time and counts, never how long something takes.
set -eu
sanitized=${4-}
bin=$1/bin
uneven=$2/uneven
requests=$2/requests
rm -rf "$3"
mkdir -p "$3"
cd "$3"

fail() {
  echo "record_test: $*"
  exit 1
}
# refused TEXT COMMAND...: exit 1, one line on standard error, with TEXT in it.
refused() {
  text=$1
  shift
  if "$@" > out 2> err; then fail "$* was not refused"; fi
  grep -qF -- "$text" err || { cat err; fail "$* does not say: $text"; }
  [ "$(wc -l < err)" = 1 ] || { cat err; fail "$* says more than a line"; }
}

cat > two-cores.json <<'JSON'
{"weft_platform": 1, "sites": [{"link": {"overhead_us": 1, "latency_us": 20, "bandwidth_mb_per_s": 1000},
  "hosts": [{"name": "node", "cores": 2}]}]}
JSON

# Rank r computes 2 (r + 1) ms in each of 5 steps, or longer, as it says: 100 ms in all, of which ranks 2 and 3 do 70.
recorded() {
  name=$1
  shift
  "$bin/weftrun" -n 4 "$@" --record "$name.rec" "$uneven" 5 2 > "$name.out" 2> err || { cat "$name.out" err; fail "weftrun $* --record"; }
  "$bin/weftsim" compile "$name.rec" "$name.actions" > compiled || fail "compile $name.rec"
  grep -q ' 4 ranks, ' compiled || { cat compiled; fail "$name is not of 4 ranks"; }
  "$bin/weftsim" run "$name.actions" two-cores.json --json "$name.json" > out || fail "run $name.actions"
  "$bin/weftsim" run "$name.actions" two-cores.json > again
  cmp out again || fail "two runs of $name differ"
  "$bin/weftsim" measured "$name.rec" "$name.measured" > out || fail "measured $name.rec"
  "$bin/weftsim" compare "$name.measured" "$name.json" > out || fail "compare $name.measured"
  python3 - "$name.json" "$name.measured" "$name.out" "$sanitized" <<'PYTHON' || { cat "$name.json"; fail "what $name computes"; }
import json, sys
result = json.load(open(sys.argv[1]))
def said(heading):  # by worker, each of two ranks
    [line] = [line for line in open(sys.argv[3]) if line.startswith(heading)]
    seconds = [float(word) for word in line.split(":")[1].split()]
    assert len(seconds) == 4, line
    return seconds[0] + seconds[1], seconds[2] + seconds[3]
in_all = said("seconds by rank:")
in_first_step = said("of the first step:")
assert 0.1 <= sum(in_all), in_all
busy = [worker["busy_s"] for worker in result["workers"]]
assert len(busy) == 2 and len(result["iterations"]) >= 5, result
# Between the calls is some more than the loops. In the first step that has no bound: a rank that starts waits for the dynamic
# loader's lock, whose holder may be waiting for a core, and a rank is charged for what it waits for.
for measured, first, computed, computed_first in zip(busy, result["iterations"][0], in_all, in_first_step):
    assert 0.9 * computed < measured, busy
    assert measured - first < 1.1 * (computed - computed_first) + 0.003, (busy, result["iterations"])
longest = sum(max(loads) for loads in result["iterations"])
assert longest <= result["makespan_s"] < 1.1 * longest + 0.005, (longest, result["makespan_s"])
measured = json.load(open(sys.argv[2]))
assert len(measured["iterations"]) == len(result["iterations"]), measured
charged = [sum(load) for load in zip(*measured["iterations"])]  # by worker: computing, and calls
computed = sum(sum(load) for load in result["iterations"])
assert sum(charged) > 0.9 * computed - 0.003, (charged, computed)
assert max(charged) < 1.05 * measured["makespan_s"] + 0.003, (charged, measured["makespan_s"])
if sys.argv[4] != "sanitized":  # which makes calls slow
    assert sum(charged) < 1.1 * computed + 0.003, (charged, computed)
assert measured["makespan_s"] >= max(worker["busy_s"] for worker in measured["workers"]) > 0.02, measured
PYTHON
}
recorded plain --workers 2
recorded moving --workers 2 --lb rotate
recorded processes --processes 2 --workers 1
recorded moving-processes --processes 2 --workers 2 --lb rotate

# In several processes, calls with a request and persistent ones go by messages: a barrier of 4 ranks takes 6, an
# allreduce as many, and the ring 4.
"$bin/weftrun" -n 4 --processes 2 --workers 1 --record requests.rec "$requests" 5 || fail 'weftrun --record requests'
"$bin/weftsim" compile requests.rec requests.actions > compiled || fail 'compile requests.rec'
"$bin/weftsim" run requests.actions two-cores.json --processes 2 --json requests.json > out || { cat out; fail 'run requests.actions'; }
grep -qF "$((5 * (4 + 3 * 6))) messages" out || { cat out; fail 'messages of calls with a request'; }
"$bin/weftrun" -n 2 --lb-continuous --record continuous.rec "$uneven" 1 1 > out
refused 'continuous.rec: it was recorded with --lb-continuous, which is not simulated' "$bin/weftsim" compile continuous.rec x.actions
refused '--lb-continuous is not simulated' "$bin/weftsim" run plain.actions two-cores.json --lb-continuous

refused 'there is something in plain.rec already' "$bin/weftrun" -n 4 --record plain.rec "$uneven"
touch file
refused 'cannot make the folder file' "$bin/weftrun" -n 4 --record file "$uneven"
refused 'there is no recording nowhere' "$bin/weftsim" compile nowhere x.actions
refused 'moving.rec: it was recorded with --lb rotate; a fit takes a run without balancing' "$bin/weftsim" fit moving.rec two-cores.json -o x.json
cp plain.rec/weft-0-0.part whole
printf x | dd of=plain.rec/weft-0-0.part bs=1 seek=50 conv=notrunc 2> err
refused 'weft-0-0.part has been altered: its checksum does not hold' "$bin/weftsim" compile plain.rec x.actions
mv whole plain.rec/weft-0-0.part
head -c 100 plain.rec/weft-0-0.part > cut
mv cut plain.rec/weft-0-0.part
refused 'weft-0-0.part has 100 bytes' "$bin/weftsim" compile plain.rec x.actions
