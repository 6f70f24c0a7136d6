//===- Options.h - Command line of tc-run -----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the command line asks for, as plain data.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TOOLS_TCRUN_OPTIONS_H
#define TC_TOOLS_TCRUN_OPTIONS_H

#include "tc/Emulator/Debugger.h"
#include "tc/Runtime/Session.h"

namespace tc::run {

struct Options {
  std::string ptx;
  std::string function;   ///< of several in the file; empty: the only one
  std::string kernel;     ///< of a bundle; empty: the only one
  std::string chip;       ///< of it; empty: the GPU's, or the only one
  std::string launchFile; ///< as given, or the file beside the PTX
  std::vector<emu::Schedule> schedules;
  bool onCuda = false; ///< with --tune unless the emulator is asked for
  std::string cubin;   ///< loaded instead of the PTX; empty: none
  runtime::SessionOptions session;
  bool check = false;
  bool time = false;
  std::optional<runtime::TimingOptions> bench;
  unsigned samples = runtime::TimingOptions().samples;
  std::string tuneFolder; ///< measured instead of a PTX file; empty: none
  std::string jsonFile;   ///< with it: all measurements; empty: none
  std::string tableFile;  ///< with it: gets the fastest
  bool minimizeAssumptions = false;
  bool certify = false;
  std::string certificateFile; ///< JSON; empty: none
  std::string traceFile;       ///< empty: no timeline
  bool coverage = false;
  std::string coverageFile; ///< JSON; empty: a table on stdout
  std::optional<emu::StopPoint> stop;
  std::vector<emu::StopView> views; ///< what is shown there
  bool help = false;
  bool version = false;
};

/// Reads the command line; errors name the option.
runtime::Expected<Options> parseOptions(int argc, char **argv);

/// The text of --help.
std::string helpText();

} // namespace tc::run

#endif // TC_TOOLS_TCRUN_OPTIONS_H
