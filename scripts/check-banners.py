#!/usr/bin/env python3
"""Fails where the banner of a file is not one line of 80 columns that names it;
--fix fills it up with dashes, also where clang-format has broken it.

    //===- Tile.cpp - a matmul becomes a kernel and its launch ------*- C++ -*-===//
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
COLUMNS = 80
# Its text, and the mode of editors, over one line or two.
BANNER = re.compile(r"//===-+ (?P<text>(?P<name>\S+) - [^\n]*?)[ -]*"
                    r"(?:\*- (?P<mode>[^\s-]+)\s*)?(?://)?[-* ]*===//\n")


def check(path: str, text: str) -> tuple:
    """What is wrong with the banner of `path`, and `text` with the right one."""
    match = BANNER.match(text)
    if not match or match["name"] != pathlib.PurePath(path).name:
        return "expected a banner that names the file", text
    start, end = f"//===- {match['text']} ", (f"*- {match['mode']} -*-" if match["mode"] else "-") + "===//"
    dashes = COLUMNS - len(start) - len(end)
    if dashes < 1:
        return f"expected a banner of {COLUMNS} columns, got {COLUMNS + 1 - dashes}: shorten its description", text
    right = start + "-" * dashes + end + "\n"
    return None if text.startswith(right) else f"expected {right.rstrip()}", right + text[match.end():]


def main() -> int:
    files = subprocess.run(["git", "ls-files", "--", "*.cpp", "*.h", "*.td", "*.cu", "*.cuh"], cwd=ROOT, check=True,
                           capture_output=True, text=True).stdout.split()
    failed = False
    for path in files:
        text = (ROOT / path).read_text()
        # Other first lines are those of generated files and of test data.
        if not text.startswith("//==="):
            continue
        error, fixed = check(path, text)
        if "--fix" in sys.argv[1:] and fixed != text:
            (ROOT / path).write_text(fixed)
            error = None
        if error:
            print(f"check-banners: {path}: {error}", file=sys.stderr)
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
