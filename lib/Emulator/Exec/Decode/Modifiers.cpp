//===- Modifiers.cpp - modifiers of several families ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exec/Decode/Modifiers.h"
#include "Exec/Decode/Targets.h"

namespace tc::emu {

void takeCacheModifiers(DecodeContext &c) {
  c.takeOneOf({"ca", "cg", "cs", "lu", "cv", "wb", "wt"});
  for (std::string_view prefix : {"L1::", "L2::"})
    while (true) {
      std::string_view modifier = c.takePrefix(prefix);
      if (modifier.empty())
        break;
      static const std::string_view kKnown[] = {
          "L1::evict_normal", "L1::evict_unchanged",
          "L1::evict_first",  "L1::evict_last",
          "L1::no_allocate",  "L2::evict_first",
          "L2::evict_normal", "L2::evict_last",
          "L2::64B",          "L2::128B",
          "L2::256B",         "L2::cache_hint"};
      bool known = false;
      for (std::string_view name : kKnown)
        known |= name == modifier;
      if (!known)
        return c.fail("unknown modifier ." + std::string(modifier));
    }
}

unsigned takeMulticast(DecodeContext &c) {
  if (c.take("multicast::cluster"))
    return 16;
  if (c.take("multicast::cluster::16b")) {
    expectTarget(c, ".multicast::cluster::16b", Targets::From90, {9, 4});
    return 16;
  }
  if (!c.take("multicast::cluster::32b"))
    return 0;
  expectTarget(c, ".multicast::cluster::32b", Targets::Rubin, {9, 4});
  return 32;
}

Scope takeScope(DecodeContext &c, Scope otherwise) {
  std::string_view scope = c.takeOneOf({"cta", "cluster", "gpu", "sys"});
  return scope == "cta"       ? Scope::Cta
         : scope == "cluster" ? Scope::Cluster
         : scope == "gpu"     ? Scope::Gpu
         : scope == "sys"     ? Scope::Sys
                              : otherwise;
}

bool takeAtomicOp(DecodeContext &c, AtomicOp &op) {
  static const std::pair<std::string_view, AtomicOp> kOps[] = {
      {"add", AtomicOp::Add},   {"min", AtomicOp::Min}, {"max", AtomicOp::Max},
      {"and", AtomicOp::And},   {"or", AtomicOp::Or},   {"xor", AtomicOp::Xor},
      {"exch", AtomicOp::Exch}, {"cas", AtomicOp::Cas}, {"inc", AtomicOp::Inc},
      {"dec", AtomicOp::Dec}};
  for (const auto &row : kOps)
    if (c.take(row.first)) {
      op = row.second;
      return true;
    }
  return false;
}

} // namespace tc::emu
