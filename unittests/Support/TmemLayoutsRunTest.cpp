//===- TmemLayoutsRunTest.cpp - the layouts, run ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the compiler says of places in Tensor Memory, against the emulator,
// which has the layouts a second time: the images that kernels start from are
// made by the compiler's functions.
//
//===----------------------------------------------------------------------===//

#include "TmemProgram.h"

#include "tc/Support/MmaShapes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace tc;

namespace {

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// How elements of a kind are written.
struct Kind {
  MmaKindFacts facts;
  const char *name;
  /// Of an element of A and B in shared memory, and of its code of a number.
  unsigned bits;
  uint32_t (*encode)(unsigned value);
  /// The types of D, A and B in the instruction descriptor.
  uint32_t types;
};

uint32_t toFloat(unsigned value) {
  return llvm::bit_cast<uint32_t>(static_cast<float>(value));
}
uint32_t toBF16(unsigned value) { return toFloat(value) >> 16; }
uint32_t toByte(unsigned value) { return value; }
uint32_t toE4M3(unsigned value) {
  return value == 0 ? 0 : (toFloat(value) >> 20) - (120u << 3);
}
uint32_t toE2M1(unsigned value) {
  static constexpr uint32_t codes[] = {0, 2, 4, 5, 6, 0, 7};
  return codes[value];
}

const Kind kF16{MmaKindFacts::F16, "f16", 16, toBF16, 0x490};
const Kind kTF32{MmaKindFacts::TF32, "tf32", 32, toFloat, 0x910};
const Kind kF8{MmaKindFacts::F8F6F4, "f8f6f4", 8, toE4M3, 0x10};
const Kind kI8{MmaKindFacts::I8, "i8", 8, toByte, 0x20};
const Kind kMXF8{MmaKindFacts::MXF8F6F4, "mxf8f6f4", 8, toE4M3, 0};
const Kind kMXF4{MmaKindFacts::MXF4, "mxf4", 4, toE2M1, 0x480};
const Kind kMXF4NVF4{MmaKindFacts::MXF4NVF4, "mxf4nvf4", 4, toE2M1, 0x480};

const Kind &findKind(MmaKindFacts facts) {
  for (const Kind *kind : {&kF16, &kTF32, &kF8, &kI8, &kMXF8, &kMXF4})
    if (kind->facts == facts)
      return *kind;
  return kMXF4NVF4;
}

/// A matrix in shared memory, K-major and not swizzled: 8 rows of 16 bytes are
/// together, then the next 16 bytes of these rows.
struct Matrix {
  unsigned bits;
  int64_t rowBytes;
  std::vector<uint8_t> bytes;

  Matrix(unsigned bits, int64_t rows, int64_t k)
      : bits(bits), rowBytes(k * bits / 8),
        bytes((rows + 7) / 8 * 8 * rowBytes) {}
  void put(int64_t row, int64_t k, uint32_t value) {
    int64_t byte = k * bits / 8;
    int64_t at =
        row / 8 * 8 * rowBytes + byte / 16 * 128 + row % 8 * 16 + byte % 16;
    for (unsigned b = 0; b < (bits + 7) / 8; ++b)
      bytes[at + b] |= static_cast<uint8_t>(value >> (8 * b) << (k * bits % 8));
  }
  /// The shared memory descriptor without its start.
  uint64_t descriptor() const {
    return uint64_t(128 >> 4) << 16 | uint64_t(8 * rowBytes >> 4) << 32 |
           uint64_t(1) << 46;
  }
};

/// Puts A and B into the images of shared memory and gives their descriptors,
/// in %rd6 and %rd7.
std::string placeOperands(Program &run, const std::vector<Matrix> &a,
                          const std::vector<Matrix> &b) {
  int64_t startOfB = static_cast<int64_t>(a[0].bytes.size() + 127) / 128 * 128;
  for (size_t cta = 0; cta < b.size(); ++cta) {
    std::vector<uint8_t> image = a[cta].bytes;
    image.resize(startOfB);
    image.insert(image.end(), b[cta].bytes.begin(), b[cta].bytes.end());
    image.resize((image.size() + 15) / 16 * 16);
    run.smem.push_back(std::move(image));
  }
  return "shr.u32 %r15, %r2, 4;\ncvt.u64.u32 %rd5, %r15;\nadd.s64 %rd6, "
         "%rd5, " +
         std::to_string(a[0].descriptor()) + ";\nadd.s64 %rd7, %rd5, " +
         std::to_string(b[0].descriptor() + (startOfB >> 4)) + ";\n";
}

/// A form of the instruction, and its shape.
struct Form {
  const Kind &kind;
  const DataPathFacts &layout;
  bool sparse, weightStationary;
  int64_t n;

