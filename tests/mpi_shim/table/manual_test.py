#!/usr/bin/env python3
"""manual_test.py <mpi_shim> <share/man of the build>: the manual pages of the MPI functions are whole and without faults."""
import dataclasses
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

SHIM = pathlib.Path(sys.argv[1])
FOLDER = pathlib.Path(sys.argv[2])
sys.path.insert(0, str(SHIM / "table"))

import manual_texts  # noqa: E402
import model  # noqa: E402

TITLES = ["NAME", "SYNOPSIS", "ARGUMENTS", "NOTES", "ERRORS", "SEE ALSO"]
# What a reader of the sources finds that these raise.
ERRORS = {
    "MPI_Send": "BUFFER COMM COUNT RANK TAG TYPE", "MPI_Recv": "BUFFER COMM COUNT RANK TAG TRUNCATE TYPE",
    "MPI_Cart_shift": "ARG COMM DIMS TOPOLOGY", "MPI_Info_set": "INFO INFO_KEY INFO_VALUE",
    "MPI_Win_lock": "ASSERT LOCKTYPE RANK RMA_SYNC WIN", "MPI_Type_vector": "ARG COUNT TYPE", "MPI_Group_incl": "ARG GROUP RANK",
}


def sections(text):
    parts = re.split(r'^\.SH "?([A-Z ]+?)"?$', text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


class Manual(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.table = model.Table(SHIM / "table")
        cls.texts = manual_texts.Texts(SHIM / "table", cls.table)
        cls.functions = [function for function in cls.table.functions if function.status == "done"]
        cls.pages = {path.name.rpartition(".")[0]: path for path in (FOLDER / "man3").iterdir()}

    def sections_of(self, name):
        return sections(self.pages[name].read_text())

    def test_each_form_of_each_function_has_a_page(self):
        self.assertEqual(set(self.pages), {f"MPI_{name}" for _, name, _, status in self.table.forms() if status == "done"})
        for function in self.functions:
            if function.large == "done":
                target = self.pages[f"MPI_{function.name}_c"].read_text()
                self.assertEqual(target, f".so man3/{self.pages[f'MPI_{function.name}'].name}\n")

    def test_each_page_has_each_section_and_each_argument_with_direction_and_meaning(self):
        for function in self.functions:
            found = self.sections_of("MPI_" + function.name)
            self.assertEqual(list(found), TITLES, function.name)
            described = re.findall(r'^\.TP\n\.IR (?:\\&)?(\S+) " \((in|out|inout)\)"\n(\S.*)\.$', found["ARGUMENTS"], re.MULTILINE)
            names = [name.replace("\\&", "") for name, _, _ in described if name != "ierror"]
            self.assertEqual(names, [argument.name for argument in function.arguments], function.name)

    def test_what_is_read_only_is_not_out(self):
        for function in self.functions:
            for argument in function.arguments:
                direction, _ = self.texts.meaning(function, argument)
                if argument.kind in ("cbuf", "str", "Status") or argument.kind in model.SCALARS:
                    self.assertEqual(direction, "in", f"{function.name}, {argument.name}")

    def test_errors(self):
        for name, expected in ERRORS.items():
            found = re.findall(r"^\.B MPI_ERR_(\w+)$", self.sections_of(name)["ERRORS"], re.MULTILINE)
            self.assertEqual(" ".join(found), expected, name)

    def test_every_row_is_used(self):
        rows = {self.texts.row(function, argument)[0] for function in self.functions for argument in function.arguments}
        self.assertEqual([row[0] for row in self.texts.meanings if row[0] not in rows], [])
        for section, notes in self.texts.notes.items():
            for patterns, _ in notes:
                unused = [p for p in patterns if not any(manual_texts.fits(p, function.name) for function in self.functions)]
                self.assertEqual(unused, [], section)

    def test_a_function_or_an_argument_without_a_text_is_named(self):
        new = dataclasses.replace(self.functions[0], name="Novelty", arguments=(model.Argument("gadget", "int"),))
        with self.assertRaisesRegex(manual_texts.Missing, "sentences.txt: MPI_Novelty has no sentence"):
            self.texts.sentence(new)
        with self.assertRaisesRegex(manual_texts.Missing, "meanings.txt: argument gadget of MPI_Novelty"):
            self.texts.meaning(new, new.arguments[0])

    @unittest.skipUnless(shutil.which("groff"), "there is no groff")
    def test_groff_has_nothing_to_say(self):
        pages = sorted(f"man3/{path.name}" for path in self.pages.values() if not path.stem.endswith("_c"))
        groff = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", *pages], cwd=FOLDER, capture_output=True, text=True)
        self.assertEqual((groff.returncode, groff.stderr[:2000]), (0, ""))

    @unittest.skipUnless(shutil.which("lexgrog"), "there is no lexgrog")
    def test_man_finds_name_and_sentence(self):
        lexgrog = subprocess.run(["lexgrog", *sorted(f"man3/{path.name}" for path in self.pages.values())], cwd=FOLDER, capture_output=True, text=True)
        self.assertEqual(lexgrog.stderr, "")
        found = set(re.findall(r': "(MPI_\w+) - .+"$', lexgrog.stdout, re.MULTILINE))
        self.assertEqual(found, set(self.pages))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
