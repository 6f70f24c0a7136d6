// RUN: tc-opt --tmm-choose-config=chip=sm_100a --verify-diagnostics %s

func.func @older(%a: memref<?x?xbf16>, %d: memref<?x?xf32>) {
  // expected-error @below {{configuration: split-ring of on: expected off, nothing says when A has been read (sm_107 does)}}
  tmm.matmul transpose_b config <ring = <split_ring = on>> ins(%a, %a : memref<?x?xbf16>, memref<?x?xbf16>)
    outs(%d : memref<?x?xf32>)
  return
}
