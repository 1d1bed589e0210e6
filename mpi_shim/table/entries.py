"""Writes the entry points that only check their arguments and forward them: entries.txt says which, and how.

entries.txt has a section for each source file, headed by its path in mpi_shim, without .cpp, in brackets. The file's
entry points are written to generated/<path>.inc, which the file includes as its last line, so that they see what it
holds in its unnamed namespace. A section's rows are: names | guard | checks | call.
Names: functions of the table that are alike, with MPI_, so that a search for a function finds its row. The large-count
form of each comes with it, unless the row says 'only'.
Guard: 'entry' (the call's name is recorded, MPI must be initialized), 'anytime' (the same before and after), 'none'
(nothing happens first), 'coll' (as 'entry' for the blocking form; a non-blocking or persistent form begins a schedule,
see coll/schedule/call_with_request.hpp). Further words: 'migrate:PLACE' (the rank may move at the beginning of the
blocking form), 'fails:COMM' (the call may throw CallFailed, whose error is raised on that communicator), 'only' (this
form alone).
Checks: names of arguments in the order in which they are looked at. A handle is looked up, and the call gets the
object in its place; a pointer must not be null; a count or a tag must not be negative. 'mpi_t' and 'tool' stand for
the state of MPI_T, which must be initialized; with 'tool' the call gets it too.
Call: one call of a function of the source file. Without parentheses it gets all arguments; the entry comes first unless
the guard is 'none'. $1 is the first argument, $count, $displ and $acount are the type of a count, a displacement and an
address-sized count in this form, $result the function's result, $name the call's name; NAME@ is the object found.
"""
import dataclasses
import re

INCLUDE_WIDTH = 120
# How a handle is looked up: the object's declaration, and what is returned where there is none.
LOOKUPS = {
    "Comm": ("Communicator* const {object} = find_comm(entry.me, {name});", "entry.bad_comm({name})"),
    "Group": ("const std::shared_ptr<const Group>* const {object} = find_group(entry.me, {name});",
              "bad_group(entry, {name})"),
    "Info": ("const Info* const {object} = find_info(entry.me, {name});", "bad_info(entry, {name})"),
    "Win": ("Window* const {object} = find_window(entry.me, {name});", "bad_window(entry, {name})"),
    "Session": ("Session* const {object} = entry.me.part<Sessions>().open.find({name});", "bad_session(entry, {name})"),
    "File": ("int error = MPI_SUCCESS;\n  File* const {object} = checked_file(entry, {name}, error);", "error"),
    "Datatype": ("int error = MPI_SUCCESS;\n  const Datatype* const {object} = checked_type(entry, {name}, error);",
                 "error"),
}
# How a null pointer is reported once such a handle has been looked up.
NULLS = {
    None: 'entry.null_argument(MPI_COMM_NULL, "{name}")',
    "Comm": 'entry.null_argument({handle}, "{name}")',
    "Group": 'entry.null_argument(MPI_COMM_NULL, "{name}")',
    "Info": 'entry.null_argument(MPI_COMM_NULL, "{name}")',
    "Datatype": 'entry.null_argument(MPI_COMM_NULL, "{name}")',
    "Win": 'null_argument(entry, *{object}, "{name}")',
    "Session": 'raise_in(entry, *{object}, MPI_ERR_ARG, "{name} is a null pointer")',
    "File": 'raise_null(entry, {object}, "{name}")',
    "tool": "MPI_T_ERR_INVALID",
}
NEGATIVES = {"count": "MPI_ERR_COUNT", "tag": "MPI_ERR_TAG"}


@dataclasses.dataclass(frozen=True)
class Row:
    names: tuple
    guard: str
    options: tuple
    checks: tuple
    call: str


