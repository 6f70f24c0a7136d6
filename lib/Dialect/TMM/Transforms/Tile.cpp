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

#include "ProblemChecks.h"

#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Dialect/TMM/Transforms/Passes.h"
#include "tc/Schedule/MatmulConfig.h"
#include "tc/Support/MatrixUnit.h"
#include "tc/Support/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
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
using namespace tc;
using namespace tc::tmm;

namespace {

/// Whether the kernel takes extra operand `extra`: constants become part of it,
/// and D is an argument already.
bool isKernelOperand(MatmulOp op, Value extra) {
  return extra != op.getD() && !matchPattern(extra, m_Constant());
}

/// What the kernel needs of the problem, with the sizes as the host sees them.
struct Problem {
  MatmulOp op;
  ConfigAttr config;
  Value m, n, k;            // index, on the host
  SmallVector<Value> batch; // the same, sizes of the batch dimensions of D
  int64_t tileM, tileN, tileK;
  /// CTAs that execute a matrix instruction as one, along M.
  int64_t span;
  /// CTAs of a cluster along M (those of a span among them) and N.
  int64_t clusterM, clusterN;
  /// What the matrix unit makes of it.
  TileParts parts;

  int64_t clusterCtas() const { return clusterM * clusterN; }
  /// Rows of a tile that one CTA holds.
  int64_t rows() const { return tileM / span; }
  /// Rows and columns of D that a cluster computes together.
  int64_t clusterRows() const { return rows() * clusterM; }
  int64_t clusterCols() const { return tileN * clusterN; }
  /// The CTAs of a cluster with the same place in the dimensions that are not
  /// `along`: 0, within a span; 1, along M; 2, along N. Null for each alone.
  AgentSetAttrInterface getCtas(int64_t along) const;
};

/// Emits the body of a kernel. Member functions follow the nesting.
class TileProgram {
public:
  TileProgram(OpBuilder &builder, Problem &problem, gpu::GPUFuncOp kernel)
      : b(builder), loc(problem.op.getLoc()), problem(problem) {
    a = named(kernel.getArgument(0), "a");
    bMatrix = named(kernel.getArgument(1), "b");
    d = named(kernel.getArgument(2), "d");
    next = 3;
    for (Value extra : problem.op.getExtras())
      extras.push_back(isKernelOperand(problem.op, extra)
                           ? Value(kernel.getArgument(next++))
                           : Value());
    for (unsigned number = 0; number < problem.op.getScales().size(); ++number)
      scales.push_back(kernel.getArgument(next++));
    m = size(kernel, problem.op.getStaticM());
    n = size(kernel, problem.op.getStaticN());
    k = size(kernel, problem.op.getStaticK());
    for (unsigned dim = 0; dim < problem.op.getBatchRank(); ++dim)
      batch.push_back(size(kernel, problem.op.getStaticBatch(dim)));
  }

  void emit();

private:
  /// `argument` with the name that printed IR may give it.
  Value named(Value argument, StringRef name) {
    argument.setLoc(NameLoc::get(b.getStringAttr(name), argument.getLoc()));
    return argument;
  }
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
  Value emitMainLoop(Value acc, Value row, Value col, Value bCol,
                     Value firstBlock, Value blockCount);
  SmallVector<Value, 2> emitScaleLoads(Value row, Value col, Value block,
                                       uint64_t stages);
  SmallVector<Value, 2> emitScaleCopies(ArrayRef<Value> loaded);
  void emitRoles();
  Value emitRequest();
  Value emitNext(Value scheduler, Value work, Value answer);
  void emitEpilogue(Value acc, Value row, Value col, Value written);
  void emitColumns(Value acc, Value row, Value target, Value column,
                   int64_t number, Value written);
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
  /// The scale factors of A and B, or nothing.
  SmallVector<Value> scales;
  unsigned next;
};

struct TilePass : tc::tmm::impl::TilePassBase<TilePass> {
  using TilePassBase::TilePassBase;
  void runOnOperation() override;
  LogicalResult outline(MatmulOp op, gpu::GPUModuleOp kernels,
                        SymbolTable &symbols);

