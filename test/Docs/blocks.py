"""Every code block of the documents is executed, or says why it is not.

    blocks.py SOURCE_ROOT WORK_FOLDER [PAGE...]

The line that opens a block has its language, and one of:

    ```sh                      a script, run in a folder with a copy of examples/ and what earlier blocks of the page left
    ```mlir                    parsed and verified: a module, or what is the body of a function (see examples.py)
    ```python                  executed by test/Python/test_docs.py in the environment of the package
    ```text output             what the last script of the page printed: each line is part of a printed one, in this order
    ```LANG title="FILE"       written to FILE in that folder; MLIR is parsed as well
    ```LANG no-run: REASON     not executed
    <!-- ir ... -->            on the line before: scripts/walk compares the block with what the compiler prints

Blocks of a page are run in order, the tools are those on PATH, and build/bin is written for them; scripts/ is that of
SOURCE_ROOT.
"""
import pathlib
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass

import examples

EXECUTED = ("sh", "mlir", "python")


def pages(root):
    """The documents besides README.md, whose commands need ptxas."""
    return [root / "CONTRIBUTING.md", *sorted((root / "docs").rglob("*.md"))]


@dataclass
class Block:
    page: pathlib.Path
    line: int
    language: str
    mark: str
    text: str
    before: str = ""
    error: str = ""

    @property
    def title(self):
        found = re.fullmatch(r'title="([\w./-]+)"', self.mark)
        return found[1] if found else ""

    @property
    def reason(self):
        return self.mark.removeprefix("no-run:").strip() if self.mark.startswith("no-run:") else ""

    def wrong_mark(self):
        """What is wrong with the line that opens the block."""
        if self.before.startswith("<!-- ir "):
            return ""
        if self.mark.startswith("no-run:"):
            return "" if self.reason else "expected a reason after no-run:"
        if self.mark and not self.title and (self.language, self.mark) != ("text", "output"):
            return f"expected title=\"FILE\", no-run: REASON or, for text, output, got '{self.mark}'"
        if not self.mark and self.language not in EXECUTED:
            return f"expected {', '.join(EXECUTED)} or a mark, got a block of '{self.language}'"
        return ""


def blocks_of(page):
    lines = page.read_text().splitlines()
    number = 0
    while number < len(lines):
        opened = re.match(r"( *)```(.*)", lines[number])
        number += 1
        if not opened:
            continue
        indent, start = opened[1], number
        while number < len(lines) and lines[number].rstrip() != indent + "```":
            number += 1
        language, _, mark = opened[2].partition(" ")
        text = "\n".join(line.removeprefix(indent) for line in lines[start:number]) + "\n"
        yield Block(page, start + 1, language, mark.strip(), text, lines[start - 2].strip() if start > 1 else "")
        number += 1


def missing_lines(expected, printed):
    """The first line that is not part of a line of `printed` in its turn, or ""."""
    rest = iter(printed.splitlines())
    for line in expected.splitlines():
        wanted = line.strip()
        if wanted not in ("", "...") and not any(wanted in one for one in rest):
            return wanted
    return ""


def run(root, page_blocks, folder):
    """Runs what is to be run of one page, in order, up to the first failure."""
    shutil.copytree(root / "examples", folder / "examples")
    printed = ""
    for block in page_blocks:
        if block.reason or block.before.startswith("<!-- ir "):
            continue
        if block.title:
            (folder / block.title).parent.mkdir(parents=True, exist_ok=True)
            (folder / block.title).write_text(block.text)
        elif block.language == "sh":
            script = block.text.replace("build/bin/", "").replace("scripts/", f"{root}/scripts/")
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=folder, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True)
            printed = done.stdout
            if done.returncode:
                block.error = f"exit status {done.returncode}: {printed[-1500:]}"
                return
        elif block.mark == "output":
            if line := missing_lines(block.text, printed):
                block.error = f"expected the script before to print '{line.strip()}', got:\n{printed[:1500]}"
                return


def main():
    root, work = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    chosen = [pathlib.Path(page).resolve() for page in sys.argv[3:]] or pages(root)
    found = {page: list(blocks_of(page)) for page in chosen}
    everything = [block for page_blocks in found.values() for block in page_blocks]
    for block in everything:
        block.error = block.wrong_mark()
    parsed = []
    for block in everything:
        if block.language == "mlir" and not block.reason and not block.error and not block.before.startswith("<!-- ir "):
            text = re.sub(r"^\s*//.*\n", "", block.text, flags=re.M)
            parsed.append((block, examples.Example("", "", text)))
    examples.settle([example for _, example in parsed], work)
    for block, example in parsed:
        block.error = example.error or ""
    for page, page_blocks in found.items():
        if not any(block.error for block in page_blocks):
            folder = work / page.relative_to(root).with_suffix("")
            folder.mkdir(parents=True)
            run(root, page_blocks, folder)
    bad = [block for block in everything if block.error]
    for block in bad:
        print(f"{block.page.relative_to(root)}:{block.line}: {block.error}")
    print(f"{len(everything)} blocks, {sum(1 for block in everything if block.reason)} with a reason for not being run, "
          f"{len(bad)} that fail")
    return 1 if bad or not everything else 0


if __name__ == "__main__":
    sys.exit(main())
