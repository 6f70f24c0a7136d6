//===- Pipelining.td - what back ends tell the middle ------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Engines, completions, memory spaces and agent sets as the passes of the tmm
// dialect see them. A back end implements these interfaces with attributes of its own
// dialect; the passes that make, deepen, cut and lower pipelines ask them and
// name no engine and no memory space.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_PIPELINING_TD
#define TC_SUPPORT_PIPELINING_TD

include "mlir/IR/OpBase.td"

//===----------------------------------------------------------------------===//
// Signals and completions
//===----------------------------------------------------------------------===//

def TC_SignalAttrInterface : AttrInterface<"SignalAttrInterface"> {
  let cppNamespace = "::tc";
  let description = [{
    Where the end of a transaction is known: something with a phase for each slot of
    a pipeline, which a number of arrivals completes and which ends wait for by its
    parity. Whoever waits has seen the phase before, so the parity is enough.
  }];
  let methods = [
    InterfaceMethod<"The CTAs that arrive where others wait.", "::tc::Scope",
                    "getReach">,
    InterfaceMethod<"The bytes of shared memory that `depth` signals take; 0 where "
                    "they have a storage of their own.",
                    "int64_t", "getSmemBytes", (ins "int64_t":$depth),
                    /*methodBody=*/"",
                    /*defaultImplementation=*/"return 0;">,
    InterfaceMethod<"Where `getSmemBytes` are aligned.", "int64_t",
                    "getSmemAlignment", (ins), /*methodBody=*/"",
                    /*defaultImplementation=*/"return 1;">,
    InterfaceMethod<"The signals of the executing CTA, one for each slot.",
                    "::mlir::Value", "emitStorage",
                    (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
                         "const ::tc::SignalRequest &":$request)>,
    InterfaceMethod<"Has one thread prepare them for phases of `arrivals`.",
                    "void", "emitInit",
                    (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
                         "::mlir::Value":$storage, "int64_t":$arrivals),
                    /*methodBody=*/"", /*defaultImplementation=*/"return;">,
    InterfaceMethod<"The fence after which the same thread may tell others that it "
                    "has.", "void", "emitInitFence",
                    (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc),
                    /*methodBody=*/"", /*defaultImplementation=*/"return;">,
    InterfaceMethod<"Those of another CTA, by its rank in the cluster, or, where "
                    "agents are the CTAs of a grid, in that.",
                    "::mlir::Value", "emitRemote",
                    (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
                         "::mlir::Value":$storage, "::mlir::Value":$cta,
                         "int64_t":$depth)>,
    InterfaceMethod<"The signal of slot `index` of them.",
                    "::mlir::Value", "emitSlot",
                    (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
                         "::mlir::Value":$storage, "::mlir::OpFoldResult":$index)>,
    InterfaceMethod<"An arrival of the executing thread, which releases what "
                    "happened before.", "void", "emitArrive",
                    (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
                         "const ::tc::SignalUse &":$use)>,
    InterfaceMethod<"Waits until the phase of `parity` (i32) is complete, and "
                    "acquires what was released by arrivals in it.",
                    "void", "emitWait",
                    (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
                         "const ::tc::SignalUse &":$use, "::mlir::Value":$parity)>
  ];
}

def TC_CompletionAttrInterface : AttrInterface<"CompletionAttrInterface"> {
  let cppNamespace = "::tc";
  let description = [{
    How the end of an engine's work becomes known to the other end of a pipeline.
    What is not overridden is said of threads that wait for their own work and then
    arrive by themselves.
  }];
  let methods = [
    InterfaceMethod<"The signals that it completes on; null: those that every "
                    "completion of the target does.",
                    "::tc::SignalAttrInterface", "getSignal", (ins),
                    /*methodBody=*/"", /*defaultImplementation=*/"return {};">,
    InterfaceMethod<"The CTAs whose signals it reaches, where these are reached at "
                    "all.", "::tc::Scope", "getReach", (ins), /*methodBody=*/"",
                    /*defaultImplementation=*/"return ::tc::Scope::Grid;">,
    InterfaceMethod<"Arrivals of a role of `threads` that issues as `issue` says, "
                    "for one transaction.", "int64_t", "getArrivals",
                    (ins "::tc::Issue":$issue, "int64_t":$threads),
                    /*methodBody=*/"",
                    /*defaultImplementation=*/"return issue.getArrivals(threads);">,
    InterfaceMethod<"Whether threads arrive by themselves, after their work and "
                    "after the fences of the memory.", "bool", "isOfThreads", (ins),
                    /*methodBody=*/"", /*defaultImplementation=*/"return true;">,
    InterfaceMethod<"Whether the ops of the engine count their bytes, once for each "
                    "slot, at the signal that is set on them. So an end arrives for "
                    "its own slots alone: all bytes of these are expected there.",
                    "bool", "countsBytes", (ins), /*methodBody=*/"",
                    /*defaultImplementation=*/"return false;">,
    InterfaceMethod<"Whether only the thread that issued work can wait for it. Then "
                    "`emitArrive` separates transactions and signals nobody.",
                    "bool", "isOfIssuer", (ins), /*methodBody=*/"",
                    /*defaultImplementation=*/"return false;">,
    InterfaceMethod<"Completes a transaction of an end, in the threads that issue "
                    "its ops and, where threads arrive by themselves, of these in "
                    "those that arrive.",
                    "void", "emitArrive",
                    (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
                         "const ::tc::Arrival &":$arrival), /*methodBody=*/"",
                    /*defaultImplementation=*/[{
      ::tc::emitThreadArrivals(builder, loc, arrival);
    }]>,
    InterfaceMethod<"Of the thread that issued: waits until at most `pending` "
                    "transactions still read their sources, or with `written` have "
                    "not made their writes visible.",
                    "void", "emitIssuerWait",
                    (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
                         "int64_t":$pending, "bool":$written), /*methodBody=*/"",
                    /*defaultImplementation=*/[{
      llvm_unreachable("others wait for the completion, too");
    }]>
  ];
}

