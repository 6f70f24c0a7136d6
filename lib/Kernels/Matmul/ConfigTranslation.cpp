//===- ConfigTranslation.cpp - a matmul as plain data -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What tc::schedule asks for; nothing is decided here.
//
//===----------------------------------------------------------------------===//

#include "ConfigTranslation.h"

#include "tc/Dialect/TMM/Configure/Machine.h"
#include "tc/Support/ISA.h"
#include "tc/Support/Im2col.h"
#include "tc/Support/RowDistances.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace tc::tmm;
namespace schedule = tc::schedule;

FailureOr<schedule::Machine>
tc::tmm::getMachine(Operation *root, StringRef chip,
                    const schedule::MatmulConfig &option,
                    function_ref<InFlightDiagnostic()> emitError) {
  bool isGiven = true;
  int64_t sms = 0;
  root->walk([&](MatmulOp op) {
    std::optional<int64_t> own = getConfig(op).sms;
    isGiven &= own.has_value();
    sms = std::max(sms, own.value_or(0));
  });
  schedule::MatmulConfig given = option;
  if (!given.sms && isGiven)
    given.sms = sms;
  return getMachine(root->getContext(), chip, given, emitError);
}

/// The size, or nothing if it is dynamic.
static std::optional<int64_t> known(int64_t size) {
  if (ShapedType::isDynamic(size))
    return std::nullopt;
  return size;
}

/// The type of `matrix`; a tensor becomes a dense memref.
static MemRefType getMemRefType(Value matrix) {
  auto type = cast<ShapedType>(matrix.getType());
  if (auto memref = dyn_cast<MemRefType>(type))
    return memref;
  return MemRefType::get(type.getShape(), type.getElementType());
}

/// Strides and offset of `matrix`, in elements.
static bool getLayout(Value matrix, SmallVector<int64_t> &strides,
                      int64_t &offset) {
  return succeeded(getMemRefType(matrix).getStridesAndOffset(strides, offset));
}

/// Whether the rows of `matrix` are next to each other, so that their number of
/// columns is their distance.
static bool isDense(Value matrix) {
  auto memref = dyn_cast<MemRefType>(matrix.getType());
  return !memref || memref.getLayout().isIdentity();
}

/// Finds out whether TMA can store D of `op`.
static void findTmaStore(MatmulOp op, schedule::MatmulProblem &problem) {
  auto impossible = [&](const Twine &reason) {
    problem.tmaStore = schedule::TmaStore::Impossible;
    problem.storeObstacle = reason.str();
  };
  // Its threads would read, and TMA write, the same elements.
  if (op.getAccumulate() || llvm::is_contained(op.getExtras(), op.getD()))
    return impossible("D is read where it is written");
  if (problem.outputBits < 8)
    return impossible("D has elements of " + Twine(problem.outputBits) +
                      " bits, which threads pack as they store");
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!getLayout(op.getD(), strides, offset))
    return impossible("D has no strides");
  // The rows, the matrices of a batch, and where the first of them starts.
  SmallVector<std::pair<int64_t, StringRef>> distances = {
      {offset, "offset of D"}, {*std::next(strides.rbegin()), "rows of D"}};
  for (unsigned dim = 0; dim < op.getMDimOfD(); ++dim)
    if (op.getStaticBatch(dim) != 1)
      distances.push_back({strides[dim], "matrices of D"});
  for (auto [value, what] : distances) {
    if (ShapedType::isDynamic(value))
      continue;
    int64_t bytes = value * problem.outputBits / 8;
    if (bytes % tc::kTmaGranularity != 0)
      return impossible("TMA needs a multiple of " +
                        Twine(tc::kTmaGranularity) + " bytes for the " + what +
                        ", got " + Twine(bytes) + " " +
                        tc::cite(tc::ISASection::TensorMapLimits));
  }
  // Past the end of a row it would overwrite other elements.
  int64_t columns = op.getStaticN();
  int64_t bytes =
      ShapedType::isDynamic(columns) ? 0 : columns * problem.outputBits / 8;
  if (bytes % tc::kTmaGranularity != 0)
    return impossible("TMA writes " + Twine(tc::kTmaGranularity) +
                      " bytes as a whole, and rows of D end inside of them, "
                      "after " +
                      Twine(bytes));
  distances.push_back({columns, "columns of D"});
  if (llvm::none_of(distances, [](auto distance) {
        return ShapedType::isDynamic(distance.first);
      }))
    return;
  // Dense rows of B with at least as many elements in 16 bytes: what its loads
  // require of N is enough.
  bool implied = !ShapedType::isDynamic(offset) && isDense(op.getD()) &&
                 isDense(op.getB()) && !op.getTransposeB() &&
                 problem.outputBits % problem.inputBits == 0;
  problem.storesWithB = implied;
  if (!implied)
    problem.tmaStore = schedule::TmaStore::Checked;
}

