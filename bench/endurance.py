#!/usr/bin/env python3
"""Runs one job for an hour under all disturbances at once: every step moves every rank, images and checkpoints are written, processes
are killed at random times. Its ranks have two OpenMP threads each, and rank 0 has a file open. At the end its lines and its
file must be those of an undisturbed job of as many rounds, and so must be those of a job that continues from its last checkpoint.

  bench/endurance.py [--minutes N] [--ranks N] [--processes N] [--kill-every S] [--weft FOLDER] [--output FOLDER]

Each second it samples what must not grow, over weftrun and all of its processes: memory (of their own, and shared), open
descriptors, mappings, threads, and entries of the folder of checkpoints. It prints medians of the first and the last
sixth of the time, without the first minute, and writes a plot to FOLDER/endurance.svg.
"""

import argparse
import json
import random
import statistics
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from survive import Job, kill

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "bench/programs/endurance.c"
ROUND_US = 10000
WARM_S = 60
MEASURES = {"memory of their own, MiB": "RssAnon", "shared memory, MiB": "RssShmem", "threads": "Threads"}
COUNTED = ("descriptors", "mappings", "entries of the folder of checkpoints")
TOLERANCE = 1.05  # a median of the last sixth over that of the first


def sample(pids, checkpoints):
    """The measures, summed over the processes; None if one has ended meanwhile."""
    found = dict.fromkeys([*MEASURES, *COUNTED], 0)
    try:
        for pid in pids:
            folder = Path(f"/proc/{pid}")
            status = dict(line.split(":", 1) for line in (folder / "status").read_text().splitlines())
            for name, key in MEASURES.items():
                value = int(status[key].split()[0])
                found[name] += value / 1024 if name.endswith("MiB") else value
            found["descriptors"] += len(list((folder / "fd").iterdir()))
            found["mappings"] += len((folder / "maps").read_text().splitlines())
    except (OSError, KeyError):
        return None
    with suppress(OSError):
        found[COUNTED[-1]] = sum(1 for _ in checkpoints.rglob("*"))
    return found


class Endurance:
    def __init__(self, options):
        self.options, self.folder = options, options.output
        self.folder.mkdir(parents=True, exist_ok=True)
        self.program, self.checkpoints, self.stop = self.folder / "endurance", self.folder / "checkpoints", self.folder / "stop"
        subprocess.run([options.weft / "weftcc", "-O2", "-fopenmp", SOURCE, "-o", self.program], check=True)

    def job(self, processes, words, arguments, limit_s):
        command = [str(self.options.weft / "weftrun"), "-n", str(self.options.ranks), "--processes", str(processes), *words,
                   str(self.program), *arguments]
        return Job(command, self.folder, limit_s=limit_s)

    def result(self, job):
        """The job's lines, each once, and its file. Lines that are repeated after a death must be the same."""
        return sorted(set(job.output)), (self.folder / "endurance.lines").read_text()

    def disturb(self):
        """Runs the disturbed job. Returns the job, the samples and the times of kills."""
        self.stop.unlink(missing_ok=True)
        seconds, rng = 60 * self.options.minutes, random.Random(1)
        words = ["--lb", "rotate", "--survive", "1s", "--survive-limit", "1000000", "--checkpoint", str(self.checkpoints),
                 "--checkpoint-every", "20s"]
        job = self.job(self.options.processes, words, [str(ROUND_US)], seconds + 600)
        samples, kills, next_kill = [], [], self.options.kill_every
        while job.is_running() and (now := time.monotonic() - job.began) < seconds:
            if now >= next_kill:
                if found := job.processes():
                    kill(rng.choice(found))
                    kills.append(now)
                next_kill = now + rng.uniform(0.2, 1.8) * self.options.kill_every
            # Samples only outside of recoveries.
            elif not kills or now > kills[-1] + 2:
                pids = job.processes()
                if len(pids) == self.options.processes and (found := sample([job.child.pid, *pids], self.checkpoints)):
                    samples.append({"second": now, **found})
            print(f"\r{now / 60:.1f} of {self.options.minutes} minutes, {len(kills)} kills".ljust(60), end="", file=sys.stderr, flush=True)
            time.sleep(1)
        print(file=sys.stderr)
        self.stop.write_text("0")
        return self.finished(job, "the job"), samples, kills

    def restarted(self, rounds):
        """Runs a job from the last checkpoint, on another number of processes."""
        self.stop.write_text(str(rounds))
        words = ["-q", "--restart", str(self.checkpoints)]
        return self.finished(self.job(self.options.processes + 1, words, [], 600), "the job that goes on from the checkpoint")

    def undisturbed(self, rounds):
        self.stop.write_text(str(rounds))
        return self.finished(self.job(1, ["-q"], ["0"], 3600), "the undisturbed job")

    @staticmethod
    def finished(job, what):
        if not job.finish() or job.child.returncode != 0:
            sys.exit(f"endurance.py: {what} hangs, or has failed with {job.child.returncode}: {''.join(job.errors[-20:])}")
        return job


