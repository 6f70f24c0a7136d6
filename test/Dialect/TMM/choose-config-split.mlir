// RUN: tc-opt %s --mlir-print-local-scope --tmm-choose-config | FileCheck %s
// RUN: tc-opt %s --mlir-print-local-scope --tmm-choose-config="config=split-k=1" | FileCheck %s --check-prefix=ONE
// RUN: tc-opt %s --tmm-explain-config 2>&1 >/dev/null | FileCheck %s --check-prefix=WHY
// RUN: tc-opt %s --tmm-explain-config=format=json 2>&1 >/dev/null | FileCheck %s --check-prefix=JSON

// Eight tiles and a long K.
// CHECK-LABEL: func @few
// CHECK: split_k = 16
// ONE-LABEL: func @few
// ONE: split_k = 1>
// WHY: remark: matmul M = 128, N = 512, K = 16384:
// WHY: split-k=16
// WHY: grid: 128 CTAs on 128 of 148 multiprocessors, 16 x 1 x 8 tiles
// WHY: sum of parts 10,170
// WHY: split-k: 16 parts of 16 K-blocks are a batch, and a second kernel adds their sums; with one part 101,816 cycles predicted
// WHY: candidates, the choice first:
// WHY: 20,082 {{.*}}, split-k 16
// JSON: "split_k": 16
// JSON: "sum_of_parts": 10170
func.func @few(%a: memref<128x16384xbf16>, %b: memref<16384x512xbf16>, %d: memref<128x512xbf16>) {
  tmm.matmul ins(%a, %b : memref<128x16384xbf16>, memref<16384x512xbf16>) outs(%d : memref<128x512xbf16>)
  return
}

// A tile is given, a size is not known, K is short, there are tiles enough, K has no parts.
// CHECK-NOT: split_k
func.func @tile(%a: memref<128x16384xbf16>, %b: memref<16384x512xbf16>, %d: memref<128x512xbf16>) {
  tmm.matmul config <tile = <shape = 128x64x64>> ins(%a, %b : memref<128x16384xbf16>, memref<16384x512xbf16>) outs(%d : memref<128x512xbf16>)
  return
}
func.func @open(%a: memref<?x16384xbf16>, %b: memref<16384x512xbf16>, %d: memref<?x512xbf16>) {
  tmm.matmul ins(%a, %b : memref<?x16384xbf16>, memref<16384x512xbf16>) outs(%d : memref<?x512xbf16>)
  return
}
func.func @short(%a: memref<128x512xbf16>, %b: memref<512x512xbf16>, %d: memref<128x512xbf16>) {
  tmm.matmul ins(%a, %b : memref<128x512xbf16>, memref<512x512xbf16>) outs(%d : memref<128x512xbf16>)
  return
}
func.func @many(%a: memref<4096x16384xbf16>, %b: memref<16384x4096xbf16>, %d: memref<4096x4096xbf16>) {
  tmm.matmul ins(%a, %b : memref<4096x16384xbf16>, memref<16384x4096xbf16>) outs(%d : memref<4096x4096xbf16>)
  return
}
func.func @largest(%a: memref<128x16384xbf16>, %b: memref<16384x512xbf16>, %d: memref<128x512xbf16>, %x: memref<f32>) {
  tmm.matmul ins(%a, %b : memref<128x16384xbf16>, memref<16384x512xbf16>) outs(%d : memref<128x512xbf16>) amax(%x : memref<f32>)
  return
}
