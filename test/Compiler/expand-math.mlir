// RUN: tc-opt %s -tc-expand-math -split-input-file | FileCheck %s

// CHECK-LABEL: func @exp
// CHECK: %[[LOG2E:.*]] = arith.constant dense<1.44269502> : vector<4xf32>
// CHECK: %[[X:.*]] = arith.mulf %{{.*}}, %[[LOG2E]]
// CHECK: llvm.call_intrinsic "llvm.exp2"(%[[X]]) : (vector<4xf32>) -> vector<4xf32>
func.func @exp(%x: vector<4xf32>) -> vector<4xf32> {
  %0 = math.exp %x : vector<4xf32>
  return %0 : vector<4xf32>
}

// Instructions that LLVM has on scalars only.
// CHECK-LABEL: func @div
// CHECK: vector.extract %{{.*}}[0]
// CHECK: llvm.call_intrinsic "llvm.nvvm.div.full"(%{{.*}}, %{{.*}}) : (f32, f32) -> f32
// CHECK: vector.insert %{{.*}}, %{{.*}} [0]
// CHECK: llvm.call_intrinsic "llvm.nvvm.div.full"
// CHECK-NOT: llvm.call_intrinsic
func.func @div(%x: vector<2xf32>, %y: vector<2xf32>) -> vector<2xf32> {
  %0 = arith.divf %x, %y : vector<2xf32>
  return %0 : vector<2xf32>
}

// CHECK-LABEL: func @tanh
// CHECK: llvm.call_intrinsic "llvm.exp2"
// CHECK: llvm.call_intrinsic "llvm.nvvm.div.full"
// CHECK: %[[R:.*]] = arith.subf
// CHECK: llvm.call_intrinsic "llvm.tanh"(%{{.*}}) {fastmathFlags = #llvm.fastmath<afn>}
func.func @tanh(%x: f32) -> (f32, f32) {
  %0 = math.tanh %x : f32
  %1 = math.tanh %x fastmath<afn> : f32
  return %0, %1 : f32, f32
}

// CHECK-LABEL: func @erf
// CHECK: llvm.call_intrinsic "llvm.maxnum"
// CHECK: llvm.call_intrinsic "llvm.minnum"
// CHECK-COUNT-10: llvm.call_intrinsic "llvm.fma"
// CHECK: llvm.call_intrinsic "llvm.nvvm.div.full"
func.func @erf(%x: f32) -> f32 {
  %0 = math.erf %x : f32
  return %0 : f32
}

// Narrow types are computed in f32.
// CHECK-LABEL: func @narrow
// CHECK: %[[X:.*]] = arith.extf %{{.*}} : bf16 to f32
// CHECK: %[[Y:.*]] = llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.f"(%[[X]])
// CHECK: arith.truncf %[[Y]] : f32 to bf16
func.func @narrow(%x: bf16) -> bf16 {
  %0 = math.rsqrt %x : bf16
  return %0 : bf16
}

// CHECK-LABEL: func @others
// CHECK: "llvm.fabs"
// CHECK: "llvm.ceil"
// CHECK: "llvm.floor"
// CHECK: "llvm.trunc"
// CHECK: "llvm.roundeven"
// CHECK: "llvm.sqrt"
// CHECK: "llvm.exp2"
// CHECK: "llvm.nvvm.lg2.approx.f"
// CHECK: "llvm.nvvm.lg2.approx.f"
// CHECK: arith.mulf
// CHECK: "llvm.fma"
// CHECK: "llvm.maximum"
// CHECK: "llvm.minimum"
// CHECK: math.sin
func.func @others(%x: f32) -> f32 {
  %0 = math.absf %x : f32
  %1 = math.ceil %0 : f32
  %2 = math.floor %1 : f32
  %3 = math.trunc %2 : f32
  %4 = math.roundeven %3 : f32
  %5 = math.sqrt %4 : f32
  %6 = math.exp2 %5 : f32
  %7 = math.log2 %6 : f32
  %8 = math.log %7 : f32
  %9 = math.fma %8, %8, %8 : f32
  %10 = math.clampf %9 to [%x, %8] : f32
  %11 = math.sin %10 : f32
  return %11 : f32
}
