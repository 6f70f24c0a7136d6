# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A random program: threads with a state in registers that pieces change.

State of a thread: S (%r0 to %r15), D (%d0 to %d7), H (%h0 to %h7), predicates
%p0 to %p3. Pieces (scalar.py, memory.py, tensor.py, clusters.py) compute on it
or move it through memory. After each piece every thread folds its state into a
word of the output, so that a difference names the piece."""

import micro.approx
from micro.core import Kernel, Text, random_bytes, random_words
from micro.forms import SPECIAL16, SPECIAL32, SPECIAL64

from .draw import Draw

WORK = 1024  # shared memory: barriers, then a work area
WORK_BYTES = 16384
MAX_THREADS = 512
DATA_BYTES = 65536  # IN2: what copies read


def state_bytes():
    """IN0: initial states, by register and thread: S, D, H."""
    words = []
    for i in range(16 * MAX_THREADS):
        word = random_words(1, 4000 + i)[0]
        words.append(SPECIAL32[word % len(SPECIAL32)] if i % 5 == 0 else
                     (word & 0x807FFFFF) | (119 + (word >> 23) % 16) << 23 if i % 5 < 3 else word)
    data = b"".join(word.to_bytes(4, "little") for word in words)
    for i in range(8 * MAX_THREADS):
        word = random_words(1, 20000 + i, 64)[0]
        word = SPECIAL64[word % len(SPECIAL64)] if i % 4 == 0 else \
            (word & 0x800FFFFFFFFFFFFF) | (1019 + (word >> 52) % 8) << 52 if i % 4 < 3 else word
        data += word.to_bytes(8, "little")
    for i in range(8 * MAX_THREADS):
        word = random_words(1, 30000 + i)[0]
        word = SPECIAL16[word % len(SPECIAL16)] if i % 3 == 0 else word & 0xFFFF
        data += word.to_bytes(2, "little")
    return data


def approx_bytes():
    """IN1: operands of the approximate functions, by opcode; and where."""
    data, places = b"", {}
    for opcode, (bits, arity, _) in micro.approx.OPCODES.items():
        places[opcode] = len(data)
        for call in micro.approx.operands(opcode):
            data += b"".join(word.to_bytes(bits // 8, "little") for word in call)
        data += b"\0" * (-len(data) % 8)
    return data, places


STATE = state_bytes()
APPROX, APPROX_PLACES = approx_bytes()
DATA = random_bytes(DATA_BYTES, 4711)


class Program:
    """What the pieces write into. `ctas` per cluster, one cluster."""

    def __init__(self, seed, threads, ctas, name):
        self.draw, self.text = Draw(seed), Text()
        self.threads, self.ctas, self.name = threads, ctas, name
        self.maps, self.extra = [], []  # tensor maps; bytes of `out` after the traces
        self.barriers, self.pieces, self.smem = 0, [], WORK + WORK_BYTES
        self.registers = []

    def label(self):
        return self.text.label()

    def barrier(self):
        """Offset of a fresh mbarrier."""
        self.barriers += 1
        return 8 * (self.barriers - 1)

    def sync(self):
        if self.ctas > 1:
            self.text("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;")
        else:
            self.text("bar.sync 0;")

    def sync_proxies(self):
        """Everybody's generic accesses before anybody's asynchronous ones."""
        self.text("fence.proxy.async;")
        self.sync()

    def area(self, data):
        """Bytes of `out` of a piece of its own, a multiple of 128; returns a mark
        that output_offset() turns into an offset."""
        self.extra.append(data + b"\0" * (-len(data) % 128))
        return len(self.extra) - 1

    def absorb(self, register, bits=32):
        """Mixes a value into one register of the state."""
        to = self.draw.below(16)
        if bits == 64:
            self.text(f"mov.b64 {{%r100, %r101}}, {register};\n"
                      f"mad.lo.u32 %r{to}, %r{to}, 0x9E3779B1, %r100;\n"
                      f"xor.b32 %r{(to + 1) % 16}, %r{(to + 1) % 16}, %r101;")
        elif bits == 16:
            self.text(f"cvt.u32.u16 %r100, {register};\n"
                      f"mad.lo.u32 %r{to}, %r{to}, 0x9E3779B1, %r100;")
        else:
            self.text(f"mad.lo.u32 %r{to}, %r{to}, 0x9E3779B1, {register};")

    def absorb_shared(self, offset, size):
        """Every thread mixes words of shared memory into its state."""
        to = self.draw.below(16)
        loop, end = self.label(), self.label()
        self.text(f"""
            shl.b32 %r102, T, 2;
            {loop}:
            setp.ge.u32 %p10, %r102, {size};
            @%p10 bra {end};
            add.u32 %r103, SM, %r102;
            ld.shared.b32 %r104, [%r103+{offset}];
            mad.lo.u32 %r{to}, %r{to}, 0x9E3779B1, %r104;
            add.u32 %r102, %r102, {4 * self.threads};
            bra {loop};
            {end}:""")

    def begin(self):
        """Barriers of all pieces are initialised later, in kernel(); here the
        state."""
        text = self.text
        total = MAX_THREADS
        text("mov.u32 %r222, %ctaid.y;\nmov.u32 %r220, %ctaid.x;\n"
             f"mad.lo.u32 %r221, %r220, {self.threads}, T;\n"
             "mul.wide.u32 %d50, %r221, 4;\nadd.u64 %d50, %d50, IN0;\n"
             "mul.wide.u32 %d51, %r221, 8;\nadd.u64 %d51, %d51, IN0;\n"
             "mul.wide.u32 %d52, %r221, 2;\nadd.u64 %d52, %d52, IN0;")
        for i in range(16):
            text(f"ld.global.b32 %r{i}, [%d50+{4 * total * i}];")
        for i in range(8):
            text(f"ld.global.b64 %d{i}, [%d51+{64 * total + 8 * total * i}];")
            text(f"ld.global.b16 %h{i}, [%d52+{128 * total + 2 * total * i}];")
        for i in range(4):
            text(f"and.b32 %r100, %r{i}, {1 << i};\nsetp.ne.u32 %p{i}, %r100, 0;")

    def fold(self):
        """One word of the state to the output."""
        text = self.text
        text("mov.b32 %r100, %r0;")
        for i in range(1, 16):
            text(f"mad.lo.u32 %r100, %r100, 0x9E3779B1, %r{i};")
        for i in range(8):
            text(f"mov.b64 {{%r101, %r102}}, %d{i};\n"
                 "mad.lo.u32 %r100, %r100, 0x85EBCA6B, %r101;\n"
                 "mad.lo.u32 %r100, %r100, 0xC2B2AE35, %r102;\n"
                 f"cvt.u32.u16 %r101, %h{i};\nmad.lo.u32 %r100, %r100, 0x27D4EB2F, %r101;")
        for i in range(4):
            text(f"selp.u32 %r101, {1 << i}, 0, %p{i};\nadd.u32 %r100, %r100, %r101;")
        at = 4 * self.threads * self.ctas * len(self.pieces)
        text("mul.wide.u32 %d50, %r221, 4;\nadd.u64 %d50, %d50, OUT;\n"
             f"st.global.b32 [%d50+{at}], %r100;")

    def piece(self, function):
        self.text(f"// {len(self.pieces)}: {function.__name__}")
        function(self)
        self.fold()
        self.pieces.append(function.__name__)

    def kernel(self):
        traces = 4 * self.threads * self.ctas * len(self.pieces)
        traces += -traces % 128
        out, places = bytearray(traces), []
        for data in self.extra:
            places.append(len(out))
            out += data
        for tensor in self.maps:
            if tensor["buffer"] == "out":
                tensor["offset"] = places[tensor["offset"]]
        text = str(self.text)
        for i, place in enumerate(places):
            text = text.replace(f"AREA{i};", f"{place};")
        kernel = Kernel(self.name, "random", text, out=len(out), out_init=bytes(out),
                        inputs=[STATE, APPROX, DATA], maps=self.maps, block=self.threads,
                        grid=self.ctas, cluster=self.ctas, smem=self.smem,
                        registers=" ".join(self.registers))
        kernel.pieces = self.pieces
        kernel.trace_bytes = 4 * self.threads * self.ctas
        return kernel
