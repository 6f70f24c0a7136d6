//===- Tcgen05Mma.cpp - one tcgen05.mma in flight -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// D consists of rectangles (DataPathPart), each with its columns of B; A is
// gathered once per CTA, B once per rectangle of columns. Operands are read
// when the schedule steps the operation, not when it is issued.
//
//===----------------------------------------------------------------------===//

#include "Exec/Tcgen05Mma.h"

#include "Exec/Tcgen05Sparse.h"
#include "Numerics/GroupedDot.h"
#include "Numerics/MmaBlock.h"
#include "State/Machine.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace tc::emu {

namespace {

class MmaOp final : public TmemOp {
public:
  MmaOp(const Warp &warp, unsigned lane, const DecodedInst &inst,
        const MmaValues &values, const InstructionDescriptor &desc,
        unsigned evenRank)
      : TmemOp(AsyncClass::Mma, warp, lane, inst), values(values), desc(desc),
        evenRank(evenRank) {}

  Expected<bool> step(Cluster &cluster) override {
    Status status = compute(cluster);
    if (!status) {
      Error error = status.takeError();
      error.message = describe() + ": " + error.message;
      return error;
    }
    sourcesRead = true;
    finishWrites(cluster);
    cluster.machine.mmaMacs.fetch_add(uint64_t(desc.m) * desc.n * desc.k,
                                      std::memory_order_relaxed);
    return true;
  }

  bool touchesCta(unsigned rank) const override {
    return rank >= evenRank && rank < evenRank + values.form.ctaGroup;
  }

  bool readsShared(unsigned rank, uint32_t offset,
                   uint32_t bytes) const override {
    if (!touchesCta(rank))
      return false;
    unsigned group = values.form.ctaGroup;
    return (!values.form.tmemA &&
            smemOperandTouches(a, desc.m / group, depthA(), offset, bytes)) ||
           smemOperandTouches(b, columnsB(), desc.k, offset, bytes);
  }

  void announce(Cluster &cluster, EventSink &events) const override {
    TmemOp::announce(cluster, events);
    unsigned group = values.form.ctaGroup;
    for (unsigned cta = 0; cta < group; ++cta) {
      if (!values.form.tmemA)
        announceOperand(a, evenRank + cta, desc.m / group, depthA(), events);
      announceOperand(b, evenRank + cta, columnsB(), desc.k, events);
    }
  }

  /// Elements along K that A has itself: half of them if it is sparse.
  unsigned depthA() const { return values.form.sparse ? desc.k / 2 : desc.k; }
  /// Columns of B in each CTA up to the last one read.
  unsigned columnsB() const {
    return desc.n / values.form.ctaGroup + mask.shift;
  }

  const MmaValues values;
  const InstructionDescriptor desc;
  const unsigned evenRank; ///< of the even CTA of a pair, or of the only CTA
  SmemOperand a, b;
  ZeroColumnMask mask;
  DataPath layout = DataPath::D;
  std::vector<DataPathPart> parts;

private:
  unsigned rankOf(unsigned cta) const { return evenRank + cta; }

  Status compute(Cluster &cluster);
  Status gatherB(Cluster &cluster, const DataPathPart &part,
                 std::vector<uint32_t> &bits);
  Status gatherA(Cluster &cluster, unsigned cta, std::vector<uint32_t> &bits);
  Status rowPointers(Cluster &cluster, const DataPathPart &part,
                     std::vector<uint32_t *> &rows);
  Expected<std::vector<uint32_t>> scales(Cluster &cluster, unsigned cta,
                                         bool ofB, unsigned first,
                                         unsigned count);
  void scaleAccumulator(const DataPathPart &part,
                        const std::vector<uint32_t *> &rows) const;
  void integerPart(const DataPathPart &part, const std::vector<uint32_t> &aBits,
                   const std::vector<uint32_t> &bBits,
                   const std::vector<uint32_t *> &rows) const;
  Status groupedPart(Cluster &cluster, const DataPathPart &part,
                     const std::vector<uint32_t> &aBits,
                     const std::vector<uint32_t> &bBits,
                     const std::vector<uint32_t *> &rows);
  void sparsePart(const DotRule &rule, const std::vector<uint32_t> &aKept,
                  const std::vector<uint32_t> &aScales,
                  const std::vector<uint32_t> &bBits,
                  const std::vector<uint32_t> &bScales, unsigned columns,
                  const std::vector<uint32_t *> &rows) const;

