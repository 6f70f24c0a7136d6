//===- WmmaFragment.h - which lane has what of a matrix ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, "Matrix Fragments for WMMA", 9.7.14.4.1: how many registers a
// fragment has. Where an element is in them is unspecified; here it is where
// mma.sync would have it. A and B of f16 have more registers than elements, so
// some lanes hold copies.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_EXEC_MMA_WMMAFRAGMENT_H
#define TC_EMULATOR_EXEC_MMA_WMMAFRAGMENT_H

#include "Exec/Decode/InstructionTable.h"
#include "State/Warp.h"

#include <string>
#include <vector>

namespace tc::emu {

struct WmmaShape {
  unsigned m = 0, n = 0, k = 0;
};

enum class WmmaType : uint8_t {
  F16,
  BF16,
  TF32,
  F32,
  F64,
  S8,
  U8,
  S4,
  U4,
  B1,
  S32
};
const char *toString(WmmaType type);

/// Take .m16n16k16 and the like, and .f16 and the like; false after an error.
bool takeWmmaShape(DecodeContext &context, WmmaShape &shape);
bool takeWmmaType(DecodeContext &context, WmmaType &type);

struct WmmaFragment {
  enum Part : uint8_t { A, B, C }; ///< C: and D
  struct Place {
    uint16_t row, column;
  };

  Part part = A;
  WmmaType type = WmmaType::F16;
  unsigned rows = 0, columns = 0;
  unsigned bits = 0;      ///< of an element
  unsigned distinct = 0;  ///< registers of a lane, without copies
  unsigned registers = 0; ///< with copies

  std::vector<Place> places; ///< by register, lane and element

  /// Elements of a register, neighbours along K, or along a row of C.
  unsigned perRegister() const { return bits < 32 ? 32 / bits : 1; }
  unsigned registerBits() const { return bits == 64 ? 64 : 32; }
  /// What a register of the fragment is declared as.
  Type slot() const {
    return bits == 64              ? Type::F64
           : type == WmmaType::F32 ? Type::F32
                                   : Type::B32;
  }
  /// Where element `element` of register `index` of `lane` is; `index` is below
  /// `distinct`.
  Place place(unsigned index, unsigned lane, unsigned element) const {
    return places[(index * 32 + lane) * perRegister() + element];
  }
  /// Whether the elements of a register are neighbours in memory.
  bool isContiguous(bool rowMajor) const {
    return perRegister() == 1 || rowMajor == (part != B);
  }
  /// Bytes of a register that are neighbours in memory.
  unsigned accessBytes(bool rowMajor) const {
    return isContiguous(rowMajor) ? registerBits() / 8 : bits / 8;
  }
};

/// The fragment of a matrix of the shape; `why` is set if the ISA has none.
WmmaFragment wmmaFragment(WmmaFragment::Part part, WmmaType type,
                          const WmmaShape &shape, std::string &why);

/// The elements out of the registers: [row][column] of A and C, [column][row]
/// of B. Those of 64 bits take two words.
void unpackFragment(const Warp &warp, const WmmaFragment &fragment,
                    const std::vector<Src> &sources,
                    std::vector<uint32_t> &elements);

} // namespace tc::emu

#endif // TC_EMULATOR_EXEC_MMA_WMMAFRAGMENT_H
