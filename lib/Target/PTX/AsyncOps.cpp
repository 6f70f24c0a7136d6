//===- AsyncOps.cpp - the PTX instruction of an nvvm op ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Spells the PTX instruction of every asynchronous nvvm op from the op's
// attributes and operand types, following the PTX ISA and not what LLVM
// prints: the comparison in AsyncInstructions.cpp is worth something only if
// the two sides are written independently.
//
//===----------------------------------------------------------------------===//

#include "tc/Target/PTX/AsyncInstructions.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace {

/// Builds the text of one instruction.
class Spelling {
public:
  explicit Spelling(StringRef opcode) : text(opcode) {}

  Spelling &add(const Twine &modifier) {
    text += ("." + modifier).str();
    return *this;
  }
  Spelling &addIf(bool condition, const Twine &modifier) {
    return condition ? add(modifier) : *this;
  }
  Spelling &group(NVVM::CTAGroupKind group) {
    return add(group == NVVM::CTAGroupKind::CTA_1 ? "cta_group::1"
                                                  : "cta_group::2");
  }
  Spelling &space(Value pointer) {
    auto type = cast<LLVM::LLVMPointerType>(pointer.getType());
    switch (type.getAddressSpace()) {
    case 3:
      return add("shared::cta");
    case 7:
      return add("shared::cluster");
    default:
      return *this;
    }
  }
  /// Memory order and scope of an mbarrier operation.
  Spelling &order(StringRef order, bool relaxed, NVVM::MemScopeKind scope) {
    return add(relaxed ? StringRef("relaxed") : order)
        .add(NVVM::stringifyMemScopeKind(scope));
  }

  std::string text;
};

} // namespace

//===----------------------------------------------------------------------===//
// tcgen05
//===----------------------------------------------------------------------===//

/// The collector modifier. LLVM prints the default too; the canonical form
/// drops it.
static std::string collector(StringRef buffer, NVVM::Tcgen05MMACollectorOp op) {
  return ("collector::" + buffer +
          "::" + NVVM::stringifyTcgen05MMACollectorOp(op))
      .str();
}

template <typename Op>
static Spelling spellMma(Op op, StringRef opcode) {
  return Spelling(opcode)
      .group(op.getCtaGroup())
      .add("kind::" + NVVM::stringifyTcgen05MMAKind(op.getKind()))
      .add(collector("a", op.getCollectorOp()))
      .addIf(op.getAShift(), "ashift");
}

template <typename Op>
static Spelling spellScaledMma(Op op, StringRef opcode) {
  NVVM::Tcgen05MMABlockScale block = op.getBlockScale();
  return Spelling(opcode)
      .group(op.getCtaGroup())
      .add("kind::" + NVVM::stringifyMMABlockScaleKind(op.getKind()))
      .add("block_scale")
      .addIf(block != NVVM::Tcgen05MMABlockScale::DEFAULT,
             NVVM::stringifyTcgen05MMABlockScale(block))
      .add(collector("a", op.getCollectorOp()));
}

template <typename Op>
static Spelling spellWsMma(Op op, StringRef opcode) {
  StringRef buffer =
      NVVM::stringifyTcgen05MMACollectorBBuffer(op.getCollectorBBuffer());
  return Spelling(opcode)
      .add("cta_group::1")
      .add("kind::" + NVVM::stringifyTcgen05MMAKind(op.getKind()))
      .add(collector(buffer, op.getCollectorOp()));
}

/// Shape and repetition of tcgen05.ld and st: the registers divided by what
/// one repetition of the shape holds (PTX ISA 9.7.16.8.1, data movement shape).
static std::string spellLdSt(StringRef opcode, NVVM::Tcgen05LdStShape shape,
                             Type type, StringRef packing) {
  unsigned perRepetition = 1;
  if (shape == NVVM::Tcgen05LdStShape::SHAPE_16X128B)
    perRepetition = 2;
  if (shape == NVVM::Tcgen05LdStShape::SHAPE_16X256B)
    perRepetition = 4;
  unsigned registers = 1;
  if (auto vector = dyn_cast<VectorType>(type))
    registers = vector.getNumElements();
  StringRef name = NVVM::stringifyTcgen05LdStShape(shape);
  name.consume_front("shape_");
  return Spelling(opcode)
      .add(name)
      .add("x" + Twine(registers / perRepetition))
      .addIf(!packing.empty(), packing)
      .text;
}

