//===- Options.cpp - Command line of tc-run ---------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parsed with getopt_long of the C library: the tool builds wherever there is a
// C++ compiler.
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include <algorithm>
#include <fstream>
#include <getopt.h>
#include <iterator>
#include <limits>

using namespace tc;
using namespace tc::run;
using runtime::Error;
using runtime::Expected;
using runtime::makeError;
using runtime::Status;

namespace {

class OptionParser {
public:
  Status parse(int argc, char **argv);
  Options options;

private:
  /// An option: its name, whether it has a value, and what it does.
  struct Flag {
    const char *name;
    int hasValue;
    Status (OptionParser::*apply)(const std::string &value);
  };
  static const Flag flags[];

  /// Options whose value is taken as it is, and those without a value.
  template <std::string Options::*member>
  Status setText(const std::string &value) {
    options.*member = value;
    return {};
  }
  template <bool Options::*member>
  Status setTrue(const std::string &) {
    options.*member = true;
    return {};
  }
  Status setDevice(const std::string &value);
  Status setBench(const std::string &value);
  Status setSamples(const std::string &value);
  Status setSeeds(const std::string &value);
  Status setThreads(const std::string &value);
  Status setMaxInstructions(const std::string &value);
  Status setRaceClusters(const std::string &value);
  Status setTuneFolder(const std::string &value);
  Status setTraceFile(const std::string &value);
  Status setCoverage(const std::string &value);
  Status setRaces(const std::string &value);
  Status setCertify(const std::string &value);
  Status setApproximation(const std::string &value);
  Status setStop(const std::string &value);
  Status setStopPlace(const std::string &value);
  Status addViews(const std::string &value);
  Status addAssumptions(const std::string &value);
  Status addSizes(const std::string &value);
  Status addScalars(const std::string &value);
  Status addSchedules(const std::string &value);
  Status addInFile(const std::string &value);
  Status addOutFile(const std::string &value);
  Status addInit(const std::string &value);

  Status finish();
  Status finishStop();
  Status finishTune();
  Status finishDevice() const;
  Status finishCertify() const;
  Status finishSchedules();

  std::vector<std::string> schedules;
  int64_t seeds = -1, samples = -1;
  bool isDeviceGiven = false;
  std::string stopPlace;
};

const OptionParser::Flag OptionParser::flags[] = {
    {"launch", required_argument, &OptionParser::setText<&Options::launchFile>},
    {"function", required_argument, &OptionParser::setText<&Options::function>},
    {"kernel", required_argument, &OptionParser::setText<&Options::kernel>},
    {"chip", required_argument, &OptionParser::setText<&Options::chip>},
    {"size", required_argument, &OptionParser::addSizes},
    {"scalar", required_argument, &OptionParser::addScalars},
    {"device", required_argument, &OptionParser::setDevice},
    {"cubin", required_argument, &OptionParser::setText<&Options::cubin>},
    {"schedule", required_argument, &OptionParser::addSchedules},
    {"seeds", required_argument, &OptionParser::setSeeds},
    {"check", no_argument, &OptionParser::setTrue<&Options::check>},
    {"races", required_argument, &OptionParser::setRaces},
    {"assume", required_argument, &OptionParser::addAssumptions},
    {"minimize-assumptions", no_argument,
     &OptionParser::setTrue<&Options::minimizeAssumptions>},
    {"certify", optional_argument, &OptionParser::setCertify},
    {"approx", required_argument, &OptionParser::setApproximation},
    {"trace", required_argument, &OptionParser::setTraceFile},
    {"coverage", optional_argument, &OptionParser::setCoverage},
    {"stop-at", required_argument, &OptionParser::setStop},
    {"stop-in", required_argument, &OptionParser::setStopPlace},
    {"print", required_argument, &OptionParser::addViews},
    {"max-instructions", required_argument, &OptionParser::setMaxInstructions},
    {"race-clusters", required_argument, &OptionParser::setRaceClusters},
    {"buffer", required_argument, &OptionParser::addInFile},
    {"out", required_argument, &OptionParser::addOutFile},
    {"init", required_argument, &OptionParser::addInit},
    {"time", no_argument, &OptionParser::setTrue<&Options::time>},
    {"bench", optional_argument, &OptionParser::setBench},
    {"samples", required_argument, &OptionParser::setSamples},
    {"tune", required_argument, &OptionParser::setTuneFolder},
    {"json", required_argument, &OptionParser::setText<&Options::jsonFile>},
    {"table", required_argument, &OptionParser::setText<&Options::tableFile>},
    {"threads", required_argument, &OptionParser::setThreads},
    {"help", no_argument, &OptionParser::setTrue<&Options::help>},
    {"version", no_argument, &OptionParser::setTrue<&Options::version>}};

} // namespace

