#!/bin/sh
# Checks of the sources, one line each with its time: layers, sizes, memory orders, names, format, clang-tidy over what changed.
#   tools/check.sh [check ...]     those checks, or all
#   tools/check.sh --all           as above, with clang-tidy over every file; files that it has found clean are not checked again
#   tools/check.sh --shrink        removes findings that are gone from the lists of known findings
set -u
cd -- "$(dirname -- "$0")/.." || exit 1

arguments=
names=
for word in "$@"; do
  case $word in
    --*) arguments="$arguments $word" ;;
    *) names="$names $word" ;;
  esac
done
mkdir -p build
output=$(mktemp build/check.XXXXXX)
trap 'rm -f "$output"' EXIT
status=0
for name in ${names:-layers functions memory_orders names format tidy}; do
  begin=$(date +%s)
  if python3 -B "tools/checks/$name.py" $arguments > "$output" 2>&1; then
    result=$(tail -n 1 "$output")
  else
    cat "$output"
    result="$name: FAILED"
    status=1
  fi
  echo "== check $result ($(($(date +%s) - begin)) s)"
done
exit $status
