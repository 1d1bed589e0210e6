"""gdb commands for Weft, whose ranks are fibres, which gdb does not know.

Load with `gdb -x weft-gdb.py ...`, or `source weft-gdb.py`. Works on a live process and on a core file.
  info ranks      number, state, worker and last MPI call of every rank
  rank N          symbols of rank N, and its frames behind frame 0 until `rank off`
  rank N bt       the backtrace of rank N
  rank all bt     of every rank
  rank off        the thread's own frames again
  rank break L    a breakpoint at L, such as app.c:14 or main, in every rank that is there; gdb knows the program once
                  its ranks are: `break PMPI_Init`, `run`, then this, then `continue`
"""

import struct

import gdb
from gdb.unwinder import Unwinder

TABLE = "weft_debug"  # runtime/image/debug_table.h, version 1
VERSION = 1
# The registers of a suspended fibre in the order in which Boost.Context keeps them (x86-64, System V), from saved_registers() on.
SAVED = ("r12", "r13", "r14", "r15", "rbx", "rbp", "rip")


def read(address, size):
    return bytes(gdb.selected_inferior().read_memory(address, size))


def words(address, count):
    return struct.unpack(f"<{count}Q", read(address, 8 * count))


def word(value):
    return gdb.Value(value).cast(gdb.lookup_type("unsigned long"))


def text(address):
    if not address:
        return ""
    out = b""
    while b"\0" not in out:
        out += read(address + len(out), 1)
    return out[:-1].decode(errors="replace")


def saved_registers():
    """Bytes from a fibre's saved stack pointer to its registers, found as by Fiber::saved_registers() (runtime/fiber)."""
    code = read(int(gdb.parse_and_eval("(unsigned long)&jump_fcontext")), 9).removeprefix(b"\xf3\x0f\x1e\xfa")
    if not code.startswith(b"\x48\x8d\x64\x24"):
        raise gdb.GdbError("this Boost.Context keeps the registers of a suspended rank in an unknown way")
    return 256 - code[4] - 6 * 8


class Table:
    """A copy of the process's table of ranks."""

    def __init__(self):
        try:
            at = int(gdb.parse_and_eval(f"(unsigned long)&{TABLE}"))
            self.read_all(at)
        except gdb.MemoryError as error:
            raise gdb.GdbError(f"the ranks are not there yet or no more: {error}")
        except gdb.error as error:
            raise gdb.GdbError(f"no Weft process: {error}")

    def read_all(self, at):
        (version, self.region, self.region_size, self.slot_size, images, images_at, self.count, self.ranks_at,
         states, states_at) = words(at, 10)
        unwinder.is_rank = lambda address: self.rank_at(address) is not None
        if version != VERSION:
            raise gdb.GdbError(f"the process has version {version} of the debug table, this script {VERSION}")
        self.images = []
        for i in range(images):
            path, offset, _, _ = words(images_at + 32 * i, 4)
            self.images.append((text(path), offset))
        self.states = [text(a) for a in words(states_at, states)] if states else []

    def rank(self, number):
        """Saved stack pointer (0 while it runs), state, worker, call; None if the rank is in another process."""
        if number >= self.count:
            raise gdb.GdbError(f"there are {self.count} ranks")
        context, state, worker, call = words(self.ranks_at + 32 * number, 4)
        if not context:
            return None
        state = read(state, 1)[0] if state else None
        name = self.states[state] if state is not None and state < len(self.states) else str(state)
        number_of_worker = struct.unpack("<I", read(worker, 4))[0] if worker else 0
        return words(context, 1)[0], name, number_of_worker, text(words(call, 1)[0]) if call else ""

    def slot(self, number):
        return self.region + number * self.slot_size

    def rank_at(self, address):
        inside = self.region <= address < self.region + self.region_size
        return (address - self.region) // self.slot_size if inside else None


