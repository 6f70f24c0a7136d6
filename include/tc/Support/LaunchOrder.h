//===- LaunchOrder.h - kernels that follow others ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What operations of a kernel say of those after it.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_LAUNCHORDER_H
#define TC_SUPPORT_LAUNCHORDER_H

#include "mlir/IR/OpDefinition.h"

namespace tc {

/// A trait of operations after which the kernels that follow may start, before
/// this one has ended. They wait for its end themselves, before they access
/// memory (PTX ISA, "griddepcontrol").
template <typename ConcreteType>
class LetsDependentsStart
    : public mlir::OpTrait::TraitBase<ConcreteType, LetsDependentsStart> {};

} // namespace tc

#endif // TC_SUPPORT_LAUNCHORDER_H
