#!/usr/bin/env python3
"""Measures what balancing gains on two cores: rounds alternate between variants, medians are compared with goals.

balance.py [--weft build/release/bin] [--rounds 5] [--only NAME,…] [--programs FILE] [--out build/balance]
"""

import argparse
import os
import sys
import time
from pathlib import Path

import balance_plots
from balance_experiments import all_experiments
from balance_programs import program_experiments
from balance_tools import Failed, Weft, cores
from compare import machine

ROOT = Path(__file__).resolve().parent.parent


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weft", type=Path, default=ROOT / "build/release/bin", help="folder of weftcxx, weftrun, ondes3d")
    parser.add_argument("--bench", type=Path, help="folder of lb_bench [default: ../bench beside --weft]")
    parser.add_argument("--rounds", type=int, default=5, help="runs of everything [default 5]")
    parser.add_argument("--only", default="", help="only these experiments, by commas; 'help' lists them")
    parser.add_argument("--programs", type=Path, help="also these programs of yours: an .ini file, see README.md")
    parser.add_argument("--out", type=Path, default=ROOT / "build/balance", help="folder for what is written")
    options = parser.parse_args()
    options.weft = options.weft.resolve()
    options.bench = (options.bench or options.weft.parent / "bench").resolve()
    options.out = options.out.resolve()
    if not (options.weft / "weftrun").exists():
        parser.error(f"no weftrun in {options.weft}: build with `cmake --preset release && cmake --build --preset release`")
    if len(cores()) < 2:
        parser.error("two cores are needed")
    os.sched_setaffinity(0, set(cores()[:2]))
    return options


class Progress:
    """One line on standard error: the current run, and the estimated time left."""

    def __init__(self, experiments, rounds):
        self.total = sum(experiment.seconds * rounds for experiment in experiments)
        self.done, self.began = 0.0, time.monotonic()

    def show(self, text):
        taken = time.monotonic() - self.began
        pace = taken / self.done if self.done > 20 else 1.0
        left = max(self.total - self.done, 0) * max(pace, 0.2)
        print(f"\r{text}, {left / 60:.0f} min left".ljust(100)[:100], end="", file=sys.stderr, flush=True)

    def end(self):
        print("\r" + " " * 100 + "\r", end="", file=sys.stderr, flush=True)


def measure(experiment, rounds, progress):
    """(outcomes of all rounds by variant, errors by variant). A variant that has failed is not run again."""
    results, failures = {name: [] for name in experiment.variants}, {}
    for number in range(1, rounds + 1):
        for name, run in experiment.variants.items():
            progress.show(f"{experiment.name}, round {number}/{rounds}: {name}")
            if name not in failures:
                try:
                    results[name].append(run())
                except (Failed, OSError) as failure:
                    failures[name] = str(failure)
            progress.done += experiment.seconds / len(experiment.variants)
    return {name: outcomes for name, outcomes in results.items() if name not in failures}, failures


def evaluate(experiment, rounds, progress, out):
    """(rows of the table, remarks). Draws a picture in `out`."""
    if experiment.skip_reason:
        return [], [f"{experiment.name}: skipped, {experiment.skip_reason}"]
    results, failures = measure(experiment, rounds, progress)
    remarks = [f"{experiment.name}, {name}: {why}" for name, why in failures.items()]
    try:
        rows = experiment.rows(results)
    except (KeyError, ValueError) as missing:
        return [], remarks + [f"{experiment.name}: not enough of it ran ({missing})"]
    if experiment.plot and balance_plots.plt and not failures:
        experiment.plot(results, out / experiment.name)
    return rows, remarks


def table(rows):
    reached = {None: "", True: "reached", False: "**not reached**"}
    lines = [("figure", "measured", "goal", ""), ("---",) * 4]
    lines += [(row.figure, row.value, row.goal, reached[row.reached]) for row in rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def plain_table(rows):
    marks = {None: "", True: "  reached", False: "  NOT REACHED"}
    return "\n".join(f"{row.figure}:\n    {row.value}" + (f"  (goal {row.goal})" if row.goal else "") + marks[row.reached]
                     for row in rows)


def chosen(options, weft):
    experiments = all_experiments(weft) + program_experiments(weft, options.programs)
    wanted = [name for name in options.only.split(",") if name]
    known = {experiment.name for experiment in experiments}
    if "help" in wanted or not known.issuperset(wanted):
        sys.exit("\n".join(f"{experiment.name:15} {experiment.about}" for experiment in experiments))
    return [experiment for experiment in experiments if not wanted or experiment.name in wanted]


def main():
    options = arguments()
    (options.out / "work").mkdir(parents=True, exist_ok=True)
    experiments = chosen(options, Weft(options.weft, options.bench, options.out / "work"))
    where, rows, remarks = machine(), [], []
    progress = Progress(experiments, options.rounds)
    for experiment in experiments:
        new_rows, new_remarks = evaluate(experiment, options.rounds, progress, options.out)
        progress.end()
        print("\n".join(filter(None, [plain_table(new_rows), *new_remarks])), flush=True)
        rows, remarks = rows + new_rows, remarks + new_remarks
        head = f"2 cores of {where['cpu']}; {options.rounds} rounds; load {where['load_before']:.1f} before\n\n"
        text = head + table(rows) + "\n" + "".join(f"\n- {remark}" for remark in remarks) + "\n"
        (options.out / "balance.md").write_text(text)
    print(f"\nwritten: {options.out}/balance.md" + (" and pictures" if balance_plots.plt else
                                                   "; no pictures: python3-matplotlib is not installed"))


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
    except Failed as failure:
        sys.exit(str(failure))
