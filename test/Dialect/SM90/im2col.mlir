// Copies of pixels: round trip, the tensor map's place in a host function, and the instruction, which ptxas takes.
// RUN: tc-opt %s --mlir-print-local-scope | tc-opt --mlir-print-local-scope | FileCheck %s
// RUN: tc-opt %s --mlir-print-op-generic | tc-opt --mlir-print-local-scope | FileCheck %s
// RUN: tc-opt %s -pass-pipeline='builtin.module(gpu.module(convert-sm90-to-nvvm,convert-gpu-to-nvvm{use-bare-ptr-memref-call-conv=1},convert-sm90-kernel-params,reconcile-unrealized-casts,sm90-verify-lowered),tc-serialize-gpu-modules)' \
// RUN:   | FileCheck %s --check-prefix=PTX
// RUN: %if ptxas %{ tc-opt %s -pass-pipeline='builtin.module(gpu.module(convert-sm90-to-nvvm,convert-gpu-to-nvvm{use-bare-ptr-memref-call-conv=1},convert-sm90-kernel-params,reconcile-unrealized-casts,sm90-verify-lowered),tc-serialize-gpu-modules{format=cubin})' \
// RUN:   | FileCheck %s --check-prefix=CUBIN %}
// CUBIN: gpu.binary @kernels {{.*}} bin = "\7FELF

// PTX: gpu.binary @kernels
// PTX-SAME: cp.async.bulk.tensor.3d.shared::cta.global.im2col.mbarrier::complete_tx::bytes [
// PTX-SAME: cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster [
// PTX-SAME: cp.async.bulk.tensor.5d.shared::cta.global.im2col.mbarrier::complete_tx::bytes.L2::cache_hint [
!smem = memref<8208xi8, #gpu.address_space<workgroup>>
!tile = memref<64x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 4096>, #gpu.address_space<workgroup>>
!map3 = !sm90.tensor_map<64x64xbf16, b128, im2col = 3>
!map4 = !sm90.tensor_map<64x64xbf16, b128, im2col = 4>
!map5 = !sm90.tensor_map<64x64xbf16, b128, im2col = 5>
gpu.module @kernels [#nvvm.target<chip = "sm_90a", features = "+ptx86">] {
  gpu.func @k(%three: !map3, %four: !map4, %five: !map5, %mask: i16, %n: i32) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c2 = arith.constant 2 : index
    %i = arith.index_cast %n : i32 to index
    %smem = sm90.dynamic_smem align 1024 : !smem
    %a = sm90.smem_view %smem[0] : !smem to !tile
    %bars = sm90.mbarrier.view %smem[8192] : !smem to !sm90.mbarrier_array<2>
    %full = sm90.mbarrier.get %bars[0] : !sm90.mbarrier_array<2>
    %policy = sm90.cache_policy evict_first
    // CHECK: sm90.tma_load %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] im2col[%{{.*}}], %{{.*}}, %{{.*}} : !sm90.tensor_map<64x64xbf16, b128, im2col = 3>
    sm90.tma_load %three[%i, %i, %i] im2col[%i], %a, %full : !map3, !tile, !sm90.mbarrier
    // CHECK: sm90.tma_load %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] im2col[%{{.*}}, %{{.*}}], %{{.*}}, %{{.*}} multicast
    sm90.tma_load %four[%i, %i, %i, %i] im2col[%i, %c2], %a, %full multicast %mask : !map4, !tile, !sm90.mbarrier
    // CHECK: im2col[%{{.*}}, %{{.*}}, %{{.*}}], %{{.*}}, %{{.*}} cache_policy
    sm90.tma_load %five[%i, %i, %i, %i, %i] im2col[%i, %i, %c2], %a, %full cache_policy %policy : !map5, !tile, !sm90.mbarrier
    gpu.return
  }
}

// CHECK: sm90.tensor_map.encode %{{.*}}[0] dims [%{{.*}}, 10, 11, 64] strides [14080, 1408, 128] element_strides [1, 2, 1, 1] im2col lower [-1, 0] upper [-3, -1]
// CHECK-SAME: to !sm90.tensor_map<128x64xbf16, b128, im2col = 4>
// More pixels than a box has rows.
// CHECK: to !sm90.tensor_map<1024x64xbf16, b128, im2col = 3>
func.func @encode(%images: memref<?x10x11x64xbf16>, %line: memref<2x500x64xbf16>, %n: index) {
  %0 = sm90.tensor_map.encode %images[0] dims [%n, 10, 11, 64] strides [14080, 1408, 128] element_strides [1, 2, 1, 1] im2col lower [-1, 0] upper [-3, -1]
    : memref<?x10x11x64xbf16> to !sm90.tensor_map<128x64xbf16, b128, im2col = 4>
  %1 = sm90.tensor_map.encode %line[0] dims [2, 500, 64] strides [64000, 128] im2col lower [0] upper [-400]
    : memref<2x500x64xbf16> to !sm90.tensor_map<1024x64xbf16, b128, im2col = 3>
  return
}
