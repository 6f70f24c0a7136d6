"""The harness's own arithmetic, against other ways to compute the same."""
import itertools

import numpy as np

from . import numerics, plan, problem as problems, runner


def _expect(is_true, what):
    if not is_true:
        raise runner.Failure(f"the harness is wrong: {what}")


def _round_bf16_bits(single):
    """To nearest even on the bits of an f32: what every bf16 library does."""
    bits = single.view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def check_rounding():
    generator = np.random.default_rng(1)
    spread = np.ldexp(generator.standard_normal(200000), generator.integers(-30, 18, 200000))
    edges = np.array([0.0, 65504, 65519.99, 65520, 65536, 2.0**-24, 2.0**-25, 1.5 * 2.0**-25, 2.0**-14, 2049, 2051])
    values = np.concatenate([spread, edges, -edges])
    with np.errstate(over="ignore"):
        for name, numpy_type in (("f16", np.float16), ("f32", np.float32)):
            _expect(np.array_equal(numerics.round_once(values, name), values.astype(numpy_type).astype(np.float64)),
                    f"rounding to {name}")
    singles = values.astype(np.float32)
    rounded = numerics.encode(numerics.round_once(singles, "bf16"), "bf16")
    _expect(np.array_equal(np.frombuffer(rounded, np.uint16), _round_bf16_bits(singles)), "rounding to bf16")
    for name in numerics.FORMATS:
        every = numerics.round_once(values, name)
        finite = every[np.isfinite(every)]
        _expect(np.array_equal(numerics.decode(numerics.encode(finite, name), name), finite), f"encoding {name}")


def check_comparisons():
    """A lost slice of 16 products, a neighbouring number, a NaN, two rows exchanged."""
    problem = problems.Problem(32, 24, 4096, transpose_a=True)
    raw = problems.make_inputs(problem, "random")
    expectation = problems.Expectation(problem, raw, "random")
    a, b = (problems.logical(problem, operand, raw[operand]) for operand in "AB")

    def accepts(matrix, expectation=expectation):
        return expectation.compare(numerics.encode(matrix, "f32")).ok

    right = numerics.round_once(a @ b, "f32")
    _expect(accepts(right), "refuses a right result")
    _expect(not accepts(right - a[:, 64:80] @ b[64:80]), "accepts a result without 16 of 4096 products")
    _expect(not accepts(right[::-1]), "accepts rows in another order")
    _expect(not accepts(np.where(np.eye(32, 24, 3), np.nan, right)), "accepts NaN")
    exact = problems.Expectation(problem, problems.make_inputs(problem, "integers"), "integers")
    neighbour = exact.rounded.copy()
    neighbour[5, 7] += numerics.ulp(neighbour[5, 7], "f32")
    _expect(accepts(exact.rounded, exact), "refuses the exact result")
    _expect(not accepts(neighbour, exact), "accepts a neighbour of the exact result")


def check_plan():
    for shape in plan.PAIRWISE_SHAPES:
        chosen = problems.pairwise(shape)
        for (first, firsts), (second, seconds) in itertools.combinations(problems.AXES, 2):
            for pair in itertools.product(firsts, seconds):
                _expect(any((getattr(problem, first), getattr(problem, second)) == pair for problem in chosen),
                        f"no kernel at {shape} with {first}, {second} = {pair}")
    _expect(len(list(problems.product(plan.FULL_SHAPE))) == 96, "the full product has 96 kernels")
    for is_campaign in (False, True):
        seeded = {task.problem.shape for task in plan.matrix(is_campaign) if task.seeds}
        _expect(len(seeded) == 6, "20 seeds at every shape")


def check(_tools, _seconds):
    check_rounding()
    check_comparisons()
    check_plan()
    return ""
