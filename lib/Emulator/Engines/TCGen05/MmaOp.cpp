//===- MmaOp.cpp - one tcgen05.mma in flight --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engines/TCGen05/MmaOp.h"

#include "Engines/TCGen05/Lookup.h"
#include "Engines/TCGen05/Sparse.h"
#include "Numerics/GroupedDot.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace tc::emu {

static DotKind dotKind(MmaKind kind, NumberFormat d) {
  switch (kind) {
  case MmaKind::F16:
    return d == NumberFormat::F16 ? DotKind::F16toF16 : DotKind::F16toF32;
  case MmaKind::TF32:
    return DotKind::TF32;
  case MmaKind::F8F6F4:
    return d == NumberFormat::F16 ? DotKind::F8F6F4toF16 : DotKind::F8F6F4toF32;
  case MmaKind::MXF8F6F4:
    return DotKind::MXF8F6F4;
  default:
    return DotKind::MXF4;
  }
}

const DotRule &MmaOp::rule() const {
  return dotRule(dotKind(values.form.kind, desc.d));
}

/// The cells of D are shown by the layout of the last MMA.
void MmaOp::onIssue(Cluster &cluster) {
  TmemOp::onIssue(cluster);
  Tmem::LastMma last;
  last.line = line;
  last.m = desc.m;
  last.n = desc.n;
  last.ctaGroup = values.form.ctaGroup;
  last.d = values.d;
  last.dataPath = uint8_t(layout);
  last.type = desc.integerD                 ? Tmem::LastMma::S32
              : desc.d == NumberFormat::F16 ? Tmem::LastMma::F16
                                            : Tmem::LastMma::F32;
  for (last.cta = 0; last.cta < last.ctaGroup; ++last.cta)
    cluster.cta(rankOf(last.cta))->tmem.lastMma = last;
}

void MmaOp::addUndefined(Cluster &cluster, unsigned rank,
                         const std::vector<uint32_t> &offsets,
                         Operand &operand) {
  for (size_t i = 0; i < offsets.size(); ++i)
    if (offsets[i])
      setOrigin(operand.undefined, i, offsets.size(),
                cluster.sharedOrigin(*this, smemAddress(rank, offsets[i])));
}

/// Where the elements are that many bytes of a row, or rows, after the first.
SmemOperand MmaOp::partOf(const SmemOperand &operand) const {
  SmemOperand part = operand;
  const unsigned first = half * stepK();
  const SmemDescriptor &of = operand.descriptor;
  // It may begin inside of a unit.
  if (operand.packedBits) {
    part.firstBit += first * operand.packedBits;
    return part;
  }
  part.descriptor.start += operand.mnMajor
                               ? of.mnMajor(0, first)
                               : of.kMajor(0, first * operand.type.bits / 8);
  return part;
}

/// What no text says of an instruction with a wide K or a young type.
void MmaOp::noteInferences(Cluster &cluster) const {
  Machine &machine = cluster.machine;
  if (desc.scale == NumberFormat::UE5M3)
    machine.noteUse(Assumption::RubinUE5M3Bias, line, line);
  if (desc.scalesIn128Lanes)
    machine.noteUse(Assumption::RubinScales128Lanes, line, line);
  if (!desc.wide)
    return;
  if (values.form.lookupB)
    machine.noteUse(Assumption::RubinLookupLayout, line, line);
  if (desc.packs(desc.a) || desc.packs(desc.b))
    machine.noteUse(Assumption::RubinPackedRows, line, line);
  machine.noteUse(Assumption::RubinWideKHalves, line, line);
  if (values.scalesPerRow > 4)
    machine.noteUse(Assumption::RubinK128ScaleOrder, line, line);
  if (values.form.kind == MmaKind::MXF8F6F4)
    machine.noteUse(Assumption::RubinMxf8TwoScales, line, line);
}

