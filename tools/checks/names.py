#!/usr/bin/env python3
"""Checks that names are right: a file called *_test is a test that CMake knows, a folder of sources is a CMake target, and what a folder
of runtime/, mpi_shim/ or launch/ defines lies in the namespace of the folder's name.

Known findings: known_names.txt, which can only shrink."""
import re
import sys

import ratchet
import sources

TOPS = ("base", "pup", "trace", "lb", "runtime", "launch", "mpi_shim")
TEST = re.compile(r"^\s*(TYPED_)?TEST(_F|_P|_SUITE)?\(", re.MULTILINE)
TARGET = re.compile(r"\b(weft_module|weft_part|add_library|target_sources)\(")

NAMESPACE = re.compile(r"^(?:inline )?namespace(?: ([\w:]+))? \{$")
FORWARD = re.compile(r"^(template <.*> )?(class|struct|enum class|union) \w+( : [\w:]+)?;")
# Further namespaces that a folder may use: the libc that a rank sees, the packing of lb's and trace's types, the algorithms of collectives.
OTHER_NAMESPACES = {"image": {"shim"}, "lbstep": {"lb", "trace"}, "coll": {"steps", "by_messages"}}


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


def namespaces_of(text):
    """The namespaces, as tuples of their parts, in which a source defines something."""
    found, stack = set(), []  # a level of the stack: its name, and whether it has more than forward declarations
    for line in text.splitlines():
        opened = NAMESPACE.match(line)
        if opened:
            stack.append([opened[1] or "", False])
        elif line.startswith("}  // namespace") or (line == "}" and stack and not stack[-1][1]):
            stack.pop()
        elif stack and line and not line.startswith(("//", "#")) and not FORWARD.match(line):
            stack[-1][1] = True
            found.add(tuple(part for name, _ in stack for part in name.split("::") if part))
    return found


def wrong_namespaces(root, files):
    for path in files:
        top, *folders = path.split("/")[:-1] or [""]
        if top not in ("runtime", "mpi_shim", "launch") or not path.endswith((".cpp", ".hpp")):
            continue
        own = folders[0] if folders else top
        allowed = {own, "std", *OTHER_NAMESPACES.get(own, ())}
        for parts in sorted(namespaces_of((root / path).read_text())):
            if "weft" in parts and not allowed.intersection(parts):
                yield f"{path} defines something in {'::'.join(parts)}, not in a namespace {own}"


def main():
    root, options = ratchet.arguments()
    files = sources.tracked(root)
    findings = {text: 1 for text in [*wrong_tests(root, files), *without_target(root, files), *wrong_namespaces(root, files)]}
    return ratchet.judge("names", findings, root / "tools/checks/known_names.txt", options)


if __name__ == "__main__":
    sys.exit(main())
