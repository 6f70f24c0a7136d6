// The driver encodes the map of the images: mlir-runner runs a convolution with the emulator as the CUDA driver.
// REQUIRES: tc-emulate
// RUN: tc-opt %s --tc-compile -o %t.kernel.mlir
// RUN: %python %S/Inputs/join.py %t.kernel.mlir %S/Inputs/convolution.txt > %t.host.mlir
// RUN: tc-opt %t.host.mlir --convert-sm90-host-to-llvm --convert-scf-to-cf --expand-strided-metadata --lower-affine --gpu-to-llvm --convert-to-llvm --reconcile-unrealized-casts -o %t.llvm.mlir
// RUN: FileCheck %s --input-file=%t.llvm.mlir --check-prefix=CALL
// RUN: env LD_LIBRARY_PATH=%tc_build/lib/cuda TC_EMULATE_RACES=strict mlir-runner %t.llvm.mlir -e main --entry-point-result=i32 --shared-libs=%tc_build/lib/libTCHostRuntime.so --shared-libs=%mlir_lib/libmlir_c_runner_utils.so 2>&1 | FileCheck %s

// CALL: llvm.call @tcTensorMapEncodeIm2col
// No element is wrong.
// CHECK: {{^}}0{{$}}
// CHECK: 1 launch
// CHECK-SAME: no reports
func.func @conv(%i: memref<2x21x16xbf16>, %f: memref<3x16x40xbf16>, %o: memref<2x10x40xf32>) {
  linalg.conv_1d_nwc_wcf {strides = dense<2> : tensor<1xi64>} ins(%i, %f : memref<2x21x16xbf16>, memref<3x16x40xbf16>) outs(%o : memref<2x10x40xf32>)
  return
}
