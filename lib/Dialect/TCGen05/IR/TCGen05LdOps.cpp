//===- TCGen05LdOps.cpp - Tensor Memory and registers -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifiers of tcgen05.ld, tcgen05.ld_red, tcgen05.st and tcgen05.wait.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TCGen05/IR/TCGen05.h"
#include "tc/Support/ISA.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tc;
using namespace tc::tcgen05;

namespace {

/// What tcgen05.ld and tcgen05.st have in common, and the rules for it.
struct Access {
  template <typename Op>
  Access(Op op, TmemType region, VectorType registers, bool halves,
         ISASection section)
      : op(op), region(region), registers(registers), shape(op.getShape()),
        facts(getFacts(shape)), offset(op.getOffset()), lane(op.getLane()),
        halves(halves), section(section) {}

  LogicalResult verify() const;

  Operation *op;
  TmemType region;
  VectorType registers;
  AccessShape shape;
  const TmemAccessFacts &facts;
  std::optional<int64_t> offset;
  int64_t lane;
  /// pack of a load, unpack of a store.
  bool halves;
  ISASection section;

private:
  InFlightDiagnostic error() const { return op->emitOpError(); }
  StringRef what() const { return isa<LdOp>(op) ? "result" : "value"; }
  LogicalResult verifyWindow() const;
  LogicalResult verifyOffset() const;
  LogicalResult verifyHalves() const;
  LogicalResult verifyExtents() const;
  LogicalResult verifyElements() const;
  /// Elements that one register holds.
  int64_t getElementsPerRegister() const;
};

} // namespace

int64_t Access::getElementsPerRegister() const {
  int64_t bits = region.getElementType().getIntOrFloatBitWidth();
  return halves || region.getPacked() ? 32 / bits : 1;
}

LogicalResult Access::verifyWindow() const {
  // tcgen05_ld_c1, tcgen05_st_c1
  if (region.isWhole())
    return error() << "expected a region of one warp's window "
                      "(tcgen05.warp_window), got "
                   << region << " " << cite(ISASection::TmemLoadAccess);
  // tcgen05_st_c1
  if (isa<StOp>(op) && region.getLanes() < facts.lanes)
    return error() << "expected a region of " << facts.lanes
                   << " lanes, which the threads of a warp write with shape "
                   << facts.name << ", got " << region << " "
                   << cite(ISASection::TmemLoadAccess);
  // tcgen05_ld_c6, tcgen05_st_c5
  bool upper =
      region.getLanes() == kTmemWindowLanes && facts.lanes < kTmemWindowLanes;
  if (lane != 0 && !(upper && lane == facts.lanes))
    return error() << "expected lane 0"
                   << (upper ? " or " + std::to_string(facts.lanes) : "")
                   << " for shape " << facts.name << " in a region of "
                   << region.getLanes() << " lanes, got " << lane << " "
                   << cite(ISASection::TmemLoadAccess);
  return success();
}

// tcgen05_ld_c5, tcgen05_st_c4
LogicalResult Access::verifyOffset() const {
  bool split = shape == AccessShape::L16x32bx2;
  if (split != offset.has_value())
    return error() << "expected " << (split ? "an" : "no")
                   << " offset for shape " << facts.name << ", got "
                   << (split ? "none" : std::to_string(*offset)) << " "
                   << cite(section);
  if (offset && *offset < 0)
    return error() << "expected an offset from 0, got " << *offset << " "
                   << cite(section);
  return success();
}

// tcgen05_ld_c7, tcgen05_st_c6
LogicalResult Access::verifyHalves() const {
  if (halves && (region.getPacked() || region.getBytes() ||
                 region.getElementType().getIntOrFloatBitWidth() != 16))
    return error() << "expected elements of 16 bits with a cell each for "
                   << (isa<LdOp>(op) ? "pack" : "unpack") << ", got " << region
                   << " " << cite(section);
  return success();
}

LogicalResult Access::verifyExtents() const {
  // tcgen05_ld_c3, tcgen05_st_c3
  if (region.getPacked() &&
      32 % region.getElementType().getIntOrFloatBitWidth() != 0)
    return error() << "expected packed elements of which a register holds a "
                      "whole number, got "
                   << region << " " << cite(section);
  // tcgen05_ld_c2, tcgen05_st_c2
  int64_t columns = region.getCellColumns() - offset.value_or(0);
  int64_t unit = facts.columns * (halves ? 2 : 1);
  int64_t repetition = std::max<int64_t>(columns, 0) / unit;
  if (repetition * unit != columns || !llvm::isPowerOf2_64(repetition) ||
      repetition > facts.maxRepetition) {
    int64_t wanted = llvm::divideCeil(std::max<int64_t>(columns, 1), unit);
    InFlightDiagnostic diagnostic = error() << "expected ";
    if (unit > 1)
      diagnostic << unit << " times ";
    diagnostic << "a power of two of columns up to "
               << unit * facts.maxRepetition;
    if (offset)
      diagnostic << " after the offset";
    return diagnostic << " for shape " << facts.name << ", got " << columns
                      << ", the nearest is "
                      << unit * std::min<int64_t>(llvm::PowerOf2Ceil(wanted),
                                                  facts.maxRepetition)
                      << " " << cite(section);
  }
  int64_t elements = repetition * facts.registers * getElementsPerRegister();
  if (registers.isScalable() || registers.getNumElements() != elements)
    return error() << "expected a " << what() << " of " << elements
                   << " elements, those of a thread for shape " << facts.name
                   << " and " << columns << " columns, got " << registers << " "
                   << cite(section);
  return success();
}

