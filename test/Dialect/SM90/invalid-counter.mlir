// RUN: tc-opt %s -split-input-file -verify-diagnostics

func.func @atom_inc_bad_counter(%counter: memref<4xi32>, %last: i32) {
  // expected-error @+1 {{operand #0 must be 0D memref of 32-bit signless integer values, but got 'memref<4xi32>'}}
  %old = sm90.atom_inc %counter, %last : memref<4xi32>
  return
}

// -----

func.func @st_async_bad_target(%value: i32, %w: memref<2xi32, #gpu.address_space<workgroup>>, %b: !sm90.mbarrier) {
  // expected-error @+1 {{operand #1 must be memref<1xi32> in workgroup memory, but got 'memref<2xi32, #gpu.address_space<workgroup>>'}}
  sm90.st_async %value, %w, %b : memref<2xi32, #gpu.address_space<workgroup>>, !sm90.mbarrier
  return
}

// -----

func.func @sm90_st_async_c1_bad_rank(%value: i32, %w: memref<1xi32, #gpu.address_space<workgroup>>, %b: !sm90.mbarrier) {
  %rank = arith.constant 16 : i32
  // expected-error @+1 {{expected a rank from 0 to 15, got 16 (PTX ISA 9.0, 9.7.9.12 "Data Movement and Conversion Instructions: st.async")}}
  sm90.st_async %value, %w, %b of %rank : memref<1xi32, #gpu.address_space<workgroup>>, !sm90.mbarrier
  return
}
