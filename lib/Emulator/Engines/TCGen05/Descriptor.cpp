//===- Descriptor.cpp - the two descriptors of tcgen05.mma ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layout of the instruction descriptor depends on the kind: one decoder
// for f16, tf32, f8f6f4 and i8, one for the block-scaled kinds.
//
//===----------------------------------------------------------------------===//

#include "Engines/TCGen05/Descriptor.h"

#include <string>

namespace tc::emu {

std::string_view toString(MmaKind kind) {
  static constexpr std::string_view names[] = {
      "f16", "tf32", "f8f6f4", "i8", "mxf8f6f4", "mxf4", "mxf4nvf4", "ti16"};
  return names[static_cast<unsigned>(kind)];
}

namespace {

constexpr const char *instructionSection =
    " (PTX ISA 9.0, \"Instruction descriptor\", 9.7.16.4.2)";
constexpr const char *smemSection =
    " (PTX ISA 9.0, \"Shared memory descriptor\", 9.7.16.4.1)";
constexpr const char *wideSection =
    " (PTX ISA 9.4, \"Matrix shape\", 9.7.18.2.1)";
constexpr const char *packingSection =
    " (PTX ISA 9.4, \"Packing formats\", 9.7.18.10.4)";
constexpr const char *lookupSection =
    " (PTX ISA 9.4, \"Decompression of input matrices\", 9.7.18.10.8)";
constexpr const char *ti16Section =
    " (PTX ISA 9.4, \"Instruction descriptor\", 9.7.18.4.2)";
constexpr const char *scalesSection =
    " (PTX ISA 9.4, \"Block Scaling\", 9.7.18.10.7.1)";
constexpr const char *shapeSection =
    " (PTX ISA 9.0, \"Matrix shape\", 9.7.16.2.1)";

std::string hex(uint64_t value) {
  static const char digits[] = "0123456789abcdef";
  std::string text;
  do
    text.insert(text.begin(), digits[value & 15]);
  while (value >>= 4);
  return "0x" + text;
}

/// Reads fields of one instruction descriptor; the first error counts.
class Fields {
public:
  Fields(const MmaForm &form, uint32_t bits) : form(form), bits(bits) {}

  unsigned get(unsigned low, unsigned high) const {
    return (bits >> low) & ((1u << (high - low + 1)) - 1);
  }
  bool flag(unsigned bit) const { return (bits >> bit) & 1; }

  void expectZero(unsigned low, unsigned high, const char *name) {
    if (get(low, high))
      fail(low, high, name, "0", std::to_string(get(low, high)));
  }

  void fail(unsigned low, unsigned high, const char *name,
            const std::string &expected, const std::string &got) {
    if (!message.empty())
      return;
    std::string where = low == high ? "bit " + std::to_string(low)
                                    : "bits " + std::to_string(low) + "-" +
                                          std::to_string(high);
    message = "instruction descriptor " + hex(bits) + ", " + where + " (" +
              name + "): expected " + expected +
              " for kind::" + std::string(toString(form.kind)) + ", got " +
              got +
              (form.kind == MmaKind::TI16 ? ti16Section : instructionSection);
  }

