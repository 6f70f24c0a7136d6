//===- Copy.cpp - tcgen05.cp and .shift -----------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies from shared memory into Tensor Memory (PTX ISA 9.0, "tcgen05.cp",
// 9.7.16.9.2) and the row shift ("tcgen05.shift", 9.7.16.9.3). The ISA does not
// say which neighbour a shifted row comes from; here row i takes row i + 1 and
// row 31 of the window stays, which fits how published kernels use it.
//
//===----------------------------------------------------------------------===//

#include "Engines/TCGen05/Ops.h"
#include "Exec/TCGen05/TCGen05.h"
#include "State/Machine.h"

#include <algorithm>

namespace tc::emu {

namespace {

enum class Spread : uint8_t { Once, X2_02_13, X2_01_23, X4, FourWindows };
enum class Unpack : uint8_t { None, B4x16P64, B6x16P32 };

struct CopyShape {
  std::string_view shape, multicast;
  unsigned rows, rowBytes;
  Spread spread;
};

constexpr CopyShape copyShapes[] = {
    {"128x256b", "", 128, 32, Spread::Once},
    {"128x128b", "", 128, 16, Spread::Once},
    {"64x128b", "warpx2::02_13", 64, 16, Spread::X2_02_13},
    {"64x128b", "warpx2::01_23", 64, 16, Spread::X2_01_23},
    {"32x128b", "warpx4", 32, 16, Spread::X4},
    {"4x256b", "", 4, 32, Spread::FourWindows},
};

struct Copy : Payload {
  unsigned ctaGroup = 1;
  const CopyShape *shape = nullptr;
  Unpack unpack = Unpack::None;
  MemRef destination;
  Src source;
};

struct Shift : Payload {
  unsigned ctaGroup = 1;
  MemRef address;
};

/// Lanes that source row `row` goes to.
std::vector<unsigned> destinationLanes(Spread spread, unsigned row) {
  switch (spread) {
  case Spread::Once:
    return {row};
  case Spread::X2_02_13:
    return {row, row + 64};
  case Spread::X2_01_23:
    return {row % 32 + 64 * (row / 32), row % 32 + 64 * (row / 32) + 32};
  case Spread::X4:
    return {row, row + 32, row + 64, row + 96};
  case Spread::FourWindows:
    return {32 * row};
  }
  return {};
}

/// One 16-byte unit of 16 narrow elements to 16 bytes with one element each.
void unpackUnit(Unpack unpack, const uint8_t *in, uint8_t *out) {
  for (unsigned i = 0; i < 16; ++i)
    if (unpack == Unpack::B4x16P64) {
      out[i] = static_cast<uint8_t>(((in[i / 2] >> (4 * (i % 2))) & 15) << 2);
    } else {
      unsigned bit = 6 * i;
      unsigned word = in[bit / 8] | (unsigned(in[bit / 8 + 1]) << 8);
      out[i] = (word >> (bit % 8)) & 63;
    }
}

class CopyOp final : public TmemOp {
public:
  CopyOp(const Warp &warp, unsigned lane, const DecodedInst &inst,
         unsigned evenRank, const SmemDescriptor &source,
         TmemAddress destination)
      : TmemOp(AsyncClass::TmemCopy, warp, lane, inst), payload(inst.payload),
        evenRank(evenRank), source(source), destination(destination) {}

  const Copy &copy() const { return static_cast<const Copy &>(*payload); }

  Expected<bool> step(Cluster &cluster) override {
    for (unsigned cta = 0; cta < copy().ctaGroup; ++cta)
      if (Status status = copyInto(*cluster.cta(evenRank + cta)); !status) {
        Error error = status.takeError();
        error.message = describe() + ": " + error.message;
        return error;
      }
    sourcesRead = true;
    finishWrites(cluster);
    return true;
  }

  bool touchesCta(unsigned rank) const override {
    return rank >= evenRank && rank < evenRank + copy().ctaGroup;
  }

