// RUN: tc-opt %s -split-input-file -verify-diagnostics

func.func @tmm_issue_c1_no_value(%m: i32) {
  // expected-error @+1 {{expected the region to yield 'i32', the types of the results, got}}
  %0 = tmm.issue -> i32 {
  }
  return
}

// -----

func.func @tmm_issue_c1_other_type(%m: i32, %f: f32) {
  // expected-error @+1 {{expected the region to yield 'i32', the types of the results, got 'f32'}}
  %0 = tmm.issue -> i32 {
    tmm.yield %f : f32
  }
  return
}

// -----

func.func @count_request_bad_counter(%counter: memref<4xi32>, %count: i32) {
  // expected-error @+1 {{operand #0 must be 0D memref of 32-bit signless integer values, but got 'memref<4xi32>'}}
  %0 = tmm.count_request %counter of %count by(#sm90.counter) : memref<4xi32>
  return
}

// -----

func.func @tmm_await_c1_other_engine(%v: vector<64x64xf32>) {
  // expected-error @below {{expected by to be an engine whose work is pending at return, got #tcgen05.mma, whose ops need no tmm.await}}
  %0 = tmm.await %v by(#tcgen05.mma) pending 0 : vector<64x64xf32>
  return
}

// -----

func.func @tmm_await_c2_bad_pending(%v: vector<64x64xf32>) {
  // expected-error @below {{expected from 0 to 7 pending transactions of #sm90.wgmma, got 4294967297}}
  %0 = tmm.await %v by(#sm90.wgmma) pending 4294967297 : vector<64x64xf32>
  return
}

// -----

func.func @tmm_scheduler_c2(%m: i32, %rows: memref<?xi32>) {
  // expected-error @below {{expected `batch` with `rows`, one for each problem, got none}}
  %0 = tmm.scheduler #tmm.grouped(%m, %m, %m) rows(%rows : memref<?xi32>) tile [128, 64, 32] : !tmm.scheduler
  return
}

// -----

func.func @tmm_scheduler_c2_stacked(%m: i32) {
  // expected-error @below {{expected `rows` with `stacked`, got none}}
  %0 = tmm.scheduler #tmm.static(%m, %m, %m) batch %m stacked tile [128, 64, 32] : !tmm.scheduler
  return
}

// -----

func.func @tmm_scheduler_c3(%m: i32, %rows: memref<?xi32>) {
  // expected-error @below {{expected a rule that reads `rows`, got #tmm.static}}
  %0 = tmm.scheduler #tmm.static(%m, %m, %m) batch %m rows(%rows : memref<?xi32>) tile [128, 64, 32] : !tmm.scheduler
  return
}

// -----

func.func @tmm_scheduler_c3_none(%m: i32) {
  // expected-error @below {{expected `rows`, which the rule reads, got #tmm.grouped without}}
  %0 = tmm.scheduler #tmm.grouped(%m, %m, %m) batch %m tile [128, 64, 32] : !tmm.scheduler
  return
}

// -----

// expected-error @below {{expected raster of at least 0, got -1}}
func.func private @bad_raster() attributes {rule = #tmm.grouped<raster = -1>}
