"""A function under construction: its text and, beside it, what each value is.

Tensors are values. A view of a memref is a view of the numbers of its buffer, so that whatever shares memory in the
function shares it here.
"""
import itertools

import numpy as np

from . import numbers
from .numbers import Number


class Dim(int):
    """An extent; one with a symbol is dynamic in the text, the symbol is the value of the extent."""
    symbol = None

    @staticmethod
    def dynamic(size, symbol):
        dim = Dim(size)
        dim.symbol = symbol
        return dim

    def __str__(self):
        return "?" if self.symbol else int.__repr__(self)


class Buffer:
    """The memory of a memref: exact at first, as numbers of its element type."""

    def __init__(self, values, element):
        self.v = np.array(values, np.float64).reshape(-1)
        self.e = np.zeros(self.v.shape)
        self.element = element
        self.written = False


class Value:

    def __init__(self, name, dims, element, number=None, buffer=None, strides=None, offset=0, strided=False):
        self.name, self.element = name, element
        self.dims = tuple(d if isinstance(d, Dim) else Dim(d) for d in dims)
        self._number, self.buffer, self.offset, self.strided = number, buffer, offset, strided
        self.strides = strides if strides is not None else dense(dims)

    @property
    def shape(self):
        return tuple(int(d) for d in self.dims)

    def _view(self, flat):
        return np.lib.stride_tricks.as_strided(flat[self.offset:], self.shape, [8 * s for s in self.strides])

    @property
    def number(self):
        if self.buffer is None:
            return self._number
        return Number(self._view(self.buffer.v).copy(), self._view(self.buffer.e).copy())

    def store(self, number):
        self._view(self.buffer.v)[...] = number.v
        self._view(self.buffer.e)[...] = number.e
        self.buffer.written = True

    def type(self):
        text = "x".join([*map(str, self.dims), self.element])
        if self.buffer is None:
            return f"tensor<{text}>"
        if not self.strided:
            return f"memref<{text}>"
        strides = ", ".join("?" if any(d.symbol for d in self.dims[i + 1:]) else str(s)
                            for i, s in enumerate(self.strides))
        offset = f", offset: {self.offset}" if self.offset else ""
        return f"memref<{text}, strided<[{strides}]{offset}>>"


def dense(dims):
    strides = [1]
    for dim in reversed(dims[1:]):
        strides.insert(0, strides[0] * max(int(dim), 1))
    return strides[:len(dims)]


def letters_map(dims, loops):
    """The affine map of an operand whose dimensions are these letters, "1" one that is 0."""
    names = ", ".join(f"d{i}" for i in range(len(loops)))
    results = ", ".join("0" if d == "1" else f"d{loops.index(d)}" for d in dims)
    return f"affine_map<({names}) -> ({results})>"


def spread(number, dims, loops):
    """A number over all loops, from one over the dimensions `dims`."""

    def one(array):
        array = array.reshape([n for n, d in zip(array.shape, dims) if d != "1"])
        kept = [d for d in dims if d != "1"]
        array = array.transpose(sorted(range(len(kept)), key=lambda i: loops.index(kept[i])))
        order = sorted(kept, key=loops.index)
        return array.reshape([array.shape[order.index(x)] if x in order else 1 for x in loops])

    return Number(one(number.v), one(np.array(number.e)))


