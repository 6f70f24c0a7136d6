"""Imports the groups, which register their functions."""
from . import fresh, iree, jax, others, plain, rewritten, torch_mlir, tpp_mlir, upstream  # noqa: F401
