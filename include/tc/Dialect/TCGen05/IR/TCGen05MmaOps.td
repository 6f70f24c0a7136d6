//===- TCGen05MmaOps.td - matrix multiplication ------------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tcgen05.mma and tcgen05.commit. The other forms are in TCGen05MmaScaleOps.td and
// TCGen05MmaWsOps.td.
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

// Matrix A: a tile in shared memory, or a region of Tensor Memory.
def TCGen05_MatrixA : AnyTypeOf<[TCGen05_SmemOperand, TCGen05_TmemType],
    "a tile in shared memory or a region of Tensor Memory">;

class TCGen05_LaneMask<int words> : Type<
    CPred<"::tc::tcgen05::isLaneMask($_self, " # words # ")">,
    "vector<" # words # "xi32>", "::mlir::VectorType">;

// What all forms of tcgen05.mma have.
class TCGen05_Mma<string mnemonic, list<Trait> traits = []>
    : TCGen05_Op<mnemonic, traits> {
  let hasVerifier = 1;
  code multiplicationDeclaration = [{
    /// M of the instruction, of both CTAs with cta_group 2.
    int64_t getM();
    /// N of the instruction.
    int64_t getN();
    /// K of the instruction: twice that of a dense one where A is sparse.
    int64_t getK();
    /// A where it is in shared memory, else null.
    ::mlir::MemRefType getSmemA() {
      return ::llvm::dyn_cast<::mlir::MemRefType>(getA().getType());
    }
    /// A where it is in Tensor Memory, else null.
    TmemType getTmemA() {
      return ::llvm::dyn_cast<TmemType>(getA().getType());
    }
    ::mlir::Type getElementTypeA() {
      ::mlir::MemRefType smem = getSmemA();
      return smem ? smem.getElementType() : getTmemA().getElementType();
    }
    MmaForm getForm();
  }];
  let extraClassDeclaration = multiplicationDeclaration;
}

//===----------------------------------------------------------------------===//
// MmaOp
//===----------------------------------------------------------------------===//

