"""Fails unless every function with parameters that the C headers declare is named on a line of stdin.

    misuse-test | covered.py HEADER...
"""
import re
import sys

named = {line.strip() for line in sys.stdin}
if "done" not in named:
    sys.exit("expected a test that comes to its end")
for header in sys.argv[1:]:
    with open(header) as file:
        text = re.sub(r"//[^\n]*|/\*.*?\*/|^\s*#[^\n]*", "", file.read(), flags=re.S | re.M)
    # Who takes nothing can be given nothing wrong.
    functions = [name for name, parameters in re.findall(r"\b((?:tc|mlir)[A-Z]\w*)\s*\(([^()]*)\)\s*;", text)
                 if parameters.strip() not in ("", "void")]
    print(f"{header.rpartition('/')[2]}: {len(functions)} functions with parameters")
    if missing := [name for name in functions if name not in named]:
        sys.exit(f"{header}: expected a wrong call of each function, got none of: {', '.join(missing)}")
