//===- Undefined.cpp - where undefined values come from -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "State/Undefined.h"

#include "State/Machine.h"

namespace tc::emu {

/// The opcode comes after a guard, if there is one.
static std::string_view opcodeOf(std::string_view text) {
  constexpr std::string_view blanks = " \t\n";
  if (!text.empty() && text[0] == '@') {
    text.remove_prefix(std::min(text.find_first_of(blanks), text.size()));
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  }
  return text.substr(0, text.find_first_of(" \t\n[{"));
}

OriginId UndefinedOrigins::note(int line, std::string_view text,
                                UndefinedOrigin::Place place, unsigned rank,
                                uint32_t at) {
  // An offset of shared or local memory has fewer than 24 bits.
  const uint64_t key = uint64_t(unsigned(line)) << 36 |
                       uint64_t(at & 0xffffff) << 8 | place << 4 | rank;
  auto [entry, isNew] = known.emplace(key, OriginId(list.size() + 1));
  if (!isNew)
    return entry->second;
  if (list.size() >= 0xfffe) {
    known.erase(entry); // the last one stands for the rest
    return OriginId(list.size());
  }
  list.push_back({line, std::string(opcodeOf(text)), place, rank, at});
  return entry->second;
}

std::string UndefinedOrigins::describe(OriginId id, Cluster &cluster) const {
  if (!id)
    return "";
  // A copy: other warps may run below, and add to the list.
  const UndefinedOrigin origin = list[id - 1];
  std::string text =
      ": " + origin.opcode + " of line " + std::to_string(origin.line);
  const std::string at = std::to_string(origin.at);
  const std::string cell = "lane " + std::to_string(origin.at >> 16) +
                           ", column " + std::to_string(origin.at & 0xffff);
  switch (origin.place) {
  case UndefinedOrigin::Register:
    return text + " reads a register that was never written";
  case UndefinedOrigin::Local:
    return text + " reads offset " + at +
           " of local memory, where nothing was written before";
  case UndefinedOrigin::Cell:
    return text + " reads Tensor Memory that was never written: " + cell;
  case UndefinedOrigin::Accumulator:
    return text +
           " accumulates into Tensor Memory that was never written: " + cell;
  case UndefinedOrigin::Lane:
    return text + " reads lane " + at +
           ", which does not execute it with the same member mask (PTX ISA "
           "9.0, \"shfl.sync\", 9.7.9.6)";
  case UndefinedOrigin::Ignored:
    return text + " leaves the bytes that it ignores without a value";
  case UndefinedOrigin::Shared:
    break;
  }
  text += " reads offset " + at +
          " of shared memory, where nothing was "
          "written before";
  const Cta &owner = *cluster.ctas[origin.rank];
  auto isEmpty = [&] {
    return owner.exited ||
           owner.smem.stateOf(origin.at) == SharedMemory::Uninit;
  };
  // Warps that come later may be those that write it.
  if (isEmpty() && cluster.runOthers)
    cluster.runOthers(isEmpty);
  cluster.involved.shared = {true, smemAddress(origin.rank, origin.at), 1};
  if (isEmpty())
    return text + " or since";
  return text + "; expected a barrier between the write that has followed and "
                "the read";
}

} // namespace tc::emu
