#!/usr/bin/env python3
"""Chains of layers in low precision on the emulator: the epilogue of one writes A of the next.

    chains.py --build build [--seeds N] [--filter TEXT]

The modules of examples/ with two layers become one kernel for each product, and one where the input is quantised, and run under every schedule and some seeds
with the strict race policy. The quantised tensor between the layers, its factors and amax are compared with the formula of the layer
in float64, quantised by a model of the conversions: an element may have any code that the error of the activation allows.
From the codes that the kernel wrote, the last layer has to have the bits that a model of the matrix unit gives.
"""
import dataclasses
import pathlib
import sys

import numpy as np

sys.dont_write_bytecode = True
import block_scaled  # noqa: E402
from tclib import mma, numerics, quantize, strict  # noqa: E402

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
# Of an activation in f32: instructions that approximate, and roundings on the way.
RELATIVE, ABSOLUTE = 2.0**-18, 2.0**-19


@dataclasses.dataclass(frozen=True)
class Chain:
    """One example: the shapes and formats of its layers."""
    name: str
    m: int
    n: tuple  # of both layers
    k: int
    scale: str  # of factors; "": none
    kinds: tuple  # of X, W1, H, W2
    d: str
    activation: object
    alphas: tuple  # alpha1, hidden, alpha2
    arguments: tuple  # buffers of X, SX, W1, SW1, W2, SW2, H, SH, amax, bias, D
    scalars: tuple
    encoded: tuple = ()  # where the first layer quantises its input: the buffer, of bf16, its scalar and that one's value


def relu(z, _):
    return np.maximum(z, 0)


def gelu(z, _):
    return 0.5 * z * (1 + np.tanh(np.float32(0.797884561) * (z + np.float32(0.044715) * z**3)))


CHAINS = [
    Chain("mlp_nvfp4", 200, (320, 136), 256, "f8E4M3FN", ("f4E2M1FN", ) * 4, "bf16", gelu, (0.01, 30.0, 0.0021),
          ("A", "SFA", "B", "SFB", "arg5", "arg6", "D", "SFD", "", "", "arg9"), ("arg11", "arg12", "arg13"), ("arg0", "arg10", 40.0)),
    Chain("mlp_fp8", 200, (272, 136), 160, "", ("f8E4M3FN", "f8E4M3FN", "f8E4M3FN", "f8E5M2"), "f32", relu, (0.0021, 3.5, 0.031),
          ("A", "", "B", "", "arg3", "", "D", "", "amax", "arg2", "arg6"), ("arg7", "arg8", "arg9")),
    Chain("mlp_mxfp8", 256, (256, 384), 384, "f8E8M0FNU", ("f8E4M3FN", ) * 4, "f32", relu, (1, 1, 1),
          ("A", "SFA", "B", "SFB", "arg4", "arg5", "D", "SFD", "", "", "arg6"), ()),
]


def quantized_input(generator, rows, columns, kind, scale):
    """Codes of normal numbers, and their factors."""
    values = generator.standard_normal((rows, columns)).astype(np.float32)
    if not scale:
        return quantize.encode(values * 4, kind), None
    # A per-tensor factor that is undone by alpha.
    return quantize.quantize(values * np.float32(40), kind, scale)


def accumulate(chain, layer, a, b, factors_a, factors_b):
    """The sums of a layer, in f32, from codes."""
    kinds = chain.kinds[2 * layer:2 * layer + 2]
    if not chain.scale:
        return mma.product(a, b, *kinds).astype(np.float32)
    case = block_scaled.Case("", (), a=kinds[0], b=kinds[1], scale=chain.scale)
    return block_scaled.model(a, b, factors_a, factors_b, case).astype(np.float32)


