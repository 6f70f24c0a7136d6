#!/usr/bin/env python3
# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What run.py makes of a program's outcome, with a stand-in for tc-emulate: a
finding passes only with its own report and the right numbers."""

import argparse
import contextlib
import io
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import run as peers  # noqa: E402

# Reports what the program's name asks for while races are looked for, and prints the numbers' verdict.
EMULATE = """#!{python}
import json, sys
options = dict(word.split("=", 1) for word in sys.argv[1:] if word.startswith("--") and "=" in word)
report, numbers, same = sys.argv[-1].split(",")
races = options["--races"]
ok = races == "off" or report == "silent"
with open(options["--log"], "a") as log:
    log.write(json.dumps({{"races": races + " +some-assumption", "ok": ok, "same": same == "same", "macs": 1,
                          "seconds": 0.5, "reports": [] if ok else [report]}}) + "\\n")
print("[OK]" if numbers == "right" else "[FAIL]")
print("tc-emulate: 1 kernel; assumed a, b; needed no choice", file=sys.stderr)
sys.exit(not ok)
"""

CASES = [
    # finding, what the program does, passes, in the row
    (None, "silent,right,same", True, "| right, no report | 0.5 s | a, b | none |"),
    (None, "silent,wrong,same", False, "FAILED"),
    (None, "silent,right,differs", False, "FAILED"),
    (None, "no fence,right,same", False, "FAILED"),
    ("no fence", "no fence,right,same", True, "0 of 1 runs without report; finding, numbers right"),
    ("no fence", "no fence,wrong,same", False, "FAILED"),
    ("no fence", "no wait,right,same", False, "FAILED"),
    ("no fence", "no fence,right,differs", False, "FAILED"),
]


def check_list(work):
    """Files of a list are those beside it, or those of the checkout that it is about."""
    work.joinpath("list.tsv").write_text("# comment\nadd\ta/add.cu b.cpp\t-Iinc -DN=3\t-n 5\th100\tpassed\tno wait\n")
    got = []
    for root, expected in ((None, work), (pathlib.Path("/checkout"), pathlib.Path("/checkout"))):
        spec = peers.listed(work / "list.tsv", root)["add"]
        got.append(spec["source"] == [str((expected / file).resolve()) for file in ("a/add.cu", "b.cpp")] and
                   spec["flags"] == [f"-I{expected}/inc", "-DN=3"] and spec["arguments"] == ["-n", "5"] and
                   (spec["device"], spec["right"], spec["finding"]) == ("h100", "passed", "no wait"))
    samples = peers.listed(peers.HERE / "samples.tsv", work)
    got.append(len(samples) >= 30 and all(spec["source"] and spec["right"] for spec in samples.values()))
    return got.count(False)


def main():
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        tool = work / "bin/tc-emulate"
        tool.parent.mkdir()
        tool.write_text(EMULATE.format(python=sys.executable))
        tool.chmod(0o755)
        wrong += check_list(work)
        options = argparse.Namespace(work=work, build=work, schedules="eager", races="default", minimize=True, timeout=60)
        for finding, behaviour, passes, text in CASES:
            spec = peers.case("none.cu", "", [], "features", finding)
            row = io.StringIO()
            with contextlib.redirect_stdout(row), contextlib.redirect_stderr(io.StringIO()):
                got = peers.run("case", spec, [behaviour], options)
            if got != passes or text not in row.getvalue():
                wrong += 1
                print(f"{finding}: {behaviour}: expected {passes} and '{text}', got {got} and {row.getvalue()}")
    count = len(CASES) + 3
    print(f"{count - wrong} of {count} as expected")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