static std::string spellCp(NVVM::Tcgen05CpOp op) {
  StringRef shape = NVVM::stringifyTcgen05CpShape(op.getShape());
  shape.consume_front("shape_");
  Spelling spelling("tcgen05.cp");
  spelling.group(op.getGroup()).add(shape);
  switch (op.getMulticast()) {
  case NVVM::Tcgen05CpMulticast::NONE:
    break;
  case NVVM::Tcgen05CpMulticast::WARPX2_02_13:
    spelling.add("warpx2::02_13");
    break;
  case NVVM::Tcgen05CpMulticast::WARPX2_01_23:
    spelling.add("warpx2::01_23");
    break;
  case NVVM::Tcgen05CpMulticast::WARPX4:
    spelling.add("warpx4");
    break;
  }
  if (auto format = op.getSrcFormat())
    spelling.add("b8x16").add(NVVM::stringifyTcgen05CpSrcFormat(*format));
  return spelling.text;
}

/// The instruction of a tcgen05 op, empty for other ops.
static std::string spellTcgen05(Operation *op) {
  using namespace NVVM;
  return llvm::TypeSwitch<Operation *, std::string>(op)
      .Case([](Tcgen05AllocOp op) {
        return Spelling("tcgen05.alloc").group(op.getGroup()).text;
      })
      .Case([](Tcgen05DeallocOp op) {
        return Spelling("tcgen05.dealloc").group(op.getGroup()).text;
      })
      .Case([](Tcgen05RelinquishAllocPermitOp op) {
        return Spelling("tcgen05.relinquish_alloc_permit")
            .group(op.getGroup())
            .text;
      })
      .Case([](Tcgen05FenceOp op) {
        return op.getKind() == Tcgen05FenceKind::BEFORE_THREAD_SYNC
                   ? "tcgen05.fence::before_thread_sync"
                   : "tcgen05.fence::after_thread_sync";
      })
      .Case([](Tcgen05WaitOp op) {
        return op.getKind() == Tcgen05WaitKind::LOAD ? "tcgen05.wait::ld"
                                                     : "tcgen05.wait::st";
      })
      .Case([](Tcgen05CommitOp op) {
        return Spelling("tcgen05.commit")
            .group(op.getGroup())
            .addIf(bool(op.getMulticastMask()), "multicast::cluster")
            .text;
      })
      .Case([](Tcgen05ShiftOp op) {
        return Spelling("tcgen05.shift").group(op.getGroup()).add("down").text;
      })
      .Case([](Tcgen05CpOp op) { return spellCp(op); })
      .Case([](Tcgen05LdOp op) {
        return spellLdSt("tcgen05.ld", op.getShape(), op.getRes().getType(),
                         op.getPack() ? "pack::16b" : "");
      })
      .Case([](Tcgen05StOp op) {
        return spellLdSt("tcgen05.st", op.getShape(), op.getVal().getType(),
                         op.getUnpack() ? "unpack::16b" : "");
      })
      .Case([](Tcgen05MMAOp op) { return spellMma(op, "tcgen05.mma").text; })
      .Case([](Tcgen05MMASparseOp op) {
        return spellMma(op, "tcgen05.mma.sp").text;
      })
      .Case([](Tcgen05MMABlockScaleOp op) {
        return spellScaledMma(op, "tcgen05.mma").text;
      })
      .Case([](Tcgen05MMASparseBlockScaleOp op) {
        return spellScaledMma(op, "tcgen05.mma.sp").text;
      })
      .Case([](Tcgen05MMAWsOp op) {
        return spellWsMma(op, "tcgen05.mma.ws").text;
      })
      .Case([](Tcgen05MMAWsSparseOp op) {
        return spellWsMma(op, "tcgen05.mma.ws.sp").text;
      })
      .Default([](Operation *) { return ""; });
}

