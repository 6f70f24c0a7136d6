"""Kernels that are compiled: on the emulator, on a GPU. No LLVM."""
from __future__ import annotations

import contextlib
import contextvars
import json
import numbers
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Union, overload

from . import _arrays, _device, _progress, _tensors
from ._description import (anchored, checked, description_beside, expect, has_contents, integer, is_cubin, is_list_of,
                           is_path, launched, number, read_code, read_description, summary, write_file)
from ._errors import DeadlockError, InputError, KernelError, MismatchError, RaceError, check_text
from ._progress import Wanted
from ._types import DeviceArray, Races, Tensor

if TYPE_CHECKING:
    import numpy
    import numpy.typing
    from numpy.typing import ArrayLike

Code = Union[str, bytes, "os.PathLike[str]"]
Description = Union[str, "os.PathLike[str]", Mapping[str, Any]]

_RACES = contextvars.ContextVar("tc.races", default="default")


@contextlib.contextmanager
def races(mode: Races) -> Iterator[None]:
    """How runs inside look for races: "off", "default" or "strict", which takes nothing for granted beyond the
    text of the PTX ISA."""
    if mode not in ("off", "default", "strict"):
        raise InputError(f"races: expected off, default or strict, got {mode!r}")
    token = _RACES.set(mode)
    try:
        yield
    finally:
        _RACES.reset(token)


