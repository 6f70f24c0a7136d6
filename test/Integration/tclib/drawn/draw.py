"""Whole functions: products, what is between them and after them."""
import numpy as np

from . import numbers, operands, others, pointwise, products
from .program import Program

ELEMENTS = ["bf16"] * 6 + ["f16"] * 3 + ["i8", "i8", "f8E4M3FN", "f8E5M2", "f32"]


def accept(p, value):
    """Whether further operations may take it: what is vague now would hide everything later."""
    return value is not None and not np.isnan(value.number.v).any() and pointwise.acceptable(value.number, value.element)


def narrow(p, value):
    """As an operand of a product."""
    if value.element == "f32":
        element = p.pick(["bf16", "bf16", "f16", "f32"])
        if element == "f16" and value.number.largest > 6e4:
            element = "bf16"
        return operands.cast(p, value, element)
    return value


def step(p, value):
    """One further operation on `value`."""
    how = p.between(0, 9)
    if how <= 3:
        return pointwise.chains(p, value)
    if how <= 5:
        narrowed = narrow(p, value)
        return products.product(p, narrowed) or narrowed
    if how <= 8:
        return p.pick(others.ALL)(p, value)
    # A second product with the same result, and both in one.
    if not numbers.is_float(value.element) or value.element not in ("f32", ):
        return None
    dims = value.dims
    if len(dims) != 2 or any(d.symbol for d in dims):
        return None
    depth = 8 * p.between(1, 8)
    a, b = operands.operand(p, [dims[0], depth], "bf16"), operands.operand(p, [depth, dims[1]], "bf16")
    if p.chance(0.5):  # added to the same sums
        into = value
        if p.memrefs and value.name.startswith("%arg") and not value.buffer.written:
            return None
        return products.emit(p, a, b, into, ("mk", "kn", "mn"), "f32")
    into = p.fill(operands.output(p, dims, "f32"), 0)
    second = products.emit(p, a, b, into, ("mk", "kn", "mn"), "f32")
    name = p.pick(["add", "sub", "mul"])
    function = {"add": numbers.add, "sub": numbers.subtract, "mul": numbers.multiply}[name]
    out = operands.output(p, dims, "f32")
    return p.write(f"linalg.{name} {p.operands([value, second], out)}", out, function(value.number, second.number, "f32"))


def draw(seed, limit, memrefs=None, chip="sm_100a"):
    """The program of a seed, with extents up to `limit`, and its numbers as `chip` may compute them."""
    rng = np.random.default_rng([seed, limit])
    p = Program(rng, bool(rng.random() < 0.5) if memrefs is None else memrefs, bool(rng.random() < 0.6), limit, chip)
    element = p.pick(ELEMENTS)
    if p.chance(0.75):
        p.unit = 16 if element == "i8" or element in numbers.DTYPES else 8
    value = None
    while value is None:
        if p.chance(0.1):
            value = products.convolution(p, element)
        elif p.chance(0.15) and element not in numbers.DTYPES and element != "i8":
            value = dynamic_product(p, element if element != "f32" else "bf16")
        else:
            value = products.product(p, element=element)
    kept = [value]
    for _ in range(p.pick([0, 0, 1, 1, 1, 2, 2, 3, 4])):
        base = p.pick(kept) if p.chance(0.15) and not p.memrefs else kept[-1]
        if not accept(p, base):
            break
        found = step(p, base)
        if found is None:
            continue
        if np.isnan(found.number.v).any():
            raise AssertionError(f"seed {seed}: the generator read what nothing wrote")
        kept.append(found)
    if p.memrefs:
        # What is in a buffer of its own has to be seen.
        last = kept[-1]
        if not any(v.buffer is last.buffer for v, _ in p.arguments):
            into = operands._strided_argument(p, last.dims, last.element, 1.0, 3) if last.dims and not any(
                d.symbol for d in last.dims) and p.chance(0.3) else p.argument(last.dims or [], last.element)
            p.write(f"linalg.copy {p.operands([last], into)}", into, last.number)
    else:
        p.results = [kept[-1]]
        if len(kept) > 1 and p.chance(0.2):
            p.results.append(p.pick(kept[:-1]))
    return p


def dynamic_product(p, element):
    """A product with extents that are known in the run alone."""
    sizes = {x: p.symbol(8 * p.between(1, 12) if p.chance(0.8) or x != "m" else p.between(1, p.limit)) if p.chance(0.5) else
             products.Dim(8 * p.between(1, 8)) for x in "mkn"}
    a, b = p.argument([sizes["m"], sizes["k"]], element), p.argument([sizes["k"], sizes["n"]], element)
    into = p.empty([sizes["m"], sizes["n"]], "f32") if not p.memrefs else p.argument([sizes["m"], sizes["n"]], "f32")
    return products.emit(p, a, b, p.fill(into, 0), ("mk", "kn", "mn"), "f32")
