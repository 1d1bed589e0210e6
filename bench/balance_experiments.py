"""balance.py's experiments: the runs of each, and the rows of the table that are computed from their medians."""

import json
import re
import statistics
import subprocess
from dataclasses import dataclass
from typing import Callable, Optional

import balance_plots as plots
from balance_tools import Failed, Throttle, cores


def perfect_balance_seconds(times):
    """Seconds of a perfectly balanced run on one core and half of another: half the time two cores work, half the time one.

    `times` has the program's seconds on both cores ("alone") and on one ("one core"): if memory is the limit, two cores are
    less than twice as fast as one.
    """
    return 2 / (1 / times["alone"] + 1 / times["one core"])


@dataclass
class Row:
    """A line of the table."""

    figure: str
    value: str
    goal: str = ""
    reached: Optional[bool] = None  # None: no goal


@dataclass
class Experiment:
    name: str
    about: str
    seconds: float  # that a round takes, roughly
    variants: dict  # {name: function that runs the variant once and returns an Outcome (or what `rows` takes)}
    rows: Callable  # ({variant: [outcome of each round]}) -> [Row]
    plot: Optional[Callable] = None  # (the same, a file's name without extension)
    skip_reason: Optional[str] = None  # why it cannot run here; None: it can


def median(outcomes, what=lambda outcome: outcome.seconds):
    return statistics.median(what(outcome) for outcome in outcomes)


def percent(share, digits=0):
    return f"{100 * share:.{digits}f} %"


def best_of(times, names):
    """The fastest of these variants that ran."""
    return min((name for name in names if name in times), key=times.get)


def values_text(times, unit="s"):
    return ", ".join(f"{name} {value:.3g}" for name, value in times.items()) + f" {unit}"


STRATEGIES = {
    "none": (),
    "greedy": ("--lb", "greedy"),
    "refine": ("--lb", "refine"),
    "background": ("--lb", "background"),
    "auto": ("--lb", "background", "--lb-when", "auto"),
    "continuous": ("--lb-continuous",),
}


def smaller_chuetsu(weft):
    """The case that ships, with cells of twice the size: an eighth of the work. The absorbing layers are as thick."""
    source = weft.apps / "ondes3d/cases/chuetsu"
    folder = weft.work / "chuetsu"
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("chuetsu.map", "chuetsu.hist", "station.map"):
        (folder / name).write_bytes((source / name).read_bytes())
    text = (source / "chuetsu.prm").read_text()
    values = {"ds": 800, "dt": 0.056, "xMin": -55, "xMax": 55, "yMin": -55, "yMax": 55, "zMin": -39}
    for name, value in values.items():
        text = re.sub(rf"(<{name}>)[^<]*(</{name}>)", rf"\g<1> {value} \g<2>", text)
    (folder / "smaller.prm").write_text(text)
    return folder / "smaller.prm"


def ondes3d_arguments(weft, case, *more):
    return (case, "--out", weft.work / "ondes3d-out", "--no-pictures", *more)


def ondes3d_hog(weft):
    """Ondes3D on two workers, with another job on the core of the second one."""
    case = weft.apps / "ondes3d/cases/chuetsu/chuetsu.prm"
    arguments = ondes3d_arguments(weft, case, "--steps", 30, "--migrate-every", 2)
    program = str(weft.bin / "ondes3d")

    def run(ratio, name):
        if name == "one core":
            return weft.run(program, workers=1, ratio=2 * ratio, arguments=arguments)
        if name == "alone":
            return weft.run(program, ratio=ratio, arguments=arguments)
        return weft.run_beside_hog(program, *STRATEGIES[name], ratio=ratio, arguments=arguments)

    names = ["one core", "alone", *STRATEGIES]
    variants = {f"{name}, ratio {r}": (lambda r=r, name=name: run(r, name)) for r in (8, 16) for name in names}

    def rows(results):
        return [row for ratio in (8, 16) for row in ondes3d_hog_rows(
            ratio, {name: median(results[f"{name}, ratio {ratio}"]) for name in names})]

    return Experiment("ondes3d-hog", "Ondes3D on 2 workers, a hog on one core", 50, variants, rows,
                      lambda results, stem: plots.bars(results, stem, "Ondes3D, 2 workers, a hog on the second core"))


