// A role assignment that a user wrote: two load roles, one for each operand, and
// two epilogue roles that take turns. test/Integration/roles.py runs it.
// RUN: tc-compile %S/../Integration/Roles/store.mlir --emit=roles -o - | FileCheck %s --check-prefix=ROLES
// RUN: tc-compile %S/../Integration/Roles/store.mlir --emit=tcgen05 -o - | FileCheck %s --check-prefix=SIGNALS

// Eleven warps: 4 + 4 + 1 + 1 + 1.
// ROLES: known_block_size = array<i32: 352, 1, 1>

// A ring of store buffers for each instance, one ring for each load role.
// ROLES-COUNT-2: tmm.pipeline stages(2)
// ROLES-COUNT-2: tmm.pipeline stages(5)
// ROLES: tmm.pipeline stages(2)
// ROLES-NOT: tmm.pipeline stages

// Each instance reads the accumulator in its turn and counts it in the others.
// ROLES: tmm.warp_specialize "epilogue" warps(4) turns(2) {
// ROLES:   scf.while
// ROLES:   arith.cmpi eq, %{{.*}}, %c0_i32
// ROLES:   scf.if
// ROLES:     tmm.consumer_wait
// ROLES:     tmm.unload
// ROLES:   } else {
// ROLES:     tmm.skip
// ROLES-NOT: tmm.read
// ROLES: } "epilogue" warps(4) turns(2) {
// ROLES:   arith.cmpi eq, %{{.*}}, %c1_i32
// ROLES:     tmm.unload
// ROLES:     tmm.skip
// ROLES: } "load_a" warps(1) elected {
// ROLES:   tmm.load
// ROLES-NOT: tmm.load
// ROLES: } "load_b" warps(1) elected {
// ROLES:   tmm.load
// ROLES-NOT: tmm.load
// ROLES: } "mma" warps(1) elected {
// ROLES-COUNT-2: tmm.consumer_wait
// ROLES-NOT: tmm.load

// One instance arrives for each accumulator: the threads of one role.
// SIGNALS: sm90.mbarrier.init{{.*}}, 128 
