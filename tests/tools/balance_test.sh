#!/bin/sh
# balance_test.sh <prefix> <programs> <scratch>: what weftrun says of balancing.
set -u
run="timeout 100 $1/bin/weftrun -n 8 --workers 2"
programs=$2
scratch=$3
. "$(dirname "$0")/check.sh"

check 0 '^auto' $run --lb-when help
check 0 '^mean:' $run --lb-model help
check 1 "'atuo'; did you mean 'auto'?" $run --lb-when atuo ./x
check 1 "'men'; did you mean 'mean'?" $run --lb-model men ./x
check 1 '--lb-period goes with --lb-when every' $run --lb-when auto --lb-period 3 ./x
check 1 'none line table' $run --lb-summary long ./x

check 0 'weft: balancing with greedy: 5 steps took .* moves; imbalance .*; \(gained\|lost\) [^;]*$' $run --lb greedy "$programs/uneven" 5
check 0 'units by worker' $run --lb greedy -q "$programs/uneven" 5
grep -q 'weft:' out && fail "-q says nothing"
check 0 'units by worker' $run "$programs/uneven" 5
grep -q 'weft:' out && fail "without a strategy there is nothing to say"
check 0 'weft: balancing continuously: [0-9]* plans, of which [0-9]* moved ranks; [0-9]* ranks moved as planned, ' $run --lb-continuous "$programs/uneven" 5
check 0 'units by worker' $run --lb-continuous -q "$programs/uneven" 5
grep -q 'weft:' out && fail "-q says nothing of continuous balancing"
check 0 'weft: balancing with greedy: 2 steps' $run --lb greedy --lb-period 2 "$programs/uneven" 5
check 0 'balancing with greedy, auto: 8 ranks on 2 workers' $run --lb greedy --lb-when auto --lb-model mean:0.5 --lb-summary table "$programs/uneven" 5
check 0 '^weftrun: --lb-period has no effect without --lb NAME (-q says nothing)$' $run --lb-period 3 "$programs/uneven" 5
check 0 '^weftrun: --migrate-at balances nothing without --lb NAME (-q says nothing)$' $run --migrate-at barrier "$programs/uneven" 5
check 0 'units by worker' $run -q --migrate-at barrier "$programs/uneven" 5
grep -q 'weftrun:' out && fail "-q says nothing of options without effect"
# Loads by a counter. Every system has this one where it lets its users count at all.
event=papi:perf::TASK-CLOCK
check 1 "weftrun: --load-clock: expected auto, tsc, papi or papi:EVENT, not 'clock'" $run --load-clock clock "$programs/uneven"
check 1 'weftrun: --load-clock papi:perf::NO-SUCH: ' $run --load-clock papi:perf::NO-SUCH "$programs/uneven" 3
[ "$(wc -l < out)" = 1 ] || fail "one line"
check 1 'weftrun: \(process 1: \)*--load-clock papi:perf::NO-SUCH: ' $run --processes 2 --load-clock papi:perf::NO-SUCH "$programs/uneven" 3
check 0 'no step: the program came to no blocking reduce or alltoall over all ranks at which one was due (every:3)$' \
  $run --lb greedy --lb-period 3 --lb-summary line --migrate-at reduce,alltoall -n 2 "$programs/hello"
check 0 'loads measured by the time stamp counter$' $run --load-clock tsc --lb greedy --lb-summary table "$programs/uneven" 5
if $run --load-clock $event "$programs/hello" > out 2>&1; then
  check 0 "loads measured by PAPI's perf::TASK-CLOCK, .* ns a reading" $run --load-clock $event --lb greedy --lb-summary table "$programs/uneven" 5
  for processes in 1 2; do
    check 0 "rotate: 3 steps took .* 24 moves.*; loads by PAPI's perf::TASK-CLOCK$" \
      $run --processes $processes --load-clock $event --lb rotate "$programs/uneven" 3
  done
  check 0 'unfinished line' env WEFT_LOAD_CLOCK=$event $run "$programs/threads_left"
else
  grep -q '^weftrun: --load-clock papi:perf::TASK-CLOCK: ' out || fail "why there is no counter"
  echo "balance: no counters here: $(cat out)"
fi

check 0 'weft: balancing with rotate: 3 steps took .* 24 moves (24 to another process, with .*iB)' \
  $run --processes 2 --lb rotate "$programs/uneven" 3

check 0 'units by worker' $run --lb rotate --lb-report page.html "$programs/uneven" 3
[ "$(head -c 15 page.html)" = '<!doctype html>' ] || fail "a page"
grep -q '"ranks":8,"processOf":\[0,0\]' page.html || fail "the page's data"
[ "$(grep -o '"moves":8' page.html | wc -l)" = 3 ] || fail "the page's moves"
check 0 'cannot write the report /dev/full' $run --lb rotate --lb-report /dev/full "$programs/uneven" 3

# The timeline: one file of all processes that a JSON parser takes, with tracks, calls, moves and steps.
for processes in 1 2; do
  check 0 'units by worker' $run --processes $processes --lb rotate --trace trace.json "$programs/uneven" 3
  python3 - trace.json $processes <<'END' || fail "the timeline of $processes processes"
import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
names = [e["args"]["name"] for e in events if e["ph"] == "M"]
spans = [e for e in events if e["ph"] == "X"]
assert all(e["ts"] >= 0 and e["dur"] >= 0 for e in spans)
assert {"rank %d" % r for r in range(8)} <= {e["name"] for e in spans if e["pid"] == 0}
assert "worker 1" + (", process 1" if sys.argv[2] == "2" else "") in names, names
assert {"MPI_Init", "MPI_Finalize"} <= {e["name"] for e in spans if e["pid"] == 1}
assert sum(e["name"] == "moves" for e in events) == 24
assert [e["name"] for e in spans if e["pid"] == 2] == ["step %d: 8 of 8 ranks move" % n for n in (1, 2, 3)]
# No worker runs two ranks at once: to the rounding of what is written.
for worker in (0, 1):
    runs = sorted((e["ts"], e["dur"]) for e in spans if e["pid"] == 0 and e["tid"] == worker)
    assert all(a[0] + a[1] <= b[0] + 0.01 for a, b in zip(runs, runs[1:]))
END
done
check 0 'cannot write the trace /dev/full' $run --trace /dev/full "$programs/hello"

$run --lb greedy --lb-summary none "$programs/uneven" 3000 2 > out 2>&1 &
job=$!
# Only then: before its handler is there, the signal would end it.
catches_usr2() {
  caught=$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$(pgrep -P $job weftrun)/status" 2> /dev/null)
  [ -n "$caught" ] && [ $((0x$caught >> 11 & 1)) = 1 ]
}
until catches_usr2 || ! kill -0 $job 2> /dev/null; do
  sleep 0.05
done
while kill -0 $job 2> /dev/null && ! grep -q 'imbalance, max/mean' out; do
  pkill -USR2 -P $job weftrun
  sleep 0.3
done
grep -q 'imbalance, max/mean' out || fail "SIGUSR2 prints the table"
pkill -P $job weftrun
wait $job 2> /dev/null

[ $failures = 0 ] && echo "balance: ok"
exit $failures