def ondes3d_hog_rows(ratio, times):
    best = best_of(times, [name for name in STRATEGIES if name != "none"])
    share = perfect_balance_seconds(times) / times[best]
    return [Row(f"Ondes3D, hog on one of 2 cores, ratio {ratio}", values_text(times)),
            Row(f"the same: best ({best}), of perfect balance", percent(share), "≥ 95 %", share >= 0.95),
            Row("the same: gain of the best over none", percent(1 - times[best] / times["none"], 1))]


# Options of a strategy whose plans are never carried out: its LB intervals show the balance of ranks that do not move.
MEASURE_ONLY = ("--lb", "refine", "--lb-when", "auto:1")
EIGHT_WORKER_VARIANTS = {
    "none": MEASURE_ONLY,
    "greedy": ("--lb", "greedy"),
    "refine": ("--lb", "refine"),
    "auto": ("--lb", "refine", "--lb-when", "auto"),
    "continuous": ("--lb-continuous", *MEASURE_ONLY),
}
# Ranks for each worker, and options that decompose the grid: slabs from west to east are uneven, as the outer ones absorb.
DECOMPOSITIONS = {"ratio 8": (8, ()), "ratio 16": (16, ()), "ratio 8 in slabs": (8, ("--px", 64, "--py", 1))}


def balance_of(outcome):
    """Mean over longest processor time of the workers, both summed over all LB intervals after the first step."""
    steps = outcome.report["data"][1:]
    return sum(statistics.mean(step["load"]) for step in steps) / sum(max(step["load"]) for step in steps)


def ondes3d_eight(weft):
    """Ondes3D on eight workers that share the cores: only processor time shows their balance."""
    arguments = ondes3d_arguments(weft, smaller_chuetsu(weft), "--steps", 100, "--migrate-every", 10)

    def run(options, ratio, cut):
        return weft.run(str(weft.bin / "ondes3d"), *options, workers=8, ratio=ratio, arguments=arguments + cut, report=True)

    variants = {f"{name}, {title}": (lambda options=options, cut=cut: run(options, *cut))
                for title, cut in DECOMPOSITIONS.items() for name, options in EIGHT_WORKER_VARIANTS.items()}

    def rows(results):
        found = []
        for title in DECOMPOSITIONS:
            balance = {name: median(results[f"{name}, {title}"], balance_of) for name in EIGHT_WORKER_VARIANTS}
            best = max((name for name in balance if name != "none"), key=balance.get)
            shares = ", ".join(f"{name} {percent(value, 1)}" for name, value in balance.items())
            gain = 1 - balance["none"] / balance[best]
            found += [Row(f"Ondes3D, 8 workers, {title}: mean of longest worker, processor time", shares),
                      Row(f"the same: best ({best}), of perfect balance", percent(balance[best], 1), "≥ 95 %",
                          balance[best] >= 0.95),
                      Row("the same: gain of the best over none (papers: 23.85 and 36.58 %)", percent(gain, 1))]
        return found

    return Experiment("ondes3d-eight", "Ondes3D on 8 workers over 2 cores", 50, variants, rows, plots.heat_maps)


# Options of wave2d and jacobi2d: bound by arithmetic. A time step is longer than the scheduler's time slices, in which a
# hog delays a worker and so all of them.
PLATE_OPTIONS = ("--nx", 2048, "--ny", 2048, "--work", 32, "--heavy", 100, "--migrate-every", 4, "--verify", 0)
INTERFERENCE_OPTIONS = {
    "wave2d": PLATE_OPTIONS + ("--steps", 64),
    "jacobi2d": PLATE_OPTIONS + ("--steps", 64, "--digits", 20),
    "mol3d": ("--side", 56, "--steps", 32, "--migrate-every", 1, "--verify", 0),
}


