// RUN: %python %tc_source/test/Inputs/check-columns.py %s \
// RUN:   --config "tile=128x256x64 cta-group=1 epilogue=direct" \
// RUN:   --config "tile=256x256x64 cta-group=2 epilogue=direct" \
// RUN:   --config "tile=256x256x64 cta-group=2 epilogue=tma-store" \
// RUN:   --config "tile=256x256x64 cta-group=2 scheduler=clc" \
// RUN:   --config "tile=128x128x64 cta-group=1 cluster=2x2" \
// RUN:   --config "tile=128x128x64 roles=none stages=4 epilogue=direct"
// RUN: tc-compile %s --emit=tcgen05 | FileCheck %s

// Long lines are broken before types or after a member of a list, and what follows
// is indented; strings stay whole.

// CHECK:      !bf16_128x64_k_major = memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>,
// CHECK-NEXT: {{^}}    #gpu.address_space<workgroup>>{{$}}
// CHECK:      cf.assert %{{[^,]*}},{{$}}
// CHECK-NEXT: "operand A: the stride of dimension 0 must be a multiple of 16 bytes {{.*}} for TMA, or load-a=threads"
// CHECK:      sm90.tensor_map.encode %arg0[0]
// CHECK:      gpu.func @matmul_matmul({{.*}},{{$}}
// CHECK-NEXT: {{^}}        %
// CHECK:      {{^}}                tcgen05.mma f16 {{.*}} {a_k = 48 : i64, b_k = 48 : i64}{{$}}
// CHECK-NEXT: {{^}}                    : !f32_128x256_tmem_A, !bf16_128x64_k_major, !bf16_128x64_mn_major{{$}}
func.func @matmul(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xbf16>) {
  tmm.matmul ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xbf16>)
  return
}
