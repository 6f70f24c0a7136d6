//===- Rows.cpp - kernels of rows -------------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host's side: neighbouring dimensions of rows become one where every
// operand has them side by side, so that a tile has many rows; the others are
// counted by the grid.
//
//===----------------------------------------------------------------------===//

#include "tc/Kernels/Rows.h"

#include "RowsProgram.h"

#include "tc/Dialect/TMM/IR/KernelFamily.h"
#include "tc/Dialect/TMM/IR/TMMDialect.h"
#include "tc/Support/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <limits>
#include <numeric>

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

/// Coordinates have 32 bits.
static constexpr int64_t kMaxSize = std::numeric_limits<int32_t>::max() / 2;

namespace {

/// An operand while dimensions are joined: its view, and for each dimension of
/// it the dimension of rows or columns, as the op has them.
struct OperandView {
  Value memref;
  SmallVector<unsigned> dims;
};

class RowsKernel : public TileKernel {
public:
  RowsKernel(OpBuilder &host, RowsOp op, StringRef chip)
      : op(op), loc(op.getLoc()) {
    // LLVM 22 has prefetch from sm_90 on.
    if (const TargetFacts *target = getTarget(chip); target && target->hasTma)
      form.multiprocessors = target->multiprocessors;
    for (auto [operand, dim] : op.getSizeSources())
      sizes.push_back(
          host.createOrFold<memref::DimOp>(loc, op.getOperand(operand), dim));
  }

  /// Makes the views that the kernel reads and writes.
  LogicalResult makeViews(OpBuilder &host);
  /// Whether there is nothing to compute, whatever the run is.
  bool isEmpty();

  StringRef getName() const override { return "rows"; }
  int64_t getThreads() const override { return form.shape.getThreads(); }
  SmallVector<Type> getArgumentTypes() const override;
  void emitProgram(OpBuilder &b, gpu::GPUFuncOp kernel) override {
    // A register more than there are for two would leave one.
    if (int64_t ctas = form.shape.getCtas(); ctas != 0)
      kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                      b.getI32IntegerAttr(ctas));
    emitRowsProgram(b, op, form, kernel);
  }
  Value emitWork(OpBuilder &host) override;
  LogicalResult emitChecks(OpBuilder &host) override;
  SmallVector<Value> emitOperands(OpBuilder &host, gpu::GPUFuncOp) override;
  SmallVector<Value> emitGrid(OpBuilder &host) override;
  const RowsKernelForm &getForm() const { return form; }

private:
  LogicalResult dropUnits(OpBuilder &host, unsigned operand);
  bool canJoin(unsigned dim) const;
  void join(OpBuilder &host, unsigned dim);
  LogicalResult chooseRow();
  void sortDims(OpBuilder &host);
  void setForm();
  /// The view of output `view` with a dimension for the row and one for the
  /// column, which tiles are stored to.
  Value addUnits(OpBuilder &host, const OperandView &view);
  /// Values of sizes that the kernel has arguments for.
  SmallVector<Value> getDynamicSizes() const;
  Value constant(OpBuilder &host, int64_t value) {
    return arith::ConstantIndexOp::create(host, loc, value);
  }

  mutable RowsOp op;
  Location loc;
  /// Sizes of the dimensions of the op on the host; null of those that were
  /// joined with the one before.
  SmallVector<Value> sizes;
  SmallVector<OperandView> views;
  /// The dimension that the rows of a tile are of, where there is one.
  std::optional<unsigned> tileRow;
  RowsKernelForm form;
};

} // namespace

static int64_t getStatic(Value size) {
  return getConstantIntValue(size).value_or(ShapedType::kDynamic);
}

/// Takes the dimensions of operand `number` away that are always at 0.
LogicalResult RowsKernel::dropUnits(OpBuilder &host, unsigned number) {
  Value memref = op.getOperand(number);
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) ||
      (!strides.empty() && strides.back() != 1))
    return op.emitOpError() << "operand " << number
                            << ": expected unit innermost stride, got " << type;
  AffineMap map = op.getMapOf(number);
  SmallVector<unsigned> dims;
  SmallVector<ReassociationIndices> groups;
  ReassociationIndices units;
  for (auto [at, expr] : llvm::enumerate(map.getResults())) {
    auto place = getPlace(expr);
    units.push_back(at);
    if (!place)
      continue;
    groups.push_back(std::exchange(units, {}));
    dims.push_back(place->first);
  }
  if (groups.empty()) {
    units.clear();
  } else if (!units.empty()) {
    llvm::append_range(groups.back(), units);
  }
  if (int64_t(groups.size()) != type.getRank()) {
    if (!memref::CollapseShapeOp::isGuaranteedCollapsible(type, groups))
      return op.emitOpError()
             << "operand " << number
             << ": expected dimensions at 0 of 1 element each, next to each "
                "other in memory, got "
             << type;
    memref = memref::CollapseShapeOp::create(host, loc, memref, groups);
  }
  views.push_back({memref, dims});
  return success();
}

