#!/usr/bin/env python3
"""Repeats the evaluation of MigBSP (Righi 2009, chapter 5) by simulation: prints its tables beside ours, in Markdown.

    bench/thesis.py BUILD/bin/weftsim [--jobs N] > tables.md

docs/thesis.md lists what the text leaves open and what is assumed; thesis_tables.py has the thesis's numbers."""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field

import thesis_tables as thesis

PLATFORM = pathlib.Path(__file__).parent / "thesis" / "platform.json"
SETS = [("l", 20), ("c", 16), ("f", 6), ("i", 112), ("a", 20)]  # in the platform's order
NAMES = [f"{letter}{node}" for letter, nodes in SETS for node in range(1, nodes + 1)]
# AMPI moved 10 MB in 1.21 s through 12.5 MB/s (section 5.3.1): moving a byte costs as much as so many bytes on the network.
MOVE_FACTOR = 12.5 / (10 / 1.21)


@dataclass(frozen=True)
class Case:
    """One simulated run. `scenario`: i without MigBSP, ii with it but no rank moves, iii with migrations."""

    app: str
    size: int  # supersteps of LBM, order of the others' matrix
    processes: int
    scenario: str
    alpha: int = 4
    strategy: str = ""  # empty: the thesis's strategy
    when: str = ""

    def strategies(self):
        if self.scenario == "i":
            return ["--lb", "none"]
        own = {"lbm": "migbsp:one,thesis", "smith-waterman": "migbsp:0.8,thesis,delta=0.5",
               "lu": "migbsp:0.8,thesis"}[self.app]
        # LU balances between stages, of two supersteps each.
        alpha = self.alpha // 2 if self.app == "lu" else self.alpha
        return ["--lb", self.strategy or own, "--lb-when", self.when or f"migbsp:{alpha}"]

    def workload(self):
        """Arguments of weftsim generate; work in 10^9 instructions, as speeds in 10^9 instructions a second."""
        if self.app == "lbm":
            grid, iterations = str(self.processes), self.size
            work, size, fixed, data = 10 / self.processes, 100_000, 500_000, 10e6 / self.processes
        elif self.app == "smith-waterman":
            grid, iterations = str(self.size), 1
            work, size, fixed, data = thesis.WAVEFRONT_FACTOR, 5_000_000 // self.size, 700_000, 5e6 / self.size
        else:
            rows, columns = thesis.LU_GRIDS[self.processes]
            grid, iterations = f"{columns}x{rows}", self.size
            work, size, fixed, data = 1e-6, 8, 0, 4 * self.size**2 / self.processes
        arguments = ["--grid", grid, "--iterations", iterations, "--work", work, "--bytes", size,
                     "--rank-bytes", int((fixed + data) * MOVE_FACTOR)]
        if self.app == "smith-waterman":
            arguments += ["--first-work", 0.001 * work]
        return arguments + (["--pinned"] if self.scenario == "ii" else [])

    def step_seconds(self):
        """Seconds that one rescheduling call takes: fitted, see thesis_tables.py."""
        return {"lbm": thesis.lbm_step, "smith-waterman": thesis.wavefront_step,
                "lu": thesis.lu_step}[self.app](self.processes)


@dataclass
class Run:
    seconds: float
    calls: int
    migrations: dict = field(default_factory=dict)  # by superstep: [(process, node)]


def simulate(weftsim, case):
    with tempfile.TemporaryDirectory() as folder:
        def path(name):
            return os.path.join(folder, name)

        platform = json.loads(PLATFORM.read_text())
        platform["balancing"]["step_us"] = case.step_seconds() * 1e6
        pathlib.Path(path("platform.json")).write_text(json.dumps(platform))
        subprocess.run([weftsim, "generate", case.app, path("workload")] + [str(a) for a in case.workload()],
                       check=True, stdout=subprocess.DEVNULL)
        subprocess.run([weftsim, "run", path("workload"), path("platform.json"), "--placement", "in-turn",
                        "--steps", path("steps.json")] + case.strategies(), check=True, stdout=subprocess.DEVNULL)
        result = json.loads(pathlib.Path(path("steps.json")).read_text())
    supersteps = 2 if case.app == "lu" else 1
    migrations = {supersteps * step["call"] + supersteps - 1: [(rank + 1, NAMES[to]) for rank, _, to in step["migrations"]]
                  for step in result["steps"] if step["migrations"]}
    return Run(result["makespan_s"], len(result["steps"]), migrations)


class Runs:
    """Results of cases. runs[case] simulates a case at its first use; simulate_all() simulates many in parallel."""

    def __init__(self, weftsim, jobs):
        self.weftsim = weftsim
        self.jobs = jobs
        self.runs = {}

    def simulate_all(self, cases):
        cases = list(dict.fromkeys(case for case in cases if case not in self.runs))
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            self.runs.update(zip(cases, pool.map(lambda case: simulate(self.weftsim, case), cases)))

    def __getitem__(self, case):
        self.simulate_all([case])
        return self.runs[case]


