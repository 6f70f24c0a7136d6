//===- WarpSpecialize.cpp - cut a kernel into warp roles --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cuts the one thread of control at pipeline boundaries. Each role gets a copy
// of the kernel's loops, from which everything that belongs to other roles is
// removed: their ops, and the ends of pipelines that they hold. What is left of
// another role's work has no effects and folds away; the states of ends that a
// role does not hold pass through its loops unchanged and fold away too.
//
// That is correct because of what the pipelined form guarantees: data that one
// role hands to another goes through a pipeline, and everything else that roles
// share (sizes, the scheduler) is pure. An op with effects that no role claims
// would be executed by all of them, so it is refused.
//
//===----------------------------------------------------------------------===//

#include "ForgottenValues.h"
#include "TakeTurns.h"

#include "tc/Dialect/TMM/IR/KernelForm.h"
#include "tc/Dialect/TMM/IR/PipelineEnds.h"
#include "tc/Dialect/TMM/Passes.h"
#include "tc/Support/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

namespace tc::tmm {
#define GEN_PASS_DEF_WARPSPECIALIZEPASS
#include "tc/Dialect/TMM/Passes.h.inc"
} // namespace tc::tmm

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

namespace {

/// The roles at both ends of a pipeline.
struct EndRoles {
  llvm::SmallSetVector<StringAttr, 2> producers, consumers;

  /// Whether no other role than `role` uses the pipeline.
  bool arePrivateTo(StringAttr role) const {
    auto is = [=](StringAttr name) { return name == role; };
    return llvm::all_of(producers, is) && llvm::all_of(consumers, is);
  }
};

/// Cuts one kernel.
class Specializer {
public:
  explicit Specializer(gpu::GPUFuncOp kernel)
      : kernel(kernel), roles(kernel.getOps<RoleOp>()),
        pipelines(kernel.getOps<PipelineOp>()) {}

  /// Does nothing in a kernel without roles.
  LogicalResult run();
  /// Threads of all roles; 0 in a kernel without roles.
  int64_t getThreads();

private:
  LogicalResult checkClaims();
  LogicalResult collectEnds();
  bool isForeign(Operation *op, StringAttr role);
  LogicalResult prune(Region &region, StringAttr role);
  SmallVector<Value> findOwn(RoleOp role);
  LogicalResult emitInstance(Turns &turns, int64_t number, Region &region,
                             ArrayRef<Operation *> body);
  LogicalResult checkTurns();
  AgentSetAttrInterface findSpan(StringAttr role);
  bool isElected(StringAttr role);
  /// Calls `visit` with the ops on tiles that `role` alone claims.
  void walkOps(StringAttr role, function_ref<void(EngineOpInterface)> visit);

  gpu::GPUFuncOp kernel;
  SmallVector<RoleOp> roles;
  /// Those that roles share, without what instances get for themselves.
  SmallVector<PipelineOp> pipelines;
  DenseMap<Value, EndRoles> ends;
};

struct WarpSpecializePass
    : tc::tmm::impl::WarpSpecializePassBase<WarpSpecializePass> {
  void runOnOperation() override;
};

} // namespace

int64_t Specializer::getThreads() {
  int64_t warps = 0;
  for (RoleOp role : roles)
    warps += role.getWarps() * role.getTurns();
  return warps * kWarpThreads;
}

void Specializer::walkOps(StringAttr role,
                          function_ref<void(EngineOpInterface)> visit) {
  kernel.walk([&](EngineOpInterface op) {
    if (!op.isOfEveryRole() && op.getRoleName() == role)
      visit(op);
  });
}