//===----------------------------------------------------------------------===//
// mbarrier and proxy fences
//===----------------------------------------------------------------------===//

/// test_wait and try_wait take a state (64 bits) or a phase parity (32 bits).
template <typename Op>
static std::string spellWait(Op op, StringRef opcode) {
  return Spelling(opcode)
      .addIf(op.getStateOrPhase().getType().isInteger(32), "parity")
      .order("acquire", op.getRelaxed(), op.getScope())
      .space(op.getAddr())
      .text;
}

template <typename Op>
static std::string spellArrive(Op op, StringRef opcode) {
  return Spelling(opcode)
      .order("release", op.getRelaxed(), op.getScope())
      .space(op.getAddr())
      .text;
}

static std::string spellProxyFence(NVVM::FenceProxyOp op) {
  Spelling spelling("fence.proxy");
  switch (op.getKind()) {
  case NVVM::ProxyKind::async_shared:
    spelling.add("async").add(op.getSpace() == NVVM::SharedSpace::shared_cta
                                  ? "shared::cta"
                                  : "shared::cluster");
    break;
  case NVVM::ProxyKind::async_global:
    spelling.add("async").add("global");
    break;
  default:
    spelling.add(NVVM::stringifyProxyKind(op.getKind()));
    break;
  }
  return spelling.text;
}

/// The instruction of an mbarrier op or a fence, empty for other ops.
static std::string spellBarrier(Operation *op) {
  using namespace NVVM;
  return llvm::TypeSwitch<Operation *, std::string>(op)
      .Case([](MBarrierInitOp op) {
        return Spelling("mbarrier.init").space(op.getAddr()).text;
      })
      .Case([](MBarrierInvalOp op) {
        return Spelling("mbarrier.inval").space(op.getAddr()).text;
      })
      .Case([](MBarrierExpectTxOp op) {
        return Spelling("mbarrier.expect_tx")
            .order("relaxed", /*relaxed=*/true, op.getScope())
            .space(op.getAddr())
            .text;
      })
      .Case([](MBarrierCompleteTxOp op) {
        return Spelling("mbarrier.complete_tx")
            .order("relaxed", /*relaxed=*/true, op.getScope())
            .space(op.getAddr())
            .text;
      })
      .Case([](MBarrierArriveOp op) {
        return spellArrive(op, "mbarrier.arrive");
      })
      .Case([](MBarrierArriveDropOp op) {
        return spellArrive(op, "mbarrier.arrive_drop");
      })
      .Case([](MBarrierArriveExpectTxOp op) {
        return spellArrive(op, "mbarrier.arrive.expect_tx");
      })
      .Case([](MBarrierArriveDropExpectTxOp op) {
        return spellArrive(op, "mbarrier.arrive_drop.expect_tx");
      })
      .Case([](MBarrierArriveNocompleteOp op) {
        return Spelling("mbarrier.arrive.noComplete").space(op.getAddr()).text;
      })
      .Case([](MBarrierArriveDropNocompleteOp op) {
        return Spelling("mbarrier.arrive_drop.noComplete")
            .space(op.getAddr())
            .text;
      })
      .Case([](MBarrierTryWaitParityOp op) {
        return Spelling("mbarrier.try_wait.parity").space(op.getAddr()).text;
      })
      .Case([](MBarrierTestWaitOp op) {
        return spellWait(op, "mbarrier.test_wait");
      })
      .Case([](MBarrierTryWaitOp op) {
        return spellWait(op, "mbarrier.try_wait");
      })
      .Case([](FenceMbarrierInitOp) {
        return "fence.mbarrier_init.release.cluster";
      })
      .Case([](FenceSyncRestrictOp op) {
        return op.getOrder() == MemOrderKind::ACQUIRE
                   ? "fence.acquire.sync_restrict::shared::cluster.cluster"
                   : "fence.release.sync_restrict::shared::cta.cluster";
      })
      .Case([](FenceProxyOp op) { return spellProxyFence(op); })
      .Case([](FenceProxyReleaseOp op) {
        return Spelling("fence.proxy.tensormap::generic.release")
            .add(stringifyMemScopeKind(op.getScope()))
            .text;
      })
      .Case([](FenceProxyAcquireOp op) {
        return Spelling("fence.proxy.tensormap::generic.acquire")
            .add(stringifyMemScopeKind(op.getScope()))
            .text;
      })
      .Default([](Operation *) { return ""; });
}

