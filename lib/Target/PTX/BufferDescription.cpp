//===- BufferDescription.cpp - the buffers of host functions ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes the buffers of a kernel description: their types and shapes, whether
// launches read or write them, and what they hold before the first one.
//
//===----------------------------------------------------------------------===//

#include "Describer.h"

#include "tc/Target/PTX/KernelDescription.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tc;
using llvm::json::OStream;

/// What the launches without a problem do with a buffer.
PointerUses Describer::usesOf(Value root) {
  PointerUses all;
  for (HostLaunch &launch : launches) {
    if (llvm::any_of(problems, [&](HostProblem &problem) {
          return problem.op.getLaunch() == launch.op;
        }))
      continue;
    Operation *kernel = SymbolTable::lookupNearestSymbolFrom(
        launch.op, launch.op.getKernelAttr());
    for (auto [number, parameter] : llvm::enumerate(launch.parameters)) {
      if (parameter.kind == HostParameter::TensorMap &&
          HostReader::findRoot(parameter.map.getBuffer()) == root)
        return {true, true};
      if (parameter.kind != HostParameter::Pointer ||
          parameter.view.root != root)
        continue;
      PointerUses uses = findPointerUses(kernel, number);
      all.isRead |= uses.isRead;
      all.isWritten |= uses.isWritten;
    }
  }
  return all;
}

/// What the problems do with a buffer. An output is written before it is read;
/// in doubt a buffer is both.
PointerUses Describer::usesOfProblems(Value root) {
  PointerUses all;
  for (HostProblem &problem : problems) {
    bool isExtra = llvm::any_of(problem.extras, [&](const auto &extra) {
      return extra && extra->operand.root == root;
    });
    bool isScales = llvm::any_of(
        problem.scales, [&](const HostOperand &s) { return s.root == root; });
    all.isRead |= root == problem.a.root || root == problem.b.root || isExtra ||
                  isScales ||
                  (root == problem.d.root && problem.op.getAccumulate());
    // A part that is written leaves the rest as it was.
    all.isRead |=
        root == problem.d.root && (!problem.d.isWhole || problem.rows);
    auto is = [&](const std::optional<HostOperand> &output) {
      return output && output->root == root;
    };
    all.isRead |= is(problem.amax) || is(problem.metadata) || is(problem.rows);
    all.isWritten |=
        root == problem.d.root || is(problem.scaleD) || is(problem.amax);
  }
  return all;
}

bool Describer::isReturned(Value root) {
  bool found = false;
  function.walk([&](func::ReturnOp op) {
    for (Value result : op.getOperands())
      found |= isa<BaseMemRefType>(result.getType()) &&
               HostReader::findRoot(result) == root;
  });
  return found;
}

/// Whether a launch gets a buffer.
bool Describer::isLaunched(Value root) {
  return llvm::any_of(launches, [&](HostLaunch &launch) {
    return llvm::any_of(launch.parameters, [&](HostParameter &parameter) {
      return parameter.kind == HostParameter::TensorMap
                 ? HostReader::findRoot(parameter.map.getBuffer()) == root
                 : parameter.view.root == root;
    });
  });
}

StringRef Describer::roleOf(Value root) {
  if (auto get = root.getDefiningOp<memref::GetGlobalOp>())
    return isVariable(get) ? "temporary" : "in";
  if (!isa<BlockArgument>(root))
    return isReturned(root) ? "out" : "temporary";
  PointerUses uses = usesOfProblems(root), others = usesOf(root);
  // A kernel may write a part: the rest stays as it was.
  uses.isRead |= others.isRead || others.isWritten;
  uses.isWritten |= others.isWritten;
  // A buffer that no launch gets is not written.
  if (!uses.isRead && !uses.isWritten)
    return isLaunched(root) ? "inout" : "in";
  if (uses.isRead && uses.isWritten)
    return "inout";
  return uses.isWritten ? "out" : "in";
}

LogicalResult Describer::writeBuffer(OStream &json, Value root) {
  const HostBuffer &buffer = reader.getBuffers().find(root)->second;
  StringRef dtype = nameOfElementType(buffer.type.getElementType());
  // As a factor, the type has no sign.
  bool isScales = llvm::any_of(problems, [&](const HostProblem &problem) {
    return (problem.scaleD && problem.scaleD->root == root) ||
           llvm::any_of(problem.scales, [&](const HostOperand &scales) {
             return scales.root == root;
           });
  });
  if (isScales && dtype == "e4m3")
    dtype = "ue4m3";
  if (dtype.empty())
    return emitErrorAt(root)
           << "buffer '" << buffer.name
           << "' cannot be described: no launch file has elements of type "
           << buffer.type.getElementType()
           << ", expected i1, i8, i16, i32, i64 or floats";
  SmallVector<SizeExpression> shape;
  for (int64_t i = 0; i < buffer.type.getRank(); ++i) {
    FailureOr<SizeExpression> size = reader.dim(root, i);
    if (failed(size))
      return failure();
    shape.push_back(*size);
  }
  FailureOr<SmallVector<SizeExpression>> strides = reader.strides(root);
  if (failed(strides))
    return failure();
  ElementsAttr constant;
  if (auto get = root.getDefiningOp<memref::GetGlobalOp>()) {
    FailureOr<ElementsAttr> value = findContents(get);
    if (failed(value))
      return failure();
    constant = *value;
  }
  json.attributeObject(buffer.name, [&] {
    json.attribute("dtype", dtype);
    writeList(json, "shape", shape);
    if (!buffer.type.getLayout().isIdentity())
      writeList(json, "strides", *strides);
    if (int64_t offset = HostReader::baseOffset(root))
      json.attribute("offset", offset);
    json.attribute("role", roleOf(root));
    if (constant)
      writeConstant(json, constant);
    // amax is raised from zero, which the caller writes.
    bool isRaised = llvm::any_of(problems, [&](const HostProblem &problem) {
      return problem.amax && problem.amax->root == root;
    });
    if (isRaised)
      json.attribute("init", "zeros");
    // Metadata are codes, not arbitrary bits.
    auto sparse = llvm::find_if(problems, [&](const auto &problem) {
      return problem.metadata && problem.metadata->root == root;
    });
    if (sparse != problems.end() && !constant)
      json.attribute("init",
                     tmm::ProblemOp(sparse->op).getKind() == MmaKindFacts::TF32
                         ? "one_of_two"
                         : "two_of_four");
    // So are rows: numbers up to that of D, and rising where they are ends.
    auto grouped = llvm::find_if(problems, [&](const auto &problem) {
      return problem.rows && problem.rows->root == root;
    });
    if (grouped == problems.end() || constant)
      return;
    tmm::ProblemOp op = grouped->op;
    json.attribute("init", nameOfRows(op));
    json.attribute("init_limit", grouped->d.view.sizes[op.getMDimOfD()].json());
  });
  return success();
}
