"""Shared by tests of jobs on several hosts. Hosts are shells on this host, started by an agent in the working directory, or
network namespaces."""
import os
from contextlib import contextmanager
from types import SimpleNamespace

from surviving_job import Images, children, wait_until
from two_hosts import TwoHosts

SHELL = 'echo $$ > "agent.$host"\nexec sh -c "$*"\n'


def hosts(words, *options):
    return [*(["--hosts", words] if words else []), "--launcher-agent", "sh agent", *options]


def write_agent(body=SHELL):
    with open("agent", "w", encoding="ascii") as file:
        file.write("host=$1\nshift\n" + body)


def forget_agents():
    for name in os.listdir("."):
        if name.startswith("agent."):
            os.remove(name)


def agent_of(host):
    with open(f"agent.{host}", encoding="ascii") as file:
        return int(file.read())


def proxy_of(host, job):
    """The proxy on a host: the only child of the shell that the agent has become."""
    def find():
        try:
            return children(agent_of(host))
        except (OSError, ValueError):
            return []
    return wait_until(find, f"proxy on {host}", job)[0]


def images_at(keeper, processes, job):
    """The memory files of `keeper`, which is weftrun or a proxy."""
    return Images(SimpleNamespace(pid=keeper, poll=job.poll, communicate=job.communicate), processes)


@contextmanager
def network_hosts():
    """Two hosts, and the words before a command that make it run on the first one; None if namespaces cannot be made."""
    with TwoHosts() as two:
        if two is None:
            print("no network namespaces here")
            yield None, None
        else:
            write_agent('echo $$ > "agent.$host"\n' + two.AGENT)
            yield two, ["ip", "netns", "exec", two.names[0]]
    write_agent()
