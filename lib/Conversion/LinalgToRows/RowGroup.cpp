//===- RowGroup.cpp - operations on the same rows ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A group starts at a reduction along the innermost dimension of what it reads.
// Operations join it over the tensors that they share with members: those say
// which loops are which dimensions. Nothing else may lie between members, so
// that one kernel can be in the place of all.
//
//===----------------------------------------------------------------------===//

#include "RowGroup.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace tc;

/// Tensors of a group that have columns: each may take registers.
static constexpr unsigned kMaxTensors = 40;

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

TensorDims RowGroup::getDims(linalg::GenericOp op, OpOperand &operand,
                             const LoopDims &loops) {
  TensorDims dims;
  for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults()) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    dims.push_back(loop ? loops[loop.getPosition()] : std::nullopt);
  }
  return dims;
}

bool tc::hasPlainMaps(linalg::GenericOp op) {
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type)
      return false;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [at, expr] : llvm::enumerate(map.getResults())) {
      auto zero = dyn_cast<AffineConstantExpr>(expr);
      if (zero ? zero.getValue() != 0 || type.getDimSize(at) != 1
               : !isa<AffineDimExpr>(expr) ||
                     llvm::count(map.getResults(), expr) != 1)
        return false;
    }
  }
  return true;
}

/// Whether `op` alone can be in a group.
static bool canJoin(linalg::GenericOp op) {
  return op.hasPureTensorSemantics() && hasPlainMaps(op) && canBeRows(op);
}

std::optional<RowGroup> RowGroup::start(linalg::GenericOp seed,
                                        bool usesPieces) {
  if (seed.getNumReductionLoops() > 1 || seed.getNumLoops() == 0 ||
      !canJoin(seed))
    return std::nullopt;
  SmallVector<unsigned> columns;
  seed.getReductionDims(columns);
  // Without a reduction the column is what the output has last.
  if (columns.empty()) {
    AffineMap map = seed.getMatchingIndexingMap(seed.getDpsInitOperand(0));
    if (map.getNumResults() == 0 ||
        !isa<AffineDimExpr>(map.getResults().back()))
      return std::nullopt;
    auto last = cast<AffineDimExpr>(map.getResults().back());
    columns.push_back(last.getPosition());
  }
  // The order of rows is that of an operand that has all of them.
  for (OpOperand &operand : seed->getOpOperands()) {
    AffineMap map = seed.getMatchingIndexingMap(&operand);
    LoopDims loops(seed.getNumLoops());
    unsigned next = 0;
    bool hasColumn = false;
    for (AffineExpr expr : map.getResults())
      if (auto loop = dyn_cast<AffineDimExpr>(expr)) {
        if (loop.getPosition() == columns[0])
          hasColumn = true;
        else
          loops[loop.getPosition()] = next++;
      }
    if (!hasColumn || next + 1 != seed.getNumLoops())
      continue;
    loops[columns[0]] = next++;
    RowGroup group;
    group.usesPieces = usesPieces;
    group.sizes.resize(next);
    for (auto [loop, size] : llvm::enumerate(seed.getStaticLoopRanges()))
      group.sizes[*loops[loop]] = size;
    if (!group.fits(seed, loops) || !group.picksFit(seed, loops))
      continue;
    group.add(seed, loops);
    // Elementwise operations along memory are as fast alone.
    if (seed.getNumReductionLoops() == 0 && !group.tileRow &&
        !(usesPieces && readsPieces(seed)))
      return std::nullopt;
    return group;
  }
  return std::nullopt;
}

/// Whether a kernel can have a tensor of `dims` beside those with `row` last,
/// where the column is not; notes that of the tensor.
bool RowGroup::noteOrder(const TensorDims &dims,
                         std::optional<unsigned> &row) const {
  std::optional<unsigned> last;
  bool hasColumn = false;
  for (std::optional<unsigned> dim : dims) {
    if (!dim)
      continue;
    last = dim;
    hasColumn |= dim == getColumn();
  }
  if (!hasColumn || last == getColumn())
    return true;
  if (row && row != last)
    return false;
  row = last;
  return true;
}

