//===- TMMTransformOps.cpp - schedules for tmm by hand ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From handles to what the passes call; nothing is decided here.
//
//===----------------------------------------------------------------------===//

#include "tc/TransformOps/TMMTransformOps.h"

#include "tc/Conversion/LinalgToTMM/LinalgToTMM.h"
#include "tc/Dialect/TMM/Generate/Tile.h"
#include "tc/Dialect/TMM/IR/KernelFamily.h"
#include "tc/Dialect/TMM/IR/MatrixUnit.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Dialect/TMM/Pipeline/AssignRoles.h"
#include "tc/Schedule/ConfigFields.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

#ifndef NDEBUG
// MLIR's headers call it where assertions are on, and an MLIR that was built
// without them, as Debian's is, has no definition.
__attribute__((weak, visibility("hidden"))) void
mlir::transform::detail::checkImplementsTransformOpInterface(
    StringRef name, MLIRContext *context) {
  assert(RegisteredOperationName::lookup(name, context)
             ->hasInterface<transform::TransformOpInterface>() &&
         "an operation of the dialect implements TransformOpInterface");
}
#endif

#define GET_OP_CLASSES
#include "tc/TransformOps/TMMTransformOps.cpp.inc"

using Failure = DiagnosedSilenceableFailure;
using Effects = SmallVectorImpl<MemoryEffects::EffectInstance>;

/// `target` is none of the payload that `op` is for.
static Failure refusePayload(Operation *op, StringRef expected,
                             Operation *target) {
  Failure failure = emitSilenceableFailure(op->getLoc());
  failure << "'" << op->getName().getStringRef() << "' op expected " << expected
          << ", got '" << target->getName().getStringRef() << "'";
  failure.attachNote(target->getLoc()) << "payload here";
  return failure;
}

/// Runs `action`, which says where it fails in errors. They are the
/// silenceable failure of `op`.
static Failure silence(Operation *op, function_ref<LogicalResult()> action) {
  SmallVector<Diagnostic> errors;
  {
    ScopedDiagnosticHandler handler(op->getContext(), [&](Diagnostic &diag) {
      if (diag.getSeverity() != DiagnosticSeverity::Error)
        return failure();
      errors.push_back(std::move(diag));
      return success();
    });
    if (succeeded(action()))
      return Failure::success();
  }
  assert(!errors.empty() && "what fails says why");
  errors.back().attachNote(op->getLoc()) << "asked for here";
  return Failure::silenceableFailure(std::move(errors));
}

//===----------------------------------------------------------------------===//
// ConfigureOp
//===----------------------------------------------------------------------===//

/// The fields that `op` names; says what is wrong with the text in `error`.
static std::optional<schedule::MatmulConfig>
parseFields(ConfigureOp op, schedule::TextError &error) {
  return schedule::parseConfig(
      op.getConfig(), tc::MatrixUnits::get(op.getContext()).getRegistry(),
      error);
}

LogicalResult ConfigureOp::verify() {
  if (getCheck() && getChip())
    return emitOpError("expected no chip with check, which completes nothing");
  if (getTuned() && !getChip())
    return emitOpError("expected a chip, which the table of measured "
                       "configurations is for");
  schedule::TextError error;
  if (!parseFields(*this, error))
    return emitOpError() << "config, from character " << error.offset + 1
                         << " on: " << error.message;
  return success();
}

/// Fails at the first field of `wanted` that `target` has with another value.
static Failure checkFields(ConfigureOp op, MatmulOp target,
                           const schedule::MatmulConfig &wanted,
                           const schedule::MatmulConfig &config) {
  for (const schedule::ConfigField &field : schedule::getConfigFields()) {
    schedule::FieldValue value = field.get(wanted), own = field.get(config);
    if (value.empty() || value == own)
      continue;
    const std::string key = schedule::spellKey(field.key);
    auto spell = [&](const schedule::FieldValue &value) {
      return key + "=" +
             schedule::spellKey(schedule::formatValue(field, value));
    };
    Failure failure = emitSilenceableFailure(op.getLoc());
    failure << "'" << op->getName().getStringRef()
            << "' op expected a configuration with " << spell(value) << ", got "
            << (own.empty() ? "one without " + key : spell(own));
    failure.attachNote(target.getLoc()) << "payload here";
    return failure;
  }
  return Failure::success();
}

