//===- ClusterTrace.cpp - events of one cluster ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Slices of a warp that follow each other are one event. An op is written when
// it completes, so that begin and end come in pairs even if the file is cut.
//
//===----------------------------------------------------------------------===//

#include "Debug/ClusterTrace.h"

#include "Debug/Observers.h"
#include "State/Machine.h"

namespace tc::emu {

//===----------------------------------------------------------------------===//
// Trace
//===----------------------------------------------------------------------===//

void Trace::beginLaunch(uint64_t ctas) {
  processes = nextProcess;
  nextProcess += ctas;
  origin = end;
}

bool Trace::reserve(size_t bytes) {
  size_t room = left.load();
  do {
    if (bytes > room) {
      ++droppedEvents;
      return false;
    }
  } while (!left.compare_exchange_weak(room, room - bytes));
  return true;
}

void Trace::add(const std::string &more, uint64_t endTime) {
  std::lock_guard<std::mutex> guard(lock);
  events += more;
  end = std::max(end, endTime);
}

std::string Trace::json() const {
  std::lock_guard<std::mutex> guard(lock);
  // Every event ends in a comma; the last one of the list is about the file.
  return "{\"displayTimeUnit\": \"ms\", \"otherData\": {\"time unit\": \"1 us "
         "is "
         "one step of the emulator: a warp instruction or a step of an "
         "engine\", \"dropped events\": " +
         std::to_string(droppedEvents.load()) + "},\n\"traceEvents\": [\n" +
         events +
         "{\"ph\": \"M\", \"name\": \"trace_end\", \"pid\": 0, \"args\": "
         "{}}]}\n";
}

//===----------------------------------------------------------------------===//
// ClusterTrace
//===----------------------------------------------------------------------===//

/// Tracks of a CTA after its warps.
static constexpr unsigned kEngineThread = 1000;

static unsigned engineOf(const AsyncOp &op) {
  switch (op.asyncClass) {
  case AsyncClass::BulkLoad:
  case AsyncClass::BulkStore:
    return op.what.find(".tensor") != op.what.npos ? 0 : 1;
  case AsyncClass::CpAsync:
    return 1;
  case AsyncClass::Mma:
  case AsyncClass::TmemCopy:
  case AsyncClass::TmemShift:
  case AsyncClass::Commit:
  case AsyncClass::Wgmma:
    return 2;
  case AsyncClass::TmemLoad:
  case AsyncClass::TmemStore:
    return 3;
  case AsyncClass::Prefetch:
  case AsyncClass::StoreAsync:
    return 4;
  }
  return 4;
}

static const char *const kEngineNames[] = {"TMA", "bulk copies", "tensor core",
                                           "tcgen05.ld/st", "other engines"};

static std::string quote(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    out += static_cast<unsigned char>(c) < 32 ? ' ' : c;
  }
  return out + "\"";
}

ClusterTrace::ClusterTrace(Trace &trace, Cluster &cluster)
    : trace(trace), cluster(cluster), namedEngines(cluster.ctas.size()) {
  tracks.resize(cluster.ctas.size() * cluster.machine.warpsPerCta);
}

ClusterTrace::~ClusterTrace() {
  for (auto &cta : cluster.ctas)
    for (auto &warp : cta->warps) {
      Track &track = trackOf(*warp);
      flushRun(*warp, track);
      flushWait(*warp, track);
    }
  trace.add(events, trace.startTime() + cluster.now());
}

void ClusterTrace::emit(std::string event) {
  event += ",\n";
  if (trace.reserve(event.size()))
    events += event;
}

std::string ClusterTrace::place(unsigned rank, unsigned thread) const {
  const auto &grid = cluster.machine.config.grid;
  const auto &ctaid = cluster.ctas[rank]->ctaid;
  uint64_t process =
      trace.firstProcess() + ctaid[0] +
      uint64_t(grid[0]) * (ctaid[1] + uint64_t(grid[1]) * ctaid[2]);
  return "\"pid\": " + std::to_string(process) +
         ", \"tid\": " + std::to_string(thread);
}

std::string ClusterTrace::time(uint64_t steps) const {
  return std::to_string(trace.startTime() + steps);
}

void ClusterTrace::nameThread(unsigned rank, unsigned thread,
                              const std::string &name) {
  if (!namedEngines[rank]) {
    namedEngines[rank] = 1u << 31;
    emit("{\"ph\": \"M\", \"name\": \"process_name\", " + place(rank, 0) +
         ", \"args\": {\"name\": " +
         quote(cluster.machine.kernel.info.name + " " +
               cluster.ctas[rank]->name()) +
         "}}");
  }
  emit("{\"ph\": \"M\", \"name\": \"thread_name\", " + place(rank, thread) +
       ", \"args\": {\"name\": " + quote(name) + "}}");
}

ClusterTrace::Track &ClusterTrace::trackOf(const Warp &warp) {
  return tracks[warp.cta.rank * cluster.machine.warpsPerCta + warp.index];
}

static int lineOf(const Warp &warp) {
  if (warp.splits.empty())
    return 0;
  unsigned index = warp.current < warp.splits.size() ? warp.current : 0;
  return warp.machine.kernel.code[warp.splits[index].pc].line;
}

void ClusterTrace::flushRun(const Warp &warp, Track &track) {
  if (track.runEnd == track.runStart)
    return;
  emit("{\"ph\": \"X\", \"name\": \"run\", \"cat\": \"warp\", " +
       place(warp.cta.rank, warp.index) + ", \"ts\": " + time(track.runStart) +
       ", \"dur\": " + std::to_string(track.runEnd - track.runStart) +
       ", \"args\": {\"first line\": " + std::to_string(track.firstLine) +
       ", \"last line\": " + std::to_string(track.lastLine) + "}}");
  track.runStart = track.runEnd;
}

