//===- Pipelining.td - what back ends tell the middle ------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Engines, memory spaces and agent sets as the passes of the tmm dialect see
// them. A back end implements these interfaces with attributes of its own
// dialect; the passes that make, deepen, cut and lower pipelines ask them and
// name no engine and no memory space.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_PIPELINING_TD
#define TC_SUPPORT_PIPELINING_TD

include "mlir/IR/OpBase.td"

//===----------------------------------------------------------------------===//
// Engines
//===----------------------------------------------------------------------===//

def TC_EngineAttrInterface : AttrInterface<"EngineAttrInterface"> {
  let cppNamespace = "::tc";
  let description = [{
    What executes an op on tiles: the threads of a role, a copy engine, a matrix
    unit. It says how the end of its work becomes known; the lowering of
    pipelines derives barriers, counts and fences from that.
  }];
  let methods = [
    InterfaceMethod<"The proxy through which it accesses memory.",
                    "::tc::Proxy", "getProxy">,
    InterfaceMethod<"How many threads of a role issue an op, and so arrive where "
                    "threads arrive.", "::tc::Issue", "getIssue">,
    InterfaceMethod<"How the end of its work becomes known to others.",
                    "::tc::Completion", "getCompletion">,
    InterfaceMethod<"The transactions that may still be pending when a completion "
                    "is taken; 0 where there is no such choice.",
                    "int64_t", "getMaxLag", (ins), /*methodBody=*/"",
                    /*defaultImplementation=*/"return 0;">,
    InterfaceMethod<"Whether one completion of this engine also covers the work "
                    "of `other` that the same thread issued before.",
                    "bool", "covers", (ins "::tc::EngineAttrInterface":$other),
                    /*methodBody=*/"",
                    /*defaultImplementation=*/"return other == $_attr;">,
    InterfaceMethod<"Whether work of this engine needs no signal after work of "
                    "`earlier` that the same thread issued on the same bytes: it "
                    "reads or overwrites what that wrote, or, with `overwrites`, "
                    "overwrites what that read.",
                    "bool", "isOrderedAfter",
                    (ins "::tc::EngineAttrInterface":$earlier,
                         "bool":$overwrites), /*methodBody=*/"",
                    /*defaultImplementation=*/"return false;">,
    InterfaceMethod<"Completion::Commit: makes `barrier`, and with `mask` (i16) "
                    "those at its place in the CTAs of the mask, see an arrival "
                    "when what this thread issued so far is done. `ctas` execute "
                    "an op of the engine as one.",
                    "void", "emitCommit",
                    (ins "::mlir::OpBuilder &":$builder,
                         "::mlir::Location":$loc, "::mlir::Value":$barrier,
                         "::mlir::Value":$mask, "int64_t":$ctas),
                    /*methodBody=*/"",
                    /*defaultImplementation=*/[{
      llvm_unreachable("the engine does not complete with commits");
    }]>,
    InterfaceMethod<"Completion::Commit: whether the barrier may be one of "
                    "another CTA.", "bool", "commitsAcross", (ins),
                    /*methodBody=*/"",
                    /*defaultImplementation=*/"return true;">,
    InterfaceMethod<"Completion::Group: closes the group of what this thread "
                    "issued so far.", "void", "emitGroupCommit",
                    (ins "::mlir::OpBuilder &":$builder,
                         "::mlir::Location":$loc),
                    /*methodBody=*/"",
                    /*defaultImplementation=*/[{
      llvm_unreachable("the engine does not complete with groups");
    }]>,
    InterfaceMethod<"Completion::Group: waits until at most `pending` groups of "
                    "this thread still read their sources, or with `written` "
                    "have not made their writes visible.",
                    "void", "emitGroupWait",
                    (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
                         "int64_t":$pending, "bool":$written),
                    /*methodBody=*/"",
                    /*defaultImplementation=*/[{
      llvm_unreachable("the engine does not complete with groups");
    }]>,
    InterfaceMethod<"Completion::Arrive: whether work may still be in flight when "
                    "the op that issued it has returned, so that the threads "
                    "await it before they arrive.", "bool", "isPendingAtReturn",
                    (ins), /*methodBody=*/"",
                    /*defaultImplementation=*/"return false;">
  ];
}

