"""Tests weftrun --survive: processes of jobs are killed at chosen events, and the results must be those of an undisturbed job.
The line on the recovery proves each kill.
  survive_test.py <weftrun> <program> <the same without MPI_Migrate> <with MPI_MemCheckpoint> <scratch folder>"""
import os
import re
import resource
import shutil
import signal
import sys
import time

import scratch_folder
from surviving_job import (IMAGES_ALWAYS, LAYOUTS, RANKS, ROUNDS, Images, check_ends, children, count_of, fail, finish, first_processes, identity,
                           results, run, start, wait_until)

WITHOUT_MIGRATE, IN_MEMORY, SCRATCH = (os.path.abspath(word) for word in sys.argv[3:6])
FROM_IMAGE = "the job goes on from the image of step"
FROM_START = "the job has no image yet and starts again as it was started"


def check_same(result, expected, deaths, what):
    """`deaths`: texts of the lines that report recoveries, in this order."""
    code, out, err = result
    lines = [line for line in err.splitlines() if "comes again" in line]
    if code != 0 or results(out) != expected or len(lines) != len(deaths) or not all(
            text in line for text, line in zip(deaths, lines)):
        fail(f"{what}: code {code}, expected {deaths}, standard error:\n{err}\nstandard output:\n{out}")


def files_in_use():
    """The memory files for images that any process has open or mapped."""
    files = set()
    for pid in filter(str.isdigit, os.listdir("/proc")):
        for folder in ("fd", "map_files"):
            try:
                paths = [f"/proc/{pid}/{folder}/{name}" for name in os.listdir(f"/proc/{pid}/{folder}")]
            except OSError:
                continue
            for path in paths:
                try:
                    if "weft-image" in os.readlink(path):
                        files.add(identity(os.stat(path)))
                except OSError:
                    pass
    return files


