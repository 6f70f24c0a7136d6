//===- Views.cpp - registers and memories as text -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Debug/Views.h"

#include "Engines/TCGen05/Layout.h"
#include "Numerics/Formats.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>

namespace tc::emu {

__attribute__((format(printf, 1, 2))) static std::string
format(const char *pattern, ...) {
  char text[96];
  va_list arguments;
  va_start(arguments, pattern);
  vsnprintf(text, sizeof(text), pattern, arguments);
  va_end(arguments);
  return text;
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

static std::string number(NumberFormat as, uint32_t bits) {
  return format("%.9g", double(decodeFloat(as, bits)));
}

/// The value of `bits`, of which a type of 64 bits or fewer fills the low ones.
static std::string showBits(Type type, uint64_t bits) {
  const uint32_t low = uint32_t(bits);
  auto pair = [&](NumberFormat as) {
    return "(" + number(as, low & 0xffff) + " " + number(as, low >> 16) + ")";
  };
  switch (type) {
  case Type::U8:
  case Type::U16:
  case Type::U32:
  case Type::U64:
    return format("%llu", (unsigned long long)bits);
  case Type::S8:
    return format("%d", int8_t(bits));
  case Type::S16:
    return format("%d", int16_t(bits));
  case Type::S32:
    return format("%d", int32_t(bits));
  case Type::S64:
    return format("%lld", (long long)bits);
  case Type::F16:
    return number(NumberFormat::F16, low & 0xffff);
  case Type::BF16:
    return number(NumberFormat::BF16, low & 0xffff);
  case Type::F16x2:
    return pair(NumberFormat::F16);
  case Type::BF16x2:
    return pair(NumberFormat::BF16);
  case Type::TF32:
  case Type::F32:
    return number(NumberFormat::F32, low);
  case Type::F32x2:
    return "(" + number(NumberFormat::F32, low) + " " +
           number(NumberFormat::F32, uint32_t(bits >> 32)) + ")";
  case Type::F64: {
    double value;
    memcpy(&value, &bits, sizeof(value));
    return format("%.17g", value);
  }
  default:
    return format("0x%0*llx", int(2 * sizeOf(type)), (unsigned long long)bits);
  }
}

std::string showRegister(const Warp &warp, const KernelCode::Register &reg,
                         uint32_t lanes, Type as) {
  const Type type = as == Type::None ? reg.type : as;
  std::string name(reg.name);
  if (!reg.function.empty())
    name = std::string(reg.function) + ":" + name;
  std::string line = format("  %-10s .%-5s ", name.c_str(),
                            reg.type == Type::Pred ? "pred" : toString(type));
  const uint32_t *words = warp.data[0] + reg.dst.offset;
  uint32_t defined = warp.defined[0][reg.dst.reg] & lanes;
  if (!defined)
    return line +
           (warp.pendingOp(reg.dst.reg) ? "being loaded\n" : "never written\n");
  if (reg.type == Type::Pred)
    return line + format("lanes 0x%08x", words[0] & defined) +
           (defined == lanes
                ? ""
                : format(", never written in lanes 0x%08x", lanes & ~defined)) +
           "\n";
  std::string values[32];
  bool same = true;
  std::string first;
  size_t width = 0;
  for (unsigned l = 0; l < 32; ++l) {
    if (!(lanes >> l & 1))
      continue;
    if (!(defined >> l & 1)) {
      values[l] = "-";
    } else if (sizeOf(type) == 16) {
      const uint32_t *slot = words + 4 * l;
      values[l] =
          format("0x%08x%08x%08x%08x", slot[3], slot[2], slot[1], slot[0]);
    } else if (sizeOf(type) == 8) {
      uint64_t bits;
      memcpy(&bits, words + 2 * l, sizeof(bits));
      values[l] = showBits(type, bits);
    } else {
      values[l] = showBits(type, words[l]);
    }
    if (first.empty())
      first = values[l];
    same &= values[l] == first;
    width = std::max(width, values[l].size());
  }
  if (same)
    return line + first + "\n";
  while (line.back() == ' ')
    line.pop_back();
  const unsigned perLine = width > 20 ? 4 : 8;
  for (unsigned l = 0; l < 32; l += perLine) {
    uint32_t part = (perLine == 8 ? 0xffu : 0xfu) << l;
    if (!(lanes & part))
      continue;
    line += format("\n    lane %2u:", l);
    for (unsigned i = l; i < l + perLine; ++i)
      line += " " + std::string(width - values[i].size(), ' ') + values[i];
  }
  return line + "\n";
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

std::string showShared(Cta &cta, uint32_t offset, uint32_t bytes) {
  SharedMemory &smem = cta.smem;
  const uint32_t end =
      uint32_t(std::min<uint64_t>(smem.end(), uint64_t(offset) + bytes));
  std::string text = "shared memory of " + cta.name() +
                     " (-- never written, .. being written, ## mbarrier):\n";
  std::string before;
  bool repeats = false;
  for (uint32_t row = offset & ~15u; row < end; row += 16) {
    std::string line;
    for (uint32_t at = row; at < row + 16; ++at) {
      line += at % 8 || at == row ? " " : "  ";
      if (at < offset || at >= end)
        line += "  ";
      else if (smem.stateOf(at) == SharedMemory::Init)
        line += format("%02x", *smem.data(at));
      else
        line += smem.stateOf(at) == SharedMemory::Uninit  ? "--"
                : smem.stateOf(at) == SharedMemory::Limbo ? ".."
                                                          : "##";
    }
    if (line == before && row + 16 < end) {
      if (!repeats)
        text += "  *\n";
      repeats = true;
      continue;
    }
    repeats = false;
    before = line;
    text += format("  %6u:", row) + line + "\n";
  }
  for (const auto &[at, barrier] : smem.barriers())
    if (at + 8 > offset && at < end)
      text += format("  mbarrier at %u, line %d: phase %llu, %u of %u arrivals "
                     "pending, ",
                     at, barrier.initLine, (unsigned long long)barrier.phase,
                     barrier.pending, barrier.expected) +
              format("%d bytes outstanding\n", barrier.tx);
  return text;
}

//===----------------------------------------------------------------------===//
// Tensor Memory
//===----------------------------------------------------------------------===//

static std::string showCell(Tmem &tmem, unsigned lane, unsigned column,
                            const Tmem::LastMma *mma) {
  uint8_t state = *tmem.states(lane, column);
  if (state & Tmem::Limbo)
    return "..";
  if (!(state & Tmem::Init))
    return "--";
  uint32_t bits = *tmem.cells(lane, column);
  if (!mma)
    return format("%08x", bits);
  switch (mma->type) {
  case Tmem::LastMma::F16:
    return format("%.5g",
                  double(decodeFloat(NumberFormat::F16, bits & 0xffff)));
  case Tmem::LastMma::S32:
    return format("%d", int32_t(bits));
  case Tmem::LastMma::F32:
    break;
  }
  return format("%.6g", double(decodeFloat(NumberFormat::F32, bits)));
}

/// Rows of cells with a heading: `rowName` of a row, `columnName` of a column.
template <class RowName>
static std::string showCells(Tmem &tmem, const std::vector<unsigned> &lanes,
                             unsigned firstRow, unsigned lastRow,
                             unsigned column, unsigned columns,
                             unsigned firstName, const char *columnName,
                             const Tmem::LastMma *mma, const RowName &rowName) {
  std::string text = format("  %-18s", "");
  for (unsigned c = 0; c < columns; ++c)
    text +=
        format(" %12s", (columnName + std::to_string(firstName + c)).c_str());
  text += "\n";
  for (unsigned row = firstRow; row < lastRow; ++row) {
    text += format("  %-18s", rowName(row).c_str());
    for (unsigned c = 0; c < columns; ++c)
      text +=
          format(" %12s", showCell(tmem, lanes[row], column + c, mma).c_str());
    text += "\n";
  }
  return text;
}

std::string showTmem(Cta &cta, const TmemWindow &window) {
  Tmem &tmem = cta.tmem;
  const Tmem::LastMma &mma = tmem.lastMma;
  const unsigned end = std::min(window.column + window.columns, Tmem::kColumns);
  std::string text = "Tensor Memory of " + cta.name() +
                     " (-- never written, .. being written)";
  std::string matrix;
  if (mma.line) {
    TmemAddress d = TmemAddress::decode(mma.d);
    Expected<std::vector<DataPathPart>> parts = dataPathParts(
        DataPath(mma.dataPath), mma.m, mma.n, mma.ctaGroup, d.lane);
    for (const DataPathPart &part :
         parts ? *parts : std::vector<DataPathPart>()) {
      const unsigned start = d.column + part.column;
      const unsigned from = std::max(window.column, start),
                     to = std::min(end, start + part.columns);
      const unsigned rows = unsigned(part.lanes.size());
      if (part.cta != mma.cta || from >= to || window.row >= rows)
        continue;
      const unsigned base = mma.cta * rows;
      matrix +=
          showCells(tmem, part.lanes, window.row,
                    unsigned(std::min<uint64_t>(rows, uint64_t(window.row) +
                                                          window.rows)),
                    from, to - from, part.firstColumn + from - start,
                    "n=", &mma, [&](unsigned row) {
                      return "m=" + std::to_string(base + row) + " (lane " +
                             std::to_string(part.lanes[row]) + ")";
                    });
    }
  }
  if (!matrix.empty())
    return text + ", D of the tcgen05.mma of line " + std::to_string(mma.line) +
           ": M=" + std::to_string(mma.m) + " N=" + std::to_string(mma.n) +
           ", cta_group::" + std::to_string(mma.ctaGroup) +
           ", data path layout " + toChar(DataPath(mma.dataPath)) + ":\n" +
           matrix;
  std::vector<unsigned> lanes(tmemLanes);
  for (unsigned lane = 0; lane < tmemLanes; ++lane)
    lanes[lane] = lane;
  text += ", by lane and column:\n";
  // Columns that are not allocated hold nothing.
  for (unsigned column = window.column; column < end;) {
    unsigned run = column;
    while (run < end && tmem.isAllocated(run))
      ++run;
    if (run == column) {
      ++column;
      continue;
    }
    text +=
        showCells(tmem, lanes, std::min(window.row, tmemLanes),
                  unsigned(std::min<uint64_t>(tmemLanes, uint64_t(window.row) +
                                                             window.rows)),
                  column, run - column, column, "column ", nullptr,
                  [](unsigned lane) { return "lane " + std::to_string(lane); });
    column = run;
  }
  return text;
}

} // namespace tc::emu