//===----------------------------------------------------------------------===//
// cp.async.bulk
//===----------------------------------------------------------------------===//

static StringRef spellLoadMode(NVVM::TMALoadMode mode) {
  switch (mode) {
  case NVVM::TMALoadMode::TILE:
    return "tile";
  case NVVM::TMALoadMode::IM2COL:
    return "im2col";
  case NVVM::TMALoadMode::IM2COL_W:
    return "im2col::w";
  case NVVM::TMALoadMode::IM2COL_W_128:
    return "im2col::w::128";
  case NVVM::TMALoadMode::TILE_GATHER4:
    return "tile::gather4";
  }
  llvm_unreachable("all load modes are listed");
}

static StringRef spellStoreMode(NVVM::TMAStoreMode mode) {
  switch (mode) {
  case NVVM::TMAStoreMode::TILE:
    return "tile";
  case NVVM::TMAStoreMode::IM2COL:
    return "im2col_no_offs";
  case NVVM::TMAStoreMode::TILE_SCATTER4:
    return "tile::scatter4";
  }
  llvm_unreachable("all store modes are listed");
}

/// Rank of the tensor: gather4 and scatter4 name four rows of a matrix with
/// five coordinates.
static unsigned tensorRank(OperandRange coordinates, bool fourRows) {
  return fourRows ? 2 : coordinates.size();
}

static std::string
spellTensorLoad(NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp op) {
  bool gather = op.getMode() == NVVM::TMALoadMode::TILE_GATHER4;
  Spelling spelling("cp.async.bulk.tensor");
  spelling.add(Twine(tensorRank(op.getCoordinates(), gather)) + "d")
      .add(op.getIsCTAOnly() ? "shared::cta" : "shared::cluster")
      .add("global")
      .add(spellLoadMode(op.getMode()))
      .add("mbarrier::complete_tx::bytes")
      .addIf(bool(op.getMulticastMask()), "multicast::cluster")
      .addIf(bool(op.getL2CacheHint()), "L2::cache_hint");
  if (auto group = op.getGroup())
    spelling.group(*group);
  return spelling.text;
}

static std::string
spellTensorStore(NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp op) {
  bool scatter = op.getMode() == NVVM::TMAStoreMode::TILE_SCATTER4;
  return Spelling("cp.async.bulk.tensor")
      .add(Twine(tensorRank(op.getCoordinates(), scatter)) + "d")
      .add("global.shared::cta")
      .add(spellStoreMode(op.getMode()))
      .add("bulk_group")
      .addIf(bool(op.getL2CacheHint()), "L2::cache_hint")
      .text;
}

