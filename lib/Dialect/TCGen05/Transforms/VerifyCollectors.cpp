//===- VerifyCollectors.cpp - what collector buffers hold -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ISA asks of `use` and `lastuse` that a fill before is still valid: after
// `lastuse` and `discard`, which is the default, nothing keeps it so. What an
// operation finds in a buffer on all paths to it is known, or else nothing is
// said: a loop may fill in its first turn.
//
//===----------------------------------------------------------------------===//

#include "KernelRules.h"
#include "tc/Support/ISA.h"
#include "tc/Support/SmemParts.h"

#include "mlir/Analysis/DataFlow/ConstantPropagationAnalysis.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Analysis/DataFlow/DenseAnalysis.h"
#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/IR/Dominance.h"

using namespace mlir;
using namespace tc;
using namespace tc::tcgen05;

namespace {

/// The collector buffers: of A, the four of B of weight-stationary operations,
/// and that of B of the others.
constexpr unsigned kBufferOfA = 0, kBufferOfB = 5, kBuffers = 6;

/// A collector buffer, what an operation does with it, and the operand that
/// goes there.
struct CollectorUse {
  unsigned buffer;
  Collector use;
  Value operand;
  int64_t k;
  /// Elements along K that go there, and the table of a B of indices.
  int64_t depth = 0;
  Value table = {};

  bool reads() const {
    return use == Collector::Use || use == Collector::LastUse;
  }
  std::string getName() const {
    if (buffer == kBufferOfA || buffer == kBufferOfB)
      return getOperandName().str();
    return "b " + std::to_string(buffer - 1);
  }
  StringRef getOperandName() const { return buffer == kBufferOfA ? "a" : "b"; }
  StringRef getSection() const {
    return cite(buffer == kBufferOfA   ? ISASection::Mma
                : buffer == kBufferOfB ? ISASection::CollectorB
                                       : ISASection::MmaWs);
  }
};

/// What is known of a buffer.
struct Content {
  enum { Unreached, Empty, Filled, Unknown } state = Unreached;
  /// What filled or emptied it, where that is one operation.
  Operation *op = nullptr;

  bool operator==(const Content &other) const {
    return state == other.state && op == other.op;
  }
  Content join(const Content &other) const {
    if (*this == other || other.state == Unreached)
      return *this;
    if (state == Unreached)
      return other;
    if (state == Empty && other.state == Empty)
      return {Empty, nullptr};
    return {Unknown, nullptr};
  }
};

class Contents : public dataflow::AbstractDenseLattice {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Contents)
  using AbstractDenseLattice::AbstractDenseLattice;

  ChangeResult join(const AbstractDenseLattice &other) override {
    ChangeResult result = ChangeResult::NoChange;
    for (unsigned buffer = 0; buffer < kBuffers; ++buffer)
      result |= set(buffer,
                    contents[buffer].join(
                        static_cast<const Contents &>(other).contents[buffer]));
    return result;
  }
  ChangeResult set(unsigned buffer, const Content &content) {
    if (contents[buffer] == content)
      return ChangeResult::NoChange;
    contents[buffer] = content;
    return ChangeResult::Change;
  }
  const Content &get(unsigned buffer) const { return contents[buffer]; }
  void print(raw_ostream &os) const override {
    for (const Content &content : contents)
      os << content.state << " ";
  }

private:
  std::array<Content, kBuffers> contents;
};

} // namespace

/// What `op` does with each collector buffer that it uses.
static SmallVector<CollectorUse, 2> getCollectors(Operation *op) {
  auto ofBoth = [](auto mma) {
    return SmallVector<CollectorUse, 2>{
        {kBufferOfA, mma.getCollectorA(), mma.getA(),
         static_cast<int64_t>(mma.getAK()), mma.getK()},
        {kBufferOfB, mma.getCollectorB(), mma.getB(),
         static_cast<int64_t>(mma.getBK()), mma.getK(), mma.getLookup()}};
  };
  if (auto mma = dyn_cast<MmaOp>(op))
    return ofBoth(mma);
  if (auto mma = dyn_cast<MmaBlockScaleOp>(op))
    return ofBoth(mma);
  if (auto mma = dyn_cast<MmaWsOp>(op))
    return {CollectorUse{static_cast<unsigned>(mma.getBuffer()) + 1,
                         mma.getCollectorB(), mma.getB(),
                         static_cast<int64_t>(mma.getBK())}};
  return {};
}

