//===- MMASync.h - mma.sync as a matrix unit --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mma.sync to configurations; lib/Units/MMASync has what it is to IR.
//
//===----------------------------------------------------------------------===//

#ifndef TC_UNITS_MMASYNC_H
#define TC_UNITS_MMASYNC_H

namespace tc {

namespace schedule {
class UnitModel;
} // namespace schedule

const schedule::UnitModel &getMMASyncModel();

} // namespace tc

#endif // TC_UNITS_MMASYNC_H