def check_between(value, codes, factors, kind, scale):
    """What is wrong with quantised `value`, each of which may be off by a little; or nothing."""
    off = np.abs(value) * RELATIVE + ABSOLUTE
    if not scale:
        low, high = (quantize.decode(quantize.encode(end, kind), kind) for end in (value - off, value + off))
    else:
        block = value.shape[1] // factors.shape[1]
        size, slack = np.abs(value), off
        blocks = (value.shape[0], -1, block)
        ends = [np.maximum(size + sign * slack, 0).reshape(blocks).max(axis=2) for sign in (-1, 1)]
        bounds = [quantize.factors(end, kind, scale)[0] for end in ends]
        if (wrong := (factors < bounds[0]) | (factors > bounds[1])).any():
            return f"factors: {np.count_nonzero(wrong)} of {wrong.size}, the first at {np.argwhere(wrong)[0]}"
        # More of them may differ by a rounding than are next to one: few.
        decode = (lambda c: np.ldexp(1.0, c.astype(np.int64) - 127)) if scale == "f8E8M0FNU" else (
            lambda c: quantize.decode(c, scale))
        divisor = np.repeat(decode(factors), block, axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            scaled = [np.where(divisor == 0, 0, end / divisor) for end in (value - off, value + off)]
        scaled = [scaled[0] - np.abs(scaled[0]) * 2.0**-22, scaled[1] + np.abs(scaled[1]) * 2.0**-22]
        low, high = (quantize.decode(quantize.encode(end, kind), kind) for end in scaled)
    got = quantize.decode(codes, kind)
    if (wrong := ~((got >= low) & (got <= high))).any():
        at = tuple(np.argwhere(wrong)[0])
        return f"elements: {np.count_nonzero(wrong)} of {wrong.size}, at {at}: expected {low[at]} to {high[at]}, got {got[at]}"
    # Bounds that allow everything would show nothing.
    if (open_ := np.count_nonzero(low != high)) * 50 > low.size:
        return f"{open_} of {low.size} elements have more than one code"
    return None


def check(chain, folder, a, w1, w2, bias):
    """What is wrong with what the kernels wrote, or nothing."""
    x_name, _, _, _, _, _, h_name, sh_name, amax_name, _, d_name = chain.arguments
    n1, n2 = chain.n
    alphas = [np.float32(alpha) for alpha in chain.alphas]
    sums = accumulate(chain, 0, a[0], w1[0], a[1], w1[1])
    plain = chain.activation((sums * alphas[0]).astype(np.float64) + (0 if bias is None else bias), None)
    value = plain * alphas[1]
    h = quantize.unpack((folder / h_name).read_bytes(), chain.kinds[2], value.shape)
    sh = None
    if chain.scale:
        block = 32 if chain.scale == "f8E8M0FNU" else 16
        sh = quantize.deinterleave(np.frombuffer((folder / sh_name).read_bytes(), np.uint8), chain.m, n1 // block)
    if error := check_between(value, h, sh, chain.kinds[2], chain.scale):
        return f"H: {error}"
    if len(np.unique(h)) < 8:
        return f"H has {len(np.unique(h))} codes"
    if amax_name:
        got = np.frombuffer((folder / amax_name).read_bytes(), np.float32)[0]
        if not abs(got - np.abs(plain).max()) <= np.abs(plain).max() * 2.0**-22:
            return f"amax: expected {np.abs(plain).max()}, got {got}"
    sums = accumulate(chain, 1, h, w2[0], sh, w2[1])
    want = (sums * alphas[2]).astype(np.float64)
    if chain.d == "bf16":
        want = numerics.round_once(want, "bf16")
    got = numerics.decode((folder / d_name).read_bytes(), chain.d).reshape(want.shape)
    if (wrong := got != want).any():
        at = tuple(np.argwhere(wrong)[0])
        return f"D: {np.count_nonzero(wrong)} of {wrong.size} differ, at {at}: expected {want[at]!r}, got {got[at]!r}"
    return None


def run(chain, build, folder, seeds):
    """Returns the runs made, or raises Failure."""
    ptx = folder / f"{chain.name}.ptx"
    strict.compile_text((EXAMPLES / f"{chain.name}.mlir").read_text(), ptx, build)
    strict.assemble(ptx, "sm_100a")
    if (entries := ptx.read_text().count(".entry")) != 2 + bool(chain.encoded):
        raise strict.Failure(f"{ptx}: expected one kernel for each of two products{' and the input' * bool(chain.encoded)}, got {entries}")
    scalars = [f"--scalar={name}={value!r}" for name, value in zip(chain.scalars, chain.alphas)]
    if chain.encoded:
        scalars.append(f"--scalar={chain.encoded[1]}={chain.encoded[2]!r}")
    strict.step([build / "bin/tc-run", ptx, "--check", "--races=strict", "--threads=1", "--schedule=eager", *scalars])
    generator = np.random.default_rng(len(chain.name))
    sizes = [(chain.m, chain.k), (chain.n[0], chain.k), (chain.n[1], chain.n[0])]
    kinds = [chain.kinds[0], chain.kinds[1], chain.kinds[3]]
    inputs = [quantized_input(generator, *size, kind, chain.scale) for size, kind in zip(sizes, kinds)]
    bias = generator.standard_normal(chain.n[0]).astype(np.float32) if chain.arguments[9] else None
    work = ptx.with_suffix("")
    work.mkdir(parents=True, exist_ok=True)
    files = {}
    for (codes, factors), kind, place in zip(inputs, kinds, (0, 2, 4)):
        files[chain.arguments[place]] = mma.pack(codes, kind)
        if factors is not None:
            files[chain.arguments[place + 1]] = quantize.interleave(factors, 0x7F)
    outputs = chain.arguments[6:9] + chain.arguments[10:]
    if chain.encoded:
        # The kernel makes X and its factors.
        values = generator.standard_normal((chain.m, chain.k)).astype(np.float32).view(np.uint32) >> 16
        files[chain.encoded[0]] = values.astype(np.uint16)
        plain = (values << 16).view(np.float32) * np.float32(chain.encoded[2])
        inputs[0] = quantize.quantize(plain, kinds[0], chain.scale)
        outputs += chain.arguments[:2]
        del files[chain.arguments[0]], files[chain.arguments[1]]
    if bias is not None:
        files[chain.arguments[9]] = bias
    options = []
    for name, array in files.items():
        (work / name).write_bytes(np.ascontiguousarray(array).tobytes())
        options.append(f"--buffer={name}={work / name}")
    options += [f"--out={name}={work / name}" for name in outputs if name]
    strict.emulate(ptx, build, f"--seeds={seeds}", *scalars, *options)
    if chain.encoded:
        got = quantize.unpack((work / chain.arguments[0]).read_bytes(), kinds[0], sizes[0])
        factors = np.frombuffer((work / chain.arguments[1]).read_bytes(), np.uint8)
        factors = quantize.deinterleave(factors, chain.m, inputs[0][1].shape[1])
        if (got != inputs[0][0]).any() or (factors != inputs[0][1]).any():
            raise strict.Failure(f"{ptx} {' '.join(options)}\nX or its factors differ from the model")
    if error := check(chain, work, *inputs, bias):
        raise strict.Failure(f"{ptx} {' '.join(options)}\n{error}")
    return 1 + len(strict.SCHEDULES) + seeds


def main():
    options = strict.parse(__doc__, seeds=2)
    return strict.run_cases(options, "integration-chains", "chains of layers", CHAINS, run)


if __name__ == "__main__":
    sys.exit(main())