/// Whether each operand has its dimensions in the order of the group.
bool RowGroup::fits(linalg::GenericOp op, const LoopDims &loops) const {
  for (auto [loop, size] : llvm::enumerate(op.getStaticLoopRanges()))
    if (loops[loop] && !ShapedType::isDynamic(size) &&
        !ShapedType::isDynamic(sizes[*loops[loop]]) &&
        size != sizes[*loops[loop]])
      return false;
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  for (auto [loop, kind] : llvm::enumerate(kinds))
    if ((kind == utils::IteratorType::reduction) && loops[loop] != getColumn())
      return false;
  // All rows; all columns too, or none of them.
  SmallVector<bool> has(sizes.size());
  for (std::optional<unsigned> dim : loops)
    if (dim)
      has[*dim] = true;
  if (!llvm::all_of(ArrayRef(has).drop_back(), [](bool one) { return one; }))
    return false;
  std::optional<unsigned> row = tileRow;
  for (OpOperand &operand : op->getOpOperands())
    if (!noteOrder(getDims(op, operand, loops), row))
      return false;
  return true;
}

/// Adds dimensions of loops whose size the output takes from a tensor that is
/// known.
void RowGroup::matchSizes(linalg::GenericOp op, LoopDims &loops) const {
  for (OpOperand &init : op.getDpsInitsMutable()) {
    auto empty = init.get().getDefiningOp<tensor::EmptyOp>();
    if (!empty)
      continue;
    for (auto [expr, size] :
         llvm::zip_equal(op.getMatchingIndexingMap(&init).getResults(),
                         empty.getMixedSizes())) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      auto value = dyn_cast<Value>(size);
      auto dim = value ? value.getDefiningOp<tensor::DimOp>() : tensor::DimOp();
      if (!loop || loops[loop.getPosition()] || !dim || !dim.getConstantIndex())
        continue;
      auto found = known.find(dim.getSource());
      auto at = size_t(*dim.getConstantIndex());
      if (found != known.end() && at < found->second.size())
        loops[loop.getPosition()] = found->second[at];
    }
  }
}

/// The dimensions of the loops of `op`, as tensors say that are known.
std::optional<RowGroup::LoopDims> RowGroup::matchLoops(linalg::GenericOp op) {
  LoopDims loops(op.getNumLoops());
  auto match = [&](AffineMap map, const TensorDims &dims) {
    for (auto [expr, dim] : llvm::zip_equal(map.getResults(), dims)) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!loop || !dim)
        continue;
      std::optional<unsigned> &own = loops[loop.getPosition()];
      if (own && own != dim)
        return false;
      own = dim;
    }
    return true;
  };
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    if (op.isDpsInit(&operand))
      value = op.getTiedOpResult(&operand);
    auto found = known.find(value);
    if (found == known.end() && op.isDpsInit(&operand))
      found = known.find(operand.get());
    if (found != known.end() &&
        !match(op.getMatchingIndexingMap(&operand), found->second))
      return std::nullopt;
  }
  bool isMatched = true;
  op.getBody()->walk([&](tensor::ExtractOp extract) {
    auto places = matchExtract(extract, op);
    auto found = known.find(extract.getTensor());
    if (!places || found == known.end())
      return;
    for (auto [place, dim] : llvm::zip_equal(*places, found->second))
      if (place.loop && !place.isMoved && dim) {
        std::optional<unsigned> &own = loops[*place.loop];
        isMatched &= !own || own == dim;
        own = dim;
      }
  });
  if (!isMatched)
    return std::nullopt;
  matchSizes(op, loops);
  // What is left is the column, where it has as many elements.
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  auto isColumn = [&](std::optional<unsigned> dim) {
    return dim == getColumn();
  };
  for (auto [loop, size] : llvm::enumerate(ranges)) {
    if (loops[loop] || size == 1)
      continue;
    if (llvm::any_of(loops, isColumn) || ShapedType::isDynamic(size) ||
        size != sizes[getColumn()])
      return std::nullopt;
    loops[loop] = getColumn();
  }
  llvm::SmallDenseSet<unsigned> once;
  for (std::optional<unsigned> dim : loops)
    if (dim && !once.insert(*dim).second)
      return std::nullopt;
  return loops;
}

/// The dimensions of what tensor.extract reads at `places`, where the loops of
/// `op` are dimensions `loops`.
TensorDims RowGroup::getExtractDims(linalg::GenericOp op,
                                    ArrayRef<ExtractPlace> places,
                                    const LoopDims &loops) const {
  TensorDims dims;
  for (const ExtractPlace &place : places)
    dims.push_back(place.isPick ? getColumn()
                   : place.loop ? loops[*place.loop]
                                : std::nullopt);
  return dims;
}

