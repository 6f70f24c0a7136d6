//===- SM90TmaOps.td - tensor maps and TMA copies ----------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensor maps and the copies that use them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_SM90_IR_SM90TMAOPS_TD
#define TC_DIALECT_SM90_IR_SM90TMAOPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "tc/Dialect/SM90/IR/SM90Enums.td"
include "tc/Dialect/SM90/IR/SM90SmemOps.td"
include "tc/Dialect/SM90/IR/SM90Types.td"

//===----------------------------------------------------------------------===//
// TensorMapEncodeOp
//===----------------------------------------------------------------------===//

def SM90_TensorMapEncodeOp : SM90_Op<"tensor_map.encode",
    [AttrSizedOperandSegments]> {
  let summary = "describe a tensor in global memory for TMA (host)";
  let description = [{
    A host operation: what `cuTensorMapEncodeTiled` does. The tensor starts
    `offset` bytes after the start of `buffer` (0 where absent) and has `dims`
    elements in each dimension, slowest first; `strides` are the bytes from one
    element to the next in all dimensions but the last, which is contiguous.
    Box, element type and swizzle are those of the result's type.

    Elements of a box that are outside of the tensor are filled with `oob_fill`;
    their bytes count for the mbarrier all the same.

    * C1: as many dims as the box has dimensions, one stride less.
    * C2: static strides are multiples of 16 bytes from 0 to below 2^40. With 0 all
      indices of the dimension name the same elements.
    * C3: static dims are from 1 to 2^32.
    * C4: the buffer has the element type of the tensor map.
    * C5: `element_strides`, where given, one from 1 to 8 for each dimension.
    * C6: a static offset is a multiple of 16 bytes.
    * C7: of `unpacked` elements strides and offset are multiples of 32 bytes, and
      rows, where their length is static, of 128 elements.

    With an `im2col` map it is what `cuTensorMapEncodeIm2col` does: dimension 0 counts images
    and the last one channels. The base of the filter runs through the positions from
    `lower` to below the size of the image plus `upper`, in steps of `element_strides`, the last of
    these dimensions first, then on to the next image. Positions may be outside of the image.

    * C8: `lower` and `upper` are there for an `im2col` map and for no other, each with an
      entry for each dimension of an image, from -2^15 to 2^15 - 1 where it has one, -2^7 to
      2^7 - 1 where it has two and -2^4 to 2^4 - 1 where it has three.

    Example:

    ```mlir
    %map = sm90.tensor_map.encode %A[0] dims [%m, %k] strides [%pitch]
        : memref<?x?xbf16> to !sm90.tensor_map<128x64xbf16, b128>
    %windows = sm90.tensor_map.encode %image[0] dims [2, 10, 11, 64] strides [14080, 1408, 128]
        element_strides [1, 2, 1, 1] im2col lower [-1, -1] upper [-3, -1]
        : memref<2x10x11x64xbf16> to !sm90.tensor_map<128x64xbf16, b128, im2col = 4>
    ```
  }];
  let arguments = (ins AnyNon0RankedOrUnrankedMemRef:$buffer,
      Variadic<Index>:$dynamic_offset, DenseI64ArrayAttr:$static_offset,
      Variadic<Index>:$dynamic_dims, DenseI64ArrayAttr:$static_dims,
      Variadic<Index>:$dynamic_strides, DenseI64ArrayAttr:$static_strides,
      DefaultValuedAttr<SM90_L2Promotion,
                        "::tc::sm90::L2Promotion::None">:$l2_promotion,
      DefaultValuedAttr<SM90_OobFill,
                        "::tc::sm90::OobFill::Zero">:$oob_fill,
      OptionalAttr<DenseI64ArrayAttr>:$element_strides,
      OptionalAttr<DenseI64ArrayAttr>:$lower,
      OptionalAttr<DenseI64ArrayAttr>:$upper);
  let results = (outs SM90_TensorMapType:$result);
  let assemblyFormat = [{
    $buffer `` custom<DynamicIndexList>($dynamic_offset, $static_offset)
    `dims` custom<DynamicIndexList>($dynamic_dims, $static_dims)
    `strides` custom<DynamicIndexList>($dynamic_strides, $static_strides)
    (`l2_promotion` $l2_promotion^)? (`oob_fill` $oob_fill^)?
    (`element_strides` $element_strides^)?
    (`im2col` `lower` $lower^ `upper` $upper)?
    attr-dict `:` type($buffer) `to` qualified(type($result))
  }];
  let builders = [
    OpBuilder<(ins "TensorMapType":$result, "::mlir::Value":$buffer,
                   "::mlir::OpFoldResult":$offset,
                   "::llvm::ArrayRef<::mlir::OpFoldResult>":$dims,
                   "::llvm::ArrayRef<::mlir::OpFoldResult>":$strides,
                   CArg<"L2Promotion", "L2Promotion::None">:$l2Promotion,
                   CArg<"::mlir::DenseI64ArrayAttr", "nullptr">:$elementStrides,
                   CArg<"::mlir::DenseI64ArrayAttr", "nullptr">:$lower,
                   CArg<"::mlir::DenseI64ArrayAttr", "nullptr">:$upper)>
  ];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Bytes from the start of the buffer to the tensor.
    ::mlir::OpFoldResult getMixedOffset();
    /// Elements in each dimension, slowest first.
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedDims();
    /// Bytes between elements, slowest dimension first, without the last.
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedStrides();
  }];
}

