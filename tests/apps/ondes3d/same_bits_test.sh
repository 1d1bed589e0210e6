#!/bin/sh
# The same seismograms bit for bit from 1, 4, 8 and 27 ranks, however the grid is cut, on 1, 2 and 4 workers, with every
# rank moved at every step, in single and in double precision, with and without attenuation.
# usage: same_bits_test.sh <folder of weftrun and ondes3d> <folder of the case> <scratch folder>
set -eu
bin=$1 scratch=$3
. "$(dirname "$0")/same_bits.sh"
small_case "$2"
quality_case

# weft NAME "WEFTRUN'S OPTIONS" CASE ONDES3D'S OPTIONS...
weft() {
  name=$1 options=$2 prm=$3
  shift 3
  # shellcheck disable=SC2086
  run "$name" "$bin/weftrun" $options "$bin/ondes3d" "$scratch/$prm.prm" "$@"
}
every_step="--lb rotate --lb-period 1"

# What sanitizers look for does not depend on the precision, and the bits are compared without them, too.
precisions="single double"
[ -z "${SANITIZED_BUILD-}" ] || precisions=single

for precision in $precisions; do
  flag=
  [ $precision = single ] || flag=--double
  weft one-$precision "-n 1 --workers 1" small $flag --migrate-every 0
  moved one-$precision
  while read -r ranks workers parts; do
    for moves in still rotate; do
      name=$precision-$ranks-$(echo "${parts:-free}" | tr -d ' -')-$workers-$moves
      # shellcheck disable=SC2086
      if [ $moves = still ]; then
        weft "$name" "-n $ranks --workers $workers" small $flag $parts --migrate-every 0
      else
        weft "$name" "-n $ranks --workers $workers $every_step" small $flag $parts --migrate-every 1
      fi
      same "$name" one-$precision
    done
  done << END
1 2
4 1
4 2 --px 4 --py 1
8 2
8 4 --px 1 --py 8
8 1 --px 2 --py 2 --pz 2
27 4
27 2 --px 9 --py 3
27 1 --px 3 --py 3 --pz 3
END
done

# In several processes, in place and with every rank moved between them at every step.
for processes in 2 4; do
  weft still-$processes "-n 8 --workers 4 --processes $processes" small --migrate-every 0
  same still-$processes one-single
  weft moving-$processes "-n 8 --workers 4 --processes $processes $every_step" small --px 2 --py 2 --pz 2 --migrate-every 1
  same moving-$processes one-single
done

# Ranks per worker instead of ranks.
weft ratio-4 "--ratio 4 --workers 2 $every_step" small --migrate-every 1
same ratio-4 one-single
weft ratio-9 "--ratio 9 --workers 3 --lb greedy" small --migrate-every 3
same ratio-9 one-single
grep -q "^ranks *27 " "$scratch/ratio-9.log" || fail "--ratio 9 on 3 workers did not start 27 ranks"

# With attenuation, whose memory variables are those of each cell.
for precision in $precisions; do
  flag=
  [ $precision = single ] || flag=--double
  # shellcheck disable=SC2086
  weft quality-one$flag "-n 1 --workers 1" quality $flag --migrate-every 0
  moved quality-one$flag
  ! diff -r "$scratch/one-single/seismograms" "$scratch/quality-one$flag/seismograms" > /dev/null ||
    fail "the quality factors change nothing"
  for parts in "--px 4 --py 2" "--px 2 --py 2 --pz 2" "--px 3 --py 3 --pz 3"; do
    ranks=$(echo "$parts" | awk '{ print $2 * $4 * ($6 > 0 ? $6 : 1) }')
    name=quality$flag-$(echo "$parts" | tr -d ' -')
    # shellcheck disable=SC2086
    weft "$name" "-n $ranks --workers 2 $every_step" quality $flag $parts --migrate-every 1
    same "$name" quality-one$flag
  done
done

# The comparison can tell: another timestep moves the last digits.
sed 's/<dt> 0.14/<dt> 0.139999/' "$scratch/small.prm" > "$scratch/other.prm"
run other "$bin/weftrun" -n 4 --workers 2 "$bin/ondes3d" "$scratch/other.prm"
if diff -r "$scratch/one-single/seismograms" "$scratch/other/seismograms" > "$scratch/other.diff"; then
  fail "another timestep gave the same seismograms"
fi
