"""Where an operand comes from: an argument, a view of one, a part of a buffer that others share, a constant, a cast."""
import math

import numpy as np

from . import numbers
from .numbers import Number
from .program import Dim, Value, dense

# The race checker keeps the history of each word, 40 to 60 times what a buffer takes, of each of its copies.
MOST_ELEMENTS = 1 << 24


def is_dynamic(dims):
    return any(isinstance(d, Dim) and d.symbol for d in dims)


def as_dims(dims):
    return [d if isinstance(d, Dim) else Dim(d) for d in dims]


def sliced(p, value, offsets, sizes, steps, dropped=()):
    """A slice; the dimensions `dropped`, of one element, are gone."""
    kept = [i for i in range(len(sizes)) if i not in dropped]
    dims = [Dim(sizes[i]) for i in kept]
    numbers_ = f"[{', '.join(map(str, offsets))}] [{', '.join(map(str, sizes))}] [{', '.join(map(str, steps))}]"
    if p.memrefs:
        strides = [value.strides[i] * steps[i] for i in kept]
        offset = value.offset + sum(o * s for o, s in zip(offsets, value.strides))
        result = Value(p.fresh(), dims, value.element, buffer=value.buffer, strides=strides, offset=offset, strided=True)
        p.lines.append(f"{result.name} = memref.subview {value.name}{numbers_} : {value.type()} to {result.type()}")
        return result
    index = tuple(slice(o, o + (n - 1) * s + 1, s) for o, n, s in zip(offsets, sizes, steps))
    number = value.number.map(lambda x: x[index].reshape([int(d) for d in dims]))
    return p.define(f"tensor.extract_slice {value.name}{numbers_} : {value.type()} to RESULT", dims, value.element, number)


def transposed(p, value, permutation):
    dims = [value.dims[i] for i in permutation]
    if p.memrefs:
        result = Value(p.fresh(), dims, value.element, buffer=value.buffer, strides=[value.strides[i] for i in permutation],
                       offset=value.offset, strided=True)
        names = [f"d{i}" for i in range(len(dims))]
        p.lines.append(f"{result.name} = memref.transpose {value.name} ({', '.join(names)}) -> "
                       f"({', '.join(names[i] for i in permutation)}) : {value.type()} to {result.type()}")
        return result
    into = p.empty(dims, value.element)
    text = f"linalg.transpose {p.operands([value], into)} permutation = [{', '.join(map(str, permutation))}]"
    # The result's type is not in its text.
    result = Value(p.fresh(), dims, value.element, value.number.map(lambda x: x.transpose(permutation)))
    p.lines.append(f"{result.name} = {text}")
    return result


def groups(sizes):
    """The reassociation of `sizes`, how many dimensions each group has."""
    first, text = 0, []
    for size in sizes:
        text.append(f"[{', '.join(map(str, range(first, first + size)))}]")
        first += size
    return f"[{', '.join(text)}]"


def reshaped(p, value, dims, per_group, what):
    """`what` is expand or collapse; a memref has to be dense."""
    dims = as_dims(dims)
    shape = [int(d) for d in dims]
    sizes = f" output_shape [{', '.join(map(str, shape))}]" if what == "expand" else ""
    text = f"{p.kind}.{what}_shape {value.name} {groups(per_group)}{sizes} : {value.type()} into "
    if p.memrefs:
        result = Value(p.fresh(), dims, value.element, buffer=value.buffer, offset=value.offset, strided=value.strided)
        p.lines.append(f"{result.name} = {text}{result.type()}")
        return result
    return p.define(text + "RESULT", dims, value.element, value.number.map(lambda x: x.reshape(shape)))


def cast(p, value, element):
    """A value of another float type, by linalg.generic or, on tensors, by arith."""
    if value.element == element:
        return value
    wide = {"f32": 3, "bf16": 2, "f16": 2}
    widen = wide.get(element, 1) > wide.get(value.element, 1)
    op = "arith.extf" if widen else "arith.truncf"
    number = value.number if widen else value.number.round(element)
    if not p.memrefs and p.chance(0.3) and value.element in wide and element in wide:
        return p.define(f"{op} {value.name} : {value.type()} to RESULT", value.dims, element, number)
    loops = "abcdefgh"[:len(value.dims)]
    return p.generic(loops, [(value, loops)], p.empty(value.dims, element), loops,
                     [f"%r = {op} %in0 : {value.element} to {element}"], "%r", number)