def interference(weft):
    """The three programs of Gupta and Sarood, with another job on one core."""
    chosen = {name: STRATEGIES[name] for name in ("none", "refine", "background", "continuous")}

    def run(app, name):
        program = weft.build(app)
        if name == "one core":
            return weft.run(program, workers=1, ratio=16, arguments=INTERFERENCE_OPTIONS[app])
        if name == "alone":
            return weft.run(program, arguments=INTERFERENCE_OPTIONS[app])
        return weft.run_beside_hog(program, *chosen[name], arguments=INTERFERENCE_OPTIONS[app])

    names = ("one core", "alone", *chosen)
    variants = {f"{name}, {app}": (lambda app=app, name=name: run(app, name)) for app in INTERFERENCE_OPTIONS for name in names}

    def rows(results):
        return [row for app in INTERFERENCE_OPTIONS
                for row in interference_rows(app, {name: results[f"{name}, {app}"] for name in names})]

    return Experiment("interference", "three programs with a hog on one of 2 cores", 45, variants, rows,
                      lambda results, stem: plots.bars(results, stem, "2 workers, a hog on the second core"))


def interference_rows(app, of):
    times = {name: median(outcomes) for name, outcomes in of.items()}
    best = best_of(times, [name for name in times if name not in ("one core", "alone", "none")])
    penalty = {name: times[name] / times["alone"] - 1 for name in times if name not in ("one core", "alone")}
    cut = (times["none"] - times[best]) / (times["none"] - perfect_balance_seconds(times))
    hogs = {name: median(of[name], lambda outcome: outcome.hog_penalty) for name in penalty}
    joules = {name: median(outcomes, lambda outcome: outcome.joules) for name, outcomes in of.items()}
    text = ", ".join(f"{name} {percent(value)}" for name, value in penalty.items())
    return [
        Row(f"{app}: timing penalty of a hog on one core", text),
        Row(f"{app}: cut of it by {best}, of what redistribution can recover", percent(cut), "≥ 80 %", cut >= 0.8),
        Row(f"{app}: the hog's own penalty", ", ".join(f"{name} {percent(value)}" for name, value in hogs.items())),
        Row(f"{app}: energy, modelled", values_text(joules, "J")),
    ]


HOG_STAY_SECONDS = 3.0  # seconds that the moving hog stays on a core


def moving_hog(weft):
    """A hog that goes from core to core, as in Fig. 3 of Gupta and Sarood."""
    arguments = PLATE_OPTIONS + ("--steps", 400)

    def run(*options):
        return weft.run_beside_hog(weft.build("wave2d"), *options, on=cores()[:2], stay=HOG_STAY_SECONDS, arguments=arguments,
                                   report=True)

    variants = {"none": lambda: run(*MEASURE_ONLY), "background": lambda: run("--lb", "background")}

    def rows(results):
        counts = [count for outcome in results["background"] for count in steps_to_follow(outcome)]
        times = {name: median(outcomes) for name, outcomes in results.items()}
        if not counts:
            return [Row("hog that moves: no run met a move", values_text(times))]
        typical = statistics.median(counts)
        return [Row("hog that moves every 3 s, wave2d", values_text(times)),
                Row("the same: steps until the load has followed (median, most)", f"{typical:g}, {max(counts)}", "≤ 2",
                    typical <= 2)]

    return Experiment("moving-hog", "a hog that moves from core to core", 25, variants, rows, plots.timelines)


