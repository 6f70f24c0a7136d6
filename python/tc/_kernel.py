"""Kernels that are compiled: on the emulator, on a GPU. No LLVM."""
from __future__ import annotations

import contextlib
import contextvars
import json
import os

from . import _arrays
from ._errors import DeadlockError, InputError, KernelError, MismatchError, RaceError

_RACES = contextvars.ContextVar("tc.races", default="default")


@contextlib.contextmanager
def races(mode: str):
    """How runs inside look for races: "off", "default" or "strict", which takes nothing for granted beyond the
    text of the PTX ISA."""
    token = _RACES.set(mode)
    try:
        yield
    finally:
        _RACES.reset(token)


def schedules() -> list[str]:
    """The orders of asynchronous work that "all" stands for. Random ones have more seeds: "random:17"."""
    from . import _runtime
    return _runtime.schedules()


class Kernel:
    """PTX (or a cubin) and a description of how it is launched: `tc.load`, `tc.compile`.

    `code` is the PTX as bytes, `description` the kernel description as a dict (docs/KernelDescription.md).
    """

    def __init__(self, code: bytes, description: dict, *, name: str = "kernel.ptx", folder: str = "",
                 function: str = ""):
        self.code, self.description, self.name, self.function = code, description, name, function
        self._description_name = os.path.join(folder, "launch.json") if folder else "launch.json"

    @property
    def _described(self) -> dict:
        """The description of the chosen function."""
        functions = self.description.get("functions")
        if not functions:
            return self.description
        for one in functions:
            if one.get("function") == self.function or len(functions) == 1:
                return one
        raise InputError("function: expected one of " + ", ".join(one["function"] for one in functions) +
                         f", got '{self.function}'")

    @property
    def arguments(self) -> list[str]:
        """The buffers that a caller gives, in order."""
        described = self._described
        return described.get("arguments") or list(described.get("buffers", {}))

    def emulate(self, *arrays, schedule="eager", check: bool = False, races: str | None = None, assume: str = "",
                threads: int = 0, max_instructions: int = 0, **named):
        """Runs on the emulator and returns the buffers that are written: an array, or a tuple in the order of the
        arguments.

        `arrays` are the arguments in order; those that are only written may be left out. `named` are further
        arguments, sizes and scalars by their names; sizes that the shapes of arrays say need not be given.
        `schedule` is a name, several, or "all": the results must not differ. With `check` they are compared with
        float64. Raises KernelError where the kernel is wrong, InputError where it was not run.
        """
        results = self._run("emulator", arrays, named, schedule, check, races, assume, threads, max_instructions)
        return _single(results)

    def __call__(self, *arrays, check: bool = False, **named):
        """The same on the first GPU, through its driver; arrays are copied there and back."""
        return _single(self._run("cuda", arrays, named, "eager", check, "off", "", 0, 0))

    def _bind(self, arrays, named):
        """(arrays by name, sizes, scalars)."""
        described = self._described
        buffers = described.get("buffers", {})
        arguments = self.arguments
        read = [name for name in arguments if buffers[name].get("role", "inout") != "out"]
        wanted = arguments if len(arrays) == len(arguments) else read
        bound = {name: named.pop(name) for name in list(named) if name in buffers}
        if arrays and len(arrays) != len(wanted):
            raise InputError(f"expected arrays for {', '.join(read)}" +
                             (f", or all of {', '.join(arguments)}" if read != arguments else "") + f", got {len(arrays)}")
        if arrays:
            bound.update(zip(wanted, arrays))
        scalars = [one["name"] for one in described.get("scalars", [])]
        values = {name: float(named.pop(name)) for name in list(named) if name in scalars}
        sizes = {name: int(named.pop(name)) for name in list(named) if name in described.get("sizes", [])}
        if named:
            raise InputError(f"unknown argument '{next(iter(named))}', expected one of: " + ", ".join(
                list(buffers) + described.get("sizes", []) + scalars))
        for name, array in bound.items():
            self._read_sizes(name, array, buffers[name], described.get("sizes", []), sizes)
        return bound, sizes, values

    @staticmethod
    def _read_sizes(name, array, buffer, known, sizes):
        """Sizes that are dimensions of arrays as they are."""
        for extent, size in zip(buffer["shape"], getattr(array, "shape", ())):
            if extent not in known:
                continue
            if sizes.setdefault(extent, size) != size:
                raise InputError(f"{name}: expected {extent} = {sizes[extent]}, got {size}")

    def _layouts(self, session):
        return {name: (index, element, role, shape, strides)
                for index, (name, element, role, shape, strides) in enumerate(session.buffers())}

    def _session(self, device, contents, sizes, scalars, races, assume, threads, max_instructions):
        from . import _runtime
        try:
            return _runtime.session(device, self.code, self.name, json.dumps(self.description), self._description_name,
                                    self.function, sizes, scalars, contents, races or _RACES.get(), assume, threads,
                                    max_instructions)
        except ValueError as error:
            raise InputError(str(error)) from None

    def _run(self, device, arrays, named, schedule, check, races, assume, threads, max_instructions):
        """The buffers that are written, by name, in the order of the arguments."""
        bound, sizes, scalars = self._bind(arrays, dict(named))
        described = self._described
        options = (races, assume, threads, max_instructions)
        # Shapes may be expressions over the sizes: a session without contents evaluates them.
        layouts = self._layouts(self._session(device, {}, sizes, scalars, *options))
        contents = {}
        for name, array in bound.items():
            _, element, _, shape, strides = layouts[name]
            contents[name] = _arrays.to_bytes(array, name, element, shape, strides)
        session = self._session(device, contents, sizes, scalars, *options)
        runs = [self._one(session, each) for each in self._schedules(schedule)]
        for name, run in runs[1:]:
            if differences := session.differences(runs[0][1], run):
                raise MismatchError("mismatch", differences.strip(), (), "", name, lambda: self._timeline(session, name))
        if check:
            self._check(session, *runs[0])
        written = [name for name in self.arguments if layouts[name][2] != "in"]
        written += [one["buffer"] for one in described.get("results", []) if one["buffer"] not in written]
        results = {}
        for name in written:
            index, element, _, shape, strides = layouts[name]
            results[name] = _arrays.from_bytes(runs[0][1].bytes(session, index), element, shape, strides)
        return results

    @staticmethod
    def _schedules(schedule) -> list[str]:
        if schedule == "all":
            return schedules()
        return [schedule] if isinstance(schedule, str) else list(schedule)

    @staticmethod
    def _timeline(session, schedule) -> str:
        return session.run(schedule, True).timeline()

    def _one(self, session, schedule):
        try:
            run = session.run(schedule, False)
        except ValueError as error:
            raise InputError(str(error)) from None
        if run.ok():
            return schedule, run
        kind, message, lines, history = run.reports()[0]
        if kind in ("unsupported", "bad launch"):
            raise InputError(f"{kind}: {message}")
        error = {"race": RaceError, "deadlock": DeadlockError}.get(kind, KernelError)
        raise error(kind, message, lines, history, schedule, lambda: self._timeline(session, schedule))

    def _check(self, session, schedule, run):
        for formula, elements, mismatches, error, ratio in session.check(run):
            if mismatches:
                raise MismatchError("mismatch",
                                    f"{formula}: {mismatches} of {elements} elements are wrong: largest error {error:g}, "
                                    f"{ratio:g} of its bound", (), "", schedule, lambda: self._timeline(session, schedule))


