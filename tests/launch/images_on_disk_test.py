"""Tests weftrun --survive with --checkpoint: images go to a disk while the ranks run, and jobs continue from there if hosts are
lost with all copies of the last image.  images_on_disk_test.py <weftrun> <program> <scratch folder> <program that asks for checkpoints>
<slow_disk.so>"""
import glob
import os
import shutil
import signal
import sys
import time
from contextlib import contextmanager

import scratch_folder
from shell_hosts import SHELL, forget_agents, hosts, proxy_of, write_agent
from surviving_job import (IMAGES_ALWAYS, LAYOUTS, RANKS, ROUNDS, check_ends, children, count_of, fail, finish, first_processes, results, run,
                           start, wait_until)

SCRATCH, CHECKPOINTED, SLOW_DISK = (os.path.abspath(word) for word in sys.argv[3:6])
SAVED = ["--checkpoint", "saved"]
FROM_DISK = "the job goes on from the checkpoint of step "
SOME = {"rounds": 140}  # an image may come as late as 64 calls of MPI_Migrate after it is asked for
LONG = {"rounds": 400, "pause_us": 1000}


def saved():
    """Names in the folder, without the lock file, which stays."""
    return sorted(name for name in os.listdir("saved") if name != ".weft-lock")


def is_one_checkpoint(names):
    return len(names) == 1 and names[0].startswith("checkpoint-") and not names[0].endswith(".part")


def has_checkpoint():
    try:
        return any(is_one_checkpoint([name]) for name in saved())
    except FileNotFoundError:
        return False


def errors():
    with open("errors", encoding="utf-8") as file:
        return file.read()


def check_restart(layout, expected, rounds, what, folder="saved", **how):
    """A job that restarts from there prints a part of the lines of an undisturbed job, and no other lines."""
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


def none_before_its_time(layout, expected):
    for options in (IMAGES_ALWAYS, []):
        code, out, err = run([*options, *SAVED, "--checkpoint-every", "1h", *layout])
        if code != 0 or results(out) != expected or saved():
            fail(f"{options} {layout}: --checkpoint-every 1h: code {code}, {saved()}:\n{err}")
    shutil.rmtree("saved")


def program_goes_elsewhere(layout, expected):
    """The program changes its working directory: the checkpoints still go to the folder that the user has named."""
    os.mkdir("elsewhere")
    for options in (IMAGES_ALWAYS, []):
        code, out, err = run([*options, *SAVED, "--checkpoint-every", "6", *layout], ["goes.1.4", "goes.4.4"])
        if code != 0 or results(out) != expected or not is_one_checkpoint(saved()) or os.listdir("elsewhere"):
            fail(f"{options} {layout}: chdir: code {code}, {saved()}, {os.listdir('elsewhere')}:\n{err}")
        if not options and saved() != ["checkpoint-12"]:
            fail(f"{layout}: --checkpoint-every 6 in {ROUNDS} rounds: {saved()}")
        shutil.rmtree("saved")
    os.rmdir("elsewhere")


def asked_for(layout, condition, what, **how):
    """Sends SIGUSR1 to a job in the third round, and lets it run round by round until the condition is true: it is unknown when
    the signal takes effect. `what` names the condition."""
    for round in range(3, SOME["rounds"]):
        open(f"wait.0.{round}", "w", encoding="ascii").close()
    job = start(["--survive", "1h", *SAVED, *layout], **SOME, **how)
    wait_until(lambda: os.path.exists("waits"), "rank that waits", job)
    job.send_signal(signal.SIGUSR1)
    for round in range(3, SOME["rounds"]):
        wait_until(lambda: os.path.exists("waits"), "rank that waits", job)
        time.sleep(0.01)
        if condition():
            break
        os.remove("waits")
        os.remove(f"wait.0.{round}")
    else:
        fail(f"{layout}: no {what}")
    for name in glob.glob("wait.0.*"):
        os.remove(name)
    os.remove("waits")
    return finish(job)


