//===- SizeExpression.cpp - integer expressions over sizes ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Building with folding, and printing with as few parentheses as the reader's
// precedence allows.
//
//===----------------------------------------------------------------------===//

#include "SizeExpression.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace tc;
using Kind = SizeExpression::Kind;

struct SizeExpression::Node {
  Kind kind;
  int64_t value;
  std::string name;
  NodePtr lhs, rhs;
};

SizeExpression::SizeExpression(int64_t value)
    : node(std::make_shared<Node>(Node{Kind::Constant, value, "", {}, {}})) {}

SizeExpression SizeExpression::name(llvm::StringRef name, bool isSize) {
  // The value of a name is whether it may be negative.
  return SizeExpression(
      std::make_shared<Node>(Node{Kind::Name, !isSize, name.str(), {}, {}}));
}

void SizeExpression::forEachScalar(
    llvm::function_ref<void(const SizeExpression &)> visit) const {
  if (node->kind == Kind::Name && node->value)
    visit(*this);
  if (!node->lhs)
    return;
  SizeExpression(node->lhs).forEachScalar(visit);
  SizeExpression(node->rhs).forEachScalar(visit);
}

std::optional<int64_t> SizeExpression::constant() const {
  if (node->kind == Kind::Constant)
    return node->value;
  return std::nullopt;
}

bool SizeExpression::operator==(const SizeExpression &other) const {
  if (node == other.node)
    return true;
  if (node->kind != other.node->kind || node->value != other.node->value ||
      node->name != other.node->name || !node->lhs != !other.node->lhs)
    return false;
  return !node->lhs ||
         (SizeExpression(node->lhs) == SizeExpression(other.node->lhs) &&
          SizeExpression(node->rhs) == SizeExpression(other.node->rhs));
}

bool SizeExpression::isBoolean() const {
  switch (node->kind) {
  case Kind::Constant:
    return node->value == 0 || node->value == 1;
  case Kind::Equal:
  case Kind::NotEqual:
  case Kind::Less:
  case Kind::LessEqual:
  case Kind::And:
  case Kind::Or:
    return true;
  default:
    return false;
  }
}

bool SizeExpression::isNonNegative(bool ofScalars) const {
  if (isBoolean())
    return true;
  auto side = [&](const NodePtr &operand) {
    return SizeExpression(operand).isNonNegative(ofScalars);
  };
  switch (node->kind) {
  case Kind::Constant:
    return node->value >= 0;
  case Kind::Name:
    return ofScalars || !node->value;
  case Kind::Max:
    return side(node->lhs) || side(node->rhs);
  case Kind::Sub:
    return false;
  default:
    return side(node->lhs) && side(node->rhs);
  }
}

//===----------------------------------------------------------------------===//
// Folding
//===----------------------------------------------------------------------===//

/// The value of `lhs kind rhs`, unless it overflows or divides by less than 1.
static std::optional<int64_t> evaluate(Kind kind, int64_t lhs, int64_t rhs) {
  int64_t result;
  switch (kind) {
  case Kind::Constant:
  case Kind::Name:
    return std::nullopt;
  case Kind::Add:
    return llvm::AddOverflow(lhs, rhs, result) ? std::nullopt
                                               : std::optional(result);
  case Kind::Sub:
    return llvm::SubOverflow(lhs, rhs, result) ? std::nullopt
                                               : std::optional(result);
  case Kind::Mul:
    return llvm::MulOverflow(lhs, rhs, result) ? std::nullopt
                                               : std::optional(result);
  case Kind::CeilDiv:
  case Kind::FloorDiv:
  case Kind::Mod:
    if (rhs < 1)
      return std::nullopt;
    if (kind == Kind::CeilDiv)
      return llvm::divideCeilSigned(lhs, rhs);
    if (kind == Kind::FloorDiv)
      return llvm::divideFloorSigned(lhs, rhs);
    return llvm::mod(lhs, rhs);
  case Kind::Min:
    return std::min(lhs, rhs);
  case Kind::Max:
    return std::max(lhs, rhs);
  case Kind::Equal:
    return lhs == rhs;
  case Kind::NotEqual:
    return lhs != rhs;
  case Kind::Less:
    return lhs < rhs;
  case Kind::LessEqual:
    return lhs <= rhs;
  case Kind::And:
    return lhs != 0 && rhs != 0;
  case Kind::Or:
    return lhs != 0 || rhs != 0;
  }
  return std::nullopt;
}

