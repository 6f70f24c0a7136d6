//===- Views.h - registers and memories as text -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a debugger shows of a warp and its CTA. Every view is a list of
// indented lines; bytes and cells without a value are shown by their state.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_DEBUG_VIEWS_H
#define TC_EMULATOR_DEBUG_VIEWS_H

#include "State/Machine.h"

namespace tc::emu {

/// "name .type  values": one line if all lanes of `lanes` agree, else eight
/// values a line; `as` shows the bits as another type of the same size.
std::string showRegister(const Warp &warp, const KernelCode::Register &reg,
                         uint32_t lanes, Type as = Type::None);

/// Bytes [offset, offset + bytes) as rows of 16, equal rows once, then the
/// mbarriers that are there.
std::string showShared(Cta &cta, uint32_t offset, uint32_t bytes);

/// A part of Tensor Memory.
struct TmemWindow {
  unsigned column = 0, columns = Tmem::kColumns;
  unsigned row = 0, rows = ~0u; ///< of each rectangle of the matrix, or lanes
};
/// Cells of the window that belong to D of the last MMA as a matrix, by its
/// data path layout; without an MMA, or where none of D is in the window,
/// cells by lane and column.
std::string showTmem(Cta &cta, const TmemWindow &window);

} // namespace tc::emu

#endif // TC_EMULATOR_DEBUG_VIEWS_H
