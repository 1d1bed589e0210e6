#!/usr/bin/env python3
"""A CPU hog beside a measured job: computes on one core, or on several in turn, until SIGTERM.

balance_hog.py CORES [SECONDS]: computes on the first of CORES (0,1,…), and changes to the next one after each SECONDS.
Prints "ready", and at SIGTERM one line of JSON: the seconds of its run, the CPU seconds that it got, and when it came to
which core (CLOCK_MONOTONIC).
"""

import json
import os
import signal
import sys
import time


def main():
    cores = [int(core) for core in sys.argv[1].split(",")]
    stay = float(sys.argv[2]) if len(sys.argv) > 2 else float("inf")
    ended = []
    signal.signal(signal.SIGTERM, lambda *_: ended.append(True))
    os.sched_setaffinity(0, {cores[0]})
    print("ready", flush=True)
    began, used = time.monotonic(), time.process_time()
    visits = [(began, cores[0])]
    while not ended:
        for _ in range(2000):
            pass
        now = time.monotonic()
        if now - visits[-1][0] >= stay:
            core = cores[len(visits) % len(cores)]
            os.sched_setaffinity(0, {core})
            visits.append((now, core))
    print(json.dumps({"wanted": time.monotonic() - began, "got": time.process_time() - used, "visits": visits}))


if __name__ == "__main__":
    main()
