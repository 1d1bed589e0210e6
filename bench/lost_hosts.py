#!/usr/bin/env python3
"""Repeatedly cuts the network of one of a job's two hosts under `weftrun --survive`, and compares the results with those of an
undisturbed job.

  bench/lost_hosts.py [--runs N] [--ranks N] [--kib N] [--weft FOLDER] [--output FOLDER]

The hosts are network namespaces, so an administrator must run it. The job is tests/mpi_shim/programs/survives.c, with four processes.
The network is cut at a random time once there are two images. The time is measured from the cut to the next line of output of the job,
which continues on weftrun's host. Each run is appended to FOLDER/runs.jsonl, so that an interrupted campaign continues.
"""

import argparse
import json
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path

from survive import Images, Job

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tests/launch"))
from two_hosts import TwoHosts  # noqa: E402  the path is set above

SOURCE = ROOT / "tests/mpi_shim/programs/survives.c"
ROUNDS, PAUSE_US = 250, 5000
LONGEST_ROUND_S = 0.15  # between two lines of a job that runs


class CutCampaign:
    def __init__(self, options, two):
        self.options, self.two, self.folder = options, two, options.output
        self.folder.mkdir(parents=True, exist_ok=True)
        self.program = self.folder / "survives"
        subprocess.run([options.weft / "weftcc", "-O2", "-DMIGRATES", SOURCE, "-o", self.program], check=True)
        (self.folder / "agent").write_text("host=$1\nshift\n" + two.AGENT)
        self.path = self.folder / "runs.jsonl"
        self.rows = [json.loads(line) for line in self.path.read_text().splitlines()] if self.path.exists() else []

    def job(self, *options):
        a, b = self.two.names
        return Job(["ip", "netns", "exec", a, str(self.options.weft / "weftrun"), "-n", str(self.options.ranks), "-q", "--hosts",
                    f"localhost:2,{b}:2", "--launcher-agent", "sh agent", *options, str(self.program), str(ROUNDS), str(PAUSE_US),
                    str(self.options.kib)], self.folder)

    def run(self, number, expected):
        rng = random.Random(number)
        job = self.job("--survive", "200ms")
        images = Images(job)
        job.wait_until(lambda: images.size(1, 0) > 0)
        end = time.monotonic() + rng.uniform(0, 0.5)
        job.wait_until(lambda: time.monotonic() >= end)
        self.two.cut()
        cut = time.monotonic()
        ended = job.finish()
        self.two.reconnect()
        times = [cut, *(one for one in job.times if one > cut)]
        seconds = next((after - cut for before, after in zip(times, times[1:]) if after - before > LONGEST_ROUND_S), None)
        lost = any("is lost" in line and "comes again" in line for line in job.errors)
        right = ended and job.child.returncode == 0 and sorted(set(job.output)) == expected and lost
        row = {"run": number, "right": right, "seconds": seconds}
        if not right:
            row["errors"] = "".join(job.errors)[-2000:]
        return row

    def all_runs(self):
        undisturbed = self.job()
        if not undisturbed.finish() or undisturbed.child.returncode != 0:
            sys.exit(f"lost_hosts.py: the job fails undisturbed: {''.join(undisturbed.errors)}")
        expected = sorted(set(undisturbed.output))
        done = {row["run"] for row in self.rows}
        with self.path.open("a") as file:
            for number in range(self.options.runs):
                if number in done:
                    continue
                self.rows.append(self.run(number, expected))
                file.write(json.dumps(self.rows[-1]) + "\n")
                file.flush()
                wrong = sum(not row["right"] for row in self.rows)
                print(f"\r{len(self.rows)} of {self.options.runs} runs, {wrong} wrong".ljust(60), end="", file=sys.stderr, flush=True)
        print(file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--ranks", type=int, default=16)
    parser.add_argument("--kib", type=int, default=100, help="of each rank (default: 100)")
    parser.add_argument("--weft", type=Path, default=ROOT / "build/release/bin", help="folder of weftrun")
    parser.add_argument("--output", type=Path, default=ROOT / "build/lost_hosts")
    options = parser.parse_args()
    with TwoHosts() as two:
        if two is None:
            sys.exit("lost_hosts.py: network namespaces cannot be made here")
        campaign = CutCampaign(options, two)
        campaign.all_runs()
    seconds = sorted(row["seconds"] for row in campaign.rows if row["seconds"] is not None)
    right = sum(row["right"] for row in campaign.rows)
    print(f"{right} of {len(campaign.rows)} right; {options.ranks} ranks of {options.kib} KiB: from the cut to the next line "
          f"{statistics.median(seconds):.2f} s (median), {seconds[-1]:.2f} s (longest); {campaign.path}")
    sys.exit(0 if right == len(campaign.rows) else 1)


if __name__ == "__main__":
    main()
