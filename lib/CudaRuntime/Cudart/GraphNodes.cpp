//===- GraphNodes.cpp - What nodes of graphs do -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parameters become those of the driver.
//
//===----------------------------------------------------------------------===//

#include "Cudart/Frame.h"

using namespace tc::cuda;
using namespace tc::cuda::cudart;

/// A call with `p` as the structure that the driver has for it, by toDriver.
template <class Params, class From, class Call>
static cudaError_t withParams(const From *p, Call call) {
  return withDevice([&] {
    Params params;
    CUresult result = p ? toDriver(*p, params) : CUDA_ERROR_INVALID_VALUE;
    return result == CUDA_SUCCESS ? call(params) : result;
  });
}

//===----------------------------------------------------------------------===//
// Kernel nodes
//===----------------------------------------------------------------------===//

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
  return withParams<CUDA_KERNEL_NODE_PARAMS>(
      p, [&](CUDA_KERNEL_NODE_PARAMS &params) {
        return cuGraphAddKernelNode(node, graph, dependencies, count, &params);
      });
}
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                         const cudaKernelNodeParams *p) {
  return withParams<CUDA_KERNEL_NODE_PARAMS>(
      p, [&](CUDA_KERNEL_NODE_PARAMS &params) {
        return cuGraphKernelNodeSetParams(node, &params);
      });
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec,
                                             cudaGraphNode_t node,
                                             const cudaKernelNodeParams *p) {
  return withParams<CUDA_KERNEL_NODE_PARAMS>(
      p, [&](CUDA_KERNEL_NODE_PARAMS &params) {
        return cuGraphExecKernelNodeSetParams(exec, node, &params);
      });
}
cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node,
                                         cudaKernelNodeParams *p) {
  return withDevice([&] {
    CUDA_KERNEL_NODE_PARAMS params{};
    CUresult result = cuGraphKernelNodeGetParams(node, &params);
    if (result != CUDA_SUCCESS)
      return result;
    p->func = const_cast<void *>(findHost(params.func));
    p->gridDim = dim3(params.gridDimX, params.gridDimY, params.gridDimZ);
    p->blockDim = dim3(params.blockDimX, params.blockDimY, params.blockDimZ);
    p->sharedMemBytes = params.sharedMemBytes;
    p->kernelParams = params.kernelParams;
    p->extra = params.extra;
    return result;
  });
}
static_assert(sizeof(cudaLaunchAttributeValue) ==
                  sizeof(CUlaunchAttributeValue),
              "one layout");
cudaError_t
cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID id,
                                const cudaLaunchAttributeValue *value) {
  return withDevice([&] {
    return cuGraphKernelNodeSetAttribute(
        node, static_cast<CUlaunchAttributeID>(id),
        reinterpret_cast<const CUlaunchAttributeValue *>(value));
  });
}
cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node,
                                            cudaLaunchAttributeID id,
                                            cudaLaunchAttributeValue *value) {
  return withDevice([&] {
    return cuGraphKernelNodeGetAttribute(
        node, static_cast<CUlaunchAttributeID>(id),
        reinterpret_cast<CUlaunchAttributeValue *>(value));
  });
}
cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to,
                                              cudaGraphNode_t from) {
  return withDevice([&] { return cuGraphKernelNodeCopyAttributes(to, from); });
}

//===----------------------------------------------------------------------===//
// Copies: of boxes, of bytes, to and from variables
//===----------------------------------------------------------------------===//

/// A copy node that is added or set: the calls differ in where it goes.
template <class Describe>
static cudaError_t addCopy(cudaGraphNode_t *node, cudaGraph_t graph,
                           const cudaGraphNode_t *dependencies, size_t count,
                           Describe describe) {
  return withDevice([&] {
    CUDA_MEMCPY3D copy{};
    CUresult result = describe(copy);
    return result == CUDA_SUCCESS
               ? cuGraphAddMemcpyNode(node, graph, dependencies, count, &copy,
                                      nullptr)
               : result;
  });
}
template <class Describe>
static cudaError_t setCopy(cudaGraphNode_t node, Describe describe) {
  return withDevice([&] {
    CUDA_MEMCPY3D copy{};
    CUresult result = describe(copy);
    return result == CUDA_SUCCESS ? cuGraphMemcpyNodeSetParams(node, &copy)
                                  : result;
  });
}
template <class Describe>
static cudaError_t setCopy(cudaGraphExec_t exec, cudaGraphNode_t node,
                           Describe describe) {
  return withDevice([&] {
    CUDA_MEMCPY3D copy{};
    CUresult result = describe(copy);
    return result == CUDA_SUCCESS
               ? cuGraphExecMemcpyNodeSetParams(exec, node, &copy, nullptr)
               : result;
  });
}

