//===- Nontemporal.cpp - loads of what is read once -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM 22 marks what is read once as nontemporal and has no PTX for it: such a
// load becomes inline PTX that leaves no line in the L1 cache (PTX ISA, ld:
// .level::eviction_priority). Last of all: no pass needs to see it.
//
//===----------------------------------------------------------------------===//

#include "LLVMModule.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

/// The number of `.global`.
static constexpr unsigned kGlobal = 1;
static constexpr uint64_t kRegisterBytes = 4, kMaxBytes = 16;

/// Whether `load` is one access of whole registers.
static bool isOneAccess(const LoadInst &load, uint64_t bytes) {
  return load.hasMetadata(LLVMContext::MD_nontemporal) && load.isSimple() &&
         load.getPointerAddressSpace() == kGlobal && bytes <= kMaxBytes &&
         bytes % kRegisterBytes == 0 && isPowerOf2_64(bytes) &&
         load.getAlign().value() >= bytes;
}

void tc::emitNontemporalLoads(Function &function) {
  const DataLayout &layout = function.getDataLayout();
  for (Instruction &instruction :
       make_early_inc_range(instructions(function))) {
    auto *load = dyn_cast<LoadInst>(&instruction);
    if (!load)
      continue;
    TypeSize size = layout.getTypeSizeInBits(load->getType());
    uint64_t bytes = size.getFixedValue() / 8;
    if (size.getFixedValue() % 8 != 0 || !isOneAccess(*load, bytes))
      continue;
    IRBuilder<> b(load);
    unsigned count = bytes / kRegisterBytes;
    SmallVector<Type *> types(count, b.getInt32Ty());
    Type *results =
        count == 1 ? types[0] : StructType::get(b.getContext(), types);
    std::string names, constraints;
    for (unsigned i = 0; i < count; ++i) {
      names += (i ? ", $" : "$") + std::to_string(i);
      constraints += "=r,";
    }
    std::string shape = count == 1 ? "" : ".v" + std::to_string(count);
    if (count > 1)
      names = "{" + names + "}";
    std::string text = "ld.global.L1::no_allocate" + shape + ".b32 " + names +
                       ", [$" + std::to_string(count) + "];";
    // With side effects: it stays between the stores and barriers around it.
    InlineAsm *ptx = InlineAsm::get(
        FunctionType::get(results, {load->getPointerOperandType()}, false),
        text, constraints + "l", /*hasSideEffects=*/true);
    Value *value = b.CreateCall(ptx, {load->getPointerOperand()});
    if (count > 1) {
      Value *whole =
          PoisonValue::get(FixedVectorType::get(b.getInt32Ty(), count));
      for (unsigned i = 0; i < count; ++i)
        whole = b.CreateInsertElement(whole, b.CreateExtractValue(value, i), i);
      value = whole;
    }
    load->replaceAllUsesWith(b.CreateBitCast(value, load->getType()));
    load->eraseFromParent();
  }
}
