//===- Expectations.cpp - Buffers against files -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The check of a kernel that solves no problem which the reference knows: its
// author has computed what comes out.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Session/SessionImpl.h"

#include <cmath>
#include <limits>

using namespace tc;
using namespace tc::runtime;

Status Session::readExpectations() {
  for (size_t i = 0; i < impl->buffers.size(); ++i) {
    const BufferSpec &spec = impl->description.buffers[i];
    if (!spec.expect)
      continue;
    const uint64_t elements = impl->buffers[i].layout.elements();
    const unsigned bits = getInfo(spec.expect->type).bits;
    Expected<std::vector<uint8_t>> bytes =
        readFile(spec.expect->file, (elements * bits + 7) / 8);
    if (!bytes)
      return makeError(spec.expect->where, bytes.error().message + " for " +
                                               std::to_string(elements) +
                                               " elements of " +
                                               getInfo(spec.expect->type).name);
    impl->buffers[i].expected = std::move(*bytes);
  }
  return {};
}

/// A finite value as an integer, if it is one that double may not tell from its
/// neighbours.
static bool isWhole(DType type, uint64_t bits, double value, __int128 &whole) {
  if (type == DType::I64)
    whole = int64_t(bits);
  else if (type == DType::U64)
    whole = bits;
  else if (std::fabs(value) < 0x1p126 && value == std::trunc(value))
    whole = __int128(value);
  else
    return false;
  return true;
}
static bool isLong(DType type) {
  return type == DType::I64 || type == DType::U64;
}

static ExpectResult compareBuffer(const BufferSpec &spec,
                                  const BufferLayout &layout,
                                  const std::vector<uint8_t> &got,
                                  const std::vector<uint8_t> &expected) {
  const ExpectSpec &expect = *spec.expect;
  ExpectResult result;
  result.buffer = spec.name;
  result.file = expect.file;
  const unsigned bits = getInfo(spec.type).bits;
  const unsigned expectedBits = getInfo(expect.type).bits;
  double sum = 0, farthest = 0;
  layout.forEach([&](const std::vector<int64_t> &index, uint64_t element) {
    const uint64_t one = readElement(got.data(), element, bits);
    const uint64_t other =
        readElement(expected.data(), result.elements++, expectedBits);
    const ExpectResult::Element at = {index, decode(spec.type, one),
                                      decode(expect.type, other), 0};
    auto miss = [&](double distance) {
      if (!result.wrong++ || distance > farthest) {
        farthest = distance;
        result.mismatch = at;
        result.mismatch.allowed =
            expect.atol + expect.rtol * std::fabs(at.expected);
      }
    };
    if (!std::isfinite(at.got) || !std::isfinite(at.expected)) {
      const bool isAlike =
          std::isnan(at.got) ? std::isnan(at.expected) : at.got == at.expected;
      if (!isAlike)
        miss(std::numeric_limits<double>::infinity());
      return;
    }
    double error = std::fabs(at.got - at.expected);
    if (__int128 a, b; (isLong(spec.type) || isLong(expect.type)) &&
                       isWhole(spec.type, one, at.got, a) &&
                       isWhole(expect.type, other, at.expected, b))
      error = double(a < b ? b - a : a - b);
    const double allowed = expect.atol + expect.rtol * std::fabs(at.expected);
    if (!result.finite++ || error > result.maxError) {
      result.maxError = error;
      result.worst = at;
      result.worst.allowed = allowed;
    }
    sum += error;
    if (!(error <= allowed))
      miss(error - allowed);
  });
  result.meanError = result.finite ? sum / double(result.finite) : 0;
  return result;
}

std::vector<ExpectResult> Session::compare(const RunRecord &record) const {
  std::vector<ExpectResult> results;
  for (size_t i = 0; i < impl->buffers.size(); ++i)
    if (const BufferSpec &spec = impl->description.buffers[i];
        spec.expect && !impl->buffers[i].expected.empty())
      results.push_back(compareBuffer(spec, impl->buffers[i].layout,
                                      record.buffers[i],
                                      impl->buffers[i].expected));
  return results;
}
