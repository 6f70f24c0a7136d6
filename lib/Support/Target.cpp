//===- Target.cpp - facts about the hardware --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tables of Target.h.
//
//===----------------------------------------------------------------------===//

#include "tc/Support/Target.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace tc {

std::optional<int64_t> getTmemAllocation(int64_t columns) {
  if (columns > kTmemColumns)
    return std::nullopt;
  int64_t allocation = kTmemMinAllocation;
  while (allocation < columns)
    allocation *= 2;
  return allocation;
}

std::optional<TmemAllocation> findTmemAllocation(int64_t columns,
                                                 int64_t available) {
  if (std::optional<int64_t> shared = getTmemAllocation(columns);
      shared && *shared <= available)
    return TmemAllocation{*shared};
  const auto exclusive =
      int64_t(llvm::alignTo(uint64_t(columns), uint64_t(kTmemMinAllocation)));
  if (exclusive > available)
    return std::nullopt;
  return TmemAllocation{exclusive, /*exclusive=*/true};
}

int64_t getDynamicSmemBytes(int64_t bytes, int64_t alignment) {
  if (alignment <= kDynamicSmemAlignment)
    return bytes;
  return bytes + alignment - kDynamicSmemAlignment;
}

bool ExtentRange::contains(int64_t extent) const {
  return extent >= first && extent <= last && extent % step == 0;
}

int64_t ExtentRange::nearest(int64_t extent) const {
  int64_t rounded = (std::clamp(extent, first, last) + step / 2) / step * step;
  return std::clamp(rounded, first, last);
}

llvm::StringRef getName(MmaKindFacts kind) {
  static constexpr llvm::StringLiteral names[] = {
      "f16", "tf32", "f8f6f4", "i8", "mxf8f6f4", "mxf4", "mxf4nvf4", "ti16"};
  return names[static_cast<unsigned>(kind)];
}

int64_t getMmaK(MmaKindFacts kind) {
  switch (kind) {
  case MmaKindFacts::F16:
  case MmaKindFacts::TI16:
    return 16;
  case MmaKindFacts::TF32:
    return 8;
  case MmaKindFacts::F8F6F4:
  case MmaKindFacts::I8:
  case MmaKindFacts::MXF8F6F4:
    return 32;
  case MmaKindFacts::MXF4:
  case MmaKindFacts::MXF4NVF4:
    return 64;
  }
  llvm_unreachable("unknown kind");
}

int64_t getWideMmaK(MmaKindFacts kind) {
  switch (kind) {
  case MmaKindFacts::F8F6F4:
  case MmaKindFacts::MXF8F6F4:
  case MmaKindFacts::MXF4:
  case MmaKindFacts::MXF4NVF4:
    return 2 * getMmaK(kind);
  case MmaKindFacts::F16:
  case MmaKindFacts::TF32:
  case MmaKindFacts::I8:
  case MmaKindFacts::TI16:
    return 0;
  }
  llvm_unreachable("unknown kind");
}

bool isBlockScaled(MmaKindFacts kind) {
  return kind == MmaKindFacts::MXF8F6F4 || kind == MmaKindFacts::MXF4 ||
         kind == MmaKindFacts::MXF4NVF4;
}

bool hasNegate(MmaKindFacts kind) { return kind != MmaKindFacts::I8; }

llvm::ArrayRef<TargetFacts> getTargets() {
  // Shared memory: 228 KiB for each SM, 1 KiB of it for the system in each CTA.
  // ptxas 13.0 renamed sm_101a to sm_110a. sm_90a is older than PTX 8.6, but
  // TMA loads to shared::cta are not.
  //
  // sm_107: PTX ISA 9.4, "tcgen05.alloc" (columns), CUDA 13.5's cuda.h and the
  // device attributes that CUTLASS asks (327 KiB, in the oversized mode alone:
  // 227 KiB in the other). ptxas 13.5 takes both targets from PTX 9.4 on. How
  // many multiprocessors a device has no source says.
  //
  // An H200's CTAs in clusters: cudaOccupancyMaxActiveClusters, with the shared
  // memory of a whole multiprocessor.
  static const ResidentCtas h200[] = {{4, 120}, {8, 120}, {16, 112}};
  static const TargetFacts targets[] = {
      // chip, names, PTX, dynamic SMEM, SMs, TMA, fp8, scaled mma.sync, wgmma,
      // CLC,
      // tcgen05, NVVM accepts, CTAs in clusters
      {"sm_100a", "b200 gb200 b100 blackwell", 86, 232448, 148, true, true,
       false, false, true, true, true},
      {"sm_100f", "", 88, 232448, 148, true, true, false, false, true, true,
       false},
      {"sm_103a", "b300 gb300", 88, 232448, 0, true, true, false, false, true,
       true, false},
      {"sm_103f", "", 88, 232448, 0, true, true, false, false, true, true,
       false},
      {"sm_107f", "rubin vr200 r200", 94, 334848, 0, true, true, false, false,
       true, true, false, /*residentCtas=*/{}, "sm_100f", kTmemMostColumns,
       232448, /*hasTmaOverrides=*/true},
      {"sm_107a", "", 94, 334848, 0, true, true, false, false, true, true,
       false, /*residentCtas=*/{}, "sm_100a", kTmemMostColumns, 232448,
       /*hasTmaOverrides=*/true},
      {"sm_110a", "thor", 90, 232448, 0, true, true, false, false, true, true,
       false},
      {"sm_110f", "", 90, 232448, 0, true, true, false, false, true, true,
       false},
      {"sm_90a", "h100 h200 gh200 h20 hopper", 86, 232448, 132, true, true,
       false, true, false, false, false, h200},
      {"sm_120a", "rtx5090 rtxpro6000", 87, 101376, 170, true, true, true,
       false, true, false, false},
      {"sm_121a", "gb10 dgxspark spark", 88, 101376, 48, true, true, true,
       false, true, false, false},
      // mbarrier.test_wait of LLVM asks for 8.0, mma.sync of fp8 for 8.4.
      {"sm_80", "a100 ampere", 80, 166912, 108, false, false, false, false,
       false, false, false},
      {"sm_86", "rtx3090 a10 a40", 80, 101376, 82, false, false, false, false,
       false, false, false},
      {"sm_89", "rtx4090 l4 l40 l40s ada", 84, 101376, 128, false, true, false,
       false, false, false, false},
  };
  return targets;
}

const TargetFacts *findTargetLike(llvm::StringRef name) {
  std::string plain;
  for (char c : name.lower())
    if (llvm::isAlnum(c))
      plain += c;
  for (const TargetFacts &target : getTargets()) {
    llvm::SmallVector<llvm::StringRef> names;
    target.names.split(names, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    const std::string number = "sm" + target.chip.drop_front(3).str();
    if (llvm::is_contained(names, plain) || plain == number ||
        plain == llvm::StringRef(number).rtrim("af"))
      return &target;
  }
  return nullptr;
}

const TargetFacts *getTarget(llvm::StringRef chip) {
  for (const TargetFacts &target : getTargets())
    if (target.chip == chip)
      return &target;
  return nullptr;
}

const TargetFacts *getTarget(int major, int minor) {
  // sm_90a: 9.0, and what only that has.
  const std::string number = std::to_string(10 * major + minor);
  for (const TargetFacts &target : getTargets()) {
    llvm::StringRef rest = target.chip;
    if (rest.consume_front("sm_") && rest.consume_front(number) &&
        (rest.empty() || rest == "a" || rest == "f"))
      return &target;
  }
  return nullptr;
}

} // namespace tc
