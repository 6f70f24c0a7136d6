//===- TestFamily.cpp - a family of kernels of tests only -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums of rows: TMA loads tiles into a ring, threads add up their rows, one
// each. Linked into tc-opt; nothing outside of this folder knows it.
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/TMMTiles/TileOps.h"
#include "tc/Dialect/SM90/IR/SM90.h"
#include "tc/Dialect/TCGen05/IR/TCGen05.h"
#include "tc/Dialect/TMM/IR/KernelFamily.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Support/EmitArith.h"
#include "tc/Support/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Support/FormatVariadic.h"

#include "TestFamilyDialect.h.inc"
#define GET_OP_CLASSES
#include "TestFamilyOps.h.inc"

using namespace mlir;
using namespace tc;
using namespace tc::test_family;

#include "TestFamilyDialect.cpp.inc"
#define GET_OP_CLASSES
#include "TestFamilyOps.cpp.inc"

void TestFamilyDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "TestFamilyOps.cpp.inc"
      >();
}

/// Rows of a tile, one for each thread that adds, and its columns: a row of the
/// swizzle.
static constexpr int64_t kRows = 128, kColumns = 32;

/// Tiles on their way.
static constexpr int64_t kStages = 3;

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

LogicalResult RowSumOp::verify() {
  for (int64_t extent : getX().getType().getShape())
    if (extent == 0)
      return emitOpError() << "expected extents of at least 1, got "
                           << getX().getType();
  return success();
}

/// The pass that lowers tiles of row sums.
static constexpr StringLiteral kLoweringPass = "test-lower-row-sums";

StringRef AddRowsOp::getLoweringPass() { return kLoweringPass; }

EngineAttrInterface AddRowsOp::getEngine() {
  return tmm::ThreadsAttr::get(getContext());
}

RegisterLayoutAttrInterface AddRowsOp::getTileLayout() {
  return tcgen05::RowsAttr::get(getContext());
}

namespace {

class RowSumKernel : public tmm::TileKernel {
public:
  RowSumKernel(OpBuilder &host, RowSumOp op)
      : op(op), loc(op.getLoc()),
        m(memref::DimOp::create(host, loc, op.getX(), 0)),
        n(memref::DimOp::create(host, loc, op.getX(), 1)) {}

  StringRef getName() const override { return "row_sum"; }
  int64_t getThreads() const override { return kRows; }
  SmallVector<Type> getArgumentTypes() const override {
    Type size = IntegerType::get(m.getContext(), 32);
    return {m.getDefiningOp<memref::DimOp>().getSource().getType(),
            RowSumOp(op).getSums().getType(), size, size};
  }
  void emitProgram(OpBuilder &b, gpu::GPUFuncOp kernel) override;
  Value emitWork(OpBuilder &host) override { return m; }
  LogicalResult emitChecks(OpBuilder &host) override {
    Value rows = memref::DimOp::create(host, loc, op.getSums(), 0);
    Value fits =
        arith::CmpIOp::create(host, loc, arith::CmpIPredicate::eq, rows, m);
    cf::AssertOp::create(host, loc, fits, "sums must have the rows of x");
    Value zero = arith::ConstantIndexOp::create(host, loc, 0);
    Value some =
        arith::CmpIOp::create(host, loc, arith::CmpIPredicate::ne, n, zero);
    cf::AssertOp::create(host, loc, some, "x must have columns");
    return success();
  }
  SmallVector<Value> emitOperands(OpBuilder &host, gpu::GPUFuncOp) override {
    auto cast = [&](Value size) -> Value {
      return arith::IndexCastOp::create(host, loc, host.getI32Type(), size);
    };
    Value rows = cast(m);
    return {op.getX(), op.getSums(), rows, cast(n)};
  }
  SmallVector<Value> emitGrid(OpBuilder &host) override {
    // Two CTAs at most, so that each has several tiles.
    Value rows = arith::ConstantIndexOp::create(host, loc, kRows);
    Value tiles = arith::CeilDivUIOp::create(host, loc, m, rows);
    Value most = arith::ConstantIndexOp::create(host, loc, 2);
    return {arith::MinUIOp::create(host, loc, tiles, most)};
  }

private:
  RowSumOp op;
  Location loc;
  Value m, n;
};

} // namespace