/// What is wrong with the fields of a part of `config` taken together.
static std::optional<std::string>
findPartsError(const schedule::MatmulConfig &config) {
  for (unsigned part = 0; part < schedule::getConfigParts().size(); ++part)
    if (std::optional<std::string> error =
            schedule::findPartError(part, config))
      return error;
  return std::nullopt;
}

Failure ConfigureOp::applyToOne(transform::TransformRewriter &rewriter,
                                Operation *target,
                                transform::ApplyToEachResultList &,
                                transform::TransformState &) {
  auto matmul = dyn_cast<MatmulOp>(target);
  if (!matmul)
    return refusePayload(*this, "'tmm.matmul'", target);
  schedule::TextError unused;
  const schedule::MatmulConfig fields = *parseFields(*this, unused);
  schedule::MatmulConfig old;
  if (ConfigAttr attr = matmul.getConfigAttr())
    old = attr.getValues();
  if (getCheck())
    return checkFields(*this, matmul, fields, old);
  if (getChip())
    return silence(*this, [&]() -> LogicalResult {
      if (failed(checkFamilies(target)))
        return failure();
      ConfigRequest request{target, *getChip(), fields,
                            getTuned().value_or("")};
      LogicalResult result = failure();
      rewriter.modifyOpInPlace(target, [&] {
        result = cast<KernelFamilyOpInterface>(target).chooseConfigs(target,
                                                                     request);
      });
      return result;
    });
  schedule::MatmulConfig merged = schedule::merge(old, fields);
  return silence(*this, [&]() -> LogicalResult {
    if (std::optional<std::string> error = findPartsError(merged))
      return matmul.emitOpError() << "configuration: " << *error;
    rewriter.modifyOpInPlace(target, [&] {
      matmul.setConfigAttr(ConfigAttr::get(getContext(), merged));
    });
    return success();
  });
}

void ConfigureOp::getEffects(Effects &effects) {
  transform::onlyReadsHandle(getTargetMutable(), effects);
  if (getCheck())
    transform::onlyReadsPayload(effects);
  else
    transform::modifiesPayload(effects);
}

//===----------------------------------------------------------------------===//
// FuseEpilogueOp
//===----------------------------------------------------------------------===//

/// The operation that computes from the result of `matmul` next, if one of
/// linalg does.
static linalg::LinalgOp findConsumer(MatmulOp matmul) {
  if (Value product = matmul.getResult()) {
    for (Operation *user : product.getUsers())
      if (auto op = dyn_cast<linalg::LinalgOp>(user))
        return op;
    return {};
  }
  Operation *next = matmul->getNextNode();
  while (next && isMemoryEffectFree(next))
    next = next->getNextNode();
  return dyn_cast_or_null<linalg::LinalgOp>(next);
}

/// `consumer` cannot be fused into `matmul`.
static Failure refuseConsumer(Operation *op, MatmulOp matmul,
                              Operation *consumer, const std::string &reason) {
  Failure failure = emitSilenceableFailure(consumer->getLoc());
  failure << "'" << consumer->getName().getStringRef()
          << "' op cannot be fused into the epilogue: " << reason;
  failure.attachNote(matmul.getLoc()) << "of this product";
  failure.attachNote(op->getLoc()) << "asked for here";
  return failure;
}

