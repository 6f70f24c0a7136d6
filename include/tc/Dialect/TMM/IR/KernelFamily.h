//===- KernelFamily.h - ops that become kernels -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a family of kernels is to the passes that choose, explain and obey
// configurations, to tmm-tile, and to tc-tune.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TMM_IR_KERNELFAMILY_H
#define TC_DIALECT_TMM_IR_KERNELFAMILY_H

#include "tc/Schedule/MatmulConfig.h"
#include "tc/Schedule/ModelConstants.h"
#include "tc/Support/RegisterLayout.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/JSON.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tc::schedule {
struct VariantChoice;
} // namespace tc::schedule

namespace tc::tmm {

/// What a configuration is chosen, explained or obeyed for.
struct ConfigRequest {
  /// The op that holds all that is configured.
  mlir::Operation *root;
  llvm::StringRef chip;
  /// The fields that the user gives for all ops.
  const schedule::MatmulConfig &option;
  /// Where measured configurations are; empty: nowhere.
  llvm::StringRef tuned;
};

/// What is said of the configuration of one op.
class ConfigExplanation {
public:
  virtual ~ConfigExplanation();

  /// In words: which configuration, and why in the lines after the first.
  virtual std::string getWords() const = 0;
  /// The same for programs. The location of the op is added to it.
  virtual llvm::json::Object getData() const = 0;
};

/// One for each op; null where there is nothing to say.
using ConfigExplanations =
    llvm::SmallVector<std::unique_ptr<ConfigExplanation>>;

/// Which configurations of an op are measured.
struct TuningRequest {
  llvm::StringRef chip;
  /// The fields that the user gives for all of them.
  const schedule::MatmulConfig &option;
  /// Which of those that the model proposes.
  const schedule::VariantChoice &variants;
  /// Those that come after the model's choice instead, as the option `config`
  /// has them; empty: none.
  llvm::ArrayRef<std::string> configs;
};

/// A configuration that is measured.
struct TuningCandidate {
  /// As the option `config` has it.
  std::string config;
  /// Predicted cycles, and what the model makes them of.
  double cycles;
  llvm::json::Object terms;
  /// What its kernel takes.
  int64_t smemBytes, threads;
};

/// An op to be tuned. It knows nothing of the IR that it was made from, so that
/// its candidates can be compiled in other contexts, one for each thread.
class TuningProblem {
public:
  virtual ~TuningProblem();

  /// What measured times are filed under, a name of a file.
  virtual std::string getKey() const = 0;
  /// Its sizes by name, null where they are dynamic.
  virtual llvm::json::Object getSizes() const = 0;
  /// The model's choice first.
  virtual std::vector<TuningCandidate> getCandidates() const = 0;
  /// Gives `op`, what is tuned in any context, the configuration of the
  /// candidate `number`. Called by several threads at once.
  virtual void configure(mlir::Operation *op, size_t number) const = 0;

  /// The constants of the model of a matrix unit.
  using ConstantsOf =
      llvm::function_ref<schedule::ModelConstants(schedule::MatrixUnit)>;
  /// The cycles that the model with other constants predicts for the complete
  /// configuration `config`, which names one of `units`; nothing, and why, in
  /// `error`, where it is not legal.
  virtual std::optional<double> predict(llvm::StringRef config,
                                        const schedule::UnitRegistry &units,
                                        ConstantsOf constantsOf,
                                        std::string &error) = 0;
};

/// The kernel of one op, while it is outlined. Members are called in this
/// order.
class TileKernel {
public:
  virtual ~TileKernel();

  /// What the name of the kernel has after that of the function.
  virtual llvm::StringRef getName() const = 0;
  virtual int64_t getThreads() const = 0;
  virtual int64_t getClusterCtas() const { return 1; }
  /// The PTX version that it needs, as `88` for 8.8; 0: the chip's.
  virtual unsigned getPTXVersion() const { return 0; }
  /// The types of its arguments.
  virtual llvm::SmallVector<mlir::Type> getArgumentTypes() const = 0;
  /// Emits the body of `kernel`, with its end.
  virtual void emitProgram(mlir::OpBuilder &b, mlir::gpu::GPUFuncOp kernel) = 0;
  /// A number, index, that is 0 where there is nothing to launch.
  virtual mlir::Value emitWork(mlir::OpBuilder &host) = 0;
  /// Checks, here or on the host, what is only known once there is work.
  virtual mlir::LogicalResult emitChecks(mlir::OpBuilder &host) = 0;
  /// What the launch passes as the arguments.
  virtual llvm::SmallVector<mlir::Value>
  emitOperands(mlir::OpBuilder &host, mlir::gpu::GPUFuncOp kernel) = 0;
  /// CTAs of the grid along x and, as far as there are more than 1, y and z.
  virtual llvm::SmallVector<mlir::Value> emitGrid(mlir::OpBuilder &host) = 0;
};

/// The type of a counter of work (tmm.count_request).
mlir::MemRefType getWorkCounterType(mlir::MLIRContext *context);
/// The counter of the work of the launch of `kernel`, at `host`: memory that is
/// 0 when the module is loaded, and that each launch leaves so.
mlir::Value emitWorkCounter(mlir::OpBuilder &host, mlir::Location loc,
                            mlir::gpu::GPUFuncOp kernel);

/// Emits an error at the first op inside of `root` whose dialect promises a
/// family of kernels that was not registered (tc::registerAllDialects): a pass
/// would not see the op.
mlir::LogicalResult checkFamilies(mlir::Operation *root);

/// Ops by their class, in their order.
using KernelFamilies =
    llvm::MapVector<mlir::OperationName, llvm::SmallVector<mlir::Operation *>>;

/// The ops inside of `root` that become kernels. A family is asked once for all
/// of its ops, as it looks up what holds for all of them.
KernelFamilies collectFamilies(mlir::Operation *root);

/// Why windows of images cannot be read as they are by `reader`, which knows
/// none.
std::string refuseWindows(mlir::Operation *reader);

} // namespace tc::tmm

#include "tc/Dialect/TMM/IR/KernelFamily.h.inc"

#endif // TC_DIALECT_TMM_IR_KERNELFAMILY_H
