//===- TMMRoleOps.cpp - warp roles of the TMM dialect -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Syntax and rules of tmm.warp_specialize.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TMM/IR/TMMOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace tc::tmm;

ParseResult WarpSpecializeOp::parse(OpAsmParser &parser,
                                    OperationState &result) {
  SmallVector<int32_t> engines;
  SmallVector<int64_t> warps;
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  while (succeeded(parser.parseOptionalKeyword(
      &keyword, {"tma", "tensor_core", "threads"}))) {
    engines.push_back(static_cast<int32_t>(*symbolizeEngine(keyword)));
    Region *role = result.addRegion();
    if (parser.parseKeyword("warps") || parser.parseLParen() ||
        parser.parseInteger(warps.emplace_back()) || parser.parseRParen() ||
        parser.parseRegion(*role, /*arguments=*/{}))
      return failure();
    if (role->empty())
      role->emplaceBlock();
  }
  if (engines.empty())
    return parser.emitError(loc)
           << "expected a role: tma, tensor_core or threads";
  result.addAttribute(getEnginesAttrName(result.name),
                      parser.getBuilder().getDenseI32ArrayAttr(engines));
  result.addAttribute(getWarpsAttrName(result.name),
                      parser.getBuilder().getDenseI64ArrayAttr(warps));
  return parser.parseOptionalAttrDictWithKeyword(result.attributes);
}

void WarpSpecializeOp::print(OpAsmPrinter &printer) {
  for (auto [index, role] : llvm::enumerate(getRoles())) {
    printer << ' ' << stringifyEngine(getEngine(index)) << " warps("
            << getWarps()[index] << ") ";
    printer.printRegion(role, /*printEntryBlockArgs=*/false,
                        /*printBlockTerminators=*/false);
  }
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {getEnginesAttrName(), getWarpsAttrName()});
}

LogicalResult WarpSpecializeOp::verify() {
  if (getEngines().size() != getRoles().size() ||
      getWarps().size() != getRoles().size())
    return emitOpError() << "expected an engine and a number of warps for each "
                            "of the "
                         << getRoles().size() << " roles, got "
                         << getEngines().size() << " and " << getWarps().size();
  for (unsigned index = 0; index < getRoles().size(); ++index) {
    if (!symbolizeEngine(getEngines()[index]))
      return emitOpError() << "expected a known engine for role " << index
                           << ", got " << getEngines()[index];
    if (getWarps()[index] < 1)
      return emitOpError() << "expected a positive number of warps for role "
                           << stringifyEngine(getEngine(index)) << ", got "
                           << getWarps()[index];
    for (unsigned other = 0; other < index; ++other)
      if (getEngines()[other] == getEngines()[index])
        return emitOpError()
               << "expected one role for each engine, got two for "
               << stringifyEngine(getEngine(index));
  }
  return success();
}

int64_t WarpSpecializeOp::getFirstWarp(unsigned index) {
  int64_t first = 0;
  for (int64_t warps : getWarps().take_front(index))
    first += warps;
  return first;
}

std::optional<Engine> WarpSpecializeOp::getRoleOf(Block *block) {
  for (Region *region = block->getParent(); region;
       region = region->getParentRegion())
    if (auto specialize = dyn_cast<WarpSpecializeOp>(region->getParentOp()))
      return specialize.getEngine(region->getRegionNumber());
  return std::nullopt;
}
