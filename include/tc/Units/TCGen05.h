//===- TCGen05.h - tcgen05 as a matrix unit ---------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tcgen05 to configurations; lib/Units/TCGen05 has what it is to IR.
//
//===----------------------------------------------------------------------===//

#ifndef TC_UNITS_TCGEN05_H
#define TC_UNITS_TCGEN05_H

namespace tc {

namespace schedule {
class UnitModel;
} // namespace schedule

const schedule::UnitModel &getTCGen05Model();

} // namespace tc

#endif // TC_UNITS_TCGEN05_H