  bool isScaled() const { return kind.types == 0 || kind.bits == 4; }
  int64_t getK() const {
    return sparse ? getMmaSparseK(kind.facts) : getMmaK(kind.facts);
  }
  /// Elements of a row of A.
  int64_t getDepth() const { return sparse ? getK() / 2 : getK(); }
  /// Rows of A, columns of B in a CTA.
  int64_t getColumns() const { return n / layout.ctaGroup; }
  std::string getName() const {
    return std::string(kind.name) + (sparse ? " sparse" : "") +
           (weightStationary ? " ws" : "") + ", layout " + layout.name +
           ", N = " + str(n);
  }
  /// Columns of Tensor Memory, a multiple of 32.
  int64_t getCells() const;
  uint32_t getDescriptor() const {
    uint32_t word =
        kind.types | uint32_t(sparse) << 2 | static_cast<uint32_t>(n / 8) << 17;
    // Of the kinds with factors M is in units of 128, from bit 27 on.
    return word | static_cast<uint32_t>(layout.m / 16) << 24;
  }
};

std::vector<Matrix> makeB(const Form &form) {
  return std::vector<Matrix>(
      form.layout.ctaGroup,
      Matrix(form.kind.bits, form.getColumns(), form.getK()));
}

std::vector<Matrix> makeA(const Form &form) {
  return std::vector<Matrix>(
      form.layout.ctaGroup,
      Matrix(form.kind.bits, form.layout.getRows(), form.getDepth()));
}

/// Where operands are in Tensor Memory, in columns; D is the last.
constexpr int64_t kFactorsA = 0, kFactorsB = 8, kMetadata = 16, kA = 24,
                  kD = 32;
constexpr uint32_t kBefore = 0xdeadbeef;

int64_t Form::getCells() const {
  return kD + (n / layout.folds + 31) / 32 * 32;
}

/// The instruction, with descriptors in %rd6 and %rd7.
std::string getInstruction(const Form &form, uint32_t descriptor, bool tmemA,
                           const std::string &vectorSize = "") {
  auto at = [&](const char *name, int64_t column) {
    return std::string("add.u32 ") + name + ", %r10, " + str(column) + ";\n";
  };
  std::string text =
      at("%r25", kD) + "mov.u32 %r20, " + std::to_string(descriptor) +
      ";\nsetp.ne.u32 %p4, %r20, %r20;\n" + at("%r21", kFactorsA) +
      at("%r22", kFactorsB) + at("%r23", kMetadata) + at("%r24", kA) +
      "tcgen05.mma" + (form.weightStationary ? ".ws" : "") +
      (form.sparse ? ".sp" : "") + ".cta_group::" + str(form.layout.ctaGroup) +
      ".kind::" + form.kind.name;
  if (form.isScaled())
    text += ".block_scale" + vectorSize;
  text += std::string(" [%r25], ") + (tmemA ? "[%r24]" : "%rd6") + ", %rd7, ";
  if (form.sparse)
    text += "[%r23], ";
  text += "%r20, ";
  if (form.isScaled())
    text += "[%r21], [%r22], ";
  return text + "%p4;\n";
}

/// Factors of one everywhere, codes of metadata that keep the first half of
/// each chunk.
Image getImage(const Form &form) {
  Image image(form.getCells(), kBefore);
  for (int64_t lane = 0; lane < kTmemLanes; ++lane)
    for (int64_t column = 0; column < kA; ++column)
      image.at(lane, column) = column < kMetadata ? 0x7f7f7f7f : 0x44444444;
  return image;
}

/// The place in K of what a sparse A has as element `i`, with getImage.
int64_t getKept(const Form &form, int64_t i) {
  if (!form.sparse)
    return i;
  int64_t chunk = getMmaSparseChunk(form.kind.facts);
  return i / (chunk / 2) * chunk + i % (chunk / 2);
}

/// Numbers whose products have the sum 256 m + n, all codes of 8 bits.
constexpr int64_t kTerms = 6;
unsigned getTermOfA(int64_t m, int64_t i) {
  unsigned high = m / 16 * 16, low = m % 16;
  return i < 2 ? high : i < 4 ? low : 1;
}
unsigned getTermOfB(int64_t n, int64_t i) {
  return i < 4 ? 128 : i == 4 ? n / 16 * 16 : n % 16;
}

/// All forms and shapes that the tables have for sm_100a, which lacks ti16; one
/// kind of those that share them.
template <typename Function>
void forEachForm(Function function) {
  for (const MmaShapeFacts &shapes : getMmaShapes())
    for (bool sparse : {false, true})
      for (const DataPathFacts &layout : getDataPaths()) {
        if (shapes.kinds.front() == MmaKindFacts::TI16)
          continue;
        bool written = shapes.weightStationary ? layout.weightStationary
                       : sparse                ? layout.sparse
                                               : layout.dense;
        if (!(sparse ? shapes.sparse : shapes.dense) || !written ||
            layout.ctaGroup != shapes.ctaGroup ||
            !llvm::is_contained(shapes.m, layout.m))
          continue;
        for (int64_t n = 8; n <= 256; n += 8)
          if (shapes.n.contains(n))
            function(Form{findKind(shapes.kinds.front()), layout, sparse,
                          shapes.weightStationary, n});
      }
}

/// Whether D is 256 m + n where the compiler says, and no other cell changed.
void expectSums(const Form &form, const Program &run,
                std::vector<Image> cells) {
  ASSERT_EQ(cells.size(), run.tmem.size()) << form.getName();
  std::vector<Image> expected = run.tmem;
  for (int64_t m = 0; m < form.layout.m; ++m)
    for (int64_t n = 0; n < form.n; ++n) {
      TmemPlace place = getAccumulatorPlace(form.layout, m, n, form.n);
      auto sum = static_cast<unsigned>(256 * m + n);
      expected[place.cta].at(place.lane, kD + place.column) =
          &form.kind == &kI8 ? sum : toFloat(sum);
    }
  for (size_t cta = 0; cta < cells.size(); ++cta)
    for (int64_t lane = 0; lane < kTmemLanes; ++lane)
      for (int64_t column = 0; column < form.getCells(); ++column)
        ASSERT_EQ(cells[cta].at(lane, column), expected[cta].at(lane, column))
            << form.getName() << ": CTA " << cta << ", lane " << lane
            << ", column " << column;
}

} // namespace

