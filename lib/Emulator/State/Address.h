//===- Address.h - state spaces and address windows -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the state spaces are in the 64-bit generic address space, and how a
// 32-bit shared address is built. A shared address carries the CTA's rank in
// the cluster from bit 24, and the first 1 KiB of every CTA's shared memory
// belongs to the system, as on the hardware: shipping kernels depend on both.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_STATE_ADDRESS_H
#define TC_EMULATOR_STATE_ADDRESS_H

#include <cstdint>

namespace tc::emu {

enum class Space : uint8_t {
  Generic,
  Global,
  SharedCta,
  SharedCluster,
  Local,
  Param,
  Const
};
const char *toString(Space space);

/// Windows of 4 GiB; everything outside of [kWindowsBegin, kWindowsEnd) is
/// device memory, but for the first page.
constexpr uint64_t kGlobalBegin = 1ull << 12;
constexpr uint64_t kWindowsBegin = 0x7100'0000'0000ull;
constexpr uint64_t kWindowsEnd = 0x7600'0000'0000ull;
constexpr uint64_t kSharedWindow = 0x7100'0000'0000ull;
constexpr uint64_t kLocalWindow = 0x7200'0000'0000ull;
constexpr uint64_t kParamWindow = 0x7300'0000'0000ull;
constexpr uint64_t kConstWindow = 0x7400'0000'0000ull;
/// Module-scope .global variables of programs that have no memory for them.
constexpr uint64_t kModuleWindow = 0x7500'0000'0000ull;
constexpr uint64_t kWindowSize = 1ull << 32;
/// Functions: no memory, only values that a call through a pointer takes.
constexpr uint64_t kCodeWindow = 0x7580'0000'0000ull;

/// Device memory, wherever it is: hosts give pinned memory their own address.
constexpr bool isDeviceAddress(uint64_t address) {
  return address - kWindowsBegin >= kWindowsEnd - kWindowsBegin;
}

constexpr bool inWindow(uint64_t address, uint64_t window) {
  return address - window < kWindowSize;
}

/// Parameter-space addresses from here on name parameters of inlined functions,
/// which live in local memory at the same offset from here.
constexpr uint64_t kFuncParamBase = 1ull << 24;

/// Shared addresses: rank << 24 | offset, the offset counting from
/// kSmemReserved for the CTA's own variables.
constexpr unsigned kSmemRankShift = 24;
constexpr uint32_t kSmemOffsetMask = (1u << kSmemRankShift) - 1;
constexpr uint32_t kSmemReserved = 1024;
/// No chip has more shared memory for a CTA (ChipFacts::smemMax).
constexpr uint32_t kSmemMost = 327 * 1024;

constexpr unsigned smemRank(uint32_t address) {
  return address >> kSmemRankShift;
}
constexpr uint32_t smemOffset(uint32_t address) {
  return address & kSmemOffsetMask;
}
constexpr uint32_t smemAddress(unsigned rank, uint32_t offset) {
  return (rank << kSmemRankShift) | offset;
}

} // namespace tc::emu

#endif // TC_EMULATOR_STATE_ADDRESS_H
