//===- Tile.cpp - a matmul becomes a kernel and its launch ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Outlines every tmm.matmul into a kernel that holds the tile program, and
// replaces it by the launch. Both sides are ordinary IR: the host computes the
// grid from the sizes and skips an empty problem, the kernel loops over the
// tiles that its scheduler hands out.
//
//===----------------------------------------------------------------------===//

#include "DescribeProblem.h"

#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Dialect/TMM/Transforms/Passes.h"
#include "tc/Schedule/MatmulConfig.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"

namespace tc::tmm {
#define GEN_PASS_DEF_TILEPASS
#include "tc/Dialect/TMM/Transforms/Passes.h.inc"
} // namespace tc::tmm

using namespace mlir;
using namespace tc::tmm;

namespace {

/// Threads of a kernel: one warp for each window of 32 accumulator lanes.
constexpr int64_t kThreads = 128;

/// What the kernel needs of the problem, with the sizes as the host sees them.
struct Problem {
  MatmulOp op;
  ConfigAttr config;
  Value m, n, k;            // index, on the host
  SmallVector<Value> batch; // the same, sizes of the batch dimensions of D
  int64_t tileM, tileN, tileK;
  /// CTAs that compute a tile together, along M.
  int64_t ctas;
  /// Rows of a tile that one CTA holds.
  int64_t rows() const { return tileM / ctas; }
};

/// Emits the body of a kernel. Member functions follow the nesting.
class TileProgram {
public:
  TileProgram(OpBuilder &builder, Problem &problem, gpu::GPUFuncOp kernel)
      : b(builder), loc(problem.op.getLoc()), problem(problem) {
    a = kernel.getArgument(0);
    bMatrix = kernel.getArgument(1);
    d = kernel.getArgument(2);
    next = 3;
    for (Value extra : problem.op.getExtras())
      extras.push_back(isKernelOperand(problem.op, extra)
                           ? Value(kernel.getArgument(next++))
                           : Value());
    m = size(kernel, problem.op.getStaticM());
    n = size(kernel, problem.op.getStaticN());
    k = size(kernel, problem.op.getStaticK());
    for (unsigned dim = 0; dim < problem.op.getBatchRank(); ++dim)
      batch.push_back(size(kernel, problem.op.getStaticBatch(dim)));
  }

  void emit();

private:
  /// A static size is a constant, a dynamic one the next kernel argument.
  Value size(gpu::GPUFuncOp kernel, int64_t value) {
    if (!ShapedType::isDynamic(value))
      return constant(value);
    return kernel.getArgument(next++);
  }
  Value constant(int64_t value) {
    return arith::ConstantIntOp::create(b, loc, b.getI32Type(), value);
  }
  void emitTile(Value row, Value col, Value firstBlock, Value blockCount);
  void emitBatchIndices(Value number);
  SmallVector<Value> batchIndicesOf(Value matrix, unsigned matrixRank);
  void emitEpilogue(Value acc, Value row, Value col, Value written);
  void emitStore(Value tile, Value row, Value col, ArrayRef<bool> inside);
  SmallVector<Value> emitExtras(Value row, Value col, ArrayRef<bool> inside);
  Value emitRegion(Value sum, ArrayRef<Value> operands);
  VectorType tileType(Type element) {
    return VectorType::get(
        {problem.rows(), *problem.config.getEpilogueSubtile()}, element);
  }

  OpBuilder &b;
  Location loc;
  Problem &problem;
  Value a, bMatrix, d, m, n, k;
  /// Sizes of the batch dimensions of D, and the indices of the current tile.
  SmallVector<Value> batch, batchIndices;
  /// The extra operands; null where they are not passed.
  SmallVector<Value> extras;
  unsigned next;
};

struct TilePass : tc::tmm::impl::TilePassBase<TilePass> {
  using TilePassBase::TilePassBase;
  void runOnOperation() override;
  LogicalResult outline(MatmulOp op, gpu::GPUModuleOp kernels,
                        SymbolTable &symbols);
};

} // namespace

