// RUN: tc-opt %s -split-input-file -verify-diagnostics

func.func @no_role() {
  tmm.warp_specialize
  // expected-error @below {{expected a role: tma, tensor_core or threads}}
  return
}

// -----

func.func @warps() {
  // expected-error @below {{expected a positive number of warps for role tma, got 0}}
  tmm.warp_specialize tma warps(0) {
  }
  return
}

// -----

func.func @twice() {
  // expected-error @below {{expected one role for each engine, got two for threads}}
  tmm.warp_specialize threads warps(4) {
  } threads warps(4) {
  }
  return
}

// -----

func.func @counts() {
  // expected-error @below {{expected an engine and a number of warps for each of the 1 roles, got 2 and 1}}
  "tmm.warp_specialize"() <{engines = array<i32: 0, 1>, warps = array<i64: 1>}> ({
  ^bb0:
  }) : () -> ()
  return
}

// -----

func.func @engine() {
  // expected-error @below {{expected a known engine for role 0, got 7}}
  "tmm.warp_specialize"() <{engines = array<i32: 7>, warps = array<i64: 1>}> ({
  ^bb0:
  }) : () -> ()
  return
}
