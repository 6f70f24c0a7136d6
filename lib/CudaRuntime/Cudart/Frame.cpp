//===- Frame.cpp - Errors and the device ------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cudart/Frame.h"

#include <cstdio>

using namespace tc::cuda;
using namespace tc::cuda::cudart;

static thread_local cudaError_t lastError = cudaSuccess;

cudaError_t cudart::note(cudaError_t error) {
  if (error != cudaSuccess)
    lastError = error;
  return error;
}

void cudart::complain(const char *call, const char *why) {
  std::fprintf(stderr, "tc-emulate: %s: %s\n", call, why);
}

CUresult cudart::prepare() {
  static const CUresult initialised = cuInit(0);
  if (initialised != CUDA_SUCCESS)
    return initialised;
  CUcontext context = nullptr;
  if (CUresult result = cuCtxGetCurrent(&context);
      result != CUDA_SUCCESS || context)
    return result;
  static CUcontext primary = nullptr;
  if (!primary)
    if (CUresult result = cuDevicePrimaryCtxRetain(&primary, 0);
        result != CUDA_SUCCESS)
      return result;
  return cuCtxSetCurrent(primary);
}

/// What a failed kernel left: it cannot be read away.
static cudaError_t stickyError() {
  CUstreamCaptureStatus status; // a call that does nothing else
  return prepare() == CUDA_SUCCESS
             ? static_cast<cudaError_t>(cuStreamIsCapturing(nullptr, &status))
             : cudaSuccess;
}

cudaError_t cudaPeekAtLastError() {
  cudaError_t sticky = stickyError();
  return sticky != cudaSuccess ? sticky : lastError;
}
cudaError_t cudaGetLastError() {
  cudaError_t error = cudaPeekAtLastError();
  lastError = cudaSuccess;
  return error;
}

namespace {
struct ErrorName {
  cudaError_t error;
  const char *name, *text;
};
} // namespace

static const ErrorName errors[] = {
#define TC_ERROR(NAME, TEXT) {NAME, #NAME, TEXT},
#include "Cudart/Errors.def"
#undef TC_ERROR
};

const char *cudaGetErrorName(cudaError_t error) {
  for (const ErrorName &row : errors)
    if (row.error == error)
      return row.name;
  return "unrecognized error code";
}
const char *cudaGetErrorString(cudaError_t error) {
  for (const ErrorName &row : errors)
    if (row.error == error)
      return row.text;
  return "unrecognized error code";
}

/// For calls that are defined without their types (Refused.cpp).
extern "C" int tcRefuseCall(const char *name) {
  complain(name, "not supported on the emulator");
  return note(cudaErrorNotSupported);
}
