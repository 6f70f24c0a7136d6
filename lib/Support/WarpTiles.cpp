//===- WarpTiles.cpp - what wgmma and mma.sync multiply ---------*- C++ -*-===//
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

#include "tc/Support/WarpTiles.h"

#include "tc/Support/Interfaces.h"

using namespace mlir;
using namespace tc;

static bool isByteFloat(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(type);
}

static bool isByteInteger(Type type) {
  return type.isSignlessInteger(8) || type.isUnsignedInteger(8);
}

bool tc::isWarpMmaInput(Type type) {
  return type.isF16() || type.isBF16() || type.isF32() || isByteFloat(type) ||
         isByteInteger(type);
}

LogicalResult tc::verifyWarpTypes(function_ref<InFlightDiagnostic()> emitError,
                                  Type a, Type b, Type d, ISASection section) {
  if (!isWarpMmaInput(a))
    return emitError()
           << "expected a of f16, bf16, f32, f8E4M3FN, f8E5M2, i8 or ui8, got "
           << a << " " << cite(section);
  if (isByteFloat(a)     ? !isByteFloat(b)
      : isByteInteger(a) ? !isByteInteger(b)
                         : a != b)
    return emitError() << "expected b of "
                       << (isByteFloat(a)     ? "f8E4M3FN or f8E5M2"
                           : isByteInteger(a) ? "i8 or ui8"
                                              : "the same type")
                       << " with a of " << a << ", got " << b << " "
                       << cite(section);
  if (isByteInteger(a)) {
    if (d.isSignlessInteger(32))
      return success();
    return emitError() << "expected d of i32 with a of " << a << ", got " << d
                       << " " << cite(section);
  }
  bool halfSum = a.isF16() || isByteFloat(a);
  if (!d.isF32() && !(halfSum && d.isF16()))
    return emitError() << "expected d of f32" << (halfSum ? " or f16" : "")
                       << " with a of " << a << ", got " << d << " "
                       << cite(section);
  return success();
}

LogicalResult tc::verifyWarpTile(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef name, MemRefType type,
                                 int64_t offset, int64_t k,
                                 const WarpTileSections &sections) {
  int64_t extent = type.getDimSize(1);
  if (extent < k)
    return emitError() << "expected " << name << " to have at least K = " << k
                       << " elements along K, got " << extent << " "
                       << cite(sections.shape);
  if (offset % k != 0 || offset > extent - k)
    return emitError() << "expected " << name
                       << "_k to be a multiple of K = " << k << " up to "
                       << extent / k * k - k << ", got " << offset << " "
                       << cite(sections.shape);
  auto layout = cast<SmemTileLayoutInterface>(type.getLayout());
  unsigned bits = type.getElementTypeBitWidth();
  if (layout.getElementBits() != bits)
    return emitError() << "expected the layout of " << name
                       << " to have bits = " << bits << ", those of "
                       << type.getElementType() << ", got "
                       << layout.getElementBits() << " "
                       << cite(sections.layout);
  if (!llvm::is_contained(
          {Swizzle::None, Swizzle::B32, Swizzle::B64, Swizzle::B128},
          layout.getTileSwizzle()))
    return emitError() << "expected swizzle none, b32, b64 or b128 for " << name
                       << ", got " << stringifySwizzle(layout.getTileSwizzle())
                       << " " << cite(sections.layout);
  if (layout.getTileMajor() == Major::MN && bits != 16)
    return emitError() << "expected a k_major " << name << " of "
                       << type.getElementType()
                       << ", only 16-bit elements can be mn_major "
                       << cite(sections.major);
  return success();
}
