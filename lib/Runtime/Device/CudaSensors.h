//===- CudaSensors.h - Clock and power of a GPU -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NVML (libnvidia-ml.so.1), found at run time like the driver.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_DEVICE_CUDASENSORS_H
#define TC_RUNTIME_DEVICE_CUDASENSORS_H

namespace tc::runtime::cuda {

/// The clock of the multiprocessors and the power of the GPU at that PCI
/// address; both stay as they are where NVML is missing or does not say.
void readSensors(const char *pciBusId, unsigned &clockMHz, double &watts);

} // namespace tc::runtime::cuda

#endif // TC_RUNTIME_DEVICE_CUDASENSORS_H
