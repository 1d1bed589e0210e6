#!/usr/bin/env python3
"""Checks which folder may include which: finds includes against the order, include cycles, and libraries outside the folder that wraps them.

A unit is a .hpp with the .cpp of the same name. Findings that are known stand in known_layers.txt, which can only shrink."""
import collections
import fnmatch
import re
import sys

import ratchet

# row | its folders, or units of a folder that has two rows (the longest pattern counts) | the rows it may include, beside itself.
# RUNTIME, SHIM and COLL in the third column are the rows of that part above the line.
TABLE = """
base                | base                                        |
pup                 | pup                                         | base
inspect             | inspect                                     | base pup
trace               | trace                                       | base
otf2                | trace/otf2                                  | base trace
lb                  | lb                                          | base trace

fiber               | runtime/fiber                               | base
meter               | runtime/meter                               | base
topology            | runtime/topology                            | base
timeline            | runtime/timeline                            | base pup trace otf2 meter
output              | runtime/output                              | base
report              | runtime/report                              | base lb
image shim          | runtime/image/libc_shim runtime/image/libc_shim/include | base image
image               | runtime/image                               | base
bootstrap           | runtime/bootstrap                           | base
placement           | runtime/placement                           | base bootstrap
net                 | runtime/net                                 | base meter
setup               | runtime/setup                               | base pup placement
sched               | runtime/sched                               | base pup lb fiber meter net topology
location state      | runtime/location/state runtime/location/mail_queue runtime/location/protocol | base sched
p2p                 | runtime/p2p                                 | base pup trace lb net RUNTIME
sync                | runtime/sync                                | base trace RUNTIME
control             | runtime/control                             | base pup trace net RUNTIME
failure             | runtime/failure                             | base bootstrap RUNTIME
location            | runtime/location                            | base trace lb RUNTIME
lbstep              | runtime/lbstep                              | base pup trace lb RUNTIME
termination         | runtime/termination                         | base pup trace RUNTIME
spawning            | runtime/spawning                            | base pup trace RUNTIME
job                 | runtime/job                                 | base pup trace lb RUNTIME

coll_steps          | mpi_shim/coll/steps                         | base
shim objects        | mpi_shim/attribute/attributes mpi_shim/attribute/keyval \
                      mpi_shim/comm/communicator mpi_shim/comm/communicator_packing mpi_shim/comm/context mpi_shim/comm/location_cache \
                      mpi_shim/datatype/datatype mpi_shim/datatype/datatype_builder mpi_shim/datatype/datatype_recipe \
                      mpi_shim/datatype/signature mpi_shim/datatype/typemap* mpi_shim/dynamic/published_names \
                      mpi_shim/error/error_codes mpi_shim/error/pending_exception mpi_shim/group/group mpi_shim/io/coverage \
                      mpi_shim/io/posix_file mpi_shim/op/op mpi_shim/op/op_arithmetic mpi_shim/op/op_kernels mpi_shim/op/op_location \
                      mpi_shim/op/op_logical mpi_shim/request/request mpi_shim/request/small_array mpi_shim/request/status \
                      mpi_shim/rma/registry mpi_shim/rma/spin_lock mpi_shim/state/call_sites mpi_shim/state/handles mpi_shim/state/leak \
                      mpi_shim/state/leak_report mpi_shim/state/process_part mpi_shim/state/rank_part mpi_shim/topology/topology | base pup RUNTIME
shim state          | mpi_shim/state                              | base RUNTIME SHIM
shim error          | mpi_shim/error                              | pup RUNTIME SHIM
shim entry          | mpi_shim/entry                              | base trace RUNTIME SHIM
error calls         | mpi_shim/error/errhandler_calls mpi_shim/error/error_code_calls | SHIM
session state       | mpi_shim/session/session                    | SHIM
migration           | mpi_shim/ampi/migration mpi_shim/ampi/puper | pup RUNTIME SHIM
info                | mpi_shim/info                               | base pup RUNTIME SHIM
attribute           | mpi_shim/attribute                          | base pup RUNTIME SHIM
group               | mpi_shim/group                              | base pup RUNTIME SHIM
datatype            | mpi_shim/datatype mpi_shim/datatype/external32 | base pup RUNTIME SHIM
op                  | mpi_shim/op                                 | base RUNTIME SHIM
request             | mpi_shim/request                            | base pup RUNTIME SHIM
p2p calls           | mpi_shim/p2p mpi_shim/p2p/partitioned       | base pup RUNTIME SHIM
comm                | mpi_shim/comm                               | base pup RUNTIME SHIM
topology calls      | mpi_shim/topology                           | base pup RUNTIME SHIM
coll                | mpi_shim/coll mpi_shim/coll/tuning          | base trace RUNTIME SHIM
schedule            | mpi_shim/coll/schedule                      | base pup RUNTIME SHIM
collectives         | mpi_shim/coll/rooted \
                      mpi_shim/coll/schedule/deferred mpi_shim/coll/schedule/idup mpi_shim/coll/allgather mpi_shim/coll/allreduce mpi_shim/coll/alltoall mpi_shim/coll/barrier mpi_shim/coll/bcast mpi_shim/coll/gather \
                      mpi_shim/coll/intercomm mpi_shim/coll/neighbour mpi_shim/coll/reduce mpi_shim/coll/reduce_scatter \
                      mpi_shim/coll/scan mpi_shim/coll/scatter | base trace RUNTIME SHIM
failure calls       | mpi_shim/failure mpi_shim/failure/include   | base pup RUNTIME SHIM
rma                 | mpi_shim/rma                                | base pup net RUNTIME SHIM
io                  | mpi_shim/io                                 | base pup RUNTIME SHIM
session             | mpi_shim/session                            | base RUNTIME SHIM
dynamic             | mpi_shim/dynamic                            | base pup RUNTIME SHIM
tool                | mpi_shim/tool                               | base trace RUNTIME SHIM
ampi                | mpi_shim/ampi mpi_shim/ampi/include/ampi    | base pup RUNTIME SHIM
environment         | mpi_shim/environment                        | trace RUNTIME SHIM
table               | mpi_shim/table                              | SHIM
layer               | mpi_shim/layer                             | base pup RUNTIME SHIM
fortran             | mpi_shim/fortran                            |

launch              | launch                                      | base lb pup inspect trace otf2 image RUNTIME SHIM

sim                 | sim                                         | base lb pup trace coll_steps
predict             | predict                                     | base trace sim
iterations          | iterations                                  |
"""
TOPS = ("base", "pup", "inspect", "trace", "lb", "runtime", "launch", "mpi_shim", "sim", "predict", "iterations")  # their folders need rows; all others may include anything

