"""Kernels for IREE's CUDA target: a transform-dialect specification that replaces matmuls of a module by them.

    python -m tc.iree matmul.ptx [...] -o spec.mlir
    iree-compile model.mlir --iree-hal-target-device=cuda --iree-preprocessing-transform-spec-filename=spec.mlir ...

Each PTX file has its kernel description (.json) beside it, as tc-compile writes both. A linalg.matmul that starts from
zeros and has the types and sizes of a kernel (any size where the kernel's is known at run time) becomes its dispatch; PTX
is in the specification. IREE passes pointers, then numbers of 32 bits, and launches one block shape without clusters: other
kernels are refused with the reason. No tensor map can be passed, so that sm_90a and sm_100a need

    tc-compile --config="load-a=cp-async load-b=cp-async epilogue=direct"
"""
from __future__ import annotations

import argparse
import os
import re
import sys

from . import _description
from ._errors import InputError
from ._iree_expression import Builder
from ._types import ELEMENTS

FIELDS = "load-a=cp-async load-b=cp-async epilogue=direct"
TARGET = '#hal.executable.target<"cuda", "cuda-nvptx-fb">'
# Element types that IREE's tensors have with as many bytes as the kernels'.
TYPES = {name: kind for name, kind in ELEMENTS.items() if name in ("f32", "f16", "bf16", "e4m3", "e5m2", "i8", "i32")}


def _tensor(buffer):
    shape = "".join(f"{'?' if isinstance(size, str) else size}x" for size in buffer["shape"])
    return f"tensor<{shape}{TYPES[buffer['dtype']]}>"


