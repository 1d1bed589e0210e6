"""Derives from the sources which error classes each MPI function can raise; the manual pages list them.

An entry point is a function PMPI_X: one that entries.txt describes, whose text entries.py writes, or one by hand. From it
calls are followed through the sources of mpi_shim, and the classes that the functions on the way name are the function's.
How names are found, which fits how these sources are laid out (clang-format, no indentation in namespaces):
- A definition begins in the first column and ends where its braces are balanced. A class is one definition, too.
- A call `f(` and an address `&f` mean the functions f of the same file or, if it has none, those of all files outside of unnamed
  namespaces. `object.f(` means functions C::f. A type of the same file means its definition.
- A class that is only compared with (`== MPI_ERR_X`, `case MPI_ERR_X`) is not raised.
- Calls of PMPI_Y are followed only where their result is returned or, in an entry point, kept in `error`: inside of Weft their arguments are right.
What SKIPPED names raises what its caller says, or does the work of other calls while this one waits.
"""
import re

import entries
import manual_texts

SKIPPED = set("raise raise_text raise_in handle_error weft_mpi_unsupported serve active PMPI_Abort".split())
CLASS = re.compile(r"(?<!== )(?<!!= )(?<!case )\b(MPI_(?:T_)?ERR_\w+)")
CALL = re.compile(r"(\.|->|\b[a-z]\w*::|return |error = |&)?\b([A-Za-z_]\w*)(?:<[\w:, ]*>)?(\()?")
INCLUDE = re.compile(r'^#include "mpi_shim/([^"]+)"', re.MULTILINE)
NOISE = re.compile(r'//[^\n]*|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'')
OUTSIDE = re.compile(r'(?:inline )?namespace\b|extern "" \{|extern "C" \{|#|\}$|using |$')
NAME = re.compile(r"((?:\w+::)*~?\w+)\s*\((?!\()")
TYPE = re.compile(r"(?:class|struct)\s+(?:\[\[[^\]]*\]\]\s*)?(\w+)")
TEMPLATE = re.compile(r"template <(?:[^<>]|<[^<>]*>)*>\s*")
OWN_NAMESPACES = {"mpi_shim", "rma", "io", "tool", "coll", "p2p"}
NO_NAMES = {"return", "decltype", "alignas", "sizeof", "static_assert", "requires", "noexcept"}


def of_kind(*bases):
    return lambda argument: argument.base in bases


# Code that functions share checks what some of them do not have. Such a class is a function's own only with such an argument to read.
ABOUT = {
    "MPI_ERR_BUFFER": lambda a: a.kind in ("cbuf", "buf"), "MPI_ERR_TYPE": of_kind("Datatype"),
    "MPI_ERR_COUNT": lambda a: a.base in ("count", "bigcount") or "count" in a.name or a.name in ("partitions", "position"),
    "MPI_ERR_TAG": of_kind("tag"), "MPI_ERR_OP": of_kind("Op"), "MPI_ERR_INFO": of_kind("Info"), "MPI_ERR_COMM": of_kind("Comm"),
    "MPI_ERR_SESSION": of_kind("Session"), "MPI_ERR_REQUEST": of_kind("Request", "Message"), "MPI_ERR_ROOT": lambda a: a.name == "root",
    "MPI_ERR_BASE": lambda a: a.name == "base", "MPI_ERR_SIZE": lambda a: a.name == "size", "MPI_ERR_DISP": lambda a: "disp" in a.name,
    "MPI_ERR_RANK": lambda a: a.base == "rank" or a.name in RANKS,
    "MPI_ERR_TRUNCATE": lambda a: a.kind in ("cbuf", "buf") or a.base in ("Request", "Message"),
}
RANKS = {"ranks", "ranks1", "ranges", "sources", "destinations"}
# What this way of looking does not find: no room in the buffer of buffered sends, an error handler that another entry point checks.
ALSO = {"Start": {"MPI_ERR_BUFFER"}, "Startall": {"MPI_ERR_BUFFER"}, "Intercomm_create_from_groups": {"MPI_ERR_ERRHANDLER"}}


class Definition:
    def __init__(self, name, text, file, hidden):
        self.scope, _, self.name = name.rpartition("::")
        self.text, self.file, self.hidden = text, file, hidden


def top_level(text):
    """Yields (text, whether in an unnamed namespace) of each thing that begins in the first column."""
    piece, depth, hidden = [], 0, False
    for line in map(str.rstrip, text.split("\n")):
        if not piece and OUTSIDE.match(line):
            if line.startswith("namespace {"):
                hidden = True
            elif line.startswith("}"):
                hidden = False
            continue
        piece.append(line)
        depth += line.count("{") - line.count("}")
        if depth == 0 and line.endswith((";", "}")):
            yield "\n".join(piece), hidden
            piece = []


def definitions(file, text):
    for piece, hidden in top_level(NOISE.sub(lambda m: '""' if m[0][0] == '"' else "", text)):
        piece = TEMPLATE.sub("", piece)
        head, brace, _ = piece.partition("{")
        found = TYPE.match(head)
        if not brace:
            continue
        if not found:
            head = re.sub(r"\[\[.*?\]\]|^#.*$", "", head, flags=re.MULTILINE)
            found = next((m for m in NAME.finditer(head) if m[1] not in NO_NAMES), None)
        if found:
            yield Definition(found[1], piece, file, hidden)


class Sources:
    def __init__(self, folder, table, sections):
        """`folder` is mpi_shim."""
        self.local, self.public, self.methods, self.includes = {}, {}, {}, {}
        generated = entries.files(table, sections)
        for path in sorted([*folder.rglob("*.cpp"), *folder.rglob("*.hpp")]):
            file = str(path.relative_to(folder))
            text = path.read_text()
            self.includes[file] = set(INCLUDE.findall(text))
            text += "\n" + generated.get(file.removesuffix(".cpp") + ".inc", "")
            for definition in definitions(file, text):
                self.add(definition)
        self.seen_by = {}
        self.follow()

    def headers(self, file):
        """The headers of mpi_shim that a file sees."""
        if file not in self.seen_by:
            found, open_ = {file}, [file]
            while open_:
                more = self.includes.get(open_.pop(), set()) - found
                found |= more
                open_ += more
            self.seen_by[file] = found | {header.rpartition("/")[0] for header in found if header.endswith(".hpp")}
        return self.seen_by[file]

    def sees(self, file, definition):
        """Whether a file sees the declaration: in the header of the same name or, if there is none, in one of the same folder."""
        if definition.file == file or definition.name.startswith("PMPI_"):
            return True
        header = definition.file.replace(".cpp", ".hpp")
        return (header if header in self.includes else header.rpartition("/")[0]) in self.headers(file)

    def add(self, definition):
        self.local.setdefault((definition.file, definition.name), []).append(definition)
        if definition.scope:
            self.methods.setdefault(definition.name, []).append(definition)
        elif not definition.hidden:
            self.public.setdefault(definition.name, []).append(definition)

    def meant(self, definition):
        """The definitions that the text of one names."""
        body = definition.text[definition.text.find("{"):] if not TYPE.match(definition.text) else definition.text
        at_entry = definition.name.startswith("PMPI_")
        for before, name, called in CALL.findall(body):
            if name in SKIPPED or name.startswith("PMPI_") and before != "return " and not (at_entry and before == "error = "):
                continue
            if before in (".", "->"):
                found = self.methods.get(name, ()) if called else ()
            elif before.endswith("::") and before[:-2] not in OWN_NAMESPACES:
                found = ()
            elif called or before == "&" or name[0].isupper():
                found = self.local.get((definition.file, name)) or self.public.get(name, [])
                if name[0].isupper():
                    found = [*found, *(each for each in self.methods.get(name, ()) if each.scope.endswith(name))]
            else:
                found = ()
            yield from (each for each in found if self.sees(definition.file, each))

    def follow(self):
        """Fills `reached`: of each definition on the way from an entry point, the classes that it and what it names name."""
        named, open_ = {}, [d for name, found in self.public.items() if name.startswith("PMPI_") for d in found]
        while open_:
            definition = open_.pop()
            if definition not in named:
                named[definition] = set(self.meant(definition))
                open_ += named[definition]
        self.reached = {definition: set(CLASS.findall(definition.text)) for definition in named}
        grows = True
        while grows:
            grows = False
            for definition, meant in reversed(named.items()):
                found = self.reached[definition]
                before = len(found)
                found.update(*(self.reached[each] for each in meant))
                grows |= len(found) > before

    def classes(self, function, texts):
        """The error classes that the function can raise, sorted."""
        entry_points = self.public.get("PMPI_" + function.name)
        if not entry_points:
            raise manual_texts.Missing(f"no source of mpi_shim defines PMPI_{function.name}")
        arguments = manual_texts.reads(texts, function) + [a for a in function.arguments if a.kind in ("buf", "baseptr")]
        found = set().union(*(self.reached[each] for each in entry_points))
        own = {name for name in found - {"MPI_ERR_LASTCODE"} if name not in ABOUT or any(map(ABOUT[name], arguments))}
        if all(each.file.startswith("coll/") for each in entry_points):
            if not any(a.base == "Op" for a in function.arguments):
                own.discard("MPI_ERR_OTHER")  # an exception has left an operation of the program's
            if any(a.kind == "Request*" for a in function.arguments):
                own -= {"MPI_ERR_OTHER", "MPI_ERR_TRUNCATE"}  # which MPI_Wait and MPI_Test report
        return sorted(own | ALSO.get(function.name, set()))


def error_texts(folder):
    """Name to text of each error class, as MPI_Error_string gives it."""
    return dict(re.findall(r'WEFT_ERROR\((MPI_\w+), "([^"]*)"\)', (folder / "error" / "error_codes.cpp").read_text()))
