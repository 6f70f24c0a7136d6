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

/// The threads of a role that issue an op as one.
class Issue {
public:
  /// One elected thread; a role whose ops are all issued so is one thread of
  /// control.
  static Issue oneThread() { return Issue(0); }
  /// All threads of the role, `count` of them as one each: 1 for itself, those
  /// of a warp, those of a warpgroup.
  static Issue each(int64_t count = 1) { return Issue(count); }

  bool isOneThread() const { return count == 0; }
  /// Whether each thread of the role acts for itself.
  bool isEachThread() const { return count == 1; }
  /// How many arrive for a role of `threads`.
  int64_t getArrivals(int64_t threads) const {
    return isOneThread() ? 1 : threads / count;
  }
  /// Emits `body` for those that arrive, where all threads that issue are: the
  /// first of each that act as one.
  void emitArriving(mlir::OpBuilder &builder, mlir::Location loc,
                    llvm::function_ref<void(mlir::OpBuilder &)> body) const;

private:
  explicit Issue(int64_t count) : count(count) {}

  int64_t count;
};

/// CTAs among which something can be known, each with those before it.
enum class Scope { Cta, Cluster, Grid };

/// What the signals of one direction of a pipeline are made of.
struct SignalRequest {
  /// The kernel that they are made for.
  mlir::Operation *kernel;
  /// The shared memory that they asked for, and their place in it in bytes;
  /// null where they asked for none.
  mlir::Value memory;
  int64_t offset;
  /// Slots of the pipeline.
  int64_t depth;
};

/// The signal of one slot.
struct SignalUse {
  mlir::Value signal;
  /// Arrivals that complete a transaction.
  int64_t arrivals;
  /// Whether fences of the memory order what is passed, so that the signal need
  /// not.
  bool relaxed;
  /// Whether threads of other CTAs arrive.
  bool crosses;
};

struct Arrival;

/// Has the threads that execute it arrive at all targets of `arrival`.
void emitThreadArrivals(mlir::OpBuilder &builder, mlir::Location loc,
                        const Arrival &arrival);

} // namespace tc

#include "tc/Support/PipeliningAttrInterfaces.h.inc"

namespace tc {

/// How one end of a pipeline completes one transaction.
struct Arrival {
  SignalAttrInterface signal;
  /// The signals of this CTA, one for each slot, and those of each CTA that
  /// waits; none where no CTA waits for a signal.
  mlir::Value own;
  llvm::ArrayRef<mlir::Value> targets;
  /// The CTAs that wait as a mask (i16); null where it is this one alone, or
  /// where they are not of one cluster.
  mlir::Value mask;
  mlir::OpFoldResult slot;
  /// Arrivals of all ends that complete the transaction.
  int64_t arrivals;
  /// CTAs that execute an op of the engine as one.
  int64_t ctas;
  /// What the end fills of a slot.
  int64_t bytes;
  /// Whether it is complete as soon as the slot has been read (completesRead).
  bool onRead;
  /// Whether a CTA that waits may be another one.
  bool crosses;
  bool relaxed;

  /// The signal of the slot, of those in `storage`.
  mlir::Value emitSlot(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value storage) const {
    return signal.emitSlot(builder, loc, storage, slot);
  }
};

} // namespace tc

#endif // TC_SUPPORT_PIPELINING_H
