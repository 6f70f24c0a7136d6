//===- SizeExpression.h - integer expressions over sizes --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to Target/PTX: the expressions of a kernel description. They are
// folded as they are built, so that what is known statically is a number.
// Sizes are at least 0; expressions over them have the 64-bit arithmetic of
// the reader (docs of tc-run).
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TARGET_PTX_SIZEEXPRESSION_H
#define TC_LIB_TARGET_PTX_SIZEEXPRESSION_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace tc {

/// An immutable expression; copies share their nodes.
class SizeExpression {
public:
  enum class Kind {
    Constant,
    Name,
    Add,
    Sub,
    Mul,
    CeilDiv,
    FloorDiv,
    Mod,
    Min,
    Max,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    And,
    Or
  };

  SizeExpression(int64_t value = 0);
  /// A size, or a scalar argument, which may be below zero.
  static SizeExpression name(llvm::StringRef name, bool isSize = true);
  /// `lhs kind rhs`, folded. Divisions by a constant below 1 are not folded:
  /// the reader refuses them when it evaluates.
  static SizeExpression get(Kind kind, const SizeExpression &lhs,
                            const SizeExpression &rhs);
  /// 1 where this is 0, else 0.
  SizeExpression logicalNot() const;

  SizeExpression operator+(const SizeExpression &rhs) const {
    return get(Kind::Add, *this, rhs);
  }
  SizeExpression operator*(const SizeExpression &rhs) const {
    return get(Kind::Mul, *this, rhs);
  }

  std::optional<int64_t> constant() const;
  /// Never below zero, whatever the sizes, and the scalars unless those are
  /// not negative.
  bool isNonNegative(bool ofScalars = false) const;
  /// Calls `visit` with each scalar in it.
  void
  forEachScalar(llvm::function_ref<void(const SizeExpression &)> visit) const;
  /// Known to be 0 or 1.
  bool isBoolean() const;
  bool operator==(const SizeExpression &other) const;

  /// Infix text with the parentheses that it needs.
  std::string str() const;
  /// A number where it is constant, else its text.
  llvm::json::Value json() const;

private:
  struct Node;
  using NodePtr = std::shared_ptr<const Node>;
  explicit SizeExpression(NodePtr node) : node(std::move(node)) {}

  NodePtr node;
};

} // namespace tc

#endif // TC_LIB_TARGET_PTX_SIZEEXPRESSION_H
