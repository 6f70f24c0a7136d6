//===- SM90Types.cpp - types of the sm90 dialect ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mbarriers and tensor maps: syntax and verification.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/SM90/IR/SM90.h"
#include "tc/Support/ISA.h"
#include "tc/Support/Im2col.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tc;
using namespace tc::sm90;

#define GET_TYPEDEF_CLASSES
#include "tc/Dialect/SM90/IR/SM90Types.cpp.inc"

void SM90Dialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "tc/Dialect/SM90/IR/SM90Types.cpp.inc"
      >();
}

LogicalResult
MBarrierArrayType::verify(function_ref<InFlightDiagnostic()> emitError,
                          int64_t count) {
  if (count < 1)
    return emitError() << "expected at least one mbarrier, got " << count;
  return success();
}

LogicalResult
ClusterMBarrierArrayType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t count) {
  if (count < 1)
    return emitError() << "expected at least one mbarrier, got " << count;
  return success();
}

//===----------------------------------------------------------------------===//
// TensorMapType
//===----------------------------------------------------------------------===//

Type TensorMapType::parse(AsmParser &parser) {
  SmallVector<int64_t> box;
  Type elementType;
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() ||
      parser.parseDimensionList(box, /*allowDynamic=*/false) ||
      parser.parseType(elementType) || parser.parseComma())
    return {};
  SMLoc swizzleLoc = parser.getCurrentLocation();
  bool unpacked = false;
  int64_t im2col = 0;
  if (parser.parseKeyword(&keyword))
    return {};
  // Each at most once, in the order in which they are printed.
  bool hasMore = succeeded(parser.parseOptionalComma());
  if (hasMore && succeeded(parser.parseOptionalKeyword("unpacked"))) {
    unpacked = true;
    hasMore = succeeded(parser.parseOptionalComma());
  }
  if (hasMore && (parser.parseKeyword("im2col") || parser.parseEqual() ||
                  parser.parseInteger(im2col)))
    return {};
  if (parser.parseGreater())
    return {};
  std::optional<Swizzle> swizzle = symbolizeSwizzle(keyword);
  if (!swizzle) {
    parser.emitError(swizzleLoc, "expected a swizzle none, b32, b64, b128, "
                                 "b128_atom32, b128_atom32_flip8 or "
                                 "b128_atom64, got '")
        << keyword << "' " << cite(ISASection::SwizzlingModes);
    return {};
  }
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    box, elementType, *swizzle, unpacked, im2col);
}

void TensorMapType::print(AsmPrinter &printer) const {
  printer << "<";
  for (int64_t extent : getBox())
    printer << extent << "x";
  printer << getElementType() << ", " << stringifySwizzle(getSwizzle());
  if (getUnpacked())
    printer << ", unpacked";
  if (isIm2col())
    printer << ", im2col = " << getIm2col();
  printer << ">";
}

int64_t TensorMapType::getGranularity() const {
  return getUnpacked() ? kTmaUnpackedGranularity : kTmaGranularity;
}

LogicalResult
TensorMapType::verify(function_ref<InFlightDiagnostic()> emitError,
                      ArrayRef<int64_t> box, Type elementType, Swizzle swizzle,
                      bool unpacked, int64_t im2col) {
  constexpr size_t kMaxRank = 5;
  // sm90_tensor_map_c5
  if (im2col != 0) {
    if (im2col < kIm2colMinRank || im2col > kIm2colMaxRank)
      return emitError() << "expected im2col of a tensor of " << kIm2colMinRank
                         << " to " << kIm2colMaxRank << " dimensions, got "
                         << im2col << " " << cite(ISASection::TensorMapLimits);
    if (box.size() != 2)
      return emitError() << "expected a box of pixels and channels for im2col, "
                            "got one of "
                         << box.size() << " dimensions "
                         << cite(ISASection::TensorMapLimits);
    if (unpacked)
      return emitError() << "expected im2col of elements that are not "
                            "unpacked, got unpacked "
                         << cite(ISASection::TensorMapLimits);
  }
  // sm90_tensor_map_c1
  if (box.empty() || box.size() > kMaxRank)
    return emitError() << "expected a box of 1 to " << kMaxRank
                       << " dimensions, got " << box.size() << " "
                       << cite(ISASection::TensorMapLimits);
  for (auto [dim, extent] : llvm::enumerate(box)) {
    int64_t most = im2col != 0 && dim == 0 ? kIm2colMaxPixels : kTmaMaxBox;
    if (extent < 1 || extent > most)
      return emitError() << "expected dimension " << dim
                         << " of the box to be from 1 to " << most << ", got "
                         << extent << " " << cite(ISASection::TensorMapLimits);
  }
  unsigned bits =
      elementType.isIntOrFloat() ? elementType.getIntOrFloatBitWidth() : 0;
  // sm90_tensor_map_c4
  bool isNarrow =
      isa<Float4E2M1FNType, Float6E2M3FNType, Float6E3M2FNType>(elementType);
  if (unpacked && !isNarrow)
    return emitError() << "expected unpacked elements of f4E2M1FN, f6E2M3FN or "
                          "f6E3M2FN, got "
                       << elementType << " "
                       << cite(ISASection::TensorMapLimits);
  if (bits == 6 && isNarrow && !unpacked)
    return emitError() << "expected elements of " << elementType
                       << " to be unpacked, got no unpacked "
                       << cite(ISASection::TensorMapLimits);
  if (unpacked && box.back() != kTmaUnpackedBox)
    return emitError() << "expected rows of the box of " << kTmaUnpackedBox
                       << " unpacked elements, got " << box.back() << " "
                       << cite(ISASection::TensorMapLimits);
  if (unpacked && swizzle != Swizzle::None && swizzle != Swizzle::B128)
    return emitError() << "expected swizzle none or b128 of unpacked elements, "
                          "got "
                       << stringifySwizzle(swizzle) << " "
                       << cite(ISASection::TensorMapLimits);
  if (unpacked)
    return success();
  if (!isNarrow && !llvm::is_contained({8u, 16u, 32u, 64u}, bits))
    return emitError() << "expected elements of 8, 16, 32 or 64 bits, or "
                          "f4E2M1FN, got "
                       << elementType << " "
                       << cite(ISASection::TensorMapLimits);
  // sm90_tensor_map_c2
  int64_t row = box.back() * bits / 8, step = kTmaGranularity * 8 / bits;
  if (box.back() % step != 0)
    return emitError() << "expected rows of the box to be a multiple of "
                       << kTmaGranularity << " bytes, got " << row
                       << " bytes, the nearest is "
                       << llvm::alignTo(box.back(), step) << " elements "
                       << cite(ISASection::TensorMapLimits);
  // sm90_tensor_map_c3
  int64_t span = getSwizzleFacts(swizzle).spanBytes;
  if (swizzle != Swizzle::None && row > span)
    return emitError() << "expected rows of the box of at most " << span
                       << " bytes for swizzle " << stringifySwizzle(swizzle)
                       << ", got " << row << " bytes, the nearest is "
                       << span * 8 / bits << " elements "
                       << cite(ISASection::TensorMapLimits);
  return success();
}
