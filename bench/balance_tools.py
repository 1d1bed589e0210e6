"""Parts of balance.py's experiments: a job that is run and timed, a hog beside it, a core with half its speed."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from contestants import Failed, last_line

HERE = Path(__file__).resolve().parent
BASE_WATTS, FULL_WATTS = 40.0, 107.0  # of a machine, idle and with all cores at work: Sarood, Gupta, Kale 2012, section V


@dataclass
class Outcome:
    """The result of one run; times in seconds."""

    seconds: float  # as printed by the program, else of the whole run
    wall: float
    cpu: float
    joules: float  # of the machine while it ran, modelled
    output: str
    began: float  # CLOCK_MONOTONIC
    errors: str = ""  # standard error
    report: dict = field(default_factory=dict)  # of --lb-report: its steps and totals
    hog: dict = field(default_factory=dict)

    @property
    def hog_penalty(self):
        """By which fraction the hog's work took longer than on a core of its own."""
        return self.hog["wanted"] / self.hog["got"] - 1


def cores():
    return sorted(os.sched_getaffinity(0))


def busy_seconds():
    """Seconds for which the cores that we may use have been busy since the machine's start."""
    mine, busy = {f"cpu{core}" for core in cores()}, 0
    for line in Path("/proc/stat").read_text().splitlines():
        words = line.split()
        if words[0] in mine:
            user, nice, system, _idle, _wait, irq, softirq = map(int, words[1:8])
            busy += user + nice + system + irq + softirq
    return busy / os.sysconf("SC_CLK_TCK")


def report_of(path):
    """The data of a page that --lb-report wrote; {} if the program never came to a step."""
    if not path.exists():
        return {}
    found = re.search(r'\{"strategy":.*\}', path.read_text())
    return json.loads(found.group(0)) if found else {}


def seconds_in(output):
    """The seconds of the program's loop as the program prints them; None if it does not."""
    found = re.search(r"time of the loop +([\d.]+) s|ranks: ([\d.]+) s", output)
    return float(found.group(1) or found.group(2)) if found else None


def run_job(command, timeout=120, beside=None, cwd=None, environment=None):
    """Runs the command inside of `beside(pid)`, a context manager, if that is given."""
    busy, began = busy_seconds(), time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
                             cwd=cwd, env=environment, process_group=0)
    watchdog = threading.Timer(timeout, lambda: os.killpg(child.pid, signal.SIGKILL))
    watchdog.start()
    try:
        if beside:
            with beside(child.pid):
                output, errors = child.communicate()
        else:
            output, errors = child.communicate()
    finally:
        timed_out = not watchdog.is_alive()
        watchdog.cancel()
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGKILL)
    wall = time.monotonic() - began
    if timed_out:
        raise Failed("timeout")
    if child.returncode != 0:
        raise Failed(f"exit code {child.returncode}: {last_line(errors)}")
    used = busy_seconds() - busy
    joules = BASE_WATTS * wall + (FULL_WATTS - BASE_WATTS) * used / len(cores())
    printed = seconds_in(output)
    return Outcome(printed if printed is not None else wall, wall, used, joules, output, began, errors)


@contextmanager
def hog(on, stay=None):
    """Runs a hog on these cores in turn. Yields a dict, which has the hog's results once it has ended."""
    command = [sys.executable, str(HERE / "balance_hog.py"), ",".join(map(str, on))] + ([str(stay)] if stay else [])
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    results = {}
    try:
        child.stdout.readline()
        yield results
    finally:
        child.terminate()
        results.update(json.loads(child.communicate()[0]))


class Throttle:
    """Limits the thread that is bound to a core, or a whole job, to half of a core's time, by a quota of the cgroup controller `cpu`, version 1."""

    FOLDER = Path("/sys/fs/cgroup/cpu/weft-balance")
    PERIOD_US = 10_000

    def __init__(self, core, share=0.5):
        self.core, self.share = core, share

    @staticmethod
    def skip_reason():
        """Why no quota can be set here; None if it can."""
        try:
            Throttle.FOLDER.mkdir(exist_ok=True)
            Throttle.FOLDER.rmdir()
        except OSError as error:
            return f"no quota can be set: {error}"
        return None

    @contextmanager
    def __call__(self, pid):
        with self.group():
            self.add_threads(pid)
            yield

    @staticmethod
    @contextmanager
    def job(share=0.5):
        """Yields the words to put before a command, so that the command and its children together get this share of a core."""
        with Throttle(None, share).group():
            yield "sh", "-c", f'echo $$ > {Throttle.FOLDER}/tasks && exec "$@"', "sh"

    @contextmanager
    def group(self):
        """Creates the cgroup with its quota; removes it at the end."""
        self.FOLDER.mkdir(exist_ok=True)
        try:
            (self.FOLDER / "cpu.cfs_period_us").write_text(str(self.PERIOD_US))
            (self.FOLDER / "cpu.cfs_quota_us").write_text(str(int(self.share * self.PERIOD_US)))
            yield
        finally:
            for _ in range(100):  # the kernel takes a moment to let go of threads that have ended
                try:
                    self.FOLDER.rmdir()
                    break
                except OSError:
                    time.sleep(0.01)

    def add_threads(self, pid):
        """Adds all threads that are bound to the core to the group; they exist some milliseconds after the start."""
        end, caught = time.monotonic() + 10, set()
        while time.monotonic() < end:
            for task in Path(f"/proc/{pid}/task").iterdir():
                if task.name not in caught and f"Cpus_allowed_list:\t{self.core}\n" in (task / "status").read_text():
                    (self.FOLDER / "tasks").write_text(task.name)
                    if not caught:
                        end = time.monotonic() + 0.1
                    caught.add(task.name)
            time.sleep(0.001)
        if not caught:
            raise Failed(f"no thread of the job was ever bound to core {self.core}")


class Weft:
    """The release to measure: builds programs with its wrapper, starts them with its launcher."""

    def __init__(self, bin_dir, bench_dir, work_dir):
        self.bin, self.bench, self.work = bin_dir, bench_dir, work_dir
        self.apps = HERE.parent / "apps"

    def build(self, app):
        program = self.work / app
        source = self.apps / app / "main.cpp"
        if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
            command = [str(self.bin / "weftcxx"), "-O3", "-march=native", "-std=c++20", str(source), "-o", str(program)]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode != 0:
                raise Failed(f"{app} does not build: {last_line(done.stderr)}")
        return str(program)

    def run(self, program, *options, workers=2, ratio=8, arguments=(), report=False, beside=None, timeout=120):
        page = self.work / "report.html"
        page.unlink(missing_ok=True)
        command = [str(self.bin / "weftrun"), "--workers", str(workers), "--ratio", str(ratio), "-q", *options]
        command += ["--lb-report", str(page)] if report else []
        outcome = run_job([*command, program, *map(str, arguments)], timeout, beside, cwd=self.work)
        outcome.report = report_of(page)
        return outcome

    def run_beside_hog(self, *arguments, on=None, stay=None, **keywords):
        with hog(on or cores()[1:2], stay) as hog_results:
            outcome = self.run(*arguments, **keywords)
        outcome.hog = hog_results
        return outcome
