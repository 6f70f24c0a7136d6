//===- PointerUses.cpp - what a kernel does with a pointer ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows a parameter of a kernel to the loads and stores through it, so that a
// launcher need not fill what is only written, nor read back what is only read.
//
//===----------------------------------------------------------------------===//

#include "Describer.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace tc;

PointerUses tc::findPointerUses(Operation *kernel, unsigned parameter) {
  auto function = dyn_cast_or_null<FunctionOpInterface>(kernel);
  if (!function || function.isExternal() ||
      parameter >= function.getNumArguments())
    return {true, true};
  PointerUses uses;
  llvm::SetVector<Value> pointers;
  pointers.insert(function.getArgument(parameter));
  for (size_t i = 0; i < pointers.size(); ++i)
    for (OpOperand &use : pointers[i].getUses()) {
      Operation *op = use.getOwner();
      if (isa<LLVM::GEPOp, LLVM::AddrSpaceCastOp, LLVM::BitcastOp>(op))
        pointers.insert(op->getResult(0));
      else if (isa<LLVM::LoadOp>(op))
        uses.isRead = true;
      else if (auto store = dyn_cast<LLVM::StoreOp>(op);
               store && use.get() == store.getAddr() &&
               use.get() != store.getValue())
        uses.isWritten = true;
      else
        return {true, true};
    }
  return uses;
}
