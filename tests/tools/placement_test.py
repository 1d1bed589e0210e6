#!/usr/bin/env python3
"""placement_test.py WEFTRUN TABLE SCRATCH [--record]: tests that weftrun places ranks as in the table. Starts no job: --do-not-launch.

--record runs the other launchers, if they are installed, and prints the rows in which they differ from the table."""
import os
import re
import shutil
import subprocess
import sys

FILES = {"hf22": "a slots=2\nb slots=2\n", "hf13": "a slots=1\nb slots=3\n", "hf44": "a slots=4\nb slots=4\n",
         "hf222": "a slots=2\nb slots=2\nc slots=2\n", "hfdup": "a\na\nb\n", "mf22": "a:2\nb:2\n", "mf13": "a:1\nb:3\n",
         "cf": "# two programs\n-hosts a:2,b:2 -n 2 true\n-n 1 true x\n"}
PROGRAM = ["true"]


def rows(path):
    with open(path) as table:
        for line in table:
            if line.strip() and not line.startswith("#"):
                yield [field.strip() for field in line.split("|")]


def text_of(places):
    return " ".join(f"{host}:{','.join(map(str, sorted(ranks)))}" for host, ranks in places.items() if ranks)


def numbers(text):
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def run(command, environment):
    done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=60)
    return done.returncode, done.stdout, done.stderr


def weft(weftrun, options, environment):
    program = [] if "-configfile" in options else PROGRAM
    code, out, err = run([weftrun, "-q", "--do-not-launch", *options, *program], environment)
    if code != 0:
        return f"error {code}", err
    places = {}
    for line in out.splitlines()[1:]:
        host, _, _, _, ranks = line.split()
        places.setdefault(host, []).extend([] if ranks == "-" else numbers(ranks))
    return text_of(places), err


def openmpi(options, environment):
    environment = {**environment, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    bind = [] if "--bind-to" in options else ["--bind-to", "none"]
    command = ["mpirun.openmpi", "--do-not-launch", "--display-map", *bind, *options, *PROGRAM]
    _, out, _ = run(["timeout", "8", *command], environment)
    places, host = {}, None
    for line in out.splitlines():
        if found := re.search(r"Data for node: (\S+)", line):
            host = found[1]
            places[host] = []
        if found := re.search(r"Process rank: (\d+)", line):
            places[host].append(int(found[1]))
    return text_of(places) or "error"


def hydra(options, environment):
    program = [] if "-configfile" in options else PROGRAM
    command = ["mpiexec.hydra", "-launcher", "fork", "-verbose", *options, *program]
    words = ["sh", "-c", "echo R $PMI_RANK $PPID"]
    command = [word for item in command for word in (words if item == "true" else [item])]
    if not program:
        with open("cf.recorded", "w") as file:  # neither launcher knows quotes in such a file
            with open("rank.sh", "w") as script:
                script.write("echo R $PMI_RANK $PPID\n")
            file.write(FILES["cf"].replace("true", "sh ./rank.sh"))
        command = ["cf.recorded" if word == "cf" else word for word in command]
    _, out, err = run(["timeout", "8", *command], environment)
    hosts = re.findall(r"^\s*\[\d+\] proxy: (\S+) \(\d+ cores\)", out + err, re.M)
    ranks = {}
    for rank, proxy in re.findall(r"^R (\d+) (\d+)$", out, re.M):
        ranks.setdefault(int(proxy), []).append(int(rank))
    return text_of(dict(zip(hosts, sorted(ranks.values(), key=min)))) or "error"


def main():
    weftrun, table, scratch = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
    shutil.rmtree(scratch, ignore_errors=True)
    os.makedirs(scratch)
    os.chdir(scratch)
    for name, text in FILES.items():
        with open(name, "w") as file:
            file.write(text)
    batch = ("WEFT_", "SLURM", "PBS_", "LSB_", "PE_HOSTFILE")  # of whoever runs this test
    environment = {name: value for name, value in os.environ.items() if not name.startswith(batch)}
    count = failures = 0
    for launcher, options, theirs, ours, why in rows(table):
        count += 1
        words = options.split()
        if "--record" in sys.argv:
            found = (openmpi if launcher == "openmpi" else hydra)(words, environment)
            if found != theirs:
                print(f"{launcher} {options}: {found}, not {theirs}")
            continue
        found, err = weft(weftrun, words, environment)
        expected = ours or theirs
        if expected.startswith("error: "):
            fits = found == "error 1" and expected.removeprefix("error: ") in err and err.count("\n") == 1
        else:
            fits = found == expected
        if not fits or (ours and ours != theirs and theirs != "error" and not why):
            print(f"FAILED: weftrun {options}: {found}, not {expected}\n{err}")
            failures += 1
    if count < 60:
        print(f"FAILED: the table has {count} rows")
        failures += 1
    print(f"placement: {count} command lines, {failures} failed")
    sys.exit(1 if failures else 0)


main()
