"""simulate.py's experiments without balancing: replays of runs as they were recorded, with fewer ranks, and on other workers."""

import json
import statistics
from dataclasses import dataclass, replace
from pathlib import Path

from balance_experiments import ondes3d_arguments
from simulate_tools import Program, Row, balance_of, loads_of, median_cells, nrmse, spread_of


def all_programs(tools):
    """The programs of apps/ and the user's: 16 ranks on two workers, one to five seconds each."""
    weft = tools.weft

    def app(name, *arguments):
        return Program(name, [weft.build(name), *map(str, arguments), "--verify", "0"])

    chuetsu = weft.apps / "ondes3d/cases/chuetsu/chuetsu.prm"
    steps = ("--steps", 60, "--migrate-every", 10)
    known = [Program("ondes3d", [str(weft.bin / "ondes3d"), *map(str, ondes3d_arguments(weft, chuetsu, *steps))]),
             app("lu", "--n", 2048, "--panel", 16, "--migrate-every", 16),
             app("lbm2d", "--nx", 1024, "--ny", 1024, "--steps", 100, "--rock", 30, "--migrate-every", 10),
             app("wave2d", "--nx", 2048, "--ny", 2048, "--steps", 150, "--work", 8, "--heavy", 50, "--migrate-every", 15),
             app("mol3d", "--side", 40, "--steps", 60, "--migrate-every", 5)]
    return tools.chosen(known)


def real_and_recorded(tools, experiment, program, **recording):
    """Real runs, alternately without and with recording. `recording`: keyword arguments of Tools.record()."""

    def record(number):
        return tools.record(program, tools.folder(experiment, program.name, number), **recording)

    return tools.rounds(f"{experiment} {program.name}", {"real": lambda _: tools.seconds(program), "recorded": record})


def simulations(tools, experiment, program, platforms, *options):
    """The results that are simulated from each of the recordings, each on its platform."""
    return [tools.simulate(folder, *options, platform=platform)
            for folder, platform in zip(recordings(tools, experiment, program), platforms, strict=True)]


def recordings(tools, experiment, program):
    return [tools.folder(experiment, program.name, number) for number in range(tools.rounds_wanted)]


def makespan_row(name, real, simulated, limit, what="makespan"):
    makespans = [result["makespan_s"] for result in simulated]
    return Row(name, what, statistics.median(real), statistics.median(makespans), limit, spread_of(real))


def platforms_for(tools, fitted_to, platform=None):
    """Platform files, one for each round: as calibrated, and with cold caches fitted to these recordings, which must be of another setting
    than the one that is judged. The keys are appended to the text of a row."""
    platform = platform or tools.calibrated()
    both = {"": [platform] * len(fitted_to)}
    if json.loads(Path(platform).read_text()).get("cold_caches"):
        both[", fitted"] = [tools.fitted(recording, platform) for recording in fitted_to]
    return both


def median_loads(results):
    return median_cells([loads_of(result) for result in results])