void RowSumKernel::emitProgram(OpBuilder &b, gpu::GPUFuncOp kernel) {
  MLIRContext *context = b.getContext();
  auto role = [&](StringRef name, int64_t warps, Attribute engine) {
    tmm::RoleOp::create(b, loc, b.getStringAttr(name), uint64_t(warps),
                        /*turns=*/uint64_t(1), /*loop=*/StringAttr(),
                        /*registers=*/uint64_t(0), b.getArrayAttr({engine}));
  };
  auto tma = sm90::TmaAttr::get(context);
  role("sum", kRows / kWarpThreads, tmm::ThreadsAttr::get(context));
  role("load", 1, tma);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, loc, b.getI32Type(), value);
  };
  Value x = kernel.getArgument(0), sums = kernel.getArgument(1);
  Value zero = constant(0), one = constant(1);
  auto rule = tmm::StaticSchedulerAttr::get(context, /*raster=*/0);
  Value scheduler = tmm::SchedulerOp::create(
      b, loc, rule, kernel.getArgument(2), one, kernel.getArgument(3),
      /*count=*/Value(), SmallVector<int64_t>{kRows, 1, kColumns},
      /*clusterCtas=*/1);
  auto tileType = tmm::BufferType::get(
      {kRows, kColumns}, b.getF32Type(),
      sm90::SmemAttr::get(context, sm90::Order::KMajor, Swizzle::B128));
  auto sumType = VectorType::get({kRows, 1}, b.getF32Type());
  auto body = [&](Value row, Value count) {
    Value start = arith::ConstantOp::create(b, loc, b.getZeroAttr(sumType));
    auto loop = scf::ForOp::create(
        b, loc, zero, count, one, ValueRange{start},
        [&](OpBuilder &, Location, Value block, ValueRange old) {
          Value tile = tmm::AllocOp::create(b, loc, tileType, uint64_t(kStages),
                                            /*lateRelease=*/false);
          Value col = arith::MulIOp::create(b, loc, block, constant(kColumns));
          tmm::LoadOp::create(b, loc, x, row, col, tile, /*batch=*/ValueRange(),
                              /*transposed=*/false, /*blocked=*/false,
                              tmm::WindowsAttr(), tmm::CacheHint::none,
                              AgentSetAttrInterface(), tma,
                              /*role=*/StringAttr(), /*signal=*/Value());
          Value next = AddRowsOp::create(b, loc, sumType, tile, old[0],
                                         /*role=*/StringAttr());
          scf::YieldOp::create(b, loc, next);
        });
    tmm::StoreOp::create(b, loc, loop.getResult(0), sums, row, zero,
                         /*batch=*/ValueRange(), /*blocked=*/false,
                         b.getDenseBoolArrayAttr({false, true}),
                         tcgen05::RowsAttr::get(context),
                         /*role=*/StringAttr());
  };
  Value first = tmm::FirstWorkOp::create(b, loc, scheduler);
  scf::WhileOp::create(
      b, loc, TypeRange{first.getType()}, ValueRange{first},
      [&](OpBuilder &, Location, ValueRange args) {
        Value valid = tmm::WorkValidOp::create(b, loc, scheduler, args[0]);
        scf::ConditionOp::create(b, loc, valid, args);
      },
      [&](OpBuilder &, Location, ValueRange args) {
        auto tile = tmm::WorkTileOp::create(b, loc, scheduler, args[0]);
        body(tile.getRow(), tile.getBlockCount());
        Value next = tmm::NextWorkOp::create(b, loc, scheduler, args[0]);
        scf::YieldOp::create(b, loc, next);
      });
  gpu::ReturnOp::create(b, loc);
}

FailureOr<std::unique_ptr<tmm::TileKernel>>
RowSumOp::getKernel(OpBuilder &host, StringRef chip) {
  const TargetFacts *target = getTarget(chip);
  if (!target || !target->hasTma)
    return emitOpError() << "expected a chip with TMA, such as sm_90a, got '"
                         << chip << "'";
  return std::unique_ptr<tmm::TileKernel>(
      std::make_unique<RowSumKernel>(host, *this));
}

