//===- runtime.cu - The runtime API on the emulator -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each check compares what a kernel or a copy left with what it has to be;
// prints "passed N checks" or the first that failed.
//
//===----------------------------------------------------------------------===//

#include "checks.h"

#include <cooperative_groups.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace cg = cooperative_groups;

__device__ int counter = 5;
__constant__ float factors[3] = {1, 2, 3};
__managed__ int shared[4];

__global__ void scale(const float *in, float *out, int n, int which) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  out[i] = in[i] * factors[which];
  atomicAdd(&counter, 1);
}
__global__ void addOne(int *values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    values[i] += 1;
}
__global__ void fillShared() { shared[threadIdx.x] += 10 * threadIdx.x; }

/// Every block reads what the next one wrote before the grid met.
__global__ void rotate(int *values, int *out) {
  auto grid = cg::this_grid();
  const int rank = grid.thread_rank(), size = grid.size();
  values[rank] = 7 * rank;
  grid.sync();
  out[rank] = values[(rank + 37) % size];
}

static void checkSymbols() {
  const int n = 100;
  std::vector<float> host(n), result(n);
  for (int i = 0; i < n; ++i)
    host[i] = float(i % 17);
  float *in, *out;
  OK(cudaMalloc(&in, n * sizeof(float)));
  OK(cudaMalloc(&out, n * sizeof(float)));
  OK(cudaMemcpy(in, host.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  const float five = 5;
  OK(cudaMemcpyToSymbol(factors, &five, sizeof(five), 2 * sizeof(float)));
  scale<<<4, 32>>>(in, out, n, 2);
  OK(cudaDeviceSynchronize());
  OK(cudaMemcpy(result.data(), out, n * sizeof(float), cudaMemcpyDefault));
  for (int i = 0; i < n; ++i)
    EXPECT(result[i] == 5 * host[i]);
  int count = 0;
  OK(cudaMemcpyFromSymbol(&count, counter, sizeof(count)));
  EXPECT(count == 105);
  void *address;
  size_t bytes;
  OK(cudaGetSymbolAddress(&address, factors));
  OK(cudaGetSymbolSize(&bytes, factors));
  EXPECT(address && bytes == sizeof(factors));
  OK(cudaFree(in));
  OK(cudaFree(out));
}

static void checkHostMemory() {
  const int n = 48;
  int *pinned, *managed;
  OK(cudaMallocHost(&pinned, n * sizeof(int)));
  OK(cudaMallocManaged(&managed, n * sizeof(int)));
  std::vector<int> own(n, 3);
  OK(cudaHostRegister(own.data(), n * sizeof(int), cudaHostRegisterDefault));
  for (int i = 0; i < n; ++i)
    pinned[i] = managed[i] = i;
  addOne<<<2, 32>>>(pinned, n);
  addOne<<<2, 32>>>(managed, n);
  addOne<<<2, 32>>>(own.data(), n);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i)
    EXPECT(pinned[i] == i + 1 && managed[i] == i + 1 && own[i] == 4);
  cudaPointerAttributes attributes;
  OK(cudaPointerGetAttributes(&attributes, managed));
  EXPECT(attributes.type == cudaMemoryTypeManaged);
  OK(cudaPointerGetAttributes(&attributes, pinned + 1));
  EXPECT(attributes.type == cudaMemoryTypeHost);
  OK(cudaPointerGetAttributes(&attributes, &checks));
  EXPECT(attributes.type == cudaMemoryTypeUnregistered);
  OK(cudaHostUnregister(own.data()));
  OK(cudaFreeHost(pinned));
  OK(cudaFree(managed));
  for (int i = 0; i < 4; ++i)
    shared[i] = i;
  fillShared<<<1, 4>>>();
  OK(cudaDeviceSynchronize());
  EXPECT(shared[3] == 33);
}

static void checkCopies() {
  const int rows = 5, columns = 7;
  std::vector<int> host(rows * columns), result(rows * columns, -1);
  for (int i = 0; i < rows * columns; ++i)
    host[i] = i * i;
  int *device;
  size_t pitch;
  const size_t width = columns * sizeof(int);
  OK(cudaMallocPitch(&device, &pitch, width, rows));
  EXPECT(pitch >= width);
  OK(cudaMemset2D(device, pitch, 0xff, width, rows));
  OK(cudaMemcpy2D(device, pitch, host.data(), width, width, rows - 1,
                  cudaMemcpyHostToDevice));
  OK(cudaMemcpy2D(result.data(), width, device, pitch, width, rows,
                  cudaMemcpyDeviceToHost));
  for (int i = 0; i < rows * columns; ++i)
    EXPECT(result[i] == (i < (rows - 1) * columns ? host[i] : -1));
  // A copy that names the wrong side.
  EXPECT(cudaMemcpy(host.data(), result.data(), 4, cudaMemcpyHostToDevice) ==
         cudaErrorInvalidValue);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  EXPECT(cudaGetLastError() == cudaSuccess);
  OK(cudaFree(device));
}

static void checkGraphs() {
  const int n = 33;
  int *values, result[n];
  cudaStream_t stream, other;
  cudaEvent_t forked, joined;
  OK(cudaMalloc(&values, n * sizeof(int)));
  OK(cudaStreamCreate(&stream));
  OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  OK(cudaEventCreate(&forked));
  OK(cudaEventCreate(&joined));
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  OK(cudaMemsetAsync(values, 0, n * sizeof(int), stream));
  OK(cudaEventRecord(forked, stream));
  OK(cudaStreamWaitEvent(other, forked, 0));
  addOne<<<2, 32, 0, other>>>(values, n);
  OK(cudaEventRecord(joined, other));
  OK(cudaStreamWaitEvent(stream, joined, 0));
  addOne<<<2, 32, 0, stream>>>(values, n);
  OK(cudaMemcpyAsync(result, values, sizeof(result), cudaMemcpyDeviceToHost,
                     stream));
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  OK(cudaStreamEndCapture(stream, &graph));
  result[n - 1] = -1;
  size_t nodes = 0;
  OK(cudaGraphGetNodes(graph, nullptr, &nodes));
  EXPECT(nodes == 4);
  OK(cudaGraphInstantiate(&exec, graph, 0));
  EXPECT(result[n - 1] == -1);
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaStreamSynchronize(stream));
  for (int value : result)
    EXPECT(value == 2);
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));
  float milliseconds = 0;
  OK(cudaEventRecord(forked, stream));
  OK(cudaEventRecord(joined, stream));
  OK(cudaEventElapsedTime(&milliseconds, forked, joined));
  EXPECT(milliseconds > 0);
  OK(cudaStreamDestroy(stream));
  OK(cudaStreamDestroy(other));
  OK(cudaFree(values));
}

