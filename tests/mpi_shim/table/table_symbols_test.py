#!/usr/bin/env python3
"""Checks libmpi_abi and mpi.h against the table: every function is there twice, and the status column tells the truth."""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

LIBRARY, INCLUDE, FUNCTIONS, C_COMPILER, CXX_COMPILER = sys.argv[1:6]

WARNINGS = ["-Wall", "-Wextra", "-pedantic", "-Werror"]
OVERRIDE = """\
#include <mpi.h>
int MPI_Comm_toint(MPI_Comm comm) { return 1000 + PMPI_Comm_toint(comm); }
int main(void) { return MPI_Comm_toint(MPI_COMM_WORLD) == 1000 + 0x101 && MPI_Comm_c2f(MPI_COMM_SELF) == 0x102 ? 0 : 1; }
"""


def symbols():
    """Name to (address, type letter) of every exported symbol."""
    lines = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], check=True, capture_output=True, text=True).stdout
    return {words[2].split("@")[0]: (words[0], words[1]) for words in map(str.split, lines.splitlines())}


class Symbols(unittest.TestCase):
    def setUp(self):
        self.exported = symbols()
        self.table = dict(line.split() for line in pathlib.Path(FUNCTIONS).read_text().splitlines())

    def test_the_table_has_all_functions_of_the_abi(self):
        conversions = ("_c2f", "_f2c", "_c2f08", "_f082c", "_f082f", "_f2f08")
        beside = {name for name in self.table if name.endswith(conversions)} | {"Migrate"}
        removed = {"Address", "Errhandler_create", "Errhandler_get", "Errhandler_set", "Type_extent", "Type_hindexed",
                   "Type_hvector", "Type_lb", "Type_struct", "Type_ub"}
        self.assertLess(removed, self.table.keys())
        self.assertEqual(len(self.table.keys() - beside - removed), 664)

    def test_both_names_are_exported_with_one_address(self):
        for name in self.table:
            self.assertIn("PMPI_" + name, self.exported)
            self.assertIn("MPI_" + name, self.exported)
            self.assertEqual(self.exported["MPI_" + name][0], self.exported["PMPI_" + name][0], name)

    def test_nothing_else_is_exported(self):
        known = {prefix + name for name in self.table for prefix in ("MPI_", "PMPI_")}
        known |= set(re.findall(r"\b(MPI_\w+)\(", pathlib.Path(INCLUDE, "weft_ampi.h").read_text()))
        extra = {name for name in self.exported if name.startswith(("MPI_", "PMPI_"))} - known
        self.assertFalse(extra)

    def test_status_is_done_exactly_where_the_definition_is_strong(self):
        strong = {name for name in self.table if self.exported["PMPI_" + name][1] == "T"}
        done = {name for name, status in self.table.items() if status == "done"}
        self.assertFalse(strong - done, "defined, but the table says otherwise: run table/update_status.py")
        self.assertFalse(done - strong, "the table says done, but only a stub is there")


class Header(unittest.TestCase):
    def run_compiler(self, compiler, *options, text):
        return subprocess.run([compiler, *options], input=text, capture_output=True, text=True)

    def test_compiles_cleanly_in_every_dialect(self):
        with tempfile.TemporaryDirectory() as folder:  # as ordinary headers, for which the compiler keeps its warnings
            for name in ("mpi.h", "weft.h", "weft_ampi.h", "mpi-ext.h", "pup_c.h"):
                lines = pathlib.Path(INCLUDE, name).read_text().splitlines(keepends=True)
                pathlib.Path(folder, name).write_text("".join(l for l in lines if "system_header" not in l))
            for compiler, language, dialects in ((C_COMPILER, "c", ("c90", "c99", "c11", "c17")),
                                                 (CXX_COMPILER, "c++", ("c++11", "c++17", "c++20"))):
                for dialect in dialects:
                    result = self.run_compiler(compiler, "-x", language, f"-std={dialect}", *WARNINGS, "-fsyntax-only",
                                               "-I", folder, "-", text="#include <mpi.h>\nMPI_Comm world;\n")
                    self.assertEqual(result.returncode, 0, f"{dialect}: {result.stderr}")

    def test_removed_names_warn_and_name_their_successor(self):
        call = "#include <mpi.h>\nint f(MPI_Aint* a) { return MPI_Type_extent(MPI_INT, a); }\n"
        result = self.run_compiler(C_COMPILER, "-x", "c", "-fsyntax-only", "-I", INCLUDE, "-", text=call)
        self.assertEqual(result.returncode, 0)
        self.assertIn("use MPI_Type_get_extent", result.stderr)

    def test_a_programs_own_function_stands_before_the_librarys(self):
        with tempfile.TemporaryDirectory() as folder:
            program = str(pathlib.Path(folder, "override"))
            built = self.run_compiler(C_COMPILER, "-x", "c", "-I", INCLUDE, "-", "-x", "none", "-o", program, LIBRARY,
                                      f"-Wl,-rpath,{pathlib.Path(LIBRARY).parent}", text=OVERRIDE)
            self.assertEqual(built.returncode, 0, built.stderr)
            self.assertEqual(subprocess.run([program], timeout=30).returncode, 0)


unittest.main(argv=sys.argv[:1])
