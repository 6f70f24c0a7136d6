//===- Compiler.h - a module to any level, in C -------------------*- C -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What tc-compile does, in memory. A compilation holds what came out, the
// kernel description (docs/KernelDescription.md) and all diagnostics; its
// strings live as long as it does.
//
// A handle that is null, a level that is none, or an index past the end is an
// error too: a compilation that fails and says so, else false, 0, an empty
// string, MlirDiagnosticError, or nothing is done. A string whose data is NULL
// is empty.
//
//===----------------------------------------------------------------------===//

#ifndef TC_C_COMPILER_H
#define TC_C_COMPILER_H

#include "mlir-c/Diagnostics.h"
#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"

#ifdef __cplusplus
extern "C" {
#endif

/// From the first to the last.
typedef enum TcLevel {
  TcLevelTMM,
  TcLevelTiles,
  TcLevelRoles,
  TcLevelTCGen05,
  TcLevelNVVM,
  TcLevelLLVM,
  TcLevelPTX,
  TcLevelCubin
} TcLevel;

typedef struct TcCompileOptions {
  MlirStringRef chip;   ///< empty: sm_100a
  MlirStringRef config; ///< fields, as "tile=128x128x64 stages=4"
  bool allowTf32;       ///< f32 of linalg is multiplied as tf32
  bool explain;         ///< remarks on how each matmul is configured
  MlirStringRef ptxas;  ///< empty: that of CUDA_HOME, else of PATH
  MlirStringRef f32;    ///< how f32 is multiplied, as "bf16x3"; empty: "bf16x9"
  bool genericForm;     ///< IR for parsers without tc's dialects
  MlirStringRef tuned;  ///< a file of measured configurations; empty: none
} TcCompileOptions;

typedef struct TcCompilation {
  void *ptr;
} TcCompilation;

/// The version of the project, as "0.1.0", and of LLVM.
MLIR_CAPI_EXPORTED MlirStringRef tcVersion(void);
MLIR_CAPI_EXPORTED MlirStringRef tcLLVMVersion(void);

/// Everything empty and off.
MLIR_CAPI_EXPORTED TcCompileOptions tcCompileOptionsGetDefault(void);

/// The level called "tmm" to "cubin"; false where there is none. `level` may be
/// NULL.
MLIR_CAPI_EXPORTED bool tcLevelFind(MlirStringRef name, TcLevel *level);

/// Compiles the text of a module, of any level, in a context of its own. `name`
/// starts diagnostics.
MLIR_CAPI_EXPORTED TcCompilation tcCompileText(MlirStringRef text,
                                               MlirStringRef name,
                                               TcLevel level,
                                               TcCompileOptions options);
/// Lowers `module` in place. Its context has the dialects of
/// tcRegisterPipelineDialects; its diagnostics end up in the compilation.
MLIR_CAPI_EXPORTED TcCompilation tcCompileModule(MlirModule module,
                                                 TcLevel level,
                                                 TcCompileOptions options);
MLIR_CAPI_EXPORTED void tcCompilationDestroy(TcCompilation compilation);

MLIR_CAPI_EXPORTED bool tcCompilationSucceeded(TcCompilation compilation);
/// IR, LLVM IR or PTX as text, or the bytes of a cubin; empty where it failed.
MLIR_CAPI_EXPORTED MlirStringRef
tcCompilationGetOutput(TcCompilation compilation);
/// JSON; empty below PTX and where no function launches kernels.
MLIR_CAPI_EXPORTED MlirStringRef
tcCompilationGetDescription(TcCompilation compilation);

/// Diagnostics in their order; notes follow what they are attached to.
MLIR_CAPI_EXPORTED intptr_t
tcCompilationGetNumDiagnostics(TcCompilation compilation);
MLIR_CAPI_EXPORTED MlirDiagnosticSeverity
tcCompilationGetSeverity(TcCompilation compilation, intptr_t index);
MLIR_CAPI_EXPORTED MlirStringRef
tcCompilationGetMessage(TcCompilation compilation, intptr_t index);
/// The place in the text, from 1; an empty file and 0 where there is none.
MLIR_CAPI_EXPORTED MlirStringRef tcCompilationGetFile(TcCompilation compilation,
                                                      intptr_t index);
MLIR_CAPI_EXPORTED unsigned tcCompilationGetLine(TcCompilation compilation,
                                                 intptr_t index);
MLIR_CAPI_EXPORTED unsigned tcCompilationGetColumn(TcCompilation compilation,
                                                   intptr_t index);

/// Appends the passes that bring a module to `level`, at most TcLevelNVVM.
MLIR_CAPI_EXPORTED void tcBuildPipeline(MlirOpPassManager manager,
                                        TcLevel level,
                                        TcCompileOptions options);

#ifdef __cplusplus
}
#endif

#endif // TC_C_COMPILER_H
