#!/bin/sh
# Checkpoints on disk: written by time and by signal, read by other numbers of workers and processes, refused when bad.
#   checkpoint_test.sh <weftrun> <program> <scratch folder>
run=$1
program=$2
scratch=$3
setarch -R true 2> /dev/null || { echo "addresses cannot be fixed here"; exit 77; }
rm -rf "$scratch" && mkdir -p "$scratch" && cd "$scratch" || exit 1

fail() {
  echo "$1"
  exit 1
}
# ends_well <what> <weftrun's options...>
ends_well() {
  what=$1
  shift
  found=$(timeout 300 "$run" "$@" "$program" | sort) && [ "$found" = "$expected" ] || fail "$what: '$found' instead of '$expected'"
}
# refuses <text> <weftrun's options...>
refuses() {
  text=$1
  shift
  said=$(timeout 300 "$run" "$@" "$program" 2>&1) && fail "$* ran instead of saying '$text'"
  case $said in *"$text"*) ;; *) fail "'$said' does not say '$text'" ;; esac
}

expected=$(timeout 300 "$run" -n 5 "$program" | sort)

touch die
timeout 300 "$run" -n 5 --checkpoint kept --checkpoint-every 3 "$program" 2> /dev/null
[ $? = 7 ] || fail "the job that was to end early has not"
rm die
[ "$(echo $(ls kept))" = "checkpoint-6 spare" ] || fail "after an early end: $(ls kept)"
[ -z "$(find kept -type f -perm /077)" ] || fail "others may read ranks' memory: $(ls -lR kept)"
ends_well "restart" --restart kept
ends_well "restart in two processes" --restart kept --processes 2
ends_well "restart on five workers that move" --restart kept --processes 3 --workers 5 --lb rotate
ends_well "writing from three processes" -n 5 --processes 3 --lb rotate --checkpoint other --checkpoint-every 4
ends_well "restart of what three processes wrote" --restart other --workers 1
ends_well "a restart that goes on writing" --restart kept --processes 2 --checkpoint kept --checkpoint-every 2
[ "$(ls kept)" = checkpoint-10 ] || fail "after a restart: $(ls kept)"

# The options count however they are given, also in one process, which needs fixed addresses only because of them.
ends_well "an option with one dash" -n 5 -checkpoint dash -checkpoint-every 4
ls dash/*/index > /dev/null || fail "-checkpoint wrote nothing"
ends_well "a restart with one dash" -restart dash
printf '%s\n' "-n 5 --checkpoint from-file --checkpoint-every 4 $program" > arguments
found=$(timeout 300 "$run" --configfile arguments | sort) && [ "$found" = "$expected" ] || fail "options of a file: '$found'"
ls from-file/*/index > /dev/null || fail "--checkpoint in a file of arguments wrote nothing"
found=$(cat arguments | timeout 300 "$run" --configfile /dev/stdin | sort) && [ "$found" = "$expected" ] || fail "options of a pipe: '$found'"

touch asks
ends_well "what ranks ask for in a step that writes" -n 5 --workers 3 --lb greedy --checkpoint asked --checkpoint-every 2
touch die
timeout 300 "$run" -n 5 --workers 3 --lb greedy --checkpoint fewer --checkpoint-every 2 "$program" > /dev/null 2>&1
[ $? = 7 ] || fail "the job whose ranks asked for workers was to end early"
rm asks die
ends_well "a restart without workers that ranks ask for" --restart fewer --workers 1 --lb greedy
ends_well "a restart without them in two processes" --restart fewer --processes 2 --workers 1 --lb hierarchical

touch calls
ends_well "MPI_Checkpoint" -n 5 --processes 2 --checkpoint unused
rm calls
[ "$(ls called)" = checkpoint-7 ] || fail "MPI_Checkpoint wrote $(ls called)"
ends_well "restart of what MPI_Checkpoint wrote" --restart called --processes 3

