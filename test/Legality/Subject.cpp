//===- Subject.cpp - operations that are verified ---------------*- C++ -*-===//
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

#include "Subject.h"

#include "tc/Dialect/SM90/IR/SM90.h"
#include "tc/Support/MmaTypes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tc::tcgen05;

namespace tc::legality {

static MmaKind toKind(Kind kind) { return static_cast<MmaKind>(kind); }

Subject::Subject(MLIRContext &context) : context(context) {
  Location loc = UnknownLoc::get(&context);
  module = ModuleOp::create(loc);
  block = module->getBody();
  OpBuilder builder = OpBuilder::atBlockEnd(block);
  table = UnrealizedConversionCastOp::create(
              builder, loc, TmemType::getRaw(&context, 32), ValueRange())
              .getResult(0);
  for (Form op : {Form::Mma, Form::Scaled, Form::WeightStationary})
    for (bool sparse : {false, true})
      operations[static_cast<int>(op)][sparse] = create(op, sparse);
}

// Values of changing types cannot be printed or verified as a module.
Subject::~Subject() {
  for (Operation &op : *block)
    op.dropAllReferences();
}

Operation *Subject::create(Form form, bool sparse) {
  OpBuilder builder = OpBuilder::atBlockEnd(block);
  Location loc = builder.getUnknownLoc();
  auto value = [&](Type type) -> Value {
    return UnrealizedConversionCastOp::create(builder, loc, type, ValueRange())
        .getResult(0);
  };
  Type i1 = builder.getI1Type(), i32 = builder.getI32Type();
  auto raw = TmemType::getRaw(&context, 32);
  SmallVector<Value> values{value(raw), value(i32), value(i32)};
  Value metadata = sparse ? value(raw) : Value(), accumulate = value(i1);
  auto kind = MmaKind::F16;
  auto discard = Collector::Discard;
  if (form == Form::Mma)
    return MmaOp::create(builder, loc, kind, values[0], values[1], values[2],
                         metadata, /*lookup=*/Value(), accumulate,
                         /*disable=*/Value(), 0, 0, 1, discard, IntegerAttr());
  if (form == Form::WeightStationary)
    return MmaWsOp::create(builder, loc, kind, values[0], values[1], values[2],
                           metadata, accumulate, /*mask=*/Value());
  return MmaBlockScaleOp::create(builder, loc, kind, values[0], values[1],
                                 values[2], metadata, /*lookup=*/Value(),
                                 value(raw), value(raw), accumulate);
}

Type Subject::getElement(Element element) {
  Builder b(&context);
  switch (element) {
  case Element::F16:
    return b.getF16Type();
  case Element::BF16:
    return b.getBF16Type();
  case Element::F32:
    return b.getF32Type();
  case Element::E4M3:
    return Float8E4M3FNType::get(&context);
  case Element::E5M2:
    return Float8E5M2Type::get(&context);
  case Element::E2M3:
    return Float6E2M3FNType::get(&context);
  case Element::E3M2:
    return Float6E3M2FNType::get(&context);
  case Element::E2M1:
    return Float4E2M1FNType::get(&context);
  case Element::S8:
    return b.getI8Type();
  case Element::U8:
    return b.getIntegerType(8, /*isSigned=*/false);
  case Element::I32:
    return b.getI32Type();
  case Element::S16:
    return b.getI16Type();
  }
  return {};
}

/// Bits in shared memory: those of the kind, of other elements any that exist.
static unsigned getBits(Kind kind, Type element) {
  auto facts = static_cast<MmaKindFacts>(kind);
  if (isMmaInput(facts, element))
    return getMmaSmemBits(facts, element);
  return std::max(8u, element.getIntOrFloatBitWidth());
}

// 128 bytes of K are enough for every instruction.
Type Subject::getTile(Type type, unsigned bits, Tile tile, int64_t rows) {
  // A layout has whole core matrices, also where the instruction has not.
  rows = llvm::alignTo(rows, tile.mnMajor ? 128 / bits : 8);
  uint64_t key = uint64_t(rows) << 32 | bits << 8 |
                 uint64_t(tile.swizzle) << 1 | uint64_t(tile.mnMajor);
  auto [it, isNew] = tiles.try_emplace({type, key});
  if (!isNew)
    return it->second;
  static constexpr tc::Swizzle swizzles[] = {
      tc::Swizzle::None, tc::Swizzle::B32, tc::Swizzle::B64, tc::Swizzle::B128,
      tc::Swizzle::B128Atom32};
  Major major = tile.mnMajor ? Major::MN : Major::K;
  tc::Swizzle swizzle = swizzles[static_cast<int>(tile.swizzle)];
  auto ignore = [&] { return mlir::emitError(UnknownLoc::get(&context)); };
  // Elements of 6 bits have places of 8.
  SmallVector<int64_t> shape{rows, 1024 / (bits == 6 ? 8 : bits)};
  ScopedDiagnosticHandler quiet(&context,
                                [](Diagnostic &) { return success(); });
  if (failed(sm90::SmemLayoutAttr::verify(ignore, major, swizzle, bits, 8192)))
    return {};
  auto layout =
      sm90::SmemLayoutAttr::getDense(&context, major, swizzle, shape, bits);
  return it->second = MemRefType::getChecked(
             ignore, shape, type, MemRefLayoutAttrInterface(layout),
             gpu::AddressSpaceAttr::get(&context,
                                        gpu::AddressSpace::Workgroup));
}

TmemType Subject::getD(const Combination &c) {
  static constexpr DataPath layouts[] = {DataPath::A, DataPath::B, DataPath::C,
                                         DataPath::D, DataPath::E, DataPath::F,
                                         DataPath::G};
  int index = c.layout - 'A';
  bool half = c.layout == 'C' || c.layout == 'F';
  int folds = c.layout == 'B' || c.layout == 'E' ? 2 : c.layout == 'G' ? 4 : 1;
  return TmemType::get(half ? 64 : 128, c.n / folds, getElement(c.d),
                       layouts[index]);
}

/// Rows of A in a CTA where D has `layout`.
static int64_t getRows(char layout) {
  switch (layout) {
  case 'A':
  case 'D':
    return 128;
  case 'G':
    return 32;
  default:
    return 64;
  }
}

Operation *Subject::set(const Combination &c) {
  TmemType d = getD(c);
  Type element = getElement(c.a);
  unsigned bits = getBits(c.kind, element);
  Type a = c.tmemA ? Type(TmemType::getMatrixA(1024 / bits, element, bits,
                                               d.getLayout()))
                   : getTile(element, bits, c.tileA, getRows(c.layout));
  Type elementB = getElement(c.b);
  Type b = getTile(elementB, getBits(c.kind, elementB), c.tileB, c.n / c.group);
  if (!a || !b)
    return nullptr;
  Operation *op = operations[static_cast<int>(c.op)][c.sparse];
  op->getOperand(0).setType(d);
  op->getOperand(1).setType(a);
  op->getOperand(2).setType(b);
  Value metadata;
  auto apply = [&](auto form) {
    form.setKind(toKind(c.kind));
    form.setCtaGroup(c.group);
    metadata = form.getMetadata();
  };
  Builder builder(&context);
  if (auto scaled = dyn_cast<MmaBlockScaleOp>(op)) {
    apply(scaled);
    Type factor = c.factor == Factor::UE8M0
                      ? Type(Float8E8M0FNUType::get(&context))
                  : c.factor == Factor::UE4M3
                      ? Type(Float8E4M3FNType::get(&context))
                      : Type(builder.getIntegerType(8, /*isSigned=*/false));
    scaled.setScaleBlock(c.block);
    scaled.getScalesA().setType(TmemType::getScales(128, factor));
    scaled.getScalesB().setType(c.layout == 'B'
                                    ? TmemType::getSplitScales(factor)
                                    : TmemType::getScales(c.n, factor));
  } else if (auto ws = dyn_cast<MmaWsOp>(op)) {
    apply(ws);
  } else {
    apply(cast<MmaOp>(op));
  }
  if (metadata)
    metadata.setType(TmemType::getMetadata(&context, bits, 2));
  return op;
}

/// Bits where K is 64 bytes of a row: those of numbers that have fewer are
/// together.
static unsigned getWideBits(Kind kind, Type element) {
  unsigned bits = element.getIntOrFloatBitWidth();
  return kind != Kind::MXF8F6F4 || bits >= 8 ? getBits(kind, element) : bits;
}

void Subject::setWide(Operation *op, const Combination &c, bool wide) {
  if (auto mma = dyn_cast<MmaOp>(op))
    mma.setWideK(wide);
  if (c.kind == Kind::MXF8F6F4) {
    Type a = getElement(c.a), b = getElement(c.b);
    auto getUsed = [&](Type type) {
      return wide ? getWideBits(c.kind, type) : getBits(c.kind, type);
    };
    unsigned bits = getUsed(a);
    op->getOperand(1).setType(
        c.tmemA ? Type(TmemType::getMatrixA(768 / bits, a, bits,
                                            getD(c).getLayout()))
                : getTile(a, bits, c.tileA, getRows(c.layout)));
    op->getOperand(2).setType(getTile(b, getUsed(b), c.tileB, c.n / c.group));
  }
  auto scaled = dyn_cast<MmaBlockScaleOp>(op);
  if (!scaled)
    return;
  scaled.setWideK(wide);
  // The factors of 8 blocks are in two cells of a lane.
  int64_t words = wide && c.block == 16 ? 2 : 1;
  Type factor = cast<TmemType>(scaled.getScalesA().getType()).getElementType();
  scaled.getScalesA().setType(TmemType::getScales(words * 128, factor));
  if (c.layout != 'B')
    scaled.getScalesB().setType(
        TmemType::getScales(words * int64_t(llvm::alignTo(c.n, 128)), factor));
}

bool Subject::setLookup(Operation *op, const Combination &c, bool lookup) {
  Builder builder(&context);
  Type element = getElement(c.b);
  Type b =
      lookup
          ? getTile(builder.getIntegerType(3), 4, c.tileB, c.n / c.group)
          : getTile(element, getBits(c.kind, element), c.tileB, c.n / c.group);
  if (!b)
    return false;
  op->getOperand(2).setType(b);
  table.setType(TmemType::getMatrixA(8, Float8E4M3FNType::get(&context), 8,
                                     getD(c).getLayout()));
  auto apply = [&](auto form) {
    if (lookup)
      form.getLookupMutable().assign(table);
    else
      form.getLookupMutable().clear();
  };
  if (auto mma = dyn_cast<MmaOp>(op))
    apply(mma);
  else
    apply(cast<MmaBlockScaleOp>(op));
  return true;
}

void Subject::setLaneScales(MmaBlockScaleOp op, const Combination &c,
                            bool inLanes) {
  Value scales = op.getScalesA();
  if (!inLanes)
    return scales.setType(scalesA);
  scalesA = scales.getType();
  // One cell of a lane for four factors, where copies have four for 128 rows.
  auto all = cast<TmemType>(scalesA);
  scales.setType(TmemType::getMatrixA(
      all.getColumns() / 4, all.getElementType(), 8, getD(c).getLayout()));
}

std::optional<Rule> Subject::verify(Operation *op) {
  message.clear();
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (message.empty())
      message = diagnostic.str();
    return success();
  });
  if (succeeded(op->getName().verifyInvariants(op)))
    return std::nullopt;
  StringRef text(message);
  return getRule(text.substr(text.find("op expected") + 3));
}

} // namespace tc::legality
