//===- ExpandConversions.cpp - conversions of small floats ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream has no lowering of arith on floats of 8 bits or fewer for a GPU. The
// hardware converts pairs, and saturates.
//
//===----------------------------------------------------------------------===//

#include "Statements.h"

#include "tc/Support/Target.h"
#include "tc/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tc {
#define GEN_PASS_DEF_EXPANDCONVERSIONSPASS
#include "tc/Transforms/Passes.h.inc"
} // namespace tc

using namespace mlir;

namespace {

struct ExpandConversions
    : public tc::impl::ExpandConversionsPassBase<ExpandConversions> {
  void runOnOperation() override;
};

} // namespace

/// Whether `type` is a vector of rank 1, of which the elements are converted.
static bool isFlat(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getRank() == 1 && !vector.isScalable();
}

static bool isFloat8(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(getElementTypeOrSelf(type));
}

/// Whether f32 has all numbers of the elements of `value`.
static bool isWide(Value value) {
  Type type = getElementTypeOrSelf(value.getType());
  return type.isF32() || type.isF16() || type.isBF16();
}

/// The numbers of `value` as f32: the one rounding is that of what follows.
static Value toF32(OpBuilder &b, Location loc, Value value) {
  auto type = cast<VectorType>(value.getType());
  if (type.getElementType().isF32())
    return value;
  return arith::ExtFOp::create(b, loc, type.clone(b.getF32Type()), value);
}

/// Calls `convert` with each two elements of `vector`, zero after an odd last
/// one, and returns the results in order.
static SmallVector<Value> forPairs(OpBuilder &b, Location loc, Value vector,
                                   function_ref<Value(Value, Value)> convert) {
  int64_t count = cast<VectorType>(vector.getType()).getDimSize(0);
  SmallVector<Value> results;
  for (int64_t i = 0; i < count; i += 2) {
    Value low = vector::ExtractOp::create(b, loc, vector, i);
    Value high;
    if (i + 1 < count)
      high = vector::ExtractOp::create(b, loc, vector, i + 1);
    else
      high = arith::ConstantOp::create(b, loc, b.getZeroAttr(low.getType()));
    results.push_back(convert(low, high));
  }
  return results;
}

/// The first elements of `vector`, as many as `type` has.
static Value takeFront(OpBuilder &b, Location loc, Value vector,
                       VectorType type) {
  if (cast<VectorType>(vector.getType()).getDimSize(0) != type.getDimSize(0))
    vector = vector::ExtractStridedSliceOp::create(
        b, loc, vector, ArrayRef<int64_t>{0}, type.getShape(),
        ArrayRef<int64_t>{1});
  return vector;
}

/// Whether every target of the module around `op` converts pairs of f16 and
/// bf16 to fewer bits, and 8 bits to bf16, in one instruction.
static bool convertsHalves(Operation *op) {
  auto module = op->getParentOfType<gpu::GPUModuleOp>();
  ArrayAttr targets = module ? module.getTargetsAttr() : nullptr;
  return targets && llvm::all_of(targets, [](Attribute attr) {
           auto nvvm = dyn_cast<NVVM::NVVMTargetAttr>(attr);
           const tc::TargetFacts *facts =
               nvvm ? tc::getTarget(nvvm.getChip()) : nullptr;
           return facts && facts->convertsHalves();
         });
}

/// What `text` makes of `value`. Inline PTX: NVVM has no conversions of PTX 9.1
/// and later.
static Value convert(OpBuilder &b, Location loc, Type type, Value value,
                     StringRef text) {
  auto letter = [](Type type) {
    return type.getIntOrFloatBitWidth() == 32 ? "r" : "h";
  };
  return LLVM::InlineAsmOp::create(
             b, loc, type, value, text,
             Twine("=" + Twine(letter(type)) + "," + letter(value.getType()))
                 .str(),
             /*has_side_effects=*/false, /*is_align_stack=*/false,
             LLVM::TailCallKind::None, /*asm_dialect=*/LLVM::AsmDialectAttr(),
             /*operand_attrs=*/ArrayAttr())
      .getResult(0);
}

/// `elements` as one number of their bits.
static Value toInteger(OpBuilder &b, Location loc, ValueRange elements) {
  Type element = elements.front().getType();
  auto count = int64_t(elements.size());
  Value vector = vector::FromElementsOp::create(
      b, loc, VectorType::get(count, element), elements);
  Type word = b.getIntegerType(count * element.getIntOrFloatBitWidth());
  Value words =
      vector::BitCastOp::create(b, loc, VectorType::get(1, word), vector);
  return vector::ExtractOp::create(b, loc, words, int64_t(0));
}

