"""Tests weft ps, weft top and weft stacks: with running jobs, remains of killed jobs, and jobs that hang on purpose.
  inspect_test.py <bin folder> <hangs> <source of hangs> <scratch folder> <1: weft top has a terminal>"""
import atexit
import fcntl
import json
import os
import pty
import re
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time

BIN, PROGRAM, SOURCE, SCRATCH = (os.path.abspath(word) for word in sys.argv[1:5])
WEFT, WEFTRUN = os.path.join(BIN, "weft"), os.path.join(BIN, "weftrun")
RANKS, CULPRIT = 8, 1
ENVIRONMENT = dict(os.environ, XDG_RUNTIME_DIR=SCRATCH)
WHICH = re.compile("which of [0-9]+ jobs[?] weft ps lists them")
SECONDS = 60  # for a machine that others use

LAYOUTS = (["--workers", "2"], ["--processes", "2", "--workers", "4", "--lb", "rotate", "--migrate-at", "barrier"],
           ["--workers", "3", "--lb-continuous"])
# What hangs; what the rank does that is the reason, and in which call; what most others do.
HANGS = (("loop", "computes", "", "MPI_Recv"), ("message", "waits", "MPI_Recv", "MPI_Barrier"),
         ("root", "waits", "MPI_Bcast", "MPI_Bcast"), ("lock", "computes", "", "MPI_Win_lock"),
         ("mutex", "blocked", "pthread_mutex_lock", "MPI_Barrier"), ("threads", "computes", "", "MPI_Barrier"))


def fail(what):
    sys.exit(f"inspect_test: {what}")


def weft(*words):
    return subprocess.run([WEFT, *words], env=ENVIRONMENT, capture_output=True, text=True, timeout=SECONDS, check=False)


STARTED = []


def end_all():
    """Kills all jobs: ctest would wait for the output of a job that is left."""
    for job in STARTED:
        if job.poll() is None:
            job.kill()


def listed():
    """This test's jobs in the output of weft ps, which has those of other tests, too."""
    result = weft("ps", "--json")
    if result.returncode != 0:
        fail(f"weft ps: {result}")
    return [job for job in json.loads(result.stdout) if PROGRAM in job.get("program", "")]


def start(how, layout):
    job = subprocess.Popen([WEFTRUN, "-n", str(RANKS), *layout, PROGRAM, how], env=ENVIRONMENT, stdout=subprocess.PIPE, text=True)
    STARTED.append(job)
    if job.stdout.readline() != "hangs now\n":
        fail(f"{how} {layout}: the job did not start")
    return job


def end(job, by=signal.SIGTERM):
    job.send_signal(by)
    job.communicate(timeout=SECONDS)


def lines_marked(mark):
    """The source lines whose comment has this mark, as a.c:12."""
    with open(SOURCE, encoding="ascii") as file:
        return [f"hangs.c:{i}" for i, line in enumerate(file, 1) if f"/* {mark}" in line]


def ranks_of(group):
    return [rank for first, last in group["ranks"] for rank in range(first, last + 1)]


def places_of(group):
    return [frame["line"].rsplit("/", 1)[-1] for frame in group["frames"] if frame["program"]]


def is_named(groups, how, activity, call, others):
    """Whether the culprit is a group of its own with its line, and with its unexpected message if there is one, and others wait for it.
    Ranks on its worker may still be in an earlier call."""
    alone = [g for g in groups if ranks_of(g) == [CULPRIT]]
    waiting = [g for g in groups if g["activity"] == "waits" and g["call"] == others and g not in alone]
    return (len(alone) == 1 and alone[0]["activity"] == activity and alone[0]["call"] == call
            and set(places_of(alone[0])) & set(lines_marked(f"{how}: culprit") + (lines_marked("compute:") if call == "" else []))
            and (how != "message" or alone[0]["unasked"] == [[CULPRIT, CULPRIT]])
            and waiting and sum(g["count"] for g in groups) == RANKS)


def planted(how, activity, call, others, layout):
    job = start(how, layout)
    deadline = time.monotonic() + SECONDS
    asked, answer = 0, {"groups": []}
    while not (answer["groups"] and is_named(answer["groups"], how, activity, call, others)):
        if time.monotonic() > deadline:
            fail(f"{how} {layout}: {json.dumps(answer, indent=1)}")
        result = weft("stacks", str(job.pid), "--json")
        asked += 1
        if result.returncode != 0:
            fail(f"{how} {layout}: {result}")
        answer = json.loads(result.stdout)
    if answer["remarks"]:
        fail(f"{how} {layout}: {answer['remarks']}")
    text = weft("stacks", "--full", str(job.pid)).stdout
    places = "|".join(lines_marked(f"{how}: culprit") if call else lines_marked("compute:"))
    if not re.search(rf"^rank {CULPRIT} .* at ({places})\b", text, re.MULTILINE) or "main (hangs) at " not in text:
        fail(f"{how} {layout}: {text}")
    end(job)


