#!/usr/bin/env python3
"""Compiles convolutions, runs them on the emulator, checks the numbers.

    convolutions.py --build build [--filter TEXT]

Each is written as a named operation and as the linalg.generic that it means, on
tensors and on memrefs. Expected values are sums over the window in float64, by numpy
from the raw arguments.
"""
import dataclasses
import itertools
import json
import os
import sys

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np  # noqa: E402

from tclib import cases, modules, numerics, runner  # noqa: E402


@dataclasses.dataclass
class Convolution:
    """Layouts name the dimensions: n, c, f, and x, y, z of the image and of the window."""
    op: str
    input: str
    filter: str
    output: str
    sizes: dict  # n, c, f; x, y, z of the window; X, Y, Z of the output image
    strides: tuple
    dilations: tuple
    element: str = "bf16"
    dynamic: tuple = ()  # dimensions of the input and output
    bias: bool = False

    @property
    def image(self):
        return [d for d in "xyz" if d in self.input]

    def shape(self, layout):
        if layout == self.filter:
            return [self.sizes[d] for d in layout]
        image = [self.sizes[d.upper()] for d in self.image]
        if layout == self.input:
            image = [(size - 1) * s + (self.sizes[d] - 1) * t + 1
                     for size, d, s, t in zip(image, self.image, self.strides, self.dilations)]
        sizes = {**self.sizes, **dict(zip(self.image, image))}
        return [sizes[d] for d in layout]

    def type(self, layout, element, kind):
        extents = ["?" if d in self.dynamic and layout != self.filter else str(size)
                   for d, size in zip(layout, self.shape(layout))]
        return f"{kind}<{'x'.join(extents)}x{element}>"

    def maps(self):
        """Indexing maps over n, the output image, f, the window and c."""
        loops = [*(["n"] if "n" in self.input else []), *[d.upper() for d in self.image], "f", *self.image, "c"]
        at = dict(zip(self.image, zip(self.strides, self.dilations)))
        of_input = [f"{d.upper()} * {at[d][0]} + {d} * {at[d][1]}" if d in at else d for d in self.input]
        of_output = [d.upper() if d in at else d for d in self.output]
        every = ", ".join(loops)
        maps = [f"affine_map<({every}) -> ({', '.join(results)})>" for results in (of_input, list(self.filter), of_output)]
        reductions = len(self.image) + 1
        iterators = ['"parallel"'] * (len(loops) - reductions) + ['"reduction"'] * reductions
        return ", ".join(maps), ", ".join(iterators)

    def text(self, kind, generic):
        a, b = self.type(self.input, self.element, kind), self.type(self.filter, self.element, kind)
        d = self.type(self.output, "f32", kind)
        arrow = f" -> {d}" if kind == "tensor" else ""
        result = "%r = " if kind == "tensor" else ""
        if generic:
            maps, iterators = self.maps()
            op = (f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [{iterators}]}} ins(%i, %f : {a}, {b}) "
                  f"outs(%o : {d}) {{\n  ^bb0(%x: {self.element}, %w: {self.element}, %s: f32):\n"
                  f"    %0 = arith.extf %x : {self.element} to f32\n    %1 = arith.extf %w : {self.element} to f32\n"
                  f"    %2 = arith.mulf %0, %1 : f32\n    %3 = arith.addf %s, %2 : f32\n    linalg.yield %3 : f32\n  }}{arrow}")
        else:
            rank = len(self.image)
            attributes = ", ".join(f"{key} = dense<[{', '.join(map(str, values))}]> : tensor<{rank}xi64>"
                                   for key, values in (("strides", self.strides), ("dilations", self.dilations)))
            op = f"linalg.{self.op} {{{attributes}}} ins(%i, %f : {a}, {b}) outs(%o : {d}){arrow}"
        if kind == "memref":
            return f"func.func @conv(%i: {a}, %f: {b}, %o: {d}) {{\n  {op}\n  return\n}}\n"
        if not self.bias:
            return f"func.func @conv(%i: {a}, %f: {b}, %o: {d}) -> {d} {{\n  {result}{op}\n  return %r : {d}\n}}\n"
        rank = len(self.output)
        every = ", ".join(f"d{i}" for i in range(rank))
        identity = f"affine_map<({every}) -> ({every})>"
        along = f"affine_map<({every}) -> (d{self.output.index('f')})>"
        narrow = self.type(self.output, self.element, kind)
        vector = f"tensor<{self.sizes['f']}xf32>"
        parallel = ", ".join(['"parallel"'] * rank)
        return f"""func.func @conv(%i: {a}, %f: {b}, %bias: {vector}) -> {narrow} {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : {d}
  %o = linalg.fill ins(%zero : f32) outs(%e : {d}) -> {d}
  %r = {op}
  %e2 = tensor.empty() : {narrow}
  %q = linalg.generic {{indexing_maps = [{identity}, {along}, {identity}], iterator_types = [{parallel}]}}
      ins(%r, %bias : {d}, {vector}) outs(%e2 : {narrow}) {{
  ^bb0(%x: f32, %b: f32, %out: {self.element}):
    %0 = arith.addf %x, %b : f32
    %1 = arith.maximumf %0, %zero : f32
    %2 = arith.truncf %1 : f32 to {self.element}
    linalg.yield %2 : {self.element}
  }} -> {narrow}
  return %q : {narrow}
}}
"""

    def compute(self, image, filter_values):
        """The sums in float64, in the order of the output, and a bound for each."""
        # To n, x y z, c and x y z, c, f.
        order = [d for d in "nxyzc" if d in self.input]
        image = np.transpose(image, [self.input.index(d) for d in order])
        window = [d for d in "xyzcf" if d in self.filter]
        weights = np.transpose(filter_values, [self.filter.index(d) for d in window])
        if "n" not in self.input:
            image = image[None]
        out = [self.sizes[d.upper()] for d in self.image]
        rows = []
        for point in itertools.product(*[range(self.sizes[d]) for d in self.image]):
            slices = tuple(slice(p * t, p * t + (size - 1) * s + 1, s)
                           for p, t, s, size in zip(point, self.dilations, self.strides, out))
            rows.append(image[(slice(None), *slices)])
        matrix = np.stack(rows, axis=-2).reshape(-1, len(rows) * self.sizes["c"])
        weights = weights.reshape(-1, self.sizes["f"])
        value, bound = matrix @ weights, numerics.accumulation_bound(matrix, weights)
        inner = ["n", *self.image, "f"]
        shape = [image.shape[0], *out, self.sizes["f"]]
        places = [inner.index(d) for d in self.output]
        if "n" not in self.output:
            places = [0, *places]
        result = [np.transpose(part.reshape(shape), places) for part in (value, bound)]
        return [part[0] for part in result] if "n" not in self.output else result


