//===- KernelInterface.cpp - matrices become kernel parameters --*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A matrix that TMA reads or writes becomes a tensor map (TensorMaps.cpp). A
// matrix that threads read or write becomes a pointer, with its row stride and
// offset where these are dynamic.
//
//===----------------------------------------------------------------------===//

#include "KernelInterface.h"
#include "TmaChecks.h"

#include "tc/Conversion/TMMTiles/SmemTiles.h"
#include "tc/Conversion/TMMToSM90/TMMToSM90.h"
#include "tc/Dialect/TMM/IR/KernelForm.h"
#include "tc/Support/EmitArith.h"
#include "tc/Support/RowDistances.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"

namespace tc {
#define GEN_PASS_DEF_CONVERTTMMKERNELINTERFACETOSM90PASS
#include "tc/Conversion/Passes.h.inc"
#include "tc/Dialect/SM80/IR/SM80.h"
} // namespace tc

using namespace mlir;
using namespace tc;

namespace {
struct ConvertTMMKernelInterfaceToSM90Pass
    : tc::impl::ConvertTMMKernelInterfaceToSM90PassBase<
          ConvertTMMKernelInterfaceToSM90Pass> {
  void runOnOperation() override;
};
} // namespace

/// `op` as a copy of TMA, if it is one.
static std::optional<TileCopy> getTileCopy(Operation *op) {
  if (auto load = dyn_cast<tmm::LoadOp>(op);
      load && isa<sm90::TmaAttr>(load.getBy()))
    return TileCopy{op, &load.getSourceMutable(), load.getBatchMutable(),
                    load.getBuffer().getType(), getCopyParts(load)};
  if (auto unload = dyn_cast<tmm::UnloadOp>(op);
      unload && isa<sm90::TmaStoreAttr>(unload.getBy()))
    return TileCopy{op, &unload.getTargetMutable(), unload.getBatchMutable(),
                    unload.getBuffer().getType(), /*parts=*/1};
  return std::nullopt;
}

/// Whether threads load the tile of `op`.
static bool isThreadLoad(Operation *op) {
  auto load = dyn_cast<tmm::LoadOp>(op);
  return load && isa<sm80::CpAsyncAttr, sm90::ThreadLoadAttr>(load.getBy());
}

std::string KernelInterfaceRewriter::nameOf(unsigned number) {
  // A value may be several operands: the first of the launch is the first of
  // the problem.
  auto operands = launch.getKernelOperands();
  Value operand = operands[number];
  unsigned earlier = llvm::count(operands.take_front(number), operand);
  if (auto problem = tmm::ProblemOp::getOf(launch))
    for (auto [index, value] : llvm::enumerate(problem->getOperands()))
      if (value == operand && earlier-- == 0)
        return problem.getOperandName(index);
  return "argument " + std::to_string(number);
}

memref::ExtractStridedMetadataOp
KernelInterfaceRewriter::metadata(Value matrix) {
  auto &op = metadataOf[matrix];
  if (!op)
    op = memref::ExtractStridedMetadataOp::create(host, loc, matrix);
  return op;
}

/// Whether two host values are the same extent of the same matrix.
static bool sameSize(Value a, Value b) {
  if (a == b)
    return true;
  auto dimA = a.getDefiningOp<memref::DimOp>();
  auto dimB = b.getDefiningOp<memref::DimOp>();
  return dimA && dimB && dimA.getSource() == dimB.getSource() &&
         dimA.getConstantIndex() &&
         dimA.getConstantIndex() == dimB.getConstantIndex();
}

Value KernelInterfaceRewriter::addSize(Value size) {
  for (auto [known, parameter] : sizes)
    if (sameSize(known, size))
      return parameter;
  Value cast = arith::IndexCastOp::create(host, loc, host.getI32Type(), size);
  Value parameter = addParameter(cast, kernel.getLoc());
  sizes.push_back({size, parameter});
  return parameter;
}

SmallVector<OpFoldResult> KernelInterfaceRewriter::getStrides(Value matrix) {
  auto type = cast<MemRefType>(matrix.getType());
  auto [strides, offset] = type.getStridesAndOffset();
  SmallVector<OpFoldResult> result(strides.size());
  for (int64_t dim = strides.size() - 1; dim >= 0; --dim) {
    if (ShapedType::isStatic(strides[dim])) {
      result[dim] = host.getIndexAttr(strides[dim]);
    } else if (type.getLayout().isIdentity()) {
      OpFoldResult inner = memref::getMixedSize(host, loc, matrix, dim + 1);
      Value scale = getValueOrCreateConstantIndexOp(host, loc, result[dim + 1]);
      result[dim] = host.createOrFold<arith::MulIOp>(
          loc, getValueOrCreateConstantIndexOp(host, loc, inner), scale);
    } else {
      result[dim] = OpFoldResult(metadata(matrix).getStrides()[dim]);
    }
  }
  return result;
}

