//===- Ptxas.h - PTX to cubin -----------------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs NVIDIA's assembler in a process of its own.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TARGET_PTX_PTXAS_H
#define TC_TARGET_PTX_PTXAS_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace tc {

/// What ptxas says about one kernel.
struct KernelResources {
  std::string name;
  unsigned registers = 0;
  /// Bytes per thread.
  unsigned stackFrame = 0;
  unsigned spillStores = 0;
  unsigned spillLoads = 0;
  /// Whether each wgmma waits for the one before: ptxas moves registers of an
  /// accumulator between them.
  bool serializesWgmma = false;
};

/// What is wrong with `kernel` although it is right: it spills, or serialises
/// its wgmma. Empty: nothing.
std::string describeLoss(const KernelResources &kernel);

/// A device binary and what its kernels use.
struct Cubin {
  std::string binary;
  llvm::SmallVector<KernelResources> kernels;
};

using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;

/// What names the assembler: `option`, else the environment variable TC_PTXAS;
/// empty: nothing does.
std::string getNamedPtxas(llvm::StringRef option);

/// As findPtxas, without a message.
std::optional<std::string> lookUpPtxas(llvm::StringRef path,
                                       llvm::StringRef cudaHome);

/// The assembler to run: `path` where it is not empty (getNamedPtxas),
/// else the first ptxas in the folders of PATH, else the one in the folder
/// `cudaHome`/bin (skipped if empty). Failure emits what was looked for.
llvm::FailureOr<std::string>
findPtxas(llvm::StringRef path, llvm::StringRef cudaHome, EmitError emitError);

/// The CUDA release of the program `ptxas`, as `130` for 13.0; nothing where it
/// does not say.
std::optional<unsigned> getPtxasRelease(llvm::StringRef ptxas);
/// The latest PTX version that ptxas of such a release takes, as `90` for 9.0
/// (PTX ISA, "Release Notes").
unsigned getPtxVersionOfRelease(unsigned release);

/// Assembles `ptx` for `chip` with the program `ptxas`. Failure emits the
/// messages of ptxas, and says so first where its release is too old for the
/// `.version` of the text.
llvm::FailureOr<Cubin> assemblePTX(llvm::StringRef ptx, llvm::StringRef chip,
                                   llvm::StringRef ptxas, EmitError emitError);

/// Reads the resource usage out of what `ptxas -v` prints.
llvm::SmallVector<KernelResources> parseResourceUsage(llvm::StringRef log);

} // namespace tc

#endif // TC_TARGET_PTX_PTXAS_H
