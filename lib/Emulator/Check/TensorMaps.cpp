//===- TensorMaps.cpp - the tensormap proxy -------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//
// Tensor copies read their tensor maps through a proxy of its own (PTX ISA 9.0,
// "Proxies", 8.6). A map in global memory that threads of the launch have
// written needs fence.proxy.tensormap::generic.release after the write and
// .acquire of its address before the copy ("membar/fence", 9.7.13.4); what
// connects the two may be relaxed, as the fences make patterns of it. The
// acquiring fence is one of the CTA that issues the copy. The map has been read
// when the copy has been issued: the ISA names nothing that tells when else.
//
//===----------------------------------------------------------------------===//

#include "Check/TensorMaps.h"

#include "Check/Reports.h"
#include "State/DecodedInst.h"
#include "State/Machine.h"

namespace tc::emu {

constexpr uint64_t kMapBytes = 128;

/// What the lanes know, their own accesses included, is ready for the proxy.
void TensorMaps::releaseMaps(Group &group, const WarpState &warp,
                             const SyncEvent &event) {
  auto maps = group.message.maps
                  ? std::make_shared<MapKnowledge>(*group.message.maps)
                  : std::make_shared<MapKnowledge>();
  Knowledge known = group.message.known;
  // tensormap.cp_fenceproxy copies once for the warp: all its lanes.
  for (uint32_t rest = event.object ? event.lanes : group.lanes; rest;
       rest &= rest - 1)
    known.threads.raise(warp.base + unsigned(__builtin_ctz(rest)), warp.clock);
  const Reach reach = holds(Rule::Scopes) ? reachOf(event.scope) : kGrid;
  MapKnowledge::Released released{std::move(known), {}};
  if (group.message.foreign)
    for (const auto &[index, theirs] : *group.message.foreign)
      released.foreign[index].join(theirs.known);
  maps->releasedToCta[warp.rank].join(released);
  if (reach >= kCluster)
    maps->releasedToCluster.join(released);
  if (reach == kGrid)
    maps->releasedToGrid.join(released.own);
  group.message.maps = std::move(maps);
  if (!group.message.foreign || reach != kGrid)
    return;
  auto all = std::make_shared<ForeignMap>(*group.message.foreign);
  for (auto &theirs : *all)
    theirs.second.maps.join(theirs.second.known);
  group.message.foreign = std::move(all);
}

/// The proxy sees what has been released to the lanes, as far as the fence
/// reaches, at one address and for their CTA.
void TensorMaps::acquireMaps(Group &group, const WarpState &warp,
                             const SyncEvent &event) {
  Message &message = group.message;
  MapKnowledge::join(message.maps, group.toMaps);
  group.toMaps.reset();
  if (!message.maps && !message.foreign)
    return;
  auto maps = message.maps ? std::make_shared<MapKnowledge>(*message.maps)
                           : std::make_shared<MapKnowledge>();
  MapKnowledge::Seen &seen = maps->seen[{warp.rank, event.object}];
  const Reach reach = holds(Rule::Scopes) ? reachOf(event.scope) : kGrid;
  auto see = [&](const MapKnowledge::Released &released) {
    seen.own.join(released.own);
    for (const auto &[index, known] : released.foreign)
      seen.foreign[index].join(known);
  };
  // The scopes of both fences have to include the other one.
  if (auto own = maps->releasedToCta.find(warp.rank);
      own != maps->releasedToCta.end())
    see(own->second);
  if (reach >= kCluster)
    see(maps->releasedToCluster);
  if (reach == kGrid && message.foreign)
    for (const auto &[index, theirs] : *message.foreign)
      seen.foreign[index].join(theirs.maps);
  message.maps = std::move(maps);
}

bool TensorMaps::seesMap(const Record &before, unsigned lane,
                         const Actor &actor, uint64_t address) const {
  if (!holds(Rule::TensorMapFence))
    return true;
  const auto &maps = actor.group->message.maps;
  if (!maps)
    return false;
  auto found = maps->seen.find({actor.warp->rank, address});
  if (found == maps->seen.end())
    return false;
  const Knowledge *known = &found->second.own;
  if (before.cluster != cluster.index) {
    auto theirs = found->second.foreign.find(before.cluster);
    if (theirs == found->second.foreign.end())
      return false;
    known = &theirs->second;
  }
  AssumptionMask used = 0;
  return before.kind == Record::Generic
             ? known->threads.knows(before.component + lane, before.clock, used)
             : known->async.knows(before.component, before.clock, used);
}

void TensorMaps::useMap(WarpState &warp, unsigned lane, uint64_t address,
                        const DecodedInst &inst) {
  Actor actor = accesses.actorOf(warp, lane);
  const Record now = accesses.makeRecord(warp, inst.line);
  actor.record = &now;
  actor.entry = makeEntry(0, lane);
  if (shared.prerequisite &&
      !accesses.checkPrerequisite(address, address + kMapBytes, actor, false))
    return;
  auto check = [&](Cell &cell, uint64_t at, uint32_t bytes) {
    if (!cell.writer)
      return true;
    const Record &before = accesses.record(cell.writer, true);
    return forLanes(cell.writer, before, at, bytes, [&](unsigned by, uint64_t) {
      if (seesMap(before, by, actor, address) ||
          threads.isTold(before.line, now.line))
        return true;
      cluster.involved = reports.involve(before, now);
      return threads.race(reports.describeMap(before, by, actor, address));
    });
  };
  // Most maps are written before the launch. They are aligned to their half.
  for (uint64_t at : {address, address + kMapBytes / 2}) {
    GlobalPage *page = shared.footprint->findPage(at);
    if (!page)
      continue;
    const uint64_t begin = at % GlobalPage::kBytes;
    const HeldPage held(*page);
    if (!page->shadow.visit(begin, begin + kMapBytes / 2, check))
      return;
  }
}

} // namespace tc::emu
