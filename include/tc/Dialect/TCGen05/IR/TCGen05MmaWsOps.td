//===- TCGen05MmaWsOps.td - weight-stationary mma ----------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tcgen05.mma.ws and its zero-column mask.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TCGEN05_IR_TCGEN05MMAWSOPS_TD
#define TC_DIALECT_TCGEN05_IR_TCGEN05MMAWSOPS_TD

include "tc/Dialect/TCGen05/IR/TCGen05MmaOps.td"

//===----------------------------------------------------------------------===//
// MmaWsOp
//===----------------------------------------------------------------------===//

def TCGen05_MmaWsOp : TCGen05_Mma<"mma_ws", [AttrSizedOperandSegments]> {
  let summary = "multiply two tiles, weight-stationary";
  let description = [{
    One `tcgen05.mma.ws`, asynchronous:

    D[m, n] = sum over k of A[m, a_k + k] * B[n + s, b_k + k]  (+ D[m, n])

    where the term in parentheses is there if `accumulate` is true. Kinds, element
    types, K, `sparse` and A in Tensor Memory are those of `tcgen05.mma`; M is 32, 64
    or 128 and N 64, 128 or 256 (sparse 64 or 128), which fold D over the lanes in
    layouts G, E and D. It exists with `cta_group 1` only.

    With `mask` columns of B count as zeros, and the columns of B start at s: a word
    as `tcgen05.column_mask` makes it. `max_shift` is the largest s of a sequence of
    instructions: 0, 8, 16 or 32. B has room for it.
    `collector` says what becomes of B in collector buffer `buffer`: `fill` keeps it,
    `use` and `lastuse` take it from there.

    One thread executes it. It completes as `tcgen05.mma` does.

    * C1: the kind takes no scale factors.
    * C2: M is legal, D has the data path layout of M, whole, and `cta_group` is 1.
    * C3: N is legal.
    * C4: as for `tcgen05.mma`.
    * C5: A has M rows, B has N columns and `max_shift` more.
    * C6: as for `tcgen05.mma`.
    * C7: as for `tcgen05.mma`.
    * C8: `negate_a` and `negate_b` not for i8; `saturate` only for i8.
    * C9: A in Tensor Memory: as for `tcgen05.mma`.
    * C10: `metadata` and `selector`: as for `tcgen05.mma`.
    * C11: `buffer` is 0 to 3.
    * C12: `max_shift` is 0, 8, 16 or 32, with M = 32 at most 16; a `mask` that is
      made by `tcgen05.column_mask` shifts by no more.

    Example:

    ```mlir
    %mask = tcgen05.column_mask use 3 skip 2 shift 4 drop [5]
    tcgen05.mma_ws f16 %d, %a, %b accumulate(%p) mask(%mask) collector fill {buffer = 2 : i32, max_shift = 8 : i64}
        : !tcgen05.tmem<128x32xf32, G>,
          memref<32x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 2048>, #gpu.address_space<workgroup>>,
          memref<136x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8704>, #gpu.address_space<workgroup>>
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
      I1:$accumulate,
      Optional<I64>:$mask,
      DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">:$a_k,
      DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">:$b_k,
      DefaultValuedAttr<TCGen05_CtaGroup, "1">:$cta_group,
      DefaultValuedAttr<TCGen05_Collector,
                        "::tc::tcgen05::Collector::Discard">:$collector_b,
      DefaultValuedAttr<I32Attr, "0">:$buffer,
      DefaultValuedAttr<I64Attr, "0">:$max_shift,
      UnitAttr:$negate_a, UnitAttr:$negate_b, UnitAttr:$saturate,
      DefaultValuedAttr<I32Attr, "0">:$selector);
  let extraClassDeclaration = multiplicationDeclaration # [{
    /// No table: B is no indices.
    ::mlir::Value getLookup() { return {}; }
  }];
  let assemblyFormat = [{
    $kind (`cta_group` $cta_group^)? $d `,` $a `,` $b
    (`sparse` `(` $metadata^ `:` qualified(type($metadata)) `)`)?
    `accumulate` `(` $accumulate `)` (`mask` `(` $mask^ `)`)?
    (`collector` $collector_b^)? attr-dict
    `:` qualified(type($d)) `,` qualified(type($a)) `,` type($b)
  }];
}

//===----------------------------------------------------------------------===//
// ColumnMaskOp
//===----------------------------------------------------------------------===//

def TCGen05_ColumnMaskOp : TCGen05_Op<"column_mask", [Pure]> {
  let summary = "the zero-column mask of a weight-stationary instruction";
  let description = [{
    The 64-bit word with which `tcgen05.mma_ws` takes columns of B as zeros: runs of
    `use` columns that it reads and of `skip` columns that it takes as zeros, in turn.
    The N columns of D are in 1 part (M = 128), 2 (M = 64) or 4 (M = 32) of as many
    columns each; for each the runs start anew: part i leaves out the first `drop`[i]
    columns of its runs, and starts with a skipped run where `skip_first`[i].
    Lists end early where the rest is 0 or false.

    column n of a part is zero = the (n + drop)th place of the runs is a skipped one

    `shift` is the column of B that column 0 of D reads.

    * C1: `use` and `skip` are 1 to 256.
    * C2: `drop` has at most 4 numbers from 0 to 255, `skip_first` at most 4.
    * C3: `shift` is 0 to 32.

    Example: three used columns, two that are zeros, and so on.

    ```mlir
    %mask = tcgen05.column_mask use 3 skip 2
    %late = tcgen05.column_mask use 3 skip 2 shift 8 drop [5, 1] {skip_first = array<i1: false, true>}
    ```
  }];
  let arguments = (ins
      I64Attr:$use, I64Attr:$skip, DefaultValuedAttr<I64Attr, "0">:$shift,
      DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$drop,
      DefaultValuedAttr<DenseBoolArrayAttr, "{}">:$skip_first);
  let results = (outs I64:$mask);
  let assemblyFormat = [{
    `use` $use `skip` $skip (`shift` $shift^)? (`drop` $drop^)? attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The word.
    uint64_t encode();
  }];
}

#endif // TC_DIALECT_TCGEN05_IR_TCGEN05MMAWSOPS_TD
