// A tensor map argument becomes a parameter by value: marked by the conversion,
// converted with the signature by upstream's pass, given its attributes last.
// RUN: tc-opt --mlir-print-local-scope %s -pass-pipeline='builtin.module(gpu.module(convert-sm90-to-nvvm))' \
// RUN:   | FileCheck %s --check-prefix=MARK
// RUN: tc-opt --mlir-print-local-scope %s -pass-pipeline='builtin.module(gpu.module(convert-sm90-to-nvvm,convert-gpu-to-nvvm{use-bare-ptr-memref-call-conv=1},convert-sm90-kernel-params,reconcile-unrealized-casts,sm90-verify-lowered))' \
// RUN:   | FileCheck %s --check-prefix=PARAM

!map = !sm90.tensor_map<128x64xbf16, b128>

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // MARK: gpu.func @kernel(%{{.*}}: memref<f32, 1>, %{{.*}}: !sm90.tensor_map<128x64xbf16, b128>, %{{.*}}: i32, %{{.*}}: !sm90.tensor_map<128x64xbf16, b128>) kernel attributes {sm90.tensor_map_params = array<i64: 4, 1, 3>}
    // PARAM: llvm.func @kernel(%{{[^ ]*}}: !llvm.ptr<1>, %{{[^ ]*}}: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<16 x i64>, nvvm.grid_constant}, %{{[^ ]*}}: i32, %{{[^ ]*}}: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<16 x i64>, nvvm.grid_constant}) attributes {gpu.kernel, nvvm.kernel}
    gpu.func @kernel(%d: memref<f32, 1>, %a: !map, %n: i32, %b: !map) kernel {
      // PARAM: nvvm.prefetch tensormap in_param_space, %{{.*}} : !llvm.ptr
      sm90.prefetch_tensor_map %a : !map
      gpu.return
    }
    // A kernel without tensor maps is not marked.
    // MARK: gpu.func @plain(%{{.*}}: i32) kernel {
    gpu.func @plain(%n: i32) kernel {
      gpu.return
    }
  }
  // The host passes its tensor map.
  func.func @host(%A: memref<?x64xbf16>, %m: index, %d: memref<f32, 1>, %n: i32) {
    %c1 = arith.constant 1 : index
    // PARAM: %[[MAP:.*]] = sm90.tensor_map.encode
    %map = sm90.tensor_map.encode %A[0] dims [%m, 64] strides [128] : memref<?x64xbf16> to !map
    // PARAM: gpu.launch_func @kernels::@kernel {{.*}} args(%{{.*}} : memref<f32, 1>, %[[MAP]] : !sm90.tensor_map<128x64xbf16, b128>
    gpu.launch_func @kernels::@kernel blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%d : memref<f32, 1>, %map : !map, %n : i32, %map : !map)
    return
  }
}
