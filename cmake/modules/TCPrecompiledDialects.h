// What the conversions, the target and the driver include: the headers of
// TCPrecompiled.h, further dialects of MLIR and those of this project. Compiled
// once (tc_pch_dialects); no file may rely on it: each includes what it uses.
#include "TCPrecompiled.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include "tc/Dialect/SM80/IR/SM80.h"
#include "tc/Dialect/SM90/IR/SM90.h"
#include "tc/Dialect/TCGen05/IR/TCGen05.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"
