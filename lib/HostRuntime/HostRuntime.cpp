//===- HostRuntime.cpp - what lowered host code calls -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions that upstream's gpu-to-llvm and its translation of launches
// call (mgpu*), and the encoding of tensor maps, on the CUDA driver, which is
// found with dlopen: the real one or the emulator's. Any error of the driver
// ends the program with its name.
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

#define TC_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

using Handle = void *;
using Address = unsigned long long;

[[noreturn]] void fail(const char *call, const char *why) {
  std::fprintf(stderr, "error: %s: %s\n", call, why);
  std::abort();
}

/// The driver's function `name`.
void *find(const char *name) {
  static void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    fail("libcuda.so.1", dlerror());
  void *function = dlsym(library, name);
  if (!function)
    fail(name, "not in this driver");
  return function;
}

/// Calls the driver's function `name` without a look at what it returns.
template <typename... Args>
int callQuietly(const char *name, Args... args) {
  return reinterpret_cast<int (*)(Args...)>(find(name))(args...);
}

template <typename... Args>
void call(const char *name, Args... args) {
  int result = callQuietly(name, args...);
  if (result == 0)
    return;
  const char *text = nullptr;
  callQuietly("cuGetErrorName", result, &text);
  fail(name, text ? text : "an unknown error");
}

int device = 0;

/// Makes the primary context of the device current in this thread.
void enter() {
  static bool isReady = (call("cuInit", 0u), true);
  (void)isReady;
  thread_local int current = -1;
  if (current == device)
    return;
  int ordinal = 0;
  Handle context = nullptr;
  call("cuDeviceGet", &ordinal, device);
  call("cuDevicePrimaryCtxRetain", &context, ordinal);
  call("cuCtxSetCurrent", context);
  current = device;
}

/// A launch as cuLaunchKernelEx takes it (CUlaunchConfig, CUlaunchAttribute).
struct LaunchAttribute {
  int id;
  char pad[4];
  unsigned x, y, z;
  char rest[52];
};

struct LaunchConfig {
  unsigned grid[3], block[3], smem;
  Handle stream;
  LaunchAttribute *attributes;
  unsigned count;
};

constexpr int kClusterDimension = 4;
constexpr int kMaxDynamicSharedSize = 8;
/// CU_LAUNCH_ATTRIBUTE_SHARED_MEMORY_MODE and _CLUSTER_SCHEDULING_POLICY of
/// CUDA 13.5, which a CTA with more than 227 KiB needs, and their values.
constexpr int kSharedMemoryMode = 18, kAllowOversized = 3;
constexpr int kClusterPolicy = 5, kClusterSpread = 1;
constexpr unsigned kSmallSharedBytes = 227 * 1024;

void launch(Handle function, LaunchConfig &config, void **params) {
  enter();
  // What every kernel may have without being asked for.
  if (config.smem > 48 * 1024)
    call("cuFuncSetAttribute", function, kMaxDynamicSharedSize,
         static_cast<int>(std::min(config.smem, kSmallSharedBytes)));
  LaunchAttribute attributes[3];
  if (config.smem > kSmallSharedBytes) {
    for (unsigned i = 0; i < config.count; ++i)
      attributes[i] = config.attributes[i];
    attributes[config.count++] = {
        kSharedMemoryMode, {}, unsigned(kAllowOversized), 0, 0, {}};
    attributes[config.count++] = {
        kClusterPolicy, {}, unsigned(kClusterSpread), 0, 0, {}};
    config.attributes = attributes;
  }
  call("cuLaunchKernelEx", &config, function, params, Handle(nullptr));
}

} // namespace

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

TC_EXPORT void tcTensorMapEncode(void *map, int32_t type, int32_t rank,
                                 void *address, const uint64_t *dims,
                                 const uint64_t *strides, const uint32_t *box,
                                 const uint32_t *elementStrides,
                                 int32_t swizzle, int32_t l2Promotion,
                                 int32_t oobFill) {
  enter();
  call("cuTensorMapEncodeTiled", map, type, static_cast<uint32_t>(rank),
       address, dims, strides, box, elementStrides, /*interleave=*/0, swizzle,
       l2Promotion, oobFill);
}

TC_EXPORT void tcTensorMapEncodeIm2col(
    void *map, int32_t type, int32_t rank, void *address, const uint64_t *dims,
    const uint64_t *strides, const int32_t *lower, const int32_t *upper,
    int32_t channels, int32_t pixels, const uint32_t *elementStrides,
    int32_t swizzle, int32_t l2Promotion, int32_t oobFill) {
  enter();
  call("cuTensorMapEncodeIm2col", map, type, static_cast<uint32_t>(rank),
       address, dims, strides, lower, upper, static_cast<uint32_t>(channels),
       static_cast<uint32_t>(pixels), elementStrides, /*interleave=*/0, swizzle,
       l2Promotion, oobFill);
}

//===----------------------------------------------------------------------===//
// Modules and launches
//===----------------------------------------------------------------------===//

TC_EXPORT void mgpuSetDefaultDevice(int32_t number) { device = number; }

TC_EXPORT Handle mgpuModuleLoad(void *data, size_t /*bytes*/) {
  enter();
  Handle module = nullptr;
  call("cuModuleLoadData", &module, data);
  return module;
}

/// The driver's assembler has one level that is right: its default.
TC_EXPORT Handle mgpuModuleLoadJIT(void *data, int /*level*/,
                                   size_t /*bytes*/) {
  return mgpuModuleLoad(data, 0);
}

