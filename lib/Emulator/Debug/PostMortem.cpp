//===- PostMortem.cpp - what led to a report ------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Asynchronous work announces its accesses to a checker when it is issued; here
// the last of it is asked once more what it touched, so that nothing has to be
// kept while a run goes well.
//
//===----------------------------------------------------------------------===//

#include "Debug/PostMortem.h"

#include "Debug/Observers.h"
#include "Debug/Views.h"
#include "Engines/TCGen05/Layout.h"

#include <algorithm>

namespace tc::emu {

/// What is shown at most.
static constexpr size_t kMaxOps = 12, kMaxBarriers = 4, kMaxWarps = 4;
static constexpr unsigned kMaxEvents = 8;
static constexpr unsigned kCells = 8;

namespace {

/// What an op does to one place, by its own announcement.
class Touches final : public Observer {
public:
  explicit Touches(const Involved &place) : place(place) {}

  /// It is asked by hand, op by op.
  unsigned subjects() const override { return 0; }
  void completesOn(uint32_t address) override { barrier = address; }
  void asyncShared(uint32_t address, uint32_t bytes, bool write) override {
    if (!place.shared.known ||
        address >= place.shared.address + place.shared.bytes ||
        place.shared.address >= address + bytes)
      return;
    note(write);
    if (begin == end) {
      begin = address;
      end = address + bytes;
    }
    begin = std::min(begin, address);
    end = std::max(end, address + bytes);
  }
  void asyncTmem(const TmemFootprint &cells, bool write) override {
    if (place.tensor.known && cells.rank == place.tensor.rank &&
        cells.lanes[place.tensor.lane % tmemLanes] &&
        place.tensor.column >= cells.column &&
        place.tensor.column < cells.column + cells.columns)
      note(write);
  }

  bool reads = false, writes = false;
  uint32_t barrier = ~0u;      ///< of the accesses that were found
  uint32_t begin = 0, end = 0; ///< plain shared addresses

private:
  void note(bool write) {
    (write ? writes : reads) = true;
    found = barrier;
  }
  const Involved &place;

public:
  uint32_t found = ~0u; ///< the barrier that hears of it, ~0: none
};

struct Touch {
  const AsyncOp *op;
  bool reads, writes;
  uint32_t barrier, begin, end;
};

class PostMortem {
public:
  PostMortem(Cluster &cluster, const Report &report)
      : cluster(cluster), involved(cluster.involved), report(report) {}
  std::string write();

private:
  void findDeadlocked();
  void findRunning();
  void describePlace();
  std::vector<Touch> collectTouches(std::vector<const AsyncOp *> &commits);
  void describeTouch(const Touch &touch);
  void describeRelease(const AsyncOp *op,
                       const std::vector<const AsyncOp *> &commits);
  void describeBarrier(uint32_t address);
  void describeWarp(const Warp &warp);
  bool usesTensorMemory() const;
  void describeCells();
  std::string nameOf(unsigned rank, unsigned warp) const {
    return "warp " + std::to_string(warp) + " of " + cluster.cta(rank)->name();
  }
  /// "1032 (bar+8)".
  std::string offsetOf(uint32_t address) const {
    return std::to_string(smemOffset(address)) +
           cluster.machine.kernel.nameShared(smemOffset(address));
  }
  static std::string moment(uint64_t number) {
    return "#" + std::to_string(number);
  }

