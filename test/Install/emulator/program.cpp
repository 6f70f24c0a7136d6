//===- program.cpp - runs a kernel through the C++ interface ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cpp-program X: X.ptx with X.json, compared with float64.
//
//===----------------------------------------------------------------------===//

#include "tc/Runtime/Session.h"

#include <cstdio>

using namespace tc;

int main(int argc, char **argv) {
  const std::string path = argc == 2 ? argv[1] : "";
  auto ptx = runtime::readFile(path + ".ptx");
  auto description = runtime::Description::readFile(path + ".json");
  if (!ptx || !description)
    return 2;
  auto device = runtime::createEmulatorDevice();
  if (!device->load({reinterpret_cast<const char *>(ptx->data()), ptx->size()},
                    path + ".ptx"))
    return 2;
  auto session = runtime::Session::create(std::move(*description), *device, {});
  if (!session)
    return 2;
  auto record = (*session)->run({emu::Schedule::Kind::Lazy});
  if (!record || !record->ok)
    return 1;
  auto problems = (*session)->check(*record);
  if (!problems || problems->size() != 1 ||
      problems->front().summary.mismatches)
    return 1;
  std::printf(
      "%s: %llu elements\n", problems->front().formula.c_str(),
      static_cast<unsigned long long>(problems->front().summary.elements));
  return 0;
}
