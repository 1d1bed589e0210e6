"""Tests bench/predict.py: its points, and the table of errors."""
import pathlib
import sys
import unittest

SCRIPT = pathlib.Path(__file__).parents[2] / "bench" / "predict.py"
sys.path.insert(0, str(SCRIPT.parent))
import predict  # noqa: E402


def row(real, **models):
    return {"program": "mol3d", "ranks": 8, "workers": 2, "real": real, "spread": 0.01, "models": models}


class Points(unittest.TestCase):
    def test_there_are_120_and_each_once(self):
        self.assertEqual(sum(len(set(points)) for points in predict.POINTS.values()), 120)

    def test_profiles_have_three_numbers_of_ranks(self):
        for points in predict.POINTS.values():
            self.assertEqual(len({ranks for ranks, _ in points[:predict.RECORDED]}), 3)


class Table(unittest.TestCase):
    def test_means_are_of_models_that_always_answer(self):
        rows = [row(1.0, weft=0.1, replay=-0.2), row(4.0, weft=-0.3)]
        self.assertEqual(predict.mean_errors(rows), {"weft": 0.2})
        lines = predict.text_of(rows).splitlines()
        self.assertEqual(lines[2], "| mol3d | 8 | 2 | 1.000 | 1.0 % | +10.0 % | -20.0 % |")
        self.assertEqual(lines[3], "| mol3d | 8 | 2 | 4.000 | 1.0 % | -30.0 % | - |")
        self.assertEqual(lines[4], "| **mol3d, mean** | | | times span 4.00 x | | 20.0 % | - |")

    def test_nothing_measured_has_no_means(self):
        self.assertEqual(predict.mean_errors([]), {})


if __name__ == "__main__":
    unittest.main()
