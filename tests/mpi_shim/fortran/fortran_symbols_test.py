#!/usr/bin/env python3
"""Checks that every function with a Fortran binding has both of its names, and that a program may replace one of them."""
import pathlib
import subprocess
import sys
import unittest

LIBRARY, FUNCTIONS = sys.argv[1:3]


class Symbols(unittest.TestCase):
    def test_bindings_are_exported_under_both_names(self):
        lines = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], check=True, capture_output=True, text=True).stdout
        exported = {words[2]: words[1] for words in map(str.split, lines.splitlines())}
        names = [line.split()[0] for line in pathlib.Path(FUNCTIONS).read_text().splitlines()]
        bound = [n.lower() for n in names
                 if not n.startswith("T_") and not n.endswith((
                     "_c", "_toint", "_fromint", "_c2f", "_f2c", "_c2f08", "_f082c", "_f082f", "_f2f08"))]
        self.assertGreater(len(bound), 400)
        for name in bound:
            self.assertEqual(exported.get(f"pmpi_{name}_"), "T", name)
            self.assertEqual(exported.get(f"mpi_{name}_"), "W", name)

    def test_module_f08_has_what_takes_descriptors_and_large_counts(self):
        lines = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], check=True, capture_output=True, text=True).stdout
        exported = {words[2] for words in map(str.split, lines.splitlines())}
        for name in ("send_f08ts", "send_c_f08ts", "type_size_c_f08", "op_create_c", "win_create_f08ts", "buffer_detach_f08"):
            self.assertLessEqual({f"mpi_{name}_", f"pmpi_{name}_"}, exported)


unittest.main(argv=sys.argv[:1])
