# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that break a rule of the PTX ISA at one place of a kernel's text.

Each was written from a section of the ISA (its title and 9.0 number are with
it). An operator takes the lines of a kernel and the index of one, and gives the
lines that replace it, or None where it does not apply."""

import re

OPERATORS = {}


class Operator:
    def __init__(self, name, section, rule, change):
        self.name, self.section, self.rule, self.change = name, section, rule, change


def operator(name, section, rule):
    def add(change):
        OPERATORS[name] = Operator(name, section, rule, change)
        return change
    return add


def code(line):
    """The instruction of a line without its predicate; '' for labels and directives."""
    text = line.strip().split("//")[0].strip()
    if not text.endswith(";") or text.startswith("."):
        return ""
    return re.sub(r"^@!?%?\w+\s+", "", text)


def guard(line):
    found = re.match(r"\s*(@!?%?\w+\s+)", line)
    return found.group(1) if found else ""


def drop(name, section, rule, pattern):
    """Leaves out an instruction that matches."""
    @operator(name, section, rule)
    def change(lines, at):
        return [] if re.match(pattern, code(lines[at])) else None
    return change


def twice(name, section, rule, pattern):
    @operator(name, section, rule)
    def change(lines, at):
        return [lines[at], lines[at]] if re.match(pattern, code(lines[at])) else None
    return change


def replace(name, section, rule, pattern, old, new):
    """Replaces text in an instruction that matches."""
    @operator(name, section, rule)
    def change(lines, at):
        if not re.match(pattern, code(lines[at])):
            return None
        text = re.sub(old, new, lines[at], count=1)
        return [text] if text != lines[at] else None
    return change


def later(name, section, rule, pattern, over, distance=12):
    """Moves an instruction after the next one that matches `over`: replaces it by nothing
    and inserts it there. The runner applies edits as {index: lines}."""
    @operator(name, section, rule)
    def change(lines, at):
        if not re.match(pattern, code(lines[at])):
            return None
        for to in range(at + 1, min(at + 1 + distance, len(lines))):
            text = code(lines[to])
            if re.match(r"(bra|ret|exit)\b", text) or re.match(r"\$?[\w%$]+:", lines[to].strip()):
                return None
            if re.match(over, text):
                return {at: [], to: [lines[to], lines[at]]}
        return None
    return change


def number(name, section, rule, pattern, step):
    """Adds `step` to the last operand of an instruction if it is a number."""
    @operator(name, section, rule)
    def change(lines, at):
        if not re.match(pattern, code(lines[at])):
            return None
        found = re.match(r"(.*[\s,])(0x[0-9a-fA-F]+|\d+)(\s*;.*)$", lines[at])
        if not found:
            return None
        value = int(found.group(2), 0) + step
        return [f"{found.group(1)}{value}{found.group(3)}"] if value >= 0 else None
    return change


def address(name, section, rule, pattern, step, which=0):
    """Adds `step` bytes (or columns) to the address of the `which`-th [operand]."""
    @operator(name, section, rule)
    def change(lines, at):
        if not re.match(pattern, code(lines[at])):
            return None
        found = list(re.finditer(r"\[\s*(%?[\w$]+)\s*(?:\+\s*(\d+))?\s*(?=[\],])", lines[at]))
        if len(found) <= which:
            return None
        one = found[which]
        text = f"[{one.group(1)}+{int(one.group(2) or 0) + step}"
        return [lines[at][:one.start()] + text + lines[at][one.end():]]
    return change


PROXY = ("membar/fence", "9.7.13.4")
WAIT = ("mbarrier.try_wait", "9.7.13.15.16")
ARRIVE = ("mbarrier.arrive", "9.7.13.15.13")
INIT = ("mbarrier.init", "9.7.13.15.9")
BULK = ("cp.async.bulk.tensor", "9.7.9.27.1.2")
GROUP = ("cp.async.bulk.wait_group", "9.7.9.25.3.3")
TFENCE = ("tcgen05.fence", "9.7.16.11.1")
COMMIT = ("tcgen05.commit", "9.7.16.12.1")
MMA = ("tcgen05.mma", "9.7.16.10.9.1")
LDST = ("tcgen05.wait", "9.7.16.8.4")
ALLOC = ("tcgen05.alloc", "9.7.16.7.1")
BARRIER = ("barrier", "9.7.13.1")
CLUSTER = ("barrier.cluster", "9.7.13.3")

ANY_ARRIVE = r"mbarrier\.arrive(?!\.expect_tx)"
EXPECT = r"mbarrier\.arrive\.expect_tx"
LOAD = r"cp\.async\.bulk\.(tensor\.\dd\.)?shared::"
STORE = r"cp\.(reduce\.)?async\.bulk\.(tensor\.\dd\.)?global"

# Fences.
drop("drop-proxy-fence", PROXY, "generic and asynchronous accesses need fence.proxy.async", r"fence\.proxy\.async")
replace("proxy-fence-of-another-space", PROXY, "the fence names the space of the accesses",
        r"fence\.proxy\.async", r"fence\.proxy\.async[\w.:]*", "fence.proxy.async.global")
later("proxy-fence-after-the-barrier", PROXY, "each writer's fence comes before the synchronisation",
      r"fence\.proxy\.async", r"(bar|barrier)\.(cta\.)?sync|mbarrier\.arrive")
drop("drop-init-fence", PROXY, "mbarrier.init is visible to the cluster after its fence", r"fence\.mbarrier_init")
drop("drop-memory-fence", PROXY, "a fence and a strong write release", r"(fence\.(acq_rel|sc)|membar)")
drop("drop-before-fence", TFENCE, "tcgen05 work before a synchronisation needs before_thread_sync",
     r"tcgen05\.fence::before")
drop("drop-after-fence", TFENCE, "tcgen05 work after a synchronisation needs after_thread_sync",
     r"tcgen05\.fence::after")
replace("after-for-before", TFENCE, "the two fences are not each other", r"tcgen05\.fence::before", "before", "after")
replace("before-for-after", TFENCE, "the two fences are not each other", r"tcgen05\.fence::after", "after", "before")
drop("drop-tensormap-fence", PROXY, "a tensor map that was changed needs its proxy fence", r"fence\.proxy\.tensormap")

# mbarriers.
number("init-count-more", INIT, "a phase ends when the expected arrivals are there", r"mbarrier\.init", 1)
number("init-count-less", INIT, "a phase ends when the expected arrivals are there", r"mbarrier\.init", -1)
drop("drop-init", INIT, "operations need an initialised object", r"mbarrier\.init")
twice("init-twice", INIT, "init on a live object is undefined", r"mbarrier\.init")
drop("drop-inval", ("mbarrier.inval", "9.7.13.15.10"), "memory is reused after mbarrier.inval", r"mbarrier\.inval")
replace("wait-relaxed", WAIT, ".relaxed orders nothing", r"mbarrier\.(try|test)_wait",
        r"_wait(\.parity)?(\.acquire\.\w+)?", r"_wait\1.relaxed.cta")
replace("wait-of-cta-scope", WAIT, "the scope includes the threads that arrive", r"mbarrier\.(try|test)_wait",
        r"\.acquire\.cluster", ".acquire.cta")
address("wait-on-the-next-barrier", WAIT, "the barrier is the one that is arrived on", r"mbarrier\.(try|test)_wait", 8)


@operator("wait-parity-inverted", WAIT, "the parity denotes the current or the preceding phase")
def invert_parity(lines, at):
    found = re.match(r"(.*_wait\.parity.*\],?\s*)(%?\w+)(\s*(?:,.*)?;.*)$", lines[at])
    if not found or not re.match(r"mbarrier\.(try|test)_wait\.parity", code(lines[at])):
        return None
    value = found.group(2)
    if value.isdigit():
        return [f"{found.group(1)}{1 - int(value)}{found.group(3)}"]
    return ["{ .reg .b32 %flipped;", f"xor.b32 %flipped, {value}, 1;",
            f"{found.group(1)}%flipped{found.group(3)}", "}"]


@operator("wait-once", WAIT, "try_wait may come back before the phase completes")
def wait_once(lines, at):
    if not re.match(r"mbarrier\.(try|test)_wait", code(lines[at])):
        return None
    for to in range(at + 1, min(at + 5, len(lines))):
        if re.match(r"\s*@!?%?\w+\s+bra", lines[to]):
            return {to: []}
    return None


@operator("drop-wait", WAIT, "what a barrier protects is touched after the wait")
def drop_wait(lines, at):
    if not re.match(r"mbarrier\.(try|test)_wait", code(lines[at])):
        return None
    target = re.match(r".*_wait[^\s]*\s+(%?\w+)", code(lines[at]))
    return [f"setp.eq.u32 {target.group(1)}, 0, 0;"] if target else None


drop("drop-arrival", ARRIVE, "each phase needs its arrivals", ANY_ARRIVE)
twice("arrive-twice", ARRIVE, "an arrival counts in the current phase", ANY_ARRIVE)
replace("arrive-relaxed", ARRIVE, ".relaxed releases nothing", r"mbarrier\.arrive",
        r"arrive(\.expect_tx)?(\.release\.\w+)?\.(shared)", r"arrive\1.relaxed.cta.\3")
replace("arrive-of-cta-scope", ARRIVE, "a remote arrival needs .cluster scope", r"mbarrier\.arrive",
        r"arrive(\.expect_tx)?(\.release\.cluster)?\.(shared::cluster)", r"arrive\1.release.cta.\3")
address("arrive-on-the-next-barrier", ARRIVE, "the barrier is the one that is waited for", r"mbarrier\.arrive", 8)
later("arrive-before-the-access", ARRIVE, "an arrival releases what came before it",
      r"(st\.shared|ld\.shared|stmatrix|tcgen05\.wait|st\.global)", r"mbarrier\.arrive")
number("expect-more", ("expect-tx operation", "9.7.13.15.5.1"), "a phase ends when its bytes are there", EXPECT, 16)
number("expect-less", ("expect-tx operation", "9.7.13.15.5.1"), "a phase ends when its bytes are there", EXPECT, -16)
replace("expect-without-arrival", ("expect-tx operation", "9.7.13.15.5.1"), "expect-tx is no arrival", EXPECT,
        r"mbarrier\.arrive\.expect_tx(\.\w+\.\w+)?(\.shared\S*)\s+[%\w]+,", r"mbarrier.expect_tx.relaxed.cta\2")
replace("arrival-without-expect", ("expect-tx operation", "9.7.13.15.5.1"), "bytes that count are expected", EXPECT,
        r"\.expect_tx(.*\]), [^;]*;", r"\1;")
twice("expect-twice", ("expect-tx operation", "9.7.13.15.5.1"), "bytes are expected once", EXPECT)
drop("drop-expect", ("expect-tx operation", "9.7.13.15.5.1"), "bytes that count are expected", EXPECT)

# Bulk and tensor copies.
drop("drop-load", BULK, "the bytes of a phase are loaded", LOAD)
twice("load-twice", BULK, "the bytes of a phase are loaded once", LOAD)
address("load-elsewhere", BULK, "the destination is the buffer of the stage", LOAD, 128, 0)
replace("load-without-pair", BULK, ".cta_group::2 counts on the pair's barrier", LOAD, r"\.cta_group::2", "")
replace("multicast-to-one", BULK, "each CTA of the mask gets the bytes", LOAD + r".*multicast", r"(%h\w+|%rs\w+)(\s*;)",
        r"1\2")


@operator("load-on-the-next-barrier", BULK, "the bytes count on the barrier that is waited for")
def other_barrier(lines, at):
    if not re.match(LOAD, code(lines[at])) or "complete_tx" not in lines[at]:
        return None
    found = list(re.finditer(r"\[\s*(%?[\w$]+)\s*(?:\+\s*(\d+))?\s*\]", lines[at]))
    if not found:
        return None
    one = found[-1]
    return [lines[at][:one.start()] + f"[{one.group(1)}+{int(one.group(2) or 0) + 8}]" + lines[at][one.end():]]


@operator("load-of-other-coordinates", BULK, "the box is at the coordinates of the tile")
def other_box(lines, at):
    found = re.match(r"(.*\{\s*)(%?\w+)(.*)$", lines[at])
    if not found or not re.match(LOAD, code(lines[at])) or "tensor" not in lines[at]:
        return None
    return ["{ .reg .b32 %moved;", f"add.s32 %moved, {found.group(2)}, 8;",
            f"{found.group(1)}%moved{found.group(3)}", "}"]


drop("drop-store", BULK, "each tile of the result is stored", STORE)
address("store-from-elsewhere", BULK, "the source is the buffer that was filled", STORE, 128, 1)
drop("drop-bulk-commit", GROUP, "a wait covers what was committed", r"cp\.async\.bulk\.commit_group")
replace("wait-for-reads-only", GROUP, ".read says nothing of the writes", r"cp\.async\.bulk\.wait_group\b(?!\.read)",
        r"wait_group", "wait_group.read")
number("leave-one-more-group", GROUP, "the groups that are left may still run",
       r"cp\.async\.(bulk\.)?wait_group", 1)
drop("drop-bulk-wait", GROUP, "sources and destinations are reused after a wait", r"cp\.async\.bulk\.wait_group")
drop("drop-cp-async-wait", ("cp.async.wait_group", "9.7.9.25.2.2"), "cp.async is complete after its wait",
     r"cp\.async\.wait_(group|all)")
drop("drop-cp-async-commit", ("cp.async.commit_group", "9.7.9.25.2.1"), "a wait covers what was committed",
     r"cp\.async\.commit_group")

# tcgen05.
drop("drop-commit", COMMIT, "commit tracks the completion", r"tcgen05\.commit")
twice("commit-twice", COMMIT, "a commit arrives once", r"tcgen05\.commit")
address("commit-on-the-next-barrier", COMMIT, "the barrier is the one that is waited for", r"tcgen05\.commit", 8)
replace("commit-to-the-leader-only", COMMIT, "each CTA of the mask is told", r"tcgen05\.commit.*multicast",
        r"(%h\w+|%rs\w+|\d+)(\s*;)", r"1\2")
replace("commit-of-the-other-group", COMMIT, "a commit tracks work of its CTA group", r"tcgen05\.commit",
        r"cta_group::2", "cta_group::1")


@operator("commit-before-the-work", COMMIT, "a commit tracks what its thread issued before")
def early_commit(lines, at):
    if not re.match(r"tcgen05\.commit", code(lines[at])):
        return None
    for to in range(at - 1, max(at - 16, 0), -1):
        if re.match(r"tcgen05\.(mma|cp)", code(lines[to])):
            return {to: [lines[at], lines[to]], at: []}
        if re.match(r"(bra|ret)\b", code(lines[to])) or re.match(r"\$?[\w%$]+:", lines[to].strip()):
            return None
    return None


drop("drop-wait-ld", LDST, "a load is over after wait::ld", r"tcgen05\.wait::ld")
drop("drop-wait-st", LDST, "a store is over after wait::st", r"tcgen05\.wait::st")
replace("wait-st-for-ld", LDST, "wait::st waits for stores", r"tcgen05\.wait::ld", "::ld", "::st")
replace("wait-ld-for-st", LDST, "wait::ld waits for loads", r"tcgen05\.wait::st", "::st", "::ld")
drop("drop-mma", MMA, "each step of K is multiplied", r"tcgen05\.mma")
twice("mma-twice", MMA, "each step of K is multiplied once", r"tcgen05\.mma")
address("mma-to-other-columns", MMA, "the accumulator is the one that is read", r"tcgen05\.mma", 8)
replace("mma-of-one-cta", MMA, "all tcgen05 instructions have one .cta_group", r"tcgen05\.mma", r"cta_group::2",
        "cta_group::1")


@operator("mma-accumulates-always", MMA, "the first step of a tile overwrites")
def always(lines, at):
    found = re.match(r"(.*tcgen05\.mma.*,\s*)(!?%p\w+|%\w+)(\s*;.*)$", lines[at])
    return [f"{found.group(1)}1{found.group(3)}"] if found and re.match(r"tcgen05\.mma", code(lines[at])) else None


@operator("mma-overwrites-always", MMA, "later steps of a tile accumulate")
def never(lines, at):
    found = re.match(r"(.*tcgen05\.mma.*,\s*)(!?%p\w+|%\w+)(\s*;.*)$", lines[at])
    return [f"{found.group(1)}0{found.group(3)}"] if found and re.match(r"tcgen05\.mma", code(lines[at])) else None


def descriptor(name, which):
    @operator(name, ("Shared memory descriptor", "9.7.16.4.1"), "a descriptor has the start address of its operand")
    def change(lines, at):
        if not re.match(r"tcgen05\.mma", code(lines[at])):
            return None
        found = re.findall(r"%rd\d+", lines[at])
        if len(found) <= which:
            return None
        register = found[which]
        text = lines[at].replace(register + ",", "%shifted,", 1)
        return ["{ .reg .b64 %shifted;", f"add.s64 %shifted, {register}, 2;", text, "}"] if text != lines[at] else None


descriptor("mma-of-another-a", 0)
descriptor("mma-of-another-b", 1)
drop("drop-cp", ("tcgen05.cp", "9.7.16.9.1"), "scales are copied before they are used", r"tcgen05\.cp")
address("cp-to-other-columns", ("tcgen05.cp", "9.7.16.9.1"), "the destination is what is read", r"tcgen05\.cp", 4)
address("ld-of-other-columns", ("tcgen05.ld", "9.7.16.8.1"), "the columns are those of the accumulator",
        r"tcgen05\.ld", 1)
address("st-to-other-columns", ("tcgen05.st", "9.7.16.8.2"), "the columns are those that are read", r"tcgen05\.st", 1)
drop("drop-dealloc", ALLOC, "what was allocated is freed before the exit", r"tcgen05\.dealloc")
drop("drop-relinquish", ALLOC, "a CTA that waits for others gives up the permit", r"tcgen05\.relinquish")
later("relinquish-before-alloc", ALLOC, "no allocation after relinquish_alloc_permit", r"tcgen05\.alloc",
      r"tcgen05\.relinquish")
replace("alloc-of-one-cta", ALLOC, "all tcgen05 instructions have one .cta_group", r"tcgen05\.(alloc|dealloc|relinq)",
        r"cta_group::2", "cta_group::1")


@operator("alloc-fewer-columns", ALLOC, "accesses are in what was allocated")
def fewer(lines, at):
    found = re.match(r"(.*tcgen05\.(?:alloc|dealloc).*[\s,])(\d+)(\s*;.*)$", lines[at])
    if not found or int(found.group(2)) < 64:
        return None
    return [f"{found.group(1)}{int(found.group(2)) // 2}{found.group(3)}"]


# Barriers.
drop("drop-barrier", BARRIER, "accesses of two threads need an order", r"(bar|barrier)\.(cta\.)?sync\s")
drop("drop-barrier-arrive", BARRIER, "the count of a barrier includes all that arrive",
     r"(bar|barrier)\.(cta\.)?arrive")


@operator("barrier-of-another-number", BARRIER, "threads meet at one barrier")
def other_number(lines, at):
    found = re.match(r"(.*(?:bar|barrier)\.(?:cta\.)?(?:sync|arrive)\S*\s+)(\d+)(.*)$", lines[at])
    if not found or not re.match(r"(bar|barrier)\.(cta\.)?(sync|arrive)", code(lines[at])):
        return None
    return [f"{found.group(1)}{(int(found.group(2)) + 7) % 16}{found.group(3)}"]


@operator("barrier-of-more-threads", BARRIER, "the count is the number of threads that come")
def more_threads(lines, at):
    found = re.match(r"(.*(?:bar|barrier)\.(?:cta\.)?(?:sync|arrive)\S*\s+\d+,\s*)(\d+)(.*)$", lines[at])
    return [f"{found.group(1)}{int(found.group(2)) + 32}{found.group(3)}"] if found else None


drop("drop-warp-barrier", ("bar.warp.sync", "9.7.13.2"), "lanes are threads of their own", r"bar\.warp\.sync")


@operator("drop-cluster-barrier", CLUSTER, "accesses of two CTAs need an order")
def drop_cluster(lines, at):
    if not re.match(r"barrier\.cluster\.arrive", code(lines[at])):
        return None
    for to in range(at + 1, min(at + 8, len(lines))):
        if re.match(r"barrier\.cluster\.wait", code(lines[to])):
            return {at: [], to: []}
    return None


@operator("cluster-barrier-relaxed", CLUSTER, "a relaxed arrival orders nothing")
def relaxed_cluster(lines, at):
    if not re.match(r"barrier\.cluster\.arrive", code(lines[at])) or ".relaxed" in lines[at]:
        return None
    return [re.sub(r"barrier\.cluster\.arrive(\.release)?", "barrier.cluster.arrive.relaxed", lines[at])]


drop("drop-cluster-wait", CLUSTER, "each arrival is followed by a wait", r"barrier\.cluster\.wait")

# Generic memory, launches.
address("shared-store-elsewhere", ("st", "9.7.9.11"), "what is read is what was written",
        r"(st\.shared|stmatrix)", 16)
address("shared-load-elsewhere", ("ld", "9.7.9.8"), "what is read is what was written", r"(ld\.shared|ldmatrix)", 16)
replace("acquire-to-relaxed", ("Release and Acquire Patterns", "8.8"), "a relaxed load acquires nothing",
        r"(ld|atom|red)\.acquire", r"\.acquire", ".relaxed")
replace("release-to-relaxed", ("Release and Acquire Patterns", "8.8"), "a relaxed store releases nothing",
        r"(st|atom|red)\.release", r"\.release", ".relaxed")
drop("drop-grid-wait", ("griddepcontrol", "9.7.13.14"), "memory of an earlier grid is read after the wait",
     r"griddepcontrol\.wait")
replace("own-instead-of-peer", ("mapa", "9.7.9.24"), "a shared::cluster address names a CTA", r"mapa\.",
        r"(mapa\.shared::cluster\.u32\s+%r\w+,\s*%r\w+,\s*)([%\w]+)", r"\g<1>0")
number("more-registers", ("setmaxnreg", "9.7.19.5"), "the registers of a warpgroup are in the pool",
       r"setmaxnreg\.inc", 8)
number("give-back-less", ("setmaxnreg", "9.7.19.5"), "an increase waits for registers that were given back",
       r"setmaxnreg\.dec", 64)
drop("drop-try-cancel", ("clusterlaunchcontrol.try_cancel", "9.7.13.17"), "each request has its answer",
     r"clusterlaunchcontrol\.try_cancel")
later("request-before-the-read", ("clusterlaunchcontrol.try_cancel", "9.7.13.17"),
      "an answer is read before the next request", r"ld\.shared\.b128", r"fence\.proxy\.async")
drop("drop-tensormap-copy", ("tensormap.cp_fenceproxy", "9.7.13.15.18"), "a changed map is copied and fenced",
     r"tensormap\.cp_fenceproxy")
