"""Writes the source of modules weft_mpi_types (handles and MPI_Status as derived types) and mpi_f08."""
import f08
import fortran
import fortran_headers
import model

HANDLES = [handle for handle in model.HANDLES if not handle.startswith("T_")]
KEYVAL_ROUTINES = [f"MPI_{kind}_{name}" for kind in ("COMM", "TYPE", "WIN") for name in ("NULL_COPY_FN", "DUP_FN", "NULL_DELETE_FN")]
STATUS_SENTINELS = {"MPI_STATUS_IGNORE": "", "MPI_STATUSES_IGNORE": "(1)"}
STRINGS = {"str": "", "argvs": "(count,*)"}
LARGE_KINDS = ("count", "displ", "acount")

TYPES = """\
! The derived types of mpi_f08; module mpi has them too.
module weft_mpi_types
implicit none
private :: weft_f2f08, weft_f082f
type, bind(C) :: MPI_Status
integer :: MPI_SOURCE, MPI_TAG, MPI_ERROR, MPI_internal(5)
end type
interface MPI_Status_f2f08
module procedure weft_f2f08
end interface
interface MPI_Status_f082f
module procedure weft_f082f
end interface
"""

STATUS_PROCEDURES = """\
subroutine weft_f2f08(f_status, f08_status, ierror)
integer, intent(in) :: f_status(8)
type(MPI_Status), intent(out) :: f08_status
integer, optional, intent(out) :: ierror
f08_status = transfer(f_status, f08_status)
if (present(ierror)) ierror = 0
end subroutine
subroutine weft_f082f(f08_status, f_status, ierror)
type(MPI_Status), intent(in) :: f08_status
integer, intent(out) :: f_status(8)
integer, optional, intent(out) :: ierror
f_status = transfer(f08_status, f_status)
if (present(ierror)) ierror = 0
end subroutine
"""


def compared(handle):
    """The procedures behind == and /= of one handle type."""
    lines = []
    for name, operator in (("equal", "=="), ("unequal", "/=")):
        lines += [f"elemental logical function weft_{name}_{handle}(a, b)", f"type(MPI_{handle}), intent(in) :: a, b",
                  f"weft_{name}_{handle} = a%MPI_VAL {operator} b%MPI_VAL", "end function"]
    return lines


def types_module():
    lines = [TYPES.rstrip()]
    for handle in HANDLES:
        lines += [f"type, bind(C) :: MPI_{handle}", "integer :: MPI_VAL", "end type"]
        lines += [f"private :: weft_equal_{handle}, weft_unequal_{handle}"]
    for name, operator in (("equal", "=="), ("unequal", "/=")):
        lines += [f"interface operator({operator})", *(f"module procedure weft_{name}_{h}" for h in HANDLES), "end interface"]
    lines += ["contains", STATUS_PROCEDURES.rstrip(), *(line for h in HANDLES for line in compared(h)), "end module"]
    return "\n".join(lines) + "\n"


def constants(table):
    """As in mpif.h, but handles have their types."""
    handles = {name for kind, name, _ in table.constants if kind in HANDLES}
    removed = {name for kind, name, _ in table.constants if kind == "removed"}
    lines = []
    plain = [line.strip() for line in fortran_headers.constants(table)]
    for declaration, value in zip(plain[::2], plain[1::2]):
        name = declaration.split()[-1]
        if name not in handles | removed and name != "MPI_SUBARRAYS_SUPPORTED":
            lines += [declaration, value]
    lines.append("logical, parameter :: MPI_SUBARRAYS_SUPPORTED = .true.")
    for kind, name, value in table.constants:
        if name in handles:
            lines.append(f"type(MPI_{kind}), parameter :: {name} = MPI_{kind}({int(value, 16)})")
        elif kind == "same" and value in handles:
            lines.remove(f"integer {name}")
            lines.remove(f"parameter ({name}={value})")
            of = next(k for k, n, _ in table.constants if n == value)
            lines.append(f"type(MPI_{of}), parameter :: {name} = {value}")
    return lines


def sentinels():
    lines = []
    for name, kind, dimensions in fortran_headers.SENTINELS:
        if name in STATUS_SENTINELS:
            kind, dimensions = "type(MPI_Status)", STATUS_SENTINELS[name]
        lines += [f"{kind} :: {name}{dimensions}", f"common /weft_{name.lower()}/ {name}", f"save /weft_{name.lower()}/"]
    return lines