  /// Sparse A: where the elements of each row belong, of the CTA that compute
  /// is at.
  std::vector<uint16_t> places;
};

DotKind dotKind(MmaKind kind, NumberFormat d) {
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

} // namespace

Status MmaOp::gatherA(Cluster &cluster, unsigned cta,
                      std::vector<uint32_t> &bits) {
  Cta &owner = *cluster.cta(rankOf(cta));
  unsigned rows = desc.m / values.form.ctaGroup;
  if (!values.form.tmemA)
    return gatherSmem(owner.smem, a, 0, rows, depthA(), bits);
  TmemAddress address = TmemAddress::decode(static_cast<uint32_t>(values.a));
  std::vector<unsigned> lanes;
  // .ashift: each row is the next one, except for the last, as tcgen05.shift
  // moves them.
  for (unsigned row = 0; row < rows; ++row)
    lanes.push_back(tmemALane(
        layout, values.form.shiftA ? std::min(row + 1, rows - 1) : row,
        address.lane));
  return gatherTmemA(owner.tmem, desc.a, desc.negateA, lanes, address.column,
                     depthA(), bits);
}

Status MmaOp::gatherB(Cluster &cluster, const DataPathPart &part,
                      std::vector<uint32_t> &bits) {
  // Each CTA of a pair holds one half of B's columns.
  unsigned share = desc.n / values.form.ctaGroup;
  Cta &owner = *cluster.cta(rankOf(part.firstColumn / share));
  if (Status status =
          gatherSmem(owner.smem, b, part.firstColumn % share + mask.shift,
                     part.columns, desc.k, bits);
      !status)
    return status;
  for (unsigned c = 0; c < part.columns; ++c)
    if (mask.isZero(part.firstColumn + c, desc.n))
      std::fill_n(bits.begin() + size_t(c) * desc.k, desc.k, 0);
  return {};
}

Status MmaOp::rowPointers(Cluster &cluster, const DataPathPart &part,
                          std::vector<uint32_t *> &rows) {
  Tmem &tmem = cluster.cta(rankOf(part.cta))->tmem;
  unsigned column = TmemAddress::decode(values.d).column + part.column;
  rows.clear();
  for (unsigned lane : part.lanes) {
    unsigned bit = part.cta * tmemLanes + lane;
    bool disabled = bit / 32 < values.disabledLanes.size() &&
                    (values.disabledLanes[bit / 32] >> (bit % 32) & 1);
    rows.push_back(disabled ? nullptr : tmem.cells(lane, column));
    if (disabled || !values.accumulate)
      continue;
    const uint8_t *states = tmem.states(lane, column);
    for (unsigned c = 0; c < part.columns; ++c)
      if (!(states[c] & cellInit))
        return Error{"accumulates into Tensor Memory that was never written: " +
                     cellName(lane, column + c)};
  }
  return {};
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
      int32_t products = 0; // at most 32 * 255 * 255
      for (unsigned k = 0; k < desc.k; ++k)
        products += aValues[m * desc.k + k] * bValues[size_t(n) * desc.k + k];
      int64_t sum = int64_t(products) +
                    (values.accumulate ? static_cast<int32_t>(rows[m][n]) : 0);
      if (desc.saturate)
        sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
      rows[m][n] = static_cast<uint32_t>(sum);
    }
  }
}

