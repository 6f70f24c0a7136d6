"""README has the sections that a reader looks for, with commands in those that show something.

    readme.py README SOURCE_ROOT

A command is run by blocks.py, or by the script that the block's mark names: each program of the block is in that script.
"""
import pathlib
import re
import sys

import blocks

# Whether a section has a command that is run.
SECTIONS = {"A bug found without a GPU": True, "Compile a matmul": True, "Run third-party PTX": True, "Speed": False,
            "When to use it": False, "What ran on which hardware": False, "Where to go next": False}

def reports(text, root):
    """The numbers of public reports are those of test/Reports."""
    sys.path.insert(0, str(root / "test/Reports"))
    from reports import REPORTS
    clean = sum(all(set(run["expect"].values()) == {"right"} for run in report["runs"]) for report in REPORTS)
    for expected in (f"reruns {len(REPORTS)} public reports", f"{len(REPORTS) - clean} are confirmed"):
        if expected not in " ".join(text.split()):
            yield f"expected '{expected}'"


def problems(readme, root):
    lines = readme.read_text().splitlines()
    starts = {line[3:]: number for number, line in enumerate(lines, 1) if line.startswith("## ")}
    found = list(blocks.blocks_of(readme))
    yield from reports(readme.read_text(), root)
    for section, has_command in SECTIONS.items():
        if section not in starts:
            yield f"expected a section '{section}'"
            continue
        end = min([start for start in starts.values() if start > starts[section]], default=len(lines) + 1)
        commands = [block for block in found if starts[section] < block.line < end and block.language == "sh"]
        if has_command and not commands:
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