class Kernel:
    """A kernel that IREE can launch."""

    def __init__(self, path, number):
        self.path, self.number = path, number
        self.code, name = _description.read_code(path)
        self.described = _description.checked(_description.read_description(_description.description_beside(name))[0])
        if self.described.get("functions"):
            self.refuse("expected a description of one function, got several")
        self.launch, self.kernel = self._check_launch()
        self.arguments = self._check_buffers()
        self.problem = self._check_problem()

    def refuse(self, text):
        raise InputError(f"{self.path}: {text}")

    def _check_launch(self):
        launches, kernels = self.described.get("launches", []), self.described.get("kernels", [])
        if len(launches) != 1:
            self.refuse(f"expected one launch, got {len(launches)}: a dispatch is one")
        kernel = kernels[launches[0]["kernel"]]
        if kernel.get("cluster", [1, 1, 1]) != [1, 1, 1]:
            self.refuse(f"kernel '{kernel['entry']}': expected no clusters, got {kernel['cluster']}: IREE launches without; "
                        'compile with --config="cluster=1x1 cta-group=1"')
        for place, parameter in enumerate(launches[0]["params"]):
            where = f"launch 0, parameter {place}"
            if "tensor_map" in parameter:
                self.refuse(f"{where}: expected a pointer or a number of 32 bits, got a tensor map, which IREE cannot pass; "
                            f'compile with --config="{FIELDS}"')
            if not {"pointer", "i32", "f32"} & set(parameter):
                self.refuse(f"{where}: expected a pointer or a number of 32 bits, got {', '.join(sorted(parameter))}, which "
                            "IREE cannot pass")
            if parameter.get("offset", 0) != 0:
                self.refuse(f"{where}: expected a whole buffer, got one from byte {parameter['offset']} on")
        return launches[0], kernel

    def _check_buffers(self):
        """The buffers that IREE passes, in the order of the function's arguments."""
        buffers = self.described["buffers"]
        for name, buffer in buffers.items():
            if buffer.get("role") == "temporary":
                self.refuse(f"buffer '{name}': expected arguments alone, got a temporary one, for which a dispatch has no place")
            if buffer.get("dtype") not in TYPES:
                self.refuse(f"buffer '{name}': expected elements of {', '.join(TYPES)}, got {buffer.get('dtype')}")
            if "strides" in buffer:
                self.refuse(f"buffer '{name}': expected rows that are adjacent, got strides")
        written = [name for name in self.described["arguments"] if buffers[name].get("role") in ("out", "inout")]
        if len(written) != 1:
            self.refuse(f"expected one buffer that is written, got {', '.join(written) or 'none'}")
        self.result, self.is_tied = written[0], buffers[written[0]]["role"] == "inout"
        scalars = self.described.get("scalars", [])
        if scalars:
            self.refuse(f"scalar '{scalars[0]['name']}': expected buffers alone, as a matmul of linalg has no scalars")
        return [name for name in self.described["arguments"] if name != self.result]

    def _check_problem(self):
        problems = self.described.get("problems", [])
        if len(problems) != 1:
            self.refuse(f"expected one problem, got {len(problems)}")
        problem = problems[0]
        for key, what in (("c", "D that is written, not added to"), ("epilogue", "a matmul without an epilogue"),
                          ("scale_a", "a matmul without scale factors"), ("metadata", "a dense A"),
                          ("batch", "a matmul without a batch"), ("scale_d", "one result"), ("amax", "one result"),
                          ("windows", "a matmul")):
            if problem.get(key) or problem["a"].get(key):
                self.refuse(f"expected {what}, got {problem.get('formula', key)}: linalg.matmul has none")
        if self.is_tied:
            self.refuse(f"expected D that is written, not added to, got {problem['formula']}")
        return problem

    def ptx(self):
        """PTX whose parameters are in IREE's order: pointers as bindings are, then numbers. The body names them."""
        params = self.launch["params"]
        bindings = [*self.arguments, self.result]
        order = [place for name in bindings for place, one in enumerate(params) if one.get("pointer") == name]
        if sorted(params[place]["pointer"] for place in order) != sorted(bindings):
            self.refuse("expected each buffer to be one parameter")
        order += [place for place, one in enumerate(params) if "pointer" not in one]
        if order == list(range(len(params))):
            return self.code
        if _description.is_cubin(self.code):
            self.refuse("expected PTX, got a cubin whose parameters are in another order than IREE's")
        text = self.code.decode()
        head = re.search(rf"\.entry\s+{re.escape(self.kernel['entry'])}\s*\(([^)]*)\)", text)
        declared = head[1].split(",") if head else []
        if len(declared) != len(params):
            self.refuse(f"kernel '{self.kernel['entry']}': expected {len(params)} parameters, got {len(declared)}")
        listed = ",\n".join("\t" + declared[place].strip() for place in order)
        return (text[:head.start(1)] + "\n" + listed + "\n" + text[head.end(1):]).encode()

    def function(self):
        """The function that dispatches the kernel."""
        buffers = self.described["buffers"]
        names = {name: f"%arg{i}" for i, name in enumerate(self.arguments)}
        builder = Builder(self.path)
        for name in self.arguments:
            for dimension, size in enumerate(buffers[name]["shape"]):
                if isinstance(size, str) and re.fullmatch(r"[A-Za-z_]\w*", size) and size not in builder.values:
                    builder.define(size, names[name], dimension, _tensor(buffers[name]))
        if missing := [size for size in self.described.get("sizes", []) if size not in builder.values]:
            self.refuse(f"size '{missing[0]}': expected a dimension of an input")
        for one in self.described.get("constraints", []):
            builder.require(one["check"], one["message"])
        # A kernel finds no work where there is none; a grid of 0 is none.
        grid = [builder.emit(f"max({size}, 1)") for size in self.launch["grid"]]
        numbers = []
        for parameter in self.launch["params"]:
            if "i32" in parameter:
                numbers.append(builder.emit_i32(parameter["i32"]))
            elif "f32" in parameter:
                numbers.append(builder.emit_f32(parameter["f32"]))
        dims = {name: [builder.emit(size) for size in buffers[name]["shape"] if isinstance(size, str)]
                for name in (*self.arguments, self.result)}
        inputs = [dim for name in self.arguments for dim in dims[name]]
        operands = [*grid, *numbers, *names.values(), *inputs, *dims[self.result]]
        types = ["index"] * 3 + ["i32"] * len(numbers) + [_tensor(buffers[name]) for name in self.arguments]
        types += ["index"] * (len(inputs) + len(dims[self.result]))
        segments = (3, len(numbers) + len(names), len(inputs), len(dims[self.result]))
        binding = "#hal.pipeline.binding<storage_buffer{}>"
        bindings = ", ".join([binding.format(", ReadOnly")] * len(names) + [binding.format("")])
        code = self.ptx() + b"\0"
        data = f'dense<"0x{code.hex().upper()}"> : vector<{len(code)}xi8>'
        block = ", ".join(f"{size} : index" for size in self.kernel["block"])
        properties = ", ".join((
            f'export_name = "{self.kernel["entry"]}"',
            f"layout = #hal.pipeline.layout<constants = {len(numbers)}, bindings = [{bindings}]>",
            f"operandSegmentSizes = array<i32: {', '.join(map(str, segments))}>",
            f'target_objects = [[#hal.executable.object<{{path = "{os.path.basename(self.path)}", data = {data}}}>]]',
            f"target_ordinals = [0 : index], targets = [{TARGET}]",
            f"workgroup_size = [{block}], workgroup_local_memory = {self.kernel.get('dynamic_smem', 0)} : index"))
        result = _tensor(buffers[self.result])
        # The matcher hands over the inputs of all that it has matched.
        arguments = ", ".join([*(f"{names[name]}: {_tensor(buffers[name])}" for name in self.arguments), f"%unused: {result}"])
        # Attributes of the op are properties, which its own form does not take.
        return (f"  util.func private @tc_{self.number}({arguments}) -> {result} {{\n" +
                "".join(f"    {line}\n" for line in builder.lines) +
                f'    %d = "hal.dispatch.extern"({", ".join(operands)}) <{{{properties}}}> ({{\n'
                "    ^bb0(%device: !hal.device, %x: index, %y: index, %z: index):\n"
                '      "hal.return"(%x, %y, %z) : (index, index, index) -> ()\n'
                f"    }}, {{}}) : ({', '.join(types)}) -> {result}\n"
                f"    util.return %d : {result}\n  }}\n")

    def matcher(self):
        """The sequences that find the matmul and replace it."""
        buffers, problem = self.described["buffers"], self.problem
        a, b = (problem[key]["buffer"] for key in ("a", "b"))
        if self.arguments != [a, b]:
            self.refuse(f"expected A and B as the inputs, got {', '.join(self.arguments)}")
        d = _tensor(buffers[self.result])
        element = TYPES[buffers[self.result]["dtype"]]
        zero, constant = ("0", "arith.constant 0") if element == "i32" else ("0.0", "arith.constant 0.000000e+00")
        maps = self._maps(problem)
        return f"""  transform.named_sequence @match_{self.number}(%root: !transform.any_op {{transform.readonly}})
      -> (!transform.any_value, !transform.any_value) {{
    %ins, %outs = transform.iree.match.cast_compatible_dag_from_root %root {{
      ^bb0(%a: {_tensor(buffers[a])}, %b: {_tensor(buffers[b])}, %init: {d}):
        %zero = {constant} : {element}
        %fill = linalg.fill ins(%zero : {element}) outs(%init : {d}) -> {d}
        %matmul = linalg.matmul{maps} ins(%a, %b : {_tensor(buffers[a])}, {_tensor(buffers[b])}) outs(%fill : {d}) -> {d}
    }} : (!transform.any_op) -> (!transform.any_value, !transform.any_value)
    transform.yield %ins, %outs : !transform.any_value, !transform.any_value
  }}
  transform.named_sequence @replace_{self.number}(%ins: !transform.any_value {{transform.readonly}},
                                       %out: !transform.any_value {{transform.readonly}}) {{
    %root = transform.get_defining_op %out : (!transform.any_value) -> !transform.any_op
    %module = transform.util.get_nearest_symbol_table %root : (!transform.any_op) -> !transform.any_op
    %func = transform.util.import_symbol @tc_{self.number} into %module if undefined : (!transform.any_op) -> !transform.any_op
    transform.util.cast_and_call %func(%ins) -> %out after %root {{
      transform.type_conversion.tensor.cast_shape_dynamic_dims
    }} : (!transform.any_op, !transform.any_value, !transform.any_value, !transform.any_op) -> !transform.any_op
    transform.yield
  }}
"""

    @staticmethod
    def _maps(problem):
        """How operands that are transposed are read."""
        if not (problem["a"].get("transposed") or problem["b"].get("transposed")):
            return ""
        a = "d2, d0" if problem["a"].get("transposed") else "d0, d2"
        b = "d1, d2" if problem["b"].get("transposed") else "d2, d1"
        maps = ", ".join(f"affine_map<(d0, d1, d2) -> ({one})>" for one in (a, b, "d0, d1"))
        return f" indexing_maps = [{maps}]"


