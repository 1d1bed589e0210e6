"""Writes what stands in for functions that are not there yet, and the lists that the linker needs."""

STUBS_HEAD = """\
// A weak PMPI_ definition for every function of the table: a strong one anywhere in the library replaces it.
#define WEFT_NO_DEPRECATED
#include "mpi.h"
#include "mpi_shim/entry/unsupported.hpp"

extern "C" {
"""


def unnamed(function, large):
    """The C parameters without their names, which a stub does not use."""
    parameters = []
    for argument in function.arguments:
        declared = argument.declaration(large)
        start = declared.rfind(argument.name) if argument.kind != "..." else -1
        parameters.append(declared if start < 0 else declared[:start].rstrip() + declared[start + len(argument.name):])
    return ", ".join(parameters)


def stub(function, name, large):
    failed = f'weft_mpi_unsupported("MPI_{name}")'
    result = function.c_result()
    body = f"return {failed};" if result == "int" else f"{failed}; return {result}{{}};"
    return f"[[gnu::weak]] {result} PMPI_{name}({unnamed(function, large)}) {{ {body} }}"


def source(table):
    """The stubs and the list of the functions whose status is still todo."""
    lines = [STUBS_HEAD]
    missing = []
    for function, name, large, status in table.forms():
        lines.append(stub(function, name, large))
        if status == "todo":
            missing.append(f'    "MPI_{name}",')
    lines += ["}", "", "namespace weft::mpi_shim {", "inline namespace entry {", "namespace {", ""]
    lines += ["constexpr const char* kUnsupported[] = {", *missing, "    nullptr};", "", "}  // namespace", ""]
    lines += ["std::span<const char* const> unsupported_functions() {",
              "  return {kUnsupported, std::size(kUnsupported) - 1};", "}", "", "}  // namespace entry", "}  // namespace weft::mpi_shim", ""]
    return "\n".join(lines)


def aliases(table):
    """A linker script: each MPI_ name has the value of its PMPI_ name, so a program's own MPI_ can stand before it."""
    return "".join(f"MPI_{name} = PMPI_{name};\n" for _, name, _, _ in table.forms())


def names(table):
    """One line a function for the tests: name and status."""
    return "".join(f"{name} {status}\n" for _, name, _, status in table.forms())