//===----------------------------------------------------------------------===//
// Tests
//===----------------------------------------------------------------------===//

TEST(TmemLayoutsRun, accumulators) {
  unsigned forms = 0;
  std::string layouts;
  forEachForm([&](const Form &form) {
    Program run{form.layout.ctaGroup, {}, {}, "", ""};
    std::vector<Matrix> a = makeA(form), b = makeB(form);
    for (int64_t i = 0; i < kTerms; ++i) {
      for (int64_t m = 0; m < form.layout.m; ++m)
        a[m / form.layout.getRows()].put(m % form.layout.getRows(), i,
                                         form.kind.encode(getTermOfA(m, i)));
      for (int64_t n = 0; n < form.n; ++n)
        b[n / form.getColumns()].put(n % form.getColumns(), getKept(form, i),
                                     form.kind.encode(getTermOfB(n, i)));
    }
    run.tmem.assign(form.layout.ctaGroup, getImage(form));
    run.instruction =
        placeOperands(run, a, b) +
        getInstruction(form,
                       form.getDescriptor() | uint32_t(form.isScaled()) << 23,
                       false);
    expectSums(form, run, execute(run));
    ++forms;
    if (layouts.find(form.layout.name) == std::string::npos)
      layouts += form.layout.name;
  });
  // What the tables have, so that no row is left out unnoticed.
  EXPECT_EQ(layouts.size(), 7u);
  EXPECT_EQ(forms, 423u);
}