/// Fuses what can be into the epilogue of `matmul`, which becomes the product
/// with the epilogue.
static Failure fuseAll(FuseEpilogueOp op, RewriterBase &rewriter,
                       MatmulOp &matmul) {
  unsigned count = 0;
  while (true) {
    mergeConsumers(rewriter, matmul);
    linalg::LinalgOp consumer = findConsumer(matmul);
    if (!consumer && count == 0) {
      Failure failure = emitSilenceableFailure(op.getLoc());
      failure << "'" << op->getName().getStringRef()
              << "' op expected an operation of linalg on the result of the "
                 "product, got none";
      failure.attachNote(matmul.getLoc()) << "payload here";
      return failure;
    }
    if (!consumer)
      return Failure::success();
    std::string reason;
    FailureOr<MatmulOp> fused =
        fuseConsumer(rewriter, matmul, consumer, reason);
    if (failed(fused) && count == 0)
      return refuseConsumer(op, matmul, consumer, reason);
    if (failed(fused))
      return Failure::success();
    matmul = *fused;
    ++count;
  }
}

/// Fuses `consumers`, one after the other.
static Failure fuseThese(FuseEpilogueOp op, RewriterBase &rewriter,
                         MatmulOp &matmul, ArrayRef<Operation *> consumers) {
  for (Operation *consumer : consumers) {
    auto linalgOp = dyn_cast<linalg::LinalgOp>(consumer);
    if (!linalgOp)
      return refusePayload(op, "operations of linalg to fuse", consumer);
    std::string reason = "it does not read the product";
    FailureOr<MatmulOp> fused = failure();
    if (!matmul.getResult() ||
        llvm::is_contained(consumer->getOperands(), matmul.getResult()))
      fused = fuseConsumer(rewriter, matmul, linalgOp, reason);
    if (failed(fused))
      return refuseConsumer(op, matmul, consumer, reason);
    matmul = *fused;
  }
  return Failure::success();
}

Failure FuseEpilogueOp::apply(transform::TransformRewriter &rewriter,
                              transform::TransformResults &results,
                              transform::TransformState &state) {
  auto targets = llvm::to_vector(state.getPayloadOps(getTarget()));
  for (Operation *target : targets)
    if (!isa<MatmulOp>(target))
      return refusePayload(*this, "'tmm.matmul'", target);
  SmallVector<Operation *> consumers;
  if (getConsumers()) {
    llvm::append_range(consumers, state.getPayloadOps(getConsumers()));
    if (targets.size() != 1)
      return emitSilenceableError()
             << "expected one product for the operations to fuse, got "
             << targets.size();
  }
  SmallVector<Operation *> all;
  for (Operation *target : targets) {
    auto matmul = cast<MatmulOp>(target);
    Failure failure = getConsumers()
                          ? fuseThese(*this, rewriter, matmul, consumers)
                          : fuseAll(*this, rewriter, matmul);
    if (!failure.succeeded())
      return failure;
    all.push_back(matmul);
  }
  results.set(cast<OpResult>(getFused()), all);
  return Failure::success();
}

void FuseEpilogueOp::getEffects(Effects &effects) {
  transform::consumesHandle(getTargetMutable(), effects);
  transform::consumesHandle(getConsumersMutable(), effects);
  transform::producesHandle(getOperation()->getOpResults(), effects);
  transform::modifiesPayload(effects);
}

//===----------------------------------------------------------------------===//
// TileOp
//===----------------------------------------------------------------------===//

Failure TileOp::apply(transform::TransformRewriter &rewriter,
                      transform::TransformResults &results,
                      transform::TransformState &state) {
  // By the module that gets their kernels, each in the order of the handle.
  llvm::MapVector<ModuleOp, SmallVector<KernelFamilyOpInterface>> targets;
  for (Operation *target : state.getPayloadOps(getTarget())) {
    auto op = dyn_cast<KernelFamilyOpInterface>(target);
    if (!op)
      return refusePayload(*this, "an operation that becomes a kernel", target);
    auto module = target->getParentOfType<ModuleOp>();
    // The kernel is in the one and named after the other.
    if (!module || !target->getParentOfType<FunctionOpInterface>())
      return refusePayload(*this, "an operation in a function of a module",
                           target);
    // Else an interpreter on functions would change a module that others read.
    if (!state.getTopLevel()->isAncestor(module))
      return emitSilenceableError()
             << "expected a schedule of the module, which gets the kernels, "
                "got one of '"
             << state.getTopLevel()->getName() << "'";
    targets[module].push_back(op);
  }
  SmallVector<Operation *> kernels, launches;
  for (auto &[module, ops] : targets) {
    FailureOr<SmallVector<TiledKernel>> tiled =
        tileOps(rewriter, module, ops, {getChip(), getFeatures()});
    if (failed(tiled))
      return Failure::definiteFailure();
    for (const TiledKernel &one : *tiled) {
      kernels.push_back(one.kernel);
      launches.push_back(one.launch);
    }
  }
  results.set(cast<OpResult>(getKernels()), kernels);
  results.set(cast<OpResult>(getLaunches()), launches);
  return Failure::success();
}

