//===- CudaDriver.cpp - The CUDA driver at run time -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds every function by its versioned name. The library stays loaded: threads
// of the driver outlive any object of ours.
//
//===----------------------------------------------------------------------===//

#include "CudaDriver.h"

#include <dlfcn.h>
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
  const char *name = nullptr, *text = nullptr;
  if (GetErrorName(result, &name) != 0 || !name)
    name = "an unknown error";
  if (GetErrorString(result, &text) != 0)
    text = nullptr;
  return makeError(std::string(call) + ": " + name +
                   (text ? " (" + std::string(text) + ")" : ""));
}

static Expected<const Driver *> load() {
  static Driver driver;
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *why = dlerror();
    return makeError("device cuda: no CUDA driver on this machine (" +
                     std::string(why ? why : "libcuda.so.1 not found") +
                     "), expected one, or --device=emulator");
  }
  const Symbol symbols[] = {
#define TC_CUDA(member, name) {name, reinterpret_cast<void **>(&driver.member)}
      TC_CUDA(Init, "cuInit"),
      TC_CUDA(GetErrorName, "cuGetErrorName"),
      TC_CUDA(GetErrorString, "cuGetErrorString"),
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
    *symbol.into = dlsym(library, symbol.name);
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
