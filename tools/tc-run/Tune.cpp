//===- Tune.cpp - Measures candidates of products ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The buffers of a product are made once, by a session of its first candidate;
// every candidate is launched on them. A candidate whose result is not that of
// the first one gets no time.
//
//===----------------------------------------------------------------------===//

#include "Tune.h"

#include "tc/Runtime/Tuning.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <poll.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

using namespace tc;
using namespace tc::run;
using runtime::Error;
using runtime::Expected;
using runtime::makeError;
using runtime::Status;
using runtime::TuneCandidate;
using runtime::TuneProblem;

/// Results are compared in pieces, spread over a buffer that is larger than
/// this many of them.
static constexpr uint64_t kPieceBytes = 1 << 16;
static constexpr uint64_t kMostPieces = 256;

/// Part of a value, and of the mean size of all values, by which results of two
/// candidates may differ: they add in different orders, and round.
static constexpr double kTolerance = 1.0 / 32;

/// Seconds after which a candidate that has begun counts as hanging.
static constexpr double kLimit = 60;

namespace {

/// A candidate that is loaded, the session before the device that it needs.
struct Loaded {
  std::unique_ptr<runtime::Device> device;
  std::unique_ptr<runtime::Session> session;

  void clear() {
    session.reset();
    device.reset();
  }
};

/// What a candidate left in a buffer.
struct Output {
  std::string name;
  runtime::DType type;
  std::vector<uint8_t> bytes;
};

class Tuner {
public:
  explicit Tuner(const Options &options) : options(options) {}
  Expected<bool> run();

private:
  Expected<std::unique_ptr<runtime::Device>> createDevice() const;
  Expected<Loaded> load(const TuneCandidate &candidate,
                        bool onCallersBuffers) const;
  Status prepare(const TuneCandidate &candidate);
  Status check(const runtime::RunRecord &record) const;
  Status measure(TuneCandidate &candidate, bool isTimed);
  Status runEmulated(const TuneCandidate &candidate);
  Status compare(const std::vector<Output> &outputs);
  void measureAll(TuneProblem &problem, size_t from, std::FILE *to);
  std::pair<size_t, bool> take(const std::string &line, TuneProblem &problem);
  Expected<size_t> measureFrom(TuneProblem &problem, size_t from);
  Expected<bool> tune(TuneProblem &problem);
  Status write() const;

  const Options &options;
  runtime::TuneFolder folder;
  runtime::TuneRun record;
  /// The session of the buffers, of the product that is measured now.
  Loaded home;
  /// The results of its first candidate.
  std::vector<Output> expected;
};

} // namespace

/// Whether the caller of a launch has the memory of `buffer`.
static bool isArgument(const runtime::BufferSpec &buffer) {
  return buffer.role != runtime::BufferRole::Temporary;
}

static bool isWritten(const runtime::BufferSpec &buffer) {
  return buffer.role == runtime::BufferRole::Out ||
         buffer.role == runtime::BufferRole::InOut;
}

Expected<std::unique_ptr<runtime::Device>> Tuner::createDevice() const {
  if (options.onCuda)
    return runtime::createCudaDevice();
  return runtime::createEmulatorDevice();
}

Expected<Loaded> Tuner::load(const TuneCandidate &candidate,
                             bool onCallersBuffers) const {
  const std::string path = folder.path + "/" + candidate.file;
  Expected<runtime::Description> description =
      runtime::Description::readFile(path + ".json");
  if (!description)
    return description.takeError();
  // Without a cubin the driver assembles the PTX.
  const bool hasCubin = access((path + ".cubin").c_str(), R_OK) == 0;
  const std::string code =
      path + (options.onCuda && hasCubin ? ".cubin" : ".ptx");
  Expected<std::vector<uint8_t>> bytes = runtime::readFile(code);
  if (!bytes)
    return bytes.takeError();
  Expected<std::unique_ptr<runtime::Device>> device = createDevice();
  if (!device)
    return device.takeError();
  Loaded loaded;
  loaded.device = std::move(*device);
  if (Status status = loaded.device->load(
          std::string_view(reinterpret_cast<const char *>(bytes->data()),
                           bytes->size()),
          code);
      !status)
    return makeError(code, status.error().message);
  runtime::SessionOptions session = options.session;
  if (onCallersBuffers)
    for (const runtime::BufferSpec &buffer : description->buffers)
      if (isArgument(buffer))
        session.callersBuffers.insert(buffer.name);
  auto created = runtime::Session::create(std::move(*description),
                                          *loaded.device, std::move(session));
  if (!created)
    return created.takeError();
  loaded.session = std::move(*created);
  return loaded;
}

