#!/usr/bin/env python3
"""Writes mpi.h, the stubs, the aliases and the Fortran bindings, and the entry points from the tables beside this file."""
import argparse
import pathlib

import entries
import f08
import f08_module
import fortran
import fortran_headers
import header
import manual_texts
import model
import stubs


def write(path, text):
    """Leaves the file alone when nothing changed, so that nothing is rebuilt."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--include", type=pathlib.Path, required=True, help="folder of mpi.h")
    parser.add_argument("--sources", type=pathlib.Path, required=True, help="folder of everything else")
    options = parser.parse_args()
    folder = pathlib.Path(__file__).parent
    table = model.Table(folder)
    write(options.include / "mpi.h", header.text(table))
    write(options.include / "mpif.h", fortran_headers.mpif(table))
    write(options.sources / "mpi_module.f90", fortran_headers.module(table))
    write(options.sources / "mpi_types.f90", f08_module.types_module())
    write(options.sources / "mpi_f08_module.f90", f08_module.module(table, manual_texts.Texts(folder, table)))
    write(options.sources / "fortran.c", fortran.source(table))
    write(options.sources / "f08.c", f08.source(table))
    write(options.sources / "stubs.cpp", stubs.source(table))
    write(options.sources / "aliases.ld", stubs.aliases(table))
    write(options.sources / "functions.list", stubs.names(table))
    for path, text in entries.files(table, entries.read(folder / "entries.txt")).items():
        write(options.sources / path, text)


if __name__ == "__main__":
    main()
