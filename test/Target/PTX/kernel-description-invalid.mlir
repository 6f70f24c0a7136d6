// RUN: split-file %s %t
// RUN: not tc-compile %t/memory.mlir -o %t/out.ptx 2>&1 | FileCheck %s --check-prefix=MEMORY
// RUN: not tc-compile %t/loop.mlir -o %t/out.ptx 2>&1 | FileCheck %s --check-prefix=LOOP
// RUN: not tc-compile %t/scalar.mlir -o %t/out.ptx 2>&1 | FileCheck %s --check-prefix=SCALAR
// RUN: not tc-compile %t/value.mlir -o %t/out.ptx 2>&1 | FileCheck %s --check-prefix=VALUE
// RUN: not tc-compile %t/operand.mlir -o %t/out.ptx 2>&1 | FileCheck %s --check-prefix=OPERAND
// RUN: not tc-compile %t/check.mlir -o %t/out.ptx 2>&1 | FileCheck %s --check-prefix=CHECK
// RUN: not tc-compile %t/problem.mlir -o %t/out.ptx 2>&1 | FileCheck %s --check-prefix=PROBLEM
// RUN: not tc-compile %t/launch.mlir -o %t/out.ptx 2>&1 | FileCheck %s --check-prefix=LAUNCH
// RUN: not tc-compile %t/element.mlir -o %t/out.ptx 2>&1 | FileCheck %s --check-prefix=ELEMENT
// RUN: not tc-compile %t/result.mlir -o %t/out.ptx 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: not tc-compile %t/global.mlir -o %t/out.ptx 2>&1 | FileCheck %s --check-prefix=GLOBAL
// RUN: not tc-compile %t/contents.mlir -o %t/out.ptx 2>&1 | FileCheck %s --check-prefix=CONTENTS
// RUN: not tc-compile %t/layout.mlir -o %t/out.ptx 2>&1 | FileCheck %s --check-prefix=LAYOUT
// RUN: not tc-compile %t/unranked.mlir -o %t/out.ptx 2>&1 | FileCheck %s --check-prefix=UNRANKED
// RUN: not tc-compile %t/select.mlir -o %t/out.ptx 2>&1 | FileCheck %s --check-prefix=SELECT
// RUN: not tc-compile %t/index.mlir -o %t/out.ptx 2>&1 | FileCheck %s --check-prefix=INDEX
// RUN: not tc-compile %t/dimension.mlir -o %t/out.ptx 2>&1 | FileCheck %s --check-prefix=DIMENSION
// RUN: not tc-compile %t/map.mlir -o %t/out.ptx 2>&1 | FileCheck %s --check-prefix=MAP
// RUN: not tc-compile %t/extra.mlir -o %t/out.ptx 2>&1 | FileCheck %s --check-prefix=EXTRA
// RUN: not tc-compile %t/branch.mlir -o %t/out.ptx 2>&1 | FileCheck %s --check-prefix=BRANCH
// RUN: not tc-compile %t/complex.mlir -o %t/out.ptx 2>&1 | FileCheck %s --check-prefix=COMPLEX
// RUN: not ls %t/out.ptx %t/out.json

// MEMORY: memory.mlir:9:5: error: 'memref.store' op cannot be described: expected launches, checks, allocations and size computations on the host
// LOOP: loop.mlir:10:5: error: 'scf.for' op cannot be described: expected scf.for, scf.forall or scf.parallel with constant bounds that becomes at most 1024 operations, as tc-unroll-host-loops unrolls it
// BRANCH: branch.mlir:4:3: error: 'cf.cond_br' op cannot be described: expected one block, and scf.if where a condition decides, which upstream's lift-cf-to-scf makes of branches
// SCALAR: scalar.mlir:7:{{.*}}: error: 'func.func' op argument 1: a scalar argument cannot be described: expected an index, an i32 or an i64, got 'i16'
// VALUE: value.mlir:11:{{.*}}: error: 'arith.uitofp' op cannot be described as an expression over the sizes
// OPERAND: operand.mlir:9:5: error: 'gpu.launch_func' op kernel operand 0 cannot be described: expected a tensor map, a memref, an i32, i64 or index, or an f32 that is a constant or an argument, got 'f64'
// CHECK: check.mlir:11:5: error: rows of A: expected a stride that is a multiple of 16 bytes
// PROBLEM: problem.mlir:8:5: error: 'tmm.problem' op operand B of a matmul cannot be described: expected a view of an argument, of an allocation or of a constant
// LAUNCH: launch.mlir:8:5: error: 'tmm.problem' op expected a gpu.launch_func after it in its block
// ELEMENT: element.mlir:7:{{.*}}: error: 'func.func' op argument 0: buffer 'arg0' cannot be described: no launch file has elements of type 'i3'
// RESULT: result.mlir:9:5: error: 'func.return' op operand 0 cannot be described: expected a view of an argument, of an allocation or of a constant, got a value of type 'f32'
// GLOBAL: global.mlir:7:10: error: 'memref.get_global' op cannot be described: expected a constant with its value, or a private variable with one that is named once, got 'w'
// CONTENTS: contents.mlir:7:10: error: 'memref.get_global' op cannot be described: expected dense contents of 'w', got sparse<

