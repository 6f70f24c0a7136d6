//===- Reconvergence.cpp - where diverged threads meet again --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Immediate post-dominators over basic blocks (Cooper, Harvey and Kennedy's
// iteration on the reversed graph). Exits lead to one virtual block; a branch
// whose post-dominator is that block has no reconvergence point.
//
//===----------------------------------------------------------------------===//

#include "Exec/Decode/FunctionDecoder.h"

#include <algorithm>

namespace tc::emu {

namespace {
struct Block {
  uint32_t begin = 0, end = 0; ///< instructions [begin, end)
  std::vector<uint32_t> successors;
};
} // namespace

static bool endsBlock(const DecodedInst &inst) {
  return inst.fn == execBranch || inst.fn == execIndirectBranch ||
         inst.fn == execExit || inst.fn == execTrap;
}

void findReconvergence(
    std::vector<DecodedInst> &code,
    const std::unordered_map<uint32_t, std::vector<uint32_t>> &tables) {
  const uint32_t size = uint32_t(code.size());
  std::vector<bool> leader(size + 1, false);
  leader[0] = true;
  auto targetsOf = [&](uint32_t i) -> std::vector<uint32_t> {
    if (code[i].fn == execBranch)
      return {code[i].target};
    if (code[i].fn == execIndirectBranch)
      return tables.at(i);
    return {};
  };
  for (uint32_t i = 0; i < size; ++i) {
    for (uint32_t target : targetsOf(i))
      leader[target] = true;
    if (endsBlock(code[i]))
      leader[i + 1] = true;
  }
  std::vector<Block> blocks;
  std::vector<uint32_t> blockOf(size + 1);
  for (uint32_t i = 0; i < size; ++i) {
    if (leader[i])
      blocks.push_back({i, i, {}});
    blocks.back().end = i + 1;
    blockOf[i] = uint32_t(blocks.size() - 1);
  }
  const uint32_t exit = uint32_t(blocks.size());
  for (Block &block : blocks) {
    uint32_t last = block.end - 1;
    const DecodedInst &inst = code[last];
    std::vector<uint32_t> targets = targetsOf(last);
    for (uint32_t target : targets)
      block.successors.push_back(target < size ? blockOf[target] : exit);
    bool fallsThrough = !endsBlock(inst) || inst.guarded;
    // A trap ends the grid: no thread has to be waited for after it.
    if (inst.fn == execExit)
      block.successors.push_back(exit);
    if (fallsThrough)
      block.successors.push_back(block.end < size ? blockOf[block.end] : exit);
    std::sort(block.successors.begin(), block.successors.end());
    block.successors.erase(
        std::unique(block.successors.begin(), block.successors.end()),
        block.successors.end());
  }
  blocks.push_back({size, size, {}});

  // Post-order of the reversed graph from the exit. Blocks that never reach an
  // exit (endless loops) stay without a post-dominator.
  std::vector<std::vector<uint32_t>> predecessors(blocks.size());
  for (uint32_t b = 0; b < blocks.size(); ++b)
    for (uint32_t s : blocks[b].successors)
      predecessors[s].push_back(b);
  std::vector<uint32_t> order, number(blocks.size(), ~0u);
  std::vector<std::pair<uint32_t, size_t>> stack{{exit, 0}};
  std::vector<bool> seen(blocks.size(), false);
  seen[exit] = true;
  while (!stack.empty()) {
    auto &[block, next] = stack.back();
    if (next < predecessors[block].size()) {
      uint32_t p = predecessors[block][next++];
      if (!seen[p]) {
        seen[p] = true;
        stack.push_back({p, 0});
      }
    } else {
      number[block] = uint32_t(order.size());
      order.push_back(block);
      stack.pop_back();
    }
  }
  std::vector<uint32_t> ipdom(blocks.size(), ~0u);
  ipdom[exit] = exit;
  auto intersect = [&](uint32_t a, uint32_t b) {
    while (a != b) {
      while (number[a] < number[b])
        a = ipdom[a];
      while (number[b] < number[a])
        b = ipdom[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = order.size(); i--;) {
      uint32_t block = order[i];
      if (block == exit)
        continue;
      uint32_t best = ~0u;
      for (uint32_t s : blocks[block].successors)
        if (number[s] != ~0u && ipdom[s] != ~0u)
          best = best == ~0u ? s : intersect(best, s);
      if (best != ipdom[block]) {
        ipdom[block] = best;
        changed = true;
      }
    }
  }
  for (uint32_t b = 0; b < exit; ++b) {
    DecodedInst &inst = code[blocks[b].end - 1];
    if (inst.fn != execBranch && inst.fn != execIndirectBranch)
      continue;
    if (ipdom[b] != ~0u && ipdom[b] != exit)
      inst.reconverge = blocks[ipdom[b]].begin;
  }
}

} // namespace tc::emu
