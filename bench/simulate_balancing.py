"""simulate.py's experiments with balancing: strategies and periods (V2), and disturbed cores, which the recording does not have (V3)."""

import json
import re
import statistics
from dataclasses import dataclass, replace
from typing import Callable

from balance_experiments import ondes3d_arguments
from balance_tools import Failed, Throttle, cores, hog
from simulate_replays import makespan_row, platforms_for, recordings, simulations
from simulate_tools import Program, Row, spread_of

STRATEGIES = ("greedy", "refine", "background", "hierarchical")


def balanced_programs(tools, uneven=False):
    """Programs with 16 ranks on two workers and a call of MPI_Migrate in each step, and the user's programs. Uneven: one worker has
    more to do, if the program has an option for that."""
    weft = tools.weft

    def app(name, *arguments):
        return Program(name, [weft.build(name), *map(str, arguments), "--verify", "0"])

    chuetsu = weft.apps / "ondes3d/cases/chuetsu/chuetsu.prm"
    steps = ("--steps", 60, "--migrate-every", 1)
    lu, mol3d = ("--n", 2048, "--panel", 16, "--migrate-every", 2), ("--side", 40, "--steps", 60, "--migrate-every", 1)
    known = [Program("ondes3d", [str(weft.bin / "ondes3d"), *map(str, ondes3d_arguments(weft, chuetsu, *steps))])]
    known += [app("lu", *lu, "--cyclic", 0), app("mol3d", *mol3d, "--thin", 30)] if uneven else [app("lu", *lu), app("mol3d", *mol3d)]
    return tools.chosen(known)


def write_sweep_table(path, makespans):
    """Writes a file such as `weftsim sweep` writes: the median and spread of seconds, by (strategy, rule). Returns its path."""
    settings = [{"lb": lb, "lb_when": when, "lb_model": "-" if lb == "none" else "last", "makespan_s": statistics.median(seconds),
                 "spread_s": spread_of(seconds) * statistics.median(seconds)} for (lb, when), seconds in makespans.items()]
    path.write_text(json.dumps({"weft_sweep": 1, "settings": settings}))
    return path


def compare_rankings(tools, real, simulated):
    """(Kendall's tau, number of pairs that really differ by more than both spreads, fraction by which the chosen setting takes longer than
    the best)."""
    text = tools.weftsim("compare", write_sweep_table(tools.out / "real.json", real), write_sweep_table(tools.out / "simulated.json", simulated))
    found = re.search(r"Kendall's tau (\S+) over (\d+) pairs; the setting it chooses, .* takes (\S+?)%? of the best", text)
    if not found:
        raise Failed(f"weftsim compare says: {text.splitlines()[-1]}")
    return float(found.group(1)), int(found.group(2)), float(found.group(3)) / 100


def sweep_recordings(tools, program, platforms):
    """{(strategy, rule): makespans simulated from each of the recordings, each on its platform}."""
    found = {}
    for recording, platform in zip(recordings(tools, "V2", program), platforms, strict=True):
        rules = [f"every:{period}" for period in program.periods]
        settings = tools.sweep(recording, "--workers", program.workers, "--lb", ",".join(("none", *STRATEGIES)), "--lb-when",
                               ",".join(rules), platform=platform)
        for one in settings:
            found.setdefault((one["lb"], one["lb_when"]), []).append(one["makespan_s"])
    return found


def measure_strategies(tools):
    """V2: recorded without balancing, simulated and run with four strategies at four periods."""
    rows = []
    for program in balanced_programs(tools, uneven=True):
        name = f"V2 {program.name}"
        settings = {("none", "-"): ()} | {(lb, f"every:{period}"): ("--lb", lb, "--lb-period", str(period))
                                          for lb in STRATEGIES for period in program.periods}

        def record(number, program=program):
            return tools.record(program, tools.folder("V2", program.name, number))

        variants = {" ".join(key): (lambda _, program=program, options=options: tools.seconds(program, *options))
                    for key, options in settings.items()}
        runs = tools.rounds(name, {"recorded": record} | variants)
        real = {key: runs[" ".join(key)] for key in settings}
        for label, platforms in platforms_for(tools, recordings(tools, "V2", program)).items():
            rows += rows_of_strategies(tools, name, real, sweep_recordings(tools, program, platforms), label)
    return rows


