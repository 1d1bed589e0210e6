#!/usr/bin/env python3
"""Measures the errors of weftsim predict on this machine at given points: a program with so many ranks on one of six platforms.

predict.py [--weft build/release/bin] [--rounds 3] [--with PROGRAM,…] [--programs FILE] [--points N] [--out build/predict]

A program is recorded at three sizes, which are its profiles. At its other points it runs without a recording, and is compared with the
prediction of every model: four points have other numbers of ranks on the profiles' platforms, five are on platforms without a profile (two
processes, half a core, two hosts). Half a core needs root and a cgroup v1 controller; two hosts (network namespaces) need root.
Results are kept, so that an interrupted measurement continues. Missing programs are skipped and named."""

import argparse
import json
import os
import statistics
import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from balance_experiments import ondes3d_arguments
from balance_tools import Failed, Throttle, Weft, cores
from compare import machine
from simulate_hosts import PAYLOAD, RATES, Hosts
from simulate_tools import Program, Tools, programs_of
from two_hosts import TwoHosts  # simulate_hosts has set the path

ROOT = Path(__file__).resolve().parent.parent
# (ranks, platform), named before anything was measured: 12 a program, 120 in all. The first three are recorded, the next four are of
# platforms that those have, the last five are not.
RECORDED, SEEN = 3, 4
ANY = ((1, "1 worker"), (2, "2 workers"), (4, "2 workers"),
       (4, "1 worker"), (16, "1 worker"), (8, "2 workers"), (16, "2 workers"),
       (8, "2 processes"), (4, "half a core"), (16, "half a core"), (8, "100 Mbit/s"), (8, "1 Gbit/s"))
SQUARES = ((1, "1 worker"), (4, "2 workers"), (9, "2 workers"),
           (4, "1 worker"), (16, "1 worker"), (16, "2 workers"), (9, "1 worker"),
           (4, "2 processes"), (4, "half a core"), (16, "half a core"), (4, "100 Mbit/s"), (4, "1 Gbit/s"))
