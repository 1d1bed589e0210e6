"""Tests images and checkpoints of jobs that have spawned ranks: none are written while these live.
spawn_saves_test.py <weftrun> <program> <scratch folder>"""
import os
import shutil
import signal
import subprocess
import sys

import scratch_folder
from surviving_job import IMAGES_ALWAYS, WEFTRUN, Images, children, fail, finish, results, run, start, wait_until

WEFT = os.path.join(os.path.dirname(WEFTRUN), "weft")
SCRATCH = os.path.abspath(sys.argv[3])
ROUNDS = 4
LAYOUTS = ([], ["--processes", "2"])
REASON = "is written: spawned ranks must end first"


def touch(*names):
    for name in names:
        open(name, "w", encoding="ascii").close()


def errors():
    with open("errors", encoding="utf-8") as file:
        return file.read()


def begin(options):
    with open("errors", "w", encoding="utf-8") as file:
        return start(options, rounds=ROUNDS, err=file)


def check_all(job, expected, says, what, right_code=0):
    """The job prints the lines of an undisturbed job, and this text on standard error."""
    code, out, _ = finish(job)
    if code != right_code or results(out) != expected or says not in errors():
        fail(f"{what}: code {code}, lines that differ: {sorted(set(expected) ^ set(results(out)))[:9]}:\n{errors()}")


def deaths(layout, expected):
    """The first image is written when the first spawned ranks have ended. Processes die then, and while later spawned ranks live,
    which are spawned again. The exit code of the first spawned ranks is kept."""
    touch("live.0", "ended.0", "dies.ended.0", "dies.live.2", "code")
    job = begin([*IMAGES_ALWAYS, *layout])
    images = Images(job, int(layout[1]) if layout else 1)
    wait_until(lambda: REASON in errors(), "line that there is no image", job)
    if any(images.is_whole(place) for place in (0, 1)):
        fail(f"{layout}: an image while spawned ranks live")
    os.remove("live.0")
    wait_until(lambda: any(images.is_whole(place) for place in (0, 1)), "image", job)
    os.remove("code")
    os.remove("ended.0")
    check_all(job, expected, "the job goes on from the image of step", f"{layout}: deaths", right_code=7)
    if errors().count("comes again") != 2 or "has no image yet" in errors():
        fail(f"{layout}: not two deaths, or not from images: {errors()}")


def checkpoints(layout, other, expected):
    touch("live.0", "ended.0")
    job = begin(["--checkpoint", "saved", "--checkpoint-every", "1", *layout])
    wait_until(lambda: REASON in errors(), "line that there is no checkpoint", job)
    if is_saved():
        fail(f"{layout}: a checkpoint while spawned ranks live")
    os.remove("live.0")
    wait_until(is_saved, "checkpoint", job)
    touch("dies.ended.0")
    os.remove("ended.0")
    if finish(job)[0] not in (137, -9):  # of weftrun, or of the one process that it has become
        fail(f"{layout}: a death without --survive: {errors()}")
    code, out, err = run(["--restart", "saved", *other], rounds=ROUNDS)
    if code != 0 or not set(results(out)) <= set(expected) or len(results(out)) < 5 * (ROUNDS - 1):
        fail(f"{layout} and then {other}: a restart: code {code}, {results(out)}:\n{err}")
    shutil.rmtree("saved")


def is_saved():
    return os.path.isdir("saved") and any(name.startswith("checkpoint-") for name in os.listdir("saved"))


def asked_for(layout, processes, expected):
    """A change of processes and a checkpoint that are requested while spawned ranks live are made when these have ended."""
    touch("live.0", "ended.1")
    job = begin(["--survive", "1h", "--checkpoint", "saved", *layout])
    wait_until(lambda: len(children(job.pid)) == int(layout[1]), "processes", job)
    with subprocess.Popen([WEFT, "resize", str(job.pid), str(processes)]) as resize:
        wait_until(lambda: f"no image {REASON}" in errors(), "line that there is no image", job)
        job.send_signal(signal.SIGUSR1)
        wait_until(lambda: f"no checkpoint {REASON}" in errors(), "line that there is no checkpoint", job)
        if is_saved() or len(children(job.pid)) != int(layout[1]):
            fail(f"{layout}: a change or a checkpoint while spawned ranks live")
        os.remove("live.0")
        if resize.wait() != 0:
            fail(f"{layout}: weft resize {processes}: {errors()}")
    wait_until(is_saved, "checkpoint", job)
    wait_until(lambda: len(children(job.pid)) == processes, "other processes", job)
    os.remove("ended.1")
    check_all(job, expected, REASON, f"{layout}: what is asked for")
    shutil.rmtree("saved")


def main():
    scratch_folder.begin_in(SCRATCH)
    code, out, err = run([], rounds=ROUNDS)
    if code != 0 or "all steps right" not in out:
        fail(f"the job that is left alone: code {code}:\n{err}")
    for layout in LAYOUTS:
        deaths(layout, results(out))
    asked_for(["--processes", "2"], 3, results(out))
    checkpoints([], ["--processes", "2"], results(out))
    checkpoints(["--processes", "2"], [], results(out))
    print("all right")


main()
