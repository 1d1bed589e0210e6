#!/usr/bin/env python3
"""components_test.py <build folder> <components.txt> <scratch>: installs each component by itself. Together they must have all files of an
installation, no file twice, and each file in the component that the list names."""
import fnmatch
import pathlib
import shutil
import subprocess
import sys

COMPONENTS = ("runtime", "dev", "ondes3d", "doc")


def install(build, folder, *arguments):
    subprocess.run(["cmake", "--install", build, "--prefix", folder, *arguments], check=True, stdout=subprocess.DEVNULL)
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_symlink() or not path.is_dir()}


def read_list(path):
    """(component, pattern, whether a file must match it) of each line."""
    for line in path.read_text().splitlines():
        words = line.split("#")[0].split()
        if words:
            yield words[0], words[1].removeprefix("?"), not words[1].startswith("?")


def faults(files, everything, rules):
    for component, of_component in files.items():
        for file in sorted(of_component):
            others = [other for other in COMPONENTS if other != component and file in files[other]]
            if others:
                yield f"{file} is in {component} and in {others[0]}"
            homes = {home for home, pattern, _ in rules if fnmatch.fnmatch(file, pattern)}
            if homes != {component}:
                yield f"{file} is in {component}, by the list in {' and '.join(sorted(homes)) or 'none'}"
    for file in sorted(everything - set().union(*files.values())):
        yield f"{file} is in no component"
    for component, pattern, must_match in rules:
        if must_match and not fnmatch.filter(files[component], pattern):
            yield f"{component} has no {pattern}"


def main():
    build, listed, scratch = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    shutil.rmtree(scratch, ignore_errors=True)
    everything = install(build, scratch / "all")
    files = {name: install(build, scratch / name, "--component", name) for name in COMPONENTS}
    found = list(faults(files, everything, list(read_list(listed))))
    print("\n".join(found) or f"components: ok, {len(everything)} files")
    shutil.rmtree(scratch)
    return 1 if found else 0


sys.exit(main())
