"""The table of MPI in memory: functions, constants and callback types, and what each kind of argument is in C.

functions.txt has one line a function: name (without MPI_), the version of the standard that introduced it, the version
that deprecated it or '-' ('removed': one of MPI-1's names that MPI-3.0 removed; 'beside': not in the ABI), its status, the status of its large-count form (name_c) or '-', and its arguments.
A status is 'done' (a strong PMPI_ definition exists) or 'todo' (a stub that names itself).
An argument is name:kind. The bare kind is passed by value; '*' is a pointer to one that the call may set, '[]' an array
that it reads, '[]*' an array that it may set. A function's result is int unless '-> kind' follows the arguments.
constants.txt: kind | name | value, where kind is a handle type or one of error, int, length (longest string: one less
in Fortran), fortran (layout of a Fortran status), tool (MPI_T), pointer (value is type and number), offset, same, removed
(datatypes of MPI-1, in mpif.h and module mpi only: C programs have had to do without since MPI-3.0).
"""
import dataclasses
import pathlib

HANDLES = ("Comm Datatype Errhandler File Group Info Message Op Request Session Win T_cvar_handle T_enum "
           "T_event_instance T_event_registration T_pvar_handle T_pvar_session").split()
ENUMS = {"T_cb_safety", "T_source_order"}
# Kind of a scalar: its C type in the int form and in the large-count form.
SCALARS = {
    "int": ("int", "int"), "rank": ("int", "int"), "tag": ("int", "int"), "keyval": ("int", "int"),
    "logical": ("int", "int"), "index": ("int", "int"),
    "count": ("int", "MPI_Count"), "displ": ("int", "MPI_Aint"), "aint": ("MPI_Aint", "MPI_Aint"),
    "acount": ("MPI_Aint", "MPI_Count"), "bigcount": ("MPI_Count", "MPI_Count"), "offset": ("MPI_Offset", "MPI_Offset"),
    "double": ("double", "double"), "fint": ("MPI_Fint", "MPI_Fint"),
    **{name: (f"MPI_{name}", f"MPI_{name}") for name in (*HANDLES, *ENUMS)},
}
# Kinds with a fixed C type; '@' stands for the argument's name.
FIXED = {
    "cbuf": "const void* @", "buf": "void* @", "baseptr": "void* @", "attr": "void* @", "state": "void* @",
    "str": "const char* @", "str*": "char* @", "Status": "const MPI_Status* @", "Status*": "MPI_Status* @",
    "Status[]*": "MPI_Status* @", "argvp": "char*** @", "argv": "char* @[]", "argvs": "char** @[]",
    "ranges": "int @[][3]", "...": "...",
}
# MPI_UNWEIGHTED and MPI_WEIGHTS_EMPTY may be passed for these. They are declared as pointers, not as arrays: GCC
# assumes that an array parameter is read, and would warn where such a constant is passed.
WEIGHTS = {"weights", "sourceweights", "destweights"}
COUNTED_CALLBACKS = {"User_function", "Datarep_conversion_function"}  # these have a _c type of their own


@dataclasses.dataclass(frozen=True)
class Argument:
    name: str
    kind: str

    @property
    def base(self):
        return self.kind.rstrip("*").removesuffix("[]")

    def declaration(self, large=False):
        """The C parameter, for the int form or the large-count form."""
        if self.kind in FIXED:
            return FIXED[self.kind].replace("@", self.name)
        if self.base.rstrip("!").endswith("function"):
            suffix = "_c" if large and self.base in COUNTED_CALLBACKS else ""
            star = "" if self.base.endswith("!") else "*"
            return f"MPI_{self.base.rstrip('!')}{suffix}{star} {self.name}"
        c_type = SCALARS[self.base][large]
        if self.kind.endswith(("[]", "[]*")):
            const = "const " if self.kind.endswith("[]") else ""
            return f"{const}{c_type}* {self.name}" if self.name in WEIGHTS else f"{const}{c_type} {self.name}[]"
        return f"{c_type}{'*' if self.kind.endswith('*') else ''} {self.name}"


@dataclasses.dataclass(frozen=True)
class Function:
    name: str
    since: str
    deprecated: str
    status: str
    large: str
    arguments: tuple
    result: str

    @property
    def in_abi(self):
        """Whether MPI-5.0's ABI lists the function."""
        return self.deprecated not in ("removed", "beside")

    def c_result(self):
        return "int" if self.result == "int" else SCALARS[self.result][0]

    def parameters(self, large=False):
        return ", ".join(a.declaration(large) for a in self.arguments) or "void"

    def forms(self):
        """Yields (name, large, status) of the function and of its large-count form."""
        yield self.name, False, self.status
        if self.large != "-":
            yield self.name + "_c", True, self.large


def rows(path):
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            yield [field.strip() for field in line.split("|")]


def parse_function(fields):
    name, since, deprecated, status, large, text = (*fields, "")[:6]
    if {status, large} - {"done", "todo", "-"}:
        raise ValueError(f"functions.txt: MPI_{name} has status {status!r}, {large!r}; known: done, todo, -")
    arguments, _, result = text.partition("->")
    parsed = []
    for word in arguments.split():
        argument, _, kind = word.partition(":")
        parsed.append(Argument(argument, kind or argument))
    return Function(name, since, deprecated, status, large, tuple(parsed), result.strip() or "int")


class Table:
    """The three files of one folder."""

    def __init__(self, folder):
        folder = pathlib.Path(folder)
        self.functions = [parse_function(row) for row in rows(folder / "functions.txt")]
        self.constants = list(rows(folder / "constants.txt"))
        self.callbacks = list(rows(folder / "callbacks.txt"))

    def forms(self):
        """Yields (function, name, large, status) of everything that is exported as MPI_name and PMPI_name."""
        for function in self.functions:
            for name, large, status in function.forms():
                yield function, name, large, status
