//===- Clock.cpp - vector clocks --------------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check/Clock.h"

namespace tc::emu {

#define TC_RAISE_ALL(name, attributes)                                         \
  attributes static void name(uint32_t *__restrict to,                         \
                              const uint32_t *__restrict from, size_t count) { \
    for (size_t i = 0; i < count; ++i)                                         \
      to[i] = to[i] < from[i] ? from[i] : to[i];                               \
  }

TC_RAISE_ALL(raisePortable, )
#if defined(__x86_64__)
// SSE2 has no maximum of unsigned words.
TC_RAISE_ALL(raiseAvx2, __attribute__((target("avx2"))))
#endif

void Clock::raiseAll(uint32_t *to, const uint32_t *from, size_t count) {
  if (to == from)
    return;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2"))
    return raiseAvx2(to, from, count);
#endif
  raisePortable(to, from, count);
}

} // namespace tc::emu
