#!/usr/bin/env python3
"""Measures the errors of weftsim predict on this machine: programs with 1 to 16 ranks on six platforms.

predict.py [--weft build/release/bin] [--rounds 3] [--with PROGRAM,…] [--programs FILE] [--out build/predict]

Each program is recorded at 12 points (POINTS), a fraction of all numbers of ranks on all platforms that was chosen before they were measured.
weftsim predict then predicts each of them from the other points: from those with another number of ranks, and from those on another platform.
Half a core needs root and a cgroup v1 controller; two hosts (network namespaces) need root.
Results are kept, so that an interrupted measurement continues. Missing programs and platforms are skipped and named."""

import argparse
import json
import os
import shutil
import statistics
import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from balance_experiments import ondes3d_arguments
from balance_tools import Failed, Throttle, Weft, cores
from compare import machine
from simulate_hosts import RATES, Hosts
from simulate_tools import Program, Tools, programs_of
from two_hosts import TwoHosts  # simulate_hosts has set the path

ROOT = Path(__file__).resolve().parent.parent
PAYLOAD = 1448 / 1514  # of a full Ethernet frame, behind the headers of Ethernet, IP and TCP
PLATFORMS = ("1 worker", "2 workers", "2 processes", "half a core", "100 Mbit/s", "1 Gbit/s")
# (ranks, platform): each platform with two numbers of ranks, each number of ranks on two to four platforms.
ANY = tuple(zip((1, 8, 2, 16, 4, 16, 1, 4, 2, 8, 4, 16), (platform for platform in PLATFORMS for _ in range(2))))
SQUARES = tuple(zip((1, 9, 4, 16, 4, 9, 1, 16, 4, 9, 9, 16), (platform for platform in PLATFORMS for _ in range(2))))
KEYS = {"size": "sizes_left_out", "platform": "machines_left_out"}  # in the JSON file of weftsim predict
POINTS = {"CG": ANY, "EP": ANY, "FT": ANY, "IS": ANY, "LU": ANY, "MG": ANY, "BT": SQUARES, "SP": SQUARES, "ondes3d": ANY, "mol3d": ANY}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weft", type=Path, default=ROOT / "build/release/bin", help="folder of weftcxx, weftrun, weftsim")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each point [default 3]")
    parser.add_argument("--with", dest="wanted", default="", help="only these programs, by commas [default: all]")
    parser.add_argument("--programs", type=Path, help="NPB as you have built it: an .ini file, see README.md; sections CG, EP, …")
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


class Platforms:
    """Runs programs on the platforms, and describes these in a catalogue of weftsim predict."""

    def __init__(self, tools, two):
        self.tools, self.hosts = tools, None if two is None else Hosts(tools, two)
        self.catalogue = tools.out / "catalogue.json"
        networks = [{"name": "memory", "latency_us": 1, "bandwidth_mb_per_s": 5000}]
        machines = [{"name": "1 worker", "cores": 1}, {"name": "2 workers", "cores": 2}, {"name": "2 processes", "cores": 2},
                    {"name": "half a core", "cores": 1, "quota": 0.5}]
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

    def record(self, program, folder, ranks, platform):
        """Seconds of the recorded run."""
        options, keywords = (), {"ranks": ranks, "timeout": 600}
        with ExitStack() as stack:
            if platform in RATES:
                self.hosts.limit(RATES[platform])
                program = replace(program, options=program.options + self.hosts.options)
                keywords["inside"] = ("taskset", "-c", str(cores()[0]), *self.hosts.inside)
            elif platform == "half a core":
                keywords |= {"workers": 1, "inside": stack.enter_context(Throttle.job())}
            elif platform == "2 processes":
                options, keywords["workers"] = ("--processes", "2"), 1
            else:
                keywords["workers"] = int(platform.split()[0])
            return self.tools.record(program, folder, *options, **keywords)["makespan_s"]