/// What `op` does with `buffer`.
static CollectorUse getCollector(Operation *op, unsigned buffer) {
  SmallVector<CollectorUse, 2> uses = getCollectors(op);
  return *llvm::find_if(
      uses, [&](const CollectorUse &use) { return use.buffer == buffer; });
}

namespace {

class ContentsAnalysis
    : public dataflow::DenseForwardDataFlowAnalysis<Contents> {
public:
  ContentsAnalysis(DataFlowSolver &solver, Block *entry)
      : DenseForwardDataFlowAnalysis(solver), entry(entry) {}

  LogicalResult visitOperation(Operation *op, const Contents &before,
                               Contents *after) override {
    ChangeResult result = after->join(before);
    for (const CollectorUse &collector : getCollectors(op)) {
      Content content = before.get(collector.buffer);
      if (collector.use == Collector::Fill)
        content = {Content::Filled, op};
      else if (collector.use != Collector::Use)
        content = {Content::Empty, op};
      result |= after->set(collector.buffer, content);
    }
    propagateIfChanged(after, result);
    return success();
  }

  // The kernel starts with nothing in the buffers.
  void setToEntryState(Contents *contents) override {
    bool isStart =
        contents->getAnchor() == LatticeAnchor(getProgramPointBefore(entry));
    ChangeResult result = ChangeResult::NoChange;
    for (unsigned buffer = 0; buffer < kBuffers; ++buffer)
      result |= contents->set(
          buffer, {isStart ? Content::Empty : Content::Unknown, nullptr});
    propagateIfChanged(contents, result);
  }

private:
  Block *entry;
};

} // namespace

//===----------------------------------------------------------------------===//
// Other operands
//===----------------------------------------------------------------------===//

namespace {

/// Bytes of shared memory from a constant place of `base` on.
struct SmemPlace {
  Value base;
  int64_t offset = 0;
};

} // namespace

static SmemPlace getPlace(Value operand) {
  SmemPlace place{operand};
  while (auto part = place.base.getDefiningOp<SmemPartOpInterface>()) {
    std::optional<int64_t> offset = getConstantIntValue(part.getByteOffset());
    if (!offset || llvm::AddOverflow(place.offset, *offset, place.offset))
      return {operand, 0};
    place.base = part.getWhole();
  }
  return place;
}

/// Whether `value` is the same in every turn of loops around `op`.
static bool isFixed(Value value, Operation *op) {
  for (auto loop = op->getParentOfType<LoopLikeOpInterface>(); loop;
       loop = loop->getParentOfType<LoopLikeOpInterface>())
    if (loop->isAncestor(value.getParentBlock()->getParentOp()))
      return false;
  return true;
}

/// How the operands of `fill` and `use` differ in any case; empty where they
/// may be the same.
static std::string findDifference(const CollectorUse &fill,
                                  const CollectorUse &use) {
  std::string k = use.getOperandName().str() + "_k";
  auto other = [&](const Twine &got, const Twine &filled) {
    return ("got " + got + ", filled with " + filled).str();
  };
  auto otherK = [&] {
    return other(k + " = " + Twine(use.k), k + " = " + Twine(fill.k));
  };
  if (fill.depth != use.depth)
    return other("K = " + Twine(use.depth), "K = " + Twine(fill.depth));
  if (bool(fill.table) != bool(use.table))
    return other(use.table ? "indices" : "numbers",
                 fill.table ? "indices" : "numbers");
  if (fill.table && fill.table != use.table) {
    std::optional<Columns> tableFill = getColumns(fill.table);
    std::optional<Columns> tableUse = getColumns(use.table);
    if (tableFill && tableUse && tableFill->root == tableUse->root &&
        tableFill->first != tableUse->first)
      return other("the table in column " + Twine(tableUse->first),
                   "that in column " + Twine(tableFill->first));
  }
  if (fill.operand == use.operand)
    return fill.k == use.k ? "" : otherK();
  auto tmemFill = dyn_cast<TmemType>(fill.operand.getType());
  auto tmemUse = dyn_cast<TmemType>(use.operand.getType());
  if (bool(tmemFill) != bool(tmemUse))
    return other(tmemUse ? "Tensor Memory" : "shared memory",
                 tmemFill ? "Tensor Memory" : "shared memory");
  if (fill.operand.getType() != use.operand.getType())
    return "";
  if (tmemFill) {
    std::optional<Columns> columnsFill = getColumns(fill.operand);
    std::optional<Columns> columnsUse = getColumns(use.operand);
    if (!columnsFill || !columnsUse || columnsFill->root != columnsUse->root)
      return "";
    if (columnsFill->lanes != columnsUse->lanes)
      return other(
          columnsUse->lanes == 2 ? "the upper lanes" : "the lower lanes",
          columnsFill->lanes == 2 ? "the upper lanes" : "the lower lanes");
    int64_t bits = tmemFill.getStorageBits();
    int64_t startFill = columnsFill->first + fill.k * bits / 32;
    int64_t startUse = columnsUse->first + use.k * bits / 32;
    if (startFill == startUse)
      return "";
    return other("column " + Twine(startUse), "column " + Twine(startFill));
  }
  SmemPlace placeFill = getPlace(fill.operand),
            placeUse = getPlace(use.operand);
  // Of two places in the same bytes, each with its own step, both may be one.
  if (placeFill.base != placeUse.base ||
      (placeFill.offset != placeUse.offset && fill.k != use.k))
    return "";
  if (placeFill.offset == placeUse.offset)
    return fill.k == use.k ? "" : otherK();
  return other("offset " + Twine(placeUse.offset),
               "offset " + Twine(placeFill.offset));
}

