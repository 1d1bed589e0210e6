"""balance.py's experiments with the user's programs, from a file: under Weft, and under other MPIs with a process for each core."""

import configparser
import re
import shlex

from balance_experiments import Experiment, Row, median, percent
from balance_tools import Failed, cores, run_job
import balance_plots as plots

LAUNCHERS = {"mpich": ["mpirun.mpich", "-bind-to", "core"],
             "openmpi": ["mpirun.openmpi", "--allow-run-as-root", "--bind-to", "core"]}


def timed(section, command, cwd):
    """Runs the command. Its seconds are those that the program prints, if the file has a pattern for them."""
    outcome = run_job(command, timeout=section.getfloat("timeout", 60), cwd=cwd)
    if "seconds" in section or "rate" in section:
        pattern = section.get("seconds") or section["rate"]
        found = re.search(pattern, outcome.output)
        if not found:
            raise Failed(f"nothing in the output matches '{pattern}'")
        value = float(found.group(1))
        outcome.seconds = value if "seconds" in section else 1 / value
    return outcome


def program_experiment(weft, name, section):
    cwd = section.get("folder")
    ranks, arguments = section["ranks"], shlex.split(section.get("arguments", ""))
    launch = [str(weft.bin / "weftrun"), "-q", "-n", ranks, "--workers", "2"]
    under_weft = {"none": [], "continuous": ["--lb-continuous"]}
    if "balancing" in section:
        under_weft["balancing"] = shlex.split(section["balancing"])
    commands = {variant: launch + options + [section["weft"], *arguments] for variant, options in under_weft.items()}
    for mpi, launcher in LAUNCHERS.items():
        if mpi in section:
            own = section.get("processes", str(len(cores())))
            theirs = shlex.split(section["mpi_arguments"]) if "mpi_arguments" in section else arguments
            commands[mpi] = launcher + ["-n", own, section[mpi], *theirs]
    variants = {variant: (lambda command=command: timed(section, command, cwd)) for variant, command in commands.items()}

    def rows(results):
        times = {variant: median(outcomes) for variant, outcomes in results.items()}
        best = min((variant for variant in under_weft if variant in times and variant != "none"), key=times.get)
        gain = times["none"] / times[best]
        unit = "s" if "rate" not in section else "s for its unit of work"
        found = [Row(name, ", ".join(f"{variant} {value:.3g}" for variant, value in times.items()) + f" {unit}")]
        if "gain" in section:
            possible = section.getfloat("gain")
            found.append(Row(f"{name}: {best} over none, of the best placement's {possible:g} ×",
                             f"{gain:.2f} × ({percent(gain / possible)})", "≥ 90 %", gain >= 0.9 * possible))
        others = [times[mpi] for mpi in LAUNCHERS if mpi in times]
        if others:
            ahead = min(others) / times[best]
            found.append(Row(f"{name}: {best} against the better of the other MPIs", f"{ahead:.2f} ×", "> 1 ×", ahead > 1))
        return found

    return Experiment(name, f"{section['weft'].rsplit('/', 1)[-1]} {' '.join(arguments)}", len(commands) * 3, variants, rows,
                      lambda results, stem: plots.bars(results, stem, name))


def program_experiments(weft, path):
    if path is None:
        return []
    file = configparser.ConfigParser(interpolation=None)
    if not file.read(path):
        raise Failed(f"cannot read {path}")
    return [program_experiment(weft, name, file[name]) for name in file.sections()]
