#!/usr/bin/env python3
"""Checks the sizes of functions, classes and files, measured by universal-ctags. Known findings: known_functions.txt, which can only
shrink.

A class is counted over all its files: its body and what is defined outside of it, without lines of comment alone. A struct that is the type of one class's member and
of no other's counts into that class, since to split a class so would move its fields and not part them."""
import collections
import json
import re
import shutil
import subprocess
import sys

import ratchet
import sources

LINES_OF_A_FUNCTION, PARAMETERS, FIELDS, LINES_OF_A_CLASS, LINES_OF_A_FILE = 60, 5, 20, 400, 400

TABLES = {"mpi_shim/table/functions.txt"}  # files that are tables, not code
# Signatures that somebody else fixed: MPI's and AMPI's calls, what the shim takes from libc, C interfaces of callbacks.
FIXED_NAMES = re.compile(r"^(P?MPI_|AMPI_|MPIX_|weft_f|p?mpi_)")
FIXED_PLACES = ("runtime/image/libc_shim/", "mpi_shim/fortran/", "mpi_shim/ampi/include/", "trace/otf2/", "tests/mpi_shim/tool/otf2_reader.hpp")
# Callbacks whose parameters MPI fixes, also as templates over the handle or the count: the copy of an attribute, the
# conversion of a data representation.
FIXED_PARAMETERS = re.compile(r"^\((MPI_\w+|int|Handle)\b[^,*]*,[^,*]*,\s*void\b[^,]*,\s*void\b[^,]*,\s*void\b[^,]*,\s*int\b[^,]*\)$|"
                              r"^\(void\b[^,]*,\s*MPI_Datatype\b[^,]*,\s*(int|MPI_Count|Count)\b[^,]*,\s*void\b[^,]*,\s*MPI_Offset\b[^,]*,\s*void\b[^,]*\)$")
LANGUAGES = ("--languages=C,C++", "--langmap=C++:+.h", "--kinds-C++=fmcsup", "--kinds-C=fmsu", "--fields=+neSsZtEa", "--fields-C++=+{properties}")



def tags_of(root, files):
    out = subprocess.run(["ctags", "-L", "-", *LANGUAGES, "--output-format=json", "-f", "-"], input="\n".join(files), cwd=root,
                         capture_output=True, text=True, check=True).stdout
    return [json.loads(line) for line in out.splitlines()]


def plain(name):
    """A qualified name without the unnamed namespaces and lambdas that ctags numbers, and without weft::."""
    return re.sub(r"(__anon\w+::|^weft::)", "", name)


def full_name(tag):
    return f"{tag['scope']}::{tag['name']}" if "scope" in tag else tag["name"]


def parameters(signature):
    inside, depth, count = signature.strip()[1:-1].strip(), 0, 1
    if inside in ("", "void"):
        return 0
    for sign in inside:
        depth += (sign in "(<[{") - (sign in ")>]}")
        count += sign == "," and depth == 0
    return count


def mpi_calls(root):
    """The names of the functions that the generated entry points call: comm_dup for MPI_Comm_dup. MPI fixes their parameters, too."""
    table = root / "mpi_shim/table/functions.txt"
    names = re.findall(r"^(\w+) \|", table.read_text(), re.MULTILINE) if table.exists() else []
    return {name.lower() for name in names} | {name.lower() + "_c" for name in names}


def is_fixed(tag, calls):
    return bool(tag["path"].startswith("mpi_shim/") and tag["name"] in calls or FIXED_NAMES.match(tag["name"]) or tag["path"].startswith(FIXED_PLACES) or FIXED_PARAMETERS.match(tag["signature"]))


def long_functions(tags, calls):
    for tag in tags:
        if tag["kind"] != "function":
            continue
        where = f"{tag['path']} {plain(full_name(tag))}"
        if tag["name"].startswith("__anon"):
            where = f"{tag['path']} {plain(tag.get('scope', '')).split('__anon')[0].rstrip(':')}, a lambda"
        lines = tag["end"] - tag["line"] + 1
        if lines > LINES_OF_A_FUNCTION:
            yield f"{where}: lines of the function", lines
        if parameters(tag.get("signature", "()")) > PARAMETERS and not is_fixed(tag, calls):
            yield f"{where}: parameters", parameters(tag["signature"])


