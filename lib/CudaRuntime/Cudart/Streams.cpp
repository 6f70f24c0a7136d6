//===- Streams.cpp - Streams, events, graphs --------------------*- C++ -*-===//
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

#include <vector>

using namespace tc::cuda;
using namespace tc::cuda::cudart;

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags,
                                         int priority) {
  return withDevice(
      [&] { return cuStreamCreateWithPriority(stream, flags, priority); });
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}
cudaError_t cudaStreamCreate(cudaStream_t *stream) {
  return cudaStreamCreateWithPriority(stream, 0, 0);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return withDevice([&] { return cuStreamDestroy(stream); });
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return withDevice([&] { return cuStreamSynchronize(stream); });
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return withDevice([&] { return cuStreamQuery(stream); });
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                unsigned flags) {
  return withDevice([&] { return cuStreamWaitEvent(stream, event, flags); });
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority) {
  return withDevice([&] { return cuStreamGetPriority(stream, priority); });
}
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags) {
  return withDevice([&] { return cuStreamGetFlags(stream, flags); });
}
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id) {
  return withDevice([&] { return cuStreamGetId(stream, id); });
}
cudaError_t cudaStreamGetDevice(cudaStream_t, int *device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaStreamSetAttribute(cudaStream_t, cudaStreamAttrID,
                                   const cudaStreamAttrValue *) {
  return cudaSuccess;
}
cudaError_t cudaStreamGetAttribute(cudaStream_t, cudaStreamAttrID,
                                   cudaStreamAttrValue *value) {
  *value = cudaStreamAttrValue{};
  return cudaSuccess;
}
cudaError_t cudaStreamCopyAttributes(cudaStream_t, cudaStream_t) {
  return cudaSuccess;
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream,
                                  cudaStreamCallback_t callback, void *data,
                                  unsigned) {
  cudaError_t error = cudaStreamSynchronize(stream);
  if (error == cudaSuccess)
    callback(stream, error, data);
  return error;
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
  return withDevice([&] { return cuEventCreate(event, flags); });
}
cudaError_t cudaEventCreate(cudaEvent_t *event) {
  return cudaEventCreateWithFlags(event, 0);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return withDevice([&] { return cuEventDestroy(event); });
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream,
                                     unsigned flags) {
  return withDevice(
      [&] { return cuEventRecordWithFlags(event, stream, flags); });
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecordWithFlags(event, stream, 0);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return withDevice([&] { return cuEventSynchronize(event); });
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  return withDevice([&] { return cuEventQuery(event); });
}
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start,
                                 cudaEvent_t end) {
  return withDevice(
      [&] { return cuEventElapsedTime(milliseconds, start, end); });
}

//===----------------------------------------------------------------------===//
// Capture
//===----------------------------------------------------------------------===//

cudaError_t cudaStreamBeginCapture(cudaStream_t stream,
                                   cudaStreamCaptureMode mode) {
  return withDevice([&] {
    return cuStreamBeginCapture(stream, static_cast<CUstreamCaptureMode>(mode));
  });
}
cudaError_t cudaStreamBeginCaptureToGraph(
    cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
    const cudaGraphEdgeData *, size_t count, cudaStreamCaptureMode mode) {
  return withDevice([&] {
    return cuStreamBeginCaptureToGraph(stream, graph, dependencies, nullptr,
                                       count,
                                       static_cast<CUstreamCaptureMode>(mode));
  });
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
  return withDevice([&] { return cuStreamEndCapture(stream, graph); });
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream,
                                  cudaStreamCaptureStatus *status) {
  return withDevice([&] {
    return cuStreamIsCapturing(
        stream, reinterpret_cast<CUstreamCaptureStatus *>(status));
  });
}
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream,
                                     cudaStreamCaptureStatus *status,
                                     unsigned long long *id, cudaGraph_t *graph,
                                     const cudaGraphNode_t **dependencies,
                                     const cudaGraphEdgeData **edges,
                                     size_t *count) {
  return withDevice([&] {
    return cuStreamGetCaptureInfo(
        stream, reinterpret_cast<CUstreamCaptureStatus *>(status),
        reinterpret_cast<cuuint64_t *>(id), graph, dependencies,
        reinterpret_cast<const CUgraphEdgeData **>(edges), count);
  });
}
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *mode) {
  return withDevice([&] {
    return cuThreadExchangeStreamCaptureMode(
        reinterpret_cast<CUstreamCaptureMode *>(mode));
  });
}

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

