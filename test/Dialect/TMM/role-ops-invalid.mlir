// RUN: tc-opt %s -split-input-file -verify-diagnostics

func.func @no_role() {
  tmm.warp_specialize
  // expected-error @below {{expected a role: its name in quotes}}
  return
}

// -----

// tmm_warp_specialize_c2
func.func @warps() {
  // expected-error @below {{expected a positive number of warps for role load, got 0}}
  tmm.warp_specialize "load" warps(0) elected {
  }
  return
}

// -----

// tmm_warp_specialize_c1
func.func @names_count() {
  // expected-error @below {{expected one of the names for each of the 1 roles, got 2}}
  "tmm.warp_specialize"() <{names = ["load", "mma"], warps = array<i64: 1>, turns = array<i64: 1>, registers = array<i64: 0>,
                            elected = array<i1: true>, spans = [unit]}> ({
  ^bb0:
  }) : () -> ()
  return
}

// -----

// tmm_warp_specialize_c1
func.func @warps_count() {
  // expected-error @below {{expected one of the warps for each of the 1 roles, got 2}}
  "tmm.warp_specialize"() <{names = ["load"], warps = array<i64: 1, 1>, turns = array<i64: 1>, registers = array<i64: 0>,
                            elected = array<i1: true>, spans = [unit]}> ({
  ^bb0:
  }) : () -> ()
  return
}

// -----

// tmm_warp_specialize_c1
func.func @turns_count() {
  // expected-error @below {{expected one of the turns for each of the 1 roles, got 0}}
  "tmm.warp_specialize"() <{names = ["load"], warps = array<i64: 1>, turns = array<i64>, registers = array<i64: 0>,
                            elected = array<i1: true>, spans = [unit]}> ({
  ^bb0:
  }) : () -> ()
  return
}

// -----

// tmm_warp_specialize_c1
func.func @registers_count() {
  // expected-error @below {{expected one of the registers for each of the 1 roles, got 2}}
  "tmm.warp_specialize"() <{names = ["load"], warps = array<i64: 1>, turns = array<i64: 1>, registers = array<i64: 0, 0>,
                            elected = array<i1: true>, spans = [unit]}> ({
  ^bb0:
  }) : () -> ()
  return
}

// -----

// tmm_warp_specialize_c1
func.func @elected_flags_count() {
  // expected-error @below {{expected one of the elected flags for each of the 1 roles, got 0}}
  "tmm.warp_specialize"() <{names = ["load"], warps = array<i64: 1>, turns = array<i64: 1>, registers = array<i64: 0>,
                            elected = array<i1>, spans = [unit]}> ({
  ^bb0:
  }) : () -> ()
  return
}

// -----

// tmm_warp_specialize_c1
func.func @spans_count() {
  // expected-error @below {{expected one of the spans for each of the 1 roles, got 2}}
  "tmm.warp_specialize"() <{names = ["load"], warps = array<i64: 1>, turns = array<i64: 1>, registers = array<i64: 0>,
                            elected = array<i1: true>, spans = [unit, unit]}> ({
  ^bb0:
  }) : () -> ()
  return
}

// -----

// tmm_warp_specialize_c1
func.func @none() {
  // expected-error @below {{expected a role, got none}}
  "tmm.warp_specialize"() <{names = [], warps = array<i64>, turns = array<i64>, registers = array<i64>,
                            elected = array<i1>, spans = []}> : () -> ()
  return
}

// -----

// tmm_warp_specialize_c3
func.func @many_warps() {
  // expected-error @below {{expected at most 32 warps, those of a CTA, got 33}}
  // expected-note @below {{role load here, warps: 1}}
  tmm.warp_specialize "load" warps(1) {
  // expected-note @below {{role epilogue here, warps: 32}}
  } "epilogue" warps(32) {
  }
  return
}

// -----

// An instance that was given another name.
// tmm_warp_specialize_c5
func.func @renamed() {
  // expected-error @below {{expected as many roles of the name epilogue as its turns, got 1 and 2}}
  // expected-note @below {{role epilogue here, warps: 4}}
  tmm.warp_specialize "epilogue" warps(4) turns(2) {
  // expected-note @below {{role last here, warps: 4}}
  } "last" warps(4) turns(2) {
  }
  return
}

// -----

// Two roles of one name that do not take turns.
// tmm_warp_specialize_c5
func.func @equal_names() {
  // expected-error @below {{expected as many roles of the name load as its turns, got 2 and 1}}
  // expected-note @below {{role load here, warps: 1}}
  tmm.warp_specialize "load" warps(1) {
  // expected-note @below {{role load here, warps: 2}}
  } "load" warps(2) {
  }
  return
}

