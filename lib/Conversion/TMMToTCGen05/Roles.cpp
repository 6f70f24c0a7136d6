//===- Roles.cpp - lower warp roles to branches -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A role becomes the branch of its warps. A role of an asynchronous engine is
// one thread: it is elected once, where the warp is still converged, and not
// for each instruction.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "tc/Schedule/MatmulConfig.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tc;

LogicalResult tc::checkRoles(gpu::GPUFuncOp kernel, KernelLowering &lowering) {
  int64_t threads = lowering.threads;
  WalkResult result = kernel.walk([&](tmm::WarpSpecializeOp op) {
    if (op.getNumWarps() * kTmemWindowLanes != threads) {
      op.emitOpError() << "expected roles for the " << threads
                       << " threads of the kernel, got "
                       << op.getNumWarps() * kTmemWindowLanes;
      return WalkResult::interrupt();
    }
    for (unsigned index = 0; index < op.getRoles().size(); ++index) {
      if (op.getEngine(index) != tmm::Engine::threads)
        continue;
      // Thread t reads lane t: warp w of the CTA reaches window w mod 4.
      if (op.getFirstWarp(index) != 0) {
        op.emitOpError() << "expected the threads role first, got it at warp "
                         << op.getFirstWarp(index);
        return WalkResult::interrupt();
      }
      lowering.threads = op.getWarps()[index] * kTmemWindowLanes;
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Moves the ops of `role` to the insertion point of `builder`.
static void moveRole(Region &role, OpBuilder &builder) {
  Block *target = builder.getInsertionBlock();
  target->getOperations().splice(builder.getInsertionPoint(),
                                 role.front().getOperations());
}

/// The registers that the kernel's configuration asks for in the epilogue, 0
/// where all threads keep those of the launch. Says in the kernel how many
/// those are.
static int64_t setLaunchRegisters(gpu::GPUFuncOp kernel) {
  auto config = kernel->getAttrOfType<tmm::ConfigAttr>("tmm.config");
  int64_t registers = config ? config.getEpilogueRegisters().value_or(0) : 0;
  if (registers)
    kernel->setAttr(
        NVVM::NVVMDialect::getMaxnregAttrName(),
        Builder(kernel.getContext())
            .getI32IntegerAttr(schedule::getLaunchRegisters(registers)));
  return registers;
}

void tc::expandRoles(gpu::GPUFuncOp kernel, KernelLowering &lowering) {
  SmallVector<tmm::WarpSpecializeOp> ops;
  kernel.walk([&](tmm::WarpSpecializeOp op) { ops.push_back(op); });
  for (tmm::WarpSpecializeOp op : ops) {
    Location loc = op.getLoc();
    int64_t registers = setLaunchRegisters(kernel);
    auto setRegisters = [&](OpBuilder &b, sm90::RegisterAction action,
                            int64_t count) {
      if (registers)
        sm90::SetMaxRegistersOp::create(b, loc, action, uint32_t(count));
    };
    OpBuilder b(op);
    Value warp = arith::DivUIOp::create(b, loc, lowering.thread,
                                        emitI32(b, loc, kTmemWindowLanes));
    for (auto [index, role] : llvm::enumerate(op.getRoles())) {
      // Roles are in the order of their warps: "before the end of this role" is
      // enough in the branch of those behind the previous one.
      int64_t end = op.getFirstWarp(index) + op.getWarps()[index];
      auto branch = scf::IfOp::create(
          b, loc,
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, warp,
                                emitI32(b, loc, end)),
          /*withElseRegion=*/true);
      b.setInsertionPointToStart(branch.thenBlock());
      bool isEpilogue = op.getEngine(index) == tmm::Engine::threads;
      if (isEpilogue)
        setRegisters(b, sm90::RegisterAction::Increase, registers);
      if (op.getEngine(index) != tmm::Engine::threads) {
        Value elected = sm90::ElectOp::create(b, loc, b.getI1Type());
        // One thread of the leader drives the tensor core of a pair.
        if (lowering.ctas > 1 &&
            op.getEngine(index) == tmm::Engine::tensor_core)
          elected =
              arith::AndIOp::create(b, loc, elected, lowering.inLeaderCta);
        auto single = scf::IfOp::create(b, loc, elected);
        b.setInsertionPointToStart(single.thenBlock());
      }
      moveRole(role, b);
      b.setInsertionPointToStart(branch.elseBlock());
      // The warps of the other roles are one warpgroup: the same instruction.
      if (isEpilogue)
        setRegisters(b, sm90::RegisterAction::Decrease,
                     schedule::kRoleRegisters);
    }
    op.erase();
  }
}
