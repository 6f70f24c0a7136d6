// RUN: tc-compile %s -o %t.ptx
// RUN: FileCheck %s --input-file=%t.json
// RUN: tc-run %t.ptx --check --function torch.main | FileCheck %s --check-prefix=MAIN
// RUN: tc-run %t.ptx --check --function other | FileCheck %s --check-prefix=OTHER
// RUN: not tc-run %t.ptx --check 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not tc-run %t.ptx --check --function matmul 2>&1 | FileCheck %s --check-prefix=WRONG

// What a function reads and returns besides its arguments, an argument whose
// first element is not at its base, names that PTX does not have, and two
// functions with one file.

// CHECK:      "version": 1,
// CHECK-NEXT: "functions": [
// CHECK:      "function": "torch.main",
// CHECK:      "arguments": [
// CHECK-NEXT:   "arg0"
// CHECK-NEXT: ],
// CHECK-NEXT: "results": [
// CHECK-NEXT:   {
// CHECK-NEXT:     "buffer": "D"
// CHECK-NEXT:   },
// CHECK-NEXT:   {
// CHECK-NEXT:     "buffer": "D",
// CHECK-NEXT:     "offset": 1,
// CHECK-NEXT:     "shape": [
// CHECK-NEXT:       40
// CHECK-NEXT:     ],
// CHECK-NEXT:     "strides": [
// CHECK-NEXT:       8
// CHECK-NEXT:     ]
// CHECK-NEXT:   }
// CHECK-NEXT: ],
// CHECK:      "buffers": {
// CHECK:        "arg0": {
// CHECK:          "strides": [
// CHECK-NEXT:       24,
// CHECK-NEXT:       1
// CHECK-NEXT:     ],
// CHECK-NEXT:     "offset": 3,
// CHECK-NEXT:     "role": "in"
// CHECK:        "D": {
// CHECK:          "role": "out"
// CHECK:        "B": {
// CHECK:          "role": "in",
// CHECK-NEXT:     "fill": "c03f"
// CHECK:        "const{{.}}": {
// CHECK-NEXT:     "dtype": "f32",
// CHECK:          "role": "in",
// CHECK-NEXT:     "bytes": "0000803f000000c00000003f000080bf0000803e0000803f0000803f00000040"
// CHECK:      "entry": "torch_main_generic"
// CHECK:      "entry": "torch_main_matmul"
// CHECK:      "pointer": "arg0",
// CHECK-NEXT: "offset": -12
// CHECK:      "function": "other",
// CHECK:      "entry": "other_matmul"

// MAIN: check D = epilogue(A * B): M=40 N=8 K=24
// OTHER: check D = A * B + D: M=64 N=64 K=64
// NONE: tc-run: error: {{.*}}.json: functions: expected the name of a function, one of: 'torch.main', 'other', got none
// WRONG: tc-run: error: {{.*}}.json: functions: expected a function that is one of: 'torch.main', 'other', got 'matmul'
memref.global "private" constant @weights : memref<24x8xbf16> = dense<1.5>
memref.global "private" constant @bias : memref<8xf32> = dense<[1.0, -2.0, 0.5, -1.0, 0.25, 1.0, 1.0, 2.0]>
func.func @torch.main(%a: memref<40x24xf32, strided<[24, 1], offset: 3>>) -> (memref<40x8xf32>, memref<40xf32, strided<[8], offset: 1>>) {
  %zero = arith.constant 0.0 : f32
  %b = memref.get_global @weights : memref<24x8xbf16>
  %bias = memref.get_global @bias : memref<8xf32>
  %narrow = memref.alloc() : memref<40x24xbf16>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<40x24xf32, strided<[24, 1], offset: 3>>) outs(%narrow : memref<40x24xbf16>) {
  ^bb0(%x: f32, %o: bf16):
    %t = arith.truncf %x : f32 to bf16
    linalg.yield %t : bf16
  }
  %d = memref.alloc() : memref<40x8xf32>
  linalg.fill ins(%zero : f32) outs(%d : memref<40x8xf32>)
  linalg.matmul ins(%narrow, %b : memref<40x24xbf16>, memref<24x8xbf16>) outs(%d : memref<40x8xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%bias : memref<8xf32>) outs(%d : memref<40x8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %o, %x : f32
    linalg.yield %s : f32
  }
  %column = memref.subview %d[0, 1] [40, 1] [1, 1] : memref<40x8xf32> to memref<40xf32, strided<[8], offset: 1>>
  return %d, %column : memref<40x8xf32>, memref<40xf32, strided<[8], offset: 1>>
}
func.func @other(%a: memref<64x64xbf16>, %b: memref<64x64xbf16>, %d: memref<64x64xf32>) {
  linalg.matmul ins(%a, %b : memref<64x64xbf16>, memref<64x64xbf16>) outs(%d : memref<64x64xf32>)
  return
}
