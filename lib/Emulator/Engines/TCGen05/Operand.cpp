//===- Operand.cpp - gather the operands of an MMA ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every swizzle moves units of 16 bytes, so all layouts are read in those.
//
//===----------------------------------------------------------------------===//

#include "Engines/TCGen05/Operand.h"

#include "State/Events.h"
#include "State/Tmem.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace tc::emu {

static unsigned elementsPerUnit(const OperandType &type) {
  return 128 / type.bits;
}

/// The elements of one 16-byte unit; `padded` types have 16 of them.
static inline __attribute__((always_inline)) void
unpackUnit(const OperandType &type, bool padded, const uint8_t *in,
           uint32_t *out, size_t stride) {
  if (type.bits == 32) {
    for (unsigned i = 0; i < 4; ++i)
      std::memcpy(&out[i * stride], in + 4 * i, 4);
  } else if (type.bits == 16) {
    uint16_t values[8]; // so that `out` is known not to be read
    std::memcpy(values, in, sizeof(values));
    for (unsigned i = 0; i < 8; ++i)
      out[i * stride] = values[i];
  } else if (type.bits == 4) {
    for (unsigned i = 0; i < 32; ++i)
      out[i * stride] = (in[i / 2] >> (4 * (i % 2))) & 15;
  } else if (!padded) {
    for (unsigned i = 0; i < 16; ++i)
      out[i * stride] = in[i];
  } else if (type.format == NumberFormat::E2M1) {
    for (unsigned i = 0; i < 16; ++i)
      out[i * stride] = (in[i / 2] >> (4 * (i % 2))) & 15;
  } else {
    for (unsigned i = 0; i < 16; ++i) {
      unsigned bit = 6 * i;
      unsigned word = in[bit / 8] | (unsigned(in[bit / 8 + 1]) << 8);
      out[i * stride] = (word >> (bit % 8)) & 63;
    }
  }
}

static uint32_t signMask(const OperandType &type) {
  if (type.integer)
    return type.signMagnitude ? 0x8000 : 0;
  if (type.format == NumberFormat::TF32)
    return 0x80000000u;
  const FormatInfo &info = formatInfo(type.format);
  return 1u << (info.mantissaBits + info.exponentBits);
}

void negateAll(const OperandType &type, std::vector<uint32_t> &bits) {
  uint32_t mask = signMask(type);
  for (uint32_t &word : bits)
    word ^= mask;
}

/// Calls visit(linear offset, mn, k) for each unit of [first, first + count).
template <class Visit>
static Status forEachUnit(const SmemOperand &operand, unsigned first,
                          unsigned count, unsigned k, const Visit &visit) {
  const SmemDescriptor &d = operand.descriptor;
  unsigned perUnit = elementsPerUnit(operand.type);
  if (operand.packedBits) {
    for (unsigned mn = first; mn < first + count; ++mn)
      for (unsigned byte = 0; byte < operand.rowBytes; byte += 16)
        if (Status status =
                visit(d.kMajor(mn, byte), mn, byte * 8 / operand.packedBits);
            !status)
          return status;
    return {};
  }
  if (!operand.mnMajor) {
    for (unsigned mn = first; mn < first + count; ++mn)
      for (unsigned kk = 0; kk < k; kk += perUnit)
        if (Status status =
                visit(d.kMajor(mn, kk * operand.type.bits / 8), mn, kk);
            !status)
          return status;
    return {};
  }
  for (unsigned kk = 0; kk < k; ++kk)
    for (unsigned mn = first; mn < first + count; mn += perUnit)
      if (Status status =
              visit(d.mnMajor(mn * operand.type.bits / 8, kk), mn, kk);
          !status)
        return status;
  return {};
}

