// RUN: share-opt %s --split-input-file --spare-multiprocessors=count=148 --verify-diagnostics

func.func @no_configuration(%a: memref<128x64xbf16>, %b: memref<64x64xbf16>, %d: memref<128x64xf32>) {
  // expected-error @+1 {{has no configuration: expected tmm-choose-config before this pass}}
  tmm.matmul ins(%a, %b : memref<128x64xbf16>, memref<64x64xbf16>) outs(%d : memref<128x64xf32>)
  return
}

// -----

func.func @nothing_left(%a: memref<128x64xbf16>, %b: memref<64x64xbf16>, %d: memref<128x64xf32>) {
  // expected-error @+1 {{runs on 148 multiprocessors, expected more than the 148 that are spared}}
  tmm.matmul config <scheduler = <sms = 148>> ins(%a, %b : memref<128x64xbf16>, memref<64x64xbf16>) outs(%d : memref<128x64xf32>)
  return
}
