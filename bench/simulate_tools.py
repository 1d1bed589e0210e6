"""Parts of simulate.py's experiments: real runs in rounds, recordings, replays, and their errors.

An experiment is a function `rows(tools) -> list[Row]`. Real runs go through `tools.rounds()`, which writes each result to a
file at once, so that an interrupted measurement continues.
"""

import configparser
import json
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

from balance_tools import Failed, Weft, run_job
from contestants import last_line


@dataclass
class Row:
    """A line of the table. Without `real`, `simulated` is the error itself: an NRMSE, say."""

    name: str  # of the experiment and program: "V1 lu"
    what: str  # the quantity that is compared
    real: Optional[float]  # the median of the rounds
    simulated: float
    limit: float  # of the error, as a fraction
    spread: float = 0.0  # of the real runs: half of the interquartile range, as a fraction of the median
    unit: str = "s"
    cause: str = ""  # why it misses its limit

    @property
    def error(self):
        return self.simulated if self.real is None else self.simulated / self.real - 1

    @property
    def is_within_limit(self):
        return abs(self.error) <= self.limit


@dataclass
class Program:
    """A command line, with its numbers of ranks and workers."""

    name: str
    command: list
    ranks: int = 16
    workers: int = 2
    cwd: Optional[str] = None
    options: tuple = ()  # of weftrun, always
    periods: tuple = (5, 10, 20, 30)  # calls of MPI_Migrate between two balancing steps, where it is balanced


def programs_of(path):
    """Programs from an .ini file, as balance.py takes it: sections with `weft`, `ranks`, `arguments`, `folder`; and with `options`
    of weftrun (--migrate-at allreduce) and `periods` (1, 2, 3, 5) that suit the program's number of balancing steps."""
    if path is None:
        return []
    file = configparser.ConfigParser(interpolation=None)
    if not file.read(path):
        raise Failed(f"cannot read {path}")
    return [program_of(name, file[name]) for name in file.sections()]


def program_of(name, section):
    program = Program(name, [section["weft"], *shlex.split(section.get("arguments", ""))], section.getint("ranks"),
                      cwd=section.get("folder"), options=tuple(shlex.split(section.get("options", ""))))
    if "periods" in section:
        program.periods = tuple(int(word) for word in section["periods"].split(","))
    return program


def spread_of(values):
    """Half of the interquartile range, as a fraction of the median."""
    if len(values) < 2:
        return 0.0
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return (high - low) / 2 / middle


def median_cells(tables):
    """The median of each cell of several tables (lists of lists). Tables of another shape than the first are left out."""
    shape = [len(line) for line in tables[0]]
    alike = [table for table in tables if [len(line) for line in table] == shape]
    return [[statistics.median(cells) for cells in zip(*lines)] for lines in zip(*alike)]


def nrmse(real, simulated):
    """Root of the mean square difference over the mean of the real values; both are lists of lists."""
    pairs = [(a, b) for line, other in zip(real, simulated, strict=True) for a, b in zip(line, other, strict=True)]
    mean = statistics.fmean(a for a, _ in pairs)
    return statistics.fmean((b - a) ** 2 for a, b in pairs) ** 0.5 / mean


def loads_of(result):
    """Loads by LB interval and worker. For programs that never call MPI_Migrate the whole run is one interval."""
    return result["iterations"] or [[worker["busy_s"] for worker in result["workers"]]]


def balance_of(loads):
    """Mean over longest load of the workers, both summed over all intervals."""
    return sum(statistics.fmean(line) for line in loads) / sum(max(line) for line in loads)


class Progress:
    """One line on standard error: the current run, and the time left of this experiment."""

    def __init__(self):
        self.experiment, self.done, self.all, self.began = "", 0, 0, time.monotonic()

    def show(self, what):
        taken = time.monotonic() - self.began
        left = f", {taken / self.done * (self.all - self.done):.0f} s left" if self.done and self.all else ""
        text = f"{self.experiment}: {what}{left}"
        if sys.stderr.isatty():
            print("\r" + text.ljust(110)[:110], end="", file=sys.stderr, flush=True)
        else:
            print(text, file=sys.stderr, flush=True)

    def end(self):
        if sys.stderr.isatty():
            print("\r" + " " * 110 + "\r", end="", file=sys.stderr, flush=True)


class Results:
    """Results of runs by name, in a file that is written after each run."""

    def __init__(self, path):
        self.path = path
        self.known = json.loads(path.read_text()) if path.exists() else {}

    def add(self, key, value):
        self.known[key] = value
        fresh = self.path.with_suffix(".new")
        fresh.write_text(json.dumps(self.known, indent=0))
        fresh.replace(self.path)


