//===- TCGen05MmaOps.td - matrix multiplication ------------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tcgen05.mma and tcgen05.commit.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TCGEN05_IR_TCGEN05MMAOPS_TD
#define TC_DIALECT_TCGEN05_IR_TCGEN05MMAOPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "tc/Dialect/TCGen05/IR/TCGen05MemOps.td"
include "tc/Support/Interfaces.td"

// A tile in shared memory with a layout that a matrix descriptor can express.
def TCGen05_SmemOperand : Type<
    CPred<"::tc::tcgen05::isSmemOperand($_self)">,
    "memref of rank 2 in workgroup memory with the layout of a tile (#sm90.smem_layout)",
    "::mlir::MemRefType">;

//===----------------------------------------------------------------------===//
// MmaOp
//===----------------------------------------------------------------------===//

def TCGen05_MmaOp : TCGen05_Op<"mma"> {
  let summary = "multiply two tiles in shared memory into Tensor Memory";
  let description = [{
    One `tcgen05.mma` instruction, asynchronous:

    D[m, n] = sum over k of A[m, a_k + k] * B[n, b_k + k]  (+ D[m, n] * 2^-scale_d)

    for k in [0, K), where the term in parentheses is there if `accumulate` is
    true. K is the K of the kind: 16 for f16, 8 for tf32, 32 for f8f6f4 and i8.
    M and N of the instruction follow from the type of D. `a` has the (MN, K)
    shape (rows of A in this CTA) x (any K), `b` the shape (columns of B in this
    CTA) x (any K); with `cta_group 2` each CTA of the pair holds half of the
    rows of A and half of the columns of B, at the same offsets in shared
    memory. `a` and `b` are in workgroup memory, `d` is in Tensor Memory.

    One thread executes it (with `cta_group 2` one thread of one CTA of the
    pair). The operands must not change before a `tcgen05.commit` of the same
    thread has completed, and D is seen by `tcgen05.ld` only after that and a
    `tcgen05.fence after`.

    | kind   | A and B                   | D        | K  | layout of an operand     |
    |--------|---------------------------|----------|----|--------------------------|
    | f16    | f16, or bf16              | f32, f16 | 16 | K- or MN-major           |
    | tf32   | f32 (the low 13 bits are ignored) | f32 | 8 | K-major, or MN-major with b128_atom32 |
    | f8f6f4 | f8E4M3FN, f8E5M2, any mix | f32, f16 | 32 | K- or MN-major           |
    | f8f6f4 | f6E2M3FN, f6E3M2FN, f4E2M1FN, any mix with these | f32, f16 | 32 | K-major, bits = 8 |
    | i8     | i8 (signed), ui8, any mix | i32      | 32 | K- or MN-major           |

    * C1: the kind takes no scale factors.
    * C2: M is legal for the kind and cta_group, and D has the data path layout
      of M and cta_group, whole.
    * C3: N is legal for the kind and cta_group.
    * C4: the element types are in the table.
    * C5: A has the rows, B the columns that a CTA of the group holds.
    * C6: `a_k` and `b_k` are multiples of K and leave room for K elements.
    * C7: the layouts can be read by the instruction: the swizzle has a
      descriptor code, MN-major is allowed for the kind, the bits are those of
      the element type.
    * C8: modifiers fit the kind: `scale_d` only for f16 and tf32, 0 to 15;
      `negate_a` and `negate_b` not for i8; `saturate` only for i8.

    Example:

    ```mlir
    tcgen05.mma f16 %d, %a, %b accumulate(%p) {a_k = 16 : i64, b_k = 16 : i64}
        : !tcgen05.tmem<128x256xf32, D>,
          memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>,
          memref<256x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 16384>, #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins
      TCGen05_MmaKind:$kind,
      Arg<TCGen05_TmemType, "the accumulator",
          [MemRead<TCGen05_TensorMemory>,
           MemWrite<TCGen05_TensorMemory>]>:$d,
      Arg<TCGen05_SmemOperand, "matrix A", [MemRead]>:$a,
      Arg<TCGen05_SmemOperand, "matrix B", [MemRead]>:$b,
      I1:$accumulate,
      DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">:$a_k,
      DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">:$b_k,
      DefaultValuedAttr<TCGen05_CtaGroup, "1">:$cta_group,
      DefaultValuedAttr<TCGen05_Collector,
                        "::tc::tcgen05::Collector::Discard">:$collector_a,
      OptionalAttr<I32Attr>:$scale_d,
      UnitAttr:$negate_a, UnitAttr:$negate_b, UnitAttr:$saturate);
  let assemblyFormat = [{
    $kind (`cta_group` $cta_group^)? $d `,` $a `,` $b
    `accumulate` `(` $accumulate `)`
    (`collector` $collector_a^)? attr-dict
    `:` qualified(type($d)) `,` type($a) `,` type($b)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// M of the instruction, of both CTAs with cta_group 2.
    int64_t getM();
    /// N of the instruction.
    int64_t getN();
    /// K of the instruction.
    int64_t getK();
  }];
}

//===----------------------------------------------------------------------===//
// MmaBlockScaleOp
//===----------------------------------------------------------------------===//

def TCGen05_MmaBlockScaleOp : TCGen05_Op<"mma_block_scale"> {
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

    | kind     | A and B                   | D   | K  | scale_block | factors             | layout of an operand |
    |----------|---------------------------|-----|----|-------------|---------------------|----------------------|
    | mxf8f6f4 | f8E4M3FN, f8E5M2, any mix | f32 | 32 | 32          | f8E8M0FNU           | K- or MN-major       |
    | mxf8f6f4 | f6E2M3FN, f6E3M2FN, f4E2M1FN, any mix with these | f32 | 32 | 32 | f8E8M0FNU | K-major, bits = 8 |
    | mxf4     | f4E2M1FN                  | f32 | 64 | 32          | f8E8M0FNU           | K-major, bits = 4    |
    | mxf4nvf4 | f4E2M1FN                  | f32 | 64 | 16          | f8E4M3FN, f8E8M0FNU | K-major, bits = 4    |
    | mxf4nvf4 | f4E2M1FN                  | f32 | 64 | 32          | f8E8M0FNU           | K-major, bits = 4    |

    `scale_block` elements of K share a factor. Of f8E4M3FN the sign is not read.
    With bits = 4 elements are two to a byte, the first one in its low half. With
    bits = 8 16 elements of 4 or 6 bits take 16 bytes, the packed bits first, as TMA
    unpacks them.

    * C1: the kind takes scale factors.
    * C2 to C7: as for `tcgen05.mma`; M is 128 with `cta_group 1` and 256 with
      `cta_group 2` (with M = 128 the factors of B are split over the lanes, for
      which there is no layout).
    * C8: `negate_a` and `negate_b` fit the kind.
    * C9: the factors have layout scales and the element type of the table;
      `scales_a` has those of the rows of A that a CTA holds, `scales_b` those of
      all N columns, rounded up to 128.
    * C10: `a_block` and `b_block` are from 0 to 3, and a multiple of the
      factors of an instruction, K / `scale_block`.
    * C11: the type of the factors and `scale_block` are in a row of the table.

    Example: the third step of a K-block, one accumulator of 128x256.

    ```mlir
    tcgen05.mma_block_scale mxf8f6f4 %d, %a, %b scales %sfa, %sfb accumulate(%true)
        {a_k = 64 : i64, b_k = 64 : i64, a_block = 2 : i64, b_block = 2 : i64}
        : !tcgen05.tmem<128x256xf32, D>,
          memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>,
          memref<256x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 32768>, #gpu.address_space<workgroup>>,
          !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>, !tcgen05.tmem<128x32xf8E8M0FNU, scales, packed>
    ```
  }];
  let arguments = (ins
      TCGen05_MmaKind:$kind,
      Arg<TCGen05_TmemType, "the accumulator",
          [MemRead<TCGen05_TensorMemory>,
           MemWrite<TCGen05_TensorMemory>]>:$d,
      Arg<TCGen05_SmemOperand, "matrix A", [MemRead]>:$a,
      Arg<TCGen05_SmemOperand, "matrix B", [MemRead]>:$b,
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
      UnitAttr:$negate_a, UnitAttr:$negate_b);
  let assemblyFormat = [{
    $kind (`cta_group` $cta_group^)? $d `,` $a `,` $b
    `scales` $scales_a `,` $scales_b `accumulate` `(` $accumulate `)`
    (`collector` $collector_a^)? attr-dict
    `:` qualified(type($d)) `,` type($a) `,` type($b) `,`
    qualified(type($scales_a)) `,` qualified(type($scales_b))
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// CommitOp
//===----------------------------------------------------------------------===//

def TCGen05_CommitOp : TCGen05_Op<"commit"> {
  let summary = "arrive on an mbarrier when earlier instructions are complete";
  let description = [{
    Arrives once on `mbarrier` when all `tcgen05.mma`, `tcgen05.mma_block_scale`,
    `tcgen05.cp` and `tcgen05.shift` that this thread issued before it are complete;
    if there are none, at once. With `multicast` it arrives on the mbarrier at the
    same offset in each CTA of the cluster:

    arrive(mbarrier of CTA c) for all c with bit c of `multicast` set

    where c is the rank in the cluster. It implies `tcgen05.fence before`. One
    thread executes it, the one that issued the instructions, with the cta_group of
    these.

    * C1: a `multicast` that is a constant names a CTA.

    Example:

    ```mlir
    tcgen05.commit %done : !sm90.mbarrier
    tcgen05.commit %empty multicast %mask cta_group 2 : !sm90.mbarrier
    ```
  }];
  let arguments = (ins TC_MBarrierType:$mbarrier, Optional<I16>:$multicast,
                       DefaultValuedAttr<TCGen05_CtaGroup, "1">:$cta_group);
  let assemblyFormat = [{
    $mbarrier (`multicast` $multicast^)? (`cta_group` $cta_group^)? attr-dict
    `:` qualified(type($mbarrier))
  }];
  let hasVerifier = 1;
}

#endif // TC_DIALECT_TCGEN05_IR_TCGEN05MMAOPS_TD
