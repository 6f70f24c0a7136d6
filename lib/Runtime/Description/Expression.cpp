//===- Expression.cpp - Integer expressions over sizes ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A recursive descent parser that emits postfix steps, and their evaluation on
// a stack. Nesting is bounded because the text comes from a file.
//
//===----------------------------------------------------------------------===//

#include "tc/Runtime/Expression.h"

#include <cctype>

using namespace tc;
using namespace tc::runtime;

namespace tc::runtime {

class ExpressionParser {
public:
  using Op = Expression::Op;
  explicit ExpressionParser(std::string_view text) : text(text) { advance(); }

  Expected<Expression> run() {
    result.steps.clear();
    parseOr();
    if (error.empty() && !token.empty())
      fail("expected an operator or the end");
    if (!error.empty())
      return makeError(error);
    return std::move(result);
  }

private:
  static constexpr unsigned maxDepth = 200;

  static bool isNameChar(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  }

  void fail(const std::string &what) {
    if (!error.empty())
      return;
    error = "column " + std::to_string(start + 1) + ": " + what + ", got " +
            (token.empty() ? "the end" : "'" + std::string(token) + "'");
  }

  /// Reads the next token: a word, a number or an operator; empty at the end.
  void advance() {
    start += token.size();
    while (start < text.size() &&
           std::isspace(static_cast<unsigned char>(text[start])))
      ++start;
    size_t end = start;
    if (end < text.size() && isNameChar(text[end])) {
      while (end < text.size() && isNameChar(text[end]))
        ++end;
    } else if (end < text.size()) {
      std::string_view two = text.substr(end, 2);
      bool isPair = two == "==" || two == "!=" || two == "<=" || two == ">=";
      end += isPair ? 2 : 1;
    }
    token = text.substr(start, end - start);
  }

  bool consume(std::string_view expected) {
    if (token != expected)
      return false;
    advance();
    return true;
  }

  void emit(Op op, int64_t value = 0, std::string name = {}) {
    result.steps.push_back({op, value, std::move(name)});
  }

  struct Operator {
    std::string_view spelling;
    Op op;
  };

  /// One level of left-associative operators; `once` forbids chains.
  template <size_t N>
  void parseLevel(const Operator (&operators)[N],
                  void (ExpressionParser::*operand)(), bool once = false) {
    (this->*operand)();
    bool again = true;
    while (again && error.empty()) {
      again = false;
      for (const Operator &candidate : operators) {
        if (!consume(candidate.spelling))
          continue;
        (this->*operand)();
        emit(candidate.op);
        again = !once;
        break;
      }
    }
  }

  void parseOr() {
    static constexpr Operator operators[] = {{"or", Op::Or}};
    if (++depth > maxDepth)
      fail("expected at most 200 levels of nesting");
    else
      parseLevel(operators, &ExpressionParser::parseAnd);
    --depth;
  }
  void parseAnd() {
    static constexpr Operator operators[] = {{"and", Op::And}};
    parseLevel(operators, &ExpressionParser::parseCompare);
  }
  void parseCompare() {
    static constexpr Operator operators[] = {
        {"==", Op::Equal},     {"!=", Op::NotEqual}, {"<", Op::Less},
        {"<=", Op::LessEqual}, {">", Op::Greater},   {">=", Op::GreaterEqual}};
    parseLevel(operators, &ExpressionParser::parseSum, /*once=*/true);
  }
  void parseSum() {
    static constexpr Operator operators[] = {{"+", Op::Add}, {"-", Op::Sub}};
    parseLevel(operators, &ExpressionParser::parseProduct);
  }
  void parseProduct() {
    static constexpr Operator operators[] = {{"*", Op::Mul},
                                             {"ceildiv", Op::CeilDiv},
                                             {"floordiv", Op::FloorDiv},
                                             {"mod", Op::Mod}};
    parseLevel(operators, &ExpressionParser::parseUnary);
  }

  void parseUnary() {
    unsigned minuses = 0;
    while (consume("-"))
      ++minuses;
    // -x is 0 - x; the zeros go first so that the order stays postfix.
    for (unsigned i = 0; i < minuses; ++i)
      emit(Op::Constant, 0);
    parsePrimary();
    for (unsigned i = 0; i < minuses; ++i)
      emit(Op::Sub);
  }

