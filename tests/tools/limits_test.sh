#!/bin/sh
# limits_test.sh <prefix> <programs> <no_threads.so>: a limit of the system that a job meets is named in one line.
set -u
weftrun=$1/bin/weftrun
hello=$2/hello
failures=0
out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT

# refuse <pattern> <command>: it ends with exit code 1 and a line that has the pattern, and not by a signal.
refuse() {
  pattern=$1
  shift
  timeout 60 "$@" > "$out" 2>&1
  code=$?
  if [ $code != 1 ] || ! grep -q -- "$pattern" "$out" || grep -q 'terminate\|Aborted\|  #0' "$out"; then
    echo "FAILED: exit code $code, no '$pattern' from $*: $(cat "$out")"
    failures=$((failures + 1))
  fi
}
limited="env LD_PRELOAD=$3 THREADS_ALLOWED"

refuse "cannot start .*thread.*: Resource temporarily unavailable; limits: .*kernel.threads-max.*raise the limit" \
  $limited=0 "$weftrun" -n 2 --workers 2 "$hello"
# The first two write output and preempt ranks.
for allowed in 2 3 4; do
  refuse "cannot start a worker's thread.*; limits: " $limited=$allowed "$weftrun" -n 4 --workers 4 "$hello"
done
refuse "cannot start .*thread" $limited=0 "$weftrun" -n 2 --workers 1 --timeout 50 "$hello"
for allowed in 0 1 2; do
  refuse "cannot start .*thread.*; limits: " $limited=$allowed "$weftrun" -n 4 --workers 4 --processes 2 "$hello"
done
refuse "limits: 54321 processes and threads of this user (ulimit -u)" \
  prlimit --nproc=54321 $limited=0 "$weftrun" -n 2 --workers 2 "$hello"

# A rank's slot counts as data.
refuse "the limit on data is 1000000 KiB.*ulimit -d unlimited.*--region-size" \
  sh -c 'ulimit -d 1000000 && exec "$@"' sh "$weftrun" -n 2 --workers 1 "$hello"
timeout 60 sh -c 'ulimit -d 1000000 && exec "$@"' sh "$weftrun" -n 2 --workers 1 --region-size 256M "$hello" > "$out" 2>&1 || {
  echo "FAILED: with a small region: $(cat "$out")"
  failures=$((failures + 1))
}
# The stack of weftrun itself, and of its processes.
timeout 60 sh -c 'ulimit -s 64 && exec "$@"' sh "$weftrun" -n 8 --processes 2 "$hello" > "$out" 2>&1 || {
  echo "FAILED: with a stack of 64 KiB: exit code $?: $(cat "$out")"
  failures=$((failures + 1))
}

# Other mounts, where who runs this may make them. Without /proc the libraries beside weftrun are not found.
folder=$(mktemp -d -p .) || exit 1
trap 'rm -rf "$out" "$folder"' EXIT
without_proc='mount -t tmpfs none /proc && LD_LIBRARY_PATH=$0/lib exec "$@"'
if unshare -rm sh -c "$without_proc" "$1" true 2> /dev/null; then
  refuse 'weftrun: /proc/self/exe, by which .* cannot be read: No such file or directory; mount /proc' \
    unshare -rm sh -c "$without_proc" "$1" "$weftrun" -n 2 --processes 2 "$hello"
  for command in "$weftrun -n 2 $hello" "$hello" "$1/bin/weftinfo"; do
    timeout 60 unshare -rm sh -c "$without_proc" "$1" $command > "$out" 2>&1 || {
      echo "FAILED: without /proc: exit code $? of $command: $(cat "$out")"
      failures=$((failures + 1))
    }
  done
  refuse "hello: lies on a file system that is mounted noexec, .*; copy it" \
    unshare -rm sh -c 'mount -t tmpfs -o noexec none "$0" && cp "$2" "$0" && exec "$1" -n 2 "$0/hello"' \
    "$folder" "$weftrun" "$hello"
fi

[ $failures = 0 ] && echo "limits: ok"
exit $failures
