//===- Matmul.cpp - the kernels of tmm.matmul -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The family of tmm.matmul: what of a problem and its configuration is legal
// for a chip, the parts that its matrix unit gives a kernel, and the launch.
//
//===----------------------------------------------------------------------===//

#include "tc/Kernels/Matmul.h"

#include "ConfigTranslation.h"
#include "Configure.h"
#include "ProblemChecks.h"
#include "TileProgram.h"

#include "tc/Dialect/TMM/Configure/Machine.h"
#include "tc/Dialect/TMM/IR/KernelFamily.h"
#include "tc/Dialect/TMM/IR/MatrixUnit.h"
#include "tc/Dialect/TMM/IR/TMMDialect.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Schedule/ConfigFields.h"
#include "tc/Schedule/MatmulConfig.h"
#include "tc/Schedule/UnitModel.h"
#include "tc/Support/PTXName.h"
#include "tc/Support/Target.h"
#include "tc/Support/Units.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

/// K of an instruction of `unit` where it is not that of all chips, else 0.
static int64_t getInstructionK(ConfigAttr config, schedule::MatrixUnit unit,
                               schedule::MatmulProblem problem) {
  int64_t k = unit->getInstructionK(config.getValues(), problem);
  problem.hasWideK = false;
  return k == unit->getInstructionK(config.getValues(), problem) ? 0 : k;
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
  request.sum = op.getAccumulatorType();
  if (op.isScaled()) {
    request.scale = element(op.getScaleA());
    request.scaleBlock = op.getBlockOfScales();
  }
  request.isSparse = op.isSparse();
  request.turns = tc::schedule::getTurns(config.getRoles());
  const MatrixUnits &units = MatrixUnits::get(op.getContext());
  auto known = units.getUnitsOf(op, chip);
  if (failed(known))
    return failure();
  schedule::MatrixUnit wanted = config.getUnit().value_or(known->front());
  if (const TargetFacts *target = getTarget(chip)) {
    schedule::MatmulProblem problem =
        getProblem(op, schedule::Machine::get(*target, units.getRegistry()));
    request.instructionK = getInstructionK(config, wanted, problem);
    request.keepsB = problem.keepsB;
  }
  if (llvm::is_contained(*known, wanted))
    return units.getModel(wanted).getParts(op.getContext(), request,
                                           [&] { return op.emitOpError(); });
  InFlightDiagnostic error = op.emitOpError()
                             << "configuration: expected a unit of chip "
                             << chip << ", ";
  llvm::interleave(
      *known, error,
      [&](schedule::MatrixUnit unit) {
        error << schedule::spellKey(unit.getName());
      },
      " or ");
  return error << ", got " << schedule::spellKey(wanted.getName());
}

EngineAttrInterface TileProblem::getLoad(std::optional<LoadEngine> load) const {
  switch (load.value_or(LoadEngine::tma)) {
  case LoadEngine::tma:
    return parts.load;
  case LoadEngine::cp_async:
    return parts.loadCopies;
  case LoadEngine::threads:
    return parts.loadElements;
  }
  llvm_unreachable("all engines are listed");
}

EngineAttrInterface TileProblem::getWorkEngine() const {
  switch (config.getScheduler().value_or(Scheduler::static_tiles)) {
  case Scheduler::static_tiles:
    return {};
  case Scheduler::clc:
    return parts.workSource;
  case Scheduler::counter:
    return parts.workCounter;
  }
  llvm_unreachable("all schedulers are listed");
}

bool TileProblem::countsWork() const {
  return config.getScheduler() == Scheduler::counter;
}

/// Has the role of `problem` that drives its copy engine count work, too: it is
/// one thread that knows first which tile is next.
static void addWorkCounter(TileProblem &problem) {
  TileParts &parts = problem.parts;
  for (RoleRequest &role : parts.roles)
    if (problem.countsWork() && llvm::is_contained(role.drives, parts.load))
      role.drives.push_back(parts.workCounter);
}

