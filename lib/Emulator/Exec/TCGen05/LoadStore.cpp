//===- LoadStore.cpp - tcgen05.ld, .st and .wait --------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Moves between registers and Tensor Memory (PTX ISA 9.0, "Tensor Memory Load
// and Store Instructions", 9.7.16.8). A load reads its cells when the schedule
// steps it; the first use of a destination register waits for that. Lanes whose
// cells were never written leave their register undefined, so that a kernel may
// load more than it uses.
//
//===----------------------------------------------------------------------===//

#include "Engines/TCGen05/Ops.h"
#include "Exec/Decode/InstructionTable.h"
#include "Exec/Decode/Targets.h"
#include "Exec/TCGen05/Reduction.h"
#include "Exec/TCGen05/TCGen05.h"
#include "State/Machine.h"

#include <algorithm>
#include <optional>

namespace tc::emu {

namespace {

struct TmemMove : Payload {
  bool load = true;
  MoveShape shape = MoveShape::L32x32b;
  unsigned repeat = 1;
  /// pack::16b of a load, unpack::16b of a store.
  bool packed = false;
  int upperOffset = 0; ///< 16x32bx2
  MemRef address;
  std::vector<Dst> dsts;
  std::vector<Src> srcs;
  /// .red: what each thread loads, reduced.
  std::optional<Reduction> reduction;
  Dst reduced;
  /// .spcompress: `dsts` get two of each four elements that it loads, these
  /// their indices.
  std::optional<Reduction> compression;
  std::vector<Dst> indices;

  unsigned registers() const {
    return repeat * moveInfo(shape).registersPerRepeat;
  }
};

/// The cells of one move, relative to its address resolved.
struct MoveGeometry {
  const TmemMove &move;
  TmemAddress base;

  /// First cell of register r of thread t; packed moves use the next column
  /// too. The immediate of 16x32bx2 is added to the address, so it counts
  /// columns of Tensor Memory in packed moves as well.
  MoveCell cell(unsigned t, unsigned r) const {
    MoveCell c = moveCell(move.shape, t, r, /*upperOffset=*/0);
    unsigned column = move.packed ? 2 * c.column : c.column;
    if (move.shape == MoveShape::L16x32bx2 && t >= 16)
      column += static_cast<unsigned>(move.upperOffset);
    return {base.lane + c.lane, base.column + column};
  }
};

class TmemLoad final : public TmemOp {
public:
  TmemLoad(Warp &warp, const DecodedInst &inst, TmemAddress base)
      : TmemOp(AsyncClass::TmemLoad, warp, 0, inst), warp(warp),
        payload(inst.payload), base(base) {}

  Expected<bool> step(Cluster &cluster) override {
    const auto &move = static_cast<const TmemMove &>(*payload);
    MoveGeometry geometry{move, base};
    Loaded reduced, group[4], indices[4];
    for (unsigned r = 0; r < move.registers(); ++r) {
      Loaded &loaded = group[r % 4];
      loaded = {};
      Expected<bool> done = load(cluster, move, geometry, r, loaded);
      if (!done)
        return done;
      reduced.add(loaded);
      if (move.reduction)
        for (unsigned t = 0; t < 32; ++t) {
          uint32_t value = move.reduction->prepare(loaded.values[t]);
          reduced.values[t] =
              r == 0 ? value
                     : move.reduction->combine(reduced.values[t], value);
        }
      if (move.compression
              ? r % 4 == 3 && !compress(move, r / 4, group, indices)
              : !complete(move.dsts[r], loaded))
        return Error{overwritten()};
    }
    for (unsigned i = 0; i < move.indices.size(); ++i)
      if (!complete(move.indices[i], indices[i]))
        return Error{overwritten()};
    if (move.reduction && !complete(move.reduced, reduced))
      return Error{overwritten()};
    sourcesRead = true;
    return true;
  }

private:
  /// The values for a register: threads whose halves have none, and where that
  /// comes from.
  struct Loaded {
    uint32_t values[32] = {};
    uint32_t halves[2] = {0, 0};
    OriginId origins[32] = {};