static std::vector<std::string> split(const std::string &text) {
  std::vector<std::string> parts(1);
  for (char c : text)
    if (c == ',')
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

/// A decimal number in [0, limit].
static Expected<int64_t> parseNumber(const std::string &text,
                                     const char *option, int64_t limit) {
  int64_t value = 0;
  bool isNumber = !text.empty();
  for (char c : text)
    isNumber = isNumber && c >= '0' && c <= '9' &&
               !__builtin_mul_overflow(value, int64_t(10), &value) &&
               !__builtin_add_overflow(value, int64_t(c - '0'), &value);
  if (!isNumber || value > limit)
    return makeError(option, "expected a number in [0, " +
                                 std::to_string(limit) + "], got '" + text +
                                 "'");
  return value;
}

/// rounded, random[:SEED], or the name of a file of recorded results.
static Expected<emu::Approximation>
parseApproximation(const std::string &text) {
  emu::Approximation approx;
  if (text == "rounded")
    return approx;
  if (text.substr(0, 6) == "random" && (text.size() == 6 || text[6] == ':')) {
    approx.mode = emu::Approximation::Mode::Random;
    if (text.size() > 6) {
      Expected<int64_t> seed = parseNumber(text.substr(7), "--approx random",
                                           std::numeric_limits<int64_t>::max());
      if (!seed)
        return seed.takeError();
      approx.seed = static_cast<uint64_t>(*seed);
    }
    return approx;
  }
  std::ifstream file(text, std::ios::binary);
  if (!file)
    return makeError("--approx", "expected rounded, random[:SEED] or a file, "
                                 "cannot open '" +
                                     text + "'");
  const std::string lines{std::istreambuf_iterator<char>(file), {}};
  auto table = emu::readApproxTable(lines);
  if (!table)
    return makeError("--approx", text + ": " + table.error().message);
  approx.mode = emu::Approximation::Mode::Recorded;
  approx.table = *table;
  return approx;
}

/// NAME=VALUE, both not empty.
static Expected<std::pair<std::string, std::string>>
parsePair(const std::string &text, const char *option) {
  size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    return makeError(option, "expected NAME=VALUE, got '" + text + "'");
  return std::make_pair(text.substr(0, equals), text.substr(equals + 1));
}

Status OptionParser::addScalars(const std::string &value) {
  for (const std::string &part : split(value)) {
    auto pair = parsePair(part, "--scalar");
    if (!pair)
      return pair.takeError();
    const auto &[name, text] = *pair;
    char *end = nullptr;
    double number = std::strtod(text.c_str(), &end);
    if (end == text.c_str() || *end != '\0')
      return makeError("--scalar",
                       "'" + name + "': expected a number, got '" + text + "'");
    if (!options.session.scalars.emplace(name, number).second)
      return makeError("--scalar", "'" + name + "' is given twice");
  }
  return {};
}

Status OptionParser::addSizes(const std::string &value) {
  for (const std::string &part : split(value)) {
    auto pair = parsePair(part, "--size");
    if (!pair)
      return pair.takeError();
    const auto &[name, text] = *pair;
    // Beyond 2^48 no buffer fits, but a size need not be one of a buffer.
    Expected<int64_t> number =
        parseNumber(text, "--size", std::numeric_limits<int64_t>::max());
    if (!number)
      return number.takeError();
    if (!options.session.sizes.emplace(name, *number).second)
      return makeError("--size", "'" + name + "' is given twice");
  }
  return {};
}

Status OptionParser::addSchedules(const std::string &value) {
  for (std::string &part : split(value)) {
    if (part == "all") {
      for (const emu::Schedule &schedule : emu::allSchedules())
        schedules.push_back(schedule.str());
      continue;
    }
    if (Expected<emu::Schedule> schedule = emu::Schedule::parse(part);
        !schedule)
      return makeError("--schedule", schedule.error().message);
    schedules.push_back(std::move(part));
  }
  return {};
}

static Status addPair(std::map<std::string, std::string> &into,
                      const std::string &value, const char *option) {
  auto pair = parsePair(value, option);
  if (!pair)
    return pair.takeError();
  if (!into.insert(*pair).second)
    return makeError(option, "'" + pair->first + "' is given twice");
  return {};
}

Status OptionParser::addInFile(const std::string &value) {
  return addPair(options.session.inFiles, value, "--buffer");
}

Status OptionParser::addOutFile(const std::string &value) {
  return addPair(options.session.outFiles, value, "--out");
}

Status OptionParser::addInit(const std::string &value) {
  auto pair = parsePair(value, "--init");
  if (!pair)
    return pair.takeError();
  Expected<runtime::InitSpec> init =
      runtime::InitSpec::parse(pair->second, /*seed=*/1);
  if (!init)
    return makeError("--init", init.error().message);
  if (!options.session.inits.emplace(pair->first, *init).second)
    return makeError("--init", "'" + pair->first + "' is given twice");
  return {};
}

Status OptionParser::setDevice(const std::string &value) {
  options.onCuda = value == "cuda";
  isDeviceGiven = true;
  if (options.onCuda || value == "emulator")
    return {};
  return makeError("--device",
                   "expected emulator or cuda, got '" + value + "'");
}

Status OptionParser::setBench(const std::string &value) {
  options.bench.emplace();
  if (value == "sustained")
    options.bench->mode = runtime::TimingOptions::Sustained;
  else if (!value.empty() && value != "burst")
    return makeError("--bench",
                     "expected burst or sustained, got '" + value + "'");
  return {};
}

Status OptionParser::setSamples(const std::string &value) {
  Expected<int64_t> number = parseNumber(value, "--samples", 1'000'000);
  if (!number)
    return number.takeError();
  if (*number == 0)
    return makeError("--samples", "expected a positive number, got 0");
  samples = *number;
  return {};
}

Status OptionParser::setSeeds(const std::string &value) {
  Expected<int64_t> number = parseNumber(value, "--seeds", 1'000'000);
  if (!number)
    return number.takeError();
  seeds = *number;
  return {};
}

Status OptionParser::setThreads(const std::string &value) {
  Expected<int64_t> number = parseNumber(value, "--threads", 1024);
  if (!number)
    return number.takeError();
  options.session.threads = static_cast<unsigned>(*number);
  return {};
}

Status OptionParser::setMaxInstructions(const std::string &value) {
  Expected<int64_t> number = parseNumber(value, "--max-instructions",
                                         std::numeric_limits<int64_t>::max());
  if (!number)
    return number.takeError();
  options.session.maxInstructions = static_cast<uint64_t>(*number);
  return {};
}

Status OptionParser::setRaceClusters(const std::string &value) {
  Expected<int64_t> number = parseNumber(value, "--race-clusters",
                                         std::numeric_limits<int64_t>::max());
  if (!number)
    return number.takeError();
  options.session.raceClusters = static_cast<uint64_t>(*number);
  return {};
}

Status OptionParser::setTuneFolder(const std::string &value) {
  if (value.empty())
    return makeError("--tune", "expected a folder");
  options.tuneFolder = value;
  return {};
}

Status OptionParser::setTraceFile(const std::string &value) {
  if (value.empty())
    return makeError("--trace", "expected a file");
  options.traceFile = value;
  return {};
}

Status OptionParser::setCoverage(const std::string &value) {
  options.coverage = true;
  options.coverageFile = value;
  return {};
}

Status OptionParser::setRaces(const std::string &value) {
  if (value != "off" && value != "default" && value != "strict")
    return makeError("--races",
                     "expected off, default or strict, got '" + value + "'");
  options.session.checkRaces = value != "off";
  options.session.assumptions = value == "strict"
                                    ? emu::AssumptionSet::none()
                                    : emu::AssumptionSet::defaults();
  return {};
}

Status OptionParser::setCertify(const std::string &value) {
  options.certify = true;
  options.certificateFile = value;
  return {};
}

Status OptionParser::addAssumptions(const std::string &value) {
  options.session.assume += (options.session.assume.empty() ? "" : ",") + value;
  return {};
}

Status OptionParser::setApproximation(const std::string &value) {
  Expected<emu::Approximation> approx = parseApproximation(value);
  if (!approx)
    return approx.takeError();
  options.session.approx = *approx;
  return {};
}

Status OptionParser::setStop(const std::string &value) {
  emu::Expected<emu::StopPoint> point = emu::StopPoint::parse(value);
  if (!point)
    return makeError("--stop-at", point.error().message);
  options.stop = *point;
  return {};
}

Status OptionParser::setStopPlace(const std::string &value) {
  stopPlace = value;
  return {};
}

Status OptionParser::addViews(const std::string &value) {
  emu::Expected<std::vector<emu::StopView>> views = emu::StopView::parse(value);
  if (!views)
    return makeError("--print", views.error().message);
  options.views.insert(options.views.end(), views->begin(), views->end());
  return {};
}

/// Options that only make sense together with --stop-at, or not with it.
Status OptionParser::finishStop() {
  if (!options.stop) {
    if (!stopPlace.empty() || !options.views.empty())
      return makeError(stopPlace.empty() ? "--print" : "--stop-in",
                       "expected --stop-at with it");
    return {};
  }
  if (options.onCuda)
    return makeError("--stop-at", "expected --device=emulator");
  if (options.check || options.minimizeAssumptions)
    return makeError("--stop-at", "expected no --check and no "
                                  "--minimize-assumptions with it");
  if (seeds >= 0 || schedules.size() > 1)
    return makeError("--stop-at", "expected one schedule, got several");
  if (!stopPlace.empty())
    if (Status status = options.stop->parsePlace(stopPlace); !status)
      return makeError("--stop-in", status.error().message);
  if (options.views.empty())
    options.views.emplace_back();
  return {};
}

/// Options that only make sense together with --tune, or not with it.
Status OptionParser::finishTune() {
  if (options.tuneFolder.empty()) {
    if (!options.jsonFile.empty() || !options.tableFile.empty())
      return makeError(options.jsonFile.empty() ? "--table" : "--json",
                       "expected --tune with it");
    return {};
  }
  if (!options.ptx.empty() || !options.cubin.empty() ||
      !options.launchFile.empty())
    return makeError("--tune", "expected no PTX file, no --cubin and no "
                               "--launch with it: the folder has them");
  if (options.bench || options.minimizeAssumptions || options.coverage ||
      options.stop || !options.traceFile.empty())
    return makeError("--tune", "expected none of --bench, --trace, --coverage, "
                               "--stop-at and --minimize-assumptions with it");
  if (!isDeviceGiven)
    options.onCuda = true;
  if (options.tableFile.empty())
    options.tableFile = options.tuneFolder + "/tuned.txt";
  return {};
}

/// Options that only the emulator has, or only a GPU.
Status OptionParser::finishDevice() const {
  if (options.bench && !options.onCuda)
    return makeError("--bench", "expected --device=cuda: the emulator counts "
                                "no time of a device");
  if (options.onCuda && (!schedules.empty() || seeds >= 0))
    return makeError("--schedule", "expected no schedule and no seeds with "
                                   "--device=cuda");
  if (options.onCuda &&
      (options.minimizeAssumptions || !options.session.assume.empty()))
    return makeError(options.minimizeAssumptions ? "--minimize-assumptions"
                                                 : "--assume",
                     "expected --device=emulator");
  if (options.onCuda && (options.coverage || !options.traceFile.empty()))
    return makeError(options.coverage ? "--coverage" : "--trace",
                     "expected --device=emulator");
  return {};
}

/// Options that do not go with a verdict for all schedules.
Status OptionParser::finishCertify() const {
  if (!options.certify)
    return {};
  auto refuse = [](const char *what) { return makeError("--certify", what); };
  if (options.onCuda || !options.tuneFolder.empty())
    return refuse("expected --device=emulator and no --tune with it");
  if (!schedules.empty() || seeds >= 0)
    return refuse("expected no --schedule and no --seeds with it: the verdict "
                  "is for all");
  if (!options.session.checkRaces || options.session.raceClusters)
    return refuse("expected --races=default or --races=strict and no "
                  "--race-clusters with it: all clusters count");
  if (options.stop || options.minimizeAssumptions)
    return refuse(
        "expected no --stop-at and no --minimize-assumptions with it");
  return {};
}

/// The schedules that were given, or those that suit the other options, each
/// once.
Status OptionParser::finishSchedules() {
  if (schedules.empty()) {
    schedules.push_back("eager");
    if (!options.onCuda && (options.check || seeds >= 0))
      schedules.push_back("lazy");
    if (!options.onCuda && options.check && seeds < 0)
      schedules.push_back("random:1");
  }
  for (int64_t seed = 1; seed <= seeds; ++seed)
    schedules.push_back("random:" + std::to_string(seed));
  std::vector<std::string> seen;
  for (const std::string &text : schedules) {
    // "random" alone means its first seed, or for those of --seeds.
    if (text == "random" && seeds > 0)
      continue;
    Expected<emu::Schedule> schedule =
        emu::Schedule::parse(text == "random" ? "random:1" : text);
    if (!schedule)
      return makeError("--schedule", schedule.error().message);
    if (std::find(seen.begin(), seen.end(), schedule->str()) != seen.end())
      continue;
    seen.push_back(schedule->str());
    options.schedules.push_back(*schedule);
  }
  return {};
}

/// Fills in what was not given.
Status OptionParser::finish() {
  if (options.help || options.version)
    return {};
  if (!options.cubin.empty() && !options.onCuda)
    return makeError("--cubin", "expected --device=cuda, the emulator does not "
                                "run cubins");
  if (Status status = finishTune(); !status)
    return status;
  if (samples > 0) {
    if (options.tuneFolder.empty() &&
        (!options.bench ||
         options.bench->mode != runtime::TimingOptions::Burst))
      return makeError("--samples", "expected --bench or --tune with it");
    options.samples = unsigned(samples);
    if (options.bench)
      options.bench->samples = options.samples;
  }
  if (Status status = finishDevice(); !status)
    return status;
  if (Status status = finishStop(); !status)
    return status;
  if (Status status = finishCertify(); !status)
    return status;
  if (!options.tuneFolder.empty())
    return {};
  if (options.ptx.empty())
    options.ptx = options.cubin;
  if (options.ptx.empty())
    return makeError("expected a PTX file (tc-run --help says more)");
  if (options.launchFile.empty()) {
    const std::string &ptx = options.ptx;
    size_t dot = ptx.rfind('.'), slash = ptx.rfind('/');
    bool hasSuffix = dot != std::string::npos &&
                     (slash == std::string::npos || dot > slash + 1);
    options.launchFile = ptx.substr(0, hasSuffix ? dot : ptx.size()) + ".json";
  }
  // A stop comes where the first report would be.
  constexpr unsigned races = 8;
  options.session.keepRaces = options.stop ? 0 : races;
  return finishSchedules();
}

Status OptionParser::parse(int argc, char **argv) {
  opterr = 0; // Messages are ours.
  // Their numbers are beyond those of characters.
  constexpr int first = 256;
  std::vector<option> longOptions;
  for (const Flag &flag : flags)
    longOptions.push_back(
        {flag.name, flag.hasValue, nullptr, first + int(longOptions.size())});
  longOptions.push_back({nullptr, 0, nullptr, 0});
  for (;;) {
    int before = optind;
    int flag = getopt_long(argc, argv, ":", longOptions.data(), nullptr);
    if (flag == -1)
      break;
    if (flag == '?' || flag == ':') {
      const std::string word = argv[optind > before ? optind - 1 : before];
      if (flag == ':')
        return makeError("option '" + word + "': expected a value");
      return makeError("unknown or ambiguous option '" + word +
                       "' (tc-run --help lists them)");
    }
    if (Status status =
            (this->*flags[flag - first].apply)(optarg ? optarg : "");
        !status)
      return status;
  }
  for (; optind < argc; ++optind) {
    if (!options.ptx.empty())
      return makeError("expected one PTX file, got '" + options.ptx +
                       "' and '" + argv[optind] + "'");
    options.ptx = argv[optind];
  }
  return finish();
}

Expected<Options> run::parseOptions(int argc, char **argv) {
  OptionParser parser;
  if (Status status = parser.parse(argc, argv); !status)
    return status.takeError();
  return std::move(parser.options);
}
