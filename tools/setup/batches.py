#!/usr/bin/env python3
"""Runs the cases of GoogleTest programs in batches, one process for many cases, and counts every case.

CTest has each case as a test of its own, which is convenient; but starting a process for each of 10,000 cases takes minutes.
  batches.py plan FOLDER [ctest options]   writes FOLDER/batched, a folder for ctest whose tests are batches and all other tests
  batches.py run PLAN                      runs the batch of that file; what failed is printed, all results go to PLAN.results
  batches.py count FOLDER LOG              prints "passed failed skipped" of the run whose output is LOG, and lets
                                           `ctest --test-dir FOLDER --rerun-failed` run what failed
  batches.py output FOLDER NAME            what a case that failed wrote"""
import json
import os
import pathlib
import re
import select
import subprocess
import sys
import time

SIZE = 32  # cases of a batch
ALONE = {"physics"}  # labels of cases that take long
FILTER = "--gtest_filter="
LINE = re.compile(r"\[ +(RUN|OK|FAILED|SKIPPED) +\] ([^\s,]+)")
TEST_LINE = re.compile(r"^ *\d+/\d+ +Test +#\d+: (.+?) (?:\.+ *)?(Passed|\*\*\*\S+)", re.MULTILINE)


def listed(folder, options=()):
    ctest = subprocess.run(["ctest", "--test-dir", folder, "--show-only=json-v1", *options], capture_output=True, text=True)
    if ctest.returncode:
        sys.exit(f"batches.py: ctest cannot list the tests of {folder}: {ctest.stderr.strip()}")
    return json.loads(ctest.stdout)["tests"]


def properties(test):
    return {each["name"]: each["value"] for each in test.get("properties", [])}


def case_of(test):
    """The GoogleTest case that a test runs, if it is one."""
    found = [word for word in test.get("command", []) if word.startswith(FILTER)]
    return found[0].removeprefix(FILTER) if found else None


def quoted(value):
    values = value if isinstance(value, list) else [value]
    words = {True: "TRUE", False: "FALSE"}
    text = ";".join(words[each] if isinstance(each, bool) else each["name"] + "=" + each["value"] if isinstance(each, dict) else str(each)
                    for each in values)
    return f"[==[{text}]==]"


def entry(name, command, settings):
    lines = ["add_test([==[{}]==] {})".format(name, " ".join(quoted(word) for word in command))]
    return lines + [f"set_tests_properties([==[{name}]==] PROPERTIES {key} {quoted(value)})" for key, value in settings.items()]


