"""What iree-compile --compile-to=input prints, as functions of upstream's dialects: scripts/import-iree,
tc.jax.compile.

| IREE's | becomes |
|---|---|
| util.func, util.return, util.call | func.func, return, call |
| util.global with a value, util.global.load | arith.constant at each load |
| util.unfoldable_constant | arith.constant |
| util.optimization_barrier, util.assume.int, iree_tensor_ext.compute_barrier | their operands |

Every other operation or type that is not upstream's is refused, with its name and place. One operation to a line, as
MLIR prints.
"""
from __future__ import annotations

import re

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
BARRIERS = {"util.optimization_barrier", "util.assume.int", "iree_tensor_ext.compute_barrier.start",
            "iree_tensor_ext.compute_barrier.end"}


class Refused(Exception):
    """A place, counted from 1, and what is there."""


class Importer:

    def __init__(self, lines):
        self.lines = lines
        self.constants = {}  # of the module: symbol -> attribute and type
        self.same = {}  # in this function: result -> the value that it is
        self.at = 0

    def refuse(self, column, text):
        raise Refused(self.at + 1, column + 1, text)

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
        result = []
        for self.at, line in enumerate(self.lines):
            found = OPERATION.match(line)
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
        self.refuse(column, f"'{name}' is not of upstream's dialects, and nothing there does the same: expected "
                    f"{', '.join(sorted(UPSTREAM))}")
        return None