Status Tuner::check(const runtime::RunRecord &run) const {
  if (!run.ok)
    return makeError(run.reports.empty() ? "it did not run"
                                         : run.reports.front().message);
  if (!options.check)
    return {};
  auto results = home.session->check(run);
  if (!results)
    return results.takeError();
  for (const runtime::ProblemResult &result : *results)
    if (result.summary.mismatches)
      return makeError("compared with float64 " +
                       std::to_string(result.summary.mismatches) + " of " +
                       std::to_string(result.summary.elements) +
                       " elements are wrong");
  return {};
}

/// Makes the buffers of the product of `candidate`.
Status Tuner::prepare(const TuneCandidate &candidate) {
  home.clear();
  Expected<Loaded> loaded = load(candidate, /*onCallersBuffers=*/false);
  if (!loaded)
    return loaded.takeError();
  home = std::move(*loaded);
  runtime::Session &session = *home.session;
  if (options.check) {
    Expected<runtime::RunRecord> run = session.run({});
    if (!run)
      return run.takeError();
    if (Status status = check(*run); !status)
      return status;
  }
  for (size_t i = 0; i < session.description().buffers.size(); ++i)
    if (!session.initial(i).empty())
      if (Status status =
              home.device->write(session.address(i), session.initial(i));
          !status)
        return status;
  return {};
}

/// Compares with the first candidate, which these are of if there was none.
Status Tuner::compare(const std::vector<Output> &outputs) {
  if (expected.empty()) {
    expected = outputs;
    return {};
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Output &got = outputs[i], &first = expected[i];
    if (got.bytes == first.bytes)
      continue;
    const unsigned bits = runtime::getInfo(got.type).bits;
    const size_t count = got.bytes.size() * 8 / bits;
    auto valueOf = [&](const Output &output, size_t element) {
      return runtime::decode(
          output.type,
          runtime::readElement(output.bytes.data(), element, bits));
    };
    double sum = 0;
    for (size_t j = 0; j < count; ++j)
      if (double value = std::fabs(valueOf(first, j)); std::isfinite(value))
        sum += value;
    const bool isFloat = runtime::getInfo(got.type).mantissaBits != 0;
    const double mean = sum / double(count);
    for (size_t j = 0; j < count; ++j) {
      const double a = valueOf(first, j), b = valueOf(got, j);
      const double most =
          isFloat ? kTolerance * (mean + std::max(std::fabs(a), std::fabs(b)))
                  : 0;
      if (a == b || (std::isnan(a) && std::isnan(b)) ||
          std::fabs(a - b) <= most)
        continue;
      return makeError("its result is not that of candidate 0: an element of "
                       "'" +
                       got.name + "' is " + std::to_string(b) + ", expected " +
                       std::to_string(a));
    }
  }
  return {};
}

