"""Lines of printed IR have at most 120 columns, and the IR can be read again.

  check-columns.py FILE.mlir --config FIELDS ...

Emits every level of MLIR with each configuration. In nvvm a line may be longer where it is one string, which
MLIR cannot break: inline assembly and its constraints, as long as registers are many.
"""
import argparse
import subprocess
import sys

COLUMNS = 120
LEVELS = ["tmm", "tiles", "roles", "tcgen05", "nvvm"]


def is_one_string(line):
    return line.strip().startswith('"')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--config", action="append", required=True)
    arguments = parser.parse_args()
    failures = 0
    for config in arguments.config:
        for level in LEVELS:
            text = subprocess.run(["tc-compile", arguments.file, f"--config={config}", f"--emit={level}"],
                                  check=True, capture_output=True, text=True).stdout
            for number, line in enumerate(text.splitlines(), 1):
                if len(line) > COLUMNS and not (level == "nvvm" and is_one_string(line)):
                    print(f"{config}: {level}:{number}: {len(line)} columns: {line}")
                    failures += 1
            read = subprocess.run(["tc-opt", "-"], input=text, capture_output=True, text=True)
            if read.returncode != 0:
                print(f"{config}: {level}: cannot be read again: {read.stderr}")
                failures += 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
