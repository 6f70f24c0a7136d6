#!/usr/bin/env python3
"""Compiles convolutions, runs them on the emulator, checks the numbers.

    convolutions.py --build build [--filter TEXT]

Each is written as a named operation and as the linalg.generic that it means, on
tensors and on memrefs. Expected values are sums over the window in float64, by numpy
from the raw arguments. Where TMA loads the windows from the images there is one kernel,
else one that gathers them, too.
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
    op: str  # empty: there is none, only the linalg.generic
    input: str
    filter: str
    output: str
    sizes: dict  # n, c, f; x, y, z of the window; X, Y, Z of the output image
    strides: tuple
    dilations: tuple
    element: str = "bf16"
    dynamic: tuple = ()  # dimensions of the input and output
    bias: bool = False
    padding: tuple = ()  # before and after the image along x, y, z; by a tensor.pad, which cuts off what is negative
    beyond: tuple = ()  # elements of the image along x, y, z after the last window
    gathered: bool = False  # by a kernel of its own, or the filter is transposed or the image cut by one

    @property
    def image(self):
        return [d for d in "xyz" if d in self.input]

    def shape(self, layout):
        if layout == self.filter:
            return [self.sizes[d] for d in layout]
        image = [self.sizes[d.upper()] for d in self.image]
        if layout == self.input:
            image = [(size - 1) * s + (self.sizes[d] - 1) * t + 1 - sum(pad) + more
                     for size, d, s, t, pad, more in zip(image, self.image, self.strides, self.dilations, self.pads(),
                                                         self.beyond or [0] * len(image))]
        sizes = {**self.sizes, **dict(zip(self.image, image))}
        return [sizes[d] for d in layout]

    def pads(self):
        return self.padding or [(0, 0)] * len(self.image)

    @property
    def sum(self):
        return "i32" if self.element == "i8" else "f32"

    def pad(self, kind):
        """What pads %i: the operation, and the name and type of its result."""
        given = self.type(self.input, self.element, kind)
        if not self.padding:
            return "", "%i", given
        low, high = ([self.pads()[self.image.index(d)][side] if d in self.image else 0 for d in self.input] for side in (0, 1))
        extents = [size + before + after for size, before, after in zip(self.shape(self.input), low, high)]
        result = f"tensor<{'x'.join(map(str, extents))}x{MLIR[self.element]}>"
        zero = "0 : i8" if self.element == "i8" else f"0.0 : {MLIR[self.element]}"
        indices = ", ".join(f"%i{d}: index" for d in self.input)
        text = (f"  %pad = arith.constant {zero}\n  %p = tensor.pad %i low{low} high{high} {{\n"
                f"  ^bb0({indices}):\n    tensor.yield %pad : {MLIR[self.element]}\n  }} : {given} to {result}\n")
        return text, "%p", result

    def type(self, layout, element, kind):
        element = MLIR.get(element, element)
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
        pad, image, padded = self.pad(kind)
        a, b = self.type(self.input, self.element, kind), self.type(self.filter, self.element, kind)
        d = self.type(self.output, self.sum, kind)
        element, extend, multiply, add = MLIR[self.element], "extf", "mulf", "addf"
        if self.element == "i8":
            extend, multiply, add = "extsi", "muli", "addi"
        arrow = f" -> {d}" if kind == "tensor" else ""
        result = "%r = " if kind == "tensor" else ""
        if generic:
            maps, iterators = self.maps()
            op = (f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [{iterators}]}} ins({image}, %f : {padded}, {b}) "
                  f"outs(%o : {d}) {{\n  ^bb0(%x: {element}, %w: {element}, %s: {self.sum}):\n"
                  f"    %0 = arith.{extend} %x : {element} to {self.sum}\n    %1 = arith.{extend} %w : {element} to {self.sum}\n"
                  f"    %2 = arith.{multiply} %0, %1 : {self.sum}\n    %3 = arith.{add} %s, %2 : {self.sum}\n"
                  f"    linalg.yield %3 : {self.sum}\n  }}{arrow}")
        else:
            rank = len(self.image)
            attributes = ", ".join(f"{key} = dense<[{', '.join(map(str, values))}]> : tensor<{rank}xi64>"
                                   for key, values in (("strides", self.strides), ("dilations", self.dilations)))
            op = f"linalg.{self.op} {{{attributes}}} ins({image}, %f : {padded}, {b}) outs(%o : {d}){arrow}"
        if kind == "memref":
            return f"func.func @conv(%i: {a}, %f: {b}, %o: {d}) {{\n  {op}\n  return\n}}\n"
        if not self.bias:
            return f"func.func @conv(%i: {a}, %f: {b}, %o: {d}) -> {d} {{\n{pad}  {result}{op}\n  return %r : {d}\n}}\n"
        rank = len(self.output)
        every = ", ".join(f"d{i}" for i in range(rank))
        identity = f"affine_map<({every}) -> ({every})>"
        along = f"affine_map<({every}) -> (d{self.output.index('f')})>"
        narrow = self.type(self.output, self.element, kind)
        vector = f"tensor<{self.sizes['f']}xf32>"
        parallel = ", ".join(['"parallel"'] * rank)
        return f"""func.func @conv(%i: {a}, %f: {b}, %bias: {vector}) -> {narrow} {{
{pad}  %zero = arith.constant 0.0 : f32
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
        kept = [slice(max(-low, 0), size - max(-high, 0)) for size, (low, high) in zip(image.shape[1:], self.pads())]
        image = np.pad(image[(slice(None), *kept)], [(0, 0), *(np.maximum(pad, 0) for pad in self.pads()), (0, 0)])
        out = [self.sizes[d.upper()] for d in self.image]
        rows = []
        for point in itertools.product(*[range(self.sizes[d]) for d in self.image]):
            slices = tuple(slice(p * t, p * t + (size - 1) * s + 1, s)
                           for p, t, s, size in zip(point, self.dilations, self.strides, out))
            rows.append(image[(slice(None), *slices)])
        matrix = np.stack(rows, axis=-2).reshape(-1, len(rows) * self.sizes["c"])
        weights = weights.reshape(-1, self.sizes["f"])
        value = matrix @ weights
        bound = np.zeros_like(value) if self.element == "i8" else numerics.accumulation_bound(matrix, weights)
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
    "nhwc_hwcf_dynamic": Convolution(*conv2("nhwc_hwcf", n=2, c=32, f=72, x=3, y=2, X=9, Y=5), (1, 2), (1, 1), dynamic="nx",
                                     gathered=True),
    "nhwc_hwcf_images": Convolution(*conv2("nhwc_hwcf", n=3, c=32, f=72, x=3, y=2, X=9, Y=5), (1, 2), (1, 1), dynamic="n"),
    "nhwc_hwcf_1x1": Convolution(*conv2("nhwc_hwcf", n=2, c=64, f=136, x=1, y=1, X=7, Y=10), (1, 1), (1, 1), bias=True),
    "nhwc_hwcf_1x1_stride": Convolution(*conv2("nhwc_hwcf", n=2, c=64, f=136, x=1, y=1, X=4, Y=5), (2, 3), (1, 1)),
    "nhwc_hwcf_1x1_part": Convolution(*conv2("nhwc_hwcf", n=3, c=64, f=72, x=1, y=1, X=5, Y=6), (1, 1), (1, 1), beyond=(1, 3)),
    "nhwc_hwfc": Convolution("", "nxyc", "xyfc", "nxyf", dict(n=2, c=32, f=40, x=3, y=2, X=6, Y=7), (1, 2), (1, 1), gathered=True),
    "nhwc_hwcf_same": Convolution(*conv2("nhwc_hwcf", n=2, c=64, f=40, x=3, y=5, X=9, Y=11), (1, 1), (1, 1), bias=True,
                                  padding=((1, 1), (2, 2))),
    "nhwc_hwcf_uneven": Convolution(*conv2("nhwc_hwcf", n=3, c=96, f=72, x=2, y=3, X=5, Y=13), (3, 2), (3, 2),
                                    padding=((0, 3), (4, 1))),
    "nhwc_hwcf_cut": Convolution(*conv2("nhwc_hwcf", n=2, c=16, f=40, x=2, y=3, X=5, Y=6), (2, 1), (1, 1), padding=((1, -1), (-2, 1)),
                                 gathered=True),
    "nhwc_hwcf_odd": Convolution(*conv2("nhwc_hwcf", n=2, c=3, f=40, x=3, y=3, X=6, Y=7), (2, 2), (1, 1), padding=((1, 0), (0, 1)),
                                 gathered=True),
    "nhwc_hwcf_far": Convolution(*conv2("nhwc_hwcf", n=1, c=8, f=40, x=2, y=2, X=3, Y=4), (9, 1), (1, 1), gathered=True),
    "nhwc_hwcf_i8": Convolution(*conv2("nhwc_hwcf", n=2, c=48, f=72, x=3, y=2, X=6, Y=7), (1, 2), (2, 1), element="i8",
                                padding=((2, 1), (0, 1))),
    "nhwc_hwcf_e4m3": Convolution(*conv2("nhwc_hwcf", n=2, c=128, f=72, x=2, y=3, X=6, Y=11), (2, 1), (1, 3), element="f8E4M3FN",
                                  padding=((1, 0), (3, 3))),
    "nhwc_fhwc": Convolution(*conv2("nhwc_fhwc", n=1, c=40, f=136, x=3, y=3, X=11, Y=4), (1, 1), (2, 1), element="f16"),
    "nhwc_fhwc_same": Convolution(*conv2("nhwc_fhwc", n=5, c=64, f=200, x=3, y=3, X=8, Y=8), (1, 1), (1, 1), element="f16",
                                  padding=((1, 1), (1, 1))),
    "nhwc_fhwc_i8": Convolution(*conv2("nhwc_fhwc", n=3, c=64, f=72, x=3, y=3, X=5, Y=7), (1, 2), (1, 1), element="i8",
                                padding=((1, 1), (1, 0))),
    "nchw_fchw": Convolution(*conv2("nchw_fchw", n=2, c=24, f=72, x=3, y=3, X=10, Y=8), (1, 1), (1, 1), gathered=True),
    "nchw_fchw_bias": Convolution(*conv2("nchw_fchw", n=2, c=8, f=136, x=5, y=3, X=6, Y=12), (2, 2), (1, 1), bias=True, gathered=True),
    "nwc_wcf": Convolution("conv_1d_nwc_wcf", "nxc", "xcf", "nxf", dict(n=3, c=32, f=72, x=4, X=37), (1, ), (1, )),
    "nwc_wcf_same": Convolution("conv_1d_nwc_wcf", "nxc", "xcf", "nxf", dict(n=3, c=64, f=72, x=5, X=150), (2, ), (3, ),
                                padding=((6, 5), )),
    "ncw_fcw": Convolution("conv_1d_ncw_fcw", "ncx", "fcx", "nfx", dict(n=2, c=16, f=40, x=5, X=24), (2, ), (3, ), gathered=True),
    "ndhwc_dhwcf": Convolution("conv_3d_ndhwc_dhwcf", "nxyzc", "xyzcf", "nxyzf",
                               dict(n=1, c=16, f=72, x=2, y=3, z=2, X=4, Y=3, Z=5), (1, 1, 2), (1, 2, 1)),
    "ndhwc_dhwcf_same": Convolution("conv_3d_ndhwc_dhwcf", "nxyzc", "xyzcf", "nxyzf",
                                    dict(n=2, c=32, f=72, x=3, y=2, z=3, X=3, Y=5, Z=6), (1, 3, 2), (1, 1, 2),
                                    padding=((1, 1), (0, 1), (2, 1))),
    "ndhwc_dhwcf_large": Convolution("conv_3d_ndhwc_dhwcf", "nxyzc", "xyzcf", "nxyzf",
                                     dict(n=1, c=8, f=40, x=2, y=1, z=2, X=2, Y=2, Z=3), (1, 1, 1), (1, 1, 33), gathered=True),
}
# Types as the tests and as MLIR name them.
MLIR = {"bf16": "bf16", "f16": "f16", "i8": "i8", "f8E4M3FN": "f8E4M3FN"}
FORMS = (("tensor", False), ("tensor", True), ("memref", False), ("memref", True))


# Chips and configurations on which the same convolutions are computed: other units, tiles that
# several CTAs load parts of, rows of other swizzles.
OTHERS = {
    "sm_90a": (["--chip=sm_90a"], ("nhwc_hwcf_uneven", "nhwc_fhwc_i8", "nhwc_fhwc_same", "nwc_wcf_same",
                                   "ndhwc_dhwcf_same", "nhwc_hwcf_images")),
    "sm_120a": (["--chip=sm_120a"], ("nhwc_hwcf_uneven", "nwc_wcf_same")),
    "pair": (["--config=tile=256x128x64 cta-group=2"], ("nhwc_hwcf_uneven", "nhwc_fhwc_same", "nwc_wcf_same")),
    "cluster": (["--config=cluster=2x2 tile=128x64x64"], ("nhwc_hwcf_same", "nhwc_fhwc_same", "nwc_wcf_same")),
    "cluster_90": (["--chip=sm_90a", "--config=cluster=2x2 tile=128x64x64"], ("nhwc_fhwc_same", )),
    "narrow": (["--config=swizzle=32B"], ("nhwc_hwcf_uneven", "nhwc_fhwc_same")),
    "plain": (["--config=swizzle=none"], ("nwc_wcf_same", )),
}
# There is no TMA, or a field is given that windows do not fit: they are gathered.
GATHERED = {
    "sm_80": (["--chip=sm_80"], ("nhwc_hwcf_uneven", "nhwc_hwcf_i8", "ndhwc_dhwcf_same")),
    "wide": (["--config=swizzle=128B"], ("nhwc_hwcf_uneven", "nhwc_hwcf_images")),
    "threads": (["--config=load-a=threads"], ("nhwc_hwcf_same", )),
}


def random_array(shape, element, seed):
    return modules.random_array(shape, element, seed, scale=127 if element == "i8" else 1.0)


def check(tools, name, kind, generic, seconds, variant="", options=(), is_gathered=False):
    convolution = CONVOLUTIONS[name]
    case = f"{name}_{kind}{'_generic' if generic else ''}{variant and '_' + variant}"
    arguments = [random_array(convolution.shape(layout), convolution.element, 300 + i)
                 for i, layout in enumerate((convolution.input, convolution.filter))]
    value, bound = convolution.compute(*(argument.values for argument in arguments))
    has_bias = convolution.bias and kind == "tensor"
    if has_bias:
        bias = modules.random_array([convolution.sizes["f"]], "f32", 302)
        shape = [-1 if d == "f" else 1 for d in convolution.output]
        value = np.maximum(value + bias.values.reshape(shape), 0)
        arguments.append(bias)
    else:
        arguments.append(random_array(convolution.shape(convolution.output), convolution.sum, 303))
        value = value + arguments[2].values
    ptx = modules.compile_module(tools, case, convolution.text(kind, generic), seconds, options)
    description = json.loads(ptx.with_suffix(".json").read_text())
    entries = [kernel["entry"] for kernel in description["kernels"]]
    if is_gathered:
        most = 5 if convolution.padding else 2 if kind == "tensor" else 3
        if len(description["problems"]) != 1 or not 1 < len(entries) <= most:
            raise runner.Failure(f"{case}: expected one product and the gathering kernel, got {entries}")
    elif len(description["problems"]) != 1 or len(entries) != 1:
        raise runner.Failure(f"{case}: expected one product that loads its windows, got {entries}")
    # Tensors may be returned in the argument that they start from.
    names = [result["buffer"] for result in description.get("results", [])] or [description["arguments"][2]]
    in_place = [i for i, name in enumerate(description["arguments"]) if name in names]
    result, *_ = modules.run_module(tools, case, ptx, arguments, seconds, in_place)
    if kind == "tensor" and not generic:
        done, command = modules.check_module(tools, ptx, arguments)
        if done.returncode:
            raise runner.Failure(runner.describe(command, done))
    out_type = convolution.element if has_bias else convolution.sum
    slack = 0 if convolution.sum == "i32" else 2.0**-22
    return modules.compare(case, result, value, bound + slack * np.abs(value), out_type)


def all_cases():
    for name, convolution in CONVOLUTIONS.items():
        is_matrix = not convolution.padding and all(convolution.sizes[d] == 1 for d in convolution.image) and set(convolution.strides) == {1}
        for kind, generic in FORMS:
            # Nothing pads a memref.
            if (kind == "tensor" or not convolution.padding) and (generic or convolution.op):
                yield (f"{name} {kind}{' generic' if generic else ''}",
                       dict(name=name, kind=kind, generic=generic, is_gathered=convolution.gathered and not is_matrix))
    for variants, is_gathered in ((OTHERS, False), (GATHERED, True)):
        for variant, (options, names) in variants.items():
            for name in names:
                yield f"{name} {variant}", dict(name=name, kind="tensor", generic=False, variant=variant, options=options,
                                                is_gathered=is_gathered)


if __name__ == "__main__":
    sys.exit(cases.main(__doc__, "convolutions", [
        (title, lambda tools, seconds, arguments=arguments: check(tools, seconds=seconds, **arguments))
        for title, arguments in all_cases()
    ]))
