//===- TMMEpilogue.cpp - the epilogue of tmm.matmul -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Syntax and rules of the region of tmm.matmul and of its extra operands. Each
// rule has a label tmm_epilogue_cN that its test repeats.
//
//===----------------------------------------------------------------------===//

#include "ProblemTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"

using namespace mlir;
using namespace tc::tmm;

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// A value that a thread holds for one element of D.
static bool isElementType(Type type) {
  return type.isF32() || type.isF16() || type.isBF16() || type.isInteger(1);
}

/// Whether an epilogue can compute `op` on the sum of integers: what converts
/// it, and what folding makes of operations on the converted number.
static bool isIntegerOp(Operation *op) {
  auto isKnown = [](Type type) {
    return isElementType(type) || type.isInteger(32);
  };
  if (!llvm::all_of(op->getOperandTypes(), isKnown) ||
      !llvm::all_of(op->getResultTypes(), isKnown))
    return false;
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    using Predicate = arith::CmpIPredicate;
    return compare.getLhs().getType().isInteger(32) &&
           llvm::is_contained({Predicate::eq, Predicate::ne, Predicate::slt,
                               Predicate::sle, Predicate::sgt, Predicate::sge},
                              compare.getPredicate());
  }
  return isa<arith::ConstantOp, arith::SelectOp>(op) ||
         (isa<arith::MaxSIOp, arith::MinSIOp, arith::SIToFPOp>(op) &&
          op->getOperand(0).getType().isInteger(32));
}

bool tc::tmm::isEpilogueOp(Operation *op) {
  bool isKnown =
      isa<arith::ConstantOp, arith::AddFOp, arith::SubFOp, arith::MulFOp,
          arith::DivFOp, arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp,
          arith::MaxNumFOp, arith::MinNumFOp, arith::CmpFOp, arith::SelectOp,
          arith::ExtFOp, arith::TruncFOp, arith::AndIOp, arith::OrIOp,
          arith::XOrIOp>(op) ||
      isa<math::AbsFOp, math::CeilOp, math::ClampFOp, math::ErfOp, math::ExpOp,
          math::Exp2Op, math::FloorOp, math::FmaOp, math::LogOp, math::Log2Op,
          math::RoundEvenOp, math::RsqrtOp, math::SqrtOp, math::TanhOp,
          math::TruncOp>(op);
  return isIntegerOp(op) ||
         (isKnown && llvm::all_of(op->getOperandTypes(), isElementType) &&
          llvm::all_of(op->getResultTypes(), isElementType));
}

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

