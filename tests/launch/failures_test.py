"""Tests weftrun --survive api: processes die, and programs continue with ULFM's calls. The launcher's lines prove the deaths.
  failures_test.py <weftrun> <program failures> <program failures_jobs>"""
import os
import signal
import subprocess
import sys

WEFTRUN, FAILURES, JOBS = (os.path.abspath(word) for word in sys.argv[1:4])
SCENARIOS_OF_JOBS = ("replaced", "rounds", "fatal", "aborts", "all", "exits", "unsupported")
LAYOUTS = ((4, 4, 4), (9, 3, 6), (8, 2, 2), (6, 3, 3))  # ranks, processes, workers
GOES_ON = "was killed by signal 9 (Killed); the job goes on without it"


def fail(what):
    sys.exit(f"failures_test.py: {what}")


def run(arguments, layout=(4, 4, 4), options=("--survive", "api")):
    ranks, processes, workers = layout
    command = [WEFTRUN, "-q", "-n", str(ranks), "--processes", str(processes), "--workers", str(workers), *options,
               JOBS if arguments[0] in SCENARIOS_OF_JOBS else FAILURES, *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300, check=False)
    return done.returncode, done.stdout, done.stderr


def check(arguments, layout, deaths):
    code, out, err = run(arguments, layout)
    lines = [line for line in err.splitlines() if "the job goes on without it" in line]
    if code != 0 or out != f"ok {arguments[0]}\n" or len(lines) != deaths or not all(GOES_ON in line for line in lines):
        fail(f"{arguments} with {layout}: code {code}, expected {deaths} deaths\n{out}\n{err}")


def scenarios():
    for layout in LAYOUTS:
        for scenario in ("receives", "long", "probes", "collectives", "agreements", "requests"):
            check([scenario], layout, 1)
        for arguments in (["collectives", "0"], ["agreements", "0"], ["shrinks", "1", "first"]):  # of process 0
            check(arguments, layout, 1)
        for how in ("dup", "split", "group", "cart"):
            check(["made", str(layout[0] - 1), how], layout, 1)
        check(["revoked"], layout, 0)
        check(["matched"], layout, 0)
        check(["shrinks", str(layout[1] - 1)], layout, layout[1] - 1)
        check(["replaced"], layout, 1)


def killed_from_outside():
    """Kills processes at any time. The program's first line has the processes' numbers; each further line ends a round."""
    for ranks, processes, workers in LAYOUTS:
        job = subprocess.Popen([WEFTRUN, "-q", "--survive", "api", "-n", str(ranks), "--processes", str(processes), "--workers",
                                str(workers), JOBS, "rounds"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
        numbers = job.stdout.readline().split()
        victims = [int(number) for number in dict.fromkeys(numbers)]
        for victim in victims[:-1]:  # of process 0 first
            job.stdout.readline()
            os.kill(victim, signal.SIGKILL)
        out, err = job.communicate(timeout=300)
        if job.returncode != 0 or "ok rounds" not in out or err.count(GOES_ON) != processes - 1:
            fail(f"killed from outside, {ranks, processes, workers}: code {job.returncode}\n{out}\n{err}")


def ends():
    """Events that end the job in spite of --survive api, and jobs without it."""
    code, _, err = run(["fatal"])
    if code == 0 or "MPIX_ERR_PROC_FAILED" not in err:
        fail(f"with the usual error handler: code {code}: {err}")
    code, _, err = run(["aborts"])
    if code != 3 or "MPI_Abort" not in err:
        fail(f"MPI_Abort: code {code}: {err}")
    code, _, err = run(["all"])
    if code != 137:
        fail(f"all processes die: code {code}: {err}")
    code, out, err = run(["exits"])
    if code != 0 or out != "ok exits\n" or "ended with exit code 5 after MPI_Init and without MPI_Finalize" not in err:
        fail(f"a rank that leaves: code {code}: {out} {err}")
    code, _, err = run(["receives"], options=())
    if code == 0 or "the job goes on" in err:
        fail(f"without --survive: code {code}: {err}")
    code, _, err = run(["unsupported"], options=())
    if code != 0:
        fail(f"calls without --survive api: {code}: {err}")


def refusals():
    for options, says in ((("--lb", "greedy"), "--survive api does not go with --lb"),
                          (("--trace", "t"), "--survive api does not go with --trace"),
                          (("--checkpoint", "c"), "--survive api does not go with --checkpoint"),
                          (("--survive-limit", "3"), "--survive api does not go with --survive-limit"),
                          (("--migrate-at", "barrier"), "--survive api does not go with --migrate-at"),
                          (("--check",), "--survive api does not go with --check"),
                          (("--net", "tcp"), "--survive api works within one host's memory")):
        code, _, err = run(["revoked"], options=("--survive", "api", *options))
        if code != 1 or says not in err or len(err.strip().splitlines()) != 1:
            fail(f"{options}: code {code}: {err}")


scenarios()
killed_from_outside()
ends()
refusals()
