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

check 0 'weft: balancing with greedy: 5 steps took .* moves; imbalance .*; \(gained\|lost\) .* J (' $run --lb greedy "$programs/uneven" 5
check 0 'units by worker' $run --lb greedy -q "$programs/uneven" 5
grep -q 'weft:' out && fail "-q says nothing"
check 0 'units by worker' $run "$programs/uneven" 5
grep -q 'weft:' out && fail "without a strategy there is nothing to say"
check 0 'weft: balancing with greedy: 2 steps' $run --lb greedy --lb-period 2 "$programs/uneven" 5
check 0 'balancing with greedy, auto: 8 ranks on 2 workers' $run --lb greedy --lb-when auto --lb-model mean:0.5 --lb-summary table "$programs/uneven" 5
check 0 'weft: balancing with rotate: 3 steps took .* 24 moves (24 to another process, with .*iB)' \
  $run --processes 2 --lb rotate "$programs/uneven" 3

check 0 'units by worker' $run --lb rotate --lb-report page.html "$programs/uneven" 3
[ "$(head -c 15 page.html)" = '<!doctype html>' ] || fail "a page"
grep -q '"ranks":8,"processOf":\[0,0\]' page.html || fail "the page's data"
[ "$(grep -o '"moves":8' page.html | wc -l)" = 3 ] || fail "the page's moves"
check 0 'cannot write the report /nowhere/page.html' $run --lb rotate --lb-report /nowhere/page.html "$programs/uneven" 3

$run --lb greedy --lb-summary none "$programs/uneven" 300 2 > out 2>&1 &
job=$!
for _ in $(seq 60); do
  sleep 0.3
  pkill -USR2 -P $job weftrun
  grep -q 'imbalance, max/mean' out && break
done
grep -q 'imbalance, max/mean' out || fail "SIGUSR2 prints the table"
pkill -P $job weftrun
wait $job 2> /dev/null

[ $failures = 0 ] && echo "balance: ok"
exit $failures