def conv2(layout, **sizes):
    names = {"nhwc_hwcf": ("nxyc", "xycf", "nxyf"), "nhwc_fhwc": ("nxyc", "fxyc", "nxyf"), "nchw_fchw": ("ncxy", "fcxy", "nfxy")}
    return (f"conv_2d_{layout}", *names[layout], sizes)


CONVOLUTIONS = {
    "nhwc_hwcf": Convolution(*conv2("nhwc_hwcf", n=2, c=24, f=72, x=3, y=3, X=4, Y=5), (2, 1), (1, 2)),
    "nhwc_hwcf_bias": Convolution(*conv2("nhwc_hwcf", n=3, c=16, f=40, x=2, y=3, X=7, Y=6), (1, 1), (1, 1), bias=True),
    "nhwc_hwcf_dynamic": Convolution(*conv2("nhwc_hwcf", n=2, c=32, f=72, x=3, y=2, X=9, Y=5), (1, 2), (1, 1), dynamic="nx"),
    "nhwc_hwcf_1x1": Convolution(*conv2("nhwc_hwcf", n=2, c=64, f=136, x=1, y=1, X=7, Y=10), (1, 1), (1, 1), bias=True),
    "nhwc_hwcf_1x1_stride": Convolution(*conv2("nhwc_hwcf", n=2, c=64, f=136, x=1, y=1, X=4, Y=5), (2, 3), (1, 1)),
    "nhwc_fhwc": Convolution(*conv2("nhwc_fhwc", n=1, c=40, f=136, x=3, y=3, X=11, Y=4), (1, 1), (2, 1), element="f16"),
    "nchw_fchw": Convolution(*conv2("nchw_fchw", n=2, c=24, f=72, x=3, y=3, X=10, Y=8), (1, 1), (1, 1)),
    "nchw_fchw_bias": Convolution(*conv2("nchw_fchw", n=2, c=8, f=136, x=5, y=3, X=6, Y=12), (2, 2), (1, 1), bias=True),
    "nwc_wcf": Convolution("conv_1d_nwc_wcf", "nxc", "xcf", "nxf", dict(n=3, c=32, f=72, x=4, X=37), (1, ), (1, )),
    "ncw_fcw": Convolution("conv_1d_ncw_fcw", "ncx", "fcx", "nfx", dict(n=2, c=16, f=40, x=5, X=24), (2, ), (3, )),
    "ndhwc_dhwcf": Convolution("conv_3d_ndhwc_dhwcf", "nxyzc", "xyzcf", "nxyzf",
                               dict(n=1, c=16, f=72, x=2, y=3, z=2, X=4, Y=3, Z=5), (1, 1, 2), (1, 2, 1)),
}
FORMS = (("tensor", False), ("tensor", True), ("memref", False), ("memref", True))


