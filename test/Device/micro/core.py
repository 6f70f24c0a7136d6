# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What every micro-kernel is made of: PTX text, a launch file, input bytes.

Registers that every kernel has: T (thread in the CTA), OUT, IN0, IN1, ...
(addresses of the buffers), SM (address of the dynamic shared memory), scratch
registers %p, %h, %r, %d of 1, 16, 32 and 64 bits.
"""

import functools
import hashlib
import json
import struct

SMEM_FILL = 0xA5A5A5A5


def mix(value):
    """splitmix64: 64 well mixed bits of a counter."""
    mask = (1 << 64) - 1
    value = (value + 0x9E3779B97F4A7C15) & mask
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & mask
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & mask
    return value ^ (value >> 31)


# Kernels share their operands: most lists are asked for many times.
@functools.cache
def _random_words(count, seed, bits):
    mask = (1 << bits) - 1
    return tuple([mix(seed * 0x1000003 + i) & mask for i in range(count)])


def random_words(count, seed, bits=32):
    return list(_random_words(count, seed, bits))


def random_bytes(count, seed):
    words = random_words((count + 7) // 8, seed, 64)
    return struct.pack(f"<{len(words)}Q", *words)[:count]


def pack(words, bits):
    return struct.pack(f"<{len(words)}{ {8: 'B', 16: 'H', 32: 'I', 64: 'Q'}[bits]}",
                       *words)


def floats32(count, seed):
    """float32 words: any bits, moderate values and all pairs of specials."""
    specials = [0x00000000, 0x80000000, 0x3F800000, 0xBF800000, 0x7F800000,
                0xFF800000, 0x7FC00000, 0x00000001, 0x807FFFFF, 0x00800000,
                0x7F7FFFFF, 0x3F000000, 0x40490FDB, 0x34000000]
    words = []
    for i, word in enumerate(random_words(count, seed)):
        if i % 4 == 0:
            words.append(specials[(word >> 3) % len(specials)])
        elif i % 4 == 1:
            words.append(word)
        else:  # exponents in [2^-8, 2^8)
            words.append((word & 0x807FFFFF) | ((119 + (word >> 23) % 16) << 23))
    return words


def halves(count, seed, bf16=False):
    """Words of 16 bits: any bits and, half of them, moderate values."""
    words = []
    for i, word in enumerate(random_words(count, seed, 64)):
        value = word & 0xFFFF
        if i % 2:
            value = ((value & 0x807F) | ((123 + (word >> 40) % 8) << 7) if bf16 else
                     (value & 0x83FF) | ((11 + (word >> 40) % 8) << 10))
        words.append(value)
    return words


class Kernel:
    """One micro-kernel. `inputs`: bytes per input buffer; `out`: its bytes
    after the launch are the result; `maps`: tensor maps as in launch files."""

    def __init__(self, name, family, body, *, out, inputs=(), out_init=None,
                 maps=(), block=32, grid=1, cluster=1, smem=0, registers="",
                 version="8.6", stops=False):
        self.name, self.family, self.body = name, family, body
        self.out, self.inputs, self.out_init = out, list(inputs), out_init
        self.maps = list(maps)
        self.block, self.grid, self.cluster = block, grid, cluster
        self.smem, self.registers, self.version = smem, registers, version
        self.stops = stops  # an error of the program: it ends with a report
        self.racy = None  # or the name of the right kernel that this one was made from
        self.parts = []  # (name, offset, bytes) of the output: a difference is named by them

    def ptx(self):
        params = [".param .u64 p_out"]
        params += [f".param .u64 p_in{i}" for i in range(len(self.inputs))]
        params += [f".param .align 64 .b8 p_map{i}[128]" for i in range(len(self.maps))]
        ins = [f"IN{i}" for i in range(len(self.inputs))]
        maps = [f"MAP{i}" for i in range(len(self.maps))]
        lines = [f"// {self.name}", f".version {self.version}", ".target sm_90a",
                 ".address_size 64", ""]
        if self.smem:
            lines.append(".extern .shared .align 1024 .b8 smem[];")
        lines.append(f".visible .entry {self.name}({', '.join(params)})")
        lines.append(f"  .reqntid {self.block}, 1, 1")
        if self.cluster > 1:
            lines.append(f"  .reqnctapercluster {self.cluster}, 1, 1")
        lines += ["{", "  .reg .pred %p<64>;", "  .reg .b16 %h<64>;",
                  "  .reg .b32 %r<256>;", "  .reg .b64 %d<64>;",
                  f"  .reg .b64 {', '.join(['OUT'] + ins + maps)};",
                  "  .reg .b32 T, SM;"]
        if self.registers:
            lines.append("  " + self.registers)
        lines += ["  mov.u32 T, %tid.x;", "  ld.param.u64 OUT, [p_out];"]
        lines += [f"  ld.param.u64 {reg}, [p_{reg.lower()}];" for reg in ins]
        # The generic address of a parameter: a tensor map is named by it.
        lines += [f"  mov.b64 {reg}, p_{reg.lower()};\n"
                  f"  cvta.param.u64 {reg}, {reg};" for reg in maps]
        if self.smem:
            lines.append("  mov.u32 SM, smem;")
        lines += ["  " + line.strip() for line in self.body.strip().splitlines()
                  if line.strip()]
        lines += ["  ret;", "}", ""]
        return "\n".join(lines)

    def launch(self):
        buffers = {"out": {"dtype": "u8", "shape": [self.out],
                           "role": "inout" if self.out_init is not None else "out"}}
        if self.out_init is not None:
            buffers["out"]["file"] = f"{self.name}.out0.bin"
        for i, data in enumerate(self.inputs):
            buffers[f"in{i}"] = {"dtype": "u8", "shape": [len(data)], "role": "in",
                                 "file": f"{self.name}.in{i}.bin"}
        params = [{"pointer": name} for name in buffers]
        params += [{"tensor_map": tensor_map} for tensor_map in self.maps]
        return {"entry": self.name, "grid": [self.grid, 1, 1],
                "block": [self.block, 1, 1], "cluster": [self.cluster, 1, 1],
                "dynamic_smem": self.smem, "buffers": buffers, "params": params}

    def files(self):
        """Name and bytes of every file of the kernel."""
        files = {f"{self.name}.ptx": self.ptx().encode(),
                 f"{self.name}.json": (json.dumps(self.launch(), indent=1) + "\n").encode()}
        if self.out_init is not None:
            files[f"{self.name}.out0.bin"] = self.out_init
        for i, data in enumerate(self.inputs):
            files[f"{self.name}.in{i}.bin"] = data
        return files

    def fingerprint(self):
        """Changes whenever anything that the kernel computes from changes."""
        digest = hashlib.sha256()
        for name, data in sorted(self.files().items()):
            digest.update(name.encode() + b"\0" + len(data).to_bytes(8, "little") + data)
        return digest.hexdigest()[:16]


class Text:
    """Collects PTX lines; labels are numbered."""

    def __init__(self):
        self.lines, self.labels = [], 0

    def __call__(self, text):
        self.lines.append(text)
        return self

    def label(self):
        self.labels += 1
        return f"L{self.labels}"

    def __str__(self):
        return "\n".join(self.lines)

    # -- pieces that many kernels share ------------------------------------

    def fill(self, offset, size, threads, value=SMEM_FILL):
        """Shared memory [offset, offset + size) = value, in words of 32 bits."""
        return self._each_word(size, threads, f"""
            add.u32 %r251, SM, %r250;
            mov.b32 %r252, {value:#x};
            st.shared.b32 [%r251+{offset}], %r252;""")

    def load_shared(self, offset, size, threads, source="IN0", source_offset=0):
        """Shared memory [offset, ...) = global memory."""
        return self._each_word(size, threads, f"""
            cvt.u64.u32 %d60, %r250;
            add.u64 %d60, %d60, {source};
            ld.global.b32 %r252, [%d60+{source_offset}];
            add.u32 %r251, SM, %r250;
            st.shared.b32 [%r251+{offset}], %r252;""")

    def dump(self, offset, size, threads, out_offset=0):
        """out[out_offset, ...) = shared memory."""
        return self._each_word(size, threads, f"""
            add.u32 %r251, SM, %r250;
            ld.shared.b32 %r252, [%r251+{offset}];
            cvt.u64.u32 %d60, %r250;
            add.u64 %d60, %d60, OUT;
            st.global.b32 [%d60+{out_offset}], %r252;""")

    def _each_word(self, size, threads, body):
        loop, end = self.label(), self.label()
        return self(f"""
            shl.b32 %r250, T, 2;
            {loop}:
            setp.ge.u32 %p60, %r250, {size};
            @%p60 bra {end};
            {body}
            add.u32 %r250, %r250, {threads * 4};
            bra {loop};
            {end}:""")

    def wait(self, barrier, parity, register="%r249"):
        """Waits for a phase; `register` becomes 1, or 0 if that took too long."""
        loop, end = self.label(), self.label()
        return self(f"""
            mov.u32 %r248, 0;
            {loop}:
            mbarrier.try_wait.parity.shared::cta.b64 %p61, [{barrier}], {parity};
            selp.u32 {register}, 1, 0, %p61;
            @%p61 bra {end};
            add.u32 %r248, %r248, 1;
            setp.lt.u32 %p60, %r248, 20000;
            @%p60 bra {loop};
            {end}:""")

    def one_thread(self, body, thread=0):
        end = self.label()
        self(f"setp.ne.u32 %p59, T, {thread};\n@%p59 bra {end};")
        self(body)
        return self(f"{end}:")

    def store(self, register, offset, bits=32, stride=None):
        """out[offset + T * stride] = register, stride = its bytes."""
        stride = bits // 8 if stride is None else stride
        return self(f"""
            mul.wide.u32 %d60, T, {stride};
            add.u64 %d60, %d60, OUT;
            st.global.b{bits} [%d60+{offset}], {register};""")
