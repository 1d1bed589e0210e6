#!/usr/bin/env python3
"""Measures what inspection costs a job: programs/watched.c with 10,000 ranks in one process.

  bench/watching.py [--rounds 25] [--ranks 10000] [--steps 150] [--workers N] [--weft FOLDER] [--output FOLDER]

A round runs the job once in each way, beginning with another way each time. The table has medians over the rounds and their ratios:
  unseen   without a socket: the mode of its folder lets other users in
  seen     with a socket, as any job
  top      the same, with `weft top --json` beside it, which queries the job every 2 s
  stall    with --stall 60s: calls are counted, and the job is queried every 5 s
Each run is appended to FOLDER/watching.jsonl at once, so that an interrupted series continues. The figures mean something only on a
machine that does nothing else.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
WAYS = ("unseen", "seen", "top", "stall")


def run(options, way):
    """Runs the job once. Returns the seconds that the program took for its steps."""
    folder = options.output / ("unseen" if way == "unseen" else "seen")
    environment = dict(os.environ, XDG_RUNTIME_DIR=str(folder))
    command = [options.weft / "weftrun", "-n", str(options.ranks), *(["--workers", str(options.workers)] if options.workers else []),
               *(["--stall", "60s"] if way == "stall" else []), options.output / "watched", str(options.steps)]
    job = subprocess.Popen(list(map(str, command)), env=environment, stdout=subprocess.PIPE, text=True)
    top = None
    try:
        while way == "top" and top is None and job.poll() is None:
            top = start_top(options, environment, job)
        text = job.communicate()[0]
    finally:
        job.kill()
        if top is not None:
            top.terminate()
            top.wait()
    if job.returncode != 0 or not text.strip():
        sys.exit(f"watching.py: {way}: exit code {job.returncode}: {text}")
    return float(text.split()[0])


def start_top(options, environment, job):
    """Starts `weft top`. None if the job has no socket yet."""
    top = subprocess.Popen([options.weft / "weft", "top", "--json", str(job.pid)], env=environment, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
    time.sleep(0.2)
    return top if top.poll() is None else None


def table(rows):
    medians = {way: statistics.median(times) for way in WAYS if (times := [row["seconds"] for row in rows if row["way"] == way])}
    lines = ["| way | runs | median | least | of unseen |", "|---|---|---|---|---|"]
    for way, median in medians.items():
        times = [row["seconds"] for row in rows if row["way"] == way]
        lines.append(f"| {way} | {len(times)} | {median:.4f} s | {min(times):.4f} s | {median / medians['unseen']:.4f} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--ranks", type=int, default=10000)
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--workers", type=int, help="one for each core")
    parser.add_argument("--weft", type=Path, default=HERE.parent / "build/release/bin", help="folder of weftrun and weftcc")
    parser.add_argument("--output", type=Path, default=HERE.parent / "build/watching")
    options = parser.parse_args()
    options.output = options.output.resolve()
    for folder, mode in (("unseen/weft", 0o755), ("seen/weft", 0o700)):
        (options.output / folder).mkdir(parents=True, exist_ok=True)
        (options.output / folder).chmod(mode)
    subprocess.run([options.weft / "weftcc", "-O2", HERE / "programs/watched.c", "-o", options.output / "watched"], check=True)
    path = options.output / "watching.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    done = {(row["round"], row["way"]) for row in rows}
    for number in range(options.rounds):
        turn = number % len(WAYS)
        for way in WAYS[turn:] + WAYS[:turn]:
            if (number, way) in done:
                continue
            rows.append({"round": number, "way": way, "seconds": run(options, way)})
            with path.open("a") as file:
                file.write(json.dumps(rows[-1]) + "\n")
            print(f"round {number + 1} of {options.rounds}: {way} {rows[-1]['seconds']:.4f} s", flush=True)
    print(table(rows))


main()
