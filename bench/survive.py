#!/usr/bin/env python3
"""Kills a process of jobs under `weftrun --survive`, again and again, and compares results with those of undisturbed jobs.

  bench/survive.py [--runs N] [--programs FILE.ini] [--weft FOLDER] [--output FOLDER]

A small earthquake of ondes3d takes part, and the programs in FILE.ini, one to a section:
  weft       the program, built by Weft's wrappers
  ranks      as many as that
  arguments, folder
  results    a regular expression: lines of standard output that it matches must be the same (default: all)
Run number K always does the same thing. What each run gave is kept in FOLDER/runs.jsonl at once: a campaign that was cut off
goes on where it was. A run whose kill came too late for its phase is shown apart, as late: its result counts all the same.

The phases:
  start     a process dies within the first milliseconds
  step      all ranks move in each step: most of the time is spent in steps; a process dies at a random time
  image     a process dies while an image is being written: found stopped with the image's index still empty
  recovery  the processes that were started after a first kill: one dies before it has read its ranks
  end       a process dies after the program's last line of output
  any       a process dies at a random time
"""

import argparse
import json
import os
import random
import re
import shlex
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter, defaultdict
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from balance_experiments import smaller_chuetsu
from balance_tools import Weft
from configparser import ConfigParser

ROOT = Path(__file__).resolve().parent.parent
PROCESSES = 4
PHASES = ("start", "step", "image", "recovery", "end", "any")
LIMIT_S = 300


@dataclass
class Program:
    name: str
    command: list
    ranks: int
    folder: Path
    results: str = ""  # of lines of standard output
    files: str = ""  # that the program writes into its folder, a pattern

    def written(self):
        return sorted(self.folder.glob(self.files)) if self.files else []

    def forget(self):
        for path in self.written():
            path.unlink()

    def result(self, output):
        """Each line once: what is repeated after a recovery must be the same."""
        lines = sorted({line for line in output.splitlines() if re.search(self.results, line)})
        return lines, [(path.name, path.read_bytes()) for path in self.written()]


class Job:
    """A running weftrun, its processes, and what it has said so far."""

    def __init__(self, command, folder, limit_s=LIMIT_S):
        self.began, self.limit_s = time.monotonic(), limit_s
        self.child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                                      text=True, errors="replace", cwd=folder)
        self.output, self.errors, self.times = [], [], []
        self.readers = [threading.Thread(target=self.read, args=(self.child.stdout, self.output, self.times)),
                        threading.Thread(target=self.read, args=(self.child.stderr, self.errors, []))]
        for reader in self.readers:
            reader.start()

    @staticmethod
    def read(stream, lines, times):
        for line in stream:
            lines.append(line)
            times.append(time.monotonic())

    def runs(self):
        return self.child.poll() is None and time.monotonic() < self.began + self.limit_s

    def processes(self):
        with suppress(OSError):
            text = Path(f"/proc/{self.child.pid}/task/{self.child.pid}/children").read_text()
            return [int(word) for word in text.split()]
        return []

    def until(self, condition):
        """What the condition gives once that is true; None where the job ends before."""
        while self.runs():
            if found := condition():
                return found
            time.sleep(0.0002)
        return None

    def all_there(self, but=()):
        return self.until(lambda: len(found := set(self.processes()) - set(but)) == PROCESSES and sorted(found))

    def finish(self):
        """Whether it has ended by itself."""
        self.until(lambda: False)
        hangs = self.child.poll() is None
        if hangs:
            self.child.kill()
        self.child.wait()
        for reader in self.readers:
            reader.join()
        return not hangs


class Images:
    """weftrun's memory files: two images, each with an index, which is written last, and a file for each process. The
    descriptors of both take turns."""

    def __init__(self, job, processes=PROCESSES):
        self.processes, self.folder = processes, Path(f"/proc/{job.child.pid}/fd")
        self.descriptors = job.until(self.find)

    def find(self):
        found = []
        for path in self.folder.iterdir():
            with suppress(OSError):
                if "weft-image" in os.readlink(path):
                    found.append(int(path.name))
        return sorted(found) if len(found) == 2 * (self.processes + 1) else None

    def size(self, image, file):
        with suppress(OSError):
            return os.stat(self.folder / str(self.descriptors[2 * file + image])).st_size
        return 0

    def being_written(self):
        """The image whose files grow while its index is empty."""
        for image in (0, 1):
            if self.size(image, 0) == 0 and any(self.size(image, 1 + process) > 0 for process in range(self.processes)):
                return image
        return None


def has_image_open(pid):
    with suppress(OSError):
        return any("weft-image" in os.readlink(path) for path in Path(f"/proc/{pid}/fd").iterdir())
    return False


def kill(pid):
    with suppress(OSError):
        os.kill(pid, signal.SIGKILL)


def kill_at_random(job, chance, seconds):
    end = time.monotonic() + chance.uniform(0, seconds)
    job.until(lambda: time.monotonic() >= end)
    if found := job.processes():
        kill(chance.choice(found))
    return bool(found)


# Each makes one kill and says whether it came in its phase. `seconds`: how long the undisturbed job takes.
def in_start(job, chance, _seconds):
    return bool(job.until(job.processes)) and kill_at_random(job, chance, 0.03)


def in_image(job, chance, _seconds):
    images = Images(job)
    if not images.descriptors or job.until(lambda: images.being_written() is not None) is None:
        return False
    image, found = images.being_written(), job.processes()
    if image is None or not found:
        return False
    victim = chance.choice(found)
    with suppress(OSError):
        os.kill(victim, signal.SIGSTOP)
    in_time = images.size(image, 0) == 0
    kill(victim)
    return in_time


