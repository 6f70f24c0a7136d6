//===- MmaShapeErrors.cpp - what is wrong with a shape ----------*- C++ -*-===//
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

#include "tc/Support/MmaShapeErrors.h"
#include "tc/Support/ISA.h"
#include "tc/Support/Message.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace tc {

std::string findMmaRowsError(const MmaForm &form, int64_t m) {
  llvm::ArrayRef<int64_t> legal = findMmaShapes(form)->m;
  if (llvm::is_contained(legal, m))
    return {};
  auto names = llvm::map_range(
      legal, [](int64_t value) { return std::to_string(value); });
  return message("expected M of ", llvm::join(names, " or "), " for ",
                 form.getName(), ", got ", m, " ", cite(ISASection::MmaShape));
}

std::string findMmaColumnsError(const MmaForm &form, int64_t m, int64_t n) {
  const MmaExtents &legal = findMmaShapes(form)->getN(m);
  if (legal.contains(n))
    return {};
  return message("expected N to be ", legal.getName(), " for ", form.getName(),
                 ", got ", n, ", the nearest is ", legal.nearest(n), " ",
                 cite(ISASection::MmaShape));
}

} // namespace tc