// A has the rows of D, with a copy in each fold.
TEST(TmemLayoutsRun, matrixA) {
  for (const DataPathFacts &layout : getDataPaths())
    for (const Kind *kind : {&kF16, &kTF32, &kF8, &kI8})
      for (bool sparse : {false, true})
        for (bool weightStationary : {false, true}) {
          if (weightStationary ? !layout.weightStationary
              : sparse         ? !layout.sparse
                               : !layout.dense)
            continue;
          Form form{*kind, layout, sparse, weightStationary, 128};
          Program run{layout.ctaGroup, {}, {}, "", ""};
          std::vector<Matrix> b = makeB(form);
          run.tmem.assign(layout.ctaGroup, getImage(form));
          for (int64_t m = 0; m < layout.m; ++m)
            for (int64_t k = 0; k < form.getDepth(); ++k)
              for (int64_t copy = 0; copy < layout.folds; ++copy) {
                TmemPlace place = getMatrixAPlace(layout, kind->bits, m, k);
                place.lane += copy * layout.getFoldLanes();
                run.tmem[place.cta].put(
                    place, kA, kind->bits,
                    k < kTerms ? kind->encode(getTermOfA(m, k)) : 0);
              }
          for (int64_t n = 0; n < form.n; ++n)
            for (int64_t i = 0; i < kTerms; ++i)
              b[n / form.getColumns()].put(n % form.getColumns(),
                                           getKept(form, i),
                                           kind->encode(getTermOfB(n, i)));
          run.instruction = placeOperands(run, b, b) +
                            getInstruction(form, form.getDescriptor(), true);
          expectSums(form, run, execute(run));
        }
}

namespace {

/// Factors of a kind: how many an instruction reads of a row, of which of the
/// four blocks of a cell on.
struct Factors {
  const Kind &kind;
  const char *modifier;
  int64_t count;
  bool ue4m3;
};

const Factors kFactors[] = {
    {kMXF8, "", 1, false},
    {kMXF4, "", 2, false},
    {kMXF4NVF4, ".block32", 2, false},
    {kMXF4NVF4, ".block16", 4, false},
    {kMXF4NVF4, ".scale_vec::4X", 4, true},
};

/// A code for each (row, block), by two digits, and its number.
uint32_t getFactorCode(bool ue4m3, int64_t row, int64_t block, bool high) {
  int64_t id = row + 256 * block;
  auto digit = static_cast<uint32_t>(high ? id / 61 : id % 61);
  return ue4m3 ? 0x20 + digit : 97 + digit;
}
double getFactor(bool ue4m3, uint32_t code) {
  return ue4m3 ? std::ldexp(8 + code % 8, static_cast<int>(code / 8) - 10)
               : std::ldexp(1, static_cast<int>(code) - 127);
}

} // namespace

