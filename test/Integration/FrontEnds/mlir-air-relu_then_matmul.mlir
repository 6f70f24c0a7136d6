#map = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @launch(%arg0: memref<34x46xf32>, %arg1: memref<46x18xbf16>, %arg2: memref<34x18xf32>) {
    %cst = arith.constant 0.000000e+00 : f32
    %alloc = memref.alloc() : memref<34x46xbf16>
    linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : memref<34x46xf32>) outs(%alloc : memref<34x46xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %0 = arith.cmpf ogt, %in, %cst : f32
      %1 = arith.select %0, %in, %cst : f32
      %2 = arith.truncf %1 : f32 to bf16
      linalg.yield %2 : bf16
    }
    linalg.fill ins(%cst : f32) outs(%arg2 : memref<34x18xf32>)
    linalg.matmul ins(%alloc, %arg1 : memref<34x46xbf16>, memref<46x18xbf16>) outs(%arg2 : memref<34x18xf32>)
    memref.dealloc %alloc : memref<34x46xbf16>
    return
  }
}
