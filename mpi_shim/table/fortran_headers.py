"""Writes mpif.h (fixed and free form alike) and the source of module mpi."""
import fortran
import model

SENTINELS = [  # name, type, dimensions; each is alone in COMMON /weft_<name>/
    ("MPI_BOTTOM", "integer", ""), ("MPI_IN_PLACE", "integer", ""), ("MPI_BUFFER_AUTOMATIC", "integer", ""),
    ("MPI_UNWEIGHTED", "integer", "(1)"), ("MPI_WEIGHTS_EMPTY", "integer", "(1)"),
    ("MPI_ERRCODES_IGNORE", "integer", "(1)"), ("MPI_STATUS_IGNORE", "integer", "(8)"),
    ("MPI_STATUSES_IGNORE", "integer", "(8,1)"), ("MPI_ARGV_NULL", "character*1", "(1)"),
    ("MPI_ARGVS_NULL", "character*1", "(1,1)"),
]
KINDS = {"MPI_ADDRESS_KIND": 8, "MPI_OFFSET_KIND": 8, "MPI_COUNT_KIND": 8, "MPI_INTEGER_KIND": 4,
         "MPI_STATUS_SIZE": 8, "MPI_SOURCE": 1, "MPI_TAG": 2, "MPI_ERROR": 3}
ROUTINES = [f"{prefix}{name}" for prefix in ("MPI_", "MPI_COMM_", "MPI_TYPE_", "MPI_WIN_")
            for name in ("NULL_COPY_FN", "DUP_FN", "NULL_DELETE_FN")] + ["MPI_CONVERSION_FN_NULL"]
CHOICE = {"cbuf", "buf", "baseptr"}
# Functions whose Fortran arguments differ from the table's, as name:declaration.
OVERRIDES = {
    "Init": (), "Init_thread": (("required", "integer"), ("provided", "integer")),
    "Pcontrol": (("level", "integer"),), "Info_create_env": (("info", "integer"),),
}
WITHOUT_ERROR = {"Pcontrol"}
# Types whose size MPI_SIZEOF gives.
SIZED = [*(f"integer({k})" for k in (1, 2, 4, 8)), *(f"real({k})" for k in (4, 8, 10, 16)),
         *(f"complex({k})" for k in (4, 8, 10, 16)), *(f"logical({k})" for k in (1, 2, 4, 8)), "character(*)"]


# Of weft_ampi.h.
AMPI = {"AMPI_INFO_LB_SYNC": 0x134, "AMPI_INFO_LB_ASYNC": 0x135, "AMPI_INFO_CHKPT_IN_MEMORY": 0x136, "AMPI_MY_WTH": 551,
        "AMPI_NUM_WTHS": 552, "AMPI_MY_PROCESS": 553, "AMPI_NUM_PROCESSES": 554, "AMPI_MY_HOME_WTH": 555}


def parameter(kind, name, value):
    return [f"      {kind} {name}", f"      parameter ({name}={value})"]


def constants(table):
    lines = []
    for name, value in [*KINDS.items(), *AMPI.items()]:
        lines += parameter("integer", name, value)
    for name in ("MPI_SUBARRAYS_SUPPORTED", "MPI_ASYNC_PROTECTS_NONBLOCKING"):
        lines += parameter("logical", name, ".false.")
    for kind, name, value in table.constants:
        if kind == "removed" or (kind in model.HANDLES and not kind.startswith("T_")):
            lines += parameter("integer", name, int(value, 16))
        elif kind == "length":
            lines += parameter("integer", name, int(value) - 1)
        elif kind in ("int", "error"):
            lines += parameter("integer", name, int(value, 0))
        elif kind == "offset":
            lines += parameter("integer(kind=8)", name, value)
        elif kind == "same":
            lines += parameter("integer", name, value)
    return lines


def sentinels():
    lines = []
    for name, kind, dimensions in SENTINELS:
        lines += [f"      {kind} {name}{dimensions}", f"      common /weft_{name.lower()}/ {name}", f"      save /weft_{name.lower()}/"]
    return lines


# With -fdefault-integer-8 calls would pass integers of 8 bytes for 4 without a word: an array of both kinds is an error
# that shows this name. It uses no intrinsic function, whose name might be a variable of the program's.
INTEGER_CHECK = ["      integer weft_wants_integers_of_4_bytes(2)",
                 "      parameter (weft_wants_integers_of_4_bytes=(/1_4, 1/))"]


