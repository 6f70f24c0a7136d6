//===- Interfaces.td - interfaces between the dialects -----*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What one dialect may use of another's types and attributes. The dialects do
// not include each other; they meet here.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_INTERFACES_TD
#define TC_SUPPORT_INTERFACES_TD

include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpBase.td"

def TC_MBarrierTypeInterface : TypeInterface<"MBarrierTypeInterface"> {
  let cppNamespace = "::tc";
  let description = [{
    A type whose values name one mbarrier object in shared memory. Lowers to
    `!llvm.ptr<3>`.
  }];
}

def TC_MBarrierType
    : Type<CPred<"::llvm::isa<::tc::MBarrierTypeInterface>($_self)">,
           "mbarrier">;

def TC_TensorHandleTypeInterface : TypeInterface<"TensorHandleTypeInterface"> {
  let cppNamespace = "::tc";
  let description = [{
    A type whose values describe a tensor in global memory: an engine that copies
    tiles finds the sizes and strides after them itself.
  }];
  let methods = [
    InterfaceMethod<"Dimensions that a copy gives an index for.",
                    "unsigned", "getRank">,
    InterfaceMethod<"The type of an element.", "::mlir::Type", "getElementType">
  ];
}

def TC_TensorHandleType
    : Type<CPred<"::llvm::isa<::tc::TensorHandleTypeInterface>($_self)">,
           "handle of a tensor in global memory">;

def TC_SmemTileLayoutInterface : AttrInterface<"SmemTileLayoutInterface"> {
  let cppNamespace = "::tc";
  let description = [{
    A memref layout that places a tile in shared memory as the asynchronous
    engines see it: swizzled, in slabs. A memref with such a layout lowers to
    its base address, a `!llvm.ptr<3>`.
  }];
  let methods = [
    InterfaceMethod<"The swizzle mode of the tile.",
                    "::tc::Swizzle", "getTileSwizzle">,
    InterfaceMethod<"The bytes between the first and one past the last byte of "
                    "a tile of `shape`.",
                    "int64_t", "getFootprintBytes",
                    (ins "::llvm::ArrayRef<int64_t>":$shape)>,
    InterfaceMethod<"The alignment in bytes that the base address needs.",
                    "int64_t", "getAlignmentBytes">,
    InterfaceMethod<"The shape of the TMA box that writes one slab of a tile "
                    "of `shape`, slowest dimension first.",
                    "::llvm::SmallVector<int64_t>", "getSlabBox",
                    (ins "::llvm::ArrayRef<int64_t>":$shape)>,
    InterfaceMethod<"The bytes from one slab to the next.",
                    "int64_t", "getSlabBytes">,
    InterfaceMethod<"The dimension of the tile whose elements are adjacent in a "
                    "slab.", "unsigned", "getContiguousDim">,
    InterfaceMethod<"The dimension of the (MN, K) tile that is contiguous in a "
                    "slab.", "::tc::Major", "getTileMajor">,
    InterfaceMethod<"The width of an element in bits.",
                    "unsigned", "getElementBits">,
    InterfaceMethod<"The byte offset of element (mn, k) from the base without "
                    "the swizzle: what the start address of a matrix descriptor "
                    "is advanced by.", "int64_t", "getLinearByteOffset",
                    (ins "int64_t":$mn, "int64_t":$k)>
  ];
}

#endif // TC_SUPPORT_INTERFACES_TD
