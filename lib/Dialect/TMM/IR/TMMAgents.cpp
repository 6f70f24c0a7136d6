//===- TMMAgents.cpp - threads and CTAs that act ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The engine and the agent sets that every chip has.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TMM/IR/TMMOps.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

//===----------------------------------------------------------------------===//
// ThreadsAttr
//===----------------------------------------------------------------------===//

Proxy ThreadsAttr::getProxy() const { return Proxy::Generic; }
Issue ThreadsAttr::getIssue() const { return Issue::each(); }
CompletionAttrInterface ThreadsAttr::getCompletion() const {
  return ArrivalsAttr::get(getContext());
}

//===----------------------------------------------------------------------===//
// Turns
//===----------------------------------------------------------------------===//

LogicalResult TurnAttr::verifyTile(function_ref<InFlightDiagnostic()> emitError,
                                   ArrayRef<int64_t> shape,
                                   Type elementType) const {
  // tmm_turn_c1
  if (shape == ArrayRef<int64_t>({1, 1}) && elementType.isInteger(1))
    return success();
  return emitError() << "expected one " << IntegerType::get(getContext(), 1)
                     << " in " << *this << ", got " << shape[0] << "x"
                     << shape[1] << " of " << elementType;
}

StringRef TurnAttr::getRingName() const { return "turns"; }

/// Each thread of the role arrives, and waits for all of them.
EngineAttrInterface TakeTurnOp::getEngine() {
  return ThreadsAttr::get(getContext());
}

EngineAttrInterface PassTurnOp::getEngine() {
  return ThreadsAttr::get(getContext());
}

static LogicalResult verifyTurn(Operation *op, BufferType type) {
  // tmm_take_turn_c1, tmm_pass_turn_c1
  if (isa<TurnAttr>(type.getSpace()))
    return success();
  return op->emitOpError() << "expected operand turn in #tmm.turn, got "
                           << type.getSpace();
}

LogicalResult TakeTurnOp::verify() {
  return verifyTurn(*this, getTurn().getType());
}

LogicalResult PassTurnOp::verify() {
  return verifyTurn(*this, getTurn().getType());
}

//===----------------------------------------------------------------------===//
// CtasAttr
//===----------------------------------------------------------------------===//

/// The most CTAs of a cluster (PTX ISA, "Cluster of Cooperative Thread
/// Arrays"; those above 8 need a kernel that allows them).
static constexpr int64_t kMaxClusterCtas = 16;

LogicalResult CtasAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<int64_t> shape,
                               ArrayRef<int64_t> along) {
  // tmm_ctas_c1
  int64_t ctas = 1;
  for (int64_t extent : shape) {
    if (extent < 1 || extent > kMaxClusterCtas)
      return emitError() << "expected extents of a cluster from 1 to "
                         << kMaxClusterCtas << ", got " << extent;
    ctas *= extent;
  }
  if (shape.empty() || ctas > kMaxClusterCtas)
    return emitError() << "expected a cluster of 1 to " << kMaxClusterCtas
                       << " CTAs, got " << (shape.empty() ? 0 : ctas);
  // tmm_ctas_c2
  for (auto [index, dim] : llvm::enumerate(along))
    if (dim < 0 || dim >= int64_t(shape.size()) ||
        (index > 0 && dim <= along[index - 1]))
      return emitError() << "expected along to name dimensions 0 to "
                         << shape.size() - 1 << " in ascending order, got ["
                         << along << "]";
  return success();
}

int64_t CtasAttr::getNumCtas() const {
  int64_t ctas = 1;
  for (int64_t extent : getShape())
    ctas *= extent;
  return ctas;
}

SmallVector<int64_t> CtasAttr::getMembers(int64_t rank) const {
  SmallVector<int64_t> members;
  for (int64_t other = 0; other < getNumCtas(); ++other) {
    bool same = true;
    int64_t a = rank, b = other;
    for (auto [dim, extent] : llvm::enumerate(getShape())) {
      if (!llvm::is_contained(getAlong(), int64_t(dim)))
        same &= a % extent == b % extent;
      a /= extent;
      b /= extent;
    }
    if (same)
      members.push_back(other);
  }
  return members;
}
