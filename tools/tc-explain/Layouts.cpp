//===- Layouts.cpp - pictures of layouts ------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A layout becomes a picture (Picture.h). What is where comes from the
// functions that the compiler uses (TmemLayouts.h, #sm90.smem_layout).
//
//===----------------------------------------------------------------------===//

#include "Layouts.h"

#include "Picture.h"
#include "tc/Dialect/SM90/IR/SM90.h"
#include "tc/Dialect/TCGen05/IR/TCGen05.h"
#include "tc/Support/MmaShapeErrors.h"
#include "tc/Support/Target.h"
#include "tc/Support/TmemLayouts.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <optional>
#include <string>

using namespace tc;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

/// The accumulator of one CTA: rows and columns of D as rectangles.
static Picture getAccumulator(const DataPathFacts &layout, int64_t n) {
  int64_t rows = layout.getRows(), width = n / layout.folds;
  Picture picture{std::string("layout ") + layout.name + ", M = " +
                      std::to_string(layout.m) + ", N = " + std::to_string(n) +
                      (layout.ctaGroup == 2 ? ", even CTA (the odd one has "
                                              "rows from " +
                                                  std::to_string(rows) + " on)"
                                            : ""),
                  "lanes",
                  "columns",
                  kTmemLanes,
                  width,
                  {},
                  {},
                  {}};
  for (int64_t first = 0; first < n; first += width)
    for (int64_t row = 0, end; row < rows; row = end) {
      TmemPlace place = getAccumulatorPlace(layout, row, first, n);
      // As long as the next row is in the next lane.
      for (end = row + 1; end < rows; ++end)
        if (getAccumulatorPlace(layout, end, first, n).lane !=
            place.lane + end - row)
          break;
      picture.blocks.push_back({place.lane, place.lane + end - row,
                                place.column, place.column + width,
                                "rows " + getRange(row, end) + ", n " +
                                    getRange(first, first + width),
                                static_cast<int64_t>(picture.blocks.size())});
    }
  return picture;
}

static Picture getScales(int64_t rows, bool split) {
  int64_t perLane = split ? rows / 2 : rows;
  Picture picture{split ? "factors of B where D has layout B, N = " +
                              std::to_string(rows)
                        : "factors of " + std::to_string(rows) + " rows",
                  "lanes",
                  "columns",
                  kTmemLanes,
                  (perLane + kTmemWindowLanes - 1) / kTmemWindowLanes,
                  {},
                  {},
                  {}};
  for (int64_t half = 0; half < (split ? 2 : 1); ++half)
    for (int64_t row = half * perLane; row < (half + 1) * perLane;
         row += kTmemWindowLanes) {
      int64_t end = std::min(row + kTmemWindowLanes, (half + 1) * perLane);
      TmemPlace place = getScalePlace(row, 0, split, rows);
      for (int64_t copy = 0; copy < getScaleCopies(split); ++copy) {
        int64_t top = place.lane + copy * kTmemWindowLanes;
        picture.blocks.push_back(
            {top, top + end - row, place.column, place.column + 1,
             "rows " + getRange(row, end) + ", blocks 0-3 in bytes 0-3",
             row / kTmemWindowLanes});
      }
    }
  return picture;
}

static Picture getMetadata(unsigned bits, const DataPathFacts &layout) {
  int64_t k = bits == 32 ? 16 : bits == 16 ? 32 : bits == 8 ? 64 : 128;
  int64_t chunk = getMetadataChunk(bits), rows = layout.getRows();
  Picture picture{"metadata of a sparse A of " + std::to_string(bits) +
                      " bits, " + std::to_string(rows) +
                      " rows, K = " + std::to_string(k),
                  "lanes",
                  "bits",
                  kTmemLanes,
                  bits >= 16 ? 32 : 64,
                  {},
                  "k",
                  {}};
  for (int64_t first = 0; first < k; first += chunk)
    picture.groups.push_back(getRange(first, first + chunk));
  for (int64_t m = 0; m < rows; ++m)
    for (int64_t first = 0; first < k; first += chunk)
      for (int64_t copy = 0; copy < layout.folds; ++copy) {
        TmemPlace place = getMetadataPlace(layout, bits, m, first);
        int64_t lane = place.lane + copy * layout.getFoldLanes(),
                bit = 32 * place.column + place.bit;
        picture.blocks.push_back(
            {lane, lane + 1, bit, bit + 4,
             "m " + std::to_string(m) + " k " + getRange(first, first + chunk),
             first / chunk});
      }
  return picture;
}