@dataclass
class Tools:
    weft: Weft
    out: Path
    rounds_wanted: int = 5
    platform: Optional[Path] = None  # of this machine; None: calibrated once, into `out`
    programs: list = field(default_factory=list)  # of --programs
    wanted: list = field(default_factory=list)  # names of programs; empty: all
    progress: Progress = field(default_factory=Progress)

    def __post_init__(self):
        (self.out / "recordings").mkdir(parents=True, exist_ok=True)
        self.results = Results(self.out / "results.json")

    def chosen(self, programs):
        """The wanted ones among these programs and the user's."""
        return [program for program in programs + self.programs if not self.wanted or program.name in self.wanted]

    # Real runs

    def rounds(self, experiment, variants):
        """Runs all variants in each round. Returns {variant: [its result in each round]}.

        `variants`: functions by name. Each takes the number of the round, runs once, and returns a value for JSON.
        """
        found = {name: [] for name in variants}
        self.progress.experiment, self.progress.began = experiment, time.monotonic()
        self.progress.done, self.progress.all = 0, 0
        keys = [(number, name, f"{experiment}/{name}/{number}") for number in range(self.rounds_wanted) for name in variants]
        self.progress.all = sum(key not in self.results.known for _, _, key in keys)
        for number, name, key in keys:
            if key not in self.results.known:
                self.progress.show(f"round {number + 1}/{self.rounds_wanted}, {name}")
                self.results.add(key, variants[name](number))
                self.progress.done += 1
            found[name].append(self.results.known[key])
        self.progress.end()
        return found

    def seconds(self, program, *options, **keywords):
        """Runs the program without recording. Returns the seconds from the first rank's begin to the last rank's end, by weftrun -v."""
        return self._run(program, ["-v", *options], **keywords)

    def record(self, program, folder, *options, **keywords):
        """Runs the program with --record. Returns the result of `weftsim measured`; the recording stays in `folder`."""
        shutil.rmtree(folder, ignore_errors=True)
        self._run(program, ["-v", "--record", str(folder), *options], **keywords)
        return self.measured(folder)

    def _run(self, program, options, workers=None, ranks=None, beside=None, timeout=120, inside=()):
        """`inside`: a command that runs weftrun, such as one that enters a network namespace."""
        command = [*inside, str(self.weft.bin / "weftrun"), "-n", str(ranks or program.ranks), "--workers",
                   str(workers or program.workers), *program.options, *options, *map(str, program.command)]
        outcome = run_job(command, timeout, beside, cwd=program.cwd or self.weft.work)
        found = re.search(r"the ranks ran for ([\d.]+) s", outcome.errors)
        if not found:
            raise Failed(f"weftrun -v does not say how long the ranks ran: {last_line(outcome.errors)}")
        return float(found.group(1))

    def folder(self, experiment, name, number):
        """The folder of a recording."""
        return self.out / "recordings" / f"{experiment}-{name}-{number}".replace("/", "-").replace(" ", "-")

    # Simulation

    def weftsim(self, *arguments, inside=(), environment=None):
        command = [*inside, str(self.weft.bin / "weftsim"), *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        if done.returncode != 0:
            raise Failed(f"weftsim {arguments[0]}: {last_line(done.stderr)}")
        return done.stdout

    def calibrated(self):
        """The platform file of this machine; measured if there is none yet."""
        if self.platform is None:
            self.platform = self.out / "platform.json"
            if not self.platform.exists():
                self.progress.experiment = "calibrate"
                self.progress.show("measuring this machine")
                self.weftsim("calibrate", "-q", "-o", self.platform)
        return self.platform

    def fitted(self, recording, platform=None):
        """The platform file with cold caches fitted to this recording, for predictions of other settings; the platform itself where the
        recording does not tell what cold caches cost."""
        platform = platform or self.calibrated()
        file = self.out / f"fitted-{Path(recording).name}-{Path(platform).name}"
        try:
            self.weftsim("fit", "-q", recording, platform, "-o", file)
        except Failed as failed:
            if "does not tell" not in str(failed):
                raise
            return platform
        return file

    def simulate(self, workload, *options, platform=None):
        """The result of `weftsim run` of a recording's folder or a file of actions."""
        file = self.out / "simulated.json"
        self.weftsim("run", workload, platform or self.calibrated(), "--json", file, *options)
        return json.loads(file.read_text())

    def sweep(self, workload, *options, platform=None):
        """The settings of `weftsim sweep`, each with its makespan."""
        file = self.out / "sweep.json"
        self.weftsim("sweep", workload, platform or self.calibrated(), "--json", file, *options)
        return json.loads(file.read_text())["settings"]

    def measured(self, folder):
        """The recorded run itself, in the same form."""
        file = self.out / "measured.json"
        self.weftsim("measured", folder, file)
        return json.loads(file.read_text())


def table(rows):
    lines = [("", "figure", "real", "simulated", "error", "at most", "spread of the real runs", "")] + [("---",) * 8]
    for row in rows:
        real = "" if row.real is None else f"{row.real:.4g} {row.unit}"
        simulated = "" if row.real is None else f"{row.simulated:.4g} {row.unit}"
        error = f"{100 * row.error:+.2f} %" if row.real is not None else f"{100 * row.error:.2f} %"
        verdict = "" if row.is_within_limit else f"**missed**{': ' + row.cause if row.cause else ''}"
        lines.append((row.name, row.what, real, simulated, error, f"{100 * row.limit:g} %",
                      f"{100 * row.spread:.2f} %" if row.spread else "", verdict))
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
