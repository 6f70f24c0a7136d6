// RUN: tc-opt %s -tmm-choose-config=chip=sm_100a -tmm-tile=chip=sm_100a | FileCheck %s --check-prefix=SM100
// RUN: tc-opt %s -tmm-choose-config=chip=sm_120a -tmm-tile=chip=sm_120a | FileCheck %s --check-prefix=SM120
// RUN: tc-opt %s -tmm-choose-config=chip=sm_120a -tmm-tile="chip=sm_120a features=+ptx90" | FileCheck %s --check-prefix=NEWER

// The PTX version is the least one that has the chip, or the one that is asked for.

// SM100: gpu.module @kernels [#nvvm.target<chip = "sm_100a", features = "+ptx86">]
// SM120: gpu.module @kernels [#nvvm.target<chip = "sm_120a", features = "+ptx87">]
// NEWER: gpu.module @kernels [#nvvm.target<chip = "sm_120a", features = "+ptx90">]

func.func @f(%a: memref<256x128xbf16>, %b: memref<128x192xbf16>, %d: memref<256x192xf32>) {
  tmm.matmul ins(%a, %b : memref<256x128xbf16>, memref<128x192xbf16>) outs(%d : memref<256x192xf32>)
  return
}
