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

#include "tc/Emulator/Names.h"

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
      child->graph = cloneGraph(child->graph, &map);
    CUgraphNode made = addNode(copy, std::move(work), {});
    made->isEnabled = node->isEnabled;
    map[node.get()] = made;
  }
  for (const std::unique_ptr<CUgraphNode_st> &node : graph->nodes)
    for (CUgraphNode dependency : node->dependencies)
      map[node.get()]->dependencies.push_back(map[dependency]);
  copy->objects = graph->objects;
  for (const auto &[object, count] : copy->objects)
    object->references += count;
  return copy;
}

/// The last reference takes the object with it.
static void release(CUuserObject object, uint64_t count) {
  object->references -= std::min(object->references, count);
  if (object->references)
    return;
  object->destroy(object->pointer);
  delete object;
}

CUgraphNode driver::findCopy(CUgraphExec exec, CUgraphNode node) {
  if (!exec)
    return nullptr;
  auto found = exec->copies.find(node);
  return found == exec->copies.end() ? nullptr : found->second;
}

void driver::destroyGraph(CUgraph graph) {
  for (const std::unique_ptr<CUgraphNode_st> &node : graph->nodes)
    if (ChildWork *child = std::get_if<ChildWork>(&node->work))
      destroyGraph(child->graph);
  for (const auto &[object, count] : graph->objects)
    release(object, count);
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
    if (!graph)
      return CUDA_ERROR_INVALID_VALUE;
    std::map<CUgraphNode, CUgraphNode> copies;
    *clone = cloneGraph(graph, &copies);
    (*clone)->copies = std::move(copies);
    return CUDA_SUCCESS;
  });
}

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