namespace tc::tmm {

/// epilogue(%acc, %x = %bias along n : memref<?xf32>, ...) { ... }
/// The accumulator is f32 where it names no type.
ParseResult
parseEpilogue(OpAsmParser &parser,
              SmallVectorImpl<OpAsmParser::UnresolvedOperand> &extras,
              SmallVectorImpl<Type> &types, DenseI32ArrayAttr &along,
              SmallVectorImpl<std::unique_ptr<Region>> &epilogues) {
  SmallVector<int32_t> dims;
  SmallVector<OpAsmParser::Argument> arguments(1);
  arguments[0].type = parser.getBuilder().getF32Type();
  if (parser.parseLParen() || parser.parseArgument(arguments[0]) ||
      (succeeded(parser.parseOptionalColon()) &&
       parser.parseType(arguments[0].type)))
    return failure();
  while (succeeded(parser.parseOptionalComma())) {
    OpAsmParser::Argument &argument = arguments.emplace_back();
    int32_t dim = -1;
    if (parser.parseArgument(argument) || parser.parseEqual() ||
        parser.parseOperand(extras.emplace_back()))
      return failure();
    if (succeeded(parser.parseOptionalKeyword("along"))) {
      SMLoc loc = parser.getCurrentLocation();
      StringRef keyword;
      if (parser.parseKeyword(&keyword))
        return failure();
      std::optional<Along> value = symbolizeAlong(keyword);
      if (!value)
        return parser.emitError(loc)
               << "expected 'm' or 'n', got '" << keyword << "'";
      dim = static_cast<int32_t>(*value);
    }
    dims.push_back(dim);
    if (parser.parseColonType(types.emplace_back()))
      return failure();
    argument.type = getElementTypeOrSelf(types.back());
  }
  if (!dims.empty())
    along = parser.getBuilder().getDenseI32ArrayAttr(dims);
  epilogues.push_back(std::make_unique<Region>());
  return failure(parser.parseRParen() ||
                 parser.parseRegion(*epilogues.back(), arguments));
}

void printEpilogue(OpAsmPrinter &p, Operation *op, OperandRange extras,
                   TypeRange types, DenseI32ArrayAttr along,
                   MutableArrayRef<Region> epilogues) {
  p << "(";
  Region &epilogue = epilogues.front();
  Block &block = epilogue.front();
  p.printRegionArgument(block.getArgument(0), {},
                        /*omitType=*/block.getArgument(0).getType().isF32());
  for (auto [index, extra] : llvm::enumerate(extras)) {
    p << ", ";
    p.printRegionArgument(block.getArgument(index + 1), {}, /*omitType=*/true);
    p << " = " << extra;
    if (int32_t dim = along[index]; dim >= 0)
      p << " along " << stringifyAlong(*symbolizeAlong(dim));
    p << " : " << extra.getType();
  }
  p << ") ";
  p.printRegion(epilogue, /*printEntryBlockArgs=*/false);
}

} // namespace tc::tmm

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

std::string tc::tmm::detail::getOperandName(unsigned number, bool hasScaleD,
                                            bool hasAmax, unsigned extras,
                                            bool isScaled) {
  if (number < 3)
    return std::string(1, "ABD"[number]);
  number -= 3;
  if (hasScaleD && number-- == 0)
    return "SFD";
  if (hasAmax && number-- == 0)
    return "amax";
  if (number < extras)
    return "X" + std::to_string(number);
  number -= extras;
  if (isScaled && number < 2)
    return number == 0 ? "SFA" : "SFB";
  return "metadata";
}

/// Shape and memory of the matrix or vector `extra`, whose size in each
/// dimension is that of D.
template <typename Op>
static LogicalResult verifyShaped(Op op, unsigned index, ShapedType type,
                                  std::optional<Along> along) {
  std::string name = op.getOperandName(index + op.getFirstExtra());
  // tmm_epilogue_c4
  bool onTensors = isa<TensorType>(op.getD().getType());
  if (isa<TensorType>(type) != onTensors)
    return op.emitOpError() << "operand " << name << ": expected a "
                            << (onTensors ? "tensor" : "memref")
                            << " like D, got " << Type(type);
  // tmm_epilogue_c5
  int64_t rank = along ? 1 : 2, most = rank + op.getBatchRank();
  if (type.getRank() < rank || type.getRank() > most)
    return op.emitOpError()
           << "operand " << name << ": expected "
           << (along ? "a vector of rank " : "a matrix of rank ") << rank
           << (most > rank ? " to " + std::to_string(most) : std::string())
           << ", got rank " << type.getRank()
           << (along ? "" : "; a vector is `along m` or `along n`");
  // tmm_epilogue_c6
  int64_t sizes[] = {op.getStaticM(), op.getStaticN()};
  for (int64_t dim = type.getRank() - rank, i = 0; i < rank; ++dim, ++i) {
    unsigned ofD = along ? static_cast<unsigned>(*along) : i;
    int64_t got = type.getDimSize(dim);
    if (ShapedType::isStatic(got) && ShapedType::isStatic(sizes[ofD]) &&
        got != sizes[ofD])
      return op.emitOpError() << "operand " << name << ": expected "
                              << (ofD == 0 ? "M" : "N") << " = " << sizes[ofD]
                              << " in dimension " << dim << ", got " << got;
  }
  if (std::optional<std::string> error =
          MatmulOp::findBatchError(name, type, rank, op.getBatchedD()))
    return op.emitOpError() << *error;
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return success();
  // tmm_epilogue_c7
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(memref.getStridesAndOffset(strides, offset)) ||
      strides.back() != 1)
    return op.emitOpError()
           << "operand " << name
           << ": expected a strided layout with innermost stride 1, got "
           << Type(type);
  if (Error error = findStridesError(name, strides))
    return op.emitOpError() << *error;
  // tmm_epilogue_c8
  if (memref.getMemorySpace() !=
      cast<MemRefType>(op.getD().getType()).getMemorySpace())
    return op.emitOpError()
           << "operand " << name << ": expected the memory space of D, got "
           << Type(type);
  return success();
}