/// The instruction of a bulk copy op, empty for other ops.
static std::string spellBulkCopy(Operation *op) {
  using namespace NVVM;
  return llvm::TypeSwitch<Operation *, std::string>(op)
      .Case([](CpAsyncBulkTensorGlobalToSharedClusterOp op) {
        return spellTensorLoad(op);
      })
      .Case([](CpAsyncBulkTensorSharedCTAToGlobalOp op) {
        return spellTensorStore(op);
      })
      .Case([](CpAsyncBulkTensorPrefetchOp op) {
        bool gather = op.getMode() == TMALoadMode::TILE_GATHER4;
        return Spelling("cp.async.bulk.prefetch.tensor")
            .add(Twine(tensorRank(op.getCoordinates(), gather)) + "d")
            .add("L2.global")
            .add(spellLoadMode(op.getMode()))
            .addIf(bool(op.getL2CacheHint()), "L2::cache_hint")
            .text;
      })
      .Case([](CpAsyncBulkTensorReduceOp op) {
        bool scatter = op.getMode() == TMAStoreMode::TILE_SCATTER4;
        return Spelling("cp.reduce.async.bulk.tensor")
            .add(Twine(tensorRank(op.getCoordinates(), scatter)) + "d")
            .add("global.shared::cta")
            .add(stringifyTMAReduxKind(op.getRedKind()))
            .add(spellStoreMode(op.getMode()))
            .add("bulk_group")
            .addIf(bool(op.getL2CacheHint()), "L2::cache_hint")
            .text;
      })
      .Case([](CpAsyncBulkGlobalToSharedClusterOp op) {
        return Spelling("cp.async.bulk")
            .space(op.getDstMem())
            .add("global")
            .add("mbarrier::complete_tx::bytes")
            .addIf(bool(op.getMulticastMask()), "multicast::cluster")
            .addIf(bool(op.getL2CacheHint()), "L2::cache_hint")
            .text;
      })
      .Case([](CpAsyncBulkSharedCTAToSharedClusterOp) {
        return "cp.async.bulk.shared::cluster.shared::cta"
               ".mbarrier::complete_tx::bytes";
      })
      .Case([](CpAsyncBulkSharedCTAToGlobalOp op) {
        return Spelling("cp.async.bulk.global.shared::cta.bulk_group")
            .addIf(bool(op.getL2CacheHint()), "L2::cache_hint")
            .addIf(bool(op.getByteMask()), "cp_mask")
            .text;
      })
      .Case([](CpAsyncBulkPrefetchOp op) {
        return Spelling("cp.async.bulk.prefetch.L2.global")
            .addIf(bool(op.getL2CacheHint()), "L2::cache_hint")
            .text;
      })
      .Case(
          [](CpAsyncBulkCommitGroupOp) { return "cp.async.bulk.commit_group"; })
      .Case([](CpAsyncBulkWaitGroupOp op) {
        return Spelling("cp.async.bulk.wait_group")
            .addIf(op.getRead().value_or(false), "read")
            .text;
      })
      .Default([](Operation *) { return ""; });
}

/// The instruction of a copy of a thread, empty for other ops.
static std::string spellThreadCopy(Operation *op) {
  using namespace NVVM;
  return llvm::TypeSwitch<Operation *, std::string>(op)
      .Case([](CpAsyncOp op) {
        return Spelling("cp.async")
            .add(stringifyLoadCacheModifierKind(op.getModifier()))
            .add("shared.global")
            .text;
      })
      .Case([](CpAsyncCommitGroupOp) { return "cp.async.commit_group"; })
      .Case([](CpAsyncWaitGroupOp) { return "cp.async.wait_group"; })
      .Case([](CpAsyncMBarrierArriveOp op) {
        return Spelling("cp.async.mbarrier.arrive")
            .addIf(op.getNoinc(), "noinc")
            .addIf(cast<LLVM::LLVMPointerType>(op.getAddr().getType())
                           .getAddressSpace() == 3,
                   "shared")
            .text;
      })
      .Default([](Operation *) { return ""; });
}

//===----------------------------------------------------------------------===//
// wgmma
//===----------------------------------------------------------------------===//

/// The instruction of a wgmma op, empty for other ops.
static std::string spellWgmma(Operation *op) {
  using namespace NVVM;
  return llvm::TypeSwitch<Operation *, std::string>(op)
      .Case([](WgmmaFenceAlignedOp) { return "wgmma.fence"; })
      .Case([](WgmmaGroupSyncAlignedOp) { return "wgmma.commit_group"; })
      .Case([](WgmmaWaitGroupSyncOp) { return "wgmma.wait_group"; })
      .Case([](WgmmaMmaAsyncOp op) {
        MMAShapeAttr shape = op.getShape();
        return Spelling("wgmma.mma_async")
            .add("m" + Twine(shape.getM()) + "n" + Twine(shape.getN()) + "k" +
                 Twine(shape.getK()))
            .add(stringifyWGMMATypes(op.getTypeD()))
            .add(stringifyWGMMATypes(op.getTypeA()))
            .add(stringifyWGMMATypes(op.getTypeB()))
            .addIf(op.getSatfinite() == MMAIntOverflow::satfinite, "satfinite")
            .text;
      })
      .Default([](Operation *) { return ""; });
}