Status Tuner::measure(TuneCandidate &candidate, bool isTimed) {
  Expected<Loaded> loaded = load(candidate, /*onCallersBuffers=*/true);
  if (!loaded)
    return loaded.takeError();
  runtime::Session &session = *loaded->session;
  runtime::Device &device = *loaded->device;
  const runtime::Description &description = session.description();
  const runtime::Description &first = home.session->description();
  std::vector<uint64_t> addresses;
  std::vector<std::pair<size_t, uint64_t>> written;
  for (size_t i = 0; i < description.buffers.size(); ++i) {
    const runtime::BufferSpec &buffer = description.buffers[i];
    if (!isArgument(buffer)) {
      addresses.push_back(0);
      continue;
    }
    const runtime::BufferSpec *same = first.findBuffer(buffer.name);
    const size_t index = size_t(same - first.buffers.data());
    if (!same || same->type != buffer.type ||
        home.session->layout(index).bytes() != session.layout(i).bytes())
      return makeError("its buffer '" + buffer.name +
                       "' is not one of candidate 0");
    const uint64_t address = home.session->address(index);
    addresses.push_back(address);
    if (!isWritten(buffer))
      continue;
    written.push_back({i, address});
    const std::vector<uint8_t> &initial = home.session->initial(index);
    Status status =
        buffer.role == runtime::BufferRole::InOut
            ? device.write(address, initial)
            : device.enqueueCopy(address, 0, initial.size(), nullptr);
    if (!status)
      return status;
  }
  if (Status status = session.launch(addresses, nullptr); !status)
    return status;
  std::vector<Output> outputs;
  for (auto [index, address] : written) {
    const uint64_t bytes = session.layout(index).bytes();
    const uint64_t pieces =
        std::clamp<uint64_t>(bytes / kPieceBytes, 1, kMostPieces);
    Output output = {
        description.buffers[index].name, description.buffers[index].type, {}};
    for (uint64_t i = 0; i < pieces; ++i) {
      // The last piece is at the end. Elements of 4 bits are in whole words.
      uint64_t size = pieces == 1 ? bytes : kPieceBytes;
      uint64_t start =
          pieces == 1 ? 0 : (bytes - size) / (pieces - 1) * i / 16 * 16;
      std::vector<uint8_t> piece(size);
      if (Status status = device.read(address + start, piece); !status)
        return status;
      output.bytes.insert(output.bytes.end(), piece.begin(), piece.end());
    }
    outputs.push_back(std::move(output));
  }
  if (Status status = compare(outputs); !status || !isTimed)
    return status;
  runtime::TimingOptions timing;
  timing.samples = options.samples;
  Expected<runtime::Timing> times = session.measure(timing);
  if (!times)
    return times.takeError();
  candidate.seconds = times->samples;
  candidate.clockMHz = times->clockMHz;
  candidate.watts = times->watts;
  record.device = times->device;
  return {};
}

Status Tuner::runEmulated(const TuneCandidate &candidate) {
  Expected<Loaded> loaded = load(candidate, /*onCallersBuffers=*/false);
  if (!loaded)
    return loaded.takeError();
  home.clear();
  home = std::move(*loaded);
  const emu::Schedule schedule =
      options.schedules.empty() ? emu::Schedule() : options.schedules.front();
  Expected<runtime::RunRecord> run = home.session->run(schedule);
  if (!run)
    return run.takeError();
  if (Status status = check(*run); !status)
    return status;
  std::vector<Output> outputs;
  const auto &buffers = home.session->description().buffers;
  for (size_t i = 0; i < buffers.size(); ++i)
    if (isWritten(buffers[i]))
      outputs.push_back({buffers[i].name, buffers[i].type, run->buffers[i]});
  return compare(outputs);
}

/// The measured candidates, the fastest first, and what is wrong with others.
static void print(const TuneProblem &problem) {
  const runtime::TuneVerdict verdict = runtime::judge(problem);
  std::vector<const TuneCandidate *> order;
  for (const TuneCandidate &candidate : problem.candidates)
    if (candidate.isMeasured())
      order.push_back(&candidate);
  std::sort(order.begin(), order.end(), [](auto *a, auto *b) {
    return std::pair(a->median(), a->number) <
           std::pair(b->median(), b->number);
  });
  if (!order.empty())
    std::printf("  candidate  predicted cycles  measured us  of fastest  "
                "configuration\n");
  for (const TuneCandidate *candidate : order)
    std::printf("  %9u  %16.0f  %11.2f  %10.3f  %s\n", candidate->number,
                candidate->cycles, candidate->median() * 1e6,
                candidate->median() / order.front()->median(),
                candidate->config.c_str());
  for (const TuneCandidate &candidate : problem.candidates)
    if (!candidate.error.empty())
      std::printf("  %9u  %s: %s\n", candidate.number,
                  candidate.file.empty() ? "not compiled" : "failed",
                  candidate.error.c_str());
  if (order.empty())
    return;
  std::printf("  %zu measured, rank correlation %.3f", verdict.measured,
              verdict.correlation);
  if (verdict.regret >= 0)
    std::printf(", the model's choice takes %.1f %% more than the fastest",
                verdict.regret * 100);
  std::printf("\n");
}

