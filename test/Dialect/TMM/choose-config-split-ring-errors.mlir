// RUN: tc-opt --tmm-choose-config=chip=sm_107f --split-input-file --verify-diagnostics %s

// Other units and chips are not told when A was read.
func.func @unit(%a: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: split-ring of on: expected off, no instruction of mma-sync says when it has read A}}
  tmm.matmul transpose_b config <tile = <unit = mma_sync>, ring = <split_ring = on>, scheduler = <sms = 8>> ins(%a, %a : memref<?x?xbf16>, memref<?x?xbf16>)
    outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @one_stage(%a: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: split-ring of on: expected off, with one stage the next K-block waits for that slot of B}}
  tmm.matmul transpose_b config <ring = <stages = 1, split_ring = on>, scheduler = <sms = 8>> ins(%a, %a : memref<?x?xbf16>, memref<?x?xbf16>)
    outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @rows(%a: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: tile M of 384: expected 64, 128 or 256, the rows of the accumulator of one CTA, or of two that share B in each, nearest 256}}
  tmm.matmul transpose_b config <tile = <shape = 384x128x64, cta_group = 1>, scheduler = <sms = 8>> ins(%a, %a : memref<?x?xbf16>, memref<?x?xbf16>)
    outs(%d : memref<?x?xf32>)
  return
}