def mpif(table):
    lines = ["! MPI constants and functions for Fortran, in fixed and in free form.", *INTEGER_CHECK, *constants(table), *sentinels()]
    for prefix in ("", "P"):
        for name in ("WTIME", "WTICK"):
            lines += [f"      real(kind=8) {prefix}MPI_{name}", f"      external {prefix}MPI_{name}"]
        for name in ("AINT_ADD", "AINT_DIFF"):
            lines += [f"      integer(kind=8) {prefix}MPI_{name}", f"      external {prefix}MPI_{name}"]
    lines += [f"      external {name}" for name in ROUTINES]
    return "\n".join(lines) + "\n"


def choice(name):
    """A buffer: a target, or gfortran assumes that nothing changes it once the call has returned."""
    return [f"!GCC$ ATTRIBUTES NO_ARG_CHECK :: {name}", f"type(*), dimension(*), target :: {name}"]


def declared(function, argument):
    """The Fortran declaration of one argument inside an interface."""
    name, kind, base = argument.name, argument.kind, argument.base
    narrow = function.deprecated == "removed" or function.name in ("Attr_get", "Attr_put", "Keyval_create")
    array = "(*)" if "[]" in kind else ""
    if kind in CHOICE:
        return choice(name)
    if base.endswith("function"):
        return [f"external :: {name}"]
    if base == "Status":
        return [f"integer :: {name}(8{',*' if '[]' in kind else ''})"]
    if base in ("str", "argv", "argvs") or name == "array_of_commands":
        return [f"character(len=*) :: {name}{'' if base == 'str' else '(*)'}"]
    if kind == "ranges":
        return [f"integer :: {name}(3,*)"]
    if base == "logical":
        return [f"logical :: {name}{array}"]
    wide = base in fortran.WIDE or kind in ("attr", "state")
    return [f"integer{'(kind=8)' if wide and not narrow else ''} :: {name}{array}"]


def interface(function, prefix):
    if function.name in OVERRIDES:
        names = [name for name, _ in OVERRIDES[function.name]]
        lines = [f"{kind} :: {name}" for name, kind in OVERRIDES[function.name]]
    else:
        names = [argument.name for argument in function.arguments]
        lines = [line for argument in function.arguments for line in declared(function, argument)]
    name = prefix + function.name
    if function.result != "int":
        kind = "real(kind=8)" if function.result == "double" else "integer(kind=8)"
        return [f"function {name}({', '.join(names)})", *lines, f"{kind} :: {name}", "end function"]
    if function.name not in WITHOUT_ERROR:
        names, lines = [*names, "ierror"], [*lines, "integer :: ierror"]
    return [f"subroutine {name}({', '.join(names)})", *lines, "end subroutine"]


def sizeof_procedures():
    """MPI_SIZEOF for scalars and for arrays of any shape up to three dimensions."""
    names, lines = [], []
    for number, kind in enumerate(SIZED):
        for rank in range(4):
            name = f"weft_sizeof_{number}_{rank}"
            shape = f"({','.join(':' * rank)})" if rank else ""
            element = f"x({','.join('1' * rank)})" if rank else "x"
            size = f"int(storage_size({element}) / 8)"
            names.append(name)
            lines += [f"subroutine {name}(x, size, ierror)", f"{kind}, intent(in) :: x{shape}",
                      "integer, intent(out) :: size, ierror", f"size = {size}", "ierror = MPI_SUCCESS", "end subroutine"]
    return names, lines


def module(table):
    bound = [f for f in table.functions if fortran.has_binding(f)]
    names, procedures = sizeof_procedures()
    lines = ["! Module mpi: the constants of mpif.h, and interfaces that check all but the buffers.", "module mpi", "use weft_mpi_types", "implicit none"]
    lines += [line.strip() for line in constants(table) + sentinels()]
    lines += [f"external :: {name}" for name in ROUTINES]
    lines += ["private :: " + ", ".join(names[i:i + 4]) for i in range(0, len(names), 4)]
    lines += ["interface"]
    for prefix in ("MPI_", "PMPI_"):
        for function in bound:
            lines += interface(function, prefix)
    lines += ["subroutine MPI_F_sync_reg(buf)", *choice("buf"), "end subroutine"]
    lines += ["end interface", "interface MPI_Sizeof"]
    lines += [f"module procedure {name}" for name in names]
    lines += ["end interface", "contains", *procedures, "end module"]
    return "\n".join(lines) + "\n"