class Program:

    def __init__(self, rng, memrefs, whole, limit, chip="sm_100a"):
        self.rng, self.memrefs, self.whole, self.limit, self.chip = rng, memrefs, whole, limit, chip
        self.kind = "memref" if memrefs else "tensor"
        self.lines, self.prologue, self.options, self.config = [], [], [], ""
        self.arguments = []  # of (value, the raw numbers at the start)
        self.results = []
        self.counter = itertools.count()
        self.constants = {}
        self.symbols = 0
        self.arenas = {}
        self.unit = 1  # elements that rows and offsets are multiples of

    def fraction(self, element):
        """The fraction bits of sums of products of `element`, where they are few: wgmma's of floats of 8 bits."""
        return 13 if self.chip == "sm_90a" and element in numbers.DTYPES else None

    # Choices.

    def chance(self, probability):
        return self.rng.random() < probability

    def pick(self, options):
        return options[int(self.rng.integers(len(options)))]

    def between(self, low, high):
        return int(self.rng.integers(low, high + 1))

    # Text.

    def fresh(self):
        return f"%{next(self.counter)}"

    def constant(self, value, element):
        key = (value, element)
        if key not in self.constants:
            name = f"%cst{len(self.constants)}"
            text = repr(float(value)) if numbers.is_float(element) else str(int(value))
            self.prologue.append(f"{name} = arith.constant {text} : {element}")
            self.constants[key] = name
        return self.constants[key]

    def random_numbers(self, shape, element, scale=1.0):
        if self.whole or element in numbers.INTEGERS:
            most = 3 if scale == 1.0 else 1
            return self.rng.integers(-most, most + 1, shape).astype(np.float64)
        return numbers.rounded(self.rng.uniform(-scale, scale, shape), element)

    def symbol(self, size):
        self.symbols += 1
        return Dim.dynamic(size, f"%size{self.symbols}")

    def argument(self, dims, element, scale=1.0, strides=None, offset=0):
        """A new argument of the function. On memrefs, maybe with strides of its own."""
        name = f"%arg{len(self.arguments)}"
        dims = [d if isinstance(d, Dim) else Dim(d) for d in dims]
        shape = [int(d) for d in dims]
        if self.memrefs:
            steps = strides or dense(dims)
            extent = offset + sum((n - 1) * s for n, s in zip(shape, steps)) + 1 if all(shape) else offset + 1
            buffer = Buffer(self.random_numbers((extent, ), element, scale), element)
            value = Value(name, dims, element, buffer=buffer, strides=steps, offset=offset, strided=strides is not None)
            self.arguments.append((value, buffer.v.copy()))
        else:
            numbers_ = self.random_numbers(shape, element, scale)
            value = Value(name, dims, element, Number(numbers_))
            self.arguments.append((value, numbers_.reshape(-1)))
        for axis, dim in enumerate(dims):
            if dim.symbol and not any(line.startswith(dim.symbol + " ") for line in self.prologue):
                index = self.fresh()
                self.prologue += [f"{index} = arith.constant {axis} : index",
                                  f"{dim.symbol} = {self.kind}.dim {name}, {index} : {value.type()}"]
        return value

    def arena(self, dims, element):
        """A part of one buffer that many operands share, or None where it is full."""
        if element not in self.arenas:
            self.arenas[element] = [self.argument([1 << 15], element), 0]
        whole, start = self.arenas[element]
        align = 64 if self.unit > 1 or self.chance(0.5) else 1
        offset = -(-start // align) * align
        size = int(np.prod([int(d) for d in dims])) if dims else 1
        if offset + size > whole.shape[0]:
            return None
        self.arenas[element][1] = offset + size
        return self.reinterpret(whole, offset, dims, dense(dims))

    def reinterpret(self, value, offset, dims, strides):
        result = Value(self.fresh(), dims, value.element, buffer=value.buffer, strides=strides, offset=offset, strided=True)
        sizes = ", ".join(str(int(d)) for d in dims)
        steps = ", ".join(map(str, strides))
        self.lines.append(f"{result.name} = memref.reinterpret_cast {value.name} to offset: [{offset}], sizes: [{sizes}], "
                          f"strides: [{steps}] : {value.type()} to {result.type()}")
        return result

    def empty(self, dims, element):
        """A tensor or a buffer with nothing in it that counts."""
        dims = [d if isinstance(d, Dim) else Dim(d) for d in dims]
        sizes = ", ".join(d.symbol for d in dims if d.symbol)
        name = self.fresh()
        shape = [int(d) for d in dims]
        if self.memrefs:
            value = Value(name, dims, element, buffer=Buffer(np.full(shape, np.nan), element))
            self.lines.append(f"{name} = memref.alloc({sizes}) : {value.type()}")
        else:
            value = Value(name, dims, element, Number(np.full(shape, np.nan)))
            self.lines.append(f"{name} = tensor.empty({sizes}) : {value.type()}")
        return value

    def write(self, text, into, number):
        """An operation in destination style whose output is `into`; its result. `text` ends before the result's type."""
        if self.memrefs:
            self.lines.append(text)
            into.store(number)
            return into
        result = Value(self.fresh(), into.dims, into.element, number)
        self.lines.append(f"{result.name} = {text} -> {result.type()}")
        return result

    def define(self, text, dims, element, number):
        """Another operation on tensors, whose text is complete."""
        result = Value(self.fresh(), dims, element, number)
        self.lines.append(f"{result.name} = {text.replace('RESULT', result.type())}")
        return result

    def operands(self, inputs, into):
        ins = ""
        if inputs:
            ins = f"ins({', '.join(v.name for v in inputs)} : {', '.join(v.type() for v in inputs)}) "
        return f"{ins}outs({into.name} : {into.type()})"

    def fill(self, into, value):
        scalar = self.constant(value, into.element)
        return self.write(f"linalg.fill ins({scalar} : {into.element}) outs({into.name} : {into.type()})", into,
                          Number(np.full(into.shape, float(value))))

    def generic(self, loops, inputs, into, out_dims, body, result, number, reductions=""):
        """linalg.generic: `inputs` are (value, dims), `body` lines on %in0, ... and %out."""
        maps = ", ".join(letters_map(dims, loops) for dims in [*(d for _, d in inputs), out_dims])
        kinds = ", ".join(f'"{"reduction" if x in reductions else "parallel"}"' for x in loops)
        values = [v for v, _ in inputs]
        arguments = ", ".join([f"%in{i}: {v.element}" for i, v in enumerate(values)] + [f"%out: {into.element}"])
        text = "\n".join([f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} "
                          f"{self.operands(values, into)} {{", f"  ^bb0({arguments}):",
                          *(f"    {line}" for line in body), f"    linalg.yield {result} : {into.element}", "  }"])
        return self.write(text, into, number)

    def text(self):
        arguments = ", ".join(f"{v.name}: {v.type()}" for v, _ in self.arguments)
        results = ", ".join(v.type() for v in self.results)
        arrow = f" -> ({results})" if results else ""
        end = f"return {', '.join(v.name for v in self.results)} : {results}" if results else "return"
        body = "\n".join("  " + line for line in [*self.prologue, *self.lines, end])
        return f"func.func @main({arguments}){arrow} {{\n{body}\n}}\n"
