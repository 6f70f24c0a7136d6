"""iree_linalg_ext.attention in upstream's operations: softmax(region(scale Q K^T) + mask) V, all of it in f32.

The product of Q and K, an elementwise operation with scale, region and mask, linalg.softmax, and the product with V,
for which the weights are rounded to V's type. A mask of booleans hides where it is false.
"""
from __future__ import annotations

import dataclasses
import re

TENSOR = re.compile(r"tensor<((?:(?:\d+|\?)x)*)([a-z]\w*)>")
PARTS = re.compile(
    r"^(?P<attributes>.*?)\s+ins\((?P<ins>[^:)]*) : (?P<in_types>.*?)\)\s+outs\((?P<outs>[^:)]*) : (?P<out_types>.*?)\)\s*"
    r"\{\s*\^bb0\((?P<score>%[\w$.-]+): (?P<score_type>\w+)\):(?P<body>.*?)iree_linalg_ext\.yield (?P<yielded>%[\w$.#-]+) : "
    r"\w+\s*\} -> (?P<result>.*)$", re.S)
MAP = re.compile(r"affine_map<\(([^)]*)\) -> \(([^)]*)\)>|#[\w$.-]+")


class Unsupported(Exception):
    """Why an operation is not taken."""


@dataclasses.dataclass
class Operand:
    name: str
    type: str
    dims: list  # of the operation, which its dimensions are

    @property
    def element(self):
        found = TENSOR.fullmatch(self.type)
        return found[2] if found else self.type

    @property
    def sizes(self):
        found = TENSOR.fullmatch(self.type)
        return found[1].split("x")[:-1] if found else []


def is_complete(text):
    return re.search(r"^\s*\} -> ", text, re.M) is not None


def _maps(attributes, aliases):
    found = re.search(r"indexing_maps = \[(.*?)\]", attributes, re.S)
    maps = []
    for one in MAP.finditer(found[1]) if found else []:
        text = one[0] if one[0].startswith("affine_map") else aliases.get(one[0], "")
        parts = MAP.fullmatch(text)
        if not parts:
            raise Unsupported(f"expected the map {one[0]} at the head of the module")
        names = [name.strip() for name in parts[1].split(",")]
        results = [name.strip() for name in parts[2].split(",") if name.strip()]
        if not set(results) <= set(names):
            raise Unsupported(f"expected maps to dimensions alone, got {text}")
        maps.append([f"d{names.index(name)}" for name in results])
    return maps


