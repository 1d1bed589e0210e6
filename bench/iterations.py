#!/usr/bin/env python3
"""Compares weft_iterations with equal parts, with a shared counter, and with equal parts that Weft balances: runs of apps/slab_transport.

Appends one line of JSON for each run to the output and skips runs that are there already, so that it may be interrupted.
  bench/iterations.py --bin build/release/bin --program build/release/apps/programs/slab_transport --output iterations.jsonl
Cases: undisturbed; hog: a process on the first core, on and off for 2-10 s at random; half: a process that always computes there;
stop: the second of two processes is stopped for a third of the run (library only). Each run has two processes with one worker each (the
counter: one with two), and one rank for each worker; where Weft balances, it has 16 ranks and 24 barriers. The table at the end covers all runs in the output."""
import argparse
import json
import os
import pathlib
import random
import re
import resource
import signal
import statistics
import subprocess
import sys
import threading
import time

ALL = ("library", "static", "counter", "balanced")
CASES = {"undisturbed": ALL, "hog": ALL, "half": ALL, "stop": ("library",)}
TWO = ("--workers", "1", "--processes", "2")
# Between processes the counter's rank must answer, and it computes: the counter is better off in the memory of one process.
RUN = {"library": ("-n", "2", *TWO), "static": ("-n", "2", *TWO), "counter": ("-n", "2", "--workers", "2"),
       "balanced": ("-n", "16", *TWO, "--lb", "refine", "--migrate-at", "barrier")}


def hog(core, seconds, seed, stop):
    """Runs a process that computes on a core until `stop` or the end of this script; with `seconds` (least, most), on and off for such times."""
    program = f"import os\nos.sched_setaffinity(0, {{{core}}})\nwhile os.getppid() == {os.getpid()}:\n    for _ in range(100000): pass"
    process = subprocess.Popen([sys.executable, "-c", program])
    draw = random.Random(seed)
    while not stop.wait(draw.uniform(*seconds) if seconds else 0.1):
        if seconds:
            process.send_signal(signal.SIGSTOP)
            stop.wait(draw.uniform(*seconds))
            process.send_signal(signal.SIGCONT)
    process.kill()
    process.wait()


def worker_processes(launcher):
    """The processes that weftrun has started, sorted by number."""
    children = pathlib.Path(f"/proc/{launcher}/task/{launcher}/children").read_text().split()
    return sorted(int(child) for child in children)


def stop_one(launcher, seconds):
    time.sleep(seconds)
    children = worker_processes(launcher)
    if len(children) < 2:
        return
    os.kill(children[-1], signal.SIGSTOP)
    time.sleep(seconds)
    os.kill(children[-1], signal.SIGCONT)


def cpu_of_children():
    """CPU seconds of all processes that this one has waited for, with their children."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(case, mode, number, options):
    arguments = {"library": ("--report-seconds", str(options.report_seconds), "--predict-after", str(0.2 * options.seconds)),
                 "static": ("--static",), "counter": ("--counter",), "balanced": ("--static", "--steps", "24")}
    command = [f"{options.bin}/weftrun", *RUN[mode], options.program, "--histories", str(options.histories),
               "--work", str(options.work), "--cost-spread", "1", *arguments[mode]]
    cores = sorted(os.sched_getaffinity(0))
    stop, threads = threading.Event(), []
    if case in ("hog", "half"):
        threads.append(threading.Thread(target=hog, args=(cores[0], (2, 10) if case == "hog" else None, number, stop)))
    cpu_before = cpu_of_children()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if case == "stop":
        threads.append(threading.Thread(target=stop_one, args=(process.pid, options.seconds / 3)))
    for thread in threads:
        thread.start()
    text, errors = process.communicate()
    cpu = cpu_of_children() - cpu_before
    stop.set()
    for thread in threads:
        thread.join()
    found = re.search(r"finish ([\d.]+) s, spread ([\d.]+) s, (\d+) messages of (\d+) bytes, (\d+) histories run twice", text)
    tallies = re.search(r"tallies: .*", text)
    if process.returncode != 0 or not found or not tallies:
        sys.exit(f"{case} {mode}: exit code {process.returncode}\n{text}{errors}")
    moves = re.search(r"(\d+) moves", errors)
    predicted = re.search(r"predicted after ([\d.]+) s: end at ([\d.]+) s", text)
    speeds = re.search(r"histories per CPU second: (\d+) before the prediction, (\d+) after it", text)
    return {"case": case, "mode": mode, "run": number, "finish": float(found[1]), "spread": float(found[2]),
            "messages": int(found[3]), "bytes": int(found[4]), "twice": int(found[5]), "moves": int(moves[1]) if moves else 0, "tallies": tallies[0],
            "cpu": cpu, "predicted_at": float(predicted[1]) if predicted else None, "predicted_end": float(predicted[2]) if predicted else None,
            "speed_change": int(speeds[2]) / int(speeds[1]) if speeds else None}


def cores_used(line):
    """Mean number of cores that computed. All runs compute the same, so this compares runs even if the machine's speed changes between them."""
    return line["cpu"] / line["finish"]