/// Two numbers of f16 or bf16 as i16 of two of `to`.
static Value narrowHalves(OpBuilder &b, Location loc, Value low, Value high,
                          Type to) {
  StringRef from = low.getType().isF16() ? "f16x2" : "bf16x2";
  Value pair = toInteger(b, loc, {low, high});
  if (isa<Float4E2M1FNType>(to))
    return convert(b, loc, b.getI16Type(), pair,
                   ("{ .reg .b8 %byte; cvt.rn.satfinite.e2m1x2." + from +
                    " %byte, $1; cvt.u16.u8 $0, %byte; }")
                       .str());
  return convert(b, loc, b.getI16Type(), pair,
                 ("cvt.rn.satfinite." +
                  Twine(isa<Float8E4M3FNType>(to) ? "e4m3x2." : "e5m2x2.") +
                  from + " $0, $1;")
                     .str());
}

/// f32 to e4m3 or e5m2: cvt.rn.satfinite.e4m3x2.f32; f16 and bf16 to them with
/// the instructions for these.
static Value narrowToBytes(OpBuilder &b, Location loc, Value vector,
                           VectorType type) {
  auto rounding =
      NVVM::FPRoundingModeAttr::get(b.getContext(), NVVM::FPRoundingMode::RN);
  auto saturation = NVVM::SaturationModeAttr::get(
      b.getContext(), NVVM::SaturationMode::SATFINITE);
  SmallVector<Value> parts =
      forPairs(b, loc, vector, [&](Value low, Value high) -> Value {
        if (!low.getType().isF32())
          return narrowHalves(b, loc, low, high, type.getElementType());
        return NVVM::ConvertF32x2ToF8x2Op::create(
            b, loc, b.getI16Type(), high, low, rounding, saturation,
            b.getBoolAttr(false), TypeAttr::get(type.getElementType()));
      });
  int64_t count = parts.size() * 2;
  Value pairs = vector::FromElementsOp::create(
      b, loc, VectorType::get(count / 2, b.getI16Type()), parts);
  Value bytes = vector::BitCastOp::create(
      b, loc, VectorType::get(count, b.getI8Type()), pairs);
  return arith::BitcastOp::create(b, loc, type, takeFront(b, loc, bytes, type));
}

/// f32, f16 or bf16 to e2m1, two a byte: cvt.rn.satfinite.e2m1x2.f32.
static Value narrowToNibbles(OpBuilder &b, Location loc, Value vector,
                             VectorType type, Type element) {
  SmallVector<Value> bytes =
      forPairs(b, loc, vector, [&](Value low, Value high) -> Value {
        if (!low.getType().isF32())
          return narrowHalves(b, loc, low, high, element);
        return NVVM::ConvertF32x2ToF4x2Op::create(b, loc, b.getI8Type(), high,
                                                  low, b.getBoolAttr(false),
                                                  TypeAttr::get(element));
      });
  // Four at a time in a register: LLVM would insert them into one that is not
  // defined.
  SmallVector<Value> words;
  for (auto [i, byte] : llvm::enumerate(bytes)) {
    Value wide = arith::ExtUIOp::create(b, loc, b.getI32Type(), byte);
    if (i % 4 == 0) {
      words.push_back(wide);
      continue;
    }
    Value distance =
        arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(i % 4 * 8));
    wide = arith::ShLIOp::create(b, loc, wide, distance);
    words.back() = arith::OrIOp::create(b, loc, words.back(), wide);
  }
  int64_t count = words.size();
  Value all = vector::FromElementsOp::create(
      b, loc, VectorType::get(count, b.getI32Type()), words);
  all = vector::BitCastOp::create(
      b, loc, VectorType::get(count * 4, b.getI8Type()), all);
  return takeFront(b, loc, all, type);
}

/// e4m3 or e5m2 to f32, through f16, which has all of their numbers.
static Value widen(OpBuilder &b, Location loc, Value vector, VectorType type) {
  Type element = cast<VectorType>(vector.getType()).getElementType();
  int64_t count = type.getDimSize(0);
  auto pairType = VectorType::get(2, b.getI8Type());
  auto halves = VectorType::get(2, b.getF16Type());
  Value bytes = arith::BitcastOp::create(
      b, loc, VectorType::get(count, b.getI8Type()), vector);
  SmallVector<Value> results;
  forPairs(b, loc, bytes, [&](Value low, Value high) -> Value {
    Value pair =
        vector::FromElementsOp::create(b, loc, pairType, ValueRange{low, high});
    Value half = NVVM::ConvertF8x2ToF16x2Op::create(
        b, loc, halves, pair, b.getBoolAttr(false), TypeAttr::get(element));
    for (int64_t i = 0; i < 2 && int64_t(results.size()) < count; ++i)
      results.push_back(vector::ExtractOp::create(b, loc, half, i));
    return low;
  });
  Value all = vector::FromElementsOp::create(
      b, loc, VectorType::get(count, b.getF16Type()), results);
  return arith::ExtFOp::create(b, loc, type, all);
}

