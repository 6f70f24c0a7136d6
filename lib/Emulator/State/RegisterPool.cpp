//===- RegisterPool.cpp - registers that a kernel starts with -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "State/RegisterPool.h"

#include "State/Machine.h"

#include <algorithm>

namespace tc::emu {

static constexpr unsigned kRegisterFile = 65536; ///< of an SM

unsigned registersAtStart(const KernelInfo &info) {
  uint64_t threads = 0;
  for (const auto &bound : {info.reqntid, info.maxntid})
    if (bound[0] && !threads)
      threads = uint64_t(bound[0]) * bound[1] * bound[2];
  if (info.maxnreg)
    return std::min(RegisterPool::kMost,
                    (info.maxnreg + RegisterPool::kStep - 1) /
                        RegisterPool::kStep * RegisterPool::kStep);
  if (!threads)
    return 0;
  threads = (threads + 31) / 32 * 32 * std::max(1u, info.minnctapersm);
  uint64_t share =
      kRegisterFile / threads / RegisterPool::kStep * RegisterPool::kStep;
  return unsigned(std::min<uint64_t>(share, RegisterPool::kMost));
}

void checkRegisterChanges(Cta &cta) {
  if (!cta.registers.perThread)
    return;
  for (const auto &warp : cta.warps) {
    const Warp &first = *cta.warps[warp->index / RegisterPool::kWarpsPerGroup *
                                   RegisterPool::kWarpsPerGroup];
    if (warp->registerChanges == first.registerChanges)
      continue;
    const Warp &more =
        warp->registerChanges > first.registerChanges ? *warp : first;
    const Warp &less = &more == &first ? *warp : first;
    return cta.cluster.fail(
        ReportKind::Sync,
        "setmaxnreg: expected every warp of the warpgroup to execute it, " +
            more.name() + " did " + std::to_string(more.registerChanges) +
            " times, " + less.name() + " " +
            std::to_string(less.registerChanges) + " times" +
            RegisterPool::kSection,
        more.registerLine);
  }
}

} // namespace tc::emu
