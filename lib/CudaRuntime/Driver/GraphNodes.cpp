//===- GraphNodes.cpp - What nodes of graphs do -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each kind has calls that add a node, set what it does in a graph or in an
// executable one, and get that.
//
//===----------------------------------------------------------------------===//

#include "Driver/Handles.h"

using namespace tc;
using namespace tc::cuda;
using namespace tc::cuda::driver;

/// Adds a node of what `make` fills in.
template <class Make>
static CUresult add(CUgraphNode *node, CUgraph graph,
                    const CUgraphNode *dependencies, size_t count, Make make) {
  return inContext([&](State &state) {
    if (!node || !graph)
      return CUDA_ERROR_INVALID_VALUE;
    Work work;
    CUresult result = make(state, work);
    if (result == CUDA_SUCCESS)
      *node =
          addNode(graph, std::move(work), {dependencies, dependencies + count});
    return result;
  });
}
/// Replaces what a node does by what `make` fills in, which is of its kind.
template <class Kind, class Make>
static CUresult set(CUgraphNode node, Make make) {
  return inContext([&](State &state) {
    Kind *old = node ? std::get_if<Kind>(&node->work) : nullptr;
    if (!old)
      return CUDA_ERROR_INVALID_VALUE;
    Kind work;
    CUresult result = make(state, work);
    if (result == CUDA_SUCCESS)
      std::swap(*old, work);
    if constexpr (std::is_same_v<Kind, ChildWork>)
      if (work.graph)
        destroyGraph(work.graph);
    return result;
  });
}
/// Calls on a node that does something of that kind.
template <class Kind, class Body>
static CUresult get(CUgraphNode node, Body body) {
  return inContext([&](State &) {
    Kind *work = node ? std::get_if<Kind>(&node->work) : nullptr;
    if (!work)
      return CUDA_ERROR_INVALID_VALUE;
    body(*work);
    return CUDA_SUCCESS;
  });
}

//===----------------------------------------------------------------------===//
// Kernel nodes
//===----------------------------------------------------------------------===//

static CUresult makeKernel(const CUDA_KERNEL_NODE_PARAMS &p,
                           std::vector<CUlaunchAttribute> attributes,
                           KernelWork &kernel) {
  CUlaunchConfig config{};
  config.gridDimX = p.gridDimX;
  config.gridDimY = p.gridDimY;
  config.gridDimZ = p.gridDimZ;
  config.blockDimX = p.blockDimX;
  config.blockDimY = p.blockDimY;
  config.blockDimZ = p.blockDimZ;
  config.sharedMemBytes = p.sharedMemBytes;
  config.attrs = attributes.data();
  config.numAttrs = unsigned(attributes.size());
  CUfunction function = p.func ? p.func : reinterpret_cast<CUfunction>(p.kern);
  CUresult result = makeRequest(config, function, p.kernelParams, p.extra,
                                false, kernel.request);
  kernel.attributes = std::move(attributes);
  return result;
}
/// Parameters with pointers to the arguments that the node holds.
static CUDA_KERNEL_NODE_PARAMS paramsOf(CUgraphNode node, KernelWork &work) {
  emu::LaunchConfig &config = work.request.config;
  node->argumentPointers.clear();
  for (const emu::ParamInfo &param : work.request.function->info->params)
    node->argumentPointers.push_back(config.params.data() + param.offset);
  CUDA_KERNEL_NODE_PARAMS params{};
  params.func = toHandle(work.request.function);
  params.gridDimX = config.grid[0];
  params.gridDimY = config.grid[1];
  params.gridDimZ = config.grid[2];
  params.blockDimX = config.block[0];
  params.blockDimY = config.block[1];
  params.blockDimZ = config.block[2];
  params.sharedMemBytes = config.dynamicSmem;
  params.kernelParams = node->argumentPointers.data();
  return params;
}
CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph,
                              const CUgraphNode *dependencies, size_t count,
                              const CUDA_KERNEL_NODE_PARAMS *params) {
  return add(node, graph, dependencies, count, [&](State &, Work &work) {
    return makeKernel(*params, {}, work.emplace<KernelWork>());
  });
}
/// The attributes of the node stay.
CUresult cuGraphKernelNodeSetParams(CUgraphNode node,
                                    const CUDA_KERNEL_NODE_PARAMS *params) {
  return set<KernelWork>(node, [&](State &, KernelWork &work) {
    return makeKernel(*params, std::get<KernelWork>(node->work).attributes,
                      work);
  });
}
CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_KERNEL_NODE_PARAMS *params) {
  return cuGraphKernelNodeSetParams(findCopy(exec, node), params);
}
CUresult cuGraphKernelNodeGetParams(CUgraphNode node,
                                    CUDA_KERNEL_NODE_PARAMS *params) {
  return get<KernelWork>(
      node, [&](KernelWork &work) { *params = paramsOf(node, work); });
}

