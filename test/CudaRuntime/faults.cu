//===- faults.cu - Kernels with one mistake each --------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// faults NAME [HOW]: launches one kernel, ignores every error, and prints what
// cudaDeviceSynchronize said. The exit status is 0, whatever happened, or, of
// _exit, _Exit and quick_exit, which HOW names, 3 with the name "clean".
// "alarm" leaves by _exit(5) after a second.
//
//===----------------------------------------------------------------------===//

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

__global__ void clean(int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = 3 * i + 1;
}

// The second warp reads what the first one writes, and nothing orders them.
__global__ void race(int *out) {
  __shared__ int cells[64];
  cells[threadIdx.x] = 0;
  __syncthreads();
  cells[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = cells[63 - threadIdx.x];
}

// Half of the block waits for the other half, which has left.
__global__ void deadlock(int *out) {
  if (threadIdx.x < 32)
    asm volatile("barrier.sync 1, 64;");
  out[threadIdx.x] = 1;
}

// Takes longer than a second, which it does not where iterations are unrolled.
__global__ void slow(int *out) {
#pragma unroll 1
  for (unsigned i = 0; i < 4000000000u; ++i)
    asm volatile("");
  out[0] = 1;
}

__global__ void pointer(int *out) { out[threadIdx.x + (1 << 20)] = 1; }

// Blocks write where they find the counter.
__global__ void order(int *out) { out[1 + atomicAdd(out, 1) % 4] = blockIdx.x; }

int main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "clean";
  int *out = nullptr;
  cudaMalloc(&out, 100 * sizeof(int));
  if (argc > 2 && !std::strcmp(argv[2], "alarm")) {
    std::signal(SIGALRM, [](int) { _exit(5); });
    alarm(1);
  }
  if (!std::strcmp(name, "clean"))
    clean<<<3, 40>>>(out, 100);
  else if (!std::strcmp(name, "slow"))
    slow<<<1, 32>>>(out);
  else if (!std::strcmp(name, "race"))
    race<<<1, 64>>>(out);
  else if (!std::strcmp(name, "deadlock"))
    deadlock<<<1, 64>>>(out);
  else if (!std::strcmp(name, "pointer"))
    pointer<<<1, 64>>>(out);
  else if (!std::strcmp(name, "order") && !cudaMemset(out, 0, 400))
    order<<<4, 1>>>(out);
  cudaError_t error = cudaDeviceSynchronize();
  std::printf("%s: %s\n", name, cudaGetErrorName(error));
  int last = -1;
  error = cudaMemcpy(&last, out + 99, sizeof(last), cudaMemcpyDeviceToHost);
  std::printf("copy: %s, %d\n", cudaGetErrorName(error), last);
  const char *how = argc > 2 ? argv[2] : "";
  const int status = std::strcmp(name, "clean") ? 0 : 3;
  if (*how) {
    std::fflush(stdout);
    // Children leave without a word.
    if (pid_t child = fork())
      waitpid(child, nullptr, 0);
    else
      _exit(0);
    std::printf("lost");
    std::at_quick_exit([] { (void)!write(1, "quick\n", 6); });
  }
  if (!std::strcmp(how, "_exit"))
    _exit(status);
  if (!std::strcmp(how, "_Exit"))
    std::_Exit(status);
  if (!std::strcmp(how, "quick_exit"))
    std::quick_exit(status);
  return 0;
}
