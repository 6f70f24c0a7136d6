//===- Recorder.h - Launches as launch files --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_CUDARUNTIME_CORE_RECORDER_H
#define TC_CUDARUNTIME_CORE_RECORDER_H

#include "Launcher.h"

namespace tc::cuda {

/// Writes launch `number` to `folder` so that tc-run can repeat it: the PTX of
/// the module, a launch file and the bytes of every allocation as they were
/// before. Everything keeps its address, so that pointers in parameters and in
/// memory mean what they meant. Returns the path of the launch file.
emu::Expected<std::string> record(const std::string &folder, uint64_t number,
                                  const LaunchRequest &request,
                                  const Memory::Snapshot &before);

} // namespace tc::cuda

#endif // TC_CUDARUNTIME_CORE_RECORDER_H
