"""Draws functions on rows."""
import numpy as np

from ..drawn import numbers as formats
from .function import Function, Part, Step, Value
from .numbers import BITS, LOSS, NEUTRAL, Number, is_float

COLUMNS = [1, 2, 3, 31, 32, 33, 127, 128, 129, 768, 1000, 1024, 2048, 2999]
MAX_ELEMENTS = 40000


class Body:
    """Scalars of a step under construction, with their numbers: operations that would say nothing are not taken."""

    def __init__(self, function, ins):
        self.function, self.ins, self.body = function, ins, []
        self.types = [value.type for value in ins]
        self.numbers = [value.number for value in ins]

    def op(self, operation, operands, element, attribute=None):
        self.body.append((operation, operands, element, attribute))
        step = Step("generic", self.ins, [Value("", (), element)], self.body, [len(self.types)])
        self.function.evaluate(step)
        self.types.append(element)
        self.numbers.append(step.outs[0].number)
        return len(self.types) - 1

    def constant(self, value, element):
        return self.op("constant", (), element, value)

    def convert(self, scalar, element):
        """`scalar` as a number of another type."""
        own, number = self.types[scalar], self.numbers[scalar]
        if own == element:
            return scalar
        if own == "index":
            return self.convert(self.op("arith.index_cast", (scalar, ), "i32"), element)
        wider = BITS[element] > BITS[own]
        if is_float(own) and is_float(element):
            if BITS[own] == BITS[element]:
                scalar, wider = self.op("arith.extf", (scalar, ), "f32"), False
            return self.op("arith.extf" if wider else "arith.truncf", (scalar, ), element)
        if is_float(element):
            if own == "i1":
                scalar = self.convert(scalar, "i32")
            return self.op("arith.sitofp", (scalar, ), element)
        if is_float(own):
            if (number.e > 0).any() or not (np.abs(number.v) < 100).all():
                return self.constant(3, element)
            return self.op("arith.fptosi", (scalar, ), element)
        if own == "i1" and (number.e > 0).any():
            return self.constant(1, element)
        return self.op("arith.extui" if own == "i1" else "arith.extsi" if wider else "arith.trunci", (scalar, ), element)

    def largest(self, scalar):
        number = self.numbers[scalar]
        v = np.abs(number.v[np.isfinite(number.v)]) if is_float(self.types[scalar]) else np.abs(number.v)
        return float(v.max(initial=0))


def says_enough(number, element):
    """Whether a right result and a wrong one differ at most places."""
    if not is_float(element):
        return bool((number.e == 0).mean() > 0.5) if number.e.size else True
    known = number.e < np.inf
    finite = known & np.isfinite(number.v)
    if not finite.any():
        return number.v.size == 0 or bool(known.all())
    size = np.abs(number.v[finite])
    return known.mean() > 0.8 and np.median(number.e[finite]) <= 0.03 * (np.median(size) + 2.0**-6) and (
        size.max() < (1000 if element == "f16" else 1e7))


