#!/usr/bin/env python3
"""Compiles functions as other projects' pipelines print them (tclib/printed), runs them on the emulator and compares
with numpy.

    front_ends.py --build build [--filter TEXT]
    front_ends.py --print NAME              the text of one
    front_ends.py --build build --table     writes docs/data/front-ends.tsv

Expected numbers are float64 from the arguments, each with a bound (tclib/uncertain.py); a tensor that the function
rounds is rounded there too.
"""
import os
import pathlib
import sys

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

from tclib import cases, modules, runner  # noqa: E402
from tclib.printed import MODELS, every, table  # noqa: E402, F401
from tclib.uncertain import Uncertain, lift  # noqa: E402

SCHEDULES = ("eager", "random:1")


def compile_text(tools, name, text, seconds, options):
    """Without ptxas, which models.py runs on such kernels: many functions in little time."""
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
    return ptx


def check(tools, model, seconds):
    arguments = [modules.random_array(*argument, seed=100 + i, scale=scale)
                 for i, (argument, scale) in enumerate(zip(model.shapes, model.scales)) if argument]
    expected = model.formula(*(Uncertain(argument.values) for argument in arguments))
    out_types = model.out_type
    if not isinstance(expected, tuple):
        expected, out_types = (expected,), (out_types,)
    name = f"{model.group}-{model.name}"
    ptx = compile_text(tools, name, model.text, seconds, model.options)
    in_place = [] if model.in_place is None else [model.in_place]
    results = modules.run_module(tools, name, ptx, arguments, seconds, in_place, SCHEDULES, model.scalars)
    if len(expected) > 1 and len(results) != len(expected):
        raise runner.Failure(f"{name}: expected {len(expected)} results, got {len(results)}")
    # Integers are exact.
    return max(modules.compare(name, result, number.value, 2.0**-40 if out_type == "i32" else number.error + 2.0**-40, out_type)
               for result, number, out_type in zip(results, map(lift, expected), out_types))


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--print":
        texts = [model.text for model in MODELS if sys.argv[2] in (model.name, f"{model.group}-{model.name}")]
        if not texts:
            return f"error: --print: expected the name of a function, got '{sys.argv[2]}'"
        print(texts[0], end="")
        return 0
    if len(sys.argv) == 4 and sys.argv[1] == "--build" and sys.argv[3] == "--table":
        table.write(pathlib.Path(sys.argv[2]) / "bin" / "tc-compile")
        return 0
    if wrong := table.check():
        return f"error: {wrong}"
    return cases.main(__doc__, "front-ends", [(f"{model.group}-{model.name}",
                                               lambda tools, seconds, model=model: check(tools, model, seconds))
                                              for model in MODELS])


if __name__ == "__main__":
    sys.exit(main())
