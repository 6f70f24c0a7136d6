//===- SmemOperands.cpp - operands of asynchronous calls --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What LLVM cannot know of the operands of asynchronous instructions.
//
// A matrix descriptor holds bits 4 to 17 of an address in shared memory. LLVM
// does not take the sum `array + slot * bytes` apart under the shift and the
// mask, because it might carry. It does not: the address is in the array and
// the array in the CTA's window of 2^18 bytes, and slots are multiples of 16
// bytes. So the field of the array's start plus a sixteenth of the distance is
// the field of the address.
//
//===----------------------------------------------------------------------===//

#include "LLVMModule.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

//===----------------------------------------------------------------------===//
// Matrix descriptors
//===----------------------------------------------------------------------===//

/// The bits of an address within the CTA's window, and those that a descriptor
/// leaves out (PTX ISA, "Matrix-descriptor-encode").
static constexpr uint64_t kWindowMask = 0x3FFFF;
static constexpr unsigned kShift = 4;

namespace {

/// An address as the start of an array and a distance in units of 16 bytes.
struct SplitAddress {
  Value *start = nullptr;
  /// Values of i32, each with the factor that makes units of it, or, where the
  /// factor is 0, a number of bytes.
  SmallVector<std::pair<Value *, uint64_t>> terms;
  uint64_t units = 0;
};

} // namespace

/// Adds `bytes`, an index of a GEP with elements of one byte, to `split`; false
/// where it is not known to be a multiple of 16 bytes.
static bool addDistance(Value *bytes, const DataLayout &layout,
                        SplitAddress &split) {
  constexpr uint64_t unit = uint64_t(1) << kShift;
  if (auto *constant = dyn_cast<ConstantInt>(bytes)) {
    if (constant->isNegative() || constant->getZExtValue() % unit != 0)
      return false;
    split.units += constant->getZExtValue() >> kShift;
    return true;
  }
  Value *first, *second;
  // Every width has at least these 18 bits.
  if (match(bytes,
            m_CombineOr(m_Trunc(m_Value(first)), m_ZExtOrSExt(m_Value(first)))))
    return addDistance(first, layout, split);
  if (match(bytes, m_NUWAdd(m_Value(first), m_Value(second))))
    return addDistance(first, layout, split) &&
           addDistance(second, layout, split);
  if (!bytes->getType()->isIntegerTy(32))
    return false;
  const APInt *factor;
  if (match(bytes, m_NUWMul(m_Value(first), m_APInt(factor))) &&
      factor->getZExtValue() % unit == 0) {
    split.terms.emplace_back(first, factor->getZExtValue() >> kShift);
    return true;
  }
  split.terms.emplace_back(bytes, 0);
  return computeKnownBits(bytes, layout).countMinTrailingZeros() >= kShift;
}

/// The array that `pointer` points into, and how far.
static std::optional<SplitAddress> splitAddress(Value *pointer,
                                                const DataLayout &layout) {
  SplitAddress split;
  split.start = pointer;
  while (auto *gep = dyn_cast<GetElementPtrInst>(split.start)) {
    // What is constant belongs to the start.
    if (gep->getNumIndices() != 1 || isa<ConstantInt>(gep->getOperand(1)))
      break;
    if (!gep->getSourceElementType()->isIntegerTy(8) ||
        !addDistance(gep->getOperand(1), layout, split))
      return std::nullopt;
    split.start = gep->getPointerOperand();
  }
  if (split.terms.empty())
    return std::nullopt;
  return split;
}

/// Whether `value` is the descriptor of B of a multiplication without scale
/// factors. For it the back end of LLVM 22 takes a sum with a constant of 32
/// bits as an address, and writes `%rd1+2` where PTX wants a register.
static bool isPlainB(Value *value) {
  return any_of(value->uses(), [](Use &use) {
    auto *call = dyn_cast<IntrinsicInst>(use.getUser());
    if (!call || use.getOperandNo() != 2)
      return false;
    StringRef name = call->getCalledFunction()->getName();
    return name.starts_with("llvm.nvvm.tcgen05.mma") &&
           !name.contains("block_scale");
  });
}

namespace {

/// A descriptor: its address, its other bits, and the instruction that adds
/// them.
struct Descriptor {
  Instruction *sum;
  Constant *bits;
  SplitAddress address;
};

} // namespace