class Draw:
    """Draws a function from its number."""

    def __init__(self, seed):
        self.rng = np.random.default_rng([seed, 28])
        self.special = self.chance(0.2)
        rank = self.pick([0, 1, 1, 1, 1, 2, 2, 3]) + 1
        columns = self.pick(COLUMNS) if self.chance(0.7) else int(self.rng.integers(1, 3001))
        columns = 0 if self.chance(0.01) else columns
        rows = int(self.rng.integers(1, max(2, min(70, MAX_ELEMENTS // max(columns, 1)) + 1)))
        sizes = []
        for _ in range(rank - 2):
            part = self.pick([1, 2, 3, 4, 5])
            sizes.append(part)
            rows = max(1, rows // part)
        sizes += [rows] if rank > 1 else []
        self.rng.shuffle(sizes)
        if sizes and self.chance(0.02):
            sizes[0] = 0
        sizes = [int(size) for size in sizes] + [columns]
        dynamic = [self.chance(0.7) for _ in sizes] if self.chance(0.35) else [False] * rank
        self.f, self.rank = Function(sizes, dynamic), rank
        self.values = [self.argument(tuple(range(rank)), self.pick(["f32", "f32", "f32", "bf16", "f16", "f64", "i32", "i8"]))]
        count, reductions = int(self.rng.integers(2, 9)), self.pick([1, 1, 2, 2, 3])
        places = set(self.rng.choice(count, min(reductions, count), replace=False).tolist())
        for at in range(count):
            for _ in range(12):
                if self.take(self.reduction() if at in places else self.other()):
                    break
        self.finish()

    def chance(self, probability):
        return bool(self.rng.random() < probability)

    def pick(self, items):
        return items[int(self.rng.integers(len(items)))]

    def argument(self, dims, element):
        f = self.f
        shape = [f.sizes[dim] if dim in dims else 1 for dim in range(self.rank)]
        if element == "i1":
            v = self.rng.integers(0, 2, shape)
        elif not is_float(element):
            most = self.pick([8, 100, 2**(min(BITS[element], 32) - 1)])
            v = self.rng.integers(-most, most, shape)
        else:
            kind = self.pick(["uniform", "uniform", "whole", "positive"])
            v = self.rng.integers(-4, 5, shape).astype(np.float64) if kind == "whole" else self.rng.uniform(
                0.5 if kind == "positive" else -2, 2, shape)
            v = v.astype(np.float32).astype(np.float64) if element == "f64" else formats.rounded(v, element)
            if self.special and self.chance(0.6):
                self.put_special(v)
        # Rarely dimensions in another order, which no kernel of rows has.
        if len(dims) > 1 and None not in dims and self.f.args and self.chance(0.02):
            dims = tuple(int(dim) for dim in self.rng.permutation(dims))
        value = Value(f"%arg{len(f.args)}", dims, element, Number(v), bool(f.args) and self.chance(0.1))
        f.args.append(value)
        return value

    def put_special(self, v):
        """NaN and infinities: some elements, whole rows, or everything."""
        what = self.pick([[np.nan], [np.inf], [-np.inf], [np.nan, np.inf, -np.inf]])
        how = self.pick(["some", "some", "rows", "all"])
        where = self.rng.random(v.shape) < 3 / max(v.shape[-1], 3)
        if how == "rows":
            where = np.broadcast_to(self.rng.random((*v.shape[:-1], 1)) < 0.4, v.shape)
        elif how == "all":
            where = self.rng.random(v.shape) < self.pick([0.5, 1])
        v[where] = self.rng.choice(what, int(where.sum()))

    def dims(self):
        """Those of an operand."""
        full, kind = tuple(range(self.rank)), self.pick(["full", "row", "row", "column", "column", "scalar", "some"])
        if kind == "full" or self.rank == 1 and kind != "scalar":
            return full
        if kind == "row":
            return full[:-1] + ((None, ) if self.chance(0.4) else ())
        if kind == "column":
            return full[-1:] if self.chance(0.7) else (None, ) * (self.rank - 1) + full[-1:]
        if kind == "scalar":
            return ()
        return tuple(dim for dim in full if self.chance(0.6)) if self.chance(0.5) else tuple(
            dim if self.chance(0.6) else None for dim in full)

    def operand(self, fits=lambda value: True, fresh=0.35):
        known = [value for value in self.values if fits(value)]
        if known and not self.chance(fresh):
            return known[-1] if self.chance(0.5) else self.pick(known)
        for _ in range(20):
            dims = self.dims()
            element = self.pick(["f32", "f32", "f32", "bf16", "f16", "f64", "i32", "i8", "i64", "i1"])
            if self.chance(0.7):
                element = self.values[-1].type
            if fits(Value("", dims, element)) and fits(value := self.argument(dims, element)):
                return value
        return known[-1] if known else None

    def fresh(self, count=1):
        name = f"%v{len(self.f.steps)}"
        return [name] if count == 1 else [f"{name}#{i}" for i in range(count)]

    def take(self, step):
        """Whether `step` is one of the function now."""
        if not step:
            return False
        self.f.evaluate(step)
        if not all(says_enough(out.number, out.type) for out in step.outs):
            return False
        self.f.steps.append(step)
        self.values += step.outs
        return True

    def combine(self, body, a, b):
        """One scalar of two."""
        element = body.types[a] if self.chance(0.6) else body.types[b]
        if element in ("i1", "index"):
            element = "f32"
        if {body.types[a], body.types[b]} <= set(LOSS) and BITS[body.types[a]] != BITS[body.types[b]] and self.chance(0.6):
            element = max(body.types[a], body.types[b], key=BITS.get)
        a, b = body.convert(a, element), body.convert(b, element)
        if not is_float(element):
            return body.op(self.pick(["arith.addi", "arith.subi", "arith.muli", "arith.maxsi", "arith.minsi", "arith.andi",
                                      "arith.xori"]), (a, b), element)
        divisor = body.numbers[b]
        if self.chance(0.25) and divisor.v.size and (np.abs(divisor.v) - divisor.e > 0.05).all():
            return body.op("arith.divf", (a, b), element)
        if self.chance(0.15):
            predicate = self.pick(["ogt", "oge", "olt", "ole", "oeq", "ugt", "une"])
            c = body.op(f"arith.cmpf {predicate},", (a, b), "i1")
            return body.op("arith.select", (c, a, b), element)
        return body.op(self.pick(["arith.addf", "arith.subf", "arith.mulf", "arith.maximumf", "arith.minimumf",
                                  "arith.maxnumf", "arith.minnumf"]), (a, b), element)

    def alter(self, body, a):
        """One scalar of one."""
        element, number = body.types[a], body.numbers[a]
        if element in ("i1", "index"):
            return body.convert(a, "f32")
        if not is_float(element):
            return body.op(self.pick(["arith.addi", "arith.muli", "arith.xori"]),
                           (a, body.constant(self.pick([1, 3, -5]), element)), element)
        choice = self.pick(["scale", "scale", "exp", "sqrt", "rsqrt", "tanh", "sign", "cast", "clamp"])
        if element == "f64" and choice in ("exp", "sqrt", "rsqrt", "tanh"):
            return body.convert(a, "f32")
        most = body.largest(a)
        if choice == "scale":
            return body.op(self.pick(["arith.mulf", "arith.addf", "arith.subf"]),
                           (a, body.constant(self.pick([0.5, -1.5, 2.0, 0.25]), element)), element)
        if choice == "exp" and (number.v[np.isfinite(number.v)].max(initial=0) < 4 or most < 6):
            return body.op("math.exp", (a, ), element)
        if choice in ("sqrt", "rsqrt"):
            if not (number.v - number.e > 0.01).all():
                a = body.op("arith.mulf", (a, a), element)
                a = body.op("arith.addf", (a, body.constant(0.5, element)), element)
            return body.op(f"math.{choice}", (a, ), element)
        if choice == "tanh":
            return body.op("math.tanh", (a, ), element)
        if choice == "sign":
            return body.op(self.pick(["arith.negf", "math.absf"]), (a, ), element)
        if choice == "cast":
            return body.convert(a, self.pick(["f32", "f16", "bf16", "f64", "i32", "i8"]))
        return body.op(self.pick(["arith.maximumf", "arith.minnumf"]), (a, body.constant(0.0, element)), element)

    def mask(self, body, a):
        """`a` where its place is right, as causal attention has it."""
        column = body.op("index", (), "index", self.rank - 1)
        element = body.types[a]
        if self.rank > 1 and self.chance(0.7):
            other = body.op("index", (), "index", self.pick(range(self.rank - 1)))
        else:
            other = body.constant(self.pick([0, 1, 7, 500]), "index")
        if self.chance(0.3):
            column, other = body.convert(column, "i32"), body.convert(other, "i32")
        c = body.op(f"arith.cmpi {self.pick(['sle', 'sle', 'slt', 'sgt', 'eq', 'ne'])},", (column, other), "i1")
        rest = self.pick([-np.inf, 0.0, -1e30 if element in ("f32", "f64", "bf16") else -1.0]) if is_float(element) else 0
        return body.op("arith.select", (c, a, body.constant(rest, element)), element)

    def compute(self, ins):
        """A body that uses all of `ins`, and its scalar."""
        body = Body(self.f, ins)
        scalar = 0
        for other in range(1, len(ins)):
            if body.types[other] == "i1" and self.chance(0.8) and body.types[scalar] not in ("i1", "index"):
                rest = body.constant(0, body.types[scalar])
                scalar = body.op("arith.select", (other, scalar, rest), body.types[scalar])
            else:
                scalar = self.combine(body, scalar, other)
        for _ in range(self.pick([0, 0, 1, 2] if len(ins) > 1 else [1, 1, 2])):
            scalar = self.alter(body, scalar)
        if body.types[scalar] == "index":
            scalar = body.convert(scalar, "i32")
        return body, scalar

    def order(self, dims):
        order = list(dims)
        if self.chance(0.08):
            self.rng.shuffle(order)
        return [int(dim) for dim in order]

    def other(self):
        kind = self.pick(["wide"] * 6 + ["rows"] * 3 + ["mask", "view", "broadcast", "plain", "plain", "compare"] + (
            ["parts"] * 3 + ["pick"]))
        return getattr(self, "draw_" + kind)()

    def draw_wide(self, mask=False):
        ins = [self.operand(lambda v: v.has_column(self.rank), 0.1)]
        ins += [self.operand() for _ in range(self.pick([0, 1, 1, 2]))]
        ins = [value for value in dict.fromkeys(ins) if value]
        body, scalar = self.compute(ins)
        if mask:
            scalar = self.mask(body, scalar)
        yields = [scalar]
        if self.chance(0.1) and len(body.body) > 1 and body.types[-1] != "index":
            yields.append(len(body.types) - 1 if len(body.types) - 1 != scalar else scalar)
        full = tuple(range(self.rank))
        outs = [Value(name, full, body.types[at]) for name, at in zip(self.fresh(len(yields)), yields)]
        return Step("generic", ins, outs, body.body, yields, order=self.order(full))

    def draw_mask(self):
        return self.draw_wide(mask=True)

    def draw_compare(self):
        x = self.operand(lambda v: v.has_column(self.rank) and is_float(v.type), 0.1)
        if not x:
            return None
        body = Body(self.f, [x])
        c = body.op(f"arith.cmpf {self.pick(['ogt', 'une', 'ole'])},", (0, body.constant(0.5, x.type)), "i1")
        full = tuple(range(self.rank))
        return Step("generic", [x], [Value(self.fresh()[0], full, "i1")], body.body, [c], order=self.order(full))

    def draw_rows(self):
        """Of one value for each row."""
        no_column = lambda v: not v.has_column(self.rank) and len(set(v.dims) - {None}) == self.rank - 1  # noqa: E731
        first = self.operand(no_column, 0.1)
        if not first or (self.rank == 1 and first in self.f.args):
            return None
        ins = [first] + [self.operand(lambda v: not v.has_column(self.rank)) for _ in range(self.pick([0, 1, 1]))]
        ins = [value for value in dict.fromkeys(ins) if value]
        body, scalar = self.compute(ins)
        keep = self.chance(0.4)
        units = keep and self.chance(0.5) and all(v.dims[-1:] != (None, ) or len(v.dims) == self.rank for v in ins)
        dims = tuple(range(self.rank - 1))
        out = Value(self.fresh()[0], dims + ((None, ) if keep else ()), body.types[scalar])
        if units and any(None in v.dims[:-1] for v in ins):
            units = False
        return Step("generic", ins, [out], body.body, [scalar], order=[*self.order(dims), *([self.rank - 1] if units else [])],
                    units=units)

    def draw_view(self):
        x = self.operand(lambda v: v.dims in (tuple(range(self.rank - 1)), (*range(self.rank - 1), None)), 0.05)
        if not x:
            return None
        dims = x.dims[:-1] if x.dims[-1:] == (None, ) else (*x.dims, None)
        return Step("view", [x], [Value(self.fresh()[0], dims, x.type, static=x.static)])

    def draw_broadcast(self):
        full = tuple(range(self.rank))
        x = self.operand(lambda v: None not in v.dims and list(v.dims) == sorted(v.dims) and len(v.dims) < self.rank and
                         not v.static, 0.2)
        return Step("broadcast", [x], [Value(self.fresh()[0], full, x.type)]) if x else None

    def draw_plain(self):
        """Operations on tensors of one shape: of arith, named ones of linalg, linalg.map."""
        full = tuple(range(self.rank))
        x = self.operand(lambda v: v.dims == full and is_float(v.type) and not v.static, 0.05)
        y = self.operand(lambda v: x and v.dims == full and v.type == x.type and not v.static, 0.3)
        if not y:
            return None
        unary = x.type != "f64" and self.chance(0.3)
        operation = self.pick(["math.exp", "math.sqrt"] if unary else ["arith.addf", "arith.subf", "arith.mulf"])
        number = x.number
        if operation == "math.sqrt" and not (number.v - number.e > 0.01).all() or operation == "math.exp" and not (
                number.v < 6).all():
            return None
        ins = [x] if unary else [x, y]
        return Step(self.pick(["tensor", "named", "map"]), ins, [Value(self.fresh()[0], full, x.type)],
                    [(operation, tuple(range(len(ins))), x.type, None)], [len(ins)])

    def cuts(self, size, count):
        """Sizes of parts of `size`, often multiples of a chunk."""
        step = self.pick([1, 1, 8, 16]) if size >= 16 * count else 1
        if size // step < count:
            return None
        cuts = np.sort(self.rng.choice(np.arange(1, size // step), count - 1, replace=False)) * step if count > 1 else []
        return [int(part) for part in np.diff([0, *cuts, size])]

    def draw_parts(self):
        """Concatenations, rotations and pads, along any dimension whose size is known."""
        full, f = tuple(range(self.rank)), self.f
        known = [dim for dim in full if not f.dynamic[dim] and f.sizes[dim] > 1]
        x = self.operand(lambda v: v.dims == full and not v.static and not v.part, 0.2)
        if not known or not x or 0 in f.sizes or x.type == "i1":
            return None
        dim = self.rank - 1 if self.rank - 1 in known and self.chance(0.7) else self.pick(known)
        style = self.pick(["concat", "concat", "insert", "pad", "branches"])
        sizes = self.cuts(f.sizes[dim], 3 if style == "pad" else self.pick([2, 2, 3]))
        if not sizes:
            return None
        parts, ins = [], []
        for at, size in enumerate(sizes):
            source, start = x, int(self.rng.integers(0, f.sizes[dim] - size + 1))
            if style == "pad" and at != 1:
                number = 0 if parts else self.pick([0, 1.5, -2.0] if is_float(x.type) else [0, 3])
                parts.append(Part(None, 0, size, number=parts[0].number if parts else number))
                continue
            if len(sizes) == 2 and style != "branches" and self.chance(0.6):
                start = (sum(sizes[:at]) + sizes[1 - at]) % f.sizes[dim] if at == 0 else 0
                start = min(start, f.sizes[dim] - size)
            elif style != "pad" and self.chance(0.15):
                parts.append(Part(None, 0, size, number=self.pick([0, 1])))
                if style == "branches":
                    return None
                continue
            elif style == "branches" or self.chance(0.4):
                source, start = self.argument(full, x.type), 0
                source.static, source.dims, source.part = False, full, (dim, size)
                at = (slice(None), ) * dim + (slice(0, size), )
                source.number = Number(source.number.v[at])
            ins.append(source)
            negated = style != "branches" and is_float(x.type) and self.chance(0.3)
            parts.append(Part(source, start, size, negated))
        if not ins:
            return None
        return Step("parts", list(dict.fromkeys(ins)), [Value(self.fresh()[0], full, x.type)], parts=parts, dim=dim, style=style)

    def draw_pick(self):
        full = tuple(range(self.rank))
        x = self.operand(lambda v: v.dims == full and not v.static and not v.part, 0.1)
        if self.rank == 1 or not x or 0 in self.f.sizes or x.type == "i1":
            return None
        label = self.argument(full[:-1], self.pick(["i32", "i64"]))
        label.static, label.dims = False, full[:-1]
        label.number = Number(self.rng.integers(0, self.f.sizes[-1], (*self.f.sizes[:-1], 1)))
        return Step("pick", [x, label], [Value(self.fresh()[0], full[:-1], x.type)])

    def reduction(self):
        full, columns = tuple(range(self.rank)), self.f.sizes[-1]
        if self.chance(0.12):
            x = self.operand(lambda v: v.dims == full and v.type == "f32" and not v.static, 0.1)
            if not x or not (x.number.v < 1e4).all():
                return None
            return Step("softmax", [x], [Value(self.fresh()[0], full, x.type)])
        ins = [self.operand(lambda v: set(v.dims) >= set(full), 0.05)]
        short = ins[0].dims == full and not ins[0].static and self.chance(0.2)
        ins += [self.operand() for _ in range(0 if short else self.pick([0, 0, 1]))]
        ins = [value for value in dict.fromkeys(ins) if value]
        body, scalar = Body(self.f, ins), 0
        if len(ins) > 1 or self.chance(0.5) and not short:
            body, scalar = self.compute(ins)
        if body.types[scalar] == "i1":
            scalar, short = body.convert(scalar, self.pick(["f32", "i32"])), False
        element = body.types[scalar]
        if element in ("f16", "bf16") and not short and self.chance(0.7):
            scalar = body.convert(scalar, "f32")
        elif element in ("i8", "i32") and not short and self.chance(0.4):
            scalar = body.convert(scalar, self.pick(["i32", "i64"]))
        element = body.types[scalar]
        kinds, yields, inits = [], [], []
        for _ in range(1 if short else self.pick([1, 1, 1, 2])):
            kind = self.pick(["arith.addf"] * 3 + ["arith.maximumf"] * 2 + ["arith.maxnumf", "arith.minnumf", "arith.minimumf"] + (
                ["arith.mulf"] if columns <= 64 else [])) if is_float(element) else self.pick(
                    ["arith.addi"] * 2 + ["arith.maxsi", "arith.minsi", "arith.andi", "arith.ori"])
            kinds.append(kind)
            yields.append(scalar)
        dims = full[:-1] + ((None, ) if not short and self.chance(0.25) else ())
        for kind in kinds:
            start = NEUTRAL.get(kind)
            if start is None:
                start = -2**(BITS[element] - 1) if kind == "arith.maxsi" else 2**(BITS[element] - 1) - 1
            if self.chance(0.15):
                start = self.pick([0.5, 1.0, -2.0]) if is_float(element) else self.pick([1, 5, -3])
            if self.chance(0.07):
                start = self.argument(dims, element)
                start.static = False
            inits.append(start)
        outs = [Value(name, dims, element) for name in self.fresh(len(kinds))]
        if any(isinstance(init, Value) and init.dims != dims for init in inits):
            return None
        return Step("reduce" if short else "generic", ins, outs, body.body, yields, kinds, inits, self.order(full))

    def finish(self):
        """Results: what nobody reads, and some of what somebody does."""
        f = self.f
        read = {id(value) for step in f.steps for value in step.used()}
        computed = [out for step in f.steps for out in step.outs]
        leaves = [out for out in computed if id(out) not in read]
        inner = [out for out in computed if id(out) in read]
        f.results = leaves[-4:] + [out for out in inner if self.chance(0.15)]
        f.prune()


def draw(seed):
    """The function of a number."""
    while True:
        function = Draw(seed).f
        if any(step.kinds or step.form in ("softmax", "parts", "pick") for step in function.steps):
            return function
        seed += 1 << 32
