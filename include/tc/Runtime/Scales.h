//===- Scales.h - blocks of scale factors -----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For hosts: where scale factors are that the matrix unit reads, in blocks of
// 128 rows and 4 columns. Written from the description of tmm.matmul.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_SCALES_H
#define TC_RUNTIME_SCALES_H

#include <cstdint>
#include <vector>

namespace tc::runtime {

/// Bytes of the blocks of a matrix of factors.
int64_t countScaleBytes(int64_t rows, int64_t columns);

/// The byte of the factor of row `row` and column `column`, of `columns`.
int64_t locateScale(int64_t columns, int64_t row, int64_t column);

/// The blocks of `factors`, rows x columns. `fill` fills them up: a number for
/// elements of 4 bits, whose instructions may read it.
std::vector<uint8_t> interleaveScales(int64_t rows, int64_t columns,
                                      const uint8_t *factors, uint8_t fill = 0);

} // namespace tc::runtime

#endif // TC_RUNTIME_SCALES_H