void tc::splitMatrixDescriptors(Function &function) {
  const DataLayout &layout = function.getDataLayout();
  SmallVector<Descriptor> descriptors;
  for (Instruction &instruction : instructions(function)) {
    Value *pointer;
    Constant *bits;
    if (!match(&instruction,
               m_NUWAdd(m_ZExt(m_LShr(m_And(m_PtrToInt(m_Value(pointer)),
                                            m_SpecificInt(kWindowMask)),
                                      m_SpecificInt(kShift))),
                        m_Constant(bits))))
      continue;
    if (std::optional<SplitAddress> split = splitAddress(pointer, layout))
      descriptors.push_back({&instruction, bits, std::move(*split)});
  }
  for (const Descriptor &descriptor : descriptors) {
    IRBuilder<> b(descriptor.sum);
    const SplitAddress &address = descriptor.address;
    Value *start = b.CreatePtrToInt(address.start, b.getInt32Ty());
    start = b.CreateLShr(b.CreateAnd(start, kWindowMask), kShift);
    start = b.CreateZExt(start, b.getInt64Ty());
    auto addDistance = [&](Value *sum) {
      for (auto [value, factor] : address.terms) {
        Value *units = factor
                           ? b.CreateMul(value, b.getInt32(factor), "",
                                         /*HasNUW=*/true, /*HasNSW=*/true)
                           : b.CreateLShr(value, kShift, "", /*isExact=*/true);
        sum = b.CreateNUWAdd(sum, b.CreateZExt(units, b.getInt64Ty()));
      }
      if (address.units)
        sum = b.CreateNUWAdd(sum, b.getInt64(address.units));
      return sum;
    };
    // A step along K is added to the descriptor. Of B the constants are added
    // at once: with the upper bits they have more than 32.
    for (User *user : make_early_inc_range(descriptor.sum->users())) {
      Constant *step;
      if (!isPlainB(user) ||
          !match(user, m_Add(m_Specific(descriptor.sum), m_Constant(step))))
        continue;
      user->replaceAllUsesWith(b.CreateAdd(
          addDistance(start), ConstantExpr::getAdd(descriptor.bits, step)));
    }
    Value *sum = isPlainB(descriptor.sum)
                     ? b.CreateNUWAdd(addDistance(start), descriptor.bits)
                     : addDistance(b.CreateNUWAdd(start, descriptor.bits));
    descriptor.sum->replaceAllUsesWith(sum);
    RecursivelyDeleteTriviallyDeadInstructions(descriptor.sum);
  }
}

//===----------------------------------------------------------------------===//
// Operands that are not printed
//===----------------------------------------------------------------------===//

void tc::dropUnprintedOperands(Function &function) {
  for (Instruction &instruction : instructions(function)) {
    auto *call = dyn_cast<IntrinsicInst>(&instruction);
    if (!call)
      continue;
    // A flag says whether the mask of CTAs or the cache policy is there.
    auto drop = [&](unsigned operand, unsigned flag) {
      if (match(call->getArgOperand(flag), m_Zero()))
        call->setArgOperand(
            operand, PoisonValue::get(call->getArgOperand(operand)->getType()));
    };
    unsigned end = call->arg_size();
    switch (call->getIntrinsicID()) {
    case Intrinsic::nvvm_cp_async_bulk_tensor_g2s_tile_1d:
    case Intrinsic::nvvm_cp_async_bulk_tensor_g2s_tile_2d:
    case Intrinsic::nvvm_cp_async_bulk_tensor_g2s_tile_3d:
    case Intrinsic::nvvm_cp_async_bulk_tensor_g2s_tile_4d:
    case Intrinsic::nvvm_cp_async_bulk_tensor_g2s_tile_5d:
      // ..., mask, policy, has mask, has policy, group.
      drop(end - 5, end - 3);
      drop(end - 4, end - 2);
      break;
    case Intrinsic::nvvm_cp_async_bulk_tensor_g2s_cta_tile_1d:
    case Intrinsic::nvvm_cp_async_bulk_tensor_g2s_cta_tile_2d:
    case Intrinsic::nvvm_cp_async_bulk_tensor_g2s_cta_tile_3d:
    case Intrinsic::nvvm_cp_async_bulk_tensor_g2s_cta_tile_4d:
    case Intrinsic::nvvm_cp_async_bulk_tensor_g2s_cta_tile_5d:
    case Intrinsic::nvvm_cp_async_bulk_tensor_s2g_tile_1d:
    case Intrinsic::nvvm_cp_async_bulk_tensor_s2g_tile_2d:
    case Intrinsic::nvvm_cp_async_bulk_tensor_s2g_tile_3d:
    case Intrinsic::nvvm_cp_async_bulk_tensor_s2g_tile_4d:
    case Intrinsic::nvvm_cp_async_bulk_tensor_s2g_tile_5d:
      // ..., policy, has policy.
      drop(end - 2, end - 1);
      break;
    default:
      break;
    }
  }
}

void tc::sinkMatrixOffsets(Function &function) {
  const DataLayout &layout = function.getDataLayout();
  for (Instruction &instruction : instructions(function)) {
    auto *load = dyn_cast<IntrinsicInst>(&instruction);
    if (!load ||
        !load->getCalledFunction()->getName().starts_with("llvm.nvvm.ldmatrix"))
      continue;
    Value *pointer = load->getArgOperand(0);
    APInt distance(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
    Value *start = pointer->stripAndAccumulateConstantOffsets(
        layout, distance, /*AllowNonInbounds=*/true);
    if (distance.isZero() || !distance.isSignedIntN(32))
      continue;
    IRBuilder<> b(load);
    load->setArgOperand(0, b.CreateGEP(b.getInt8Ty(), start,
                                       b.getInt32(static_cast<uint32_t>(
                                           distance.getSExtValue()))));
    RecursivelyDeleteTriviallyDeadInstructions(pointer);
  }
}
