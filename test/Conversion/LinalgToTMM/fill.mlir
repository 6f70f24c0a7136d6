// RUN: tc-opt --convert-linalg-to-tmm %s | FileCheck %s

// CHECK-LABEL: func @memref
func.func @memref(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // CHECK-NOT: linalg.fill
  // CHECK: tmm.matmul ins(
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%d : memref<?x?xf32>)
  linalg.matmul ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}

// CHECK-LABEL: func @tensor
func.func @tensor(%a: tensor<8x16xbf16>, %b: tensor<16x24xbf16>) -> tensor<8x24xbf16> {
  // CHECK: %[[E:.*]] = tensor.empty()
  // CHECK-NOT: linalg.fill
  // CHECK: tmm.matmul ins({{.*}}) outs(%[[E]] :
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<8x24xbf16>
  %0 = linalg.fill ins(%zero : bf16) outs(%e : tensor<8x24xbf16>) -> tensor<8x24xbf16>
  %1 = linalg.matmul ins(%a, %b : tensor<8x16xbf16>, tensor<16x24xbf16>) outs(%0 : tensor<8x24xbf16>) -> tensor<8x24xbf16>
  return %1 : tensor<8x24xbf16>
}

// A tensor of zeros is a fill.
// CHECK-LABEL: func @constant
func.func @constant(%a: tensor<8x16xbf16>, %b: tensor<16x24xbf16>) -> tensor<8x24xf32> {
  // CHECK: tmm.matmul ins(
  %0 = arith.constant dense<0.0> : tensor<8x24xf32>
  %1 = linalg.matmul ins(%a, %b : tensor<8x16xbf16>, tensor<16x24xbf16>) outs(%0 : tensor<8x24xf32>) -> tensor<8x24xf32>
  return %1 : tensor<8x24xf32>
}

// The zeros are used twice: both matmuls write, the fill has no other user.
// CHECK-LABEL: func @shared_fill
func.func @shared_fill(%a: tensor<8x16xbf16>, %b: tensor<16x24xbf16>) -> (tensor<8x24xf32>, tensor<8x24xf32>) {
  // CHECK-NOT: linalg.fill
  // CHECK-COUNT-2: tmm.matmul ins(
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x24xf32>
  %0 = linalg.fill ins(%zero : f32) outs(%e : tensor<8x24xf32>) -> tensor<8x24xf32>
  %1 = linalg.matmul ins(%a, %b : tensor<8x16xbf16>, tensor<16x24xbf16>) outs(%0 : tensor<8x24xf32>) -> tensor<8x24xf32>
  %2 = linalg.matmul ins(%a, %b : tensor<8x16xbf16>, tensor<16x24xbf16>) outs(%0 : tensor<8x24xf32>) -> tensor<8x24xf32>
  return %1, %2 : tensor<8x24xf32>, tensor<8x24xf32>
}

// Operations without effects and fills with zero may come between.
// CHECK-LABEL: func @two_memrefs
//  CHECK-SAME: %[[E:[^ ]*]]: memref<8x24xf32>)
func.func @two_memrefs(%a: memref<8x16xbf16>, %b: memref<16x24xbf16>, %d: memref<8x24xf32>, %e: memref<8x24xf32>) {
  // CHECK: linalg.fill ins(%{{.*}} : f32) outs(%[[E]] :
  // CHECK-NOT: linalg.fill
  // CHECK: tmm.matmul ins(
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%d : memref<8x24xf32>)
  linalg.fill ins(%zero : f32) outs(%e : memref<8x24xf32>)
  %c = memref.cast %a : memref<8x16xbf16> to memref<?x16xbf16>
  linalg.matmul ins(%c, %b : memref<?x16xbf16>, memref<16x24xbf16>) outs(%d : memref<8x24xf32>)
  return
}

// An operation on a memory that cannot be the destination does not matter.
// CHECK-LABEL: func @other_memory
func.func @other_memory(%a: memref<8x16xbf16>, %b: memref<16x24xbf16>) -> (memref<8x24xf32>, memref<8x24xf32>) {
  // CHECK: linalg.fill
  // CHECK-NOT: linalg.fill
  // CHECK: tmm.matmul ins(
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %d = memref.alloc() : memref<8x24xf32>
  %e = memref.alloc() : memref<8x24xf32>
  linalg.fill ins(%zero : f32) outs(%d : memref<8x24xf32>)
  linalg.fill ins(%one : f32) outs(%e : memref<8x24xf32>)
  linalg.matmul ins(%a, %b : memref<8x16xbf16>, memref<16x24xbf16>) outs(%d : memref<8x24xf32>)
  return %d, %e : memref<8x24xf32>, memref<8x24xf32>
}

// Another value is added to.
// CHECK-LABEL: func @one
func.func @one(%a: memref<8x16xbf16>, %b: memref<16x24xbf16>, %d: memref<8x24xf32>) {
  // CHECK: linalg.fill
  // CHECK: tmm.matmul accumulate ins(
  %one = arith.constant 1.0 : f32
  linalg.fill ins(%one : f32) outs(%d : memref<8x24xf32>)
  linalg.matmul ins(%a, %b : memref<8x16xbf16>, memref<16x24xbf16>) outs(%d : memref<8x24xf32>)
  return
}

