//===- programs.cu - Assertions, calls through pointers, waits --*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first argument names what runs; prints the error of the launch and what
// is wrong with its results.
//
//===----------------------------------------------------------------------===//

#include <cassert>
#include <cstdio>
#include <cstring>

//===----------------------------------------------------------------------===//
// Assertions
//===----------------------------------------------------------------------===//

__device__ void check(int value) { assert(value < 40); }
__global__ void assertions(int *out, int which) {
  const int i = threadIdx.x;
  __shared__ int all[64];
  all[i] = i;
  __syncthreads();
  if (which == 1)
    assert(i < 40);
  else if (which == 2)
    check(all[63 - i]);
  else if (which == 3 && i == 63)
    assert(!"never");
  else
    assert(i < 64);
  out[i] = all[63 - i];
}

//===----------------------------------------------------------------------===//
// Calls through pointers
//===----------------------------------------------------------------------===//

struct Shape {
  __device__ virtual int area(int scale) const = 0;
  __device__ virtual const char *name() const { return "shape"; }
};
struct Square : Shape {
  int side;
  __device__ Square(int side) : side(side) {}
  __device__ int area(int scale) const override { return scale * side * side; }
};
struct Oblong : Square {
  int other;
  __device__ Oblong(int side, int other) : Square(side), other(other) {}
  __device__ int area(int scale) const override { return scale * side * other; }
  __device__ const char *name() const override { return "oblong"; }
};
__device__ char places[64][sizeof(Oblong)];
inline __device__ void *operator new(size_t, void *place, int) { return place; }
inline __device__ void operator delete(void *, void *, int) {}
__global__ void makeShapes(Shape **shapes) {
  const int i = threadIdx.x;
  shapes[i] = i % 3 ? static_cast<Shape *>(new (places[i], 0) Square(i))
                    : new (places[i], 0) Oblong(i, 5);
}
__global__ void useShapes(int *out, Shape **shapes) {
  const Shape &shape = *shapes[threadIdx.x];
  out[threadIdx.x] = shape.area(2) + (shape.name()[0] == 'o');
}

using Function = int (*)(int, int);
__device__ int add(int a, int b) { return a + b; }
__device__ int multiply(int a, int b) { return a * b; }
__device__ int both(int a, int b);
__device__ Function table[] = {add, multiply, both};
__device__ int both(int a, int b) { return table[a & 1](a, b) + 1; }
__device__ Function chosen = multiply;
__constant__ Function fixed[] = {multiply, add};
__global__ void useTable(int *out) {
  const int i = threadIdx.x;
  out[i] = table[i % 3](i, 3) + fixed[i & 1](i, 4);
}
__global__ void useArgument(int *out, Function function) {
  out[threadIdx.x] = function(threadIdx.x, 7);
}
__device__ int factorial(int n, int bound);
__device__ Function recursive = factorial;
__device__ int factorial(int n, int bound) {
  return n < 2 ? 1 : n * recursive(n - 1, bound);
}

static int expected(const char *what, int i) {
  if (!std::strcmp(what, "virtual"))
    return i % 3 ? 2 * i * i : 2 * i * 5 + 1;
  if (!std::strcmp(what, "argument"))
    return 7 * i;
  if (!std::strcmp(what, "table")) {
    const int direct = i % 3 == 0   ? i + 3
                       : i % 3 == 1 ? i * 3
                                    : (i & 1 ? i * 3 : i + 3) + 1;
    return direct + (i & 1 ? i + 4 : i * 4);
  }
  return !std::strcmp(what, "recursion") ? 1 : 63 - i;
}

//===----------------------------------------------------------------------===//
// Waits for other blocks, with pauses that grow
//===----------------------------------------------------------------------===//

