"""Reads what people have written for the manual pages: sentences.txt, meanings.txt and notes.txt, whose heads explain their rows.

What is missing is an error that names the line or the function: a new function of the table wants a sentence, a new argument a meaning.
"""
import fnmatch

DIRECTIONS = {"in", "out", "inout"}


class Missing(ValueError):
    """Something that a page needs is not written."""


def split_rows(path, fields):
    """Yields (line number, fields) of each row."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line or line.startswith(("#", "[")):
            continue
        row = [field.strip() for field in line.split("|", fields - 1)]
        if len(row) != fields or not all(row):
            raise Missing(f"{path.name}:{number}: a row has {fields} fields, none of them empty: {line}")
        yield number, row


def fits(pattern, name):
    return fnmatch.fnmatchcase(name, pattern) if "*" in pattern else pattern == name


def default_direction(argument):
    return "out" if argument.kind.endswith("*") or argument.kind in ("buf", "baseptr") else "in"


def argument_of(selector):
    """The part of a selector that means an argument's name."""
    return selector.split(":")[0] if selector == "..." or "." not in selector else selector.partition(".")[2]


class Texts:
    def __init__(self, folder, table):
        self.sentences = {name: text for _, (name, text) in split_rows(folder / "sentences.txt", 2)}
        self.meanings = [row for _, row in split_rows(folder / "meanings.txt", 3)]
        self.notes, self.by_argument = {}, {}
        section = None
        for line in (folder / "notes.txt").read_text().splitlines():
            if line.startswith("["):
                section = self.notes.setdefault(line.strip("[]"), [])
            elif line and not line.startswith("#"):
                names, _, text = line.partition("|")
                section.append((names.split(), text.strip()))
        self.check(folder, table)

    def check(self, folder, table):
        known = {function.name for function in table.functions}
        for number, (name, text) in split_rows(folder / "sentences.txt", 2):
            if name not in known:
                raise Missing(f"sentences.txt:{number}: the table has no function MPI_{name}")
            if text.endswith(".") or text[0].isupper():
                raise Missing(f"sentences.txt:{number}: MPI_{name}: begin with a small letter, and end without a full stop")
        for number, (_, direction, _) in split_rows(folder / "meanings.txt", 3):
            if direction not in DIRECTIONS | {"-"}:
                raise Missing(f"meanings.txt:{number}: direction {direction!r}; known: in, out, inout, -")

    def sentence(self, function):
        if function.name not in self.sentences:
            raise Missing(f"sentences.txt: MPI_{function.name} has no sentence: write one, as '{function.name} | does this and that'")
        return self.sentences[function.name]

    def about(self, name):
        """The rows that may speak of an argument of that name."""
        if name not in self.by_argument:
            self.by_argument[name] = [row for row in self.meanings if fits(argument_of(row[0]), name)]
        return self.by_argument[name]

    def row(self, function, argument):
        """The row that says what the argument means."""
        for row in self.about(argument.name):
            of_function, _, kind = row[0].partition(":")
            if kind in ("", argument.kind) and (of_function == argument_of(row[0]) or fits(of_function, f"{function.name}.{argument.name}")):
                return row
        raise Missing(f"meanings.txt: argument {argument.name} of MPI_{function.name} ({argument.kind}) has no meaning: write a row")

    def meaning(self, function, argument):
        """(direction, meaning) of one argument."""
        _, direction, text = self.row(function, argument)
        return default_direction(argument) if direction == "-" else direction, text

    def matching(self, section, name):
        return [text for patterns, text in self.notes[section] if any(fits(pattern, name) for pattern in patterns)]

    def waiting(self, name):
        return self.matching("waiting", name)[0]


def reads(texts, function):
    """The arguments that the call reads."""
    return [argument for argument in function.arguments if texts.meaning(function, argument)[0] != "out"]
