"""Tests weftrun --stall: each stall of a job is reported once, and the job continues; a job that makes progress is not reported.
  stall_test.py <bin folder> <hangs> <source of hangs> <scratch folder>"""
import atexit
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys

BIN, PROGRAM, SOURCE, SCRATCH = (os.path.abspath(word) for word in sys.argv[1:5])
WEFTRUN = os.path.join(BIN, "weftrun")
RANKS = 8
ENVIRONMENT = dict(os.environ, XDG_RUNTIME_DIR=SCRATCH)
SECONDS = 60  # for a machine that others use
HEAD = re.compile(r"^weft: no rank has sent a message or completed an MPI call for [0-9.]+ s \(--stall\):\n$")
ONE_PROCESS = ["--workers", "2"]
TWO_PROCESSES = ["--processes", "2", "--workers", "4", "--lb", "rotate", "--migrate-at", "barrier"]
PROGRESS = 3  # of inspect::Subject
VERSION = 6   # inspect::kVersion

STARTED = []


def fail(what):
    sys.exit(f"stall_test: {what}")


def end_all():
    """Kills all jobs: ctest would wait for the output of a job that is left."""
    for job in STARTED:
        if job.poll() is None:
            job.kill()


def start(how, *options):
    job = subprocess.Popen([WEFTRUN, "-n", str(RANKS), *options, PROGRAM, how], env=ENVIRONMENT, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True)
    STARTED.append(job)
    if job.stdout.readline() != "hangs now\n":
        fail(f"{how} {options}: the job did not start: {job.stderr.read()}")
    return job


def end(job):
    """Ends the job. Returns the rest of its standard error, complete, since the process that watches the job ends with it."""
    job.send_signal(signal.SIGTERM)
    return job.communicate(timeout=SECONDS)[1]


def marked(mark):
    with open(SOURCE, encoding="ascii") as file:
        return [f"hangs.c:{i}" for i, line in enumerate(file, 1) if f"/* {mark}" in line]


def reported(job):
    """The next report: a line with the time, and then one for each group until all ranks are named."""
    head = job.stderr.readline()
    if not HEAD.match(head):
        fail(f"a report begins with '{head}'")
    lines, named = [], 0
    while named < RANKS:
        lines.append(job.stderr.readline())
        count = re.match(r"(?:rank ([0-9]+)|([0-9]+) ranks) ", lines[-1])
        if not count:
            fail(f"no group of ranks in {lines}")
        named += int(count.group(2) or 1)
    return "".join(lines)


def reports_a_hang(layout):
    """A hang is reported, although rank 0 polls meanwhile."""
    job = start("root", *layout, "--stall", "300ms")
    text = reported(job)
    if not re.search(rf"^rank 1 waits in MPI_Bcast at ({'|'.join(marked('root: culprit'))})\b", text, re.MULTILINE):
        fail(f"{layout}: {text}")
    if job.poll() is not None:
        fail(f"{layout}: the job has ended")
    rest = end(job)
    if "--stall" in rest:
        fail(f"{layout}: reported twice: {rest}")


def reports_each_stall(layout):
    job = start("twice", *layout, "--stall", "300ms")
    first = reported(job)
    with open("go", "w", encoding="ascii"):
        pass
    second = reported(job)
    os.remove("go")
    place = "|".join(marked("compute:"))
    if re.search(rf"^rank 1 computes .* at ({place})\b", first, re.MULTILINE) or not re.search(rf"^rank 1 computes .* at ({place})\b", second, re.MULTILINE):
        fail(f"{layout}: first {first} then {second}")
    if "--stall" in end(job):
        fail(f"{layout}: reported three times")


def progress_of(job):
    """The progress counter that the job's first process sends to the process that watches it."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.connect(os.path.join(SCRATCH, "weft", "jobs", str(job.pid), "p0"))
        connection.sendall(struct.pack("=QIBBI320s", 330, VERSION, PROGRESS, 0, 0, b""))
        return struct.unpack("=QQ", connection.recv(16, socket.MSG_WAITALL))[1]


def makes_progress():
    """A job of barriers in memory, which send no messages, makes progress."""
    job = start("meet", *ONE_PROCESS, "--stall", "1h")
    first = progress_of(job)
    while progress_of(job) == first:
        pass
    if end(job):
        fail("a job that has not stood still for an hour is reported")


def main():
    shutil.rmtree(SCRATCH, ignore_errors=True)
    os.makedirs(SCRATCH)
    os.chdir(SCRATCH)
    atexit.register(end_all)
    makes_progress()
    reports_a_hang(TWO_PROCESSES)
    reports_each_stall(ONE_PROCESS)
    reports_each_stall(TWO_PROCESSES)
    # The process that watches a job ends with the job.
    result = subprocess.run([WEFTRUN, "-n", "4", "--stall", "1h", PROGRAM, "not"], env=ENVIRONMENT, timeout=SECONDS, check=True,
                            capture_output=True, text=True)
    if result.stderr:
        fail(f"a job that ends: {result}")
    print("all right")


main()