/// The type as which `uses` access elements of `type`: bytes where two are
/// stored as one, and integers where numbers are compared as such.
static Type getAccessedType(Type type, ArrayRef<OpOperand *> uses) {
  if (type.getIntOrFloatBitWidth() < 8)
    return IntegerType::get(type.getContext(), 8);
  bool isCompared = llvm::any_of(uses, [](OpOperand *use) {
    return isa<tmm::AtomicMaxOp>(use->getOwner());
  });
  return isCompared ? IntegerType::get(type.getContext(), 32) : type;
}

/// `type` with elements of `element`, each of which is `packed` of its own, in
/// `space`.
static MemRefType getPackedType(MemRefType type, Type element, int64_t packed,
                                Attribute space) {
  if (packed == 1)
    return MemRefType::get(type.getShape(), element, type.getLayout(), space);
  auto divide = [=](int64_t value) {
    return ShapedType::isDynamic(value) ? value : value / packed;
  };
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = divide(shape.back());
  if (type.getLayout().isIdentity())
    return MemRefType::get(shape, element, MemRefLayoutAttrInterface(), space);
  auto [strides, offset] = type.getStridesAndOffset();
  for (int64_t &stride : MutableArrayRef(strides).drop_back())
    stride = divide(stride);
  auto layout =
      StridedLayoutAttr::get(type.getContext(), divide(offset), strides);
  return MemRefType::get(shape, element, layout, space);
}

/// The base of the matrix that operand `number` is, as a parameter of the
/// kernel that refers to elements of `element`.
Value KernelInterfaceRewriter::addBase(OpBuilder &device, unsigned number,
                                       Type element, Attribute space) {
  Value matrix = launch.getKernelOperand(number);
  Type own = cast<MemRefType>(matrix.getType()).getElementType();
  auto type = MemRefType::get({}, own, MemRefLayoutAttrInterface(), space);
  Value base = memref::MemorySpaceCastOp::create(
      host, loc, type, metadata(matrix).getBaseBuffer());
  Value pointer = addParameter(base, kernel.getArgument(number).getLoc());
  if (element == own)
    return pointer;
  // As bytes or bits: the pointer stays the same one.
  return UnrealizedConversionCastOp::create(device, loc, type.clone(element),
                                            pointer)
      .getResult(0);
}

