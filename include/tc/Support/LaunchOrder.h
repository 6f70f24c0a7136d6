//===- LaunchOrder.h - kernels that follow others ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What operations on the host say of the kernels that they become.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_LAUNCHORDER_H
#define TC_SUPPORT_LAUNCHORDER_H

#include "llvm/ADT/StringRef.h"

namespace tc {

/// Unit attribute of an operation that becomes a kernel: its threads wait for
/// the kernels before it, before they access memory (PTX ISA,
/// "griddepcontrol"), so that it may start while the last of these ends.
inline constexpr llvm::StringLiteral kWaitsForLaunch = "tc.waits_for_launch";

} // namespace tc

#endif // TC_SUPPORT_LAUNCHORDER_H
