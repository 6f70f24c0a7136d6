//===- CudaSensors.cpp - Clock and power of a GPU ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Types and values are those of nvml.h.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Device/CudaSensors.h"

#include <dlfcn.h>
#include <type_traits>

namespace {

using NvmlDevice = struct NvmlDeviceTag *;

struct Nvml {
  int (*Init)() = nullptr;
  int (*DeviceGetHandleByPciBusId)(const char *, NvmlDevice *) = nullptr;
  int (*DeviceGetClockInfo)(NvmlDevice, int type, unsigned *mhz) = nullptr;
  int (*DeviceGetPowerUsage)(NvmlDevice, unsigned *milliwatts) = nullptr;
  bool isUsable = false;

  Nvml() {
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
      return;
    auto find = [&](auto &function, const char *name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
          dlsym(library, name));
      return function != nullptr;
    };
    isUsable =
        find(Init, "nvmlInit_v2") &&
        find(DeviceGetHandleByPciBusId, "nvmlDeviceGetHandleByPciBusId_v2") &&
        find(DeviceGetClockInfo, "nvmlDeviceGetClockInfo") &&
        find(DeviceGetPowerUsage, "nvmlDeviceGetPowerUsage") && Init() == 0;
  }
};

/// nvmlClockType_t.
constexpr int kClockSm = 1;

} // namespace

void tc::runtime::cuda::readSensors(const char *pciBusId, unsigned &clockMHz,
                                    double &watts) {
  static const Nvml nvml;
  NvmlDevice device = nullptr;
  if (!nvml.isUsable || nvml.DeviceGetHandleByPciBusId(pciBusId, &device) != 0)
    return;
  unsigned value = 0;
  if (nvml.DeviceGetClockInfo(device, kClockSm, &value) == 0)
    clockMHz = value;
  if (nvml.DeviceGetPowerUsage(device, &value) == 0)
    watts = value / 1e3;
}
