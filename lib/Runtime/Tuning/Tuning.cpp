//===- Tuning.cpp - Candidates of a product and their times -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Runtime/Tuning.h"

#include "Runtime/Description/Json.h"

#include "tc/Runtime/Buffer.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <sstream>

using namespace tc;
using namespace tc::runtime;

//===----------------------------------------------------------------------===//
// The index
//===----------------------------------------------------------------------===//

static constexpr int64_t kIndexVersion = 1;

static Expected<TuneCandidate> readCandidate(const JsonValue &value) {
  // Of the model's terms only their sum is read here.
  value.ignore();
  TuneCandidate candidate;
  auto text = [&](const char *key, std::string &into) -> Status {
    Expected<std::optional<JsonValue>> found = value.find(key);
    if (!found)
      return found.takeError();
    if (!*found)
      return {};
    Expected<std::string> got = (*found)->asString();
    if (!got)
      return got.takeError();
    into = std::move(*got);
    return {};
  };
  Expected<JsonValue> number = value.get("number");
  if (!number)
    return number.takeError();
  Expected<int64_t> index = number->asInteger(0, INT32_MAX);
  if (!index)
    return index.takeError();
  candidate.number = unsigned(*index);
  Expected<JsonValue> cycles = value.get("cycles");
  if (!cycles)
    return cycles.takeError();
  Expected<double> predicted = cycles->asNumber();
  if (!predicted)
    return predicted.takeError();
  candidate.cycles = *predicted;
  for (auto [key, into] : {std::pair("config", &candidate.config),
                           std::pair("file", &candidate.file),
                           std::pair("error", &candidate.error)})
    if (Status status = text(key, *into); !status)
      return status.takeError();
  if (candidate.file.empty() && candidate.error.empty())
    return value.error("expected \"file\" or \"error\", got neither");
  // Names come from a file: they stay inside of its folder.
  if (candidate.file.find("..") != std::string::npos ||
      candidate.file.substr(0, 1) == "/")
    return value.error("expected a file of the folder, got '" + candidate.file +
                       "'");
  return candidate;
}

static Expected<TuneProblem> readProblem(const JsonValue &value) {
  value.ignore();
  TuneProblem problem;
  Expected<JsonValue> key = value.get("key");
  if (!key)
    return key.takeError();
  Expected<std::string> text = key->asString();
  if (!text)
    return text.takeError();
  problem.key = std::move(*text);
  Expected<JsonValue> list = value.get("candidates");
  if (!list)
    return list.takeError();
  Expected<std::vector<JsonValue>> entries = list->elements();
  if (!entries)
    return entries.takeError();
  for (const JsonValue &entry : *entries) {
    Expected<TuneCandidate> candidate = readCandidate(entry);
    if (!candidate)
      return candidate.takeError();
    problem.candidates.push_back(std::move(*candidate));
  }
  return problem;
}

Expected<TuneFolder> TuneFolder::read(const std::string &path) {
  const std::string file = path + "/index.json";
  Expected<std::vector<uint8_t>> bytes = readFile(file);
  if (!bytes)
    return bytes.takeError();
  Expected<JsonValue> document = JsonValue::parse(
      std::string_view(reinterpret_cast<const char *>(bytes->data()),
                       bytes->size()),
      file);
  if (!document)
    return document.takeError();
  TuneFolder folder;
  folder.path = path;
  Expected<JsonValue> version = document->get("version");
  if (!version)
    return version.takeError();
  if (Expected<int64_t> number =
          version->asInteger(kIndexVersion, kIndexVersion);
      !number)
    return number.takeError();
  for (auto [key, into] : {std::pair("chip", &folder.chip),
                           std::pair("compiler", &folder.compiler)}) {
    Expected<JsonValue> value = document->get(key);
    if (!value)
      return value.takeError();
    Expected<std::string> text = value->asString();
    if (!text)
      return text.takeError();
    *into = std::move(*text);
  }
  Expected<JsonValue> problems = document->get("problems");
  if (!problems)
    return problems.takeError();
  Expected<std::vector<JsonValue>> entries = problems->elements();
  if (!entries)
    return entries.takeError();
  for (const JsonValue &entry : *entries) {
    Expected<TuneProblem> problem = readProblem(entry);
    if (!problem)
      return problem.takeError();
    folder.problems.push_back(std::move(*problem));
  }
  return folder;
}

//===----------------------------------------------------------------------===//
// Statistics
//===----------------------------------------------------------------------===//

/// The rank of each value, equal ones with the mean of theirs.
static std::vector<double> getRanks(const std::vector<double> &values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (size_t i = 0; i < order.size();) {
    size_t end = i;
    while (end < order.size() && values[order[end]] == values[order[i]])
      ++end;
    for (size_t j = i; j < end; ++j)
      ranks[order[j]] = double(i + end - 1) / 2;
    i = end;
  }
  return ranks;
}