def steps_to_follow(outcome):
    """For each move of the hog: the number of steps until the load of its core is nearly what it is in the end.

    Counts from the first step in the middle of whose LB interval the hog was there: a step does not see what comes later.
    """
    steps, counts = outcome.report["data"], []
    visits = [(at - outcome.began, core) for at, core in outcome.hog["visits"]]
    for (_, _), (came, core), (left, _) in zip(visits, visits[1:], visits[2:] + [(steps[-1]["at"], 0)]):
        worker = cores().index(core)
        shares = [step["load"][worker] / sum(step["load"]) for step in steps]
        seen = [i for i, step in enumerate(steps) if came <= step["at"] - step["window"] / 2 and step["at"] < left]
        if len(seen) < 6:
            continue
        before = shares[seen[0]]
        settled = statistics.median(shares[i] for i in seen[len(seen) // 2:])
        near = abs(before - settled) * 0.2 + 0.02
        counts.append(next(n for n, i in enumerate(seen) if abs(shares[i] - settled) <= near))
    return counts


def throttled(weft):
    """wave2d with one core at half its speed, by a quota."""
    arguments = PLATE_OPTIONS + ("--steps", 64)
    chosen = {name: STRATEGIES[name] for name in ("none", "greedy", "refine", "background", "continuous")}

    def run(options, slow, workers=2):
        beside = Throttle(cores()[1]) if slow else None
        return weft.run(weft.build("wave2d"), *options, workers=workers, ratio=16 // workers, arguments=arguments,
                        beside=beside)

    variants = {"one core": lambda: run((), False, 1), "alone": lambda: run((), False)}
    variants |= {name: (lambda options=options: run(options, True)) for name, options in chosen.items()}

    def rows(results):
        times = {name: median(outcomes) for name, outcomes in results.items()}
        best = best_of(times, [name for name in chosen if name != "none"])
        share = perfect_balance_seconds(times) / times[best]
        return [Row("one core at 50 % by a quota, wave2d", values_text(times)),
                Row(f"the same: best ({best}), of the speed-weighted optimum", percent(share), "≥ 90 %", share >= 0.9)]

    return Experiment("throttled", "one of 2 cores throttled to half", 15, variants, rows,
                      lambda results, stem: plots.bars(results, stem, "wave2d, the second core at half its speed"),
                      Throttle.skip_reason())


def balanced(weft):
    """Balanced programs, which have nothing to gain: what `auto` costs."""
    arguments = {"wave2d": ("--nx", 1024, "--ny", 1024, "--work", 8, "--heavy", 100, "--steps", 900, "--migrate-every", 20,
                            "--verify", 0),
                 "mol3d": ("--side", 24, "--steps", 120, "--migrate-every", 4, "--verify", 0)}
    auto = ("--lb", "refine", "--lb-when", "auto")
    variants = {f"{name}, {app}": (lambda app=app, options=options: weft.run(weft.build(app), *options,
                                                                             arguments=arguments[app]))
                for app in arguments for name, options in (("none", ()), ("auto", auto))}

    def rows(results):
        found = []
        for app in arguments:
            ratios = [auto.seconds / none.seconds
                      for auto, none in zip(results[f"auto, {app}"], results[f"none, {app}"])]
            more = statistics.median(ratios) - 1
            times = {name: median(results[f"{name}, {app}"]) for name in ("none", "auto")}
            found.append(Row(f"balanced {app}: {values_text(times)}; auto over none, median of pairs", percent(more, 1), "≤ 1 %",
                             more <= 0.01))
        return found

    return Experiment("balanced", "balanced programs under auto", 6, variants, rows)


def decisions(weft):
    """Decisions of the strategies alone, on synthetic instances: lb_bench."""
    names = ("refine", "greedy", "background", "hierarchical", "hierarchical-in-parallel")
    pattern = f"^({'|'.join(names)})/1"

    def run():
        command = [str(weft.bench / "lb_bench"), f"--benchmark_filter={pattern}", "--benchmark_format=json",
                   "--benchmark_min_time=0.1"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            raise Failed(f"lb_bench: exit code {done.returncode}")
        found = json.loads(done.stdout)["benchmarks"]
        return {tuple(one["name"].split("/")[:2]): one["real_time"] for one in found}

    def rows(results):
        found = []
        for ranks, text, limit in (("10000", "10^4", 10), ("1000000", "10^6", 2000)):
            ms = {name: statistics.median(run[name, ranks] for run in results["lb_bench"]) for name in names}
            found.append(Row(f"LB step for {text} ranks: {values_text(ms, 'ms')}; refine", f"{ms['refine']:.3g} ms",
                             f"≤ {limit} ms", ms["refine"] <= limit))
            parallel = ms["hierarchical-in-parallel"]
            found.append(Row("the same: hierarchical, in parallel", f"{parallel:.3g} ms", "< refine",
                             parallel < ms["refine"]))
        return found

    missing = None if (weft.bench / "lb_bench").exists() else f"no lb_bench in {weft.bench}"
    return Experiment("decisions", "time of a balancing decision", 6, {"lb_bench": run}, rows, None, missing)


def all_experiments(weft):
    return [make(weft) for make in (ondes3d_hog, ondes3d_eight, interference, moving_hog, throttled, balanced, decisions)]
