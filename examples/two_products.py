"""Compiles, explains and emulates a matmul of bf16 and one of fp8, and compares both with float64 (needs ml_dtypes)."""
import ml_dtypes
import numpy as np
import tc

for name, dtype in (("bf16", ml_dtypes.bfloat16), ("e4m3", ml_dtypes.float8_e4m3fn)):
    kernel = tc.matmul(128, 64, 256, a=name, transpose_b=True)
    a, b = np.random.randn(128, 256).astype(dtype), np.random.randn(64, 256).astype(dtype)
    d = kernel.emulate(a, b, check=True)
    print(kernel.explain(), name, "largest difference:", abs(d - a.astype("f8") @ b.astype("f8").T).max(), sep="\n")
