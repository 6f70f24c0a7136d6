#!/usr/bin/env python3
"""Fails where the documents grow past what a reader takes in: README of more than 130 lines, more than 42,000 words in
README and docs, a line of more than 120 columns outside of tables and code. --self-test checks that each is found."""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
README_LINES, WORDS, COLUMNS = 130, 42_000, 120


def long_lines(text):
    """Numbers of lines that are too long, of text: neither in a block of code nor in a table, and not one link or picture."""
    is_code = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            is_code = not is_code
        elif not is_code and len(line) > COLUMNS and not line.startswith("    ") and not line.lstrip().startswith(("|", "<", "![", "[")):
            yield number


def errors_of(texts):
    """`texts`: path to content, README.md among them."""
    lines = len(texts["README.md"].splitlines())
    if lines > README_LINES:
        yield f"README.md: expected at most {README_LINES} lines, got {lines}"
    words = sum(len(text.split()) for text in texts.values())
    if words > WORDS:
        yield f"README and docs: expected at most {WORDS} words, got {words}"
    for path, text in texts.items():
        for number in long_lines(text):
            yield f"{path}:{number}: expected at most {COLUMNS} columns outside of tables and code"


def main():
    if "--self-test" in sys.argv:
        long = "x" * 121
        cases = [("a\n", 0), ("a\n" * 131, 1), ("a " * 42_001, 2), (long, 1), (f"```\n{long}\n```\n{long}", 1), (f"| {long} |", 0)]
        for text, expected in cases:
            found = list(errors_of({"README.md": text}))
            if len(found) != expected:
                sys.exit(f"self-test: expected {expected} errors, got {found}")
        return
    paths = subprocess.run(["git", "-C", ROOT, "ls-files", "docs/*.md", "README.md"], capture_output=True, text=True, check=True)
    texts = {path: (ROOT / path).read_text() for path in paths.stdout.split()}
    found = list(errors_of(texts))
    print("\n".join(found) or f"{len(texts)} documents, {sum(len(text.split()) for text in texts.values())} words")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