class RankUnwinder(Unwinder):
    """Makes a suspended rank's frames follow the selected thread's frame 0. No register of the thread changes."""

    def __init__(self):
        super().__init__("weft-rank")
        self.stack_pointer = None  # of the suspended rank
        self.registers = None      # the address of its saved registers
        self.top = None            # (rip, rsp) of the thread's frame 0
        self.is_rank = lambda address: False

    def __call__(self, frame):
        try:
            return self.unwind(frame)
        except gdb.MemoryError:
            return None  # a stack that cannot be read is not a rank's

    def unwind(self, frame):
        here = (int(frame.read_register("rip")), int(frame.read_register("rsp")))
        if self.is_rank(here[1]) and "make_fcontext" in gdb.execute(f"info symbol {here[0]:#x}", to_string=True):
            end = frame.create_unwind_info(FrameId(here[1], 0))  # where every fibre begins: nothing called it
            end.add_saved_register("rip", word(0))
            end.add_saved_register("rsp", word(here[1]))
            return end
        if self.stack_pointer is None:
            return None
        if here != self.top:
            return None
        # gdb stops where an outer frame lies below an inner one: frame 0 pretends to lie just below the rank's.
        unwound = frame.create_unwind_info(FrameId(self.stack_pointer, here[0]))
        for name, value in zip(SAVED, words(self.registers, len(SAVED))):
            unwound.add_saved_register(name, word(value))
        unwound.add_saved_register("rsp", word(self.registers + 8 * len(SAVED)))
        return unwound

    def show(self, stack_pointer):
        self.stack_pointer = None
        gdb.invalidate_cached_frames()
        if stack_pointer is not None:
            frame = gdb.newest_frame()
            self.top = (int(frame.read_register("rip")), int(frame.read_register("rsp")))
            self.registers = stack_pointer + saved_registers()
            self.stack_pointer = stack_pointer
            gdb.invalidate_cached_frames()


class FrameId:
    def __init__(self, stack_pointer, pc):
        self.sp = word(stack_pointer)
        self.pc = word(pc)


class Symbols:
    """The symbols of one rank's images: those of several ranks would hide each other."""

    def __init__(self):
        self.loaded = None

    def load(self, table, number):
        if self.loaded == number:
            return
        self.drop(table)
        for path, offset in table.images:
            gdb.execute(f'add-symbol-file "{path}" -o {table.slot(number) + offset:#x}', to_string=True)
        self.loaded = number

    def drop(self, table):
        if self.loaded is None:
            return
        for path, _ in table.images:
            try:
                gdb.execute(f'remove-symbol-file "{path}"', to_string=True)
            except gdb.error:
                pass  # gdb dropped it itself, with the process
        self.loaded = None


unwinder = RankUnwinder()
symbols = Symbols()
gdb.unwinder.register_unwinder(None, unwinder, replace=True)


def threads_by_rank(table):
    """{rank: thread} of all threads whose stack pointer lies in a rank's slot: the rank runs, or its thread has nothing to run."""
    selected, found = gdb.selected_thread(), {}
    for thread in gdb.selected_inferior().threads():
        thread.switch()
        found[table.rank_at(int(gdb.newest_frame().read_register("rsp")))] = thread
    if selected is not None:
        selected.switch()
    found.pop(None, None)
    return found


def backtrace(table, number):
    facts = table.rank(number)
    if facts is None:
        print(f"rank {number} is in another process")
        return
    stack_pointer, state, worker, call = facts
    print(f"rank {number}: {state}, worker {worker}" + (f", last in {call}" if call else ""))
    symbols.load(table, number)
    runner = threads_by_rank(table).get(number)
    if runner is not None:
        selected = gdb.selected_thread()
        unwinder.show(None)
        runner.switch()
        gdb.execute("bt")
        selected.switch()
    elif stack_pointer == 0 or state == "ended":
        print("  no frames")
    else:
        unwinder.show(stack_pointer)
        try:
            lines = gdb.execute("bt", to_string=True).splitlines()
            starts = [i for i, line in enumerate(lines) if line.startswith("#1 ")]
            print("\n".join(lines[starts[0]:] if starts else lines))
        finally:
            unwinder.show(None)