LogicalResult KernelInterfaceRewriter::addPointer(unsigned number,
                                                  ArrayRef<OpOperand *> uses) {
  Value matrix = launch.getKernelOperand(number);
  auto type = cast<MemRefType>(matrix.getType());
  auto [strides, offset] = type.getStridesAndOffset();
  MLIRContext *context = kernel.getContext();
  auto space = gpu::AddressSpaceAttr::get(context, gpu::AddressSpace::Global);
  OpBuilder device = OpBuilder::atBlockBegin(&kernel.getBody().front());
  Type element = getAccessedType(type.getElementType(), uses);
  Value pointer = addBase(device, number, element, space);
  // A bit has a byte of its own.
  Type elementType = type.getElementType();
  const int64_t packed = elementType.isInteger(1)
                             ? 1
                             : element.getIntOrFloatBitWidth() /
                                   elementType.getIntOrFloatBitWidth();
  auto mixed = [&](int64_t value,
                   function_ref<Value()> onHost) -> OpFoldResult {
    if (ShapedType::isStatic(value))
      return device.getIndexAttr(value);
    return emitIndex(device, loc, addSize(onHost()));
  };
  if (type.getRank() == 0) {
    if (offset != 0) {
      OpFoldResult start =
          mixed(offset, [&] { return metadata(matrix).getOffset(); });
      pointer = memref::ReinterpretCastOp::create(
          device, loc, getPackedType(type, element, packed, space), pointer,
          start, ArrayRef<OpFoldResult>(), ArrayRef<OpFoldResult>());
    }
    for (OpOperand *use : uses)
      use->set(pointer);
    return success();
  }
  auto divide = [&](OpFoldResult value) -> OpFoldResult {
    if (packed == 1)
      return value;
    if (std::optional<int64_t> known = getConstantIntValue(value))
      return device.getIndexAttr(*known / packed);
    Value by = arith::ConstantIndexOp::create(device, loc, packed);
    return device.createOrFold<arith::DivUIOp>(
        loc, getValueOrCreateConstantIndexOp(device, loc, value), by);
  };
  auto size = [&](unsigned index) -> OpFoldResult {
    OpFoldResult extent = mixed(type.getDimSize(index), [&]() -> Value {
      return memref::DimOp::create(host, loc, matrix, index);
    });
    return index + 1 == type.getRank() ? divide(extent) : extent;
  };
  bool isVector = llvm::any_of(uses, [](OpOperand *use) {
    // Numbers that work items are computed of.
    if (isa<memref::LoadOp>(use->getOwner()))
      return true;
    if (auto gather = dyn_cast<tmm::GatherOp>(use->getOwner()))
      return gather.isVector();
    auto fetch = dyn_cast<tmm::FetchOp>(use->getOwner());
    return fetch && (fetch.getAlong() || fetch.isNumber());
  });
  int64_t colDim = type.getRank() - 1;
  // From the fastest dimension: without a layout a stride is the product of the
  // sizes after it.
  SmallVector<OpFoldResult> sizes(type.getRank()), steps(type.getRank());
  if (!isVector)
    sizes[colDim - 1] = size(colDim - 1);
  sizes[colDim] = size(colDim);
  for (int64_t index = colDim; index >= 0; --index) {
    if (!sizes[index])
      sizes[index] = size(index);
    int64_t stride = strides[index];
    // The elements of a row of packed ones stay adjacent.
    if (index == colDim && stride == 1) {
      steps[index] = device.getIndexAttr(1);
    } else if (ShapedType::isStatic(stride)) {
      steps[index] = divide(device.getIndexAttr(stride));
    } else if (type.getLayout().isIdentity()) {
      Value inner =
          getValueOrCreateConstantIndexOp(device, loc, sizes[index + 1]);
      Value innerStep =
          getValueOrCreateConstantIndexOp(device, loc, steps[index + 1]);
      steps[index] = device.createOrFold<arith::MulIOp>(loc, inner, innerStep);
    } else if (index + 1 == colDim && !isVector) {
      steps[index] =
          mixed(stride, [&] { return metadata(matrix).getStrides()[index]; });
    } else {
      // The matrices of a batch may be 2^31 elements apart.
      steps[index] =
          addParameter(metadata(matrix).getStrides()[index], kernel.getLoc());
    }
  }
  OpFoldResult start =
      divide(mixed(offset, [&] { return metadata(matrix).getOffset(); }));

  MemRefType matrixType = getPackedType(type, element, packed, space);
  Value global = memref::ReinterpretCastOp::create(
      device, loc, matrixType, pointer, start, sizes, steps);
  for (OpOperand *use : uses)
    use->set(global);
  return success();
}

LogicalResult
KernelInterfaceRewriter::checkThreadLoads(unsigned number,
                                          ArrayRef<OpOperand *> uses) {
  Value matrix = launch.getKernelOperand(number);
  auto type = cast<MemRefType>(matrix.getType());
  bool hasCopies = false;
  for (OpOperand *use : uses) {
    if (!isThreadLoad(use->getOwner()))
      continue;
    auto load = cast<tmm::LoadOp>(use->getOwner());
    bool isCopy = isa<sm80::CpAsyncAttr>(load.getBy());
    hasCopies |= isCopy;
    auto refuse = [&](const Twine &expected) {
      return load.emitOpError()
             << "expected " << expected << " for " << load.getBy() << ", got ";
    };
    if (int64_t ctas = getCopyParts(load); ctas != 1)
      return refuse("a tile that each CTA loads for itself")
             << "one that " << ctas << " CTAs share";
    if (load.getBlocked() || type.getElementTypeBitWidth() % 8 != 0)
      return refuse("rows of elements of whole bytes")
             << (load.getBlocked()
                     ? Twine("blocks of scale factors")
                     : Twine(type.getElementTypeBitWidth()) + " bits");
    // Where rows of the tile are columns of the matrix, a copy is one element.
    auto space = dyn_cast<sm90::SmemAttr>(
        cast<tmm::BufferType>(load.getBuffer().getType()).getSpace());
    bool isTurned = space && (space.getOrder() == sm90::Order::MNMajor) !=
                                 load.getTransposed();
    if (isCopy && isTurned && type.getElementTypeBitWidth() < 8 * kMinCopyBytes)
      return refuse("elements of " + Twine(kMinCopyBytes) +
                    " bytes or more, one for each copy to a tile in the other "
                    "order,")
             << type.getElementTypeBitWidth() / 8;
  }
  if (!hasCopies)
    return success();
  TmaUnit unit{type.getElementTypeBitWidth(), kMinCopyBytes};
  SmallVector<OpFoldResult> steps = getStrides(matrix);
  for (const RowDistance &distance : getRowDistances(type))
    if (failed(checkCopies(
            host, launch, nameOf(number), distance.dim, adviseThreads(number),
            distance.dim ? steps[*distance.dim] : getOffset(matrix), unit)))
      return failure();
  return success();
}

