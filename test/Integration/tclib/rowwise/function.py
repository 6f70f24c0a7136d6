"""A function on rows: its text, and what it computes."""
import dataclasses

import numpy as np

from .numbers import BITS, FUNCTIONS, NAMED, Number, divide, is_float, literal, reduce_row, subtract


def parallel(loops):
    return ", ".join(['"parallel"'] * loops)


@dataclasses.dataclass(eq=False)
class Value:
    """A tensor: its dimensions are those of rows and the column, or None of one element."""
    name: str
    dims: tuple
    type: str
    number: Number = None
    static: bool = False  # whatever the function's sizes are
    part: tuple = None  # a dimension and its size in this tensor alone

    def has_column(self, rank):
        return rank - 1 in self.dims


@dataclasses.dataclass(eq=False)
class Step:
    """An operation on tensors. Scalars of `body` are numbers: those of `ins`, then one for each of its operations."""
    form: str  # generic, tensor, named, map, reduce, softmax, broadcast, view, parts, pick
    ins: list
    outs: list
    body: list = dataclasses.field(default_factory=list)  # (operation, scalars, type, attribute)
    yields: list = dataclasses.field(default_factory=list)
    kinds: list = None  # of reductions
    inits: list = None  # a number to fill with, or a tensor
    order: list = None  # dimensions of the loops
    units: bool = False  # a loop over the dimension of one element
    parts: list = None  # Part, one after the other along dimension `dim`
    dim: int = None
    style: str = ""  # how parts are put together

    def used(self):
        return [*self.ins, *(init for init in self.inits or [] if isinstance(init, Value))]


