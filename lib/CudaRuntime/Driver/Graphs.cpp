//===- Graphs.cpp - Graphs of work ------------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A graph is a list of nodes with dependencies; an executable graph is a copy
// of one. Nodes are run one after another.
//
//===----------------------------------------------------------------------===//

#include "Driver/Handles.h"

#include <algorithm>

using namespace tc;
using namespace tc::cuda;
using namespace tc::cuda::driver;

//===----------------------------------------------------------------------===//
// Graphs and nodes
//===----------------------------------------------------------------------===//

CUgraphNode driver::addNode(CUgraph graph, Work work,
                            const std::vector<CUgraphNode> &dependencies) {
  auto node = std::make_unique<CUgraphNode_st>();
  node->graph = graph;
  node->work = std::move(work);
  node->dependencies = dependencies;
  graph->nodes.push_back(std::move(node));
  return graph->nodes.back().get();
}

CUgraph driver::cloneGraph(CUgraph graph,
                           std::map<CUgraphNode, CUgraphNode> *copies) {
  std::map<CUgraphNode, CUgraphNode> own;
  std::map<CUgraphNode, CUgraphNode> &map = copies ? *copies : own;
  CUgraph copy = new CUgraph_st;
  for (const std::unique_ptr<CUgraphNode_st> &node : graph->nodes) {
    Work work = node->work;
    if (ChildWork *child = std::get_if<ChildWork>(&work))
      child->graph = cloneGraph(child->graph, nullptr);
    CUgraphNode made = addNode(copy, std::move(work), {});
    made->isEnabled = node->isEnabled;
    map[node.get()] = made;
  }
  for (const std::unique_ptr<CUgraphNode_st> &node : graph->nodes)
    for (CUgraphNode dependency : node->dependencies)
      map[node.get()]->dependencies.push_back(map[dependency]);
  return copy;
}

void driver::destroyGraph(CUgraph graph) {
  for (const std::unique_ptr<CUgraphNode_st> &node : graph->nodes)
    if (ChildWork *child = std::get_if<ChildWork>(&node->work))
      destroyGraph(child->graph);
  delete graph;
}

CUresult cuGraphCreate(CUgraph *graph, unsigned flags) {
  return inContext([&](State &) {
    if (flags)
      return CUDA_ERROR_INVALID_VALUE;
    *graph = new CUgraph_st;
    return CUDA_SUCCESS;
  });
}
CUresult cuGraphDestroy(CUgraph graph) {
  return inContext([&](State &) {
    if (!graph)
      return CUDA_ERROR_INVALID_VALUE;
    destroyGraph(graph);
    return CUDA_SUCCESS;
  });
}
CUresult cuGraphClone(CUgraph *clone, CUgraph graph) {
  return inContext([&](State &) {
    *clone = cloneGraph(graph, nullptr);
    return CUDA_SUCCESS;
  });
}

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
/// Replaces what a node does.
template <class Make>
static CUresult set(CUgraphNode node, Make make) {
  return inContext([&](State &state) {
    if (!node)
      return CUDA_ERROR_INVALID_VALUE;
    Work work;
    CUresult result = make(state, work);
    if (result == CUDA_SUCCESS && work.index() != node->work.index())
      result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
      node->work = std::move(work);
    return result;
  });
}
/// The node of an executable graph that was made from `node`.
static CUgraphNode find(CUgraphExec exec, CUgraphNode node) {
  auto found = exec->copies.find(node);
  return found == exec->copies.end() ? nullptr : found->second;
}

//===----------------------------------------------------------------------===//
// Kernel nodes
//===----------------------------------------------------------------------===//

