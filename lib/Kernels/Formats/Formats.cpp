//===- Formats.cpp - kernels that convert matrices --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A CTA for each tile, a thread for each of its rows: the register tiles are
// those of an epilogue, fetched from memory instead of an accumulator.
//
//===----------------------------------------------------------------------===//

#include "tc/Kernels/Formats.h"

#include "tc/Dialect/TMM/IR/KernelFamily.h"
#include "tc/Dialect/TMM/IR/MatrixUnit.h"
#include "tc/Dialect/TMM/IR/TMMDialect.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Schedule/MatmulConfig.h"
#include "tc/Support/Target.h"
#include "tc/Support/Units.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

/// Columns of a tile of numbers, which a thread holds in as many registers, and
/// of a tile of factors: one block.
static constexpr int64_t kEncodedColumns = 64;
/// CTAs of a grid along y, where the tiles along rows are.
static constexpr int64_t kMaxGridY = 65535;

namespace {

/// The kernel of one operation on the tiles of a matrix.
class FormatKernel : public TileKernel {
public:
  FormatKernel(OpBuilder &host, Operation *op, Value matrix, int64_t columns,
               ValueRange operands)
      : op(op), loc(op->getLoc()), columns(columns), operands(operands),
        m(host.createOrFold<memref::DimOp>(loc, matrix, 0)),
        n(host.createOrFold<memref::DimOp>(loc, matrix, 1)) {}

  /// Finds who holds which rows on `chip`.
  LogicalResult findLayout(StringRef chip);

  int64_t getThreads() const override { return kScaleRows; }
  SmallVector<Type> getArgumentTypes() const override {
    return llvm::to_vector(ValueRange(operands).getTypes());
  }
  void emitProgram(OpBuilder &b, gpu::GPUFuncOp kernel) override;
  Value emitWork(OpBuilder &host) override {
    return host.createOrFold<arith::MulIOp>(loc, m, n);
  }
  SmallVector<Value> emitOperands(OpBuilder &, gpu::GPUFuncOp) override {
    return operands;
  }
  SmallVector<Value> emitGrid(OpBuilder &host) override {
    Value rows = blocks(host, m, kScaleRows);
    return {rows, blocks(host, n, columns)};
  }

protected:
  /// Emits what becomes of the tile at `row` and `col`.
  virtual void emitTile(OpBuilder &b, ValueRange arguments, Value row,
                        Value col) = 0;
  /// Has the host check that dimension `dim` of `value` is `expected`.
  LogicalResult requireSize(OpBuilder &host, Value value, unsigned dim,
                            Value expected, const Twine &what);
  LogicalResult require(OpBuilder &host, Value condition, const Twine &what);
  /// Sizes that coordinates of 32 bits and a grid can have.
  LogicalResult requireSmall(OpBuilder &host);

  Value constant(OpBuilder &host, int64_t value) {
    return arith::ConstantIndexOp::create(host, loc, value);
  }
  Value blocks(OpBuilder &host, Value size, int64_t extent) {
    return host.createOrFold<arith::CeilDivUIOp>(loc, size,
                                                 constant(host, extent));
  }

  Operation *op;
  Location loc;
  int64_t columns;
  SmallVector<Value> operands;
  /// Sizes of the matrix on the host.
  Value m, n;
  RegisterLayoutAttrInterface layout;
};

class EncodeKernel : public FormatKernel {
public:
  EncodeKernel(OpBuilder &host, EncodeOp op)
      : FormatKernel(host, op, op.getX(), kEncodedColumns,
                     {op.getX(), op.getD(), op.getScaleD()}) {
    if (op.getFactor())
      operands.push_back(op.getFactor());
  }
  StringRef getName() const override { return "encode"; }
  LogicalResult emitChecks(OpBuilder &host) override;
  void emitTile(OpBuilder &b, ValueRange arguments, Value row,
                Value col) override;
};

class InterleaveKernel : public FormatKernel {
public:
  InterleaveKernel(OpBuilder &host, InterleaveOp op)
      : FormatKernel(host, op, op.getFactors(), kScaleBlocks,
                     {op.getFactors(), op.getBlocks()}) {}
  StringRef getName() const override { return "interleave"; }
  LogicalResult emitChecks(OpBuilder &host) override;
  void emitTile(OpBuilder &b, ValueRange arguments, Value row,
                Value col) override;
};

} // namespace

