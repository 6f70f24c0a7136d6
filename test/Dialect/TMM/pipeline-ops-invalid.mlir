// RUN: tc-opt %s -split-input-file -verify-diagnostics

!ring = !tmm.pipeline<(<128x64xbf16, #sm90.smem<k_major, b128>>), depth = 2>

// tmm_uses_pipeline_c1: two rings have two sets of barriers.
func.func @selected(%first: i1) {
  %a = tmm.pipeline : !ring
  %b = tmm.pipeline : !ring
  // expected-note @below {{defined here}}
  %ring = arith.select %first, %a, %b : !ring
  // expected-error @below {{'tmm.pipeline_start' op expected operand pipeline to be the result of a tmm.pipeline, got that of arith.select}}
  %s = tmm.pipeline_start %ring : !ring
  return
}

// -----

!ring = !tmm.pipeline<(<128x64xbf16, #sm90.smem<k_major, b128>>), depth = 2>

// tmm_uses_pipeline_c1
// expected-note @below {{defined here}}
func.func @passed(%ring: !ring, %s: !tmm.pipeline_state) {
  // expected-error @below {{'tmm.consumer_wait' op expected operand pipeline to be the result of a tmm.pipeline, got a block argument}}
  %t = tmm.consumer_wait %ring[%s] : !ring
  return
}

// -----

!ring = !tmm.pipeline<(<128x64xbf16, #sm90.smem<k_major, b128>>), depth = 2>

// tmm_uses_pipeline_c1
// expected-note @below {{defined here}}
func.func @released(%ring: !ring, %held: !tmm.held_slot) {
  // expected-error @below {{'tmm.release_held' op expected operand pipeline to be the result of a tmm.pipeline, got a block argument}}
  tmm.release_held %ring[%held] : !ring
  return
}
