//===- TCGen05MmaScaleOps.td - block-scaled mma ------------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tcgen05.mma with .block_scale.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TCGEN05_IR_TCGEN05MMASCALEOPS_TD
#define TC_DIALECT_TCGEN05_IR_TCGEN05MMASCALEOPS_TD

include "tc/Dialect/TCGen05/IR/TCGen05MmaOps.td"

//===----------------------------------------------------------------------===//
// MmaBlockScaleOp
//===----------------------------------------------------------------------===//

def TCGen05_MmaBlockScaleOp : TCGen05_Mma<"mma_block_scale", [AttrSizedOperandSegments]> {
  let summary = "multiply two tiles with a scale factor for each block";
  let description = [{
    One `tcgen05.mma` with `.block_scale`, asynchronous:

    D[m, n] = sum over k of (A[m, a_k + k] * SFA[m]) * (B[n, b_k + k] * SFB[n])  (+ D[m, n])

    for k in [0, 32), where the term in parentheses is there if `accumulate` is
    true. The factors are those of one block of 32 along K: SFA[m] is factor
    (m, `a_block`) of `scales_a`, SFB[n] factor (n, `b_block`) of `scales_b`, both
    in Tensor Memory in layout scales; f8E8M0FNU e means 2^(e - 127), 255 NaN.

    Operands, shapes and execution are those of `tcgen05.mma`. With `cta_group 2`
    each CTA holds the factors of its own rows of A and of all columns of B, at
    the same columns of Tensor Memory. `scales_a` and `scales_b` are written by
    `tcgen05.cp`, which needs no signal before this operation in the same thread;
    they must not be overwritten before a `tcgen05.commit` after it has completed.

    On sm_107a and sm_107f the factors of A may have a lane for each of the 128 rows of a
    CTA instead of copies: `scales_a` then has the layout of D, packed, with as many
    columns as an instruction has factors, rounded up to 4. (The ISA shows that layout in
    a figure alone: it is inferred.)

    A in Tensor Memory, `sparse`, `lookup` and `collector` are as for `tcgen05.mma`; of kinds
    mxf4 and mxf4nvf4 a sparse A keeps 4 of 8 elements, in pairs. With `sparse` a
    factor is for twice as many elements of K as `scale_block` says.
    With `scale_vec` the size of a block is written as PTX before 8.8 has it
    (`.scale_vec::1X`, `2X`, `4X`), which the targets sm_100f, sm_103f and sm_110f
    do not have; without it as `.block16` or `.block32`.

    | kind     | A and B                   | D   | K  | scale_block | factors             | layout of an operand |
    |----------|---------------------------|-----|----|-------------|---------------------|----------------------|
    | mxf8f6f4 | f8E4M3FN, f8E5M2, any mix | f32 | 32 | 32          | f8E8M0FNU           | K- or MN-major       |
    | mxf8f6f4 | f6E2M3FN, f6E3M2FN, f4E2M1FN, any mix with these | f32 | 32 | 32 | f8E8M0FNU | K-major, bits = 8 |
    | mxf4     | f4E2M1FN                  | f32 | 64 | 32          | f8E8M0FNU           | K-major, bits = 4    |
    | mxf4nvf4 | f4E2M1FN                  | f32 | 64 | 16          | f8E4M3FN, f8E8M0FNU | K-major, bits = 4    |
    | mxf4nvf4 | f4E2M1FN                  | f32 | 64 | 32          | f8E8M0FNU           | K-major, bits = 4    |
    | mxf4nvf4 | f4E2M1FN                  | f32 | 64 | 16, 32      | ui8 (sm_107a, sm_107f) | K-major, bits = 4 |
    | mxf4nvf4 | f4E2M1FN                  | f32 | 64 | 32          | f8E4M3FN (the same) | K-major, bits = 4    |

    `scale_block` elements of K share a factor. Of f8E4M3FN the sign is not read.
    A ui8 has the bits of ue5m3, for which MLIR has no type.
    With bits = 4 elements are two to a byte, the first one in its low half. With
    bits = 8 16 elements of 4 or 6 bits take 16 bytes, the packed bits first, as TMA
    unpacks them. With `wide_k` kind mxf8f6f4 has no such gaps: elements of 4 bits have
    bits = 4, those of 6 bits bits = 6, where 64 take the first 48 of 64 bytes: not what
    TMA unpacks. In Tensor Memory an A of 6 bits is packed then, one of 4 bits has no known
    layout.

    * C1: the kind takes scale factors.
    * C2: as for `tcgen05.mma`; M is 128 with `cta_group 1`, 128 or 256 with
      `cta_group 2`, where A is sparse 256.
    * C3: as for `tcgen05.mma`.
    * C4: as for `tcgen05.mma`.
    * C5: as for `tcgen05.mma`.
    * C6: as for `tcgen05.mma`.
    * C7: as for `tcgen05.mma`.
    * C8: `metadata` has the layout for the elements of A, and their 2 columns.
    * C9: the factors have the element type of the table; `scales_a` has layout
      scales and those of the rows of A that a CTA holds, or 128 lanes, `scales_b` those
      of all N columns, rounded up to 128, and where D has layout B, layout scales_split.
    * C10: `a_block` and `b_block` are from 0 to 3, and a multiple of the
      factors of an instruction, K / `scale_block`.
    * C11: the type of the factors and `scale_block` are in a row of the table.
    * C12: A in Tensor Memory: as C9 of `tcgen05.mma`.
    * C13: `wide_k`: as C13 of `tcgen05.mma`, for all kinds, but rows of 32 bytes (4 bits of
      kind mxf8f6f4) may be swizzled by 32; no `scale_vec`; with
      `scale_block` 16, whose factors are in two cells of a lane, N is 128 or 256.
    * C14: `lookup`: as C15 of `tcgen05.mma`, of kind mxf8f6f4.

    Example: the third step of a K-block, one accumulator of 128x256.

    ```mlir
    tcgen05.mma_block_scale mxf8f6f4 %d, %a, %b scales %sfa, %sfb accumulate(%true)
        {a_k = 64 : i64, b_k = 64 : i64, a_block = 2 : i64, b_block = 2 : i64}
        : !tcgen05.tmem<128x256xf32, D>,
          memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>,
          memref<256x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 32768>, #gpu.address_space<workgroup>>,
          !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, !tcgen05.tmem<128x32xf8E8M0FNU, scales, packed>
    tcgen05.mma_block_scale mxf4 %d, %at, %nibbles sparse(%e : !tcgen05.tmem<128x2xi32, metadata4>) scales %sfa, %sfb accumulate(%true)
        {scale_vec}
        : !tcgen05.tmem<128x256xf32, D>, !tcgen05.tmem<128x64xf4E2M1FN, D, packed>,
          memref<256x128xf4E2M1FN, #sm90.smem_layout<k_major, b64, bits = 4, slab = 32768>, #gpu.address_space<workgroup>>,
          !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, !tcgen05.tmem<128x32xf8E8M0FNU, scales, packed>
    ```
  }];
  let arguments = (ins
      TCGen05_MmaKind:$kind,
      Arg<TCGen05_TmemType, "the accumulator",
          [MemRead<TCGen05_TensorMemory>,
           MemWrite<TCGen05_TensorMemory>]>:$d,
      Arg<TCGen05_MatrixA, "matrix A",
          [MemRead, MemRead<TCGen05_TensorMemory>]>:$a,
      Arg<TCGen05_SmemOperand, "matrix B", [MemRead]>:$b,
      Arg<Optional<TCGen05_TmemType>, "which elements a sparse A keeps",
          [MemRead<TCGen05_TensorMemory>]>:$metadata,
      Arg<Optional<TCGen05_TmemType>, "the numbers that a B of indices names",
          [MemRead<TCGen05_TensorMemory>]>:$lookup,
      Arg<TCGen05_TmemType, "the factors of A",
          [MemRead<TCGen05_TensorMemory>]>:$scales_a,
      Arg<TCGen05_TmemType, "the factors of B",
          [MemRead<TCGen05_TensorMemory>]>:$scales_b,
      I1:$accumulate,
      DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">:$a_k,
      DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">:$b_k,
      DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">:$a_block,
      DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">:$b_block,
      DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>, "32">:$scale_block,
      DefaultValuedAttr<TCGen05_CtaGroup, "1">:$cta_group,
      DefaultValuedAttr<TCGen05_Collector,
                        "::tc::tcgen05::Collector::Discard">:$collector_a,
      UnitAttr:$negate_a, UnitAttr:$negate_b, UnitAttr:$scale_vec,
      UnitAttr:$wide_k,
      DefaultValuedAttr<TCGen05_Collector,
                        "::tc::tcgen05::Collector::Discard">:$collector_b);
  let assemblyFormat = [{
    $kind (`cta_group` $cta_group^)? $d `,` $a `,` $b
    (`sparse` `(` $metadata^ `:` qualified(type($metadata)) `)`)?
    (`lookup` `(` $lookup^ `:` qualified(type($lookup)) `)`)?
    `scales` $scales_a `,` $scales_b `accumulate` `(` $accumulate `)`
    (`collector` $collector_a^)? (`collector_b` $collector_b^)? attr-dict
    `:` qualified(type($d)) `,` qualified(type($a)) `,` type($b) `,`
    qualified(type($scales_a)) `,` qualified(type($scales_b))
  }];
  let extraClassDeclaration = multiplicationDeclaration # [{
    /// Whether the factors of A have a lane for each row, not copies.
    bool hasLaneScales();
  }];
  let builders = [
    // A dense A in shared memory.
    OpBuilder<(ins "MmaKind":$kind, "::mlir::Value":$d, "::mlir::Value":$a,
                   "::mlir::Value":$b, "::mlir::Value":$scalesA,
                   "::mlir::Value":$scalesB, "::mlir::Value":$accumulate,
                   "uint64_t":$aK, "uint64_t":$bK, "uint64_t":$aBlock,
                   "uint64_t":$bBlock, "uint64_t":$scaleBlock,
                   "uint32_t":$ctaGroup, CArg<"bool", "false">:$wideK,
                   CArg<"Collector", "Collector::Discard">:$collectorB), [{
      build($_builder, $_state, kind, d, a, b, /*metadata=*/::mlir::Value(),
            /*lookup=*/::mlir::Value(), scalesA, scalesB, accumulate, aK, bK,
            aBlock, bBlock, scaleBlock, ctaGroup, Collector::Discard, /*negate_a=*/false,
            /*negate_b=*/false, /*scale_vec=*/false, wideK, collectorB);
    }]>
  ];
}

#endif // TC_DIALECT_TCGEN05_IR_TCGEN05MMASCALEOPS_TD
