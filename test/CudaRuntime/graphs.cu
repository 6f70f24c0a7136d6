//===- graphs.cu - Graphs of the runtime on the emulator ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nodes of every kind, added, set, asked for and updated in executable graphs;
// prints "passed N checks" or the first that failed.
//
//===----------------------------------------------------------------------===//

#include "checks.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static constexpr int n = 24;
__device__ int symbol[n];
__global__ void addTo(int *values, int by) { values[threadIdx.x] += by; }
__global__ void multiply(int *values, int by) { values[threadIdx.x] *= by; }

static int called = 0;
static void count(void *by) { called += *static_cast<int *>(by); }
static int destroyed = 0;
static void destroy(void *) { ++destroyed; }

/// A graph that copies in, adds and copies out, by nodes.
struct Program {
  int in[n], out[n], by = 3, *device;
  void *arguments[2] = {&device, &by};
  cudaGraph_t graph;
  cudaGraphNode_t from, kernel, to;
  cudaKernelNodeParams params = {};

  static cudaMemcpy3DParms row(void *to, void *from, cudaMemcpyKind kind) {
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(from, n * sizeof(int), n, 1);
    p.dstPtr = make_cudaPitchedPtr(to, n * sizeof(int), n, 1);
    p.extent = make_cudaExtent(n * sizeof(int), 1, 1);
    p.kind = kind;
    return p;
  }
  Program() {
    for (int i = 0; i < n; ++i)
      in[i] = i * i;
    OK(cudaMalloc(&device, n * sizeof(int)));
    OK(cudaGraphCreate(&graph, 0));
    params.func = (void *)addTo;
    params.gridDim = dim3(1);
    params.blockDim = dim3(n);
    params.kernelParams = arguments;
    cudaMemcpy3DParms first = row(device, in, cudaMemcpyHostToDevice),
                      last = row(out, device, cudaMemcpyDeviceToHost);
    OK(cudaGraphAddMemcpyNode(&from, graph, nullptr, 0, &first));
    OK(cudaGraphAddKernelNode(&kernel, graph, &from, 1, &params));
    OK(cudaGraphAddMemcpyNode(&to, graph, &kernel, 1, &last));
  }
  ~Program() {
    OK(cudaGraphDestroy(graph));
    OK(cudaFree(device));
  }
  /// What a launch leaves has to be `scale * in + by`.
  void expect(cudaGraphExec_t exec, int scale, int by) {
    std::memset(out, 0xff, sizeof(out));
    OK(cudaGraphLaunch(exec, nullptr));
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < n; ++i)
      EXPECT(out[i] == scale * in[i] + by);
  }
};