namespace {
/// Where the units of an operand are, in the order of forEachUnit. Operands of
/// one kernel have few shapes; only their start moves.
struct UnitTable {
  /// Swizzling repeats: offsets are relative to a multiple of this.
  static constexpr uint32_t kPeriod = 1024;
  struct Key {
    uint32_t start, lbo, sbo;
    SmemSwizzle swizzle;
    bool mnMajor;
    unsigned bits, rowBytes, first, count, k;
    friend bool operator==(const Key &x, const Key &y) {
      return x.start == y.start && x.lbo == y.lbo && x.sbo == y.sbo &&
             x.swizzle == y.swizzle && x.mnMajor == y.mnMajor &&
             x.bits == y.bits && x.rowBytes == y.rowBytes &&
             x.first == y.first && x.count == y.count && x.k == y.k;
    }
    size_t hash() const {
      uint64_t h = 0;
      for (uint64_t x :
           {uint64_t(start), uint64_t(lbo), uint64_t(sbo), uint64_t(swizzle),
            uint64_t(mnMajor), uint64_t(bits), uint64_t(rowBytes),
            uint64_t(first), uint64_t(count), uint64_t(k)})
        h = (h ^ x) * 0x9e3779b97f4a7c15ull;
      return h >> 32;
    }
  };
  std::optional<Key> key;
  std::vector<uint32_t> offsets;
  /// The same bytes, neighbours together.
  std::vector<SmemPiece> pieces;
  uint32_t begin = 0, end = 0; ///< of all
};
} // namespace

static uint32_t baseOf(const SmemOperand &operand) {
  return operand.descriptor.start & ~(UnitTable::kPeriod - 1);
}

static void fillTable(UnitTable &table, SmemOperand operand,
                      const UnitTable::Key &key) {
  operand.descriptor.start = key.start;
  table.key = key;
  table.offsets.clear();
  table.pieces.clear();
  table.begin = ~0u;
  table.end = 0;
  (void)forEachUnit(operand, key.first, key.count, key.k,
                    [&](uint32_t linear, unsigned, unsigned) -> Status {
                      const uint32_t at = operand.descriptor.address(linear);
                      table.offsets.push_back(at);
                      table.begin = std::min(table.begin, at);
                      table.end = std::max(table.end, at + 16);
                      SmemPiece *last =
                          table.pieces.empty() ? nullptr : &table.pieces.back();
                      if (last && at == last->offset + last->bytes) {
                        last->bytes += 16;
                      } else if (last && at + 16 == last->offset) {
                        last->offset = at;
                        last->bytes += 16;
                      } else {
                        table.pieces.push_back({at, 16});
                      }
                      return {};
                    });
}

/// Until the next call by this thread of the host.
static const UnitTable &unitsOf(const SmemOperand &operand, unsigned first,
                                unsigned count, unsigned k) {
  const SmemDescriptor &d = operand.descriptor;
  const UnitTable::Key key = {d.start - baseOf(operand),
                              d.lbo,
                              d.sbo,
                              d.swizzle,
                              operand.mnMajor,
                              operand.type.bits,
                              operand.rowBytes,
                              first,
                              count,
                              k};
  static thread_local std::array<std::array<UnitTable, 4>, 16> tables;
  static thread_local size_t oldest = 0;
  auto &set = tables[key.hash() % tables.size()];
  for (const UnitTable &table : set)
    if (table.key && *table.key == key)
      return table;
  UnitTable &table = set[oldest++ % set.size()];
  fillTable(table, operand, key);
  return table;
}

/// Unpacks units whose elements are neighbours in `bits`, too, `perRow` of them
/// at a time. Returns whether all could be read.
static bool gatherUnits(const SharedMemory &smem, const SmemOperand &operand,
                        const UnitTable &table, size_t perRow, size_t pitch,
                        uint32_t *bits) {
  const uint32_t base = baseOf(operand);
  if (!smem.inBounds(uint64_t(base) + table.begin, table.end - table.begin))
    return false;
  for (const SmemPiece &piece : table.pieces)
    for (uint32_t i = 0; i < piece.bytes; i += 16)
      if (!smem.isReadable(base + piece.offset + i, 16))
        return false;
  const uint32_t *offset = table.offsets.data();
  const uint32_t *const end = offset + table.offsets.size();
  const uint8_t *data = smem.data(base);
  auto unpackAll = [&](const OperandType &type, bool padded) {
    const unsigned perUnit = elementsPerUnit(type);
    for (; offset != end; bits += pitch)
      for (size_t i = 0; i < perRow; ++i)
        unpackUnit(type, padded, data + *offset++, bits + i * perUnit, 1);
  };
  // The usual size, which OperandType has from the start, as a constant.
  if (operand.type.bits == OperandType().bits)
    unpackAll(OperandType(), false);
  else
    unpackAll(operand.type, operand.padded);
  return true;
}

/// Bits that an element takes up in a unit.
static unsigned bitsInUnit(const SmemOperand &operand) {
  if (!operand.padded)
    return operand.type.bits;
  return operand.type.format == NumberFormat::E2M1 ? 4 : 6;
}

