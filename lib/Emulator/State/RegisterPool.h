//===- RegisterPool.h - registers that warps exchange -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_STATE_REGISTERPOOL_H
#define TC_EMULATOR_STATE_REGISTERPOOL_H

namespace tc::emu {

class Cta;
struct KernelInfo;

/// Registers that setmaxnreg moves between the warps of a CTA.
struct RegisterPool {
  static constexpr unsigned kMost = 256, kStep = 8;
  static constexpr unsigned kWarpsPerGroup = 4;
  static constexpr const char *kSection =
      " (PTX ISA 9.0, \"Miscellaneous Instructions: setmaxnreg\")";

  /// Per thread at the start, 0: the PTX does not say, nothing is counted.
  unsigned perThread = 0;
  unsigned free = 0; ///< registers that no warp owns
};

/// Registers per thread that a kernel starts with as far as its directives say,
/// else 0.
unsigned registersAtStart(const KernelInfo &info);

/// Reports a warp of a CTA that ends without a setmaxnreg that others of its
/// warpgroup have executed.
void checkRegisterChanges(Cta &cta);

} // namespace tc::emu

#endif // TC_EMULATOR_STATE_REGISTERPOOL_H