POINTS = {"CG": ANY, "EP": ANY, "FT": ANY, "IS": ANY, "LU": ANY, "MG": ANY, "BT": SQUARES, "SP": SQUARES, "ondes3d": ANY, "mol3d": ANY}
# (machine of the catalogue, instances of it)
MACHINES = {"1 worker": ("core", 1), "2 workers": ("cores", 1), "2 processes": ("cores", 1), "half a core": ("half", 1),
            "100 Mbit/s": ("100 Mbit/s", 2), "1 Gbit/s": ("1 Gbit/s", 2)}


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
    for ranks, platform in POINTS[program.name][:RECORDED]:
        name = f"{program.name} {ranks} on {platform}"

        def record(number, name=name, ranks=ranks, workers=int(platform.split()[0])):
            return tools.record(program, tools.folder("profile", name, number), ranks=ranks, workers=workers)["makespan_s"]

        times = tools.rounds(f"profile {name}", {"recorded": record})["recorded"]
        median = sorted(range(len(times)), key=times.__getitem__)[len(times) // 2]
        folders.append(tools.folder("profile", name, median))
    return folders


class Platforms:
    """The platforms of the points without a recording: runs programs there, and describes them in a catalogue of weftsim predict."""

    def __init__(self, tools, two):
        self.tools, self.hosts = tools, None if two is None else Hosts(tools, two)
        self.catalogue = tools.out / "catalogue.json"
        machines = [{"name": "core", "cores": 1}, {"name": "cores", "cores": 2}, {"name": "half", "cores": 1, "speed": 0.5}]
        networks = [{"name": "memory", "latency_us": 1, "bandwidth_mb_per_s": 5000}]
        if self.hosts:
            link = json.loads(self.hosts.calibrated(tools).read_text())["sites"][0]["link"]
            for rate, megabits in RATES.items():
                networks.append({"name": rate, "latency_us": link["latency_us"], "overhead_us": link["overhead_us"],
                                 "bandwidth_mb_per_s": megabits / 8 * PAYLOAD})
                machines.append({"name": rate, "cores": 1, "network": rate, "most_instances": 2})
        machines = [{"network": "memory", "price_per_hour": 0.05 * one["cores"]} | one for one in machines]
        self.catalogue.write_text(json.dumps({"weft_catalogue": 1, "networks": networks, "machines": machines}))

    def skip_reason(self, platform):
        """Why nothing can run there; None where it can."""
        if platform in RATES and not self.hosts:
            return "no network namespaces here: it takes an administrator"
        return Throttle.skip_reason() if platform == "half a core" else None

    def seconds(self, program, ranks, platform):
        if platform in RATES:
            self.hosts.limit(RATES[platform])
            there = replace(program, options=program.options + self.hosts.options)
            return self.tools.seconds(there, ranks=ranks, inside=("taskset", "-c", str(cores()[0]), *self.hosts.inside), timeout=600)
        if platform == "2 processes":
            return self.tools.seconds(program, "--processes", "2", ranks=ranks, workers=1)
        if platform == "half a core":
            with Throttle.job() as inside:
                return self.tools.seconds(program, ranks=ranks, workers=1, inside=inside, timeout=600)
        return self.tools.seconds(program, ranks=ranks, workers=int(platform.split()[0]))

    def predicted(self, folders, ranks, platform):
        """{model: predicted seconds} for so many ranks on the platform, of the models that have an answer."""
        file = self.tools.out / "predicted.json"
        self.tools.weftsim("predict", *folders, "--catalogue", self.catalogue, "--ranks", ranks, "--ratio", "1,1024", "-q", "--replay",
                           "--platform", self.tools.calibrated(), "--json", file)
        times = next(choice["times_s"] for choice in json.loads(file.read_text())["choices"]
                     if (choice["machine"], choice["instances"]) == MACHINES[platform])
        return {model: time for model, time in times.items() if time is not None}


def rows_of(tools, platforms, program, points):
    """A row for each point: {program, ranks, platform, seen, real, spread, models: {name: error}}."""
    folders, rows = profiles_of(tools, program), []
    for index, (ranks, platform) in enumerate(POINTS[program.name][RECORDED:RECORDED + points]):
        if platforms.skip_reason(platform):
            continue

        def run(_, ranks=ranks, platform=platform):
            return platforms.seconds(program, ranks, platform)

        real = tools.rounds(f"{program.name} {ranks} on {platform}", {"real": run})["real"]
        middle = statistics.median(real)
        rows.append({"program": program.name, "ranks": ranks, "platform": platform, "seen": index < SEEN, "real": middle,
                     "spread": (max(real) - min(real)) / 2 / middle,
                     "models": {model: time / middle - 1 for model, time in platforms.predicted(folders, ranks, platform).items()}})
    return rows


def mean_errors(rows):
    """{model: mean of the errors' sizes}, of models that have an answer at each of these points."""
    models = [model for model in rows[0]["models"] if all(model in row["models"] for row in rows)] if rows else []
    return {model: statistics.fmean(abs(row["models"][model]) for row in rows) for model in models}


def text_of(rows):
    models = list(dict.fromkeys(model for row in rows for model in row["models"]))
    lines = ["| program | ranks | platform | real s | half of its range | " + " | ".join(models) + " |",
             "|---|---|---|---|---|" + "---|" * len(models)]
    for row in rows:
        errors = [f"{100 * row['models'][m]:+.1f} %" if m in row["models"] else "-" for m in models]
        lines.append(f"| {row['program']} | {row['ranks']} | {row['platform']}{'' if row['seen'] else ', not in a profile'} | {row['real']:.3f} | {100 * row['spread']:.1f} % | "
                     + " | ".join(errors) + " |")
    groups = {name: [row for row in rows if row["program"] == name] for name in dict.fromkeys(row["program"] for row in rows)}
    groups["all but EP, platforms of the profiles"] = [row for row in rows if row["program"] != "EP" and row["seen"]]
    groups["all but EP, other platforms"] = [row for row in rows if row["program"] != "EP" and not row["seen"]]
    for name, own in groups.items():
        if own:
            means, times = mean_errors(own), [row["real"] for row in own]
            span = f"times span {max(times) / min(times):.2f} x" if own[0]["program"] == name else f"{len(own)} points"
            lines.append(f"| **{name}: mean** | | | {span} | | "
                         + " | ".join(f"{100 * means[m]:.1f} %" if m in means else "-" for m in models) + " |")
    return "\n".join(lines)


def main():
    options = arguments()
    (options.out / "work").mkdir(parents=True, exist_ok=True)
    tools = Tools(Weft(options.weft, options.weft.parent / "bench", options.out / "work"), options.out, options.rounds,
                  options.platform, programs_of(options.programs), [name for name in options.wanted.split(",") if name])
    where, rows, programs = machine(), [], all_programs(tools)
    with ExitStack() as stack:
        platforms = Platforms(tools, stack.enter_context(TwoHosts()))
        remarks = [f"{platform}: {why}" for platform in MACHINES if (why := platforms.skip_reason(platform))]
        for name in POINTS:
            if name not in programs:
                remarks.append(f"{name}: not measured")
                continue
            try:
                rows += rows_of(tools, platforms, programs[name], options.points)
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
    except Failed as failure:
        sys.exit(str(failure))
