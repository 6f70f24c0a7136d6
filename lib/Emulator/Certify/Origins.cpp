//===- Origins.cpp - choices that values depend on ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Certify/Origins.h"

#include <algorithm>

namespace tc::emu {

OriginNumber Origins::opaque(Certificate::Source source) {
  OriginNumber &number = bases[source];
  if (!number) {
    ChoiceOrigin origin;
    origin.source = source;
    number = add(origin);
  }
  return number;
}

OriginNumber Origins::elected(const Warp &warp, uint32_t members, unsigned lane,
                              int line) {
  OriginNumber &number = electedOf[{&warp, members}];
  if (!number) {
    ChoiceOrigin origin;
    origin.kind = ChoiceOrigin::Elected;
    origin.source = {Choice::ElectedLane, line};
    origin.warp = &warp;
    origin.members = members;
    origin.lane = lane;
    number = add(origin);
  }
  return number;
}

OriginNumber Origins::ragged(OriginNumber elected) {
  if (list[elected].ragged)
    return elected;
  OriginNumber &number = raggedOf[elected];
  if (!number) {
    ChoiceOrigin origin = list[elected];
    origin.ragged = true;
    number = add(origin);
  }
  return number;
}

OriginNumber Origins::columns(int line, unsigned column, unsigned columns) {
  OriginNumber &number = allocations[{line, column << 16 | columns}];
  if (!number) {
    ChoiceOrigin origin;
    origin.kind = ChoiceOrigin::Columns;
    origin.source = {Choice::Columns, line};
    origin.column = column;
    origin.columns = columns;
    number = add(origin);
  }
  return number;
}

OriginNumber Origins::ofElected(OriginNumber plain, OriginNumber elected) {
  const OriginNumber lane = opaque(elected);
  OriginNumber &number = electedOnly[{plain, elected}];
  if (!number) {
    ChoiceOrigin origin = list[plain];
    origin.plain = plain;
    origin.warp = list[elected].warp;
    if (origin.kind != ChoiceOrigin::Columns) {
      origin.kind = ChoiceOrigin::Opaque;
      origin.first = plain;
      origin.second = lane;
    }
    number = add(origin);
  }
  return number;
}

OriginNumber Origins::join(OriginNumber a, OriginNumber b) {
  if (!a || a == b)
    return b;
  if (!b)
    return a;
  const bool sameElection =
      list[a].kind == ChoiceOrigin::Elected && list[b].kind == list[a].kind &&
      list[a].warp == list[b].warp && list[a].members == list[b].members;
  if (sameElection)
    return ragged(list[a].ragged ? b : a);
  OriginNumber &number = joined[std::minmax(a, b)];
  if (!number) {
    ChoiceOrigin origin;
    origin.first = a;
    origin.second = b;
    number = add(origin);
  }
  return number;
}

OriginNumber Origins::opaque(OriginNumber number) {
  return list[number].kind == ChoiceOrigin::Opaque
             ? number
             : opaque(list[number].source);
}

OriginNumber Origins::opaque(const std::set<Certificate::Source> &sources) {
  OriginNumber all = 0;
  for (const Certificate::Source &source : sources)
    all = join(all, opaque(source));
  return all;
}

std::set<Certificate::Source> Origins::sources(OriginNumber number) const {
  std::set<Certificate::Source> found;
  std::set<OriginNumber> seen;
  std::vector<OriginNumber> rest{number};
  while (!rest.empty()) {
    const OriginNumber next = rest.back();
    rest.pop_back();
    if (!next || !seen.insert(next).second)
      continue;
    const ChoiceOrigin &origin = list[next];
    if (origin.first) {
      rest.push_back(origin.first);
      rest.push_back(origin.second);
    } else {
      found.insert(origin.source);
    }
  }
  return found;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void MarkedWords::mark(uint64_t address, uint64_t bytes, OriginNumber origin,
                       Origins &origins) {
  for (uint64_t word = address / 4; word <= (address + bytes - 1) / 4; ++word) {
    // Bytes beside those that are written keep what they had.
    const bool isWhole = word * 4 >= address && word * 4 + 4 <= address + bytes;
    OriginNumber &at = words[word];
    at = isWhole ? origin : origins.join(at, origins.opaque(origin));
  }
}

void MarkedWords::clear(uint64_t address, uint64_t bytes) {
  for (uint64_t word = (address + 3) / 4; word * 4 + 4 <= address + bytes;
       ++word)
    words.erase(word);
}

OriginNumber MarkedWords::find(uint64_t address, uint64_t bytes,
                               Origins &origins) const {
  OriginNumber all = 0;
  if (words.empty() || !bytes)
    return 0;
  for (uint64_t word = address / 4; word <= (address + bytes - 1) / 4; ++word)
    if (auto found = words.find(word); found != words.end())
      all = origins.join(all, found->second);
  return all;
}

void MarkedGlobal::mark(uint64_t address, uint64_t bytes,
                        const std::set<Certificate::Source> &sources) {
  std::lock_guard<std::mutex> guard(lock);
  for (uint64_t word = address / 4; word <= (address + bytes - 1) / 4; ++word)
    words[word].insert(sources.begin(), sources.end());
}

void MarkedGlobal::find(uint64_t address, uint64_t bytes,
                        std::set<Certificate::Source> &sources) const {
  std::lock_guard<std::mutex> guard(lock);
  if (words.empty() || !bytes)
    return;
  for (uint64_t word = address / 4; word <= (address + bytes - 1) / 4; ++word)
    if (auto found = words.find(word); found != words.end())
      sources.insert(found->second.begin(), found->second.end());
}

bool MarkedGlobal::empty() const {
  std::lock_guard<std::mutex> guard(lock);
  return words.empty();
}

} // namespace tc::emu
