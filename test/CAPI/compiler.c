/*===- compiler.c - every call of tc-c's compiler -------------------------===*\
|*
|* Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
|* See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

/* Calls every function of tc-c/Compiler.h and tc-c/Dialects.h, and a pass of
   each group of tc-c/Passes.h; prints what compiler.test checks. */

#include "tc-c/Compiler.h"
#include "tc-c/Dialects.h"
#include "tc-c/Passes.h"

#include "mlir-c/BuiltinAttributes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static MlirStringRef text(const char *string) {
  return mlirStringRefCreateFromCString(string);
}

static void printPart(MlirStringRef string, void *unused) {
  (void)unused;
  printf("%.*s", (int)string.length, string.data);
}

static bool contains(MlirStringRef string, const char *part) {
  char *copy = malloc(string.length + 1);
  memcpy(copy, string.data, string.length);
  copy[string.length] = 0;
  bool found = strstr(copy, part) != NULL;
  free(copy);
  return found;
}

static const char *severityName(MlirDiagnosticSeverity severity) {
  switch (severity) {
  case MlirDiagnosticError:
    return "error";
  case MlirDiagnosticWarning:
    return "warning";
  case MlirDiagnosticNote:
    return "note";
  case MlirDiagnosticRemark:
    return "remark";
  }
  return "?";
}

static void printDiagnostics(TcCompilation compilation) {
  for (intptr_t i = 0; i < tcCompilationGetNumDiagnostics(compilation); ++i) {
    MlirStringRef file = tcCompilationGetFile(compilation, i);
    MlirStringRef message = tcCompilationGetMessage(compilation, i);
    printf("  %.*s:%u:%u: %s: %.*s\n", (int)file.length, file.data,
           tcCompilationGetLine(compilation, i),
           tcCompilationGetColumn(compilation, i),
           severityName(tcCompilationGetSeverity(compilation, i)),
           (int)message.length, message.data);
  }
}

static const char *kMatmul =
    "func.func @f(%a: memref<256x128xbf16>, %b: memref<128x64xbf16>,\n"
    "             %d: memref<256x64xf32>) {\n"
    "  linalg.matmul ins(%a, %b : memref<256x128xbf16>, memref<128x64xbf16>)\n"
    "                outs(%d : memref<256x64xf32>)\n"
    "  return\n"
    "}\n";

static void testLevels(void) {
  printf("levels\n");
  const char *names[] = {"tmm",  "tiles", "roles", "tcgen05",
                         "nvvm", "llvm",  "ptx"};
  const char *parts[] = {"tmm.matmul",     "tmm.load", "tmm.producer_acquire",
                         "tcgen05.mma",    "nvvm.",    "define ptx_kernel",
                         ".visible .entry"};
  for (int i = 0; i < 7; ++i) {
    TcLevel level;
    if (!tcLevelFind(text(names[i]), &level))
      exit(1);
    TcCompilation compilation = tcCompileText(
        text(kMatmul), text("f.mlir"), level, tcCompileOptionsGetDefault());
    printf("%s: %s, %s, description %s\n", names[i],
           tcCompilationSucceeded(compilation) ? "succeeded" : "failed",
           contains(tcCompilationGetOutput(compilation), parts[i])
               ? parts[i]
               : "other output",
           tcCompilationGetDescription(compilation).length ? "yes" : "no");
    tcCompilationDestroy(compilation);
  }
  TcLevel level;
  printf("unknown: %d\n", tcLevelFind(text("hlo"), &level));
}

/* A table of measured configurations, and none. */
static void testTuned(const char *file) {
  TcCompileOptions options = tcCompileOptionsGetDefault();
  options.explain = true;
  options.tuned = text(file);
  TcCompilation compilation =
      tcCompileText(text(kMatmul), text("f.mlir"), TcLevelTMM, options);
  printf("tuned: %d, %s\n", tcCompilationSucceeded(compilation),
         contains(tcCompilationGetMessage(compilation, 0),
                  "by the measured configuration")
             ? "measured"
             : "chosen");
  tcCompilationDestroy(compilation);
  options.tuned = text("/nowhere/tuned.txt");
  compilation =
      tcCompileText(text(kMatmul), text("f.mlir"), TcLevelTMM, options);
  printf("no table: %d\n", tcCompilationSucceeded(compilation));
  printDiagnostics(compilation);
  tcCompilationDestroy(compilation);
}