# Each makes a value of `dims` from another operand.


def _slice(p, dims, element, scale, depth):
    rank = len(dims)
    offsets, steps, sizes = [], [], []
    for i, dim in enumerate(dims):
        unit = p.unit if i == rank - 1 else 1
        step = 1 if i == rank - 1 and not p.chance(0.05) else p.pick([1, 1, 1, 2, 3])
        offset = unit * p.pick([0, 0, 1, 2, 5])
        end = offset + (int(dim) - 1) * step + 1
        end += p.pick([0, 0, 1, 3, 8])
        sizes.append(-(-end // unit) * unit)
        offsets.append(offset)
        steps.append(step)
    if math.prod(sizes) > MOST_ELEMENTS:
        return operand(p, dims, element, scale, depth + 1)
    wanted, dropped = [int(d) for d in dims], []
    if p.chance(0.3) and rank < 4:
        at = p.between(0, rank - 1)
        extent = p.between(1, 3)
        for numbers_, number in ((offsets, p.between(0, extent - 1)), (steps, 1), (sizes, extent), (wanted, 1)):
            numbers_.insert(at, number)
        dropped = [at]
    return sliced(p, operand(p, sizes, element, scale, depth + 1), offsets, wanted, steps, dropped)


def _transpose(p, dims, element, scale, depth):
    permutation = [int(i) for i in p.rng.permutation(len(dims))]
    source = [None] * len(dims)
    for i, axis in enumerate(permutation):
        source[axis] = dims[i]
    return transposed(p, operand(p, source, element, scale, depth + 1), permutation)


def _expand(p, dims, element, scale, depth):
    at = p.between(0, len(dims) - 2)
    source = [*dims[:at], int(dims[at]) * int(dims[at + 1]), *dims[at + 2:]]
    return reshaped(p, p.argument(source, element, scale), dims, [2 if i == at else 1 for i in range(len(source))], "expand")


def _collapse(p, dims, element, scale, depth):
    at = p.between(0, len(dims) - 1)
    divisors = [d for d in range(1, int(dims[at]) + 1) if int(dims[at]) % d == 0]
    first = p.pick(divisors)
    source = [*dims[:at], first, int(dims[at]) // first, *dims[at + 1:]]
    return reshaped(p, p.argument(source, element, scale), dims, [2 if i == at else 1 for i in range(len(dims))], "collapse")


def _strided_argument(p, dims, element, scale, depth):
    strides, step = [0] * len(dims), 1
    order = list(range(len(dims)))
    if p.chance(0.3):
        order = [int(i) for i in p.rng.permutation(len(dims))]
    for axis in reversed(order):
        strides[axis] = step
        step *= int(dims[axis])
        step += p.unit * p.pick([0, 0, 1, 2, 3]) if step > 1 else 0
    offset = p.unit * p.pick([0, 0, 1, 8, 5])
    return p.argument(dims, element, scale, strides, offset)


def _overlapping(p, dims, element, scale, depth):
    """Rows that overlap, or one row for all: only to be read."""
    inner = int(dims[-1])
    strides = [p.unit * p.pick([0, 1, 2, inner // p.unit + 1]) for _ in dims[:-1]] + [1]
    extent = sum((int(d) - 1) * s for d, s in zip(dims, strides)) + 1
    offset = p.unit * p.pick([0, 0, 1])
    return p.reinterpret(p.argument([offset + extent + p.pick([0, 5])], element, scale), offset, dims, strides)


def _arena(p, dims, element, scale, depth):
    return p.arena(dims, element) or p.argument(dims, element, scale)


def _copied(p, dims, element, scale, depth):
    source, into = operand(p, dims, element, scale, depth + 1), p.empty(dims, element)
    if p.memrefs and p.chance(0.5):
        p.lines.append(f"memref.copy {source.name}, {into.name} : {source.type()} to {into.type()}")
        into.store(source.number)
        return into
    return p.write(f"linalg.copy {p.operands([source], into)}", into, source.number)


def _constant(p, dims, element, scale, depth):
    shape = [int(d) for d in dims]
    number = p.random_numbers(shape, element, scale)
    if p.chance(0.5):
        number = np.full(shape, number.reshape(-1)[0])

    def text(array):
        if array.ndim:
            return f"[{', '.join(text(part) for part in array)}]"
        return repr(float(array)) if numbers.is_float(element) else str(int(array))

    splat = (number == number.reshape(-1)[0]).all()
    return p.define(f"arith.constant dense<{text(number.reshape(-1)[0] if splat else number)}> : RESULT", as_dims(dims),
                    element, Number(number))


def _broadcast(p, dims, element, scale, depth):
    axis = p.between(0, len(dims) - 1)
    source = p.argument([*dims[:axis], *dims[axis + 1:]], element, scale)
    into = p.empty(as_dims(dims), element)
    number = source.number.map(lambda x: np.broadcast_to(np.expand_dims(x, axis), into.shape))
    result = Value(p.fresh(), into.dims, element, number)
    p.lines.append(f"{result.name} = linalg.broadcast {p.operands([source], into)} dimensions = [{axis}]")
    return result


def _padded(p, dims, element, scale, depth):
    low = [min(p.pick([0, 0, 1, 2]), int(d) - 1) for d in dims]
    high = [min(p.pick([0, 0, 1, 3]), int(d) - 1 - l) for d, l in zip(dims, low)]
    source = p.argument([int(d) - l - h for d, l, h in zip(dims, low, high)], element, scale)
    value = p.pick([0, 0, 1])
    scalar = p.constant(value, element)
    indices = ", ".join(f"%i{i}: index" for i in range(len(dims)))
    number = source.number.map(lambda x: np.pad(x, list(zip(low, high)), constant_values=0))
    number = Number(np.pad(source.number.v, list(zip(low, high)), constant_values=value), number.e)
    return p.define(f"tensor.pad {source.name} low[{', '.join(map(str, low))}] high[{', '.join(map(str, high))}] {{\n"
                    f"  ^bb0({indices}):\n    tensor.yield {scalar} : {element}\n  }} : {source.type()} to RESULT",
                    as_dims(dims), element, number)


def _cast(p, dims, element, scale, depth):
    other = p.pick([t for t in ("f32", "bf16", "f16") if t != element])
    value = operand(p, dims, "bf16" if other == "f32" else other, scale, depth + 1) if element == "f32" else \
        operand(p, dims, "f32", scale, depth + 1)
    return cast(p, value, element)


def operand(p, dims, element, scale=1.0, depth=0):
    """A value of these extents that an operation reads."""
    plain = (lambda: p.argument(dims, element, scale))
    if depth > 2 or not dims or is_dynamic(dims) or not p.chance(0.45):
        return plain()
    choices = [_slice, _slice, _transpose, _collapse, _copied]
    if len(dims) > 1:
        choices += [_expand]
    if p.memrefs:
        choices += [_strided_argument, _strided_argument, _overlapping, _arena, _arena]
    else:
        choices += [_padded]
        if int(np.prod([int(d) for d in dims])) <= 4096 and element not in numbers.DTYPES:
            choices += [_constant]
        if len(dims) > 1:
            choices += [_broadcast]
    if element in ("f32", "bf16", "f16"):
        choices += [_cast]
    return p.pick(choices)(p, dims, element, scale, depth)


def output(p, dims, element):
    """Where an operation writes: on tensors an empty one, on memrefs a buffer or a part of one."""
    dims = as_dims(dims)
    if not p.memrefs or is_dynamic(dims) or not dims:
        return p.empty(dims, element) if not p.memrefs or p.chance(0.5) else p.argument(dims, element)
    how = p.pick(["alloc", "alloc", "argument", "argument", "slice", "strided", "arena", "transpose"])
    if how == "alloc":
        return p.empty(dims, element)
    if how == "slice":
        return _slice(p, dims, element, 1.0, 3)
    if how == "strided":
        return _strided_argument(p, dims, element, 1.0, 3)
    if how == "arena":
        return _arena(p, dims, element, 1.0, 3)
    if how == "transpose":
        return _transpose(p, dims, element, 1.0, 3)
    return p.argument(dims, element)
