//===- Tuning.cpp - configurations to be measured ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is worth measuring is decided in tc::schedule.
//
//===----------------------------------------------------------------------===//

#include "Configure.h"

#include "ConfigTranslation.h"

#include "tc/Dialect/TMM/Configure/Machine.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Schedule/ConfigFields.h"
#include "tc/Schedule/MatmulVariants.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;
using namespace tc::tmm;
namespace schedule = tc::schedule;

namespace {

class MatmulTuning : public TuningProblem {
public:
  MatmulTuning(MatmulOp op, schedule::Machine machine)
      : key(getProblemKey(op)), problem(getProblem(op, machine)),
        machine(std::move(machine)) {}

  /// Finds the candidates that complete `given`, which the op sets.
  LogicalResult choose(MatmulOp op, const schedule::MatmulConfig &given,
                       const TuningRequest &request);

  std::string getKey() const override { return key; }
  llvm::json::Object getSizes() const override {
    return llvm::json::Object{{"m", problem.m},
                              {"n", problem.n},
                              {"k", problem.k},
                              {"batch", problem.batch}};
  }
  std::vector<TuningCandidate> getCandidates() const override;
  void configure(Operation *op, size_t number) const override {
    cast<MatmulOp>(op).setConfigAttr(
        ConfigAttr::get(op->getContext(), candidates[number].config));
  }
  std::optional<double> predict(StringRef text,
                                const schedule::UnitRegistry &units,
                                ConstantsOf constantsOf,
                                std::string &error) override;

private:
  LogicalResult addAsked(MatmulOp op, const schedule::MatmulConfig &given,
                         StringRef text);

  std::string key;
  schedule::MatmulProblem problem;
  schedule::Machine machine;
  std::vector<schedule::Candidate> candidates;
  /// Texts of configurations that are known to be complete.
  llvm::StringSet<> complete;
};

} // namespace

/// The choice for `given`, and variants of it.
static std::vector<schedule::Candidate> chooseCandidates(
    const schedule::MatmulConfig &given, const schedule::MatmulProblem &problem,
    const schedule::Machine &machine, const TuningRequest &request) {
  // The choice alone is found without the others.
  const bool isAlone = !request.configs.empty() || request.variants.count == 1;
  std::vector<schedule::Candidate> chosen =
      isAlone ? schedule::rankCandidates(given, problem, machine)
              : schedule::chooseVariants(
                    schedule::listVariants(given, problem, machine),
                    request.variants);
  if (isAlone && !chosen.empty())
    chosen.erase(chosen.begin() + 1, chosen.end());
  return chosen;
}

/// Adds the configuration `text`, with the fields of `given` where they are
/// open.
LogicalResult MatmulTuning::addAsked(MatmulOp op,
                                     const schedule::MatmulConfig &given,
                                     StringRef text) {
  FailureOr<schedule::MatmulConfig> fields =
      parseConfig(op->getContext(), text);
  if (failed(fields))
    return failure();
  schedule::MatmulConfig asked = schedule::merge(given, *fields);
  schedule::Candidate candidate{asked, {}};
  std::optional<std::string> error =
      schedule::findConfigError(asked, problem, machine);
  if (!error) {
    candidate.config = schedule::completeConfig(asked, problem, machine);
    error = schedule::findResourceError(candidate.config, problem, machine);
  }
  if (error)
    return op.emitOpError() << "configuration " << text << ": " << *error;
  candidate.estimate = schedule::estimate(candidate.config, problem, machine);
  candidates.push_back(std::move(candidate));
  return success();
}

LogicalResult MatmulTuning::choose(MatmulOp op,
                                   const schedule::MatmulConfig &given,
                                   const TuningRequest &request) {
  if (auto error = schedule::findConfigError(given, problem, machine))
    return op.emitOpError() << "configuration: " << *error;
  candidates = chooseCandidates(given, problem, machine, request);
  if (candidates.empty()) {
    schedule::MatmulConfig least =
        schedule::completeConfig(given, problem, machine);
    return op.emitOpError()
           << "configuration: "
           << schedule::findResourceError(least, problem, machine)
                  .value_or("nothing fits");
  }
  for (const std::string &text : request.configs)
    if (failed(addAsked(op, given, text)))
      return failure();
  return success();
}

/// The terms of the model, of which `cycles` is made.
static llvm::json::Object getTerms(const schedule::Estimate &estimate) {
  llvm::json::Object terms{{"blocks", estimate.blocks},
                           {"waves", estimate.waves},
                           {"busy", estimate.busy},
                           {"loaded_bytes", estimate.loadedBytes}};
  for (llvm::json::Object part :
       {describeBlock(estimate), describeTime(estimate)})
    for (auto &[name, value] : part)
      terms[name] = std::move(value);
  return terms;
}

std::vector<TuningCandidate> MatmulTuning::getCandidates() const {
  std::vector<TuningCandidate> described;
  for (const schedule::Candidate &candidate : candidates) {
    schedule::MatmulProblem kernel =
        schedule::getKernelProblem(candidate.config, problem);
    described.push_back(
        {schedule::formatConfig(candidate.config), candidate.estimate.cycles,
         getTerms(candidate.estimate),
         schedule::getSmemBudget(candidate.config, kernel).total,
         schedule::getThreads(candidate.config, kernel)});
  }
  return described;
}

std::optional<double> MatmulTuning::predict(StringRef text,
                                            const schedule::UnitRegistry &units,
                                            ConstantsOf constantsOf,
                                            std::string &error) {
  auto fail = [&](std::string why) {
    error = std::move(why);
    return std::nullopt;
  };
  schedule::TextError textError;
  std::optional<schedule::MatmulConfig> config =
      schedule::parseConfig(text, units, textError);
  if (!config)
    return fail(textError.message);
  if (auto bad = schedule::findConfigError(*config, problem, machine))
    return fail(*bad);
  if (complete.insert(text).second &&
      schedule::formatConfig(schedule::completeConfig(
          *config, problem, machine)) != schedule::formatConfig(*config))
    return fail("expected a complete configuration, got '" + text.str() + "'");
  const double cycles =
      schedule::estimate(*config, problem, machine, constantsOf(*config->unit))
          .cycles;
  if (!std::isfinite(cycles) || cycles < 0)
    return fail("expected constants by which '" + text.str() +
                "' takes a number of cycles, got " +
                llvm::formatv("{0}", cycles).str());
  return cycles;
}

FailureOr<std::unique_ptr<TuningProblem>>
tc::tmm::getMatmulTuning(MatmulOp op, const TuningRequest &request) {
  FailureOr<schedule::Machine> machine =
      getMachine(op.getContext(), request.chip, request.option,
                 [&] { return op.emitError("chip option: "); });
  if (failed(machine))
    return failure();
  auto tuning = std::make_unique<MatmulTuning>(op, std::move(*machine));
  if (failed(tuning->choose(op, schedule::merge(getConfig(op), request.option),
                            request)))
    return failure();
  return std::unique_ptr<TuningProblem>(std::move(tuning));
}