/// The product of `problem` on the buffers of its first candidate, from
/// candidate `from` on: a line for what begins, and one for what came out of
/// it, goes to `to`. Ends early where the GPU no longer works for this process.
void Tuner::measureAll(TuneProblem &problem, size_t from, std::FILE *to) {
  // Keeps the context of the GPU from candidate to candidate.
  Expected<std::unique_ptr<runtime::Device>> device = createDevice();
  if (!device)
    return;
  for (size_t i = 0; i < problem.candidates.size(); ++i) {
    TuneCandidate &candidate = problem.candidates[i];
    // Of those that another process has measured, one says what to expect.
    if (candidate.file.empty() || !candidate.error.empty() ||
        (i < from && !expected.empty()))
      continue;
    Status status;
    if (!home.session) {
      status = prepare(candidate);
      if (!status)
        home.clear();
    }
    std::fprintf(to, "begin %zu\n", i);
    std::fflush(to);
    if (status)
      status = measure(candidate, /*isTimed=*/i >= from);
    if (!status) {
      std::string message = status.error().message;
      std::replace(message.begin(), message.end(), '\n', ' ');
      if (i >= from)
        std::fprintf(to, "failed %zu %s\n", i, message.c_str());
      std::vector<uint8_t> bytes(1);
      if (!home.session || !home.device->read(home.session->address(0), bytes))
        return;
      continue;
    }
    if (i < from)
      continue;
    std::fprintf(to, "took %zu %u %.3f", i, candidate.clockMHz,
                 candidate.watts);
    for (double seconds : candidate.seconds)
      std::fprintf(to, " %.9g", seconds);
    std::fprintf(to, " | %s\n", record.device.c_str());
    std::fflush(to);
  }
}

/// Reads what measureAll has written, `line`, into `problem`. Returns the
/// candidate that it is about, and whether it is done with it.
std::pair<size_t, bool> Tuner::take(const std::string &line,
                                    TuneProblem &problem) {
  std::istringstream words(line);
  std::string word;
  size_t index = 0;
  words >> word >> index;
  TuneCandidate &candidate = problem.candidates[index];
  if (word == "begin")
    return {index, false};
  if (word == "failed") {
    std::getline(words >> std::ws, candidate.error);
    return {index, true};
  }
  words >> candidate.clockMHz >> candidate.watts;
  while (words >> word && word != "|")
    candidate.seconds.push_back(std::strtod(word.c_str(), nullptr));
  std::getline(words >> std::ws, record.device);
  return {index, true};
}

