# Parts of the tests that compare seismograms bit for bit; sourced. Expects $scratch.
fail() {
  echo "$(basename "$0" .sh): $*" >&2
  exit 1
}

# small_case CASE: a copy in $scratch with fewer, coarser cells, 60 steps.
small_case() {
  rm -rf "$scratch"
  mkdir -p "$scratch"
  sed -e 's/<ds> 400\./<ds> 2000./' -e 's/<dt> 0.028/<dt> 0.14/' -e 's/-110/-22/g' -e 's/ 110 / 22 /g' -e 's/-79/-15/' \
    -e 's/<tmax> 1000/<tmax> 60/' "$1/chuetsu.prm" > "$scratch/small.prm"
  cp "$1/chuetsu.map" "$1/chuetsu.hist" "$1/station.map" "$scratch"
}

# run NAME COMMAND...: COMMAND with the small case; its results go to $scratch/NAME.
run() {
  name=$1
  shift
  code=0
  timeout 300 "$@" --out "$scratch/$name" --no-pictures > "$scratch/$name.log" 2>&1 || code=$?
  [ $code = 0 ] || { tail -n 30 "$scratch/$name.log"; fail "$name ends with $code: $*"; }
}

# same NAME REFERENCE: the seismograms of both are the same bytes.
same() {
  diff -r "$scratch/$2/seismograms" "$scratch/$1/seismograms" > "$scratch/$1.diff" ||
    { head -n 4 "$scratch/$1.diff"; fail "the seismograms of $1 differ from those of $2"; }
}

# moved NAME: twelve stations, and the ground shook at most of them.
moved() {
  [ "$(ls "$scratch/$1/seismograms" | wc -l)" = 12 ] || fail "$1: 12 seismograms expected"
  shaken=$(awk '!/^#/ && $2 * $2 + $3 * $3 + $4 * $4 > 1e-8 { moved[FILENAME] = 1 } END { print length(moved) }' \
    "$scratch/$1/seismograms/"*)
  [ "$shaken" -ge 8 ] || fail "$1: the ground moved at $shaken stations only"
}

# quality_case: $scratch/quality.prm, the small case with attenuation.
quality_case() {
  sed 's/^  <vs> .*/&\n  <Qp> 120 <\/Qp> <Qs> 60 <\/Qs>/' "$scratch/small.prm" > "$scratch/quality.prm"
}
