"""Tests weft top, weft stacks and weftrun --stall with a job on several hosts: this host under several names, each with its own folder
for sockets.
  inspect_hosts_test.py <bin folder> <hangs> <scratch folder>"""
import atexit
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

BIN, PROGRAM, SCRATCH = (os.path.abspath(word) for word in sys.argv[1:4])
WEFT, WEFTRUN = os.path.join(BIN, "weft"), os.path.join(BIN, "weftrun")
RANKS, CULPRIT = 8, 1
SECONDS = 60  # for a machine that others use
HOSTS = ("other-a", "other-b", "other-c")  # two processes on the first
AGENT = """host=$1
shift
[ ! -e dead-$host ] || exit 255
case "$*" in *answer-relayed*) echo "welcome to $host" ;; esac
XDG_RUNTIME_DIR=$PWD/$host exec sh -c "$*"
"""

STARTED = []


def fail(what):
    sys.exit(f"inspect_hosts_test: {what}")


def end_all():
    """Kills all jobs: ctest would wait for the output of a job that is left."""
    for job in STARTED:
        if job.poll() is None:
            job.kill()


def weft(host, *words):
    result = subprocess.run([WEFT, *words], env=dict(os.environ, XDG_RUNTIME_DIR=os.path.join(SCRATCH, host)), capture_output=True,
                            text=True, timeout=SECONDS, check=False)
    if result.returncode != 0 or result.stderr:
        fail(f"weft {words} on {host}: {result}")
    return result.stdout


def start(*options):
    job = subprocess.Popen([WEFTRUN, "-n", str(RANKS), "--workers", "4", "--hosts", f"{HOSTS[0]}:2,{HOSTS[1]},{HOSTS[2]}", "--launcher-agent",
                            "sh agent", *options, PROGRAM, "loop"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    STARTED.append(job)
    if job.stdout.readline() != "hangs now\n":
        fail(f"the job did not start: {job.stderr.read()}")
    return job


def ranks_of(group):
    return [rank for first, last in group["ranks"] for rank in range(first, last + 1)]


def stacks(host, name, ranks):
    """The answer of weft stacks on this host, with so many ranks. Waits until all of them hang."""
    deadline = time.monotonic() + SECONDS
    while True:
        answer = json.loads(weft(host, "stacks", "--json", name))
        found = {rank: group["activity"] for group in answer["groups"] for rank in ranks_of(group)}
        if len(found) == ranks and found.get(CULPRIT) == "computes" and sum(what == "waits" for what in found.values()) == ranks - 1:
            return answer
        if time.monotonic() > deadline:
            fail(f"weft stacks on {host}: {answer}")


def all_are_asked(name):
    for host in HOSTS[:2]:
        if remarks := stacks(host, name, RANKS)["remarks"]:
            fail(f"weft stacks on {host}: {remarks}")
        view = json.loads(weft(host, "top", "--json", "--interval", "0.1", "--count", "1", name))
        if sorted(rank["rank"] for rank in view["ranks"]) != list(range(RANKS)) or len(view["workers"]) != 4 or view["remarks"]:
            fail(f"weft top on {host}: {view}")


def silent_hosts_are_named(name):
    """Two hosts do not answer: they are named, and the rest is shown."""
    for host in HOSTS[1:]:
        with open(f"dead-{host}", "w", encoding="ascii"):
            pass
    remarks = stacks(HOSTS[0], name, 4)["remarks"]
    if remarks != ["2 of 4 processes are missing: weft on other-b, other-c cannot be asked by 'sh agent'"]:
        fail(f"silent hosts: {remarks}")
    text = weft(HOSTS[0], "top", "--plain", "--interval", "0.1", "--count", "2", name)
    if text.count(remarks[0]) != 2 or not re.search(rf"^ +{CULPRIT} +[0-9]+ computes", text, re.MULTILINE):
        fail(f"weft top with silent hosts: {text}")


def stall_is_reported():
    job = start("--stall", "300ms")
    named = 0
    if "(--stall)" not in job.stderr.readline():
        fail("a stall is not reported")
    while named < RANKS:
        line = job.stderr.readline()
        count = re.match(r"(?:rank ([0-9]+)|([0-9]+) ranks) ", line)
        if not count:
            fail(f"a report of a stall: {line}")
        named += int(count.group(2) or 1)
    job.send_signal(signal.SIGTERM)
    job.communicate(timeout=SECONDS)


def main():
    shutil.rmtree(SCRATCH, ignore_errors=True)
    for host in HOSTS:
        os.makedirs(os.path.join(SCRATCH, host), mode=0o700)
    os.chdir(SCRATCH)
    with open("agent", "w", encoding="ascii") as file:
        file.write(AGENT)
    atexit.register(end_all)
    stall_is_reported()
    job = start()
    names = {entry["job"]: entry for host in HOSTS for entry in json.loads(weft(host, "ps", "--json")) if PROGRAM in entry.get("program", "")}
    name, entry = names.popitem()
    if names or entry["hosts"] != [HOSTS[0], HOSTS[0], HOSTS[1], HOSTS[2]]:
        fail(f"weft ps: {names} {entry}")
    all_are_asked(name)
    silent_hosts_are_named(name)
    job.send_signal(signal.SIGTERM)
    job.communicate(timeout=SECONDS)
    print("all right")


main()
