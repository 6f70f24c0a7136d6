//===- Passes.td - passes of the example -------------------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARE_PASSES_TD
#define SHARE_PASSES_TD

include "mlir/Pass/PassBase.td"

def SpareMultiprocessorsPass : Pass<"spare-multiprocessors"> {
  let summary = "Leave multiprocessors to kernels that run beside the matmuls";
  let description = [{
    Runs on problems, between `tmm-choose-config` and `tmm-tile`: the grid of every
    matmul is limited to the multiprocessors of the chip less `count`, as kernels
    that send data to other GPUs need some of them. Fails where a matmul has no
    configuration yet, and where nothing would be left.

    Before, with `count=16`:

    ```mlir
    tmm.matmul config <..., scheduler = <kind = static, raster = 8, sms = 148, pdl = off>, ...>
    ```

    After:

    ```mlir
    tmm.matmul config <..., scheduler = <kind = static, raster = 8, sms = 132, pdl = off>, ...>
    ```
  }];
  let options = [
    Option<"count", "count", "int64_t", /*default=*/"0",
           "Multiprocessors that matmuls do not use">,
  ];
  let dependentDialects = ["::tc::tmm::TMMDialect"];
}

#endif // SHARE_PASSES_TD
