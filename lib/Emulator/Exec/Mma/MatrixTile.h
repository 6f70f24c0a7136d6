//===- MatrixTile.h - register fragments and tile products ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What mma.sync and wgmma share: the element types of an operand, where a
// lane's registers are in a matrix (PTX ISA 9.0, "Matrix Fragments for
// mma.m16n8k16", 9.7.14.5, and "Register Fragments", 9.7.15.5.1), and the
// product of one warp's rows.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_EXEC_MMA_MATRIXTILE_H
#define TC_EMULATOR_EXEC_MMA_MATRIXTILE_H

#include "Engines/TCGen05/Descriptor.h"
#include "Exec/Decode/InstructionTable.h"
#include "Numerics/FusedDotAdd.h"
#include "State/Warp.h"

#include <vector>

namespace tc::emu {

/// The operand type of a PTX type: f16, bf16, tf32, e4m3, e5m2, s8 or u8.
/// False for others.
bool matrixOperandType(Type type, OperandType &out);

/// What a product computes.
struct TileForm {
  OperandType a, b;
  /// Rows: 16 per warp, 8 for mma.m8n8k16.
  unsigned m = 16, n = 0, k = 0;
  /// F32 or F16; integer accumulators have `integer`.
  NumberFormat accumulator = NumberFormat::F32;
  bool integer = false, saturate = false;
  /// wgmma: FP8 keeps 13 fractional bits and gives sums of 13 mantissa bits.
  bool hopper = false;
};

/// Registers of A for g = m / 8 groups of rows, `k` columns: register j of lane
/// l holds the elements of row l / 4 + 8 (j % g) from column (4 (j / g) + l %
/// 4)
/// * 32 / bits.
unsigned fragmentRegistersA(const TileForm &form);
/// Registers of D for `m` rows, `n` columns.
unsigned fragmentRegistersD(const TileForm &form);

/// A of m x k out of registers, k fastest. `values[j]` are 32 lanes.
void unpackA(const TileForm &form, const std::vector<const uint32_t *> &values,
             bool negate, std::vector<uint32_t> &bits);
/// B of k x n (n a multiple of 8) out of registers, [n][k]; mma.sync only.
void unpackB(const TileForm &form, const std::vector<const uint32_t *> &values,
             std::vector<uint32_t> &bits);
/// C or D of m x n between registers and cells [row][column].
void unpackD(const TileForm &form, const std::vector<const uint32_t *> &values,
             std::vector<uint32_t> &cells);
void packD(const TileForm &form, const std::vector<uint32_t> &cells,
           const std::vector<uint32_t *> &values);

/// What of A, B and C has no value, with its origin; 0: it has one. A row of A
/// leaves its row of D without values, a column of B its column.
struct UndefinedTile {
  std::vector<OriginId> rows, columns,
      cells; ///< [row], [column], [row][column]
  bool any = false;

  explicit UndefinedTile(const TileForm &form)
      : rows(form.m), columns(form.n), cells(size_t(form.m) * form.n) {}
  void note(OriginId &place, OriginId origin) {
    any = true;
    if (!place)
      place = origin;
  }
};

/// Notes the operands of mma.sync and wgmma that are in registers.
void findUndefinedA(const Warp &warp, const DecodedInst &inst,
                    const TileForm &form, const std::vector<Src> &sources,
                    UndefinedTile &tile);
void findUndefinedB(const Warp &warp, const DecodedInst &inst,
                    const std::vector<Src> &sources, UndefinedTile &tile);
/// C is register `index`; lanes of which its halves have no value.
void findUndefinedC(const Warp &warp, const DecodedInst &inst,
                    const TileForm &form, unsigned index, const Src &source,
                    uint32_t low, uint32_t high, UndefinedTile &tile);
/// The lanes of which the halves of register `index` of D have no value, and
/// their origins.
struct UndefinedRegister {
  uint32_t halves[2] = {0, 0};
  OriginId origins[32] = {};
};
UndefinedRegister undefinedOfD(const TileForm &form, const UndefinedTile &tile,
                               unsigned index);

/// Whether all of the registers have a value in the lanes.
bool areAllDefined(const Warp &warp, const std::vector<Src> &sources,
                   uint32_t lanes);

/// cells = A * B + (accumulate ? cells : 0), K-group by K-group.
void multiplyTile(const TileForm &form, const std::vector<uint32_t> &a,
                  const std::vector<uint32_t> &b, bool accumulate,
                  std::vector<uint32_t> &cells);

} // namespace tc::emu

#endif // TC_EMULATOR_EXEC_MMA_MATRIXTILE_H
