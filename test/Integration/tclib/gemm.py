"""Matmuls with everything around them: batch, transpositions, accumulation, epilogues.

A `Gemm` writes its linalg module on tensors, makes its own data and computes in
float64 what the module has to return, with a bound. Nothing here reads what the
compiler wrote but the order of the arguments.
"""
import dataclasses
import math
import re

import numpy as np

from . import modules, numerics


def vector_erf(x):
    return np.vectorize(math.erf)(x) if x.size else x


def gelu_tanh(x):
    return 0.5 * x * (1 + np.tanh(0.7978845608028654 * (x + 0.044715 * x**3)))


# Elementwise functions of %x: the body of a linalg.generic, and numpy's.
BODIES = {
    "relu": ("%z = arith.constant 0.0 : f32\n%r = arith.maximumf %x, %z : f32", lambda x: np.maximum(x, 0)),
    "relu_select": ("%z = arith.constant 0.0 : f32\n%c = arith.cmpf ugt, %x, %z : f32\n"
                    "%r = arith.select %c, %x, %z : f32", lambda x: np.maximum(x, 0)),
    "sigmoid": ("%o1 = arith.constant 1.0 : f32\n%n = arith.negf %x : f32\n%e = math.exp %n : f32\n"
                "%s = arith.addf %e, %o1 : f32\n%r = arith.divf %o1, %s : f32", lambda x: 1 / (1 + np.exp(-x))),
    "silu": ("%o1 = arith.constant 1.0 : f32\n%n = arith.negf %x : f32\n%e = math.exp %n : f32\n"
             "%s = arith.addf %e, %o1 : f32\n%r = arith.divf %x, %s : f32", lambda x: x / (1 + np.exp(-x))),
    "gelu_tanh": ("%h = arith.constant 0.5 : f32\n%o1 = arith.constant 1.0 : f32\n"
                  "%a = arith.constant 0.7978845608 : f32\n%b = arith.constant 0.044715 : f32\n"
                  "%x2 = arith.mulf %x, %x : f32\n%x3 = arith.mulf %x2, %x : f32\n%t = arith.mulf %x3, %b : f32\n"
                  "%u = arith.addf %x, %t : f32\n%v = arith.mulf %u, %a : f32\n%w = math.tanh %v : f32\n"
                  "%y = arith.addf %w, %o1 : f32\n%q = arith.mulf %x, %h : f32\n%r = arith.mulf %q, %y : f32", gelu_tanh),
    # What is left of tanh near 1, magnified: a fast tanh is off by 0.5 here.
    "tanh_gap": ("%o1 = arith.constant 1.0 : f32\n%s = arith.constant 1024.0 : f32\n%w = math.tanh %x : f32\n"
                 "%y = arith.subf %o1, %w : f32\n%r = arith.mulf %y, %s : f32", lambda x: 1024 * (1 - np.tanh(x))),
    "gelu_erf": ("%h = arith.constant 0.5 : f32\n%o1 = arith.constant 1.0 : f32\n"
                 "%a = arith.constant 0.7071067811865476 : f32\n%v = arith.mulf %x, %a : f32\n%w = math.erf %v : f32\n"
                 "%y = arith.addf %w, %o1 : f32\n%q = arith.mulf %x, %h : f32\n%r = arith.mulf %q, %y : f32",
                 lambda x: 0.5 * x * (1 + vector_erf(x * np.sqrt(0.5)))),
    "clamp": ("%lo = arith.constant -1.5 : f32\n%hi = arith.constant 2.0 : f32\n%l = arith.maximumf %x, %lo : f32\n"
              "%r = arith.minimumf %l, %hi : f32", lambda x: np.clip(x, -1.5, 2)),
    "log": ("%o1 = arith.constant 1.0 : f32\n%a = math.absf %x : f32\n%s = arith.addf %a, %o1 : f32\n"
            "%r = math.log %s : f32", lambda x: np.log(1 + np.abs(x))),
    "sqrt": ("%a = math.absf %x : f32\n%r = math.sqrt %a : f32", lambda x: np.sqrt(np.abs(x))),
    "rsqrt": ("%o1 = arith.constant 1.0 : f32\n%x2 = arith.mulf %x, %x : f32\n%s = arith.addf %x2, %o1 : f32\n"
              "%r = math.rsqrt %s : f32", lambda x: 1 / np.sqrt(1 + x * x)),
}
# How much a function here magnifies an error of its argument, or of a step inside.
SLOPE = 1.2
SLOPES = {"tanh_gap": 1024.0}


