#!/bin/sh
# slurm_test.sh <bootstrap_job> <scratch> <prefix> <hello>: jobs under a Slurm of two nodes that lives in the scratch folder only.
set -u
job=$1
scratch=$2
prefix=$3
weftrun=$prefix/bin/weftrun
hello=$4 # an MPI program, where there is one
skip() {
  echo "skipped: $*"
  exit 77
}
PATH=$PATH:/usr/sbin:/sbin
for tool in slurmctld slurmd srun sinfo; do
  command -v $tool > /dev/null || skip "there is no $tool here (packages slurmctld, slurmd, slurm-client)"
done
[ "$(id -u)" = 0 ] || skip "slurmd wants to be root"

rm -rf "$scratch"
mkdir -p "$scratch/state"
for node in weft0 weft1; do
  mkdir -p "$scratch/spool-$node" "$scratch/tmp-$node"
done
cd "$scratch" || exit 1
# Each node has a folder for the sockets of jobs, as hosts have.
cat > prolog << END
#!/bin/sh
echo "export XDG_RUNTIME_DIR=$scratch/tmp-\$SLURMD_NODENAME"
END
chmod +x prolog
chmod 700 tmp-*
export SLURM_CONF="$scratch/slurm.conf"
port=$((20000 + $$ % 10000))
cat > slurm.conf << END
ClusterName=weft
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=$port
SrunPortRange=$((port + 10))-$((port + 200))
AuthType=auth/none
CredType=cred/none
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$scratch/state
SlurmdSpoolDir=$scratch/spool-%n
SlurmctldPidFile=$scratch/slurmctld.pid
SlurmdPidFile=$scratch/slurmd-%n.pid
SlurmctldLogFile=$scratch/slurmctld.log
SlurmdLogFile=$scratch/slurmd-%n.log
TmpFS=$scratch/tmp-%n
MailProg=/bin/true
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/linear
SchedulerType=sched/builtin
MpiDefault=none
KillWait=2
MessageTimeout=100
TCPTimeout=60
SlurmdParameters=config_overrides
TaskProlog=$scratch/prolog
NodeName=weft[0-1] NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + 2))] CPUs=4
PartitionName=all Nodes=ALL Default=YES State=UP
END

daemons=
# slurmd waits for the last job to end, which needs slurmctld to be there: first all nodes are idle, then the daemons go.
idle() {
  [ "$(sinfo -h -o %t 2> /dev/null)" = idle ]
}
stop() {
  scancel --state=RUNNING
  tries=0
  until idle || [ $((tries += 1)) -gt 600 ]; do
    sleep 0.1
  done
  for step in $(pgrep slurmstepd); do
    ! grep -aqs "SLURM_CONF=$SLURM_CONF" "/proc/$step/environ" || kill -9 "$step"
  done
  for daemon in $daemons; do
    kill "$daemon" 2> /dev/null
  done
  wait
}
trap stop EXIT
trap 'exit 1' INT TERM
slurmctld -D > daemons.out 2>&1 &
daemons="$daemons $!"
for node in weft0 weft1; do
  slurmd -D -N $node >> daemons.out 2>&1 &
  daemons="$daemons $!"
done
tries=0
until idle; do
  tries=$((tries + 1))
  if [ $tries -gt 600 ]; then
    tail -n 5 ./*.log daemons.out
    skip "Slurm does not start here; see above"
  fi
  sleep 0.1
done

failures=0
fail() {
  echo "FAILED: $*"
  cat out
  failures=$((failures + 1))
}
check() { # check <code or bad> <text in the output> <arguments of srun ...>
  code=$1
  text=$2
  shift 2
  timeout 200 srun -N2 "$@" < /dev/null > out 2>&1
  got=$?
  [ $got = "$code" ] || { [ "$code" = bad ] && [ $got != 0 ] && [ $got != 124 ]; } || fail "exit code $got, expected $code: srun $*"
  grep -q -- "$text" out || fail "no '$text': srun $*"
}

for kind in pmix pmi2; do
  if ! srun --mpi=list 2>&1 | grep -q "$kind"; then
    echo "this Slurm has no --mpi=$kind"
    continue
  fi
  check 0 'process 3 of 4' --mpi=$kind -n4 "$job" exchange
  check 3 'error' --mpi=$kind -n4 "$job" code 0
  if [ -x "$hello" ]; then
    check 0 'rank 7 of 8' --mpi=$kind -n4 "$weftrun" -n 8 "$hello"
    [ "$(grep -c '^hello from C: rank [0-9]* of 8$' out)" = 8 ] || fail "not all ranks under --mpi=$kind"
  fi
  # Without -K srun lets the others go on under pmi2.
  check bad 'Segmentation fault' --mpi=$kind -K -n4 "$job" die 3 signal 11 run
done
check 7 'process 1 aborts' --mpi=pmix -n4 "$job" die 1 abort 7 run
check bad 'process 1 aborts' --mpi=pmi2 -n4 "$job" die 1 abort 7 run

# weftrun in an allocation, without srun: it finds the hosts and starts its processes by srun.
if [ -x "$hello" ]; then
  allocated() { # allocated <code> <arguments of weftrun ...>
    code=$1
    shift
    timeout 200 salloc --quiet -N2 --ntasks-per-node=2 "$weftrun" "$@" < /dev/null > out 2>&1
    got=$?
    [ $got = "$code" ] || fail "exit code $got, expected $code: salloc weftrun $*"
  }
  allocated 0 -n 8 --display map "$hello"
  [ "$(grep -c '^hello from C: rank [0-9]* of 8$' out)" = 8 ] || fail "not all ranks of a job in an allocation"
  [ "$(awk 'NF == 5 && $3 ~ /^[0-9]/ { print $2 ":" $5 }' out | tr '\n' ' ')" = '0:0-1 0:2-3 1:4-5 1:6-7 ' ] ||
    fail "ranks stand elsewhere than on the two slots of each node"
  # This Slurm has no plugin that binds.
  grep srun out | grep -vq 'lacks support for cpu binding' && fail "srun has something to say"
  allocated 3 -n 4 "$(dirname "$hello")/exit_code" a b c
  echo input | timeout 200 salloc --quiet -N2 "$weftrun" -n 2 "$(dirname "$hello")/echo" > out 2>&1
  grep -q 'rank 0 read 1 lines' out || fail "no standard input"

  # The other node's processes are asked by srun.
  on_weft0() {
    XDG_RUNTIME_DIR=$scratch/tmp-weft0 timeout 100 "$prefix/bin/weft" "$@"
  }
  salloc --quiet -N2 --ntasks-per-node=1 "$weftrun" -n 8 "$(dirname "$hello")/hangs" message < /dev/null > hangs.out 2>&1 &
  tries=0
  until grep -qs 'hangs now' hangs.out || [ $((tries += 1)) -gt 600 ]; do
    sleep 0.1
  done
  on_weft0 ps > out 2>&1
  name=$(sed -n 's/^\([^ ]*\) .*hangs message.*/\1/p' out)
  [ -n "$name" ] || fail "weft ps on weft0 names no job"
  tries=0
  until on_weft0 stacks "$name" > out 2>&1 && grep -q '^6 ranks wait in MPI_Barrier' out && grep -q '^rank 1 waits in MPI_Recv' out; do
    [ $((tries += 1)) -lt 50 ] || {
      fail "weft stacks on weft0 does not name rank 1, and the others as those that wait"
      break
    }
  done
  grep -q missing out && fail "weft stacks does not ask weft1"
  scancel --state=RUNNING
  wait $!
fi

[ $failures = 0 ] && echo "slurm: ok"
exit $failures
