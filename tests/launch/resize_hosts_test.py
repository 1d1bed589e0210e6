"""Tests weft resize and weft evacuate on several hosts: jobs get processes on more hosts and leave hosts while they run. They
must print the lines of an undisturbed job, each once. Hosts are shells on this host, and network namespaces if these can be
made.  resize_hosts_test.py <weftrun> <program> <scratch folder>"""
import os
import re
import signal
import subprocess
import sys

import scratch_folder
from shell_hosts import SHELL, agent_of, forget_agents, hosts, images_at, network_hosts, proxy_of, write_agent
from surviving_job import IMAGES_ALWAYS, RANKS, WEFTRUN, check_ends, fail, finish, run, start, wait_until

WEFT = os.path.join(os.path.dirname(WEFTRUN), "weft")
SCRATCH = os.path.abspath(sys.argv[3])
RARELY = ["--survive", "1h"]  # a step is at most 64 rounds away
ROTATE = ["--lb", "rotate"]
ROUNDS = 400


class SteppedJob:
    """A job whose rank 0 waits in the first round, and later in the rounds that the test chooses."""

    def __init__(self, options, rounds=ROUNDS, stdin=subprocess.DEVNULL, **how):
        forget_agents()
        if os.path.exists("waits"):
            os.remove("waits")
        self.round = 0
        self.ask_to_wait()
        self.job = start(options, rounds=rounds, stdin=stdin, **how)
        self.wait()

    def ask_to_wait(self):
        open(f"wait.0.{self.round}", "w", encoding="ascii").close()

    def wait(self):
        wait_until(lambda: os.path.exists("waits"), f"rank that waits in round {self.round}", self.job)

    def resume(self):
        os.remove("waits")
        os.remove(f"wait.0.{self.round}")

    def resume_until(self, number):
        before, self.round = self.round, number
        self.ask_to_wait()
        os.remove("waits")
        os.remove(f"wait.0.{before}")

    def go_to(self, number):
        self.resume_until(number)
        self.wait()

    def name(self):
        """The job's name, which begins with weftrun's number."""
        folder = f"{SCRATCH}/weft/jobs"
        return wait_until(lambda: [name for name in os.listdir(folder) if name.split("@")[0] == str(self.job.pid)], "job for weft", self.job)[0]

    def ask(self, words, wrap=()):
        """Starts a command of weft. Returns it once the job knows the request."""
        asked = subprocess.Popen([*wrap, WEFT, words[0], self.name(), *words[1:]], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = asked.stderr.readline()
        if "from its next balancing step on" not in line:
            fail(f"weft {words}: {line}{asked.communicate()}")
        return asked

    def refuses(self, words, says):
        out = subprocess.run([WEFT, words[0], self.name(), *words[1:]], capture_output=True, text=True, check=False, timeout=300)
        check_ends((out.returncode, out.stdout, out.stderr), 1, [says], f"weft {words}")

    def step_until(self, is_done):
        """Runs round by round until is_done(): new hosts may take some time."""
        while not is_done():
            self.resume_until(self.round + 1)
            wait_until(lambda: is_done() or os.path.exists("waits"), "step", self.job)
        self.wait()

    def change(self, words, says, wrap=()):
        """Makes a change. `says`: what the command prints at the end."""
        asked = self.ask(words, wrap)
        self.step_until(lambda: asked.poll() is not None)
        code, out, err = finish(asked)
        if code != 0 or says not in out:
            fail(f"weft {words}: code {code}, not '{says}': {out}{err}; weftrun: {self.job.poll()}")

    def ends(self, expected, what, once=True, says=()):
        self.resume()
        code, out, err = finish(self.job)
        lines = out.splitlines() if once else set(out.splitlines())
        if code != 0 or sorted(lines) != expected or not all(re.search(text, err) for text in says):
            fail(f"{what}: code {code}, expected {says}:\n{err}\nstandard output:\n{out}")


def lines_of(rounds, **how):
    code, out, _ = run([], rounds=rounds, **how)
    if code != 0 or len(out.splitlines()) != RANKS + rounds:
        fail(f"the job that is left alone: code {code}, {out}")
    return sorted(out.splitlines())


def has_ended(pid):
    return not os.path.exists(f"/proc/{pid}")


# Initial hosts; then for each change the command, the number of processes after it, and hosts that have no processes then.
CHANGES = (("localhost:2,other:2", ((("evacuate", "other"), 2, ["other"]), (("resize", "+other:1"), 3, []), (("resize", "1"), 1, ["other"]))),
           ("a:2,b:2", ((("evacuate", "a"), 2, ["a"]), (("resize", "+c:2"), 4, []), (("evacuate", "b"), 2, ["b"]))),
           ("", ((("resize", "+b:2"), 3, []), (("resize", "+1"), 4, []), (("evacuate", "localhost"), 2, []))),
           ("localhost:1,b:1,c:2", ((("resize", "3"), 3, []), (("resize", "5"), 5, []), (("resize", "2"), 2, ["c"]))))


def changes(interval, options, expected):
    for words, asked in CHANGES:
        stepped = SteppedJob(interval + hosts(words, *options))
        for question, count, left in asked:
            before = [agent_of(host) for host in left]
            stepped.change(question, f": {count} process{'' if count == 1 else 'es'} with ")
            for agent in before:
                wait_until(lambda: has_ended(agent), "end of the proxy on a host that is left", stepped.job)
        stepped.ends(expected, f"{interval} {words} {options}")


def ranks_ask(expected):
    """AMPI_Evacuate on several hosts: the caller's process ends, and with the last process its host is left."""
    stepped = SteppedJob(IMAGES_ALWAYS + hosts("localhost:2,other:1"))
    agent = agent_of("other")
    open("leave.4.1", "w", encoding="ascii").close()
    stepped.step_until(lambda: has_ended(agent))
    stepped.ends(expected, "AMPI_Evacuate", says=["goes on with 2 processes .* in place of 3"])


def host_asks(expected):
    """SIGTERM to a proxy evacuates its host."""
    for words, host in (("localhost:2,other:2", "other"), ("a,b:2", "a")):
        stepped = SteppedJob(IMAGES_ALWAYS + hosts(words))
        agent = agent_of(host)
        os.kill(proxy_of(host, stepped.job), signal.SIGTERM)
        stepped.step_until(lambda: has_ended(agent))
        stepped.ends(expected, f"SIGTERM to the proxy on {host}", says=["goes on with 2 processes"])
    # The only host cannot be left.
    with open("err", "w+", encoding="ascii") as err:
        stepped = SteppedJob(IMAGES_ALWAYS + hosts("a:2"), err=err)
        os.kill(proxy_of("a", stepped.job), signal.SIGTERM)
        stepped.step_until(lambda: "host a keeps its processes: none would be left" in open("err", encoding="ascii").read())
        stepped.resume()
        code, out, _ = finish(stepped.job)
    if code != 0 or sorted(out.splitlines()) != expected:
        fail(f"SIGTERM to the only proxy: code {code}")


def dies_afterwards(expected):
    """A process dies after a change: the image has files of processes that are gone, or none of new processes."""
    for interval, words, question, says in ((RARELY, "localhost:2,other:2", ("evacuate", "other"), ": 2 processes"),
                                            (RARELY, "localhost:2", ("resize", "+other:2"), ": 4 processes"),
                                            (IMAGES_ALWAYS, "a:2,b:1", ("evacuate", "a"), ": 1 process ")):
        stepped = SteppedJob(interval + hosts(words))
        stepped.change(question, says)
        death = f"die.2.{stepped.round + 1}.9"
        open(death, "w", encoding="ascii").close()
        stepped.ends(expected, f"{question}, then a process dies", once=False, says=["killed by signal 9.* goes on from the image"])
        if os.path.exists(death):
            fail(f"{question}: nothing died")


def step_until_copied(stepped, processes):
    """Until an image that is begun from now on has its copies: only then does the next one begin, in the other place. `processes`: the
    most that the job has had."""
    images = images_at(stepped.job.pid, processes, stepped.job)
    times = lambda: [images.stat(place[0]).st_mtime_ns for place in images.places]
    before = times()
    stepped.step_until(lambda: all(now != then for now, then in zip(times(), before)))


def host_is_lost_afterwards(expected):
    for words, question, says, processes, lost in (("localhost:2", ("resize", "+other:2"), ": 4 processes", 4, "other"),
                                                   ("localhost:1,a:1,b:1", ("evacuate", "a"), ": 2 processes", 3, "b")):
        stepped = SteppedJob(IMAGES_ALWAYS + hosts(words))
        stepped.change(question, says)
        step_until_copied(stepped, processes)
        os.kill(proxy_of(lost, stepped.job), signal.SIGKILL)
        stepped.ends(expected, f"{question}, then {lost} is lost", once=False, says=[f"host {lost} is lost.* goes on from the image"])


def host_cannot_be_had(expected):
    """A host cannot be used: the job continues as it was. Later the host can be used."""
    write_agent('[ -e "no.$host" ] && exit 3\n' + SHELL)
    open("no.bad", "w", encoding="ascii").close()
    stepped = SteppedJob(IMAGES_ALWAYS + hosts("localhost:2"))
    asked = stepped.ask(("resize", "+bad:1"))
    stepped.step_until(lambda: asked.poll() is not None)
    check_ends(finish(asked), 1, ["goes on as before: host bad: 'sh agent' ended with exit code 3"], "a host that cannot be had")
    os.remove("no.bad")
    stepped.change(("resize", "+bad:1"), ": 3 processes")
    stepped.ends(expected, "a host that can be had later")
    write_agent()


def new_host_is_lost_in_the_start(expected):
    """The processes of a new host never start: the previous processes continue."""
    stepped = SteppedJob(IMAGES_ALWAYS + hosts("localhost:2", "--survive-silence", "600ms"))
    asked = stepped.ask(("resize", "+new:1"))
    proxy = proxy_of("new", stepped.job)
    wait_until(lambda: listens(proxy), "port of the new host", stepped.job)
    os.kill(proxy, signal.SIGSTOP)  # it starts nothing, and weftrun finds it silent
    stepped.step_until(lambda: asked.poll() is not None)
    os.kill(proxy, signal.SIGKILL)
    check_ends(finish(asked), 1, ["host new"], "a new host is lost in the start")
    stepped.ends(expected, "a new host is lost in the start", once=False)


def new_host_never_comes(expected):
    """A new host never answers: the job ends as usual, and weftrun does not wait for the agent."""
    write_agent('[ "$host" = slow ] && exec sleep 1000\n' + SHELL)
    for layout in (["--processes", "2", *hosts("")], hosts("localhost:1,other:1")):
        stepped = SteppedJob(RARELY + layout)
        asked = stepped.ask(("resize", "+slow:1"))
        stepped.ends(expected, f"{layout}: a new host never comes")
        code, _, err = finish(asked)
        if code != 1 or "has ended" not in err:
            fail(f"{layout}: weft resize beside a job that ends: code {code}: {err}")
    write_agent()


def new_host_is_lost_with_the_image(_):
    """A new host is lost after it has been found and before the change. A large image leaves time for that."""
    large = {"rounds": 20, "kib": 50000}
    expected = lines_of(**large)
    stepped = SteppedJob(IMAGES_ALWAYS + hosts("localhost:2,other:1"), **large)
    stepped.go_to(2)
    asked = stepped.ask(("resize", "+new:1"))
    proxy = proxy_of("new", stepped.job)
    wait_until(lambda: listens(proxy), "port of the new host", stepped.job)
    images = images_at(stepped.job.pid, 3, stepped.job)
    times = lambda: [images.stat(file).st_mtime_ns for place in images.places for file in place]
    before = times()
    stepped.resume_until(stepped.round + 1)
    wait_until(lambda: times() != before, "image", stepped.job)
    os.kill(proxy, signal.SIGKILL)
    stepped.wait()
    stepped.step_until(lambda: asked.poll() is not None)
    code, out, err = finish(asked)
    if code != 1 or "host new" not in err:
        fail(f"a new host is lost with the image: code {code}: {out}{err}")
    stepped.ends(expected, "a new host is lost with the image", once=False)


def listens(proxy):
    """Whether the proxy has opened its port for files."""
    try:
        with open(f"/proc/{proxy}/net/tcp6", encoding="ascii") as file:
            ports = {line.split()[9] for line in file.readlines()[1:] if line.split()[3] == "0A"}
        owns = {os.readlink(f"/proc/{proxy}/fd/{fd}") for fd in os.listdir(f"/proc/{proxy}/fd")}
        return any(f"socket:[{inode}]" in owns for inode in ports)
    except OSError:
        return False


def keeps_no_memory(expected):
    """A host keeps no files of images of processes that it no longer has."""
    stepped = SteppedJob(IMAGES_ALWAYS + hosts("localhost:2,other:2"))
    stepped.go_to(3)
    stepped.change(("resize", "2"), ": 2 processes")  # one on each host, which has a copy of the other's file
    for keeper in (stepped.job.pid, proxy_of("other", stepped.job)):
        images = images_at(keeper, 4, stepped.job)
        stepped.step_until(lambda: not any(images.size_of_process(place, process) for place in (0, 1) for process in (2, 3)))
    stepped.ends(expected, "memory")


def refusals(expected):
    stepped = SteppedJob(RARELY + hosts("localhost:2,other:2"))
    name = stepped.name()
    for words, says in ((("evacuate", "nowhere"), f"job '{name}' cannot leave host nowhere: it has no processes on host nowhere"),
                        (("resize", "+c:9"), f"job '{name}' cannot have 9 more processes on host c: it has 5 ranks, not one for each of 13"),
                        (("resize", "0"), "a job cannot have 0 processes"), (("evacuate", ""), "'' is no name of a host")):
        stepped.refuses(words, f"weft: {says}")
    stepped.ends(expected, "a job that refused to change its processes")
    stepped = SteppedJob(RARELY + hosts("a:2"))
    stepped.refuses(("evacuate", "a"), "cannot leave host a: none would be left")
    stepped.ends(expected, "a job that cannot leave its host")
    with open("/etc/passwd", encoding="ascii", errors="replace") as file:
        stepped = SteppedJob(RARELY + hosts("localhost:1,other:1"), stdin=file)
        stepped.refuses(("evacuate", "localhost"), "where process 0 has to stay: < /dev/null lets it go")
        stepped.ends(expected, "a job that reads standard input")


def over_a_network(expected, options):
    """The same changes over a network: ranks move by libfabric."""
    with network_hosts() as (two, inside):
        if two is None:
            return
        a, b = two.names
        stepped = SteppedJob(IMAGES_ALWAYS + hosts(f"{a}:2", *options), wrap=inside)
        for question, says in ((("resize", f"+{b}:2"), ": 4 processes"), (("evacuate", a), ": 2 processes"),
                               (("resize", f"+{a}:1"), ": 3 processes"), (("resize", "1"), ": 1 process ")):
            stepped.change(question, says, inside)
        stepped.ends(expected, "two network namespaces")


def main():
    scratch_folder.begin_in(SCRATCH)
    os.environ["XDG_RUNTIME_DIR"] = SCRATCH
    write_agent()
    expected = lines_of(ROUNDS)
    for part in (refusals, ranks_ask, host_asks, dies_afterwards, host_is_lost_afterwards, host_cannot_be_had,
                 new_host_is_lost_in_the_start, new_host_is_lost_with_the_image, new_host_never_comes, keeps_no_memory):
        part(expected)
        print(part.__name__, flush=True)
    changes(IMAGES_ALWAYS, [], expected)
    changes(IMAGES_ALWAYS, ROTATE, expected)
    changes(RARELY, [], expected)
    over_a_network(expected, ROTATE)
    print("all right")


main()
