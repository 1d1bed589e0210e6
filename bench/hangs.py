#!/usr/bin/env python3
"""Runs jobs that hang partially, and checks whether `weft stacks` and `weftrun --stall` name the rank that is the reason, its call and line.

  bench/hangs.py [--weft FOLDER] [--output FOLDER]

There are 30 jobs: five kinds of hang in six layouts of ranks, workers and processes. A hang is named if a line of the answer has that
rank alone, what it does, and the line of programs/hangs.c where it does it, within 10 s of the hang. `weft stacks` is called until the
hang is named; --stall prints by itself, 2 s after the last progress. Each job is appended to FOLDER/hangs.jsonl at once, so that an
interrupted series continues.
"""

import argparse
import json
import re
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE / "programs/hangs.c"
STALL_S, LIMIT_S, GIVE_UP_S = 2, 10, 60
# What the answer must say that the culprit does: regular expressions.
KINDS = {"loop": r"computes \(last in MPI_Barrier\)", "message": r"waits in MPI_Recv", "root": r"waits in MPI_Bcast",
         "window": r"computes \(last in MPI_Barrier\)", "mutex": r"blocks its worker in pthread_mutex_lock \(last in MPI_Barrier\)"}
ROTATE = ("--lb", "rotate", "--migrate-at", "barrier")
# Ranks, culprit, options.
LAYOUTS = ((8, 1, ("--workers", "2")), (16, 5, ("--processes", "2", "--workers", "2")), (32, 31, ("--processes", "2", "--workers", "4", *ROTATE)),
           (64, 17, ("--processes", "4", "--workers", "4")), (100, 50, ("--workers", "3", "--lb-continuous")),
           (12, 0, ("--processes", "3", "--workers", "3")))


def expected_line(kind, culprit):
    """A regular expression of the line that names the culprit."""
    lines = [str(i) for i, line in enumerate(SOURCE.read_text().splitlines(), 1) if re.search(rf"/\*.*\b{kind}\b.* \*/$", line)]
    return re.compile(rf"^rank {culprit} {KINDS[kind]} at hangs\.c:({'|'.join(lines)})\b", re.MULTILINE)


class Reader(threading.Thread):
    """Reads a stream: its text so far, and the time of the line that matches."""

    def __init__(self, stream, wanted):
        super().__init__(daemon=True)
        self.stream, self.wanted, self.text, self.found_at, self.found = stream, wanted, "", None, threading.Event()
        self.start()

    def run(self):
        for line in self.stream:
            self.text += line
            if self.found_at is None and self.wanted.search(line):
                self.found_at = time.monotonic()
                self.found.set()


def run_hang(bin_folder, program, kind, layout):
    ranks, culprit, options = layout
    wanted = expected_line(kind, culprit)
    command = [bin_folder / "weftrun", "-n", str(ranks), *options, "--stall", f"{STALL_S}s", program, kind, str(culprit)]
    job = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        errors = Reader(job.stderr, wanted)
        if job.stdout.readline() != "hangs now\n":
            sys.exit(f"hangs.py: {kind} {layout} did not start: {errors.text}")
        began = time.monotonic()
        stacks, answer = None, ""
        while stacks is None and time.monotonic() < began + GIVE_UP_S and job.poll() is None:
            answer = subprocess.run([bin_folder / "weft", "stacks", str(job.pid)], capture_output=True, text=True, check=False).stdout
            if wanted.search(answer):
                stacks = time.monotonic() - began
        errors.found.wait(max(0, began + GIVE_UP_S - time.monotonic()))
        stall = errors.found_at and errors.found_at - began
    finally:
        job.terminate()
        job.wait()
    return {"kind": kind, "ranks": ranks, "culprit": culprit, "options": " ".join(options), "stacks": stacks, "stall": stall,
            "answer": answer if stacks is None else "", "report": errors.text if stall is None else ""}


def summary_cells(rows, what):
    """Cells of the table: how many hangs were named in time, and the median and longest time until a hang was named."""
    times = [row[what] for row in rows if row[what] is not None]
    if not times:
        return f"0 of {len(rows)} | - | -"
    return f"{sum(t <= LIMIT_S for t in times)} of {len(rows)} | {statistics.median(times):.2f} s | {max(times):.2f} s"


def table(rows):
    lines = ["| hang | weft stacks: named in 10 s | median | longest | --stall 2s: named in 10 s | median | longest |", "|---|---|---|---|---|---|---|"]
    for kind in (*KINDS, "all"):
        some = [row for row in rows if kind in (row["kind"], "all")]
        if some:
            lines.append(f"| {kind} | {summary_cells(some, 'stacks')} | {summary_cells(some, 'stall')} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weft", type=Path, default=HERE.parent / "build/release/bin", help="folder of weftrun and weftcc")
    parser.add_argument("--output", type=Path, default=HERE.parent / "build/hangs")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    program = options.output / "hangs"
    subprocess.run([options.weft / "weftcc", "-g", "-O0", SOURCE, "-o", program], check=True)
    path = options.output / "hangs.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    done = {(row["kind"], row["ranks"]) for row in rows}
    cases = [(kind, layout) for layout in LAYOUTS for kind in KINDS]
    for i, (kind, layout) in enumerate(cases, 1):
        if (kind, layout[0]) in done:
            continue
        rows.append(run_hang(options.weft, program, kind, layout))
        with path.open("a") as file:
            file.write(json.dumps(rows[-1]) + "\n")
        print(f"{i} of {len(cases)}: {json.dumps(rows[-1])}", flush=True)
    print(table(rows))


main()