//===----------------------------------------------------------------------===//
// The rules
//===----------------------------------------------------------------------===//

// tcgen05_kernel_c11, tcgen05_kernel_c13
static LogicalResult verifyFilled(Operation *op, const CollectorUse &collector,
                                  const Content &content, bool isEverFilled) {
  if (content.state != Content::Empty)
    return success();
  if (!isEverFilled)
    return op->emitError() << "expected an operation of the kernel that fills "
                              "the collector buffer of "
                           << collector.getName() << ", got "
                           << stringifyCollector(collector.use) << " alone "
                           << collector.getSection();
  InFlightDiagnostic diagnostic =
      op->emitError() << "expected a fill of the collector buffer of "
                      << collector.getName() << " that is still valid, got "
                      << stringifyCollector(collector.use)
                      << (content.op ? " after the buffer was emptied "
                                     : " before any fill ")
                      << collector.getSection();
  if (content.op)
    diagnostic.attachNote(content.op->getLoc())
        << "emptied here, by "
        << stringifyCollector(getCollector(content.op, collector.buffer).use);
  return diagnostic;
}

// tcgen05_kernel_c14
static LogicalResult verifySame(Operation *op, const CollectorUse &collector,
                                const Content &content,
                                DominanceInfo &dominance) {
  if (content.state != Content::Filled)
    return success();
  CollectorUse fill = getCollector(content.op, collector.buffer);
  // Between turns of a loop a value changes.
  if (!dominance.properlyDominates(content.op, op) &&
      !(isFixed(fill.operand, op) && isFixed(collector.operand, op)))
    return success();
  std::string difference = findDifference(fill, collector);
  if (difference.empty())
    return success();
  InFlightDiagnostic diagnostic =
      op->emitError() << "expected the " << collector.getOperandName()
                      << " that the collector buffer of " << collector.getName()
                      << " was filled with, " << difference << " "
                      << collector.getSection();
  diagnostic.attachNote(content.op->getLoc()) << "filled here";
  return diagnostic;
}

LogicalResult tc::tcgen05::verifyCollectors(gpu::GPUFuncOp kernel) {
  std::array<bool, kBuffers> filled = {};
  SmallVector<std::pair<Operation *, CollectorUse>> uses;
  kernel.walk([&](Operation *op) {
    for (const CollectorUse &collector : getCollectors(op)) {
      filled[collector.buffer] |= collector.use == Collector::Fill;
      if (collector.reads())
        uses.push_back({op, collector});
    }
  });
  if (uses.empty())
    return success();
  DataFlowSolver solver(DataFlowConfig().setInterprocedural(false));
  solver.load<dataflow::DeadCodeAnalysis>();
  solver.load<dataflow::SparseConstantPropagation>();
  solver.load<ContentsAnalysis>(&kernel.getBody().front());
  if (failed(solver.initializeAndRun(kernel)))
    return failure();
  DominanceInfo dominance(kernel);
  for (auto &[op, collector] : uses) {
    const auto *contents =
        solver.lookupState<Contents>(solver.getProgramPointBefore(op));
    if (!contents)
      continue;
    const Content &content = contents->get(collector.buffer);
    if (failed(
            verifyFilled(op, collector, content, filled[collector.buffer])) ||
        failed(verifySame(op, collector, content, dominance)))
      return failure();
  }
  return success();
}
