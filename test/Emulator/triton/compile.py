#!/usr/bin/env python3
# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles kernels.py for sm_100 without a GPU: NAME.ptx and NAME.meta.json in
the folder named on the command line. Needs triton from PyPI."""

import json
import os
import pathlib
import sys

os.environ.setdefault("TRITON_DISABLE_LINE_INFO", "1")

import triton
from triton.backends.compiler import GPUTarget

import kernels

TILE = {"BM": 128, "BN": 128, "BK": 64}


def descriptor(dtype, rows, columns):
    return f"tensordesc<{dtype}[{rows}, {columns}]>"


def persistent(dtype, out, k, specialize=False):
    tile = dict(TILE, BK=k, PROGRAMS=2, SPECIALIZE=specialize)
    signature = {"a_desc": descriptor(dtype, tile["BM"], k), "b_desc": descriptor(dtype, tile["BN"], k),
                 "c_desc": descriptor(out, tile["BM"], tile["BN"]), "M": "i32", "N": "i32", "K": "i32"}
    return kernels.persistent, signature, tile, {"num_warps": 4, "num_stages": 3, "ptx_version": 90}


def pointers(dtype, k):
    signature = {"a_ptr": f"*{dtype}", "b_ptr": f"*{dtype}", "c_ptr": "*fp32", "M": "i32", "N": "i32", "K": "i32"}
    return kernels.pointers, signature, dict(TILE, BK=k), {"num_warps": 4, "num_stages": 3, "ptx_version": 90}


def scaled(name, pointer, scale, per_byte, block, k=128):
    signature = {"a_ptr": f"*{pointer}", "b_ptr": f"*{pointer}", "a_scale": f"*{scale}",
                 "b_scale": f"*{scale}", "c_ptr": "*fp32", "M": "i32", "N": "i32", "K": "i32"}
    constants = dict(TILE, BK=k, FORMAT=name, PER_BYTE=per_byte, BLOCK=block)
    return kernels.scaled, signature, constants, {"num_warps": 4, "num_stages": 2, "ptx_version": 90}


VARIANTS = {
    "persistent_f16": persistent("fp16", "fp16", 64),
    "persistent_bf16": persistent("bf16", "bf16", 64),
    "persistent_bf16_specialized": persistent("bf16", "bf16", 64, True),
    "persistent_e4m3": persistent("fp8e4nv", "fp16", 128),
    "persistent_e4m3_specialized": persistent("fp8e4nv", "fp16", 128, True),
    "pointers_bf16": pointers("bf16", 64),
    "pointers_e4m3": pointers("fp8e4nv", 128),
    "pointers_tf32": pointers("fp32", 32),
    "scaled_mxf8": scaled("e4m3", "fp8e4nv", "u8", 1, 32),
    "scaled_mxf4": scaled("e2m1", "u8", "u8", 2, 32),
    "scaled_nvf4": scaled("e2m1", "u8", "fp8e4nv", 2, 16),
}


def main():
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[2:] or VARIANTS:
        kernel, signature, constants, options = VARIANTS[name]
        signature = dict(signature, **{key: "constexpr" for key in constants})
        attrs = {(list(signature).index(key),): [["tt.divisibility", 16]]
                 for key, kind in signature.items()
                 if kind.startswith("*") or key in ("M", "N", "K")}
        source = triton.compiler.ASTSource(fn=kernel, signature=signature, constexprs=constants,
                                           attrs=attrs)
        compiled = triton.compile(source, target=GPUTarget("cuda", 100, 32), options=options)
        (out / f"{name}.ptx").write_text(compiled.asm["ptx"])
        metadata = compiled.metadata._asdict()
        meta = {key: metadata[key] for key in ("name", "num_warps", "shared", "tensordesc_meta",
                                               "triton_version") if key in metadata}
        (out / f"{name}.meta.json").write_text(json.dumps(meta, indent=1) + "\n")
        print(name, compiled.metadata.shared, "bytes of shared memory")


if __name__ == "__main__":
    main()
