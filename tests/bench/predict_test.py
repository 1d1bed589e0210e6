"""Tests bench/predict.py: its points, and the table of errors."""
import pathlib
import sys
import unittest

SCRIPT = pathlib.Path(__file__).parents[2] / "bench" / "predict.py"
sys.path.insert(0, str(SCRIPT.parent))
import predict  # noqa: E402


def row(real, platform="2 workers", seen=True, **models):
    return {"program": "mol3d", "ranks": 8, "platform": platform, "seen": seen, "real": real, "spread": 0.01, "models": models}


class Points(unittest.TestCase):
    def test_there_are_120_and_each_once(self):
        self.assertEqual(sum(len(set(points)) for points in predict.POINTS.values()), 120)

    def test_profiles_have_three_numbers_of_ranks(self):
        for points in predict.POINTS.values():
            self.assertEqual(len({ranks for ranks, _ in points[:predict.RECORDED]}), 3)

    def test_which_platforms_the_profiles_have(self):
        for points in predict.POINTS.values():
            recorded = {platform for _, platform in points[:predict.RECORDED]}
            seen = [platform in recorded for _, platform in points[predict.RECORDED:]]
            self.assertEqual(seen, [True] * predict.SEEN + [False] * 5)
            self.assertLessEqual({platform for _, platform in points}, set(predict.MACHINES))


class Table(unittest.TestCase):
    def test_means_are_of_models_that_always_answer(self):
        rows = [row(1.0, weft=0.1, replay=-0.2), row(4.0, "half a core", False, weft=-0.3)]
        self.assertEqual(predict.mean_errors(rows), {"weft": 0.2})
        lines = predict.text_of(rows).splitlines()
        self.assertEqual(lines[2], "| mol3d | 8 | 2 workers | 1.000 | 1.0 % | +10.0 % | -20.0 % |")
        self.assertEqual(lines[3], "| mol3d | 8 | half a core, not in a profile | 4.000 | 1.0 % | -30.0 % | - |")
        self.assertEqual(lines[4:], ["| **mol3d: mean** | | | times span 4.00 x | | 20.0 % | - |",
                                     "| **all but EP, platforms of the profiles: mean** | | | 1 points | | 10.0 % | 20.0 % |",
                                     "| **all but EP, other platforms: mean** | | | 1 points | | 30.0 % | - |"])

    def test_nothing_measured_has_no_means(self):
        self.assertEqual(predict.mean_errors([]), {})


if __name__ == "__main__":
    unittest.main()