def recorded(tools, platforms, program):
    """{(ranks, platform): (folder of the run with the median time, its seconds, half of the range over it)}; of the other runs only the times are kept."""
    points = {}
    for ranks, platform in POINTS[program.name]:
        if platforms.skip_reason(platform):
            continue
        name = f"{program.name} {ranks} on {platform}"

        def record(number, name=name, ranks=ranks, platform=platform):
            return platforms.record(program, tools.folder("profile", name, number), ranks, platform)

        if f"{name}/recorded/0" not in tools.results.known:
            record("first")  # finds files and memory in another state than later runs, and does not count
            shutil.rmtree(tools.folder("profile", name, "first"), ignore_errors=True)
        times = tools.rounds(name, {"recorded": record})["recorded"]
        order = sorted(range(len(times)), key=times.__getitem__)
        middle = order.pop(len(times) // 2)
        if not tools.folder("profile", name, middle).exists():
            raise Failed(f"{name}: with these rounds another run has the median time, whose recording is gone; use another --out")
        for number in order:
            shutil.rmtree(tools.folder("profile", name, number), ignore_errors=True)
        points[ranks, platform] = (tools.folder("profile", name, middle), times[middle], (max(times) - min(times)) / 2 / times[middle])
    return points


def rows_of(tools, platforms, program):
    """A row for each point: {program, ranks, platform, real, spread, errors: {"size": {model: error}, "platform": {…}}}."""
    points, file = recorded(tools, platforms, program), tools.out / f"{program.name}.json"
    tools.weftsim("predict", *(f"{folder}@{platform}" for (_, platform), (folder, _, _) in points.items()), "--catalogue", platforms.catalogue,
                  "-q", "--replay", "--platform", tools.calibrated(), "--json", file)
    rows = [{"program": program.name, "ranks": ranks, "platform": platform, "real": real, "spread": spread, "errors": {"size": {}, "platform": {}}}
            for (ranks, platform), (_, real, spread) in points.items()]
    for model in json.loads(file.read_text())["models"]:
        for left_out in ("size", "platform"):
            for run in model[KEYS[left_out]]["runs"]:
                if run["predicted_s"] is not None:
                    rows[run["profile"]]["errors"][left_out][model["name"]] = run["predicted_s"] / run["measured_s"] - 1
    return rows


def mean_errors(rows, left_out):
    """{model: mean of the errors' sizes}, of models that have an answer at each of these points."""
    errors = [row["errors"][left_out] for row in rows]
    return {model: statistics.fmean(abs(own[model]) for own in errors) for model in errors[0] if all(model in own for own in errors)}


def text_of(rows):
    models = list(dict.fromkeys(model for row in rows for errors in row["errors"].values() for model in errors))
    heads = [f"{model}, {left_out} left out" for left_out in ("size", "platform") for model in models]
    lines = ["| program | ranks | platform | real s | half of its range | " + " | ".join(heads) + " |", "|---" * (5 + len(heads)) + "|"]

    def line(cells, errors, form):
        return "| " + " | ".join(cells + [format(100 * errors[key][m], form) + " %" if m in errors[key] else "-"
                                          for key in ("size", "platform") for m in models]) + " |"

    for row in rows:
        lines.append(line([row["program"], str(row["ranks"]), row["platform"], f"{row['real']:.3f}", f"{100 * row['spread']:.1f} %"],
                          row["errors"], "+.1f"))
    groups = {name: [row for row in rows if row["program"] == name] for name in dict.fromkeys(row["program"] for row in rows)}
    if trivial := groups.pop("EP", None):
        groups["EP, which is trivial"] = trivial
    groups["all but EP"] = [row for row in rows if row["program"] != "EP"]
    for name, own in groups.items():
        if own:
            times = [row["real"] for row in own]
            span = f"{len(own)} points" if name == "all but EP" else f"times span {max(times) / min(times):.2f} x"
            lines.append(line([f"**{name}: mean**", "", "", span, ""], {key: mean_errors(own, key) for key in ("size", "platform")}, ".1f"))
    return "\n".join(lines)


def main():
    options = arguments()
    (options.out / "work").mkdir(parents=True, exist_ok=True)
    tools = Tools(Weft(options.weft, options.weft.parent / "bench", options.out / "work"), options.out, options.rounds,
                  options.platform, programs_of(options.programs), [name for name in options.wanted.split(",") if name])
    where, rows, programs = machine(), [], all_programs(tools)
    with ExitStack() as stack:
        platforms = Platforms(tools, stack.enter_context(TwoHosts()))
        remarks = [f"{platform}: {why}" for platform in PLATFORMS if (why := platforms.skip_reason(platform))]
        for name in POINTS:
            if name not in programs:
                remarks.append(f"{name}: not measured")
                continue
            try:
                rows += rows_of(tools, platforms, programs[name])
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
