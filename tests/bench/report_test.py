"""Tests bench/report.py: the column "Weft's advantage"."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "bench"))
import figures  # noqa: E402
import report  # noqa: E402


def ratio(ranks, workers, values, unit="µs"):
    figure = figures.Figure("barrier", "barrier_us", unit)
    figures.Run("barrier", "collectives", [figure], ranks, workers)
    results = report.Results({who: who for who in values})
    results.add_figure(figure)[1].update({who: [value] for who, value in values.items()})
    return results.ratio(results.rows[0])


class Advantage(unittest.TestCase):
    def test_is_the_best_other_contestant_over_weft(self):
        self.assertEqual(ratio(2, 2, {"weft": 2, "mpich": 6, "openmpi": 4}), "2.00")

    def test_leaves_out_contestants_that_spin_for_a_time_slice(self):
        self.assertEqual(ratio(8, 2, {"weft": 2, "mpich": 36000, "openmpi": 16}), "8.00")

    def test_is_none_over_contestants_that_all_spin(self):
        self.assertEqual(ratio(2, 1, {"weft": 0.08, "mpich": 4000, "openmpi": 4000}), "n/a: the others spin")

    def test_counts_long_times_of_ranks_with_a_core_each(self):
        self.assertEqual(ratio(2, 2, {"weft": 1000, "mpich": 2000}), "2.00")


unittest.main()
