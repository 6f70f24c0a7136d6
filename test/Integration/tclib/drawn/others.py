"""What becomes kernels of its own: reductions, softmax, transpositions, copies, fills, concatenations, insertions."""
import numpy as np

from . import numbers
from .numbers import Number
from .operands import operand, output, reshaped, sliced, transposed
from .program import Dim
from .products import extent


def reduce(p, value):
    """Sums or maxima over some dimensions, by linalg.generic or linalg.reduce."""
    rank = len(value.dims)
    if rank < 2:
        return None
    axes = sorted({p.between(0, rank - 1) for _ in range(p.pick([1, 1, 2]))})
    if len(axes) == rank:
        axes = axes[:1]
    if not all(value.shape):
        return None
    kept = [i for i in range(rank) if i not in axes]
    is_sum = p.chance(0.6)
    is_float = numbers.is_float(value.element)
    if value.element not in ("f32", "i32"):
        is_sum = False  # which would be rounded each time
    dims = [value.dims[i] for i in kept]
    number = value.number.sum(tuple(axes)) if is_sum else value.number.max(tuple(axes))
    op = {(True, True): "arith.addf", (True, False): "arith.addi", (False, True): "arith.maximumf",
          (False, False): "arith.maxsi"}[is_sum, is_float]
    into = p.fill(output(p, dims, value.element), 0 if is_sum else -100)
    number = numbers.maximum(number, Number(np.array(-100.0))) if not is_sum else number
    loops = "abcdefgh"[:rank]
    if p.chance(0.5):
        return p.write(
            f"linalg.reduce ins({value.name} : {value.type()}) outs({into.name} : {into.type()}) dimensions = "
            f"[{', '.join(map(str, axes))}] (%in: {value.element}, %init: {value.element}) {{\n"
            f"    %r = {op} %in, %init : {value.element}\n    linalg.yield %r : {value.element}\n  }}", into, number) \
            if p.memrefs else plain(p, value, into, axes, op, number)
    return p.generic(loops, [(value, loops)], into, "".join(loops[i] for i in kept),
                     [f"%r = {op} %in0, %out : {value.element}"], "%r", number, "".join(loops[i] for i in axes))


def plain(p, value, into, axes, op, number):
    """linalg.reduce on tensors does not print its result's type."""
    from .program import Value  # pylint: disable=import-outside-toplevel
    result = Value(p.fresh(), into.dims, into.element, number)
    p.lines.append(f"{result.name} = linalg.reduce ins({value.name} : {value.type()}) outs({into.name} : {into.type()}) "
                   f"dimensions = [{', '.join(map(str, axes))}] (%in: {value.element}, %init: {value.element}) {{\n"
                   f"    %r = {op} %in, %init : {value.element}\n    linalg.yield %r : {value.element}\n  }}")
    return result


def softmax(p, value):
    if p.memrefs or value.element != "f32" or not value.dims or not all(value.shape) or value.number.e.max(initial=0) > 0.01:
        return None
    axis = p.between(0, len(value.dims) - 1)
    number = value.number
    top = number.max((axis, ), True)
    weights = Number(number.v - top.v, number.e + top.e + numbers.F32 * (np.abs(number.v) + np.abs(top.v)))
    weights = weights.apply(np.exp)
    number = numbers.divide(weights, weights.sum((axis, ), True), "f32")
    into = p.empty(value.dims, "f32")
    return p.write(f"linalg.softmax dimension({axis}) {p.operands([value], into)}", into, number)


def turned(p, value):
    if len(value.dims) < 2 or (p.memrefs and any(d.symbol for d in value.dims)):
        return None
    return transposed(p, value, [int(i) for i in p.rng.permutation(len(value.dims))])


def copied(p, value):
    into = output(p, value.dims, value.element)
    return p.write(f"linalg.copy {p.operands([value], into)}", into, value.number)


def merged(p, value):
    """Two dimensions as one."""
    if len(value.dims) < 2 or any(d.symbol for d in value.dims) or value.strided:
        return None
    at = p.between(0, len(value.dims) - 2)
    dims = [*value.dims[:at], Dim(int(value.dims[at]) * int(value.dims[at + 1])), *value.dims[at + 2:]]
    return reshaped(p, value, dims, [2 if i == at else 1 for i in range(len(dims))], "collapse")


def split(p, value):
    """One dimension as two."""
    if not value.dims or len(value.dims) > 3 or any(d.symbol for d in value.dims) or value.strided or not all(value.shape):
        return None
    at = p.between(0, len(value.dims) - 1)
    size = int(value.dims[at])
    first = p.pick([d for d in range(1, size + 1) if size % d == 0])
    dims = [*value.dims[:at], Dim(first), Dim(size // first), *value.dims[at + 1:]]
    return reshaped(p, value, dims, [2 if i == at else 1 for i in range(len(value.dims))], "expand")


def part(p, value):
    """A slice of a result."""
    if not value.dims or any(d.symbol for d in value.dims) or not all(value.shape):
        return None
    offsets, sizes, steps = [], [], []
    for size in value.shape:
        step = p.pick([1, 1, 1, 1, 2])
        offset = p.pick([0, 0, size // 2, size // 3]) // p.unit * p.unit
        offset = min(offset, size - 1)
        offsets.append(offset)
        sizes.append(p.between(1, (size - offset - 1) // step + 1) if p.chance(0.5) else (size - offset - 1) // step + 1)
        steps.append(step)
    return sliced(p, value, offsets, sizes, steps)


def inserted(p, value):
    """Into a part of a larger tensor, or beside another one."""
    if p.memrefs or not value.dims or any(d.symbol for d in value.dims):
        return None
    low = [p.pick([0, 0, 1, 8]) for _ in value.dims]
    sizes = [int(d) + l + p.pick([0, 1, 8]) for d, l in zip(value.dims, low)]
    into = operand(p, sizes, value.element)
    v, e = into.number.v.copy(), np.array(into.number.e)
    index = tuple(slice(l, l + int(d)) for l, d in zip(low, value.dims))
    v[index], e[index] = value.number.v, value.number.e
    ones = ", ".join("1" for _ in low)
    return p.define(f"tensor.insert_slice {value.name} into {into.name}[{', '.join(map(str, low))}] "
                    f"[{', '.join(str(int(d)) for d in value.dims)}] [{ones}] : {value.type()} into RESULT", into.dims,
                    value.element, Number(v, e))


def concatenated(p, value):
    if p.memrefs or not value.dims or any(d.symbol for d in value.dims):
        return None
    axis = p.between(0, len(value.dims) - 1)
    dims = list(value.dims)
    dims[axis] = Dim(extent(p) if p.chance(0.5) else 8)
    if np.prod([int(d) for d in dims]) > p.limit * 300:
        return None
    more = operand(p, dims, value.element)
    dims[axis] = Dim(int(dims[axis]) + int(value.dims[axis]))
    number = Number(np.concatenate([value.number.v, more.number.v], axis),
                    np.concatenate([value.number.e, more.number.e], axis))
    return p.define(f"tensor.concat dim({axis}) {value.name}, {more.name} : ({value.type()}, {more.type()}) -> RESULT", dims,
                    value.element, number)


ALL = [reduce, softmax, turned, copied, merged, split, part, inserted, concatenated]
