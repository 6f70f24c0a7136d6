//===- BitCast.h - the bits of a value as another type ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_NUMERICS_BITCAST_H
#define TC_EMULATOR_NUMERICS_BITCAST_H

#include <cstring>

namespace tc::emu {

template <class To, class From>
inline To bitCast(From from) {
  static_assert(sizeof(To) == sizeof(From), "sizes differ");
  To to;
  memcpy(&to, &from, sizeof(to));
  return to;
}

} // namespace tc::emu

#endif // TC_EMULATOR_NUMERICS_BITCAST_H
