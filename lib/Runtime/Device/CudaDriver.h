//===- CudaDriver.h - The CUDA driver at run time ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of libcuda.so.1 (CudaLibrary.h) that a launch needs. Types and
// values are those of the driver API of CUDA 12.4 and later (cuda.h).
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_DEVICE_CUDADRIVER_H
#define TC_RUNTIME_DEVICE_CUDADRIVER_H

#include "tc/Runtime/CudaLibrary.h"
#include "tc/Runtime/Error.h"

#include <cstddef>
#include <cstdint>

namespace tc::runtime::cuda {

using Result = int; ///< CUresult; 0 is success
using DeviceId = int;
using DevicePtr = unsigned long long;
using Context = struct ContextTag *;
using Module = struct ModuleTag *;
using Function = struct FunctionTag *;
using Stream = struct StreamTag *;
using Event = struct EventTag *;

/// CUfunction_attribute.
enum FunctionAttribute : int {
  MaxThreadsPerBlock = 0,
  SharedSizeBytes = 1,
  MaxDynamicSharedSizeBytes = 8,
  RequiredClusterWidth = 11,
  RequiredClusterHeight = 12,
  RequiredClusterDepth = 13,
  NonPortableClusterSizeAllowed = 14
};

/// CUdevice_attribute.
enum DeviceAttribute : int {
  ClockRate = 13, // kHz
  MultiprocessorCount = 16,
  L2CacheSize = 38,
  CapabilityMajor = 75,
  CapabilityMinor = 76
};

/// CUjit_option.
enum JitOption : int { ErrorLogBuffer = 5, ErrorLogBufferSizeBytes = 6 };

/// CUlaunchAttributeID.
enum LaunchAttributeId : int {
  ClusterDimension = 4,
  ClusterSchedulingPolicy = 5,
  ProgrammaticStreamSerialization = 6,
  /// CUDA 13.5; drivers before it know neither the attribute nor a device with
  /// the mode.
  SharedMemoryMode = 18
};

/// The most dynamic shared memory that MaxDynamicSharedSizeBytes can allow:
/// more needs a launch in the oversized mode.
constexpr unsigned kSmallSharedBytes = 227 * 1024;
/// Values of ClusterSchedulingPolicy and of SharedMemoryMode: an oversized CTA
/// has a multiprocessor of its own.
constexpr int kClusterSpread = 1, kAllowOversized = 3;

/// CUlaunchAttribute with the values of the attributes above.
struct LaunchAttribute {
  LaunchAttributeId id;
  char pad[4] = {};
  union {
    char bytes[64] = {};
    struct {
      unsigned x, y, z;
    } clusterDim;
    int programmaticStreamSerializationAllowed;
    int clusterSchedulingPolicy;
    int sharedMemoryMode;
  };
};

/// CUlaunchConfig.
struct LaunchConfig {
  unsigned gridDimX, gridDimY, gridDimZ;
  unsigned blockDimX, blockDimY, blockDimZ;
  unsigned sharedMemBytes;
  Stream stream;
  LaunchAttribute *attributes;
  unsigned numAttributes;
};

/// The driver's entry points. Each member has the name of its function without
/// the prefix `cu`.
struct Driver {
  Result (*Init)(unsigned flags);
  Result (*DeviceGet)(DeviceId *device, int ordinal);
  Result (*DeviceGetAttribute)(int *value, int attribute, DeviceId device);
  Result (*DeviceGetName)(char *name, int bytes, DeviceId device);
  Result (*DeviceGetPCIBusId)(char *id, int bytes, DeviceId device);
  Result (*DevicePrimaryCtxRetain)(Context *context, DeviceId device);
  Result (*DevicePrimaryCtxRelease)(DeviceId device);
  Result (*CtxSetCurrent)(Context context);
  Result (*CtxSynchronize)();
  Result (*ModuleLoadDataEx)(Module *module, const void *image,
                             unsigned numOptions, int *options, void **values);
  Result (*ModuleUnload)(Module module);
  Result (*ModuleGetFunctionCount)(unsigned *count, Module module);
  Result (*ModuleEnumerateFunctions)(Function *functions, unsigned count,
                                     Module module);
  Result (*FuncGetName)(const char **name, Function function);
  Result (*FuncGetParamInfo)(Function function, size_t index, size_t *offset,
                             size_t *size);
  Result (*FuncGetAttribute)(int *value, int attribute, Function function);
  Result (*FuncSetAttribute)(Function function, int attribute, int value);
  Result (*MemAlloc)(DevicePtr *address, size_t bytes);
  Result (*MemFree)(DevicePtr address);
  Result (*MemcpyHtoD)(DevicePtr to, const void *from, size_t bytes);
  Result (*MemcpyDtoH)(void *to, DevicePtr from, size_t bytes);
  Result (*MemsetD8)(DevicePtr address, unsigned char value, size_t bytes);
  Result (*MemsetD8Async)(DevicePtr address, unsigned char value, size_t bytes,
                          Stream stream);
  Result (*MemcpyDtoDAsync)(DevicePtr to, DevicePtr from, size_t bytes,
                            Stream stream);
  Result (*EventCreate)(Event *event, unsigned flags);
  Result (*EventDestroy)(Event event);
  Result (*EventRecord)(Event event, Stream stream);
  Result (*EventElapsedTime)(float *milliseconds, Event start, Event end);
  Result (*LaunchKernelEx)(const LaunchConfig *config, Function function,
                           void **params, void **extra);
  Result (*TensorMapEncodeTiled)(void *map, int type, uint32_t rank,
                                 void *address, const uint64_t *dims,
                                 const uint64_t *strides, const uint32_t *box,
                                 const uint32_t *elementStrides, int interleave,
                                 int swizzle, int l2Promotion, int oobFill);
  Result (*TensorMapEncodeIm2col)(
      void *map, int type, uint32_t rank, void *address, const uint64_t *dims,
      const uint64_t *strides, const int *lower, const int *upper,
      uint32_t channels, uint32_t pixels, const uint32_t *elementStrides,
      int interleave, int swizzle, int l2Promotion, int oobFill);

  /// Loads libcuda.so.1 and calls cuInit. Fails where there is no driver, where
  /// it is older than CUDA 12.4, and where it finds no device.
  static Expected<const Driver *> get();

  /// "cuLaunchKernelEx: CUDA_ERROR_INVALID_VALUE (invalid argument)".
  Error error(const char *call, Result result) const;
};

} // namespace tc::runtime::cuda

#endif // TC_RUNTIME_DEVICE_CUDADRIVER_H
