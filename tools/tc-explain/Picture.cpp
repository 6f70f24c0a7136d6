//===- Picture.cpp - rectangles of named cells ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The page has no background, and its text follows the colour scheme of the
// reader. Cells are light with dark text in both schemes.
//
//===----------------------------------------------------------------------===//

#include "Picture.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace tc;
using llvm::outs;
using llvm::StringRef;

std::string tc::getRange(int64_t first, int64_t end) {
  std::string text = std::to_string(first);
  if (end - first > 1)
    text += "-" + std::to_string(end - 1);
  return text;
}

/// `text` in a column of 9.
static std::string pad(std::string text) {
  text.resize(std::max<size_t>(text.size(), 9), ' ');
  return text;
}

void tc::printText(const Picture &picture) {
  outs() << picture.title << "\n";
  for (const Block &block : picture.blocks)
    outs() << "  " << picture.rowName << " "
           << pad(getRange(block.top, block.bottom)) << picture.columnName
           << " " << pad(getRange(block.left, block.right)) << block.name
           << "\n";
}

//===----------------------------------------------------------------------===//
// SVG
//===----------------------------------------------------------------------===//

namespace {

constexpr StringRef kColors[] = {"#a6cee3", "#fdbf6f", "#b2df8a", "#cab2d6",
                                 "#fff2a8", "#fb9a99", "#9fe3d6", "#d9d9d9"};
constexpr int64_t kMargin = 48, kLine = 16, kLetter = 6;

/// Sizes of a picture, in pixels.
struct Page {
  explicit Page(const Picture &picture);

  /// One cell.
  int64_t cellWidth = 2, cellHeight = 2;
  /// Where the first cell begins.
  int64_t top;
  int64_t width, height;
  /// Entries of the legend in a line, and what one takes.
  int64_t perLine = 1, entryWidth = 0;
};

} // namespace

static int64_t getTextWidth(StringRef text) {
  return kLetter * static_cast<int64_t>(text.size());
}

Page::Page(const Picture &picture) {
  // Every block has room for its name, as far as the picture stays a page.
  for (const Block &block : picture.blocks) {
    int64_t needed = getTextWidth(block.name) + 4;
    cellWidth = std::max(cellWidth, needed / (block.right - block.left) + 1);
    cellHeight = std::max(cellHeight, 12 / (block.bottom - block.top));
  }
  cellWidth = std::min(cellWidth, std::max<int64_t>(2, 4096 / picture.columns));
  width = std::max(2 * kMargin + picture.columns * cellWidth,
                   kMargin + getTextWidth(picture.title));
  // Title, legend, name and numbers of the columns.
  top = 3 * kLine + 8;
  if (!picture.groups.empty()) {
    for (const std::string &name : picture.groups)
      entryWidth = std::max(entryWidth, getTextWidth(name) + 26);
    int64_t room = width - kMargin - getTextWidth(picture.legend) - 10;
    perLine = std::max<int64_t>(1, room / entryWidth);
    top += kLine * llvm::divideCeil(picture.groups.size(), perLine);
  }
  height = top + picture.rows * cellHeight + 10;
}

/// How far apart numbers on an axis are, so that a number has `least` pixels.
static int64_t getStep(int64_t cell, int64_t least) {
  int64_t step = 1;
  while (step * cell < least)
    step *= 2;
  return step;
}

static StringRef getColor(int64_t group) {
  return kColors[group % std::size(kColors)];
}

static void printLegend(const Picture &picture, const Page &page) {
  if (picture.groups.empty())
    return;
  outs() << "<text class=\"ink\" x=\"" << kMargin << "\" y=\"" << 2 * kLine
         << "\">" << picture.legend << "</text>\n";
  int64_t left = kMargin + getTextWidth(picture.legend) + 10;
  for (auto [index, name] : llvm::enumerate(picture.groups)) {
    int64_t x = left +
                static_cast<int64_t>(index) % page.perLine * page.entryWidth,
            y = (1 + static_cast<int64_t>(index) / page.perLine) * kLine + 7;
    outs() << "<rect class=\"key\" x=\"" << x << "\" y=\"" << y
           << "\" width=\"10\" height=\"10\" fill=\"" << getColor(index)
           << "\"/><text class=\"ink\" x=\"" << x + 14 << "\" y=\"" << y + 9
           << "\">" << name << "</text>\n";
  }
}

static void printAxes(const Picture &picture, const Page &page) {
  outs() << "<text class=\"ink\" x=\"" << kMargin << "\" y=\""
         << page.top - kLine - 4 << "\">" << picture.columnName
         << "</text>\n<text class=\"ink\" transform=\"translate(10 "
         << page.top + getTextWidth(picture.rowName) << ") rotate(-90)\">"
         << picture.rowName << "</text>\n";
  int64_t step = getStep(page.cellWidth, 24);
  for (int64_t column = 0; column < picture.columns; column += step)
    outs() << "<text class=\"ink\" x=\""
           << kMargin + column * page.cellWidth + 2 << "\" y=\"" << page.top - 4
           << "\">" << column << "</text>\n";
  step = getStep(page.cellHeight, 10);
  for (int64_t row = 0; row < picture.rows; row += step)
    outs() << "<text class=\"ink\" text-anchor=\"end\" x=\"" << kMargin - 4
           << "\" y=\"" << page.top + row * page.cellHeight + 9 << "\">" << row
           << "</text>\n";
}

void tc::printSVG(const Picture &picture) {
  Page page(picture);
  // The box lets a page show the picture smaller.
  outs() << "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"tc\" width=\""
         << page.width << "\" height=\"" << page.height << "\" viewBox=\"0 0 "
         << page.width << " " << page.height
         << "\" font-family=\"monospace\" font-size=\"9\">\n"
         << "<style>.tc .ink { fill: #1f2328 } @media (prefers-color-scheme: "
            "dark) { .tc .ink { fill: #e6edf3 } }</style>\n"
         << "<text class=\"ink\" font-weight=\"bold\" x=\"" << kMargin
         << "\" y=\"14\">" << picture.title << "</text>\n";
  printLegend(picture, page);
  printAxes(picture, page);
  outs() << "<g class=\"cells\" transform=\"translate(" << kMargin << " "
         << page.top << ")\" data-width=\"" << picture.columns * page.cellWidth
         << "\" data-height=\"" << picture.rows * page.cellHeight << "\">\n";
  for (const Block &block : picture.blocks) {
    int64_t x = block.left * page.cellWidth, y = block.top * page.cellHeight;
    outs() << "<rect x=\"" << x << "\" y=\"" << y << "\" width=\""
           << (block.right - block.left) * page.cellWidth << "\" height=\""
           << (block.bottom - block.top) * page.cellHeight << "\" fill=\""
           << getColor(block.group)
           << "\" stroke=\"#57606a\" stroke-width=\"0.5\"/>\n"
           << "<text fill=\"#1f2328\" x=\"" << x + 2 << "\" y=\"" << y + 9
           << "\">" << block.name << "</text>\n";
  }
  outs() << "</g>\n</svg>\n";
}