  void parsePrimary() {
    if (token.empty())
      return fail("expected a number, a name or '('");
    if (consume("(")) {
      parseOr();
      if (error.empty() && !consume(")"))
        fail("expected ')'");
      return;
    }
    char first = token.front();
    if (std::isdigit(static_cast<unsigned char>(first)))
      return parseNumber();
    if (!isNameChar(first) || isOperatorWord(token))
      return fail("expected a number, a name or '('");
    std::string name(token);
    advance();
    if (name == "min" || name == "max")
      return parseCall(name == "min" ? Op::Min : Op::Max);
    emit(Op::Name, 0, std::move(name));
  }

  static bool isOperatorWord(std::string_view word) {
    return word == "ceildiv" || word == "floordiv" || word == "mod" ||
           word == "and" || word == "or";
  }

  void parseNumber() {
    int64_t value = 0;
    for (char c : token) {
      if (!std::isdigit(static_cast<unsigned char>(c)))
        return fail("expected a decimal number");
      if (__builtin_mul_overflow(value, int64_t(10), &value) ||
          __builtin_add_overflow(value, int64_t(c - '0'), &value))
        return fail("expected a number below 2^63");
    }
    advance();
    emit(Op::Constant, value);
  }

  void parseCall(Op op) {
    if (!consume("("))
      return fail("expected '('");
    parseOr();
    while (error.empty() && consume(",")) {
      parseOr();
      emit(op);
    }
    if (error.empty() && !consume(")"))
      fail("expected ',' or ')'");
  }

  std::string_view text, token;
  size_t start = 0;
  unsigned depth = 0;
  std::string error;
  Expression result;
};

} // namespace tc::runtime

Expected<Expression> Expression::parse(std::string_view text) {
  return ExpressionParser(text).run();
}

std::vector<std::string> Expression::names() const {
  std::vector<std::string> result;
  for (const Step &step : steps)
    if (step.op == Op::Name)
      result.push_back(step.name);
  return result;
}

static int64_t floorDivide(int64_t lhs, int64_t rhs) {
  int64_t quotient = lhs / rhs;
  return lhs % rhs < 0 ? quotient - 1 : quotient;
}

Expected<int64_t> Expression::apply(Op op, int64_t lhs, int64_t rhs) {
  int64_t result = 0;
  bool overflow = false;
  switch (op) {
  case Op::Add:
    overflow = __builtin_add_overflow(lhs, rhs, &result);
    break;
  case Op::Sub:
    overflow = __builtin_sub_overflow(lhs, rhs, &result);
    break;
  case Op::Mul:
    overflow = __builtin_mul_overflow(lhs, rhs, &result);
    break;
  case Op::CeilDiv:
  case Op::FloorDiv:
  case Op::Mod: {
    if (rhs == 0)
      return makeError("division by zero");
    if (rhs < 0)
      return makeError("expected a positive divisor, got " +
                       std::to_string(rhs));
    int64_t quotient = floorDivide(lhs, rhs);
    int64_t remainder = lhs - quotient * rhs;
    result = op == Op::Mod        ? remainder
             : op == Op::FloorDiv ? quotient
                                  : quotient + (remainder != 0);
    break;
  }
  case Op::Min:
    result = lhs < rhs ? lhs : rhs;
    break;
  case Op::Max:
    result = lhs < rhs ? rhs : lhs;
    break;
  case Op::Equal:
    result = lhs == rhs;
    break;
  case Op::NotEqual:
    result = lhs != rhs;
    break;
  case Op::Less:
    result = lhs < rhs;
    break;
  case Op::LessEqual:
    result = lhs <= rhs;
    break;
  case Op::Greater:
    result = lhs > rhs;
    break;
  case Op::GreaterEqual:
    result = lhs >= rhs;
    break;
  case Op::And:
    result = lhs != 0 && rhs != 0;
    break;
  case Op::Or:
    result = lhs != 0 || rhs != 0;
    break;
  case Op::Constant:
  case Op::Name:
    break; // Leaves: evaluate() pushes them.
  }
  if (overflow)
    return makeError("the value overflows 64 bits");
  return result;
}

Expected<int64_t> Expression::evaluate(const Sizes &sizes) const {
  std::vector<int64_t> stack;
  for (const Step &step : steps) {
    if (step.op == Op::Constant) {
      stack.push_back(step.value);
      continue;
    }
    if (step.op == Op::Name) {
      auto size = sizes.find(step.name);
      if (size == sizes.end())
        return makeError("size '" + step.name + "' has no value");
      stack.push_back(size->second);
      continue;
    }
    int64_t rhs = stack.back();
    stack.pop_back();
    Expected<int64_t> value = apply(step.op, stack.back(), rhs);
    if (!value)
      return value;
    stack.back() = *value;
  }
  return stack.back();
}
