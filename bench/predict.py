#!/usr/bin/env python3
"""Measures the errors of weftsim predict on this machine at given points: a program with so many ranks on so many workers.

predict.py [--weft build/release/bin] [--rounds 3] [--with PROGRAM,…] [--programs FILE] [--points N] [--out build/predict]

A program is recorded at three sizes, which are its profiles. At its other points it runs without a recording, and is compared with the
prediction of every model. Results are kept, so that an interrupted measurement continues. Missing programs are skipped and named."""

import argparse
import json
import os
import statistics
import sys
from pathlib import Path

from balance_experiments import ondes3d_arguments
from balance_tools import Failed, Weft, cores
from compare import machine
from simulate_tools import Program, Tools, programs_of

ROOT = Path(__file__).resolve().parent.parent
# (ranks, workers), chosen before anything was measured: 12 a program, 120 in all. The first three are recorded.
ANY = ((1, 1), (2, 2), (4, 2), (2, 1), (4, 1), (8, 1), (8, 2), (16, 1), (16, 2), (32, 1), (32, 2), (64, 2))
SQUARES = ((1, 1), (4, 2), (9, 2), (4, 1), (9, 1), (16, 1), (16, 2), (25, 1), (25, 2), (36, 1), (36, 2), (64, 2))
POINTS = {"CG": ANY, "EP": ANY, "FT": ANY, "IS": ANY, "LU": ANY, "MG": ANY, "BT": SQUARES, "SP": SQUARES, "ondes3d": ANY, "mol3d": ANY}
RECORDED = 3
CATALOGUE = {"weft_catalogue": 1, "networks": [{"name": "memory", "latency_us": 1, "bandwidth_mb_per_s": 5000}],
             "machines": [{"name": f"cores{n}", "cores": n, "network": "memory", "price_per_hour": 0.05 * n} for n in (1, 2)]}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weft", type=Path, default=ROOT / "build/release/bin", help="folder of weftcxx, weftrun, weftsim")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each point [default 3]")
    parser.add_argument("--with", dest="wanted", default="", help="only these programs, by commas [default: all]")
    parser.add_argument("--programs", type=Path, help="NPB as you have built it: an .ini file, see README.md; sections CG, EP, …")
    parser.add_argument("--points", type=int, default=9, help="of each program, the first so many that are not recorded [default 9]")
    parser.add_argument("--platform", type=Path, help="file of this machine [default: weftsim calibrate, once]")
    parser.add_argument("--out", type=Path, default=ROOT / "build/predict", help="folder for what is written and kept")
    options = parser.parse_args()
    options.weft, options.out = options.weft.resolve(), options.out.resolve()
    if len(cores()) < 2:
        parser.error("two cores are needed")
    os.sched_setaffinity(0, set(cores()[:2]))
    return options


def all_programs(tools):
    """The programs that exist here, by name."""
    weft, found = tools.weft, {program.name: program for program in tools.programs}
    found["mol3d"] = Program("mol3d", [weft.build("mol3d"), "--side", "24", "--steps", "40", "--migrate-every", "10", "--verify", "0"])
    if (weft.bin / "ondes3d").exists():
        chuetsu = weft.apps / "ondes3d/cases/chuetsu/chuetsu.prm"
        steps = ("--steps", 20, "--migrate-every", 10)
        found["ondes3d"] = Program("ondes3d", [str(weft.bin / "ondes3d"), *map(str, ondes3d_arguments(weft, chuetsu, *steps))])
    return {name: found[name] for name in POINTS if name in found and (not tools.wanted or name in tools.wanted)}