/// The folds of `lhs kind constant`; nothing where none applies.
static std::optional<SizeExpression>
foldConstantRight(Kind kind, const SizeExpression &lhs, int64_t rhs) {
  switch (kind) {
  case Kind::Add:
  case Kind::Sub:
    if (rhs == 0)
      return lhs;
    break;
  case Kind::Mul:
    if (rhs == 1)
      return lhs;
    if (rhs == 0)
      return SizeExpression(0);
    break;
  case Kind::CeilDiv:
  case Kind::FloorDiv:
    if (rhs == 1)
      return lhs;
    break;
  case Kind::Mod:
    if (rhs == 1)
      return SizeExpression(0);
    break;
  case Kind::Max:
    if (rhs <= 0 && lhs.isNonNegative())
      return lhs;
    break;
  case Kind::Min:
    if (rhs <= 0 && lhs.isNonNegative())
      return SizeExpression(rhs);
    break;
  case Kind::Less:
    if (rhs <= 0 && lhs.isNonNegative())
      return SizeExpression(0);
    break;
  case Kind::NotEqual:
    if (rhs == 0 && lhs.isBoolean())
      return lhs;
    if (rhs < 0 && lhs.isNonNegative())
      return SizeExpression(1);
    break;
  case Kind::Equal:
    if (rhs == 0 && lhs.isBoolean())
      return lhs.logicalNot();
    if (rhs == 1 && lhs.isBoolean())
      return lhs;
    if (rhs < 0 && lhs.isNonNegative())
      return SizeExpression(0);
    break;
  case Kind::And:
    if (rhs == 0)
      return SizeExpression(0);
    if (lhs.isBoolean())
      return lhs;
    break;
  case Kind::Or:
    if (rhs != 0)
      return SizeExpression(1);
    if (lhs.isBoolean())
      return lhs;
    break;
  default:
    break;
  }
  return std::nullopt;
}

static bool isCommutative(Kind kind) {
  switch (kind) {
  case Kind::Add:
  case Kind::Mul:
  case Kind::Min:
  case Kind::Max:
  case Kind::Equal:
  case Kind::NotEqual:
  case Kind::And:
  case Kind::Or:
    return true;
  default:
    return false;
  }
}

SizeExpression SizeExpression::get(Kind kind, const SizeExpression &lhs,
                                   const SizeExpression &rhs) {
  std::optional<int64_t> l = lhs.constant(), r = rhs.constant();
  if (l && r)
    if (std::optional<int64_t> value = evaluate(kind, *l, *r))
      return SizeExpression(*value);
  if (l && !r && isCommutative(kind))
    return get(kind, rhs, lhs);
  if (r)
    if (std::optional<SizeExpression> folded = foldConstantRight(kind, lhs, *r))
      return *folded;
  // 0 <= size and 0 < size.
  if (l && kind == Kind::LessEqual && *l <= 0 && rhs.isNonNegative())
    return SizeExpression(1);
  if (l && kind == Kind::Less && *l == 0 && rhs.isNonNegative())
    return get(Kind::NotEqual, rhs, SizeExpression(0));
  // (x op c) op d, for the operators that are their own bound.
  if (r && (kind == Kind::Min || kind == Kind::Max) && lhs.node->kind == kind)
    if (std::optional<int64_t> inner = SizeExpression(lhs.node->rhs).constant())
      return get(kind, SizeExpression(lhs.node->lhs),
                 SizeExpression(*evaluate(kind, *inner, *r)));
  // A multiple of a multiple of d has no remainder by d.
  if (r && *r > 0 && kind == Kind::Mod && lhs.node->kind == Kind::Mul)
    if (std::optional<int64_t> factor =
            SizeExpression(lhs.node->rhs).constant();
        factor && *factor % *r == 0)
      return SizeExpression(0);
  if (lhs == rhs) {
    switch (kind) {
    case Kind::Sub:
    case Kind::NotEqual:
    case Kind::Less:
      return SizeExpression(0);
    case Kind::Equal:
    case Kind::LessEqual:
      return SizeExpression(1);
    case Kind::Min:
    case Kind::Max:
      return lhs;
    default:
      break;
    }
  }
  return SizeExpression(
      std::make_shared<Node>(Node{kind, 0, "", lhs.node, rhs.node}));
}

