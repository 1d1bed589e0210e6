"""The contestants of compare.py: each builds and runs bench/programs with one MPI."""

import os
import shutil
import subprocess
import time
from pathlib import Path

PROGRAMS = Path(__file__).resolve().parent / "programs"


class Failed(Exception):
    """A build or run that gave no value; the text goes into the table."""


class Contestant:
    """One way to build and run an MPI program."""

    def __init__(self, name, title, c, cxx, build_dir):
        self.name, self.title, self.c, self.cxx = name, title, c, cxx
        self.dir = build_dir / name

    def build(self, program):
        source = next(PROGRAMS.glob(program + ".c*"))
        self.dir.mkdir(parents=True, exist_ok=True)
        target = self.dir / program
        compiler = self.cxx if source.suffix == ".cpp" else self.c
        done = subprocess.run([*compiler, "-O2", str(source), "-o", str(target)], capture_output=True, text=True)
        if done.returncode != 0:
            raise Failed(f"does not build: {last_line(done.stderr)}")
        return [str(target)]

    def command(self, run, program):
        raise NotImplementedError


class Weft(Contestant):
    def __init__(self, bin_dir, bench_dir, build_dir):
        self.bin = bin_dir
        self.bench = bench_dir
        super().__init__("weft", "Weft", [str(bin_dir / "weftcc")], [str(bin_dir / "weftcxx")], build_dir)

    def build(self, program):
        if program == "switch_bench":
            found = self.bench / program
            if not found.exists():
                raise Failed(f"no {found}: build it with -DWEFT_BUILD_BENCH=ON")
            return [str(found)]
        return super().build(program)

    def command(self, run, program):
        if run.program == "switch_bench":
            return program
        launch = [str(self.bin / "weftrun"), "-n", str(run.ranks), "--workers", str(run.workers)]
        return launch + list(run.weft_options) + program + list(run.arguments)


class Mpich(Contestant):
    def __init__(self, build_dir):
        super().__init__("mpich", "MPICH", ["mpicc.mpich"], ["mpicxx.mpich"], build_dir)

    def command(self, run, program):
        bind = ["-bind-to", "core"] if run.ranks <= run.workers and run.workers > 1 else []
        return on_cores(run) + ["mpirun.mpich", *bind, "-n", str(run.ranks)] + program + list(run.arguments)


class OpenMpi(Contestant):
    def __init__(self, build_dir):
        super().__init__("openmpi", "Open MPI", ["mpicc.openmpi"], ["mpicxx.openmpi"], build_dir)

    def command(self, run, program):
        bind = "core" if run.ranks <= run.workers and run.workers > 1 else "none"
        launch = ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--bind-to", bind]
        return on_cores(run) + launch + ["-n", str(run.ranks)] + program + list(run.arguments)


class Ampi(Contestant):
    """AMPI's multicore build: ranks are user-level threads of one process."""

    def __init__(self, build_dir):
        super().__init__("ampi", "AMPI", ["ampicc"], ["ampicxx"], build_dir)

    def command(self, run, program):
        return on_cores(run) + program + [*run.arguments, f"+p{run.workers}", f"+vp{run.ranks}", "+setcpuaffinity"]


class Process(Contestant):
    """The same source without MPI, as ordinary processes."""

    def __init__(self, build_dir):
        super().__init__("process", "processes", ["cc", "-DWITHOUT_MPI"], ["c++", "-DWITHOUT_MPI"], build_dir)

    def command(self, run, program):
        return on_cores(run) + program + list(run.process_arguments)


def on_cores(run):
    """A command prefix that gives the other contestants as many cores as Weft has workers."""
    allowed = sorted(os.sched_getaffinity(0))[: run.workers]
    return ["taskset", "-c", ",".join(map(str, allowed))]


def find_contestants(bin_dir, bench_dir, build_dir):
    found = [Weft(bin_dir, bench_dir, build_dir)]
    for kind, launcher in ((Mpich, "mpirun.mpich"), (OpenMpi, "mpirun.openmpi"), (Ampi, "ampicc")):
        if shutil.which(launcher):
            found.append(kind(build_dir))
    return found + [Process(build_dir)]


def last_line(text):
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return lines[-1] if lines else "no output"


def values_of(command, timeout, environment):
    """Runs the command. Returns the "key value" lines of its output, and wall_s."""
    start = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
                             stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        output, errors = child.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, 15)
        try:
            child.communicate(timeout=5)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, 9)
            child.communicate()
        raise Failed("timeout") from None
    wall = time.monotonic() - start
    if child.returncode != 0:
        raise Failed(f"exit code {child.returncode}: {last_line(errors)}")
    values = {"wall_s": wall}
    for line in output.splitlines():
        words = line.split()
        if len(words) == 2:
            try:
                values[words[0]] = float(words[1])
            except ValueError:
                pass
    return values
