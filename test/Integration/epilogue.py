#!/usr/bin/env python3
"""Compiles matmuls with epilogues, runs them on the emulator, checks the numbers.

    epilogue.py --build build [--filter TEXT]

Each case is a linalg module written here and its own float64 formula. The module
must become one kernel: what stays outside fails the compilation.
"""
import os
import sys

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

from tclib import cases, gemm  # noqa: E402
from tclib.gemm import Gemm  # noqa: E402

CASES = [
    Gemm((200, 136, 72), (("add", "row", "f32"), "relu"), out_type="bf16"),
    Gemm((200, 136, 72), (("add", "column", "f32"), "gelu_tanh")),
    Gemm((200, 136, 72), (("add", "row", "bf16"), "gelu_tanh"), out_type="bf16"),
    Gemm((200, 136, 72), (("scale", 0.125), "tanh_gap"), out_type="bf16"),
    Gemm((128, 128, 128), (("scale", 0.5), ("add", "full", "f32"))),
    Gemm((200, 136, 72), ("gelu_erf", ), "f16", "f16"),
    Gemm((200, 136, 72), ("gelu_erf", ), "bf16", "f32"),
    Gemm((200, 136, 72), (("add", "row", "f16"), "silu"), "f16", "bf16"),
    Gemm((200, 136, 72), (("add", "full", "bf16"), "clamp"), out_type="bf16"),
    Gemm((136, 200, 136), (("mul", "column", "f32"), ("mul", "row", "f32"), ("add", "full", "f16")), "f16", "f16"),
    Gemm((200, 136, 72), ("sigmoid", ("mul", "full", "bf16"))),
    Gemm((130, 72, 200), ("log", )),
    Gemm((130, 72, 200), ("sqrt", )),
    Gemm((130, 72, 200), ("rsqrt", )),
    Gemm((130, 72, 200), ("relu_select", ("scale", -3.0), ("add", "row", "f32"), ("add", "column", "bf16")), out_type="bf16"),
    Gemm((200, 133, 72), (("add", "row", "f32"), "relu", ("add", "full", "bf16")), out_type="bf16", dynamic=True),
    Gemm((1, 8, 8), (("add", "row", "f32"), ("add", "column", "f32")), dynamic=True),
    Gemm((72, 200, 0), (("add", "row", "f32"), "relu"), dynamic=True),
    Gemm((200, 136, 72), (("add", "row", "f32"), "relu"), bias_first=True),
    Gemm((300, 520, 136), (("add", "row", "f32"), "silu", ("add", "full", "f32")), out_type="bf16"),
]


if __name__ == "__main__":
    sys.exit(cases.main(__doc__, "epilogues", [
        (case.name, lambda tools, seconds, case=case: gemm.check(tools, case, seconds)) for case in CASES
    ], feature="fused epilogues"))
