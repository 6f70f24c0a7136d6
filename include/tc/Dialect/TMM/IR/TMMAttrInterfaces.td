//===- TMMAttrInterfaces.td - attribute interfaces ---------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What passes ask of attributes that any dialect may define: how work is dealt.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TMM_IR_TMMATTRINTERFACES_TD
#define TC_DIALECT_TMM_IR_TMMATTRINTERFACES_TD

include "mlir/IR/OpBase.td"

def TMM_SchedulerAttrInterface : AttrInterface<"SchedulerAttrInterface"> {
  let description = [{
    A rule that deals the tiles of a tile space to the CTAs of a grid. It says of
    which numbers a work item consists and emits the arithmetic on them;
    `tmm-lower-scheduler` queries it and contains no rule itself.

    The values that describe the tile space (the *state*) are computed once, where
    the `tmm.scheduler` is. Nothing that is emitted may have effects but that it reads
    memory which the kernel does not write (`tmm.scheduler`, `rows`): every role
    of a kernel computes the same work for itself.
  }];
  let cppNamespace = "::tc::tmm";
  let methods = [
    InterfaceMethod<"Whether it deals tiles of problems whose rows memory tells, or of "
                    "such that all have M.", "bool", "readsRows", (ins), /*methodBody=*/"",
                    /*defaultImplementation=*/"return false;">,
    InterfaceMethod<"The types of the numbers that a work item consists of.",
                    "::llvm::SmallVector<::mlir::Type>", "getWorkTypes">,
    InterfaceMethod<"What the other methods need of `space`.",
                    "::llvm::SmallVector<::mlir::Value>", "emitState",
                    (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
                         "const ::tc::tmm::TileSpace &":$space)>,
    InterfaceMethod<"The first work item of the executing CTA, of getWorkTypes.",
                    "::llvm::SmallVector<::mlir::Value>", "emitFirst",
                    (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
                         "const ::tc::tmm::TileSpace &":$space,
                         "::mlir::ValueRange":$state)>,
    InterfaceMethod<"The work item after `work`; an invalid one after an invalid one.",
                    "::llvm::SmallVector<::mlir::Value>", "emitNext",
                    (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
                         "const ::tc::tmm::TileSpace &":$space,
                         "::mlir::ValueRange":$state, "::mlir::ValueRange":$work)>,
    InterfaceMethod<"The work item of the CTAs with number `number` (i32), counted "
                    "in groups that share their work; the end of work if it is "
                    "negative.", "::llvm::SmallVector<::mlir::Value>", "emitAt",
                    (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
                         "const ::tc::tmm::TileSpace &":$space,
                         "::mlir::ValueRange":$state, "::mlir::Value":$number)>,
    InterfaceMethod<"How many numbers have a work item, those from 0 on (i32).",
                    "::mlir::Value", "emitCount",
                    (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
                         "const ::tc::tmm::TileSpace &":$space,
                         "::mlir::ValueRange":$state)>,
    InterfaceMethod<"Whether `work` is a work item (i1), or the end of work.",
                    "::mlir::Value", "emitValid",
                    (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
                         "const ::tc::tmm::TileSpace &":$space,
                         "::mlir::ValueRange":$state, "::mlir::ValueRange":$work)>,
    InterfaceMethod<"The tile and the problem of the valid `work`.",
                    "::tc::tmm::WorkItem", "emitItem",
                    (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
                         "const ::tc::tmm::TileSpace &":$space,
                         "::mlir::ValueRange":$state, "::mlir::ValueRange":$work)>
  ];
}

#endif // TC_DIALECT_TMM_IR_TMMATTRINTERFACES_TD