static void checkCopiesAndKernels() {
  Program p;
  cudaGraphExec_t exec;
  OK(cudaGraphInstantiate(&exec, p.graph, 0));
  p.by = 100; // taken when the node was made
  OK(cudaGraphUpload(exec, nullptr));
  p.expect(exec, 1, 3);
  // Parameters of nodes, in the graph and in what was made from it.
  cudaKernelNodeParams params = {};
  OK(cudaGraphKernelNodeGetParams(p.kernel, &params));
  EXPECT(params.func == (void *)addTo && params.blockDim.x == n);
  EXPECT(*static_cast<int *>(params.kernelParams[1]) == 3);
  p.params.func = (void *)multiply;
  p.by = 5;
  OK(cudaGraphExecKernelNodeSetParams(exec, p.kernel, &p.params));
  p.expect(exec, 5, 0);
  OK(cudaGraphKernelNodeGetParams(p.kernel, &params));
  EXPECT(params.func == (void *)addTo);
  p.by = 7;
  p.params.func = (void *)addTo;
  OK(cudaGraphKernelNodeSetParams(p.kernel, &p.params));
  p.expect(exec, 5, 0);
  cudaGraphExecUpdateResultInfo info;
  OK(cudaGraphExecUpdate(exec, p.graph, &info));
  EXPECT(info.result == cudaGraphExecUpdateSuccess);
  p.expect(exec, 1, 7);
  // Nodes go on naming what was updated.
  p.by = 8;
  OK(cudaGraphExecKernelNodeSetParams(exec, p.kernel, &p.params));
  p.expect(exec, 1, 8);
  int other[n];
  for (int i = 0; i < n; ++i)
    other[i] = -i;
  cudaMemcpy3DParms copy =
                        Program::row(p.device, other, cudaMemcpyHostToDevice),
                    got;
  OK(cudaGraphExecMemcpyNodeSetParams(exec, p.from, &copy));
  OK(cudaGraphLaunch(exec, nullptr));
  for (int i = 0; i < n; ++i)
    EXPECT(p.out[i] == 8 - i);
  OK(cudaGraphMemcpyNodeGetParams(p.from, &got));
  EXPECT(got.srcPtr.ptr == p.in && got.dstPtr.ptr == p.device &&
         got.kind == cudaMemcpyHostToDevice &&
         got.extent.width == n * sizeof(int));
  OK(cudaGraphExecMemcpyNodeSetParams1D(
      exec, p.from, p.device, p.in, n * sizeof(int), cudaMemcpyHostToDevice));
  p.expect(exec, 1, 8);
  OK(cudaGraphMemcpyNodeSetParams(p.from, &copy));
  OK(cudaGraphMemcpyNodeGetParams(p.from, &got));
  EXPECT(got.srcPtr.ptr == other);
  // A node of one kind does nothing of another; what is no node does nothing.
  EXPECT(cudaGraphExecKernelNodeSetParams(exec, p.from, &p.params) ==
         cudaErrorInvalidValue);
  cudaGraph_t empty;
  cudaGraphNode_t stranger;
  OK(cudaGraphCreate(&empty, 0));
  OK(cudaGraphAddEmptyNode(&stranger, empty, nullptr, 0));
  EXPECT(cudaGraphExecMemcpyNodeSetParams(exec, stranger, &copy) ==
         cudaErrorInvalidValue);
  copy.kind = static_cast<cudaMemcpyKind>(9);
  EXPECT(cudaGraphAddMemcpyNode(&stranger, empty, nullptr, 0, &copy) ==
         cudaErrorInvalidMemcpyDirection);
  OK(cudaGraphDestroy(empty));
  // Attributes outlast parameters.
  cudaLaunchAttributeValue value = {};
  value.clusterDim.x = value.clusterDim.y = value.clusterDim.z = 1;
  OK(cudaGraphKernelNodeSetAttribute(
      p.kernel, cudaLaunchAttributeClusterDimension, &value));
  OK(cudaGraphKernelNodeSetParams(p.kernel, &p.params));
  value = {};
  OK(cudaGraphKernelNodeGetAttribute(
      p.kernel, cudaLaunchAttributeClusterDimension, &value));
  EXPECT(value.clusterDim.x == 1);
  OK(cudaGraphExecDestroy(exec));
}

static void checkSymbols() {
  int in[n], out[n];
  for (int i = 0; i < n; ++i)
    in[i] = 5 * i;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphNode_t to, from;
  OK(cudaGraphCreate(&graph, 0));
  OK(cudaGraphAddMemcpyNodeToSymbol(&to, graph, nullptr, 0, symbol, in,
                                    sizeof(in), 0, cudaMemcpyHostToDevice));
  OK(cudaGraphAddMemcpyNodeFromSymbol(&from, graph, &to, 1, out, symbol,
                                      sizeof(out), 0, cudaMemcpyDeviceToHost));
  EXPECT(cudaGraphAddMemcpyNodeToSymbol(
             &to, graph, nullptr, 0, symbol, in, sizeof(in), 4,
             cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, nullptr));
  EXPECT(!std::memcmp(in, out, sizeof(in)));
  OK(cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec, from, out, symbol, 8, 8,
                                                cudaMemcpyDeviceToHost));
  OK(cudaGraphLaunch(exec, nullptr));
  EXPECT(out[0] == 10 && out[1] == 15 && out[2] == 10);
  OK(cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, to, symbol, in + 1, 4, 8,
                                              cudaMemcpyHostToDevice));
  OK(cudaGraphLaunch(exec, nullptr));
  EXPECT(out[0] == 5 && out[1] == 15);
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));
}

