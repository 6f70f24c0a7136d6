//===- TensorMapEdit.cpp - tensormap.replace and cp_fenceproxy ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, "tensormap.replace", 9.7.9.28, changes one field of a tensor map
// in shared or global memory; "tensormap.cp_fenceproxy", 9.7.13.16, copies one
// from shared to global memory. Every lane that executes a replace writes.
//
//===----------------------------------------------------------------------===//

#include "Exec/Decode/InstructionTable.h"
#include "State/Access.h"
#include "tc/Emulator/TensorMap.h"

namespace tc::emu {

namespace {
struct Replace : Payload {
  TensorMapField field = TensorMapField::GlobalAddress;
  unsigned index = 0;
  Src value;
  bool wide = false; ///< a value of 64 bits
};

struct CopyFence : Payload {
  MemRef from;
};
} // namespace

/// A tensor map is read and written as 16 pieces of 8 bytes; false after a
/// report.
static bool moveMap(Warp &w, const DecodedInst &i, uint64_t address,
                    Space space, unsigned lane, AccessKind kind,
                    uint8_t *image) {
  Accessor accessor(w, i, kind);
  for (unsigned at = 0; at < 128; at += 8) {
    uint8_t *piece = accessor.resolve(address + at, space, lane, 8);
    if (!piece)
      return false;
    if (kind == AccessKind::Read)
      memcpy(image + at, piece, 8);
    else
      memcpy(piece, image + at, 8);
  }
  return true;
}

static bool checkAlignment(Warp &w, const DecodedInst &i, uint64_t address,
                           unsigned multiple) {
  if (address % multiple == 0)
    return true;
  w.fail(ReportKind::Memory, i,
         "tensor map: expected an address that is a multiple of " +
             std::to_string(multiple));
  return false;
}

static Step execReplace(Warp &w, const DecodedInst &i, uint32_t active) {
  const Replace &info = i.as<Replace>();
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    uint64_t address = w.address(i.mem, l);
    uint64_t value = !info.value.valid ? i.imm
                     : info.wide       ? w.r64(info.value)[l]
                                       : w.r32(info.value)[l];
    uint8_t image[128];
    if (!checkAlignment(w, i, address, 64) ||
        !moveMap(w, i, address, i.mem.space, l, AccessKind::Read, image))
      return Step::Stop;
    if (Status status =
            replaceTensorMapField(image, info.field, info.index, value);
        !status)
      return w.fail(ReportKind::Trap, i, status.error().message);
    if (!moveMap(w, i, address, i.mem.space, l, AccessKind::Write, image))
      return Step::Stop;
  }
  ++w.cluster.effects;
  return Step::Next;
}

/// The warp copies once.
static Step execCopyFence(Warp &w, const DecodedInst &i, uint32_t active) {
  unsigned l = unsigned(__builtin_ctz(active));
  const MemRef &from = i.as<CopyFence>().from;
  uint64_t to = w.address(i.mem, l), source = w.address(from, l);
  uint8_t image[128];
  if (!checkAlignment(w, i, to, 128) || !checkAlignment(w, i, source, 128) ||
      !moveMap(w, i, source, from.space, l, AccessKind::Read, image) ||
      !moveMap(w, i, to, i.mem.space, l, AccessKind::Write, image))
    return Step::Stop;
  ++w.cluster.effects;
  // Then the proxy fence, of all lanes.
  if (w.cluster.events)
    w.cluster.events->sync({SyncEvent::Fence, &w, active, nullptr, 1,
                            uint64_t(FenceKind::TensorMapRelease), i.order,
                            i.scope, i.line});
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

namespace {
struct FieldName {
  std::string_view name;
  TensorMapField field;
  bool indexed, wide, immediate;
};
constexpr FieldName kFields[] = {
    {"global_address", TensorMapField::GlobalAddress, false, true, false},
    {"rank", TensorMapField::Rank, false, false, false},
    {"box_dim", TensorMapField::BoxDim, true, false, false},
    {"global_dim", TensorMapField::GlobalDim, true, false, false},
    {"global_stride", TensorMapField::GlobalStride, true, true, false},
    {"element_stride", TensorMapField::ElementStride, true, false, false},
    {"elemtype", TensorMapField::ElementType, false, false, true},
    {"interleave_layout", TensorMapField::Interleave, false, false, true},
    {"swizzle_mode", TensorMapField::SwizzleMode, false, false, true},
    {"swizzle_atomicity", TensorMapField::SwizzleAtomicity, false, false, true},
    {"fill_mode", TensorMapField::FillMode, false, false, true},
};
} // namespace

static void decodeReplace(DecodeContext &c) {
  if (!c.take("tile"))
    return c.fail("expected .tile");
  auto info = std::make_shared<Replace>();
  const FieldName *field = nullptr;
  for (const FieldName &row : kFields)
    if (!field && c.take(row.name))
      field = &row;
  if (!field)
    return c.fail("expected the name of a field");
  Space space = c.takeSpace();
  if (space != Space::Generic && space != Space::Global &&
      space != Space::SharedCta)
    return c.fail("expected .global or .shared::cta");
  if (!c.take("b1024") || !c.take(field->wide ? "b64" : "b32"))
    return c.fail(std::string("expected .b1024 and ") +
                  (field->wide ? ".b64" : ".b32"));
  if (!c.expectOperands(2 + field->indexed, 2 + field->indexed))
    return;
  info->field = field->field;
  info->wide = field->wide;
  c.inst.mem = c.memRef(0, space);
  if (field->indexed) {
    int64_t index = c.immediate(c.operand(1));
    if (index < 0 || index > 4)
      return c.fail("ordinal: expected 0 to 4, got " + std::to_string(index));
    info->index = unsigned(index);
  }
  const ast::Operand &value = c.operand(1 + field->indexed);
  if (field->immediate)
    c.inst.imm = uint64_t(c.immediate(value));
  else
    info->value = c.src(value, field->wide ? Type::B64 : Type::B32);
  c.inst.fn = execReplace;
  c.inst.payload = std::move(info);
}

static void decodeCopyFence(DecodeContext &c) {
  bool good = c.take("global");
  good &= c.take("shared::cta");
  good &= c.take("tensormap::generic");
  good &= c.take("release");
  const std::string_view scope = c.takeOneOf({"cta", "cluster", "gpu", "sys"});
  good &= !scope.empty();
  c.inst.scope = scope == "cta"       ? Scope::Cta
                 : scope == "cluster" ? Scope::Cluster
                                      : Scope::Gpu;
  good &= c.take("sync");
  good &= c.inst.aligned = c.take("aligned");
  if (!good)
    return c.fail("expected .global.shared::cta.tensormap::generic.release, a "
                  "scope and .sync.aligned");
  if (!c.expectOperands(3, 3))
    return;
  if (c.immediate(c.operand(2)) != 128)
    return c.fail("expected a size of 128");
  auto info = std::make_shared<CopyFence>();
  c.inst.mem = c.memRef(0, Space::Global);
  info->from = c.memRef(1, Space::SharedCta);
  c.inst.fn = execCopyFence;
  c.inst.payload = std::move(info);
}

void registerTensorMapInstructions(InstructionTable &table) {
  table.add("tensormap.replace", decodeReplace);
  table.add("tensormap.cp_fenceproxy", decodeCopyFence);
}

} // namespace tc::emu
