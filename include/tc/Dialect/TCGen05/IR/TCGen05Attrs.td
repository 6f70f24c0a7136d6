//===- TCGen05Attrs.td - attributes of the tcgen05 dialect -*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensor Memory and the tcgen05 engines as the middle of the compiler sees them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TCGEN05_IR_TCGEN05ATTRS_TD
#define TC_DIALECT_TCGEN05_IR_TCGEN05ATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "tc/Dialect/TCGen05/IR/TCGen05Dialect.td"
include "tc/Support/Pipelining.td"
include "tc/Support/RegisterLayout.td"

def TCGen05_TmemAttr : AttrDef<TCGen05_Dialect, "Tmem", [
    DeclareAttrInterfaceMethods<TC_MemorySpaceAttrInterface,
        ["verifyTile", "sharesWith", "isPrivateToThreads", "getRingName",
         "emitFenceBefore", "emitFenceAfter", "isOrderedByFences"]>]> {
  let mnemonic = "tmem";
  let summary = "Tensor Memory as the space of accumulator tiles";
  let description = [{
    The part of an accumulator that one CTA holds, in the data path layout of a
    dense instruction of `ctas` CTAs (`!tcgen05.tmem`). A tile of 256 rows is two
    accumulators: rows from 128 on have the columns after those of the first rows.

    Accesses of different threads are ordered by `tcgen05.fence` on both sides of
    the arrival and the wait between them (PTX ISA, "Non-pipelined instructions,
    different thread").

    * C1: the tile is an accumulator that a dense instruction of `ctas` CTAs writes
      (PTX ISA, "Matrix Shape"), or two of 128 rows.

    Example:

    ```mlir
    !tmm.buffer<128x256xf32, #tcgen05.tmem>
    !tmm.buffer<128x256xf32, #tcgen05.tmem<ctas = 2>>
    !tmm.buffer<256x128xf32, #tcgen05.tmem>
    ```
  }];
  let parameters = (ins DefaultValuedParameter<"int64_t", "1">:$ctas);
  let assemblyFormat = "(`<` `ctas` `=` $ctas^ `>`)?";
  let genVerifyDecl = 1;
}

def TCGen05_OperandAttr : AttrDef<TCGen05_Dialect, "Operand", [
    DeclareAttrInterfaceMethods<TC_MemorySpaceAttrInterface,
        ["verifyTile", "sharesWith", "isPrivateToThreads", "getRingName",
         "emitFenceBefore", "emitFenceAfter", "isOrderedByFences"]>]> {
  let mnemonic = "operand";
  let summary = "Tensor Memory as the space of tiles of A";
  let description = [{
    The rows of A that one CTA holds, each along a lane, elements without gaps, for an
    instruction of `ctas` CTAs whose accumulator has 128 rows in each (`!tcgen05.tmem`).
    Threads write it and the matrix unit reads it: an earlier product, converted, is
    the operand of the next one. Accesses are ordered as those of `#tcgen05.tmem`.

    * C1: `ctas` is 1 or 2.
    * C2: the tile has 128 rows of whole cells, 8 to 256 columns of them; elements have 8, 16 or 32 bits.

    Example:

    ```mlir
    !tmm.buffer<128x128xbf16, #tcgen05.operand>
    ```
  }];
  let parameters = (ins DefaultValuedParameter<"int64_t", "1">:$ctas);
  let assemblyFormat = "(`<` `ctas` `=` $ctas^ `>`)?";
  let genVerifyDecl = 1;
}

def TCGen05_ScalesAttr : AttrDef<TCGen05_Dialect, "Scales", [
    DeclareAttrInterfaceMethods<TC_MemorySpaceAttrInterface,
        ["verifyTile", "getRingName", "emitFenceAfter", "isOrderedByFences"]>]> {
  let mnemonic = "scales";
  let summary = "Tensor Memory as the space of tiles of scale factors";
  let description = [{
    The factors of rows of A, or of columns of B, in layout scales (`!tcgen05.tmem`):
    4 columns of cells for 128 rows and 4 blocks of K, the rows of one group of 4
    blocks next to each other; with `rows` all groups of as many rows are, as
    instructions that multiply no more read them. One thread's instructions write and read them: a
    copy over factors that a multiplication has read follows its commit, the wait for
    it and `tcgen05.fence after` (PTX ISA, "Non-pipelined instructions, different
    thread").

    * C1: the tile has a multiple of 128 rows and of 4 columns of 8 bits, and of `rows`.
    * C2: `rows` is 0, all of them, or 128.

    Example:

    ```mlir
    !tmm.buffer<256x4xf8E8M0FNU, #tcgen05.scales>
    !tmm.buffer<256x8xf8E4M3FN, #tcgen05.scales<rows = 128>>
    ```
  }];
  let parameters = (ins DefaultValuedParameter<"int64_t", "0">:$rows);
  let assemblyFormat = "(`<` `rows` `=` $rows^ `>`)?";
  let genVerifyDecl = 1;
}

def TCGen05_MetadataAttr : AttrDef<TCGen05_Dialect, "Metadata", [
    DeclareAttrInterfaceMethods<TC_MemorySpaceAttrInterface,
        ["verifyTile", "getRingName", "emitFenceAfter", "isOrderedByFences"]>]> {
  let mnemonic = "metadata";
  let summary = "Tensor Memory as the space of metadata of a sparse A";
  let description = [{
    The cells that say which elements a sparse A of elements of `bits` keeps, in the
    layout of that name (`!tcgen05.tmem`): 128 lanes, a block of K in 4 columns, blocks next to
    each other. They are written and read as `#tcgen05.scales` are.

    * C1: `bits` are 8, 16 or 32.
    * C2: the tile has 128 lanes and a multiple of 4 columns, of i32.

    Example:

    ```mlir
    !tmm.buffer<128x4xi32, #tcgen05.metadata<16>>
    ```
  }];
  let parameters = (ins "unsigned":$bits);
  let assemblyFormat = "`<` $bits `>`";
  let genVerifyDecl = 1;
}

def TCGen05_CommitsAttr : AttrDef<TCGen05_Dialect, "Commits", [
    DeclareAttrInterfaceMethods<TC_CompletionAttrInterface,
        ["isOfThreads", "emitArrive"]>]> {
  let mnemonic = "commits";
  let summary = "commits, which make mbarriers see an arrival";
  let description = [{
    One covers everything that the thread issued before, and arrives in each CTA of
    its mask (PTX ISA, "tcgen05.commit").
  }];
}

def TCGen05_MmaAttr : AttrDef<TCGen05_Dialect, "Mma", [
    DeclareAttrInterfaceMethods<TC_EngineAttrInterface,
        ["covers", "isOrderedAfter", "isQueue", "completesRead"]>]> {
  let mnemonic = "mma";
  let summary = "the matrix unit of tcgen05";
  let description = [{
    Instructions are issued by one thread, of the leader where a pair of CTAs
    executes one, run in the async proxy and complete with `tcgen05.commit`, which
    covers everything that the thread issued before (PTX ISA,
    "tcgen05.commit").

    With `k` an instruction multiplies as many elements of a row, where its kind has
    such a K, else as many as on all chips. With `keep_b` the second of two
    instructions that multiply 128 of 256 rows by the same B takes it from where the
    first kept it (sm_107). When A was read from shared memory a commit can say
    before the products are done (sm_107).

    A multiplication after a copy (`#tcgen05.cp`) into the columns that it reads
    needs no signal; a copy over columns that a multiplication reads does (PTX ISA,
    "Pipelined instructions").

    Example:

    ```mlir
    tmm.mma %a, %b, %acc accumulate(%more) by(#tcgen05.mma) : !a, !b, !acc
    tmm.mma %a, %b, %acc accumulate(%more) by(#tcgen05.mma<k = 64>) : !a, !b, !acc
    tmm.mma %rows, %b, %tall accumulate(%more) by(#tcgen05.mma<k = 64, keep_b = true>) : !tall_a, !b, !tall_acc
    ```
  }];
  let parameters = (ins DefaultValuedParameter<"int64_t", "0">:$k,
                        DefaultValuedParameter<"bool", "false">:$keep_b);
  let assemblyFormat = "(`<` struct(params)^ `>`)?";
  let genVerifyDecl = 1;
}

def TCGen05_CpAttr : AttrDef<TCGen05_Dialect, "Cp", [
    DeclareAttrInterfaceMethods<TC_EngineAttrInterface,
        ["covers"]>]> {
  let mnemonic = "cp";
  let summary = "the copies of tcgen05 from shared to Tensor Memory";
  let description = [{
    Issued and completed as those of `#tcgen05.mma`, with which they share the
    commit.

    Example:

    ```mlir
    tmm.copy %scales, %columns by(#tcgen05.cp) : !sfa, !columns
    ```
  }];
}

def TCGen05_RowsAttr : AttrDef<TCGen05_Dialect, "Rows", [
    DeclareAttrInterfaceMethods<TC_RegisterLayoutAttrInterface, ["emitHolds"]>]> {
  let mnemonic = "rows";
  let summary = "register tiles as tcgen05.ld reads them: a row for each thread";
  let description = [{
    The four warps of a role hold the lanes of Tensor Memory, thread t lane t, and a
    lane holds a row of the accumulator. With 128 rows (data path layouts A and D)
    thread t has row t. 256 rows are two accumulators next to each other: eight warps
    hold them, thread t row t. With 64 (layout F) row r is in lane 32 (r / 16) + r mod 16: the
    first 16 threads of each warp hold one, the others none (PTX ISA, "Data path
    layout organization").

    * C1: the tile has 64, 128 or 256 rows.

    Example:

    ```mlir
    %r = tmm.read %acc[%column] if %written layout(#tcgen05.rows)
      : !acc -> vector<128x32xf32>
    ```
  }];
}

#endif // TC_DIALECT_TCGEN05_IR_TCGEN05ATTRS_TD
