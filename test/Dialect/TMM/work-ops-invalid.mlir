// RUN: tc-opt %s -split-input-file -verify-diagnostics

!number = !tmm.buffer<1x1xi32, #sm90.smem<plain, none>>

func.func @tmm_request_work_c1_no_count(%n: !number, %counter: memref<i32>) {
  // expected-error @+1 {{expected a counter and the count of work items, or neither, got a counter alone}}
  "tmm.request_work"(%n, %counter) <{by = #sm90.counter, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!number, memref<i32>) -> ()
  return
}

// -----

!number = !tmm.buffer<1x1xi32, #sm90.smem<plain, none>>

func.func @tmm_request_work_c1_no_counter(%n: !number, %count: i32) {
  // expected-error @+1 {{expected a counter and the count of work items, or neither, got a count alone}}
  "tmm.request_work"(%n, %count) <{by = #sm90.counter, operandSegmentSizes = array<i32: 1, 0, 1, 0>}> : (!number, i32) -> ()
  return
}
