//===- Devices.cpp - The devices that programs can see ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Limits of a multiprocessor: CUDA C++ Programming Guide, "Technical
// Specifications per Compute Capability". The rest: what
// cudaGetDeviceProperties says of the product, or its data sheet.
//
//===----------------------------------------------------------------------===//

#include "Devices.h"

#include <cctype>
#include <cstdlib>

using namespace tc;
using namespace tc::cuda;

const std::vector<Device> &cuda::devices() {
  static const std::vector<Device> all = {
      // name, product, target, SMs, SMEM, threads, blocks, memory, L2, clocks
      // of SMs and memory, bus
      {"b200", "NVIDIA B200", "sm_100a", 148, 228, 2048, 32, 183359, 126 << 10,
       1'965'000, 3'996'000, 7680},
      {"b300", "NVIDIA B300", "sm_103a", 148, 228, 2048, 32, 275040, 126 << 10,
       2'032'000, 3'996'000, 8192},
      {"h100", "NVIDIA H100 80GB HBM3", "sm_90a", 132, 228, 2048, 32, 81079,
       50 << 10, 1'980'000, 2'619'000, 5120},
      {"h200", "NVIDIA H200", "sm_90a", 132, 228, 2048, 32, 143155, 60 << 10,
       1'980'000, 3'201'000, 6016},
      {"a100", "NVIDIA A100-SXM4-80GB", "sm_80", 108, 164, 2048, 32, 81920,
       40 << 10, 1'410'000, 1'593'000, 5120},
      {"rtx5090", "NVIDIA GeForce RTX 5090", "sm_120a", 170, 100, 1536, 24,
       32607, 96 << 10, 2'407'000, 14'001'000, 512},
      {"rtx4090", "NVIDIA GeForce RTX 4090", "sm_89", 128, 100, 1536, 24, 24564,
       72 << 10, 2'520'000, 10'501'000, 384},
      {"rtx3090", "NVIDIA GeForce RTX 3090", "sm_86", 82, 100, 1536, 16, 24576,
       6 << 10, 1'695'000, 9'751'000, 384},
  };
  return all;
}

/// "sm_100a" is 100; `suffix` becomes "a". 0 where it is no such text.
static unsigned numberOf(const std::string &target, std::string &suffix) {
  const size_t start = target.compare(0, 3, "sm_") == 0        ? 3
                       : target.compare(0, 8, "compute_") == 0 ? 8
                                                               : 0;
  size_t end = start;
  while (end < target.size() && std::isdigit(uint8_t(target[end])))
    ++end;
  suffix = target.substr(end);
  if (!start || end - start < 2 || end - start > 3 ||
      (!suffix.empty() && suffix != "a" && suffix != "f"))
    return 0;
  return unsigned(std::atoi(target.c_str() + start));
}

unsigned Device::capability() const {
  std::string suffix;
  return numberOf(target, suffix);
}

unsigned Device::rank(const std::string &ptxTarget) const {
  std::string suffix;
  const unsigned number = numberOf(ptxTarget, suffix), own = capability();
  if (!number || number > own)
    return 0;
  if (suffix == "a")
    return number == own ? 10000 : 0;
  if (suffix == "f")
    return number / 10 == own / 10 ? 9000 + number : 0;
  return number;
}

std::string cuda::deviceNames() {
  std::string names;
  for (const Device &device : devices())
    names += (names.empty()                  ? ""
              : &device == &devices().back() ? " or "
                                             : ", ") +
             std::string(device.name);
  return names;
}

emu::Expected<const Device *> cuda::findDevice(const std::string &name) {
  std::string lower;
  for (char c : name)
    lower += char(std::tolower(uint8_t(c)));
  std::string suffix;
  const unsigned number = numberOf(lower, suffix);
  for (const Device &device : devices())
    if (lower == device.name || (number && number == device.capability()))
      return &device;
  return emu::Error{"expected " + deviceNames() +
                    ", or the target of one (sm_100), got '" + name + "'"};
}
