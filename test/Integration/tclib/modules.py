"""Runs a whole module: its function's arguments in, its results out.

The kernel description says which buffer is which argument; every number comes
from the caller.
"""
import dataclasses
import json
import re
import shutil
import tempfile
import pathlib
import zlib

import numpy as np

from . import numerics, runner


@dataclasses.dataclass
class Array:
    """An argument: exact values, in float64, and the element type."""
    values: np.ndarray
    type: str


def random_array(shape, element, seed, scale=1.0):
    generator = np.random.default_rng(seed)
    values = numerics.round_once(generator.uniform(-scale, scale, shape), element)
    return Array(values, element)


def find_sizes(description, arguments):
    """Values of the description's sizes: each is the extent of some argument."""
    sizes = {}
    for name, array in zip(description["arguments"], arguments):
        for extent, value in zip(description["buffers"][name]["shape"], array.values.shape):
            if isinstance(extent, str) and re.fullmatch(r"\w+", extent):
                sizes[extent] = value
    return sizes


def compile_module(tools, name, text, seconds, options=()):
    folder = tools.work / "modules"
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / f"{name}.mlir"
    source.write_text(text)
    ptx = source.with_suffix(".ptx")
    command = [tools.path("tc-compile"), source, "-o", ptx, *options]
    done, taken = runner.run(command)
    seconds.compiling += taken
    if done.returncode:
        raise runner.Failure(runner.describe(command, done))
    runner.assemble(tools, ptx, seconds, json.loads(ptx.with_suffix(".json").read_text())["chip"])
    return ptx


def value_options(description, arguments, scalars):
    """Options of tc-run that give the sizes and scalars of a description their values."""
    sizes = find_sizes(description, arguments)
    options = ["--size", ",".join(f"{key}={value}" for key, value in sizes.items())] if sizes else []
    if scalars:
        options += ["--scalar", ",".join(f"{key}={value}" for key, value in scalars.items())]
    return options


def approximate(name):
    """tc-run draws what .approx instructions give within the bound of the ISA: a test must not need the nearest value."""
    return f"--approx=random:{zlib.crc32(name.encode())}"


def check_module(tools, ptx, arguments, scalars=None):
    """tc-run's own reference, on its own data, from what the kernel description says of each launch."""
    description = json.loads(ptx.with_suffix(".json").read_text())
    command = [tools.path("tc-run"), ptx, "--check", "--schedule=eager,lazy,random:1", "--races=strict",
               approximate(ptx.stem), *value_options(description, arguments, scalars)]
    return runner.run(command)[0], command


def view(values, part, sizes):
    """The elements of a buffer that a result of a description says it is."""
    if "strides" not in part:
        return values

    def value(number):
        return eval(number, {"__builtins__": {}}, sizes) if isinstance(number, str) else number  # pylint: disable=eval-used

    steps = [value(stride) * values.itemsize for stride in part["strides"]]
    shape = [value(size) for size in part["shape"]]
    return np.lib.stride_tricks.as_strided(values[value(part.get("offset", 0)):], shape, steps)


def run_module(tools, name, ptx, arguments, seconds, in_place=(), schedules=runner.SCHEDULES, scalars=None):
    """The results of the function and the arguments `in_place`, as float64 arrays; the same under every schedule."""
    description = json.loads(ptx.with_suffix(".json").read_text())
    buffers = description["buffers"]
    names = description["arguments"]
    if len(names) != len(arguments):
        raise runner.Failure(f"{name}: expected {len(arguments)} arguments, got {names}")
    parts = [(names[i], {}) for i in in_place] + [(result["buffer"], result) for result in description.get("results", [])]
    outputs = list(dict.fromkeys(key for key, _ in parts))
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tc-", dir=tools.work))
    try:
        command = [tools.path("tc-run"), ptx, f"--schedule={','.join(schedules)}", "--races=strict", "--threads", "1",
                   approximate(name)]
        command += value_options(description, arguments, scalars)
        for key, array in zip(names, arguments):
            (folder / f"{key}.bin").write_bytes(numerics.encode(array.values, array.type))
            command += ["--buffer", f"{key}={folder}/{key}.bin"]
        for key in outputs:
            command += ["--out", f"{key}={folder}/{key}.out"]
        done, taken = runner.run(command)
        seconds.emulating += taken
        seconds.runs += len(schedules)
        if done.returncode:
            raise runner.Failure(f"{name}: " + runner.describe(command, done))
        read = {key: numerics.decode((folder / f"{key}.out").read_bytes(), buffers[key]["dtype"]) for key in outputs}
        sizes = find_sizes(description, arguments)
        return [view(read[key], part, sizes) for key, part in parts]
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def compare(name, got, expected, bound, out_type):
    """Checks |got - expected| <= bound + one rounding to `out_type`; the largest error over bound."""
    got = got.reshape(expected.shape)
    limit = bound + (0.5 * numerics.ulp(np.abs(expected) + bound, out_type) if out_type != "f32" else 0)
    error = np.abs(got - expected)
    if not np.isfinite(got).all() or (error > limit).any():
        where = np.unravel_index(np.argmax(np.where(np.isfinite(error), error - limit, np.inf)), error.shape)
        raise runner.Failure(f"{name}: at {tuple(int(i) for i in where)} expected {expected[where]}, got {got[where]}, "
                             f"bound {np.broadcast_to(limit, error.shape)[where]}")
    # An exact result, of 0 blocks of K, has no bound.
    return float((error / np.where(limit > 0, limit, 1)).max()) if error.size else 0.0
