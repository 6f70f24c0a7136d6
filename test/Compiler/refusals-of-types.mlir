// RUN: split-file %s %t
// RUN: not tc-compile %t/f64.mlir --chip=sm_100a -o %t/k.ptx 2>&1 | FileCheck %s --check-prefix=F64
// RUN: not tc-compile %t/factor.mlir --chip=sm_100a -o %t/k.ptx 2>&1 | FileCheck %s --check-prefix=FACTOR

// What no instruction converts is named with its types, where the user wrote it.
// F64: f64.mlir:6:10: error: 'arith.truncf' op expected an operation of llvm or nvvm, which passes make of types that have instructions, got 'f64' to 'f8E4M3FN'
// FACTOR: factor.mlir:6:10: error: 'arith.truncf' op expected an operation of llvm or nvvm, {{.*}} got 'bf16' to 'f8E8M0FNU'

//--- f64.mlir
#id = affine_map<(a) -> (a)>
func.func @f(%x: tensor<64xf64>) -> tensor<64xf8E4M3FN> {
  %empty = tensor.empty() : tensor<64xf8E4M3FN>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<64xf64>) outs(%empty : tensor<64xf8E4M3FN>) {
  ^bb0(%in: f64, %out: f8E4M3FN):
    %v = arith.truncf %in : f64 to f8E4M3FN
    linalg.yield %v : f8E4M3FN
  } -> tensor<64xf8E4M3FN>
  return %y : tensor<64xf8E4M3FN>
}

//--- factor.mlir
#id = affine_map<(a) -> (a)>
func.func @f(%x: tensor<64xbf16>) -> tensor<64xf8E8M0FNU> {
  %empty = tensor.empty() : tensor<64xf8E8M0FNU>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<64xbf16>) outs(%empty : tensor<64xf8E8M0FNU>) {
  ^bb0(%in: bf16, %out: f8E8M0FNU):
    %v = arith.truncf %in : bf16 to f8E8M0FNU
    linalg.yield %v : f8E8M0FNU
  } -> tensor<64xf8E8M0FNU>
  return %y : tensor<64xf8E8M0FNU>
}