def self_replay(tools):
    """V1: replays with the machine, ranks and workers that were recorded. Cold caches are fitted to runs with half of the ranks."""
    rows = []
    for program in all_programs(tools):
        runs = real_and_recorded(tools, "V1", program)
        half = replace(program, ranks=program.ranks // 2)

        def record_half(number, half=half):
            return tools.record(half, tools.folder("V1-half", half.name, number))

        tools.rounds(f"V1 {program.name} with {half.ranks} ranks", {"recorded": record_half})
        name, real = f"V1 {program.name}", median_loads(runs["recorded"])
        for label, platforms in platforms_for(tools, recordings(tools, "V1-half", program)).items():
            simulated = simulations(tools, "V1", program, platforms, "--workers", program.workers)
            rows.append(makespan_row(name, runs["real"], simulated, 0.02, f"makespan{label}"))
            parts = [own["makespan_s"] / run["makespan_s"] for own, run in zip(simulated, runs["recorded"], strict=True)]
            rows.append(Row(name, f"makespan, beside the very run that was recorded{label}", 1.0, statistics.median(parts), 0.02,
                            spread_of(parts), unit=""))
            rows.append(Row(name, f"loads of the workers in {len(real)} windows (NRMSE){label}", None,
                            nrmse(real, median_loads(simulated)), 0.05))
    return rows


@dataclass
class Coarsening:
    """How 64 ranks are grouped to the ranks of smaller runs."""

    grid: str  # of the 64
    blocks: dict  # by number of ranks: the ranks of a group in each dimension
    last_fastest: bool = False


COARSENINGS = {
    "ondes3d": Coarsening("8x8", {32: "1x2", 16: "2x2", 8: "2x4"}),
    "wave2d": Coarsening("8x8", {32: "1x2", 16: "2x2", 8: "2x4"}, last_fastest=True),
    "lbm2d": Coarsening("64", {32: "2", 16: "4", 8: "8"}),
    "mol3d": Coarsening("4x4x4", {32: "1x1x2", 16: "1x2x2", 8: "2x2x2"}, last_fastest=True),
    # Panels are dealt in turns: rank r of n has those of the ranks r, r + n, ... of 64.
    "lu": Coarsening("8x8", {32: "1x2", 16: "1x4", 8: "1x8"}),
    # Programs of the user's that keep neighbouring parts of one dimension in neighbouring ranks.
    "FT": Coarsening("64", {32: "2", 16: "4", 8: "8"}),
    "IS": Coarsening("64", {32: "2", 16: "4", 8: "8"}),
}


def coarsened(program, ranks):
    """The program with so many ranks, decomposed as its coarsening describes."""
    command = list(program.command)
    if program.name == "ondes3d":
        x, y = (8 // int(part) for part in COARSENINGS["ondes3d"].blocks.get(ranks, "1x1").split("x"))
        command += ["--px", str(x), "--py", str(y)]
    return replace(program, ranks=ranks, command=command)


def aggregation(tools):
    """V5: recorded with 64 ranks, predicted for 32, 16 and 8."""
    rows = []
    programs = [program for program in all_programs(tools) if program.name in COARSENINGS]
    for program in programs:
        how = COARSENINGS[program.name]
        fine = coarsened(program, 64)
        variants = {"recorded": lambda number, fine=fine: tools.record(fine, tools.folder("V5", fine.name, number))}
        variants |= {str(ranks): (lambda _, ranks=ranks: tools.seconds(coarsened(program, ranks))) for ranks in how.blocks}
        runs = tools.rounds(f"V5 {program.name}", variants)
        platforms = platforms_for(tools, recordings(tools, "V5", fine))
        for ranks, blocks in how.blocks.items():
            makespans = {label: [] for label in platforms}
            for number, recording in enumerate(recordings(tools, "V5", fine)):
                actions = tools.out / "coarse.actions"
                tools.weftsim("aggregate", recording, actions, "--grid", how.grid, "--blocks", blocks,
                              *(["--last-fastest"] if how.last_fastest else []))
                for label, of_rounds in platforms.items():
                    makespans[label].append(tools.simulate(actions, "--workers", program.workers, platform=of_rounds[number]))
            rows += [makespan_row(f"V5 {program.name}", runs[str(ranks)], simulated, 0.05, f"makespan, 64 to {ranks} ranks{label}")
                     for label, simulated in makespans.items()]
    return rows


def total_busy_seconds(results):
    """Seconds for which all workers together were busy; the median of the runs."""
    return statistics.median(sum(worker["busy_s"] for worker in result["workers"]) for result in results)


def contention(tools, program):
    """The factor by which computing takes longer on two workers at once than on one, measured with half of the ranks."""
    other = replace(program, ranks=program.ranks // 2)

    def record(number, workers):
        return tools.record(other, tools.folder(f"V6-half-{workers}", program.name, number), workers=workers)

    runs = tools.rounds(f"V6 {program.name} with {other.ranks} ranks",
                        {str(workers): (lambda number, workers=workers: record(number, workers)) for workers in (1, 2)})
    return total_busy_seconds(runs["2"]) / total_busy_seconds(runs["1"])


MEMORY_BOUND = 1.05  # a program is bound by memory if its contention() is above this


def other_workers(tools):
    """V6: recorded on one worker, predicted for two; recorded on two, replayed on eight."""
    rows = []
    for program in all_programs(tools):
        name, what = f"V6 {program.name}", "makespan, one worker to two"
        runs = real_and_recorded(tools, "V6", program, workers=1)
        factor = contention(tools, program)
        limit = 0.07 if factor > MEMORY_BOUND else 0.05
        for label, platforms in platforms_for(tools, recordings(tools, "V6", program)).items():
            simulated = simulations(tools, "V6", program, platforms, "--workers", 2)
            rows.append(makespan_row(name, runs["real"], simulated, limit, what + label))
            slower = simulations(tools, "V6", program, platforms, "--workers", 2, "--speed", 1 / factor)
            rows.append(makespan_row(name, runs["real"], slower, limit,
                                     f"{what}, computing {factor:.3f} × as long (fitted with {program.ranks // 2} ranks){label}"))
    return rows + [eight_workers(tools, program) for program in all_programs(tools)]


def eight_workers(tools, program):
    """The balance of eight workers that share two cores, by CPU time."""

    def record(number, workers):
        return tools.record(program, tools.folder(f"V6-{workers}", program.name, number), workers=workers)

    variants = {str(workers): (lambda number, workers=workers: record(number, workers)) for workers in (2, 8)}
    runs = tools.rounds(f"V6 {program.name} on eight", variants)
    simulated = simulations(tools, "V6-2", program, [tools.calibrated()] * tools.rounds_wanted, "--workers", 8)
    real = [balance_of(loads_of(result)) for result in runs["8"]]
    predicted = statistics.median(balance_of(loads_of(result)) for result in simulated)
    return Row(f"V6 {program.name}", "mean over longest worker, two workers to eight", statistics.median(real), predicted,
               0.05, spread_of(real), unit="")


EXPERIMENTS = {"V1": ("runs replayed as they were recorded", self_replay),
               "V5": ("64 ranks made into 32, 16 and 8", aggregation),
               "V6": ("recorded on other workers than it is replayed on", other_workers)}
