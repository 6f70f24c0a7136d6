//===- MatrixUnit.h - what a matrix unit asks of tiles ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How a back end specifies for the pass that cuts a problem into tiles where
// operands and accumulators live, which engines work on them and which roles a
// kernel has. The back end registers the interface with its dialect.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_MATRIXUNIT_H
#define TC_SUPPORT_MATRIXUNIT_H

#include "tc/Support/Pipelining.h"
#include "tc/Support/RegisterLayout.h"
#include "tc/Support/Units.h"

#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectInterface.h"
#include "mlir/IR/DialectRegistry.h"

#include <memory>
#include <string>

namespace tc {

/// A problem and its configuration, as far as a matrix unit is concerned.
struct TileRequest {
  /// Output tile of the CTAs that one instruction spans, and K-block, in
  /// elements.
  int64_t tileM, tileN, tileK;
  /// CTAs that one instruction spans.
  int64_t spanCtas;
  /// Element types of A, B and D.
  mlir::Type a, b, d;
  /// Whether the K dimension of an operand tile is contiguous in memory.
  bool aKMajor, bKMajor;
  /// Bytes of the swizzle pattern of operand tiles, 0: none.
  int64_t swizzle;
  /// Columns of D that the epilogue holds at a time, and the bytes of the
  /// swizzle pattern of a store buffer with them.
  int64_t subtile, storeSwizzle;
  /// The element type of scale factors of A and B, and the elements of K that
  /// share one; null where there are none.
  mlir::Type scale = {};
  int64_t scaleBlock = 0;
  /// Whether A is sparse: of each row half of the elements is there.
  bool isSparse = false;
  /// The type in which the unit keeps sums.
  mlir::Type sum = {};
  /// Instances of the role that multiplies and stores, which take turns in
  /// tiles.
  int64_t turns = 1;
};

/// One role of a kernel of the unit.
struct RoleRequest {
  std::string name;
  int64_t warps;
  /// The engines that it drives.
  llvm::SmallVector<mlir::Attribute, 2> drives;
  /// Whether it stores D: it may have registers of the others.
  bool stores = false;
  /// Instances of it, which take turns in tiles.
  int64_t turns = 1;
};

/// Where the tiles of a kernel live, and what works on them.
struct TileParts {
  EngineAttrInterface load, multiply, store;
  /// Whether `multiply` always adds to its accumulator, which is set to zero
  /// before.
  bool alwaysAdds = false;
  /// What the threads of a role load tiles by that `load` cannot address: in
  /// copies of 4 bytes and more, and element by element.
  EngineAttrInterface loadCopies, loadElements;
  MemorySpaceAttrInterface a, b, staging;
  /// The engine that assigns work taken over from others; null where the chip
  /// has no such engine.
  EngineAttrInterface workSource;
  /// The engine that counts the work that no CTA has yet, and where answers of
  /// both live.
  EngineAttrInterface workCounter;
  MemorySpaceAttrInterface answer;
  /// Where accumulators live; null: in the registers of the role that
  /// multiplies.
  MemorySpaceAttrInterface accumulator;
  /// Where scale factors arrive, and, where the unit reads them elsewhere,
  /// where that is and who copies them; null where the unit takes none.
  MemorySpaceAttrInterface scales, scaleColumns;
  /// The same of the metadata of a sparse A.
  MemorySpaceAttrInterface metadata, metadataColumns;
  EngineAttrInterface copy;
  /// How register tiles of the accumulator's rows are dealt to the threads.
  RegisterLayoutAttrInterface registers;
  /// Rows of a tile of B in each of the CTAs that one instruction spans.
  int64_t bRows;
  /// The roles of a specialised kernel, in the order of their warps. Those that
  /// drive nothing that it uses are left out.
  llvm::SmallVector<RoleRequest, 3> roles;
  /// Threads of a kernel without roles.
  int64_t threads;
  /// The PTX version that its instructions need, as `88` for 8.8; 0: the
  /// chip's.
  unsigned ptxVersion = 0;
};

/// A matrix unit, registered with the dialect of its instructions.
class MatrixUnitModel {
public:
  virtual ~MatrixUnitModel() = default;

  /// Which unit it is.
  virtual MatrixUnit getUnit() const = 0;
  /// The parts of a kernel for `request`; emits an error where there is none.
  virtual mlir::FailureOr<TileParts>
  getParts(mlir::MLIRContext *context, const TileRequest &request,
           llvm::function_ref<mlir::InFlightDiagnostic()> emitError) const = 0;
};

/// The matrix units of a dialect.
class MatrixUnitInterface
    : public mlir::DialectInterface::Base<MatrixUnitInterface> {
public:
  explicit MatrixUnitInterface(mlir::Dialect *dialect) : Base(dialect) {}

  void add(std::unique_ptr<MatrixUnitModel> model) {
    models.push_back(std::move(model));
  }
  /// The model of `unit`, or null.
  const MatrixUnitModel *find(MatrixUnit unit) const {
    for (const auto &model : models)
      if (model->getUnit() == unit)
        return model.get();
    return nullptr;
  }

private:
  llvm::SmallVector<std::unique_ptr<MatrixUnitModel>, 2> models;
};

/// Adds the unit `ModelT` to `DialectT` when that is loaded.
template <typename DialectT, typename ModelT>
void registerMatrixUnit(mlir::DialectRegistry &registry) {
  registry.addExtension(+[](mlir::MLIRContext *, DialectT *dialect) {
    auto *units =
        dialect->template getRegisteredInterface<MatrixUnitInterface>();
    if (!units)
      units = &dialect->template addInterface<MatrixUnitInterface>();
    units->add(std::make_unique<ModelT>());
  });
}

} // namespace tc

#endif // TC_SUPPORT_MATRIXUNIT_H
