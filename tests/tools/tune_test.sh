#!/bin/sh
# tune_test.sh <prefix> <programs> <scratch> [alone]: --tune writes a table, --collectives goes by it. Alone: in one
# process only.
set -u
run="timeout 120 $1/bin/weftrun"
programs=$2
scratch=$3
. "$(dirname "$0")/check.sh"

check 0 'weftrun: 4 ranks in a process: allreduce: ' $run -n 4 --workers 2 --tune t.json
grep -q '"where": "process", "ranks": 4, "workers": 2, "processes": 1' t.json || fail "the table says its shape"
$run -q -n 2 --workers 1 --tune t.json > out 2>&1 || fail "measuring again"
[ ! -s out ] || fail "-q says nothing"
grep -q '"ranks": 4' t.json && grep -q '"ranks": 2' t.json || fail "shapes stay beside each other"
check 0 'rank 3 of 4' $run -n 4 --workers 2 --collectives t.json "$programs/hello"

echo '{"weft collectives": 1, "measured": [{"where": "process", "ranks": 4, "workers": 1, "processes": 1,
  "collectives": {"barrier": [{"bytes": 0, "algorithm": "dissemination"}]}}]}' > barrier.json
check 0 'met' $run -n 4 --collectives barrier.json --trace trace.json "$programs/meets"
grep -q '"algorithm":"dissemination"' trace.json || fail "the table's algorithm runs"
check 0 'met' env WEFT_COLLECTIVES=barrier.json WEFT_TRACE=trace2.json $run -n 4 "$programs/meets"
grep -q '"algorithm":"dissemination"' trace2.json || fail "the variable names a table, too"
check 0 'met' $run -n 4 --trace trace3.json "$programs/meets"
grep -q '"algorithm":"in_memory"' trace3.json || fail "the timeline shows what is built in"

check 1 'weftrun: --collectives: none.json: cannot be read' $run -n 2 --collectives none.json "$programs/hello"
[ "$(wc -l < out)" = 1 ] || fail "an error is one line"
sed s/dissemination/tree/ barrier.json > old.json
check 1 "weftrun: --collectives: old.json: .*'tree' is now called 'binomial'" $run -n 2 --collectives old.json "$programs/hello"
[ "$(wc -l < out)" = 1 ] || fail "an error is one line"
echo '{' > bad.json
check 1 'weftrun: --collectives: bad.json: it is not JSON' $run -n 2 --collectives bad.json "$programs/hello"
[ "$(wc -l < out)" = 1 ] || fail "an error is one line"
check 1 'weftrun: --tune: bad.json: it is not JSON' $run -n 2 --tune bad.json
check 1 'weftrun: --tune: /nowhere/t.json: cannot be written' $run -n 2 --tune /nowhere/t.json
check 1 'a job of one rank has nothing to measure' $run -n 1 --tune one.json
check 1 'neither a program nor --collectives' $run -n 2 --tune one.json "$programs/hello"
check 1 'neither a program nor --collectives' $run -n 2 --tune one.json --collectives t.json

[ "${4-}" = alone ] || {
  check 0 'ranks in several processes: allreduce: ' $run -n 4 --processes 2 --tune p.json
  grep -q '"where": "processes", "ranks": 4, "workers": 2, "processes": 2' p.json || fail "several processes"
  grep -q '"where": "process", "ranks": 2, "workers": 2, "processes": 2' p.json || fail "inside each of them"
  check 0 'rank 3 of 4' $run -n 4 --processes 2 --collectives p.json "$programs/hello"
  check 1 'weftrun: \(process 1: \)*--collectives: bad.json: it is not JSON' $run -n 4 --processes 2 --collectives bad.json "$programs/hello"
}
[ "$failures" = 0 ]
