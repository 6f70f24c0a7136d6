// RUN: not tc-opt --tmm-choose-config="config='tiles=1x2x3'" %s 2>&1 | FileCheck %s --check-prefix=E0
// RUN: not tc-opt --tmm-choose-config="config='stages=1 stages=2'" %s 2>&1 | FileCheck %s --check-prefix=E1
// RUN: not tc-opt --tmm-choose-config="config='tile=128xNx64'" %s 2>&1 | FileCheck %s --check-prefix=E2
// RUN: not tc-opt --tmm-choose-config="config='tile=128x64'" %s 2>&1 | FileCheck %s --check-prefix=E3
// RUN: not tc-opt --tmm-choose-config="config='stages=two'" %s 2>&1 | FileCheck %s --check-prefix=E4
// RUN: not tc-opt --tmm-choose-config="config='swizzle=wide'" %s 2>&1 | FileCheck %s --check-prefix=E5
// RUN: not tc-opt --tmm-choose-config="config='swizzle=16B'" %s 2>&1 | FileCheck %s --check-prefix=E6
// RUN: not tc-opt --tmm-choose-config="config='scheduler=dynamic'" %s 2>&1 | FileCheck %s --check-prefix=E7
// RUN: not tc-opt --tmm-choose-config="config='cache-hint-a=evict-never'" %s 2>&1 | FileCheck %s --check-prefix=E8
// RUN: not tc-opt --tmm-choose-config="config='epilogue=tma_store'" %s 2>&1 | FileCheck %s --check-prefix=E9
// RUN: not tc-opt --tmm-choose-config="config='stages=1 cta_group=1'" %s 2>&1 | FileCheck %s --check-prefix=E10
// RUN: not tc-opt --tmm-choose-config="config='tile'" %s 2>&1 | FileCheck %s --check-prefix=E11
// RUN: not tc-opt --tmm-choose-config="chip=sm_103a" %s 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: tc-opt --mlir-print-local-scope --tmm-choose-config="chip=sm_90a" %s | FileCheck %s --check-prefix=WGMMA
// RUN: not tc-opt --tmm-choose-config="chip=sm_90a config=cta-group=2" %s 2>&1 | FileCheck %s --check-prefix=PAIR
// RUN: not tc-opt --tmm-choose-config="chip=sm_90a config=accumulator-stages=2" %s 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: not tc-opt --tmm-choose-config="chip=sm_90a config=tile=96x64x64" %s 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not tc-opt --tmm-choose-config="chip=sm_90a config=tile=256x256x64" %s 2>&1 | FileCheck %s --check-prefix=REGISTERS
// RUN: not tc-opt --tmm-choose-config="chip=sm_90a config='tile=128x256x64 stages=2 load-a=threads'" %s 2>&1 | FileCheck %s --check-prefix=WARPS
// RUN: not tc-opt --tmm-choose-config="chip=sm_90a config=roles=none" %s 2>&1 | FileCheck %s --check-prefix=ROLES
// RUN: not tc-opt --tmm-choose-config="chip=sm_90a config='tile=128x256x64 stages=2 roles=ping-pong'" %s 2>&1 | FileCheck %s --check-prefix=HELD
// RUN: not tc-opt --tmm-choose-config="config=roles=ping-pong" %s 2>&1 | FileCheck %s --check-prefix=TURNS
// RUN: tc-opt --mlir-print-local-scope --tmm-choose-config="chip=sm_90a config=epilogue-registers=160" %s | FileCheck %s --check-prefix=MOVED
// RUN: not tc-opt --tmm-choose-config="chip=sm_90a config=scheduler=clc" %s 2>&1 | FileCheck %s --check-prefix=CLC
// RUN: not tc-opt --tmm-choose-config="config=unit=wgmma" %s 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: tc-opt --mlir-print-local-scope --tmm-choose-config="config='roles=none stages=2 swizzle=128B scheduler=static cluster=1x1 cta-group=1'" %s | FileCheck %s

