#!/usr/bin/env python3
"""Modules of torch through torch-mlir, beside torch in f64 on the CPU.

    torch_models.py --build build [--filter TEXT] [--chip sm_90a] [--option=--f32=narrow] [--table FILE]

Run by a Python that has torch and torch-mlir: scripts/test-torch makes one. Each module of torch_functions.py is exported
(torch.export), lowered by torch-mlir to linalg on tensors, compiled by tc-compile without an option and run on the
emulator under two schedules with the strict race checker. It is right where no element is further from what torch
computes in f64 than R u y (a refusal is a failure, but for those that torch_functions.py lists): with u half an ulp of 1 in the narrowest float type of the module, R its roundings and y the
largest element. --table writes a line for each module: right, or what refused it.
"""
import argparse
import contextlib
import copy
import io
import json
import pathlib
import re
import subprocess
import sys
import time

import numpy as np
import torch
import torch_functions
from tclib import modules
from torch_mlir import fx

UNIT = {torch.bfloat16: 2.0**-8, torch.float16: 2.0**-11, torch.float32: 2.0**-18}  # of f32: sums in another order
DTYPES = {torch.bfloat16: "bf16", torch.float16: "f16", torch.float32: "f32", torch.int64: "i64", torch.bool: "i1"}


class Failed(Exception):
    """Wrong, or not to be printed by torch-mlir."""


class Refused(Exception):
    """By tc-compile, with its message."""


def argument(generator, shape, dtype):
    """`shape` is below what integers are where `dtype` is their shape."""
    if isinstance(dtype, tuple):
        return torch.from_numpy(generator.integers(0, shape, dtype))
    return torch.from_numpy(generator.uniform(-1, 1, shape)).to(dtype)


def bits(tensor):
    """The bytes of `tensor`, as buffers have them."""
    tensor = tensor.detach().contiguous()
    return (tensor.view(torch.int16) if tensor.dtype == torch.bfloat16 else tensor).numpy().tobytes()


def wide(tensor):
    return tensor.double() if tensor.is_floating_point() else tensor


def print_module(name, module, inputs, dynamic):
    """As linalg on tensors."""
    noise = io.StringIO()
    try:
        with contextlib.redirect_stdout(noise), contextlib.redirect_stderr(noise), torch.no_grad():
            if isinstance(module, torch_functions.Lambda) and name.endswith("_gradient"):
                # torch.export takes no gradients: they become operations first.
                graph = torch.fx.experimental.proxy_tensor.make_fx(module.function, decomposition_table=torch._decomp.core_aten_decompositions())(*inputs)
                module = graph
            if dynamic:
                dims = {}
                dynamic = tuple(part and {dim: dims.setdefault(key, torch.export.Dim(key, min=2, max=4096)) for dim, key in part.items()}
                                for part in dynamic)
                if isinstance(module, torch_functions.Lambda):
                    dynamic = (dynamic, )
            program = torch.export.export(module, tuple(inputs), dynamic_shapes=dynamic)
            return str(fx.export_and_import(program, output_type="linalg-on-tensors", func_name="main"))
    except Exception as error:  # pylint: disable=broad-except
        text = (str(error) + noise.getvalue()).strip()
        raise Failed(f"torch-mlir prints nothing: {type(error).__name__}: {text[:300]}") from error


def run(command):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True)


