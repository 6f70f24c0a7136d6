#!/usr/bin/env python3
"""docs/Tools.md names every option that the tools have. (test/Docs/blocks.py runs its commands.)

    documented.py --build build

Options are read off each tool's --help, those of passes and pipelines off tc-opt's.
"""
import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "Tools.md"
# What LLVM's command line gives every tool.
COMMON = {"--help", "--help-list", "--help-hidden", "--help-list-hidden", "--version"}


def sections(text):
    """The page's text by the name of the tool that it is about."""
    parts = re.split(r"^## (\S+)\n", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


def help_of(build, tool):
    return subprocess.run([build / "bin" / tool, "--help"], capture_output=True, text=True, check=True).stdout


def options_of(text):
    """Names at the start of the lines of a help text."""
    found = set()
    for line in text.splitlines():
        match = re.match(r"\s+(--?[a-z][a-z0-9-]*(?:[ =\[][^,]*)?(?:, --[a-z0-9-]+)*)", line)
        if match:
            found |= set(re.findall(r"(?<![\w-])--?[a-z][a-z0-9-]*", match[1].split("  ")[0]))
    return found


def pass_options(text):
    """The options of the project's passes and pipelines, as (name, option): lines below
    the pass, farther in."""
    ours = ("tc-", "tmm-", "tcgen05-", "sm90-", "convert-linalg-to-tmm", "convert-tmm-", "convert-tcgen05-", "convert-sm90-",
            "convert-sm80-")
    name, depth, found = None, 0, set()
    for line in text.splitlines():
        match = re.match(r"( +)--([a-z0-9-]+)", line)
        if not match:
            continue
        if name and len(match[1]) > depth:
            found.add((name, match[2]))
        else:
            name, depth = match[2] if match[2].startswith(ours) else None, len(match[1])
    return found


def check_options(build, page):
    missing = []
    for tool in ("tc-compile", "tc-run", "tc-emulate", "tc-tune"):
        options = options_of(help_of(build, tool)) - COMMON
        if not options:
            missing.append(f"{tool}: no options in its --help")
        named = set(re.findall(r"--?[a-z][a-z0-9-]*", page.get(tool, "")))
        missing += [f"{tool}: {option} is not in {PAGE.name}" for option in sorted(options - named)]
    rows = [line for line in page.get("tc-opt", "").splitlines() if line.startswith("| `")]
    options = pass_options(help_of(build, "tc-opt"))
    if not options:
        missing.append("tc-opt: no pass with options in its --help")
    for name, option in sorted(options):
        row = "".join(row for row in rows if f"`{name}`" in row.split("|")[1])
        if "the same" in row:
            row += "".join(other for other in rows if "`tc-lower-to-nvvm`" in other)
        if f"`{option}`" not in row:
            missing.append(f"tc-opt: option {option} of {name} is not in {PAGE.name}")
    return missing


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    build = parser.parse_args().build.resolve()
    text = PAGE.read_text()
    failures = check_options(build, sections(text))
    for failure in failures:
        print(f"FAILED: {failure}")
    print(f"{PAGE.name}, {len(failures)} options missing")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
