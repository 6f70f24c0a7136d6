//===- Launches.cpp - Kernels and occupancy ---------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/Handles.h"

#include "tc/Emulator/Names.h"

#include <cstring>

using namespace tc;
using namespace tc::cuda;
using namespace tc::cuda::driver;

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

/// The parameter block from pointers to each argument, or from one buffer.
static CUresult packArguments(const emu::KernelInfo &info, void **arguments,
                              void **extra, std::vector<uint8_t> &block) {
  block.assign(info.paramBytes, 0);
  if (arguments) {
    for (size_t i = 0; i < info.params.size(); ++i) {
      if (!arguments[i])
        return CUDA_ERROR_INVALID_VALUE;
      std::memcpy(block.data() + info.params[i].offset, arguments[i],
                  info.params[i].size);
    }
    return CUDA_SUCCESS;
  }
  if (!extra)
    return info.params.empty() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  const void *buffer = nullptr;
  size_t bytes = 0;
  for (; *extra != CU_LAUNCH_PARAM_END; extra += 2)
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
      buffer = extra[1];
    else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE)
      bytes = *static_cast<size_t *>(extra[1]);
  if (!buffer || bytes < info.paramBytes)
    return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(block.data(), buffer, info.paramBytes);
  return CUDA_SUCCESS;
}

static void readAttributes(const CUlaunchConfig &config, LaunchRequest &request,
                           bool &isCooperative) {
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const CUlaunchAttribute &attribute = config.attrs[i];
    const auto &value = attribute.value;
    switch (attribute.id) {
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
      request.config.cluster = {value.clusterDim.x, value.clusterDim.y,
                                value.clusterDim.z};
      break;
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION:
      request.config.preferredCluster = {value.preferredClusterDim.x,
                                         value.preferredClusterDim.y,
                                         value.preferredClusterDim.z};
      break;
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
      request.config.programmaticLaunch =
          value.programmaticStreamSerializationAllowed;
      break;
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
      isCooperative |= value.cooperative != 0;
      break;
    default:
      break; // priorities, cache windows, memory synchronisation domains: hints
    }
  }
}

/// Blocks of one multiprocessor that fit at once.
static unsigned blocksPerSM(const Function &function, unsigned threads,
                            size_t dynamicSmem) {
  const unsigned warps = (std::max(threads, 1u) + 31) / 32;
  int registers = 0;
  (void)cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS,
                           toHandle(const_cast<Function *>(&function)));
  const Device &device = *State::get().settings.device;
  const size_t smem = function.info->staticSmem + dynamicSmem + 1024,
               allSmem = size_t(device.sharedKiB) << 10;
  if (threads > 1024 || smem > allSmem)
    return 0;
  return unsigned(std::min<size_t>(
      {device.blocks, device.threads / 32 / warps, allSmem / smem,
       65536u / (unsigned(std::max(registers, 16)) * 32 * warps)}));
}

/// Where the grid of a cooperative launch meets: cooperative_groups takes the
/// address from %envreg1 (high) and %envreg2 (low). The barrier's words are as
/// they were after each launch, so that one workspace does for all of them.
static CUresult provideWorkspace(State &state, emu::LaunchConfig &launch) {
  constexpr uint64_t bytes = 256;
  static uint64_t workspace = 0;
  if (!workspace) {
    emu::Expected<uint64_t> place = state.memory.device.allocate(
        bytes, 256, 0, "the workspace of cooperative launches");
    if (!place)
      return refuse(state, CUDA_ERROR_OUT_OF_MEMORY,
                    "cuLaunchCooperativeKernel", place.error().message);
    workspace = *place;
  }
  launch.envregs[1] = uint32_t(workspace >> 32);
  launch.envregs[2] = uint32_t(workspace);
  return CUDA_SUCCESS;
}