LogicalResult KernelInterfaceRewriter::addMatrix(unsigned number) {
  BlockArgument argument = kernel.getArgument(number);
  SmallVector<TileCopy> copies, blocked;
  SmallVector<OpOperand *> direct;
  for (OpOperand &use : argument.getUses()) {
    Operation *user = use.getOwner();
    if (std::optional<TileCopy> copy = getTileCopy(user)) {
      auto load = dyn_cast<tmm::LoadOp>(user);
      (load && load.getBlocked() ? blocked : copies).push_back(*copy);
    } else if (isa<memref::LoadOp, tmm::AtomicMaxOp, tmm::CountRequestOp,
                   tmm::FetchOp, tmm::GatherOp, tmm::LoadOp, tmm::PrefetchOp,
                   tmm::StoreOp, tmm::UnloadOp>(user)) {
      direct.push_back(&use);
    } else {
      InFlightDiagnostic diag = kernel.emitOpError()
                                << "expected matrix " << nameOf(number)
                                << " to be used by ops on tiles, got "
                                << user->getName();
      diag.attachNote(user->getLoc()) << "user here";
      return diag;
    }
  }
  if (tmm::getWindowsLayout(argument.getType())) {
    // Their elements have no strides by which threads would find them.
    if (!direct.empty())
      return direct.front()->getOwner()->emitOpError()
             << "expected windows of images to be loaded by #sm90.tma, got "
             << argument.getType();
    return addPixelMap(number, copies);
  }
  if (!copies.empty() && failed(addTensorMap(number, copies)))
    return failure();
  for (TileCopy &copy : blocked)
    if (failed(addBlockedMap(number, copy)))
      return failure();
  if (failed(checkThreadLoads(number, direct)))
    return failure();
  if (!direct.empty() && failed(addPointer(number, direct)))
    return failure();
  return success();
}

/// Has the thread that issues fetch the descriptors of all tensor maps, while
/// barriers are made.
void KernelInterfaceRewriter::prefetchTensorMaps() {
  Block &entry = kernel.getBody().front();
  SmallVector<Value> maps;
  for (BlockArgument argument : entry.getArguments())
    if (isa<sm90::TensorMapType>(argument.getType()))
      maps.push_back(argument);
  if (maps.empty())
    return;
  tmm::IssueOp issue;
  for (auto op : entry.getOps<tmm::IssueOp>())
    if (!issue && !op.getOver())
      issue = op;
  if (!issue) {
    OpBuilder b = OpBuilder::atBlockBegin(&entry);
    issue = tmm::IssueOp::create(b, kernel.getLoc(), AgentSetAttrInterface());
    issue.getBody().emplaceBlock();
  }
  OpBuilder b = OpBuilder::atBlockBegin(&issue.getBody().front());
  for (Value map : maps)
    sm90::PrefetchTensorMapOp::create(b, kernel.getLoc(), map);
}

LogicalResult KernelInterfaceRewriter::run() {
  unsigned count = kernel.getNumArguments();
  // Sizes first, so that matrices find them. Their values keep their places.
  SmallVector<unsigned> scalars, matrices;
  for (unsigned number = 0; number < count; ++number) {
    // A memref of rank 0 is a pointer, but for a number that tiles raise, that
    // counts work, or that is not at the start of its buffer.
    BlockArgument argument = kernel.getArgument(number);
    auto type = dyn_cast<MemRefType>(argument.getType());
    bool isChanged = llvm::any_of(argument.getUsers(), [](Operation *user) {
      return isa<tmm::AtomicMaxOp, tmm::CountRequestOp>(user);
    });
    bool isInside = type && type.getStridesAndOffset().second != 0;
    (type && (type.getRank() != 0 || isChanged || isInside) ? matrices
                                                            : scalars)
        .push_back(number);
  }
  SmallVector<Value> oldOperands(launch.getKernelOperands());
  for (unsigned number : scalars) {
    Value operand = oldOperands[number];
    Value parameter =
        addParameter(operand, kernel.getArgument(number).getLoc());
    kernel.getArgument(number).replaceAllUsesWith(parameter);
    if (auto cast = operand.getDefiningOp<arith::IndexCastOp>())
      sizes.push_back({cast.getIn(), parameter});
  }
  for (unsigned number : matrices)
    if (failed(addMatrix(number)))
      return failure();

  SmallVector<Type> types;
  for (Value operand : operands)
    types.push_back(operand.getType());
  kernel.getBody().front().eraseArguments(0, count);
  kernel.setFunctionType(FunctionType::get(kernel.getContext(), types, {}));
  launch.getKernelOperandsMutable().assign(operands);
  prefetchTensorMaps();
  return success();
}