static CUgraphNodeType typeOf(const CUgraphNode_st &node) {
  static const CUgraphNodeType types[] = {
      CU_GRAPH_NODE_TYPE_EMPTY,     CU_GRAPH_NODE_TYPE_KERNEL,
      CU_GRAPH_NODE_TYPE_MEMCPY,    CU_GRAPH_NODE_TYPE_MEMSET,
      CU_GRAPH_NODE_TYPE_HOST,      CU_GRAPH_NODE_TYPE_GRAPH,
      CU_GRAPH_NODE_TYPE_EMPTY, // an event's, see below
      CU_GRAPH_NODE_TYPE_MEM_ALLOC, CU_GRAPH_NODE_TYPE_MEM_FREE};
  if (const EventWork *event = std::get_if<EventWork>(&node.work))
    return event->isWait ? CU_GRAPH_NODE_TYPE_WAIT_EVENT
                         : CU_GRAPH_NODE_TYPE_EVENT_RECORD;
  return types[node.work.index()];
}
CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type) {
  return inContext([&](State &) {
    if (!node)
      return CUDA_ERROR_INVALID_VALUE;
    *type = typeOf(*node);
    return CUDA_SUCCESS;
  });
}
/// Nodes by their kind and, of kernels, their name.
CUresult cuGraphDebugDotPrint(CUgraph graph, const char *path, unsigned) {
  static const char *const names[] = {
      "KERNEL",     "MEMCPY",       "MEMSET", "HOST", "GRAPH",     "EMPTY",
      "WAIT_EVENT", "EVENT_RECORD", "",       "",     "MEM_ALLOC", "MEM_FREE"};
  return inContext([&](State &) {
    FILE *file = graph && path ? std::fopen(path, "w") : nullptr;
    if (!file)
      return CUDA_ERROR_INVALID_VALUE;
    std::fprintf(file, "digraph dot {\n");
    for (const std::unique_ptr<CUgraphNode_st> &node : graph->nodes) {
      std::string label = names[typeOf(*node)];
      if (const KernelWork *kernel = std::get_if<KernelWork>(&node->work))
        label += " " + emu::shortName(kernel->request.function->info->name);
      std::fprintf(file, "  \"%p\" [label=\"%s\"];\n",
                   static_cast<void *>(node.get()), label.c_str());
      for (CUgraphNode dependency : node->dependencies)
        std::fprintf(file, "  \"%p\" -> \"%p\";\n",
                     static_cast<void *>(dependency),
                     static_cast<void *>(node.get()));
    }
    std::fprintf(file, "}\n");
    std::fclose(file);
    return CUDA_SUCCESS;
  });
}
CUresult driver::give(const std::vector<CUgraphNode> &from, CUgraphNode *nodes,
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
    if (count && (!from || !to))
      return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; ++i) {
      if (!from[i] || !to[i] || from[i] == to[i] ||
          from[i]->graph != to[i]->graph)
        return CUDA_ERROR_INVALID_VALUE;
      auto &list = to[i]->dependencies;
      if (std::find(list.begin(), list.end(), from[i]) != list.end())
        return CUDA_ERROR_INVALID_VALUE;
      list.push_back(from[i]);
    }
    return CUDA_SUCCESS;
  });
}
static CUresult removeEdges(const CUgraphNode *from, const CUgraphNode *to,
                            size_t count) {
  return inContext([&](State &) {
    for (size_t i = 0; i < count; ++i) {
      auto &list = to[i]->dependencies;
      auto found = std::find(list.begin(), list.end(), from[i]);
      if (found == list.end())
        return CUDA_ERROR_INVALID_VALUE;
      list.erase(found);
    }
    return CUDA_SUCCESS;
  });
}
/// Edges carry no data: every one is a full dependency.
static void clear(CUgraphEdgeData *edges, size_t count) {
  if (edges)
    std::fill(edges, edges + count, CUgraphEdgeData{});
}
static CUresult giveEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to,
                          CUgraphEdgeData *edges, size_t *count) {
  return inContext([&](State &) {
    if (!graph || !count || !from != !to)
      return CUDA_ERROR_INVALID_VALUE;
    std::vector<CUgraphNode> begins, ends;
    for (const std::unique_ptr<CUgraphNode_st> &node : graph->nodes)
      for (CUgraphNode dependency : node->dependencies) {
        begins.push_back(dependency);
        ends.push_back(node.get());
      }
    size_t same = *count;
    (void)give(begins, from, &same);
    CUresult result = give(ends, to, count);
    clear(from ? edges : nullptr, *count);
    return result;
  });
}
static CUresult giveDependencies(CUgraphNode node, CUgraphNode *nodes,
                                 CUgraphEdgeData *edges, size_t *count) {
  return inContext([&](State &) {
    if (!node || !count)
      return CUDA_ERROR_INVALID_VALUE;
    CUresult result = give(node->dependencies, nodes, count);
    clear(nodes ? edges : nullptr, *count);
    return result;
  });
}
static CUresult giveDependents(CUgraphNode node, CUgraphNode *nodes,
                               CUgraphEdgeData *edges, size_t *count) {
  return inContext([&](State &) {
    if (!node || !count)
      return CUDA_ERROR_INVALID_VALUE;
    std::vector<CUgraphNode> all;
    for (const std::unique_ptr<CUgraphNode_st> &other : node->graph->nodes)
      for (CUgraphNode dependency : other->dependencies)
        if (dependency == node)
          all.push_back(other.get());
    CUresult result = give(all, nodes, count);
    clear(nodes ? edges : nullptr, *count);
    return result;
  });
}
// Each with and, before CUDA 12.3, without the data of edges.
extern "C" {
#undef cuGraphGetEdges
#undef cuGraphNodeGetDependencies
#undef cuGraphNodeGetDependentNodes
#undef cuGraphRemoveDependencies
CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to,
                         size_t *count) {
  return giveEdges(graph, from, to, nullptr, count);
}
CUresult cuGraphGetEdges_v2(CUgraph graph, CUgraphNode *from, CUgraphNode *to,
                            CUgraphEdgeData *edges, size_t *count) {
  return giveEdges(graph, from, to, edges, count);
}
CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *nodes,
                                    size_t *count) {
  return giveDependencies(node, nodes, nullptr, count);
}
CUresult cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode *nodes,
                                       CUgraphEdgeData *edges, size_t *count) {
  return giveDependencies(node, nodes, edges, count);
}
CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *nodes,
                                      size_t *count) {
  return giveDependents(node, nodes, nullptr, count);
}
CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode *nodes,
                                         CUgraphEdgeData *edges,
                                         size_t *count) {
  return giveDependents(node, nodes, edges, count);
}
CUresult cuGraphRemoveDependencies(CUgraph, const CUgraphNode *from,
                                   const CUgraphNode *to, size_t count) {
  return removeEdges(from, to, count);
}
CUresult cuGraphRemoveDependencies_v2(CUgraph, const CUgraphNode *from,
                                      const CUgraphNode *to,
                                      const CUgraphEdgeData *, size_t count) {
  return removeEdges(from, to, count);
}
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
CUresult cuGraphNodeFindInClone(CUgraphNode *node, CUgraphNode original,
                                CUgraph clone) {
  return inContext([&](State &) {
    if (!node || !clone)
      return CUDA_ERROR_INVALID_VALUE;
    auto found = clone->copies.find(original);
    *node = found == clone->copies.end() ? nullptr : found->second;
    return *node ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}
CUresult cuGraphDestroyNode(CUgraphNode node) {
  return inContext([&](State &) {
    if (!node)
      return CUDA_ERROR_INVALID_VALUE;
    CUgraph graph = node->graph;
    if (ChildWork *child = std::get_if<ChildWork>(&node->work))
      destroyGraph(child->graph);
    for (auto copy = graph->copies.begin(); copy != graph->copies.end();)
      copy = copy->second == node ? graph->copies.erase(copy) : std::next(copy);
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
    CUgraphNode found = findCopy(exec, node);
    if (!found)
      return CUDA_ERROR_INVALID_VALUE;
    found->isEnabled = enabled;
    return CUDA_SUCCESS;
  });
}
CUresult cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode node,
                               unsigned *enabled) {
  return inContext([&](State &) {
    CUgraphNode found = findCopy(exec, node);
    if (!found)
      return CUDA_ERROR_INVALID_VALUE;
    *enabled = found->isEnabled;
    return CUDA_SUCCESS;
  });
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

/// Whether no node depends on itself; nor does one inside of others.
static bool isAcyclic(const CUgraph_st &graph) {
  std::set<CUgraphNode> done;
  for (size_t before = ~size_t(0); before != done.size();) {
    before = done.size();
    for (const std::unique_ptr<CUgraphNode_st> &node : graph.nodes)
      if (std::all_of(node->dependencies.begin(), node->dependencies.end(),
                      [&](CUgraphNode from) { return done.count(from); }))
        done.insert(node.get());
  }
  return done.size() == graph.nodes.size() &&
         std::all_of(graph.nodes.begin(), graph.nodes.end(),
                     [](const std::unique_ptr<CUgraphNode_st> &node) {
                       const auto *child = std::get_if<ChildWork>(&node->work);
                       return !child || isAcyclic(*child->graph);
                     });
}

static CUresult instantiate(CUgraphExec *exec, CUgraph graph,
                            unsigned long long flags) {
  return inContext([&](State &state) {
    if (!exec || !graph)
      return CUDA_ERROR_INVALID_VALUE;
    if (!isAcyclic(*graph))
      return refuse(state, CUDA_ERROR_INVALID_VALUE, "cuGraphInstantiate",
                    "expected a graph without cycles");
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
  const CUresult result = instantiate(exec, graph, params->flags);
  params->result_out = result == CUDA_SUCCESS ? CUDA_GRAPH_INSTANTIATE_SUCCESS
                       : graph ? CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE
                               : CUDA_GRAPH_INSTANTIATE_ERROR;
  return result;
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
  // Nodes of the graph that it was made from go on naming those at their place.
  std::map<CUgraphNode, CUgraphNode> copies;
  CUgraph made = cloneGraph(graph, &copies);
  for (const auto &[from, to] : exec->copies)
    for (size_t i = 0; i < own.size(); ++i)
      if (own[i].get() == to)
        copies.emplace(from, made->nodes[i].get());
  destroyGraph(exec->graph);
  exec->copies = std::move(copies);
  exec->graph = made;
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

//===----------------------------------------------------------------------===//
// Objects that graphs keep alive
//===----------------------------------------------------------------------===//

CUresult cuUserObjectCreate(CUuserObject *object, void *pointer,
                            CUhostFn destroy, unsigned references,
                            unsigned flags) {
  return locked([&](State &) {
    if (!object || !destroy || !references ||
        flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC)
      return CUDA_ERROR_INVALID_VALUE;
    *object = new CUuserObject_st{pointer, destroy, references};
    return CUDA_SUCCESS;
  });
}
CUresult cuUserObjectRetain(CUuserObject object, unsigned count) {
  return locked([&](State &) {
    if (!object || !count)
      return CUDA_ERROR_INVALID_VALUE;
    object->references += count;
    return CUDA_SUCCESS;
  });
}
CUresult cuUserObjectRelease(CUuserObject object, unsigned count) {
  return locked([&](State &) {
    if (!object || !count || count > object->references)
      return CUDA_ERROR_INVALID_VALUE;
    release(object, count);
    return CUDA_SUCCESS;
  });
}
CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object,
                                 unsigned count, unsigned flags) {
  return locked([&](State &) {
    if (!graph || !object || !count)
      return CUDA_ERROR_INVALID_VALUE;
    graph->objects[object] += count;
    if (!(flags & CU_GRAPH_USER_OBJECT_MOVE))
      object->references += count;
    return CUDA_SUCCESS;
  });
}
CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object,
                                  unsigned count) {
  return locked([&](State &) {
    if (!graph || !count || !graph->objects.count(object))
      return CUDA_ERROR_INVALID_VALUE;
    auto found = graph->objects.find(object);
    if (count > found->second)
      return CUDA_ERROR_INVALID_VALUE;
    if (!(found->second -= count))
      graph->objects.erase(found);
    release(object, count);
    return CUDA_SUCCESS;
  });
}
