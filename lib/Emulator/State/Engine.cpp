//===- Engine.cpp - asynchronous work and its queue -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dependencies are counted at issue and released when an op finishes; the ready
// list stays in order of issue, so that a policy that takes the first one is
// in program order.
//
//===----------------------------------------------------------------------===//

#include "State/Engine.h"

#include "State/Machine.h"

#include <algorithm>

namespace tc::emu {

const char *toString(AsyncClass asyncClass) {
  switch (asyncClass) {
  case AsyncClass::CpAsync:
    return "cp.async";
  case AsyncClass::BulkLoad:
    return "bulk load";
  case AsyncClass::BulkStore:
    return "bulk store";
  case AsyncClass::Prefetch:
    return "prefetch";
  case AsyncClass::Mma:
    return "tcgen05.mma";
  case AsyncClass::TmemCopy:
    return "tcgen05.cp";
  case AsyncClass::TmemShift:
    return "tcgen05.shift";
  case AsyncClass::Commit:
    return "tcgen05.commit";
  case AsyncClass::TmemLoad:
    return "tcgen05.ld";
  case AsyncClass::TmemStore:
    return "tcgen05.st";
  case AsyncClass::Wgmma:
    return "wgmma.mma_async";
  case AsyncClass::StoreAsync:
    return "asynchronous operation";
  }
  return "";
}

void poisonBytes(uint8_t *to, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; ++i)
    to[i] = i % 2 ? 0x7f : 0xa5;
}

AsyncOp::AsyncOp(AsyncClass asyncClass, const Warp &issuer, unsigned lane,
                 int line)
    : asyncClass(asyncClass), line(line), issuerRank(issuer.cta.rank),
      issuerWarp(issuer.index), issuerLane(lane) {}

AsyncOp::~AsyncOp() = default;

std::string AsyncOp::describe() const {
  return (what.empty() ? std::string(toString(asyncClass)) : what) +
         " of line " + std::to_string(line) + ", issued by warp " +
         std::to_string(issuerWarp) + " lane " + std::to_string(issuerLane) +
         " of cluster CTA " + std::to_string(issuerRank);
}

AsyncOp &Engine::issue(Cluster &cluster, std::unique_ptr<AsyncOp> op,
                       const std::vector<uint64_t> &after,
                       const std::vector<uint64_t> &afterReads) {
  AsyncOp &ref = *op;
  ref.id = ++lastId;
  for (uint64_t id : after) {
    auto it = ops.find(id);
    if (it == ops.end())
      continue;
    it->second->dependents.push_back(ref.id);
    ++ref.unmet;
  }
  for (uint64_t id : afterReads) {
    auto it = ops.find(id);
    if (it == ops.end() || it->second->firstReads)
      continue;
    it->second->readsFirst = true;
    it->second->readDependents.push_back(ref.id);
    ++ref.unmet;
  }
  ops.emplace(ref.id, std::move(op));
  if (ref.unmet == 0)
    readyIds.push_back(ref.id);
  ++cluster.effects;
  ref.issueMoment = cluster.nextMoment();
  ref.onIssue(cluster);
  for (auto &observer : cluster.observers)
    observer->issued(ref);
  return ref;
}

const AsyncOp *Engine::find(uint64_t id) const {
  auto it = ops.find(id);
  return it == ops.end() ? nullptr : it->second.get();
}

bool Engine::readsPending(uint64_t id) const {
  const AsyncOp *op = find(id);
  return op && !op->sourcesRead;
}

bool Engine::anyPending(const Warp &warp, AsyncClass asyncClass,
                        int lane) const {
  for (const auto &entry : ops) {
    const AsyncOp &op = *entry.second;
    if (op.asyncClass == asyncClass && op.issuerRank == warp.cta.rank &&
        op.issuerWarp == warp.index &&
        (lane < 0 || op.issuerLane == unsigned(lane)))
      return true;
  }
  return false;
}

void Engine::release(std::vector<uint64_t> &dependents) {
  for (uint64_t dependent : dependents)
    if (--ops.at(dependent)->unmet == 0)
      readyIds.insert(
          std::upper_bound(readyIds.begin(), readyIds.end(), dependent),
          dependent);
  dependents.clear();
}

Status Engine::step(Cluster &cluster, uint64_t id) {
  AsyncOp &op = *ops.at(id);
  Expected<bool> finished = op.step(cluster);
  if (!finished) {
    Error error = finished.takeError();
    if (!error.line)
      error.line = op.line;
    cluster.involved.addWarp(op.issuerRank, op.issuerWarp);
    return error;
  }
  ++cluster.effects;
  ++cluster.engineSteps;
  for (auto &observer : cluster.observers)
    observer->stepped(op, *finished);
  if (op.firstReads)
    release(op.readDependents);
  // Waits by group or by class are keyed by the issuing warp.
  unsigned rank = op.issuerRank, warp = op.issuerWarp;
  if (*finished) {
    cluster.machine.asyncOps.fetch_add(1, std::memory_order_relaxed);
    readyIds.erase(std::find(readyIds.begin(), readyIds.end(), id));
    release(op.dependents);
    release(op.readDependents);
    auto done = ops.find(id);
    op.finishMoment = cluster.nextMoment();
    op.retire();
    history.push(std::move(done->second));
    ops.erase(done);
  }
  if (Cta *cta = cluster.cta(rank))
    if (warp < cta->warps.size())
      cluster.wake(cta->warps[warp].get());
  return {};
}

} // namespace tc::emu
