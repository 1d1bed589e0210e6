"""Tests weftrun --survive on several hosts: processes on another host are killed, and whole hosts are lost in many ways. The
results must be those of an undisturbed job. Hosts are shells on this host, and network namespaces if these can be
made.  survive_hosts_test.py <weftrun> <program> <scratch folder>"""
import os
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import scratch_folder
from shell_hosts import forget_agents, hosts, images_at, network_hosts, proxy_of, write_agent
from surviving_job import Images, check_ends, children, fail, finish, results, run, start, wait_until

SCRATCH = os.path.abspath(sys.argv[3])
FROM_IMAGE = "the job goes on from the image of step"
FROM_START = "the job has no image yet and starts again as it was started"
LONG = {"rounds": 60, "pause_us": 20000}  # long enough for two images, and a loss after them
ROTATE = ["--lb", "rotate"]
OFTEN = ["--survive", "50ms"]

def run_on(layout, files=(), **how):
    return run(OFTEN + layout, files, stdin=subprocess.DEVNULL, **how)


def start_on(layout, options=(), **how):
    forget_agents()
    return start([*(options or OFTEN), *layout], stdin=subprocess.DEVNULL, **how)


def wait_for_second_image(keeper, processes, job):
    """Waits until the second image is complete, which is begun once the first one has its copies. `keeper`: weftrun or a proxy,
    whose memory files show that."""
    images = images_at(keeper, processes, job)
    wait_until(lambda: images.is_whole(1), "second image", job)


def check_goes_on(job, expected, lines, what):
    """`lines`: texts of the lines that report recoveries, in this order."""
    code, out, err = finish(job)
    said = [line for line in err.splitlines() if "comes again" in line]
    fits = len(said) == len(lines) and all(text in line for text, line in zip(lines, said))
    if code != 0 or results(out) != expected or not fits:
        missing = set(expected) ^ set(results(out))
        fail(f"{what}: code {code}, expected {lines}, standard error:\n{err}\nlines that differ: {sorted(missing)[:9]}")


def processes_die(expected):
    for layout in (hosts("localhost:2,other:2"), hosts("a:2,b:2", *ROTATE)):
        for rank, number in ((0, 9), (4, 11)):
            code, out, err = run_on(layout, [f"die.{rank}.30.{number}"], **LONG)
            if code != 0 or results(out) != expected or f"was killed by signal {number}" not in err:
                fail(f"{layout}: rank {rank} dies by signal {number}: code {code}:\n{err}")
        code, out, err = run_on(layout, ["die.1.-1.9"], **LONG)
        if code != 0 or results(out) != expected or FROM_IMAGE not in err:
            fail(f"{layout}: a death in MPI_Finalize: code {code}:\n{err}")


def host_is_lost(expected):
    for words, lost, count, options in (("localhost:2,other:2", "other", 4, []), ("a:2,b:2,c", "b", 5, ROTATE), ("a:2,b:2,c", "a", 5, [])):
        layout = hosts(words, *options)
        job = start_on(layout, **LONG)
        proxy = proxy_of(lost, job)
        wait_for_second_image(proxy, count, job)
        os.kill(proxy, signal.SIGKILL)
        check_goes_on(job, expected, [f"host {lost} is lost: "], f"{layout}: host {lost} is lost")


def hosts_are_lost_one_after_another():
    """Each host is lost when the previous loss is repaired, that is two images after the line on the recovery."""
    longer = {"rounds": 300, "pause_us": 10000}
    expected = results(run([], **longer)[1])
    layout = hosts("localhost,a,b:2,c")
    with open("err", "w+", encoding="ascii") as err:
        job = start_on(layout, err=err, **longer)
        wait_for_second_image(job.pid, 5, job)
        for count, lost in enumerate(("b", "a", "c")):
            os.kill(proxy_of(lost, job), signal.SIGKILL)
            wait_until(lambda: open("err", encoding="ascii").read().count("comes again") == count + 1, "line", job)
            said = time.time_ns()
            images = Images(job, 5)
            wait_until(lambda: all(images.stat(place[0]).st_mtime_ns > said for place in images.places), "two images", job)
        code, out, _ = finish(job)
        err.seek(0)
        lines = err.read()
    if code != 0 or results(out) != expected or not all(f"host {lost} is lost" in lines for lost in "abc"):
        fail(f"{layout}: all hosts but one are lost: code {code}:\n{lines}")


def host_is_lost_before_the_first_image(expected):
    layout = hosts("localhost:2,other:2")
    open("wait.0.3", "w", encoding="ascii").close()
    job = start_on(layout, ["--survive", "1h"], **LONG)
    wait_until(lambda: os.path.exists("waits"), "rank that waits", job)
    os.kill(proxy_of("other", job), signal.SIGKILL)
    os.remove("wait.0.3")
    check_goes_on(job, expected, ["host other is lost: "], f"{layout}: a host is lost before the first image")
    os.remove("waits")


def last_host_is_lost():
    layout = hosts("a:2")
    job = start_on(layout, **LONG)
    proxy = proxy_of("a", job)
    wait_for_second_image(proxy, 2, job)
    os.kill(proxy, signal.SIGKILL)
    check_ends(finish(job), 137, ["host a is lost: ", "and it was the job's last"], f"{layout}: the last host is lost")


def host_falls_silent(expected):
    """A silent host: its processes must stop, too, and the job continues without them. weftrun cannot end them: the test does."""
    layout = hosts("localhost:2,other:2", "--survive-silence", "2s")
    job = start_on(layout, **LONG)
    proxy = proxy_of("other", job)
    wait_for_second_image(proxy, 4, job)
    os.kill(proxy, signal.SIGSTOP)
    wait_until(lambda: not os.path.exists("agent.other") or not is_agent_alive("other"), "end of the agent", job)
    os.kill(proxy, signal.SIGKILL)
    check_goes_on(job, expected, ["host other is lost: it has said nothing for 2000 ms"], f"{layout}: a host falls silent")


