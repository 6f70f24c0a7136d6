//===- WGMMA.h - wgmma as a matrix unit -------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// wgmma to configurations; lib/Units/WGMMA has what it is to IR.
//
//===----------------------------------------------------------------------===//

#ifndef TC_UNITS_WGMMA_H
#define TC_UNITS_WGMMA_H

namespace tc {

namespace schedule {
class UnitModel;
} // namespace schedule

const schedule::UnitModel &getWGMMAModel();

} // namespace tc

#endif // TC_UNITS_WGMMA_H
