"""The modules that the operations compile: one `tmm.matmul` or `tmm.attention`, or the gradients of one, on memrefs with
the strides that the tensors have, so that nothing is copied or transposed."""
from __future__ import annotations

from collections import namedtuple

from .._errors import InputError
from .._types import ELEMENTS

# torch's names -> those of kernel descriptions.
DTYPES = {
    "float32": "f32",
    "float16": "f16",
    "bfloat16": "bf16",
    "float8_e4m3fn": "e4m3",
    "float8_e5m2": "e5m2",
    "int8": "i8",
    "int32": "i32"
}

_MLIR = {**ELEMENTS, "ue8m0": "f8E8M0FNU", "ue4m3": "f8E4M3FN"}

# How a memref has a tensor: its sizes and strides, outermost first; None: known in the run alone.
Layout = namedtuple("Layout", "element shape strides")


def element_of(name: str, tensor) -> str:
    """The type of a tensor's elements, as descriptions call it."""
    kind = str(tensor.dtype).rpartition(".")[2]
    if kind not in DTYPES:
        raise InputError(f"{name}: expected one of {', '.join(DTYPES)}, got {kind}")
    return DTYPES[kind]


def strides_of(tensor) -> list[int]:
    """Strides, where those of dimensions of one element, which no address depends on, are what a dense tensor has."""
    strides, inner = list(tensor.stride()), 1
    for dim in reversed(range(tensor.dim())):
        if tensor.shape[dim] == 1:
            strides[dim] = inner
        inner = max(inner, strides[dim] * tensor.shape[dim])
    return strides


def layout_of(name: str, tensor, order, dynamic) -> Layout:
    """`tensor` with its dimensions in `order`; those in `dynamic`, and the strides that depend on them, are left
    open."""
    strides = strides_of(tensor)
    open_strides = {
        dim
        for dim in order
        for other in dynamic if other in order and other != dim and strides[other] < strides[dim]
    }
    return Layout(element_of(name, tensor), [None if dim in dynamic else int(tensor.shape[dim]) for dim in order],
                  [None if dim in open_strides else int(strides[dim]) for dim in order])


def memref(layout: Layout) -> str:
    """The MLIR type."""

    def text(value):
        return "?" if value is None else str(value)

    sizes = "".join(f"{text(size)}x" for size in layout.shape)
    strides = ", ".join(text(stride) for stride in layout.strides)
    return f"memref<{sizes}{_MLIR[layout.element]}, strided<[{strides}]>>"


def tensor(layout: Layout) -> str:
    """The MLIR type of a tensor of the same elements."""
    return "tensor<" + "".join(f"{'?' if size is None else size}x" for size in layout.shape) + f"{_MLIR[layout.element]}>"


def product_text(a: Layout, b: Layout, transposed, extras, along: str, body: str, d: Layout, scales=(),
                 ends: Layout | None = None) -> str:
    """D = epilogue(A B). `transposed`: whether the last two dimensions of A and of B are swapped; `along`: for each of
    `extras` "m", "n" or "e" (an element of D each); `body`: operations on %acc and %x0, %x1, ..., all f32, with "; "
    between them, the last one "yield %v"; or nothing. `scales`: factors of A and of B, and what is said of them.
    `ends`: where the groups of rows end that each have a matrix of B."""
    factors = [("SFA", scales[0]), ("SFB", scales[1])] if scales else []
    told = [("ends", ends)] if ends else []
    arguments = [("A", a), ("B", b), *factors, *told] + [(f"e{number}", one) for number, one in enumerate(extras)] + [("D", d)]
    kinds = {name: memref(layout) for name, layout in arguments}
    heads, lines = ["%acc"], []
    for number, (layout, place) in enumerate(zip(extras, along)):
        name, read = f"e{number}", f"%x{number}"
        if layout.element != "f32":
            lines.append(f"{read} = arith.extf {read}_ : {ELEMENTS[layout.element]} to f32")
            read += "_"
        heads.append(f"{read} = %{name}" + (f" along {place}" if place in "mn" else "") + f" : {kinds[name]}")
    *computed, result = body.split("; ") if body else ["yield %acc"]
    value = result.removeprefix("yield ")
    kind = ELEMENTS[d.element]
    lines += computed
    if d.element != "f32":
        lines.append(f"%d = arith.truncf {value} : f32 to {kind}")
        value = "%d"
    region = "".join(f"      {line}\n" for line in lines)
    epilogue = f" epilogue({', '.join(heads)}) {{\n{region}      tmm.yield {value} : {kind}\n    }}" if body else ""
    flags = "".join(f" {word}" for word, on in (("transpose_a", transposed[0]), ("transpose_b", transposed[1]),
                                                ("allow_tf32", a.element == "f32")) if on)
    scaled = f" scales(%SFA, %SFB : {kinds['SFA']}, {kinds['SFB']}){scales[2]}" if scales else ""
    scaled += f" ends(%ends : {kinds['ends']})" if ends else ""
    head = ", ".join(f"%{name}: {kinds[name]} loc(\"{name}\")" for name, _ in arguments)
    return (f"func.func @product({head}) {{\n"
            f"    tmm.matmul{flags} ins(%A, %B : {kinds['A']}, {kinds['B']}){scaled}\n"
            f"      outs(%D : {kinds['D']}){epilogue}\n"
            "    return\n}\n")