// E0: <--config>:1:1: error: unknown configuration field 'tiles': expected one of tile, unit, cta-group, cluster, stages, scale-stages, swizzle, load-a, load-b, cache-hint-a, cache-hint-b, late-release, split-ring, accumulator-stages, scheduler, raster, sms, pdl, split-k, epilogue, epilogue-subtile, store-stages, roles, epilogue-registers
// E1: <--config>:1:10: error: configuration field 'stages' given twice
// E2: <--config>:1:6: error: tile: expected 3 numbers with 'x' between them (M, N, K), got '128xNx64'
// E3: <--config>:1:6: error: tile: expected 3 numbers with 'x' between them (M, N, K), got '128x64'
// E4: <--config>:1:8: error: stages: expected a number, got 'two'
// E5: <--config>:1:9: error: swizzle: expected 128B, 64B, 32B or none, got 'wide'
// E6: <--config>:1:9: error: swizzle: expected 128B, 64B, 32B or none, got 16B
// E7: <--config>:1:11: error: scheduler: expected static, clc or counter, got 'dynamic'
// E8: <--config>:1:14: error: cache-hint-a: expected none, evict-normal, evict-first or evict-last, got 'evict-never'
// E9: <--config>:1:10: error: epilogue: expected 'tma-store' with dashes, got 'tma_store'
// E10: <--config>:1:10: error: unknown configuration field 'cta_group': expected 'cta-group' with dashes
// E11: <--config>:1:1: error: tile: expected 3 numbers with 'x' between them (M, N, K), got ''
// CHIP: error: chip option: expected a chip with a known matrix unit and number of multiprocessors, got 'sm_103a'; known are sm_100a, sm_100f, sm_90a, sm_120a, sm_121a
// WGMMA: config <tile = <shape = 128x256x64, unit = wgmma, cta_group = 1, cluster = 2x1>, ring = <stages = 4, {{.*}}late_release = on>, accumulators = <stages = 1>, {{.*}}sms = 132, {{.*}}epilogue = <kind = tma_store, subtile = 32, stages = 2>
// PAIR: error: 'tmm.matmul' op configuration: cta-group of 2: expected 1, no instruction of wgmma spans more CTAs
// TWO: error: 'tmm.matmul' op configuration: accumulator-stages of 2: expected 1, as the accumulator is in the registers of the MMA warps
// ROWS: error: 'tmm.matmul' op configuration: tile M of 96: expected 64, 128, 192 or 256, 64 rows for each warpgroup, nearest 64
// REGISTERS: error: 'tmm.matmul' op configuration: expected at most 96 registers for each of 544 threads, got about 155 (128 of them for the accumulator); choose a smaller tile M or tile N
// 13 warps take the registers of 16: every fourth warp has a quarter of them.
// WARPS: error: 'tmm.matmul' op configuration: expected at most 128 registers for each of 416 threads, got about 155 (128 of them for the accumulator); choose a smaller tile M or tile N
// ROLES: error: 'tmm.matmul' op configuration: roles of none: expected specialized or ping-pong, nothing lowers it for wgmma
// HELD: error: 'tmm.matmul' op configuration: expected at most 168 registers for each of 288 threads, got about 283 (256 of them for the accumulator, of which each of those that take turns has one); choose roles=specialized, or a smaller tile M or tile N
// TURNS: error: 'tmm.matmul' op configuration: roles of ping-pong: expected none or specialized, nothing lowers it for tcgen05
// MOVED: config <tile = <shape = 128x256x64, unit = wgmma, {{.*}}epilogue_registers = 160
// CLC: error: 'tmm.matmul' op configuration: scheduler of clc: expected static, the chip has no cluster launch control
// OTHER: error: 'tmm.matmul' op configuration: unit of wgmma: expected tcgen05 or mma-sync, what the chip has

// CHECK: config <tile = <shape = 128x256x64, unit = tcgen05, cta_group = 1, cluster = 1x1>, ring = <stages = 2,
func.func @f(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  tmm.matmul ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}