void TileOp::getEffects(Effects &effects) {
  transform::consumesHandle(getTargetMutable(), effects);
  transform::producesHandle(getOperation()->getOpResults(), effects);
  transform::modifiesPayload(effects);
}

//===----------------------------------------------------------------------===//
// AssignRolesOp
//===----------------------------------------------------------------------===//

Failure AssignRolesOp::applyToOne(transform::TransformRewriter &rewriter,
                                  Operation *target,
                                  transform::ApplyToEachResultList &,
                                  transform::TransformState &) {
  if (!getRole()) {
    // Launches and products are easily taken for their kernels.
    if (!isa<EngineOpInterface, gpu::GPUFuncOp>(target) &&
        !target->hasTrait<OpTrait::SymbolTable>())
      return refusePayload(*this, "a kernel, a module or an operation on tiles",
                           target);
    if (failed(assignRoles(target)))
      return Failure::definiteFailure();
    return Failure::success();
  }
  auto op = dyn_cast<EngineOpInterface>(target);
  if (!op || op.isOfEveryRole())
    return refusePayload(*this, "an operation on tiles that one role executes",
                         target);
  SmallVector<RoleOp> roles = getRolesAround(op);
  RoleOp *role = llvm::find_if(
      roles, [&](RoleOp role) { return role.getName() == *getRole(); });
  if (role != roles.end()) {
    rewriter.modifyOpInPlace(target,
                             [&] { op.setRoleName(role->getNameAttr()); });
    return Failure::success();
  }
  Failure failure = emitSilenceableError();
  failure << "expected a role that the kernel declares, got '" << *getRole()
          << "'";
  for (RoleOp known : roles)
    failure.attachNote(known.getLoc()) << "role " << known.getName() << " here";
  failure.attachNote(target->getLoc()) << "payload here";
  return failure;
}

void AssignRolesOp::getEffects(Effects &effects) {
  transform::onlyReadsHandle(getTargetMutable(), effects);
  transform::modifiesPayload(effects);
}

//===----------------------------------------------------------------------===//
// The extension
//===----------------------------------------------------------------------===//

namespace {

class TMMTransformExtension
    : public transform::TransformDialectExtension<TMMTransformExtension> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TMMTransformExtension)

  using Base::Base;

  void init() {
    // Its matrix units read the text of configurations.
    declareDependentDialect<TMMDialect>();
    declareGeneratedDialect<arith::ArithDialect>();
    declareGeneratedDialect<cf::ControlFlowDialect>();
    declareGeneratedDialect<gpu::GPUDialect>();
    declareGeneratedDialect<linalg::LinalgDialect>();
    declareGeneratedDialect<memref::MemRefDialect>();
    declareGeneratedDialect<NVVM::NVVMDialect>();
    declareGeneratedDialect<scf::SCFDialect>();
    declareGeneratedDialect<vector::VectorDialect>();
    registerTransformOps<
#define GET_OP_LIST
#include "tc/TransformOps/TMMTransformOps.cpp.inc"
        >();
  }
};

} // namespace

void tc::registerTransformExtension(DialectRegistry &registry) {
  registry.addExtensions<TMMTransformExtension>();
}