def check(tools, name, kind, generic, seconds):
    convolution = CONVOLUTIONS[name]
    case = f"{name}_{kind}{'_generic' if generic else ''}"
    arguments = [modules.random_array(convolution.shape(layout), convolution.element, 300 + i)
                 for i, layout in enumerate((convolution.input, convolution.filter))]
    value, bound = convolution.compute(*(argument.values for argument in arguments))
    has_bias = convolution.bias and kind == "tensor"
    if has_bias:
        bias = modules.random_array([convolution.sizes["f"]], "f32", 302)
        shape = [-1 if d == "f" else 1 for d in convolution.output]
        value = np.maximum(value + bias.values.reshape(shape), 0)
        arguments.append(bias)
    else:
        arguments.append(modules.random_array(convolution.shape(convolution.output), "f32", 303))
        value = value + arguments[2].values
    ptx = modules.compile_module(tools, case, convolution.text(kind, generic), seconds)
    description = json.loads(ptx.with_suffix(".json").read_text())
    if len(description["problems"]) != 1 or len(description["kernels"]) > (2 if kind == "tensor" else 3):
        raise runner.Failure(f"{case}: expected one product and the gathering kernel, got "
                             f"{[kernel['entry'] for kernel in description['kernels']]}")
    # Tensors may be returned in the argument that they start from.
    names = [result["buffer"] for result in description.get("results", [])] or [description["arguments"][2]]
    in_place = [i for i, name in enumerate(description["arguments"]) if name in names]
    result, *_ = modules.run_module(tools, case, ptx, arguments, seconds, in_place)
    out_type = convolution.element if has_bias else "f32"
    return modules.compare(case, result, value, bound + 2.0**-22 * np.abs(value), out_type)


if __name__ == "__main__":
    sys.exit(cases.main(__doc__, "convolutions", [
        (f"{name} {kind}{' generic' if generic else ''}",
         lambda tools, seconds, name=name, kind=kind, generic=generic: check(tools, name, kind, generic, seconds))
        for name in CONVOLUTIONS for kind, generic in FORMS
    ]))