static CUresult toDriver(const cudaKernelNodeParams &p,
                         CUDA_KERNEL_NODE_PARAMS &params) {
  params = CUDA_KERNEL_NODE_PARAMS{};
  params.gridDimX = p.gridDim.x;
  params.gridDimY = p.gridDim.y;
  params.gridDimZ = p.gridDim.z;
  params.blockDimX = p.blockDim.x;
  params.blockDimY = p.blockDim.y;
  params.blockDimZ = p.blockDim.z;
  params.sharedMemBytes = p.sharedMemBytes;
  params.kernelParams = p.kernelParams;
  params.extra = p.extra;
  return findFunction(p.func, params.func);
}
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *dependencies,
                                   size_t count,
                                   const cudaKernelNodeParams *p) {
  return withDevice([&] {
    CUDA_KERNEL_NODE_PARAMS params;
    CUresult result = toDriver(*p, params);
    return result == CUDA_SUCCESS
               ? cuGraphAddKernelNode(node, graph, dependencies, count, &params)
               : result;
  });
}
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                         const cudaKernelNodeParams *p) {
  return withDevice([&] {
    CUDA_KERNEL_NODE_PARAMS params;
    CUresult result = toDriver(*p, params);
    return result == CUDA_SUCCESS ? cuGraphKernelNodeSetParams(node, &params)
                                  : result;
  });
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec,
                                             cudaGraphNode_t node,
                                             const cudaKernelNodeParams *p) {
  return withDevice([&] {
    CUDA_KERNEL_NODE_PARAMS params;
    CUresult result = toDriver(*p, params);
    return result == CUDA_SUCCESS
               ? cuGraphExecKernelNodeSetParams(exec, node, &params)
               : result;
  });
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *dependencies,
                                     size_t count, void *to, const void *from,
                                     size_t bytes, cudaMemcpyKind) {
  return withDevice([&] {
    CUDA_MEMCPY3D copy{};
    copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
    copy.srcDevice = toDevice(from);
    copy.dstDevice = toDevice(to);
    copy.WidthInBytes = bytes;
    copy.Height = copy.Depth = 1;
    return cuGraphAddMemcpyNode(node, graph, dependencies, count, &copy,
                                nullptr);
  });
}
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *dependencies,
                                   size_t count, const cudaMemsetParams *p) {
  return withDevice([&] {
    CUDA_MEMSET_NODE_PARAMS params{};
    params.dst = toDevice(p->dst);
    params.pitch = p->pitch;
    params.value = p->value;
    params.elementSize = p->elementSize;
    params.width = p->width;
    params.height = p->height;
    return cuGraphAddMemsetNode(node, graph, dependencies, count, &params,
                                nullptr);
  });
}
cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *dependencies,
                                     size_t count, cudaMemAllocNodeParams *p) {
  return withDevice([&] {
    CUDA_MEM_ALLOC_NODE_PARAMS params{};
    params.bytesize = p->bytesize;
    CUresult result =
        cuGraphAddMemAllocNode(node, graph, dependencies, count, &params);
    p->dptr = reinterpret_cast<void *>(params.dptr);
    return result;
  });
}
cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node,
                                           cudaMemAllocNodeParams *p) {
  return withDevice([&] {
    CUDA_MEM_ALLOC_NODE_PARAMS params{};
    CUresult result = cuGraphMemAllocNodeGetParams(node, &params);
    *p = cudaMemAllocNodeParams{};
    p->poolProps.allocType = cudaMemAllocationTypePinned;
    p->poolProps.location.type = cudaMemLocationTypeDevice;
    p->bytesize = params.bytesize;
    p->dptr = reinterpret_cast<void *>(params.dptr);
    return result;
  });
}
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                    const cudaGraphNode_t *dependencies,
                                    size_t count, void *address) {
  return withDevice([&] {
    return cuGraphAddMemFreeNode(node, graph, dependencies, count,
                                 toDevice(address));
  });
}
cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *address) {
  return withDevice([&] {
    return cuGraphMemFreeNodeGetParams(node,
                                       static_cast<CUdeviceptr *>(address));
  });
}
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                 const cudaGraphNode_t *dependencies,
                                 size_t count, const cudaHostNodeParams *p) {
  return withDevice([&] {
    CUDA_HOST_NODE_PARAMS params{};
    params.fn = p->fn;
    params.userData = p->userData;
    return cuGraphAddHostNode(node, graph, dependencies, count, &params);
  });
}
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                  const cudaGraphNode_t *dependencies,
                                  size_t count) {
  return withDevice(
      [&] { return cuGraphAddEmptyNode(node, graph, dependencies, count); });
}
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                       const cudaGraphNode_t *dependencies,
                                       size_t count, cudaGraph_t child) {
  return withDevice([&] {
    return cuGraphAddChildGraphNode(node, graph, dependencies, count, child);
  });
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
