//===- Frame.cpp - Initialisation, errors, contexts -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/Handles.h"

#include <cstring>

using namespace tc;
using namespace tc::cuda;
using namespace tc::cuda::driver;

bool driver::isInitialised = false;

static thread_local std::vector<CUcontext> contexts;
static uint64_t contextCount = 0;

CUcontext driver::currentContext() {
  return contexts.empty() ? nullptr : contexts.back();
}

CUcontext driver::primaryContext() {
  static CUctx_st *primary = [] {
    auto *context = new CUctx_st;
    context->isPrimary = true;
    context->id = ++contextCount;
    return context;
  }();
  return primary;
}

CUresult driver::refuse(State &state, CUresult error, const char *call,
                        const std::string &why) {
  complain(std::string(call) + ": " + why);
  if (error == CUDA_ERROR_NOT_SUPPORTED)
    ++state.refusals;
  return error;
}

//===----------------------------------------------------------------------===//
// Initialisation and errors
//===----------------------------------------------------------------------===//

CUresult cuInit(unsigned flags) {
  if (flags)
    return CUDA_ERROR_INVALID_VALUE;
  (void)State::get();
  isInitialised = true;
  return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *version) {
  if (!version)
    return CUDA_ERROR_INVALID_VALUE;
  *version = CUDA_VERSION;
  return CUDA_SUCCESS;
}

namespace {
struct ErrorName {
  CUresult error;
  const char *name, *text;
};
} // namespace