static void checkOthers() {
  int *device, one = 1, ten = 10, out[n];
  OK(cudaMalloc(&device, n * sizeof(int)));
  cudaGraph_t graph, child, inside;
  cudaGraphExec_t exec;
  cudaGraphNode_t fill, host, childNode, record, wait, copy, leaf;
  cudaEvent_t event, other, got;
  OK(cudaEventCreate(&event));
  OK(cudaEventCreate(&other));
  OK(cudaGraphCreate(&graph, 0));
  OK(cudaGraphCreate(&child, 0));
  cudaHostNodeParams function = {count, &one}, gotFunction = {};
  OK(cudaGraphAddHostNode(&leaf, child, nullptr, 0, &function));
  cudaMemsetParams bytes = {device, 0, 6, 4, n, 1}, gotBytes = {};
  OK(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &bytes));
  OK(cudaGraphAddHostNode(&host, graph, &fill, 1, &function));
  OK(cudaGraphAddChildGraphNode(&childNode, graph, &host, 1, child));
  OK(cudaGraphAddEventRecordNode(&record, graph, &childNode, 1, event));
  OK(cudaGraphAddEventWaitNode(&wait, graph, &record, 1, event));
  OK(cudaGraphAddMemcpyNode1D(&copy, graph, &wait, 1, out, device, sizeof(out),
                              cudaMemcpyDeviceToHost));
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, nullptr));
  EXPECT(called == 2 && out[0] == 6 && out[n - 1] == 6);
  OK(cudaEventQuery(event));
  // Kinds, and what the calls that get say.
  const cudaGraphNodeType kinds[] = {
      cudaGraphNodeTypeMemset,    cudaGraphNodeTypeHost,
      cudaGraphNodeTypeGraph,     cudaGraphNodeTypeEventRecord,
      cudaGraphNodeTypeWaitEvent, cudaGraphNodeTypeMemcpy};
  cudaGraphNode_t nodes[7] = {}, ends[7];
  size_t size = 7;
  OK(cudaGraphGetNodes(graph, nodes, &size));
  EXPECT(size == 6);
  for (int i = 0; i < 6; ++i) {
    cudaGraphNodeType type;
    OK(cudaGraphNodeGetType(nodes[i], &type));
    EXPECT(type == kinds[i]);
  }
  OK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &size));
  EXPECT(size == 5);
  cudaGraphEdgeData edges[5];
  OK(cudaGraphGetEdges(graph, nodes, ends, edges, &size));
  EXPECT(nodes[0] == fill && ends[0] == host && ends[4] == copy);
  size = 1;
  OK(cudaGraphNodeGetDependencies(copy, nodes, nullptr, &size));
  EXPECT(size == 1 && nodes[0] == wait);
  OK(cudaGraphNodeGetDependentNodes(fill, nodes, nullptr, &size));
  EXPECT(size == 1 && nodes[0] == host);
  OK(cudaGraphMemsetNodeGetParams(fill, &gotBytes));
  EXPECT(gotBytes.dst == device && gotBytes.value == 6);
  OK(cudaGraphHostNodeGetParams(host, &gotFunction));
  EXPECT(gotFunction.userData == &one);
  OK(cudaGraphEventRecordNodeGetEvent(record, &got));
  EXPECT(got == event);
  EXPECT(cudaGraphEventWaitNodeGetEvent(record, &got) == cudaErrorInvalidValue);
  OK(cudaGraphChildGraphNodeGetGraph(childNode, &inside));
  OK(cudaGraphGetNodes(inside, nullptr, &size));
  EXPECT(inside != child && size == 1);
  OK(cudaGraphDebugDotPrint(graph, "/dev/null", 0));
  EXPECT(cudaGraphAddHostNode(&record, graph, nullptr, 0, nullptr) ==
         cudaErrorInvalidValue);
  EXPECT(cudaGraphDebugDotPrint(graph, "/", 0) == cudaErrorInvalidValue);
  // Updates of the executable graph.
  bytes.value = 9;
  function.userData = &ten;
  OK(cudaGraphExecMemsetNodeSetParams(exec, fill, &bytes));
  OK(cudaGraphExecHostNodeSetParams(exec, host, &function));
  OK(cudaGraphExecEventRecordNodeSetEvent(exec, record, other));
  OK(cudaGraphExecEventWaitNodeSetEvent(exec, wait, other));
  OK(cudaGraphHostNodeSetParams(leaf, &function));
  OK(cudaGraphExecChildGraphNodeSetParams(exec, childNode, child));
  called = 0;
  OK(cudaGraphLaunch(exec, nullptr));
  EXPECT(called == 20 && out[3] == 9);
  unsigned enabled = 7;
  OK(cudaGraphNodeSetEnabled(exec, host, 0));
  OK(cudaGraphNodeGetEnabled(exec, host, &enabled));
  called = 0;
  OK(cudaGraphLaunch(exec, nullptr));
  EXPECT(called == 10 && enabled == 0);
  OK(cudaGraphExecDestroy(exec));
  // Without an edge and a node; a clone has its own.
  cudaGraph_t clone;
  cudaGraphNode_t found;
  OK(cudaGraphClone(&clone, graph));
  OK(cudaGraphNodeFindInClone(&found, host, clone));
  OK(cudaGraphDestroyNode(found));
  EXPECT(cudaGraphNodeFindInClone(&found, host, clone) ==
         cudaErrorInvalidValue);
  OK(cudaGraphNodeFindInClone(&found, fill, clone));
  EXPECT(found != fill);
  OK(cudaGraphRemoveDependencies(graph, &fill, &host, nullptr, 1));
  EXPECT(cudaGraphRemoveDependencies(graph, &fill, &host, nullptr, 1) ==
         cudaErrorInvalidValue);
  OK(cudaGraphGetRootNodes(graph, nullptr, &size));
  EXPECT(size == 2);
  OK(cudaGraphGetNodes(clone, nullptr, &size));
  EXPECT(size == 5);
  called = 0;
  cudaGraphInstantiateParams how = {};
  OK(cudaGraphInstantiateWithParams(&exec, clone, &how));
  EXPECT(how.result_out == cudaGraphInstantiateSuccess);
  OK(cudaGraphLaunch(exec, nullptr));
  EXPECT(called == 1 && out[0] == 6);
  // Objects that graphs keep.
  cudaUserObject_t object;
  OK(cudaUserObjectCreate(&object, &one, destroy, 1,
                          cudaUserObjectNoDestructorSync));
  OK(cudaGraphRetainUserObject(clone, object, 1, cudaGraphUserObjectMove));
  OK(cudaGraphDestroy(clone));
  EXPECT(destroyed == 1);
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));
  OK(cudaGraphDestroy(child));
  OK(cudaFree(device));
}

