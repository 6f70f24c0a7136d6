//===- PostMortem.h - what led to a report ----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_DEBUG_POSTMORTEM_H
#define TC_EMULATOR_DEBUG_POSTMORTEM_H

#include <string>

namespace tc::emu {

class Cluster;
struct Report;

/// The history of what `report` is about (Cluster::involved and, of a
/// deadlock, what is waited for), as lines that are indented by two blanks.
std::string describePostMortem(Cluster &cluster, const Report &report);

} // namespace tc::emu

#endif // TC_EMULATOR_DEBUG_POSTMORTEM_H
