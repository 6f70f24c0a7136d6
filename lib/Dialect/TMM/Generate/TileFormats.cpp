//===- TileFormats.cpp - kernels that convert matrices ----------*- C++ -*-===//
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

#include "TileFormats.h"

#include "tc/Schedule/MatmulConfig.h"
#include "tc/Support/MatrixUnit.h"
#include "tc/Support/PTXName.h"
#include "tc/Support/Target.h"
#include "tc/Support/Units.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

/// Columns of a tile of numbers, which a thread holds in as many registers, and
/// of a tile of factors: one block.
static constexpr int64_t kEncodedColumns = 64;
/// CTAs of a grid along y, where the tiles along rows are.
static constexpr int64_t kMaxGridY = 65535;

namespace {

/// The kernel of one operation on the tiles of a matrix, and its launch.
class FormatKernel {
public:
  FormatKernel(Operation *op, Value matrix, int64_t columns)
      : op(op), matrix(matrix), columns(columns), host(op), loc(op->getLoc()) {}

  /// Finds who holds which rows on `chip`.
  LogicalResult findLayout(StringRef chip);
  /// Begins the launch: what follows on the host is done where there is an
  /// element.
  void begin();
  /// Has the host check that dimension `dim` of `value` is `expected`.
  LogicalResult requireSize(Value value, unsigned dim, Value expected,
                            const Twine &what);
  LogicalResult require(Value condition, const Twine &what);
  /// Makes a kernel called after `what` that takes `operands`, with `body`.
  void finish(StringRef what, ValueRange operands, SymbolTable &kernels,
              function_ref<void(OpBuilder &, ValueRange)> body);

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(host, loc, value);
  }
  Value blocks(Value size, int64_t extent) {
    return host.createOrFold<arith::CeilDivUIOp>(loc, size, constant(extent));
  }

  Operation *op;
  Value matrix;
  int64_t columns;
  OpBuilder host;
  Location loc;
  /// Sizes of the matrix on the host.
  Value m, n;
  RegisterLayoutAttrInterface layout;
  /// Where the tile is in the matrix, in the kernel.
  Value row, col;
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
  SmallVector<MatrixUnit, 2> known;
  if (target)
    known = getMatrixUnits(*target);
  DialectInterfaceCollection<MatrixUnitInterface> units(op->getContext());
  for (const MatrixUnitInterface &dialect : units) {
    const MatrixUnitModel *unit =
        known.empty() ? nullptr : dialect.find(known.front());
    if (!unit)
      continue;
    FailureOr<TileParts> parts = unit->getParts(
        op->getContext(), request, [&] { return op->emitOpError(); });
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

LogicalResult FormatKernel::require(Value condition, const Twine &what) {
  if (std::optional<int64_t> known = getConstantIntValue(condition)) {
    if (*known == 0)
      return op->emitOpError() << what;
    return success();
  }
  cf::AssertOp::create(host, loc, condition, what.str());
  return success();
}

LogicalResult FormatKernel::requireSize(Value value, unsigned dim,
                                        Value expected, const Twine &what) {
  Value size = host.createOrFold<memref::DimOp>(loc, value, dim);
  return require(host.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq,
                                                  size, expected),
                 what);
}

void FormatKernel::begin() {
  m = host.createOrFold<memref::DimOp>(loc, matrix, 0);
  n = host.createOrFold<memref::DimOp>(loc, matrix, 1);
  Value elements = host.createOrFold<arith::MulIOp>(loc, m, n);
  Value some = host.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ne,
                                                elements, constant(0));
  auto guard = scf::IfOp::create(host, loc, some);
  host.setInsertionPointToStart(guard.thenBlock());
}

void FormatKernel::finish(StringRef what, ValueRange operands,
                          SymbolTable &kernels,
                          function_ref<void(OpBuilder &, ValueRange)> body) {
  constexpr int32_t kThreads = kScaleRows;
  auto function = op->getParentOfType<FunctionOpInterface>();
  OpBuilder b(op->getContext());
  auto kernel = gpu::GPUFuncOp::create(
      b, loc, makePTXName((function.getName() + "_" + what).str()),
      b.getFunctionType(operands.getTypes(), {}));
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  kernel.setKnownBlockSizeAttr(b.getDenseI32ArrayAttr({kThreads, 1, 1}));
  kernels.insert(kernel);
  b.setInsertionPointToStart(&kernel.getBody().front());
  auto start = [&](gpu::Dimension dim, int64_t extent) -> Value {
    Value tile = gpu::BlockIdOp::create(b, loc, dim);
    tile = arith::IndexCastOp::create(b, loc, b.getI32Type(), tile);
    Value by = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(extent));
    return arith::MulIOp::create(b, loc, tile, by);
  };
  row = start(gpu::Dimension::x, kScaleRows);
  col = start(gpu::Dimension::y, columns);
  body(b, kernel.getArguments());
  gpu::ReturnOp::create(b, loc);

  Value one = constant(1);
  gpu::LaunchFuncOp::create(
      host, loc, kernel,
      gpu::KernelDim3{blocks(m, kScaleRows), blocks(n, columns), one},
      gpu::KernelDim3{constant(kThreads), one, one},
      /*dynamicSharedMemorySize=*/Value(), operands);
  op->erase();
}

/// Sizes that coordinates of 32 bits and a grid can have.
static LogicalResult requireSmall(FormatKernel &kernel) {
  auto atMost = [&](Value size, int64_t most, StringRef name) {
    return kernel.require(
        kernel.host.createOrFold<arith::CmpIOp>(
            kernel.loc, arith::CmpIPredicate::ule, size, kernel.constant(most)),
        name + " must be at most " + Twine(most));
  };
  if (failed(atMost(kernel.m, tc::schedule::kMaxSize, "M")))
    return failure();
  return atMost(kernel.n, kMaxGridY * kernel.columns, "N");
}