def _single(results: dict):
    """What a caller gets: one array as it is."""
    values = tuple(results.values())
    return values[0] if len(values) == 1 else values


def _read_description(description):
    """A description as a dict, and the folder of the file that it is from."""
    if isinstance(description, dict):
        return description, ""
    if isinstance(description, (str, os.PathLike)) and not str(description).lstrip().startswith("{"):
        with open(description, encoding="utf-8") as file:
            return json.load(file), os.path.dirname(os.path.abspath(description))
    return json.loads(description), ""


def _read_code(code):
    """PTX or a cubin as bytes, and a name for diagnostics."""
    if isinstance(code, bytes):
        return code, "kernel.ptx"
    if isinstance(code, str) and "\n" in code:
        return code.encode(), "kernel.ptx"
    with open(code, "rb") as file:
        return file.read(), os.fspath(code)


def load(code, description, *, function: str = "") -> Kernel:
    """A kernel that is compiled already: PTX or a cubin (a path, text or bytes) and its kernel description (a path,
    JSON or a dict). Needs no LLVM; cubins run on a GPU alone."""
    data, name = _read_code(code)
    described, folder = _read_description(description)
    return Kernel(data, described, name=name, folder=folder, function=function)


def run_ptx(ptx, launch, buffers: dict | None = None, *, schedule="eager", check: bool = False, races: str | None = None,
            assume: str = "", threads: int = 0, max_instructions: int = 0, **named) -> dict:
    """Runs somebody's PTX on the emulator and returns every buffer that is not read-only, by name. `launch` is a
    launch file (docs/KernelDescription.md, docs/Emulator.md): a path, JSON or a dict. What is left out of `buffers`
    starts as it says. The rest is as in Kernel.emulate."""
    kernel = load(ptx, launch)
    return kernel._run("emulator", (), {**(buffers or {}), **named}, schedule, check, races, assume, threads,
                       max_instructions)
