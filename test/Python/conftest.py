import os
import pathlib

import pytest

# Before jax starts: a mesh needs devices.
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"
os.environ.setdefault("JAX_PLATFORMS", "cpu")

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def examples():
    return ROOT / "examples"


@pytest.fixture
def inputs():
    """The kernels of the C tests."""
    return ROOT / "test" / "CAPI" / "Inputs"
