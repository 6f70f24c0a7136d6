//===- Tables.cpp - tables of what is legal ---------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "Tables.h"

#include "tc/Support/MmaShapes.h"
#include "tc/Support/MmaTypes.h"
#include "tc/Support/TCGen05Forms.h"
#include "tc/Support/TmemLayouts.h"
#include "tc/Support/TmemShapes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

using namespace tc;
using llvm::outs;
using llvm::StringRef;

using Kind = MmaKindFacts;

static std::string join(llvm::ArrayRef<int64_t> values) {
  return llvm::join(
      llvm::map_range(values, [](int64_t v) { return std::to_string(v); }),
      ", ");
}

static void printRow(llvm::ArrayRef<std::string> cells) {
  for (const std::string &cell : cells)
    outs() << "| " << cell << " ";
  outs() << "|\n";
}

static void printHead(llvm::ArrayRef<std::string> cells) {
  printRow(cells);
  for (size_t i = 0; i < cells.size(); ++i)
    outs() << "|---";
  outs() << "|\n";
}

static std::string getDense(const MmaShapeFacts &facts) {
  return facts.dense && facts.sparse ? "dense, sparse"
         : facts.dense               ? "dense"
                                     : "sparse";
}

/// M and N of the instructions that are block-scaled, or weight-stationary.
static void printShapes(bool scaled, bool weightStationary) {
  printHead({"kinds", "cta_group", "A", "M", "N"});
  for (const MmaShapeFacts &facts : getMmaShapes()) {
    if (facts.weightStationary != weightStationary ||
        isBlockScaled(facts.kinds.front()) != scaled)
      continue;
    std::string kinds = llvm::join(
        llvm::map_range(facts.kinds,
                        [](Kind kind) { return getName(kind).str(); }),
        ", ");
    printRow({kinds, std::to_string(facts.ctaGroup), getDense(facts),
              join(facts.m), facts.n.getName()});
  }
}

static void printKinds(bool scaled) {
  llvm::SmallVector<std::string> head{"kind", "A and B", "K", "K, sparse",
                                      "negated"};
  if (scaled)
    head.push_back("factors");
  printHead(head);
  for (Kind kind : {Kind::F16, Kind::TF32, Kind::F8F6F4, Kind::I8, Kind::TI16,
                    Kind::MXF8F6F4, Kind::MXF4, Kind::MXF4NVF4}) {
    if (isBlockScaled(kind) != scaled)
      continue;
    int64_t k = getMmaK(kind);
    llvm::SmallVector<std::string> row{getName(kind).str(),
                                       getMmaInputNames(kind) +
                                           (isMmaMix(kind) ? ", any mix" : ""),
                                       std::to_string(k), std::to_string(2 * k),
                                       hasNegate(kind) ? "yes" : "no"};
    if (scaled)
      row.push_back(getMmaScaleNames(kind));
    printRow(row);
  }
}

static void printDataPaths(bool weightStationary) {
  printHead({"layout of D", "M", "cta_group", "A", "rows in a CTA",
             "column groups below each other"});
  for (const DataPathFacts &facts : getDataPaths()) {
    if (weightStationary ? !facts.weightStationary
                         : !facts.dense && !facts.sparse)
      continue;
    printRow({std::string(1, facts.name), std::to_string(facts.m),
              std::to_string(facts.ctaGroup),
              weightStationary || (facts.dense && facts.sparse)
                  ? "dense, sparse"
              : facts.dense ? "dense"
                            : "sparse",
              std::to_string(facts.getRows()), std::to_string(facts.folds)});
  }
}

/// Targets with the same versions of all `forms` share a column.
static void printTargets(llvm::ArrayRef<TCGen05Form> forms) {
  using Column = llvm::SmallVector<std::string>;
  llvm::SmallVector<Column> columns{{"form"}};
  for (TCGen05Form form : forms) {
    // The page is about the instruction.
    StringRef name = getFacts(form).name;
    if (!name.consume_front("tcgen05.mma of "))
      name.consume_front("tcgen05.mma with ");
    columns.front().push_back(name.str());
  }
  for (const TargetFacts &target : getTargets()) {
    if (!target.hasTcgen05)
      continue;
    Column column{target.chip.str()};
    for (TCGen05Form form : forms) {
      const TCGen05FormFacts &facts = getFacts(form);
      unsigned version = facts.getPtxVersion(target);
      column.push_back(facts.exists(target)
                           ? std::to_string(version / 10) + "." +
                                 std::to_string(version % 10)
                           : "no");
    }
    Column *same = llvm::find_if(columns, [&](const Column &other) {
      return llvm::ArrayRef(other).drop_front() ==
             llvm::ArrayRef(column).drop_front();
    });
    if (same == columns.end())
      columns.push_back(column);
    else
      same->front() += ", " + column.front();
  }
  auto getRow = [&](size_t index) {
    return llvm::map_to_vector(
        columns, [&](const Column &column) { return column[index]; });
  };
  printHead(getRow(0));
  for (size_t index = 1; index <= forms.size(); ++index)
    printRow(getRow(index));
}

