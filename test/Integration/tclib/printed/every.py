"""Imports the groups, which register their functions."""
from . import forms, fresh, iree, jax, others, plain, rewritten, torch_mlir, tpp_mlir, upstream  # noqa: F401