// With K = 0 the sum is +0.0, which -0.0 would not become.
// CHECK-LABEL: func @negative_zero
func.func @negative_zero(%a: memref<8x0xbf16>, %b: memref<0x24xbf16>, %d: memref<8x24xf32>) {
  // CHECK: linalg.fill
  // CHECK: tmm.matmul accumulate ins(
  %zero = arith.constant -0.0 : f32
  linalg.fill ins(%zero : f32) outs(%d : memref<8x24xf32>)
  linalg.matmul ins(%a, %b : memref<8x0xbf16>, memref<0x24xbf16>) outs(%d : memref<8x24xf32>)
  return
}

// The first matmul takes the fill; the second adds to its result.
// CHECK-LABEL: func @two_contractions
func.func @two_contractions(%a: memref<8x16xbf16>, %b: memref<16x24xbf16>, %d: memref<8x24xf32>) {
  // CHECK-NOT: linalg.fill
  // CHECK: tmm.matmul ins(
  // CHECK: tmm.matmul accumulate ins(
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%d : memref<8x24xf32>)
  linalg.matmul ins(%a, %b : memref<8x16xbf16>, memref<16x24xbf16>) outs(%d : memref<8x24xf32>)
  linalg.matmul ins(%a, %b : memref<8x16xbf16>, memref<16x24xbf16>) outs(%d : memref<8x24xf32>)
  return
}

// A write between, to the destination or to what may be the same memory.
// CHECK-LABEL: func @write_between
func.func @write_between(%a: memref<8x16xbf16>, %b: memref<16x24xbf16>, %d: memref<8x24xf32>, %e: memref<8x24xf32>, %x: f32, %i: index) {
  // CHECK: linalg.fill
  // CHECK: memref.store
  // CHECK: tmm.matmul accumulate ins(
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%d : memref<8x24xf32>)
  memref.store %x, %e[%i, %i] : memref<8x24xf32>
  linalg.matmul ins(%a, %b : memref<8x16xbf16>, memref<16x24xbf16>) outs(%d : memref<8x24xf32>)
  return
}

// A read between sees the zeros.
// CHECK-LABEL: func @read_between
func.func @read_between(%a: memref<8x16xbf16>, %b: memref<16x24xbf16>, %d: memref<8x24xf32>, %i: index) -> f32 {
  // CHECK: linalg.fill
  // CHECK: memref.load
  // CHECK: tmm.matmul accumulate ins(
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%d : memref<8x24xf32>)
  %0 = memref.load %d[%i, %i] : memref<8x24xf32>
  linalg.matmul ins(%a, %b : memref<8x16xbf16>, memref<16x24xbf16>) outs(%d : memref<8x24xf32>)
  return %0 : f32
}

// A call may do anything.
func.func private @callee()
// CHECK-LABEL: func @call_between
func.func @call_between(%a: memref<8x16xbf16>, %b: memref<16x24xbf16>, %d: memref<8x24xf32>) {
  // CHECK: linalg.fill
  // CHECK: tmm.matmul accumulate ins(
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%d : memref<8x24xf32>)
  call @callee() : () -> ()
  linalg.matmul ins(%a, %b : memref<8x16xbf16>, memref<16x24xbf16>) outs(%d : memref<8x24xf32>)
  return
}

// The fill is outside of the loop: it holds for the first iteration only.
// CHECK-LABEL: func @loop_between
func.func @loop_between(%a: memref<8x16xbf16>, %b: memref<16x24xbf16>, %d: memref<8x24xf32>, %n: index) {
  // CHECK: linalg.fill
  // CHECK: scf.for
  // CHECK: tmm.matmul accumulate ins(
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  linalg.fill ins(%zero : f32) outs(%d : memref<8x24xf32>)
  scf.for %i = %c0 to %n step %c1 {
    linalg.matmul ins(%a, %b : memref<8x16xbf16>, memref<16x24xbf16>) outs(%d : memref<8x24xf32>)
  }
  return
}

// The zeros may also be an input: parts of one buffer are not compared.
// CHECK-LABEL: func @destination_is_input
func.func @destination_is_input(%a: memref<16x16xbf16>, %d: memref<16x16xbf16>) {
  // CHECK: linalg.fill
  // CHECK: tmm.matmul accumulate ins(
  %zero = arith.constant 0.0 : bf16
  %part = memref.subview %d[0, 0] [16, 16] [1, 1] : memref<16x16xbf16> to memref<16x16xbf16, strided<[16, 1]>>
  linalg.fill ins(%zero : bf16) outs(%d : memref<16x16xbf16>)
  linalg.matmul ins(%a, %part : memref<16x16xbf16>, memref<16x16xbf16, strided<[16, 1]>>) outs(%d : memref<16x16xbf16>)
  return
}
