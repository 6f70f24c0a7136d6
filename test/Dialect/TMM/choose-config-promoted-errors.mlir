// RUN: tc-opt --tmm-choose-config --split-input-file --verify-diagnostics %s

func.func @tile_n(%a: memref<?x?xf8E4M3FN>, %s: memref<?x?xf32>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: tile N of 256: expected a multiple of 16 up to 128 (threads hold the sums of K-blocks of their rows), nearest 128}}
  tmm.matmul transpose_b config <tile = <shape = 128x256x128, cta_group = 1>> ins(%a, %a : memref<?x?xf8E4M3FN>, memref<?x?xf8E4M3FN>)
    scales(%s, %s : memref<?x?xf32>, memref<?x?xf32>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @tile_k(%a: memref<?x?xf8E4M3FN>, %s: memref<?x?xf32>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: tile K of 256: expected 128, the elements that share a scale factor}}
  tmm.matmul transpose_b config <tile = <shape = 128x128x256>> ins(%a, %a : memref<?x?xf8E4M3FN>, memref<?x?xf8E4M3FN>)
    scales(%s, %s : memref<?x?xf32>, memref<?x?xf32>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @registers(%a: memref<?x?xf8E4M3FN>, %s: memref<?x?xf32>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: expected at most 255 registers for each of 128 threads, got about 256 (128 of them for the sums of a row); choose a smaller tile N}}
  tmm.matmul transpose_b config <tile = <shape = 128x128x128>, ring = <stages = 2>, roles = <kind = none>> ins(%a, %a : memref<?x?xf8E4M3FN>, memref<?x?xf8E4M3FN>)
    scales(%s, %s : memref<?x?xf32>, memref<?x?xf32>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @scale_stages(%a: memref<?x?xf8E4M3FN>, %s: memref<?x?xf32>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: scale-stages of 2: expected none, the operands have no scale factors}}
  tmm.matmul transpose_b config <ring = <scale_stages = 2>> ins(%a, %a : memref<?x?xf8E4M3FN>, memref<?x?xf8E4M3FN>)
    scales(%s, %s : memref<?x?xf32>, memref<?x?xf32>) outs(%d : memref<?x?xf32>)
  return
}

// -----

func.func @accumulators(%a: memref<?x?xf8E4M3FN>, %s: memref<?x?xf32>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: expected at most 512 columns of Tensor Memory, got 640 (5 accumulators of 128 columns); at most 4 accumulator stages fit this tile}}
  tmm.matmul transpose_b config <tile = <shape = 128x128x128>, accumulators = <stages = 5>> ins(%a, %a : memref<?x?xf8E4M3FN>, memref<?x?xf8E4M3FN>)
    scales(%s, %s : memref<?x?xf32>, memref<?x?xf32>) outs(%d : memref<?x?xf32>)
  return
}

// -----

// Nine warps take the registers of twelve.
func.func @loads_of_threads(%a: memref<?x?xf8E4M3FN>, %s: memref<?x?xf32>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: expected at most 168 registers for each of 288 threads, got about 188 (96 of them for the sums of a row); choose a smaller tile N}}
  tmm.matmul transpose_b config <tile = <shape = 128x96x128, cta_group = 1>, ring = <load_a = threads, load_b = threads>> ins(%a, %a : memref<?x?xf8E4M3FN>, memref<?x?xf8E4M3FN>)
    scales(%s, %s : memref<?x?xf32>, memref<?x?xf32>) outs(%d : memref<?x?xf32>)
  return
}
