"""Writes the C side of module mpi_f08 where it differs from the older bindings: buffers come as array descriptors
(ISO_Fortran_binding.h), and counts may be INTEGER(KIND=MPI_COUNT_KIND).

mpi_send_f08ts_ takes a descriptor, mpi_send_c_f08ts_ a large count too, mpi_type_size_c_f08_ a large count alone. All
else calls what fortran.py writes. descriptor.h has the conversions: an array section is copied for a call that does not
use it after it has returned, and described by a datatype for other calls.
"""
import fortran
import model

BUFFERS = ("cbuf", "buf")
# These want the address, whatever lies there.
ADDRESS_ONLY = set("Get_address Free_mem File_read_all_end File_read_at_all_end File_read_ordered_end "
                   "File_write_all_end File_write_at_all_end File_write_ordered_end Win_detach".split())
EXPLICIT_LARGE = {"Op_create"}  # a callback cannot tell the two forms apart: the name says _c
NOT_HERE = set("Attr_delete Attr_get Attr_put Keyval_create Keyval_free".split())  # MPI-1's, older than the module
DETACH = {"Buffer_detach", "Comm_detach_buffer", "Session_detach_buffer"}  # return an address, as a TYPE(C_PTR)


def in_module(function):
    return fortran.has_binding(function) and function.deprecated != "removed" and function.name not in NOT_HERE


def takes_buffers(function):
    return any(argument.kind in BUFFERS for argument in function.arguments) and function.name not in DETACH


def has_own_binding(function):
    """Whether the form with short counts differs from mpif.h's: strings of interoperable procedures are descriptors too."""
    strings = any(argument.base == "str" for argument in function.arguments)
    return takes_buffers(function) or function.name in DETACH or strings and has_large(function)


def has_large(function):
    """Whether INTEGER(KIND=MPI_COUNT_KIND) makes a difference: address-sized arguments have that size anyhow."""
    told_apart = any(a.base in ("count", "displ") for a in function.arguments) or function.name in EXPLICIT_LARGE
    return function.large != "-" and told_apart and function.name != "Register_datarep"


def symbol(function, large):
    if function.name in EXPLICIT_LARGE:
        return function.name.lower() + ("_c" if large else "")
    return f"{function.name.lower()}{'_c' if large else ''}_f08{'ts' if takes_buffers(function) else ''}"


def outlives_call(function):
    """Whether buffers are still in use when the call returns."""
    lasting = any(a.base in ("Request", "Win") for a in function.arguments)
    return lasting or function.name.endswith(("_begin", "_attach", "attach_buffer"))


class Binding(fortran.Binding):
    def __init__(self, function, large):
        self.large = large
        self.sections = {}  # of the count and datatype that belong to a buffer: what stands for them
        if takes_buffers(function) and outlives_call(function):
            self.find_sections(function.arguments)
        super().__init__(function)

    def find_sections(self, arguments):
        for before, buffer, count, datatype in zip([None, *arguments], arguments, arguments[1:], arguments[2:]):
            shared = before is not None and before.kind in BUFFERS  # two buffers of one count and datatype
            if buffer.kind in BUFFERS and not shared and count.kind == "count" and datatype.kind == "Datatype":
                self.sections[count.name] = f"{'' if self.large else '(int)'}b_{buffer.name}.count"
                self.sections[datatype.name] = f"b_{buffer.name}.type"

    def add(self, argument):
        name, kind, base = argument.name, argument.kind, argument.base
        if kind in BUFFERS and self.function.name in DETACH:
            self.parameters.append(f"void* {name}")
            self.call.append(name)
        elif kind in BUFFERS:
            self.add_buffer(name, kind)
        elif name in self.sections:
            self.parameters.append(f"{self.count_type()}* {name}" if kind == "count" else f"MPI_Fint* {name}")
            self.call.append(self.sections[name])
        elif self.large and base in ("count", "displ", "acount"):
            c_type = model.SCALARS[base][True]
            self.parameters.append(f"{c_type}* {name}")
            self.call.append(f"*{name}" if kind == base else name)
        elif base == "User_function" and self.large:
            self.parameters.append(f"MPI_User_function_c* {name}")
            self.call.append(name)
        elif base == "str":
            self.add_described_string(name)
        else:
            super().add(argument)

    def count_type(self):
        return "MPI_Count" if self.large else "MPI_Fint"

    def add_buffer(self, name, kind):
        self.parameters.append(f"CFI_cdesc_t* {name}")
        arguments = self.function.arguments
        following = arguments[[a.name for a in arguments].index(name) + 1:][:2]
        if self.function.name in ADDRESS_ONLY:
            self.call.append(f"weft_buffer({name}->base_addr)")
            return
        self.before.append(f"weft_array b_{name};")
        self.call.append(f"b_{name}.address")
        if not outlives_call(self.function):
            self.before.append(f"weft_array_in(&b_{name}, {name});")
            self.after.append(f"weft_array_out(&b_{name}, {int(kind == 'buf')});")
            return
        if following and following[0].name in self.sections:
            count, datatype = (a.name for a in following)
            made = f"weft_array_section(&b_{name}, {name}, *{count}, WEFT_HANDLE(MPI_Datatype, *{datatype}), {self.quoted()})"
        else:
            made = f"weft_array_whole(&b_{name}, {name}, {self.quoted()})"
        self.before.append(f"const int e_{name} = {made};")
        self.before.append(f"if (e_{name} != MPI_SUCCESS) return weft_report(ierror, e_{name});")
        self.after.append(f"weft_array_end(&b_{name});")

    def quoted(self):
        return f'"MPI_{self.function.name}"'

    def add_described_string(self, name):
        self.parameters.append(f"CFI_cdesc_t* {name}")
        self.before.append(f"char* c_{name} = weft_string_in({name}->base_addr, {name}->elem_len);")
        self.call.append(f"c_{name}")
        self.after.append(f"free(c_{name});")

    def name(self):
        return self.function.name + ("_c" if self.large else "")

    def symbol(self):
        return symbol(self.function, self.large)


def bindings(table):
    for function in table.functions:
        if not in_module(function):
            continue
        if has_own_binding(function):
            yield Binding(function, False)
        if has_large(function):
            yield Binding(function, True)


def source(table):
    head = "// The bindings of module mpi_f08 that take descriptors or large counts.\n#include \"descriptor.h\"\n"
    return head + "\n" + "\n".join(binding.text() for binding in bindings(table))
