//===- Explain.cpp - why a configuration is chosen --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Asks tc::schedule what the choice asks it, and writes the answer out, in
// words or as data. Every figure is one of the model's; none is computed here.
//
//===----------------------------------------------------------------------===//

#include "Configure.h"

#include "ConfigTranslation.h"

#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Schedule/MatmulModel.h"
#include "tc/Schedule/UnitModel.h"
#include "tc/Support/Target.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace tc::tmm;
namespace schedule = tc::schedule;
using llvm::formatv;

namespace {

/// Candidates that are listed.
constexpr size_t kListed = 6;

/// What is said of one matmul.
struct Explanation {
  schedule::MatmulProblem problem;
  /// What the kernel multiplies: the problem, or parts of its K.
  schedule::MatmulProblem kernel;
  schedule::Machine machine;
  /// The choice, then the others.
  std::vector<schedule::Candidate> candidates;
  schedule::SmemBudget smem;
  schedule::TmemBudget tmem;
  /// Fields that the IR, the option and the table of measured configurations
  /// gave.
  SmallVector<std::string> givenInIR, givenByOption, givenByTable;
  /// What the table of measured configurations says of it; empty: nothing.
  std::string tuned;
  /// Cycles of the best configuration with K in one part, where it has several.
  std::optional<double> cyclesOfWhole;

  const schedule::MatmulConfig &config() const {
    return candidates.front().config;
  }
  const schedule::Estimate &estimate() const {
    return candidates.front().estimate;
  }
  int64_t smemLeft() const { return machine.smemBytes - smem.total; }
};

} // namespace

