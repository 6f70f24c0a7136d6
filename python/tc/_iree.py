"""What iree-compile --compile-to=input prints, as functions of upstream's dialects: scripts/import-iree,
tc.jax.compile.

| IREE's | becomes |
|---|---|
| util.func, util.return, util.call | func.func, return, call |
| util.global with a value, util.global.load | arith.constant at each load |
| util.unfoldable_constant | arith.constant |
| util.optimization_barrier, util.assume.int, iree_tensor_ext.compute_barrier | their operands |
| iree_linalg_ext.attention | two products around linalg.softmax (_iree_attention.py) |

Every other operation or type that is not upstream's is refused, with its name and place. One operation to a line, as
MLIR prints.
"""
from __future__ import annotations

import re

from . import _iree_attention

UPSTREAM = set(
    "affine arith bufferization builtin cf complex func index linalg math memref scf shape sparse_tensor tensor "
    "tosa ub vector".split())
OPERATION = re.compile(r'^(\s*)(?:(%[\w$.:]+(?:, %[\w$.:]+)*) = )?"?([A-Za-z_]\w*(?:\.[\w$]+)+)"?')
TYPE = re.compile(r"!([A-Za-z_]\w*)\.[\w.]+")
VALUE = re.compile(r"%[\w$.-]+(?:#\d+)?")
STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
GLOBAL = re.compile(
    r"util\.global (?:public |private )?(mutable )?@([\w$.-]+|\"[^\"]*\")(?: \{.*?\})? ?(?:= (.*)|: .*)?$")
# Operations whose results are their operands, in order.
BARRIERS = {
    "util.optimization_barrier", "util.assume.int", "iree_tensor_ext.compute_barrier.start",
    "iree_tensor_ext.compute_barrier.end"
}


class Refused(Exception):
    """A place, counted from 1, and what is there."""


class Importer:

    def __init__(self, lines):
        self.lines = lines
        self.constants = {}  # of the module: symbol -> attribute and type
        self.same = {}  # in this function: result -> the value that it is
        self.aliases = {}  # of affine maps
        self.attentions = 0
        self.at = 0

    def refuse(self, column, text):
        raise Refused(self.at + 1, column + 1, text)

    def refuse_foreign(self, found):
        self.refuse(
            found.start(3), f"'{found[3]}' is not of upstream's dialects, and nothing there does the same: expected "
            f"{', '.join(sorted(UPSTREAM))}")

    def collect_globals(self):
        """Loads may come before their global."""
        for self.at, line in enumerate(self.lines):
            found = re.match(r"\s*util\.global ", line)
            if not found:
                continue
            column = line.index("util.global")
            parts = GLOBAL.match(line.strip())
            if not parts:
                self.refuse(column, "'util.global' is written as none of IREE 3: expected a symbol and a value")
            if parts[1]:
                self.refuse(column, "'util.global' is mutable: expected a value that does not change, or an argument")
            if not parts[3]:
                self.refuse(column, "'util.global' has no value: expected one, or an argument of the function")
            self.constants[parts[2]] = parts[3]

    def substitute(self, line):
        return VALUE.sub(lambda value: self.same.get(value[0], value[0]), line) if self.same else line

    def convert(self):
        self.collect_globals()
        self.aliases = dict(
            re.match(r"(#[\w$.-]+) = (affine_map<.*>)$", line).groups() for line in self.lines
            if re.match(r"#[\w$.-]+ = affine_map<.*>$", line))
        result, after = [], 0
        for self.at, line in enumerate(self.lines):
            if self.at < after:
                continue
            found = OPERATION.match(line)
            if found and found[3] == "iree_linalg_ext.attention":
                lines, after = self.attention(found)
                result += lines
                continue
            bare = STRING.sub(lambda string: " " * len(string[0]), line)
            if found and found[3] in ("util.func", "func.func"):
                self.same = {}
            line = self.operation(found, line) if found else self.substitute(line)
            if line is None:
                continue
            for type_ in TYPE.finditer(bare):
                if type_[1] not in UPSTREAM:
                    self.refuse(type_.start(), f"type '{type_[0]}' is not upstream's: expected tensors and numbers")
            result.append(line)
        return result

    def attention(self, found):
        """The lines of its decomposition, and where the operation ends."""
        end, text = self.at, ""
        while end < len(self.lines) and not _iree_attention.is_complete(text):
            text += self.substitute(self.lines[end]) + "\n"
            end += 1
        place = self.at
        for self.at in range(place + 1, end):
            inner = OPERATION.match(self.lines[self.at])
            if inner and inner[3] != "iree_linalg_ext.yield" and inner[3].split(".")[0] not in UPSTREAM:
                self.refuse_foreign(inner)
        self.at = place
        try:
            lines = _iree_attention.decompose(text.strip(), found[2], self.aliases, self.attentions)
        except _iree_attention.Unsupported as error:
            self.refuse(found.start(3), f"'{found[3]}' {error}")
        self.attentions += 1
        return [found[1] + line for line in lines], end

    def operation(self, found, line):
        indent, results, name = found.groups()
        column = found.start(3)
        dialect = name.split(".")[0]
        rest = self.substitute(line[found.end():])
        target = f"{results} = " if results else ""
        if dialect in UPSTREAM:
            return indent + target + line[column - (line[column - 1] == '"'):found.end()] + rest
        if name == "util.func":
            if re.search(r"-> \(?.*%\w+ as ", rest):
                self.refuse(column, "'util.func' has results that are tied to arguments: expected results of their own")
            return f"{indent}func.func{rest}"
        if name == "util.return":
            return f"{indent}return{rest}"
        if name == "util.call":
            return f"{indent}{target}call{rest}"
        if name == "util.unfoldable_constant":
            return f"{indent}{target}arith.constant{rest}"
        if name == "util.global":
            return None
        if name == "util.global.load":
            symbol = re.match(r" (?:immutable )?@([\w$.-]+|\"[^\"]*\")", rest)
            if not symbol or symbol[1] not in self.constants:
                self.refuse(column, f"'{name}' loads what the module does not define")
            return f"{indent}{target}arith.constant {self.constants[symbol[1]]}"
        if name in BARRIERS:
            operands = VALUE.findall(rest.split(" : ")[0])
            key, _, count = results.partition(":")
            if int(count or 1) != len(operands):
                self.refuse(column, f"'{name}' is written as none of IREE 3: expected as many operands as results")
            for i, operand in enumerate(operands):
                self.same[f"{key}#{i}" if count else key] = operand
            return None
        self.refuse_foreign(found)
        return None
