//===- CudaDriver.cpp - The CUDA driver at run time -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds every function by its versioned name.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Device/CudaDriver.h"

#include <string>

using namespace tc;
using namespace tc::runtime;
using namespace tc::runtime::cuda;

namespace {

struct Symbol {
  const char *name;
  void **into;
};

} // namespace

Error Driver::error(const char *call, Result result) const {
  return makeError(Library::get().explain(call, result));
}

static Expected<const Driver *> load() {
  static Driver driver;
  const Library &library = Library::get();
  if (!library.getError().empty())
    return makeError("device cuda: " + library.getError() +
                     ", expected one, or --device=emulator");
  const Symbol symbols[] = {
#define TC_CUDA(member, name) {name, reinterpret_cast<void **>(&driver.member)}
      TC_CUDA(Init, "cuInit"),
      TC_CUDA(DeviceGet, "cuDeviceGet"),
      TC_CUDA(DeviceGetAttribute, "cuDeviceGetAttribute"),
      TC_CUDA(DeviceGetName, "cuDeviceGetName"),
      TC_CUDA(DeviceGetPCIBusId, "cuDeviceGetPCIBusId"),
      TC_CUDA(DevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain"),
      TC_CUDA(DevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2"),
      TC_CUDA(CtxSetCurrent, "cuCtxSetCurrent"),
      TC_CUDA(CtxSynchronize, "cuCtxSynchronize"),
      TC_CUDA(ModuleLoadDataEx, "cuModuleLoadDataEx"),
      TC_CUDA(ModuleUnload, "cuModuleUnload"),
      TC_CUDA(ModuleGetFunctionCount, "cuModuleGetFunctionCount"),
      TC_CUDA(ModuleEnumerateFunctions, "cuModuleEnumerateFunctions"),
      TC_CUDA(FuncGetName, "cuFuncGetName"),
      TC_CUDA(FuncGetParamInfo, "cuFuncGetParamInfo"),
      TC_CUDA(FuncGetAttribute, "cuFuncGetAttribute"),
      TC_CUDA(FuncSetAttribute, "cuFuncSetAttribute"),
      TC_CUDA(MemAlloc, "cuMemAlloc_v2"),
      TC_CUDA(MemFree, "cuMemFree_v2"),
      TC_CUDA(MemcpyHtoD, "cuMemcpyHtoD_v2"),
      TC_CUDA(MemcpyDtoH, "cuMemcpyDtoH_v2"),
      TC_CUDA(MemsetD8, "cuMemsetD8_v2"),
      TC_CUDA(MemsetD8Async, "cuMemsetD8Async"),
      TC_CUDA(MemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2"),
      TC_CUDA(EventCreate, "cuEventCreate"),
      TC_CUDA(EventDestroy, "cuEventDestroy_v2"),
      TC_CUDA(EventRecord, "cuEventRecord"),
      TC_CUDA(EventElapsedTime, "cuEventElapsedTime"),
      TC_CUDA(LaunchKernelEx, "cuLaunchKernelEx"),
      TC_CUDA(TensorMapEncodeTiled, "cuTensorMapEncodeTiled"),
      TC_CUDA(TensorMapEncodeIm2col, "cuTensorMapEncodeIm2col"),
#undef TC_CUDA
  };
  for (const Symbol &symbol : symbols) {
    *symbol.into = library.find(symbol.name);
    if (!*symbol.into)
      return makeError("device cuda: the driver has no " +
                       std::string(symbol.name) +
                       ", expected one of CUDA 12.4 or later");
  }
  if (Result result = driver.Init(0)) {
    Error error = driver.error("cuInit", result);
    return makeError("device cuda: " + error.message);
  }
  return &driver;
}

Expected<const Driver *> Driver::get() {
  static const Expected<const Driver *> driver = load();
  return driver;
}