double runtime::rankCorrelation(const std::vector<double> &a,
                                const std::vector<double> &b) {
  const std::vector<double> x = getRanks(a), y = getRanks(b);
  const double mean = (double(x.size()) - 1) / 2;
  double xy = 0, xx = 0, yy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

TuneVerdict runtime::judge(const TuneProblem &problem) {
  TuneVerdict verdict;
  std::vector<double> predicted, measured;
  for (size_t i = 0; i < problem.candidates.size(); ++i) {
    const TuneCandidate &candidate = problem.candidates[i];
    if (!candidate.isMeasured())
      continue;
    predicted.push_back(candidate.cycles);
    measured.push_back(candidate.median());
    if (measured.size() == 1 ||
        candidate.median() < problem.candidates[verdict.best].median())
      verdict.best = i;
  }
  verdict.measured = measured.size();
  verdict.correlation = rankCorrelation(predicted, measured);
  if (!problem.candidates.empty() && problem.candidates.front().isMeasured())
    verdict.regret = problem.candidates.front().median() /
                         problem.candidates[verdict.best].median() -
                     1;
  return verdict;
}

//===----------------------------------------------------------------------===//
// What was measured
//===----------------------------------------------------------------------===//

std::string runtime::describeTuning(const TuneFolder &folder,
                                    const TuneRun &run) {
  using Json = nlohmann::ordered_json;
  Json problems = Json::array();
  for (const TuneProblem &problem : folder.problems) {
    Json candidates = Json::array();
    for (const TuneCandidate &candidate : problem.candidates) {
      Json entry = {{"number", candidate.number},
                    {"config", candidate.config},
                    {"cycles", candidate.cycles}};
      if (candidate.isMeasured()) {
        entry["seconds"] = candidate.median();
        entry["samples"] = candidate.seconds;
        entry["mhz"] = candidate.clockMHz;
        entry["watts"] = candidate.watts;
      } else {
        entry["error"] = candidate.error;
      }
      candidates.push_back(std::move(entry));
    }
    const TuneVerdict verdict = judge(problem);
    Json entry = {{"key", problem.key}};
    if (verdict.measured) {
      entry["best"] = problem.candidates[verdict.best].number;
      entry["rank_correlation"] = verdict.correlation;
    }
    if (verdict.regret >= 0)
      entry["regret"] = verdict.regret;
    entry["candidates"] = std::move(candidates);
    problems.push_back(std::move(entry));
  }
  Json all = {{"version", kIndexVersion},
              {"chip", folder.chip},
              {"compiler", folder.compiler},
              {"device", run.device},
              {"date", run.date},
              {"samples", run.samples},
              {"problems", std::move(problems)}};
  return all.dump(1) + "\n";
}

Expected<std::string> runtime::updateTable(const std::string &table,
                                           const std::string &tableName,
                                           const TuneFolder &folder,
                                           const TuneRun &run) {
  // Fields of a line, between tabs (lib/Schedule/TunedTable.cpp reads them).
  static constexpr const char *header =
      "# problem\tchip\tversion\tdevice\tdate\tus\tcycles\tregret\tconfig\n";
  std::string text = header;
  std::istringstream lines(table);
  unsigned number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.empty() || line[0] == '#') {
      if (line + "\n" != header)
        text += line + "\n";
      continue;
    }
    std::vector<std::string> fields(1);
    for (char c : line)
      if (c == '\t')
        fields.emplace_back();
      else
        fields.back() += c;
    if (fields.size() != 9)
      return makeError(tableName + ":" + std::to_string(number),
                       "expected 9 fields with tabs between them, got " +
                           std::to_string(fields.size()));
    bool isReplaced = false;
    for (const TuneProblem &problem : folder.problems)
      isReplaced |= problem.key == fields[0] && folder.chip == fields[1] &&
                    folder.compiler == fields[2] && judge(problem).measured;
    if (!isReplaced)
      text += line + "\n";
  }
  for (const TuneProblem &problem : folder.problems) {
    const TuneVerdict verdict = judge(problem);
    if (!verdict.measured)
      continue;
    const TuneCandidate &best = problem.candidates[verdict.best];
    char figures[64], regret[32] = "-";
    std::snprintf(figures, sizeof(figures), "%.3f\t%.0f", best.median() * 1e6,
                  best.cycles);
    if (verdict.regret >= 0)
      std::snprintf(regret, sizeof(regret), "%.4f", verdict.regret);
    text += problem.key + "\t" + folder.chip + "\t" + folder.compiler + "\t" +
            run.device + "\t" + run.date + "\t" + figures + "\t" + regret +
            "\t" + best.config + "\n";
  }
  return text;
}