static CUresult makeKernel(const CUDA_KERNEL_NODE_PARAMS &p, Work &work) {
  CUlaunchConfig config{};
  config.gridDimX = p.gridDimX;
  config.gridDimY = p.gridDimY;
  config.gridDimZ = p.gridDimZ;
  config.blockDimX = p.blockDimX;
  config.blockDimY = p.blockDimY;
  config.blockDimZ = p.blockDimZ;
  config.sharedMemBytes = p.sharedMemBytes;
  CUfunction function = p.func ? p.func : reinterpret_cast<CUfunction>(p.kern);
  KernelWork kernel;
  CUresult result = makeRequest(config, function, p.kernelParams, p.extra,
                                false, kernel.request);
  work = kernel;
  return result;
}
CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph,
                              const CUgraphNode *dependencies, size_t count,
                              const CUDA_KERNEL_NODE_PARAMS *params) {
  return add(node, graph, dependencies, count,
             [&](State &, Work &work) { return makeKernel(*params, work); });
}
CUresult cuGraphKernelNodeSetParams(CUgraphNode node,
                                    const CUDA_KERNEL_NODE_PARAMS *params) {
  return set(node,
             [&](State &, Work &work) { return makeKernel(*params, work); });
}
CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_KERNEL_NODE_PARAMS *params) {
  return cuGraphKernelNodeSetParams(find(exec, node), params);
}
CUresult cuGraphKernelNodeGetParams(CUgraphNode node,
                                    CUDA_KERNEL_NODE_PARAMS *params) {
  return inContext([&](State &) {
    KernelWork *work = std::get_if<KernelWork>(&node->work);
    if (!work)
      return CUDA_ERROR_INVALID_VALUE;
    emu::LaunchConfig &config = work->request.config;
    node->argumentPointers.clear();
    for (const emu::ParamInfo &param : work->request.function->info->params)
      node->argumentPointers.push_back(config.params.data() + param.offset);
    *params = CUDA_KERNEL_NODE_PARAMS{};
    params->func = toHandle(work->request.function);
    params->gridDimX = config.grid[0];
    params->gridDimY = config.grid[1];
    params->gridDimZ = config.grid[2];
    params->blockDimX = config.block[0];
    params->blockDimY = config.block[1];
    params->blockDimZ = config.block[2];
    params->sharedMemBytes = config.dynamicSmem;
    params->kernelParams = node->argumentPointers.data();
    return CUDA_SUCCESS;
  });
}

//===----------------------------------------------------------------------===//
// Other nodes
//===----------------------------------------------------------------------===//

