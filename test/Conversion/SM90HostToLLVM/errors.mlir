// RUN: tc-opt %s -convert-sm90-host-to-llvm -verify-diagnostics

func.func @returned(%a: memref<64x64xbf16>) -> !sm90.tensor_map<64x64xbf16, b128> {
  // expected-error @below {{expected launches as its only users, got 'func.return'}}
  %map = sm90.tensor_map.encode %a[0] dims [64, 64] strides [128] : memref<64x64xbf16> to !sm90.tensor_map<64x64xbf16, b128>
  return %map : !sm90.tensor_map<64x64xbf16, b128>
}
