// Source of kernels.ptx: nvcc -ptx -arch=sm_100a kernels.cu
extern "C" __global__ void add(const float *x, const float *y, float *z,
                               int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    z[i] = x[i] + y[i];
}

// Writes past the end of z when it is told to.
extern "C" __global__ void add_wrong(const float *x, const float *y, float *z,
                                     int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  z[i] = x[i] + y[i];
}

// One matmul element per thread, bf16 in, f32 out.
extern "C" __global__ void matmul(const unsigned short *a,
                                  const unsigned short *b, float *d, int m,
                                  int n, int k) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y;
  if (column >= n || row >= m)
    return;
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < k; ++i)
    sum += __uint_as_float((unsigned)a[row * k + i] << 16) *
           __uint_as_float((unsigned)b[i * n + column] << 16);
  d[row * n + column] = sum;
}
