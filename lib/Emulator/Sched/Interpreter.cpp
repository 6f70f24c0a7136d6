//===- Interpreter.cpp - running one warp ---------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before an instruction's function is called, its guard is applied, collective
// execution is enforced where the ISA demands it, and registers that it reads
// are checked for undefined lanes. Computations pass undefinedness on; it is an
// error where it decides: in predicates of branches and guards, in addresses,
// and in what leaves the registers.
//
//===----------------------------------------------------------------------===//

#include "Sched/Interpreter.h"

#include "Sched/UndefinedGuards.h"
#include "State/Divergence.h"
#include "State/Machine.h"
#include "State/WgmmaState.h"

namespace tc::emu {

bool isRunnable(const Warp &warp) {
  for (const Split &split : warp.splits)
    if (split.state == Split::State::Runnable)
      return true;
  return false;
}

/// Makes a runnable split the current one.
static bool pickSplit(Warp &w) {
  if (w.current < w.splits.size() &&
      w.splits[w.current].state == Split::State::Runnable)
    return true;
  for (unsigned i = 0; i < w.splits.size(); ++i)
    if (w.splits[i].state == Split::State::Runnable) {
      w.current = i;
      return true;
    }
  return false;
}

/// Splits take turns, so that one that spins cannot starve another.
static void nextSplit(Warp &w) {
  if (++w.current >= w.splits.size())
    w.current = 0;
}

/// A register read has undefined lanes: Next if the read is legal after all,
/// Block if an asynchronous load will deliver it.
__attribute__((noinline)) static Step
undefinedRead(Warp &w, const DecodedInst &inst, uint32_t reg, uint32_t lanes) {
  if (uint64_t op = w.pendingOp(reg))
    return w.block(WaitKind::Register, &w, op);
  if (inst.propagatesUndefined)
    return Step::Next;
  if (w.wgmma)
    if (auto owner = w.wgmma->owners.find(reg); owner != w.wgmma->owners.end())
      return w.fail(ReportKind::Sync, inst,
                    "read of an accumulator of the wgmma.mma_async of line " +
                        std::to_string(owner->second.line) +
                        " before a wgmma.wait_group that covers it");
  if (inst.computes || inst.tracksUndefined)
    return Step::Next;
  Src source;
  source.reg = reg;
  w.requireDefined(inst, source, lanes);
  return Step::Stop;
}

/// A guard has no value in some lanes: Next if the others go on without them,
/// Block or Resplit if the instruction is not to be run now.
__attribute__((noinline)) static Step
undefinedGuard(Warp &w, const DecodedInst &inst, uint32_t lanes) {
  if (skipsUndefined(w, inst, lanes))
    return Step::Resplit;
  if (passesGuardOn(w, inst, lanes))
    return Step::Next;
  const Step step = undefinedRead(w, inst, inst.guard.reg, lanes);
  if (step != Step::Next)
    return step;
  // A predicate decides: undefinedness cannot be passed on.
  return w.fail(ReportKind::Undefined, inst,
                "guard predicate is undefined " +
                    w.inLane(inst.guard, unsigned(__builtin_ctz(lanes))));
}

/// Of each lane in `undefined`, what brought in the first source that is.
static void findOrigins(const Warp &w, const DecodedInst &inst,
                        uint32_t undefined, OriginId *origins) {
  for (; undefined; undefined &= undefined - 1) {
    const auto lane = unsigned(__builtin_ctz(undefined));
    origins[lane] = 0;
    for (uint32_t reg : inst.reads)
      if (!(w.defined[0][reg] >> lane & 1) && !origins[lane])
        origins[lane] = w.originOf(reg, lane);
  }
}

/// Lanes that are not marked with `bit`.
static uint32_t lanesWithout(const LaneBits &bits, uint32_t lanes,
                             uint64_t bit) {
  uint32_t result = 0;
  for (uint32_t rest = lanes; rest; rest &= rest - 1)
    if (!(bits[__builtin_ctz(rest)] & bit))
      result |= rest & (0 - rest);
  return result;
}

/// Runs an instruction whose sources are undefined in some lanes, which passes
/// that on.
__attribute__((noinline)) static Step runUndefined(Warp &w,
                                                   const DecodedInst &inst,
                                                   uint32_t active,
                                                   uint32_t undefined) {
  if (!inst.computes && !inst.propagatesUndefined)
    return inst.run(w, inst, active);
  // A destination may be one of the sources.
  const bool knows = !w.origins.empty();
  OriginId origins[32];
  if (knows)
    findOrigins(w, inst, undefined, origins);
  auto setOrigins = [&](const Dst &result) {
    for (uint32_t rest = knows ? undefined : 0; rest; rest &= rest - 1)
      w.setOrigin(result, unsigned(__builtin_ctz(rest)),
                  origins[__builtin_ctz(rest)]);
  };
  if (inst.propagatesUndefined) {
    const Step step = inst.run(w, inst, active);
    for (const Dst &result : inst.d)
      if (result.valid)
        setOrigins(result);
    return step;
  }
  LaneBits bits;
  for (uint32_t rest = inst.bitRule ? undefined : 0; rest; rest &= rest - 1)
    bits[__builtin_ctz(rest)] =
        inst.bitRule(w, inst, unsigned(__builtin_ctz(rest)));
  const Step step = inst.run(w, inst, active);
  if (step != Step::Next)
    return step;
  for (const Dst &result : inst.d) {
    if (!result.valid)
      continue;
    setOrigins(result);
    if (!inst.bitRule)
      w.undefine(result, undefined);
    else if (inst.givesPredicates)
      w.setDefined(result, undefined,
                   lanesWithout(bits, undefined, &result == inst.d ? 1 : 2));
    else
      w.setUndefinedBits(result, undefined, bits);
  }
  return step;
}

/// An observer of instructions wants to end the launch before this one.
static bool stopsAt(Warp &w, uint32_t pc, uint32_t active) {
  for (Observer *observer : w.cluster.instructionObservers)
    if (observer->stopsAt(w, pc, active))
      return true;
  return false;
}

/// Observed: an observer watches instructions or asks what is reached.
template <bool Observed>
static SliceEnd runSliceAs(Warp &w, uint64_t budget) {
  Cluster &cluster = w.cluster;
  const DecodedInst *code = w.machine.kernel.code.data();
  const uint64_t granted = budget;
  auto finish = [&](SliceEnd end) {
    cluster.instructions += granted - budget;
    return end;
  };

  while (true) {
    if (cluster.failed)
      return finish(SliceEnd::Failed);
    if (w.done())
      return finish(SliceEnd::Done);
    if (!pickSplit(w))
      return finish(SliceEnd::Blocked);
    Split *split = &w.split();
    uint32_t pc = split->pc;
    const uint32_t mask = split->mask;
    const uint32_t regionPc =
        split->region >= 0 ? w.regions[split->region].pc : ~0u;

    for (bool resplit = false; !resplit;) {
      if (!budget) {
        split->pc = pc;
        nextSplit(w);
        return finish(SliceEnd::Budget);
      }
      --budget;
      const DecodedInst &inst = code[pc];
      split->pc = pc;
      if constexpr (Observed)
        if (!cluster.reached.empty())
          cluster.reached[pc] = true;
      if constexpr (Observed)
        for (Observer *observer : cluster.instructionObservers)
          observer->comesTo(w, pc, mask);
      uint32_t active = mask;
      if (inst.guarded) {
        if (uint32_t bad = mask & ~w.defined[0][inst.guard.reg]) {
          const Step step = undefinedGuard(w, inst, bad);
          if (step == Step::Stop)
            return finish(SliceEnd::Failed);
          if (step != Step::Next)
            break;
          active &= ~bad;
        }
        uint32_t guard = w.data[0][inst.guard.offset];
        active &= inst.guardNegated ? ~guard : guard;
      }
      Step step = Step::Next;
      if (active) {
        if (inst.aligned && active != ~w.exited) {
          if (mask == ~w.exited) {
            w.fail(ReportKind::Sync, inst,
                   ".aligned: expected all threads of the warp to execute the "
                   "instruction, the guard is false in lane " +
                       std::to_string(__builtin_ctz(mask & ~active)));
            return finish(SliceEnd::Failed);
          }
          gather(w, w.liveMask());
          break;
        }
        if constexpr (Observed)
          if (stopsAt(w, pc, active)) {
            cluster.failed = true;
            w.machine.stop = true;
            return finish(SliceEnd::Failed);
          }
        if constexpr (Observed)
          if (inst.aligned && w.machine.options.certificate && cluster.events)
            cluster.events->sync({SyncEvent::Converge, &w, active, nullptr, 0,
                                  0, MemoryOrder::Relaxed, Scope::Cta,
                                  inst.line});
        uint32_t undefined = 0;
        for (uint32_t reg : inst.reads)
          if (uint32_t bad = active & ~w.defined[0][reg]) {
            step = undefinedRead(w, inst, reg, bad);
            if (step != Step::Next)
              break;
            undefined |= bad;
          }
        if (step == Step::Next)
          step = undefined ? runUndefined(w, inst, active, undefined)
                           : inst.run(w, inst, active);
        // What blocks or gathers lanes first comes again.
        if constexpr (Observed)
          if (step != Step::Block && step != Step::Stop &&
              (step != Step::Resplit || w.current >= w.splits.size() ||
               w.split().pc != pc))
            for (Observer *observer : cluster.instructionObservers)
              observer->executed(w, pc);
      }
      switch (step) {
      case Step::Next:
        ++pc;
        break;
      case Step::Jump:
        pc = split->pc;
        break;
      case Step::Yield:
        split = &w.split();
        split->pc = pc + 1;
        if (pc + 1 == regionPc)
          arriveAtRegion(w);
        nextSplit(w);
        return finish(SliceEnd::Yielded);
      case Step::Block:
      case Step::Resplit:
        resplit = true;
        continue;
      case Step::Stop:
        return finish(SliceEnd::Failed);
      }
      if (pc == regionPc) {
        split->pc = pc;
        arriveAtRegion(w);
        resplit = true;
      }
    }
  }
}

SliceEnd runSlice(Warp &w, uint64_t budget) {
  w.isRunning = true;
  const SliceEnd end =
      w.cluster.instructionObservers.empty() && w.cluster.reached.empty()
          ? runSliceAs<false>(w, budget)
          : runSliceAs<true>(w, budget);
  w.isRunning = false;
  return end;
}

} // namespace tc::emu