CUresult driver::makeRequest(const CUlaunchConfig &config, CUfunction handle,
                             void **arguments, void **extra, bool isCooperative,
                             LaunchRequest &request) {
  State &state = State::get();
  if (!handle)
    return CUDA_ERROR_INVALID_HANDLE;
  Function &function = *toFunction(handle);
  request.function = &function;
  emu::LaunchConfig &launch = request.config;
  launch.entry = function.info->name;
  launch.grid = {config.gridDimX, config.gridDimY, config.gridDimZ};
  launch.block = {config.blockDimX, config.blockDimY, config.blockDimZ};
  launch.cluster = function.cluster;
  launch.dynamicSmem = config.sharedMemBytes;
  size_t heap = 0;
  if (cuCtxGetLimit(&heap, CU_LIMIT_MALLOC_HEAP_SIZE) == CUDA_SUCCESS)
    launch.heapBytes = heap;
  readAttributes(config, request, isCooperative);
  if (config.sharedMemBytes > unsigned(function.maxDynamicSmem))
    return refuse(state, CUDA_ERROR_INVALID_VALUE, "cuLaunchKernel",
                  "kernel '" + emu::shortName(launch.entry) +
                      "': expected at most " +
                      std::to_string(function.maxDynamicSmem) +
                      " bytes of dynamic shared memory "
                      "(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES), "
                      "got " +
                      std::to_string(config.sharedMemBytes));
  const unsigned size =
      launch.cluster[0] * launch.cluster[1] * launch.cluster[2];
  if (size > 8 && !function.allowsBigClusters)
    return refuse(
        state, CUDA_ERROR_INVALID_CLUSTER_SIZE, "cuLaunchKernel",
        "kernel '" + emu::shortName(launch.entry) +
            "': expected a cluster of at "
            "most 8 blocks without "
            "CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, got " +
            std::to_string(size));
  if (isCooperative) {
    const uint64_t blocks =
        uint64_t(config.gridDimX) * config.gridDimY * config.gridDimZ;
    const uint64_t fit =
        uint64_t(state.settings.multiprocessors) *
        blocksPerSM(function,
                    config.blockDimX * config.blockDimY * config.blockDimZ,
                    config.sharedMemBytes);
    if (blocks > fit)
      return refuse(state, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
                    "cuLaunchCooperativeKernel",
                    "kernel '" + emu::shortName(launch.entry) +
                        "': expected at most " + std::to_string(fit) +
                        " blocks, got " + std::to_string(blocks));
    launch.coResident = true;
    if (CUresult result = provideWorkspace(state, launch);
        result != CUDA_SUCCESS)
      return result;
  }
  return packArguments(*function.info, arguments, extra, launch.params);
}

/// What a report of the emulator is called in CUDA.
static CUresult toResult(emu::ReportKind kind) {
  switch (kind) {
  case emu::ReportKind::BadLaunch:
    return CUDA_ERROR_INVALID_VALUE;
  case emu::ReportKind::Unsupported:
    return CUDA_ERROR_NOT_SUPPORTED;
  case emu::ReportKind::Resource:
    return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  case emu::ReportKind::Memory:
    return CUDA_ERROR_ILLEGAL_ADDRESS;
  case emu::ReportKind::Deadlock:
  case emu::ReportKind::Limit:
    return CUDA_ERROR_LAUNCH_TIMEOUT;
  case emu::ReportKind::Assertion:
    return CUDA_ERROR_ASSERT;
  case emu::ReportKind::Undefined:
  case emu::ReportKind::Sync:
  case emu::ReportKind::Race:
  case emu::ReportKind::Trap:
    return CUDA_ERROR_LAUNCH_FAILED;
  }
  return CUDA_ERROR_UNKNOWN;
}

static CUresult launchNow(State &state, const KernelWork &work,
                          CUstream stream) {
  std::optional<emu::ReportKind> failure =
      state.launcher.run(work.request, stream->sequence);
  if (!failure)
    return CUDA_SUCCESS;
  CUresult result = toResult(*failure);
  // A launch that never started leaves the context as it was.
  if (*failure != emu::ReportKind::BadLaunch &&
      *failure != emu::ReportKind::Resource &&
      *failure != emu::ReportKind::Unsupported)
    state.stickyError = result;
  return result;
}

//===----------------------------------------------------------------------===//
// Work of every kind
//===----------------------------------------------------------------------===//

