//===- MmaSpeed.cpp - Speed of the bit-accurate step ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints GMAC per second of processor time for a 128x256x16 bf16 step, decoding
// included.
//
//===----------------------------------------------------------------------===//

#include "Numerics/MmaBlock.h"

#include <cstdio>
#include <ctime>
#include <random>

using namespace tc::emu;

static void measure(const char *name, const std::vector<uint32_t> &a,
                    const std::vector<uint32_t> &b, MmaPath path,
                    unsigned repetitions) {
  const unsigned m = 128, n = 256, k = 16;
  std::vector<uint32_t> d(m * n);
  std::vector<uint32_t *> rows(m);
  for (unsigned i = 0; i < m; ++i)
    rows[i] = &d[i * n];
  OperandPlanes pa, pb;
  std::clock_t start = std::clock();
  for (unsigned i = 0; i < repetitions; ++i) {
    decodeOperand(pa, false, NumberFormat::BF16, m, k, a.data());
    decodeOperand(pb, true, NumberFormat::BF16, n, k, b.data());
    mmaStep(dotRule(DotKind::F16toF32), pa, pb, rows.data(), i > 0, path);
  }
  double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
  std::printf("%-28s %7.2f GMAC/s\n", name,
              double(m) * n * k * repetitions / seconds * 1e-9);
}

int main() {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  std::vector<uint32_t> a(128 * 16), b(256 * 16), integersA(a.size()),
      integersB(b.size());
  for (auto *operand : {&a, &b})
    for (uint32_t &x : *operand)
      x = encodeNumber(NumberFormat::BF16, normal(random),
                       RoundingMode::NearestEven, false);
  for (auto *operand : {&integersA, &integersB})
    for (uint32_t &x : *operand)
      x = encodeNumber(NumberFormat::BF16, static_cast<int>(random() % 9) - 4,
                       RoundingMode::NearestEven, false);
  std::printf("instruction set: %s\n", mmaInstructionSet().data());
  measure("normal data", a, b, MmaPath::Auto, 6000);
  measure("small integers", integersA, integersB, MmaPath::Auto, 6000);
  measure("reference model", a, b, MmaPath::Reference, 2);
  return 0;
}
