//===- HostViews.cpp - views of a host function's buffers -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows memrefs to the buffers that they are views of: offset, sizes and
// strides as expressions over the sizes of arguments.
//
//===----------------------------------------------------------------------===//

#include "HostReader.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tc;
using Kind = SizeExpression::Kind;

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