    /// What is computed from `other`, too, has no value where that has none.
    void add(const Loaded &other) {
      const uint32_t threads = other.halves[0] | other.halves[1];
      halves[0] |= threads;
      halves[1] |= threads;
      for (uint32_t rest = threads; rest; rest &= rest - 1)
        origins[__builtin_ctz(rest)] = other.origins[__builtin_ctz(rest)];
    }
  };

  /// Reads register `r` of each thread.
  Expected<bool> load(Cluster &cluster, const TmemMove &move,
                      const MoveGeometry &geometry, unsigned r,
                      Loaded &loaded) {
    Tmem &tmem = cluster.cta(issuerRank)->tmem;
    for (unsigned t = 0; t < 32; ++t) {
      MoveCell c = geometry.cell(t, r);
      const uint32_t *cells = tmem.cells(c.lane, c.column);
      const uint8_t *states = tmem.states(c.lane, c.column);
      uint8_t all = states[0], any = states[0];
      loaded.values[t] = cells[0];
      if (move.packed) {
        loaded.values[t] = (cells[0] & 0xffff) | (cells[1] << 16);
        all &= states[1];
        any |= states[1];
      }
      if (any & cellLimbo)
        return Error{describe() +
                     ": reads Tensor Memory that pending work writes: " +
                     cellName(c.lane, c.column)};
      if (all & cellInit)
        continue;
      const bool isFirst = !(states[0] & cellInit);
      loaded.origins[t] =
          cluster.cellOrigin(*this, issuerRank, c.lane, c.column + !isFirst);
      // A packed move has a cell for each half.
      if (isFirst || !move.packed)
        loaded.halves[0] |= 1u << t;
      if (!move.packed || !(states[1] & cellInit))
        loaded.halves[1] |= 1u << t;
    }
    return true;
  }

  /// Gives the two registers of four loaded ones, number `number`, those that
  /// are kept, and adds their numbers to `indices`, 2 bits for each.
  bool compress(const TmemMove &move, unsigned number, Loaded (&group)[4],
                Loaded (&indices)[4]) {
    Loaded kept[2];
    Loaded &words = indices[number / 8];
    for (const Loaded &loaded : group)
      for (Loaded *result : {&kept[0], &kept[1], &words})
        result->add(loaded);
    for (unsigned t = 0; t < 32; ++t) {
      const uint32_t values[4] = {group[0].values[t], group[1].values[t],
                                  group[2].values[t], group[3].values[t]};
      auto [first, second] = move.compression->select(values);
      kept[0].values[t] = values[first];
      kept[1].values[t] = values[second];
      words.values[t] |= (first | second << 2) << (number % 8 * 4);
    }
    return complete(move.dsts[2 * number], kept[0]) &&
           complete(move.dsts[2 * number + 1], kept[1]);
  }

  /// Gives `dst` its values. False: something else has written it. Reads come
  /// after the load by themselves, writes do not (PTX ISA 9.0, "Register
  /// dependencies, same thread", 9.7.16.6.4.5).
  bool complete(const Dst &dst, Loaded &loaded) {
    if (!dst.valid)
      return true;
    if (warp.pendingOp(dst.reg) != id || warp.defined[0][dst.reg])
      return false;
    warp.completePending(dst, id, loaded.values);
    const uint32_t threads = loaded.halves[0] | loaded.halves[1];
    if (!threads)
      return true;
    warp.defineHalves(dst, threads, ~loaded.halves[0], ~loaded.halves[1], 32);
    for (uint32_t rest = threads; rest; rest &= rest - 1)
      warp.setOrigin(dst, static_cast<unsigned>(__builtin_ctz(rest)),
                     loaded.origins[__builtin_ctz(rest)]);
    return true;
  }
  std::string overwritten() const {
    return describe() +
           ": another instruction writes a register of it before the load is "
           "complete: no tcgen05.wait::ld between the two (PTX ISA 9.0, "
           "\"Register dependencies, same thread\", 9.7.16.6.4.5)";
  }

