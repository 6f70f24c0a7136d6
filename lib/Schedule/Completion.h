//===- Completion.h - a tile with everything chosen -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the library.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_SCHEDULE_COMPLETION_H
#define TC_LIB_SCHEDULE_COMPLETION_H

#include "tc/Schedule/MatmulConfig.h"

namespace tc::schedule {

/// `config` with the tile and the group given by it and what is open chosen.
MatmulConfig completeTile(MatmulConfig config, const MatmulProblem &problem,
                          const Machine &machine);

/// Sets the K-block where it is open: one swizzle row, as more would only make
/// the steps of the ring coarser, or the next that is legal. False if none is.
bool setTileK(MatmulConfig &open, const MatmulProblem &problem);

} // namespace tc::schedule

#endif // TC_LIB_SCHEDULE_COMPLETION_H