/// e4m3 or e5m2 to bf16: cvt.rn.bf16x2.e4m3x2.
static Value widenToBF16(OpBuilder &b, Location loc, Value vector,
                         VectorType type) {
  StringRef from =
      isa<Float8E4M3FNType>(cast<VectorType>(vector.getType()).getElementType())
          ? "e4m3x2"
          : "e5m2x2";
  Value bytes = arith::BitcastOp::create(
      b, loc, VectorType::get(type.getDimSize(0), b.getI8Type()), vector);
  SmallVector<Value> words =
      forPairs(b, loc, bytes, [&](Value low, Value high) -> Value {
        return convert(b, loc, b.getI32Type(), toInteger(b, loc, {low, high}),
                       ("cvt.rn.bf16x2." + from + " $0, $1;").str());
      });
  auto count = int64_t(words.size());
  Value all = vector::FromElementsOp::create(
      b, loc, VectorType::get(count, b.getI32Type()), words);
  all = vector::BitCastOp::create(
      b, loc, VectorType::get(2 * count, type.getElementType()), all);
  return takeFront(b, loc, all, type);
}

/// A conversion of one element from or to 8 bits becomes one of a vector.
static void makeFlat(Operation *op) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  Value operand = op->getOperand(0);
  auto vectorOf = [](Type type) { return VectorType::get(1, type); };
  Value from = vector::FromElementsOp::create(
      b, loc, vectorOf(operand.getType()), operand);
  Type to = vectorOf(op->getResult(0).getType());
  Value all = isa<arith::ExtFOp>(op)
                  ? arith::ExtFOp::create(b, loc, to, from).getResult()
                  : arith::TruncFOp::create(b, loc, to, from).getResult();
  op->getResult(0).replaceAllUsesWith(
      vector::ExtractOp::create(b, loc, all, int64_t(0)));
  op->erase();
}

/// Reads scale factors, and elements times such, as upstream has them.
static void expandScales(Operation *root) {
  SmallVector<Operation *> ops;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (tc::isStatement(op))
      return WalkResult::skip();
    if (isa<arith::ScalingExtFOp>(op) ||
        (isa<arith::ExtFOp>(op) &&
         isa<Float8E8M0FNUType>(op->getOperand(0).getType())))
      ops.push_back(op);
    return WalkResult::advance();
  });
  if (ops.empty())
    return;
  RewritePatternSet patterns(root->getContext());
  arith::populateExpandScalingExtTruncPatterns(patterns);
  arith::populateExpandF8E8M0Patterns(patterns);
  GreedyRewriteConfig config;
  config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
  (void)applyOpPatternsGreedily(ops, std::move(patterns), config);
}

void ExpandConversions::runOnOperation() {
  expandScales(getOperation());
  SmallVector<Operation *> single;
  getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (tc::isStatement(op))
      return WalkResult::skip();
    if (isa<arith::TruncFOp, arith::ExtFOp>(op) &&
        !isa<ShapedType>(op->getResult(0).getType()) &&
        (isFloat8(op->getResult(0).getType()) ||
         isFloat8(op->getOperand(0).getType())))
      single.push_back(op);
    return WalkResult::advance();
  });
  for (Operation *op : single)
    makeFlat(op);
  SmallVector<Operation *> ops;
  getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (tc::isStatement(op))
      return WalkResult::skip();
    if (isa<arith::TruncFOp, arith::ExtFOp, vector::BitCastOp>(op) &&
        isFlat(op->getResult(0).getType()) &&
        isFlat(op->getOperand(0).getType()))
      ops.push_back(op);
    return WalkResult::advance();
  });
  const bool halves = convertsHalves(getOperation());
  for (Operation *op : ops) {
    OpBuilder b(op);
    Location loc = op->getLoc();
    Value operand = op->getOperand(0);
    auto type = cast<VectorType>(op->getResult(0).getType());
    auto wide = type.clone(b.getF32Type());
    Value result;
    if (isa<arith::TruncFOp>(op) && isFloat8(type) && isWide(operand)) {
      result = narrowToBytes(b, loc, halves ? operand : toF32(b, loc, operand),
                             type);
    } else if (halves && isa<arith::ExtFOp>(op) &&
               isFloat8(operand.getType()) && type.getElementType().isBF16()) {
      result = widenToBF16(b, loc, operand, type);
    } else if (isa<arith::ExtFOp>(op) && isFloat8(operand.getType())) {
      // Each type between has all numbers of 8 bits.
      result = widen(b, loc, operand, wide);
      if (type.getElementTypeBitWidth() < 32)
        result = arith::TruncFOp::create(b, loc, type, result);
      else if (type != wide)
        result = arith::ExtFOp::create(b, loc, type, result);
    } else if (isa<vector::BitCastOp>(op)) {
      // Elements of 4 bits are held in pairs alone.
      auto narrow = operand.getDefiningOp<arith::TruncFOp>();
      if (!narrow ||
          !isa<Float4E2M1FNType>(getElementTypeOrSelf(narrow.getType())) ||
          !isWide(narrow.getIn()) || !type.getElementType().isInteger(8))
        continue;
      Value in = narrow.getIn();
      result = narrowToNibbles(b, loc, halves ? in : toF32(b, loc, in), type,
                               getElementTypeOrSelf(narrow.getType()));
    } else {
      continue;
    }
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
  }
  // Left without a use.
  getOperation()->walk([](arith::TruncFOp op) {
    if (op->use_empty())
      op->erase();
  });
}
