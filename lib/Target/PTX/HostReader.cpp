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

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<SizeExpression>> HostReader::strides(Value root) {
  const HostBuffer &buffer = buffers.find(root)->second;
  int64_t rank = buffer.type.getRank();
  SmallVector<SizeExpression> result(rank, SizeExpression(1));
  if (buffer.type.getLayout().isIdentity()) {
    for (int64_t i = rank - 2; i >= 0; --i) {
      FailureOr<SizeExpression> inner = dim(root, i + 1);
      if (failed(inner))
        return failure();
      result[i] = result[i + 1] * *inner;
    }
    return result;
  }
  SmallVector<int64_t> values;
  int64_t offset;
  if (failed(buffer.type.getStridesAndOffset(values, offset)))
    return emitErrorAt(root)
           << "buffer '" << buffer.name
           << "' cannot be described: expected a strided layout, got "
           << buffer.type;
  for (auto [i, value] : llvm::enumerate(values))
    result[i] =
        ShapedType::isDynamic(value)
            ? SizeExpression::name(buffer.name + "_stride" + std::to_string(i))
            : SizeExpression(value);
  return result;
}

Value HostReader::findRoot(Value memref) {
  while (Operation *op = memref.getDefiningOp()) {
    if (isa<memref::AllocOp, memref::GetGlobalOp>(op))
      return memref;
    if (!isa<memref::CastOp, memref::SubViewOp, memref::ReinterpretCastOp,
             memref::CollapseShapeOp, memref::ExpandShapeOp,
             memref::TransposeOp, memref::ExtractStridedMetadataOp,
             memref::MemorySpaceCastOp, tmm::ReinterpretOp, tmm::WindowsOp>(op))
      return nullptr;
    memref = op->getOperand(0);
  }
  return memref;
}

Value HostReader::findMatrix(Value pointer) {
  while (Operation *op = pointer.getDefiningOp()) {
    if (!isa<memref::ExtractStridedMetadataOp, memref::MemorySpaceCastOp,
             tmm::ReinterpretOp>(op))
      break;
    pointer = op->getOperand(0);
  }
  return pointer;
}

bool HostReader::isWholeBuffer(Value memref) {
  memref = findMatrix(memref);
  while (auto cast = memref.getDefiningOp<memref::CastOp>())
    memref = cast.getSource();
  return isa_and_nonnull<memref::AllocOp, memref::GetGlobalOp>(
             memref.getDefiningOp()) ||
         !memref.getDefiningOp();
}

bool HostReader::coversBuffer(Value memref) {
  memref = findMatrix(memref);
  while (Operation *op = memref.getDefiningOp()) {
    if (!isa<memref::CastOp, memref::CollapseShapeOp, memref::ExpandShapeOp,
             memref::TransposeOp, tmm::WindowsOp>(op))
      break;
    memref = op->getOperand(0);
  }
  return isWholeBuffer(memref);
}

int64_t HostReader::baseOffset(Value root) {
  SmallVector<int64_t> strides;
  int64_t offset;
  auto type = cast<MemRefType>(root.getType());
  if (failed(type.getStridesAndOffset(strides, offset)) ||
      ShapedType::isDynamic(offset))
    return 0;
  return offset;
}

FailureOr<HostView> HostReader::wholeView(Value root) {
  HostView view;
  view.root = root;
  view.type = cast<MemRefType>(root.getType());
  FailureOr<SmallVector<SizeExpression>> all = strides(root);
  if (failed(all))
    return failure();
  view.strides = *all;
  for (int64_t i = 0; i < view.type.getRank(); ++i) {
    FailureOr<SizeExpression> size = dim(root, i);
    if (failed(size))
      return failure();
    view.sizes.push_back(*size);
  }
  return view;
}

FailureOr<SmallVector<SizeExpression>>
HostReader::readAll(ArrayRef<OpFoldResult> values) {
  SmallVector<SizeExpression> result;
  for (OpFoldResult value : values) {
    FailureOr<SizeExpression> expression = read(value);
    if (failed(expression))
      return failure();
    result.push_back(*expression);
  }
  return result;
}

