"""Writes the large-count forms with status 'narrow': they call the int form when every count fits an int.

Weak, like a stub: a form written by hand replaces them. Only functions where this is exact qualify, see possible().
"""
HEAD = """\
// Large-count forms that call the int form; a hand-written form replaces them.
#include "mpi.h"
#include "mpi_shim/table/narrow.hpp"

// NOLINTBEGIN(readability-function-size)
extern "C" {
using weft::mpi_shim::Narrow;
"""
# Arguments that count at the root alone.
AT_ROOT = {"Gather": {"recvcount"}, "Gatherv": {"recvcounts", "displs"},
           "Scatter": {"sendcount"}, "Scatterv": {"sendcounts", "displs"}}


def possible(function):
    """False when a result could need more than an int, or when an array must outlive the call."""
    pending = function.name.startswith("I") or function.name.endswith("_init")
    for argument in function.arguments:
        if argument.base in ("User_function", "Datarep_conversion_function"):
            return False
        if argument.base in ("count", "displ"):
            if argument.kind.endswith("*") and argument.name != "position":
                return False
            if argument.kind.endswith("[]") and pending:
                return False
    return function.large != "-"


def length(function, argument):
    names = {a.name for a in function.arguments}
    for counter in ("ndims", "count"):
        if counter in names and "comm" not in names:
            return "narrow.scalar(\"count\", count)" if counter == "count" else counter
    if function.name.startswith("Neighbor"):
        incoming = argument.name in ("recvcounts", "rdispls", "displs")
        return f"weft::mpi_shim::neighbor_count(comm, {str(incoming).lower()})"
    return f"weft::mpi_shim::{'member' if 'Reduce_scatter' in function.name else 'peer'}_count(comm)"


def unused_when(function, argument):
    """A C++ condition under which MPI ignores the argument, or None."""
    names = {a.name for a in function.arguments}
    if argument.name in AT_ROOT.get(function.name, ()):
        return "!weft::mpi_shim::is_root(comm, root)"
    sending = argument.name in ("sendcount", "sendcounts", "sdispls") and "sendbuf" in names
    if sending and not function.name.startswith(("Send", "Neighbor", "Scatter")):
        return "sendbuf == MPI_IN_PLACE"
    if argument.name == "recvcount" and function.name.startswith("Scatter"):
        return "recvbuf == MPI_IN_PLACE"
    return None


def conversion(function, argument):
    """The statement that makes small_<name>, or None when the argument passes through."""
    name, kind = argument.name, argument.kind
    if argument.base not in ("count", "displ"):
        return None
    if kind.endswith("*"):
        return f'int small_{name} = narrow.scalar("{name}", *{name});'
    array = kind.endswith("[]")
    value = f'narrow.array("{name}", {name}, {length(function, argument)})' if array else f'narrow.scalar("{name}", {name})'
    if condition := unused_when(function, argument):
        value = f"{condition} ? {'nullptr' if array else '0'} : {value}"
    return f"const int{'*' if array else ''} small_{name} = {value};"


def form(function):
    comm = "comm" if any(a.name == "comm" for a in function.arguments) else "MPI_COMM_NULL"
    lines = [f'Narrow narrow("MPI_{function.name}_c", {comm});']
    passed, written = [], []
    for argument in function.arguments:
        statement = conversion(function, argument)
        pointer = argument.kind.endswith("*") and statement is not None
        passed.append(("&" if pointer else "") + ("small_" if statement else "") + argument.name)
        lines += [statement] if statement else []
        written += [f"*{argument.name} = small_{argument.name};"] if pointer else []
    lines += ["if (narrow.failed()) return narrow.raise();"]
    call = f"PMPI_{function.name}({', '.join(passed)})"
    lines += [f"const int error = {call};", *written, "return error;"] if written else [f"return {call};"]
    body = "".join(f"  {line}\n" for line in lines)
    return f"[[gnu::weak]] int PMPI_{function.name}_c({function.parameters(True)}) {{\n{body}}}\n"


def source(table):
    forms = [form(f) for f in table.functions if f.large == "narrow"]
    return HEAD + "\n" + "\n".join(forms) + "}\n// NOLINTEND(readability-function-size)\n"
