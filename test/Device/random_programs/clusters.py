# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pieces that reach into the shared memory of other CTAs of the cluster."""

from .memory import exchange
from .program import WORK


def peer(program):
    """%r130: the rank of another CTA; %r131: T's slot of 16 bytes there."""
    draw = program.draw
    program.text("mov.u32 %r129, %cluster_ctarank;\n"
                 f"add.u32 %r130, %r129, {draw.between(1, program.ctas - 1)};\n"
                 f"rem.u32 %r130, %r130, {program.ctas};\nshl.b32 %r132, T, 4;\n"
                 f"add.u32 %r132, %r132, SM;\nadd.u32 %r132, %r132, {WORK};\n"
                 "mapa.shared::cluster.u32 %r131, %r132, %r130;")


def remote_load(program):
    draw, text = program.draw, program.text
    if program.ctas == 1:
        return exchange(program)
    program.sync()
    peer(program)
    a = draw.below(12)
    text(f"st.shared.v4.b32 [%r132], {{%r{a}, %r{a + 1}, %r{a + 2}, %r{a + 3}}};")
    program.sync()
    text("ld.shared::cluster.v2.b32 {%r133, %r134}, [%r131+8];")
    program.absorb("%r133")
    program.absorb("%r134")
    program.sync()


def remote_store(program):
    draw, text = program.draw, program.text
    if program.ctas == 1:
        return exchange(program)
    program.sync()
    peer(program)
    if draw.chance(50):
        text(f"st.shared::cluster.v2.b32 [%r131], {{%r{draw.below(16)}, %r{draw.below(16)}}};")
    else:
        text(f"st.shared::cluster.b64 [%r131], %d{draw.below(8)};")
    program.sync()
    text("ld.shared.b64 %d40, [%r132];")
    program.absorb("%d40", 64)


def remote_atomics(program):
    """All CTAs add to words of one of them."""
    draw, text = program.draw, program.text
    if program.ctas == 1:
        return exchange(program)
    program.sync()
    text(f"setp.gt.u32 %p14, T, 15;\nshl.b32 %r116, T, 2;\nadd.u32 %r116, %r116, SM;\n"
         f"mul.lo.u32 %r117, T, 0x01030507;\n@!%p14 st.shared.b32 [%r116+{WORK}], %r117;")
    program.sync()
    operation = draw.choice(("add.u32", "max.s32", "min.u32", "xor.b32", "or.b32"))
    text(f"and.b32 %r118, %r{draw.below(16)}, 60;\nadd.u32 %r118, %r118, SM;\n"
         f"mapa.shared::cluster.u32 %r119, %r118, {draw.below(program.ctas)};\n"
         f"red.relaxed.cluster.shared::cluster.{operation} [%r119+{WORK}], %r{draw.below(16)};")
    program.sync()
    program.absorb_shared(WORK, 64)


def store_async(program):
    """st.async completes bytes of the peer's barrier."""
    draw, text = program.draw, program.text
    if program.ctas == 1:
        return exchange(program)
    barrier, count = program.barrier(), draw.choice((1, 2, 4))
    program.sync()
    text.one_thread(f"mbarrier.init.shared::cta.b64 [SM+{barrier}], 1;\n"
                    "fence.mbarrier_init.release.cluster;\n"
                    f"mbarrier.arrive.expect_tx.shared::cta.b64 _, [SM+{barrier}], "
                    f"{4 * count * program.threads};")
    program.sync()
    peer(program)
    values = [f"%r{draw.below(16)}" for _ in range(count)]
    vector = values[0] if count == 1 else "{" + ", ".join(values) + "}"
    text(f"add.u32 %r133, SM, {barrier};\nmapa.shared::cluster.u32 %r133, %r133, %r130;\n"
         "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes"
         f"{'' if count == 1 else f'.v{count}'}.b32 [%r131], {vector}, [%r133];")
    text.wait(f"SM+{barrier}", 0)
    for i in range(count):
        text(f"ld.shared.b32 %r134, [%r132+{4 * i}];")
        program.absorb("%r134")
    program.sync()


def remote_arrival(program):
    """Everybody arrives on the peer's barrier after writing there."""
    draw, text = program.draw, program.text
    if program.ctas == 1:
        return exchange(program)
    barrier = program.barrier()
    program.sync()
    text.one_thread(f"mbarrier.init.shared::cta.b64 [SM+{barrier}], {program.threads};\n"
                    "fence.mbarrier_init.release.cluster;")
    program.sync()
    peer(program)
    text(f"st.shared::cluster.b32 [%r131], %r{draw.below(16)};\n"
         f"add.u32 %r133, SM, {barrier};\nmapa.shared::cluster.u32 %r133, %r133, %r130;\n"
         "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r133];")
    loop = program.label()
    text(f"{loop}:\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p15, "
         f"[SM+{barrier}], 0;\n@!%p15 bra {loop};\nld.shared.b32 %r134, [%r132];")
    program.absorb("%r134")
    program.sync()


PIECES = [(2, remote_load), (2, remote_store), (2, remote_atomics), (2, store_async),
          (2, remote_arrival)]