Status MmaOp::gatherA(Cluster &cluster, unsigned cta, Operand &operand) {
  Cta &owner = *cluster.cta(rankOf(cta));
  unsigned rows = desc.m / values.form.ctaGroup;
  std::vector<uint32_t> places;
  if (!values.form.tmemA) {
    Status status = gatherSmem(owner.smem, partOf(a), 0, rows, stepDepth(),
                               operand.bits, places);
    addUndefined(cluster, owner.rank, places, operand);
    return status;
  }
  TmemAddress address = TmemAddress::decode(static_cast<uint32_t>(values.a));
  std::vector<unsigned> lanes;
  // .ashift: each row is the next one, except for the last, as tcgen05.shift
  // moves them.
  for (unsigned row = 0; row < rows; ++row)
    lanes.push_back(tmemALane(
        layout, values.form.shiftA ? std::min(row + 1, rows - 1) : row,
        address.lane));
  Status status =
      gatherTmemA(owner.tmem, desc.a, containerA(), desc.negateA, lanes,
                  address.column + half * stepDepth() * containerA() / 32,
                  stepDepth(), operand.bits, places);
  for (size_t row = 0; row < places.size(); ++row)
    if (places[row])
      setOrigin(
          operand.undefined, row, rows,
          cluster.cellOrigin(*this, owner.rank, lanes[row], places[row] - 1));
  return status;
}

Status MmaOp::gatherB(Cluster &cluster, const DataPathPart &part,
                      Operand &operand, unsigned pitch) {
  // Each CTA of a pair holds one half of B's columns.
  unsigned share = desc.n / values.form.ctaGroup;
  Cta &owner = *cluster.cta(rankOf(part.firstColumn / share));
  std::vector<uint32_t> &bits = operand.bits;
  std::vector<uint32_t> offsets;
  if (Status status = gatherSmem(owner.smem, partOf(b),
                                 part.firstColumn % share + mask.shift,
                                 part.columns, stepK(), bits, offsets, pitch);
      !status)
    return status;
  if (values.form.lookupB) {
    std::vector<uint32_t> cells;
    lookUp(owner.tmem, TmemAddress::decode(values.tables),
           part.firstColumn % share, stepK(), bits, cells);
    for (size_t c = 0; c < cells.size(); ++c)
      if (cells[c])
        setOrigin(operand.undefined, c, cells.size(),
                  cluster.cellOrigin(*this, owner.rank, (cells[c] - 1) >> 16,
                                     (cells[c] - 1) & 0xffff));
    if (desc.negateB)
      negateAll(desc.b, bits);
  }
  const size_t perColumn = pitch ? 1 : stepK(), perK = pitch ? pitch : 1;
  for (unsigned c = 0; mask.nonZero && c < part.columns; ++c)
    if (mask.isZero(part.firstColumn + c, desc.n)) {
      for (unsigned k = 0; k < stepK(); ++k)
        bits[c * perColumn + k * perK] = 0;
      if (!offsets.empty())
        offsets[c] = 0;
    }
  addUndefined(cluster, owner.rank, offsets, operand);
  return {};
}

void MmaOp::rowPointers(Cluster &cluster, const DataPathPart &part,
                        std::vector<uint32_t *> &rows) {
  const unsigned rank = rankOf(part.cta);
  Tmem &tmem = cluster.cta(rank)->tmem;
  unsigned column = TmemAddress::decode(values.d).column + part.column;
  std::bitset<tmemLanes> lanes;
  for (unsigned lane : part.lanes)
    lanes.set(lane);
  const bool isWritten = tmem.isWritten(lanes, column, part.columns);
  rows.clear();
  for (unsigned lane : part.lanes) {
    unsigned bit = part.cta * tmemLanes + lane;
    bool disabled = bit / 32 < values.disabledLanes.size() &&
                    (values.disabledLanes[bit / 32] >> (bit % 32) & 1);
    rows.push_back(disabled ? nullptr : tmem.cells(lane, column));
    if ((!disabled && !adds) || half || isWritten)
      continue;
    const uint8_t *states = tmem.states(lane, column);
    // Without a branch per cell; most often all have a value.
    uint8_t all = cellInit;
    for (unsigned c = 0; c < part.columns; ++c)
      all &= states[c];
    for (unsigned c = 0; !all && c < part.columns; ++c)
      if (!(states[c] & cellInit))
        undefined.push_back(
            {rank, lane, column + c,
             disabled ? tmem.originOf(lane, column + c)
                      : cluster.cellOrigin(*this, rank, lane, column + c,
                                           UndefinedOrigin::Accumulator)});
  }
}

void MmaOp::findUndefined(Cluster &cluster, const DataPathPart &part,
                          const Origins &aUndefined, const Origins &bUndefined,
                          const std::vector<uint32_t *> &rows) {
  if (aUndefined.empty() && bUndefined.empty())
    return;
  const unsigned column = TmemAddress::decode(values.d).column + part.column;
  for (size_t m = 0; m < rows.size(); ++m)
    for (unsigned c = 0; rows[m] && c < part.columns; ++c) {
      OriginId origin = aUndefined.empty() ? 0 : aUndefined[m];
      if (!origin && !bUndefined.empty())
        origin = bUndefined[c];
      if (origin)
        undefined.push_back(
            {rankOf(part.cta), part.lanes[m], column + c, origin});
    }
}

