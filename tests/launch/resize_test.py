"""Tests weft resize: jobs get more or fewer processes while they run. They must print the lines of an undisturbed job, each
once. The test checks in the system that the processes have changed.
  resize_test.py <weftrun> <program> <scratch folder>"""
import os
import re
import signal
import subprocess
import sys

import scratch_folder
from surviving_job import IMAGES_ALWAYS, PROGRAM, RANKS, WEFTRUN, Images, check_ends, children, fail, finish, run, start, wait_until

WEFT = os.path.join(os.path.dirname(WEFTRUN), "weft")
SCRATCH = os.path.abspath(sys.argv[3])
# With an interval of an hour a step may be 64 rounds away: see ImageSchedule.
MOST_ROUNDS_BETWEEN_STEPS = 64
RARELY = ["--survive", "1h"]
# Options, initial processes, workers of each process, and the requests in their order.
CHANGES = ((["--workers", "2"], 1, 2, ("2", "3", "1")),
           (["--processes", "4", "--workers", "4"], 4, 1, ("3", "4", "2")),
           (["--processes", "2", "--workers", "4", "--lb", "rotate"], 2, 2, ("+1", "-2", "5")))


def ask(job, processes):
    return subprocess.Popen([WEFT, "resize", str(job.pid), processes], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def resize(job, processes):
    code, out, err = finish(ask(job, processes))
    return code, out, out + err  # as check_ends() takes it


def stop_in_rounds(rounds):
    for number in rounds:
        open(f"wait.0.{number}", "w", encoding="ascii").close()


def resume(number):
    """Lets rank 0 continue, which waits in this round."""
    os.remove("waits")
    os.remove(f"wait.0.{number}")


def change_while_it_runs(job, number, wanted):
    """Requests a change while rank 0 waits in this round, and lets it continue once the job knows the request."""
    wait_until(lambda: os.path.exists("waits"), f"rank that waits in round {number}", job)
    asked = ask(job, wanted)
    line = asked.stderr.readline()
    if f"weft: job '{job.pid}' will have" not in line:
        fail(f"weft resize {wanted}: {line}{asked.communicate()}")
    resume(number)
    return asked


def lines_of(rounds):
    code, out, _ = run([], rounds=rounds)
    if code != 0 or len(out.splitlines()) != RANKS + rounds:
        fail(f"the job that is left alone: code {code}, {out}")
    return sorted(out.splitlines())


def check_lines(job, expected, changes, what):
    code, out, err = finish(job)
    if code != 0 or sorted(out.splitlines()) != expected or err.count("the job goes on with") != changes:
        fail(f"{what}: code {code}, {changes} changes:\n{err}\nstandard output:\n{out}")
    return err


def changes(interval, between):
    rounds = 4 * between
    expected = lines_of(rounds)
    for options, count, workers, wanted in CHANGES:
        what = f"{interval} {options}"
        stops = [1 + i * between for i in range(len(wanted))]
        stop_in_rounds(stops + [rounds - 1])
        job = start(interval + options, rounds=rounds)
        for number, text in zip(stops, wanted):
            asked = change_while_it_runs(job, number, text)
            before, count = count, count + int(text) if text[0] in "+-" else int(text)
            said = f"job {job.pid}: {count} process{'' if count == 1 else 'es'} with {count * workers} worker.*, before {before}\n"
            code, out, err = finish(asked)
            if code != 0 or not re.fullmatch(said, out) or len(children(job.pid)) != count:
                fail(f"{what}: weft resize {text}: code {code}: {out}{err}; processes {children(job.pid)}")
        wait_until(lambda: os.path.exists("waits"), "rank that waits in the last round", job)
        resume(rounds - 1)
        check_lines(job, expected, len(wanted), what)


def grows_again_without_n():
    """Without -n a job keeps the number of ranks that it has begun with, and may again have as many processes."""
    stop_in_rounds([1, 5, 11])
    job = start(IMAGES_ALWAYS + ["--processes", "4", "--workers", "4"], rounds=12, size=())
    for number, wanted in (1, "2"), (5, "4"):
        check_ends((*finish(change_while_it_runs(job, number, wanted))[:2], ""), 0, [], f"weft resize {wanted} without -n")
    wait_until(lambda: os.path.exists("waits"), "rank that waits in round 11", job)
    resume(11)
    code, _, err = finish(job)
    if code != 0 or "goes on with 4 processes of 1 worker in place of 2" not in err:
        fail(f"without -n: code {code}: {err}")


def keeps_no_memory():
    """Nothing is left of an image of four processes once an image of two processes is complete."""
    expected = lines_of(12)
    stop_in_rounds([2, 9])
    job = start(IMAGES_ALWAYS + ["--processes", "4", "--workers", "4"], rounds=12)
    images = Images(job, 4)
    finish(change_while_it_runs(job, 2, "2"))
    wait_until(lambda: os.path.exists("waits"), "rank that waits in round 9", job)
    wait_until(lambda: not any(images.size_of_process(place, process) for place in (0, 1) for process in (2, 3)),
               "end of the files of processes that are no more", job)
    if not all(images.size_of_process(place, 0) for place in (0, 1)):
        fail("a process that stays has no image")
    resume(9)
    check_lines(job, expected, 1, "memory")


def dies_afterwards():
    """A process dies after a change: the job continues from an image, with the new number of processes."""
    expected = lines_of(12)
    for death, interval in ("die.2.6.9", IMAGES_ALWAYS), ("die.1.2.9", RARELY):
        stop_in_rounds([1, 11])
        open(death, "w", encoding="ascii").close()
        job = start(interval + ["--processes", "3", "--workers", "3"], rounds=12)
        check_ends((*finish(change_while_it_runs(job, 1, "2"))[:2], ""), 0, [], f"{death}: weft resize")
        os.remove("wait.0.11")
        code, out, err = finish(job)
        if code != 0 or sorted(set(out.splitlines())) != expected or os.path.exists(death) or not re.search(
                "goes on with 2 processes of 1 worker in place of 3, from step .*\n.*was killed by signal 9.* goes on from the image", err):
            fail(f"{death}: code {code}: {err}")
        if os.path.exists("waits"):
            os.remove("waits")


def dies_while_it_starts():
    expected = lines_of(12)
    stop_in_rounds([1, 11])
    job = start(IMAGES_ALWAYS + ["--processes", "3", "--workers", "3"], rounds=12)
    wait_until(lambda: os.path.exists("waits"), "rank that waits in round 1", job)
    first = set(children(job.pid))
    asked = change_while_it_runs(job, 1, "2")
    second = wait_until(lambda: len(found := set(children(job.pid)) - first) == 2 and found, "other processes", job)
    os.kill(min(second), signal.SIGKILL)
    wait_until(lambda: len(set(children(job.pid)) - first - second) == 2, "processes after the death of a new one", job)
    check_ends((*finish(asked)[:2], ""), 0, [], "weft resize while a new process dies")
    os.remove("wait.0.11")
    code, out, err = finish(job)
    if code != 0 or sorted(set(out.splitlines())) != expected or "was killed by signal 9" not in err:
        fail(f"a process died while it started: code {code}: {err}")
    if os.path.exists("waits"):
        os.remove("waits")


def withdrawn():
    """A request for the current number of processes withdraws an earlier request."""
    expected = lines_of(4)
    stop_in_rounds([2])
    job = start(IMAGES_ALWAYS + ["--processes", "2", "--workers", "2"], rounds=4)
    wait_until(lambda: os.path.exists("waits"), "rank that waits", job)
    asked = ask(job, "3")
    asked.stderr.readline()
    other = ask(job, "4")
    check_ends(finish(asked), 1, ["somebody else has asked for another number since"], "a second one who asks")
    check_ends(resize(job, "99"), 1, ["it has 5 ranks, not one for each of 99 processes"], "what cannot be")
    check_ends(resize(job, "2"), 0, ["2 processes with 2 workers, before 2"], "as many as there are")
    check_ends(finish(other), 1, ["somebody else has asked for another number since"], "it is withdrawn")
    resume(2)
    check_lines(job, expected, 0, "withdrawn")


def ranks_ask():
    """AMPI_Evacuate: if several ranks of a process call it, one process ends."""
    expected = lines_of(12)
    for options, leaving, said in ((["--processes", "3", "--workers", "3"], (4,), "2 processes of 1 worker in place of 3"),
                                   (["--processes", "3", "--workers", "3", "--lb", "rotate"], (1, 4), "1 process of 1 worker in place of 3"),
                                   (["--processes", "2", "--workers", "2"], (0, 1), "1 process of 1 worker in place of 2")):
        for rank in leaving:
            open(f"leave.{rank}.3", "w", encoding="ascii").close()
        err = check_lines(start(IMAGES_ALWAYS + options, rounds=12), expected, 1, f"{options}: AMPI_Evacuate of {leaving}")
        if f"goes on with {said}" not in err:
            fail(f"{options}: AMPI_Evacuate of {leaving}: {err}")
    two = ["--processes", "2", "--workers", "2"]
    for options, leaving, said in ((["--workers", "2"], (1,), "1 process: none would be left"), (two, (0, 4), "2 processes: none would be left"),
                                   (two + ["--map-by", "ppr:3:process"], (4,), "2 processes: 5 ranks do not fit")):
        for rank in leaving:
            open(f"leave.{rank}.3", "w", encoding="ascii").close()
        err = check_lines(start(IMAGES_ALWAYS + options, rounds=12), expected, 0, f"{options}: AMPI_Evacuate of {leaving}")
        if not re.search(f"AMPI_Evacuate: the job keeps its {said}", err):
            fail(f"{options}: AMPI_Evacuate of {leaving}: {err}")
    open("leave.1.3", "w", encoding="ascii").close()
    check_ends(run(two), 55, ["AMPI_Evacuate", "a process goes only in jobs of weftrun --survive"], "AMPI_Evacuate without --survive")


def writes_files():
    """Files of ranks' output keep what ranks have printed before a change."""
    expected = lines_of(12)
    stop_in_rounds([4, 11])
    job = start(IMAGES_ALWAYS + ["--processes", "2", "--workers", "2", "--output-filename", "printed:nocopy"], rounds=12)
    check_ends((*finish(change_while_it_runs(job, 4, "3"))[:2], ""), 0, [], "weft resize with --output-filename")
    wait_until(lambda: os.path.exists("waits"), "rank that waits in round 11", job)
    resume(11)
    code, _, err = finish(job)
    lines = []
    for rank in range(RANKS):
        with open(f"printed/1/rank.{rank}/stdout", encoding="ascii") as file:
            lines += file.read().splitlines()
    if code != 0 or sorted(lines) != expected:
        fail(f"--output-filename: code {code}: {err}: {lines}")


def watched():
    """weft top shows the current processes, and does not take a change for the job's end."""
    expected = lines_of(8)
    stop_in_rounds([1, 6])
    job = start(IMAGES_ALWAYS + ["--processes", "3", "--workers", "3"], rounds=8)
    wait_until(lambda: os.path.exists("waits"), "rank that waits in round 1", job)
    top = subprocess.Popen([WEFT, "top", "--interval", "0.05", str(job.pid)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    lines = []

    def shows(text):
        for line in top.stdout:
            lines.append(line)
            if text in line:
                return
        fail(f"weft top never shows '{text}': {lines}{top.stderr.read()}")

    shows("3 workers in 3 processes")
    finish(change_while_it_runs(job, 1, "2"))
    shows("2 workers in 2 processes")
    wait_until(lambda: os.path.exists("waits"), "rank that waits in round 6", job)
    resume(6)
    check_lines(job, expected, 1, "a job that is watched")
    shows(f"job {job.pid} has ended")
    if top.wait() != 0:
        fail(f"weft top beside a change: code {top.returncode}: {lines}")


def cannot_be_done():
    """A change that is impossible: the job continues as it was, and says why."""
    expected = lines_of(8)
    stop_in_rounds([3, 6])
    open("open.1.2", "w", encoding="ascii").close()
    job = start(IMAGES_ALWAYS + ["--processes", "2", "--workers", "2"], rounds=8)
    asked = change_while_it_runs(job, 3, "3")
    check_ends(finish(asked), 1, [f"weft: job '{job.pid}' goes on as before: no image can be written: rank 1: "],
               "a rank with an open device")
    os.remove("open.1.2")
    wait_until(lambda: os.path.exists("waits"), "rank that waits in round 6", job)
    resume(6)
    check_lines(job, expected, 0, "a rank with an open device")


def refusals():
    stop_in_rounds([0])
    job = start([])
    wait_until(lambda: os.path.exists("waits"), "rank that waits", job)
    check_ends(resize(job, "2"), 1, [f"job '{job.pid}' cannot have 2 processes: the job has no --survive"], "no --survive")
    resume(0)
    finish(job)
    stop_in_rounds([0])
    job = start(RARELY + ["--processes", "2", "--map-by", "ppr:3:process"])
    wait_until(lambda: os.path.exists("waits"), "rank that waits", job)
    name = job.pid
    for wanted, says in (("0", "a job cannot have 0 processes"), ("-2", "a job cannot have 0 processes"),
                         ("two", "'two' is no number of processes"), ("3x", "'3x' is no number of processes"),
                         ("+a,b", "'+a,b' is no number of processes"),
                         ("+other:4", f"job '{name}' cannot have 4 more processes on host other: it has 5 ranks, not one for each of 6 processes"),
                         ("6", f"job '{name}' cannot have 6 processes: it has 5 ranks, not one for each of 6 processes"),
                         ("1", f"job '{name}' cannot have 1 processes: 5 ranks do not fit"), ("999999", "a job cannot have 999999 processes")):
        check_ends(resize(job, wanted), 1, [f"weft: {says}"], f"weft resize {wanted}")
    resume(0)
    if finish(job)[0] != 0:
        fail("a job that refused to change its processes")
    check_ends(resize(job, "2"), 1, [f"no job '{name}' runs on this host"], "a job that has ended")


def ends_before_a_step():
    stop_in_rounds([-1])  # in MPI_Finalize
    job = start(RARELY, rounds=6)
    asked = change_while_it_runs(job, -1, "2")
    check_ends(finish(asked), 1, [f"job '{job.pid}' has ended"], "no step any more")
    if finish(job)[0] != 0:
        fail("a job that ended before it came to a step")


def main():
    scratch_folder.begin_in(SCRATCH)
    os.environ["XDG_RUNTIME_DIR"] = SCRATCH
    for part in (refusals, cannot_be_done, withdrawn, ends_before_a_step, grows_again_without_n, keeps_no_memory, ranks_ask, writes_files, watched, dies_afterwards,
                 dies_while_it_starts):
        part()
        print(part.__name__, flush=True)
    changes(IMAGES_ALWAYS, 3)
    changes(RARELY, MOST_ROUNDS_BETWEEN_STEPS + 10)
    print("all right")


main()
