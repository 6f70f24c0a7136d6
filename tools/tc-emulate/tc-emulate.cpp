//===- tc-emulate.cpp - Runs a CUDA program without a GPU -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tc-emulate [options] PROGRAM [arguments...]: sets the environment and becomes
// the program, so that its output, its exit status and its signals are its own.
//
//===----------------------------------------------------------------------===//

#include "Core/Settings.h"

#include "Common/StandardOutput.h"

#include "tc/Emulator/Version.h"

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>

using namespace tc;

static int fail(const std::string &message) {
  std::fprintf(stderr, "tc-emulate: %s\n", message.c_str());
  return 2;
}

static void printHelp() {
  std::printf("usage: tc-emulate [options] PROGRAM [arguments...]\n\n"
              "Runs a CUDA program on the emulator of PTX: libcuda.so.1 and "
              "libcudart.so.13 are replaced.\nExit status: the program's; 1 "
              "where it is 0 and something was reported.\n\n");
  for (const cuda::SettingName &name : cuda::settingNames()) {
    std::string option = std::string("--") + name.option +
                         (name.value ? std::string("=") + name.value : "");
    std::printf("  %-26s %s\n", option.c_str(), name.help);
  }
  std::printf("  %-26s %s\n", "--libraries", "print their folder and exit");
  std::printf("  %-26s %s\n", "--version", "print the versions and exit");
  std::printf("  %-26s %s\n", "--help", "this text");
}

/// The folder of this program, with a slash.
static std::string ownFolder() {
  char path[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
  std::string text(path, length > 0 ? size_t(length) : 0);
  return text.substr(0, text.rfind('/') + 1);
}

/// The folder of the libraries: beside this program in a build and in an
/// installation.
static std::string findLibraries() {
  for (const char *place : {"../lib/cuda", "../lib/tc/cuda"}) {
    std::string folder = ownFolder() + place;
    char resolved[PATH_MAX];
    if (realpath(folder.c_str(), resolved) &&
        !access((std::string(resolved) + "/libcuda.so.1").c_str(), R_OK))
      return resolved;
  }
  return "";
}

/// Prepends `value` to a list in the environment.
static void prepend(const char *variable, const std::string &value) {
  const char *old = std::getenv(variable);
  std::string text = value + (old && *old ? std::string(":") + old : "");
  setenv(variable, text.c_str(), 1);
}

/// Carries one option over; false if there is none of that name.
static bool readOption(const std::string &text, std::string &error) {
  const size_t equals = text.find('=');
  const std::string option = text.substr(0, equals);
  for (const cuda::SettingName &name : cuda::settingNames()) {
    if (option != std::string("--") + name.option)
      continue;
    const bool hasValue = equals != text.npos;
    if (hasValue != (name.value != nullptr))
      error = option + ": expected " +
              (name.value ? std::string("=") + name.value : "no value");
    setenv(name.variable, hasValue ? text.c_str() + equals + 1 : "1", 1);
    return true;
  }
  return false;
}

int main(int argc, char **argv) {
  tools::watchStandardOutput("tc-emulate");
  const std::string libraries = findLibraries();
  int first = 1;
  for (; first < argc && argv[first][0] == '-'; ++first) {
    const std::string text = argv[first];
    std::string error;
    if (text == "--help") {
      printHelp();
      return 0;
    }
    if (text == "--version") {
      std::printf("%s", emu::describeVersion("tc-emulate").c_str());
      return 0;
    }
    if (text == "--") {
      ++first;
      break;
    }
    if (text == "--libraries") {
      std::printf("%s\n", libraries.c_str());
      return libraries.empty();
    }
    if (!readOption(text, error))
      return fail("unknown option '" + text + "', see --help");
    if (!error.empty())
      return fail(error);
  }
  if (first == argc)
    return fail("expected a program, see --help");
  if (libraries.empty())
    return fail("no libcuda.so.1 in ../lib/cuda or ../lib/tc/cuda of " +
                ownFolder());
  // Values are read by the library; here only so that errors come early.
  if (emu::Expected<cuda::Settings> settings =
          cuda::Settings::fromEnvironment();
      !settings)
    return fail(settings.error().message);
  setenv("TC_EMULATE_LIBRARIES", libraries.c_str(), 1);
  prepend("LD_LIBRARY_PATH", libraries);
  prepend("LD_PRELOAD", libraries + "/libcudart.so.13");
  prepend("LD_AUDIT", libraries + "/libtc-audit.so");
  execvp(argv[first], argv + first);
  return fail(std::string(argv[first]) + ": " + std::strerror(errno));
}
