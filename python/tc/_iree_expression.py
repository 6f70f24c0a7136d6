"""Expressions of kernel descriptions (docs/KernelDescription.md) as arith on index: tc.iree."""
from __future__ import annotations

import re
import struct

from ._errors import InputError

_TOKEN = re.compile(r"\s*(\d+|[A-Za-z_]\w*|==|!=|<=|>=|[-<>+*(),])")
_WORDS = {"or", "and", "ceildiv", "floordiv", "mod", "min", "max"}
_COMPARE = {"==": "eq", "!=": "ne", "<": "slt", "<=": "sle", ">": "sgt", ">=": "sge"}
# Loosest first.
_LEVELS = (("or",), ("and",), tuple(_COMPARE), ("+", "-"), ("*", "ceildiv", "floordiv", "mod"))
_OPS = {"+": "addi", "-": "subi", "*": "muli", "ceildiv": "ceildivsi", "floordiv": "floordivsi", "min": "minsi", "max": "maxsi"}


class Builder:
    """Lines of IR; `values` are the sizes that are defined."""

    def __init__(self, where):
        self.where, self.lines, self.values = where, [], {}
        self._constants = {}

    def _add(self, text):
        name = f"%{len(self.lines)}"
        self.lines.append(f"{name} = {text}")
        return name

    def _constant(self, value):
        if value not in self._constants:
            self._constants[value] = self._add(f"arith.constant {value} : index")
        return self._constants[value]

    def define(self, size, tensor, dimension, kind):
        """The size is a dimension of an argument."""
        index = self._constant(dimension)
        self.values[size] = self._add(f"tensor.dim {tensor}, {index} : {kind}")

    def emit(self, expression) -> str:
        """The value of a number or an expression, an index."""
        if isinstance(expression, int):
            return self._constant(expression)
        text = expression.strip()
        self._tokens, place = [], 0
        while place < len(text):
            token = _TOKEN.match(text, place)
            if not token:
                raise InputError(f"{self.where}: expected an expression, got '{expression}'")
            self._tokens.append(token[1])
            place = token.end()
        self._text = expression
        value = self._binary(0)
        if self._tokens:
            self._fail()
        return value

    def emit_i32(self, expression) -> str:
        """The same as the number that a kernel takes."""
        return self._add(f"arith.index_cast {self.emit(expression)} : index to i32")

    def emit_f32(self, value) -> str:
        """The bits of a float, which IREE passes as an i32."""
        bits, = struct.unpack("<i", struct.pack("<f", float(value)))
        return self._add(f"arith.constant {bits} : i32")

    def require(self, expression, message):
        """Stops the program where the expression is 0."""
        value = self.emit(expression)
        condition = self._add(f"arith.cmpi ne, {value}, {self._constant(0)} : index")
        quoted = message.replace("\\", "\\5C").replace('"', "\\22")
        self.lines.append(f'cf.assert {condition}, "{quoted}"')

    def _fail(self):
        raise InputError(f"{self.where}: expected an expression, got '{self._text}'")

    def _take(self, *wanted):
        if self._tokens and self._tokens[0] in wanted:
            return self._tokens.pop(0)
        return None

    def _truth(self, condition):
        one, zero = self._constant(1), self._constant(0)
        return self._add(f"arith.select {condition}, {one}, {zero} : index")

    def _binary(self, level):
        if level == len(_LEVELS):
            return self._primary()
        left = self._binary(level + 1)
        while operator := self._take(*_LEVELS[level]):
            left = self._combine(operator, left, self._binary(level + 1))
        return left

    def _combine(self, operator, left, right):
        if operator in _COMPARE:
            return self._truth(self._add(f"arith.cmpi {_COMPARE[operator]}, {left}, {right} : index"))
        if operator in ("or", "and"):
            zero = self._constant(0)
            sides = [self._add(f"arith.cmpi ne, {side}, {zero} : index") for side in (left, right)]
            return self._truth(self._add(f"arith.{operator}i {sides[0]}, {sides[1]} : i1"))
        if operator == "mod":  # rounds down, as floordiv
            quotient = self._add(f"arith.floordivsi {left}, {right} : index")
            return self._add(f"arith.subi {left}, {self._add(f'arith.muli {quotient}, {right} : index')} : index")
        return self._add(f"arith.{_OPS[operator]} {left}, {right} : index")

    def _primary(self):
        if not self._tokens:
            self._fail()
        token = self._tokens.pop(0)
        if token.isdigit():
            return self._constant(int(token))
        if token == "-":
            return self._add(f"arith.subi {self._constant(0)}, {self._primary()} : index")
        if token == "(":
            value = self._binary(0)
        elif token in ("min", "max") and self._take("("):
            left = self._binary(0)
            if not self._take(","):
                self._fail()
            value = self._combine(token, left, self._binary(0))
        elif token in self.values and token not in _WORDS:
            return self.values[token]
        else:
            self._fail()
        if not self._take(")"):
            self._fail()
        return value
