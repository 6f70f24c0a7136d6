//===- Reports.h - texts of races -------------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_CHECK_REPORTS_H
#define TC_EMULATOR_CHECK_REPORTS_H

#include "Check/Actor.h"

namespace tc::emu {

class Reports {
public:
  explicit Reports(const Threads &threads)
      : threads(threads), shared(threads.shared), cluster(threads.cluster) {}

  Report describe(const Record &before, unsigned lane, const Actor &actor,
                  bool write, bool global, const std::string &where) const;
  Report describePrerequisite(const Record &before, bool wrote,
                              const Actor &actor, bool write,
                              uint64_t address) const;
  Report describeMap(const Record &before, unsigned lane, const Actor &actor,
                     uint64_t address) const;
  /// The warps of two accesses.
  Involved involve(const Record &before, const Record &now) const;
  std::string opcode(int line) const;
  std::string opcode(const Record &record) const;

private:
  std::string who(const Record &record, unsigned lane) const;
  bool isReadRelaxed(const Record &before, uint32_t thread) const;
  std::string missingSync(uint32_t thread, const Actor &actor) const;
  std::string missingEdge(const Record &before, unsigned lane,
                          const Actor &actor, bool global) const;
  std::string missingGenericEdge(const Record &before, unsigned lane,
                                 const Actor &actor, bool global,
                                 const Knowledge &known) const;
  std::string missingBulkEdge(const Record &before, const std::string &then,
                              const std::string &here, bool isAsync) const;
  std::string missingTensorEdge(const Record &before, const Actor &actor) const;

  const Threads &threads;
  RaceChecker &shared;
  Cluster &cluster;
};

} // namespace tc::emu

#endif // TC_EMULATOR_CHECK_REPORTS_H
