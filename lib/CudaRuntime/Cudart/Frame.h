//===- Frame.h - What every call of the runtime does ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime is written on the driver's public calls alone.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CUDARUNTIME_CUDART_FRAME_H
#define TC_CUDARUNTIME_CUDART_FRAME_H

#include <cuda.h>
#include <cuda_runtime_api.h>

namespace tc::cuda::cudart {

/// Notes an error for cudaGetLastError and returns it.
cudaError_t note(cudaError_t error);
/// Errors of the driver have the numbers of the runtime's.
inline cudaError_t note(CUresult result) {
  return note(static_cast<cudaError_t>(result));
}

/// Initialises the driver and makes the primary context current where the
/// thread has none.
CUresult prepare();

/// A call that needs the device.
template <class Body>
cudaError_t withDevice(Body body) {
  CUresult result = prepare();
  return note(result == CUDA_SUCCESS ? body() : result);
}

inline CUdeviceptr toDevice(const void *pointer) {
  return reinterpret_cast<CUdeviceptr>(pointer);
}

/// The kernel of a host function, or of a handle that the runtime gave out.
CUresult findFunction(const void *host, CUfunction &function);
/// A call on the kernel of a host function.
template <class Body>
cudaError_t withFunction(const void *host, Body body) {
  return withDevice([&] {
    CUfunction function = nullptr;
    CUresult result = findFunction(host, function);
    return result == CUDA_SUCCESS ? body(function) : result;
  });
}

/// The host function of a kernel, or what names it as well.
const void *findHost(CUfunction function);

/// The variable of a module whose shadow on the host is at `symbol`.
CUresult findSymbol(const void *symbol, CUdeviceptr &address, size_t &bytes);

/// The bytes [offset, offset + bytes) of a variable.
CUresult findPart(const void *symbol, size_t bytes, size_t offset, void *&part);

/// Copies of boxes and of bytes as the driver takes them.
CUresult describeCopy(const cudaMemcpy3DParms &params, CUDA_MEMCPY3D &copy);
CUresult describeCopy(void *to, const void *from, size_t bytes,
                      cudaMemcpyKind kind, CUDA_MEMCPY3D &copy);

/// Says on stderr why a call is refused.
void complain(const char *call, const char *why);

} // namespace tc::cuda::cudart

#endif // TC_CUDARUNTIME_CUDART_FRAME_H
