"""Tests bench/predict.py: its points, and the table of errors."""
import pathlib
import sys
import unittest

SCRIPT = pathlib.Path(__file__).parents[2] / "bench" / "predict.py"
sys.path.insert(0, str(SCRIPT.parent))
import predict  # noqa: E402


def row(real, program="mol3d", platform="2 workers", size=None, machine=None):
    return {"program": program, "ranks": 8, "platform": platform, "real": real, "spread": 0.01, "errors": {"size": size or {}, "platform": machine or {}}}


class Points(unittest.TestCase):
    def test_there_are_120_and_each_once(self):
        self.assertEqual(sum(len(set(points)) for points in predict.POINTS.values()), 120)

    def test_each_platform_has_two_numbers_of_ranks_and_each_number_several_platforms(self):
        for points in predict.POINTS.values():
            for platform in predict.PLATFORMS:
                self.assertEqual(len({ranks for ranks, where in points if where == platform}), 2)
            for number in {ranks for ranks, _ in points}:
                self.assertIn(len({where for ranks, where in points if ranks == number}), (2, 3, 4))

    def test_no_platform_has_fewer_ranks_than_workers(self):
        for points in predict.POINTS.values():
            self.assertTrue(all(ranks > 1 for ranks, platform in points if platform not in ("1 worker", "half a core")))


class Table(unittest.TestCase):
    def test_means_are_of_models_that_always_answer(self):
        rows = [row(1.0, size={"weft": 0.1, "replay": -0.2}, machine={"weft": 0.05}),
                row(4.0, platform="half a core", size={"weft": -0.3}, machine={"weft": -0.15})]
        self.assertEqual(predict.mean_errors(rows, "size"), {"weft": 0.2})
        lines = predict.text_of(rows).splitlines()
        self.assertEqual(lines[2], "| mol3d | 8 | 2 workers | 1.000 | 1.0 % | +10.0 % | -20.0 % | +5.0 % | - |")
        self.assertEqual(lines[3], "| mol3d | 8 | half a core | 4.000 | 1.0 % | -30.0 % | - | -15.0 % | - |")
        self.assertEqual(lines[4:], ["| **mol3d: mean** |  |  | times span 4.00 x |  | 20.0 % | - | 10.0 % | - |",
                                     "| **all but EP: mean** |  |  | 2 points |  | 20.0 % | - | 10.0 % | - |"])

    def test_the_trivial_program_does_not_count(self):
        rows = [row(1.0, size={"weft": 0.1}), row(1.0, program="EP", size={"weft": 0.5})]
        self.assertEqual([line.split("|")[1:7:5] for line in predict.text_of(rows).splitlines()[4:]],
                         [[" **mol3d: mean** ", " 10.0 % "], [" **EP, which is trivial: mean** ", " 50.0 % "], [" **all but EP: mean** ", " 10.0 % "]])


if __name__ == "__main__":
    unittest.main()
