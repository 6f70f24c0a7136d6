//===- RowsStep.h - Operations of kernels of rows ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a kernel of rows computes, as the kernel description states it: steps
// like those of an epilogue, and reductions along a row.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_ROWSSTEP_H
#define TC_RUNTIME_ROWSSTEP_H

#include "tc/Runtime/Epilogue.h"

#include <optional>

namespace tc::runtime {

/// One operation of the body. Values are numbered: the operands in order, then
/// the results of the steps.
struct RowsStep {
  enum class Kind : uint8_t {
    Elementwise, ///< `step` on its arguments
    Index,       ///< the place along dimension `dim`
    Reduce, ///< the first argument for all columns, combined as `step` says
    Pick    ///< the first argument at the column that the second one is
  };
  Kind kind = Kind::Elementwise;
  EpilogueStep step;
  size_t dim = 0;
  /// Bits of an integer result, of which `step` has no type; 0: it is a float
  /// or a truth value.
  unsigned integerBits = 0;
};

/// How the values of a row are combined.
struct RowsReduction {
  const char *kind; ///< as vector.combining_kind spells it
  const char *step; ///< the step, or operation of bits, that combines two
  double neutral;   ///< of a row without columns
};

/// The reduction of that name, null where there is none.
const RowsReduction *findRowsReduction(const std::string &kind);

/// An operation of integers as bits, of one or two of them.
struct IntegerOperation {
  const char *name; ///< as arith spells it; cmpi_ult and the like compare
  size_t args;
  uint64_t (*apply)(uint64_t a, uint64_t b); ///< of values with 64 bits
};

/// The operation of that name, null where there is none.
const IntegerOperation *findIntegerOperation(const std::string &name);

/// Checks that `step` is known, with as many arguments as it takes. The error
/// names it.
Status checkRowsStep(const RowsStep &step);

} // namespace tc::runtime

#endif // TC_RUNTIME_ROWSSTEP_H