static void testOptions(const char *tuned) {
  printf("options\n");
  testTuned(tuned);
  TcCompileOptions options = tcCompileOptionsGetDefault();
  options.chip = text("sm_90a");
  options.config = text("tile=128x64x64 stages=3");
  options.explain = true;
  TcCompilation compilation =
      tcCompileText(text(kMatmul), text("f.mlir"), TcLevelPTX, options);
  printf("hopper: %d, remarks %d, chip %d\n",
         contains(tcCompilationGetOutput(compilation), "wgmma"),
         tcCompilationGetNumDiagnostics(compilation) > 0 &&
             tcCompilationGetSeverity(compilation, 0) == MlirDiagnosticRemark,
         contains(tcCompilationGetDescription(compilation), "\"sm_90a\""));
  tcCompilationDestroy(compilation);

  /* IR for parsers that do not have the dialects. */
  options = tcCompileOptionsGetDefault();
  options.genericForm = true;
  TcCompilation generic =
      tcCompileText(text(kMatmul), text("f.mlir"), TcLevelTMM, options);
  printf("generic form: %s\n",
         contains(tcCompilationGetOutput(generic), "\"tmm.matmul\"(") ? "yes"
                                                                      : "no");
  tcCompilationDestroy(generic);

  /* f32 is refused where that is asked for, unless it may be tf32. */
  const char *f32 =
      "func.func @f(%a: memref<64x64xf32>, %b: memref<64x64xf32>, %d: "
      "memref<64x64xf32>) {\n"
      "  linalg.matmul ins(%a, %b : memref<64x64xf32>, memref<64x64xf32>) "
      "outs(%d : memref<64x64xf32>)\n"
      "  return\n"
      "}\n";
  for (int allow = 0; allow < 2; ++allow) {
    options = tcCompileOptionsGetDefault();
    options.allowTf32 = allow != 0;
    options.f32 = text(allow ? "" : "refuse");
    compilation =
        tcCompileText(text(f32), text("f32.mlir"), TcLevelTMM, options);
    printf("tf32 %d: %s\n", allow,
           contains(tcCompilationGetOutput(compilation), "tmm.matmul")
               ? "tmm.matmul"
               : "no tmm.matmul");
    tcCompilationDestroy(compilation);
  }

  options = tcCompileOptionsGetDefault();
  options.ptxas = text("/nowhere/ptxas");
  compilation =
      tcCompileText(text(kMatmul), text("f.mlir"), TcLevelCubin, options);
  printf("no ptxas: %d\n", tcCompilationSucceeded(compilation));
  printDiagnostics(compilation);
  tcCompilationDestroy(compilation);

  options = tcCompileOptionsGetDefault();
  options.chip = text("sm_42");
  compilation =
      tcCompileText(text(kMatmul), text("f.mlir"), TcLevelPTX, options);
  printf("no chip: %d, %zu bytes\n", tcCompilationSucceeded(compilation),
         tcCompilationGetOutput(compilation).length);
  printDiagnostics(compilation);
  tcCompilationDestroy(compilation);

  options = tcCompileOptionsGetDefault();
  options.config = text("tile=1000x64x64");
  compilation =
      tcCompileText(text(kMatmul), text("f.mlir"), TcLevelPTX, options);
  printf("no tile: %d\n", tcCompilationSucceeded(compilation));
  printDiagnostics(compilation);
  tcCompilationDestroy(compilation);

  compilation = tcCompileText(text("func.func @f(\n"), text("bad.mlir"),
                              TcLevelPTX, tcCompileOptionsGetDefault());
  printf("no module: %d\n", tcCompilationSucceeded(compilation));
  printDiagnostics(compilation);
  tcCompilationDestroy(compilation);
}

static MlirContext createContext(void) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  tcRegisterPipelineDialects(registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, false);
  mlirDialectRegistryDestroy(registry);
  return context;
}

static void testModules(void) {
  printf("modules\n");
  MlirContext context = createContext();
  MlirModule module = mlirModuleCreateParse(context, text(kMatmul));
  TcCompilation compilation =
      tcCompileModule(module, TcLevelTiles, tcCompileOptionsGetDefault());
  printf("tiles: %d\n", tcCompilationSucceeded(compilation));
  tcCompilationDestroy(compilation);
  /* In place: the module goes on from where it is. */
  compilation =
      tcCompileModule(module, TcLevelPTX, tcCompileOptionsGetDefault());
  printf("ptx: %d, %d\n", tcCompilationSucceeded(compilation),
         contains(tcCompilationGetOutput(compilation), "tcgen05.mma"));
  tcCompilationDestroy(compilation);
  mlirModuleDestroy(module);

  module = mlirModuleCreateParse(context, text("func.func private @f()"));
  compilation =
      tcCompileModule(module, TcLevelPTX, tcCompileOptionsGetDefault());
  printf("nothing to compile: %d\n", tcCompilationSucceeded(compilation));
  printDiagnostics(compilation);
  tcCompilationDestroy(compilation);
  mlirModuleDestroy(module);
  mlirContextDestroy(context);
}