//===----------------------------------------------------------------------===//
// Configurations
//===----------------------------------------------------------------------===//

namespace {

/// There is one candidate, on any chip.
class RowSumExplanation : public tmm::ConfigExplanation {
public:
  std::string getWords() const override {
    return llvm::formatv("row sums: tile={0}x{1} stages={2}\n"
                         "  shared memory: {2} stages of {3:N} bytes\n"
                         "  candidates: no other",
                         kRows, kColumns, kStages, kStageBytes);
  }
  llvm::json::Object getData() const override {
    return llvm::json::Object{{"tile", llvm::json::Array{kRows, kColumns}},
                              {"stages", kStages},
                              {"stage_bytes", kStageBytes}};
  }

private:
  static constexpr int64_t kStageBytes = kRows * kColumns * sizeof(float);
};

} // namespace

FailureOr<tmm::ConfigExplanations>
RowSumOp::explainConfigs(ArrayRef<Operation *> ops,
                         const tmm::ConfigRequest &) {
  tmm::ConfigExplanations explanations;
  for (size_t i = 0; i < ops.size(); ++i)
    explanations.push_back(std::make_unique<RowSumExplanation>());
  return explanations;
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

namespace {

struct AddRowsPattern : OpConversionPattern<AddRowsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(AddRowsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto view = adaptor.getTile().getDefiningOp<sm90::SmemViewOp>();
    if (!view || cast<VectorType>(op.getType()).getRank() != 1)
      return rewriter.notifyMatchFailure(op, "not dealt to threads yet");
    Location loc = op.getLoc();
    // The swizzle moves elements within their row, all of which are added.
    Value thread = tmm::WarpSpecializeOp::emitThread(rewriter, loc);
    Value bytes = arith::MulIOp::create(rewriter, loc, thread,
                                        emitI32(rewriter, loc, kColumns * 4));
    auto type = MemRefType::get(
        {kColumns}, rewriter.getF32Type(), MemRefLayoutAttrInterface(),
        cast<MemRefType>(view.getType()).getMemorySpace());
    Value row = emitPart(rewriter, loc, view, type, /*bytes=*/0,
                         emitIndex(rewriter, loc, bytes));
    Value sum = vector::ExtractOp::create(rewriter, loc, adaptor.getSums(), 0);
    for (int64_t column = 0; column < kColumns; ++column) {
      Value at = arith::ConstantIndexOp::create(rewriter, loc, column);
      Value element = memref::LoadOp::create(rewriter, loc, row, at);
      sum = arith::AddFOp::create(rewriter, loc, sum, element);
    }
    rewriter.replaceOpWithNewOp<vector::FromElementsOp>(op, op.getType(), sum);
    return success();
  }
};

struct LowerRowSumsPass
    : PassWrapper<LowerRowSumsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerRowSumsPass)

  StringRef getArgument() const override { return kLoweringPass; }
  StringRef getDescription() const override {
    return "Lower the tiles of row sums, as a matrix unit does its own";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<memref::MemRefDialect, scf::SCFDialect, sm90::SM90Dialect,
                    vector::VectorDialect>();
  }

  void runOnOperation() override {
    SmallVector<gpu::GPUFuncOp> kernels;
    getOperation()->walk([&](gpu::GPUFuncOp kernel) {
      if (kernel.walk([](AddRowsOp) { return WalkResult::interrupt(); })
              .wasInterrupted())
        kernels.push_back(kernel);
    });
    for (gpu::GPUFuncOp kernel : kernels) {
      TypeConverter converter;
      converter.addConversion([](Type type) { return type; });
      populateSmemTileConversions(converter);
      RewritePatternSet patterns(&getContext());
      populateSmemTilePatterns(converter, patterns);
      patterns.add<AddRowsPattern>(converter, &getContext());
      if (failed(convertTileOps(kernel, std::move(patterns))))
        return signalPassFailure();
    }
  }
};

} // namespace

namespace tc {
/// For TestLib.cpp, which declares it.
void registerTestFamily(DialectRegistry &registry) {
  registry.insert<TestFamilyDialect>();
  PassRegistration<LowerRowSumsPass>();
}
} // namespace tc
