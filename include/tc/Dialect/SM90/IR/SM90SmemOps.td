//===- SM90SmemOps.td - views of shared memory -------------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dynamic shared memory and typed views of it.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_SM90_IR_SM90SMEMOPS_TD
#define TC_DIALECT_SM90_IR_SM90SMEMOPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "tc/Dialect/SM90/IR/SM90Types.td"
include "tc/Support/SmemTiles.td"

// Bytes in workgroup memory.
def SM90_SmemBytes : Type<CPred<"::tc::sm90::isSmemBytes($_self)">,
    "one-dimensional memref of i8 in workgroup memory", "::mlir::MemRefType">;

//===----------------------------------------------------------------------===//
// DynamicSmemOp
//===----------------------------------------------------------------------===//

def SM90_DynamicSmemOp : SM90_Op<"dynamic_smem", [Pure]> {
  let summary = "the dynamic shared memory of the CTA";
  let description = [{
    The bytes that the launch asked for, from the first one whose address is a
    multiple of `align`. The result has a static number of bytes, N. Neither
    LLVM nor the driver promises more than 16-byte alignment, so the base is
    aligned at run time, and the launch asks for N + align - 16 bytes
    (`getRequiredBytes`). All operations of a kernel name the same memory.

    (`gpu.dynamic_shared_memory` lowers to a static array of one byte with
    LLVM 22.)

    * C1: `align` is a power of two, at least 16.
    * C2: the bytes with padding do not exceed 334848, what a CTA can have.

    Example:

    ```mlir
    %smem = sm90.dynamic_smem align 1024 : memref<33792xi8, #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins I64Attr:$alignment);
  let results = (outs SM90_SmemBytes:$result);
  let assemblyFormat = "`align` $alignment attr-dict `:` qualified(type($result))";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Bytes of dynamic shared memory that the launch must ask for.
    int64_t getRequiredBytes();
  }];
}

//===----------------------------------------------------------------------===//
// SmemAllocOp
//===----------------------------------------------------------------------===//

def SM90_SmemAllocOp : SM90_Op<"smem_alloc"> {
  let summary = "bytes of shared memory, wherever they fit";
  let description = [{
    A part of the dynamic shared memory of the CTA that starts on a multiple of
    `align` bytes. `sm90-allocate-smem` places all of a kernel and gives its launch the
    bytes that it needs. No two share bytes.

    * C1: the result has a static number of bytes, at least 1.
    * C2: `align` is a power of two, at least 1.

    Example:

    ```mlir
    %ring = sm90.smem_alloc align 1024 : memref<65536xi8, #gpu.address_space<workgroup>>
    %a = sm90.smem_view %ring[%slot] : memref<65536xi8, #gpu.address_space<workgroup>>
        to memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>,
                  #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins I64Attr:$alignment);
  let results = (outs Res<SM90_SmemBytes, "the bytes", [MemAlloc]>:$result);
  let assemblyFormat = "`align` $alignment attr-dict `:` qualified(type($result))";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// SmemViewOp
//===----------------------------------------------------------------------===//

def SM90_SmemViewOp : SM90_Op<"smem_view", [Pure]> {
  let summary = "bytes of shared memory as a typed tile";
  let description = [{
    The tile whose base is `offset` bytes after the start of `source`. The
    result has a static shape and any layout; with a layout of its own
    (swizzled, in slabs) it lowers to its base address.

    * C1: the tile is within the source.
    * C2: the offset is a multiple of the alignment that the layout asks for,
      else of the element size.

    Example:

    ```mlir
    %a = sm90.smem_view %smem[%slot] : memref<33792xi8, #gpu.address_space<workgroup>>
        to memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>,
                  #gpu.address_space<workgroup>>
    %c = sm90.smem_view %smem[16384] : memref<33792xi8, #gpu.address_space<workgroup>>
        to memref<32x32xf32, #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins SM90_SmemBytes:$source,
                       Variadic<Index>:$dynamic_offset,
                       DenseI64ArrayAttr:$static_offset);
  let results = (outs TC_SmemMemRef:$result);
  let assemblyFormat = [{
    $source `` custom<DynamicIndexList>($dynamic_offset, $static_offset)
    attr-dict `:` qualified(type($source)) `to` qualified(type($result))
  }];
  let builders = [
    OpBuilder<(ins "::mlir::MemRefType":$result, "::mlir::Value":$source,
                   "::mlir::OpFoldResult":$offset)>
  ];
  let hasVerifier = 1;
  let hasFolder = 1;
  let extraClassDeclaration = [{
    /// The byte offset, an attribute where it is static.
    ::mlir::OpFoldResult getOffset();
  }];
}

//===----------------------------------------------------------------------===//
// SmemStoreOp
//===----------------------------------------------------------------------===//

def SM90_SmemStoreOp : SM90_Op<"smem_store"> {
  let summary = "write up to 16 bytes of a row of a swizzled tile";
  let description = [{
    `tile[row, own + column + i] = value[i]`, `own` being 0 where it is not given, at
    the address that the layout of the tile gives: an ordinary store (generic proxy) of
    one thread. Where neighbouring threads write neighbouring rows, the swizzle spreads
    them over all banks. Of an MN-major tile rows run along dimension 0:
    `tile[own + column + i, row] = value[i]`.

    A row of a slab starts at a multiple of its length, so the bytes of the column
    and the bits that the swizzle exchanges meet in an XOR:

    ```
    address = base + slab * slabBytes + (swizzle(row * span) ^ (column bytes mod span))
    ```

    * C1: the tile has a layout in slabs, with the bits of its elements.
    * C2: `value` has 1, 2, 4, 8 or 16 bytes of the tile's elements.
    * C3: `column` is a multiple of the elements of `value`, within the tile. So is
      `own + column`, in the slab of `column`.

    Example:

    ```mlir
    sm90.smem_store %v, %tile[%row, 8] : vector<8xbf16>,
        memref<128x32xbf16, #sm90.smem_layout<k_major, b64, bits = 16, slab = 4096>,
               #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins VectorOfRankAndType<[1], [AnyType]>:$value,
                       Arg<TC_SmemMemRef, "the tile", [MemWrite]>:$tile,
                       I32:$row, Optional<I32>:$own,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$column);
  let assemblyFormat = [{
    $value `,` $tile `[` $row `,` ($own^ `+`)? $column `]` attr-dict
    `:` type($value) `,` type($tile)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// StMatrixOp
//===----------------------------------------------------------------------===//

def SM90_StMatrixOp : SM90_Op<"stmatrix"> {
  let summary = "write 8 x 8 matrices from the registers of a warp to a swizzled tile";
  let description = [{
    All lanes of a warp write 1, 2 or 4 matrices of 8 x 8 elements. Of row r of matrix i
    lane 4 r + c holds the elements 2 c and 2 c + 1, in `value[2 i]` and
    `value[2 i + 1]`; lane 8 i + r says where it goes:

    ```
    tile[row of lane 8 i + r, own + column of lane 8 i + r + j] = element j of row r of matrix i
    ```

    (PTX ISA, "Warp-level matrix store instruction: stmatrix"). A store of the generic
    proxy. Addresses are those of `sm90.smem_store`; the rows of a matrix are in
    different banks where the tile is swizzled.

    * C1: the tile has a layout in slabs whose rows run along dimension 1, with the bits of
      its elements.
    * C2: `value` has 2, 4 or 8 of the tile's elements, which have 16 bits.
    * C3: `column` is a multiple of 8, within the tile. So is `own + column`, in the
      slab of `column`.

    Example:

    ```mlir
    sm90.stmatrix %v, %tile[%row, %own + 16] : vector<8xbf16>,
        memref<128x32xbf16, #sm90.smem_layout<k_major, b64, bits = 16, slab = 8192>,
               #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins VectorOfRankAndType<[1], [AnyType]>:$value,
                       Arg<TC_SmemMemRef, "the tile", [MemWrite]>:$tile,
                       I32:$row, Optional<I32>:$own,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$column);
  let assemblyFormat = [{
    $value `,` $tile `[` $row `,` ($own^ `+`)? $column `]` attr-dict
    `:` type($value) `,` type($tile)
  }];
  let hasVerifier = 1;
}

#endif // TC_DIALECT_SM90_IR_SM90SMEMOPS_TD