//===----------------------------------------------------------------------===//
// Engines
//===----------------------------------------------------------------------===//

def TC_EngineAttrInterface : AttrInterface<"EngineAttrInterface"> {
  let cppNamespace = "::tc";
  let description = [{
    What executes an op on tiles: the threads of a role, a copy engine, a matrix
    unit. It says how the end of its work becomes known; the lowering of
    pipelines derives signals, counts and fences from that.
  }];
  let methods = [
    InterfaceMethod<"The proxy through which it accesses memory.",
                    "::tc::Proxy", "getProxy">,
    InterfaceMethod<"How many threads of a role issue an op, and so arrive where "
                    "threads arrive.", "::tc::Issue", "getIssue">,
    InterfaceMethod<"How the end of its work becomes known to others.",
                    "::tc::CompletionAttrInterface", "getCompletion">,
    InterfaceMethod<"The transactions that may still be pending when a completion "
                    "is taken; 0 where there is no such choice.",
                    "int64_t", "getMaxLag", (ins), /*methodBody=*/"",
                    /*defaultImplementation=*/"return 0;">,
    InterfaceMethod<"Whether work may still be in flight when the op that issued it "
                    "has returned, so that threads await it before they arrive.",
                    "bool", "isPendingAtReturn",
                    (ins), /*methodBody=*/"",
                    /*defaultImplementation=*/"return false;">,
    InterfaceMethod<"Whether its completion can say when it has read operand "
                    "`operand` of an op, a tile in `space`, before the work is done.",
                    "bool", "completesRead",
                    (ins "unsigned":$operand, "::mlir::Attribute":$space),
                    /*methodBody=*/"",
                    /*defaultImplementation=*/"return false;">,
    InterfaceMethod<"Whether it does work in the order of issue, so that what is "
                    "issued early keeps what comes after it waiting.",
                    "bool", "isQueue", (ins), /*methodBody=*/"",
                    /*defaultImplementation=*/"return false;">,
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
    InterfaceMethod<"Whether a tile of `other` can start where one of this space "
                    "does.", "bool", "sharesWith",
                    (ins "::tc::MemorySpaceAttrInterface":$other), /*methodBody=*/"",
                    /*defaultImplementation=*/"return false;">,
    InterfaceMethod<"Whether each element is read and written by the same thread "
                    "of a role of threads, so that these need no barrier.",
                    "bool", "isPrivateToThreads", (ins), /*methodBody=*/"",
                    /*defaultImplementation=*/"return false;">,
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
    A relation between the CTAs of a cluster, or of the grid: those that receive a
    copy, or, of a cluster, that execute an op as one. The first member of a set that
    acts as one issues. In a grid CTAs wait for each other only if they run at the
    same time, which the launch must guarantee.
  }];
  let methods = [
    InterfaceMethod<"Whose CTAs the relation is about.", "::tc::Scope", "getScope",
                    (ins), /*methodBody=*/"",
                    /*defaultImplementation=*/"return ::tc::Scope::Cluster;">,
    InterfaceMethod<"How many CTAs that are; a rank is below it.",
                    "int64_t", "getNumCtas">,
    InterfaceMethod<"The CTAs that the one of rank `rank` is related to, itself "
                    "included, in ascending order.",
                    "::llvm::SmallVector<int64_t>", "getMembers",
                    (ins "int64_t":$rank)>
  ];
}

#endif // TC_SUPPORT_PIPELINING_TD
