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

using Tables = std::unordered_map<uint32_t, std::vector<uint32_t>>;

/// Where instruction `i` may jump to.
static std::vector<uint32_t> targetsOf(const std::vector<DecodedInst> &code,
                                       const Tables &tables, uint32_t i) {
  if (code[i].fn == execBranch)
    return {code[i].target};
  if (code[i].fn == execIndirectBranch)
    return tables.at(i);
  return {};
}

/// The blocks of `code` in its order; the last one is the exit.
static std::vector<Block> makeBlocks(const std::vector<DecodedInst> &code,
                                     const Tables &tables) {
  const uint32_t size = uint32_t(code.size());
  std::vector<bool> leader(size + 1, false);
  leader[0] = true;
  for (uint32_t i = 0; i < size; ++i) {
    for (uint32_t target : targetsOf(code, tables, i))
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
    for (uint32_t target : targetsOf(code, tables, last))
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
  return blocks;
}

/// Post-order of the reversed graph from the exit, and the number of each block
/// in it. Blocks that never reach an exit (endless loops) have none.
static std::vector<uint32_t> orderFromExit(const std::vector<Block> &blocks,
                                           std::vector<uint32_t> &number) {
  const uint32_t exit = uint32_t(blocks.size() - 1);
  std::vector<std::vector<uint32_t>> predecessors(blocks.size());
  for (uint32_t b = 0; b < blocks.size(); ++b)
    for (uint32_t s : blocks[b].successors)
      predecessors[s].push_back(b);
  std::vector<uint32_t> order;
  number.assign(blocks.size(), ~0u);
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
  return order;
}

/// The block that all ways from a block to the exit pass first; ~0 for those
/// that never reach an exit.
static std::vector<uint32_t>
findPostDominators(const std::vector<Block> &blocks) {
  const uint32_t exit = uint32_t(blocks.size() - 1);
  std::vector<uint32_t> number, ipdom(blocks.size(), ~0u);
  const std::vector<uint32_t> order = orderFromExit(blocks, number);
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
  return ipdom;
}

void findReconvergence(std::vector<DecodedInst> &code, const Tables &tables) {
  const std::vector<Block> blocks = makeBlocks(code, tables);
  const std::vector<uint32_t> ipdom = findPostDominators(blocks);
  const uint32_t exit = uint32_t(blocks.size() - 1);
  for (uint32_t b = 0; b < exit; ++b) {
    DecodedInst &inst = code[blocks[b].end - 1];
    if (inst.fn != execBranch && inst.fn != execIndirectBranch)
      continue;
    if (ipdom[b] != ~0u && ipdom[b] != exit)
      inst.reconverge = blocks[ipdom[b]].begin;
  }
}

} // namespace tc::emu
