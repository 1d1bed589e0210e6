#!/usr/bin/env python3
"""Writes the manual pages of section 3, one for each function of the table that is done, and one more that leads there for each
large-count form. manual_texts.py reads what people have written, manual_errors.py finds which errors the sources raise,
manual_synopsis.py says how functions are called."""
import argparse
import pathlib
import re
import sys

import entries
import f08
import fortran
import fortran_headers
import header
import manual_errors
import manual_synopsis
import manual_texts
import model

OPPOSITES = [("_toint", "_fromint"), ("_c2f", "_f2c"), ("_c2f", "_toint"), ("_f2c", "_fromint"), ("_set_", "_get_"),
             ("attach", "detach"), ("Wtime", "Wtick"), ("Init", "Finalize"),
             ("_create", "_free"), ("_alloc", "_free"), ("_begin", "_end"), ("Alloc", "Free"), ("Open", "Close"), ("open", "close")]
# To which error handler errors go.
OF_FILES = ("Errors go first to the error handler of the file, or of MPI_FILE_NULL where no file is open; by default the code is "
            "returned.")
OF_OTHERS = ("Errors go first to the error handler of the communicator, window or session; without one, to that of MPI_COMM_SELF, or of "
             "MPI_COMM_WORLD if MPI_COMM_SELF has the default one. The default handler ends the job with a line that names the call, "
             "the argument and the rank.")
WITHOUT_ERRORS = ("_toint", "_fromint", "_c2f", "_f2c")


def escaped(text):
    """Text as roff reads it; a backslash that is there already stands for itself."""
    text = text.replace("...", "\\&...") if text.startswith("...") else text
    return "\\&" + text if text.startswith((".", "'")) else text


def paragraphs(texts):
    lines = []
    for text in texts:
        lines += [".PP", escaped(text)] if lines else [escaped(text)]
    return lines


def block(lines):
    return [".nf", *("\\fB" + escaped(line.replace("-", "\\-")) + "\\fR" if line else "" for line in lines), ".fi"]


def array_sections(function):
    """Which buffers may be array sections with gaps, where that is not all of them."""
    if not f08.in_module(function) or not f08.takes_buffers(function) or not f08.outlives_call(function):
        return []
    described = f08.Binding(function, False).sections
    arguments = function.arguments
    buffers = [(a.name, after.name in described) for a, after in zip(arguments, [*arguments[1:], arguments[-1]]) if a.kind in f08.BUFFERS]
    refused = [name for name, taken in buffers if not taken]
    if not refused or function.name in f08.ADDRESS_ONLY:
        return []
    return [f"In module mpi_f08 {' and '.join(refused)} cannot be an array section with gaps: the call raises "
            "MPI_ERR_UNSUPPORTED_OPERATION."]


