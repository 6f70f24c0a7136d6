//===- Pipelining.h - what back ends tell the middle ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The vocabulary of the interfaces of Pipelining.td.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_PIPELINING_H
#define TC_SUPPORT_PIPELINING_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Types.h"
#include "mlir/IR/Value.h"

namespace tc {

/// The paths by which memory is accessed (PTX ISA, "Proxies"): what goes
/// through one is not ordered with what goes through another without a fence.
enum class Proxy { Generic, Async };

/// How many threads of a role issue an op together.
enum class Issue {
  /// One elected thread; a role whose ops are all issued so is one thread of
  /// control.
  Thread,
  /// All threads of a role, each for itself: each arrives.
  Threads,
  /// All threads of a warp as one; one of them arrives for it.
  Warp,
  /// All threads of a warpgroup as one; one of them arrives for it.
  Warpgroup,
};

/// How the end of an engine's work becomes known.
enum class Completion {
  /// The engine counts bytes on an mbarrier that expects them.
  Bytes,
  /// An instruction makes an mbarrier see an arrival when the work is done.
  Commit,
  /// The issuing threads arrive, after they have waited for their own work.
  Arrive,
  /// Groups that only the thread that issued them can wait for.
  Group,
};

} // namespace tc

#include "tc/Support/PipeliningAttrInterfaces.h.inc"

#endif // TC_SUPPORT_PIPELINING_H