def check(options, work, name, build, inputs, roundings, dynamic, dtype):
    torch.manual_seed(len(name))
    module = build().eval()
    exact = copy.deepcopy(module).to(dtype).double()
    module = module.to(dtype)
    generator = np.random.default_rng(len(name))
    values = [argument(generator, *one) for one in inputs]
    text = print_module(name, module, values, dynamic)
    source, ptx = work / f"{name}.mlir", work / f"{name}.ptx"
    source.write_text(text)
    done = run([options.build / "bin" / "tc-compile", source, "-o", ptx, f"--chip={options.chip}", *options.option])
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if "error" in line] or [done.stderr[-500:]]
        raise Refused(errors[0].split("error: ", 1)[-1][:300])
    with torch.no_grad():
        expected = exact(*[wide(value) for value in values]) if not name.endswith("_gradient") else module.function(*[wide(v) for v in values])
    expected = list(expected) if isinstance(expected, (tuple, list)) else [expected]
    description = json.loads(ptx.with_suffix(".json").read_text())
    names, results = description["arguments"], description["results"]
    if len(names) != len(values):
        raise Failed(f"expected {len(values)} arguments, got {names}")
    command = [options.build / "bin" / "tc-run", ptx, "--schedule=eager,random:1", "--races=strict", "--threads", "1", "--approx=random:1"]
    sizes = {}
    for key, value in zip(names, values):
        (work / f"{name}.{key}.in").write_bytes(bits(value))
        command += ["--buffer", f"{key}={work / f'{name}.{key}.in'}"]
        for extent, size in zip(description["buffers"][key]["shape"], value.shape):
            if isinstance(extent, str) and re.fullmatch(r"\w+", extent):
                sizes[extent] = size
    if sizes:
        command += ["--size", ",".join(f"{key}={value}" for key, value in sizes.items())]
    for key in {part["buffer"] for part in results}:
        command += ["--out", f"{key}={work / f'{name}.{key}.out'}"]
    done = run(command)
    if done.returncode:
        raise Failed((done.stderr or done.stdout)[:400])
    if len(expected) != len(results):
        raise Failed(f"expected {len(expected)} results, got {results}")
    worst = 0.0
    for right, part in zip(expected, results):
        element = description["buffers"][part["buffer"]]["dtype"]
        data = (work / f"{name}.{part['buffer']}.out").read_bytes()
        kind = next(kind for kind, text_ in DTYPES.items() if text_ == element)
        got = torch.frombuffer(bytearray(data), dtype=kind if kind != torch.bool else torch.int8)
        got = modules.view(wide(got).numpy(), part, sizes).reshape(tuple(right.shape))
        right = right.numpy()
        bound = roundings * UNIT.get(dtype, 0.0) * np.abs(right).max(initial=0.0)
        error = np.abs(got - right)
        if not (error <= bound).all():
            at = tuple(int(i) for i in np.unravel_index(np.argmax(np.where(np.isfinite(error), error, np.inf)), error.shape))
            raise Failed(f"at {at} torch has {right[at]}, we {got[at]}, bound {bound:.3g}")
        worst = max(worst, float(error.max(initial=0.0)) / bound if bound else 0.0)
    return worst, len(description["launches"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--filter", default="")
    parser.add_argument("--chip", default="sm_100a")
    parser.add_argument("--option", action="append", default=[], help="of tc-compile, as --option=--f32=narrow")
    parser.add_argument("--table", type=pathlib.Path)
    options = parser.parse_args()
    work = options.build / "integration-torch"
    work.mkdir(parents=True, exist_ok=True)
    start, failures, refused, rows = time.monotonic(), 0, 0, []
    for name, *one in torch_functions.MODULES:
        if not re.search(options.filter, name):
            continue
        known = torch_functions.REFUSED.get(name)
        try:
            worst, launches = check(options, work, name, *one)
            if known:
                raise Failed(f"is right: take it out of REFUSED in torch_functions.py ('{known}')")
            rows.append((name, f"right, {launches} launches"))
            print(f"  {name}: {launches} launches, largest error / bound {worst:.3f}", flush=True)
        except Refused as error:
            rows.append((name, f"refused: {error}"))
            is_known = known and known in str(error)
            refused, failures = refused + bool(is_known), failures + (not is_known)
            print(f"{'refused' if is_known else 'FAILED, REFUSED'}: {name}: {error}", flush=True)
        except Failed as error:
            failures += 1
            rows.append((name, f"failed: {error}"))
            print(f"FAILED: {name}: {error}", flush=True)
    if options.table:
        options.table.write_text("".join(f"{name}\t{result}\n" for name, result in rows))
    print(f"{len(rows)} modules of torch {torch.__version__} for {options.chip}, {time.monotonic() - start:.0f} s: "
          f"{len(rows) - failures - refused} right, {refused} refused, {failures} failures")
    return 1 if failures or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
