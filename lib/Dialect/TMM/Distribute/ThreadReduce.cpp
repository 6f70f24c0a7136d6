//===- ThreadReduce.cpp - a thread's part of reduced rows -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order of what is combined is part of what tmm.reduce promises.
//
//===----------------------------------------------------------------------===//

#include "ThreadReduce.h"

#include "tc/Support/EmitArith.h"
#include "tc/Support/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

/// The rows that a thread holds of a tile, by their distances from its own, in
/// the order of its registers.
static SmallVector<int64_t> getRows(ArrayRef<RegisterRun> runs) {
  SmallVector<int64_t> rows;
  for (const RegisterRun &run : runs)
    if (!llvm::is_contained(rows, run.row))
      rows.push_back(run.row);
  return rows;
}

/// Values combined by halves: i with i + h, h half of them, rounded up.
static Value combineHalves(OpBuilder &b, Location loc,
                           vector::CombiningKind kind,
                           SmallVector<Value> values) {
  while (values.size() > 1) {
    size_t half = llvm::divideCeil(values.size(), 2);
    for (size_t i = 0; i + half < values.size(); ++i)
      values[i] =
          vector::makeArithReduction(b, loc, kind, values[i], values[i + half]);
    values.truncate(half);
  }
  return values.front();
}

/// The same of all elements of `values`, as long as they are an even number:
/// of two neighbouring ones some chips combine both at once.
static Value combineHalvesOf(OpBuilder &b, Location loc,
                             vector::CombiningKind kind, Value values) {
  int64_t count = cast<VectorType>(values.getType()).getDimSize(0);
  for (; count % 2 == 0 && count > 2; count /= 2) {
    auto half = [&](int64_t first) -> Value {
      return vector::ExtractStridedSliceOp::create(
          b, loc, values, ArrayRef<int64_t>{first},
          ArrayRef<int64_t>{count / 2}, ArrayRef<int64_t>{1});
    };
    Value low = half(0);
    values = vector::makeArithReduction(b, loc, kind, low, half(count / 2));
  }
  SmallVector<Value> rest;
  for (int64_t i = 0; i < count; ++i)
    rest.push_back(vector::ExtractOp::create(b, loc, values, i));
  return combineHalves(b, loc, kind, rest);
}

/// What the lane whose number differs in `bit` has for `value`.
static Value emitExchange(OpBuilder &b, Location loc, Value value,
                          int64_t bit) {
  Type type = value.getType();
  auto exchange = [&](Value word) {
    return gpu::ShuffleOp::create(b, loc, word, bit, kWarpThreads,
                                  gpu::ShuffleMode::XOR)
        .getShuffleResult();
  };
  if (type.getIntOrFloatBitWidth() == 32)
    return exchange(value);
  // A lane gives 32 bits at once.
  Value bits = value;
  if (!type.isInteger())
    bits = arith::BitcastOp::create(b, loc, b.getI64Type(), value);
  Value by = arith::ConstantIntOp::create(b, loc, b.getI64Type(), 32);
  Value low = arith::TruncIOp::create(b, loc, b.getI32Type(), bits);
  Value high = arith::ShRUIOp::create(b, loc, bits, by);
  high = arith::TruncIOp::create(b, loc, b.getI32Type(), high);
  low = arith::ExtUIOp::create(b, loc, b.getI64Type(), exchange(low));
  high = arith::ExtUIOp::create(b, loc, b.getI64Type(), exchange(high));
  high = arith::ShLIOp::create(b, loc, high, by);
  bits = arith::OrIOp::create(b, loc, high, low);
  if (!type.isInteger())
    bits = arith::BitcastOp::create(b, loc, type, bits);
  return bits;
}

/// What a warp combines integers of 32 bits by in one instruction, and whether
/// what comes several times counts once; nothing where it has none.
static std::optional<std::pair<gpu::AllReduceOperation, bool>>
getWarpOperation(vector::CombiningKind kind) {
  using gpu::AllReduceOperation;
  using vector::CombiningKind;
  switch (kind) {
  case CombiningKind::ADD:
    return std::pair(AllReduceOperation::ADD, false);
  case CombiningKind::XOR:
    return std::pair(AllReduceOperation::XOR, false);
  case CombiningKind::AND:
    return std::pair(AllReduceOperation::AND, true);
  case CombiningKind::OR:
    return std::pair(AllReduceOperation::OR, true);
  case CombiningKind::MAXSI:
    return std::pair(AllReduceOperation::MAXSI, true);
  case CombiningKind::MINSI:
    return std::pair(AllReduceOperation::MINSI, true);
  default: // Upstream converts no unsigned ones.
    return std::nullopt;
  }
}