def break_in_all(table, location):
    """Sets a breakpoint in every rank that is there: gdb's own would only be in the rank whose symbols are loaded."""
    here = [number for number in range(table.count) if table.rank(number) is not None]
    if not here:
        raise gdb.GdbError("no rank is there yet: `break PMPI_Init`, `run`, then again")
    symbols.load(table, here[0])
    _, found = gdb.decode_line(location)
    base = table.slot(here[0])
    places = [line.pc - base for line in found or [] if table.rank_at(line.pc) == here[0]]
    if not places:
        raise gdb.GdbError(f"{location} is not in the program's code")
    ranks = 0
    for number in here:
        try:
            for place in places:
                read(table.slot(number) + place, 1)
                gdb.execute(f"break *{table.slot(number) + place:#x}", to_string=True)
            ranks += 1
        except gdb.MemoryError:
            pass  # its worker has not begun
    print(f"{ranks} of {len(here)} ranks stop at {location}")


def show_stop(_event):
    """At a breakpoint of `rank break`: loads the symbols of the rank that has stopped."""
    try:
        pc = int(gdb.newest_frame().read_register("rip"))
        number = Table().rank_at(pc)
        if number is not None and symbols.loaded is not None and symbols.loaded != number:
            symbols.load(Table(), number)
            line = gdb.find_pc_line(pc)
            print(f"rank {number}" + (f" at {line.symtab.filename}:{line.line}" if line.symtab else ""))
    except (gdb.error, gdb.GdbError):
        pass  # not in a rank


def forget_process(_event):
    unwinder.stack_pointer = None
    unwinder.is_rank = lambda address: False


gdb.events.stop.connect(show_stop)
gdb.events.exited.connect(forget_process)


class RankCommand(gdb.Command):
    __doc__ = __doc__

    def __init__(self):
        super().__init__("rank", gdb.COMMAND_STACK)

    def invoke(self, argument, _):
        arguments = argument.split()
        table = Table()
        if arguments == ["off"]:
            unwinder.show(None)
            return
        if arguments[:1] == ["break"] and len(arguments) == 2:
            break_in_all(table, arguments[1])
            return
        if not arguments or arguments[1:] not in ([], ["bt"]):
            raise gdb.GdbError("rank N | rank N bt | rank all bt | rank off | rank break LOCATION")
        if arguments[0] != "all" and not arguments[0].isdigit():
            raise gdb.GdbError(f"'{arguments[0]}' is not a rank's number")
        if arguments[0] == "all":
            for number in range(table.count):
                backtrace(table, number)
            return
        number = int(arguments[0])
        if arguments[1:]:
            backtrace(table, number)
            return
        self.select(table, number)

    def select(self, table, number):
        facts = table.rank(number)
        if facts is None:
            raise gdb.GdbError(f"rank {number} is in another process")
        symbols.load(table, number)
        runner = threads_by_rank(table).get(number)
        if runner is not None:
            unwinder.show(None)
            runner.switch()
            gdb.execute("frame 0")
        else:
            unwinder.show(facts[0])
            gdb.execute("frame 1")


class InfoRanks(gdb.Command):
    """Number, state, worker and last MPI call of every rank of this process."""

    def __init__(self):
        super().__init__("info ranks", gdb.COMMAND_STATUS)

    def invoke(self, _argument, _):
        table = Table()
        threads = threads_by_rank(table)
        print("rank  state      worker  last call")
        for number in range(table.count):
            facts = table.rank(number)
            # A rank of another process has neither a saved stack pointer nor a thread here.
            if facts is not None and (facts[0] != 0 or number in threads or facts[1] in ("running", "ended")):
                print(f"{number:4}  {facts[1]:9}  {facts[2]:6}  {facts[3]}")


RankCommand()
InfoRanks()
