#!/usr/bin/env python3
"""Names that promise something keep it: a file called *_test is a test that CMake knows, and a folder of sources is a CMake target.

Known findings: known_names.txt, which can only shrink."""
import re
import sys

import ratchet
import sources

TOPS = ("base", "pup", "trace", "lb", "runtime", "launch", "mpi_shim")
TEST = re.compile(r"^\s*(TYPED_)?TEST(_F|_P|_SUITE)?\(", re.MULTILINE)
TARGET = re.compile(r"\b(weft_module|weft_part|add_library|target_sources)\(")


def wrong_tests(root, files):
    listed = "".join((root / path).read_text() for path in files if path.startswith("tests/") and path.endswith(("CMakeLists.txt", ".cmake")))
    for path in files:
        if not re.search(r"_test\.(cpp|c|sh|py)$", path):
            continue
        name = path.rpartition("/")[2]
        if not path.startswith("tests/"):
            yield f"{path} is called a test and lies outside of tests/"
        elif path.endswith(".cpp") and not TEST.search((root / path).read_text()):
            yield f"{path} is called a test and has no TEST in it"
        elif name not in listed and name.removesuffix("_test.cpp") not in re.findall(r"\w+", listed):
            yield f"{path} is called a test and no CMakeLists.txt in tests/ names it"


def without_target(root, files):
    """Folders of sources whose CMakeLists.txt makes no target."""
    for folder in sorted({path.rpartition("/")[0] for path in files if path.split("/")[0] in TOPS and path.endswith(".cpp")}):
        lists = root / folder / "CMakeLists.txt"
        if not lists.is_file() or not TARGET.search(lists.read_text()):
            yield f"{folder} has sources and no CMake target"


def main():
    root, options = ratchet.arguments()
    files = sources.tracked(root)
    findings = {text: 1 for text in [*wrong_tests(root, files), *without_target(root, files)]}
    return ratchet.judge("names", findings, root / "tools/checks/known_names.txt", options)


if __name__ == "__main__":
    sys.exit(main())
