"""weftrun --survive with --checkpoint: images go to a disk while the ranks go on, and jobs go on from there where hosts are
lost with all copies of the last image.  images_on_disk_test.py <weftrun> <program> <scratch folder>"""
import os
import shutil
import signal
import sys

import scratch_folder
from shell_hosts import forget_agents, hosts, proxy_of, write_agent
from surviving_job import IMAGES_ALWAYS, LAYOUTS, RANKS, ROUNDS, check_ends, fail, finish, results, run, start, until

SCRATCH = os.path.abspath(sys.argv[3])
SAVED = ["--checkpoint", "saved"]
FROM_DISK = "the job goes on from the newest checkpoint in "
LONG = {"rounds": 400, "pause_us": 1000}


def saved():
    """All but the lock, which stays."""
    return sorted(name for name in os.listdir("saved") if name != ".weft-lock")


def is_one_checkpoint(names):
    return len(names) == 1 and names[0].startswith("checkpoint-") and not names[0].endswith(".part")


def has_checkpoint():
    try:
        return any(is_one_checkpoint([name]) for name in saved())
    except FileNotFoundError:
        return False


def check_restart(layout, expected, rounds, what, folder="saved", **how):
    """The job that goes on from there prints nothing else than one that is left alone, and not all of it."""
    code, out, err = run(["--restart", folder, *layout], rounds=rounds, **how)
    since = set(results(out))
    if code != 0 or not since < set(expected) or len(since) < RANKS:
        fail(f"{what}: code {code}, {sorted(since)}:\n{err}")
    shutil.rmtree("saved")


def each_image_after_three_rounds(layout, expected):
    for period in ("3", "1ms"):
        options = [*IMAGES_ALWAYS, *SAVED, "--checkpoint-every", period, *layout]
        code, out, err = run(options, ["die.1.9.9"])
        if code != 0 or results(out) != expected or "comes again" not in err or not is_one_checkpoint(saved()):
            fail(f"{options}: code {code}, {saved()}:\n{err}")
        check_restart(layout, expected, ROUNDS, f"{options}: a restart", folder=os.path.join("saved", saved()[0]))


def when_a_signal_asks(layout):
    """Long before an image is due. The ranks stand still in a later round when the checkpoint is there: it came by itself."""
    expected = results(run(layout, **LONG)[1])
    for name in ("wait.0.3", "wait.0.390"):
        open(name, "w", encoding="ascii").close()
    job = start(["--survive", "1h", *SAVED, *layout], **LONG)
    until(lambda: os.path.exists("waits"), "rank that waits", job)
    job.send_signal(signal.SIGUSR1)
    os.remove("waits")
    os.remove("wait.0.3")
    until(has_checkpoint, "checkpoint", job)
    until(lambda: os.path.exists("waits"), "rank that waits again", job)
    os.remove("waits")
    os.remove("wait.0.390")
    code, out, err = finish(job)
    if code != 0 or results(out) != expected or not is_one_checkpoint(saved()):
        fail(f"{layout}: SIGUSR1: code {code}, {saved()}:\n{err}")
    check_restart(layout, expected, LONG["rounds"], f"{layout}: a restart after SIGUSR1", pause_us=LONG["pause_us"])


def no_image_can_be_written(layout):
    """Who asks gets an answer each time."""
    open("open.1.1", "w", encoding="ascii").close()
    open("wait.0.3", "w", encoding="ascii").close()
    job = start(["--survive", "1h", *SAVED, *layout], **LONG)
    until(lambda: os.path.exists("waits"), "rank that waits", job)
    job.send_signal(signal.SIGUSR1)
    os.remove("waits")
    os.remove("wait.0.3")
    check_ends(finish(job), 0, ["weft: no checkpoint is written: rank 1: "], f"{layout}: a rank that cannot be saved")
    os.remove("open.1.1")
    shutil.rmtree("saved")


def disk_fails(layout, expected):
    """The folder becomes a file while the job runs."""
    open("wait.0.3", "w", encoding="ascii").close()
    job = start([*IMAGES_ALWAYS, *SAVED, "--checkpoint-every", "5", *layout])
    until(lambda: os.path.exists("waits"), "rank that waits", job)
    shutil.rmtree("saved")
    open("saved", "w", encoding="ascii").close()
    os.remove("waits")
    os.remove("wait.0.3")
    code, out, err = finish(job)
    if code != 0 or results(out) != expected or "cannot make the folder" not in err or "weftrun: no checkpoint of step " not in err:
        fail(f"{layout}: a folder that is none any more: code {code}:\n{err}")
    os.remove("saved")


def neighbours_are_lost():
    """Two hosts at the same time, of which one has the only copies of the other's images: weftrun finds out about both at once."""
    with open("numbers", "w", encoding="ascii") as file:
        file.writelines(f"{i * i}\n" for i in range(LONG["rounds"] * 500))
    layout = hosts("localhost:2,a,b")

    def begin(options):
        forget_agents()
        with open("numbers", encoding="ascii") as file:
            return start([*options, *layout], numbers=500, stdin=file, **LONG)

    expected = results(finish(begin([]))[1])
    open("wait.0.300", "w", encoding="ascii").close()
    job = begin(["--survive", "20ms", *SAVED, "--checkpoint-every", "1"])
    until(has_checkpoint, "checkpoint", job)
    proxies = [proxy_of(host, job) for host in "ab"]
    until(lambda: os.path.exists("waits"), "rank that waits", job)
    job.send_signal(signal.SIGSTOP)
    for proxy in proxies:
        os.kill(proxy, signal.SIGKILL)
    until(lambda: not any(os.path.exists(f"/proc/{proxy}") for proxy in proxies), "end of the proxies", job)
    os.remove("waits")
    os.remove("wait.0.300")
    job.send_signal(signal.SIGCONT)
    code, out, err = finish(job)
    if code != 0 or results(out) != expected or err.count(FROM_DISK) != 1 or "is lost" not in err:
        fail(f"{layout}: two neighbours are lost: code {code}, lines that differ: "
             f"{sorted(set(expected) ^ set(results(out)))[:9]}:\n{err}")
    shutil.rmtree("saved")


def refusals():
    for text in ("", "-1", "3x", "0s", "1e3", "soon"):
        check_ends(run([*SAVED, "--checkpoint-every", text]), 1, ["--checkpoint-every: expected a number of calls"], f"'{text}'")
    check_ends(run(["--checkpoint-every", "10s"]), 1, ["--checkpoint-every needs --checkpoint DIR"], "no folder")


def main():
    scratch_folder.begin_in(SCRATCH)
    write_agent()
    code, out, _ = run([])
    expected = results(out)
    if code != 0:
        fail(f"the job that is left alone: code {code}")
    refusals()
    for layout in LAYOUTS:
        each_image_after_three_rounds(layout, expected)
        when_a_signal_asks(layout)
        no_image_can_be_written(layout)
        disk_fails(layout, expected)
    neighbours_are_lost()
    print("all right")


main()