/// Scale factors in Tensor Memory: row (or column) x at lane x % 32 of every
/// window of 32 lanes, column x / 32, byte id + j.
Expected<std::vector<uint32_t>> MmaOp::scales(Cluster &cluster, unsigned cta,
                                              bool ofB, unsigned first,
                                              unsigned count) {
  Tmem &tmem = cluster.cta(rankOf(cta))->tmem;
  TmemAddress address =
      TmemAddress::decode(ofB ? values.scaleB : values.scaleA);
  unsigned id = ofB ? desc.scaleIdB : desc.scaleIdA;
  // In the 2x2 data path each half of the lanes serves one half of the columns.
  bool folded = ofB && layout == DataPath::B;
  std::vector<uint32_t> bits;
  for (unsigned x = first; x < first + count; ++x) {
    unsigned y = folded ? x % (desc.n / 2) : x;
    unsigned firstWindow = folded ? 2 * (x / (desc.n / 2)) : 0,
             lastWindow = folded ? firstWindow + 2 : 4;
    unsigned column = address.column + y / 32;
    for (unsigned j = 0; j < values.scalesPerRow; ++j) {
      uint32_t value = 0;
      for (unsigned window = firstWindow; window < lastWindow; ++window) {
        unsigned lane = y % 32 + 32 * window;
        if (!(*tmem.states(lane, column) & cellInit))
          return Error{std::string(ofB ? "sfb" : "sfa") + ": the scale at " +
                       cellName(lane, column) + " was never written"};
        uint32_t copy = (*tmem.cells(lane, column) >> (8 * (id + j))) & 0xff;
        if (window != firstWindow && copy != value)
          return Error{std::string(ofB ? "sfb" : "sfa") +
                       ": expected the same scale in every window of 32 lanes, "
                       "got another at " +
                       cellName(lane, column)};
        value = copy;
      }
      bits.push_back(value);
    }
  }
  return bits;
}

Status MmaOp::groupedPart(Cluster &cluster, const DataPathPart &part,
                          const std::vector<uint32_t> &aBits,
                          const std::vector<uint32_t> &bBits,
                          const std::vector<uint32_t *> &rows) {
  const DotRule &rule = dotRule(DotKind::MXF4);
  Expected<std::vector<uint32_t>> scalesA =
      scales(cluster, part.cta, false, 0, static_cast<unsigned>(rows.size()));
  if (!scalesA)
    return scalesA.takeError();
  Expected<std::vector<uint32_t>> scalesB =
      scales(cluster, part.cta, true, part.firstColumn, part.columns);
  if (!scalesB)
    return scalesB.takeError();
  const unsigned groups = rule.group / rule.scaledGroup,
                 perRow = values.scalesPerRow, depth = depthA();
  auto decodeScales = [&](const std::vector<uint32_t> &all, size_t count) {
    std::vector<GroupScale> decoded;
    decoded.reserve(count * groups);
    for (size_t row = 0; row < count; ++row)
      for (unsigned g = 0; g < groups; ++g)
        decoded.push_back(decodeGroupScale(
            desc.scale, all[row * perRow + g * perRow / groups]));
    return decoded;
  };
  const std::vector<GroupScale> sa = decodeScales(*scalesA, rows.size()),
                                sb = decodeScales(*scalesB, part.columns);
  const int fraction = formatInfo(desc.scale).mantissaBits;
  std::vector<int16_t> a(aBits.size()), b(bBits.size()), kept(depth);
  decodeDoubledE2M1(aBits.data(), aBits.size(), a.data());
  decodeDoubledE2M1(bBits.data(), bBits.size(), b.data());
  for (size_t m = 0; m < rows.size(); ++m) {
    if (!rows[m])
      continue;
    for (unsigned n = 0; n < part.columns; ++n) {
      const int16_t *column = &b[size_t(n) * desc.k];
      if (values.form.sparse) {
        for (unsigned i = 0; i < depth; ++i)
          kept[i] = column[places[m * depth + i]];
        column = kept.data();
      }
      rows[m][n] = groupedDotAddDecoded(
          rule, &a[m * depth], column, &sa[m * groups], &sb[size_t(n) * groups],
          fraction, values.accumulate ? rows[m][n] : 0);
    }
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
    mmaStep(rule, a, b, &rows[m], values.accumulate);
  }
}

