//===- Expression.h - Integer expressions over sizes ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Any number in a kernel description may be an expression over the problem
// sizes. The grammar, loosest binding first; comparisons yield 1 or 0:
//
//   or:      and { "or" and }
//   and:     compare { "and" compare }
//   compare: sum [ ("==" | "!=" | "<" | "<=" | ">" | ">=") sum ]
//   sum:     product { ("+" | "-") product }
//   product: unary { ("*" | "ceildiv" | "floordiv" | "mod") unary }
//   unary:   "-" unary | number | name | "(" or ")"
//            | ("min" | "max") "(" or { "," or } ")"
//
// Arithmetic is that of 64-bit signed integers; overflow and divisors below 1
// are errors, never wrapped or undefined.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_EXPRESSION_H
#define TC_RUNTIME_EXPRESSION_H

#include "tc/Runtime/Error.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tc::runtime {

/// Values of the named sizes.
using Sizes = std::map<std::string, int64_t>;

/// A parsed expression; cheap to copy, without references to its source.
class Expression {
public:
  /// The constant `value`.
  Expression(int64_t value = 0) : steps{{Op::Constant, value, {}}} {}

  /// Parses `text`; the error names the column (from 1).
  static Expected<Expression> parse(std::string_view text);

  /// The value under `sizes`; fails on an unknown name, on overflow and on a
  /// divisor below 1.
  Expected<int64_t> evaluate(const Sizes &sizes) const;

  /// The names it uses, in order of appearance.
  std::vector<std::string> names() const;

private:
  friend class ExpressionParser;

  enum class Op : uint8_t {
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
    Greater,
    GreaterEqual,
    And,
    Or
  };
  struct Step {
    Op op;
    int64_t value;
    std::string name;
  };
  static Expected<int64_t> apply(Op op, int64_t lhs, int64_t rhs);

  /// Postfix order: evaluation needs no recursion.
  std::vector<Step> steps;
};

} // namespace tc::runtime

#endif // TC_RUNTIME_EXPRESSION_H
