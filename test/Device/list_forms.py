#!/usr/bin/env python3
# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes data/arithmetic_forms.txt: every arithmetic opcode of sm_90a.

usage: list_forms.py [--out FILE] [--target sm_90a] [--version 8.6]

Puts the modifiers that the PTX ISA 9.0 names for each instruction together in
all ways (chapters "Integer Arithmetic", "Floating Point", "Half Precision
Floating Point", "Comparison and Selection", "Logic and Shift Instructions" and
"cvt") and keeps what ptxas assembles. Needed only where the list is to change."""

import argparse
import itertools
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
INTEGERS = ("u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64")
FLOATS = ("f16", "bf16", "f32", "f64")
ROUND = ("rn", "rz", "rm", "rp")


def register(kind):
    """Class of the register of a type: h, r, d for 16, 32, 64 bits, e for f64
    operands without NaN, p for predicates. Types of 8 bits live in r."""
    if kind == "pred":
        return "p"
    bits = re.sub(r"[a-z]+", "", kind.split("x")[0]) if not kind.endswith("x2") else "32"
    return {"8": "r", "16": "h", "32": "r", "64": "d"}[bits]


def options(*parts):
    """All products of the parts, joined with dots; empty parts vanish."""
    for choice in itertools.product(*parts):
        yield ".".join(part for part in choice if part)


def conversions():
    for to, source in itertools.product(INTEGERS + FLOATS, repeat=2):
        is_float, from_float = to in FLOATS, source in FLOATS
        if not is_float and from_float:
            modes = ("rni", "rzi", "rmi", "rpi")
        else:
            modes = ("",) + ROUND + (("rni", "rzi", "rmi", "rpi") if to == source else ())
        flags = [("", "ftz") if "f32" in (to, source) else ("",), ("", "sat"), ("", "relu"),
                 ("", "satfinite")]
        for opcode in options(("cvt",), modes, *flags, (to,), (source,)):
            yield "cvt_to_" + to, opcode, register(to), register(source)


def integer_arithmetic():
    narrow, signed = INTEGERS[1:4] + INTEGERS[5:], ("s16", "s32", "s64")
    pairs = ("u16x2", "s16x2")
    for kind in narrow + pairs:
        r = register(kind)
        for name in ("add", "sub", "min", "max", "div", "rem"):
            for opcode in options((name,), ("", "sat", "relu"), (kind,)):
                yield "integer", opcode, r, r + r
        for part in ("lo", "hi"):
            yield "integer", f"mul.{part}.{kind}", r, r + r
            for opcode in options(("mad",), (part,), ("", "sat"), (kind,)):
                yield "integer", opcode, r, r + r + r
        wide = {"h": "r", "r": "d"}.get(r)
        if wide:
            yield "integer", f"mul.wide.{kind}", wide, r + r
            yield "integer", f"mad.wide.{kind}", wide, r + r + wide
        yield "integer", f"sad.{kind}", r, r + r + r
    for kind in signed:
        for name in ("abs", "neg"):
            yield "integer", f"{name}.{kind}", register(kind), register(kind)
    for kind, part in itertools.product(("u32", "s32"), ("lo", "hi")):
        yield "integer", f"mul24.{part}.{kind}", "r", "rr"
        for opcode in options(("mad24",), (part,), ("", "sat"), (kind,)):
            yield "integer", opcode, "r", "rrr"
    for a, b in itertools.product(("u32", "s32"), repeat=2):
        yield "integer", f"dp4a.{a}.{b}", "r", "rrr"
        for part in ("lo", "hi"):
            yield "integer", f"dp2a.{part}.{a}.{b}", "r", "rrr"


def bits():
    for kind in ("b16", "b32", "b64"):
        r = register(kind)
        for name in ("and", "or", "xor"):
            yield "bits", f"{name}.{kind}", r, r + r
        for name in ("not", "cnot"):
            yield "bits", f"{name}.{kind}", r, r
        yield "bits", f"shl.{kind}", r, r + "r"
    for kind in ("b16", "b32", "b64") + INTEGERS[1:4] + INTEGERS[5:]:
        yield "bits", f"shr.{kind}", register(kind), register(kind) + "r"
    for direction, mode in itertools.product("lr", ("wrap", "clamp")):
        yield "bits", f"shf.{direction}.{mode}.b32", "r", "rrr"
    for kind in ("u32", "u64", "s32", "s64"):
        r = register(kind)
        yield "bits", f"bfind.{kind}", "r", r
        yield "bits", f"bfind.shiftamt.{kind}", "r", r
        yield "bits", f"bfe.{kind}", r, r + "rr"
    for kind in ("b32", "b64"):
        r = register(kind)
        for name in ("popc", "clz"):
            yield "bits", f"{name}.{kind}", "r", r
        yield "bits", f"brev.{kind}", r, r
        yield "bits", f"bfi.{kind}", r, r + r + "rr"
    for mode, kind in itertools.product(("clamp", "wrap"), ("u32", "s32")):
        yield "bits", f"szext.{mode}.{kind}", "r", "rr"
    for mode in ("clamp", "wrap"):
        yield "bits", f"bmsk.{mode}.b32", "r", "rr"
    for mode in ("", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"):
        yield "bits", f"prmt.b32{mode}", "r", "rrr"
    yield "bits", "fns.b32", "r", "rrr"


def float_arithmetic():
    for kind in ("f32", "f64"):
        r = register(kind)
        group = "float_" + kind
        b = "e" if kind == "f64" else r
        for name, more in (("add", b), ("sub", b), ("mul", b), ("fma", b + b), ("mad", b + b),
                           ("div", b), ("sqrt", ""), ("rcp", "")):
            # ptxas takes rcp.rn.ftz.f64, too, which the ISA does not have.
            for opcode in options((name,), ("",) + ROUND, ("", "ftz") if kind == "f32" else ("",),
                                  ("", "sat"), (kind,)):
                yield group, opcode, r, r + more
        for name, three in itertools.product(("min", "max"), ("", b)):
            for opcode in options((name,), ("", "ftz"), ("", "NaN"), ("", "xorsign.abs"),
                                  (kind,)):
                yield group, opcode, r, r + b + three
        for name in ("abs", "neg"):
            for opcode in options((name,), ("", "ftz"), (kind,)):
                yield group, opcode, r, r
        yield group, f"copysign.{kind}", r, r + r
        for name in ("finite", "infinite", "number", "notanumber", "normal", "subnormal"):
            yield group, f"testp.{name}.{kind}", "p", r
    for kind in ("f16", "f16x2", "bf16", "bf16x2"):
        r = register(kind)
        for name, more in (("add", r), ("sub", r), ("mul", r), ("fma", r + r)):
            for opcode in options((name,), ("", "rn"), ("", "ftz"), ("", "sat", "relu"), (kind,)):
                yield "float_half", opcode, r, r + more
        for name in ("min", "max"):
            for opcode in options((name,), ("", "ftz"), ("", "NaN"), ("", "xorsign.abs"),
                                  (kind,)):
                yield "float_half", opcode, r, r + r
        for name in ("abs", "neg"):
            for opcode in options((name,), ("", "ftz"), (kind,)):
                yield "float_half", opcode, r, r


def comparisons():
    ordered = ("eq", "ne", "lt", "le", "gt", "ge")
    floating = ordered + ("equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan")
    for kind in ("b16", "b32", "b64") + INTEGERS[1:4] + INTEGERS[5:] + FLOATS:
        r = register(kind)
        compares = floating if kind in FLOATS else \
            ordered + (("lo", "ls", "hi", "hs") if kind[0] == "u" else ())
        for compare, ftz in itertools.product(compares, ("", "ftz")):
            for opcode in options(("setp",), (compare,), (ftz,), (kind,)):
                yield "compare", opcode, "p", r + r
            for to in ("u32", "s32", "f32", "f16", "u16", "bf16"):
                if compare in ("eq", "lt", "geu", "nan", "hs"):
                    for opcode in options(("set",), (compare,), (ftz,), (to,), (kind,)):
                        yield "compare", opcode, register(to), r + r
    for kind in ("f16x2", "bf16x2"):
        for compare, ftz in itertools.product(floating, ("", "ftz")):
            for opcode in options(("setp",), (compare,), (ftz,), (kind,)):
                yield "compare", opcode, "pp", "rr"
            for opcode in options(("set",), (compare,), (ftz,), (kind, "u32", "s32"), (kind,)):
                yield "compare", opcode, "r", "rr"
    for kind in ("b16", "b32", "b64") + INTEGERS[1:4] + INTEGERS[5:] + ("f32", "f64"):
        r = register(kind)
        yield "compare", f"slct.{kind}.s32", r, r + r + "r"
        for ftz in ("", "ftz."):
            yield "compare", f"slct.{ftz}{kind}.f32", r, r + r + "r"
        yield "compare", f"selp.{kind}", r, r + r + "p"


def instruction(opcode, result, sources):
    names = {"h": "%h", "r": "%r", "d": "%d", "e": "%d", "p": "%p"}
    destination = "|".join(f"{names[c]}{20 + i}" for i, c in enumerate(result))
    operands = [f"{names[c]}{i}" for i, c in enumerate(sources)]
    return f"{opcode} {', '.join([destination] + operands)};"


def assembled(ptxas, forms, target, version):
    """The forms that ptxas takes."""
    header = [f".version {version}", f".target {target}", ".address_size 64", ".entry k() {",
              ".reg .pred %p<32>; .reg .b16 %h<32>; .reg .b32 %r<32>; .reg .b64 %d<32>;"]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "forms.ptx"
        while True:
            lines = header + [instruction(*form[1:]) for form in forms] + ["ret;", "}"]
            path.write_text("\n".join(lines) + "\n")
            done = subprocess.run([ptxas, f"-arch={target}", "-O0", "-o", f"{folder}/forms.cubin",
                                   path], capture_output=True, text=True, check=False)
            if done.returncode == 0:
                return forms
            bad = {int(n) - len(header) - 1
                   for n in re.findall(r", line (\d+); error", done.stdout + done.stderr)}
            if not bad:
                sys.exit(done.stdout + done.stderr)
            forms = [form for i, form in enumerate(forms) if i not in bad]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, default=HERE / "data" / "arithmetic_forms.txt")
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--version", default="8.6")
    arguments = parser.parse_args()
    ptxas = shutil.which("ptxas")
    if not ptxas:
        sys.exit("list_forms.py: no ptxas on PATH")
    forms = list(dict.fromkeys(itertools.chain(conversions(), integer_arithmetic(), bits(),
                                               float_arithmetic(), comparisons())))
    kept = assembled(ptxas, forms, arguments.target, arguments.version)
    lines = ["# Arithmetic opcodes that ptxas assembles for " + arguments.target +
             " (list_forms.py): group|opcode|result|operands",
             "# h, r, d: registers of 16, 32, 64 bits; e: f64 without NaN; p: predicate"]
    lines += ["|".join(form) for form in kept]
    arguments.out.write_text("\n".join(lines) + "\n")
    print(f"{len(kept)} of {len(forms)} forms")


if __name__ == "__main__":
    main()