// tcgen05_ld_c3, tcgen05_st_c3
LogicalResult Access::verifyElements() const {
  Type expected = region.getElementType();
  int64_t bits = expected.getIntOrFloatBitWidth();
  if (bits != 32 && !region.getPacked() && !halves)
    expected = IntegerType::get(op->getContext(), 32);
  if (registers.getElementType() != expected)
    return error() << "expected " << what() << " elements of " << expected
                   << ", got " << registers.getElementType() << " "
                   << cite(section);
  return success();
}

LogicalResult Access::verify() const {
  return success(succeeded(verifyWindow()) && succeeded(verifyOffset()) &&
                 succeeded(verifyHalves()) && succeeded(verifyExtents()) &&
                 succeeded(verifyElements()));
}

/// A second use, or one that runs more often, would keep a copy of the
/// registers from before the wait.
static LogicalResult verifyWaited(OpResult result) {
  if (result.use_empty())
    return success();
  Operation *op = result.getOwner(), *user = *result.user_begin();
  auto wait = dyn_cast<WaitOp>(user);
  if (wait && user->getBlock() == op->getBlock() && result.hasOneUse())
    return success();
  InFlightDiagnostic diagnostic =
      op->emitOpError() << "expected the result to be used once, by a "
                           "'tcgen05.wait ld' of the same block, got ";
  if (result.hasOneUse())
    diagnostic << "one by '" << user->getName()
               << (wait ? "' of another block" : "'");
  else
    diagnostic << llvm::range_size(result.getUses()) << " uses";
  diagnostic << " " << cite(ISASection::TmemLoad);
  diagnostic.attachNote(user->getLoc()) << "used here";
  return diagnostic;
}

LogicalResult LdOp::verify() {
  Access access(*this, getSource().getType(), getResult().getType(), getPack(),
                ISASection::TmemLoad);
  // tcgen05_ld_c4
  return success(succeeded(access.verify()) &&
                 succeeded(verifyWaited(getOperation()->getResult(0))));
}

//===----------------------------------------------------------------------===//
// LdRedOp
//===----------------------------------------------------------------------===//

LogicalResult LdRedOp::verify() {
  TmemType region = getSource().getType();
  VectorType result = getResult().getType(), reduced = getReduced().getType();
  // tcgen05_ld_red_c1
  if (region.isWhole() || region.getStorageBits() != 32)
    return emitOpError() << "expected a region of one warp's window "
                            "(tcgen05.warp_window) with cells of 32 bits, got "
                         << region << " " << cite(ISASection::TmemLoadAccess);
  // tcgen05_ld_red_c3
  bool split = getShape() == AccessShape::L16x32bx2;
  if (!split && getShape() != AccessShape::L32x32b)
    return emitOpError() << "expected shape 32x32b or 16x32bx2, got "
                         << getFacts(getShape()).name << " "
                         << cite(ISASection::TmemLoad);
  if (split != getOffset().has_value() || getOffset().value_or(0) < 0)
    return emitOpError() << "expected "
                         << (split ? "an offset from 0" : "no offset")
                         << " for shape " << getFacts(getShape()).name
                         << ", got "
                         << (getOffset() ? std::to_string(*getOffset())
                                         : "none")
                         << " " << cite(ISASection::TmemLoad);
  // tcgen05_ld_red_c2
  Type element = region.getElementType();
  int64_t columns = region.getColumns() - getOffset().value_or(0);
  if (columns < 2 || columns > getFacts(getShape()).maxRepetition ||
      !llvm::isPowerOf2_64(columns))
    return emitOpError() << "expected a power of two of columns from 2 to "
                         << getFacts(getShape()).maxRepetition << ", got "
                         << columns << " " << cite(ISASection::TmemLoad);
  if (!element.isF32() && !element.isSignlessInteger(32))
    return emitOpError() << "expected elements of f32 or i32, got " << element
                         << " " << cite(ISASection::TmemLoad);
  if (result != VectorType::get(columns, element) ||
      reduced != VectorType::get(1, element))
    return emitOpError() << "expected results "
                         << VectorType::get(columns, element) << " and "
                         << VectorType::get(1, element) << ", got " << result
                         << " and " << reduced << " "
                         << cite(ISASection::TmemLoad);
  // tcgen05_ld_red_c4
  bool isUnsigned =
      getReduction() == Reduction::UMin || getReduction() == Reduction::UMax;
  if (element.isF32() ? isUnsigned : getAbs() || getNan())
    return emitOpError() << "expected "
                         << (element.isF32() ? "min or max for f32"
                                             : "neither abs nor nan for i32")
                         << ", got " << stringifyReduction(getReduction())
                         << (getAbs() ? " abs" : "") << (getNan() ? " nan" : "")
                         << " " << cite(ISASection::TmemLoad);
  // tcgen05_ld_red_c5
  return success(succeeded(verifyWaited(getOperation()->getResult(0))) &&
                 succeeded(verifyWaited(getOperation()->getResult(1))));
}

