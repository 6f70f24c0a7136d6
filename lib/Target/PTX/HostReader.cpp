//===- HostReader.cpp - values of a host function ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows values to the arguments of the host function. An operation that has
// no place in an expression is an error on that operation.
//
//===----------------------------------------------------------------------===//

#include "HostReader.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tc;
using Kind = SizeExpression::Kind;

InFlightDiagnostic tc::emitErrorAt(Value value) {
  if (Operation *op = value.getDefiningOp())
    return op->emitOpError();
  auto argument = cast<BlockArgument>(value);
  return emitError(value.getLoc())
         << "'" << argument.getOwner()->getParentOp()->getName()
         << "' op argument " << argument.getArgNumber() << ": ";
}

InFlightDiagnostic tc::emitLoopError(Operation *loop) {
  return loop->emitOpError(
      "cannot be described: expected scf.for, scf.forall or scf.parallel with "
      "constant bounds that becomes at most 1024 operations, as "
      "tc-unroll-host-loops unrolls it");
}

/// Whether a name could be one that the description makes up itself, or a
/// number.
static bool isDefaultName(StringRef name) {
  if (name == "inf" || name == "nan")
    return true;
  for (StringRef prefix : {"arg", "temp", "const"})
    if (StringRef rest = name; rest.consume_front(prefix) && !rest.empty() &&
                               llvm::isDigit(rest.front()))
      return true;
  return false;
}

/// The name that the location of an argument gives it, an identifier; empty
/// where it gives none.
static StringRef locationName(BlockArgument argument) {
  auto loc = dyn_cast<NameLoc>(argument.getLoc());
  StringRef name = loc ? loc.getName().getValue() : StringRef();
  bool isIdentifier =
      !name.empty() && !llvm::isDigit(name.front()) &&
      llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  return isIdentifier && !isDefaultName(name) ? name : StringRef();
}

HostReader::HostReader(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments()) {
    StringRef name = locationName(argument);
    bool isFree = !name.empty() && usedNames.insert(name).second;
    argumentNames.push_back(
        isFree ? name.str() : "arg" + std::to_string(argument.getArgNumber()));
    if (auto type = dyn_cast<MemRefType>(argument.getType()))
      buffers[argument] = {argumentNames.back(), type};
  }
  unsigned temporaries = 0;
  function.walk([&](memref::AllocOp op) {
    buffers[op.getResult()] = {"temp" + std::to_string(temporaries++),
                               op.getType()};
  });
  unsigned constants = 0;
  function.walk([&](memref::GetGlobalOp op) {
    buffers[op.getResult()] = {isVariable(op)
                                   ? "temp" + std::to_string(temporaries++)
                                   : "const" + std::to_string(constants++),
                               op.getType()};
  });
  for (auto &[root, buffer] : buffers) {
    for (int64_t i = 0; i < buffer.type.getRank(); ++i)
      dims.insert({root.getAsOpaquePointer(), i});
  }
}

void HostReader::nameBuffer(Value root, StringRef name) {
  auto *it = buffers.find(root);
  if (it == buffers.end() || !usedNames.insert(name).second)
    return;
  it->second.name = name.str();
}

void HostReader::unifyDims(Value lhs, unsigned lhsDim, Value rhs,
                           unsigned rhsDim, StringRef name) {
  Dim l{lhs.getAsOpaquePointer(), lhsDim}, r{rhs.getAsOpaquePointer(), rhsDim};
  // The sizes of allocations are expressions, not sizes of the caller.
  bool isArguments = isa<BlockArgument>(lhs) && isa<BlockArgument>(rhs);
  if (isArguments)
    dims.unionSets(l, r);
  if (!name.empty() && usedNames.insert(name).second)
    dimNames[isa<BlockArgument>(lhs) ? l : r] = name.str();
}