  Warp &warp;
  std::shared_ptr<const Payload> payload;
  const TmemAddress base;
};

class TmemStore final : public TmemOp {
public:
  TmemStore(const Warp &warp, const DecodedInst &inst, TmemAddress base,
            std::vector<uint32_t> values)
      : TmemOp(AsyncClass::TmemStore, warp, 0, inst), payload(inst.payload),
        base(base), values(std::move(values)) {
    sourcesRead = true;
  }

  Expected<bool> step(Cluster &cluster) override {
    const auto &move = static_cast<const TmemMove &>(*payload);
    MoveGeometry geometry{move, base};
    Tmem &tmem = cluster.cta(issuerRank)->tmem;
    for (unsigned r = 0; r < move.registers(); ++r)
      for (unsigned t = 0; t < 32; ++t) {
        MoveCell c = geometry.cell(t, r);
        uint32_t *cells = tmem.cells(c.lane, c.column);
        uint32_t value = values[r * 32 + t];
        cells[0] = move.packed ? value & 0xffff : value;
        if (move.packed)
          cells[1] = value >> 16;
      }
    for (const UndefinedSource &source : sources) {
      MoveCell c = geometry.cell(source.thread, source.reg);
      undefined.push_back(
          {issuerRank, c.lane, c.column + source.half, source.origin});
    }
    finishWrites(cluster);
    return true;
  }

  void retire() override {
    values = {};
    sources = {};
  }