def growth(samples, seconds):
    """(what, median of the first sixth, of the last one) of each."""
    warm = [one for one in samples if one["second"] >= min(WARM_S, seconds / 6)]
    first = [one for one in warm if one["second"] < seconds / 6 + WARM_S]
    last = [one for one in warm if one["second"] >= 5 * seconds / 6]
    return [(name, statistics.median(one[name] for one in first), statistics.median(one[name] for one in last))
            for name in [*MEASURES, *COUNTED]]


def plot(samples, kills, path):
    try:
        import matplotlib
    except ImportError:
        print("no plot: python3-matplotlib is not installed")
        return
    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    names = [*MEASURES, *COUNTED]
    figure, axes = plt.subplots(len(names), 1, figsize=(9, 11), sharex=True)
    for axis, name in zip(axes, names):
        axis.plot([one["second"] / 60 for one in samples], [one[name] for one in samples], linewidth=0.6)
        axis.set_ylim(bottom=0)
        axis.set_title(name, fontsize=9, loc="left")
        for second in kills:
            axis.axvline(second / 60, color="tab:red", linewidth=0.2)
    axes[-1].set_xlabel("minutes; red: a process was killed")
    figure.tight_layout()
    figure.savefig(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--ranks", type=int, default=16)
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--kill-every", type=float, default=20, help="seconds, on average (default: 20)")
    parser.add_argument("--weft", type=Path, default=ROOT / "build/release/bin", help="folder of weftrun")
    parser.add_argument("--output", type=Path, default=ROOT / "build/endurance")
    options = parser.parse_args()
    options.weft, options.output = options.weft.resolve(), options.output.resolve()
    endurance = Endurance(options)
    job, samples, kills = endurance.disturb()
    result = endurance.result(job)
    (options.output / "errors.txt").write_text("".join(job.errors))
    (options.output / "samples.json").write_text(json.dumps({"samples": samples, "kills": kills}))
    recoveries = sum("comes again" in line for line in job.errors)
    from_images = sum("goes on from the image" in line for line in job.errors)
    rounds = int(job.output[-1].split()[0])
    lines = endurance.result(endurance.restarted(rounds))[1]
    expected = endurance.result(endurance.undisturbed(rounds))
    right = result == expected
    plot(samples, kills, options.output / "endurance.svg")
    print("| weftrun and its processes | first sixth | last sixth |\n|---|---|---|")
    table = growth(samples, 60 * options.minutes)
    for name, first, last in table:
        print(f"| {name} | {first:.0f} | {last:.0f} |")
    grown = [name for name, first, last in table if last > TOLERANCE * first]
    print(f"\n{options.ranks} ranks, {options.processes} processes, {rounds} rounds; {len(kills)} kills, {recoveries} recoveries, "
          f"{from_images} of them from an image; the result is {'right' if right else 'WRONG'}, "
          f"that of a restart from the last checkpoint {'too' if lines == expected[1] else 'WRONG'}; "
          f"{'grown: ' + ', '.join(grown) if grown else 'nothing has grown'}")
    sys.exit(0 if right and lines == expected[1] and not grown else 1)


if __name__ == "__main__":
    main()
