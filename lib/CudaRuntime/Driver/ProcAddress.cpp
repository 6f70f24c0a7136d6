//===- ProcAddress.cpp - How programs find the driver's calls ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/Handles.h"
#include "Driver/Symbols.h"

using namespace tc;
using namespace tc::cuda;
using namespace tc::cuda::driver;

CUresult cuGetProcAddress(const char *name, void **address, int version,
                          cuuint64_t, CUdriverProcAddressQueryResult *status) {
  if (!name || !address)
    return CUDA_ERROR_INVALID_VALUE;
  bool exists = findSymbol(name, version, *address);
  if (status)
    *status = *address ? CU_GET_PROC_ADDRESS_SUCCESS
              : exists ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                       : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return *address || status ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
extern "C" {
#undef cuGetProcAddress
CUresult cuGetProcAddress(const char *name, void **address, int version,
                          cuuint64_t flags) {
  return cuGetProcAddress_v2(name, address, version, flags, nullptr);
}
}

// Private tables through which NVIDIA's runtime and its driver talk. This
// driver has none: the runtime is replaced as a whole.
CUresult cuGetExportTable(const void **table, const CUuuid *) {
  static bool isSaid = false;
  if (!isSaid) {
    isSaid = true;
    State &state = State::get();
    complain("the program brings a CUDA runtime of its own whose calls cannot "
             "be found: rebuild it with nvcc -cudart shared, or leave its "
             "symbols in (no strip, no -s) and run it with tc-emulate");
    ++state.refusals;
  }
  *table = nullptr;
  return CUDA_ERROR_NOT_FOUND;
}
