//===- TCGen05CopyOps.td - copies within the tensor cores --*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tcgen05.cp and tcgen05.shift.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TCGEN05_IR_TCGEN05COPYOPS_TD
#define TC_DIALECT_TCGEN05_IR_TCGEN05COPYOPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "tc/Dialect/TCGen05/IR/TCGen05MemOps.td"

//===----------------------------------------------------------------------===//
// CpOp
//===----------------------------------------------------------------------===//

def TCGen05_CpOp : TCGen05_Op<"cp"> {
  let summary = "copy rows from shared to Tensor Memory";
  let description = [{
    One `tcgen05.cp`, asynchronous: row r of the source, from byte b = `k` times the
    bytes of an element on, goes to some lanes of the region, 4 bytes to a cell:

    cell (l, c) of destination = bytes b + 4c to b + 4c + 3 of source row r

    for each lane l in lanes(r):

    | shape                 | rows | bytes | lanes(r)                                       | columns of cells |
    |-----------------------|------|-------|------------------------------------------------|------------------|
    | 128x256b              | 128  | 32    | r                                              | 8                |
    | 4x256b                | 4    | 32    | 32r + `lane`                                   | 8                |
    | 128x128b              | 128  | 16    | r                                              | 4                |
    | 64x128b.warpx2::02_13 | 64   | 16    | r, r + 64                                      | 4                |
    | 64x128b.warpx2::01_23 | 64   | 16    | r mod 32 + 64 (r / 32), the same + 32          | 4                |
    | 32x128b.warpx4        | 32   | 16    | r, r + 32, r + 64, r + 96                      | 4                |

    32x128b.warpx4, the default, brings scale factors to layout scales: a tile of
    512 bytes in the order of cuBLAS and CUTLASS ("128x4 blocks"), in which factor
    (m, j) of 128 rows and 4 blocks is source[m mod 32, 4 (m / 32) + j].

    With `format` each 16 bytes of the source hold 16 narrow elements at their low
    end, and byte i of the 16 bytes that are written is element i: bits 5 to 2 of it
    with b4x16_p64 (4-bit elements, 8 bytes of padding), bits 5 to 0 with b6x16_p32
    (6-bit elements, 4 bytes of padding).

    With `cta_group 2` each CTA of the pair copies from its own shared memory to
    its own Tensor Memory, at the same addresses. One thread executes it (with
    `cta_group 2` one thread of one CTA of the pair). `tcgen05.mma` and
    `tcgen05.mma_block_scale` of the same thread see the cells without a signal.
    The source must not change, and others do not see the destination, before a
    `tcgen05.commit` of the thread has completed.

    * C1: `source` is in workgroup memory and has at least the rows of the shape;
      it is dense with rows of 16 bytes, or has the layout of a K-major tile
      (`#sm90.smem_layout`) that a matrix descriptor expresses, not b128_atom32.
    * C2: `destination` is whole, of 128 lanes, with the columns of cells of the
      shape, and dense: packed where its elements have fewer than 32 bits.
    * C3: the element types agree, or `destination` is raw.
    * C4: with `format` the source is of i8, bytes of which no type says more.
    * C5: `k` is a multiple of the elements of a row of the shape and leaves room
      for one.
    * C6: `lane` is from 0 to 31 for shape 4x256b and 0 for others.

    Example:

    ```mlir
    %low = tcgen05.slice %sfb[0] : !tcgen05.tmem<128x32xf8E8M0FNU, scales, packed> to !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>
    tcgen05.cp %tile, %low : memref<32x16xf8E8M0FNU, #gpu.address_space<workgroup>>, !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>
    tcgen05.cp %a, %columns shape "128x256b" {k = 16 : i64}
        : memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>,
          !tcgen05.tmem<128x16xbf16, D, packed>
    tcgen05.cp %narrow, %four shape "128x128b" format b6x16_p32
        : memref<128x16xi8, #gpu.address_space<workgroup>>, !tcgen05.tmem<128x4xi32, raw>
    ```
  }];
  let arguments = (ins
      Arg<AnyMemRef, "the rows in shared memory", [MemRead]>:$source,
      Arg<TCGen05_TmemType, "where they go",
          [MemWrite<TCGen05_TensorMemory>]>:$destination,
      DefaultValuedAttr<TCGen05_CtaGroup, "1">:$cta_group,
      DefaultValuedAttr<TCGen05_CopyShape,
                        "::tc::tcgen05::CopyShape::R32x128bWarpx4">:$shape,
      OptionalAttr<TCGen05_CopyFormat>:$format,
      DefaultValuedAttr<I64Attr, "0">:$k,
      DefaultValuedAttr<I64Attr, "0">:$lane);
  let assemblyFormat = [{
    $source `,` $destination `` custom<Shape>($shape) (`format` $format^)?
    (`cta_group` $cta_group^)? attr-dict
    `:` type($source) `,` qualified(type($destination))
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Value":$source, "::mlir::Value":$destination,
                   "uint32_t":$ctaGroup), [{
      build($_builder, $_state, source, destination, ctaGroup,
            CopyShape::R32x128bWarpx4, /*format=*/CopyFormatAttr(), /*k=*/0,
            /*lane=*/0);
    }]>
  ];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// ShiftOp
//===----------------------------------------------------------------------===//

def TCGen05_ShiftOp : TCGen05_Op<"shift"> {
  let summary = "shift the rows of one window by a row";
  let description = [{
    One `tcgen05.shift.down`, asynchronous: in the 32 lanes from 32 `window` on, all
    rows but the last become their neighbour, 8 columns of cells:

    region[32 window + i, c] = region[32 window + i + 1, c]

    for i in [0, 31), c in [0, 8). The ISA says that rows move down by one and the
    last is not shifted, not which lane is below which; that a row comes from the
    lane after it is what the emulator assumes (docs/Emulator.md).

    With `cta_group 2` both CTAs of the pair shift. One thread executes it (with
    `cta_group 2` one thread of one CTA of the pair). It runs in order with
    `tcgen05.mma`, and with a following `tcgen05.cp` of shape 4x256b, of the same
    thread; others see the rows after a `tcgen05.commit` of the thread has
    completed. sm_100f, sm_103f and sm_110f do not have it.

    * C1: `region` is whole, of 128 lanes, with 8 columns of cells.
    * C2: `window` is from 0 to 3.

    Example:

    ```mlir
    tcgen05.shift %a window 2 : !tcgen05.tmem<128x16xbf16, D, packed>
    ```
  }];
  let arguments = (ins
      Arg<TCGen05_TmemType, "the columns",
          [MemRead<TCGen05_TensorMemory>,
           MemWrite<TCGen05_TensorMemory>]>:$region,
      I64Attr:$window,
      DefaultValuedAttr<TCGen05_CtaGroup, "1">:$cta_group);
  let assemblyFormat = [{
    $region `window` $window (`cta_group` $cta_group^)? attr-dict
    `:` qualified(type($region))
  }];
  let hasVerifier = 1;
}

#endif // TC_DIALECT_TCGEN05_IR_TCGEN05COPYOPS_TD
