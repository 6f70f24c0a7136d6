//===- Dialects.h - dialects, types and attributes in C -----------*- C -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In the manner of MLIR-C: handles of the dialects, and types and attributes
// that are built from C. Others are parsed (mlirTypeParseGet,
// mlirAttributeParseGet). libTC-C has MLIR-C's functions on IR, passes and
// diagnostics beside its own.
//
// What is asked of a handle that is null, or of another kind, is false, 0, an
// empty string or null, as is a part past the end; what is made of one is null.
//
//===----------------------------------------------------------------------===//

#ifndef TC_C_DIALECTS_H
#define TC_C_DIALECTS_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(TMM, tmm);
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(TCGen05, tcgen05);
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(SM90, sm90);
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(SM80, sm80);

/// The dialects and interfaces that can occur on the way from linalg to PTX,
/// tc's and upstream's.
MLIR_CAPI_EXPORTED void
tcRegisterPipelineDialects(MlirDialectRegistry registry);
/// The same with everything else of upstream.
MLIR_CAPI_EXPORTED void tcRegisterAllDialects(MlirDialectRegistry registry);

//===----------------------------------------------------------------------===//
// Memory spaces of tiles
//===----------------------------------------------------------------------===//

/// `#sm90.smem<order, swizzle>`, by the words of its text ("k_major", "b128");
/// null where one is unknown.
MLIR_CAPI_EXPORTED bool tcAttributeIsASmem(MlirAttribute attribute);
MLIR_CAPI_EXPORTED MlirAttribute tcSmemAttrGet(MlirContext context,
                                               MlirStringRef order,
                                               MlirStringRef swizzle);
MLIR_CAPI_EXPORTED MlirStringRef tcSmemAttrGetOrder(MlirAttribute attribute);
MLIR_CAPI_EXPORTED MlirStringRef tcSmemAttrGetSwizzle(MlirAttribute attribute);

/// `#tcgen05.tmem<ctas>`: Tensor Memory of one CTA or a pair.
MLIR_CAPI_EXPORTED bool tcAttributeIsATmem(MlirAttribute attribute);
MLIR_CAPI_EXPORTED MlirAttribute tcTmemAttrGet(MlirContext context,
                                               int64_t ctas);
MLIR_CAPI_EXPORTED int64_t tcTmemAttrGetCtas(MlirAttribute attribute);

//===----------------------------------------------------------------------===//
// Tiles and pipelines
//===----------------------------------------------------------------------===//

/// `!tmm.buffer<ROWSxCOLUMNSxTYPE, SPACE>`; null with a diagnostic where the
/// space does not take such a tile.
MLIR_CAPI_EXPORTED bool tcTypeIsABuffer(MlirType type);
MLIR_CAPI_EXPORTED MlirType tcBufferTypeGetChecked(MlirLocation location,
                                                   int64_t rows,
                                                   int64_t columns,
                                                   MlirType elementType,
                                                   MlirAttribute space);
MLIR_CAPI_EXPORTED int64_t tcBufferTypeGetRows(MlirType type);
MLIR_CAPI_EXPORTED int64_t tcBufferTypeGetColumns(MlirType type);
MLIR_CAPI_EXPORTED MlirType tcBufferTypeGetElementType(MlirType type);
MLIR_CAPI_EXPORTED MlirAttribute tcBufferTypeGetSpace(MlirType type);

/// `!tmm.pipeline<(BUFFERS), depth = DEPTH>`; null with a diagnostic where
/// there is no such type.
MLIR_CAPI_EXPORTED bool tcTypeIsAPipeline(MlirType type);
MLIR_CAPI_EXPORTED MlirType tcPipelineTypeGetChecked(MlirLocation location,
                                                     intptr_t numBuffers,
                                                     const MlirType *buffers,
                                                     int64_t depth);
MLIR_CAPI_EXPORTED int64_t tcPipelineTypeGetDepth(MlirType type);
MLIR_CAPI_EXPORTED intptr_t tcPipelineTypeGetNumBuffers(MlirType type);
MLIR_CAPI_EXPORTED MlirType tcPipelineTypeGetBuffer(MlirType type,
                                                    intptr_t index);

#ifdef __cplusplus
}
#endif

#endif // TC_C_DIALECTS_H