def rows_of_strategies(tools, name, real, simulated, label):
    """`real` and `simulated`: makespans by (strategy, rule). A fitted platform has no row without balancing: it is fitted to such runs."""
    rows = []
    for lb in STRATEGIES if label else ("none", *STRATEGIES):
        every = [Row(name, f"{lb} {when}", statistics.median(seconds), statistics.median(simulated[lb, when]), 0.05, spread_of(seconds))
                 for (strategy, when), seconds in real.items() if strategy == lb]
        worst = max(every, key=lambda row: abs(row.error))
        of_periods = "" if len(every) == 1 else f", of {len(every)} periods the furthest off"
        rows.append(replace(worst, what=worst.what + of_periods + label))
    tau, pairs, more = compare_rankings(tools, real, simulated)
    rows.append(Row(name, f"1 - Kendall's tau, {pairs} pairs differ{label}", None, 1 - tau, 0.1,
                    cause="" if pairs >= 10 else "fewer than 10 pairs"))
    rows.append(Row(name, f"the setting that it chooses, over the real best{label}", None, more, 0.03))
    return rows


@dataclass
class Disturbance:
    """Something that takes time from a job's cores, and the values of the platform that describe it."""

    about: str
    beside: Callable  # (process of the job): a context
    changes: Callable  # (name of the host): values of weftsim's --set
    skip_reason: Callable = lambda: None  # why it cannot be made here; None: it can


MOVES_AFTER_S = 1.0
LONGEST_S = 60.0


def moving_hog(host):
    """Values of --set for a hog that begins on the first core and changes to the other core after each second."""
    times = [index * MOVES_AFTER_S for index in range(int(LONGEST_S / MOVES_AFTER_S))]
    return [f'hogs[+]={{"host": "{host}", "core": {index % 2}, "from_s": {begin}, "until_s": {begin + MOVES_AFTER_S}}}'
            for index, begin in enumerate(times)]


DISTURBANCES = {
    "hog": Disturbance("a hog on the second core", lambda _: hog(cores()[1:2]), lambda host: [f'hogs[+]={{"host": "{host}", "core": 1}}']),
    "moving hog": Disturbance("a hog that changes its core each second", lambda _: hog(cores()[:2], MOVES_AFTER_S), moving_hog),
    "half": Disturbance("half of the second core", lambda pid: Throttle(cores()[1])(pid),
                        lambda host: [f'quotas[+]={{"host": "{host}", "core": 1, "cores": 0.5, "period_ms": {Throttle.PERIOD_US / 1000}}}'],
                        Throttle.skip_reason)}


def measure_disturbed(tools):
    """V3: recorded without disturbance and balancing; run and simulated with a disturbance, without balancing and with refine."""
    rows = []
    host = json.loads(tools.calibrated().read_text())["sites"][0]["hosts"][0]["name"]
    for program in balanced_programs(tools):
        balancing = {"none": (), "refine": ("--lb", "refine", "--lb-period", str(program.periods[0]))}
        possible = {key: one for key, one in DISTURBANCES.items() if not one.skip_reason()}

        def record(number, program=program):
            return tools.record(program, tools.folder("V3", program.name, number))

        def run(program, options, beside):
            return lambda _: tools.seconds(program, *options, beside=beside)

        variants = {f"{key}, {lb}": run(program, options, one.beside)
                    for key, one in possible.items() for lb, options in balancing.items()}
        runs = tools.rounds(f"V3 {program.name}", {"recorded": record} | variants)
        both = platforms_for(tools, recordings(tools, "V3", program))
        for key, one in possible.items():
            for lb in balancing:
                options = [word for change in one.changes(host) for word in ("--set", change)]
                options += [] if lb == "none" else ["--lb", lb, "--lb-when", f"every:{program.periods[0]}"]
                for label, platforms in both.items():
                    simulated = simulations(tools, "V3", program, platforms, "--workers", program.workers, *options)
                    rows.append(makespan_row(f"V3 {program.name}", runs[f"{key}, {lb}"], simulated, 0.07, f"{one.about}, {lb}{label}"))
    return rows


EXPERIMENTS = {"V2": ("strategies and periods", measure_strategies), "V3": ("predicted beside others that the recording has not seen", measure_disturbed)}