void HostReader::defineDim(Value root, unsigned dim, Value of, unsigned ofDim,
                           int64_t divisor) {
  if (isa<BlockArgument>(root))
    derivedDims.try_emplace({root.getAsOpaquePointer(), dim},
                            Dim{of.getAsOpaquePointer(), ofDim}, divisor);
}

std::string HostReader::defaultDimName(const Dim &dim) {
  Value root = Value::getFromOpaquePointer(dim.first);
  return buffers.find(root)->second.name + "_dim" + std::to_string(dim.second);
}

FailureOr<SizeExpression> HostReader::dim(Value root, unsigned index) {
  MemRefType type = buffers.find(root)->second.type;
  if (auto alloc = root.getDefiningOp<memref::AllocOp>()) {
    if (!type.isDynamicDim(index))
      return SizeExpression(type.getDimSize(index));
    return read(alloc.getDynamicSizes()[type.getDynamicDimIndex(index)]);
  }
  Dim dim{root.getAsOpaquePointer(), index};
  if (auto derived = derivedDims.find(dim);
      derived != derivedDims.end() && type.isDynamicDim(index)) {
    auto [of, divisor] = derived->second;
    FailureOr<SizeExpression> size =
        this->dim(Value::getFromOpaquePointer(of.first), of.second);
    if (failed(size))
      return failure();
    return SizeExpression::get(Kind::CeilDiv, *size, SizeExpression(divisor));
  }
  // One static member makes the whole class static.
  std::string name;
  for (auto it = dims.findLeader(dim); it != dims.member_end(); ++it) {
    Value member = Value::getFromOpaquePointer(it->first);
    MemRefType memberType = buffers.find(member)->second.type;
    if (!memberType.isDynamicDim(it->second))
      return SizeExpression(memberType.getDimSize(it->second));
    auto *named = dimNames.find(*it);
    if (named != dimNames.end())
      name = named->second;
  }
  if (name.empty())
    name = defaultDimName(*dims.findLeader(dim));
  return SizeExpression::name(name);
}

SmallVector<std::string> HostReader::sizeNames() {
  SmallVector<std::string> names;
  auto add = [&](Value root, unsigned index) {
    if (derivedDims.contains({root.getAsOpaquePointer(), index}))
      return;
    FailureOr<SizeExpression> size = dim(root, index);
    if (succeeded(size) && !size->constant() &&
        !llvm::is_contained(names, size->str()))
      names.push_back(size->str());
  };
  for (auto &[named, name] : dimNames)
    if (isa<BlockArgument>(Value::getFromOpaquePointer(named.first)))
      add(Value::getFromOpaquePointer(named.first), named.second);
  for (auto &[root, buffer] : buffers) {
    if (!isa<BlockArgument>(root))
      continue;
    for (int64_t i = 0; i < buffer.type.getRank(); ++i)
      add(root, i);
    auto [strides, offset] = buffer.type.getStridesAndOffset();
    for (auto [i, stride] : llvm::enumerate(strides))
      if (!buffer.type.getLayout().isIdentity() &&
          ShapedType::isDynamic(stride))
        names.push_back(buffer.name + "_stride" + std::to_string(i));
  }
  return names;
}

FailureOr<SizeExpression> HostReader::read(OpFoldResult value) {
  if (auto attribute = dyn_cast<Attribute>(value))
    return SizeExpression(cast<IntegerAttr>(attribute).getInt());
  return read(cast<Value>(value));
}