def TCGen05_MmaOp : TCGen05_Mma<"mma", [AttrSizedOperandSegments]> {
  let summary = "multiply two tiles into Tensor Memory";
  let description = [{
    One `tcgen05.mma` instruction, asynchronous:

    D[m, n] = sum over k of A[m, a_k + k] * B[n, b_k + k]  (+ D[m, n] * 2^-scale_d)

    for k in [0, K), where the term in parentheses is there if `accumulate` is
    true. K is the K of the kind: 16 for f16 and ti16, 8 for tf32, 32 for f8f6f4
    and i8, with `wide_k` twice that of f8f6f4 (sm_107a, sm_107f).
    M and N of the instruction follow from the type of D. `a` has the (MN, K)
    shape (rows of A in this CTA) x (any K), `b` the shape (columns of B in this
    CTA) x (any K); with `cta_group 2` each CTA of the pair holds half of the
    rows of A and half of the columns of B, at the same offsets in shared
    memory. `b` is in workgroup memory, `d` in Tensor Memory, `a` in either. In
    Tensor Memory A has the layout of D, each row its own elements along a lane.

    With `sparse` K is twice as large and `a` holds half of the elements of each
    row; `a_k` counts those. `metadata`, in Tensor Memory, says which they are: 2
    of 4, of tf32 1 of 2. Of the columns of the metadata of f16, tf32 and ti16
    the instruction reads column `selector`.

    With `disable` it does not write lane i of D where bit i of the vector is set,
    element 0 bit 0 being lane 0; with `cta_group 2` the second half of the vector
    is for the odd CTA.
    With `ashift` row m of A is row m + 1 of `a`, the last row itself (as
    `tcgen05.shift` moves them).
    `collector` says what becomes of A in the collector buffer of the unit: `fill`
    keeps it, `use` and `lastuse` take it from there, after an instruction that
    kept the same A. They are permissions: `a` must be the same anyway.
    `collector_b` says that of B (sm_107a, sm_107f): `b` must stay as it is until
    the last instruction that takes it from there is complete.

    With `lookup` (sm_107a, sm_107f; `wide_k`, kind f8f6f4) `b` has indices of 3 bits,
    which name numbers of f8E4M3FN:

    B[n, k] = table[n / 8, index[n, k]]

    Each CTA has the rows of the table for its own columns of `b` in its Tensor Memory, that
    of columns 8 g to 8 g + 7 of them in lane g of the region: 8 numbers in two cells, from
    an even column on. 128 indices of a row take the first 48 of 64 bytes. (The ISA shows
    both layouts in figures alone: they are inferred.)

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
    | f8f6f4, `lookup` | A as with 8 bits, B of i3 | f32, f16 | 64 | B: K-major, bits = 4 |
    | i8     | i8 (signed), ui8, any mix | i32      | 32 | K- or MN-major           |
    | ti16   | i16 (sm_107a, sm_107f)    | i32      | 16 | K-major                  |

    An element of kind ti16 is a sign in bit 15, zeros, and a magnitude of 11 bits:
    -2047 to 2047 (s1z4m11).

    * C1: the kind takes no scale factors.
    * C2: M is legal for the kind and cta_group, and D has the data path layout
      of M and cta_group, whole.
    * C3: N is legal for the kind and cta_group.
    * C4: the element types are in the table.
    * C5: A has the rows, B the columns that a CTA of the group holds.
    * C6: `a_k` and `b_k` are multiples of what the instruction reads of a row of
      A and of B, and leave room for it.
    * C7: the layouts can be read by the instruction: the swizzle has a
      descriptor code, MN-major is allowed for the kind, the bits are those of
      the element type; a K-major B of a sparse instruction, which takes 64 bytes
      of a row, is not swizzled by 32.
    * C8: modifiers fit the kind: `scale_d` only for f16 and tf32, 0 to 15;
      `negate_a` and `negate_b` not for i8; `saturate` only for i8.
    * C9: A in Tensor Memory is whole, of the layout of D, and its elements take
      the bits that the kind reads.
    * C10: `metadata` has the layout for the elements of A and the columns that
      the instruction reads; `selector` is 0 to 3, of kinds f16, tf32 and ti16 only.
    * C11: `ashift` needs A in Tensor Memory, 128 rows of A in a CTA, and no
      collector that keeps or reuses A.
    * C12: `disable` has 4 words with `cta_group 1`, 8 with `cta_group 2`.
    * C13: `wide_k` needs kind f8f6f4 with operands of 8 bits, a dense A and 128
      rows of it in a CTA, and no swizzle by 32 bytes of a K-major operand.
    * C14: `collector_b` needs kind f16, tf32, f8f6f4 or ti16.
    * C15: `lookup` needs `wide_k`, kind f8f6f4 (or mxf8f6f4) and `b` of i3 in rows of
      whole 128 indices, with no swizzle by 32 bytes; no `ashift`. The table is
      8 packed columns of f8E4M3FN of the layout of D, whole or the window of a warp.

    Example:

    ```mlir
    tcgen05.mma f16 %d, %a, %b accumulate(%p) {a_k = 16 : i64, b_k = 16 : i64}
        : !tcgen05.tmem<128x256xf32, D>,
          memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>,
          memref<256x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 16384>, #gpu.address_space<workgroup>>
    tcgen05.mma f16 %d, %at, %b accumulate(%p) disable(%lanes : vector<4xi32>) collector lastuse {ashift, scale_d = 3 : i32}
        : !tcgen05.tmem<128x256xf32, D>, !tcgen05.tmem<128x16xbf16, D, packed>,
          memref<256x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 16384>, #gpu.address_space<workgroup>>
    tcgen05.mma f8f6f4 %d, %bytes, %b8 accumulate(%p) collector_b fill {wide_k, a_k = 64 : i64, b_k = 64 : i64}
        : !tcgen05.tmem<128x256xf32, D>,
          memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>,
          memref<256x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 32768>, #gpu.address_space<workgroup>>
    tcgen05.mma f8f6f4 %d, %bytes, %indices lookup(%table : !tcgen05.tmem<128x8xf8E4M3FN, D, packed>) accumulate(%p) {wide_k, a_k = 64 : i64, b_k = 64 : i64}
        : !tcgen05.tmem<128x256xf32, D>,
          memref<128x128xf8E4M3FN, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>,
          memref<256x128xi3, #sm90.smem_layout<k_major, b64, bits = 4, slab = 32768>, #gpu.address_space<workgroup>>
    tcgen05.mma f16 %d, %a, %b sparse(%e : !tcgen05.tmem<128x2xi32, metadata16>) accumulate(%p) {selector = 1 : i32, a_k = 16 : i64, b_k = 32 : i64}
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
      Arg<TCGen05_MatrixA, "matrix A",
          [MemRead, MemRead<TCGen05_TensorMemory>]>:$a,
      Arg<TCGen05_SmemOperand, "matrix B", [MemRead]>:$b,
      Arg<Optional<TCGen05_TmemType>, "which elements a sparse A keeps",
          [MemRead<TCGen05_TensorMemory>]>:$metadata,
      Arg<Optional<TCGen05_TmemType>, "the numbers that a B of indices names",
          [MemRead<TCGen05_TensorMemory>]>:$lookup,
      I1:$accumulate,
      Optional<AnyTypeOf<[TCGen05_LaneMask<4>, TCGen05_LaneMask<8>]>>:$disable,
      DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">:$a_k,
      DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">:$b_k,
      DefaultValuedAttr<TCGen05_CtaGroup, "1">:$cta_group,
      DefaultValuedAttr<TCGen05_Collector,
                        "::tc::tcgen05::Collector::Discard">:$collector_a,
      OptionalAttr<I32Attr>:$scale_d,
      UnitAttr:$negate_a, UnitAttr:$negate_b, UnitAttr:$saturate,
      UnitAttr:$ashift, DefaultValuedAttr<I32Attr, "0">:$selector,
      UnitAttr:$wide_k,
      DefaultValuedAttr<TCGen05_Collector,
                        "::tc::tcgen05::Collector::Discard">:$collector_b);
  let assemblyFormat = [{
    $kind (`cta_group` $cta_group^)? $d `,` $a `,` $b
    (`sparse` `(` $metadata^ `:` qualified(type($metadata)) `)`)?
    (`lookup` `(` $lookup^ `:` qualified(type($lookup)) `)`)?
    `accumulate` `(` $accumulate `)`
    (`disable` `(` $disable^ `:` type($disable) `)`)?
    (`collector` $collector_a^)? (`collector_b` $collector_b^)? attr-dict
    `:` qualified(type($d)) `,` qualified(type($a)) `,` type($b)
  }];
  let builders = [
    // The plain instruction: nothing but the operands of a dense A in shared
    // memory.
    OpBuilder<(ins "MmaKind":$kind, "::mlir::Value":$d, "::mlir::Value":$a,
                   "::mlir::Value":$b, "::mlir::Value":$accumulate,
                   "uint64_t":$aK, "uint64_t":$bK, "uint32_t":$ctaGroup,
                   CArg<"bool", "false">:$wideK,
                   CArg<"Collector", "Collector::Discard">:$collectorB), [{
      build($_builder, $_state, kind, d, a, b, /*metadata=*/::mlir::Value(),
            /*lookup=*/::mlir::Value(), accumulate,
            /*disable=*/::mlir::Value(), aK, bK, ctaGroup,
            Collector::Discard, /*scaleD=*/::mlir::IntegerAttr(),
            /*negate_a=*/false, /*negate_b=*/false, /*saturate=*/false,
            /*ashift=*/false, /*selector=*/0, wideK, collectorB);
    }]>
  ];
}

//===----------------------------------------------------------------------===//
// CommitOp
//===----------------------------------------------------------------------===//

def TCGen05_CommitOp : TCGen05_Op<"commit", [AttrSizedOperandSegments]> {
  let summary = "arrive on an mbarrier when earlier instructions are complete";
  let description = [{
    Arrives once on `mbarrier` when all `tcgen05.mma`, `tcgen05.mma_block_scale`,
    `tcgen05.mma_ws`, `tcgen05.cp` and `tcgen05.shift` that this thread issued
    before it are complete; if there are none, at once. With `multicast` it arrives on the mbarrier at the
    same offset in each CTA of the cluster:

    arrive(mbarrier of CTA c) for all c with bit c of `multicast` set

    where c is the rank in the cluster. It implies `tcgen05.fence before`. One
    thread executes it, the one that issued the instructions, with the cta_group of
    these.

    With `multicast32` the mask has 32 bits (sm_107a, sm_107f).

    With `reads_of_a` it arrives as soon as the instructions have read A in shared
    memory (sm_107a, sm_107f), and says nothing of B, of D and of operands in
    Tensor Memory: A may be overwritten, nothing else.

    * C1: a `multicast` or `multicast32` that is a constant names a CTA.
    * C2: there is one of the two at most.

    Example:

    ```mlir
    tcgen05.commit %done : !sm90.mbarrier
    tcgen05.commit %empty multicast %mask cta_group 2 : !sm90.mbarrier
    tcgen05.commit %free {reads_of_a} : !sm90.mbarrier
    tcgen05.commit %free multicast32 %many {reads_of_a} : !sm90.mbarrier
    ```
  }];
  let arguments = (ins TC_MBarrierType:$mbarrier, Optional<I16>:$multicast,
                       Optional<I32>:$multicast32,
                       DefaultValuedAttr<TCGen05_CtaGroup, "1">:$cta_group,
                       UnitAttr:$reads_of_a);
  let assemblyFormat = [{
    $mbarrier (`multicast` $multicast^)? (`multicast32` $multicast32^)?
    (`cta_group` $cta_group^)? attr-dict
    `:` qualified(type($mbarrier))
  }];
  let hasVerifier = 1;
}

#endif // TC_DIALECT_TCGEN05_IR_TCGEN05MMAOPS_TD
