// RUN: tc-opt %s -allow-unregistered-dialect | tc-opt -allow-unregistered-dialect | FileCheck %s
// RUN: tc-opt %s -allow-unregistered-dialect -mlir-print-op-generic | tc-opt -allow-unregistered-dialect | FileCheck %s

// CHECK-LABEL: func.func @roles
// CHECK: tmm.warp_specialize "epilogue" warps(4) registers(168) {
// CHECK-NEXT: } "load" warps(1) registers(56) elected {
// CHECK-NEXT:   "test.use"
// CHECK-NEXT: } "mma" warps(2) elected over #tmm.ctas<2, along = [0]> {
func.func @roles(%x: i32) {
  tmm.warp_specialize "epilogue" warps(4) registers(168) {
  } "load" warps(1) registers(56) elected {
    "test.use"(%x) : (i32) -> ()
  } "mma" warps(2) elected over #tmm.ctas<2, along = [0]> {
  }
  return
}

// Instances of a role have its name.
// CHECK-LABEL: func.func @instances
// CHECK: tmm.warp_specialize "epilogue" warps(4) turns(2) registers(168) {
// CHECK-NEXT: } "load" warps(4) {
// CHECK-NEXT: } "epilogue" warps(4) turns(2) elected {
func.func @instances() {
  tmm.warp_specialize "epilogue" warps(4) turns(2) registers(168) {
  } "load" warps(4) turns(1) {
  } "epilogue" warps(4) turns(2) elected {
  }
  return
}

// CHECK-LABEL: func.func @declarations
// CHECK-NEXT: tmm.role "epilogue" warps(4) drives [#tmm.threads, #sm90.tma_store]
// CHECK-NEXT: tmm.role "load" warps(1) registers(56) drives [#sm90.tma]
// CHECK-NEXT: tmm.role "other" warps(2) turns(3) of "tiles" registers(168) drives []
// CHECK: scf.for
// CHECK-NEXT: tmm.loop "tiles"
func.func @declarations(%n: i32) {
  tmm.role "epilogue" warps(4) drives [#tmm.threads, #sm90.tma_store]
  tmm.role "load" warps(1) registers(56) drives [#sm90.tma]
  tmm.role "other" warps(2) turns(3) of "tiles" registers(168) drives []
  scf.for %i = %n to %n step %n : i32 {
    tmm.loop "tiles"
  }
  return
}

// Names are strings: what is not printable is escaped.
// CHECK-LABEL: func.func @names
// CHECK-NEXT: tmm.warp_specialize "lo\22ad \0A\\" warps(1) {
func.func @names() {
  tmm.warp_specialize "lo\22ad \0A\\" warps(1) {
  }
  return
}
