//===- Configure.cpp - configurations of products ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is legal and what is fast is decided in tc::schedule.
//
//===----------------------------------------------------------------------===//

#include "Configure.h"

#include "ConfigTranslation.h"

#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Schedule/MatmulModel.h"

using namespace mlir;
using namespace tc::tmm;
namespace schedule = tc::schedule;

static LogicalResult chooseConfig(MatmulOp op,
                                  const schedule::MatmulConfig &option,
                                  const schedule::Machine &machine,
                                  const TunedConfigs &table) {
  schedule::MatmulConfig given = schedule::merge(getConfig(op), option);
  schedule::MatmulProblem problem = getProblem(op, machine);
  if (std::optional<std::string> error =
          schedule::findConfigError(given, problem, machine))
    return op.emitOpError() << "configuration: " << *error;
  if (TunedConfig found = table.find(op, given, problem, machine); found.config)
    given = *found.config;
  schedule::MatmulConfig complete =
      schedule::completeConfig(given, problem, machine);
  if (std::optional<std::string> error =
          schedule::findResourceError(complete, problem, machine))
    return op.emitOpError() << "configuration: " << *error;
  op.setConfigAttr(ConfigAttr::get(op.getContext(), complete));
  return success();
}

FailureOr<MatmulRequest> tc::tmm::lookUp(const ConfigRequest &request) {
  FailureOr<schedule::Machine> machine =
      getMachine(request.root, request.chip, request.option,
                 [&] { return request.root->emitError() << "chip option: "; });
  if (failed(machine))
    return failure();
  FailureOr<TunedConfigs> table = TunedConfigs::read(
      request.root->getContext(), request.tuned, request.chip,
      [&] { return request.root->emitError() << "tuned option: "; });
  if (failed(table))
    return failure();
  return MatmulRequest{std::move(*machine), std::move(*table)};
}

FailureOr<unsigned> tc::tmm::chooseMatmulConfigs(ArrayRef<Operation *> ops,
                                                 const ConfigRequest &request) {
  FailureOr<MatmulRequest> known = lookUp(request);
  if (failed(known))
    return failure();
  for (Operation *op : ops)
    if (failed(chooseConfig(cast<MatmulOp>(op), request.option, known->machine,
                            known->table)))
      return failure();
  return ops.size();
}
