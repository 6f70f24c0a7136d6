"""What goes wrong: the compiler refuses, the input does not fit, or a kernel is wrong."""
from __future__ import annotations

from typing import NamedTuple


class TcError(Exception):
    """Every error of the package."""


class Diagnostic(NamedTuple):
    """A message of the compiler. `severity` is error, warning, remark or note; `line` and `column` count from
    1, 0: no place."""

    severity: str
    file: str
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}: " if self.line else ""
        return f"{place}{self.severity}: {self.message}"


class CompileError(TcError):
    """The module cannot be compiled. `diagnostics` has every message; `line` is the line of the first error."""

    def __init__(self, diagnostics: list[Diagnostic]):
        self.diagnostics = diagnostics
        errors = [one for one in diagnostics if one.severity == "error"]
        self.line = errors[0].line if errors else 0
        shown = [str(one) for one in diagnostics if one.severity in ("error", "note")]
        super().__init__("\n".join(shown) or "the compilation failed")

    def __reduce__(self):
        return type(self), (self.diagnostics, )


class InputError(TcError, ValueError):
    """Arrays, sizes, a schedule or a description that do not fit: nothing was run."""


def check_text(what: str, text: str, nul: bool = False):
    """Raises what keeps `text` from being a string of C, or with `nul` UTF-8."""
    if "\0" in text and not nul:
        raise InputError(f"{what}: expected text without NUL, got {text!r}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"{what}: expected text that UTF-8 can hold, got {ascii(text[error.start])}") from None


class KernelError(TcError):
    """A run was stopped. `kind` is race, deadlock, memory, ...; `line` the line of the PTX and `lines` all that
    are involved; `edge` the lines (before, after) of two accesses that nothing orders, else None; `history` what
    led there; `schedule` the order of asynchronous work; `timeline()` the events of the run, JSON for Perfetto."""

    def __init__(self, kind: str, message: str, lines: tuple[int, ...], history: str, schedule: str, timeline):
        super().__init__(f"{kind} under {schedule}: {message}")
        self.kind, self.message, self.lines, self.history, self.schedule = kind, message, lines, history, schedule
        self.line = lines[0] if lines else 0
        self.edge = (lines[1], lines[0]) if kind == "race" and len(lines) > 1 else None
        self._timeline = timeline

    def timeline(self) -> str:
        """The events of the run: JSON for Perfetto, and for `tc.pictures.timeline`."""
        if self._timeline is None:
            raise InputError("the timeline is made by the process that ran the kernel, this error is a copy from another one")
        return self._timeline()

    def __reduce__(self):
        return type(self), (self.kind, self.message, self.lines, self.history, self.schedule, None)


class RaceError(KernelError):
    """Two accesses that nothing orders."""


class DeadlockError(KernelError):
    """No warp and no engine can go on."""


class MismatchError(KernelError):
    """Results differ between schedules, or from float64 by more than rounding can explain."""