Status MmaOp::compute(Cluster &cluster) {
  const DotRule &rule = dotRule(dotKind(values.form.kind, desc.d));
  // Products with the zeros of an expanded A are no terms.
  DotRule expanded = rule;
  expanded.group = desc.k;
  bool grouped = rule.scaledGroup != 0,
       scaled = values.scalesPerRow && !grouped;
  struct Columns {
    std::vector<uint32_t> bits, scaleBits;
    OperandPlanes planes;
  };
  std::map<unsigned, Columns>
      columnsOfB; // by first column; CTAs of a pair share them
  std::vector<uint32_t> aBits, aKept, aScaleBits;
  OperandPlanes aPlanes;
  std::vector<uint32_t *> rows;
  unsigned cta = ~0u;
  for (const DataPathPart &part : parts) {
    if (part.cta != cta) {
      cta = part.cta;
      if (Status status = gatherA(cluster, cta, aBits); !status)
        return status;
      if (values.form.sparse) {
        bool zeros = false;
        Machine &machine = cluster.machine;
        if (Status status = readMetadata(
                cluster.cta(rankOf(cta))->tmem, desc,
                TmemAddress::decode(values.metadata), aBits,
                machine.assumes(Assumption::ZeroSparseMetadata) ? &zeros
                                                                : nullptr,
                places);
            !status)
          return status;
        if (zeros)
          machine.noteUse(Assumption::ZeroSparseMetadata, line, line);
        if (!grouped) {
          aKept = std::move(aBits);
          aBits = expandSparse(aKept, places, desc.k);
        }
      }
      if (!desc.integerD && !grouped) {
        std::vector<uint32_t> &scaleBits = aScaleBits;
        if (scaled) {
          Expected<std::vector<uint32_t>> read = scales(
              cluster, cta, false, 0, static_cast<unsigned>(part.lanes.size()));
          if (!read)
            return read.takeError();
          scaleBits = std::move(*read);
        }
        decodeOperand(aPlanes, false, desc.a.format,
                      static_cast<unsigned>(part.lanes.size()), desc.k,
                      aBits.data(), scaled ? scaleBits.data() : nullptr);
      }
      // SFB is per CTA, so nothing decoded with scales is shared.
      if (scaled)
        columnsOfB.clear();
    }
    auto [entry, fresh] = columnsOfB.try_emplace(part.firstColumn);
    Columns &columns = entry->second;
    if (fresh) {
      if (Status status = gatherB(cluster, part, columns.bits); !status)
        return status;
      if (!desc.integerD && !grouped) {
        std::vector<uint32_t> &scaleBits = columns.scaleBits;
        if (scaled) {
          Expected<std::vector<uint32_t>> read =
              scales(cluster, cta, true, part.firstColumn, part.columns);
          if (!read)
            return read.takeError();
          scaleBits = std::move(*read);
        }
        decodeOperand(columns.planes, true, desc.b.format, part.columns, desc.k,
                      columns.bits.data(), scaled ? scaleBits.data() : nullptr);
      }
    }
    if (Status status = rowPointers(cluster, part, rows); !status)
      return status;
    if (values.accumulate && values.scaleD)
      scaleAccumulator(part, rows);
    if (desc.integerD)
      integerPart(part, aBits, columns.bits, rows);
    else if (values.form.sparse && !grouped && columns.planes.anySpecial)
      sparsePart(rule, aKept, aScaleBits, columns.bits, columns.scaleBits,
                 part.columns, rows);
    else if (!grouped)
      mmaStep(values.form.sparse ? expanded : rule, aPlanes, columns.planes,
              rows.data(), values.accumulate);
    else if (Status status =
                 groupedPart(cluster, part, aBits, columns.bits, rows);
             !status)
      return status;
  }
  return {};
}

