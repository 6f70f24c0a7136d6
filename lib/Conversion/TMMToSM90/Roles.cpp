//===- Roles.cpp - lower warp roles to branches -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A role becomes the branch of its warps, one after the other. An elected role
// is one thread of control: the thread is elected once, where the warp is still
// converged, and not for each instruction. Code of the issuing thread outside
// of such roles becomes a branch of the thread that is elected in warp 0 of the
// CTA or role.
//
//===----------------------------------------------------------------------===//

#include "PipelineLayout.h"

#include "tc/Conversion/TMMTiles/ClusterTables.h"
#include "tc/Conversion/TMMToSM90/TMMToSM90.h"
#include "tc/Dialect/TMM/IR/KernelForm.h"
#include "tc/Support/ISA.h"
#include "tc/Support/Target.h"
#include "tc/Support/Units.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tc {
#define GEN_PASS_DEF_CONVERTTMMROLESTOSM90PASS
#include "tc/Conversion/Passes.h.inc"
} // namespace tc

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

namespace {

/// Lowers the roles and the issuing thread of one kernel.
class RoleLowering {
public:
  explicit RoleLowering(gpu::GPUFuncOp kernel)
      : kernel(kernel), loc(kernel.getLoc()) {}

  LogicalResult run();

private:
  LogicalResult checkThreads(WarpSpecializeOp op);
  LogicalResult checkRegisters(WarpSpecializeOp op);
  Value emitThread(OpBuilder &b);
  Value emitActs(OpBuilder &b, AgentSetAttrInterface span);
  /// Whether the thread executes the ops of role `role`, to which its warp
  /// belongs; null where all threads do.
  Value emitRuns(OpBuilder &b, WarpSpecializeOp op, unsigned role, Value warp);
  void lowerIssue(IssueOp op);
  void lowerRoles(WarpSpecializeOp op);

  gpu::GPUFuncOp kernel;
  Location loc;
  /// True in the thread that issues: of the CTA, under a null block, and of
  /// each role that is not one thread, under its block.
  DenseMap<Block *, Value> issuers;
  /// The rank of the CTA in its cluster, once it is needed.
  Value rank;
};

struct ConvertTMMRolesToSM90Pass
    : tc::impl::ConvertTMMRolesToSM90PassBase<ConvertTMMRolesToSM90Pass> {
  void runOnOperation() override;
};

} // namespace

/// Registers of a thread come in steps of 8 (PTX ISA, "setmaxnreg").
static constexpr int64_t kRegisterStep = 8;

/// Whether registers move between roles.
static bool movesRegisters(WarpSpecializeOp op) {
  return llvm::any_of(op.getRegisters(), [](int64_t n) { return n != 0; });
}

/// The registers that the launch gives each thread, so that those of the roles
/// come out of the same pool. A role without keeps what it was given.
static int64_t getLaunchRegisters(WarpSpecializeOp op) {
  int64_t sum = 0, moving = 0;
  for (auto [warps, registers] : llvm::zip(op.getWarps(), op.getRegisters())) {
    sum += warps * registers;
    moving += registers != 0 ? warps : 0;
  }
  return llvm::alignTo(llvm::divideCeil(sum, moving), kRegisterStep);
}

LogicalResult RoleLowering::checkThreads(WarpSpecializeOp op) {
  FailureOr<KernelFacts> facts = getKernelFacts(kernel);
  if (failed(facts))
    return failure();
  int64_t threads = op.getNumWarps() * kWarpThreads;
  if (threads == facts->threads)
    return checkRegisters(op);
  InFlightDiagnostic diag = op.emitRoleError(0)
                            << "expected roles for the " << facts->threads
                            << " threads of the kernel, got " << threads;
  op.noteRoles(diag);
  diag.attachNote(kernel.getLoc()) << "kernel here";
  return diag;
}