FailureOr<SizeExpression> HostReader::read(Value value) {
  auto it = cache.find(value);
  if (it != cache.end())
    return it->second;
  APInt constant;
  FailureOr<SizeExpression> result = failure();
  if (matchPattern(value, m_ConstantInt(&constant)))
    // A true i1 is 1, not -1.
    result =
        SizeExpression(constant.getBitWidth() == 1 ? constant.getZExtValue()
                                                   : constant.getSExtValue());
  else if (Operation *op = value.getDefiningOp())
    result = readOp(op, cast<OpResult>(value));
  else if (Operation *loop =
               cast<BlockArgument>(value).getOwner()->getParentOp();
           isa<LoopLikeOpInterface>(loop))
    return emitLoopError(loop);
  else if (auto argument = cast<BlockArgument>(value);
           argument.getType().isIndex() ||
           argument.getType().isSignlessInteger(32) ||
           argument.getType().isSignlessInteger(64)) {
    scalars[value] = argumentName(argument).str();
    result = SizeExpression::name(scalars[value], /*isSize=*/false);
  } else
    return emitErrorAt(value)
           << "a scalar argument cannot be described: expected an index, an "
              "i32 or an i64, got "
           << value.getType();
  if (succeeded(result))
    cache.try_emplace(value, *result);
  return result;
}

FailureOr<SizeExpression> HostReader::readOp(Operation *op, OpResult result) {
  if (auto dimOp = dyn_cast<memref::DimOp>(op)) {
    std::optional<int64_t> index = dimOp.getConstantIndex();
    if (!index)
      return op->emitOpError("cannot be described: expected a constant index");
    FailureOr<HostView> view = readView(dimOp.getSource());
    if (failed(view))
      return failure();
    int64_t rank = view->sizes.size();
    if (*index < 0 || *index >= rank)
      return op->emitOpError("cannot be described: expected one of the ")
             << rank << " dimensions of the buffer, got dimension " << *index;
    return view->sizes[*index];
  }
  if (auto metadata = dyn_cast<memref::ExtractStridedMetadataOp>(op)) {
    FailureOr<HostView> view = readView(metadata.getSource());
    if (failed(view))
      return failure();
    // Results: base buffer, offset, sizes, strides.
    unsigned rank = view->sizes.size(), number = result.getResultNumber();
    if (number == 1)
      return view->offset + SizeExpression(baseOffset(view->root));
    return number < 2 + rank ? view->sizes[number - 2]
                             : view->strides[number - 2 - rank];
  }
  if (isa<affine::AffineApplyOp, affine::AffineMinOp, affine::AffineMaxOp>(op))
    return readAffineMap(op);
  if (isa<arith::ArithDialect>(op->getDialect()))
    return readArith(op);
  return op->emitOpError("cannot be described as an expression over the sizes");
}

/// The operator of a binary arith operation. Operands are sizes and what is
/// computed from them, so that signed and unsigned agree.
static std::optional<Kind> binaryKind(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<Kind>>(op)
      .Case<arith::AddIOp>([](auto) { return Kind::Add; })
      .Case<arith::SubIOp>([](auto) { return Kind::Sub; })
      .Case<arith::MulIOp>([](auto) { return Kind::Mul; })
      .Case<arith::CeilDivSIOp, arith::CeilDivUIOp>(
          [](auto) { return Kind::CeilDiv; })
      .Case<arith::FloorDivSIOp, arith::DivUIOp, arith::DivSIOp>(
          [](auto) { return Kind::FloorDiv; })
      .Case<arith::RemUIOp, arith::RemSIOp>([](auto) { return Kind::Mod; })
      .Case<arith::MinSIOp, arith::MinUIOp>([](auto) { return Kind::Min; })
      .Case<arith::MaxSIOp, arith::MaxUIOp>([](auto) { return Kind::Max; })
      .Default([](auto) { return std::nullopt; });
}

void HostReader::require(const SizeExpression &check, const Twine &message) {
  std::string text = message.str();
  if (llvm::none_of(scalarChecks,
                    [&](const auto &known) { return known.second == text; }))
    scalarChecks.push_back({check, text});
}

/// Whether `expression` depends on a scalar argument.
static bool hasScalars(const SizeExpression &expression) {
  bool found = false;
  expression.forEachScalar([&](const SizeExpression &) { found = true; });
  return found;
}