//===----------------------------------------------------------------------===//
// LdCompressOp
//===----------------------------------------------------------------------===//

LogicalResult LdCompressOp::verify() {
  TmemType region = getSource().getType();
  // tcgen05_ld_compress_c1
  if (region.isWhole() || region.getLanes() != kTmemWindowLanes ||
      region.getStorageBits() != 32 || !region.getElementType().isF32())
    return emitOpError() << "expected a region of one warp's window "
                            "(tcgen05.warp_window) of "
                         << kTmemWindowLanes << " lanes with f32, got "
                         << region << " " << cite(ISASection::TmemLoadAccess);
  // tcgen05_ld_compress_c2
  int64_t columns = region.getColumns(),
          most = getFacts(AccessShape::L32x32b).maxRepetition;
  if (columns < 4 || columns > most || !llvm::isPowerOf2_64(columns))
    return emitOpError() << "expected a power of two of columns from 4 to "
                         << most << ", got " << columns << " "
                         << cite(ISASection::TmemLoad);
  // tcgen05_ld_compress_c3
  Type element = region.getElementType(),
       index = IntegerType::get(getContext(), 32);
  SmallVector<Type> expected = {
      VectorType::get(columns / 2, element),
      VectorType::get(llvm::divideCeil(columns, 32), index)};
  if (getReduced())
    expected.push_back(VectorType::get(1, element));
  if (!llvm::equal(expected, getOperation()->getResultTypes()))
    return emitOpError() << "expected results " << expected << ", got "
                         << getOperation()->getResultTypes() << " "
                         << cite(ISASection::TmemLoad);
  // tcgen05_ld_compress_c4
  if (getReduction() != Reduction::Min && getReduction() != Reduction::Max)
    return emitOpError() << "expected min or max for f32, got "
                         << stringifyReduction(getReduction()) << " "
                         << cite(ISASection::TmemLoad);
  if (getNan() && !getReduced())
    return emitOpError() << "expected nan with a reduced result only, got none "
                         << cite(ISASection::TmemLoad);
  // tcgen05_ld_compress_c5
  return success(llvm::all_of(getOperation()->getResults(), [](OpResult value) {
    return succeeded(verifyWaited(value));
  }));
}

//===----------------------------------------------------------------------===//
// StOp
//===----------------------------------------------------------------------===//

LogicalResult StOp::verify() {
  return Access(*this, getDestination().getType(), getValue().getType(),
                getUnpack(), ISASection::TmemStore)
      .verify();
}

//===----------------------------------------------------------------------===//
// WaitOp
//===----------------------------------------------------------------------===//

LogicalResult WaitOp::inferReturnTypes(MLIRContext *context,
                                       std::optional<Location> location,
                                       WaitOp::Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  llvm::append_range(types, adaptor.getValues().getTypes());
  return success();
}

LogicalResult WaitOp::verify() {
  // tcgen05_wait_c1
  if (getKind() == WaitKind::St && !getValues().empty())
    return emitOpError() << "expected no values for st, got "
                         << getValues().size() << " "
                         << cite(ISASection::TmemWait);
  // tcgen05_wait_c2
  for (auto [index, value] : llvm::enumerate(getValues()))
    if (!isa_and_nonnull<LdOp, LdRedOp, LdCompressOp>(value.getDefiningOp())) {
      InFlightDiagnostic diagnostic = emitOpError()
                                      << "expected value #" << index
                                      << " to be the result of a 'tcgen05.ld', "
                                         "'tcgen05.ld_red' or "
                                         "'tcgen05.ld_compress' "
                                      << cite(ISASection::TmemWait);
      diagnostic.attachNote(value.getLoc()) << "defined here";
      return diagnostic;
    }
  return success();
}