/// The same by the structure that has parameters of every kind.
static void checkAnyNode() {
  int *device, by = 4, one = 1, out[n];
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphNode_t fill, kernel, copy, host, make, release;
  OK(cudaGraphCreate(&graph, 0));
  cudaGraphNodeParams p = {};
  p.type = cudaGraphNodeTypeMemAlloc;
  p.alloc.poolProps.allocType = cudaMemAllocationTypePinned;
  p.alloc.poolProps.location.type = cudaMemLocationTypeDevice;
  p.alloc.bytesize = n * sizeof(int);
  OK(cudaGraphAddNode(&make, graph, nullptr, nullptr, 0, &p));
  device = static_cast<int *>(p.alloc.dptr);
  p = {};
  p.type = cudaGraphNodeTypeMemset;
  p.memset.dst = device;
  p.memset.value = 2;
  p.memset.elementSize = 4;
  p.memset.width = n;
  p.memset.height = 1;
  OK(cudaGraphAddNode(&fill, graph, &make, nullptr, 1, &p));
  cudaGraphNodeParams k = {};
  void *arguments[] = {&device, &by};
  k.type = cudaGraphNodeTypeKernel;
  k.kernel.func = (void *)addTo;
  k.kernel.gridDim = dim3(1);
  k.kernel.blockDim = dim3(n);
  k.kernel.kernelParams = arguments;
  OK(cudaGraphAddNode(&kernel, graph, &fill, nullptr, 1, &k));
  cudaGraphNodeParams c = {};
  c.type = cudaGraphNodeTypeMemcpy;
  c.memcpy.copyParams = Program::row(out, device, cudaMemcpyDeviceToHost);
  OK(cudaGraphAddNode(&copy, graph, &kernel, nullptr, 1, &c));
  c = {};
  c.type = cudaGraphNodeTypeMemFree;
  c.free.dptr = device;
  OK(cudaGraphAddNode(&release, graph, &copy, nullptr, 1, &c));
  c = {};
  c.type = cudaGraphNodeTypeHost;
  c.host.fn = count;
  c.host.userData = &one;
  OK(cudaGraphAddNode(&host, graph, &release, nullptr, 1, &c));
  OK(cudaGraphInstantiate(&exec, graph, 0));
  called = 0;
  OK(cudaGraphLaunch(exec, nullptr));
  EXPECT(called == 1 && out[0] == 6 && out[n - 1] == 6);
  by = 5;
  k.kernel.func = (void *)multiply;
  OK(cudaGraphExecNodeSetParams(exec, kernel, &k));
  p.memset.value = 7;
  OK(cudaGraphExecNodeSetParams(exec, fill, &p));
  OK(cudaGraphLaunch(exec, nullptr));
  EXPECT(out[0] == 35);
  OK(cudaGraphNodeSetParams(kernel, &k));
  cudaKernelNodeParams params = {};
  OK(cudaGraphKernelNodeGetParams(kernel, &params));
  EXPECT(params.func == (void *)multiply);
  EXPECT(cudaGraphExecNodeSetParams(exec, kernel, &p) == cudaErrorInvalidValue);
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));
}

