#!/usr/bin/env python3
"""Random passes on IR of every level: collects what there is to draw from, runs
tc-fuzz-passes.

    passes.py --tool build-asan/bin/tc-fuzz-passes --findings DIR [--runs N] [--seed N]
              [--jobs N] [--max-seconds N] [FILE...]

Inputs are all .mlir files of test/ and examples/, or the files given, split at
"// -----"; what does not verify is left out. Passes are all of the project's
Passes.td, with the options that RUN lines give them, and those of the pipelines.
The pipelines that prepare inputs are the registered ones, with every configuration
of a RUN line. Exit status 1 where something is found.
"""
import argparse
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PIPELINES = ("tc-lower-to-nvvm", "tc-compile")


def pass_names():
    names = set()
    for path in sorted((ROOT / "include/tc").rglob("Passes.td")):
        names |= set(re.findall(r'^def\s+\w+\s*:\s*Pass<\s*"([^"]+)"', path.read_text(), re.MULTILINE))
    if not names:
        sys.exit("error: no pass in any include/tc/**/Passes.td")
    return names


def run_lines(path):
    """The commands of a test, continued lines joined."""
    text = re.sub(r"\\\n\s*(//|#)?\s*(RUN:)?", " ", path.read_text())
    return re.findall(r"RUN:(.*)", text)


def words(line):
    try:
        return shlex.split(line)
    except ValueError:
        return line.split()


def collect(files):
    """Passes with options as RUN lines give them, and the configurations there."""
    names = pass_names()
    passes, configs = {name: None for name in sorted(names)}, {}
    for path in files:
        for line in run_lines(path):
            for word in words(line):
                flag, _, options = word.lstrip("-").partition("=")
                if flag in names and options and "%" not in options:
                    passes[f"{flag}{{{options}}}"] = None
                elif flag == "config" and "%" not in options:
                    configs[options] = None
    return list(passes), list(configs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--findings", required=True, help="folder for what is found")
    parser.add_argument("--runs", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--max-seconds", type=int, default=0)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    tests = sorted(path for folder in ("test", "examples") for path in (ROOT / folder).rglob("*.mlir"))
    passes, configs = collect(tests)
    pipelines = list(PIPELINES) + [f'{name}{{config="{config}"}}' for name in PIPELINES[:1] for config in configs]
    command = [arguments.tool, f"--findings={arguments.findings}", f"--runs={arguments.runs}",
               f"--seed={arguments.seed}", f"--jobs={arguments.jobs}", f"--max-seconds={arguments.max_seconds}"]
    command += [f"--pass={name}" for name in passes] + [f"--pipeline={name}" for name in pipelines]
    sys.stdout.flush()
    return subprocess.run(command + [str(path) for path in arguments.files or tests]).returncode


if __name__ == "__main__":
    sys.exit(main())