//===----------------------------------------------------------------------===//
// PrefetchTensorMapOp
//===----------------------------------------------------------------------===//

def SM90_PrefetchTensorMapOp : SM90_Op<"prefetch_tensor_map"> {
  let summary = "bring a tensor map into the cache";
  let description = [{
    Example:

    ```mlir
    sm90.prefetch_tensor_map %map : !sm90.tensor_map<128x64xbf16, b128>
    ```
  }];
  let arguments = (ins SM90_TensorMapType:$tensor_map);
  let assemblyFormat = "$tensor_map attr-dict `:` qualified(type($tensor_map))";
}

//===----------------------------------------------------------------------===//
// CachePolicyOp
//===----------------------------------------------------------------------===//

def SM90_CachePolicyOp : SM90_Op<"cache_policy", [Pure]> {
  let summary = "a cache policy for copies";
  let description = [{
    `createpolicy.fractional` for all of the accesses: the policy with which the
    L2 cache keeps what a copy brings. `evict_first` is given up before,
    `evict_last` after everything else; `evict_normal` is what copies without a
    policy have.

    Example:

    ```mlir
    %policy = sm90.cache_policy evict_first
    sm90.tma_load %map[%row, %k], %a, %full cache_policy %policy
        : !sm90.tensor_map<128x64xbf16, b128>,
          memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>,
          !sm90.mbarrier
    ```
  }];
  let arguments = (ins SM90_EvictionPriority:$priority);
  let results = (outs I64:$result);
  let assemblyFormat = "$priority attr-dict";
}

//===----------------------------------------------------------------------===//
// TmaLoadOp
//===----------------------------------------------------------------------===//

