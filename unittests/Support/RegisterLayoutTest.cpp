//===- RegisterLayoutTest.cpp - who holds a register tile -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The register layouts of the back ends, written the other way round than by
// them: from the element to the thread and register that the figures of the PTX
// ISA print in its cell. The rows and columns that layouts emit as IR are
// evaluated for every thread.
//
//===----------------------------------------------------------------------===//

#include "tc/Support/RegisterLayout.h"
#include "tc/Dialect/SM80/IR/SM80.h"
#include "tc/Dialect/SM90/IR/SM90.h"
#include "tc/Dialect/TCGen05/IR/TCGen05.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include "gtest/gtest.h"

#include <map>

using namespace mlir;
using namespace tc;

namespace {

struct RegisterLayoutTest : public ::testing::Test {
  RegisterLayoutTest() {
    context.loadDialect<tcgen05::TCGen05Dialect, sm90::SM90Dialect,
                        arith::ArithDialect>();
  }

  RegisterLayoutAttrInterface rows() {
    return cast<RegisterLayoutAttrInterface>(
        Attribute(tcgen05::RowsAttr::get(&context)));
  }
  RegisterLayoutAttrInterface wgmma(int64_t rows = 64) {
    return cast<RegisterLayoutAttrInterface>(
        Attribute(sm90::WgmmaLayoutAttr::get(&context, rows)));
  }

  MLIRContext context;
};

/// The constant that `value` is, by folding what computes it.
int64_t evaluate(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return cast<IntegerAttr>(constant.getValue()).getInt();
  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands())
    operands.push_back(IntegerAttr::get(operand.getType(), evaluate(operand)));
  SmallVector<OpFoldResult> results;
  if (failed(op->fold(operands, results)) || results.empty()) {
    ADD_FAILURE() << "cannot be folded: " << op->getName().getStringRef().str();
    return -1;
  }
  // An op whose result is one of its operands folds to that.
  if (auto same = dyn_cast<Value>(results[0]))
    return evaluate(same);
  auto number = cast<IntegerAttr>(cast<Attribute>(results[0]));
  return number.getType().isInteger(1) ? number.getValue().getZExtValue()
                                       : number.getInt();
}

using Element = std::pair<int64_t, int64_t>;
using Place = std::pair<int64_t, int64_t>;

/// The thread and register of each element, by the layout. Fails where two
/// threads or registers hold one.
std::map<Element, Place> getPlaces(RegisterLayoutAttrInterface layout,
                                   ArrayRef<int64_t> shape) {
  std::map<Element, Place> places;
  MLIRContext *context = layout.getContext();
  Location loc = UnknownLoc::get(context);
  for (int64_t thread = 0; thread < layout.getThreads(shape); ++thread) {
    OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
    OpBuilder b = OpBuilder::atBlockBegin(module->getBody());
    Value number = arith::ConstantIntOp::create(b, loc, b.getI32Type(), thread);
    Value holds = layout.emitHolds(b, loc, number, shape);
    if (holds && evaluate(holds) == 0)
      continue;
    int64_t row = evaluate(layout.emitRow(b, loc, number, shape));
    Value first = layout.emitColumn(b, loc, number, shape);
    int64_t column = first ? evaluate(first) : 0;
    for (const RegisterRun &run : layout.getRuns(shape))
      for (int64_t i = 0; i < run.length; ++i) {
        Element element{row + run.row, column + run.column + i};
        EXPECT_TRUE(places.insert({element, {thread, run.first + i}}).second)
            << element.first << ", " << element.second;
      }
  }
  return places;
}

