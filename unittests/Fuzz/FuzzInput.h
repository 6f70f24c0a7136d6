//===- FuzzInput.h - run one damaged input ----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An input is PTX text and, after a line "//launch", a launch file or kernel
// description. Shared by the fuzzer (scripts/fuzz) and the test of the corpus.
//
//===----------------------------------------------------------------------===//

#ifndef TC_UNITTESTS_FUZZ_FUZZINPUT_H
#define TC_UNITTESTS_FUZZ_FUZZINPUT_H

#include <string>
#include <string_view>
#include <vector>

namespace tc::test {

/// The line between PTX and description.
constexpr std::string_view launchMark = "\n//launch\n";

struct FuzzOutcome {
  enum Stage { Refused, Failed, Ran };
  /// How far it came: refused as input, refused or stopped as a run, ran to its
  /// end.
  Stage stage = Refused;
  /// Every error and report on the way.
  std::vector<std::string> messages;
};

/// Parses and runs the input with small limits on instructions and memory.
/// Without a description every kernel is launched with parameters of zeros.
/// Aborts where a message lacks what every message has: the name of the file.
FuzzOutcome runFuzzInput(std::string_view input);

} // namespace tc::test

#endif // TC_UNITTESTS_FUZZ_FUZZINPUT_H