# asked <when>: the job that was asked by a signal.
asked() {
  wait $job || fail "a job that was asked for a checkpoint $1"
  [ "$(sort out)" = "$expected" ] || fail "a job that was asked for a checkpoint $1 went wrong"
  [ -f asked/*/index ] || fail "SIGUSR1 $1 wrote no checkpoint with $processes processes"
}
for processes in 1 2; do
  rm -rf asked
  # A signal from before the start: it waits until the job listens.
  timeout 300 python3 -c 'import os, signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
os.kill(os.getpid(), signal.SIGUSR1)
os.execv(sys.argv[1], sys.argv[1:])' "$run" -n 5 --processes $processes --checkpoint asked "$program" > out &
  job=$!
  asked "early"
  rm -rf asked
  touch slow
  timeout 300 "$run" -n 5 --processes $processes --checkpoint asked "$program" > out &
  job=$!
  while [ ! -f begun ] && kill -0 $job; do sleep 0.05; done
  pkill -USR1 -P $job weftrun
  sleep 1
  rm begun
  asked "meanwhile"
  rm slow
done
ends_well "restart of one that was asked for" --restart asked

# What keeps one from being written is said once, however often it is due.
mkdir held
timeout 300 "$run" -n 5 --checkpoint refused --checkpoint-every 1 "$program" > out 2> err || fail "a job with a folder open"
rmdir held
[ "$(sort out)" = "$expected" ] || fail "a job with a folder open went wrong"
[ "$(grep -c 'no checkpoint is written' err)" = 1 ] || fail "a refused checkpoint is said once: $(cat err)"

[ -z "$(grep 'no checkpoint was written' err)" ] || fail "steps that were refused are not missed: $(cat err)"

# A program that comes to no step writes none, and is told.
touch no-steps
timeout 300 "$run" -n 5 --checkpoint never --checkpoint-every 3 "$program" > out 2> err || fail "a job without steps"
grep -q 'no checkpoint was written: the ranks came to no MPI_Migrate; --migrate-at names' err || fail "a job without steps says: $(cat err)"
timeout 300 "$run" -n 5 --checkpoint never "$program" > out 2> err || fail "a job without steps that nobody asks"
[ ! -s err ] || fail "nobody asked for a checkpoint, and it says: $(cat err)"
rm no-steps

refuses "is one of 5 ranks, not of 4" --restart asked -n 4

# Ranks keep their arguments: others are refused, also after a restart that gave none and wrote again.
timeout 300 "$run" -n 5 --checkpoint given --checkpoint-every 4 "$program" one 'two words' > /dev/null || fail "arguments"
ends_well "a restart without arguments" --restart given --checkpoint again --checkpoint-every 1
for folder in given again; do
  found=$(timeout 300 "$run" --restart $folder "$program" one 'two words' | sort) && [ "$found" = "$expected" ] ||
    fail "a restart with the same arguments: '$found'"
  said=$(timeout 300 "$run" --restart $folder --processes 2 "$program" one two words 2>&1) && fail "other arguments are taken"
  [ "$said" = "weftrun: --restart: the ranks in $folder go on with the arguments that they began with ('one' 'two words'), not with 'one' 'two' 'words': leave these out" ] ||
    fail "other arguments: '$said'"
done
refuses "there is no whole checkpoint" --restart nowhere
cp -r asked short && truncate -s -100 short/*/process-1
refuses "it is cut short" --restart short
cp -r asked altered && printf X | dd of="$(ls altered/*/process-0)" bs=1 seek=200000 conv=notrunc 2> /dev/null
refuses "has been altered" --restart altered
cp -r asked index && printf X | dd of="$(ls index/*/index)" bs=1 seek=100 conv=notrunc 2> /dev/null
refuses "has been altered" --restart index
refuses "--checkpoint-every needs --checkpoint" --checkpoint-every 3

# Neither a fifo nor a folder in a file's place keeps a restart waiting.
cp -r asked fifo && rm fifo/*/index && mkfifo "$(ls -d fifo/checkpoint-*)/index"
refuses "it is no regular file" --restart fifo
cp -r asked fifos && rm fifos/*/process-0 && mkfifo "$(ls -d fifos/checkpoint-*)/process-0"
refuses "it is no regular file" --restart fifos
mkdir odd && mkfifo odd/.weft-lock
refuses "odd" -n 5 --checkpoint odd

# Memory of ranks is their user's alone, whatever the umask, also in files that were there before.
umask 000
chmod 666 asked/*/*
ends_well "a restart that writes over files of other rights" --restart asked --checkpoint asked --checkpoint-every 2
umask 022
[ -z "$(find kept asked other -type f -perm /077)" ] || fail "others can read: $(find kept asked other -type f -perm /077)"

# A folder belongs to one job at a time. The one that has it says so by the file `begun`.
touch slow
rm -f begun
timeout 300 "$run" -n 5 --checkpoint mine --checkpoint-every 1 "$program" > out &
job=$!
while [ ! -f begun ] && kill -0 $job; do sleep 0.05; done
refuses "the folder mine is in use by another job (process " -n 5 --checkpoint mine --checkpoint-every 1
refuses "wait for its end, or take another folder" -n 5 --checkpoint ./mine/../mine
refuses "wait for its end, or take another folder" -n 5 --processes 3 --checkpoint mine
refuses "wait for its end, or copy the folder" --restart mine
rm slow begun
wait $job || fail "the job whose folder was wanted by others"
[ "$(sort out)" = "$expected" ] || fail "the job whose folder was wanted by others went wrong"
ends_well "a folder that is free again" --restart mine --checkpoint mine --checkpoint-every 2
ends_well "a restart whose folder is free once it has been read" --restart mine

# A program is known by what it holds, not by its path; one whose build id differs is another.
cp "$program" another
whole=$program
program=./another
ends_well "restart of a program by another path" --restart asked
ends_well "restart of it in two processes" --restart asked --processes 2
program=$scratch/other-build
id=$(readelf -n "$whole" | sed -n 's/.*Build ID: *//p')
[ -n "$id" ] || fail "the program has no build id"
python3 -c 'import sys
id = bytes.fromhex(sys.argv[1])
text = open(sys.argv[2], "rb").read()
assert text.count(id) == 1
open(sys.argv[3], "wb").write(text.replace(id, bytes(reversed(id))))' "$id" "$whole" other-build
chmod +x other-build
refuses "is not one of this program here" --restart asked
echo "all right"
