#!/usr/bin/env python3
# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cvt on the emulator and the formats of tclib against ml_dtypes, the conversions of docs/data/conversions.tsv, and the
places of scale factors.

    formats.py WORK_FOLDER [tc-run]

What ml_dtypes gives is in ml_dtypes.txt (record.py), so that the test needs neither it nor a network; where it can be imported,
in the same version, the file has to be what it gives now. Each conversion is a kernel of one instruction, of which each thread
does one, for all 65,536 inputs of bf16 and of f16 and for all codes. Each row of the table is one, too. ptxas, where it is there,
takes the kernels.
"""
import json
import math
import pathlib
import re
import shutil
import subprocess
import sys

import numpy as np

sys.dont_write_bytecode = True  # the folder of the sources stays as it is
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "Integration"))
import record  # noqa: E402
from tclib import numerics, quantize  # noqa: E402

KINDS = {"e4m3": "f8E4M3FN", "e5m2": "f8E5M2", "e3m2": "f6E3M2FN", "e2m3": "f6E2M3FN", "e2m1": "f4E2M1FN"}
FIELD = {"e4m3": 8, "e5m2": 8, "e3m2": 8, "e2m3": 8, "e2m1": 4, "ue8m0": 8, "f16": 16, "bf16": 16, "f32": 32, "tf32": 32}
EVERY = np.arange(1 << 16, dtype=np.uint32)
INPUTS = {"bf16": (EVERY << 16).view(np.float32), "f16": EVERY.astype(np.uint16).view(np.float16).astype(np.float32)}


class Conversion:
    """An instruction, the numbers that one thread gives to it and what they are in memory."""

    def __init__(self, opcode):
        self.opcode = opcode
        to, source = opcode.split(".")[-2:]
        self.count = 2 if to.endswith("x2") else 1
        self.to, self.source = to.removesuffix("x2"), source.removesuffix("x2")
        self.is_packed = source.endswith("x2")
        self.to_bits, self.source_bits = FIELD[self.to] * self.count, FIELD[self.source] * (2 if self.is_packed else 1)

    def text(self):
        both = self.count == 2 and not self.is_packed
        load = ("ld.global.v2.b32 {b, a}, [p];" if both else f"ld.global.b{self.source_bits} w, [p];" if self.source_bits > 8
                else "ld.global.b8 h, [p]; cvt.u8.u16 a, h;")
        a = "a" if both or self.source_bits == 8 else "w"
        store = "st.global.b8 [q], h;" if self.to_bits == 8 else f"st.global.b{self.to_bits} [q], d;"
        return f"""
