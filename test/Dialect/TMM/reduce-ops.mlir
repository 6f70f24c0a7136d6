// RUN: tc-opt %s --mlir-print-local-scope | tc-opt --mlir-print-local-scope | FileCheck %s

#rows = #tmm.thread_rows<threads = 32, chunk = 4, rows = 2>

// CHECK-LABEL: func.func @tiles(
func.func @tiles(%x: vector<16x256xf32>, %n: vector<16x256xi64>, %at: i32) {
  // CHECK: %[[SUM:.*]] = tmm.reduce <add> %{{.*}} layout(#tmm.thread_rows<threads = 32, chunk = 4, rows = 2>) : vector<16x256xf32> -> vector<16x1xf32>
  %s = tmm.reduce <add> %x layout(#rows) : vector<16x256xf32> -> vector<16x1xf32>
  // CHECK: tmm.reduce <minui> %{{.*}} layout({{.*}}) : vector<16x256xi64> -> vector<16x1xi64>
  %m = tmm.reduce <minui> %n layout(#rows) : vector<16x256xi64> -> vector<16x1xi64>
  // CHECK: tmm.broadcast %[[SUM]] layout(#tmm.thread_rows<threads = 32, chunk = 4, rows = 2>) : vector<16x1xf32> -> vector<16x256xf32>
  %b = tmm.broadcast %s layout(#rows) : vector<16x1xf32> -> vector<16x256xf32>
  // CHECK: tmm.positions %{{.*}} along n layout(#tmm.thread_rows<threads = 32, chunk = 4, rows = 2>) : vector<16x256xindex>
  %c = tmm.positions %at along n layout(#rows) : vector<16x256xindex>
  // CHECK: tmm.positions %{{.*}} along m layout(#tmm.row_values<#tmm.thread_rows<threads = 32, chunk = 4, rows = 2>, columns = 256>) : vector<16x1xindex>
  %r = tmm.positions %at along m layout(#tmm.row_values<#rows, columns = 256>) : vector<16x1xindex>
  return
}

// CHECK-LABEL: func.func @transpose(
func.func @transpose(%x: vector<64x32xbf16>) -> vector<32x64xbf16> {
  // CHECK: tmm.transpose %{{.*}} layout(#tmm.thread_rows<threads = 4, chunk = 8, rows = 1>) : vector<64x32xbf16> -> vector<32x64xbf16>
  %t = tmm.transpose %x layout(#tmm.thread_rows<threads = 4, chunk = 8, rows = 1>) : vector<64x32xbf16> -> vector<32x64xbf16>
  return %t : vector<32x64xbf16>
}

// CHECK-LABEL: func.func @crop(
func.func @crop(%x: vector<64x32xf32>, %row: i32, %m: i32) -> vector<64x32xf32> {
  // CHECK: tmm.crop %{{.*}}[%{{.*}}, %{{.*}}] to[%{{.*}}, %{{.*}}] fill 0xFF800000 : f32 : vector<64x32xf32>
  %c = tmm.crop %x[%row, %row] to [%m, %m] fill 0xFF800000 : f32 : vector<64x32xf32>
  return %c : vector<64x32xf32>
}