//===----------------------------------------------------------------------===//
// Hints and launches
//===----------------------------------------------------------------------===//

/// Which cache, as PTX writes it: `prefetch.tensormap`, `prefetch.global.L2`.
static std::string spellPrefetch(NVVM::PrefetchOp op) {
  auto type = cast<LLVM::LLVMPointerType>(op.getAddr().getType());
  Spelling spelling(op.getUniform() ? "prefetchu" : "prefetch");
  spelling.addIf(op.getInParamSpace(), "param")
      .addIf(type.getAddressSpace() == 1, "global")
      .addIf(type.getAddressSpace() == 4, "const")
      .addIf(type.getAddressSpace() == 5, "local")
      .addIf(op.getTensormap(), "tensormap");
  if (auto priority = op.getEvictPriority())
    spelling.add("L2::" + NVVM::stringifyCacheEvictionPriority(*priority));
  else if (auto level = op.getCacheLevel())
    spelling.add(NVVM::stringifyPrefetchCacheLevel(*level));
  return spelling.text;
}

/// The instruction of an op that none of the families above has, empty for
/// other ops.
static std::string spellOther(Operation *op) {
  using namespace NVVM;
  return llvm::TypeSwitch<Operation *, std::string>(op)
      .Case([](GriddepcontrolOp op) {
        return Spelling("griddepcontrol")
            .add(stringifyGridDepActionKind(op.getKind()))
            .text;
      })
      .Case([](SetMaxRegisterOp op) {
        bool increases = op.getAction() == SetMaxRegisterAction::increase;
        return Spelling("setmaxnreg")
            .add(increases ? "inc" : "dec")
            .add("sync.aligned.u32")
            .text;
      })
      .Case([](PrefetchOp op) { return spellPrefetch(op); })
      .Case([](ClusterLaunchControlTryCancelOp op) {
        return Spelling("clusterlaunchcontrol.try_cancel.async")
            .add("mbarrier::complete_tx::bytes")
            .addIf(op.getMulticast(), "multicast::cluster::all")
            .add("b128")
            .text;
      })
      .Default([](Operation *) { return ""; });
}

LogicalResult
tc::appendAsyncInstructions(Operation *op,
                            SmallVectorImpl<AsyncInstruction> &out) {
  for (auto spell : {spellTcgen05, spellBarrier, spellBulkCopy, spellThreadCopy,
                     spellWgmma, spellOther})
    if (std::string text = spell(op); !text.empty()) {
      out.push_back(canonicalizeAsyncInstruction(text));
      return success();
    }

  // Text that goes to PTX as it is.
  if (auto inlineAsm = dyn_cast<LLVM::InlineAsmOp>(op)) {
    appendAsyncInstructions(inlineAsm.getAsmString(), out);
    return success();
  }
  if (auto inlinePtx = dyn_cast<NVVM::InlinePtxOp>(op)) {
    appendAsyncInstructions(inlinePtx.getPtxCode(), out);
    return success();
  }

  // An op of a family above without a case there: better refused than
  // unverified.
  StringRef name = op->getName().getStringRef();
  if (!name.consume_front("nvvm.") || isa<NVVM::Tcgen05MmaSmemDescOp>(op))
    return success();
  if (isAsyncOpcode(name) || name.starts_with("fence.proxy"))
    return op->emitOpError("expected an asynchronous op whose PTX instruction "
                           "is known, so that it can be found again in the "
                           "PTX");
  return success();
}