/// Checks what moves between roles: the pool that it comes out of, and that the
/// warps of a warpgroup do the same.
LogicalResult RoleLowering::checkRegisters(WarpSpecializeOp op) {
  if (!movesRegisters(op))
    return success();
  constexpr int64_t kWarps = kWarpgroupThreads / kWarpThreads;
  auto print = [&](unsigned role) {
    int64_t count = op.getRegisters()[role];
    return (count ? std::to_string(count) : "none") + " for role " +
           op.getRoleName(role).str();
  };
  for (unsigned index = 1; index < op.getRoles().size(); ++index) {
    if (op.getFirstWarp(index) % kWarps == 0 ||
        op.getRegisters()[index] == op.getRegisters()[index - 1])
      continue;
    InFlightDiagnostic diag =
        op.emitRoleError(index)
        << "expected one number of registers in the warps of a warpgroup, got "
        << print(index - 1) << " and " << print(index) << ' '
        << cite(ISASection::SetMaxNReg);
    op.noteRoles(diag, /*registers=*/true);
    return diag;
  }
  // An H200 never gives back the registers of a warpgroup that has fewer warps.
  int64_t threads = op.getNumWarps() * kWarpThreads;
  if (threads % kWarpgroupThreads != 0 && op.getRegisters().back() != 0) {
    InFlightDiagnostic diag =
        op.emitRoleError(op.getRoles().size() - 1)
        << "expected whole warpgroups where roles have registers, got "
        << op.getNumWarps() << " warps; nearest legal "
        << llvm::alignTo(threads, kWarpgroupThreads) / kWarpThreads
        << ", with a role that has no ops " << cite(ISASection::SetMaxNReg);
    op.noteRoles(diag, /*registers=*/true);
    return diag;
  }
  int64_t launch = getLaunchRegisters(op);
  if (launch * threads <= kRegisters)
    return success();
  InFlightDiagnostic diag = op.emitRoleError(0)
                            << "expected at most " << kRegisters
                            << " registers, those of an SM, got "
                            << launch * threads << ", " << launch
                            << " for each of " << threads
                            << " threads at launch; at most "
                            << llvm::alignDown(kRegisters / threads,
                                               kRegisterStep)
                            << " fit";
  op.noteRoles(diag, /*registers=*/true);
  return diag;
}

Value RoleLowering::emitThread(OpBuilder &b) {
  Value thread = gpu::ThreadIdOp::create(b, loc, gpu::Dimension::x);
  return arith::IndexCastOp::create(b, loc, b.getI32Type(), thread);
}

/// Whether this CTA is the first of its `span`.
Value RoleLowering::emitActs(OpBuilder &b, AgentSetAttrInterface span) {
  if (!rank) {
    // Once, where every role finds it.
    OpBuilder top = OpBuilder::atBlockBegin(&kernel.getBody().front());
    rank = emitClusterRank(top, loc);
  }
  int64_t mask = 0;
  for (int64_t cta = 0; cta < span.getNumCtas(); ++cta)
    if (span.getMembers(cta).front() == cta)
      mask |= int64_t(1) << cta;
  if (mask == 1)
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rank,
                                 emitI32(b, loc, 0));
  Value bits = arith::ShRUIOp::create(b, loc, emitI32(b, loc, mask), rank);
  return arith::TruncIOp::create(b, loc, b.getI1Type(), bits);
}