void TileProgram::emit() {
  SmallVector<int64_t> tile = {problem.tileM, problem.tileN, problem.tileK};
  Value count;
  for (Value size : batch)
    count = count ? b.createOrFold<arith::MulIOp>(loc, count, size) : size;
  Value scheduler =
      SchedulerOp::create(b, loc, m, n, k, count, tile, problem.ctas,
                          problem.config.getRaster().value_or(0));
  bool overlapsLaunches = problem.config.getPdl() == Switch::on;
  if (overlapsLaunches)
    WaitPrerequisitesOp::create(b, loc);
  Value first = FirstWorkOp::create(b, loc, scheduler);
  scf::WhileOp::create(
      b, loc, TypeRange{first.getType()}, ValueRange{first},
      [&](OpBuilder &, Location, ValueRange args) {
        Value valid = WorkValidOp::create(b, loc, scheduler, args[0]);
        scf::ConditionOp::create(b, loc, valid, args);
      },
      [&](OpBuilder &, Location, ValueRange args) {
        auto coordinates = WorkTileOp::create(b, loc, scheduler, args[0]);
        if (count)
          emitBatchIndices(WorkBatchOp::create(b, loc, scheduler, args[0]));
        emitTile(coordinates.getRow(), coordinates.getCol(),
                 coordinates.getFirstBlock(), coordinates.getBlockCount());
        Value nextWork = NextWorkOp::create(b, loc, scheduler, args[0]);
        scf::YieldOp::create(b, loc, nextWork);
      });
  if (overlapsLaunches)
    LaunchDependentsOp::create(b, loc);
  gpu::ReturnOp::create(b, loc);
}

/// The indices of problem `number` in the batch dimensions of D, the last one
/// fastest.
void TileProgram::emitBatchIndices(Value number) {
  batchIndices.assign(batch.size(), Value());
  for (unsigned dim = batch.size() - 1; dim > 0; --dim) {
    batchIndices[dim] = b.createOrFold<arith::RemUIOp>(loc, number, batch[dim]);
    number = b.createOrFold<arith::DivUIOp>(loc, number, batch[dim]);
  }
  batchIndices[0] = number;
}

/// The indices of the current tile in the batch dimensions of `matrix`, which
/// has `matrixRank` dimensions behind them.
SmallVector<Value> TileProgram::batchIndicesOf(Value matrix,
                                               unsigned matrixRank) {
  auto type = cast<ShapedType>(matrix.getType());
  SmallVector<Value> indices;
  for (unsigned dim = batch.size() + matrixRank - type.getRank();
       dim < batch.size(); ++dim)
    indices.push_back(problem.op.getBatchDimOf(type, matrixRank, dim)
                          ? batchIndices[dim]
                          : constant(0));
  return indices;
}

void TileProgram::emitTile(Value row, Value col, Value firstBlock,
                           Value blockCount) {
  auto element = cast<ShapedType>(a.getType()).getElementType();
  Value bCol = col;
  auto layout = [&](bool kMajor) {
    return LayoutAttr::get(b.getContext(),
                           kMajor ? Order::k_major : Order::mn_major,
                           *problem.config.getSwizzle());
  };
  // Of a pair, each CTA has half of the rows of A and D and, for the matrix
  // unit to read B only once, half of the columns of B.
  int64_t rows = problem.rows(), bRows = problem.tileN / problem.ctas;
  bool pair = problem.ctas == 2;
  if (pair) {
    Value rank = gpu::ClusterBlockIdOp::create(b, loc, gpu::Dimension::x);
    rank = arith::IndexCastOp::create(b, loc, b.getI32Type(), rank);
    auto behind = [&](Value first, int64_t extent) -> Value {
      Value part = arith::MulIOp::create(b, loc, rank, constant(extent));
      return arith::AddIOp::create(b, loc, first, part);
    };
    row = behind(row, rows);
    bCol = behind(col, bRows);
  }
  auto aTile =
      BufferType::get({rows, problem.tileK}, element, MemorySpace::smem,
                      layout(!problem.op.getTransposeA()));
  auto bTile =
      BufferType::get({bRows, problem.tileK}, element, MemorySpace::smem,
                      layout(problem.op.getTransposeB()));
  auto accTile =
      BufferType::get({rows, problem.tileN}, b.getF32Type(), MemorySpace::tmem);

  Value zero = constant(0), one = constant(1);
  Value acc = AllocOp::create(b, loc, accTile);
  scf::ForOp::create(
      b, loc, zero, blockCount, one, ValueRange(),
      [&](OpBuilder &, Location, Value block, ValueRange) {
        Value aBuffer = AllocOp::create(b, loc, aTile);
        Value bBuffer = AllocOp::create(b, loc, bTile);
        Value index = arith::AddIOp::create(b, loc, firstBlock, block);
        Value kcol =
            arith::MulIOp::create(b, loc, index, constant(problem.tileK));
        LoadOp::create(
            b, loc, a, row, kcol, aBuffer, batchIndicesOf(a, /*matrixRank=*/2),
            problem.op.getTransposeA(),
            problem.config.getCacheHintA().value_or(CacheHint::none));
        LoadOp::create(
            b, loc, bMatrix, bCol, kcol, bBuffer,
            batchIndicesOf(bMatrix, /*matrixRank=*/2),
            !problem.op.getTransposeB(),
            problem.config.getCacheHintB().value_or(CacheHint::none));
        Value accumulate = arith::CmpIOp::create(
            b, loc, arith::CmpIPredicate::ne, block, zero);
        MmaOp::create(b, loc, aBuffer, bBuffer, acc, accumulate, pair);
        scf::YieldOp::create(b, loc);
      });
  Value written =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, blockCount, zero);
  emitEpilogue(acc, row, col, written);
}