/// Combines what neighbouring `lanes` have. Other lanes of the warp have other
/// values, or `repeat` these.
static Value combineLanes(OpBuilder &b, Location loc,
                          vector::CombiningKind kind, Value value,
                          int64_t lanes, bool repeat = false) {
  auto operation = getWarpOperation(kind);
  // Integers have the same bits in any order.
  if (value.getType().isInteger(32) && operation &&
      (lanes == kWarpThreads || (repeat && operation->second && lanes > 2)))
    return gpu::SubgroupReduceOp::create(b, loc, value, operation->first,
                                         /*uniform=*/true);
  for (int64_t bit = 1; bit < lanes; bit *= 2)
    value = vector::makeArithReduction(b, loc, kind, value,
                                       emitExchange(b, loc, value, bit));
  return value;
}

/// The memory of `kernel` that its threads exchange elements of `type` through.
static Value addMemory(gpu::GPUFuncOp kernel, Location loc,
                       ArrayRef<int64_t> shape, Type type) {
  auto space = gpu::AddressSpaceAttr::get(type.getContext(),
                                          gpu::AddressSpace::Workgroup);
  return kernel.addWorkgroupAttribution(
      MemRefType::get(shape, type, MemRefLayoutAttrInterface(), space), loc);
}

/// Combines `values`, one for each row of a thread, over the `warps` warps that
/// hold a row.
static void combineWarps(OpBuilder &b, ReduceOp op,
                         MutableArrayRef<Value> values, int64_t warps,
                         int64_t threads, gpu::GPUFuncOp kernel) {
  Location loc = op.getLoc();
  int64_t all = threads / kWarpThreads, rows = values.size();
  Value memory = addMemory(kernel, loc, {rows, all}, values[0].getType());
  Value thread = WarpSpecializeOp::emitThread(b, loc);
  Value lane =
      arith::RemUIOp::create(b, loc, thread, emitI32(b, loc, kWarpThreads));
  Value warp =
      arith::DivUIOp::create(b, loc, thread, emitI32(b, loc, kWarpThreads));
  auto indexOf = [&](size_t row, Value at) {
    Value number = arith::ConstantIndexOp::create(b, loc, row);
    return SmallVector<Value>{number, emitIndex(b, loc, at)};
  };
  // Nobody may still read what an iteration before put there.
  if (op->getParentOfType<LoopLikeOpInterface>())
    gpu::BarrierOp::create(b, loc);
  // All lanes have the same: one stores.
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, lane,
                                        emitI32(b, loc, 0));
  auto branch = scf::IfOp::create(b, loc, isFirst);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    for (auto [row, value] : llvm::enumerate(values))
      memref::StoreOp::create(b, loc, value, memory, indexOf(row, warp));
  }
  gpu::BarrierOp::create(b, loc);
  Value own = arith::AndIOp::create(b, loc, lane, emitI32(b, loc, warps - 1));
  Value first = arith::AndIOp::create(b, loc, warp, emitI32(b, loc, -warps));
  Value place = arith::AddIOp::create(b, loc, first, own);
  for (auto [row, value] : llvm::enumerate(values)) {
    Value part = memref::LoadOp::create(b, loc, memory, indexOf(row, place));
    value = combineLanes(b, loc, op.getKind(), part, warps, /*repeat=*/true);
  }
}

std::string tc::tmm::explainBadExchange(Operation *op,
                                        RegisterLayoutAttrInterface layout,
                                        gpu::GPUFuncOp kernel) {
  if (isa<TransposeOp>(op)) {
    auto type = cast<VectorType>(op->getOperand(0).getType());
    SmallVector<int64_t> other{type.getDimSize(1), type.getDimSize(0)};
    int64_t chunk = 0;
    for (ArrayRef<int64_t> shape : {type.getShape(), ArrayRef(other)}) {
      if (!layout.fits(shape))
        return "expected a layout that fits " + std::to_string(other[0]) +
               " rows and " + std::to_string(other[1]) + " columns, too";
      for (const RegisterRun &run : layout.getRuns(shape)) {
        chunk = chunk == 0 ? run.length : chunk;
        if (run.length != chunk || !llvm::isPowerOf2_64(chunk) ||
            type.getDimSize(1) % chunk != 0 ||
            !llvm::isPowerOf2_64(type.getDimSize(1) / chunk))
          return "expected a layout whose runs have one length, a power of "
                 "two, of which rows have a power of two";
      }
    }
  } else if (layout.getRowThreads() <= kWarpThreads) {
    return "";
  }
  for (Operation *parent = op->getParentOp(); parent != kernel;
       parent = parent->getParentOp())
    if (!isa<LoopLikeOpInterface>(parent))
      return "expected all threads of the CTA, which exchange what they hold "
             "through shared memory, got it in " +
             parent->getName().getStringRef().str();
  return "";
}