LogicalResult FormatKernel::findLayout(StringRef chip) {
  // The registers of an epilogue with tiles of as many rows.
  Type half = BFloat16Type::get(op->getContext());
  Type single = Float32Type::get(op->getContext());
  TileRequest request{kScaleRows,
                      kEncodedColumns,
                      kEncodedColumns,
                      /*spanCtas=*/1,
                      half,
                      half,
                      single,
                      /*aKMajor=*/true,
                      /*bKMajor=*/true,
                      /*swizzle=*/128,
                      /*subtile=*/32,
                      /*storeSwizzle=*/128};
  request.sum = single;
  const TargetFacts *target = getTarget(chip);
  const MatrixUnits &units = MatrixUnits::get(op->getContext());
  SmallVector<schedule::MatrixUnit, 2> known;
  if (target)
    known = units.getRegistry().getUnitsOf(*target);
  if (!known.empty()) {
    FailureOr<TileParts> parts =
        units.getModel(known.front()).getParts(op->getContext(), request, [&] {
          return op->emitOpError();
        });
    if (failed(parts))
      return failure();
    layout = parts->registers;
  }
  if (!layout || layout.getRuns({kScaleRows, columns}).size() != 1)
    return op->emitOpError()
           << "expected a chip where a thread holds whole rows of a tile, got "
           << chip;
  return success();
}

LogicalResult FormatKernel::require(OpBuilder &host, Value condition,
                                    const Twine &what) {
  if (std::optional<int64_t> known = getConstantIntValue(condition)) {
    if (*known == 0)
      return op->emitOpError() << what;
    return success();
  }
  cf::AssertOp::create(host, loc, condition, what.str());
  return success();
}

LogicalResult FormatKernel::requireSize(OpBuilder &host, Value value,
                                        unsigned dim, Value expected,
                                        const Twine &what) {
  Value size = host.createOrFold<memref::DimOp>(loc, value, dim);
  return require(host,
                 host.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq,
                                                  size, expected),
                 what);
}

LogicalResult FormatKernel::requireSmall(OpBuilder &host) {
  auto atMost = [&](Value size, int64_t most, StringRef name) {
    return require(host,
                   host.createOrFold<arith::CmpIOp>(loc,
                                                    arith::CmpIPredicate::ule,
                                                    size, constant(host, most)),
                   name + " must be at most " + Twine(most));
  };
  if (failed(atMost(m, tc::schedule::kMaxSize, "M")))
    return failure();
  return atMost(n, kMaxGridY * columns, "N");
}

void FormatKernel::emitProgram(OpBuilder &b, gpu::GPUFuncOp kernel) {
  auto start = [&](gpu::Dimension dim, int64_t extent) -> Value {
    Value tile = gpu::BlockIdOp::create(b, loc, dim);
    tile = arith::IndexCastOp::create(b, loc, b.getI32Type(), tile);
    Value by = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(extent));
    return arith::MulIOp::create(b, loc, tile, by);
  };
  Value row = start(gpu::Dimension::x, kScaleRows);
  Value col = start(gpu::Dimension::y, columns);
  emitTile(b, kernel.getArguments(), row, col);
  gpu::ReturnOp::create(b, loc);
}

LogicalResult EncodeKernel::emitChecks(OpBuilder &host) {
  auto encode = cast<EncodeOp>(op);
  Type element = getElementTypeOrSelf(encode.getD());
  Type factor = getElementTypeOrSelf(encode.getScaleD());
  int64_t block = getQuantizedBlock(factor);
  if (failed(requireSize(host, encode.getD(), 0, m,
                         "D must have the rows of X")) ||
      failed(requireSize(host, encode.getD(), 1, n,
                         "D must have the columns of X")) ||
      failed(requireSmall(host)))
    return failure();
  int64_t step = getQuantizedColumnStep(element, factor);
  Value rest = host.createOrFold<arith::RemUIOp>(loc, n, constant(host, step));
  if (failed(
          require(host,
                  host.createOrFold<arith::CmpIOp>(
                      loc, arith::CmpIPredicate::eq, rest, constant(host, 0)),
                  "N must be a multiple of " + Twine(step) +
                      ", the K of the next matmul, as D has scale factors")) ||
      failed(requireSize(
          host, encode.getScaleD(), 0, blocks(host, m, kScaleRows),
          "SFD must have a block for each " + Twine(kScaleRows) + " rows")))
    return failure();
  return requireSize(host, encode.getScaleD(), 1,
                     blocks(host, n, kScaleBlocks * block),
                     "SFD must have a block for each " +
                         Twine(kScaleBlocks * block) + " columns");
}

