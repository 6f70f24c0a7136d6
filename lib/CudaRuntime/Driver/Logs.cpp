//===- Logs.cpp - The log of errors -----------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What there is to say goes to stderr, so that the log stays empty: a callback
// is taken, as libraries give one when they are loaded, and never called.
//
//===----------------------------------------------------------------------===//

#include "Driver/Handles.h"

using namespace tc::cuda;
using namespace tc::cuda::driver;

struct CUlogsCallbackEntry_st {};

// Never destroyed: programs come here after main.
static std::set<CUlogsCallbackHandle> &callbacks =
    *new std::set<CUlogsCallbackHandle>;

/// Without cuInit, which NVIDIA's calls do not need either.
template <class Body>
static CUresult onLog(Body body) {
  State &state = State::get();
  std::lock_guard<std::recursive_mutex> guard(state.lock);
  return body();
}

CUresult cuLogsRegisterCallback(CUlogsCallback function, void *,
                                CUlogsCallbackHandle *handle) {
  return onLog([&] {
    if (!function)
      return CUDA_ERROR_INVALID_VALUE;
    auto *entry = new CUlogsCallbackEntry_st;
    callbacks.insert(entry);
    if (handle)
      *handle = entry;
    return CUDA_SUCCESS;
  });
}
CUresult cuLogsUnregisterCallback(CUlogsCallbackHandle handle) {
  return onLog([&] {
    if (!callbacks.erase(handle))
      return CUDA_ERROR_INVALID_VALUE;
    delete handle;
    return CUDA_SUCCESS;
  });
}
CUresult cuLogsCurrent(CUlogIterator *iterator, unsigned flags) {
  if (!iterator || flags)
    return CUDA_ERROR_INVALID_VALUE;
  *iterator = 0;
  return CUDA_SUCCESS;
}
CUresult cuLogsDumpToFile(CUlogIterator *, const char *path, unsigned flags) {
  FILE *file = path && !flags ? std::fopen(path, "w") : nullptr;
  if (!file)
    return CUDA_ERROR_INVALID_VALUE;
  std::fclose(file);
  return CUDA_SUCCESS;
}
CUresult cuLogsDumpToMemory(CUlogIterator *, char *buffer, size_t *size,
                            unsigned flags) {
  if (!buffer || !size || !*size || flags)
    return CUDA_ERROR_INVALID_VALUE;
  *buffer = 0;
  *size = 0;
  return CUDA_SUCCESS;
}