TC_EXPORT void mgpuModuleUnload(Handle module) {
  enter();
  call("cuModuleUnload", module);
}

TC_EXPORT Handle mgpuModuleGetFunction(Handle module, const char *name) {
  enter();
  Handle function = nullptr;
  call("cuModuleGetFunction", &function, module, name);
  return function;
}

TC_EXPORT void mgpuLaunchKernel(Handle function, intptr_t gridX, intptr_t gridY,
                                intptr_t gridZ, intptr_t blockX,
                                intptr_t blockY, intptr_t blockZ, int32_t smem,
                                Handle stream, void **params, void ** /*extra*/,
                                size_t /*count*/) {
  LaunchConfig config = {{unsigned(gridX), unsigned(gridY), unsigned(gridZ)},
                         {unsigned(blockX), unsigned(blockY), unsigned(blockZ)},
                         unsigned(smem),
                         stream,
                         nullptr,
                         0};
  launch(function, config, params);
}

TC_EXPORT void
mgpuLaunchClusterKernel(Handle function, intptr_t clusterX, intptr_t clusterY,
                        intptr_t clusterZ, intptr_t gridX, intptr_t gridY,
                        intptr_t gridZ, intptr_t blockX, intptr_t blockY,
                        intptr_t blockZ, int32_t smem, Handle stream,
                        void **params, void ** /*extra*/, size_t /*count*/) {
  LaunchAttribute cluster = {kClusterDimension,  {},
                             unsigned(clusterX), unsigned(clusterY),
                             unsigned(clusterZ), {}};
  LaunchConfig config = {{unsigned(gridX), unsigned(gridY), unsigned(gridZ)},
                         {unsigned(blockX), unsigned(blockY), unsigned(blockZ)},
                         unsigned(smem),
                         stream,
                         &cluster,
                         1};
  launch(function, config, params);
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

TC_EXPORT Handle mgpuStreamCreate() {
  enter();
  Handle stream = nullptr;
  call("cuStreamCreate", &stream, /*non-blocking*/ 1u);
  return stream;
}
TC_EXPORT void mgpuStreamDestroy(Handle stream) {
  call("cuStreamDestroy_v2", stream);
}
TC_EXPORT void mgpuStreamSynchronize(Handle stream) {
  call("cuStreamSynchronize", stream);
}
TC_EXPORT void mgpuStreamWaitEvent(Handle stream, Handle event) {
  call("cuStreamWaitEvent", stream, event, 0u);
}
TC_EXPORT Handle mgpuEventCreate() {
  enter();
  Handle event = nullptr;
  call("cuEventCreate", &event, /*without timing*/ 2u);
  return event;
}
TC_EXPORT void mgpuEventDestroy(Handle event) {
  call("cuEventDestroy_v2", event);
}
TC_EXPORT void mgpuEventSynchronize(Handle event) {
  call("cuEventSynchronize", event);
}
TC_EXPORT void mgpuEventRecord(Handle event, Handle stream) {
  call("cuEventRecord", event, stream);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

TC_EXPORT void *mgpuMemAlloc(uint64_t bytes, Handle /*stream*/,
                             bool /*isHostShared*/) {
  enter();
  Address address = 0;
  if (bytes)
    call("cuMemAlloc_v2", &address, static_cast<size_t>(bytes));
  return reinterpret_cast<void *>(address);
}
TC_EXPORT void mgpuMemFree(void *memory, Handle stream) {
  // What is under way on the stream may still use it.
  call("cuStreamSynchronize", stream);
  if (memory)
    call("cuMemFree_v2", reinterpret_cast<Address>(memory));
}
TC_EXPORT void mgpuMemcpy(void *to, void *from, size_t bytes, Handle stream) {
  enter();
  if (bytes)
    call("cuMemcpyAsync", reinterpret_cast<Address>(to),
         reinterpret_cast<Address>(from), bytes, stream);
}
TC_EXPORT void mgpuMemset32(void *to, unsigned value, size_t count,
                            Handle stream) {
  call("cuMemsetD32Async", reinterpret_cast<Address>(to), value, count, stream);
}
TC_EXPORT void mgpuMemset16(void *to, unsigned short value, size_t count,
                            Handle stream) {
  call("cuMemsetD16Async", reinterpret_cast<Address>(to), value, count, stream);
}

namespace {

/// A ranked memref as upstream passes it: pointers, offset, then the sizes and
/// the strides.
struct MemRef {
  char *allocated, *aligned;
  int64_t offset;
  int64_t numbers[];
};

} // namespace

TC_EXPORT void mgpuMemHostRegisterMemRef(int64_t rank, MemRef *memref,
                                         int64_t elementBytes) {
  enter();
  int64_t elements = 1;
  for (int64_t i = 0; i < rank; ++i) {
    if (memref->numbers[i] == 0)
      return;
    elements += (memref->numbers[i] - 1) * memref->numbers[rank + i];
  }
  call("cuMemHostRegister_v2",
       static_cast<void *>(memref->aligned + memref->offset * elementBytes),
       static_cast<size_t>(elements * elementBytes), 0u);
}
TC_EXPORT void mgpuMemHostUnregisterMemRef(int64_t /*rank*/, MemRef *memref,
                                           int64_t elementBytes) {
  call("cuMemHostUnregister",
       static_cast<void *>(memref->aligned + memref->offset * elementBytes));
}
