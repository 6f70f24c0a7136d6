// RUN: tc-opt %s -tmm-tile=chip=sm_90a -verify-diagnostics

func.func @unit(%a: memref<256x256xf8E4M3FN>, %s: memref<2x2x32x4x4xf8E8M0FNU>, %d: memref<256x256xf32>) {
  // expected-error @below {{expected operands without scale factors on sm_90a, whose matrix unit takes none}}
  tmm.matmul transpose_b config <tile = <shape = 128x128x128>, ring = <stages = 2, swizzle = 128B>, epilogue = <kind = direct, subtile = 32>, roles = <kind = specialized>>
    ins(%a, %a : memref<256x256xf8E4M3FN>, memref<256x256xf8E4M3FN>) scales(%s, %s : memref<2x2x32x4x4xf8E8M0FNU>, memref<2x2x32x4x4xf8E8M0FNU>)
    outs(%d : memref<256x256xf32>)
  return
}
