//===- SM90ClusterLaunchControlOps.cpp - work stealing ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The type constraint and the verifier of SM90ClusterLaunchControlOps.td.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/SM90/IR/SM90.h"
#include "tc/Support/ISA.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tc;
using namespace tc::sm90;

bool tc::sm90::isLaunchResponse(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && memref.getLayout().isIdentity() &&
         memref.getShape() == ArrayRef<int64_t>{2} &&
         memref.getElementType().isSignlessInteger(64) && isSmemMemRef(memref);
}

LogicalResult ClusterLaunchControlTryCancelOp::verify() {
  // sm90_clusterlaunchcontrol_try_cancel_c1
  auto view = getResponse().getDefiningOp<SmemViewOp>();
  if (!view || !view.getDynamicOffset().empty())
    return success();
  int64_t offset = view.getStaticOffset().front();
  if (offset % kLaunchResponseBytes == 0)
    return success();
  InFlightDiagnostic diagnostic =
      emitOpError() << "expected a response at a multiple of "
                    << kLaunchResponseBytes << " bytes, got " << offset
                    << ", the nearest is "
                    << llvm::alignTo(offset, kLaunchResponseBytes) << " "
                    << cite(ISASection::ClusterLaunchTryCancel);
  diagnostic.attachNote(view.getLoc()) << "the offset is given here";
  return diagnostic;
}
