// REQUIRES: test-lib
// RUN: tc-opt %s -tmm-choose-config=chip=sm_90a -tmm-tile=chip=sm_90a -canonicalize | FileCheck %s --check-prefix=TILES
// RUN: tc-opt %s -tmm-choose-config=chip=sm_90a -tmm-tile=chip=sm_90a -canonicalize -tmm-assign-roles -tmm-materialize-pipelines -tmm-release-early -tmm-pipeline \
// RUN:   -tmm-warp-specialize -canonicalize -cse --mlir-print-local-scope -o %t.roles.mlir
// RUN: FileCheck %s --check-prefix=ROLES --input-file=%t.roles.mlir
// RUN: tc-opt %t.roles.mlir -tmm-lower-scheduler -convert-tmm-pipelines-to-sm90 -convert-tmm-kernel-interface-to-sm90 -tmm-unroll-columns -tmm-distribute \
// RUN:   -test-lower-row-sums -convert-tmm-roles-to-sm90 -tc-simplify-loop-state -canonicalize -cse -o %t.sm90.mlir
// RUN: tc-compile %t.sm90.mlir --chip=sm_90a -o %t.ptx
// RUN: %python %S/Inputs/row_sum.py tc-run %t.ptx 300x100 1x4 128x32 1000x36 129x8 700x4096 | FileCheck %s --check-prefix=SUMS

// A family of kernels that is no product, from test/lib alone: TMA loads tiles into
// a ring, the threads of another role add up their rows.

// TILES-LABEL: gpu.func @host_row_sum
// TILES: tmm.role "sum" warps(4) drives [#tmm.threads]
// TILES: tmm.role "load" warps(1) drives [#sm90.tma]
// TILES: tmm.load
// TILES: test_family.add_rows

// ROLES: tmm.pipeline stages(3) : <(<128x32xf32, #sm90.smem<k_major, b128>>), depth = 3>
// ROLES: tmm.warp_specialize "sum" warps(4) {
// ROLES: tmm.consumer_wait
// ROLES: test_family.add_rows
// ROLES: tmm.consumer_release
// ROLES: tmm.store
// ROLES: } "load" warps(1) elected {
// ROLES: tmm.producer_acquire
// ROLES: tmm.load
// ROLES: tmm.producer_commit

// SUMS: 6 sizes: all sums are right
func.func @host(%x: memref<?x?xf32>, %sums: memref<?x1xf32>) {
  test_family.row_sum %x, %sums : memref<?x?xf32>, memref<?x1xf32>
  return
}