  void announce(Cluster &cluster, Observer &events) const override {
    TmemOp::announce(cluster, events);
    for (unsigned cta = 0; cta < copy().ctaGroup; ++cta)
      for (unsigned row = 0; row < copy().shape->rows; ++row)
        for (unsigned kb = 0; kb < copy().shape->rowBytes; kb += 16)
          events.asyncShared(
              smemAddress(evenRank + cta,
                          source.address(source.kMajor(row, kb))),
              16, false);
  }

  bool readsShared(unsigned rank, uint32_t offset,
                   uint32_t bytes) const override {
    if (!touchesCta(rank))
      return false;
    for (unsigned row = 0; row < copy().shape->rows; ++row)
      for (unsigned kb = 0; kb < copy().shape->rowBytes; kb += 16) {
        uint32_t at = source.address(source.kMajor(row, kb));
        if (at < offset + bytes && offset < at + 16)
          return true;
      }
    return false;
  }

private:
  Status copyInto(Cta &cta) {
    const CopyShape &shape = *copy().shape;
    for (unsigned row = 0; row < shape.rows; ++row)
      for (unsigned kb = 0; kb < shape.rowBytes; kb += 16) {
        uint32_t offset = source.address(source.kMajor(row, kb));
        const bool isInside = cta.smem.inBounds(offset, 16);
        if (!isInside || !cta.smem.isReadable(offset, 16)) {
          if (!isInside || !cta.smem.isWritable(offset, 16))
            return Error{"source row " + std::to_string(row) + ": " +
                         cta.smem.explain(offset, 16, true)};
          noteUndefined(cta, row, kb, offset);
        }
        uint8_t unit[16];
        if (copy().unpack == Unpack::None)
          memcpy(unit, cta.smem.data(offset), 16);
        else
          unpackUnit(copy().unpack, cta.smem.data(offset), unit);
        for (unsigned lane : destinationLanes(shape.spread, row))
          memcpy(cta.tmem.cells(destination.lane + lane,
                                destination.column + kb / 4),
                 unit, 16);
      }
    return {};
  }

  /// The cells that the unit at `offset` leaves without a value.
  void noteUndefined(Cta &cta, unsigned row, unsigned kb, uint32_t offset) {
    // Bytes of the unit that a cell is made of.
    const unsigned bytes = copy().unpack == Unpack::None       ? 4
                           : copy().unpack == Unpack::B4x16P64 ? 2
                                                               : 3;
    for (unsigned c = 0; c < 4; ++c)
      if (uint32_t at = cta.smem.findUndefined(offset + c * bytes, bytes)) {
        const OriginId origin =
            cta.cluster.sharedOrigin(*this, smemAddress(cta.rank, at));
        for (unsigned lane : destinationLanes(copy().shape->spread, row))
          undefined.push_back({cta.rank, destination.lane + lane,
                               destination.column + kb / 4 + c, origin});
      }
  }

  std::shared_ptr<const Payload> payload;
  const unsigned evenRank;
  const SmemDescriptor source;
  const TmemAddress destination;
};

class ShiftOp final : public TmemOp {
public:
  static constexpr unsigned columns = 8; ///< 32 bytes

  ShiftOp(const Warp &warp, unsigned lane, const DecodedInst &inst,
          unsigned evenRank, unsigned ctas, TmemAddress address)
      : TmemOp(AsyncClass::TmemShift, warp, lane, inst), evenRank(evenRank),
        ctas(ctas), address(address) {}