void RoleLowering::lowerIssue(IssueOp op) {
  Block *scope = &kernel.getBody().front();
  int64_t firstWarp = 0;
  Value acts;
  AgentSetAttrInterface over = op.getOver().value_or(AgentSetAttrInterface());
  bool elected = false;
  if (auto role = WarpSpecializeOp::findRole(op->getBlock())) {
    auto [roles, number] = *role;
    elected = roles.isElected(number);
    if (over == roles.getSpan(number))
      over = {};
    // The role that has warp 0 has the issuing thread of the CTA.
    firstWarp = roles.getFirstWarp(number);
    if (!elected && firstWarp != 0)
      scope = &roles.getRoles()[number].front();
  }
  OpBuilder b(op);
  Value issues;
  if (!elected) {
    Value &issuer = issuers[scope];
    if (!issuer) {
      // Elected once, where the warp is converged.
      OpBuilder top = OpBuilder::atBlockBegin(scope);
      Value warpEnd = emitI32(top, loc, (firstWarp + 1) * kWarpThreads);
      Value inWarp = arith::CmpIOp::create(top, loc, arith::CmpIPredicate::ult,
                                           emitThread(top), warpEnd);
      Value leader = sm90::ElectOp::create(top, loc, top.getI1Type());
      issuer = arith::AndIOp::create(top, loc, inWarp, leader);
    }
    issues = issuer;
  }
  if (over) {
    acts = emitActs(b, over);
    issues = issues ? arith::AndIOp::create(b, loc, issues, acts) : acts;
  }
  Block *body = &op.getBody().front();
  SmallVector<Value> yielded;
  if (op.getNumResults() != 0) {
    auto yield = cast<YieldOp>(body->back());
    llvm::append_range(yielded, yield.getValues());
    yield.erase();
  }
  if (!issues) {
    op->getBlock()->getOperations().splice(op->getIterator(),
                                           body->getOperations());
    op.replaceAllUsesWith(yielded);
  } else {
    auto guard = scf::IfOp::create(b, op.getLoc(), op.getResultTypes(), issues,
                                   /*withElseRegion=*/!yielded.empty());
    guard.thenBlock()->getOperations().splice(guard.thenBlock()->begin(),
                                              body->getOperations());
    if (!yielded.empty()) {
      OpBuilder in = OpBuilder::atBlockEnd(guard.thenBlock());
      scf::YieldOp::create(in, loc, yielded);
      in.setInsertionPointToEnd(guard.elseBlock());
      SmallVector<Value> zeros;
      for (Type type : op.getResultTypes())
        zeros.push_back(
            arith::ConstantOp::create(in, loc, in.getZeroAttr(type)));
      scf::YieldOp::create(in, loc, zeros);
    }
    op.replaceAllUsesWith(guard.getResults());
  }
  op.erase();
}

/// Has the threads take the registers of role `role`, if it has some.
static void emitRegisters(OpBuilder &b, Location loc, WarpSpecializeOp op,
                          unsigned role) {
  int64_t count = op.getRegisters()[role];
  if (count == 0)
    return;
  sm90::SetMaxRegistersOp::create(b, loc,
                                  count > getLaunchRegisters(op)
                                      ? sm90::RegisterAction::Increase
                                      : sm90::RegisterAction::Decrease,
                                  uint32_t(count));
}

/// Whether warp `warp` is one of the `warps` from `first` on.
static Value emitInWarps(OpBuilder &b, Location loc, int64_t first,
                         int64_t warps, Value warp) {
  auto compare = [&](arith::CmpIPredicate predicate, int64_t with) -> Value {
    return arith::CmpIOp::create(b, loc, predicate, warp,
                                 emitI32(b, loc, with));
  };
  if (warps == 1)
    return compare(arith::CmpIPredicate::eq, first);
  Value inWarps = compare(arith::CmpIPredicate::ult, first + warps);
  if (first > 0)
    inWarps = arith::AndIOp::create(b, loc, inWarps,
                                    compare(arith::CmpIPredicate::uge, first));
  return inWarps;
}

/// Whether a thread of warp `warp` belongs to role `role`.
static Value emitInRole(OpBuilder &b, Location loc, WarpSpecializeOp op,
                        unsigned role, Value warp) {
  Value inRole =
      emitInWarps(b, loc, op.getFirstWarp(role), op.getWarps()[role], warp);
  // What printed IR calls it.
  inRole.setLoc(NameLoc::get(b.getStringAttr(op.getRoleName(role)), loc));
  return inRole;
}

