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
// One element per thread, all through global memory: words that many read.
__global__ void naive(float *c, const float *a, const float *b, int n) {
  const int x = blockIdx.x * 16 + threadIdx.x,
            y = blockIdx.y * 16 + threadIdx.y;
  float s = 0;
  for (int k = 0; k < n; ++k)
    s += a[y * n + k] * b[k * n + x];
  c[y * n + x] = s;
}
// Tiles in shared memory, 4x4 elements in the registers of a thread.
__global__ void sgemm(float *c, const float *a, const float *b, int n) {
  __shared__ float as[16][64], bs[16][64];
  const int t = threadIdx.x, tx = t % 16, ty = t / 16;
  float sum[4][4] = {};
  for (int k0 = 0; k0 < n; k0 += 16) {
    for (int e = t; e < 1024; e += 256) {
      as[e % 16][e / 16] = a[(blockIdx.y * 64 + e / 16) * n + k0 + e % 16];
      bs[e / 64][e % 64] = b[(k0 + e / 64) * n + blockIdx.x * 64 + e % 64];
    }
    __syncthreads();
    for (int k = 0; k < 16; ++k) {
      const float4 x = *(float4 *)&as[k][ty * 4], y = *(float4 *)&bs[k][tx * 4];
      const float xs[] = {x.x, x.y, x.z, x.w}, ys[] = {y.x, y.y, y.z, y.w};
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
          sum[i][j] += xs[i] * ys[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    *(float4 *)&c[(blockIdx.y * 64 + ty * 4 + i) * n + blockIdx.x * 64 +
                  tx * 4] = {sum[i][0], sum[i][1], sum[i][2], sum[i][3]};
}
__global__ void scan(float *out, const float *in) {
  __shared__ float s[2][256];
  const int t = threadIdx.x, at = blockIdx.x * 256 + t;
  int p = 0;
  s[0][t] = in[at];
  __syncthreads();
  for (int o = 1; o < 256; o *= 2) {
    s[p ^ 1][t] = t >= o ? s[p][t] + s[p][t - o] : s[p][t];
    p ^= 1;
    __syncthreads();
  }
  out[at] = s[p][t];
}
__global__ void bitonic(float *data) {
  __shared__ float s[512];
  const int t = threadIdx.x;
  float *own = data + blockIdx.x * 512;
  s[t] = own[t];
  s[t + 256] = own[t + 256];
  for (int k = 2; k <= 512; k *= 2)
    for (int j = k / 2; j; j /= 2) {
      __syncthreads();
      const int i = 2 * t - (t & (j - 1));
      const float a = s[i], b = s[i + j];
      if ((a > b) == !(i & k))
        s[i] = b, s[i + j] = a;
    }
  __syncthreads();
  own[t] = s[t];
  own[t + 256] = s[t + 256];
}
__global__ void histogram(unsigned *out, const unsigned char *in, int n) {
  __shared__ unsigned bins[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    bins[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x)
    atomicAdd(&bins[in[i]], 1);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    atomicAdd(out + i, bins[i]);
}
// Stores a row apart; then members of structures; then words anywhere.
__global__ void strided(float *out, const float *in, int n) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  out[x * n + y] = in[y * n + x];
}
struct Particle {
  float x, y, z, vx, vy, vz, m;
};
__global__ void particles(Particle *p, float dt, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  p[i].x += p[i].vx * dt;
  p[i].y += p[i].vy * dt;
  p[i].z += p[i].vz * dt;
}
__global__ void gather(float *out, const float *in, unsigned n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned h = i * 2654435761u;
  float s = 0;
  for (int k = 0; k < 16; ++k) {
    h = h * 1664525u + 1013904223u;
    s += in[(h >> 9) % n];
  }
  out[i] = s;
}
// Three stages of cp.async.
__global__ void pipeline(float *out, const float *in, int rounds) {
  __shared__ __align__(16) float s[3][1024];
  const int t = threadIdx.x;
  auto issue = [&](int r) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                     (unsigned)__cvta_generic_to_shared(&s[r % 3][t * 4])),
                 "l"(in + (blockIdx.x * rounds + r) * 1024 + t * 4)
                 : "memory");
  };
  float sum = 0;
  for (int r = -2; r < rounds; ++r) {
    if (r >= 0) {
      asm volatile("cp.async.wait_group 1;" ::: "memory");
      __syncthreads();
    }
    if (r + 2 < rounds)
      issue(r + 2);
    asm volatile("cp.async.commit_group;" ::: "memory");
    for (int i = 0; i < 4 && r >= 0; ++i)
      sum += s[r % 3][(t + i * 256 + 37) % 1024];
  }
  out[blockIdx.x * 256 + t] = sum;
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
    else if (is("naive"))
      naive<<<dim3(16, 16), dim3(16, 16)>>>(c, a, b, 256);
    else if (is("sgemm"))
      sgemm<<<dim3(4, 4), 256>>>(c, a, b, 256);
    else if (is("scan"))
      scan<<<1024, 256>>>(c, a);
    else if (is("bitonic"))
      bitonic<<<256, 256>>>(c);
    else if (is("histogram"))
      histogram<<<64, 256>>>((unsigned *)c, (unsigned char *)a, 1 << 20);
    else if (is("strided"))
      strided<<<dim3(32, 128), dim3(32, 8)>>>(c, a, 1024);
    else if (is("particles"))
      particles<<<2048, 256>>>((Particle *)c, .1f, 1 << 19);
    else if (is("gather"))
      gather<<<512, 256>>>(c, a, 1 << 22);
    else if (is("pipeline"))
      pipeline<<<32, 256>>>(c, a, 64);
    else
      return 2;
  const cudaError_t error = cudaDeviceSynchronize();
  if (error)
    fprintf(stderr, "%s: %s\n", name, cudaGetErrorString(error));
  return error != cudaSuccess;
}
