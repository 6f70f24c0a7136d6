"""The tuples that the tests run over, and their data.

A tuple says everything about a kernel: sizes, static or dynamic, how A and B are
stored, types, accumulation. A is stored M x K, or K x M where it is transposed;
B is stored K x N, or N x K where it is transposed; D is M x N.
"""
import dataclasses
import functools
import hashlib
import itertools
import random

import numpy as np

from . import numerics

IN_TYPES = ("bf16", "f16")
OUT_TYPES = ("f32", "bf16", "f16")

# What a kernel can be at one shape: 96 of them.
AXES = (
    ("dynamic", (False, True)),
    ("transpose_a", (False, True)),
    ("transpose_b", (False, True)),
    ("in_type", IN_TYPES),
    ("out_type", OUT_TYPES),
    ("accumulate", (False, True)),
)


@dataclasses.dataclass(frozen=True)
class Problem:
    m: int
    n: int
    k: int
    dynamic: bool = False
    transpose_a: bool = False
    transpose_b: bool = False
    in_type: str = "bf16"
    out_type: str = "f32"
    accumulate: bool = False
    # How the module is written: "memref", "tensor" or "generic".
    form: str = "memref"
    # What tc-compile is told with --config.
    config: str = ""

    @property
    def shape(self):
        return (self.m, self.n, self.k)

    @property
    def name(self):
        return "-".join([
            f"{self.m}x{self.n}x{self.k}", "dynamic" if self.dynamic else "static",
            "at" if self.transpose_a else "an", "bt" if self.transpose_b else "bn",
            self.in_type, self.out_type, "acc" if self.accumulate else "set"
        ] + ([self.form] if self.form != "memref" else []) + self.config.replace("=", "").split())

    def stored_shape(self, operand):
        """Rows and columns of the array in memory."""
        if operand == "A":
            return (self.k, self.m) if self.transpose_a else (self.m, self.k)
        if operand == "B":
            return (self.n, self.k) if self.transpose_b else (self.k, self.n)
        return (self.m, self.n)

    def element_type(self, operand):
        return self.out_type if operand == "D" else self.in_type


def product(shape):
    """Every tuple at one shape."""
    names = [name for name, _ in AXES]
    for values in itertools.product(*(values for _, values in AXES)):
        yield Problem(*shape, **dict(zip(names, values)))


def pairwise(shape, limit=12):
    """Tuples that together hold every pair of values of two axes.

    Greedy: take the tuple that covers most of the pairs still missing. The shape
    shuffles the order, so that different shapes get different sets.
    """
    candidates = list(product(shape))
    random.Random("x".join(map(str, shape))).shuffle(candidates)

    def pairs(problem):
        values = [(name, getattr(problem, name)) for name, _ in AXES]
        return set(itertools.combinations(values, 2))

    missing = set().union(*(pairs(candidate) for candidate in candidates))
    chosen = []
    while missing:
        best = max(candidates, key=lambda candidate: len(pairs(candidate) & missing))
        chosen.append(best)
        missing -= pairs(best)
    if len(chosen) > limit:
        raise AssertionError(f"the covering set has {len(chosen)} kernels, at most {limit} wanted")
    return chosen


def _index_values(shape, factors, span):
    """Small integers that depend on both indices, without a short period."""
    row, column = np.indices(shape)
    mixed = row * factors[0] + column * factors[1] + (row // 8) * 5 + (column // 16) * 3 + row * column
    # The prime keeps 8, 16, 64 and 128 (tiles, swizzles) from being periods.
    return ((mixed % 1009) % (2 * span + 1) - span).astype(np.float64)


def make_inputs(problem, kind):
    """Raw bytes of A, B and D before the kernel runs.

    "random": normal values. "integers": small integers that depend on the index,
    for which sums are exact in f32. The matrices are the same for all problems
    of a shape and types, however they are stored. A D that is only written
    starts as NaN.
    """
    raw = {}
    for operand, shape, factors in (("A", (problem.m, problem.k), (7, 3)), ("B", (problem.k, problem.n), (11, 29)),
                                    ("D", (problem.m, problem.n), (13, 17))):
        type_name = problem.element_type(operand)
        if operand == "D" and not problem.accumulate:
            raw[operand] = b"\xff" * (shape[0] * shape[1] * numerics.element_bytes(type_name))
            continue
        if kind == "random":
            seed = [*problem.shape, ord(operand), *type_name.encode()]
            values = numerics.round_once(np.random.default_rng(seed).standard_normal(shape), type_name)
        else:
            values = _index_values(shape, factors, 4)
        raw[operand] = numerics.encode(values.T if is_transposed(problem, operand) else values, type_name)
    return raw


def is_transposed(problem, operand):
    return {"A": problem.transpose_a, "B": problem.transpose_b}.get(operand, False)


def logical(problem, operand, raw):
    """The matrix that raw bytes encode: A as M x K, B as K x N, D as M x N."""
    stored = numerics.decode(raw, problem.element_type(operand)).reshape(problem.stored_shape(operand))
    return stored.T if is_transposed(problem, operand) else stored


@functools.lru_cache(maxsize=4)
def _product(a, b):
    """Of two matrices: the exact product, its error bound, the largest sum of magnitudes."""
    a, b = a.values, b.values
    magnitudes = np.abs(a) @ np.abs(b)
    return numerics.exact_product(a, b), numerics.accumulation_bound(a, b), magnitudes.max(initial=0.0)


class _Matrix:
    """A matrix that compares by its contents: many problems multiply the same two."""

    def __init__(self, values):
        self.values = np.ascontiguousarray(values)
        self.key = (values.shape, hashlib.sha256(self.values).digest())

    def __eq__(self, other):
        return self.key == other.key

    def __hash__(self):
        return hash(self.key)


class Expectation:
    """What the kernel of a problem has to leave in D, from its raw inputs."""

    def __init__(self, problem, raw, kind):
        self.problem = problem
        self.is_exact = kind == "integers"
        a, b = (_Matrix(logical(problem, operand, raw[operand])) for operand in "AB")
        self.exact, bound, magnitude = _product(a, b)
        if problem.accumulate:
            self.exact = self.exact + logical(problem, "D", raw["D"])
        if self.is_exact:
            # Sums of integers below 2^24 in every order: f32 never rounds.
            if magnitude + 16 >= 2**24:
                raise AssertionError(f"{problem.name}: the integer data are not exact in f32")
            self.rounded = numerics.round_once(self.exact, problem.out_type)
        else:
            self.bound = numerics.result_bound(self.exact, bound, problem.out_type,
                                               int(problem.accumulate))

    def compare(self, raw_result):
        got = numerics.decode(raw_result, self.problem.out_type).reshape(self.exact.shape)
        if self.is_exact:
            return numerics.compare_exactly(got, self.rounded)
        return numerics.compare_within(got, self.exact, self.bound, self.problem.out_type)
