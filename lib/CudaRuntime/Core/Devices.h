//===- Devices.h - The devices that programs can see ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What programs ask of a device. The compiler's table of targets
// (lib/Support/Target.cpp) is one of instruction sets and needs LLVM.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CUDARUNTIME_CORE_DEVICES_H
#define TC_CUDARUNTIME_CORE_DEVICES_H

#include "tc/Emulator/Error.h"

#include <string>
#include <vector>

namespace tc::cuda {

struct Device {
  const char *name;    ///< of --device
  const char *product; ///< what programs see
  const char *target;  ///< of PTX: "sm_100a"
  unsigned multiprocessors;
  /// Of one multiprocessor, in KiB; a block has one less at most.
  unsigned sharedKiB;
  unsigned threads, blocks; ///< of one multiprocessor
  unsigned memoryMiB;
  unsigned l2KiB;
  unsigned clockKHz, memoryClockKHz, memoryBusBits;

  unsigned capability() const; ///< 100 for 10.0
  /// Most that one block can have.
  unsigned blockSharedBytes() const { return (sharedKiB - 1) << 10; }
  /// How much faster f32 is than f64.
  unsigned singleToDouble() const {
    const unsigned number = capability();
    return number == 80 || number == 90 || number == 100 ? 2 : 64;
  }
  bool hasClusters() const { return capability() >= 90; }
  /// How well PTX for `ptxTarget` fits; 0: not at all. Text for the
  /// architecture beats that for its family, which beats the newest portable
  /// one (PTX ISA 9.0, ".target", 11.1.2).
  unsigned rank(const std::string &ptxTarget) const;
};

/// The first one is the default.
const std::vector<Device> &devices();
/// The device of a name or, by its first one, of a target: "h100", "H100",
/// "sm_90", "sm_90a".
emu::Expected<const Device *> findDevice(const std::string &name);
/// "b200, b300 or h100".
std::string deviceNames();

} // namespace tc::cuda

#endif // TC_CUDARUNTIME_CORE_DEVICES_H
