//===- TCGen05MmaOps.cpp - matrix multiplication ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The verifiers of tcgen05.mma and of tcgen05.commit.
//
//===----------------------------------------------------------------------===//

#include "Multiplication.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tc;
using namespace tc::tcgen05;

bool tc::tcgen05::isLaneMask(Type type, int64_t words) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && !vector.isScalable() &&
         vector.getElementType().isSignlessInteger(32) &&
         vector.getShape() == ArrayRef<int64_t>{words};
}

//===----------------------------------------------------------------------===//
// MmaOp
//===----------------------------------------------------------------------===//

MmaForm MmaOp::getForm() {
  return {getFacts(getKind()), static_cast<int>(getCtaGroup()),
          bool(getMetadata()), /*weightStationary=*/false,
          getWideK(),          bool(getLookup())};
}

int64_t MmaOp::getM() { return Multiplication(*this).getM(); }

int64_t MmaOp::getN() { return Multiplication(*this).getN(); }

int64_t MmaOp::getK() { return Multiplication(*this).getK(); }

// tcgen05_mma_c8
static LogicalResult verifyScaleD(MmaOp op) {
  std::optional<int32_t> scale = op.getScaleD();
  if (!scale)
    return success();
  if (op.getKind() != MmaKind::F16 && op.getKind() != MmaKind::TF32)
    return op.emitOpError()
           << "expected no scale_d for kind " << stringifyMmaKind(op.getKind())
           << ", only f16 and tf32 have it " << cite(ISASection::Mma);
  if (*scale < 0 || *scale > 15)
    return op.emitOpError() << "expected scale_d from 0 to 15, got " << *scale
                            << " " << cite(ISASection::Mma);
  return success();
}

// tcgen05_mma_c11
static LogicalResult verifyShift(MmaOp op) {
  if (!op.getAshift())
    return success();
  if (!op.getTmemA())
    return op.emitOpError()
           << "expected a in Tensor Memory with ashift, got "
           << op.getA().getType() << " " << cite(ISASection::Mma);
  if (op.getLookup())
    return op.emitOpError()
           << "expected no ashift with lookup " << cite(ISASection::LookupB);
  int64_t rows = op.getM() / op.getCtaGroup();
  if (rows != kTmemLanes)
    return op.emitOpError() << "expected " << kTmemLanes
                            << " rows of a in a CTA with ashift, got " << rows
                            << " " << cite(ISASection::Mma);
  if (op.getCollectorA() == Collector::Fill ||
      op.getCollectorA() == Collector::Use)
    return op.emitOpError()
           << "expected collector discard or lastuse with ashift, got "
           << stringifyCollector(op.getCollectorA()) << " "
           << cite(ISASection::Mma);
  return success();
}

// tcgen05_mma_c14
static LogicalResult verifyCollectorB(MmaOp op) {
  if (op.getCollectorB() == Collector::Discard || op.getKind() != MmaKind::I8)
    return success();
  return op.emitOpError()
         << "expected no collector_b for kind i8, only f16, tf32, f8f6f4 "
            "and ti16 have it, got "
         << stringifyCollector(op.getCollectorB()) << " "
         << cite(ISASection::CollectorB);
}

LogicalResult MmaOp::verify() {
  // tcgen05_mma_c1
  if (isBlockScaled(getFacts(getKind())))
    return emitOpError() << "expected a kind without scale factors (f16, tf32, "
                            "f8f6f4, i8, ti16), got "
                         << stringifyMmaKind(getKind())
                         << ", whose scale factors this operation "
                            "has no operands for "
                         << cite(ISASection::Mma);
  Multiplication multiplication(*this);
  if (failed(multiplication.verify()) || failed(verifyScaleD(*this)) ||
      failed(multiplication.verifyNegate(getSaturate())) ||
      failed(multiplication.verifyMetadata(getSelector())) ||
      failed(verifyShift(*this)) || failed(verifyCollectorB(*this)))
    return failure();
  // tcgen05_mma_c12
  int64_t words = 4 * getCtaGroup();
  if (getDisable() && !isLaneMask(getDisable().getType(), words))
    return emitOpError() << "expected a vector of " << words
                         << " words to disable lanes with cta_group "
                         << getCtaGroup() << ", got " << getDisable().getType()
                         << " " << cite(ISASection::Mma);
  return success();
}

//===----------------------------------------------------------------------===//
// CommitOp
//===----------------------------------------------------------------------===//

LogicalResult CommitOp::verify() {
  // tcgen05_commit_c1
  for (auto [name, mask] :
       {std::pair<StringRef, Value>("multicast", getMulticast()),
        {"multicast32", getMulticast32()}})
    if (mask && matchPattern(mask, m_Zero()))
      return emitOpError() << "expected " << name << " to name a CTA, got 0 "
                           << cite(ISASection::Commit);
  // tcgen05_commit_c2
  if (getMulticast() && getMulticast32())
    return emitOpError() << "expected multicast or multicast32, got both "
                         << cite(ISASection::RestrictedCommit);
  return success();
}