static const ErrorName *findError(CUresult error) {
#define TC_ERROR(name, text)                                                   \
  {                                                                            \
    name, #name, text                                                          \
  }
  static const ErrorName errors[] = {
      TC_ERROR(CUDA_SUCCESS, "no error"),
      TC_ERROR(CUDA_ERROR_INVALID_VALUE, "invalid argument"),
      TC_ERROR(CUDA_ERROR_OUT_OF_MEMORY, "out of memory"),
      TC_ERROR(CUDA_ERROR_NOT_INITIALIZED, "initialization error"),
      TC_ERROR(CUDA_ERROR_INVALID_DEVICE, "invalid device ordinal"),
      TC_ERROR(CUDA_ERROR_INVALID_IMAGE, "device kernel image is invalid"),
      TC_ERROR(CUDA_ERROR_INVALID_CONTEXT, "invalid device context"),
      TC_ERROR(CUDA_ERROR_NO_BINARY_FOR_GPU,
               "no kernel image is available for execution on the device"),
      TC_ERROR(CUDA_ERROR_INVALID_PTX, "a PTX JIT compilation failed"),
      TC_ERROR(CUDA_ERROR_FILE_NOT_FOUND, "file not found"),
      TC_ERROR(CUDA_ERROR_INVALID_HANDLE, "invalid resource handle"),
      TC_ERROR(CUDA_ERROR_NOT_FOUND, "named symbol not found"),
      TC_ERROR(CUDA_ERROR_NOT_READY, "device not ready"),
      TC_ERROR(CUDA_ERROR_ILLEGAL_ADDRESS,
               "an illegal memory access was encountered"),
      TC_ERROR(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
               "too many resources requested for launch"),
      TC_ERROR(CUDA_ERROR_LAUNCH_TIMEOUT,
               "the launch timed out and was terminated"),
      TC_ERROR(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED,
               "peer access is not supported between these two devices"),
      TC_ERROR(CUDA_ERROR_CONTEXT_IS_DESTROYED, "context is destroyed"),
      TC_ERROR(CUDA_ERROR_ASSERT, "device-side assert triggered"),
      TC_ERROR(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
               "part or all of the requested memory range is already mapped"),
      TC_ERROR(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED,
               "pointer does not correspond to a registered memory region"),
      TC_ERROR(CUDA_ERROR_ILLEGAL_INSTRUCTION,
               "an illegal instruction was encountered"),
      TC_ERROR(CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned address"),
      TC_ERROR(CUDA_ERROR_LAUNCH_FAILED, "unspecified launch failure"),
      TC_ERROR(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
               "too many blocks in cooperative launch"),
      TC_ERROR(CUDA_ERROR_NOT_SUPPORTED, "operation not supported"),
      TC_ERROR(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
               "operation not permitted when stream is capturing"),
      TC_ERROR(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
               "operation failed due to a previous error during capture"),
      TC_ERROR(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED,
               "capture was not ended in the same stream as it began"),
      TC_ERROR(CUDA_ERROR_STREAM_CAPTURE_UNJOINED,
               "capturing stream has unjoined work"),
      TC_ERROR(CUDA_ERROR_CAPTURED_EVENT,
               "operation not permitted on an event last recorded in a "
               "capturing stream"),
      TC_ERROR(CUDA_ERROR_ILLEGAL_STATE,
               "the operation cannot be performed in the present state"),
      TC_ERROR(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
               "operation would make the legacy stream depend on a capturing "
               "blocking stream"),
      TC_ERROR(CUDA_ERROR_INVALID_CLUSTER_SIZE, "invalid cluster size"),
      TC_ERROR(CUDA_ERROR_UNKNOWN, "unknown error"),
  };
#undef TC_ERROR
  for (const ErrorName &row : errors)
    if (row.error == error)
      return &row;
  return nullptr;
}

CUresult cuGetErrorName(CUresult error, const char **text) {
  const ErrorName *row = findError(error);
  *text = row ? row->name : nullptr;
  return row ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuGetErrorString(CUresult error, const char **text) {
  const ErrorName *row = findError(error);
  *text = row ? row->text : nullptr;
  return row ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

static CUresult pushNew(CUcontext *context, unsigned flags) {
  if (!context)
    return CUDA_ERROR_INVALID_VALUE;
  *context = new CUctx_st;
  (*context)->flags = flags;
  (*context)->id = ++contextCount;
  contexts.push_back(*context);
  return CUDA_SUCCESS;
}

extern "C" {
#undef cuCtxCreate
#undef cuCtxCreate_v2
#undef cuCtxCreate_v3
CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice) {
  return locked([&](State &) { return pushNew(context, flags); });
}
CUresult cuCtxCreate(CUcontext *context, unsigned flags, CUdevice device) {
  return cuCtxCreate_v2(context, flags, device);
}
CUresult cuCtxCreate_v3(CUcontext *context, CUexecAffinityParam *, int,
                        unsigned flags, CUdevice) {
  return locked([&](State &) { return pushNew(context, flags); });
}
CUresult cuCtxCreate_v4(CUcontext *context, CUctxCreateParams *, unsigned flags,
                        CUdevice) {
  return locked([&](State &) { return pushNew(context, flags); });
}
}

CUresult cuCtxDestroy(CUcontext context) {
  return locked([&](State &state) {
    if (!context || context->isPrimary)
      return CUDA_ERROR_INVALID_CONTEXT;
    if (currentContext() == context)
      contexts.pop_back();
    // A failed kernel spoils its context, and there is but one device.
    state.stickyError = 0;
    delete context;
    return CUDA_SUCCESS;
  });
}
CUresult cuCtxSetCurrent(CUcontext context) {
  return locked([&](State &) {
    if (!contexts.empty())
      contexts.pop_back();
    if (context)
      contexts.push_back(context);
    return CUDA_SUCCESS;
  });
}
CUresult cuCtxGetCurrent(CUcontext *context) {
  return locked([&](State &) {
    *context = currentContext();
    return CUDA_SUCCESS;
  });
}
CUresult cuCtxPushCurrent(CUcontext context) {
  return locked([&](State &) {
    if (!context)
      return CUDA_ERROR_INVALID_CONTEXT;
    contexts.push_back(context);
    return CUDA_SUCCESS;
  });
}
CUresult cuCtxPopCurrent(CUcontext *context) {
  return locked([&](State &) {
    if (contexts.empty())
      return CUDA_ERROR_INVALID_CONTEXT;
    if (context)
      *context = contexts.back();
    contexts.pop_back();
    return CUDA_SUCCESS;
  });
}
CUresult cuCtxGetDevice(CUdevice *device) {
  return locked([&](State &) {
    *device = 0;
    return currentContext() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
  });
}
CUresult cuCtxGetFlags(unsigned *flags) {
  return locked([&](State &) {
    if (!currentContext())
      return CUDA_ERROR_INVALID_CONTEXT;
    *flags = currentContext()->flags;
    return CUDA_SUCCESS;
  });
}
CUresult cuCtxGetId(CUcontext context, unsigned long long *id) {
  return locked([&](State &) {
    context = context ? context : currentContext();
    if (!context)
      return CUDA_ERROR_INVALID_CONTEXT;
    *id = context->id;
    return CUDA_SUCCESS;
  });
}
CUresult cuCtxGetApiVersion(CUcontext, unsigned *version) {
  return locked([&](State &) {
    *version = 3020;
    return CUDA_SUCCESS;
  });
}
CUresult cuCtxSynchronize() {
  return inContext([](State &) { return checkUnsafe(); });
}
CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  if (least)
    *least = 0;
  if (greatest)
    *greatest = -5;
  return CUDA_SUCCESS;
}
CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  return inContext([&](State &) {
    if (limit >= CU_LIMIT_MAX)
      return CUDA_ERROR_INVALID_VALUE;
    currentContext()->limits[limit] = value;
    return CUDA_SUCCESS;
  });
}
CUresult cuCtxGetLimit(size_t *value, CUlimit limit) {
  return inContext([&](State &) {
    if (limit >= CU_LIMIT_MAX)
      return CUDA_ERROR_INVALID_VALUE;
    auto found = currentContext()->limits.find(limit);
    *value = found != currentContext()->limits.end() ? found->second
             : limit == CU_LIMIT_STACK_SIZE          ? 1024
             : limit == CU_LIMIT_PRINTF_FIFO_SIZE    ? 1 << 20
             : limit == CU_LIMIT_MALLOC_HEAP_SIZE    ? 8 << 20
                                                     : 0;
    return CUDA_SUCCESS;
  });
}
// Hints without an effect on the emulator.
CUresult cuCtxGetCacheConfig(CUfunc_cache *config) {
  *config = CU_FUNC_CACHE_PREFER_NONE;
  return CUDA_SUCCESS;
}
CUresult cuCtxSetCacheConfig(CUfunc_cache) { return CUDA_SUCCESS; }
CUresult cuCtxResetPersistingL2Cache() { return CUDA_SUCCESS; }

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  return locked([&](State &) {
    if (device != 0)
      return CUDA_ERROR_INVALID_DEVICE;
    *context = primaryContext();
    ++primaryContext()->references;
    return CUDA_SUCCESS;
  });
}
CUresult cuDevicePrimaryCtxRelease(CUdevice) {
  return locked([&](State &) {
    if (!primaryContext()->references)
      return CUDA_ERROR_INVALID_CONTEXT;
    --primaryContext()->references;
    return CUDA_SUCCESS;
  });
}
CUresult cuDevicePrimaryCtxReset(CUdevice) {
  return locked([&](State &state) {
    state.stickyError = 0;
    return CUDA_SUCCESS;
  });
}
CUresult cuDevicePrimaryCtxSetFlags(CUdevice, unsigned flags) {
  return locked([&](State &) {
    primaryContext()->flags = flags;
    return CUDA_SUCCESS;
  });
}
CUresult cuDevicePrimaryCtxGetState(CUdevice, unsigned *flags, int *active) {
  return locked([&](State &) {
    *flags = primaryContext()->flags;
    *active = primaryContext()->references > 0;
    return CUDA_SUCCESS;
  });
}