/// An instruction of `form` whose factors of block `id` on are where the
/// compiler says; all that is no factor is NaN. A has a one in one block of
/// each row, B in every, or, with `!ofA`, the other way round: a sum is the
/// product of two factors.
static void expectFactors(const Factors &factors, const Form &form, int64_t id,
                          bool ofA, bool high) {
  const DataPathFacts &layout = form.layout;
  const int64_t block = form.getK() / factors.count, rows = layout.getRows();
  const bool split = layout.name == 'B';
  auto getCode = [&](int64_t row, int64_t i) {
    return getFactorCode(factors.ue4m3, row, i, high);
  };
  Program run{layout.ctaGroup, {}, {}, "", ""};
  std::vector<Matrix> a = makeA(form), b = makeB(form);
  auto fill = [&](std::vector<Matrix> &matrix, int64_t own, bool all) {
    for (int64_t row = 0; row < own * layout.ctaGroup; ++row)
      for (int64_t i = 0; i < factors.count; ++i)
        if (all || i == row % factors.count)
          matrix[row / own].put(row % own, i * block, factors.kind.encode(1));
  };
  fill(a, rows, !ofA);
  fill(b, form.getColumns(), ofA);
  // A CTA has the factors of its rows of A, and those of all columns of B.
  for (int64_t cta = 0; cta < layout.ctaGroup; ++cta) {
    Image image(form.getCells(), kBefore);
    for (int64_t lane = 0; lane < kTmemLanes; ++lane)
      for (int64_t column = kFactorsA; column < kMetadata; ++column)
        image.at(lane, column) = ~0u;
    auto put = [&](TmemPlace place, int64_t copies, int64_t first,
                   uint32_t code) {
      for (int64_t copy = 0; copy < copies; ++copy) {
        image.put(place, first, 8, code);
        place.lane += kTmemWindowLanes;
      }
    };
    for (int64_t i = 0; i < factors.count; ++i) {
      for (int64_t row = 0; row < rows; ++row)
        put(getScalePlace(row, id + i, /*split=*/false, rows),
            getScaleCopies(/*split=*/false), kFactorsA,
            getCode(cta * rows + row, i));
      for (int64_t column = 0; column < form.n; ++column)
        put(getScalePlace(column, id + i, split, form.n), getScaleCopies(split),
            kFactorsB, getCode(column, i));
    }
    run.tmem.push_back(std::move(image));
  }
  uint32_t descriptor = form.getDescriptor() | uint32_t(!factors.ue4m3) << 23 |
                        static_cast<uint32_t>(id) << 29 |
                        static_cast<uint32_t>(id) << 4;
  run.instruction = placeOperands(run, a, b) +
                    getInstruction(form, descriptor, false, factors.modifier);
  std::vector<Image> cells = execute(run);
  ASSERT_EQ(cells.size(), size_t(layout.ctaGroup)) << form.getName();
  for (int64_t m = 0; m < layout.m; ++m)
    for (int64_t n = 0; n < form.n; ++n) {
      TmemPlace place = getAccumulatorPlace(layout, m, n, form.n);
      int64_t i = (ofA ? m : n) % factors.count;
      double expected = getFactor(factors.ue4m3, getCode(m, i)) *
                        getFactor(factors.ue4m3, getCode(n, i));
      ASSERT_EQ(llvm::bit_cast<float>(
                    cells[place.cta].at(place.lane, kD + place.column)),
                static_cast<float>(expected))
          << form.getName() << factors.modifier << ", id " << id << ": row "
          << m << ", column " << n;
    }
}

TEST(TmemLayoutsRun, factors) {
  unsigned runs = 0;
  for (const Factors &factors : kFactors)
    for (char name : {'A', 'B', 'D'})
      for (int64_t n = 8; n <= 256; n += 8) {
        const DataPathFacts &layout = *findDataPath(name);
        if (n % (8 * layout.ctaGroup) != 0)
          continue;
        Form form{factors.kind, layout, false, false, n};
        for (int64_t id = 0; id < kScaleBlocks; id += factors.count)
          for (bool ofA : {false, true})
            for (bool high : {false, true}) {
              // With one block in a row, A and B are alike.
              if (ofA && factors.count == 1)
                continue;
              expectFactors(factors, form, id, ofA, high);
              if (HasFatalFailure())
                return;
              ++runs;
            }
      }
  // 64 shapes, each with 8, 8, 8, 4 and 4.
  EXPECT_EQ(runs, 2048u);
}