/// Lanes and columns of D in each CTA, without the lanes that are disabled.
static std::vector<TmemFootprint> footprintOfD(const MmaOp &op) {
  std::vector<TmemFootprint> footprints;
  TmemAddress d = TmemAddress::decode(op.values.d);
  for (const DataPathPart &part : op.parts) {
    TmemFootprint f;
    f.rank = op.evenRank + part.cta;
    f.column = d.column + part.column;
    f.columns = part.columns;
    for (unsigned lane : part.lanes) {
      unsigned bit = part.cta * tmemLanes + lane;
      bool disabled = bit / 32 < op.values.disabledLanes.size() &&
                      (op.values.disabledLanes[bit / 32] >> (bit % 32) & 1);
      if (!disabled)
        f.lanes.set(lane);
    }
    // Neighbouring columns of the same lanes make one footprint.
    if (!footprints.empty() && footprints.back().rank == f.rank &&
        footprints.back().lanes == f.lanes &&
        footprints.back().column + footprints.back().columns == f.column)
      footprints.back().columns += f.columns;
    else
      footprints.push_back(f);
  }
  return footprints;
}

/// All lanes of `columns` columns from an address on, in each CTA.
static void addColumns(std::vector<TmemFootprint> &reads, const MmaOp &op,
                       uint32_t address, unsigned columns) {
  for (unsigned cta = 0; cta < op.values.form.ctaGroup; ++cta) {
    TmemFootprint f;
    f.rank = op.evenRank + cta;
    f.column = TmemAddress::decode(address).column;
    f.columns = columns;
    f.lanes.set();
    reads.push_back(f);
  }
}

/// Work that still writes the operand when the MMA is issued has not been
/// waited for. `extent` counts the rows or columns in each CTA.
static Status checkNotInFlight(Cluster &cluster, const MmaOp &op,
                               const SmemOperand &operand, unsigned extent,
                               unsigned k) {
  unsigned group = op.values.form.ctaGroup;
  for (unsigned cta = 0; cta < group; ++cta) {
    unsigned rank = op.evenRank + cta;
    std::optional<uint32_t> at =
        findLimbo(cluster.cta(rank)->smem, operand, extent, k);
    if (!at)
      continue;
    const AsyncOp *writer = cluster.engine.findIf([&](const AsyncOp &other) {
      return other.writesShared(rank, *at, 16);
    });
    return Error{"operand " + std::string(operand.name) + ": byte at offset " +
                 std::to_string(*at) +
                 " is being written by asynchronous work that has not been "
                 "waited for" +
                 (writer ? ": " + writer->describe() : "")};
  }
  return {};
}

