// RUN: not tc-opt --tmm-choose-config="config='tiles=1x2x3'" %s 2>&1 | FileCheck %s --check-prefix=E0
// RUN: not tc-opt --tmm-choose-config="config='stages=1 stages=2'" %s 2>&1 | FileCheck %s --check-prefix=E1
// RUN: not tc-opt --tmm-choose-config="config='tile=128xNx64'" %s 2>&1 | FileCheck %s --check-prefix=E2
// RUN: not tc-opt --tmm-choose-config="config='tile=128x64'" %s 2>&1 | FileCheck %s --check-prefix=E3
// RUN: not tc-opt --tmm-choose-config="config='stages=two'" %s 2>&1 | FileCheck %s --check-prefix=E4
// RUN: not tc-opt --tmm-choose-config="config='swizzle=wide'" %s 2>&1 | FileCheck %s --check-prefix=E5
// RUN: not tc-opt --tmm-choose-config="config='swizzle=16B'" %s 2>&1 | FileCheck %s --check-prefix=E6
// RUN: not tc-opt --tmm-choose-config="config='scheduler=dynamic'" %s 2>&1 | FileCheck %s --check-prefix=E7
// RUN: not tc-opt --tmm-choose-config="config='cache-hint-a=evict-never'" %s 2>&1 | FileCheck %s --check-prefix=E8
// RUN: not tc-opt --tmm-choose-config="chip=sm_120a" %s 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not tc-opt --tmm-choose-config="chip=sm_90a" %s 2>&1 | FileCheck %s --check-prefix=UNIT
// RUN: not tc-opt --tmm-choose-config="config=unit=wgmma" %s 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: tc-opt --tmm-choose-config="config='roles=none stages=2 swizzle=128B scheduler=static cluster=1x1 cta_group=1'" %s | FileCheck %s

// E0: error: configuration option: unknown configuration field 'tiles': expected one of tile, unit, cta-group, cluster, stages, scale-stages, swizzle, cache-hint-a, cache-hint-b, accumulator-stages, scheduler, raster, sms, pdl, epilogue, epilogue-subtile, store-stages, roles, epilogue-registers
// E1: error: configuration option: configuration field 'stages' given twice
// E2: error: configuration option: tile: expected 3 numbers with 'x' between them (M, N, K), got '128xNx64'
// E3: error: configuration option: tile: expected 3 numbers with 'x' between them (M, N, K), got '128x64'
// E4: error: configuration option: stages: expected a number, got 'two'
// E5: error: configuration option: swizzle: expected 128B, 64B, 32B or none, got 'wide'
// E6: error: configuration option: swizzle: expected 128B, 64B, 32B or none, got 16B
// E7: error: configuration option: scheduler: expected static or clc, got 'dynamic'
// E8: error: configuration option: cache-hint-a: expected none, evict-normal, evict-first or evict-last, got 'evict-never'
// CHIP: error: chip option: expected a chip with a known matrix unit and number of multiprocessors, got 'sm_120a'; known are sm_100a, sm_100f, sm_90a
// UNIT: error: 'tmm.matmul' op configuration: unit of wgmma: expected a unit that kernels are lowered for, tcgen05
// OTHER: error: 'tmm.matmul' op configuration: unit of wgmma: expected tcgen05, what the chip has

// CHECK: config <tile = <shape = 128x256x64, unit = tcgen05, cta_group = 1, cluster = 1x1>, ring = <stages = 2,
func.func @f(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  tmm.matmul ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}