static CUresult runGraph(State &state, CUgraph graph, CUstream stream) {
  // Nodes are added after those that they depend on, but dependencies may be
  // added later: each round runs what is ready.
  std::set<CUgraphNode> done;
  while (done.size() < graph->nodes.size()) {
    size_t before = done.size();
    for (const std::unique_ptr<CUgraphNode_st> &node : graph->nodes) {
      bool isReady = !done.count(node.get());
      for (CUgraphNode dependency : node->dependencies)
        isReady &= done.count(dependency) != 0;
      if (!isReady)
        continue;
      done.insert(node.get());
      if (!node->isEnabled)
        continue;
      if (CUresult result = execute(state, node->work, stream);
          result != CUDA_SUCCESS)
        return result;
    }
    if (done.size() == before)
      return refuse(state, CUDA_ERROR_INVALID_VALUE, "cuGraphLaunch",
                    "expected a graph without cycles");
  }
  return CUDA_SUCCESS;
}

namespace {
struct Executor {
  State &state;
  CUstream stream;

  CUresult operator()(const EmptyWork &) { return CUDA_SUCCESS; }
  CUresult operator()(const KernelWork &work) {
    return launchNow(state, work, stream);
  }
  CUresult operator()(const CopyWork &work) {
    return check(state, state.memory.copy(work.to, work.from, work.box),
                 "cuMemcpy");
  }
  CUresult operator()(const FillWork &work) {
    const CUDA_MEMSET_NODE_PARAMS &p = work.params;
    Place to;
    to.address = p.dst;
    to.pitch = p.pitch;
    to.side = Place::Side::Device;
    return check(state,
                 state.memory.fill(to, p.value, p.elementSize,
                                   {p.width * p.elementSize, p.height, 1}),
                 "cuMemset");
  }
  CUresult operator()(const HostWork &work) {
    work.function(work.data);
    return CUDA_SUCCESS;
  }
  CUresult operator()(const ChildWork &work) {
    return runGraph(state, work.graph, stream);
  }
  CUresult operator()(const AllocateWork &work) {
    return check(state, state.memory.allocateReserved(work.address, work.bytes),
                 "cuGraphLaunch");
  }
  CUresult operator()(const FreeWork &work) {
    return check(state, state.memory.free(work.address, {MemoryKind::Device}),
                 "cuGraphLaunch");
  }
  CUresult operator()(const EventWork &work) {
    if (!work.isWait) {
      work.event->isRecorded = true;
      work.event->time = std::chrono::steady_clock::now();
    }
    return CUDA_SUCCESS;
  }
};
} // namespace

CUresult driver::execute(State &state, const Work &work, CUstream stream) {
  return std::visit(Executor{state, stream}, work);
}

CUresult driver::submit(State &state, CUstream handle, Work work) {
  CUstream stream = resolve(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!stream->capture) {
    const CUresult allowed = checkLegacy(handle);
    return allowed == CUDA_SUCCESS ? execute(state, work, stream) : allowed;
  }
  if (stream->isInvalid)
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  CUgraphNode node = addNode(stream->capture, std::move(work), stream->tail);
  stream->tail = {node};
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static CUresult launch(const CUlaunchConfig &config, CUfunction function,
                       void **arguments, void **extra, bool isCooperative) {
  return inContext([&](State &state) {
    KernelWork work;
    CUresult result = makeRequest(config, function, arguments, extra,
                                  isCooperative, work.request);
    work.attributes.assign(config.attrs, config.attrs + config.numAttrs);
    if (isCooperative) {
      work.attributes.emplace_back();
      work.attributes.back().id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
      work.attributes.back().value.cooperative = 1;
    }
    return result == CUDA_SUCCESS ? submit(state, config.hStream, work)
                                  : result;
  });
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function,
                          void **arguments, void **extra) {
  return config ? launch(*config, function, arguments, extra, false)
                : CUDA_ERROR_INVALID_VALUE;
}

static CUlaunchConfig makeConfig(unsigned gridX, unsigned gridY, unsigned gridZ,
                                 unsigned blockX, unsigned blockY,
                                 unsigned blockZ, unsigned smem,
                                 CUstream stream) {
  CUlaunchConfig config{};
  config.gridDimX = gridX;
  config.gridDimY = gridY;
  config.gridDimZ = gridZ;
  config.blockDimX = blockX;
  config.blockDimY = blockY;
  config.blockDimZ = blockZ;
  config.sharedMemBytes = smem;
  config.hStream = stream;
  return config;
}
CUresult cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY,
                        unsigned gridZ, unsigned blockX, unsigned blockY,
                        unsigned blockZ, unsigned smem, CUstream stream,
                        void **arguments, void **extra) {
  return launch(
      makeConfig(gridX, gridY, gridZ, blockX, blockY, blockZ, smem, stream),
      function, arguments, extra, false);
}
CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned gridX,
                                   unsigned gridY, unsigned gridZ,
                                   unsigned blockX, unsigned blockY,
                                   unsigned blockZ, unsigned smem,
                                   CUstream stream, void **arguments) {
  return launch(
      makeConfig(gridX, gridY, gridZ, blockX, blockY, blockZ, smem, stream),
      function, arguments, nullptr, true);
}
CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data) {
  return inContext([&](State &state) {
    return submit(state, stream, HostWork{function, data});
  });
}