Value tc::tmm::emitThreadReduce(OpBuilder &b, ReduceOp op,
                                ArrayRef<int64_t> shape,
                                gpu::GPUFuncOp kernel) {
  Location loc = op.getLoc();
  RegisterLayoutAttrInterface layout = op.getLayout();
  SmallVector<RegisterRun> runs = layout.getRuns(shape);
  SmallVector<Value> values;
  int64_t rowThreads = layout.getRowThreads();
  SmallVector<int64_t> rows = getRows(runs);
  Type type = cast<VectorType>(op.getTile().getType()).getElementType();
  bool isNarrow = isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 16;
  for (int64_t row : rows) {
    SmallVector<Value> registers;
    for (const RegisterRun &run : runs)
      for (int64_t i = 0; run.row == row && i < run.length; ++i)
        registers.push_back(
            vector::ExtractOp::create(b, loc, op.getTile(), run.first + i));
    // The maximum of three numbers of 32 bits is one instruction, of scalars;
    // that of two of 16 bits is one of pairs.
    bool isWhole =
        runs.size() == 1 && op.getKind() == vector::CombiningKind::ADD;
    Value value = isWhole || (isNarrow && rows.size() == 1)
                      ? combineHalvesOf(b, loc, op.getKind(), op.getTile())
                      : combineHalves(b, loc, op.getKind(), registers);
    if (isNarrow)
      value = arith::ExtFOp::create(b, loc, b.getF32Type(), value);
    values.push_back(combineLanes(b, loc, op.getKind(), value,
                                  std::min<int64_t>(rowThreads, kWarpThreads)));
  }
  if (rowThreads > kWarpThreads)
    combineWarps(b, op, values, rowThreads / kWarpThreads,
                 layout.getThreads(shape), kernel);
  Value result = vector::FromElementsOp::create(
      b, loc, VectorType::get({int64_t(values.size())}, values[0].getType()),
      values);
  if (isNarrow)
    result = arith::TruncFOp::create(
        b, loc, VectorType::get({int64_t(values.size())}, type), result);
  return result;
}

Value tc::tmm::emitThreadBroadcast(OpBuilder &b, BroadcastOp op,
                                   ArrayRef<int64_t> shape) {
  Location loc = op.getLoc();
  SmallVector<RegisterRun> runs = op.getLayout().getRuns(shape);
  SmallVector<int64_t> rows = getRows(runs);
  SmallVector<Value> values;
  for (size_t row = 0; row < rows.size(); ++row)
    values.push_back(
        vector::ExtractOp::create(b, loc, op.getValues(), int64_t(row)));
  auto type = getThreadType(op.getLayout(),
                            VectorType::get(shape, values[0].getType()));
  if (rows.size() == 1)
    return vector::BroadcastOp::create(b, loc, type, values.front());
  SmallVector<Value> registers(type.getDimSize(0));
  for (const RegisterRun &run : runs)
    for (int64_t i = 0; i < run.length; ++i)
      registers[run.first + i] =
          values[llvm::find(rows, run.row) - rows.begin()];
  return vector::FromElementsOp::create(b, loc, type, registers);
}

Value tc::tmm::emitThreadPositions(OpBuilder &b, PositionsOp op,
                                   ArrayRef<int64_t> shape) {
  Location loc = op.getLoc();
  RegisterLayoutAttrInterface layout = op.getLayout();
  Value thread = WarpSpecializeOp::emitThread(b, loc);
  bool isRow = op.getAlong() == Along::m;
  Value own = isRow ? layout.emitRow(b, loc, thread, shape)
                    : layout.emitColumn(b, loc, thread, shape);
  Value start = op.getStart();
  if (own)
    start = arith::AddIOp::create(b, loc, start, own);
  start = emitIndex(b, loc, start);
  SmallVector<RegisterRun> runs = layout.getRuns(shape);
  auto type = getThreadType(layout, VectorType::get(shape, b.getIndexType()));
  SmallVector<Value> registers(type.getDimSize(0));
  for (const RegisterRun &run : runs)
    for (int64_t i = 0; i < run.length; ++i) {
      Value offset = arith::ConstantIndexOp::create(
          b, loc, isRow ? run.row : run.column + i);
      registers[run.first + i] = arith::AddIOp::create(b, loc, start, offset);
    }
  return vector::FromElementsOp::create(b, loc, type, registers);
}

