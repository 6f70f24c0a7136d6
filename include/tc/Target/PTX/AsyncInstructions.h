//===- AsyncInstructions.h - asynchronous instructions ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The instructions whose effects LLVM does not model: tcgen05, copies,
// mbarriers and the fences between proxies. What LLVM deletes, merges,
// duplicates or prints without a modifier is found by comparing the PTX with
// the nvvm ops that it came from.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TARGET_PTX_ASYNCINSTRUCTIONS_H
#define TC_TARGET_PTX_ASYNCINSTRUCTIONS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <map>
#include <string>

namespace tc {

/// An instruction in canonical spelling: the opcode, then its modifiers
/// without those that only repeat a default (.sync.aligned, .b32, .shared::cta,
/// .collector::a::discard ...), in alphabetical order.
using AsyncInstruction = std::string;

/// Where an asynchronous instruction is asked for: the number of the block of
/// each op that makes it, and the ops, as long as they exist.
struct AsyncCount {
  llvm::SmallVector<unsigned> blocks;
  llvm::SmallVector<mlir::Operation *> ops;
};
using AsyncCounts = std::map<AsyncInstruction, AsyncCount>;

/// True where a PTX opcode belongs to a family that is compared.
bool isAsyncOpcode(llvm::StringRef opcode);

/// Brings the spelling of a PTX opcode with modifiers into canonical form.
AsyncInstruction canonicalizeAsyncInstruction(llvm::StringRef opcode);

/// Appends the instructions that `op` becomes, canonical. Nothing for an op
/// that is not asynchronous; failure, with a diagnostic on the op, for one of
/// an asynchronous family whose instruction is not known here.
mlir::LogicalResult
appendAsyncInstructions(mlir::Operation *op,
                        llvm::SmallVectorImpl<AsyncInstruction> &out);

/// Appends the asynchronous instructions of PTX text, canonical, in the order
/// of the text.
void appendAsyncInstructions(llvm::StringRef ptx,
                             llvm::SmallVectorImpl<AsyncInstruction> &out);

/// Counts the asynchronous instructions below `root` (a gpu.module).
llvm::FailureOr<AsyncCounts> countAsyncInstructions(mlir::Operation *root);

/// Makes each block below `root` that has asynchronous instructions show in the
/// PTX, unless it is found that it never runs, and in each copy that is made of
/// it: its mark has side effects.
void markAsyncBlocks(mlir::Operation *root, const AsyncCounts &expected);

/// Expects what is in a block of `expected` as often as its mark is in `ptx`:
/// never, or in each copy of it.
void countMarkedBlocks(AsyncCounts &expected, llvm::StringRef ptx);

/// Whether the instructions in `ptx` are `expected`.
bool hasAsyncInstructions(const AsyncCounts &expected, llvm::StringRef ptx);

/// Compares the instructions in `ptx` with `expected` and emits an error on
/// `root` for every difference, with notes on the ops concerned.
mlir::LogicalResult verifyAsyncInstructions(mlir::Operation *root,
                                            const AsyncCounts &expected,
                                            llvm::StringRef ptx);

} // namespace tc

#endif // TC_TARGET_PTX_ASYNCINSTRUCTIONS_H
