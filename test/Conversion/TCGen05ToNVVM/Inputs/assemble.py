"""Gives PTX to ptxas, where there is one that knows its version: $TC_PTXAS, else that of PATH.

    assemble.py FILE.ptx TARGET
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys


def latest(ptxas):
    """The latest PTX version that the ptxas of a CUDA 13 takes."""
    said = subprocess.run([ptxas, "--version"], capture_output=True, text=True).stdout
    found = re.search(r"release 13\.(\d+)", said)
    return (9, int(found.group(1))) if found else (0, 0)


ptxas = os.environ.get("TC_PTXAS") or shutil.which("ptxas")
text = pathlib.Path(sys.argv[1]).read_text()
version = tuple(map(int, re.search(r"^\.version (\d+)\.(\d+)$", text, re.M).groups()))
if ptxas and version <= latest(ptxas):
    done = subprocess.run([ptxas, f"-arch={sys.argv[2]}", "-c", sys.argv[1], "-o", f"{sys.argv[1]}.o"],
                          capture_output=True, text=True)
    sys.stdout.write(done.stdout + done.stderr)
    sys.exit(done.returncode)