def schedules() -> list[str]:
    """The orders of asynchronous work that "all" means. Random ones have more seeds: "random:17"."""
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
        self._plans = {}

    def __repr__(self) -> str:
        return f"<tc.{type(self).__name__} {summary(self.description, self.function)}>"

    def __getstate__(self):
        return {**self.__dict__, "_plans": {}}  # which are of this process

    @property
    def is_cubin(self) -> bool:
        """Whether the code is a cubin, else PTX."""
        return is_cubin(self.code)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the code to `path` (.ptx or .cubin) and the description beside it (.json), as `tc.load(path)` reads them
        without a compiler."""
        path, code = os.fspath(path), self._code_for(os.fspath(path))
        text = self._json(anchored(self.description, os.path.dirname(self._description_name)))
        write_file(path, code)
        write_file(description_beside(path), text.encode())

    def _code_for(self, path):
        if not isinstance(path, str) or not path.endswith(".cubin" if self.is_cubin else ".ptx"):
            raise InputError(f"path: expected one that ends in {'.cubin' if self.is_cubin else '.ptx'}, as the kernel is "
                             f"{'a cubin' if self.is_cubin else 'PTX'}, got {path!r}")
        return self.code

    @property
    def _described(self) -> dict:
        """The description of the chosen function."""
        functions = self.description.get("functions")
        if not functions:
            return checked(self.description)
        expect(is_list_of(dict, functions), "functions", "an array of objects", functions)
        for one in functions:
            if one.get("function") == self.function or len(functions) == 1:
                return checked(one)
        raise InputError("function: expected one of " + ", ".join(str(one.get("function", "")) for one in functions) +
                         f", got '{self.function}'")

    def _json(self, description: dict) -> str:
        """A description as the runtime reads it."""
        for what, text in (("name", self.name), ("function", self.function)):
            if not isinstance(text, str):
                raise InputError(f"{what}: expected str, got {type(text).__name__}")
            check_text(what, text)
        try:
            return json.dumps(description, allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            raise InputError(f"description: expected what JSON can hold: {error}") from None

    def _check_description(self):
        """Raises what is wrong with the description, whatever the sizes are."""
        from . import _runtime
        _ = self._described
        text = self._json(self.description)
        try:
            _runtime.check_description(self.code, text, self._description_name, self.function)
        except ValueError as error:
            raise InputError(str(error)) from None

    @property
    def arguments(self) -> list[str]:
        """The buffers that a caller gives, in order."""
        described = self._described
        return list(described.get("arguments", described.get("buffers", {})))

    @overload
    def emulate(self, *arrays: numpy.ndarray[Any, Any] | float, schedule: str | Sequence[str] = "eager", check: bool = False,
                races: Races | None = None, assume: str = "", threads: int = 0, max_instructions: int = 0,
                progress: Wanted = None, **named: numpy.ndarray[Any, Any] | float) -> numpy.ndarray[Any, Any]: ...

    @overload
    def emulate(self, *arrays: Tensor | float, schedule: str | Sequence[str] = "eager", check: bool = False,
                races: Races | None = None, assume: str = "", threads: int = 0, max_instructions: int = 0,
                progress: Wanted = None, **named: Tensor | float) -> Tensor: ...

    @overload
    def emulate(self, *arrays: numpy.typing.ArrayLike, schedule: str | Sequence[str] = "eager", check: bool = False,
                races: Races | None = None, assume: str = "", threads: int = 0, max_instructions: int = 0,
                progress: Wanted = None, **named: numpy.typing.ArrayLike) -> numpy.ndarray[Any, Any]: ...

    def emulate(self, *arrays, schedule="eager", check=False, races=None, assume="", threads=0, max_instructions=0,
                progress=None, **named):
        """Runs on the emulator and returns the arguments that are written, in order, then what the function returns: an
        array, or a tuple. They are tensors of torch where an argument is one, arrays of JAX where one is, else of numpy.

        `arrays` are the arguments in order; those that are only written may be left out. One that is given is written
        into, as by a launch on a GPU, and returned, if it is of numpy or torch. Numbers among them are the scalars in their
        order. `named` are further arguments, sizes and scalars by their names; sizes that the shapes of arrays say need not
        be given.
        `schedule` is a name, several, or "all": the results must not differ. With `check` they are compared with
        float64. `progress` is called from time to time with the state of the run (`tc.Progress`), see `tc.progress`.
        Raises KernelError where the kernel is wrong, InputError where it was not run: arrays are as they were then.
        """
        return _single(self._outputs(*self._run("emulator", arrays, named, schedule, check, races, assume, threads,
                                                max_instructions, progress)))

    def trace(self, *arrays: ArrayLike, schedule: str = "eager", threads: int = 0, max_instructions: int = 0,
              **named: ArrayLike) -> str:
        """The timeline of one run on the emulator: JSON for Perfetto, and for `tc.pictures.timeline`. Arguments are those of
        `emulate`; races are not looked for. Raises KernelError where the run is stopped."""
        bound = self._bound_session("emulator", arrays, named, ("off", "", threads, max_instructions))
        return self._one(bound.session, schedule, True)[1].timeline()

    @overload  # type: ignore[overload-overlap]  # an array of numpy has DLPack, too
    def __call__(self, *arrays: numpy.ndarray[Any, Any] | float, check: bool = False, stream: int | None = None,
                 **named: numpy.ndarray[Any, Any] | float) -> numpy.ndarray[Any, Any]: ...

    @overload
    def __call__(self, *arrays: DeviceArray | float, check: bool = False, stream: int | None = None,
                 **named: DeviceArray | float) -> DeviceArray: ...

    def __call__(self, *arrays, check=False, stream=None, **named):
        """The same on the first GPU, through its driver, which assembles PTX.

        Arrays on the GPU (torch, cupy, jax, whatever has DLPack or `__cuda_array_interface__`) are not copied: the
        launches go to `stream` (an integer, as torch's `cuda_stream`; by default the framework's current one) and the
        call returns at once. What is written is an argument, or made by torch or cupy. Those of JAX, also while it traces a
        function, go to `tc.jax.call`, as nothing writes into them. Arrays of the host are copied there and back, and `check`
        compares with float64.
        """
        if any(isinstance(one, numbers.Real) for one in arrays):
            arrays, named = self._scalars_by_position(arrays, named)
        if arrays and _device.is_jax(arrays[0]) and _device.is_on_device(arrays[0]):
            if check or stream is not None:
                raise InputError(f"{'check' if check else 'stream'}: expected arrays that are not of JAX, which has its own stream")
            from .jax import call
            return call(self, *arrays, **named)
        if arrays and _device.is_on_device(arrays[0]):
            return self._launch(arrays, named, check, stream)
        if stream is not None:
            raise InputError("stream: expected arrays on a GPU, got arrays of the host")
        return _single(self._outputs(*self._run("cuda", arrays, named, "eager", check, "off", "", 0, 0)))

    def _launch(self, arrays, named, check, stream):
        if check:
            raise InputError("check: expected arrays of the host, got arrays on a GPU")
        if stream is None:
            stream = _device.current_stream(arrays[0])
        try:  # torch's attributes are cheap, and decide which plan fits
            for name, array in zip(self.arguments, arrays) if any(array.requires_grad for array in arrays) else ():
                _tensors.refuse_gradient(array, name)
            key = (tuple((array.shape, array.stride(), array.dtype, array.device) for array in arrays), *named.items())
            plan = self._plans.get(key)
            addresses = [array.data_ptr() for array in arrays] if plan else []
        except AttributeError:
            key = plan = None
        if plan:
            return _single(plan.launch(arrays, addresses, stream))
        described = [_device.describe(array, stream) for array in arrays]
        if key is None:
            key = (tuple(each[1:] for each in described), *named.items())
        plan = self._plans.get(key)
        if not plan:
            plan = self._plans[key] = self._plan(arrays, described, named)
        return _single(plan.launch(arrays, [each[0] for each in described], stream))

    def _plan(self, arrays, described, named):
        """What one shape class needs; everything is checked here."""
        buffers = self._described.get("buffers", {})
        for name in named:
            if name in buffers:
                raise InputError(f"{name}: expected arrays on a GPU in the order of the arguments, got one by name")
        bound, sizes, scalars = self._bind(arrays, dict(named), described)
        order = [name for name in self.arguments if name in bound]
        written = self._written()
        options = ("off", "", 0, 0, sorted({*order, *written}))
        session = self._session("cuda", {}, sizes, scalars, *options)
        layouts = self._layouts(session)
        outputs = self._returned("cuda", sizes, scalars, options, layouts)
        for name, each in zip(order, described):
            _, element, _, shape, strides = layouts[name]
            _device.check(name, each, element, shape, strides)
        allocate = _device.allocator_of(arrays[0])
        missing = [name for name in written if name not in order]
        if missing and not allocate:
            raise InputError(f"expected an array for {missing[0]}, which is written: only torch and cupy make one, got "
                             f"arrays of {type(arrays[0]).__module__.partition('.')[0]}")
        if first := [name for name in missing if has_contents(buffers[name])]:
            raise InputError(f"expected an array for {first[0]}, which has first contents")
        for name, part in outputs:
            if part and not hasattr(arrays[0], "as_strided"):
                raise InputError(f"expected arrays of torch, as the function returns a part of {name}, got arrays of "
                                 f"{type(arrays[0]).__module__.partition('.')[0]}")
            if part and _arrays.TYPES[layouts[name][1]][0] < 8:
                raise InputError(f"expected arrays of the host, as the function returns a part of {name}, of {layouts[name][1]}")
        return _device.Plan(session, order, outputs, layouts, allocate)

    def _written(self) -> list[str]:
        """Buffers that hold what a caller gets back: the arguments first, then results."""
        described = self._described
        buffers = described.get("buffers", {})
        results = [one["buffer"] for one in described.get("results", [])]
        written = [name for name in self.arguments if buffers[name].get("role", "inout") != "in"]
        if results:
            # A function that returns tensors may have arguments that it never uses.
            used = launched(described.get("launches", []))
            written = [name for name in written if name in used and name not in results]
        return list(dict.fromkeys(written + results))

    def _returned(self, device, sizes, scalars, options, layouts):
        """(buffer, None or its part as offset, shape and strides) for each array that a caller gets back: arguments that are
        written, then what the function returns."""
        described = self._described
        results = described.get("results", [])
        names = [one["buffer"] for one in results]
        parts = [[one.get("offset", 0), *one["shape"], *one["strides"]] if "shape" in one else [] for one in results]
        extents = [extent for part in parts for extent in part]
        if any(isinstance(extent, str) for extent in extents):
            # The sizes of a buffer without elements: the session evaluates expressions.
            name = "results"
            while name in described["buffers"]:
                name += "_"
            extra = {name: {"dtype": "u8", "shape": [0, *extents], "role": "temporary"}}
            changed = {**described, "buffers": {**described["buffers"], **extra}}
            session = self._session(device, {}, sizes, scalars, *options, description=changed)
            extents = self._layouts(session)[name][3][1:]
        extents = iter(extents)
        returned = [(name, None) for name in self._written() if name not in names]
        for name, one, part in zip(names, results, parts):
            values = [next(extents) for _ in part]
            rank = len(one["shape"]) if part else 0
            place = (values[0], tuple(values[1:1 + rank]), tuple(values[1 + rank:])) if part else None
            if place and not _arrays.fits(place, *layouts[name][3:]):
                raise InputError(f"results: expected a part of {name}, which has shape {layouts[name][3]}, got offset {place[0]}, "
                                 f"shape {place[1]}, strides {place[2]}")
            returned.append((name, place))
        return returned

    def _scalars_by_position(self, arrays, named):
        """The arrays without numbers among them, which are the scalars that have no name in `named`, in order, and `named`
        with these."""
        described = self._described
        names = [one["name"] for one in described.get("scalars", []) if one["name"] not in named]
        if not names:
            return arrays, named
        # A number of numpy may be an argument without dimensions, one of Python has not its type.
        kinds = numbers.Real if all(described["buffers"][name]["shape"] for name in self.arguments) else (int, float)
        values = [one for one in arrays if isinstance(one, kinds)]
        if len(values) > len(names):
            raise InputError(f"expected {len(names)} number{'s' * (len(names) > 1)} ({', '.join(names)}), got {len(values)}")
        return tuple(one for one in arrays if not isinstance(one, kinds)), {**named, **dict(zip(names, values))}

    def _bind(self, arrays, named, described_arrays=(), generated=False):
        """(arrays by name, sizes, scalars). `described_arrays`: what _device.describe says of `arrays`. `generated`: what
        is left out starts as the description says."""
        arrays, named = self._scalars_by_position(arrays, named)
        described = self._described
        arguments = self.arguments
        buffers = described.get("buffers", {})
        bound = {name: named.pop(name) for name in list(named) if name in buffers}
        # Arrays by position are those that are not given by name.
        arguments = [name for name in arguments if name not in bound]
        read = [name for name in arguments if buffers[name].get("role", "inout") != "out"]
        wanted = arguments if len(arrays) == len(arguments) else read
        if arrays and len(arrays) != len(wanted):
            raise InputError(f"expected arrays for {', '.join(read)}" * bool(read) + "expected no arrays" * (not read) +
                             (f", or all of {', '.join(arguments)}" if read != arguments else "") + f", got {len(arrays)}")
        if arrays:
            bound.update(zip(wanted, arrays))
        scalars = [one["name"] for one in described.get("scalars", [])]
        values = {name: number(name, named.pop(name)) for name in list(named) if name in scalars}
        sizes = {name: integer(name, named.pop(name)) for name in list(named) if name in described.get("sizes", [])}
        if named:
            raise InputError(f"unknown argument '{next(iter(named))}', expected one of: " + ", ".join(
                [*buffers, *described.get("sizes", []), *scalars]))
        missing = [name for name in read if name not in bound and not has_contents(buffers[name])
                   and buffers[name].get("role") != "temporary"]
        if missing and not generated:
            raise InputError(f"expected arrays for {', '.join(missing)}, got none")
        for place, (name, array) in enumerate(bound.items()):
            shape = _tensors.shape_of(array, buffers[name]) if _tensors.is_tensor(array) else getattr(array, "shape", ())
            if described_arrays and arrays:
                shape = _device.shape_of(buffers[name].get("dtype"), *described_arrays[place][1:3])
            self._read_sizes(name, shape, buffers[name], described.get("sizes", []), sizes)
        return bound, sizes, values

    @staticmethod
    def _read_sizes(name, shape, buffer, known, sizes):
        """Sizes that are dimensions of arrays as they are."""
        for extent, size in zip(buffer["shape"], shape):
            if not isinstance(extent, str) or extent not in known:
                continue
            if sizes.setdefault(extent, size) != size:
                raise InputError(f"{name}: expected {extent} = {sizes[extent]}, got {size}")

    def _layouts(self, session):
        return {name: (index, element, role, shape, strides)
                for index, (name, element, role, shape, strides) in enumerate(session.buffers())}

    def _session(self, device, contents, sizes, scalars, races, assume, threads, max_instructions, callers=(),
                 description=None, gpu=0):
        from . import _runtime
        threads, max_instructions = integer("threads", threads, 2**31), integer("max_instructions", max_instructions)
        if not isinstance(assume, str):
            raise InputError(f"assume: expected str, got {type(assume).__name__}")
        mode = _RACES.get() if races is None else races
        if not isinstance(mode, str):
            raise InputError(f"races: expected off, default or strict, got {mode!r}")
        check_text("assume", assume)
        check_text("races", mode)
        text = self._json(description or self.description)
        try:
            return _runtime.session(device, self.code, self.name, text, self._description_name,
                                    self.function, sizes, scalars, contents, mode, assume, threads,
                                    max_instructions, list(callers), gpu)
        except ValueError as error:
            raise InputError(str(error)) from None

    def _bound_session(self, device, arrays, named, options, generated=False):
        """A session with the contents of the arrays, and what a caller gets back."""
        bound, sizes, scalars = self._bind(arrays, dict(named), generated=generated)
        # Shapes may be expressions over the sizes: a session without contents evaluates them.
        layouts = self._layouts(self._session(device, {}, sizes, scalars, *options))
        contents = {}
        for name, array in bound.items():
            _, element, _, shape, strides = layouts[name]
            if _tensors.is_tensor(array):
                array = _tensors.to_numpy(array, name, element, strides)
            contents[name] = _arrays.to_bytes(array, name, element, shape, strides)
        returned = self._returned(device, sizes, scalars, options, layouts)
        return _Bound(self._session(device, contents, sizes, scalars, *options), layouts, returned, bound)

    def _run(self, device, arrays, named, schedule, check, races, assume, threads, max_instructions, progress=False,
             generated=False):
        """What is bound, the buffers that are written into, and the first run. `generated`: also that callers' arrays
        stay as they are."""
        bound = self._bound_session(device, arrays, named, (races, assume, threads, max_instructions), generated)
        targets = () if generated else [name for name in self.arguments if bound.is_target(name)]
        wanted, session = self._schedules(schedule), bound.session
        with _progress.shown(progress) as show:
            runs = [self._one(session, each, show=show) for each in wanted]
        for name, run in runs[1:]:
            if differences := session.differences(runs[0][1], run):
                raise MismatchError("mismatch", differences.strip(), (), "", name, lambda: self._timeline(session, name))
        if check:
            self._check(session, *runs[0])
        return bound, targets, runs[0][1]

    @staticmethod
    def _outputs(bound, targets, run):
        """An array for each buffer, or part of one, that a caller gets back; `targets` are written."""
        written = {name: bound.write(name, run) for name in targets}
        return [written[name] if name in written and not part else bound.read(name, part, run)
                for name, part in bound.returned]

    @staticmethod
    def _schedules(schedule) -> list[str]:
        if schedule == "all":
            return schedules()
        wanted = [schedule] if isinstance(schedule, str) else schedule
        if not isinstance(wanted, (list, tuple)) or not wanted or not all(isinstance(each, str) for each in wanted):
            raise InputError(f"schedule: expected a name, several or 'all', got {schedule!r}")
        for each in wanted:
            check_text("schedule", each)
        return wanted

    @staticmethod
    def _timeline(session, schedule) -> str:
        return session.run(schedule, True, None).timeline()

    def _one(self, session, schedule, traced=False, show=None):
        try:
            run = _progress.run(session, schedule, traced, show)
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
        try:
            problems = session.check(run)
        except ValueError as error:
            raise InputError(str(error)) from None
        for formula, obstacle, elements, mismatches, error, ratio in problems:
            if obstacle:
                raise InputError(f"check: {formula} cannot be compared: {obstacle} has no reference")
            if mismatches:
                raise MismatchError("mismatch",
                                    f"{formula}: {mismatches} of {elements} elements are wrong: largest error {error:g}, "
                                    f"{ratio:g} of its bound", (), "", schedule, lambda: self._timeline(session, schedule))


class _Bound:
    """A session, the arrays that a caller gave it, and (buffer, None or its part) of what he gets back."""

    def __init__(self, session, layouts, returned, arrays):
        self.session, self.layouts, self.returned, self.arrays = session, layouts, returned, arrays
        self.torch = any(_tensors.is_tensor(array) for array in arrays.values())
        self.jax = any(_device.is_jax(array) for array in arrays.values())

    def is_target(self, name) -> bool:
        """Whether the buffer is written, and into memory of the caller."""
        array, role = self.arrays.get(name), self.layouts[name][2]
        if role not in ("inout", "out") or not (_tensors.is_tensor(array) or _arrays.is_numpy(array)):
            return False
        _arrays.check_target(array, name, _tensors.is_tensor(array))
        return True

    def _array(self, name, part, run):
        index, element, _, shape, strides = self.layouts[name]
        return _arrays.from_bytes(run.bytes(self.session, index), element, shape, strides, part)

    def _tensor(self, name, part, run):
        _, element, _, _, strides = self.layouts[name]
        return _tensors.from_numpy(self._array(name, part, run), name, element, part[2] if part else strides)

    def read(self, name, part, run):
        """A new array with what a buffer, or a part of it, holds after a run."""
        if self.torch:
            return self._tensor(name, part, run)
        array = self._array(name, part, run)
        return sys.modules["jax"].numpy.asarray(array) if self.jax else array

    def write(self, name, run):
        """The caller's array, with what the buffer holds after a run."""
        array = self.arrays[name]
        if _tensors.is_tensor(array):
            _tensors.write(array, self._tensor(name, None, run))
        else:
            array[...] = self._array(name, None, run)
        return array


