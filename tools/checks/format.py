#!/usr/bin/env python3
"""Checks that clang-format-16 would change nothing; `--fix` applies its changes. Other versions break lines elsewhere: without version 16
the check is skipped."""
import concurrent.futures
import os
import shutil
import subprocess
import sys

import ratchet
import sources

BATCH = 60


def format_batch(root, files, fix):
    arguments = ["-i"] if fix else ["--dry-run"]
    return subprocess.run(["clang-format-16", *arguments, *files], cwd=root, capture_output=True, text=True).stderr


def main():
    root, options = ratchet.arguments()
    if not shutil.which("clang-format-16"):
        print("format: skipped: there is no clang-format-16 here")
        return 0
    files = sources.cpp_files(root)
    batches = [files[i:i + BATCH] for i in range(0, len(files), BATCH)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [line for text in pool.map(lambda batch: format_batch(root, batch, "--fix" in options), batches)
                 for line in text.splitlines() if "-Wclang-format-violations" in line or "error" in line]
    print("\n".join(found) if found else f"format: ok, {len(files)} files")
    if found:
        print("format: tools/checks/format.py --fix mends them")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