  /// The PTX version that the kernels need, as far as they ask for one.
  unsigned ptxVersion = 0;
};

} // namespace

AgentSetAttrInterface Problem::getCtas(int64_t along) const {
  SmallVector<int64_t> shape = {span, clusterM / span, clusterN};
  if (shape[along] == 1)
    return {};
  // Dimensions with one CTA say nothing.
  SmallVector<int64_t> kept;
  int64_t position = 0;
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    if (int64_t(dim) == along)
      position = kept.size();
    if (extent != 1)
      kept.push_back(extent);
  }
  return CtasAttr::get(const_cast<MatmulOp &>(op).getContext(), kept,
                       {position});
}

/// Declares the roles of a kernel that is to be cut.
void TileProgram::emitRoles() {
  if (problem.config.getRoles() != Roles::specialized)
    return;
  int64_t registers = problem.config.getEpilogueRegisters().value_or(0);
  int64_t others = registers ? tc::schedule::kRoleRegisters : 0;
  for (const RoleRequest &role : problem.parts.roles)
    RoleOp::create(b, loc, b.getStringAttr(role.name), uint64_t(role.warps),
                   /*turns=*/uint64_t(1), /*loop=*/StringAttr(),
                   uint64_t(role.stores ? registers : others),
                   b.getArrayAttr(role.drives));
  // A warpgroup moves its registers as one: warps without work complete it.
  int64_t warps = 0;
  for (const RoleRequest &role : problem.parts.roles)
    warps += role.warps;
  int64_t idle = llvm::alignTo(warps, kWarpgroupThreads / kWarpThreads) - warps;
  if (registers && idle)
    RoleOp::create(b, loc, b.getStringAttr("idle"), uint64_t(idle),
                   /*turns=*/uint64_t(1), /*loop=*/StringAttr(),
                   uint64_t(others), b.getArrayAttr({}));
}

/// Asks for the work of CTAs that have not started, where work is taken over.
Value TileProgram::emitRequest() {
  if (problem.config.getScheduler() != Scheduler::clc)
    return {};
  // The answer to a request is read when its tile is stored; the loads are that
  // many tiles ahead of it.
  int64_t ahead = problem.config.getAccumulatorStages().value_or(1) + 1;
  Value answer = AllocOp::create(
      b, loc, BufferType::get({1, 2}, b.getI64Type(), problem.parts.answer),
      uint64_t(ahead));
  int64_t ctas = problem.clusterCtas();
  AgentSetAttrInterface all;
  if (ctas > 1)
    all = CtasAttr::get(b.getContext(), {ctas}, {int64_t(0)});
  RequestWorkOp::create(b, loc, answer, all, problem.parts.workSource,
                        /*role=*/StringAttr(), /*signal=*/Value());
  return answer;
}

/// The work item after `work`: computed, or that of `answer`.
Value TileProgram::emitNext(Value scheduler, Value work, Value answer) {
  if (!answer)
    return NextWorkOp::create(b, loc, scheduler, work);
  Value number = QueryWorkOp::create(b, loc, answer, problem.parts.workSource,
                                     /*role=*/StringAttr());
  // Counted in clusters. Toward minus infinity: -1 stays the end of work.
  if (problem.clusterCtas() > 1)
    number = arith::FloorDivSIOp::create(b, loc, number,
                                         constant(problem.clusterCtas()));
  return WorkAtOp::create(b, loc, scheduler, number);
}