@dataclasses.dataclass(eq=False)
class Part:
    """Of `value` from `start` on, maybe negated; without a value the number."""
    value: Value
    start: int
    size: int
    negated: bool = False
    number: float = 0


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
        if step.form == "parts":
            step.outs[0].number = self.join(step)
            return
        if step.form == "pick":
            x, label = (value.number for value in step.ins)
            whole = (*self.sizes[:-1], 1)
            label = np.broadcast_to(label.v, whole)
            x = [np.broadcast_to(part, self.sizes) for part in (x.v, x.e)]
            step.outs[0].number = Number(*(np.take_along_axis(part, label, -1) for part in x))
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

    def join(self, step):
        arrays = []
        for part in step.parts:
            sizes = list(self.sizes)
            if part.value is None:
                sizes[step.dim] = part.size
                v = np.full(sizes, part.number, np.float64 if is_float(step.outs[0].type) else np.int64)
                arrays.append((v, np.zeros(sizes)))
                continue
            if part.value.part:
                sizes[step.dim] = part.value.part[1]
            at = (slice(None), ) * step.dim + (slice(part.start, part.start + part.size), )
            v, e = (np.broadcast_to(array, sizes)[at] for array in (part.value.number.v, part.value.number.e))
            arrays.append((-v if part.negated else v, e))
        return Number(*(np.concatenate(array, step.dim) for array in zip(*arrays)))

    def evaluate_all(self):
        for step in self.steps:
            self.evaluate(step)

    def shape(self, value):
        return tuple(1 if dim is None else value.part[1] if value.part and dim == value.part[0] else self.sizes[dim]
                     for dim in value.dims)

    def array(self, value):
        """Values and bounds of a tensor, in its own dimensions."""
        whole = [size if dim in value.dims else 1 for dim, size in enumerate(self.sizes)]
        if value.part:
            whole[value.part[0]] = value.part[1]
        order = [dim for dim in value.dims if dim is not None]
        order += [dim for dim in range(self.rank) if dim not in order]
        return [np.broadcast_to(part, whole).transpose(order).reshape(self.shape(value))
                for part in (value.number.v, value.number.e)]

    # Its text.

    def type(self, value):
        extents = ["1" if dim is None else "?" if self.dynamic[dim] and not value.static else str(size)
                   for dim, size in zip(value.dims, self.shape(value))]
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
        if step.form in ("parts", "pick"):
            getattr(self, f"write_{step.form}")(step, lines)
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

    def write_pick(self, step, lines):
        """An element of each row, as torch-mlir prints gather."""
        (x, label), out = step.ins, step.outs[0]
        rows = [f"d{i}" for i in range(self.rank - 1)]
        same = f"affine_map<({', '.join(rows)}) -> ({', '.join(rows)})>"
        empty, name = self.empty(out, lines), out.name
        lines += [f"  {name} = linalg.generic {{indexing_maps = [{same}, {same}], iterator_types = "
                  f"[{parallel(len(rows))}]}}",
                  f"      {self.ins([label])} outs({empty} : {self.type(out)}) {{",
                  f"    ^bb0(%l: {label.type}, %o: {out.type}):",
                  f"      %at = arith.index_cast %l : {label.type} to index",
                  *(f"      %i{i} = linalg.index {i} : index" for i in range(len(rows))),
                  f"      %e = tensor.extract {x.name}[{', '.join([*(f'%i{i}' for i in range(len(rows))), '%at'])}] : "
                  f"{self.type(x)}",
                  f"      linalg.yield %e : {out.type}", f"  }} -> {self.type(out)}"]

    def write_parts(self, step, lines):
        out, dim = step.outs[0], step.dim
        name, whole = out.name, self.type(step.outs[0])
        sizes = [f"%size{d}" if self.dynamic[d] else str(self.sizes[d]) for d in range(self.rank)]

        def places(start, size):
            first = [str(start) if d == dim else "0" for d in range(self.rank)]
            extents = [str(size) if d == dim else sizes[d] for d in range(self.rank)]
            return f"[{', '.join(first)}] [{', '.join(extents)}] [{', '.join('1' * self.rank)}]"

        if step.style == "branches":
            self.write_branches(step, lines)
            return
        names, types, start = [], [], 0
        for at, part in enumerate(step.parts):
            own = Value(f"{name}_{at}", out.dims, out.type, part=(dim, part.size))
            kind = self.type(own)
            if part.value is None:
                lines.append(f"  {own.name}_c = arith.constant {literal(part.number, out.type)} : {out.type}")
                dynamic = ", ".join(size for d, size in enumerate(sizes) if self.dynamic[d])
                lines.append(f"  {own.name}_e = tensor.empty({dynamic}) : {kind}")
                lines.append(f"  {own.name} = linalg.fill ins({own.name}_c : {out.type}) outs({own.name}_e : {kind}) -> {kind}")
            elif part.value.part:
                own.name = part.value.name
            else:
                lines.append(f"  {own.name} = tensor.extract_slice {part.value.name}{places(part.start, part.size)} : "
                             f"{self.type(part.value)} to {kind}")
            if part.negated:
                lines.append(f"  {name}_{at}_n = arith.negf {own.name} : {kind}")
                own.name = f"{name}_{at}_n"
            names.append(own.name)
            types.append(kind)
        if step.style == "pad":
            low, high = step.parts[0].size, step.parts[2].size
            bounds = ["[" + ", ".join(str(size) if d == dim else "0" for d in range(self.rank)) + "]" for size in (low, high)]
            indices = ", ".join(f"%i{d}: index" for d in range(self.rank))
            lines += [f"  {name}_p = arith.constant {literal(step.parts[0].number, out.type)} : {out.type}",
                      f"  {name} = tensor.pad {names[1]} low{bounds[0]} high{bounds[1]} {{", f"  ^bb0({indices}):",
                      f"    tensor.yield {name}_p : {out.type}", f"  }} : {types[1]} to {whole}"]
        elif step.style == "concat":
            lines.append(f"  {name} = tensor.concat dim({dim}) {', '.join(names)} : ({', '.join(types)}) -> {whole}")
        else:
            into = self.empty(out, lines)
            for at, (one, kind, part) in enumerate(zip(names, types, step.parts)):
                result = name if at + 1 == len(names) else f"{name}_w{at}"
                lines.append(f"  {result} = tensor.insert_slice {one} into {into}{places(start, part.size)} : "
                             f"{kind} into {whole}")
                into, start = result, start + part.size

    def write_branches(self, step, lines):
        """As StableHLO lowers concatenations: an element of the part whose turn it is."""
        out, rank = step.outs[0], self.rank
        loops = ", ".join(f"d{i}" for i in range(rank))
        same = f"affine_map<({loops}) -> ({loops})>"
        empty, name = self.empty(out, lines), out.name
        lines += [f"  {name} = linalg.generic {{indexing_maps = [{same}], iterator_types = "
                  f"[{parallel(rank)}]}} outs({empty} : {self.type(out)}) {{",
                  f"    ^bb0(%o: {out.type}):", *(f"      %i{i} = linalg.index {i} : index" for i in range(rank))]
        start = 0
        for at, part in enumerate(step.parts):
            last = at + 1 == len(step.parts)
            if not last:
                lines += [f"      %b{at} = arith.constant {start + part.size} : index",
                          f"      %k{at} = arith.cmpi ult, %i{step.dim}, %b{at} : index",
                          f"      %r{at} = scf.if %k{at} -> ({out.type}) {{"]
            places = ", ".join(f"%p{at}" if d == step.dim else f"%i{d}" for d in part.value.dims)
            lines += [f"      %f{at} = arith.constant {start} : index", f"      %p{at} = arith.subi %i{step.dim}, %f{at} : index",
                      f"      %e{at} = tensor.extract {part.value.name}[{places}] : {self.type(part.value)}"]
            if last:
                lines += [f"      scf.yield %e{at} : {out.type}", "      }"]
            else:
                lines += [f"      scf.yield %e{at} : {out.type}", "      } else {"]
            start += part.size
        for at in reversed(range(len(step.parts) - 2)):
            lines += [f"      scf.yield %r{at + 1} : {out.type}", "      }"]
        lines += [f"      linalg.yield %r0 : {out.type}", f"  }} -> {self.type(out)}"]

    def prune(self):
        """Without steps and arguments that nothing reads."""
        live = set(map(id, self.results))
        for step in reversed(self.steps):
            if any(id(out) in live for out in step.outs):
                live.update(map(id, step.used()))
                live.update(map(id, step.outs))
        self.steps = [step for step in self.steps if id(step.outs[0]) in live]
        self.args = self.args[:1] + [arg for arg in self.args[1:] if id(arg) in live]
