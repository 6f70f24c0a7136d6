//===- MatrixUnit.h - what a matrix unit asks of tiles ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How a matrix unit specifies for the pass that cuts a problem into tiles where
// operands and accumulators live, which engines work on them and which roles a
// kernel has, and for the pass that lowers what is left how. The folder of a
// unit (lib/Units) registers it with the dialect.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TMM_IR_MATRIXUNIT_H
#define TC_DIALECT_TMM_IR_MATRIXUNIT_H

#include "tc/Dialect/TMM/IR/TMMDialect.h"
#include "tc/Schedule/MatrixUnit.h"
#include "tc/Support/Pipelining.h"
#include "tc/Support/RegisterLayout.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/DialectInterface.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Transforms/DialectConversion.h"

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
  /// Elements of K that one instruction multiplies; 0: as the unit does on all
  /// chips.
  int64_t instructionK = 0;
  /// Whether an instruction can take B from where the one before kept it.
  bool keepsB = false;
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
  /// Fallback load engines for tiles that `load` cannot address: copies of 4
  /// bytes and more, and element by element.
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
  /// Where it reads an A that threads have written; null where it does not.
  MemorySpaceAttrInterface operand;
  /// Where scale factors arrive, and, where the unit reads them elsewhere,
  /// where that is and who copies them; null where the unit takes none.
  MemorySpaceAttrInterface scales, scaleColumnsA, scaleColumnsB;
  /// The same of the metadata of a sparse A.
  MemorySpaceAttrInterface metadata, metadataColumns;
  EngineAttrInterface copy;
  /// How register tiles of the accumulator's rows are dealt to the threads.
  RegisterLayoutAttrInterface registers;
  /// Whether it reads A from registers, too, in the layout of its accumulator.
  bool readsRegisters = false;
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

/// What a matrix unit is to IR.
class MatrixUnitModel {
public:
  virtual ~MatrixUnitModel() = default;

  /// What it is to configurations.
  virtual schedule::MatrixUnit getUnit() const = 0;
  /// The parts of a kernel for `request`; emits an error where there is none.
  virtual mlir::FailureOr<TileParts>
  getParts(mlir::MLIRContext *context, const TileRequest &request,
           llvm::function_ref<mlir::InFlightDiagnostic()> emitError) const = 0;

  /// Whether A may be what threads made of an earlier product; where it is then
  /// say the parts.
  virtual bool readsResults() const { return false; }

  /// Emits an error where its ops on tiles in `kernel` cannot be lowered.
  virtual mlir::LogicalResult verifyTiles(mlir::gpu::GPUFuncOp kernel) const {
    return mlir::success();
  }
  /// Adds what its buffers become, and the patterns of the ops on tiles that
  /// its engines execute: each matches ops of its own engines alone.
  virtual void
  populateTilePatterns(mlir::TypeConverter &converter,
                       mlir::RewritePatternSet &patterns) const = 0;
};

/// The matrix units of a context: an interface of the tmm dialect.
class MatrixUnits : public mlir::DialectInterface::Base<MatrixUnits> {
public:
  explicit MatrixUnits(mlir::Dialect *dialect) : Base(dialect) {}

  /// Adds a unit once: a context may be given a registry more than once.
  void add(std::unique_ptr<MatrixUnitModel> model) {
    if (llvm::is_contained(registry.getUnits(), model->getUnit()))
      return;
    registry.add(model->getUnit());
    models.push_back(std::move(model));
  }
  /// Those of `context`; the tmm dialect is loaded if it was not.
  static const MatrixUnits &get(mlir::MLIRContext *context);

  const schedule::UnitRegistry &getRegistry() const { return registry; }
  llvm::ArrayRef<std::unique_ptr<MatrixUnitModel>> getModels() const {
    return models;
  }
  /// Those that kernels for `chip` may use, the preferred one first; emits an
  /// error at `op`, which asks, where there are none.
  mlir::FailureOr<llvm::SmallVector<schedule::MatrixUnit, 2>>
  getUnitsOf(mlir::Operation *op, llvm::StringRef chip) const;
  /// The model of `unit`, which is one of the registry.
  const MatrixUnitModel &getModel(schedule::MatrixUnit unit) const;

private:
  schedule::UnitRegistry registry;
  llvm::SmallVector<std::unique_ptr<MatrixUnitModel>, 4> models;
};

/// Adds the unit `ModelT` after those that are preferred to it, and has the
/// dialects of its parts loaded with the tmm dialect.
template <typename ModelT, typename... DialectTs>
void registerMatrixUnit(mlir::DialectRegistry &registry) {
  registry.insert<DialectTs...>();
  registry.addExtension(
      +[](mlir::MLIRContext *context, tmm::TMMDialect *dialect) {
        context->loadDialect<DialectTs...>();
        dialect->getRegisteredInterface<MatrixUnits>()->add(
            std::make_unique<ModelT>());
      });
}

} // namespace tc

#endif // TC_DIALECT_TMM_IR_MATRIXUNIT_H
