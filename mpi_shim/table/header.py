"""Writes mpi.h: the MPI-5.0 ABI in C and C++, then what programs need beside it."""
import model

HEAD = """\
/* MPI-5.0 standard ABI, with the names that MPI removed and the Fortran conversions that the ABI leaves out. */
#ifndef WEFT_MPI_H
#define WEFT_MPI_H

#ifdef __GNUC__
#pragma GCC system_header /* the handles are casts, which C++ programs may warn about */
#endif

#include <stdint.h>

#if defined(WEFT_NO_DEPRECATED) || !defined(__GNUC__)
#define WEFT_REMOVED(instead)
#else
#define WEFT_REMOVED(instead) __attribute__((deprecated("removed from MPI-3.0; use " instead)))
#endif

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

typedef intptr_t MPI_Aint;
typedef int64_t MPI_Offset;
typedef int64_t MPI_Count;
typedef int MPI_Fint;

typedef struct {
  int MPI_SOURCE;
  int MPI_TAG;
  int MPI_ERROR;
  int MPI_internal[5];
} MPI_Status;
typedef MPI_Status MPI_F08_status; /* of module mpi_f08 */
"""

TAIL = """\
/* Not in the ABI: the addresses that Fortran's MPI_STATUS_IGNORE stands for are known to the Fortran library alone. */
#define MPI_F08_STATUS_IGNORE ((MPI_F08_status*)0)
#define MPI_F08_STATUSES_IGNORE ((MPI_F08_status*)0)
#define MPI_F_STATUS_IGNORE ((MPI_Fint*)0)
#define MPI_F_STATUSES_IGNORE ((MPI_Fint*)0)
/* What requests of files were called before they were MPI's. */
#define MPIO_USES_MPI_REQUEST
#define MPIO_Request MPI_Request

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#include "weft.h"

#endif
"""

INSTEAD = {
    "Address": "MPI_Get_address", "Errhandler_create": "MPI_Comm_create_errhandler",
    "Errhandler_get": "MPI_Comm_get_errhandler", "Errhandler_set": "MPI_Comm_set_errhandler",
    "Type_extent": "MPI_Type_get_extent", "Type_hindexed": "MPI_Type_create_hindexed",
    "Type_hvector": "MPI_Type_create_hvector", "Type_lb": "MPI_Type_get_extent",
    "Type_struct": "MPI_Type_create_struct", "Type_ub": "MPI_Type_get_extent",
}


def c_value(kind, value):
    if kind in model.HANDLES:
        return f"((MPI_{kind}){value})"
    if kind == "pointer":
        c_type, number = value.rsplit(" ", 1)
        return f"(({c_type}){number})"
    if kind == "offset":
        return f"((MPI_Offset){value})"
    return f"({value})" if value.startswith("-") else value


def constant_lines(table, wanted):
    return [f"#define {name} {c_value(kind, value)}" for kind, name, value in table.constants
            if kind != "removed" and wanted(kind)]


def enum_lines(table):
    for enum in sorted(model.ENUMS):
        values = ", ".join(f"{name} = {value}" for kind, name, value in table.constants if kind == enum)
        yield f"typedef enum MPI_{enum} {{ {values} }} MPI_{enum};"


def prototypes(table, prefix):
    for function, name, large, _ in table.forms():
        if function.since == "weft" and prefix == "MPI_":
            continue  # weft.h declares it
        note = f' WEFT_REMOVED("{INSTEAD[name]}")' if name in INSTEAD else ""
        yield f"{function.c_result()} {prefix}{name}({function.parameters(large)}){note};"


def errhandler_names():
    return [f"typedef MPI_{kind}_errhandler_function MPI_{kind}_errhandler_fn;" for kind in "Comm File Win Session".split()]


def text(table):
    parts = [HEAD]
    parts += [f"typedef struct MPI_ABI_{handle}* MPI_{handle};" for handle in model.HANDLES]
    parts += ["", *enum_lines(table), ""]
    parts += [f"typedef {result} (MPI_{name})({parameters});" for name, result, parameters in table.callbacks]
    parts += [*errhandler_names(), ""]
    parts += constant_lines(table, lambda kind: kind not in model.ENUMS)
    parts += ["", *prototypes(table, "MPI_"), "", *prototypes(table, "PMPI_"), "", TAIL]
    return "\n".join(parts)
