"""Two network namespaces of this host with a virtual cable between them, which stand for two hosts."""
import os
import subprocess
import time


class TwoHosts:
    """`with` returns None if namespaces cannot be made, as by a user who is no administrator."""

    # The end of a launcher agent's script, which must have set host and removed it from its arguments.
    AGENT = 'exec ip netns exec "$host" sh -c "$*"\n'

    def __init__(self):
        self.names = [f"weft-s{letter}-{os.getpid()}" for letter in "ab"]

    @staticmethod
    def ip(*words):
        return subprocess.run(["ip", *words], stderr=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=False)

    def __enter__(self):
        a, b = self.names
        made = [self.ip("netns", "add", name).returncode for name in self.names]
        self.ip("link", "add", "wa", "netns", a, "type", "veth", "peer", "name", "wb", "netns", b)
        for name, end, address in ((a, "wa", "1"), (b, "wb", "2")):
            for words in (("addr", "add", f"10.214.8.{address}/24", "dev", end), ("link", "set", "lo", "up"), ("link", "set", end, "up")):
                made.append(self.ip("-n", name, *words).returncode)
        if any(made):
            self.__exit__()
            return None
        self.wait_for_link()
        return self

    def __exit__(self, *_):
        for name in self.names:
            self.ip("netns", "del", name)

    def wait_for_link(self):
        end = time.monotonic() + 30
        while not all("state UP" in self.ip("-n", name, "link", "show", link).stdout for name, link in zip(self.names, ("wa", "wb"))):
            if time.monotonic() > end:
                raise TimeoutError("the link between two network namespaces does not come up")
            time.sleep(0.01)

    def cut(self):
        self.ip("-n", self.names[1], "link", "set", "wb", "down")

    def reconnect(self):
        self.ip("-n", self.names[1], "link", "set", "wb", "up")
        self.wait_for_link()