/// How a flag is read: by an atomic that changes nothing, volatile, acquire.
template <int Kind>
__device__ unsigned peek(unsigned *flag) {
  unsigned value = 0;
  if (Kind == 0)
    return atomicAdd(flag, 0);
  if (Kind == 1)
    return *static_cast<volatile unsigned *>(flag);
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
               : "=r"(value)
               : "l"(flag)
               : "memory");
  return value;
}
template <int Kind>
__device__ unsigned await(unsigned *flag, bool grows) {
  unsigned delay = 1, value;
  while (!(value = peek<Kind>(flag))) {
    for (unsigned d = grows ? delay & 0xffff : delay; d;
         d = grows ? d - 1 : d >> 1)
      __threadfence_block();
    delay = grows ? delay * 2 + 1 : delay * 1664525 + 1013904223;
  }
  return value;
}
/// Each block waits for the one before it or, backwards, the one after it.
template <int Kind>
__global__ void chain(unsigned *flag, unsigned *out, bool backwards,
                      bool grows) {
  if (threadIdx.x)
    return;
  const unsigned last = gridDim.x - 1,
                 i = backwards ? last - blockIdx.x : blockIdx.x;
  const unsigned before = i ? await<Kind>(&flag[i - 1], grows) : 0;
  out[i] = before;
  __threadfence();
  atomicExch(&flag[i], before + 1);
}
/// All blocks wait for the last one that comes.
__global__ void meet(unsigned *flag, unsigned *out) {
  if (threadIdx.x)
    return;
  __threadfence();
  if (atomicAdd(&flag[0], 1) == gridDim.x - 1)
    atomicExch(&flag[1], 1);
  await<0>(&flag[1], false);
  out[blockIdx.x] = blockIdx.x;
}

static int wait(const char *what) {
  unsigned *d, h[24];
  int bad = 0;
  cudaMalloc(&d, 2 * sizeof(h));
  cudaMemset(d, 0, 2 * sizeof(h));
  unsigned *out = d + 24;
  const bool grows = std::strstr(what, "grows"),
             backwards = std::strstr(what, "backwards");
  if (std::strstr(what, "meet"))
    meet<<<24, 32>>>(d, out);
  else if (std::strstr(what, "volatile"))
    chain<1><<<24, 32>>>(d, out, backwards, grows);
  else if (std::strstr(what, "acquire"))
    chain<2><<<24, 32>>>(d, out, backwards, grows);
  else
    chain<0><<<24, 32>>>(d, out, backwards, grows);
  const cudaError_t error =
      cudaMemcpy(h, out, sizeof(h), cudaMemcpyDeviceToHost);
  for (unsigned i = 0; i < 24; ++i)
    bad += h[i] != i;
  std::printf("%s: %s, %d wrong\n", what, cudaGetErrorName(error), bad);
  return bad != 0;
}

int main(int argc, char **argv) {
  const char *what = argv[1];
  if (std::strstr(what, "wait"))
    return wait(what);
  int *out, result[64], bad = 0;
  cudaMalloc(&out, sizeof(result));
  if (!std::strncmp(what, "assert", 6)) {
    assertions<<<1, 64>>>(out, what[6] - '0');
  } else if (!std::strcmp(what, "virtual")) {
    Shape **shapes;
    cudaMalloc(&shapes, 64 * sizeof(*shapes));
    makeShapes<<<1, 64>>>(shapes);
    useShapes<<<1, 64>>>(out, shapes);
  } else if (!std::strcmp(what, "table")) {
    useTable<<<1, 64>>>(out);
  } else {
    Function function;
    cudaMemcpyFromSymbol(&function,
                         std::strcmp(what, "argument") ? recursive : chosen,
                         sizeof(function));
    useArgument<<<1, 64>>>(out, function);
  }
  cudaError_t error = cudaDeviceSynchronize();
  std::printf("%s: %d %s", what, int(error), cudaGetErrorName(error));
  // An error of a kernel stays.
  error = cudaMemcpy(result, out, sizeof(result), cudaMemcpyDeviceToHost);
  for (int i = 0; i < 64 && error == cudaSuccess; ++i)
    bad += result[i] != expected(what, i);
  std::printf(", then %s, %d wrong\n", cudaGetErrorName(error), bad);
  return bad != 0;
}
