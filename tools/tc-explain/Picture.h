//===- Picture.h - rectangles of named cells --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `tc-explain layout` shows: rectangles of cells, each with a name. Text
// lists the rectangles, SVG draws them with axes and a legend of the colours.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TOOLS_TC_EXPLAIN_PICTURE_H
#define TC_TOOLS_TC_EXPLAIN_PICTURE_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace tc {

/// Cells from (`top`, `left`) up to, and without, (`bottom`, `right`). Blocks
/// of one `group` have one colour.
struct Block {
  int64_t top, bottom, left, right;
  std::string name;
  int64_t group;
};

struct Picture {
  std::string title;
  llvm::StringRef rowName, columnName;
  int64_t rows, columns;
  llvm::SmallVector<Block> blocks;
  /// What a colour stands for, and the name of each group; empty where the
  /// names of the blocks say it.
  std::string legend;
  llvm::SmallVector<std::string> groups;
};

/// "first-last" of the numbers from `first` up to, and without, `end`.
std::string getRange(int64_t first, int64_t end);

void printText(const Picture &picture);
void printSVG(const Picture &picture);

} // namespace tc

#endif // TC_TOOLS_TC_EXPLAIN_PICTURE_H
