"""Contractions of every form, and convolutions."""
import numpy as np

from . import numbers
from .numbers import Number
from .operands import as_dims, operand, output
from .program import Dim, letters_map

# What an operand is multiplied with, and the types of the sum.
KINDS = {"bf16": (["bf16"], ["f32", "f32", "f32", "bf16"]), "f16": (["f16"], ["f32", "f32", "f32", "f16"]),
         "i8": (["i8"], ["i32"]), "f8E4M3FN": (["f8E4M3FN", "f8E5M2"], ["f32"]), "f8E5M2": (["f8E4M3FN", "f8E5M2"], ["f32"]),
         "f32": (["f32"], ["f32"])}


def extent(p):
    """Small ones mostly, and of all kinds: 1, tiles, tails, rows of 16 bytes and others."""
    choice = p.between(0, 9)
    if choice == 0:
        return 1
    if choice <= 2:
        return p.between(2, min(40, p.limit))
    if choice <= 7:
        return 8 * p.between(1, min(12, p.limit // 8))
    if choice == 8:
        return p.pick([n for n in (64, 128, 256, 512) if n <= p.limit])
    return p.between(1, p.limit)


# How f32 may be multiplied, and what is left of an element: the low 13 bits are not read, or what the parts do not hold
# and half of the product that is left out.
F32 = {"--allow-tf32": 2.0**-10, "--f32=tf32": 2.0**-10, "--f32=tf32x3": 1.5 * 2.0**-22, "--f32=bf16x3": 1.5 * 2.0**-16,
       "--f32=bf16x9": 2.0**-24}


def factor(p, number, element):
    """What the matrix unit makes of an operand."""
    if element != "f32":
        return number
    whole = (number.e == 0) & (numbers.rounded(number.v, "bf16") == number.v)
    return Number(number.v, number.e + np.where(whole, 0, F32[p.options[0]] * (np.abs(number.v) + number.e)))


def letters(p, value):
    """The dimensions of both operands and of the result, and the extents; `value` is A, or nothing."""
    for _ in range(300):
        batch, rows, columns, sums = ("bc"[:p.pick([0, 0, 0, 1, 1, 2])], "mo"[:p.pick([1, 1, 1, 2, 0])],
                                      "np"[:p.pick([1, 1, 1, 2, 0])], "kl"[:p.pick([1, 1, 1, 1, 2])])
        if value is not None and len(batch + rows + sums) != len(value.dims):
            continue
        if rows + columns == "" and batch:
            continue
        sizes = {}
        if value is not None:
            names = list(batch + rows + sums)
            if p.chance(0.4):
                p.rng.shuffle(names)
            sizes = dict(zip(names, value.dims))
            a = "".join(names)
        for name in batch + rows + columns + sums:
            if name not in sizes:
                sizes[name] = Dim(p.pick([1, 2, 3]) if name in "bcop" and p.chance(0.8) else extent(p))

        def order(*parts):
            names = list("".join(parts))
            if p.chance(0.25):
                p.rng.shuffle(names)
            elif p.chance(0.4):
                names = list(parts[0] + parts[2] + parts[1])
            return "".join(names)

        if value is None:
            a = order(batch, rows, sums)
        b, d = order(batch, sums, columns), list(batch + rows + columns)
        d = "".join(p.rng.permutation(d)) if d and p.chance(0.15) else "".join(d)
        if p.unit > 1:  # rows of all three have whole units
            for name in {x[-1] for x in (a, b, d) if x} - set(a if value is not None else ""):
                sizes[name] = Dim(-(-int(sizes[name]) // p.unit) * p.unit)
        volume = float(np.prod([int(n) for n in sizes.values()]))
        result = float(np.prod([int(sizes[x]) for x in batch + rows + columns]))
        if volume > p.limit * 12000 or result > p.limit * 300 or (value is None and volume > p.limit * 6000 and p.chance(0.8)):
            continue
        return a, b, d, sizes
    return None


NAMED = {("mk", "kn", "mn"): "matmul", ("bmk", "bkn", "bmn"): "batch_matmul", ("bmk", "bkn", "mn"): "batch_reduce_matmul",
         ("mk", "k", "m"): "matvec", ("k", "kn", "n"): "vecmat", ("k", "k", ""): "dot", ("bmk", "bk", "bm"): "batch_matvec",
         ("bk", "bkn", "bn"): "batch_vecmat"}
TRANSPOSABLE = {"matmul": "mnk", "batch_matmul": "bmnk"}


def emit(p, a, b, c, form, element):
    """The contraction of `form` (dims of a, b, d) of these values into c, by a named operation or linalg.generic."""
    left, right, out = form
    einsum = f"{left},{right}->{out}"
    def add_to(c):
        return numbers.contract(einsum, factor(p, a.number, a.element), factor(p, b.number, b.element), c,
                                "f32" if numbers.is_float(element) else element, p.fraction(a.element))

    number = add_to(c.number)
    if element in ("bf16", "f16") and c.number.largest != 0:
        # The body rounds each sum: the products may be, together, before what they are added to.
        alone = add_to(numbers.Number(np.zeros(c.number.v.shape)))
        number = numbers.Number(number.v, number.e + alone.round(element).e - alone.e)
    if "f32" in (a.element, b.element):  # more terms, each of which may be truncated
        number = Number(number.v, 4 * number.e)
    if element in ("bf16", "f16"):
        number = number.round(element)
    loops = out + "".join(dict.fromkeys(x for x in left + right if x not in out))
    # Of a and b "kl" letters that are summed in another order have the same numbers.
    name = NAMED.get(form)
    if name and p.chance(0.6):
        return p.write(f"linalg.{name} {p.operands([a, b], c)}", c, number)
    if len(left) == len(right) == len(out) and p.chance(0.6):
        for op, names in TRANSPOSABLE.items():
            if set(loops) == set(names) and set(left) == set(names) - {"n"} and set(right) == set(names) - {"m"} and \
                    out == names[:-1] and left[:-2] == names[:-3] and right[:-2] == names[:-3]:
                maps = ", ".join(letters_map(x, names) for x in form)
                return p.write(f"linalg.{op} indexing_maps = [{maps}] {p.operands([a, b], c)}", c, number)
    if p.chance(0.25):
        maps = ", ".join(letters_map(x, loops) for x in form)
        return p.write(f"linalg.contract indexing_maps = [{maps}] {p.operands([a, b], c)}", c, number)
    order = list(loops)
    if p.chance(0.4):
        p.rng.shuffle(order)
    body, factors = [], []
    for i, value in enumerate((a, b)):
        if value.element == element:
            factors.append(f"%in{i}")
        else:
            op = "arith.extf" if numbers.is_float(element) else "arith.extsi"
            body.append(f"%x{i} = {op} %in{i} : {value.element} to {element}")
            factors.append(f"%x{i}")
    suffix = "f" if numbers.is_float(element) else "i"
    if p.chance(0.3):
        factors.reverse()
    terms = ["%out", "%m"] if p.chance(0.7) else ["%m", "%out"]
    body += [f"%m = arith.mul{suffix} {', '.join(factors)} : {element}",
             f"%r = arith.add{suffix} {', '.join(terms)} : {element}"]
    return p.generic("".join(order), [(a, left), (b, right)], c, out, body, "%r", number,
                     "".join(x for x in loops if x not in out))


def start(p, into):
    """What the sums are added to."""
    if p.chance(0.7):
        return p.fill(into, 0)
    if p.chance(0.2):
        return p.fill(into, p.pick([1, -2]))
    if p.memrefs and any(v.buffer is into.buffer for v, _ in p.arguments):
        return into  # what the caller left there
    if p.memrefs:
        return p.fill(into, 0)
    return operand(p, into.dims, into.element)


def product(p, value=None, element=None):
    """A product, of `value` or of new operands; nothing where none is found."""
    if value is not None:
        element = value.element
    if element not in KINDS or (value is not None and len(value.dims) > 4):
        return None
    if element == "f32":
        p.options = p.options or [p.pick(list(F32))]
    found = letters(p, value)
    if not found:
        return None
    left, right, out, sizes = found
    kinds, sums = KINDS[element]
    a = value or operand(p, [sizes[x] for x in left], element)
    if element == "f32" and not p.whole and numbers.Number(a.number.v, a.number.e).largest > 1e4:
        return None
    scale = 1.0 if value is None else 0.5
    b = operand(p, [sizes[x] for x in right], p.pick(kinds), scale)
    total = p.pick(sums)
    if len(set(out)) < 2 or not set(left) & set(out) or not set(right) & set(out):
        total = "i32" if element == "i8" else "f32"  # a sum of products in a plain kernel rounds each time
    dims = [sizes[x] for x in out]
    if p.chance(0.15) and value is None and left != right:
        a, b, left, right = b, a, right, left
    into = start(p, output(p, dims, total))
    return emit(p, a, b, into, (left, right, out), total)


CONVOLUTIONS = {"conv_2d_nhwc_hwcf": ("nxyc", "uvcf", "nxyf"), "conv_2d_nchw_fchw": ("ncxy", "fcuv", "nfxy"),
                "conv_1d_nwc_wcf": ("nxc", "ucf", "nxf"), "conv_1d_ncw_fcw": ("ncx", "fcu", "nfx"),
                "conv_2d_nhwc_fhwc": ("nxyc", "fuvc", "nxyf"), "depthwise_conv_2d_nhwc_hwc": ("nxyc", "uvc", "nxyc"),
                "pooling_nhwc_sum": ("nxyc", "uv", "nxyc")}


def convolution(p, element):
    name = p.pick(list(CONVOLUTIONS))
    if element not in ("bf16", "f16") or (name.startswith(("depth", "pool"))):
        element = "f32" if name.startswith(("depth", "pool")) else "bf16"
    image, window, out = CONVOLUTIONS[name]
    axes = [x for x in "xy" if x in image]
    sizes = {"n": p.pick([1, 1, 2]), "c": p.pick([8, 16, 24, 3, 1]), "f": p.pick([8, 16, 40, 5]), "x": p.between(1, 9),
             "y": p.between(1, 9), "u": p.between(1, 3), "v": p.between(1, 3)}
    strides = [p.pick([1, 1, 2, 3]) for _ in axes]
    dilations = [p.pick([1, 1, 2]) for _ in axes]
    extents = dict(sizes)
    for x, u, s, t in zip(axes, "uv", strides, dilations):
        extents[x] = (sizes[x] - 1) * s + (sizes[u] - 1) * t + 1
    a = operand(p, [extents[x] for x in image], element)
    b = operand(p, [sizes[x] for x in window], element)
    total = "f32"
    c = start(p, output(p, [sizes[x] for x in out], total))
    factors = b.number if not name.startswith("pool") else Number(np.ones(b.shape))
    number = c.number
    # Each position of the window adds a product of the image, shifted.
    parts, e = a.number, []
    source = []
    for position in np.ndindex(*[sizes[u] for u in "uv"[:len(axes)]]):
        index = [slice(None)] * len(image)
        for x, i, s, t in zip(axes, position, strides, dilations):
            index[image.index(x)] = slice(i * t, i * t + (sizes[x] - 1) * s + 1, s)
        taps = [slice(None)] * len(window)
        for u, i in zip("uv", position):
            taps[window.index(u)] = slice(i, i + 1)
        source.append((parts.map(lambda x, index=tuple(index): x[index]), factors.map(lambda x, taps=tuple(taps): x[taps])))
    shifted = Number(np.stack([x.v for x, _ in source]), np.stack([x.e for x, _ in source]))
    weights = Number(np.stack([np.squeeze(w.v, tuple(window.index(u) for u in "uv"[:len(axes)])) for _, w in source]),
                     np.stack([np.squeeze(w.e, tuple(window.index(u) for u in "uv"[:len(axes)])) for _, w in source]))
    rest = "".join(x for x in window if x not in "uv")
    number = numbers.contract(f"z{image},z{rest}->{out}", shifted, weights, c.number, "f32")
    attributes = (f"{{strides = dense<[{', '.join(map(str, strides))}]> : tensor<{len(axes)}xi64>, "
                  f"dilations = dense<[{', '.join(map(str, dilations))}]> : tensor<{len(axes)}xi64>}}")
    return p.write(f"linalg.{name} {attributes} {p.operands([a, b], c)}", c, number)


__all__ = ["product", "convolution", "extent", "as_dims"]
