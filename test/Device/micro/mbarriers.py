# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Traces of mbarrier objects: phases, parities, pending counts, transaction
counts, and who may complete a phase."""

from .core import Kernel, Text, mix


class Trace(Text):
    """Records one word after the other, from one thread."""

    def __init__(self):
        super().__init__()
        self.recorded = 0

    def record(self, register):
        self(f"st.global.b32 [OUT+{4 * self.recorded}], {register};")
        self.recorded += 1

    def test(self, parity, barrier=0):
        self(f"mbarrier.test_wait.parity.shared::cta.b64 %p1, [SM+{barrier}], {parity};")
        self("selp.u32 %r1, 1, 0, %p1;")
        self.record("%r1")

    def test_both(self, barrier=0):
        self.test(0, barrier)
        self.test(1, barrier)

    def test_token(self, token, barrier=0):
        self(f"mbarrier.test_wait.shared::cta.b64 %p1, [SM+{barrier}], {token};")
        self("selp.u32 %r1, 1, 0, %p1;")
        self.record("%r1")

    def pending(self, token):
        self(f"mbarrier.pending_count.b64 %r1, {token};")
        self.record("%r1")

    def arrive(self, count=None, token="%d1", barrier=0, form="arrive"):
        extra = "" if count is None else f", {count}"
        self(f"mbarrier.{form}.shared::cta.b64 {token}, [SM+{barrier}]{extra};")

    def kernel(self, name, prologue=""):
        body = f"{prologue}\nsetp.ne.u32 %p59, T, 0;\n@%p59 bra DONE;\n{self}\nDONE:"
        return Kernel(name, "mbarrier", body, out=4 * self.recorded, block=32, smem=256)


def init(trace, count, barrier=0):
    trace(f"mbarrier.init.shared::cta.b64 [SM+{barrier}], {count};")


def phases(count):
    """Complete `5` phases of `count` arrivals; parities after every arrival."""
    trace = Trace()
    init(trace, count)
    trace.test_both()
    for _ in range(5):
        for i in range(count):
            trace.arrive()
            trace.test_both()
            if i < count - 1:
                trace.pending("%d1")
            trace.test_token("%d1")
    return trace.kernel(f"mbarrier_phases_{count}")


def random_trace(seed):
    """Arrivals of random counts, transactions and drops that stay legal."""
    trace, state, step = Trace(), mix(seed), 0

    def draw(limit):
        nonlocal step
        step += 1
        return mix(state + step) % limit

    expected = 12 + draw(12)
    init(trace, expected)
    pending, tx = expected, 0
    for _ in range(40):
        kind = draw(6)
        if kind == 0 and tx < 4000:
            size = 1 + draw(300)
            trace(f"mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [SM], {size};")
            tx += size
        elif kind == 1 and tx > 1:
            # One byte stays, so that the phase ends with the last arrival only.
            size = 1 + draw(tx - 1)
            trace(f"mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [SM], {size};")
            tx -= size
        elif kind == 2 and expected > 4 and pending > 1:
            trace.arrive(1, form="arrive_drop")
            expected, pending = expected - 1, pending - 1
            trace.pending("%d1")
        elif kind == 3 and pending > 1:
            trace.arrive(draw(pending - 1) + 1, form="arrive.noComplete.release.cta")
            # The count drawn above, again.
            last = mix(state + step) % (pending - 1) + 1
            pending -= last
            trace.pending("%d1")
        elif pending == 1:
            if tx:
                trace(f"mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [SM], {tx};")
                tx = 0
            trace.arrive()
            pending = expected
            trace.test_token("%d1")
        else:
            count = 1 + draw(pending - 1)
            trace.arrive(count)
            pending -= count
            trace.pending("%d1")
        trace.test_both()
    return trace.kernel(f"mbarrier_random_{seed}")


def transactions():
    """A phase ends when arrivals and bytes are both there, in either order."""
    trace = Trace()
    init(trace, 2)
    trace("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [SM], 96;")
    trace.test_both()
    trace.arrive()
    trace.arrive()
    trace.test_both()  # arrivals are there, 96 bytes are not
    trace("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [SM], 64;")
    trace.test_both()
    trace("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [SM], 32;")
    trace.test_both()
    trace("mbarrier.arrive.expect_tx.shared::cta.b64 %d1, [SM], 16;")
    trace.test_both()
    trace("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [SM], 16;")
    trace.test_both()
    trace.arrive()
    trace.test_both()
    trace.test_token("%d1")
    # Zero bytes are no reason to wait.
    trace("mbarrier.arrive.expect_tx.shared::cta.b64 _, [SM], 0;")
    trace.arrive()
    trace.test_both()
    return trace.kernel("mbarrier_transactions")


def bytes_first():
    """complete_tx before expect_tx: the count is negative for a while."""
    trace = Trace()
    init(trace, 1)
    trace("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [SM], 128;")
    trace.test_both()
    trace("mbarrier.arrive.expect_tx.shared::cta.b64 %d1, [SM], 128;")
    trace.test_both()
    trace.test_token("%d1")
    return trace.kernel("mbarrier_bytes_first")


def drops():
    """arrive_drop lowers the count of the phases that follow."""
    trace = Trace()
    init(trace, 4)
    trace.arrive(None, form="arrive_drop")
    trace.pending("%d1")
    trace.arrive(3)
    trace.test_both()
    for _ in range(2):
        trace.arrive(2)
        trace.pending("%d1")
        trace.test_both()
        trace.arrive(1, form="arrive_drop" if _ == 0 else "arrive")
        trace.test_both()
    trace("mbarrier.arrive_drop.expect_tx.shared::cta.b64 %d1, [SM], 48;")
    trace.test_both()
    trace("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [SM], 48;")
    trace.test_both()
    return trace.kernel("mbarrier_drops")


def tokens():
    """Tokens of older arrivals, and a re-initialised object."""
    trace = Trace()
    init(trace, 2)
    trace.arrive(token="%d1")
    trace.test_token("%d1")
    trace.arrive(token="%d2")
    for token in ("%d1", "%d2"):
        trace.test_token(token)
    trace.arrive(token="%d3", form="arrive.noComplete.release.cta", count=1)
    trace.pending("%d3")
    trace.test_token("%d3")
    trace.arrive(token="%d4")
    for token in ("%d3", "%d4"):
        trace.test_token(token)
    trace.test_both()
    trace("mbarrier.inval.shared::cta.b64 [SM];")
    init(trace, 7)
    trace.arrive(5)
    trace.pending("%d1")
    trace.test_both()
    trace.arrive(2)
    trace.test_both()
    return trace.kernel("mbarrier_tokens")


def limits():
    """The largest counts."""
    trace = Trace()
    init(trace, (1 << 20) - 1)
    trace.arrive()
    trace.pending("%d1")
    trace.arrive((1 << 20) - 3)
    trace.pending("%d1")
    trace.test_both()
    trace.arrive()
    trace.pending("%d1")
    trace.test_both()
    trace("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [SM], 1048575;")
    trace.arrive((1 << 20) - 1)
    trace.test_both()
    trace("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [SM], 1048575;")
    trace.test_both()
    return trace.kernel("mbarrier_limits")


def many_threads(count, warps):
    """All threads arrive, `count` phases; each thread reports when it passed."""
    threads, text = 32 * warps, Text()
    text.one_thread(f"mbarrier.init.shared::cta.b64 [SM], {threads};\n"
                    "mov.u32 %r3, 0;\nst.shared.b32 [SM+16], %r3;")
    text("bar.sync 0;\nmov.u32 %r10, 0;")
    for phase in range(count):
        text("atom.shared.add.u32 %r4, [SM+16], 1;")
        text("mbarrier.arrive.release.cta.shared::cta.b64 %d1, [SM];")
        text.wait("SM", phase & 1)
        # All increments of this phase are there, none of the next:
        # a second barrier keeps the phases apart.
        text("ld.shared.b32 %r5, [SM+16];\nbar.sync 0;")
        text.store("%r5", phase * 4 * threads)
    return Kernel(f"mbarrier_threads_{count}_{warps}", "mbarrier", str(text),
                  out=4 * threads * count, block=threads, smem=256)


def ring(stages, rounds):
    """A producer warp and a consumer warp over a ring of shared memory."""
    text = Text()
    full, empty, data = 0, 8 * stages, 256
    text.one_thread("\n".join(
        f"mbarrier.init.shared::cta.b64 [SM+{full + 8 * i}], 32;\n"
        f"mbarrier.init.shared::cta.b64 [SM+{empty + 8 * i}], 32;" for i in range(stages)))
    text("bar.sync 0;\nshr.u32 %r1, T, 5;\nand.b32 %r2, T, 31;\nshl.b32 %r3, %r2, 2;")
    text("setp.ne.u32 %p1, %r1, 0;\n@%p1 bra CONSUMER;")
    for i in range(rounds):
        stage, turn = i % stages, i // stages
        text.wait(f"SM+{empty + 8 * stage}", (turn & 1) ^ 1)
        text(f"mad.lo.u32 %r4, %r2, 17, {i * 1000};\nadd.u32 %r5, SM, %r3;")
        text(f"st.shared.b32 [%r5+{data + 128 * stage}], %r4;")
        text(f"mbarrier.arrive.shared::cta.b64 _, [SM+{full + 8 * stage}];")
    text("bra DONE;\nCONSUMER:")
    for i in range(rounds):
        stage, turn = i % stages, i // stages
        text.wait(f"SM+{full + 8 * stage}", turn & 1)
        # Another lane's value: it is there because the phase is over.
        text("xor.b32 %r6, %r3, 124;\nadd.u32 %r6, SM, %r6;")
        text(f"ld.shared.b32 %r7, [%r6+{data + 128 * stage}];")
        text(f"mbarrier.arrive.shared::cta.b64 _, [SM+{empty + 8 * stage}];")
        text("cvt.u64.u32 %d1, %r3;\nadd.u64 %d1, %d1, OUT;")
        text(f"st.global.b32 [%d1+{128 * i}], %r7;")
    text("DONE:")
    return Kernel(f"mbarrier_ring_{stages}_{rounds}", "mbarrier", str(text),
                  out=128 * rounds, block=64, smem=data + 128 * stages)


def kernels():
    for count in (1, 2, 3, 5):
        yield phases(count)
    for seed in range(1, 11):
        yield random_trace(seed)
    yield transactions()
    yield bytes_first()
    yield drops()
    yield tokens()
    yield limits()
    yield many_threads(4, 1)
    yield many_threads(3, 4)
    yield ring(2, 7)
    yield ring(3, 10)
