#!/bin/sh
# refusals_test.sh <prefix> <programs> <scratch>: what cannot be done, and what contradicts itself, is said in one line
# before any rank runs; so is what has no effect.
set -u
run="timeout 60 $1/bin/weftrun"
programs=$2
scratch=$3
. "$(dirname "$0")/check.sh"

# refuse <text> <weftrun's options ...>
refuse() {
  text=$1
  shift
  check 1 "$text" $run "$@" "$programs/hello"
  [ "$(wc -l < out)" = 1 ] || fail "an error is one line: $*"
}

# Where a job writes to. Root may write everywhere but where there is no place.
touch file
for option in trace lb-report; do
  refuse "--$option: cannot write the file nowhere/x: No such file or directory" --$option nowhere/x -n 2
  refuse "--$option: cannot write the file file/x: Not a directory" --$option file/x -n 2
  refuse "--$option: cannot write the file .: Is a directory" --$option . -n 2
  refuse "--$option: cannot write the file /proc/x: " --$option /proc/x -n 4 --processes 2
done
for option in otf2 checkpoint record; do
  refuse "--$option: cannot write to the folder /proc: " --$option /proc -n 2
  refuse "--$option: cannot make the folder file/x: Not a directory" --$option file/x -n 2
  refuse "--$option: cannot make the folder file/x: Not a directory" --$option file/x -n 4 --processes 2
done
[ ! -e nowhere ] || fail "a refused file's folder is made"

# The try leaves things as they are: a file for a job that then fails, a link to a file that is not there yet.
echo kept > old
ln -s new link
check 1 'no-such-program' $run --trace old --lb-report link --lb greedy --checkpoint empty -n 2 ./no-such-program
[ "$(cat old)" = kept ] || fail "the try has destroyed a file"
[ -L link ] && [ ! -e new ] || fail "the try has removed a link, or made what it leads to"
check 0 'rank 0 of 2' $run --trace link -n 2 "$programs/hello"
[ -L link ] && [ -s new ] || fail "no trace through a link"
check 0 'rank 0 of 2' $run --trace /dev/null --lb-report /dev/null --lb greedy -n 2 "$programs/hello"

# Numbers that contradict each other.
refuse "the number of ranks is given twice, by --ratio 3 and -n 2" --ratio 3 -n 2
refuse "given twice, by --ratio 3 and -n 2" --ratio 3 -n 2 --processes 2
check 1 "given twice, by WEFT_RATIO=3 and WEFT_RANKS=2" env WEFT_RATIO=3 WEFT_RANKS=2 $run "$programs/hello"
# A sanitizer's library must be the first that a program loads: without weftrun it is not.
[ -n "${SANITIZED_BUILD-}" ] || check 1 "given twice, by WEFT_RATIO=3 and WEFT_RANKS=2" env WEFT_RATIO=3 WEFT_RANKS=2 "$programs/hello"
check 0 'rank 0 of 2' env WEFT_RATIO=3 $run -n 2 "$programs/hello"
check 0 'rank 0 of 6' env WEFT_RANKS=5 $run --ratio 3 --workers 2 "$programs/hello"
refuse '--ratio 3 goes with a job that begins, and --restart with as many ranks as the checkpoint has: leave one out' \
  --ratio 3 --restart nowhere
check 1 '--ratio 3 goes with one program' $run --ratio 3 "$programs/hello" : -n 2 "$programs/hello"
for time in soon -1s ''; do
  refuse "--stall: expected a time such as 60, 500ms, 2m or 1h, not '$time'" --stall "$time" -n 2
  refuse "--timeout: expected a time such as 60, 500ms, 2m or 1h, not '$time'" --timeout "$time" -n 2
done
refuse "--stall: expected a time above 0, not '0'" --stall 0 -n 2
check 1 "WEFT_TIMEOUT: expected a time such as 60, 500ms, 2m or 1h, not 'soon'" env WEFT_TIMEOUT=soon $run -n 2 "$programs/hello"
check 1 "MPIEXEC_TIMEOUT: expected seconds, up to 10^9, not '4294967297'" env MPIEXEC_TIMEOUT=4294967297 $run -n 2 "$programs/hello"
for processes in 1 2; do
  refuse "--universe 2 is less than the 4 ranks" --universe 2 -n 4 --processes $processes
  refuse 'libfabric offers no provider "nosuch"' --net nosuch -n 2 --processes $processes
done
refuse "--universe 5 is less than the 6 ranks" --universe 5 --ratio 3 --workers 2
check 0 'rank 0 of 4' $run --universe 4 -n 4 "$programs/hello"

# More processes than ranks are a warning, as they are for srun.
check 0 '^weftrun: 2 processes, not 65536: one without a rank' $run --processes 65536 -n 2 "$programs/hello"
[ "$(wc -l < out)" = 3 ] || fail "one warning, and what two ranks say"
for quiet in "$run -q --processes 3" "env WEFT_PROCESSES=3 $run"; do
  check 0 'rank 0 of 2' $quiet -n 2 "$programs/hello"
  [ "$(wc -l < out)" = 2 ] || fail "no warning: $quiet"
done

# Hosts offer places, and what they offer is no number of processes that has to be reached.
check 0 '^weftrun: 2 processes, not 4: one without a rank' $run --hosts localhost:4 -n 2 "$programs/hello"
check 0 '^weftrun: 1 process, not 4, and none on nowhere, no.where: one without a rank' \
  $run --hosts localhost,nowhere:2,no.where -n 1 "$programs/hello"