def when_a_signal_asks(layout):
    """SIGUSR1 long before an image is due, while rank 0 waits."""
    expected = results(run(layout, **SOME)[1])
    code, out, err = asked_for(layout, has_checkpoint, "checkpoint")
    if code != 0 or results(out) != expected or not is_one_checkpoint(saved()):
        fail(f"{layout}: SIGUSR1: code {code}, {saved()}:\n{err}")
    check_restart(layout, expected, SOME["rounds"], f"{layout}: a restart after SIGUSR1")


def has_ended(pid):
    """The process and all its threads have ended, and nobody has waited for it yet."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        return file.read().rsplit(") ", 1)[1].startswith("Z") and len(os.listdir(f"/proc/{pid}/task")) == 1


def a_signal_asks_while_process_0_is_dead(layout):
    """weftrun hears of the death and of the signal at the same time: the signal is for the process that it starts again."""
    expected = results(run(layout, **SOME)[1])
    open("wait.0.3", "w", encoding="ascii").close()
    job = start([*IMAGES_ALWAYS, *SAVED, *layout], **SOME)
    wait_until(lambda: os.path.exists("waits"), "rank that waits", job)
    first = first_processes(job, count_of(layout))[0]
    job.send_signal(signal.SIGSTOP)
    os.kill(first, signal.SIGKILL)
    wait_until(lambda: has_ended(first), "end of process 0", job)
    for name in ("waits", "wait.0.3"):
        os.remove(name)
    job.send_signal(signal.SIGUSR1)
    job.send_signal(signal.SIGCONT)
    code, out, err = finish(job)
    if code != 0 or results(out) != expected or not is_one_checkpoint(saved()):
        fail(f"{layout}: SIGUSR1 while process 0 is dead: code {code}, {saved()}:\n{err}")
    shutil.rmtree("saved")


def no_image_can_be_written(layout):
    """A rank cannot be saved: the signal is answered by a line."""
    open("open.1.1", "w", encoding="ascii").close()
    with open("errors", "w", encoding="utf-8") as file:
        code = asked_for(layout, lambda: "weft: no checkpoint is written: rank 1: " in errors(), "answer", err=file)[0]
    if code != 0 or saved():
        fail(f"{layout}: a rank that cannot be saved: code {code}, {saved()}")
    for name in ("open.1.1", "errors"):
        os.remove(name)
    shutil.rmtree("saved")


def disk_fails(layout, expected):
    """The folder becomes a file while the job runs."""
    open("wait.0.3", "w", encoding="ascii").close()
    job = start([*IMAGES_ALWAYS, *SAVED, "--checkpoint-every", "5", *layout])
    wait_until(lambda: os.path.exists("waits"), "rank that waits", job)
    shutil.rmtree("saved")
    open("saved", "w", encoding="ascii").close()
    os.remove("waits")
    os.remove("wait.0.3")
    code, out, err = finish(job)
    if code != 0 or results(out) != expected or "cannot make the folder" not in err or "checkpoint " not in err:
        fail(f"{layout}: a folder that is none any more: code {code}:\n{err}")
    os.remove("saved")


@contextmanager
def slow_disk():
    """Simulates a disk that does not answer while there is a file "slow". Yields the arguments that a job needs for that."""
    open("slow", "w", encoding="ascii").close()
    with open("errors", "w", encoding="utf-8") as errors:
        yield {"env": {**os.environ, "LD_PRELOAD": SLOW_DISK, "SLOW_DISK": os.path.abspath("slow")}, "err": errors}
    for name in ("slow", "slow.waits", "errors"):
        if os.path.exists(name):
            os.remove(name)


def job_ends_before_its_checkpoint_is_there(layout, expected):
    """weftrun waits for the checkpoint, and keeps the folder locked until then."""
    with slow_disk() as how:
        job = start([*IMAGES_ALWAYS, *SAVED, "--checkpoint-every", "5", *layout], **how)
        wait_until(lambda: "the last checkpoint is still being written" in errors(), "line that weftrun waits", job)
        for options in (SAVED, [*IMAGES_ALWAYS, *SAVED], ["--restart", "saved"]):
            check_ends(run(options), 1, ["the folder ", " is in use by another job"], f"{options}: a folder that is written to")
        os.remove("slow")
        code, out, _ = finish(job)
        if code != 0 or results(out) != expected or not is_one_checkpoint(saved()):
            fail(f"{layout}: a slow disk: code {code}, {saved()}:\n{errors()}")
        check_restart(layout, expected, ROUNDS, f"{layout}: a restart after a slow disk", env=how["env"])


def signal_ends_the_wait(layout, expected):
    with slow_disk() as how:
        job = start([*IMAGES_ALWAYS, *SAVED, "--checkpoint-every", "5", *layout], **how)
        wait_until(lambda: "the last checkpoint is still being written" in errors(), "line that weftrun waits", job)
        job.send_signal(signal.SIGTERM)
        code, out, _ = finish(job)
        given_up = " in " + os.path.abspath("saved") + " is given up"
        if code != 128 + signal.SIGTERM or results(out) != expected or saved() or given_up not in errors():
            fail(f"{layout}: SIGTERM while weftrun waits for a disk: code {code}, {saved()}:\n{errors()}")
    shutil.rmtree("saved")


def host_is_lost_that_writes(layout, expected):
    """Without the host's files there is no checkpoint; the next one is complete without the host."""
    with slow_disk() as how:
        forget_agents()
        open("wait.0.300", "w", encoding="ascii").close()
        job = start(["--survive", "20ms", *SAVED, "--checkpoint-every", "1", *layout], **how, **LONG)
        wait_until(lambda: os.path.exists("slow.waits") and os.path.exists("waits"), "file that is written", job)
        os.kill(proxy_of("b", job), signal.SIGKILL)
        wait_until(lambda: "the job goes on from the image of step" in errors(), "recovery", job)
        if has_checkpoint():
            fail(f"{layout}: {saved()} while the disk does not answer")
        os.remove("slow")
        os.remove("waits")
        os.remove("wait.0.300")
        code, out, _ = finish(job)
        if code != 0 or results(out) != expected or not is_one_checkpoint(saved()) or " is given up" not in errors():
            fail(f"{layout}: a host is lost that writes: code {code}, {saved()}:\n{errors()}")
        check_restart([], expected, LONG["rounds"], f"{layout}: a restart after a host was lost", pause_us=LONG["pause_us"],
                      env=how["env"])


