"""Kernel descriptions and compiled code as callers give them: read and checked."""
from __future__ import annotations

import json
import operator
import os
import reprlib

from ._errors import InputError


def is_list_of(kind, value) -> bool:
    return isinstance(value, (list, tuple)) and all(isinstance(one, kind) for one in value)


def expect(fits, what, wanted, got):
    if not fits:
        raise InputError(f"{what}: expected {wanted}, got {reprlib.repr(got)}")


def checked(described) -> dict:
    """A description where what this module reads has the right form; the rest is checked by whoever runs it."""
    buffers = described.get("buffers", {})
    expect(isinstance(buffers, dict), "buffers", "an object", buffers)
    for name, buffer in buffers.items():
        expect(isinstance(name, str), "buffers", "names of buffers", name)
        expect(isinstance(buffer, dict), f"buffers.{name}", "an object", buffer)
        expect(is_list_of(object, buffer.get("shape")), f"buffers.{name}.shape", "an array", buffer.get("shape"))
    for key in ("arguments", "sizes"):
        expect(is_list_of(str, described.get(key, [])), key, "an array of names", described.get(key))
    for key, name in (("scalars", "name"), ("results", "buffer")):
        list_ = described.get(key, [])
        expect(is_list_of(dict, list_), key, "an array of objects", list_)
        for one in list_:
            expect(isinstance(one.get(name), str), key, f"objects with a {name}", one)
    for key, names in (("arguments", described.get("arguments", [])),
                       ("results", [one["buffer"] for one in described.get("results", [])])):
        for name in names:
            expect(name in buffers, key, f"names of buffers, one of: {', '.join(buffers)}", name)
    for one in described.get("results", []):
        shape, strides = one.get("shape", []), one.get("strides", [])
        expect(is_list_of((int, str), shape) and is_list_of((int, str), strides) and ("shape" in one) == ("strides" in one),
               "results", "shape and strides together, each an array of numbers", one)
    return described


def has_contents(buffer) -> bool:
    """Whether a description says what a buffer holds first."""
    return any(key in buffer for key in ("init", "file", "bytes", "fill"))


def launched(value):
    """The names of buffers that parameters of launches are made of."""
    if isinstance(value, dict):
        return {name for key, one in value.items()
                for name in ([one] if key in ("pointer", "buffer") and isinstance(one, str) else launched(one))}
    return {name for one in value for name in launched(one)} if isinstance(value, (list, tuple)) else set()


def integer(name, value, end=2**63) -> int:
    """A size or a count."""
    try:
        number = operator.index(value)
    except TypeError:
        raise InputError(f"{name}: expected an integer, got {value!r}") from None
    if not 0 <= number < end:
        raise InputError(f"{name}: expected at least 0 and less than 2^{end.bit_length() - 1}, got {number}")
    return number


def number(name, value) -> float:
    """A scalar; text is none, though Python would read it."""
    try:
        if isinstance(value, (str, bytes)):
            raise TypeError
        return float(value)
    except (TypeError, ValueError, OverflowError):
        shown = repr(value) if isinstance(value, str) else type(value).__name__
        raise InputError(f"{name}: expected a number, got {shown}") from None


def read_file(what, path) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except (OSError, ValueError) as error:
        raise InputError(f"{what}: {error}") from None


def refuse_constant(text):
    """NaN and Infinity, which Python would read and JSON does not have."""
    raise ValueError(f"{text} is no number of JSON: a description holds \"inf\", \"-inf\" and \"nan\"")


def read_description(description):
    """A description as a dict, and the folder of the file that it is from."""
    folder = ""
    if isinstance(description, (str, os.PathLike)) and not str(description).lstrip().startswith("{"):
        folder = os.path.dirname(os.path.abspath(description))
        description = read_file("description", description)
    if isinstance(description, (str, bytes)):
        try:
            description = json.loads(description, parse_constant=refuse_constant)
        except (ValueError, RecursionError) as error:
            raise InputError(f"description: expected JSON: {error}") from None
    if not isinstance(description, dict):
        raise InputError(f"description: expected a path, JSON with an object or a dict, got {type(description).__name__}")
    return description, folder


def is_path(code) -> bool:
    return isinstance(code, os.PathLike) or isinstance(code, str) and "\n" not in code


def is_cubin(code: bytes) -> bool:
    return code.startswith(b"\x7fELF")


def read_code(code):
    """PTX or a cubin as bytes, and a name for diagnostics."""
    if isinstance(code, (bytes, bytearray, memoryview)):
        return bytes(code), "kernel.ptx"
    if isinstance(code, str) and not is_path(code):
        return code.encode(), "kernel.ptx"
    # Numbers are no paths: open would take them for files that are open already.
    if not is_path(code):
        raise InputError(f"code: expected PTX or a cubin as a path, text or bytes, got {type(code).__name__}")
    data = read_file("code", code)
    if data.startswith(b"TCBUNDLE"):
        raise InputError(f"code: expected PTX or a cubin, got a bundle, which tc.load_bundle reads: {os.fspath(code)!r}")
    return data, os.fspath(code)


def description_beside(path) -> str:
    """Where the description of a file of code is."""
    return os.path.splitext(path)[0] + ".json"


def write_file(path, data: bytes):
    try:
        with open(path, "wb") as file:
            file.write(data)
    except (OSError, ValueError) as error:
        raise InputError(f"path: {error}") from None


def anchored(description: dict, folder: str) -> dict:
    """A description that may be written elsewhere: files of contents are relative to the folder that it is from."""
    if description.get("functions"):
        return {**description, "functions": [anchored(one, folder) for one in description["functions"]]}
    buffers = {name: {**buffer, "file": os.path.abspath(os.path.join(folder, buffer["file"]))} if "file" in buffer else buffer
               for name, buffer in description.get("buffers", {}).items()}
    return {**description, "buffers": buffers} if buffers else description


def summary(description: dict, function: str) -> str:
    """The arguments and results of a kernel, for its repr."""
    functions = description.get("functions") or [description]
    functions = [one for one in functions if not function or one.get("function", function) == function]
    try:
        texts = [_signature(checked(one)) for one in functions]
    except (InputError, TypeError, AttributeError):
        texts = ["of a description that does not fit"]
    chips = {str(one["chip"]): None for one in functions if isinstance(one, dict) and "chip" in one}
    return ", ".join([*chips, *texts])


def _signature(described) -> str:
    buffers = described.get("buffers", {})

    def shown(name):
        sizes = ", ".join(str(size) for size in buffers[name]["shape"])
        return f"{name} {buffers[name].get('dtype')}[{sizes}]"

    names = list(described.get("arguments", buffers))
    given = [shown(name) for name in names if buffers[name].get("role", "inout") != "out"]
    given += [f"{one['name']} {one.get('dtype')}" for one in described.get("scalars", [])]
    results = [one["buffer"] for one in described.get("results", [])]
    written = results or [name for name in names if buffers[name].get("role", "inout") != "in"]
    return f"{described.get('function', 'kernel')}({', '.join(given)}) -> {', '.join(map(shown, written)) or 'nothing'}"
