"""A function on rows: its text, and what it computes."""
import dataclasses

import numpy as np

from .numbers import BITS, FUNCTIONS, NAMED, Number, divide, is_float, literal, reduce_row, subtract


@dataclasses.dataclass(eq=False)
class Value:
    """A tensor: its dimensions are those of rows and the column, or None of one element."""
    name: str
    dims: tuple
    type: str
    number: Number = None
    static: bool = False  # whatever the function's sizes are

    def has_column(self, rank):
        return rank - 1 in self.dims


@dataclasses.dataclass(eq=False)
class Step:
    """An operation on tensors. Scalars of `body` are numbers: those of `ins`, then one for each of its operations."""
    form: str  # generic, tensor, named, map, reduce, softmax, broadcast, view
    ins: list
    outs: list
    body: list = dataclasses.field(default_factory=list)  # (operation, scalars, type, attribute)
    yields: list = dataclasses.field(default_factory=list)
    kinds: list = None  # of reductions
    inits: list = None  # a number to fill with, or a tensor
    order: list = None  # dimensions of the loops
    units: bool = False  # a loop over the dimension of one element

    def used(self):
        return [*self.ins, *(init for init in self.inits or [] if isinstance(init, Value))]


class Function:
    """Arguments, steps and results; sizes of rows and, last, of columns."""

    def __init__(self, sizes, dynamic):
        self.sizes, self.dynamic, self.rank = sizes, dynamic, len(sizes)
        self.args, self.steps, self.results = [], [], []
        self.in_f32 = True

    # What it computes.

    def evaluate(self, step):
        with np.errstate(all="ignore"):
            self._evaluate(step)

    def _evaluate(self, step):
        if step.form in ("view", "broadcast"):
            step.outs[0].number = step.ins[0].number
            return
        if step.form == "softmax":
            x, element = step.ins[0].number, step.ins[0].type
            top = reduce_row("arith.maximumf", x, self.sizes[-1], element, self.in_f32)
            weights = FUNCTIONS["math.exp"](subtract(x, top, element), element)
            total = reduce_row("arith.addf", weights, self.sizes[-1], element, self.in_f32)
            step.outs[0].number = divide(weights, total, element)
            return
        scalars = [value.number for value in step.ins]
        for operation, operands, element, attribute in step.body:
            if operation == "constant":
                number = Number(np.full((1, ) * self.rank, attribute))
            elif operation == "index":
                shape = [1] * self.rank
                shape[attribute] = self.sizes[attribute]
                number = Number(np.arange(self.sizes[attribute]).reshape(shape))
            else:
                number = FUNCTIONS[operation](*(scalars[i] for i in operands), element)
            scalars.append(number)
        for at, (out, scalar) in enumerate(zip(step.outs, step.yields)):
            number = scalars[scalar]
            if step.kinds:
                number = reduce_row(step.kinds[at], number, self.sizes[-1], out.type, self.in_f32)
                init = step.inits[at]
                start = init.number if isinstance(init, Value) else Number(
                    np.full((1, ) * self.rank, init, np.float64 if is_float(out.type) else np.int64))
                number = FUNCTIONS[step.kinds[at]](start, number, out.type)
            out.number = number

    def evaluate_all(self):
        for step in self.steps:
            self.evaluate(step)

    def shape(self, value):
        return tuple(1 if dim is None else self.sizes[dim] for dim in value.dims)

    def array(self, value):
        """Values and bounds of a tensor, in its own dimensions."""
        whole = [size if dim in value.dims else 1 for dim, size in enumerate(self.sizes)]
        order = [dim for dim in value.dims if dim is not None]
        order += [dim for dim in range(self.rank) if dim not in order]
        return [np.broadcast_to(part, whole).transpose(order).reshape(self.shape(value))
                for part in (value.number.v, value.number.e)]

    # Its text.

    def type(self, value):
        extents = ["1" if dim is None else "?" if self.dynamic[dim] and not value.static else str(self.sizes[dim])
                   for dim in value.dims]
        return f"tensor<{'x'.join([*extents, value.type])}>"

    def types(self, values):
        return ", ".join(map(self.type, values))

    def ins(self, values):
        return f"ins({', '.join(v.name for v in values)} : {self.types(values)})" if values else ""

    def text(self):
        lines = [f"  %size{dim} = tensor.dim %arg0, %c{dim} : {self.type(self.args[0])}"
                 for dim in range(self.rank) if self.dynamic[dim]]
        lines = [f"  %c{dim} = arith.constant {dim} : index" for dim in range(self.rank) if self.dynamic[dim]] + lines
        for step in self.steps:
            self.write(step, lines)
        arguments = ", ".join(f"{arg.name}: {self.type(arg)}" for arg in self.args)
        return "\n".join([f"func.func @f({arguments}) -> ({self.types(self.results)}) {{", *lines,
                          f"  return {', '.join(v.name for v in self.results)} : {self.types(self.results)}", "}", ""])

    def empty(self, value, lines):
        sizes = ", ".join(f"%size{dim}" for dim in value.dims if dim is not None and self.dynamic[dim])
        name = value.name.replace("#", "_") + "_e"
        lines.append(f"  {name} = tensor.empty({sizes}) : {self.type(value)}")
        return name

    def start(self, step, at, lines):
        """What output number `at` of a step is written into."""
        out = step.outs[at]
        if step.inits and isinstance(step.inits[at], Value):
            return step.inits[at].name
        empty = self.empty(out, lines)
        if not step.inits:
            return empty
        name = empty[:-2]
        lines.append(f"  {name}_c = arith.constant {literal(step.inits[at], out.type)} : {out.type}")
        lines.append(f"  {name}_i = linalg.fill ins({name}_c : {out.type}) outs({empty} : {self.type(out)}) -> "
                     f"{self.type(out)}")
        return f"{name}_i"

    def write(self, step, lines):
        out, kind = step.outs[0], self.type(step.outs[0])
        if step.form == "view":
            source = step.ins[0]
            narrow, wide = sorted((source.dims, out.dims), key=len)
            groups = [[i] for i in range(len(narrow))]
            if groups:
                groups[-1] += range(len(narrow), len(wide))
            if wide is out.dims:
                sizes = ", ".join("1" if dim is None else f"%size{dim}" if self.dynamic[dim] and not source.static else
                                  str(self.sizes[dim]) for dim in wide)
                lines.append(f"  {out.name} = tensor.expand_shape {source.name} {groups} output_shape [{sizes}] : "
                             f"{self.type(source)} into {kind}")
            else:
                lines.append(f"  {out.name} = tensor.collapse_shape {source.name} {groups} : {self.type(source)} into {kind}")
            return
        operation = step.body[-1][0] if step.body else ""
        if step.form == "tensor":
            lines.append(f"  {out.name} = {operation} {', '.join(v.name for v in step.ins)} : {kind}")
            return
        starts = [self.start(step, at, lines) for at in range(len(step.outs))]
        outs = f"outs({', '.join(starts)} : {self.types(step.outs)})"
        if step.form == "softmax":
            lines.append(f"  {out.name} = linalg.softmax dimension({self.rank - 1}) {self.ins(step.ins)} {outs} -> {kind}")
        elif step.form == "broadcast":
            missing = [at for at, dim in enumerate(out.dims) if dim not in step.ins[0].dims]
            lines.append(f"  {out.name} = linalg.broadcast {self.ins(step.ins)} {outs} dimensions = {missing}")
        elif step.form == "named":
            lines.append(f"  {out.name} = linalg.{NAMED[operation]} {self.ins(step.ins)} {outs} -> {kind}")
        elif step.form == "map":
            lines.append(f"  {out.name} = linalg.map {{ {operation} }} {self.ins(step.ins)} {outs}")
        elif step.form == "reduce":
            lines.append(f"  {out.name} = linalg.reduce {{ {step.kinds[0]} }} {self.ins(step.ins)} {outs} dimensions = "
                         f"[{self.rank - 1}]")
        else:
            self.write_generic(step, outs, lines)

    def write_generic(self, step, outs, lines):
        loops = ", ".join(f"d{i}" for i in range(len(step.order)))
        place = {dim: f"d{at}" for at, dim in enumerate(step.order)}
        maps = []
        for value in [*step.ins, *step.outs]:
            results = [place[self.rank - 1] if dim is None and step.units else "0" if dim is None else place[dim]
                       for dim in value.dims]
            maps.append(f"affine_map<({loops}) -> ({', '.join(results)})>")
        kinds = ", ".join('"reduction"' if step.kinds and dim == self.rank - 1 else '"parallel"' for dim in step.order)
        name = step.outs[0].name.replace("#0", f":{len(step.outs)}")
        arguments = [f"%s{i}: {v.type}" for i, v in enumerate(step.ins)] + [f"%o{i}: {v.type}"
                                                                            for i, v in enumerate(step.outs)]
        lines.append(f"  {name} = linalg.generic {{indexing_maps = [{', '.join(maps)}], "
                     f"iterator_types = [{kinds}]}}")
        lines.append(f"      {self.ins(step.ins)} {outs} {{")
        lines.append(f"    ^bb0({', '.join(arguments)}):")
        types = [value.type for value in step.ins]
        for operation, operands, element, attribute in step.body:
            here = f"      %s{len(types)} ="
            names = ", ".join(f"%s{i}" for i in operands)
            if operation == "constant":
                lines.append(f"{here} arith.constant {literal(attribute, element)} : {element}")
            elif operation == "index":
                lines.append(f"{here} linalg.index {step.order.index(attribute)} : index")
            elif operation.startswith("arith.cmp"):
                lines.append(f"{here} {operation} {names} : {types[operands[0]]}")
            elif len(operands) == 1 and types[operands[0]] != element:
                lines.append(f"{here} {operation} {names} : {types[operands[0]]} to {element}")
            else:
                lines.append(f"{here} {operation} {names} : {element}")
            types.append(element)
        yields = [f"%s{i}" for i in step.yields]
        for at, kind in enumerate(step.kinds or []):
            lines.append(f"      %r{at} = {kind} {yields[at]}, %o{at} : {step.outs[at].type}")
            yields[at] = f"%r{at}"
        lines.append(f"      linalg.yield {', '.join(yields)} : {', '.join(v.type for v in step.outs)}")
        types = self.types(step.outs)
        lines.append(f"  }} -> {types if len(step.outs) == 1 else f'({types})'}")

    def prune(self):
        """Without steps and arguments that nothing reads."""
        live = set(map(id, self.results))
        for step in reversed(self.steps):
            if any(id(out) in live for out in step.outs):
                live.update(map(id, step.used()))
                live.update(map(id, step.outs))
        self.steps = [step for step in self.steps if id(step.outs[0]) in live]
        self.args = self.args[:1] + [arg for arg in self.args[1:] if id(arg) in live]