/// The groups of `rank` dimensions of which `at` and the next one are one.
static SmallVector<ReassociationIndices> joinWithNext(int64_t rank,
                                                      int64_t at) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (dim == at + 1)
      groups.back().push_back(dim);
    else
      groups.push_back({dim});
  }
  return groups;
}

/// Whether each operand has dimensions `dim` and `dim` + 1 as one, or neither.
bool RowsKernel::canJoin(unsigned dim) const {
  bool isCounted = false;
  op.getBody().walk([&](RowIndexOp index) {
    isCounted |= index.getDim() == dim || index.getDim() == dim + 1;
  });
  int64_t first = getStatic(sizes[dim]), next = getStatic(sizes[dim + 1]);
  bool isTooLarge = !ShapedType::isDynamic(first) &&
                    !ShapedType::isDynamic(next) && next != 0 &&
                    first > kMaxSize / next;
  // Upstream has no view of no element times any number.
  if (isCounted || isTooLarge || first == 0 || next == 0)
    return false;
  for (unsigned operand = 0; operand < op.getIns().size(); ++operand)
    if (op.isPiece(operand, dim) || op.isPiece(operand, dim + 1))
      return false;
  return llvm::all_of(views, [&](const OperandView &view) {
    const auto *first = llvm::find(view.dims, dim);
    bool hasNext = llvm::is_contained(view.dims, dim + 1);
    if (first == view.dims.end() || !hasNext)
      return first == view.dims.end() && !hasNext;
    if (first + 1 == view.dims.end() || first[1] != dim + 1)
      return false;
    return memref::CollapseShapeOp::isGuaranteedCollapsible(
        cast<MemRefType>(view.memref.getType()),
        joinWithNext(view.dims.size(), first - view.dims.begin()));
  });
}

void RowsKernel::join(OpBuilder &host, unsigned dim) {
  for (OperandView &view : views) {
    auto *first = llvm::find(view.dims, dim);
    if (first == view.dims.end())
      continue;
    view.memref = memref::CollapseShapeOp::create(
        host, loc, view.memref,
        joinWithNext(view.dims.size(), first - view.dims.begin()));
    view.dims.erase(first + 1);
  }
  sizes[dim] =
      host.createOrFold<arith::MulIOp>(loc, sizes[dim], sizes[dim + 1]);
  sizes[dim + 1] = Value();
}

/// Chooses the dimension of a tile's rows: the one that is last in operands
/// that have the column before it.
LogicalResult RowsKernel::chooseRow() {
  unsigned column = sizes.size() - 1;
  std::optional<unsigned> from;
  for (auto [number, view] : llvm::enumerate(views)) {
    if (!llvm::is_contained(view.dims, column) || view.dims.back() == column)
      continue;
    if (tileRow && *tileRow != view.dims.back())
      return op.emitOpError()
             << "operand " << number << ": expected dimension " << *tileRow
             << " last as in operand " << *from
             << ", or the column, so that tiles are squares of two dimensions, "
                "got "
             << AffineMapAttr::get(op.getMapOf(number));
    tileRow = view.dims.back();
    from = number;
  }
  // Whether rows are inside is asked of those of a tile alone.
  for (unsigned number = 0; number < op.getIns().size(); ++number)
    for (unsigned dim = 0; dim < column; ++dim) {
      if (!op.isPiece(number, dim))
        continue;
      if (tileRow && *tileRow != dim)
        return op.emitOpError()
               << "operand " << number
               << ": expected pieces along the column or along the rows of "
                  "tiles, dimension "
               << *tileRow << ", got one along " << dim;
      tileRow = dim;
    }
  for (unsigned dim = column; !tileRow && dim-- > 0;)
    if (sizes[dim])
      tileRow = dim;
  return success();
}

