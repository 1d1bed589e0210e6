#!/usr/bin/env python3
"""stopped_root_test.py <weftrun> <slab_transport>: while the process of rank 0 is stopped, another rank says that rank 0 does not answer; once
it goes on, the loop ends with the tallies of an undisturbed run and nothing more is said."""
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading

run, program = sys.argv[1:]


def start(*arguments):
    return subprocess.Popen([run, "--workers", "1", *arguments, program, "--histories", "5000000", "--work", "200", "--report-seconds", "0.1",
                             "--predict-after", "0.01"],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def tallies(output):
    found = re.search(r"tallies: .*", output)
    return found[0] if found else sys.exit(f"no tallies: {output}")


quiet = start("-n", "1")
expected, errors = quiet.communicate()
if errors:
    sys.exit(f"nobody is stopped, and it says: {errors}")

for ranks in ("2", "4"):  # a leader alone, and with a member
    job = start("-n", ranks, "--processes", "2")
    watchdog = threading.Timer(600, job.kill)
    watchdog.start()
    job.stdout.readline()  # a prediction: the loop goes on
    first = min(int(child) for child in pathlib.Path(f"/proc/{job.pid}/task/{job.pid}/children").read_text().split())
    os.kill(first, signal.SIGSTOP)
    line = job.stderr.readline()
    os.kill(first, signal.SIGCONT)
    output, errors = job.communicate()
    watchdog.cancel()
    if not re.fullmatch(r"weft_iterations: rank 0 has not answered for \d+ s; the others .*\n", line) or errors or job.returncode != 0:
        sys.exit(f"{ranks} ranks: exit code {job.returncode}, {line}{errors}{output}")
    if tallies(output) != tallies(expected):
        sys.exit(f"{ranks} ranks: {tallies(output)} instead of {tallies(expected)}")
print("stopped_root: ok")
