// Host code by upstream's passes alone: the kernel's launch, tensor maps and checks become llvm, mlir-runner runs it with
// the emulator as the CUDA driver, and so does an executable of it.
// REQUIRES: tc-emulate
// RUN: tc-opt %s --tc-compile -o %t.kernel.mlir
// RUN: %python %S/Inputs/join.py %t.kernel.mlir %S/Inputs/main.txt > %t.host.mlir
// RUN: tc-opt %t.host.mlir --convert-sm90-host-to-llvm --convert-scf-to-cf --expand-strided-metadata --lower-affine --gpu-to-llvm --convert-to-llvm --reconcile-unrealized-casts -o %t.llvm.mlir
// RUN: env LD_LIBRARY_PATH=%tc_build/lib/cuda TC_EMULATE_RACES=strict mlir-runner %t.llvm.mlir -e main --entry-point-result=i32 --shared-libs=%tc_build/lib/libTCHostRuntime.so --shared-libs=%mlir_lib/libmlir_c_runner_utils.so 2>&1 | FileCheck %s
// RUN: mlir-translate --mlir-to-llvmir %t.llvm.mlir -o %t.ll
// RUN: llc -filetype=obj -relocation-model=pic %t.ll -o %t.o
// RUN: %cxx %t.o %tc_build/lib/libTCHostRuntime.so %mlir_lib/libmlir_c_runner_utils.so %mlir_lib/libmlir_float16_utils.so -Wl,-rpath,%tc_build/lib -Wl,-rpath,%mlir_lib -o %t.exe
// RUN: tc-emulate --races=strict %t.exe 2>&1 | FileCheck %s

// And for sm_90a.
// RUN: tc-opt %s --tc-compile=chip=sm_90a -o %t.kernel.mlir
// RUN: %python %S/Inputs/join.py %t.kernel.mlir %S/Inputs/main.txt > %t.host.mlir
// RUN: tc-opt %t.host.mlir --convert-sm90-host-to-llvm --convert-scf-to-cf --expand-strided-metadata --lower-affine --gpu-to-llvm --convert-to-llvm --reconcile-unrealized-casts -o %t.llvm.mlir
// RUN: env LD_LIBRARY_PATH=%tc_build/lib/cuda TC_EMULATE_RACES=strict mlir-runner %t.llvm.mlir -e main --entry-point-result=i32 --shared-libs=%tc_build/lib/libTCHostRuntime.so --shared-libs=%mlir_lib/libmlir_c_runner_utils.so 2>&1 | FileCheck %s

// No element is wrong, and one of them.
// CHECK: {{^}}0{{$}}
// CHECK: {{^}}798{{$}}
// CHECK: 1 launch
// CHECK-SAME: no reports
func.func @matmul(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  %z = arith.constant 0.0 : f32
  linalg.fill ins(%z : f32) outs(%d : memref<?x?xf32>)
  linalg.matmul ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}