/// Brings the dimensions of views into the order of the kernel: leading ones,
/// the tile's row and the column, or these exchanged.
void RowsKernel::sortDims(OpBuilder &host) {
  unsigned column = sizes.size() - 1;
  for (OperandView &view : views) {
    auto rank = [&](unsigned dim) {
      if (dim != column && dim != tileRow)
        return 0;
      // What was last stays last.
      return dim == view.dims.back() ? 2 : 1;
    };
    SmallVector<unsigned> order(view.dims.size());
    std::iota(order.begin(), order.end(), 0);
    llvm::stable_sort(order, [&](unsigned a, unsigned b) {
      return rank(view.dims[a]) < rank(view.dims[b]);
    });
    if (llvm::is_sorted(order))
      continue;
    view.memref = memref::TransposeOp::create(
        host, loc, view.memref,
        AffineMapAttr::get(
            AffineMap::getPermutationMap(order, host.getContext())));
    SmallVector<unsigned> dims;
    for (unsigned at : order)
      dims.push_back(view.dims[at]);
    view.dims = dims;
  }
}

/// Whether an output has a value for each row: a row without columns has it,
/// too.
static bool hasRowValues(RowsOp op) {
  for (unsigned operand = op.getIns().size(); operand < op.getNumOperands();
       ++operand)
    if (!RowsOp::hasColumn(op.getMapOf(operand)))
      return true;
  return false;
}

void RowsKernel::setForm() {
  unsigned column = sizes.size() - 1;
  bool isTransposed = llvm::any_of(views, [&](const OperandView &view) {
    return llvm::is_contained(view.dims, column) && view.dims.back() != column;
  });
  form.shape = chooseRowsShape(op, isTransposed);
  // Without rows there is one.
  unsigned dims = sizes.size();
  form.rows = 1;
  form.columns = getStatic(sizes.back());
  form.countsColumns =
      op.getBody().front().getOps<RowReduceOp>().empty() && !hasRowValues(op);
  // Joined dimensions are counted by nobody.
  form.places.assign(dims, 0);
  for (unsigned dim = 0; dim + 1 < dims; ++dim)
    if (sizes[dim] && dim != tileRow) {
      form.places[dim] = form.batch.size();
      form.batch.push_back(getStatic(sizes[dim]));
    }
  if (tileRow) {
    form.places[*tileRow] = form.batch.size();
    form.rows = getStatic(sizes[*tileRow]);
  }
  form.places.back() = form.batch.size() + 1;
  for (const OperandView &view : views) {
    RowsOperand operand;
    unsigned number = form.operands.size();
    for (AffineExpr expr : op.getMapOf(number).getResults())
      if (auto place = getPlace(expr)) {
        bool isPiece = op.isPiece(number, place->first);
        if (place->first + 1 == dims)
          operand.column = {isPiece, place->second};
        else if (place->first == tileRow)
          operand.row = {isPiece, place->second};
      }
    for (unsigned dim : view.dims) {
      if (dim + 1 == dims)
        operand.hasColumn = true;
      else if (dim == tileRow)
        operand.hasRow = true;
      else
        operand.batch.push_back(form.places[dim]);
    }
    operand.isTransposed = operand.hasColumn && view.dims.back() != column;
    form.operands.push_back(operand);
  }
}

Value RowsKernel::addUnits(OpBuilder &host, const OperandView &view) {
  auto type = cast<MemRefType>(view.memref.getType());
  bool hasColumn = llvm::is_contained(view.dims, sizes.size() - 1);
  bool hasRow = tileRow && llvm::is_contained(view.dims, *tileRow);
  if (hasColumn && hasRow)
    return view.memref;
  SmallVector<OpFoldResult> shape;
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    shape.push_back(memref::getMixedSize(host, loc, view.memref, dim));
    groups.push_back({dim});
  }
  OpFoldResult one = host.getIndexAttr(1);
  if (hasColumn) {
    shape.insert(shape.begin(), one);
    groups[0] = {0, 1};
  } else {
    shape.push_back(one);
    if (hasRow)
      groups.back().push_back(type.getRank());
    else
      shape.push_back(one);
  }
  SmallVector<int64_t> statics;
  for (OpFoldResult size : shape)
    statics.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  FailureOr<MemRefType> result =
      memref::ExpandShapeOp::computeExpandedType(type, statics, groups);
  assert(succeeded(result) && "dimensions of 1 element fit any layout");
  return memref::ExpandShapeOp::create(host, loc, *result, view.memref, groups,
                                       shape);
}