def SM90_TmaLoadOp : SM90_Op<"tma_load", [AttrSizedOperandSegments]> {
  let summary = "copy a box of a tensor to shared memory";
  let description = [{
    `cp.async.bulk.tensor`, asynchronous: copies the box that starts at
    `coordinates` (in elements, slowest dimension first, as one indexes a
    memref) to `destination` and then counts its bytes on `mbarrier`. Elements
    out of bounds read as zero and count. `destination` is one slab of a tile
    with a `sm90.smem_layout`, or a dense row-major tile, in workgroup
    memory. With `multicast`, the box goes to the same offset in each CTA of the
    cluster whose bit is set; with `cta_group 2` the mbarrier may be one of the
    other CTA of the pair (`sm90.mbarrier.map`). `cache_policy` is the result of
    an `sm90.cache_policy`. One thread executes it.

    With an `im2col` map the coordinates are those of the first pixel, the base of the filter, and
    the first channel; `im2col` has the place of the filter's element that is loaded, relative to its
    base, for each dimension of an image. The pixels that follow it in the box of positions fill
    the rows of the tile.

    With `multicast32` the mask has 32 bits. With `address` the tensor is at that address
    of global memory, a multiple of 16 after which 128 KiB are mapped, and not where the
    map says; with `extents` and `pitches`, too, it has these elements in each dimension,
    up to 255, and these bytes between them, slowest dimension first. With `report` the
    copy looks for a value, in one element of each 16 bytes or (`nan8`) in each byte, and
    says on the mbarrier, one with `reports`, that it has found it
    (`sm90.mbarrier.reported`). All of these are forms of sm_107a and sm_107f.

    * C1: one coordinate for each dimension.
    * C2: the element types agree.
    * C3: the box fills the destination: it has the shape of its slab.
    * C4: the swizzles agree.
    * C5: with a swizzle, a row of the box has exactly its span.
    * C6: a barrier of the cluster needs `cta_group 2`.
    * C7: the layout of the tile has the bits of an element that the copy writes.
    * C9: with an `im2col` map, and with no other, `im2col` has an entry for each dimension of
      an image; those that are constants are from 0 to 2^16 - 1 where it has one dimension,
      2^8 - 1 where it has two and 2^5 - 1 where it has three.
    * C10: `extents` has an entry for each dimension and `pitches` one less; they come
      with `address` and with neither `im2col` nor `multicast`, and coordinates that are
      constants are 0, extents 1 to 255, pitches multiples of 16 below 2^40.
    * C11: there is one of `multicast` and `multicast32` at most; one that is a constant
      names a CTA.
    * C12: the elements have the bits of the value of `report`.

    Example:

    ```mlir
    sm90.tma_load %map[%row, %k], %a, %full
        : !sm90.tensor_map<128x64xbf16, b128>,
          memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>,
                 #gpu.address_space<workgroup>>, !sm90.mbarrier
    sm90.tma_load %windows[%n, %h, %w, %c] im2col [%kh, %kw], %a, %full
        : !sm90.tensor_map<128x64xbf16, b128, im2col = 4>,
          memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>,
                 #gpu.address_space<workgroup>>, !sm90.mbarrier
    sm90.tma_load %map[%row, %k], %a, %full multicast32 %ctas address %expert report neg_zero16
        : !sm90.tensor_map<128x64xbf16, b128>,
          memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>,
                 #gpu.address_space<workgroup>>, !sm90.mbarrier
    ```
  }];
  let arguments = (ins SM90_TensorMapType:$tensor_map,
                       Variadic<Index>:$coordinates,
                       Variadic<Index>:$offsets,
                       Arg<TC_SmemMemRef, "the tile",
                           [MemWrite]>:$destination,
                       SM90_AnyMBarrier:$mbarrier,
                       Optional<I16>:$multicast,
                       Optional<I64>:$cache_policy,
                       Optional<I32>:$multicast32,
                       Optional<I64>:$address,
                       Variadic<Index>:$extents,
                       Variadic<Index>:$pitches,
                       DefaultValuedAttr<ConfinedAttr<I32Attr,
                           [IntMinValue<1>, IntMaxValue<2>]>, "1">:$cta_group,
                       OptionalAttr<SM90_Report>:$report);
  let assemblyFormat = [{
    $tensor_map `[` $coordinates `]` (`im2col` `[` $offsets^ `]`)? `,` $destination `,` $mbarrier
    (`multicast` $multicast^)? (`cache_policy` $cache_policy^)?
    (`cta_group` $cta_group^)? (`multicast32` $multicast32^)? (`address` $address^)?
    (`extents` `[` $extents^ `]` `pitches` `[` $pitches `]`)? (`report` $report^)? attr-dict
    `:` qualified(type($tensor_map)) `,` type($destination) `,` qualified(type($mbarrier))
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// TmaStoreOp
//===----------------------------------------------------------------------===//

def SM90_TmaStoreOp : SM90_Op<"tma_store", [AttrSizedOperandSegments,
    MemoryEffects<[MemWrite]>]> {
  let summary = "copy a box of a tensor from shared memory";
  let description = [{
    `cp.async.bulk.tensor`, asynchronous: copies `source`, one slab of a tile with
    a `sm90.smem_layout` or a dense row-major tile, to the box that starts at
    `coordinates` (in elements, slowest dimension first). Elements out of bounds
    are dropped. The copy belongs to the bulk group that the thread commits next
    (`sm90.bulk_commit_group`). It reads through the async proxy: after ordinary
    stores to `source` there must be `sm90.fence_proxy_async` in the threads that made
    them and a barrier. `cache_policy` is the result of an `sm90.cache_policy`.
    `address`, `extents` and `pitches` are as for `sm90.tma_load`. One thread executes it.

    * C1 to C5, C7, C10: as for `sm90.tma_load`, with the source for the destination.
    * C8: the elements of the tensor map are not `unpacked`.
    * C9: the tensor map is not one for `im2col`.

    Example:

    ```mlir
    sm90.tma_store %map[%row, %col], %staging cache_policy %policy
        : !sm90.tensor_map<128x32xbf16, b64>,
          memref<128x32xbf16, #sm90.smem_layout<k_major, b64, bits = 16, slab = 4096>,
                 #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins SM90_TensorMapType:$tensor_map,
                       Variadic<Index>:$coordinates,
                       Arg<TC_SmemMemRef, "the tile", [MemRead]>:$source,
                       Optional<I64>:$cache_policy,
                       Optional<I64>:$address,
                       Variadic<Index>:$extents,
                       Variadic<Index>:$pitches);
  let assemblyFormat = [{
    $tensor_map `[` $coordinates `]` `,` $source (`cache_policy` $cache_policy^)?
    (`address` $address^)? (`extents` `[` $extents^ `]` `pitches` `[` $pitches `]`)? attr-dict `:` qualified(type($tensor_map)) `,` type($source)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// BulkCommitGroupOp, BulkWaitGroupOp
//===----------------------------------------------------------------------===//

def SM90_BulkCommitGroupOp : SM90_Op<"bulk_commit_group"> {
  let summary = "make a bulk group of the copies that the thread has issued";
  let description = [{
    `cp.async.bulk.commit_group`: the copies to global memory that the thread has
    issued since its last commit become one group. The groups of a thread are a
    queue, which only that thread can wait for.

    Example:

    ```mlir
    sm90.bulk_commit_group
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def SM90_BulkWaitGroupOp : SM90_Op<"bulk_wait_group"> {
  let summary = "wait for all but the latest bulk groups of the thread";
  let description = [{
    `cp.async.bulk.wait_group`: returns when at most `pending` of the thread's
    groups are not complete. With `read` a group counts as complete when its
    sources have been read, so that they may be overwritten.

    Example:

    ```mlir
    sm90.bulk_wait_group 1 read
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$pending,
                       UnitAttr:$read);
  let assemblyFormat = "$pending (`read` $read^)? attr-dict";
}

#endif // TC_DIALECT_SM90_IR_SM90TMAOPS_TD
