"""Tests that a rank that crashes while another crash is being reported does not end the process before the report is written.
  two_crashes_test.py <weftrun> <large_array_jumps>"""
import fcntl
import os
import pathlib
import platform
import subprocess
import sys
import time

PAUSE = "34"  # the number of the system call in which the second one waits


def full_pipe():
    """A pipe that is full: a write to it waits for a reader."""
    out, into = os.pipe()
    fcntl.fcntl(into, fcntl.F_SETPIPE_SZ, 4096)
    os.set_blocking(into, False)
    try:
        while True:
            os.write(into, b"." * 4096)
    except BlockingIOError:
        os.set_blocking(into, True)
    return out, into


def pauses(pid):
    calls = (path.read_text(encoding="ascii").split() for path in pathlib.Path(f"/proc/{pid}/task").glob("*/syscall"))
    return any(call and call[0] == PAUSE for call in calls)


def main():
    if platform.machine() != "x86_64" or not os.path.exists("/proc/self/syscall"):
        sys.exit(77)
    out, into = full_pipe()
    job = subprocess.Popen([sys.argv[1], "-n", "2", "--workers", "2", sys.argv[2], "all", "4000000"], stderr=into)
    os.close(into)
    while job.poll() is None and not pauses(job.pid):
        time.sleep(0.001)
    with os.fdopen(out, encoding="utf-8") as stream:
        text = stream.read().lstrip(".")
    if job.wait() != -11 or "last in MPI_Barrier: stack overflow" not in text:
        sys.exit(f"two_crashes_test: exit code {job.returncode}, said '{text}'")


main()