  Expected<bool> step(Cluster &cluster) override {
    for (unsigned cta = 0; cta < ctas; ++cta) {
      const unsigned rank = evenRank + cta;
      Tmem &tmem = cluster.cta(rank)->tmem;
      // Row 31 keeps its own.
      for (unsigned row = 0; row < 32; ++row)
        for (unsigned c = 0; c < columns; ++c) {
          const unsigned from = address.lane + std::min(row + 1, 31u),
                         column = address.column + c;
          if (!(*tmem.states(from, column) & cellInit))
            undefined.push_back(
                {rank, address.lane + row, column,
                 cluster.cellOrigin(*this, rank, from, column)});
        }
      for (unsigned row = 0; row < 31; ++row)
        memcpy(tmem.cells(address.lane + row, address.column),
               tmem.cells(address.lane + row + 1, address.column), columns * 4);
    }
    finishWrites(cluster);
    return true;
  }

private:
  const unsigned evenRank, ctas;
  const TmemAddress address;
};

} // namespace

/// First rank of the CTAs that take part; empty `why` if they exist.
static unsigned firstRank(Warp &warp, unsigned ctaGroup, std::string &why) {
  unsigned first = ctaGroup == 2 ? warp.cta.rank & ~1u : warp.cta.rank;
  for (unsigned cta = 0; cta < ctaGroup; ++cta) {
    Cta *member = warp.cluster.cta(first + cta);
    if (!member || member->exited)
      why = "cta_group::2: expected a pair of live CTAs";
  }
  return first;
}

static Step issueOrdered(Warp &warp, const DecodedInst &inst,
                         std::unique_ptr<TmemOp> op) {
  for (const TmemFootprint &f : op->writes)
    if (std::string why = checkTmemColumns(warp.cluster, f.rank, f.column,
                                           f.columns, "taddr");
        !why.empty())
      return warp.fail(ReportKind::Memory, inst, why);
  Expected<std::vector<uint64_t>> after = orderTmemOp(warp.cluster, *op);
  if (!after)
    return warp.fail(ReportKind::Sync, inst, after.error().message);
  warp.cluster.engine.issue(warp.cluster, std::move(op), *after);
  return Step::Yield;
}

/// A byte of the source that asynchronous work is still writing; empty if there
/// is none.
static std::string findSourceLimbo(const SharedMemory &smem,
                                   const SmemDescriptor &source,
                                   const CopyShape &shape) {
  for (unsigned row = 0; row < shape.rows; ++row)
    for (unsigned kb = 0; kb < shape.rowBytes; kb += 16) {
      uint32_t at = source.address(source.kMajor(row, kb));
      if (smem.inBounds(at, 16) && smem.stateOf(at) == SharedMemory::Limbo)
        return "source: " + smem.explain(at, 16, false);
    }
  return "";
}

static Step execCopy(Warp &warp, const DecodedInst &inst, uint32_t active) {
  if (!checkCtaGroup(warp, inst, inst.as<Copy>().ctaGroup))
    return Step::Stop;
  const Copy &copy = inst.as<Copy>();
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(active >> lane & 1))
      continue;
    Expected<SmemDescriptor> source = decodeSmemDescriptor(
        warp.r64(copy.source)[lane], "s", warp.machine.chip.hasWideMma);
    if (!source)
      return warp.fail(ReportKind::Trap, inst, source.error().message);
    std::string why;
    unsigned first = firstRank(warp, copy.ctaGroup, why);
    if (!why.empty())
      return warp.fail(ReportKind::Sync, inst, why);
    TmemAddress address = TmemAddress::decode(
        static_cast<uint32_t>(warp.address(copy.destination, lane)));
    unsigned highest = 0;
    TmemFootprint f;
    for (unsigned row = 0; row < copy.shape->rows; ++row)
      for (unsigned to : destinationLanes(copy.shape->spread, row))
        highest = std::max(highest, to);
    if (address.lane + highest >= tmemLanes)
      return warp.fail(ReportKind::Memory, inst,
                       "lane of the address: expected at most " +
                           std::to_string(tmemLanes - 1 - highest) + " for ." +
                           std::string(copy.shape->shape) + ", got " +
                           std::to_string(address.lane));
    for (unsigned row = 0; row < copy.shape->rows; ++row)
      for (unsigned to : destinationLanes(copy.shape->spread, row))
        f.lanes.set(address.lane + to);
    f.column = address.column;
    f.columns = copy.shape->rowBytes / 4;
    for (unsigned cta = 0; cta < copy.ctaGroup; ++cta)
      if (std::string limbo = findSourceLimbo(
              warp.cluster.cta(first + cta)->smem, *source, *copy.shape);
          !limbo.empty())
        return warp.fail(ReportKind::Sync, inst, limbo);
    auto op =
        std::make_unique<CopyOp>(warp, lane, inst, first, *source, address);
    op->ctaGroup = copy.ctaGroup;
    op->fourRows = copy.shape->spread == Spread::FourWindows;
    for (unsigned cta = 0; cta < copy.ctaGroup; ++cta) {
      f.rank = first + cta;
      op->writes.push_back(f);
    }
    if (Step step = issueOrdered(warp, inst, std::move(op)); step == Step::Stop)
      return step;
  }
  return Step::Yield;
}

