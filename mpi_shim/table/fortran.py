"""Writes the C side of the Fortran bindings: mpi_send_ and its like, which convert their arguments and call MPI_Send.

The calling convention is gfortran's: lower case with one underscore, everything by reference, hidden lengths of strings
at the end, an INTEGER error as last argument. convert.h has the conversions; a function in HAND_WRITTEN is in handwritten_bindings.c.
"""
import model

HAND_WRITTEN = set("""
Init Init_thread Pcontrol Info_create_env Comm_create_keyval Type_create_keyval Win_create_keyval Keyval_create
Comm_get_attr Type_get_attr Win_get_attr Attr_get Comm_set_attr Type_set_attr Win_set_attr Attr_put Buffer_detach Comm_detach_buffer Session_detach_buffer
Info_get_string Session_get_nth_pset Grequest_start Register_datarep Comm_spawn Comm_spawn_multiple
Address Type_extent Type_hindexed Type_hvector Type_lb Type_struct Type_ub
""".split())
INTEGERS = {"int", "rank", "tag", "keyval", "count", "displ", "index"}
WIDE = {"aint": "MPI_Aint", "acount": "MPI_Aint", "bigcount": "MPI_Count", "offset": "MPI_Offset"}
# How many handles an array argument holds, as a C expression over the Fortran arguments.
LENGTHS = {"array_of_requests": ("count", "incount"), "array_of_types": ("count",), "array_of_info": ("count",),
           "array_of_datatypes": ("max_datatypes",)}


def has_binding(function):
    """MPI_T, the conversions of handles and the large-count names have none."""
    conversion = function.name.endswith(("_toint", "_fromint", "_c2f", "_f2c", "_c2f08", "_f082c", "_f082f", "_f2f08", "_c"))
    return not function.name.startswith("T_") and not conversion


class Binding:
    """Collects the pieces of one function, argument by argument."""

    def __init__(self, function):
        self.function = function
        self.parameters, self.lengths, self.before, self.call, self.after = [], [], [], [], []
        for argument in function.arguments:
            self.add(argument)

    def integer(self, name, value):
        self.parameters.append(f"MPI_Fint* {name}")
        self.call.append(value)

    def add(self, argument):
        name, kind, base = argument.name, argument.kind, argument.base
        if base in model.HANDLES:
            self.add_handle(name, kind, base)
        elif kind in ("cbuf", "buf", "baseptr"):
            self.parameters.append(f"void* {name}")
            self.call.append(f"weft_buffer({name})" if kind != "baseptr" else name)
        elif base in ("str", "Status"):
            getattr(self, "add_" + base.lower())(name, kind)
        elif base.endswith("function"):
            self.parameters.append(f"MPI_{base}* {name}")
            self.call.append(name)
        elif base in WIDE:
            self.parameters.append(f"{WIDE[base]}* {name}")
            self.call.append(name if kind != base else f"*{name}")
        elif kind in ("state", "attr"):
            self.parameters.append(f"MPI_Aint* {name}")
            self.call.append(f"(void*)*{name}")
        else:
            self.add_integers(name, kind, base)

    def add_integers(self, name, kind, base):
        if kind == "ranges":
            self.integer(name, f"(int(*)[3]){name}")
        elif kind == "logical":
            self.integer(name, f"*{name} != 0")
        elif kind in INTEGERS:
            self.integer(name, f"*{name}")
        elif name in model.WEIGHTS:
            self.integer(name, f"weft_weights({name})")
        elif name == "array_of_errcodes":
            self.integer(name, f"weft_errcodes({name})")
        else:
            self.integer(name, name)
        if kind == "logical*":
            self.after.append(f"*{name} = *{name} != 0;")
        if kind == "index*":
            self.after.append(f"if (*{name} != MPI_UNDEFINED) ++*{name};")
        if kind == "index[]*":
            self.after.append(f"if (*outcount != MPI_UNDEFINED) for (int i = 0; i < *outcount; ++i) ++{name}[i];")

    def add_handle(self, name, kind, base):
        c_type = f"MPI_{base}"
        if kind == base:
            self.integer(name, f"WEFT_HANDLE({c_type}, *{name})")
        elif kind == base + "*":
            self.integer(name, f"&c_{name}")
            self.before.append(f"{c_type} c_{name} = WEFT_HANDLE({c_type}, *{name});")
            self.after.append(f"*{name} = WEFT_INTEGER(c_{name});")
        else:
            self.add_handle_array(name, kind, c_type)

    def add_handle_array(self, name, kind, c_type):
        """Arrays up to a few handles live on the stack. No call reads such an array after it has returned; MPI_Ialltoallw and its like
        read their datatypes before they return."""
        self.integer(name, f"({c_type}*)h_{name}.values")
        self.before.append(f"weft_handles h_{name};")
        self.before.append(f"weft_handles_in(&h_{name}, {name}, {self.length(name)});")
        if kind.endswith("[]*"):
            self.after.append(f"weft_handles_out(&h_{name}, {name});")
        self.after.append(f"weft_handles_free(&h_{name});")

    def length(self, name):
        names = [argument.name for argument in self.function.arguments]
        for counter in LENGTHS.get(name, ()):
            if counter in names:
                return f"*{counter}"
        if "eighbor" in self.function.name:
            return f"weft_neighbors(WEFT_HANDLE(MPI_Comm, *comm), {int(name == 'recvtypes')})"
        return "weft_peers(WEFT_HANDLE(MPI_Comm, *comm))"

    def add_str(self, name, kind):
        self.parameters.append(f"char* {name}")
        self.lengths.append(f"size_t {name}_length")
        self.call.append(f"c_{name}")
        if kind == "str":
            self.before.append(f"char* c_{name} = weft_string_in({name}, {name}_length);")
            self.after.append(f"free(c_{name});")
        else:
            self.before.append(f"char* c_{name} = weft_string_buffer({name}_length);")
            given = "*flag" if any(a.name == "flag" for a in self.function.arguments) else "1"  # else the string stays as it is
            self.after.append(f"weft_string_out(c_{name}, {name}, {given} ? {name}_length : 0);")

    def add_status(self, name, kind):
        ignored = {"Status": "", "Status*": "weft_status", "Status[]*": "weft_statuses"}[kind]
        self.integer(name, f"{ignored}({name})" if ignored else f"(const MPI_Status*){name}")

    def name(self):
        """Of the MPI function, without MPI_."""
        return self.function.name

    def symbol(self):
        """Without mpi_ and the last underscore."""
        return self.function.name.lower()

    def text(self):
        call = f"MPI_{self.name()}({', '.join(self.call)})"
        if self.function.result != "int":
            parameters = ", ".join(self.parameters) or "void"
            return f"WEFT_FORTRAN({self.function.c_result()}, {self.symbol()}, ({parameters})) {{ return {call}; }}\n"
        parameters = ", ".join([*self.parameters, "MPI_Fint* ierror", *self.lengths])
        if not self.after:
            body = [*self.before, f"weft_report(ierror, {call});"]
        else:
            body = [*self.before, f"const int error = {call};", *self.after, "weft_report(ierror, error);"]
        lines = "".join(f"  {line}\n" for line in body)
        return f"WEFT_FORTRAN(void, {self.symbol()}, ({parameters})) {{\n{lines}}}\n"


def source(table):
    head = "// The Fortran bindings that follow the table.\n#define WEFT_NO_DEPRECATED\n#include \"convert.h\"\n"
    bindings = [Binding(f).text() for f in table.functions if has_binding(f) and f.name not in HAND_WRITTEN]
    return head + "\n" + "\n".join(bindings)