def in_recovery(job, chance, seconds):
    first = job.all_there()
    if not first or not kill_at_random(job, chance, 0.8 * seconds):
        return False
    second = job.all_there(but=first)
    if not second:
        return False
    which = chance.randrange(PROCESSES)
    victim = second[which]
    reading = chance.random() < 0.5 and job.until(lambda: has_image_open(victim))
    with suppress(OSError):
        os.kill(victim, signal.SIGSTOP)
    in_time = not reading or has_image_open(victim)
    kill(victim)
    return in_time


def at_end(job, chance, lines):
    job.until(lambda: len(job.output) >= lines)
    found = job.processes()
    if not found or len(job.output) < lines:
        return False
    kill(chance.choice(found))
    return True


KILLS = {"start": in_start, "step": kill_at_random, "image": in_image, "recovery": in_recovery, "end": at_end,
         "any": kill_at_random}


def ondes3d(weft):
    case, out = smaller_chuetsu(weft), weft.work / "out"
    out.mkdir(exist_ok=True)
    return Program("ondes3d", [str(weft.bin / "ondes3d"), str(case), "--out", str(out), "--steps", "60", "--no-pictures",
                               "--migrate-every", "2"], 16, out, results="^$", files="seismograms/*")


def programs_of(path):
    if path is None:
        return []
    file = ConfigParser(interpolation=None)
    if not file.read(path):
        sys.exit(f"survive.py: cannot read {path}")
    return [Program(name, [section["weft"], *shlex.split(section.get("arguments", ""))], section.getint("ranks"),
                    Path(section.get("folder", ".")), section.get("results", ""))
            for name, section in ((name, file[name]) for name in file.sections())]


class Campaign:
    def __init__(self, options):
        self.options = options
        self.weft = Weft(options.weft, options.weft, options.output)
        self.programs = [ondes3d(self.weft), *programs_of(options.programs)]
        self.path = options.output / "runs.jsonl"
        self.rows = [json.loads(line) for line in self.path.read_text().splitlines()] if self.path.exists() else []
        self.expected = {}

    def command(self, program, *options):
        return [str(self.weft.bin / "weftrun"), "-n", str(program.ranks), "--processes", str(PROCESSES), "-q",
                *options, *program.command]

    def undisturbed(self, program):
        """Its result, its number of lines and its seconds, without --survive."""
        if program.name not in self.expected:
            program.forget()
            job = Job(self.command(program), program.folder)
            if not job.finish() or job.child.returncode != 0:
                sys.exit(f"survive.py: {program.name} fails without any kill: {''.join(job.errors)}")
            self.expected[program.name] = (program.result("".join(job.output)), len(job.output),
                                           time.monotonic() - job.began)
        return self.expected[program.name]

    def run(self, number):
        chance = random.Random(number)
        program = self.programs[number % len(self.programs)]
        phase = PHASES[number // len(self.programs) % len(PHASES)]
        expected, lines, seconds = self.undisturbed(program)
        if phase == "end" and lines == 0:
            phase = "any"
        program.forget()
        moving = ["--lb", "rotate"] if phase == "step" else []
        job = Job(self.command(program, "--survive", "0.2", *moving), program.folder)
        in_time = KILLS[phase](job, chance, lines if phase == "end" else seconds)
        ended = job.finish()
        recoveries = [line for line in job.errors if "comes again" in line]
        right = ended and job.child.returncode == 0 and program.result("".join(job.output)) == expected
        row = {"run": number, "program": program.name, "phase": phase, "in_time": bool(in_time and recoveries),
               "recoveries": len(recoveries), "right": right, "seconds": round(time.monotonic() - job.began, 3)}
        if not right:
            row["errors"] = "".join(job.errors)[-2000:]
            row["code"] = job.child.returncode if ended else "hangs"
        return row

    def all_runs(self):
        done = {row["run"] for row in self.rows}
        with self.path.open("a") as file:
            for number in range(self.options.runs):
                if number in done:
                    continue
                row = self.run(number)
                self.rows.append(row)
                file.write(json.dumps(row) + "\n")
                file.flush()
                wrong = sum(not known["right"] for known in self.rows)
                print(f"\r{len(self.rows)} of {self.options.runs} runs, {wrong} wrong; {row['program']}: {row['phase']}".ljust(78),
                      end="", file=sys.stderr, flush=True)
        print(file=sys.stderr)

    def table(self):
        kinds = defaultdict(Counter)
        for row in self.rows:
            kinds[row["program"], row["phase"]].update(runs=1, right=int(row["right"]), in_time=int(row["in_time"]),
                                                       recoveries=row["recoveries"])
        lines = ["| program | phase | runs | killed in the phase | recoveries | right |", "|---|---|---|---|---|---|"]
        lines += [f"| {program} | {phase} | {kind['runs']} | {kind['in_time']} | {kind['recoveries']} | {kind['right']} |"
                  for (program, phase), kind in sorted(kinds.items())]
        every = sum(kinds.values(), Counter())
        lines.append(f"| all | | {every['runs']} | {every['in_time']} | {every['recoveries']} | {every['right']} |")
        return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--programs", type=Path, help="further programs: see above")
    parser.add_argument("--weft", type=Path, default=ROOT / "build/release/bin", help="folder of weftrun and ondes3d")
    parser.add_argument("--output", type=Path, default=ROOT / "build/survive")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    campaign = Campaign(options)
    campaign.all_runs()
    print(campaign.table())
    median = statistics.median(row["seconds"] for row in campaign.rows)
    print(f"\n{len(campaign.rows)} runs, median {median:.2f} s; {campaign.path}")
    sys.exit(0 if all(row["right"] for row in campaign.rows) else 1)


if __name__ == "__main__":
    main()
