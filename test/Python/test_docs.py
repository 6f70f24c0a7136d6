"""Every python block of the documents is executed."""
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCKS = [(page.name, number, text) for page in (ROOT / "README.md", ROOT / "docs" / "Python.md")
          for number, text in enumerate(re.findall(r"^```python\n(.*?)^```", page.read_text(), re.M | re.S))]


def test_there_are_blocks():
    assert {page for page, _, _ in BLOCKS} == {"README.md", "Python.md"}


@pytest.mark.parametrize("page, number, text", BLOCKS, ids=lambda value: str(value)[:12])
def test_block(page, number, text):
    exec(compile(text, f"{page}:{number}", "exec"), {})
