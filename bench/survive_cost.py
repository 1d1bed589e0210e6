#!/usr/bin/env python3
"""Measures what images in memory cost a job: programs that run for more than a minute, with and without `weftrun --survive 30s`.

  bench/survive_cost.py [--pairs N] [--interval TIME] [--steps N] [--programs FILE.ini] [--weft FOLDER] [--output FOLDER]

The programs are Ondes3D with the case that ships (--steps sets its length) and those of FILE.ini, as for survive.py. The two runs of a
pair follow each other, in alternating order. The table has medians, and the median of the pairs' ratios. The number of images of a run
is read from the memory files of weftrun. Each pair is appended to FOLDER/pairs.jsonl, so that an interrupted series continues. The
figures mean something only on a machine that does nothing else.
"""

import argparse
import json
import statistics
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

from balance_tools import Weft
from survive import Images, Job, Program, programs_of

ROOT = Path(__file__).resolve().parent.parent
PROCESSES = 2
LIMIT_S = 1200


def ondes3d(weft, steps):
    out = weft.work / "out"
    out.mkdir(exist_ok=True)
    case = weft.apps / "ondes3d/cases/chuetsu/chuetsu.prm"
    return Program("ondes3d", [str(weft.bin / "ondes3d"), str(case), "--out", str(out), "--steps", str(steps), "--no-pictures",
                               "--migrate-every", "2"], 16, out, results="^$", files="seismograms/*")


def collect_image_times(job, found):
    """Until the job has ended, adds to `found` when images were finished: the last change of an index that is not empty."""
    images = Images(job, PROCESSES)
    while images.descriptors and job.is_running():
        for image in (0, 1):
            with suppress(OSError):
                index = (images.folder / str(images.descriptors[image])).stat()
                if index.st_size > 0:
                    found.add(index.st_mtime_ns)
        time.sleep(1)


class Series:
    def __init__(self, options):
        self.options = options
        self.weft = Weft(options.weft, options.weft, options.output)
        self.path = options.output / "pairs.jsonl"
        self.rows = [json.loads(line) for line in self.path.read_text().splitlines()] if self.path.exists() else []

    def run(self, program, survives):
        """(seconds, images, result)"""
        program.remove_files()
        words = ["--survive", self.options.interval] if survives else []
        job = Job([str(self.weft.bin / "weftrun"), "-n", str(program.ranks), "--processes", str(PROCESSES), "-q", *words,
                   *program.command], program.folder, limit_s=LIMIT_S)
        found = set()
        looking = threading.Thread(target=collect_image_times, args=(job, found))
        if survives:
            looking.start()
        job.child.wait()
        seconds = time.monotonic() - job.began
        if survives:
            looking.join()
        if not job.finish() or job.child.returncode != 0:
            sys.exit(f"survive_cost.py: {program.name} fails: {''.join(job.errors[-20:])}")
        return seconds, len(found), program.result("".join(job.output))

    def pair(self, program, number):
        order = (False, True) if number % 2 == 0 else (True, False)
        runs = {survives: self.run(program, survives) for survives in order}
        if runs[True][2] != runs[False][2]:
            sys.exit(f"survive_cost.py: {program.name} has another result with --survive")
        return {"pair": number, "program": program.name, "without": runs[False][0], "with": runs[True][0], "images": runs[True][1]}

    def all_pairs(self, programs):
        done = {(row["pair"], row["program"]) for row in self.rows}
        for number in range(self.options.pairs):
            for program in programs:
                if (number, program.name) in done:
                    continue
                row = self.pair(program, number)
                self.rows.append(row)
                with self.path.open("a") as file:
                    file.write(json.dumps(row) + "\n")
                print(f"pair {number + 1} of {self.options.pairs}: {row['program']} {row['without']:.2f} s, with images "
                      f"{row['with']:.2f} s, {row['images']} images", file=sys.stderr, flush=True)

    def table(self):
        lines = [f"| program | pairs | without | with --survive {self.options.interval} | images a run | ratio of a pair |",
                 "|---|---|---|---|---|---|"]
        for name in dict.fromkeys(row["program"] for row in self.rows):
            rows = [row for row in self.rows if row["program"] == name]
            ratios = sorted(row["with"] / row["without"] for row in rows)
            lines.append(f"| {name} | {len(rows)} | {statistics.median(row['without'] for row in rows):.2f} s | "
                         f"{statistics.median(row['with'] for row in rows):.2f} s | "
                         f"{statistics.median(row['images'] for row in rows):.0f} | {statistics.median(ratios):.4f} "
                         f"({ratios[0]:.4f}-{ratios[-1]:.4f}) |")
        return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--interval", default="30s", help="of images (default: 30s)")
    parser.add_argument("--steps", type=int, default=400, help="of ondes3d (default: 400)")
    parser.add_argument("--programs", type=Path, help="further programs: see survive.py")
    parser.add_argument("--weft", type=Path, default=ROOT / "build/release/bin", help="folder of weftrun and ondes3d")
    parser.add_argument("--output", type=Path, default=ROOT / "build/survive-cost")
    options = parser.parse_args()
    options.weft, options.output = options.weft.resolve(), options.output.resolve()
    options.output.mkdir(parents=True, exist_ok=True)
    series = Series(options)
    series.all_pairs([ondes3d(series.weft, options.steps), *programs_of(options.programs)])
    print(series.table())


if __name__ == "__main__":
    main()