/// Whether `value`, in the body of `op`, is the same for all points of `loop`.
static bool isUniform(Value value, linalg::GenericOp op, unsigned loop) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != op.getBody())
      return false;
    OpOperand &operand = op->getOpOperand(argument.getArgNumber());
    return !(op.isDpsInit(&operand) && op.getNumReductionLoops() != 0) &&
           !op.getMatchingIndexingMap(&operand).isFunctionOfDim(loop);
  }
  Operation *definition = value.getDefiningOp();
  if (!op->isProperAncestor(definition))
    return true;
  if (auto index = dyn_cast<linalg::IndexOp>(definition))
    return index.getDim() != loop;
  return definition->getNumRegions() == 0 &&
         llvm::all_of(definition->getOperands(), [&](Value operand) {
           return isUniform(operand, op, loop);
         });
}

/// Whether what `op` reads by tensor.extract is in the rows: an element for
/// each row is at a column that is the same in the row.
bool RowGroup::picksFit(linalg::GenericOp op, const LoopDims &loops) const {
  const auto *column = llvm::find(loops, std::optional(getColumn()));
  bool hasColumn = column != loops.end();
  unsigned columnLoop = column - loops.begin();
  auto fits = [&](tensor::ExtractOp extract) {
    auto places = matchExtract(extract, op);
    if (!places)
      return false;
    bool isPick = false;
    for (auto [dim, place] : llvm::enumerate(*places)) {
      if (place.loop && place.isMoved && !loops[*place.loop])
        return false;
      if (!place.isPick)
        continue;
      isPick = true;
      // Of one that is not known its dimensions say where the columns are.
      int64_t size = extract.getTensor().getType().getDimSize(dim);
      if (dim + 1 != places->size() || size != sizes[getColumn()] ||
          (ShapedType::isDynamic(size) && !known.contains(extract.getTensor())))
        return false;
      if (hasColumn && !isUniform(extract.getIndices()[dim], op, columnLoop))
        return false;
    }
    auto isColumn = [&](const ExtractPlace &place) {
      return hasColumn && place.loop == columnLoop;
    };
    return !isPick || (!tileRow && llvm::none_of(*places, isColumn));
  };
  return !op.getBody()
              ->walk([&](tensor::ExtractOp extract) {
                return fits(extract) ? WalkResult::advance()
                                     : WalkResult::interrupt();
              })
              .wasInterrupted();
}

/// Whether a kernel has the parts that `rows` reads: along the column or the
/// rows of a tile.
bool RowGroup::hasFittingPieces(const RowsBody &rows) const {
  std::optional<unsigned> row = tileRow;
  for (ArrayRef<int64_t> dims : rows.pieces)
    for (int64_t dim : dims) {
      if (dim == int64_t(getColumn()))
        continue;
      if (row && row != unsigned(dim))
        return false;
      row = unsigned(dim);
    }
  return true;
}

/// Whether no path from a member to another leads over what is none, with `op`
/// as one.
bool RowGroup::isConvexWith(Operation *op) const {
  auto isInside = [&](Operation *some) { return some == op || isMember(some); };
  SmallVector<std::pair<Operation *, bool>> worklist;
  DenseSet<Operation *> visited[2];
  auto push = [&](Operation *user, bool isOutside) {
    user = op->getBlock()->findAncestorOpInBlock(*user);
    if (user && visited[isOutside].insert(user).second)
      worklist.push_back({user, isOutside});
  };
  for (Operation *user : op->getUsers())
    push(user, false);
  for (auto &[member, loops] : members)
    for (Operation *user : member->getUsers())
      push(user, false);
  while (!worklist.empty()) {
    auto [user, isOutside] = worklist.pop_back_val();
    if (isInside(user)) {
      if (isOutside)
        return false;
      continue;
    }
    bool isView = bool(getUnitSource(user));
    for (Operation *next : user->getUsers())
      push(next, isOutside || !isView);
  }
  return true;
}

void RowGroup::note(Value value, const TensorDims &dims) {
  known.try_emplace(value, dims);
  auto [source, sourceDims] = traceUnits(value, dims);
  known.try_emplace(source, sourceDims);
}

void RowGroup::add(linalg::GenericOp op, LoopDims loops) {
  for (OpOperand &operand : op->getOpOperands()) {
    TensorDims dims = getDims(op, operand, loops);
    (void)noteOrder(dims, tileRow);
    note(operand.get(), dims);
    if (op.isDpsInit(&operand))
      note(op.getTiedOpResult(&operand), dims);
  }
  members.insert({op.getOperation(), std::move(loops)});
}

