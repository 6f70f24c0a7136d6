//===- SM80MmaSyncOps.td - warp matrix multiplication ------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mma.sync: multiplication by a warp, of fragments that it loads from tiles in
// shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_SM80_IR_SM80MMASYNCOPS_TD
#define TC_DIALECT_SM80_IR_SM80MMASYNCOPS_TD

include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tc/Dialect/SM80/IR/SM80Dialect.td"
include "tc/Support/SmemTiles.td"
include "tc/Support/WarpTiles.td"

//===----------------------------------------------------------------------===//
// MmaSyncOp
//===----------------------------------------------------------------------===//

// Blocks of scale factors, as TMA copies them.
def SM80_ScaleTile : Type<
    CPred<"::tc::sm80::isScaleTile($_self)">,
    "memref of shape blocks x parts x 256 of f8E8M0FNU or f8E4M3FN in workgroup memory without a layout",
    "::mlir::MemRefType">;

def SM80_MmaSyncOp : SM80_Op<"mma_sync", [AllTypesMatch<["d", "result"]>, AttrSizedOperandSegments]> {
  let summary = "multiply rows of two tiles into the registers of a warp";
  let description = [{
    What a warp multiplies of two tiles in one step along K:

    result[m, n] = d[m, n] + sum over k of A[row + m, a_k + k] * B[n, b_k + k]

    for m in [0, R), n in [0, N), k in [0, K): R / 16 times N / 8 instructions
    `mma.sync.m16n8`, and `ldmatrix` of what they read. Both tiles are in workgroup
    memory, `a` with shape (rows of A) x (any K), `b` with shape N x (any K). R is 32
    times the elements of `d` divided by N. `row` is the same in all lanes, a multiple
    of R.

    | A and B               | D        | K  | layouts         |
    |-----------------------|----------|----|-----------------|
    | f16, both             | f32, f16 | 16 | K- or MN-major  |
    | bf16, both            | f32      | 16 | K- or MN-major  |
    | f32, read as tf32     | f32      | 8  | K-major         |
    | f8E4M3FN, f8E5M2      | f32, f16 | 32 | K-major         |
    | i8, ui8               | i32      | 32 | K-major         |
    | f8E4M3FN, f8E5M2      | f32      | 32 | K-major, scaled |
    | f4E2M1FN, both        | f32      | 64 | K-major, scaled |

    With `scales` each product is multiplied by the factors of its row of A and of its
    row of B, which V elements along K share:

    A[m, k] * SFA[m, k / V] * B[n, k] * SFB[n, k / V]

    V is the K of `a` divided by the factors of a row of `scale_a`. Of 8-bit elements it
    is 32 with f8E8M0FNU (`kind::mxf8f6f4`), of 4-bit ones 32 with f8E8M0FNU (`mxf4`) or
    16 with f8E4M3FN (`mxf4nvf4`). Factors are in blocks of 128 rows and 4 along K, of
    512 bytes: the factor of row m and number g is in block (m / 128, g / 4) at byte
    m mod 32 * 16 + m mod 128 / 32 * 4 + g mod 4. The shape of the operand is
    (rows / 128) x (2 * blocks along K) x 256.

    Register i of lane l is element (m, n) with e = R / 4:

    m = l / 4 + 8 * ((i mod e) / 2), n = 8 * (i / e) + 2 * (l mod 4) + i mod 2

    Sums of integers wrap around. The tiles are read through the generic proxy, and
    have been read when the results are there. Executed by all lanes of a warp.

    * C1: the element types are in the table.
    * C2: N is a multiple of 8 from 8 to 256, and R is 16 or 32.
    * C3: `a` has at least R rows.
    * C4: `a_k` and `b_k` are multiples of K and leave room for K elements.
    * C5: the layouts are in the table, the swizzle is none, b32, b64 or b128, and
      the bits are those of the element type.
    * C6: both scale factors are there or none, and have one type and one V of those
      above.
    * C7: there are factors of all rows of B, and of as many rows of A as it has.

    Example: 32 x 128, K = 16, second step of a K-block.

    ```mlir
    %d1 = sm80.mma_sync %d0, %a, %b row(%row) {a_k = 16 : i64, b_k = 16 : i64}
        : vector<128xf32>,
          memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>,
          memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>
    // nvfp4: 16 x 128, K = 64, a factor for 16 elements.
    %d3 = sm80.mma_sync %d2, %a4, %b4 row(%row) scales(%sa, %sb) {a_k = 64 : i64, b_k = 64 : i64}
        : vector<64xf32>,
          memref<128x128xf4E2M1FN, #sm90.smem_layout<k_major, b64, bits = 4, slab = 16384>, #gpu.address_space<workgroup>>,
          memref<128x128xf4E2M1FN, #sm90.smem_layout<k_major, b64, bits = 4, slab = 16384>, #gpu.address_space<workgroup>>,
          memref<1x4x256xf8E4M3FN, #gpu.address_space<workgroup>>, memref<1x4x256xf8E4M3FN, #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins
      TC_Fragment:$d,
      Arg<TC_SmemTile, "matrix A", [MemRead]>:$a,
      Arg<TC_SmemTile, "matrix B", [MemRead]>:$b,
      I32:$row,
      Arg<Optional<SM80_ScaleTile>, "scale factors of A", [MemRead]>:$scale_a,
      Arg<Optional<SM80_ScaleTile>, "scale factors of B", [MemRead]>:$scale_b,
      DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">:$a_k,
      DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">:$b_k);
  let results = (outs TC_Fragment:$result);
  let assemblyFormat = [{
    $d `,` $a `,` $b `row` `(` $row `)` (`scales` `(` $scale_a^ `,` $scale_b `)`)? attr-dict
    `:` type($d) `,` type($a) `,` type($b) (`,` type($scale_a)^ `,` type($scale_b))?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// N of the row of instructions.
    int64_t getN() { return getB().getType().getDimSize(0); }
    /// K of an instruction.
    int64_t getK();
    /// Elements along K that share a scale factor, 0 without.
    int64_t getScaleVector();
    /// Rows of the warp.
    int64_t getRows() { return getD().getType().getNumElements() * 32 / getN(); }
  }];
}

#endif // TC_DIALECT_SM80_IR_SM80MMASYNCOPS_TD
