// Two layers in fp8. H is scaled by a factor that the caller has from the amax of
// runs before, and this run's amax, of what is not scaled, is one more output. The caller
// sets it to 0 first.
func.func @mlp(%x: memref<200x160xf8E4M3FN>, %w1: memref<272x160xf8E4M3FN>, %bias: memref<272xf32>,
               %w2: memref<136x272xf8E5M2>, %h: memref<200x272xf8E4M3FN>, %amax: memref<f32>,
               %d: memref<200x136xf32>, %alpha1: f32, %hidden: f32, %alpha2: f32) {
  tmm.matmul transpose_b ins(%x, %w1 : memref<200x160xf8E4M3FN>, memref<272x160xf8E4M3FN>)
      outs(%h : memref<200x272xf8E4M3FN>) amax(%amax : memref<f32>)
      epilogue(%acc, %a = %alpha1 : f32, %b = %bias along n : memref<272xf32>, %g = %hidden : f32) {
    %zero = arith.constant 0.0 : f32
    %z = arith.mulf %acc, %a : f32
    %sum = arith.addf %z, %b : f32
    %relu = arith.maximumf %sum, %zero : f32
    %y = arith.mulf %relu, %g : f32
    tmm.yield %y, %relu : f32, f32
  }
  tmm.matmul transpose_b ins(%h, %w2 : memref<200x272xf8E4M3FN>, memref<136x272xf8E5M2>)
      outs(%d : memref<200x136xf32>) epilogue(%acc, %a = %alpha2 : f32) {
    %z = arith.mulf %acc, %a : f32
    tmm.yield %z : f32
  }
  return
}