static Step execShift(Warp &warp, const DecodedInst &inst, uint32_t active) {
  if (!checkCtaGroup(warp, inst, inst.as<Shift>().ctaGroup))
    return Step::Stop;
  const Shift &shift = inst.as<Shift>();
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(active >> lane & 1))
      continue;
    TmemAddress address = TmemAddress::decode(
        static_cast<uint32_t>(warp.address(shift.address, lane)));
    if (address.lane % 32 || address.lane >= tmemLanes)
      return warp.fail(
          ReportKind::Memory, inst,
          "lane of the address: expected a multiple of 32 below 128, got " +
              std::to_string(address.lane) +
              " (PTX ISA 9.0, \"tcgen05.shift\", 9.7.16.9.3)");
    std::string why;
    unsigned first = firstRank(warp, shift.ctaGroup, why);
    if (!why.empty())
      return warp.fail(ReportKind::Sync, inst, why);
    auto op = std::make_unique<ShiftOp>(warp, lane, inst, first, shift.ctaGroup,
                                        address);
    op->ctaGroup = shift.ctaGroup;
    for (unsigned cta = 0; cta < shift.ctaGroup; ++cta) {
      TmemFootprint f;
      f.rank = first + cta;
      for (unsigned row = 0; row < 32; ++row)
        f.lanes.set(address.lane + row);
      f.column = address.column;
      f.columns = ShiftOp::columns;
      op->writes.push_back(f);
      op->reads.push_back(f);
    }
    if (Step step = issueOrdered(warp, inst, std::move(op)); step == Step::Stop)
      return step;
  }
  return Step::Yield;
}

static void decodeCopy(DecodeContext &context) {
  auto copy = std::make_shared<Copy>();
  copy->ctaGroup = takeCtaGroup(context);
  std::string_view shape = context.takeOneOf(
      {"128x256b", "4x256b", "128x128b", "64x128b", "32x128b"});
  std::string_view multicast =
      context.takeOneOf({"warpx2::02_13", "warpx2::01_23", "warpx4"});
  for (const CopyShape &row : copyShapes)
    if (row.shape == shape && row.multicast == multicast)
      copy->shape = &row;
  if (!copy->shape)
    return context.fail("shape '" + std::string(shape) + "' with multicast '" +
                        std::string(multicast) +
                        "' does not exist, expected 128x256b, 4x256b, "
                        "128x128b, 64x128b.warpx2::02_13, "
                        "64x128b.warpx2::01_23 or 32x128b.warpx4");
  if (context.take("b8x16")) {
    std::string_view format = context.takeOneOf({"b6x16_p32", "b4x16_p64"});
    if (format.empty())
      return context.fail("expected .b6x16_p32 or .b4x16_p64 after .b8x16");
    copy->unpack = format == "b6x16_p32" ? Unpack::B6x16P32 : Unpack::B4x16P64;
  }
  if (!context.expectOperands(2, 2))
    return;
  copy->destination = context.memRef(0, Space::SharedCta);
  copy->source = context.src(1, Type::B64);
  context.inst.payload = std::move(copy);
  context.inst.fn = execCopy;
}

static void decodeShift(DecodeContext &context) {
  auto shift = std::make_shared<Shift>();
  shift->ctaGroup = takeCtaGroup(context);
  if (!context.take("down"))
    return context.fail("expected .down");
  if (!context.expectOperands(1, 1))
    return;
  shift->address = context.memRef(0, Space::SharedCta);
  context.inst.payload = std::move(shift);
  context.inst.fn = execShift;
}

void registerTcgen05Copy(InstructionTable &table) {
  table.add("tcgen05.cp", decodeCopy);
  table.add("tcgen05.shift", decodeShift);
}

} // namespace tc::emu
