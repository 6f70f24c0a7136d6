//===- Undefined.h - where undefined values come from -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers, bytes and cells without a value are passed on by all that moves or
// computes; a report comes where one decides or leaves for global memory. What
// brought it in is remembered beside the marks of undefined places, for that
// report alone: nothing is kept, and nothing costs time, while all values are
// defined. Entries of places that are defined are stale and never asked for.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_STATE_UNDEFINED_H
#define TC_EMULATOR_STATE_UNDEFINED_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tc::emu {

class Cluster;

/// Number of an origin in its cluster; 0: a register that was never written.
using OriginId = uint16_t;

/// The first read of something that has no value.
struct UndefinedOrigin {
  enum Place : uint8_t {
    Register,    ///< never written
    Shared,      ///< at: offset
    Local,       ///< at: offset
    Cell,        ///< of Tensor Memory; at: lane << 16 | column
    Accumulator, ///< the same, of an MMA
    Lane,        ///< at: a lane of a shuffle that takes no part
    Ignored      ///< of a copy that may leave them out
  };
  int line;
  std::string opcode;
  Place place;
  unsigned rank; ///< of the CTA that has the bytes or cells
  uint32_t at;
};

/// All origins of a cluster.
class UndefinedOrigins {
public:
  /// `text` is the instruction's, or starts with its opcode.
  OriginId note(int line, std::string_view text, UndefinedOrigin::Place place,
                unsigned rank = 0, uint32_t at = 0);
  /// ": <opcode> of line 3 reads offset 1024 of ...", empty for 0.
  std::string describe(OriginId id, Cluster &cluster) const;

private:
  std::vector<UndefinedOrigin> list;
  std::unordered_map<uint64_t, OriginId> known;
};

/// The origins of the undefined among a number of places.
class OriginMap {
public:
  bool empty() const { return ids.empty(); }
  OriginId at(size_t place) const { return ids.empty() ? 0 : ids[place]; }
  /// `places`: how many there are.
  void set(size_t place, OriginId id, size_t places) {
    if (ids.empty() && !id)
      return;
    if (ids.empty())
      ids.resize(places);
    ids[place] = id;
  }
  void clear() { ids.clear(); }

private:
  std::vector<OriginId> ids;
};

} // namespace tc::emu

#endif // TC_EMULATOR_STATE_UNDEFINED_H