void HostReader::requireNoWrap(const SizeExpression &expression, Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.getWidth() >= 64 || !hasScalars(expression) ||
      expression.isBoolean())
    return;
  int64_t most = llvm::maxIntN(integer.getWidth());
  std::string message =
      (expression.str() + " must be an i" + Twine(integer.getWidth()) +
       ", as the function computes it")
          .str();
  SizeExpression low = SizeExpression::get(
      Kind::LessEqual, SizeExpression(-most - 1), expression);
  SizeExpression high =
      SizeExpression::get(Kind::LessEqual, expression, SizeExpression(most));
  require(SizeExpression::get(Kind::And, low, high), message);
}

void HostReader::requireSize(const SizeExpression &expression) {
  auto add = [&](const SizeExpression &size) {
    require(SizeExpression::get(Kind::LessEqual, 0, size),
            size.str() + " must be 0 or more, as it is a size");
  };
  if (expression.isNonNegative())
    return;
  // Of scalars that are not negative: the scalars, else the whole.
  if (expression.isNonNegative(/*ofScalars=*/true)) {
    expression.forEachScalar(add);
    return;
  }
  if (hasScalars(expression))
    add(expression);
}

FailureOr<SizeExpression> HostReader::readArith(Operation *op) {
  SmallVector<SizeExpression> operands;
  for (Value operand : op->getOperands()) {
    FailureOr<SizeExpression> expression = read(operand);
    if (failed(expression))
      return failure();
    operands.push_back(*expression);
  }
  // Quotients of negative numbers are rounded otherwise than those of sizes.
  if (isa<arith::DivSIOp, arith::RemSIOp, arith::DivUIOp, arith::RemUIOp,
          arith::CeilDivUIOp, arith::MinUIOp, arith::MaxUIOp, arith::ShRUIOp,
          arith::IndexCastUIOp, arith::ExtUIOp>(op))
    llvm::for_each(
        operands, [&](const SizeExpression &operand) { requireSize(operand); });
  if (std::optional<Kind> kind = binaryKind(op)) {
    SizeExpression result =
        SizeExpression::get(*kind, operands[0], operands[1]);
    requireNoWrap(result, op->getResult(0).getType());
    return result;
  }
  // Truth values are 0 and 1 here, and -1 where they are extended by their
  // sign.
  if (isa<arith::ExtSIOp>(op) && op->getOperand(0).getType().isInteger(1))
    return SizeExpression::get(Kind::Sub, 0, operands[0]);
  if (isa<arith::TruncIOp, arith::IndexCastOp, arith::IndexCastUIOp>(op))
    requireNoWrap(operands[0], op->getResult(0).getType());
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
          arith::ExtUIOp, arith::TruncIOp>(op))
    return operands[0];

  if (auto shift = dyn_cast<arith::ShLIOp>(op))
    if (std::optional<int64_t> bits = operands[1].constant();
        bits && *bits >= 0 && *bits < 63) {
      SizeExpression result = operands[0] * SizeExpression(int64_t(1) << *bits);
      requireNoWrap(result, op->getResult(0).getType());
      return result;
    }
  if (auto shift = dyn_cast<arith::ShRUIOp>(op))
    if (std::optional<int64_t> bits = operands[1].constant();
        bits && *bits >= 0 && *bits < 63)
      return SizeExpression::get(Kind::FloorDiv, operands[0],
                                 SizeExpression(int64_t(1) << *bits));

  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    // As unsigned numbers, negative ones are large.
    if (compare.getPredicate() >= arith::CmpIPredicate::ult)
      llvm::for_each(operands, [&](const SizeExpression &operand) {
        requireSize(operand);
      });
    switch (compare.getPredicate()) {
    case arith::CmpIPredicate::eq:
      return SizeExpression::get(Kind::Equal, operands[0], operands[1]);
    case arith::CmpIPredicate::ne:
      return SizeExpression::get(Kind::NotEqual, operands[0], operands[1]);
    case arith::CmpIPredicate::slt:
    case arith::CmpIPredicate::ult:
      return SizeExpression::get(Kind::Less, operands[0], operands[1]);
    case arith::CmpIPredicate::sle:
    case arith::CmpIPredicate::ule:
      return SizeExpression::get(Kind::LessEqual, operands[0], operands[1]);
    case arith::CmpIPredicate::sgt:
    case arith::CmpIPredicate::ugt:
      return SizeExpression::get(Kind::Less, operands[1], operands[0]);
    case arith::CmpIPredicate::sge:
    case arith::CmpIPredicate::uge:
      return SizeExpression::get(Kind::LessEqual, operands[1], operands[0]);
    }
  }
  if (op->getNumResults() == 1 && op->getResult(0).getType().isInteger(1)) {
    if (isa<arith::AndIOp>(op))
      return SizeExpression::get(Kind::And, operands[0], operands[1]);
    if (isa<arith::OrIOp>(op))
      return SizeExpression::get(Kind::Or, operands[0], operands[1]);
    if (isa<arith::XOrIOp>(op))
      return SizeExpression::get(Kind::NotEqual, operands[0], operands[1]);
  }
  if (isa<arith::SelectOp>(op)) {
    if (operands[1] == operands[2])
      return operands[1];
    return operands[0] * operands[1] + operands[0].logicalNot() * operands[2];
  }
  return op->emitOpError("cannot be described as an expression over the sizes");
}

