//===- SM90Types.td - types of the sm90 dialect ------------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mbarriers and tensor maps.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_SM90_IR_SM90TYPES_TD
#define TC_DIALECT_SM90_IR_SM90TYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "tc/Dialect/SM90/IR/SM90Dialect.td"
include "tc/Support/Interfaces.td"
include "tc/Support/Swizzle.td"

class SM90_Type<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<SM90_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

def SM90_MBarrierType : SM90_Type<"MBarrier", "mbarrier", [
    DeclareTypeInterfaceMethods<TC_MBarrierTypeInterface>]> {
  let summary = "an mbarrier object in shared memory";
  let description = [{
    The identity of one mbarrier object (8 bytes in shared memory). Lowers to
    `!llvm.ptr<3>`.
  }];
}

def SM90_MBarrierArrayType : SM90_Type<"MBarrierArray", "mbarrier_array"> {
  let summary = "consecutive mbarrier objects in shared memory";
  let description = [{
    `!sm90.mbarrier_array<N>`: N mbarrier objects, 8 bytes apart. Lowers to
    `!llvm.ptr<3>`.
  }];
  let parameters = (ins "int64_t":$count);
  let assemblyFormat = "`<` $count `>`";
  let genVerifyDecl = 1;
}

def SM90_ClusterMBarrierType : SM90_Type<"ClusterMBarrier", "cluster_mbarrier"> {
  let summary = "an mbarrier object of any CTA of the cluster";
  let description = [{
    The identity of one mbarrier object in the shared memory of one CTA of the
    cluster, which may be this one. Other CTAs can arrive on it and name it to
    copies, but not wait for it. Lowers to `!llvm.ptr<7>`.
  }];
}

def SM90_ClusterMBarrierArrayType
    : SM90_Type<"ClusterMBarrierArray", "cluster_mbarrier_array"> {
  let summary = "consecutive mbarrier objects of any CTA of the cluster";
  let description = [{
    `!sm90.cluster_mbarrier_array<N>`: N mbarrier objects of one CTA of the
    cluster, 8 bytes apart. Lowers to `!llvm.ptr<7>`.
  }];
  let parameters = (ins "int64_t":$count);
  let assemblyFormat = "`<` $count `>`";
  let genVerifyDecl = 1;
}

def SM90_AnyMBarrier
    : AnyTypeOf<[SM90_MBarrierType, SM90_ClusterMBarrierType]>;
def SM90_AnyMBarrierArray
    : AnyTypeOf<[SM90_MBarrierArrayType, SM90_ClusterMBarrierArrayType]>;

def SM90_TensorMapType
    : SM90_Type<"TensorMap", "tensor_map", [TC_TensorHandleTypeInterface]> {
  let summary = "a TMA tensor map";
  let description = [{
    `!sm90.tensor_map<128x64xbf16, b128>`: a 128-byte opaque object that describes a
    tensor in global memory to TMA. The type has what a copy must
    agree on with its tile: the shape of the box, slowest dimension first, the
    element type and the swizzle. Kernel parameters of this type are passed by
    value, 64-byte aligned; in a kernel it lowers to `!llvm.ptr`.

    * C1: one to five dimensions, each from 1 to 256.
    Elements of f4E2M1FN are two to a byte (the type
    CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B). With `unpacked` 16 elements of 4 or 6
    bits, which follow each other in global memory, take 16 bytes in shared memory:
    the packed bits first (16U4_ALIGN16B and 16U6_ALIGN16B); copies count the bytes in
    global memory, and go to shared memory only.

    * C2: the fastest dimension has a multiple of 16 bytes.
    * C3: with a swizzle, the fastest dimension has at most its span.
    * C4: elements of 6 bits are `unpacked`; `unpacked` are only those of 4 and 6
      bits, in a box of 128 along the fastest dimension, without a swizzle or with b128.

    With `im2col = R` the tensor has R dimensions, images, up to three of an image and
    channels, and the box is pixels x channels: a copy loads pixels that follow each
    other in the box of filter positions that `sm90.tensor_map.encode` says.

    * C5: with `im2col` R is from 3 to 5, and the box has from 1 to 1024 pixels (more than
      256, too) of elements that are not `unpacked`.

    ```mlir
    !sm90.tensor_map<128x64xbf16, b128, im2col = 4>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$box,
                        "::mlir::Type":$elementType,
                        EnumParameter<TC_Swizzle>:$swizzle,
                        DefaultValuedParameter<"bool", "false">:$unpacked,
                        DefaultValuedParameter<"int64_t", "0">:$im2col);
  let builders = [
    TypeBuilder<(ins "::llvm::ArrayRef<int64_t>":$box, "::mlir::Type":$elementType,
                     "::tc::Swizzle":$swizzle), [{
      return $_get($_ctxt, box, elementType, swizzle, /*unpacked=*/false,
                   /*im2col=*/0);
    }]>
  ];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Whether copies load pixels of images, not boxes.
    bool isIm2col() const { return getIm2col() != 0; }
    /// Number of dimensions of the tensor.
    unsigned getRank() const {
      return isIm2col() ? unsigned(getIm2col()) : getBox().size();
    }
    /// Bits of an element in shared memory.
    unsigned getSmemBits() const {
      return getUnpacked() ? 8 : getElementType().getIntOrFloatBitWidth();
    }
    /// Bytes of which addresses and strides in global memory are multiples.
    int64_t getGranularity() const;
  }];
}

#endif // TC_DIALECT_SM90_IR_SM90TYPES_TD
