//===- ExplainRows.cpp - why a kernel of rows is as it is -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Says who holds what, and how many bytes the kernel moves, which is its time.
//
//===----------------------------------------------------------------------===//

#include "RowsProgram.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tc::tmm;
using llvm::formatv;

namespace {

class RowsExplanation : public ConfigExplanation {
public:
  RowsExplanation(RowsOp op, const RowsKernelForm &form);

  std::string getWords() const override;
  llvm::json::Object getData() const override;

private:
  /// Where the elements of a row are while they are needed.
  StringRef getPlace() const;

  RowsShape shape;
  int64_t rows, columns, reductions = 0;
  /// Bytes of the operands; kDynamic where a size is.
  int64_t read = 0, written = 0;
  bool isOneTile, isTurned = false;
};

} // namespace

RowsExplanation::RowsExplanation(RowsOp op, const RowsKernelForm &form)
    : shape(form.shape), rows(form.rows), columns(form.columns),
      isOneTile(form.countsColumns ||
                (!ShapedType::isDynamic(columns) && columns <= shape.columns)) {
  for (const RowsOperand &operand : form.operands)
    isTurned |= operand.isTransposed;
  for (int64_t size : form.batch)
    rows = ShapedType::isDynamic(rows) || ShapedType::isDynamic(size)
               ? ShapedType::kDynamic
               : rows * size;
  op.getBody().walk([&](RowReduceOp) { ++reductions; });
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = cast<ShapedType>(operand.get().getType());
    int64_t &bytes =
        operand.getOperandNumber() < op.getIns().size() ? read : written;
    if (!type.hasStaticShape())
      bytes = ShapedType::kDynamic;
    if (!ShapedType::isDynamic(bytes))
      bytes += llvm::divideCeil(
          type.getNumElements() * type.getElementTypeBitWidth(), 8);
  }
}

StringRef RowsExplanation::getPlace() const {
  if (isTurned)
    return "squares, turned in shared memory where an operand has rows and "
           "columns exchanged";
  if (!isOneTile)
    return "read tile by tile: too long for registers, or of a length that is "
           "not known; each reduction that needs another one reads them again";
  if (shape.fetchesAgain)
    return "read again by each reduction, from the L1 cache, so that two CTAs "
           "share a multiprocessor";
  return "in registers from the first access on";
}

/// A size that may be known in the run alone.
static std::string describe(int64_t size) {
  return ShapedType::isDynamic(size) ? "?" : std::to_string(size);
}

std::string RowsExplanation::getWords() const {
  std::string text =
      formatv("one kernel for {0} rows of {1} columns, {2} reductions along "
              "them\n  a CTA of {3} threads has {4} x {5} elements, a thread "
              "accesses of {6}\n  rows are {7}",
              describe(rows), describe(columns), reductions, shape.getThreads(),
              shape.rows, shape.columns, shape.layout.getChunk(), getPlace());
  if (!ShapedType::isDynamic(read) && !ShapedType::isDynamic(written))
    text += formatv("\n  bound by memory: {0} bytes of operands are read, {1} "
                    "written",
                    read, written);
  return text;
}

llvm::json::Object RowsExplanation::getData() const {
  llvm::json::Object data{
      {"family", "rows"},
      {"reductions", reductions},
      {"threads", shape.getThreads()},
      {"tile", llvm::json::Array{shape.rows, shape.columns}},
      {"chunk", shape.layout.getChunk()},
      {"place", getPlace()}};
  auto add = [&](StringRef name, int64_t size) {
    if (!ShapedType::isDynamic(size))
      data[name] = size;
  };
  add("rows", rows);
  add("columns", columns);
  add("bytes_read", read);
  add("bytes_written", written);
  return data;
}

std::unique_ptr<ConfigExplanation>
tc::tmm::explainRows(RowsOp op, const RowsKernelForm &form) {
  return std::make_unique<RowsExplanation>(op, form);
}