@dataclasses.dataclass(frozen=True)
class Gemm:
    """One matmul. A step is a name in BODIES, ("add"|"mul", "full"|"row"|"column", type) or ("scale", number)."""
    shape: tuple  # M, N, K
    steps: tuple = ()
    in_type: str = "bf16"
    out_type: str = "f32"
    dynamic: bool = False
    bias_first: bool = False  # the row vector of the first step is broadcast into the initial value
    transpose_a: bool = False  # A is stored K x M
    transpose_b: bool = True  # B is stored N x K
    accumulate: bool = False  # the initial value is an argument, M x N in f32
    batch: int = None  # extent of a leading dimension of A, B and the result
    config: str = ""

    @property
    def name(self):
        steps = "-".join(step if isinstance(step, str) else "_".join(map(str, step)) for step in self.steps)
        parts = ["x".join(map(str, ((self.batch, ) if self.batch is not None else ()) + self.shape)), steps or "plain",
                 "at" * self.transpose_a + "bn" * (not self.transpose_b), self.in_type, self.out_type,
                 "dynamic" * self.dynamic, "init" * self.bias_first, "acc" * self.accumulate, self.config]
        return re.sub(r"[^\w]+", "_", "-".join(part for part in parts if part))

    def extents(self, *letters):
        sizes = dict(zip("mnk", self.shape), b=self.batch)
        lead = ["b"] if self.batch is not None else []
        return tuple(sizes[letter] for letter in lead + list(letters))

    def tensor(self, element, *letters, batched=True):
        extents = self.extents(*letters) if batched else tuple(dict(zip("mnk", self.shape))[x] for x in letters)
        dims = ["?" if self.dynamic else str(extent) for extent in extents]
        return f"tensor<{'x'.join(dims + [element])}>"

    @property
    def stored(self):
        """How A and B are stored, as letters."""
        return {"A": "km" if self.transpose_a else "mk", "B": "nk" if self.transpose_b else "kn"}


VECTORS = {"row": "n", "column": "m"}


def _map(inner, letters, is_batched=True):
    lead = "b, " * is_batched
    return f"affine_map<({', '.join(inner)}) -> ({lead}{', '.join(letters)})>"


def _elementwise(gemm, inputs, out_type, body, init):
    """A linalg.generic; `inputs` are (value, tensor type, letters, element type)."""
    is_batched = gemm.batch is not None
    inner = ["b"] * is_batched + ["m", "n"]
    maps = [_map(inner, item[2], is_batched and len(item[2]) == 2) for item in inputs] + [_map(inner, "mn", is_batched)]
    arguments = ", ".join(f"%in{i}: {item[3]}" for i, item in enumerate(inputs))
    kinds = ", ".join(['"parallel"'] * len(inner))
    out = gemm.tensor(out_type, *"mn")
    return (f"linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{kinds}]}}\n"
            f"  ins({', '.join(item[0] for item in inputs)} : {', '.join(item[1] for item in inputs)})"
            f" outs({init} : {out}) {{\n^bb0({arguments}, %o: {out_type}):\n{body}\n}} -> {out}\n")


def _vector(gemm, step):
    """Letters and tensor type of the operand of an "add" or "mul" step; vectors have no batch."""
    letters = VECTORS.get(step[1], "mn")
    return letters, gemm.tensor(step[2], *letters, batched=len(letters) == 2)


