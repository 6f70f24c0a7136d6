#!/usr/bin/env python3
# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles kernels.py without a GPU by the Triton that PYTHONPATH names:
NAME-VERSION.ptx and NAME-VERSION.json in the folder of the first argument."""

import json
import os
import pathlib
import sys

os.environ.setdefault("TRITON_DISABLE_LINE_INFO", "1")

import triton
from triton.backends.compiler import GPUTarget

import kernels


def described(dtype, rows, columns):
    return f"tensordesc<{dtype}[{rows}, {columns}]>"


def variant(kernel, signature, constants, warps=4, stages=2, ctas=1):
    return kernel, signature, constants, {"num_warps": warps, "num_stages": stages, "num_ctas": ctas,
                                          "ptx_version": 86}


VARIANTS = {
    "chained": variant(kernels.chained, {"a": "*fp16", "b": "*fp16", "c": "*fp16", "d": "*fp16", "out": "*fp32",
                                         "K": "i32"}, {"BM": 128, "BN": 64, "BK": 64}, stages=3),
    "recurrence": variant(kernels.recurrence, {"k": "*fp16", "v": "*fp16", "w": "*fp16", "offsets": "*i32",
                                               "out": "*fp32"}, {"BT": 64, "D": 128, "BV": 32}),
    "recurrence_two_warps": variant(kernels.recurrence, {"k": "*fp16", "v": "*fp16", "w": "*fp16", "offsets": "*i32",
                                                         "out": "*fp32"}, {"BT": 64, "D": 128, "BV": 32}, warps=2),
    "half_described": variant(kernels.half_described, {"x": "*fp16", "y": "*fp16", "out": "*fp32"},
                              {"SIZE": 256, "BM": 128, "BN": 128, "BK": 64, "SPECIALIZE": True}),
    "half_described_plain": variant(kernels.half_described, {"x": "*fp16", "y": "*fp16", "out": "*fp32"},
                                    {"SIZE": 256, "BM": 128, "BN": 128, "BK": 64, "SPECIALIZE": False}),
    "eight_columns": variant(kernels.eight_columns, {"a": "*fp16", "b_desc": described("fp16", 64, 8), "out": "*fp32"},
                             {"BM": 64, "BN": 8, "BK": 64, "STEPS": 4}),
    "copy_i8": variant(kernels.copy, {"out_desc": described("i8", 32, 128), "in_desc": described("i8", 32, 128),
                                      "N": "i32"}, {"BM": 32, "BN": 128}),
    "copy_i16": variant(kernels.copy, {"out_desc": described("i16", 32, 64), "in_desc": described("i16", 32, 64),
                                       "N": "i32"}, {"BM": 32, "BN": 64}),
    "copy_i32": variant(kernels.copy, {"out_desc": described("i32", 32, 32), "in_desc": described("i32", 32, 32),
                                       "N": "i32"}, {"BM": 32, "BN": 32}),
    "swap_once": variant(kernels.swap_once, {"lock": "*i32", "out": "*i32"}, {"BLOCK": 512}, ctas=4),
}


def main():
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    failed = 0
    for name in sys.argv[2:] or VARIANTS:
        kernel, signature, constants, options = VARIANTS[name]
        signature = dict(signature, **{key: "constexpr" for key in constants})
        attrs = {(list(signature).index(key),): [["tt.divisibility", 16]]
                 for key, kind in signature.items() if kind.startswith("*") or key == "K"}
        stem = out / f"{name}-{triton.__version__}"
        try:
            source = triton.compiler.ASTSource(fn=kernel, signature=signature, constexprs=constants, attrs=attrs)
            compiled = triton.compile(source, target=GPUTarget("cuda", 100, 32), options=options)
        except Exception as error:  # what the compiler says is the result
            print(f"{stem.name}: does not compile: {str(error).strip().splitlines()[-1][:200]}")
            failed += 1
            continue
        stem.with_name(stem.name + ".ptx").write_text(compiled.asm["ptx"])
        metadata = compiled.metadata._asdict()
        meta = {key: metadata[key] for key in ("name", "num_warps", "num_ctas", "shared", "global_scratch_size",
                                               "global_scratch_align", "tensordesc_meta") if key in metadata}
        stem.with_name(stem.name + ".json").write_text(json.dumps(meta, indent=1) + "\n")
        print(f"{stem.name}: {metadata['shared']} bytes of shared memory")
    return failed


if __name__ == "__main__":
    sys.exit(main())
