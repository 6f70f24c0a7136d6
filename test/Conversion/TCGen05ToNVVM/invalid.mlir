// RUN: tc-opt %s -convert-tcgen05-to-nvvm -verify-diagnostics

func.func @reserve() {
  // expected-error @+1 {{expected no tcgen05.reserve, which tcgen05-allocate-tmem replaces}}
  %acc = tcgen05.reserve : !tcgen05.tmem<128x128xf32, D>
  return
}
