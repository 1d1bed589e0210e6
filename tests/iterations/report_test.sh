#!/bin/sh
# report_test.sh <weftrun> <slab_transport> <scratch folder>: predictions are on the page of --lb-report, and a loop says so where Weft
# balances its ranks as well.
set -u
run=$1
program=$2
rm -rf "$3" && mkdir -p "$3" && cd "$3" || exit 1
failures=0
fail() {
  echo "FAILED: $*"
  failures=1
}
slab() { timeout 600 "$run" "$@" "$program" --histories 200000 --work 200 --report-seconds 0.02 > out 2> err || fail "$*: $(cat out err)"; }

for processes in 1 2; do
  slab -n 2 --workers 1 --processes $processes --lb-report page.html
  grep -q '"strategy":"none".*"predictions":\[\[[0-9.e-]*,[0-9.e-]*,[0-9.e-]*\]' page.html || fail "no predictions with $processes processes"
  [ ! -s err ] || fail "nothing balances ranks, and it says: $(cat err)"
  rm page.html
done
slab -n 4 --workers 2 --lb rotate --migrate-at barrier
[ "$(grep -c 'shares out the iterations, and Weft moves the ranks as well' err)" = 1 ] || fail "two act, and it says: $(cat err)"
[ $failures = 0 ] && echo "iterations_report: ok"
exit $failures
