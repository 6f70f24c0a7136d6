//===- KernelFamily.td - ops that become kernels -----------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What passes ask of an op that says what a kernel computes, and of ops that
// hold register tiles.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TMM_IR_KERNELFAMILY_TD
#define TC_DIALECT_TMM_IR_KERNELFAMILY_TD

include "mlir/IR/OpBase.td"

def TMM_KernelFamilyOpInterface : OpInterface<"KernelFamilyOpInterface"> {
  let description = [{
    An op that says what a kernel computes. Its family knows the configurations
    that the kernel may have, its tile program, and what the host has to check
    and to launch; the passes that choose, explain and obey configurations,
    `tmm-tile` and `tc-tune` ask the op, and no pass after them knows families. A
    family without configurations implements `getKernel` alone. A family attaches
    the interface from its own folder (lib/Kernels), so that one that is not linked
    costs nothing.
  }];
  let cppNamespace = "::tc::tmm";
  let methods = [
    InterfaceMethod<"Whether the op has a configuration to be chosen.", "bool",
                    "takesConfig", (ins), /*methodBody=*/"",
                    /*defaultImplementation=*/"return false;">,
    StaticInterfaceMethod<[{Completes the configurations of `ops`, all ops of
                    this class in the root of `request`, in their order; emits an
                    error where one is not legal. Returns how many it chose.}],
                    "::mlir::FailureOr<unsigned>", "chooseConfigs",
                    (ins "::llvm::ArrayRef<::mlir::Operation *>":$ops,
                         "const ::tc::tmm::ConfigRequest &":$request),
                    /*methodBody=*/"", /*defaultImplementation=*/"return 0u;">,
    StaticInterfaceMethod<[{Explains what `chooseConfigs` would choose with the same
                    `request`, for each of `ops` in their order: null where it refuses
                    the configuration of the op, or chooses none. Emits an error where
                    `request` is not legal.}],
                    "::mlir::FailureOr<::tc::tmm::ConfigExplanations>",
                    "explainConfigs",
                    (ins "::llvm::ArrayRef<::mlir::Operation *>":$ops,
                         "const ::tc::tmm::ConfigRequest &":$request),
                    /*methodBody=*/"", /*defaultImplementation=*/[{
                      return ::tc::tmm::ConfigExplanations(ops.size());
                    }]>,
    StaticInterfaceMethod<[{Has `ops`, all ops of this class in the root of
                    `request`, read copies of operands that copy engines cannot load,
                    or views that fill tiles better, where that pays, and says so of
                    copies with `remarks`. Emits an error where `request` is not legal.}],
                    "::mlir::LogicalResult", "packOperands",
                    (ins "::llvm::ArrayRef<::mlir::Operation *>":$ops,
                         "const ::tc::tmm::ConfigRequest &":$request,
                         "bool":$remarks),
                    /*methodBody=*/"",
                    /*defaultImplementation=*/"return ::mlir::success();">,
    InterfaceMethod<[{Why the kernel of the op cannot read `operand`, the windows of
                    images (tmm.windows), as it is, so that they are gathered first;
                    empty: it can. Emits an error where `request` is not legal.}],
                    "::mlir::FailureOr<std::string>", "findWindowsObstacle",
                    (ins "::mlir::OpOperand &":$operand,
                         "const ::tc::tmm::ConfigRequest &":$request),
                    /*methodBody=*/"", /*defaultImplementation=*/[{
                      return ::tc::tmm::refuseWindows($_op);
                    }]>,
    InterfaceMethod<[{The op with the candidates of its configuration, to be measured;
                    null where the family has none. Emits an error where `request` or
                    what is given of the configuration is not legal.}],
                    "::mlir::FailureOr<std::unique_ptr<::tc::tmm::TuningProblem>>",
                    "getTuningProblem", (ins "const ::tc::tmm::TuningRequest &":$request),
                    /*methodBody=*/"", /*defaultImplementation=*/[{
                      return std::unique_ptr<::tc::tmm::TuningProblem>();
                    }]>,
    InterfaceMethod<[{Where the configuration of the op says so, replaces it by
                    parts of its work on `chip` and what completes them. Returns
                    whether it did; emits an error where it cannot.}],
                    "::mlir::FailureOr<bool>", "splitWork",
                    (ins "::llvm::StringRef":$chip), /*methodBody=*/"",
                    /*defaultImplementation=*/"return false;">,
    InterfaceMethod<[{The kernel of the op on `chip`, null where it needs none.
                    Sizes are read at `host`. Emits an error where the op or its
                    configuration is not legal.}],
                    "::mlir::FailureOr<std::unique_ptr<::tc::tmm::TileKernel>>",
                    "getKernel", (ins "::mlir::OpBuilder &":$host,
                                      "::llvm::StringRef":$chip)>,
    InterfaceMethod<[{States at `host` what the launch after it computes, which
                    descriptions and references are made from. May take regions of
                    the op, which is erased next.}], "void", "emitStatement",
                    (ins "::mlir::OpBuilder &":$host), /*methodBody=*/"",
                    /*defaultImplementation=*/"return;">
  ];
}

def TMM_RegisterTileOpInterface : OpInterface<"RegisterTileOpInterface"> {
  let description = [{
    An op that makes or takes register tiles and is lowered after they were
    dealt to threads. `tmm-distribute` makes their types those of what a thread
    holds, and leaves the op.
  }];
  let cppNamespace = "::tc::tmm";
  let methods = [
    InterfaceMethod<"The layout of all register tiles among its operands and "
                    "results.", "::tc::RegisterLayoutAttrInterface",
                    "getTileLayout">,
    InterfaceMethod<"The argument of the pass that lowers the op.",
                    "::llvm::StringRef", "getLoweringPass">
  ];
}

#endif // TC_DIALECT_TMM_IR_KERNELFAMILY_TD