  Cluster &cluster;
  Involved involved;
  const Report &report;
  std::string text;
};

} // namespace

/// The warps that wait, and what for.
void PostMortem::findDeadlocked() {
  // Those of mbarriers first, one of each barrier's waiters.
  for (bool atMbarriers : {true, false})
    for (const auto &cta : cluster.ctas)
      for (const auto &warp : cta->warps)
        for (const Split &split : warp->splits) {
          if (split.state != Split::State::Blocked ||
              (split.wait == WaitKind::Mbarrier) != atMbarriers)
            continue;
          size_t known = involved.barriers.size();
          if (atMbarriers)
            involved.addBarrier(uint32_t(split.a));
          if (!atMbarriers || known != involved.barriers.size())
            involved.addWarp(warp->cta.rank, warp->index);
        }
}

/// The warp that executes the report's line now, and the mbarrier that it has
/// just looked up.
void PostMortem::findRunning() {
  const int line = report.lines.empty() ? 0 : report.lines.front();
  for (const auto &cta : cluster.ctas)
    for (const auto &warp : cta->warps)
      for (const Split &split : warp->splits) {
        const DecodedInst &inst = cluster.machine.kernel.code[split.pc];
        if (split.state != Split::State::Runnable || inst.line != line)
          continue;
        involved.addWarp(warp->cta.rank, warp->index);
        if (inst.text.find("mbarrier") != inst.text.npos)
          involved.addBarrier(cluster.lastBarrier);
      }
}

/// Which recent work touched the place, and the commits among it.
std::vector<Touch>
PostMortem::collectTouches(std::vector<const AsyncOp *> &commits) {
  std::vector<Touch> touches;
  cluster.engine.forEachRecent([&](const AsyncOp &op) {
    if (op.asyncClass == AsyncClass::Commit)
      commits.push_back(&op);
    Touches found(involved);
    op.announce(cluster, found);
    if (found.reads || found.writes)
      touches.push_back({&op, found.reads, found.writes, found.found,
                         found.begin, found.end});
  });
  std::sort(touches.begin(), touches.end(), [](const Touch &a, const Touch &b) {
    return a.op->issueMoment < b.op->issueMoment;
  });
  return touches;
}

/// What touched the place when, and which barrier hears of it.
void PostMortem::describeTouch(const Touch &touch) {
  const AsyncOp *op = touch.op;
  text +=
      "\n    " + moment(op->issueMoment) +
      (op->finishMoment ? " to " + moment(op->finishMoment)
                        : std::string(", pending")) +
      (touch.reads && touch.writes ? ": read and written by "
       : touch.writes              ? ": written by "
                                   : ": read by ") +
      (op->what.empty() ? std::string(toString(op->asyncClass)) : op->what) +
      " of line " + std::to_string(op->line) + ", " +
      nameOf(op->issuerRank, op->issuerWarp);
  if (touch.begin != touch.end)
    text += ", offsets " + std::to_string(smemOffset(touch.begin)) + " to " +
            std::to_string(smemOffset(touch.end) - 1);
  std::string why;
  if (touch.barrier == ~0u)
    return;
  const Mbarrier *barrier = cluster.mbarrier(touch.barrier, why);
  if (!barrier)
    return;
  involved.addBarrier(touch.barrier);
  text += ", for the mbarrier at " + offsetOf(touch.barrier);
  barrier->history.forEach([&](const BarrierEvent &event) {
    if (event.kind == BarrierEvent::BringsBytes && event.line == op->line &&
        event.warp == op->issuerWarp && event.rank == op->issuerRank &&
        event.moment > op->issueMoment &&
        (!op->finishMoment || event.moment <= op->finishMoment))
      text += ", phase " + std::to_string(event.phase);
  });
}

/// The first commit after `op` by the same thread releases it.
void PostMortem::describeRelease(const AsyncOp *op,
                                 const std::vector<const AsyncOp *> &commits) {
  const AsyncOp *release = nullptr;
  for (const AsyncOp *commit : commits)
    if (op->asyncClass != AsyncClass::BulkLoad &&
        commit->issueMoment > op->issueMoment &&
        commit->issuerRank == op->issuerRank &&
        commit->issuerWarp == op->issuerWarp &&
        commit->issuerLane == op->issuerLane &&
        (!release || commit->issueMoment < release->issueMoment))
      release = commit;
  if (!release)
    return;
  text += "; released by the tcgen05.commit of line " +
          std::to_string(release->line);
  for (const auto &cta : cluster.ctas)
    for (const auto &entry : cta->smem.barriers()) {
      const uint32_t offset = entry.first;
      const uint32_t address = smemAddress(cta->rank, offset);
      entry.second.history.forEach([&](const BarrierEvent &event) {
        if (!event.async || event.kind != BarrierEvent::Arrives ||
            event.line != release->line || event.warp != release->issuerWarp ||
            event.rank != release->issuerRank ||
            event.moment < release->issueMoment ||
            (release->finishMoment && event.moment > release->finishMoment))
          return;
        involved.addBarrier(address);
        text += ", " + moment(event.moment) + " on the mbarrier at " +
                offsetOf(address) + ", phase " + std::to_string(event.phase);
      });
    }
}

/// What filled, read and released the bytes or the cell.
void PostMortem::describePlace() {
  if (involved.shared.known)
    text += "\n  " + cluster.nameShared(involved.shared.address) + ":";
  else
    text += "\n  Tensor Memory " +
            cellName(involved.tensor.lane, involved.tensor.column) + " of " +
            cluster.cta(involved.tensor.rank)->name() + ":";
  std::vector<const AsyncOp *> commits;
  const std::vector<Touch> touches = collectTouches(commits);
  if (touches.empty())
    text += "\n    no recent asynchronous work touched it";
  if (touches.size() > kMaxOps)
    text += "\n    ... earlier work is left out";
  for (size_t i = touches.size() > kMaxOps ? touches.size() - kMaxOps : 0;
       i < touches.size(); ++i) {
    describeTouch(touches[i]);
    describeRelease(touches[i].op, commits);
  }
}

/// Its last phases, one line each.
void PostMortem::describeBarrier(uint32_t address) {
  std::string why;
  const Mbarrier *barrier = cluster.mbarrier(address, why);
  if (!barrier)
    return;
  text += "\n  mbarrier at " + cluster.nameShared(address) + " (line " +
          std::to_string(barrier->initLine) + "), now in phase " +
          std::to_string(barrier->phase) + ":";
  const BarrierHistory &history = barrier->history;
  if (!history.pushed())
    text += "\n    nothing has happened to it";
  else if (history.pushed() > BarrierHistory::capacity)
    text += "\n    ... earlier events are left out";
  const BarrierEvent *before = nullptr;
  history.forEach([&](const BarrierEvent &event) {
    // A producer's first wait is for the phase before the first one.
    text += before && event.phase == before->phase ? std::string("; ")
            : event.phase == ~0ull
                ? "\n    before phase 0: "
                : "\n    phase " + std::to_string(event.phase) + ": ";
    before = &event;
    text += moment(event.moment) + " ";
    switch (event.kind) {
    case BarrierEvent::Arrives:
      text += event.amount == 1 ? "arrival"
                                : std::to_string(event.amount) + " arrivals";
      break;
    case BarrierEvent::ExpectsBytes:
      text += std::to_string(event.amount) + " bytes expected";
      break;
    case BarrierEvent::BringsBytes:
      text += std::to_string(event.amount) + " bytes brought";
      break;
    case BarrierEvent::Completes:
      text += "complete";
      return;
    case BarrierEvent::Passes:
      text += "seen by";
      break;
    }
    text += std::string(event.kind == BarrierEvent::Passes ? " line "
                                                           : " by line ") +
            std::to_string(event.line) + ", " +
            (event.async ? "issued by " : "") + nameOf(event.rank, event.warp);
  });
}

void PostMortem::describeWarp(const Warp &warp) {
  text += "\n  last events of " + warp.name() + ":";
  if (!warp.history.pushed())
    text += "\n    none";
  const uint64_t kept =
      std::min<uint64_t>(warp.history.pushed(), WarpHistory::capacity);
  uint64_t left = kept;
  warp.history.forEach([&](const WarpEvent &event) {
    if (left-- > kMaxEvents)
      return;
    const DecodedInst &inst = cluster.machine.kernel.code[event.pc];
    char lanes[16];
    snprintf(lanes, sizeof(lanes), "0x%x", event.lanes);
    std::string line = cleanText(inst.text);
    if (line.size() > 80)
      line = line.substr(0, 77) + "...";
    text +=
        "\n    " + moment(event.moment) + " line " + std::to_string(inst.line) +
        " '" + line + "'" +
        (event.lanes == ~0u ? "" : std::string(", lanes ") + lanes) +
        (event.times > 1 ? ", " + std::to_string(event.times) + " times" : "");
  });
}

/// Whether the report is of an instruction that accesses Tensor Memory, or, if
/// it is no race, follows one that an involved warp has executed.
bool PostMortem::usesTensorMemory() const {
  auto accesses = [](const DecodedInst &inst) {
    for (const char *part : {"tcgen05.mma", "tcgen05.ld", "tcgen05.st",
                             "tcgen05.cp", "tcgen05.shift"})
      if (inst.text.find(part) != inst.text.npos)
        return true;
    return false;
  };
  const std::vector<DecodedInst> &code = cluster.machine.kernel.code;
  for (const DecodedInst &inst : code)
    if (std::count(report.lines.begin(), report.lines.end(), inst.line) &&
        accesses(inst))
      return true;
  bool found = false;
  if (report.kind != ReportKind::Race)
    for (const auto &[rank, index] : involved.warps)
      cluster.cta(rank)->warps[index]->history.forEach(
          [&](const WarpEvent &event) { found |= accesses(code[event.pc]); });
  return found;
}

/// Some cells around the place; where there is none, and a warp has just used
/// Tensor Memory, the first ones of the last MMA.
void PostMortem::describeCells() {
  if (!involved.tensor.known && !usesTensorMemory())
    return;
  unsigned rank = involved.tensor.known     ? involved.tensor.rank
                  : !involved.warps.empty() ? involved.warps[0].first
                                            : 0;
  Cta &cta = *cluster.cta(rank);
  const Tmem::LastMma &mma = cta.tmem.lastMma;
  if (!mma.line)
    return;
  TmemWindow window;
  window.column = TmemAddress::decode(mma.d).column;
  window.columns = window.rows = kCells;
  if (involved.tensor.known) {
    window.column = involved.tensor.column / kCells * kCells;
    window.row = involved.tensor.lane / kCells * kCells;
    // Rows of layouts that do not use all lanes.
    if (Expected<std::vector<DataPathPart>> parts =
            dataPathParts(DataPath(mma.dataPath), mma.m, mma.n, mma.ctaGroup,
                          TmemAddress::decode(mma.d).lane))
      for (const DataPathPart &part : *parts)
        for (size_t row = 0; row < part.lanes.size(); ++row)
          if (part.cta == mma.cta && part.lanes[row] == involved.tensor.lane)
            window.row = unsigned(row) / kCells * kCells;
  }
  std::string cells = showTmem(cta, window);
  cells.pop_back();
  text += "\n  ";
  for (char c : cells) {
    text += c;
    if (c == '\n')
      text += "  ";
  }
}

std::string PostMortem::write() {
  if (report.kind == ReportKind::Deadlock)
    findDeadlocked();
  else if (involved.warps.empty())
    findRunning();
  if (involved.shared.known || involved.tensor.known)
    describePlace();
  for (size_t i = 0; i < std::min(involved.barriers.size(), kMaxBarriers); ++i)
    describeBarrier(involved.barriers[i]);
  for (size_t i = 0; i < std::min(involved.warps.size(), kMaxWarps); ++i) {
    const auto &[rank, index] = involved.warps[i];
    describeWarp(*cluster.cta(rank)->warps[index]);
  }
  describeCells();
  return text.empty()
             ? text
             : "  history, events of the cluster by number:" + text + "\n";
}

std::string describePostMortem(Cluster &cluster, const Report &report) {
  return PostMortem(cluster, report).write();
}

namespace {
class PostMortemObserver final : public LaunchObserver {
public:
  void failed(Cluster &cluster, Report &report) override {
    report.postMortem = describePostMortem(cluster, report);
  }
};
} // namespace

std::unique_ptr<LaunchObserver> observePostMortem() {
  return std::make_unique<PostMortemObserver>();
}

} // namespace tc::emu