def ranges(numbers):
    """[1, 2, 3, 7] -> "1-3, 7" """
    spans = []
    for number in sorted(numbers):
        if spans and spans[-1][1] == number - 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in spans)


def migrations_text(migrations):
    """A text on which processes move to which nodes, by superstep."""
    parts = []
    for superstep, moves in sorted(migrations.items()):
        to = {}
        for process, node in moves:
            to.setdefault(node[0], []).append((process, int(node[1:])))
        parts += [f"{superstep}: p{ranges(p for p, _ in where)} → {letter}{ranges(n for _, n in where)}"
                  for letter, where in to.items()]
    return "; ".join(parts) or "none"


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def theirs_and_ours(theirs, ours):
    return f"{theirs:.2f} / {ours:.2f}"


def percent(value, base):
    return f"{100 * (value / base - 1):+.1f} %"


def scenario_cases(app, size, processes, alphas):
    return [Case(app, size, processes, "i")] + [
        Case(app, size, processes, scenario, alpha) for alpha in alphas for scenario in ("ii", "iii")]


def print_lbm(runs, lengths):
    for processes, rows in thesis.LBM.items():
        print(f"### Table {thesis.LBM_TABLES[processes]}: {processes} processes\n")
        cells = []
        for length, (one, *others) in rows.items():
            if length not in lengths:
                continue
            ours = [runs[case].seconds for case in scenario_cases("lbm", length, processes, (4, 8, 16))]
            cells.append([length] + [theirs_and_ours(a, b) for a, b in zip([one] + others, ours)])
        print(table(["supersteps", "i", "ii, α 4", "iii, α 4", "ii, α 8", "iii, α 8", "ii, α 16", "iii, α 16"], cells))
    print("### Who migrates: α 4, 2000 supersteps\n")
    rows = []
    for processes, text in thesis.LBM_MIGRATIONS.items():
        run = runs[Case("lbm", max(lengths), processes, "iii", 4)]
        rows.append([processes, text, f"{migrations_text(run.migrations)}; {run.calls} calls"])
    print(table(["processes", "thesis", "here"], rows))


def print_smith_waterman(runs, orders):
    print("### Table 5.8\n")
    rows = [["i"] + [theirs_and_ours(thesis.WAVEFRONT["i"][n], runs[Case("smith-waterman", n, n, "i")].seconds) for n in orders]]
    for scenario in ("ii", "iii"):
        for alpha in (2, 4, 8, 16):
            rows.append([f"{scenario}, α {alpha}"] + [
                theirs_and_ours(thesis.WAVEFRONT[scenario, alpha][n],
                                runs[Case("smith-waterman", n, n, scenario, alpha)].seconds) for n in orders])
    print(table(["scenario"] + [f"{n} × {n}" for n in orders], rows))
    print("### Who migrates\n")
    rows = []
    for (n, alpha), text in thesis.WAVEFRONT_MIGRATIONS.items():
        if n in orders:
            rows.append([f"{n} × {n}, α {alpha}", text,
                         migrations_text(runs[Case("smith-waterman", n, n, "iii", alpha)].migrations)])
    print(table(["matrix", "thesis", "here"], rows))


def print_lu(runs, orders):
    print("### Table 5.10 (and 5000 × 5000, from the text)\n")
    rows = []
    for order in orders:
        for processes, times in thesis.LU[order].items():
            ours = [runs[case].seconds for case in scenario_cases("lu", order, processes, (4,))]
            rows.append([f"{order} × {order}", processes] +
                        ["– / " + f"{b:.2f}" if a is None else theirs_and_ours(a, b) for a, b in zip(times, ours)])
    print(table(["matrix", "processes", "i", "ii", "iii"], rows))
    print("### Who migrates\n")
    print(table(["matrix", "processes", "thesis", "here"],
                [[f"{order} × {order}", processes, text,
                  migrations_text(runs[Case("lu", order, processes, "iii")].migrations)]
                 for (order, processes), text in thesis.LU_MIGRATIONS.items() if order in orders]))


OTHER_STRATEGIES = [("migbsp, as Weft has it", "migbsp", ""), ("the same, all candidates", "migbsp:0", ""),
                    ("refine", "refine", "auto"), ("greedy-refine", "greedy-refine", "auto"), ("greedy", "greedy", "auto"),
                    ("hwtopo", "hwtopo", "auto"), ("refine, every 50", "refine", "every:50")]


def cases_for_other_strategies(quick):
    if quick:
        return [Case("lbm", 100, 25, "i")]
    return [Case("lbm", 2000, p, "i") for p in (10, 25, 50, 100, 200)] + [
        Case("smith-waterman", n, n, "i") for n in (50, 200)] + [
        Case("lu", 2000, p, "i") for p in (25, 50, 200)]


