//===- MmaSyncOps.cpp - warp matrix multiplication to NVVM ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mma_sync: the fragments of A for all rows of the warp by ldmatrix, then for
// 16 columns of B at a time their fragments and the multiplications. Whatever
// the type, an instruction takes 32 bytes of a row: two matrices of 8 x 16
// bytes along K, two of 8 rows of A, and of 8 columns of B for each of two
// instructions. So the addresses of all types are the same, in bytes.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "tc/Support/Conversion.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tc;
using namespace tc::sm90;

/// Bytes of a row of a matrix of ldmatrix.
static constexpr int64_t kRowBytes = kMatrixRows * kMatrixBits / 8;

namespace {

/// The addresses of rows of matrices in a tile: where they start in it, line
/// and byte of the line, is a part of the lane and a part that is the same for
/// all, static, a multiple of 8 lines and of 32 bytes. The lane's part has no
/// bits of a line beyond the static ones, so that both meet in an XOR, as the
/// swizzle does.
class TileRows {
public:
  TileRows(OpBuilder &b, Location loc, MemRefType tile, Value base, Value line,
           Value byteOfLine)
      : b(b), loc(loc), layout(cast<SmemTileLayoutInterface>(tile.getLayout())),
        facts(getSwizzleFacts(layout.getTileSwizzle())) {
    // Lines and slabs of the lane.
    place = LLVM::MulOp::create(b, loc, line, constant(facts.spanBytes));
    if (facts.bits != 0) {
      Value bits = LLVM::LShrOp::create(b, loc, place, constant(7));
      bits = LLVM::AndOp::create(b, loc, bits, constant((1 << facts.bits) - 1));
      bits = LLVM::ShlOp::create(b, loc, bits, constant(facts.shift));
      place = LLVM::XOrOp::create(b, loc, place, bits);
    }
    Value within =
        LLVM::AndOp::create(b, loc, byteOfLine, constant(facts.spanBytes - 1));
    place = LLVM::XOrOp::create(b, loc, place, within);
    Value slab =
        LLVM::UDivOp::create(b, loc, byteOfLine, constant(facts.spanBytes));
    Value distance =
        LLVM::MulOp::create(b, loc, slab, constant(layout.getSlabBytes()));
    start = offset(base, distance);
  }

  /// `lines` lines and `bytes` bytes of the line further.
  Value get(int64_t lines, int64_t bytes) {
    Value at = place;
    if (int64_t within = bytes % facts.spanBytes)
      at = LLVM::XOrOp::create(b, loc, at, constant(within));
    Value address = offset(start, at);
    int64_t distance = lines * facts.spanBytes +
                       bytes / facts.spanBytes * layout.getSlabBytes();
    return distance ? offset(address, static_cast<int32_t>(distance)) : address;
  }

private:
  Value constant(int64_t value) {
    return LLVM::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  }
  Value offset(Value pointer, LLVM::GEPArg bytes) {
    return LLVM::GEPOp::create(b, loc, pointer.getType(), b.getI8Type(),
                               pointer, ArrayRef<LLVM::GEPArg>{bytes});
  }

  OpBuilder &b;
  Location loc;
  SmemTileLayoutInterface layout;
  SwizzleFacts facts;
  Value start, place;
};

struct MmaSyncLowering : ConvertOpToLLVMPattern<MmaSyncOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(MmaSyncOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override;
};

} // namespace

/// `count` matrices from the rows at `address`, a register of each.
static SmallVector<Value> emitLoad(OpBuilder &b, Location loc, Value address,
                                   unsigned count, bool isTransposed) {
  Type i32 = b.getI32Type();
  auto type = LLVM::LLVMStructType::getLiteral(b.getContext(),
                                               SmallVector<Type>(count, i32));
  auto shape =
      NVVM::LdStMatrixShapeAttr::get(b.getContext(), kMatrixRows, kMatrixRows);
  Value loaded = NVVM::LdMatrixOp::create(b, loc, type, address, count,
                                          isTransposed ? NVVM::MMALayout::col
                                                       : NVVM::MMALayout::row,
                                          shape, NVVM::LdStMatrixEltType::B16);
  SmallVector<Value> registers;
  for (unsigned i = 0; i < count; ++i)
    registers.push_back(LLVM::ExtractValueOp::create(b, loc, loaded, i));
  return registers;
}

