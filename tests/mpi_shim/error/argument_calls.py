#!/usr/bin/env python3
"""Writes argument_calls.cpp: every function of the table, and how argument_fuzz_test makes the values of its arguments."""
import argparse
import pathlib
import sys

# Not called, and why.
EXCLUDED = {
    "Abort": "ends the job",
    "Finalize": "ends MPI",
    "Comm_accept": "waits for a MPI_Comm_connect, which this rank would have to call",
}
# Numbers that say how long the program's own arrays are: MPI cannot know better.
LENGTHS = {
    "n", "nnodes", "ndims", "indegree", "outdegree", "length", "incount", "indx", "degrees", "argc", "len", "maxprocs",
    "array_of_maxprocs",
}
BYTES = {"insize", "outsize"}
# Functions that read the handles which they set, beside MPI_*_free and the message of MPI_Mrecv.
INOUT = {
    "Type_commit", "Cancel", "Wait", "Waitall", "Waitany", "Waitsome", "Test", "Testall", "Testany", "Testsome", "Start",
    "Startall", "Comm_disconnect", "File_close", "Session_finalize",
}
SENDS = {"Bsend", "Ibsend", "Isend", "Issend", "Irsend", "Rsend", "Send", "Bsend_init", "Send_init", "Ssend_init",
         "Rsend_init"}
# Calls that wait, or that would leave what nobody can fetch: argument_notes.cpp says when they are made.
GUARDS = {
    **{name: "send" for name in SENDS},
    "Ssend": "synchronous", "Recv": "receive", "Probe": "receive", "Mprobe": "receive",
    "Sendrecv": "sendrecv", "Sendrecv_replace": "sendrecv", "Isendrecv": "sendrecv", "Isendrecv_replace": "sendrecv",
    "Psend_init": "partitioned", "Precv_init": "partitioned",
    "Wait": "wait", "Waitall": "wait", "Waitany": "wait", "Waitsome": "wait", "Request_free": "wait",
    "Dist_graph_create_adjacent": "adjacent", "Win_start": "win_start", "Win_wait": "win_wait", "Errhandler_free": "errhandler_free",
}
BUFFERS_KEPT = {"Buffer_attach", "Comm_attach_buffer", "Session_attach_buffer"}


def number(function, argument, large):
    """The kind of a number and its C type."""
    name, base = argument.name, argument.base
    c_type = MODEL.SCALARS[base][large]
    takes_arrays = any("[]" in a.kind for a in function.arguments)
    if name in LENGTHS or (name == "count" and base in ("int", "count") and takes_arrays):
        kind = "length"
    elif name in BYTES or (name == "size" and (function.name == "File_preallocate" or any(
            a.name in ("base", "buffer") for a in function.arguments))):
        kind = "bytes"
    elif name == "fd":
        kind = "closed"
    elif base in ("rank", "tag", "count", "displ", "logical", "keyval"):
        kind = base
    elif base in ("aint", "acount", "bigcount", "offset"):
        kind = "wide"
    elif name.startswith(("amode", "assert")):
        kind = "mode"
    else:
        kind = "any"
    return kind, c_type


def pointer(function, argument):
    """Arguments that are buffers, strings, callbacks and the like."""
    name, kind = argument.name, argument.kind
    base = argument.base
    if base.rstrip("!").endswith("function"):
        return None
    if kind in ("buf", "cbuf"):
        if function.name in BUFFERS_KEPT:
            return f'a.attachable("{name}")'
        if function.name == "Free_mem":
            return f'a.allocated("{name}")'
        if name == "buffer_addr" or name in ("obj_handle", "user_data", "logical_true", "logical_false") or \
                function.name.startswith("T_"):
            return f'a.room("{name}")'
        # The short way of messages does not look for MPI_IN_PLACE.
        message = any(a.base == "tag" for a in function.arguments)
        return f'a.buffer("{name}", {str(not message).lower()})'
    if kind == "baseptr":
        return f'a.pointer_slot("{name}", {str(function.name == "Alloc_mem").lower()})'
    if kind == "attr":
        return f'a.room("{name}")'
    if kind == "state":
        return f'a.room("{name}")'
    if kind == "Status*" and function.name.startswith("Status_"):
        return f'a.status_slot("{name}", false)'
    fixed = {"str": "text", "str*": "text_room", "Status": "status", "Status*": "status_slot",
             "Status[]*": "status_slots", "argv": "words", "argvs": "word_lists", "ranges": "ranges"}
    if kind in fixed:
        return f'a.{fixed[kind]}("{name}")'
    if name == "f_status":
        return f'a.number_slots<MPI_Fint>("{name}", Numbers::any)'
    if kind == "argvp":
        return "nullptr"
    return None