def is_agent_alive(host):
    with open(f"agent.{host}", encoding="ascii") as file:
        return os.path.exists(f"/proc/{file.read().strip()}")


def weftrun_stands_still(expected):
    """weftrun is stopped, as by Ctrl-Z: processes on other hosts are stopped meanwhile, and no host is lost."""
    # weftrun is stopped for as long as a host may be silent: processes elsewhere stop after that time. 200 ms were less than
    # what a host that shares its cores with other tests needs at times.
    layout = hosts("localhost:2,other:2", "--survive-silence", "2s")
    job = start_on(layout, **LONG)
    proxy = proxy_of("other", job)
    wait_for_second_image(proxy, 4, job)
    process = children(proxy)[0]
    os.kill(job.pid, signal.SIGSTOP)
    state = lambda: open(f"/proc/{process}/stat", encoding="ascii").read().rsplit(")", 1)[1].split()[0]
    end = time.monotonic() + 60
    while state() != "T":
        if time.monotonic() > end:
            fail("processes elsewhere do not stand still while weftrun does")
        time.sleep(0.01)
    os.kill(job.pid, signal.SIGCONT)
    check_goes_on(job, expected, [], f"{layout}: weftrun stands still for a while")


def ends():
    layout = hosts("localhost:2,other:2")
    check_ends(run_on(layout, ["abort.3.5"]), 5, [], f"{layout}: MPI_Abort")
    check_ends(run_on(layout, ["exit.3.5"]), 6, [], f"{layout}: exit(6) of a rank")
    check_ends(run_on(layout, ["crash.3.5"]), 139, ["the second time at the same place"], f"{layout}: the same crash twice")
    for number in (signal.SIGTERM, signal.SIGKILL):
        job = start_on(layout, **LONG)
        proxy = proxy_of("other", job)
        wait_for_second_image(proxy, 4, job)
        there = [proxy, *children(proxy)]
        job.send_signal(number)
        finish(job)
        end = time.monotonic() + 60
        while any(os.path.exists(f"/proc/{pid}") for pid in there):
            if time.monotonic() > end:
                fail(f"{layout}: signal {number} to weftrun leaves processes on the other host")
            time.sleep(0.01)


def losses_that_end_the_job():
    """A host is lost before all processes have connected."""
    write_agent('echo $$ > "agent.$host"\n[ $host = slow ] && exec sleep 1000\nexec sh -c "$*"\n')
    layout = hosts("localhost,other,slow")
    job = start_on(layout)
    os.kill(proxy_of("other", job), signal.SIGKILL)
    code, _, err = finish(job)
    if code == 0 or "process 1 on host other " not in err or "comes again" in err:
        fail(f"{layout}: a host is lost in the start: code {code}:\n{err}")
    write_agent()


def processes_end_slowly(expected):
    """A process dies, and another host's proxy does nothing for longer than processes usually take to end: the host is not lost."""
    layout = hosts("localhost,other:2,third", "--survive-silence", "10s")
    job = start_on(layout, **LONG)
    proxy = proxy_of("other", job)
    wait_for_second_image(job.pid, 4, job)
    os.kill(proxy, signal.SIGSTOP)
    os.kill([pid for pid in children(job.pid) if is_process(pid)][0], signal.SIGKILL)
    time.sleep(1.5)  # no event: that nothing happens
    os.kill(proxy, signal.SIGCONT)
    check_goes_on(job, expected, ["process 0 on host "], f"{layout}: a proxy is slow")


def is_process(pid):
    """Whether it is a process of the job: it has WEFT_IMAGES in its environment."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return b"WEFT_IMAGES=" in file.read()
    except OSError:
        return False


def refusals():
    write_agent("exit 3\n")
    check_ends(run_on(hosts("localhost,other")), 3, ["process 1 on host other could not be started: 'sh agent' ended with exit code 3"],
               "a host that is not there at the start")
    with open("/etc/passwd", encoding="ascii", errors="replace") as file:
        check_ends(run(OFTEN + hosts("a:2,b"), stdin=file), 1, ["process 0 on host a cannot be given its standard input a second time"],
                   "standard input elsewhere")


def cable_is_cut(expected):
    with network_hosts() as (two, inside):
        if two is None:
            return
        a, b = two.names
        layout = hosts(f"{a}:2,{b}:2", "--survive-silence", "2s", *ROTATE)
        job = start_on(layout, wrap=inside, **LONG)
        proxy = proxy_of(b, job)
        wait_for_second_image(proxy, 4, job)
        two.cut()
        check_goes_on(job, expected, [f"host {b} is lost: it has said nothing for 2000 ms"], f"{layout}: a cable is cut")
        wait_until(lambda: not os.path.exists(f"/proc/{proxy}"), "end of the proxy that is cut off", SimpleNamespace(poll=lambda: None))


def main():
    scratch_folder.begin_in(SCRATCH)
    write_agent()
    code, out, _ = run([], **LONG)
    expected = results(out)
    if code != 0:
        fail(f"the job that is left alone: code {code}")
    for part in (processes_die, host_is_lost, host_is_lost_before_the_first_image, host_falls_silent,
                 weftrun_stands_still):
        part(expected)
        print(part.__name__, flush=True)
    processes_end_slowly(expected)
    losses_that_end_the_job()
    hosts_are_lost_one_after_another()
    last_host_is_lost()
    ends()
    refusals()
    cable_is_cut(expected)
    print("all right")


main()
