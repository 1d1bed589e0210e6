#!/bin/sh
# Kills a process of a simulation while it runs: the job goes on, and ends with the same seismograms.
# usage: survive.sh CASE FOLDER [options of ondes3d]; finds weftrun and ondes3d in PATH. Results go to FOLDER/undisturbed and
# FOLDER/killed. INTERVAL: seconds from one image to the next, such as 0.1s.
set -eu
[ $# -ge 2 ] || { echo "usage: survive.sh CASE FOLDER [options of ondes3d]" >&2; exit 1; }
case=$1 folder=$2
shift 2
layout="-n 16 --processes 2"
interval=${INTERVAL:-1s}

echo "== undisturbed"
weftrun $layout ondes3d "$case" --out "$folder/undisturbed" --no-pictures "$@"

echo "== the same with --survive $interval: at most so often an image of all ranks is kept in memory"
weftrun $layout --survive "$interval" ondes3d "$case" --out "$folder/killed" --no-pictures "$@" &
job=$!
trap 'kill $job 2> /dev/null; exit 130' INT TERM HUP

# Whether an image is whole: weftrun holds memory files for two, and the first two of them are written last.
has_image() {
  ls -l "/proc/$job/fd" 2> /dev/null | sed -n 's/.* \([0-9]*\) -> .*weft-image.*/\1/p' | sort -n | head -n 2 > "$folder/indices"
  while read -r file; do
    [ ! -s "/proc/$job/fd/$file" ] || return 0
  done < "$folder/indices"
  return 1
}
mkdir -p "$folder"
until has_image; do
  kill -0 $job 2> /dev/null || { echo "survive.sh: the job ended before its first image" >&2; exit 1; }
  sleep 0.02
done
rm "$folder/indices"
victim=$(awk '{print $NF}' "/proc/$job/task/$job/children")
echo "== kill -KILL $victim, the last of the job's processes"
kill -KILL "$victim" || { echo "survive.sh: the job has ended" >&2; exit 1; }
wait $job || { echo "survive.sh: the job did not go on" >&2; exit 1; }

diff -r "$folder/undisturbed/seismograms" "$folder/killed/seismograms" || { echo "survive.sh: other seismograms" >&2; exit 1; }
echo "== $(ls "$folder/killed/seismograms" | wc -l) seismograms, the same bytes as undisturbed"