/// The register tiles of the extra operands, in order.
SmallVector<Value> TileProgram::emitExtras(Value row, Value col,
                                           ArrayRef<bool> inside) {
  SmallVector<Value> tiles;
  for (auto [index, extra] : llvm::enumerate(problem.op.getExtras())) {
    auto type = tileType(getElementTypeOrSelf(extra.getType()));
    Value value = extra == problem.op.getD() ? d : extras[index];
    Attribute constant;
    if (matchPattern(extra, m_Constant(&constant))) {
      tiles.push_back(arith::ConstantOp::create(
          b, loc, DenseElementsAttr::get(type, constant)));
    } else if (!isa<ShapedType>(extra.getType())) {
      tiles.push_back(vector::BroadcastOp::create(b, loc, type, value));
    } else {
      std::optional<Along> along = problem.op.getAlongOf(index);
      tiles.push_back(FetchOp::create(
          b, loc, type, value, row, col,
          batchIndicesOf(value, problem.op.getMatrixRankOf(index)),
          along ? AlongAttr::get(b.getContext(), *along) : AlongAttr(),
          b.getDenseBoolArrayAttr(inside)));
    }
  }
  return tiles;
}

/// The region of the matmul on register tiles instead of elements.
Value TileProgram::emitRegion(Value sum, ArrayRef<Value> operands) {
  Block &block = problem.op.getEpilogue()->front();
  IRMapping mapping;
  mapping.map(block.getArgument(0), sum);
  mapping.map(block.getArguments().drop_front(), operands);
  for (Operation &op : block.without_terminator()) {
    Value old = op.getResult(0);
    VectorType type = tileType(old.getType());
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      mapping.map(
          old, arith::ConstantOp::create(
                   b, loc, DenseElementsAttr::get(type, constant.getValue())));
      continue;
    }
    Operation *tile = b.clone(op, mapping);
    tile->getResult(0).setType(type);
    if (auto tanh = dyn_cast<math::TanhOp>(tile);
        tanh && isFastTanhEnough(problem.op))
      tanh.setFastmath(tanh.getFastmath() | arith::FastMathFlags::afn);
  }
  return mapping.lookup(cast<YieldOp>(block.getTerminator()).getValue());
}

