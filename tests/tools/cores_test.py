"""Tests that two jobs of a user that run at once bind their workers to different cores.
  cores_test.py <weftrun> <until_file> <scratch folder>"""
import os
import pathlib
import shutil
import subprocess
import sys

WEFTRUN, PROGRAM, SCRATCH = (os.path.abspath(word) for word in sys.argv[1:4])


def processes_of(pid):
    """The process and all that it has started."""
    found = [pid]
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text(encoding="ascii").split():
            found += processes_of(int(child))
    return found


def bound_cores(job):
    """The cores of all threads that may run on one core only."""
    cores = set()
    for process in processes_of(job.pid):
        for status in pathlib.Path(f"/proc/{process}/task").glob("*/status"):
            allowed = next(line.split()[1] for line in status.read_text(encoding="ascii").splitlines()
                           if line.startswith("Cpus_allowed_list:"))
            if allowed.isdigit():
                cores.add(int(allowed))
    return cores


def start(*options):
    """Starts a job; returns once its ranks run."""
    job = subprocess.Popen([WEFTRUN, "-n", "2", "--workers", "1", *options, PROGRAM, "end"], cwd=SCRATCH,
                           env=dict(os.environ, XDG_RUNTIME_DIR=SCRATCH), stdout=subprocess.PIPE, text=True)
    if job.stdout.readline() != "passing\n":
        sys.exit("cores_test: a job did not start")
    return job


def main():
    if len(os.sched_getaffinity(0)) < 2:
        sys.exit(77)
    shutil.rmtree(SCRATCH, ignore_errors=True)
    os.makedirs(SCRATCH)
    first = start()
    second = start()
    unbound = start("--bind", "no")
    jobs = (first, second, unbound)
    cores = [bound_cores(job) for job in jobs]
    pathlib.Path(SCRATCH, "end").touch()
    ends = [(job.communicate(timeout=120), job.returncode) for job in jobs]
    if any(code != 0 for _, code in ends):
        sys.exit(f"cores_test: {ends}")
    if len(cores[0]) != 1 or len(cores[1]) != 1 or cores[0] == cores[1] or cores[2]:
        sys.exit(f"cores_test: the workers of two jobs, and of one with --bind no, were bound to {cores}")


main()
