// RUN: tc-opt --tmm-choose-config=chip=sm_107f --split-input-file --verify-diagnostics %s

// Which tiles have no second accumulator that shares B, and why.
func.func @blocks(%a: memref<?x?xf8E4M3FN>, %s: memref<?x?xf32>, %d: memref<?x?xf32>) {
  // expected-error @below {{the rows of the accumulator of one CTA, as threads add up the products of each K-block, nearest 128}}
  tmm.matmul transpose_b config <tile = <shape = 256x128x128, cta_group = 1>, scheduler = <sms = 8>>
    ins(%a, %a : memref<?x?xf8E4M3FN>, memref<?x?xf8E4M3FN>) scales(%s, %s : memref<?x?xf32>, memref<?x?xf32>)
    outs(%d : memref<?x?xf32>)
  return
}

// -----

// 320 threads.
func.func @registers(%a: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: expected at most 168 registers for each of 320 threads, got about 280 (128 columns at a time); choose a smaller epilogue-subtile or tile M}}
  tmm.matmul transpose_b config <tile = <shape = 256x128x64, cta_group = 1>, epilogue = <subtile = 128>, scheduler = <sms = 8>>
    ins(%a, %a : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
  return
}
