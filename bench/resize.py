#!/usr/bin/env python3
"""Repeatedly changes a running job from 4 processes to 3 and back, and compares its results with those of an undisturbed job. With
--hosts the job leaves one of two hosts and gets it back: 4 processes, 2, and 4.

  bench/resize.py [--cycles N] [--hosts] [--ranks N] [--kib N] [--weft FOLDER] [--output FOLDER]

The job is tests/mpi_shim/programs/survives.c: in each step it has messages, a non-blocking collective, a window with locks, a file of
MPI_File_open and communicators of its own open. Each change is verified by the processes that the system has then; on several hosts,
by those that the job reports. Each round prints a line: the time for which the job stands still is the time between two lines, less
that of the neighbouring rounds. Hosts are network namespaces, so an administrator must run it.
"""

import argparse
import socket
import statistics
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

from survive import Job

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tests/launch"))
from two_hosts import TwoHosts  # noqa: E402  the path is set above

SOURCE = ROOT / "tests/mpi_shim/programs/survives.c"
ROUNDS_EACH = 70  # between two changes: a step comes in 64 rounds at the latest
PAUSE_US = 10000  # of a round on several hosts: a new host is ready only after some rounds


class Cycles:
    def __init__(self, options, two):
        self.options, self.bin, self.two = options, options.weft, two
        self.changes = [(["resize", "3"], 3), (["resize", "4"], 4)]
        self.names = ["4 to 3", "3 to 4"]
        if two:
            self.changes = [(["evacuate", two.names[1]], 2), (["resize", f"+{two.names[1]}:2"], 4)]
            self.names = ["a host is left: 4 to 2", "it comes back: 2 to 4"]
        self.folder = options.output
        self.folder.mkdir(parents=True, exist_ok=True)
        self.program = self.folder / "survives"
        subprocess.run([self.bin / "weftcc", "-O2", "-DMIGRATES", SOURCE, "-o", self.program], check=True)
        self.rounds = ROUNDS_EACH * 2 * options.cycles + ROUNDS_EACH

    def job(self, *options):
        words = ["--processes", "4"]
        inside = []
        if self.two:
            (self.folder / "agent").write_text("host=$1\nshift\n" + self.two.AGENT)
            words = ["--hosts", f"localhost:2,{self.two.names[1]}:2", "--launcher-agent", "sh agent"]
            inside = ["ip", "netns", "exec", self.two.names[0]]
        return Job([*inside, str(self.bin / "weftrun"), "-n", str(self.options.ranks), *words, "-q", *options, str(self.program),
                    str(self.rounds), str(PAUSE_US if self.two else 0), str(self.options.kib)], self.folder, limit_s=3600 + 10 * self.options.cycles)

    def wait_for_round(self, job, number):
        """Waits until rank 0 waits in this round. Returns the file whose removal lets it continue."""
        job.wait_until((self.folder / "waits").exists)
        (self.folder / "waits").unlink(missing_ok=True)
        return self.folder / f"wait.0.{number}"

    def change(self, job, number, which):
        """Makes one change. Returns the number of lines printed before; None if the change went wrong."""
        words, processes = self.changes[which]
        stop = self.wait_for_round(job, number)
        name = f"{job.child.pid}@{socket.gethostname()}" if self.two else str(job.child.pid)
        asked = subprocess.Popen([self.bin / "weft", words[0], name, *words[1:]], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        asked.stderr.readline()  # the job knows now
        before = len(job.output)
        stop.unlink()
        reported, _ = asked.communicate()
        there = f": {processes} processes with" in reported and (self.two or len(job.processes()) == processes)
        return before if asked.returncode == 0 and there else None

    def run(self):
        """(number of right changes; pauses in seconds, by kind of change; whether the lines are those of the undisturbed job)"""
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
            before = self.change(job, number, i % 2)
            right += before is not None
            marks.append((i % 2, before))
            print(f"\r{i + 1} of {len(stops)} changes, {right} right".ljust(60), end="", file=sys.stderr, flush=True)
            if before is None:
                break
        ended = job.finish()
        print(file=sys.stderr)
        same = ended and job.child.returncode == 0 and sorted(job.output) == sorted(undisturbed.output)
        if not same:
            print("".join(job.errors[-10:]), file=sys.stderr)
        return right, self.pause_seconds(job, marks), same

    @staticmethod
    def pause_seconds(job, marks):
        seconds = [], []
        for which, before in marks:
            if before is not None:
                # The first line behind the mark comes when rank 0 continues; the longest gap between the lines after it is the change.
                times = job.times[before:before + ROUNDS_EACH - 2]
                gaps = sorted(b - a for a, b in zip(times, times[1:]))
                seconds[which].append(gaps[-1] - statistics.median(gaps))
        return seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cycles", type=int, default=500, help="4 to 3 and back to 4 (default: 500)")
    parser.add_argument("--hosts", action="store_true", help="two, of which one is left")
    parser.add_argument("--ranks", type=int, default=16)
    parser.add_argument("--kib", type=int, default=100, help="of each rank (default: 100)")
    parser.add_argument("--weft", type=Path, default=ROOT / "build/release/bin", help="folder of weftrun")
    parser.add_argument("--output", type=Path, default=ROOT / "build/resize")
    options = parser.parse_args()
    with TwoHosts() if options.hosts else nullcontext() as two:
        if options.hosts and two is None:
            sys.exit("resize.py: no network namespaces here")
        cycles = Cycles(options, two)
        right, seconds, same = cycles.run()
    print("| change | times | right | stands still, median | longest |\n|---|---|---|---|---|")
    for name, times in zip(cycles.names, seconds):
        if times:
            print(f"| {name} | {options.cycles} | {len(times)} | {statistics.median(times) * 1000:.0f} ms | {max(times) * 1000:.0f} ms |")
    print(f"\n{options.ranks} ranks of {options.kib} KiB: {right} of {2 * options.cycles} changes; "
          f"the results are {'those' if same else 'NOT those'} of the undisturbed job")
    sys.exit(0 if same and right == 2 * options.cycles else 1)


if __name__ == "__main__":
    main()