/// Memory that a graph allocates each time it runs, and frees or keeps.
static void checkGraphMemory() {
  const int n = 40;
  int result[n], *inside, *kept;
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  OK(cudaStreamCreate(&stream));
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  OK(cudaMallocAsync(&inside, n * sizeof(int), stream));
  OK(cudaMallocAsync(&kept, n * sizeof(int), stream));
  EXPECT(inside && kept && inside != kept);
  OK(cudaMemsetAsync(inside, 0, n * sizeof(int), stream));
  addOne<<<2, 32, 0, stream>>>(inside, n);
  OK(cudaMemcpyAsync(kept, inside, n * sizeof(int), cudaMemcpyDeviceToDevice,
                     stream));
  OK(cudaFreeAsync(inside, stream));
  OK(cudaStreamEndCapture(stream, &graph));
  size_t count = 0;
  OK(cudaGraphGetNodes(graph, nullptr, &count));
  EXPECT(count == 6);
  cudaGraphNode_t nodes[6];
  cudaGraphNodeType type;
  OK(cudaGraphGetNodes(graph, nodes, &count));
  OK(cudaGraphNodeGetType(nodes[0], &type));
  EXPECT(type == cudaGraphNodeTypeMemAlloc);
  OK(cudaGraphNodeGetType(nodes[5], &type));
  EXPECT(type == cudaGraphNodeTypeMemFree);
  cudaMemAllocNodeParams params;
  void *freed;
  OK(cudaGraphMemAllocNodeGetParams(nodes[1], &params));
  EXPECT(params.dptr == kept && params.bytesize == n * sizeof(int));
  OK(cudaGraphMemFreeNodeGetParams(nodes[5], &freed));
  EXPECT(freed == inside);
  EXPECT(cudaGraphMemFreeNodeGetParams(nodes[0], &freed) ==
         cudaErrorInvalidValue);
  OK(cudaGraphInstantiate(&exec, graph, 0));
  // Not before the graph runs.
  EXPECT(cudaMemcpy(result, kept, sizeof(result), cudaMemcpyDeviceToHost) ==
         cudaErrorInvalidValue);
  for (int round = 0; round < 2; ++round) {
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaMemcpy(result, kept, sizeof(result), cudaMemcpyDeviceToHost));
    for (int value : result)
      EXPECT(value == 1);
    EXPECT(cudaMemcpy(result, inside, 4, cudaMemcpyDeviceToHost) ==
           cudaErrorInvalidValue);
    // What the last launch allocated is still there.
    EXPECT(cudaGraphLaunch(exec, stream) == cudaErrorInvalidValue);
    OK(cudaFreeAsync(kept, stream));
  }
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphInstantiate(&exec, graph,
                          cudaGraphInstantiateFlagAutoFreeOnLaunch));
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaFree(kept));
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));
  // Nodes by name; memory of others is no graph's to free.
  cudaGraphNode_t make, fill, release;
  OK(cudaGraphCreate(&graph, 0));
  params = {};
  params.poolProps.allocType = cudaMemAllocationTypePinned;
  params.poolProps.location.type = cudaMemLocationTypeDevice;
  params.bytesize = 256;
  OK(cudaGraphAddMemAllocNode(&make, graph, nullptr, 0, &params));
  cudaMemsetParams bytes = {};
  bytes.dst = params.dptr;
  bytes.elementSize = 1;
  bytes.width = 256;
  bytes.height = 1;
  OK(cudaGraphAddMemsetNode(&fill, graph, &make, 1, &bytes));
  OK(cudaGraphAddMemFreeNode(&release, graph, &fill, 1, params.dptr));
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaMalloc(&kept, 4));
  EXPECT(cudaGraphAddMemFreeNode(&release, graph, nullptr, 0, kept) ==
         cudaErrorInvalidValue);
  params.bytesize = 0;
  EXPECT(cudaGraphAddMemAllocNode(&make, graph, nullptr, 0, &params) ==
         cudaErrorInvalidValue);
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  EXPECT(cudaFreeAsync(kept, stream) == cudaErrorInvalidValue);
  EXPECT(cudaMallocAsync(&inside, size_t(1) << 50, stream) ==
         cudaErrorMemoryAllocation);
  cudaGraph_t empty;
  OK(cudaStreamEndCapture(stream, &empty));
  OK(cudaGraphDestroy(empty));
  (void)cudaGetLastError();
  OK(cudaFree(kept));
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));
  OK(cudaStreamDestroy(stream));
}

