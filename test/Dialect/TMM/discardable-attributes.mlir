// RUN: tc-opt %s -split-input-file -verify-diagnostics

// What decides is an attribute of an operation, a type or an operation, where a
// verifier reads it: no attribute that passes may lose without a word.

// expected-error @below {{expected no discardable attribute of dialect tmm, got 'tmm.config': the operations of tmm carry what decides}}
func.func private @config() attributes {tmm.config = #tmm.config<ring = <stages = 4>>}

// -----

func.func @problem() {
  // expected-error @below {{expected no discardable attribute of dialect tmm, got 'tmm.problem'}}
  %0 = arith.constant {tmm.problem} 0 : i32
  return
}