def lose_hosts(job, names):
    """Loses these hosts so that weftrun notices all losses at once."""
    proxies = [proxy_of(host, job) for host in names]
    job.send_signal(signal.SIGSTOP)
    for proxy in proxies:
        os.kill(proxy, signal.SIGKILL)
    wait_until(lambda: not any(os.path.exists(f"/proc/{proxy}") for proxy in proxies), "end of the proxies", job)
    job.send_signal(signal.SIGCONT)


def neighbours_are_lost():
    """Two hosts are lost at once, of which one has the only copies of the other's images. Then a process dies before there is
    another image."""
    with open("numbers", "w", encoding="ascii") as file:
        file.writelines(f"{i * i}\n" for i in range(LONG["rounds"] * 500))
    layout = hosts("localhost:2,a,b")

    def begin(options):
        forget_agents()
        with open("numbers", encoding="ascii") as file:
            return start([*options, *layout], numbers=500, stdin=file, **LONG)

    expected = results(finish(begin([]))[1])
    for name in ("wait.0.100", "wait.0.300"):
        open(name, "w", encoding="ascii").close()
    job = begin(["--survive", "1h", *SAVED])
    wait_until(lambda: os.path.exists("waits"), "rank that waits", job)
    job.send_signal(signal.SIGUSR1)
    os.remove("waits")
    os.remove("wait.0.100")
    wait_until(has_checkpoint, "checkpoint", job)
    wait_until(lambda: os.path.exists("waits"), "rank that waits", job)
    open("die.1.200.9", "w", encoding="ascii").close()
    lose_hosts(job, "ab")
    os.remove("waits")
    os.remove("wait.0.300")
    code, out, err = finish(job)
    if code != 0 or results(out) != expected or err.count(FROM_DISK) != 2 or "is lost" not in err or os.path.exists("die.1.200.9"):
        fail(f"{layout}: two neighbours are lost: code {code}, lines that differ: "
             f"{sorted(set(expected) ^ set(results(out)))[:9]}:\n{err}")
    shutil.rmtree("saved")


