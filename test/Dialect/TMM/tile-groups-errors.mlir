// RUN: tc-opt %s -tmm-tile=chip=sm_90a -split-input-file -verify-diagnostics

// The first work item is found before the roles, of which each waits for itself.
func.func @pdl(%a: memref<520x136xbf16>, %b: memref<5x136x136xbf16>, %ends: memref<5xi32>, %d: memref<520x136xbf16>) {
  // expected-error @below {{expected pdl = off with operand ends, which all roles read before they wait, got on}}
  tmm.matmul transpose_b config <tile = <shape = 64x64x64>, ring = <swizzle = 128B>, scheduler = <sms = 4, pdl = on>, epilogue = <subtile = 32>>
    ins(%a, %b : memref<520x136xbf16>, memref<5x136x136xbf16>) ends(%ends : memref<5xi32>) outs(%d : memref<520x136xbf16>)
  return
}