static CUresult makeCopy(State &state, const CUDA_MEMCPY3D &params,
                         Work &work) {
  CopyWork copy;
  CUresult result = describeCopy(state, params, copy);
  work = copy;
  return result;
}
CUresult cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph,
                              const CUgraphNode *dependencies, size_t count,
                              const CUDA_MEMCPY3D *params, CUcontext) {
  return add(node, graph, dependencies, count, [&](State &state, Work &work) {
    return makeCopy(state, *params, work);
  });
}
CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node,
                                    const CUDA_MEMCPY3D *params) {
  return set(node, [&](State &state, Work &work) {
    return makeCopy(state, *params, work);
  });
}
CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_MEMCPY3D *params,
                                        CUcontext) {
  return cuGraphMemcpyNodeSetParams(find(exec, node), params);
}
CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D *params) {
  return inContext([&](State &) {
    const CopyWork *work = std::get_if<CopyWork>(&node->work);
    if (!work)
      return CUDA_ERROR_INVALID_VALUE;
    *params = work->params;
    return CUDA_SUCCESS;
  });
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
  return set(node, [&](State &, Work &work) {
    work = FillWork{*params};
    return CUDA_SUCCESS;
  });
}
CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_MEMSET_NODE_PARAMS *params,
                                        CUcontext) {
  return cuGraphMemsetNodeSetParams(find(exec, node), params);
}
CUresult cuGraphMemsetNodeGetParams(CUgraphNode node,
                                    CUDA_MEMSET_NODE_PARAMS *params) {
  return inContext([&](State &) {
    const FillWork *work = std::get_if<FillWork>(&node->work);
    if (!work)
      return CUDA_ERROR_INVALID_VALUE;
    *params = work->params;
    return CUDA_SUCCESS;
  });
}
CUresult cuGraphAddHostNode(CUgraphNode *node, CUgraph graph,
                            const CUgraphNode *dependencies, size_t count,
                            const CUDA_HOST_NODE_PARAMS *params) {
  return add(node, graph, dependencies, count, [&](State &, Work &work) {
    work = HostWork{params->fn, params->userData};
    return CUDA_SUCCESS;
  });
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
    work = ChildWork{cloneGraph(child, nullptr)};
    return CUDA_SUCCESS;
  });
}
CUresult cuGraphAddEventRecordNode(CUgraphNode *node, CUgraph graph,
                                   const CUgraphNode *dependencies,
                                   size_t count, CUevent event) {
  return add(node, graph, dependencies, count, [&](State &, Work &work) {
    work = EventWork{event, false};
    return CUDA_SUCCESS;
  });
}
CUresult cuGraphAddEventWaitNode(CUgraphNode *node, CUgraph graph,
                                 const CUgraphNode *dependencies, size_t count,
                                 CUevent event) {
  return add(node, graph, dependencies, count, [&](State &, Work &work) {
    work = EventWork{event, true};
    return CUDA_SUCCESS;
  });
}

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
  return inContext([&](State &) {
    const AllocateWork *work = std::get_if<AllocateWork>(&node->work);
    if (!work)
      return CUDA_ERROR_INVALID_VALUE;
    *params = CUDA_MEM_ALLOC_NODE_PARAMS{};
    params->poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    params->poolProps.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    params->bytesize = work->bytes;
    params->dptr = work->address;
    return CUDA_SUCCESS;
  });
}
CUresult cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr *address) {
  return inContext([&](State &) {
    const FreeWork *work = std::get_if<FreeWork>(&node->work);
    if (!work)
      return CUDA_ERROR_INVALID_VALUE;
    *address = work->address;
    return CUDA_SUCCESS;
  });
}

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type) {
  static const CUgraphNodeType types[] = {
      CU_GRAPH_NODE_TYPE_EMPTY,     CU_GRAPH_NODE_TYPE_KERNEL,
      CU_GRAPH_NODE_TYPE_MEMCPY,    CU_GRAPH_NODE_TYPE_MEMSET,
      CU_GRAPH_NODE_TYPE_HOST,      CU_GRAPH_NODE_TYPE_GRAPH,
      CU_GRAPH_NODE_TYPE_EMPTY, // an event's, see below
      CU_GRAPH_NODE_TYPE_MEM_ALLOC, CU_GRAPH_NODE_TYPE_MEM_FREE};
  return inContext([&](State &) {
    if (const EventWork *event = std::get_if<EventWork>(&node->work))
      *type = event->isWait ? CU_GRAPH_NODE_TYPE_WAIT_EVENT
                            : CU_GRAPH_NODE_TYPE_EVENT_RECORD;
    else
      *type = types[node->work.index()];
    return CUDA_SUCCESS;
  });
}
/// Copies handles out as the calls with an array and a count do.
static CUresult give(const std::vector<CUgraphNode> &from, CUgraphNode *nodes,
                     size_t *count) {
  if (nodes)
    for (size_t i = 0; i < *count; ++i)
      nodes[i] = i < from.size() ? from[i] : nullptr;
  *count = nodes ? std::min(*count, from.size()) : from.size();
  return CUDA_SUCCESS;
}
CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count) {
  return inContext([&](State &) {
    std::vector<CUgraphNode> all;
    for (const std::unique_ptr<CUgraphNode_st> &node : graph->nodes)
      all.push_back(node.get());
    return give(all, nodes, count);
  });
}
CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode *nodes, size_t *count) {
  return inContext([&](State &) {
    std::vector<CUgraphNode> roots;
    for (const std::unique_ptr<CUgraphNode_st> &node : graph->nodes)
      if (node->dependencies.empty())
        roots.push_back(node.get());
    return give(roots, nodes, count);
  });
}
static CUresult addEdges(const CUgraphNode *from, const CUgraphNode *to,
                         size_t count) {
  return inContext([&](State &) {
    for (size_t i = 0; i < count; ++i)
      to[i]->dependencies.push_back(from[i]);
    return CUDA_SUCCESS;
  });
}
extern "C" {
#undef cuGraphAddDependencies
CUresult cuGraphAddDependencies(CUgraph, const CUgraphNode *from,
                                const CUgraphNode *to, size_t count) {
  return addEdges(from, to, count);
}
CUresult cuGraphAddDependencies_v2(CUgraph, const CUgraphNode *from,
                                   const CUgraphNode *to,
                                   const CUgraphEdgeData *, size_t count) {
  return addEdges(from, to, count);
}
}
CUresult cuGraphDestroyNode(CUgraphNode node) {
  return inContext([&](State &) {
    CUgraph graph = node->graph;
    for (const std::unique_ptr<CUgraphNode_st> &other : graph->nodes) {
      auto &list = other->dependencies;
      list.erase(std::remove(list.begin(), list.end(), node), list.end());
    }
    auto &nodes = graph->nodes;
    nodes.erase(std::find_if(nodes.begin(), nodes.end(),
                             [&](const std::unique_ptr<CUgraphNode_st> &other) {
                               return other.get() == node;
                             }));
    return CUDA_SUCCESS;
  });
}
CUresult cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode node,
                               unsigned enabled) {
  return inContext([&](State &) {
    CUgraphNode found = find(exec, node);
    if (!found)
      return CUDA_ERROR_INVALID_VALUE;
    found->isEnabled = enabled;
    return CUDA_SUCCESS;
  });
}
CUresult cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode node,
                               unsigned *enabled) {
  return inContext([&](State &) {
    CUgraphNode found = find(exec, node);
    if (!found)
      return CUDA_ERROR_INVALID_VALUE;
    *enabled = found->isEnabled;
    return CUDA_SUCCESS;
  });
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

static CUresult instantiate(CUgraphExec *exec, CUgraph graph,
                            unsigned long long flags) {
  return inContext([&](State &) {
    if (!graph)
      return CUDA_ERROR_INVALID_VALUE;
    *exec = new CUgraphExec_st;
    (*exec)->graph = cloneGraph(graph, &(*exec)->copies);
    (*exec)->flags = flags;
    return CUDA_SUCCESS;
  });
}
extern "C" {
#undef cuGraphInstantiate
CUresult cuGraphInstantiate_v2(CUgraphExec *exec, CUgraph graph, CUgraphNode *,
                               char *, size_t) {
  return instantiate(exec, graph, 0);
}
CUresult cuGraphInstantiate(CUgraphExec *exec, CUgraph graph, CUgraphNode *,
                            char *, size_t) {
  return instantiate(exec, graph, 0);
}
CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph,
                                     unsigned long long flags) {
  return instantiate(exec, graph, flags);
}
}
CUresult cuGraphInstantiateWithParams(CUgraphExec *exec, CUgraph graph,
                                      CUDA_GRAPH_INSTANTIATE_PARAMS *params) {
  params->result_out = CUDA_GRAPH_INSTANTIATE_SUCCESS;
  return instantiate(exec, graph, params->flags);
}
CUresult cuGraphExecGetFlags(CUgraphExec exec, cuuint64_t *flags) {
  *flags = exec->flags;
  return CUDA_SUCCESS;
}
CUresult cuGraphExecDestroy(CUgraphExec exec) {
  return inContext([&](State &) {
    destroyGraph(exec->graph);
    delete exec;
    return CUDA_SUCCESS;
  });
}
CUresult cuGraphUpload(CUgraphExec, CUstream) { return CUDA_SUCCESS; }
/// What an earlier launch has allocated is freed, or the graph cannot run
/// again.
static CUresult freeAllocations(State &state, CUgraph graph, bool mayFree) {
  for (const std::unique_ptr<CUgraphNode_st> &node : graph->nodes) {
    const AllocateWork *work = std::get_if<AllocateWork>(&node->work);
    if (!work || !state.memory.find(work->address))
      continue;
    if (!mayFree)
      return refuse(state, CUDA_ERROR_INVALID_VALUE, "cuGraphLaunch",
                    "expected the memory at " + hex(work->address) +
                        " to be freed before the graph allocates it again");
    (void)state.memory.free(work->address, {MemoryKind::Device});
  }
  return CUDA_SUCCESS;
}
CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  return inContext([&](State &state) {
    // The node of a captured launch owns its graph; one that runs now does not.
    CUstream found = resolve(stream);
    if (found && found->capture)
      return submit(state, stream, ChildWork{cloneGraph(exec->graph, nullptr)});
    const bool mayFree =
        exec->flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
    CUresult result = freeAllocations(state, exec->graph, mayFree);
    return result == CUDA_SUCCESS
               ? submit(state, stream, ChildWork{exec->graph})
               : result;
  });
}

/// Takes the work of a graph of the same shape.
static bool update(CUgraphExec exec, CUgraph graph) {
  auto &own = exec->graph->nodes;
  if (own.size() != graph->nodes.size())
    return false;
  for (size_t i = 0; i < own.size(); ++i)
    if (own[i]->work.index() != graph->nodes[i]->work.index() ||
        own[i]->dependencies.size() != graph->nodes[i]->dependencies.size())
      return false;
  destroyGraph(exec->graph);
  exec->copies.clear();
  exec->graph = cloneGraph(graph, &exec->copies);
  return true;
}
extern "C" {
#undef cuGraphExecUpdate
CUresult cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph graph,
                              CUgraphExecUpdateResultInfo *info) {
  return inContext([&](State &) {
    bool fits = update(exec, graph);
    if (info) {
      *info = CUgraphExecUpdateResultInfo{};
      info->result = fits ? CU_GRAPH_EXEC_UPDATE_SUCCESS
                          : CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
    }
    return fits ? CUDA_SUCCESS : CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  });
}
}