  const MmaForm &form;
  const uint32_t bits;
  std::string message;
};

OperandType floatType(NumberFormat format, unsigned bits) {
  OperandType type;
  type.format = format;
  type.bits = bits;
  type.name = formatInfo(format).name;
  return type;
}

/// The type codes of f8f6f4 and mxf8f6f4.
bool narrowType(unsigned code, OperandType &type) {
  switch (code) {
  case 0:
    type = floatType(NumberFormat::E4M3, 8);
    return true;
  case 1:
    type = floatType(NumberFormat::E5M2, 8);
    return true;
  case 3:
    type = floatType(NumberFormat::E2M3, 8);
    return true;
  case 4:
    type = floatType(NumberFormat::E3M2, 8);
    return true;
  case 5:
    type = floatType(NumberFormat::E2M1, 8);
    return true;
  }
  return false;
}

OperandType decodeType(Fields &fields, unsigned low, const char *name,
                       unsigned width = 3) {
  const unsigned high = low + width - 1, code = fields.get(low, high);
  OperandType type;
  std::string expected;
  switch (fields.form.kind) {
  case MmaKind::F16:
    if (code <= 1)
      return floatType(code ? NumberFormat::BF16 : NumberFormat::F16, 16);
    expected = "0 (f16) or 1 (bf16)";
    break;
  case MmaKind::TF32:
    if (code == 2)
      return floatType(NumberFormat::TF32, 32);
    expected = "2 (tf32)";
    break;
  case MmaKind::F8F6F4:
  case MmaKind::MXF8F6F4:
    if (narrowType(code, type))
      return type;
    expected = "0 (e4m3), 1 (e5m2), 3 (e2m3), 4 (e3m2) or 5 (e2m1)";
    break;
  case MmaKind::I8:
    if (code <= 1) {
      type.integer = true;
      type.isSigned = code == 1;
      type.bits = 8;
      type.name = code ? "s8" : "u8";
      return type;
    }
    expected = "0 (u8) or 1 (s8)";
    break;
  case MmaKind::TI16:
    if (code == 3) {
      type.integer = type.isSigned = type.signMagnitude = true;
      type.bits = 16;
      type.name = "s1z4m11";
      return type;
    }
    expected = "3 (s1z4m11)";
    break;
  case MmaKind::MXF4:
  case MmaKind::MXF4NVF4:
    if (code == 1)
      return floatType(NumberFormat::E2M1, 4);
    expected = "1 (e2m1)";
    break;
  }
  fields.fail(low, high, name, expected, std::to_string(code));
  return type;
}

bool isBlockScaled(MmaKind kind) {
  return kind == MmaKind::MXF8F6F4 || kind == MmaKind::MXF4 ||
         kind == MmaKind::MXF4NVF4;
}

void decodePlain(Fields &f, InstructionDescriptor &d) {
  MmaKind kind = f.form.kind;
  d.sparsitySelector = f.get(0, 1);
  if (kind == MmaKind::F8F6F4 || kind == MmaKind::I8 || !f.form.sparse)
    f.expectZero(0, 1, "sparsity selector");
  d.saturate = f.flag(3);
  if (kind != MmaKind::I8)
    f.expectZero(3, 3, "saturate");
  unsigned dType = f.get(4, 5);
  bool halfAllowed = kind == MmaKind::F16 || kind == MmaKind::F8F6F4;
  if (kind == MmaKind::I8 || kind == MmaKind::TI16) {
    if (dType != 2)
      f.fail(4, 5, "D type", "2 (s32)", std::to_string(dType));
    d.integerD = true;
  } else if (dType == 0 && halfAllowed) {
    d.d = NumberFormat::F16;
  } else if (dType != 1) {
    f.fail(4, 5, "D type", halfAllowed ? "0 (f16) or 1 (f32)" : "1 (f32)",
           std::to_string(dType));
  }
  f.expectZero(6, 6, "reserved");
  d.a = decodeType(f, 7, "A type");
  d.b = decodeType(f, 10, "B type");
  if (kind == MmaKind::F16 && d.d == NumberFormat::F16 &&
      (d.a.format != NumberFormat::F16 || d.b.format != NumberFormat::F16))
    f.fail(4, 5, "D type", "1 (f32) with bf16 inputs", "0 (f16)");
  d.negateA = f.flag(13);
  d.negateB = f.flag(14);
  if (kind == MmaKind::I8) {
    f.expectZero(13, 13, "negate A");
    f.expectZero(14, 14, "negate B");
  }
  f.expectZero(23, 23, "reserved");
  d.m = f.get(24, 28) << 4;
  if (kind == MmaKind::F8F6F4 && f.form.hasWideK)
    d.wide = f.flag(29);
  else
    f.expectZero(29, 29, "reserved");
  unsigned shift = f.get(30, 31);
  if (!f.form.weightStationary)
    f.expectZero(30, 31, "maximum shift of .ws");
  d.maxShift = shift ? 4u << shift : 0;
}

void decodeBlockScaled(Fields &f, InstructionDescriptor &d) {
  MmaKind kind = f.form.kind;
  bool fourBit = kind != MmaKind::MXF8F6F4;
  f.expectZero(0, 1, "reserved");
  if (!fourBit || !f.form.hasWideK)
    f.expectZero(3, 3, "reserved");
  d.scaleIdB = f.get(4, 5);
  f.expectZero(6, 6, "reserved");
  d.a = decodeType(f, 7, "A type");
  // The version of sparsity says nothing of a dense A.
  if (fourBit && !f.form.hasWideK)
    f.expectZero(12, 12, "reserved");
  d.b = decodeType(f, 10, "B type", fourBit ? 2 : 3);
  d.negateA = f.flag(13);
  d.negateB = f.flag(14);
  // Bit 24 of mxf4nvf4 belongs to the type since sm_107.
  const bool both = kind == MmaKind::MXF4NVF4 && f.form.hasWideK;
  const unsigned type = f.get(23, both ? 24 : 23);
  if (type != 1 && kind != MmaKind::MXF4NVF4)
    f.fail(23, 23, "scale type", "1 (ue8m0)", "0 (ue4m3)");
  if (type == 3)
    f.fail(23, 24, "scale type", "0 (ue4m3), 1 (ue8m0) or 2 (ue5m3)", "3");
  d.scale = type == 1   ? NumberFormat::UE8M0
            : type == 2 ? NumberFormat::UE5M3
                        : NumberFormat::UE4M3;
  f.expectZero(both ? 25 : 24, 25, "reserved");
  if (f.form.hasWideK)
    d.scalesIn128Lanes = f.flag(26);
  else
    f.expectZero(26, 26, "reserved");
  d.m = f.get(27, 28) << 7;
  d.scaleIdA = f.get(29, 30);
  if (fourBit && f.flag(31))
    f.fail(31, 31, "K",
           f.form.hasWideK ? "0 (K = 64 or 128), as the emulator supports no "
                             "other"
                           : "0 (K = 64) on sm_100a",
           "1 (K = 96)");
  if (f.form.hasWideK)
    d.wide = f.flag(fourBit ? 3 : 31);
  else
    f.expectZero(31, 31, "reserved");
  // Of a byte that two factors of a row begin at.
  const bool halves = fourBit || d.wide;
  if (halves && (d.scaleIdA & 1))
    f.fail(29, 30, "SFA id", "0 or 2", std::to_string(d.scaleIdA));
  if (halves && (d.scaleIdB & 1))
    f.fail(4, 5, "SFB id", "0 or 2", std::to_string(d.scaleIdB));
}

/// What K of 64 bytes of a row needs; empty if `d` has it.
std::string checkWide(const MmaForm &form, const InstructionDescriptor &d) {
  auto wrong = [&](const std::string &expected, const std::string &got) {
    return "instruction descriptor: K of " + std::to_string(d.k) +
           ": expected " + expected +
           " for kind::" + std::string(toString(form.kind)) + ", got " + got +
           wideSection;
  };
  if (form.sparse || form.weightStationary)
    return wrong("a dense A and no .ws, as the emulator supports no other",
                 form.sparse ? "a sparse A" : ".ws");
  if (d.m != 128 * form.ctaGroup)
    return wrong("M of " + std::to_string(128 * form.ctaGroup),
                 std::to_string(d.m));
  for (const OperandType &type : {d.a, d.b})
    if (form.kind == MmaKind::F8F6F4 && d.packs(type))
      return wrong("e4m3 or e5m2", std::string(type.name));
  if (form.tmemA && d.packs(d.a) && d.a.format == NumberFormat::E2M1)
    return "instruction descriptor: K of " + std::to_string(d.k) +
           ": expected e4m3, e5m2, e2m3 or e3m2 for A in Tensor Memory, got " +
           std::string(d.a.name) + ", of which no text says how it is packed" +
           packingSection;
  return "";
}

/// What indices into tables need; empty if `d` has it.
std::string checkLookup(const InstructionDescriptor &d) {
  auto wrong = [&](const char *expected, const std::string &got) {
    return "instruction descriptor: " + std::string(expected) +
           " with .decompress::lut::b, got " + got + lookupSection;
  };
  if (!d.wide)
    return wrong("K: expected 64", std::to_string(d.k));
  if (d.b.format != NumberFormat::E4M3)
    return wrong("B type: expected 0 (e4m3)", std::string(d.b.name));
  if (d.transposeB)
    return wrong("B major-ness: expected 0 (K-major)", "1");
  return "";
}

/// Shapes of table 39: M, then N in a range with a step.
std::string checkShape(const MmaForm &form, const InstructionDescriptor &d) {
  std::string which = "kind::" + std::string(toString(form.kind)) +
                      (form.weightStationary ? " with .ws" : "") +
                      " and cta_group::" + std::to_string(form.ctaGroup);
  auto wrong = [&](const char *what, const std::string &expected,
                   unsigned got) {
    return "instruction descriptor: " + std::string(what) + ": expected " +
           expected + " for " + which + ", got " + std::to_string(got) +
           shapeSection;
  };
  if (form.weightStationary) {
    if (d.m != 32 && d.m != 64 && d.m != 128)
      return wrong("M", "32, 64 or 128", d.m);
    if (d.n != 64 && d.n != 128 && (d.n != 256 || form.sparse))
      return wrong("N", form.sparse ? "64 or 128" : "64, 128 or 256", d.n);
    return "";
  }
  bool pair = form.ctaGroup == 2;
  if (isBlockScaled(form.kind)) {
    if (!pair && d.m != 128)
      return wrong("M", "128", d.m);
    if (pair && d.m != 256 && (d.m != 128 || form.sparse))
      return wrong("M", form.sparse ? "256" : "128 or 256", d.m);
  } else if (pair ? d.m != 128 && d.m != 256 : d.m != 64 && d.m != 128) {
    return wrong("M", pair ? "128 or 256" : "64 or 128", d.m);
  }
  unsigned step = pair ? 16 : 8, least = step;
  if (form.kind == MmaKind::I8) {
    if (pair)
      step = least = 32;
    else if (d.n > 32)
      step = 16;
  }
  if (form.kind == MmaKind::TI16)
    step = least = pair ? 32 : d.m == 64 ? 8 : 16;
  // N-major 8-bit B moves in units of 16 elements.
  if (d.transposeB && d.b.bits == 8 && !d.integerD)
    step = least = pair ? 32 : 16;
  if (d.n < least || d.n > 256 || d.n % step) {
    unsigned below = d.n / step * step;
    std::string nearest =
        below < least ? std::to_string(least)
        : below + step > 256
            ? "256"
            : std::to_string(below) + " or " + std::to_string(below + step);
    return wrong("N",
                 std::to_string(least) + " to 256 in steps of " +
                     std::to_string(step) + " (nearest: " + nearest + ")",
                 d.n);
  }
  return "";
}

} // namespace

Expected<InstructionDescriptor> decodeInstructionDescriptor(const MmaForm &form,
                                                            uint32_t bits) {
  Fields fields(form, bits);
  InstructionDescriptor d;
  bool sparseBit = fields.flag(2);
  if (sparseBit != form.sparse)
    fields.fail(2, 2, "sparsity", form.sparse ? "1 with .sp" : "0 without .sp",
                sparseBit ? "1" : "0");
  d.transposeA = fields.flag(15);
  d.transposeB = fields.flag(16);
  d.n = fields.get(17, 22) << 3;
  if (isBlockScaled(form.kind))
    decodeBlockScaled(fields, d);
  else
    decodePlain(fields, d);
  // Only whole bytes can be transposed.
  auto checkTranspose = [&](bool transpose, const OperandType &type,
                            unsigned bit, const char *name) {
    if (transpose && form.kind == MmaKind::TI16)
      return fields.fail(bit, bit, name,
                         "0 (K-major), as the tables of PTX ISA 9.4 disagree "
                         "about the other",
                         "1");
    bool wholeBytes = form.kind == MmaKind::F16 || form.kind == MmaKind::TF32 ||
                      form.kind == MmaKind::I8 ||
                      type.format == NumberFormat::E4M3 ||
                      type.format == NumberFormat::E5M2;
    if (transpose && !wholeBytes)
      fields.fail(bit, bit, name, "0 (K-major) with " + std::string(type.name),
                  "1");
  };
  checkTranspose(d.transposeA, d.a, 15, "A major-ness");
  checkTranspose(d.transposeB, d.b, 16, "B major-ness");
  if (form.tmemA && d.transposeA)
    fields.fail(15, 15, "A major-ness", "0 (K-major) with A in Tensor Memory",
                "1");
  if (!fields.message.empty())
    return Error{fields.message};
  // 32 bytes of A per row and instruction.
  d.k = (d.wide ? 512 : 256) / d.a.bits;
  if (form.kind == MmaKind::MXF4NVF4 && d.scale == NumberFormat::UE4M3 &&
      form.scaleBlock == 32 && !form.hasWideK)
    return Error{"instruction descriptor: scale type: expected 1 (ue8m0) for "
                 "blocks of 32, got 0 (ue4m3), which sm_107 has" +
                 std::string(scalesSection)};
  if (d.wide)
    if (std::string why = checkWide(form, d); !why.empty())
      return Error{why};
  if (form.lookupB)
    if (std::string why = checkLookup(d); !why.empty())
      return Error{why};
  if (d.scalesIn128Lanes && d.m != 128 * form.ctaGroup)
    return Error{"instruction descriptor: M: expected " +
                 std::to_string(128 * form.ctaGroup) +
                 " with scales of A in 128 lanes (bit 26), got " +
                 std::to_string(d.m) + scalesSection};
  if (std::string why = checkShape(form, d); !why.empty())
    return Error{why};
  return d;
}

//===----------------------------------------------------------------------===//
// Shared memory descriptor
//===----------------------------------------------------------------------===//

Expected<SmemDescriptor> decodeSmemDescriptor(uint64_t bits,
                                              std::string_view operand,
                                              bool wide, bool segments) {
  // The last bits of the start address and of the leading offset.
  const unsigned start = wide ? 14 : 13, leading = wide ? 30 : 29;
  auto field = [&](unsigned low, unsigned high) {
    return static_cast<uint32_t>((bits >> low) &
                                 ((uint64_t(1) << (high - low + 1)) - 1));
  };
  auto wrong = [&](unsigned low, unsigned high, const char *name,
                   const char *expected, uint32_t got) {
    std::string where = low == high ? "bit " + std::to_string(low)
                                    : "bits " + std::to_string(low) + "-" +
                                          std::to_string(high);
    return Error{std::string(operand) + " descriptor " + hex(bits) + ", " +
                 where + " (" + name + "): expected " + expected + ", got " +
                 std::to_string(got) + smemSection};
  };
  if (uint32_t v = field(start + 1, 15))
    return wrong(start + 1, 15, "reserved", "0", v);
  if (uint32_t v = field(leading + 1, 31))
    return wrong(leading + 1, 31, "reserved", "0", v);
  if (uint32_t v = field(46, 48); v != 1)
    return wrong(46, 48, "constant", "1", v);
  if (uint32_t v = field(49, 51))
    return wrong(49, 51, "base offset",
                 "0, the only value that the emulator supports: swizzle "
                 "patterns on their natural boundary",
                 v);
  if (uint32_t v = field(52, 52))
    return wrong(52, 52, "leading dimension mode",
                 "0 (relative), as the emulator supports no other", v);
  const unsigned reserved = segments ? 54 : 53;
  if (uint32_t v = field(reserved, 60))
    return wrong(reserved, 60, "reserved", "0", v);
  uint32_t swizzle = field(61, 63);
  if (swizzle == 3 || swizzle == 5 || swizzle == 7)
    return wrong(61, 63, "swizzle",
                 "0 (none), 1 (128B, 32B atoms), 2 (128B), 4 (64B) or 6 (32B)",
                 swizzle);
  SmemDescriptor d;
  d.start = field(0, start) << 4;
  d.lbo = field(16, leading) << 4;
  d.sbo = field(32, 45) << 4;
  d.swizzle = static_cast<SmemSwizzle>(swizzle);
  d.segment = segments ? field(53, 53) : 0;
  return d;
}

Status checkSwizzle(const SmemDescriptor &descriptor, const OperandType &type,
                    MmaKind kind, bool mnMajor, std::string_view operand) {
  bool atom32 = descriptor.swizzle == SmemSwizzle::B128Atom32;
  std::string section =
      " (PTX ISA 9.0, \"Transpose and negate operations\", 9.7.16.10.1)";
  if (mnMajor && type.bits == 32 && !atom32)
    return Error{std::string(operand) +
                 " descriptor, bits 61-63 (swizzle): expected 1 (128B, 32B "
                 "atoms) for MN-major " +
                 std::string(type.name) + ", got " +
                 std::to_string(static_cast<unsigned>(descriptor.swizzle)) +
                 section};
  if (mnMajor && type.bits != 32 && atom32)
    return Error{std::string(operand) +
                 " descriptor, bits 61-63 (swizzle): expected 0, 2, 4 or 6 for "
                 "MN-major operands of kind::" +
                 std::string(toString(kind)) + ", got 1 (128B, 32B atoms)" +
                 section};
  return {};
}

} // namespace tc::emu
