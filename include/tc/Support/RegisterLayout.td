//===- RegisterLayout.td - who holds a register tile -------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How a tile of a matrix is dealt to the registers of the threads of a role. A
// back end implements the interface with an attribute of its own dialect; ops
// that make or take register tiles name it.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_REGISTERLAYOUT_TD
#define TC_SUPPORT_REGISTERLAYOUT_TD

include "mlir/IR/OpBase.td"

def TC_RegisterLayoutAttrInterface : AttrInterface<"RegisterLayoutAttrInterface"> {
  let cppNamespace = "::tc";
  let description = [{
    Which registers of which threads hold which elements of a tile of rows x
    columns. Each thread holds the same number of elements. They come in runs:
    registers with consecutive numbers that hold consecutive elements of a row.
    Where a run starts is the thread's own row and column, computed once, and an
    offset that is the same for all threads:

    element(thread, register r of a run) =
        tile[row(thread) + run.row, column(thread) + run.column + r - run.first]
  }];
  let methods = [
    InterfaceMethod<"Whether a tile of `shape` can be dealt so.", "bool", "fits",
                    (ins "::llvm::ArrayRef<int64_t>":$shape)>,
    InterfaceMethod<"Checks that a tile of `shape` can be dealt so; says what it "
                    "should be.",
                    "::mlir::LogicalResult", "verifyTile",
                    (ins "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError,
                         "::llvm::ArrayRef<int64_t>":$shape)>,
    InterfaceMethod<"Threads that a tile of `shape` is dealt to: the first ones "
                    "of a role.", "int64_t", "getThreads",
                    (ins "::llvm::ArrayRef<int64_t>":$shape)>,
    InterfaceMethod<"The runs of a thread, by their first registers; together "
                    "they are all of its registers.",
                    "::llvm::SmallVector<::tc::RegisterRun>", "getRuns",
                    (ins "::llvm::ArrayRef<int64_t>":$shape)>,
    InterfaceMethod<"The row of the runs at row 0, of the thread with number "
                    "`thread` (i32) in its role; i32.", "::mlir::Value", "emitRow",
                    (ins "::mlir::OpBuilder &":$builder,
                         "::mlir::Location":$loc, "::mlir::Value":$thread,
                         "::llvm::ArrayRef<int64_t>":$shape)>,
    InterfaceMethod<"The column of the runs at column 0; null: 0 for every "
                    "thread.", "::mlir::Value", "emitColumn",
                    (ins "::mlir::OpBuilder &":$builder,
                         "::mlir::Location":$loc, "::mlir::Value":$thread,
                         "::llvm::ArrayRef<int64_t>":$shape), /*methodBody=*/"",
                    /*defaultImplementation=*/"return {};">,
    InterfaceMethod<"Threads that hold a row together: as many with consecutive "
                    "numbers, the first a multiple of it; a power of two.",
                    "int64_t", "getRowThreads">,
    InterfaceMethod<"Whether runs are rows of 8 x 8 matrices as stmatrix takes "
                    "them: lane l of each warp has the elements 2 (l mod 4) and the "
                    "next one of row l / 4. All threads hold a part then.",
                    "bool", "hasMatrices", (ins), /*methodBody=*/"",
                    /*defaultImplementation=*/"return false;">,
    InterfaceMethod<"The layout in which the threads of a row of this one hold "
                    "as many elements of it, but neighbours, so that few wide accesses "
                    "move them: tmm.convert_layout makes this one of it. Null: there is "
                    "none, accesses in this one are wide.",
                    "::mlir::Attribute", "getMemoryLayout", (ins), /*methodBody=*/"",
                    /*defaultImplementation=*/"return {};">,
    InterfaceMethod<"Whether the thread holds a part of the tile (i1); null: "
                    "every thread does.", "::mlir::Value", "emitHolds",
                    (ins "::mlir::OpBuilder &":$builder,
                         "::mlir::Location":$loc, "::mlir::Value":$thread,
                         "::llvm::ArrayRef<int64_t>":$shape), /*methodBody=*/"",
                    /*defaultImplementation=*/"return {};">,
    InterfaceMethod<"Whether the thread is the one that stores its part (i1), of "
                    "several that hold the same; null: no other holds it.",
                    "::mlir::Value", "emitStores",
                    (ins "::mlir::OpBuilder &":$builder,
                         "::mlir::Location":$loc, "::mlir::Value":$thread),
                    /*methodBody=*/"", /*defaultImplementation=*/"return {};">
  ];
}

#endif // TC_SUPPORT_REGISTERLAYOUT_TD
