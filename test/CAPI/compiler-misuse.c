/*===- compiler-misuse.c - wrong calls of tc-c's compiler -----------------===*\
|*
|* Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
|* See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

/* Calls every function of tc-c/Compiler.h, Dialects.h and Passes.h that has
   parameters with null handles, handles of another kind and indices past the
   end. */

#include "Misuse.h"
#include "tc-c/Compiler.h"
#include "tc-c/Dialects.h"
#include "tc-c/Passes.h"

#include <stdint.h>
#include <string.h>

static const MlirStringRef kNone = {NULL, 3};

static MlirStringRef text(const char *string) {
  return mlirStringRefCreateFromCString(string);
}

/* Whether the only diagnostic is this error; drops the compilation. */
static int failed(TcCompilation compilation, const char *message) {
  const MlirStringRef got = tcCompilationGetMessage(compilation, 0);
  const int found =
      !tcCompilationSucceeded(compilation) &&
      tcCompilationGetNumDiagnostics(compilation) == 1 &&
      tcCompilationGetSeverity(compilation, 0) == MlirDiagnosticError &&
      mlirStringRefEqual(got, text(message));
  if (!found)
    printf("got '%.*s'\n", (int)got.length, got.data);
  tcCompilationDestroy(compilation);
  return found;
}

static const char *kLevels =
    "level: expected tmm, tiles, roles, tcgen05, nvvm, llvm, ptx or cubin, "
    "got number 99";

static void misuseCompiler(MlirContext context) {
  const TcCompileOptions options = tcCompileOptionsGetDefault();
  const TcLevel noLevel = (TcLevel)99;
  EXPECT(tcLevelFind, !tcLevelFind(kNone, NULL));
  EXPECT(tcLevelFind, tcLevelFind(text("ptx"), NULL));
  EXPECT(tcCompileText,
         failed(tcCompileText(text(""), text(""), noLevel, options), kLevels));
  TcCompilation compilation = tcCompileText(kNone, kNone, TcLevelPTX, options);
  EXPECT(tcCompileText, !tcCompilationSucceeded(compilation));
  const TcCompileOptions nothing = {kNone, kNone, false, false,
                                    kNone, kNone, false, kNone};
  tcCompilationDestroy(compilation);
  compilation = tcCompileText(text("func.func private @f()"), text("f"),
                              TcLevelTMM, nothing);
  EXPECT(tcCompileText, tcCompilationGetNumDiagnostics(compilation) > 0);
  TcCompileOptions wrong = options;
  wrong.f32 = text("bf16x3");
  wrong.allowTf32 = true;
  EXPECT(tcCompileText,
         failed(tcCompileText(text(""), text(""), TcLevelPTX, wrong),
                "f32: expected tf32 beside allow-tf32, got 'bf16x3'"));

  const MlirModule noModule = {NULL};
  EXPECT(tcCompileModule, failed(tcCompileModule(noModule, TcLevelPTX, options),
                                 "module: expected a module, got none"));
  MlirModule module = mlirModuleCreateParse(context, text(""));
  EXPECT(tcCompileModule,
         failed(tcCompileModule(module, noLevel, options), kLevels));
  mlirModuleDestroy(module);

  const TcCompilation none = {NULL};
  CALL(tcCompilationDestroy, none);
  EXPECT(tcCompilationSucceeded, !tcCompilationSucceeded(none));
  EXPECT(tcCompilationGetOutput, tcCompilationGetOutput(none).length == 0);
  EXPECT(tcCompilationGetDescription,
         tcCompilationGetDescription(none).length == 0);
  EXPECT(tcCompilationGetNumDiagnostics,
         tcCompilationGetNumDiagnostics(none) == 0);
  const intptr_t indices[] = {
      0, -1, tcCompilationGetNumDiagnostics(compilation), INTPTR_MAX};
  for (int i = 0; i < 4; ++i) {
    const TcCompilation which = i ? compilation : none;
    const intptr_t index = indices[i];
    EXPECT(tcCompilationGetSeverity,
           tcCompilationGetSeverity(which, index) == MlirDiagnosticError);
    EXPECT(tcCompilationGetMessage,
           tcCompilationGetMessage(which, index).length == 0);
    EXPECT(tcCompilationGetFile,
           tcCompilationGetFile(which, index).length == 0);
    EXPECT(tcCompilationGetLine, tcCompilationGetLine(which, index) == 0);
    EXPECT(tcCompilationGetColumn, tcCompilationGetColumn(which, index) == 0);
  }
  tcCompilationDestroy(compilation);

  const MlirOpPassManager noManager = {NULL};
  CALL(tcBuildPipeline, noManager, TcLevelNVVM, options);
  MlirPassManager manager = mlirPassManagerCreate(context);
  CALL(tcBuildPipeline, mlirPassManagerGetAsOpPassManager(manager), noLevel,
       options);
  mlirPassManagerDestroy(manager);
}