static auto box(const cudaMemcpy3DParms *p) {
  return [=](CUDA_MEMCPY3D &copy) { return describeCopy(*p, copy); };
}
static auto bytes(void *to, const void *from, size_t count,
                  cudaMemcpyKind kind) {
  return [=](CUDA_MEMCPY3D &copy) {
    return describeCopy(to, from, count, kind, copy);
  };
}
static auto toSymbol(const void *symbol, const void *from, size_t count,
                     size_t offset, cudaMemcpyKind kind) {
  return [=](CUDA_MEMCPY3D &copy) {
    void *to = nullptr;
    CUresult result = findPart(symbol, count, offset, to);
    return result == CUDA_SUCCESS ? describeCopy(to, from, count, kind, copy)
                                  : result;
  };
}
static auto fromSymbol(void *to, const void *symbol, size_t count,
                       size_t offset, cudaMemcpyKind kind) {
  return [=](CUDA_MEMCPY3D &copy) {
    void *from = nullptr;
    CUresult result = findPart(symbol, count, offset, from);
    return result == CUDA_SUCCESS ? describeCopy(to, from, count, kind, copy)
                                  : result;
  };
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *dependencies,
                                   size_t count, const cudaMemcpy3DParms *p) {
  return addCopy(node, graph, dependencies, count, box(p));
}
cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node,
                                         const cudaMemcpy3DParms *p) {
  return setCopy(node, box(p));
}
cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec,
                                             cudaGraphNode_t node,
                                             const cudaMemcpy3DParms *p) {
  return setCopy(exec, node, box(p));
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *dependencies,
                                     size_t count, void *to, const void *from,
                                     size_t size, cudaMemcpyKind kind) {
  return addCopy(node, graph, dependencies, count, bytes(to, from, size, kind));
}
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *to,
                                           const void *from, size_t size,
                                           cudaMemcpyKind kind) {
  return setCopy(node, bytes(to, from, size, kind));
}
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec,
                                               cudaGraphNode_t node, void *to,
                                               const void *from, size_t size,
                                               cudaMemcpyKind kind) {
  return setCopy(exec, node, bytes(to, from, size, kind));
}
cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node,
                                           cudaGraph_t graph,
                                           const cudaGraphNode_t *dependencies,
                                           size_t count, const void *symbol,
                                           const void *from, size_t size,
                                           size_t offset, cudaMemcpyKind kind) {
  return addCopy(node, graph, dependencies, count,
                 toSymbol(symbol, from, size, offset, kind));
}
cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node,
                                                 const void *symbol,
                                                 const void *from, size_t size,
                                                 size_t offset,
                                                 cudaMemcpyKind kind) {
  return setCopy(node, toSymbol(symbol, from, size, offset, kind));
}
cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(
    cudaGraphExec_t exec, cudaGraphNode_t node, const void *symbol,
    const void *from, size_t size, size_t offset, cudaMemcpyKind kind) {
  return setCopy(exec, node, toSymbol(symbol, from, size, offset, kind));
}
cudaError_t cudaGraphAddMemcpyNodeFromSymbol(
    cudaGraphNode_t *node, cudaGraph_t graph,
    const cudaGraphNode_t *dependencies, size_t count, void *to,
    const void *symbol, size_t size, size_t offset, cudaMemcpyKind kind) {
  return addCopy(node, graph, dependencies, count,
                 fromSymbol(to, symbol, size, offset, kind));
}
cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node,
                                                   void *to, const void *symbol,
                                                   size_t size, size_t offset,
                                                   cudaMemcpyKind kind) {
  return setCopy(node, fromSymbol(to, symbol, size, offset, kind));
}
cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(
    cudaGraphExec_t exec, cudaGraphNode_t node, void *to, const void *symbol,
    size_t size, size_t offset, cudaMemcpyKind kind) {
  return setCopy(exec, node, fromSymbol(to, symbol, size, offset, kind));
}
cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node,
                                         cudaMemcpy3DParms *p) {
  return withDevice([&] {
    CUDA_MEMCPY3D copy{};
    CUresult result = cuGraphMemcpyNodeGetParams(node, &copy);
    *p = cudaMemcpy3DParms{};
    auto pointer = [](CUmemorytype type, const void *host, CUdeviceptr device) {
      return type == CU_MEMORYTYPE_HOST ? const_cast<void *>(host)
                                        : reinterpret_cast<void *>(device);
    };
    p->srcPtr = {pointer(copy.srcMemoryType, copy.srcHost, copy.srcDevice),
                 copy.srcPitch, copy.WidthInBytes, copy.srcHeight};
    p->dstPtr = {pointer(copy.dstMemoryType, copy.dstHost, copy.dstDevice),
                 copy.dstPitch, copy.WidthInBytes, copy.dstHeight};
    p->srcPos = {copy.srcXInBytes, copy.srcY, copy.srcZ};
    p->dstPos = {copy.dstXInBytes, copy.dstY, copy.dstZ};
    p->extent = {copy.WidthInBytes, copy.Height, copy.Depth};
    const bool fromHost = copy.srcMemoryType == CU_MEMORYTYPE_HOST,
               toHost = copy.dstMemoryType == CU_MEMORYTYPE_HOST;
    p->kind =
        copy.srcMemoryType == CU_MEMORYTYPE_UNIFIED ? cudaMemcpyDefault
        : fromHost
            ? (toHost ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice)
            : (toHost ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice);
    return result;
  });
}

