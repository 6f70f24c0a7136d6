// RUN: tc-opt %s --split-input-file --allow-unregistered-dialect --tc-drop-foreign --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @notes(
// CHECK-SAME: %{{[^:]*}}: tensor<8xf32> {llvm.noalias}) -> tensor<8xf32> attributes {llvm.emit_c_interface} {
// CHECK: math.exp %{{.*}} : tensor<8xf32>
// expected-remark @below {{attribute 'torch.strict' is of a dialect that is not known here, and dropped}}
// expected-remark @below {{attribute 'jax.donor' is of a dialect that is not known here, and dropped}}
// expected-remark @below {{attribute 'jax.result' is of a dialect that is not known here, and dropped}}
func.func @notes(%x: tensor<8xf32> {jax.donor = true, llvm.noalias}) -> (tensor<8xf32> {jax.result = ""}) attributes {torch.strict, llvm.emit_c_interface} {
  // expected-remark @below {{attribute 'lowering_config' is of a dialect that is not known here, and dropped}}
  %y = math.exp %x {lowering_config = [#iree.config<1>]} : tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

func.func @operation(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{'torch.aten.relu' op is of a dialect that is not known here: expected those of func, linalg, tensor, memref, arith, math and scf}}
  %y = "torch.aten.relu"(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

// expected-error @below {{'func.func' op argument 1 is of a dialect that is not known here}}
func.func @argument(%x: tensor<8xf32>, %y: !torch.int) {
  return
}

// -----

// What torch-mlir keeps for random numbers: nothing names it.
// CHECK-LABEL: module
// CHECK-NOT: ml_program
// CHECK-NOT: memref.global
// CHECK: func.func @seeded
ml_program.global private mutable @seed(dense<0> : tensor<i64>) : tensor<i64>
memref.global "private" constant @table : memref<4xf32> = dense<1.0>
func.func @seeded(%x: tensor<8xf32>) {
  return
}

// -----

// expected-error @below {{'ml_program.global' op is of a dialect that is not known here}}
ml_program.global private mutable @state(dense<0> : tensor<i64>) : tensor<i64>
func.func @reads() -> tensor<i64> {
  // expected-error @below {{'ml_program.global_load' op is of a dialect that is not known here}}
  %0 = ml_program.global_load @state : tensor<i64>
  return %0 : tensor<i64>
}

// -----

// Notes of no dialect: one remark, wherever they are.
// CHECK-LABEL: func.func @encoded(
// CHECK-SAME: tensor<8x8xf32>, %{{.*}}: tensor<8xf32>) -> tensor<8x8xf32>
// CHECK: math.exp %{{.*}} : tensor<8x8xf32>
// expected-remark @below {{encoding "rows" is of no dialect, and dropped, as those of other tensors are}}
func.func @encoded(%x: tensor<8x8xf32, "rows">, %y: tensor<8xf32, 3 : i64>) -> tensor<8x8xf32, "rows"> {
  %z = math.exp %x : tensor<8x8xf32, "rows">
  return %z : tensor<8x8xf32, "rows">
}

// -----

#rows = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed) }>
// expected-error @below {{'func.func' op has a tensor with the encoding #sparse_tensor.encoding<}}
func.func @sparse(%x: tensor<8x8xf32, #rows>) {
  return
}

// -----

func.func @inside(%x: tensor<8x8xf32>) {
  // expected-error @below {{'tensor.empty' op has a tensor with the encoding #other.tiles<1>, which may keep elements elsewhere: expected tensors without an encoding}}
  %y = tensor.empty() : tensor<8x8xf32, #other.tiles<1>>
  return
}
