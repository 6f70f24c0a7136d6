// emulator.cu - kernels that others' are like, for benchmarks/emulator.
//
// Ordinary CUDA C, as in NVIDIA's samples and llm.c: what race checking costs
// on them, beside a run without. emulator NAME runs one.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

template <int B>
__global__ void matmul(float *c, const float *a, const float *b, int wa,
                       int wb) {
  __shared__ float as[B][B], bs[B][B];
  const int tx = threadIdx.x, ty = threadIdx.y;
  float sum = 0;
  for (int i = wa * B * blockIdx.y, j = B * blockIdx.x, e = i + wa; i < e;
       i += B, j += B * wb) {
    as[ty][tx] = a[i + wa * ty + tx];
    bs[ty][tx] = b[j + wb * ty + tx];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < B; ++k)
      sum += as[ty][k] * bs[k][tx];
    __syncthreads();
  }
  c[(B * blockIdx.y + ty) * wb + B * blockIdx.x + tx] = sum;
}
__global__ void layernorm(float *out, const float *in, const float *w,
                          const float *b, int n, int c) {
  const int lane = threadIdx.x % 32,
            row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (row >= n)
    return;
  const float *x = in + row * c;
  float s = 0;
  for (int i = lane; i < c; i += 32)
    s += x[i];
  for (int o = 16; o; o /= 2)
    s += __shfl_xor_sync(~0u, s, o);
  const float m = s / c;
  s = 0;
  for (int i = lane; i < c; i += 32) {
    float d = x[i] - m;
    s += d * d;
  }
  for (int o = 16; o; o /= 2)
    s += __shfl_xor_sync(~0u, s, o);
  const float r = rsqrtf(s / c + 1e-5f);
  for (int i = lane; i < c; i += 32)
    out[row * c + i] = (x[i] - m) * r * w[i] + b[i];
}
__global__ void transpose(float *out, const float *in, int n) {
  __shared__ float t[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    t[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    out[(y + j) * n + x] = t[threadIdx.x][threadIdx.y + j];
}
__global__ void reduce(float *out, const float *in, int n) {
  __shared__ float s[256];
  float v = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += 256 * gridDim.x)
    v += in[i];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int o = 128; o; o /= 2) {
    if (threadIdx.x < o)
      s[threadIdx.x] += s[threadIdx.x + o];
    __syncthreads();
  }
  if (!threadIdx.x)
    atomicAdd(out, s[0]);
}
__global__ void saxpy(float4 *y, const float4 *x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float4 u = x[i], v = y[i];
    y[i] = {a * u.x + v.x, a * u.y + v.y, a * u.z + v.z, a * u.w + v.w};
  }
}
__global__ void softmax(float *out, const float *in, int c) {
  extern __shared__ float sh[];
  const float *x = in + blockIdx.x * c;
  float m = -INFINITY;
  for (int i = threadIdx.x; i < c; i += blockDim.x)
    m = fmaxf(m, x[i]);
  for (int o = 16; o; o /= 2)
    m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
  if (threadIdx.x % 32 == 0)
    sh[threadIdx.x / 32] = m;
  __syncthreads();
  m = sh[0];
  for (int i = 1; i < blockDim.x / 32; ++i)
    m = fmaxf(m, sh[i]);
  __syncthreads();
  float s = 0;
  for (int i = threadIdx.x; i < c; i += blockDim.x) {
    float e = expf(x[i] - m);
    out[blockIdx.x * c + i] = e;
    s += e;
  }
  for (int o = 16; o; o /= 2)
    s += __shfl_xor_sync(~0u, s, o);
  if (threadIdx.x % 32 == 0)
    sh[threadIdx.x / 32] = s;
  __syncthreads();
  s = 0;
  for (int i = 0; i < blockDim.x / 32; ++i)
    s += sh[i];
  for (int i = threadIdx.x; i < c; i += blockDim.x)
    out[blockIdx.x * c + i] /= s;
}
// All lanes of a warp store the same tile, as epilogues without an election do.
__global__ void stores(char *out, int rounds) {
  extern __shared__ __align__(128) char s[];
  const unsigned base = __cvta_generic_to_shared(s);
  for (int r = 0; r < rounds; ++r) {
    for (int i = threadIdx.x * 16; i < 16384; i += blockDim.x * 16)
      *(int4 *)(s + i) = make_int4(r, i, 0, 0);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x < 32) {
      asm volatile(
          "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], "
          "16384;\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read "
          "0;" ::"l"(__cvta_generic_to_global(
              out + ((r * 8 + blockIdx.x) * 32 + threadIdx.x) * 16384)),
          "r"(base)
          : "memory");
    }
    __syncthreads();
  }
}
// ldmatrix and cp.async as kernels of Ampere use them.
__global__ void copies(const char *in, unsigned *out, int rounds) {
  __shared__ __align__(128) char s[2][16384];
  const unsigned t = threadIdx.x;
  unsigned sum = 0;
  for (int r = 0; r < rounds; ++r) {
    const unsigned base = __cvta_generic_to_shared(s[r & 1]);
    for (int i = t * 16; i < 16384; i += blockDim.x * 16) {
      int j = (i & ~127) | ((i ^ (i >> 3)) & 112);
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(base + j),
                   "l"(in + blockIdx.x * 16384 + i)
                   : "memory");
    }
    asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    for (int i = 0; i < 16; ++i) {
      unsigned a, b, c, d;
      int row = i * 8 + (t & 7), col = (t >> 3) & 3;
      asm volatile(
          "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
          : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
          : "r"(base + row * 128 + ((col ^ (row & 7)) * 16))
          : "memory");
      sum += a ^ b ^ c ^ d;
    }
    __syncthreads();
  }
  out[blockIdx.x * blockDim.x + t] = sum;
}
int main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "";
  auto is = [&](const char *other) { return !strcmp(name, other); };
  std::vector<float> h(1 << 23);
  for (auto &v : h)
    v = rand() % 17 - 8;
  float *a, *b, *c, *d;
  for (float **p : {&a, &b, &c, &d}) {
    cudaMalloc(p, h.size() * 4);
    cudaMemcpy(*p, h.data(), h.size() * 4, cudaMemcpyHostToDevice);
  }
  // Long enough that the start of the process does not count.
  const bool isShort = !is("matmul32") && !is("matmul16") && !is("copies");
  for (int round = 0; round < (isShort ? 8 : 1); ++round)
    if (is("matmul32"))
      matmul<32><<<dim3(16, 16), dim3(32, 32)>>>(c, a, b, 512, 512);
    else if (is("matmul16"))
      matmul<16><<<dim3(32, 32), dim3(16, 16)>>>(c, a, b, 512, 512);
    else if (is("layernorm"))
      layernorm<<<1024, 256>>>(c, a, b, d, 8192, 768);
    else if (is("transpose"))
      transpose<<<dim3(64, 64), dim3(32, 8)>>>(c, a, 2048);
    else if (is("reduce"))
      reduce<<<64, 256>>>(c, a, 1 << 23);
    else if (is("saxpy"))
      saxpy<<<8192, 256>>>((float4 *)c, (float4 *)a, 2.f, 1 << 21);
    else if (is("softmax"))
      softmax<<<1024, 256, 64>>>(c, a, 4096);
    else if (is("copies"))
      copies<<<64, 128>>>((const char *)a, (unsigned *)c, 64);
    else if (is("stores"))
      stores<<<8, 128, 16384>>>((char *)c, 8);
    else
      return 2;
  const cudaError_t error = cudaDeviceSynchronize();
  if (error)
    fprintf(stderr, "%s: %s\n", name, cudaGetErrorString(error));
  return error != cudaSuccess;
}