def attention_text(q: Layout, k: Layout, v: Layout, bias: Layout | None, o: Layout, lse: Layout, scale: float,
                   causal: bool) -> str:
    """O, LSE = softmax(scale Q K^T + bias) V."""
    biases = [("Bias", bias)] if bias else []
    arguments = [("Q", q), ("K", k), ("V", v), *biases, ("O", o), ("L", lse)]
    kinds = {name: memref(layout) for name, layout in arguments}
    head = ", ".join(f"%{name}: {kinds[name]} loc(\"{name}\")" for name, _ in arguments)
    added = " diagonal(0)" if causal else ""
    added += f" bias(%Bias : {kinds['Bias']})" if bias else ""
    return (f"func.func @attention({head}) {{\n"
            f"    tmm.attention %Q, %K, %V scale({scale:e}){added} outs(%O : {kinds['O']}, %L : {kinds['L']})\n"
            f"      : {kinds['Q']}, {kinds['K']}, {kinds['V']}\n"
            "    return\n}\n")


def attention_backward_text(gradient: Layout, q: Layout, k: Layout, v: Layout, o: Layout, lse: Layout, delta: Layout,
                            dq: Layout, dk: Layout, dv: Layout, scale: float, causal: bool) -> str:
    """Delta = row sums of G * O; the gradients of O = softmax(scale Q K^T) V."""
    arguments = [("G", gradient), ("Q", q), ("K", k), ("V", v), ("O", o), ("L", lse), ("Delta", delta), ("DQ", dq),
                 ("DK", dk), ("DV", dv)]
    kinds = {name: memref(layout) for name, layout in arguments}
    head = ", ".join(f"%{name}: {kinds[name]} loc(\"{name}\")" for name, _ in arguments)
    diagonal, element = " diagonal(0)" if causal else "", ELEMENTS[q.element]
    whole, rows = ("affine_map<(b, h, i, e) -> (b, h, i, e)>", "affine_map<(b, h, i, e) -> (b, h, i)>")
    kind = "\"parallel\", \"parallel\", \"parallel\", \"reduction\""
    tiles, sums = tensor(o), tensor(delta)
    return (f"func.func @attention_backward({head}) {{\n"
            f"    %sums = bufferization.to_tensor %Delta restrict writable : {kinds['Delta']} to {sums}\n"
            f"    %gradients = bufferization.to_tensor %G restrict : {kinds['G']} to {tiles}\n"
            f"    %results = bufferization.to_tensor %O restrict : {kinds['O']} to {tiles}\n"
            "    %zero = arith.constant 0.0 : f32\n"
            f"    %start = linalg.fill ins(%zero : f32) outs(%sums : {sums}) -> {sums}\n"
            f"    %delta = linalg.generic {{indexing_maps = [{whole}, {whole}, {rows}], iterator_types = [{kind}]}}\n"
            f"      ins(%gradients, %results : {tiles}, {tiles}) outs(%start : {sums}) {{\n"
            f"    ^bb0(%g: {element}, %o: {element}, %sum: f32):\n"
            f"      %wide_g = arith.extf %g : {element} to f32\n"
            f"      %wide_o = arith.extf %o : {element} to f32\n"
            "      %product = arith.mulf %wide_g, %wide_o : f32\n"
            "      %next = arith.addf %sum, %product : f32\n"
            "      linalg.yield %next : f32\n"
            f"    }} -> {sums}\n"
            f"    bufferization.materialize_in_destination %delta in restrict writable %Delta : ({sums}, {kinds['Delta']}) -> ()\n"
            f"    tmm.attention_backward %Q, %K, %V, %G, %L, %Delta scale({scale:e}){diagonal}\n"
            f"      dq(%DQ : {kinds['DQ']}) dk_dv(%DK, %DV : {kinds['DK']}, {kinds['DV']})\n"
            f"      : {', '.join(kinds[name] for name in ('Q', 'K', 'V', 'G', 'L', 'Delta'))}\n"
            "    return\n}\n")
