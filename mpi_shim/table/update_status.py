#!/usr/bin/env python3
"""Sets the status columns of functions.txt to what a built libmpi_abi really defines.

A strong PMPI_ symbol is 'done', a weak one is a stub: 'todo'.
"""
import pathlib
import subprocess
import sys


def strong_symbols(library):
    lines = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    return {words[2].split("@")[0] for words in map(str.split, lines.splitlines()) if words[1] == "T"}


def status(name, strong):
    return "done" if f"PMPI_{name}" in strong else "todo"


def main(library):
    path = pathlib.Path(__file__).parent / "functions.txt"
    strong = strong_symbols(library)
    lines = []
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            fields = [field.strip() for field in line.split("|")]
            fields[3] = status(fields[0], strong)
            fields[4] = "-" if fields[4] == "-" else status(fields[0] + "_c", strong)
            line = " | ".join(fields).rstrip()
        lines.append(line)
    path.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