SizeExpression SizeExpression::logicalNot() const {
  SizeExpression lhs(node->lhs), rhs(node->rhs);
  switch (node->kind) {
  case Kind::Equal:
    return get(Kind::NotEqual, lhs, rhs);
  case Kind::NotEqual:
    return get(Kind::Equal, lhs, rhs);
  case Kind::Less:
    return get(Kind::LessEqual, rhs, lhs);
  case Kind::LessEqual:
    return get(Kind::Less, rhs, lhs);
  case Kind::And:
    return get(Kind::Or, lhs.logicalNot(), rhs.logicalNot());
  case Kind::Or:
    return get(Kind::And, lhs.logicalNot(), rhs.logicalNot());
  default:
    return get(Kind::Equal, *this, SizeExpression(0));
  }
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

/// How tightly an operator binds; the reader's grammar, loosest first.
static unsigned bindingOf(Kind kind) {
  switch (kind) {
  case Kind::Or:
    return 1;
  case Kind::And:
    return 2;
  case Kind::Equal:
  case Kind::NotEqual:
  case Kind::Less:
  case Kind::LessEqual:
    return 3;
  case Kind::Add:
  case Kind::Sub:
    return 4;
  case Kind::Mul:
  case Kind::CeilDiv:
  case Kind::FloorDiv:
  case Kind::Mod:
    return 5;
  default:
    return 6;
  }
}

static llvm::StringRef spellingOf(Kind kind) {
  switch (kind) {
  case Kind::Add:
    return "+";
  case Kind::Sub:
    return "-";
  case Kind::Mul:
    return "*";
  case Kind::CeilDiv:
    return "ceildiv";
  case Kind::FloorDiv:
    return "floordiv";
  case Kind::Mod:
    return "mod";
  case Kind::Min:
    return "min";
  case Kind::Max:
    return "max";
  case Kind::Equal:
    return "==";
  case Kind::NotEqual:
    return "!=";
  case Kind::Less:
    return "<";
  case Kind::LessEqual:
    return "<=";
  case Kind::And:
    return "and";
  case Kind::Or:
    return "or";
  default:
    return "";
  }
}

std::string SizeExpression::str() const {
  switch (node->kind) {
  case Kind::Constant:
    return std::to_string(node->value);
  case Kind::Name:
    return node->name;
  default:
    break;
  }
  SizeExpression lhs(node->lhs), rhs(node->rhs);
  std::string op = spellingOf(node->kind).str();
  if (node->kind == Kind::Min || node->kind == Kind::Max)
    return op + "(" + lhs.str() + ", " + rhs.str() + ")";
  unsigned binding = bindingOf(node->kind);
  // A chain of equal binding reads from the left; comparisons do not chain.
  auto print = [](const SizeExpression &operand, bool parentheses) {
    return parentheses ? "(" + operand.str() + ")" : operand.str();
  };
  unsigned left = bindingOf(lhs.node->kind), right = bindingOf(rhs.node->kind);
  bool negative = rhs.constant().value_or(0) < 0;
  return print(lhs, left < binding || (binding == 3 && left == 3)) + " " + op +
         " " + print(rhs, right <= binding || negative);
}

llvm::json::Value SizeExpression::json() const {
  if (std::optional<int64_t> value = constant())
    return *value;
  return str();
}