class Classes:
    def __init__(self, tags, root):
        self.tags, self.root = tags, root
        self.comments = {}  # by file: how many lines of comment alone lie before each line
        self.bodies = {}  # (file of an unnamed namespace or "", qualified name) -> tag
        for tag in tags:
            if tag["kind"] in ("class", "struct"):
                self.bodies[full_name(tag)] = tag
        self.fields = collections.defaultdict(list)
        for tag in tags:
            if tag["kind"] == "member" and "static" not in tag.get("properties", "") and tag.get("scopeKind") in ("class", "struct"):
                self.fields[tag["scope"]].append(tag)
        self.users = collections.defaultdict(set)
        self.by_short_name = collections.defaultdict(list)
        for name in self.bodies:
            self.by_short_name[name.split("::")[-1]].append(name)
        for owner, members in self.fields.items():
            for member in members:
                for word in re.findall(r"\w+", member.get("typeref", "")):
                    self.users[word].add(owner)

    def part_of(self, owner, member):
        """The struct that this member is, or points to as its only owner, if no other class has a member of that type."""
        kind = re.sub(r"^typename:(std::(unique_ptr|optional)\s*<\s*)?", "", member.get("typeref", ""))
        words = re.match(r"^(?:const\s+)?((?:\w+::)*)(\w+)\s*>?\s*$", kind)
        if not words or self.users[words[2]] != {owner}:
            return None
        names = [name for name in self.by_short_name.get(words[2], []) if self.sees(owner, name, words[1])]
        return names[0] if len(names) == 1 and self.bodies[names[0]]["kind"] == "struct" and names[0] != owner else None

    @staticmethod
    def sees(owner, name, qualifier):
        """Whether this struct can be meant where the class uses its short name behind this qualifier: not if it is in another namespace."""
        scope = name.rpartition("::")[0]
        outer = scope.removesuffix(qualifier.rstrip(":")).rstrip(":")
        return scope.endswith(qualifier.rstrip(":")) and (outer == "" or owner == outer or owner.startswith(outer + "::"))

    def count_fields(self, owner):
        count = 0
        for member in self.fields[owner]:
            part = self.part_of(owner, member)
            count += self.count_fields(part) if part else 1
        return count

    def outermost(self, name):
        parts = name.split("::")
        for length in range(1, len(parts) + 1):
            if "::".join(parts[:length]) in self.bodies:
                return "::".join(parts[:length])
        return None

    def code_lines(self, tag):
        """Number of lines of the tag, without lines of comment alone: explaining a class does not make it larger."""
        if tag["path"] not in self.comments:
            sums = [0]
            for line in (self.root / tag["path"]).read_text(errors="replace").splitlines():
                sums.append(sums[-1] + line.lstrip().startswith("//"))
            self.comments[tag["path"]] = sums
        sums = self.comments[tag["path"]]
        return tag["end"] - tag["line"] + 1 - (sums[tag["end"]] - sums[tag["line"] - 1])

    def count_lines(self):
        """{class: lines of its body and of all that is defined outside of it}, nested classes with their outermost one."""
        lines, inside = collections.Counter(), collections.defaultdict(list)
        for name, body in self.bodies.items():
            inside[body["path"]].append((body["line"], body["end"]))
        for tag in self.tags:
            owner = self.outermost(full_name(tag) if tag["kind"] in ("class", "struct") else tag.get("scope", ""))
            if owner is None or tag["kind"] == "member":
                continue
            nested = any(first < tag["line"] and tag["end"] <= last for first, last in inside[tag["path"]])
            if not nested and not tag["name"].startswith("__anon"):
                lines[owner] += self.code_lines(tag)
        return lines


def large_classes(tags, root):
    classes = Classes(tags, root)
    for name, body in classes.bodies.items():
        count = classes.count_fields(name)
        if count > FIELDS:
            yield f"{body['path']} {plain(name)}: fields", count
    for name, lines in classes.count_lines().items():
        if lines > LINES_OF_A_CLASS:
            yield f"{classes.bodies[name]['path']} {plain(name)}: lines of the class", lines


def long_files(root, files):
    for path in files:
        with open(root / path, errors="replace") as text:
            lines = sum(1 for _ in text)
        if lines > LINES_OF_A_FILE and path not in TABLES:
            yield f"{path}: lines of the file", lines


def main():
    root, options = ratchet.arguments()
    if not shutil.which("ctags"):
        print("functions: skipped: there is no ctags here (package universal-ctags)")
        return 0
    code = sources.cpp_files(root)
    tags = [tag for tag in tags_of(root, code) if "end" in tag or tag["kind"] == "member"]
    findings = dict(large_classes(tags, root))
    findings.update(sorted(long_functions(tags, mpi_calls(root)), key=lambda found: found[1]))
    findings.update(long_files(root, code + sources.tracked(root, "*.py", "*.sh", "*.cmake")))
    return ratchet.judge("functions", findings, root / "tools/checks/known_functions.txt", options)


if __name__ == "__main__":
    sys.exit(main())
