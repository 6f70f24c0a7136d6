//===- ExpressionTest.cpp - Expressions over sizes --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values, precedence, and every diagnostic of the expression language.
//
//===----------------------------------------------------------------------===//

#include "tc/Runtime/Expression.h"

#include <gtest/gtest.h>

using namespace tc::runtime;

static std::string evaluate(const std::string &text, const Sizes &sizes = {}) {
  Expected<Expression> expression = Expression::parse(text);
  if (!expression)
    return expression.error().message;
  Expected<int64_t> value = expression->evaluate(sizes);
  return value ? std::to_string(*value) : value.error().message;
}

TEST(Expression, arithmeticAndPrecedence) {
  EXPECT_EQ(evaluate("1 + 2 * 3"), "7");
  EXPECT_EQ(evaluate("(1 + 2) * 3"), "9");
  EXPECT_EQ(evaluate("10 - 3 - 2"), "5");
  EXPECT_EQ(evaluate("7 ceildiv 2 * 2"), "8");
  EXPECT_EQ(evaluate("2*-3"), "-6");
  EXPECT_EQ(evaluate("--3"), "3");
  EXPECT_EQ(evaluate("-(1+2)"), "-3");
  EXPECT_EQ(evaluate("min(3, 1, 2)"), "1");
  EXPECT_EQ(evaluate("max(3, min(9, 5))"), "5");
  EXPECT_EQ(evaluate("min(4)"), "4");
}

TEST(Expression, divisionRoundsAsNamed) {
  EXPECT_EQ(evaluate("7 floordiv 2"), "3");
  EXPECT_EQ(evaluate("7 ceildiv 2"), "4");
  EXPECT_EQ(evaluate("8 ceildiv 2"), "4");
  EXPECT_EQ(evaluate("-7 floordiv 2"), "-4");
  EXPECT_EQ(evaluate("-7 ceildiv 2"), "-3");
  EXPECT_EQ(evaluate("-7 mod 4"), "1");
  EXPECT_EQ(evaluate("(0 - 9223372036854775807 - 1) floordiv 1"),
            "-9223372036854775808");
}

TEST(Expression, comparisonsAndLogic) {
  EXPECT_EQ(evaluate("3 == 3"), "1");
  EXPECT_EQ(evaluate("3 != 3"), "0");
  EXPECT_EQ(evaluate("2 < 3"), "1");
  EXPECT_EQ(evaluate("3 <= 2"), "0");
  EXPECT_EQ(evaluate("3 > 2"), "1");
  EXPECT_EQ(evaluate("2 >= 3"), "0");
  EXPECT_EQ(evaluate("1 == 1 and 2 == 3 or 1"), "1");
  EXPECT_EQ(evaluate("0 and 1 or 0"), "0");
}

TEST(Expression, sizes) {
  EXPECT_EQ(evaluate("M ceildiv 128", {{"M", 200}}), "2");
  EXPECT_EQ(evaluate("K * 2 mod 16 == 0", {{"K", 72}}), "1");
  EXPECT_EQ(evaluate("K * 2 mod 16 == 0", {{"K", 9}}), "0");
  EXPECT_EQ(evaluate("arg0_dim1 + 1", {{"arg0_dim1", 4}}), "5");
  EXPECT_EQ(evaluate("M", {}), "size 'M' has no value");
  Expected<Expression> expression = Expression::parse("M * (N + M)");
  ASSERT_TRUE(expression);
  EXPECT_EQ(expression->names(), (std::vector<std::string>{"M", "N", "M"}));
}

TEST(Expression, errorsOfEvaluation) {
  EXPECT_EQ(evaluate("1 floordiv 0"), "division by zero");
  EXPECT_EQ(evaluate("1 mod (2 - 2)"), "division by zero");
  EXPECT_EQ(evaluate("1 ceildiv -3"), "expected a positive divisor, got -3");
  EXPECT_EQ(evaluate("9223372036854775807 + 1"), "the value overflows 64 bits");
  EXPECT_EQ(evaluate("9223372036854775807 * 2"), "the value overflows 64 bits");
  EXPECT_EQ(evaluate("-9223372036854775807 - 2"),
            "the value overflows 64 bits");
}

TEST(Expression, errorsOfSyntax) {
  EXPECT_EQ(evaluate(""),
            "column 1: expected a number, a name or '(', got the end");
  EXPECT_EQ(evaluate("1 +"),
            "column 4: expected a number, a name or '(', got the end");
  EXPECT_EQ(evaluate("1 2"),
            "column 3: expected an operator or the end, got '2'");
  EXPECT_EQ(evaluate("(1"), "column 3: expected ')', got the end");
  EXPECT_EQ(evaluate("min 3"), "column 5: expected '(', got '3'");
  EXPECT_EQ(evaluate("min(3 4)"), "column 7: expected ',' or ')', got '4'");
  EXPECT_EQ(evaluate("1 / 2"),
            "column 3: expected an operator or the end, got '/'");
  EXPECT_EQ(evaluate("mod 2"),
            "column 1: expected a number, a name or '(', got 'mod'");
  EXPECT_EQ(evaluate("0x10"),
            "column 1: expected a decimal number, got '0x10'");
  EXPECT_EQ(evaluate("9223372036854775808"),
            "column 1: expected a number below 2^63, got "
            "'9223372036854775808'");
  EXPECT_EQ(evaluate("1 < 2 < 3"),
            "column 7: expected an operator or the end, got '<'");
  EXPECT_EQ(evaluate(std::string(1000, '(')),
            "column 201: expected at most 200 levels of nesting, got '('");
}