void TileProgram::emit() {
  emitRoles();
  SmallVector<int64_t> tile = {problem.clusterRows(), problem.clusterCols(),
                               problem.tileK};
  Value count;
  for (Value size : batch)
    count = count ? b.createOrFold<arith::MulIOp>(loc, count, size) : size;
  auto rule = StaticSchedulerAttr::get(b.getContext(),
                                       problem.config.getRaster().value_or(0));
  Value scheduler = SchedulerOp::create(b, loc, rule, m, n, k, count, tile,
                                        problem.clusterCtas());
  bool overlapsLaunches = problem.config.getPdl().value_or(false);
  if (overlapsLaunches)
    WaitPrerequisitesOp::create(b, loc, /*role=*/StringAttr());
  Value first = FirstWorkOp::create(b, loc, scheduler);
  scf::WhileOp::create(
      b, loc, TypeRange{first.getType()}, ValueRange{first},
      [&](OpBuilder &, Location, ValueRange args) {
        Value valid = WorkValidOp::create(b, loc, scheduler, args[0]);
        scf::ConditionOp::create(b, loc, valid, args);
      },
      [&](OpBuilder &, Location, ValueRange args) {
        LoopOp::create(b, loc, "tiles");
        // Asked for first, so that the next tile is known when this one is
        // done.
        Value answer = emitRequest();
        auto coordinates = WorkTileOp::create(b, loc, scheduler, args[0]);
        if (count)
          emitBatchIndices(WorkBatchOp::create(b, loc, scheduler, args[0]));
        emitTile(coordinates.getRow(), coordinates.getCol(),
                 coordinates.getFirstBlock(), coordinates.getBlockCount());
        scf::YieldOp::create(b, loc, emitNext(scheduler, args[0], answer));
      });
  if (overlapsLaunches)
    LaunchDependentsOp::create(b, loc, problem.parts.load,
                               /*role=*/StringAttr());
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
  // The part of the cluster's tile that is this CTA's: rows of A and D, columns
  // of B and D. CTAs of a span have the same columns of D, and of those each a
  // part of B, which the matrix unit reads from all of them.
  Value bCol = col;
  int64_t rows = problem.rows(), bRows = problem.parts.bRows;
  if (problem.clusterCtas() > 1) {
    Value rank = gpu::ClusterBlockIdOp::create(b, loc, gpu::Dimension::x);
    rank = arith::IndexCastOp::create(b, loc, b.getI32Type(), rank);
    auto after = [&](Value first, Value number, int64_t extent) -> Value {
      Value part = arith::MulIOp::create(b, loc, number, constant(extent));
      return arith::AddIOp::create(b, loc, first, part);
    };
    Value along = rank;
    if (problem.clusterN > 1) {
      Value height = constant(problem.clusterM);
      along = arith::RemUIOp::create(b, loc, rank, height);
      Value number = arith::DivUIOp::create(b, loc, rank, height);
      bCol = col = after(col, number, problem.tileN);
    }
    row = after(row, along, rows);
    if (problem.span > 1) {
      Value inSpan = along;
      if (problem.clusterM > problem.span)
        inSpan = arith::RemUIOp::create(b, loc, along, constant(problem.span));
      bCol = after(bCol, inSpan, bRows);
    }
  }
  Value acc;
  if (problem.parts.accumulator)
    acc = AllocOp::create(
        b, loc,
        BufferType::get({rows, problem.tileN}, b.getF32Type(),
                        problem.parts.accumulator),
        uint64_t(problem.config.getAccumulatorStages().value_or(1)));
  Value sum = emitMainLoop(acc, row, col, bCol, firstBlock, blockCount);
  Value written = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                        blockCount, constant(0));
  emitEpilogue(sum, row, col, written);
}