//===----------------------------------------------------------------------===//
// Memory spaces
//===----------------------------------------------------------------------===//

def TC_MemorySpaceAttrInterface : AttrInterface<"MemorySpaceAttrInterface"> {
  let cppNamespace = "::tc";
  let description = [{
    Where tiles live, and how their elements are laid out there.
  }];
  let methods = [
    InterfaceMethod<"Checks that a tile of `shape` can live here.",
                    "::mlir::LogicalResult", "verifyTile",
                    (ins "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError,
                         "::llvm::ArrayRef<int64_t>":$shape,
                         "::mlir::Type":$elementType), /*methodBody=*/"",
                    /*defaultImplementation=*/"return ::mlir::success();">,
    InterfaceMethod<"Checks that a tile of `shape` can be copied in `parts` equal "
                    "parts, each of which arrives in one piece.",
                    "::mlir::LogicalResult", "verifyParts",
                    (ins "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError,
                         "::llvm::ArrayRef<int64_t>":$shape,
                         "::mlir::Type":$elementType, "int64_t":$parts),
                    /*methodBody=*/"",
                    /*defaultImplementation=*/"return ::mlir::success();">,
    InterfaceMethod<"What a ring of such tiles is called in printed IR.",
                    "::llvm::StringRef", "getRingName", (ins), /*methodBody=*/"",
                    /*defaultImplementation=*/[{ return "ring"; }]>,
    InterfaceMethod<"The fence by which a thread orders its accesses, through "
                    "proxy `own`, before it passes a tile to work in proxy "
                    "`other`.",
                    "void", "emitFenceBefore",
                    (ins "::mlir::OpBuilder &":$builder,
                         "::mlir::Location":$loc, "::tc::Proxy":$own,
                         "::tc::Proxy":$other),
                    /*methodBody=*/"", /*defaultImplementation=*/"return;">,
    InterfaceMethod<"The fence by which a thread that is about to arrive on a "
                    "barrier of another CTA releases the accesses of its tiles, "
                    "so that the arrival may be relaxed.",
                    "void", "emitRelease",
                    (ins "::mlir::OpBuilder &":$builder,
                         "::mlir::Location":$loc),
                    /*methodBody=*/"", /*defaultImplementation=*/"return;">,
    InterfaceMethod<"Its other side: the fence by which a thread that has waited, "
                    "relaxed, for such arrivals acquires them.",
                    "void", "emitAcquire",
                    (ins "::mlir::OpBuilder &":$builder,
                         "::mlir::Location":$loc),
                    /*methodBody=*/"", /*defaultImplementation=*/"return;">,
    InterfaceMethod<"The fence by which a thread orders what it issues through "
                    "proxy `own` after a tile was passed to it by work in "
                    "proxy `other`, in another CTA if `crosses`; `fenced` if that "
                    "side executed the fence before.",
                    "void", "emitFenceAfter",
                    (ins "::mlir::OpBuilder &":$builder,
                         "::mlir::Location":$loc, "::tc::Proxy":$other,
                         "::tc::Proxy":$own, "bool":$crosses, "bool":$fenced),
                    /*methodBody=*/"", /*defaultImplementation=*/"return;">,
    InterfaceMethod<"Whether the fences of both sides order accesses alone, so "
                    "that arrivals and waits between CTAs may be relaxed.",
                    "bool", "isOrderedByFences", (ins), /*methodBody=*/"",
                    /*defaultImplementation=*/"return false;">
  ];
}

//===----------------------------------------------------------------------===//
// Agent sets
//===----------------------------------------------------------------------===//

def TC_AgentSetAttrInterface : AttrInterface<"AgentSetAttrInterface"> {
  let cppNamespace = "::tc";
  let description = [{
    A relation between the CTAs of a cluster: those that receive a copy, or that
    execute an op as one. The first member of a set that acts as one issues.
  }];
  let methods = [
    InterfaceMethod<"CTAs of the cluster that the relation is about.",
                    "int64_t", "getClusterCtas">,
    InterfaceMethod<"The CTAs that the one of rank `rank` is related to, itself "
                    "included, in ascending order.",
                    "::llvm::SmallVector<int64_t>", "getMembers",
                    (ins "int64_t":$rank)>
  ];
}

#endif // TC_SUPPORT_PIPELINING_TD
