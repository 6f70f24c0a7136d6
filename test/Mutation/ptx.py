# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX as a list of statements, with the little analysis that seeding a bug
needs: where loops are, where a wait spins, what a register holds at first."""

import dataclasses
import functools
import re


@dataclasses.dataclass(frozen=True)
class Statement:
    kind: str  # "label", "open", "close", "directive" or "instruction"
    text: str
    line: int
    guard: str = ""  # "@%p1" or "@!%p1"
    opcode: str = ""
    operands: tuple = ()

    def has(self, *modifiers):
        return all(modifier in self.opcode.split(".") for modifier in modifiers)

    def is_op(self, *prefixes):
        return self.kind == "instruction" and any(
            self.opcode == prefix or self.opcode.startswith(prefix + ".") for prefix in prefixes)


def split_operands(text):
    """Cut at commas that are outside brackets."""
    operands, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "[{(") - (c in "]})")
        if c == "," and not depth:
            operands.append(text[start:i].strip())
            start = i + 1
    operands.append(text[start:].strip())
    return tuple(operand for operand in operands if operand)


_INSTRUCTION = re.compile(r"(?:(@!?[%\w$]+)\s+)?(\S+)\s*(.*)", re.S)


def instruction(text, line=0):
    guard, opcode, rest = _INSTRUCTION.fullmatch(text.strip()).groups()
    return Statement("instruction", text.strip(), line, guard or "", opcode, split_operands(rest))


def _without_comments(text):
    keep_lines = lambda match: "\n" * match.group().count("\n") or " "
    return re.sub(r"//[^\n]*|/\*.*?\*/", keep_lines, text, flags=re.S)


def _statements(text, first_line):
    pos, label = 0, re.compile(r"([$\w]+):(?!:)")
    while True:
        while pos < len(text) and text[pos].isspace():
            pos += 1
        if pos == len(text):
            return
        line = first_line + text.count("\n", 0, pos)
        if text[pos] in "{}":
            yield Statement("open" if text[pos] == "{" else "close", text[pos], line)
            pos += 1
            continue
        if match := label.match(text, pos):
            yield Statement("label", match.group(1), line)
            pos = match.end()
            continue
        end = text.index(";", pos)
        part = " ".join(text[pos:end].split())
        yield Statement("directive", part, line) if part[0] == "." else instruction(part, line)
        pos = end + 1


def register_of(operand):
    """The register in "%r1", "[%r1+8]" or "!%p1"."""
    found = re.search(r"%?[\w$]+", operand.lstrip("![") if operand else "")
    return found.group() if found else ""


def with_offset(operand, bytes_):
    """The operand "[...]" further on."""
    return f"[{operand[1:-1].strip()}+{bytes_}]"


class Kernel:
    """The one entry of a PTX file."""

    def __init__(self, text):
        text = _without_comments(text)
        entry = text.index(".entry")
        begin = text.index("{", text.index(")", entry))
        end = text.rindex("}")
        self.head, self.tail = text[:begin + 1], text[end:]
        self.body = list(_statements(text[begin + 1:end], text.count("\n", 0, begin + 1) + 1))
        self.labels = {s.text: i for i, s in enumerate(self.body) if s.kind == "label"}

    def find(self, *prefixes):
        return [i for i, s in enumerate(self.body) if s.is_op(*prefixes)]

    def next_of(self, start, *prefixes):
        """The first such instruction after `start` in the text, or None."""
        return next((i for i in range(start + 1, len(self.body)) if self.body[i].is_op(*prefixes)), None)

    def previous_of(self, start, *prefixes):
        return next((i for i in range(start - 1, -1, -1) if self.body[i].is_op(*prefixes)), None)

    def uses_pairs(self):
        return any("cta_group::2" in s.opcode for s in self.body)

    #===-- control flow --------------------------------------------------===#

    def target(self, i):
        """Where the branch at `i` goes, or None."""
        s = self.body[i]
        return self.labels.get(s.operands[0]) if s.is_op("bra") else None

    def successors(self, i):
        s = self.body[i]
        target = self.target(i)
        falls = not (s.is_op("bra", "ret", "exit", "trap") and not s.guard)
        next_ = [i + 1] if falls and i + 1 < len(self.body) else []
        return next_ + ([target] if target is not None else [])

    @functools.cached_property
    def predecessors(self):
        result = [[] for _ in self.body]
        for i in range(len(self.body)):
            for next_ in self.successors(i):
                result[next_].append(i)
        return result

    @functools.cached_property
    def loops(self):
        """(header, members) of each natural loop, inner ones first."""
        order, state = [], {}
        stack = [(0, iter(self.successors(0)))]
        state[0], backs = 1, []
        while stack:
            node, rest = stack[-1]
            for next_ in rest:
                if next_ not in state:
                    state[next_] = 1
                    stack.append((next_, iter(self.successors(next_))))
                    break
                if state[next_] == 1:
                    backs.append((node, next_))
            else:
                state[node] = 2
                order.append(node)
                stack.pop()
        members = {}
        for latch, header in backs:
            found, work = {header, latch}, [latch]
            while work:
                node = work.pop()
                if node == header:
                    continue
                for before in self.predecessors[node]:
                    if before not in found:
                        found.add(before)
                        work.append(before)
            members[header] = members.get(header, set()) | found
        return sorted(members.items(), key=lambda item: len(item[1]))

    def spin(self, wait):
        """Of the try_wait at `wait`: the branch that repeats it, or None."""
        for i in range(wait + 1, min(wait + 12, len(self.body))):
            s = self.body[i]
            if s.kind == "label":
                return None
            if s.is_op("bra"):
                target = self.target(i)
                return i if s.guard and target is not None and target < wait else None
        return None

    def loops_around(self, wait):
        """Loops that hold `wait`, without the one in which it spins."""
        spin = self.spin(wait)
        return [(header, members) for header, members in self.loops
                if wait in members and not (spin is not None and len(members) <= spin - header + 1)]

    #===-- values --------------------------------------------------------===#

    @functools.cached_property
    def definitions(self):
        found = {}
        for i, s in enumerate(self.body):
            if s.kind != "instruction" or not s.operands or s.is_op("st", "bra", "tcgen05", "mbarrier.init", "red"):
                continue
            for register in re.findall(r"%?[\w$]+", s.operands[0]):
                found.setdefault(register, []).append(i)
        return found

    def first_value(self, operand, at, depth=0):
        """What the operand holds when statement `at` runs for the first time, if
        that is a constant that the text shows; else None. Of several definitions
        the first in the text counts: it is before the loop."""
        if operand.startswith("!"):
            value = self.first_value(operand[1:], at, depth)
            return None if value is None else int(not value)
        if re.fullmatch(r"-?(0[xX][0-9a-fA-F]+|\d+)U?", operand):
            return int(operand.rstrip("U"), 0)
        definitions = self.definitions.get(operand, [])
        if not operand.startswith("%"):  # of a scope
            definitions = [i for i in definitions if i < at][-1:]
        if depth > 24 or not definitions:
            return None
        i = definitions[0]
        s = self.body[i]
        if s.guard:
            return None
        values = [self.first_value(source, i, depth + 1) for source in s.operands[1:]]
        return self._evaluate(s, values)

    @staticmethod
    def _evaluate(s, values):
        name = s.opcode.split(".")[0]
        if name == "selp":
            return None if values[2] is None else values[0 if values[2] else 1]
        if None in values:
            return None
        if name == "setp":
            compare = {"eq": "__eq__", "ne": "__ne__", "lt": "__lt__", "le": "__le__", "gt": "__gt__", "ge": "__ge__"}
            return int(getattr(values[0], compare[s.opcode.split(".")[1]])(values[1]))
        simple = {
            "mov": lambda a: a, "cvt": lambda a: a, "not": lambda a: ~a, "neg": lambda a: -a,
            "xor": lambda a, b: a ^ b, "and": lambda a, b: a & b, "or": lambda a, b: a | b,
            "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b,
            "shl": lambda a, b: a << b, "shr": lambda a, b: a >> b,
            "bfe": lambda a, b, c: a >> b & ((1 << c) - 1),
        }.get(name)
        try:
            return simple(*values) if simple else None
        except TypeError:
            return None

    def first_symbol(self, operand):
        """The variable that an address is made from, by the text."""
        name = register_of(operand)
        for _ in range(24):
            if not name.startswith("%") or name not in self.definitions:
                return name
            name = register_of(self.body[self.definitions[name][0]].operands[1])
        return name

    def is_loop_invariant(self, operand, members):
        """Whether nothing in the loop redefines what the operand is made of."""
        seen, work = set(), [register_of(operand)]
        while work:
            register = work.pop()
            if register in seen:
                continue
            seen.add(register)
            for i in self.definitions.get(register, []):
                s = self.body[i]
                if i in members and len(self.definitions[register]) > 1:
                    return False
                for source in s.operands[1:]:
                    work += re.findall(r"%[\w$]+", source)
        return True


class Edit:
    """Changes to a kernel's statements."""

    def __init__(self):
        self.replaced, self.added_before, self.added_after, self.registers = {}, {}, {}, []

    def register(self, type_):
        name = f"%mutant{len(self.registers)}"
        self.registers.append(f".reg .{type_} {name};")
        return name

    def replace(self, i, *lines):
        self.replaced[i] = list(lines)
        return self

    def delete(self, *indices):
        for i in indices:
            self.replaced[i] = []
        return self

    def before(self, i, *lines):
        self.added_before.setdefault(i, []).extend(lines)
        return self

    def after(self, i, *lines):
        self.added_after.setdefault(i, []).extend(lines)
        return self

    def with_operand(self, kernel, i, position, operand):
        """The statement at `i` with one operand changed."""
        s = kernel.body[i]
        operands = list(s.operands)
        operands[position] = operand
        return self.replace(i, f"{s.guard} {s.opcode} {', '.join(operands)};")

    def with_opcode(self, kernel, i, opcode):
        s = kernel.body[i]
        return self.replace(i, f"{s.guard} {opcode} {', '.join(s.operands)};")

    def apply(self, kernel):
        lines = [kernel.head, *self.registers]
        for i, s in enumerate(kernel.body):
            lines += self.added_before.get(i, [])
            if i in self.replaced:
                lines += self.replaced[i]
            else:
                lines.append(s.text + {"label": ":", "open": "", "close": ""}.get(s.kind, ";"))
            lines += self.added_after.get(i, [])
        return "\n".join(lines + [kernel.tail])
