#!/usr/bin/env python3
"""Lists the lines of code that name tile engine X: every file of its folder, each
with "whole", and elsewhere the numbers of lines."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
own = pathlib.Path("test/lib/TileX")
for folder in ("cmake", "include", "lib", "test/lib", "tools"):
    for file in sorted((root / folder).rglob("*")):
        path = file.relative_to(root)
        if not file.is_file() or file.suffix == ".md":
            continue
        lines = file.read_text(errors="replace").splitlines()
        named = [line for line in lines if re.search(r"tile_?x(?![0-9])", line, re.I)]
        if own in path.parents:
            print(f"{path} | whole")
        elif named:
            print(f"{path} | {len(named)}")
