//===- InlinePTX.h - instructions that NVVM does not have -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes one instruction as inline PTX, operand by operand.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_INLINEPTX_H
#define TC_SUPPORT_INLINEPTX_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

#include <string>

namespace tc {

class InlinePTX {
public:
  /// `opcode` with all its modifiers: "tcgen05.mma.cta_group::1...".
  InlinePTX(mlir::OpBuilder &builder, mlir::Location loc, std::string opcode)
      : builder(builder), loc(loc), text(std::move(opcode)) {}

  /// A register of i1, i16, i32 or i64.
  void addRegister(mlir::Value value);
  /// [address] of a pointer to Tensor Memory or to shared memory.
  void addAddress(mlir::Value pointer);
  /// The same without brackets.
  void addPlainAddress(mlir::Value pointer);
  /// {a, b, ...}
  void addVector(mlir::ValueRange words);
  /// [pointer, a, {b, c}, ...]: what `list` adds between the brackets, after a
  /// generic pointer.
  void addList(mlir::Value pointer, llvm::function_ref<void()> list);
  void addImmediate(int64_t value);
  /// The result that is not asked for.
  void addSink();
  /// The instruction, with effects on any memory.
  void emit();

private:
  void startOperand();
  std::string getName(mlir::Value value);
  mlir::Value toInteger(mlir::Value pointer);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  std::string text, constraints;
  llvm::SmallVector<mlir::Value> values;
  bool isFirst = true;
};

} // namespace tc

#endif // TC_SUPPORT_INLINEPTX_H