static CUresult setAttributes(CUgraphNode node,
                              std::vector<CUlaunchAttribute> attributes) {
  return set<KernelWork>(node, [&](State &, KernelWork &work) {
    return makeKernel(paramsOf(node, std::get<KernelWork>(node->work)),
                      std::move(attributes), work);
  });
}
CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node, CUkernelNodeAttrID id,
                                       const CUkernelNodeAttrValue *value) {
  std::vector<CUlaunchAttribute> attributes;
  CUresult result = get<KernelWork>(
      node, [&](KernelWork &work) { attributes = work.attributes; });
  if (result != CUDA_SUCCESS)
    return result;
  // The last one of its kind counts.
  attributes.emplace_back();
  attributes.back().id = id;
  attributes.back().value = *value;
  return setAttributes(node, std::move(attributes));
}
CUresult cuGraphKernelNodeGetAttribute(CUgraphNode node, CUkernelNodeAttrID id,
                                       CUkernelNodeAttrValue *value) {
  return get<KernelWork>(node, [&](KernelWork &work) {
    *value = CUkernelNodeAttrValue{};
    for (const CUlaunchAttribute &attribute : work.attributes)
      if (attribute.id == id)
        *value = attribute.value;
  });
}
CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from) {
  std::vector<CUlaunchAttribute> attributes;
  CUresult result = get<KernelWork>(
      from, [&](KernelWork &work) { attributes = work.attributes; });
  return result == CUDA_SUCCESS ? setAttributes(to, std::move(attributes))
                                : result;
}

//===----------------------------------------------------------------------===//
// Copies and fills
//===----------------------------------------------------------------------===//

CUresult cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph,
                              const CUgraphNode *dependencies, size_t count,
                              const CUDA_MEMCPY3D *params, CUcontext) {
  return add(node, graph, dependencies, count, [&](State &state, Work &work) {
    return describeCopy(state, *params, work.emplace<CopyWork>());
  });
}
CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node,
                                    const CUDA_MEMCPY3D *params) {
  return set<CopyWork>(node, [&](State &state, CopyWork &work) {
    return describeCopy(state, *params, work);
  });
}
CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_MEMCPY3D *params,
                                        CUcontext) {
  return cuGraphMemcpyNodeSetParams(findCopy(exec, node), params);
}
CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D *params) {
  return get<CopyWork>(node, [&](CopyWork &work) { *params = work.params; });
}
CUresult cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph,
                              const CUgraphNode *dependencies, size_t count,
                              const CUDA_MEMSET_NODE_PARAMS *params,
                              CUcontext) {
  return add(node, graph, dependencies, count, [&](State &, Work &work) {
    work = FillWork{*params};
    return CUDA_SUCCESS;
  });
}
CUresult cuGraphMemsetNodeSetParams(CUgraphNode node,
                                    const CUDA_MEMSET_NODE_PARAMS *params) {
  return set<FillWork>(node, [&](State &, FillWork &work) {
    work.params = *params;
    return CUDA_SUCCESS;
  });
}
CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_MEMSET_NODE_PARAMS *params,
                                        CUcontext) {
  return cuGraphMemsetNodeSetParams(findCopy(exec, node), params);
}
CUresult cuGraphMemsetNodeGetParams(CUgraphNode node,
                                    CUDA_MEMSET_NODE_PARAMS *params) {
  return get<FillWork>(node, [&](FillWork &work) { *params = work.params; });
}

//===----------------------------------------------------------------------===//
// Functions of the host, graphs and events
//===----------------------------------------------------------------------===//