def with_strategy(case, strategy, when):
    return Case(case.app, case.size, case.processes, "iii", 4, strategy, when)


def print_other_strategies(runs, cases):
    rows = []
    for case in cases:
        base = runs[case].seconds
        row = [f"{case.app} {case.size}, {case.processes} processes", f"{base:.2f} s",
               percent(runs[Case(case.app, case.size, case.processes, "iii", 4)].seconds, base)]
        for _, strategy, when in OTHER_STRATEGIES:
            run = runs[with_strategy(case, strategy, when)]
            moves = sum(len(step) for step in run.migrations.values())
            row.append(f"{percent(run.seconds, base)} ({moves})")
        rows.append(row)
    print(table(["case", "i", "thesis's MigBSP, α 4"] + [title for title, _, _ in OTHER_STRATEGIES], rows))


def print_agreement(runs, lengths, wavefronts, orders):
    """Prints how far our cells are from the thesis's, and how often the sign of iii against i is the same."""
    pairs = []  # (application, scenario, thesis, here, thesis's i, our i)
    for processes, rows in thesis.LBM.items():
        for length in lengths:
            ours = [runs[case].seconds for case in scenario_cases("lbm", length, processes, (4, 8, 16))]
            pairs += [("LBM", "i" if k == 0 else ("iii", "ii")[k % 2], a, b, rows[length][0], ours[0])
                      for k, (a, b) in enumerate(zip(rows[length], ours))]
    for n in wavefronts:
        base = runs[Case("smith-waterman", n, n, "i")].seconds
        pairs.append(("Smith-Waterman", "i", thesis.WAVEFRONT["i"][n], base, thesis.WAVEFRONT["i"][n], base))
        pairs += [("Smith-Waterman", s, thesis.WAVEFRONT[s, a][n], runs[Case("smith-waterman", n, n, s, a)].seconds,
                   thesis.WAVEFRONT["i"][n], base) for s in ("ii", "iii") for a in (2, 4, 8, 16)]
    for order in orders:
        for processes, times in thesis.LU[order].items():
            ours = [runs[case].seconds for case in scenario_cases("lu", order, processes, (4,))]
            pairs += [("LU", s, a, b, times[0], ours[0])
                      for s, a, b in zip(("i", "ii", "iii"), times, ours) if a is not None]
    rows = []
    for app in ("LBM", "Smith-Waterman", "LU"):
        row = [app]
        for scenario in ("i", "ii", "iii"):
            errors = [abs(b / a - 1) for name, s, a, b, _, _ in pairs if (name, s) == (app, scenario)]
            row.append(f"{100 * sum(errors) / len(errors):.1f} % (at most {100 * max(errors):.1f} %)")
        signs = [(a < i) == (b < j) for name, s, a, b, i, j in pairs if (name, s) == (app, "iii") and i and a != i]
        row.append(f"{sum(signs)} of {len(signs)}")
        rows.append(row)
    print(table(["application", "i: mean error", "ii", "iii", "iii has the same sign against i"], rows))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("weftsim")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--quick", action="store_true", help="small sizes alone, as the test of this script")
    arguments = parser.parse_args()
    runs = Runs(arguments.weftsim, arguments.jobs)
    lengths = [10, 50] if arguments.quick else [10, 50, 100, 500, 1000, 2000]
    wavefronts = [10] if arguments.quick else [10, 25, 50, 100, 200]
    orders = [] if arguments.quick else [500, 1000, 2000, 5000]
    cases = [case for p in thesis.LBM for n in lengths for case in scenario_cases("lbm", n, p, (4, 8, 16))]
    cases += [case for n in wavefronts for case in scenario_cases("smith-waterman", n, n, (2, 4, 8, 16))]
    cases += [case for n in orders for p in thesis.LU[n] for case in scenario_cases("lu", n, p, (4,))]
    cases += [with_strategy(case, s, w) for case in cases_for_other_strategies(arguments.quick) for _, s, w in OTHER_STRATEGIES]
    try:
        runs.simulate_all(sorted(cases, key=lambda case: -case.size * case.processes))
    except subprocess.CalledProcessError as error:
        sys.exit(f"thesis.py: {' '.join(error.cmd[:4])} ... ended with {error.returncode}")
    print("Cells are seconds: thesis / here.\n\n## Lattice-Boltzmann\n")
    print_lbm(runs, lengths)
    print("## Smith-Waterman\n")
    print_smith_waterman(runs, wavefronts)
    if orders:
        print("## LU\n")
        print_lu(runs, orders)
        print("## How far apart\n")
        print_agreement(runs, lengths, wavefronts, orders)
    print("## What Weft's other strategies make of it\n\nAgainst scenario i, and how many ranks moved in all.\n")
    print_other_strategies(runs, cases_for_other_strategies(arguments.quick))


if __name__ == "__main__":
    main()