def profiles_of(tools, program):
    """Folders of recordings at the recorded sizes; of each size the round with the median time."""
    folders = []
    for ranks, workers in POINTS[program.name][:RECORDED]:
        name = f"{program.name} {ranks}/{workers}"

        def record(number, name=name, ranks=ranks, workers=workers):
            return tools.record(program, tools.folder("profile", name, number), ranks=ranks, workers=workers)["makespan_s"]

        times = tools.rounds(f"profile {name}", {"recorded": record})["recorded"]
        median = sorted(range(len(times)), key=times.__getitem__)[len(times) // 2]
        folders.append(tools.folder("profile", name, median))
    return folders


def predicted(tools, folders, ranks, workers):
    """{model: seconds} for so many ranks and workers; a model without an answer is left out."""
    catalogue, file = tools.out / "catalogue.json", tools.out / "predicted.json"
    catalogue.write_text(json.dumps(CATALOGUE))
    tools.weftsim("predict", *folders, "--catalogue", catalogue, "--ranks", ranks, "--ratio", "1,1024", "-q", "--replay",
                  "--platform", tools.calibrated(), "--json", file)
    choices = json.loads(file.read_text())["choices"]
    times = next(choice["times_s"] for choice in choices if choice["cores"] == workers)
    return {model: time for model, time in times.items() if time is not None}


def rows_of(tools, program, points):
    """A row for each point: {program, ranks, workers, real, spread, models: {name: error}}."""
    folders, rows = profiles_of(tools, program), []
    for ranks, workers in POINTS[program.name][RECORDED:RECORDED + points]:
        name = f"{program.name} {ranks}/{workers}"

        def run(_, ranks=ranks, workers=workers):
            return tools.seconds(program, ranks=ranks, workers=workers)

        real = tools.rounds(name, {"real": run})["real"]
        middle = statistics.median(real)
        rows.append({"program": program.name, "ranks": ranks, "workers": workers, "real": middle,
                     "spread": (max(real) - min(real)) / 2 / middle,
                     "models": {model: time / middle - 1 for model, time in predicted(tools, folders, ranks, workers).items()}})
    return rows


def mean_errors(rows):
    """{model: mean of the errors' sizes}, of models that have an answer at each of these points."""
    models = [model for model in rows[0]["models"] if all(model in row["models"] for row in rows)] if rows else []
    return {model: statistics.fmean(abs(row["models"][model]) for row in rows) for model in models}


def text_of(rows):
    models = list(dict.fromkeys(model for row in rows for model in row["models"]))
    lines = ["| program | ranks | workers | real s | half of its range | " + " | ".join(models) + " |",
             "|---|---|---|---|---|" + "---|" * len(models)]
    for row in rows:
        errors = [f"{100 * row['models'][m]:+.1f} %" if m in row["models"] else "-" for m in models]
        lines.append(f"| {row['program']} | {row['ranks']} | {row['workers']} | {row['real']:.3f} | {100 * row['spread']:.1f} % | "
                     + " | ".join(errors) + " |")
    for name in dict.fromkeys(row["program"] for row in rows):
        own = [row for row in rows if row["program"] == name]
        means = mean_errors(own)
        span = max(row["real"] for row in own) / min(row["real"] for row in own)
        lines.append(f"| **{name}, mean** | | | times span {span:.2f} x | | "
                     + " | ".join(f"{100 * means[m]:.1f} %" if m in means else "-" for m in models) + " |")
    return "\n".join(lines)


def main():
    options = arguments()
    (options.out / "work").mkdir(parents=True, exist_ok=True)
    tools = Tools(Weft(options.weft, options.weft.parent / "bench", options.out / "work"), options.out, options.rounds,
                  options.platform, programs_of(options.programs), [name for name in options.wanted.split(",") if name])
    where, rows, remarks, programs = machine(), [], [], all_programs(tools)
    for name in POINTS:
        if name not in programs:
            remarks.append(f"{name}: not measured")
            continue
        try:
            rows += rows_of(tools, programs[name], options.points)
        except Failed as failure:
            remarks.append(f"{name}: {failure}")
        tools.progress.end()
        text = f"2 cores of {where['cpu']}; {options.rounds} rounds; load {where['load_before']:.1f} before; {len(rows)} points\n\n"
        (options.out / "predict.md").write_text(text + text_of(rows) + "\n" + "".join(f"\n- {remark}" for remark in remarks) + "\n")
    print((options.out / "predict.md").read_text() if rows else "\n".join(remarks))
    return 0 if rows else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
