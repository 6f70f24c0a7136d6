# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that apply a few instructions to every element of arrays."""

from .core import Kernel, pack


def elementwise(name, family, code, ins, outs, block=128, grid=2, registers=""):
    """`ins`: (bits, words) per input, in registers A0, A1, ...; `outs`: bits
    per output, from registers D0, D1, ..., one array after the other."""
    count = len(ins[0][1])
    declare = [f".reg .b{max(bits, 16)} A{i};" for i, (bits, _) in enumerate(ins)]
    declare += [f".reg .b{max(bits, 16)} D{i};" for i, bits in enumerate(outs)]
    text = """
        mov.u32 %r240, %ctaid.x;
        mov.u32 %r241, %ntid.x;
        mad.lo.u32 %r242, %r240, %r241, T;
        mov.u32 %r243, %nctaid.x;
        mul.lo.u32 %r243, %r243, %r241;
        LOOP:
        setp.ge.u32 %p60, %r242, COUNT;
        @%p60 bra END;
    """.replace("COUNT", str(count))
    for i, (bits, _) in enumerate(ins):
        load = "u8" if bits == 8 else f"b{bits}"
        text += f"""
            mul.wide.u32 %d60, %r242, {bits // 8};
            add.u64 %d60, %d60, IN{i};
            ld.global.{load} A{i}, [%d60];"""
    text += "\n" + code + "\n"
    offset = 0
    for i, bits in enumerate(outs):
        text += f"""
            mul.wide.u32 %d60, %r242, {bits // 8};
            add.u64 %d60, %d60, OUT;
            st.global.{'u8' if bits == 8 else f'b{bits}'} [%d60+{offset}], D{i};"""
        offset += count * bits // 8
    text += """
        add.u32 %r242, %r242, %r243;
        bra LOOP;
        END:"""
    return Kernel(name, family, text, out=offset, block=block, grid=grid,
                  inputs=[pack(words, bits) for bits, words in ins],
                  registers=" ".join(declare) + " " + registers)
