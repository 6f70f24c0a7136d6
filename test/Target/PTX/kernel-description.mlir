// RUN: tc-compile %s -o %t.ptx
// RUN: FileCheck %s --input-file=%t.json
// RUN: FileCheck %s --check-prefix=PTX --input-file=%t.ptx

// Everything that a host function can say: sizes and their names, checks,
// tensor maps, a launch under a condition, scalars.

// PTX: .visible .entry multiply(
// PTX-SAME: {{$}}
// PTX: .param .align 64 .b8 multiply_param_0[128]

// CHECK: "version": 1,
// CHECK-NEXT: "chip": "sm_100a",
// CHECK-NEXT: "function": "host",
// CHECK-NEXT: "sizes": [
// CHECK-NEXT: "M",
// CHECK-NEXT: "K"
// CHECK-NEXT: ],
// CHECK-NEXT: "arguments": [
// CHECK-NEXT: "A",
// CHECK-NEXT: "B",
// CHECK-NEXT: "D"
// CHECK-NEXT: ],

// A check that always holds is not written.
// CHECK-NEXT: "constraints": [
// CHECK-NEXT: {
// CHECK-NEXT: "check": "K * 2 mod 16 == 0",
// CHECK-NEXT: "message": "rows of A: expected a stride that is a multiple of 16 bytes",
// CHECK-NEXT: "value": "K * 2",
// CHECK-NEXT: "multiple_of": 16
// CHECK-NEXT: }
// CHECK-NEXT: ],

// The static N of B names the second size of D.
// CHECK-NEXT: "buffers": {
// CHECK-NEXT: "A": {
// CHECK-NEXT: "dtype": "bf16",
// CHECK-NEXT: "shape": [
// CHECK-NEXT: "M",
// CHECK-NEXT: "K"
// CHECK-NEXT: ],
// CHECK-NEXT: "role": "in"
// CHECK-NEXT: },
// CHECK-NEXT: "B": {
// CHECK-NEXT: "dtype": "bf16",
// CHECK-NEXT: "shape": [
// CHECK-NEXT: 256,
// CHECK-NEXT: "K"
// CHECK-NEXT: ],
// CHECK-NEXT: "role": "in"
// CHECK-NEXT: },
// CHECK-NEXT: "D": {
// CHECK-NEXT: "dtype": "f32",
// CHECK-NEXT: "shape": [
// CHECK-NEXT: "M",
// CHECK-NEXT: 256
// CHECK-NEXT: ],
// CHECK-NEXT: "strides": [
// CHECK-NEXT: 512,
// CHECK-NEXT: 1
// CHECK-NEXT: ],
// CHECK-NEXT: "role": "inout"
// CHECK-NEXT: }
// CHECK-NEXT: },
// CHECK-NEXT: "kernels": [
// CHECK-NEXT: {
// CHECK-NEXT: "entry": "multiply",
// CHECK-NEXT: "block": [
// CHECK-NEXT: 128,
// CHECK-NEXT: 1,
// CHECK-NEXT: 1
// CHECK-NEXT: ],
// CHECK-NEXT: "cluster": [
// CHECK-NEXT: 2,
// CHECK-NEXT: 1,
// CHECK-NEXT: 1
// CHECK-NEXT: ],
// CHECK-NEXT: "dynamic_smem": 33792
// CHECK-NEXT: }
// CHECK-NEXT: ],
// CHECK-NEXT: "launches": [
// CHECK-NEXT: {
// CHECK-NEXT: "kernel": 0,
// CHECK-NEXT: "grid": [
// CHECK-NEXT: "min((M + 127) floordiv 128 * 2, 148)",
// CHECK-NEXT: 1,
// CHECK-NEXT: 1
// CHECK-NEXT: ],
// CHECK-NEXT: "when": "M != 0",
// CHECK-NEXT: "params": [

