#!/usr/bin/env python3
"""A module of IREE whose matmul becomes a kernel of tc: any number of rows, on a GPU or without one.

    pip install iree-base-compiler iree-base-runtime
    examples/iree_matmul.py                                     on a Hopper GPU
    tc-emulate --device=h200 python examples/iree_matmul.py     without a GPU

What is added is one line: the specification of python -m tc.iree, which iree-compile takes.
"""
import pathlib
import tempfile

import iree.compiler
import iree.runtime
import numpy as np
import tc
import tc.iree

MODULE = """
func.func @layer(%x: tensor<?x128xf16>, %w: tensor<128x192xf16>, %bias: tensor<192xf32>) -> tensor<?x192xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %rows = tensor.dim %x, %c0 : tensor<?x128xf16>
  %empty = tensor.empty(%rows) : tensor<?x192xf32>
  %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x192xf32>) -> tensor<?x192xf32>
  %product = linalg.matmul ins(%x, %w : tensor<?x128xf16>, tensor<128x192xf16>)
                           outs(%filled : tensor<?x192xf32>) -> tensor<?x192xf32>
  %wide = linalg.broadcast ins(%bias : tensor<192xf32>) outs(%empty : tensor<?x192xf32>) dimensions = [0]
  %sum = arith.addf %product, %wide : tensor<?x192xf32>
  return %sum : tensor<?x192xf32>
}
"""


def main():
    with tempfile.TemporaryDirectory() as folder:
        kernel, spec = (pathlib.Path(folder) / name for name in ("layer.ptx", "spec.mlir"))
        tc.matmul(None, 192, 128, a="f16", chip="sm_90a", config=tc.iree.FIELDS).save(kernel)
        spec.write_text(tc.iree.make_spec([kernel]))
        # IREE's own kernels are for sm_80, which newer GPUs run.
        binary = iree.compiler.compile_str(MODULE, target_backends=["cuda"], extra_args=[
            "--iree-cuda-target=sm_80", f"--iree-preprocessing-transform-spec-filename={spec}"])
    context = iree.runtime.SystemContext(config=iree.runtime.Config("cuda"))
    context.add_vm_module(iree.runtime.VmModule.copy_buffer(context.instance, binary))
    random = np.random.default_rng(0)
    for rows in (1, 40, 300):
        x, w = random.standard_normal((rows, 128)).astype("f2"), random.standard_normal((128, 192)).astype("f2")
        bias = random.standard_normal(192).astype("f4")
        d = context.modules.module.layer(x, w, bias).to_host()
        error = np.abs(d - (x.astype("f8") @ w.astype("f8") + bias)).max()
        print(f"{rows} rows: largest error {error:.1e}")
        assert error < 1e-4
    print("all as numpy has it")


if __name__ == "__main__":
    main()