// LAYOUT: layout.mlir:5:19: error: 'func.func' op argument 0: buffer 'arg0' cannot be described: expected a strided layout, got 'memref<8x8xf32, affine_map<
// UNRANKED: unranked.mlir:5:19: error: 'func.func' op argument 0: cannot be described: expected a buffer that is an argument or an allocation of the function
// SELECT: select.mlir:10:10: error: 'arith.select' op cannot be described as a view of a buffer
// INDEX: index.mlir:9:10: error: 'memref.dim' op cannot be described: expected a constant index
// DIMENSION: dimension.mlir:8:10: error: 'memref.dim' op cannot be described: expected one of the 2 dimensions of the buffer, got dimension 2
// MAP: map.mlir:7:5: error: 'gpu.launch_func' op kernel operand 0 cannot be described: expected a tensor map from sm90.tensor_map.encode
// COMPLEX: complex.mlir:5:19: error: 'func.func' op argument 0: cannot be described: expected integers or floats, got 'complex<f32>'
// EXTRA: extra.mlir:7:5: error: 'tmm.problem' op epilogue operand X0 cannot be described: expected an f32 argument of the function, got <block argument> of type 'bf16'

//--- memory.mlir
module attributes {gpu.container_module} {
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    llvm.func @k(%p: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} { llvm.return }
  }
  func.func @host(%a: memref<4xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 0.0 : f32
    memref.store %f, %a[%c0] : memref<4xf32>
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<4xf32>)
    return
  }
}
//--- loop.mlir
module attributes {gpu.container_module} {
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    llvm.func @k(%p: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} { llvm.return }
  }
  func.func @host(%a: memref<?xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index

    %n = memref.dim %a, %c0 : memref<?xf32>
    scf.for %i = %c0 to %n step %c1 {
      gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<?xf32>)
    }
    return
  }
}
//--- scalar.mlir
module attributes {gpu.container_module} {
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    llvm.func @k(%p: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} { llvm.return }
  }


  func.func @host(%a: memref<4xf32>, %h: i16) {
    %c1 = arith.constant 1 : index
    %n = arith.index_cast %h : i16 to index
    gpu.launch_func @m::@k blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<4xf32>)
    return
  }
}
//--- value.mlir
module attributes {gpu.container_module} {
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    llvm.func @k(%p: i32) attributes {gpu.kernel, nvvm.kernel} { llvm.return }
  }
  func.func @host(%a: memref<?xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index

    %n = memref.dim %a, %c0 : memref<?xf32>
    %i = arith.index_cast %n : index to i32
    %j = arith.uitofp %i : i32 to f32
    %k = arith.fptoui %j : f32 to i32
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%k : i32)
    return
  }
}
//--- operand.mlir
module attributes {gpu.container_module} {
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    llvm.func @k(%p: f64) attributes {gpu.kernel, nvvm.kernel} { llvm.return }
  }
  func.func @host(%a: memref<4xf32>) {
    %c1 = arith.constant 1 : index

    %f = arith.constant 0.0 : f64
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%f : f64)
    return
  }
}
//--- check.mlir
module attributes {gpu.container_module} {
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    llvm.func @k(%p: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} { llvm.return }
  }
  func.func @host(%a: memref<4x7xbf16>, %d: memref<?x5xf32>) {
    %c1 = arith.constant 1 : index
    %c7 = arith.constant 7 : index

    %n = memref.dim %a, %c1 : memref<4x7xbf16>
    %same = arith.cmpi ne, %n, %c7 : index
    cf.assert %same, "rows of A: expected a stride that is a multiple of 16 bytes"
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<4x7xbf16>)
    return
  }
}
//--- problem.mlir
module attributes {gpu.container_module} {
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    llvm.func @k(%p: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} { llvm.return }
  }

  func.func @host(%a: memref<4x4xbf16>, %d: memref<4x4xf32>) {
    %b = memref.alloca() : memref<4x4xbf16>
    tmm.problem ins(%a, %b : memref<4x4xbf16>, memref<4x4xbf16>) outs(%d : memref<4x4xf32>)
    %c1 = arith.constant 1 : index
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : memref<4x4xf32>)
    return
  }
}
//--- launch.mlir
module attributes {gpu.container_module} {
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    llvm.func @k(%p: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} { llvm.return }
  }
  func.func @host(%a: memref<4x4xbf16>, %d: memref<4x4xf32>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : memref<4x4xf32>)
    tmm.problem ins(%a, %a : memref<4x4xbf16>, memref<4x4xbf16>) outs(%d : memref<4x4xf32>)
    return
  }
}
//--- element.mlir
module attributes {gpu.container_module} {
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    llvm.func @k(%p: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} { llvm.return }
  }


  func.func @host(%a: memref<4xi3>, %b: memref<4xf32>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%b : memref<4xf32>)
    return
  }
}
//--- layout.mlir
module attributes {gpu.container_module} {
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    llvm.func @k(%p: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} { llvm.return }
  }
  func.func @host(%a: memref<8x8xf32, affine_map<(i, j) -> (i floordiv 2, j, i mod 2)>>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<8x8xf32, affine_map<(i, j) -> (i floordiv 2, j, i mod 2)>>)
    return
  }
}
//--- unranked.mlir
module attributes {gpu.container_module} {
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    llvm.func @k(%p: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} { llvm.return }
  }
  func.func @host(%a: memref<*xf32>) {
    %c1 = arith.constant 1 : index
    %v = memref.cast %a : memref<*xf32> to memref<?xf32>
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%v : memref<?xf32>)
    return
  }
}
//--- select.mlir
module attributes {gpu.container_module} {
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    llvm.func @k(%p: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} { llvm.return }
  }
  func.func @host(%a: memref<?xf32>, %b: memref<?xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %a, %c0 : memref<?xf32>
    %some = arith.cmpi ne, %n, %c0 : index
    %v = arith.select %some, %a, %b : memref<?xf32>
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%v : memref<?xf32>)
    return
  }
}
//--- index.mlir
module attributes {gpu.container_module} {
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    llvm.func @k(%p: i32) attributes {gpu.kernel, nvvm.kernel} { llvm.return }
  }
  func.func @host(%a: memref<?x?xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %a, %c0 : memref<?x?xf32>
    %m = memref.dim %a, %n : memref<?x?xf32>
    %i = arith.index_cast %m : index to i32
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%i : i32)
    return
  }
}
//--- dimension.mlir
module attributes {gpu.container_module} {
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    llvm.func @k(%p: i32) attributes {gpu.kernel, nvvm.kernel} { llvm.return }
  }
  func.func @host(%a: memref<?x?xf32>) {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %n = memref.dim %a, %c2 : memref<?x?xf32>
    %i = arith.index_cast %n : index to i32
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%i : i32)
    return
  }
}
//--- map.mlir
module attributes {gpu.container_module} {
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    llvm.func @k(%p: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} { llvm.return }
  }
  func.func @host(%map: !sm90.tensor_map<128x64xbf16, b128>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%map : !sm90.tensor_map<128x64xbf16, b128>)
    return
  }
}
//--- extra.mlir
module attributes {gpu.container_module} {
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    llvm.func @k(%p: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} { llvm.return }
  }
  func.func @host(%a: memref<4x4xbf16>, %d: memref<4x4xf32>, %x: bf16) {
    %c1 = arith.constant 1 : index
    tmm.problem ins(%a, %a : memref<4x4xbf16>, memref<4x4xbf16>) outs(%d : memref<4x4xf32>)
      epilogue(%acc : f32, %e = %x : bf16) { tmm.yield %acc : f32 }
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<4x4xbf16>)
    return
  }
}
//--- complex.mlir
module attributes {gpu.container_module} {
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    llvm.func @k(%p: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} { llvm.return }
  }
  func.func @host(%a: memref<?xcomplex<f32>>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<?xcomplex<f32>>)
    return
  }
}
//--- result.mlir
module attributes {gpu.container_module} {
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    llvm.func @k(%p: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} { llvm.return }
  }
  func.func @host(%a: memref<4xf32>, %x: f32) -> f32 {
    %c1 = arith.constant 1 : index
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<4xf32>)

    return %x : f32
  }
}
//--- global.mlir
module attributes {gpu.container_module} {
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    llvm.func @k(%p: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} { llvm.return }
  }
  memref.global @w : memref<4xf32> = dense<1.0>
  func.func @host() {
    %w = memref.get_global @w : memref<4xf32>
    %c1 = arith.constant 1 : index
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%w : memref<4xf32>)
    return
  }
}
//--- contents.mlir
module attributes {gpu.container_module} {
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    llvm.func @k(%p: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} { llvm.return }
  }
  memref.global "private" constant @w : memref<4xf32> = sparse<[[1]], [1.0]>
  func.func @host() {
    %w = memref.get_global @w : memref<4xf32>
    %c1 = arith.constant 1 : index
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%w : memref<4xf32>)
    return
  }
}
//--- branch.mlir
// A product that a branch may jump over.
func.func @f(%x: memref<24x24xf16>, %w: memref<24x24xf16>, %d: memref<24x24xf32>,
             %c: i1) {
  cf.cond_br %c, ^a, ^b
^a:
  linalg.matmul ins(%x, %w : memref<24x24xf16>, memref<24x24xf16>) outs(%d : memref<24x24xf32>)
  cf.br ^b
^b:
  return
}
