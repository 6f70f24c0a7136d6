//===- Tcgen05Operand.cpp - gather the operands of an MMA -----------------===//
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

#include "Exec/Tcgen05Operand.h"

#include "State/Events.h"
#include "State/Tmem.h"

#include <algorithm>
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
    return 0;
  if (type.format == NumberFormat::TF32)
    return 0x80000000u;
  const FormatInfo &info = formatInfo(type.format);
  return 1u << (info.mantissaBits + info.exponentBits);
}

static void negateAll(const OperandType &type, std::vector<uint32_t> &bits) {
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

Status gatherSmem(const SharedMemory &smem, const SmemOperand &operand,
                  unsigned first, unsigned count, unsigned k,
                  std::vector<uint32_t> &bits, unsigned pitch) {
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
    if (!smem.inBounds(offset, 16) || !smem.isReadable(offset, 16))
      return Error{"operand " + std::string(operand.name) + ", element (" +
                   std::to_string(mn) + ", k " + std::to_string(kk) +
                   "): " + smem.explain(offset, 16, false) +
                   " (descriptor: start " + std::to_string(d.start) +
                   ", leading dimension offset " + std::to_string(d.lbo) +
                   ", stride dimension offset " + std::to_string(d.sbo) + ")"};
    uint32_t *out = &bits[(mn - first) * perMn + kk * perK];
    // Vectors where they are neighbours in both.
    if (stride == 1)
      unpackUnit(operand.type, operand.padded, smem.data(offset), out, 1);
    else
      unpackUnit(operand.type, operand.padded, smem.data(offset), out, stride);
    return {};
  };
  Status status = forEachUnit(operand, first, count, k, visit);
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
  // Cheap first: swizzling stays inside of 128-byte lines.
  uint32_t begin = ~0u, end = 0;
  bool touches = false;
  (void)forEachUnit(operand, first, count, k,
                    [&](uint32_t linear, unsigned, unsigned) -> Status {
                      uint32_t at = operand.descriptor.address(linear);
                      begin = std::min(begin, at);
                      end = std::max(end, at + 16);
                      touches =
                          touches || (at < offset + bytes && offset < at + 16);
                      return {};
                    });
  return touches && begin < offset + bytes && offset < end;
}

void announceOperand(const SmemOperand &operand, unsigned rank, unsigned first,
                     unsigned count, unsigned k, EventSink &events) {
  // Neighbouring units are announced together.
  static thread_local std::vector<SmemPiece> pieces;
  pieces.clear();
  (void)forEachUnit(operand, first, count, k,
                    [&](uint32_t linear, unsigned, unsigned) -> Status {
                      const uint32_t at = operand.descriptor.address(linear);
                      SmemPiece *last =
                          pieces.empty() ? nullptr : &pieces.back();
                      if (last && at == last->offset + last->bytes) {
                        last->bytes += 16;
                      } else if (last && at + 16 == last->offset) {
                        last->offset = at;
                        last->bytes += 16;
                      } else {
                        pieces.push_back({at, 16});
                      }
                      return {};
                    });
  events.asyncOperand(rank, pieces);
}

std::optional<uint32_t> findLimbo(const SharedMemory &smem,
                                  const SmemOperand &operand, unsigned count,
                                  unsigned k) {
  std::optional<uint32_t> found;
  (void)forEachUnit(operand, 0, count, k,
                    [&](uint32_t linear, unsigned, unsigned) -> Status {
                      uint32_t at = operand.descriptor.address(linear);
                      // Asynchronous writes have this granularity too.
                      if (!found && smem.inBounds(at, 16) &&
                          smem.stateOf(at) == SharedMemory::Limbo)
                        found = at;
                      return {};
                    });
  return found;
}

Status gatherTmemA(Tmem &tmem, const OperandType &type, bool negate,
                   const std::vector<unsigned> &lanes, unsigned column,
                   unsigned k, std::vector<uint32_t> &bits) {
  bits.resize(lanes.size() * k);
  unsigned columns = k * type.bits / 32;
  for (size_t row = 0; row < lanes.size(); ++row) {
    const uint8_t *states = tmem.states(lanes[row], column);
    for (unsigned c = 0; c < columns; ++c)
      if (!(states[c] & cellInit))
        return Error{"operand a: Tensor Memory at " +
                     cellName(lanes[row], column + c) + " was never written"};
    const uint32_t *cells = tmem.cells(lanes[row], column);
    for (unsigned i = 0; i < k; ++i) {
      unsigned bit = i * type.bits;
      uint32_t value = cells[bit / 32] >> (bit % 32);
      if (type.bits < 32)
        value &= (1u << type.bits) - 1;
      // 4- and 6-bit types are in 8-bit containers.
      if (!type.integer && type.bits == 8 && type.format == NumberFormat::E2M1)
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