/// The type of a multiplicand in PTX.
static NVVM::MMATypes getType(Type type) {
  if (type.isF16())
    return NVVM::MMATypes::f16;
  if (type.isBF16())
    return NVVM::MMATypes::bf16;
  if (type.isF32())
    return NVVM::MMATypes::tf32;
  if (isa<Float4E2M1FNType>(type))
    return NVVM::MMATypes::e2m1;
  if (isa<Float8E4M3FNType>(type))
    return NVVM::MMATypes::e4m3;
  if (isa<Float8E5M2Type>(type))
    return NVVM::MMATypes::e5m2;
  return type.isUnsignedInteger() ? NVVM::MMATypes::u8 : NVVM::MMATypes::s8;
}

/// An instruction with scale factors: one byte, two or four of each register
/// are those of its part of K.
static Value emitScaledMma(OpBuilder &b, Location loc, MmaSyncOp op,
                           Type result, ValueRange a, ValueRange bs,
                           ValueRange c, Value scaleA, Value scaleB) {
  Type element = op.getA().getType().getElementType();
  int64_t vector = op.getScaleVector();
  int64_t factors = op.getK() / vector;
  auto selector = [&](int64_t value) -> Value {
    return LLVM::ConstantOp::create(b, loc, b.getI16IntegerAttr(value));
  };
  auto byteOf = [&](int64_t k) { return selector(k / vector % kScaleBlocks); };
  bool isE4M3 =
      isa<Float8E4M3FNType>(op.getScaleA().getType().getElementType());
  auto kind = isE4M3 ? NVVM::MMABlockScaleKind::MXF4NVF4
              : isa<Float4E2M1FNType>(element)
                  ? NVVM::MMABlockScaleKind::MXF4
                  : NVVM::MMABlockScaleKind::MXF8F6F4;
  auto size = factors == 1   ? NVVM::ScaleVecSize::X1
              : factors == 2 ? NVVM::ScaleVecSize::X2
                             : NVVM::ScaleVecSize::X4;
  NVVM::MMATypes types[] = {getType(element),
                            getType(op.getB().getType().getElementType())};
  return NVVM::MmaBlockScaleOp::create(
      b, loc, result, a, bs, c, scaleA, byteOf(op.getAK()), selector(0), scaleB,
      byteOf(op.getBK()), selector(0), {kMmaSyncM, kMmaSyncN, op.getK()},
      std::array{types[0], types[1]}, size,
      isE4M3 ? NVVM::BlockScaleFormat::UE4M3 : NVVM::BlockScaleFormat::UE8M0,
      kind);
}

/// One instruction on registers of 32 bits; `sum` are those of C, and become
/// those of D.
static void emitMma(OpBuilder &b, Location loc, MmaSyncOp op, ValueRange a,
                    ValueRange bs, Value scaleA, Value scaleB,
                    MutableArrayRef<Value> sum) {
  Type element = op.getA().getType().getElementType();
  Type sumElement = op.getD().getType().getElementType();
  NVVM::MMATypes types[] = {getType(element),
                            getType(op.getB().getType().getElementType())};
  // Registers of halves are vectors of two for the instruction.
  auto typed = [&](ValueRange values, Type of) {
    SmallVector<Value> result(values);
    Type type = of.isF16() ? Type(VectorType::get({2}, of)) : of;
    if (of.isF16() || of.isF32())
      for (Value &value : result)
        value = LLVM::BitcastOp::create(b, loc, type, value);
    return result;
  };
  SmallVector<Value> c = typed(sum, sumElement);
  auto result = LLVM::LLVMStructType::getLiteral(
      b.getContext(), llvm::to_vector(ValueRange(c).getTypes()));
  Value d;
  if (scaleA) {
    d = emitScaledMma(b, loc, op, result, a, bs, c, scaleA, scaleB);
  } else if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 8) {
    // nvvm.mma.sync of LLVM 22 refuses fp8, which its intrinsics have.
    StringRef of = sumElement.isF16() ? "f16" : "f32";
    std::string name = ("llvm.nvvm.mma.m16n8k32.row.col." + of + "." +
                        stringifyMMATypes(types[0]) + "." +
                        stringifyMMATypes(types[1]) + "." + of)
                           .str();
    SmallVector<Value> operands(a);
    llvm::append_range(operands, bs);
    llvm::append_range(operands, c);
    d = LLVM::CallIntrinsicOp::create(b, loc, result, b.getStringAttr(name),
                                      operands)
            .getResult(0);
  } else {
    std::optional<NVVM::MMAIntOverflow> overflow;
    if (sumElement.isInteger())
      overflow = NVVM::MMAIntOverflow::wrapped;
    Type multiplicand = element.isF16() ? element : Type(b.getI32Type());
    d = NVVM::MmaOp::create(
        b, loc, result, typed(a, multiplicand), typed(bs, multiplicand), c,
        {kMmaSyncM, kMmaSyncN, op.getK()}, /*b1Op=*/std::nullopt, overflow,
        std::array{types[0], types[1]},
        std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
  }
  for (auto [i, value] : llvm::enumerate(sum)) {
    value = LLVM::ExtractValueOp::create(b, loc, d, i);
    if (value.getType() != b.getI32Type())
      value = LLVM::BitcastOp::create(b, loc, b.getI32Type(), value);
  }
}

