//===- InlinePTX.cpp - instructions that NVVM does not have -----*- C++ -*-===//
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

#include "tc/Support/InlinePTX.h"

using namespace mlir;
using namespace tc;

void InlinePTX::startOperand() {
  text += isFirst ? " " : ", ";
  isFirst = false;
}

std::string InlinePTX::getName(Value value) {
  switch (value.getType().getIntOrFloatBitWidth()) {
  case 1:
    constraints += "b,";
    break;
  case 16:
    constraints += "h,";
    break;
  case 32:
    constraints += "r,";
    break;
  default:
    constraints += "l,";
  }
  values.push_back(value);
  return "$" + std::to_string(values.size() - 1);
}

Value InlinePTX::toInteger(Value pointer) {
  return LLVM::PtrToIntOp::create(builder, loc, builder.getI32Type(), pointer);
}

void InlinePTX::addRegister(Value value) {
  startOperand();
  text += getName(value);
}

void InlinePTX::addAddress(Value pointer) {
  startOperand();
  text += "[" + getName(toInteger(pointer)) + "]";
}

void InlinePTX::addPlainAddress(Value pointer) {
  addRegister(toInteger(pointer));
}

void InlinePTX::addVector(ValueRange words) {
  startOperand();
  std::string separator = "{";
  for (Value word : words) {
    text += separator + getName(word);
    separator = ", ";
  }
  text += "}";
}

void InlinePTX::addList(Value pointer, function_ref<void()> list) {
  startOperand();
  text += "[" + getName(LLVM::PtrToIntOp::create(
                    builder, loc, builder.getI64Type(), pointer));
  list();
  text += "]";
}

void InlinePTX::addImmediate(int64_t value) {
  startOperand();
  text += std::to_string(value);
}

void InlinePTX::addSink() {
  startOperand();
  text += "_";
}

void InlinePTX::emit() {
  LLVM::InlineAsmOp::create(
      builder, loc, TypeRange(), values, text + ";", constraints + "~{memory}",
      /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::TailCallKind::None, /*asm_dialect=*/LLVM::AsmDialectAttr(),
      /*operand_attrs=*/ArrayAttr());
}
