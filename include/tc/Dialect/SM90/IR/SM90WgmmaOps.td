//===- SM90WgmmaOps.td - warpgroup matrix multiplication ---*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// wgmma: asynchronous multiplication by a warpgroup, into its registers. All
// ops need sm_90a and are executed by the 128 threads of a warpgroup together.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_SM90_IR_SM90WGMMAOPS_TD
#define TC_DIALECT_SM90_IR_SM90WGMMAOPS_TD

include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tc/Dialect/SM90/IR/SM90Dialect.td"
include "tc/Support/SmemTiles.td"
include "tc/Support/WarpTiles.td"

//===----------------------------------------------------------------------===//
// WgmmaFenceOp
//===----------------------------------------------------------------------===//

def SM90_WgmmaFenceOp : SM90_Op<"wgmma.fence", [InferTypeOpAdaptor]> {
  let summary = "order accesses to registers before wgmma.mma_async";
  let description = [{
    `wgmma.fence`: what the warpgroup wrote to registers before it is seen by the
    `sm90.wgmma.mma_async` after it. It is needed before the first one, and again
    after any write to an accumulator or to a fragment of A; not between
    instructions with the same accumulator.

    The fragments that must be written by then are operands, and results in the
    same registers, so that no pass can move a write of them after the fence:

    results[i] = values[i]

    Example:

    ```mlir
    sm90.wgmma.fence
    %ready:2 = sm90.wgmma.fence(%acc, %a : vector<64xf32>, vector<8xbf16>)
    ```
  }];
  let arguments = (ins Variadic<TC_Fragment>:$values);
  let results = (outs Variadic<TC_Fragment>:$results);
  let assemblyFormat = "(`` `(` $values^ `:` type($values) `)`)? attr-dict";
}

//===----------------------------------------------------------------------===//
// WgmmaMmaAsyncOp
//===----------------------------------------------------------------------===//

