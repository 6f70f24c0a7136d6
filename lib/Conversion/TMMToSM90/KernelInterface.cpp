//===- KernelInterface.cpp - matrices become kernel parameters --*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A matrix that TMA reads or writes becomes a tensor map, encoded on the host
// with the box of one slab of the tile. A matrix that threads read or write
// becomes a pointer, with its row stride and offset where these are dynamic.
// What TMA asks of a matrix is checked here: statically where the strides are
// known, by the host where they are not.
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/TMMToSM90/EmitArith.h"
#include "tc/Conversion/TMMToSM90/SmemTiles.h"
#include "tc/Conversion/TMMToSM90/TMMToSM90.h"
#include "tc/Support/ISA.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/Support/FormatVariadic.h"

namespace tc {
#define GEN_PASS_DEF_CONVERTTMMKERNELINTERFACETOSM90PASS
#include "tc/Conversion/Passes.h.inc"
} // namespace tc

using namespace mlir;
using namespace tc;

namespace {

struct ConvertTMMKernelInterfaceToSM90Pass
    : tc::impl::ConvertTMMKernelInterfaceToSM90PassBase<
          ConvertTMMKernelInterfaceToSM90Pass> {
  void runOnOperation() override;
};

/// A tmm.load or tmm.unload of TMA: its matrix in global memory, the indices of
/// its batch, and its tile in shared memory.
struct TileCopy {
  Operation *op;
  OpOperand *matrix;
  MutableOperandRange batch;
  tmm::BufferType buffer;
  /// CTAs that load a part of the tile each.
  int64_t parts;
};

/// `op` as a copy of TMA, if it is one.
std::optional<TileCopy> getTileCopy(Operation *op) {
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

/// Rewrites one kernel and its launch, parameter by parameter.
class InterfaceRewriter {
public:
  InterfaceRewriter(gpu::GPUFuncOp kernel, gpu::LaunchFuncOp launch)
      : kernel(kernel), launch(launch), host(launch), loc(launch.getLoc()) {}

  LogicalResult run();

private:
  /// Adds a parameter that the host passes as `operand`, at the location of the
  /// argument that it replaces, whose name it keeps.
  Value addParameter(Value operand, Location at) {
    operands.push_back(operand);
    // After them there may be memory of the kernel.
    return kernel.getBody().front().insertArgument(
        kernel.getNumArguments() + operands.size() - 1, operand.getType(), at);
  }
  /// An i32 parameter with the value of `size`, an index on the host. Sizes
  /// that are passed already are not passed twice.
  Value addSize(Value size);
  LogicalResult addMatrix(unsigned number);
  LogicalResult addTensorMap(unsigned number, MutableArrayRef<TileCopy> copies);
  LogicalResult addBlockedMap(unsigned number, TileCopy &copy);
  LogicalResult addPointer(unsigned number, ArrayRef<OpOperand *> uses);
  void prefetchTensorMaps();
  /// Strides of a host matrix in elements, as far as they are known; the others
  /// as values of the host.
  SmallVector<OpFoldResult> getStrides(Value matrix);
  /// The name that diagnostics use: A, B or D where the launch says so.
  std::string nameOf(unsigned number);
  /// What the strided metadata of a host matrix are, created once.
  memref::ExtractStridedMetadataOp metadata(Value matrix);

  gpu::GPUFuncOp kernel;
  gpu::LaunchFuncOp launch;
  OpBuilder host;
  Location loc;
  SmallVector<Value> operands;
  DenseMap<Value, memref::ExtractStridedMetadataOp> metadataOf;
  /// Sizes that were parameters from the start, by the host's index value.
  SmallVector<std::pair<Value, Value>> sizes;
};

} // namespace

std::string InterfaceRewriter::nameOf(unsigned number) {
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

memref::ExtractStridedMetadataOp InterfaceRewriter::metadata(Value matrix) {
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

Value InterfaceRewriter::addSize(Value size) {
  for (auto [known, parameter] : sizes)
    if (sameSize(known, size))
      return parameter;
  Value cast = arith::IndexCastOp::create(host, loc, host.getI32Type(), size);
  Value parameter = addParameter(cast, kernel.getLoc());
  sizes.push_back({size, parameter});
  return parameter;
}

/// Lets the host check that `elements` elements of `bytes` bytes are a multiple
/// of what TMA can address.
static void emitGranularityCheck(OpBuilder &host, Location loc, Value elements,
                                 int64_t bytes, const Twine &message) {
  Value zero = arith::ConstantIndexOp::create(host, loc, 0);
  Value granularity =
      arith::ConstantIndexOp::create(host, loc, kTmaGranularity);
  Value size = arith::ConstantIndexOp::create(host, loc, bytes);
  Value distance = arith::MulIOp::create(host, loc, elements, size);
  Value rest = arith::RemUIOp::create(host, loc, distance, granularity);
  Value ok =
      arith::CmpIOp::create(host, loc, arith::CmpIPredicate::eq, rest, zero);
  cf::AssertOp::create(host, loc, ok, message.str());
}

/// What TMA can address instead of `distance` bytes, for a diagnostic.
static std::string getNearest(int64_t distance, int64_t bytes) {
  int64_t nearest = llvm::alignTo(distance, kTmaGranularity);
  return llvm::formatv("which TMA cannot address: expected a multiple of {0}, "
                       "nearest legal {1} bytes ({2} elements); {3}",
                       kTmaGranularity, nearest, nearest / bytes,
                       cite(ISASection::TensorMapLimits))
      .str();
}

/// The pitch rule of TMA, static or as a check on the host. `stride` is in
/// elements, `byte` the bytes of one.
static LogicalResult checkStride(OpBuilder &host, gpu::LaunchFuncOp launch,
                                 StringRef name, unsigned dim,
                                 OpFoldResult stride, int64_t bytes) {
  if (std::optional<int64_t> value = getConstantIntValue(stride)) {
    int64_t pitch = *value * bytes;
    if (pitch % kTmaGranularity == 0)
      return success();
    return launch.emitOpError()
           << "operand " << name << ": dimension " << dim << " has a stride of "
           << pitch << " bytes (" << *value << " elements), "
           << getNearest(pitch, bytes);
  }
  emitGranularityCheck(
      host, launch.getLoc(), cast<Value>(stride), bytes,
      llvm::formatv("operand {0}: the stride of dimension {1} must be a "
                    "multiple of {2} bytes ({3} elements) for TMA; pad its "
                    "rows to the next multiple",
                    name, dim, kTmaGranularity, kTmaGranularity / bytes)
          .str());
  return success();
}

/// The same of the first element: the buffer itself is aligned.
static LogicalResult checkOffset(OpBuilder &host, gpu::LaunchFuncOp launch,
                                 StringRef name, OpFoldResult offset,
                                 int64_t bytes) {
  if (std::optional<int64_t> value = getConstantIntValue(offset)) {
    int64_t start = *value * bytes;
    if (start % kTmaGranularity == 0)
      return success();
    return launch.emitOpError()
           << "operand " << name << ": starts " << start << " bytes (" << *value
           << " elements) into its buffer, " << getNearest(start, bytes);
  }
  emitGranularityCheck(
      host, launch.getLoc(), cast<Value>(offset), bytes,
      llvm::formatv("operand {0}: the offset in its buffer must be a multiple "
                    "of {1} bytes ({2} elements) for TMA",
                    name, kTmaGranularity, kTmaGranularity / bytes)
          .str());
  return success();
}

/// The same of the length of rows that TMA stores: it writes 16 bytes as a
/// whole, those behind the end of a row too.
static LogicalResult checkRowEnd(OpBuilder &host, gpu::LaunchFuncOp launch,
                                 StringRef name, OpFoldResult columns,
                                 int64_t bytes) {
  if (std::optional<int64_t> value = getConstantIntValue(columns)) {
    int64_t length = *value * bytes;
    if (length % kTmaGranularity == 0)
      return success();
    return launch.emitOpError()
           << "operand " << name << ": rows have " << length << " bytes ("
           << *value << " elements), but TMA writes " << kTmaGranularity
           << " bytes as a whole, also behind the end of a row: expected a "
              "multiple of "
           << kTmaGranularity << ", nearest legal "
           << llvm::alignTo(length, kTmaGranularity) << " bytes ("
           << llvm::alignTo(length, kTmaGranularity) / bytes << " elements)";
  }
  emitGranularityCheck(
      host, launch.getLoc(), cast<Value>(columns), bytes,
      llvm::formatv("operand {0}: the number of columns must be a multiple of "
                    "{1} ({2} bytes), which TMA writes as a whole; store it "
                    "with epilogue = direct",
                    name, kTmaGranularity / bytes, kTmaGranularity)
          .str());
  return success();
}

SmallVector<OpFoldResult> InterfaceRewriter::getStrides(Value matrix) {
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

/// Whether dimension `dim` of a matrix is one of its tensor map. A batch
/// dimension of size 1 is not: it has one index, and a stride that need not
/// suit TMA.
static bool isMapDimension(MemRefType matrix, unsigned dim) {
  return dim + 2 >= matrix.getRank() || matrix.getDimSize(dim) != 1;
}

LogicalResult
InterfaceRewriter::addTensorMap(unsigned number,
                                MutableArrayRef<TileCopy> copies) {
  Value matrix = launch.getKernelOperand(number);
  auto type = cast<MemRefType>(matrix.getType());
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return launch.emitOpError() << "operand " << nameOf(number)
                                << ": expected a strided layout, got " << type;

  auto dim = [&](unsigned index) {
    return memref::getMixedSize(host, loc, matrix, index);
  };
  SmallVector<OpFoldResult> steps = getStrides(matrix);
  unsigned rowDim = type.getRank() - 2;
  for (unsigned index = 0; index <= rowDim; ++index) {
    // Matrices without gaps start at multiples of the row stride.
    bool follows = index != rowDim && type.getLayout().isIdentity();
    if (!follows && isMapDimension(type, index) &&
        failed(checkStride(host, launch, nameOf(number), index, steps[index],
                           bytes)))
      return failure();
  }

  // A view starts inside of its buffer; the tensor starts where the view does.
  OpFoldResult first = host.getIndexAttr(offset);
  if (ShapedType::isDynamic(offset))
    first = OpFoldResult(metadata(matrix).getOffset());
  if (failed(checkOffset(host, launch, nameOf(number), first, bytes)))
    return failure();
  OpFoldResult start = host.getIndexAttr(0);
  // Rows without gaps are as long as their stride.
  bool isStored = llvm::any_of(
      copies, [](const TileCopy &copy) { return isa<tmm::UnloadOp>(copy.op); });
  if (isStored && !type.getLayout().isIdentity() &&
      failed(checkRowEnd(host, launch, nameOf(number), dim(rowDim + 1), bytes)))
    return failure();

  // A size of 0 belongs to a sum without terms: nothing is loaded, but the
  // driver refuses it in a tensor map. A stride of 0 is legal: every index
  // names the same elements.
  auto atLeastOne = [&](OpFoldResult value) -> OpFoldResult {
    if (std::optional<int64_t> constant = getConstantIntValue(value))
      return host.getIndexAttr(std::max<int64_t>(*constant, 1));
    return arith::MaxUIOp::create(host, loc, cast<Value>(value),
                                  arith::ConstantIndexOp::create(host, loc, 1))
        .getResult();
  };
  auto inBytes = [&](OpFoldResult value) -> OpFoldResult {
    if (std::optional<int64_t> constant = getConstantIntValue(value))
      return host.getIndexAttr(*constant * bytes);
    return arith::MulIOp::create(
               host, loc, cast<Value>(value),
               arith::ConstantIndexOp::create(host, loc, bytes))
        .getResult();
  };
  SmallVector<OpFoldResult> dims, pitches;
  for (unsigned index = 0; index <= rowDim + 1; ++index) {
    if (!isMapDimension(type, index))
      continue;
    dims.push_back(atLeastOne(dim(index)));
    if (index <= rowDim)
      pitches.push_back(inBytes(steps[index]));
  }

  // One map for each box: copies of the same tile shape share it.
  DenseMap<Type, Value> maps;
  for (TileCopy &copy : copies) {
    MemRefType tile = getSmemTileType(copy.buffer);
    auto layout =
        tile ? dyn_cast<sm90::SmemLayoutAttr>(tile.getLayout()) : nullptr;
    if (!layout)
      return copy.op->emitOpError()
             << "expected a tile in slabs of shared memory (#sm90.smem) for "
                "TMA, got "
             << copy.buffer;
    SmallVector<int64_t> box(dims.size() - 2, 1);
    llvm::append_range(box, layout.getSlabBox(tile.getShape()));
    box[box.size() - 2] /= copy.parts;
    auto mapType = sm90::TensorMapType::getChecked(
        [&] { return copy.op->emitOpError("tensor map: "); },
        kernel.getContext(), ArrayRef<int64_t>(box), type.getElementType(),
        layout.getTileSwizzle());
    if (!mapType)
      return failure();
    Value &map = maps[mapType];
    if (!map)
      map =
          addParameter(sm90::TensorMapEncodeOp::create(
                           host, loc, mapType, matrix, start, dims, pitches,
                           isa<tmm::LoadOp>(copy.op) ? sm90::L2Promotion::L256B
                                                     : sm90::L2Promotion::None),
                       kernel.getArgument(number).getLoc());
    copy.matrix->set(map);
    for (int64_t dim = int64_t(rowDim) - 1; dim >= 0; --dim)
      if (!isMapDimension(type, dim))
        copy.batch.erase(dim);
  }
  return success();
}

/// The tensor map of blocks of scale factors: the batch, rows of blocks, and
/// the bytes of a row of blocks in rows of the widest box.
LogicalResult InterfaceRewriter::addBlockedMap(unsigned number,
                                               TileCopy &copy) {
  Value matrix = launch.getKernelOperand(number);
  auto type = cast<MemRefType>(matrix.getType());
  auto space = dyn_cast<sm90::SmemAttr>(copy.buffer.getSpace());
  if (!space || space.getOrder() != sm90::Order::Blocked)
    return copy.op->emitOpError()
           << "expected a tile in blocks of shared memory "
              "(#sm90.smem<blocked, none>) for TMA, got "
           << copy.buffer;
  if (copy.parts != 1)
    return copy.op->emitOpError()
           << "expected a tile of scale factors to be loaded by each CTA for "
              "itself, got one that "
           << copy.parts << " CTAs share";
  SmallVector<OpFoldResult> steps = getStrides(matrix), dims, pitches;
  auto atLeastOne = [&](OpFoldResult value, int64_t scale) -> OpFoldResult {
    if (std::optional<int64_t> constant = getConstantIntValue(value))
      return host.getIndexAttr(std::max<int64_t>(*constant * scale, 1));
    Value scaled = host.createOrFold<arith::MulIOp>(
        loc, cast<Value>(value),
        arith::ConstantIndexOp::create(host, loc, scale));
    return arith::MaxUIOp::create(host, loc, scaled,
                                  arith::ConstantIndexOp::create(host, loc, 1))
        .getResult();
  };
  unsigned rowDim = type.getRank() - tmm::kScalesRank;
  for (unsigned index = 0; index <= rowDim; ++index) {
    if (index != rowDim && type.getDimSize(index) == 1)
      continue;
    if (!type.getLayout().isIdentity() &&
        failed(checkStride(host, launch, nameOf(number), index, steps[index],
                           /*bytes=*/1)))
      return failure();
    dims.push_back(
        atLeastOne(memref::getMixedSize(host, loc, matrix, index), 1));
    pitches.push_back(steps[index]);
  }
  dims.push_back(atLeastOne(memref::getMixedSize(host, loc, matrix, rowDim + 1),
                            kScaleTileBytes / kTmaMaxBox));
  pitches.push_back(host.getIndexAttr(kTmaMaxBox));
  dims.push_back(host.getIndexAttr(kTmaMaxBox));
  auto [strides, offset] = type.getStridesAndOffset();
  OpFoldResult first = host.getIndexAttr(offset);
  if (ShapedType::isDynamic(offset))
    first = OpFoldResult(metadata(matrix).getOffset());
  if (failed(checkOffset(host, launch, nameOf(number), first, /*bytes=*/1)))
    return failure();
  SmallVector<int64_t> box(dims.size() - 3, 1);
  llvm::append_range(box, getBlockedBox(copy.buffer));
  auto mapType = sm90::TensorMapType::get(kernel.getContext(), box,
                                          type.getElementType(), Swizzle::None);
  Value map = sm90::TensorMapEncodeOp::create(
      host, loc, mapType, matrix, host.getIndexAttr(0), dims, pitches,
      sm90::L2Promotion::L256B);
  copy.matrix->set(addParameter(map, kernel.getArgument(number).getLoc()));
  for (int64_t dim = int64_t(rowDim) - 1; dim >= 0; --dim)
    if (type.getDimSize(dim) == 1)
      copy.batch.erase(dim);
  return success();
}

LogicalResult InterfaceRewriter::addPointer(unsigned number,
                                            ArrayRef<OpOperand *> uses) {
  Value matrix = launch.getKernelOperand(number);
  auto type = cast<MemRefType>(matrix.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return launch.emitOpError() << "operand " << nameOf(number)
                                << ": expected a strided layout, got " << type;
  MLIRContext *context = kernel.getContext();
  auto space = gpu::AddressSpaceAttr::get(context, gpu::AddressSpace::Global);
  auto pointerType = MemRefType::get({}, type.getElementType(),
                                     MemRefLayoutAttrInterface(), space);
  Value base = memref::MemorySpaceCastOp::create(
      host, loc, pointerType, metadata(matrix).getBaseBuffer());
  Value pointer = addParameter(base, kernel.getArgument(number).getLoc());

  OpBuilder device = OpBuilder::atBlockBegin(&kernel.getBody().front());
  auto mixed = [&](int64_t value,
                   function_ref<Value()> onHost) -> OpFoldResult {
    if (ShapedType::isStatic(value))
      return device.getIndexAttr(value);
    return emitIndex(device, loc, addSize(onHost()));
  };
  auto size = [&](unsigned index) {
    return mixed(type.getDimSize(index), [&]() -> Value {
      return memref::DimOp::create(host, loc, matrix, index);
    });
  };
  bool isVector = llvm::any_of(uses, [](OpOperand *use) {
    auto fetch = dyn_cast<tmm::FetchOp>(use->getOwner());
    return fetch && fetch.getAlong();
  });
  int64_t colDim = type.getRank() - 1;
  // From the fastest dimension: without a layout a stride is the product of the
  // sizes behind it.
  SmallVector<OpFoldResult> sizes(type.getRank()), steps(type.getRank());
  if (!isVector)
    sizes[colDim - 1] = size(colDim - 1);
  sizes[colDim] = size(colDim);
  steps[colDim] = device.getIndexAttr(1);
  for (int64_t index = colDim - 1; index >= 0; --index) {
    if (!sizes[index])
      sizes[index] = size(index);
    int64_t stride = strides[index];
    if (ShapedType::isStatic(stride)) {
      steps[index] = device.getIndexAttr(stride);
    } else if (type.getLayout().isIdentity()) {
      Value inner =
          getValueOrCreateConstantIndexOp(device, loc, sizes[index + 1]);
      Value behind =
          getValueOrCreateConstantIndexOp(device, loc, steps[index + 1]);
      steps[index] = device.createOrFold<arith::MulIOp>(loc, inner, behind);
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
      mixed(offset, [&] { return metadata(matrix).getOffset(); });

  auto matrixType = MemRefType::get(type.getShape(), type.getElementType(),
                                    type.getLayout(), space);
  Value global = memref::ReinterpretCastOp::create(
      device, loc, matrixType, pointer, start, sizes, steps);
  for (OpOperand *use : uses)
    use->set(global);
  return success();
}

LogicalResult InterfaceRewriter::addMatrix(unsigned number) {
  BlockArgument argument = kernel.getArgument(number);
  SmallVector<TileCopy> copies, blocked;
  SmallVector<OpOperand *> direct;
  for (OpOperand &use : argument.getUses()) {
    Operation *user = use.getOwner();
    if (std::optional<TileCopy> copy = getTileCopy(user)) {
      auto load = dyn_cast<tmm::LoadOp>(user);
      (load && load.getBlocked() ? blocked : copies).push_back(*copy);
    } else if (isa<tmm::FetchOp, tmm::LoadOp, tmm::StoreOp, tmm::UnloadOp>(
                   user)) {
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
  if (!copies.empty() && failed(addTensorMap(number, copies)))
    return failure();
  for (TileCopy &copy : blocked)
    if (failed(addBlockedMap(number, copy)))
      return failure();
  if (!direct.empty() && failed(addPointer(number, direct)))
    return failure();
  return success();
}

/// Has the thread that issues fetch the descriptors of all tensor maps, while
/// barriers are made.
void InterfaceRewriter::prefetchTensorMaps() {
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

LogicalResult InterfaceRewriter::run() {
  unsigned count = kernel.getNumArguments();
  // Sizes first, so that matrices find them. Their values keep their places.
  SmallVector<unsigned> scalars, matrices;
  for (unsigned number = 0; number < count; ++number) {
    // A memref of rank 0 is a pointer.
    auto type = dyn_cast<MemRefType>(kernel.getArgument(number).getType());
    (type && type.getRank() != 0 ? matrices : scalars).push_back(number);
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
  if (auto fetch = dyn_cast<tmm::FetchOp>(op))
    return fetch.getSource();
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
        type && type.getMemorySpace() && isa<tmm::FetchOp, tmm::StoreOp>(op);
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
  SmallVector<gpu::GPUFuncOp> kernels;
  module.walk([&](gpu::GPUFuncOp kernel) {
    auto isTile = [](Operation *op) {
      return isa_and_nonnull<tmm::TMMDialect>(op->getDialect())
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    };
    if (kernel.isKernel() && kernel.walk(isTile).wasInterrupted())
      kernels.push_back(kernel);
  });
  for (gpu::GPUFuncOp kernel : kernels) {
    gpu::LaunchFuncOp launch = launches->lookup(kernel);
    if (!launch) {
      kernel.emitOpError() << "expected a gpu.launch_func of the kernel in the "
                              "module, got none";
      return signalPassFailure();
    }
    if (failed(checkMatrices(kernel)) ||
        failed(InterfaceRewriter(kernel, launch).run()))
      return signalPassFailure();
  }
}
