"""What simulate.py replays without balancing: runs as they were recorded, with fewer ranks, on other workers."""

import statistics

from balance_experiments import ondes3d_arguments
from simulate_tools import Program, Row, balance_of, loads_of, median_cells, nrmse, spread_of


def own_programs(tools):
    """Those of apps/, 16 ranks on two workers, one to five seconds each."""
    weft = tools.weft

    def app(name, *arguments):
        return Program(name, [weft.build(name), *map(str, arguments), "--verify", "0"])

    chuetsu = weft.apps / "ondes3d/cases/chuetsu/chuetsu.prm"
    steps = ("--steps", 60, "--migrate-every", 10)
    return [Program("ondes3d", [str(weft.bin / "ondes3d"), *map(str, ondes3d_arguments(weft, chuetsu, *steps))]),
            app("lu", "--n", 2048, "--panel", 16, "--migrate-every", 16),
            app("lbm2d", "--nx", 1024, "--ny", 1024, "--steps", 100, "--rock", 30, "--migrate-every", 10),
            app("wave2d", "--nx", 2048, "--ny", 2048, "--steps", 150, "--work", 8, "--heavy", 50, "--migrate-every", 15),
            app("mol3d", "--side", 40, "--steps", 60, "--migrate-every", 5)]


def replayed(tools, experiment, program):
    """Real runs, without and with recording in turn, and what is simulated from each recording."""

    def record(number):
        return tools.record(program, tools.folder(experiment, program.name, number))

    runs = tools.rounds(f"{experiment} {program.name}", {"real": lambda _: tools.seconds(program), "recorded": record})
    simulated = [tools.simulate(tools.folder(experiment, program.name, number), "--workers", program.workers)
                 for number in range(tools.rounds_wanted)]
    return runs, simulated


def makespan_row(name, real, simulated, limit):
    return Row(name, "makespan", statistics.median(real), statistics.median(simulated), limit, spread_of(real))


def self_replay(tools):
    """V1: the machine, ranks and workers that were recorded."""
    rows = []
    for program in own_programs(tools) + tools.programs:
        runs, simulated = replayed(tools, "V1", program)
        name = f"V1 {program.name}"
        rows.append(makespan_row(name, runs["real"], [result["makespan_s"] for result in simulated], 0.02))
        real = median_cells([loads_of(result) for result in runs["recorded"]])
        off = nrmse(real, median_cells([loads_of(result) for result in simulated]))
        rows.append(Row(name, f"loads of the workers in {len(real)} windows (NRMSE)", None, off, 0.05))
    return rows


EXPERIMENTS = {"V1": ("runs replayed as they were recorded", self_replay)}