static unsigned long long memoryOf(cudaGraphMemAttributeType which) {
  unsigned long long value = ~0ull;
  OK(cudaDeviceGetGraphMemAttribute(0, which, &value));
  return value;
}
/// What graphs hold, counted from where checkAnyNode left it.
static void checkMemory() {
  void *first;
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  OK(cudaDeviceGraphMemTrim(0));
  EXPECT(memoryOf(cudaGraphMemAttrUsedMemCurrent) == 0);
  EXPECT(memoryOf(cudaGraphMemAttrReservedMemCurrent) == 0);
  EXPECT(memoryOf(cudaGraphMemAttrUsedMemHigh) == n * sizeof(int));
  unsigned long long zero = 0, other = 1;
  OK(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &zero));
  EXPECT(memoryOf(cudaGraphMemAttrUsedMemHigh) == 0);
  EXPECT(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh,
                                        &other) == cudaErrorInvalidValue);
  OK(cudaStreamCreate(&stream));
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  OK(cudaMallocAsync(&first, 4096, stream));
  OK(cudaStreamEndCapture(stream, &graph));
  OK(cudaGraphInstantiate(&exec, graph, 0));
  EXPECT(memoryOf(cudaGraphMemAttrUsedMemCurrent) == 0);
  OK(cudaGraphLaunch(exec, stream));
  EXPECT(memoryOf(cudaGraphMemAttrUsedMemCurrent) == 4096);
  EXPECT(memoryOf(cudaGraphMemAttrReservedMemCurrent) == 4096);
  OK(cudaFree(first));
  EXPECT(memoryOf(cudaGraphMemAttrUsedMemCurrent) == 0);
  EXPECT(memoryOf(cudaGraphMemAttrReservedMemCurrent) == 4096);
  OK(cudaDeviceGraphMemTrim(0));
  EXPECT(memoryOf(cudaGraphMemAttrReservedMemCurrent) == 0);
  EXPECT(memoryOf(cudaGraphMemAttrReservedMemHigh) == 4096);
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));
  OK(cudaStreamDestroy(stream));
}

