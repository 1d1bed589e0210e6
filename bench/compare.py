#!/usr/bin/env python3
"""Compares Weft with the MPIs that are installed, in one run: rounds alternate between them, medians are compared.

compare.py [--weft build/release/bin] [--rounds 5] [--sizes] [--only TEXT] [--output build/bench]
"""

import argparse
import os
import platform
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

from contestants import Failed, find_contestants, values_of
from figures import all_runs, sizes
from report import Results

ROOT = Path(__file__).resolve().parent.parent


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weft", type=Path, default=ROOT / "build/release/bin", help="folder of weftcc and weftrun")
    parser.add_argument("--bench", type=Path, help="folder of switch_bench [default: ../bench beside --weft]")
    parser.add_argument("--rounds", type=int, default=5, help="runs of everything [default 5]")
    parser.add_argument("--only", default="", help="only runs whose name contains this")
    parser.add_argument("--sizes", action="store_true", help="collectives of 8 bytes to 1 MiB instead of everything else")
    parser.add_argument("--many", type=int, default=50_000, help="ranks of the largest start [default 50000]")
    parser.add_argument("--output", type=Path, default=ROOT / "build/bench", help="folder for what is written")
    options = parser.parse_args()
    options.weft = options.weft.resolve()
    options.bench = (options.bench or options.weft.parent / "bench").resolve()
    if not (options.weft / "weftrun").exists():
        parser.error(f"no weftrun in {options.weft}: build with `cmake --preset release && cmake --build --preset release`")
    return options


def machine():
    names = [line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line]
    return {"cpu": names[0] if names else platform.machine(), "cores": len(os.sched_getaffinity(0)),
            "kernel": platform.release(), "load_before": os.getloadavg()[0]}


def environment(weft_bin):
    """The environment with Weft's programs in PATH. Only PATH changes: launchers keep their own C++ libraries."""
    changed = dict(os.environ)
    changed["PATH"] = f"{weft_bin}:{changed['PATH']}"
    return changed


def build(runs, contestants):
    """{(program, contestant): command, or the error text if the build failed}."""
    commands = {}
    for run in runs:
        for contestant in contestants:
            key = (run.program, contestant.name)
            if contestant.name not in run.contestants or key in commands:
                continue
            print(f"\rbuilding {run.program} for {contestant.title}".ljust(70), end="", file=sys.stderr, flush=True)
            try:
                commands[key] = contestant.build(run.program)
            except Failed as failure:
                commands[key] = str(failure)
    print("\r" + " " * 70 + "\r", end="", file=sys.stderr)
    return commands


@contextmanager
def busy_loops(count):
    children = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(count)]
    try:
        time.sleep(0.2 if children else 0)  # until they compute
        yield
    finally:
        for child in children:
            child.kill()
            child.wait()


def measure(run, contestant, program, rows, env):
    """One run; its values or failure go into every row. A contestant that has failed is not run again."""
    if any(contestant.name in row[2] for row in rows):
        return
    try:
        if isinstance(program, str):
            raise Failed(program)
        with busy_loops(run.busy_loops):
            values = values_of(contestant.command(run, program), run.timeout, env)
        for row in rows:
            figure = row[0]
            if figure.key not in values:
                raise Failed(f"no '{figure.key}' in the output")
            share = run.ranks if figure.per_rank and contestant.name == "weft" else 1
            row[1].setdefault(contestant.name, []).append(values[figure.key] / share)
    except (Failed, OSError) as failure:
        for row in rows:
            row[1].pop(contestant.name, None)
            row[2][contestant.name] = str(failure)


def measure_all(options, runs, contestants, results):
    env = environment(options.weft)
    programs = build(runs, contestants)
    rows = {run.name: [results.add_figure(figure) for figure in run.figures] for run in runs}
    for round_number in range(1, options.rounds + 1):
        for index, run in enumerate(runs, 1):
            for contestant in contestants:
                if contestant.name not in run.contestants:
                    continue
                text = f"round {round_number}/{options.rounds}, {index}/{len(runs)} {run.name}: {contestant.title}"
                print(f"\r{text}".ljust(90), end="", file=sys.stderr, flush=True)
                measure(run, contestant, programs[run.program, contestant.name], rows[run.name], env)
    print("\r" + " " * 90 + "\r", end="", file=sys.stderr)


def main():
    options = arguments()
    every = sizes() if options.sizes else all_runs(options.many)
    runs = [run for run in every if options.only in run.name]
    if not runs:
        sys.exit(f"no run's name contains '{options.only}': {', '.join(run.name for run in every)}")
    options.output.mkdir(parents=True, exist_ok=True)
    contestants = find_contestants(options.weft, options.bench, options.output / "programs")
    results = Results({contestant.name: contestant.title for contestant in contestants})
    where = machine()
    measure_all(options, runs, contestants, results)
    where["load_after"] = os.getloadavg()[0]
    print(f"{where['cores']} cores, {where['cpu']}; {options.rounds} rounds; load {where['load_before']:.1f} before, "
          f"{where['load_after']:.1f} after\n")
    print(results.table())
    for failure in results.failures():
        print(f"- {failure}")
    (options.output / "results.md").write_text(results.table() + "\n")
    results.write_json(options.output / "results.json", where)
    plotted = results.plot(options.output / "results.png")
    print(f"\nwritten: {options.output}/results.md, results.json" + (", results.png" if plotted else ""))
    if not plotted:
        print("no plot: python3-matplotlib is not installed")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
    except subprocess.SubprocessError as error:
        sys.exit(str(error))
