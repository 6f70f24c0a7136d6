//===- TileProgram.cpp - the kernel of a matmul -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops over the tiles that the scheduler assigns and over their K-blocks, in
// one thread of control.
//
//===----------------------------------------------------------------------===//

#include "TileProgram.h"

#include "BlockedOperands.h"
#include "ConfigTranslation.h"
#include "TileEpilogue.h"

#include "tc/Schedule/MatmulConfig.h"
#include "tc/Support/Target.h"
#include "tc/Support/Units.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

bool tc::tmm::isKernelOperand(MatmulOp op, Value extra) {
  return extra != op.getD() && !matchPattern(extra, m_Constant());
}

namespace {

/// The name of the loop over tiles, in which instances of a role take turns.
constexpr StringLiteral kTilesLoop = "tiles";

/// Emits the body of a kernel. Member functions follow the nesting.
class TileProgram {
public:
  TileProgram(OpBuilder &builder, TileProblem &problem, gpu::GPUFuncOp kernel)
      : b(builder), loc(problem.op.getLoc()), problem(problem) {
    a = named(kernel.getArgument(0), "a");
    bMatrix = named(kernel.getArgument(1), "b");
    d = named(kernel.getArgument(2), "d");
    next = 3;
    if (problem.op.getScaleD())
      scaleD = kernel.getArgument(next++);
    if (problem.op.getAmax())
      amax = kernel.getArgument(next++);
    for (Value extra : problem.op.getExtras())
      extras.push_back(isKernelOperand(problem.op, extra)
                           ? Value(kernel.getArgument(next++))
                           : Value());
    for (unsigned i = 0; i < problem.op.getScales().size(); ++i)
      scales.push_back(kernel.getArgument(next++));
    if (problem.op.getPromotedK() == 0)
      blocked = scales;
    if (problem.op.isSparse())
      blocked.push_back(kernel.getArgument(next++));
    if (problem.op.getRows())
      rows = named(kernel.getArgument(next++), "rows");
    m = size(kernel, problem.op.getStaticM());
    n = size(kernel, problem.op.getStaticN());
    k = size(kernel, problem.op.getStaticK());
    for (unsigned dim = 0; dim < problem.op.getBatchRank(); ++dim)
      batch.push_back(size(kernel, problem.op.getStaticBatch(dim)));
    if (problem.countsWork())
      counter = named(kernel.getArgument(next++), "counter");
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
  void emitFirstFactors(Promotion &promotion, Value blockCount);
  Value emitMainLoop(Value acc, Value row, Value col, Value bCol,
                     Value firstBlock, Value blockCount);
  void emitLoads(Value row, Value bCol, Value index, Value kcol, Value aBuffer,
                 Value bBuffer);
  Value emitAccumulator();
  void emitRoles();
  void emitRequest(Value scheduler);
  void emitAnswer();
  Value emitNext(Value scheduler, Value work);

  OpBuilder &b;
  Location loc;
  TileProblem &problem;
  Value a, bMatrix, d, m, n, k;
  /// Sizes of the batch dimensions of D, and the indices of the current tile.
  SmallVector<Value> batch, batchIndices;
  /// The extra operands; null where they are not passed.
  SmallVector<Value> extras;
  /// The scale factors of A and B and the metadata of A, as far as there are
  /// any.
  SmallVector<Value> blocked;
  /// Scale factors, in blocks or not.
  SmallVector<Value> scales;
  /// What is written beside D; null: is not.
  Value scaleD, amax;
  /// Tells which rows problems have, and where those of the current tile's
  /// problem end; null: each has all.
  Value rows, end;
  /// Counts requests for work; null where nothing does.
  Value counter;
  /// The request for work of the current tile that is counted, of how many, and
  /// the answer; null where there is none.
  Value request, count, answer;
  unsigned next;
};

} // namespace

/// Declares the roles of a kernel that is to be cut.
void TileProgram::emitRoles() {
  if (problem.config.getRoles().value_or(Roles::none) == Roles::none)
    return;
  int64_t registers = problem.config.getEpilogueRegisters().value_or(0);
  int64_t others = registers ? tc::schedule::kRoleRegisters : 0;
  for (const RoleRequest &role : problem.parts.roles)
    RoleOp::create(b, loc, b.getStringAttr(role.name), uint64_t(role.warps),
                   uint64_t(role.turns),
                   role.turns > 1 ? b.getStringAttr(kTilesLoop) : StringAttr(),
                   uint64_t(role.stores ? registers : others),
                   b.getArrayAttr(role.drives));
  // A warpgroup moves its registers as one: warps without work complete it.
  int64_t warps = 0;
  for (const RoleRequest &role : problem.parts.roles)
    warps += role.warps * role.turns;
  int64_t idle = llvm::alignTo(warps, kWarpgroupThreads / kWarpThreads) - warps;
  if (registers && idle)
    RoleOp::create(b, loc, b.getStringAttr("idle"), uint64_t(idle),
                   /*turns=*/uint64_t(1), /*loop=*/StringAttr(),
                   uint64_t(others), b.getArrayAttr({}));
}

/// The CTAs that get one answer; null for each alone.
static AgentSetAttrInterface getAsking(const TileProblem &problem) {
  int64_t ctas = problem.clusterCtas();
  if (ctas == 1)
    return {};
  return CtasAttr::get(problem.config.getContext(), {ctas}, {int64_t(0)});
}

/// Asks for the work of CTAs that have not started, where it is not computed.
void TileProgram::emitRequest(Value scheduler) {
  EngineAttrInterface engine = problem.getWorkEngine();
  if (!engine)
    return;
  AgentSetAttrInterface all = getAsking(problem);
  if (counter) {
    count = WorkCountOp::create(b, loc, b.getI32Type(), scheduler);
    request = CountRequestOp::create(b, loc, b.getI32Type(), counter, count,
                                     all, engine, /*role=*/StringAttr());
    return;
  }
  int64_t slots = schedule::getAnswerSlots(tc::tmm::getConfig(problem.op));
  answer = AllocOp::create(
      b, loc, BufferType::get({1, 2}, b.getI64Type(), problem.parts.answer),
      uint64_t(slots));
  RequestWorkOp::create(b, loc, answer, all, engine, /*role=*/StringAttr(),
                        /*signal=*/Value());
}

/// Hands the answer to a request that is counted to all roles: when the loads
/// of the tile are on their way, so that the requesting role does not wait for
/// it earlier.
void TileProgram::emitAnswer() {
  if (!request)
    return;
  int64_t slots = schedule::getAnswerSlots(tc::tmm::getConfig(problem.op));
  answer = AllocOp::create(
      b, loc, BufferType::get({1, 1}, b.getI32Type(), problem.parts.answer),
      uint64_t(slots));
  AnswerRequestOp::create(b, loc, request, count, answer, getAsking(problem),
                          problem.getWorkEngine(), /*role=*/StringAttr(),
                          /*signal=*/Value());
}

/// The work item after `work`: computed, or that of the answer.
Value TileProgram::emitNext(Value scheduler, Value work) {
  if (!answer)
    return NextWorkOp::create(b, loc, scheduler, work);
  Value number = QueryWorkOp::create(b, loc, answer, problem.getWorkEngine(),
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
  int64_t raster = problem.config.getRaster().value_or(0);
  SchedulerAttrInterface rule =
      StaticSchedulerAttr::get(b.getContext(), raster);
  if (rows)
    rule = GroupedSchedulerAttr::get(b.getContext(), raster);
  Value scheduler =
      SchedulerOp::create(b, loc, rule, m, n, k, count, rows,
                          problem.op.isStacked(), tile, problem.clusterCtas());
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
        LoopOp::create(b, loc, kTilesLoop);
        // First, so that the next tile is known when this one is done.
        emitRequest(scheduler);
        auto coordinates = WorkTileOp::create(b, loc, scheduler, args[0]);
        if (count)
          emitBatchIndices(WorkBatchOp::create(b, loc, scheduler, args[0]));
        if (rows)
          end = WorkEndOp::create(b, loc, scheduler, args[0]);
        emitTile(coordinates.getRow(), coordinates.getCol(),
                 coordinates.getFirstBlock(), coordinates.getBlockCount());
        scf::YieldOp::create(b, loc, emitNext(scheduler, args[0]));
      });
  if (overlapsLaunches)
    LaunchDependentsOp::create(b, loc, problem.getLoadA(),
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
/// has `matrixRank` dimensions after them.
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
  if (problem.parts.accumulator && !problem.op.getPromotedK())
    acc = emitAccumulator();
  TileEpilogue epilogue(b, loc, problem, {d, scaleD, amax, extras, m, n, end},
                        [this](Value matrix, unsigned rank) {
                          return batchIndicesOf(matrix, rank);
                        });
  // On their way while the tile is multiplied.
  SmallVector<Value> fetched;
  if (problem.fetchesEarly)
    fetched = epilogue.emitFetches(row, col);
  Value sum = emitMainLoop(acc, row, col, bCol, firstBlock, blockCount);
  emitAnswer();
  Value written = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                        blockCount, constant(0));
  epilogue.emit(sum, row, col, written, fetched);
}