def leaves_signals_alone():
    """The job handles the signal by which Weft stops threads: no thread gets it."""
    job = start("urgent", LAYOUTS[0])
    deadline = time.monotonic() + SECONDS
    result = weft("stacks", str(job.pid), "--json")
    while "could not be stopped" not in result.stdout and time.monotonic() < deadline:
        result = weft("stacks", str(job.pid), "--json")
    job.terminate()
    printed = job.communicate(timeout=SECONDS)[0]
    if "could not be stopped" not in result.stdout or "urgent" in printed:
        fail(f"a job that handles SIGURG: {result}, {printed}")


def names_a_job_between_processes():
    """All processes of a job have died, and weftrun, which may start new ones, does not know it yet."""
    job = start("loop", LAYOUTS[1])
    job.send_signal(signal.SIGSTOP)
    with open(f"/proc/{job.pid}/task/{job.pid}/children", encoding="ascii") as file:
        for process in file.read().split():
            os.kill(int(process), signal.SIGKILL)
    deadline = time.monotonic() + SECONDS
    while not re.search(rf"^{job.pid} +has no processes at the moment$", weft("ps").stdout, re.MULTILINE):
        if time.monotonic() > deadline:
            fail(f"a job between processes: {weft('ps')}")
        time.sleep(0.05)
    entry = {"job": str(job.pid), "processes_here": 0}
    if entry not in json.loads(weft("ps", "--json").stdout):
        fail(f"no {entry} in weft ps --json")
    job.send_signal(signal.SIGCONT)
    job.communicate(timeout=SECONDS)
    listed()  # removes what its processes have left


def finds_jobs():
    """weft ps lists running jobs, and removes what killed jobs have left."""
    if listed():
        fail(f"jobs before there is one: {listed()}")
    jobs = [start("loop", layout) for layout in LAYOUTS[:2]]
    found = {job["job"]: job for job in listed()}
    for job, layout in zip(jobs, LAYOUTS):
        mine = found.get(str(job.pid))
        if mine is None or mine["ranks"] != RANKS or mine["processes"] != mine["processes_here"] or "hangs loop" not in mine["program"]:
            fail(f"{layout}: {found}")
    if not WHICH.search(weft("stacks").stderr):
        fail("weft stacks without a name, of two jobs")
    text = weft("ps").stdout.splitlines()
    if len([line for line in text if PROGRAM in line]) != 2 or not text[0].startswith("JOB "):
        fail(f"weft ps: {text}")
    for job in jobs:
        end(job, signal.SIGKILL)
    while listed():  # the processes of the second job end when their launcher is gone
        time.sleep(0.05)
    if os.listdir(os.path.join(SCRATCH, "weft", "jobs")):
        fail("a folder is left over")


def leaves_nothing():
    for layout in LAYOUTS[:2]:
        result = subprocess.run([WEFTRUN, "-n", "4", *layout, PROGRAM, "not"], env=ENVIRONMENT, timeout=SECONDS, check=True,
                                capture_output=True, text=True)
        if os.listdir(os.path.join(SCRATCH, "weft", "jobs")):
            fail(f"a folder is left over: {result}")


def shows_talk(view, layout):
    """Whether this output of weft top is right for "hangs talk" with all ranks in their final states."""
    ranks = {rank["rank"]: rank for rank in view["ranks"]}
    moves = 1 if "rotate" in layout else 0
    return (sorted(ranks) == list(range(RANKS)) and not view["remarks"] and len(view["workers"]) == (4 if moves else 2)
            and ranks[CULPRIT]["state"] == "computes" and ranks[CULPRIT]["cpu"] > 0.05 and view["totals"]["load"] > 0.05
            and all(ranks[r]["state"] == "waits" and ranks[r]["call"] == "MPI_Recv" and ranks[r]["messages_per_second"] == 0 for r in (2, 3))
            and all(500 < ranks[r]["bytes_per_second"] / (ranks[r]["messages_per_second"] or 1) < 2000 for r in range(4, RANKS))
            and all(rank["moves"] >= moves for rank in ranks.values()) and {rank["process"] for rank in ranks.values()} == {0, moves}
            and all((rank["memory"] is None) == (view["totals"]["memory"] == 0) for rank in ranks.values())
            and any(worker["load"] > 0.05 for worker in view["workers"]))