Expected<std::unique_ptr<TmemOp>> makeMma(Cluster &cluster, const Warp &warp,
                                          unsigned lane,
                                          const DecodedInst &inst,
                                          const MmaValues &values) {
  const MmaForm &form = values.form;
  Expected<InstructionDescriptor> desc =
      decodeInstructionDescriptor(form, values.instruction);
  if (!desc)
    return desc.takeError();
  if (form.sparse) {
    // A's row has 32 bytes as ever, which are half of its elements.
    desc->k *= 2;
    if (std::string why =
            checkSparse(form, *desc, TmemAddress::decode(values.metadata));
        !why.empty())
      return Error{why};
  }
  unsigned group = form.ctaGroup;
  unsigned evenRank = group == 2 ? warp.cta.rank & ~1u : warp.cta.rank;
  if (group == 2 &&
      (!cluster.cta(evenRank + 1) || cluster.cta(evenRank)->exited ||
       cluster.cta(evenRank + 1)->exited))
    return Error{"cta_group::2: expected a pair of live CTAs, got rank " +
                 std::to_string(warp.cta.rank) + " of a cluster of " +
                 std::to_string(cluster.ctas.size()) +
                 " whose peer is missing or has exited"};

  auto op = std::make_unique<MmaOp>(warp, lane, inst, values, *desc, evenRank);
  op->ctaGroup = group;
  if (values.columnMask) {
    Expected<ZeroColumnMask> mask =
        decodeZeroColumnMask(values.columnMask, desc->m);
    if (!mask)
      return mask.takeError();
    op->mask = *mask;
  }
  if (form.shiftA && desc->m / group != tmemLanes)
    return Error{".ashift: expected M = 128 or 256, got " +
                 std::to_string(desc->m) +
                 " (PTX ISA 9.0, \"tcgen05.mma\", 9.7.16.10.9.1)"};
  op->layout = selectDataPath(form, desc->m);
  TmemAddress d = TmemAddress::decode(values.d);
  Expected<std::vector<DataPathPart>> parts =
      dataPathParts(op->layout, desc->m, desc->n, group, d.lane);
  if (!parts)
    return Error{"operand d, " + parts.error().message};
  op->parts = std::move(*parts);
  op->writes = footprintOfD(*op);
  if (values.accumulate)
    op->reads = op->writes;
  op->accumulator = values.d;
  op->shape = desc->m << 16 | desc->n << 4 | static_cast<unsigned>(form.kind);
  for (const TmemFootprint &f : op->writes)
    if (std::string why =
            checkTmemColumns(cluster, f.rank, f.column, f.columns, "operand d");
        !why.empty())
      return Error{why};

  bool padded = form.kind == MmaKind::F8F6F4 || form.kind == MmaKind::MXF8F6F4;
  auto smemOperand = [&](uint64_t bits, const OperandType &type, bool transpose,
                         bool negate, std::string_view name,
                         SmemOperand &operand) -> Status {
    Expected<SmemDescriptor> descriptor = decodeSmemDescriptor(bits, name);
    if (!descriptor)
      return descriptor.takeError();
    operand.descriptor = *descriptor;
    operand.type = type;
    operand.mnMajor = transpose;
    operand.negate = negate;
    operand.padded = padded && formatInfo(type.format).bits < 8;
    operand.name = name;
    return checkSwizzle(*descriptor, type, form.kind, transpose, name);
  };
  if (form.tmemA) {
    TmemAddress a = TmemAddress::decode(static_cast<uint32_t>(values.a));
    bool half = op->layout == DataPath::C || op->layout == DataPath::F;
    if (a.lane != (half ? d.lane : 0))
      return Error{
          "operand a, lane of the address: expected " +
          std::to_string(half ? d.lane : 0) + ", got " +
          std::to_string(a.lane) +
          " (PTX ISA 9.0, \"Data path layout organization\", 9.7.16.10.5)"};
    addColumns(op->reads, *op, static_cast<uint32_t>(values.a),
               op->depthA() * desc->a.bits / 32);
  } else if (Status status = smemOperand(values.a, desc->a, desc->transposeA,
                                         desc->negateA, "a", op->a);
             !status) {
    return status.takeError();
  }
  if (Status status = smemOperand(values.b, desc->b, desc->transposeB,
                                  desc->negateB, "b", op->b);
      !status)
    return status.takeError();
  if (cluster.engine.poisons()) {
    if (!form.tmemA)
      if (Status status = checkNotInFlight(cluster, *op, op->a, desc->m / group,
                                           op->depthA());
          !status)
        return status.takeError();
    if (Status status =
            checkNotInFlight(cluster, *op, op->b, op->columnsB(), desc->k);
        !status)
      return status.takeError();
  }
  if (form.sparse)
    addColumns(op->reads, *op,
               (values.metadata & 0xffff0000u) |
                   metadataColumn(*desc, TmemAddress::decode(values.metadata)),
               metadataColumns(desc->a));
  if (values.scalesPerRow) {
    unsigned rows = desc->m / group,
             columnsB = op->layout == DataPath::B ? desc->n / 2 : desc->n;
    addColumns(op->reads, *op, values.scaleA, (rows + 31) / 32);
    addColumns(op->reads, *op, values.scaleB, (columnsB + 31) / 32);
    for (auto [id, name] : {std::pair(desc->scaleIdA, "SFA id"),
                            std::pair(desc->scaleIdB, "SFB id")})
      if (id + values.scalesPerRow > 4)
        return Error{"instruction descriptor, " + std::string(name) +
                     ": expected at most " +
                     std::to_string(4 - values.scalesPerRow) + " with " +
                     std::to_string(values.scalesPerRow) +
                     " scales per row, got " + std::to_string(id)};
  }
  for (const TmemFootprint &f : op->reads)
    if (std::string why = checkTmemColumns(cluster, f.rank, f.column, f.columns,
                                           "Tensor Memory operand");
        !why.empty())
      return Error{why};
  return std::unique_ptr<TmemOp>(std::move(op));
}

} // namespace tc::emu
