//===- TmaChecks.cpp - what TMA requires of a matrix ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TmaChecks.h"

#include "tc/Support/ISA.h"
#include "tc/Support/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "llvm/Support/FormatVariadic.h"

#include <numeric>

using namespace mlir;
using namespace tc;

int64_t TmaUnit::elements() const {
  return granularity * 8 / std::gcd(granularity * 8, bits);
}

/// Lets the host check that `elements` elements are a multiple of what TMA can
/// address.
static void emitGranularityCheck(OpBuilder &host, Location loc, Value elements,
                                 TmaUnit unit, const Twine &message) {
  Value zero = arith::ConstantIndexOp::create(host, loc, 0);
  // Where elements share a byte they are counted, else their bytes.
  bool isWhole = unit.bits % 8 == 0;
  Value granularity = arith::ConstantIndexOp::create(
      host, loc, isWhole ? unit.granularity : unit.elements());
  Value distance = elements;
  if (isWhole) {
    Value size = arith::ConstantIndexOp::create(host, loc, unit.bits / 8);
    distance = arith::MulIOp::create(host, loc, elements, size);
  }
  Value rest = arith::RemUIOp::create(host, loc, distance, granularity);
  Value ok =
      arith::CmpIOp::create(host, loc, arith::CmpIPredicate::eq, rest, zero);
  cf::AssertOp::create(host, loc, ok, message.str());
}

/// Checks that `elements` elements are a multiple of what TMA can address: here
/// what is static, with the text of `refuse` for that many bytes and elements,
/// and on the host, with `message`, what is not.
static LogicalResult
checkGranularity(OpBuilder &host, gpu::LaunchFuncOp launch, StringRef name,
                 OpFoldResult elements, TmaUnit unit, const Twine &message,
                 function_ref<std::string(int64_t, int64_t)> refuse) {
  // Every number of elements is a multiple.
  if (unit.elements() <= 1)
    return success();
  std::string operand = ("operand " + name + ": ").str();
  std::optional<int64_t> value = getConstantIntValue(elements);
  if (!value) {
    emitGranularityCheck(host, launch.getLoc(), cast<Value>(elements), unit,
                         operand + message);
    return success();
  }
  if (*value % unit.elements() == 0)
    return success();
  return launch.emitOpError()
         << operand << refuse(*value * unit.bits / 8, *value);
}

/// What TMA can address instead of `elements` elements, for a diagnostic.
static std::string getNearest(int64_t elements, TmaUnit unit) {
  int64_t nearest = llvm::alignTo(elements, unit.elements());
  return llvm::formatv("which TMA cannot address: expected a multiple of {0}, "
                       "nearest legal {1} bytes ({2} elements) {3}",
                       unit.granularity, nearest * unit.bits / 8, nearest,
                       cite(ISASection::TensorMapLimits))
      .str();
}

LogicalResult tc::checkStride(OpBuilder &host, gpu::LaunchFuncOp launch,
                              StringRef name, unsigned dim, OpFoldResult stride,
                              StringRef advice, TmaUnit unit) {
  return checkGranularity(
      host, launch, name, stride, unit,
      llvm::formatv("the stride of dimension {0} must be a multiple of {1} "
                    "bytes ({2} elements) for TMA{3}",
                    dim, unit.granularity, unit.elements(), advice)
          .str(),
      [&](int64_t pitch, int64_t elements) {
        return llvm::formatv("dimension {0} has a stride of {1} bytes ({2} "
                             "elements), {3}",
                             dim, pitch, elements, getNearest(elements, unit))
            .str();
      });
}

LogicalResult tc::checkOffset(OpBuilder &host, gpu::LaunchFuncOp launch,
                              StringRef name, OpFoldResult offset,
                              TmaUnit unit) {
  return checkGranularity(
      host, launch, name, offset, unit,
      llvm::formatv("the offset in its buffer must be a multiple of {0} bytes "
                    "({1} elements) for TMA",
                    unit.granularity, unit.elements())
          .str(),
      [&](int64_t start, int64_t elements) {
        return llvm::formatv(
                   "starts {0} bytes ({1} elements) into its buffer, {2}",
                   start, elements, getNearest(elements, unit))
            .str();
      });
}

LogicalResult tc::checkRowEnd(OpBuilder &host, gpu::LaunchFuncOp launch,
                              StringRef name, OpFoldResult columns,
                              TmaUnit unit) {
  return checkGranularity(
      host, launch, name, columns, unit,
      llvm::formatv("the number of columns must be a multiple of {0} ({1} "
                    "bytes), which TMA writes as a whole; store it with "
                    "epilogue = direct",
                    unit.elements(), unit.granularity)
          .str(),
      [&](int64_t length, int64_t elements) {
        int64_t nearest = llvm::alignTo(elements, unit.elements());
        return llvm::formatv(
                   "rows have {0} bytes ({1} elements), but TMA writes {2} "
                   "bytes as a whole, also after the end of a row: expected a "
                   "multiple of {2}, nearest legal {3} bytes ({4} elements)",
                   length, elements, unit.granularity, nearest * unit.bits / 8,
                   nearest)
            .str();
      });
}

LogicalResult tc::checkUnpackedRow(OpBuilder &host, gpu::LaunchFuncOp launch,
                                   StringRef name, OpFoldResult columns,
                                   TmaUnit unit) {
  // Whole boxes, whatever the elements are.
  unit.granularity = kTmaUnpackedBox * unit.bits / 8;
  return checkGranularity(
      host, launch, name, columns, unit,
      llvm::formatv(
          "the length of rows must be a multiple of {0} elements, which TMA "
          "unpacks as a whole",
          kTmaUnpackedBox)
          .str(),
      [&](int64_t, int64_t elements) {
        return llvm::formatv("rows have {0} elements, of which TMA "
                             "unpacks {1} as a whole: expected a multiple of "
                             "{1}, nearest legal {2} {3}",
                             elements, kTmaUnpackedBox,
                             llvm::alignTo(elements, kTmaUnpackedBox),
                             cite(ISASection::TensorMapLimits))
            .str();
      });
}

StringRef tc::adviseThreads(unsigned number) {
  // A and B come first.
  if (number > 1)
    return "; pad rows";
  return number == 0 ? ", or load-a=threads" : ", or load-b=threads";
}

LogicalResult tc::checkCopies(OpBuilder &host, gpu::LaunchFuncOp launch,
                              StringRef name, std::optional<unsigned> dim,
                              StringRef advice, OpFoldResult elements,
                              TmaUnit unit) {
  std::string what = "the offset in its buffer";
  if (dim)
    what = "the stride of dimension " + std::to_string(*dim);
  return checkGranularity(
      host, launch, name, elements, unit,
      llvm::formatv(
          "{0} must be a multiple of {1} bytes ({2} elements) for cp.async{3}",
          what, unit.granularity, unit.elements(), advice)
          .str(),
      [&](int64_t bytes, int64_t count) {
        return llvm::formatv("{0} is {1} bytes ({2} elements), which cp.async "
                             "cannot address: expected a multiple of {3}, or "
                             "#sm90.thread_load {4}",
                             what, bytes, count, unit.granularity,
                             cite(ISASection::CpAsync))
            .str();
      });
}