/// Edges and dependencies that cannot be, or that are changed by hand.
static void checkShapes() {
  cudaGraph_t graph, captured;
  cudaGraphExec_t exec;
  cudaGraphNode_t one, two, node;
  int *device, by = 10, out[n];
  OK(cudaMalloc(&device, n * sizeof(int)));
  OK(cudaGraphCreate(&graph, 0));
  OK(cudaGraphAddEmptyNode(&one, graph, nullptr, 0));
  OK(cudaGraphAddEmptyNode(&two, graph, &one, 1));
  EXPECT(cudaGraphAddDependencies(graph, &one, &one, nullptr, 1) ==
         cudaErrorInvalidValue);
  EXPECT(cudaGraphAddDependencies(graph, &one, &two, nullptr, 1) ==
         cudaErrorInvalidValue);
  OK(cudaGraphAddDependencies(graph, &two, &one, nullptr, 1));
  EXPECT(cudaGraphInstantiate(&exec, graph, 0) == cudaErrorInvalidValue);
  cudaGraphInstantiateParams how = {};
  EXPECT(cudaGraphInstantiateWithParams(&exec, graph, &how) ==
         cudaErrorInvalidValue);
  EXPECT(how.result_out == cudaGraphInstantiateInvalidStructure);
  OK(cudaGraphDestroy(graph));
  // A node by hand in the middle of a capture.
  cudaStream_t stream;
  OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  OK(cudaMemsetAsync(device, 0, n * sizeof(int), stream));
  addTo<<<1, n, 0, stream>>>(device, 1);
  cudaStreamCaptureStatus status;
  const cudaGraphNode_t *last;
  size_t count;
  OK(cudaStreamGetCaptureInfo(stream, &status, nullptr, &graph, &last, nullptr,
                              &count));
  EXPECT(status == cudaStreamCaptureStatusActive && count == 1);
  void *arguments[] = {&device, &by};
  cudaKernelNodeParams params = {};
  params.func = (void *)multiply;
  params.gridDim = dim3(1);
  params.blockDim = dim3(n);
  params.kernelParams = arguments;
  OK(cudaGraphAddKernelNode(&node, graph, last, count, &params));
  OK(cudaStreamUpdateCaptureDependencies(stream, &node, nullptr, 1,
                                         cudaStreamSetCaptureDependencies));
  EXPECT(cudaStreamUpdateCaptureDependencies(stream, &one, nullptr, 1, 7) ==
         cudaErrorInvalidValue);
  addTo<<<1, n, 0, stream>>>(device, 2);
  OK(cudaStreamEndCapture(stream, &captured));
  EXPECT(captured == graph);
  EXPECT(cudaStreamUpdateCaptureDependencies(stream, &node, nullptr, 1, 0) ==
         cudaErrorIllegalState);
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaMemcpy(out, device, sizeof(out), cudaMemcpyDeviceToHost));
  EXPECT(out[n - 1] == 12);
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));
  OK(cudaStreamDestroy(stream));
  OK(cudaFree(device));
}