LIBRARIES = {  # start of a header's name: the only folder (and what lies below it) that may include it
    "boost/context": "runtime/fiber", "rdma/": "runtime/net", "elf.h": "runtime/image", "link.h": "runtime/image",
    "hwloc": "runtime/topology", "papi": "runtime/meter", "pmix": "runtime/bootstrap", "Eigen/": "predict"}
MOST_IN_CYCLE = 3  # units, such as a class with its iterator and its builder
ANY_LIBRARY = ("tests", "bench")  # folders that may use all libraries: they compare Weft with them

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]', re.MULTILINE)
SUFFIXES = {".hpp", ".cpp", ".h", ".c", ".inc"}
Row = collections.namedtuple("Row", "name patterns may")


def read_table(text):
    rows, groups = [], {"RUNTIME": ("runtime/",), "SHIM": ("mpi_shim/",)}
    for line in text.replace("\\\n", " ").splitlines():
        if not line.strip():
            continue
        name, patterns, may = (field.strip() for field in line.split("|"))
        allowed = {name}
        for word in may.split():
            above = [row.name for row in rows if word in groups and row.patterns[0].startswith(groups[word])]
            allowed.update(above if word in groups else [word])
        rows.append(Row(name, patterns.split(), allowed))
    return rows


def unit_of(path):
    return re.sub(r"\.\w+$", "", path)