def is_gone(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


def deaths_in_rounds(layout, expected):
    for rank, number, text in ((2, 9, "was killed by signal 9 (Killed): "), (0, 9, "was killed by signal 9 (Killed): "),
                               (4, 11, "was killed by signal 11 (Segmentation fault): ")):
        result = run(IMAGES_ALWAYS + layout, [f"die.{rank}.6.{number}"])
        check_same(result, expected, [text + FROM_IMAGE], f"{layout}: rank {rank} dies by signal {number}")
    twice = run(IMAGES_ALWAYS + layout, ["die.0.5.9", "die.3.9.9"])
    check_same(twice, expected, [FROM_IMAGE] * 2, f"{layout}: two deaths")
    # Different ranks crash by the same signal, with no new image in between.
    other = run(["--survive", "1h"] + layout, ["die.0.5.11", "die.3.9.11"])
    check_same(other, expected, [FROM_START] * 2, f"{layout}: two crashes that are not the same")
    at_end = run(IMAGES_ALWAYS + layout, ["die.1.-1.9"])
    check_same(at_end, expected, [FROM_IMAGE], f"{layout}: a death in MPI_Finalize")
    never = run(["--survive", "1h"] + layout, ["die.1.7.9"])
    check_same(never, expected, [FROM_START], f"{layout}: a death before the first image")
    collectives = run(IMAGES_ALWAYS + layout, ["die.2.7.9"], program=WITHOUT_MIGRATE)
    check_same(collectives, expected, [FROM_IMAGE], f"{layout}: a program without MPI_Migrate")
    if "the program does not call MPI_Migrate: images are written before blocking collectives" not in collectives[2]:
        fail(f"{layout}: nothing is said of the collectives: {collectives[2]}")


def deaths_with_mapped_files(layout):
    """Files that a program has mapped are mapped again after a death."""
    code, out, err = run(layout, ["maps"])
    if code != 0:
        fail(f"{layout}: mapped files in a job that is left alone: {code}, {err}")
    result = run(IMAGES_ALWAYS + layout, ["maps", "die.2.6.9", "die.0.9.9"])
    check_same(result, results(out), [FROM_IMAGE] * 2, f"{layout}: deaths with mapped files")


def images_that_ranks_ask_for(layout, expected):
    """Ranks ask for images in rounds 0, 4, 8 and 12, long before the interval is over."""
    result = run(["--survive", "1h"] + layout, ["die.2.10.9"], program=IN_MEMORY)
    check_same(result, expected, [FROM_IMAGE + " 3;"], f"{layout}: MPI_MemCheckpoint")
    check_ends(run(layout, program=IN_MEMORY), 55, ["MPI_MemCheckpoint", "a checkpoint in memory needs weftrun --survive"],
               f"{layout}: MPI_MemCheckpoint without --survive")


def death_in_start(layout, expected):
    """Each process in turn dies as soon as it exists, also in the start after another death."""
    count = count_of(layout)
    for which in range(count):
        job = start(IMAGES_ALWAYS + layout)
        first = first_processes(job, count)
        os.kill(first[which], signal.SIGKILL)
        second = wait_until(lambda: len(found := set(children(job.pid)) - set(first)) == count and sorted(found),
                            "process after a death in the start", job)
        os.kill(second[which], signal.SIGKILL)
        check_same(finish(job), expected, ["was killed by signal 9 (Killed): "] * 2,
                   f"{layout}: process {which} dies in the start")


def death_in_recovery(layout, expected):
    count = count_of(layout)
    for which in range(count):
        open("die.2.8.9", "w", encoding="ascii").close()
        open("wait.0.3", "w", encoding="ascii").close()
        job = start(IMAGES_ALWAYS + layout)
        wait_until(lambda: os.path.exists("waits"), "rank that waits", job)
        first = children(job.pid)
        os.remove("wait.0.3")
        second = wait_until(lambda: len(found := set(children(job.pid)) - set(first)) == count and sorted(found),
                            "process after a death", job)
        os.kill(second[which], signal.SIGKILL)
        check_same(finish(job), expected, [FROM_IMAGE] * 2, f"{layout}: process {which} dies in a recovery")
        os.remove("waits")


def death_in_an_image(layout):
    """A process dies while the second image is being written, also after another death: the image's first file grows, its index
    is still empty."""
    large = {"rounds": 6, "kib": 40 << 10}
    expected = results(run(layout, **large)[1])
    for which, deaths in ((which, deaths) for which in range(count_of(layout)) for deaths in (1, 2)):
        for _ in range(20):
            if deaths == 2:
                open("die.2.1.9", "w", encoding="ascii").close()  # between both images
            job = start(IMAGES_ALWAYS + layout, **large)
            images = Images(job, count_of(layout))
            wait_until(lambda: images.is_whole(0), "first image", job)
            wait_until(lambda: images.size_of_process(1, which) > 0, "second image", job)
            victim = children(job.pid)[which]
            os.kill(victim, signal.SIGSTOP)
            in_time = not images.is_whole(1)
            os.kill(victim, signal.SIGKILL)
            check_same(finish(job), expected, ["was killed by signal 9 (Killed): " + FROM_IMAGE] * deaths,
                       f"{layout}: process {which} dies in an image, death {deaths}")
            if in_time:
                break
        else:
            fail(f"{layout}: no image was caught while it was written")


def death_while_reading(layout):
    """A process dies while it reads its ranks from the image. No rank writes one then: rank 1 waits in the next round."""
    large = {"rounds": 6, "kib": 100 << 10}  # long enough to be seen, also by a process with one rank
    expected = results(run(layout, **large)[1])

    def reads(pid):
        try:
            return any("weft-image" in os.readlink(f"/proc/{pid}/fd/{name}") for name in os.listdir(f"/proc/{pid}/fd"))
        except OSError:
            return False

    for which in range(count_of(layout)):
        for _ in range(20):
            open("wait.1.3", "w", encoding="ascii").close()
            job = start(IMAGES_ALWAYS + layout, **large)
            first = set(first_processes(job, count_of(layout)))
            wait_until(lambda: os.path.exists("waits"), "rank that waits", job)
            os.remove("waits")
            os.kill(min(first), signal.SIGKILL)
            second = wait_until(lambda: len(found := set(children(job.pid)) - first) == count_of(layout) and sorted(found),
                                "process after a death", job)
            # Rank 1 waits again once all have read: then it was too late.
            wait_until(lambda: reads(second[which]) or os.path.exists("waits"), "process that reads an image", job)
            os.kill(second[which], signal.SIGSTOP)
            in_time = reads(second[which])
            os.kill(second[which], signal.SIGKILL)
            os.remove("wait.1.3")
            check_same(finish(job), expected, ["was killed by signal 9 (Killed): " + FROM_IMAGE] * 2,
                       f"{layout}: process {which} dies while it reads")
            if os.path.exists("waits"):
                os.remove("waits")
            if in_time:
                break
        else:
            fail(f"{layout}: no process was caught while it read an image")


def standard_input(layout):
    """Rank 0 reads numbers from a file that is longer than a stream's buffer: after a death it must read again from the image's
    position."""
    with open("numbers", "w", encoding="ascii") as file:
        file.writelines(f"{i * i}\n" for i in range(ROUNDS * 500))

    def with_numbers(options, files=()):
        with open("numbers", encoding="ascii") as file:
            return run(options, files, numbers=500, stdin=file)

    # With rotate rank 0 reads in another process.
    expected = results(with_numbers([])[1])
    check_same(with_numbers(layout), expected, [], f"{layout}: standard input of a rank that moves")
    check_same(with_numbers(IMAGES_ALWAYS + layout, ["die.0.9.9"]), expected, [FROM_IMAGE], f"{layout}: standard input")


def beside_checkpoints(layout, expected):
    options = IMAGES_ALWAYS + ["--checkpoint", "saved", "--checkpoint-every", "1"] + layout
    check_same(run(options, ["die.1.9.9"]), expected, [FROM_IMAGE], f"{layout}: beside checkpoints")
    if not any(name.startswith("checkpoint-") for name in os.listdir("saved")):
        fail(f"{layout}: no checkpoint was written beside images: {os.listdir('saved')}")
    shutil.rmtree("saved")


def after_a_restart(layout, expected):
    """A death in a restarted job before its first image: the job begins with the checkpoint again."""
    check_same(run(["--checkpoint", "saved", "--checkpoint-every", "10"] + layout), expected, [], f"{layout}: checkpoints")
    restart = ["--restart", "saved"]
    since = results(run(restart + layout)[1])
    if len(since) != RANKS + ROUNDS - 9:  # round 9 begins with the step
        fail(f"{layout}: the rounds after the checkpoint: {since}")
    check_same(run(IMAGES_ALWAYS + restart + layout, ["die.1.12.9"]), since, [FROM_IMAGE], f"{layout}: after a restart")
    check_same(run(["--survive", "1h"] + restart + layout, ["die.1.12.9"]), since, [FROM_START],
               f"{layout}: a restart again")
    shutil.rmtree("saved")


def nobody_reads(layout):
    job = start(IMAGES_ALWAYS + layout, rounds=100000, pause_us=100)
    job.stdout.readline()
    job.stdout.close()
    err = job.stderr.read()
    if job.wait() == 0 or "comes again" in err:
        fail(f"{layout}: nobody reads the output: code {job.returncode}: {err}")


def what_is_no_death(layout):
    aborted = run(IMAGES_ALWAYS + layout, ["abort.1.5"])
    check_ends(aborted, 5, [], f"{layout}: MPI_Abort")
    if "before the job's end" in aborted[2]:
        fail(f"{layout}: MPI_Abort is said twice: {aborted[2]}")
    check_ends(run(IMAGES_ALWAYS + layout, ["thread.1.5"]), 0, [], f"{layout}: a thread is left")
    nobody_reads(layout)
    code, _, err = run(IMAGES_ALWAYS + layout, ["exit.1.5"])
    if code != 6 or "comes again" in err:
        fail(f"{layout}: exit(6) of a rank: code {code}: {err}")
    check_ends(run(IMAGES_ALWAYS + layout, ["crash.3.5"]), 139,
               ["comes again", "the second time at the same place: the program's own fault", "rank 3, last in "],
               f"{layout}: the same crash twice")
    check_ends(run(IMAGES_ALWAYS + ["--survive-limit", "1"] + layout, ["die.0.4.9", "die.1.8.9"]), 137,
               ["comes again", "after 1 recoveries, the limit of --survive-limit"], f"{layout}: the limit")
    check_ends(run(IMAGES_ALWAYS + ["--timeout", "3"] + layout, ["die.0.4.9", "wait.1.7"]), 1,
               ["comes again", "its limit (--timeout"], f"{layout}: the time limit")
    os.remove("waits")


def signals_to_weftrun(layout):
    for number, code in ((signal.SIGKILL, -signal.SIGKILL), (signal.SIGTERM, 128 + signal.SIGTERM)):
        open("wait.0.7", "w", encoding="ascii").close()
        job = start(IMAGES_ALWAYS + layout)
        wait_until(lambda: os.path.exists("waits"), "rank that waits", job)
        pids = children(job.pid)
        files = Images(job, count_of(layout)).identities()
        if not pids or not files <= files_in_use():
            fail(f"{layout}: the test does not see processes and memory files: {pids}, {files}")
        job.send_signal(number)
        found, _, err = finish(job)
        if found != code or "comes again" in err:
            fail(f"{layout}: signal {number} to weftrun: code {found}: {err}")
        end = time.monotonic() + 60
        while not all(map(is_gone, pids)) or files & files_in_use():
            if time.monotonic() > end:
                fail(f"{layout}: signal {number} to weftrun leaves processes or memory files")
            time.sleep(0.01)
        os.remove("wait.0.7")
        os.remove("waits")


def no_image_is_possible(layout, expected):
    code, out, err = run(IMAGES_ALWAYS + layout, ["open.1.3"])
    said = re.findall("weft: --survive: no image is written: rank 1: .*", err)
    if code != 0 or results(out) != expected or len(said) != 1:
        fail(f"{layout}: a rank with an open device: code {code}: {err}")

    def short_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (30_000_000, 30_000_000))

    large = {"rounds": 9, "kib": 10_000}  # segments for messages are files too
    result = run(IMAGES_ALWAYS + layout, ["die.2.6.9"], preexec_fn=short_files, **large)
    check_same(result, results(run(layout, **large)[1]), [FROM_START], f"{layout}: files may not be long enough for an image")
    if result[2].count("no image is written: an image may have up to") != 2:
        fail(f"{layout}: short files: {result[2]}")


