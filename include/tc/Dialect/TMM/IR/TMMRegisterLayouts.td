//===- TMMRegisterLayouts.td - rows of threads alone -------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layouts of register tiles that no matrix unit reads or writes, and of what
// reductions make of tiles of any layout.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TMM_IR_TMMREGISTERLAYOUTS_TD
#define TC_DIALECT_TMM_IR_TMMREGISTERLAYOUTS_TD

include "mlir/IR/AttrTypeBase.td"
include "tc/Dialect/TMM/IR/TMMDialect.td"
include "tc/Support/RegisterLayout.td"

def TMM_ThreadRowsAttr : AttrDef<TMM_Dialect, "ThreadRows", [
    DeclareAttrInterfaceMethods<TC_RegisterLayoutAttrInterface, ["emitColumn"]>]> {
  let mnemonic = "thread_rows";
  let summary = "register tiles whose rows threads read side by side";
  let description = [{
    `threads` threads hold a row together, each `chunk` neighbouring elements of every
    `threads * chunk`; of a tile of R rows each holds a part of `rows`. With
    g = R / `rows`, register i of row k of thread t is the element at

    row t / `threads` + g * k, column `threads` * `chunk` * (i / `chunk`) + `chunk` * (t mod `threads`) + i mod `chunk`

    * C1: `threads` is a power of two up to 1024, `chunk` one up to 16, `rows` at least 1.
    * C2: the rows of a tile are a multiple of `rows`, its columns of `threads * chunk`.

    Example:

    ```mlir
    %x = tmm.fetch %m[%row, %col] layout(#tmm.thread_rows<threads = 256, chunk = 4, rows = 1>)
      : memref<?x4096xf32> -> vector<1x4096xf32>
    ```
  }];
  let parameters = (ins "int64_t":$threads, "int64_t":$chunk, "int64_t":$rows);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def TMM_RowValuesAttr : AttrDef<TMM_Dialect, "RowValues", [
    DeclareAttrInterfaceMethods<TC_RegisterLayoutAttrInterface, ["emitStores", "emitHolds"]>]> {
  let mnemonic = "row_values";
  let summary = "one value for each row of a register tile";
  let description = [{
    A tile of one column: each thread that holds a part of a row of a tile of `columns` columns in
    `layout` holds the value of that row, in the order of its rows.

    * C1: the tile has one column, and `layout` fits a tile of its rows and of `columns` columns.

    Example:

    ```mlir
    #rows = #tmm.thread_rows<threads = 256, chunk = 4, rows = 1>
    %s = tmm.reduce <add> %x layout(#rows) : vector<1x4096xf32> -> vector<1x1xf32>
    tmm.store %s, %sums[%row, %zero] layout(#tmm.row_values<#rows, columns = 4096>)
      : vector<1x1xf32>, memref<?x1xf32>
    ```
  }];
  let parameters = (ins "::tc::RegisterLayoutAttrInterface":$layout, "int64_t":$columns);
  let assemblyFormat = "`<` $layout `,` `columns` `=` $columns `>`";
}

#endif // TC_DIALECT_TMM_IR_TMMREGISTERLAYOUTS_TD