static void checkLaunches() {
  const int n = 4 * 96;
  int *values, *out, result[n];
  OK(cudaMalloc(&values, n * sizeof(int)));
  OK(cudaMalloc(&out, n * sizeof(int)));
  void *arguments[] = {&values, &out};
  for (int round = 0; round < 2; ++round)
    OK(cudaLaunchCooperativeKernel((const void *)rotate, dim3(4), dim3(96),
                                   arguments, 0, nullptr));
  OK(cudaMemcpy(result, out, sizeof(result), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i)
    EXPECT(result[i] == 7 * ((i + 37) % n));
  EXPECT(cudaLaunchCooperativeKernel((const void *)rotate, dim3(1 << 16),
                                     dim3(1024), arguments, 0, nullptr) ==
         cudaErrorCooperativeLaunchTooLarge);
  EXPECT(cudaGetLastError() == cudaErrorCooperativeLaunchTooLarge);
  int blocks = 0, grid = 0, block = 0;
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, addOne, 256, 0));
  EXPECT(blocks >= 1 && blocks <= 8);
  OK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, addOne, 0, 0));
  EXPECT(block % 32 == 0 && grid % 148 == 0);
  // A block of any size fits that a launch may have.
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, addOne, 1024, 0));
  EXPECT(blocks >= 1);
  // Shapes that no kernel has, and results that have no place.
  addOne<<<1, 2048>>>(values, n);
  EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
  addOne<<<0, 32>>>(values, n);
  EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
  EXPECT(cudaMalloc((void **)nullptr, 4) == cudaErrorInvalidValue);
  EXPECT(cudaMallocHost((void **)nullptr, 4) == cudaErrorInvalidValue);
  EXPECT(cudaMallocManaged((void **)nullptr, 4) == cudaErrorInvalidValue);
  EXPECT(cudaMallocAsync((void **)nullptr, 4, nullptr) ==
         cudaErrorInvalidValue);
  EXPECT(cudaStreamCreate(nullptr) == cudaErrorInvalidValue);
  EXPECT(cudaEventCreate(nullptr) == cudaErrorInvalidValue);
  EXPECT(cudaGetDevice(nullptr) == cudaErrorInvalidValue);
  (void)cudaGetLastError();
  const cudaChannelFormatDesc format =
      cudaCreateChannelDesc(8, 16, 32, 0, cudaChannelFormatKindFloat);
  EXPECT(format.x == 8 && format.y == 16 && format.z == 32 &&
         format.f == cudaChannelFormatKindFloat);
  // More shared memory than was asked for.
  addOne<<<1, 32, 100 * 1024>>>(values, n);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  OK(cudaFuncSetAttribute(addOne, cudaFuncAttributeMaxDynamicSharedMemorySize,
                          100 * 1024));
  addOne<<<1, 32, 100 * 1024>>>(values, n);
  OK(cudaGetLastError());
  cudaDeviceProp properties;
  OK(cudaGetDeviceProperties(&properties, 0));
  EXPECT(properties.major == 10 && properties.multiProcessorCount == 148);
  // Hints, but programs ask for them.
  EXPECT(properties.persistingL2CacheMaxSize > 0 &&
         properties.persistingL2CacheMaxSize < properties.l2CacheSize);
  EXPECT(properties.accessPolicyMaxWindowSize > 0);
  OK(cudaFree(values));
  OK(cudaFree(out));
}

int main() {
  checkSymbols();
  checkHostMemory();
  checkCopies();
  checkGraphs();
  checkGraphMemory();
  checkLaunches();
  std::printf("passed %d checks\n", checks);
}