//===----------------------------------------------------------------------===//
// Fills and memory
//===----------------------------------------------------------------------===//

static CUresult toDriver(const cudaMemsetParams &p,
                         CUDA_MEMSET_NODE_PARAMS &params) {
  params = CUDA_MEMSET_NODE_PARAMS{};
  params.dst = toDevice(p.dst);
  params.pitch = p.pitch;
  params.value = p.value;
  params.elementSize = p.elementSize;
  params.width = p.width;
  params.height = p.height;
  return CUDA_SUCCESS;
}
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *dependencies,
                                   size_t count, const cudaMemsetParams *p) {
  return withParams<CUDA_MEMSET_NODE_PARAMS>(
      p, [&](CUDA_MEMSET_NODE_PARAMS &params) {
        return cuGraphAddMemsetNode(node, graph, dependencies, count, &params,
                                    nullptr);
      });
}
cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node,
                                         const cudaMemsetParams *p) {
  return withParams<CUDA_MEMSET_NODE_PARAMS>(
      p, [&](CUDA_MEMSET_NODE_PARAMS &params) {
        return cuGraphMemsetNodeSetParams(node, &params);
      });
}
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec,
                                             cudaGraphNode_t node,
                                             const cudaMemsetParams *p) {
  return withParams<CUDA_MEMSET_NODE_PARAMS>(
      p, [&](CUDA_MEMSET_NODE_PARAMS &params) {
        return cuGraphExecMemsetNodeSetParams(exec, node, &params, nullptr);
      });
}
cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node,
                                         cudaMemsetParams *p) {
  return withDevice([&] {
    CUDA_MEMSET_NODE_PARAMS params{};
    CUresult result = cuGraphMemsetNodeGetParams(node, &params);
    *p = {reinterpret_cast<void *>(params.dst),
          params.pitch,
          params.value,
          params.elementSize,
          params.width,
          params.height};
    return result;
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

//===----------------------------------------------------------------------===//
// Functions of the host, graphs and events
//===----------------------------------------------------------------------===//

static CUresult toDriver(const cudaHostNodeParams &p,
                         CUDA_HOST_NODE_PARAMS &params) {
  params = CUDA_HOST_NODE_PARAMS{};
  params.fn = p.fn;
  params.userData = p.userData;
  return CUDA_SUCCESS;
}
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                 const cudaGraphNode_t *dependencies,
                                 size_t count, const cudaHostNodeParams *p) {
  return withParams<CUDA_HOST_NODE_PARAMS>(
      p, [&](CUDA_HOST_NODE_PARAMS &params) {
        return cuGraphAddHostNode(node, graph, dependencies, count, &params);
      });
}
cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node,
                                       const cudaHostNodeParams *p) {
  return withParams<CUDA_HOST_NODE_PARAMS>(
      p, [&](CUDA_HOST_NODE_PARAMS &params) {
        return cuGraphHostNodeSetParams(node, &params);
      });
}
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec,
                                           cudaGraphNode_t node,
                                           const cudaHostNodeParams *p) {
  return withParams<CUDA_HOST_NODE_PARAMS>(
      p, [&](CUDA_HOST_NODE_PARAMS &params) {
        return cuGraphExecHostNodeSetParams(exec, node, &params);
      });
}
cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node,
                                       cudaHostNodeParams *p) {
  return withDevice([&] {
    CUDA_HOST_NODE_PARAMS params{};
    CUresult result = cuGraphHostNodeGetParams(node, &params);
    *p = {params.fn, params.userData};
    return result;
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
cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node,
                                            cudaGraph_t *graph) {
  return withDevice([&] { return cuGraphChildGraphNodeGetGraph(node, graph); });
}
cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec,
                                                 cudaGraphNode_t node,
                                                 cudaGraph_t child) {
  return withDevice(
      [&] { return cuGraphExecChildGraphNodeSetParams(exec, node, child); });
}
// cudaGraphAddEventRecordNode and the like, and those of nodes that wait.
#define TC_EVENT_NODE(KIND)                                                    \
  cudaError_t cudaGraphAddEvent##KIND##Node(                                   \
      cudaGraphNode_t *node, cudaGraph_t graph,                                \
      const cudaGraphNode_t *dependencies, size_t count, cudaEvent_t event) {  \
    return withDevice([&] {                                                    \
      return cuGraphAddEvent##KIND##Node(node, graph, dependencies, count,     \
                                         event);                               \
    });                                                                        \
  }                                                                            \
  cudaError_t cudaGraphEvent##KIND##NodeSetEvent(cudaGraphNode_t node,         \
                                                 cudaEvent_t event) {          \
    return withDevice(                                                         \
        [&] { return cuGraphEvent##KIND##NodeSetEvent(node, event); });        \
  }                                                                            \
  cudaError_t cudaGraphEvent##KIND##NodeGetEvent(cudaGraphNode_t node,         \
                                                 cudaEvent_t *event) {         \
    return withDevice(                                                         \
        [&] { return cuGraphEvent##KIND##NodeGetEvent(node, event); });        \
  }                                                                            \
  cudaError_t cudaGraphExecEvent##KIND##NodeSetEvent(                          \
      cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event) {         \
    return withDevice([&] {                                                    \
      return cuGraphExecEvent##KIND##NodeSetEvent(exec, node, event);          \
    });                                                                        \
  }
TC_EVENT_NODE(Record)
TC_EVENT_NODE(Wait)
#undef TC_EVENT_NODE

//===----------------------------------------------------------------------===//
// Nodes by the structure that has parameters of every kind
//===----------------------------------------------------------------------===//

/// The driver's structure: where kinds have one layout in both, a copy.
static CUresult toDriver(const cudaGraphNodeParams &p,
                         CUgraphNodeParams &params) {
  params = CUgraphNodeParams{};
  params.type = static_cast<CUgraphNodeType>(p.type);
  switch (p.type) {
  case cudaGraphNodeTypeKernel: {
    const cudaKernelNodeParamsV2 &kernel = p.kernel;
    auto &k = params.kernel;
    k.gridDimX = kernel.gridDim.x;
    k.gridDimY = kernel.gridDim.y;
    k.gridDimZ = kernel.gridDim.z;
    k.blockDimX = kernel.blockDim.x;
    k.blockDimY = kernel.blockDim.y;
    k.blockDimZ = kernel.blockDim.z;
    k.sharedMemBytes = kernel.sharedMemBytes;
    k.kernelParams = kernel.kernelParams;
    k.extra = kernel.extra;
    return findFunction(kernel.func, k.func);
  }
  case cudaGraphNodeTypeMemcpy:
    return describeCopy(p.memcpy.copyParams, params.memcpy.copyParams);
  case cudaGraphNodeTypeMemset: {
    const cudaMemsetParamsV2 &fill = p.memset;
    params.memset = {
        toDevice(fill.dst), fill.pitch,  fill.value, fill.elementSize,
        fill.width,         fill.height, nullptr};
    return CUDA_SUCCESS;
  }
  case cudaGraphNodeTypeHost:
    params.host = {p.host.fn, p.host.userData};
    return CUDA_SUCCESS;
  case cudaGraphNodeTypeGraph:
    params.graph.graph = p.graph.graph;
    return CUDA_SUCCESS;
  case cudaGraphNodeTypeWaitEvent:
    params.eventWait.event = p.eventWait.event;
    return CUDA_SUCCESS;
  case cudaGraphNodeTypeEventRecord:
    params.eventRecord.event = p.eventRecord.event;
    return CUDA_SUCCESS;
  case cudaGraphNodeTypeMemAlloc:
    params.alloc.bytesize = p.alloc.bytesize;
    return CUDA_SUCCESS;
  case cudaGraphNodeTypeMemFree:
    params.free.dptr = toDevice(p.free.dptr);
    return CUDA_SUCCESS;
  default:
    return CUDA_SUCCESS; // the driver knows, or refuses it
  }
}
cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph,
                             const cudaGraphNode_t *dependencies,
                             const cudaGraphEdgeData *, size_t count,
                             cudaGraphNodeParams *p) {
  return withDevice([&] {
    CUgraphNodeParams params;
    CUresult result = toDriver(*p, params);
    if (result == CUDA_SUCCESS)
      result =
          cuGraphAddNode(node, graph, dependencies, nullptr, count, &params);
    if (result == CUDA_SUCCESS && p->type == cudaGraphNodeTypeMemAlloc)
      p->alloc.dptr = reinterpret_cast<void *>(params.alloc.dptr);
    return result;
  });
}
cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node,
                                   cudaGraphNodeParams *p) {
  return withParams<CUgraphNodeParams>(p, [&](CUgraphNodeParams &params) {
    return cuGraphNodeSetParams(node, &params);
  });
}
cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec,
                                       cudaGraphNode_t node,
                                       cudaGraphNodeParams *p) {
  return withParams<CUgraphNodeParams>(p, [&](CUgraphNodeParams &params) {
    return cuGraphExecNodeSetParams(exec, node, &params);
  });
}