template <typename Op>
static LogicalResult verifyExtra(Op op, unsigned index, Type type) {
  std::optional<Along> along = op.getAlongOf(index);
  Type element = getElementTypeOrSelf(type);
  std::string name = op.getOperandName(index + op.getFirstExtra());
  // tmm_epilogue_c2
  if (!isElementType(element) || element.isInteger())
    return op.emitOpError()
           << "operand " << name
           << ": expected element type f32, f16 or bf16, got " << element;
  if (auto shaped = dyn_cast<ShapedType>(type))
    return verifyShaped(op, index, shaped, along);
  // tmm_epilogue_c3
  if (along)
    return op.emitOpError()
           << "operand " << name << ": expected a vector "
           << "along " << stringifyAlong(*along) << ", got " << type;
  return success();
}

template <typename Op>
static LogicalResult verifyRegion(Op op) {
  // tmm_epilogue_c1
  if (op.getEpilogues().size() > 1 ||
      op.getAlongCodes().size() != op.getExtras().size() ||
      (!op.hasEpilogue() && !op.getExtras().empty()))
    return op.emitOpError()
           << "expected one epilogue that takes the " << op.getExtras().size()
           << " extra operands, each with its entry in `along`";
  if (!op.hasEpilogue())
    return success();
  for (auto [index, extra] : llvm::enumerate(op.getExtras()))
    if (failed(verifyExtra(op, index, extra.getType())))
      return failure();

  // tmm_epilogue_c9
  Block &block = op.getEpilogue()->front();
  SmallVector<Type> types = {op.getSumType()};
  for (Value extra : op.getExtras())
    types.push_back(getElementTypeOrSelf(extra.getType()));
  if (block.getArgumentTypes() != TypeRange(types))
    return op.emitOpError()
           << "expected epilogue arguments (" << types
           << "), the accumulator and an element of each extra "
              "operand, got ("
           << block.getArgumentTypes() << ")";
  // tmm_epilogue_c10
  for (Operation &inner : block.without_terminator())
    if (!isEpilogueOp(&inner))
      return inner.emitOpError()
             << "cannot be computed in an epilogue: expected "
                "an elementwise operation of arith or math on "
                "f32, f16, bf16 or i1, or a conversion, comparison, choice, "
                "maximum or minimum of signed i32, that a kernel computes "
                "without a library";
  // tmm_epilogue_c11
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  SmallVector<Type> yielded = {op.getYieldType()};
  if (yield && !op.getAmax() && op.isQuantized() &&
      yield->getOperandTypes() != TypeRange(yielded))
    return op.emitOpError() << "expected the epilogue to end in tmm.yield of "
                               "f32, which becomes an element of D, "
                            << getElementTypeOrSelf(op.getD().getType());
  if (op.getAmax())
    yielded.push_back(Float32Type::get(op.getContext()));
  if (!yield || yield->getOperandTypes() != TypeRange(yielded))
    return op.emitOpError()
           << "expected the epilogue to end in tmm.yield of the "
              "element type of D, "
           << yielded.front()
           << (op.getAmax() ? ", and of the f32 that amax is taken of" : "");
  return success();
}

LogicalResult tc::tmm::detail::verifyEpilogue(MatmulOp op) {
  return verifyRegion(op);
}

LogicalResult tc::tmm::detail::verifyEpilogue(ProblemOp op) {
  return verifyRegion(op);
}