/// The base buffer: the same memory without offset, sizes and strides.
FailureOr<HostView>
HostReader::readViewOf(memref::ExtractStridedMetadataOp metadata) {
  FailureOr<HostView> view = readView(metadata.getSource());
  if (failed(view))
    return failure();
  view->type = cast<MemRefType>(metadata.getBaseBuffer().getType());
  view->offset = SizeExpression(-baseOffset(view->root));
  view->sizes.clear();
  view->strides.clear();
  return view;
}

FailureOr<HostView> HostReader::readViewOf(memref::ReinterpretCastOp cast) {
  FailureOr<HostView> view = readView(cast.getSource());
  auto offsets = readAll(cast.getMixedOffsets());
  auto sizes = readAll(cast.getMixedSizes());
  auto strides = readAll(cast.getMixedStrides());
  if (failed(view) || failed(offsets) || failed(sizes) || failed(strides))
    return failure();
  // Its offset counts from the base, not from the source's offset.
  view->offset =
      SizeExpression::get(Kind::Sub, offsets->front(), baseOffset(view->root));
  view->sizes = *sizes;
  view->strides = *strides;
  view->type = cast.getType();
  return view;
}

/// The dimensions of one element that `subview` leaves out. Upstream's
/// getDroppedDims() compares strides, and finds none where a step makes them
/// ambiguous.
static llvm::SmallBitVector getDroppedDims(memref::SubViewOp subview) {
  ArrayRef<int64_t> sizes = subview.getStaticSizes(),
                    kept = subview.getType().getShape();
  llvm::SmallBitVector dropped(sizes.size());
  size_t next = 0;
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    if (size == 1 && (next == kept.size() || kept[next] != 1))
      dropped.set(dim);
    else
      ++next;
  }
  return dropped;
}

FailureOr<HostView> HostReader::readViewOf(memref::SubViewOp subview) {
  FailureOr<HostView> view = readView(subview.getSource());
  auto offsets = readAll(subview.getMixedOffsets());
  auto sizes = readAll(subview.getMixedSizes());
  auto steps = readAll(subview.getMixedStrides());
  if (failed(view) || failed(offsets) || failed(sizes) || failed(steps))
    return failure();
  llvm::SmallBitVector dropped = getDroppedDims(subview);
  SmallVector<SizeExpression> strides, kept;
  for (size_t i = 0; i < offsets->size(); ++i) {
    view->offset = view->offset + (*offsets)[i] * view->strides[i];
    if (dropped.test(i))
      continue;
    kept.push_back((*sizes)[i]);
    strides.push_back((*steps)[i] * view->strides[i]);
  }
  view->sizes = kept;
  view->strides = strides;
  view->type = subview.getType();
  return view;
}

FailureOr<HostView> HostReader::readViewOf(memref::ExpandShapeOp expand) {
  FailureOr<HostView> view = readView(expand.getSrc());
  auto sizes = readAll(expand.getMixedOutputShape());
  if (failed(view) || failed(sizes))
    return failure();
  SmallVector<SizeExpression> strides(sizes->size());
  for (auto [dim, group] : llvm::enumerate(expand.getReassociationIndices())) {
    SizeExpression stride = view->strides[dim];
    for (int64_t index : llvm::reverse(group)) {
      strides[index] = stride;
      stride = stride * (*sizes)[index];
    }
  }
  view->sizes = *sizes;
  view->strides = strides;
  view->type = expand.getResultType();
  return view;
}

FailureOr<HostView> HostReader::readViewOf(memref::CollapseShapeOp collapse) {
  FailureOr<HostView> view = readView(collapse.getSrc());
  if (failed(view))
    return failure();
  // The dimensions of a group are adjacent in memory, except those of size 1.
  SmallVector<SizeExpression> sizes, strides;
  for (const ReassociationIndices &group : collapse.getReassociationIndices()) {
    SizeExpression size(1), stride = view->strides[group.back()];
    bool isFound = false;
    for (int64_t index : llvm::reverse(group)) {
      size = view->sizes[index] * size;
      if (!isFound && view->sizes[index].constant() != 1) {
        stride = view->strides[index];
        isFound = true;
      }
    }
    sizes.push_back(size);
    strides.push_back(stride);
  }
  view->sizes = sizes;
  view->strides = strides;
  view->type = collapse.getResultType();
  return view;
}