# Name, then the declarations of the arguments.
ATTRIBUTE = "integer(kind=MPI_ADDRESS_KIND) :: extra_state, attribute_val"
CALLBACKS = {
    "User_function": ("invec inoutvec len datatype", ["type(c_ptr), value :: invec, inoutvec", "integer :: len", "type(MPI_Datatype) :: datatype"]),
    "User_function_c": ("invec inoutvec len datatype", ["type(c_ptr), value :: invec, inoutvec", "integer(kind=MPI_COUNT_KIND) :: len",
                                                        "type(MPI_Datatype) :: datatype"]),
    "Grequest_query_function": ("extra_state status ierror", ["integer(kind=MPI_ADDRESS_KIND) :: extra_state", "type(MPI_Status) :: status",
                                                              "integer :: ierror"]),
    "Grequest_free_function": ("extra_state ierror", ["integer(kind=MPI_ADDRESS_KIND) :: extra_state", "integer :: ierror"]),
    "Grequest_cancel_function": ("extra_state complete ierror", ["integer(kind=MPI_ADDRESS_KIND) :: extra_state", "logical :: complete",
                                                                 "integer :: ierror"]),
    "Datarep_extent_function": ("datatype extent extra_state ierror", ["type(MPI_Datatype) :: datatype", "integer :: ierror",
                                                                       "integer(kind=MPI_ADDRESS_KIND) :: extent, extra_state"]),
}
for _suffix, _kind in (("", "integer"), ("_c", "integer(kind=MPI_COUNT_KIND)")):
    CALLBACKS[f"Datarep_conversion_function{_suffix}"] = (
        "userbuf datatype count filebuf position extra_state ierror",
        ["type(c_ptr), value :: userbuf, filebuf", "type(MPI_Datatype) :: datatype", f"{_kind} :: count",
         "integer(kind=MPI_OFFSET_KIND) :: position", "integer(kind=MPI_ADDRESS_KIND) :: extra_state", "integer :: ierror"])
for _kind, _handle, _name in (("Comm", "Comm", "comm"), ("Type", "Datatype", "datatype"), ("Win", "Win", "win")):
    CALLBACKS[f"{_kind}_copy_attr_function"] = (
        f"old{_name} keyval extra_state attribute_val_in attribute_val_out flag ierror",
        [f"type(MPI_{_handle}) :: old{_name}", "integer :: keyval, ierror", "logical :: flag",
         "integer(kind=MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out"])
    CALLBACKS[f"{_kind}_delete_attr_function"] = (f"{_name} keyval attribute_val extra_state ierror",
                                                  [f"type(MPI_{_handle}) :: {_name}", "integer :: keyval, ierror", ATTRIBUTE])
for _kind in ("Comm", "File", "Session", "Win"):
    CALLBACKS[f"{_kind}_errhandler_function"] = ("handle error_code", [f"type(MPI_{_kind}) :: handle", "integer :: error_code"])


def callbacks():
    lines = ["abstract interface"]
    for name, (arguments, declarations) in CALLBACKS.items():
        lines += [f"subroutine MPI_{name}({', '.join(arguments.split())})", "import", *declarations, "end subroutine"]
    lines.append("end interface")
    for name in KEYVAL_ROUTINES:
        kind = name.split("_")[1].capitalize()
        role = "delete" if "DELETE" in name else "copy"
        lines.append(f"procedure(MPI_{kind}_{role}_attr_function) :: {name}")
    lines.append("procedure(MPI_Datarep_conversion_function) :: MPI_CONVERSION_FN_NULL")
    return lines


def intent(function, argument, texts):
    """None where MPI_STATUS_IGNORE, MPI_UNWEIGHTED or MPI_ERRCODES_IGNORE may stand, as in the standard."""
    if not argument.kind.endswith("*") and argument.kind != "attr":
        return ", intent(in)"
    direction, _ = texts.meaning(function, argument)
    may_be_left_out = argument.base == "Status" or argument.name in model.WEIGHTS or argument.name == "array_of_errcodes"
    return "" if may_be_left_out else f", intent({direction})"