// PTX ISA 9.0, 9.7.15.5.1.1.4: the figure of matrix D of m64nNk16, and one
// warpgroup for each 64 rows.
TEST_F(RegisterLayoutTest, wgmmaIsTheFigure) {
  const SmallVector<int64_t, 2> shapes[] = {
      {64, 8}, {64, 24}, {128, 256}, {192, 40}};
  for (ArrayRef<int64_t> shape : shapes) {
    std::map<Element, Place> places = getPlaces(wgmma(), shape);
    ASSERT_EQ(int64_t(places.size()), shape[0] * shape[1]);
    for (int64_t row = 0; row < shape[0]; ++row)
      for (int64_t column = 0; column < shape[1]; ++column) {
        int64_t warp = row / 64 * 4 + row % 64 / 16;
        int64_t lane = row % 8 * 4 + column % 8 / 2;
        int64_t below = row % 16 >= 8 ? 2 : 0;
        Place expected{32 * warp + lane, column / 8 * 4 + below + column % 2};
        EXPECT_EQ(places.at({row, column}), expected) << row << ", " << column;
      }
  }
}

// Instructions of the same warpgroup one below the other, with registers one
// after the other.
TEST_F(RegisterLayoutTest, wgmmaOfSeveralInstructions) {
  const std::pair<int64_t, SmallVector<int64_t, 2>> tiles[] = {
      {128, {128, 24}}, {128, {256, 8}}, {192, {192, 16}}, {256, {256, 40}}};
  for (const auto &[held, shape] : tiles) {
    std::map<Element, Place> places = getPlaces(wgmma(held), shape);
    ASSERT_EQ(int64_t(places.size()), shape[0] * shape[1]);
    for (int64_t row = 0; row < shape[0]; ++row)
      for (int64_t column = 0; column < shape[1]; ++column) {
        int64_t warp = row / held * 4 + row % 64 / 16;
        int64_t lane = row % 8 * 4 + column % 8 / 2;
        int64_t below = row % 16 >= 8 ? 2 : 0;
        int64_t instruction = row % held / 64 * (shape[1] / 2);
        Place expected{32 * warp + lane,
                       instruction + column / 8 * 4 + below + column % 2};
        EXPECT_EQ(places.at({row, column}), expected) << row << ", " << column;
      }
  }
}

// PTX ISA 9.0, 9.7.14.5.8: the figure of matrix C of m16n8k16, for each 16 rows
// of a warp and 8 columns.
TEST_F(RegisterLayoutTest, mmaIsTheFigure) {
  for (int64_t warpRows : {16, 32})
    for (int64_t columns : {8, 40}) {
      auto layout = cast<RegisterLayoutAttrInterface>(
          Attribute(sm80::MmaLayoutAttr::get(&context, warpRows)));
      std::map<Element, Place> places = getPlaces(layout, {96, columns});
      ASSERT_EQ(int64_t(places.size()), 96 * columns);
      for (int64_t row = 0; row < 96; ++row)
        for (int64_t column = 0; column < columns; ++column) {
          int64_t lane = row % 8 * 4 + column % 8 / 2;
          int64_t block = column / 8 * (warpRows / 16) + row % warpRows / 16;
          int64_t below = row % 16 >= 8 ? 2 : 0;
          Place expected{32 * (row / warpRows) + lane,
                         4 * block + below + column % 2};
          EXPECT_EQ(places.at({row, column}), expected)
              << row << ", " << column;
        }
    }
}

// As #sm80.mma_layout, but each thread has eight neighbours of every 32.
TEST_F(RegisterLayoutTest, rowLayoutIsMemory) {
  for (int64_t warpRows : {16, 32})
    for (int64_t columns : {32, 96}) {
      auto layout = cast<RegisterLayoutAttrInterface>(
          Attribute(sm80::RowLayoutAttr::get(&context, warpRows)));
      auto owner = cast<RegisterLayoutAttrInterface>(
          Attribute(sm80::MmaLayoutAttr::get(&context, warpRows)));
      EXPECT_EQ(owner.getMemoryLayout(), layout);
      std::map<Element, Place> places = getPlaces(layout, {96, columns});
      std::map<Element, Place> owners = getPlaces(owner, {96, columns});
      ASSERT_EQ(int64_t(places.size()), 96 * columns);
      for (int64_t row = 0; row < 96; ++row)
        for (int64_t column = 0; column < columns; ++column) {
          int64_t lane = row % 8 * 4 + column % 32 / 8;
          int64_t block = column / 32 * (warpRows / 8) + row % warpRows / 8;
          Place expected{32 * (row / warpRows) + lane, 8 * block + column % 8};
          EXPECT_EQ(places.at({row, column}), expected)
              << row << ", " << column;
          // The four threads of a row are the same ones.
          EXPECT_EQ(expected.first / 4, owners.at({row, column}).first / 4);
        }
    }
  EXPECT_EQ(wgmma().getMemoryLayout(), sm80::RowLayoutAttr::get(&context, 16));
  EXPECT_FALSE(rows().getMemoryLayout());
  auto tall = cast<RegisterLayoutAttrInterface>(
      Attribute(sm90::WgmmaLayoutAttr::get(&context, 128)));
  EXPECT_FALSE(tall.getMemoryLayout());
}

