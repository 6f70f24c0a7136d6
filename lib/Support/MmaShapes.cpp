//===- MmaShapes.cpp - legal shapes of tcgen05.mma --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of MmaShapes.h, and what Target.h answers from it.
//
//===----------------------------------------------------------------------===//

#include "tc/Support/MmaShapes.h"

#include "llvm/ADT/STLExtras.h"

#include <cstdlib>

namespace tc {

using Kind = MmaKindFacts;

static constexpr Kind kPlain[] = {Kind::F16, Kind::TF32, Kind::F8F6F4};
static constexpr Kind kKindsI8[] = {Kind::I8};
static constexpr Kind kKindsTI16[] = {Kind::TI16};
static constexpr Kind kUnscaled[] = {Kind::F16, Kind::TF32, Kind::F8F6F4,
                                     Kind::I8, Kind::TI16};
static constexpr Kind kScaled[] = {Kind::MXF8F6F4, Kind::MXF4, Kind::MXF4NVF4};
static constexpr int64_t k32To128[] = {32, 64, 128};
static constexpr int64_t k64And128[] = {64, 128};
static constexpr int64_t k64To256[] = {64, 128, 256};
static constexpr int64_t k128[] = {128};
static constexpr int64_t k128And256[] = {128, 256};
static constexpr int64_t k256[] = {256};
static constexpr int64_t k8And24[] = {8, 24};
static constexpr ExtentRange kBy8{8, 256, 8};
static constexpr ExtentRange kBy16{16, 256, 16};
static constexpr ExtentRange kBy32{32, 256, 32};
static constexpr ExtentRange kNone{0, 0, 0};

llvm::ArrayRef<MmaShapeFacts> getMmaShapes() {
  static const MmaShapeFacts table[] = {
      // kinds, cta_group, dense, sparse, ws, M, N, N where M is 64
      {kPlain, 1, true, true, false, k64And128, {kBy8, {}}},
      {kPlain, 2, true, true, false, k128And256, {kBy16, {}}},
      {kKindsI8, 1, true, true, false, k64And128, {kBy16, k8And24}},
      {kKindsI8, 2, true, true, false, k128And256, {kBy32, {}}},
      // PTX ISA 9.4, 9.7.18.2.1 "Matrix Shape".
      {kKindsTI16, 1, true, true, false, k64And128, {kBy16, {}}, {kBy8, {}}},
      {kKindsTI16, 2, true, true, false, k128And256, {kBy32, {}}},
      {kScaled, 1, true, true, false, k128, {kBy8, {}}},
      {kScaled, 2, true, false, false, k128And256, {kBy16, {}}},
      {kScaled, 2, false, true, false, k256, {kBy16, {}}},
      {kUnscaled, 1, true, false, true, k32To128, {kNone, k64To256}},
      {kUnscaled, 1, false, true, true, k32To128, {kNone, k64And128}},
  };
  return table;
}

const MmaShapeFacts *findMmaShapes(const MmaForm &form) {
  for (const MmaShapeFacts &facts : getMmaShapes())
    if (llvm::is_contained(facts.kinds, form.kind) &&
        facts.ctaGroup == form.ctaGroup &&
        (form.sparse ? facts.sparse : facts.dense) &&
        facts.weightStationary == form.weightStationary)
      return &facts;
  return nullptr;
}

ExtentRange getMmaTransposedByteN(int ctaGroup) {
  return ctaGroup == 2 ? kBy32 : kBy16;
}

int64_t getMmaSparseK(MmaKindFacts kind) { return 2 * getMmaK(kind); }

int64_t getMmaPackedElements(MmaKindFacts kind) {
  return kind == MmaKindFacts::MXF4 || kind == MmaKindFacts::MXF4NVF4 ? 2 : 1;
}

int64_t getMmaSparseChunk(MmaKindFacts kind) {
  switch (kind) {
  case MmaKindFacts::TF32:
    return 2;
  case MmaKindFacts::MXF4:
  case MmaKindFacts::MXF4NVF4:
    return 8;
  default:
    return 4;
  }
}

int64_t getMetadataWidth(MmaKindFacts kind) {
  return kind == MmaKindFacts::F16 || kind == MmaKindFacts::TF32 ||
                 kind == MmaKindFacts::TI16
             ? 1
             : 2;
}

int64_t getMetadataTileK(MmaKindFacts kind) {
  return getMmaSparseK(kind) * kMetadataColumns / getMetadataWidth(kind);
}

int64_t MmaForm::getK() const {
  int64_t dense = wide ? getWideMmaK(kind) : getMmaK(kind);
  return sparse ? 2 * dense : dense;
}

std::string MmaForm::getName() const {
  std::string name = weightStationary ? "weight-stationary " : "";
  if (sparse)
    name += "sparse ";
  return name + "kind " + tc::getName(kind).str() + " with cta_group " +
         std::to_string(ctaGroup);
}

bool MmaExtents::contains(int64_t extent) const {
  return llvm::is_contained(others, extent) ||
         (range.step != 0 && range.contains(extent));
}

int64_t MmaExtents::nearest(int64_t extent) const {
  int64_t best = range.step != 0 ? range.nearest(extent) : others.front();
  for (int64_t other : others)
    if (std::llabs(other - extent) < std::llabs(best - extent))
      best = other;
  return best;
}

std::string MmaExtents::getName() const {
  std::string name;
  if (range.step != 0)
    name = "a multiple of " + std::to_string(range.step) + " from " +
           std::to_string(range.first) + " to " + std::to_string(range.last);
  for (size_t i = 0; i < others.size(); ++i) {
    if (i + 1 == others.size() && !name.empty())
      name += " or ";
    else if (!name.empty())
      name += ", ";
    name += std::to_string(others[i]);
  }
  return name;
}

//===----------------------------------------------------------------------===//
// Dense instructions (Target.h)
//===----------------------------------------------------------------------===//

llvm::ArrayRef<int64_t> getMmaM(MmaKindFacts kind, int ctaGroup) {
  return findMmaShapes({kind, ctaGroup})->m;
}

ExtentRange getMmaN(MmaKindFacts kind, int ctaGroup) {
  return findMmaShapes({kind, ctaGroup})->n.range;
}

bool isLegalMmaN(MmaKindFacts kind, int ctaGroup, int64_t n) {
  return findMmaShapes({kind, ctaGroup})->n.contains(n);
}

int64_t getNearestMmaN(MmaKindFacts kind, int ctaGroup, int64_t n) {
  return findMmaShapes({kind, ctaGroup})->n.nearest(n);
}

} // namespace tc