void TileProgram::emitEpilogue(Value acc, Value row, Value col, Value written) {
  int64_t width = *problem.config.getEpilogueSubtile();
  Type outType = cast<ShapedType>(d.getType()).getElementType();
  VectorType sumType = tileType(b.getF32Type()), dType = tileType(outType);
  // A static size that tiles divide has no tail.
  auto whole = [](int64_t size, int64_t tile) {
    return !ShapedType::isDynamic(size) && size % tile == 0;
  };
  SmallVector<bool> inside = {whole(problem.op.getStaticM(), problem.tileM),
                              whole(problem.op.getStaticN(), problem.tileN)};
  scf::ForOp::create(
      b, loc, constant(0), constant(problem.tileN), constant(width),
      ValueRange(), [&](OpBuilder &, Location, Value column, ValueRange) {
        Value target = arith::AddIOp::create(b, loc, col, column);
        // Before the accumulator is read: the loads are on their way while it
        // comes.
        SmallVector<Value> operands = emitExtras(row, target, inside);
        Value sum = ReadOp::create(b, loc, sumType, acc, column, written);
        if (problem.op.getAccumulate()) {
          Value old = FetchOp::create(b, loc, dType, d, row, target,
                                      batchIndicesOf(d, 2), AlongAttr(),
                                      b.getDenseBoolArrayAttr(inside));
          if (outType != b.getF32Type())
            old = arith::ExtFOp::create(b, loc, sumType, old);
          sum = arith::AddFOp::create(b, loc, sum, old);
        }
        if (problem.op.hasEpilogue())
          sum = emitRegion(sum, operands);
        // The only rounding to the output type: the sum was f32 until here.
        else if (outType != b.getF32Type())
          sum = arith::TruncFOp::create(b, loc, dType, sum);
        emitStore(sum, row, target, inside);
        scf::YieldOp::create(b, loc);
      });
}

/// Stores a register tile to D, through a store buffer where TMA does it.
void TileProgram::emitStore(Value tile, Value row, Value col,
                            ArrayRef<bool> inside) {
  if (problem.config.getEpilogue() != Epilogue::tma_store) {
    StoreOp::create(b, loc, tile, d, row, col, batchIndicesOf(d, 2), inside);
    return;
  }
  auto type = cast<VectorType>(tile.getType());
  auto layout =
      LayoutAttr::get(b.getContext(), Order::n_major,
                      tc::schedule::getStoreSwizzle(
                          type.getDimSize(1), type.getElementTypeBitWidth()));
  Value buffer =
      AllocOp::create(b, loc,
                      BufferType::get(type.getShape(), type.getElementType(),
                                      MemorySpace::smem, layout));
  StageOp::create(b, loc, tile, buffer);
  UnloadOp::create(b, loc, buffer, d, row, col, batchIndicesOf(d, 2));
}

