//===- MmaOperands.h - operands of mma in NVVM ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the forms of tcgen05.mma pass to NVVM alike.
// nvvm.tcgen05.mma_smem_desc is not used: it ORs its operands without shifting
// or masking them, and its constant part would be built anew at run time for
// each operand.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_TCGEN05TONVVM_MMAOPERANDS_H
#define TC_LIB_CONVERSION_TCGEN05TONVVM_MMAOPERANDS_H

#include "Descriptors.h"
#include "Patterns.h"

#include "tc/Support/InlinePTX.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tc {

struct MmaOperands {
  /// Descriptors of matrices, or the address of A in Tensor Memory.
  mlir::Value a, b;
  /// The instruction descriptor.
  mlir::Value descriptor;
};

/// The descriptor of `operand`, converted to `address`, from column `k`, of
/// indices into a table from the one of a row that has a half there.
mlir::Value getSmemOperand(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value operand, mlir::Value address, int64_t k);

template <typename Op>
MmaOperands getMmaOperands(mlir::OpBuilder &builder, Op op,
                           typename Op::Adaptor adaptor) {
  mlir::Location loc = op.getLoc();
  MmaOperands operands;
  if (tcgen05::TmemType type = op.getTmemA())
    operands.a = offsetTmemColumns(builder, loc, adaptor.getA(),
                                   op.getAK() * type.getStorageBits() / 32);
  else
    operands.a =
        getSmemOperand(builder, loc, op.getA(), adaptor.getA(), op.getAK());
  operands.b =
      getSmemOperand(builder, loc, op.getB(), adaptor.getB(), op.getBK());
  operands.descriptor = mlir::LLVM::ConstantOp::create(
      builder, loc,
      builder.getI32IntegerAttr(
          static_cast<int32_t>(getInstructionDescriptor(op).encode())));
  return operands;
}

/// Adds what the text of an instruction names first: D at `d`, A and B, the
/// metadata of a sparse A or the table of a B of indices, where there are any,
/// and the instruction descriptor.
template <typename Op>
void addMatrices(InlinePTX &ptx, Op op, mlir::Value d, mlir::Value metadata,
                 mlir::Value lookup, const MmaOperands &operands) {
  ptx.addAddress(d);
  if (op.getTmemA())
    ptx.addAddress(operands.a);
  else
    ptx.addRegister(operands.a);
  ptx.addRegister(operands.b);
  for (mlir::Value region : {metadata, lookup})
    if (region)
      ptx.addAddress(region);
  ptx.addRegister(operands.descriptor);
}

/// The modifier of an instruction whose B is indices into a table.
constexpr const char *kLookupText = ".decompress::lut::b";

/// The modifiers for what becomes of A and B in the collector buffers.
std::string getCollectorText(tcgen05::Collector a, tcgen05::Collector b);

mlir::NVVM::Tcgen05MMACollectorOp getCollector(tcgen05::Collector collector);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCGEN05TONVVM_MMAOPERANDS_H
