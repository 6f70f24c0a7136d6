//===- heap.cu - malloc, free, new and delete in kernels ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first argument names what runs; prints the errors and what is wrong with
// the results.
//
//===----------------------------------------------------------------------===//

#include <cstdio>
#include <cstring>

/// A stack of numbers, in memory of its own, behind virtual calls.
struct Container {
  __device__ virtual ~Container() {}
  __device__ virtual void push(int value) = 0;
  __device__ virtual int pop() = 0;
};
struct Stack : Container {
  int *values, top = 0;
  __device__ Stack(int size) : values(new int[size]) {}
  __device__ ~Stack() override { delete[] values; }
  __device__ void push(int value) override {
    values[atomicAdd(&top, 1)] = value;
  }
  __device__ int pop() override { return values[atomicSub(&top, 1) - 1]; }
};
/// The same the other way round: a list.
struct List : Container {
  struct Node {
    Node *next;
    int value;
  };
  Node *first = nullptr;
  __device__ ~List() override {
    while (first)
      (void)pop();
  }
  __device__ void push(int value) override {
    Node *node = static_cast<Node *>(malloc(sizeof(Node)));
    *node = {first, value};
    first = node;
  }
  __device__ int pop() override {
    Node *node = first;
    const int value = node->value;
    first = node->next;
    free(node);
    return value;
  }
};

__global__ void create(Container **all, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  all[i] = i % 2 ? static_cast<Container *>(new Stack(size)) : new List;
}
/// Blocks live on from launch to launch.
__global__ void fill(Container **all, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < size; ++k)
    all[i]->push(i + k);
}
__global__ void consume(Container **all, int size, int *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  for (int k = 0; k < size - 1; ++k)
    sum = 3 * sum + all[i]->pop();
  out[i] = sum;
}
__global__ void destroy(Container **all) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  delete all[i];
}

/// The headers of CUDA call what is aligned to more by another name.
struct alignas(256) Wide {
  int value;
  __device__ Wide(int value) : value(value) {}
};
__global__ void alignedBlocks(int *out) {
  Wide *wide = new Wide(threadIdx.x);
  auto *bytes = static_cast<char *>(__nv_aligned_device_malloc(40, 128));
  for (int i = 0; i < 40; ++i)
    bytes[i] = char(i);
  out[threadIdx.x] = wide->value + bytes[39] +
                     1000 * int(size_t(wide) % 256 + size_t(bytes) % 128);
  free(bytes);
  delete wide;
}

/// How many blocks of 1 MiB there are, and that freed ones can be had again.
__global__ void exhaust(int *out) {
  void *blocks[256];
  for (int round = 0; round < 2; ++round) {
    int count = 0;
    while (count < 256 && (blocks[count] = malloc(1 << 20)))
      ++count;
    for (int i = 0; i < count; ++i)
      free(blocks[i]);
    out[round] = count;
  }
  free(nullptr);
}

__global__ void wrong(int *out, int which) {
  auto *memory = static_cast<int *>(malloc(4 * sizeof(int)));
  volatile int *block = memory;
  for (int i = 0; i < 4; ++i)
    block[i] = i;
  if (which == 0)
    block[4] = 1;
  if (which == 1)
    free(out);
  if (which == 2)
    free(memory + 1);
  free(memory);
  if (which == 3)
    out[0] = block[2];
  if (which == 4)
    free(memory);
}
__device__ int *leaked;
__global__ void leak() { leaked = new int(5); }

static int run() {
  constexpr int blocks = 3, threads = 40, n = blocks * threads, size = 5;
  Container **all;
  int *out, result[n], bad = 0;
  cudaMalloc(&all, n * sizeof(*all));
  cudaMalloc(&out, sizeof(result));
  create<<<blocks, threads>>>(all, size);
  fill<<<blocks, threads>>>(all, size);
  consume<<<blocks, threads>>>(all, size, out);
  destroy<<<blocks, threads>>>(all);
  cudaError_t error =
      cudaMemcpy(result, out, sizeof(result), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n && error == cudaSuccess; ++i) {
    int sum = 0;
    for (int k = 0; k < size - 1; ++k)
      sum = 3 * sum + i + size - 1 - k;
    bad += result[i] != sum;
  }
  std::printf("run: %s, %d wrong\n", cudaGetErrorName(error), bad);
  return bad != 0;
}
static int limits() {
  int *out, result[2];
  cudaMalloc(&out, sizeof(result));
  for (size_t limit : {8, 24}) {
    cudaDeviceSetLimit(cudaLimitMallocHeapSize, limit << 20);
    exhaust<<<1, 1>>>(out);
    cudaError_t error =
        cudaMemcpy(result, out, sizeof(result), cudaMemcpyDeviceToHost);
    std::printf("limit: %s, %d and %d of %d\n", cudaGetErrorName(error),
                result[0], result[1], int(limit));
  }
  return 0;
}

static int aligned() {
  constexpr int n = 40;
  int *out, result[n], bad = 0;
  cudaMalloc(&out, sizeof(result));
  alignedBlocks<<<1, n>>>(out);
  cudaError_t error =
      cudaMemcpy(result, out, sizeof(result), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n && error == cudaSuccess; ++i)
    bad += result[i] != i + 39;
  std::printf("aligned: %s, %d wrong\n", cudaGetErrorName(error), bad);
  return bad != 0;
}

int main(int, char **argv) {
  const char *what = argv[1];
  if (!std::strcmp(what, "aligned"))
    return aligned();
  if (!std::strcmp(what, "run"))
    return run();
  if (!std::strcmp(what, "limit"))
    return limits();
  int *out;
  cudaMalloc(&out, 64);
  if (!std::strcmp(what, "leak")) {
    int *address, value;
    leak<<<1, 1>>>();
    cudaMemcpyFromSymbol(&address, leaked, sizeof(address));
    std::printf("leak: %s\n",
                cudaGetErrorName(cudaMemcpy(&value, address, sizeof(value),
                                            cudaMemcpyDeviceToHost)));
    return 0;
  }
  wrong<<<1, 1>>>(out, what[0] - '0');
  std::printf("%s: %s\n", what, cudaGetErrorName(cudaDeviceSynchronize()));
}
