//===- WmmaTransfer.cpp - wmma.load, wmma.store ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, "wmma.load", 9.7.14.4.3, "wmma.store", 9.7.14.4.4, and "Matrix
// Storage for WMMA", 9.7.14.4.2. A lane accesses the elements that it holds,
// neighbours in memory at once.
//
//===----------------------------------------------------------------------===//

#include "Exec/Decode/BitRules.h"
#include "Exec/Mma/WmmaFragment.h"
#include "State/Access.h"

namespace tc::emu {

namespace {
struct WmmaTransfer : Payload {
  WmmaFragment fragment;
  bool rowMajor = true;
  bool hasStride = false; ///< it is s[0]
  std::vector<Dst> destinations;
  std::vector<Src> sources;
};

/// Rows of a matrix, or columns, at a distance.
struct Matrix {
  uint64_t begin = 0;
  uint64_t stride = 0; ///< in elements
};
} // namespace

static const char *const kStorage =
    " (PTX ISA 9.0, \"Matrix Storage for WMMA\", 9.7.14.4.2)";

/// A value that all lanes have to give alike.
static Step requireUniform(Warp &w, const DecodedInst &i, const char *name,
                           const Src &source, bool wide) {
  auto valueOf = [&](unsigned l) {
    return wide ? w.r64(source)[l] : uint64_t(w.r32(source)[l]);
  };
  for (unsigned l = 1; l < 32; ++l)
    if (valueOf(l) != valueOf(0))
      return w.fail(
          ReportKind::Sync, i,
          std::string(name) + ": expected one value in all lanes, got " +
              std::to_string(valueOf(0)) + " in lane 0 and " +
              std::to_string(valueOf(l)) + " in lane " + std::to_string(l) +
              " (PTX ISA 9.0, \"wmma.load\", 9.7.14.4.3)");
  return Step::Next;
}

/// The start of each row has to be a multiple of the fragment's size. CUDA's
/// own rule for the distance of rows is 16 bytes.
static Step requireAligned(Warp &w, const DecodedInst &i, const Matrix &matrix,
                           uint64_t elements, unsigned bits, unsigned fragment,
                           bool rowMajor) {
  if (matrix.stride < elements)
    return w.fail(ReportKind::Memory, i,
                  "stride: expected " + std::to_string(elements) +
                      " elements at least, got " +
                      std::to_string(matrix.stride) + kStorage);
  if (matrix.begin % fragment)
    return w.fail(ReportKind::Memory, i,
                  "address: expected a multiple of the " +
                      std::to_string(fragment) + " bytes of a fragment, got " +
                      std::to_string(matrix.begin) + kStorage);
  const uint64_t bytes = matrix.stride * bits / 8;
  if (bytes % fragment == 0)
    return Step::Next;
  if (bytes % 16 == 0 && w.machine.assumes(Assumption::WmmaRowsOf16Bytes)) {
    w.machine.noteUse(Assumption::WmmaRowsOf16Bytes, i.line, i.line);
    return Step::Next;
  }
  return w.fail(ReportKind::Memory, i,
                std::string("stride: expected ") +
                    (rowMajor ? "rows" : "columns") + " at a multiple of the " +
                    std::to_string(fragment) + " bytes of a fragment, got " +
                    std::to_string(bytes) + kStorage);
}

/// Where the matrix is; checks what all lanes have to agree on.
static Step findMatrix(Warp &w, const DecodedInst &i, uint32_t active,
                       Matrix &matrix) {
  const auto &t = i.as<WmmaTransfer>();
  const WmmaFragment &f = t.fragment;
  if (active != ~0u)
    return w.fail(ReportKind::Sync, i,
                  "expected all 32 threads of the warp, lane " +
                      std::to_string(__builtin_ctz(~active)) +
                      " has exited or does not exist (PTX ISA 9.0, "
                      "\"wmma.load\", 9.7.14.4.3)");
  if (!w.requireDefined(i, i.mem.base, active, "address: ") ||
      (t.hasStride && !w.requireDefined(i, i.s[0], active, "stride: ")))
    return Step::Stop;
  if (Step step = requireUniform(w, i, "address", i.mem.base, i.mem.base64);
      step != Step::Next)
    return step;
  const uint64_t elements = t.rowMajor ? f.columns : f.rows;
  matrix = {w.address(i.mem, 0), elements};
  if (t.hasStride) {
    if (Step step = requireUniform(w, i, "stride", i.s[0], false);
        step != Step::Next)
      return step;
    matrix.stride = w.r32(i.s[0])[0];
  }
  return requireAligned(w, i, matrix, elements, f.bits,
                        f.registers * f.registerBits() / 8, t.rowMajor);
}

/// The memory of the elements of register `index` of all lanes, `pointers` by
/// access of a lane; false after a report.
static bool resolveRegister(Warp &w, const DecodedInst &i, Accessor &accessor,
                            const Matrix &matrix, unsigned index,
                            uint8_t *pointers[][32]) {
  const auto &t = i.as<WmmaTransfer>();
  const WmmaFragment &f = t.fragment;
  const unsigned bytes = f.accessBytes(t.rowMajor);
  for (unsigned e = 0; e < f.registerBits() / 8 / bytes; ++e) {
    uint64_t addresses[32];
    for (unsigned l = 0; l < 32; ++l) {
      const WmmaFragment::Place p = f.place(index, l, e);
      const uint64_t at = t.rowMajor ? p.row * matrix.stride + p.column
                                     : p.column * matrix.stride + p.row;
      addresses[l] = matrix.begin + at * f.bits / 8;
    }
    if (accessor.resolveAll(addresses, i.mem.space, bytes, pointers[e]))
      continue;
    for (unsigned l = 0; l < 32; ++l) {
      pointers[e][l] = accessor.resolve(addresses[l], i.mem.space, l, bytes);
      if (!pointers[e][l])
        return false;
    }
  }
  return true;
}

/// Bytes of a register that are of memory without a value have none.
static void undefineRegister(Warp &w, const WmmaTransfer &t, const Dst &d,
                             const Accessor &accessor,
                             uint8_t *const pointers[][32]) {
  const WmmaFragment &f = t.fragment;
  const unsigned bytes = f.accessBytes(t.rowMajor);
  LaneBits bits = {};
  for (unsigned l = 0; l < 32; ++l)
    for (unsigned b = f.registerBits() / 8; b-- > 0;) {
      const uint8_t *from = pointers[b / bytes][l] + b % bytes,
                    *state = accessor.statesOf(from);
      if (!state || *state)
        continue;
      bits[l] |= 255ull << (8 * b);
      w.setOrigin(d, l, accessor.originOf(from));
    }
  for (uint64_t &marks : bits)
    marks = marksOf(marks, f.registerBits());
  w.setUndefinedBits(d, ~0u, bits);
}

static Step execWmmaLoad(Warp &w, const DecodedInst &i, uint32_t active) {
  const auto &t = i.as<WmmaTransfer>();
  const WmmaFragment &f = t.fragment;
  Matrix matrix;
  if (Step step = findMatrix(w, i, active, matrix); step != Step::Next)
    return step;
  Accessor accessor(w, i, AccessKind::Read);
  accessor.mayBeUndefined = true;
  const unsigned size = f.registerBits() / 8, bytes = f.accessBytes(t.rowMajor);
  for (unsigned j = 0; j < f.distinct; ++j) {
    uint8_t *pointers[4][32];
    if (!resolveRegister(w, i, accessor, matrix, j, pointers))
      return Step::Stop;
    for (unsigned copy = j; copy < f.registers; copy += f.distinct) {
      const Dst &d = t.destinations[copy];
      auto *to = reinterpret_cast<uint8_t *>(w.w32(d));
      for (unsigned l = 0; l < 32; ++l)
        for (unsigned e = 0; e < size / bytes; ++e)
          memcpy(to + l * size + e * bytes, pointers[e][l], bytes);
      w.define(d, active);
      if (accessor.undefinedLanes)
        undefineRegister(w, t, d, accessor, pointers);
    }
  }
  return Step::Next;
}

static Step execWmmaStore(Warp &w, const DecodedInst &i, uint32_t active) {
  const auto &t = i.as<WmmaTransfer>();
  const WmmaFragment &f = t.fragment;
  Matrix matrix;
  if (Step step = findMatrix(w, i, active, matrix); step != Step::Next)
    return step;
  Accessor accessor(w, i, AccessKind::Write);
  const unsigned size = f.registerBits() / 8, bytes = f.accessBytes(t.rowMajor);
  for (unsigned j = 0; j < f.registers; ++j) {
    uint8_t *pointers[4][32];
    if (!resolveRegister(w, i, accessor, matrix, j, pointers))
      return Step::Stop;
    const Src &source = t.sources[j];
    const auto *from = reinterpret_cast<const uint8_t *>(w.r32(source));
    for (unsigned l = 0; l < 32; ++l)
      for (unsigned e = 0; e < size / bytes; ++e)
        memcpy(pointers[e][l], from + l * size + e * bytes, bytes);
    for (uint32_t rest = ~w.definedMask(source); rest; rest &= rest - 1) {
      const auto l = unsigned(__builtin_ctz(rest));
      for (unsigned b = 0; b < size; ++b)
        if (!accessor.storeByte(source, l, b,
                                pointers[b / bytes][l] + b % bytes))
          return Step::Stop;
    }
  }
  ++w.cluster.effects;
  return Step::Next;
}

static void decodeTransfer(DecodeContext &c) {
  const bool load = c.base == "wmma.load";
  const std::string_view part = c.takeOneOf({"a", "b", "c", "d"});
  const bool isSync = c.take("sync");
  c.inst.aligned = c.take("aligned");
  const std::string_view layout = c.takeOneOf({"row", "col"});
  if (!isSync || !c.inst.aligned || layout.empty() || part.empty() ||
      (part == "d") == load)
    return c.fail("expected .load with .a, .b or .c or .store.d, "
                  ".sync.aligned, and .row or .col");
  auto t = std::make_shared<WmmaTransfer>();
  t->rowMajor = layout == "row";
  WmmaShape shape;
  if (!takeWmmaShape(c, shape))
    return;
  const Space space = c.takeSpace();
  if (space > Space::SharedCta)
    return c.fail("expected .global, .shared or no state space");
  WmmaType type;
  if (!takeWmmaType(c, type))
    return;
  std::string why;
  t->fragment = wmmaFragment(part == "a"   ? WmmaFragment::A
                             : part == "b" ? WmmaFragment::B
                                           : WmmaFragment::C,
                             type, shape, why);
  if (!why.empty())
    return c.fail(why);
  if (t->fragment.bits < 8 && !t->fragment.isContiguous(t->rowMajor))
    return c.fail("expected .row with A and .col with B of ." +
                  std::string(toString(type)));
  if (!c.expectOperands(2, 3))
    return;
  c.inst.mem = c.memRef(load ? 1 : 0, space);
  const ast::Operand &registers = c.operand(load ? 0 : 1);
  size_t have;
  if (load) {
    t->destinations = c.dstVector(registers, t->fragment.slot());
    have = t->destinations.size();
    for (const Dst &d : t->destinations)
      if (!d.valid)
        return c.fail("expected registers as destination, got '_'");
  } else {
    c.areData(t->sources = c.srcVector(registers, t->fragment.slot()));
    have = t->sources.size();
  }
  if (have != t->fragment.registers)
    return c.fail("expected " + std::to_string(t->fragment.registers) +
                  " registers, got " + std::to_string(have));
  if (c.numOperands() == 3) {
    t->hasStride = true;
    c.inst.s[0] = c.src(2, Type::B32);
  }
  c.inst.tracksUndefined = true;
  c.inst.fn = load ? execWmmaLoad : execWmmaStore;
  c.inst.payload = std::move(t);
}

void registerWmmaTransfers(InstructionTable &table) {
  table.add("wmma.load", decodeTransfer);
  table.add("wmma.store", decodeTransfer);
}

} // namespace tc::emu
