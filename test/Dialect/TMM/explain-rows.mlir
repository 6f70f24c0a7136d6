// RUN: tc-opt %s --tmm-explain-config=chip=sm_90a 2>&1 | FileCheck %s
// RUN: tc-opt %s --tmm-explain-config="chip=sm_90a format=json" 2>&1 | FileCheck %s --check-prefix=JSON
// RUN: tc-opt %s --tmm-explain-config=chip=sm_90a 2>/dev/null | FileCheck %s --check-prefix=IR

#e = affine_map<(r, c) -> (r, c)>
#s = affine_map<(r, c) -> (r)>
#t = affine_map<(r, c) -> (c, r)>

// Nothing is left of what was asked.
// IR-LABEL: func.func @sums
// IR-NEXT: tmm.rows
// IR-LABEL: func.func @turned

// CHECK: remark: one kernel for 8192 rows of 4096 columns, 1 reductions along them
// CHECK-NEXT: a CTA of 256 threads has 1 x 4096 elements, a thread accesses of 4
// CHECK-NEXT: rows are in registers from the first access on
// CHECK-NEXT: bound by memory: 134217728 bytes of operands are read, 32768 written
// JSON: "bytes_read": 134217728
// JSON: "bytes_written": 32768
// JSON: "family": "rows"
// JSON: "reductions": 1
// JSON: "threads": 256
func.func @sums(%x: memref<8192x4096xf32>, %o: memref<8192xf32>) {
  tmm.rows ins(%x : memref<8192x4096xf32>) outs(%o : memref<8192xf32>) maps [#e, #s] {
  ^bb0(%in: f32):
    %sum = tmm.row_reduce <add> %in : f32
    tmm.yield %sum : f32
  }
  return
}

// CHECK: remark: one kernel for ? rows of 512 columns, 0 reductions along them
// CHECK: rows are squares, turned in shared memory where an operand has rows and columns exchanged
func.func @turned(%x: memref<512x?xf32>, %o: memref<?x512xf32>) {
  tmm.rows ins(%x : memref<512x?xf32>) outs(%o : memref<?x512xf32>) maps [#t, #e] {
  ^bb0(%in: f32):
    tmm.yield %in : f32
  }
  return
}

// CHECK: remark: one kernel: a CTA has 128 queries of 64 columns, 128 for each role that stores
// CHECK-NEXT: {{[0-9]}} blocks of {{[0-9]+}} keys are loaded or read at a time; scores, weights and 64 columns of output are in registers
// CHECK-NEXT: threads have 240 registers where they store, 24 elsewhere
// CHECK-NEXT: rows see different numbers of keys: CTAs count the tiles that are left
// JSON: "family": "attention"
// JSON: "registers": [
func.func @attention(%q: memref<8x2048x64xbf16>, %o: memref<8x2048x64xbf16>) {
  tmm.attention %q, %q, %q scale(1.0) diagonal(0) outs(%o : memref<8x2048x64xbf16>) : memref<8x2048x64xbf16>, memref<8x2048x64xbf16>, memref<8x2048x64xbf16>
  return
}

// CHECK: remark: one kernel for 64 rows of ? columns, 2 reductions along them
// CHECK: rows are read tile by tile: too long for registers, or of a length that is not known; each reduction that needs another one reads them again
func.func @dynamic(%x: memref<64x?xf32>, %o: memref<64xf32>) {
  tmm.rows ins(%x : memref<64x?xf32>) outs(%o : memref<64xf32>) maps [#e, #s] {
  ^bb0(%in: f32):
    %max = tmm.row_reduce <maximumf> %in : f32
    %d = arith.subf %in, %max : f32
    %sum = tmm.row_reduce <add> %d : f32
    tmm.yield %sum : f32
  }
  return
}

// CHECK: remark: one kernel for 64 rows of 32768 columns, 2 reductions along them
// CHECK: rows are read again by each reduction, from the L1 cache, so that two CTAs share a multiprocessor
func.func @again(%x: memref<64x32768xbf16>, %o: memref<64xf32>) {
  tmm.rows ins(%x : memref<64x32768xbf16>) outs(%o : memref<64xf32>) maps [#e, #s] {
  ^bb0(%in: bf16):
    %wide = arith.extf %in : bf16 to f32
    %max = tmm.row_reduce <maximumf> %wide : f32
    %d = arith.subf %wide, %max : f32
    %sum = tmm.row_reduce <add> %d : f32
    tmm.yield %sum : f32
  }
  return
}
