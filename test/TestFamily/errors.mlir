// REQUIRES: test-lib
// RUN: split-file %s %t
// RUN: tc-opt %t/extents.mlir -split-input-file -verify-diagnostics
// RUN: tc-opt %t/chip.mlir -tmm-tile=chip=foo -verify-diagnostics
// RUN: tc-opt %t/pass.mlir -tmm-tile=chip=sm_90a -canonicalize | FileCheck %s
// RUN: not tc-compile-test %t/pass.mlir --chip=sm_90a -o %t.ptx 2>&1 | FileCheck %s --check-prefix=PASS

// CHECK: cf.assert %{{.*}}, "sums must have the rows of x"
// CHECK: cf.assert %{{.*}}, "x must have columns"
// PASS: pass.mlir:2:3: error: 'test_family.row_sum' op expected -test-lower-row-sums before convert-tmm-tiles, got none

//--- extents.mlir
func.func @no_rows(%x: memref<0x32xf32>, %sums: memref<0x1xf32>) {
  // expected-error @below {{expected extents of at least 1, got 'memref<0x32xf32>'}}
  test_family.row_sum %x, %sums : memref<0x32xf32>, memref<0x1xf32>
  return
}

// -----

func.func @no_columns(%x: memref<?x0xf32>, %sums: memref<?x1xf32>) {
  // expected-error @below {{expected extents of at least 1, got 'memref<?x0xf32>'}}
  test_family.row_sum %x, %sums : memref<?x0xf32>, memref<?x1xf32>
  return
}

//--- chip.mlir
func.func @host(%x: memref<?x?xf32>, %sums: memref<?x1xf32>) {
  // expected-error @below {{expected a chip with TMA, such as sm_90a, got 'foo'}}
  test_family.row_sum %x, %sums : memref<?x?xf32>, memref<?x1xf32>
  return
}

//--- pass.mlir
func.func @host(%x: memref<?x?xf32>, %sums: memref<?x1xf32>) {
  test_family.row_sum %x, %sums : memref<?x?xf32>, memref<?x1xf32>
  return
}
