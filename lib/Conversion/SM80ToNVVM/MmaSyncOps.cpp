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
#include "tc/Support/Target.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tc;
using namespace tc::sm80;

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

/// Emits what one mma_sync becomes.
class Lowering {
public:
  Lowering(OpBuilder &b, MmaSyncOp op, MmaSyncOp::Adaptor adaptor)
      : b(b), loc(op.getLoc()), op(op), adaptor(adaptor) {}

  /// Returns the new D.
  Value emit();

private:
  Value constant(int64_t value) {
    return LLVM::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  }
  Value scale(Value value, int64_t factor) {
    return LLVM::MulOp::create(b, loc, value, constant(factor));
  }
  Value add(Value x, Value y) { return LLVM::AddOp::create(b, loc, x, y); }
  Value mask(Value value, int64_t bits) {
    return LLVM::AndOp::create(b, loc, value, constant(bits));
  }
  Value shiftRight(Value value, int64_t bits) {
    return LLVM::LShrOp::create(b, loc, value, constant(bits));
  }

  TileRows emitRows(MemRefType tile, Value base, Value first, Value alongMN,
                    Value alongK, Value inMatrix);
  SmallVector<Value> loadMatrices(TileRows &rows, MemRefType tile, int64_t mn,
                                  int64_t k, unsigned count);
  Value loadFactors(MemRefType tile, Value converted, Value offset,
                    int64_t staticOffset);
  int64_t getGroupBytes(int64_t k);
  Value loadFactorsOfA(int64_t block);
  Value loadFactorsOfB(int64_t n);
  void multiply(TileRows &rows, ArrayRef<SmallVector<Value>> a,
                ArrayRef<Value> scalesA, MutableArrayRef<Value> sums);
  Value joinRegisters(ArrayRef<Value> registers);

  OpBuilder &b;
  Location loc;
  MmaSyncOp op;
  MmaSyncOp::Adaptor adaptor;
  Value lane;
  /// The row of A, and the column of B, of the lane's registers.
  Value quad;
};

struct MmaSyncLowering : ConvertOpToLLVMPattern<MmaSyncOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(MmaSyncOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, Lowering(rewriter, op, adaptor).emit());
    return success();
  }
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

/// Whether lines of `tile` run along M or N, so that ldmatrix transposes.
static bool isTurned(MemRefType tile) {
  return cast<SmemTileLayoutInterface>(tile.getLayout()).getTileMajor() ==
         Major::MN;
}

/// Rows of matrices from `first` on, `alongMN` and `alongK` the number of the
/// lane's matrix along either dimension, `inMatrix` its row there. Of an
/// MN-major tile a line is an element of K.
TileRows Lowering::emitRows(MemRefType tile, Value base, Value first,
                            Value alongMN, Value alongK, Value inMatrix) {
  Value mn = add(first, scale(alongMN, kMatrixRows));
  if (!isTurned(tile))
    return TileRows(b, loc, tile, base, add(mn, inMatrix),
                    scale(alongK, kRowBytes));
  // Only elements of whole bytes are turned.
  return TileRows(b, loc, tile, base, add(scale(alongK, kMatrixRows), inMatrix),
                  scale(mn, tile.getElementTypeBitWidth() / 8));
}

SmallVector<Value> Lowering::loadMatrices(TileRows &rows, MemRefType tile,
                                          int64_t mn, int64_t k,
                                          unsigned count) {
  int64_t bits = tile.getElementTypeBitWidth();
  bool turns = isTurned(tile);
  Value address =
      turns ? rows.get(k, mn * bits / 8) : rows.get(mn, k * bits / 8);
  return emitLoad(b, loc, address, count, turns);
}

Value Lowering::loadFactors(MemRefType tile, Value converted, Value offset,
                            int64_t staticOffset) {
  Value base = getSmemAddress(b, loc, tile, converted);
  Value address = LLVM::GEPOp::create(b, loc, base.getType(), b.getI8Type(),
                                      base, ArrayRef<LLVM::GEPArg>{offset});
  address = LLVM::GEPOp::create(
      b, loc, base.getType(), b.getI8Type(), address,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(staticOffset)});
  return LLVM::LoadOp::create(b, loc, b.getI32Type(), address,
                              /*alignment=*/4);
}

/// Bytes from one block of rows of factors to the next.
static int64_t getBlockBytes(MemRefType scales) {
  return scales.getDimSize(1) / 2 * kScaleTileBytes;
}

/// Bytes to the block along K.
int64_t Lowering::getGroupBytes(int64_t k) {
  return k / op.getScaleVector() / kScaleBlocks * kScaleTileBytes;
}