// Sizes and strides of a tensor map are never 0.
// CHECK-NEXT: {
// CHECK-NEXT: "tensor_map": {
// CHECK-NEXT: "buffer": "A",
// CHECK-NEXT: "offset": 0,
// CHECK-NEXT: "dtype": "bf16",
// CHECK-NEXT: "dims": [
// CHECK-NEXT: "max(K, 1)",
// CHECK-NEXT: "max(M, 1)"
// CHECK-NEXT: ],
// CHECK-NEXT: "strides": [
// CHECK-NEXT: "K * 2"
// CHECK-NEXT: ],
// CHECK-NEXT: "box": [
// CHECK-NEXT: 64,
// CHECK-NEXT: 128
// CHECK-NEXT: ],
// CHECK-NEXT: "element_strides": [
// CHECK-NEXT: 1,
// CHECK-NEXT: 1
// CHECK-NEXT: ],
// CHECK-NEXT: "swizzle": "128B",
// CHECK-NEXT: "interleave": "none",
// CHECK-NEXT: "oob_fill": "zero",
// CHECK-NEXT: "l2_promotion": "128B"
// CHECK-NEXT: }
// CHECK-NEXT: },
// CHECK: "buffer": "B",
// CHECK: "dims": [
// CHECK-NEXT: "max(K, 1)",
// CHECK-NEXT: 256
// CHECK-NEXT: ],
// CHECK: {
// CHECK-NEXT: "pointer": "D",
// CHECK-NEXT: "offset": 0
// CHECK-NEXT: },
// CHECK-NEXT: {
// CHECK-NEXT: "i32": "M"
// CHECK-NEXT: },
// CHECK-NEXT: {
// CHECK-NEXT: "f32": 0.5
// CHECK-NEXT: },
// CHECK-NEXT: {
// CHECK-NEXT: "i64": "max(M, 7)"
// CHECK-NEXT: }
// CHECK: "problems": [
// CHECK-NEXT: {
// CHECK-NEXT: "formula": "D = A * B + D",
// CHECK-NEXT: "m": "M",
// CHECK-NEXT: "n": 256,
// CHECK-NEXT: "k": "K",
// CHECK-NEXT: "a": {
// CHECK-NEXT: "buffer": "A",
// CHECK-NEXT: "transposed": false
// CHECK-NEXT: },
// CHECK-NEXT: "b": {
// CHECK-NEXT: "buffer": "B",
// CHECK-NEXT: "transposed": true
// CHECK-NEXT: },
// CHECK-NEXT: "c": {
// CHECK-NEXT: "buffer": "D",
// CHECK-NEXT: "transposed": false
// CHECK-NEXT: },
// CHECK-NEXT: "d": {
// CHECK-NEXT: "buffer": "D",
// CHECK-NEXT: "transposed": false
// CHECK-NEXT: },
// CHECK-NEXT: "accumulator": "f32"

#tiles = affine_map<()[s0] -> ((s0 + 127) floordiv 128)>
module attributes {gpu.container_module} {
  gpu.module @kernels [#nvvm.target<chip = "sm_100a", features = "+ptx86">] {
    llvm.func @multiply(
        %a: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<16 x i64>, nvvm.grid_constant},
        %b: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<16 x i64>, nvvm.grid_constant},
        %d: !llvm.ptr<1>, %m: i32, %f: f32, %i: i64) attributes {gpu.kernel, nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
      llvm.store %f, %d : f32, !llvm.ptr<1>
      llvm.return
    }
  }
  func.func @host(%a: memref<?x?xbf16>, %b: memref<256x?xbf16>, %d: memref<?x?xf32, strided<[512, 1]>>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c7 = arith.constant 7 : index
    %c16 = arith.constant 16 : index
    %c128 = arith.constant 128 : index
    %c148 = arith.constant 148 : index
    %c256 = arith.constant 256 : index
    %bytes = arith.constant 33792 : i32
    %half = arith.constant 5.0e-01 : f32
    %m = memref.dim %a, %c0 : memref<?x?xbf16>
    %k = memref.dim %a, %c1 : memref<?x?xbf16>
    %kb = memref.dim %b, %c1 : memref<256x?xbf16>
    %row = arith.muli %k, %c2 : index
    %rem = arith.remui %row, %c16 : index
    %aligned = arith.cmpi eq, %rem, %c0 : index
    cf.assert %aligned, "rows of A: expected a stride that is a multiple of 16 bytes"
    %same = arith.cmpi eq, %k, %kb : index
    cf.assert %same, "A and B: expected the same K"
    %some = arith.cmpi ne, %m, %c0 : index
    scf.if %some {
      %ma = sm90.tensor_map.encode %a[0] dims [%m, %k] strides [%row] l2_promotion l2_128b : memref<?x?xbf16> to !sm90.tensor_map<128x64xbf16, b128>
      %mb = sm90.tensor_map.encode %b[0] dims [%c256, %kb] strides [%row] : memref<256x?xbf16> to !sm90.tensor_map<128x64xbf16, b128>
      %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %d : memref<?x?xf32, strided<[512, 1]>> -> memref<f32>, index, index, index, index, index
      %rows = affine.apply #tiles()[%sizes#0]
      %tiles = arith.muli %rows, %c2 : index
      %grid = arith.minui %tiles, %c148 : index
      %m32 = arith.index_cast %m : index to i32
      %m7 = arith.maxui %m, %c7 : index
      tmm.problem accumulate transpose_b ins(%a, %b : memref<?x?xbf16>, memref<256x?xbf16>) outs(%d : memref<?x?xf32, strided<[512, 1]>>)
      gpu.launch_func @kernels::@multiply clusters in (%c2, %c1, %c1) blocks in (%grid, %c1, %c1) threads in (%c128, %c1, %c1)
        dynamic_shared_memory_size %bytes
        args(%ma : !sm90.tensor_map<128x64xbf16, b128>, %mb : !sm90.tensor_map<128x64xbf16, b128>, %base : memref<f32>, %m32 : i32, %half : f32, %m7 : index)
    }
    return
  }
}