def distribute(cases, batches):
    """The cases of each batch. Long cases are neighbours, namely the same test with other parameters: the batches get cases in turn. Each
    round begins with another batch, so that the cases of all tests with the same parameter do not end in one batch."""
    parts = [[] for _ in range(batches)]
    for i, case in enumerate(cases):
        parts[(i + i // batches) % batches].append(case)
    return parts


def plan(folder, options):
    batched = pathlib.Path(folder, "batched").resolve()
    batched.mkdir(exist_ok=True)
    for old in [*batched.glob("*.plan"), *batched.glob("*.results")]:
        old.unlink()
    lines, groups = [], {}
    for test in listed(folder, options):
        settings, case = properties(test), case_of(test)
        if case is None:
            lines += entry(test["name"], test.get("command", ["false"]), settings)
        else:
            groups.setdefault((test["command"][0], json.dumps(settings)), []).append((test["name"], case))
    numbers = {}
    for (program, text), cases in groups.items():
        settings, short = json.loads(text), os.path.basename(program)
        size = 1 if ALONE & set(settings.get("LABELS", [])) else SIZE
        seconds = settings.get("TIMEOUT", 1500)
        for part in distribute(cases, -(-len(cases) // size)):
            number = numbers[short] = numbers.get(short, 0) + 1
            file = batched / f"{short}.{number}.plan"
            file.write_text(json.dumps({"program": program, "timeout": seconds, "cases": part}))
            settings.pop("SKIP_REGULAR_EXPRESSION", None)
            batch_settings = settings | {"TIMEOUT": 4 * seconds, "COST": len(part) / 4}
            lines += entry(f"{short}.{number}", [sys.executable, "-B", os.path.abspath(__file__), "run", str(file)], batch_settings)
    (batched / "CTestTestfile.cmake").write_text("\n".join(lines) + "\n")


def run_cases(program, cases, timeout):
    """Runs cases in one process until it ends; yields (case, state, output) of those that ended with it, then (None, how, output)."""
    process = subprocess.Popen([program, FILTER + ":".join(cases), "--gtest_also_run_disabled_tests"], stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    running, output, rest, deadline = None, [], b"", time.monotonic() + timeout
    while True:
        ready, _, _ = select.select([process.stdout], [], [], max(0, deadline - time.monotonic()))
        piece = os.read(process.stdout.fileno(), 1 << 16) if ready else b""
        if not ready:
            process.kill()
            output.append(f"no end after {timeout:.0f} s")
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines if piece else [rest]:
            text = line.decode(errors="replace")
            output.append(text)
            found = LINE.search(text)
            if found and found[1] == "RUN":
                running, output, deadline = found[2], [text], time.monotonic() + timeout
            elif found and found[2] == running:
                yield running, found[1], "\n".join(output)
                running, output = None, []
        if not piece:
            break
    code = process.wait()
    if running:
        yield running, "FAILED", "\n".join(output + [f"the process ended with {code}"])
    yield None, code, "\n".join(output)


def run_batch(program, cases, timeout, results):
    """Fills results {case: (state, output)}. Where a process ends early, another one goes on with the rest."""
    rest = list(cases)
    while rest:
        before, failed = len(results), False
        for case, state, output in run_cases(program, rest, timeout):
            if case:
                results[case] = ("FAILED" if state == "FAILED" else state, output)
                failed = failed or state == "FAILED"
            elif state != 0 and not failed and len(rest) > 1:
                # Something outside of a case failed, such as a leak report: running each case alone shows whose it is.
                for one in rest:
                    run_batch(program, [one], timeout, results)
                if all(results[one][0] != "FAILED" for one in rest):
                    results[rest[-1]] = ("FAILED", output + f"\nthe process ended with {state}; with each case alone it ends with 0")
            elif state != 0 and not failed:
                results[rest[0]] = ("FAILED", output + f"\nthe process ended with {state}")
        if len(results) == before:
            results.update({case: ("FAILED", "the case did not run") for case in rest if case not in results})
        rest = [case for case in rest if case not in results]


def run(file):
    wanted, results = json.loads(pathlib.Path(file).read_text()), {}
    names = {case: name for name, case in wanted["cases"]}
    run_batch(wanted["program"], list(names), wanted["timeout"], results)
    pathlib.Path(file).with_suffix(".results").write_text(json.dumps({names[case]: result for case, result in results.items()}))
    bad = [case for case, (state, _) in results.items() if state == "FAILED"]
    for case in bad:
        print(results[case][1], flush=True)
    print(f"{len(results) - len(bad)} of {len(results)} cases passed")
    return 1 if bad else 0


def results_of(folder):
    """{test: (state, output)} of all cases of the batches that were planned; a batch that ctest ended has none."""
    results = {}
    for file in pathlib.Path(folder, "batched").glob("*.plan"):
        done = file.with_suffix(".results")
        ended = json.loads(done.read_text()) if done.exists() else {}
        for name, _ in json.loads(file.read_text())["cases"]:
            results[name] = ended.get(name, ("FAILED", "the batch did not come to this case"))
    return results


def count(folder, log):
    batches = {file.stem for file in pathlib.Path(folder, "batched").glob("*.plan")}
    states = {name: state for name, (state, _) in results_of(folder).items()}
    ctest_states = dict(TEST_LINE.findall(pathlib.Path(log).read_text(errors="replace")))
    for name in (test["name"] for test in listed(pathlib.Path(folder, "batched"))):
        if name not in batches:  # a test without a line of ctest's has failed, too
            states[name] = {"Passed": "OK", "***Skipped": "SKIPPED"}.get(ctest_states.get(name), "FAILED")
    failed = [name for name, state in states.items() if state == "FAILED"]
    skipped = sum(state == "SKIPPED" for state in states.values())
    numbers = {test["name"]: number for number, test in enumerate(listed(folder), 1)} if failed else {}
    temporary = pathlib.Path(folder, "Testing/Temporary")
    temporary.mkdir(parents=True, exist_ok=True)
    (temporary / "LastTestsFailed.log").write_text("".join(f"{numbers[name]}:{name}\n" for name in failed))
    print(len(states) - len(failed) - skipped, len(failed), skipped)


def main():
    command, words = sys.argv[1], sys.argv[2:]
    if command == "plan":
        plan(words[0], words[1:])
    elif command == "run":
        return run(words[0])
    elif command == "count":
        count(*words)
    elif command == "output":
        # CTest's name of a case may go on after a space, with the value of its parameter.
        print(next((output for name, (_, output) in results_of(words[0]).items() if name.split()[0] == words[1]), ""))
    return 0


sys.exit(main())
