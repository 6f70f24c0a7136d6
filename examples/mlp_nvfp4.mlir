// Two layers in nvfp4: the input is quantised, and the epilogue of the first layer, a
// gelu, writes A of the second one, elements and scale factors. The factor of a whole tensor is a
// multiplication: input is that of X, alpha1 undoes those of X and W1 and hidden is
// that of H, alpha2 undoes those of H and W2.
func.func @mlp(%in: memref<200x256xbf16>, %x: memref<200x256xf4E2M1FN>, %sx: memref<2x4x32x4x4xf8E4M3FN>,
               %w1: memref<320x256xf4E2M1FN>, %sw1: memref<3x4x32x4x4xf8E4M3FN>,
               %w2: memref<136x320xf4E2M1FN>, %sw2: memref<2x5x32x4x4xf8E4M3FN>,
               %h: memref<200x320xf4E2M1FN>, %sh: memref<2x5x32x4x4xf8E4M3FN>,
               %d: memref<200x136xbf16>, %input: f32, %alpha1: f32, %hidden: f32, %alpha2: f32) {
  tmm.encode ins(%in : memref<200x256xbf16>) factor(%input) outs(%x : memref<200x256xf4E2M1FN>)
      scale_d(%sx : memref<2x4x32x4x4xf8E4M3FN>)
  tmm.matmul transpose_b ins(%x, %w1 : memref<200x256xf4E2M1FN>, memref<320x256xf4E2M1FN>)
      scales(%sx, %sw1 : memref<2x4x32x4x4xf8E4M3FN>, memref<3x4x32x4x4xf8E4M3FN>)
      outs(%h : memref<200x320xf4E2M1FN>) scale_d(%sh : memref<2x5x32x4x4xf8E4M3FN>)
      epilogue(%acc, %a = %alpha1 : f32, %g = %hidden : f32) {
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %root = arith.constant 0.797884561 : f32
    %cubic = arith.constant 4.471500e-02 : f32
    %z = arith.mulf %acc, %a : f32
    %square = arith.mulf %z, %z : f32
    %cube = arith.mulf %square, %z : f32
    %small = arith.mulf %cube, %cubic : f32
    %inner = arith.addf %z, %small : f32
    %scaled = arith.mulf %inner, %root : f32
    %tanh = math.tanh %scaled : f32
    %sum = arith.addf %tanh, %one : f32
    %part = arith.mulf %z, %half : f32
    %gelu = arith.mulf %part, %sum : f32
    %y = arith.mulf %gelu, %g : f32
    tmm.yield %y : f32
  }
  tmm.matmul transpose_b ins(%h, %w2 : memref<200x320xf4E2M1FN>, memref<136x320xf4E2M1FN>)
      scales(%sh, %sw2 : memref<2x5x32x4x4xf8E4M3FN>, memref<2x5x32x4x4xf8E4M3FN>)
      outs(%d : memref<200x136xbf16>) epilogue(%acc, %a = %alpha2 : f32) {
    %z = arith.mulf %acc, %a : f32
    %y = arith.truncf %z : f32 to bf16
    tmm.yield %y : bf16
  }
  return
}