/// Whether a row pick reads what is exchanged in memory.
static bool isPicked(Value value, ArrayRef<RowsOperand> operands) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return operands[argument.getArgNumber()].isTransposed;
  return llvm::any_of(value.getDefiningOp()->getOperands(), [&](Value operand) {
    return isPicked(operand, operands);
  });
}

LogicalResult RowsKernel::makeViews(OpBuilder &host) {
  for (unsigned operand = 0; operand < op.getNumOperands(); ++operand)
    if (failed(dropUnits(host, operand)))
      return failure();
  for (Value size : sizes)
    if (int64_t known = getStatic(size);
        !ShapedType::isDynamic(known) && known > kMaxSize)
      return op.emitOpError() << "expected sizes of at most " << kMaxSize
                              << " elements, got " << known;
  for (unsigned dim = sizes.size() - 1; dim-- > 1;)
    if (canJoin(dim - 1))
      join(host, dim - 1);
  if (failed(chooseRow()))
    return failure();
  sortDims(host);
  setForm();
  for (auto pick : op.getBody().front().getOps<RowPickOp>())
    if (isPicked(pick.getValue(), form.operands))
      return pick.emitOpError() << "expected a value of operands whose columns "
                                   "are last in memory, got one of another";
  for (unsigned operand = op.getIns().size(); operand < views.size(); ++operand)
    views[operand].memref = addUnits(host, views[operand]);
  return success();
}

SmallVector<Value> RowsKernel::getDynamicSizes() const {
  SmallVector<Value> result;
  auto add = [&](Value size) {
    if (size && ShapedType::isDynamic(getStatic(size)))
      result.push_back(size);
  };
  for (auto [dim, size] : llvm::enumerate(ArrayRef(sizes).drop_back()))
    if (dim != tileRow)
      add(size);
  if (tileRow)
    add(sizes[*tileRow]);
  add(sizes.back());
  return result;
}

SmallVector<Type> RowsKernel::getArgumentTypes() const {
  SmallVector<Type> types;
  for (const OperandView &view : views)
    types.push_back(view.memref.getType());
  types.append(getDynamicSizes().size(), IntegerType::get(op.getContext(), 32));
  return types;
}

bool RowsKernel::isEmpty() {
  bool hasValues = hasRowValues(op);
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (size && getStatic(size) == 0 && !(hasValues && dim + 1 == sizes.size()))
      return true;
  return false;
}

Value RowsKernel::emitWork(OpBuilder &host) {
  bool hasValues = hasRowValues(op);
  Value work = constant(host, 1);
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (size && !(hasValues && dim + 1 == sizes.size()))
      work = host.createOrFold<arith::MulIOp>(loc, work, size);
  return work;
}

LogicalResult RowsKernel::emitChecks(OpBuilder &host) {
  auto require = [&](Value condition, const Twine &what) {
    if (std::optional<int64_t> known = getConstantIntValue(condition)) {
      if (*known == 0)
        return LogicalResult(op->emitOpError() << what);
      return success();
    }
    cf::AssertOp::create(host, loc, condition, what.str());
    return success();
  };
  for (Value size : getDynamicSizes())
    if (failed(require(
            host.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ule,
                                             size, constant(host, kMaxSize)),
            "a dimension must have at most " + Twine(kMaxSize) + " elements")))
      return failure();
  // What operands share they must have in common.
  SmallVector<std::pair<unsigned, unsigned>> sources = op.getSizeSources();
  for (unsigned number = 0; number < op.getNumOperands(); ++number)
    for (auto [at, expr] : llvm::enumerate(op.getMapOf(number).getResults())) {
      Value operand = op.getOperand(number);
      auto dim = dyn_cast<AffineDimExpr>(expr);
      auto place = getPlace(expr);
      if (place && op.isPiece(number, place->first))
        continue;
      auto [source, sourceDim] =
          dim ? sources[dim.getPosition()] : std::pair(0u, 0u);
      if (dim && sourceDim == at && op.getOperand(source) == operand)
        continue;
      Value own = host.createOrFold<memref::DimOp>(loc, operand, at);
      Value other = constant(host, 1);
      std::string what = "operand " + std::to_string(number) +
                         " must have 1 element along dimension " +
                         std::to_string(at);
      if (dim) {
        other = host.createOrFold<memref::DimOp>(loc, op.getOperand(source),
                                                 sourceDim);
        what = "operands " + std::to_string(source) + " and " +
               std::to_string(number) + " must agree in size";
      }
      if (own != other &&
          failed(require(host.createOrFold<arith::CmpIOp>(
                             loc, arith::CmpIPredicate::eq, own, other),
                         what)))
        return failure();
    }
  return success();
}