//===----------------------------------------------------------------------===//
// Occupancy
//===----------------------------------------------------------------------===//

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *count, CUfunction function, int threads, size_t smem, unsigned) {
  return inContext([&](State &) {
    if (!function || threads < 1)
      return CUDA_ERROR_INVALID_VALUE;
    *count = int(blocksPerSM(*toFunction(function), unsigned(threads), smem));
    return CUDA_SUCCESS;
  });
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *count,
                                                     CUfunction function,
                                                     int threads, size_t smem) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(count, function,
                                                              threads, smem, 0);
}
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block,
                                                   CUfunction function,
                                                   CUoccupancyB2DSize smemOf,
                                                   size_t smem, int limit,
                                                   unsigned) {
  return inContext([&](State &state) {
    if (!function)
      return CUDA_ERROR_INVALID_VALUE;
    int most = 1024;
    (void)cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                             function);
    if (limit > 0)
      most = std::min(most, limit);
    int best = 0;
    for (int threads = most / 32 * 32; threads >= 32; threads -= 32) {
      int blocks = int(blocksPerSM(*toFunction(function), unsigned(threads),
                                   smemOf ? smemOf(threads) : smem));
      if (blocks * threads > best) {
        best = blocks * threads;
        *block = threads;
        *grid = blocks * int(state.settings.multiprocessors);
      }
    }
    return CUDA_SUCCESS;
  });
}
CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block,
                                          CUfunction function,
                                          CUoccupancyB2DSize smemOf,
                                          size_t smem, int limit) {
  return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, function,
                                                   smemOf, smem, limit, 0);
}
CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes,
                                                 CUfunction function,
                                                 int blocks, int) {
  return inContext([&](State &state) {
    if (!function || blocks < 1)
      return CUDA_ERROR_INVALID_VALUE;
    const Device &device = *state.settings.device;
    size_t each = (size_t(device.sharedKiB) << 10) / size_t(blocks);
    size_t own = toFunction(function)->info->staticSmem + 1024;
    *bytes = std::min<size_t>(each > own ? each - own : 0,
                              device.blockSharedBytes());
    return CUDA_SUCCESS;
  });
}
CUresult cuOccupancyMaxActiveClusters(int *count, CUfunction function,
                                      const CUlaunchConfig *config) {
  return inContext([&](State &state) {
    LaunchRequest request;
    bool isCooperative = false;
    if (!function || !config)
      return CUDA_ERROR_INVALID_VALUE;
    request.config.cluster = toFunction(function)->cluster;
    readAttributes(*config, request, isCooperative);
    const auto &c = request.config.cluster;
    const unsigned size = std::max(c[0] * c[1] * c[2], 1u);
    *count = int(
        state.settings.multiprocessors *
        blocksPerSM(*toFunction(function),
                    config->blockDimX * config->blockDimY * config->blockDimZ,
                    config->sharedMemBytes) /
        size);
    return CUDA_SUCCESS;
  });
}
CUresult cuOccupancyMaxPotentialClusterSize(int *size, CUfunction function,
                                            const CUlaunchConfig *) {
  return inContext([&](State &) {
    if (!function)
      return CUDA_ERROR_INVALID_VALUE;
    *size = toFunction(function)->allowsBigClusters ? 16 : 8;
    return CUDA_SUCCESS;
  });
}
