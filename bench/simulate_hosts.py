"""simulate.py's experiment on two hosts (V4): recorded on one host, run and simulated with links of 100 Mbit/s and 1 Gbit/s between two.

Hosts are network namespaces of this machine, each with one of its cores, so an administrator must run it. The simulated link is the one
that `weftsim calibrate --hosts` measures under the same limit (the kernel's token bucket filter).
"""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from balance_tools import Failed, cores
from simulate_balancing import balanced_programs
from simulate_replays import makespan_row, platforms_for, recordings, simulations

sys.path.append(str(Path(__file__).resolve().parent.parent / "tests/launch"))
from two_hosts import TwoHosts  # noqa: E402  the path is set above

RATES = {"100 Mbit/s": 100, "1 Gbit/s": 1000}  # in Mbit/s


class Hosts:
    def __init__(self, tools, two):
        self.two, self.agent = two, tools.out / "agent"
        self.agent.write_text("host=$1\nshift\n" + two.AGENT.replace("sh -c", f"taskset -c {cores()[1]} sh -c"))
        self.options = ("--hosts", f"localhost:1,{two.names[1]}:1", "--launcher-agent", f"sh {self.agent}")
        self.inside = ("ip", "netns", "exec", two.names[0])

    def limit(self, megabits):
        """Limits the rate of the link in both directions. A larger bucket would let a link that was idle send that much at once."""
        for name, end in zip(self.two.names, ("wa", "wb")):
            command = ["tc", "-n", name, "qdisc", "replace", "dev", end, "root", "tbf", "rate", f"{megabits}mbit", "burst", "16kb",
                       "latency", "200ms"]
            if subprocess.run(command, check=False).returncode != 0:
                raise Failed("the cable cannot be limited: tc fails")

    def calibrated(self, tools, megabits=None):
        """The platform file of both hosts, with that limit or without one; measured if there is none."""
        platform = tools.out / ("two-hosts.json" if megabits is None else f"two-hosts-{megabits}.json")
        if not platform.exists():
            tools.progress.experiment = "calibrate"
            tools.progress.show("measuring two hosts")
            if megabits is not None:
                self.limit(megabits)
            tools.weftsim("calibrate", "-q", "-o", platform, "--hosts", f"localhost,{self.two.names[1]}", inside=self.inside,
                          environment=dict(os.environ, WEFT_LAUNCHER_AGENT=f"sh {self.agent}"))
        return platform


def on_two_hosts(tools):
    with TwoHosts() as two:
        if two is None:
            raise Failed("no network namespaces here: it takes an administrator")
        hosts = Hosts(tools, two)
        platforms = {rate: hosts.calibrated(tools, megabits) for rate, megabits in RATES.items()}
        return [row for program in balanced_programs(tools) for row in rows_of(tools, hosts, platforms, program)]


def rows_of(tools, hosts, platforms, program):
    there = replace(program, options=program.options + hosts.options)

    def record(number):
        return tools.record(program, tools.folder("V4", program.name, number))

    def run(megabits):
        hosts.limit(megabits)
        return tools.seconds(there, inside=("taskset", "-c", str(cores()[0]), *hosts.inside))

    variants = {rate: (lambda _, megabits=megabits: run(megabits)) for rate, megabits in RATES.items()}
    runs = tools.rounds(f"V4 {program.name}", {"recorded": record} | variants)
    for rate in RATES:
        values = {"hosts[0].cores": 1, "hosts[0].numa_nodes": 1}
        changes = [word for key, value in values.items() for word in ("--set", f"sites[0].{key}={value}")]
        for label, of_rounds in platforms_for(tools, recordings(tools, "V4", program), platforms[rate]).items():
            simulated = simulations(tools, "V4", program, of_rounds, *changes)
            yield makespan_row(f"V4 {program.name}", runs[rate], simulated, 0.1, f"two hosts, {rate}{label}")


EXPERIMENTS = {"V4": ("recorded on one host, predicted for two", on_two_hosts)}
