#!/usr/bin/env python3
"""Says how many of the exported functions are generated from entries.txt, and which are written by hand.

A function counts in each of its forms: MPI_Send and MPI_Send_c are two. Prints one line of figures, with --list the
names of those written by hand, each with its file.
"""
import pathlib
import re
import sys

import entries
import model

DEFINITION = re.compile(r"^(?:extern \"C\" )?\w+ PMPI_(\w+)\(", re.MULTILINE)


def by_hand(folder):
    """Name to file of every entry point that a source file of the folder defines."""
    found = {}
    for path in sorted(folder.rglob("*.cpp")):
        for name in DEFINITION.findall(path.read_text()):
            found.setdefault(name, []).append(path.relative_to(folder).as_posix())
    return found


def generated(folder):
    """Name to source file of every entry point that is generated."""
    table = model.Table(folder / "table")
    return {point.name: unit for unit, point in entries.entry_points(table, entries.read(folder / "table/entries.txt"))}


def main():
    folder = pathlib.Path(__file__).resolve().parent.parent
    written, made = by_hand(folder), generated(folder)
    forms = sum(1 for _ in model.Table(folder / "table").forms())
    print(f"{forms} exported functions: {len(made)} generated, {len(written)} written by hand")
    if "--list" in sys.argv:
        for name, files in sorted(written.items()):
            print(f"MPI_{name} {' '.join(files)}")


if __name__ == "__main__":
    main()
