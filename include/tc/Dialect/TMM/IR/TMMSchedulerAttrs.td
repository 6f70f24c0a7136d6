//===- TMMSchedulerAttrs.td - rules of dealing tiles -------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The schedulers that need no more than the numbers of the grid, and those
// of the rows of problems.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TMM_IR_TMMSCHEDULERATTRS_TD
#define TC_DIALECT_TMM_IR_TMMSCHEDULERATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "tc/Dialect/TMM/IR/TMMAttrInterfaces.td"
include "tc/Dialect/TMM/IR/TMMDialect.td"

def TMM_StaticSchedulerAttr : AttrDef<TMM_Dialect, "StaticScheduler",
    [DeclareAttrInterfaceMethods<TMM_SchedulerAttrInterface>]> {
  let mnemonic = "static";
  let summary = "tiles are dealt round robin";
  let description = [{
    CTA `c` of `g` computes the tiles `c, c + g, c + 2g, ...`; each tile is one work
    item with all its K-blocks. A grid of one CTA per tile and a persistent grid
    are therefore the same program. CTAs that share their work count as one.

    Tiles are numbered in bands of `raster` rows of tiles, column by column inside
    a band, so that tiles computed at the same time share rows of A and columns
    of B in the L2 cache; `raster` 0 makes all rows one band (M fastest). The last
    band may be lower. With band height h (`raster`, or what is left):

    ```
    band = tile / (raster * tilesN);  i = tile mod (raster * tilesN)
    row = band * raster + i mod h;    column = i / h
    ```

    The tiles of the second problem of a batch follow those of the first.

    A work item is one number, that of its tile. All numbers are below 2^31.

    Example:

    ```mlir
    #tmm.static
    #tmm.static<raster = 8>
    ```
  }];
  let parameters = (ins DefaultValuedParameter<"int64_t", "0">:$raster);
  let assemblyFormat = "(`<` `raster` `=` $raster^ `>`)?";
  let genVerifyDecl = 1;
}

def TMM_GroupedSchedulerAttr : AttrDef<TMM_Dialect, "GroupedScheduler",
    [DeclareAttrInterfaceMethods<TMM_SchedulerAttrInterface, ["readsRows"]>]> {
  let mnemonic = "grouped";
  let summary = "tiles of problems whose rows memory tells are dealt round robin";
  let description = [{
    As `#tmm.static`, with the tiles of the rows that each problem has (`tmm.scheduler`, `rows`): CTA
    `c` of `g` computes the tiles `c, c + g, c + 2g, ...` of all problems, one after the other, and a
    problem without rows has none. The tiles of a problem begin at its first row, whatever that is, and are
    numbered in bands of `raster` rows of tiles.

    A work item is four numbers: that of the tile among those of its problem, the problem, and where its rows
    begin and end. The next one is found from there on, with one load and some ten instructions for each
    problem that is passed; nothing but the kernel's arguments and that memory is read.

    Example:

    ```mlir
    #tmm.grouped
    #tmm.grouped<raster = 8>
    ```
  }];
  let parameters = (ins DefaultValuedParameter<"int64_t", "0">:$raster);
  let assemblyFormat = "(`<` `raster` `=` $raster^ `>`)?";
  let genVerifyDecl = 1;
}

#endif // TC_DIALECT_TMM_IR_TMMSCHEDULERATTRS_TD