/// Why TMA cannot load the windows of images that `op` sees; empty: it can.
static std::string findWindowsObstacle(WindowsOp op) {
  WindowsAttr windows = op.getWindows();
  MemRefType images = getMemRefType(op.getImages());
  int64_t bits = images.getElementTypeBitWidth();
  if (bits % 8 != 0)
    return llvm::formatv("images have elements of {0} bits, of which TMA has "
                         "no windows",
                         bits);
  auto cited = [](const Twine &reason) {
    return (reason + " " + tc::cite(tc::ISASection::TensorMapLimits)).str();
  };
  auto [strides, offset] = images.getStridesAndOffset();
  SmallVector<std::pair<StringRef, int64_t>> distances = {
      {"channels", windows.getChannels()}, {"offset", offset}};
  for (int64_t stride : ArrayRef(strides).drop_back())
    distances.push_back({"strides", stride});
  for (auto [name, elements] : distances)
    if (!ShapedType::isDynamic(elements) &&
        elements * bits / 8 % tc::kTmaGranularity != 0)
      return cited(
          llvm::formatv("TMA needs a multiple of {0} bytes for the {1} "
                        "of images, got {2}",
                        tc::kTmaGranularity, name, elements * bits / 8));
  tc::Im2colLimits limits = tc::getIm2colLimits(windows.getRank() + 2);
  for (int64_t dim = 0; dim < windows.getRank(); ++dim) {
    int64_t stride = windows.getStrides()[dim];
    if (stride > tc::kIm2colMaxStep)
      return cited(llvm::formatv("TMA moves windows by at most {0} elements, "
                                 "got a stride of {1}",
                                 tc::kIm2colMaxStep, stride));
    int64_t upper = windows.getUpperCorner(dim, images.getDimSize(dim + 1));
    for (int64_t corner : {-windows.getPadding()[dim], upper})
      if (!limits.hasCorner(corner))
        return cited(llvm::formatv("TMA needs first elements of windows from "
                                   "{0} before the first to {1} after the last "
                                   "element of an image, got {2} along "
                                   "dimension {3}",
                                   limits.corner, limits.corner - 1, corner,
                                   dim + 1));
    if (windows.getReach(dim) >= limits.offset)
      return cited(llvm::formatv("TMA needs windows whose elements are less "
                                 "than {0} apart, got {1} along dimension {2}",
                                 limits.offset, windows.getReach(dim),
                                 dim + 1));
  }
  return "";
}

/// How the rows of the windows of images that `op` sees are placed.
static schedule::OperandRows getWindowsRows(WindowsOp op) {
  schedule::OperandRows rows;
  rows.tmaObstacle = findWindowsObstacle(op);
  rows.threadObstacle = "threads cannot address the elements of windows, which "
                        "are gathered first";
  int64_t channels =
      op.getWindows().getChannels() *
      getElementTypeOrSelf(op.getImages()).getIntOrFloatBitWidth() / 8;
  while (rows.swizzle >= 32 && channels % rows.swizzle != 0)
    rows.swizzle /= 2;
  if (rows.swizzle < 32)
    rows.swizzle = 0;
  rows.swizzleReason =
      llvm::formatv("as each row of it is loaded from the channels of one "
                    "element of an image, {0} bytes",
                    channels);
  return rows;
}

/// How the rows of `matrix`, operand `name`, are placed.
static schedule::OperandRows getRows(Value matrix, StringRef name) {
  if (WindowsOp windows = WindowsOp::getOf(matrix))
    return getWindowsRows(windows);
  schedule::OperandRows rows;
  auto type = cast<ShapedType>(matrix.getType());
  int64_t bits = type.getElementTypeBitWidth();
  if (bits < 8) {
    rows.threadObstacle = ("elements of " + Twine(bits) +
                           " bits have no addresses that threads could load")
                              .str();
    return rows;
  }
  MemRefType memref = getMemRefType(matrix);
  tc::RowAlignment alignment = tc::getRowAlignment(memref);
  rows.alignment = alignment.bytes;
  rows.isKnown = alignment.isKnown;
  for (const tc::RowDistance &distance : tc::getRowDistances(memref)) {
    if (ShapedType::isDynamic(distance.elements))
      continue;
    int64_t bytes = distance.elements * bits / 8;
    if (bytes % tc::kTmaGranularity == 0)
      continue;
    StringRef what = "matrices";
    if (!distance.dim)
      what = "offset";
    else if (*distance.dim + 2 == type.getRank())
      what = "rows";
    rows.tmaObstacle =
        ("TMA needs a multiple of " + Twine(tc::kTmaGranularity) +
         " bytes for the " + what + " of " + name + ", got " + Twine(bytes) +
         " " + tc::cite(tc::ISASection::TensorMapLimits))
            .str();
    break;
  }
  return rows;
}

/// Whether threads convert floats of 8 and fewer bits for `op`.
static bool convertsFloat8(MatmulOp op) {
  auto isSmall = [](Type type) {
    auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
    return element && element.getWidth() <= 8;
  };
  bool converts = isSmall(op.getD().getType());
  op->walk([&](Operation *inner) {
    if (inner != op)
      converts |= llvm::any_of(inner->getOperandTypes(), isSmall) ||
                  llvm::any_of(inner->getResultTypes(), isSmall);
  });
  return converts;
}