/// What a capture does not allow ends it.
static void checkBrokenCaptures() {
  cudaStream_t stream, other, blocking;
  cudaEvent_t event;
  cudaGraph_t graph;
  cudaStreamCaptureStatus status;
  int *device;
  void *memory;
  OK(cudaMalloc(&device, n * sizeof(int)));
  OK(cudaEventCreate(&event));
  OK(cudaStreamCreate(&blocking));
  OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  auto begin = [&](cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) {
    OK(cudaStreamBeginCapture(stream, mode));
  };
  auto expectBroken = [&](cudaError_t error, cudaError_t expected) {
    EXPECT(error == expected);
    OK(cudaStreamIsCapturing(stream, &status));
    EXPECT(status == cudaStreamCaptureStatusInvalidated);
    EXPECT(cudaMemsetAsync(device, 0, 4, stream) ==
           cudaErrorStreamCaptureInvalidated);
    EXPECT(cudaStreamEndCapture(stream, &graph) ==
           cudaErrorStreamCaptureInvalidated);
    EXPECT(!graph);
    OK(cudaStreamIsCapturing(stream, &status));
    EXPECT(status == cudaStreamCaptureStatusNone);
    (void)cudaGetLastError();
  };
  begin();
  expectBroken(cudaStreamSynchronize(stream),
               cudaErrorStreamCaptureUnsupported);
  begin();
  expectBroken(cudaDeviceSynchronize(), cudaErrorStreamCaptureUnsupported);
  begin(cudaStreamCaptureModeThreadLocal);
  expectBroken(cudaMalloc(&memory, 4), cudaErrorStreamCaptureUnsupported);
  begin();
  OK(cudaEventRecord(event, stream));
  expectBroken(cudaEventQuery(event), cudaErrorCapturedEvent);
  // Who takes the risk may.
  begin(cudaStreamCaptureModeRelaxed);
  OK(cudaMalloc(&memory, 4));
  OK(cudaStreamEndCapture(stream, &graph));
  OK(cudaGraphDestroy(graph));
  begin();
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  OK(cudaThreadExchangeStreamCaptureMode(&mode));
  OK(cudaFree(memory));
  OK(cudaMalloc(&memory, 4));
  OK(cudaThreadExchangeStreamCaptureMode(&mode));
  OK(cudaMallocAsync(&memory, 4, other));
  addTo<<<1, n>>>(device, 1);
  OK(cudaStreamEndCapture(stream, &graph));
  OK(cudaGraphDestroy(graph));
  // Work that nobody waits for, and the stream that waits for all.
  begin();
  OK(cudaEventRecord(event, stream));
  OK(cudaStreamWaitEvent(other, event, 0));
  addTo<<<1, n, 0, other>>>(device, 1);
  EXPECT(cudaStreamEndCapture(stream, &graph) ==
         cudaErrorStreamCaptureUnjoined);
  OK(cudaStreamIsCapturing(other, &status));
  EXPECT(status == cudaStreamCaptureStatusNone);
  OK(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeGlobal));
  addTo<<<1, n>>>(device, 1);
  EXPECT(cudaGetLastError() == cudaErrorStreamCaptureImplicit);
  EXPECT(cudaStreamEndCapture(blocking, &graph) ==
         cudaErrorStreamCaptureInvalidated);
  EXPECT(cudaStreamEndCapture(blocking, &graph) == cudaErrorIllegalState);
  OK(cudaStreamDestroy(stream));
  OK(cudaStreamDestroy(other));
  OK(cudaStreamDestroy(blocking));
  OK(cudaEventDestroy(event));
  OK(cudaFree(device));
}

int main() {
  checkCopiesAndKernels();
  checkSymbols();
  checkOthers();
  checkAnyNode();
  checkMemory();
  checkShapes();
  checkBrokenCaptures();
  std::printf("passed %d checks\n", checks);
}
