// The same contractions, lowered to loops by upstream as they are and as tmm.matmul
// after the conversion, run on the CPU. The inputs are small integers, so every sum is
// exact: A[m, k] = (3 m + 5 k) mod 7 - 3, B[k, n] = (2 k + 3 n) mod 5 - 2, D[m, n] = m - n.
//
// DEFINE: %{lower} = tc-opt --convert-scf-to-cf --expand-strided-metadata --lower-affine --convert-cf-to-llvm --convert-arith-to-llvm --finalize-memref-to-llvm --convert-func-to-llvm --reconcile-unrealized-casts
// DEFINE: %{run} = mlir-runner --entry-point-result=void --shared-libs=%mlir_lib/libmlir_runner_utils.so,%mlir_lib/libmlir_c_runner_utils.so
//
// RUN: tc-opt --convert-linalg-to-loops %s | %{lower} | %{run} | FileCheck %s
// RUN: tc-opt --convert-linalg-to-tmm --transform-preload-library=transform-library-paths=%S/Inputs/loops.mlir --transform-interpreter %s | %{lower} | %{run} | FileCheck %s

memref.global "private" constant @a : memref<2x4xbf16> = dense<[[-3.0, 2.0, 0.0, -2.0], [0.0, -2.0, 3.0, 1.0]]>
memref.global "private" constant @at : memref<4x2xbf16> = dense<[[-3.0, 0.0], [2.0, -2.0], [0.0, 3.0], [-2.0, 1.0]]>
memref.global "private" constant @b : memref<4x3xbf16> = dense<[[-2.0, 1.0, -1.0], [0.0, -2.0, 1.0], [2.0, 0.0, -2.0], [-1.0, 2.0, 0.0]]>
memref.global "private" constant @bt : memref<3x4xbf16> = dense<[[-2.0, 0.0, 2.0, -1.0], [1.0, -2.0, 0.0, 2.0], [-1.0, 1.0, -2.0, 0.0]]>
memref.global "private" constant @initial : memref<2x3xf32> = dense<[[0.0, -1.0, -2.0], [1.0, 0.0, -1.0]]>
memref.global "private" constant @initial_transposed : memref<3x2xf32> = dense<[[0.0, 1.0], [-1.0, 0.0], [-2.0, -1.0]]>
func.func private @printMemrefF32(memref<*xf32>) attributes {llvm.emit_c_interface}

#mk = affine_map<(m, n, k) -> (m, k)>
#km = affine_map<(m, n, k) -> (k, m)>
#kn = affine_map<(m, n, k) -> (k, n)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#nm = affine_map<(m, n, k) -> (n, m)>

