#!/usr/bin/env python3
"""Tests that each check of tools/checks finds a fault planted in a copy of the sources, and that a list of known findings can only shrink.

checks_test.py <source folder> <scratch folder>"""
import pathlib
import shutil
import subprocess
import sys
import unittest

SOURCE, SCRATCH = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
MINE = ".made-by-checks_test"
TOPS = ("base", "pup", "trace", "lb", "runtime", "launch", "mpi_shim", "tools", "tests")


def check(name, *options, root=SCRATCH):
    done = subprocess.run([sys.executable, "-B", str(SOURCE / f"tools/checks/{name}.py"), str(root), *options], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def write(path, text):
    file = SCRATCH / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


class Checks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if SCRATCH.exists():
            if any(SCRATCH.iterdir()) and not (SCRATCH / MINE).exists():
                sys.exit(f"{SCRATCH} is not empty and was not made by this test: name a folder that it may clear")
            shutil.rmtree(SCRATCH)
        SCRATCH.mkdir(parents=True)
        (SCRATCH / MINE).touch()
        for top in TOPS:
            shutil.copytree(SOURCE / top, SCRATCH / top, ignore=shutil.ignore_patterns("__pycache__"))
        subprocess.run(["git", "init", "-q", str(SCRATCH)], check=True)

    def setUp(self):
        self.planted = []

    def tearDown(self):
        for path in self.planted:
            (SCRATCH / path).unlink()

    def plant(self, path, text):
        self.assertFalse((SCRATCH / path).exists(), path)
        write(path, text)
        self.planted.append(path)

    def expect(self, name, *findings):
        code, out = check(name)
        self.assertEqual(code, 1, out)
        for finding in findings:
            self.assertIn(finding, out)

    def expect_nothing_of(self, name, *texts):
        _, out = check(name)
        for text in texts:
            self.assertNotIn(text, out)

    def test_layers_find_an_include_against_the_order(self):
        self.plant("base/planted.hpp", '#pragma once\n#include "runtime/job/job.hpp"\n')
        self.expect("layers", "base/planted.hpp -> runtime/job/job.hpp (base may not know job)")

    def test_layers_find_a_library_outside_of_its_folder(self):
        self.plant("runtime/job/planted.cpp", "#include <boost/context/detail/fcontext.hpp>\n#include <link.h>\n")
        self.expect("layers", "runtime/job/planted.cpp -> <boost/context/detail/fcontext.hpp> (only runtime/fiber may include it)",
                    "runtime/job/planted.cpp -> <link.h> (only runtime/image may include it)")

    def test_layers_find_a_cycle_of_units(self):
        count = 4  # one more than may be
        for i in range(count):  # a header includes no other: the sources do
            self.plant(f"base/planted{i}.hpp", "#pragma once\n")
            self.plant(f"base/planted{i}.cpp", f'#include "base/planted{i}.hpp"\n#include "base/planted{(i + 1) % count}.hpp"\n')
        self.expect("layers", f"units in the largest include cycle = {count}", "base/planted0 base/planted1 base/planted2 ")

    def test_layers_find_a_folder_without_a_row(self):
        self.plant("runtime/planted/planted.cpp", "")
        self.expect("layers", "folder runtime/planted has no row")

    def test_layers_find_a_row_without_a_folder(self):
        (SCRATCH / "runtime/fiber").rename(SCRATCH / "runtime_fiber")
        try:
            self.expect("layers", "row fiber names runtime/fiber, which is not there")
        finally:
            (SCRATCH / "runtime_fiber").rename(SCRATCH / "runtime/fiber")

    def test_functions_find_what_is_too_long(self):
        lines = "  work();\n" * 59
        self.plant("base/planted.cpp", "void work();\nvoid fits() {\n" + lines[:-len("  work();\n")] + "}\nvoid is_long() {\n" + lines + "}\n" +
                   "// filler\n" * 300)
        self.expect("functions", "base/planted.cpp is_long: lines of the function = 61", "base/planted.cpp: lines of the file = 4")
        self.expect_nothing_of("functions", "fits: lines")

    def test_functions_find_parameters_but_not_those_that_mpi_fixes(self):
        self.plant("base/planted.cpp", "int f(int a, int b, int c, int d, Map<int, int> e) { return 0; }\n"
                   "int g(int a, int b, int c, int d, int e, int f) { return 0; }\n"
                   "int PMPI_Many(int a, int b, int c, int d, int e, int f) { return 0; }\n"
                   "int copy(MPI_Comm, int, void*, void*, void*, int*) { return 0; }\n")
        self.expect("functions", "base/planted.cpp g: parameters = 6")
        self.expect_nothing_of("functions", "planted.cpp f:", "planted.cpp PMPI_Many", "planted.cpp copy")

    def test_functions_count_a_class_over_its_files(self):
        fields = "".join(f"  int field{i} = 0;\n" for i in range(12))
        body = "".join(f"  void f{i}();\n" for i in range(10))
        self.plant("base/planted.hpp", f"struct PlantedPart {{\n{fields}}};\nclass Planted {{\n public:\n{body} private:\n  PlantedPart part_;\n"
                   + fields.replace("field", "own") + "  static int none_;\n};\n")
        for half in ("one", "two"):
            self.plant(f"base/planted_{half}.cpp", "".join(f"void Planted::f{i}() {{\n" + "  work();\n" * 45 + "}\n"
                                                           for i in (range(5) if half == "one" else range(5, 10))))
        self.expect("functions", "base/planted.hpp Planted: fields = 24", "base/planted.hpp Planted: lines of the class = 498")

    def test_memory_orders_want_the_partner(self):
        self.plant("base/planted.cpp", """
void f() {
  x.store(1, std::memory_order_release);
  // Pairs with the load in g().
  x.store(2,
          std::memory_order_release);
  x.store(3, std::memory_order_release);  // g() reads it
  x.store(4, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  // Pairs with the load in g().
  if (far) {
    x.exchange(5, std::memory_order_seq_cst);
  } else {
    x.store(6, std::memory_order_release);
  }
}
// Pairs with f(): what it wrote is seen.
int g() { return x.load(std::memory_order_acquire); }
""")
        self.expect("memory_orders", "base/planted.cpp: memory orders without the partner's name = 2")

    def test_names_find_a_test_that_is_none(self):
        self.plant("base/planted_test.cpp", "")
        self.plant("tests/base/planted_test.cpp", "")
        self.plant("tests/base/unlisted_test.cpp", "TEST(A, B) {}\n")
        self.expect("names", "base/planted_test.cpp is called a test and lies outside of tests/",
                    "tests/base/planted_test.cpp is called a test and has no TEST in it",
                    "tests/base/unlisted_test.cpp is called a test and no CMakeLists.txt in tests/ names it")

    def test_names_find_what_lies_in_no_namespace_of_its_folder(self):
        inside = "namespace weft::runtime {\ninline namespace net {\nclass Elsewhere;\n}  // namespace net\n\n"
        self.plant("runtime/job/planted.hpp", "#pragma once\n" + inside + "class Misplaced {};\n}  // namespace weft::runtime\n")
        self.plant("runtime/job/well.hpp", "#pragma once\n" + inside +
                   "inline namespace job {\nclass Well {};\n}  // namespace job\n}  // namespace weft::runtime\n")
        self.expect("names", "runtime/job/planted.hpp defines something in weft::runtime, not in a namespace job")
        self.expect_nothing_of("names", "runtime/job/well.hpp")

    def test_names_find_a_folder_without_a_target(self):
        self.plant("runtime/planted/planted.cpp", "")
        self.expect("names", "runtime/planted has sources and no CMake target")

    @unittest.skipUnless(shutil.which("clang-format-16"), "no clang-format-16")
    def test_format_finds_a_space(self):
        shutil.copy(SOURCE / ".clang-format", SCRATCH)
        self.plant("base/planted.cpp", "int  planted;\n")
        self.expect("format", "base/planted.cpp:1:4: warning")

    @unittest.skipUnless(shutil.which("clang-tidy-16"), "no clang-tidy-16")
    def test_tidy_finds_what_is_new_and_remembers_what_is_clean(self):
        small = SCRATCH.with_name(SCRATCH.name + "-tidy")
        shutil.rmtree(small, ignore_errors=True)
        (small / "tools/checks").mkdir(parents=True)
        shutil.copy(SOURCE / ".clang-tidy", small)
        (small / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(small CXX)\nset(CMAKE_EXPORT_COMPILE_COMMANDS ON)\n"
                                              "add_library(small old.cpp new.cpp)\nadd_custom_target(weft_mpi_table)\n")
        (small / "CMakePresets.json").write_text('{"version": 6, "configurePresets": [{"name": "release", "generator": "Ninja"}]}')
        (small / ".gitignore").write_text("build\n")
        bad = "int* {}() {{ return 0; }}\n"
        (small / "old.cpp").write_text(bad.format("of_old"))
        git = ["git", "-C", str(small), "-c", "user.name=test", "-c", "user.email=test@test"]
        for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "test"]):
            subprocess.run(git + words, check=True)
        (small / "tools/checks/tidy_base").write_text("HEAD\n")
        (small / "new.cpp").write_text(bad.format("of_new"))
        code, out = check("tidy", root=small)
        self.assertEqual(code, 1, out)
        self.assertIn("new.cpp:1:24: error", out)
        self.assertNotIn("old.cpp", out)
        self.assertIn("old.cpp:1:24: error", check("tidy", "--all", root=small)[1])
        (small / "new.cpp").write_text("int* of_new() { return nullptr; }\n")
        self.assertEqual(check("tidy", root=small)[0], 0)
        self.assertIn("new.cpp", "\n".join(sorted(path.name for path in small.iterdir())))
        self.assertEqual(len((small / "build/tidy/clean").read_text().split()), 1)

    def test_a_list_only_shrinks(self):
        known = SCRATCH / "tools/checks/known_functions.txt"
        self.plant("base/planted.cpp", "void planted(int a, int b, int c, int d, int e, int f) {}\n")
        finding = "base/planted.cpp planted: parameters"
        before = known.read_text() if known.exists() else ""
        try:
            known.write_text(before + f"{finding} = 7\n")
            self.expect_nothing_of("functions", finding)
            check("functions", "--shrink")
            self.assertIn(f"{finding} = 6\n", known.read_text())
            self.plant("base/planted2.cpp", "void planted2(int a, int b, int c, int d, int e, int f, int g) {}\n")
            check("functions", "--shrink")
            self.assertNotIn("planted2", known.read_text())
            known.write_text(known.read_text() + "base/gone.cpp gone: parameters = 6\n")
            self.expect("functions", "no longer true", "base/gone.cpp gone: parameters", "base/planted2.cpp planted2: parameters = 7")
        finally:
            known.write_text(before)


unittest.main(argv=sys.argv[:1] + sys.argv[3:])