def refusals():
    for options, text in ((["--survive", "soon"], "--survive: expected the time between two images"),
                          (["--survive", "-1s"], "--survive: expected the time between two images"),
                          (["--survive", "30 s"], "--survive: expected the time between two images"),
                          (["--survive", "nan"], "--survive: expected the time between two images"),
                          (["--survive", ""], "--survive: expected the time between two images"),
                          (["--survive-limit", "3"], "--survive-limit needs --survive"),
                          (["--survive", "api", "--hosts", "elsewhere"], "not with --hosts elsewhere"),
                          (["--survive-incremental", "no"], "--survive-incremental needs --survive"),
                          (["--survive-silence", "1s"], "--survive-silence needs --survive"),
                          (["--survive", "1s", "--survive-silence", "99ms"], "--survive-silence: expected a time of at least 100ms"),
                          (["--survive", "1s", "--survive-silence", "soon"], "--survive-silence: expected a time of at least 100ms"),
                          (["--survive", "1s", "--record", "r"], "--survive does not go with --record")):
        check_ends(run(options), 1, [text], f"{options}")
    check_ends(run([], env={**os.environ, "WEFT_SURVIVE": ""}), 0, [], "an empty WEFT_SURVIVE")
    check_ends(run(["--survive", "1s"], env={**os.environ, "PMI_FD": "0", "PMI_RANK": "0"}), 1,
               ["not under srun, mpiexec or mpirun"], "--survive under PMI")


def main():
    scratch_folder.begin_in(SCRATCH)
    code, out, _ = run([])
    expected = results(out)
    if code != 0 or len(expected) != RANKS + ROUNDS:
        fail(f"the job that is left alone: code {code}, {out}")
    refusals()
    for layout in LAYOUTS:
        for part in (deaths_in_rounds, images_that_ranks_ask_for, death_in_start, death_in_recovery, no_image_is_possible, beside_checkpoints,
                     after_a_restart):
            part(layout, expected)
        for part in (standard_input, deaths_with_mapped_files, death_in_an_image, death_while_reading, what_is_no_death, signals_to_weftrun):
            part(layout)
    deaths_in_rounds(["--workers", "2", "--lb-continuous"], expected)
    print("all right")


main()
