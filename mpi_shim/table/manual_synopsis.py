"""The SYNOPSIS of a manual page: how a function is called in C, through mpif.h or module mpi, and through module mpi_f08."""
import re

import f08
import f08_module
import fortran
import fortran_headers

WIDTH = 70
KINDS = {"aint": "ADDRESS", "acount": "ADDRESS", "displ": "ADDRESS", "state": "ADDRESS", "attr": "ADDRESS", "bigcount": "COUNT",
         "count": "COUNT", "offset": "OFFSET"}
# Procedures of the modules that no table describes: f08_module.py writes them.
BY_HAND = {
    "Status_f2f08": ["MPI_Status_f2f08(f_status, f08_status, ierror)", "integer, intent(in) :: f_status(MPI_STATUS_SIZE)",
                     "type(MPI_Status), intent(out) :: f08_status", "integer, optional, intent(out) :: ierror"],
    "Status_f082f": ["MPI_Status_f082f(f08_status, f_status, ierror)", "type(MPI_Status), intent(in) :: f08_status",
                     "integer, intent(out) :: f_status(MPI_STATUS_SIZE)", "integer, optional, intent(out) :: ierror"],
}


def wrapped(text, indent, end=""):
    """Lines of at most WIDTH characters where that is possible, broken after commas; all but the last one end with `end`."""
    lines = []
    while len(text) > WIDTH - len(end):
        cut = text.rfind(", ", 0, WIDTH - len(end)) + 1 or text.find("(", len(indent)) + 1
        if cut == 0 or cut == len(text):
            break
        lines.append(text[:cut] + end)
        text = indent + text[cut:].lstrip()
    return [*lines, text]


def c_lines(function, callbacks):
    """The prototypes, and the types of functions that the function is given; `callbacks` has name, result and parameters of each type."""
    types = {}
    for _, large, _ in function.forms():
        name = f"MPI_{function.name}{'_c' if large else ''}"
        yield from wrapped(f"{function.c_result()} {name}({function.parameters(large)});", "    ")
        types |= {declaration.split()[0].rstrip("*"): None for declaration in function.parameters(large).split(", ")}
    for name, result, parameters in callbacks:
        if f"MPI_{name}" in types:
            yield from ["", *wrapped(f"typedef {result} MPI_{name}({parameters});", "    ")]


def with_kind(line, function, large):
    """integer(kind=8) in the words that a program uses."""
    def named(match):
        argument = next((a for a in function.arguments if a.name == match[2]), None)
        base = "aint" if argument is None else argument.kind if argument.kind in ("state", "attr") else argument.base
        kind = "COUNT" if large and base == "acount" else KINDS[base]
        return f"integer(kind=MPI_{kind}_KIND){match[1]}:: {match[2]}"
    line = re.sub(r"integer\(kind=8\)([^:]*):: (\w+)", named, line).replace("real(kind=8)", "double precision")
    return re.sub(r"^(integer.*:: \w+)\(8(.*)\)$", r"\1(MPI_STATUS_SIZE\2)", line)


def joined(lines):
    """Declarations of the same kind in one."""
    kinds = {}
    for line in lines:
        kind, _, name = line.partition(" :: ")
        kinds.setdefault(kind, []).append(name)
    return [f"{kind} :: {', '.join(names)}" for kind, names in kinds.items()]


def procedure(lines, function, large=False):
    """An interface body as a user would declare it."""
    head, *declarations, _ = [line for line in lines if line != "import" and not line.startswith("!GCC$")]
    head = re.sub(r"^(subroutine|function) ", "", re.sub(r" bind\(C.*", "", head))
    head = re.sub(r"_f08(ts)?\(", "(", head).replace("_c(", "(") if function.name not in f08.EXPLICIT_LARGE else head
    declarations = [with_kind(re.sub(r"^type\(\*\), dimension\(\*\), target :: (\w+)", r"<type> :: \1(*)", line), function, large)
                    for line in declarations]
    lines = wrapped(head, "    ", " &")
    for line in joined(declarations):
        lines += ["    " + part for part in wrapped(line, "    ", " &")]
    return lines


def mpi_lines(function):
    """Nothing where there is no binding."""
    if function.name in BY_HAND:
        return [BY_HAND[function.name][0], *("    " + line for line in BY_HAND[function.name][1:])]
    return procedure(fortran_headers.interface(function, "MPI_"), function) if fortran.has_binding(function) else []


def f08_lines(function, texts):
    if function.name in BY_HAND:
        return mpi_lines(function)
    if not f08.in_module(function):
        return []
    name = "MPI_" + function.name
    lines = procedure(f08_module.body(function, name, False, texts), function)
    if f08.has_large(function):
        lines += ["", *procedure(f08_module.body(function, name + "_c", True, texts), function, large=True)]
    return lines
