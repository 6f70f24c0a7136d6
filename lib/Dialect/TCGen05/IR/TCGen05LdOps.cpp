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

LogicalResult LdOp::verify() {
  TmemType source = getSource().getType();
  VectorType result = getResult().getType();
  // tcgen05_ld_c1
  if (source.isWhole() || source.getPacked())
    return emitOpError() << "expected a region of one warp's window "
                            "(tcgen05.warp_window), not packed, got "
                         << source << " " << cite(ISASection::TmemLoadAccess);
  // tcgen05_ld_c2
  int64_t columns = source.getColumns();
  constexpr int64_t kMaxColumns = 128;
  if (!llvm::isPowerOf2_64(columns) || columns > kMaxColumns)
    return emitOpError() << "expected a power of two of columns up to "
                         << kMaxColumns << ", got " << columns
                         << ", the nearest is "
                         << std::min<int64_t>(llvm::PowerOf2Ceil(columns),
                                              kMaxColumns)
                         << " " << cite(ISASection::TmemLoad);
  if (result.isScalable() || result.getNumElements() != columns)
    return emitOpError() << "expected a result of " << columns
                         << " elements, one for each column, got " << result
                         << " " << cite(ISASection::TmemLoad);
  // tcgen05_ld_c3
  Type expected = source.getElementType();
  if (expected.getIntOrFloatBitWidth() != 32)
    expected = IntegerType::get(getContext(), 32);
  if (result.getElementType() != expected)
    return emitOpError() << "expected result elements of " << expected
                         << ", got " << result.getElementType() << " "
                         << cite(ISASection::TmemLoad);
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
                         "'tcgen05.wait ld' of the same block, got "
                      << std::distance(getResult().use_begin(),
                                       getResult().use_end())
                      << " uses " << cite(ISASection::TmemLoad);
    diagnostic.attachNote(user->getLoc()) << "used here";
    return diagnostic;
  }
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
