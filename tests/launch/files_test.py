"""Tests files that ranks have open: --checkpoint and --survive save them and roll them back; some keep a rank from moving. In
the end files must have the same bytes as after an undisturbed job.
  files_test.py <weftrun> <program> <scratch folder>"""
import os
import shutil
import subprocess
import sys

import scratch_folder

WEFTRUN, PROGRAM, SCRATCH = (os.path.abspath(word) for word in sys.argv[1:4])
RANKS, ROUNDS = 4, 12
LAYOUTS = ([], ["--processes", "3", "--workers", "4", "--lb", "rotate"])


def fail(what):
    sys.exit(f"files_test: {what}")


def fresh_folder():
    os.chdir(SCRATCH)
    shutil.rmtree("job", ignore_errors=True)
    os.mkdir("job")
    os.chdir("job")


def run(options, held=()):
    command = [WEFTRUN, *options, *([] if "--restart" in options else ["-n", str(RANKS)]), PROGRAM, str(ROUNDS), *held]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300, check=False, encoding="utf-8")
    return result.returncode, result.stdout, result.stderr


def contents():
    found = {}
    for name in sorted(os.listdir(".")):
        if name.split(".")[0] in ("out", "raw", "shared", "ordered"):
            with open(name, encoding="ascii") as file:
                found[name] = file.read()
    return found


def check(result, code, texts, what):
    if result[0] != code or not all(text in result[2] for text in texts):
        fail(f"{what}: code {result[0]} instead of {code}, or not {texts}:\n{result[2]}")


def check_files(expected, what):
    found = contents()
    for name in expected:
        if found.get(name) != expected[name]:
            fail(f"{what}: {name}: {found.get(name)!r} instead of {expected[name]!r}")


def touch(name):
    open(name, "w", encoding="ascii").close()


def stopped_after_a_checkpoint(layout):
    """A job that has written a checkpoint in step 6, and ended three rounds later."""
    fresh_folder()
    touch("stop.2.8")
    check(run(["--checkpoint", "kept", "--checkpoint-every", "6", *layout]), 7, [], f"{layout}: a job that is stopped")


def restarts(layout, expected):
    stopped_after_a_checkpoint(layout)
    if len(contents()["shared"]) != 9 * RANKS:
        fail(f"{layout}: the job was not stopped in round 8: {contents()}")
    check(run(["--restart", "kept", *layout]), 0, [], f"{layout}: restart")
    check_files(expected, f"{layout}: restart")
    # A second restart truncates again what the first one has written.
    check(run(["--restart", "kept"]), 0, [], f"{layout}: a second restart")
    check_files(expected, f"{layout}: a second restart")


def refused_restarts():
    def refused(change, text):
        stopped_after_a_checkpoint([])
        change()
        before = contents()
        for layout in LAYOUTS:
            check(run(["--restart", "kept", *layout]), 1, ["weftrun: rank 1: file '", text], text)
            check_files(before, f"{text}: nothing is cut")

    def replace():
        os.rename("raw.1", "old")
        touch("raw.1")

    refused(lambda: os.remove("raw.1"), "raw.1' cannot be opened again: No such file or directory")
    refused(replace, "raw.1' is not the one that it had open")
    refused(lambda: os.truncate("raw.1", 5), "raw.1' has 5 bytes, at the image it had ")


def refused_restart_with_a_shorter_file():
    for layout in LAYOUTS:
        stopped_after_a_checkpoint(layout)
        os.truncate("ordered", 5)
        check(run(["--restart", "kept", *layout]), 1, ["weftrun: rank 0: file '", "ordered' has 5 bytes, at the image it had "], "shorter")


def overwritten():
    fresh_folder()
    touch("stop.2.8")
    check(run(["--checkpoint", "kept", "--checkpoint-every", "6"], ["place"]), 7, [], "a file that is written in place")
    result = run(["--restart", "kept"], ["place"])
    check(result, 0, ["in.1' was written to before its end"], "a file that is written in place")
    if result[2].count("before its end") != 1:
        fail(f"what cannot be rolled back is said more than once: {result[2]}")


def survives(layout, expected):
    for rank, round_ in ((0, 0), (2, 7), (1, ROUNDS - 1)):
        fresh_folder()
        touch(f"die.{rank}.{round_}")
        result = run(["--survive", "0", *layout])
        check(result, 0, ["goes on from the image of step"], f"{layout}: rank {rank} dies in round {round_}")
        if result[2].count("comes again") != 1:
            fail(f"{layout}: one death, not {result[2]}")
        check_files(expected, f"{layout}: rank {rank} dies in round {round_}")


def pinned(expected):
    for held, text in (("removed", "gone' has been removed"), ("locked", "locked' is locked"),
                       ("proc", "/status' is the system's"), ("pipe", "file descriptor 'pipe' is open"),
                       ("folder", "directory '.' is open")):
        fresh_folder()
        check(run(["--checkpoint", "kept", "--checkpoint-every", "3", *LAYOUTS[1]], [held]), 0,
              ["no checkpoint is written: rank 1: ", text], held)
        check_files(expected, held)


def main():
    scratch_folder.begin_in(SCRATCH)
    fresh_folder()
    check(run([]), 0, [], "a job that is left alone")
    expected = contents()
    if len(expected) != 2 * RANKS + 2 or expected["ordered"].count("\n") != RANKS * ROUNDS or expected["shared"] != "+" * (RANKS * ROUNDS):
        fail(f"a job that is left alone: {expected}")
    for layout in LAYOUTS:
        restarts(layout, expected)
        survives(layout, expected)
    refused_restarts()
    refused_restart_with_a_shorter_file()
    overwritten()
    pinned(expected)
    print("all right")


main()