def third_host_is_lost_meanwhile():
    """A third host is lost while weftrun waits for the disk, which has the only image after the loss of two neighbours."""
    layout = hosts("localhost:2,a,b,c")
    expected = results(run([], **LONG)[1])
    write_agent("export SLOW_DISK=none\n" + SHELL)  # only weftrun's host has a slow disk
    with slow_disk() as how:
        forget_agents()
        for name in ("wait.0.100", "wait.0.300"):
            open(name, "w", encoding="ascii").close()
        job = start(["--survive", "1h", *SAVED, *layout], **how, **LONG)
        wait_until(lambda: os.path.exists("waits"), "rank that waits", job)
        job.send_signal(signal.SIGUSR1)
        os.remove("waits")
        os.remove("wait.0.100")
        wait_until(lambda: os.path.exists("slow.waits") and os.path.exists("waits"), "file that is written", job)
        wait_until(lambda: len(glob.glob("saved/*.part/process-[234]")) == 3, "files of the other hosts", job)
        for host in "abc":
            wait_until(lambda proxy=proxy_of(host, job): len(children(proxy)) == 1, "end of the copy", job)
        lose_hosts(job, "ab")
        wait_until(lambda: "the last checkpoint is still being written" in errors(), "line that weftrun waits", job)
        lose_hosts(job, "c")
        for name in ("slow", "waits", "wait.0.300"):
            os.remove(name)
        code, out, _ = finish(job)
        if code != 0 or results(out) != expected or FROM_DISK not in errors():
            fail(f"{layout}: a third host is lost: code {code}, {saved()}:\n{errors()}")
    write_agent()
    shutil.rmtree("saved")


def program_asks_for_one_there():
    """The program's own checkpoints cannot go to weftrun's folder: they stop the ranks, and would mix with weftrun's."""
    open("calls", "w", encoding="ascii").close()
    for folder in ("called", "other"):
        code, _, err = run(["--survive", "1h", "--checkpoint", folder], program=CHECKPOINTED)
        if code != 0 or ("with --survive images go to the folder of --checkpoint" in err) != (folder == "called"):
            fail(f"--checkpoint {folder} of a program that writes to called: code {code}:\n{err}")
    if not any(name.startswith("checkpoint-") for name in os.listdir("called")):
        fail(f"no checkpoint in {os.listdir('called')}")
    os.remove("calls")
    shutil.rmtree("called")
    shutil.rmtree("other")


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
        none_before_its_time(layout, expected)
        program_goes_elsewhere(layout, expected)
        when_a_signal_asks(layout)
        a_signal_asks_while_process_0_is_dead(layout)
        no_image_can_be_written(layout)
        disk_fails(layout, expected)
        job_ends_before_its_checkpoint_is_there(layout, expected)
        signal_ends_the_wait(layout, expected)
    host_is_lost_that_writes(hosts("localhost:2,a,b"), results(run([], **LONG)[1]))
    neighbours_are_lost()
    third_host_is_lost_meanwhile()
    program_asks_for_one_there()
    print("all right")


main()
