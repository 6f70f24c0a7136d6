//===- Handles.h - What the handles of the driver point to ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_CUDARUNTIME_DRIVER_HANDLES_H
#define TC_CUDARUNTIME_DRIVER_HANDLES_H

#include "Core/State.h"

#include <cuda.h>

#include <chrono>
#include <functional>
#include <set>
#include <thread>

struct CUctx_st {
  unsigned flags = 0;
  bool isPrimary = false;
  unsigned references = 0; ///< of the primary context
  uint64_t id = 0;
  std::map<int, size_t> limits;
};

struct CUstream_st {
  CUcontext context = nullptr;
  unsigned flags = 0;
  int priority = 0;
  uint64_t id = 0;
  tc::emu::LaunchSequence sequence;
  /// While it is captured: what it is captured into, and the nodes that the
  /// next one depends on.
  CUgraph capture = nullptr;
  bool isCaptureOrigin = false;
  bool ownsCapture = false;
  uint64_t captureId = 0;
  bool isInvalid = false; ///< the capture, by what it does not allow
  CUstreamCaptureMode captureMode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  std::thread::id captureThread;
  std::vector<CUgraphNode> tail;
};

struct CUevent_st {
  unsigned flags = 0;
  bool isRecorded = false;
  std::chrono::steady_clock::time_point time;
  /// Recorded in a captured stream: what came before it there.
  CUgraph capture = nullptr;
  uint64_t captureId = 0;
  std::vector<CUgraphNode> tail;
};

/// A library; its module and its kernels are the same things by other names.
struct CUlib_st {
  tc::cuda::Module *module = nullptr;
};

struct CUmemPoolHandle_st {
  std::map<int, uint64_t> attributes;
};

namespace tc::cuda::driver {

/// Handles of functions, kernels and modules are pointers to these.
inline Function *toFunction(CUfunction handle) {
  return reinterpret_cast<Function *>(handle);
}
inline CUfunction toHandle(Function *function) {
  return reinterpret_cast<CUfunction>(function);
}
inline Module *toModule(CUmodule handle) {
  return reinterpret_cast<Module *>(handle);
}
inline CUmodule toHandle(Module *module) {
  return reinterpret_cast<CUmodule>(module);
}

//===----------------------------------------------------------------------===//
// Work of streams and graphs
//===----------------------------------------------------------------------===//

struct KernelWork {
  LaunchRequest request;
  std::vector<CUlaunchAttribute> attributes{}; ///< as the program gave them
};
struct CopyWork {
  Place to, from;
  Box box;
  CUDA_MEMCPY3D params{}; ///< as the program asked
};
struct FillWork {
  CUDA_MEMSET_NODE_PARAMS params{};
};
struct HostWork {
  CUhostFn function = nullptr;
  void *data = nullptr;
};
struct ChildWork {
  CUgraph graph = nullptr; ///< owned by the node
};
struct EventWork {
  CUevent event = nullptr;
  bool isWait = false;
};
/// At an address that was reserved when the node was made.
struct AllocateWork {
  CUdeviceptr address = 0;
  size_t bytes = 0;
};
struct FreeWork {
  CUdeviceptr address = 0;
};
struct EmptyWork {};

using Work = std::variant<EmptyWork, KernelWork, CopyWork, FillWork, HostWork,
                          ChildWork, EventWork, AllocateWork, FreeWork>;

/// Does it now.
CUresult execute(State &state, const Work &work, CUstream stream);
/// Does it now, or adds it to the graph that the stream is captured into.
CUresult submit(State &state, CUstream stream, Work work);

/// The stream of a handle: 0, CU_STREAM_LEGACY and CU_STREAM_PER_THREAD are one
/// and the same. Null if there is none.
CUstream resolve(CUstream handle);
/// What ends the captures of `stream`, or of all streams: the error that the
/// call returns.
CUresult endCaptures(CUstream stream, CUresult error);
/// Success, or why a call that is not safe during a capture fails.
CUresult checkUnsafe();
/// The same of work for the legacy stream, which waits for all that block.
CUresult checkLegacy(CUstream handle);

/// Adds a node; the graph owns it.
CUgraphNode addNode(CUgraph graph, Work work,
                    const std::vector<CUgraphNode> &dependencies);
CUgraph cloneGraph(CUgraph graph, std::map<CUgraphNode, CUgraphNode> *copies);
void destroyGraph(CUgraph graph);
/// The node of an executable graph that was made from `node`, or null.
CUgraphNode findCopy(CUgraphExec exec, CUgraphNode node);
/// Copies handles out as the calls with an array and a count do.
CUresult give(const std::vector<CUgraphNode> &from, CUgraphNode *nodes,
              size_t *count);

CUresult makeAllocation(State &state, size_t bytes, const char *call,
                        AllocateWork &work);
CUresult makeFree(State &state, CUdeviceptr address, const char *call,
                  FreeWork &work);

/// Packs the arguments of a launch. Shapes that do not fit the kernel are left
/// to the emulator, which names the rule.
CUresult makeRequest(const CUlaunchConfig &config, CUfunction function,
                     void **arguments, void **extra, bool isCooperative,
                     LaunchRequest &request);
CUresult describeCopy(State &state, const CUDA_MEMCPY3D &params,
                      CopyWork &work);

//===----------------------------------------------------------------------===//
// Frames of calls
//===----------------------------------------------------------------------===//

/// Says on stderr why a call fails.
CUresult refuse(State &state, CUresult error, const char *call,
                const std::string &why);

extern bool isInitialised;
CUcontext currentContext();
CUcontext primaryContext();

/// Locks the device. Calls that need nothing else.
template <class Body>
CUresult locked(Body body) {
  State &state = State::get();
  std::lock_guard<std::recursive_mutex> guard(state.lock);
  if (!isInitialised)
    return CUDA_ERROR_NOT_INITIALIZED;
  return body(state);
}

/// Calls that need a context and fail for good once a kernel has.
template <class Body>
CUresult inContext(Body body) {
  return locked([&](State &state) -> CUresult {
    if (!currentContext())
      return CUDA_ERROR_INVALID_CONTEXT;
    if (state.stickyError)
      return CUresult(state.stickyError);
    return body(state);
  });
}

/// Success, or the message of `status` on stderr and `error`.
inline CUresult check(State &state, const emu::Status &status, const char *call,
                      CUresult error = CUDA_ERROR_INVALID_VALUE) {
  return status ? CUDA_SUCCESS
                : refuse(state, error, call, status.error().message);
}

} // namespace tc::cuda::driver

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

struct CUgraphNode_st {
  CUgraph graph = nullptr;
  tc::cuda::driver::Work work;
  std::vector<CUgraphNode> dependencies;
  bool isEnabled = true;
  std::vector<void *>
      argumentPointers; ///< for callers that ask for the parameters
};

struct CUgraph_st {
  /// In the order in which they were added.
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
  /// Of a clone: from nodes of the graph that it was made from.
  std::map<CUgraphNode, CUgraphNode> copies;
  /// References that it holds.
  std::map<CUuserObject, unsigned> objects;
};

struct CUuserObject_st {
  void *pointer = nullptr;
  CUhostFn destroy = nullptr;
  uint64_t references = 0;
};

struct CUgraphExec_st {
  CUgraph graph = nullptr; ///< a copy
  /// From nodes of the graph that it was made from to those of the copy.
  std::map<CUgraphNode, CUgraphNode> copies;
  unsigned long long flags = 0;
};

#endif // TC_CUDARUNTIME_DRIVER_HANDLES_H