class Pages:
    def __init__(self, folder, section, version):
        self.table = model.Table(folder)
        self.sections = entries.read(folder / "entries.txt")
        self.texts = manual_texts.Texts(folder, self.table)
        self.sources = manual_errors.Sources(folder.parent, self.table, self.sections)
        self.error_texts = manual_errors.error_texts(folder.parent)
        self.section, self.version = section, version
        self.functions = {function.name: function for function in self.table.functions if function.status == "done"}

    def names(self, function):
        return [f"MPI_{name}" for name, _, status in function.forms() if status == "done"]

    def synopsis(self, function):
        lines = [".SS C", *block(["#include <mpi.h>", "", *manual_synopsis.c_lines(function, self.table.callbacks)])]
        plain, modern = manual_synopsis.mpi_lines(function), manual_synopsis.f08_lines(function, self.texts)
        if plain:
            by_hand = function.name in manual_synopsis.BY_HAND
            lines += [".SS Fortran, " + ("module mpi" if by_hand else "mpif.h (deprecated since MPI-4.1) or module mpi"), *block(plain)]
        if modern:
            lines += [".SS Fortran, module mpi_f08", *block(modern)]
        if not plain:
            lines += [".PP", "It has no Fortran form."]
        elif not modern:
            lines += [".PP", "Module mpi_f08 does not have it."]
        return lines

    def arguments(self, function):
        lines = []
        in_fortran = manual_synopsis.mpi_lines(function) != []
        for argument in function.arguments:
            direction, meaning = self.texts.meaning(function, argument)
            if argument.base == "index" and in_fortran:
                meaning += "; counted from 0 in C, from 1 in Fortran"
            lines += [".TP", f".IR {escaped(argument.name)} \" ({direction})\"", escaped(meaning) + "."]
        if in_fortran and function.result == "int" and function.name not in fortran_headers.WITHOUT_ERROR:
            lines += [".TP", '.IR ierror " (out)"', "the error code; in module mpi_f08 it may be left out."]
        return lines or ["None."]

    def notes(self, function):
        name, texts = function.name, []
        instead = self.texts.matching("instead", name)
        if function.deprecated == "removed":
            texts.append(f"MPI-3.0 removed this function: use {header.INSTEAD[name]}. Weft keeps it for old programs.")
        elif instead:
            texts.append(f"Deprecated since MPI-{function.deprecated}: use {instead[0]}.")
        texts.append(self.texts.waiting(name))
        texts += self.texts.matching("notes", name)
        texts += array_sections(function)
        if function.large != "-":
            texts.append(f"MPI_{name}_c is the same function for large counts"
                         + ("; module mpi_f08 has both under one name." if f08.has_large(function) and name not in f08.EXPLICIT_LARGE
                            else "."))
        late = f", MPI_{name}_c since 4.0" if function.large != "-" and function.since < "4.0" else ""
        since = "" if function.since == "weft" else f" In MPI since version {function.since}{late}."
        texts.append("Tools can wrap the function: it is also there as " + " and ".join("P" + n for n in self.names(function)) + "." + since)
        return paragraphs(texts)

    def errors(self, function):
        if function.result != "int" or function.name.endswith(WITHOUT_ERRORS):
            return ["The function reports no errors."]
        classes = self.sources.classes(function, self.texts)
        if function.name.startswith("T_"):
            before = "The function returns MPI_SUCCESS or one of these, and calls no error handler:"
        else:
            handler = OF_FILES if function.name.startswith(("File_", "Register_datarep")) else OF_OTHERS
            before = f"The function returns MPI_SUCCESS or an error code. {handler} Classes that Weft raises here:"
        if not classes:
            return ["The function returns MPI_SUCCESS: Weft raises no error here."]
        own = dict(text.split(" ", 1) for text in self.texts.matching("errors", function.name))
        lines = [before]
        for name in classes:
            lines += [".TP", f".B {name}", own.get(name, self.error_texts[name]) + "."]
        return lines

    def see_also(self, function):
        first = [name for names in self.texts.matching("see", function.name) for name in names.split()]
        related = first + self.variants(function) + self.neighbours(function)
        unique = [name for name in dict.fromkeys(related) if name in self.functions and name != function.name]
        pages = [f"MPI_{name} ({self.section})" for name in unique[:8]] + ["weftrun (1)", "weftcc (1)"]
        return [f".BR {page}," for page in pages[:-1]] + [".BR " + pages[-1]]

    def variants(self, function):
        """The blocking, non-blocking and persistent forms of the same operation."""
        name = function.name
        base = re.sub(r"_init$", "", name)
        if base.startswith("I") and base[1:].capitalize() in self.functions or base.startswith("Ineighbor"):
            base = base[1:].capitalize()
        forms = [base, "I" + base.lower(), base + "_init"]
        more = {"_init": ["Start", "Wait"], "I": ["Wait", "Test"]}
        kind = "_init" if name.endswith("_init") and "Request*" in (a.kind for a in function.arguments) else name[:1]
        instead = [text.removeprefix("MPI_").removesuffix("_c") for text in self.texts.matching("instead", name)]
        instead += [header.INSTEAD[name].removeprefix("MPI_")] if name in header.INSTEAD else []
        opposite = [name.replace(a, b) for a, b in OPPOSITES + [(b, a) for a, b in OPPOSITES] if a in name]
        return instead + forms + opposite + (more.get(kind, []) if any(a.kind == "Request*" for a in function.arguments) else [])

    def neighbours(self, function):
        """Functions that stand near in entries.txt or, for one that is written by hand, in the table."""
        for rows in self.sections.values():
            names = [name for row in rows for name in row.names]
            if function.name in names:
                break
        else:
            names = list(self.functions)
        here = names.index(function.name)
        near = sorted(range(len(names)), key=lambda i: abs(i - here))
        return [names[i] for i in near[1:6] if len(names) < 40 or names[i][:4] == function.name[:4]]

    def page(self, function):
        parts = [f'.TH MPI_{function.name} {self.section} "" "Weft {self.version}" "MPI functions"',
                 ".nh", ".ad l", ".SH NAME", f"{', '.join(self.names(function))} \\- {self.texts.sentence(function)}"]
        for title, lines in (("SYNOPSIS", self.synopsis), ("ARGUMENTS", self.arguments), ("NOTES", self.notes), ("ERRORS", self.errors),
                             ("SEE ALSO", self.see_also)):
            parts += [f'.SH "{title}"' if " " in title else f".SH {title}", *lines(function)]
        return "\n".join(parts) + "\n"

    def files(self):
        """File name to text of every page."""
        texts = {}
        for function in self.functions.values():
            first, *others = self.names(function)
            if first.removeprefix("MPI_") == function.name:
                texts[f"{first}.{self.section}"] = self.page(function)
            for other in others:
                texts[f"{other}.{self.section}"] = f".so man3/{first}.{self.section}\n"
        return texts


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=pathlib.Path, required=True, help="where the pages go; others that lie there are removed")
    parser.add_argument("--section", default="3", help="the section's name, 3weft for instance")
    parser.add_argument("--version", default="", help="of Weft")
    options = parser.parse_args()
    try:
        texts = Pages(pathlib.Path(__file__).resolve().parent, options.section, options.version).files()
    except manual_texts.Missing as fault:
        sys.exit(f"manual.py: {fault}")
    options.folder.mkdir(parents=True, exist_ok=True)
    for old in options.folder.glob("*"):
        if old.name not in texts:
            old.unlink()
    for name, text in texts.items():
        (options.folder / name).write_text(text)


if __name__ == "__main__":
    main()