  /// What a thread stores in a cell has no value.
  struct UndefinedSource {
    unsigned thread, reg, half; ///< half: of packed moves
    OriginId origin;
  };
  std::vector<UndefinedSource> sources;

private:
  std::shared_ptr<const Payload> payload;
  const TmemAddress base;
  std::vector<uint32_t> values; ///< [register][thread]
};

} // namespace

/// The lanes and columns of a move; two ranges for 16x32bx2.
static std::vector<TmemFootprint>
footprintOfMove(const TmemMove &move, TmemAddress base, unsigned rank) {
  const MoveInfo &info = moveInfo(move.shape);
  TmemFootprint f;
  f.rank = rank;
  for (unsigned lane = 0; lane < info.lanes; ++lane)
    f.lanes.set(base.lane + lane);
  unsigned scale = move.packed ? 2 : 1;
  f.column = base.column;
  f.columns = info.columnsPerRepeat * move.repeat * scale;
  std::vector<TmemFootprint> footprints{f};
  if (move.shape == MoveShape::L16x32bx2) {
    f.column = base.column + static_cast<unsigned>(move.upperOffset);
    footprints.push_back(f);
  }
  return footprints;
}

/// Window, alignment and column rules of the address; empty if all hold.
static std::string checkMove(Warp &warp, const TmemMove &move, TmemAddress base,
                             const std::vector<TmemFootprint> &footprints) {
  const MoveInfo &info = moveInfo(move.shape);
  unsigned window = 32 * (warp.index % 4);
  bool fits =
      base.lane == window || (info.lanes == 16 && base.lane == window + 16);
  if (!fits)
    return "lane of the address: expected " + std::to_string(window) +
           (info.lanes == 16 ? " or " + std::to_string(window + 16) : "") +
           " for ." + std::string(info.name) + " in warp " +
           std::to_string(warp.index) + ", whose lanes are " +
           std::to_string(window) + " to " + std::to_string(window + 31) +
           ", got " + std::to_string(base.lane) +
           " (PTX ISA 9.0, \"Access restrictions\", 9.7.16.8.1)";
  for (const TmemFootprint &f : footprints)
    if (std::string why = checkTmemColumns(warp.cluster, f.rank, f.column,
                                           f.columns, "address");
        !why.empty())
      return why;
  return "";
}

static Step execTmemMove(Warp &warp, const DecodedInst &inst, uint32_t active) {
  const TmemMove &move = inst.as<TmemMove>();
  if (!warp.requireDefined(inst, move.address.base, active, "address: "))
    return Step::Stop;
  uint32_t bits;
  if (!uniformAddress(warp, move.address, active, bits))
    return warp.fail(
        ReportKind::Sync, inst,
        "address: expected the same value in all threads of the warp");
  TmemAddress base = TmemAddress::decode(bits);
  if (base.lane >= tmemLanes &&
      warp.machine.assumes(Assumption::LaneBitsWrap)) {
    base.lane %= tmemLanes;
    warp.machine.noteUse(Assumption::LaneBitsWrap, inst.line, inst.line);
  }
  if (base.lane >= tmemLanes)
    return warp.fail(ReportKind::Memory, inst,
                     "lane of the address: expected at most 127, got " +
                         std::to_string(base.lane));
  if (base.lane % 32 != 0 && base.lane % 32 != 16)
    return warp.fail(ReportKind::Memory, inst,
                     "lane of the address: expected a multiple of 16, got " +
                         std::to_string(base.lane));
  if (base.lane < 32 && warp.index % 4 != 0 &&
      warp.machine.assumes(Assumption::WarpLanesImplied)) {
    base.lane += 32 * (warp.index % 4);
    warp.machine.noteUse(Assumption::WarpLanesImplied, inst.line, inst.line);
  }
  std::vector<TmemFootprint> footprints =
      footprintOfMove(move, base, warp.cta.rank);
  if (std::string why = checkMove(warp, move, base, footprints); !why.empty())
    return warp.fail(ReportKind::Memory, inst, why);

  std::unique_ptr<TmemOp> op;
  if (move.load) {
    op = std::make_unique<TmemLoad>(warp, inst, base);
    op->reads = std::move(footprints);
  } else {
    std::vector<uint32_t> values(size_t(32) * move.registers());
    for (unsigned r = 0; r < move.registers(); ++r)
      std::copy_n(warp.r32(move.srcs[r]), 32, &values[size_t(32) * r]);
    auto store =
        std::make_unique<TmemStore>(warp, inst, base, std::move(values));
    for (unsigned r = 0; r < move.registers(); ++r)
      for (unsigned half = 0; half < (move.packed ? 2 : 1); ++half) {
        const Src &s = move.srcs[r];
        uint32_t rest = active & ~(move.packed ? warp.definedHalf(s, half, 32)
                                               : warp.definedMask(s));
        for (; rest; rest &= rest - 1) {
          const auto t = static_cast<unsigned>(__builtin_ctz(rest));
          store->sources.push_back({t, r, half, warp.originAt(inst, s, t)});
        }
      }
    op = std::move(store);
    op->writes = std::move(footprints);
  }
  Expected<std::vector<uint64_t>> after = orderTmemOp(warp.cluster, *op);
  if (!after)
    return warp.fail(ReportKind::Sync, inst, after.error().message);
  AsyncOp &issued =
      warp.cluster.engine.issue(warp.cluster, std::move(op), *after);
  for (const Dst &dst : move.dsts)
    if (dst.valid)
      warp.beginPending(dst, issued.id);
  for (const Dst &dst : move.indices)
    if (dst.valid)
      warp.beginPending(dst, issued.id);
  if (move.reduction && move.reduced.valid)
    warp.beginPending(move.reduced, issued.id);
  if (move.compression)
    warp.machine.noteUse(Assumption::RubinCompressOrder, inst.line, inst.line);
  return Step::Yield;
}

/// The address, and the offset of 16x32bx2 after it, from operand `index` on.
static bool decodeMoveAddress(DecodeContext &context, unsigned index,
                              TmemMove &move) {
  // 32-bit registers hold Tensor Memory addresses; no state space is implied.
  move.address = context.memRef(index, Space::SharedCta);
  if (move.shape != MoveShape::L16x32bx2)
    return true;
  int64_t value = context.immediate(context.operand(index + 1));
  const unsigned columns = chipFacts(context.target()).tmemColumns;
  if (value < 0 || value >= columns) {
    context.fail("immediate column offset: expected 0 to " +
                 std::to_string(columns - 1) + ", got " +
                 std::to_string(value));
    return false;
  }
  move.upperOffset = static_cast<int>(value);
  return true;
}

static void finishMove(DecodeContext &context, size_t given,
                       std::shared_ptr<TmemMove> move) {
  const size_t expected =
      move->compression ? move->registers() / 2 : move->registers();
  if (!context.failed() && given != expected)
    return context.fail(
        "expected " + std::to_string(expected) + " registers for ." +
        std::string(moveInfo(move->shape).name) + ".x" +
        std::to_string(move->repeat) + ", got " + std::to_string(given));
  context.inst.aligned = true;
  context.inst.tracksUndefined = true;
  context.inst.payload = std::move(move);
  context.inst.fn = execTmemMove;
}

/// After the shape and the repetition: {r}, redval, [taddr]{, imm}.
static void decodeReducingLoad(DecodeContext &context,
                               std::shared_ptr<TmemMove> move) {
  const std::string_view target = context.target();
  if (target.substr(0, 6) == "sm_100")
    return context.fail(".red: " + std::string(target) +
                        " has no tcgen05.ld.red, sm_103a and sm_110a have");
  if (move->repeat < 2 || (move->shape != MoveShape::L32x32b &&
                           move->shape != MoveShape::L16x32bx2))
    return context.fail("expected .32x32b or .16x32bx2 and .x2 to .x128 for "
                        ".red");
  Reduction reduction;
  std::string_view op = context.takeOneOf({"min", "max"});
  if (op.empty())
    return context.fail("expected .min or .max");
  reduction.isMin = op == "min";
  reduction.absolute = context.take("abs");
  reduction.propagatesNaN = context.take("NaN");
  std::string_view type = context.takeOneOf({"f32", "u32", "s32"});
  if (type.empty())
    return context.fail("expected .f32, .u32 or .s32");
  reduction.type = type == "f32"   ? Reduction::F32
                   : type == "u32" ? Reduction::U32
                                   : Reduction::S32;
  if (type != "f32" && (reduction.absolute || reduction.propagatesNaN))
    return context.fail("expected .abs and .NaN with .f32 only");
  const bool offset = move->shape == MoveShape::L16x32bx2;
  if (!context.expectOperands(3 + offset, 3 + offset) ||
      !decodeMoveAddress(context, 2, *move))
    return;
  move->dsts = context.dstVector(context.operand(0), Type::B32);
  move->reduced = context.dst(1, Type::B32);
  move->reduction = reduction;
  const size_t given = move->dsts.size();
  finishMove(context, given, std::move(move));
}

/// After the shape and the repetition: {index}, {r}{, redval}, [taddr].
static void decodeCompressingLoad(DecodeContext &context, bool reduces,
                                  std::shared_ptr<TmemMove> move) {
  expectTarget(context, "tcgen05.ld.spcompress", Targets::RubinA, {9, 4});
  if (move->repeat < 4 || move->shape != MoveShape::L32x32b)
    return context.fail("expected .32x32b and .x4 to .x128 for .spcompress");
  Reduction order;
  std::string_view op = context.takeOneOf({"min", "max"});
  if (op.empty())
    return context.fail("expected .min or .max");
  order.isMin = op == "min";
  if (!context.take("sp::2:4"))
    return context.fail("expected .sp::2:4");
  order.absolute = context.take("abs");
  order.propagatesNaN = reduces && context.take("NaN");
  if (!context.take("f32") || !context.take("b2"))
    return context.fail("expected .f32.b2");
  if (!context.expectOperands(3 + reduces, 3 + reduces) ||
      !decodeMoveAddress(context, 2 + reduces, *move))
    return;
  move->indices = context.dstVector(context.operand(0), Type::B32);
  move->dsts = context.dstVector(context.operand(1), Type::B32);
  move->compression = order;
  if (reduces) {
    move->reduced = context.dst(2, Type::B32);
    move->reduction = order;
  }
  const size_t words = (move->repeat + 31) / 32;
  if (!context.failed() && move->indices.size() != words)
    return context.fail("expected " + std::to_string(words) +
                        " registers of indices for .x" +
                        std::to_string(move->repeat) + ", got " +
                        std::to_string(move->indices.size()));
  const size_t given = move->dsts.size();
  finishMove(context, given, std::move(move));
}

static void decodeMove(DecodeContext &context, bool load) {
  auto move = std::make_shared<TmemMove>();
  move->load = load;
  context.take("sync");
  if (!context.take("aligned"))
    context.fail("expected .sync.aligned");
  std::string_view shape =
      context.takeOneOf({"32x32b", "16x64b", "16x128b", "16x256b", "16x32bx2"});
  if (shape.empty())
    return context.fail(
        "expected a shape: .32x32b, .16x64b, .16x128b, .16x256b or .16x32bx2");
  for (MoveShape s :
       {MoveShape::L32x32b, MoveShape::L16x64b, MoveShape::L16x128b,
        MoveShape::L16x256b, MoveShape::L16x32bx2})
    if (moveInfo(s).name == shape)
      move->shape = s;
  const bool reduces = load && context.take("red"),
             compresses = load && context.take("spcompress");
  const MoveInfo &info = moveInfo(move->shape);
  std::string_view repeat =
      context.takeOneOf({"x1", "x2", "x4", "x8", "x16", "x32", "x64", "x128"});
  move->repeat =
      repeat.empty()
          ? 0
          : static_cast<unsigned>(std::stoul(std::string(repeat.substr(1))));
  if (!move->repeat || move->repeat > info.maxRepeat)
    return context.fail("expected .x1 to .x" + std::to_string(info.maxRepeat) +
                        " for ." + std::string(info.name));
  if (compresses)
    return decodeCompressingLoad(context, reduces, std::move(move));
  if (reduces)
    return decodeReducingLoad(context, std::move(move));
  move->packed = context.take(load ? "pack::16b" : "unpack::16b");
  if (!context.take("b32"))
    return context.fail("expected .b32");

  // ld: {r}, [taddr]{, imm};  st: [taddr]{, imm}, {r}.
  bool offset = move->shape == MoveShape::L16x32bx2;
  if (!context.expectOperands(2 + offset, 2 + offset))
    return;
  unsigned address = load ? 1 : 0;
  if (!decodeMoveAddress(context, address, *move))
    return;
  size_t given;
  if (load) {
    move->dsts = context.dstVector(context.operand(0), Type::B32);
    given = move->dsts.size();
  } else {
    context.areData(
        move->srcs = context.srcVector(context.operand(1 + offset), Type::B32));
    given = move->srcs.size();
  }
  finishMove(context, given, std::move(move));
}

static Step execWaitLoads(Warp &warp, const DecodedInst &inst,
                          uint32_t active) {
  if (warp.cluster.engine.anyPending(warp, AsyncClass::TmemLoad))
    return warp.block(WaitKind::TmemLoads, &warp);
  if (warp.cluster.events)
    warp.cluster.events->sync({SyncEvent::WaitLoads, &warp, active, nullptr, 0,
                               0, MemoryOrder::AcqRel, Scope::Cta, inst.line});
  return Step::Next;
}

static Step execWaitStores(Warp &warp, const DecodedInst &inst,
                           uint32_t active) {
  if (warp.cluster.engine.anyPending(warp, AsyncClass::TmemStore))
    return warp.block(WaitKind::TmemStores, &warp);
  if (warp.cluster.events)
    warp.cluster.events->sync({SyncEvent::WaitStores, &warp, active, nullptr, 0,
                               0, MemoryOrder::AcqRel, Scope::Cta, inst.line});
  return Step::Next;
}

static void decodeWait(DecodeContext &context, ExecFn exec) {
  context.take("sync");
  if (!context.take("aligned"))
    context.fail("expected .sync.aligned");
  context.expectOperands(0, 0);
  context.inst.aligned = true;
  context.inst.fn = exec;
}

void registerTcgen05LoadStore(InstructionTable &table) {
  table.add("tcgen05.ld",
            [](DecodeContext &context) { decodeMove(context, true); });
  table.add("tcgen05.st",
            [](DecodeContext &context) { decodeMove(context, false); });
  table.add("tcgen05.wait::ld",
            [](DecodeContext &context) { decodeWait(context, execWaitLoads); });
  table.add("tcgen05.wait::st", [](DecodeContext &context) {
    decodeWait(context, execWaitStores);
  });
}

} // namespace tc::emu
