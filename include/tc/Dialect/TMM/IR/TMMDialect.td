//===- TMMDialect.td - the tmm dialect ---------------------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect and the base class of its operations.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TMM_IR_TMMDIALECT_TD
#define TC_DIALECT_TMM_IR_TMMDIALECT_TD

include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"

def TMM_Dialect : Dialect {
  let name = "tmm";
  let summary = "Tiled matrix multiplication, from the problem to pipelines";
  let description = [{
    Structured, target-neutral matrix multiplication kernels. There is one
    thread of control, there are no barriers and no bits of the hardware. Three
    forms share the dialect, each lowered to the next by passes that can be run
    alone:

    1. *Problem*: `tmm.matmul` on memrefs or tensors in global memory, with a
       configuration (`#tmm.config`) that says how it is to be computed.
    2. *Tile program*: a kernel with a loop over output tiles and a loop over K
       that moves tiles (`!tmm.buffer`) between named memory spaces.
    3. *Pipelined program*: every tile that one engine passes to another is in
       a slot of a pipeline (`!tmm.pipeline`) and follows its producer and
       consumer protocol.
  }];
  let cppNamespace = "::tc::tmm";
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  // There are none: whatever decides anything is a type or an attribute of an
  // operation, where a verifier reads it.
  let hasOperationAttrVerify = 1;
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect",
    "::mlir::tensor::TensorDialect",
    "::mlir::vector::VectorDialect",
  ];
  let extraClassDeclaration = [{
    void registerTypes();
    void registerAttributes();
  }];
}

class TMM_Op<string mnemonic, list<Trait> traits = []>
    : Op<TMM_Dialect, mnemonic, traits>;

// An op whose first result is printed as `name`.
class TMM_NamedOp<string mnemonic, string name, list<Trait> traits = []>
    : TMM_Op<mnemonic, !listconcat(traits,
          [DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>])> {
  let extraClassDefinition = [{
    void $cppClass::getAsmResultNames(::mlir::OpAsmSetValueNameFn setName) {
      setName(getOperation()->getResult(0), "}] # name # [{");
    }
  }];
}

#endif // TC_DIALECT_TMM_IR_TMMDIALECT_TD
