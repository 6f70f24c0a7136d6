//===- KernelDescription.h - how to launch what was compiled ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel description: a JSON file beside the PTX by which a program that
// does not use MLIR launches the kernels. It is read off the host function,
// which stays ordinary IR through the whole pipeline and is the only place
// where sizes, checks, tensor maps and launches are stated.
//
// What the host function may hold:
//   memref.dim of an argument           a size, named M, N, K by the problem
//   arith, affine.apply/min/max         expressions over the sizes
//   memref.cast, subview, ...           views of a buffer
//   memref.alloc                        a temporary buffer, or an output where
//                                       the function returns it
//   memref.get_global                   a constant, or a variable: a temporary
//                                       with first contents
//   cf.assert                           a constraint with its message
//   sm90.tensor_map.encode              a tensor map
//   scf.if around a launch or check     when it takes place
//   gpu.launch_func                     a launch
// Anything else with an effect is an error that names the operation.
//
// What a launch computes is said by the tmm.problem before it, from which
// sizes and buffers get their names. A launch without one, or one on parts of
// buffers (memref.subview), is described without names of its own.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TARGET_PTX_KERNELDESCRIPTION_H
#define TC_TARGET_PTX_KERNELDESCRIPTION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace tc {

/// The host functions of `module` that launch kernels, in order. Where there is
/// neither a launch nor a kernel, the function if there is only one: all that
/// it computes is empty.
llvm::SmallVector<mlir::func::FuncOp> findHostFunctions(mlir::ModuleOp module);

/// The kernel description of `function`, whose kernels were compiled for
/// `chip`, as JSON text. Failure emits what cannot be expressed, on the
/// operation concerned; so does a check that can never hold.
llvm::FailureOr<std::string> describeKernels(mlir::func::FuncOp function,
                                             llvm::StringRef chip);

} // namespace tc

#endif // TC_TARGET_PTX_KERNELDESCRIPTION_H