static Picture getAccess(TmemAccessShape shape, int64_t repetition,
                         int64_t offset) {
  const TmemAccessFacts &facts = getTmemAccess(shape);
  Picture picture{"tcgen05.ld or st " + facts.name.str() + ".x" +
                      std::to_string(repetition),
                  "lane",
                  "column",
                  facts.lanes,
                  facts.columns * repetition + offset,
                  {},
                  "register",
                  {}};
  int64_t registers = facts.registers * repetition;
  for (int64_t r = 0; r < registers; ++r)
    picture.groups.push_back("r" + std::to_string(r));
  // A cell that several threads read has the colour of the first.
  std::map<std::pair<int64_t, int64_t>, Block> cells;
  for (int64_t t = 0; t < kWarpThreads; ++t)
    for (int64_t r = 0; r < registers; ++r) {
      TmemPlace place = getAccessPlace(shape, t, r, offset);
      Block cell{place.lane, place.lane + 1, place.column, place.column + 1, "",
                 r};
      std::string &name = cells.try_emplace({place.lane, place.column}, cell)
                              .first->second.name;
      name += (name.empty() ? "" : " ") + ("t" + std::to_string(t) + " r") +
              std::to_string(r);
    }
  for (const auto &[place, cell] : cells)
    picture.blocks.push_back(cell);
  return picture;
}

/// A tile in shared memory, in lines of 128 bytes and units of 16.
static Picture getSmem(Major major, Swizzle swizzle, unsigned bits,
                       int64_t rows, int64_t columns) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<sm90::SM90Dialect>();
  llvm::SmallVector<int64_t> shape{rows, columns};
  auto layout =
      sm90::SmemLayoutAttr::getDense(&context, major, swizzle, shape, bits);
  // 64 elements of 6 bits have the first three of four units, of which an
  // element may have a part.
  const bool isPacked = bits == 6;
  int64_t unit = isPacked ? 16 : 128 / bits;
  int64_t bytes = layout.getFootprintBytes(shape);
  auto getRun = [&](int64_t fast) {
    if (!isPacked)
      return getRange(fast, fast + unit);
    int64_t group = fast / 64 * 64, bit = fast % 64 * 8;
    return getRange(group + bit / 6, group + llvm::divideCeil(bit + 128, 6));
  };
  Picture picture{std::to_string(rows) + "x" + std::to_string(columns) +
                      " elements of " + std::to_string(bits) + " bits, " +
                      stringifyMajor(major).str() + ", " +
                      stringifySwizzle(swizzle).str(),
                  "line of 128 bytes",
                  "unit of 16",
                  (bytes + 127) / 128,
                  8,
                  {},
                  major == Major::K ? "k" : "mn",
                  {}};
  // The colour is the place along the contiguous dimension: without a swizzle
  // it is that of the unit.
  bool isK = major == Major::K;
  int64_t lines = isK ? rows : columns, length = isK ? columns : rows;
  for (int64_t fast = 0; fast < length; fast += unit)
    picture.groups.push_back(getRun(fast));
  std::map<int64_t, Block> units;
  for (int64_t line = 0; line < lines; ++line)
    for (int64_t fast = 0; fast < length; fast += unit) {
      if (isPacked && fast % 64 == 48)
        continue;
      int64_t at =
          layout.getByteOffset(isK ? line : fast, isK ? fast : line) / 16;
      std::string run = getRun(fast);
      units[at] = {at / 8,
                   at / 8 + 1,
                   at % 8,
                   at % 8 + 1,
                   isK ? "mn " + std::to_string(line) + " k " + run
                       : "k " + std::to_string(line) + " mn " + run,
                   fast / unit};
    }
  for (const auto &[at, cell] : units)
    picture.blocks.push_back(cell);
  return picture;
}

//===----------------------------------------------------------------------===//
// Command line
//===----------------------------------------------------------------------===//

static std::optional<int64_t> getNumber(llvm::ArrayRef<StringRef> words,
                                        size_t index, int64_t least = 1) {
  int64_t value;
  if (index >= words.size() || words[index].getAsInteger(10, value) ||
      value < least || value > 4096)
    return std::nullopt;
  return value;
}

