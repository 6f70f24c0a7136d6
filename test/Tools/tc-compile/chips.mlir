// Every target with tcgen05, from linalg to what ptxas takes. How many multiprocessors
// some have is not known: the configuration says it.
// RUN: tc-compile %s --chip=sm_100a -o %t.100a.ptx
// RUN: tc-compile %s --chip=sm_100f -o %t.100f.ptx
// RUN: tc-compile %s --chip=sm_103a --config=sms=20 -o %t.103a.ptx
// RUN: tc-compile %s --chip=sm_103f --config=sms=20 -o %t.103f.ptx
// RUN: tc-compile %s --chip=sm_110a --config=sms=20 -o %t.110a.ptx
// RUN: tc-compile %s --chip=sm_110f --config=sms=20 -o %t.110f.ptx
// RUN: %python %S/../../Conversion/TCGen05ToNVVM/Inputs/assemble.py %t.100a.ptx sm_100a
// RUN: %python %S/../../Conversion/TCGen05ToNVVM/Inputs/assemble.py %t.100f.ptx sm_100f
// RUN: %python %S/../../Conversion/TCGen05ToNVVM/Inputs/assemble.py %t.103a.ptx sm_103a
// RUN: %python %S/../../Conversion/TCGen05ToNVVM/Inputs/assemble.py %t.103f.ptx sm_103f
// RUN: %python %S/../../Conversion/TCGen05ToNVVM/Inputs/assemble.py %t.110a.ptx sm_110a
// RUN: %python %S/../../Conversion/TCGen05ToNVVM/Inputs/assemble.py %t.110f.ptx sm_110f
// RUN: FileCheck %s --input-file=%t.110f.ptx
// CHECK: .target sm_110f
// CHECK: tcgen05.mma.cta_group::{{[12]}}.kind::f16

// The stages in between are compiled further: matmuls know the number that was
// given, kernels need none.
// RUN: tc-compile %s --chip=sm_103a --config=sms=20 --emit=tmm | tc-compile - --chip=sm_103a -o - | cmp - %t.103a.ptx
// RUN: tc-compile %s --chip=sm_103a --config=sms=20 --emit=tiles | tc-compile - --chip=sm_103a -o - | FileCheck %s --check-prefix=FURTHER
// RUN: tc-compile %s --chip=sm_103a --config=sms=20 --emit=roles | tc-compile - --chip=sm_103a -o - | FileCheck %s --check-prefix=FURTHER
// RUN: tc-compile %s --chip=sm_103a --config=sms=20 --emit=tcgen05 | tc-compile - --chip=sm_103a -o - | FileCheck %s --check-prefix=FURTHER
// RUN: tc-compile %s --chip=sm_103a --config=sms=20 --emit=nvvm | tc-compile - --chip=sm_103a -o - | FileCheck %s --check-prefix=FURTHER
// FURTHER: .target sm_103a

// RUN: not tc-compile %s --chip=sm_110a -o %t.ptx 2>&1 | FileCheck %s --check-prefix=SMS
// SMS: error: chip option: expected a chip with a known matrix unit and number of multiprocessors, got 'sm_110a'; known are sm_100a, sm_100f, sm_90a, sm_120a, sm_121a, sm_80, sm_86, sm_89, others with sms in the configuration
func.func @matmul(%a: memref<256x128xbf16>, %b: memref<128x512xbf16>, %d: memref<256x512xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%d : memref<256x512xf32>)
  linalg.matmul ins(%a, %b : memref<256x128xbf16>, memref<128x512xbf16>) outs(%d : memref<256x512xf32>)
  return
}