/// Loads the scale factors of the rows of A from `row` and of all columns of B
/// from `col` on, of K-block `block`. Returns the buffers; none without.
SmallVector<Value, 2> TileProgram::emitScaleLoads(Value row, Value col,
                                                  Value block,
                                                  uint64_t stages) {
  SmallVector<Value, 2> loaded;
  int64_t columns = problem.tileK / kScaleBlockK;
  std::pair<Value, int64_t> places[] = {{row, problem.rows()},
                                        {col, problem.tileN}};
  Value column;
  if (!scales.empty())
    column = arith::MulIOp::create(b, loc, block, constant(columns));
  for (auto [source, place] : llvm::zip(scales, places)) {
    auto [first, rows] = place;
    Type element = cast<ShapedType>(source.getType()).getElementType();
    Value buffer = AllocOp::create(
        b, loc, BufferType::get({rows, columns}, element, problem.parts.scales),
        stages);
    LoadOp::create(b, loc, source, first, column, buffer,
                   batchIndicesOf(source, kScalesRank), /*transposed=*/false,
                   /*blocked=*/true, CacheHint::none,
                   /*to=*/AgentSetAttrInterface(), problem.parts.load,
                   /*role=*/StringAttr(),
                   /*signal=*/Value());
    loaded.push_back(buffer);
  }
  return loaded;
}

/// Copies scale factors to where the unit reads them.
SmallVector<Value, 2> TileProgram::emitScaleCopies(ArrayRef<Value> loaded) {
  if (!problem.parts.copy)
    return SmallVector<Value, 2>(loaded);
  SmallVector<Value, 2> copied;
  auto stages = uint64_t(problem.config.getScaleStages().value_or(1));
  for (Value buffer : loaded) {
    auto type = cast<BufferType>(buffer.getType());
    copied.push_back(
        AllocOp::create(b, loc,
                        BufferType::get(type.getShape(), type.getElementType(),
                                        problem.parts.scaleColumns),
                        stages));
  }
  for (auto [from, to] : llvm::zip_equal(loaded, copied))
    CopyOp::create(b, loc, from, to, problem.getCtas(/*along=*/0),
                   problem.parts.copy, /*role=*/StringAttr());
  return copied;
}

/// The loop over K-blocks; returns the accumulator, `acc` or a value.
Value TileProgram::emitMainLoop(Value acc, Value row, Value col, Value bCol,
                                Value firstBlock, Value blockCount) {
  const TileParts &parts = problem.parts;
  auto aTile =
      BufferType::get({problem.rows(), problem.tileK},
                      cast<ShapedType>(a.getType()).getElementType(), parts.a);
  auto bTile = BufferType::get(
      {parts.bRows, problem.tileK},
      cast<ShapedType>(bMatrix.getType()).getElementType(), parts.b);
  auto stages = uint64_t(problem.config.getStages().value_or(1));
  Value zero = constant(0), one = constant(1);
  SmallVector<Value> inits;
  if (!acc) {
    auto type =
        VectorType::get({problem.rows(), problem.tileN}, b.getF32Type());
    inits.push_back(arith::ConstantOp::create(b, loc, b.getZeroAttr(type)));
  }
  auto loop = scf::ForOp::create(
      b, loc, zero, blockCount, one, inits,
      [&](OpBuilder &, Location, Value block, ValueRange sums) {
        Value aBuffer = AllocOp::create(b, loc, aTile, stages);
        Value bBuffer = AllocOp::create(b, loc, bTile, stages);
        Value index = arith::AddIOp::create(b, loc, firstBlock, block);
        Value kcol =
            arith::MulIOp::create(b, loc, index, constant(problem.tileK));
        LoadOp::create(
            b, loc, a, row, kcol, aBuffer, batchIndicesOf(a, /*matrixRank=*/2),
            problem.op.getTransposeA(), /*blocked=*/false,
            problem.config.getCacheHintA().value_or(CacheHint::none),
            problem.getCtas(/*along=*/2), parts.load, /*role=*/StringAttr(),
            /*signal=*/Value());
        LoadOp::create(b, loc, bMatrix, bCol, kcol, bBuffer,
                       batchIndicesOf(bMatrix, /*matrixRank=*/2),
                       !problem.op.getTransposeB(), /*blocked=*/false,
                       problem.config.getCacheHintB().value_or(CacheHint::none),
                       problem.getCtas(/*along=*/1), parts.load,
                       /*role=*/StringAttr(),
                       /*signal=*/Value());
        SmallVector<Value, 2> factors =
            emitScaleCopies(emitScaleLoads(row, col, index, stages));
        // Elements behind K are zero, but their factors may be NaN.
        Value extent;
        int64_t staticK = problem.op.getStaticK();
        if (!factors.empty() &&
            (ShapedType::isDynamic(staticK) || staticK % problem.tileK != 0))
          extent = arith::SubIOp::create(b, loc, k, kcol);
        Value accumulate = arith::CmpIOp::create(
            b, loc, arith::CmpIPredicate::ne, block, zero);
        factors.resize(2);
        auto mma = MmaOp::create(
            b, loc, TypeRange(sums), aBuffer, bBuffer, acc ? acc : sums[0],
            factors[0], factors[1], extent, accumulate,
            problem.getCtas(/*along=*/0), parts.multiply,
            acc ? RegisterLayoutAttrInterface() : parts.registers,
            /*role=*/StringAttr());
        scf::YieldOp::create(b, loc, mma->getResults());
      });
  return acc ? acc : loop.getResult(0);
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
          b.getDenseBoolArrayAttr(inside), problem.parts.registers,
          /*role=*/StringAttr()));
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
  }
  return mapping.lookup(cast<YieldOp>(block.getTerminator()).getValue());
}