def SM90_WgmmaMmaAsyncOp : SM90_Op<"wgmma.mma_async",
    [AllTypesMatch<["d", "result"]>]> {
  let summary = "multiply two tiles into the registers of a warpgroup";
  let description = [{
    One `wgmma.mma_async` instruction, asynchronous:

    D[d_m + m, n] = sum over k of A[a_m + m, a_k + k] * B[b_n + n, b_k + k]  (+ D[d_m + m, n])

    for m in [0, 64), n in [0, N), k in [0, K), where the term in parentheses is
    there if `accumulate` is true; else the old D is not read. `d` has `d_rows` rows,
    the N / 2 elements of an instruction for each 64 of them; other rows than those
    from `d_m` on are as they were. `b` is in workgroup memory, with shape (columns
    of B) x (any K); `a` is in workgroup memory, with shape (rows of A) x (any K),
    or a fragment in registers. `negate_a` and `negate_b` negate an operand of floats. Sums of
    integers wrap around.

    | A and B                   | D        | K  | layouts              | A in registers |
    |---------------------------|----------|----|----------------------|----------------|
    | f16, both                 | f32, f16 | 16 | K- or MN-major       | 8 elements     |
    | bf16, both                | f32      | 16 | K- or MN-major       | 8 elements     |
    | f32 as tf32, both (the low 13 bits are ignored) | f32 | 8 | K-major | 4 elements |
    | f8E4M3FN, f8E5M2, any mix | f32, f16 | 32 | K-major              | 16 elements    |
    | i8 (with a sign), ui8, any mix | i32 | 32 | K-major              | 16 elements    |

    The fragments, for thread t of the warpgroup, w = t / 32, l = t mod 32:

    d[i]: row 16 * w + l / 4 + 8 * ((i / 2) mod 2), column 8 * (i / 4) + 2 * (l mod 4) + i mod 2

    a[i], with e elements in 32 bits (2 for 16-bit types), r = i / e:
    row 16 * w + l / 4 + 8 * (r mod 2), column e * (4 * (r / 2) + l mod 4) + i mod e

    The result is in the registers of `d`. It has its value only after the
    `sm90.wgmma.wait_group` of its group, which takes the result and returns it;
    until then only a further instruction may take it, as its own `d`. The tiles
    in shared memory must not change before that either, and are read through the
    async proxy. Executed by all threads of a warpgroup.

    * C1: the element types are in the table.
    * C2: `d` has N / 2 elements for each 64 rows, with N a multiple of 8 from 8 to 256; of
      integers, 8, 24, or a multiple of 16.
    * C3: `a` in shared memory has 64 rows from `a_m`, a multiple of 64; in
      registers it has the elements of the table and no offsets.
    * C4: `b` has N columns from `b_n`, a multiple of 8; of the columns of one
      span of the swizzle where it is N-major.
    * C5: `a_k` and `b_k` are multiples of K and leave room for K elements.
    * C6: the layouts are in the table, the swizzle is none, b32, b64 or b128, and
      the bits are those of the element type.
    * C7: the result is used once at most: by `sm90.wgmma.mma_async` as `d`, by
      `sm90.wgmma.wait_group`, or by the terminator of its block.
    * C8: integers are not negated.
    * C9: `d_rows` is a multiple of 64 from 64 to 256, which divides `d` into whole
      instructions; `d_m` is a multiple of 64 below it.

    Example: 64x128, K = 16, second step of a K-block.

    ```mlir
    %d1 = sm90.wgmma.mma_async %d0, %a, %b accumulate(%true) {a_k = 16 : i64, b_k = 16 : i64}
        : vector<64xf32>,
          memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>,
          memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins
      TC_Fragment:$d,
      Arg<AnyTypeOf<[TC_SmemTile, TC_Fragment]>, "matrix A", [MemRead]>:$a,
      Arg<TC_SmemTile, "matrix B", [MemRead]>:$b,
      I1:$accumulate,
      DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">:$a_m,
      DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">:$a_k,
      DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">:$b_n,
      DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">:$b_k,
      UnitAttr:$negate_a, UnitAttr:$negate_b,
      DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">:$d_m,
      DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "64">:$d_rows);
  let results = (outs TC_Fragment:$result);
  let assemblyFormat = [{
    $d `,` $a `,` $b `accumulate` `(` $accumulate `)` attr-dict
    `:` type($d) `,` type($a) `,` type($b)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// N of the instruction.
    int64_t getN() { return 2 * getElementsOfD(); }
    /// Elements of D that a thread has of the instruction.
    int64_t getElementsOfD() {
      return getD().getType().getNumElements() * ::tc::kWgmmaM / int64_t(getDRows());
    }
    /// K of the instruction.
    int64_t getK();
    /// The element type of A.
    ::mlir::Type getAElementType() {
      return ::mlir::getElementTypeOrSelf(getA().getType());
    }
  }];
}

//===----------------------------------------------------------------------===//
// WgmmaCommitGroupOp
//===----------------------------------------------------------------------===//

def SM90_WgmmaCommitGroupOp : SM90_Op<"wgmma.commit_group"> {
  let summary = "make a group of the multiplications that are not in one";
  let description = [{
    `wgmma.commit_group`: the `sm90.wgmma.mma_async` that the warpgroup has issued
    since its last commit become one group. Groups complete in order, and only
    the warpgroup itself can wait for them.

    Example:

    ```mlir
    sm90.wgmma.commit_group
    ```
  }];
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// WgmmaWaitGroupOp
//===----------------------------------------------------------------------===//

def SM90_WgmmaWaitGroupOp : SM90_Op<"wgmma.wait_group", [InferTypeOpAdaptor]> {
  let summary = "wait for all but the latest groups of the warpgroup";
  let description = [{
    `wgmma.wait_group`: returns when at most `pending` of the warpgroup's groups
    are not complete: the tiles of the others may be overwritten, and their
    accumulators read. Those accumulators are operands, and results in the same
    registers, so that no pass can read them before it:

    results[i] = values[i]

    An accumulator that a pending group still writes is no operand, and one in flight has
    no other use, also where loops and branches carry it (`convert-sm90-to-nvvm`).

    * C1: `pending` is from 0 to 7.

    Example:

    ```mlir
    %sum = sm90.wgmma.wait_group 0 (%d : vector<64xf32>)
    sm90.wgmma.wait_group 1
    ```
  }];
  let arguments = (ins I32Attr:$pending, Variadic<TC_Fragment>:$values);
  let results = (outs Variadic<TC_Fragment>:$results);
  let assemblyFormat = "$pending (`(` $values^ `:` type($values) `)`)? attr-dict";
  let hasVerifier = 1;
}

#endif // TC_DIALECT_SM90_IR_SM90WGMMAOPS_TD
