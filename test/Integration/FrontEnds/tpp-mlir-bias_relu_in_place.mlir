#map = affine_map<(d0, d1) -> (d1)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @entry(%arg0: memref<31x29xbf16>, %arg1: memref<29x27xbf16>, %arg2: memref<27xf32>, %arg3: memref<31x27xf32>) {
    %cst = arith.constant 0.000000e+00 : f32
    linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg2 : memref<27xf32>) outs(%arg3 : memref<31x27xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    }
    linalg.matmul ins(%arg0, %arg1 : memref<31x29xbf16>, memref<29x27xbf16>) outs(%arg3 : memref<31x27xf32>)
    linalg.generic {indexing_maps = [#map1], iterator_types = ["parallel", "parallel"]} outs(%arg3 : memref<31x27xf32>) {
    ^bb0(%out: f32):
      %0 = arith.maximumf %out, %cst : f32
      linalg.yield %0 : f32
    }
    return
  }
}