def top_shows(layout):
    job = start("talk", layout)
    deadline = time.monotonic() + SECONDS
    view = None
    while view is None or not shows_talk(view, layout):
        if time.monotonic() > deadline:
            fail(f"weft top {layout}: {json.dumps(view, indent=1)}")
        result = weft("top", str(job.pid), "--json", "--interval", "0.2", "--count", "1")
        if result.returncode != 0 or result.stdout.count("\n") != 1:
            fail(f"weft top {layout}: {result}")
        view = json.loads(result.stdout)
    result = weft("top", str(job.pid), "--plain", "--interval", "0.1", "--count", "2", "--sort", "rank", "--rows", "1",
                  "--filter", "state=waits", "--filter", "call=recv rank=2-3")
    tables = result.stdout.split("\n\n")
    for table in tables:
        if not re.search(rf"^job {job.pid}: {RANKS} ranks [^\0]*\n +RANK [^\n]*\n +2 +[0-9]+ waits +MPI_Recv +[0-9]+ % [^\n]*\nand 1 more rank\n?$", table):
            fail(f"weft top --plain {layout}: {result}")
    if result.returncode != 0 or len(tables) != 2:
        fail(f"weft top --plain {layout}: {result}")
    return job


def top_has_a_terminal(job):
    """Types keys in weft top on a terminal: a bad filter, which it refuses, then the end."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 120, 0, 0))
    top = subprocess.Popen([WEFT, "top", str(job.pid), "--interval", "0.1"], env=dict(ENVIRONMENT, TERM="xterm"), stdin=its, stdout=its)
    STARTED.append(top)
    os.close(its)
    seen = ""

    def wait_for(text):
        nonlocal seen
        while text not in seen:
            seen += os.read(ours, 65536).decode("ascii", "replace")
        seen = seen[seen.index(text):]

    wait_for("MPI_Recv")
    os.write(ours, b"rf")
    wait_for("filter (")
    os.write(ours, b"colour=red\n")
    wait_for("'colour=red' is no filter")
    os.write(ours, b"q")
    while True:  # what it still draws
        try:
            if not os.read(ours, 65536):
                break
        except OSError:  # a pseudo-terminal without another end
            break
    if top.wait(timeout=SECONDS) != 0:
        fail(f"weft top on a terminal: exit code {top.returncode}")
    os.close(ours)


def top_ends_with(job):
    top = subprocess.Popen([WEFT, "top", str(job.pid), "--interval", "0.1"], env=ENVIRONMENT, stdout=subprocess.PIPE, text=True)
    STARTED.append(top)
    top.stdout.readline()
    end(job)
    text = top.communicate(timeout=SECONDS)[0]
    if top.returncode != 0 or not text.endswith(f"job {job.pid} has ended\n"):
        fail(f"weft top at the end of its job: {top.returncode} {text}")


def refuses():
    for words, text in ((("top", "1"), "no job '1' runs on this host"), (("top", "1", "--sort", "size"), "cannot sort by 'size'"),
                        (("top", "1", "--filter", "size=1"), "'size=1' is no filter"), (("top", "1", "--filter", "state=sad"), "is no state"),
                        (("top", "1", "--interval", "0"), "--interval 0"), (("top", "1", "--rows", "x"), "--rows"),
                        (("stacks", "1"), "no job '1' runs on this host"), (("stacks", "../1"), "is no name of a job"),
                        (("look",), "subcommand"), ((), "evacuate, ps, resize, stacks or top")):
        result = weft(*words)
        if result.returncode != 1 or text not in result.stderr or result.stderr.count("\n") != 1 or result.stdout:
            fail(f"weft {words}: {result}")


def runs_without_a_folder():
    os.mkdir("others")
    os.mkdir("others/weft")
    os.chmod("others/weft", 0o755)  # not this user's alone
    for options, text in (([], ""), (["--verbose"], "weft ps does not see this job: no folder that is this user's alone")):
        result = subprocess.run([WEFTRUN, "-n", "2", *options, PROGRAM, "not"], env=dict(ENVIRONMENT, XDG_RUNTIME_DIR=os.path.join(SCRATCH, "others")),
                                timeout=SECONDS, check=False, capture_output=True, text=True)
        if result.returncode != 0 or text not in result.stderr or (not text and result.stderr):
            fail(f"without a folder: {result}")


def main():
    shutil.rmtree(SCRATCH, ignore_errors=True)
    os.makedirs(SCRATCH)
    os.chdir(SCRATCH)
    atexit.register(end_all)
    refuses()
    finds_jobs()
    leaves_signals_alone()
    names_a_job_between_processes()
    leaves_nothing()
    runs_without_a_folder()
    for layout in LAYOUTS[:2]:
        job = top_shows(layout)
        alone = weft("stacks")  # other tests may have jobs, too
        if "computes" not in alone.stdout and not WHICH.search(alone.stderr):
            fail(f"weft stacks without a name: {alone}")
        if sys.argv[5] == "1" and layout == LAYOUTS[0]:
            top_has_a_terminal(job)
        top_ends_with(job)
    for i, hang in enumerate(HANGS):
        planted(*hang, LAYOUTS[1])
        planted(*hang, LAYOUTS[0 if hang[0] == "threads" else 2 * (i % 2)])
    print("all right")


main()
