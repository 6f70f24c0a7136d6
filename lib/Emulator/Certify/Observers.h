//===- Observers.h - what follows choices through a run ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_CERTIFY_OBSERVERS_H
#define TC_EMULATOR_CERTIFY_OBSERVERS_H

#include "State/Events.h"

#include <memory>

namespace tc::emu {

class Certificate;
struct Machine;

/// Follows the choices of a launch and tells the certificate what they decide.
std::unique_ptr<LaunchObserver> observeChoices(Certificate &certificate,
                                               Machine &machine);

} // namespace tc::emu

#endif // TC_EMULATOR_CERTIFY_OBSERVERS_H
