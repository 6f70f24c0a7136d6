// What bufferization leaves: memrefs, fill, product, and the bias and
// the activation in place.
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
func.func @main(%a: memref<136x96xf16>, %b: memref<96x72xf16>, %bias: memref<72xf32>, %d: memref<136x72xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%d : memref<136x72xf32>)
  linalg.matmul ins(%a, %b : memref<136x96xf16>, memref<96x72xf16>) outs(%d : memref<136x72xf32>)
  linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%bias : memref<72xf32>) outs(%d : memref<136x72xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    %1 = arith.maximumf %0, %zero : f32
    linalg.yield %1 : f32
  }
  return
}