/// Notes the elements of the unit at `offset` that have no value; its first is
/// `mn` of [first, first + count) along M or N.
static void noteUndefined(const SharedMemory &smem, const SmemOperand &operand,
                          uint32_t offset, unsigned mn, unsigned count,
                          std::vector<uint32_t> &undefined) {
  const unsigned bits = bitsInUnit(operand);
  const unsigned perUnit = elementsPerUnit(operand.type);
  for (unsigned e = 0; e < perUnit; ++e)
    for (unsigned byte = bits * e / 8; byte <= (bits * e + bits - 1) / 8;
         ++byte) {
      const unsigned at = operand.mnMajor ? mn + e : mn;
      if (at >= count || smem.stateOf(offset + byte) != SharedMemory::Uninit)
        continue;
      undefined.resize(count);
      if (!undefined[at])
        undefined[at] = offset + byte;
    }
}

/// Whether the unit at `offset`, with element (mn, kk), may be read; what has
/// no value may.
static Status checkUnit(const SharedMemory &smem, const SmemOperand &operand,
                        uint32_t offset, unsigned mn, unsigned kk) {
  if (smem.inBounds(offset, 16) && smem.isWritable(offset, 16))
    return {};
  const SmemDescriptor &d = operand.descriptor;
  return Error{"operand " + std::string(operand.name) + ", element (" +
               std::to_string(mn) + ", k " + std::to_string(kk) +
               "): " + smem.explain(offset, 16, true) + " (descriptor: start " +
               std::to_string(d.start) + ", leading dimension offset " +
               std::to_string(d.lbo) + ", stride dimension offset " +
               std::to_string(d.sbo) + ")"};
}

/// The rows of a packed operand, whole, and from them the elements.
static Status gatherPacked(const SharedMemory &smem, const SmemOperand &operand,
                           unsigned first, unsigned count, unsigned k,
                           std::vector<uint32_t> &bits,
                           std::vector<uint32_t> &undefined) {
  bits.assign(size_t(count) * k, 0);
  std::vector<uint32_t> units; // of one row
  // Bytes of the row that hold an element of these, a part of one at least.
  const unsigned begin = operand.firstBit / 8,
                 end = (operand.firstBit + k * operand.packedBits + 7) / 8;
  auto finishRow = [&](unsigned row) {
    auto offsetOf = [&](unsigned byte) { return units[byte / 16] + byte % 16; };
    for (unsigned byte = begin; byte < end; ++byte)
      if (smem.stateOf(offsetOf(byte)) == SharedMemory::Uninit) {
        undefined.resize(count);
        undefined[row] = offsetOf(byte);
        break;
      }
    for (unsigned i = 0; i < k; ++i) {
      uint32_t value = 0;
      for (unsigned b = 0; b < operand.packedBits; ++b) {
        const unsigned at = operand.firstBit + i * operand.packedBits + b;
        value |= (*smem.data(offsetOf(at / 8)) >> (at % 8) & 1u) << b;
      }
      bits[size_t(row) * k + i] = value;
    }
  };
  const SmemDescriptor &d = operand.descriptor;
  return forEachUnit(
      operand, first, count, k,
      [&](uint32_t linear, unsigned mn, unsigned kk) -> Status {
        const uint32_t offset = d.address(linear);
        if (Status status = checkUnit(smem, operand, offset, mn, kk); !status)
          return status;
        units.push_back(offset);
        if (units.size() * 16 == operand.rowBytes) {
          finishRow(mn - first);
          units.clear();
        }
        return {};
      });
}

