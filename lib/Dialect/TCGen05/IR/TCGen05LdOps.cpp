//===- TCGen05LdOps.cpp - loads from Tensor Memory --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifiers of tcgen05.ld and tcgen05.wait.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TCGen05/IR/TCGen05.h"
#include "tc/Support/ISA.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tc;
using namespace tc::tcgen05;

/// What loads and stores of `registers` ask of `region`, a warp's; `what` is
/// what holds the registers in the operation.
static LogicalResult verifyRegisters(Operation *op, TmemType region,
                                     VectorType registers, StringRef what,
                                     ISASection section) {
  // tcgen05_ld_c1, tcgen05_st_c1
  if (region.isWhole() || region.getPacked())
    return op->emitOpError()
           << "expected a region of one warp's window (tcgen05.warp_window), "
              "not packed, got "
           << region << " " << cite(ISASection::TmemLoadAccess);
  // tcgen05_ld_c2, tcgen05_st_c2
  int64_t columns = region.getColumns();
  constexpr int64_t kMaxColumns = 128;
  if (!llvm::isPowerOf2_64(columns) || columns > kMaxColumns)
    return op->emitOpError()
           << "expected a power of two of columns up to " << kMaxColumns
           << ", got " << columns << ", the nearest is "
           << std::min<int64_t>(llvm::PowerOf2Ceil(columns), kMaxColumns) << " "
           << cite(section);
  if (registers.isScalable() || registers.getNumElements() != columns)
    return op->emitOpError() << "expected a " << what << " of " << columns
                             << " elements, one for each column, got "
                             << registers << " " << cite(section);
  // tcgen05_ld_c3, tcgen05_st_c3
  Type expected = region.getElementType();
  if (expected.getIntOrFloatBitWidth() != 32)
    expected = IntegerType::get(op->getContext(), 32);
  if (registers.getElementType() != expected)
    return op->emitOpError()
           << "expected " << what << " elements of " << expected << ", got "
           << registers.getElementType() << " " << cite(section);
  return success();
}

LogicalResult LdOp::verify() {
  if (failed(verifyRegisters(*this, getSource().getType(),
                             getResult().getType(), "result",
                             ISASection::TmemLoad)))
    return failure();
  // tcgen05_ld_c4. A second use, or one that runs more often, would keep a copy
  // of the registers from before the wait.
  if (getResult().use_empty())
    return success();
  Operation *user = *getResult().user_begin();
  auto wait = dyn_cast<WaitOp>(user);
  if (!wait || user->getBlock() != getOperation()->getBlock() ||
      !getResult().hasOneUse()) {
    InFlightDiagnostic diagnostic =
        emitOpError() << "expected the result to be used once, by a "
                         "'tcgen05.wait ld' of the same block, got ";
    if (getResult().hasOneUse())
      diagnostic << "one by '" << user->getName()
                 << (wait ? "' of another block" : "'");
    else
      diagnostic << llvm::range_size(getResult().getUses()) << " uses";
    diagnostic << " " << cite(ISASection::TmemLoad);
    diagnostic.attachNote(user->getLoc()) << "used here";
    return diagnostic;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// StOp
//===----------------------------------------------------------------------===//

LogicalResult StOp::verify() {
  TmemType region = getDestination().getType();
  if (failed(verifyRegisters(*this, region, getValue().getType(), "value",
                             ISASection::TmemStore)))
    return failure();
  // tcgen05_st_c1
  if (region.getLanes() != kTmemWindowLanes)
    return emitOpError() << "expected a region of " << kTmemWindowLanes
                         << " lanes, which the threads of a warp write, got "
                         << region << " " << cite(ISASection::TmemLoadAccess);
  return success();
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
    if (!value.getDefiningOp<LdOp>()) {
      InFlightDiagnostic diagnostic = emitOpError()
                                      << "expected value #" << index
                                      << " to be the result of a 'tcgen05.ld' "
                                      << cite(ISASection::TmemWait);
      diagnostic.attachNote(value.getLoc()) << "defined here";
      return diagnostic;
    }
  return success();
}
