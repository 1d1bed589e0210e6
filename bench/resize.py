#!/usr/bin/env python3
"""Gives a running job 3 processes in place of 4 and 4 in place of 3, again and again, and compares its results with those of an
undisturbed job.

  bench/resize.py [--cycles N] [--ranks N] [--kib N] [--weft FOLDER] [--output FOLDER]

The job is tests/mpi_shim/programs/survives.c: in each step it has messages, a non-blocking collective, a window with locks, a file of
MPI_File_open and communicators of its own open. Each change is proved by the processes that the system has then. How long the
job stands still is the time between two of its lines, of which each round prints one, less that of the rounds around.
"""

import argparse
import statistics
import subprocess
import sys
from pathlib import Path

from survive import Job

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "tests/mpi_shim/programs/survives.c"
ROUNDS_EACH = 70  # between two changes: a step comes in 64 rounds at the latest


class Cycles:
    def __init__(self, options):
        self.options, self.bin = options, options.weft
        self.folder = options.output
        self.folder.mkdir(parents=True, exist_ok=True)
        self.program = self.folder / "survives"
        subprocess.run([self.bin / "weftcc", "-O2", "-DMIGRATES", SOURCE, "-o", self.program], check=True)
        self.rounds = ROUNDS_EACH * 2 * options.cycles + ROUNDS_EACH

    def job(self, *options):
        return Job([str(self.bin / "weftrun"), "-n", str(self.options.ranks), "--processes", "4", "-q", *options, str(self.program),
                    str(self.rounds), "0", str(self.options.kib)], self.folder, limit_s=3600 + 10 * self.options.cycles)

    def wait_for_round(self, job, number):
        """Rank 0 waits there until it is let go."""
        job.until((self.folder / "waits").exists)
        (self.folder / "waits").unlink(missing_ok=True)
        return self.folder / f"wait.0.{number}"

    def change(self, job, number, processes):
        """The lines printed before; None where it went wrong."""
        stop = self.wait_for_round(job, number)
        asked = subprocess.Popen([self.bin / "weft", "resize", str(job.child.pid), str(processes)], stderr=subprocess.PIPE,
                                 stdout=subprocess.DEVNULL, text=True)
        asked.stderr.readline()  # the job knows now
        before = len(job.output)
        stop.unlink()
        asked.communicate()
        there = asked.returncode == 0 and len(job.processes()) == processes
        return before if there else None

    def run(self):
        """(changes, of which right; seconds of standing still to 3 and to 4; the lines are those of the undisturbed job)"""
        for path in self.folder.glob("wait*"):
            path.unlink()
        undisturbed = self.job()
        if not undisturbed.finish() or undisturbed.child.returncode != 0:
            sys.exit(f"resize.py: the job fails undisturbed: {''.join(undisturbed.errors)}")
        stops = [1 + i * ROUNDS_EACH for i in range(2 * self.options.cycles)]
        for number in stops:
            (self.folder / f"wait.0.{number}").touch()
        job = self.job("--survive", "24h")
        right, marks = 0, []
        for i, number in enumerate(stops):
            processes = 3 if i % 2 == 0 else 4
            before = self.change(job, number, processes)
            right += before is not None
            marks.append((processes, before))
            print(f"\r{i + 1} of {len(stops)} changes, {right} right".ljust(60), end="", file=sys.stderr, flush=True)
            if before is None:
                break
        ended = job.finish()
        print(file=sys.stderr)
        same = ended and job.child.returncode == 0 and sorted(job.output) == sorted(undisturbed.output)
        if not same:
            print("".join(job.errors[-10:]), file=sys.stderr)
        return right, self.standing_still(job, marks), same

    @staticmethod
    def standing_still(job, marks):
        seconds = {3: [], 4: []}
        for processes, before in marks:
            if before is not None:
                # The first line behind the mark comes as rank 0 is let go; the longest pause between lines since is the change.
                times = job.times[before:before + ROUNDS_EACH - 2]
                gaps = sorted(b - a for a, b in zip(times, times[1:]))
                seconds[processes].append(gaps[-1] - statistics.median(gaps))
        return seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cycles", type=int, default=500, help="4 to 3 and back to 4 (default: 500)")
    parser.add_argument("--ranks", type=int, default=16)
    parser.add_argument("--kib", type=int, default=100, help="of each rank (default: 100)")
    parser.add_argument("--weft", type=Path, default=ROOT / "build/release/bin", help="folder of weftrun")
    parser.add_argument("--output", type=Path, default=ROOT / "build/resize")
    options = parser.parse_args()
    right, seconds, same = Cycles(options).run()
    print("| change | times | right | stands still, median | longest |\n|---|---|---|---|---|")
    for processes, name in ((3, "4 to 3"), (4, "3 to 4")):
        times = seconds[processes]
        if times:
            print(f"| {name} | {options.cycles} | {len(times)} | {statistics.median(times) * 1000:.0f} ms | {max(times) * 1000:.0f} ms |")
    print(f"\n{options.ranks} ranks of {options.kib} KiB: {right} of {2 * options.cycles} changes; "
          f"the results are {'those' if same else 'NOT those'} of the undisturbed job")
    sys.exit(0 if same and right == 2 * options.cycles else 1)


if __name__ == "__main__":
    main()