// B has a one for each k, so that D is A with zeros where nothing is kept.
static void expectMetadata(const Form &form, uint32_t selector) {
  const Kind &kind = form.kind;
  const DataPathFacts &layout = form.layout;
  const int64_t chunk = getMetadataChunk(kind.bits), k = form.getK();
  Program run{layout.ctaGroup, {}, {}, "", ""};
  std::vector<Matrix> a = makeA(form), b = makeB(form);
  for (int64_t i = 0; i < std::min(k, form.n); ++i)
    b[i / form.getColumns()].put(i % form.getColumns(), i, kind.encode(1));
  run.tmem.assign(layout.ctaGroup, getImage(form));
  for (Image &image : run.tmem)
    for (int64_t lane = 0; lane < kTmemLanes; ++lane)
      for (int64_t c = 0; c < 4; ++c)
        image.at(lane, kMetadata + c) = 0;
  std::vector<unsigned> expected(layout.m * k);
  for (int64_t m = 0; m < layout.m; ++m)
    for (int64_t first = 0; first < k; first += chunk) {
      int64_t cta = m / layout.getRows(), row = m % layout.getRows();
      static constexpr uint32_t codes[] = {0b0100, 0b1000, 0b1100,
                                           0b1001, 0b1101, 0b1110};
      // No two neighbours along either have the same.
      uint32_t code =
          kind.bits == 32
              ? codes[(m / 16 + m / 8 + m + first / 2 + first / 8 * (m % 3)) %
                      2 * 5]
              : codes[(m * 5 + m / 8 + first / chunk * 7 + m * first) % 6];
      TmemPlace place = getMetadataPlace(layout, kind.bits, row, first);
      for (int64_t copy = 0; copy < layout.folds; ++copy) {
        run.tmem[cta].put(place, kMetadata + selector, 4, code);
        place.lane += layout.getFoldLanes();
      }
      // The elements that are kept, from one on.
      unsigned width = kind.bits == 4 ? 2 : 1;
      for (int64_t i = 0; i < chunk / 2; ++i) {
        auto value = static_cast<unsigned>(i + 1);
        a[cta].put(row, first / 2 + i, kind.encode(value));
        int64_t index = kind.bits == 32 ? code == 0b1110
                        : i / width     ? code >> 2
                                        : code & 3;
        expected[m * k + first + index * width + i % width] = value;
      }
    }
  run.instruction =
      placeOperands(run, a, b) +
      getInstruction(form,
                     form.getDescriptor() | selector |
                         uint32_t(form.isScaled()) << 23,
                     false, &kind == &kMXF4NVF4 ? ".scale_vec::2X" : "");
  std::vector<Image> cells = execute(run);
  ASSERT_EQ(cells.size(), size_t(layout.ctaGroup)) << form.getName();
  for (int64_t m = 0; m < layout.m; ++m)
    for (int64_t n = 0; n < std::min(k, form.n); ++n) {
      TmemPlace place = getAccumulatorPlace(layout, m, n, form.n);
      unsigned value = expected[m * k + n];
      ASSERT_EQ(cells[place.cta].at(place.lane, kD + place.column),
                &kind == &kI8 ? value : toFloat(value))
          << form.getName() << ": row " << m << ", k " << n;
    }
}

