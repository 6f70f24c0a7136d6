//===- TMMAttrs.h - attributes of the tmm dialect ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The configuration of a matrix multiplication, and its command line form.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TMM_IR_TMMATTRS_H
#define TC_DIALECT_TMM_IR_TMMATTRS_H

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Dialect.h"

#include <optional>

#include "tc/Dialect/TMM/IR/TMMAttrInterfaces.h"
#include "tc/Dialect/TMM/IR/TMMEnums.h"
#include "tc/Schedule/ConfigFields.h"
#include "tc/Support/Pipelining.h"
#include "tc/Support/RegisterLayout.h"

namespace tc::tmm {

/// The enumerations of a configuration.
using schedule::CacheHint;
using schedule::Epilogue;
using schedule::LoadEngine;
using schedule::Roles;
using Scheduler = schedule::TileScheduler;

} // namespace tc::tmm

#define GET_ATTRDEF_CLASSES
#include "tc/Dialect/TMM/IR/TMMAttrs.h.inc"

namespace tc::tmm {

/// What a location in the text of the option is in, for diagnostics.
inline constexpr llvm::StringLiteral kConfigOption = "<--config>";

/// Reads the command line form of a configuration, fields separated by blanks:
/// `tile=256x256x64 cta-group=2 stages=4 swizzle=128B`. An empty string has no
/// fields. Errors (unknown field, field given twice, bad value) are emitted at
/// their place in the text, `<--config>:1:COLUMN`.
mlir::FailureOr<schedule::MatmulConfig> parseConfig(mlir::MLIRContext *context,
                                                    llvm::StringRef text);

} // namespace tc::tmm

#endif // TC_DIALECT_TMM_IR_TMMATTRS_H
