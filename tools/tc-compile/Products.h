//===- Products.h - lists of matmuls ----------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What tc-compile --bundle compiles, a matmul to a line:
//
//   M N K A B D LAYOUT [scales=blocks] [name=NAME]     # a comment
//
// M, N and K are numbers, or ? where they are known at run time. A and B are
// element types of kernel descriptions or block-scaled formats (mxfp8,
// mxfp8_e5m2, mxfp4, nvfp4), D is an element type. LAYOUT has a letter for A,
// n: M x K or t: K x M, and one for B, n: K x N or t: N x K. With scales=blocks
// A and B are e4m3 or e5m2 with f32 factors for 1 x 128 elements of A and
// 128 x 128 of B.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TOOLS_TCCOMPILE_PRODUCTS_H
#define TC_TOOLS_TCCOMPILE_PRODUCTS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>
#include <string>
#include <vector>

namespace tc {

/// A type of operands: the MLIR type of elements, and for formats with factors
/// their type and the elements of K that share one.
struct OperandType {
  llvm::StringLiteral name, element, factor;
  int64_t block;
};

/// A size that is known at run time.
constexpr int64_t kAnySize = -1;

struct Product {
  unsigned line = 0;
  std::string name;
  int64_t m = 0, n = 0, k = 0;
  const OperandType *a = nullptr, *b = nullptr, *d = nullptr;
  bool transposeA = false, transposeB = false;
  bool hasBlockFactors = false;

  /// The function `name` that computes it. `config` is an attribute of the op;
  /// empty: none.
  std::string getFunction(llvm::StringRef name,
                          llvm::StringRef config = "") const;
};

/// The products of a list; none, with an error for each wrong line on `errors`,
/// where it is wrong.
std::optional<std::vector<Product>> readProducts(llvm::StringRef text,
                                                 llvm::StringRef file,
                                                 llvm::raw_ostream &errors);

} // namespace tc

#endif // TC_TOOLS_TCCOMPILE_PRODUCTS_H
