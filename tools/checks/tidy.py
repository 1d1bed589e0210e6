#!/usr/bin/env python3
"""Runs clang-tidy over what changed since the commit in tidy_base, or with --all over every file.

A source is checked again when its text, a header of ours that it includes, or .clang-tidy changed. build/tidy/clean lists what was found
clean, so that an interrupted run continues where it stopped. Without --all a run begins no file after LIMIT seconds, and says how many
files it has not checked."""
import concurrent.futures
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time

import ratchet

LIMIT = 140
TIDY = "clang-tidy-16"  # other versions find other things: without it the check is skipped
GCC_ONLY = re.compile(r" (-mmemset-strategy=\S+|-mtls-dialect=\S+|--param=\S+|-Wno-restrict|-fno-tree-loop-distribute-patterns)")
BINDINGS = "mpi_shim/fortran/"  # they include ISO_Fortran_binding.h, which is gfortran's
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def run(*command):
    return subprocess.run(command, capture_output=True, text=True)


class Tree:
    def __init__(self, root):
        self.root, self.folder, self.texts = root, root / "build/tidy", {}
        self.config = (root / ".clang-tidy").read_text()
        self.commands = {}

    def configure(self):
        """Configures a build folder for its compile commands and generated headers. Returns the error, or an empty text."""
        made = run("cmake", "--preset", "release", "-S", str(self.root), "-B", str(self.folder), "-DWEFT_COMPILE_TOGETHER=OFF")
        made = made if made.returncode else run("cmake", "--build", str(self.folder), "--target", "weft_mpi_table")
        if made.returncode:
            return made.stdout + made.stderr
        commands = json.loads((self.folder / "compile_commands.json").read_text())
        for command in commands:
            command["command"] = GCC_ONLY.sub("", command["command"])
            path = os.path.relpath(command["file"], self.root)
            if path.startswith(BINDINGS):
                command["command"] += " -idirafter " + run("gfortran", "-print-file-name=include").stdout.strip()
            if not path.startswith("build/") and not path.endswith((".f90", ".f")):
                self.commands[path] = command
        (self.folder / "for_clang").mkdir(exist_ok=True)
        (self.folder / "for_clang/compile_commands.json").write_text(json.dumps(commands))
        return ""

    def text(self, path):
        if path not in self.texts:
            file = self.root / path
            self.texts[path] = file.read_text(errors="replace") if file.is_file() else ""
        return self.texts[path]

    def headers(self, path):
        """Our headers that the file includes, directly or not."""
        seen, rest = set(), [path]
        while rest:
            for name in INCLUDE.findall(self.text(rest.pop())):
                if name not in seen and self.text(name):
                    seen.add(name)
                    rest.append(name)
        return seen

    def fingerprint(self, path):
        whole = hashlib.sha256(self.config.encode())
        for name in sorted(self.headers(path) | {path}):
            whole.update(name.encode() + b"\0" + self.text(name).encode())
        return whole.hexdigest()

    def to_check(self, changed):
        """Sources that changed, and for each header that changed its own source or one that includes it."""
        files = [path for path in self.commands if path in changed]
        for header in sorted(path for path in changed if path.endswith((".hpp", ".h"))):
            own = re.sub(r"\.\w+$", ".cpp", header)
            users = [own] if own in self.commands else [path for path in self.commands if header in self.headers(path)][:1]
            files += [path for path in users if path not in files]
        return files


def changed_files(root):
    """Paths that differ from the recorded commit, new ones too; None where git cannot tell (a copy without history)."""
    base = (root / "tools/checks/tidy_base").read_text().split()[0]
    diff = run("git", "-C", str(root), "diff", "--name-only", base)
    return None if diff.returncode else set(diff.stdout.split()) | set(run("git", "-C", str(root), "ls-files", "-o", "--exclude-standard").stdout.split())


def check(tree, path, begin, limit):
    """(path, findings), or (path, None) if the time is up."""
    if time.monotonic() - begin > limit:
        return path, None
    out = run(TIDY, "-p", str(tree.folder / "for_clang"), "--quiet", str(tree.root / path))
    lines = [line for line in out.stdout.splitlines() if re.search(r": (warning|error):", line)]
    return path, lines or ([f"{path}: clang-tidy failed: {out.stderr.strip()[-500:]}"] if out.returncode else [])


def main():
    root, options = ratchet.arguments()
    root = root.resolve()
    if not shutil.which(TIDY):
        print(f"tidy: skipped: there is no {TIDY} here")
        return 0
    changed = changed_files(root)
    if changed is None and "--all" not in options:
        print("tidy: skipped: the commit in tools/checks/tidy_base is not in this copy's history")
        return 0
    tree = Tree(root)
    if trouble := tree.configure():
        print(trouble + "\ntidy: cmake failed")
        return 1
    wanted = list(tree.commands) if "--all" in options else tree.to_check(changed)
    memory = tree.folder / "clean"
    clean = set(memory.read_text().split()) if memory.is_file() else set()
    files = [path for path in wanted if tree.fingerprint(path) not in clean]
    begin, found, missed = time.monotonic(), set(), 0
    limit = float("inf") if "--all" in options else LIMIT
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool, memory.open("a") as remembered:
        for path, lines in pool.map(lambda path: check(tree, path, begin, limit), files):
            if lines is None:
                missed += 1
            elif lines:
                print("\n".join(line for line in lines if line not in found), flush=True)
                found.update(lines)
            else:
                print(tree.fingerprint(path), file=remembered, flush=True)
    note = f", {missed} not looked at in {LIMIT} s: run tools/check.sh --all tidy, or run this again" if missed else ""
    print(f"tidy: {len(found)} findings{note}" if found else f"tidy: ok, {len(wanted)} files of those that changed{note}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