static void testPasses(void) {
  printf("passes\n");
  MlirContext context = createContext();
  MlirModule module = mlirModuleCreateParse(context, text(kMatmul));
  MlirPassManager manager = mlirPassManagerCreate(context);
  MlirOpPassManager passes = mlirPassManagerGetAsOpPassManager(manager);
  mlirOpPassManagerAddOwnedPass(passes,
                                mlirCreateTCConversionConvertLinalgToTMMPass());
  mlirOpPassManagerAddOwnedPass(passes, mlirCreateTMMChooseConfigPass());
  mlirOpPassManagerAddOwnedPass(passes, mlirCreateTMMTilePass());
  printf("by hand: %d\n", mlirLogicalResultIsSuccess(mlirPassManagerRunOnOp(
                              manager, mlirModuleGetOperation(module))));
  mlirPassManagerDestroy(manager);

  manager = mlirPassManagerCreate(context);
  TcCompileOptions options = tcCompileOptionsGetDefault();
  tcBuildPipeline(mlirPassManagerGetAsOpPassManager(manager), TcLevelTCGen05,
                  options);
  printf("pipeline: %d\n", mlirLogicalResultIsSuccess(mlirPassManagerRunOnOp(
                               manager, mlirModuleGetOperation(module))));
  mlirPassManagerDestroy(manager);
  mlirModuleDestroy(module);

  tcRegisterAllPasses();
  manager = mlirPassManagerCreate(context);
  passes = mlirPassManagerGetAsOpPassManager(manager);
  printf("text: %d\n", mlirLogicalResultIsSuccess(mlirParsePassPipeline(
                           passes,
                           text("builtin.module(tc-drop-foreign,tc-lower-to-"
                                "nvvm{chip=sm_90a},tc-serialize-gpu-modules)"),
                           printPart, NULL)));
  mlirPassManagerDestroy(manager);
  mlirContextDestroy(context);
}

static void testTypes(void) {
  printf("types\n");
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  tcRegisterAllDialects(registry);
  mlirDialectRegistryDestroy(registry);

  MlirContext context = mlirContextCreate();
  mlirDialectHandleRegisterDialect(mlirGetDialectHandle__tmm__(), context);
  mlirDialectHandleLoadDialect(mlirGetDialectHandle__tcgen05__(), context);
  mlirDialectHandleLoadDialect(mlirGetDialectHandle__sm90__(), context);
  mlirDialectHandleLoadDialect(mlirGetDialectHandle__sm80__(), context);
  MlirLocation location = mlirLocationUnknownGet(context);
  MlirAttribute smem = tcSmemAttrGet(context, text("k_major"), text("b128"));
  MlirAttribute tmem = tcTmemAttrGet(context, 2);
  printf("smem: %d %d, ", tcAttributeIsASmem(smem), tcAttributeIsASmem(tmem));
  printPart(tcSmemAttrGetOrder(smem), NULL);
  printf(" ");
  printPart(tcSmemAttrGetSwizzle(smem), NULL);
  printf(", unknown %d\n", mlirAttributeIsNull(tcSmemAttrGet(
                               context, text("k_major"), text("b1000"))));
  printf("tmem: %d %d, %d CTAs\n", tcAttributeIsATmem(tmem),
         tcAttributeIsATmem(smem), (int)tcTmemAttrGetCtas(tmem));

  MlirType bf16 = mlirTypeParseGet(context, text("bf16"));
  MlirType buffer = tcBufferTypeGetChecked(location, 128, 64, bf16, smem);
  printf("buffer: %d %d, %d x %d, element %d, space %d\n",
         tcTypeIsABuffer(buffer), tcTypeIsABuffer(bf16),
         (int)tcBufferTypeGetRows(buffer), (int)tcBufferTypeGetColumns(buffer),
         mlirTypeEqual(tcBufferTypeGetElementType(buffer), bf16),
         mlirAttributeEqual(tcBufferTypeGetSpace(buffer), smem));
  MlirType pipeline = tcPipelineTypeGetChecked(location, 1, &buffer, 4);
  printf("pipeline: %d %d, depth %d, %d buffers, first %d\n",
         tcTypeIsAPipeline(pipeline), tcTypeIsAPipeline(buffer),
         (int)tcPipelineTypeGetDepth(pipeline),
         (int)tcPipelineTypeGetNumBuffers(pipeline),
         mlirTypeEqual(tcPipelineTypeGetBuffer(pipeline, 0), buffer));
  mlirTypePrint(pipeline, printPart, NULL);
  printf("\n");
  fflush(stdout);
  printf("refused: %d %d %d\n",
         mlirTypeIsNull(tcBufferTypeGetChecked(location, 128, 64, bf16,
                                               mlirUnitAttrGet(context))),
         mlirTypeIsNull(tcPipelineTypeGetChecked(location, 1, &bf16, 4)),
         mlirTypeIsNull(tcPipelineTypeGetChecked(location, 1, &buffer, 0)));
  mlirContextDestroy(context);
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  printf("version ");
  printPart(tcVersion(), NULL);
  printf(", LLVM ");
  printPart(tcLLVMVersion(), NULL);
  printf("\n");
  testLevels();
  testOptions(argv[1]);
  testModules();
  testPasses();
  testTypes();
  printf("done\n");
  return 0;
}
