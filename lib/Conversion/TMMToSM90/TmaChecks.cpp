//===- TmaChecks.cpp - what TMA asks of a matrix ----------------*- C++ -*-===//
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

using namespace mlir;
using namespace tc;

/// Lets the host check that `elements` elements of `bytes` bytes are a multiple
/// of what TMA can address.
static void emitGranularityCheck(OpBuilder &host, Location loc, Value elements,
                                 int64_t bytes, const Twine &message) {
  Value zero = arith::ConstantIndexOp::create(host, loc, 0);
  Value granularity =
      arith::ConstantIndexOp::create(host, loc, kTmaGranularity);
  Value size = arith::ConstantIndexOp::create(host, loc, bytes);
  Value distance = arith::MulIOp::create(host, loc, elements, size);
  Value rest = arith::RemUIOp::create(host, loc, distance, granularity);
  Value ok =
      arith::CmpIOp::create(host, loc, arith::CmpIPredicate::eq, rest, zero);
  cf::AssertOp::create(host, loc, ok, message.str());
}

/// What TMA can address instead of `distance` bytes, for a diagnostic.
static std::string getNearest(int64_t distance, int64_t bytes) {
  int64_t nearest = llvm::alignTo(distance, kTmaGranularity);
  return llvm::formatv("which TMA cannot address: expected a multiple of {0}, "
                       "nearest legal {1} bytes ({2} elements) {3}",
                       kTmaGranularity, nearest, nearest / bytes,
                       cite(ISASection::TensorMapLimits))
      .str();
}

LogicalResult tc::checkStride(OpBuilder &host, gpu::LaunchFuncOp launch,
                              StringRef name, unsigned dim, OpFoldResult stride,
                              int64_t bytes) {
  if (std::optional<int64_t> value = getConstantIntValue(stride)) {
    int64_t pitch = *value * bytes;
    if (pitch % kTmaGranularity == 0)
      return success();
    return launch.emitOpError()
           << "operand " << name << ": dimension " << dim << " has a stride of "
           << pitch << " bytes (" << *value << " elements), "
           << getNearest(pitch, bytes);
  }
  emitGranularityCheck(
      host, launch.getLoc(), cast<Value>(stride), bytes,
      llvm::formatv("operand {0}: the stride of dimension {1} must be a "
                    "multiple of {2} bytes ({3} elements) for TMA; pad rows",
                    name, dim, kTmaGranularity, kTmaGranularity / bytes)
          .str());
  return success();
}

LogicalResult tc::checkOffset(OpBuilder &host, gpu::LaunchFuncOp launch,
                              StringRef name, OpFoldResult offset,
                              int64_t bytes) {
  if (std::optional<int64_t> value = getConstantIntValue(offset)) {
    int64_t start = *value * bytes;
    if (start % kTmaGranularity == 0)
      return success();
    return launch.emitOpError()
           << "operand " << name << ": starts " << start << " bytes (" << *value
           << " elements) into its buffer, " << getNearest(start, bytes);
  }
  emitGranularityCheck(
      host, launch.getLoc(), cast<Value>(offset), bytes,
      llvm::formatv("operand {0}: the offset in its buffer must be a multiple "
                    "of {1} bytes ({2} elements) for TMA",
                    name, kTmaGranularity, kTmaGranularity / bytes)
          .str());
  return success();
}

LogicalResult tc::checkRowEnd(OpBuilder &host, gpu::LaunchFuncOp launch,
                              StringRef name, OpFoldResult columns,
                              int64_t bytes) {
  if (std::optional<int64_t> value = getConstantIntValue(columns)) {
    int64_t length = *value * bytes;
    if (length % kTmaGranularity == 0)
      return success();
    return launch.emitOpError()
           << "operand " << name << ": rows have " << length << " bytes ("
           << *value << " elements), but TMA writes " << kTmaGranularity
           << " bytes as a whole, also after the end of a row: expected a "
              "multiple of "
           << kTmaGranularity << ", nearest legal "
           << llvm::alignTo(length, kTmaGranularity) << " bytes ("
           << llvm::alignTo(length, kTmaGranularity) / bytes << " elements)";
  }
  emitGranularityCheck(
      host, launch.getLoc(), cast<Value>(columns), bytes,
      llvm::formatv("operand {0}: the number of columns must be a multiple of "
                    "{1} ({2} bytes), which TMA writes as a whole; store it "
                    "with epilogue = direct",
                    name, kTmaGranularity / bytes, kTmaGranularity)
          .str());
  return success();
}
