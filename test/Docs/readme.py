"""README answers five questions in its first 120 lines, each in a section with a command that is run.

    readme.py README SOURCE_ROOT

A command is run by blocks.py, or by the script that the block's mark names: each program of the block is in that script.
"""
import pathlib
import re
import sys

import blocks

SECTIONS = ["Install", "Compile a matmul", "Run third-party PTX", "Add a pass", "What ran on which hardware"]
LINES = 120


def problems(readme, root):
    lines = readme.read_text().splitlines()
    starts = {line[3:]: number for number, line in enumerate(lines, 1) if line.startswith("## ")}
    found = list(blocks.blocks_of(readme))
    for section in SECTIONS:
        if section not in starts:
            yield f"expected a section '{section}'"
            continue
        end = min([start for start in starts.values() if start > starts[section]], default=len(lines) + 1)
        if end > LINES + 1:
            yield f"section '{section}': expected its end at line {LINES} or before, got line {end - 1}"
        commands = [block for block in found if starts[section] < block.line < end and block.language == "sh"]
        if not commands:
            yield f"section '{section}': expected a command"
        for block in commands:
            script = re.match(r"(scripts/[\w-]+) runs it", block.reason)
            if not block.reason:
                continue
            if not script or not (root / script[1]).exists():
                yield f"section '{section}': expected a command that is run or a mark 'scripts/NAME runs it', got '{block.reason}'"
                continue
            text = (root / script[1]).read_text()
            if script[1] == "scripts/test":
                text += (root / "scripts/tiers.py").read_text()
            for program in re.findall(r"(?:^|&& )(\S+)", block.text, flags=re.M):
                if program not in text:
                    yield f"section '{section}': {script[1]} does not run {program}"


def main():
    found = list(problems(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])))
    print("\n".join(found) or "the sections are there")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
