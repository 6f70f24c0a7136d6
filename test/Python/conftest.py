import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def examples():
    return ROOT / "examples"


@pytest.fixture
def inputs():
    """The kernels of the C tests."""
    return ROOT / "test" / "CAPI" / "Inputs"