void ClusterTrace::flushWait(const Warp &warp, Track &track) {
  if (track.wait.empty())
    return;
  // A wait that ended before any other step has no length.
  if (uint64_t length = cluster.now() - track.waitStart)
    emit("{\"ph\": \"X\", \"cat\": \"wait\", " +
         place(warp.cta.rank, warp.index) +
         ", \"ts\": " + time(track.waitStart) +
         ", \"dur\": " + std::to_string(length) + ", " + track.wait + "}");
  track.wait.clear();
}

/// Name and arguments of the event for a wait.
static std::string describe(const Warp &warp, const Split &split) {
  std::string name, more;
  switch (split.wait) {
  case WaitKind::Mbarrier: {
    uint32_t address = uint32_t(split.a);
    std::string why;
    name = "wait mbarrier " + std::to_string(smemOffset(address));
    if (smemRank(address) != warp.cta.rank)
      name += " of CTA rank " + std::to_string(smemRank(address));
    if (const Mbarrier *b = warp.cluster.mbarrier(address, why))
      more = ", \"phase\": " + std::to_string(b->phase) +
             ", \"pending arrivals\": " + std::to_string(b->pending) +
             ", \"outstanding bytes\": " + std::to_string(b->tx) +
             ", \"initialised on line\": " + std::to_string(b->initLine);
    break;
  }
  case WaitKind::NamedBarrier:
    name = "wait barrier " + std::to_string(split.a);
    break;
  case WaitKind::ClusterBarrier:
    name = "wait cluster barrier";
    break;
  case WaitKind::Register:
  case WaitKind::TmemLoads:
    name = "wait tcgen05.ld";
    break;
  case WaitKind::TmemStores:
    name = "wait tcgen05.st";
    break;
  case WaitKind::BulkGroup:
    name = "wait bulk group";
    break;
  case WaitKind::CpAsyncGroup:
    name = "wait cp.async group";
    break;
  case WaitKind::WgmmaGroup:
    name = "wait wgmma group";
    break;
  case WaitKind::TmemAlloc:
  case WaitKind::PeerCta:
    name = "wait tcgen05.alloc";
    break;
  case WaitKind::Registers:
    name = "wait setmaxnreg";
    break;
  default:
    name = "wait for lanes";
  }
  const DecodedInst &inst = warp.machine.kernel.code[split.pc];
  return "\"name\": " + quote(name) +
         ", \"args\": {\"line\": " + std::to_string(inst.line) +
         ", \"ptx\": " + quote(cleanText(inst.text)) + more + "}";
}

void ClusterTrace::beginSlice(const Warp &warp) {
  Track &track = trackOf(warp);
  if (!track.named) {
    track.named = true;
    nameThread(warp.cta.rank, warp.index, "warp " + std::to_string(warp.index));
  }
  flushWait(warp, track);
  sliceStart = cluster.now();
  // Something else has run since: another event.
  if (track.runEnd != sliceStart) {
    flushRun(warp, track);
    track.runStart = track.runEnd = sliceStart;
    track.firstLine = lineOf(warp);
  }
}

void ClusterTrace::endSlice(const Warp &warp, SliceEnd end) {
  Track &track = trackOf(warp);
  track.runEnd = cluster.now();
  track.lastLine = lineOf(warp);
  for (uint64_t op : fresh)
    issueTimes[op] = track.runEnd;
  fresh.clear();
  if (end != SliceEnd::Blocked)
    return;
  flushRun(warp, track);
  for (const Split &split : warp.splits)
    if (split.state != Split::State::Runnable) {
      track.wait = describe(warp, split);
      track.waitStart = cluster.now();
      break;
    }
}

void ClusterTrace::issued(const AsyncOp &op) { fresh.push_back(op.id); }

void ClusterTrace::stepped(const AsyncOp &op, bool finished) {
  unsigned engine = engineOf(op), thread = kEngineThread + engine;
  if (!(namedEngines[op.issuerRank] >> engine & 1)) {
    nameThread(op.issuerRank, thread, kEngineNames[engine]);
    namedEngines[op.issuerRank] |= 1u << engine;
  }
  std::string where = place(op.issuerRank, thread), name = quote(op.what);
  std::string args = ", \"args\": {\"line\": " + std::to_string(op.line) +
                     ", \"issued by\": \"warp " +
                     std::to_string(op.issuerWarp) + " lane " +
                     std::to_string(op.issuerLane) + "\"}}";
  // The step has been counted: it began one earlier.
  emit("{\"ph\": \"X\", \"cat\": \"step\", \"name\": " + name + ", " + where +
       ", \"ts\": " + time(cluster.now() - 1) + ", \"dur\": 1" + args);
  if (!finished)
    return;
  std::string id = ", \"cat\": \"" + std::string(kEngineNames[engine]) +
                   "\", \"id\": \"" + std::to_string(cluster.index) + "." +
                   std::to_string(op.id) + "\", \"name\": " + name + ", " +
                   where;
  emit("{\"ph\": \"b\"" + id + ", \"ts\": " + time(issueTimes[op.id]) + args +
       ",\n" + "{\"ph\": \"e\"" + id + ", \"ts\": " + time(cluster.now()) +
       "}");
  issueTimes.erase(op.id);
}

namespace {
class TraceObserver final : public LaunchObserver {
public:
  explicit TraceObserver(Trace &trace) : trace(trace) {}
  std::unique_ptr<Observer> observe(Cluster &cluster) override {
    return std::make_unique<ClusterTrace>(trace, cluster);
  }

private:
  Trace &trace;
};
} // namespace

std::unique_ptr<LaunchObserver> observeTimeline(Trace &trace) {
  return std::make_unique<TraceObserver>(trace);
}

} // namespace tc::emu