CUresult cuGraphAddHostNode(CUgraphNode *node, CUgraph graph,
                            const CUgraphNode *dependencies, size_t count,
                            const CUDA_HOST_NODE_PARAMS *params) {
  return add(node, graph, dependencies, count, [&](State &, Work &work) {
    work = HostWork{params->fn, params->userData};
    return CUDA_SUCCESS;
  });
}
CUresult cuGraphHostNodeSetParams(CUgraphNode node,
                                  const CUDA_HOST_NODE_PARAMS *params) {
  return set<HostWork>(node, [&](State &, HostWork &work) {
    work = {params->fn, params->userData};
    return CUDA_SUCCESS;
  });
}
CUresult cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                      const CUDA_HOST_NODE_PARAMS *params) {
  return cuGraphHostNodeSetParams(findCopy(exec, node), params);
}
CUresult cuGraphHostNodeGetParams(CUgraphNode node,
                                  CUDA_HOST_NODE_PARAMS *params) {
  return get<HostWork>(
      node, [&](HostWork &work) { *params = {work.function, work.data}; });
}
CUresult cuGraphAddEmptyNode(CUgraphNode *node, CUgraph graph,
                             const CUgraphNode *dependencies, size_t count) {
  return add(node, graph, dependencies, count,
             [&](State &, Work &) { return CUDA_SUCCESS; });
}
CUresult cuGraphAddChildGraphNode(CUgraphNode *node, CUgraph graph,
                                  const CUgraphNode *dependencies, size_t count,
                                  CUgraph child) {
  return add(node, graph, dependencies, count, [&](State &, Work &work) {
    if (!child)
      return CUDA_ERROR_INVALID_VALUE;
    work = ChildWork{cloneGraph(child, nullptr)};
    return CUDA_SUCCESS;
  });
}
CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph *graph) {
  return get<ChildWork>(node, [&](ChildWork &work) { *graph = work.graph; });
}
CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                            CUgraph child) {
  return set<ChildWork>(findCopy(exec, node), [&](State &, ChildWork &work) {
    if (!child)
      return CUDA_ERROR_INVALID_VALUE;
    work.graph = cloneGraph(child, nullptr);
    return CUDA_SUCCESS;
  });
}

static CUresult setEvent(CUgraphNode node, CUevent event, bool isWait) {
  return set<EventWork>(node, [&](State &, EventWork &work) {
    if (!event || std::get<EventWork>(node->work).isWait != isWait)
      return CUDA_ERROR_INVALID_VALUE;
    work = {event, isWait};
    return CUDA_SUCCESS;
  });
}
static CUresult getEvent(CUgraphNode node, CUevent *event, bool isWait) {
  bool isRight = false;
  CUresult result = get<EventWork>(node, [&](EventWork &work) {
    isRight = work.isWait == isWait;
    *event = work.event;
  });
  return result == CUDA_SUCCESS && !isRight ? CUDA_ERROR_INVALID_VALUE : result;
}
// cuGraphAddEventRecordNode and the like, and those of nodes that wait.
#define TC_EVENT_NODE(KIND, IS_WAIT)                                           \
  CUresult cuGraphAddEvent##KIND##Node(CUgraphNode *node, CUgraph graph,       \
                                       const CUgraphNode *dependencies,        \
                                       size_t count, CUevent event) {          \
    return add(node, graph, dependencies, count, [&](State &, Work &work) {    \
      work = EventWork{event, IS_WAIT};                                        \
      return event ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;                  \
    });                                                                        \
  }                                                                            \
  CUresult cuGraphEvent##KIND##NodeSetEvent(CUgraphNode node, CUevent event) { \
    return setEvent(node, event, IS_WAIT);                                     \
  }                                                                            \
  CUresult cuGraphEvent##KIND##NodeGetEvent(CUgraphNode node,                  \
                                            CUevent *event) {                  \
    return getEvent(node, event, IS_WAIT);                                     \
  }                                                                            \
  CUresult cuGraphExecEvent##KIND##NodeSetEvent(                               \
      CUgraphExec exec, CUgraphNode node, CUevent event) {                     \
    return setEvent(findCopy(exec, node), event, IS_WAIT);                     \
  }