void EncodeKernel::emitTile(OpBuilder &b, ValueRange arguments, Value row,
                            Value col) {
  auto encode = cast<EncodeOp>(op);
  Type element = getElementTypeOrSelf(encode.getD());
  Type factor = getElementTypeOrSelf(encode.getScaleD());
  int64_t block = getQuantizedBlock(factor);
  auto tileOf = [&](Type type, int64_t columns = kEncodedColumns) {
    return VectorType::get({kScaleRows, columns}, type);
  };
  Type from = getElementTypeOrSelf(arguments[0]);
  auto inside = b.getDenseBoolArrayAttr({false, false});
  Value tile = FetchOp::create(b, loc, tileOf(from), arguments[0], row, col,
                               /*batch=*/ValueRange(), AlongAttr(), inside,
                               layout, /*role=*/StringAttr());
  if (!from.isF32())
    tile = arith::ExtFOp::create(b, loc, tileOf(b.getF32Type()), tile);
  if (encode.getFactor()) {
    Value by =
        vector::BroadcastOp::create(b, loc, tile.getType(), arguments[3]);
    tile = arith::MulFOp::create(b, loc, tile, by);
  }
  auto quantize = QuantizeOp::create(
      b, loc, tileOf(element), tileOf(factor, kEncodedColumns / block), tile);
  auto store = [&](Value value, Value target, Value column, bool blocked) {
    StoreOp::create(b, loc, value, target, row, column,
                    /*batch=*/ValueRange(), blocked, inside, layout,
                    /*role=*/StringAttr());
  };
  store(quantize.getResult(), arguments[1], col, false);
  Value by = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(block));
  Value column = arith::DivUIOp::create(b, loc, col, by);
  store(quantize.getScales(), arguments[2], column, true);
}

LogicalResult InterleaveKernel::emitChecks(OpBuilder &host) {
  Value target = cast<InterleaveOp>(op).getBlocks();
  if (failed(requireSmall(host)) ||
      failed(requireSize(host, target, 0, blocks(host, m, kScaleRows),
                         "the blocks must be one for each " +
                             Twine(kScaleRows) + " rows")))
    return failure();
  return requireSize(host, target, 1, blocks(host, n, kScaleBlocks),
                     "the blocks must be one for each " + Twine(kScaleBlocks) +
                         " columns");
}

void InterleaveKernel::emitTile(OpBuilder &b, ValueRange arguments, Value row,
                                Value col) {
  auto type = VectorType::get({kScaleRows, kScaleBlocks},
                              getElementTypeOrSelf(arguments[0]));
  auto inside = b.getDenseBoolArrayAttr({false, false});
  Value tile = FetchOp::create(b, loc, type, arguments[0], row, col,
                               /*batch=*/ValueRange(), AlongAttr(), inside,
                               layout, /*role=*/StringAttr());
  StoreOp::create(b, loc, tile, arguments[1], row, col,
                  /*batch=*/ValueRange(), /*blocked=*/true, inside, layout,
                  /*role=*/StringAttr());
}

namespace {

template <typename OpT, typename KernelT>
struct FormatFamily
    : KernelFamilyOpInterface::ExternalModel<FormatFamily<OpT, KernelT>, OpT> {
  FailureOr<std::unique_ptr<TileKernel>>
  getKernel(Operation *op, OpBuilder &host, StringRef chip) const {
    auto kernel = std::make_unique<KernelT>(host, cast<OpT>(op));
    if (failed(kernel->findLayout(chip)))
      return failure();
    return std::unique_ptr<TileKernel>(std::move(kernel));
  }
};

} // namespace

void tc::tmm::registerFormatKernels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, TMMDialect *) {
    EncodeOp::attachInterface<FormatFamily<EncodeOp, EncodeKernel>>(*context);
    InterleaveOp::attachInterface<FormatFamily<InterleaveOp, InterleaveKernel>>(
        *context);
  });
}
