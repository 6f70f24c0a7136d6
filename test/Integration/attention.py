#!/usr/bin/env python3
"""Runs kernels of attention on the emulator and compares every element with softmax in float64.

    attention.py --build build [--count 40] [--seed 1] [--jobs 2] [--seeds 1] [--races strict] [--chip sm_90a,sm_100a]
    attention.py --print SEED

A problem is drawn from its number: batches, heads that share keys, sizes and head sizes with tails, a diagonal, a window,
types, what is dynamic, the order of heads and rows in memory. How far a result may be from the exact one is the sum of
what each operation may round: scores in f32, weights to the type of V, the second product in f32, the result.
"""
import argparse
import collections
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import random
import sys
import time

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np  # noqa: E402

from tclib import runner  # noqa: E402

# Half a unit in the last place, and the smallest step.
ROUNDING = {"bf16": (2.0 ** -8, 2.0 ** -134), "f16": (2.0 ** -11, 2.0 ** -25), "f32": (2.0 ** -24, 2.0 ** -150)}


@dataclasses.dataclass
class Problem:
    """Attention of one shape; batches of Q and of K and V."""
    batch: tuple
    shared: tuple
    m: int
    n: int
    e: int
    f: int
    element: str = "bf16"
    out: str = "bf16"
    scale: float = 0.125
    diagonal: int = None
    window: int = None
    lse: bool = False
    # Which of "m", "n" and numbers of batch dimensions are dynamic; the last batch dimension after the rows.
    dynamic: frozenset = frozenset()
    is_bshd: bool = False
    special: bool = False
    # Large scores that are exact and grow by 1 from one half of the keys to the other: weights of all blocks must agree.
    is_exact: bool = False
    seed: int = 1
    # The type of a bias and the dimensions that have one element; a part of its keys may be hidden.
    bias: str = None
    shared_bias: frozenset = frozenset()
    hides: str = ""
    nan_if_hidden: bool = False

    def shapes(self):
        return {"q": (*self.batch, self.m, self.e), "k": (*self.shared, self.n, self.e), "v": (*self.shared, self.n, self.f),
                "o": (*self.batch, self.m, self.f), "lse": (*self.batch, self.m),
                "bias": tuple(1 if dim in self.shared_bias else size for dim, size in enumerate((*self.batch, self.m, self.n)))}

    def types(self):
        return {"q": self.element, "k": self.element, "v": self.element, "o": self.out, "lse": "f32", "bias": self.bias}

    def names(self):
        return ["q", "k", "v", "o"] + (["lse"] if self.lse else []) + (["bias"] if self.bias else [])

    def type_of(self, name, order=None):
        """The memref type; `order` permutes its dimensions."""
        shape = self.shapes()[name]
        rows = "m" if name in ("q", "o", "lse", "bias") else "n"
        shared = self.shared_bias if name == "bias" else ()
        dims = ["?" if dim in self.dynamic and dim not in shared else str(size) for dim, size in enumerate(shape[:len(self.batch)])]
        dims.append("?" if rows in self.dynamic and len(self.batch) not in shared else str(shape[len(self.batch)]))
        dims += ["?" if name == "bias" and "n" in self.dynamic else str(size) for size in shape[len(self.batch) + 1:]]
        if order:
            dims = [dims[at] for at in order]
        return "x".join(dims + [self.types()[name]])

    def order(self):
        rank = len(self.batch) + 2
        return [*range(rank - 3), rank - 2, rank - 3, rank - 1]

    def text(self):
        args, views, operands, types = [], [], [], []
        for name in self.names():
            if not self.is_bshd or name in ("lse", "bias"):
                args.append(f"%{name}: memref<{self.type_of(name)}>")
                operands.append(f"%{name}")
                types.append(f"memref<{self.type_of(name)}>")
                continue
            order = self.order()
            args.append(f"%{name}: memref<{self.type_of(name, order)}>")
            dims = ", ".join(f"d{i}" for i in range(len(order)))
            shape = self.shapes()[name]
            strides, step = {}, 1
            for at in reversed(order):
                strides[at] = str(step) if isinstance(step, int) else "?"
                size = self.type_of(name).split("x")[at]
                step = "?" if size == "?" or step == "?" else step * shape[at]
            view = f"memref<{self.type_of(name)}, strided<[{', '.join(strides[i] for i in range(len(order)))}]>>"
            views.append(f"  %{name}v = memref.transpose %{name} ({dims}) -> ({', '.join(f'd{i}' for i in order)}) : "
                         f"memref<{self.type_of(name, order)}> to {view}")
            operands.append(f"%{name}v")
            types.append(view)
        extra = "" if self.diagonal is None else f" diagonal({self.diagonal})"
        extra += "" if self.window is None else f" window({self.window})"
        if self.bias:
            extra += f" bias({operands.pop()} : {types.pop()})"
        outs = ", ".join(f"{operand} : {kind}" for operand, kind in zip(operands[3:], types[3:])) + ")"
        if self.nan_if_hidden:
            outs += " {nan_if_hidden}"
        views = "".join(f"{view}\n" for view in views)
        return (f"func.func @attention({', '.join(args)}) {{\n{views}"
                f"  tmm.attention {', '.join(operands[:3])} scale({self.scale:e}){extra} outs({outs} : {', '.join(types[:3])}\n"
                "  return\n}\n")


