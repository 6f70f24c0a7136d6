//===- CtaLives.cpp - CTAs that come and go -------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//
// A CTA is accessed after it has started, and stays as long as others access
// its shared memory.
//
//===----------------------------------------------------------------------===//

#include "Check/CtaLives.h"

#include "Check/MBarriers.h"
#include "Check/Reports.h"
#include "State/Machine.h"

namespace tc::emu {

CtaLives::CtaLives(Threads &threads, const Reports &reports)
    : threads(threads), reports(reports), cluster(threads.cluster),
      visits(cluster.machine.ctasPerCluster),
      works(cluster.machine.ctasPerCluster) {}

/// PTX ISA 9.0, "Cluster of Cooperative Thread Arrays", 2.2.2, and "mapa": the
/// CTAs of a cluster are scheduled together, but nothing says that another one
/// has started before a synchronisation with it does.
bool CtaLives::checkPresent(const Group &group, unsigned rank, int line) {
  if (!holds(Rule::PeerPresent) || group.message.present >> rank & 1)
    return true;
  constexpr int start = -1; // no line of the text
  return threads.isTold(start, line) ||
         threads.race(
             reports.opcode(line) + " accesses shared memory of " +
                 cluster.cta(rank)->name() +
                 ", but its thread has not observed that this CTA has started: "
                 "no cluster barrier, or other synchronisation with it, "
                 "before line " +
                 std::to_string(line),
             line);
}

void CtaLives::visit(unsigned rank, uint32_t thread, uint32_t clock,
                     const BarrierState *state, int line) {
  if (rank < visits.size())
    visits[rank][{thread, state ? state->stream : 0}] = {
        clock, state ? state->base + state->phases + 1 : 0, line};
}

/// For a commit that arrives, on its own CTA's mbarriers, too, or a copy whose
/// bytes count.
void CtaLives::visitByOp(const SyncEvent &event, const OpState &op,
                         const BarrierState &state) {
  unsigned rank = smemRank(uint32_t(event.object));
  if (rank == threads.warps[op.thread / 32].rank && !op.commitStream &&
      !threads.certificate())
    return;
  visit(rank, op.thread, 0, &state, event.op->line);
  if (op.commitStream && rank < visits.size()) {
    Visit &last = visits[rank][{op.thread, state.stream}];
    last.stream = op.commitStream;
    last.nth = op.nthCommit;
  }
}

void CtaLives::work(const AsyncOp &op, uint32_t thread, uint32_t stream,
                    uint32_t clock) {
  for (unsigned rank = 0; rank < works.size(); ++rank)
    if (threads.certificate() && op.touchesCta(rank))
      works[rank][stream] = {thread, clock, op.line};
}

/// Some thread of the CTA has observed that the work that uses its memory is
/// over, or it may go on after the exit.
bool CtaLives::checkWork(unsigned rank) {
  Clock over, heard;
  for (const WarpState &warp : threads.warps)
    if (warp.rank == rank)
      for (const auto &group : warp.groups) {
        over.join(group->message.known.async);
        over.join(group->message.knownShared.async);
        // A wait for later work of the async proxy alone has waited, too.
        over.join(group->message.visibleShared.async);
        heard.join(group->message.heard);
      }
  for (const auto &[stream, last] : works[rank]) {
    const WarpState &issuer = threads.warps[last.thread / 32];
    const unsigned lane = last.thread % 32;
    AssumptionMask used = 0;
    if (over.knows(stream, last.clock, used) ||
        heard.get(threads.signOf(stream)) >= last.clock ||
        (issuer.own.copyStream && stream == issuer.own.copyStream + lane &&
         issuer.own.copies[lane] >= last.clock)) {
      threads.note(used, last.line, last.line);
      continue;
    }
    constexpr int end = -3; // no line of the text
    if (threads.isTold(last.line, end))
      continue;
    cluster.involved.addWarp(issuer.rank, issuer.index);
    if (!threads.race(cluster.cta(rank)->name() +
                          " exits without having observed that the " +
                          reports.opcode(last.line) + " at line " +
                          std::to_string(last.line) + " of " +
                          cluster.cta(issuer.rank)->name() +
                          " is over, which uses its memory: no wait that "
                          "covers it",
                      last.line))
      return false;
  }
  return true;
}

/// An mbarrier is none any more: nothing arrives on it.
void CtaLives::forget(unsigned rank, const BarrierState &state) {
  std::map<std::pair<uint32_t, uint32_t>, Visit> &of = visits[rank];
  for (auto it = of.begin(); it != of.end();)
    it = it->first.second == state.stream ? of.erase(it) : std::next(it);
}

/// PTX ISA 9.0, "Cluster of Cooperative Thread Arrays", 3.2.2: shared memory of
/// a CTA is there as long as the CTA. A thread that has seen the phase of an
/// arrival, in whatever order, has observed the arrival.
void CtaLives::exit(unsigned rank) {
  if (!holds(Rule::ExitAfterRemote) || !checkWork(rank))
    return;
  Clock known, phases, heard;
  for (const WarpState &warp : threads.warps)
    if (warp.rank == rank)
      for (const auto &group : warp.groups) {
        known.join(group->message.known.threads);
        known.join(group->message.knownShared.threads);
        phases.join(group->message.phases);
        heard.join(group->message.heard);
      }
  for (const auto &[who, last] : visits[rank]) {
    const auto &[thread, stream] = who;
    if ((last.clock && known.get(thread) >= last.clock) ||
        (last.phase && phases.get(stream) >= last.phase))
      continue;
    AssumptionMask used = 0;
    if (last.stream && phases.get(last.stream) > last.nth)
      used = maskOf(Assumption::CommitsInOrder);
    else if (threads.assumes(Assumption::ExitByAnySign) && last.clock &&
             heard.get(thread) >= last.clock)
      used = maskOf(Assumption::ExitByAnySign);
    if (used || (last.clock && known.knows(thread, last.clock, used))) {
      threads.note(used, last.line, last.line);
      continue;
    }
    const WarpState &visitor = threads.warps[thread / 32];
    constexpr int end = -3; // no line of the text
    if (threads.isTold(last.line, end))
      continue;
    cluster.involved.addWarp(visitor.rank, visitor.index);
    if (!threads.race(cluster.cta(rank)->name() +
                          " exits without having observed that the " +
                          reports.opcode(last.line) + " at line " +
                          std::to_string(last.line) + " of " +
                          cluster.cta(visitor.rank)->name() +
                          " on its shared memory has "
                          "happened: no wait for that phase of the mbarrier" +
                          (visitor.rank == rank
                               ? ""
                               : ", and no cluster barrier after it"),
                      last.line))
      return;
  }
}

} // namespace tc::emu
