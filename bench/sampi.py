#!/usr/bin/env python3
"""Repeats the evaluation of SAMPI (Keller Tesser 2016): makes its tables, in Markdown, from recordings of ondes3d.

    bench/sampi.py BUILD --data ONDES3D_DATA --work FOLDER > tables.md

BUILD contains bin/weftrun, weftsim and ondes3d. Files that FOLDER has already are used as they are. docs/sampi.md lists
what the text leaves open and what is assumed."""

import argparse
import itertools
import json
import pathlib
import subprocess
import sys

from sampi_cases import CASES, CORES, GRIDS, record

HERE = pathlib.Path(__file__).parent / "sampi"
PERIODS = (10, 20, 30, 40)
RATIOS = (2, 3, 4, 8, 16)
FINE = 16  # the ratio from whose recording the others are made, except 3, which does not divide it
# The least imbalance that allows a gain of 36.58 %: 1 / (1 - 0.3658). Assumed cases are fitted to it: they cannot confirm it.
PAPER_IMBALANCE = 1.577
# Speed of cores of the paper's machines with the public code, relative to a core of the recording with our code: 18 times
# the work for a cell (docs/ondes3d.md, double against single precision), times an assumed speed of the core.
PARAPLUE_SPEED = 1 / 18 / 3
BRGM_SPEED = 1 / 18 / 2
# Recorded ranks hold 160 x 160 x 80 cells, absorbing layers included; the large grid has 1172 x 1172 x 394.
LARGE = (1172, 1172, 394)
RECORDED = (160, 160, 80)
LARGE_CASE = "chuetsu-oki"
LARGE_GRIDS = {8: (48, 48), 16: (72, 64)}


def log(text):
    print(text, file=sys.stderr, flush=True)


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def grid_text(grid):
    return "x".join(str(extent) for extent in grid)


def percent(part):
    return f"{100 * part:+.1f} %"


class Simulator:
    """Calls weftsim; all files are in one folder."""

    def __init__(self, weftsim, folder, jobs):
        self.weftsim = weftsim
        self.folder = folder
        self.jobs = jobs

    def call(self, *arguments):
        ran = subprocess.run([self.weftsim] + [str(argument) for argument in arguments], capture_output=True, text=True)
        if ran.returncode != 0:
            sys.exit(f"weftsim {arguments[0]}: {ran.stderr.strip()}")
        return ran.stdout

    def file(self, name):
        return self.folder / name

    def make(self, name, *arguments):
        """Lets weftsim make the file unless it exists. OUT among the arguments stands for the file."""
        file = self.file(name)
        if not file.exists():
            part = self.file(name + ".part")
            self.call(*(part if argument == "OUT" else argument for argument in arguments))
            part.rename(file)
        return file

    def tile(self, name, recorded, fine, grid, **factors):
        """A workload of the main loop; factors: work, bytes, rank_bytes, contrast."""
        options = {"work": "--work-times", "bytes": "--bytes-times", "rank_bytes": "--rank-bytes-times",
                   "contrast": "--contrast"}
        given = itertools.chain.from_iterable((options[key], repr(value)) for key, value in factors.items())
        return self.make(name, "generate", "tile", "OUT", "--recorded", recorded, "--recorded-grid", grid_text(fine),
                         "--grid", grid_text(grid), *given)

    def run(self, name, workload, platform, *options):
        return json.loads(self.make(name, "run", workload, platform, "--json", "OUT", *options).read_text())

    def sweep(self, name, workloads, platform, *options):
        """Settings by (ranks, strategy, when)."""
        file = self.make(name, "sweep", *workloads, platform, "--json", "OUT", "--quiet", "--jobs", self.jobs, *options)
        settings = json.loads(file.read_text())["settings"]
        return {(setting["ranks"], setting["lb"], setting["lb_when"]): setting for setting in settings}


def imbalance(iterations):
    """(imbalance of the totals, mean of the iterations' imbalances). Imbalance: the longest worker over the mean."""
    totals = [sum(column) for column in zip(*iterations)]
    own = [max(row) * len(row) / sum(row) for row in iterations if sum(row) > 0]
    return max(totals) * len(totals) / sum(totals), sum(own) / len(own)


def ranks_of(ratio):
    return GRIDS[ratio][0] * GRIDS[ratio][1]


