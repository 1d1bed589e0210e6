#!/usr/bin/env python3
"""Kills processes of jobs under `weftrun --survive`, and compares the results with those of undisturbed jobs.

  bench/survive.py [--runs N] [--programs FILE.ini] [--weft FOLDER] [--output FOLDER]

The programs are a small earthquake of ondes3d and those of FILE.ini, one for each section:
  weft       the program, built by Weft's wrappers
  ranks      number of ranks
  arguments, folder
  results    a regular expression: lines of standard output that it matches must be the same (default: all)
Run number K always does the same. Each result is appended to FOLDER/runs.jsonl at once, so that an interrupted campaign
continues. The table shows how many kills came in their phase; results of runs whose kill came too late count, too.

The phases:
  start     a process dies within the first milliseconds
  step      a process dies at a random time, while all ranks move in each step and most of the time is spent in steps
  image     a process dies while an image is being written: it is stopped, and the image's index is still empty then
  recovery  after a first kill, one of the newly started processes dies before it has read its ranks
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
    results: str = ""  # regular expression of the lines of standard output that count
    files: str = ""  # pattern of the files that the program writes into its folder

    def output_files(self):
        return sorted(self.folder.glob(self.files)) if self.files else []

    def remove_files(self):
        for path in self.output_files():
            path.unlink()

    def result(self, output):
        """The lines, each once, and the files. Lines that are repeated after a recovery must be the same."""
        lines = sorted({line for line in output.splitlines() if re.search(self.results, line)})
        return lines, [(path.name, path.read_bytes()) for path in self.output_files()]


class Job:
    """A running weftrun, its processes, and its output so far."""

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

    def is_running(self):
        return self.child.poll() is None and time.monotonic() < self.began + self.limit_s

    def processes(self):
        with suppress(OSError):
            text = Path(f"/proc/{self.child.pid}/task/{self.child.pid}/children").read_text()
            return [int(word) for word in text.split()]
        return []

    def wait_until(self, condition):
        """Waits until the condition is true and returns its value; None if the job ends before."""
        while self.is_running():
            if found := condition():
                return found
            time.sleep(0.0002)
        return None

    def wait_for_processes(self, but=()):
        return self.wait_until(lambda: len(found := set(self.processes()) - set(but)) == PROCESSES and sorted(found))

    def finish(self):
        """Waits for the end of the job. Whether it has ended by itself."""
        self.wait_until(lambda: False)
        hangs = self.child.poll() is None
        if hangs:
            self.child.kill()
        self.child.wait()
        for reader in self.readers:
            reader.join()
        return not hangs


class Images:
    """weftrun's memory files: two images, each with an index, which is written last, and a file for each process. The
    descriptors of the two images alternate."""

    def __init__(self, job, processes=PROCESSES):
        self.processes, self.folder = processes, Path(f"/proc/{job.child.pid}/fd")
        self.descriptors = job.wait_until(self.find)

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

    def image_being_written(self):
        """The image whose files grow while its index is empty; None if there is none."""
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


def kill_at_random(job, rng, seconds):
    end = time.monotonic() + rng.uniform(0, seconds)
    job.wait_until(lambda: time.monotonic() >= end)
    if found := job.processes():
        kill(rng.choice(found))
    return bool(found)


# Each of these functions kills one process and returns whether it died in its phase. `seconds`: duration of the undisturbed job.
def kill_in_start(job, rng, _seconds):
    return bool(job.wait_until(job.processes)) and kill_at_random(job, rng, 0.03)


def kill_in_image(job, rng, _seconds):
    images = Images(job)
    if not images.descriptors or job.wait_until(lambda: images.image_being_written() is not None) is None:
        return False
    image, found = images.image_being_written(), job.processes()
    if image is None or not found:
        return False
    victim = rng.choice(found)
    with suppress(OSError):
        os.kill(victim, signal.SIGSTOP)
    in_time = images.size(image, 0) == 0
    kill(victim)
    return in_time


def kill_in_recovery(job, rng, seconds):
    first = job.wait_for_processes()
    if not first or not kill_at_random(job, rng, 0.8 * seconds):
        return False
    second = job.wait_for_processes(but=first)
    if not second:
        return False
    which = rng.randrange(PROCESSES)
    victim = second[which]
    reading = rng.random() < 0.5 and job.wait_until(lambda: has_image_open(victim))
    with suppress(OSError):
        os.kill(victim, signal.SIGSTOP)
    in_time = not reading or has_image_open(victim)
    kill(victim)
    return in_time


def kill_at_end(job, rng, lines):
    job.wait_until(lambda: len(job.output) >= lines)
    found = job.processes()
    if not found or len(job.output) < lines:
        return False
    kill(rng.choice(found))
    return True


KILLS = {"start": kill_in_start, "step": kill_at_random, "image": kill_in_image, "recovery": kill_in_recovery,
         "end": kill_at_end, "any": kill_at_random}


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
        """The program's result, number of lines and seconds without --survive."""
        if program.name not in self.expected:
            program.remove_files()
            job = Job(self.command(program), program.folder)
            if not job.finish() or job.child.returncode != 0:
                sys.exit(f"survive.py: {program.name} fails without any kill: {''.join(job.errors)}")
            self.expected[program.name] = (program.result("".join(job.output)), len(job.output),
                                           time.monotonic() - job.began)
        return self.expected[program.name]

    def run(self, number):
        rng = random.Random(number)
        program = self.programs[number % len(self.programs)]
        phase = PHASES[number // len(self.programs) % len(PHASES)]
        expected, lines, seconds = self.undisturbed(program)
        if phase == "end" and lines == 0:
            phase = "any"
        program.remove_files()
        moving = ["--lb", "rotate"] if phase == "step" else []
        job = Job(self.command(program, "--survive", "0.2", *moving), program.folder)
        in_time = KILLS[phase](job, rng, lines if phase == "end" else seconds)
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