Status gatherSmem(const SharedMemory &smem, const SmemOperand &operand,
                  unsigned first, unsigned count, unsigned k,
                  std::vector<uint32_t> &bits, std::vector<uint32_t> &undefined,
                  unsigned pitch) {
  undefined.clear();
  if (operand.packedBits) {
    Status status =
        gatherPacked(smem, operand, first, count, k, bits, undefined);
    if (status && operand.negate)
      negateAll(operand.type, bits);
    return status;
  }
  // Where elements that are neighbours along MN and along K go.
  const size_t perMn = pitch ? 1 : k, perK = pitch ? pitch : 1;
  // The last unit along MN may have more than is asked for.
  const unsigned perUnit = elementsPerUnit(operand.type);
  const unsigned whole = (count + perUnit - 1) / perUnit * perUnit;
  bits.resize(size_t(pitch ? std::max(pitch, whole) : whole) * k);
  const SmemDescriptor &d = operand.descriptor;
  const size_t stride = operand.mnMajor ? perMn : perK;
  auto visit = [&](uint32_t linear, unsigned mn, unsigned kk) -> Status {
    uint32_t offset = d.address(linear);
    if (!smem.inBounds(offset, 16) || !smem.isReadable(offset, 16)) {
      if (Status status = checkUnit(smem, operand, offset, mn, kk); !status)
        return status;
      noteUndefined(smem, operand, offset, mn - first, count, undefined);
    }
    uint32_t *out = &bits[(mn - first) * perMn + kk * perK];
    // Vectors where they are neighbours in both.
    if (stride == 1)
      unpackUnit(operand.type, operand.padded, smem.data(offset), out, 1);
    else
      unpackUnit(operand.type, operand.padded, smem.data(offset), out, stride);
    return {};
  };
  // A unit that has no value or cannot be read is found again, to be named.
  const UnitTable &table = unitsOf(operand, first, count, k);
  Status status;
  if (stride != 1 || !gatherUnits(smem, operand, table,
                                  (operand.mnMajor ? whole : k) / perUnit,
                                  operand.mnMajor ? perK : perMn, bits.data()))
    status = forEachUnit(operand, first, count, k, visit);
  if (status && operand.negate)
    negateAll(operand.type, bits);
  bits.resize(size_t(pitch ? pitch : count) * k);
  for (unsigned kk = 0; pitch && kk < k; ++kk)
    std::fill_n(bits.begin() + kk * perK + count, pitch - count, 0);
  return status;
}

bool smemOperandTouches(const SmemOperand &operand, unsigned first,
                        unsigned count, unsigned k, uint32_t offset,
                        uint32_t bytes) {
  const UnitTable &table = unitsOf(operand, first, count, k);
  const uint32_t base = baseOf(operand);
  if (base + table.begin >= offset + bytes || offset >= base + table.end)
    return false;
  return std::any_of(table.pieces.begin(), table.pieces.end(),
                     [&](const SmemPiece &piece) {
                       const uint32_t at = base + piece.offset;
                       return at < offset + bytes && offset < at + piece.bytes;
                     });
}

void announceOperand(const SmemOperand &operand, unsigned rank, unsigned first,
                     unsigned count, unsigned k, Observer &events) {
  events.asyncOperand(rank, baseOf(operand),
                      unitsOf(operand, first, count, k).pieces);
}

std::optional<uint32_t> findLimbo(const SharedMemory &smem,
                                  const SmemOperand &operand, unsigned count,
                                  unsigned k) {
  // Asynchronous writes have the granularity of a unit, too.
  for (const uint32_t offset : unitsOf(operand, 0, count, k).offsets) {
    const uint32_t at = baseOf(operand) + offset;
    if (smem.inBounds(at, 16) && smem.stateOf(at) == SharedMemory::Limbo)
      return at;
  }
  return std::nullopt;
}

Status gatherTmemA(Tmem &tmem, const OperandType &type, unsigned container,
                   bool negate, const std::vector<unsigned> &lanes,
                   unsigned column, unsigned k, std::vector<uint32_t> &bits,
                   std::vector<uint32_t> &undefined) {
  bits.resize(lanes.size() * k);
  undefined.clear();
  unsigned columns = k * container / 32;
  for (size_t row = 0; row < lanes.size(); ++row) {
    const uint8_t *states = tmem.states(lanes[row], column);
    for (unsigned c = 0; c < columns; ++c)
      if (!(states[c] & cellInit)) {
        undefined.resize(lanes.size());
        undefined[row] = column + c + 1;
        break;
      }
    const uint32_t *cells = tmem.cells(lanes[row], column);
    for (unsigned i = 0; i < k; ++i) {
      unsigned bit = i * container;
      uint64_t word = cells[bit / 32];
      if (bit % 32 + container > 32)
        word |= uint64_t(cells[bit / 32 + 1]) << 32;
      auto value = static_cast<uint32_t>(word >> (bit % 32));
      if (container < 32)
        value &= (1u << container) - 1;
      // 4- and 6-bit types in 8-bit containers.
      if (!type.integer && container == 8 && type.format == NumberFormat::E2M1)
        value = (value >> 2) & 15;
      else if (!type.integer && (type.format == NumberFormat::E2M3 ||
                                 type.format == NumberFormat::E3M2))
        value &= 63;
      bits[row * k + i] = value;
    }
  }
  if (negate)
    negateAll(type, bits);
  return {};
}

} // namespace tc::emu
