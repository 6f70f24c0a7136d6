//===- TMMWindows.td - windows of images as matrices -------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The matrix that a convolution multiplies by its filter: nothing is copied, its
// layout says which element of the image an element is.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TMM_IR_TMMWINDOWS_TD
#define TC_DIALECT_TMM_IR_TMMWINDOWS_TD

include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ViewLikeInterface.td"
include "tc/Dialect/TMM/IR/TMMDialect.td"

def TMM_WindowsAttr : AttrDef<TMM_Dialect, "Windows", [
    DeclareAttrInterfaceMethods<MemRefLayoutAttrInterface,
        ["getAffineMap", "isIdentity", "verifyLayout", "getStridesAndOffset"]>]> {
  let mnemonic = "windows";
  let summary = "the matrix of the windows of images";
  let description = [{
    A matrix with a row for each element of the output images of a convolution, and in it what the
    window of that element covers. For images of two dimensions (one and three likewise), with `output = [P, Q]`,
    `window = [R, S]` and `channels = C`, element (m, k) is

    ```
    images[n, p * strides[0] + r * dilations[0] - padding[0], q * strides[1] + s * dilations[1] - padding[1], c]
    m = (n * P + p) * Q + q, k = (r * S + s) * C + c
    ```

    and 0 where that is outside of the image. As the layout of a memref it says that no
    element is where a stride would have it: only what knows the layout can read the matrix.

    * C1: the lists have 1 to 3 entries, as many each; those of `padding` are not negative, all
      others and `channels` are positive.
    * C2: as a layout, of a matrix whose columns are `channels` for each element of the window.

    Example:

    ```mlir
    #tmm.windows<output = [8, 9], window = [3, 3], channels = 64, strides = [1, 1], dilations = [1, 1], padding = [1, 1]>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$output,
                        ArrayRefParameter<"int64_t">:$window, "int64_t":$channels,
                        ArrayRefParameter<"int64_t">:$strides,
                        ArrayRefParameter<"int64_t">:$dilations,
                        ArrayRefParameter<"int64_t">:$padding);
  let assemblyFormat = [{
    `<` `output` `=` `[` $output `]` `,` `window` `=` `[` $window `]` `,` `channels` `=` $channels `,`
    `strides` `=` `[` $strides `]` `,` `dilations` `=` `[` $dilations `]` `,` `padding` `=` `[` $padding `]` `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Dimensions of an image.
    int64_t getRank() const { return getOutput().size(); }
    /// Rows of the matrix for each image, and its columns.
    int64_t getRowsOfImage() const;
    int64_t getColumns() const;
    /// The distance of the first and the last element of a window along `dim`.
    int64_t getReach(int64_t dim) const {
      return (getWindow()[dim] - 1) * getDilations()[dim];
    }
    /// Where the first element of the last window is, relative to the end of
    /// an image of `size` elements along `dim`, plus 1.
    int64_t getUpperCorner(int64_t dim, int64_t size) const {
      return (getOutput()[dim] - 1) * getStrides()[dim] + 1 -
             getPadding()[dim] - size;
    }
  }];
}

def TMM_WindowsOp : TMM_Op<"windows", [
    Pure, DeclareOpInterfaceMethods<ViewLikeOpInterface>,
    DeclareOpInterfaceMethods<BufferizableOpInterface,
        ["bufferizesToMemoryRead", "bufferizesToMemoryWrite",
         "getAliasingValues", "bufferize"]>]> {
  let summary = "see the windows of images as a matrix";
  let description = [{
    The matrix that `windows` says (`#tmm.windows`), of which nothing is copied. On memrefs it is the layout of the
    result. As A of a `tmm.matmul` it makes a convolution of it: TMA loads tiles of it from the
    images (im2col). Where it cannot, `tmm-pack-operands` gathers the matrix first.

    Operands: `images`, of rank 2 more than the windows: a number of images, which may be dynamic, with their
    channels last and adjacent.

    * C1: the images have the rank, the channels and, but for their number, static sizes.
    * C2: the result has a row for each element of the outputs and a column for each element
      of a window, and the element type of the images; both are tensors or both are memrefs.
    * C3: on memrefs the channels of an element are adjacent, and the result has the layout `windows`
      and the memory space of the images.

    Example:

    ```mlir
    %a = tmm.windows %images as <output = [8, 9], window = [3, 3], channels = 64, strides = [1, 1], dilations = [1, 1], padding = [1, 1]>
        : tensor<2x8x9x64xbf16> to tensor<144x576xbf16>
    ```
  }];
  let arguments = (ins AnyTypeOf<[AnyRankedTensor, AnyNon0RankedMemRef]>:$images,
                       TMM_WindowsAttr:$windows);
  let results = (outs AnyTypeOf<[AnyRankedTensor, AnyNon0RankedMemRef]>:$result);
  let assemblyFormat = "$images `as` $windows attr-dict `:` type($images) `to` type($result)";
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let builders = [
    OpBuilder<(ins "::mlir::Value":$images, "::tc::tmm::WindowsAttr":$windows)>
  ];
  let extraClassDeclaration = [{
    /// The op that makes the matrix `value`, or null.
    static WindowsOp getOf(::mlir::Value value);
    /// The type of the matrix of `windows` of images of type `images`.
    static ::mlir::ShapedType getMatrixType(::mlir::ShapedType images,
                                            WindowsAttr windows);
  }];
}

#endif // TC_DIALECT_TMM_IR_TMMWINDOWS_TD
