//===- RegisterLayout.cpp - who holds a register tile -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "tc/Support/RegisterLayout.h"

#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace tc;

#include "tc/Support/RegisterLayoutAttrInterfaces.cpp.inc"

VectorType tc::getThreadType(RegisterLayoutAttrInterface layout,
                             VectorType tile) {
  int64_t registers = 0;
  for (const RegisterRun &run : layout.getRuns(tile.getShape()))
    registers += run.length;
  return VectorType::get({registers}, tile.getElementType());
}

std::optional<SmallVector<int64_t>>
tc::getRegistersOfPart(RegisterLayoutAttrInterface layout,
                       ArrayRef<int64_t> shape, ArrayRef<int64_t> part,
                       int64_t row, int64_t column) {
  if (layout.getThreads(shape) != layout.getThreads(part))
    return std::nullopt;
  // What a thread holds, by its distance from the thread's own row and column.
  llvm::DenseMap<std::pair<int64_t, int64_t>, int64_t> registers;
  for (const RegisterRun &run : layout.getRuns(shape))
    for (int64_t i = 0; i < run.length; ++i)
      registers[{run.row, run.column + i}] = run.first + i;
  SmallVector<int64_t> result;
  for (const RegisterRun &run : layout.getRuns(part))
    for (int64_t i = 0; i < run.length; ++i) {
      auto found = registers.find({run.row + row, run.column + i + column});
      if (found == registers.end())
        return std::nullopt;
      result.push_back(found->second);
    }
  return result;
}