LogicalResult
MmaSyncLowering::matchAndRewrite(MmaSyncOp op, OpAdaptor adaptor,
                                 ConversionPatternRewriter &rewriter) const {
  Location loc = op.getLoc();
  OpBuilder &b = rewriter;
  Type i32 = b.getI32Type();
  auto constant = [&](int64_t value) -> Value {
    return LLVM::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  };
  // Lane l gives the address of row l mod 8 of matrix l / 8.
  Value lane = NVVM::LaneIdOp::create(b, loc, i32);
  auto bitsOf = [&](int64_t mask) -> Value {
    return LLVM::AndOp::create(b, loc, lane, constant(mask));
  };
  auto scale = [&](Value value, int64_t factor) -> Value {
    return LLVM::MulOp::create(b, loc, value, constant(factor));
  };
  auto add = [&](Value x, Value y) -> Value {
    return LLVM::AddOp::create(b, loc, x, y);
  };
  // The number of the matrix: its lower and its upper bit.
  Value low = LLVM::LShrOp::create(b, loc, bitsOf(8), constant(3));
  Value high = LLVM::LShrOp::create(b, loc, bitsOf(16), constant(4));
  Value inMatrix = bitsOf(7);
  auto isMNMajor = [](Value tile) {
    return cast<SmemTileLayoutInterface>(
               cast<MemRefType>(tile.getType()).getLayout())
               .getTileMajor() == Major::MN;
  };
  int64_t bits = op.getA().getType().getElementTypeBitWidth();
  // Only elements of whole bytes are turned.
  int64_t bytes = bits / 8;

  // Matrices of A: rows 0 to 7 and 8 to 15 of the first 16 bytes of K, then of
  // the second. Of an MN-major tile a line is an element of K.
  bool turnsA = isMNMajor(op.getA()), turnsB = isMNMajor(op.getB());
  auto rowsOf = [&](Value tile, Value base, bool isTurned, Value first,
                    Value alongMN, Value alongK) {
    auto type = cast<MemRefType>(tile.getType());
    Value mn = add(first, scale(alongMN, kMatrixRows));
    if (!isTurned)
      return TileRows(b, loc, type, base, add(mn, inMatrix),
                      scale(alongK, kRowBytes));
    return TileRows(b, loc, type, base,
                    add(scale(alongK, kMatrixRows), inMatrix),
                    scale(mn, bytes));
  };
  TileRows rowsA =
      rowsOf(op.getA(), adaptor.getA(), turnsA, adaptor.getRow(), low, high);
  // Of B the first 16 bytes of K of columns 0 to 7, the second, then those of
  // columns 8 to 15.
  TileRows rowsB =
      rowsOf(op.getB(), adaptor.getB(), turnsB, constant(0), high, low);
  auto at = [&](TileRows &rows, bool isTurned, int64_t mn, int64_t k) {
    return isTurned ? rows.get(k, mn * bytes) : rows.get(mn, k * bits / 8);
  };

  int64_t blocks = op.getRows() / kMmaSyncM;
  SmallVector<SmallVector<Value>> a;
  for (int64_t block = 0; block < blocks; ++block)
    a.push_back(emitLoad(
        b, loc, at(rowsA, turnsA, block * kMmaSyncM, op.getAK()), 4, turnsA));

  // Lane l has factors of row l / 4 of A, and of 8 rows further where l is odd,
  // and of column l / 4 of B. A register has 4 of a row.
  Value quad = LLVM::LShrOp::create(b, loc, lane, constant(2));
  auto loadFactors = [&](Value tile, Value converted, Value offset,
                         int64_t staticOffset) -> Value {
    Value base =
        getSmemAddress(b, loc, cast<MemRefType>(tile.getType()), converted);
    Value address = LLVM::GEPOp::create(b, loc, base.getType(), b.getI8Type(),
                                        base, ArrayRef<LLVM::GEPArg>{offset});
    address = LLVM::GEPOp::create(
        b, loc, base.getType(), b.getI8Type(), address,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(staticOffset)});
    return LLVM::LoadOp::create(b, loc, i32, address, /*alignment=*/4);
  };
  // Bytes from one block of rows to the next, and those of the block along K.
  auto blockBytes = [&](Value tile) {
    return cast<MemRefType>(tile.getType()).getDimSize(1) / 2 * kScaleTileBytes;
  };
  auto groupBytes = [&](int64_t k) {
    return k / op.getScaleVector() / kScaleBlocks * kScaleTileBytes;
  };
  SmallVector<Value> scalesA(blocks);
  if (op.getScaleA()) {
    Value inTile = add(quad, scale(bitsOf(1), 8));
    for (int64_t block = 0; block < blocks; ++block) {
      Value row =
          add(add(adaptor.getRow(), inTile), constant(block * kMmaSyncM));
      auto remainder = [&](int64_t of) -> Value {
        return LLVM::AndOp::create(b, loc, row, constant(of - 1));
      };
      Value blockOf = LLVM::LShrOp::create(b, loc, row, constant(7));
      Value window =
          LLVM::LShrOp::create(b, loc, remainder(kScaleRows), constant(5));
      Value offset =
          add(scale(blockOf, blockBytes(op.getScaleA())),
              add(scale(remainder(kScaleTileShape[0]), kScaleTileColumns),
                  scale(window, kScaleBlocks)));
      scalesA[block] = loadFactors(op.getScaleA(), adaptor.getScaleA(), offset,
                                   groupBytes(op.getAK()));
    }
  }
  auto loadScaleB = [&](int64_t n) -> Value {
    if (!op.getScaleB())
      return Value();
    int64_t place = n / kScaleRows * blockBytes(op.getScaleB()) +
                    n % kScaleTileShape[0] * kScaleTileColumns +
                    n % kScaleRows / kScaleTileShape[0] * kScaleBlocks;
    return loadFactors(op.getScaleB(), adaptor.getScaleB(),
                       scale(quad, kScaleTileColumns),
                       place + groupBytes(op.getBK()));
  };

  SmallVector<Value> sums = getRegisters(b, loc, adaptor.getD());
  // Registers of an accumulator of 16 x 8.
  int64_t count = sums.size() * kMmaSyncN / (op.getN() * blocks);
  for (int64_t n = 0; n < op.getN(); n += 2 * kMmaSyncN) {
    bool isPair = n + 2 * kMmaSyncN <= op.getN();
    SmallVector<Value> fragments = emitLoad(
        b, loc, at(rowsB, turnsB, n, op.getBK()), isPair ? 4 : 2, turnsB);
    for (int64_t half = 0; half < (isPair ? 2 : 1); ++half) {
      Value scaleB = loadScaleB(n + half * kMmaSyncN);
      for (int64_t block = 0; block < blocks; ++block) {
        int64_t first = ((n / kMmaSyncN + half) * blocks + block) * count;
        emitMma(b, loc, op, a[block], ValueRange(fragments).slice(2 * half, 2),
                scalesA[block], scaleB,
                MutableArrayRef<Value>(sums).slice(first, count));
      }
    }
  }

  // The registers as the vector of their elements.
  auto type = cast<VectorType>(adaptor.getD().getType());
  auto words = VectorType::get({int64_t(sums.size())}, sums.front().getType());
  Value result = LLVM::PoisonOp::create(b, loc, words);
  for (auto [i, value] : llvm::enumerate(sums))
    result = LLVM::InsertElementOp::create(b, loc, result, value, constant(i));
  if (words != type)
    result = LLVM::BitcastOp::create(b, loc, type, result);
  rewriter.replaceOp(op, result);
  return success();
}

void tc::populateMmaSyncPatterns(const LLVMTypeConverter &converter,
                                 RewritePatternSet &patterns) {
  patterns.add<MmaSyncLowering>(converter);
}
