"""Tests bench/thesis.py: its small tables, and which processes migrate in them."""
import pathlib
import subprocess
import sys
import unittest

SCRIPT = pathlib.Path(__file__).parents[2] / "bench" / "thesis.py"
WEFTSIM = sys.argv.pop()
sys.path.insert(0, str(SCRIPT.parent))
import thesis  # noqa: E402


class Tables(unittest.TestCase):
    def test_ranges(self):
        self.assertEqual(thesis.ranges([7, 1, 2, 3]), "1-3, 7")

    def test_migrations_are_listed_by_superstep_and_set(self):
        self.assertEqual(thesis.migrations_text({4: [(21, "a1"), (22, "a2")], 8: [(1, "c3")]}), "4: p21-22 → a1-2; 8: p1 → c3")

    def test_every_sets_first_node_has_number_1(self):
        self.assertEqual([thesis.NAMES[0], thesis.NAMES[20], thesis.NAMES[-1]], ["l1", "c1", "a20"])

    def test_quick_run(self):
        tables = subprocess.run([sys.executable, "-B", SCRIPT, WEFTSIM, "--quick", "--jobs", "2"], check=True,
                                capture_output=True, text=True).stdout
        for number in ("5.2", "5.3", "5.4", "5.5", "5.6", "5.8"):
            self.assertIn(f"Table {number}", tables)
        self.assertIn("4: p21 → a1; 12: p22 → a2; 28: p23 → a3", tables)
        self.assertIn("| 12: p3-10 | 12: p3-10 → a1-8 |", tables)


unittest.main()