/// Lane l has factors of row l / 4 of A, and of 8 rows further where l is odd.
/// A register has 4 of a row.
Value Lowering::loadFactorsOfA(int64_t block) {
  MemRefType tile = op.getScaleA().getType();
  Value inTile = add(quad, scale(mask(lane, 1), 8));
  Value row = add(add(adaptor.getRow(), inTile), constant(block * kMmaSyncM));
  Value blockOf = shiftRight(row, 7);
  Value window = shiftRight(mask(row, kScaleRows - 1), 5);
  Value offset =
      add(scale(blockOf, getBlockBytes(tile)),
          add(scale(mask(row, kScaleTileShape[0] - 1), kScaleTileColumns),
              scale(window, kScaleBlocks)));
  return loadFactors(tile, adaptor.getScaleA(), offset,
                     getGroupBytes(op.getAK()));
}

/// Lane l has factors of column l / 4 of B, from `n` on.
Value Lowering::loadFactorsOfB(int64_t n) {
  MemRefType tile = op.getScaleB().getType();
  int64_t place = n / kScaleRows * getBlockBytes(tile) +
                  n % kScaleTileShape[0] * kScaleTileColumns +
                  n % kScaleRows / kScaleTileShape[0] * kScaleBlocks;
  return loadFactors(tile, adaptor.getScaleB(), scale(quad, kScaleTileColumns),
                     place + getGroupBytes(op.getBK()));
}

/// All products of the fragments `a`, with B in `rows`, are added to `sums`.
void Lowering::multiply(TileRows &rows, ArrayRef<SmallVector<Value>> a,
                        ArrayRef<Value> scalesA, MutableArrayRef<Value> sums) {
  int64_t blocks = a.size();
  // Registers of an accumulator of 16 x 8.
  int64_t count = sums.size() * kMmaSyncN / (op.getN() * blocks);
  for (int64_t n = 0; n < op.getN(); n += 2 * kMmaSyncN) {
    bool isPair = n + 2 * kMmaSyncN <= op.getN();
    SmallVector<Value> fragments =
        loadMatrices(rows, op.getB().getType(), n, op.getBK(), isPair ? 4 : 2);
    for (int64_t half = 0; half < (isPair ? 2 : 1); ++half) {
      Value scaleB =
          op.getScaleB() ? loadFactorsOfB(n + half * kMmaSyncN) : Value();
      for (int64_t block = 0; block < blocks; ++block) {
        int64_t first = ((n / kMmaSyncN + half) * blocks + block) * count;
        emitMma(b, loc, op, a[block], ValueRange(fragments).slice(2 * half, 2),
                scalesA[block], scaleB, sums.slice(first, count));
      }
    }
  }
}

/// The registers as the vector of their elements.
Value Lowering::joinRegisters(ArrayRef<Value> registers) {
  auto type = cast<VectorType>(adaptor.getD().getType());
  auto words =
      VectorType::get({int64_t(registers.size())}, registers.front().getType());
  Value result = LLVM::PoisonOp::create(b, loc, words);
  for (auto [i, value] : llvm::enumerate(registers))
    result = LLVM::InsertElementOp::create(b, loc, result, value, constant(i));
  if (words != type)
    result = LLVM::BitcastOp::create(b, loc, type, result);
  return result;
}

Value Lowering::emit() {
  // Lane l gives the address of row l mod 8 of matrix l / 8, whose number has a
  // lower and an upper bit.
  lane = NVVM::LaneIdOp::create(b, loc, b.getI32Type());
  Value low = shiftRight(mask(lane, 8), 3);
  Value high = shiftRight(mask(lane, 16), 4);
  Value inMatrix = mask(lane, 7);
  // Matrices of A: rows 0 to 7 and 8 to 15 of the first 16 bytes of K, then of
  // the second.
  TileRows rowsA = emitRows(op.getA().getType(), adaptor.getA(),
                            adaptor.getRow(), low, high, inMatrix);
  // Of B the first 16 bytes of K of columns 0 to 7, the second, then those of
  // columns 8 to 15.
  TileRows rowsB = emitRows(op.getB().getType(), adaptor.getB(), constant(0),
                            high, low, inMatrix);
  int64_t blocks = op.getRows() / kMmaSyncM;
  SmallVector<SmallVector<Value>> a;
  for (int64_t block = 0; block < blocks; ++block)
    a.push_back(loadMatrices(rowsA, op.getA().getType(), block * kMmaSyncM,
                             op.getAK(), 4));
  quad = shiftRight(lane, 2);
  SmallVector<Value> scalesA(blocks);
  if (op.getScaleA())
    for (int64_t block = 0; block < blocks; ++block)
      scalesA[block] = loadFactorsOfA(block);
  SmallVector<Value> sums = getRegisters(b, loc, adaptor.getD());
  multiply(rowsB, a, scalesA, sums);
  return joinRegisters(sums);
}

void tc::populateMmaSyncPatterns(const LLVMTypeConverter &converter,
                                 RewritePatternSet &patterns) {
  patterns.add<MmaSyncLowering>(converter);
}
