//===- InstructionTable.cpp - how opcode families register ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Longest match of an opcode's parts, and the list of all families.
//
//===----------------------------------------------------------------------===//

#include "Exec/Decode/InstructionTable.h"

namespace tc::emu {

Payload::~Payload() = default;

const InstructionTable &InstructionTable::get() {
  static const InstructionTable table = [] {
    InstructionTable t;
    t.addsComputations = true;
    registerIntegerInstructions(t);
    registerCarryInstructions(t);
    registerCarrylessInstructions(t);
    registerBitInstructions(t);
    registerFloatInstructions(t);
    registerHalfInstructions(t);
    registerCompareInstructions(t);
    registerConvertInstructions(t);
    registerConvertPackInstructions(t);
    t.addsComputations = false;
    t.addsMoves = true;
    registerMoveInstructions(t);
    t.addsMoves = false;
    registerMemoryInstructions(t);
    registerSparsityInstructions(t);
    registerMatrixInstructions(t);
    registerMmaSyncInstructions(t);
    registerWmmaTransfers(t);
    registerWmmaProducts(t);
    registerWgmmaInstructions(t);
    registerControlInstructions(t);
    registerWarpInstructions(t);
    registerBarrierInstructions(t);
    registerMbarrierInstructions(t);
    registerAtomicInstructions(t);
    registerFenceInstructions(t);
    registerRegisterPool(t);
    registerLaunchControlInstructions(t);
    registerBulkInstructions(t);
    registerStoreBulkInstructions(t);
    registerStoreAsyncInstructions(t);
    registerTmaInstructions(t);
    registerTensorMapInstructions(t);
    registerTcgen05Instructions(t);
    return t;
  }();
  return table;
}

const InstructionTable::Entry *
InstructionTable::find(const std::vector<std::string_view> &parts,
                       unsigned &used) const {
  std::string key;
  const Entry *best = nullptr;
  for (unsigned i = 0; i < parts.size(); ++i) {
    key += i ? "." : "";
    key += parts[i];
    auto it = entries.find(key);
    if (it != entries.end()) {
      best = &it->second;
      used = i + 1;
    }
  }
  return best;
}

} // namespace tc::emu