FailureOr<HostView> HostReader::readViewOf(memref::TransposeOp transpose) {
  FailureOr<HostView> view = readView(transpose.getIn());
  if (failed(view))
    return failure();
  ArrayRef<SizeExpression> sizes(view->sizes), strides(view->strides);
  view->sizes = applyPermutationMap(transpose.getPermutation(), sizes);
  view->strides = applyPermutationMap(transpose.getPermutation(), strides);
  view->type = cast<MemRefType>(transpose.getType());
  return view;
}

/// The images, with the sizes of the matrix: its elements have no strides.
FailureOr<HostView> HostReader::readViewOf(tmm::WindowsOp op) {
  FailureOr<HostView> view = readView(op.getImages());
  if (failed(view))
    return failure();
  tmm::WindowsAttr windows = op.getWindows();
  view->windows = windows;
  view->images.assign(view->sizes.begin(), view->sizes.end());
  view->pitches.assign(view->strides.begin(), view->strides.end());
  view->sizes = {view->sizes.front() * SizeExpression(windows.getRowsOfImage()),
                 SizeExpression(windows.getColumns())};
  view->strides.clear();
  view->type = cast<MemRefType>(op.getResult().getType());
  return view;
}

FailureOr<HostView> HostReader::readView(Value memref) {
  if (buffers.contains(memref))
    return wholeView(memref);
  Operation *op = memref.getDefiningOp();
  if (!op)
    return emitErrorAt(memref)
           << "cannot be described: expected a buffer that is an argument or "
              "an allocation of the function, or a constant";

  if (isa<memref::CastOp, memref::MemorySpaceCastOp, tmm::ReinterpretOp>(op)) {
    FailureOr<HostView> view = readView(op->getOperand(0));
    if (succeeded(view))
      if (auto type = dyn_cast<MemRefType>(memref.getType()))
        view->type = type;
    return view;
  }
  return llvm::TypeSwitch<Operation *, FailureOr<HostView>>(op)
      .Case<memref::ExtractStridedMetadataOp, memref::ReinterpretCastOp,
            memref::SubViewOp, memref::ExpandShapeOp, memref::CollapseShapeOp,
            memref::TransposeOp, tmm::WindowsOp>(
          [&](auto view) { return readViewOf(view); })
      .Default([](Operation *op) {
        return op->emitOpError("cannot be described as a view of a buffer");
      });
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

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
  else
    return emitErrorAt(value)
           << "a scalar argument cannot be described: expected a size of a "
              "memref argument";
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

FailureOr<SizeExpression> HostReader::readArith(Operation *op) {
  SmallVector<SizeExpression> operands;
  for (Value operand : op->getOperands()) {
    FailureOr<SizeExpression> expression = read(operand);
    if (failed(expression))
      return failure();
    operands.push_back(*expression);
  }
  if (std::optional<Kind> kind = binaryKind(op))
    return SizeExpression::get(*kind, operands[0], operands[1]);
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
          arith::ExtUIOp, arith::TruncIOp>(op))
    return operands[0];

  if (auto shift = dyn_cast<arith::ShLIOp>(op))
    if (std::optional<int64_t> bits = operands[1].constant();
        bits && *bits >= 0 && *bits < 63)
      return operands[0] * SizeExpression(int64_t(1) << *bits);
  if (auto shift = dyn_cast<arith::ShRUIOp>(op))
    if (std::optional<int64_t> bits = operands[1].constant();
        bits && *bits >= 0 && *bits < 63)
      return SizeExpression::get(Kind::FloorDiv, operands[0],
                                 SizeExpression(int64_t(1) << *bits));

  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
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
