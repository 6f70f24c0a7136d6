//===- Oracle.h - what the ISA's tables say ---------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which rules a combination breaks, written down a second time from the PTX ISA
// (9.7.16.2.1, 9.7.16.10.1 to .8), apart from the tables that the verifiers
// use: what the two say must agree.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_LEGALITY_ORACLE_H
#define TC_TEST_LEGALITY_ORACLE_H

#include <cstdint>
#include <string>
#include <string_view>

namespace tc::legality {

enum class Form { Mma, Scaled, WeightStationary };
enum class Kind { F16, TF32, F8F6F4, I8, MXF8F6F4, MXF4, MXF4NVF4, TI16 };
enum class Element {
  F16,
  BF16,
  F32,
  E4M3,
  E5M2,
  E2M3,
  E3M2,
  E2M1,
  S8,
  U8,
  I32,
  S16
};
enum class Swizzle { None, B32, B64, B128, Atom32 };
enum class Factor { UE8M0, UE4M3, UE5M3 };

/// An operand in shared memory.
struct Tile {
  bool mnMajor = false;
  Swizzle swizzle = Swizzle::None;
};

struct Combination {
  Form op = Form::Mma;
  Kind kind = Kind::F16;
  Element a = Element::F16, b = Element::F16, d = Element::F32;
  int group = 1;
  /// The data path layout of D, A to G, and N.
  char layout = 'D';
  int n = 8;
  bool sparse = false;
  bool tmemA = false;
  Tile tileA, tileB;
  Factor factor = Factor::UE8M0;
  int block = 32;
};

/// The rules, by what they are about; the operations number them on their own.
enum Rule : unsigned {
  KindOfOp = 1 << 0,
  Accumulator = 1 << 1,
  ColumnsN = 1 << 2,
  Types = 1 << 3,
  MatrixA = 1 << 4,
  Extents = 1 << 5,
  Steps = 1 << 6,
  Layouts = 1 << 7,
  Metadata = 1 << 8,
  ScaleFactors = 1 << 9,
  Modifiers = 1 << 10,
  Unknown = 1u << 31
};

/// The rules that `c` breaks; 0: it is legal.
unsigned findBroken(const Combination &c);
/// Whether a legal `c` is so with a K of 64 bytes of a row as well (PTX
/// ISA 9.4, 9.7.18.2.1): where sources disagree, it is not.
bool isWide(const Combination &c);
/// The same with B as indices of 3 bits (9.7.18.10.8).
bool isLookup(const Combination &c);
/// The rule whose diagnostic `message` is.
Rule getRule(std::string_view message);
/// The name of `op` in labels.
const char *getName(Form op);
/// The label of `rule` in `op`: "tcgen05_mma_c2".
std::string getLabel(Form op, Rule rule);

} // namespace tc::legality

#endif // TC_TEST_LEGALITY_ORACLE_H