// -----

// tmm_role_c3
func.func @role_in_loop(%n: i32) {
  scf.for %i = %n to %n step %n : i32 {
    // expected-error @below {{expected to be in the body of a kernel itself, got in that of scf.for}}
    tmm.role "load" warps(1) drives [#sm90.tma]
  }
  return
}

// -----

func.func @span() {
  // expected-error @below {{expected an agent set as the span of role load, got #sm90.tma}}
  tmm.warp_specialize "load" warps(1) elected over #sm90.tma {
  }
  return
}

// -----

// tmm_role_c1
func.func @role_warps() {
  // expected-error @below {{expected a positive number of warps, got 0}}
  tmm.role "load" warps(0) drives [#sm90.tma]
  return
}

// -----

// tmm_role_c1
func.func @role_turns() {
  // expected-error @below {{expected a positive number of turns, got -1}}
  tmm.role "load" warps(1) turns(-1) drives [#sm90.tma]
  return
}

// -----

// tmm_role_c1
func.func @role_loop() {
  // expected-error @below {{expected the loop whose iterations the 2 instances take in turn, got none}}
  tmm.role "epilogue" warps(4) turns(2) drives [#tmm.threads]
  return
}

// -----

func.func @role_engine() {
  // expected-error @below {{attribute 'drives' failed to satisfy constraint: engines}}
  tmm.role "epilogue" warps(4) drives [#sm90.smem<k_major, none>]
  return
}

// -----

// tmm_role_c1
func.func @role_instances() {
  // expected-error @below {{expected at most 32 warps in all instances, those of a CTA, got 9 times 4}}
  tmm.role "epilogue" warps(4) turns(9) of "tiles" drives [#tmm.threads]
  return
}

// -----

// The product has more than 64 bits.
// tmm_role_c1
func.func @role_many_turns() {
  // expected-error @below {{expected at most 32 warps in all instances, those of a CTA, got 4611686018427387905 times 4}}
  tmm.role "load" warps(4) turns(4611686018427387905) of "tiles" drives [#sm90.tma]
  return
}

// -----

// tmm_role_c1
func.func @role_many_warps() {
  // expected-error @below {{expected at most 32 warps in all instances, those of a CTA, got 4 times 4611686018427387904}}
  tmm.role "load" warps(4611686018427387904) turns(4) of "tiles" drives [#sm90.tma]
  return
}

// -----

// tmm_role_c2
func.func @role_registers() {
  // expected-error @below {{expected 0 or a multiple of 8 registers from 24 to 256 for role epilogue, got 201; nearest legal 200}}
  tmm.role "epilogue" warps(4) registers(201) drives [#tmm.threads]
  return
}

// -----

// tmm_role_c2
func.func @role_most_registers() {
  // expected-error @below {{expected 0 or a multiple of 8 registers from 24 to 256 for role epilogue, got 9223372036854775807; nearest legal 256}}
  tmm.role "epilogue" warps(4) registers(9223372036854775807) drives [#tmm.threads]
  return
}

// -----

// tmm_warp_specialize_c4
func.func @registers() {
  // expected-error @below {{expected 0 or a multiple of 8 registers from 24 to 256 for role load, got 16; nearest legal 24}}
  tmm.warp_specialize "load" warps(1) registers(16) elected {
  }
  return
}

// -----

// tmm_take_turn_c1
func.func @take_turn(%tile: !tmm.buffer<8x8xf32, #sm90.smem<k_major, b32>>) {
  // expected-error @below {{expected operand turn in #tmm.turn, got #sm90.smem<k_major, b32>}}
  tmm.take_turn %tile : <8x8xf32, #sm90.smem<k_major, b32>>
  return
}

// -----

// tmm_pass_turn_c1
func.func @pass_turn(%tile: !tmm.buffer<8x8xf32, #sm90.smem<k_major, b32>>) {
  // expected-error @below {{expected operand turn in #tmm.turn, got #sm90.smem<k_major, b32>}}
  tmm.pass_turn %tile : <8x8xf32, #sm90.smem<k_major, b32>>
  return
}

// -----

// tmm_turn_c1
// expected-error @below {{expected one 'i1' in #tmm.turn, got 1x2 of 'i1'}}
func.func private @turn(!tmm.buffer<1x2xi1, #tmm.turn>)