/// The launch of each kernel of the module.
static FailureOr<DenseMap<Operation *, gpu::LaunchFuncOp>>
collectLaunches(ModuleOp module) {
  DenseMap<Operation *, gpu::LaunchFuncOp> launches;
  SymbolTableCollection symbols;
  WalkResult result = module.walk([&](gpu::LaunchFuncOp launch) {
    Operation *kernel =
        symbols.lookupNearestSymbolFrom(launch, launch.getKernel());
    // Kernels of a gpu.binary are compiled: nothing of theirs is left to lower.
    if (!kernel)
      return WalkResult::advance();
    gpu::LaunchFuncOp &known = launches[kernel];
    if (known) {
      InFlightDiagnostic diag = launch.emitOpError()
                                << "expected one launch of a kernel, got two";
      diag.attachNote(known.getLoc()) << "first launch here";
      return WalkResult::interrupt();
    }
    known = launch;
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return launches;
}

/// The matrix in global memory that `op` accesses; null if there is none.
static Value getMatrix(Operation *op) {
  if (std::optional<TileCopy> copy = getTileCopy(op))
    return copy->matrix->get();
  if (auto load = dyn_cast<tmm::LoadOp>(op); load && isThreadLoad(load))
    return load.getSource();
  if (auto fetch = dyn_cast<tmm::FetchOp>(op))
    return fetch.getSource();
  if (auto gather = dyn_cast<tmm::GatherOp>(op))
    return gather.getSource();
  if (auto prefetch = dyn_cast<tmm::PrefetchOp>(op))
    return prefetch.getSource();
  if (auto store = dyn_cast<tmm::StoreOp>(op))
    return store.getTarget();
  return {};
}

/// Emits an error where an op on tiles accesses what is no parameter of
/// `kernel`: the host encodes tensor maps, and knows where matrices start, for
/// parameters alone.
static LogicalResult checkMatrices(gpu::GPUFuncOp kernel) {
  WalkResult result = kernel.walk([&](Operation *op) {
    Value matrix = getMatrix(op);
    auto type = matrix ? dyn_cast<MemRefType>(matrix.getType()) : MemRefType();
    // What threads access is in the global space once it was lowered here.
    bool isLowered =
        type && type.getMemorySpace() &&
        (isa<tmm::FetchOp, tmm::GatherOp, tmm::PrefetchOp, tmm::StoreOp>(op) ||
         isThreadLoad(op));
    if (!type || isLowered)
      return WalkResult::advance();
    auto argument = dyn_cast<BlockArgument>(matrix);
    if (argument && argument.getOwner() == &kernel.getBody().front() &&
        argument.getArgNumber() < kernel.getNumArguments())
      return WalkResult::advance();
    InFlightDiagnostic diag = op->emitOpError()
                              << "expected a matrix that the kernel takes as "
                                 "an argument, for which the host encodes a "
                                 "tensor map or knows the alignment, got "
                                 "another memref";
    diag.attachNote(matrix.getLoc()) << "defined here";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

void ConvertTMMKernelInterfaceToSM90Pass::runOnOperation() {
  ModuleOp module = getOperation();
  auto launches = collectLaunches(module);
  if (failed(launches))
    return signalPassFailure();
  for (gpu::GPUFuncOp kernel : tmm::getTileKernels(module)) {
    gpu::LaunchFuncOp launch = launches->lookup(kernel);
    if (!launch) {
      kernel.emitOpError() << "expected a gpu.launch_func of the kernel in the "
                              "module, got none";
      return signalPassFailure();
    }
    if (failed(checkMatrices(kernel)) ||
        failed(KernelInterfaceRewriter(kernel, launch).run()))
      return signalPassFailure();
  }
}
