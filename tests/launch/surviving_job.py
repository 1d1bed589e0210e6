"""Shared by tests of jobs with --survive: starts programs/survives.c, waits for events, and compares results. The tests'
first arguments must be <weftrun> <program>."""
import os
import subprocess
import sys
import time

WEFTRUN, PROGRAM = (os.path.abspath(word) for word in sys.argv[1:3])
RANKS, ROUNDS = 5, 14
LAYOUTS = ([], ["--processes", "2", "--workers", "4", "--lb", "rotate"], ["--processes", "3"])
IMAGES_ALWAYS = ["--survive", "0"]


def fail(what):
    sys.exit(f"{os.path.basename(sys.argv[0])}: {what}")


def wait_until(condition, what, job):
    """Waits until the condition is true, and returns its value. Fails if the job ends before, or after two minutes."""
    end = time.monotonic() + 120
    while not (found := condition()):
        if job.poll() is not None and not condition():
            fail(f"the job ended before {what}: {job.communicate()}")
        if time.monotonic() > end:
            fail(f"no {what} in two minutes")
        time.sleep(0.0005)
    return found


def patient(options):
    """Adds how long other hosts may be silent, if a test does not say it: longer than they are on a busy machine, since tests lose
    hosts by other events."""
    is_on_hosts = "--survive" in options and "--hosts" in options
    return [*options, "--survive-silence", "1m"] if is_on_hosts and "--survive-silence" not in options else options


def start(options, program=PROGRAM, rounds=ROUNDS, pause_us=0, kib=100, numbers=0, wrap=(), err=subprocess.PIPE, size=("-n", str(RANKS)), **how):
    command = [*wrap, WEFTRUN, *size, *patient(options), program, str(rounds), str(pause_us), str(kib), str(numbers)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=err, text=True, **how)


def finish(job):
    out, err = job.communicate(timeout=300)
    return job.returncode, out, err


def run(options, files=(), **how):
    for name in files:
        open(name, "w", encoding="ascii").close()
    result = finish(start(options, **how))
    left = [name for name in files if name.startswith("die.") and os.path.exists(name)]
    for name in files:
        if os.path.exists(name):
            os.remove(name)
    if left:
        fail(f"{options}: nothing died at {left}: {result}")
    return result


def results(out):
    """The lines, each once: lines that are repeated after a recovery must be the same."""
    return sorted(set(out.splitlines()))


def check_ends(result, code, says, what):
    if result[0] != code or not all(text in result[2] for text in says):
        fail(f"{what}: code {result[0]} instead of {code}, or not {says}:\n{result[2]}")


def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def identity(file):
    """What identifies a file in a result of os.stat(). Inode numbers alone do not: each job has a file system of its own."""
    return file.st_dev, file.st_ino


class Images:
    """The launcher's memory files: two images, each with a file for the index and one for each process."""

    def __init__(self, job, processes):
        self.job, self.files = job, processes + 1
        descriptors = wait_until(lambda: self.find(2 * self.files), "memory files", job)
        self.places = [descriptors[0::2], descriptors[1::2]]

    def find(self, count):
        folder = f"/proc/{self.job.pid}/fd"
        found = []
        for name in os.listdir(folder):
            try:
                if "weft-image" in os.readlink(f"{folder}/{name}"):
                    found.append(int(name))
            except OSError:
                pass
        return sorted(found) if len(found) == count else None

    def stat(self, descriptor):
        return os.stat(f"/proc/{self.job.pid}/fd/{descriptor}")

    def size(self, descriptor):
        return self.stat(descriptor).st_size

    def size_of_process(self, place, process):
        return self.size(self.places[place][process + 1])

    def is_whole(self, place):
        return self.size(self.places[place][0]) > 0

    def identities(self):
        return {identity(self.stat(descriptor)) for place in self.places for descriptor in place}


def count_of(layout):
    return int(layout[layout.index("--processes") + 1]) if "--processes" in layout else 1


def first_processes(job, count):
    """The job's first processes. Waits for the launcher's memory files first: to make them the launcher has a short-lived child."""
    Images(job, count)
    return wait_until(lambda: len(found := children(job.pid)) == count and found, "process", job)