/// D * 2^-s before the accumulation, rounded like the accumulation itself.
void MmaOp::scaleAccumulator(const DataPathPart &part,
                             const std::vector<uint32_t *> &rows) const {
  bool half = desc.d == NumberFormat::F16;
  for (uint32_t *row : rows)
    for (unsigned c = 0; row && c < part.columns; ++c) {
      double value = std::ldexp(static_cast<double>(decodeFloat(
                                    desc.d, half ? row[c] & 0xffff : row[c])),
                                -static_cast<int>(values.scaleD));
      row[c] = encodeNumber(
          desc.d, value,
          half ? RoundingMode::NearestEven : RoundingMode::TowardZero, false);
    }
}

void MmaOp::integerPart(const DataPathPart &part,
                        const std::vector<uint32_t> &aBits,
                        const std::vector<uint32_t> &bBits,
                        const std::vector<uint32_t *> &rows) const {
  auto widen = [](const OperandType &type, uint32_t bits) {
    if (type.signMagnitude) {
      const auto magnitude = static_cast<int32_t>(bits & 0x7ff);
      return bits & 0x8000 ? -magnitude : magnitude;
    }
    return type.isSigned ? static_cast<int32_t>(static_cast<int8_t>(bits))
                         : static_cast<int32_t>(bits & 0xff);
  };
  std::vector<int32_t> aValues(aBits.size()), bValues(bBits.size());
  for (size_t i = 0; i < aBits.size(); ++i)
    aValues[i] = widen(desc.a, aBits[i]);
  for (size_t i = 0; i < bBits.size(); ++i)
    bValues[i] = widen(desc.b, bBits[i]);
  for (size_t m = 0; m < rows.size(); ++m) {
    if (!rows[m])
      continue;
    for (unsigned n = 0; n < part.columns; ++n) {
      // At most 64 * 255 * 255, or 32 * 2047 * 2047.
      int32_t products = 0;
      for (unsigned k = 0; k < desc.k; ++k)
        products += aValues[m * desc.k + k] * bValues[size_t(n) * desc.k + k];
      int64_t sum =
          int64_t(products) + (adds ? static_cast<int32_t>(rows[m][n]) : 0);
      if (desc.saturate)
        sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
      rows[m][n] = static_cast<uint32_t>(sum);
    }
  }
}

Status MmaOp::groupedPart(Cluster &cluster, const DataPathPart &part,
                          const std::vector<uint32_t> &aBits,
                          const std::vector<uint32_t> &bBits,
                          const std::vector<uint32_t *> &rows,
                          Origins &aUndefined, Origins &bUndefined) {
  const DotRule &rule = dotRule(DotKind::MXF4);
  Expected<std::vector<uint32_t>> scalesA =
      scales(cluster, part.cta, false, 0, static_cast<unsigned>(rows.size()),
             aUndefined);
  if (!scalesA)
    return scalesA.takeError();
  Expected<std::vector<uint32_t>> scalesB = scales(
      cluster, part.cta, true, part.firstColumn, part.columns, bUndefined);
  if (!scalesB)
    return scalesB.takeError();
  const unsigned groups = rule.group / rule.scaledGroup, perRow = stepScales(),
                 depth = stepDepth();
  auto decodeScales = [&](const std::vector<uint32_t> &all, size_t count) {
    std::vector<GroupScale> decoded;
    decoded.reserve(count * groups);
    for (size_t row = 0; row < count; ++row)
      for (unsigned g = 0; g < groups; ++g)
        decoded.push_back(decodeGroupScale(
            desc.scale, all[row * perRow + g * perRow / groups]));
    return decoded;
  };
  GroupedOperand a, b;
  a.scales = decodeScales(*scalesA, rows.size());
  b.scales = decodeScales(*scalesB, part.columns);
  a.doubled.resize(aBits.size());
  b.doubled.resize(bBits.size());
  decodeDoubledE2M1(aBits.data(), aBits.size(), a.doubled.data());
  decodeDoubledE2M1(bBits.data(), bBits.size(), b.doubled.data());
  const int fraction = formatInfo(desc.scale).mantissaBits;
  if (!values.form.sparse) {
    groupedStep(rule, a, b, fraction, rows, adds);
    return {};
  }
  // Each row of A meets other elements of B.
  std::vector<int16_t> kept(depth);
  for (size_t m = 0; m < rows.size(); ++m)
    for (unsigned n = 0; rows[m] && n < part.columns; ++n) {
      for (unsigned i = 0; i < depth; ++i)
        kept[i] = b.doubled[size_t(n) * desc.k + places[m * depth + i]];
      rows[m][n] = groupedDotAddDecoded(
          rule, &a.doubled[m * depth], kept.data(), &a.scales[m * groups],
          &b.scales[size_t(n) * groups], fraction, adds ? rows[m][n] : 0);
    }
  return {};
}

