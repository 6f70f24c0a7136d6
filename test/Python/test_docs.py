"""Every python block of the documents is executed; test/Docs/blocks.py has the rest and the marks of those that are not."""
import shutil
import sys

import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "test" / "Docs"))
import blocks  # noqa: E402

BLOCKS = [block for page in (ROOT / "README.md", *blocks.pages(ROOT)) for block in blocks.blocks_of(page)
          if block.language == "python" and not block.mark]


def test_there_are_blocks():
    assert {"README.md", "Python.md"} <= {block.page.name for block in BLOCKS}


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: f"{block.page.stem}:{block.line}")
def test_block(block, tmp_path, monkeypatch):
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    exec(compile("\n" * (block.line - 1) + block.text, str(block.page), "exec"), {})
