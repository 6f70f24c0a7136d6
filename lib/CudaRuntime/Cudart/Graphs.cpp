//===- Graphs.cpp - Graphs of work ------------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Handles are the driver's.
//
//===----------------------------------------------------------------------===//

#include "Cudart/Frame.h"

using namespace tc::cuda;
using namespace tc::cuda::cudart;

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags) {
  return withDevice([&] { return cuGraphCreate(graph, flags); });
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return withDevice([&] { return cuGraphDestroy(graph); });
}
cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph) {
  return withDevice([&] { return cuGraphClone(clone, graph); });
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                 unsigned long long flags) {
  return withDevice(
      [&] { return cuGraphInstantiateWithFlags(exec, graph, flags); });
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec,
                                          cudaGraph_t graph,
                                          unsigned long long flags) {
  return cudaGraphInstantiate(exec, graph, flags);
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  return withDevice([&] { return cuGraphExecDestroy(exec); });
}
cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec,
                                  unsigned long long *flags) {
  return withDevice([&] {
    return cuGraphExecGetFlags(exec, reinterpret_cast<cuuint64_t *>(flags));
  });
}
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo *info) {
  return withDevice([&] {
    return cuGraphExecUpdate(
        exec, graph, reinterpret_cast<CUgraphExecUpdateResultInfo *>(info));
  });
}
cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) {
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  return withDevice([&] { return cuGraphLaunch(exec, stream); });
}
cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *exec,
                                           cudaGraph_t graph,
                                           cudaGraphInstantiateParams *params) {
  static_assert(sizeof(*params) == sizeof(CUDA_GRAPH_INSTANTIATE_PARAMS),
                "one layout");
  return withDevice([&] {
    return cuGraphInstantiateWithParams(
        exec, graph, reinterpret_cast<CUDA_GRAPH_INSTANTIATE_PARAMS *>(params));
  });
}
cudaError_t cudaUserObjectCreate(cudaUserObject_t *object, void *pointer,
                                 cudaHostFn_t destroy, unsigned references,
                                 unsigned flags) {
  return withDevice([&] {
    return cuUserObjectCreate(object, pointer, destroy, references, flags);
  });
}
cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned count) {
  return withDevice([&] { return cuUserObjectRetain(object, count); });
}
cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned count) {
  return withDevice([&] { return cuUserObjectRelease(object, count); });
}
cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph,
                                      cudaUserObject_t object, unsigned count,
                                      unsigned flags) {
  return withDevice(
      [&] { return cuGraphRetainUserObject(graph, object, count, flags); });
}
cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph,
                                       cudaUserObject_t object,
                                       unsigned count) {
  return withDevice(
      [&] { return cuGraphReleaseUserObject(graph, object, count); });
}

//===----------------------------------------------------------------------===//
// Memory of graphs
//===----------------------------------------------------------------------===//

cudaError_t cudaDeviceGetGraphMemAttribute(int device,
                                           cudaGraphMemAttributeType which,
                                           void *value) {
  return withDevice([&] {
    return cuDeviceGetGraphMemAttribute(
        device, static_cast<CUgraphMem_attribute>(which), value);
  });
}
cudaError_t cudaDeviceSetGraphMemAttribute(int device,
                                           cudaGraphMemAttributeType which,
                                           void *value) {
  return withDevice([&] {
    return cuDeviceSetGraphMemAttribute(
        device, static_cast<CUgraphMem_attribute>(which), value);
  });
}
cudaError_t cudaDeviceGraphMemTrim(int device) {
  return withDevice([&] { return cuDeviceGraphMemTrim(device); });
}

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

static_assert(sizeof(cudaGraphEdgeData) == sizeof(CUgraphEdgeData),
              "one layout");
static CUgraphEdgeData *toDriver(cudaGraphEdgeData *edges) {
  return reinterpret_cast<CUgraphEdgeData *>(edges);
}
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph,
                                     const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to,
                                     const cudaGraphEdgeData *, size_t count) {
  return withDevice(
      [&] { return cuGraphAddDependencies(graph, from, to, nullptr, count); });
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes,
                              size_t *count) {
  return withDevice([&] { return cuGraphGetNodes(graph, nodes, count); });
}
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes,
                                  size_t *count) {
  return withDevice([&] { return cuGraphGetRootNodes(graph, nodes, count); });
}
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node,
                                 cudaGraphNodeType *type) {
  return withDevice([&] {
    return cuGraphNodeGetType(node, reinterpret_cast<CUgraphNodeType *>(type));
  });
}
cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  return withDevice([&] { return cuGraphDestroyNode(node); });
}
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph,
                                        const cudaGraphNode_t *from,
                                        const cudaGraphNode_t *to,
                                        const cudaGraphEdgeData *,
                                        size_t count) {
  return withDevice([&] {
    return cuGraphRemoveDependencies(graph, from, to, nullptr, count);
  });
}
cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from,
                              cudaGraphNode_t *to, cudaGraphEdgeData *edges,
                              size_t *count) {
  return withDevice(
      [&] { return cuGraphGetEdges(graph, from, to, toDriver(edges), count); });
}
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node,
                                         cudaGraphNode_t *nodes,
                                         cudaGraphEdgeData *edges,
                                         size_t *count) {
  return withDevice([&] {
    return cuGraphNodeGetDependencies(node, nodes, toDriver(edges), count);
  });
}
cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node,
                                           cudaGraphNode_t *nodes,
                                           cudaGraphEdgeData *edges,
                                           size_t *count) {
  return withDevice([&] {
    return cuGraphNodeGetDependentNodes(node, nodes, toDriver(edges), count);
  });
}
cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *node,
                                     cudaGraphNode_t original,
                                     cudaGraph_t clone) {
  return withDevice(
      [&] { return cuGraphNodeFindInClone(node, original, clone); });
}
cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                    unsigned enabled) {
  return withDevice([&] { return cuGraphNodeSetEnabled(exec, node, enabled); });
}
cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                    unsigned *enabled) {
  return withDevice([&] { return cuGraphNodeGetEnabled(exec, node, enabled); });
}
cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path,
                                   unsigned flags) {
  return withDevice([&] { return cuGraphDebugDotPrint(graph, path, flags); });
}