def module_text(gemm):
    is_batched = gemm.batch is not None
    wide, out = gemm.tensor("f32", *"mn"), gemm.tensor(gemm.out_type, *"mn")
    types = {operand: gemm.tensor(gemm.in_type, *letters) for operand, letters in gemm.stored.items()}
    arguments = [f"%{operand}: {types[operand]}" for operand in "AB"]
    if gemm.accumulate:
        arguments.append(f"%C: {wide}")
    for i, step in enumerate(gemm.steps):
        if not isinstance(step, str) and step[0] != "scale":
            arguments.append(f"%v{i}: {_vector(gemm, step)[1]}")
    text = [f"func.func @f({', '.join(arguments)}) -> {out} {{", "%zero = arith.constant 0.0 : f32"]
    dims = ""
    if gemm.dynamic:
        names = []
        for letter, operand in (("b", "A"), ("m", "A"), ("n", "B")):
            if letter == "b" and not is_batched:
                continue
            position = ("b" * is_batched + gemm.stored[operand]).index(letter)
            text += [f"%i_{letter} = arith.constant {position} : index",
                     f"%{letter} = tensor.dim %{operand}, %i_{letter} : {types[operand]}"]
            names.append(f"%{letter}")
        dims = ", ".join(names)
    text.append(f"%E = tensor.empty({dims}) : {wide}")
    steps = list(enumerate(gemm.steps))
    if gemm.accumulate:
        init = "%C"
    elif gemm.bias_first:
        (i, step), *steps = steps
        text.append(f"%f = linalg.broadcast ins(%v{i} : {_vector(gemm, step)[1]}) outs(%E : {wide}) "
                    f"dimensions = [{'0, 1' if is_batched else '0'}]")
        init = "%f"
    else:
        text.append(f"%f = linalg.fill ins(%zero : f32) outs(%E : {wide}) -> {wide}")
        init = "%f"
    inner = ["b"] * is_batched + ["m", "n", "k"]
    maps = ", ".join(_map(inner, letters, is_batched) for letters in (*gemm.stored.values(), "mn"))
    text.append(f"%p = linalg.{'batch_' * is_batched}matmul indexing_maps = [{maps}] "
                f"ins(%A, %B : {types['A']}, {types['B']}) outs({init} : {wide}) -> {wide}")
    last = "%p"
    for i, step in steps:
        inputs = [(last, wide, "mn", "f32")]
        if isinstance(step, str):
            body = re.sub(r"%x\b", "%in0", BODIES[step][0]) + "\nlinalg.yield %r : f32"
        elif step[0] == "scale":
            body = f"%s = arith.constant {float(step[1])} : f32\n%r = arith.mulf %in0, %s : f32\nlinalg.yield %r : f32"
        else:
            letters, vector = _vector(gemm, step)
            inputs.append((f"%v{i}", vector, letters, step[2]))
            other, body = "%in1", ""
            if step[2] != "f32":
                other, body = "%w", f"%w = arith.extf %in1 : {step[2]} to f32\n"
            body += f"%r = arith.{step[0]}f %in0, {other} : f32\nlinalg.yield %r : f32"
        text.append(f"%s{i} = " + _elementwise(gemm, inputs, "f32", body, "%E"))
        last = f"%s{i}"
    if gemm.out_type != "f32":
        body = f"%r = arith.truncf %in0 : f32 to {gemm.out_type}\nlinalg.yield %r : {gemm.out_type}"
        text.append(f"%F = tensor.empty({dims}) : {out}")
        text.append("%last = " + _elementwise(gemm, [(last, wide, "mn", "f32")], gemm.out_type, body, "%F"))
        last = "%last"
    text.append(f"return {last} : {out}\n}}\n")
    return "\n".join(text)


def _bound(a, b):
    if a.ndim == 2:
        return numerics.accumulation_bound(a, b)
    return np.stack([numerics.accumulation_bound(*pair) for pair in zip(a, b)]) if len(a) else np.zeros(
        (0, a.shape[1], b.shape[2]))


def expectation(gemm):
    """The arguments, the exact result and the bound of an f32 result."""
    stored = [modules.random_array(gemm.extents(*gemm.stored[operand]), gemm.in_type, seed)
              for operand, seed in (("A", 1), ("B", 2))]
    arguments = list(stored)
    a, b = stored[0].values, stored[1].values
    a = np.swapaxes(a, -1, -2) if gemm.transpose_a else a
    b = np.swapaxes(b, -1, -2) if gemm.transpose_b else b
    value, bound = a @ b, _bound(a, b)
    if gemm.accumulate:
        arguments.append(modules.random_array(gemm.extents(*"mn"), "f32", 3, 2.0))
        value = value + arguments[-1].values
        bound = bound + 2.0**-23 * np.abs(value)
    sizes = dict(zip("mnk", gemm.shape))
    for i, step in enumerate(gemm.steps):
        if isinstance(step, str):
            value = BODIES[step][1](value)
            bound = SLOPES.get(step, SLOPE) * (bound + 2.0**-21) + 2.0**-19 * (1 + np.abs(value))
            continue
        if step[0] == "scale":
            value, bound = value * step[1], bound * abs(step[1])
        else:
            letters = VECTORS.get(step[1])
            shape = (sizes[letters], ) if letters else gemm.extents(*"mn")
            extra = modules.random_array(shape, step[2], 10 + i, 2.0)
            arguments.append(extra)
            other = extra.values[:, None] if step[1] == "column" else extra.values
            value, bound = (value + other, bound) if step[0] == "add" else (value * other, bound * np.abs(other))
        bound = bound + 2.0**-23 * np.abs(value)
    return arguments, value, bound


def check(tools, gemm, seconds, schedules=None):
    """Compiles and runs; the largest error over its bound."""
    options = [f"--config={gemm.config}"] if gemm.config else []
    ptx = modules.compile_module(tools, gemm.name, module_text(gemm), seconds, options)
    arguments, value, bound = expectation(gemm)
    more = {"schedules": schedules} if schedules else {}
    result, = modules.run_module(tools, gemm.name, ptx, arguments, seconds, **more)
    return modules.compare(gemm.name, result, value, bound, gemm.out_type)
