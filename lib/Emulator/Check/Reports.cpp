//===- Reports.cpp - texts of races ---------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//
// Both lines, the place, and the edge that is missing, found by asking in
// which ways the later access is ordered after the earlier one.
//
//===----------------------------------------------------------------------===//

#include "Check/Reports.h"

#include "State/Machine.h"
#include "tc/Emulator/Names.h"

namespace tc::emu {

const char *toString(Rule rule) {
  static const char *const names[] = {
      "generic-order",     "same-warp-lanes",
      "proxy-fence",       "proxy-fence-space",
      "async-completion",  "phase-aware",
      "bulk-wait-read",    "cp-async-wait",
      "tensor-order",      "fence-after",
      "fence-before",      "wait-loads",
      "wait-stores",       "pipelined-pairs",
      "commit-prefix",     "commit-own-thread",
      "relaxed",           "remote-scope",
      "inval-after-use",   "init-visible",
      "grid-dependency",   "write-after-read",
      "free-after-use",    "exact-bytes",
      "strong-accesses",   "complete-overlap",
      "last-write",        "reductions-read",
      "cross-cluster",     "phase-observed",
      "exit-after-remote", "pair-present",
      "peer-present",      "scopes",
      "pair-free",         "shared-sm",
      "tensor-map-fence",  "sync-restrict",
      "fence-sides",       "mbarrier-order",
      "barrier-order",     "cluster-barrier-order",
      "warp-sync-order",   "transaction-order",
      "commit-order",      "bulk-wait-order",
      "wgmma-order",       "flag-order",
      "pipeline-order",    "fence-sc-order"};
  static_assert(sizeof(names) / sizeof(*names) == unsigned(Rule::Count));
  return names[unsigned(rule)];
}

static std::string opcodeOf(const DecodedInst &inst) {
  std::string text = cleanText(inst.text);
  size_t begin = text[0] == '@' ? text.find(' ') + 1 : 0;
  return text.substr(begin, text.find_first_of(" ;", begin) - begin);
}

/// Of the first instruction of a line whose name begins like one of `starts`,
/// as inline assembly has several on a line; else of the first one.
static std::string opcodeAt(const KernelCode &kernel, int line,
                            const std::vector<std::string_view> &starts = {
                                ""}) {
  std::string first;
  for (const DecodedInst &inst : kernel.code) {
    if (inst.line != line)
      continue;
    const std::string opcode = opcodeOf(inst);
    for (std::string_view start : starts)
      if (opcode.compare(0, start.size(), start) == 0)
        return opcode;
    if (first.empty())
      first = opcode;
  }
  return first.empty() ? "access" : first;
}

/// What the names of instructions that make such records begin with.
static std::vector<std::string_view> startsOf(const Record &record) {
  switch (record.kind) {
  case Record::Generic:
    return {"mbarrier."};
  case Record::Tensor:
    return {record.piped.asyncClass == AsyncClass::TmemCopy    ? "tcgen05.cp"
            : record.piped.asyncClass == AsyncClass::TmemShift ? "tcgen05.shift"
                                                               : "tcgen05.mma"};
  case Record::TmemLoad:
    return {"tcgen05.ld"};
  case Record::TmemStore:
    return {"tcgen05.st"};
  case Record::BulkLoad:
  case Record::BulkRead:
  case Record::BulkWrite:
    return {"cp."};
  case Record::CpAsync:
    return {"cp.async.c"};
  case Record::StoreAsync:
    return {"st.async", "red.async"};
  case Record::Wgmma:
    return {"wgmma.mma_async"};
  case Record::Free:
    return {"tcgen05.dealloc"};
  }
  return {""};
}

std::string Reports::opcode(int line) const {
  return opcodeAt(cluster.machine.kernel, line);
}

std::string Reports::opcode(const Record &record) const {
  return record.inst
             ? opcodeOf(*record.inst)
             : opcodeAt(cluster.machine.kernel, record.line, startsOf(record));
}

/// "the tcgen05.ld at line 5".
static std::string at(const std::string &what, int line) {
  return "the " + what + " at line " + std::to_string(line);
}

std::string Reports::missingTensorEdge(const Record &before,
                                       const Actor &actor) const {
  const Record &now = *actor.record;
  std::string then = at(opcode(before), before.line);
  std::string here = at(opcode(now), now.line);
  const WarpState &owner =
      threads.warps[before.rank * cluster.machine.warpsPerCta + before.warp];
  bool load = before.kind == Record::TmemLoad;
  if (load || before.kind == Record::TmemStore) {
    std::string wait = load ? "tcgen05.wait::ld" : "tcgen05.wait::st";
    if ((load ? owner.loadsWaited : owner.storesWaited) < before.clock)
      return "no " + wait + " between " + then + " and " + here;
  }
  const Group &group = *actor.group;
  std::string waitAt =
      group.waitLine ? "the wait at line " + std::to_string(group.waitLine)
                     : then;
  if (group.message.tensor.get(before.component) >= before.clock)
    return "no tcgen05.fence::after_thread_sync between " + waitAt + " and " +
           here;
  if (group.message.known.async.get(before.component) >= before.clock)
    return "no tcgen05.fence::before_thread_sync between " + then +
           " and the synchronisation that " + waitAt + " belongs to";
  if (before.kind != Record::Tensor)
    return "nothing orders " + then + " before " + here +
           ": no synchronisation with tcgen05 fences between their threads";
  for (const auto &entry : threads.issuers)
    if (entry.second.stream == before.component &&
        entry.second.committed < before.clock)
      return "no tcgen05.commit after " + then +
             (now.kind == Record::Tensor
                  ? ", and the two are no pipelined pair whose threads are "
                    "synchronised with tcgen05 fences"
                  : "") +
             ", whose mbarrier is waited for before " + here;
  return "no wait, before " + here +
         ", for the mbarrier that the tcgen05.commit after " + then +
         " arrives on";
}

/// What orders nothing, or is not there, between a thread and the actor's.
std::string Reports::missingSync(uint32_t thread, const Actor &actor) const {
  if (const int line = actor.group->relaxedLine)
    return "the barrier.cluster.arrive.relaxed at line " +
           std::to_string(line) +
           " orders no accesses, without .relaxed it would";
  if (thread / 32 == actor.thread / 32)
    return "no bar.warp.sync between lane " + std::to_string(thread % 32) +
           " and lane " + std::to_string(actor.thread % 32) + " of the warp";
  return "no barrier, or release and acquire, between their threads";
}

/// What is missing where isReadRelaxed says so.
static std::string relaxedRead(const std::string &then) {
  return "the release after " + then +
         " is read by a relaxed operation, with no .acquire and no memory "
         "fence after it";
}

/// Whether a relaxed read or wait of the cluster has seen a release after what
/// a thread did: a memory fence after it would acquire that.
bool Reports::isReadRelaxed(const Record &before, uint32_t thread) const {
  auto knows = [&](const Knowledge &known) {
    return known.threads.get(thread) >= before.clock;
  };
  for (const WarpState &warp : threads.warps)
    for (const auto &group : warp.groups) {
      if (group->toAcquire)
        if (auto found = group->toAcquire->find(before.cluster);
            found != group->toAcquire->end() && knows(found->second.known))
          return true;
      for (const auto &told : group->toJoin)
        if (told && before.cluster == cluster.index &&
            (knows(told->known) || knows(told->knownShared)))
          return true;
    }
  return false;
}

/// What is missing after an access of a thread, of which `known` is known.
std::string Reports::missingGenericEdge(const Record &before, unsigned lane,
                                        const Actor &actor, bool global,
                                        const Knowledge &known) const {
  const std::string then = at(opcode(before), before.line);
  const std::string here = at(opcode(*actor.record), actor.record->line);
  const Message &message = actor.group->message;
  uint32_t thread = before.component + lane;
  bool own = actor.isOwn(thread) && before.cluster == cluster.index;
  if (!own && known.threads.get(thread) < before.clock) {
    if (actor.group->remoteCtaLine)
      return "the mbarrier.arrive at line " +
             std::to_string(actor.group->remoteCtaLine) +
             " has .cta scope and orders nothing for another CTA";
    const bool isRelaxed = isReadRelaxed(before, thread);
    if (isRelaxed && before.cluster != cluster.index)
      return "nothing orders the two clusters: " + relaxedRead(then);
    if (before.cluster != cluster.index)
      return "nothing orders the two clusters: no release at .gpu scope "
             "after " +
             then + " that an acquire before " + here + " reads";
    return "nothing orders " + then + " before " + here + ": " +
           (isRelaxed ? relaxedRead(then) : missingSync(thread, actor));
  }
  const Knowledge &other =
      global ? message.visibleShared : message.visibleGlobal;
  const OwnKnowledge &fenced = actor.warp->own;
  return "no fence.proxy.async between " + then + " and " + here +
         (other.threads.get(thread) >= before.clock ||
                  (own && (global ? fenced.shared : fenced.global)[lane] >=
                              before.clock)
              ? " (the one there names another state space)"
              : "");
}

/// What is missing after `then`, a bulk copy from shared memory.
std::string Reports::missingBulkEdge(const Record &before,
                                     const std::string &then,
                                     const std::string &here,
                                     bool isAsync) const {
  for (const auto &entry : threads.bulk) {
    const BulkIssuer &issuer = entry.second;
    bool reads = before.kind == Record::BulkRead;
    if (before.cluster != cluster.index ||
        before.component != (reads ? issuer.reads : issuer.writes))
      continue;
    const bool isForProxy = issuer.proxyWaited >= before.clock;
    if ((reads ? issuer.readsWaited : issuer.writesWaited) >= before.clock ||
        (isForProxy && isAsync))
      return "nothing orders the cp.async.bulk.wait_group after " + then +
             " before " + here;
    if (isForProxy)
      return "cp.async.bulk.wait_group.sync_restrict::proxy::async after " +
             then + " is for later work of the async proxy alone: no " +
             "cp.async.bulk.wait_group without it before " + here;
    if (!reads && issuer.readsWaited >= before.clock)
      return "cp.async.bulk.wait_group.read says only that the sources of " +
             then + " have been read: no cp.async.bulk.wait_group before " +
             here;
  }
  return std::string("no cp.async.bulk.wait_group") +
         (before.kind == Record::BulkRead ? "{.read}" : "") + " for " + then +
         " before " + here;
}

std::string Reports::missingEdge(const Record &before, unsigned lane,
                                 const Actor &actor, bool global) const {
  const Record &now = *actor.record;
  std::string then = at(opcode(before), before.line);
  std::string here = at(opcode(now), now.line);
  const Message &message = actor.group->message;
  Knowledge all = message.known;
  if (!global)
    all.join(message.knownShared);
  const Knowledge *known = &all;
  if (before.cluster != cluster.index) {
    known = nullptr;
    if (message.foreign)
      if (auto it = message.foreign->find(before.cluster);
          it != message.foreign->end())
        known = &it->second.known;
    if (!known && before.kind == Record::Generic &&
        isReadRelaxed(before, before.component + lane))
      return "nothing orders the two clusters: " + relaxedRead(then);
    if (!known)
      return "nothing orders the two clusters: no release at .gpu scope "
             "after " +
             then + " that an acquire before " + here + " reads";
  }
  if (now.strong && before.strong && now.element != before.element &&
      now.isGeneric() == before.isGeneric())
    return then + " and " + here +
           " are strong, but they overlap only in part, so that they race "
           "unless something orders them (PTX ISA 9.0, \"Morally Strong "
           "Operations\", 8.7)";
  switch (before.kind) {
  case Record::Generic:
    return missingGenericEdge(before, lane, actor, global, *known);
  case Record::CpAsync:
    if (known->async.get(before.component + lane) >= before.clock ||
        (before.cluster == cluster.index &&
         actor.warp->own.copyStream == before.component &&
         actor.isOwn(actor.warp->base + lane) &&
         actor.warp->own.copies[lane] >= before.clock))
      return "no fence.proxy.async between the completion of " + then +
             " and " + here;
    // Its own thread has waited, but does not tell this one.
    for (const WarpState &warp : threads.warps)
      if (before.cluster == cluster.index &&
          warp.own.copyStream == before.component &&
          warp.own.copies[lane] >= before.clock)
        return "its thread has waited for " + then +
               ", but nothing orders that wait before " + here + ": " +
               missingSync(warp.base + lane, actor);
    return "no cp.async.wait_group, wait_all or mbarrier for " + then +
           " before " + here;
  case Record::StoreAsync:
    if (known->async.get(before.component) >= before.clock)
      return "no fence.proxy.async between the completion of " + then +
             " and " + here;
    [[fallthrough]];
  case Record::BulkLoad:
    if (message.phases.get(before.component) >= before.clock)
      return "the wait for the phase that the bytes of " + then +
             " count in is .relaxed: no .acquire, and no memory fence after "
             "it, before " +
             here;
    return "no wait on the mbarrier at shared offset " +
           std::to_string(smemOffset(before.barrier)) +
           cluster.machine.kernel.nameShared(smemOffset(before.barrier)) +
           (before.clock == ~0u ? ""
                                : " for the phase that its bytes count in") +
           " between " + then + " and " + here;
  case Record::BulkRead:
  case Record::BulkWrite:
    return missingBulkEdge(before, then, here, actor.async);
  case Record::Wgmma:
    for (const WarpState &warp : threads.warps)
      if (before.cluster == cluster.index &&
          warp.wgmmaStream == before.component &&
          warp.wgmmasWaited >= before.clock)
        return "nothing orders the wgmma.wait_group after " + then +
               " before " + here;
    return "no wgmma.wait_group for " + then + " before " + here;
  case Record::Tensor:
    for (const auto &[key, issuer] : threads.issuers)
      if ((issuer.stream == before.component ||
           issuer.stream + kFirstReads == before.component) &&
          issuer.committed < before.clock)
        return "no tcgen05.commit after " + then +
               (issuer.committedReads >= before.clock
                    ? ", but one with .sync_restrict, which covers the reads "
                      "of A alone,"
                    : "") +
               " whose mbarrier is waited for before " + here;
    return "no wait, before " + here +
           ", for the mbarrier that the tcgen05.commit after " + then +
           " arrives on";
  default:
    return "nothing orders " + then + " before " + here;
  }
}

Report Reports::describePrerequisite(const Record &before, bool wrote,
                                     const Actor &actor, bool write,
                                     uint64_t address) const {
  const Record &now = *actor.record;
  const KernelCode &kernel = *shared.prerequisite->kernel;
  char where[32];
  snprintf(where, sizeof(where), "0x%llx", (unsigned long long)address);
  Report report;
  report.kind = ReportKind::Race;
  report.lines = {now.line, before.line};
  report.message =
      cluster.machine.program.at(now.line) + opcode(now) + " (warp " +
      std::to_string(now.warp) + " of " + cluster.cta(now.rank)->name() + ") " +
      (write ? "writes" : "reads") + " global address " + where + ", which " +
      at(opcodeAt(kernel, before.line), before.line) + " of the kernel '" +
      shortName(kernel.info.name) + "' launched before " +
      (wrote ? "writes" : "reads") + ": no griddepcontrol.wait before " +
      at(opcode(now), now.line) +
      ", and that kernel executes griddepcontrol.launch_dependents, so that "
      "both may run at once (PTX ISA 9.0, \"Parallel Synchronization and "
      "Communication Instructions: griddepcontrol\")";
  return report;
}

Involved Reports::involve(const Record &before, const Record &now) const {
  Involved both;
  both.addWarp(now.rank, now.warp);
  if (before.cluster == cluster.index)
    both.addWarp(before.rank, before.warp);
  return both;
}

/// "warp 1 lane 0 of CTA (2,0,0), rank 0".
std::string Reports::who(const Record &record, unsigned lane) const {
  const Machine &machine = cluster.machine;
  return "warp " + std::to_string(record.warp) +
         (lane < 32 ? " lane " + std::to_string(lane) : "") + " of " +
         nameOfCta(machine.ctaid(record.cluster, record.rank)) +
         (machine.ctasPerCluster > 1 ? ", rank " + std::to_string(record.rank)
                                     : "");
}

/// A copy uses a tensor map that the tensormap proxy need not see as written.
Report Reports::describeMap(const Record &before, unsigned lane,
                            const Actor &actor, uint64_t address) const {
  const Record &now = *actor.record;
  const Message &message = actor.group->message;
  const bool foreign = before.cluster != cluster.index;
  const Foreign *theirs = nullptr;
  if (foreign && message.foreign)
    if (auto it = message.foreign->find(before.cluster);
        it != message.foreign->end())
      theirs = &it->second;
  auto has = [&](const Knowledge &known) {
    return before.kind == Record::Generic
               ? known.threads.get(before.component + lane) >= before.clock
               : known.async.get(before.component) >= before.clock;
  };
  // By a fence of any scope in any CTA.
  auto hasReleased = [&](const std::shared_ptr<const MapKnowledge> &maps) {
    if (!maps)
      return false;
    for (const auto &[rank, of] : maps->releasedToCta) {
      auto known = of.foreign.find(before.cluster);
      if (foreign ? known != of.foreign.end() && has(known->second)
                  : has(of.own))
        return true;
    }
    return false;
  };
  const bool released = hasReleased(message.maps) ||
                        hasReleased(actor.group->toMaps) ||
                        (foreign && theirs && has(theirs->maps));
  const bool own = !foreign && before.kind == Record::Generic &&
                   before.component + lane == actor.thread;
  const bool known =
      own || (foreign ? theirs && has(theirs->known) : has(message.known));
  const std::string then = at(opcode(before), before.line);
  const std::string here = at(opcode(now), now.line);
  char where[32];
  snprintf(where, sizeof(where), "0x%llx", (unsigned long long)address);
  Report report;
  report.kind = ReportKind::Race;
  report.lines = {now.line, before.line};
  report.message =
      cluster.machine.program.at(now.line) + opcode(now) + " (" +
      who(now, actor.lane()) + ") uses the tensor map at " + where +
      ", which " + then + " (" + who(before, lane) + ") writes: " +
      (released
           ? "no fence.proxy.tensormap::generic.acquire of this address in its "
             "CTA, with a scope that reaches as far, between "
             "fence.proxy.tensormap::generic.release and " +
                 here
       : known ? "no fence.proxy.tensormap::generic.release between " + then +
                     " and " + here
               : "nothing orders " + then + " before " + here) +
      " (PTX ISA 9.0, \"membar/fence\", 9.7.13.4)";
  return report;
}

Report Reports::describe(const Record &before, unsigned lane,
                         const Actor &actor, bool write, bool global,
                         const std::string &where) const {
  const Record &now = *actor.record;
  bool tensor = where.compare(0, 6, "Tensor") == 0;
  Report report;
  report.kind = ReportKind::Race;
  report.lines = {now.line, before.line};
  report.message = cluster.machine.program.at(now.line) + opcode(now) + " (" +
                   who(now, actor.lane()) + ") " +
                   (write ? "writes " : "reads ") + where + ", which " +
                   at(opcode(before), before.line) + " (" + who(before, lane) +
                   ") " + (before.write ? "writes" : "reads") + ": " +
                   (tensor ? missingTensorEdge(before, actor)
                           : missingEdge(before, lane, actor, global));
  return report;
}

} // namespace tc::emu
