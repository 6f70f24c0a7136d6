//===- KernelFlow.h - operands and regions of a kernel ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is known of a kernel before it runs: which registers decide what an
// instruction does, which it moves, and what the ways from a branch to its
// immediate post-dominator hold.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_CERTIFY_KERNELFLOW_H
#define TC_EMULATOR_CERTIFY_KERNELFLOW_H

#include "State/DecodedInst.h"

#include <mutex>
#include <unordered_map>

namespace tc::emu {

/// "mbarrier.arrive".
std::string opcodeOf(const DecodedInst &inst);

class KernelFlow {
public:
  explicit KernelFlow(const KernelCode &kernel);

  struct Operands {
    /// Mask indices of registers; the carry flag is numRegs.
    std::vector<uint32_t> controls, values, writes;
    bool isPure = false; ///< nobody but the lane's registers can tell
  };
  const Operands &operator[](uint32_t pc) const { return all[pc]; }

  const KernelCode &kernel;
  bool elects = false;    ///< has elect.sync
  bool allocates = false; ///< has tcgen05.alloc
  uint32_t numRegs() const { return kernel.numRegs + 1; }

  /// What is on the ways from `from` to `end`.
  struct Region {
    int effectLine = 0; ///< of something that others can see, 0: none
    int loopLine = 0;   ///< of a branch that may go round for ever, 0: none
    std::vector<uint32_t> writes;
  };
  const Region &region(uint32_t from, uint32_t end) const;

  /// Whether all `lanes` of a register have the same value.
  static bool isUniform(const Warp &warp, uint32_t reg, uint32_t lanes);
  /// 32-bit words of a register's slot.
  static uint32_t wordsOf(const KernelCode &kernel, uint32_t reg);

private:
  Region findRegion(uint32_t from, uint32_t end) const;

  std::vector<Operands> all;
  mutable std::mutex lock;
  mutable std::unordered_map<uint64_t, std::unique_ptr<Region>> regions;
};

} // namespace tc::emu

#endif // TC_EMULATOR_CERTIFY_KERNELFLOW_H