namespace {

/// What the verifiers of the dialects say.
class Verifier {
public:
  Verifier()
      : handler(&context, [this](mlir::Diagnostic &diagnostic) {
          reason = diagnostic.str();
          return mlir::success();
        }) {
    context.loadDialect<sm90::SM90Dialect, tcgen05::TCGen05Dialect>();
  }

  auto emitError() {
    return [this] { return mlir::emitError(mlir::UnknownLoc::get(&context)); };
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  /// The last error; empty where there was none.
  std::string reason;

private:
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace

/// Why no instruction has an accumulator of `n` columns in `layout`; empty
/// where one has.
static std::string findAccumulatorError(const DataPathFacts &layout,
                                        int64_t n) {
  std::string reason;
  for (const MmaShapeFacts &facts : getMmaShapes()) {
    bool isWritten =
        facts.weightStationary
            ? layout.weightStationary
            : (facts.dense && layout.dense) || (facts.sparse && layout.sparse);
    if (!isWritten || facts.ctaGroup != layout.ctaGroup ||
        !llvm::is_contained(facts.m, layout.m))
      continue;
    std::string other =
        findMmaColumnsError({facts.kinds.front(), facts.ctaGroup, !facts.dense,
                             facts.weightStationary},
                            layout.m, n);
    if (other.empty())
      return {};
    if (reason.empty())
      reason = other;
  }
  return reason;
}

/// The same of a sparse A of elements of `bits`.
static std::string findMetadataError(int64_t bits,
                                     const DataPathFacts &layout) {
  std::string reason;
  for (const MmaShapeFacts &facts : getMmaShapes()) {
    // An instruction reads 32 bytes of a row.
    const auto *kind = llvm::find_if(facts.kinds, [&](MmaKindFacts kind) {
      return bits * getMmaK(kind) == 256;
    });
    if (!facts.sparse || kind == facts.kinds.end() ||
        facts.ctaGroup != layout.ctaGroup ||
        !(facts.weightStationary ? layout.weightStationary : layout.sparse))
      continue;
    std::string other = findMmaRowsError(
        {*kind, facts.ctaGroup, /*sparse=*/true, facts.weightStationary},
        layout.m);
    if (other.empty())
      return {};
    if (reason.empty())
      reason = other;
  }
  return !reason.empty()
             ? reason
             : "expected an instruction with layout " +
                   std::string(1, layout.name) + " and a sparse A of " +
                   std::to_string(bits) + " bits, got none";
}

static std::optional<Picture> parseSmem(llvm::ArrayRef<StringRef> words,
                                        std::string &reason) {
  if (words.size() != 6)
    return std::nullopt;
  std::optional<Major> major = symbolizeMajor(words[1]);
  std::optional<Swizzle> swizzle = symbolizeSwizzle(words[2]);
  std::optional<int64_t> bits = getNumber(words, 3), rows = getNumber(words, 4),
                         columns = getNumber(words, 5);
  if (!major || !swizzle || !bits || !rows || !columns)
    return std::nullopt;
  Verifier verifier;
  auto emitError = verifier.emitError();
  // Any slab of whole patterns.
  int64_t slab = getSwizzleFacts(*swizzle).patternBytes * 8;
  if (succeeded(sm90::SmemLayoutAttr::verify(emitError, *major, *swizzle, *bits,
                                             slab))) {
    auto layout = sm90::SmemLayoutAttr::getDense(
        &verifier.context, *major, *swizzle, {*rows, *columns}, *bits);
    int64_t available = 0;
    for (const TargetFacts &target : getTargets())
      available = std::max(available, target.maxDynamicSmem);
    if (succeeded(layout.verifyLayout({*rows, *columns}, emitError)) &&
        layout.getFootprintBytes({*rows, *columns}) > available)
      verifier.reason =
          "expected at most " + std::to_string(available) +
          " bytes of shared memory, got " +
          std::to_string(layout.getFootprintBytes({*rows, *columns}));
  }
  reason = verifier.reason;
  if (!reason.empty())
    return std::nullopt;
  return getSmem(*major, *swizzle, *bits, *rows, *columns);
}

/// Without a layout, that of 128 rows.
static std::optional<Picture> parseMetadata(int64_t bits,
                                            llvm::ArrayRef<StringRef> words,
                                            std::string &reason) {
  const DataPathFacts *layout = words.empty() ? findDataPath('D')
                                : words.size() == 1 && words.front().size() == 1
                                    ? findDataPath(words.front().front())
                                    : nullptr;
  if (!layout)
    return std::nullopt;
  reason = findMetadataError(bits, *layout);
  if (!reason.empty())
    return std::nullopt;
  return getMetadata(static_cast<unsigned>(bits), *layout);
}

static std::optional<Picture> parseAccess(llvm::ArrayRef<StringRef> words,
                                          std::string &reason) {
  for (TmemAccessShape shape :
       {TmemAccessShape::L32x32b, TmemAccessShape::L16x64b,
        TmemAccessShape::L16x128b, TmemAccessShape::L16x256b,
        TmemAccessShape::L16x32bx2}) {
    const TmemAccessFacts &facts = getTmemAccess(shape);
    bool split = shape == TmemAccessShape::L16x32bx2;
    if (words.size() != (split ? 4u : 3u) || words[1] != facts.name)
      continue;
    std::optional<int64_t> repetition = getNumber(words, 2),
                           offset = split ? getNumber(words, 3, 0) : 0;
    if (!repetition || !offset)
      return std::nullopt;
    if (*repetition > facts.maxRepetition ||
        (*repetition & (*repetition - 1)) != 0) {
      reason = "expected a power of two up to " +
               std::to_string(facts.maxRepetition) +
               " as the repetition of shape " + facts.name.str() + ", got " +
               std::to_string(*repetition);
      return std::nullopt;
    }
    // The region that it reads.
    Verifier verifier;
    (void)tcgen05::TmemType::verify(
        verifier.emitError(), kTmemWindowLanes,
        facts.columns * *repetition + *offset,
        mlir::IntegerType::get(&verifier.context, 32), tcgen05::DataPath::D,
        /*packed=*/false, /*bytes=*/false);
    reason = verifier.reason;
    if (!reason.empty())
      return std::nullopt;
    return getAccess(shape, *repetition, *offset);
  }
  return std::nullopt;
}

/// Nothing where `words` name no layout, with the `reason` where they name one
/// that does not exist.
static std::optional<Picture> parse(llvm::ArrayRef<StringRef> words,
                                    std::string &reason) {
  if (words.empty())
    return std::nullopt;
  std::optional<int64_t> number = getNumber(words, 1);
  const DataPathFacts *layout =
      words[0].size() == 1 ? findDataPath(words[0].front()) : nullptr;
  bool split = words[0] == "scales_split";
  bool areScales = split || words[0] == "scales";
  if ((layout || areScales) && number && words.size() == 2) {
    // As many rows of A as columns of B have factors.
    reason = layout
                 ? findAccumulatorError(*layout, *number)
                 : findMmaColumnsError({MmaKindFacts::MXF8F6F4, split ? 2 : 1},
                                       /*m=*/128, *number);
    if (!reason.empty())
      return std::nullopt;
    return layout ? getAccumulator(*layout, *number)
                  : getScales(*number, split);
  }
  if (words[0] == "metadata" && number)
    return parseMetadata(*number, words.drop_front(2), reason);
  if (words[0] == "ld" || words[0] == "st")
    return parseAccess(words, reason);
  if (words[0] == "smem")
    return parseSmem(words, reason);
  return std::nullopt;
}

int tc::explainLayout(llvm::ArrayRef<const char *> arguments) {
  llvm::SmallVector<StringRef> words(arguments.begin(), arguments.end());
  bool svg = !words.empty() && words.back() == "--svg";
  if (svg)
    words.pop_back();
  std::string reason;
  std::optional<Picture> picture = parse(words, reason);
  if (!picture && !reason.empty()) {
    llvm::errs() << "tc-explain: " << reason << "\n";
    return 2;
  }
  if (!picture) {
    llvm::errs()
        << "tc-explain: expected layout A to G and N, scales ROWS, "
           "scales_split N, metadata BITS [LAYOUT], ld SHAPE REPETITION, or "
           "smem MAJOR SWIZZLE BITS MN K, got '"
        << llvm::join(words, " ") << "'\n";
    return 2;
  }
  if (svg)
    printSVG(*picture);
  else
    printText(*picture);
  return 0;
}
