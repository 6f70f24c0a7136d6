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
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

/// Warps of a CTA.
static constexpr int64_t kMaxWarps = 32;

/// Checks the registers of a thread of role `name`; 0: as launched.
static LogicalResult
verifyRegisters(function_ref<InFlightDiagnostic()> emitError, StringRef name,
                int64_t registers) {
  // What setmaxnreg takes.
  constexpr ExtentRange range{24, 256, 8};
  if (registers == 0 || range.contains(registers))
    return success();
  return emitError()
         << "expected 0 or a multiple of 8 registers from 24 to 256 for role "
         << name << ", got " << registers << "; nearest legal "
         << range.nearest(registers);
}

//===----------------------------------------------------------------------===//
// RoleOp
//===----------------------------------------------------------------------===//

LogicalResult RoleOp::verify() {
  // tmm_role_c3
  if (Operation *parent = (*this)->getParentOp();
      !isa_and_nonnull<FunctionOpInterface>(parent))
    return emitOpError()
           << "expected to be in the body of a kernel itself, got "
              "in that of "
           << (parent ? parent->getName().getStringRef() : "none");
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
  return verifyRegisters([&] { return emitOpError(); }, getName(),
                         getRegisters());
}

//===----------------------------------------------------------------------===//
// WarpSpecializeOp
//===----------------------------------------------------------------------===//

ParseResult WarpSpecializeOp::parse(OpAsmParser &parser,
                                    OperationState &result) {
  Builder &b = parser.getBuilder();
  SmallVector<Attribute> names, spans;
  SmallVector<int64_t> warps, turns, registers;
  SmallVector<bool> elected;
  SmallVector<Location> places;
  auto parseNumber = [&](int64_t &number) {
    return failure(parser.parseLParen() || parser.parseInteger(number) ||
                   parser.parseRParen());
  };
  auto parseOptional = [&](StringRef keyword, int64_t &number) {
    return failure(succeeded(parser.parseOptionalKeyword(keyword)) &&
                   failed(parseNumber(number)));
  };
  std::string name;
  SMLoc loc = parser.getCurrentLocation(), place = loc;
  while (succeeded(parser.parseOptionalString(&name))) {
    names.push_back(b.getStringAttr(name));
    places.push_back(NameLoc::get(cast<StringAttr>(names.back()),
                                  parser.getEncodedSourceLoc(place)));
    Region *role = result.addRegion();
    if (parser.parseKeyword("warps") ||
        failed(parseNumber(warps.emplace_back())) ||
        failed(parseOptional("turns", turns.emplace_back(1))) ||
        failed(parseOptional("registers", registers.emplace_back(0))))
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
    place = parser.getCurrentLocation();
  }
  if (names.empty())
    return parser.emitError(loc) << "expected a role: its name in quotes";
  result.location = FusedLoc::get(b.getContext(), places);
  auto &properties = result.getOrAddProperties<Properties>();
  properties.names = b.getArrayAttr(names);
  properties.warps = b.getDenseI64ArrayAttr(warps);
  properties.turns = b.getDenseI64ArrayAttr(turns);
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
    if (getTurns()[index] != 1)
      printer << "turns(" << getTurns()[index] << ") ";
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
      {getNamesAttrName(), getWarpsAttrName(), getTurnsAttrName(),
       getRegistersAttrName(), getElectedAttrName(), getSpansAttrName()});
}

LogicalResult WarpSpecializeOp::verify() {
  // tmm_warp_specialize_c1
  size_t count = getRoles().size();
  if (count == 0)
    return emitOpError() << "expected a role, got none";
  std::pair<StringRef, size_t> parts[] = {
      {"names", getNames().size()},
      {"warps", getWarps().size()},
      {"turns", getTurns().size()},
      {"registers", getRegisters().size()},
      {"elected flags", getElected().size()},
      {"spans", getSpans().size()}};
  for (auto [part, size] : parts)
    if (size != count)
      return emitOpError() << "expected one of the " << part << " for each of "
                           << "the " << count << " roles, got " << size;
  llvm::MapVector<StringRef, int64_t> instances;
  for (unsigned index = 0; index < count; ++index) {
    // tmm_warp_specialize_c2
    if (getWarps()[index] < 1)
      return emitRoleError(index)
             << "expected a positive number of warps for role "
             << getRoleName(index) << ", got " << getWarps()[index];
    if (!isa<UnitAttr, AgentSetAttrInterface>(getSpans()[index]))
      return emitRoleError(index)
             << "expected an agent set as the span of role "
             << getRoleName(index) << ", got " << getSpans()[index];
    // tmm_warp_specialize_c4
    if (failed(verifyRegisters([&] { return emitRoleError(index); },
                               getRoleName(index), getRegisters()[index])))
      return failure();
    ++instances[getRoleName(index)];
  }
  // tmm_warp_specialize_c5
  for (unsigned index = 0; index < count; ++index) {
    int64_t named = instances.lookup(getRoleName(index));
    if (named == getTurns()[index])
      continue;
    InFlightDiagnostic diag = emitRoleError(index)
                              << "expected as many roles of the name "
                              << getRoleName(index) << " as its turns, got "
                              << named << " and " << getTurns()[index];
    noteRoles(diag);
    return diag;
  }
  // tmm_warp_specialize_c3
  int64_t warps = 0;
  for (int64_t ofRole : getWarps())
    warps += std::min(ofRole, kMaxWarps + 1);
  if (warps > kMaxWarps) {
    InFlightDiagnostic diag = emitRoleError(0)
                              << "expected at most " << kMaxWarps
                              << " warps, those of a CTA, got " << warps;
    noteRoles(diag);
    return diag;
  }
  return success();
}

Location WarpSpecializeOp::getRoleLoc(unsigned index) {
  StringAttr name = cast<StringAttr>(getNames()[index]);
  Location all = getLoc();
  SmallVector<Location> places = {all};
  if (auto fused = dyn_cast<FusedLoc>(all))
    places.assign(fused.getLocations().begin(), fused.getLocations().end());
  // Instances may be in several places, as they are written.
  unsigned before = llvm::count(getNames().getValue().take_front(index), name);
  Location found = all;
  for (Location place : places) {
    auto named = dyn_cast<NameLoc>(place);
    if (!named || named.getName() != name)
      continue;
    found = named.getChildLoc();
    if (before-- == 0)
      break;
  }
  return found;
}

InFlightDiagnostic WarpSpecializeOp::emitRoleError(unsigned index) {
  return mlir::emitError(getRoleLoc(index))
         << "'" << getOperationName() << "' op ";
}

void WarpSpecializeOp::noteRoles(InFlightDiagnostic &diagnostic,
                                 bool registers) {
  for (unsigned index = 0; index < getRoles().size(); ++index) {
    Diagnostic &note = diagnostic.attachNote(getRoleLoc(index));
    note << "role " << getRoleName(index)
         << " here, warps: " << getWarps()[index];
    if (!registers)
      continue;
    note << ", registers: ";
    if (int64_t count = getRegisters()[index])
      note << count;
    else
      note << "none";
  }
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