def misses(lines):
    """How far off each predicted end is, and how far it would be off had it known how fast a core of rank 0 would compute later."""
    known = [line for line in lines if line["predicted_end"] and line["speed_change"]]
    later = [line["predicted_at"] + (line["predicted_end"] - line["predicted_at"]) / line["speed_change"] for line in known]
    return ([abs(line["predicted_end"] / line["finish"] - 1) for line in known],
            [abs(end / line["finish"] - 1) for line, end in zip(known, later, strict=True)])


def within(ratios):
    return f"{sum(ratio <= 0.05 for ratio in ratios)} of {len(ratios)} ({100 * max(ratios):.1f} %)" if ratios else "-"


def percents(ratios):
    """Median (range) of what ratios are above 1."""
    above = [100 * (ratio - 1) for ratio in ratios]
    return f"{statistics.median(above):.1f} % ({min(above):.1f} to {max(above):.1f})" if above else "-"


def table(lines):
    """Medians and ranges of each case and mode. Runs of the same number, which have the same disturbance, are compared with equal parts."""
    text = ["| case | mode | runs | finish s, median (range) | equal parts take longer by | cores used (least) | equal parts use fewer by "
            "| spread s, median (largest) | messages | moves | predictions within 5 % (most off) | at the core's later speed |",
            "|---|---|---|---|---|---|---|---|---|---|---|---|"]
    for case, mode in dict.fromkeys((line["case"], line["mode"]) for line in lines):
        own = {line["run"]: line for line in lines if (line["case"], line["mode"]) == (case, mode)}
        static = {line["run"]: line for line in lines if (line["case"], line["mode"]) == (case, "static")}
        pairs = [(line, static[run]) for run, line in own.items() if run in static and mode != "static"]
        finish, spread = [line["finish"] for line in own.values()], [line["spread"] for line in own.values()]
        cores = [cores_used(line) for line in own.values()]
        as_predicted, at_later_speeds = misses(own.values())
        text.append(f"| {case} | {mode} | {len(own)} | {statistics.median(finish):.2f} ({min(finish):.2f} to {max(finish):.2f}) | "
                    f"{percents([other['finish'] / line['finish'] for line, other in pairs])} | {statistics.median(cores):.3f} ({min(cores):.3f}) | "
                    f"{percents([cores_used(line) / cores_used(other) for line, other in pairs])} | "
                    f"{statistics.median(spread):.2f} ({max(spread):.2f}) | {statistics.median(line['messages'] for line in own.values()):.0f} | "
                    f"{statistics.median(line['moves'] for line in own.values()):.0f} | "
                    f"{within(as_predicted)} | {within(at_later_speeds)} |")
    tallies = {line["tallies"] for line in lines}
    return "\n".join([*text, f"Tallies: {'the same in all runs' if len(tallies) == 1 else 'DIFFERENT'}."])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default="build/release/bin")
    parser.add_argument("--program", default="build/release/apps/programs/slab_transport")
    parser.add_argument("--output", default="iterations.jsonl")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--histories", type=int, default=60_000_000)
    parser.add_argument("--work", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=60, help="about how long an undisturbed run takes")
    parser.add_argument("--report-seconds", type=float, default=5)
    parser.add_argument("--cases", nargs="*", default=list(CASES), choices=list(CASES))
    parser.add_argument("--modes", nargs="*", default=list(ALL), choices=ALL)
    options = parser.parse_args()
    output = pathlib.Path(options.output)
    done = [json.loads(line) for line in output.read_text().splitlines()] if output.exists() else []
    known = {(line["case"], line["mode"], line["run"]) for line in done}
    for number in range(options.runs):
        for case in options.cases:
            for mode in CASES[case]:  # modes alternate
                if mode not in options.modes or (case, mode, number) in known:
                    continue
                line = run(case, mode, number, options)
                with output.open("a") as file:
                    file.write(json.dumps(line) + "\n")
                done.append(line)
                print(f"{case:12} {line['mode']:10} run {number}: finish {line['finish']:.2f} s, spread {line['spread']:.2f} s, "
                      f"{line['messages']} messages, {line['moves']} moves, {line['twice']} run twice, predicted {line['predicted_end']}", flush=True)
    print(table(done))


if __name__ == "__main__":
    main()
