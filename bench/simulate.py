#!/usr/bin/env python3
"""Compares simulations with real runs: one table, each row real and simulated, medians of all rounds.

simulate.py [--weft build/release/bin] [--rounds 5] [--only NAME,…] [--with PROGRAM,…] [--programs FILE] [--platform FILE] [--out build/simulate]
"""

import argparse
import importlib
import os
import sys
from pathlib import Path

from balance_tools import Failed, Weft, cores
from compare import machine
from simulate_tools import Tools, programs_of, table

ROOT = Path(__file__).resolve().parent.parent
# Modules that define EXPERIMENTS: {name: (description, function)}.
MODULES = ("simulate_replays", "simulate_balancing", "simulate_hosts")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weft", type=Path, default=ROOT / "build/release/bin", help="folder of weftcxx, weftrun, weftsim")
    parser.add_argument("--rounds", type=int, default=5, help="runs of everything [default 5]")
    parser.add_argument("--only", default="", help="only these experiments, by commas; 'help' lists them")
    parser.add_argument("--with", dest="wanted", default="", help="only these programs, by commas [default: all]")
    parser.add_argument("--programs", type=Path, help="also these programs of yours: an .ini file, see README.md")
    parser.add_argument("--platform", type=Path, help="file of this machine [default: weftsim calibrate, once]")
    parser.add_argument("--out", type=Path, default=ROOT / "build/simulate", help="folder for what is written and kept")
    options = parser.parse_args()
    options.weft, options.out = options.weft.resolve(), options.out.resolve()
    if not (options.weft / "weftsim").exists():
        parser.error(f"no weftsim in {options.weft}: build with `cmake --preset release && cmake --build --preset release`")
    if len(cores()) < 2:
        parser.error("two cores are needed")
    os.sched_setaffinity(0, set(cores()[:2]))
    return options


def all_experiments():
    found = {}
    for name in MODULES:
        found |= importlib.import_module(name).EXPERIMENTS
    return found


def chosen(only):
    known = all_experiments()
    wanted = [name for name in only.split(",") if name]
    if "help" in wanted or not known.keys() >= set(wanted):
        sys.exit("\n".join(f"{name:12} {about}" for name, (about, _) in known.items()))
    return {name: rows for name, (_, rows) in known.items() if not wanted or name in wanted}


def main():
    options = arguments()
    (options.out / "work").mkdir(parents=True, exist_ok=True)
    tools = Tools(Weft(options.weft, options.weft.parent / "bench", options.out / "work"), options.out, options.rounds,
                  options.platform, programs_of(options.programs), [name for name in options.wanted.split(",") if name])
    where, rows, remarks = machine(), [], []
    tools.calibrated()
    for name, experiment in chosen(options.only).items():
        try:
            rows += experiment(tools)
        except Failed as failure:
            remarks.append(f"{name}: {failure}")
        tools.progress.end()
        text = f"2 cores of {where['cpu']}; {options.rounds} rounds; load {where['load_before']:.1f} before\n\n"
        text += table(rows) + "\n" + "".join(f"\n- {remark}" for remark in remarks) + "\n"
        (options.out / "simulate.md").write_text(text)
    print(text)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
    except Failed as failure:
        sys.exit(str(failure))