/// Row by row, with the elements of B that meet one of A: where others are NaN
/// or infinite, zeros in their place would not do.
void MmaOp::sparsePart(const DotRule &rule, const std::vector<uint32_t> &aKept,
                       const std::vector<uint32_t> &aScales,
                       const std::vector<uint32_t> &bBits,
                       const std::vector<uint32_t> &bScales, unsigned columns,
                       const std::vector<uint32_t *> &rows) const {
  const unsigned depth = depthA();
  OperandPlanes a, b;
  std::vector<uint32_t> met(size_t(columns) * depth);
  for (size_t m = 0; m < rows.size(); ++m) {
    for (unsigned n = 0; n < columns; ++n)
      for (unsigned i = 0; i < depth; ++i)
        met[size_t(n) * depth + i] =
            bBits[size_t(n) * desc.k + places[m * depth + i]];
    decodeOperand(a, false, desc.a.format, 1, depth, &aKept[m * depth],
                  aScales.empty() ? nullptr : &aScales[m]);
    decodeOperand(b, true, desc.b.format, columns, depth, met.data(),
                  bScales.empty() ? nullptr : bScales.data());
    mmaStep(rule, a, b, &rows[m], adds);
  }
}

/// The bits of an s1z4m11 that have to be zero.
static Status checkMagnitudes(const OperandType &type,
                              const std::vector<uint32_t> &bits,
                              const char *operand) {
  if (!type.signMagnitude)
    return {};
  for (uint32_t value : bits)
    if (value & 0x7800)
      return Error{"operand " + std::string(operand) +
                   ": expected zeros in bits 11 to 14 of an s1z4m11, got " +
                   std::to_string(value) +
                   " (PTX ISA 9.4, \"Instruction descriptor\", 9.7.18.4.2)"};
  return {};
}

Status MmaOp::readA(Cluster &cluster, const DataPathPart &part,
                    Operand &operand) {
  operand.scaleBits.clear();
  operand.undefined.clear();
  if (Status status = gatherA(cluster, part.cta, operand); !status)
    return status;
  if (Status status = checkMagnitudes(desc.a, operand.bits, "a"); !status)
    return status;
  if (values.form.sparse) {
    bool zeros = false;
    Machine &machine = cluster.machine;
    std::vector<uint32_t> cells;
    if (Status status = readMetadata(
            cluster.cta(rankOf(part.cta))->tmem, values.form, desc,
            TmemAddress::decode(values.metadata), operand.bits,
            machine.assumes(Assumption::ZeroSparseMetadata) ? &zeros : nullptr,
            places, cells);
        !status)
      return status;
    for (size_t row = 0; row < cells.size(); ++row)
      if (cells[row])
        setOrigin(operand.undefined, row, cells.size(),
                  cluster.cellOrigin(*this, rankOf(part.cta),
                                     (cells[row] - 1) >> 16,
                                     (cells[row] - 1) & 0xffff));
    if (zeros)
      machine.noteUse(Assumption::ZeroSparseMetadata, line, line);
    if (!scalesGroups()) {
      operand.kept = std::move(operand.bits);
      operand.bits = expandSparse(operand.kept, places, desc.k);
    }
  }
  if (desc.integerD || scalesGroups())
    return {};
  const auto count = static_cast<unsigned>(part.lanes.size());
  if (scalesElements()) {
    Expected<std::vector<uint32_t>> read =
        scales(cluster, part.cta, false, 0, count, operand.undefined);
    if (!read)
      return read.takeError();
    operand.scaleBits = std::move(*read);
  }
  decodeOperand(operand.planes, false, desc.a.format, count, stepK(),
                operand.bits.data(),
                scalesElements() ? operand.scaleBits.data() : nullptr);
  return {};
}

