//===- Pipelining.cpp - what back ends tell the middle ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Definitions of the interfaces generated from Pipelining.td, and what threads
// do everywhere.
//
//===----------------------------------------------------------------------===//

#include "tc/Support/Pipelining.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "tc/Support/PipeliningAttrInterfaces.cpp.inc"

using namespace mlir;
using namespace tc;

void Issue::emitArriving(OpBuilder &builder, Location loc,
                         function_ref<void(OpBuilder &)> body) const {
  if (count <= 1)
    return body(builder);
  Type type = builder.getI32Type();
  Value thread = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
  thread = arith::IndexCastOp::create(builder, loc, type, thread);
  Value group = arith::ConstantIntOp::create(builder, loc, type, count);
  Value inGroup = arith::RemUIOp::create(builder, loc, thread, group);
  Value zero = arith::ConstantIntOp::create(builder, loc, type, 0);
  Value first = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                      inGroup, zero);
  auto guard = scf::IfOp::create(builder, loc, first);
  OpBuilder in = guard.getThenBodyBuilder();
  body(in);
}

void tc::emitThreadArrivals(OpBuilder &builder, Location loc,
                            const Arrival &arrival) {
  for (Value storage : arrival.targets)
    arrival.signal.emitArrive(builder, loc,
                              {arrival.emitSlot(builder, loc, storage),
                               arrival.arrivals, arrival.relaxed,
                               arrival.crosses});
}