Value RoleLowering::emitRuns(OpBuilder &b, WarpSpecializeOp op, unsigned role,
                             Value warp) {
  Value runs;
  if (op.isElected(role)) {
    runs = sm90::ElectOp::create(b, loc, b.getI1Type());
    // One thread of the role, not of each of its warps.
    if (op.getWarps()[role] > 1) {
      Value isFirst =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, warp,
                                emitI32(b, loc, op.getFirstWarp(role)));
      runs = arith::AndIOp::create(b, loc, isFirst, runs);
    }
  }
  if (AgentSetAttrInterface span = op.getSpan(role)) {
    Value acts = emitActs(b, span);
    runs = runs ? arith::AndIOp::create(b, loc, runs, acts) : acts;
  }
  return runs;
}

void RoleLowering::lowerRoles(WarpSpecializeOp op) {
  if (movesRegisters(op))
    kernel->setAttr(NVVM::NVVMDialect::getMaxnregAttrName(),
                    Builder(op.getContext())
                        .getI32IntegerAttr(int32_t(getLaunchRegisters(op))));
  OpBuilder b(op);
  Value warp =
      arith::DivUIOp::create(b, NameLoc::get(b.getStringAttr("warp"), loc),
                             emitThread(b), emitI32(b, loc, kWarpThreads));
  ArrayRef<int64_t> counts = op.getRegisters();
  auto isAtWarpgroup = [&](unsigned role) {
    return op.getFirstWarp(role) % (kWarpgroupThreads / kWarpThreads) == 0;
  };
  for (auto [index, role] : llvm::enumerate(op.getRoles())) {
    OpBuilder::InsertionGuard guard(b);
    // Roles that share warpgroups from here on: their warps execute one
    // instruction, as those of a warpgroup must. Others have one of their own
    // in their branch, where ptxas counts with the registers that it takes.
    size_t run = 0;
    if (counts[index] != 0 && isAtWarpgroup(index))
      do
        ++run;
      while (index + run < counts.size() && !isAtWarpgroup(index + run));
    if (run > 1) {
      OpBuilder in = b;
      int64_t first = op.getFirstWarp(index),
              end = op.getFirstWarp(index + run);
      if (end - first != op.getNumWarps())
        in = scf::IfOp::create(b, loc,
                               emitInWarps(b, loc, first, end - first, warp))
                 .getThenBodyBuilder();
      emitRegisters(in, loc, op, index);
    }
    Value inRole = emitInRole(b, loc, op, index, warp);
    auto branch = scf::IfOp::create(b, loc, inRole);
    b.setInsertionPointToStart(branch.thenBlock());
    if (run == 1)
      emitRegisters(b, loc, op, index);
    if (Value runs = emitRuns(b, op, index, warp)) {
      auto single = scf::IfOp::create(b, loc, runs);
      b.setInsertionPointToStart(single.thenBlock());
    }
    b.getInsertionBlock()->getOperations().splice(b.getInsertionPoint(),
                                                  role.front().getOperations());
  }
  op.erase();
}

LogicalResult RoleLowering::run() {
  if (failed(verifyCut(kernel)))
    return failure();
  SmallVector<WarpSpecializeOp> roles;
  kernel.walk([&](WarpSpecializeOp op) { roles.push_back(op); });
  for (WarpSpecializeOp op : roles)
    if (failed(checkThreads(op)))
      return failure();
  SmallVector<IssueOp> issues;
  kernel.walk([&](IssueOp op) { issues.push_back(op); });
  if (!(roles.empty() && issues.empty()) && failed(verifyStructured(kernel)))
    return failure();
  for (IssueOp op : issues)
    lowerIssue(op);
  for (WarpSpecializeOp op : roles)
    lowerRoles(op);
  return success();
}

void ConvertTMMRolesToSM90Pass::runOnOperation() {
  WalkResult result = getOperation()->walk([&](gpu::GPUFuncOp kernel) {
    return failed(RoleLowering(kernel).run()) ? WalkResult::interrupt()
                                              : WalkResult::skip();
  });
  if (result.wasInterrupted())
    signalPassFailure();
}
