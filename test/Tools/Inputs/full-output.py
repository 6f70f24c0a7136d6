"""Runs every tool with a standard output that is full or closed: a line on stderr, and exit status 1.

    full-output.py SOURCE LLVM-LIBRARIES [TOOL...]

TOOL... are not in this build.
"""
import os
import re
import subprocess
import sys

source, llvm, left_out = sys.argv[1], sys.argv[2], set(sys.argv[3:])
matmul = f"{source}/examples/matmul_bf16.mlir"
reverse = [f"{source}/examples/reverse.ptx", f"--launch={source}/examples/reverse.json"]
# What each of them prints: a little, and where there is, more than a buffer holds.
COMMANDS = {
    "tc-compile": [[matmul, "-o", "-"], [matmul, "--emit=tmm"], ["--help"], ["--version"]],
    "tc-emulate": [["--help"], ["--version"], ["--libraries"]],
    "tc-explain": [["targets"], ["tables", "mma"], ["layout", "A", "64"], ["--help"], ["--version"]],
    "tc-lsp-server": [["--help"], ["--version"]],
    "tc-opt": [[matmul], [matmul, "--convert-linalg-to-tmm"], ["--help"], ["--version"]],
    "tc-reduce": [["--help"], ["--version"]],
    "tc-run": [reverse, [*reverse, "--schedule=all"], ["--help"], ["--version"]],
    "tc-tblgen": [["-gen-config-doc", f"{source}/include/tc/Schedule/MatmulConfig.td", f"-I{source}/include",
                   f"-I{llvm}/../include"], ["--help"]],
    "tc-tune": [["--list", matmul], ["--help"], ["--version"]],
}
tools = {name for name in os.listdir(f"{source}/tools") if name.startswith("tc-")} - {"tc-shlib"}
if tools != set(COMMANDS):
    sys.exit(f"expected a command for each tool, differing: {sorted(tools ^ set(COMMANDS))}")

failures = 0
for tool in sorted(tools - left_out):
    for arguments in COMMANDS[tool]:
        for place, reason in ((">/dev/full", "No space left on device"), (">&-", "Bad file descriptor")):
            run = subprocess.run(["bash", "-c", f'"$@" {place}', "bash", tool, *arguments], stdin=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE, text=True)
            wanted = f"{tool}: error: cannot write standard output: {reason}\n"
            if run.returncode != 1 or not re.fullmatch(wanted, run.stderr):
                failures += 1
                print(f"{tool} {' '.join(arguments)} {place}: status {run.returncode}, {run.stderr!r}")
        with open(os.devnull, "w") as null:
            run = subprocess.run([tool, *arguments], stdin=subprocess.DEVNULL, stdout=null)
        if run.returncode:
            failures += 1
            print(f"{tool} {' '.join(arguments)}: status {run.returncode}")
sys.exit(failures != 0)
