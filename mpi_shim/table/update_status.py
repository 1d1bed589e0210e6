#!/usr/bin/env python3
"""Sets the status columns of functions.txt to what a built libmpi_abi really defines.

A strong PMPI_ symbol is 'done'; a weak one is a stub, 'todo', or, for the large-count form of a function that is done,
'narrow' where such a form is possible.
"""
import pathlib
import subprocess
import sys

import model
import narrow


def strong_symbols(library):
    lines = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    return {words[2].split("@")[0] for words in map(str.split, lines.splitlines()) if words[1] == "T"}


def status(function, strong):
    done = f"PMPI_{function.name}" in strong
    if function.large == "-":
        return "done" if done else "todo", "-"
    if f"PMPI_{function.name}_c" in strong:
        return "done" if done else "todo", "done"
    return ("done", "narrow" if narrow.possible(function) else "todo") if done else ("todo", "todo")


def main(library):
    path = pathlib.Path(__file__).parent / "functions.txt"
    strong = strong_symbols(library)
    lines = []
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            fields = [field.strip() for field in line.split("|")]
            fields[3], fields[4] = status(model.parse_function(fields), strong)
            line = " | ".join(fields).rstrip()
        lines.append(line)
    path.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
