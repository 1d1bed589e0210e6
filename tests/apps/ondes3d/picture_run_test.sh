#!/bin/sh
# The pictures of a run under weftrun: drawn by the program beside ondes3d, drawn again by hand, movies by a program called
# ffmpeg that counts its bytes, one line for what is wrong or not there.
# usage: picture_run_test.sh <folder of weftrun and ondes3d> <folder of the case> <scratch folder>
set -eu
bin=$1 scratch=$3
. "$(dirname "$0")/same_bits.sh"
small_case "$2"

# refused TEXT COMMAND...: exit code 1, TEXT on the only line of the errors.
refused() {
  text=$1
  shift
  code=0
  timeout 300 "$@" > /dev/null 2> "$scratch/refused.log" || code=$?
  [ $code = 1 ] || { cat "$scratch/refused.log"; fail "ends with $code, not 1: $*"; }
  [ "$(grep -c -- "$text" "$scratch/refused.log")" = 1 ] || { cat "$scratch/refused.log"; fail "no \"$text\": $*"; }
  [ "$(wc -l < "$scratch/refused.log")" = 1 ] || { cat "$scratch/refused.log"; fail "more than a line: $*"; }
}

# An ffmpeg that writes down what it was given, first in PATH.
mkdir "$scratch/tools"
cat > "$scratch/tools/ffmpeg" << 'END'
#!/bin/sh
while [ $# -gt 1 ]; do
  [ "$1" != -video_size ] || size=$2
  shift
done
echo "$size $(wc -c)" > "${1#file:}"
END
chmod +x "$scratch/tools/ffmpeg"
PATH=$scratch/tools:$PATH

timeout 300 "$bin/weftrun" -n 6 --workers 2 --lb rotate "$bin/ondes3d" "$scratch/small.prm" --out "$scratch/out" \
  --migrate-every 7 --steps 20 --pictures png,svg --movie > "$scratch/out.log" 2>&1 || { cat "$scratch/out.log"; fail "6 ranks do not run"; }
for name in seismograms peak-velocity peak-velocity-west-east wave-field wave-field-south-north; do
  [ -s "$scratch/out/$name.png" ] && [ -s "$scratch/out/$name.svg" ] || { cat "$scratch/out.log"; fail "no picture $name"; }
done
grep -q '^  wave-field.png .svg .mp4$' "$scratch/out.log" || { cat "$scratch/out.log"; fail "the summary does not list the files"; }
# 20 steps are all that such a run has, fewer than a movie wants.
awk '{ split($1, size, "x"); exit !(size[1] > 300 && $2 == 20 * 4 * size[1] * size[2]) }' "$scratch/out/wave-field.mp4" ||
  fail "a movie of 20 frames expected, found $(cat "$scratch/out/wave-field.mp4")"
! ls "$scratch/out/"*.pdf 2> /dev/null || fail "a format that nobody asked for"

# By hand, elsewhere, the same bytes.
"$bin/ondes3d-pictures" "$scratch/out" --out "$scratch/again" --format png,pdf > "$scratch/again.log"
cmp "$scratch/out/wave-field.png" "$scratch/again/wave-field.png" || fail "drawn again, a picture differs"
[ "$(head -c 5 "$scratch/again/seismograms.pdf")" = "%PDF-" ] || fail "no PDF"
[ "$(ls "$scratch/again")" = "$(sort "$scratch/again.log")" ] || fail "the files are not those that are listed"

# Without ffmpeg, and with one that fails.
mkdir "$scratch/none"
PATH=$scratch/none "$bin/ondes3d-pictures" "$scratch/out" --out "$scratch/again" --format svg --movie > "$scratch/none.log"
[ "$(grep -c '^no movies: there is no ffmpeg in PATH$' "$scratch/none.log")" = 1 ] || { cat "$scratch/none.log"; fail "no word of ffmpeg"; }
printf '#!/bin/sh\nexit 5\n' > "$scratch/tools/ffmpeg"
refused 'wave-field.mp4: ffmpeg does not write it, it ends with 5' "$bin/ondes3d-pictures" "$scratch/out" --out "$scratch/again" \
  --format svg --movie

refused 'nowhere/pictures.dat: there is no such file' "$bin/ondes3d-pictures" "$scratch/nowhere"
refused 'format: found "gif"; expected png, pdf, svg' "$bin/ondes3d-pictures" "$scratch/out" --format gif
refused 'pictures: found "gif"; expected png, pdf, svg' "$bin/weftrun" -n 2 "$bin/ondes3d" "$scratch/small.prm" --pictures gif
refused 'movie excludes --no-pictures' "$bin/weftrun" -n 2 "$bin/ondes3d" "$scratch/small.prm" --movie --no-pictures
