//===- Operand.h - gather the operands of an MMA ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a matrix operand from shared memory through its descriptor, or A from
// Tensor Memory, into one 32-bit word per element (k fastest): packing rules of
// PTX ISA 9.0, "Packing formats of elements in Tensor and Shared memory",
// 9.7.16.10.4.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_ENGINES_TCGEN05_OPERAND_H
#define TC_EMULATOR_ENGINES_TCGEN05_OPERAND_H

#include "Engines/TCGen05/Layout.h"
#include "State/Memory.h"

#include <optional>
#include <vector>

namespace tc::emu {

class Observer;
class Tmem;

/// Where an operand in shared memory is and how it is read.
struct SmemOperand {
  SmemDescriptor descriptor;
  OperandType type;
  bool mnMajor = false;
  bool negate = false;
  /// 4- and 6-bit types with 16 elements per 16 bytes.
  bool padded = false;
  /// K-major rows whose elements are adjacent bits: how many an element has, 0:
  /// other rows. Of each row `rowBytes` are read, whatever is asked for.
  unsigned packedBits = 0, rowBytes = 0;
  /// Of a packed row: where the first element is.
  unsigned firstBit = 0;
  std::string_view name; ///< "a", "b"
};

/// Elements [first, first + count) along M or N, k of each, k fastest; with a
/// pitch one k after the other, and zeros up to the pitch. `undefined` becomes
/// the offset of a byte without a value for each along M or N, 0 where there is
/// none; it is empty if there is none at all.
Status gatherSmem(const SharedMemory &smem, const SmemOperand &operand,
                  unsigned first, unsigned count, unsigned k,
                  std::vector<uint32_t> &bits, std::vector<uint32_t> &undefined,
                  unsigned pitch = 0);

/// Whether these elements have a byte in [offset, offset + bytes).
bool smemOperandTouches(const SmemOperand &operand, unsigned first,
                        unsigned count, unsigned k, uint32_t offset,
                        uint32_t bytes);

/// Announces the bytes of these elements in the CTA of that rank.
void announceOperand(const SmemOperand &operand, unsigned rank, unsigned first,
                     unsigned count, unsigned k, Observer &events);

/// Offset of the first unit that asynchronous work is writing, if there is one.
std::optional<uint32_t> findLimbo(const SharedMemory &smem,
                                  const SmemOperand &operand, unsigned count,
                                  unsigned k);

/// A in Tensor Memory: row i at lanes[i], its k elements from `column` on, each
/// in `container` bits.
/// `undefined` becomes 1 + the column of a cell without a value for each row, 0
/// where there is none; it is empty if there is none at all.
Status gatherTmemA(Tmem &tmem, const OperandType &type, unsigned container,
                   bool negate, const std::vector<unsigned> &lanes,
                   unsigned column, unsigned k, std::vector<uint32_t> &bits,
                   std::vector<uint32_t> &undefined);

/// Turns the sign of each element around.
void negateAll(const OperandType &type, std::vector<uint32_t> &bits);

} // namespace tc::emu

#endif // TC_EMULATOR_ENGINES_TCGEN05_OPERAND_H