/// Checks that every op with effects belongs to a role that the kernel has.
LogicalResult Specializer::checkClaims() {
  llvm::SmallDenseSet<StringAttr> names;
  for (RoleOp role : roles)
    if (!names.insert(role.getNameAttr()).second)
      return role.emitOpError() << "expected roles with different names, got "
                                << role.getName() << " twice";
  WalkResult result = kernel.walk([&](Operation *op) {
    if (auto engineOp = dyn_cast<EngineOpInterface>(op)) {
      StringAttr role = engineOp.getRoleName();
      if (engineOp.isOfEveryRole() || (role && names.contains(role)))
        return WalkResult::advance();
      op->emitOpError() << "expected a role that the kernel declares, got "
                        << (role ? role.getValue() : "none");
      return WalkResult::interrupt();
    }
    if (op == kernel || isMemoryEffectFree(op) ||
        op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
        op->hasTrait<OpTrait::IsTerminator>() ||
        isa_and_nonnull<TMMDialect>(op->getDialect()))
      return WalkResult::advance();
    InFlightDiagnostic diag =
        op->emitOpError() << "expected a role to claim the op, which has "
                             "effects, got none: each role would execute it";
    diag.attachNote(roles.front().getLoc()) << "roles of the kernel here";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult Specializer::collectEnds() {
  auto addRoles = [&](const PipelineEnds &from,
                      llvm::SmallSetVector<StringAttr, 2> &to) {
    for (const PipelineEnd &end : from) {
      if (end.role)
        to.insert(end.role);
      else // Ops of every role: the others were checked.
        for (RoleOp role : roles)
          to.insert(role.getNameAttr());
    }
  };
  WalkResult walk = kernel.walk([&](PipelineOp op) {
    FailureOr<PipelineEnds> producers = deriveProducers(op);
    FailureOr<PipelineEnds> consumers = deriveConsumers(op);
    if (failed(producers) || failed(consumers))
      return WalkResult::interrupt();
    addRoles(*producers, ends[op.getPipeline()].producers);
    addRoles(*consumers, ends[op.getPipeline()].consumers);
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

/// Whether `op` belongs to other roles than `role`.
bool Specializer::isForeign(Operation *op, StringAttr role) {
  if (auto engineOp = dyn_cast<EngineOpInterface>(op))
    return !engineOp.isOfEveryRole() && engineOp.getRoleName() != role;
  auto end = [&](Value pipeline) -> EndRoles & {
    return ends.find(pipeline)->second;
  };
  if (auto acquire = dyn_cast<ProducerAcquireOp>(op))
    return !end(acquire.getPipeline()).producers.contains(role);
  if (auto inspect = dyn_cast<ProducerInspectOp>(op))
    return !end(inspect.getPipeline()).producers.contains(role);
  if (auto commit = dyn_cast<ProducerCommitOp>(op))
    return !end(commit.getPipeline()).producers.contains(role);
  if (auto tail = dyn_cast<ProducerTailOp>(op))
    return !end(tail.getPipeline()).producers.contains(role);
  if (auto wait = dyn_cast<ConsumerWaitOp>(op))
    return !end(wait.getPipeline()).consumers.contains(role);
  if (auto release = dyn_cast<ConsumerReleaseOp>(op))
    return !end(release.getPipeline()).consumers.contains(role);
  return false;
}

/// Removes from `region` what belongs to other roles than `role`.
LogicalResult Specializer::prune(Region &region, StringAttr role) {
  SmallVector<Operation *> foreign;
  region.walk([&](Operation *op) {
    if (isForeign(op, role))
      foreign.push_back(op);
    else if (auto engineOp = dyn_cast<EngineOpInterface>(op))
      engineOp.setRoleName(nullptr);
  });
  // A foreign state does not advance in this role; whatever else a foreign op
  // defines is used by foreign ops, or by pure ops that only they use, or
  // carried by loops and branches. Users first.
  ForgottenValues forgotten;
  for (Operation *op : llvm::reverse(foreign)) {
    if (auto commit = dyn_cast<ProducerCommitOp>(op))
      commit.getNext().replaceAllUsesWith(commit.getState());
    else if (auto release = dyn_cast<ConsumerReleaseOp>(op))
      release.getNext().replaceAllUsesWith(release.getState());
    forgotten.erase(op);
  }
  Location origin = region.getLoc();
  OpOperand *use = forgotten.findReader(/*end=*/nullptr, origin);
  if (!use) {
    forgotten.drop(region);
    return success();
  }
  InFlightDiagnostic diag =
      emitError(origin) << "expected values to reach role " << role.getValue()
                        << " through pipelines only, got a use in '"
                        << use->getOwner()->getName() << "'";
  diag.attachNote(use->getOwner()->getLoc()) << "used here";
  return failure();
}

/// The CTAs that all ops of `role` span, null where one spans its own alone.
AgentSetAttrInterface Specializer::findSpan(StringAttr role) {
  std::optional<AgentSetAttrInterface> span;
  bool same = true;
  walkOps(role, [&](EngineOpInterface op) {
    same &= !span || *span == op.getSpan();
    span = op.getSpan();
  });
  return span && same ? *span : AgentSetAttrInterface();
}

/// Whether all ops of `role` are issued by one thread.
bool Specializer::isElected(StringAttr role) {
  bool single = true;
  walkOps(role, [&](EngineOpInterface op) {
    single &= op.getEngine().getIssue().isOneThread();
  });
  return single;
}

/// The pipelines that only `role` uses: their slots are not shared by its
/// instances.
SmallVector<Value> Specializer::findOwn(RoleOp role) {
  SmallVector<Value> own;
  for (PipelineOp op : pipelines)
    if (ends.find(op.getPipeline())->second.arePrivateTo(role.getNameAttr()))
      own.push_back(op.getPipeline());
  return own;
}

/// Fills `region` with what instance `number` of a role does of `body`.
LogicalResult Specializer::emitInstance(Turns &turns, int64_t number,
                                        Region &region,
                                        ArrayRef<Operation *> body) {
  OpBuilder b = OpBuilder::atBlockBegin(&region.emplaceBlock());
  IRMapping mapping;
  for (Operation *original : body)
    b.clone(*original, mapping);
  if (failed(prune(region, turns.role.getNameAttr())))
    return failure();
  if (turns.role.getTurns() == 1)
    return success();
  return takeTurns(region, turns, number);
}

/// Checks what instances do with slots that they share.
LogicalResult Specializer::checkTurns() {
  for (PipelineOp op : kernel.getOps<PipelineOp>()) {
    FailureOr<PipelineEnds> producers = deriveProducers(op);
    FailureOr<PipelineEnds> consumers = deriveConsumers(op);
    if (failed(producers) || failed(consumers) ||
        failed(verifyTurns(op, *producers, /*isProducer=*/true)) ||
        failed(verifyTurns(op, *consumers, /*isProducer=*/false)))
      return failure();
  }
  return success();
}

LogicalResult Specializer::run() {
  if (roles.empty())
    return success();
  if (failed(verifyStructured(kernel)) || failed(verifyStates(kernel)) ||
      failed(checkClaims()) || failed(collectEnds()))
    return failure();

  // What roles share stays before them: pipelines and pure ops. The rest, loops
  // and tails, is the body of every role.
  Block &entry = kernel.getBody().front();
  SmallVector<Operation *> body;
  for (Operation &op : entry.without_terminator())
    if (!isa<PipelineOp, RoleOp>(op) && !isMemoryEffectFree(&op))
      body.push_back(&op);
  for (Operation *op : body)
    for (Operation *user : op->getUsers())
      if (user->getBlock() == &entry && isMemoryEffectFree(user))
        return op->emitOpError()
               << "expected loops and tails at the end of the kernel";

  OpBuilder b(entry.getTerminator());
  SmallVector<Attribute> names, spans;
  SmallVector<Location> places;
  SmallVector<int64_t> warps, turns, registers;
  SmallVector<bool> elected;
  for (RoleOp role : roles)
    for (int64_t turn = 0; turn < int64_t(role.getTurns()); ++turn) {
      names.push_back(role.getNameAttr());
      places.push_back(NameLoc::get(role.getNameAttr(), role.getLoc()));
      warps.push_back(role.getWarps());
      turns.push_back(role.getTurns());
      registers.push_back(role.getRegisters());
      elected.push_back(isElected(role.getNameAttr()));
      AgentSetAttrInterface span = findSpan(role.getNameAttr());
      spans.push_back(span ? Attribute(span) : b.getUnitAttr());
    }
  auto op = WarpSpecializeOp::create(
      b, FusedLoc::get(b.getContext(), places), b.getArrayAttr(names),
      b.getDenseI64ArrayAttr(warps), b.getDenseI64ArrayAttr(turns),
      b.getDenseI64ArrayAttr(registers), b.getDenseBoolArrayAttr(elected),
      b.getArrayAttr(spans), names.size());
  unsigned index = 0;
  for (RoleOp role : roles) {
    Turns turns{role, findOwn(role), /*order=*/nullptr};
    for (int64_t number = 0; number < int64_t(role.getTurns()); ++number)
      if (failed(emitInstance(turns, number, op.getRoles()[index++], body)))
        return failure();
  }
  for (Operation *original : llvm::reverse(body))
    original->erase();
  for (RoleOp role : roles)
    role.erase();
  return checkTurns();
}

/// Adapts the number of threads of `kernel` and of its launches.
static void setThreads(gpu::GPUFuncOp kernel,
                       ArrayRef<gpu::LaunchFuncOp> launches, int64_t threads) {
  OpBuilder b(kernel);
  kernel.setKnownBlockSizeAttr(
      b.getDenseI32ArrayAttr({static_cast<int32_t>(threads), 1, 1}));
  for (gpu::LaunchFuncOp launch : launches) {
    b.setInsertionPoint(launch);
    launch.getBlockSizeXMutable().assign(
        arith::ConstantIndexOp::create(b, launch.getLoc(), threads));
  }
}

void WarpSpecializePass::runOnOperation() {
  ModuleOp module = getOperation();
  DenseMap<Operation *, SmallVector<gpu::LaunchFuncOp>> launches;
  SymbolTableCollection symbols;
  module.walk([&](gpu::LaunchFuncOp launch) {
    launches[symbols.lookupNearestSymbolFrom(launch, launch.getKernel())]
        .push_back(launch);
  });
  WalkResult result = module.walk([&](gpu::GPUFuncOp kernel) {
    Specializer specializer(kernel);
    int64_t threads = specializer.getThreads();
    if (failed(specializer.run()))
      return WalkResult::interrupt();
    // No loop takes turns any more.
    kernel.walk([](LoopOp loop) { loop.erase(); });
    if (threads != 0)
      setThreads(kernel, launches.lookup(kernel), threads);
    return WalkResult::skip();
  });
  if (result.wasInterrupted())
    signalPassFailure();
}
