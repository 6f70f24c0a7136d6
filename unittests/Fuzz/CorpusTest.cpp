//===- CorpusTest.cpp - every file of the fixed corpus --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the fuzzer found once, and inputs made to be absurd. None may crash or
// hang; scripts/test-sanitized runs this under the sanitizers. A comment
// "// expect: text" in a file names a part of a message that has to appear.
//
//===----------------------------------------------------------------------===//

#include "FuzzInput.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace tc::test;

TEST(FuzzCorpus, EveryInputEndsWithAMessageOrRuns) {
  std::vector<std::filesystem::path> files;
  for (const auto &entry : std::filesystem::directory_iterator(TC_FUZZ_CORPUS))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  ASSERT_FALSE(files.empty());
  unsigned stages[3] = {};
  for (const std::filesystem::path &file : files) {
    std::ifstream stream(file, std::ios::binary);
    std::stringstream text;
    text << stream.rdbuf();
    const std::string input = text.str();
    auto start = std::chrono::steady_clock::now();
    FuzzOutcome outcome = runFuzzInput(input);
    double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count();
    EXPECT_LT(seconds, 30) << file;
    ++stages[outcome.stage];
    std::string all;
    for (const std::string &message : outcome.messages)
      all += message + "\n";
    const std::string key = "// expect: ";
    for (size_t at = input.find(key); at != input.npos;
         at = input.find(key, at + 1)) {
      size_t begin = at + key.size();
      std::string part = input.substr(begin, input.find('\n', begin) - begin);
      EXPECT_NE(all.find(part), all.npos)
          << file << ": expected '" << part << "', got: " << all;
    }
  }
  std::printf("%zu inputs: %u refused, %u stopped, %u ran\n", files.size(),
              stages[0], stages[1], stages[2]);
}