func.func @main() {
  %a = memref.get_global @a : memref<2x4xbf16>
  %at = memref.get_global @at : memref<4x2xbf16>
  %b = memref.get_global @b : memref<4x3xbf16>
  %bt = memref.get_global @bt : memref<3x4xbf16>
  %initial = memref.get_global @initial : memref<2x3xf32>
  %initial_transposed = memref.get_global @initial_transposed : memref<3x2xf32>

  // Plain.
  // CHECK: {{\[\[}}{{ *}}8, {{ *}}-12, {{ *}}3]
  // CHECK-NEXT: [{{ *}}6, {{ *}}6, {{ *}}-9]
  %d0 = memref.alloc() : memref<2x3xf32>
  memref.copy %initial, %d0 : memref<2x3xf32> to memref<2x3xf32>
  linalg.matmul ins(%a, %b : memref<2x4xbf16>, memref<4x3xbf16>) outs(%d0 : memref<2x3xf32>)
  %p0 = memref.cast %d0 : memref<2x3xf32> to memref<*xf32>
  call @printMemrefF32(%p0) : (memref<*xf32>) -> ()

  // A transposed.
  // CHECK: {{\[\[}}{{ *}}8, {{ *}}-12, {{ *}}3]
  // CHECK-NEXT: [{{ *}}6, {{ *}}6, {{ *}}-9]
  %d1 = memref.alloc() : memref<2x3xf32>
  memref.copy %initial, %d1 : memref<2x3xf32> to memref<2x3xf32>
  linalg.matmul indexing_maps = [#km, #kn, #mn] ins(%at, %b : memref<4x2xbf16>, memref<4x3xbf16>) outs(%d1 : memref<2x3xf32>)
  %p1 = memref.cast %d1 : memref<2x3xf32> to memref<*xf32>
  call @printMemrefF32(%p1) : (memref<*xf32>) -> ()

  // B transposed.
  // CHECK: {{\[\[}}{{ *}}8, {{ *}}-12, {{ *}}3]
  // CHECK-NEXT: [{{ *}}6, {{ *}}6, {{ *}}-9]
  %d2 = memref.alloc() : memref<2x3xf32>
  memref.copy %initial, %d2 : memref<2x3xf32> to memref<2x3xf32>
  linalg.matmul indexing_maps = [#mk, #nk, #mn] ins(%a, %bt : memref<2x4xbf16>, memref<3x4xbf16>) outs(%d2 : memref<2x3xf32>)
  %p2 = memref.cast %d2 : memref<2x3xf32> to memref<*xf32>
  call @printMemrefF32(%p2) : (memref<*xf32>) -> ()

  // Both transposed.
  // CHECK: {{\[\[}}{{ *}}8, {{ *}}-12, {{ *}}3]
  // CHECK-NEXT: [{{ *}}6, {{ *}}6, {{ *}}-9]
  %d3 = memref.alloc() : memref<2x3xf32>
  memref.copy %initial, %d3 : memref<2x3xf32> to memref<2x3xf32>
  linalg.matmul indexing_maps = [#km, #nk, #mn] ins(%at, %bt : memref<4x2xbf16>, memref<3x4xbf16>) outs(%d3 : memref<2x3xf32>)
  %p3 = memref.cast %d3 : memref<2x3xf32> to memref<*xf32>
  call @printMemrefF32(%p3) : (memref<*xf32>) -> ()

  // D transposed.
  // CHECK: {{\[\[}}{{ *}}8, {{ *}}6]
  // CHECK-NEXT: [{{ *}}-12, {{ *}}6]
  // CHECK-NEXT: [{{ *}}3, {{ *}}-9]
  %d4 = memref.alloc() : memref<3x2xf32>
  memref.copy %initial_transposed, %d4 : memref<3x2xf32> to memref<3x2xf32>
  linalg.contract indexing_maps = [#mk, #kn, #nm] ins(%a, %b : memref<2x4xbf16>, memref<4x3xbf16>) outs(%d4 : memref<3x2xf32>)
  %p4 = memref.cast %d4 : memref<3x2xf32> to memref<*xf32>
  call @printMemrefF32(%p4) : (memref<*xf32>) -> ()

  // All transposed.
  // CHECK: {{\[\[}}{{ *}}8, {{ *}}6]
  // CHECK-NEXT: [{{ *}}-12, {{ *}}6]
  // CHECK-NEXT: [{{ *}}3, {{ *}}-9]
  %d5 = memref.alloc() : memref<3x2xf32>
  memref.copy %initial_transposed, %d5 : memref<3x2xf32> to memref<3x2xf32>
  linalg.contract indexing_maps = [#km, #nk, #nm] ins(%at, %bt : memref<4x2xbf16>, memref<3x4xbf16>) outs(%d5 : memref<3x2xf32>)
  %p5 = memref.cast %d5 : memref<3x2xf32> to memref<*xf32>
  call @printMemrefF32(%p5) : (memref<*xf32>) -> ()

  // Loops and inputs in another order.
  // CHECK: {{\[\[}}{{ *}}8, {{ *}}-12, {{ *}}3]
  // CHECK-NEXT: [{{ *}}6, {{ *}}6, {{ *}}-9]
  %d6 = memref.alloc() : memref<2x3xf32>
  memref.copy %initial, %d6 : memref<2x3xf32> to memref<2x3xf32>
  linalg.generic {indexing_maps = [affine_map<(k, n, m) -> (n, k)>, affine_map<(k, n, m) -> (k, m)>, affine_map<(k, n, m) -> (m, n)>],
                  iterator_types = ["reduction", "parallel", "parallel"]}
    ins(%bt, %at : memref<3x4xbf16>, memref<4x2xbf16>) outs(%d6 : memref<2x3xf32>) {
  ^bb0(%x: bf16, %y: bf16, %z: f32):
    %xf = arith.extf %x : bf16 to f32
    %yf = arith.extf %y : bf16 to f32
    %xy = arith.mulf %yf, %xf : f32
    %s = arith.addf %xy, %z : f32
    linalg.yield %s : f32
  }
  %p6 = memref.cast %d6 : memref<2x3xf32> to memref<*xf32>
  call @printMemrefF32(%p6) : (memref<*xf32>) -> ()
  return
}