def _single(results):
    """What a caller gets: one array as it is."""
    return results[0] if len(results) == 1 else tuple(results)


def load(code: Code, description: Description | None = None, *, function: str = "") -> Kernel:
    """A kernel that is compiled already: PTX or a cubin (a path, text or bytes) and its kernel description (a path,
    JSON or a dict; by default the .json beside the path of the code, as `tc-compile` and `Kernel.save` write it). Needs no
    LLVM; cubins run on a GPU alone. Raises InputError where the description lacks something or does not fit the kernels of
    the PTX."""
    data, name = read_code(code)
    if description is None:
        if not is_path(code):
            raise InputError("description: expected one beside code that is no path, got none")
        description = description_beside(name)
    described, folder = read_description(description)
    kernel = Kernel(data, described, name=name, folder=folder, function=function)
    kernel._check_description()
    return kernel


def run_ptx(ptx: Code, launch: Description, buffers: Mapping[str, ArrayLike] | None = None, *,
            schedule: str | Sequence[str] = "eager", check: bool = False, races: Races | None = None, assume: str = "",
            threads: int = 0, max_instructions: int = 0, progress: Wanted = None,
            **named: ArrayLike) -> dict[str, numpy.ndarray[Any, Any]]:
    """Runs third-party PTX on the emulator and returns every buffer that is not read-only, by name. `launch` is a
    launch file (docs/KernelDescription.md, docs/Emulator.md): a path, JSON or a dict. What is left out of `buffers`
    starts as it says, what is there stays as it is. The rest is as in Kernel.emulate."""
    if buffers is not None and not isinstance(buffers, Mapping):
        raise InputError(f"buffers: expected a dict of arrays by name, got {type(buffers).__name__}")
    kernel = load(ptx, launch)
    bound, _, run = kernel._run("emulator", (), {**(buffers or {}), **named}, schedule, check, races, assume, threads,
                                max_instructions, progress, generated=True)
    return {name: bound.read(name, None, run) for name in kernel._written()}
