// RUN: tc-opt --tmm-choose-config=chip=sm_90a --split-input-file --verify-diagnostics %s

func.func @promoted(%a: memref<?x?xf8E4M3FN>, %s: memref<?x?xf32>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: late-release of on: expected off, threads add up the products of each K-block}}
  tmm.matmul transpose_b config <ring = <late_release = on>> ins(%a, %a : memref<?x?xf8E4M3FN>, memref<?x?xf8E4M3FN>)
    scales(%s, %s : memref<?x?xf32>, memref<?x?xf32>) outs(%d : memref<?x?xf32>)
  return
}