SmallVector<Value> RowsKernel::emitOperands(OpBuilder &host, gpu::GPUFuncOp) {
  SmallVector<Value> result;
  for (const OperandView &view : views)
    result.push_back(view.memref);
  for (Value size : getDynamicSizes())
    result.push_back(
        arith::IndexCastOp::create(host, loc, host.getI32Type(), size));
  return result;
}

SmallVector<Value> RowsKernel::emitGrid(OpBuilder &host) {
  Value rows = constant(host, 1), count = rows;
  for (auto [dim, size] : llvm::enumerate(ArrayRef(sizes).drop_back())) {
    if (dim == tileRow)
      rows = size;
    else if (size)
      count = host.createOrFold<arith::MulIOp>(loc, count, size);
  }
  Value tiles = host.createOrFold<arith::CeilDivUIOp>(
      loc, rows, constant(host, form.shape.rows));
  count = host.createOrFold<arith::MulIOp>(loc, count, tiles);
  if (form.countsColumns) {
    Value columns = host.createOrFold<arith::CeilDivUIOp>(
        loc, sizes.back(), constant(host, form.shape.columns));
    count = host.createOrFold<arith::MulIOp>(loc, count, columns);
  }
  return {count};
}

namespace {

/// Erases what a builder makes, the last first.
struct Scratch : OpBuilder::Listener {
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    made.push_back(op);
  }
  ~Scratch() override {
    for (Operation *op : llvm::reverse(made))
      op->erase();
  }
  SmallVector<Operation *> made;
};

struct RowsFamily : KernelFamilyOpInterface::ExternalModel<RowsFamily, RowsOp> {
  static FailureOr<ConfigExplanations>
  explainConfigs(ArrayRef<Operation *> ops, const ConfigRequest &request) {
    ConfigExplanations explanations;
    for (Operation *op : ops) {
      std::unique_ptr<ConfigExplanation> &answer = explanations.emplace_back();
      if (!llvm::all_of(op->getOperandTypes(), llvm::IsaPred<MemRefType>))
        continue;
      Scratch scratch;
      OpBuilder host(op, &scratch);
      RowsKernel kernel(host, cast<RowsOp>(op), request.chip);
      if (failed(kernel.makeViews(host)))
        return failure();
      if (!kernel.isEmpty())
        answer = explainRows(cast<RowsOp>(op), kernel.getForm());
    }
    return explanations;
  }

  /// After the kernel has its program: takes the body.
  void emitStatement(Operation *op, OpBuilder &host) const {
    auto rows = cast<RowsOp>(op);
    auto problem =
        RowProblemOp::create(host, op->getLoc(), rows.getIns(), rows.getOuts(),
                             rows.getMapsAttr(), rows.getPiecesAttr());
    problem.getBody().takeBody(rows.getBody());
  }

  FailureOr<std::unique_ptr<TileKernel>>
  getKernel(Operation *op, OpBuilder &host, StringRef chip) const {
    if (!llvm::all_of(op->getOperandTypes(), llvm::IsaPred<MemRefType>))
      return op->emitOpError()
             << "expected memrefs, as kernels have, got tensors: "
                "one-shot-bufferize makes these";
    if (!getTarget(chip))
      return op->emitOpError()
             << "chip option: expected a chip that is known, such as sm_90a, "
                "got '"
             << chip << "'";
    auto kernel = std::make_unique<RowsKernel>(host, cast<RowsOp>(op), chip);
    if (failed(kernel->makeViews(host)))
      return failure();
    if (kernel->isEmpty())
      return std::unique_ptr<TileKernel>();
    return std::unique_ptr<TileKernel>(std::move(kernel));
  }
};

} // namespace

void tc::tmm::registerRowKernels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, TMMDialect *) {
    RowsOp::attachInterface<RowsFamily>(*context);
  });
}