/// Measures candidates of `problem` from `from` on in a process of their own: a
/// kernel that traps makes its process useless, one that hangs never ends.
/// Returns where to go on.
Expected<size_t> Tuner::measureFrom(TuneProblem &problem, size_t from) {
  int ends[2];
  if (pipe(ends) != 0)
    return makeError("--tune", "cannot make a pipe");
  std::fflush(stdout);
  const pid_t child = fork();
  if (child < 0)
    return makeError("--tune", "cannot start a process");
  if (child == 0) {
    close(ends[0]);
    std::FILE *to = fdopen(ends[1], "w");
    measureAll(problem, from, to);
    home.clear();
    std::fclose(to);
    std::exit(0);
  }
  close(ends[1]);
  size_t at = from;
  bool isRunning = false, isLate = false;
  std::string text;
  for (;;) {
    pollfd wait = {ends[0], POLLIN, 0};
    // Before a candidate begins, buffers are made, however long that takes.
    if (poll(&wait, 1, isRunning ? int(kLimit * 1000) : -1) == 0) {
      isLate = true;
      kill(child, SIGKILL);
      break;
    }
    char bytes[4096];
    const ssize_t count = ::read(ends[0], bytes, sizeof(bytes));
    if (count <= 0)
      break;
    text.append(bytes, size_t(count));
    for (size_t end; (end = text.find('\n')) != std::string::npos;) {
      auto [index, isDone] = take(text.substr(0, end), problem);
      text.erase(0, end + 1);
      isRunning = !isDone;
      at = std::max(at, isDone ? index + 1 : index);
    }
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  const bool isLost = isLate || !WIFEXITED(status) || isRunning;
  if (!isLost)
    return at > from ? at : problem.candidates.size();
  problem.candidates[at].error =
      isLate ? "it did not end within " + std::to_string(int(kLimit)) + " s"
             : "the process that measured it ended";
  return at + 1;
}

/// Measures all candidates of `problem`; whether all of them ran and agreed.
Expected<bool> Tuner::tune(TuneProblem &problem) {
  std::printf("%s\n", problem.key.c_str());
  std::fflush(stdout);
  expected.clear();
  const size_t count = problem.candidates.size();
  size_t ran = 0;
  for (size_t i = 0; i < count;) {
    if (options.onCuda) {
      Expected<size_t> next = measureFrom(problem, i);
      if (!next)
        return next.takeError();
      i = *next;
      continue;
    }
    TuneCandidate &candidate = problem.candidates[i++];
    if (candidate.file.empty())
      continue;
    Status status = runEmulated(candidate);
    ran += bool(status);
    if (!status)
      candidate.error = status.error().message;
  }
  home.clear();
  bool isClean = true;
  for (const TuneCandidate &candidate : problem.candidates) {
    if (candidate.file.empty() || candidate.error.empty())
      continue;
    isClean = false;
    std::fprintf(stderr, "tc-run: candidate %u of %s: %s\n", candidate.number,
                 problem.key.c_str(), candidate.error.c_str());
  }
  print(problem);
  if (!options.onCuda)
    std::printf("  %zu of %zu candidates ran and agree%s\n", ran, count,
                options.check ? ", and are right" : "");
  std::fflush(stdout);
  return isClean;
}

static std::vector<uint8_t> toBytes(const std::string &text) {
  return std::vector<uint8_t>(text.begin(), text.end());
}

Status Tuner::write() const {
  if (!options.jsonFile.empty())
    if (Status status = runtime::writeFile(
            options.jsonFile, toBytes(describeTuning(folder, record)));
        !status)
      return status;
  if (!options.onCuda)
    return {};
  std::string table;
  if (access(options.tableFile.c_str(), F_OK) == 0) {
    Expected<std::vector<uint8_t>> bytes = runtime::readFile(options.tableFile);
    if (!bytes)
      return bytes.takeError();
    table.assign(bytes->begin(), bytes->end());
  }
  Expected<std::string> updated =
      runtime::updateTable(table, options.tableFile, folder, record);
  if (!updated)
    return updated.takeError();
  return runtime::writeFile(options.tableFile, toBytes(*updated));
}

/// Whether there is a GPU: asked by a process of its own, as one that has used
/// the driver must not fork.
static Status findGPU() {
  int ends[2];
  if (pipe(ends) != 0)
    return makeError("--tune", "cannot make a pipe");
  const pid_t child = fork();
  if (child < 0)
    return makeError("--tune", "cannot start a process");
  if (child == 0) {
    Expected<std::unique_ptr<runtime::Device>> device =
        runtime::createCudaDevice();
    if (!device) {
      const std::string &message = device.error().message;
      (void)!::write(ends[1], message.data(), message.size());
    }
    _exit(0);
  }
  close(ends[1]);
  std::string message;
  char bytes[4096];
  for (ssize_t count; (count = ::read(ends[0], bytes, sizeof(bytes))) > 0;)
    message.append(bytes, size_t(count));
  close(ends[0]);
  waitpid(child, nullptr, 0);
  if (message.empty())
    return {};
  return makeError("--tune", "expected a GPU to measure on: " + message);
}

Expected<bool> Tuner::run() {
  Expected<runtime::TuneFolder> found =
      runtime::TuneFolder::read(options.tuneFolder);
  if (!found)
    return found.takeError();
  folder = std::move(*found);
  if (options.onCuda)
    if (Status status = findGPU(); !status)
      return status.takeError();
  record.samples = options.samples;
  const std::time_t now = std::time(nullptr);
  char date[16];
  std::strftime(date, sizeof(date), "%Y-%m-%d", std::gmtime(&now));
  record.date = date;
  bool isClean = true;
  for (TuneProblem &problem : folder.problems) {
    Expected<bool> tuned = tune(problem);
    if (!tuned)
      return tuned.takeError();
    isClean &= *tuned;
    // Of each problem, so that what ends the run does not take all with it.
    if (Status status = write(); !status)
      return status.takeError();
  }
  return isClean;
}

Expected<bool> run::tuneAll(const Options &options) {
  return Tuner(options).run();
}