Status MmaOp::readB(Cluster &cluster, const DataPathPart &part,
                    Operand &operand) {
  operand.scaleBits.clear();
  operand.undefined.clear();
  const bool decodes = !desc.integerD && !scalesGroups();
  // As the planes are, where it is cheaper.
  const bool transposed = decodes && b.mnMajor && !values.form.sparse;
  if (Status status = gatherB(cluster, part, operand,
                              transposed ? planePitch(part.columns) : 0);
      !status)
    return status;
  if (!decodes)
    return checkMagnitudes(desc.b, operand.bits, "b");
  if (scalesElements()) {
    Expected<std::vector<uint32_t>> read =
        scales(cluster, part.cta, true, part.firstColumn, part.columns,
               operand.undefined);
    if (!read)
      return read.takeError();
    operand.scaleBits = std::move(*read);
  }
  decodeOperand(operand.planes, true, desc.b.format, part.columns, stepK(),
                operand.bits.data(),
                scalesElements() ? operand.scaleBits.data() : nullptr,
                transposed);
  return {};
}

Status MmaOp::computePart(Cluster &cluster, const DataPathPart &part,
                          Operand &aRead, Operand &bRead) {
  std::vector<uint32_t *> rows;
  rowPointers(cluster, part, rows);
  if (adds && values.scaleD && !half)
    scaleAccumulator(part, rows);
  if (scalesGroups()) {
    Origins aUndefined = aRead.undefined, bUndefined = bRead.undefined;
    Status status = groupedPart(cluster, part, aRead.bits, bRead.bits, rows,
                                aUndefined, bUndefined);
    findUndefined(cluster, part, aUndefined, bUndefined, rows);
    return status;
  }
  findUndefined(cluster, part, aRead.undefined, bRead.undefined, rows);
  if (desc.integerD) {
    integerPart(part, aRead.bits, bRead.bits, rows);
    return {};
  }
  if (values.form.sparse && bRead.planes.anySpecial) {
    sparsePart(rule(), aRead.kept, aRead.scaleBits, bRead.bits, bRead.scaleBits,
               part.columns, rows);
    return {};
  }
  // Products with the zeros of an expanded A are no terms.
  DotRule expanded = rule();
  expanded.group = desc.k;
  mmaStep(values.form.sparse ? expanded : rule(), aRead.planes, bRead.planes,
          rows.data(), adds);
  return {};
}

Status MmaOp::compute(Cluster &cluster) {
  noteInferences(cluster);
  for (half = 0; half < halves(); ++half) {
    adds = values.accumulate || half;
    if (Status status = computeHalf(cluster); !status)
      return status;
  }
  return {};
}

Status MmaOp::readAllOfA(Cluster &cluster) {
  for (half = 0; half < halves(); ++half)
    for (const DataPathPart &part : parts) {
      auto [it, isNew] = early.try_emplace({half, part.cta});
      if (!isNew)
        continue;
      if (Status status = readA(cluster, part, it->second.operand); !status)
        return status;
      it->second.places = places;
    }
  return {};
}

Status MmaOp::takeA(Cluster &cluster, const DataPathPart &part,
                    Operand &operand) {
  auto it = early.find({half, part.cta});
  if (it == early.end())
    return readA(cluster, part, operand);
  operand = std::move(it->second.operand);
  places = std::move(it->second.places);
  return {};
}

Status MmaOp::computeHalf(Cluster &cluster) {
  // Their storage is kept for the next MMA of this thread of the host.
  struct Operands {
    Operand a;
    std::map<unsigned, Operand> b; // by first column; CTAs of a pair share it
  };
  static thread_local Operands read;
  auto forgetB = [] {
    for (auto &[column, operand] : read.b)
      operand.isRead = false;
  };
  forgetB();
  unsigned cta = ~0u;
  for (const DataPathPart &part : parts) {
    if (part.cta != cta) {
      cta = part.cta;
      if (Status status = takeA(cluster, part, read.a); !status)
        return status;
      // SFB is per CTA, so nothing decoded with scales is shared.
      if (scalesElements())
        forgetB();
    }
    Operand &b = read.b[part.firstColumn];
    if (!b.isRead)
      if (Status status = readB(cluster, part, b); !status)
        return status;
    b.isRead = true;
    if (Status status = computePart(cluster, part, read.a, b); !status)
      return status;
  }
  return {};
}

} // namespace tc::emu
