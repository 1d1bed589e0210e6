# Shared by the shell tests of weftrun; to be sourced with $programs and $scratch set. Counts $failures.
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch" || exit 1
failures=0

fail() {
  echo "FAILED: $*"
  cat out
  failures=$((failures + 1))
}
check() { # check <code> <text in the output> <command ...>
  code=$1
  text=$2
  shift 2
  "$@" > out 2>&1 < /dev/null
  got=$?
  [ $got = "$code" ] || fail "exit code $got, expected $code: $*"
  grep -q -- "$text" out || fail "no '$text': $*"
}
