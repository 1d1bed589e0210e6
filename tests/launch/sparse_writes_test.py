"""Tests weftrun --survive with ranks that write a few pages between two images: only these are copied. Jobs continue from both
memory files in turn, and check their memory page by page.
  sparse_writes_test.py <weftrun> <program> <scratch folder>"""
import ctypes
import os
import platform
import re
import subprocess
import sys

import scratch_folder

WEFTRUN, PROGRAM, SCRATCH = (os.path.abspath(word) for word in sys.argv[1:4])
RANKS, ROUNDS = 4, 24
DEATHS = ((1, 7), (3, 10), (0, 13), (2, 14), (2, 19))
ALL_COPIED = ["--survive-incremental", "no"]
LAYOUTS = ([], ["--processes", "2"], ["--processes", "2", "--lb", "rotate", "--lb-period", "5"], ALL_COPIED)


def kernel_tells():
    """Whether the kernel lets this process ask which pages were written."""
    userfaultfd, close_on_exec_and_user_mode_only = 323, 0o2000001
    release = tuple(int(word) for word in re.findall(r"\d+", platform.release())[:2])
    return release >= (6, 7) and ctypes.CDLL(None).syscall(userfaultfd, close_on_exec_and_user_mode_only) >= 0


def fail(layout, what):
    sys.exit(f"sparse_writes_test.py: {layout}: {what}")


def run(layout):
    job = subprocess.run([WEFTRUN, "-n", str(RANKS), "--survive", "0", *layout, PROGRAM, str(ROUNDS)], capture_output=True, text=True,
                         timeout=300, check=False)
    if job.returncode != 0:
        fail(layout, f"code {job.returncode}: {job.stderr}\n{job.stdout}")
    return sorted(set(job.stdout.splitlines())), job.stderr


scratch_folder.begin_in(SCRATCH)
for layout in LAYOUTS:
    expected, _ = run(layout)
    watched = sum(line.endswith(", watched") for line in expected)
    if watched != (RANKS if kernel_tells() and layout != ALL_COPIED else 0):
        fail(layout, f"{watched} ranks are watched: {expected}")
    for rank, number in DEATHS:
        open(f"die.{rank}.{number}", "w", encoding="ascii").close()
    lines, said = run(layout)
    if lines != expected or said.count("the job goes on from the image of step") != len(DEATHS):
        fail(layout, f"{said}\n{lines}\nand not\n{expected}")