.version 8.8
.target sm_100a
.address_size 64
.visible .entry convert(.param .u64 source, .param .u64 result, .param .u32 count) {{
  .reg .b64 p, q;
  .reg .b32 i, n, t;
  .reg .b{self.source_bits} a, b, w;
  .reg .b{self.to_bits} d;
  .reg .b16 h;
  .reg .pred done;
  mov.u32 i, %ctaid.x;
  mov.u32 t, %tid.x;
  mad.lo.u32 i, i, 256, t;
  ld.param.u32 n, [count];
  setp.ge.u32 done, i, n;
  @done ret;
  ld.param.u64 p, [source];
  ld.param.u64 q, [result];
  mad.wide.u32 p, i, {self.source_bits // 8 * (2 if both else 1)}, p;
  mad.wide.u32 q, i, {self.to_bits // 8}, q;
  {load}
  {self.opcode} d, {a}{", b" if both else ""};
  {"cvt.u16.u8 h, d;" if self.to_bits == 8 else ""}
  {store}
  ret;
}}
"""

    def run(self, work, tool, numbers):
        """The codes of `numbers`, an even count of them: f32, or codes of the source."""
        if self.source == "f32":
            raw = numbers.astype(np.float32).tobytes()
        elif FIELD[self.source] == 4:
            raw = (numbers[::2] | numbers[1::2] << 4).astype(np.uint8).tobytes()
        else:
            raw = numbers.astype(f"<u{FIELD[self.source] // 8}").tobytes()
        threads = len(numbers) // self.count
        (work / "convert.ptx").write_text(self.text())
        (work / "source.bin").write_bytes(raw)
        buffers = {"source": {"dtype": "u8", "shape": [len(raw)], "file": "source.bin"},
                   "result": {"dtype": "u8", "shape": [threads * self.to_bits // 8], "init": "zeros", "out": "result.bin"}}
        (work / "convert.json").write_text(json.dumps({
            "entry": "convert", "grid": [-(-threads // 256), 1, 1], "block": [256, 1, 1], "buffers": buffers,
            "params": [{"pointer": "source", "offset": 0}, {"pointer": "result", "offset": 0}, {"u32": threads}]}))
        commands = [[tool, "convert.ptx"]]
        if shutil.which("ptxas"):
            commands.append(["ptxas", "-arch=sm_100a", "convert.ptx", "-o", "convert.cubin"])
        for command in commands:
            done = subprocess.run(command, cwd=work, capture_output=True, text=True)
            if done.returncode != 0:
                raise ValueError(f"{self.opcode}: {command[0]} gave {done.returncode}: {done.stdout}{done.stderr}")
        raw = (work / "result.bin").read_bytes()
        if FIELD[self.to] == 4:
            return np.stack([np.frombuffer(raw, np.uint8) & 15, np.frombuffer(raw, np.uint8) >> 4], axis=-1).reshape(-1).astype(int)
        return np.frombuffer(raw, f"<u{FIELD[self.to] // 8}").astype(np.int64)


class Test:
    def __init__(self, work, tool):
        self.work, self.tool = work, tool
        self.decode, self.encode, self.hashes = record.read()
        self.failures, self.checks = [], 0

    def expect(self, what, got, expected, inputs):
        """Equal codes; where `expected` is negative any is right."""
        self.checks += 1
        wrong = np.flatnonzero((got != expected) & (expected >= 0))
        if len(wrong):
            at = wrong[0]
            self.failures.append(f"{what}: {len(wrong)} of {len(got)} wrong, first of {inputs[at]!r}: expected "
                                 f"{int(expected[at]):x}, got {int(got[at]):x}")

    def check_scales(self):
        """The packer and the unpacker of tclib against the places that scales.txt has by hand."""
        rows, blocks = np.indices((256, 8))
        packed = [quantize.interleave(codes.astype(np.uint8), 0).reshape(-1) for codes in (rows, blocks)]
        places = record.scale_places()
        for row, block, byte, *_ in places:
            got = tuple(int(codes[byte]) for codes in packed)
            self.expect(f"tclib: scale factor in byte {byte}", np.array(got), np.array([row, block]), ["row", "block"])
            memory = np.zeros(2048, np.uint8)
            memory[byte] = 1
            place = np.argwhere(quantize.deinterleave(memory, 256, 8))
            self.expect(f"tclib: byte {byte} of scale factors", place.reshape(-1), np.array([row, block]), ["row", "block"])

    def convert(self, opcode, numbers):
        return Conversion(opcode).run(self.work, self.tool, numbers)

    def halves(self, what, codes, name, source):
        """Codes of f16 and bf16, which are recorded as a hash."""
        limit = numerics.FORMATS[name][2]
        codes = np.where(record.in_range(INPUTS[source].astype(np.float64), -limit, limit), codes, 0)
        self.checks += 1
        if record.fnv(codes) != self.hashes[name, source]:
            self.failures.append(f"{what} of {source}: other codes than those of ml_dtypes")

    def check_tclib(self):
        for name, kind in KINDS.items():
            codes = np.arange(len(self.decode[name]))
            got = quantize.decode(codes.astype(np.uint8), kind)
            # Infinities are in range of codes, not of the helper, whose numbers are finite.
            right = (got == self.decode[name]) | (np.isnan(got) & np.isnan(self.decode[name])) | np.isinf(self.decode[name])
            self.expect(f"tclib: numbers of {name}", right.astype(int), np.ones(len(codes), int), codes)
            for source, values in INPUTS.items():
                if kind in quantize.LARGEST:
                    got = quantize.encode(values.astype(np.float64), kind).astype(int)
                    self.expect(f"tclib: {name} of {source}", got, self.encode[name, source], values)
        for name, source in self.hashes:
            rounded = numerics.round_once(np.nan_to_num(INPUTS[source].astype(np.float64)), name)
            codes = np.frombuffer(numerics.encode(rounded, name), "<u2")
            self.halves(f"tclib: {name}", codes, name, source)

    def check_cvt(self):
        for name in KINDS:
            for source, values in INPUTS.items():
                opcode = f"cvt.rn.satfinite.{name}x2.f32"
                self.expect(f"{opcode} of {source}", self.convert(opcode, values), self.encode[name, source], values)
            if name in ("e4m3", "e5m2"):
                opcode = f"cvt.rn.satfinite.{name}x2.f16x2"
                self.expect(opcode, self.convert(opcode, EVERY), self.encode[name, "f16"], INPUTS["f16"])
            self.check_numbers(f"cvt.rn.f16x2.{name}x2", name, np.float16, np.uint16)
        self.check_numbers("cvt.rn.bf16x2.ue8m0x2", "ue8m0", np.float32, np.uint32, drop=16)
        # To ue8m0 the ISA rounds down or up, ml_dtypes to nearest: the neighbours are among its numbers.
        numbers = self.decode["ue8m0"][:-1]
        for source, values in INPUTS.items():
            inside = record.in_range(values, numbers[0], numbers[-1])
            near = np.where(inside, values, 1)
            for mode, codes in (("rz", np.searchsorted(numbers, near, "right") - 1), ("rp", np.searchsorted(numbers, near))):
                expected = np.where(inside, codes, -1)
                opcode = f"cvt.{mode}.satfinite.ue8m0x2."
                self.expect(f"{opcode}f32 of {source}", self.convert(opcode + "f32", values), expected, values)
                if source == "bf16":
                    self.expect(f"{opcode}bf16x2", self.convert(opcode + "bf16x2", EVERY), expected, values)
        for name, source in self.hashes:
            for opcode in (f"cvt.rn.{name}.f32", f"cvt.rn.{name}x2.f32"):
                self.halves(opcode, self.convert(opcode, INPUTS[source]), name, source)
        for name, values in INPUTS.items():
            finite, bits = np.isfinite(values), values.view(np.uint32).astype(np.int64)
            self.expect(f"cvt.f32.{name}", self.convert(f"cvt.f32.{name}", EVERY), np.where(np.isnan(values), -1, bits), values)
            # ml_dtypes has no tf32; all of these numbers are exact in it.
            for mode in ("rn", "rna"):
                opcode = f"cvt.{mode}.tf32.f32"
                self.expect(f"{opcode} of {name}", self.convert(opcode, values), np.where(finite, bits, -1), values)

    def check_numbers(self, opcode, name, dtype, code, drop=0):
        """Codes to numbers of 16 bits, in which all of them are exact."""
        values = self.decode[name]
        codes = np.arange(len(values))
        expected = values.astype(dtype).view(code).astype(np.int64) >> drop
        self.expect(opcode, self.convert(opcode, codes), np.where(np.isnan(values), 0x7FFF, expected), codes)

    def check_table(self, page, least):
        """The rows of a table of conversions: numbers and their codes, and what a GPU wrote."""
        recorded = json.loads((ROOT / "test" / "Device" / "data" / "sm_90a.json").read_text())["results"]
        rows = 0
        for line in page.read_text().splitlines()[1:]:
            cells = line.split("\t")
            rows += 1
            opcode = cells[1]
            pairs = [pair.split(": ") for pair in cells[2].split(", ")]
            numbers = [number(text, Conversion(opcode).source) for text, _ in pairs] + [0] * (len(pairs) % 2)
            expected = np.array([int(code, 16) for _, code in pairs] + [-1] * (len(pairs) % 2))
            inputs = [text for text, _ in pairs] + ["0"]
            self.expect(f"{page.name}: {opcode}", self.convert(opcode, np.array(numbers)), expected, inputs)
            if cells[3] != "none" and cells[3] not in recorded:
                self.failures.append(f"{page.name}: {opcode}: expected a recorded kernel or 'none', got {cells[3]}")
        if rows < least:
            self.failures.append(f"{page.name}: expected at least {least} rows with a conversion, got {rows}")
        return rows


def number(text, source):
    if source != "f32":
        return int(text, 16)
    value = float.fromhex(text) if "0x" in text else float(text)
    return math.copysign(math.nan, -1) if text == "-nan" else value


def check_record():
    """The file is what ml_dtypes gives, where it is there in that version."""
    try:
        import ml_dtypes
    except ImportError:
        return
    text = record.FILE.read_text()
    if text.split()[2].rstrip(",") == ml_dtypes.__version__ and text != record.text():
        raise ValueError("ml_dtypes.txt: expected what ml_dtypes gives, got another file; record.py writes it")


def main():
    # Inputs are NaNs and infinities, too.
    np.seterr(invalid="ignore", over="ignore")
    work = pathlib.Path(sys.argv[1])
    work.mkdir(parents=True, exist_ok=True)
    check_record()
    test = Test(work, sys.argv[2] if len(sys.argv) > 2 else "tc-run")
    test.check_tclib()
    test.check_scales()
    test.check_cvt()
    rows = test.check_table(ROOT / "docs" / "data" / "conversions.tsv", 20)
    for failure in test.failures:
        print(failure)
    print(f"{test.checks - len(test.failures)} of {test.checks} checks right, {rows} of them rows of the table")
    return 1 if test.failures else 0


if __name__ == "__main__":
    sys.exit(main())
