// LLVM copies a block with cp.async into two paths: the count of each instruction is that of
// the copies of its block. The text has marks of blocks, which are comments, where LLVM makes
// other copies without them.
// RUN: tc-compile %s --chip=sm_80 -o %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx
// RUN: tc-run %t.ptx --check --races=strict --schedule=eager,random:1 | FileCheck %s --check-prefix=RUNS
// RUNS: check D = A * B
// RUNS: maximum error 0
// CHECK: .target sm_80
// CHECK: // tc.block
// CHECK: cp.async
func.func @main(%arg0: tensor<23x3x80xbf16>) -> (tensor<1x3x23xf32>) {
  %cst0 = arith.constant 0.0 : f32
  %cst1 = arith.constant 1.0 : f32
  %cst2 = arith.constant -8.0 : f32
  %cst3 = arith.constant 12.0 : f32
  %cst4 = arith.constant 2.0 : f32
  %0 = arith.constant dense<2.0> : tensor<3x80x1xbf16>
  %1 = tensor.empty() : tensor<1x3x23xf32>
  %2 = linalg.fill ins(%cst0 : f32) outs(%1 : tensor<1x3x23xf32>) -> tensor<1x3x23xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d2, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d1, d3, d0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %0 : tensor<23x3x80xbf16>, tensor<3x80x1xbf16>) outs(%2 : tensor<1x3x23xf32>) {
  ^bb0(%in0: bf16, %in1: bf16, %out: f32):
    %x0 = arith.extf %in0 : bf16 to f32
    %x1 = arith.extf %in1 : bf16 to f32
    %m = arith.mulf %x1, %x0 : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x3x23xf32>
  %4 = tensor.empty() : tensor<1x3x23xf32>
  %5 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%3 : tensor<1x3x23xf32>) outs(%4 : tensor<1x3x23xf32>) {
  ^bb0(%in0: f32, %out: f32):
    %y0 = arith.maximumf %in0, %cst2 : f32
    %y1 = arith.minimumf %y0, %cst3 : f32
    %y2 = arith.minimumf %cst4, %y1 : f32
    %y3 = arith.addf %y2, %y2 : f32
    linalg.yield %y3 : f32
  } -> tensor<1x3x23xf32>
  return %5 : tensor<1x3x23xf32>
}