Value tc::tmm::emitThreadTranspose(OpBuilder &b, TransposeOp op,
                                   ArrayRef<int64_t> shape,
                                   gpu::GPUFuncOp kernel) {
  Location loc = op.getLoc();
  RegisterLayoutAttrInterface layout = op.getLayout();
  SmallVector<int64_t> from{shape[1], shape[0]};
  auto type = cast<VectorType>(op.getTile().getType());
  Type element = type.getElementType();
  SmallVector<RegisterRun> runs = layout.getRuns(from);
  const int64_t chunk = runs.front().length, chunks = from[1] / chunk;
  // A bit has a byte of its own there.
  Type stored = element.isInteger(1) ? b.getI8Type() : element;
  Value memory = addMemory(kernel, loc, from, stored);
  Value thread = WarpSpecializeOp::emitThread(b, loc);
  auto place = [&](Value own, int64_t offset) -> Value {
    Value at = own ? own : emitI32(b, loc, 0);
    return arith::AddIOp::create(b, loc, at, emitI32(b, loc, offset));
  };
  auto divide = [&](Value value) -> Value {
    return arith::DivUIOp::create(b, loc, value, emitI32(b, loc, chunk));
  };
  // The chunk of row `row` of the memory that has the elements of chunk `at`:
  // rows that are read together have theirs in different banks.
  auto permute = [&](Value row, Value at) -> Value {
    Value mask =
        arith::AndIOp::create(b, loc, divide(row), emitI32(b, loc, chunks - 1));
    Value moved = arith::XOrIOp::create(b, loc, at, mask);
    return arith::MulIOp::create(b, loc, moved, emitI32(b, loc, chunk));
  };
  if (op->getParentOfType<LoopLikeOpInterface>())
    gpu::BarrierOp::create(b, loc);
  Value row = layout.emitRow(b, loc, thread, from);
  Value column = layout.emitColumn(b, loc, thread, from);
  auto align = llvm::Align(chunk * stored.getIntOrFloatBitWidth() / 8);
  for (const RegisterRun &run : runs) {
    SmallVector<int64_t> registers;
    for (int64_t i = 0; i < chunk; ++i)
      registers.push_back(run.first + i);
    Value part = vector::ShuffleOp::create(b, loc, op.getTile(), op.getTile(),
                                           registers);
    if (stored != element)
      part = arith::ExtUIOp::create(b, loc, VectorType::get({chunk}, stored),
                                    part);
    Value at = place(row, run.row);
    Value moved = permute(at, divide(place(column, run.column)));
    SmallVector<Value> indices{emitIndex(b, loc, at), emitIndex(b, loc, moved)};
    vector::StoreOp::create(b, loc, part, memory, indices,
                            /*nontemporal=*/false, llvm::MaybeAlign(align));
  }
  gpu::BarrierOp::create(b, loc);
  row = layout.emitRow(b, loc, thread, shape);
  column = layout.emitColumn(b, loc, thread, shape);
  SmallVector<Value> registers(type.getDimSize(0));
  for (const RegisterRun &run : layout.getRuns(shape)) {
    // Neighbours of a row are below each other in the memory.
    Value at = place(row, run.row), first = place(column, run.column);
    Value moved = permute(first, divide(at));
    Value rest = arith::RemUIOp::create(b, loc, at, emitI32(b, loc, chunk));
    moved = emitIndex(b, loc, arith::AddIOp::create(b, loc, moved, rest));
    for (int64_t i = 0; i < run.length; ++i) {
      Value below = emitIndex(b, loc, place(first, i));
      Value loaded =
          memref::LoadOp::create(b, loc, memory, ValueRange{below, moved});
      if (stored != element)
        loaded = arith::TruncIOp::create(b, loc, element, loaded);
      registers[run.first + i] = loaded;
    }
  }
  return vector::FromElementsOp::create(
      b, loc, VectorType::get({int64_t(registers.size())}, element), registers);
}