TC_EVENT_NODE(Record, false)
TC_EVENT_NODE(Wait, true)
#undef TC_EVENT_NODE

//===----------------------------------------------------------------------===//
// Nodes of memory: CUDA C++ Programming Guide, "Graph Memory Nodes"
//===----------------------------------------------------------------------===//

CUresult driver::makeAllocation(State &state, size_t bytes, const char *call,
                                AllocateWork &work) {
  if (!bytes)
    return CUDA_ERROR_INVALID_VALUE;
  if (bytes > state.memory.limit())
    return refuse(state, CUDA_ERROR_OUT_OF_MEMORY, call,
                  "expected at most " + std::to_string(state.memory.limit()) +
                      " bytes, got " + std::to_string(bytes));
  work = {state.memory.reserve(bytes), bytes};
  return CUDA_SUCCESS;
}
CUresult driver::makeFree(State &state, CUdeviceptr address, const char *call,
                          FreeWork &work) {
  if (!Memory::isReserved(address))
    return refuse(state, CUDA_ERROR_INVALID_VALUE, call,
                  "expected memory that a graph allocates, got " +
                      hex(address));
  work = {address};
  return CUDA_SUCCESS;
}
CUresult cuGraphAddMemAllocNode(CUgraphNode *node, CUgraph graph,
                                const CUgraphNode *dependencies, size_t count,
                                CUDA_MEM_ALLOC_NODE_PARAMS *params) {
  return add(node, graph, dependencies, count, [&](State &state, Work &work) {
    AllocateWork allocation;
    CUresult result = makeAllocation(state, params->bytesize,
                                     "cuGraphAddMemAllocNode", allocation);
    params->dptr = allocation.address;
    work = allocation;
    return result;
  });
}
CUresult cuGraphAddMemFreeNode(CUgraphNode *node, CUgraph graph,
                               const CUgraphNode *dependencies, size_t count,
                               CUdeviceptr address) {
  return add(node, graph, dependencies, count, [&](State &state, Work &work) {
    FreeWork release;
    CUresult result =
        makeFree(state, address, "cuGraphAddMemFreeNode", release);
    work = release;
    return result;
  });
}
CUresult cuGraphMemAllocNodeGetParams(CUgraphNode node,
                                      CUDA_MEM_ALLOC_NODE_PARAMS *params) {
  return get<AllocateWork>(node, [&](AllocateWork &work) {
    *params = CUDA_MEM_ALLOC_NODE_PARAMS{};
    params->poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    params->poolProps.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    params->bytesize = work.bytes;
    params->dptr = work.address;
  });
}
CUresult cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr *address) {
  return get<FreeWork>(node, [&](FreeWork &work) { *address = work.address; });
}

//===----------------------------------------------------------------------===//
// Nodes by the structure that has parameters of every kind
//===----------------------------------------------------------------------===//