def expression(function, argument, large):
    """A C++ expression of the argument's type."""
    made = pointer(function, argument)
    if made:
        return made
    name, kind, base = argument.name, argument.kind, argument.base
    if base.rstrip("!").endswith("function"):
        suffix = "_c" if large and base in MODEL.COUNTED_CALLBACKS else ""
        return f'a.callback<MPI_{base.rstrip("!")}{suffix}>("{name}")'
    if base in MODEL.ENUMS:
        return f'a.number_slot<MPI_{base}>("{name}", Numbers::any)' if "*" in kind else f"MPI_{base}{{}}"
    form = {"": "", "*": "_slot", "[]": "s", "[]*": "_slots"}[kind[len(base):]]
    if base in MODEL.HANDLES:
        received = base == "Message" and function.name in ("Mrecv", "Imrecv")
        inout = received or function.name in INOUT or function.name.endswith("_free")
        extra = f", {str(inout).lower()}" if form in ("_slot", "_slots") else ""
        return f'a.handle{form}<MPI_{base}>("{name}"{extra})'
    number_kind, c_type = number(function, argument, large)
    return f'a.number{form}<{c_type}>("{name}", Numbers::{number_kind})'


def call(function, name, large):
    """One entry of the table of calls."""
    arguments = [a for a in function.arguments if a.kind != "..."]
    lines = [f'    {{"MPI_{name}",', "     [](Arguments& a) {"]
    for i, argument in enumerate(arguments):
        lines.append(f'       const auto x{i} = {expression(function, argument, large)};')
    guard = GUARDS.get(function.name, "none")
    asynchronous = any(a.kind in ("Request*", "Request[]*") or a.name == "request" for a in function.arguments)
    lines.append(f"       if (!a.may_call(Guard::{guard}, {str(asynchronous).lower()})) {{")
    lines.append("         return Arguments::kNotCalled;")
    lines.append("       }")
    invoked = f"MPI_{name}({', '.join(f'x{i}' for i in range(len(arguments)))})"
    is_code = function.result == "int" and not name.endswith(("_toint", "_c2f"))
    if is_code:
        lines.append(f"       return {invoked};")
    else:
        lines += [f"       static_cast<void>({invoked});", "       return MPI_SUCCESS;"]
    lines.append("     }},")
    return lines


def source(table):
    lines = ["// Written by argument_calls.py.", "#define WEFT_NO_DEPRECATED", '#include "tests/mpi_shim/error/argument_values.hpp"',
             "", "namespace weft::mpi_shim::fuzz {", "namespace {", "", "const MpiCall kCalls[] = {"]
    for function, name, large, _ in table.forms():
        if function.name not in EXCLUDED:
            lines += call(function, name, large)
    lines += ["};", "", "}  // namespace", "", "std::span<const MpiCall> mpi_calls() { return kCalls; }", "",
              "}  // namespace weft::mpi_shim::fuzz", ""]
    return "\n".join(lines)


def main():
    global MODEL
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", type=pathlib.Path, required=True, help="folder of functions.txt")
    parser.add_argument("--output", type=pathlib.Path, required=True)
    options = parser.parse_args()
    sys.path.insert(0, str(options.table))
    import model
    MODEL = model
    text = source(model.Table(options.table))
    if not options.output.exists() or options.output.read_text() != text:
        options.output.write_text(text)


if __name__ == "__main__":
    main()