def declared(function, argument, large, texts):
    """The declaration of one argument inside an interface."""
    name, kind, base = argument.name, argument.kind, argument.base
    array = "(*)" if "[]" in kind else ""
    uses = intent(function, argument, texts)
    if kind == "baseptr" or function.name in f08.DETACH and kind == "buf":
        return f"type(c_ptr), intent(out) :: {name}"
    if kind in f08.BUFFERS:
        pending = ", asynchronous, target" if f08.outlives_call(function) else ""
        return f"type(*), dimension(..){', intent(in)' if kind == 'cbuf' and not pending else ''}{pending} :: {name}"
    if base in HANDLES:
        return f"type(MPI_{base}){uses} :: {name}{array}"
    if base == "Status":
        return f"type(MPI_Status){uses} :: {name}{array}"
    if base.endswith("function"):
        return f"procedure(MPI_{base}{'_c' if large and base in model.COUNTED_CALLBACKS else ''}) :: {name}"
    if base in ("str", "argv", "argvs") or name == "array_of_commands":
        return f"character(len=*){uses} :: {name}{STRINGS.get(base, '(*)')}"
    if kind == "ranges":
        return f"integer{uses} :: {name}(3,*)"
    if base == "logical":
        return f"logical{uses} :: {name}{array}"
    wide = base in fortran.WIDE or kind in ("attr", "state") or large and base in LARGE_KINDS
    return f"integer{'(kind=8)' if wide else ''}{uses} :: {name}{array}"


def body(function, name, large, texts, symbol=None):
    """One interface body; its external name is `symbol`, or the name itself in small letters."""
    if function.name in fortran_headers.OVERRIDES:
        names = [n for n, _ in fortran_headers.OVERRIDES[function.name]]
        lines = [f"{'type(MPI_Info)' if n == 'info' else kind}, intent({'in' if n in ('required', 'level') else 'out'}) :: {n}"
                 for n, kind in fortran_headers.OVERRIDES[function.name]]
    else:
        names = [argument.name for argument in function.arguments]
        lines = [declared(function, argument, large, texts) for argument in function.arguments]
    bound = f' bind(C, name="{symbol}")' if symbol else ""
    if function.result != "int":
        kind = "real(kind=8)" if function.result == "double" else "integer(kind=8)"
        return [f"function {name}({', '.join(names)}){bound}", "import", *lines, f"{kind} :: {name}", "end function"]
    if function.name not in fortran_headers.WITHOUT_ERROR:
        names, lines = [*names, "ierror"], [*lines, "integer, optional, intent(out) :: ierror"]
    return [f"subroutine {name}({', '.join(names)}){bound}", "import", *lines, "end subroutine"]


def interfaces(function, prefix, texts):
    """Of one function: under one name those that counts tell apart."""
    name = prefix + function.name
    forms = [(False, f08.has_own_binding(function)), *([(True, True)] if f08.has_large(function) else [])]
    if forms == [(False, False)] or function.name in f08.EXPLICIT_LARGE:
        plain = [body(function, f"{name}{'_c' if large else ''}", large, texts) for large, _ in forms]
        return ["interface", *(line for lines in plain for line in lines), "end interface"]
    lines = []
    for large, own in forms:
        specific = f"{name}{'_c' if large else ''}_f08{'ts' if f08.takes_buffers(function) else ''}"
        symbol = f"{prefix.lower()}{f08.symbol(function, large) if own else function.name.lower()}_"
        lines += [f"interface {name}", *body(function, specific, large, texts, symbol), "end interface"]
    return lines


def module(table, texts):
    functions = [function for function in table.functions if f08.in_module(function)]
    lines = ["! Module mpi_f08: handles of their own types, optional IERROR, buffers of any type and shape, large counts.",
             "module mpi_f08", "use, intrinsic :: iso_c_binding, only: c_ptr", "use weft_mpi_types", "use mpi, only: MPI_Sizeof", "implicit none",
             "private :: c_ptr", *constants(table), *sentinels(), *callbacks()]
    for prefix in ("MPI_", "PMPI_"):
        for function in functions:
            lines += interfaces(function, prefix, texts)
    lines += ["interface MPI_F_sync_reg", "subroutine MPI_F_sync_reg_f08ts(buf) bind(C, name=\"mpi_f_sync_reg_f08ts_\")",
              "type(*), dimension(..), asynchronous, target :: buf", "end subroutine", "end interface", "end module"]
    return "\n".join(lines) + "\n"