static void misuseDialects(MlirContext context) {
  const MlirDialectRegistry noRegistry = {NULL};
  const MlirContext noContext = {NULL};
  const MlirLocation noLocation = {NULL};
  const MlirLocation location = mlirLocationUnknownGet(context);
  const MlirType noType = {NULL};
  const MlirAttribute noAttribute = {NULL};
  CALL(tcRegisterPipelineDialects, noRegistry);
  CALL(tcRegisterAllDialects, noRegistry);

  const MlirAttribute smem =
      tcSmemAttrGet(context, text("k_major"), text("b128"));
  const MlirAttribute tmem = tcTmemAttrGet(context, 1);
  EXPECT(tcSmemAttrGet, mlirAttributeIsNull(tcSmemAttrGet(
                            noContext, text("k_major"), text("b128"))));
  EXPECT(tcSmemAttrGet,
         mlirAttributeIsNull(tcSmemAttrGet(context, kNone, kNone)));
  EXPECT(tcTmemAttrGet, mlirAttributeIsNull(tcTmemAttrGet(noContext, 1)) &&
                            mlirAttributeIsNull(tcTmemAttrGet(context, 3)));
  EXPECT(tcAttributeIsASmem, !tcAttributeIsASmem(noAttribute));
  EXPECT(tcAttributeIsATmem, !tcAttributeIsATmem(noAttribute));
  EXPECT(tcSmemAttrGetOrder, tcSmemAttrGetOrder(noAttribute).length == 0 &&
                                 tcSmemAttrGetOrder(tmem).length == 0);
  EXPECT(tcSmemAttrGetSwizzle, tcSmemAttrGetSwizzle(noAttribute).length == 0 &&
                                   tcSmemAttrGetSwizzle(tmem).length == 0);
  EXPECT(tcTmemAttrGetCtas,
         tcTmemAttrGetCtas(noAttribute) == 0 && tcTmemAttrGetCtas(smem) == 0);

  const MlirType element = mlirTypeParseGet(context, text("bf16"));
  const MlirType buffer =
      tcBufferTypeGetChecked(location, 128, 64, element, smem);
  const MlirType pipeline = tcPipelineTypeGetChecked(location, 1, &buffer, 2);
  if (mlirTypeIsNull(buffer) || mlirTypeIsNull(pipeline))
    exit(1);
  EXPECT(tcBufferTypeGetChecked, mlirTypeIsNull(tcBufferTypeGetChecked(
                                     noLocation, 128, 64, element, smem)));
  EXPECT(tcBufferTypeGetChecked, mlirTypeIsNull(tcBufferTypeGetChecked(
                                     location, 128, 64, noType, smem)));
  EXPECT(tcBufferTypeGetChecked, mlirTypeIsNull(tcBufferTypeGetChecked(
                                     location, 128, 64, element, noAttribute)));
  EXPECT(tcBufferTypeGetChecked, mlirTypeIsNull(tcBufferTypeGetChecked(
                                     location, -1, INT64_MIN, element, smem)));
  EXPECT(tcPipelineTypeGetChecked,
         mlirTypeIsNull(tcPipelineTypeGetChecked(noLocation, 1, &buffer, 2)));
  EXPECT(tcPipelineTypeGetChecked,
         mlirTypeIsNull(tcPipelineTypeGetChecked(location, 1, NULL, 2)));
  EXPECT(tcPipelineTypeGetChecked,
         mlirTypeIsNull(tcPipelineTypeGetChecked(location, -1, &buffer, 2)));
  EXPECT(tcPipelineTypeGetChecked,
         mlirTypeIsNull(tcPipelineTypeGetChecked(location, 1, &noType, 2)));
  const MlirType others[] = {noType, element};
  for (int i = 0; i < 2; ++i) {
    EXPECT(tcTypeIsABuffer, !tcTypeIsABuffer(others[i]));
    EXPECT(tcTypeIsAPipeline, !tcTypeIsAPipeline(others[i]));
    EXPECT(tcBufferTypeGetRows, tcBufferTypeGetRows(others[i]) == 0);
    EXPECT(tcBufferTypeGetColumns, tcBufferTypeGetColumns(others[i]) == 0);
    EXPECT(tcBufferTypeGetElementType,
           mlirTypeIsNull(tcBufferTypeGetElementType(others[i])));
    EXPECT(tcBufferTypeGetSpace,
           mlirAttributeIsNull(tcBufferTypeGetSpace(others[i])));
    EXPECT(tcPipelineTypeGetDepth, tcPipelineTypeGetDepth(others[i]) == 0);
    EXPECT(tcPipelineTypeGetNumBuffers,
           tcPipelineTypeGetNumBuffers(others[i]) == 0);
    EXPECT(tcPipelineTypeGetBuffer,
           mlirTypeIsNull(tcPipelineTypeGetBuffer(others[i], 0)));
  }
  EXPECT(tcPipelineTypeGetBuffer,
         mlirTypeIsNull(tcPipelineTypeGetBuffer(pipeline, 1)) &&
             mlirTypeIsNull(tcPipelineTypeGetBuffer(pipeline, -1)));
}

int main(void) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  tcRegisterPipelineDialects(registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, false);
  mlirDialectRegistryDestroy(registry);
  misuseCompiler(context);
  misuseDialects(context);
  mlirContextDestroy(context);
  printf("done\n");
  return 0;
}