/// Whether members with `added`, of which the loops are `addedLoops`, read what
/// others compute at the place where these compute it, and write into tensors
/// of others alone.
bool RowGroup::isConsistentWith(linalg::GenericOp added,
                                const LoopDims &addedLoops) const {
  auto getLoops = [&](Operation *op) -> const LoopDims & {
    return op == added ? addedLoops : members.find(op)->second;
  };
  auto isInside = [&](Operation *op) {
    return op && (op == added || isMember(op));
  };
  auto isFine = [&](Operation *one) {
    auto op = cast<linalg::GenericOp>(one);
    for (OpOperand &operand : op->getOpOperands()) {
      auto [source, dims] =
          traceUnits(operand.get(), getDims(op, operand, getLoops(op)));
      while (auto fill = source.getDefiningOp<linalg::FillOp>())
        source = traceUnits(fill.getDpsInitOperand(0)->get(), dims).first;
      Operation *producer = source.getDefiningOp();
      if (!isInside(producer))
        continue;
      if (op.isDpsInit(&operand))
        return false;
      auto from = cast<linalg::GenericOp>(producer);
      OpOperand *init =
          from.getDpsInitOperand(cast<OpResult>(source).getResultNumber());
      if (dims != getDims(from, *init, getLoops(producer)))
        return false;
    }
    WalkResult extracts = op.getBody()->walk([&](tensor::ExtractOp extract) {
      auto places = matchExtract(extract, op);
      auto [source, dims] = traceUnits(
          extract.getTensor(), getExtractDims(op, *places, getLoops(op)));
      Operation *producer = source.getDefiningOp();
      if (!isInside(producer))
        return WalkResult::advance();
      auto from = cast<linalg::GenericOp>(producer);
      OpOperand *init =
          from.getDpsInitOperand(cast<OpResult>(source).getResultNumber());
      auto isMoved = [](const ExtractPlace &place) { return place.isMoved; };
      return llvm::any_of(*places, isMoved) ||
                     dims != getDims(from, *init, getLoops(producer))
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    return !extracts.wasInterrupted();
  };
  return isFine(added) && llvm::all_of(llvm::make_first_range(members), isFine);
}

/// Adds `some`, which shares a tensor with a member, where that can be.
bool RowGroup::tryAdd(Operation *some) {
  auto op = dyn_cast_or_null<linalg::GenericOp>(some);
  if (!op || isMember(op) || !canJoin(op) ||
      op->getBlock() != members.front().first->getBlock() ||
      op.getNumReductionLoops() > 1 || (!usesPieces && readsPieces(op)))
    return false;
  std::optional<LoopDims> loops = matchLoops(op);
  if (!loops || !fits(op, *loops) || !picksFit(op, *loops) || !isConvexWith(op))
    return false;
  unsigned wide = 0;
  for (auto &[tensor, dims] : known)
    wide += llvm::is_contained(dims, std::optional(getColumn()));
  if (wide > kMaxTensors)
    return false;
  if (!isConsistentWith(op, *loops))
    return false;
  add(op, *loops);
  return true;
}

void RowGroup::grow() {
  bool hasGrown = true;
  while (hasGrown) {
    hasGrown = false;
    SmallVector<Value> tensors;
    for (auto &[member, loops] : members) {
      llvm::append_range(tensors, member->getOperands());
      llvm::append_range(tensors, member->getResults());
    }
    llvm::SmallDenseSet<Value> seen(tensors.begin(), tensors.end());
    for (size_t i = 0; i < tensors.size(); ++i) {
      Value tensor = tensors[i];
      TensorDims dims = known.lookup(tensor);
      hasGrown |= tryAdd(traceUnits(tensor, dims).first.getDefiningOp());
      for (Operation *some : llvm::to_vector(tensor.getUsers())) {
        Operation *user =
            members.front().first->getBlock()->findAncestorOpInBlock(*some);
        if (!user)
          continue;
        if (!getUnitSource(user)) {
          hasGrown |= tryAdd(user);
          continue;
        }
        Value view = user->getResult(0);
        known.try_emplace(view, convertDims(user, dims, /*toResult=*/true));
        if (seen.insert(view).second)
          tensors.push_back(view);
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// Replacing
//===----------------------------------------------------------------------===//

/// Whether somebody reads `result` who is no member.
bool RowGroup::escapes(Value result) const {
  Block *block = members.front().first->getBlock();
  return llvm::any_of(result.getUsers(), [&](Operation *some) {
    Operation *user = block->findAncestorOpInBlock(*some);
    if (!user || isMember(user))
      return !user;
    return getUnitSource(user) ? escapes(user->getResult(0)) : true;
  });
}

/// What an output of a member is written into: not what it starts from.
static Value getDestination(RewriterBase &rewriter, OpOperand &init) {
  Value value = init.get();
  while (auto fill = value.getDefiningOp<linalg::FillOp>())
    value = fill.getDpsInitOperand(0)->get();
  auto op = cast<linalg::GenericOp>(init.getOwner());
  bool isRead = op.payloadUsesValueFromOperand(&init);
  if (!isRead || value != init.get())
    return value;
  // Where it is read it may be needed by others.
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(rewriter, init.getOwner()->getLoc(), value);
  return tensor::EmptyOp::create(rewriter, init.getOwner()->getLoc(), sizes,
                                 type.getElementType());
}

Operation *RowGroup::replace(RewriterBase &rewriter) {
  SmallVector<Operation *> ordered;
  for (auto &[member, loops] : members)
    ordered.push_back(member);
  llvm::sort(ordered,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  // Before the first that reads what comes out, and after what goes in.
  Block *block = ordered.front()->getBlock();
  Operation *place = ordered.back()->getNextNode();
  for (Operation *member : ordered)
    for (Operation *user : member->getUsers()) {
      Operation *at = block->findAncestorOpInBlock(*user);
      bool isDeadView = getUnitSource(user) && !escapes(user->getResult(0));
      if (at && !isMember(at) && !isDeadView && at->isBeforeInBlock(place))
        place = at;
    }

  Region region;
  Block &body = region.emplaceBlock();
  RowsBody rows(rewriter, body, sizes, usesPieces);
  SmallVector<Value> outs, yields, results;
  SmallVector<AffineMap> outMaps;
  rewriter.setInsertionPoint(ordered.back());
  for (Operation *member : ordered) {
    auto op = cast<linalg::GenericOp>(member);
    const LoopDims &loops = members.find(member)->second;
    SmallVector<TensorDims> dims;
    for (OpOperand &operand : op->getOpOperands())
      dims.push_back(getDims(op, operand, loops));
    rows.add(op, loops, dims);
    for (OpOperand &init : op.getDpsInitsMutable()) {
      Value result = op.getTiedOpResult(&init);
      if (!escapes(result))
        continue;
      TensorDims own = getDims(op, init, loops);
      rewriter.setInsertionPoint(member);
      outs.push_back(getDestination(rewriter, init));
      outMaps.push_back(rows.getMap(own));
      yields.push_back(rows.get(result, own));
      results.push_back(result);
    }
  }
  if (results.empty() || !hasFittingPieces(rows))
    return nullptr;
  SmallVector<Value> operands(rows.ins);
  llvm::append_range(operands, outs);
  SmallVector<AffineMap> maps(rows.maps);
  llvm::append_range(maps, outMaps);
  // Sizes are those of operands.
  auto isPart = [&](size_t number, unsigned dim) {
    return number < rows.pieces.size() &&
           llvm::is_contained(rows.pieces[number], int64_t(dim));
  };
  for (unsigned dim = 0; dim < sizes.size(); ++dim) {
    bool isKnown = false;
    for (auto [number, map] : llvm::enumerate(maps))
      isKnown |= map.isFunctionOfDim(dim) && !isPart(number, dim);
    if (!isKnown)
      return nullptr;
  }
  if (failed(moveValueDefinitions(rewriter, operands, place)))
    return nullptr;
  rewriter.setInsertionPoint(place);
  SmallVector<Location> locs;
  for (Operation *member : ordered)
    locs.push_back(member->getLoc());
  auto op = tmm::RowsOp::create(
      rewriter, rewriter.getFusedLoc(locs), TypeRange(ValueRange(results)),
      rows.ins, outs, rewriter.getAffineMapArrayAttr(maps), rows.getPieces());
  op.getBody().takeBody(region);
  {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToEnd(&op.getBody().front());
    tmm::YieldOp::create(rewriter, op.getLoc(), yields);
  }
  // Views that members alone read go with them, users first.
  SmallVector<Operation *> dead(ordered);
  for (size_t i = 0; i < dead.size(); ++i)
    for (Operation *user : dead[i]->getUsers())
      if (getUnitSource(user) && !escapes(user->getResult(0)) &&
          !llvm::is_contained(dead, user))
        dead.push_back(user);
  llvm::sort(dead,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (auto [result, value] : llvm::zip_equal(results, op.getResults()))
    rewriter.replaceAllUsesWith(result, value);
  for (Operation *one : llvm::reverse(dead))
    rewriter.eraseOp(one);
  return op;
}