def read(path):
    """Source file to its rows."""
    sections = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            rows = sections.setdefault(line.strip("[]"), [])
            continue
        fields = [field.strip() for field in line.split("|", 3)]
        if len(fields) != 4:
            raise ValueError(f"{path.name}:{number}: a row is: names | guard | checks | call")
        guard, *options = fields[1].split()
        if guard not in ("entry", "anytime", "none", "coll"):
            raise ValueError(f"{path.name}:{number}: unknown guard {guard!r}")
        names = fields[0].split()
        if not all(name.startswith("MPI_") for name in names):
            raise ValueError(f"{path.name}:{number}: a name does not begin with MPI_")
        checks = () if fields[2] == "-" else tuple(fields[2].split())
        rows.append(Row(tuple(name.removeprefix("MPI_") for name in names), guard, tuple(options), checks, fields[3]))
    return sections


class EntryPoint:
    """One form of one function."""

    def __init__(self, function, row, name, large):
        self.function, self.row, self.name, self.large = function, row, name, large
        self.objects = {}
        self.last = (None, "", "")  # kind, handle and object of the last handle that was looked up

    def argument(self, name):
        for argument in self.function.arguments:
            if argument.name == name:
                return argument
        raise ValueError(f"entries.txt: MPI_{self.name} has no argument {name}")

    def begins_schedule(self):
        return self.row.guard == "coll" and any(a.kind == "Request*" for a in self.function.arguments)

    def guard(self):
        names = [a.name for a in self.function.arguments]
        if self.row.guard == "none":
            return []
        if self.begins_schedule():
            arguments = ["info"] if "info" in names else []
            return [f'  const CallWithRequest request_call({", ".join([chr(34) + "MPI_" + self.name + chr(34), *arguments, "request"])});']
        lines = []
        for option in self.row.options:
            if option.startswith("migrate:"):
                lines.append(f'  migrate_at(MigrationPoint::{option.removeprefix("migrate:")}, comm, "MPI_{self.name}");')
        anytime = ", Entry::kAnytime" if self.row.guard == "anytime" else ""
        return [*lines, f'  const Entry entry("MPI_{self.name}"{anytime});']

    @staticmethod
    def refuse(condition, result):
        return [f"  if ({condition}) [[unlikely]] {{", f"    return {result};", "  }"]

    def check(self, name):
        if name == "mpi_t":
            self.last = ("tool", "", "")
            return self.refuse("find_tool(entry) == nullptr", "MPI_T_ERR_NOT_INITIALIZED")
        if name == "tool":
            self.last = ("tool", "", "tool")
            self.objects["tool"] = "*tool"
            return ["  Tool* const tool = find_tool(entry);", *self.refuse("tool == nullptr", "MPI_T_ERR_NOT_INITIALIZED")]
        argument = self.argument(name)
        if argument.kind in LOOKUPS:
            found = f"found_{name}"
            declaration, otherwise = LOOKUPS[argument.kind]
            self.last = (argument.kind, name, found)
            self.objects[name] = ("**" if argument.kind == "Group" else "*") + found
            return ["  " + declaration.format(object=found, name=name),
                    *self.refuse(f"{found} == nullptr", otherwise.format(name=name))]
        kind, handle, found = self.last
        if argument.kind in NEGATIVES:
            comm = handle if kind == "Comm" else "MPI_COMM_NULL"
            return self.refuse(f"{name} < 0", f'entry.raise({comm}, {NEGATIVES[argument.kind]}, "{name} {{}} is negative", {name})')
        return self.refuse(f"{name} == nullptr", NULLS[kind].format(name=name, handle=handle, object=found))

    def replaced(self, text):
        """The text with what $… stands for in this form."""
        for index, argument in enumerate(self.function.arguments, 1):
            text = re.sub(rf"\${index}\b", argument.name, text)
        for kind in ("count", "displ", "acount"):
            text = text.replace(f"${kind}", {"count": ("int", "MPI_Count"), "displ": ("int", "MPI_Aint"),
                                             "acount": ("MPI_Aint", "MPI_Count")}[kind][self.large])
        text = text.replace("$result", self.function.c_result())
        text = text.replace("$name", f'"MPI_{self.name}"')
        return text

    def call(self):
        text = self.row.call
        first = {"none": []}.get(self.row.guard, ["request_call" if self.begins_schedule() else "entry"])
        if "(" not in text:
            names = [self.objects.get(a.name, a.name) for a in self.function.arguments]
            tool = [self.objects["tool"]] if "tool" in self.objects else []
            return f'{self.replaced(text)}({", ".join([*first, *tool, *names])})'
        text = self.replaced(text)
        for name, found in self.objects.items():
            text = re.sub(rf"\b{name}@", found, text)
        called, _, rest = text.partition("(")
        separator = ", " if first and rest != ")" else ""
        return f'{called}({", ".join(first)}{separator}{rest}'

    def body(self):
        *before, guard = self.guard() or [""]
        checks = [line for name in self.row.checks for line in self.check(name)]
        if fails := [option.removeprefix("fails:") for option in self.row.options if option.startswith("fails:")]:
            call = f"return run_raising_failures(entry, {fails[0]}, [&] {{ return {self.call()}; }});"
            return [*before, guard, *checks, *wrapped("  ", call)]
        called, _, rest = self.call().partition("(")
        if not guard or checks or len(re.findall(r"\b(?:entry|request_call)\b", rest)) > 1:
            return [*before, *filter(None, [guard]), *checks, *wrapped("  ", f"return {called}({rest};")]
        # In one expression the compiler makes the other arguments before the entry, while their registers are intact.
        made = re.sub(r"^  const (\w+) \w+(\(.*\));$", r"\1\2", guard)
        return [*before, *wrapped("  ", f"return {called}({re.sub('entry|request_call', lambda _: made, rest, count=1)};")]

    def source(self):
        body = self.body()
        words = set(re.findall(r"\w+", "\n".join(body)))
        parameters = []
        for argument in self.function.arguments:
            declared = argument.declaration(self.large)
            parameters.append(declared if argument.name in words else without_name(declared, argument.name))
        head = f'{self.function.c_result()} PMPI_{self.name}({", ".join(parameters)}) {{'
        return "\n".join([*wrapped("", head), *body, "}"])


