#!/usr/bin/env python3
"""Checks that every function of the table is either generated from entries.txt or written by hand, and how many are."""
import pathlib
import sys
import tempfile
import unittest

SHIM = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(SHIM / "table"))

import count_entries  # noqa: E402
import entries  # noqa: E402
import model  # noqa: E402

# Functions with logic of their own: waiting and testing, the end of MPI, fields of a status, what needs no rank.
MOST_BY_HAND = 39


class EntryPoints(unittest.TestCase):
    def setUp(self):
        self.table = model.Table(SHIM / "table")
        self.forms = {name for _, name, _, status in self.table.forms() if status == "done"}
        self.generated = count_entries.generated(SHIM)
        self.by_hand = count_entries.by_hand(SHIM)

    def test_every_function_is_defined_once(self):
        self.assertFalse(self.generated.keys() & self.by_hand.keys())
        self.assertEqual(self.generated.keys() | self.by_hand.keys(), self.forms)
        self.assertEqual([name for name, files in self.by_hand.items() if len(files) > 1], [])

    def test_few_are_written_by_hand(self):
        self.assertLessEqual(len(self.by_hand), MOST_BY_HAND, "does the new one only check and forward? entries.txt")

    def test_every_generated_file_is_included_by_its_source(self):
        for unit in set(self.generated.values()):
            source = (SHIM / f"{unit}.cpp").read_text()
            self.assertTrue(source.endswith(f'#include "mpi_shim/generated/{unit}.inc"\n'), unit)


class Generator(unittest.TestCase):
    def setUp(self):
        self.table = model.Table(SHIM / "table")

    def source(self, row):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "entries.txt")
            path.write_text(f"[unit]\n{row}\n")
            return entries.files(self.table, entries.read(path))["unit.inc"]

    def test_checks_come_in_the_order_of_the_row(self):
        text = self.source("MPI_Comm_split | entry | comm newcomm | split")
        looked_up, null = text.index("find_comm(entry.me, comm)"), text.index('null_argument(comm, "newcomm")')
        self.assertLess(text.index('Entry entry("MPI_Comm_split")'), looked_up)
        self.assertLess(looked_up, null)
        self.assertLess(null, text.index("return split(entry, *found_comm, color, key, newcomm);"))

    def test_the_large_count_form_calls_the_same_function(self):
        text = self.source("MPI_Pack_size | entry | - | size_of<$count>(incount, size)")
        self.assertIn("int PMPI_Pack_size(int incount, MPI_Datatype, MPI_Comm, int* size) {", text)
        self.assertIn('return size_of<int>(Entry("MPI_Pack_size"), incount, size);', text)
        self.assertIn('return size_of<MPI_Count>(Entry("MPI_Pack_size_c"), incount, size);', text)

    def test_forms_with_a_request_begin_a_schedule(self):
        text = self.source("MPI_Barrier MPI_Ibarrier MPI_Barrier_init | coll migrate:barrier | - | barrier(comm)")
        self.assertIn('migrate_at(MigrationPoint::barrier, comm, "MPI_Barrier");', text)
        self.assertIn('return barrier(CallWithRequest("MPI_Ibarrier", request), comm);', text)
        self.assertIn('return barrier(CallWithRequest("MPI_Barrier_init", info, request), comm);', text)
        self.assertEqual(text.count("migrate_at"), 1)

    def test_a_row_that_makes_no_sense_is_refused_by_name(self):
        for row, complaint in (("MPI_No_such | entry | - | f", "no function MPI_No_such"),
                               ("MPI_Barrier | always | - | f", "unknown guard 'always'"),
                               ("MPI_Barrier | entry | group | f", "MPI_Barrier has no argument group"),
                               ("MPI_Barrier MPI_Barrier | entry | - | f", "MPI_Barrier stands there twice"),
                               ("MPI_Barrier | entry | f", "a row is: names"),
                               ("Barrier | entry | - | f", "a name does not begin with MPI_")):
            with self.assertRaisesRegex(ValueError, complaint):
                self.source(row)


unittest.main(argv=sys.argv[:1])