def row_of(unit, rows):
    """The row of a unit: the one with the longest pattern that names the unit or the folder it lies in."""
    best, row = "", None
    for candidate in rows:
        for pattern in candidate.patterns:
            if (fnmatch.fnmatch(unit, pattern) or unit.startswith(pattern + "/")) and len(pattern) > len(best):
                best, row = pattern, candidate
    return row


def sources(root):
    """{path: headers it includes} of all C and C++ files."""
    files = {}
    for top in TOPS + ("tools", "apps", "tests", "bench"):
        for path in (root / top).rglob("*"):
            if path.suffix in SUFFIXES and path.is_file():
                files[path.relative_to(root).as_posix()] = INCLUDE.findall(path.read_text(errors="replace"))
    return files


def largest_cycle(files):
    """The largest set of units that reach each other by includes (Tarjan's algorithm, without recursion)."""
    edges = collections.defaultdict(set)
    for path, names in files.items():
        edges[unit_of(path)].update(unit_of(name) for name in names if name in files and unit_of(name) != unit_of(path))
    number, low, stack, on_stack, largest = {}, {}, [], set(), []
    for start in sorted(edges):
        work = [] if start in number else [(start, None)]
        while work:
            unit, rest = work.pop()
            if rest is None:
                number[unit] = low[unit] = len(number)
                stack.append(unit)
                on_stack.add(unit)
                rest = iter(sorted(edges.get(unit, ())))
            for other in rest:
                if other not in number:
                    work += [(unit, rest), (other, None)]
                    break
                if other in on_stack:
                    low[unit] = min(low[unit], low[other])
            else:
                if low[unit] == number[unit]:
                    cut = stack.index(unit)
                    component, stack = stack[cut:], stack[:cut]
                    on_stack.difference_update(component)
                    largest = max(largest, sorted(component), key=len)
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[unit])
    return largest


def wrong_rows(root, rows, files):
    """Finds rows that name missing files or rows, and folders without a row."""
    names = {row.name for row in rows}
    findings = [f"row {row.name} may include {other}, which is no row" for row in rows for other in row.may - names]
    units = {unit_of(path) for path in files}
    for row in rows:
        for pattern in row.patterns:
            if not (root / pattern).is_dir() and not fnmatch.filter(units, pattern):
                findings.append(f"row {row.name} names {pattern}, which is not there")
    patterns = [pattern for row in rows for pattern in row.patterns]
    for folder in sorted({path.rpartition("/")[0] for path in files if path.split("/")[0] in TOPS}):
        if not any(pattern == folder or pattern.rpartition("/")[0] == folder for pattern in patterns):
            findings.append(f"folder {folder} has no row")
    return findings


def wrong_includes(rows, files):
    findings = []
    for path, names in files.items():
        top = path.split("/")[0]
        row = row_of(unit_of(path), rows) if top in TOPS else None
        for name in names:
            other = row_of(unit_of(name), rows) if name in files else None
            if row and other and other.name not in row.may:
                findings.append(f"{path} -> {name} ({row.name} may not know {other.name})")
            for library, home in LIBRARIES.items():
                if name.startswith(library) and name not in files and top not in ANY_LIBRARY and not path.startswith(home + "/"):
                    findings.append(f"{path} -> <{name}> (only {home} may include it)")
    return findings


def main():
    root, options = ratchet.arguments()
    rows, files = read_table(TABLE), sources(root)
    findings = {text: 1 for text in wrong_rows(root, rows, files) + wrong_includes(rows, files)}
    cycle = largest_cycle(files)
    if len(cycle) > MOST_IN_CYCLE:
        findings["units in the largest include cycle"] = len(cycle)
    status = ratchet.judge("layers", findings, root / "tools/checks/known_layers.txt", options)
    if len(cycle) > MOST_IN_CYCLE and (status or "--cycle" in options):
        print(f"layers: the largest include cycle has {len(cycle)} units: {' '.join(cycle)}")
    return status


if __name__ == "__main__":
    sys.exit(main())
