//===- LaunchControl.h - clusterlaunchcontrol -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a launch has to know of clusterlaunchcontrol.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_EXEC_SYNC_LAUNCHCONTROL_H
#define TC_EMULATOR_EXEC_SYNC_LAUNCHCONTROL_H

#include "State/DecodedInst.h"

namespace tc::emu {

/// Whether the kernel holds a clusterlaunchcontrol.try_cancel.
bool cancelsClusters(const KernelCode &kernel);

} // namespace tc::emu

#endif // TC_EMULATOR_EXEC_SYNC_LAUNCHCONTROL_H
