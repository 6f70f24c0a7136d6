#!/usr/bin/env python3
"""Runs kernels of the gradients of attention on the emulator and compares every element with float64.

    attention_backward.py --build build [--count 40] [--seed 1] [--jobs 2] [--seeds 1] [--races strict] [--chip sm_90a,sm_100a]
    attention_backward.py --print SEED

A problem is drawn from its number, as those of attention.py: batches, heads that share keys, sizes and head sizes with tails, a
diagonal, a window, types, what is dynamic, which outputs. Half of them get lse and delta from float64; the others compute them
in the same function, by tmm.attention and a row sum of linalg. How far a result may be from the exact one is the sum of what
each operation may round: scores in f32, P and dS to the type of the operands, sums in f32, the result.
"""
import dataclasses
import json
import os
import random
import sys

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np  # noqa: E402

import attention  # noqa: E402
from attention import ROUNDING, compare, pack, round_to, unpack  # noqa: E402
from tclib import runner  # noqa: E402

OUTPUTS = {"dq": ["dq"], "dk_dv": ["dk", "dv"], "all": ["dq", "dk", "dv"]}


@dataclasses.dataclass
class Problem(attention.Problem):
    """Gradients of attention of one shape; `out` is the type of the gradients."""
    which: str = "all"
    # Whether the function computes O, lse and delta, too.
    is_whole: bool = False

    def shapes(self):
        shapes = super().shapes()
        return {**shapes, "grad": shapes["o"], "delta": shapes["lse"], "dq": shapes["q"], "dk": shapes["k"], "dv": shapes["v"]}

    def types(self):
        types = {name: self.element for name in ("q", "k", "v", "o", "grad")}
        return {**types, "lse": "f32", "delta": "f32", "dq": self.out, "dk": self.out, "dv": self.out}

    def names(self):
        return ["q", "k", "v", "grad", "lse", "delta", *(["o"] if self.is_whole else []), *OUTPUTS[self.which]]

    def type_of(self, name, order=None):
        shape, rank = self.shapes()[name], len(self.batch)
        rows = "n" if name in ("k", "v", "dk", "dv") else "m"
        dims = ["?" if dim in self.dynamic else str(size) for dim, size in enumerate(shape[:rank])]
        dims.append("?" if rows in self.dynamic else str(shape[rank]))
        return "memref<" + "x".join([*dims, *map(str, shape[rank + 1:]), self.types()[name]]) + ">"

    def text(self):
        types = {name: self.type_of(name) for name in self.names()}
        extra = "" if self.diagonal is None else f" diagonal({self.diagonal})"
        extra += "" if self.window is None else f" window({self.window})"
        outs = [f"dq(%dq : {types['dq']})"] if "dq" in types else []
        outs += [f"dk_dv(%dk, %dv : {types['dk']}, {types['dv']})"] if "dk" in types else []
        inputs = self.names()[:6]
        lines = []
        if self.is_whole:
            dims = ", ".join(f"d{i}" for i in range(len(self.batch) + 2))
            rows = ", ".join(f"d{i}" for i in range(len(self.batch) + 1))
            whole, part = f"affine_map<({dims}) -> ({dims})>", f"affine_map<({dims}) -> ({rows})>"
            tensors = {name: types[name].replace("memref", "tensor") for name in ("grad", "o", "delta")}
            kinds = ", ".join(["\"parallel\""] * (len(self.batch) + 1) + ["\"reduction\""])
            lines += [f"tmm.attention %q, %k, %v scale({self.scale:e}){extra} outs(%o : {types['o']}, %lse : {types['lse']}) : "
                      f"{types['q']}, {types['k']}, {types['v']}",
                      *(f"%{name}_t = bufferization.to_tensor %{name} restrict{' writable' * (name == 'delta')} : {types[name]} to "
                        f"{tensors[name]}" for name in tensors),
                      "%zero = arith.constant 0.0 : f32",
                      f"%start = linalg.fill ins(%zero : f32) outs(%delta_t : {tensors['delta']}) -> {tensors['delta']}",
                      f"%sums = linalg.generic {{indexing_maps = [{whole}, {whole}, {part}], iterator_types = [{kinds}]}} "
                      f"ins(%grad_t, %o_t : {tensors['grad']}, {tensors['o']}) outs(%start : {tensors['delta']}) {{",
                      f"^bb0(%g: {self.element}, %x: {self.element}, %sum: f32):",
                      f"  %g32 = arith.extf %g : {self.element} to f32",
                      f"  %x32 = arith.extf %x : {self.element} to f32",
                      "  %product = arith.mulf %g32, %x32 : f32",
                      "  %next = arith.addf %sum, %product : f32",
                      "  linalg.yield %next : f32",
                      f"}} -> {tensors['delta']}",
                      "bufferization.materialize_in_destination %sums in restrict writable %delta : "
                      f"({tensors['delta']}, {types['delta']}) -> ()"]
        lines += [f"tmm.attention_backward {', '.join('%' + name for name in inputs)} scale({self.scale:e}){extra} "
                  f"{' '.join(outs)} : {', '.join(types[name] for name in inputs)}", "return"]
        arguments = ", ".join(f"%{name}: {kind}" for name, kind in types.items())
        return f"func.func @backward({arguments}) {{\n" + "".join(f"  {line}\n" for line in lines) + "}\n"