FailureOr<SizeExpression> HostReader::readAffineMap(Operation *op) {
  AffineMap map =
      llvm::TypeSwitch<Operation *, AffineMap>(op)
          .Case<affine::AffineApplyOp, affine::AffineMinOp,
                affine::AffineMaxOp>([](auto op) { return op.getMap(); });
  SmallVector<SizeExpression> operands;
  for (Value operand : op->getOperands()) {
    FailureOr<SizeExpression> expression = read(operand);
    if (failed(expression))
      return failure();
    operands.push_back(*expression);
  }
  std::optional<SizeExpression> result;
  for (AffineExpr expr : map.getResults()) {
    FailureOr<SizeExpression> next =
        readAffine(expr, map.getNumDims(), operands, op);
    if (failed(next))
      return failure();
    Kind kind = isa<affine::AffineMinOp>(op) ? Kind::Min : Kind::Max;
    result = result ? SizeExpression::get(kind, *result, *next) : *next;
  }
  return *result;
}

FailureOr<SizeExpression>
HostReader::readAffine(AffineExpr expr, unsigned numDims,
                       ArrayRef<SizeExpression> operands, Operation *op) {
  switch (expr.getKind()) {
  case AffineExprKind::Constant:
    return SizeExpression(cast<AffineConstantExpr>(expr).getValue());
  case AffineExprKind::DimId:
    return operands[cast<AffineDimExpr>(expr).getPosition()];
  case AffineExprKind::SymbolId:
    return operands[numDims + cast<AffineSymbolExpr>(expr).getPosition()];
  default:
    break;
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  FailureOr<SizeExpression> lhs =
      readAffine(binary.getLHS(), numDims, operands, op);
  FailureOr<SizeExpression> rhs =
      readAffine(binary.getRHS(), numDims, operands, op);
  if (failed(lhs) || failed(rhs))
    return failure();
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return *lhs + *rhs;
  case AffineExprKind::Mul:
    return *lhs * *rhs;
  case AffineExprKind::Mod:
    return SizeExpression::get(Kind::Mod, *lhs, *rhs);
  case AffineExprKind::FloorDiv:
    return SizeExpression::get(Kind::FloorDiv, *lhs, *rhs);
  case AffineExprKind::CeilDiv:
    return SizeExpression::get(Kind::CeilDiv, *lhs, *rhs);
  default:
    return op->emitOpError(
        "cannot be described as an expression over the sizes");
  }
}
