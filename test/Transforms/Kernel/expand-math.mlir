// RUN: tc-opt %s -tc-expand-math -split-input-file | FileCheck %s

// CHECK-LABEL: func @exp
// CHECK: %[[LOG2E:.*]] = arith.constant dense<1.44269502> : vector<4xf32>
// CHECK: %[[X:.*]] = arith.mulf %{{.*}}, %[[LOG2E]]
// CHECK: %[[X0:.*]] = vector.extract %[[X]][0] : f32 from vector<4xf32>
// CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f"(%[[X0]]) : (f32) -> f32
// CHECK-COUNT-3: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f"
func.func @exp(%x: vector<4xf32>) -> vector<4xf32> {
  %0 = math.exp %x : vector<4xf32>
  return %0 : vector<4xf32>
}

// The inverse of a power of 2 is exact.
// CHECK-LABEL: func @div_by_power_of_2
// CHECK: %[[INVERSE:.*]] = arith.constant 2.500000e-01 : f32
// CHECK: arith.mulf %{{.*}}, %[[INVERSE]]
func.func @div_by_power_of_2(%x: f32) -> f32 {
  %four = arith.constant 4.0 : f32
  %0 = arith.divf %x, %four : f32
  return %0 : f32
}

// A quotient that is off by one ulp could be another place.
// CHECK-LABEL: func @div_to_index
// CHECK: arith.divf
func.func @div_to_index(%x: f32, %y: f32) -> index {
  %0 = arith.divf %x, %y : f32
  %1 = math.floor %0 : f32
  %2 = arith.fptosi %1 : f32 to i64
  %3 = arith.index_cast %2 : i64 to index
  return %3 : index
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

// LLVM makes rcp.approx of that.
// CHECK-LABEL: func @inverse
// CHECK: llvm.fdiv %{{.*}}, %{{.*}} {fastmathFlags = #llvm.fastmath<afn>} : f32
func.func @inverse(%x: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %0 = arith.divf %one, %x : f32
  return %0 : f32
}

// f64 has instructions for what is exact; the larger one of two numbers is chosen in their type.
// CHECK-LABEL: func @exact
// CHECK: llvm.call_intrinsic "llvm.fabs"(%{{.*}}) : (vector<2xf64>) -> vector<2xf64>
// CHECK: llvm.call_intrinsic "llvm.maxnum"(%{{.*}}, %{{.*}}) : (vector<2xf64>, vector<2xf64>) -> vector<2xf64>
// CHECK: llvm.call_intrinsic "llvm.minnum"(%{{.*}}, %{{.*}}) : (vector<2xbf16>, vector<2xbf16>) -> vector<2xbf16>
func.func @exact(%x: vector<2xf64>, %y: vector<2xf64>, %h: vector<2xbf16>, %g: vector<2xbf16>)
    -> (vector<2xf64>, vector<2xbf16>) {
  %0 = math.absf %x : vector<2xf64>
  %1 = arith.maxnumf %0, %y : vector<2xf64>
  %2 = arith.minnumf %h, %g : vector<2xbf16>
  return %1, %2 : vector<2xf64>, vector<2xbf16>
}

// CHECK-LABEL: func @tanh
// CHECK: %[[E:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f"
// CHECK: %[[SUM:.*]] = arith.addf %[[E]],
// CHECK: %[[INVERSE:.*]] = llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"(%[[SUM]])
// CHECK: llvm.call_intrinsic "llvm.fma"(%{{.*}}, %[[INVERSE]], %{{.*}})
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
// CHECK: "llvm.floor"
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

// Intrinsics take one dimension.
// CHECK-LABEL: func @matrix
// CHECK: %[[F:.*]] = vector.shape_cast %{{.*}} : vector<2x2xf32> to vector<4xf32>
// CHECK: %[[Y:.*]] = llvm.call_intrinsic "llvm.exp2"(%[[F]]) : (vector<4xf32>) -> vector<4xf32>
// CHECK: vector.shape_cast %[[Y]] : vector<4xf32> to vector<2x2xf32>
// CHECK: arith.extf %{{.*}} : vector<4xf16> to vector<4xf32>
// CHECK: vector.extract %{{.*}}[3]
// CHECK: "llvm.nvvm.rsqrt.approx.f"
// CHECK: %[[N:.*]] = arith.truncf %{{.*}} : vector<4xf32> to vector<4xf16>
// CHECK: vector.shape_cast %[[N]] : vector<4xf16> to vector<2x2xf16>
func.func @matrix(%x: vector<2x2xf32>, %y: vector<2x2xf16>) -> (vector<2x2xf32>, vector<2x2xf16>) {
  %0 = math.exp2 %x : vector<2x2xf32>
  %1 = math.rsqrt %y : vector<2x2xf16>
  return %0, %1 : vector<2x2xf32>, vector<2x2xf16>
}

// Small powers are products, others go through logarithms: in f32, rounded once.
// CHECK-LABEL: func @powers
// CHECK: %[[SQUARE:.*]] = arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK: arith.mulf %{{.*}}, %[[SQUARE]] : f32
// CHECK: %[[WIDE:.*]] = arith.extf %{{.*}} : bf16 to f32
// CHECK: %[[LOG:.*]] = llvm.call_intrinsic "llvm.nvvm.lg2.approx.f"
// CHECK: %[[POWER:.*]] = llvm.call_intrinsic "llvm.exp2"
// CHECK: %[[INTEGER:.*]] = arith.cmpf oeq
// CHECK: %[[EVEN:.*]] = arith.cmpf oeq
// CHECK: %[[MINUS:.*]] = arith.subf %{{.*}}, %[[POWER]] : f32
// CHECK: arith.select %[[EVEN]], %[[POWER]], %[[MINUS]] : f32
// CHECK: arith.truncf %{{.*}} : f32 to bf16
// CHECK-NOT: math.
// CHECK: return
func.func @powers(%x: f32, %y: bf16, %i: i32) -> (f32, bf16, f32, f32) {
  %three = arith.constant 3.0 : f32
  %0 = math.powf %x, %three : f32
  %e = arith.constant 2.5 : bf16
  %1 = math.powf %y, %e : bf16
  %2 = math.fpowi %x, %i : f32, i32
  %3 = math.atan2 %x, %2 : f32
  return %0, %1, %2, %3 : f32, bf16, f32, f32
}

// Of no type that is computed here.
// CHECK-LABEL: func @left
// CHECK: math.exp %{{.*}} : tensor<4xf32>
// CHECK: math.exp %{{.*}} : vector<[4]xf32>
// CHECK: math.exp %{{.*}} : f64
// CHECK: math.ctlz
// CHECK: math.sincos
func.func @left(%t: tensor<4xf32>, %s: vector<[4]xf32>, %d: f64, %h: f16, %i: i32)
    -> (tensor<4xf32>, vector<[4]xf32>, f64, i32, f32) {
  %0 = math.exp %t : tensor<4xf32>
  %1 = math.exp %s : vector<[4]xf32>
  %2 = math.exp %d : f64
  %3 = math.ctlz %i : i32
  %f = arith.extf %h : f16 to f32
  %4, %5 = math.sincos %f : f32
  return %0, %1, %2, %3, %5 : tensor<4xf32>, vector<[4]xf32>, f64, i32, f32
}

// What a matmul ends with is lowered with it.
// CHECK-LABEL: func @epilogue
// CHECK: math.exp
func.func @epilogue(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %d: memref<64x64xf32>) {
  tmm.matmul ins(%a, %b : memref<64x64xf16>, memref<64x64xf16>) outs(%d : memref<64x64xf32>) epilogue(%x) {
    %0 = math.exp %x : f32
    tmm.yield %0 : f32
  }
  return
}