def make_spec(paths) -> str:
    """The specification for the kernels of `paths`. Raises InputError where IREE cannot launch one."""
    kernels = [Kernel(path, i) for i, path in enumerate(paths)]
    pairs = ",\n          ".join(f"@match_{one.number} -> @replace_{one.number}" for one in kernels)
    return ("module attributes {transform.with_named_sequence} {\n" +
            "".join(one.function() + one.matcher() for one in kernels) + f"""  transform.named_sequence @__transform_main(%module: !transform.any_op) {{
    %funcs = transform.structured.match ops{{["util.func"]}} in %module : (!transform.any_op) -> !transform.any_op
    transform.foreach %funcs : !transform.any_op {{
      ^bb1(%func: !transform.any_op):
        transform.foreach_match in %func
          {pairs}
          : (!transform.any_op) -> (!transform.any_op)
    }}
    transform.apply_dce to %module : !transform.any_op
    transform.apply_registered_pass "inline" to %module : (!transform.any_op) -> !transform.any_op
    transform.yield
  }}
}}
""")


def main(arguments=None) -> int:
    """The command: 0, or 2 where input is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tc.iree", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernels", nargs="+", metavar="KERNEL.ptx", help="PTX or a cubin, its .json beside it")
    parser.add_argument("-o", "--output", default="-", help="- (default) is stdout")
    options = parser.parse_args(arguments)
    try:
        text = make_spec(options.kernels)
        if options.output != "-":
            _description.write_file(options.output, text.encode())
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if options.output == "-":
        sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