/// Why the K of `op` cannot be cut into parts that are problems of a batch;
/// empty: it can.
static std::string findSplitObstacle(MatmulOp op) {
  int64_t bits =
      getElementTypeOrSelf(op.getA().getType()).getIntOrFloatBitWidth();
  if (op.getRows())
    return "only the device knows which rows the problems have";
  if (op.isScaled())
    return "the operands have scale factors";
  if (op.isSparse())
    return "A is sparse";
  if (WindowsOp::getOf(op.getA()))
    return "A is the windows of images, which have no views";
  if (bits < 8)
    return llvm::formatv("operands have elements of {0} bits", bits);
  if (op.getScaleD() || op.isQuantized())
    return "D has floats of 8 bits or fewer, which the kernel that adds the "
           "parts does not write";
  if (op.getAmax())
    return "the kernel that adds the parts does not compute amax";
  if (op.getBatchRank() >= MatmulOp::kMaxBatchRank)
    return llvm::formatv("parts are one more dimension of the batch, which has "
                         "{0} at most",
                         MatmulOp::kMaxBatchRank);
  return "";
}

schedule::MatmulProblem tc::tmm::getProblem(MatmulOp op,
                                            const schedule::Machine &machine) {
  schedule::MatmulProblem problem;
  problem.m = known(op.getStaticM());
  problem.n = known(op.getStaticN());
  problem.k = known(op.getStaticK());
  for (unsigned dim = 0; dim < op.getBatchRank(); ++dim) {
    std::optional<int64_t> size = known(op.getStaticBatch(dim));
    if (!size || !problem.batch)
      problem.batch = std::nullopt;
    else
      problem.batch = *problem.batch * *size;
  }
  // What a group has in the mean.
  if (op.isStacked() && problem.m && problem.batch.value_or(0) != 0)
    problem.m = llvm::divideCeil(*problem.m, *problem.batch);
  problem.kind = op.getKind();
  problem.promotedK = op.getPromotedK();
  problem.hasColumnFactors = problem.promotedK && op.getColumnsOfScales() == 1;
  if (problem.promotedK && op.getColumnsOfScales() > 1)
    problem.factorColumns = op.getColumnsOfScales();
  // Those of A and B are the same.
  problem.inputBits =
      getMmaSmemBits(problem.kind, getElementTypeOrSelf(op.getA().getType()));
  for (Value operand : {op.getA(), op.getB()})
    problem.isUnpacked |=
        getElementTypeOrSelf(operand.getType()).getIntOrFloatBitWidth() <
        problem.inputBits;
  problem.outputBits =
      getElementTypeOrSelf(op.getD().getType()).getIntOrFloatBitWidth();
  if (op.getScaleD())
    problem.scaleBlockD = op.getScaleBlockOfD();
  problem.isSparse = op.isSparse();
  problem.convertsFloat8 = convertsFloat8(op);
  problem.carriesSubtile = bool(op.getAmax());
  problem.transposeA = op.getTransposeA();
  problem.transposeB = op.getTransposeB();
  problem.rowsA = getRows(op.getA(), "A");
  problem.rowsB = getRows(op.getB(), "B");
  problem.isRagged = bool(op.getRows());
  findTmaStore(op, problem);
  problem.splitObstacle = findSplitObstacle(op);
  schedule::limitToMachine(problem, machine);
  return problem;
}

schedule::MatmulConfig tc::tmm::getConfig(MatmulOp op) {
  ConfigAttr attr = op.getConfigAttr();
  return attr ? attr.getValues() : schedule::MatmulConfig();
}

std::string tc::tmm::getProblemKey(MatmulOp op) {
  // Operands that are defined elsewhere have no names in it.
  MatmulOp copy = op.clone();
  copy.removeConfigAttr();
  std::string text;
  llvm::raw_string_ostream os(text);
  copy->print(os, OpPrintingFlags().printGenericOpForm().useLocalScope());
  copy->destroy();
  // Problems whose rows are all there keep the names that they had before
  // others were known, without the sizes of the operands that tell of rows.
  if (!op.getRows()) {
    StringRef segments = "operandSegmentSizes = array<i32: ", absent = ", 0, 0";
    size_t end = text.find('>', text.find(segments.str()));
    text.erase(end - absent.size(), absent.size());
  }

  auto size = [](int64_t size) {
    return ShapedType::isDynamic(size) ? "any" : std::to_string(size);
  };
  std::string key;
  for (unsigned dim = 0; dim < op.getBatchRank(); ++dim)
    key += (dim ? "x" : "b") + size(op.getStaticBatch(dim));
  key += key.empty() ? "" : "-";
  key += size(op.getStaticM()) + "x" + size(op.getStaticN()) + "x" +
         size(op.getStaticK());
  llvm::raw_string_ostream words(key);
  for (Value matrix : {op.getA(), op.getB(), op.getD()})
    words << "-" << getElementTypeOrSelf(matrix.getType());
  words << "-" << (op.getTransposeA() ? "t" : "n")
        << (op.getTransposeB() ? "t" : "n")
        << llvm::formatv("-{0,0:x-8}", uint32_t(llvm::xxh3_64bits(text)));
  return key;
}
