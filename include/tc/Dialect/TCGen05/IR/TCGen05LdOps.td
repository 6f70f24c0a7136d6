//===- TCGen05LdOps.td - Tensor Memory loads and waits -----*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads from Tensor Memory to registers, and the operations that order them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TCGEN05_IR_TCGEN05LDOPS_TD
#define TC_DIALECT_TCGEN05_IR_TCGEN05LDOPS_TD

include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tc/Dialect/TCGen05/IR/TCGen05MemOps.td"

//===----------------------------------------------------------------------===//
// LdOp
//===----------------------------------------------------------------------===//

def TCGen05_LdOp : TCGen05_Op<"ld"> {
  let summary = "load columns of the warp's lanes into registers";
  let description = [{
    One `tcgen05.ld`, asynchronous, executed by a whole converged warp. Register r
    of thread t gets the 32-bit cell

    register[r] = source[`lane` + lane(t, r), column(t, r)]

    of the region, with the shape's map, in which N is the repetition (`.xN`):

    | shape    | lane(t, r)                 | column(t, r)                      | columns      | registers | N        |
    |----------|----------------------------|-----------------------------------|--------------|-----------|----------|
    | 32x32b   | t                          | r                                 | N            | N         | 1 to 128 |
    | 16x64b   | t / 4 + 8 (t mod 2)        | t / 2 mod 2 + 2r                  | 2N           | N         | 1 to 128 |
    | 16x128b  | t / 4 + 8 (r mod 2)        | t mod 4 + 4 (r / 2)               | 4N           | 2N        | 1 to 64  |
    | 16x256b  | t / 4 + 8 (r / 2 mod 2)    | 2 (t mod 4) + r mod 2 + 8 (r / 4) | 8N           | 4N        | 1 to 32  |
    | 16x32bx2 | t mod 16                   | r + (t < 16 ? 0 : `offset`)       | `offset` + N | N         | 1 to 128 |

    With `pack` (`.pack::16b`) a register gets the low halves of the two cells of
    columns 2 column(t, r) and 2 column(t, r) + 1, the first in its low half; the
    columns of the table double, but not `offset`, which counts cells.

    N follows from the columns of the region. The registers hold the elements
    only after a `tcgen05.wait ld`, which takes the result and returns it: nothing
    else may read it.

    * C1: `source` is one warp's window (`tcgen05.warp_window`). Where it has 16
      lanes (layouts C and F), shape 32x32b gives threads 16 to 31 unspecified
      values.
    * C2: the columns of the region are those of the table for an N that is a
      power of two, and the result fills the registers.
    * C3: the result's elements are those of the region where these have 32
      bits; those of the region, several in a register, where it is packed or
      with `pack`; else i32, the whole cell.
    * C4: the result is used once at most, by a `tcgen05.wait ld` in the same
      block.
    * C5: shape 16x32bx2, and no other, has an `offset`, from 0.
    * C6: `lane` is 0, or 16 for a shape of 16 lanes in a region of 32.
    * C7: with `pack` the elements have 16 bits and a cell each.

    Example:

    ```mlir
    %pending = tcgen05.ld %mine : !tcgen05.tmem<32x64xf32, D> to vector<64xf32>
    %v = tcgen05.wait ld(%pending : vector<64xf32>)
    %p1 = tcgen05.ld %half shape "16x256b" : !tcgen05.tmem<16x64xf32, F> to vector<32xf32>
    %w1 = tcgen05.wait ld(%p1 : vector<32xf32>)
    %p2 = tcgen05.ld %mine shape "16x64b" {lane = 16 : i64} : !tcgen05.tmem<32x64xf32, D> to vector<32xf32>
    %w2 = tcgen05.wait ld(%p2 : vector<32xf32>)
    %p3 = tcgen05.ld %half shape "16x32bx2" offset 32 : !tcgen05.tmem<16x64xf32, F> to vector<32xf32>
    %w3 = tcgen05.wait ld(%p3 : vector<32xf32>)
    %p4 = tcgen05.ld %sums pack : !tcgen05.tmem<32x64xf16, D> to vector<64xf16>
    %w4 = tcgen05.wait ld(%p4 : vector<64xf16>)
    ```
  }];
  let arguments = (ins Arg<TCGen05_TmemType, "the warp's region",
                           [MemRead<TCGen05_TensorMemory>]>:$source,
                       DefaultValuedAttr<TCGen05_AccessShape,
                           "::tc::tcgen05::AccessShape::L32x32b">:$shape,
                       OptionalAttr<I64Attr>:$offset, UnitAttr:$pack,
                       DefaultValuedAttr<I64Attr, "0">:$lane);
  let results = (outs VectorOfRank<[1]>:$result);
  let assemblyFormat = [{
    $source `` custom<Shape>($shape) (`offset` $offset^)? (`pack` $pack^)? attr-dict
    `:` qualified(type($source)) `to` qualified(type($result))
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$source), [{
      build($_builder, $_state, result, source, AccessShape::L32x32b,
            /*offset=*/::mlir::IntegerAttr(), /*pack=*/false, /*lane=*/0);
    }]>
  ];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// LdRedOp
//===----------------------------------------------------------------------===//

def TCGen05_LdRedOp : TCGen05_Op<"ld_red"> {
  let summary = "load columns and reduce what each thread loads";
  let description = [{
    One `tcgen05.ld.red`, asynchronous, executed by a whole converged warp:
    `tcgen05.ld` of shape 32x32b or 16x32bx2, and the smallest or largest of the N
    elements that the thread loads:

    result[r] = source[lane(t, r), column(t, r)]
    reduced[0] = min or max over r of result[r]

    with the maps of `tcgen05.ld`. Elements are f32, or i32 with `min` and `max`
    (signed), `umin` and `umax`. Of floats `abs` compares absolute values, and with
    `nan` the result is NaN where an element is; without it a number wins over NaN.
    Both results are there after a `tcgen05.wait ld`.
    sm_100a and sm_100f do not have it. NVVM of LLVM 22 has no such operation: it
    lowers to PTX.

    * C1: `source` is one warp's window, with cells of 32 bits.
    * C2: the columns are a power of two N from 2 to 128 (after the offset), and the
      result has N elements, of the type of the region, f32 or i32.
    * C3: shape 32x32b, or 16x32bx2 with an `offset`, from 0.
    * C4: `umin` and `umax` are for i32; `abs` and `nan` for f32.
    * C5: results are used once at most, by a `tcgen05.wait ld` in the same block.

    Example:

    ```mlir
    %p, %m = tcgen05.ld_red max %mine abs : !tcgen05.tmem<32x64xf32, D> to vector<64xf32>, vector<1xf32>
    %v, %r = tcgen05.wait ld(%p, %m : vector<64xf32>, vector<1xf32>)
    ```
  }];
  let arguments = (ins TCGen05_Reduction:$reduction,
                       Arg<TCGen05_TmemType, "the warp's region",
                           [MemRead<TCGen05_TensorMemory>]>:$source,
                       DefaultValuedAttr<TCGen05_AccessShape,
                           "::tc::tcgen05::AccessShape::L32x32b">:$shape,
                       OptionalAttr<I64Attr>:$offset, UnitAttr:$abs,
                       UnitAttr:$nan);
  let results = (outs VectorOfRank<[1]>:$result, VectorOfRank<[1]>:$reduced);
  let assemblyFormat = [{
    $reduction $source `` custom<Shape>($shape) (`offset` $offset^)?
    (`abs` $abs^)? (`nan` $nan^)? attr-dict
    `:` qualified(type($source)) `to` qualified(type($result)) `,`
    qualified(type($reduced))
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// LdCompressOp
//===----------------------------------------------------------------------===//

def TCGen05_LdCompressOp : TCGen05_Op<"ld_compress"> {
  let summary = "load columns and keep two of each four elements";
  let description = [{
    One `tcgen05.ld.spcompress`, asynchronous, executed by a whole converged warp:
    of the N elements that a thread loads, as by `tcgen05.ld` of shape 32x32b, it keeps
    the two largest or smallest of each four, and says which they were, 2 bits for each:

    e[r] = source[t, r]
    i0 < i1 the indices of the two of e[4g], ..., e[4g + 3] that `reduction` prefers
    kept[2g] = e[4g + i0], kept[2g + 1] = e[4g + i1]
    bits 4g to 4g + 3 of `indices` = i0 + 4 i1

    So the results are a sparse row and its metadata (2 of 4). With `abs` absolute
    values are compared, and kept as they are loaded. NaN is always kept, -0.0 is less than +0.0,
    and which of equal elements is kept the ISA leaves open. With `reduced` as a third
    result it is that of `tcgen05.ld_red`, with `nan` as there. All results
    are there after a `tcgen05.wait ld`. On sm_107a alone. NVVM of LLVM 22 has no such
    operation: it lowers to PTX.

    * C1: `source` is one warp's window of 32 lanes, with elements of f32.
    * C2: the columns are a power of two N from 4 to 128.
    * C3: the results are N / 2 elements of f32, ceil(N / 32) of i32, and one of f32 where
      it reduces.
    * C4: `reduction` is min or max; `nan` is for a reduced result.
    * C5: results are used once at most, by a `tcgen05.wait ld` in the same block.

    Example:

    ```mlir
    %p, %i = tcgen05.ld_compress max %mine abs : !tcgen05.tmem<32x64xf32, D> to vector<32xf32>, vector<2xi32>
    %v, %w = tcgen05.wait ld(%p, %i : vector<32xf32>, vector<2xi32>)
    ```
  }];
  let arguments = (ins TCGen05_Reduction:$reduction,
                       Arg<TCGen05_TmemType, "the warp's region",
                           [MemRead<TCGen05_TensorMemory>]>:$source,
                       UnitAttr:$abs, UnitAttr:$nan);
  let results = (outs VectorOfRank<[1]>:$kept, VectorOfRank<[1]>:$indices,
                      Optional<VectorOfRank<[1]>>:$reduced);
  let assemblyFormat = [{
    $reduction $source (`abs` $abs^)? (`nan` $nan^)? attr-dict
    `:` qualified(type($source)) `to` qualified(type($kept)) `,`
    qualified(type($indices)) (`,` qualified(type($reduced))^)?
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// StOp
//===----------------------------------------------------------------------===//

def TCGen05_StOp : TCGen05_Op<"st"> {
  let summary = "store registers to columns of the warp's lanes";
  let description = [{
    One `tcgen05.st`, asynchronous, executed by a whole converged warp: the inverse
    of `tcgen05.ld`, with the same shapes and the same table:

    destination[`lane` + lane(t, r), column(t, r)] = register[r]

    With `unpack` (`.unpack::16b`) the low half of a register goes to column
    2 column(t, r), the high half to the next one, each extended by zeros to a
    cell. Others see the elements, `tcgen05.mma` and `tcgen05.ld` of the same warp
    included, only after a `tcgen05.wait st` of the threads that stored, and across
    threads what orders them (`tcgen05.fence`).

    * C1: `destination` is one warp's window (`tcgen05.warp_window`), with shape
      32x32b one of all 32 lanes: threads 16 to 31 would write lanes that
      layouts C and F do not have.
    * C2: the columns of the region are those of the table for an N that is a
      power of two, and `value` fills the registers.
    * C3: the elements of `value` are those of the region where these have 32
      bits; those of the region, several in a register, where it is packed or
      with `unpack`; else i32, the whole cell.
    * C4: shape 16x32bx2, and no other, has an `offset`, from 0.
    * C5: `lane` is 0, or 16 for a shape of 16 lanes in a region of 32.
    * C6: with `unpack` the elements have 16 bits and a cell each.

    Example:

    ```mlir
    tcgen05.st %v, %mine : vector<64xf32> to !tcgen05.tmem<32x64xf32, D>
    tcgen05.st %u, %half shape "16x128b" : vector<32xf32> to !tcgen05.tmem<16x64xf32, F>
    tcgen05.st %a, %packed : vector<16xbf16> to !tcgen05.tmem<32x16xbf16, D, packed>
    tcgen05.st %h, %sums unpack : vector<64xf16> to !tcgen05.tmem<32x64xf16, D>
    tcgen05.wait st
    ```
  }];
  let arguments = (ins VectorOfRank<[1]>:$value,
                       Arg<TCGen05_TmemType, "the warp's region",
                           [MemWrite<TCGen05_TensorMemory>]>:$destination,
                       DefaultValuedAttr<TCGen05_AccessShape,
                           "::tc::tcgen05::AccessShape::L32x32b">:$shape,
                       OptionalAttr<I64Attr>:$offset, UnitAttr:$unpack,
                       DefaultValuedAttr<I64Attr, "0">:$lane);
  let assemblyFormat = [{
    $value `,` $destination `` custom<Shape>($shape) (`offset` $offset^)?
    (`unpack` $unpack^)? attr-dict
    `:` qualified(type($value)) `to` qualified(type($destination))
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// WaitOp
//===----------------------------------------------------------------------===//

def TCGen05_WaitOp : TCGen05_Op<"wait", [InferTypeOpAdaptor]> {
  let summary = "wait for the loads or stores of the executing threads";
  let description = [{
    Returns when all earlier `tcgen05.ld` (or `tcgen05.st`) of the executing
    threads are complete. A whole converged warp executes it.

    `wait ld` takes what earlier loads return and returns the same registers,
    now readable:

    results[i] = values[i]

    The values pass through the instruction, so that no pass can read them before
    it, and it lowers to `tcgen05.wait::ld` alone.

    * C1: `st` has no values.
    * C2: each value is the result of a `tcgen05.ld`, `tcgen05.ld_red` or
      `tcgen05.ld_compress`.

    Example:

    ```mlir
    %a = tcgen05.ld %left : !tcgen05.tmem<32x32xf32, D> to vector<32xf32>
    %b = tcgen05.ld %right : !tcgen05.tmem<32x32xf32, D> to vector<32xf32>
    %read:2 = tcgen05.wait ld(%a, %b : vector<32xf32>, vector<32xf32>)
    tcgen05.wait st
    ```
  }];
  let arguments = (ins TCGen05_WaitKind:$kind,
                       Variadic<VectorOfRank<[1]>>:$values);
  let results = (outs Variadic<VectorOfRank<[1]>>:$results);
  let assemblyFormat = "$kind (`` `(` $values^ `:` type($values) `)`)? attr-dict";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// FenceOp
//===----------------------------------------------------------------------===//

def TCGen05_FenceOp : TCGen05_Op<"fence"> {
  let summary = "order tcgen05 instructions against a thread synchronisation";
  let description = [{
    `before`: earlier tcgen05 instructions of the thread are ordered before the
    synchronisation that follows (barrier, mbarrier arrival). `after`: later
    tcgen05 instructions of the thread are ordered after the synchronisation
    that precedes (barrier, mbarrier wait).

    Example:

    ```mlir
    tcgen05.fence before
    gpu.barrier
    tcgen05.fence after
    ```
  }];
  let arguments = (ins TCGen05_FenceKind:$kind);
  let assemblyFormat = "$kind attr-dict";
}

#endif // TC_DIALECT_TCGEN05_IR_TCGEN05LDOPS_TD
