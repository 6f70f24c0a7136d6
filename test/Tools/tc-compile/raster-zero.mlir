// raster=0 takes all rows of tiles, with sizes that are known in the run alone, too.
// RUN: tc-compile %s --chip=sm_90a --config=raster=0 -o - | FileCheck %s
// RUN: tc-compile %s --chip=sm_100a --config=raster=0 -o - | FileCheck %s
// CHECK: .visible .entry mm_matmul(
func.func @mm(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  linalg.matmul ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}