def without_name(declared, name):
    """A parameter that is not used has no name, or compilers warn."""
    start = declared.rfind(name)
    return declared[:start].rstrip() + declared[start + len(name):]


def wrapped(indent, text):
    """The text in lines of at most 120 characters, broken after commas."""
    lines, room = [], INCLUDE_WIDTH - len(indent)
    while len(text) > room:
        cut = text.rfind(", ", 0, room)
        if cut < 0:
            break
        lines.append(indent + text[:cut + 1])
        text = text[cut + 2:]
        if len(lines) == 1:
            indent += "    "
            room -= 4
    return [*lines, indent + text]


def entry_points(table, sections):
    """Yields (source file, entry point) of every form that is generated."""
    functions = {function.name: function for function in table.functions}
    for unit, rows in sections.items():
        for row in rows:
            for name in row.names:
                large_only = name not in functions and name.endswith("_c")
                function = functions.get(name.removesuffix("_c") if large_only else name)
                if function is None:
                    raise ValueError(f"entries.txt: the table has no function MPI_{name}")
                for form, large, _ in function.forms():
                    if (form == name) if "only" in row.options or large_only else True:
                        yield unit, EntryPoint(function, row, form, large)


def files(table, sections):
    """Path to text of every generated file."""
    texts = {}
    seen = set()
    for unit, point in entry_points(table, sections):
        if point.name in seen:
            raise ValueError(f"entries.txt: MPI_{point.name} stands there twice")
        seen.add(point.name)
        texts.setdefault(unit, []).append(point.source())
    includes = {unit: '#include "mpi_shim/entry/failure_errors.hpp"\n\n' if "run_raising_failures(" in "".join(points) else ""
                for unit, points in texts.items()}
    return {f"{unit}.inc": f'// The entry points of {unit}.cpp that only check and forward: table/entries.txt.\n{includes[unit]}extern "C" {{\n\n'
            + "\n\n".join(points) + '\n\n}  // extern "C"\n' for unit, points in texts.items()}
