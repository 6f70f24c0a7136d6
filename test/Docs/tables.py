"""The tables in docs/TCGen05, which tc-explain prints from the data of the verifiers.

    tables.py SOURCE_ROOT [--write] [--tool tc-explain]

A table is between "<!-- tc-explain tables FAMILY -->" and "<!-- end -->". Without --write what
differs is listed.
"""
import argparse
import difflib
import pathlib
import re
import subprocess
import sys


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--tool", default="tc-explain")
    options = parser.parse_args()
    pages = tables = differing = 0
    for path in sorted((pathlib.Path(options.root) / "docs/TCGen05").glob("*.md")):
        pages += 1

        def replace(found):
            nonlocal tables
            tables += 1
            table = subprocess.run([options.tool, "tables", found.group(1)], capture_output=True, text=True, check=True).stdout
            return f"<!-- tc-explain tables {found.group(1)} -->\n{table}<!-- end -->"

        text = path.read_text()
        new = re.sub(r"<!-- tc-explain tables (\w+) -->\n.*?<!-- end -->", replace, text, flags=re.S)
        if new == text:
            continue
        differing += 1
        if options.write:
            path.write_text(new)
        else:
            print("".join(difflib.unified_diff(text.splitlines(True), new.splitlines(True), path.name, "tc-explain")))
    print(f"{tables} tables in {pages} pages, {differing} pages {'written' if options.write else 'that differ'}")
    return 0 if options.write or not differing else 1


if __name__ == "__main__":
    sys.exit(main())
