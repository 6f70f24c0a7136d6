//===- Origins.h - choices that values depend on ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A register or byte that may have another value under another schedule has an
// origin. Most are opaque. Two kinds keep a form that later uses can rely on:
//
//   Elected: what the elected lane has does not depend on which lane it is, and
//            what another lane has does not depend on which other lane is.
//   Columns: the base of an allocation of Tensor Memory, plus what does not
//            depend on it.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_CERTIFY_ORIGINS_H
#define TC_EMULATOR_CERTIFY_ORIGINS_H

#include "tc/Emulator/Certificate.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <unordered_map>
#include <vector>

namespace tc::emu {

class Warp;

/// Number of an origin in its cluster; 0: the value is the same in all
/// schedules.
using OriginNumber = uint32_t;

struct ChoiceOrigin {
  enum Kind : uint8_t { Opaque, Elected, Columns } kind = Opaque;
  /// Elected: holds for the elected lane alone, others have what they had.
  bool ragged = false;
  Certificate::Source source{}; ///< unless it joins two
  OriginNumber first = 0, second = 0;
  /// What the elected lane alone has: its origin there. In another lane it
  /// depends on the election, too.
  OriginNumber plain = 0;
  const Warp *warp = nullptr; ///< Elected, and of an elected lane
  uint32_t members = 0;       ///< Elected
  unsigned lane = 0;          ///< Elected: the one that was taken
  unsigned column = 0, columns = 0;
};

/// All origins of a cluster.
class Origins {
public:
  Origins() : list(1) {}
  const ChoiceOrigin &operator[](OriginNumber number) const {
    return list[number];
  }
  OriginNumber opaque(Certificate::Source source);
  OriginNumber elected(const Warp &warp, uint32_t members, unsigned lane,
                       int line);
  /// The same, ragged.
  OriginNumber ragged(OriginNumber elected);
  OriginNumber columns(int line, unsigned column, unsigned columns);
  /// `plain` in the elected lane alone.
  OriginNumber ofElected(OriginNumber plain, OriginNumber elected);
  /// Of a value that depends on both; opaque unless one is 0 or they are alike.
  OriginNumber join(OriginNumber a, OriginNumber b);
  /// Without its form.
  OriginNumber opaque(OriginNumber number);
  OriginNumber opaque(const std::set<Certificate::Source> &sources);
  std::set<Certificate::Source> sources(OriginNumber number) const;
  bool isElectedBy(OriginNumber number, const Warp &warp) const {
    return list[number].kind == ChoiceOrigin::Elected &&
           list[number].warp == &warp;
  }

private:
  OriginNumber add(const ChoiceOrigin &origin) {
    list.push_back(origin);
    return OriginNumber(list.size() - 1);
  }
  std::vector<ChoiceOrigin> list;
  std::map<Certificate::Source, OriginNumber> bases;
  std::map<std::pair<OriginNumber, OriginNumber>, OriginNumber> joined;
  std::map<std::pair<const Warp *, uint32_t>, OriginNumber> electedOf;
  std::map<OriginNumber, OriginNumber> raggedOf;
  std::map<std::pair<int, unsigned>, OriginNumber> allocations;
  std::map<std::pair<OriginNumber, OriginNumber>, OriginNumber> electedOnly;
};

/// Words of memory that have an origin, by address / 4.
class MarkedWords {
public:
  bool empty() const { return words.empty(); }
  void mark(uint64_t address, uint64_t bytes, OriginNumber origin,
            Origins &origins);
  void clear(uint64_t address, uint64_t bytes);
  OriginNumber find(uint64_t address, uint64_t bytes, Origins &origins) const;

private:
  std::unordered_map<uint64_t, OriginNumber> words;
};

/// Global memory, which clusters share: by word, all choices.
class MarkedGlobal {
public:
  void mark(uint64_t address, uint64_t bytes,
            const std::set<Certificate::Source> &sources);
  void find(uint64_t address, uint64_t bytes,
            std::set<Certificate::Source> &sources) const;
  bool empty() const;

private:
  mutable std::mutex lock;
  std::unordered_map<uint64_t, std::set<Certificate::Source>> words;
};

} // namespace tc::emu

#endif // TC_EMULATOR_CERTIFY_ORIGINS_H
