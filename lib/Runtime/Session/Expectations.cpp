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

/// How far apart two values of a type are: not by double where that cannot
/// tell integers of 64 bits apart.
static double distance(DType type, uint64_t one, uint64_t other, double a,
                       double b) {
  if (type == DType::I64)
    return std::fabs(double(__int128(int64_t(one)) - int64_t(other)));
  if (type == DType::U64)
    return std::fabs(double(__int128(one) - __int128(other)));
  return std::fabs(a - b);
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
    const double error =
        spec.type == expect.type
            ? distance(spec.type, one, other, at.got, at.expected)
            : std::fabs(at.got - at.expected);
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