// PTX ISA 9.0, 9.7.16.10.5: layout D has row r in lane r, layout F rows 16 w to
// 16 w + 15 in the first lanes of warp w.
TEST_F(RegisterLayoutTest, rowsAreLanes) {
  for (int64_t rowCount : {64, 128}) {
    std::map<Element, Place> places = getPlaces(rows(), {rowCount, 32});
    ASSERT_EQ(int64_t(places.size()), rowCount * 32);
    for (int64_t row = 0; row < rowCount; ++row)
      for (int64_t column = 0; column < 32; ++column) {
        int64_t lane = rowCount == 128 ? row : row / 16 * 32 + row % 16;
        EXPECT_EQ(places.at({row, column}), Place(lane, column));
      }
  }
}

TEST_F(RegisterLayoutTest, threadTypes) {
  auto f32 = Float32Type::get(&context);
  auto type = [&](int64_t m, int64_t n) {
    return VectorType::get({m, n}, f32);
  };
  EXPECT_EQ(getThreadType(rows(), type(128, 32)), VectorType::get({32}, f32));
  EXPECT_EQ(getThreadType(rows(), type(64, 32)), VectorType::get({32}, f32));
  EXPECT_EQ(getThreadType(wgmma(), type(64, 32)), VectorType::get({16}, f32));
  EXPECT_EQ(getThreadType(wgmma(), type(192, 256)),
            VectorType::get({128}, f32));
}

// The registers of a part, in the part's order, hold the elements that a tile
// of its shape would hold there.
TEST_F(RegisterLayoutTest, parts) {
  auto registers = getRegistersOfPart(wgmma(), {128, 64}, {128, 16}, 0, 24);
  ASSERT_TRUE(registers);
  EXPECT_EQ(*registers, (SmallVector<int64_t>{12, 13, 14, 15, 16, 17, 18, 19}));
  EXPECT_FALSE(getRegistersOfPart(wgmma(), {128, 64}, {128, 16}, 0, 4));
  EXPECT_FALSE(getRegistersOfPart(wgmma(), {128, 64}, {64, 16}, 64, 0));
  registers = getRegistersOfPart(rows(), {128, 64}, {128, 4}, 0, 6);
  ASSERT_TRUE(registers);
  EXPECT_EQ(*registers, (SmallVector<int64_t>{6, 7, 8, 9}));
}

// Tiles that a layout cannot deal are refused.
TEST_F(RegisterLayoutTest, refusals) {
  auto check = [&](RegisterLayoutAttrInterface layout,
                   ArrayRef<int64_t> shape) -> std::string {
    std::string message;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diag) {
      message = diag.str();
      return success();
    });
    bool fits = succeeded(layout.verifyTile(
        [&] { return emitError(UnknownLoc::get(&context)); }, shape));
    EXPECT_EQ(fits, message.empty());
    return message;
  };
  EXPECT_EQ(check(wgmma(), {128, 24}), "");
  EXPECT_NE(check(wgmma(), {96, 24}), "");
  EXPECT_NE(check(wgmma(), {64, 12}), "");
  EXPECT_EQ(check(rows(), {64, 12}), "");
  EXPECT_NE(check(rows(), {32, 16}), "");
}

} // namespace
