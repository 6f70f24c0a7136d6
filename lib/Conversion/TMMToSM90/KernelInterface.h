//===- KernelInterface.h - matrices become kernel parameters ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the lowering: rewrites the parameters of one kernel. Tensor maps
// are in TensorMaps.cpp, all others in KernelInterface.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_TMMTOSM90_KERNELINTERFACE_H
#define TC_LIB_CONVERSION_TMMTOSM90_KERNELINTERFACE_H

#include "tc/Dialect/SM90/IR/SM90.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace tc {

/// A tmm.load or tmm.unload of TMA: its matrix in global memory, the indices of
/// its batch, and its tile in shared memory.
struct TileCopy {
  mlir::Operation *op;
  mlir::OpOperand *matrix;
  mlir::MutableOperandRange batch;
  tmm::BufferType buffer;
  /// CTAs that load a part of the tile each.
  int64_t parts;
};

/// The bytes of `elements` elements of `bits` bits, whole bytes, on the host.
mlir::OpFoldResult emitBytes(mlir::OpBuilder &host, mlir::Location loc,
                             mlir::OpFoldResult elements, int64_t bits);

/// `size` as a tensor map has it. A size of 0 belongs to a sum without terms:
/// nothing is loaded, but the driver refuses it in a tensor map. (A stride of 0
/// is legal: every index names the same elements.) Along a row `least` elements
/// fill whole bytes.
mlir::OpFoldResult emitMapSize(mlir::OpBuilder &host, mlir::Location loc,
                               mlir::OpFoldResult size, int64_t least = 1);

/// What a load of `copy` brings into the L2 cache beside what it reads: the
/// other half of 256 bytes, which a later load asks for, unless its tile asks
/// for that itself. `columns`: those of the matrix, kDynamic where not known.
sm90::L2Promotion getPromotion(const TileCopy &copy, int64_t columns);

/// Rewrites one kernel and its launch, parameter by parameter.
class KernelInterfaceRewriter {
public:
  KernelInterfaceRewriter(mlir::gpu::GPUFuncOp kernel,
                          mlir::gpu::LaunchFuncOp launch)
      : kernel(kernel), launch(launch), host(launch), loc(launch.getLoc()) {}

  mlir::LogicalResult run();

private:
  /// Adds a parameter that the host passes as `operand`, at the location of the
  /// argument that it replaces, whose name it keeps.
  mlir::Value addParameter(mlir::Value operand, mlir::Location at) {
    operands.push_back(operand);
    // After them there may be memory of the kernel.
    return kernel.getBody().front().insertArgument(
        kernel.getNumArguments() + operands.size() - 1, operand.getType(), at);
  }
  /// An i32 parameter with the value of `size`, an index on the host. Sizes
  /// that are passed already are not passed twice.
  mlir::Value addSize(mlir::Value size);
  mlir::LogicalResult addMatrix(unsigned number);
  mlir::LogicalResult addTensorMap(unsigned number,
                                   llvm::MutableArrayRef<TileCopy> copies);
  /// The tensor map of blocks of scale factors: the batch, rows of blocks, and
  /// the bytes of a row of blocks in rows of the widest box.
  mlir::LogicalResult addBlockedMap(unsigned number, TileCopy &copy);
  /// The tensor map of the images whose windows the matrix is.
  mlir::LogicalResult addPixelMap(unsigned number,
                                  llvm::MutableArrayRef<TileCopy> copies);
  /// Checks the addresses of images with strides `steps`.
  mlir::LogicalResult checkImages(mlir::Value images,
                                  llvm::ArrayRef<mlir::OpFoldResult> steps);
  /// Checks the addresses of a matrix with strides `steps` that TMA loads as
  /// tiles or, if `isStored`, stores.
  mlir::LogicalResult checkTileMap(unsigned number,
                                   llvm::ArrayRef<mlir::OpFoldResult> steps,
                                   bool isStored, bool isUnpacked);
  /// Checks a matrix whose tiles threads load by some of `uses`: its addresses,
  /// and that each CTA loads for itself.
  mlir::LogicalResult checkThreadLoads(unsigned number,
                                       llvm::ArrayRef<mlir::OpOperand *> uses);
  mlir::Value addBase(mlir::OpBuilder &device, unsigned number,
                      mlir::Type element, mlir::Attribute space);
  mlir::LogicalResult addPointer(unsigned number,
                                 llvm::ArrayRef<mlir::OpOperand *> uses);
  void prefetchTensorMaps();
  /// Strides of a host matrix in elements, as far as they are known; the others
  /// as values of the host.
  llvm::SmallVector<mlir::OpFoldResult> getStrides(mlir::Value matrix);
  /// The offset of a host matrix in elements.
  mlir::OpFoldResult getOffset(mlir::Value matrix);
  /// The name that diagnostics use: A, B or D where the launch says so.
  std::string nameOf(unsigned number);
  /// What the strided metadata of a host matrix are, created once.
  mlir::memref::ExtractStridedMetadataOp metadata(mlir::Value matrix);

  mlir::gpu::GPUFuncOp kernel;
  mlir::gpu::LaunchFuncOp launch;
  mlir::OpBuilder host;
  mlir::Location loc;
  llvm::SmallVector<mlir::Value> operands;
  llvm::DenseMap<mlir::Value, mlir::memref::ExtractStridedMetadataOp>
      metadataOf;
  /// Sizes that were parameters from the start, by the host's index value.
  llvm::SmallVector<std::pair<mlir::Value, mlir::Value>> sizes;
};

} // namespace tc

#endif // TC_LIB_CONVERSION_TMMTOSM90_KERNELINTERFACE_H