def inputs_of(problem):
    arrays = attention.inputs_of(problem)
    generator = np.random.default_rng(problem.seed + 2 ** 32)
    arrays["grad"] = round_to(generator.normal(-0.05, 0.75, problem.shapes()["grad"]), problem.element)
    return arrays


def expectation(problem, arrays):
    """lse and delta, the gradients, and how far a right kernel may be from them."""
    share = [a // max(b, 1) for a, b in zip(problem.batch, problem.shared)]
    spread, gather = {}, {}
    for name in ("k", "v"):
        spread[name] = arrays[name]
        for dim, times in enumerate(share):
            spread[name] = np.repeat(spread[name], times, dim)
    q, grad, k, v = arrays["q"], arrays["grad"], spread["k"], spread["v"]
    forward = attention.expectation(problem, arrays)
    (o, bound_o), (lse, bound_lse) = forward["o"], forward["lse"]
    epsilon, smallest = ROUNDING[problem.element]
    if problem.is_whole:
        bound_o = bound_o + epsilon * np.abs(o) + smallest
        delta_error = (np.abs(grad) * bound_o).sum(-1) + (problem.f + 8) * 2.0 ** -24 * (np.abs(grad) * np.abs(o)).sum(-1)
    else:
        bound_lse, delta_error = 2.0 ** -24 * np.abs(lse), 0
    delta = (grad * o).sum(-1)
    delta_error = delta_error + 2.0 ** -24 * np.abs(delta)
    distance = np.arange(problem.n)[None, :] - np.arange(problem.m)[:, None]
    sees = np.ones((problem.m, problem.n), bool)
    if problem.diagonal is not None:
        sees &= distance <= max(-2 ** 40, min(problem.diagonal, 2 ** 40))
        if problem.window is not None:
            sees &= distance > max(-2 ** 40, min(problem.diagonal - problem.window, 2 ** 40))
    with np.errstate(all="ignore"):
        s = problem.scale * np.einsum("...me,...ne->...mn", q, k)
        size = problem.scale * np.einsum("...me,...ne->...mn", np.abs(q), np.abs(k))
        p = np.where(sees, np.exp(s - lse[..., None]), 0)
        # Relative: of scores, of lse, of the argument and of exp.
        relative = (problem.e + 8) * 2.0 ** -22 * size + bound_lse[..., None] + (np.abs(s) + np.abs(lse)[..., None]) * 2.0 ** -22
        relative = np.where(sees, np.minimum(relative + 2.0 ** -19, 0.25), 0)
    dp = np.einsum("...mf,...nf->...mn", grad, v)
    # The sum starts from delta.
    dp_size = np.einsum("...mf,...nf->...mn", np.abs(grad), np.abs(v)) + np.abs(delta)[..., None]
    ds = p * (dp - delta[..., None])
    ds_error = p * ((problem.f + 8) * 2.0 ** -23 * dp_size + np.broadcast_to(delta_error, delta.shape)[..., None])
    ds_error += np.abs(ds) * (relative + epsilon + 2.0 ** -21) + smallest
    p_error = p * (relative + epsilon + 2.0 ** -22) + smallest

    def product(kind, a, a_error, b, count, scale):
        exact = scale * np.einsum(kind, a, b)
        error = scale * np.einsum(kind, a_error + (count + 8) * 2.0 ** -23 * np.abs(a), np.abs(b))
        return exact, error

    def fold(values):
        """Sums over the heads that share one of K."""
        for dim, times in enumerate(share):
            shape = values.shape
            values = values.reshape(*shape[:dim], shape[dim] // times if times else 0, max(times, 1), *shape[dim + 1:]).sum(dim + 1)
        return values

    count = problem.m * max(1, int(np.prod(share)))
    gather["dq"] = product("...mn,...ne->...me", ds, ds_error, k, problem.n, problem.scale)
    gather["dk"] = [fold(one) for one in product("...mn,...me->...ne", ds, ds_error, q, count, problem.scale)]
    gather["dv"] = [fold(one) for one in product("...mn,...mf->...nf", p, p_error, grad, count, 1)]
    epsilon, smallest = ROUNDING[problem.out]
    found = {name: (exact, error + epsilon * (np.abs(exact) + error) + smallest) for name, (exact, error) in gather.items()}
    return {**found, "lse": (lse, bound_lse), "delta": (delta, delta_error)}


def check(tools, problem, name, chip, races, seeds):
    source = tools.work / f"{name}.mlir"
    ptx = source.with_suffix(".ptx")
    source.write_text(problem.text())
    command = [tools.path("tc-compile"), source, "-o", ptx, f"--chip={chip}"]
    done, _ = runner.run(command, 300)
    if done.returncode:
        raise runner.Failure(runner.describe(command, done))
    description = json.loads(ptx.with_suffix(".json").read_text())
    expected = {"dq": 1, "dk_dv": 1, "all": 2}[problem.which]
    if not problem.is_whole and len(description["launches"]) != expected:
        raise runner.Failure(f"{len(description['launches'])} launches instead of {expected}")
    schedules = ["eager", "lazy"] + [f"random:{problem.seed + i}" for i in range(seeds)]
    command = [tools.path("tc-run"), ptx, f"--schedule={','.join(schedules)}", f"--races={races}", "--threads", "1"]
    arrays, sizes = inputs_of(problem), {}
    exact = expectation(problem, arrays)
    if not problem.is_whole:
        arrays.update((key, exact[key][0]) for key in ("lse", "delta"))
    for key, operand in zip(description["arguments"], problem.names()):
        shape = description["buffers"][key]["shape"]
        sizes.update((size, actual) for size, actual in zip(shape, problem.shapes()[operand])
                     if isinstance(size, str) and size.isidentifier())
        if operand not in arrays:
            command += ["--out", f"{key}={ptx.with_suffix(f'.{operand}.out')}"]
            continue
        path = ptx.with_suffix(f".{operand}.in")
        path.write_bytes(pack(arrays[operand], problem.types()[operand]))
        command += ["--buffer", f"{key}={path}"]
    if sizes:
        command += ["--size", ",".join(f"{key}={value}" for key, value in sizes.items())]
    done, _ = runner.run(command, 900)
    if done.returncode:
        raise runner.Failure(runner.describe(command, done))
    for operand in OUTPUTS[problem.which]:
        got = unpack(ptx.with_suffix(f".{operand}.out").read_bytes(), problem.types()[operand])
        compare(operand, got.reshape(problem.shapes()[operand]), *exact[operand])
        # The harness's own test: one element is not what it should be.
        wrong = exact[operand][0].copy()
        at = np.unravel_index(problem.seed % wrong.size, wrong.shape)
        wrong[at] += 1.5 * exact[operand][1][at] + 1e-9
        try:
            compare("", wrong, *exact[operand])
        except runner.Failure:
            continue
        raise runner.Failure("the harness is wrong: accepts a result with another element")


def draw(seed):
    rng = random.Random(seed)
    heads, groups = rng.choice([(1, 1), (2, 1), (3, 3), (4, 2), (6, 2)])
    batch, shared = rng.choice([((), ()), ((heads,), (groups,)), ((2, heads), (2, groups)), ((2, heads), (1, groups))])
    sizes = [1, 5, 17, 64, 100, 127, 128, 129, 200, 256, 300]
    m, n = rng.choice(sizes), rng.choice(sizes + [400])
    if seed % 16 == 5:
        (batch, shared), m, n = rng.choice([((), ()), ((2,), (1,))]), 1000, rng.choice([1000, 700])
    e = rng.choice([8, 16, 32, 40, 64, 64, 64, 72, 96, 128, 128, 128, 192])
    f = e if rng.random() < 0.8 else rng.choice([16, 64, 128])
    element = rng.choice(["bf16", "bf16", "f16"])
    diagonal = rng.choice([None, None, 0, 0, n - m, rng.randint(-20, 150), rng.choice([-5000, 2 ** 31 - 1, -2 ** 62, 2 ** 62])])
    window = None if diagonal is None or rng.random() < 0.5 else rng.choice([1, 16, 100, 128, 200, 2 ** 32 + 5, 2 ** 62])
    dynamic = frozenset(dim for dim in ["m", "n", *range(len(batch))] if rng.random() < 0.25)
    if seed % 11 == 3:
        # Rows whose keys would come after all others.
        m, n, e, f, diagonal, window, dynamic = 300, 64, 40, 40, 0, rng.choice([100, 128]), frozenset()
    return Problem(batch, shared, m, n, e, f, element, rng.choice([element, element, "f32"]), rng.choice([0.125, 0.0883883, 0.02]),
                   diagonal, window, dynamic=dynamic, seed=seed, which=rng.choice(["dq", "dk_dv", "all", "all"]),
                   is_whole=seed % 2 == 0)


if __name__ == "__main__":
    # Half of the problems of each chip compute delta, too.
    sys.exit(attention.main(__doc__, "attention_backward", "gradients", "b", draw, check, each=2))
