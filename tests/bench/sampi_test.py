"""Tests bench/sampi.py: its cases' parameter files, and its tables with stencils in place of recordings."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).parents[2] / "bench" / "sampi.py"
WEFTSIM = pathlib.Path(sys.argv.pop())
sys.path.insert(0, str(SCRIPT.parent))
import sampi  # noqa: E402
import sampi_cases  # noqa: E402


class Cases(unittest.TestCase):
    def test_parameters_are_changed_in_both_forms_of_files(self):
        with tempfile.TemporaryDirectory() as folder:
            data = pathlib.Path(folder, "data", "case")
            data.mkdir(parents=True)
            (data / "old.prm").write_text("XMIN = -200\nDS = 200.\nDSX = 1\n")
            (data / "new.prm").write_text("<ds> 200. </ds> m <xMax> 500 </xMax>\n")
            (data / "rock.txt").write_text("rock")
            work = pathlib.Path(folder, "work")
            old = sampi_cases.Case("a", "case", "old.prm", {"XMIN": -75, "DS": "400."}, 1).write(data.parent, work)
            self.assertEqual(old.read_text(), "XMIN = -75\nDS = 400.\nDSX = 1\n")
            new = sampi_cases.Case("a", "case", "new.prm", {"ds": 400, "xMax": 250}, 1).write(data.parent, work)
            self.assertEqual(new.read_text(), "<ds> 400 </ds> m <xMax> 250 </xMax>\n")
            self.assertEqual((work / "rock.txt").read_text(), "rock")
            with self.assertRaises(SystemExit):
                sampi_cases.Case("a", "case", "old.prm", {"YMIN": 1}, 1).write(data.parent, work)


class Tables(unittest.TestCase):
    def test_imbalance(self):
        self.assertEqual(sampi.imbalance([[1.0, 3.0], [3.0, 1.0]]), (1.0, 1.5))

    def test_order_of_periods(self):
        self.assertEqual(sampi.period_order([1, 2, 3, 4]), "the shorter the better")
        self.assertEqual(sampi.period_order([4, 3, 2, 1]), "the longer the better")
        self.assertEqual(sampi.period_order([4, 2, 3, 5]), "best 20")

    def test_quick_run(self):
        with tempfile.TemporaryDirectory() as folder:
            tables = subprocess.run([sys.executable, "-B", SCRIPT, WEFTSIM.parent.parent, "--work", folder, "--quick"],
                                    check=True, capture_output=True, text=True).stdout
            self.assertTrue((pathlib.Path(folder) / "stencil-assumed.html").exists())
        row = next(line for line in tables.splitlines() if line.startswith("| stencil | 256 |"))
        ranks, own_ranks, cores, own_cores = (float(cell) for cell in row.strip("| ").split("|")[2:])
        # Work goes in a straight line from 0.8 to 1.2 of the mean, rank by rank; the last core has the last 16 of 256.
        # Messages cost all ranks about as much, which takes a little from the imbalance.
        last_core = 1 + 0.2 * (2 * (255 - 7.5) / 255 - 1)
        for value, expected in ((ranks, 1.2), (own_ranks, 1.2), (cores, last_core), (own_cores, last_core)):
            self.assertLessEqual(value, expected)
            self.assertAlmostEqual(value, expected, delta=0.008)
        self.assertIn("| stencil | 4 | all work -0.00 %", tables)
        self.assertIn("### Greedy against refine by the speed of a core", tables)
        self.assertIn("#### stencil-assumed, 16 cores as slow as the paper's", tables)
        self.assertIn("| stencil-assumed | 16 cores as slow", tables)


unittest.main()
