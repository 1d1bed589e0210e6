"""What compare.py measures: the programs, the contestants that run each, and the target of each figure."""

from dataclasses import dataclass, field
from typing import Callable, Optional

MPIS = ("weft", "mpich", "openmpi")
MPIS_AND_AMPI = (*MPIS, "ampi")


@dataclass
class Figure:
    """A row of the table: one value of one run's output, for each contestant."""

    name: str
    key: str  # of the program's output line "key value"; "wall_s" is the run time itself
    unit: str
    target: str = ""  # as printed
    # Whether medians (by contestant) reach the target; None: no target, or a contestant it needs is missing.
    reached: Optional[Callable[[dict], Optional[bool]]] = None
    per_rank: bool = False  # the program's value is a process's: Weft's is divided by its ranks
    more_is_better: bool = False
    shares_cores: bool = False  # more ranks than cores

    def spins(self, value):
        """Whether the contestant polled until it was preempted: a wait of a time slice (1 ms) or more where ranks share cores."""
        return self.shares_cores and self.unit == "µs" and value >= 1000


@dataclass
class Run:
    """One program run by each contestant in every round; several figures may read its output."""

    name: str
    program: str
    figures: list
    ranks: int = 1
    workers: int = 2  # cores for the others
    arguments: tuple = ()
    contestants: tuple = MPIS_AND_AMPI
    timeout: float = 20
    process_arguments: tuple = ()  # for the program without MPI
    weft_options: tuple = field(default_factory=tuple)
    busy_loops: int = 0  # processes that compute beside it

    def __post_init__(self):
        for figure in self.figures:
            figure.shares_cores = self.ranks > self.workers


def at_most(limit):
    return lambda medians: medians["weft"] <= limit if "weft" in medians else None


def below(other, factor=1.0):
    """Reached if Weft is at or below `factor` times the other contestant."""
    return lambda m: m["weft"] <= factor * m[other] if "weft" in m and other in m else None


def at_least(limit):
    return lambda medians: medians["weft"] >= limit if "weft" in medians else None


def below_better_of(*others):
    def reached(medians):
        found = [medians[other] for other in others if other in medians]
        return medians["weft"] <= min(found) if "weft" in medians and found else None

    return reached


def above_better_of(factor, *others):
    def reached(medians):
        found = [medians[other] for other in others if other in medians]
        return medians["weft"] >= factor * max(found) if "weft" in medians and found else None

    return reached


def switches():
    limits = {2: 50, 100: 50, 1000: 100, 10000: 100}
    figures = [
        Figure(f"switch through the scheduler, {n:,} ranks", f"switch_ns_{n}", "ns", f"≤ {limit} ns", at_most(limit))
        for n, limit in limits.items()
    ]
    return [Run("switch", "switch_bench", figures, workers=1, contestants=("weft",))]


def messages():
    def latency(where, target, reached):
        return [Figure(f"8-byte ping-pong, ranks on {where}", "latency_us", "µs", target, reached)]

    bandwidth = Figure("1 MiB bandwidth, two workers", "bandwidth_MB_per_s", "MB/s", "≥ 1.5 × better of the two",
                       above_better_of(1.5, "mpich", "openmpi"), more_is_better=True)
    stream = Figure("8-byte messages in windows of 64, two workers", "bandwidth_MB_per_s", "MB/s",
                    "not behind the better of the two", above_better_of(1.0, "mpich", "openmpi"), more_is_better=True)
    return [
        Run("pingpong, one core", "pingpong", latency("one worker", "≤ 0.13 µs", at_most(0.13)), 2, 1, ("8",)),
        Run("pingpong, two cores", "pingpong", latency("two workers", "< MPICH", below("mpich")), 2, 2, ("8",)),
        Run("bandwidth", "bandwidth", [bandwidth], 2, 2),
        Run("stream", "bandwidth", [stream], 2, 2, ("8", "64")),
    ]


def collectives():
    limits = {8: 1.0, 64: 5.0}
    runs = []
    for ranks in (2, 8, 64):
        limit = limits.get(ranks)
        target = (f"≤ {limit:g} µs", at_most(limit)) if limit else ("", None)
        figures = [Figure(f"{what}, {ranks} ranks on 2 workers", key, "µs", *target)
                   for what, key in (("barrier", "barrier_us"), ("8-byte allreduce", "allreduce_us"))]
        runs.append(Run(f"collectives, {ranks} ranks", "collectives", figures, ranks, 2, timeout=20))
    return runs


def sizes():
    """Collectives by size and ranks. The target is to be not behind the better of the others."""
    target = ("not behind the better of the two", below_better_of("mpich", "openmpi"))
    runs = []
    for ranks in (2, 8, 64):
        for operation in ("allreduce", "bcast", "alltoall", "allgather", "reduce_scatter"):
            for size in (8, 1024, 32768, 1 << 20):
                name = f"{operation} of {size:,} bytes, {ranks} ranks on 2 workers"
                figures = [Figure(name, "collective_us", "µs", *target)]
                runs.append(Run(name, "collective_sizes", figures, ranks, 2, (operation, str(size)), timeout=20))
    return runs