/// Leaves out the roles of `problem` that drive nothing that its kernel uses.
static void dropIdleRoles(TileProblem &problem) {
  TileParts &parts = problem.parts;
  llvm::SmallDenseSet<Attribute> used = {
      problem.getLoadA(), problem.getLoadB(), parts.multiply, parts.store,
      ThreadsAttr::get(problem.config.getContext())};
  // Factors and metadata in blocks are loaded as A and B would be; the factors
  // of large blocks by the threads that add up.
  if (!problem.op.getBlockedOperands().empty())
    used.insert(parts.load);
  if (EngineAttrInterface work = problem.getWorkEngine())
    used.insert(work);
  llvm::erase_if(parts.roles, [&](const RoleRequest &role) {
    return llvm::none_of(role.drives,
                         [&](Attribute by) { return used.contains(by); });
  });
}

AgentSetAttrInterface TileProblem::getCtas(int64_t along) const {
  SmallVector<int64_t> shape = {span, clusterM / span, clusterN};
  if (shape[along] == 1)
    return {};
  // Dimensions with one CTA are left out.
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

/// `op` as a kernel with `parts` computes it; its sizes are read at `b`.
static TileProblem getProblem(OpBuilder &b, MatmulOp op, ConfigAttr config,
                              TileParts parts) {
  TileProblem problem{op,
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
                      std::move(parts)};
  if (config.getCluster().size() == 2) {
    problem.clusterM = config.getCluster()[0];
    problem.clusterN = config.getCluster()[1];
  }
  problem.clusterM = std::max(problem.clusterM, problem.span);
  auto dim = [&](Value memref, unsigned index) -> Value {
    return b.createOrFold<memref::DimOp>(op.getLoc(), memref, index);
  };
  problem.m = dim(op.getD(), op.getMDimOfD());
  problem.n = dim(op.getD(), op.getNDimOfD());
  // Of a sparse A the host knows half of K.
  int64_t k = op.getStaticK();
  problem.k = op.isSparse() && ShapedType::isStatic(k)
                  ? arith::ConstantIndexOp::create(b, op.getLoc(), k)
              : op.isSparse() ? dim(op.getB(), op.getKDimOfB())
                              : dim(op.getA(), op.getKDimOfA());
  if (op.isStacked())
    problem.batch.push_back(dim(op.getEnds(), 0));
  else
    for (unsigned i = 0; i < op.getBatchRank(); ++i)
      problem.batch.push_back(dim(op.getD(), i));
  return problem;
}

/// Scale factors as the kernel takes them: those that threads apply with their
/// columns first, a vector along M or N for each block of K.
static Value getKernelScales(OpBuilder &b, MatmulOp op, Value scales) {
  if (!op.getPromotedK())
    return scales;
  unsigned rank = cast<MemRefType>(scales.getType()).getRank();
  auto order = llvm::to_vector(llvm::seq<unsigned>(0, rank));
  std::swap(order[rank - 2], order[rank - 1]);
  auto map =
      AffineMapAttr::get(AffineMap::getPermutationMap(order, op.getContext()));
  return memref::TransposeOp::create(b, op.getLoc(), scales, map);
}

/// The matrices, what else the epilogue reads, scale factors, metadata and the
/// rows of problems.
static SmallVector<Value> getKernelMatrices(OpBuilder &b, MatmulOp op) {
  SmallVector<Value> matrices = {op.getA(), op.getB(), op.getD()};
  llvm::append_range(matrices, op.getOtherOutputs());
  for (Value extra : op.getExtras())
    if (isKernelOperand(op, extra))
      matrices.push_back(extra);
  for (Value scales : op.getScales())
    matrices.push_back(getKernelScales(b, op, scales));
  if (op.isSparse())
    matrices.push_back(op.getMetadata());
  if (op.getRows())
    matrices.push_back(op.getRows());
  return matrices;
}

/// The sizes that are not constants, as index.
static SmallVector<Value> getDynamicSizes(const TileProblem &problem) {
  MatmulOp op = problem.op;
  SmallVector<Value> sizes;
  auto add = [&](int64_t size, Value value) {
    if (ShapedType::isDynamic(size))
      sizes.push_back(value);
  };
  add(op.getStaticM(), problem.m);
  add(op.getStaticN(), problem.n);
  add(op.getStaticK(), problem.k);
  for (auto [dim, value] : llvm::enumerate(problem.batch))
    add(op.getStaticBatch(dim), value);
  return sizes;
}

/// The number of tiles, one for each cluster, that D has, or most that it can
/// have: where groups end the device knows.
static Value emitTileCount(OpBuilder &b, const TileProblem &problem) {
  MatmulOp op = problem.op;
  Location loc = op.getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  if (op.isStacked()) {
    // Whole tiles, and of each group one that is not; each has a row.
    Value tilesM = b.createOrFold<arith::DivUIOp>(
        loc, problem.m, constant(problem.clusterRows()));
    tilesM = b.createOrFold<arith::AddIOp>(loc, tilesM, problem.batch[0]);
    tilesM = b.createOrFold<arith::MinUIOp>(loc, tilesM, problem.m);
    Value tilesN = b.createOrFold<arith::CeilDivUIOp>(
        loc, problem.n, constant(problem.clusterCols()));
    return b.createOrFold<arith::MulIOp>(loc, tilesM, tilesN);
  }
  Value tilesM = b.createOrFold<arith::CeilDivUIOp>(
      loc, problem.m, constant(problem.clusterRows()));
  Value tilesN = b.createOrFold<arith::CeilDivUIOp>(
      loc, problem.n, constant(problem.clusterCols()));
  Value tiles = b.createOrFold<arith::MulIOp>(loc, tilesM, tilesN);
  for (Value size : problem.batch)
    tiles = b.createOrFold<arith::MulIOp>(loc, tiles, size);
  return tiles;
}

/// Checks that the work items of one launch are numbers of 32 bits, as the CTAs
/// of a grid are: here, or on the host.
static LogicalResult checkTileCount(OpBuilder &b, const TileProblem &problem,
                                    Value tiles) {
  MatmulOp op = problem.op;
  constexpr int64_t kMaxCtas = std::numeric_limits<int32_t>::max();
  int64_t mostTiles = kMaxCtas / problem.clusterCtas();
  if (std::optional<int64_t> known = getConstantIntValue(tiles)) {
    if (*known > mostTiles)
      return op.emitOpError()
             << "expected D of at most " << mostTiles
             << " tiles, the work items of one launch, got " << *known;
    return success();
  }
  Value most = arith::ConstantIndexOp::create(b, op.getLoc(), mostTiles);
  Value few = arith::CmpIOp::create(b, op.getLoc(), arith::CmpIPredicate::ule,
                                    tiles, most);
  cf::AssertOp::create(b, op.getLoc(), few,
                       "D must have at most " + std::to_string(mostTiles) +
                           " tiles, the work items of one launch");
  return success();
}

/// Whether what the epilogue yields depends on the accumulator. Where it does
/// not, nothing reads what the matrix unit writes.
static bool usesAccumulator(MatmulOp op) {
  if (!op.hasEpilogue())
    return true;
  Block &block = op.getEpilogue()->front();
  llvm::SmallDenseSet<Value> dependent = {block.getArgument(0)};
  auto depends = [&](Operation &inner) {
    return llvm::any_of(inner.getOperands(),
                        [&](Value value) { return dependent.contains(value); });
  };
  for (Operation &inner : block.without_terminator())
    if (depends(inner))
      dependent.insert_range(inner.getResults());
  return depends(*block.getTerminator());
}

/// Checks that a thread holds whole blocks of D that share a scale factor.
static LogicalResult checkScalesOfD(MatmulOp op, ConfigAttr config,
                                    const TileParts &parts, StringRef chip) {
  int64_t subtile = *config.getEpilogueSubtile();
  int64_t rows = config.getTile()[0] / config.getCtaGroup().value_or(1);
  if (parts.registers.getRuns({rows, subtile}).size() != 1)
    return op.emitOpError() << "expected D without scale factors on " << chip
                            << ", where no thread holds whole rows of a tile";
  if (subtile % op.getScaleBlockOfD() != 0)
    return op.emitOpError()
           << "expected epilogue_subtile of a multiple of "
           << op.getScaleBlockOfD()
           << ", the elements that share a scale factor of D, got " << subtile;
  return success();
}

/// When the threads of a kernel for `op` fetch what its epilogue reads of
/// matrices: early those that hold the accumulator in registers, where nothing
/// else overlaps these loads. Others have a loop over columns.
static FailureOr<schedule::FetchTime>
findFetchTime(MatmulOp op, const TileParts &parts, StringRef chip) {
  auto count = [](Value matrix) {
    return getElementTypeOrSelf(matrix.getType()).getIntOrFloatBitWidth();
  };
  int64_t bits = op.getAccumulate() ? count(op.getD()) : 0, beside = 0;
  for (auto [index, extra] : llvm::enumerate(op.getExtras())) {
    if (!isa<ShapedType>(extra.getType()) || matchPattern(extra, m_Constant()))
      continue;
    // The rows of a thread share the elements of a vector along N.
    if (std::optional<Along> along = op.getAlongOf(index))
      beside += *along == Along::n ? count(extra) / 2 : 0;
    else
      bits += count(extra);
  }
  schedule::MatmulConfig config = tc::tmm::getConfig(op);
  if (!bits || !config.unit || parts.accumulator || !config.roles ||
      config.epilogue != schedule::Epilogue::tma_store)
    return schedule::FetchTime::Late;
  FailureOr<schedule::Machine> machine = tc::tmm::getMachine(
      op.getContext(), chip, config, [&] { return op.emitOpError(); });
  if (failed(machine))
    return failure();
  auto divides = [](int64_t tile, int64_t size) {
    return !ShapedType::isDynamic(size) && size % tile == 0;
  };
  bool hasTails = op.getRows() || !divides(*config.tileM, op.getStaticM()) ||
                  !divides(*config.tileN, op.getStaticN());
  return schedule::getFetchTime(config, tc::tmm::getProblem(op, *machine),
                                *machine, bits + beside, hasTails);
}

namespace {

/// The kernel of a product.
class MatmulKernel : public TileKernel {
public:
  MatmulKernel(OpBuilder &host, TileProblem own)
      : problem(std::move(own)), matrices(getKernelMatrices(host, problem.op)),
        sizes(getDynamicSizes(problem)) {}

  StringRef getName() const override { return "matmul"; }
  int64_t getThreads() const override { return problem.parts.threads; }
  int64_t getClusterCtas() const override { return problem.clusterCtas(); }
  unsigned getPTXVersion() const override { return problem.parts.ptxVersion; }
  SmallVector<Type> getArgumentTypes() const override;
  void emitProgram(OpBuilder &b, gpu::GPUFuncOp kernel) override {
    emitTileProgram(b, problem, kernel);
  }
  Value emitWork(OpBuilder &host) override;
  LogicalResult emitChecks(OpBuilder &host) override {
    emitSizeChecks(host, problem.op);
    return checkTileCount(host, problem, tiles);
  }
  SmallVector<Value> emitOperands(OpBuilder &host,
                                  gpu::GPUFuncOp kernel) override;
  SmallVector<Value> emitGrid(OpBuilder &) override { return {grid}; }

private:
  TileProblem problem;
  SmallVector<Value> matrices;
  /// The sizes that are not constants.
  SmallVector<Value> sizes;
  /// The tiles of D, one for each cluster, and the CTAs of the grid.
  Value tiles, grid;
};

} // namespace

SmallVector<Type> MatmulKernel::getArgumentTypes() const {
  Builder b(problem.config.getContext());
  SmallVector<Type> types(ValueRange(matrices).getTypes());
  types.append(sizes.size(), b.getI32Type());
  if (problem.countsWork())
    types.push_back(getWorkCounterType(b.getContext()));
  return types;
}

/// One cluster per tile unless the configuration limits the grid.
Value MatmulKernel::emitWork(OpBuilder &b) {
  Location loc = problem.op.getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  tiles = grid = emitTileCount(b, problem);
  int64_t ctas = problem.clusterCtas();
  if (problem.config.getSms() &&
      problem.config.getScheduler() != Scheduler::clc)
    grid = b.createOrFold<arith::MinUIOp>(
        loc, tiles, constant(*problem.config.getSms() / ctas));
  if (ctas > 1)
    grid = b.createOrFold<arith::MulIOp>(loc, grid, constant(ctas));
  return tiles;
}

SmallVector<Value> MatmulKernel::emitOperands(OpBuilder &b,
                                              gpu::GPUFuncOp kernel) {
  SmallVector<Value> operands = matrices;
  for (Value size : sizes)
    operands.push_back(arith::IndexCastOp::create(b, problem.op.getLoc(),
                                                  b.getI32Type(), size));
  if (problem.countsWork())
    operands.push_back(emitWorkCounter(b, problem.op.getLoc(), kernel));
  return operands;
}

/// Checks what `op` needs to be tiled, whatever the chip is.
static LogicalResult checkTiling(MatmulOp op) {
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
  if (config.getSplitK().value_or(1) != 1)
    return op.emitOpError()
           << "expected split_k of 1, got " << *config.getSplitK()
           << ": run tmm-split-k before tmm-tile";
  if (failed(checkOverlap(op)))
    return failure();
  if (op.getRows() && config.getPdl().value_or(false))
    return op.emitOpError()
           << "expected pdl = off with operand "
           << op.getOperandName(op->getNumOperands() - 1)
           << ", which all roles read before they wait, got on";
  if (!usesAccumulator(op))
    return op.emitOpError() << "expected the epilogue to use the accumulator, "
                               "got one that does not";
  return success();
}

/// Checks that `parts`, what `chip` gives a kernel for `op`, are all that it
/// needs.
static LogicalResult checkParts(MatmulOp op, const TileParts &parts,
                                StringRef chip) {
  ConfigAttr config = op.getConfigAttr();
  if (config.getScheduler() == Scheduler::clc && !parts.workSource)
    return op.emitOpError() << "expected scheduler static on " << chip
                            << ", which cannot take over work, got clc";
  if (config.getScheduler() == Scheduler::counter && !getTarget(chip)->hasTma)
    return op.emitOpError() << "expected scheduler static on " << chip
                            << ", which has no st.async, got counter";
  if (isBlockScaled(op.getKind()) && !parts.scales)
    return op.emitOpError() << "expected operands without scale factors on "
                            << chip << ", whose matrix unit takes none";
  if (op.isSparse() && !parts.metadata)
    return op.emitOpError() << "expected A without metadata on " << chip
                            << ", for which products of a sparse A are not "
                               "lowered";
  if (op.getScaleD())
    return checkScalesOfD(op, config, parts, chip);
  return success();
}

namespace {

struct MatmulFamily
    : KernelFamilyOpInterface::ExternalModel<MatmulFamily, MatmulOp> {
  bool takesConfig(Operation *) const { return true; }

  static FailureOr<unsigned> chooseConfigs(ArrayRef<Operation *> ops,
                                           const ConfigRequest &request) {
    return chooseMatmulConfigs(ops, request);
  }

  static FailureOr<ConfigExplanations>
  explainConfigs(ArrayRef<Operation *> ops, const ConfigRequest &request) {
    return explainMatmulConfigs(ops, request);
  }

  static LogicalResult packOperands(ArrayRef<Operation *> ops,
                                    const ConfigRequest &request,
                                    bool remarks) {
    return packMatmuls(ops, request, remarks);
  }

  FailureOr<std::string>
  findWindowsObstacle(Operation *op, OpOperand &operand,
                      const ConfigRequest &request) const {
    return findMatmulWindowsObstacle(cast<MatmulOp>(op), operand, request);
  }

  FailureOr<std::unique_ptr<TuningProblem>>
  getTuningProblem(Operation *op, const TuningRequest &request) const {
    return getMatmulTuning(cast<MatmulOp>(op), request);
  }

  FailureOr<bool> splitWork(Operation *op, StringRef chip) const {
    return splitMatmul(cast<MatmulOp>(op), chip);
  }

  FailureOr<std::unique_ptr<TileKernel>>
  getKernel(Operation *matmul, OpBuilder &host, StringRef chip) const {
    auto op = cast<MatmulOp>(matmul);
    if (failed(checkTiling(op)))
      return failure();
    // An output that is known to have no elements needs no kernel.
    if (op.isEmpty())
      return std::unique_ptr<TileKernel>();
    ConfigAttr config = op.getConfigAttr();
    FailureOr<TileParts> parts = getParts(op, config, chip);
    if (failed(parts) || failed(checkParts(op, *parts, chip)))
      return failure();
    TileProblem problem = getProblem(host, op, config, std::move(*parts));
    FailureOr<schedule::FetchTime> fetchTime =
        findFetchTime(op, problem.parts, chip);
    if (failed(fetchTime))
      return failure();
    problem.fetchesAhead = *fetchTime != schedule::FetchTime::Late;
    problem.fetchesEarly = *fetchTime == schedule::FetchTime::Early;
    addWorkCounter(problem);
    dropIdleRoles(problem);
    return std::unique_ptr<TileKernel>(
        std::make_unique<MatmulKernel>(host, std::move(problem)));
  }

  void emitStatement(Operation *op, OpBuilder &host) const {
    tc::tmm::emitStatement(host, cast<MatmulOp>(op));
  }
};

} // namespace

void tc::tmm::registerMatmulKernels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, TMMDialect *) {
    MatmulOp::attachInterface<MatmulFamily>(*context);
  });
}
