//===- TMMRoleOps.cpp - warp roles of the TMM dialect -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Syntax and verifiers of role ops.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TMM/IR/TMMOps.h"

#include "tc/Support/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

/// Warps of a CTA.
static constexpr int64_t kMaxWarps = 32;

/// Checks the registers of a thread of role `name`; 0: as launched.
static LogicalResult verifyRegisters(Operation *op, StringRef name,
                                     int64_t registers) {
  // What setmaxnreg takes.
  constexpr ExtentRange range{24, 256, 8};
  if (registers == 0 || range.contains(registers))
    return success();
  return op->emitOpError()
         << "expected 0 or a multiple of 8 registers from 24 to 256 for role "
         << name << ", got " << registers << "; nearest legal "
         << range.nearest(registers);
}

//===----------------------------------------------------------------------===//
// RoleOp
//===----------------------------------------------------------------------===//

LogicalResult RoleOp::verify() {
  // tmm_role_c1
  if (int64_t(getWarps()) < 1)
    return emitOpError() << "expected a positive number of warps, got "
                         << int64_t(getWarps());
  if (int64_t(getTurns()) < 1)
    return emitOpError() << "expected a positive number of turns, got "
                         << int64_t(getTurns());
  // Divided: the product of what is written may have more than 64 bits.
  if (int64_t(getWarps()) > kMaxWarps / int64_t(getTurns()))
    return emitOpError() << "expected at most " << kMaxWarps
                         << " warps in all instances, those of a CTA, got "
                         << getTurns() << " times " << getWarps();
  if (getTurns() > 1 && !getLoop())
    return emitOpError() << "expected the loop whose iterations the "
                         << getTurns() << " instances take in turn, got none";
  // tmm_role_c2
  return verifyRegisters(*this, getName(), getRegisters());
}

//===----------------------------------------------------------------------===//
// WarpSpecializeOp
//===----------------------------------------------------------------------===//

ParseResult WarpSpecializeOp::parse(OpAsmParser &parser,
                                    OperationState &result) {
  Builder &b = parser.getBuilder();
  SmallVector<Attribute> names, spans;
  SmallVector<int64_t> warps, registers;
  SmallVector<bool> elected;
  auto parseNumber = [&](int64_t &number) {
    return failure(parser.parseLParen() || parser.parseInteger(number) ||
                   parser.parseRParen());
  };
  std::string name;
  SMLoc loc = parser.getCurrentLocation();
  while (succeeded(parser.parseOptionalString(&name))) {
    names.push_back(b.getStringAttr(name));
    Region *role = result.addRegion();
    if (parser.parseKeyword("warps") ||
        failed(parseNumber(warps.emplace_back())))
      return failure();
    registers.push_back(0);
    if (succeeded(parser.parseOptionalKeyword("registers")) &&
        failed(parseNumber(registers.back())))
      return failure();
    elected.push_back(succeeded(parser.parseOptionalKeyword("elected")));
    Attribute span = b.getUnitAttr();
    if (succeeded(parser.parseOptionalKeyword("over")) &&
        parser.parseAttribute(span))
      return failure();
    spans.push_back(span);
    if (parser.parseRegion(*role, /*arguments=*/{}))
      return failure();
    if (role->empty())
      role->emplaceBlock();
  }
  if (names.empty())
    return parser.emitError(loc) << "expected a role: its name in quotes";
  auto &properties = result.getOrAddProperties<Properties>();
  properties.names = b.getArrayAttr(names);
  properties.warps = b.getDenseI64ArrayAttr(warps);
  properties.registers = b.getDenseI64ArrayAttr(registers);
  properties.elected = b.getDenseBoolArrayAttr(elected);
  properties.spans = b.getArrayAttr(spans);
  return parser.parseOptionalAttrDictWithKeyword(result.attributes);
}

void WarpSpecializeOp::print(OpAsmPrinter &printer) {
  for (auto [index, role] : llvm::enumerate(getRoles())) {
    printer << ' ';
    printer.printString(getRoleName(index));
    printer << " warps(" << getWarps()[index] << ") ";
    if (getRegisters()[index])
      printer << "registers(" << getRegisters()[index] << ") ";
    if (isElected(index))
      printer << "elected ";
    if (AgentSetAttrInterface span = getSpan(index))
      printer << "over " << span << ' ';
    printer.printRegion(role, /*printEntryBlockArgs=*/false,
                        /*printBlockTerminators=*/false);
  }
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {getNamesAttrName(), getWarpsAttrName(), getRegistersAttrName(),
       getElectedAttrName(), getSpansAttrName()});
}

LogicalResult WarpSpecializeOp::verify() {
  // tmm_warp_specialize_c1
  size_t count = getRoles().size();
  if (getNames().size() != count || getWarps().size() != count ||
      getRegisters().size() != count || getElected().size() != count ||
      getSpans().size() != count)
    return emitOpError() << "expected a name, warps, registers, a flag and a "
                            "span for each of "
                            "the "
                         << count << " roles, got " << getNames().size() << ", "
                         << getWarps().size() << ", " << getRegisters().size()
                         << ", " << getElected().size() << " and "
                         << getSpans().size();
  for (unsigned index = 0; index < count; ++index) {
    // tmm_warp_specialize_c2
    if (getWarps()[index] < 1)
      return emitOpError() << "expected a positive number of warps for role "
                           << getRoleName(index) << ", got "
                           << getWarps()[index];
    if (!isa<UnitAttr, AgentSetAttrInterface>(getSpans()[index]))
      return emitOpError() << "expected an agent set as the span of role "
                           << getRoleName(index) << ", got "
                           << getSpans()[index];
    // tmm_warp_specialize_c4
    if (failed(
            verifyRegisters(*this, getRoleName(index), getRegisters()[index])))
      return failure();
  }
  // tmm_warp_specialize_c3
  int64_t warps = 0;
  for (int64_t ofRole : getWarps())
    warps += std::min(ofRole, kMaxWarps + 1);
  if (warps > kMaxWarps)
    return emitOpError() << "expected at most " << kMaxWarps
                         << " warps, those of a CTA, got " << warps;
  return success();
}

StringRef WarpSpecializeOp::getRoleName(unsigned index) {
  return cast<StringAttr>(getNames()[index]).getValue();
}

AgentSetAttrInterface WarpSpecializeOp::getSpan(unsigned index) {
  return dyn_cast<AgentSetAttrInterface>(getSpans()[index]);
}

int64_t WarpSpecializeOp::getFirstWarp(unsigned index) {
  int64_t first = 0;
  for (int64_t warps : getWarps().take_front(index))
    first += warps;
  return first;
}

std::optional<std::pair<WarpSpecializeOp, unsigned>>
WarpSpecializeOp::findRole(Block *block) {
  for (Region *region = block->getParent(); region;
       region = region->getParentRegion())
    if (auto op = dyn_cast<WarpSpecializeOp>(region->getParentOp()))
      return std::make_pair(op, region->getRegionNumber());
  return std::nullopt;
}

Value WarpSpecializeOp::emitThread(OpBuilder &builder, Location loc) {
  Value thread = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
  thread =
      arith::IndexCastOp::create(builder, loc, builder.getI32Type(), thread);
  auto role = findRole(builder.getInsertionBlock());
  int64_t first = role ? role->first.getFirstWarp(role->second) : 0;
  if (first == 0)
    return thread;
  Value before = arith::ConstantIntOp::create(
      builder, loc, builder.getI32Type(), first * kWarpThreads);
  return arith::SubIOp::create(builder, loc, thread, before);
}
