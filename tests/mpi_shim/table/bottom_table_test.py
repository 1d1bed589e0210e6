#!/usr/bin/env python3
"""Checks that the program which calls everything with MPI_BOTTOM leaves out no function of the table."""
import subprocess
import sys
import unittest

TABLE, PROGRAM = sys.argv[1:3]
sys.path.insert(0, TABLE)
import model  # noqa: E402

PREDEFINED_ONLY = {"Compare_and_swap", "Fetch_and_op"}  # with their types MPI_BOTTOM can only be a null pointer


def takes_elements(function):
    kinds = {argument.kind.rstrip("[]") for argument in function.arguments}
    return "Datatype" in kinds and kinds & {"buf", "cbuf"} and function.name not in PREDEFINED_ONLY


class Bottom(unittest.TestCase):
    def test_every_function_is_called(self):
        lines = subprocess.run(["nm", "-u", PROGRAM], check=True, capture_output=True, text=True).stdout.splitlines()
        called = {line.split()[-1].split("@")[0] for line in lines}
        wanted = {"MPI_" + name for function, name, _, _ in model.Table(TABLE).forms() if takes_elements(function)}
        self.assertGreater(len(wanted), 200)
        self.assertEqual(sorted(wanted - called), [])


unittest.main(argv=sys.argv[:1])
