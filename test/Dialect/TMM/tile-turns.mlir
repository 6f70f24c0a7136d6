// RUN: tc-opt %s --mlir-print-local-scope --split-input-file --tmm-tile=chip=sm_90a 2>%t.err | FileCheck %s; FileCheck %s --check-prefix=ERROR < %t.err

// Two instances of the role that multiplies and stores take turns in the loop over
// tiles; each is one warpgroup, which has all rows of a tile.

// CHECK: gpu.func @f_matmul
// CHECK: tmm.role "consumer" warps(4) turns(2) of "tiles" drives [#sm90.wgmma, #tmm.threads, #sm90.tma_store]
// CHECK: tmm.role "load" warps(1) drives [#sm90.tma]
// CHECK-NOT: tmm.role
// CHECK: tmm.loop "tiles"
// CHECK: tmm.mma {{.*}} layout(#sm90.wgmma_layout<128>)
func.func @f(%a: memref<256x256xbf16>, %b: memref<256x256xbf16>, %d: memref<256x256xbf16>) {
  tmm.matmul transpose_b config <tile = <shape = 128x128x64>, ring = <stages = 3, swizzle = 128B>, epilogue = <kind = tma_store, subtile = 64, stages = 2>, roles = <kind = ping_pong>>
    ins(%a, %b : memref<256x256xbf16>, memref<256x256xbf16>) outs(%d : memref<256x256xbf16>)
  return
}

// -----

// Where registers move, warps without work complete the warpgroup of the loads,
// after those of both instances.

// CHECK: gpu.func @g_matmul
// CHECK: tmm.role "consumer" warps(4) turns(2) of "tiles" registers(208)
// CHECK: tmm.role "load" warps(1) registers(56)
// CHECK: tmm.role "idle" warps(3) registers(56)
// CHECK: layout(#sm90.wgmma_layout)
func.func @g(%a: memref<256x256xbf16>, %b: memref<256x256xbf16>, %d: memref<256x256xbf16>) {
  tmm.matmul transpose_b config <tile = <shape = 64x256x64>, ring = <stages = 3, swizzle = 128B>, epilogue = <kind = direct, subtile = 64>, roles = <kind = ping_pong, epilogue_registers = 208>>
    ins(%a, %b : memref<256x256xbf16>, memref<256x256xbf16>) outs(%d : memref<256x256xbf16>)
  return
}

// -----

// A warpgroup has as many rows as it can hold.

func.func @h(%a: memref<512x256xbf16>, %b: memref<256x256xbf16>, %d: memref<512x256xbf16>) {
  // ERROR: error: 'tmm.matmul' op expected a tile M that is a multiple of 64 up to 256, which a warpgroup holds in a turn, got 512
  tmm.matmul transpose_b config <tile = <shape = 512x8x64>, ring = <stages = 3, swizzle = 128B>, epilogue = <kind = direct, subtile = 8>, roles = <kind = ping_pong>>
    ins(%a, %b : memref<512x256xbf16>, memref<256x256xbf16>) outs(%d : memref<512x256xbf16>)
  return
}