def round_to(values, element):
    """To the nearest number of the type, as float64."""
    values = np.asarray(values, np.float32)
    if element == "f16":
        return values.astype(np.float16).astype(np.float64)
    if element == "f32":
        return values.astype(np.float64)
    bits = values.view(np.uint32).astype(np.uint64)
    bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000
    return bits.astype(np.uint32).view(np.float32).astype(np.float64)


def pack(values, element):
    if element == "bf16":
        return (np.ascontiguousarray(values, "<f4").view("<u4") >> 16).astype("<u2").tobytes()
    return np.ascontiguousarray(values).astype({"f16": "<f2", "f32": "<f4"}[element]).tobytes()


def unpack(raw, element):
    if element == "bf16":
        return (np.frombuffer(raw, "<u2").astype("<u4") << 16).view("<f4").astype(np.float64)
    return np.frombuffer(raw, {"f16": "<f2", "f32": "<f4"}[element]).astype(np.float64)


def inputs_of(problem):
    generator = np.random.default_rng(problem.seed)
    arrays = {}
    for name in ("q", "k", "v"):
        spread = {"q": 1.5, "k": 1.25, "v": 1.0}[name]
        arrays[name] = round_to(generator.normal(0.1, spread, problem.shapes()[name]), problem.element)
    if problem.is_exact:
        for name, first in (("q", 2048), ("k", 1032)):
            arrays[name][...] = 0
            arrays[name][..., 0] = first
        arrays["q"][..., 1] = 1
        arrays["k"][..., problem.n // 2:, 1] = 1
    if problem.bias:
        bias = round_to(generator.normal(0, 2, problem.shapes()["bias"]), problem.bias)
        if problem.hides:
            # As models hide keys: by the smallest number of a type, or by -infinity; some rows see none.
            low = -np.inf if problem.hides == "inf" else {"f32": -np.finfo(np.float32).max, "f16": -65504.0,
                                                          "bf16": -float.fromhex("0x1.fep127")}[problem.bias]
            bias = np.where(generator.random(bias.shape) < 0.4, low, bias)
            bias.reshape(-1, bias.shape[-1])[generator.integers(int(np.prod(bias.shape[:-1])))] = low
        arrays["bias"] = bias
    if problem.special and arrays["v"].size:
        flat = arrays["v"].reshape(-1)
        flat[generator.integers(flat.size)] = np.nan
        flat = arrays["k"].reshape(-1)
        flat[generator.integers(flat.size)] = np.inf
    return arrays


def expectation(problem, arrays):
    """The results and how far a right kernel may be from them."""
    share = [a // max(b, 1) for a, b in zip(problem.batch, problem.shared)]
    k, v = arrays["k"], arrays["v"]
    for dim, times in enumerate(share):
        k, v = np.repeat(k, times, dim), np.repeat(v, times, dim)
    with np.errstate(all="ignore"):
        s = problem.scale * np.einsum("...me,...ne->...mn", arrays["q"], k)
        size = problem.scale * np.einsum("...me,...ne->...mn", np.abs(arrays["q"]), np.abs(k))
        if problem.bias:
            # Next to a number that hides nothing else counts, as in f32.
            s = (s.astype(np.float32) + arrays["bias"].astype(np.float32)).astype(np.float64)
            size = size + 2 * np.where(np.abs(arrays["bias"]) < 1e4, np.abs(arrays["bias"]), 0)
        sees = np.ones((problem.m, problem.n), bool)
        if problem.diagonal is not None:
            # Of numbers as large as they are.
            distance = np.arange(problem.n)[None, :] - np.arange(problem.m)[:, None]
            sees &= distance <= max(-2 ** 40, min(problem.diagonal, 2 ** 40))
            if problem.window is not None:
                sees &= distance > max(-2 ** 40, min(problem.diagonal - problem.window, 2 ** 40))
        s = np.where(sees, s, -np.inf)
        largest = np.max(s, axis=-1, keepdims=True, initial=-np.inf)
        base = np.where(np.isneginf(largest), 0, largest)
        p = np.exp(s - base)
        total = p.sum(-1, keepdims=True)
        o = np.where(total == 0, np.nan if problem.nan_if_hidden else 0, np.einsum("...mn,...nf->...mf", p, v) / total)
        lse = (base + np.log(total))[..., 0]
        # Relative errors of weights: of scores, of the argument of exp, of exp and of rounding.
        scores = (problem.e + 8) * 2.0 ** -23 * np.where(sees, size, 0).max(-1, keepdims=True, initial=0)
        scores *= not problem.is_exact
        relative = 2 * scores + 2.0 ** -19 + ROUNDING[problem.element][0] + (problem.n + 8) * 2.0 ** -23
        # A bound that lets 0 pass for any result is none.
        relative = np.minimum(relative, 0.25)
        magnitude = np.einsum("...mn,...nf->...mf", p, np.abs(v)) / np.where(total == 0, 1, total)
        tiny = ROUNDING[problem.element][1] * np.abs(v).sum(-2, keepdims=True) / np.where(total == 0, 1, total)
        bound = relative * magnitude + tiny + ROUNDING[problem.out][0] * np.abs(o) + ROUNDING[problem.out][1]
        # A weight of 0 times NaN is NaN, if the block is read.
        bound = np.where(np.isnan(v).any(-2, keepdims=True), np.inf, bound)
        bound_lse = (scores + (problem.n + 8) * 2.0 ** -23 + 2.0 ** -19)[..., 0] + np.abs(lse) * 2.0 ** -22
    return {"o": (o, bound), "lse": (lse, bound_lse)}


def compare(what, got, exact, bound):
    with np.errstate(invalid="ignore"):
        right = np.isinf(bound) | (got == exact) | (np.abs(got - exact) <= bound) | np.isnan(got) & np.isnan(exact)
    if not right.all():
        at = tuple(int(i) for i in np.argwhere(~right)[0])
        raise runner.Failure(f"{what}: {int((~right).sum())} of {right.size} elements are wrong, at {at} expected {exact[at]!r} "
                             f"within {bound[at]:.3g}, got {got[at]!r}")


def check(tools, problem, name, chip, races, seeds):
    source = tools.work / f"{name}.mlir"
    ptx = source.with_suffix(".ptx")
    source.write_text(problem.text())
    command = [tools.path("tc-compile"), source, "-o", ptx, f"--chip={chip}"]
    done, _ = runner.run(command, 300)
    if done.returncode:
        raise runner.Failure(runner.describe(command, done))
    description = json.loads(ptx.with_suffix(".json").read_text())
    if len(description["launches"]) > 1:
        raise runner.Failure(f"{len(description['launches'])} launches instead of one")
    schedules = ["eager", "lazy"] + [f"random:{problem.seed + i}" for i in range(seeds)]
    command = [tools.path("tc-run"), ptx, f"--schedule={','.join(schedules)}", f"--races={races}", "--threads", "1"]
    arrays, sizes = inputs_of(problem), {}
    rank = len(problem.batch)
    for key, operand in zip(description["arguments"], problem.names()):
        shape = description["buffers"][key]["shape"]
        array_shape = problem.shapes()[operand]
        if problem.is_bshd and operand not in ("lse", "bias"):
            array_shape = [array_shape[at] for at in problem.order()]
        sizes.update((size, actual) for size, actual in zip(shape, array_shape) if isinstance(size, str) and size.isidentifier())
        if operand not in arrays:
            command += ["--out", f"{key}={ptx.with_suffix(f'.{operand}.out')}"]
            continue
        path = ptx.with_suffix(f".{operand}.in")
        values = arrays[operand]
        if problem.is_bshd and operand != "bias":
            values = values.transpose(problem.order())
        path.write_bytes(pack(values, problem.types()[operand]))
        command += ["--buffer", f"{key}={path}"]
    if sizes:
        command += ["--size", ",".join(f"{key}={value}" for key, value in sizes.items())]
    done, _ = runner.run(command, 900)
    if done.returncode:
        raise runner.Failure(runner.describe(command, done))
    exact = expectation(problem, arrays)
    for operand in problem.names()[3:4 + problem.lse]:
        got = unpack(ptx.with_suffix(f".{operand}.out").read_bytes(), problem.types()[operand])
        shape = problem.shapes()[operand]
        if problem.is_bshd and operand != "lse":
            order = problem.order()
            got = got.reshape([shape[at] for at in order]).transpose(order)
        compare(operand, got.reshape(shape), *exact[operand])
    if rank == 2 and not problem.special and exact["o"][0].size:
        # The harness's own test: one element is not what it should be.
        wrong = exact["o"][0].copy()
        numbers = np.flatnonzero(np.isfinite(wrong) & np.isfinite(exact["o"][1]))
        if not numbers.size:
            return
        at = np.unravel_index(numbers[problem.seed % numbers.size], wrong.shape)
        wrong[at] += 1.5 * exact["o"][1][at] + 1e-9
        try:
            compare("", wrong, *exact["o"])
        except runner.Failure:
            return
        raise runner.Failure("the harness is wrong: accepts a result with another element")


def draw(seed):
    rng = random.Random(seed)
    heads, groups = rng.choice([(1, 1), (2, 1), (3, 3), (4, 2), (6, 2)])
    batch, shared = rng.choice([((), ()), ((heads,), (groups,)), ((2, heads), (2, groups)), ((2, heads), (1, groups))])
    sizes = [1, 5, 17, 64, 127, 128, 129, 200, 256, 300]
    m, n = rng.choice(sizes), rng.choice(sizes + [400])
    e = rng.choice([8, 16, 32, 40, 64, 64, 72, 96, 128, 128, 128, 192, 256])
    f = e if rng.random() < 0.8 else rng.choice([16, 64, 128, 256])
    element = rng.choice(["bf16", "bf16", "f16"])
    diagonal = rng.choice([None, None, 0, 0, n - m, rng.randint(-20, 150), rng.choice([-5000, 2 ** 31 - 1, 2 ** 32, -2 ** 62, 2 ** 62])])
    window = None if diagonal is None or rng.random() < 0.6 else rng.choice([1, 16, 100, 128, 200, 2 ** 32 + 5, 2 ** 62])
    dynamic = frozenset(dim for dim in ["m", "n", *range(len(batch))] if rng.random() < 0.25)
    is_exact = n > 128 and e >= 16 and seed % 6 == 0
    problem = Problem(batch, shared, m, n, e, f, element, rng.choice([element, element, "f32"]), 1.0 if is_exact else rng.choice([0.125, 0.0883883, 1.0, 0.02]),
                   diagonal, window, rng.random() < 0.3, dynamic, len(batch) > 0 and rng.random() < 0.3, not is_exact and rng.random() < 0.05, is_exact, seed)
    if seed % 11 == 3:
        # Rows whose keys would come after all others.
        return dataclasses.replace(problem, m=300, n=128, e=40, f=40, diagonal=0, window=rng.choice([16, 100, 128]), lse=True,
                                   dynamic=frozenset(), is_exact=False, special=False)
    if seed % 8 == 7:
        # The last tokens of heads that share keys, which become rows of one tile.
        m = rng.choice([1, 1, 3])
        return dataclasses.replace(problem, batch=(2, 12), shared=(2, rng.choice([2, 4])), m=m, diagonal=rng.choice([None, None, n - 1]),
                                   window=None, dynamic=frozenset(rng.choice(["", "n", (0, )])), is_bshd=rng.random() < 0.5)
    if rng.random() < 0.35 and not is_exact and not problem.special:
        shared_dims = frozenset(dim for dim in range(len(batch) + 1) if rng.random() < 0.4)
        return dataclasses.replace(problem, bias=rng.choice(["f32", "f32", element]), shared_bias=shared_dims,
                                   hides=rng.choice(["", "", "inf", "lowest"]), nan_if_hidden=rng.random() < 0.3)
    return problem


def one(tools, seed, options, script, letter, draw_one, check_one, each):
    """Problem `seed` on one of the chips, `each` numbers on the same: None, or why it failed."""
    chip = options.chip[seed // each % len(options.chip)]
    try:
        check_one(tools, draw_one(seed), f"{letter}{seed}", chip, options.races, options.seeds)
    except runner.Failure as error:
        return (f"{error}\n    {tools.work}/{letter}{seed}.mlir\n    test/Integration/{script}.py --build {options.build} "
                f"--count 1 --seed {seed} --races {options.races}")
    for path in tools.work.glob(f"{letter}{seed}.*"):
        path.unlink()
    return None


def main(text=__doc__, script="attention", what="attention", letter="a", draw_one=draw, check_one=check, each=1):
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--races", default="strict")
    parser.add_argument("--chip", type=lambda text: text.split(","), default=["sm_90a", "sm_100a"])
    parser.add_argument("--print", type=int, metavar="SEED")
    options = parser.parse_args()
    if options.print is not None:
        print(draw_one(options.print).text(), end="")
        return 0
    begin = time.monotonic()
    tools = runner.find_tools(options.build, options.work or options.build / script)
    tools.work.mkdir(parents=True, exist_ok=True)
    seeds = range(options.seed, options.seed + options.count)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as executor:
        outcomes = executor.map(lambda seed: one(tools, seed, options, script, letter, draw_one, check_one, each), seeds)
        for seed, why in zip(seeds, outcomes):
            if why:
                failed += 1
                print(f"FAIL {seed}: {why}", flush=True)
    print(f"{options.count} kernels of {what}, {options.count - failed} right, {failed} failed, {time.monotonic() - begin:.1f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
