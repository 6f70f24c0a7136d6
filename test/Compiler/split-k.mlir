// Two launches and two problems; the whole product names the buffers, with sizes that are known at run time too.
// RUN: tc-compile %s -o %t.ptx --chip=sm_100a
// RUN: FileCheck %s --input-file=%t.json
// RUN: tc-run %t.ptx --function=f --size M=70,N=88 --check --races=strict --schedule=eager,lazy | FileCheck %s --check-prefix=EMULATOR
// RUN: tc-run %t.ptx --function=f --size M=0,N=88 --check --races=strict --schedule=eager
// RUN: tc-run %t.ptx --function=g --size M=70 --check --races=strict --schedule=eager,lazy
// RUN: not tc-compile %s -o %t.ptx --chip=sm_100a --config="split-k=3" 2>&1 | FileCheck %s --check-prefix=ERROR

// CHECK: "sizes": [
// CHECK-NEXT: "M",
// CHECK-NEXT: "N"
// CHECK: "arguments": [
// CHECK-NEXT: "A",
// CHECK-NEXT: "B",
// CHECK-NEXT: "D",
// CHECK: "temp0": {
// CHECK: "formula": "temp0 = A * B"
// CHECK: "launch": 0
// CHECK: "formula": "D = epilogue(A * B)"
// CHECK: "launch": 1
// EMULATOR: check temp0 = A * B: batch=4 M=70 N=88 K=128
// EMULATOR: check D = epilogue(A * B): M=70 N=88 K=512
// ERROR: configuration: split-k of 3: expected at most 32 parts of K, 512, each with as many whole K-blocks of 64, nearest 2
func.func @f(%a: memref<?x512xbf16>, %b: memref<512x?xbf16>, %d: memref<?x?xbf16>, %bias: memref<?xf32>) {
  tmm.matmul config <scheduler = <split_k = 4>> ins(%a, %b : memref<?x512xbf16>, memref<512x?xbf16>) outs(%d : memref<?x?xbf16>)
      epilogue(%acc, %x = %bias along n : memref<?xf32>) {
    %0 = arith.addf %acc, %x : f32
    %1 = arith.truncf %0 : f32 to bf16
    tmm.yield %1 : bf16
  }
  return
}

// K of A is known from B.
func.func @g(%a: memref<?x?xbf16>, %b: memref<512x64xbf16>, %d: memref<?x64xbf16>) {
  tmm.matmul config <scheduler = <split_k = 2>> ins(%a, %b : memref<?x?xbf16>, memref<512x64xbf16>) outs(%d : memref<?x64xbf16>)
  return
}