class Decomposition:

    def __init__(self, text, aliases, number):
        parts = PARTS.search(text)
        if not parts:
            raise Unsupported("is written as none of IREE 3: expected ins, outs and a region with one score")
        self.prefix, self.lines, self.parts = f"%$attention{number}.", [], parts
        names = [name.strip() for part in ("ins", "outs") for name in parts[part].split(",")]
        types = [one.strip() for part in ("in_types", "out_types") for one in re.split(r",(?![^<]*>)", parts[part])]
        maps = _maps(parts["attributes"], aliases)
        if not len(names) == len(types) == len(maps) or len(maps) not in (5, 6):
            raise Unsupported(
                f"expected Q, K, V, a scale and perhaps a mask with a map each, got {len(names)} operands and "
                f"{len(maps)} maps")
        operands = [Operand(*one) for one in zip(names, types, maps)]
        self.q, self.k, self.v, self.scale = operands[:4]
        self.mask, self.out = operands[4] if len(operands) == 6 else None, operands[-1]
        for one in operands:
            if len(one.sizes) != len(one.dims):
                raise Unsupported(f"expected {len(one.dims)} dimensions of {one.name}, as its map has, got {one.type}")
        softmax = [dim for dim in self.k.dims if dim in self.v.dims and dim not in self.out.dims]
        if len(softmax) != 1:
            raise Unsupported(f"expected one dimension of K and V that softmax runs along, got {len(softmax)}")
        self.inner = [dim for dim in self.q.dims if dim in self.k.dims and dim not in self.out.dims]
        self.scores = [dim for dim in self.out.dims if dim in self.q.dims or dim in self.k.dims] + softmax
        self.sizes = {}
        for one in (self.q, self.k, self.v):
            for at, (dim, size) in enumerate(zip(one.dims, one.sizes)):
                self.sizes.setdefault(dim, (size, one, at))

    def emit(self, name, text):
        self.lines.append(f"{self.prefix}{name} = {text}" if name else text)
        return f"{self.prefix}{name}"

    def type(self, dims, element):
        return f"tensor<{''.join(self.sizes[dim][0] + 'x' for dim in dims)}{element}>"

    def empty(self, name, dims, element):
        extents = []
        for dim in dims:
            size, source, at = self.sizes[dim]
            if size == "?":
                index = self.emit(f"{name}.{dim}.at", f"arith.constant {at} : index")
                extents.append(self.emit(f"{name}.{dim}", f"tensor.dim {source.name}, {index} : {source.type}"))
        return self.emit(name, f"tensor.empty({', '.join(extents)}) : {self.type(dims, element)}")

    def generic(self, name, operands, out, dims, body):
        """`operands` and `out` are Operands, `dims` the iteration: those that `out` lacks are summed over."""
        maps = ", ".join(f"affine_map<({', '.join(dims)}) -> ({', '.join(one.dims)})>" for one in (*operands, out))
        kinds = ", ".join('"parallel"' if dim in out.dims else '"reduction"' for dim in dims)
        inputs = (f"ins({', '.join(one.name for one in operands)} : {', '.join(one.type for one in operands)}) "
                  if operands else "")
        values = ", ".join(f"{self.prefix}{name}.x{i}: {one.element}" for i, one in enumerate((*operands, out)))
        self.emit(
            name, f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} "
            f"{inputs}outs({out.name} : {out.type}) {{")
        self.emit("", f"^bb0({values}):")
        inner = f"{self.prefix}{name}."
        body(inner)
        self.emit("", f"}} -> {out.type}")
        return Operand(f"{self.prefix}{name}", out.type, out.dims)

    def wide(self, value, element, result):
        """A value in f32, as `result` where it has to be converted."""
        if element == "f32":
            return value
        if element == "f64":
            raise Unsupported("expected numbers of at most 32 bits, got f64")
        if not element.startswith(("f", "bf")):
            raise Unsupported(f"expected floating-point numbers, got {element}")
        self.emit("", f"{result} = arith.extf {value} : {element} to f32")
        return result

    def product(self, name, a, b, dims):
        """A sum of products in f32, `dims` of which are left."""
        empty = self.empty(f"{name}.empty", dims, "f32")
        type_ = self.type(dims, "f32")
        filled = self.emit(f"{name}.zeros",
                           f"linalg.fill ins({self.prefix}zero : f32) outs({empty} : {type_}) -> {type_}")

        def body(inner):
            x, y = self.wide(f"{inner}x0", a.element, f"{inner}a"), self.wide(f"{inner}x1", b.element, f"{inner}b")
            self.emit("", f"{inner}p = arith.mulf {x}, {y} : f32")
            self.emit("", f"{inner}s = arith.addf {inner}x2, {inner}p : f32")
            self.emit("", f"linalg.yield {inner}s : f32")

        summed = [dim for dim in a.dims if dim not in dims]
        return self.generic(name, (a, b), Operand(filled, type_, dims), [*dims, *summed], body)

    def rounded(self, name, value, element, into=None):
        if element == "f32" and into is None:
            return value
        out = into or Operand(self.empty(f"{name}.empty", value.dims, element), self.type(value.dims, element),
                              value.dims)

        def body(inner):
            if element != "f32":
                self.emit("", f"{inner}r = arith.truncf {inner}x0 : f32 to {element}")
            self.emit("", f"linalg.yield {inner}{'x0' if element == 'f32' else 'r'} : {element}")

        return self.generic(name, (value, ), out, value.dims, body)

    def modified(self, scores):
        """Scaled, through the region, and with the mask."""
        scale = self.wide(self.scale.name, self.scale.element, f"{self.prefix}scale")
        out = Operand(self.empty("scaled.empty", scores.dims, "f32"), scores.type, scores.dims)
        score, score_type = self.parts["score"], self.parts["score_type"]

        def body(inner):
            narrow = score_type != "f32"
            self.emit("", f"{inner + 'n' if narrow else score} = arith.mulf {inner}x0, {scale} : f32")
            if narrow:
                self.emit("", f"{score} = arith.truncf {inner}n : f32 to {score_type}")
            for line in self.parts["body"].splitlines():
                if line.strip():
                    self.emit("", line.strip())
            value = self.wide(self.parts["yielded"], score_type, f"{inner}y")
            if self.mask and self.mask.element == "i1":
                self.emit("", f"{inner}h = arith.constant 0xFF800000 : f32")
                self.emit("", f"{inner}m = arith.select {inner}x1, {value}, {inner}h : f32")
                value = f"{inner}m"
            elif self.mask:
                mask = self.wide(f"{inner}x1", self.mask.element, f"{inner}w")
                self.emit("", f"{inner}m = arith.addf {value}, {mask} : f32")
                value = f"{inner}m"
            self.emit("", f"linalg.yield {value} : f32")

        return self.generic("scaled", (scores, self.mask) if self.mask else (scores, ), out, scores.dims, body)

    def convert(self, result):
        """The lines that define `result`."""
        self.emit("zero", "arith.constant 0.0 : f32")
        scores = self.modified(self.product("scores", self.q, self.k, self.scores))
        into = self.empty("weights.empty", scores.dims, "f32")
        self.emit(
            "weights", f"linalg.softmax dimension({len(scores.dims) - 1}) ins({scores.name} : {scores.type}) "
            f"outs({into} : {scores.type}) -> {scores.type}")
        weights = self.rounded("narrow", Operand(f"{self.prefix}weights", scores.type, scores.dims), self.v.element)
        summed = self.product("sum", weights, self.v, self.out.dims)
        last = self.rounded("result", summed, self.out.element, into=self.out)
        self.lines = [
            line.replace(f"{last.name} = ", f"{result} = ", 1) if line.startswith(f"{last.name} = ") else line
            for line in self.lines
        ]
        return self.lines


def decompose(text, result, aliases, number):
    return Decomposition(text, aliases, number).convert(result)
