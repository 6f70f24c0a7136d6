//===- DescriptorsTest.cpp - descriptors and layouts of tcgen05 -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The encoders of descriptors against values worked out by hand from the tables
// of the PTX ISA, and the layouts' affine maps against their byte offsets.
//
//===----------------------------------------------------------------------===//

#include "Conversion/SM90ToNVVM/Descriptors.h"
#include "Conversion/TCGen05ToNVVM/Descriptors.h"
#include "tc/Support/DescriptorWords.h"
#include "tc/Support/MmaTypes.h"

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

#include "gtest/gtest.h"

#include <random>
#include <set>
#include <string>

using namespace mlir;
using namespace tc;
using namespace tc::tcgen05;
using tc::sm90::SmemLayoutAttr;

namespace {

struct TCGen05Test : public ::testing::Test {
  TCGen05Test() { context.loadDialect<TCGen05Dialect, sm90::SM90Dialect>(); }

  SmemLayoutAttr layout(Major major, Swizzle swizzle, ArrayRef<int64_t> shape,
                        unsigned bits) {
    return SmemLayoutAttr::getDense(&context, major, swizzle, shape, bits);
  }

  MLIRContext context;
};

uint32_t low(uint64_t bits) { return static_cast<uint32_t>(bits); }
uint32_t high(uint64_t bits) { return static_cast<uint32_t>(bits >> 32); }

//===----------------------------------------------------------------------===//
// Matrix descriptors of wgmma
//===----------------------------------------------------------------------===//

// PTX ISA 9.0, 9.7.15.5.1.2.2: leading offset in bits 16 to 29, stride in 32 to
// 45, swizzle in 62 and 63 (1 = 128 bytes, 2 = 64, 3 = 32), no constant.
TEST_F(TCGen05Test, wgmmaDescriptor) {
  auto bits = [&](Major major, Swizzle swizzle, ArrayRef<int64_t> shape) {
    return getWgmmaDescriptorBits(layout(major, swizzle, shape, 16));
  };
  EXPECT_EQ(bits(Major::K, Swizzle::B128, {128, 64}), 0x4000004000010000u);
  EXPECT_EQ(bits(Major::K, Swizzle::B64, {128, 32}), 0x8000002000010000u);
  EXPECT_EQ(bits(Major::K, Swizzle::B32, {128, 16}), 0xC000001000010000u);
  // 16-byte columns of 128 rows are 2048 bytes apart, groups of 8 rows 128.
  EXPECT_EQ(bits(Major::K, Swizzle::None, {128, 16}), 0x0000000800800000u);
  // Blocks of 64 columns x 64 k are 8192 bytes apart, groups of 8 k 1024.
  EXPECT_EQ(bits(Major::MN, Swizzle::B128, {128, 64}), 0x4000004002000000u);
  EXPECT_EQ(bits(Major::MN, Swizzle::None, {128, 64}), 0x0000004000080000u);
}

TEST_F(TCGen05Test, wgmmaDescriptorStepOfRows) {
  // Row 64 of a K-major tile: 64 rows of 128 bytes on; of an M-major tile: the
  // next block of 64 columns.
  EXPECT_EQ(
      getDescriptorStep(layout(Major::K, Swizzle::B128, {128, 64}, 16), 64, 16),
      (64 * 128 + 32) / 16);
  EXPECT_EQ(getDescriptorStep(layout(Major::MN, Swizzle::B128, {128, 64}, 16),
                              64, 16),
            (8192 + 16 * 128) / 16);
}

//===----------------------------------------------------------------------===//
// Matrix descriptors
//===----------------------------------------------------------------------===//

TEST_F(TCGen05Test, matrixDescriptorKMajor128B) {
  uint64_t bits =
      getMatrixDescriptor(layout(Major::K, Swizzle::B128, {128, 64}, 16))
          .encode();
  EXPECT_EQ(low(bits), 0x00010000u);
  EXPECT_EQ(high(bits), 0x40004040u);
}

TEST_F(TCGen05Test, matrixDescriptorKMajor64B) {
  uint64_t bits =
      getMatrixDescriptor(layout(Major::K, Swizzle::B64, {128, 32}, 16))
          .encode();
  EXPECT_EQ(low(bits), 0x00010000u);
  EXPECT_EQ(high(bits), 0x80004020u);
}

TEST_F(TCGen05Test, matrixDescriptorKMajor32B) {
  uint64_t bits =
      getMatrixDescriptor(layout(Major::K, Swizzle::B32, {128, 16}, 16))
          .encode();
  EXPECT_EQ(low(bits), 0x00010000u);
  EXPECT_EQ(high(bits), 0xC0004010u);
}

// Core matrices with 128 bytes between rows of eight, slabs of 128 rows of 16
// bytes (2048) between the columns.
TEST_F(TCGen05Test, matrixDescriptorKMajorNone) {
  uint64_t bits =
      getMatrixDescriptor(layout(Major::K, Swizzle::None, {128, 64}, 16))
          .encode();
  EXPECT_EQ(low(bits), 0x00800000u);
  EXPECT_EQ(high(bits), 0x00004008u);
}

// Without swizzle the offsets change places for the other major dimension.
TEST_F(TCGen05Test, matrixDescriptorMNMajorNone) {
  uint64_t bits =
      getMatrixDescriptor(layout(Major::MN, Swizzle::None, {128, 64}, 16))
          .encode();
  EXPECT_EQ(low(bits), 0x00080000u);
  EXPECT_EQ(high(bits), 0x00004040u);
}

TEST_F(TCGen05Test, matrixDescriptorMNMajor128B) {
  uint64_t bits =
      getMatrixDescriptor(layout(Major::MN, Swizzle::B128, {128, 64}, 16))
          .encode();
  EXPECT_EQ(low(bits), 0x02000000u);
  EXPECT_EQ(high(bits), 0x40004040u);
}

TEST_F(TCGen05Test, matrixDescriptorMNMajorAtom32) {
  uint64_t bits =
      getMatrixDescriptor(layout(Major::MN, Swizzle::B128Atom32, {64, 32}, 32))
          .encode();
  EXPECT_EQ(low(bits), 0x01000000u);
  EXPECT_EQ(high(bits), 0x20004020u);
}

TEST_F(TCGen05Test, descriptorStep) {
  // 16 bf16 are 32 bytes; the fifth step starts the next slab.
  SmemLayoutAttr kMajor = layout(Major::K, Swizzle::B128, {128, 128}, 16);
  EXPECT_EQ(getDescriptorStep(kMajor, 0, 0), 0);
  EXPECT_EQ(getDescriptorStep(kMajor, 0, 16), 2);
  EXPECT_EQ(getDescriptorStep(kMajor, 0, 48), 6);
  EXPECT_EQ(getDescriptorStep(kMajor, 0, 64), 128 * 128 / 16);
  // Across slabs of 64 m, 16 k are 16 rows of 128 bytes.
  SmemLayoutAttr mnMajor = layout(Major::MN, Swizzle::B128, {128, 64}, 16);
  EXPECT_EQ(getDescriptorStep(mnMajor, 0, 16), 16 * 128 / 16);
  // Without swizzle, two columns of 16 bytes.
  SmemLayoutAttr none = layout(Major::K, Swizzle::None, {128, 64}, 16);
  EXPECT_EQ(getDescriptorStep(none, 0, 16), 2 * 128 * 16 / 16);
}

//===----------------------------------------------------------------------===//
// Instruction descriptors
//===----------------------------------------------------------------------===//

uint32_t encode(MmaKind kind, Type a, Type b, Type d, int64_t m, int64_t n) {
  InstructionDescriptor descriptor;
  descriptor.dType = getSumCode(d);
  descriptor.aType = getMmaInputCode(getFacts(kind), a);
  descriptor.bType = getMmaInputCode(getFacts(kind), b);
  descriptor.m = m;
  descriptor.n = n;
  return descriptor.encode();
}

TEST_F(TCGen05Test, instructionDescriptor) {
  Builder builder(&context);
  Type f32 = builder.getF32Type();
  Type f16 = builder.getF16Type();
  Type bf16 = builder.getBF16Type();
  Type e4m3 = builder.getType<Float8E4M3FNType>();
  Type s8 = builder.getIntegerType(8);
  EXPECT_EQ(encode(MmaKind::F16, bf16, bf16, f32, 128, 256), 0x08400490u);
  EXPECT_EQ(encode(MmaKind::F16, f16, f16, f32, 256, 256), 0x10400010u);
  EXPECT_EQ(encode(MmaKind::TF32, f32, f32, f32, 128, 128), 0x08200910u);
  EXPECT_EQ(encode(MmaKind::F8F6F4, e4m3, e4m3, f32, 128, 256), 0x08400010u);
  EXPECT_EQ(encode(MmaKind::I8, s8, s8, builder.getI32Type(), 128, 64),
            0x081004A0u);
  // PTX ISA 9.4, table 51: s1z4m11 is 3.
  Type i16 = builder.getI16Type();
  EXPECT_EQ(encode(MmaKind::TI16, i16, i16, builder.getI32Type(), 128, 64),
            0x08100DA0u);
}

// The worked values of the ISA's tables for kinds with scale factors.
TEST_F(TCGen05Test, blockScaleDescriptor) {
  Builder builder(&context);
  Type e4m3 = builder.getType<Float8E4M3FNType>();
  Type e2m1 = builder.getType<Float4E2M1FNType>();
  Type ue8m0 = builder.getType<Float8E8M0FNUType>();
  auto encode = [](MmaKindFacts kind, Type element, Type scale, int64_t block,
                   int64_t m) {
    BlockScaleDescriptor descriptor;
    descriptor.aType = getMmaInputCode(kind, element);
    descriptor.bType = getMmaInputCode(kind, element);
    descriptor.scaleType = findMmaScales(kind, scale, block)->code;
    descriptor.m = m;
    descriptor.n = 256;
    return descriptor.encode();
  };
  EXPECT_EQ(encode(MmaKindFacts::MXF8F6F4, e4m3, ue8m0, 32, 128), 0x08C00000u);
  EXPECT_EQ(encode(MmaKindFacts::MXF4NVF4, e2m1, e4m3, 16, 128), 0x08400480u);
  EXPECT_EQ(encode(MmaKindFacts::MXF4, e2m1, ue8m0, 32, 256), 0x10C00480u);
  // PTX ISA 9.4, table 53: ue5m3, here ui8, is 2 in bits 23 and 24.
  Type ui8 = builder.getIntegerType(8, /*isSigned=*/false);
  EXPECT_EQ(encode(MmaKindFacts::MXF4NVF4, e2m1, ui8, 16, 128), 0x09400480u);
  EXPECT_EQ(encode(MmaKindFacts::MXF4NVF4, e2m1, ui8, 32, 256), 0x11400480u);
  EXPECT_EQ(encode(MmaKindFacts::MXF4NVF4, e2m1, e4m3, 32, 128), 0x08400480u);
  // K of 64 bytes of a row (PTX ISA 9.4, 9.7.18.4.2): bit 31, or bit 3.
  BlockScaleDescriptor wide;
  wide.wide = true;
  EXPECT_EQ(wide.encode(), 1u << 31);
  wide.isFourBits = true;
  EXPECT_EQ(wide.encode(), 1u << 3);
  InstructionDescriptor f8;
  f8.wide = true;
  EXPECT_EQ(f8.encode(), 1u << 29);
  BlockScaleDescriptor factors;
  factors.scaleA = 2;
  factors.scaleB = 3;
  EXPECT_EQ(factors.encode(), 2u << 29 | 3u << 4);
}

TEST_F(TCGen05Test, instructionDescriptorModifiers) {
  InstructionDescriptor descriptor;
  descriptor.saturate = true;
  EXPECT_EQ(descriptor.encode(), 1u << 3);
  descriptor = {};
  descriptor.negateA = true;
  EXPECT_EQ(descriptor.encode(), 1u << 13);
  descriptor = {};
  descriptor.negateB = true;
  EXPECT_EQ(descriptor.encode(), 1u << 14);
  descriptor = {};
  descriptor.aMajorMN = true;
  EXPECT_EQ(descriptor.encode(), 1u << 15);
  descriptor = {};
  descriptor.bMajorMN = true;
  EXPECT_EQ(descriptor.encode(), 1u << 16);
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

/// The affine map is exact, within the footprint and one to one.
void checkMap(SmemLayoutAttr layout, ArrayRef<int64_t> shape) {
  AffineMap map = layout.getAffineMap();
  ASSERT_EQ(map.getNumDims(), 2u);
  ASSERT_EQ(map.getNumResults(), 1u);
  std::set<int64_t> seen;
  Builder builder(layout.getContext());
  for (int64_t mn = 0; mn < shape[0]; ++mn)
    for (int64_t k = 0; k < shape[1]; ++k) {
      int64_t index = map.compose({mn, k}).front();
      ASSERT_EQ(index * layout.getBits() / 8, layout.getByteOffset(mn, k))
          << mn << ", " << k;
      ASSERT_GE(index, 0);
      ASSERT_LT(index * layout.getBits() / 8, layout.getFootprintBytes(shape));
      ASSERT_TRUE(seen.insert(index).second) << mn << ", " << k;
    }
}

TEST_F(TCGen05Test, affineMaps) {
  for (Major major : {Major::K, Major::MN})
    for (Swizzle swizzle : {Swizzle::None, Swizzle::B32, Swizzle::B64,
                            Swizzle::B128, Swizzle::B128Atom32})
      for (unsigned bits : {8u, 16u, 32u})
        checkMap(layout(major, swizzle, {64, 128}, bits), {64, 128});
}

// Corner values by hand: 128-byte swizzle, bf16. Row 1 has its first 16 bytes
// in the second place of its line, row 8 is not swizzled.
TEST_F(TCGen05Test, byteOffsets) {
  SmemLayoutAttr kMajor = layout(Major::K, Swizzle::B128, {128, 128}, 16);
  EXPECT_EQ(kMajor.getByteOffset(0, 0), 0);
  EXPECT_EQ(kMajor.getByteOffset(1, 0), 128 + 16);
  EXPECT_EQ(kMajor.getByteOffset(1, 8), 128);
  EXPECT_EQ(kMajor.getByteOffset(7, 63), 7 * 128 + 14);
  EXPECT_EQ(kMajor.getByteOffset(8, 0), 1024);
  EXPECT_EQ(kMajor.getByteOffset(0, 64), 128 * 128);
  // 64-byte rows: two rows share a line of 128 bytes.
  SmemLayoutAttr narrow = layout(Major::K, Swizzle::B64, {128, 32}, 16);
  EXPECT_EQ(narrow.getByteOffset(1, 0), 64);
  EXPECT_EQ(narrow.getByteOffset(2, 0), 128 + 16);
  // MN-major: 64 m in a line, k is the line.
  SmemLayoutAttr mnMajor = layout(Major::MN, Swizzle::B128, {128, 64}, 16);
  EXPECT_EQ(mnMajor.getByteOffset(0, 1), 128 + 16);
  EXPECT_EQ(mnMajor.getByteOffset(64, 0), 64 * 128);
}

TEST_F(TCGen05Test, layoutIsNotStrided) {
  SmemLayoutAttr tile = layout(Major::K, Swizzle::B128, {128, 64}, 16);
  SmallVector<int64_t> strides;
  int64_t offset;
  EXPECT_TRUE(failed(tile.getStridesAndOffset({128, 64}, strides, offset)));
  EXPECT_FALSE(tile.isIdentity());
}

//===----------------------------------------------------------------------===//
// Words that are read back (DescriptorWords.h)
//===----------------------------------------------------------------------===//

/// What the field of `word` whose name starts with `name` says.
static std::string read(StringRef format, uint64_t word, StringRef name) {
  for (const WordFormat &known : getWordFormats()) {
    if (known.name != format)
      continue;
    for (const WordReading &reading : readWord(known, word)) {
      EXPECT_TRUE(reading.legal) << format.str() << " " << reading.text;
      if (reading.field->name.starts_with(name))
        return reading.text;
    }
  }
  ADD_FAILURE() << "no field " << name.str() << " of " << format.str();
  return "";
}

static StringRef yesOrNo(bool value) { return value ? "yes" : "no"; }

// What is encoded is read back, for random legal values of each kind.
TEST(Words, instructionDescriptorsOfKinds) {
  std::mt19937 random(1);
  auto upTo = [&](unsigned last) { return random() % (last + 1); };
  for (int turn = 0; turn < 20000; ++turn) {
    InstructionDescriptor d;
    StringRef kinds[] = {"f16", "tf32", "f8f6f4", "i8", "ti16"};
    StringRef kind = kinds[upTo(4)];
    bool half = kind == "f16" || kind == "f8f6f4", bytes = kind == "i8";
    bool signs = kind == "ti16";
    bool selects = kind == "f16" || kind == "tf32" || signs;
    d.sparse = upTo(1);
    if (selects)
      d.selector = upTo(3);
    d.saturate = bytes && upTo(1);
    d.dType = bytes || signs ? 2 : half ? upTo(1) : 1;
    unsigned narrow[] = {0, 1, 3, 4, 5};
    auto type = [&] {
      return signs              ? 3
             : kind == "tf32"   ? 2
             : kind == "f8f6f4" ? narrow[upTo(4)]
                                : upTo(1);
    };
    d.aType = type();
    d.bType = type();
    d.negateA = !bytes && upTo(1);
    d.negateB = !bytes && upTo(1);
    d.aMajorMN = !signs && upTo(1);
    d.bMajorMN = !signs && upTo(1);
    d.n = 8 * (1 + upTo(31));
    int64_t m[] = {32, 64, 128, 256}, shift[] = {0, 8, 16, 32};
    d.m = m[upTo(3)];
    d.maxShift = shift[upTo(3)];
    uint32_t word = d.encode();
    EXPECT_EQ(read(kind, word, "N"), std::to_string(d.n));
    EXPECT_EQ(read(kind, word, "M"), std::to_string(d.m));
    if (selects)
      EXPECT_EQ(read(kind, word, "sparsity selector"),
                std::to_string(d.selector));
    EXPECT_EQ(read(kind, word, "sparse"), yesOrNo(d.sparse));
    EXPECT_EQ(read(kind, word, "saturate"), yesOrNo(d.saturate));
    EXPECT_EQ(read(kind, word, "negate A"), yesOrNo(d.negateA));
    EXPECT_EQ(read(kind, word, "negate B"), yesOrNo(d.negateB));
    EXPECT_EQ(read(kind, word, "A is major"), d.aMajorMN ? "M" : "K");
    EXPECT_EQ(read(kind, word, "B is major"), d.bMajorMN ? "N" : "K");
    EXPECT_EQ(read(kind, word, "largest shift"),
              d.maxShift ? std::to_string(d.maxShift) + " columns"
                         : "no shift");
  }
}

TEST(Words, blockScaleDescriptorsOfKinds) {
  std::mt19937 random(2);
  auto upTo = [&](unsigned last) { return random() % (last + 1); };
  for (int turn = 0; turn < 20000; ++turn) {
    BlockScaleDescriptor d;
    StringRef kinds[] = {"mxf8f6f4", "mxf4", "mxf4nvf4"};
    StringRef kind = kinds[upTo(2)];
    bool four = kind != "mxf8f6f4";
    unsigned narrow[] = {0, 1, 3, 4, 5};
    d.sparse = upTo(1);
    d.aType = four ? 1 : narrow[upTo(4)];
    d.bType = four ? 1 : narrow[upTo(4)];
    d.negateA = upTo(1);
    d.negateB = upTo(1);
    d.aMajorMN = !four && upTo(1);
    d.bMajorMN = !four && upTo(1);
    d.scaleType = kind == "mxf4nvf4" ? upTo(2) : 1;
    d.scaleA = four ? 2 * upTo(1) : upTo(3);
    d.scaleB = four ? 2 * upTo(1) : upTo(3);
    d.n = 8 * (1 + upTo(31));
    d.m = 128 * (1 + upTo(1));
    d.wide = upTo(1);
    d.isFourBits = four;
    uint32_t word = d.encode();
    EXPECT_EQ(read(kind, word, four ? "K of 128 (sm_107)" : "K of 64 (sm_107)"),
              yesOrNo(d.wide));
    EXPECT_EQ(read(kind, word, "N"), std::to_string(d.n));
    EXPECT_EQ(read(kind, word, "M"), std::to_string(d.m));
    EXPECT_EQ(read(kind, word, "sparse"), yesOrNo(d.sparse));
    EXPECT_EQ(read(kind, word, "negate A"), yesOrNo(d.negateA));
    EXPECT_EQ(read(kind, word, "negate B"), yesOrNo(d.negateB));
    StringRef scales[] = {"ue4m3", "ue8m0", "ue5m3 (sm_107)"};
    EXPECT_EQ(read(kind, word, "type of the scales"), scales[d.scaleType]);
    EXPECT_EQ(read(kind, word, "byte of the scales of A"),
              std::to_string(d.scaleA));
    EXPECT_EQ(read(kind, word, "byte of the scales of B"),
              std::to_string(d.scaleB));
  }
}

TEST(Words, matrixDescriptors) {
  std::mt19937 random(4);
  std::pair<Swizzle, StringRef> swizzles[] = {
      {Swizzle::None, "none"},
      {Swizzle::B32, "32 bytes"},
      {Swizzle::B64, "64 bytes"},
      {Swizzle::B128, "128 bytes"},
      {Swizzle::B128Atom32, "128 bytes, atoms of 32"}};
  for (int turn = 0; turn < 5000; ++turn) {
    int64_t start = 16 * (random() % 16384), leading = 16 * (random() % 16384),
            stride = 16 * (random() % 16384);
    auto [swizzle, name] = swizzles[random() % 5];
    MatrixDescriptor descriptor{MatrixStrides{leading, stride}, swizzle};
    uint64_t word = descriptor.encode() | start / 16;
    EXPECT_EQ(read("smem", word, "start"), std::to_string(start));
    EXPECT_EQ(read("smem", word, "leading dimension byte"),
              std::to_string(leading));
    EXPECT_EQ(read("smem", word, "stride"), std::to_string(stride));
    EXPECT_EQ(read("smem", word, "swizzle"), name);
  }
}

TEST_F(TCGen05Test, columnMasks) {
  std::mt19937 random(3);
  auto upTo = [&](unsigned last) { return random() % (last + 1); };
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  OpBuilder builder(module->getBodyRegion());
  for (int turn = 0; turn < 2000; ++turn) {
    int64_t use = 1 + upTo(255), skip = 1 + upTo(255), shift = upTo(32);
    SmallVector<int64_t> drop;
    SmallVector<bool> first;
    for (int part = 0; part < 4; ++part) {
      drop.push_back(upTo(255));
      first.push_back(upTo(1));
    }
    auto op = ColumnMaskOp::create(builder, builder.getUnknownLoc(), use, skip,
                                   shift, drop, first);
    uint64_t word = op.encode();
    op.erase();
    EXPECT_EQ(read("mask", word, "used columns"), std::to_string(use));
    EXPECT_EQ(read("mask", word, "skipped columns in"), std::to_string(skip));
    EXPECT_EQ(read("mask", word, "shift"), std::to_string(shift));
    for (int part = 0; part < 4; ++part) {
      std::string name =
          "columns left out at the start of part " + std::to_string(part);
      EXPECT_EQ(read("mask", word, name), std::to_string(drop[part]));
      name = "part " + std::to_string(part) + " starts with";
      EXPECT_EQ(read("mask", word, name),
                first[part] ? "skipped columns" : "used columns");
    }
  }
}

//===----------------------------------------------------------------------===//
// Tensor Memory
//===----------------------------------------------------------------------===//

TEST_F(TCGen05Test, accumulators) {
  Type f32 = Builder(&context).getF32Type();
  struct {
    int64_t m, n;
    int group;
    DataPath layout;
    int64_t lanes, columns;
  } cases[] = {{128, 96, 1, DataPath::D, 128, 96},
               {64, 96, 1, DataPath::F, 64, 96},
               {256, 96, 2, DataPath::A, 128, 96},
               {128, 96, 2, DataPath::B, 128, 48}};
  for (auto &c : cases) {
    TmemType type = TmemType::getAccumulator(c.m, c.n, c.group, f32);
    ASSERT_TRUE(type);
    EXPECT_EQ(type.getLayout(), c.layout);
    EXPECT_EQ(type.getLanes(), c.lanes);
    EXPECT_EQ(type.getColumns(), c.columns);
    EXPECT_EQ(type.getInstructionM(), c.m);
    EXPECT_EQ(type.getMatrixColumns(), c.n);
    EXPECT_EQ(type.getMatrixRows(), c.m / c.group);
    EXPECT_EQ(type.getWindow().getLanes(), c.lanes / 4);
  }
  EXPECT_FALSE(TmemType::getAccumulator(32, 64, 1, f32));
}

TEST_F(TCGen05Test, allocations) {
  EXPECT_EQ(getTmemAllocation(1), 32);
  EXPECT_EQ(getTmemAllocation(32), 32);
  EXPECT_EQ(getTmemAllocation(33), 64);
  EXPECT_EQ(getTmemAllocation(512), 512);
  EXPECT_EQ(getTmemAllocation(513), std::nullopt);
}

// More than 512 columns are an exclusive allocation, of a multiple of 32.
TEST_F(TCGen05Test, exclusiveAllocations) {
  const int64_t rubin = getTarget("sm_107f")->tmemColumns;
  EXPECT_EQ(rubin, 576);
  EXPECT_FALSE(findTmemAllocation(300, rubin)->exclusive);
  EXPECT_EQ(findTmemAllocation(300, rubin)->columns, 512);
  EXPECT_TRUE(findTmemAllocation(513, rubin)->exclusive);
  EXPECT_EQ(findTmemAllocation(513, rubin)->columns, 544);
  EXPECT_EQ(findTmemAllocation(560, rubin)->columns, 576);
  EXPECT_FALSE(findTmemAllocation(577, rubin));
  EXPECT_FALSE(findTmemAllocation(513, getTarget("sm_100a")->tmemColumns));
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

TEST(Target, mmaN) {
  EXPECT_TRUE(isLegalMmaN(MmaKindFacts::F16, 1, 8));
  EXPECT_FALSE(isLegalMmaN(MmaKindFacts::F16, 1, 4));
  EXPECT_FALSE(isLegalMmaN(MmaKindFacts::F16, 2, 24));
  EXPECT_TRUE(isLegalMmaN(MmaKindFacts::I8, 1, 24));
  EXPECT_FALSE(isLegalMmaN(MmaKindFacts::I8, 1, 40));
  EXPECT_FALSE(isLegalMmaN(MmaKindFacts::I8, 2, 48));
  EXPECT_EQ(getNearestMmaN(MmaKindFacts::F16, 1, 300), 256);
  EXPECT_EQ(getNearestMmaN(MmaKindFacts::F16, 2, 28), 32);
}

TEST(Target, dynamicSmem) {
  EXPECT_EQ(getDynamicSmemBytes(1000, 16), 1000);
  EXPECT_EQ(getDynamicSmemBytes(1000, 1024), 1000 + 1008);
}

// 327 KiB are more than addresses of 18 bits reach.
TEST(Target, smemAddressBits) {
  EXPECT_EQ(getTarget("sm_107a")->maxDynamicSmem, 327 * 1024);
  EXPECT_EQ(getTarget("sm_107a")->smallDynamicSmem, 227 * 1024);
  EXPECT_EQ(getTarget("sm_107a")->getSmemAddressBits(), 19u);
  EXPECT_EQ(getTarget("sm_103a")->getSmemAddressBits(), 18u);
}

TEST(Target, chips) {
  ASSERT_TRUE(getTarget("sm_100a"));
  EXPECT_TRUE(getTarget("sm_100a")->hasTcgen05);
  EXPECT_FALSE(getTarget("sm_120a")->hasTcgen05);
  EXPECT_FALSE(getTarget("sm_101a"));
}

// Store buffers of the epilogue: thread t writes 16 bytes of row t. Eight
// threads make one access of 128 bytes, so eight neighbouring rows must be in
// eight different groups of four banks. The address is the one that
// sm90.smem_store computes.
TEST_F(TCGen05Test, storeBuffersMeetNoBankConflict) {
  for (unsigned bits : {8, 16, 32})
    for (int64_t columns : {16, 32, 64, 128}) {
      int64_t rowBytes = columns * bits / 8;
      Swizzle swizzle = rowBytes % 128 == 0  ? Swizzle::B128
                        : rowBytes % 64 == 0 ? Swizzle::B64
                        : rowBytes % 32 == 0 ? Swizzle::B32
                                             : Swizzle::None;
      SmemLayoutAttr tile = layout(Major::K, swizzle, {128, columns}, bits);
      int64_t span = getSwizzleFacts(swizzle).spanBytes;
      for (int64_t byte = 0; byte < rowBytes; byte += 16)
        for (int64_t row = 0; row < 128; row += 8) {
          std::set<int64_t> banks;
          for (int64_t next = row; next < row + 8; ++next) {
            int64_t offset = tile.getByteOffset(next, byte * 8 / bits);
            banks.insert(offset / 16 % 8);
            EXPECT_EQ(offset,
                      byte / span * tile.getSlabBytes() +
                          (applySwizzle(swizzle, next * span) ^ (byte % span)));
          }
          EXPECT_EQ(banks.size(), 8u)
              << bits << " bits, " << columns << " columns, byte " << byte;
        }
    }
}

} // namespace
