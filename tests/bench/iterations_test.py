"""Tests bench/iterations.py: its table of runs that have been measured."""
import pathlib
import sys
import unittest

SCRIPT = pathlib.Path(__file__).parents[2] / "bench" / "iterations.py"
sys.path.insert(0, str(SCRIPT.parent))
import iterations  # noqa: E402


def line(mode, number, finish, cpu, predicted=None, speed_change=None):
    return {"case": "hog", "mode": mode, "run": number, "finish": finish, "spread": 0.1, "messages": 7, "bytes": 70, "twice": 0, "moves": 0,
            "tallies": "tallies: 1", "cpu": cpu, "predicted_at": 10.0 if predicted else None, "predicted_end": predicted, "speed_change": speed_change}


def row(lines, mode):
    return [cell.strip() for cell in next(text for text in iterations.table(lines).splitlines() if f"| {mode} |" in text).strip("|").split("|")]


class Table(unittest.TestCase):
    # In the second pair the machine was twice as slow for equal parts.
    lines = [line("library", 0, 50, 85), line("static", 0, 60, 85), line("library", 1, 50, 85), line("static", 1, 120, 170)]

    def test_equal_parts_are_compared_by_time_and_by_cores(self):
        cells = row(self.lines, "library")
        self.assertEqual(cells[4], "80.0 % (20.0 to 140.0)")
        self.assertEqual(cells[5:7], ["1.700 (1.700)", "20.0 % (20.0 to 20.0)"])
        self.assertEqual(row(self.lines, "static")[4:7], ["-", "1.417 (1.417)", "-"])

    def test_predictions_are_counted_as_made_and_at_the_later_speed(self):
        lines = [line("library", 0, 50, 85, 51, 1.0), line("library", 1, 60, 85, 50, 0.8)]  # 10 + 40 / 0.8 = 60
        self.assertEqual(row(lines, "library")[-2:], ["1 of 2 (16.7 %)", "2 of 2 (2.0 %)"])

    def test_tallies_that_differ_are_said(self):
        self.assertIn("the same in all runs", iterations.table(self.lines))
        self.assertIn("DIFFERENT", iterations.table([*self.lines, {**self.lines[0], "run": 2, "tallies": "tallies: 2"}]))


if __name__ == "__main__":
    unittest.main()
