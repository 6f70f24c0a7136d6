//===- MmaOp.h - one tcgen05.mma in flight ----------------------*- C++ -*-===//
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

#ifndef TC_EMULATOR_ENGINES_TCGEN05_MMAOP_H
#define TC_EMULATOR_ENGINES_TCGEN05_MMAOP_H

#include "Engines/TCGen05/Mma.h"
#include "Numerics/MmaBlock.h"
#include "State/Machine.h"

#include <map>

namespace tc::emu {

class MmaOp final : public TmemOp {
public:
  MmaOp(const Warp &warp, unsigned lane, const DecodedInst &inst,
        const MmaValues &values, const InstructionDescriptor &desc,
        unsigned evenRank)
      : TmemOp(AsyncClass::Mma, warp, lane, inst), values(values), desc(desc),
        evenRank(evenRank) {}

  Expected<bool> step(Cluster &cluster) override {
    const bool onlyReads = readsFirst && !firstReads;
    Status status = onlyReads ? readAllOfA(cluster) : compute(cluster);
    if (!status) {
      Error error = status.takeError();
      error.message = describe() + ": " + error.message;
      return error;
    }
    firstReads = true;
    if (onlyReads)
      return false;
    sourcesRead = true;
    finishWrites(cluster);
    cluster.machine.mmaMacs.fetch_add(uint64_t(desc.m) * desc.n * desc.k,
                                      std::memory_order_relaxed);
    return true;
  }

  bool hasFirstReads() const override { return !values.form.tmemA; }

  void onIssue(Cluster &cluster) override;
  void retire() override {
    parts = {};
    early = {};
  }
  bool touchesCta(unsigned rank) const override {
    return rank >= evenRank && rank < evenRank + values.form.ctaGroup;
  }

  bool readsShared(unsigned rank, uint32_t offset,
                   uint32_t bytes) const override {
    if (!touchesCta(rank))
      return false;
    unsigned group = values.form.ctaGroup;
    return (!values.form.tmemA && !firstReads &&
            smemOperandTouches(a, 0, desc.m / group, depthA(), offset,
                               bytes)) ||
           smemOperandTouches(b, 0, columnsB(), desc.k, offset, bytes);
  }

  void announce(Cluster &cluster, Observer &events) const override {
    TmemOp::announce(cluster, events);
    unsigned group = values.form.ctaGroup;
    auto announceA = [&](unsigned cta) {
      if (!values.form.tmemA)
        announceOperand(a, evenRank + cta, 0, desc.m / group, depthA(), events);
    };
    // Of chips with a commit that waits for them alone.
    const bool early = values.form.hasWideK && !values.form.tmemA;
    if (early) {
      events.asyncFirstReads(true);
      for (unsigned cta = 0; cta < group; ++cta)
        announceA(cta);
      events.asyncFirstReads(false);
    }
    for (unsigned cta = 0; cta < group; ++cta) {
      if (!early)
        announceA(cta);
      announceOperand(b, evenRank + cta, 0, columnsB(), desc.k, events);
    }
  }

  /// Elements along K that A has itself: half of them if it is sparse.
  unsigned depthA() const { return values.form.sparse ? desc.k / 2 : desc.k; }
  /// Columns of B in each CTA up to the last one read.
  unsigned columnsB() const {
    return desc.n / values.form.ctaGroup + mask.shift;
  }

  /// Bits of an element of A in Tensor Memory.
  unsigned containerA() const {
    return desc.packs(desc.a) ? unsigned(formatInfo(desc.a.format).bits)
                              : desc.a.bits;
  }

  /// Parts of K that are multiplied one after the other.
  unsigned halves() const { return desc.wide ? 2 : 1; }

  const MmaValues values;
  const InstructionDescriptor desc;
  const unsigned evenRank; ///< of the even CTA of a pair, or of the only CTA
  SmemOperand a, b;
  ZeroColumnMask mask;
  DataPath layout = DataPath::D;
  std::vector<DataPathPart> parts;

private:
  unsigned rankOf(unsigned cta) const { return evenRank + cta; }
  const DotRule &rule() const;
  /// Scales are applied to groups of products, or to elements of A and B.
  bool scalesGroups() const {
    return !desc.integerD && rule().scaledGroup != 0;
  }
  bool scalesElements() const { return values.scalesPerRow && !scalesGroups(); }

  using Origins = std::vector<OriginId>;