/// The explanation of `op`; nothing if its configuration is refused.
static std::optional<Explanation> explain(MatmulOp op,
                                          const schedule::MatmulConfig &option,
                                          const schedule::Machine &machine,
                                          const TunedConfigs &table) {
  schedule::MatmulConfig inIR = getConfig(op);
  schedule::MatmulConfig given = schedule::merge(inIR, option);
  Explanation result;
  result.problem = getProblem(op, machine);
  result.machine = machine;
  if (schedule::findConfigError(given, result.problem, machine))
    return std::nullopt;
  TunedConfig found = table.find(op, given, result.problem, machine);
  result.tuned = std::move(found.words);
  if (found.config)
    given = *found.config;
  result.candidates = schedule::rankCandidates(given, result.problem, machine);
  if (result.candidates.empty())
    return std::nullopt;
  if (result.candidates.size() > kListed)
    result.candidates.erase(result.candidates.begin() + kListed,
                            result.candidates.end());
  result.kernel = schedule::getKernelProblem(result.config(), result.problem);
  result.smem = schedule::getSmemBudget(result.config(), result.kernel);
  result.tmem = schedule::getTmemBudget(result.config(), result.kernel);
  if (result.config().splitK.value_or(1) > 1) {
    given.splitK = 1;
    std::vector<schedule::Candidate> whole =
        schedule::rankCandidates(given, result.problem, machine);
    if (!whole.empty())
      result.cyclesOfWhole = whole.front().estimate.cycles;
  }
  result.givenByOption = schedule::getSetFields(option);
  for (std::string &field : schedule::getSetFields(inIR))
    if (!llvm::is_contained(result.givenByOption, field))
      result.givenInIR.push_back(field);
  if (found.config)
    for (std::string &field : schedule::getSetFields(*found.config))
      if (!llvm::is_contained(result.givenByOption, field) &&
          !llvm::is_contained(result.givenInIR, field))
        result.givenByTable.push_back(field);
  return result;
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

/// "1 stage", "7 stages".
static std::string counted(int64_t number, StringRef one, StringRef many) {
  return formatv("{0:N} {1}", number, number == 1 ? one : many).str();
}

static std::string tileText(const schedule::MatmulConfig &config) {
  return formatv("{0}x{1}x{2}", *config.tileM, *config.tileN, *config.tileK)
      .str();
}

static std::string sizeText(std::optional<int64_t> size) {
  if (size)
    return std::to_string(*size);
  return formatv("? (counts as {0})", schedule::kTypicalSize).str();
}

static void writeResources(llvm::raw_ostream &os, const Explanation &e) {
  const schedule::MatmulConfig &config = e.config();
  const schedule::SmemBudget &smem = e.smem;
  os << formatv("\n  shared memory: {0} of {1:N} bytes: {2:N} + ",
                counted(*config.stages, "stage", "stages"), smem.stage(),
                smem.stage() * *config.stages);
  if (smem.storeRing)
    os << formatv("{0:N} {1} + ", smem.storeRing,
                  *config.storeStages == 1 ? "store buffer" : "store buffers");
  if (smem.answers)
    os << formatv("{0:N} answers to requests for work + ", smem.answers);
  os << formatv("{0:N} barriers + {1:N} alignment", smem.barriers,
                smem.alignment);
  if (smem.tmemSlot)
    os << formatv(" + {0:N} address of Tensor Memory", smem.tmemSlot);
  os << formatv(" = {0:N} of {1:N}; ", smem.total, e.machine.smemBytes);
  if (smem.nextStage > e.smemLeft())
    os << formatv("stage {0} needs {1:N}, {2:N} are left", *config.stages + 1,
                  smem.nextStage, e.smemLeft());
  else if (*config.stages < schedule::kMaxStages)
    os << formatv("{0:N} are left for more stages", e.smemLeft());
  else
    os << formatv("{0:N} are left, more stages hide no more latency",
                  e.smemLeft());
  if (e.tmem.accumulators) {
    os << formatv("\n  Tensor Memory: accumulators {0} x {1}, ",
                  *config.accumulatorStages,
                  e.tmem.accumulators / *config.accumulatorStages);
    if (e.tmem.scales)
      os << formatv("scale factors {0} x {1}, ", *config.scaleStages,
                    e.tmem.scales / *config.scaleStages);
    if (e.tmem.metadata)
      os << formatv("metadata {0} x {1}, ", *config.scaleStages,
                    e.tmem.metadata / *config.scaleStages);
    os << formatv("{0} allocated{2} of {1} columns", e.tmem.allocated,
                  e.machine.tmemColumns,
                  e.tmem.allocated > tc::kTmemColumns ? " exclusively" : "");
  }
  int64_t threads = schedule::getThreads(config, e.kernel);
  os << formatv("\n  registers: about {0} in an epilogue thread with {1} "
                "columns at a time; {2} threads may have {3} each",
                schedule::getRegisterEstimate(config, e.kernel),
                *config.epilogueSubtile, threads,
                schedule::getThreadRegisters(config, e.kernel, e.machine));
}

/// Operands that TMA does not load, and why.
static void writeLoads(llvm::raw_ostream &os, const Explanation &e) {
  const schedule::MatmulConfig &config = e.config();
  std::tuple<StringRef, schedule::LoadEngine, StringRef, bool> operands[] = {
      {"A", *config.loadA, e.problem.rowsA.tmaObstacle,
       schedule::turnsA(config, e.problem)},
      {"B", *config.loadB, e.problem.rowsB.tmaObstacle,
       schedule::turnsB(config, e.problem)}};
  for (auto [name, load, obstacle, isTurned] : operands) {
    if (load == schedule::LoadEngine::tma)
      continue;
    os << "\n  loads: " << name << " by "
       << (load == schedule::LoadEngine::threads ? "threads" : "cp.async")
       << ", which is in the fill of shared memory: ";
    if (isTurned)
      os << "its tiles are stored in the other order, which TMA cannot";
    else
      os << (obstacle.empty() ? "as asked" : obstacle);
  }
}

static void writeTime(llvm::raw_ostream &os, const Explanation &e) {
  const schedule::Estimate &estimate = e.estimate();
  int64_t group = *e.config().ctaGroup;
  os << formatv(
      "\n  grid: {0} on {1} of {2} multiprocessors, {8}{3} x {4} tiles, {5:P1} "
      "of "
      "their elements inside of D; {6}, {7:P1} busy",
      group == 2 ? counted(estimate.launched, "pair of CTAs", "pairs of CTAs")
                 : counted(estimate.launched, "CTA", "CTAs"),
      estimate.launched * group, e.machine.sms, estimate.tilesM,
      estimate.tilesN, estimate.inside,
      counted(estimate.waves, "wave", "waves"), estimate.busy,
      estimate.batch == 1 ? std::string()
                          : std::to_string(estimate.batch) + " x ");
  const schedule::BlockCycles &block = estimate.block;
  // What the chip has that others have not.
  int64_t k = (*e.config().unit)->getInstructionK(e.config(), e.kernel),
          usual = getMmaK(e.kernel.kind) * (e.kernel.isSparse ? 2 : 1);
  if (k != usual)
    os << formatv("\n  instructions: {0} of K = {1} for a K-block, as the chip "
                  "multiplies 64 bytes of a row; of K = {2} they were {3}",
                  *e.config().tileK / k, k, usual, *e.config().tileK / usual);
  if (int64_t columns = e.tmem.accumulators / *e.config().accumulatorStages;
      columns > *e.config().tileN)
    os << formatv(
        "{0}each for the {1} accumulators of a tile, which share B",
        k != usual ? ", " : "\n  instructions: ", columns / *e.config().tileN);
  os << formatv("\n  K-block: matrix unit {0:F0} cycles, shared memory reads "
                "{1:F0}, fill of shared memory {2:F0}, latency of loads {3:F0}",
                block.mma, block.smemRead, block.fill, block.loadLatency);
  if (block.l2)
    os << formatv(", L2 cache {0:F0}", block.l2);
  if (block.promotion)
    os << formatv(", sums of K-blocks {0:F0}", block.promotion);
  os << formatv("\n  time: {0} cycles predicted, bound by {1}: setup {2}, "
                "{3} of {4} of {5:F0}, epilogue {6}; global memory {7}",
                schedule::formatCycles(estimate.cycles),
                schedule::getBoundName(estimate.bound),
                schedule::formatCycles(estimate.setup),
                counted(estimate.waves, "wave", "waves"),
                counted(estimate.blocks, "K-block", "K-blocks"), block.total,
                schedule::formatCycles(estimate.epilogue),
                schedule::formatCycles(estimate.dram));
  if (estimate.traffic)
    os << formatv(", bytes loaded {0}",
                  schedule::formatCycles(estimate.traffic));
  if (estimate.sum)
    os << formatv(", sum of parts {0}", schedule::formatCycles(estimate.sum));
  os << formatv("\n  constants: {0}",
                (*e.config().unit)->getConstants().source);
}

/// The parts of K, and what they save.
static void writeParts(llvm::raw_ostream &os, const Explanation &e) {
  if (e.kernel.splitK == 1)
    return;
  os << formatv(
      "\n  split-k: {0} parts of {1} are a batch, and a second kernel "
      "adds their sums",
      e.kernel.splitK, counted(e.estimate().blocks, "K-block", "K-blocks"));
  if (e.cyclesOfWhole)
    os << formatv("; with one part {0} cycles predicted",
                  schedule::formatCycles(*e.cyclesOfWhole));
}

static void writeCandidates(llvm::raw_ostream &os, const Explanation &e) {
  if (e.candidates.size() == 1) {
    os << "\n  candidates: no other, the given fields leave no choice";
    return;
  }
  const schedule::Candidate &choice = e.candidates[0];
  const schedule::Candidate &fastest = e.candidates[1];
  const schedule::ModelConstants &constants =
      (*e.config().unit)->getConstants();
  double slower = choice.estimate.cycles / fastest.estimate.cycles - 1;
  if (slower <= 0)
    os << "\n  why: the fewest cycles";
  else if (schedule::countBusyCtas(choice) > schedule::countBusyCtas(fastest))
    os << formatv(
        "\n  why: {0:P1} slower than the fastest, and the most CTAs of "
        "those within {1:P0}, with more loads on the way",
        slower, constants.fillTolerance);
  else
    os << formatv(
        "\n  why: {0:P1} slower than the fastest, which within {1:P0} "
        "counts as equal, and the fewest bytes loaded",
        slower, constants.tolerance);
  os << "\n  candidates, the choice first:\n"
     << formatv("    {0,-12} {1,9} {2,7} {3,6} {4,12} {5,6} {6,7} {7,9} {8,10}"
                "  {9}",
                "tile", "cta-group", "cluster", "stages", "accumulators",
                "waves", "busy", "MB loaded", "cycles", "bound by");
  for (const schedule::Candidate &c : e.candidates) {
    os << "\n"
       << formatv(
              "    {0,-12} {1,9} {2,7} {3,6} {4,12} {5,6} {6,7:P1} {7,9} "
              "{8,10}  {9}",
              tileText(c.config), *c.config.ctaGroup,
              formatv("{0}x{1}", *c.config.clusterM, *c.config.clusterN).str(),
              *c.config.stages, *c.config.accumulatorStages, c.estimate.waves,
              c.estimate.busy,
              schedule::formatCycles(c.estimate.loadedBytes / 1e6),
              schedule::formatCycles(c.estimate.cycles),
              schedule::getBoundName(c.estimate.bound));
    if (int64_t parts = c.config.splitK.value_or(1); parts > 1)
      os << ", split-k " << parts;
  }
}

/// Writes the words of `fields` after `first`, as many to a line as fit.
static void writeFields(llvm::raw_ostream &os, std::string line,
                        StringRef fields) {
  constexpr size_t kWidth = 100;
  SmallVector<StringRef> words;
  fields.split(words, ' ');
  for (StringRef word : words) {
    if (line.size() + 1 + word.size() > kWidth) {
      os << line << "\n";
      line = "   ";
    }
    line += (" " + word).str();
  }
  os << line;
}

static std::string inWords(const Explanation &e) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writeFields(os,
              "matmul M = " + sizeText(e.problem.m) +
                  ", N = " + sizeText(e.problem.n) +
                  ", K = " + sizeText(e.problem.k) + ":",
              schedule::formatConfig(e.config()));
  SmallVector<std::string> givers;
  std::pair<ArrayRef<std::string>, StringRef> given[] = {
      {e.givenInIR, " in the IR"},
      {e.givenByOption, " by the option"},
      {e.givenByTable, " by the measured configuration"}};
  for (auto [fields, giver] : given)
    if (!fields.empty())
      givers.push_back(llvm::join(fields, ", ") + giver.str());
  os << "\n  given: "
     << (givers.empty() ? "nothing, all fields are chosen"
                        : llvm::join(givers, "; "));
  schedule::MatmulConfig preferred;
  preferred.unit = e.machine.units.front();
  if (e.config().unit != preferred.unit)
    if (std::optional<std::string> error =
            schedule::findMachineError(preferred, e.problem, e.machine))
      os << "\n  unit: not " << schedule::spellKey(preferred.unit->getName())
         << ", " << *error;
  if (!e.tuned.empty())
    os << "\n  tuned: " << e.tuned;
  writeResources(os, e);
  writeLoads(os, e);
  writeTime(os, e);
  writeParts(os, e);
  writeCandidates(os, e);
  return text;
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static llvm::json::Object toJSON(const schedule::Candidate &candidate) {
  const schedule::MatmulConfig &config = candidate.config;
  const schedule::Estimate &estimate = candidate.estimate;
  return llvm::json::Object{
      {"tile", llvm::json::Array{*config.tileM, *config.tileN, *config.tileK}},
      {"cta_group", *config.ctaGroup},
      {"cluster", llvm::json::Array{*config.clusterM, *config.clusterN}},
      {"stages", *config.stages},
      {"accumulator_stages", *config.accumulatorStages},
      {"split_k", config.splitK.value_or(1)},
      {"waves", estimate.waves},
      {"busy", estimate.busy},
      {"loaded_bytes", estimate.loadedBytes},
      {"cycles", estimate.cycles},
      {"bound", schedule::getBoundName(estimate.bound)}};
}

/// The fields of each part: numbers, lists of numbers or words; and the entries
/// that they decide.
static llvm::json::Object toJSON(const schedule::MatmulConfig &config) {
  using schedule::FieldKind;
  llvm::json::Object parts;
  for (const schedule::ConfigPart &part : schedule::getConfigParts()) {
    llvm::json::Object fields;
    for (const schedule::ConfigField &field : part.fields) {
      schedule::FieldValue value = field.get(config);
      if (value.empty())
        continue;
      if (field.kind == FieldKind::Extents)
        fields[field.name] = llvm::json::Array(value);
      else if (field.kind == FieldKind::Count || field.kind == FieldKind::OneOf)
        fields[field.name] = value.front();
      else
        fields[field.name] = schedule::formatValue(field, value);
    }
    parts[part.word] =
        llvm::json::Object{{"fields", std::move(fields)},
                           {"decide", llvm::json::Array(part.explained)}};
  }
  return parts;
}

static llvm::json::Object toJSON(const Explanation &e) {
  using llvm::json::Array;
  using llvm::json::Object;
  const schedule::MatmulConfig &config = e.config();
  const schedule::Estimate &estimate = e.estimate();
  const schedule::SmemBudget &smem = e.smem;
  int64_t threads = schedule::getThreads(config, e.kernel);
  Array candidates;
  for (const schedule::Candidate &candidate : e.candidates)
    candidates.push_back(toJSON(candidate));
  Object block = describeBlock(estimate), time = describeTime(estimate);
  block["count"] = estimate.blocks;
  block["cycles"] = estimate.block.total;
  time["constants"] = (*config.unit)->getConstants().source;
  time["cycles"] = estimate.cycles;
  return Object{
      {"problem", Object{{"m", e.problem.m},
                         {"n", e.problem.n},
                         {"k", e.problem.k},
                         {"unknown_counts_as", schedule::kTypicalSize},
                         {"input_bits", e.problem.inputBits},
                         {"output_bits", e.problem.outputBits},
                         {"transpose_a", e.problem.transposeA},
                         {"transpose_b", e.problem.transposeB}}},
      {"config", schedule::formatConfig(config)},
      {"parts", toJSON(config)},
      {"given", Object{{"ir", Array(e.givenInIR)},
                       {"option", Array(e.givenByOption)},
                       {"table", Array(e.givenByTable)}}},
      {"tuned", e.tuned.empty() ? llvm::json::Value(nullptr)
                                : llvm::json::Value(e.tuned)},
      {"shared_memory", Object{{"limit", e.machine.smemBytes},
                               {"total", smem.total},
                               {"left", e.smemLeft()},
                               {"stages", *config.stages},
                               {"stage_a", smem.stageA},
                               {"stage_b", smem.stageB},
                               {"stage_scales", smem.stageScales},
                               {"stage_metadata", smem.stageMetadata},
                               {"next_stage", smem.nextStage},
                               {"store_ring", smem.storeRing},
                               {"answers", smem.answers},
                               {"barriers", smem.barriers},
                               {"alignment", smem.alignment},
                               {"tmem_slot", smem.tmemSlot}}},
      {"tensor_memory",
       Object{{"limit", e.machine.tmemColumns},
              {"allocated", e.tmem.allocated},
              {"scale_factors", e.tmem.scales},
              {"metadata", e.tmem.metadata},
              {"accumulators", *config.accumulatorStages},
              {"columns", e.tmem.accumulators
                              ? e.tmem.accumulators / *config.accumulatorStages
                              : *config.tileN}}},
      {"registers",
       Object{{"threads", threads},
              {"limit", std::min(e.machine.threadRegisters,
                                 e.machine.registers / threads)},
              {"estimate", schedule::getRegisterEstimate(config, e.kernel)}}},
      {"grid", Object{{"multiprocessors", e.machine.sms},
                      {"groups", estimate.groups},
                      {"launched", estimate.launched},
                      {"tiles_m", estimate.tilesM},
                      {"tiles_n", estimate.tilesN},
                      {"batch", estimate.batch},
                      {"waves", estimate.waves},
                      {"busy", estimate.busy},
                      {"inside", estimate.inside}}},
      {"k_block", std::move(block)},
      {"time", std::move(time)},
      {"candidates", std::move(candidates)}};
}

llvm::json::Object tc::tmm::describeBlock(const schedule::Estimate &estimate) {
  return llvm::json::Object{{"matrix_unit", estimate.block.mma},
                            {"shared_memory_reads", estimate.block.smemRead},
                            {"fill", estimate.block.fill},
                            {"load_latency", estimate.block.loadLatency},
                            {"l2_cache", estimate.block.l2},
                            {"promotion", estimate.block.promotion}};
}

llvm::json::Object tc::tmm::describeTime(const schedule::Estimate &estimate) {
  return llvm::json::Object{{"setup", estimate.setup},
                            {"mainloop", estimate.mainloop},
                            {"epilogue", estimate.epilogue},
                            {"global_memory", estimate.dram},
                            {"bytes_loaded", estimate.traffic},
                            {"sum_of_parts", estimate.sum},
                            {"bound", schedule::getBoundName(estimate.bound)}};
}

//===----------------------------------------------------------------------===//
// The family
//===----------------------------------------------------------------------===//

namespace {

class MatmulExplanation : public ConfigExplanation {
public:
  explicit MatmulExplanation(Explanation e) : explanation(std::move(e)) {}

  std::string getWords() const override { return inWords(explanation); }
  llvm::json::Object getData() const override { return toJSON(explanation); }

private:
  Explanation explanation;
};

} // namespace

FailureOr<ConfigExplanations>
tc::tmm::explainMatmulConfigs(ArrayRef<Operation *> ops,
                              const ConfigRequest &request) {
  FailureOr<MatmulRequest> known = lookUp(request);
  if (failed(known))
    return failure();
  ConfigExplanations explanations;
  for (Operation *op : ops) {
    std::optional<Explanation> explanation = explain(
        cast<MatmulOp>(op), request.option, known->machine, known->table);
    explanations.push_back(explanation ? std::make_unique<MatmulExplanation>(
                                             std::move(*explanation))
                                       : nullptr);
  }
  return explanations;
}
