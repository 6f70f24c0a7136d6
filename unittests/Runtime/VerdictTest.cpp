//===- VerdictTest.cpp - Kernels that are legal, and that are not ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each data/verdicts/X.ptx says in its first lines what a run has to say:
//
//   // verdict: legal                       nothing, under both policies
//   // verdict: illegal: TEXT               TEXT, under both policies
//   // verdict: legal with NAME: TEXT       TEXT, unless NAME is assumed
//   // result: N...                         the first words of the first output
//   // result at B: N...                    its words from byte B on
//
//===----------------------------------------------------------------------===//

#include "tc/Runtime/Session.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <sstream>

using namespace tc;
using namespace tc::runtime;

namespace {

struct Verdict {
  std::string assumption; ///< "" if it is legal or illegal anyway
  std::string message;    ///< part of the report; "" if there must be none
  /// Words of the first output, by their place in bytes.
  std::map<size_t, uint32_t> result;
};

Verdict readVerdict(const std::filesystem::path &path) {
  Verdict verdict;
  std::ifstream file(path);
  bool given = false;
  auto readWords = [&](const std::string &text, size_t at) {
    std::istringstream words(text);
    for (std::string word; words >> word; at += 4)
      verdict.result[at] = uint32_t(std::stoul(word, nullptr, 0));
  };
  auto rest = [](const std::string &line, const std::string &start) {
    return line.compare(0, start.size(), start) == 0
               ? std::optional<std::string>(line.substr(start.size()))
               : std::nullopt;
  };
  for (std::string line; std::getline(file, line) && line[0] == '/';) {
    if (auto text = rest(line, "// verdict: legal with ")) {
      size_t colon = text->find(": ");
      verdict.assumption = text->substr(0, colon);
      verdict.message = text->substr(colon + 2);
      given = true;
    } else if (auto text = rest(line, "// verdict: illegal: ")) {
      verdict.message = *text;
      given = true;
    } else if (line == "// verdict: legal") {
      given = true;
    } else if (auto text = rest(line, "// result: ")) {
      readWords(*text, 0);
    } else if (auto text = rest(line, "// result at ")) {
      readWords(text->substr(text->find(':') + 1), std::stoul(*text));
    }
  }
  EXPECT_TRUE(given) << path;
  return verdict;
}

/// One run; the first word of the first output where it is clean.
void check(const std::filesystem::path &path, const Verdict &verdict,
           emu::AssumptionSet assumptions, const emu::Schedule &schedule) {
  std::unique_ptr<Device> device = createEmulatorDevice();
  auto text = readFile(path);
  ASSERT_TRUE(text) << text.error().message;
  Status loaded = device->load(
      std::string_view(reinterpret_cast<const char *>(text->data()),
                       text->size()),
      path.filename());
  ASSERT_TRUE(loaded) << loaded.error().message;
  auto description = Description::readFile(
      std::filesystem::path(path).replace_extension("json"));
  ASSERT_TRUE(description) << description.error().message;
  SessionOptions options;
  options.assumptions = assumptions;
  auto session = Session::create(std::move(*description), *device, options);
  ASSERT_TRUE(session) << session.error().message;
  auto record = (*session)->run(schedule);
  ASSERT_TRUE(record) << record.error().message;
  const std::string where = path.stem().string() + " under " + schedule.str() +
                            ", assuming " + assumptions.str() + ": ";
  std::string got =
      record->reports.empty() ? "nothing" : record->reports[0].message;
  bool assumed = false;
  if (!verdict.assumption.empty()) {
    emu::AssumptionSet with = assumptions;
    ASSERT_TRUE(with.apply(verdict.assumption));
    assumed = with == assumptions;
  }
  if (!verdict.message.empty() && !assumed) {
    EXPECT_FALSE(record->ok) << where;
    EXPECT_NE(got.find(verdict.message), std::string::npos) << where << got;
    return;
  }
  ASSERT_TRUE(record->ok) << where << got;
  if (assumed) {
    bool used = false;
    for (const emu::AssumptionUse &use : record->uses)
      used |= emu::infoOf(use.assumption).name == verdict.assumption;
    EXPECT_TRUE(used) << where << verdict.assumption << " is not mentioned";
  }
  const Description &all = (*session)->description();
  for (size_t i = 0; i < all.buffers.size(); ++i) {
    if (all.buffers[i].role == BufferRole::In)
      continue;
    for (const auto &[at, expected] : verdict.result) {
      uint32_t word = 0;
      ASSERT_LE(at + 4, record->buffers[i].size()) << where;
      std::memcpy(&word, record->buffers[i].data() + at, 4);
      EXPECT_EQ(word, expected) << where << "at byte " << at;
    }
    break;
  }
}

/// Under eager and lazy the report is the expected one; under all other
/// schedules there is one.
TEST(Verdict, kernels) {
  unsigned count = 0;
  for (const auto &entry : std::filesystem::directory_iterator(
           std::string(TC_TEST_DATA) + "/verdicts")) {
    if (entry.path().extension() != ".ptx")
      continue;
    ++count;
    Verdict verdict = readVerdict(entry.path());
    const bool legal = verdict.message.empty();
    for (emu::AssumptionSet assumptions :
         {emu::AssumptionSet::none(), emu::AssumptionSet::defaults()})
      for (const emu::Schedule &schedule : emu::allSchedules())
        if (legal || schedule.kind == emu::Schedule::Kind::Eager)
          check(entry.path(), verdict, assumptions, schedule);
  }
  EXPECT_GE(count, 36u);
}

/// docs/data/assumptions.tsv has the assumptions as the code has them.
TEST(Assumptions, docs_have_every_row) {
  std::ifstream file(std::string(TC_TEST_DATA) +
                     "/../../../docs/data/assumptions.tsv");
  std::string line;
  ASSERT_TRUE(std::getline(file, line)); // The names of the columns.
  for (const emu::AssumptionInfo &info : emu::assumptions()) {
    ASSERT_TRUE(std::getline(file, line)) << info.name;
    EXPECT_EQ(line, std::string(info.name) + "\t" +
                        (info.byDefault ? "yes" : "no") + "\t" + info.meaning +
                        "\t" + info.text + "\t" + info.users + "\t" +
                        info.device);
  }
  EXPECT_FALSE(std::getline(file, line)) << line;
}

TEST(Assumptions, rows_are_in_order) {
  ASSERT_EQ(emu::assumptions().size(), size_t(emu::Assumption::Count));
  for (size_t i = 0; i < emu::assumptions().size(); ++i)
    EXPECT_EQ(size_t(emu::assumptions()[i].assumption), i);
}

} // namespace