void TileProgram::emitEpilogue(Value acc, Value row, Value col, Value written) {
  int64_t width = *problem.config.getEpilogueSubtile();
  if (!isa<BufferType>(acc.getType())) {
    // Registers have no address: a part of them is known when compiling.
    for (int64_t at = 0; at < problem.tileN; at += width) {
      Value target = arith::AddIOp::create(b, loc, col, constant(at));
      emitColumns(acc, row, target, /*column=*/Value(), at, written);
    }
    return;
  }
  scf::ForOp::create(
      b, loc, constant(0), constant(problem.tileN), constant(width),
      ValueRange(), [&](OpBuilder &, Location, Value column, ValueRange) {
        Value target = arith::AddIOp::create(b, loc, col, column);
        emitColumns(acc, row, target, column, /*number=*/0, written);
        scf::YieldOp::create(b, loc);
      });
}

/// The epilogue of the columns from `column`, or `number` of a value, on, which
/// are stored from `target` on.
void TileProgram::emitColumns(Value acc, Value row, Value target, Value column,
                              int64_t number, Value written) {
  Type outType = cast<ShapedType>(d.getType()).getElementType();
  VectorType sumType = tileType(b.getF32Type()), dType = tileType(outType);
  // A static size that tiles divide has no tail.
  auto whole = [](int64_t size, int64_t tile) {
    return !ShapedType::isDynamic(size) && size % tile == 0;
  };
  SmallVector<bool> inside = {
      whole(problem.op.getStaticM(), problem.clusterRows()),
      whole(problem.op.getStaticN(), problem.clusterCols())};
  // Before the accumulator is read: the loads are on their way while it comes.
  SmallVector<Value> operands = emitExtras(row, target, inside);
  Value sum;
  if (column)
    sum = ReadOp::create(b, loc, sumType, acc, column, written,
                         problem.parts.registers, /*role=*/StringAttr());
  else
    sum = vector::ExtractStridedSliceOp::create(
        b, loc, acc, ArrayRef<int64_t>{0, number}, sumType.getShape(),
        ArrayRef<int64_t>{1, 1});
  if (problem.op.getAccumulate()) {
    Value old =
        FetchOp::create(b, loc, dType, d, row, target, batchIndicesOf(d, 2),
                        AlongAttr(), b.getDenseBoolArrayAttr(inside),
                        problem.parts.registers, /*role=*/StringAttr());
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
}

/// Stores a register tile to D, through a store buffer where TMA does it.
void TileProgram::emitStore(Value tile, Value row, Value col,
                            ArrayRef<bool> inside) {
  if (problem.config.getEpilogue() != Epilogue::tma_store) {
    StoreOp::create(b, loc, tile, d, row, col, batchIndicesOf(d, 2),
                    b.getDenseBoolArrayAttr(inside), problem.parts.registers,
                    /*role=*/StringAttr());
    return;
  }
  auto type = cast<VectorType>(tile.getType());
  Value buffer =
      AllocOp::create(b, loc,
                      BufferType::get(type.getShape(), type.getElementType(),
                                      problem.parts.staging),
                      uint64_t(problem.config.getStoreStages().value_or(1)));
  StageOp::create(b, loc, tile, buffer, problem.parts.registers,
                  /*role=*/StringAttr());
  UnloadOp::create(b, loc, buffer, d, row, col, batchIndicesOf(d, 2),
                   problem.parts.store, /*role=*/StringAttr());
}

/// The parts of a kernel for `op` on `chip`, as the matrix unit of the chip
/// says.
static FailureOr<TileParts> getParts(MatmulOp op, ConfigAttr config,
                                     StringRef chip) {
  auto element = [](Value matrix) {
    return cast<ShapedType>(matrix.getType()).getElementType();
  };
  int64_t subtile = *config.getEpilogueSubtile();
  TileRequest request{config.getTile()[0],
                      config.getTile()[1],
                      config.getTile()[2],
                      config.getCtaGroup().value_or(1),
                      element(op.getA()),
                      element(op.getB()),
                      element(op.getD()),
                      !op.getTransposeA(),
                      op.getTransposeB(),
                      *config.getSwizzle(),
                      subtile,
                      tc::schedule::getStoreSwizzle(
                          subtile, element(op.getD()).getIntOrFloatBitWidth())};
  if (op.isScaled()) {
    request.scale = element(op.getScaleA());
    request.scaleBlock = kScaleBlockK;
  }
  DialectInterfaceCollection<MatrixUnitInterface> units(op.getContext());
  for (const MatrixUnitInterface &unit : units)
    if (unit.isUnitOf(chip))
      return unit.getParts(request, [&] { return op.emitOpError(); });
  return op.emitOpError() << "expected a chip with a matrix unit that kernels "
                             "are made for, got "
                          << chip;
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

  if (failed(checkOverlap(op)))
    return failure();
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
  FailureOr<TileParts> parts = getParts(op, config, chip);
  if (failed(parts))
    return failure();
  if (config.getScheduler() == Scheduler::clc && !parts->workSource)
    return op.emitOpError() << "expected scheduler static on " << chip
                            << ", which cannot take over work, got clc";
  if (op.isScaled() && !parts->scales)
    return op.emitOpError() << "expected operands without scale factors on "
                            << chip << ", whose matrix unit takes none";
  ptxVersion = std::max(ptxVersion, parts->ptxVersion);
  Problem problem{op,
                  config,
                  {},
                  {},
                  {},
                  {},
                  config.getTile()[0],
                  config.getTile()[1],
                  config.getTile()[2],
                  config.getCtaGroup().value_or(1),
                  /*clusterM=*/1,
                  /*clusterN=*/1,
                  std::move(*parts)};
  if (config.getCluster().size() == 2) {
    problem.clusterM = config.getCluster()[0];
    problem.clusterN = config.getCluster()[1];
  }
  problem.clusterM = std::max(problem.clusterM, problem.span);
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
  llvm::append_range(operands, op.getScales());
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
  int64_t threadCount = problem.parts.threads;
  kernel.setKnownBlockSizeAttr(
      b.getDenseI32ArrayAttr({static_cast<int32_t>(threadCount), 1, 1}));
  auto ctas = static_cast<int32_t>(problem.clusterCtas());
  if (ctas > 1)
    kernel.setKnownClusterSizeAttr(b.getDenseI32ArrayAttr({ctas, 1, 1}));
  symbols.insert(kernel);
  kernelBuilder.setInsertionPointToStart(&kernel.getBody().front());
  TileProgram(kernelBuilder, problem, kernel).emit();

  // The host: one cluster per tile unless the configuration limits the grid,
  // and no launch where there is no output.
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  Value tilesM = b.createOrFold<arith::CeilDivUIOp>(
      loc, problem.m, constant(problem.clusterRows()));
  Value tilesN = b.createOrFold<arith::CeilDivUIOp>(
      loc, problem.n, constant(problem.clusterCols()));
  Value tiles = b.createOrFold<arith::MulIOp>(loc, tilesM, tilesN);
  for (Value size : problem.batch)
    tiles = b.createOrFold<arith::MulIOp>(loc, tiles, size);
  Value grid = tiles;
  if (config.getSms() && config.getScheduler() != Scheduler::clc)
    grid = b.createOrFold<arith::MinUIOp>(
        loc, tiles, constant(*config.getSms() / problem.clusterCtas()));
  if (ctas > 1)
    grid = b.createOrFold<arith::MulIOp>(loc, grid, constant(ctas));
  Value some = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ne,
                                             tiles, constant(0));
  auto guard = scf::IfOp::create(b, loc, some);
  b.setInsertionPointToStart(guard.thenBlock());
  emitSizeChecks(b, op);
  // Work items are numbers of 32 bits, as the CTAs of a grid are.
  constexpr int64_t kMaxCtas = std::numeric_limits<int32_t>::max();
  int64_t mostTiles = kMaxCtas / problem.clusterCtas();
  if (std::optional<int64_t> known = getConstantIntValue(tiles)) {
    if (*known > mostTiles)
      return op.emitOpError()
             << "expected D of at most " << mostTiles
             << " tiles, the work items of one launch, got " << *known;
  } else {
    Value few = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, tiles,
                                      constant(mostTiles));
    cf::AssertOp::create(b, loc, few,
                         "D must have at most " + std::to_string(mostTiles) +
                             " tiles, the work items of one launch");
  }
  for (Value size : sizes)
    operands.push_back(
        arith::IndexCastOp::create(b, loc, b.getI32Type(), size));
  Value one = constant(1);
  gpu::KernelDim3 blocks{grid, one, one},
      threads{constant(threadCount), one, one};
  std::optional<gpu::KernelDim3> cluster;
  if (ctas > 1)
    cluster = gpu::KernelDim3{constant(ctas), one, one};
  auto statement = ProblemOp::create(
      b, loc, op.getA(), op.getB(), op.getD(), op.getExtras(), op.getScaleA(),
      op.getScaleB(), op.getAccumulateAttr(), op.getTransposeAAttr(),
      op.getTransposeBAttr(), op.getAlongAttr(), op.getEpilogues().size());
  for (auto [from, to] :
       llvm::zip_equal(op.getEpilogues(), statement.getEpilogues()))
    to.takeBody(from);
  gpu::LaunchFuncOp::create(b, loc, kernel, blocks, threads,
                            /*dynamicSharedMemorySize=*/Value(), operands,
                            /*asyncTokenType=*/Type(),
                            /*asyncDependencies=*/ValueRange(), cluster);
  op.erase();
  return success();
}

/// `features` with a PTX version of at least `least`: "+ptx86" becomes
/// "+ptx88".
static std::string raisePtxVersion(StringRef features, unsigned least) {
  StringRef version = features;
  unsigned number;
  if (least == 0 || !version.consume_front("+ptx") ||
      version.getAsInteger(10, number) || number >= least)
    return features.str();
  return "+ptx" + std::to_string(least);
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
  auto getTargets = [&] {
    auto target = NVVM::NVVMTargetAttr::get(
        b.getContext(), /*optLevel=*/2, "nvptx64-nvidia-cuda", chip,
        raisePtxVersion(features, ptxVersion));
    return b.getArrayAttr({target});
  };
  ptxVersion = 0;
  auto kernels =
      gpu::GPUModuleOp::create(b, module.getLoc(), "kernels", getTargets());
  SymbolTable(module).insert(kernels);
  SymbolTable symbols(kernels);
  for (MatmulOp op : matmuls)
    if (failed(outline(op, kernels, symbols)))
      return signalPassFailure();
  kernels.setTargetsAttr(getTargets());
}