def processes():
    """Ranks of two processes on this node."""
    apart = ("--processes", "2")
    latency = Figure("8-byte ping-pong, ranks in two processes", "latency_us", "µs", "not behind the better of the two",
                     below_better_of("mpich", "openmpi"))
    bandwidth = Figure("1 MiB bandwidth, two processes", "bandwidth_MB_per_s", "MB/s", "not behind the better of the two",
                       above_better_of(1, "mpich", "openmpi"), more_is_better=True)
    step = [Figure("MPI_Migrate with nothing to move, 64 ranks in two processes", "step_us", "µs"),
            Figure("the same, of an allreduce", "step_per_allreduce", "×", "≤ 2 ×", at_most(2))]
    inside = [Figure("MPI_Migrate that moves both of two ranks, in one process", "step_us", "µs", "≤ 5 µs", at_most(5))]
    moved = [Figure("moving a rank of 100 MiB to the other process", "move_ms", "ms"),
             Figure("the same: rate, of reading a message", "move_share_of_read", "×", "≥ 0.7", at_least(0.7),
                    more_is_better=True)]
    sparse = [Figure("moving a rank that has touched 1 MiB of 1 GiB", "move_ms", "ms")]
    exchanged = Figure("moving a rank of 1.1 MiB, 16 ranks in two processes change places", "ms_per_move", "ms")
    beside = Figure("the same beside two busy loops", "ms_per_move", "ms", "≤ 2 ms", at_most(2))
    saved = [Figure("checkpoint of 2 × 100 MiB in memory: rate, of memcpy", "save_share_of_memcpy", "×", "≥ 0.5",
                    at_least(0.5), more_is_better=True)]
    weft = ("weft",)
    return [
        Run("pingpong, two processes", "pingpong", [latency], 2, 2, ("8",), MPIS, weft_options=apart),
        Run("bandwidth, two processes", "bandwidth", [bandwidth], 2, 2, (), MPIS, weft_options=apart),
        Run("step without moves", "migrate", step, 64, 2, ("step",), weft,
            weft_options=(*apart, "--checkpoint", "/dev/shm/weft-bench")),
        Run("step inside a process", "migrate", inside, 2, 2, ("step",), weft, weft_options=("--lb", "rotate")),
        Run("move", "migrate", moved, 2, 2, ("move", "100", "100"), weft, weft_options=(*apart, "--lb", "rotate")),
        Run("sparse move", "migrate", sparse, 2, 2, ("move", "1", "1024"), weft, weft_options=(*apart, "--lb", "rotate")),
        Run("exchange", "migrate", [exchanged], 16, 2, ("exchange", "1100"), weft,
            weft_options=(*apart, "--lb", "rotate")),
        Run("exchange beside busy loops", "migrate", [beside], 16, 2, ("exchange", "1100"), weft,
            weft_options=(*apart, "--lb", "rotate"), busy_loops=2),
        Run("save", "migrate", saved, 2, 2, ("save", "100", "/dev/shm/weft-bench"), weft, weft_options=apart),
    ]


def starts(many):
    def figures(what, ranks, time_limit, kib):
        return [
            Figure(f"start, barrier, finish: {ranks:,} {what} ranks", "wall_s", "s",
                   f"≤ {time_limit} s" if time_limit else "", at_most(time_limit) if time_limit else None),
            Figure(f"private memory of each of {ranks:,} {what} ranks", "process_private_kib", "KiB",
                   f"≤ {kib} KiB" if kib else "", at_most(kib) if kib else None, per_rank=True),
        ]

    small = ("--stack", "1M")
    return [
        Run("start, 8 ranks", "start", figures("C", 8, None, None), 8, 2, contestants=MPIS),
        Run("start, 5,000 C ranks", "start", figures("C", 5000, 2, 64), 5000, 2, contestants=("weft",), timeout=60),
        Run("start, 5,000 C++ ranks", "start_cxx", figures("C++", 5000, None, 128), 5000, 2, contestants=("weft",),
            timeout=60),
        Run(f"start, {many:,} C ranks", "start", figures("C", many, None, None), many, 2, contestants=("weft",),
            timeout=120, weft_options=small),
    ]


def memory():
    target = ("≤ glibc in a process", below("process"))
    return [
        Run("malloc", "malloc_pair", [
            Figure("malloc and free of 64 bytes", "pair_ns", "ns", *target),
            Figure("free and malloc among 10,000 blocks", "replace_ns", "ns", *target),
        ], contestants=(*MPIS, "process"), workers=1)
    ]


def private_globals():
    runs = []
    for ranks in (1, 16, 64, 256):
        alone = ranks == 1
        target = ("≤ 1.05 × a process", below("process", 1.05)) if alone else ("≤ processes", below("process"))
        who = "1 rank" if alone else f"{ranks} ranks in turn on one worker"
        figures = [Figure(f"pass over 2,048 globals, {who}", "pass_us", "µs", *target)]
        if not alone:
            figures.append(Figure(f"turn of 10 passes with its hand-over, {who}", "turn_us", "µs", *target))
        runs.append(Run(f"globals, {who}", "globals", figures, ranks, 1, ("0", "10"), process_arguments=(str(ranks), "10"),
                        contestants=(*MPIS, "process") if alone else ("weft", "process")))
    return runs


def all_runs(many=50_000):
    return switches() + messages() + collectives() + processes() + starts(many) + memory() + private_globals()
