#!/usr/bin/env python3
"""Every acquire, release, acq_rel, seq_cst and fence needs a comment that names the function it pairs with, written as "f()".

The comment stands on the line, or directly above the statement, or, as "Pairs with f()", above a block that holds it or above the
function (its definition or declaration).
Known findings, as a number for each file: known_memory_orders.txt, which can only shrink. --list names the lines."""
import collections
import re
import shutil
import sys

import functions
import ratchet
import sources

FOLDERS = ("base", "pup", "trace", "lb", "runtime", "launch", "mpi_shim", "tools")
ORDER = re.compile(r"memory_order(_|::)(acquire|release|acq_rel|seq_cst|consume)\b|__ATOMIC_(ACQUIRE|RELEASE|ACQ_REL|SEQ_CST)\b|"
                   r"\batomic_(thread|signal)_fence\(|\b__sync_synchronize\(")
FUNCTION = re.compile(r"\b[A-Za-z_~]\w*\(\)")
PAIRS = re.compile(r"\b[Pp]airs? with\b[^.]*?\b[A-Za-z_~]\w*\(\)", re.DOTALL)


def split_comment(line):
    """(code, comment) of a line. Strings that contain // are not recognized; they are rare enough."""
    code, mark, comment = line.partition("//")
    return (code.strip(), comment.strip()) if mark else (line.strip(), "")


def comment_above(lines, index):
    """The block of comment lines directly above lines[index]."""
    words = []
    while index > 0 and lines[index - 1].lstrip().startswith("//"):
        index -= 1
        words.insert(0, lines[index].lstrip()[2:].strip())
    return " ".join(words)


def first_line_of_statement(lines, index):
    while index > 0:
        code, _ = split_comment(lines[index - 1])
        if not code or code.startswith("#") or code[-1] in ";{}:":
            return index
        index -= 1
    return 0


def comments_around(lines, index, first):
    """The comments above the heads of the blocks that contain lines[index]; for an else block the comment above its if.

    first: the line where the function begins."""
    words, depth = [], len(lines[index]) - len(lines[index].lstrip())
    for at in range(index, first, -1):
        code = lines[at].lstrip()
        indent = len(lines[at]) - len(code)
        is_head = code.startswith(("if ", "for ", "while ", "do ", "switch ", "{")) or code.startswith("} else")
        if code and indent < depth and is_head:
            words += [comment_above(lines, at), split_comment(lines[at])[1]]
            depth = indent + code.startswith("} else")
    return " ".join(words)


def declared_comments(tags, texts):
    """{(scope, name): the comments above all declarations and definitions of that function}."""
    comments = collections.defaultdict(str)
    for tag in tags:
        if tag["kind"] in ("function", "prototype"):
            first = first_line_of_statement(texts[tag["path"]], tag["line"] - 1)
            comments[functions.full_name(tag)] += comment_above(texts[tag["path"]], first) + " "
    return comments


def unnamed_pairs(path, lines, bodies, comments):
    """The numbers of lines with a memory order without a comment that names its partner. bodies: the functions of this file."""
    for index, line in enumerate(lines):
        if not ORDER.search(split_comment(line)[0]):
            continue
        first = first_line_of_statement(lines, index)
        last = index
        while last + 1 < len(lines) and split_comment(lines[last])[0][-1:] not in (";", "{", "}"):
            last += 1
        near = " ".join([comment_above(lines, first)] + [split_comment(each)[1] for each in lines[first:last + 1]])
        around = [tag for tag in bodies if tag["line"] - 1 <= index < tag["end"]]
        heads = comments_around(lines, index, min((tag["line"] - 1 for tag in around), default=index))
        if not FUNCTION.search(near) and not PAIRS.search(heads) and not any(PAIRS.search(comments[functions.full_name(tag)]) for tag in around):
            yield index + 1


def main():
    root, options = ratchet.arguments()
    if not shutil.which("ctags"):
        print("memory orders: skipped: there is no ctags here (package universal-ctags)")
        return 0
    patterns = [f"{folder}/*.{suffix}" for folder in FOLDERS for suffix in ("cpp", "hpp", "h", "c")]
    texts = {path: (root / path).read_text(errors="replace").splitlines() for path in sources.tracked(root, *patterns)}
    tags = [tag for tag in functions.tags_of(root, list(texts)) if "end" in tag]
    comments, bodies = declared_comments(tags, texts), collections.defaultdict(list)
    for tag in tags:
        if tag["kind"] == "function":
            bodies[tag["path"]].append(tag)
    findings = {}
    for path, lines in texts.items():
        numbers = list(unnamed_pairs(path, lines, bodies[path], comments))
        if numbers:
            findings[f"{path}: memory orders without the partner's name"] = len(numbers)
        if "--list" in options:
            for number in numbers:
                print(f"{path}:{number}: {lines[number - 1].strip()}")
    return ratchet.judge("memory orders", findings, root / "tools/checks/known_memory_orders.txt", options)


if __name__ == "__main__":
    sys.exit(main())
