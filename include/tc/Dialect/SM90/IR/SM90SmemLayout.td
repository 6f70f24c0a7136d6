//===- SM90SmemLayout.td - layouts in shared memory --------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layout of an operand of a matrix instruction in shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_SM90_IR_SM90SMEMLAYOUT_TD
#define TC_DIALECT_SM90_IR_SM90SMEMLAYOUT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "tc/Dialect/SM90/IR/SM90Dialect.td"
include "tc/Support/Interfaces.td"
include "tc/Support/Swizzle.td"

def SM90_SmemLayoutAttr : AttrDef<SM90_Dialect, "SmemLayout", [
    DeclareAttrInterfaceMethods<MemRefLayoutAttrInterface,
        ["getAffineMap", "isIdentity", "verifyLayout", "getStridesAndOffset"]>,
    DeclareAttrInterfaceMethods<TC_SmemTileLayoutInterface>]> {
  let mnemonic = "smem_layout";
  let summary = "layout of an operand of a matrix instruction in shared memory";
  let description = [{
    `#sm90.smem_layout<MAJOR, SWIZZLE, bits = B, slab = S>` places a tile in
    shared memory as wgmma and tcgen05.mma read it and TMA writes it. The
    memref's shape is always (MN, K): M or N first, K second, whatever the major
    dimension.

    A slab holds one span of the swizzle (16 bytes without swizzle, 32, 64 or
    128 with) along the major dimension, for all positions of the other one:

    * `k_major`: `[k / span][mn][k mod span]`
    * `mn_major`: `[mn / span][k][mn mod span]`

    Slabs are S elements apart; B is the width of an element in bits. With B = 6, as
    tcgen05.mma_block_scale with `wide_k` reads them, elements have places of 8 bits of
    which 64 begin with the packed bits of 64 elements. Inside a
    slab the swizzle exchanges address bits, which the affine map of the layout
    spells out bit by bit. The map is exact (for a base address on a multiple of
    the swizzle's pattern; with B = 6 it is that of the places), it is not strided,
    and no upstream pass can mistake the tile for a row-major one.

    One slab is what one two-dimensional TMA box writes.

    Example: a 128x64 tile of bf16, one slab of 128 rows of 128 bytes.

    ```mlir
    memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>,
           #gpu.address_space<workgroup>>
    ```
  }];
  let parameters = (ins EnumParameter<TC_Major>:$major, EnumParameter<TC_Swizzle>:$swizzle,
                        "unsigned":$bits, "int64_t":$slab);
  let assemblyFormat = [{
    `<` $major `,` $swizzle `,` `bits` `=` $bits `,` `slab` `=` $slab `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The layout of a dense tile of `shape` (MN, K): each slab follows the one
    /// before.
    static SmemLayoutAttr getDense(::mlir::MLIRContext *context, ::tc::Major major,
                                   ::tc::Swizzle swizzle,
                                   ::llvm::ArrayRef<int64_t> shape,
                                   unsigned bits);
    /// Checks that a tile of `shape` has such a layout, and fits into it.
    static ::llvm::LogicalResult verifyDense(
        ::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError,
        ::mlir::MLIRContext *context, ::tc::Major major, ::tc::Swizzle swizzle,
        ::llvm::ArrayRef<int64_t> shape, unsigned bits);
    /// Elements of one span of the swizzle.
    int64_t getSpanElements() const;
    /// Number of slabs of a tile of `shape`.
    int64_t getNumSlabs(::llvm::ArrayRef<int64_t> shape) const;
    /// The byte offset of element (mn, k) from the base, swizzle included.
    int64_t getByteOffset(int64_t mn, int64_t k) const;
  }];
}

#endif // TC_DIALECT_SM90_IR_SM90SMEMLAYOUT_TD