LogicalResult tc::tmm::outlineFormat(EncodeOp op, SymbolTable &kernels,
                                     StringRef chip) {
  FormatKernel kernel(op, op.getX(), kEncodedColumns);
  if (failed(kernel.findLayout(chip)))
    return failure();
  Type element = getElementTypeOrSelf(op.getD());
  Type factor = getElementTypeOrSelf(op.getScaleD());
  int64_t block = getQuantizedBlock(factor);
  kernel.begin();
  if (failed(kernel.requireSize(op.getD(), 0, kernel.m,
                                "D must have the rows of X")) ||
      failed(kernel.requireSize(op.getD(), 1, kernel.n,
                                "D must have the columns of X")) ||
      failed(requireSmall(kernel)))
    return failure();
  int64_t step = getQuantizedColumnStep(element, factor);
  Value rest = kernel.host.createOrFold<arith::RemUIOp>(op.getLoc(), kernel.n,
                                                        kernel.constant(step));
  if (failed(kernel.require(
          kernel.host.createOrFold<arith::CmpIOp>(
              op.getLoc(), arith::CmpIPredicate::eq, rest, kernel.constant(0)),
          "N must be a multiple of " + Twine(step) +
              ", as D has scale factors and is the K of a next product")) ||
      failed(kernel.requireSize(
          op.getScaleD(), 0, kernel.blocks(kernel.m, kScaleRows),
          "SFD must have a block for each " + Twine(kScaleRows) + " rows")) ||
      failed(kernel.requireSize(op.getScaleD(), 1,
                                kernel.blocks(kernel.n, kScaleBlocks * block),
                                "SFD must have a block for each " +
                                    Twine(kScaleBlocks * block) + " columns")))
    return failure();
  SmallVector<Value> operands = {op.getX(), op.getD(), op.getScaleD()};
  if (op.getFactor())
    operands.push_back(op.getFactor());
  kernel.finish(
      "encode", operands, kernels, [&](OpBuilder &b, ValueRange arguments) {
        Location loc = kernel.loc;
        auto tileOf = [&](Type type, int64_t columns = kEncodedColumns) {
          return VectorType::get({kScaleRows, columns}, type);
        };
        Type from = getElementTypeOrSelf(arguments[0]);
        auto inside = b.getDenseBoolArrayAttr({false, false});
        Value tile = FetchOp::create(
            b, loc, tileOf(from), arguments[0], kernel.row, kernel.col,
            /*batch=*/ValueRange(), AlongAttr(), inside, kernel.layout,
            /*role=*/StringAttr());
        if (!from.isF32())
          tile = arith::ExtFOp::create(b, loc, tileOf(b.getF32Type()), tile);
        if (arguments.size() > 3) {
          Value by =
              vector::BroadcastOp::create(b, loc, tile.getType(), arguments[3]);
          tile = arith::MulFOp::create(b, loc, tile, by);
        }
        auto quantize =
            QuantizeOp::create(b, loc, tileOf(element),
                               tileOf(factor, kEncodedColumns / block), tile);
        auto store = [&](Value value, Value target, Value col, bool blocked) {
          StoreOp::create(b, loc, value, target, kernel.row, col,
                          /*batch=*/ValueRange(), blocked, inside,
                          kernel.layout, /*role=*/StringAttr());
        };
        store(quantize.getResult(), arguments[1], kernel.col, false);
        Value by =
            arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(block));
        Value column = arith::DivUIOp::create(b, loc, kernel.col, by);
        store(quantize.getScales(), arguments[2], column, true);
      });
  return success();
}

LogicalResult tc::tmm::outlineFormat(InterleaveOp op, SymbolTable &kernels,
                                     StringRef chip) {
  FormatKernel kernel(op, op.getFactors(), kScaleBlocks);
  if (failed(kernel.findLayout(chip)))
    return failure();
  kernel.begin();
  auto count = [](int64_t extent) { return Twine(extent).str(); };
  if (failed(requireSmall(kernel)) ||
      failed(kernel.requireSize(
          op.getBlocks(), 0, kernel.blocks(kernel.m, kScaleRows),
          "the blocks must be one for each " + count(kScaleRows) + " rows")) ||
      failed(kernel.requireSize(op.getBlocks(), 1,
                                kernel.blocks(kernel.n, kScaleBlocks),
                                "the blocks must be one for each " +
                                    count(kScaleBlocks) + " columns")))
    return failure();
  Value operands[] = {op.getFactors(), op.getBlocks()};
  kernel.finish(
      "interleave", operands, kernels, [&](OpBuilder &b, ValueRange arguments) {
        Location loc = kernel.loc;
        auto type = VectorType::get({kScaleRows, kScaleBlocks},
                                    getElementTypeOrSelf(arguments[0]));
        auto inside = b.getDenseBoolArrayAttr({false, false});
        Value tile =
            FetchOp::create(b, loc, type, arguments[0], kernel.row, kernel.col,
                            /*batch=*/ValueRange(), AlongAttr(), inside,
                            kernel.layout, /*role=*/StringAttr());
        StoreOp::create(b, loc, tile, arguments[1], kernel.row, kernel.col,
                        /*batch=*/ValueRange(), /*blocked=*/true, inside,
                        kernel.layout, /*role=*/StringAttr());
      });
  return success();
}