for quiet in "$run -q --hosts localhost:3" "env WEFT_HOSTS=localhost:3 $run" "$run --hosts localhost:3 --processes 2"; do
  check 0 'rank 0 of 2' $quiet -n 2 "$programs/hello"
  [ "$(wc -l < out)" = 2 ] || fail "no warning: $quiet"
done
check 1 'cannot start 9 processes: there can be 8 open files (ulimit -n), and each needs one' \
  sh -c "ulimit -n 8 && $run --processes 9 $programs/hello"

# Hosts, which are words of ssh's command line.
cat > agent << 'END'
touch "$PWD/started"
END
for hosts in ,, '' :2 localhost: localhost:0 localhost:-1 localhost:x localhost:1:2 fe80::x -oProxyCommand=x '-oProxyCommand=x:2' 'a,-F' 'me@-F' 'a b'; do
  refuse "--hosts: expected .*, not '" --hosts "$hosts" -n 2 --launcher-agent "sh $scratch/agent"
done
[ ! -e started ] || fail "the agent for other hosts was called"

# Hosts and slots that contradict each other, or that cannot be.
printf 'a slots=2\nb slots=x\n' > hf
refuse "--hostfile: hf:2: expected from 1 to 65536 slots, not 'x'" --hostfile hf -n 2
refuse "--hostfile: cannot read 'none'" -f none -n 2
refuse "--hosts, and --host or --hostfile, each say where processes start" --hosts a --host b -n 2
refuse "the number of workers is given twice, by --workers 3 and as 2 slots" --workers 3 --host localhost:2 -n 2
refuse "--ppn, --npernode and --map-by each say where ranks go" --ppn 2 --map-by node -n 2
refuse "3 ranks are more than the 2 workers" --nooversubscribe --workers 2 -n 3
for processes in 1 2; do
  refuse "5 ranks do not fit: 4 on each node are 4" -N 4 -n 5 --processes $processes
done
refuse "--rankfile is not an option here: --map-by and --rank-by say" --rankfile x -n 2
refuse "--genvall and --genvnone contradict each other" -genvall -genvnone -n 2
refuse "-launcher: 'fork' is not one of: ssh rsh slurm" -launcher fork -n 2
check 1 'SLURM_JOB_NODELIST: expected a closing bracket' env SLURM_JOB_NODELIST='n[1-' $run -n 2 "$programs/hello"

# Signals that ask for what the options do not give: a line, and the job goes on.
for processes in 1 2; do
  for signal in USR1 USR2; do
    rm -f go
    : > out  # or words of the job before would be taken for this one's
    timeout 60 "$1/bin/weftrun" -n 2 --processes $processes "$programs/until_file" go > out 2>&1 &
    job=$!
    until grep -q passing out || ! kill -0 $job 2> /dev/null; do sleep 0.05; done
    kill -$signal "$(pgrep -P $job)"
    until grep -q "^weft: SIG$signal asks for .* there is no --" out || ! kill -0 $job 2> /dev/null; do sleep 0.05; done
    touch go
    wait $job || fail "a job that got SIG$signal, in $processes processes"
    [ "$(grep -c 'is sound' out)" = 2 ] || fail "all ranks are sound after SIG$signal"
    [ "$(grep -c "SIG$signal asks" out)" = 1 ] || fail "SIG$signal is answered once"
  done
done

# What is repeated of the user's words moves no cursor.
escape=$(printf '\033')
refuse 'not .a\\x1b\[2J' --hosts "a$escape[2J" -n 2
check 1 'no program .\\x1b\[2J' $run -n 2 "$escape[2J"
check 1 'there is no strategy' $run --lb "$escape[2J" -n 2 "$programs/hello"
grep -q "$escape" out && fail "a control character reaches the terminal"
for command in "$run --verbose" "$1/bin/weftinfo" "$1/bin/weftsim compile a b" "$1/bin/weftsim generate stencil x --iterations" \
  "env WEFT_LB=x$escape[2J $1/bin/weftinfo"; do
  $command "$escape[2J" > out 2>&1
  grep -qF '\x1b[2J' out || fail "$command: the word is repeated"
  grep -q "$escape" out && fail "$command: a control character reaches the terminal"
done
cp "$programs/hello" "hello$escape[2J"
check 0 'of ./hello.x1b\[2J on' $run -v -n 2 "./hello$escape[2J"
check 127 "cannot start agent.x1b\[2J: No such file" $run --launcher-agent "agent$escape[2J" --hosts nowhere -n 1 "$programs/hello"

# A pipe for a program: nobody writes to it.
mkfifo pipe
chmod +x pipe
for processes in 1 2; do
  check 1 'pipe: is not an ELF file (empty, or no regular file)' $run -n 2 --processes $processes ./pipe
done

# Nor for a table, and a device has no end.
for processes in 1 2; do
  refuse '--collectives: pipe: expected a regular file, not a pipe' --collectives pipe -n 2 --processes $processes
  refuse '--collectives: /dev/zero: expected a regular file, not a device' --collectives /dev/zero -n 2 --processes $processes
done
check 1 '--tune: pipe: expected a regular file, not a pipe' $run -n 2 --tune pipe
truncate -s 1T long
refuse '--collectives: long: has 1099511627776 bytes; expected a table of --tune' --collectives long -n 2
rm long

[ $failures = 0 ] && echo "refusals: ok"
exit $failures