static void printAccess() {
  printHead({"shape", "lanes", "columns of .x1", "registers of .x1",
             "largest repetition"});
  for (TmemAccessShape shape :
       {TmemAccessShape::L32x32b, TmemAccessShape::L16x64b,
        TmemAccessShape::L16x128b, TmemAccessShape::L16x256b,
        TmemAccessShape::L16x32bx2}) {
    const TmemAccessFacts &facts = getTmemAccess(shape);
    printRow({facts.name.str(), std::to_string(facts.lanes),
              std::to_string(facts.columns), std::to_string(facts.registers),
              std::to_string(facts.maxRepetition)});
  }
}

static void printCopies() {
  printHead(
      {"shape and multicast", "rows", "bytes of a row", "columns of cells"});
  for (TmemCopyShape shape :
       {TmemCopyShape::R128x256b, TmemCopyShape::R4x256b,
        TmemCopyShape::R128x128b, TmemCopyShape::R64x128bWarps02And13,
        TmemCopyShape::R64x128bWarps01And23, TmemCopyShape::R32x128bWarpx4}) {
    const TmemCopyFacts &facts = getTmemCopy(shape);
    printRow({facts.name.str(), std::to_string(facts.rows),
              std::to_string(facts.rowBytes),
              std::to_string(facts.getCellColumns())});
  }
}

int tc::printTables(StringRef family) {
  using Form = TCGen05Form;
  if (family == "mma") {
    printKinds(/*scaled=*/false);
    outs() << "\n";
    printShapes(/*scaled=*/false, /*weightStationary=*/false);
    outs() << "\n";
    printDataPaths(/*weightStationary=*/false);
    outs() << "\n";
    printTargets({Form::Mma, Form::MmaI8, Form::MmaScaleInputD, Form::MmaWideK,
                  Form::MmaCollectorB, Form::MmaTI16, Form::MmaLookupB});
  } else if (family == "mma_block_scale") {
    printKinds(/*scaled=*/true);
    outs() << "\n";
    printShapes(/*scaled=*/true, /*weightStationary=*/false);
    outs() << "\n";
    printTargets({Form::MmaScaled, Form::MmaNVF4Block, Form::MmaScaledSparse4,
                  Form::MmaBlockSize, Form::MmaScaleVec1, Form::MmaScaleVec2,
                  Form::MmaScaleVec4, Form::MmaSm107Scales, Form::MmaLaneScales,
                  Form::MmaWideK, Form::MmaCollectorB, Form::MmaLookupB});
  } else if (family == "mma_ws") {
    printShapes(/*scaled=*/false, /*weightStationary=*/true);
    outs() << "\n";
    printDataPaths(/*weightStationary=*/true);
    outs() << "\n";
    printTargets({Form::Mma, Form::MmaI8, Form::MmaTI16});
  } else if (family == "ld_st") {
    printAccess();
    outs() << "\n";
    printTargets({Form::Memory, Form::LdReduce, Form::LdCompress});
  } else if (family == "cp_shift") {
    printCopies();
    outs() << "\n";
    printTargets({Form::Memory, Form::Shift});
  } else if (family == "alloc") {
    printHead({"lanes", "columns", "smallest allocation", "lanes of a warp"});
    printRow({std::to_string(kTmemLanes), std::to_string(kTmemColumns),
              std::to_string(kTmemMinAllocation),
              std::to_string(kTmemWindowLanes)});
    outs() << "\n";
    printTargets({Form::Memory, Form::AllocExclusive});
  } else {
    llvm::errs() << "tc-explain: expected tables of mma, mma_block_scale, "
                    "mma_ws, ld_st, cp_shift or alloc, got '"
                 << family << "'\n";
    return 2;
  }
  return 0;
}