TEST(TmemLayoutsRun, metadata) {
  unsigned runs = 0;
  for (const DataPathFacts &layout : getDataPaths())
    for (const Kind *kind :
         {&kF16, &kTF32, &kF8, &kI8, &kMXF8, &kMXF4, &kMXF4NVF4})
      for (bool weightStationary : {false, true})
        for (uint32_t selector = 0; selector < 2; ++selector) {
          Form form{*kind, layout, true, weightStationary, 128};
          if (weightStationary ? !layout.weightStationary : !layout.sparse)
            continue;
          // Of the kinds with factors, 128 rows for each CTA.
          if (form.isScaled() &&
              (weightStationary || layout.getRows() != kTmemLanes))
            continue;
          if (selector != 0 && kind->bits < 16)
            continue;
          expectMetadata(form, selector);
          if (HasFatalFailure())
            return;
          ++runs;
        }
  EXPECT_EQ(runs, 48u);
}

// Each shape and repetition of tcgen05.ld and st, both halves of a window.
TEST(TmemLayoutsRun, registers) {
  for (TmemAccessShape shape :
       {TmemAccessShape::L32x32b, TmemAccessShape::L16x64b,
        TmemAccessShape::L16x128b, TmemAccessShape::L16x256b,
        TmemAccessShape::L16x32bx2})
    for (int64_t repetition = 1;
         repetition <= getTmemAccess(shape).maxRepetition; repetition *= 2)
      for (bool stores : {false, true})
        for (int64_t lane = 0; lane < kTmemWindowLanes;
             lane += getTmemAccess(shape).lanes) {
          const TmemAccessFacts &facts = getTmemAccess(shape);
          const int64_t count = facts.registers * repetition;
          const bool two = shape == TmemAccessShape::L16x32bx2;
          // An offset that is not the number of columns.
          const int64_t offset = two ? repetition + 3 : 0;
          const int64_t used = facts.columns * repetition + offset;
          Program run{1, {std::vector<uint8_t>(16)}, {}, "", ""};
          Image image((used + 31) / 32 * 32, 0);
          for (size_t i = 0; i < image.cells.size(); ++i)
            image.cells[i] = static_cast<uint32_t>(i);
          run.tmem.push_back(image);
          std::vector<uint32_t> own(kTmemLanes * count);
          for (size_t i = 0; i < own.size(); ++i)
            own[i] = static_cast<uint32_t>(1000000 + i);
          std::string form = "." + std::string(stores ? "st" : "ld") +
                             ".sync.aligned." + facts.name.str() + ".x" +
                             str(repetition) + ".b32 ";
          std::string address =
              "[%r16]" + (two ? ", " + str(offset) : std::string());
          std::string global;
          for (int64_t r = 0; r < count; ++r) {
            std::string at = "[%rd11+" + str(4 * r) + "]", name = "%v" + str(r);
            global += stores ? "ld.global.u32 " + name + ", " + at + ";\n"
                             : "st.global.u32 " + at + ", " + name + ";\n";
          }
          run.access = "add.u32 %r16, %r12, " + str(lane << 16) + ";\n";
          run.access +=
              stores
                  ? global + "tcgen05" + form + address + ", " +
                        registers(count) + ";\ntcgen05.wait::st.sync.aligned;\n"
                  : "tcgen05" + form + registers(count) + ", " + address +
                        ";\ntcgen05.wait::ld.sync.aligned;\n" + global;
          std::vector<uint32_t> before = own;
          std::vector<Image> cells = execute(run, &own);
          ASSERT_EQ(cells.size(), 1u) << form;
          Image expected = image;
          for (int64_t thread = 0; thread < kTmemLanes; ++thread)
            for (int64_t r = 0; r < count; ++r) {
              TmemPlace place =
                  getAccessPlace(shape, thread % kWarpThreads, r, offset);
              int64_t at =
                  thread / kWarpThreads * kTmemWindowLanes + lane + place.lane;
              uint32_t &word = before[thread * count + r];
              if (stores)
                expected.at(at, place.column) = word;
              else
                word = image.at(at, place.column);
            }
          ASSERT_EQ(own, before) << form << lane;
          ASSERT_EQ(cells[0].cells, expected.cells) << form << lane;
        }
}
