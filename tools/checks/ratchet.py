"""Compares the findings of a check with its list of known findings. The list has one finding a line, and can only become shorter.

A line is "finding" or "finding = number". A check fails for a finding that is not listed, for a number above the listed one, and for a
listed finding that is gone. `--shrink` removes findings that are gone and lowers numbers; `--rewrite` writes today's findings to the
list, for changes that rename files."""
import pathlib
import sys


def read(path):
    known = {}
    for line in path.read_text().splitlines() if path.exists() else []:
        if line and not line.startswith("#"):
            finding, _, number = line.partition(" = ")
            known[finding] = int(number or 1)
    return known


def write(path, findings):
    heading = [line for line in path.read_text().splitlines() if line.startswith("#")] if path.exists() else []
    lines = [finding if number == 1 else f"{finding} = {number}" for finding, number in sorted(findings.items())]
    path.write_text("\n".join(heading + lines) + "\n")


def judge(check, findings, known_path, options):
    """Compares findings ({text: number}) with the list, says what differs, and returns the exit status of the check."""
    path = pathlib.Path(known_path)
    known = read(path)
    if "--rewrite" in options:
        write(path, findings)
        return 0
    if "--shrink" in options:
        known = {finding: min(number, findings[finding]) for finding, number in known.items() if finding in findings}
        write(path, known)
    bad = [f"{finding} = {number}, more than the {known[finding]} of before" if finding in known else
           finding + (f" = {number}" if number > 1 else "")
           for finding, number in sorted(findings.items()) if number > known.get(finding, 0)]
    bad += [f"no longer true, take it out of {path.name} (tools/check.sh --shrink): {finding}" for finding in sorted(known) if finding not in findings]
    for line in bad:
        print(f"{check}: {line}")
    if not bad:
        print(f"{check}: ok" + (f", {len(known)} known findings remain in {path.name}" if known else ""))
    return 1 if bad else 0


def arguments():
    """(root of the tree, options): `check.py [root] [--option ...]`; the root is the tree of this file unless it is named."""
    options = [word for word in sys.argv[1:] if word.startswith("--")]
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    return pathlib.Path(words[0]) if words else pathlib.Path(__file__).parents[2], options