/// The version with one field less is what the rest takes.
static CUDA_KERNEL_NODE_PARAMS kernelOf(const CUgraphNodeParams &params) {
  const auto &p = params.kernel;
  return {p.func,         p.gridDimX,  p.gridDimY,  p.gridDimZ,
          p.blockDimX,    p.blockDimY, p.blockDimZ, p.sharedMemBytes,
          p.kernelParams, p.extra,     p.kern,      p.ctx};
}
static CUDA_MEMSET_NODE_PARAMS fillOf(const CUgraphNodeParams &params) {
  const auto &p = params.memset;
  return {p.dst, p.pitch, p.value, p.elementSize, p.width, p.height};
}
static CUresult refuseKind(CUgraphNodeType type, const char *call) {
  return locked([&](State &state) {
    return refuse(state, CUDA_ERROR_NOT_SUPPORTED, call,
                  "nodes of kind " + std::to_string(type) +
                      " are not supported on the emulator");
  });
}
static CUresult addNodeOfAny(CUgraphNode *node, CUgraph graph,
                             const CUgraphNode *from, size_t count,
                             CUgraphNodeParams *params) {
  switch (params->type) {
  case CU_GRAPH_NODE_TYPE_KERNEL: {
    CUDA_KERNEL_NODE_PARAMS kernel = kernelOf(*params);
    return cuGraphAddKernelNode(node, graph, from, count, &kernel);
  }
  case CU_GRAPH_NODE_TYPE_MEMCPY:
    return cuGraphAddMemcpyNode(node, graph, from, count,
                                &params->memcpy.copyParams, nullptr);
  case CU_GRAPH_NODE_TYPE_MEMSET: {
    CUDA_MEMSET_NODE_PARAMS fill = fillOf(*params);
    return cuGraphAddMemsetNode(node, graph, from, count, &fill, nullptr);
  }
  case CU_GRAPH_NODE_TYPE_HOST: {
    CUDA_HOST_NODE_PARAMS host = {params->host.fn, params->host.userData};
    return cuGraphAddHostNode(node, graph, from, count, &host);
  }
  case CU_GRAPH_NODE_TYPE_GRAPH:
    return cuGraphAddChildGraphNode(node, graph, from, count,
                                    params->graph.graph);
  case CU_GRAPH_NODE_TYPE_EMPTY:
    return cuGraphAddEmptyNode(node, graph, from, count);
  case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
    return cuGraphAddEventWaitNode(node, graph, from, count,
                                   params->eventWait.event);
  case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
    return cuGraphAddEventRecordNode(node, graph, from, count,
                                     params->eventRecord.event);
  case CU_GRAPH_NODE_TYPE_MEM_ALLOC: {
    CUDA_MEM_ALLOC_NODE_PARAMS memory{};
    memory.bytesize = params->alloc.bytesize;
    CUresult result = cuGraphAddMemAllocNode(node, graph, from, count, &memory);
    params->alloc.dptr = memory.dptr;
    return result;
  }
  case CU_GRAPH_NODE_TYPE_MEM_FREE:
    return cuGraphAddMemFreeNode(node, graph, from, count, params->free.dptr);
  default:
    return refuseKind(params->type, "cuGraphAddNode");
  }
}
static CUresult setNodeOfAny(CUgraphNode node, CUgraphNodeParams *params) {
  switch (params->type) {
  case CU_GRAPH_NODE_TYPE_KERNEL: {
    CUDA_KERNEL_NODE_PARAMS kernel = kernelOf(*params);
    return cuGraphKernelNodeSetParams(node, &kernel);
  }
  case CU_GRAPH_NODE_TYPE_MEMCPY:
    return cuGraphMemcpyNodeSetParams(node, &params->memcpy.copyParams);
  case CU_GRAPH_NODE_TYPE_MEMSET: {
    CUDA_MEMSET_NODE_PARAMS fill = fillOf(*params);
    return cuGraphMemsetNodeSetParams(node, &fill);
  }
  case CU_GRAPH_NODE_TYPE_HOST: {
    CUDA_HOST_NODE_PARAMS host = {params->host.fn, params->host.userData};
    return cuGraphHostNodeSetParams(node, &host);
  }
  case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
    return setEvent(node, params->eventWait.event, true);
  case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
    return setEvent(node, params->eventRecord.event, false);
  case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
  case CU_GRAPH_NODE_TYPE_MEM_FREE:
    return CUDA_ERROR_NOT_SUPPORTED; // as NVIDIA's
  default:
    return refuseKind(params->type, "cuGraphNodeSetParams");
  }
}
extern "C" {
#undef cuGraphAddNode
CUresult cuGraphAddNode(CUgraphNode *node, CUgraph graph,
                        const CUgraphNode *dependencies, size_t count,
                        CUgraphNodeParams *params) {
  return addNodeOfAny(node, graph, dependencies, count, params);
}
CUresult cuGraphAddNode_v2(CUgraphNode *node, CUgraph graph,
                           const CUgraphNode *dependencies,
                           const CUgraphEdgeData *, size_t count,
                           CUgraphNodeParams *params) {
  return addNodeOfAny(node, graph, dependencies, count, params);
}
}
CUresult cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams *params) {
  return setNodeOfAny(node, params);
}
CUresult cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                  CUgraphNodeParams *params) {
  if (params->type == CU_GRAPH_NODE_TYPE_GRAPH)
    return cuGraphExecChildGraphNodeSetParams(exec, node, params->graph.graph);
  return setNodeOfAny(findCopy(exec, node), params);
}