  /// An operand as read: its elements, its scale factors, and both decoded
  /// where the kind works on floats without groups.
  struct Operand {
    bool isRead = false; ///< B
    std::vector<uint32_t> bits, scaleBits;
    OperandPlanes planes;
    /// Sparse A: the elements that it has itself; `bits` has zeros between.
    std::vector<uint32_t> kept;
    /// By row of A or column of B: where what has no value comes from, 0: it
    /// has one. Empty: all have.
    Origins undefined;
  };

  /// K of a half, and of A in it.
  unsigned stepK() const { return desc.k / halves(); }
  unsigned stepDepth() const { return depthA() / halves(); }
  unsigned stepScales() const { return values.scalesPerRow / halves(); }
  /// The operand from the half of K on that is computed.
  SmemOperand partOf(const SmemOperand &operand) const;
  void noteInferences(Cluster &cluster) const;

  Status compute(Cluster &cluster);
  /// A, in a step before the others.
  Status readAllOfA(Cluster &cluster);
  /// A of the CTA of `part`, which has been read before or is read now.
  Status takeA(Cluster &cluster, const DataPathPart &part, Operand &operand);
  Status computeHalf(Cluster &cluster);
  Status readA(Cluster &cluster, const DataPathPart &part, Operand &operand);
  Status readB(Cluster &cluster, const DataPathPart &part, Operand &operand);
  Status computePart(Cluster &cluster, const DataPathPart &part, Operand &aRead,
                     Operand &bRead);
  Status gatherB(Cluster &cluster, const DataPathPart &part, Operand &operand,
                 unsigned pitch);
  Status gatherA(Cluster &cluster, unsigned cta, Operand &operand);
  /// Adds to what an operand has without a value.
  void addUndefined(Cluster &cluster, unsigned rank,
                    const std::vector<uint32_t> &offsets, Operand &operand);
  void findUndefined(Cluster &cluster, const DataPathPart &part,
                     const Origins &aUndefined, const Origins &bUndefined,
                     const std::vector<uint32_t *> &rows);
  void rowPointers(Cluster &cluster, const DataPathPart &part,
                   std::vector<uint32_t *> &rows);
  std::vector<uint32_t> scalesByLane(Cluster &cluster, unsigned cta,
                                     unsigned count, Origins &undefined);
  Expected<std::vector<uint32_t>> scales(Cluster &cluster, unsigned cta,
                                         bool ofB, unsigned first,
                                         unsigned count, Origins &undefined);
  void scaleAccumulator(const DataPathPart &part,
                        const std::vector<uint32_t *> &rows) const;
  void integerPart(const DataPathPart &part, const std::vector<uint32_t> &aBits,
                   const std::vector<uint32_t> &bBits,
                   const std::vector<uint32_t *> &rows) const;
  Status groupedPart(Cluster &cluster, const DataPathPart &part,
                     const std::vector<uint32_t> &aBits,
                     const std::vector<uint32_t> &bBits,
                     const std::vector<uint32_t *> &rows, Origins &aUndefined,
                     Origins &bUndefined);
  void sparsePart(const DotRule &rule, const std::vector<uint32_t> &aKept,
                  const std::vector<uint32_t> &aScales,
                  const std::vector<uint32_t> &bBits,
                  const std::vector<uint32_t> &bScales, unsigned columns,
                  const std::vector<uint32_t *> &rows) const;

  /// Sparse A: where the elements of each row belong, in the CTA that is
  /// computed now.
  std::vector<uint16_t> places;
  /// What readAllOfA has read, by half of K and CTA.
  struct EarlyA {
    Operand operand;
    std::vector<uint16_t> places;
  };
  std::map<std::pair<unsigned, unsigned>, EarlyA> early;
  /// The half of K that is computed, and whether it adds to D.
  unsigned half = 0;
  bool adds = false;
};

/// Notes `origin` as that of row or column `index` of `count`.
inline void setOrigin(std::vector<OriginId> &undefined, size_t index,
                      size_t count, OriginId origin) {
  undefined.resize(count);
  if (!undefined[index])
    undefined[index] = origin;
}

/// Why the scale factors cannot be where the operands say; empty if they can.
std::string checkScales(const MmaValues &values,
                        const InstructionDescriptor &desc);

/// Columns between the words of the scale factors of `count` rows.
inline unsigned scaleWordColumns(unsigned count) {
  return (count + 127) / 128 * 4;
}

} // namespace tc::emu

#endif // TC_EMULATOR_ENGINES_TCGEN05_MMAOP_H