LogicalResult TilePass::outline(MatmulOp op, gpu::GPUModuleOp kernels,
                                SymbolTable &symbols) {
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  if (llvm::any_of(op->getOperandTypes(), isTensor))
    return op.emitOpError() << "expected memref operands, got tensors: run "
                               "one-shot-bufferize before tmm-tile";
  ConfigAttr config = op.getConfigAttr();
  if (!config || config.getTile().size() != 3 || !config.getSwizzle() ||
      !config.getEpilogueSubtile())
    return op.emitOpError()
           << "expected a configuration with tile, swizzle and "
              "epilogue_subtile, got an incomplete one: run "
              "tmm-choose-config before tmm-tile";

  // An output that is known to have no elements needs no kernel.
  bool isEmpty = op.getStaticM() == 0 || op.getStaticN() == 0;
  for (unsigned dim = 0; dim < op.getBatchRank(); ++dim)
    isEmpty |= op.getStaticBatch(dim) == 0;
  if (isEmpty) {
    op.erase();
    return success();
  }

  OpBuilder b(op);
  Location loc = op.getLoc();
  Problem problem{op,
                  config,
                  {},
                  {},
                  {},
                  {},
                  config.getTile()[0],
                  config.getTile()[1],
                  config.getTile()[2],
                  config.getCtaGroup().value_or(1)};
  auto dim = [&](Value memref, unsigned index) -> Value {
    return b.createOrFold<memref::DimOp>(loc, memref, index);
  };
  problem.m = dim(op.getD(), op.getMDimOfD());
  problem.n = dim(op.getD(), op.getNDimOfD());
  problem.k = dim(op.getA(), op.getKDimOfA());
  for (unsigned i = 0; i < op.getBatchRank(); ++i)
    problem.batch.push_back(dim(op.getD(), i));

  // The kernel: the three matrices, what else the epilogue reads, and the sizes
  // that are not constants.
  SmallVector<Value> operands = {op.getA(), op.getB(), op.getD()};
  for (Value extra : op.getExtras())
    if (isKernelOperand(op, extra))
      operands.push_back(extra);
  SmallVector<Type> types(ValueRange(operands).getTypes());
  SmallVector<Value> sizes;
  auto addSize = [&](int64_t size, Value value) {
    if (ShapedType::isStatic(size))
      return;
    types.push_back(b.getI32Type());
    sizes.push_back(value);
  };
  addSize(op.getStaticM(), problem.m);
  addSize(op.getStaticN(), problem.n);
  addSize(op.getStaticK(), problem.k);
  for (auto [dim, value] : llvm::enumerate(problem.batch))
    addSize(op.getStaticBatch(dim), value);
  auto function = op->getParentOfType<FunctionOpInterface>();
  std::string name = (function.getName() + "_matmul").str();
  OpBuilder kernelBuilder(op.getContext());
  auto kernel = gpu::GPUFuncOp::create(kernelBuilder, loc, name,
                                       b.getFunctionType(types, {}));
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  kernel.setKnownBlockSizeAttr(b.getDenseI32ArrayAttr({kThreads, 1, 1}));
  auto ctas = static_cast<int32_t>(problem.ctas);
  if (ctas > 1)
    kernel.setKnownClusterSizeAttr(b.getDenseI32ArrayAttr({ctas, 1, 1}));
  kernel->setAttr("tmm.config", config);
  symbols.insert(kernel);
  kernelBuilder.setInsertionPointToStart(&kernel.getBody().front());
  TileProgram(kernelBuilder, problem, kernel).emit();

  // The host: one CTA or pair per tile unless the configuration limits the
  // grid, and no launch where there is no output.
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  Value tilesM = b.createOrFold<arith::CeilDivUIOp>(loc, problem.m,
                                                    constant(problem.tileM));
  Value tilesN = b.createOrFold<arith::CeilDivUIOp>(loc, problem.n,
                                                    constant(problem.tileN));
  Value tiles = b.createOrFold<arith::MulIOp>(loc, tilesM, tilesN);
  for (Value size : problem.batch)
    tiles = b.createOrFold<arith::MulIOp>(loc, tiles, size);
  Value grid = tiles;
  if (config.getSms())
    grid = b.createOrFold<arith::MinUIOp>(
        loc, tiles, constant(*config.getSms() / problem.ctas));
  if (ctas > 1)
    grid = b.createOrFold<arith::MulIOp>(loc, grid, constant(ctas));
  Value some = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ne,
                                             tiles, constant(0));
  auto guard = scf::IfOp::create(b, loc, some);
  b.setInsertionPointToStart(guard.thenBlock());
  for (Value size : sizes)
    operands.push_back(
        arith::IndexCastOp::create(b, loc, b.getI32Type(), size));
  Value one = constant(1);
  gpu::KernelDim3 blocks{grid, one, one}, threads{constant(kThreads), one, one};
  std::optional<gpu::KernelDim3> cluster;
  if (ctas > 1)
    cluster = gpu::KernelDim3{constant(ctas), one, one};
  auto launch = gpu::LaunchFuncOp::create(
      b, loc, kernel, blocks, threads,
      /*dynamicSharedMemorySize=*/Value(), operands,
      /*asyncTokenType=*/Type(), /*asyncDependencies=*/ValueRange(), cluster);
  launch->setAttr("tmm.problem", describeProblem(op));
  op.erase();
  return success();
}

void TilePass::runOnOperation() {
  ModuleOp module = getOperation();
  SmallVector<MatmulOp> matmuls;
  module.walk([&](MatmulOp op) { matmuls.push_back(op); });
  if (matmuls.empty())
    return;
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                  b.getUnitAttr());
  auto target = NVVM::NVVMTargetAttr::get(
      b.getContext(), /*optLevel=*/2, "nvptx64-nvidia-cuda", chip, features);
  auto kernels = gpu::GPUModuleOp::create(b, module.getLoc(), "kernels",
                                          b.getArrayAttr({target}));
  SymbolTable(module).insert(kernels);
  SymbolTable symbols(kernels);
  for (MatmulOp op : matmuls)
    if (failed(outline(op, kernels, symbols)))
      return signalPassFailure();
}