/// An accumulator in memory.
Value TileProgram::emitAccumulator() {
  return AllocOp::create(
      b, loc,
      BufferType::get({problem.rows(), problem.tileN},
                      problem.op.getAccumulatorType(),
                      problem.parts.accumulator),
      uint64_t(problem.config.getAccumulatorStages().value_or(1)));
}

/// Loads block `index` of A and of B along K, which begins at `kcol`.
void TileProgram::emitLoads(Value row, Value bCol, Value index, Value kcol,
                            Value aBuffer, Value bBuffer) {
  int64_t sparsity = problem.op.getSparsity();
  Value kcolOfA = kcol;
  if (sparsity != 1)
    kcolOfA = arith::MulIOp::create(b, loc, index,
                                    constant(problem.tileK / sparsity));
  LoadOp::create(b, loc, a, row, kcolOfA, aBuffer,
                 batchIndicesOf(a, /*matrixRank=*/2),
                 problem.op.getTransposeA(), /*blocked=*/false,
                 /*windows=*/WindowsAttr(),
                 problem.config.getCacheHintA().value_or(CacheHint::none),
                 problem.getTargets(problem.getLoadA(), /*along=*/2),
                 problem.getLoadA(), /*role=*/StringAttr(),
                 /*signal=*/Value());
  LoadOp::create(b, loc, bMatrix, bCol, kcol, bBuffer,
                 batchIndicesOf(bMatrix, /*matrixRank=*/2),
                 !problem.op.getTransposeB(), /*blocked=*/false,
                 /*windows=*/WindowsAttr(),
                 problem.config.getCacheHintB().value_or(CacheHint::none),
                 problem.getTargets(problem.getLoadB(), /*along=*/1),
                 problem.getLoadB(),
                 /*role=*/StringAttr(),
                 /*signal=*/Value());
}

