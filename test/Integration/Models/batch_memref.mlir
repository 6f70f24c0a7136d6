// Bufferized by another compiler: a batch with dynamic size in memrefs,
// and the residual added in place.
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @main(%a: memref<?x136x64xbf16>, %b: memref<?x64x72xbf16>, %res: memref<?x136x72xbf16>, %d: memref<?x136x72xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%d : memref<?x136x72xf32>)
  linalg.batch_matmul ins(%a, %b : memref<?x136x64xbf16>, memref<?x64x72xbf16>) outs(%d : memref<?x136x72xf32>)
  linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%res : memref<?x136x72xbf16>) outs(%d : memref<?x136x72xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %0 = arith.extf %in : bf16 to f32
    %1 = arith.addf %0, %out : f32
    linalg.yield %1 : f32
  }
  return
}
