"""Prints functions as front ends do: one operation to a line, types everywhere."""
import itertools
import re


def shape(type_):
    """The sizes of "3x?x72xbf16"; None where they are dynamic."""
    return [None if part == "?" else int(part) for part in type_.split("x")[:-1]]


def element(type_):
    return type_.split("x")[-1]


def with_element(type_, name):
    return "x".join(type_.split("x")[:-1] + [name])


def map_of(dims, letters):
    """affine_map of a projected permutation: dims "bik" in loops "bijk"."""
    numbers = ", ".join(f"d{i}" for i in range(len(letters)))
    results = ", ".join("0" if dim == "0" else f"d{letters.index(dim)}" for dim in dims)
    return f"affine_map<({numbers}) -> ({results})>"


class Function:
    """A function on tensors, or with `memrefs` on memrefs, whose last arguments are then its results."""

    def __init__(self, arguments, result=None, name="main", memrefs=False, layouts=None):
        self.kind = "memref" if memrefs else "tensor"
        self.name, self.result = name, result
        self.arguments = dict(part.split(": ") for part in arguments.split(", "))
        self.types = {"%" + key: value for key, value in self.arguments.items()}
        self.layouts = layouts or {}
        self.lines = []
        self.in_place, self.out_type = None, None
        self.numbers = itertools.count()
        self.constants = {}

    def type(self, type_):
        return f"{self.kind}<{type_}>"

    def add(self, text, type_=None):
        """Adds an operation; the name of its result of `type_`, where it has one."""
        if type_ is None:
            self.lines.append(text)
            return None
        name = f"%{next(self.numbers)}"
        self.lines.append(f"{name} = {text}")
        self.types[name] = type_
        return name

    def constant(self, value, type_="f32"):
        key = (value, type_)
        if key not in self.constants:
            name = f"%cst_{len(self.constants)}"
            self.lines.insert(0, f"{name} = arith.constant {value} : {type_}")
            self.constants[key] = name
        return self.constants[key]

    def empty(self, type_):
        if self.kind == "memref":
            return self.add(f"memref.alloc() : memref<{type_}>", type_)
        return self.add(f"tensor.empty() : tensor<{type_}>", type_)

    def fill(self, type_, value="0.000000e+00", into=None):
        scalar = self.constant(value, element(type_))
        into = into or self.empty(type_)
        operands = f"ins({scalar} : {element(type_)}) outs({into} : {self.type(type_)})"
        if self.kind == "memref":
            self.add(f"linalg.fill {operands}")
            return into
        return self.add(f"linalg.fill {operands} -> {self.type(type_)}", type_)

    def op(self, name, inputs, into, attributes=""):
        """A named operation of linalg; its result, on memrefs its output."""
        types = ", ".join(self.type(self.types[value]) for value in inputs)
        out = self.types[into]
        text = f"{name} {attributes}ins({', '.join(inputs)} : {types}) outs({into} : {self.type(out)})"
        if self.kind == "memref":
            self.add(text)
            return into
        return self.add(f"{text} -> {self.type(out)}", out)

    def generic(self, letters, inputs, into, body, reductions=""):
        """linalg.generic over the loops `letters`: inputs and output as (value, dims), the body as lines that use %in0,
        %in1 and %out; what it yields is %r."""
        operands = list(inputs) + [into]
        maps = ", ".join(map_of(dims, letters) for _, dims in operands)
        kinds = ", ".join(f'"{"reduction" if x in reductions else "parallel"}"' for x in letters)
        names = [f"%in{i}" for i in range(len(inputs))] + ["%out"]
        args = ", ".join(f"{n}: {element(self.types[v])}" for n, (v, _) in zip(names, operands))
        ins = ""
        if inputs:
            ins = (f" ins({', '.join(v for v, _ in inputs)} : "
                   f"{', '.join(self.type(self.types[v]) for v, _ in inputs)})")
        body = self.renamed(body)
        result = body.pop()
        out = self.types[into[0]]
        end = "}" if self.kind == "memref" else f"}} -> {self.type(out)}"
        text = "\n".join([
            f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}}{ins} "
            f"outs({into[0]} : {self.type(out)}) {{", f"  ^bb0({args}):",
            *(f"    {line}" for line in body), f"    linalg.yield {result} : {element(out)}", f"  {end}"
        ])
        if self.kind == "memref":
            self.add(text)
            return into[0]
        return self.add(text, out)

    def renamed(self, body):
        """The lines of `body` with names of their own, and the name of %r."""
        names = {}
        for line in body:
            found = re.match(r"(%\w+) = ", line)
            if found:
                names[found[1]] = f"%{next(self.numbers)}"
        return [re.sub(r"%\w+", lambda m: names.get(m[0], m[0]), line) for line in [*body, "%r"]]

    def product(self, form, a, b, into, first="a"):
        """A contraction as linalg.generic: `form` as of einsum, with bodies as torch-mlir and IREE print them."""
        left, out = form.split("->")
        left, right = left.split(",")
        letters = out + "".join(dict.fromkeys(x for x in left + right if x not in out))
        total = element(self.types[into])
        body, factors = [], []
        for i, value in enumerate((a, b)):
            source = element(self.types[value])
            if source == total:
                factors.append(f"%in{i}")
            else:
                body.append(f"%x{i} = arith.extf %in{i} : {source} to {total}")
                factors.append(f"%x{i}")
        body += [f"%m = arith.mulf {', '.join(factors)} : {total}", f"%r = arith.addf %out, %m : {total}"]
        return self.generic(letters, [(a, left), (b, right)], (into, out), body,
                            "".join(x for x in letters if x not in out))

    def einsum(self, form, a, b, out="f32"):
        """A product into zeros, with the sizes of its operands."""
        left, result = form.split("->")
        sizes = {}
        for dims, value in zip(left.split(","), (a, b)):
            sizes.update(zip(dims, self.types[value].split("x")))
        type_ = "x".join([sizes[x] for x in result] + [out])
        return self.product(form, a, b, self.fill(type_))

    def pointwise(self, inputs, into, body):
        """Elementwise on operands with their dims as letters; the loops are those of the output."""
        return self.generic(into[1], inputs, into, body)

    def cast(self, value, to):
        source, type_ = element(self.types[value]), with_element(self.types[value], to)
        dims = "abcdefgh"[:len(shape(type_))]
        wide = ("f32", "f64").__contains__
        op = "arith.extf" if wide(to) and not wide(source) else "arith.truncf"
        return self.pointwise([(value, dims)], (self.empty(type_), dims), [f"%r = {op} %in0 : {source} to {to}"])

    def transpose(self, value, permutation):
        parts = self.types[value].split("x")
        type_ = "x".join([parts[i] for i in permutation] + parts[-1:])
        return self.op_permuted(value, self.empty(type_), permutation)

    def op_permuted(self, value, into, permutation):
        out = self.types[into]
        text = (f"linalg.transpose ins({value} : {self.type(self.types[value])}) outs({into} : {self.type(out)}) "
                f"permutation = {list(permutation)}")
        if self.kind == "memref":
            self.add(text)
            return into
        return self.add(text, out)

    def collapse(self, value, groups, type_):
        return self.add(f"{self.kind}.collapse_shape {value} {groups} : {self.type(self.types[value])} into "
                        f"{self.type(type_)}", type_)

    def expand(self, value, groups, type_):
        sizes = [int(x) for x in type_.split("x")[:-1]]
        return self.add(f"{self.kind}.expand_shape {value} {groups} output_shape {sizes} : "
                        f"{self.type(self.types[value])} into {self.type(type_)}", type_)

    def slice(self, value, offsets, sizes, type_):
        ones = [1] * len(offsets)
        return self.add(f"tensor.extract_slice {value}{offsets} {sizes} {ones} : {self.type(self.types[value])} to "
                        f"{self.type(type_)}", type_)

    def returns(self, *values):
        types = ", ".join(self.type(self.types[v]) for v in values)
        self.result = types
        self.lines.append(f"return {', '.join(values)} : {types}")
        self.out_type = element(self.types[values[0]])
        return self

    def into(self, value):
        """The argument that holds the result of a function that returns none."""
        self.in_place = list(self.arguments).index(value.lstrip("%"))
        self.out_type = element(self.types[value])
        return self

    def text(self):
        def type_of(key, value):
            return self.layouts.get(key) or (value if re.fullmatch(r"[a-z]+\d+", value) else self.type(value))

        arguments = ", ".join(f"%{k}: {type_of(k, v)}" for k, v in self.arguments.items())
        result = f" -> ({self.result})" if self.result else ""
        if not self.lines or not self.lines[-1].startswith("return"):
            self.lines.append("return")
        body = "\n".join("  " + line for line in self.lines)
        return f"func.func @{self.name}({arguments}){result} {{\n{body}\n}}\n"