/// Loads the factors of the first block: where there is none, nothing is read.
void TileProgram::emitFirstFactors(Promotion &promotion, Value blockCount) {
  if (!ShapedType::isDynamic(problem.op.getStaticK()))
    return emitFactors(b, problem, promotion);
  Value isThere = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                        blockCount, constant(0));
  SmallVector<Type> types;
  auto branch = scf::IfOp::create(
      b, loc, isThere,
      [&](OpBuilder &, Location) {
        emitFactors(b, problem, promotion);
        llvm::append_range(types,
                           ValueRange(promotion.getFactors()).getTypes());
        scf::YieldOp::create(b, loc, promotion.getFactors());
      },
      [&](OpBuilder &, Location) {
        SmallVector<Value> zeros;
        for (Type type : types)
          zeros.push_back(
              arith::ConstantOp::create(b, loc, b.getZeroAttr(type)));
        scf::YieldOp::create(b, loc, zeros);
      });
  promotion.setFactors(branch.getResults());
}

/// The loop over K-blocks; returns the accumulator, `acc` or a value.
Value TileProgram::emitMainLoop(Value acc, Value row, Value col, Value bCol,
                                Value firstBlock, Value blockCount) {
  const TileParts &parts = problem.parts;
  int64_t sparsity = problem.op.getSparsity();
  auto aTile =
      BufferType::get({problem.rows(), problem.tileK / sparsity},
                      cast<ShapedType>(a.getType()).getElementType(), parts.a);
  auto bTile = BufferType::get(
      {parts.bRows, problem.tileK},
      cast<ShapedType>(bMatrix.getType()).getElementType(), parts.b);
  auto stages = uint64_t(problem.config.getStages().value_or(1));
  bool isPromoted = problem.op.getPromotedK() != 0;
  // Sums of a block in registers are there when threads read them; the slot is
  // held until then.
  bool lateRelease = isPromoted
                         ? !acc && !parts.accumulator
                         : problem.config.getLateRelease().value_or(false);
  Value zero = constant(0), one = constant(1);
  auto emitZeros = [&](Type element) -> Value {
    auto type = VectorType::get({problem.rows(), problem.tileN}, element);
    return arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  };
  // Threads add up products in the type of the sum.
  SmallVector<Value> inits;
  if (!acc)
    inits.push_back(emitZeros(isPromoted ? problem.op.getSumType()
                                         : problem.op.getAccumulatorType()));
  // Factors come a block ahead: the loads take as long as a product.
  Promotion promotion{row, col, firstBlock, n, scales, {}, {}, {}};
  Value lastBlock;
  if (isPromoted) {
    for (Value factors : scales)
      promotion.batch.push_back(batchIndicesOf(factors, 2));
    Value end = arith::AddIOp::create(b, loc, firstBlock, blockCount);
    lastBlock = arith::SubIOp::create(b, loc, end, one);
    emitFirstFactors(promotion, blockCount);
    llvm::append_range(inits, promotion.getFactors());
  }
  BlockedOperands blockedOperands(b, loc, problem, blocked,
                                  [&](Value matrix, unsigned matrixRank) {
                                    return batchIndicesOf(matrix, matrixRank);
                                  });
  SmallVector<BlockedPart> blockedParts = blockedOperands.getParts(row, col, m);
  auto loop = scf::ForOp::create(
      b, loc, zero, blockCount, one, inits,
      [&](OpBuilder &, Location, Value block, ValueRange sums) {
        Value aBuffer =
            AllocOp::create(b, loc, aTile, stages, lateRelease,
                            problem.config.getSplitRing().value_or(false));
        Value bBuffer = AllocOp::create(b, loc, bTile, stages, lateRelease);
        Value index = arith::AddIOp::create(b, loc, firstBlock, block);
        Value kcol =
            arith::MulIOp::create(b, loc, index, constant(problem.tileK));
        emitLoads(row, bCol, index, kcol, aBuffer, bBuffer);
        SmallVector<Value, 3> read = blockedOperands.emitCopies(
            blockedParts,
            blockedOperands.emitLoads(blockedParts, index, stages));
        // Elements past K are zero, but their factors may be NaN, and where
        // there are no blocks of metadata it is undefined.
        Value extent;
        int64_t staticK = problem.op.getStaticK();
        if (!read.empty() &&
            (ShapedType::isDynamic(staticK) || staticK % problem.tileK != 0))
          extent = arith::SubIOp::create(b, loc, k, kcol);
        // The product of a block that threads add up starts from zero.
        Value target = acc           ? acc
                       : !isPromoted ? sums[0]
                       : parts.accumulator
                           ? emitAccumulator()
                           : emitZeros(problem.op.getAccumulatorType());
        Value accumulate =
            parts.alwaysAdds
                ? Value(arith::ConstantIntOp::create(b, loc, b.getI1Type(), 1))
                : Value(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                              isPromoted ? zero : block, zero));
        Value metadata = problem.op.isSparse() ? read.pop_back_val() : Value();
        read.resize(2);
        bool isValue = isa<VectorType>(target.getType());
        auto mma = MmaOp::create(
            b, loc, isValue ? TypeRange(target) : TypeRange(), aBuffer, bBuffer,
            target, read[0], read[1], metadata, extent, accumulate,
            problem.getCtas(/*along=*/0), parts.multiply,
            isValue ? parts.registers : RegisterLayoutAttrInterface(),
            /*role=*/StringAttr());
        SmallVector<Value> next(mma->getResults());
        if (isPromoted) {
          // Of the next block, or again of the last one, while this one is
          // multiplied.
          Promotion ahead = promotion;
          ahead.block = arith::MinUIOp::create(
              b, loc, arith::AddIOp::create(b, loc, index, one), lastBlock);
          emitFactors(b, problem, ahead);
          promotion.block = index;
          promotion.setFactors(sums.drop_front());
          next = {emitPromotion(b, problem, promotion,
                                isValue ? mma.getResult() : target, sums[0])};
          llvm::append_range(next, ahead.getFactors());
        }
        scf::YieldOp::create(b, loc, next);
      });
  return acc ? acc : loop.getResult(0);
}

void tc::tmm::emitTileProgram(OpBuilder &builder, TileProblem &problem,
                              gpu::GPUFuncOp kernel) {
  TileProgram(builder, problem, kernel).emit();
}
