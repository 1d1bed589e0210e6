"""Tests bench/simulate.py: errors, the table, and that interrupted rounds continue where they were."""
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

SCRIPT = pathlib.Path(__file__).parents[2] / "bench" / "simulate.py"
sys.path.insert(0, str(SCRIPT.parent))
import simulate_balancing as balancing  # noqa: E402
import simulate_replays as replays  # noqa: E402
import simulate_tools as tools  # noqa: E402
from balance_tools import Failed  # noqa: E402


class Figures(unittest.TestCase):
    def test_errors_are_parts_of_what_is_real(self):
        row = tools.Row("V1 lu", "makespan", 2.0, 2.1, 0.04)
        self.assertAlmostEqual(row.error, 0.05)
        self.assertFalse(row.is_within_limit)
        self.assertTrue(tools.Row("V1 lu", "makespan", 2.0, 1.93, 0.04).is_within_limit)

    def test_without_a_real_value_the_simulated_one_is_the_error(self):
        self.assertEqual(tools.Row("V1 lu", "loads", None, 0.03, 0.05).error, 0.03)

    def test_spread_is_half_of_what_lies_between_the_quartiles(self):
        self.assertAlmostEqual(tools.spread_of([1, 2, 3, 4, 5]), 1 / 3)
        self.assertEqual(tools.spread_of([7]), 0)

    def test_loads_of_windows(self):
        real, simulated = [[1, 3], [2, 2]], [[1, 3], [2, 4]]
        self.assertAlmostEqual(tools.nrmse(real, simulated), 1 / 2)
        self.assertAlmostEqual(tools.balance_of(real), 4 / 5)
        with self.assertRaises(ValueError):
            tools.nrmse(real, [[1, 3]])

    def test_a_run_without_windows_has_one(self):
        workers = [{"busy_s": 1.5}, {"busy_s": 2}]
        self.assertEqual(tools.loads_of({"iterations": [], "workers": workers}), [[1.5, 2]])
        self.assertEqual(tools.loads_of({"iterations": [[1, 2]], "workers": workers}), [[1, 2]])

    def test_medians_of_cells_leave_out_tables_of_another_shape(self):
        self.assertEqual(tools.median_cells([[[1, 5]], [[3, 4]], [[2, 6]], [[9]]]), [[2, 5]])

    def test_the_table_marks_what_misses_its_limit(self):
        rows = [tools.Row("V1 lu", "makespan", 2.0, 2.1, 0.02, 0.005, cause="too slow"),
                tools.Row("V1 lu", "loads (NRMSE)", None, 0.03, 0.05)]
        lines = tools.table(rows).splitlines()
        self.assertEqual(lines[2], "| V1 lu | makespan | 2 s | 2.1 s | +5.00 % | 2 % | 0.50 % | **missed**: too slow |")
        self.assertEqual(lines[3], "| V1 lu | loads (NRMSE) |  |  | 3.00 % | 5 % |  |  |")


class SelfReplay(unittest.TestCase):
    def test_each_recording_is_compared_with_its_own_run_too(self):
        def result(seconds):
            return {"makespan_s": seconds, "iterations": [[1.0, 2.0]], "workers": []}

        runs = {"real": [2.0, 2.0, 2.0], "recorded": [result(1.0), result(2.0), result(4.0)]}
        own = [result(0.97), result(1.98), result(4.0)]
        simulated = {"calibrated": own, "fitted": runs["recorded"]}
        with mock.patch.multiple(replays, all_programs=lambda _: [tools.Program("lu", [])],
                                 simulations=lambda _tools, _experiment, _program, platforms, *_: simulated[platforms],
                                 real_and_recorded=lambda *_: runs,
                                 platforms_for=lambda *_: {"": "calibrated", ", fitted": "fitted"}):
            beside_others, beside_own, loads, *fitted = replays.self_replay(mock.Mock(rounds_wanted=3))
        self.assertAlmostEqual(beside_others.error, -0.01)
        self.assertAlmostEqual(beside_own.error, -0.01)  # of -3 %, -1 % and 0
        self.assertAlmostEqual(beside_own.simulated, 0.99)
        self.assertEqual(loads.error, 0)
        self.assertTrue(all(row.what.endswith(", fitted") for row in fitted))
        self.assertEqual([row.error for row in fitted], [0, 0, 0])


class Strategies(unittest.TestCase):
    def test_a_fitted_platform_is_not_judged_without_balancing(self):
        real = {("none", "-"): [1.0], ("greedy", "every:1"): [2.0], ("greedy", "every:2"): [3.0], ("refine", "every:1"): [4.0]}
        simulated = real | {("greedy", "every:2"): [3.3]}
        with mock.patch.multiple(balancing, STRATEGIES=("greedy", "refine"), compare_rankings=lambda *_: (0.95, 12, 0.01)):
            rows = balancing.rows_of_strategies(None, "V2 lu", real, simulated, "")
            fitted = balancing.rows_of_strategies(None, "V2 lu", real, simulated, ", fitted")
        self.assertEqual([row.what for row in rows[:3]], ["none -", "greedy every:2, of 2 periods the furthest off", "refine every:1"])
        self.assertAlmostEqual(rows[1].error, 0.1)
        self.assertAlmostEqual(rows[3].error, 0.05)
        self.assertEqual([row.what for row in fitted[:2]],
                         ["greedy every:2, of 2 periods the furthest off, fitted", "refine every:1, fitted"])


class Rounds(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = pathlib.Path(folder.name)
        self.ran = []

    def tools(self, rounds):
        return tools.Tools(None, self.out, rounds, progress=SilentProgress())

    def run_once(self, name, number):
        self.ran.append((number, name))
        if (number, name) == (1, "b") and len(self.ran) == 4:
            raise Failed("cut off")
        return 10 * number

    def variants(self):
        return {name: (lambda number, name=name: self.run_once(name, number)) for name in "ab"}

    def test_variants_run_in_turn_and_what_has_run_is_kept(self):
        with self.assertRaises(Failed):
            self.tools(2).rounds("V1 lu", self.variants())
        self.assertEqual(self.ran, [(0, "a"), (0, "b"), (1, "a"), (1, "b")])
        self.ran.clear()
        self.assertEqual(self.tools(3).rounds("V1 lu", self.variants()), {"a": [0, 10, 20], "b": [0, 10, 20]})
        self.assertEqual(self.ran, [(1, "b"), (2, "a"), (2, "b")])

    def test_programs_come_from_a_file(self):
        file = self.out / "programs.ini"
        file.write_text("[cg]\nweft = /x/cg\nranks = 8\narguments = -a 'b c'\n[mg]\nweft = /x/mg\nranks = 4\nfolder = /x\n")
        cg, mg = tools.programs_of(file)
        self.assertEqual((cg.name, cg.command, cg.ranks, cg.cwd), ("cg", ["/x/cg", "-a", "b c"], 8, None))
        self.assertEqual((mg.command, mg.cwd), (["/x/mg"], "/x"))
        chosen = tools.Tools(None, self.out, 1, None, [cg, mg], ["mg"]).chosen([])
        self.assertEqual([program.name for program in chosen], ["mg"])
        with self.assertRaises(Failed):
            tools.programs_of(self.out / "nothing.ini")


class SilentProgress(tools.Progress):
    def show(self, what):
        pass


unittest.main()