def aggregate_options(ratio):
    """Arguments of weftsim aggregate that make this ratio from the fine one."""
    return ("--grid", grid_text(GRIDS[FINE]), "--blocks",
            grid_text(fine // coarse for fine, coarse in zip(GRIDS[FINE], GRIDS[ratio])))


class Traces:
    """The workloads of a case, by ratio: main loops of recordings, and coarser ones made from the fine one's."""

    def __init__(self, simulator, name, recordings, contrast=None):
        self.simulator = simulator
        self.name = name
        self.recordings = recordings  # by ratio
        self.by_ratio = {}
        for ratio in (FINE, 3):
            if ratio in recordings:
                factor = {} if contrast is None else {"contrast": contrast[ratio]}
                self.by_ratio[ratio] = simulator.tile(f"{name}-{ratio}.actions", recordings[ratio], GRIDS[ratio],
                                                      GRIDS[ratio], **factor)
        for ratio in (2, 4, 8):
            self.by_ratio[ratio] = simulator.make(f"{name}-{ratio}.actions", "aggregate", self.by_ratio[FINE], "OUT",
                                                  *aggregate_options(ratio))

    def workloads(self):
        return [self.by_ratio[ratio] for ratio in RATIOS if ratio in self.by_ratio]

    def imbalance(self, ratio):
        """The imbalance of 16 cores without balancing."""
        return imbalance(self.run(ratio, "cores", "--workers", CORES)["iterations"])

    def rank_imbalance(self, ratio):
        return imbalance(self.run(ratio, "ranks", "--hosts", ranks_of(ratio))["iterations"])

    def run(self, ratio, what, *options):
        return self.simulator.run(f"{self.name}-{ratio}-{what}.json", self.by_ratio[ratio], HERE / "paraplue.json",
                                  *options)

    def contrasts(self):
        """For each recorded ratio the contrast that raises the imbalance of 16 cores to the paper's."""
        return {ratio: (PAPER_IMBALANCE - 1) / (self.imbalance(ratio)[0] - 1) for ratio in (FINE, 3)
                if ratio in self.by_ratio}


def print_imbalances(all_traces):
    rows = []
    for traces in all_traces:
        for ratio in sorted(traces.recordings, reverse=True):
            if ratio in (FINE, 3):
                ranks, cores = traces.rank_imbalance(ratio), traces.imbalance(ratio)
                rows.append([traces.name, ranks_of(ratio)] + [f"{value:.3f}" for value in (*ranks, *cores)])
    print("### Imbalance of the recordings\n\nLongest over mean of what is computed: in all, and mean of the iterations.\n")
    print(table(["recording", "ranks", "ranks, in all", "by iteration", "16 cores, in all", "by iteration"], rows))


def print_additivity(simulator, all_traces):
    rows = []
    for traces in all_traces:
        for ratio in (2, 4, 8):
            if ratio in traces.recordings:
                real = simulator.tile(f"{traces.name}-{ratio}-real.actions", traces.recordings[ratio], GRIDS[ratio],
                                      GRIDS[ratio])
                output = simulator.call("aggregate", traces.by_ratio[FINE], simulator.file(f"{traces.name}-again.actions"),
                                        *aggregate_options(ratio), "--real", real)
                rows.append([traces.name, ratio, output.strip().split(": ")[-1]])
    if rows:
        print("### Spatial aggregation against a real coarse recording\n")
        print(table(["case", "ratio", "error of the work"], rows))


STRATEGIES = ("greedy", "refine")


def settings_table(traces, results):
    """Makespans, gains over none of the same ratio, and moves at period 20."""
    rows = []
    for ratio in RATIOS:
        if ratio not in traces.by_ratio:
            continue
        ranks = ranks_of(ratio)
        base = results[ranks, "none", "-"]["makespan_s"]
        row = [ratio, f"{base:.4g}"]
        for strategy in STRATEGIES:
            row += [percent(results[ranks, strategy, f"every:{period}"]["makespan_s"] / base - 1) for period in PERIODS]
        moves = (str(results[ranks, strategy, "every:20"]["moves"]) for strategy in STRATEGIES)
        rows.append(row + [" / ".join(moves)])
    return table(["ratio", "none, s"] + [f"{strategy}, {period}" for strategy in STRATEGIES for period in PERIODS] +
                 ["moves at 20: greedy / refine"], rows)


def best_ratio(results, strategy):
    when = "every:20" if strategy != "none" else "-"
    times = {ratio: results[ranks_of(ratio), strategy, when]["makespan_s"] for ratio in RATIOS
             if (ranks_of(ratio), strategy, when) in results}
    return min(times, key=times.get)


def period_order(values):
    """A text on which period is best. `values`: the makespans of PERIODS."""
    if list(values) == sorted(values):
        return "the shorter the better"
    if list(values) == sorted(values, reverse=True):
        return "the longer the better"
    return f"best {PERIODS[values.index(min(values))]}"


def ranking(name, machine, results):
    row = [name, machine]
    for strategy in STRATEGIES:
        row.append(period_order([results[64, strategy, f"every:{period}"]["makespan_s"] for period in PERIODS]))
    row += [best_ratio(results, strategy) for strategy in ("none", *STRATEGIES)]
    greedy, refine = (results[64, strategy, "every:20"]["makespan_s"] for strategy in STRATEGIES)
    return row + [f"{'greedy' if greedy < refine else 'refine'} by {100 * abs(greedy / refine - 1):.1f} %"]


def print_sweeps(simulator, all_traces, machines):
    rankings = []
    print("### None, greedy and refine by period and ratio\n\nAgainst none of the same ratio.\n")
    for (machine, speed), traces in itertools.product(machines, all_traces):
        log(f"sweep: {traces.name}, {machine}")
        results = simulator.sweep(f"{traces.name}-{speed:.3f}.sweep", traces.workloads(), HERE / "paraplue.json",
                                  "--workers", CORES, "--speed", speed, "--lb", "none,greedy,refine", "--lb-when",
                                  ",".join(f"every:{period}" for period in PERIODS))
        print(f"#### {traces.name}, {machine}\n")
        print(settings_table(traces, results), flush=True)
        rankings.append(ranking(traces.name, machine, results))
    print("### What is best\n\nPeriods at ratio 4, ratios at period 20.\n")
    paper = [["Chuetsu-Oki in the paper", "", "", "", "", "", "", "greedy"],
             ["Ligurian in the paper", "", "the longer the better", "the shorter the better", "2", "2", "4", "refine"]]
    print(table(["case", "machine", "greedy's period", "refine's period", "none's ratio", "greedy's ratio",
                 "refine's ratio", "64 ranks, period 20"], paper + rankings))


SPEEDS = (1.0, 0.5, 0.25, 0.1, 0.05, PARAPLUE_SPEED)


def print_speeds(simulator, all_traces):
    """Prints whether greedy or refine is ahead as cores become slower, so that moving costs less beside computing."""
    rows = []
    for traces in all_traces:
        row = [traces.name]
        for speed in SPEEDS:
            results = simulator.sweep(f"{traces.name}-at-{speed:.3f}.sweep", [traces.by_ratio[4]],
                                      HERE / "paraplue.json", "--workers", CORES, "--speed", speed, "--lb",
                                      "greedy,refine", "--lb-when", "every:20")
            greedy, refine = (results[ranks_of(4), strategy, "every:20"]["makespan_s"] for strategy in STRATEGIES)
            row.append(percent(greedy / refine - 1))
        rows.append(row)
    print("### Greedy against refine by the speed of a core\n\nRatio 4, period 20.\n")
    print(table(["case", *(f"{speed:.3g}" for speed in SPEEDS)], rows))


LARGE_STRATEGIES = ("refine", "greedy", "greedy-refine", "hwtopo", "hierarchical")


def large_grid_workload(simulator, recording, ratio, label, contrast):
    """A workload of the recorded ranks, with as many cells for each as in the large grid."""
    grid = LARGE_GRIDS[ratio]
    large_cells = [size / count for size, count in zip(LARGE, (*grid, 1))]
    cells = [size / count for size, count in zip(RECORDED, (*GRIDS[FINE], 1))]
    volume = large_cells[0] * large_cells[1] * large_cells[2] / (cells[0] * cells[1] * cells[2])
    faces = (large_cells[0] + large_cells[1]) * large_cells[2] / ((cells[0] + cells[1]) * cells[2])
    return simulator.tile(f"large-{ratio}-{label}.actions", recording, GRIDS[FINE], grid, work=volume, bytes=faces,
                          rank_bytes=volume, contrast=contrast)


def print_large_grid(simulator, name, recording, contrast):
    rows = []
    for ratio, (label, factor) in itertools.product(LARGE_GRIDS, (("recorded", 1.0), ("assumed", contrast))):
        log(f"288 cores: ratio {ratio}, {label}")
        workload = large_grid_workload(simulator, recording, ratio, label, factor)
        results = simulator.sweep(f"large-{ratio}-{label}.sweep", [workload], HERE / "brgm.json", "--speed",
                                  BRGM_SPEED, "--lb", ",".join(("none", *LARGE_STRATEGIES)), "--lb-when", "every:20")
        ranks = next(iter(results))[0]
        base = results[ranks, "none", "-"]
        rows.append([ratio, label, f"{base['makespan_s']:.4g}", f"{base['imbalance']:.3f}"] +
                    [f"{percent(one['makespan_s'] / base['makespan_s'] - 1)} ({one['moves']})"
                     for one in (results[ranks, strategy, "every:20"] for strategy in LARGE_STRATEGIES)])
    print(f"### 288 cores: {name}, tiled to 1152 x 1152 x 384 cells\n\nAgainst none, and how many moves; every 20.\n")
    print(table(["ratio", "imbalance", "none, s", "its imbalance", *LARGE_STRATEGIES], rows))


def write_page(simulator, traces):
    """Writes a page with the paper's pictures: the Ligurian case with none, greedy and refine, and all periods and ratios."""
    files = []
    for ratio, strategy, period in [(4, "none", 20)] + [(4, s, 20) for s in STRATEGIES] + [
            (4, s, p) for s in STRATEGIES for p in (10, 30, 40)] + [
            (r, s, 20) for r in RATIOS if r != 4 and r in traces.by_ratio for s in ("none", *STRATEGIES)]:
        whole = ratio == 4 and period == 20
        files.append(simulator.make(
            f"{traces.name}-{ratio}-{strategy}-{period}.json", "run", traces.by_ratio[ratio], HERE / "paraplue.json",
            "--workers", CORES, "--speed", PARAPLUE_SPEED, "--lb", strategy, "--lb-when", f"every:{period}",
            "--json" if whole else "--steps", "OUT"))
    page = simulator.file(f"{traces.name}.html")
    simulator.call("report", page, *files)
    log(f"pictures: {page}")


def make_recordings(simulator, build, data, case, denormals, ratios):
    """Makes compiled recordings, by ratio. Uses those that are in the folder already."""
    result = {}
    for ratio in ratios:
        log(f"recording: {case.name}, {ranks_of(ratio)} ranks{', denormals kept' if denormals else ''}")
        recording = record(build, data, simulator.folder, case, ratio, denormals)
        result[ratio] = simulator.make(f"{recording.stem}.whole", "compile", recording, "OUT")
    return result


def stencil_recordings(simulator):
    """Stencils that replace recordings in the test of this script."""
    result = {}
    for ratio in (FINE, 4, 3):
        result[ratio] = simulator.make(
            f"stencil-{ratio}.whole", "generate", "stencil", "OUT", "--grid", grid_text(GRIDS[ratio]), "--iterations", 41,
            "--work", 0.016 / ratio, "--imbalance", "linear", "--amount", 0.2, "--rank-bytes", 100_000)
    return result


def evaluate(simulator, cases, machines):
    """Prints all tables. `cases`: {(name, denormals kept): recordings by ratio}."""
    traces = {key: Traces(simulator, key[0] + ("-denormals" if key[1] else ""), recordings)
              for key, recordings in cases.items()}
    print_imbalances(traces.values())
    assumed = {}
    for (name, denormals), plain in list(traces.items()):
        if not denormals:
            assumed[name] = plain.contrasts()
            traces[name, "assumed"] = Traces(simulator, f"{name}-assumed", plain.recordings, assumed[name])
    print("Assumed cases: differences from the mean work times " + "; ".join(
        f"{name} " + ", ".join(f"{factor:.2f} ({ranks_of(ratio)} ranks)"
                               for ratio, factor in factors.items()) for name, factors in assumed.items()) + ".\n")
    sys.stdout.flush()
    print_additivity(simulator, [one for (_, kind), one in traces.items() if kind is False])
    print_sweeps(simulator, traces.values(), machines)
    print_speeds(simulator, traces.values())
    write_page(simulator, traces[list(assumed)[-1], "assumed"])
    sys.stdout.flush()
    if LARGE_CASE in assumed:
        print_large_grid(simulator, LARGE_CASE, cases[LARGE_CASE, False][FINE], assumed[LARGE_CASE][FINE])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--data", type=pathlib.Path, help="folder with chuetsu3d and ligurian")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="folder of recordings and of what comes of them")
    parser.add_argument("--record", default="16,4", help="ratios to record, 16 among them [16,4]")
    parser.add_argument("--cases", default="chuetsu-oki,ligurian", help="which of both [both]")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--quick", action="store_true", help="stencils in place of recordings, as the test of this script")
    arguments = parser.parse_args()
    build, work = arguments.build.resolve(), arguments.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    simulator = Simulator(build / "bin" / "weftsim", work, arguments.jobs)
    machines = [("16 cores as slow as the paper's", PARAPLUE_SPEED), ("16 cores as those recorded", 1.0)]
    if arguments.quick:
        return evaluate(simulator, {("stencil", False): stencil_recordings(simulator)}, machines[:1])
    if arguments.data is None or not (arguments.data / "ligurian").is_dir():
        sys.exit("sampi.py: --data must name the folder with chuetsu3d and ligurian")
    ratios = [int(ratio) for ratio in arguments.record.split(",")]
    cases = {}
    wanted = [case for case in CASES if case.name in arguments.cases.split(",")]
    for case, denormals in itertools.product(wanted, (False, True)):
        cases[case.name, denormals] = make_recordings(simulator, build, arguments.data.resolve(), case, denormals,
                                                      (FINE,) if denormals else ratios)
    return evaluate(simulator, cases, machines)


if __name__ == "__main__":
    main()
